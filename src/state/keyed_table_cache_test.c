/* Tables with a store that fails: the error arrives, and nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "state/keyed_table.h"
#include "state/keyed_table_test_util.h"
#include "state/memory_limit.h"
#include "state/state_store.h"

/* A store in front of another one that fails when it is told to. */
typedef struct failing_store {
    raski_state_store base;
    raski_state_store *real;
} failing_store;
static bool reads_fail, writes_fail;

static rask_status get(raski_state_store *base, const raski_store_bytes *keys, size_t n,
                       raski_store_bytes *ret_values, raski_error *err) {
    raski_state_store *real = ((failing_store *)base)->real;
    if (reads_fail) return RASKI_FAIL(err, RASK_E_IO, EXTERNAL, "cannot read from the disk");
    return real->ops->get(real, keys, n, ret_values, err);
}
static void put(raski_state_store *base, raski_store_bytes key, raski_store_bytes value) {
    raski_state_store *real = ((failing_store *)base)->real;
    real->ops->put(real, key, value);
}
static void remove_key(raski_state_store *base, raski_store_bytes key) {
    raski_state_store *real = ((failing_store *)base)->real;
    real->ops->remove(real, key);
}
static rask_status commit(raski_state_store *base, raski_error *err) {
    raski_state_store *real = ((failing_store *)base)->real;
    if (writes_fail) return RASKI_FAIL(err, RASK_E_IO, EXTERNAL, "No space left on device");
    return real->ops->commit(real, err);
}
static rask_status iterate(raski_state_store *base, raski_store_iterator **ret_iterator,
                           raski_error *err) {
    raski_state_store *real = ((failing_store *)base)->real;
    return real->ops->iterate(real, ret_iterator, err);
}
static void destroy(raski_state_store *base) {
    raski_state_store_destroy(((failing_store *)base)->real);
    raski_free(base);
}

static const raski_key_spec LONG_KEY = {1, {{0, &rask_type_int64_t}}};
static const raski_state_spec STATES[] = {
    {.name = "count", .type = &rask_type_int64_t},
    {.name = "texts", .type = &rask_type_rask_string, .kind = RASKI_STATE_LIST}};

/* next and end get the real store's iterators: they need not be told which store it is. */
static raski_state_store_ops ops;

static raski_keyed_table *make_failing_table(void) {
    raski_rocksdb_options options = {.directory = RASK_BINARY_DIR,
                                     .name = "the test",
                                     .block_cache_bytes = 1 << 20,
                                     .write_buffer_bytes = 1 << 20,
                                     .threads = 1};
    failing_store *store = RASKI_NEW(failing_store);
    assert_int_equal(raski_rocksdb_store_create(&options, &store->real, NULL), RASK_OK);
    ops = *store->real->ops;
    ops.get = get;
    ops.put = put;
    ops.remove = remove_key;
    ops.commit = commit;
    ops.iterate = iterate;
    ops.destroy = destroy;
    store->base.ops = &ops;
    reads_fail = writes_fail = false;
    raski_keyed_table *table = NULL;
    assert_int_equal(raski_keyed_table_create(&(raski_keyed_table_options){.key = &LONG_KEY,
                                                                           .states = STATES,
                                                                           .state_count = 2,
                                                                           .store = &store->base,
                                                                           .cache_bytes = 1},
                                              &table, NULL),
                     RASK_OK);
    return table;
}

static rask_status count_key(raski_keyed_table *table, int64_t key, int64_t *ret_count,
                             raski_error *err) {
    char *row = NULL;
    rask_string text = rask_string_from("a text of more than twelve bytes");
    RASKI_TRY(raski_keyed_table_lookup(table, &LONG_KEY, &key, sizeof key, 1, &row, NULL, err));
    RASKI_TRY(raski_keyed_table_list_add(table, row, 1, &text, 1, err));
    int64_t *count = (int64_t *)(void *)(row + raski_keyed_table_state_offset(table, 0));
    *ret_count = ++*count;
    raski_row_set(row, 0);
    raski_list_view view;
    RASKI_TRY(raski_keyed_table_list(table, row, 1, &view, err));
    assert_int_equal(view.count, *count);
    return RASK_OK;
}

static size_t count_rows(raski_keyed_table *table) {
    raski_keyed_walk *walk = NULL;
    char *rows[RASKI_LOOKUP_MAX];
    size_t n = 0, count = 0;
    assert_int_equal(raski_keyed_walk_begin(table, &walk, NULL), RASK_OK);
    do {
        assert_int_equal(raski_keyed_walk_next(walk, rows, &n, NULL), RASK_OK);
        count += n;
    } while (n > 0);
    raski_keyed_walk_end(walk);
    return count;
}

static void a_full_disk_is_told_and_loses_nothing(void **state) {
    (void)state;
    raski_keyed_table *table = make_failing_table();
    int64_t count = 0;
    for (int64_t key = 0; key < 50; key++)
        assert_int_equal(count_key(table, key, &count, NULL), RASK_OK);
    writes_fail = true;
    raski_keyed_table_end_batch(table);
    assert_int_equal(raski_keyed_table_count(table), 50); /* all are still in memory */
    raski_error error = {0};
    assert_int_equal(count_key(table, 3, &count, &error), RASK_E_IO);
    assert_non_null(strstr(error.message, "No space left"));
    raski_error again = {0};
    assert_int_equal(raski_keyed_table_flush(table, &again), RASK_E_IO);
    raski_keyed_table_destroy(table);
}

/* A walk in the middle of a batch writes what has changed; rows that the batch has in its hands go
 * on changing. */
static void rows_may_change_after_a_flush(void **state) {
    (void)state;
    raski_keyed_table *table = make_failing_table();
    enum { KEYS = 3 };
    const int64_t keys[KEYS] = {1, 2, 3};
    char *rows[KEYS];
    int64_t count = 0;
    assert_int_equal(count_key(table, 1, &count, NULL), RASK_OK);
    raski_keyed_table_end_batch(table);
    assert_int_equal(
        raski_keyed_table_lookup(table, &LONG_KEY, keys, sizeof keys[0], KEYS, rows, NULL, NULL),
        RASK_OK);
    raski_row_set(rows[1], 0); /* the third is new and still empty */
    assert_int_equal(count_rows(table), 2);
    for (int i = 0; i < KEYS; i++) {
        *(int64_t *)(void *)(rows[i] + raski_keyed_table_state_offset(table, 0)) = 100 + i;
        raski_row_set(rows[i], 0);
    }
    raski_keyed_table_end_batch(table);
    assert_int_equal(raski_keyed_table_count(table), 0);
    assert_int_equal(
        raski_keyed_table_lookup(table, &LONG_KEY, keys, sizeof keys[0], KEYS, rows, NULL, NULL),
        RASK_OK);
    for (int i = 0; i < KEYS; i++)
        assert_int_equal(*(int64_t *)(void *)(rows[i] + raski_keyed_table_state_offset(table, 0)),
                         100 + i);
    raski_keyed_table_end_batch(table);
    assert_int_equal(count_rows(table), KEYS);
    raski_keyed_table_destroy(table);
}

static void an_unreadable_disk_is_told(void **state) {
    (void)state;
    raski_keyed_table *table = make_failing_table();
    int64_t count = 0;
    for (int64_t key = 0; key < 50; key++)
        assert_int_equal(count_key(table, key, &count, NULL), RASK_OK);
    raski_keyed_table_end_batch(table);
    assert_int_equal(raski_keyed_table_count(table), 0);
    reads_fail = true;
    raski_error error = {0};
    assert_int_equal(count_key(table, 3, &count, &error), RASK_E_IO);
    assert_non_null(strstr(error.message, "cannot read"));
    assert_int_equal(raski_keyed_table_count(table), 0); /* no row hides what is stored */
    reads_fail = false;
    for (int64_t key = 0; key < 50; key++) {
        assert_int_equal(count_key(table, key, &count, NULL), RASK_OK);
        assert_int_equal(count, 2);
    }
    raski_keyed_table_destroy(table);
}

static void a_store_needs_a_directory(void **state) {
    (void)state;
    raski_rocksdb_options options = {.directory = "/dev/null/x", .name = "the test", .threads = 1};
    raski_state_store *store = NULL;
    raski_error error = {0};
    assert_int_not_equal(raski_rocksdb_store_create(&options, &store, &error), RASK_OK);
    assert_non_null(strstr(error.message, "/dev/null"));
    assert_null(store);
}

/* Keys that nobody asks for again do not stay on disk for ever. */
static void what_expired_leaves_the_store(void **state) {
    (void)state;
    enum { KEYS = 300, TTL_MS = 100, BATCHES = 64 * 20 };
    const raski_state_spec states[] = {
        {.name = "count", .type = &rask_type_int64_t, .ttl = {.time_ms = TTL_MS}},
        {.name = "texts",
         .type = &rask_type_rask_string,
         .kind = RASKI_STATE_LIST,
         .ttl = {.time_ms = TTL_MS}}};
    for (size_t b = 0; b < TEST_BACKENDS; b++) {
        raski_keyed_table *table = make_test_table(
            &test_backends[b],
            &(raski_keyed_table_options){.key = &LONG_KEY, .states = states, .state_count = 2});
        for (int64_t key = 0; key < KEYS; key++) {
            char *row = NULL;
            rask_string text = rask_string_from("a text of more than twelve bytes");
            raski_keyed_table_set_now(table, key < KEYS / 3 ? TTL_MS : 0);
            assert_int_equal(
                raski_keyed_table_lookup(table, &LONG_KEY, &key, sizeof key, 1, &row, NULL, NULL),
                RASK_OK);
            assert_int_equal(raski_keyed_table_touch(table, row, 0, NULL), RASK_OK);
            assert_int_equal(raski_keyed_table_store(table, row, 0, &key, NULL), RASK_OK);
            assert_int_equal(raski_keyed_table_list_add(table, row, 1, &text, 1, NULL), RASK_OK);
            raski_keyed_table_end_batch(table);
        }
        raski_keyed_table_set_now(table, TTL_MS);
        for (int i = 0; i < BATCHES; i++) raski_keyed_table_end_batch(table);
        assert_int_equal(count_rows(table), KEYS / 3);
        raski_keyed_table_set_now(table, 2 * TTL_MS);
        for (int i = 0; i < BATCHES; i++) raski_keyed_table_end_batch(table);
        assert_int_equal(count_rows(table), 0);
        raski_keyed_table_destroy(table);
    }
}

/* Many tables share one limit; what a table frees can be used by another. */
static void tables_share_a_limit(void **state) {
    (void)state;
    enum { MAX = 8 << 20 };
    _Atomic size_t taken = 0;
    raski_memory_limit limit;
    raski_memory_limit_init(&limit, MAX, "raise the test's limit", &taken);
    for (int round = 0; round < 3; round++) {
        raski_keyed_table *tables[2];
        for (int i = 0; i < 2; i++)
            assert_int_equal(raski_keyed_table_create(&(raski_keyed_table_options){.key = &LONG_KEY,
                                                                                   .states = STATES,
                                                                                   .state_count = 2,
                                                                                   .name = "hungry",
                                                                                   .limit = &limit},
                                                      &tables[i], NULL),
                             RASK_OK);
        raski_error error = {0};
        rask_status status = RASK_OK;
        int64_t count = 0;
        for (int64_t key = 0; status == RASK_OK; key++) {
            status = count_key(tables[key % 2], key, &count, &error);
            assert_true(taken <= MAX);
        }
        assert_int_equal(status, RASK_E_NOMEM);
        assert_non_null(strstr(error.message, "hungry"));
        assert_non_null(strstr(error.message, "\"texts\""));
        assert_non_null(strstr(error.message, "raise the test's limit"));
        assert_true(taken > MAX / 2);
        for (int i = 0; i < 2; i++) raski_keyed_table_destroy(tables[i]);
        assert_int_equal(taken, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_is_told_and_loses_nothing),
        cmocka_unit_test(rows_may_change_after_a_flush),
        cmocka_unit_test(an_unreadable_disk_is_told),
        cmocka_unit_test(a_store_needs_a_directory),
        cmocka_unit_test(what_expired_leaves_the_store),
        cmocka_unit_test(tables_share_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
