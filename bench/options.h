/* options.h - the command line that Rask's and the limit's programs share (Flink's are alike):
 *
 *   --w WORKLOAD   --n RECORDS   --p PARALLELISM   --keys KEYS   --verify   [FILE...]
 *
 * Arguments that begin otherwise with - are refused; others are the program's own. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of the small workloads, in the order of the names that bench_options_parse is given. */
enum {
    BENCH_COUNTER,
    BENCH_EXCHANGE,
    BENCH_CHAIN10,
    BENCH_BROADCAST,
    BENCH_UNION,
    BENCH_TIMERS,
    BENCH_SLIDING,
    BENCH_LATENCY
};

typedef struct bench_options {
    int workload; /* index into the names */
    const char *workload_name;
    uint64_t n;
    uint64_t keys;
    uint64_t rate;   /* records per second; 0: as fast as it goes */
    uint64_t slides; /* of a sliding window: size / slide */
    int parallelism;
    bool verify;  /* take the digest */
    char **files; /* points into argv */
    int file_count;
} bench_options;

static inline uint64_t bench_parse_number(const char *name, const char *text) {
    char *end = NULL;
    errno = 0;
    uint64_t v = text ? strtoull(text, &end, 10) : 0;
    if (text == NULL || end == text || *end != '\0' || errno != 0) {
        fprintf(stderr, "%s wants a number, not \"%s\"\n", name, text ? text : "");
        exit(2);
    }
    return v;
}

/* names: ended by NULL; the first is the default. Ends the program when something is wrong. */
static inline void bench_options_parse(bench_options *o, int argc, char **argv,
                                       const char *const *names) {
    *o = (bench_options){.workload_name = names[0],
                         .n = 1000000,
                         .keys = 10000,
                         .slides = 10,
                         .parallelism = 1,
                         .files = argv + 1};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (a[0] != '-') {
            o->files[o->file_count++] = argv[i];
            continue;
        }
        if (strcmp(a, "--verify") == 0) {
            o->verify = true;
            continue;
        }
        i++;
        if (strcmp(a, "--w") == 0 || strcmp(a, "--q") == 0) {
            o->workload = 0;
            while (names[o->workload] != NULL &&
                   (value == NULL || strcmp(names[o->workload], value) != 0))
                o->workload++;
            if (names[o->workload] == NULL) {
                fprintf(stderr, "%s: no workload \"%s\"; there are", argv[0], value ? value : "");
                for (int k = 0; names[k] != NULL; k++) fprintf(stderr, " %s", names[k]);
                fprintf(stderr, "\n");
                exit(2);
            }
            o->workload_name = names[o->workload];
        } else if (strcmp(a, "--n") == 0) {
            o->n = bench_parse_number(a, value);
        } else if (strcmp(a, "--keys") == 0) {
            o->keys = bench_parse_number(a, value);
        } else if (strcmp(a, "--rate") == 0) {
            o->rate = bench_parse_number(a, value);
        } else if (strcmp(a, "--slides") == 0) {
            o->slides = bench_parse_number(a, value);
        } else if (strcmp(a, "--p") == 0) {
            uint64_t p = bench_parse_number(a, value);
            o->parallelism = p >= 1 && p <= 1024 ? (int)p : 1;
        } else {
            fprintf(stderr,
                    "usage: %s [--w WORKLOAD] [--n N] [--p P] [--keys K] [--rate R] [--slides S] "
                    "[--verify]\n",
                    argv[0]);
            exit(2);
        }
    }
}

/* The name results go by: the counter's says how many keys it has. */
static inline void bench_options_name(const bench_options *o, char *name, size_t size) {
    if (strcmp(o->workload_name, "counter") == 0)
        snprintf(name, size, "counter-%" PRIu64, o->keys);
    else
        snprintf(name, size, "%s", o->workload_name);
}
#endif
