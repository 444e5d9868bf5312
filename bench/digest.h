/* digest.h - the arithmetic that all systems of the comparison share: splitmix64's output function
 * and the order-independent digest of result lines.
 *
 * Every program that takes part (Rask's, the hand-written limits, Flink's) hashes the same
 * canonical line for each result, so equal digests mean equal results whatever the order. Pure
 * functions on plain data; a digest belongs to one thread and digests of several are added up. */
#ifndef BENCH_DIGEST_H
#define BENCH_DIGEST_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BENCH_GOLDEN_RATIO UINT64_C(0x9E3779B97F4A7C15)
#define BENCH_MULTIPLIER UINT64_C(0xFF51AFD7ED558CCD)

typedef struct bench_digest {
    uint64_t count; /* lines, retracted ones subtracted */
    uint64_t sum;   /* of the lines' hashes, modulo 2^64 */
} bench_digest;

/* splitmix64's output function: a bijection that mixes all bits. */
static inline uint64_t bench_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Little-endian word at p, at any alignment. */
static inline uint64_t bench_load64(const void *p) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* Hash of a line of len bytes. */
static inline uint64_t bench_line_hash(const char *line, size_t len) {
    uint64_t h = BENCH_GOLDEN_RATIO ^ (len * BENCH_MULTIPLIER);
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        h = (h ^ bench_load64(line + i)) * BENCH_MULTIPLIER;
        h ^= h >> 32;
    }
    if (i < len) {
        uint64_t word = 0;
        memcpy(&word, line + i, len - i);
        h = (h ^ word) * BENCH_MULTIPLIER;
        h ^= h >> 32;
    }
    return bench_mix(h);
}

static inline void bench_digest_line(bench_digest *digest, const char *line, size_t len) {
    digest->count++;
    digest->sum += bench_line_hash(line, len);
}

static inline void bench_digest_add(bench_digest *digest, const bench_digest *other) {
    digest->count += other->count;
    digest->sum += other->sum;
}

/* Writes v in decimal at p (up to 20 bytes) and returns the end. */
static inline char *bench_put_u64(char *p, uint64_t v) {
    char digits[20];
    int n = 0;
    do {
        digits[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v != 0);
    while (n > 0) *p++ = digits[--n];
    return p;
}

/* Writes "a,b", the line of most of the small workloads, and counts it. */
static inline void bench_digest_pair(bench_digest *digest, uint64_t a, uint64_t b) {
    char line[48];
    char *p = bench_put_u64(line, a);
    *p++ = ',';
    p = bench_put_u64(p, b);
    bench_digest_line(digest, line, (size_t)(p - line));
}
#endif
