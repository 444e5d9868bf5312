/* histogram.h - latencies in buckets of 1.6 per cent, from 64 ns to hours, without allocation.
 *
 * Each power of two is divided into 64 buckets. One thread adds; merging into a common one is
 * atomic, so that subtasks may do it as they end. */
#ifndef BENCH_HISTOGRAM_H
#define BENCH_HISTOGRAM_H
#include <stdint.h>

enum { BENCH_SUB_BUCKETS = 64, BENCH_BUCKETS = 48 * BENCH_SUB_BUCKETS };

typedef struct bench_histogram {
    uint64_t counts[BENCH_BUCKETS];
} bench_histogram;

static inline void bench_histogram_add(bench_histogram *h, int64_t ns) {
    uint64_t v = ns < BENCH_SUB_BUCKETS ? BENCH_SUB_BUCKETS : (uint64_t)ns;
    unsigned power = 63 - (unsigned)__builtin_clzll(v);
    uint64_t sub = (v >> (power - 6)) & (BENCH_SUB_BUCKETS - 1);
    uint64_t bucket = power * BENCH_SUB_BUCKETS + sub;
    h->counts[bucket < BENCH_BUCKETS ? bucket : BENCH_BUCKETS - 1]++;
}

static inline void bench_histogram_merge(bench_histogram *into, const bench_histogram *h) {
    for (int i = 0; i < BENCH_BUCKETS; i++)
        __atomic_fetch_add(&into->counts[i], h->counts[i], __ATOMIC_RELAXED);
}

/* The lower bound, in microseconds, of the bucket that holds the given share of the values
 * (0.5: the median, 1: the highest); 0 when there are none. */
static inline double bench_histogram_share_us(const bench_histogram *h, double share) {
    uint64_t total = 0, seen = 0;
    for (int i = 0; i < BENCH_BUCKETS; i++) total += h->counts[i];
    for (unsigned i = 0; i < BENCH_BUCKETS; i++) {
        seen += h->counts[i];
        if (h->counts[i] == 0 || (double)seen < (double)total * share) continue;
        unsigned power = i / BENCH_SUB_BUCKETS;
        uint64_t sub = i % BENCH_SUB_BUCKETS;
        return (double)((UINT64_C(1) << power) + (sub << (power - 6))) / 1e3;
    }
    return 0;
}
#endif
