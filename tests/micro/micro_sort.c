/* micro_sort.c - what batch mode's sorting costs: the sorter alone (nanoseconds of CPU per record
 * to collect, to sort, to hand out again), and whole jobs with a keyed process function behind it.
 * usage: micro_sort [records [memory in MiB]]     memory 0: no limit, for the sorter alone */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operators/sort/sorter.h"
#include "platform/clock.h"
#include "platform/process.h"
#include "rask/rask.h"

typedef struct event {
    int64_t key, value;
} event;
RASK_TYPE(event, key, value);
typedef struct word {
    rask_string text;
    int64_t value;
} word;
RASK_TYPE(word, text, value);

static inline uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static void must(rask_status status, const raski_error *err) {
    if (status == RASK_OK) return;
    (void)fprintf(stderr, "micro_sort: %s\n", err->message);
    exit(1);
}

static int64_t cpu_ns(void) {
    raski_process_usage usage;
    raski_process_usage_get(&usage);
    return usage.cpu_user_ns + usage.cpu_system_ns;
}

/* ---------------------------------------------------------------- the sorter alone */
enum { BATCH = 512 };

typedef struct shape {
    const char *name;
    const rask_type *type;
    raski_key_definition key;
    uint64_t keys; /* how many different ones; 0: as many as records, and large */
    bool shuffled_times;
} shape;

static const shape SHAPES[] = {
    {"long, 10 thousand keys", &rask_type_event, {{1, {{0, &rask_type_int64_t}}}, NULL}, 10000, 0},
    {"long, 1 million keys", &rask_type_event, {{1, {{0, &rask_type_int64_t}}}, NULL}, 1000000, 0},
    {"long, all different", &rask_type_event, {{1, {{0, &rask_type_int64_t}}}, NULL}, 0, 0},
    {"long, 10 thousand keys, late records",
     &rask_type_event,
     {{1, {{0, &rask_type_int64_t}}}, NULL},
     10000,
     1},
    {"string of 5, 10 thousand keys",
     &rask_type_word,
     {{1, {{0, &rask_type_rask_string}}}, NULL},
     10000,
     0},
    {"string of 30, 1 million keys",
     &rask_type_word,
     {{1, {{0, &rask_type_rask_string}}}, NULL},
     1000000,
     0},
};

static void fill(const shape *s, uint64_t from, size_t n, void *records, int64_t *times,
                 char (*texts)[40]) {
    for (size_t i = 0; i < n; i++) {
        const uint64_t random = mix((from + i + 1) * 0x9e3779b97f4a7c15ULL);
        const int64_t key = (int64_t)(s->keys ? random % s->keys : random);
        times[i] = s->shuffled_times ? (int64_t)(random >> 40) : (int64_t)(from + i);
        if (s->type == &rask_type_event) {
            ((event *)records)[i] = (event){key, (int64_t)i};
        } else {
            const int length =
                s->keys == 10000
                    ? snprintf(texts[i], sizeof *texts, "%05d", (int)key)
                    : snprintf(texts[i], sizeof *texts, "customer-of-the-shop-%09d", (int)key);
            ((word *)records)[i] = (word){rask_string_of(texts[i], (size_t)length), (int64_t)i};
        }
    }
}

static void measure_sorter(const shape *s, uint64_t n, size_t memory) {
    static char records[BATCH * sizeof(word)], out[BATCH * sizeof(word)], texts[BATCH][40];
    static int64_t times[BATCH];
    raski_error err = {0};
    raski_sorter *sorter = NULL;
    const raski_sorter_options options = {
        .type = s->type, .key = &s->key, .memory_bytes = memory, .directory = "/tmp"};
    must(raski_sorter_create(&options, &sorter, &err), &err);
    int64_t making = raski_now_ns();
    for (uint64_t at = 0; at < n; at += BATCH) fill(s, at, BATCH, records, times, texts);
    making = raski_now_ns() - making;
    int64_t start = raski_now_ns();
    for (uint64_t at = 0; at < n; at += BATCH) {
        size_t index = 0;
        fill(s, at, BATCH, records, times, texts);
        must(
            raski_sorter_add(sorter, records, times, n - at < BATCH ? n - at : BATCH, &index, &err),
            &err);
    }
    const int64_t added = raski_now_ns();
    must(raski_sorter_finish(sorter, &err), &err);
    const int64_t sorted = raski_now_ns();
    uint64_t keys = 0;
    while (raski_sorter_head(sorter) != NULL) {
        size_t count = 0, filled = 0;
        bool more = false;
        while (filled < BATCH && raski_sorter_head(sorter) != NULL) {
            must(raski_sorter_take(sorter, INT64_MAX, BATCH - filled, out + filled * s->type->size,
                                   times + filled, &count, &more, &err),
                 &err);
            filled += count;
            keys += !more;
        }
        raski_sorter_end_batch(sorter);
    }
    const int64_t taken = raski_now_ns();
    const raski_sorter_counters c = raski_sorter_get_counters(sorter);
    const double each = 1.0 / (double)n;
    printf("%-38s add %5.1f  sort %5.1f  take %5.1f  all %6.1f ns/record  (%" PRIu64
           " keys, %" PRIu64 " runs, %zu MiB)\n",
           s->name, (double)(added - start - making) * each, (double)(sorted - added) * each,
           (double)(taken - sorted) * each, (double)(taken - start - making) * each, keys, c.runs,
           c.memory_peak_bytes >> 20);
    raski_sorter_destroy(sorter);
}

/* ---------------------------------------------------------------- whole jobs */
static uint64_t job_keys;
RASK_MAP(make_event, int64_t, n, event) {
    const uint64_t random = mix((uint64_t)(n + 1) * 0x9e3779b97f4a7c15ULL);
    return (event){(int64_t)(random % job_keys), n};
}
typedef struct counting {
    rask_value(int64_t) count;
} counting;
RASK_STATE(counting, count);
RASK_KEYED_PROCESS(count_up, counting, self, event, e, event, out) {
    const int64_t count = ++*rask_ref(self->count);
    if (count % 64 == 0) rask_emit(out, (event){e.key, count});
}
RASK_KEYED_PROCESS(count_timed, counting, self, event, e, event, out) {
    (void)e;
    if (++*rask_ref(self->count) == 1) rask_register_event_timer(out, 0);
}
RASK_ON_TIMER(count_timed, self, timer, out) {
    (void)timer;
    rask_emit(out, (event){*rask_key(out, int64_t), *rask_get(self->count)});
}

RASK_REDUCE(add, event, a, b) {
    return (event){a.key, a.value + b.value};
}

typedef enum job_kind { COUNT, COUNT_TIMED, SUM, REDUCE, WINDOWS } job_kind;

static void measure_job(const char *name, uint64_t n, uint64_t keys, size_t memory, job_kind kind,
                        bool sorted) {
    rask_env *env = rask_env_create(NULL, NULL);
    char text[32];
    job_keys = keys;
    rask_set_runtime_mode(env, RASK_BATCH);
    (void)snprintf(text, sizeof text, "%zub", memory ? memory : (size_t)128 << 20);
    rask_set_option(env, "execution.sorted-inputs.memory", text);
    if (!sorted) {
        rask_set_option(env, "execution.sorted-inputs.enabled", "false");
        rask_set_option(env, "execution.batch-state-backend.enabled", "false");
    }
    rask_stream(event) events = rask_map(rask_sequence(env, 0, (int64_t)n - 1), make_event);
    if (kind == REDUCE || kind == WINDOWS) events = rask_assign_timestamps(events, value);
    rask_keyed(event) in = rask_key_by(events, key);
    if (kind == COUNT_TIMED) rask_discard(rask_process(in, count_timed));
    if (kind == COUNT) rask_discard(rask_process(in, count_up));
    if (kind == SUM) rask_discard(rask_sum(in, value));
    if (kind == REDUCE) rask_discard(rask_reduce(in, add));
    if (kind == WINDOWS)
        rask_discard(
            rask_window_reduce(rask_window(in, rask_tumbling_event_time(.size_ms = 1000000)), add));
    rask_job_result result;
    const int64_t start = cpu_ns();
    if (rask_execute_job(env, "sort", &result) != 0) {
        (void)fprintf(stderr, "micro_sort: %s\n", result.message);
        exit(1);
    }
    printf("%-46s %6.1f ns of CPU per record\n", name, (double)(cpu_ns() - start) / (double)n);
    rask_env_destroy(env);
}

int main(int argc, char **argv) {
    const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
    const size_t memory = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) << 20 : 0;
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++)
        measure_sorter(&SHAPES[i], n, memory);
    measure_job("job, 10 thousand keys, not sorted", n, 10000, memory, COUNT, false);
    measure_job("job, 10 thousand keys", n, 10000, memory, COUNT, true);
    measure_job("job, 1 million keys", n, 1000000, memory, COUNT, true);
    measure_job("job, 1 million keys, a timer for each", n, 1000000, memory, COUNT_TIMED, true);
    measure_job("job, 10 thousand keys, sum without times", n, 10000, memory, SUM, true);
    measure_job("job, 1 million keys, reduce", n, 1000000, memory, REDUCE, true);
    measure_job("job, 10 thousand keys, windows, not sorted", n, 10000, memory, WINDOWS, false);
    measure_job("job, 10 thousand keys, windows", n, 10000, memory, WINDOWS, true);
    measure_job("job, 1 million keys, windows", n, 1000000, memory, WINDOWS, true);
    return 0;
}
