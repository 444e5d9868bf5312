/* Sources with timestamps and watermarks in whole jobs: of their own, of a strategy, per split;
 * idle and aligned ones. Cases of reports.md by their ids. */
#include <stdatomic.h>

#include "e2e_test_util.h"

typedef struct {
    int64_t n, timestamp, watermark;
} seen;
RASK_TYPE(seen, n, timestamp, watermark);
typedef struct {
    int unused;
} observer;
RASK_INSTANCE(observer);
RASK_PROCESS(observe, observer, self, int64_t, n, seen, out) {
    (void)self;
    rask_emit(out, (seen){n, rask_timestamp(out), rask_watermark(out)});
}
RASK_MAP(same, int64_t, n, int64_t) {
    return n;
}
RASK_TIMESTAMPS(itself, int64_t, n, previous) {
    return n;
}
typedef struct {
    int64_t highest;
} generator;
RASK_INSTANCE(generator);
RASK_WATERMARK_GENERATOR(each, generator, self, int64_t, n, timestamp, out) {
    rask_emit_watermark(out, timestamp);
}

/* ---------------------------------------------------------------- what a source says itself */
enum { OWN = 5000 };
typedef struct {
    int64_t next;
} own;
RASK_INSTANCE(own);
RASK_SOURCE(own_times, own, self, int64_t, out) {
    const int64_t n = self->next++;
    if (n == OWN) return RASK_END;
    if (n % 5 == 4)
        rask_emit(out, n); /* no timestamp */
    else
        rask_emit_at(out, 10 * n, n);
    if (n % 7 == 0) rask_emit_watermark(out, 10 * n - 1);
    if (n % 11 == 0) rask_emit_watermark(out, 3); /* not higher: ignored */
    if (n % 1000 == 999) rask_flush(out);
    return RASK_MORE;
}
static void sources_may_know_the_time(void **state) {
    (void)state;
    for (int chained = 0; chained < 2; chained++) {
        rask_env *env = env_with_parallelism(1);
        if (!chained) rask_disable_chaining(env);
        lines have = {0};
        lines want = {0};
        rask_stream(int64_t) s =
            rask_source(env, own_times, .bounded = true, .timestamps = RASK_OWN_TIMESTAMPS,
                        .watermarks = RASK_NO_WATERMARKS);
        COLLECT(seen, rask_process(rask_map(s, same), observe), &have);
        int64_t watermark = INT64_MIN;
        for (int64_t n = 0; n < OWN; n++) {
            ADD(seen, &want, {n, n % 5 == 4 ? RASK_NO_TIMESTAMP : 10 * n, watermark});
            if (n % 7 == 0 && 10 * n - 1 > watermark) watermark = 10 * n - 1;
            if (n % 11 == 0 && 3 > watermark) watermark = 3;
        }
        assert_same_sequence(NULL, &have, &want);
    }
}

static void what_a_source_says_needs_timestamps(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_source(env, own_times, .bounded = true));
    assert_fails(env, ".timestamps = RASK_OWN_TIMESTAMPS");
}

/* In batch mode there is but the last watermark. */
static void batch_jobs_have_one_watermark(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_set_runtime_mode(env, RASK_BATCH);
    lines have = {0};
    rask_stream(int64_t) s =
        rask_source(env, own_times, .bounded = true, .timestamps = RASK_OWN_TIMESTAMPS);
    COLLECT(seen, rask_process(rask_map(s, same), observe), &have);
    assert_int_equal(have.count, OWN);
    for (size_t i = 0; i < have.count; i++)
        assert_non_null(strstr(have.items[i], ",-9223372036854775808)"));
    lines_free(&have);
}

/* ---------------------------------------------------------------- splits */
/* Each split counts from a number of its own, all ascending. */
enum { SPLITS = 6, PER_SPLIT = 3000 };
typedef struct {
    int64_t from, count;
} counter;
RASK_INSTANCE(counter);
RASK_SPLIT_SOURCE(counters, counter, self, int64_t, out) {
    if (self->count == PER_SPLIT) return RASK_END;
    rask_emit(out, self->from + self->count++);
    return RASK_MORE;
}
RASK_ENUMERATE(counters, self, splits) {
    (void)self;
    for (int64_t i = 0; i < SPLITS; i++) {
        int64_t from = i * 100000;
        (void)rask_add_split(splits, &from, sizeof from);
    }
    return RASK_OK;
}
RASK_ADD_SPLIT(counters, self, split) {
    memcpy(&self->from, rask_bytes_data(&split), sizeof self->from);
    self->count = 0;
    return RASK_OK;
}
/* Six splits whose times are far apart, read together: nothing is late, since the watermark is that
 * of the slowest. (One at a time, all but the first would be.) */
static void splits_that_are_read_together_are_in_order(void **state) {
    (void)state;
    for (int parallelism = 1; parallelism <= 3; parallelism++) {
        for (int program = 0; program < 2; program++) {
            rask_env *env = env_with_parallelism(parallelism);
            lines have = {0};
            rask_stream(int64_t) s =
                program ? rask_source(env, counters, .bounded = true, .splits_at_once = SPLITS,
                                      .timestamps = RASK_TIMESTAMP_FN(itself),
                                      .watermarks = RASK_WATERMARKS(each))
                        : rask_source(env, counters, .bounded = true, .splits_at_once = SPLITS,
                                      .timestamps = RASK_TIMESTAMP_FN(itself));
            COLLECT(seen, rask_process(rask_map(s, same), observe), &have);
            assert_int_equal(have.count, SPLITS * PER_SPLIT);
            for (size_t i = 0; i < have.count; i++) {
                long long n = 0, timestamp = 0, watermark = 0;
                assert_int_equal(
                    sscanf(have.items[i], "(%lld,%lld,%lld)", &n, &timestamp, &watermark), 3);
                assert_int_equal(n, timestamp);
                if (parallelism == 1) assert_true(timestamp > watermark);
            }
            lines_free(&have);
        }
    }
}

/* ---------------------------------------------------------------- idle splits */
/* Split 0 emits a record a call until somebody sees its time go on; split 1 never has one. */
static _Atomic int64_t seen_watermark;
static _Atomic bool stop;
enum { TRIES = 20000 };
typedef struct {
    char number;
    int64_t n;
} half_empty;
RASK_INSTANCE(half_empty);
RASK_SPLIT_SOURCE(half_empty_source, half_empty, self, int64_t, out) {
    if (atomic_load(&stop)) return RASK_END;
    if (self->number == 1) return RASK_IDLE;
    if (self->n == TRIES) {
        atomic_store(&stop, true);
        return RASK_END;
    }
    rask_emit(out, self->n++);
    return RASK_IDLE;
}
RASK_ENUMERATE(half_empty_source, self, splits) {
    (void)self;
    for (char number = 0; number < 2; number++) (void)rask_add_split(splits, &number, 1);
    return RASK_OK;
}
RASK_ADD_SPLIT(half_empty_source, self, split) {
    self->number = *(const char *)rask_bytes_data(&split);
    return RASK_OK;
}
RASK_PROCESS(watch, observer, self, int64_t, n, int64_t, out) {
    (void)self;
    if (rask_watermark(out) > 0) {
        atomic_store(&seen_watermark, rask_watermark(out));
        atomic_store(&stop, true);
    }
    rask_emit(out, n);
}
/* parallelism 1: both splits in one reader; 2: in two, and the channels are combined. */
static void report_W10_one_empty_partition(void **state) {
    (void)state;
    for (int parallelism = 1; parallelism <= 2; parallelism++) {
        atomic_store(&seen_watermark, INT64_MIN);
        atomic_store(&stop, false);
        rask_env *env = env_with_parallelism(parallelism);
        rask_set_option(env, "pipeline.auto-watermark-interval", "5 ms");
        rask_stream(int64_t) s =
            rask_source(env, half_empty_source, .splits_at_once = parallelism == 1 ? 2 : 1,
                        .timestamps = RASK_TIMESTAMP_FN(itself), .idleness_ms = 20);
        rask_discard(rask_process(s, watch, .parallelism = 1));
        (void)run_job(env);
        rask_env_destroy(env);
        const int64_t watermark = atomic_load(&seen_watermark);
        assert_true(watermark > 0 && watermark < TRIES);
    }
}

/* One split, two readers: the one without ends at once, and must not end time for the consumer when
 * the other is idle. */
static _Atomic int finished_readers;
typedef struct {
    int phase, rounds;
    bool has_split;
} lonely;
RASK_INSTANCE(lonely);
RASK_SPLIT_SOURCE(lonely_source, lonely, self, int64_t, out) {
    switch (self->phase) {
        case 0:
            rask_emit_at(out, 100, 1);
            rask_emit_watermark(out, 50);
            rask_mark_idle(out);
            self->phase = 1;
            return RASK_MORE;
        case 1: /* until the other has gone, and what it said has come */
            if (atomic_load(&finished_readers) > 0 && ++self->rounds > 20) self->phase = 2;
            return RASK_IDLE;
        case 2:
            rask_mark_active(out);
            rask_emit_at(out, 200, 2);
            self->phase = 3;
            return RASK_MORE;
        default:
            return RASK_END;
    }
}
RASK_ENUMERATE(lonely_source, self, splits) {
    (void)self;
    (void)rask_add_split(splits, "x", 1);
    return RASK_OK;
}
RASK_ADD_SPLIT(lonely_source, self, split) {
    (void)split;
    self->has_split = true;
    return RASK_OK;
}
RASK_FINISH(lonely_source, self) {
    (void)self;
    atomic_fetch_add(&finished_readers, 1);
    return RASK_OK;
}
static void report_W8_a_reader_without_a_split(void **state) {
    (void)state;
    atomic_store(&finished_readers, 0);
    rask_env *env = env_with_parallelism(2);
    lines have = {0};
    lines want = {0};
    rask_stream(int64_t) s = rask_source(env, lonely_source, .timestamps = RASK_OWN_TIMESTAMPS,
                                         .watermarks = RASK_NO_WATERMARKS);
    COLLECT(seen, rask_process(rask_rebalance(s), observe, .parallelism = 1), &have);
    ADD(seen, &want, {1, 100, INT64_MIN});
    ADD(seen, &want, {2, 200, 50});
    assert_same_sequence(NULL, &have, &want);
}

/* An input of which nobody had a split still ends. */
RASK_SPLIT_SOURCE(no_splits, observer, self, int64_t, out) {
    (void)self, (void)out;
    return RASK_END;
}
RASK_ENUMERATE(no_splits, self, splits) {
    (void)self, (void)splits;
    return RASK_OK;
}
RASK_ADD_SPLIT(no_splits, self, split) {
    (void)self, (void)split;
    return RASK_OK;
}
RASK_PROCESS(tell_end, observer, self, int64_t, n, seen, out) {
    (void)self, (void)n, (void)out;
}
RASK_ON_END(tell_end, self, out) {
    (void)self;
    rask_emit(out, (seen){-1, -1, rask_watermark(out)});
}
static void time_ends_without_any_split(void **state) {
    (void)state;
    FOR_EACH_MODE(s) {
        rask_env *env = env_of(s);
        lines have = {0};
        lines want = {0};
        rask_stream(int64_t) none = rask_source(env, no_splits, .bounded = true);
        COLLECT(seen, rask_process(rask_rebalance(none), tell_end, .parallelism = 1), &have);
        ADD(seen, &want, {-1, -1, INT64_MAX});
        assert_same_records(s, &have, &want);
    }
}

/* ---------------------------------------------------------------- alignment */
/* The slow source goes on only when it sees that the fast one stands still; the fast one ends only
 * after the slow one has ended. */
static _Atomic int64_t fast_calls;
static _Atomic bool slow_ended, fast_stood_still;
typedef struct {
    int64_t n, last_calls, still;
} racer;
RASK_INSTANCE(racer);
RASK_SOURCE(fast, racer, self, int64_t, out) {
    atomic_fetch_add(&fast_calls, 1);
    if (atomic_load(&slow_ended)) return RASK_END;
    rask_emit(out, 1000 * self->n++);
    return RASK_IDLE;
}
RASK_SOURCE(slow, racer, self, int64_t, out) {
    if (self->n == 0) {
        rask_emit(out, self->n++);
        return RASK_MORE;
    }
    const int64_t calls = atomic_load(&fast_calls);
    self->still = calls > 0 && calls == self->last_calls ? self->still + 1 : 0;
    self->last_calls = calls;
    if (self->still == 100) atomic_store(&fast_stood_still, true);
    if (self->still < 100 && self->n++ < TRIES) return RASK_IDLE;
    rask_emit(out, self->n);
    atomic_store(&slow_ended, true);
    return RASK_END;
}
static void sources_of_a_group_wait_for_each_other(void **state) {
    (void)state;
    atomic_store(&fast_calls, 0);
    atomic_store(&slow_ended, false);
    atomic_store(&fast_stood_still, false);
    rask_env *env = env_with_parallelism(1);
    rask_stream(int64_t) a = rask_source(
        env, fast, .timestamps = RASK_TIMESTAMP_FN(itself), .watermarks = RASK_WATERMARKS(each),
        .alignment_group = "race", .max_drift_ms = 10000, .update_interval_ms = 5);
    rask_stream(int64_t) b = rask_source(
        env, slow, .timestamps = RASK_TIMESTAMP_FN(itself), .watermarks = RASK_WATERMARKS(each),
        .alignment_group = "race", .max_drift_ms = 10000, .update_interval_ms = 5);
    rask_discard(rask_union(a, b));
    (void)run_job(env);
    rask_env_destroy(env);
    assert_true(atomic_load(&fast_stood_still));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_may_know_the_time),
        cmocka_unit_test(what_a_source_says_needs_timestamps),
        cmocka_unit_test(batch_jobs_have_one_watermark),
        cmocka_unit_test(splits_that_are_read_together_are_in_order),
        cmocka_unit_test(report_W10_one_empty_partition),
        cmocka_unit_test(report_W8_a_reader_without_a_split),
        cmocka_unit_test(time_ends_without_any_split),
        cmocka_unit_test(sources_of_a_group_wait_for_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
