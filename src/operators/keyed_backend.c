#include "operators/keyed_backend.h"

bool raski_keyed_backend_has_store(const raski_operator *op) {
    return !op->one_key && !op->def->final_results &&
           raski_state_backend_has_store(op->env->configuration);
}

rask_status raski_keyed_backend_apply(const raski_operator *op, raski_memory_limit *limit,
                                      raski_keyed_table_options *table, raski_error *err) {
    const raski_state_backend_options options = {
        .configuration = op->env->configuration,
        .in_memory = op->one_key || op->def->final_results,
        .name = op->runtime.operator_name,
        .parallelism = op->runtime.parallelism,
        .max_parallelism = op->runtime.max_parallelism,
    };
    return raski_state_backend_apply(&options, limit, table, err);
}
