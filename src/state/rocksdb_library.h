/* rocksdb_library.h - the functions of librocksdb's C API that Rask calls. The library is loaded
 * when the first job asks for it: it is large, and programs that keep their state in memory should
 * not wait for it. Threads: any. */
#ifndef RASKI_STATE_ROCKSDB_LIBRARY_H
#define RASKI_STATE_ROCKSDB_LIBRARY_H
#include <rocksdb/c.h>

#include "base/status.h"

#define RASKI_ROCKSDB_FUNCTIONS(F) \
    F(batched_multi_get_cf) \
    F(block_based_options_create) \
    F(block_based_options_destroy) \
    F(block_based_options_set_block_cache) \
    F(block_based_options_set_data_block_hash_ratio) \
    F(block_based_options_set_data_block_index_type) \
    F(block_based_options_set_filter_policy) \
    F(block_based_options_set_format_version) \
    F(cache_create_lru) \
    F(cache_destroy) \
    F(close) \
    F(column_family_handle_destroy) \
    F(create_iterator_cf) \
    F(create_snapshot) \
    F(filterpolicy_create_bloom_full) \
    F(free) \
    F(iter_destroy) \
    F(iter_get_error) \
    F(iter_key) \
    F(iter_next) \
    F(iter_seek) \
    F(iter_seek_to_first) \
    F(iter_valid) \
    F(iter_value) \
    F(open_column_families) \
    F(options_create) \
    F(options_destroy) \
    F(options_set_block_based_table_factory) \
    F(options_set_compression) \
    F(options_set_create_if_missing) \
    F(options_set_info_log_level) \
    F(options_set_max_background_jobs) \
    F(options_set_max_open_files) \
    F(options_set_memtable_prefix_bloom_size_ratio) \
    F(options_set_memtable_whole_key_filtering) \
    F(options_set_max_write_buffer_number) \
    F(options_set_stats_dump_period_sec) \
    F(options_set_write_buffer_size) \
    F(pinnableslice_destroy) \
    F(pinnableslice_value) \
    F(readoptions_create) \
    F(readoptions_destroy) \
    F(readoptions_set_fill_cache) \
    F(readoptions_set_snapshot) \
    F(release_snapshot) \
    F(write) \
    F(writebatch_clear) \
    F(writebatch_count) \
    F(writebatch_create) \
    F(writebatch_delete) \
    F(writebatch_destroy) \
    F(writebatch_put) \
    F(writeoptions_create) \
    F(writeoptions_destroy) \
    F(writeoptions_disable_WAL)

typedef struct raski_rocksdb_library {
#define RASKI_ROCKSDB_FIELD(name) __typeof__(&rocksdb_##name) name;
    RASKI_ROCKSDB_FUNCTIONS(RASKI_ROCKSDB_FIELD)
#undef RASKI_ROCKSDB_FIELD
} raski_rocksdb_library;

/* Loads librocksdb if that was not done before. An error says how to install it. */
RASKI_NODISCARD rask_status raski_rocksdb_load(const raski_rocksdb_library **ret_library,
                                               raski_error *err);
#endif
