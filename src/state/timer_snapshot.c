#include "state/timer_snapshot.h"

#include "state/timer_queue_private.h"

void raski_timer_snapshot_begin(raski_timer_snapshot *snapshot, raski_timer_queue *queue,
                                raski_mutex *lock) {
    RASKI_ASSERT(!queue->snapshot);
    *snapshot = (raski_timer_snapshot){.rows_lock = lock, .bucket_end = queue->bucket_end};
    queue->epoch++;
    queue->snapshot = snapshot;
}

/* A copy of what a bucket has; NULL when it has nothing, or without memory (*ret_failed). */
static raski_saved_timers *copy_bucket(const timer_bucket *bucket, bool *ret_failed) {
    if (bucket->live == 0) return NULL;
    raski_saved_timers *copy =
        raski_try_alloc(sizeof *copy + bucket->live * sizeof copy->rows[0], 0);
    if (!copy) {
        *ret_failed = true;
        return NULL;
    }
    copy->next = NULL;
    copy->time_ms = bucket->time_ms;
    copy->count = 0;
    for (uint32_t i = bucket->head; i < bucket->end; i++)
        if (bucket->rows[i]) copy->rows[copy->count++] = bucket->rows[i];
    return copy;
}

static bool is_taken(const raski_timer_queue *queue, timer_bucket *bucket) {
    return atomic_load_explicit(&bucket->epoch, memory_order_acquire) == queue->epoch;
}
static void mark_taken(const raski_timer_queue *queue, timer_bucket *bucket) {
    atomic_store_explicit(&bucket->epoch, queue->epoch, memory_order_release);
}

void raski_timer_save_bucket(raski_timer_queue *queue, timer_bucket *bucket) {
    raski_timer_snapshot *snapshot = queue->snapshot;
    raski_mutex_lock(snapshot->rows_lock);
    if (!is_taken(queue, bucket)) {
        raski_saved_timers *copy = copy_bucket(bucket, &snapshot->failed);
        if (copy) {
            copy->next = snapshot->saved;
            snapshot->saved = copy;
        }
        mark_taken(queue, bucket);
    }
    raski_mutex_unlock(snapshot->rows_lock);
}

void raski_timer_snapshot_lock(raski_timer_queue *queue, bool lock) {
    if (!queue->snapshot) return;
    if (lock)
        raski_mutex_lock(queue->snapshot->rows_lock);
    else
        raski_mutex_unlock(queue->snapshot->rows_lock);
}

rask_status raski_timer_snapshot_next(raski_timer_snapshot *snapshot, raski_timer_queue *queue,
                                      raski_saved_timers **ret_timers, raski_error *err) {
    raski_saved_timers *timers = NULL;
    raski_mutex_lock(snapshot->rows_lock);
    while (!timers && !snapshot->failed && snapshot->next_bucket < snapshot->bucket_end) {
        timer_bucket *bucket = &queue->buckets[snapshot->next_bucket++];
        if (is_taken(queue, bucket)) continue;
        timers = copy_bucket(bucket, &snapshot->failed);
        mark_taken(queue, bucket);
    }
    if (!timers && snapshot->saved) {
        timers = snapshot->saved;
        snapshot->saved = timers->next;
    }
    bool failed = snapshot->failed;
    raski_mutex_unlock(snapshot->rows_lock);
    if (failed) {
        raski_free(timers);
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a snapshot of timers");
    }
    *ret_timers = timers;
    return RASK_OK;
}

void raski_timer_snapshot_end(raski_timer_snapshot *snapshot, raski_timer_queue *queue) {
    queue->snapshot = NULL;
    for (raski_saved_timers *timers = snapshot->saved, *next = NULL; timers; timers = next) {
        next = timers->next;
        raski_free(timers);
    }
    snapshot->saved = NULL;
}
