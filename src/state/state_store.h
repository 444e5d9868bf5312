/* state_store.h - where rows go that do not fit into a table's memory: keys and values as bytes, in
 * the order of the keys' bytes. The table above serialises, caches and decides when to write
 * (keyed_table_cache.c); a store only keeps. The one there is lies on RocksDB (rocksdb_store.h).
 * Threads: one owner (the table's); snapshots may be read by another thread. */
#ifndef RASKI_STATE_STATE_STORE_H
#define RASKI_STATE_STATE_STORE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct raski_state_store raski_state_store;
typedef struct raski_store_iterator raski_store_iterator;

typedef struct raski_store_bytes {
    const void *bytes; /* NULL: absent */
    size_t size;
} raski_store_bytes;

/* What a kind of store implements; errors name the directory. */
typedef struct raski_state_store_ops {
    /* Values of n keys (at most RASKI_LOOKUP_MAX); they are good until the next call. */
    rask_status (*get)(raski_state_store *store, const raski_store_bytes *keys, size_t n,
                       raski_store_bytes *ret_values, raski_error *err);
    /* Adds to the batch that commit writes. */
    void (*put)(raski_state_store *store, raski_store_bytes key, raski_store_bytes value);
    void (*remove)(raski_state_store *store, raski_store_bytes key);
    /* Writes what was added, all or nothing. On failure it is still there, for another try. */
    rask_status (*commit)(raski_state_store *store, raski_error *err);
    /* All entries as they are now, also while more is written. */
    rask_status (*iterate)(raski_state_store *store, raski_store_iterator **ret_iterator,
                           raski_error *err);
    /* The next call of next gives the first entry whose key is not less than this one. */
    void (*seek)(raski_store_iterator *iterator, raski_store_bytes key);
    /* The next entry; good until the next call. *ret_key is absent at the end. */
    rask_status (*next)(raski_store_iterator *iterator, raski_store_bytes *ret_key,
                        raski_store_bytes *ret_value, raski_error *err);
    void (*end)(raski_store_iterator *iterator_take);
    /* Forgets all entries, and deletes its files. */
    void (*destroy)(raski_state_store *store_take);
} raski_state_store_ops;

struct raski_state_store {
    const raski_state_store_ops *ops;
};

static inline void raski_state_store_destroy(raski_state_store *store_take_or_null) {
    if (store_take_or_null) store_take_or_null->ops->destroy(store_take_or_null);
}
#endif
