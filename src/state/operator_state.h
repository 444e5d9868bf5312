/* operator_state.h - the states of one operator subtask that belong to no key: lists whose items
 * are spread over the subtasks or given to all of them when a job is restored, and broadcast state,
 * a map that all subtasks keep alike.
 *
 * They are list and map states of a keyed table with a single row, so all that can be done with
 * those can be done with them (raski_keyed_table_list_add, raski_keyed_table_map_put ..., with
 * raski_operator_states_table and _row), user handles for them are the same, and snapshots do not
 * wait for them. Operator state is always in memory, whatever the backend.
 * Flink: DefaultOperatorStateBackend, PartitionableListState, HeapBroadcastState.
 *
 * Threads: one owner (the task's thread). */
#ifndef RASKI_STATE_OPERATOR_STATE_H
#define RASKI_STATE_OPERATOR_STATE_H
#include "base/status.h"
#include "state/keyed_table.h"
#include "state/operator_state_assign.h"

typedef struct raski_operator_state_spec {
    const char *name; /* copied */
    raski_operator_state_mode mode;
    const rask_type *type;    /* of items, of a map's values; borrowed */
    const rask_type *map_key; /* BROADCAST; may be what a key may be; borrowed */
} raski_operator_state_spec;

typedef struct raski_operator_states raski_operator_states;

/* count (1..RASKI_STATES_MAX) empty states; limit (may be NULL) is borrowed, operator_name, for
 * messages, is copied. RASK_E_ARGUMENT: two of one name, a key that cannot be one; RASK_E_NOMEM. */
RASKI_NODISCARD rask_status raski_operator_states_create(const raski_operator_state_spec *specs,
                                                         size_t count, const char *operator_name,
                                                         raski_memory_limit *limit,
                                                         raski_operator_states **ret_states,
                                                         raski_error *err);
void raski_operator_states_destroy(raski_operator_states *states_take_or_null);

size_t raski_operator_states_count(const raski_operator_states *states);
const raski_operator_state_spec *raski_operator_states_spec(const raski_operator_states *states,
                                                            size_t state);
/* The table, whose state i is spec i, and its only row, which is always there. A batch ends as for
 * any table: adopt, end_batch; never sweep. The row stays where it is. */
raski_keyed_table *raski_operator_states_table(raski_operator_states *states);
char *raski_operator_states_row(raski_operator_states *states);
#endif
