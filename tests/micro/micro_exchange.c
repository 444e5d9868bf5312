/* micro_exchange.c - what the exchange alone costs: threads that generate records, hand them
 * through result writers and input gates, and look at each. Prints CPU nanoseconds per record
 * delivered (all threads, from generating to looking), wall nanoseconds, and how often somebody
 * slept. usage: micro_exchange [records [case]]     compare: limit exchange N 1 KEYS (bench/limit)
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/input_gate.h"
#include "exchange/result_writer.h"
#include "platform/clock.h"
#include "platform/process.h"
#include "platform/thread.h"
#include "rask/rask.h"

enum { TASKS_MAX = 2, MAX_PARALLELISM = 128 };

typedef struct small {
    int64_t key;
} small;
RASK_TYPE(small, key);
typedef struct wide {
    int64_t number, key, time, a, b, c, d, e;
} wide;
RASK_TYPE(wide, number, key, time, a, b, c, d, e);
typedef struct word {
    rask_string text;
    int64_t count;
} word;
RASK_TYPE(word, text, count);

typedef enum shape_kind { SHAPE_SMALL, SHAPE_WIDE, SHAPE_WORD, SHAPE_WIDE_TIMED } shape_kind;

typedef struct bench_case {
    const char *name;
    shape_kind shape;
    raski_channel_selector_kind selector;
    uint32_t producers, consumers;
} bench_case;

static const bench_case CASES[] = {
    {"counter_8B_1to1", SHAPE_SMALL, RASKI_SELECT_FORWARD, 1, 1},
    {"records_64B_1to1", SHAPE_WIDE, RASKI_SELECT_FORWARD, 1, 1},
    {"records_64B_timestamps_1to1", SHAPE_WIDE_TIMED, RASKI_SELECT_FORWARD, 1, 1},
    {"words_24B_1to1", SHAPE_WORD, RASKI_SELECT_FORWARD, 1, 1},
    {"counter_8B_2to2_hash", SHAPE_SMALL, RASKI_SELECT_HASH, 2, 2},
    {"records_64B_2to2_hash", SHAPE_WIDE, RASKI_SELECT_HASH, 2, 2},
    {"words_24B_2to2_hash", SHAPE_WORD, RASKI_SELECT_HASH, 2, 2},
    {"records_64B_2to2_rebalance", SHAPE_WIDE, RASKI_SELECT_REBALANCE, 2, 2},
    {"records_64B_1to2_broadcast", SHAPE_WIDE, RASKI_SELECT_BROADCAST, 1, 2},
};

typedef struct task {
    const bench_case *what;
    uint32_t index;
    uint64_t records;
    raski_doorbell *bell;
    raski_thread *thread;
    raski_result_partition *partition;
    raski_input_gate *gate;
    uint64_t received, sleeps, buffers;
    raski_result_writer_counters counters;
} task;

static void must(rask_status status, const raski_error *err) {
    if (status == RASK_OK) return;
    (void)fprintf(stderr, "micro_exchange: %s\n", err->message);
    exit(1);
}

static inline uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}
static inline int64_t key_of(int64_t n) {
    return (int64_t)((mix((uint64_t)(n + 1) * 0x9e3779b97f4a7c15ULL) >> 32) * 10000 >> 32);
}
static inline int32_t hash_of(int64_t key) {
    return (int32_t)(key ^ (key >> 32));
}

static void fill_small(small *out, int32_t *hashes, int64_t n, int64_t step, size_t count,
                       bool with_hashes) {
    if (!with_hashes) { /* a counter: what a source of numbers does */
        for (size_t i = 0; i < count; i++) out[i].key = n + (int64_t)i * step;
        return;
    }
    for (size_t i = 0; i < count; i++, n += step) {
        out[i].key = key_of(n);
        hashes[i] = hash_of(out[i].key);
    }
}
static void fill_wide(wide *out, int64_t *timestamps, int32_t *hashes, int64_t n, int64_t step,
                      size_t count, bool with_hashes) {
    for (size_t i = 0; i < count; i++, n += step) {
        int64_t key = key_of(n);
        out[i] = (wide){n, key, n / 1000, n + 3, n + 4, n + 5, n + 6, n + 7};
        if (with_hashes) hashes[i] = hash_of(key);
        if (timestamps != NULL) timestamps[i] = n;
    }
}
static void fill_word(word *out, int32_t *hashes, int64_t n, int64_t step, size_t count) {
    static const char text[] = "counterrevolutionaries and the others";
    for (size_t i = 0; i < count; i++, n += step) {
        int64_t key = key_of(n);
        out[i] =
            (word){rask_string_of(text, (size_t)(key % 64 == 0 ? 13 + key % 20 : 1 + key % 12)), 1};
        hashes[i] = hash_of(key);
    }
}

static void produce(void *context) {
    task *t = context;
    raski_error err = {0};
    raski_result_writer_options options = {
        .selector = {.kind = t->what->selector, .max_parallelism = MAX_PARALLELISM},
        .buffer_timeout_ms = 100,
        .doorbell = t->bell};
    raski_result_writer *writer;
    must(raski_result_writer_create(t->partition, &options, &writer, &err), &err);
    int32_t hashes[4096];
    bool with_hashes = t->what->selector == RASKI_SELECT_HASH;
    int64_t step = t->what->producers, n = t->index, end = n + (int64_t)t->records * step;
    while (n < end) {
        raski_window window;
        must(raski_result_writer_window(writer, &window, &err), &err);
        size_t count = window.capacity < 4096 ? window.capacity : 4096;
        if (count > (size_t)((end - n) / step)) count = (size_t)((end - n) / step);
        switch (t->what->shape) {
            case SHAPE_SMALL:
                fill_small(window.records, hashes, n, step, count, with_hashes);
                break;
            case SHAPE_WIDE:
            case SHAPE_WIDE_TIMED:
                fill_wide(window.records, window.timestamps, hashes, n, step, count, with_hashes);
                break;
            case SHAPE_WORD:
                fill_word(window.records, hashes, n, step, count);
                break;
        }
        must(raski_result_writer_commit(writer, count, hashes, &err), &err);
        n += (int64_t)count * step;
    }
    must(raski_result_writer_finish(writer, &err), &err);
    raski_result_writer_get_counters(writer, &t->counters);
    raski_result_writer_destroy(writer);
    raski_result_partition_unref(t->partition);
}

static void look(const raski_gate_item *item, shape_kind shape) {
    switch (shape) {
        case SHAPE_SMALL: {
            const small *records = item->records;
            int64_t sum = 0;
            for (size_t i = 0; i < item->count; i++) sum += records[i].key;
            __asm__ volatile("" ::"r"(sum));
            break;
        }
        case SHAPE_WIDE:
        case SHAPE_WIDE_TIMED: {
            const wide *records = item->records;
            for (size_t i = 0; i < item->count; i++) {
                wide copy;
                memcpy(&copy, &records[i], sizeof copy);
                __asm__ volatile("" ::"r"(&copy) : "memory");
            }
            break;
        }
        case SHAPE_WORD: {
            const word *records = item->records;
            int64_t sum = 0;
            for (size_t i = 0; i < item->count; i++) {
                sum += records[i].count + records[i].text.len;
            }
            __asm__ volatile("" ::"r"(sum));
            break;
        }
    }
}

static void consume(void *context) {
    task *t = context;
    raski_error err = {0};
    for (;;) {
        uint32_t seen = raski_doorbell_sequence(t->bell);
        raski_gate_item item;
        must(raski_input_gate_poll(t->gate, &item, &err), &err);
        if (item.kind == RASKI_GATE_END) break;
        if (item.kind == RASKI_GATE_NONE) {
            t->sleeps++;
            (void)raski_doorbell_wait(t->bell, seen, RASKI_FOREVER);
            continue;
        }
        if (item.kind == RASKI_GATE_BATCH) {
            look(&item, t->what->shape);
            t->received += item.count;
        }
        raski_input_gate_release(t->gate, &item);
    }
    uint64_t records;
    raski_input_gate_get_counters(t->gate, &records, &t->buffers);
    raski_input_gate_destroy(t->gate);
}

static const rask_type *type_of(shape_kind shape) {
    return shape == SHAPE_SMALL  ? &rask_type_small
           : shape == SHAPE_WORD ? &rask_type_word
                                 : &rask_type_wide;
}

static void run(const bench_case *what, uint64_t records) {
    raski_network_pool *pool = raski_network_pool_create(2048);
    task producers[TASKS_MAX] = {0}, consumers[TASKS_MAX] = {0};
    raski_error err = {0};
    for (uint32_t i = 0; i < what->consumers; i++) {
        consumers[i] = (task){.what = what, .index = i};
        must(raski_doorbell_create(&consumers[i].bell, &err), &err);
        consumers[i].gate = raski_input_gate_create(consumers[i].bell);
    }
    for (uint32_t i = 0; i < what->producers; i++) {
        producers[i] = (task){.what = what, .index = i, .records = records / what->producers};
        must(raski_doorbell_create(&producers[i].bell, &err), &err);
        raski_result_partition_options options = {
            .name = what->name,
            .pool = pool,
            .subpartition_count = what->consumers,
            .type = type_of(what->shape),
            .has_timestamps = what->shape == SHAPE_WIDE_TIMED};
        must(raski_result_partition_create(&options, &producers[i].partition, &err), &err);
        for (uint32_t k = 0; k < what->consumers; k++) {
            must(raski_input_gate_add(consumers[k].gate, producers[i].partition, k, 0, &err), &err);
        }
    }
    raski_process_usage before, after;
    raski_process_usage_get(&before);
    int64_t started_ns = raski_now_ns();
    for (uint32_t i = 0; i < what->consumers; i++) {
        must(raski_thread_create("consumer", 0, consume, &consumers[i], &consumers[i].thread, &err),
             &err);
    }
    for (uint32_t i = 0; i < what->producers; i++) {
        must(raski_thread_create("producer", 0, produce, &producers[i], &producers[i].thread, &err),
             &err);
    }
    uint64_t received = 0, sleeps = 0, blocked = 0, wakes = 0;
    for (uint32_t i = 0; i < what->producers; i++) {
        raski_thread_join(producers[i].thread);
        blocked += producers[i].counters.blocked_count;
        wakes += producers[i].counters.wakes;
    }
    for (uint32_t i = 0; i < what->consumers; i++) {
        raski_thread_join(consumers[i].thread);
        received += consumers[i].received;
        sleeps += consumers[i].sleeps;
    }
    int64_t wall_ns = raski_now_ns() - started_ns;
    raski_process_usage_get(&after);
    double cpu_ns = (double)(after.cpu_user_ns + after.cpu_system_ns - before.cpu_user_ns -
                             before.cpu_system_ns);
    double system_ns = (double)(after.cpu_system_ns - before.cpu_system_ns);
    double n = (double)received;
    printf("%-28s %6.2f ns CPU (%.2f of it system), %6.2f ns wall, %" PRIu64 " records, %" PRIu64
           " sleeps, %" PRIu64 " waits for buffers, %" PRIu64 " wakes\n",
           what->name, cpu_ns / n, system_ns / n, (double)wall_ns / n, received, sleeps, blocked,
           wakes);
    for (uint32_t i = 0; i < what->producers; i++) raski_doorbell_unref(producers[i].bell);
    for (uint32_t i = 0; i < what->consumers; i++) raski_doorbell_unref(consumers[i].bell);
    raski_network_pool_destroy(pool);
}

int main(int argc, char **argv) {
    uint64_t records = argc > 1 ? strtoull(argv[1], NULL, 10) : 50000000;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        if (argc > 2 && strcmp(argv[2], CASES[i].name) != 0) continue;
        run(&CASES[i], records);
    }
    return 0;
}
