#include "types/batch_arena.h"

#include <threads.h>

#include "base/alloc.h"

struct raski_batch_chunk {
    raski_batch_chunk *next;
    size_t size; /* bytes of data */
    _Alignas(16) char data[];
};

enum {
    KEEP_MAX_DEFAULT = 1024 * 1024,
    CHUNK_MIN = 16 * 1024,
    CHUNK_DOUBLING_MAX = 1024 * 1024,
    FALLBACK_MAX = 4 * 1024 * 1024, /* the fallback arena starts over when it holds more */
};

void raski_batch_arena_init(raski_batch_arena *arena, size_t keep_max) {
    *arena = (raski_batch_arena){.keep_max = keep_max ? keep_max : KEEP_MAX_DEFAULT};
}

static void open_chunk(raski_batch_arena *arena, raski_batch_chunk *chunk) {
    chunk->next = arena->newest;
    arena->newest = chunk;
    arena->allocated += chunk->size;
    arena->cursor = chunk->data;
    arena->end = chunk->data + chunk->size;
    RASKI_BATCH_ARENA_CLOSE(chunk->data, chunk->size);
}

static void free_chunks(raski_batch_arena *arena, const raski_batch_chunk *keep) {
    raski_batch_chunk *chunk = arena->newest;
    while (chunk != NULL) {
        raski_batch_chunk *next = chunk->next;
        if (chunk != keep) raski_free(chunk);
        chunk = next;
    }
    arena->newest = NULL;
    arena->allocated = 0;
    arena->cursor = arena->end = NULL;
}

void raski_batch_arena_fini(raski_batch_arena *arena) {
    free_chunks(arena, NULL);
}

void raski_batch_arena_reset(raski_batch_arena *arena) {
    raski_batch_chunk *keep = NULL;
    for (raski_batch_chunk *chunk = arena->newest; chunk != NULL; chunk = chunk->next)
        if (chunk->size <= arena->keep_max && (keep == NULL || chunk->size > keep->size))
            keep = chunk;
    free_chunks(arena, keep);
    if (keep != NULL) open_chunk(arena, keep);
}

void *raski_batch_arena_grow(raski_batch_arena *arena, size_t size) {
    size_t wanted = arena->newest ? arena->newest->size * 2 : CHUNK_MIN;
    if (wanted > CHUNK_DOUBLING_MAX) wanted = CHUNK_DOUBLING_MAX;
    if (wanted < CHUNK_MIN) wanted = CHUNK_MIN;
    if (wanted < size) wanted = size;
    raski_batch_chunk *chunk = NULL;
    if (wanted <= PTRDIFF_MAX - sizeof *chunk)
        chunk = raski_try_alloc(sizeof *chunk + wanted, _Alignof(raski_batch_chunk));
    if (chunk == NULL) {
        arena->failed = true;
        return NULL;
    }
    chunk->size = wanted;
    open_chunk(arena, chunk);
    arena->cursor += size;
    RASKI_BATCH_ARENA_OPEN(chunk->data, size);
    return chunk->data;
}

/* ---------------------------------------------------------------- the current arena */
static thread_local raski_batch_arena *current;

/* The fallback arena lives as long as its thread: a thread-specific key frees it. The key is made
 * before main, so that no thread has to wait for another to make it. */
static tss_t fallback_key;

static void destroy_fallback(void *arena_take) {
    raski_batch_arena_fini(arena_take);
    raski_free(arena_take);
}

static __attribute__((constructor)) void create_fallback_key(void) {
    RASKI_ASSERT(tss_create(&fallback_key, destroy_fallback) == thrd_success);
}

static raski_batch_arena *fallback(void) {
    raski_batch_arena *arena = tss_get(fallback_key);
    if (arena == NULL) {
        arena = RASKI_NEW(raski_batch_arena);
        raski_batch_arena_init(arena, 0);
        RASKI_ASSERT(tss_set(fallback_key, arena) == thrd_success);
    }
    if (arena->allocated > FALLBACK_MAX) raski_batch_arena_reset(arena);
    return arena;
}

raski_batch_arena *raski_batch_arena_current(void) {
    return current != NULL ? current : fallback();
}

raski_batch_arena *raski_batch_arena_set_current(raski_batch_arena *arena_or_null) {
    raski_batch_arena *before = current;
    current = arena_or_null;
    return before;
}
