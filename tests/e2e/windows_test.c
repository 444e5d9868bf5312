/* Windows as programs write them: the cases T* of reports.md by their names, user triggers, states
 * of windows and keys, mistakes, plans; and whole jobs compared with a plain model. */
#include <rask/testing.h>

#include "e2e_test_util.h"

/* ---------------------------------------------------------------- records and functions */
typedef struct {
    rask_string key;
    int64_t value;
} item;
RASK_TYPE(item, key, value);
RASK_SIDE_OUTPUT(late_items, item);

typedef struct {
    int64_t unused;
} plain;
RASK_INSTANCE(plain);

/* [START,END)[VALUES] */
RASK_WINDOW_PROCESS(show, plain, self, item, elements, rask_string, out) {
    char text[512];
    int length = snprintf(text, sizeof text, "[%lld,%lld)[", (long long)rask_window_start(out),
                          (long long)rask_window_end(out));
    for (uint32_t i = 0; i < elements.count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%lld", i ? "," : "",
                           (long long)elements.items[i].value);
    length += snprintf(text + length, sizeof text - (size_t)length, "]");
    rask_emit(out, rask_string_copy(text, (size_t)length));
}
RASK_SESSION_GAP(own_gap, item, i) {
    return i.value;
}
RASK_REDUCE(add, item, a, b) {
    a.value += b.value;
    return a;
}

/* A harness over items with one key, whose values tell them apart. */
typedef struct under_test {
    rask_env *env;
    rask_harness *h;
} under_test;

static under_test windows_of(rask_windows windows) {
    rask_env *env = rask_env_create(NULL, NULL);
    rask_stream(item) in = rask_test_input(env, item);
    rask_stream(rask_string) out =
        rask_window_process(rask_window(rask_key_by(in, key), windows, .late = windows.late), show);
    if (windows.late != NULL) (void)rask_side_output(out, late_items);
    return (under_test){env, rask_harness_create(out)};
}
static void done(under_test t) {
    rask_harness_destroy(t.h);
    rask_env_destroy(t.env);
}
static void push(under_test t, int64_t timestamp_ms, int64_t value) {
    assert_int_equal(rask_harness_push(t.h, item, timestamp_ms, {rask_string_from("k"), value}),
                     RASK_OK);
}
/* Moves event time and expects what comes out before the watermark. */
static void expect_at(under_test t, int64_t watermark_ms, const char *outputs) {
    char expected[1024];
    snprintf(expected, sizeof expected, "%swatermark %lld\n", outputs, (long long)watermark_ms);
    assert_int_equal(rask_harness_watermark(t.h, watermark_ms), RASK_OK);
    assert_string_equal(rask_harness_text(t.h), expected);
}
static void expect(under_test t, const char *outputs) {
    assert_string_equal(rask_harness_text(t.h), outputs);
}

/* ---------------------------------------------------------------- reports.md */
static void t1_negative_times(void **state) {
    (void)state;
    under_test t = windows_of(rask_tumbling_event_time(.size_ms = 10));
    push(t, -1, -1);
    expect_at(t, -1, "[-10,0)[-1] @ -1\n");
    done(t);
    t = windows_of(rask_sliding_event_time(.size_ms = 10, .slide_ms = 5));
    push(t, -1, -1);
    push(t, 0, 0);
    expect_at(t, 20, "[-10,0)[-1] @ -1\n[-5,5)[-1,0] @ 4\n[0,10)[0] @ 9\n");
    done(t);
}

static char *mistake_of(rask_windows windows) {
    rask_env *env = rask_env_create(NULL, NULL);
    rask_stream(item) in = rask_values(env, item, {rask_string_from("k"), 1});
    rask_discard(rask_window_process(rask_window(rask_key_by(in, key), windows), show));
    char *message = NULL;
    char *plan = rask_execution_plan(env, &message);
    assert_null(plan);
    assert_non_null(message);
    rask_env_destroy(env);
    return message;
}
static void expect_mistake(rask_windows windows, const char *text) {
    char *message = mistake_of(windows);
    if (strstr(message, text) == NULL) fail_msg("expected \"%s\" in: %s", text, message);
    assert_non_null(strstr(message, "windows_test.c:")); /* the call that caused it */
    free(message);
}

static void t2_offsets(void **state) {
    (void)state;
    under_test t = windows_of(rask_tumbling_event_time(.size_ms = 10, .offset_ms = -3));
    push(t, 0, 0);
    expect_at(t, 6, "[-3,7)[0] @ 6\n");
    done(t);
    expect_mistake(rask_tumbling_event_time(.size_ms = 10, .offset_ms = 10),
                   "TumblingEventTimeWindows parameters must satisfy abs(offset) < size");
    expect_mistake(rask_tumbling_event_time(.size_ms = 10, .offset_ms = INT64_MIN + 1),
                   "TumblingEventTimeWindows parameters must satisfy abs(offset) < size");
    /* Java's abs of the smallest number is negative: a size of zero would pass, and divide by it.
     */
    expect_mistake(rask_tumbling_event_time(.size_ms = 0, .offset_ms = INT64_MIN),
                   "TumblingEventTimeWindows parameters must satisfy abs(offset) < size");
}

static void t4_one_window_covers_others(void **state) {
    (void)state;
    under_test t = windows_of(rask_dynamic_session_event_time(own_gap));
    push(t, 1, 3);
    push(t, 5, 2);
    push(t, 0, 10);
    assert_int_equal(rask_harness_watermark(t.h, 50), RASK_OK);
    const char *text = rask_harness_text(t.h);
    assert_non_null(strstr(text, "[0,10)["));
    assert_non_null(strstr(text, "3"));
    assert_non_null(strstr(text, "2"));
    assert_non_null(strstr(text, " @ 9\nwatermark 50\n"));
    assert_int_equal(rask_harness_timers(t.h, false), 0);
    done(t);
}

static void t6_merged_windows_leave_nothing(void **state) {
    (void)state;
    under_test t = windows_of(rask_session_event_time(.gap_ms = 5, .allowed_lateness_ms = 3));
    push(t, 0, 1);
    push(t, 10, 2);
    push(t, 5, 3); /* merges both */
    assert_int_equal(rask_harness_timers(t.h, false), 2);
    expect_at(t, 14, "[0,15)[1,2,3] @ 14\n");
    expect_at(t, 17, "");
    assert_int_equal(rask_harness_timers(t.h, false), 0);
    push(t, 8, 4); /* a session of its own would be late, and there is no other left to join */
    assert_int_equal(rask_harness_counter(t.h, "numLateRecordsDropped"), 1);
    done(t);
}

static void t7_lateness(void **state) {
    (void)state;
    for (int with_tag = 0; with_tag < 2; with_tag++) {
        under_test t =
            windows_of(rask_tumbling_event_time(.size_ms = 10, .allowed_lateness_ms = 5,
                                                .late = with_tag ? rask_late(late_items) : NULL));
        push(t, 1, 1);
        expect_at(t, 10, "[0,10)[1] @ 9\n");
        push(t, 2, 2);
        expect(t, "[0,10)[1,2] @ 9\n");
        expect_at(t, 13, "");
        push(t, 3, 3);
        expect(t, "[0,10)[1,2,3] @ 9\n");
        expect_at(t, 14, "");
        push(t, 4, 4);
        expect(t, with_tag ? "late_items: (k,4) @ 4\n" : "");
        expect_at(t, 15, "");
        push(t, 5, 5);
        expect(t, with_tag ? "late_items: (k,5) @ 5\n" : "");
        assert_int_equal(rask_harness_counter(t.h, "numLateRecordsDropped"), with_tag ? 0 : 2);
        done(t);
    }
}

static void t8_continuous_trigger_fires_at_the_end_too(void **state) {
    (void)state;
    under_test t = windows_of(
        rask_tumbling_processing_time(.size_ms = 5,
                                      .trigger = rask_continuous_processing_time_trigger(2)));
    push(t, RASK_NO_TIMESTAMP, 1);
    for (int64_t now = 1; now <= 4; now++)
        assert_int_equal(rask_harness_set_time(t.h, now), RASK_OK);
    expect(t, "[0,5)[1] @ 4\n[0,5)[1] @ 4\n"); /* at 2 and at 4, where the window ends */
    assert_int_equal(rask_harness_timers(t.h, true), 0);
    done(t);
}

static void t10_element_at_the_end(void **state) {
    (void)state;
    under_test t = windows_of(rask_tumbling_event_time(.size_ms = 10));
    push(t, 9, 9);
    push(t, 10, 10);
    expect_at(t, 9, "[0,10)[9] @ 9\n");
    expect_at(t, 19, "[10,20)[10] @ 19\n");
    done(t);
}

/* Global windows have the last time there is. */
#define AT_MAX " @ 9223372036854775807\n"
#define GLOBAL "[-9223372036854775808,-9223372036854775808)"
static void t11_count_windows(void **state) {
    (void)state;
    under_test t = windows_of(rask_count_windows(.size = 2));
    for (int64_t i = 1; i <= 5; i++) push(t, i, i);
    expect(t, GLOBAL "[1,2]" AT_MAX GLOBAL "[3,4]" AT_MAX);
    expect_at(t, INT64_MAX, "");
    done(t);
    t = windows_of(rask_count_windows(.size = 3, .slide = 1));
    for (int64_t i = 1; i <= 4; i++) push(t, i, i);
    expect(t, GLOBAL "[1]" AT_MAX GLOBAL "[1,2]" AT_MAX GLOBAL "[1,2,3]" AT_MAX GLOBAL
                     "[2,3,4]" AT_MAX);
    done(t);
}

static void t17_window_at_the_epoch_fires_once(void **state) {
    (void)state;
    under_test t = windows_of(rask_tumbling_event_time(.size_ms = 10));
    push(t, 0, 0);
    expect_at(t, 9, "[0,10)[0] @ 9\n");
    expect_at(t, 10, "");
    done(t);
}

static void t18_offset_far_in_the_past(void **state) {
    (void)state;
    const int64_t day_ms = 86400000, now_ms = 1767225600000; /* 2026-01-01 */
    under_test t = windows_of(
        rask_tumbling_event_time(.size_ms = 365000 * day_ms, .offset_ms = -364999 * day_ms));
    push(t, now_ms, 1);
    expect_at(t, INT64_MAX, "[86400000,31536086400000)[1] @ 31536086399999\n");
    done(t);
    t = windows_of(rask_sliding_event_time(.size_ms = 10, .slide_ms = 5));
    push(t, INT64_MIN + 12, 1); /* nothing wraps around at the beginning of time */
    assert_int_equal(rask_harness_watermark(t.h, 0), RASK_OK);
    done(t);
}

static void t19_lateness_without_end(void **state) {
    (void)state;
    under_test t =
        windows_of(rask_tumbling_event_time(.size_ms = 10, .allowed_lateness_ms = INT64_MAX));
    push(t, 1, 1);
    expect_at(t, 10, "[0,10)[1] @ 9\n");
    push(t, 2, 2);
    expect(t, "[0,10)[1,2] @ 9\n");
    assert_int_equal(rask_harness_counter(t.h, "numLateRecordsDropped"), 0);
    done(t);
    t = windows_of(rask_session_event_time(.gap_ms = 5, .allowed_lateness_ms = INT64_MAX));
    push(t, 1, 1);
    expect_at(t, 10, "[1,6)[1] @ 5\n");
    push(t, 4, 2); /* merging does not overflow either */
    expect(t, "[1,9)[1,2] @ 8\n");
    done(t);
}

/* ---------------------------------------------------------------- what programs write themselves
 */
typedef struct {
    int64_t seen;
    rask_string longest; /* to see that strings in its state are kept */
} progress;
RASK_TYPE(progress, seen, longest);
RASK_TRIGGER(each_third, item, i, progress, p, trigger) {
    if (i.key.len > p->longest.len) p->longest = i.key;
    if (p->seen == 0) rask_trigger_register_event_timer(trigger, trigger->window_end_ms - 1);
    return ++p->seen % 3 == 0 ? RASK_FIRE : RASK_CONTINUE;
}
RASK_TRIGGER_ON_EVENT_TIME(each_third, p, time_ms, trigger) {
    return p->longest.len > 12 && p->seen > 0 ? RASK_FIRE_AND_PURGE : RASK_PURGE;
}
RASK_TRIGGER_ON_MERGE(each_third, into, from, trigger) {
    into->seen += from->seen;
    if (from->longest.len > into->longest.len) into->longest = from->longest;
    rask_trigger_register_event_timer(trigger, trigger->window_end_ms - 1);
}
RASK_TRIGGER_CLEAR(each_third, p, trigger) {
    rask_trigger_delete_event_timer(trigger, trigger->window_end_ms - 1);
}
#define LONG_KEY "a key that does not fit into a string"

static void a_trigger_of_the_program(void **state) {
    (void)state;
    under_test t =
        windows_of(rask_session_event_time(.gap_ms = 10, .trigger = rask_user_trigger(each_third)));
    for (int64_t i = 0; i < 4; i++) {
        const int64_t times[] = {
            0, 20, 10, 12}; /* the third merges two, in the order of a Java set, and fires */
        assert_int_equal(rask_harness_push(t.h, item, times[i], {rask_string_from(LONG_KEY), i}),
                         RASK_OK);
    }
    expect(t, "[0,30)[1,0,2] @ 29\n");
    expect_at(t, 29, "[0,30)[1,0,2,3] @ 29\n");
    assert_int_equal(rask_harness_timers(t.h, false), 0);
    done(t);
}

typedef struct {
    rask_value(int64_t) fires;
    rask_value(rask_string) last;  /* of the key */
    rask_value(rask_string) first; /* of the window */
} remembering;
RASK_STATE(remembering, fires, last);
RASK_WINDOW_PROCESS(remember, remembering, self, item, elements, rask_string, out) {
    char text[256];
    const rask_string *last = rask_get(self->last), *first = rask_get(self->first);
    const int length =
        snprintf(text, sizeof text, "fire %lld of a long key, %u elements, last %.4s, first %.4s",
                 (long long)++*rask_ref(self->fires), elements.count,
                 last ? rask_string_data(last) : "none", first ? rask_string_data(first) : "none");
    const rask_string emitted = rask_string_copy(text, (size_t)length);
    if (first == NULL) rask_set(self->first, emitted);
    rask_set(self->last, emitted);
    rask_emit(out, emitted);
}
RASK_WINDOW_STATE(remembering, first);
RASK_WINDOW_CLEAR(remember, self, out) {
    rask_clear(self->first);
}

static void states_of_keys_and_windows(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_stream(item) in = rask_test_input(env, item);
    rask_stream(rask_string) out = rask_window_reduce_process(
        rask_window(rask_key_by(in, key), rask_tumbling_event_time(.size_ms = 10),
                    .allowed_lateness_ms = 10),
        add, remember);
    rask_harness *h = rask_harness_create(out);
    assert_int_equal(rask_harness_push(h, item, 1, {rask_string_from(LONG_KEY), 1}), RASK_OK);
    assert_int_equal(rask_harness_watermark(h, 9), RASK_OK);
    assert_int_equal(rask_harness_push(h, item, 2, {rask_string_from(LONG_KEY), 2}), RASK_OK);
    assert_int_equal(rask_harness_push(h, item, 12, {rask_string_from(LONG_KEY), 2}), RASK_OK);
    assert_int_equal(rask_harness_watermark(h, 19), RASK_OK);
    assert_string_equal(rask_harness_text(h),
                        "fire 1 of a long key, 1 elements, last none, first none @ 9\n"
                        "watermark 9\n"
                        "fire 2 of a long key, 1 elements, last fire, first fire @ 9\n"
                        "fire 3 of a long key, 1 elements, last fire, first none @ 19\n"
                        "watermark 19\n");
    rask_harness_destroy(h);
    rask_env_destroy(env);
}

/* ---------------------------------------------------------------- mistakes */
RASK_DELTA(distance, item, a, b) {
    return (double)(b.value - a.value);
}
static void mistakes_are_found_when_built(void **state) {
    (void)state;
    expect_mistake(rask_tumbling_event_time(.size_ms = 0),
                   "TumblingEventTimeWindows parameters must satisfy abs(offset) < size");
    expect_mistake(rask_sliding_event_time(.size_ms = 10),
                   "SlidingEventTimeWindows parameters must satisfy abs(offset) < slide");
    expect_mistake(rask_session_event_time(.gap_ms = -4),
                   "EventTimeSessionWindows parameters must satisfy 0 < size");
    expect_mistake(rask_tumbling_event_time(.size_ms = 10, .allowed_lateness_ms = -1),
                   "The allowed lateness cannot be negative.");
    expect_mistake(rask_session_event_time(.gap_ms = 5, .trigger = rask_delta_trigger(distance, 3)),
                   "A merging window assigner cannot be used with a trigger that does not support "
                   "merging.");
    expect_mistake(rask_global_windows(.trigger = rask_event_time_trigger()),
                   "global windows have none");
    expect_mistake(
        rask_tumbling_event_time(.size_ms = 5, .trigger = rask_continuous_event_time_trigger(-1)),
        "ContinuousEventTimeTrigger parameters must satisfy 0 < interval");
    expect_mistake(rask_session_event_time(.gap_ms = 5, .size_ms = 3),
                   "EventTimeSessionWindows have no .size_ms");
}

static void a_gap_of_zero_fails_the_job(void **state) {
    (void)state;
    under_test t = windows_of(rask_dynamic_session_event_time(own_gap));
    assert_int_not_equal(rask_harness_push(t.h, item, 5, {rask_string_from("k"), 0}), RASK_OK);
    assert_non_null(strstr(rask_harness_message(t.h), "Dynamic session time gap must satisfy"));
    done(t);
}

/* ---------------------------------------------------------------- plans */
static void descriptions_are_flinks(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_stream(item) in = rask_values(env, item, {rask_string_from("k"), 1});
    rask_keyed(item) by_key = rask_key_by(in, key);
    rask_discard(
        rask_window_reduce(rask_window(by_key, rask_tumbling_event_time(.size_ms = 5000)), add));
    rask_discard(
        rask_window_process(rask_window(by_key, rask_count_windows(.size = 3, .slide = 2)), show));
    rask_discard(rask_window_sum(rask_window_all(in, rask_session_event_time(.gap_ms = 7)), value));
    char *plan = rask_execution_plan(env, NULL);
    assert_non_null(plan);
    assert_non_null(strstr(plan,
                           "Window(TumblingEventTimeWindows(5000), EventTimeTrigger, add, "
                           "PassThroughWindowFunction)"));
    assert_non_null(strstr(plan,
                           "Window(GlobalWindows(trigger=NeverTrigger), CountTrigger, "
                           "CountEvictor, show)"));
    assert_non_null(strstr(plan,
                           "TriggerWindow(EventTimeSessionWindows(7), "
                           "ReducingStateDescriptor{name=window-contents"));
    free(plan);
    rask_env_destroy(env);
}

/* ---------------------------------------------------------------- jobs */
enum { EVENTS = 20000, KEYS = 23 };
typedef struct {
    int64_t key, time_ms, value;
} event;
RASK_TYPE(event, key, time_ms, value);
typedef struct {
    int64_t key, end_ms, sum, count;
} total;
RASK_TYPE(total, key, end_ms, sum, count);
typedef struct {
    int64_t key, sum, count;
} sums;
RASK_TYPE(sums, key, sum, count);
RASK_AGGREGATE(sum_up, event, e, sums, s, sums) {
    s->key = e.key;
    s->sum += e.value;
    s->count++;
}
RASK_AGGREGATE_RESULT(sum_up, s) {
    return *s;
}
RASK_AGGREGATE_MERGE(sum_up, into, from) {
    into->sum += from->sum;
    into->count += from->count;
}
RASK_WINDOW_PROCESS(with_window, plain, self, sums, elements, total, out) {
    rask_emit(out, (total){*rask_key(out, int64_t), rask_window_end(out), elements.items[0].sum,
                           elements.items[0].count});
}

/* Disorder of at most 50 ms. */
static event event_at(int64_t i) {
    return (event){i * 7 % KEYS, i / 4 * 3 + i * 31 % 50, i % 101};
}
static event *events(void) {
    static event all[EVENTS];
    for (int64_t i = 0; i < EVENTS; i++) all[i] = event_at(i);
    return all;
}

static void jobs_equal_a_model(void **state) {
    (void)state;
    enum { SIZE = 500, SLIDE = 200, WINDOWS = EVENTS };
    static struct { int64_t sum, count; } model[KEYS][WINDOWS];
    FOR_EACH_MODE(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(event) in = rask_assign_timestamps(rask_array(env, event, events(), EVENTS),
                                                       time_ms, .max_out_of_orderness_ms = 50);
        rask_stream(total) out = rask_window_aggregate_process(
            rask_window(rask_key_by(in, key),
                        rask_sliding_event_time(.size_ms = SIZE, .slide_ms = SLIDE)),
            sum_up, with_window);
        COLLECT(total, out, &have);
        memset(model, 0, sizeof model);
        for (int64_t i = 0; i < EVENTS; i++) {
            const event e = event_at(i);
            for (int64_t w = e.time_ms / SLIDE; w * SLIDE > e.time_ms - SIZE; w--) {
                model[e.key][w + 3].sum += e.value; /* w may be -2 */
                model[e.key][w + 3].count++;
            }
        }
        for (int64_t key = 0; key < KEYS; key++)
            for (int64_t w = 0; w < WINDOWS; w++)
                if (model[key][w].count > 0)
                    ADD(total, &want,
                        ((total){key, (w - 3) * SLIDE + SIZE, model[key][w].sum,
                                 model[key][w].count}));
        assert_same_records(s, &have, &want);
    }
}

static void jobs_on_rocksdb(void **state) {
    (void)state;
    lines have[2] = {{0}, {0}};
    for (int rocksdb = 0; rocksdb < 2; rocksdb++) {
        rask_env *env = env_with_parallelism(2);
        if (rocksdb) rask_set_option(env, "state.backend.type", "rocksdb");
        rask_stream(event) in = rask_assign_timestamps(rask_array(env, event, events(), EVENTS / 4),
                                                       time_ms, .max_out_of_orderness_ms = 50);
        rask_stream(total) out = rask_window_aggregate_process(
            rask_window(rask_key_by(in, key), rask_session_event_time(.gap_ms = 40)), sum_up,
            with_window);
        COLLECT(total, out, &have[rocksdb]);
    }
    assert_same_records(NULL, &have[1], &have[0]);
}

typedef struct {
    int64_t key, left, right;
} match;
RASK_TYPE(match, key, left, right);
RASK_WINDOW_JOIN(join, event, l, event, r, match, out) {
    rask_emit(out, (match){l.key, l.value, r.value});
}
RASK_CO_GROUP(group, event, l, event, r, match, out) {
    rask_emit(out, (match){l.count ? l.items[0].key : r.items[0].key, l.count, r.count});
}
static void joins_equal_a_model(void **state) {
    (void)state;
    enum { SIZE = 100, N = 2000 };
    FOR_EACH_MODE(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(event) all = rask_assign_timestamps(rask_array(env, event, events(), N),
                                                        time_ms, .max_out_of_orderness_ms = 50);
        COLLECT(
            match,
            rask_window_join(all, key, all, key, rask_tumbling_event_time(.size_ms = SIZE), join),
            &have);
        for (int64_t i = 0; i < N; i++)
            for (int64_t k = 0; k < N; k++) {
                const event a = event_at(i), b = event_at(k);
                if (a.key == b.key && a.time_ms / SIZE == b.time_ms / SIZE)
                    ADD(match, &want, ((match){a.key, a.value, b.value}));
            }
        assert_same_records(s, &have, &want);
    }
}

static void co_groups_have_both_sides(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(2);
    rask_stream(event) a =
        rask_assign_timestamps(rask_values(env, event, {1, 5, 1}, {1, 6, 2}, {2, 7, 3}), time_ms);
    rask_stream(event) b =
        rask_assign_timestamps(rask_values(env, event, {1, 8, 1}, {3, 9, 2}), time_ms);
    lines have = {0}, want = {0};
    COLLECT(match, rask_co_group(a, key, b, key, rask_tumbling_event_time(.size_ms = 10), group),
            &have);
    ADD(match, &want, ((match){1, 2, 1}));
    ADD(match, &want, ((match){2, 1, 0}));
    ADD(match, &want, ((match){3, 0, 1}));
    assert_same_records(NULL, &have, &want);
}

RASK_MAP(without_key, sums, s, sums) {
    s.key = 0; /* that of whoever came last */
    return s;
}
static void windows_over_all_records(void **state) {
    (void)state;
    FOR_EACH_MODE(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(event) in = rask_assign_timestamps(rask_array(env, event, events(), EVENTS),
                                                       time_ms, .max_out_of_orderness_ms = 50);
        rask_stream(sums) out = rask_window_aggregate(
            rask_window_all(in, rask_tumbling_event_time(.size_ms = 10000000)), sum_up);
        COLLECT(sums, rask_map(out, without_key), &have);
        sums total_ = {.count = EVENTS};
        for (int64_t i = 0; i < EVENTS; i++) total_.sum += event_at(i).value;
        ADD(sums, &want, total_);
        assert_same_records(s, &have, &want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t1_negative_times),
        cmocka_unit_test(t2_offsets),
        cmocka_unit_test(t4_one_window_covers_others),
        cmocka_unit_test(t6_merged_windows_leave_nothing),
        cmocka_unit_test(t7_lateness),
        cmocka_unit_test(t8_continuous_trigger_fires_at_the_end_too),
        cmocka_unit_test(t10_element_at_the_end),
        cmocka_unit_test(t11_count_windows),
        cmocka_unit_test(t17_window_at_the_epoch_fires_once),
        cmocka_unit_test(t18_offset_far_in_the_past),
        cmocka_unit_test(t19_lateness_without_end),
        cmocka_unit_test(a_trigger_of_the_program),
        cmocka_unit_test(states_of_keys_and_windows),
        cmocka_unit_test(mistakes_are_found_when_built),
        cmocka_unit_test(a_gap_of_zero_fails_the_job),
        cmocka_unit_test(descriptions_are_flinks),
        cmocka_unit_test(jobs_equal_a_model),
        cmocka_unit_test(jobs_on_rocksdb),
        cmocka_unit_test(joins_equal_a_model),
        cmocka_unit_test(co_groups_have_both_sides),
        cmocka_unit_test(windows_over_all_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
