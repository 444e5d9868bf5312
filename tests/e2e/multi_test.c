/* Functions of three inputs in whole jobs, and such that choose from which one to read. */
#include "e2e_test_util.h"

typedef struct {
    int64_t id;
    rask_string text;
} item;
RASK_TYPE(item, id, text);
typedef struct {
    int64_t key, a, b, c;
} totals;
RASK_TYPE(totals, key, a, b, c);

enum { ITEMS = 1500 };
RASK_MAP(make_item, int64_t, id, item) {
    return (item){id, long_text(id)};
}

/* ---------------------------------------------------------------- three types */
typedef struct {
    int64_t records;
} merger;
RASK_INSTANCE(merger);
RASK_MULTI_PROCESS(merge, merger, item);
RASK_ON_INPUT(merge, 1, self, item, in, out) {
    self->records++;
    rask_emit(out, in);
}
RASK_ON_INPUT(merge, 2, self, int64_t, n, out) {
    self->records++;
    rask_emit(out, (item){-n, rask_string_from("number")});
}
RASK_ON_INPUT(merge, 3, self, rask_string, text, out) {
    self->records++;
    rask_emit(out, (item){0, text});
}
RASK_MAP(text_of, int64_t, n, rask_string) {
    return long_text(n);
}

static void inputs_of_three_types(void **state) {
    (void)state;
    FOR_EACH_MODE(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(int64_t) numbers = rask_sequence(env, 1, ITEMS);
        rask_stream(item) all = rask_multi(
            merge,
            (RASK_INPUT(merge, 1, rask_map(numbers, make_item)), RASK_INPUT(merge, 2, numbers),
             RASK_INPUT(merge, 3, rask_map(numbers, text_of))),
            .uid = "merge");
        COLLECT(item, all, &have);
        for (int64_t i = 1; i <= ITEMS; i++) {
            ADD(item, &want, ((item){i, long_text(i)}));
            ADD(item, &want, ((item){-i, rask_string_from("number")}));
            ADD(item, &want, ((item){0, long_text(i)}));
        }
        assert_same_records(s, &have, &want);
    }
}

/* ---------------------------------------------------------------- keyed */
typedef struct {
    rask_value(totals) sums;
    int64_t rules; /* records of the input without key */
} adder;
RASK_STATE(adder, (sums, totals));
RASK_KEYED_MULTI_PROCESS(add_up, adder, totals);
RASK_ON_KEYED_INPUT(add_up, 1, self, item, in, out) {
    totals *t = rask_ref(self->sums);
    t->key = in.id % 7;
    t->a += in.id;
    rask_register_event_timer(out, 100);
}
RASK_ON_KEYED_INPUT(add_up, 2, self, int64_t, n, out) {
    totals *t = rask_ref(self->sums);
    t->key = n % 7;
    t->b += n;
    rask_register_event_timer(out, 100);
}
RASK_ON_INPUT(add_up, 3, self, rask_string, text, out) {
    self->rules += text.len > 0;
}
RASK_ON_TIMER(add_up, self, timer, out) {
    totals t = *rask_get(self->sums);
    t.c = self->rules;
    rask_emit(out, t);
}
RASK_KEY(seventh, int64_t, n, int64_t) {
    return n % 7;
}
RASK_KEY(seventh_of_item, item, in, int64_t) {
    return in.id % 7;
}

static void keyed_inputs_share_state(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(int64_t) numbers = rask_sequence(env, 1, ITEMS);
        rask_stream(rask_string) rules = rask_broadcast(
            rask_values(env, rask_string, rask_string_from("a"), rask_string_from("b")));
        rask_stream(totals) sums = rask_multi(
            add_up,
            (RASK_INPUT(add_up, 1, rask_key_by_fn(rask_map(numbers, make_item), seventh_of_item)),
             RASK_INPUT(add_up, 2, rask_key_by_fn(numbers, seventh)),
             RASK_INPUT(add_up, 3, rules)));
        COLLECT(totals, sums, &have);
        totals model[7] = {{0}};
        for (int64_t i = 1; i <= ITEMS; i++) model[i % 7].a += i;
        for (int64_t k = 0; k < 7; k++)
            ADD(totals, &want, ((totals){k, model[k].a, model[k].a, 2}));
        assert_same_records(s, &have, &want);
    }
}

/* ---------------------------------------------------------------- choosing */
typedef struct {
    int64_t next[3]; /* the smallest of each input that was not emitted; 0: unknown */
    int64_t seen;
    bool first;
} sorter;
RASK_INSTANCE(sorter);
/* Reads its inputs strictly in turn. */
RASK_MULTI_PROCESS(alternate, sorter, int64_t);
RASK_ON_INPUT(alternate, 1, self, int64_t, n, out) {
    self->seen++;
    rask_emit(out, n);
}
RASK_ON_INPUT(alternate, 2, self, int64_t, n, out) {
    self->seen++;
    rask_emit(out, -n);
}
RASK_SELECT_INPUTS(alternate, self) {
    if (self->seen >= 2 * ITEMS) return RASK_ALL_INPUTS;
    return self->seen % 2 == 0 ? RASK_INPUT_BIT(1) : RASK_INPUT_BIT(2);
}

static void inputs_are_read_in_turn(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, 1);
    rask_stream(int64_t) a = rask_sequence(env, 1, ITEMS), b = rask_sequence(env, 1, ITEMS);
    rask_iterator(int64_t) it = rask_execute_and_collect(
        rask_multi(alternate, (RASK_INPUT(alternate, 1, a), RASK_INPUT(alternate, 2, b))), "turns");
    int64_t expected = 1, count = 0;
    for (int64_t n; rask_next(&it, &n); count++) {
        assert_int_equal(n, expected);
        expected = expected > 0 ? -expected : -expected + 1;
    }
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
    assert_int_equal(count, 2 * ITEMS);
}

/* The first input to its end, then the second: a build side and a probe side. */
RASK_MULTI_PROCESS(build_first, sorter, int64_t);
RASK_ON_INPUT(build_first, 1, self, int64_t, n, out) {
    assert_false(self->first);
    self->seen += n;
}
RASK_ON_INPUT(build_first, 2, self, int64_t, n, out) {
    (void)n;
    self->first = true;
    rask_emit(out, self->seen);
}
RASK_SELECT_INPUTS(build_first, self) {
    return self->seen < ITEMS * (ITEMS + 1) / 2 ? RASK_INPUT_BIT(1) : RASK_ALL_INPUTS;
}

static void one_input_is_read_to_its_end(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, 1);
    rask_iterator(int64_t) it = rask_execute_and_collect(
        rask_multi(build_first, (RASK_INPUT(build_first, 1, rask_sequence(env, 1, ITEMS)),
                                 RASK_INPUT(build_first, 2, rask_sequence(env, 1, 20000)))),
        "build");
    int64_t count = 0;
    for (int64_t n; rask_next(&it, &n); count++) assert_int_equal(n, ITEMS * (ITEMS + 1) / 2);
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
    assert_int_equal(count, 20000);
}

RASK_MULTI_PROCESS(stuck, sorter, int64_t);
RASK_ON_INPUT(stuck, 1, self, int64_t, n, out) {
    rask_emit(out, n);
}
RASK_ON_INPUT(stuck, 2, self, int64_t, n, out) {
    rask_emit(out, n);
}
RASK_SELECT_INPUTS(stuck, self) {
    return RASK_INPUT_BIT(1);
}

static void mistakes_are_named(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_job_result result;
    rask_stream(int64_t) n = rask_sequence(env, 1, 3);
    rask_discard(rask_multi(stuck, (RASK_INPUT(stuck, 1, n), RASK_INPUT(stuck, 2, n))));
    assert_int_equal(rask_execute_job(env, "stuck", &result), RASK_EXIT_FAILED);
    assert_non_null(strstr(result.message, "the function chooses no input that has not ended"));
    rask_env_destroy(env);

    env = rask_env_create(NULL, NULL);
    n = rask_sequence(env, 1, 3);
    rask_discard(rask_multi(stuck, (RASK_INPUT(stuck, 2, n), RASK_INPUT(stuck, 1, n))));
    assert_int_equal(rask_execute_job(env, "mistaken", &result), RASK_EXIT_FAILED);
    assert_non_null(strstr(result.message, "input 1 of \"stuck\" is given as input 2"));
    rask_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_of_three_types),   cmocka_unit_test(keyed_inputs_share_state),
        cmocka_unit_test(inputs_are_read_in_turn), cmocka_unit_test(one_input_is_read_to_its_end),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
