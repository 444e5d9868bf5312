/* Broadcast state in whole jobs: every subtask has all rules; only their own input changes them. */
#include "e2e_test_util.h"

#include <rask/testing.h>

typedef struct {
    rask_string name;
    int64_t factor;
} rule;
RASK_TYPE(rule, name, factor);
typedef struct {
    int64_t key;
    rask_string kind;
    int64_t value;
} event;
RASK_TYPE(event, key, kind, value);
typedef struct {
    int64_t key, result;
} result;
RASK_TYPE(result, key, result);

typedef struct {
    rask_value(int64_t) sum;
    rask_map_state(rask_string, rule) rules;
    rask_map_state(int64_t, int64_t) seen;
} detector;
RASK_STATE(detector, sum);
RASK_BROADCAST_STATE(detector, (rules, rask_string, rule), seen);

RASK_KEYED_BROADCAST_PROCESS(detect, detector, self, event, e, rule, result, out) {
    const rule *r = rask_map_get(self->rules, e.kind);
    *rask_ref(self->sum) += e.value * (r != NULL ? r->factor : 1);
    rask_emit(out, (result){e.key, *rask_get(self->sum)});
    if (e.value == -1) rask_map_put(self->seen, 1, 1);
    rask_register_event_timer(out, 10);
}
RASK_ON_BROADCAST(detect, self, r, out) {
    if (r.factor == 0)
        rask_map_remove(self->rules, r.name);
    else
        rask_map_put(self->rules, r.name, r);
    rask_map_put(self->seen, (int64_t)rask_map_count(self->rules), 1);
}
RASK_ON_TIMER(detect, self, timer, out) {
    rask_emit(out, (result){*rask_key(out, int64_t), -*rask_get(self->sum)});
}

static rask_harness *harness_of(rask_env *env) {
    rask_stream(event) events = rask_test_input(env, event);
    rask_stream(rule) rules = rask_test_input(env, rule);
    return rask_harness_create(
        rask_connect(rask_key_by(events, key), rask_broadcast(rules), detect));
}

static void rules_change_what_follows(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_harness *h = harness_of(env);
    const rask_string a = rask_string_from("a"),
                      long_one = rask_string_from("a rule with a long name");
    assert_int_equal(rask_harness_push(h, event, 1, {1, a, 2}), RASK_OK);
    assert_int_equal(rask_harness_push_to(h, 1, rule, 1, {a, 10}), RASK_OK);
    assert_int_equal(rask_harness_push_to(h, 1, rule, 1, {long_one, 100}), RASK_OK);
    assert_int_equal(rask_harness_push(h, event, 1, {1, a, 2}), RASK_OK);
    assert_int_equal(rask_harness_push(h, event, 1, {2, long_one, 3}), RASK_OK);
    assert_int_equal(rask_harness_push_to(h, 1, rule, 1, {a, 0}), RASK_OK);
    assert_int_equal(rask_harness_push(h, event, 1, {2, a, 4}), RASK_OK);
    assert_string_equal(rask_harness_text(h), "(1,2) @ 1\n(1,22) @ 1\n(2,300) @ 1\n(2,304) @ 1\n");
    assert_int_equal(rask_harness_watermark(h, 10), RASK_OK);
    assert_string_equal(rask_harness_text(h), "(1,-22) @ 10\n(2,-304) @ 10\nwatermark 10\n");
    rask_harness_destroy(h);
    rask_env_destroy(env);
}

static void the_other_input_cannot_change_rules(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_harness *h = harness_of(env);
    assert_int_equal(rask_harness_push(h, event, 1, {1, rask_string_from("a"), -1}), RASK_FAILED);
    assert_non_null(strstr(rask_harness_message(h),
                           "broadcast state can be changed in RASK_ON_BROADCAST only"));
    rask_harness_destroy(h);
    rask_env_destroy(env);
}

static void state_goes_on_from_a_snapshot(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_stream(event) events = rask_test_input(env, event);
    rask_stream(rule) rules = rask_test_input(env, rule);
    rask_stream(result) results =
        rask_connect(rask_key_by(events, key), rask_broadcast(rules), detect);
    rask_harness *h = rask_harness_create(results);
    const rask_string a = rask_string_from("a");
    for (int64_t key = 0; key < 20; key++) (void)rask_harness_push(h, event, 1, {key, a, 2});
    (void)rask_harness_push_to(h, 1, rule, 1, {a, 10});
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(rask_harness_snapshot(h, &bytes, &size), RASK_OK);
    rask_harness_destroy(h);
    size_t timers = 0, got = 0;
    for (int subtask = 0; subtask < 3; subtask++) { /* each has its keys, and all rules */
        const void *const snapshots[] = {bytes};
        h = rask_harness_restore(results, snapshots, &size, 1, .parallelism = 3,
                                 .subtask_index = subtask);
        assert_string_equal(rask_harness_message(h), "");
        timers += rask_harness_timers(h, false);
        assert_int_equal(rask_harness_watermark(h, 10), RASK_OK);
        int64_t keys[20];
        size_t n = 0;
        for (result r; rask_harness_next(h, result, &r, NULL); keys[n++] = r.key)
            assert_int_equal(r.result, -2);
        for (size_t i = 0; i < n; i++) {
            result r;
            assert_int_equal(rask_harness_push(h, event, 11, {keys[i], a, 3}), RASK_OK);
            assert_true(rask_harness_next(h, result, &r, NULL));
            assert_int_equal(r.result, 2 + 30);
        }
        got += n;
        rask_harness_destroy(h);
    }
    assert_int_equal(timers, 20);
    assert_int_equal(got, 20);
    free(bytes);
    rask_env_destroy(env);
}

/* ---------------------------------------------------------------- without keys */
typedef struct {
    rask_map_state(int64_t, int64_t) factors;
    int64_t unused;
} scaler;
RASK_INSTANCE(scaler);
RASK_BROADCAST_STATE(scaler, factors);
RASK_BROADCAST_PROCESS(scale, scaler, self, int64_t, n, int64_t, int64_t, out) {
    const int64_t *factor = rask_map_get(self->factors, n % 3);
    rask_emit(out, factor ? *factor * n : 0);
}
RASK_ON_BROADCAST(scale, self, n, out) {
    rask_map_put(self->factors, n % 3, n);
    rask_emit(out, -n);
}

static void every_subtask_gets_every_rule(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0};
        rask_stream(int64_t) rules = rask_broadcast(rask_values(env, int64_t, 3, 4, 5));
        COLLECT(int64_t, rask_connect(rask_sequence(env, 1, 300), rules, scale), &have);
        size_t zeroes = lines_count(&have, "0");
        for (int64_t r = 3; r <= 5; r++) {
            char text[32];
            (void)snprintf(text, sizeof text, "%lld", (long long)-r);
            assert_int_equal(lines_count(&have, text), s->parallelism);
        }
        assert_in_range(zeroes, 0, s->batch ? 0 : 300); /* batch: rules come first */
        lines_free(&have);
    }
}

static void a_rule_stream_must_be_broadcast(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_discard(rask_connect(rask_sequence(env, 1, 3), rask_values(env, int64_t, 3), scale));
    assert_fails(env, "give it rask_broadcast(stream)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_change_what_follows),
        cmocka_unit_test(state_goes_on_from_a_snapshot),
        cmocka_unit_test(the_other_input_cannot_change_rules),
        cmocka_unit_test(every_subtask_gets_every_rule),
        cmocka_unit_test(a_rule_stream_must_be_broadcast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
