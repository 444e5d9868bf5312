/* What tests of keyed tables share: a small generator, and tables of each backend. */
#ifndef RASKI_STATE_KEYED_TABLE_TEST_UTIL_H
#define RASKI_STATE_KEYED_TABLE_TEST_UTIL_H
#include "state/keyed_table.h"
#include "state/rocksdb_store.h"

/* The same numbers in every run. */
static uint64_t random_state = 1;
__attribute__((unused)) static uint64_t random_u64(void) {
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
__attribute__((unused)) static size_t random_below(size_t limit) {
    return (size_t)(random_u64() % limit);
}

typedef struct test_backend {
    const char *name;
    bool stored;
    size_t cache_bytes;
} test_backend;
/* All state in memory; nothing stays in memory from batch to batch; some of it does. */
enum { TEST_BACKENDS = 3 };
static const test_backend test_backends[TEST_BACKENDS] = {
    {"hashmap", false, 0}, {"rocksdb, no cache", true, 1}, {"rocksdb", true, 16384}};

__attribute__((unused)) static raski_keyed_table *make_test_table(
    const test_backend *backend, raski_keyed_table_options *options) {
    raski_keyed_table *table = NULL;
    raski_error err = {0};
    if (backend->stored) {
        raski_rocksdb_options store = {.directory = RASK_BINARY_DIR,
                                       .name = "the test",
                                       .block_cache_bytes = 1 << 20,
                                       .write_buffer_bytes = 1 << 20,
                                       .threads = 1};
        assert_int_equal(raski_rocksdb_store_create(&store, &options->store, &err), RASK_OK);
        options->cache_bytes = backend->cache_bytes;
    }
    rask_status status = raski_keyed_table_create(options, &table, &err);
    assert_string_equal(err.message, "");
    assert_int_equal(status, RASK_OK);
    return table;
}
#endif
