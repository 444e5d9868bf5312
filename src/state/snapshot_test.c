/* Snapshots against a model: what was restored, whatever the backend and the parallelism, is what
 * was there when the snapshot began, whatever happened meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "state/snapshot_test_util.h"

static raski_operator_snapshot_writer *begin(test_operator *op, uint32_t parallelism,
                                             uint32_t subtask) {
    raski_error err = {0};
    raski_snapshot_info info = info_of(parallelism, subtask);
    raski_operator_snapshot_writer *writer = raski_snapshot_writer_create(&info);
    must_say(raski_snapshot_writer_add_keyed(writer, "keyed", op->table, op->queues[0],
                                             op->queues[1], &err),
             &err);
    return writer;
}

static void same_lines(test_lines *expected, test_lines *got) {
    if (expected->count) qsort(expected->items, expected->count, sizeof(char *), compare_lines);
    if (got->count) qsort(got->items, got->count, sizeof(char *), compare_lines);
    for (size_t i = 0; i < expected->count && i < got->count; i++)
        assert_string_equal(expected->items[i], got->items[i]);
    assert_int_equal(expected->count, got->count);
}

static void check_restored(const raski_byte_writer *snapshots, size_t count, uint32_t parallelism,
                           const test_backend *backend, test_lines *expected) {
    test_lines got = {0};
    for (uint32_t i = 0; i < parallelism; i++) {
        test_operator op = make_operator(backend);
        restore_operator(&op, snapshots, count, parallelism, i);
        dump(&op, &got);
        destroy_operator(&op);
    }
    same_lines(expected, &got);
    forget_lines(&got);
}

/* ---------------------------------------------------------------- one thread, piece by piece */
static rask_status to_memory(void *context, const void *bytes, size_t size, raski_error *err) {
    (void)err;
    raski_write_bytes(context, bytes, size);
    return RASK_OK;
}

static void what_is_restored_is_what_was_there(void **unused) {
    (void)unused;
    for (size_t run = 0; run < 12; run++) {
        random_state = run + 1;
        const test_backend *backend = &test_backends[run % TEST_BACKENDS];
        test_operator op = make_operator(backend);
        size_t keys = 1 + random_below(2000), steps = 1 + random_below(1500);
        for (size_t i = 0; i < steps; i++) change(&op, keys);
        test_lines expected = {0};
        dump(&op, &expected);
        raski_byte_writer bytes = {0};
        raski_operator_snapshot_writer *writer = begin(&op, 1, 0);
        const raski_snapshot_sink sink = {&bytes, to_memory};
        for (bool done = false; !done;) {
            must(raski_snapshot_step(writer, 1 + random_below(20000), &sink, &done, NULL));
            for (size_t i = random_below(20); i > 0; i--) change(&op, keys);
        }
        raski_snapshot_writer_destroy(writer);
        check_restored(&bytes, 1, 1, &test_backends[(run + 1) % TEST_BACKENDS], &expected);
        check_restored(&bytes, 1, 1 + (uint32_t)random_below(8), backend, &expected);
        forget_lines(&expected);
        raski_byte_writer_fini(&bytes);
        for (size_t i = 0; i < 100; i++) change(&op, keys);
        destroy_operator(&op);
    }
}

/* From 3 subtasks to 1 .. 8, and each back to one. */
static void state_moves_between_parallelisms(void **unused) {
    (void)unused;
    random_state = 77;
    test_operator whole = make_operator(&test_backends[0]);
    for (size_t i = 0; i < 500; i++) change(&whole, 300);
    test_lines expected = {0};
    dump(&whole, &expected);
    raski_byte_writer one = {0};
    raski_operator_snapshot_writer *writer = begin(&whole, 1, 0);
    must(raski_snapshot_write_all(writer, &one, NULL));
    raski_snapshot_writer_destroy(writer);
    destroy_operator(&whole);
    for (uint32_t p = 1; p <= 8; p++) {
        raski_byte_writer parts[8] = {{0}};
        for (uint32_t i = 0; i < p; i++) {
            test_operator op = make_operator(&test_backends[i % TEST_BACKENDS]);
            restore_operator(&op, &one, 1, p, i);
            writer = begin(&op, p, i);
            must(raski_snapshot_write_all(writer, &parts[i], NULL));
            raski_snapshot_writer_destroy(writer);
            destroy_operator(&op);
        }
        check_restored(parts, p, 1 + (p + 2) % 8, &test_backends[0], &expected);
        for (uint32_t i = 0; i < p; i++) raski_byte_writer_fini(&parts[i]);
    }
    forget_lines(&expected);
    raski_byte_writer_fini(&one);
}

/* ---------------------------------------------------------------- two threads */
typedef struct writing {
    raski_operator_snapshot_writer *writer;
    raski_byte_writer bytes;
    rask_status status;
    _Atomic bool done;
} writing;

static void write_all(void *context) {
    writing *w = context;
    const raski_snapshot_sink sink = {&w->bytes, to_memory};
    for (bool done = false; !done && w->status == RASK_OK;)
        w->status = raski_snapshot_step(w->writer, 4096, &sink, &done, NULL);
    atomic_store(&w->done, true);
}

/* The thread sanitizer cannot see how the RocksDB library, which was built without it, hands memory
 * from thread to thread. */
#ifdef __SANITIZE_THREAD__
enum { CONCURRENT_BACKENDS = 1 };
#else
enum { CONCURRENT_BACKENDS = TEST_BACKENDS };
#endif

static void the_task_goes_on_while_it_is_written(void **unused) {
    (void)unused;
    for (size_t run = 0; run < 6; run++) {
        random_state = 100 + run;
        const test_backend *backend = &test_backends[run % CONCURRENT_BACKENDS];
        test_operator op = make_operator(backend);
        for (size_t i = 0; i < 1500; i++) change(&op, 2000);
        for (size_t round = 0; round < 2; round++) {
            test_lines expected = {0};
            dump(&op, &expected);
            writing w = {.writer = begin(&op, 1, 0)};
            raski_thread *thread = NULL;
            must(raski_thread_create("snapshot", 0, write_all, &w, &thread, NULL));
            for (size_t i = 0; i < 200 || !atomic_load(&w.done); i++) change(&op, 2000);
            raski_thread_join(thread);
            raski_snapshot_writer_destroy(w.writer);
            must(w.status);
            check_restored(&w.bytes, 1, 2, &test_backends[0], &expected);
            forget_lines(&expected);
            raski_byte_writer_fini(&w.bytes);
        }
        destroy_operator(&op);
    }
}

/* Operator states change while they are written: lists grow and are replaced, maps are changed in
 * place. */
static void operator_states_stay_as_they_were(void **unused) {
    (void)unused;
    static const raski_operator_state_spec specs[] = {
        {"list", RASKI_OPERATOR_STATE_UNION, &rask_type_int64_t, NULL},
        {"map", RASKI_OPERATOR_STATE_BROADCAST, &rask_type_int64_t, &rask_type_int64_t}};
    enum { ITEMS = 20000 };
    raski_operator_states *states = NULL;
    must(raski_operator_states_create(specs, 2, "op", NULL, &states, NULL));
    raski_keyed_table *table = raski_operator_states_table(states);
    char *row = raski_operator_states_row(states);
    for (int64_t i = 0; i < ITEMS; i++) {
        must(raski_keyed_table_list_add(table, row, 0, &i, 1, NULL));
        must(raski_keyed_table_map_put(table, row, 1, &i, &i, NULL));
    }
    raski_keyed_table_end_batch(table);
    raski_snapshot_info info = info_of(1, 0);
    writing w = {.writer = raski_snapshot_writer_create(&info)};
    must(raski_snapshot_writer_add_operator_states(w.writer, states, NULL));
    must(raski_keyed_table_list_add(table, row, 0, &(int64_t){-1}, 1, NULL));
    must(raski_keyed_table_map_remove(table, row, 1, &(int64_t){7}, NULL, NULL));
    raski_thread *thread = NULL;
    must(raski_thread_create("snapshot", 0, write_all, &w, &thread, NULL));
    for (int64_t i = 0; i < ITEMS || !atomic_load(&w.done); i++) {
        int64_t key = i % ITEMS, value = -1;
        must(raski_keyed_table_map_put(table, row, 1, &key, &value, NULL));
        must(raski_keyed_table_list_add(table, row, 0, &value, 1, NULL));
        if (i % 1000 == 0) must(raski_keyed_table_list_replace(table, row, 0, &value, 1, NULL));
        raski_keyed_table_end_batch(table);
    }
    raski_thread_join(thread);
    raski_snapshot_writer_destroy(w.writer);
    raski_operator_states_destroy(states);
    must(w.status);

    raski_snapshot_input input = {"test", w.bytes.bytes, w.bytes.size};
    raski_operator_snapshot_reader *reader = NULL;
    must(raski_snapshot_reader_create(&input, 1, &info, &reader, NULL));
    must(raski_operator_states_create(specs, 2, "op", NULL, &states, NULL));
    must(raski_snapshot_reader_operator_states(reader, states, NULL));
    table = raski_operator_states_table(states);
    row = raski_operator_states_row(states);
    raski_list_view list;
    must(raski_keyed_table_list(table, row, 0, &list, NULL));
    assert_int_equal(list.count, ITEMS);
    uint32_t position = 0;
    for (int64_t i = 0; i < ITEMS; i++) {
        const void *key = NULL, *value = NULL;
        must(raski_keyed_table_map_next(table, row, 1, &position, &key, &value, NULL));
        assert_int_equal(((const int64_t *)list.items)[i], i);
        assert_int_equal(*(const int64_t *)key, i);
        assert_int_equal(*(const int64_t *)value, i);
    }
    raski_operator_states_destroy(states);
    raski_snapshot_reader_destroy(reader);
    raski_byte_writer_fini(&w.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_restored_is_what_was_there),
        cmocka_unit_test(state_moves_between_parallelisms),
        cmocka_unit_test(the_task_goes_on_while_it_is_written),
        cmocka_unit_test(operator_states_stay_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
