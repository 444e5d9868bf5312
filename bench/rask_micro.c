/* rask_micro.c - the small workloads as Rask jobs.
 *
 *   rask_micro --w counter|exchange|chain10|broadcast|union|timers|sliding|latency [--n N] [--p P]
 * [--keys K]
 *              [--rate R] [--slides S] [--verify] [-D key=value]...
 *
 * Records are made by a user's source, subtask i of P makes n = i, i + P, ...; results are dropped,
 * or, with --verify, hashed by a user's sink. latency: a rate-limited source stamps each record,
 * the sink behind the keyed exchange reads the clock. Prints one line of JSON. */
#include <rask/rask.h>

#include "bench/events.h"
#include "bench/histogram.h"
#include "bench/measure.h"
#include "bench/options.h"

RASK_TYPE(bench_record, a, k, t, p3, p4, p5, p6, p7);
typedef struct {
    int64_t key, count;
} key_count;
RASK_TYPE(key_count, key, count);

enum { CALL_RECORDS = 512 /* that the source makes in one call */, CHAIN_STEPS = 10 };

/* ---------------------------------------------------------------- sources */

typedef struct {
    uint64_t next, step, end, keys;
} generator;
RASK_INSTANCE(generator);

RASK_SOURCE(records, generator, self, bench_record, out) {
    uint64_t n = self->next, step = self->step, keys = self->keys;
    uint64_t stop = n + CALL_RECORDS * step;
    if (stop > self->end) stop = self->end;
    for (; n < stop; n += step) bench_fill_record(rask_emit_slot(out), n, bench_key(n, keys));
    self->next = n;
    return n < self->end ? RASK_MORE : RASK_END;
}
RASK_OPEN(records, self) {
    self->next = (uint64_t)rask_runtime()->subtask_index;
    self->step = (uint64_t)rask_runtime()->parallelism;
    return RASK_OK;
}

typedef struct {
    uint64_t next, end, keys, rate;
    int64_t started_ns;
} clocked_generator;
RASK_INSTANCE(clocked_generator);

/* Makes what is due since the start and then waits for the next; p3 is the time of making. */
RASK_SOURCE(clocked_records, clocked_generator, self, bench_record, out) {
    int64_t now_ns = bench_now_ns();
    if (self->started_ns == 0) self->started_ns = now_ns;
    double period_ns = 1e9 / (double)self->rate;
    uint64_t due = (uint64_t)((double)(now_ns - self->started_ns) / period_ns) + 1;
    if (due > self->end) due = self->end;
    for (uint64_t n = self->next; n < due; n++) {
        bench_record *r = rask_emit_slot(out);
        bench_fill_record(r, n, bench_key(n, self->keys));
        r->p3 = now_ns;
    }
    self->next = due;
    if (due == self->end) return RASK_END;
    rask_idle_ns(out, self->started_ns + (int64_t)((double)due * period_ns) - now_ns);
    return RASK_IDLE;
}

/* ---------------------------------------------------------------- operators */

RASK_MAP(key_of, bench_record, r, int64_t) {
    return r.k;
}
RASK_MAP(same, bench_record, r, bench_record) {
    return r;
}
RASK_MAP(add_key, bench_record, r, bench_record) {
    r.p4 += r.k;
    return r;
}

typedef struct {
    rask_value(int64_t) count;
} counter;
RASK_STATE(counter, count);

RASK_KEYED_PROCESS(count_key, counter, self, int64_t, key, key_count, out) {
    int64_t *count = rask_ref(self->count);
    rask_emit(out, (key_count){key, ++*count});
}

typedef struct {
    int64_t key;
    rask_timestamp time;
} key_time;
RASK_TYPE(key_time, key, (time, rask_timestamp));

typedef struct {
    char none;
} no_state;
RASK_INSTANCE(no_state);

RASK_KEYED_PROCESS(remind, no_state, self, int64_t, key, key_time, out) {
    (void)self, (void)key;
    rask_register_event_timer(out, rask_timestamp(out) + 1000);
}
RASK_ON_TIMER(remind, self, timer, out) {
    rask_emit(out, (key_time){*rask_key(out, int64_t), timer.time_ms});
}

RASK_AGGREGATE(tally, int64_t, key, key_count, sum, key_count) {
    sum->key = key;
    sum->count++;
}
RASK_AGGREGATE_RESULT(tally, sum) {
    return *sum;
}
RASK_AGGREGATE_MERGE(tally, into, from) {
    into->key = from->key;
    into->count += from->count;
}

/* ---------------------------------------------------------------- sinks */

/* Of all subtasks, added when they close. */
static bench_digest total;

static void add_to_total(const bench_digest *digest) {
    __atomic_fetch_add(&total.count, digest->count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&total.sum, digest->sum, __ATOMIC_RELAXED);
}

typedef struct {
    bench_digest digest;
} hasher;
RASK_INSTANCE(hasher);

RASK_SINK(hash_counts, hasher, self, key_count, c) {
    bench_digest_pair(&self->digest, (uint64_t)c.key, (uint64_t)c.count);
}
RASK_CLOSE(hash_counts, self) {
    add_to_total(&self->digest);
    return RASK_OK;
}
RASK_SINK(hash_timers, hasher, self, key_time, t) {
    bench_digest_pair(&self->digest, (uint64_t)t.key, (uint64_t)t.time);
}
RASK_CLOSE(hash_timers, self) {
    add_to_total(&self->digest);
    return RASK_OK;
}
RASK_SINK(hash_keys, hasher, self, bench_record, r) {
    bench_digest_pair(&self->digest, (uint64_t)r.a, (uint64_t)r.k);
}
RASK_CLOSE(hash_keys, self) {
    add_to_total(&self->digest);
    return RASK_OK;
}
RASK_SINK(hash_sums, hasher, self, bench_record, r) {
    bench_digest_pair(&self->digest, (uint64_t)r.a, (uint64_t)r.p4);
}
RASK_CLOSE(hash_sums, self) {
    add_to_total(&self->digest);
    return RASK_OK;
}

typedef struct {
    int64_t counted_from; /* records before this one warm the program up */
    bench_histogram histogram;
} stopwatch;
RASK_INSTANCE(stopwatch);

static bench_histogram latencies;

RASK_SINK(time_records, stopwatch, self, bench_record, r) {
    if (r.a >= self->counted_from) bench_histogram_add(&self->histogram, bench_now_ns() - r.p3);
}
RASK_CLOSE(time_records, self) {
    bench_histogram_merge(&latencies, &self->histogram);
    return RASK_OK;
}

/* ---------------------------------------------------------------- jobs */

static void finish(rask_stream(bench_record) s, bool verify) {
    if (verify)
        rask_sink(s, hash_keys);
    else
        rask_discard(s);
}

static void build_counter(rask_stream(bench_record) in, bool verify) {
    rask_stream(int64_t) keys = rask_map(in, key_of);
    rask_stream(key_count) counts = rask_process(rask_key_by_value(keys), count_key);
    if (verify)
        rask_sink(counts, hash_counts);
    else
        rask_discard(counts);
}

static void build_timers(rask_stream(bench_record) in, bool verify) {
    rask_stream(int64_t) keys = rask_map(rask_assign_timestamps(in, t), key_of);
    rask_stream(key_time) fired = rask_process(rask_key_by_value(keys), remind);
    if (verify)
        rask_sink(fired, hash_timers);
    else
        rask_discard(fired);
}

/* Windows start each 100 ms of event time, that is, each 1000 records, and overlap more or less. */
static void build_sliding(rask_stream(bench_record) in, const bench_options *o) {
    enum { SLIDE_MS = 100 };
    rask_stream(int64_t) keys = rask_map(rask_assign_timestamps(in, t), key_of);
    rask_windowed(int64_t) windows = rask_window(
        rask_key_by_value(keys),
        rask_sliding_event_time(.size_ms = SLIDE_MS * (int64_t)o->slides, .slide_ms = SLIDE_MS));
    rask_stream(key_count) counts = rask_window_aggregate(windows, tally);
    if (o->verify)
        rask_sink(counts, hash_counts);
    else
        rask_discard(counts);
}

static void build_chain(rask_stream(bench_record) s, bool verify) {
    for (int i = 0; i < CHAIN_STEPS; i++) s = rask_map(s, add_key);
    if (verify)
        rask_sink(s, hash_sums);
    else
        rask_discard(s);
}

static void build_latency(rask_env *env, const bench_options *o) {
    rask_stream(bench_record) in = rask_source(
        env, clocked_records, .parallelism = 1, .bounded = true,
        .self = RASK_SELF(clocked_generator, .end = o->n, .keys = o->keys, .rate = o->rate));
    rask_sink(rask_as_stream(rask_key_by(in, k)), time_records,
              .self = RASK_SELF(stopwatch, .counted_from = (int64_t)(o->n / 4)));
}

static rask_stream(bench_record)
    source(rask_env *env, const bench_options *o, uint64_t n, int parallelism) {
    return rask_source(env, records, .parallelism = parallelism, .bounded = true,
                       .self = RASK_SELF(generator, .end = n, .keys = o->keys));
}

static void build(rask_env *env, const bench_options *o) {
    switch (o->workload) {
        case BENCH_COUNTER:
            build_counter(source(env, o, o->n, 0), o->verify);
            break;
        case BENCH_EXCHANGE:
            finish(rask_map(rask_as_stream(rask_key_by(source(env, o, o->n, 0), k)), same),
                   o->verify);
            break;
        case BENCH_CHAIN10:
            build_chain(source(env, o, o->n, 0), o->verify);
            break;
        case BENCH_BROADCAST:
            finish(rask_map(rask_broadcast(source(env, o, o->n, 1)), same), o->verify);
            break;
        case BENCH_UNION: {
            rask_stream(bench_record) both =
                rask_union(source(env, o, o->n / 2, 0), source(env, o, o->n / 2, 0));
            finish(rask_map(rask_rebalance(both), same), o->verify);
            break;
        }
        case BENCH_TIMERS:
            /* Event time passes a thousand times faster than the clock, as in examples/nexmark. */
            rask_set_option(env, "pipeline.auto-watermark-interval", "1 ms");
            build_timers(source(env, o, o->n, 0), o->verify);
            break;
        case BENCH_SLIDING:
            rask_set_option(env, "pipeline.auto-watermark-interval", "1 ms");
            build_sliding(source(env, o, o->n, 0), o);
            break;
        default:
            build_latency(env, o);
            break;
    }
}

static void report_latency(const bench_options *o) {
    printf("{\"system\": \"rask\", \"workload\": \"latency\", \"p\": %d, \"rate\": %" PRIu64
           ", \"p50_us\": %.1f, \"p99_us\": %.1f, \"p999_us\": %.1f, \"max_us\": %.1f}\n",
           o->parallelism, o->rate, bench_histogram_share_us(&latencies, 0.5),
           bench_histogram_share_us(&latencies, 0.99), bench_histogram_share_us(&latencies, 0.999),
           bench_histogram_share_us(&latencies, 1));
}

int main(int argc, char **argv) {
    static const char *const names[] = {"counter", "exchange", "chain10", "broadcast", "union",
                                        "timers",  "sliding",  "latency", NULL};
    int64_t started_ns = bench_now_ns();
    rask_env *env = rask_env_create(&argc, &argv);
    bench_options o;
    bench_options_parse(&o, argc, argv, names);
    if (o.workload == BENCH_LATENCY && o.rate == 0) o.rate = 10000;
    rask_set_parallelism(env, o.parallelism);
    build(env, &o);
    rask_job_result result;
    int code = rask_execute_job(env, o.workload_name, &result);
    rask_env_destroy(env);
    if (code != RASK_EXIT_OK) {
        fprintf(stderr, "%s\n", result.message);
        return code;
    }
    if (o.workload == BENCH_LATENCY) {
        report_latency(&o);
        return 0;
    }
    char name[64];
    bench_options_name(&o, name, sizeof name);
    bench_report(&(bench_result){.system = "rask",
                                 .workload = name,
                                 .parallelism = o.parallelism,
                                 .records_in = o.workload == BENCH_UNION ? o.n / 2 * 2 : o.n,
                                 .records_out = (uint64_t)result.records_out,
                                 .wall_ns = bench_now_ns() - started_ns,
                                 .digest = o.verify ? &total : NULL});
    return 0;
}
