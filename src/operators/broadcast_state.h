/* broadcast_state.h - the broadcast state of one operator subtask: maps that every subtask holds
 * whole, changed by the records of a broadcast input. The handles of rask/state.h work on it as on
 * keyed state (state/operator_state.h). Flink: BroadcastState, HeapBroadcastState.
 * Threads: the task's. */
#ifndef RASKI_OPERATORS_BROADCAST_STATE_H
#define RASKI_OPERATORS_BROADCAST_STATE_H
#include "operators/keyed_scope.h"
#include "state/operator_state.h"

typedef struct raski_broadcast_state raski_broadcast_state;

/* Of op's function, whose handles are bound. *ret_state is NULL when it has none. Errors: memory, a
 * state that cannot be. */
RASKI_NODISCARD rask_status raski_broadcast_state_create(raski_operator *op,
                                                         raski_broadcast_state **ret_state,
                                                         raski_error *err);
void raski_broadcast_state_destroy(raski_broadcast_state *state_take_or_null);
/* Whether the code that runs now may change it: that of the broadcast input. NULL does nothing. */
void raski_broadcast_state_allow_writes(raski_broadcast_state *state_or_null, bool allowed);
/* After the function has run over records of the broadcast input, and after what it emitted was
 * handed on. NULL does nothing. */
RASKI_NODISCARD rask_status raski_broadcast_state_adopt(raski_broadcast_state *state_or_null,
                                                        raski_error *err);
void raski_broadcast_state_end_batch(raski_broadcast_state *state_or_null);
/* For snapshots. */
raski_operator_states *raski_broadcast_state_states(raski_broadcast_state *state);
#endif
