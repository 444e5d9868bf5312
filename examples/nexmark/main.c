/* main.c - nexmark QUERY: runs one query on generated events and prints a line about it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "nexmark.h"

static const struct {
    const char *name;
    nexmark_query *build;
    const char *what;
} queries[] = {
    {"gen", query_gen, "every event made and dropped"},
    {"events", query_events, "every field of every event"},
    {"q0", query_q0, "all bids"},
    {"q1", query_q1, "all bids, prices in euros"},
    {"q2", query_q2, "bids on some auctions"},
    {"q3", query_q3, "who sells in category 10 and lives in OR, ID or CA"},
    {"q4", query_q4, "average price of winning bids in each category (change log)"},
    {"q5", query_q5, "the auctions with the most bids of ten seconds, every two"},
    {"q5t", query_q5t, "the same by panes of two seconds"},
    {"q7", query_q7, "the highest bid of each ten seconds"},
    {"q8", query_q8, "who came and sold something in the same ten seconds"},
    {"q9", query_q9, "the winning bid of each auction"},
    {"q11", query_q11, "sessions of bidders"},
    {"q12", query_q12, "bids of each bidder in ten seconds of the clock (no digest)"},
    {"q15", query_q15, "bids, bidders and auctions of each day"},
    {"q16", query_q16, "bids, bidders and auctions of each channel and day"},
    {"q17", query_q17, "prices of each auction on each day"},
    {"q18", query_q18, "last bid of each bidder on each auction (change log)"},
    {"q19", query_q19, "ten best bids of each auction (change log)"},
    {"q20", query_q20, "bids with the item they are for, of category 10"},
    {"q22", query_q22, "all bids with the folders of their URLs"},
};
enum { QUERIES = sizeof queries / sizeof queries[0] };

nexmark_run nexmark_this_run;
static nexmark_digest total;

void nexmark_add_to_total(const nexmark_digest *digest) {
    __atomic_fetch_add(&total.count, digest->count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&total.sum, digest->sum, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- the command line */
typedef struct {
    int query; /* index, or -1 */
    uint64_t events, seed;
    const char *output; /* folder, or NULL */
    bool digest;
} arguments;

static void usage(FILE *to) {
    fprintf(to,
            "usage: nexmark QUERY [-p N] [-D key=value]... [--events N] [--seed S]\n"
            "               [--output DIR] [--no-digest]\n"
            "Runs a query on the events of an auction site and prints one line of JSON.\n"
            "  -p N          parallelism\n"
            "  -D key=value  any option of Rask, e.g. -D state.backend.type=rocksdb\n"
            "  --events N    how many events are generated (default 1000000)\n"
            "  --seed S      which events (default 42)\n"
            "  --output DIR  also writes the results to DIR/QUERY.csv, one line each; in a change\n"
            "                log + or - stands before a line that holds from now on or no longer\n"
            "  --no-digest   results are dropped instead of hashed, to measure the query alone\n"
            "Queries:\n");
    for (int i = 0; i < QUERIES; i++) fprintf(to, "  %-8s %s\n", queries[i].name, queries[i].what);
}

static bool parse_number(const char *option, const char *text, uint64_t *ret) {
    char *end = NULL;
    errno = 0;
    if (text != NULL) *ret = strtoull(text, &end, 10);
    if (text != NULL && text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0) return true;
    if (text == NULL)
        fprintf(stderr, "nexmark: %s wants a number behind it\n", option);
    else
        fprintf(stderr, "nexmark: %s wants a number from 0 to 2^64-1, not \"%s\"\n", option, text);
    return false;
}

static bool parse_query(const char *name, arguments *args) {
    if (args->query >= 0) {
        fprintf(stderr, "nexmark: one query at a time, but \"%s\" stands behind \"%s\"\n", name,
                queries[args->query].name);
        return false;
    }
    for (int i = 0; i < QUERIES && args->query < 0; i++)
        if (strcmp(queries[i].name, name) == 0) args->query = i;
    if (args->query >= 0) return true;
    fprintf(stderr, "nexmark: there is no query \"%s\"; there are", name);
    for (int i = 0; i < QUERIES; i++) fprintf(stderr, " %s", queries[i].name);
    fprintf(stderr, "\n");
    return false;
}

/* false: the program ends with *ret_code. */
static bool parse(int argc, char **argv, arguments *args, int *ret_code) {
    *args = (arguments){.query = -1, .events = 1000000, .seed = 42, .digest = true};
    *ret_code = 2;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0) {
            usage(stdout);
            *ret_code = 0;
            return false;
        }
        if (strcmp(a, "--events") == 0) {
            if (!parse_number(a, value, &args->events)) return false;
            i++;
        } else if (strcmp(a, "--seed") == 0) {
            if (!parse_number(a, value, &args->seed)) return false;
            i++;
        } else if (strcmp(a, "--output") == 0) {
            if (value == NULL) {
                fprintf(stderr, "nexmark: --output wants a folder behind it\n");
                return false;
            }
            args->output = value;
            i++;
        } else if (strcmp(a, "--no-digest") == 0) {
            args->digest = false;
        } else if (a[0] == '-') {
            fprintf(stderr, "nexmark: unknown option %s (nexmark --help lists them)\n", a);
            return false;
        } else if (!parse_query(a, args)) {
            return false;
        }
    }
    if (args->query >= 0) return true;
    fprintf(stderr, "nexmark: which query?\n");
    usage(stderr);
    return false;
}

/* The path of the file for the lines, in a folder that exists then; heap, or NULL after a message. */
static char *output_path(const char *folder, const char *query) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "nexmark: cannot create the folder %s: %s\n", folder, strerror(errno));
        return NULL;
    }
    size_t size = strlen(folder) + strlen(query) + sizeof "/.csv";
    char *path = malloc(size);
    if (path == NULL)
        fprintf(stderr, "nexmark: out of memory\n");
    else
        (void)snprintf(path, size, "%s/%s.csv", folder, query);
    return path;
}

/* ---------------------------------------------------------------- running */
typedef struct {
    double wall_ms, cpu_ms; /* CPU: of all threads of the process */
} clocks;

static clocks clocks_now(void) {
    struct timespec t;
    struct rusage u;
    clock_gettime(CLOCK_MONOTONIC, &t);
    getrusage(RUSAGE_SELF, &u);
    return (clocks){
        (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6,
        ((double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec) * 1e3 +
            ((double)u.ru_utime.tv_usec + (double)u.ru_stime.tv_usec) / 1e3,
    };
}

static int run(rask_env *env, const arguments *args, const char *name) {
    /* Event time passes thousands of times faster than the clock: with a watermark each 200 ms of the
     * clock, as is usual, windows would wait for minutes of their time. */
    rask_set_option(env, "pipeline.auto-watermark-interval", "1 ms");
    queries[args->query].build(env, nexmark_events(env, args->events, args->seed));
    clocks begin = clocks_now();
    rask_job_result result;
    int code = rask_execute_job(env, name, &result);
    clocks end = clocks_now();
    if (code != RASK_EXIT_OK) {
        fprintf(stderr, "%s\n", result.message);
        return code;
    }
    printf("{\"query\": \"%s\", \"events\": %" PRIu64, name, args->events);
    if (queries[args->query].build == query_gen) total.count = (int64_t)args->events;
    if (args->digest)
        printf(", \"count\": %" PRId64 ", \"digest\": \"%016" PRIx64 "\"", total.count, total.sum);
    else
        printf(", \"count\": null, \"digest\": null");
    double per_record = args->events > 0 ? 1e6 / (double)args->events : 0;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf(", \"wall_ms\": %.3f, \"cpu_ns_per_record\": %.2f, \"rss_peak_kb\": %ld}\n",
           end.wall_ms - begin.wall_ms, (end.cpu_ms - begin.cpu_ms) * per_record,
           usage.ru_maxrss);
    return 0;
}

int main(int argc, char **argv) {
    rask_env *env = rask_env_create(&argc, &argv);
    arguments args;
    int code = 0;
    char *path = NULL;
    if (parse(argc, argv, &args, &code)) {
        const char *name = queries[args.query].name;
        if (args.output != NULL && (path = output_path(args.output, name)) == NULL) {
            code = 1;
        } else {
            nexmark_this_run = (nexmark_run){.output = path, .digest = args.digest};
            code = run(env, &args, name);
        }
    }
    rask_env_destroy(env);
    free(path);
    return code;
}
