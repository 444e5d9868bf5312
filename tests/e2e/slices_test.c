/* Sliding windows that share panes say the same as windows that do not: random sizes, slides,
 * offsets and inputs, out of order, late and with gaps, with snapshots and restores in between. The
 * same aggregate without a merge function makes the windows that do not share.
 *
 *   RASK_SEED=n RASK_CASES=m test_e2e_slices     other or more cases */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rask/rask.h>
#include <rask/testing.h>

typedef struct {
    rask_string key;
    int64_t value;
} item;
RASK_TYPE(item, key, value);
typedef struct {
    int64_t sum, count, least;
} sums;
RASK_TYPE(sums, sum, count, least);

static void add(sums *s, int64_t value) {
    if (s->count == 0 || value < s->least) s->least = value;
    s->sum += value;
    s->count++;
}
RASK_AGGREGATE(shared, item, i, sums, s, sums) {
    add(s, i.value);
}
RASK_AGGREGATE_RESULT(shared, s) {
    return *s;
}
RASK_AGGREGATE_MERGE(shared, into, from) {
    if (from->least < into->least) into->least = from->least;
    into->sum += from->sum;
    into->count += from->count;
}
RASK_AGGREGATE(apart, item, i, sums, s, sums) {
    add(s, i.value);
}
RASK_AGGREGATE_RESULT(apart, s) {
    return *s;
}
RASK_SIDE_OUTPUT(late, item);

/* ---------------------------------------------------------------- random numbers */
static uint64_t state;
static int64_t below(int64_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((state >> 33) % (uint64_t)n);
}

/* ---------------------------------------------------------------- both sides */
typedef struct {
    rask_windows windows;
    bool with_side;
    rask_env *env;
    rask_stream(sums) out[2];
    rask_harness *harness[2];
    uint64_t seed;
} both;

static void build(both *b) {
    b->env = rask_env_create(NULL, NULL);
    rask_keyed(item) in = rask_key_by(rask_test_input(b->env, item), key);
    rask_keyed(item) in2 = rask_key_by(rask_test_input(b->env, item), key);
    b->out[0] = rask_window_aggregate(rask_window(in, b->windows), shared);
    b->out[1] = rask_window_aggregate(rask_window(in2, b->windows), apart);
    for (int i = 0; i < 2; i++) {
        if (b->with_side) (void)rask_side_output(b->out[i], late);
        b->harness[i] = rask_harness_create(b->out[i]);
        assert_string_equal(rask_harness_message(b->harness[i]), "");
    }
}

static int compare_lines(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lines between watermarks may come in any order. */
static char *sorted(const char *text) {
    char *copy = strdup(text), *rest = NULL, *lines[4096];
    char *result = calloc(1, strlen(text) + 2);
    size_t n = 0, from = 0;
    for (char *l = strtok_r(copy, "\n", &rest); l != NULL; l = strtok_r(NULL, "\n", &rest)) {
        assert_in_range(n, 0, 4095);
        lines[n++] = l;
    }
    for (size_t i = 0; i <= n; i++) {
        if (i < n && strncmp(lines[i], "watermark", 9) != 0) continue;
        qsort(lines + from, i - from, sizeof *lines, compare_lines);
        from = i + 1;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(result);
        (void)snprintf(result + length, strlen(text) + 2 - length, "%s\n", lines[i]);
    }
    free(copy);
    return result;
}

static void compare(both *b, const char *what) {
    char *text[2];
    for (int i = 0; i < 2; i++) {
        assert_string_equal(rask_harness_message(b->harness[i]), "");
        text[i] = sorted(rask_harness_text(b->harness[i]));
    }
    if (strcmp(text[0], text[1]) != 0)
        fail_msg("RASK_SEED=%llu RASK_CASES=1, at %s: shared:\n%sapart:\n%s",
                 (unsigned long long)b->seed, what, text[0], text[1]);
    if (rask_harness_timers(b->harness[0], false) != rask_harness_timers(b->harness[1], false))
        fail_msg("RASK_SEED=%llu RASK_CASES=1, at %s: %zu timers, not %zu",
                 (unsigned long long)b->seed, what, rask_harness_timers(b->harness[0], false),
                 rask_harness_timers(b->harness[1], false));
    assert_int_equal(rask_harness_counter(b->harness[0], "numLateRecordsDropped"),
                     rask_harness_counter(b->harness[1], "numLateRecordsDropped"));
    free(text[0]);
    free(text[1]);
}

static void restore(both *b) {
    for (int i = 0; i < 2; i++) {
        void *bytes = NULL;
        size_t size = 0;
        assert_int_equal(rask_harness_snapshot(b->harness[i], &bytes, &size), RASK_OK);
        rask_harness_destroy(b->harness[i]);
        const void *const snapshots[] = {bytes};
        b->harness[i] = rask_harness_restore(b->out[i], snapshots, &size, 1);
        free(bytes);
    }
}

static void push(both *b, const char *key, int64_t timestamp, int64_t value) {
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            rask_harness_push(b->harness[i], item, timestamp, {rask_string_from(key), value}),
            RASK_OK);
}

static void run_case(uint64_t seed) {
    static const char *const keys[] = {"a", "b", "a key that is long", "c"};
    state = seed;
    both b = {.seed = seed, .with_side = below(2) == 0};
    const int64_t slide = 1 + below(below(4) == 0 ? 50 : 6);
    const int64_t size = slide + below(below(4) == 0 ? 300 : 12);
    b.windows = rask_sliding_event_time(.size_ms = size, .slide_ms = slide,
                                        .offset_ms = below(slide) - below(slide));
    if (b.with_side) b.windows.late = rask_late(late);
    build(&b);
    int64_t now = below(40) - 20, watermark = INT64_MIN;
    const int64_t restore_every = below(3) == 0 ? 15 : 1000;
    const int steps = 20 + (int)below(80);
    for (int step = 0; step < steps; step++) {
        const int64_t what = below(10);
        if (what < 7) {
            const int64_t timestamp = now - below(2 * size) + below(size);
            push(&b, keys[below(1 + (int64_t)(seed % 4))], timestamp, below(1000) - 500);
            compare(&b, "a record");
        } else if (what < 9 || below(restore_every) > 0) {
            now += below(below(5) == 0 ? 5 * size : slide + 2);
            const int64_t reached = now - below(size);
            if (reached > watermark) watermark = reached;
            for (int i = 0; i < 2; i++)
                assert_int_equal(rask_harness_watermark(b.harness[i], watermark), RASK_OK);
            compare(&b, "a watermark");
        } else {
            restore(&b);
            watermark = INT64_MIN;
            compare(&b, "a restore");
        }
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(rask_harness_watermark(b.harness[i], INT64_MAX), RASK_OK);
    compare(&b, "the end");
    assert_int_equal(rask_harness_timers(b.harness[0], false), 0);
    for (int i = 0; i < 2; i++) rask_harness_destroy(b.harness[i]);
    rask_env_destroy(b.env);
}

static uint64_t number_of(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void shared_windows_equal_others(void **unused) {
    (void)unused;
    const uint64_t first = number_of("RASK_SEED", 1), cases = number_of("RASK_CASES", 1500);
    for (uint64_t seed = first; seed < first + cases; seed++) run_case(seed);
}

/* Times at the ends of what there is. */
static void far_times_do_not_overflow(void **unused) {
    (void)unused;
    static const int64_t times[] = {INT64_MIN + 1, INT64_MIN + 100, -(INT64_C(1) << 61),
                                    INT64_C(1) << 61, INT64_MAX - 100};
    both b = {.windows = rask_sliding_event_time(.size_ms = 10, .slide_ms = 3)};
    build(&b);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) push(&b, "a", times[i], (int64_t)i);
    compare(&b, "far records");
    for (int i = 0; i < 2; i++)
        assert_int_equal(rask_harness_watermark(b.harness[i], INT64_MAX), RASK_OK);
    compare(&b, "the end");
    for (int i = 0; i < 2; i++) rask_harness_destroy(b.harness[i]);
    rask_env_destroy(b.env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_windows_equal_others),
        cmocka_unit_test(far_times_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
