/* Event time in whole jobs: timestamps reach functions, watermarks stand between the records where
 * they belong, strategies are checked. */
#include <rask/testing.h>
#include <rask/window.h>

#include "e2e_test_util.h"

typedef struct {
    rask_timestamp at;
    int64_t n;
} event;
RASK_TYPE(event, (at, rask_timestamp), n);

/* What a function saw: the record, its timestamp, event time when it came. */
typedef struct {
    int64_t n, timestamp, watermark;
} seen;
RASK_TYPE(seen, n, timestamp, watermark);
typedef struct {
    bool tells_end;
} observer;
RASK_INSTANCE(observer);
RASK_PROCESS(observe, observer, self, event, e, seen, out) {
    (void)self;
    rask_emit(out, (seen){e.n, rask_timestamp(out), rask_watermark(out)});
}
RASK_ON_END(observe, self, out) {
    if (self->tells_end) rask_emit(out, (seen){-1, rask_timestamp(out), rask_watermark(out)});
}
/* Without watermarks, for jobs whose watermarks depend on the clock. */
typedef struct {
    int64_t n, timestamp;
} stamp;
RASK_TYPE(stamp, n, timestamp);
RASK_PROCESS(read_stamp, observer, self, event, e, stamp, out) {
    (void)self;
    rask_emit(out, (stamp){e.n, rask_timestamp(out)});
}

enum { EVENTS = 3000 };
static event events[EVENTS];
static void make_events(void) {
    for (int64_t i = 0; i < EVENTS; i++) events[i] = (event){1000 + i * 7919 % 5000, i};
}

RASK_FILTER(keep_some, event, e) {
    return e.n % 3 != 0;
}
RASK_MAP(mark, event, e, event) {
    return (event){e.at, e.n + 1000000};
}
RASK_FLAT_MAP(twice, event, e, event, out) {
    rask_emit(out, e);
    if (e.n % 2) rask_emit(out, ((event){0, -e.n}));
}
static void timestamps_go_with_records(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0};
        lines want = {0};
        rask_stream(event) timed = rask_assign_timestamps(rask_array(env, event, events, EVENTS),
                                                          at, .max_out_of_orderness_ms = 10000);
        rask_stream(event) some = rask_filter(rask_rebalance(timed), keep_some);
        rask_stream(event) more = rask_flat_map(rask_map(some, mark), twice);
        rask_keyed(event) by_n = rask_key_by(more, n);
        COLLECT(stamp, rask_process(rask_as_stream(by_n), read_stamp), &have);
        for (int i = 0; i < EVENTS; i++) {
            const int64_t n = events[i].n + 1000000;
            if (events[i].n % 3 == 0) continue;
            ADD(stamp, &want, {n, events[i].at});
            if (n % 2) ADD(stamp, &want, {-n, events[i].at});
        }
        assert_same_records(s, &have, &want);
    }
}

/* ---------------------------------------------------------------- watermarks in their places */
typedef struct {
    int64_t every, count;
} punctuation;
RASK_INSTANCE(punctuation);
RASK_WATERMARK_GENERATOR(punctuate, punctuation, self, event, e, timestamp, out) {
    if (++self->count % (self->every ? self->every : 1) == 0)
        rask_emit_watermark(out, timestamp - 1);
    (void)e;
}
/* One subtask, one path: each record must come behind exactly the watermarks of those before it. */
static void watermarks_stand_between_records(void **state) {
    (void)state;
    static const int64_t every[] = {1, 7, 100};
    for (size_t k = 0; k < 3; k++) {
        for (int chained = 0; chained < 2; chained++) {
            rask_env *env = env_with_parallelism(1);
            if (!chained) rask_disable_chaining(env);
            lines have = {0};
            lines want = {0};
            rask_stream(event) timed =
                rask_assign_timestamps(rask_array(env, event, events, EVENTS), at,
                                       .watermarks = RASK_WATERMARKS(
                                           punctuate, RASK_SELF(punctuation, .every = every[k])));
            COLLECT(seen,
                    rask_process(rask_map(timed, mark), observe,
                                 .self = RASK_SELF(observer, .tells_end = true)),
                    &have);
            int64_t watermark = INT64_MIN;
            for (int i = 0; i < EVENTS; i++) {
                ADD(seen, &want, {events[i].n + 1000000, events[i].at, watermark});
                if ((i + 1) % every[k] == 0 && events[i].at - 1 > watermark)
                    watermark = events[i].at - 1;
            }
            ADD(seen, &want, {-1, RASK_NO_TIMESTAMP, INT64_MAX});
            assert_same_sequence(NULL, &have, &want);
        }
    }
}

/* Of two inputs the slower one counts. */
RASK_CO_PROCESS(observe_both, observer, self, event, e, event, seen, out) {
    (void)self;
    rask_emit(out, (seen){e.n, rask_timestamp(out), rask_watermark(out)});
}
RASK_ON_SECOND(observe_both, self, e, out) {
    (void)self;
    rask_emit(out, (seen){e.n, rask_timestamp(out), rask_watermark(out)});
}
static void an_input_without_watermarks_holds_back(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    lines have = {0};
    lines want = {0};
    rask_stream(event) fast = rask_assign_timestamps(rask_array(env, event, events, 100), at,
                                                     .watermarks = RASK_WATERMARKS(punctuate));
    rask_stream(event) slow = rask_assign_timestamps(rask_array(env, event, events, 100), at,
                                                     .watermarks = RASK_NO_WATERMARKS);
    COLLECT(seen, rask_connect(fast, rask_map(slow, mark), observe_both), &have);
    assert_int_equal(have.count, 200);
    size_t of_slow = 0;
    for (size_t i = 0; i < have.count; i++) {
        lines one = {0};
        lines_add(&one, "%s", have.items[i]);
        of_slow += strstr(one.items[0], "(10000") == one.items[0];
        /* a record of the slow one: nothing has been reached yet, as it ends behind them */
        if (strstr(one.items[0], "(10000") == one.items[0])
            assert_non_null(strstr(one.items[0], "-9223372036854775808"));
        lines_free(&one);
    }
    assert_int_equal(of_slow, 100);
    lines_free(&have);
    lines_free(&want);
}

/* ---------------------------------------------------------------- assigners */
RASK_TIMESTAMPS(later, event, e, previous) {
    if (previous == RASK_NO_TIMESTAMP) return e.n;
    return previous + 5;
}
static void assigners_see_the_previous_timestamp(void **state) {
    (void)state;
    FOR_EACH_MODE(s) {
        rask_env *env = env_of(s);
        lines have = {0};
        lines want = {0};
        rask_stream(event) first =
            rask_assign_timestamps_fn(rask_array(env, event, events, EVENTS), later);
        rask_stream(event) second = rask_assign_timestamps_fn(rask_rebalance(first), later);
        rask_stream(event) third = rask_assign_watermarks(second, .max_out_of_orderness_ms = 3);
        COLLECT(stamp, rask_process(third, read_stamp), &have);
        for (int i = 0; i < EVENTS; i++) ADD(stamp, &want, {events[i].n, events[i].n + 5});
        assert_same_records(s, &have, &want);
    }
}

RASK_TIMESTAMPS(failing, event, e, previous) {
    if (e.n == 17) (void)rask_fail("no time for %lld", (long long)e.n);
    return previous;
}
RASK_WATERMARK_GENERATOR(failing_generator, punctuation, self, event, e, timestamp, out) {
    if (e.n == 18) (void)rask_fail("no watermark for %lld", (long long)e.n);
}
static void failures_name_the_record(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_assign_timestamps_fn(rask_array(env, event, events, 100), failing));
    assert_fails(env, "no time for 17");
    env = env_with_parallelism(1);
    rask_discard(rask_assign_timestamps(rask_array(env, event, events, 100), at,
                                        .watermarks = RASK_WATERMARKS(failing_generator)));
    assert_fails(env, "no watermark for 18");
}

/* ---------------------------------------------------------------- one operator at a time */
static void assert_text(rask_harness *h, const char *expected) {
    assert_string_equal(rask_harness_message(h), "");
    assert_string_equal(rask_harness_text(h), expected);
}

static void an_assigner_under_test(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_option(env, "pipeline.auto-watermark-interval", "100 ms");
    rask_stream(event) in = rask_test_input(env, event);
    rask_harness *h = rask_harness_create(
        rask_assign_timestamps(in, at, .max_out_of_orderness_ms = 3, .idleness_ms = 1000));
    (void)rask_harness_push(h, event, 77, {10, 1});
    (void)rask_harness_push(h, event, RASK_NO_TIMESTAMP, {8, 2});
    (void)rask_harness_set_time(h, 100);
    assert_text(h, "(10,1) @ 10\n(8,2) @ 8\nwatermark 6\n");
    (void)rask_harness_watermark(h, 50); /* ends here */
    (void)rask_harness_idle(h, 0, true);
    for (int64_t ms = 200; ms <= 2000; ms += 100) (void)rask_harness_set_time(h, ms);
    assert_text(h, "idle\n");
    (void)rask_harness_push(h, event, 77, {9, 3});
    assert_text(h, "active\n(9,3) @ 9\n");
    (void)rask_harness_watermark(h, INT64_MAX);
    assert_text(h, "watermark 9223372036854775807\n");
    rask_harness_destroy(h);
    rask_env_destroy(env);
}

static void report_W9_connected_streams_respect_idleness(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_stream(event) a = rask_test_input(env, event);
    rask_stream(event) b = rask_test_input(env, event);
    rask_harness *h = rask_harness_create(rask_connect(a, b, observe_both));
    (void)rask_harness_idle(h, 0, true);
    assert_text(h, "");
    (void)rask_harness_watermark_of(h, 1, 7);
    assert_text(h, "watermark 7\n");
    (void)rask_harness_push_to(h, 1, event, 9, {9, 1});
    assert_text(h, "(1,9,7) @ 9\n");
    (void)rask_harness_idle(h, 1, true);
    assert_text(h, "idle\n");
    rask_harness_destroy(h);
    rask_env_destroy(env);
}

/* As in Flink: that nothing comes does not mean that time goes on (docs/event-time.md). */
static void report_W11_idleness_does_not_close_windows(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_stream(event) in = rask_test_input(env, event);
    rask_windowed(event) tens =
        rask_window(rask_key_by(in, n), rask_tumbling_event_time(.size_ms = 10));
    rask_harness *h = rask_harness_create(rask_window_sum(tens, at));
    (void)rask_harness_push(h, event, 5, {5, 1});
    (void)rask_harness_watermark(h, 4);
    (void)rask_harness_idle(h, 0, true);
    (void)rask_harness_set_time(h, 1000000);
    assert_text(h, "watermark 4\nidle\n");
    (void)rask_harness_idle(h, 0, false);
    (void)rask_harness_watermark(h, 9);
    assert_text(h, "active\n(5,1) @ 9\nwatermark 9\n");
    rask_harness_destroy(h);
    rask_env_destroy(env);
}

/* ---------------------------------------------------------------- mistakes */
RASK_WATERMARK_GENERATOR(of_seen, punctuation, self, seen, e, timestamp, out) {}
RASK_PROCESS(emits_watermark, observer, self, event, e, event, out) {
    (void)self, (void)e;
    rask_emit_watermark(out, 5);
}
RASK_PROCESS(emits_at, observer, self, event, e, event, out) {
    (void)self;
    rask_emit_at(out, 5, e);
}
static void strategies_are_checked_at_the_call(void **state) {
    (void)state;
#define REFUSED(part, ...) \
    do { \
        rask_env *env = env_with_parallelism(1); \
        rask_stream(event) s = rask_array(env, event, events, 10); \
        (void)s; \
        rask_discard(__VA_ARGS__); \
        assert_fails(env, part); \
    } while (0)
    REFUSED("maxOutOfOrderness cannot be negative",
            rask_assign_timestamps(s, at, .max_out_of_orderness_ms = -1));
    REFUSED("idleTimeout must be greater than zero",
            rask_assign_timestamps(s, at, .idleness_ms = -1));
    REFUSED("RASK_WATERMARKS(fn, RASK_SELF",
            rask_assign_timestamps(s, at, .self = RASK_SELF(punctuation, .every = 1)));
    REFUSED("sources only", rask_assign_timestamps(s, at, .alignment_group = "g"));
    REFUSED("need an .alignment_group", rask_assign_timestamps(s, at, .max_drift_ms = 5));
    REFUSED("takes records of type",
            rask_assign_timestamps(s, at, .watermarks = RASK_WATERMARKS(of_seen)));
    REFUSED("instances of type",
            rask_assign_timestamps(s, at,
                                   .watermarks = RASK_WATERMARKS(punctuate, RASK_SELF(observer))));
    REFUSED("either .watermarks or .max_out_of_orderness_ms",
            rask_assign_timestamps(s, at, .watermarks = RASK_NO_WATERMARKS,
                                   .max_out_of_orderness_ms = 5));
    REFUSED("have no timestamps yet", rask_assign_watermarks(s));
    REFUSED("watermarks need timestamps",
            rask_array(env, event, events, 10, .max_out_of_orderness_ms = 5));
    REFUSED("field \"n\"",
            rask_array(env, event, events, 10, .timestamps = RASK_TIMESTAMP_FIELD(seen, n)));
    REFUSED("only sources and watermark generators", rask_process(s, emits_watermark));
    REFUSED("RASK_OWN_TIMESTAMPS", rask_process(s, emits_at));
}

int main(void) {
    make_events();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timestamps_go_with_records),
        cmocka_unit_test(watermarks_stand_between_records),
        cmocka_unit_test(an_input_without_watermarks_holds_back),
        cmocka_unit_test(assigners_see_the_previous_timestamp),
        cmocka_unit_test(failures_name_the_record),
        cmocka_unit_test(an_assigner_under_test),
        cmocka_unit_test(report_W9_connected_streams_respect_idleness),
        cmocka_unit_test(report_W11_idleness_does_not_close_windows),
        cmocka_unit_test(strategies_are_checked_at_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
