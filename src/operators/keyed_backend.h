/* keyed_backend.h - the state backend of an operator's tables. Threads: the task's. */
#ifndef RASKI_OPERATORS_KEYED_BACKEND_H
#define RASKI_OPERATORS_KEYED_BACKEND_H
#include "operators/operator.h"
#include "state/state_backend.h"

/* Fills in what of a table's options the configuration decides: see raski_state_backend_apply. Call
 * it right before raski_keyed_table_create; limit outlives the table. With sorted inputs state is
 * that of one key, and stays in memory (Flink: BatchExecutionStateBackend). */
RASKI_NODISCARD rask_status raski_keyed_backend_apply(const raski_operator *op,
                                                      raski_memory_limit *limit,
                                                      raski_keyed_table_options *table,
                                                      raski_error *err);
/* Whether the operator's state will live in a store. */
bool raski_keyed_backend_has_store(const raski_operator *op);
#endif
