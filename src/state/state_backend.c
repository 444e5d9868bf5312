#include "state/state_backend.h"

#include <string.h>

#include "base/alloc.h"
#include "state/rocksdb_store.h"

enum {
    /* Of what a subtask may use: rows, what is read from files, what is not in files yet. */
    ROWS_SHARE = 2,
    BUFFERS = 2,
    MEMORY_DEFAULT = 512 * 1024 * 1024, /* bytes of managed memory: what a Flink worker has */
    MEMORY_MIN = 1024 * 1024,           /* per subtask */
};

bool raski_state_backend_has_store(const raski_configuration *configuration) {
    return raski_configuration_get_choice(configuration, RASKI_OPTION_STATE_BACKEND_TYPE) ==
           RASKI_STATE_BACKEND_ROCKSDB;
}

/* Bytes for the store and the rows of one subtask. Flink: RocksDBMemoryConfiguration. */
static size_t memory_of_subtask(const raski_state_backend_options *options) {
    const raski_configuration *cfg = options->configuration;
    int64_t bytes = 0;
    if (raski_configuration_is_set(cfg, RASKI_OPTION_STATE_BACKEND_ROCKSDB_MEMORY_FIXED_PER_SLOT)) {
        bytes = raski_configuration_get_memory(
            cfg, RASKI_OPTION_STATE_BACKEND_ROCKSDB_MEMORY_FIXED_PER_SLOT);
    } else {
        bytes = MEMORY_DEFAULT;
        if (raski_configuration_is_set(cfg, RASKI_OPTION_TASKMANAGER_MEMORY_MANAGED_SIZE))
            bytes =
                raski_configuration_get_memory(cfg, RASKI_OPTION_TASKMANAGER_MEMORY_MANAGED_SIZE);
        else if (raski_configuration_is_set(cfg, RASKI_OPTION_TASKMANAGER_MEMORY_FLINK_SIZE))
            bytes = (int64_t)((double)raski_configuration_get_memory(
                                  cfg, RASKI_OPTION_TASKMANAGER_MEMORY_FLINK_SIZE) *
                              raski_configuration_get_double(
                                  cfg, RASKI_OPTION_TASKMANAGER_MEMORY_MANAGED_FRACTION));
        bytes /= options->parallelism;
    }
    return bytes < MEMORY_MIN ? (size_t)MEMORY_MIN : (size_t)bytes;
}

/* The first directory of a list, for the caller to free. */
static char *store_directory(const raski_configuration *cfg) {
    const char *text =
        raski_configuration_get_text(cfg, RASKI_OPTION_STATE_BACKEND_ROCKSDB_LOCALDIR);
    if (text == NULL) return raski_configuration_temporary_directory(cfg);
    return raski_strndup(text, strcspn(text, ",|:"));
}

static rask_status make_store(const raski_state_backend_options *options,
                              raski_keyed_table_options *table, raski_error *err) {
    const raski_configuration *cfg = options->configuration;
    size_t memory = memory_of_subtask(options), store_memory = memory - memory / ROWS_SHARE;
    double ratio = raski_configuration_get_double(
        cfg, RASKI_OPTION_STATE_BACKEND_ROCKSDB_MEMORY_WRITE_BUFFER_RATIO);
    raski_rocksdb_options store = {
        .name = options->name,
        .write_buffer_bytes = (size_t)((double)store_memory * ratio) / BUFFERS,
        .block_cache_bytes = (size_t)((double)store_memory * (1 - ratio)),
        .threads = raski_configuration_get_int(cfg, RASKI_OPTION_STATE_BACKEND_ROCKSDB_THREAD_NUM),
    };
    if (raski_configuration_is_set(cfg, RASKI_OPTION_STATE_BACKEND_ROCKSDB_WRITEBUFFER_SIZE))
        store.write_buffer_bytes = (size_t)raski_configuration_get_memory(
            cfg, RASKI_OPTION_STATE_BACKEND_ROCKSDB_WRITEBUFFER_SIZE);
    if (raski_configuration_is_set(cfg, RASKI_OPTION_STATE_BACKEND_ROCKSDB_BLOCK_CACHE_SIZE))
        store.block_cache_bytes = (size_t)raski_configuration_get_memory(
            cfg, RASKI_OPTION_STATE_BACKEND_ROCKSDB_BLOCK_CACHE_SIZE);
    char *directory = store_directory(cfg);
    store.directory = directory;
    rask_status status = raski_rocksdb_store_create(&store, &table->store, err);
    raski_free(directory);
    table->cache_bytes = memory / ROWS_SHARE;
    return status;
}

rask_status raski_state_backend_apply(const raski_state_backend_options *options,
                                      raski_memory_limit *limit, raski_keyed_table_options *table,
                                      raski_error *err) {
    table->name = options->name;
    table->max_parallelism = (uint32_t)options->max_parallelism;
    raski_memory_limit_configure(limit, options->configuration);
    table->limit = limit;
    if (options->in_memory) return RASK_OK;
    switch (
        raski_configuration_get_choice(options->configuration, RASKI_OPTION_STATE_BACKEND_TYPE)) {
        case RASKI_STATE_BACKEND_ROCKSDB:
            return make_store(options, table, err);
        case RASKI_STATE_BACKEND_FORST:
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                              "state.backend.type: Rask has no forst; use hashmap or rocksdb");
        default:
            return RASK_OK;
    }
}
