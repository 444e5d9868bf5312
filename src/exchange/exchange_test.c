/* exchange_test.c - one thing at a time, mostly in one thread: the test is producer and consumer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "exchange/buffer_image.h"
#include "exchange/input_gate.h"
#include "exchange/result_writer.h"
#include "platform/clock.h"
#include "platform/file.h"
#include "platform/thread.h"
#include "rask/rask.h"

typedef struct item {
    int64_t number;
    rask_string text;
} item;
RASK_TYPE(item, number, text);
typedef struct pair {
    int64_t number, other;
} pair;
RASK_TYPE(pair, number, other);

/* An exchange with one producer, whose gates read one subpartition each. */
enum { GATES_MAX = 4 };
typedef struct fixture {
    raski_network_pool *pool;
    raski_doorbell *producer_bell, *consumer_bell;
    raski_result_partition *partition;
    raski_result_writer *writer;
    raski_input_gate *gates[GATES_MAX];
    uint32_t gate_count;
    _Atomic bool cancelled;
} fixture;

static void must(rask_status status, const raski_error *err) {
    if (status != RASK_OK) fail_msg("%s", err->message);
}

static void set_up(fixture *f, const rask_type *type, uint32_t consumers,
                   raski_channel_selector_kind kind, raski_result_storage storage,
                   int64_t buffer_timeout_ms) {
    raski_error err = {0};
    memset(f, 0, sizeof *f);
    f->pool = raski_network_pool_create(64);
    must(raski_doorbell_create(&f->producer_bell, &err), &err);
    must(raski_doorbell_create(&f->consumer_bell, &err), &err);
    raski_result_partition_options options = {.name = "source (1/1)",
                                              .pool = f->pool,
                                              .storage = storage,
                                              .subpartition_count = consumers,
                                              .type = type};
    must(raski_result_partition_create(&options, &f->partition, &err), &err);
    raski_result_writer_options writer_options = {.selector = {.kind = kind},
                                                  .buffer_timeout_ms = buffer_timeout_ms,
                                                  .doorbell = f->producer_bell,
                                                  .cancelled = &f->cancelled};
    must(raski_result_writer_create(f->partition, &writer_options, &f->writer, &err), &err);
    for (uint32_t i = 0; i < consumers; i++) {
        f->gates[i] = raski_input_gate_create(f->consumer_bell);
        must(raski_input_gate_add(f->gates[i], f->partition, i, 7, &err), &err);
    }
    f->gate_count = consumers;
}

static void tear_down(fixture *f) {
    raski_result_writer_destroy(f->writer);
    for (uint32_t i = 0; i < f->gate_count; i++) raski_input_gate_destroy(f->gates[i]);
    raski_result_partition_unref(f->partition);
    assert_int_equal(raski_network_pool_in_use(f->pool), 0);
    assert_int_equal(raski_network_pool_required(f->pool), 0);
    raski_network_pool_destroy(f->pool);
    raski_doorbell_unref(f->producer_bell);
    raski_doorbell_unref(f->consumer_bell);
}

static void write_pairs(fixture *f, int64_t from, size_t count) {
    raski_error err = {0};
    for (size_t i = 0; i < count; i++) {
        pair p = {from + (int64_t)i, 0};
        must(raski_result_writer_write(f->writer, &p, 1, NULL, NULL, &err), &err);
    }
}

static raski_gate_item poll(raski_input_gate *gate) {
    raski_error err = {0};
    raski_gate_item got;
    must(raski_input_gate_poll(gate, &got, &err), &err);
    assert_true(raski_input_gate_is_available(gate) == (got.kind != RASKI_GATE_NONE));
    return got;
}
/* Reads records until there is none; they must be from.. in order. Returns the next number. */
static int64_t read_pairs(raski_input_gate *gate, int64_t from) {
    for (;;) {
        raski_gate_item got = poll(gate);
        if (got.kind != RASKI_GATE_BATCH) {
            assert_true(got.kind == RASKI_GATE_NONE || got.kind == RASKI_GATE_CHANNEL_END);
            return from;
        }
        const pair *records = got.records;
        for (size_t i = 0; i < got.count; i++) assert_int_equal(records[i].number, from++);
        raski_input_gate_release(gate, &got);
    }
}
static void expect_end(raski_input_gate *gate) {
    raski_gate_item got = poll(gate);
    assert_int_equal(got.kind, RASKI_GATE_CHANNEL_END);
    raski_input_gate_release(gate, &got);
    assert_int_equal(poll(gate).kind, RASKI_GATE_END);
}

static void test_flush_shows_partial_buffers(void **state) {
    (void)state;
    fixture f;
    raski_error err = {0};
    set_up(&f, &rask_type_pair, 1, RASKI_SELECT_FORWARD, RASKI_STORAGE_PIPELINED, -1);
    write_pairs(&f, 0, 10);
    assert_int_equal(poll(f.gates[0]).kind, RASKI_GATE_NONE); /* only full buffers */
    must(raski_result_writer_idle(f.writer, &err), &err);
    assert_int_equal(poll(f.gates[0]).kind, RASKI_GATE_NONE);
    uint32_t seen = raski_doorbell_sequence(f.consumer_bell);
    must(raski_result_writer_flush(f.writer, &err), &err);
    assert_true(raski_doorbell_wait(f.consumer_bell, seen, RASKI_FOREVER));
    assert_int_equal(read_pairs(f.gates[0], 0), 10);
    write_pairs(&f, 10, 5); /* into the same buffer, which the consumer has read already */
    must(raski_result_writer_flush(f.writer, &err), &err);
    assert_int_equal(read_pairs(f.gates[0], 10), 15);
    assert_int_equal(raski_network_pool_in_use(f.pool), 1);
    write_pairs(&f, 15, 2048); /* the second buffer begins */
    assert_int_equal(read_pairs(f.gates[0], 15), 2048);
    must(raski_result_writer_finish(f.writer, &err), &err);
    assert_int_equal(read_pairs(f.gates[0], 2048), 2063);
    tear_down(&f);
}

static void test_timeout_zero_shows_each_commit(void **state) {
    (void)state;
    fixture f;
    set_up(&f, &rask_type_pair, 1, RASKI_SELECT_FORWARD, RASKI_STORAGE_PIPELINED, 0);
    for (int64_t i = 0; i < 5000; i++) {
        write_pairs(&f, i, 1);
        assert_int_equal(read_pairs(f.gates[0], i), i + 1);
    }
    assert_true(raski_network_pool_in_use(f.pool) <= 2);
    assert_true(raski_result_writer_flush_deadline_ns(f.writer) == RASKI_FOREVER);
    tear_down(&f);
}

static void test_timeout_bounds_the_age(void **state) {
    (void)state;
    enum { TIMEOUT_MS = 3600 * 1000 };
    fixture f;
    raski_error err = {0};
    set_up(&f, &rask_type_pair, 1, RASKI_SELECT_FORWARD, RASKI_STORAGE_PIPELINED, TIMEOUT_MS);
    int64_t before_ns = raski_coarse_now_ns();
    assert_true(raski_result_writer_flush_deadline_ns(f.writer) == RASKI_FOREVER);
    write_pairs(&f, 0, 1); /* the first ever: nobody knows when the next will come */
    assert_int_equal(read_pairs(f.gates[0], 0), 1);
    write_pairs(&f, 1, 10);
    assert_int_equal(read_pairs(f.gates[0], 1), 1);
    int64_t deadline_ns = raski_result_writer_flush_deadline_ns(f.writer);
    assert_true(deadline_ns >= before_ns + TIMEOUT_MS * (int64_t)RASKI_NS_PER_MS);
    assert_true(deadline_ns <= raski_deadline_ns(TIMEOUT_MS));
    must(raski_result_writer_idle(f.writer, &err), &err); /* nothing else to do: show it now */
    assert_int_equal(read_pairs(f.gates[0], 1), 11);
    assert_true(raski_result_writer_flush_deadline_ns(f.writer) == RASKI_FOREVER);
    tear_down(&f);
}

static void test_events_stand_between_records(void **state) {
    (void)state;
    fixture f;
    raski_error err = {0};
    set_up(&f, &rask_type_pair, 1, RASKI_SELECT_FORWARD, RASKI_STORAGE_PIPELINED, -1);
    for (int64_t i = 0; i < 3000; i++) {
        write_pairs(&f, i, 1);
        raski_event event = {.kind = RASKI_EVENT_WATERMARK, .value = i};
        must(raski_result_writer_emit_event(f.writer, &event, &err), &err);
    }
    char options[RASKI_EVENT_OPTIONS_MAX];
    memset(options, 'o', sizeof options);
    raski_event barrier = {.kind = RASKI_EVENT_BARRIER,
                           .value = 42,
                           .timestamp = 1234,
                           .options = options,
                           .options_size = sizeof options};
    must(raski_result_writer_emit_event(f.writer, &barrier, &err), &err);
    for (int64_t i = 0; i < 3000; i++) {
        raski_gate_item got = poll(f.gates[0]);
        assert_int_equal(got.kind, RASKI_GATE_BATCH);
        assert_int_equal(got.count, 1);
        assert_int_equal(got.input, 7);
        assert_int_equal(((pair *)got.records)->number, i);
        raski_input_gate_release(f.gates[0], &got);
        got = poll(f.gates[0]);
        assert_int_equal(got.kind, RASKI_GATE_EVENT);
        assert_int_equal(got.event.value, i);
        raski_input_gate_release(f.gates[0], &got);
    }
    raski_gate_item got = poll(f.gates[0]); /* the barrier was sent at once, without a flush */
    assert_int_equal(got.event.kind, RASKI_EVENT_BARRIER);
    assert_int_equal(got.event.timestamp, 1234);
    assert_memory_equal(got.event.options, options, sizeof options);
    raski_input_gate_release(f.gates[0], &got);
    must(raski_result_writer_finish(f.writer, &err), &err);
    expect_end(f.gates[0]);
    tear_down(&f);
}

static void test_broadcast_is_shared(void **state) {
    (void)state;
    fixture f;
    raski_error err = {0};
    set_up(&f, &rask_type_item, 3, RASKI_SELECT_BROADCAST, RASKI_STORAGE_PIPELINED, -1);
    item i = {1, rask_string_from("longer than twelve bytes")};
    must(raski_result_writer_write(f.writer, &i, 1, NULL, NULL, &err), &err);
    raski_event event = {.kind = RASKI_EVENT_WATERMARK_STATUS, .value = RASKI_WATERMARK_IDLE};
    must(raski_result_writer_emit_event_to(f.writer, 1, &event, &err), &err);
    must(raski_result_writer_finish(f.writer, &err), &err);
    void *place = NULL;
    for (int k = 0; k < 3; k++) {
        raski_gate_item got = poll(f.gates[k]);
        assert_int_equal(got.kind, RASKI_GATE_BATCH);
        assert_false(got.exclusive);
        assert_true(place == NULL || place == got.records); /* one copy for all */
        place = got.records;
        assert_true(rask_string_equal(((item *)place)->text, i.text));
        assert_ptr_not_equal(rask_string_data(&((item *)place)->text), rask_string_data(&i.text));
        raski_input_gate_release(f.gates[k], &got);
        if (k == 1) {
            got = poll(f.gates[k]);
            assert_int_equal(got.kind, RASKI_GATE_EVENT);
            raski_input_gate_release(f.gates[k], &got);
        }
        expect_end(f.gates[k]);
    }
    raski_result_writer_counters counters;
    raski_result_writer_get_counters(f.writer, &counters);
    assert_int_equal(counters.records, 1);
    tear_down(&f);
}

static void test_too_few_buffers(void **state) {
    (void)state;
    raski_network_pool *pool = raski_network_pool_create(64);
    raski_result_partition_options options = {
        .pool = pool, .subpartition_count = 40, .type = &rask_type_pair};
    raski_result_partition *first, *second = NULL;
    raski_error err = {0};
    must(raski_result_partition_create(&options, &first, &err), &err);
    assert_int_equal(raski_result_partition_create(&options, &second, &err), RASK_E_NOMEM);
    assert_string_equal(
        err.message,
        "Insufficient number of network buffers: required 41, but only 23 available. The total "
        "number of network buffers is currently set to 64 of 32768 bytes each. You can increase "
        "this number by setting the configuration keys 'taskmanager.memory.network.fraction', "
        "'taskmanager.memory.network.min', and 'taskmanager.memory.network.max'.");
    assert_string_equal(err.exception, "IOException");
    assert_null(second);
    raski_result_partition_unref(first);
    assert_int_equal(raski_network_pool_required(pool), 0);
    raski_network_pool_destroy(pool);
}

static void test_full_exchange_is_unavailable(void **state) {
    (void)state;
    fixture f;
    raski_error err = {0};
    set_up(&f, &rask_type_pair, 1, RASKI_SELECT_FORWARD, RASKI_STORAGE_PIPELINED, 0);
    int64_t written = 0;
    while (raski_result_writer_is_available(f.writer)) write_pairs(&f, written++, 1);
    assert_int_equal(raski_network_pool_in_use(f.pool), RASKI_BUFFERS_MIN);
    assert_int_equal(written, RASKI_BUFFERS_MIN * RASKI_BUFFER_SIZE / (int64_t)sizeof(pair));
    uint32_t seen = raski_doorbell_sequence(f.producer_bell);
    assert_false(raski_result_writer_is_available(f.writer));
    assert_int_equal(read_pairs(f.gates[0], 0), written); /* rings when half is back */
    assert_true(raski_doorbell_wait(f.producer_bell, seen, RASKI_FOREVER));
    assert_true(raski_result_writer_is_available(f.writer));
    /* a consumer that leaves is no back-pressure any more */
    while (raski_result_writer_is_available(f.writer)) write_pairs(&f, written++, 1);
    raski_input_gate_destroy(f.gates[0]);
    f.gate_count = 0;
    write_pairs(&f, written, 100000);
    must(raski_result_writer_finish(f.writer, &err), &err);
    tear_down(&f);
}

static void cancel_soon(void *context) {
    fixture *f = context;
    atomic_store(&f->cancelled, true);
    raski_doorbell_ring(f->producer_bell);
}

static void test_cancel_ends_waiting(void **state) {
    (void)state;
    fixture f;
    raski_error err = {0};
    set_up(&f, &rask_type_pair, 2, RASKI_SELECT_REBALANCE, RASKI_STORAGE_PIPELINED, 100);
    while (raski_result_writer_is_available(f.writer)) write_pairs(&f, 0, 1);
    raski_thread *thread;
    must(raski_thread_create("cancel", 0, cancel_soon, &f, &thread, &err), &err);
    rask_status status = RASK_OK;
    pair p = {0, 0};
    while (status == RASK_OK) {
        status = raski_result_writer_write(f.writer, &p, 1, NULL, NULL, &err);
    }
    assert_int_equal(status, RASK_E_CANCELLED);
    assert_int_equal(err.error_class, RASKI_CLASS_CANCELLED);
    raski_thread_join(thread);
    tear_down(&f);
}

static void test_lost_producer_cancels_the_consumer(void **state) {
    (void)state;
    fixture f;
    raski_error err = {0};
    set_up(&f, &rask_type_pair, 1, RASKI_SELECT_FORWARD, RASKI_STORAGE_PIPELINED, 0);
    write_pairs(&f, 0, 10);
    raski_result_writer_destroy(f.writer);
    f.writer = NULL;
    raski_gate_item got = poll(f.gates[0]); /* what it had sent is still read */
    assert_int_equal(got.count, 10);
    raski_input_gate_release(f.gates[0], &got);
    assert_int_equal(raski_input_gate_poll(f.gates[0], &got, &err), RASK_E_CANCELLED);
    assert_int_equal(err.error_class, RASKI_CLASS_CANCELLED);
    assert_string_equal(err.message, "the producer \"source (1/1)\" ended before its end of data");
    raski_input_gate *second = raski_input_gate_create(f.consumer_bell);
    assert_int_equal(raski_input_gate_add(second, f.partition, 0, 0, NULL), RASK_E_ARGUMENT);
    raski_input_gate_destroy(second);
    tear_down(&f);
}

static void check_huge(raski_result_storage storage) {
    enum { HUGE_BYTES = 100 * 1000 * 1000 };
    fixture f;
    raski_error err = {0};
    set_up(&f, &rask_type_item, 1, RASKI_SELECT_FORWARD, storage, -1);
    char *bytes = raski_alloc(HUGE_BYTES);
    memset(bytes, 'x', HUGE_BYTES);
    item items[3] = {{1, rask_string_from("before")},
                     {2, rask_string_of(bytes, HUGE_BYTES)},
                     {3, rask_string_from("after it, more than 12 bytes")}};
    raski_window window;
    must(raski_result_writer_window(f.writer, &window, &err), &err);
    memcpy(window.records, items, sizeof items);
    must(raski_result_writer_commit(f.writer, 3, NULL, &err), &err);
    must(raski_result_writer_finish(f.writer, &err), &err);
    int64_t next = 1;
    for (raski_gate_item got = poll(f.gates[0]); got.kind == RASKI_GATE_BATCH;
         got = poll(f.gates[0])) {
        for (size_t i = 0; i < got.count; i++, next++) {
            item *record = &((item *)got.records)[i];
            assert_int_equal(record->number, next);
            assert_true(rask_string_equal(record->text, items[next - 1].text));
        }
        raski_input_gate_release(f.gates[0], &got);
    }
    assert_int_equal(next, 4);
    expect_end(f.gates[0]);
    raski_free(bytes);
    tear_down(&f);
}

static void test_huge_string_passes(void **state) {
    (void)state;
    check_huge(RASKI_STORAGE_PIPELINED);
    check_huge(RASKI_STORAGE_BLOCKING);
}

static void test_record_beyond_the_limit(void **state) {
    (void)state;
    raski_error err = {0};
    raski_network_pool *pool = raski_network_pool_create(8);
    raski_result_partition_options options = {.name = "map (2/4)",
                                              .pool = pool,
                                              .subpartition_count = 1,
                                              .type = &rask_type_item,
                                              .record_bytes_max = 50000};
    raski_result_partition *partition;
    must(raski_result_partition_create(&options, &partition, &err), &err);
    raski_result_writer_options writer_options = {.never_wait = true};
    raski_result_writer *writer;
    must(raski_result_writer_create(partition, &writer_options, &writer, &err), &err);
    char *bytes = raski_calloc(1, 60000);
    item i = {1, rask_string_of(bytes, 60000)};
    assert_int_equal(raski_result_writer_write(writer, &i, 1, NULL, NULL, &err),
                     RASK_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "is larger than the limit of 50000 bytes"));
    raski_free(bytes);
    raski_result_writer_destroy(writer);
    raski_result_partition_unref(partition);
    assert_int_equal(raski_network_pool_in_use(pool), 0);
    raski_network_pool_destroy(pool);
}

static void test_never_wait_goes_beyond_the_pool(void **state) {
    (void)state;
    raski_error err = {0};
    raski_network_pool *pool = raski_network_pool_create(4);
    raski_result_partition_options options = {
        .pool = pool, .subpartition_count = 2, .type = &rask_type_pair};
    raski_result_partition *partition;
    must(raski_result_partition_create(&options, &partition, &err), &err);
    raski_result_writer_options writer_options = {.selector = {.kind = RASKI_SELECT_RESCALE},
                                                  .never_wait = true};
    raski_result_writer *writer;
    must(raski_result_writer_create(partition, &writer_options, &writer, &err), &err);
    raski_doorbell *bell;
    must(raski_doorbell_create(&bell, &err), &err);
    raski_input_gate *gate = raski_input_gate_create(bell);
    must(raski_input_gate_add(gate, partition, 0, 0, &err), &err);
    must(raski_input_gate_add(gate, partition, 1, 1, &err), &err);
    for (int64_t i = 0; i < 1000000; i++) {
        pair p = {i, 0};
        must(raski_result_writer_write(writer, &p, 1, NULL, NULL, &err), &err);
    }
    must(raski_result_writer_finish(writer, &err), &err);
    int64_t next[2] = {0, 1};
    raski_gate_item got;
    for (got = poll(gate); got.kind != RASKI_GATE_END; got = poll(gate)) {
        for (size_t i = 0; i < got.count; i++, next[got.input] += 2) {
            assert_int_equal(((pair *)got.records)[i].number, next[got.input]);
        }
        raski_input_gate_release(gate, &got);
    }
    assert_int_equal(next[0] + next[1], 2000001);
    raski_input_gate_destroy(gate);
    raski_result_writer_destroy(writer);
    raski_result_partition_unref(partition);
    raski_doorbell_unref(bell);
    assert_int_equal(raski_network_pool_in_use(pool), 0);
    raski_network_pool_destroy(pool);
}

static void test_blocking_is_read_more_than_once(void **state) {
    (void)state;
    fixture f;
    raski_error err = {0};
    set_up(&f, &rask_type_pair, 2, RASKI_SELECT_BROADCAST, RASKI_STORAGE_BLOCKING, 0);
    write_pairs(&f, 0, 10000);
    assert_int_equal(poll(f.gates[0]).kind, RASKI_GATE_NONE);
    assert_false(raski_result_partition_is_finished(f.partition));
    uint32_t seen = raski_doorbell_sequence(f.consumer_bell);
    must(raski_result_writer_finish(f.writer, &err), &err);
    assert_true(raski_doorbell_wait(f.consumer_bell, seen, RASKI_FOREVER));
    assert_true(raski_result_partition_bytes(f.partition, 1) >= 10000 * sizeof(pair));
    raski_result_writer_destroy(f.writer);
    f.writer = NULL;
    assert_int_equal(raski_network_pool_in_use(f.pool), 0);
    for (int round = 0; round < 3; round++) {
        raski_input_gate *again = raski_input_gate_create(f.consumer_bell);
        must(raski_input_gate_add(again, f.partition, 1, 0, &err), &err);
        int64_t number = 0;
        raski_gate_item got;
        for (got = poll(again); got.kind == RASKI_GATE_BATCH; got = poll(again)) {
            pair *records = got.records;
            for (size_t i = 0; i < got.count; i++) assert_int_equal(records[i].number, number++);
            raski_input_gate_release(again, &got);
            if (round == 1 && number > 5000) break; /* leaves in the middle */
        }
        if (round != 1) {
            assert_int_equal(number, 10000);
            raski_input_gate_release(again, &got);
            assert_int_equal(poll(again).kind, RASKI_GATE_END);
        }
        raski_input_gate_destroy(again);
    }
    tear_down(&f);
}

static void test_spill_directory_must_exist(void **state) {
    (void)state;
    raski_error err = {0};
    raski_network_pool *pool = raski_network_pool_create(8);
    raski_result_partition_options options = {.pool = pool,
                                              .subpartition_count = 1,
                                              .type = &rask_type_pair,
                                              .storage = RASKI_STORAGE_BLOCKING,
                                              .spill_directory = "/nonexistent/spill"};
    raski_result_partition *partition = NULL;
    assert_int_equal(raski_result_partition_create(&options, &partition, &err), RASK_E_NOT_FOUND);
    assert_string_equal(err.message,
                        "cannot make a temporary file in \"/nonexistent/spill\": No "
                        "such file or directory");
    assert_null(partition);
    raski_network_pool_destroy(pool);
}

static void test_blocked_channels_are_left_alone(void **state) {
    (void)state;
    fixture f;
    set_up(&f, &rask_type_pair, 1, RASKI_SELECT_FORWARD, RASKI_STORAGE_PIPELINED, 0);
    write_pairs(&f, 0, 3);
    raski_input_gate_block(f.gates[0], 0, true);
    assert_int_equal(poll(f.gates[0]).kind, RASKI_GATE_NONE);
    raski_input_gate_block(f.gates[0], 0, false);
    assert_int_equal(read_pairs(f.gates[0], 0), 3);
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flush_shows_partial_buffers),
        cmocka_unit_test(test_timeout_zero_shows_each_commit),
        cmocka_unit_test(test_timeout_bounds_the_age),
        cmocka_unit_test(test_events_stand_between_records),
        cmocka_unit_test(test_broadcast_is_shared),
        cmocka_unit_test(test_too_few_buffers),
        cmocka_unit_test(test_full_exchange_is_unavailable),
        cmocka_unit_test(test_cancel_ends_waiting),
        cmocka_unit_test(test_lost_producer_cancels_the_consumer),
        cmocka_unit_test(test_huge_string_passes),
        cmocka_unit_test(test_record_beyond_the_limit),
        cmocka_unit_test(test_never_wait_goes_beyond_the_pool),
        cmocka_unit_test(test_blocking_is_read_more_than_once),
        cmocka_unit_test(test_spill_directory_must_exist),
        cmocka_unit_test(test_blocked_channels_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
