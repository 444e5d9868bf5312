#include "state/rocksdb_store.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "platform/file.h"
#include "state/keyed_table.h"
#include "state/rocksdb_library.h"

enum {
    BLOOM_BITS = 10,
    FORMAT_VERSION = 5,
    LOG_FATAL = 4,
    INDEX_WITH_HASH = 1, /* kDataBlockBinaryAndHash */
    NO_COMPRESSION = 0,
    WRITE_BUFFERS = 2,
    OPEN_FILES_MAX = 512,
};
#define HASH_RATIO 0.75
#define BUFFER_BLOOM_RATIO 0.03 /* of its size */

typedef struct rocksdb_store {
    raski_state_store base;
    const raski_rocksdb_library *lib;
    char *directory, *name;
    rocksdb_t *db;
    rocksdb_column_family_handle_t *family;
    rocksdb_options_t *options;
    rocksdb_readoptions_t *read;
    rocksdb_writeoptions_t *write;
    rocksdb_cache_t *cache;
    rocksdb_writebatch_t *batch;
    rocksdb_pinnableslice_t *values[RASKI_LOOKUP_MAX]; /* of the last get */
    size_t value_count;
} rocksdb_store;

struct raski_store_iterator {
    rocksdb_store *store;
    const rocksdb_snapshot_t *snapshot;
    rocksdb_readoptions_t *read;
    rocksdb_iterator_t *iterator;
    bool begun;  /* it stands at an entry */
    bool placed; /* by seek, at the entry that next gives */
};

/* Takes RocksDB's text of an error, which names the file. */
static rask_status failed(rocksdb_store *store, const char *what, char *text_take,
                          raski_error *err) {
    rask_status status =
        RASKI_FAIL(err, strstr(text_take, "Corruption") ? RASK_E_CORRUPT : RASK_E_IO, EXTERNAL,
                   "cannot %s the state store of %s in %s: %s", what, store->name, store->directory,
                   text_take);
    store->lib->free(text_take);
    return status;
}

static void release_values(rocksdb_store *store) {
    for (size_t i = 0; i < store->value_count; i++)
        if (store->values[i]) store->lib->pinnableslice_destroy(store->values[i]);
    store->value_count = 0;
}

static rask_status get(raski_state_store *base, const raski_store_bytes *keys, size_t n,
                       raski_store_bytes *ret_values, raski_error *err) {
    rocksdb_store *store = (rocksdb_store *)base;
    const char *bytes[RASKI_LOOKUP_MAX];
    size_t sizes[RASKI_LOOKUP_MAX];
    char *errors[RASKI_LOOKUP_MAX];
    RASKI_DCHECK(n <= RASKI_LOOKUP_MAX);
    release_values(store);
    for (size_t i = 0; i < n; i++) {
        bytes[i] = keys[i].bytes;
        sizes[i] = keys[i].size;
    }
    store->lib->batched_multi_get_cf(store->db, store->read, store->family, n, bytes, sizes,
                                     store->values, errors, false);
    store->value_count = n;
    rask_status status = RASK_OK;
    for (size_t i = 0; i < n; i++) {
        if (errors[i]) {
            rask_status one = failed(store, "read from", errors[i], err);
            if (status == RASK_OK) status = one;
            continue;
        }
        ret_values[i] = (raski_store_bytes){0};
        if (store->values[i])
            ret_values[i].bytes =
                store->lib->pinnableslice_value(store->values[i], &ret_values[i].size);
    }
    return status;
}

static void put(raski_state_store *base, raski_store_bytes key, raski_store_bytes value) {
    rocksdb_store *store = (rocksdb_store *)base;
    store->lib->writebatch_put(store->batch, key.bytes, key.size, value.bytes, value.size);
}

static void remove_key(raski_state_store *base, raski_store_bytes key) {
    rocksdb_store *store = (rocksdb_store *)base;
    store->lib->writebatch_delete(store->batch, key.bytes, key.size);
}

static rask_status commit(raski_state_store *base, raski_error *err) {
    rocksdb_store *store = (rocksdb_store *)base;
    char *error = NULL;
    if (store->lib->writebatch_count(store->batch) == 0) return RASK_OK;
    store->lib->write(store->db, store->write, store->batch, &error);
    store->lib->writebatch_clear(store->batch);
    return error ? failed(store, "write to", error, err) : RASK_OK;
}

/* ---------------------------------------------------------------- all entries */
static rask_status iterate(raski_state_store *base, raski_store_iterator **ret_iterator,
                           raski_error *err) {
    (void)err;
    rocksdb_store *store = (rocksdb_store *)base;
    raski_store_iterator *iterator = RASKI_NEW(raski_store_iterator);
    iterator->store = store;
    iterator->snapshot = store->lib->create_snapshot(store->db);
    iterator->read = store->lib->readoptions_create();
    store->lib->readoptions_set_snapshot(iterator->read, iterator->snapshot);
    store->lib->readoptions_set_fill_cache(iterator->read, 0);
    iterator->iterator = store->lib->create_iterator_cf(store->db, iterator->read, store->family);
    *ret_iterator = iterator;
    return RASK_OK;
}

static void seek(raski_store_iterator *iterator, raski_store_bytes key) {
    iterator->store->lib->iter_seek(iterator->iterator, key.bytes, key.size);
    iterator->begun = iterator->placed = true;
}

static rask_status next(raski_store_iterator *iterator, raski_store_bytes *ret_key,
                        raski_store_bytes *ret_value, raski_error *err) {
    const raski_rocksdb_library *lib = iterator->store->lib;
    *ret_key = (raski_store_bytes){0};
    if (!iterator->begun)
        lib->iter_seek_to_first(iterator->iterator);
    else if (!iterator->placed && lib->iter_valid(iterator->iterator))
        lib->iter_next(iterator->iterator);
    iterator->begun = true;
    iterator->placed = false;
    if (lib->iter_valid(iterator->iterator)) {
        ret_key->bytes = lib->iter_key(iterator->iterator, &ret_key->size);
        ret_value->bytes = lib->iter_value(iterator->iterator, &ret_value->size);
        return RASK_OK;
    }
    char *error = NULL;
    lib->iter_get_error(iterator->iterator, &error);
    return error ? failed(iterator->store, "read from", error, err) : RASK_OK;
}

static void end(raski_store_iterator *iterator_take) {
    const raski_rocksdb_library *lib = iterator_take->store->lib;
    lib->iter_destroy(iterator_take->iterator);
    lib->readoptions_destroy(iterator_take->read);
    lib->release_snapshot(iterator_take->store->db, iterator_take->snapshot);
    raski_free(iterator_take);
}

/* ---------------------------------------------------------------- life */
static void destroy(raski_state_store *base) {
    rocksdb_store *store = (rocksdb_store *)base;
    const raski_rocksdb_library *lib = store->lib;
    release_values(store);
    if (store->batch) lib->writebatch_destroy(store->batch);
    if (store->family) lib->column_family_handle_destroy(store->family);
    if (store->db) lib->close(store->db);
    if (store->read) lib->readoptions_destroy(store->read);
    if (store->write) lib->writeoptions_destroy(store->write);
    if (store->options) lib->options_destroy(store->options);
    if (store->cache) lib->cache_destroy(store->cache);
    raski_error ignored = {0};
    if (store->directory && raski_directory_remove(store->directory, &ignored) != RASK_OK)
        RASKI_LOG(WARN, "state", "%s", ignored.message);
    raski_free(store->directory);
    raski_free(store->name);
    raski_free(store);
}

static rocksdb_options_t *make_options(rocksdb_store *store, const raski_rocksdb_options *wanted) {
    const raski_rocksdb_library *lib = store->lib;
    store->cache = lib->cache_create_lru(wanted->block_cache_bytes);
    rocksdb_block_based_table_options_t *blocks = lib->block_based_options_create();
    lib->block_based_options_set_block_cache(blocks, store->cache);
    lib->block_based_options_set_filter_policy(blocks,
                                               lib->filterpolicy_create_bloom_full(BLOOM_BITS));
    lib->block_based_options_set_format_version(blocks, FORMAT_VERSION);
    lib->block_based_options_set_data_block_index_type(blocks, INDEX_WITH_HASH);
    lib->block_based_options_set_data_block_hash_ratio(blocks, HASH_RATIO);
    rocksdb_options_t *options = lib->options_create();
    lib->options_set_block_based_table_factory(options, blocks);
    lib->block_based_options_destroy(blocks);
    lib->options_set_create_if_missing(options, 1);
    lib->options_set_write_buffer_size(options, wanted->write_buffer_bytes);
    lib->options_set_max_write_buffer_number(options, WRITE_BUFFERS);
    lib->options_set_max_background_jobs(options, wanted->threads);
    lib->options_set_max_open_files(options, OPEN_FILES_MAX);
    /* Most keys that are looked up are not in the write buffer. */
    lib->options_set_memtable_prefix_bloom_size_ratio(options, BUFFER_BLOOM_RATIO);
    lib->options_set_memtable_whole_key_filtering(options, 1);
    lib->options_set_info_log_level(options, LOG_FATAL);
    lib->options_set_stats_dump_period_sec(options, 0);
    /* Compressing costs more CPU than the disk space of a running job is worth. */
    lib->options_set_compression(options, NO_COMPRESSION);
    return options;
}

static rask_status open_database(rocksdb_store *store, const raski_rocksdb_options *wanted,
                                 raski_error *err) {
    const raski_rocksdb_library *lib = store->lib;
    store->options = make_options(store, wanted);
    store->read = lib->readoptions_create();
    store->write = lib->writeoptions_create();
    lib->writeoptions_disable_WAL(store->write, 1);
    store->batch = lib->writebatch_create();
    const char *family = "default";
    const rocksdb_options_t *options = store->options;
    char *error = NULL;
    store->db = lib->open_column_families(options, store->directory, 1, &family, &options,
                                          &store->family, &error);
    return error ? failed(store, "open", error, err) : RASK_OK;
}

static const raski_state_store_ops OPS = {.get = get,
                                          .put = put,
                                          .remove = remove_key,
                                          .commit = commit,
                                          .iterate = iterate,
                                          .seek = seek,
                                          .next = next,
                                          .end = end,
                                          .destroy = destroy};

rask_status raski_rocksdb_store_create(const raski_rocksdb_options *options,
                                       raski_state_store **ret_store, raski_error *err) {
    const raski_rocksdb_library *lib = NULL;
    RASKI_TRY(raski_rocksdb_load(&lib, err));
    rocksdb_store *store = RASKI_NEW(rocksdb_store);
    store->base.ops = &OPS;
    store->lib = lib;
    store->name = raski_strdup(options->name);
    rask_status status = raski_directory_create(options->directory, err);
    if (status == RASK_OK)
        status = raski_directory_create_temporary(options->directory, "rask-rocksdb-",
                                                  &store->directory, err);
    if (status == RASK_OK) status = open_database(store, options, err);
    if (status != RASK_OK) {
        destroy(&store->base);
        return status;
    }
    *ret_store = &store->base;
    return RASK_OK;
}
