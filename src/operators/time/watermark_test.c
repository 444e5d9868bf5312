/* The bookkeeping of event time: the valve against a model that looks at all channels, generators,
 * splits; cases of reports.md by their ids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "operators/time/combined_watermark.h"
#include "operators/time/watermark_generator.h"
#include "operators/time/watermark_output_multiplexer.h"
#include "operators/time/watermark_valve.h"

/* What was handed on, as text: "ACTIVE wm5 IDLE ". */
static char told[512];

static void note(const char *word) {
    const size_t length = strlen(told);
    (void)snprintf(told + length, sizeof told - length, "%s ", word);
}

static void note_change(raski_watermark_change change) {
    char watermark[32];
    (void)snprintf(watermark, sizeof watermark, "wm%lld", (long long)change.watermark_ms);
    if (change.has_status && !change.idle) note("ACTIVE");
    if (change.has_watermark) note(watermark);
    if (change.has_status && change.idle) note("IDLE");
}

static void assert_told(const char *expected) {
    assert_string_equal(told, expected);
    told[0] = '\0';
}

/* ---------------------------------------------------------------- the valve */
static void valve_watermark(raski_watermark_valve *valve, size_t channel, int64_t watermark_ms) {
    raski_watermark_change change;
    assert_int_equal(raski_watermark_valve_watermark(valve, channel, watermark_ms, &change, NULL),
                     RASK_OK);
    note_change(change);
}

static void valve_status(raski_watermark_valve *valve, size_t channel, bool idle) {
    raski_watermark_change change;
    assert_int_equal(raski_watermark_valve_status(valve, channel, idle, &change, NULL), RASK_OK);
    note_change(change);
}

/* The order in which channels become idle must not decide how far the watermark gets. */
static void report_W1_all_idle_flushes_the_highest(void **state) {
    (void)state;
    for (int first = 0; first < 2; first++) {
        raski_watermark_valve valve;
        raski_watermark_valve_init(&valve, 2);
        if (first == 0) {
            valve_watermark(&valve, 0, 10);
            valve_status(&valve, 0, true);
            assert_told("");
            valve_watermark(&valve, 1, 5);
            assert_told("wm5 ");
            valve_status(&valve, 1, true);
        } else {
            valve_watermark(&valve, 0, 10);
            valve_watermark(&valve, 1, 5);
            assert_told("wm5 ");
            valve_status(&valve, 1, true);
            valve_status(&valve, 0, true);
        }
        assert_told("wm10 IDLE ");
        raski_watermark_valve_fini(&valve);
    }
}

static void valve_refuses_a_channel_that_it_does_not_have(void **state) {
    (void)state;
    raski_watermark_valve valve;
    raski_watermark_change change;
    raski_error err = {0};
    raski_watermark_valve_init(&valve, 0);
    assert_int_equal(raski_watermark_valve_status(&valve, 0, true, &change, &err), RASK_E_ARGUMENT);
    assert_string_equal(err.exception, "IndexOutOfBoundsException");
    raski_watermark_valve_fini(&valve);
}

/* The same, with nothing but a list of channels. */
enum { MODEL_CHANNELS_MAX = 300 };
typedef struct model_channel {
    int64_t watermark;
    bool idle, aligned;
} model_channel;
typedef struct model {
    model_channel channels[MODEL_CHANNELS_MAX];
    size_t count;
    int64_t watermark;
    bool idle;
} model;

static raski_watermark_change model_advance(model *m, bool all) {
    raski_watermark_change change = {0};
    int64_t least = INT64_MAX;
    int64_t highest = INT64_MIN;
    bool any = false;
    for (size_t i = 0; i < m->count; i++) {
        const model_channel *c = &m->channels[i];
        if (c->watermark > highest) highest = c->watermark;
        if (!c->aligned) continue;
        any = true;
        if (c->watermark < least) least = c->watermark;
    }
    const int64_t reached = all ? highest : least;
    if ((!any && !all) || reached <= m->watermark) return change;
    m->watermark = reached;
    return (raski_watermark_change){.has_watermark = true, .watermark_ms = reached};
}

static raski_watermark_change model_watermark(model *m, size_t channel, int64_t watermark) {
    model_channel *c = &m->channels[channel];
    if (m->idle || c->idle || watermark <= c->watermark) return (raski_watermark_change){0};
    c->watermark = watermark;
    if (watermark >= m->watermark) c->aligned = true;
    return model_advance(m, false);
}

static raski_watermark_change model_status(model *m, size_t channel, bool idle) {
    raski_watermark_change change = {0};
    model_channel *c = &m->channels[channel];
    if (c->idle == idle) return change;
    c->idle = idle;
    c->aligned = !idle && c->watermark >= m->watermark;
    bool all_idle = true;
    for (size_t i = 0; i < m->count; i++) all_idle = all_idle && m->channels[i].idle;
    if (idle && c->watermark == m->watermark) change = model_advance(m, all_idle);
    if (all_idle == m->idle) return change;
    m->idle = all_idle;
    change.has_status = true;
    change.idle = all_idle;
    return change;
}

static uint64_t random_state;
static uint32_t random_below(uint32_t bound) {
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(random_state >> 33) % bound;
}

static void valve_equals_the_model(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 3, 7, 64, MODEL_CHANNELS_MAX};
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_state = seed;
        model m = {.count = counts[seed % (sizeof counts / sizeof *counts)],
                   .watermark = INT64_MIN};
        raski_watermark_valve valve;
        raski_watermark_valve_init(&valve, m.count);
        for (size_t i = 0; i < m.count; i++)
            m.channels[i] = (model_channel){INT64_MIN, false, true};
        for (int step = 0; step < 2000; step++) {
            const size_t channel = random_below((uint32_t)m.count);
            raski_watermark_change got;
            raski_watermark_change expected;
            if (random_below(4) > 0) {
                const int64_t watermark = (int64_t)step + random_below(200);
                expected = model_watermark(&m, channel, watermark);
                assert_int_equal(
                    raski_watermark_valve_watermark(&valve, channel, watermark, &got, NULL),
                    RASK_OK);
            } else {
                const bool idle = random_below(2) == 0;
                expected = model_status(&m, channel, idle);
                assert_int_equal(raski_watermark_valve_status(&valve, channel, idle, &got, NULL),
                                 RASK_OK);
            }
            note_change(expected);
            char text[sizeof told];
            memcpy(text, told, sizeof told);
            told[0] = '\0';
            note_change(got);
            assert_told(text);
        }
        raski_watermark_valve_fini(&valve);
    }
}

/* ---------------------------------------------------------------- inputs of an operator */
static void report_W9_an_idle_input_does_not_hold_back_the_other(void **state) {
    (void)state;
    raski_combined_watermark inputs;
    raski_combined_watermark_init(&inputs, 2);
    note_change(raski_combined_watermark_status(&inputs, 0, true));
    assert_told("");
    note_change(raski_combined_watermark_advance(&inputs, 1, 7));
    assert_told("wm7 ");
    note_change(raski_combined_watermark_status(&inputs, 1, true));
    assert_told("IDLE ");
    note_change(raski_combined_watermark_status(&inputs, 0, false));
    assert_told("ACTIVE ");
    note_change(raski_combined_watermark_advance(&inputs, 0, 5));
    assert_told("");
    note_change(raski_combined_watermark_advance(&inputs, 0, 9));
    assert_told("wm9 ");
    raski_combined_watermark_fini(&inputs);
}

static void the_slowest_of_many_inputs_decides(void **state) {
    (void)state;
    raski_combined_watermark inputs;
    raski_combined_watermark_init(&inputs, 4);
    for (size_t i = 1; i < 4; i++)
        note_change(raski_combined_watermark_advance(&inputs, i, (int64_t)i));
    assert_told("");
    note_change(raski_combined_watermark_status(&inputs, 0, true));
    assert_told("wm1 ");
    note_change(raski_combined_watermark_status(&inputs, 1, true));
    assert_told("wm2 ");
    raski_combined_watermark_fini(&inputs);
}

/* ---------------------------------------------------------------- splits */
static raski_split_watermark *add_split(raski_watermark_multiplexer *mux, const char *id) {
    raski_split_watermark *split = NULL;
    assert_int_equal(raski_watermark_multiplexer_register(mux, id, &split, NULL), RASK_OK);
    return split;
}

/* In 2.2.0 nobody hears that the last split has gone. The multiplexer's answers are 2.2.0's; that
 * there is nothing to wait for is asked separately, and its owner says IDLE then. */
static void report_W6_the_last_split_ends(void **state) {
    (void)state;
    raski_watermark_multiplexer mux;
    raski_watermark_emitter emitter = RASKI_WATERMARK_EMITTER_INITIAL;
    raski_watermark_multiplexer_init(&mux);
    raski_split_watermark *split = add_split(&mux, "1");
    note_change(raski_watermark_multiplexer_advance(&mux, split, 5));
    assert_false(raski_watermark_multiplexer_is_idle(&mux));
    assert_true(raski_watermark_multiplexer_unregister(&mux, "1"));
    note_change(raski_watermark_multiplexer_periodic(&mux));
    assert_told("wm5 ");
    assert_true(raski_watermark_multiplexer_is_idle(&mux));
    note_change(
        raski_watermark_emitter_status(&emitter, raski_watermark_multiplexer_is_idle(&mux)));
    assert_told("IDLE ");
    assert_false(raski_watermark_multiplexer_unregister(&mux, "1"));
    raski_watermark_multiplexer_fini(&mux);
}

static void deferred_watermarks_wait_for_the_next_look(void **state) {
    (void)state;
    raski_watermark_multiplexer mux;
    raski_watermark_multiplexer_init(&mux);
    raski_split_watermark *a = add_split(&mux, "a");
    raski_split_watermark *b = add_split(&mux, "b");
    raski_watermark_multiplexer_defer_watermark(a, 4);
    raski_watermark_multiplexer_defer_watermark(b, 9);
    assert_told("");
    note_change(raski_watermark_multiplexer_periodic(&mux));
    assert_told("wm4 ");
    raski_watermark_multiplexer_defer_status(a, true);
    note_change(raski_watermark_multiplexer_periodic(&mux));
    assert_told("wm9 ");
    /* a new split cannot take the watermark back */
    raski_split_watermark *c = add_split(&mux, "c");
    note_change(raski_watermark_multiplexer_advance(&mux, c, 3));
    note_change(raski_watermark_multiplexer_advance(&mux, b, 30));
    assert_told("");
    assert_true(raski_watermark_multiplexer_find(&mux, "c") == c);
    assert_null(raski_watermark_multiplexer_find(&mux, "d"));
    note_change(raski_watermark_multiplexer_status(&mux, c, true));
    assert_told("wm30 ");
    raski_watermark_multiplexer_fini(&mux);
}

/* ---------------------------------------------------------------- generators */
typedef struct collector {
    raski_watermark_output output; /* first */
    raski_watermark_emitter emitter;
} collector;

static void collect_watermark(raski_watermark_output *self, int64_t watermark_ms) {
    note_change(raski_watermark_emitter_advance(&((collector *)self)->emitter, watermark_ms));
}

static void collect_status(raski_watermark_output *self, bool idle) {
    note_change(raski_watermark_emitter_status(&((collector *)self)->emitter, idle));
}

static collector collector_of_nothing(void) {
    return (collector){{collect_watermark, collect_status}, RASKI_WATERMARK_EMITTER_INITIAL};
}

static const raski_watermark_strategy bounded_5_idle_after_1s = {
    .kind = RASKI_WATERMARKS_BOUNDED,
    .max_out_of_orderness_ms = 5,
    .has_idleness = true,
    .idleness_ms = 1000,
};
static const int64_t SECOND_NS = 1000000000;

static void report_W5_a_stream_is_active_before_it_resumes(void **state) {
    (void)state;
    collector c = collector_of_nothing();
    note_change(raski_watermark_emitter_advance(&c.emitter, 10));
    note_change(raski_watermark_emitter_status(&c.emitter, true));
    assert_told("wm10 IDLE ");
    note_change(raski_watermark_emitter_advance(&c.emitter, 10));
    assert_told("ACTIVE ");
    note_change(raski_watermark_emitter_advance(&c.emitter, 11));
    assert_told("wm11 ");
    /* with idleness: before the record */
    raski_watermark_generator generator;
    raski_watermark_generator_init(&generator, &bounded_5_idle_after_1s, NULL, NULL);
    const int64_t timestamps[] = {20, 19};
    assert_false(raski_watermark_generator_on_records(&generator, timestamps, 2));
    for (int look = 0; look < 4; look++)
        raski_watermark_generator_on_periodic(&generator, look * SECOND_NS, &c.output);
    assert_told("wm14 IDLE ");
    assert_true(raski_watermark_generator_on_records(&generator, timestamps, 2));
    assert_false(raski_watermark_generator_on_records(&generator, timestamps, 2));
}

static void report_W17_idleness_is_told_once(void **state) {
    (void)state;
    collector c = collector_of_nothing();
    raski_watermark_generator generator;
    raski_watermark_generator_init(&generator, &bounded_5_idle_after_1s, NULL, NULL);
    const int64_t timestamp = 20;
    (void)raski_watermark_generator_on_records(&generator, &timestamp, 1);
    int64_t now = 0;
    for (int look = 0; look < 20; look++, now += SECOND_NS / 2)
        raski_watermark_generator_on_periodic(&generator, now, &c.output);
    assert_told("wm14 IDLE ");
    /* the record and the look at the same time: ACTIVE, and not IDLE again */
    if (raski_watermark_generator_on_records(&generator, &timestamp, 1))
        collect_status(&c.output, false);
    raski_watermark_generator_on_periodic(&generator, now, &c.output);
    raski_watermark_generator_on_periodic(&generator, now, &c.output);
    assert_told("ACTIVE ");
}

/* Neither an empty stream nor the extremes of the range give anything wrong. */
static void bounds_do_not_overflow(void **state) {
    (void)state;
    const int64_t bounds[] = {0, 1, INT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        const raski_watermark_strategy strategy = {.kind = RASKI_WATERMARKS_BOUNDED,
                                                   .max_out_of_orderness_ms = bounds[i]};
        collector c = collector_of_nothing();
        raski_watermark_generator generator;
        raski_watermark_generator_init(&generator, &strategy, NULL, NULL);
        raski_watermark_generator_on_periodic(&generator, 0, &c.output);
        const int64_t least = INT64_MIN;
        (void)raski_watermark_generator_on_records(&generator, &least, 1);
        raski_watermark_generator_on_periodic(&generator, 0, &c.output);
        assert_told("");
        const int64_t highest = INT64_MAX;
        (void)raski_watermark_generator_on_records(&generator, &highest, 1);
        raski_watermark_generator_on_periodic(&generator, 0, &c.output);
        char expected[64];
        (void)snprintf(expected, sizeof expected, "wm%lld ",
                       (long long)(INT64_MAX - bounds[i] - 1));
        assert_told(expected);
    }
}

static void batches_of_any_size_have_their_highest(void **state) {
    (void)state;
    enum { SIZE_MAX_OF_TEST = 19 };
    const raski_watermark_strategy strategy = {.kind = RASKI_WATERMARKS_BOUNDED};
    int64_t timestamps[SIZE_MAX_OF_TEST];
    random_state = 7;
    for (size_t n = 1; n <= SIZE_MAX_OF_TEST; n++) {
        for (size_t at = 0; at < n; at++) { /* the highest stands at every place */
            raski_watermark_generator generator;
            raski_watermark_generator_init(&generator, &strategy, NULL, NULL);
            for (size_t i = 0; i < n; i++) timestamps[i] = (int64_t)random_below(1000) - 500;
            timestamps[at] = 1000;
            (void)raski_watermark_generator_on_records(&generator, timestamps, n);
            assert_int_equal(generator.max_timestamp_ms, 1000);
            timestamps[at] = 999;
            (void)raski_watermark_generator_on_records(&generator, timestamps, n);
            assert_int_equal(generator.max_timestamp_ms, 1000);
        }
    }
}

static void strategies_are_checked(void **state) {
    (void)state;
    const struct {
        raski_watermark_strategy strategy;
        const char *message;
    } cases[] = {
        {{.kind = RASKI_WATERMARKS_BOUNDED, .max_out_of_orderness_ms = -1},
         "maxOutOfOrderness cannot be negative"},
        {{.has_idleness = true}, "idleTimeout must be greater than zero"},
        {{.alignment_group = "g", .max_drift_ms = -1, .update_interval_ms = 1},
         "maxAllowedWatermarkDrift must be greater than or equal to zero"},
        {{.alignment_group = "g"}, "updateInterval must be positive"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        raski_error err = {0};
        assert_int_equal(raski_watermark_strategy_check(&cases[i].strategy, &err), RASK_E_ARGUMENT);
        assert_string_equal(err.message, cases[i].message);
        assert_string_equal(err.exception, "IllegalArgumentException");
    }
    assert_int_equal(raski_watermark_strategy_check(&bounded_5_idle_after_1s, NULL), RASK_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_W1_all_idle_flushes_the_highest),
        cmocka_unit_test(valve_refuses_a_channel_that_it_does_not_have),
        cmocka_unit_test(valve_equals_the_model),
        cmocka_unit_test(report_W9_an_idle_input_does_not_hold_back_the_other),
        cmocka_unit_test(the_slowest_of_many_inputs_decides),
        cmocka_unit_test(report_W6_the_last_split_ends),
        cmocka_unit_test(deferred_watermarks_wait_for_the_next_look),
        cmocka_unit_test(report_W5_a_stream_is_active_before_it_resumes),
        cmocka_unit_test(report_W17_idleness_is_told_once),
        cmocka_unit_test(bounds_do_not_overflow),
        cmocka_unit_test(batches_of_any_size_have_their_highest),
        cmocka_unit_test(strategies_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
