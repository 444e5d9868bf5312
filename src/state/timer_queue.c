#include "state/timer_queue.h"

#include <string.h>

#include "state/keyed_table_cache.h"
#include "state/timer_queue_private.h"

static inline uint32_t *pins_of(const raski_keyed_table *table, char *row) {
    return (uint32_t *)(void *)(row + table->timers_offset);
}
static inline void pin(const raski_timer_queue *queue, char *row) {
    if (queue->table) ++*pins_of(queue->table, row);
}
static inline void unpin(const raski_timer_queue *queue, char *row) {
    if (queue->table) --*pins_of(queue->table, row);
}

/* Rows that come out of the queue are about to be used as if a lookup had given them. */
static void hand_out(const raski_timer_queue *queue, char **rows, size_t n) {
    raski_keyed_table *table = queue->table;
    if (!table) return;
    for (size_t i = 0; i < n; i++) {
        raski_keyed_table_before_write(table, rows[i]);
        unpin(queue, rows[i]);
    }
    if (__builtin_expect(!table->cache, 1)) return;
    for (size_t i = 0; i < n; i += RASKI_LOOKUP_MAX) {
        uint64_t inserted = 0; /* nothing is read, so nothing fails */
        size_t block = n - i < RASKI_LOOKUP_MAX ? n - i : RASKI_LOOKUP_MAX;
        RASKI_ASSERT(raski_cache_rows(table, rows + i, block, &inserted, NULL) == RASK_OK);
    }
}

raski_timer_queue *raski_timer_queue_create(raski_keyed_table *table_or_null) {
    RASKI_ASSERT(!table_or_null || table_or_null->timers_offset != 0);
    raski_timer_queue *queue = RASKI_NEW(raski_timer_queue);
    queue->table = table_or_null;
    queue->last_bucket = queue->free_bucket = NO_BUCKET;
    return queue;
}

void raski_timer_queue_destroy(raski_timer_queue *queue_take_or_null) {
    raski_timer_queue *queue = queue_take_or_null;
    if (!queue) return;
    for (uint32_t i = 0; i < queue->heap_count; i++)
        raski_timer_bucket_release(queue, &queue->buckets[queue->heap[i].bucket]);
    raski_timer_slabs_free(queue);
    raski_free(queue->buckets);
    raski_free(queue->map);
    raski_free(queue->heap);
    raski_free(queue);
}

/* The position of a row in a bucket, or UINT32_MAX. */
static inline uint32_t find_row(raski_timer_queue *queue, timer_bucket *bucket, const char *row) {
    uint32_t end = bucket->end;
    if (end - bucket->head > BUCKET_SCAN_MAX)
        return raski_timer_bucket_find_indexed(queue, bucket, row);
    for (uint32_t i = bucket->head; i < end; i++)
        if (bucket->rows[i] == row) return i;
    return UINT32_MAX;
}

static RASKI_COLD rask_status no_memory(const raski_timer_queue *queue, raski_error *err) {
    return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL,
                      "no memory for another timer: %zu timers use %zu bytes", queue->count,
                      queue->bytes);
}

/* Whether a bucket has a row. Mostly that needs no search: a row without pins has no timer at all,
 * and a window registers the same time twice in a row, for its end and to be cleared. */
static inline bool has_row(raski_timer_queue *queue, timer_bucket *bucket, const char *row) {
    if (queue->table && raski_keyed_table_pins(queue->table, row) == 0) return false;
    if (bucket->live > 0 && bucket->rows[bucket->end - 1] == row) return true;
    return find_row(queue, bucket, row) != UINT32_MAX;
}

static inline rask_status add(raski_timer_queue *queue, int64_t time_ms, char *row, bool is_new,
                              bool *ret_added, raski_error *err) {
    timer_bucket *bucket = timer_last_bucket(queue, time_ms);
    if (!bucket) bucket = raski_timer_make_bucket(queue, time_ms);
    if (__builtin_expect(!bucket, 0)) return no_memory(queue, err);
    if (!is_new && has_row(queue, bucket, row)) {
        *ret_added = false;
        return RASK_OK;
    }
    timer_before_change(queue, bucket);
    if (__builtin_expect(bucket->end == bucket->capacity, 0) &&
        !raski_timer_bucket_reserve(queue, bucket)) {
        if (bucket->live == 0) {
            queue->empty_buckets--; /* counted again */
            raski_timer_bucket_emptied(queue, bucket);
        }
        return no_memory(queue, err);
    }
    bucket->rows[bucket->end++] = row;
    if (bucket->live++ == 0) queue->empty_buckets--;
    queue->count++;
    pin(queue, row);
    *ret_added = true;
    return RASK_OK;
}

rask_status raski_timer_queue_register(raski_timer_queue *queue, int64_t time_ms, char *row,
                                       bool *ret_added, raski_error *err) {
    bool added = false;
    RASKI_TRY(add(queue, time_ms, row, false, &added, err));
    if (ret_added) *ret_added = added;
    return RASK_OK;
}

rask_status raski_timer_queue_register_new(raski_timer_queue *queue, int64_t time_ms, char *row,
                                           raski_error *err) {
    bool added = false;
    return add(queue, time_ms, row, true, &added, err);
}

rask_status raski_timer_queue_register_all(raski_timer_queue *queue, const int64_t *times_ms,
                                           char *const *rows, size_t n, raski_error *err) {
    bool added = false;
    for (size_t i = 0; i < n; i++) RASKI_TRY(add(queue, times_ms[i], rows[i], false, &added, err));
    return RASK_OK;
}

bool raski_timer_queue_delete(raski_timer_queue *queue, int64_t time_ms, const char *row) {
    timer_bucket *bucket = raski_timer_find_bucket(queue, time_ms);
    if (!bucket || bucket->live == 0) return false;
    uint32_t position = find_row(queue, bucket, row);
    if (position == UINT32_MAX) return false;
    timer_before_change(queue, bucket);
    char *pinned = bucket->rows[position];
    bucket->rows[position] = NULL;
    bucket->live--;
    queue->count--;
    unpin(queue, pinned);
    if (bucket->live == 0) {
        bucket->head = bucket->end = bucket->indexed = 0;
        if (bucket->index) raski_timer_bucket_release(queue, bucket);
        raski_timer_bucket_emptied(queue, bucket);
    }
    return true;
}

bool raski_timer_queue_is_registered(raski_timer_queue *queue, int64_t time_ms, const char *row) {
    timer_bucket *bucket = raski_timer_find_bucket(queue, time_ms);
    return bucket && bucket->live && find_row(queue, bucket, row) != UINT32_MAX;
}

size_t raski_timer_queue_count(const raski_timer_queue *queue) {
    return queue->count;
}

size_t raski_timer_queue_bytes_used(const raski_timer_queue *queue) {
    return queue->bytes;
}

bool raski_timer_queue_next_time(const raski_timer_queue *queue, int64_t *ret_time_ms) {
    if (queue->heap_count == 0) return false;
    *ret_time_ms = queue->heap[0].time_ms;
    return true;
}

size_t raski_timer_queue_pop(raski_timer_queue *queue, int64_t until_ms, char **ret_rows,
                             size_t rows_max, int64_t *ret_time_ms) {
    if (queue->heap_count == 0 || queue->heap[0].time_ms > until_ms) return 0;
    timer_bucket *bucket = &queue->buckets[queue->heap[0].bucket];
    timer_before_change(queue, bucket);
    *ret_time_ms = bucket->time_ms;
    size_t n = 0;
    while (bucket->head < bucket->end && n < rows_max) {
        char *row = bucket->rows[bucket->head++];
        if (!row) continue;
        ret_rows[n++] = row;
    }
    hand_out(queue, ret_rows, n);
    bucket->live -= (uint32_t)n;
    queue->count -= n;
    if (bucket->live == 0) {
        bucket->head = bucket->end = bucket->indexed = 0;
        raski_timer_bucket_emptied(queue, bucket);
    }
    return n;
}

void raski_timer_queue_visit(const raski_timer_queue *queue,
                             bool (*visit)(void *context, int64_t time_ms, char *row),
                             void *context) {
    for (uint32_t i = 0; i < queue->heap_count; i++) {
        const timer_bucket *bucket = &queue->buckets[queue->heap[i].bucket];
        for (uint32_t at = bucket->head; at < bucket->end; at++)
            if (bucket->rows[at] && !visit(context, bucket->time_ms, bucket->rows[at])) return;
    }
}
