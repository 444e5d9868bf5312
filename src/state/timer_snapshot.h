/* timer_snapshot.h - the timers of a queue as they were when a snapshot began, while the task goes
 * on. A bucket that is about to change for the first time since is copied for the snapshot.
 * Private to snapshots. Threads: begin and end on the queue's thread, next on any one. */
#ifndef RASKI_STATE_TIMER_SNAPSHOT_H
#define RASKI_STATE_TIMER_SNAPSHOT_H
#include "platform/thread.h"
#include "state/timer_queue.h"

/* Timers of one time. */
typedef struct raski_saved_timers {
    struct raski_saved_timers *next;
    int64_t time_ms;
    uint32_t count;
    char *rows[];
} raski_saved_timers;

typedef struct raski_timer_snapshot {
    raski_mutex *rows_lock; /* borrowed; guards what follows and buckets that were not copied yet */
    uint32_t bucket_end;    /* buckets from here on are newer */
    uint32_t next_bucket;
    raski_saved_timers *saved;
    bool failed; /* a copy could not be made */
} raski_timer_snapshot;

/* Constant time. The snapshot must stay where it is until the end. */
void raski_timer_snapshot_begin(raski_timer_snapshot *snapshot, raski_timer_queue *queue,
                                raski_mutex *lock);
/* Timers that were not given yet, for the caller to free with raski_free; *ret_timers is NULL at
 * the end. RASK_E_NOMEM. */
RASKI_NODISCARD rask_status raski_timer_snapshot_next(raski_timer_snapshot *snapshot,
                                                      raski_timer_queue *queue,
                                                      raski_saved_timers **ret_timers,
                                                      raski_error *err);
void raski_timer_snapshot_end(raski_timer_snapshot *snapshot, raski_timer_queue *queue);
#endif
