/* rask/testing.h, used as a program's own tests would use it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <rask/rask.h>
#include <rask/testing.h>

typedef struct {
    rask_string user;
    int64_t clicks;
} click;
RASK_TYPE(click, user, clicks);
RASK_SIDE_OUTPUT(late, click);

typedef struct {
    rask_value(int64_t) sum;
    rask_value(int64_t) timer;
} session;
RASK_STATE(session, sum, timer);
enum { GAP_MS = 10 };

RASK_KEYED_PROCESS(sessionize, session, self, click, c, click, out) {
    if (rask_timestamp(out) <= rask_watermark(out)) {
        rask_emit_side(out, late, c);
        return;
    }
    if (c.clicks < 0) {
        (void)rask_fail("%lld clicks", (long long)c.clicks);
        return;
    }
    *rask_ref(self->sum) += c.clicks;
    if (rask_get(self->timer)) rask_delete_event_timer(out, *rask_get(self->timer));
    rask_set(self->timer, rask_timestamp(out) + GAP_MS);
    rask_register_event_timer(out, rask_timestamp(out) + GAP_MS);
    rask_register_processing_timer(out, rask_processing_time(out) + 100);
}
RASK_ON_TIMER(sessionize, self, timer, out) {
    if (timer.processing && rask_get(self->sum) == NULL) return;
    rask_emit(out, (click){*rask_key(out, rask_string), *rask_get(self->sum)});
    if (timer.processing) return; /* what there is so far */
    rask_clear(self->sum);
    rask_clear(self->timer);
}

static rask_harness *harness_of(rask_env *env) {
    rask_stream(click) clicks = rask_test_input(env, click);
    rask_stream(click) sessions = rask_process(rask_key_by(clicks, user), sessionize);
    (void)rask_side_output(sessions, late);
    return rask_harness_create(sessions, .time_ms = 1000);
}

static void sessions_end_after_a_gap(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_harness *h = harness_of(env);
    const rask_string ada = rask_string_from("ada"),
                      long_name = rask_string_from("a user with a long name");
    assert_int_equal(rask_harness_push(h, click, 1, {ada, 1}), RASK_OK);
    assert_int_equal(rask_harness_push(h, click, 5, {ada, 2}), RASK_OK);
    assert_int_equal(rask_harness_push(h, click, 3, {long_name, 3}), RASK_OK);
    assert_int_equal(rask_harness_timers(h, false), 2);
    assert_int_equal(rask_harness_timers(h, true), 2);
    assert_string_equal(rask_harness_text(h), "");
    assert_int_equal(rask_harness_watermark(h, 14), RASK_OK);
    assert_string_equal(rask_harness_text(h), "(a user with a long name,3) @ 13\nwatermark 14\n");
    assert_int_equal(rask_harness_push(h, click, 14, {ada, 9}), RASK_OK);
    assert_int_equal(rask_harness_set_time(h, 1099), RASK_OK);
    assert_string_equal(rask_harness_text(h), "late: (ada,9) @ 14\n");
    assert_int_equal(rask_harness_set_time(h, 1100), RASK_OK);
    assert_string_equal(rask_harness_text(h), "(ada,3)\n");
    assert_int_equal(rask_harness_idle(h, 0, true), RASK_OK);
    assert_int_equal(rask_harness_idle(h, 0, false), RASK_OK);
    assert_int_equal(rask_harness_watermark(h, INT64_MAX), RASK_OK);
    assert_int_equal(rask_harness_end(h), RASK_OK);
    assert_string_equal(rask_harness_text(h),
                        "idle\nactive\n(ada,3) @ 15\nwatermark 9223372036854775807\n");
    assert_int_equal(rask_harness_timers(h, false), 0);
    rask_harness_destroy(h);
    rask_env_destroy(env);
}

static void records_are_read_one_by_one(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_harness *h = harness_of(env);
    click c;
    int64_t timestamp = 0;
    (void)rask_harness_push(h, click, 1, {rask_string_from("a"), 1});
    (void)rask_harness_push(h, click, 2, {rask_string_from("b"), 2});
    (void)rask_harness_watermark(h, 30);
    (void)rask_harness_push(h, click, 2, {rask_string_from("c"), 3});
    assert_true(rask_harness_next_side(h, late, &c, &timestamp));
    assert_int_equal(c.clicks, 3);
    assert_true(rask_harness_next(h, click, &c, &timestamp));
    assert_int_equal(c.clicks, 1);
    assert_int_equal(timestamp, 11);
    assert_true(rask_harness_next(h, click, &c, NULL));
    assert_int_equal(c.clicks, 2);
    assert_false(rask_harness_next(h, click, &c, NULL));
    assert_string_equal(rask_harness_text(h), "watermark 30\n");
    rask_harness_destroy(h);
    rask_env_destroy(env);
}

static void failures_are_told(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_harness *h = harness_of(env);
    assert_int_equal(rask_harness_push(h, click, 1, {rask_string_from("a"), -1}), RASK_FAILED);
    assert_string_equal(rask_harness_message(h), "-1 clicks");
    assert_int_equal(rask_harness_watermark(h, 5), RASK_FAILED);
    rask_harness_destroy(h);

    h = harness_of(env);
    assert_int_equal(rask_harness_push(h, int64_t, 1, 5), RASK_E_ARGUMENT);
    assert_non_null(strstr(rask_harness_message(h), "takes click, not records of type int64_t"));
    rask_harness_destroy(h);

    h = harness_of(env);
    assert_int_equal(rask_harness_watermark_of(h, 1, 5), RASK_E_ARGUMENT);
    rask_harness_destroy(h);

    h = rask_harness_create(rask_union(rask_test_input(env, click), rask_test_input(env, click)));
    assert_int_equal(rask_harness_end(h), RASK_E_ARGUMENT);
    assert_non_null(strstr(rask_harness_message(h), "not a keyed stream, a union"));
    rask_harness_destroy(h);
    rask_env_destroy(env);
}

typedef struct {
    rask_value(int64_t) last;
    rask_list_state(int64_t) all;
    rask_map_state(rask_string, int64_t) by_name;
} keeper;
RASK_STATE(keeper, last, all, by_name);
RASK_KEYED_PROCESS(keep, keeper, self, click, c, click, out) {
    rask_set(self->last, c.clicks);
    rask_list_add(self->all, c.clicks);
    rask_map_put(self->by_name, c.user, c.clicks);
    if (c.clicks == 0) rask_clear(self->last);
    rask_emit(out, c);
}

static void state_can_be_read(void **state) {
    (void)state;
    static const char *const backends[] = {"hashmap", "rocksdb"};
    for (int i = 0; i < 2; i++) {
        rask_env *env = rask_env_create(NULL, NULL);
        rask_set_option(env, "state.backend.type", backends[i]);
        rask_stream(click) out = rask_process(rask_key_by(rask_test_input(env, click), user), keep);
        rask_harness *h = rask_harness_create(out);
        const rask_string ada = rask_string_from("ada");
        (void)rask_harness_push(h, click, 1, {ada, 3});
        (void)rask_harness_push(h, click, 1, {ada, 5});
        assert_string_equal(rask_harness_state(h, "last", rask_string, ada), "5");
        assert_string_equal(rask_harness_state(h, "all", rask_string, ada), "[3, 5]");
        assert_string_equal(rask_harness_state(h, "by_name", rask_string, ada), "{ada=5}");
        assert_string_equal(rask_harness_state(h, "last", rask_string, rask_string_from("bob")),
                            "null");
        (void)rask_harness_push(h, click, 1, {ada, 0});
        assert_string_equal(rask_harness_state(h, "last", rask_string, ada), "null");
        assert_null(rask_harness_state(h, "lost", rask_string, ada));
        assert_non_null(strstr(rask_harness_message(h), "there is no state \"lost\""));
        rask_harness_destroy(h);
        rask_env_destroy(env);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_end_after_a_gap),
        cmocka_unit_test(records_are_read_one_by_one),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(state_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
