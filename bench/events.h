/* events.h - the generated input of the small workloads, bit for bit the same in every system:
 * records of 64 bytes of numbers. (The auction site's events are in examples/nexmark/generator.h.)
 * Record n depends on n and the seed only, so any number of instances can share the work: instance
 * i of P makes the records i, i + P, i + 2P, ... */
#ifndef BENCH_EVENTS_H
#define BENCH_EVENTS_H
#include <stdint.h>

#include "bench/digest.h"

enum {
    BENCH_SEED = 42,
    BENCH_EVENTS_PER_MS = 10, /* of event time */
};
#define BENCH_BASE_MS UINT64_C(1700000000000)

/* A value below m (m < 2^31) from the high half of a draw. */
static inline uint64_t bench_high(uint64_t r, uint64_t m) {
    return ((r >> 32) * m) >> 32;
}
static inline uint64_t bench_draw(uint64_t n) {
    return bench_mix(BENCH_SEED + (n + 1) * BENCH_GOLDEN_RATIO);
}

/* ---- the small workloads' record */

typedef struct bench_record {
    int64_t a; /* n */
    int64_t k; /* key, uniform below the number of keys */
    int64_t t; /* event time, ms */
    int64_t p3, p4, p5, p6, p7;
} bench_record;

static inline uint64_t bench_key(uint64_t n, uint64_t keys) {
    return bench_high(bench_draw(n), keys);
}
/* Record n, whose key the caller has drawn, written in place. */
static inline void bench_fill_record(bench_record *r, uint64_t n, uint64_t key) {
    int64_t a = (int64_t)n;
    r->a = a;
    r->k = (int64_t)key;
    r->t = (int64_t)(BENCH_BASE_MS + n / BENCH_EVENTS_PER_MS);
    r->p3 = a + 3;
    r->p4 = a + 4;
    r->p5 = a + 5;
    r->p6 = a + 6;
    r->p7 = a + 7;
}
#endif
