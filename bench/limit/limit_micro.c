/* limit_micro.c - the small workloads by hand: what a careful programmer gets without an engine.
 *
 *   limit_micro --w WORKLOAD [--n N] [--p THREADS] [--keys K] [--verify]
 *
 * Every thread is source and consumer at once (a thread of its own for each would only add
 * waiting). counter    a record's key goes to the thread that owns it; there it is counted in an
 *              open-addressing table and (key, count) is stored
 *   exchange   whole 64-byte records go through 32 KiB buffers to the thread that owns their key
 *   chain10    ten dependent map steps (p4 += k); a barrier on the register keeps each of them
 *   broadcast  thread 0 makes the records; every thread gets each of them
 *   union      two sources of n/2 records per thread, united, dealt to the threads in turn
 *   timers     one thread: a timer per record a second later, of equal ones one; a bucket for each
 *              millisecond, in which few keys are compared
 * What arrives is stored into a small output area that the compiler must assume is read. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/events.h"
#include "bench/limit/ring.h"
#include "bench/measure.h"
#include "bench/options.h"

enum {
    THREADS_MAX = 8,
    OUTPUT_BYTES = 4096,
    CHAIN_STEPS = 10,
    TABLE_START = 1 << 14,
    AHEAD = 64,
    TIMER_MS = 1000,
    TIMER_SLOTS = 1024,
    TIMER_KEYS = 2 * BENCH_EVENTS_PER_MS, /* of one millisecond, and more */
    HUGE_PAGE = 2 << 20
};

typedef struct counter_entry {
    uint64_t key_plus_1; /* 0: empty */
    uint64_t count;
} counter_entry;

typedef struct worker {
    int id;
    bench_digest digest;
    uint64_t records_out;
    counter_entry *table; /* a power of two, at most half full */
    uint64_t table_mask, table_used;
    uint64_t ahead[AHEAD]; /* keys whose table lines are on their way */
    unsigned ahead_count;
    ring in[THREADS_MAX];              /* from each thread; in[id] from itself */
    ring_buffer *filling[THREADS_MAX]; /* the buffer being filled towards each thread, or NULL */
    uint32_t output_used;
    alignas(64) char output[OUTPUT_BYTES];
} worker;

static bench_options options;
static worker workers[THREADS_MAX];

/* ---- what a consumer does with a record */

static uint64_t slot_of(const worker *w, uint64_t key_plus_1) {
    return ((key_plus_1 * BENCH_GOLDEN_RATIO) >> 24) & w->table_mask;
}

static void *checked(void *memory) {
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return memory;
}

/* A table of zeroes; a large one in huge pages, where the system has them, since each access to a
 * small page of it would have to look its address up. */
static counter_entry *make_table(uint64_t entries) {
    size_t size = entries * sizeof(counter_entry);
    if (size < HUGE_PAGE) return checked(calloc(entries, sizeof(counter_entry)));
    counter_entry *table = checked(aligned_alloc(HUGE_PAGE, size));
    (void)madvise(table, size, MADV_HUGEPAGE);
    memset(table, 0, size);
    return table;
}

static void grow(worker *w) {
    counter_entry *old = w->table;
    uint64_t old_mask = w->table_mask;
    w->table_mask = old_mask * 2 + 1;
    w->table = make_table(w->table_mask + 1);
    for (uint64_t i = 0; i <= old_mask; i++) {
        if (old[i].key_plus_1 == 0) continue;
        uint64_t slot = slot_of(w, old[i].key_plus_1);
        while (w->table[slot].key_plus_1 != 0) slot = (slot + 1) & w->table_mask;
        w->table[slot] = old[i];
    }
    free(old);
}

static inline void count_key(worker *w, uint64_t key) {
    uint64_t slot = slot_of(w, key + 1);
    while (w->table[slot].key_plus_1 != 0 && w->table[slot].key_plus_1 != key + 1)
        slot = (slot + 1) & w->table_mask;
    counter_entry *entry = &w->table[slot];
    uint64_t count = ++entry->count;
    if (entry->key_plus_1 == 0) {
        entry->key_plus_1 = key + 1;
        if (++w->table_used * 2 > w->table_mask) grow(w);
    }
    uint64_t out[2] = {key, count};
    if (w->output_used + sizeof out > OUTPUT_BYTES) w->output_used = 0;
    memcpy(w->output + w->output_used, out, sizeof out);
    w->output_used += sizeof out;
    w->records_out++;
    if (options.verify) bench_digest_pair(&w->digest, key, count);
}

static void count_ahead(worker *w) {
    for (unsigned i = 0; i < w->ahead_count; i++) count_key(w, w->ahead[i]);
    w->ahead_count = 0;
}

static inline void fetch_key(worker *w, uint64_t key) {
    __builtin_prefetch(&w->table[slot_of(w, key + 1)], 1);
    w->ahead[w->ahead_count++] = key;
    if (w->ahead_count == AHEAD) count_ahead(w);
}

/* Where the next 64-byte result is stored. */
static inline bench_record *output_record(worker *w) {
    return (bench_record *)(void *)w->output;
}

/* A result stands in the output area; its line is "a,b" with b the second argument. */
static inline void taken(worker *w, const bench_record *record, int64_t b) {
    __asm__ volatile("" ::"r"(record) : "memory");
    w->records_out++;
    if (options.verify) bench_digest_pair(&w->digest, (uint64_t)record->a, (uint64_t)b);
}

static void take_records(worker *w, const char *at, size_t count) {
    const bench_record *record = (const bench_record *)(const void *)at;
    w->records_out += count;
    for (size_t i = 0; i < count; i++) {
        memcpy(w->output, record + i, sizeof *record);
        __asm__ volatile("" ::"r"(w->output) : "memory");
    }
    for (size_t i = 0; options.verify && i < count; i++)
        bench_digest_pair(&w->digest, (uint64_t)record[i].a, (uint64_t)record[i].k);
}

/* ---- moving records between threads */

static inline void drain(worker *w) {
    for (int from = 0; from < options.parallelism; from++) {
        ring_buffer *buffer;
        while ((buffer = ring_to_read(&w->in[from])) != NULL) {
            const char *at = buffer->bytes, *end = buffer->bytes + buffer->len;
            if (options.workload == BENCH_COUNTER) {
                for (; at < end; at += sizeof(uint64_t)) fetch_key(w, bench_load64(at));
            } else {
                take_records(w, at, (size_t)(end - at) / sizeof(bench_record));
            }
            ring_give_back(&w->in[from]);
        }
    }
}

/* len bytes in the buffer towards a thread; publishes a full one and waits, consuming, for the
 * next. */
static inline void *place(worker *w, int to, uint32_t len) {
    ring_buffer *buffer = w->filling[to];
    if (buffer == NULL || buffer->len + len > RING_BUFFER_BYTES) {
        ring *r = &workers[to].in[w->id];
        if (buffer != NULL) ring_publish(r);
        while ((buffer = ring_to_fill(r)) == NULL) {
            drain(w);
            ring_pause();
        }
        buffer->len = 0;
        w->filling[to] = buffer;
        drain(w);
    }
    void *at = buffer->bytes + buffer->len;
    buffer->len += len;
    return at;
}

static inline int owner_of(uint64_t key) {
    uint64_t scaled = ((key * BENCH_GOLDEN_RATIO) >> 32) * (uint64_t)options.parallelism;
    return (int)(scaled >> 32);
}

/* ---- sources */

static void run_counter(worker *w) {
    for (uint64_t n = (uint64_t)w->id; n < options.n; n += (uint64_t)options.parallelism) {
        uint64_t key = bench_key(n, options.keys);
        int to = owner_of(key);
        if (to == w->id)
            fetch_key(w, key);
        else
            memcpy(place(w, to, sizeof key), &key, sizeof key);
    }
}

static void run_exchange(worker *w) {
    for (uint64_t n = (uint64_t)w->id; n < options.n; n += (uint64_t)options.parallelism) {
        uint64_t key = bench_key(n, options.keys);
        bench_fill_record(place(w, owner_of(key), sizeof(bench_record)), n, key);
    }
}

static void run_chain(worker *w) {
    for (uint64_t n = (uint64_t)w->id; n < options.n; n += (uint64_t)options.parallelism) {
        uint64_t key = bench_key(n, options.keys);
        bench_record *record = output_record(w);
        bench_fill_record(record, n, key);
        int64_t p4 = record->p4;
        for (int step = 0; step < CHAIN_STEPS; step++) {
            p4 += (int64_t)key;
            __asm__ volatile("" : "+r"(p4)); /* the step is done, not folded into the next */
        }
        record->p4 = p4;
        taken(w, record, p4);
    }
}

static void run_broadcast(worker *w) {
    if (w->id != 0) return;
    for (uint64_t n = 0; n < options.n; n++) {
        uint64_t key = bench_key(n, options.keys);
        for (int to = 1; to < options.parallelism; to++)
            bench_fill_record(place(w, to, sizeof(bench_record)), n, key);
        bench_fill_record(output_record(w), n, key);
        taken(w, output_record(w), output_record(w)->k);
    }
}

static void run_union(worker *w) {
    uint64_t turn = (uint64_t)w->id;
    for (uint64_t n = (uint64_t)w->id; n < options.n / 2; n += (uint64_t)options.parallelism) {
        for (int source = 0; source < 2; source++) {
            uint64_t source_n = n;
            __asm__ volatile("" : "+r"(source_n)); /* two sources make two records */
            uint64_t key = bench_key(source_n, options.keys);
            int to = (int)(turn++ % (uint64_t)options.parallelism);
            if (to == w->id) {
                bench_fill_record(output_record(w), source_n, key);
                taken(w, output_record(w), output_record(w)->k);
            } else {
                bench_fill_record(place(w, to, sizeof(bench_record)), source_n, key);
            }
        }
    }
}

static struct {
    uint32_t count;
    uint32_t keys[TIMER_KEYS];
} timers[TIMER_SLOTS]; /* by time */

static void fire_timers(worker *w, int64_t time) {
    for (uint32_t i = 0; i < timers[time % TIMER_SLOTS].count; i++) {
        uint64_t out[2] = {timers[time % TIMER_SLOTS].keys[i], (uint64_t)time};
        if (w->output_used + sizeof out > OUTPUT_BYTES) w->output_used = 0;
        memcpy(w->output + w->output_used, out, sizeof out);
        w->output_used += sizeof out;
        w->records_out++;
        if (options.verify) bench_digest_pair(&w->digest, out[0], out[1]);
    }
    timers[time % TIMER_SLOTS].count = 0;
}

static void run_timers(worker *w) {
    int64_t fired_to = (int64_t)BENCH_BASE_MS; /* timers before this time have fired */
    bench_record record;
    for (uint64_t n = 0; n < options.n; n++) {
        bench_fill_record(&record, n, bench_key(n, options.keys));
        __asm__ volatile("" ::"r"(&record) : "memory"); /* the record was made */
        for (; fired_to <= record.t - 1; fired_to++) fire_timers(w, fired_to);
        int64_t slot = (record.t + TIMER_MS) % TIMER_SLOTS;
        uint32_t key = (uint32_t)record.k, count = timers[slot].count, i = 0;
        while (i < count && timers[slot].keys[i] != key) i++;
        if (i == count) timers[slot].keys[timers[slot].count++] = key;
    }
    for (int end = 0; end < TIMER_SLOTS; end++) fire_timers(w, fired_to + end);
}

static void *work(void *argument) {
    worker *w = argument;
    switch (options.workload) {
        case BENCH_COUNTER:
            run_counter(w);
            break;
        case BENCH_EXCHANGE:
            run_exchange(w);
            break;
        case BENCH_CHAIN10:
            run_chain(w);
            break;
        case BENCH_BROADCAST:
            run_broadcast(w);
            break;
        case BENCH_TIMERS:
            run_timers(w);
            break;
        default:
            run_union(w);
            break;
    }
    for (int to = 0; to < options.parallelism; to++) {
        if (w->filling[to] != NULL) ring_publish(&workers[to].in[w->id]);
        ring_close(&workers[to].in[w->id]);
    }
    for (;;) {
        drain(w);
        bool done = true;
        for (int from = 0; from < options.parallelism; from++) done &= ring_is_done(&w->in[from]);
        if (done) break;
        ring_pause();
    }
    count_ahead(w);
    return NULL;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"counter", "exchange", "chain10", "broadcast",
                                        "union",   "timers",   NULL};
    bench_options_parse(&options, argc, argv, names);
    int most = options.workload == BENCH_TIMERS ? 1 : THREADS_MAX;
    if (options.parallelism > most) {
        fprintf(stderr, "%s: at most %d threads for %s\n", argv[0], most, options.workload_name);
        return 2;
    }
    int64_t started = bench_now_ns();
    pthread_t threads[THREADS_MAX];
    for (int i = 0; i < options.parallelism; i++) {
        worker *w = &workers[i];
        w->id = i;
        w->table_mask = TABLE_START - 1;
        w->table = make_table(TABLE_START);
        for (int from = 0; from < options.parallelism; from++) ring_init(&w->in[from]);
    }
    for (int i = 0; i < options.parallelism; i++)
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) abort();
    for (int i = 0; i < options.parallelism; i++) pthread_join(threads[i], NULL);
    int64_t wall_ns = bench_now_ns() - started;

    bench_digest digest = {0, 0};
    uint64_t records_out = 0;
    for (int i = 0; i < options.parallelism; i++) {
        bench_digest_add(&digest, &workers[i].digest);
        records_out += workers[i].records_out;
        free(workers[i].table);
        for (int from = 0; from < options.parallelism; from++) ring_fini(&workers[i].in[from]);
    }
    char name[64];
    bench_options_name(&options, name, sizeof name);
    uint64_t records_in = options.workload == BENCH_UNION ? options.n / 2 * 2 : options.n;
    bench_report(&(bench_result){.system = "limit",
                                 .workload = name,
                                 .parallelism = options.parallelism,
                                 .records_in = records_in,
                                 .records_out = records_out,
                                 .wall_ns = wall_ns,
                                 .digest = options.verify ? &digest : NULL});
    return 0;
}
