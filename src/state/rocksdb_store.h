/* rocksdb_store.h - a state store on RocksDB, in a directory of its own that is deleted with it.
 * There is no write-ahead log: what makes state durable are checkpoints.
 * Threads: one owner; RocksDB's own threads flush and compact.
 * Flink: EmbeddedRocksDBStateBackend, RocksDBOptions, RocksDBConfigurableOptions. */
#ifndef RASKI_STATE_ROCKSDB_STORE_H
#define RASKI_STATE_ROCKSDB_STORE_H
#include "state/state_store.h"

typedef struct raski_rocksdb_options {
    const char *directory;     /* a new one is made in it; it is made itself if it is absent */
    const char *name;          /* of the operator, for messages; copied */
    size_t block_cache_bytes;  /* of what is read from files */
    size_t write_buffer_bytes; /* of what is not in files yet, each of two */
    int threads;               /* that flush and compact; at least 1 */
} raski_rocksdb_options;

/* An empty store. NOT_FOUND: no librocksdb; IO: the directory, with the reason. */
RASKI_NODISCARD rask_status raski_rocksdb_store_create(const raski_rocksdb_options *options,
                                                       raski_state_store **ret_store,
                                                       raski_error *err);
#endif
