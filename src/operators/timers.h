/* timers.h - the timers of a keyed operator in both time domains. A timer is a time and a row of
 * the operator's keyed table, which is the key with its namespace; see state/timer_queue.h. Flink:
 * InternalTimerService, InternalTimeServiceManager. Threads: the task's. */
#ifndef RASKI_OPERATORS_TIMERS_H
#define RASKI_OPERATORS_TIMERS_H
#include "operators/operator.h"
#include "state/keyed_table.h"
#include "state/timer_queue.h"

enum { RASKI_TIMERS_BLOCK = RASKI_LOOKUP_MAX }; /* timers of one call */

typedef struct raski_operator_timers raski_operator_timers;

/* n <= RASKI_TIMERS_BLOCK timers of one time fire; rows: of their keys. It may register and delete
 * timers. Failures go to raski_operator_fail. */
typedef void raski_timers_fire(raski_operator *op, rask_timer timer, char **rows, size_t n);

/* op and table outlive it; the table allows timers. Never NULL. */
raski_operator_timers *raski_operator_timers_create(raski_operator *op, raski_keyed_table *table,
                                                    raski_timers_fire *fire);
void raski_operator_timers_destroy(raski_operator_timers *timers_take);

/* Of a row's key and namespace; at the end of keys (op->ending_keys) new ones are ignored. A
 * failure (memory) fails the operator. */
void raski_operator_timers_register(raski_operator_timers *timers, int64_t time_ms, bool processing,
                                    char *row);
void raski_operator_timers_delete(raski_operator_timers *timers, int64_t time_ms, bool processing,
                                  const char *row);

/* Fires event-time timers up to the watermark, in the order of time, also those that are registered
 * meanwhile. Does not hand the watermark on. */
void raski_operator_timers_advance_watermark(raski_operator_timers *timers, int64_t watermark);
/* The same for processing time; asks to be called again for the next one. */
void raski_operator_timers_advance_processing_time(raski_operator_timers *timers, int64_t now_ms);

size_t raski_operator_timers_count(const raski_operator_timers *timers, bool processing);
/* The queues, for snapshots; after a restore call _restored. */
raski_timer_queue *raski_operator_timers_queue(raski_operator_timers *timers, bool processing);
void raski_operator_timers_restored(raski_operator_timers *timers);
#endif
