/* Times of a timer queue: the map that finds a time's bucket, and the heap that orders them. */
#include <string.h>

#include "state/timer_queue_private.h"

enum { EMPTY_BUCKETS_MIN = 64 };

/* ---------------------------------------------------------------- map */
static size_t map_mask(const raski_timer_queue *queue) {
    return (UINT64_C(1) << queue->map_bits) - 1;
}
static size_t map_home(const raski_timer_queue *queue, int64_t time_ms) {
    return timer_hash((uint64_t)time_ms) & map_mask(queue);
}

/* The slot of a time, or the empty one where it would be. */
static size_t map_slot(const raski_timer_queue *queue, int64_t time_ms) {
    size_t at = map_home(queue, time_ms);
    while (queue->map[at].bucket != NO_BUCKET && queue->map[at].time_ms != time_ms)
        at = (at + 1) & map_mask(queue);
    return at;
}

static bool map_reserve(raski_timer_queue *queue) {
    if (queue->map && queue->map_count < UINT64_C(1) << (queue->map_bits - 1)) return true;
    uint32_t bits = queue->map ? queue->map_bits + 1 : MAP_BITS_MIN;
    size_t slots = UINT64_C(1) << bits;
    timer_map_slot *map = raski_try_alloc(slots * sizeof *map, 64);
    if (!map) return false;
    for (size_t i = 0; i < slots; i++) map[i] = (timer_map_slot){.bucket = NO_BUCKET};
    timer_map_slot *old = queue->map;
    size_t old_slots = old ? UINT64_C(1) << queue->map_bits : 0;
    queue->map = map;
    queue->map_bits = bits;
    for (size_t i = 0; i < old_slots; i++)
        if (old[i].bucket != NO_BUCKET) map[map_slot(queue, old[i].time_ms)] = old[i];
    queue->bytes += (slots - old_slots) * sizeof *map;
    raski_free(old);
    return true;
}

/* Takes a time out and moves the ones behind it that were kept from their place by it. */
static void map_remove(raski_timer_queue *queue, int64_t time_ms) {
    size_t mask = map_mask(queue), hole = map_slot(queue, time_ms);
    for (size_t at = (hole + 1) & mask; queue->map[at].bucket != NO_BUCKET; at = (at + 1) & mask) {
        size_t home = map_home(queue, queue->map[at].time_ms);
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        queue->map[hole] = queue->map[at];
        hole = at;
    }
    queue->map[hole].bucket = NO_BUCKET;
    queue->map_count--;
}

/* ---------------------------------------------------------------- heap */
static void sift_up(timer_heap_item *heap, uint32_t at, timer_heap_item item) {
    while (at > 0) {
        uint32_t parent = (at - 1) / HEAP_ARITY;
        if (heap[parent].time_ms <= item.time_ms) break;
        heap[at] = heap[parent];
        at = parent;
    }
    heap[at] = item;
}

static void sift_down(timer_heap_item *heap, uint32_t count, uint32_t at, timer_heap_item item) {
    for (;;) {
        uint32_t first = at * HEAP_ARITY + 1;
        if (first >= count) break;
        uint32_t last = first + HEAP_ARITY < count ? first + HEAP_ARITY : count, least = first;
        for (uint32_t child = first + 1; child < last; child++)
            if (heap[child].time_ms < heap[least].time_ms) least = child;
        if (heap[least].time_ms >= item.time_ms) break;
        heap[at] = heap[least];
        at = least;
    }
    heap[at] = item;
}

static bool heap_reserve(raski_timer_queue *queue) {
    if (queue->heap_count < queue->heap_capacity) return true;
    uint32_t capacity = queue->heap_capacity ? queue->heap_capacity * 2 : 64;
    if (capacity > UINT32_MAX / HEAP_ARITY / 2) return false;
    timer_heap_item *heap = raski_try_alloc(capacity * sizeof *heap, 64);
    if (!heap) return false;
    if (queue->heap_count) memcpy(heap, queue->heap, queue->heap_count * sizeof *heap);
    raski_free(queue->heap);
    queue->heap = heap;
    queue->bytes += (capacity - queue->heap_capacity) * sizeof *heap;
    queue->heap_capacity = capacity;
    return true;
}

/* ---------------------------------------------------------------- buckets */
static bool bucket_reserve(raski_timer_queue *queue) {
    if (queue->free_bucket != NO_BUCKET || queue->bucket_end < queue->bucket_capacity) return true;
    uint32_t capacity = queue->bucket_capacity ? queue->bucket_capacity * 2 : 64;
    if (capacity > UINT32_MAX / 2) return false;
    timer_bucket *buckets = raski_try_alloc(capacity * sizeof *buckets, 64);
    if (!buckets) return false;
    raski_timer_snapshot_lock(queue, true);
    if (queue->bucket_end)
        memcpy((void *)buckets, (const void *)queue->buckets, queue->bucket_end * sizeof *buckets);
    raski_free(queue->buckets);
    queue->buckets = buckets;
    raski_timer_snapshot_lock(queue, false);
    queue->bytes += (capacity - queue->bucket_capacity) * sizeof *buckets;
    queue->bucket_capacity = capacity;
    return true;
}

/* A bucket that is no longer in the heap. */
static void free_bucket(raski_timer_queue *queue, uint32_t number) {
    timer_bucket *bucket = &queue->buckets[number];
    timer_before_change(queue, bucket);
    map_remove(queue, bucket->time_ms);
    raski_timer_bucket_release(queue, bucket);
    bucket->next_free = queue->free_bucket;
    queue->free_bucket = number;
    if (queue->last_bucket == number) queue->last_bucket = NO_BUCKET;
}

timer_bucket *raski_timer_find_bucket(raski_timer_queue *queue, int64_t time_ms) {
    timer_bucket *last = timer_last_bucket(queue, time_ms);
    if (last) return last;
    if (!queue->map) return NULL;
    uint32_t number = queue->map[map_slot(queue, time_ms)].bucket;
    if (number == NO_BUCKET) return NULL;
    queue->last_bucket = number;
    return &queue->buckets[number];
}

timer_bucket *raski_timer_make_bucket(raski_timer_queue *queue, int64_t time_ms) {
    timer_bucket *bucket = raski_timer_find_bucket(queue, time_ms);
    if (bucket) return bucket;
    if (!map_reserve(queue) || !heap_reserve(queue) || !bucket_reserve(queue)) return NULL;
    uint32_t number = queue->free_bucket;
    if (number != NO_BUCKET) {
        bucket = &queue->buckets[number];
        timer_before_change(queue, bucket);
        queue->free_bucket = bucket->next_free;
        bucket->time_ms = time_ms;
        bucket->next_free = NO_BUCKET; /* all else is as raski_timer_bucket_release left it */
    } else {
        number = queue->bucket_end++;
        bucket = &queue->buckets[number];
        *bucket = (timer_bucket){.time_ms = time_ms, .next_free = NO_BUCKET};
        atomic_init(&bucket->epoch, queue->epoch);
    }
    queue->map[map_slot(queue, time_ms)] = (timer_map_slot){time_ms, number};
    queue->map_count++;
    sift_up(queue->heap, queue->heap_count++, (timer_heap_item){time_ms, number});
    queue->empty_buckets++;
    queue->last_bucket = number;
    return bucket;
}

/* Removes the top. */
static void heap_pop(raski_timer_queue *queue) {
    timer_heap_item last = queue->heap[--queue->heap_count];
    if (queue->heap_count) sift_down(queue->heap, queue->heap_count, 0, last);
}

static void sweep_empty_buckets(raski_timer_queue *queue) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->heap_count; i++) {
        timer_heap_item item = queue->heap[i];
        if (queue->buckets[item.bucket].live)
            queue->heap[kept++] = item;
        else
            free_bucket(queue, item.bucket);
    }
    queue->heap_count = kept;
    queue->empty_buckets = 0;
    if (kept < 2) return;
    for (uint32_t i = (kept - 2) / HEAP_ARITY + 1; i-- > 0;)
        sift_down(queue->heap, kept, i, queue->heap[i]);
}

void raski_timer_bucket_emptied(raski_timer_queue *queue, const timer_bucket *bucket) {
    RASKI_DCHECK(bucket->live == 0);
    (void)bucket;
    queue->empty_buckets++;
    while (queue->heap_count && queue->buckets[queue->heap[0].bucket].live == 0) {
        uint32_t number = queue->heap[0].bucket;
        heap_pop(queue);
        free_bucket(queue, number);
        queue->empty_buckets--;
    }
    if (queue->empty_buckets > EMPTY_BUCKETS_MIN && queue->empty_buckets > queue->heap_count / 2)
        sweep_empty_buckets(queue);
}
