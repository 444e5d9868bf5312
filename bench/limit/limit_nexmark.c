/* limit_nexmark.c - the stateless Nexmark queries by hand: the generator fused with the query.
 *
 *   limit_nexmark --q gen|q0|q1|q2 [--n N] [--p THREADS] [--verify]
 *
 * Events are made whole, texts copied, as on the other systems; results are stored into an output
 * area that the compiler must assume is read. */
#include <pthread.h>
#include <stdalign.h>
#include <string.h>

#include "bench/events.h"
#include "bench/measure.h"
#include "bench/options.h"

enum { THREADS_MAX = 8, OUTPUT_BYTES = 32768, EXTRA_MAX = 368 };
enum { QUERY_GEN, QUERY_Q0, QUERY_Q1, QUERY_Q2 };

/* An event with its texts, as an engine would hand it on. */
typedef struct whole_event {
    union {
        bench_bid bid;
        bench_auction auction;
        bench_person person;
    } numbers;
    char text1[20], text2[100], text3[20]; /* name, description or e-mail, card */
    char extra[EXTRA_MAX];
} whole_event;

typedef struct worker {
    int id;
    bench_digest digest;
    uint64_t records_out;
    uint32_t output_used;
    alignas(64) char output[OUTPUT_BYTES];
} worker;

static bench_options options;
static worker workers[THREADS_MAX];

static inline char *put_text(char *to, const char *text) {
    size_t len = strlen(text);
    memcpy(to, text, len);
    return to + len;
}

static inline void put_four_digits(char *to, uint32_t v) {
    for (int i = 3; i >= 0; i--, v /= 10) to[i] = (char)('0' + v % 10);
}

static inline void make_person(uint64_t n, uint64_t r0, whole_event *e) {
    const char *pool = bench_text_tables.pool;
    bench_person p = bench_make_person(n, r0);
    e->numbers.person = p;
    char *end = put_text(e->text1, bench_first_names[p.first_name]);
    *end++ = ' ';
    put_text(end, bench_last_names[p.last_name]);
    memcpy(e->text2, pool + p.email.offset, 7);
    e->text2[7] = '@';
    memcpy(e->text2 + 8, pool + p.email.offset + 7, 5);
    memcpy(e->text2 + 13, ".com", 4);
    for (int i = 0; i < 4; i++) {
        put_four_digits(e->text3 + i * 5, p.card[i]);
        if (i < 3) e->text3[i * 5 + 4] = ' ';
    }
    memcpy(e->extra, pool + p.extra.offset, p.extra.len);
}

static inline void make_auction(uint64_t n, uint64_t r0, whole_event *e) {
    const char *pool = bench_text_tables.pool;
    bench_auction a = bench_make_auction(n, r0);
    e->numbers.auction = a;
    memcpy(e->text1, pool + a.name.offset, 20);
    memcpy(e->text2, pool + a.description.offset, 100);
    memcpy(e->extra, pool + a.extra.offset, a.extra.len);
}

static inline void make_bid(uint64_t n, uint64_t r0, whole_event *e) {
    e->numbers.bid = bench_make_bid(n, r0);
    memcpy(e->extra, bench_text_tables.pool + e->numbers.bid.extra.offset, 16);
}

static inline void digest_bid(bench_digest *digest, const bench_bid *bid, uint64_t price) {
    char line[160], *p = bench_put_u64(line, bid->auction);
    *p++ = ',';
    p = bench_put_u64(p, bid->bidder);
    *p++ = ',';
    p = bench_put_u64(p, price);
    *p++ = ',';
    p = bench_put_u64(p, bid->ts);
    *p++ = ',';
    memcpy(p, bench_text_tables.pool + bid->extra.offset, bid->extra.len);
    p += bid->extra.len;
    bench_digest_line(digest, line, (size_t)(p - line));
}

/* q0 and q1: auction, bidder, price, ts, extra. */
static inline void put_bid(worker *w, const whole_event *e, uint64_t price) {
    const bench_bid *bid = &e->numbers.bid;
    uint64_t numbers[5] = {bid->auction, bid->bidder, price, bid->ts, bid->extra.len};
    if (w->output_used + sizeof numbers + 16 > OUTPUT_BYTES) w->output_used = 0;
    memcpy(w->output + w->output_used, numbers, sizeof numbers);
    memcpy(w->output + w->output_used + sizeof numbers, e->extra, 16);
    w->output_used += sizeof numbers + 16;
    w->records_out++;
    if (options.verify) digest_bid(&w->digest, bid, price);
}

/* q2: auction, price. */
static inline void put_pair(worker *w, const bench_bid *bid) {
    uint64_t numbers[2] = {bid->auction, bid->price};
    if (w->output_used + sizeof numbers > OUTPUT_BYTES) w->output_used = 0;
    memcpy(w->output + w->output_used, numbers, sizeof numbers);
    w->output_used += sizeof numbers;
    w->records_out++;
    if (options.verify) bench_digest_pair(&w->digest, bid->auction, bid->price);
}

/* Inlined once per query, so that the query is a constant in the loop. */
static inline __attribute__((always_inline)) void run(worker *w, const int query) {
    whole_event e;
    memset(&e, 0, sizeof e);
    for (uint64_t n = (uint64_t)w->id; n < options.n; n += (uint64_t)options.parallelism) {
        uint64_t r0 = bench_draw(n);
        bench_event_kind kind = bench_kind_of(n);
        if (kind == BENCH_BID)
            make_bid(n, r0, &e);
        else if (kind == BENCH_AUCTION)
            make_auction(n, r0, &e);
        else
            make_person(n, r0, &e);
        __asm__ volatile("" ::"r"(&e) : "memory"); /* the event was made, whatever is used of it */
        if (query == QUERY_GEN) {
            w->records_out++;
        } else if (kind == BENCH_BID) {
            const bench_bid *bid = &e.numbers.bid;
            if (query == QUERY_Q0)
                put_bid(w, &e, bid->price);
            else if (query == QUERY_Q1)
                put_bid(w, &e, bid->price * 908 / 1000);
            else if (bid->auction % 123 == 0)
                put_pair(w, bid);
        }
    }
    __asm__ volatile("" ::"r"(w->output) : "memory");
}

static void *work(void *argument) {
    worker *w = argument;
    switch (options.workload) {
        case QUERY_GEN:
            run(w, QUERY_GEN);
            break;
        case QUERY_Q0:
            run(w, QUERY_Q0);
            break;
        case QUERY_Q1:
            run(w, QUERY_Q1);
            break;
        default:
            run(w, QUERY_Q2);
            break;
    }
    return NULL;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"gen", "q0", "q1", "q2", NULL};
    bench_options_parse(&options, argc, argv, names);
    if (options.parallelism > THREADS_MAX) {
        fprintf(stderr, "%s: at most %d threads\n", argv[0], THREADS_MAX);
        return 2;
    }
    bench_texts_init();
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
    bench_report(&(bench_result){.system = "limit",
                                 .workload = options.workload_name,
                                 .parallelism = options.parallelism,
                                 .records_in = options.n,
                                 .records_out = records_out,
                                 .wall_ns = wall_ns,
                                 .digest = options.verify ? &digest : NULL});
    return 0;
}
