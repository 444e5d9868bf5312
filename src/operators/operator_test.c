/* Chains of operators without a task: how batches are handed on, who may overwrite them, what a
 * failure says. */
#include "operators/operator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rask/function.h>

#include "base/alloc.h"

/* ---------------------------------------------------------------- functions */
enum { GOT_MAX = 20000 };
static int64_t got[GOT_MAX];
static size_t got_count;
typedef struct {
    int64_t n;
} instance;
RASK_INSTANCE(instance);
RASK_SINK(take, instance, self, int64_t, n) {
    self->n++;
    assert_in_range(got_count, 0, GOT_MAX - 1);
    got[got_count++] = n;
}
RASK_MAP(add_one, int64_t, n, int64_t) {
    return n + 1;
}
RASK_MAP(negate, int64_t, n, int64_t) {
    return -n;
}
RASK_FILTER(keep_even, int64_t, n) {
    return n % 2 == 0;
}
RASK_FLAT_MAP(three_times, int64_t, n, int64_t, out) {
    for (int i = 0; i < 3; i++) rask_emit(out, n);
}
static int64_t fails_at;
RASK_RICH_MAP(careful, instance, self, int64_t, n, int64_t) {
    if (++self->n == fails_at) (void)rask_fail("record %lld", (long long)n);
    return n;
}
RASK_PROCESS(careful_process, instance, self, int64_t, n, int64_t, out) {
    if (++self->n == fails_at) (void)rask_fail("record %lld", (long long)n);
    rask_emit(out, n);
    rask_emit(out, n);
}
RASK_SIDE_OUTPUT(odd, int64_t);
RASK_PROCESS(split_odd, instance, self, int64_t, n, int64_t, out) {
    self->n++;
    if (n % 2)
        rask_emit_side(out, odd, n);
    else
        rask_emit(out, n);
    if (strcmp(rask_runtime()->operator_name, "split") != 0) (void)rask_fail("wrong context");
}
typedef struct {
    int64_t id;
    int64_t filling[5000]; /* more than a batch has */
} large;
RASK_TYPE(large, id, filling);
RASK_MAP(inflate, int64_t, n, large) {
    large l = {.id = n};
    l.filling[4999] = n;
    return l;
}
RASK_MAP(deflate, large, l, int64_t) {
    return l.id + l.filling[4999];
}

/* ---------------------------------------------------------------- a chain */
enum { OPERATORS_MAX = 8 };
typedef struct chain {
    raski_operator_env env;
    raski_operator_definition *definitions[OPERATORS_MAX];
    raski_job_operator jobs[OPERATORS_MAX];
    raski_operator *operators[OPERATORS_MAX];
    size_t count;
} chain;

static void chain_init(chain *c) {
    *c = (chain){.env = {.runtime = {.job_name = "job", .task_name = "task"}}};
    raski_batch_arena_init(&c->env.arena, 0);
    got_count = 0;
    fails_at = 0;
}
static raski_operator *add(chain *c, const raski_fn *fn, const char *name) {
    raski_error error = {0};
    raski_operator_definition *def = raski_operator_definition_create();
    def->fn = fn;
    def->in = fn->in;
    def->out = fn->kind == RASKI_FN_SINK ? NULL : fn->out;
    raski_side_type side = {odd.base.name, odd.base.type};
    if (fn->kind == RASKI_FN_PROCESS) raski_vec_push(&def->side_types, side);
    c->definitions[c->count] = def;
    c->jobs[c->count] = (raski_job_operator){.name = name, .payload = def};
    assert_int_equal(
        raski_operator_create(&c->jobs[c->count], &c->env, &c->operators[c->count], &error),
        RASK_OK);
    return c->operators[c->count++];
}
static void open_all(chain *c) {
    for (size_t i = c->count; i-- > 0;) raski_operator_open(c->operators[i]);
}
static void chain_fini(chain *c) {
    for (size_t i = c->count; i-- > 0;) {
        raski_operator_close(c->operators[i]);
        raski_operator_destroy(c->operators[i]);
        raski_operator_definition_destroy(c->definitions[i]);
    }
    raski_batch_arena_fini(&c->env.arena);
    assert_string_equal(rask_runtime()->job_name, ""); /* nobody runs any more */
}
static void process_numbers(raski_operator *op, int64_t *numbers, size_t n, bool exclusive) {
    for (size_t i = 0; i < n; i++) numbers[i] = (int64_t)i;
    raski_operator_process(op, 0, numbers, NULL, n, exclusive);
}

/* ---------------------------------------------------------------- tests */
static void batches_of_any_size_pass_through(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 63, 64, 65, 1023, 1024, 1025, 5000};
    static int64_t numbers[5000];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int exclusive = 0; exclusive < 2; exclusive++) {
            chain c;
            chain_init(&c);
            raski_operator *a = add(&c, &raski_fn_add_one.base, "a");
            raski_operator *b = add(&c, &raski_fn_keep_even.base, "b");
            raski_operator *t = add(&c, &raski_fn_three_times.base, "t");
            raski_operator *s = add(&c, &raski_fn_take.base, "s");
            raski_operator_add_chained(a, NULL, b, 0);
            raski_operator_add_chained(b, NULL, t, 0);
            raski_operator_add_chained(t, NULL, s, 0);
            open_all(&c);
            process_numbers(a, numbers, sizes[i], exclusive);
            size_t want = 0;
            for (int64_t n = 1; n <= (int64_t)sizes[i]; n++)
                for (int k = 0; n % 2 == 0 && k < 3; k++) assert_int_equal(got[want++], n);
            assert_int_equal(got_count, want);
            if (!exclusive) /* borrowed: nobody wrote there */
                for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(numbers[k], k);
            assert_int_equal(a->records_in, sizes[i]);
            assert_int_equal(a->records_out, sizes[i]);
            assert_int_equal(t->records_in, want / 3);
            assert_int_equal(s->records_in, want);
            chain_fini(&c);
        }
}

/* Two operators read one batch, and each would like to work in place: neither sees what the other
 * does. */
static void siblings_do_not_see_each_others_changes(void **state) {
    (void)state;
    static int64_t numbers[1500];
    for (int exclusive = 0; exclusive < 2; exclusive++) {
        chain c;
        chain_init(&c);
        raski_operator *a = add(&c, &raski_fn_keep_even.base, "a");
        raski_operator *x = add(&c, &raski_fn_negate.base, "x");
        raski_operator *y = add(&c, &raski_fn_add_one.base, "y");
        raski_operator *z = add(&c, &raski_fn_add_one.base, "z");
        raski_operator *s = add(&c, &raski_fn_take.base, "s");
        raski_operator_add_chained(a, NULL, x, 0);
        raski_operator_add_chained(a, NULL, y, 0);
        raski_operator_add_chained(a, NULL, s, 0);
        raski_operator_add_chained(a, NULL, z, 0);
        raski_operator_add_chained(x, NULL, s, 0);
        raski_operator_add_chained(y, NULL, s, 0);
        raski_operator_add_chained(z, NULL, s, 0);
        open_all(&c);
        process_numbers(a, numbers, 1500, exclusive);
        int64_t sum = 0;
        for (size_t i = 0; i < got_count; i++) sum += got[i];
        assert_int_equal(got_count, 4 * 750);
        /* -n, n + 1, n and n + 1 for each even n */
        assert_int_equal(sum, 2 * (749 * 750) + 2 * 750);
        chain_fini(&c);
    }
}

static void failures_count_records_from_one(void **state) {
    (void)state;
    static int64_t numbers[5000];
    static const int64_t places[] = {1, 2, 64, 1023, 1024, 1025, 2048, 5000};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (int exclusive = 0; exclusive < 2; exclusive++)
            for (int process = 0; process < 2; process++) {
                chain c;
                chain_init(&c);
                fails_at = places[i];
                raski_operator *a = add(&c, &raski_fn_add_one.base, "a");
                raski_operator *b =
                    add(&c, process ? &raski_fn_careful_process.base : &raski_fn_careful.base, "b");
                raski_operator *s = add(&c, &raski_fn_take.base, "s");
                raski_operator_add_chained(a, NULL, b, 0);
                raski_operator_add_chained(b, NULL, s, 0);
                open_all(&c);
                process_numbers(a, numbers, 5000, exclusive);
                assert_true(c.env.failed);
                assert_ptr_equal(c.env.failed_operator, b);
                assert_int_equal(c.env.record_number, places[i]);
                char message[64];
                (void)snprintf(message, sizeof message, "record %lld", (long long)places[i]);
                assert_string_equal(c.env.error.message, message);
                assert_int_equal(((instance *)b->self)->n, places[i]); /* not called again */
                chain_fini(&c);
            }
}

static void side_outputs_of_more_than_a_batch(void **state) {
    (void)state;
    static int64_t numbers[9000];
    chain c;
    chain_init(&c);
    raski_operator *a = add(&c, &raski_fn_split_odd.base, "split");
    raski_operator *x = add(&c, &raski_fn_negate.base, "x");
    raski_operator *s = add(&c, &raski_fn_take.base, "s");
    raski_operator_add_chained(a, odd.base.name, x, 0);
    raski_operator_add_chained(a, NULL, s, 0);
    raski_operator_add_chained(x, NULL, s, 0);
    open_all(&c);
    process_numbers(a, numbers, 9000, true);
    assert_false(c.env.failed);
    assert_int_equal(got_count, 9000);
    int64_t odds = 0, evens = 0; /* each in its order */
    for (size_t i = 0; i < got_count; i++) {
        if (got[i] < 0) {
            assert_int_equal(got[i], -(2 * odds + 1));
            odds++;
        } else {
            assert_int_equal(got[i], 2 * evens);
            evens++;
        }
    }
    assert_int_equal(odds, 4500);
    chain_fini(&c);
}

static void records_larger_than_a_batch(void **state) {
    (void)state;
    static int64_t numbers[100];
    chain c;
    chain_init(&c);
    raski_operator *a = add(&c, &raski_fn_inflate.base, "a");
    raski_operator *b = add(&c, &raski_fn_deflate.base, "b");
    raski_operator *s = add(&c, &raski_fn_take.base, "s");
    raski_operator_add_chained(a, NULL, b, 0);
    raski_operator_add_chained(b, NULL, s, 0);
    open_all(&c);
    process_numbers(a, numbers, 100, true);
    assert_int_equal(got_count, 100);
    for (size_t i = 0; i < 100; i++) assert_int_equal(got[i], 2 * i);
    chain_fini(&c);
}

static void nobody_reads_an_output(void **state) {
    (void)state;
    static int64_t numbers[3000];
    chain c;
    chain_init(&c);
    raski_operator *a = add(&c, &raski_fn_split_odd.base, "split");
    open_all(&c);
    process_numbers(a, numbers, 3000, false);
    assert_false(c.env.failed);
    assert_int_equal(a->records_out, 1500);
    chain_fini(&c);
}

static void an_operator_without_a_function_is_refused(void **state) {
    (void)state;
    raski_operator_env env = {0};
    raski_job_operator job = {.name = "empty"};
    raski_operator *op = NULL;
    raski_error error = {0};
    assert_int_equal(raski_operator_create(&job, &env, &op, &error), RASK_E_UNSUPPORTED);
    assert_null(op);
    raski_operator_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_of_any_size_pass_through),
        cmocka_unit_test(siblings_do_not_see_each_others_changes),
        cmocka_unit_test(failures_count_records_from_one),
        cmocka_unit_test(side_outputs_of_more_than_a_batch),
        cmocka_unit_test(records_larger_than_a_batch),
        cmocka_unit_test(nobody_reads_an_output),
        cmocka_unit_test(an_operator_without_a_function_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
