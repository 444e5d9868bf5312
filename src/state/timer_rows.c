/* Rows of one bucket: where their arrays come from, and finding one. */
#include <string.h>

#include "state/timer_queue_private.h"

enum { SLAB_BYTES = 64 * 1024 };

/* ---------------------------------------------------------------- memory */
static uint32_t class_of(uint32_t capacity) {
    return (uint32_t)__builtin_ctz(capacity / ROWS_CAPACITY_MIN);
}

static char **alloc_rows(raski_timer_queue *queue, uint32_t capacity) {
    uint32_t class = class_of(capacity);
    size_t bytes = (size_t)capacity * sizeof(char *);
    if (class >= ROWS_CLASSES) {
        char **rows = raski_try_alloc(bytes, 0);
        if (rows) queue->bytes += bytes;
        return rows;
    }
    void *rows = queue->free_rows[class];
    if (rows) {
        memcpy(&queue->free_rows[class], rows, sizeof(void *));
        return rows;
    }
    if (queue->slab_left < bytes) {
        char *slab = raski_try_alloc(SLAB_BYTES, 64);
        if (!slab) return NULL;
        raski_vec_push(&queue->slabs, slab);
        queue->bytes += SLAB_BYTES;
        queue->slab_at = slab; /* what was left of the one before is at most one array */
        queue->slab_left = SLAB_BYTES;
    }
    rows = queue->slab_at;
    queue->slab_at += bytes;
    queue->slab_left -= bytes;
    return rows;
}

static void free_rows(raski_timer_queue *queue, char **rows, uint32_t capacity) {
    if (capacity == 0) return;
    uint32_t class = class_of(capacity);
    if (class >= ROWS_CLASSES) {
        queue->bytes -= (size_t)capacity * sizeof(char *);
        raski_free(rows);
        return;
    }
    memcpy((void *)rows, &queue->free_rows[class], sizeof(void *));
    queue->free_rows[class] = (void *)rows;
}

static void drop_index(raski_timer_queue *queue, timer_bucket *bucket) {
    if (bucket->index) {
        queue->bytes -= sizeof(uint32_t) << bucket->index_bits;
        raski_free(bucket->index);
    }
    bucket->index = NULL;
    bucket->indexed = bucket->index_bits = bucket->index_used = 0;
}

void raski_timer_bucket_release(raski_timer_queue *queue, timer_bucket *bucket) {
    drop_index(queue, bucket);
    free_rows(queue, bucket->rows, bucket->capacity);
    bucket->rows = NULL;
    bucket->head = bucket->end = bucket->live = bucket->capacity = 0;
}

void raski_timer_slabs_free(raski_timer_queue *queue) {
    for (size_t i = 0; i < queue->slabs.count; i++) raski_free(queue->slabs.items[i]);
    raski_vec_free(&queue->slabs);
}

bool raski_timer_bucket_reserve(raski_timer_queue *queue, timer_bucket *bucket) {
    if (bucket->end < bucket->capacity) return true;
    /* A quarter of places whose timers are gone is worth a pass; the index knows positions. */
    bool compact = bucket->capacity > 0 && bucket->live <= bucket->capacity - bucket->capacity / 4;
    char **rows = bucket->rows;
    uint32_t capacity = bucket->capacity;
    if (!compact) {
        if (capacity > UINT32_MAX / 4) return false;
        capacity = capacity ? capacity * 2 : ROWS_CAPACITY_MIN;
        rows = alloc_rows(queue, capacity);
        if (!rows) return false;
    }
    if (bucket->live < bucket->end) {
        uint32_t end = 0;
        for (uint32_t i = bucket->head; i < bucket->end; i++)
            if (bucket->rows[i]) rows[end++] = bucket->rows[i];
        bucket->head = 0;
        bucket->end = end;
        drop_index(queue, bucket);
    } else if (bucket->end) {
        memcpy((void *)rows, (const void *)bucket->rows, bucket->end * sizeof(char *));
    }
    if (!compact) free_rows(queue, bucket->rows, bucket->capacity);
    bucket->rows = rows;
    bucket->capacity = capacity;
    return true;
}

/* ---------------------------------------------------------------- index */
static size_t index_home(const timer_bucket *bucket, const char *row) {
    return timer_hash((uintptr_t)row) & ((UINT64_C(1) << bucket->index_bits) - 1);
}

static void index_put(timer_bucket *bucket, uint32_t position) {
    size_t mask = (UINT64_C(1) << bucket->index_bits) - 1;
    size_t at = index_home(bucket, bucket->rows[position]);
    while (bucket->index[at]) at = (at + 1) & mask;
    bucket->index[at] = position + 1;
    bucket->index_used++;
}

/* Puts all rows into the index; a larger one if this is more than half full. */
static bool complete_index(raski_timer_queue *queue, timer_bucket *bucket) {
    uint32_t more = bucket->end - bucket->indexed;
    if (!bucket->index || (uint64_t)bucket->index_used + more > UINT64_C(1)
                                                                    << (bucket->index_bits - 1)) {
        uint32_t bits = 6;
        while (UINT64_C(1) << bits < (uint64_t)bucket->live * 4) bits++;
        uint32_t *index = raski_try_calloc(UINT64_C(1) << bits, sizeof *index);
        if (!index) return false;
        drop_index(queue, bucket);
        queue->bytes += sizeof(uint32_t) << bits;
        bucket->index = index;
        bucket->index_bits = bits;
        bucket->indexed = bucket->head;
    }
    for (; bucket->indexed < bucket->end; bucket->indexed++)
        if (bucket->rows[bucket->indexed]) index_put(bucket, bucket->indexed);
    return true;
}

uint32_t raski_timer_bucket_find_indexed(raski_timer_queue *queue, timer_bucket *bucket,
                                         const char *row) {
    if (bucket->indexed < bucket->end && !complete_index(queue, bucket)) {
        for (uint32_t i = bucket->head; i < bucket->end; i++)
            if (bucket->rows[i] == row) return i;
        return UINT32_MAX;
    }
    size_t mask = (UINT64_C(1) << bucket->index_bits) - 1;
    for (size_t at = index_home(bucket, row);; at = (at + 1) & mask) {
        if (bucket->index[at] == 0) return UINT32_MAX;
        uint32_t position = bucket->index[at] - 1;
        if (position >= bucket->head && bucket->rows[position] == row) return position;
    }
}
