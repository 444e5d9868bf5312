/* executor.h - what runs actors: one thread, its clock, timers and delivery.
 * Two of them behind one interface:
 * - the loop: libuv on a thread of its own, messages through a lock-free queue, real time;
 * - the simulation: no thread at all. The caller steps it; time is virtual and jumps to the next
 *   event; delays, order and loss are drawn from a seed, within what each message type allows. The
 *   same seed gives the same run.
 *
 * Life: create -> (open actors) -> start -> stop -> (close actors) -> destroy. Before start and
 * after stop the caller's thread counts as the executor's.
 * stop is in two steps inside: posts are refused first, then what was accepted is run or cancelled.
 * Flink: the RpcService's executor; simulation: ManuallyTriggeredScheduledExecutorService.
 * Threads: create, start, stop, destroy by one owner. */
#ifndef RASKI_ACTOR_EXECUTOR_H
#define RASKI_ACTOR_EXECUTOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actor/message.h"
#include "base/status.h"

/* ---- the loop -------------------------------------------------------------------------------- */

/* An executor on libuv. Errors: no file descriptors left. */
RASKI_NODISCARD rask_status raski_executor_create_loop(raski_executor **ret_executor,
                                                       raski_error *err);

/* ---- the simulation -------------------------------------------------------------------------- */

typedef struct raski_simulation_options {
    uint64_t seed;
    int64_t delay_max_ms; /* a message takes 0 to so long; 0: none, order as sent */
    double loss;          /* 0 to 1: how many of the LOSSY messages are lost */
} raski_simulation_options;

raski_executor *raski_executor_create_simulation(const raski_simulation_options *options);
/* Runs the next event and moves the clock to it. false: nothing is left to run.
 * Only for a simulation that is started. */
bool raski_simulation_step(raski_executor *executor);
/* A number below bound (> 0) from the simulation's seed. */
uint64_t raski_simulation_random(raski_executor *executor, uint64_t bound);

/* ---- both ------------------------------------------------------------------------------------ */

/* Starts running messages. Errors: no thread could be made. */
RASKI_NODISCARD rask_status raski_executor_start(raski_executor *executor, raski_error *err);
/* Refuses posts, runs what was accepted before, cancels all timers, ends the thread. Blocks until
 * then. Idempotent. Nobody may be inside raski_post for this executor when stop returns. */
void raski_executor_stop(raski_executor *executor);
/* Stops, cancels what is left. All actors must be closed. NULL is fine. */
void raski_executor_destroy(raski_executor *executor_take);

bool raski_executor_is_simulation(const raski_executor *executor);
int64_t raski_executor_now_ms(const raski_executor *executor);

/* What is there now; only on the executor's thread. For tests of "nothing is left". */
typedef struct raski_executor_census {
    size_t actors, timers, messages; /* messages: accepted and not run yet */
    uint64_t delivered, cancelled;   /* since create */
} raski_executor_census;
raski_executor_census raski_executor_count(const raski_executor *executor);
#endif
