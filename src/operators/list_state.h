/* list_state.h - the operator lists of one subtask: state of a function that belongs to no key
 * (rask/operator_state.h). Threads: the task's. Flink: CheckpointedFunction. */
#ifndef RASKI_OPERATORS_LIST_STATE_H
#define RASKI_OPERATORS_LIST_STATE_H
#include "operators/keyed_scope.h"
#include "operators/operator.h"
#include "state/operator_state.h"

typedef struct raski_list_state raski_list_state;

/* The lists of the operator's function, empty, and its handles to them; NULL: it has none.
 * RASK_E_ARGUMENT, RASK_E_NOMEM. */
RASKI_NODISCARD rask_status raski_list_state_create(raski_operator *op,
                                                    raski_list_state **ret_state, raski_error *err);
void raski_list_state_destroy(raski_list_state *state_take_or_null);
/* A batch was handed on: frees what was replaced. */
void raski_list_state_end_batch(raski_list_state *state_or_null);
/* For snapshots; borrowed. */
raski_operator_states *raski_list_state_states(raski_list_state *state);
#endif
