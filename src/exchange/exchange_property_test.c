/* exchange_property_test.c - random streams through random exchanges, threads on both sides: every
 * record arrives once, at a consumer it was meant for, in order, with its text, its columns, and
 * between the right events; and no buffer is left. The seed is printed when something is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "exchange/input_gate.h"
#include "exchange/result_writer.h"
#include "platform/clock.h"
#include "platform/thread.h"
#include "rask/rask.h"
#include "types/key_group.h"

enum { TASKS_MAX = 4, MAX_PARALLELISM = 128, TEXT_MAX = 200 * 1024 };

typedef struct plain_record {
    int64_t number;
    int64_t producer;
} plain_record;
RASK_TYPE(plain_record, number, producer);

typedef struct text_record {
    int64_t number;
    int64_t producer;
    rask_string text;
} text_record;
RASK_TYPE(text_record, number, producer, text);

typedef struct scenario {
    uint64_t seed;
    raski_channel_selector_kind selector;
    raski_result_storage storage;
    uint32_t producers, consumers;
    bool has_text, has_timestamps, has_hashes;
    bool consumer_leaves, producer_fails;
    int64_t buffer_timeout_ms;
    int64_t records; /* per producer */
    size_t pool_size;
} scenario;

typedef struct task {
    const scenario *what;
    uint32_t index;
    uint64_t random;
    raski_doorbell *bell;
    _Atomic bool cancelled;
    raski_thread *thread;
    raski_result_partition *partition; /* producers */
    raski_input_gate *gate;            /* consumers */
    int64_t events_emitted;
    int64_t received; /* consumers: records */
    bool saw_abandoned;
} task;

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}
static uint64_t next_random(task *t) {
    return mix(t->random += 0x9e3779b97f4a7c15ULL);
}

static char alphabet[TEXT_MAX + 64];

/* The text of a record follows from its number: mostly short, sometimes larger than a buffer. */
static rask_string text_of(int64_t number) {
    uint64_t x = mix((uint64_t)number);
    size_t length = x % 13;
    if (x % 5 == 0) length = (x >> 8) % 200;
    if (x % 401 == 0) length = (x >> 8) % 40000;
    if (x % 4001 == 0) length = (x >> 8) % TEXT_MAX;
    return rask_string_of(alphabet + (x >> 40) % 64, length);
}
static int64_t timestamp_of(int64_t number) {
    return (int64_t)mix((uint64_t)number + 1);
}
static int32_t hash_of(int64_t number) {
    return (int32_t)mix((uint64_t)number + 2);
}

/* ---- producing */
static rask_status choose_custom(void *context, const void *records, size_t count,
                                 uint32_t channel_count, uint32_t *channels, raski_error *err) {
    (void)err;
    const scenario *what = context;
    RASKI_ASSERT(channel_count > 0 && channel_count == what->consumers);
    size_t size = what->has_text ? sizeof(text_record) : sizeof(plain_record);
    for (size_t i = 0; i < count; i++) {
        int64_t number =
            ((const plain_record *)(const void *)((const char *)records + i * size))->number;
        channels[i] = (uint32_t)((uint64_t)number / 3 % channel_count);
    }
    return RASK_OK;
}

static void fill(const task *t, void *records, int64_t *timestamps, int32_t *hashes, int64_t from,
                 size_t count) {
    for (size_t i = 0; i < count; i++) {
        int64_t number = from + (int64_t)i;
        if (t->what->has_text) {
            ((text_record *)records)[i] = (text_record){number, (int64_t)t->index, text_of(number)};
        } else {
            ((plain_record *)records)[i] = (plain_record){number, (int64_t)t->index};
        }
        if (timestamps != NULL) timestamps[i] = timestamp_of(number);
        hashes[i] = hash_of(number);
    }
}

static rask_status produce_some(task *t, raski_result_writer *writer, int64_t *number,
                                raski_error *err) {
    static _Thread_local char own[64 * sizeof(text_record)];
    int32_t hashes[4096];
    int64_t timestamps[64];
    size_t left = (size_t)(t->what->records - *number);
    if (next_random(t) % 3 == 0) {
        size_t count = 1 + next_random(t) % 64;
        if (count > left) count = left;
        fill(t, own, timestamps, hashes, *number, count);
        *number += (int64_t)count;
        return raski_result_writer_write(writer, own, count,
                                         t->what->has_timestamps ? timestamps : NULL, hashes, err);
    }
    raski_window window;
    RASKI_TRY(raski_result_writer_window(writer, &window, err));
    RASKI_ASSERT(window.capacity > 0);
    assert_int_equal(window.timestamps != NULL, t->what->has_timestamps);
    size_t count = next_random(t) % 2 ? window.capacity : 1 + next_random(t) % window.capacity;
    if (count > left) count = left;
    if (count > 4096) count = 4096;
    fill(t, window.records, window.timestamps, hashes, *number, count);
    *number += (int64_t)count;
    return raski_result_writer_commit(writer, count, hashes, err);
}

static rask_status emit(task *t, raski_result_writer *writer, int64_t number, raski_error *err) {
    char options[1000];
    memset(options, (int)(number & 0x7f), sizeof options);
    raski_event event = {.kind = RASKI_EVENT_WATERMARK, .value = number};
    if (next_random(t) % 4 == 0) {
        event.kind = RASKI_EVENT_BARRIER;
        event.timestamp = t->events_emitted;
        event.options = options;
        event.options_size = (uint32_t)(next_random(t) % sizeof options);
    }
    t->events_emitted++;
    return raski_result_writer_emit_event(writer, &event, err);
}

static rask_status produce(task *t, raski_result_writer *writer, raski_error *err) {
    int64_t number = 0;
    int64_t fail_at = t->what->producer_fails ? t->what->records / 2 : t->what->records;
    while (number < fail_at) {
        uint64_t what = next_random(t) % 100;
        if (what < 10) {
            RASKI_TRY(emit(t, writer, number, err));
        } else if (what < 13) {
            RASKI_TRY(raski_result_writer_flush(writer, err));
        } else if (what < 16) {
            RASKI_TRY(raski_result_writer_idle(writer, err));
        } else {
            RASKI_TRY(produce_some(t, writer, &number, err));
        }
    }
    return t->what->producer_fails ? RASK_OK : raski_result_writer_finish(writer, err);
}

static void produce_main(void *context) {
    task *t = context;
    raski_error err = {0};
    raski_result_writer_options options = {
        .selector = {.kind = t->what->selector,
                     .seed = t->what->seed + 1,
                     .max_parallelism = MAX_PARALLELISM,
                     .custom = choose_custom,
                     .custom_context = (void *)(uintptr_t)t->what},
        .buffer_timeout_ms = t->what->buffer_timeout_ms,
        .doorbell = t->bell,
        .cancelled = &t->cancelled,
    };
    raski_result_writer *writer;
    rask_status status = raski_result_writer_create(t->partition, &options, &writer, &err);
    assert_int_equal(status, RASK_OK);
    status = produce(t, writer, &err);
    if (status != RASK_OK) fprintf(stderr, "producer: %s\n", err.message);
    assert_int_equal(status, RASK_OK);
    raski_result_writer_destroy(writer);
    raski_result_partition_unref(t->partition);
}

/* ---- consuming */
typedef struct channel_view {
    int64_t last;      /* number of the last record, -1 none */
    int64_t watermark; /* numbers from here on may follow */
    int64_t received;
} channel_view;

static bool is_meant_for(const scenario *what, int64_t number, uint32_t consumer) {
    switch (what->selector) {
        case RASKI_SELECT_HASH: {
            int32_t group = raski_key_group_of_hash(hash_of(number), MAX_PARALLELISM);
            return raski_subtask_of_key_group(MAX_PARALLELISM, (int32_t)what->consumers, group) ==
                   (int32_t)consumer;
        }
        case RASKI_SELECT_CUSTOM:
            return (uint64_t)number / 3 % what->consumers == consumer;
        case RASKI_SELECT_RESCALE:
            return (uint64_t)number % what->consumers == consumer;
        case RASKI_SELECT_FORWARD:
        case RASKI_SELECT_GLOBAL:
            return consumer == 0;
        default:
            return true;
    }
}

static void check_text(const text_record *record) {
    rask_string expected = text_of(record->number);
    assert_int_equal(record->text.len, expected.len);
    assert_memory_equal(rask_string_data(&record->text), rask_string_data(&expected), expected.len);
}

static void check_batch(task *t, const raski_gate_item *item, channel_view *view) {
    const scenario *what = t->what;
    assert_true(item->count > 0);
    assert_int_equal(item->timestamps != NULL, what->has_timestamps);
    assert_int_equal(item->hashes != NULL, what->has_hashes);
    assert_int_equal(item->exclusive,
                     !(what->selector == RASKI_SELECT_BROADCAST && what->consumers > 1));
    size_t size = what->has_text ? sizeof(text_record) : sizeof(plain_record);
    for (size_t i = 0; i < item->count; i++) {
        plain_record *record = (void *)((char *)item->records + i * size);
        int64_t number = record->number;
        assert_int_equal(record->producer, item->channel);
        assert_true(number > view->last && number >= view->watermark);
        assert_true(is_meant_for(what, number, t->index));
        if (what->selector == RASKI_SELECT_BROADCAST) assert_int_equal(number, view->last + 1);
        if (what->has_text) check_text((text_record *)record);
        if (item->timestamps) assert_true(item->timestamps[i] == timestamp_of(number));
        if (item->hashes) assert_true(item->hashes[i] == hash_of(number));
        if (item->exclusive) record->producer = -1; /* may be changed in place */
        view->last = number;
    }
    view->received += (int64_t)item->count;
    t->received += (int64_t)item->count;
}

static void check_event(const raski_gate_item *item, channel_view *view) {
    assert_true(item->event.value > view->last);
    assert_true(item->event.value >= view->watermark);
    view->watermark = item->event.value;
    for (uint32_t i = 0; i < item->event.options_size; i++) {
        assert_int_equal(((const char *)item->event.options)[i], item->event.value & 0x7f);
    }
}

static void consume_main(void *context) {
    task *t = context;
    raski_error err = {0};
    channel_view views[TASKS_MAX];
    for (int i = 0; i < TASKS_MAX; i++) views[i] = (channel_view){-1, 0, 0};
    for (;;) {
        uint32_t seen = raski_doorbell_sequence(t->bell);
        raski_gate_item item;
        rask_status status = raski_input_gate_poll(t->gate, &item, &err);
        if (status == RASK_E_CANCELLED && t->what->producer_fails) {
            t->saw_abandoned = true;
            break;
        }
        if (status != RASK_OK) fprintf(stderr, "consumer: %s\n", err.message);
        assert_int_equal(status, RASK_OK);
        if (item.kind == RASKI_GATE_END) break;
        if (item.kind == RASKI_GATE_NONE) {
            (void)raski_doorbell_wait(t->bell, seen, RASKI_FOREVER);
            continue;
        }
        if (item.kind == RASKI_GATE_BATCH) check_batch(t, &item, &views[item.channel]);
        if (item.kind == RASKI_GATE_EVENT) check_event(&item, &views[item.channel]);
        raski_input_gate_release(t->gate, &item);
        if (t->what->consumer_leaves && t->received > t->what->records / 3) break;
    }
    raski_input_gate_destroy(t->gate);
}

/* ---- the whole */
static void check_total(const scenario *what, task *consumers) {
    int64_t received = 0, expected = what->records * what->producers;
    for (uint32_t i = 0; i < what->consumers; i++) received += consumers[i].received;
    if (what->selector == RASKI_SELECT_BROADCAST) expected *= what->consumers;
    assert_int_equal(received, expected);
    if (what->selector == RASKI_SELECT_REBALANCE) {
        for (uint32_t i = 0; i < what->consumers; i++) {
            int64_t share = what->records * what->producers / what->consumers;
            assert_true(labs(consumers[i].received - share) <= what->producers);
        }
    }
}

static void start(task *t, const char *name, raski_thread_main run) {
    assert_int_equal(raski_thread_create(name, 0, run, t, &t->thread, NULL), RASK_OK);
}

static void run_scenario(const scenario *what) {
    raski_network_pool *pool = raski_network_pool_create(what->pool_size);
    task producers[TASKS_MAX], consumers[TASKS_MAX];
    memset(producers, 0, sizeof producers);
    memset(consumers, 0, sizeof consumers);
    for (uint32_t i = 0; i < what->consumers; i++) {
        task *t = &consumers[i];
        *t = (task){.what = what, .index = i, .random = what->seed * 31 + i};
        assert_int_equal(raski_doorbell_create(&t->bell, NULL), RASK_OK);
        t->gate = raski_input_gate_create(t->bell);
    }
    for (uint32_t i = 0; i < what->producers; i++) {
        task *t = &producers[i];
        *t = (task){.what = what, .index = i, .random = what->seed * 17 + i};
        assert_int_equal(raski_doorbell_create(&t->bell, NULL), RASK_OK);
        raski_result_partition_options options = {
            .name = "random source",
            .pool = pool,
            .storage = what->storage,
            .subpartition_count = what->consumers,
            .type = what->has_text ? &rask_type_text_record : &rask_type_plain_record,
            .has_timestamps = what->has_timestamps,
            .has_hashes = what->has_hashes,
        };
        raski_error err = {0};
        rask_status status = raski_result_partition_create(&options, &t->partition, &err);
        if (status != RASK_OK) fprintf(stderr, "%s\n", err.message);
        assert_int_equal(status, RASK_OK);
        for (uint32_t k = 0; k < what->consumers; k++) {
            assert_int_equal(raski_input_gate_add(consumers[k].gate, t->partition, k, i % 2, NULL),
                             RASK_OK);
        }
    }
    for (uint32_t i = 0; i < what->consumers; i++) start(&consumers[i], "consumer", consume_main);
    for (uint32_t i = 0; i < what->producers; i++) start(&producers[i], "producer", produce_main);
    for (uint32_t i = 0; i < what->producers; i++) raski_thread_join(producers[i].thread);
    for (uint32_t i = 0; i < what->consumers; i++) raski_thread_join(consumers[i].thread);
    if (!what->consumer_leaves && !what->producer_fails) check_total(what, consumers);
    if (what->producer_fails && !what->consumer_leaves) {
        for (uint32_t i = 0; i < what->consumers; i++) assert_true(consumers[i].saw_abandoned);
    }
    for (uint32_t i = 0; i < what->producers; i++) raski_doorbell_unref(producers[i].bell);
    for (uint32_t i = 0; i < what->consumers; i++) raski_doorbell_unref(consumers[i].bell);
    assert_int_equal(raski_network_pool_in_use(pool), 0);
    assert_int_equal(raski_network_pool_required(pool), 0);
    raski_network_pool_destroy(pool);
}

static scenario random_scenario(uint64_t seed) {
    task t = {.random = seed * 0x1234567};
    static const int64_t timeouts[] = {-1, 0, 1, 100};
    scenario what = {
        .seed = seed,
        .selector = (raski_channel_selector_kind)(next_random(&t) % (RASKI_SELECT_HASH + 1)),
        .producers = 1 + (uint32_t)(next_random(&t) % 3),
        .consumers = 1 + (uint32_t)(next_random(&t) % TASKS_MAX),
        .has_text = next_random(&t) % 2,
        .has_timestamps = next_random(&t) % 2,
        .has_hashes = next_random(&t) % 2,
        .consumer_leaves = next_random(&t) % 10 == 0,
        .producer_fails = next_random(&t) % 10 == 0,
        .buffer_timeout_ms = timeouts[next_random(&t) % 4],
        .records = 1 + (int64_t)(next_random(&t) % 20000),
    };
    what.storage = next_random(&t) % 4 == 0 ? RASKI_STORAGE_BLOCKING : RASKI_STORAGE_PIPELINED;
    /* as few as are promised, or plenty */
    what.pool_size = (size_t)what.producers * (what.consumers + 1);
    if (next_random(&t) % 2) what.pool_size += next_random(&t) % 200;
    return what;
}

static void test_random_exchanges(void **state) {
    (void)state;
    const char *given = getenv("RASK_TEST_SEED"), *rounds_text = getenv("RASK_TEST_ROUNDS");
    uint64_t first = given ? strtoull(given, NULL, 10) : 1;
    uint64_t rounds = rounds_text ? strtoull(rounds_text, NULL, 10) : given ? 1 : 60;
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        scenario what = random_scenario(seed);
        fprintf(stderr, "RASK_TEST_SEED=%llu selector %d %u to %u\n", (unsigned long long)seed,
                (int)what.selector, what.producers, what.consumers);
        run_scenario(&what);
    }
}

int main(void) {
    for (size_t i = 0; i < sizeof alphabet; i++) alphabet[i] = (char)('a' + i * 7 % 26);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_exchanges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
