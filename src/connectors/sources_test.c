/* Sequence and values sources, through whole small jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rask/rask.h>

/* ---------------------------------------------------------------- sequence */
static int compare_numbers(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Exactly from .. to, each once. */
static void check_sequence(int64_t from, int64_t to, int parallelism) {
    static int64_t numbers[20000];
    size_t count = 0;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, parallelism);
    rask_iterator(int64_t) it = rask_execute_and_collect(rask_sequence(env, from, to), "numbers");
    for (int64_t n; rask_next(&it, &n);) {
        assert_true(count < sizeof numbers / sizeof *numbers);
        numbers[count++] = n;
    }
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    assert_int_equal(count, from > to ? 0 : (uint64_t)to - (uint64_t)from + 1);
    for (size_t i = 0; i < count; i++) assert_int_equal(numbers[i], (int64_t)((uint64_t)from + i));
}

static void sequences(void **state) {
    (void)state;
    static const struct {
        int64_t from, to;
    } ranges[] = {
        {1, 0},
        {INT64_MAX, INT64_MIN},
        {0, 0},
        {INT64_MIN, INT64_MIN},
        {-3, 60},
        {INT64_MAX, INT64_MAX},
        {1, 63},
        {1, 64},
        {1, 65},
        {INT64_MAX - 2, INT64_MAX},
        {INT64_MIN, INT64_MIN + 700},
        {-5000, 12345},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (int parallelism = 1; parallelism <= 4; parallelism += 3)
            check_sequence(ranges[i].from, ranges[i].to, parallelism);
}

/* Nobody reads it to the end, but its ranges must be right and it can be stopped. */
static void all_numbers(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_iterator(int64_t) it =
        rask_execute_and_collect(rask_sequence(env, INT64_MIN, INT64_MAX), "numbers");
    for (int64_t i = 0, n; i < 5000; i++) {
        assert_true(rask_next(&it, &n));
        assert_int_equal(n, INT64_MIN + i);
    }
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
}

/* ---------------------------------------------------------------- values */
typedef struct {
    rask_string name;
    rask_list(int64_t) numbers;
} inner;
RASK_TYPE(inner, name, numbers);
typedef struct {
    rask_string text;
    inner one;
    rask_list(inner) more;
    rask_optional(rask_string) maybe, no;
    rask_string both[2];
} outer;
RASK_TYPE(outer, text, (one, inner), (more, rask_list(inner)), maybe, no, both);

static char *heap_text(const char *text, int i) {
    char *copy = NULL;
    assert_true(asprintf(&copy, "%s that is longer than a string holds: %d", text, i) > 0);
    return copy;
}

static void *memory[64]; /* of values */
static size_t used;

static void *keep(void *p) {
    assert_true(used < sizeof memory / sizeof *memory);
    return memory[used++] = p;
}

static bool is_text(rask_string s, const char *text, int i) {
    char *expected = heap_text(text, i);
    bool same = rask_string_is(s, expected);
    free(expected);
    return same;
}

/* The records and all that they point to are gone before the job runs. */
static void values_are_copies(void **state) {
    (void)state;
    enum { COUNT = 3 };
    rask_env *env = rask_env_create(NULL, NULL);
    outer *records = calloc(COUNT, sizeof *records);
    assert_non_null(records);
    for (int i = 0; i < COUNT; i++) {
        int64_t *numbers = keep(malloc(2 * sizeof *numbers));
        inner *more = keep(calloc(2, sizeof *more));
        numbers[0] = i;
        numbers[1] = -i;
        more[0] = (inner){rask_string_from(keep(heap_text("more", i))), {2, 0, numbers}};
        more[1] = (inner){rask_string_from("short"), {0, 0, NULL}};
        records[i] = (outer){
            .text = rask_string_from(keep(heap_text("text", i))),
            .one = {rask_string_from(keep(heap_text("one", i))), {2, 0, numbers}},
            .more = {2, 0, more},
            .maybe = {true, rask_string_from(keep(heap_text("maybe", i)))},
            .both = {rask_string_from("tiny"), rask_string_from(keep(heap_text("both", i)))},
        };
    }
    rask_stream(outer) stream = rask_array(env, outer, records, COUNT);
    while (used > 0) {
        memset(memory[used - 1], 'X', 8);
        free(memory[--used]);
    }
    memset(records, 'X', COUNT * sizeof *records);
    free(records);
    rask_iterator(outer) it = rask_execute_and_collect(rask_rebalance(stream), "values");
    int i = 0;
    for (outer r; rask_next(&it, &r); i++) {
        assert_true(is_text(r.text, "text", i));
        assert_true(is_text(r.one.name, "one", i));
        assert_int_equal(r.one.numbers.count, 2);
        assert_int_equal(r.one.numbers.items[1], -i);
        assert_int_equal(r.more.count, 2);
        assert_true(is_text(r.more.items[0].name, "more", i));
        assert_int_equal(r.more.items[0].numbers.items[0], i);
        assert_true(rask_string_is(r.more.items[1].name, "short"));
        assert_int_equal(r.more.items[1].numbers.count, 0);
        assert_true(r.maybe.present && is_text(r.maybe.value, "maybe", i));
        assert_false(r.no.present);
        assert_true(rask_string_is(r.both[0], "tiny") && is_text(r.both[1], "both", i));
    }
    assert_int_equal(i, COUNT);
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
}

static void no_values(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    const int64_t none[1] = {0};
    rask_iterator(int64_t) it = rask_execute_and_collect(rask_array(env, int64_t, none, 0), "none");
    int64_t n;
    assert_false(rask_next(&it, &n));
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences),
        cmocka_unit_test(all_numbers),
        cmocka_unit_test(values_are_copies),
        cmocka_unit_test(no_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
