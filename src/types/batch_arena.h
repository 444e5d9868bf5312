/* batch_arena.h - the memory that strings and lists of the current batch live in.
 * A task sets its arena with raski_batch_arena_set_current before user code runs and resets it once
 * the batch is done (everything that outlives a batch was copied by then). Allocation is a pointer
 * bump. Where no task runs (a unit test calls a user's function), each thread has a fallback arena
 * that starts over after a few MiB.
 * Threads: an arena belongs to one thread; the current arena is per thread. Flink: none (the heap).
 */
#ifndef RASKI_TYPES_BATCH_ARENA_H
#define RASKI_TYPES_BATCH_ARENA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct raski_batch_chunk raski_batch_chunk;

typedef struct raski_batch_arena {
    char *cursor, *end;        /* free bytes of the newest chunk */
    raski_batch_chunk *newest; /* chunks, newest first */
    size_t keep_max;           /* bytes; a reset keeps the largest chunk that is no larger */
    size_t allocated;          /* bytes of all chunks */
    bool failed;               /* an allocation failed since init or the last _take_failed */
} raski_batch_arena;

/* An empty arena that holds no memory yet. keep_max in bytes, 0: 1 MiB. */
void raski_batch_arena_init(raski_batch_arena *arena, size_t keep_max);
/* Frees all; the arena may be initialised again. */
void raski_batch_arena_fini(raski_batch_arena *arena);

/* size bytes (0 is fine), 16-aligned, not zeroed, until the next reset. NULL when there is no
 * memory; arena->failed is set then. */
static inline void *raski_batch_arena_alloc(raski_batch_arena *arena, size_t size);
/* The same without alignment: for the bytes of strings. */
static inline char *raski_batch_arena_bytes(raski_batch_arena *arena, size_t size);

/* Forgets everything; keeps the largest chunk of at most keep_max bytes for the next batch. */
void raski_batch_arena_reset(raski_batch_arena *arena);

/* Whether an allocation failed since the last call. A task asks after each batch that ran user
 * code and fails with RASK_E_NOMEM: rask_string_format has no way to report it. */
static inline bool raski_batch_arena_take_failed(raski_batch_arena *arena) {
    bool failed = arena->failed;
    arena->failed = false;
    return failed;
}

/* The arena of the task that runs on this thread, or this thread's fallback arena. Never NULL;
 * borrowed. */
raski_batch_arena *raski_batch_arena_current(void);
/* Makes arena (NULL: the fallback) the current one of this thread; returns what was set before
 * (NULL: the fallback), for the caller to restore. */
raski_batch_arena *raski_batch_arena_set_current(raski_batch_arena *arena_or_null);

/* ---- implementation of the inline part */
/* Under the address sanitizer only what was allocated since the last reset may be touched: a string
 * that was kept beyond its batch is found when it is used. */
#if defined(__SANITIZE_ADDRESS__)
#define RASKI_BATCH_ARENA_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RASKI_BATCH_ARENA_POISONS 1
#endif
#endif
#ifdef RASKI_BATCH_ARENA_POISONS
/* the sanitizer's interface */
void __asan_poison_memory_region(const volatile void *memory, size_t size);
void __asan_unpoison_memory_region(const volatile void *memory, size_t size);
int __asan_address_is_poisoned(const volatile void *memory);
#define RASKI_BATCH_ARENA_OPEN(memory, size) __asan_unpoison_memory_region((memory), (size))
#define RASKI_BATCH_ARENA_CLOSE(memory, size) __asan_poison_memory_region((memory), (size))
#else
#define RASKI_BATCH_ARENA_OPEN(memory, size) ((void)(memory), (void)(size))
#define RASKI_BATCH_ARENA_CLOSE(memory, size) ((void)(memory), (void)(size))
#endif

void *raski_batch_arena_grow(raski_batch_arena *arena, size_t size); /* slow path */

static inline void *raski_batch_arena_alloc(raski_batch_arena *arena, size_t size) {
    size_t skip = (size_t)(-(uintptr_t)arena->cursor & 15U);
    size_t room = (size_t)(arena->end - arena->cursor);
    if (__builtin_expect(room < skip || room - skip < size || arena->cursor == NULL, 0))
        return raski_batch_arena_grow(arena, size);
    char *memory = arena->cursor + skip;
    arena->cursor = memory + size;
    RASKI_BATCH_ARENA_OPEN(memory, size);
    return memory;
}

static inline char *raski_batch_arena_bytes(raski_batch_arena *arena, size_t size) {
    if (__builtin_expect((size_t)(arena->end - arena->cursor) < size || arena->cursor == NULL, 0))
        return raski_batch_arena_grow(arena, size);
    char *memory = arena->cursor;
    arena->cursor += size;
    RASKI_BATCH_ARENA_OPEN(memory, size);
    return memory;
}
#endif
