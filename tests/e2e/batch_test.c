/* Batch mode: the inputs of keyed operators are sorted, one key after the other, inside a key by
 * time; compared with a plain sort. */
#include "e2e_test_util.h"

typedef struct {
    int64_t key;
    rask_timestamp at;
    int64_t n;
} event;
RASK_TYPE(event, key, (at, rask_timestamp), n);
typedef struct {
    int64_t key, n, count, timestamp, watermark;
    int32_t input;
} seen;
RASK_TYPE(seen, key, n, count, timestamp, watermark, input);

typedef struct {
    rask_value(int64_t) count;
} counting;
RASK_STATE(counting, count);
RASK_KEYED_PROCESS(watch, counting, self, event, e, seen, out) {
    const int64_t count = ++*rask_ref(self->count);
    rask_emit(out, (seen){e.key, e.n, count, rask_timestamp(out), rask_watermark(out), 0});
}
RASK_KEYED_CO_PROCESS(watch_both, counting, self, event, e, event, seen, out) {
    const int64_t count = ++*rask_ref(self->count);
    rask_emit(out, (seen){e.key, e.n, count, rask_timestamp(out), rask_watermark(out), 0});
}
RASK_ON_SECOND(watch_both, self, e, out) {
    const int64_t count = ++*rask_ref(self->count);
    rask_emit(out, (seen){e.key, e.n, count, rask_timestamp(out), rask_watermark(out), 1});
}

enum { EVENTS = 4000 };
static event first[EVENTS], second[EVENTS];
static void make_events(int64_t keys) {
    for (int64_t i = 0; i < EVENTS; i++) {
        first[i] = (event){i * 7919 % keys - keys / 2, i * 104729 % 1000, i};
        second[i] = (event){i * 6007 % keys - keys / 3, i * 15485863 % 1000, EVENTS + i};
    }
}

/* Flink: the bytes of the key, signed, from the first; then the time. */
typedef struct {
    event e;
    bool timed;
    int32_t input;
} placed;
static int compare_keys(int64_t a, int64_t b) {
    for (int shift = 56; shift >= 0; shift -= 8) {
        const int8_t x = (int8_t)(a >> shift), y = (int8_t)(b >> shift);
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}
static int compare_placed(const void *a_, const void *b_) {
    const placed *a = a_, *b = b_;
    const int c = compare_keys(a->e.key, b->e.key);
    if (c != 0) return c;
    if (a->timed && a->e.at != b->e.at) return a->e.at < b->e.at ? -1 : 1;
    return a->e.n < b->e.n ? -1 : a->e.n > b->e.n;
}
static void expect(placed *all, size_t n, lines *want) {
    qsort(all, n, sizeof *all, compare_placed);
    int64_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count = i > 0 && all[i].e.key == all[i - 1].e.key ? count + 1 : 1;
        ADD(seen, want,
            {all[i].e.key, all[i].e.n, count, all[i].timed ? all[i].e.at : RASK_NO_TIMESTAMP,
             INT64_MIN, all[i].input});
    }
}

static rask_env *batch_env(const char *memory) {
    rask_env *env = env_with_parallelism(1);
    rask_set_runtime_mode(env, RASK_BATCH);
    if (memory != NULL) rask_set_option(env, "execution.sorted-inputs.memory", memory);
    return env;
}
static rask_stream(event) events_of(rask_env *env, const event *items, bool timed) {
    rask_stream(event) stream = rask_array(env, event, items, EVENTS);
    if (!timed) return stream;
    return rask_assign_timestamps(stream, at, .max_out_of_orderness_ms = 1000);
}

static void keys_come_one_after_the_other(void **state) {
    (void)state;
    static const char *const memories[] = {NULL, "20kb", "1b"};
    for (int m = 0; m < 3; m++)
        for (int timed = 0; timed < 2; timed++)
            for (int64_t keys = 1; keys <= 10000; keys *= 100) {
                make_events(keys);
                lines have = {0}, want = {0};
                rask_stream(event) in = events_of(batch_env(memories[m]), first, timed);
                COLLECT(seen, rask_process(rask_key_by(in, key), watch), &have);
                static placed all[EVENTS];
                for (int i = 0; i < EVENTS; i++) all[i] = (placed){first[i], timed, 0};
                expect(all, EVENTS, &want);
                assert_same_sequence(NULL, &have, &want);
            }
}

static void two_inputs_are_merged_by_key_and_time(void **state) {
    (void)state;
    static const char *const memories[] = {NULL, "20kb"};
    for (int m = 0; m < 2; m++)
        for (int timed = 0; timed < 2; timed++)
            for (int64_t keys = 1; keys <= 10000; keys *= 100) {
                make_events(keys);
                rask_env *env = batch_env(memories[m]);
                lines have = {0}, want = {0};
                COLLECT(seen,
                        rask_connect(rask_key_by(events_of(env, first, timed), key),
                                     rask_key_by(events_of(env, second, timed), key), watch_both),
                        &have);
                static placed all[2 * EVENTS];
                for (int i = 0; i < EVENTS; i++) {
                    all[i] = (placed){first[i], timed, 0};
                    all[EVENTS + i] = (placed){second[i], timed, 1};
                }
                expect(all, 2 * EVENTS, &want);
                assert_same_sequence(NULL, &have, &want);
            }
}

/* As in streaming: the order of arrival, state of all keys. */
static void without_sorting_records_come_as_they_are(void **state) {
    (void)state;
    make_events(100);
    rask_env *env = batch_env(NULL);
    rask_set_option(env, "execution.sorted-inputs.enabled", "false");
    rask_set_option(env, "execution.batch-state-backend.enabled", "false");
    lines have = {0}, want = {0};
    COLLECT(seen, rask_process(rask_key_by(events_of(env, first, true), key), watch), &have);
    int64_t counts[100] = {0};
    for (int i = 0; i < EVENTS; i++)
        ADD(seen, &want,
            {first[i].key, first[i].n, ++counts[first[i].key + 50], first[i].at, INT64_MIN, 0});
    assert_same_sequence(NULL, &have, &want);
}

/* The order is that of sorted inputs, the state that of any backend. */
static void sorted_inputs_without_the_batch_state_backend(void **state) {
    (void)state;
    make_events(100);
    rask_env *env = batch_env(NULL);
    rask_set_option(env, "execution.batch-state-backend.enabled", "false");
    lines have = {0}, want = {0};
    COLLECT(seen, rask_process(rask_key_by(events_of(env, first, true), key), watch), &have);
    static placed all[EVENTS];
    for (int i = 0; i < EVENTS; i++) all[i] = (placed){first[i], true, 0};
    expect(all, EVENTS, &want);
    assert_same_sequence(NULL, &have, &want);
}

static void several_subtasks_sort_what_is_theirs(void **state) {
    (void)state;
    make_events(1000);
    rask_env *env = batch_env("30kb");
    rask_set_parallelism(env, 3);
    lines have = {0}, want = {0};
    COLLECT(seen, rask_process(rask_key_by(events_of(env, first, true), key), watch), &have);
    static placed all[EVENTS];
    for (int i = 0; i < EVENTS; i++) all[i] = (placed){first[i], true, 0};
    expect(all, EVENTS, &want);
    assert_same_records(NULL, &have, &want);
}

/* ---------------------------------------------------------------- aggregations */
RASK_REDUCE(keep_last_number, event, a, b) {
    return (event){a.key, b.at, b.n};
}
/* What a record keeps of the first or last one goes by time, not by arrival. */
static void aggregations_see_their_input_in_the_order_of_time(void **state) {
    (void)state;
    make_events(100);
    static placed all[EVENTS];
    for (int kind = 0; kind < 2; kind++) {
        lines have = {0}, want = {0};
        rask_keyed(event) keyed = rask_key_by(events_of(batch_env("50kb"), first, true), key);
        if (kind == 0)
            COLLECT(event, rask_sum(keyed, n), &have);
        else
            COLLECT(event, rask_reduce(keyed, keep_last_number), &have);
        for (int i = 0; i < EVENTS; i++) all[i] = (placed){first[i], true, 0};
        qsort(all, EVENTS, sizeof *all, compare_placed);
        for (int i = 0; i < EVENTS;) {
            event result = all[i].e;
            for (i++; i < EVENTS && all[i].e.key == result.key; i++)
                result =
                    kind == 0 ? (event){result.key, result.at, result.n + all[i].e.n} : all[i].e;
            ADD(event, &want, result);
        }
        assert_same_sequence(NULL, &have, &want);
    }
}

/* ---------------------------------------------------------------- timers */
typedef struct {
    rask_string name;
} word;
RASK_TYPE(word, name);
typedef struct {
    rask_value(int64_t) count;
} closing;
RASK_STATE(closing, count);
RASK_KEY(initial, word, w, rask_string) {
    return rask_string_format("%.1s", rask_string_data(&w.name));
}
RASK_KEYED_PROCESS(close_keys, closing, self, word, w, rask_string, out) {
    ++*rask_ref(self->count);
    rask_register_event_timer(out, 7);
    rask_emit(out, w.name);
}
RASK_ON_TIMER(close_keys, self, timer, out) {
    rask_register_event_timer(out, timer.time_ms + 1); /* ignored, or it would never end */
    rask_emit(out, rask_string_format("end %.*s after %lld", RASK_STR(*rask_key(out, rask_string)),
                                      (long long)*rask_get(self->count)));
}
/* B1: keys are grouped, in a key the order of arrival, its timers at its end. */
static void b1_timers_fire_at_the_end_of_each_key(void **state) {
    (void)state;
    const word words[] = {{rask_string_from("b2")},
                          {rask_string_from("a1")},
                          {rask_string_from("b1")},
                          {rask_string_from("c1")},
                          {rask_string_from("a2")}};
    static const char *const expected[] = {
        "a1", "a2", "end a after 2", "b2", "b1", "end b after 2", "c1", "end c after 1"};
    rask_env *env = batch_env(NULL);
    lines have = {0}, want = {0};
    COLLECT(rask_string,
            rask_process(rask_key_by_fn(rask_array(env, word, words, 5), initial), close_keys),
            &have);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ADD(rask_string, &want, rask_string_from(expected[i]));
    assert_same_sequence(NULL, &have, &want);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_come_one_after_the_other),
        cmocka_unit_test(two_inputs_are_merged_by_key_and_time),
        cmocka_unit_test(without_sorting_records_come_as_they_are),
        cmocka_unit_test(sorted_inputs_without_the_batch_state_backend),
        cmocka_unit_test(several_subtasks_sort_what_is_theirs),
        cmocka_unit_test(b1_timers_fire_at_the_end_of_each_key),
        cmocka_unit_test(aggregations_see_their_input_in_the_order_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
