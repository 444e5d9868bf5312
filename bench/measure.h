/* measure.h - what a program of the comparison says about its own run.
 *
 * CPU is the whole process (all threads, start and end included), memory the highest resident set
 * of this program image. ru_maxrss would do for memory, but it starts at that of the parent before
 * exec, so /proc/self/status is read. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "bench/digest.h"

static inline int64_t bench_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* User and system time of the process so far, in ms. */
static inline double bench_cpu_ms(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return ((double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec) * 1e3 +
           ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) / 1e3;
}

/* Highest resident set so far, in KiB; 0 where the system does not tell. */
static inline long bench_rss_peak_kb(void) {
    FILE *status = fopen("/proc/self/status", "r");
    if (status == NULL) return 0;
    char line[256];
    long kb = 0;
    while (kb == 0 && fgets(line, sizeof line, status))
        if (strncmp(line, "VmHWM:", 6) == 0) kb = strtol(line + 6, NULL, 10);
    fclose(status);
    return kb;
}

typedef struct bench_result {
    const char *system, *workload;
    int parallelism;
    uint64_t records_in; /* that CPU and rate are divided by */
    uint64_t records_out;
    int64_t wall_ns;
    const bench_digest *digest; /* NULL: not taken */
} bench_result;

/* One line of JSON on standard output. */
static inline void bench_report(const bench_result *r) {
    printf("{\"system\": \"%s\", \"workload\": \"%s\", \"p\": %d, \"records_in\": %" PRIu64
           ", \"records_out\": %" PRIu64
           ", \"wall_ms\": %.3f, \"cpu_ms\": %.3f, "
           "\"rss_peak_kb\": %ld",
           r->system, r->workload, r->parallelism, r->records_in, r->records_out,
           (double)r->wall_ns / 1e6, bench_cpu_ms(), bench_rss_peak_kb());
    if (r->digest != NULL)
        printf(", \"digest_count\": %" PRIu64 ", \"digest\": \"%016" PRIx64 "\"", r->digest->count,
               r->digest->sum);
    printf("}\n");
    fflush(stdout);
}
#endif
