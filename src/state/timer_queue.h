/* timer_queue.h - the timers of one operator subtask in one time domain (event time or processing
 * time). A timer is a time and a row of the operator's keyed table: the row stands for the key and
 * its namespace. Each pair is there at most once.
 *
 * Timers of one time share a bucket, an array of rows; a hash map finds the bucket of a time, and a
 * heap orders the times, not the timers: a thousand timers of one time cost the heap one step.
 * A bucket of more than a few rows gets an index of its own when somebody needs to know whether a
 * row is in it, so registering, deleting and asking take constant time at any size.
 *
 * Rows are pinned in their table while they have timers. Order: timers fire by time; those of one
 * time in the order in which they were registered. Flink: InternalTimerServiceImpl,
 * HeapPriorityQueueSet (where the order inside one time is not defined).
 *
 * Threads: one owner (the task's thread); for snapshots see timer_snapshot.h. */
#ifndef RASKI_STATE_TIMER_QUEUE_H
#define RASKI_STATE_TIMER_QUEUE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "state/keyed_table.h"

typedef struct raski_timer_queue raski_timer_queue;

/* An empty queue for rows of a table (borrowed for the queue's life; made with timers allowed).
 * NULL: rows are not pinned, the caller keeps them. Never NULL. */
raski_timer_queue *raski_timer_queue_create(raski_keyed_table *table_or_null);
/* Forgets all timers without unpinning their rows: the table goes as well. */
void raski_timer_queue_destroy(raski_timer_queue *queue_take_or_null);

/* Registers a timer; nothing happens when it is there already. Any time_ms, also one that has
 * passed. *ret_added (may be NULL) tells whether it is new. RASK_E_NOMEM: not registered. */
RASKI_NODISCARD rask_status raski_timer_queue_register(raski_timer_queue *queue, int64_t time_ms,
                                                       char *row, bool *ret_added,
                                                       raski_error *err);
/* The same for a timer of which the caller knows that it is not there (the first of a new row, for
 * instance): saves the search. */
RASKI_NODISCARD rask_status raski_timer_queue_register_new(raski_timer_queue *queue,
                                                           int64_t time_ms, char *row,
                                                           raski_error *err);
/* Registers, for each of n rows, a timer at times_ms[i]. Stops at the first that fails. */
RASKI_NODISCARD rask_status raski_timer_queue_register_all(raski_timer_queue *queue,
                                                           const int64_t *times_ms,
                                                           char *const *rows, size_t n,
                                                           raski_error *err);
/* Deletes a timer; false when there is none. */
bool raski_timer_queue_delete(raski_timer_queue *queue, int64_t time_ms, const char *row);
bool raski_timer_queue_is_registered(raski_timer_queue *queue, int64_t time_ms, const char *row);

size_t raski_timer_queue_count(const raski_timer_queue *queue); /* timers */
/* Bytes that the queue has allocated. */
size_t raski_timer_queue_bytes_used(const raski_timer_queue *queue);
/* The smallest time that has timers; false: there are none. */
bool raski_timer_queue_next_time(const raski_timer_queue *queue, int64_t *ret_time_ms);
/* Takes out up to rows_max timers of the smallest time, if that is at most until_ms: they are
 * registered no longer, and their rows, as good as those of a lookup (until the table is swept or
 * its batch ends), are unpinned: hand them to raski_keyed_table_sweep when they were used. Returns
 * their number (0: nothing is due) and gives their rows and time. Call it again until it returns 0:
 * timers that were registered meanwhile are taken as well, in the order of time. */
size_t raski_timer_queue_pop(raski_timer_queue *queue, int64_t until_ms, char **ret_rows,
                             size_t rows_max, int64_t *ret_time_ms);

/* Calls visit for each timer, in no order; the queue must not be changed meanwhile. false from
 * visit stops it. */
void raski_timer_queue_visit(const raski_timer_queue *queue,
                             bool (*visit)(void *context, int64_t time_ms, char *row),
                             void *context);
#endif
