/* limit_nexmark.c - the Nexmark queries by hand: the generator fused with the query.
 *
 *   limit_nexmark --q QUERY [--n N] [--p THREADS] [--verify]
 *
 * Events are made whole, texts copied, as on the other systems; results are stored into an output
 * area that the compiler must assume is read. Queries that keep something run in one thread. */
#include <pthread.h>

#include "bench/limit/nexmark_joins.h"
#include "bench/limit/nexmark_windows.h"
#include "bench/limit/nexmark_worker.h"

typedef enum query {
    GEN,
    Q0,
    Q1,
    Q2,
    Q22, /* several threads */
    Q3,
    Q4,
    Q5,
    Q7,
    Q8,
    Q9,
    Q11,
    Q15,
    Q16,
    Q17,
    Q18,
    Q19,
    Q20,
} query;
static const char *const names[] = {"gen", "q0",  "q1",  "q2",  "q22", "q3",  "q4",
                                    "q5",  "q7",  "q8",  "q9",  "q11", "q15", "q16",
                                    "q17", "q18", "q19", "q20", NULL};

bench_options options;
static worker workers[THREADS_MAX];

/* q0 and q1: almost nothing but this store, so it is written out. */
static inline void emit_bid(worker *w, const whole_event *e, uint64_t price) {
    const nexmark_bid_numbers *b = &e->numbers.bid;
    if (options.verify) {
        EMIT(w, 1, NUMBER(b->auction), NUMBER(b->bidder), NUMBER(price), NUMBER(b->ts),
             {e->extra, b->extra.len});
        return;
    }
    uint64_t numbers[5] = {b->auction, b->bidder, price, b->ts, b->extra.len};
    if (w->output_used + sizeof numbers + 16 > OUTPUT_BYTES) w->output_used = 0;
    memcpy(w->output + w->output_used, numbers, sizeof numbers);
    memcpy(w->output + w->output_used + sizeof numbers, e->extra, 16);
    w->output_used += sizeof numbers + 16;
    w->records_out++;
}

/* Where the parts of a text between its first six slashes begin, the slashes sought in eight bytes
 * at once. */
static inline void find_parts(const char *text, uint32_t len, const char *parts[7]) {
    const uint64_t low = UINT64_C(0x7F7F7F7F7F7F7F7F);
    int slashes = 0;
    parts[0] = text;
    for (uint32_t i = 0; i < len && slashes < 6; i += 8) {
        uint64_t other = bench_load64(text + i) ^ '/' * UINT64_C(0x0101010101010101);
        uint64_t found = ~(((other & low) + low) | other | low); /* the high bit of each slash */
        for (; found != 0 && slashes < 6; found &= found - 1)
            parts[++slashes] = text + i + __builtin_ctzll(found) / 8 + 1;
    }
}

static inline void split_url(worker *w, const nexmark_bid_numbers *b) {
    const nexmark_text *url = &nexmark_text_tables.urls[b->channel];
    const nexmark_text *channel = &nexmark_text_tables.channels[b->channel];
    const char *parts[7] = {0};
    find_parts(url->bytes, url->len, parts);
    EMIT(w, 1, NUMBER(b->auction), NUMBER(b->bidder), NUMBER(b->price),
         {channel->bytes, channel->len}, {parts[3], (uint64_t)(parts[4] - parts[3]) - 1},
         {parts[4], (uint64_t)(parts[5] - parts[4]) - 1},
         {parts[5], (uint64_t)(parts[6] - parts[5]) - 1});
}

enum { AHEAD = 32 };
static nexmark_bid_numbers ahead[AHEAD]; /* bids whose table lines are on their way */
static unsigned ahead_count;

static inline void take_ahead(worker *w, const query q) {
    for (unsigned i = 0; i < ahead_count; i++) {
        if (q == Q16) q15_take(&ahead[i], true);
        if (q == Q18) q18_take(w, &ahead[i]);
        if (q == Q19) q19_take(w, &ahead[i]);
    }
    ahead_count = 0;
}

static inline void look_ahead(worker *w, const query q, const nexmark_bid_numbers *b) {
    if (q == Q16) q16_fetch(b);
    if (q == Q18) q18_fetch(b);
    if (q == Q19) q19_fetch(b);
    ahead[ahead_count++] = *b;
    if (ahead_count == AHEAD) take_ahead(w, q);
}

static inline void take(worker *w, const query q, const whole_event *e, nexmark_kind kind) {
    const nexmark_bid_numbers *b = &e->numbers.bid;
    switch (q) {
        case GEN:
            w->records_out++;
            break;
        case Q0:
            if (kind == NEXMARK_BID) emit_bid(w, e, b->price);
            break;
        case Q1:
            if (kind == NEXMARK_BID) emit_bid(w, e, b->price * 908 / 1000);
            break;
        case Q2:
            if (kind == NEXMARK_BID && b->auction % 123 == 0)
                EMIT(w, 1, NUMBER(b->auction), NUMBER(b->price));
            break;
        case Q22:
            if (kind == NEXMARK_BID) split_url(w, b);
            break;
        case Q3:
            q3(w, e, kind);
            break;
        case Q4:
        case Q9:
            q9(e, kind);
            break;
        case Q5:
            q5(e, kind);
            break;
        case Q7:
            q7(e, kind);
            break;
        case Q8:
            q8(e, kind);
            break;
        case Q11:
            q11(e, kind);
            break;
        case Q15:
            if (kind == NEXMARK_BID) q15_take(b, false);
            break;
        case Q16:
        case Q18:
        case Q19:
            if (kind == NEXMARK_BID) look_ahead(w, q, b);
            break;
        case Q17:
            q17(e, kind);
            break;
        case Q20:
            q20(w, e, kind);
            break;
    }
}

/* How long a window (pane, day) of a query is; 1: it has timers; 0: it knows no time. */
static inline uint64_t window_ms(const query q) {
    switch (q) {
        case Q4:
        case Q9:
        case Q11:
            return 1;
        case Q5:
            return PANE_MS;
        case Q7:
            return Q7_MS;
        case Q8:
            return Q8_MS;
        case Q15:
        case Q16:
        case Q17:
            return DAY_MS;
        default:
            return 0;
    }
}

static void finish_window(worker *w, const query q, uint64_t number) {
    if (q == Q5) q5_finish(w, number);
    if (q == Q7) q7_finish(w, number);
    if (q == Q8) q8_finish(w, number);
    if (q == Q15 || q == Q16) q15_finish(w, number, q == Q16);
    if (q == Q17) q17_finish(w, number);
}

/* Nothing at or before the watermark comes any more. */
static inline void advance(worker *w, const query q, uint64_t watermark, uint64_t *finished) {
    take_ahead(w, q);
    if (q == Q4 || q == Q9) q9_watermark(w, watermark, q == Q4);
    if (q == Q11) q11_watermark(w, watermark);
    for (; window_ms(q) > 1 && (*finished + 1) * window_ms(q) <= watermark + 1; ++*finished)
        finish_window(w, q, *finished);
}

/* Inlined once per query, so that the query is a constant in the loop. */
static inline __attribute__((always_inline)) void run(worker *w, const query q) {
    const uint64_t first_ms = NEXMARK_BASE_MS - NEXMARK_DISORDER_MS;
    whole_event e;
    memset(&e, 0, sizeof e);
    uint64_t newest = first_ms, next = 0;
    uint64_t finished = window_ms(q) > 1 ? first_ms / window_ms(q) : 0;
    expired_to = ended_to = first_ms;
    for (uint64_t n = (uint64_t)w->id; n < options.n; n += (uint64_t)options.parallelism) {
        uint64_t r0 = nexmark_draw(SEED, n);
        nexmark_kind kind = nexmark_kind_of(n);
        if (kind == NEXMARK_BID)
            make_bid(n, r0, &e);
        else if (kind == NEXMARK_AUCTION)
            make_auction(n, r0, &e);
        else
            make_person(n, r0, &e);
        __asm__ volatile("" ::"r"(&e) : "memory"); /* the event was made, whatever is used of it */
        take(w, q, &e, kind);
        if (window_ms(q) == 0) continue;
        uint64_t ts = kind == NEXMARK_BID       ? e.numbers.bid.ts
                      : kind == NEXMARK_AUCTION ? e.numbers.auction.ts
                                                : e.numbers.person.ts;
        if (ts <= newest) continue;
        newest = ts;
        if (newest >= next) { /* something may be due */
            advance(w, q, newest - NEXMARK_DISORDER_MS - 1, &finished);
            next = window_ms(q) > 1 ? (finished + 1) * window_ms(q) + NEXMARK_DISORDER_MS : 0;
        }
    }
    advance(w, q, newest + 2 * DAY_MS, &finished);
    __asm__ volatile("" ::"r"(w->output) : "memory");
}

static void *work(void *argument) {
    worker *w = argument;
#define RUN(q) \
    case q: \
        run(w, q); \
        break
    switch ((query)options.workload) {
        RUN(GEN);
        RUN(Q0);
        RUN(Q1);
        RUN(Q2);
        RUN(Q22);
        RUN(Q3);
        RUN(Q4);
        RUN(Q5);
        RUN(Q7);
        RUN(Q8);
        RUN(Q9);
        RUN(Q11);
        RUN(Q15);
        RUN(Q16);
        RUN(Q17);
        RUN(Q18);
        RUN(Q19);
        RUN(Q20);
    }
#undef RUN
    return NULL;
}

int main(int argc, char **argv) {
    bench_options_parse(&options, argc, argv, names);
    int most = options.workload <= (int)Q22 ? THREADS_MAX : 1;
    if (options.parallelism > most) {
        fprintf(stderr, "%s: at most %d threads for %s\n", argv[0], most, options.workload_name);
        return 2;
    }
    nexmark_texts_init();
    q3_init();
    int64_t started = bench_now_ns();
    pthread_t threads[THREADS_MAX];
    for (int i = 0; i < options.parallelism; i++) {
        workers[i].id = i;
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) abort();
    }
    for (int i = 0; i < options.parallelism; i++) pthread_join(threads[i], NULL);
    int64_t wall_ns = bench_now_ns() - started;

    bench_digest digest = {0, 0};
    uint64_t records_out = 0;
    for (int i = 0; i < options.parallelism; i++) {
        bench_digest_add(&digest, &workers[i].digest);
        records_out += workers[i].records_out;
    }
    if (options.workload == (int)GEN) digest.count = records_out;
    bench_report(&(bench_result){.system = "limit",
                                 .workload = options.workload_name,
                                 .parallelism = options.parallelism,
                                 .records_in = options.n,
                                 .records_out = records_out,
                                 .wall_ns = wall_ns,
                                 .digest = options.verify ? &digest : NULL});
    return 0;
}
