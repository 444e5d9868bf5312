/* state_backend.h - where a table's rows live, as the configuration says: in memory, up to the
 * limit of the process, or on RocksDB. Threads: any. Flink: StateBackendLoader,
 * StateBackendOptions, RocksDBOptions. */
#ifndef RASKI_STATE_STATE_BACKEND_H
#define RASKI_STATE_STATE_BACKEND_H
#include "config/configuration.h"
#include "state/keyed_table.h"
#include "state/memory_limit.h"

/* Whether keyed state lives in a store (and rows are only a cache). */
bool raski_state_backend_has_store(const raski_configuration *configuration);

typedef struct raski_state_backend_options {
    const raski_configuration *configuration; /* borrowed for the call */
    bool in_memory;                           /* whatever the configuration says */
    const char *name;                         /* of the operator; borrowed by the table */
    int parallelism;                          /* subtasks that share the memory */
    int max_parallelism;
} raski_state_backend_options;

/* Fills in what of a table's options the backend decides: name, limit (which must outlive the
 * table), max_parallelism, store and cache_bytes. A store that was made belongs to
 * raski_keyed_table_create. Errors: no librocksdb, a directory that cannot be used, a backend that
 * there is not. */
RASKI_NODISCARD rask_status raski_state_backend_apply(const raski_state_backend_options *options,
                                                      raski_memory_limit *limit,
                                                      raski_keyed_table_options *table,
                                                      raski_error *err);
#endif
