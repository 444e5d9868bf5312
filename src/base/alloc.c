#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXIT_NO_MEMORY = 70,
    ARENA_CHUNK_DEFAULT = 64 * 1024,
    ARENA_ALIGN = 16,
    ARENA_LARGE_FROM = 1024 * 1024
};

static RASKI_COLD void *no_memory(size_t size) {
    (void)fprintf(stderr, "rask: out of memory: the system has no %zu bytes left\n", size);
    exit(EXIT_NO_MEMORY);
}

void *raski_calloc(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size ? size : 1);
    return p ? p : no_memory(count * size);
}

void *raski_alloc(size_t size) {
    void *p = malloc(size ? size : 1);
    return p ? p : no_memory(size);
}

void *raski_realloc(void *memory_take, size_t count, size_t size) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) return no_memory(SIZE_MAX);
    void *p = realloc(memory_take, bytes ? bytes : 1);
    return p ? p : no_memory(bytes);
}

char *raski_strdup(const char *text) {
    return raski_memdup(text, strlen(text) + 1);
}

char *raski_strndup(const char *text, size_t length) {
    char *p = raski_alloc(length + 1);
    memcpy(p, text, length);
    p[length] = '\0';
    return p;
}

char *raski_strdup_or_null(const char *text_or_null) {
    return text_or_null ? raski_strdup(text_or_null) : NULL;
}

void *raski_memdup(const void *bytes, size_t size) {
    void *p = raski_alloc(size);
    if (size) memcpy(p, bytes, size);
    return p;
}

char *raski_format(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    RASKI_ASSERT(length >= 0);
    char *p = raski_alloc((size_t)length + 1);
    va_start(arguments, format);
    (void)vsnprintf(p, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return p;
}

void *raski_try_alloc(size_t size, size_t alignment) {
    if (alignment <= _Alignof(max_align_t)) return malloc(size ? size : 1);
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    if (rounded < size) return NULL;
    return aligned_alloc(alignment, rounded ? rounded : alignment);
}

void *raski_try_calloc(size_t count, size_t size) {
    return calloc(count ? count : 1, size ? size : 1);
}

void raski_free(void *memory_take) {
    free(memory_take);
}

/* ---------------------------------------------------------------- arena */
typedef struct chunk {
    struct chunk *next;
    size_t used, capacity;
    _Alignas(ARENA_ALIGN) char data[];
} chunk;

struct raski_arena {
    chunk *head;
    size_t chunk_size;
    size_t total;              /* of all chunks */
    raski_arena_advise advise; /* NULL: chunks are all alike */
};

raski_arena *raski_arena_create(size_t chunk_size) {
    raski_arena *arena = RASKI_NEW(raski_arena);
    arena->chunk_size = chunk_size ? chunk_size : ARENA_CHUNK_DEFAULT;
    return arena;
}

raski_arena *raski_arena_create_large(raski_arena_advise advise) {
    raski_arena *arena = raski_arena_create(0);
    arena->advise = advise;
    return arena;
}

static chunk *large_chunk(const raski_arena *arena) {
    chunk *c = aligned_alloc(RASKI_ARENA_LARGE_CHUNK, RASKI_ARENA_LARGE_CHUNK);
    if (c == NULL) return no_memory(RASKI_ARENA_LARGE_CHUNK);
    arena->advise(c, RASKI_ARENA_LARGE_CHUNK);
    c->capacity = RASKI_ARENA_LARGE_CHUNK - sizeof *c;
    return c;
}

static void add_chunk(raski_arena *arena, size_t size) {
    bool is_large = arena->advise != NULL && arena->total >= ARENA_LARGE_FROM &&
                    size <= RASKI_ARENA_LARGE_CHUNK - sizeof(chunk);
    size_t capacity = size > arena->chunk_size ? size : arena->chunk_size;
    chunk *c = is_large ? large_chunk(arena) : raski_alloc(sizeof *c + capacity);
    if (!is_large) c->capacity = capacity;
    c->next = arena->head;
    c->used = 0;
    arena->head = c;
    arena->total += c->capacity;
}

void *raski_arena_alloc(raski_arena *arena, size_t size) {
    size = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (arena->head == NULL || arena->head->capacity - arena->head->used < size)
        add_chunk(arena, size);
    void *p = arena->head->data + arena->head->used;
    arena->head->used += size;
    return p;
}

void *raski_arena_calloc(raski_arena *arena, size_t size) {
    return memset(raski_arena_alloc(arena, size), 0, size);
}

char *raski_arena_strdup(raski_arena *arena, const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(raski_arena_alloc(arena, size), text, size);
}

char *raski_arena_format(raski_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    RASKI_ASSERT(length >= 0);
    char *p = raski_arena_alloc(arena, (size_t)length + 1);
    va_start(arguments, format);
    (void)vsnprintf(p, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return p;
}

void raski_arena_reset(raski_arena *arena) {
    if (arena->head == NULL) return;
    while (arena->head->next != NULL) {
        chunk *c = arena->head;
        arena->head = c->next;
        free(c);
    }
    arena->head->used = 0;
    arena->total = arena->head->capacity;
}

void raski_arena_destroy(raski_arena *arena_take) {
    if (arena_take == NULL) return;
    while (arena_take->head != NULL) {
        chunk *c = arena_take->head;
        arena_take->head = c->next;
        free(c);
    }
    free(arena_take);
}
