/* Time-to-live of keyed state, with a clock that the test moves; on both backends. What is expected
 * is what Flink's TtlValueState, TtlListState and TtlMapState do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <rask/function.h>

#include "operators/harness/operator_harness.h"

enum { TTL_MS = 100, ABSENT = -1 };
enum { READ = 1, WRITE, SUM, PUT, GET, COUNT, ADD };

typedef struct {
    int64_t key, what, number;
} command;
RASK_TYPE(command, key, what, number);

typedef struct {
    rask_value(int64_t) value;
    rask_value(rask_string) text;
    rask_list_state(int64_t) list;
    rask_map_state(int64_t, rask_string) map;
    rask_ttl ttl;
} memory;
RASK_STATE(memory, value, text, list, map);

static rask_string text_of(int64_t n) {
    return rask_string_format("a text of more than twelve bytes: %lld", (long long)n);
}
static int64_t number_of(const rask_string *text) {
    return text == NULL ? ABSENT : rask_string_data(text)[text->len - 1] - '0';
}
RASK_KEYED_PROCESS(obey, memory, self, command, c, int64_t, out) {
    switch (c.what) {
        case READ: {
            const int64_t *value = rask_get(self->value);
            int64_t number = value == NULL ? ABSENT : *value;
            rask_emit(out, number);
            rask_emit(out, number_of(rask_get(self->text)));
            break;
        }
        case WRITE:
            rask_set(self->value, c.number);
            rask_set(self->text, text_of(c.number));
            break;
        case ADD: /* to an expired value: to none */
            *rask_ref(self->value) += c.number;
            rask_list_add(self->list, c.number);
            break;
        case SUM: {
            int64_t sum = 0;
            const int64_t *items = rask_list_items(self->list);
            uint32_t count = rask_list_count(self->list);
            for (uint32_t i = 0; i < count; i++) sum += items[i];
            rask_emit(out, sum);
            break;
        }
        case PUT:
            rask_map_put(self->map, c.number, text_of(c.number));
            break;
        case GET:
            rask_emit(out, number_of(rask_map_get(self->map, c.number)));
            break;
        case COUNT: {
            int64_t count = 0;
            rask_map_each(self->map, e) count += number_of(e.value) == *e.key;
            rask_emit(out, count);
            break;
        }
        default:
            break;
    }
}
#define LIVES(state, ttl) \
    rask_state_ttl(&(state), .time_ms = (ttl).time_ms, .update = (ttl).update, \
                   .visibility = (ttl).visibility, .cleanup_keys = (ttl).cleanup_keys)
RASK_OPEN(obey, self) {
    LIVES(self->value, self->ttl);
    LIVES(self->text, self->ttl);
    LIVES(self->list, self->ttl);
    LIVES(self->map, self->ttl);
    return RASK_OK;
}

/* ---------------------------------------------------------------- the operator */
typedef struct driven {
    raski_operator_definition *def;
    raski_configuration *configuration;
    raski_operator_harness *harness;
    memory self;
} driven;

static const raski_key_definition KEY = {.fields = {1, {{0, &rask_type_int64_t}}}};

static void start(driven *d, const char *backend, rask_ttl ttl) {
    raski_error error = {0};
    *d = (driven){.def = raski_operator_definition_create(),
                  .configuration = raski_configuration_create(),
                  .self = {.ttl = ttl}};
    assert_int_equal(raski_configuration_set(d->configuration, "state.backend.type", backend,
                                             &RASKI_ORIGIN_BY_PROGRAM, &error),
                     RASK_OK);
    d->def->fn = &raski_fn_obey.base;
    d->def->in = &rask_type_command;
    d->def->out = &rask_type_int64_t;
    d->def->key = &KEY;
    memory *self = raski_memdup(&d->self, sizeof d->self);
    d->def->self = self;
    const raski_operator_harness_options options = {.configuration = d->configuration,
                                                    .processing_time_ms = 1000};
    assert_int_equal(raski_operator_harness_create(d->def, &options, &d->harness, &error), RASK_OK);
    rask_status status = raski_operator_harness_open(d->harness, &error);
    if (status != RASK_OK) fail_msg("%s", error.message);
}
static void stop(driven *d) {
    raski_operator_harness_destroy(d->harness);
    raski_operator_definition_destroy(d->def);
    raski_configuration_destroy(d->configuration);
}
static void at(driven *d, int64_t time_ms) {
    assert_int_equal(raski_operator_harness_set_time(d->harness, time_ms, NULL), RASK_OK);
}
static void tell(driven *d, int64_t what, int64_t number) {
    const command c = {.key = 7, .what = what, .number = number};
    raski_error error = {0};
    if (raski_operator_harness_process(d->harness, 0, &c, NULL, 1, &error) != RASK_OK)
        fail_msg("%s", error.message);
}
static int64_t output(driven *d, size_t i) {
    return *(const int64_t *)raski_operator_harness_output(d->harness, i)->record;
}
static int64_t ask(driven *d, int64_t what, int64_t number) {
    raski_operator_harness_clear(d->harness);
    tell(d, what, number);
    assert_true(raski_operator_harness_output_count(d->harness) > 0);
    return output(d, 0);
}
static void expect_both(driven *d, int64_t number) {
    assert_int_equal(ask(d, READ, 0), number);
    assert_int_equal(output(d, 1), number);
}

/* ---------------------------------------------------------------- tests */
static void writing_starts_the_time_again(void **backend) {
    driven d;
    start(&d, *backend, (rask_ttl){.time_ms = TTL_MS});
    expect_both(&d, ABSENT);
    tell(&d, WRITE, 1);
    at(&d, 1000 + TTL_MS - 1);
    expect_both(&d, 1); /* reading does not */
    tell(&d, WRITE, 2);
    at(&d, 1000 + TTL_MS);
    expect_both(&d, 2);
    at(&d, 1000 + 2 * TTL_MS - 2);
    expect_both(&d, 2);
    at(&d, 1000 + 2 * TTL_MS - 1); /* expired when time + ttl <= now */
    expect_both(&d, ABSENT);
    tell(&d, ADD, 5);
    at(&d, 1000 + 2 * TTL_MS);
    assert_int_equal(ask(&d, READ, 0), 5);
    at(&d, 1000 + 4 * TTL_MS);
    tell(&d, ADD, 3); /* the 5 has expired */
    assert_int_equal(ask(&d, READ, 0), 3);
    stop(&d);
}

static void reading_may_start_the_time_again(void **backend) {
    driven d;
    start(&d, *backend, (rask_ttl){.time_ms = TTL_MS, .update = RASK_TTL_ON_READ_AND_WRITE});
    tell(&d, WRITE, 1);
    tell(&d, ADD, 4);
    tell(&d, PUT, 6);
    for (int64_t time_ms = 1000; time_ms < 1000 + 5 * TTL_MS; time_ms += TTL_MS - 1) {
        at(&d, time_ms);
        assert_int_equal(ask(&d, READ, 0), 5);
        assert_int_equal(ask(&d, SUM, 0), 4);
        assert_int_equal(ask(&d, GET, 6), 6);
    }
    at(&d, 1000 + 7 * TTL_MS);
    expect_both(&d, ABSENT);
    assert_int_equal(ask(&d, SUM, 0), 0);
    assert_int_equal(ask(&d, GET, 6), ABSENT);
    stop(&d);
}

static void what_expired_may_be_read_once_more(void **backend) {
    driven d;
    start(&d, *backend,
          (rask_ttl){.time_ms = TTL_MS,
                     .visibility = RASK_TTL_RETURN_EXPIRED_IF_NOT_CLEANED_UP,
                     .cleanup_keys = -1});
    tell(&d, WRITE, 1);
    tell(&d, PUT, 6);
    at(&d, 1000 + TTL_MS);
    expect_both(&d, 1);
    expect_both(&d, ABSENT);
    assert_int_equal(ask(&d, GET, 6), 6);
    assert_int_equal(ask(&d, GET, 6), ABSENT);
    tell(&d, ADD, 2);
    at(&d, 1000 + TTL_MS + 50);
    tell(&d, ADD, 3);
    at(&d, 1000 + 2 * TTL_MS); /* 2 has expired, 3 has not: both are there, again and again */
    assert_int_equal(ask(&d, SUM, 0), 5);
    assert_int_equal(ask(&d, SUM, 0), 5);
    at(&d, 1000 + 3 * TTL_MS);
    tell(&d, PUT, 1);
    assert_int_equal(ask(&d, GET, 1), 1);
    stop(&d);
}

static void items_and_entries_have_each_their_own(void **backend) {
    driven d;
    start(&d, *backend, (rask_ttl){.time_ms = TTL_MS});
    for (int64_t i = 1; i <= 9; i++) {
        at(&d, 1000 + i * 20);
        tell(&d, ADD, i);
        tell(&d, PUT, i);
    }
    at(&d, 1000 + 180); /* those of 1100 and more are left: 5 to 9 are not, 1080 + 100 is */
    assert_int_equal(ask(&d, SUM, 0), 5 + 6 + 7 + 8 + 9);
    assert_int_equal(ask(&d, COUNT, 0), 5);
    assert_int_equal(ask(&d, GET, 4), ABSENT);
    assert_int_equal(ask(&d, GET, 5), 5);
    at(&d, 1000 + 1000);
    assert_int_equal(ask(&d, SUM, 0), 0);
    assert_int_equal(ask(&d, COUNT, 0), 0);
    stop(&d);
}

static void what_expired_is_cleaned_up_in_the_background(void **backend) {
    driven d;
    start(&d, *backend,
          (rask_ttl){.time_ms = TTL_MS, .visibility = RASK_TTL_RETURN_EXPIRED_IF_NOT_CLEANED_UP});
    tell(&d, WRITE, 1);
    at(&d, 1000 + TTL_MS);
    for (int64_t i = 0; i < 3; i++) tell(&d, PUT, 1); /* batches that look at keys */
    expect_both(&d, ABSENT);
    stop(&d);
}

int main(void) {
    static const char *const backends[] = {"hashmap", "rocksdb"};
    enum { TESTS = 5 };
    struct CMUnitTest tests[2 * TESTS];
    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        void *backend = (void *)(uintptr_t)backends[i];
#define ADD_TEST(name) tests[count++] = (struct CMUnitTest)cmocka_unit_test_prestate(name, backend)
        ADD_TEST(writing_starts_the_time_again);
        ADD_TEST(reading_may_start_the_time_again);
        ADD_TEST(what_expired_may_be_read_once_more);
        ADD_TEST(items_and_entries_have_each_their_own);
        ADD_TEST(what_expired_is_cleaned_up_in_the_background);
#undef ADD_TEST
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
