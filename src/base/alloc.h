/* alloc.h - memory.
 * Two policies, so that every allocation is checked and no caller forgets:
 * raski_alloc and its kin are for the control plane (graphs, messages, strings: small). When the
 * system has no memory left they print what was asked for and end the process with exit code 70:
 * there is nothing sensible that such code could still do. raski_try_alloc is for whatever grows
 * with the data (buffers, state, large records): it returns NULL and the job fails with a message.
 * raski_free takes both. Threads: any. */
#ifndef RASKI_BASE_ALLOC_H
#define RASKI_BASE_ALLOC_H
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define RASKI_MALLOC __attribute__((malloc, returns_nonnull, warn_unused_result))

/* Zeroed memory of count * size bytes (0 gives a unique pointer). Never NULL. */
void *raski_calloc(size_t count, size_t size) RASKI_MALLOC;
void *raski_alloc(size_t size) RASKI_MALLOC;
/* Never NULL; takes and replaces memory. */
void *raski_realloc(void *memory_take, size_t count, size_t size)
    __attribute__((returns_nonnull, warn_unused_result));
char *raski_strdup(const char *text) RASKI_MALLOC; /* NULL is not allowed */
char *raski_strndup(const char *text, size_t length) RASKI_MALLOC;
char *raski_strdup_or_null(const char *text_or_null) __attribute__((warn_unused_result));
void *raski_memdup(const void *bytes, size_t size) RASKI_MALLOC;
char *raski_format(const char *format, ...) RASKI_PRINTF(1, 2) RASKI_MALLOC; /* heap string */

/* NULL when there is no memory; alignment is a power of two (0: malloc's). */
void *raski_try_alloc(size_t size, size_t alignment) __attribute__((warn_unused_result));
void *raski_try_calloc(size_t count, size_t size) __attribute__((warn_unused_result));
void raski_free(void *memory_take); /* NULL is fine */

#define RASKI_NEW(T) ((T *)raski_calloc(1, sizeof(T)))
#define RASKI_NEW_ARRAY(T, count) ((T *)raski_calloc((count), sizeof(T)))

/* Memory that is given back as a whole. */
typedef struct raski_arena raski_arena;
raski_arena *raski_arena_create(size_t chunk_size); /* 0: 64 KiB */
/* For what may become large: beyond a MiB it grows by chunks of LARGE_CHUNK bytes, aligned to as
 * many, and tells advise about each before it is touched (raski_memory_want_huge_pages: half of the
 * time that large plans take is page faults otherwise). */
enum { RASKI_ARENA_LARGE_CHUNK = 2 * 1024 * 1024 };
typedef void (*raski_arena_advise)(void *memory, size_t size);
raski_arena *raski_arena_create_large(raski_arena_advise advise);
void *raski_arena_alloc(raski_arena *arena, size_t size) RASKI_MALLOC;  /* 16-aligned, not zeroed */
void *raski_arena_calloc(raski_arena *arena, size_t size) RASKI_MALLOC; /* zeroed */
char *raski_arena_strdup(raski_arena *arena, const char *text) RASKI_MALLOC;
char *raski_arena_format(raski_arena *arena, const char *format, ...)
    RASKI_PRINTF(2, 3) RASKI_MALLOC;
void raski_arena_reset(raski_arena *arena); /* forgets all, keeps one chunk */
void raski_arena_destroy(raski_arena *arena_take);
#endif
