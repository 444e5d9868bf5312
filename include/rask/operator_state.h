/* rask/operator_state.h - state that belongs to no key: lists that a function keeps in each
 * subtask.
 *
 *   typedef struct {
 *       rask_list_state(offset) offsets;
 *       int64_t seen;
 *   } reader;
 *   RASK_INSTANCE(reader);
 *   RASK_RICH_MAP(read, reader, self, ...) { ... self->seen++; ... }
 *   RASK_OPERATOR_LIST(read, (offsets, offset));
 *   RASK_SNAPSHOT(read, self) {
 *       return rask_list_replace(self->offsets, ...), RASK_OK;
 *   }
 *
 * All of rask_list_items, rask_list_add ... (rask/state.h) may be used with such a field, in the
 * body and in all hooks but RASK_CLOSE. What was restored is there in RASK_OPEN already. Functions
 * without keyed state say RASK_INSTANCE, others list their keyed states in RASK_STATE as ever; a
 * field is in one of these lists only.
 *
 * After a change of parallelism the items of a RASK_OPERATOR_LIST are spread over the new subtasks
 * as evenly as possible, those of a RASK_UNION_LIST come to each of them, of all old subtasks.
 *
 * Threads: the task's. Flink: CheckpointedFunction, OperatorStateStore.getListState,
 * getUnionListState. */
#ifndef RASK_OPERATOR_STATE_H
#define RASK_OPERATOR_STATE_H
#include "rask/function.h"
#include "rask/state.h"

#ifndef __cplusplus
#define RASKI_OPERATOR_STATE(fn, hook, ...) \
    RASKI_EACH(RASKI_STATE_CHECK, raski_self_##fn, __VA_ARGS__) \
    static const raski_state_field raski_##hook##_fields_##fn[] = { \
        RASKI_EACH(RASKI_STATE, raski_self_##fn, __VA_ARGS__)}; \
    static const raski_states raski_##hook##_states_##fn = { \
        #fn, sizeof(raski_self_##fn), raski_##hook##_fields_##fn, RASKI_COUNT(__VA_ARGS__)}; \
    static const raski_hook raski_##hook##_##fn = {.states = &raski_##hook##_states_##fn}; \
    struct raski_semicolon
/* Behind the body: the rask_list_state fields of its instance that are operator state. Types that C
 * cannot tell are written beside the name, as in RASK_STATE: (field, T). */
#define RASK_OPERATOR_LIST(fn, ...) RASKI_OPERATOR_STATE(fn, operator_list, __VA_ARGS__)
#define RASK_UNION_LIST(fn, ...) RASKI_OPERATOR_STATE(fn, union_list, __VA_ARGS__)
/* RASK_SNAPSHOT(fn, self): a snapshot of the state is about to be made: what the instance keeps in
 * plain fields goes into its lists now. Return RASK_OK or rask_fail(...). There is no current key.
 * Flink: CheckpointedFunction.snapshotState. */
#define RASK_SNAPSHOT(fn, self_p) RASKI_DEFINE_HOOK(fn, snapshot, self_p)
#endif /* !__cplusplus */
#endif
