/* Two connected streams in whole jobs: co-map, co-flat-map, co-process, and keyed co-process with
 * state that both inputs share, compared with a plain C model. */
#include "e2e_test_util.h"

typedef struct {
    int64_t id;
    rask_string text;
} labelled;
RASK_TYPE(labelled, id, text);
typedef struct {
    int32_t key;
    double amount;
    rask_string note;
} payment;
RASK_TYPE(payment, key, amount, note);

enum { COUNT = 1500 };

RASK_MAP(make_label, int64_t, i, labelled) {
    return (labelled){i, i % 2 ? long_text(i) : rask_string_from("even")};
}
RASK_MAP(make_payment, int64_t, i, payment) {
    return (payment){(int32_t)(i % 100), (double)i / 4,
                     i % 3 ? rask_string_from("pay") : long_text(i)};
}
static rask_stream(labelled) labels(rask_env *env) {
    return rask_map(rask_sequence(env, 0, COUNT - 1), make_label);
}
static rask_stream(payment) payments(rask_env *env) {
    return rask_map(rask_sequence(env, 0, COUNT - 1), make_payment);
}

/* ---------------------------------------------------------------- co-map */
RASK_CO_MAP(to_text, labelled, in, payment, rask_string) {
    return rask_string_format("label %lld %.*s", (long long)in.id, RASK_STR(in.text));
}
RASK_SECOND_MAP(to_text, in) {
    return rask_string_format("payment %d %.*s", in.key, RASK_STR(in.note));
}
static void co_maps(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        COLLECT(rask_string, rask_connect(labels(env), payments(env), to_text), &have);
        for (int64_t i = 0; i < COUNT; i++) {
            ADD(rask_string, &want, to_text(make_label(i)));
            ADD(rask_string, &want, raski_second_to_text(make_payment(i)));
        }
        assert_same_records(s, &have, &want);
    }
}

/* ---------------------------------------------------------------- co-flat-map */
RASK_CO_FLAT_MAP(some, int64_t, n, labelled, int64_t, out) {
    for (int64_t i = 0; i < n % 3; i++) rask_emit(out, n);
}
RASK_SECOND_FLAT_MAP(some, in, out) {
    if (in.text.len > 12) rask_emit(out, -in.id);
}
static void co_flat_maps(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        COLLECT(int64_t, rask_connect(rask_sequence(env, 1, COUNT), labels(env), some), &have);
        for (int64_t n = 1; n <= COUNT; n++)
            for (int64_t i = 0; i < n % 3; i++) ADD(int64_t, &want, n);
        for (int64_t n = 1; n < COUNT; n += 2) ADD(int64_t, &want, -n);
        assert_same_records(s, &have, &want);
    }
}

/* ---------------------------------------------------------------- co-process */
RASK_SIDE_OUTPUT(from_second, labelled);
typedef struct {
    int64_t first, second;
} tally;
RASK_INSTANCE(tally);
RASK_CO_PROCESS(count_both, tally, self, int64_t, n, labelled, int64_t, out) {
    self->first++;
    if (n % 10 == 0) rask_emit(out, n);
}
RASK_ON_SECOND(count_both, self, in, out) {
    self->second++;
    if (in.id % 4 == 0) rask_emit_side(out, from_second, in);
}
RASK_ON_END(count_both, self, out) {
    rask_emit(out, 1000000 + self->first);
    rask_emit(out, 2000000 + self->second);
}
RASK_MAP(id_of, labelled, in, int64_t) {
    return in.id;
}
static void co_processes_with_an_instance(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(int64_t) out =
            rask_connect(rask_sequence(env, 1, COUNT), labels(env), count_both, .parallelism = 1);
        COLLECT(int64_t, rask_union(out, rask_map(rask_side_output(out, from_second), id_of)),
                &have);
        for (int64_t n = 10; n <= COUNT; n += 10) ADD(int64_t, &want, n);
        for (int64_t n = 0; n < COUNT; n += 4) ADD(int64_t, &want, n);
        ADD(int64_t, &want, 1000000 + COUNT);
        ADD(int64_t, &want, 2000000 + COUNT);
        assert_same_records(s, &have, &want);
    }
}

static void a_stream_is_connected_with_itself(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(labelled) in = labels(env);
        COLLECT(int64_t, rask_connect(rask_map(in, id_of), in, some), &have);
        for (int64_t n = 0; n < COUNT; n++) {
            for (int64_t i = 0; i < n % 3; i++) ADD(int64_t, &want, n);
            if (n % 2) ADD(int64_t, &want, -n);
        }
        assert_same_records(s, &have, &want);
    }
}

/* ---------------------------------------------------------------- keyed co-process */
/* Both inputs are keyed; what arrives first waits in state for the other. The pairs are the same
 * in whatever order the inputs are read. */
typedef struct {
    rask_value(labelled) left;
    rask_value(payment) right;
} joiner;
RASK_STATE(joiner, (left, labelled), (right, payment));
RASK_KEYED_CO_PROCESS(join, joiner, self, labelled, in, payment, rask_string, out) {
    const payment *right = rask_get(self->right);
    if (right == NULL) {
        rask_set(self->left, in);
        return;
    }
    if (*rask_key(out, int64_t) != in.id) (void)rask_fail("wrong key");
    rask_emit(out, rask_string_format("%lld %.*s %.*s", (long long)in.id, RASK_STR(in.text),
                                      RASK_STR(right->note)));
    rask_clear(self->right);
}
RASK_ON_SECOND(join, self, in, out) {
    const labelled *left = rask_get(self->left);
    if (left == NULL) {
        rask_set(self->right, in);
        return;
    }
    rask_emit(out, rask_string_format("%lld %.*s %.*s", (long long)left->id, RASK_STR(left->text),
                                      RASK_STR(in.note)));
    rask_clear(self->left);
}
RASK_KEY(amount_as_id, payment, in, int64_t) {
    return (int64_t)(in.amount * 4);
}
static void keyed_co_processes_share_state(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        COLLECT(rask_string,
                rask_connect(rask_key_by(labels(env), id),
                             rask_key_by_fn(payments(env), amount_as_id), join),
                &have);
        for (int64_t i = 0; i < COUNT; i++) {
            labelled l = make_label(i);
            payment p = make_payment(i);
            ADD(rask_string, &want,
                rask_string_format("%lld %.*s %.*s", (long long)i, RASK_STR(l.text),
                                   RASK_STR(p.note)));
        }
        assert_same_records(s, &have, &want);
    }
}

/* The key lies at different places in the two inputs, and is a long string. */
typedef struct {
    rask_value(int64_t) seen;
} counter_state;
RASK_STATE(counter_state, seen);
RASK_KEYED_CO_PROCESS(count_by_text, counter_state, self, labelled, in, payment, int64_t, out) {
    (void)in;
    rask_emit(out, ++*rask_ref(self->seen));
}
RASK_ON_SECOND(count_by_text, self, in, out) {
    (void)in;
    rask_emit(out, ++*rask_ref(self->seen));
}
static void keyed_co_processes_with_string_keys_at_different_places(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        COLLECT(int64_t,
                rask_connect(rask_key_by(labels(env), text), rask_key_by(payments(env), note),
                             count_by_text),
                &have);
        /* labels: "even" COUNT / 2 times, long texts of odd numbers; payments: "pay", long texts of
         * multiples of 3: odd multiples of 3 come from both */
        int64_t even = 0, pay = 0;
        for (int64_t i = 0; i < COUNT; i++) {
            if (i % 2 == 0) ADD(int64_t, &want, ++even);
            if (i % 3 != 0) ADD(int64_t, &want, ++pay);
            if (i % 2) ADD(int64_t, &want, 1);
            if (i % 3 == 0) ADD(int64_t, &want, i % 2 ? 2 : 1);
        }
        assert_same_records(s, &have, &want);
    }
}

/* One input is empty, or much longer than the other: neither waits for the other for ever. */
RASK_FILTER(nothing, labelled, in) {
    (void)in;
    return false;
}
static void inputs_of_very_different_length(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        COLLECT(int64_t,
                rask_connect(rask_sequence(env, 1, 20 * COUNT), rask_filter(labels(env), nothing),
                             some),
                &have);
        for (int64_t n = 1; n <= 20 * COUNT; n++)
            for (int64_t i = 0; i < n % 3; i++) ADD(int64_t, &want, n);
        assert_same_records(s, &have, &want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(co_maps),
        cmocka_unit_test(co_flat_maps),
        cmocka_unit_test(co_processes_with_an_instance),
        cmocka_unit_test(a_stream_is_connected_with_itself),
        cmocka_unit_test(keyed_co_processes_share_state),
        cmocka_unit_test(keyed_co_processes_with_string_keys_at_different_places),
        cmocka_unit_test(inputs_of_very_different_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
