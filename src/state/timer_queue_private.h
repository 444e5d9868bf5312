/* timer_queue_private.h - the inside of a timer queue.
 *
 * Buckets lie in an array; free ones form a list. A bucket in use is in the map (time -> bucket)
 * and in the heap. One that lost its last timer by a delete stays in both, empty, until it comes to
 * the top of the heap or until more than half of the heap is like it: then all of those go.
 * Invariant between calls: the heap is empty, or the bucket on its top has timers. */
#ifndef RASKI_STATE_TIMER_QUEUE_PRIVATE_H
#define RASKI_STATE_TIMER_QUEUE_PRIVATE_H
#include <stdatomic.h>

#include "base/vec.h"
#include "state/timer_queue.h"

enum {
    BUCKET_SCAN_MAX = 16, /* rows that are searched one by one; more get an index */
    ROWS_CAPACITY_MIN = 8,
    ROWS_CLASSES = 8, /* 8, 16 .. 1024 rows come from free lists */
    HEAP_ARITY = 4,
    MAP_BITS_MIN = 6,
};
#define NO_BUCKET UINT32_MAX

/* rows[head .. end - 1] are the timers' rows, NULL where one was deleted; those before head have
 * fired. index: 1 + position by the row's hash, linear probing, for positions before `indexed`;
 * entries of rows that are gone stay in it and match nothing. */
typedef struct timer_bucket {
    int64_t time_ms;
    char **rows;
    uint32_t *index; /* NULL: none yet */
    uint32_t head, end, live, capacity;
    uint32_t indexed, index_bits, index_used;
    uint32_t next_free;
    _Atomic uint32_t epoch; /* that of the queue: the running snapshot has what it needs of it */
} timer_bucket;

typedef struct timer_map_slot {
    int64_t time_ms;
    uint32_t bucket; /* NO_BUCKET: empty */
} timer_map_slot;

typedef struct timer_heap_item {
    int64_t time_ms;
    uint32_t bucket;
} timer_heap_item;

struct raski_timer_queue {
    raski_keyed_table *table;
    size_t count, bytes;
    uint32_t last_bucket; /* of the last access, or NO_BUCKET */

    timer_bucket *buckets;
    uint32_t bucket_end, bucket_capacity, free_bucket;

    timer_map_slot *map;
    uint32_t map_bits, map_count;

    timer_heap_item *heap;
    uint32_t heap_count, heap_capacity;
    uint32_t empty_buckets; /* in the heap */

    struct raski_timer_snapshot *snapshot; /* that is being written; or NULL */
    uint32_t epoch;                        /* snapshots begun */

    void *free_rows[ROWS_CLASSES]; /* linked through their first word */
    RASKI_VEC(void *) slabs;
    char *slab_at;
    size_t slab_left;
};

static inline uint64_t timer_hash(uint64_t value) {
    value *= UINT64_C(0x9e3779b97f4a7c15);
    return value ^ value >> 32;
}

/* timer_snapshot.c */
void raski_timer_save_bucket(raski_timer_queue *queue, timer_bucket *bucket);
/* While the array of buckets moves: keeps a running snapshot out. */
void raski_timer_snapshot_lock(raski_timer_queue *queue, bool lock);
/* Before a bucket changes. */
static inline void timer_before_change(raski_timer_queue *queue, timer_bucket *bucket) {
    if (__builtin_expect(queue->snapshot != NULL, 0) &&
        atomic_load_explicit(&bucket->epoch, memory_order_acquire) != queue->epoch)
        raski_timer_save_bucket(queue, bucket);
}

/* timer_rows.c: the arrays and the index of a bucket */
/* Room for one more row behind end; false without memory. */
bool raski_timer_bucket_reserve(raski_timer_queue *queue, timer_bucket *bucket);
/* The position of a row, or UINT32_MAX. Builds the index if the bucket needs one; without memory
 * for it, searches. */
uint32_t raski_timer_bucket_find_indexed(raski_timer_queue *queue, timer_bucket *bucket,
                                         const char *row);
/* Gives the memory of a bucket back. */
void raski_timer_bucket_release(raski_timer_queue *queue, timer_bucket *bucket);
void raski_timer_slabs_free(raski_timer_queue *queue);

/* timer_heap.c: times */
/* The bucket of a time, or NULL. */
timer_bucket *raski_timer_find_bucket(raski_timer_queue *queue, int64_t time_ms);
/* The same where it is that of the access before, as it mostly is; else NULL. */
static inline timer_bucket *timer_last_bucket(const raski_timer_queue *queue, int64_t time_ms) {
    if (queue->last_bucket == NO_BUCKET) return NULL;
    timer_bucket *bucket = &queue->buckets[queue->last_bucket];
    return bucket->time_ms == time_ms ? bucket : NULL;
}
/* The bucket of a time, made if there is none; NULL without memory. */
timer_bucket *raski_timer_make_bucket(raski_timer_queue *queue, int64_t time_ms);
/* A bucket lost its last timer. */
void raski_timer_bucket_emptied(raski_timer_queue *queue, const timer_bucket *bucket);
#endif
