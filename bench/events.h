/* events.h - the generated input of the comparison, bit for bit the same in every system.
 *
 * Two kinds: bench_record, 64 bytes of numbers for the small workloads, and the auction site's
 * events of Nexmark (persons, auctions, bids in proportion 1:3:46 with skewed references). Event n
 * depends on n and the seed only, so any number of instances can share the work: instance i of P
 * makes the events i, i + P, i + 2P, ...
 *
 * Draws: r(n, 0) = mix(seed + (n + 1) * G), r(n, k) = mix(r(n, 0) + k * G); low() and high() scale
 * the halves of a draw to a range without division. */
#ifndef BENCH_EVENTS_H
#define BENCH_EVENTS_H
#include <stdint.h>

#include "bench/digest.h"

enum {
    BENCH_SEED = 42,
    BENCH_EVENTS_PER_MS = 10, /* of event time */
    BENCH_DISORDER_MS = 500,  /* timestamps are late by at most this */
    BENCH_POOL_BYTES = 65536,
    BENCH_POOL_SLICES = 64512, /* offsets of slices are below this, lengths at most 512 */
    BENCH_CHANNELS = 10004,
    BENCH_EVENTS_PER_ROUND = 50, /* one person, three auctions, 46 bids */
};
#define BENCH_BASE_MS UINT64_C(1700000000000)

/* A value below m (m < 2^31) from the low or the high half of a draw. */
static inline uint64_t bench_low(uint64_t r, uint64_t m) {
    return ((r & UINT64_C(0xFFFFFFFF)) * m) >> 32;
}
static inline uint64_t bench_high(uint64_t r, uint64_t m) {
    return ((r >> 32) * m) >> 32;
}
static inline uint64_t bench_draw(uint64_t n) {
    return bench_mix(BENCH_SEED + (n + 1) * BENCH_GOLDEN_RATIO);
}
static inline uint64_t bench_draw_next(uint64_t r0, unsigned k) {
    return bench_mix(r0 + k * BENCH_GOLDEN_RATIO);
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

/* ---- the auction site's events */

/* 100 .. 99,999,999, all magnitudes alike. */
static inline uint64_t bench_price(uint64_t x) {
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000};
    uint64_t power = powers[bench_low(x, 6)];
    return 100 * power + bench_high(x, 900 * power);
}

/* One of the last 1000 persons, or of ten that are to come. */
static inline uint64_t bench_some_person(uint64_t x, uint64_t last_person) {
    uint64_t first = last_person >= 2000 ? last_person - 1000 : 1000;
    return first + bench_high(x, last_person - first + 11);
}

typedef enum bench_event_kind { BENCH_PERSON, BENCH_AUCTION, BENCH_BID } bench_event_kind;

static inline bench_event_kind bench_kind_of(uint64_t n) {
    uint64_t position = n % BENCH_EVENTS_PER_ROUND;
    return position == 0 ? BENCH_PERSON : position <= 3 ? BENCH_AUCTION : BENCH_BID;
}
static inline uint64_t bench_time_of(uint64_t n, uint64_t r0) {
    return BENCH_BASE_MS + n / BENCH_EVENTS_PER_MS - bench_high(r0, BENCH_DISORDER_MS + 1);
}

/* The numbers of each kind of event. Texts are slices of the pool: offset and length. */
typedef struct bench_slice {
    uint32_t offset, len;
} bench_slice;

typedef struct bench_bid {
    uint64_t auction, bidder, price, ts;
    uint32_t channel; /* index into channels and URLs */
    bench_slice extra;
} bench_bid;

typedef struct bench_auction {
    uint64_t id, initial_bid, reserve, ts, expires, seller, category;
    bench_slice name, description, extra;
} bench_auction;

typedef struct bench_person {
    uint64_t id, ts;
    uint32_t first_name, last_name, city, state; /* indices into the tables below */
    uint32_t card[4];                            /* of four digits each */
    bench_slice email;                           /* 12 bytes: 7 before the @, 5 behind */
    bench_slice extra;
} bench_person;

static inline bench_bid bench_make_bid(uint64_t n, uint64_t r0) {
    uint64_t round = n / BENCH_EVENTS_PER_ROUND;
    uint64_t last_person = 1000 + round, last_auction = 1002 + 3 * round;
    uint64_t r1 = bench_draw_next(r0, 1), r2 = bench_draw_next(r0, 2);
    uint64_t r3 = bench_draw_next(r0, 3), r4 = bench_draw_next(r0, 4);
    bench_bid bid;
    if (bench_high(r1, 2) > 0) {
        bid.auction = last_auction / 100 * 100; /* the hot one */
    } else {
        uint64_t first = last_auction >= 1100 ? last_auction - 100 : 1000;
        bid.auction = first + bench_low(r1, last_auction - first + 11);
    }
    bid.bidder =
        bench_low(r2, 4) > 0 ? last_person / 100 * 100 + 1 : bench_some_person(r2, last_person);
    bid.price = bench_price(r3);
    bid.ts = bench_time_of(n, r0);
    uint32_t c = (uint32_t)bench_high(r4, 20000);
    bid.channel = c < 10000 ? c % 4 : c - 10000 + 4;
    bid.extra = (bench_slice){bid.channel, (uint32_t)bench_low(r4, 17)};
    return bid;
}

static inline bench_auction bench_make_auction(uint64_t n, uint64_t r0) {
    uint64_t round = n / BENCH_EVENTS_PER_ROUND, last_person = 1000 + round;
    uint64_t r1 = bench_draw_next(r0, 1), r2 = bench_draw_next(r0, 2);
    uint64_t r3 = bench_draw_next(r0, 3), r4 = bench_draw_next(r0, 4);
    uint64_t r5 = bench_draw_next(r0, 5), r6 = bench_draw_next(r0, 6);
    bench_auction auction;
    auction.id = 1000 + 3 * round + n % BENCH_EVENTS_PER_ROUND - 1;
    auction.name = (bench_slice){(uint32_t)bench_high(r1, BENCH_POOL_SLICES), 20};
    auction.description = (bench_slice){(uint32_t)bench_low(r1, BENCH_POOL_SLICES), 100};
    auction.initial_bid = bench_price(r2);
    auction.reserve = auction.initial_bid + bench_high(r3, 10000);
    auction.ts = bench_time_of(n, r0);
    auction.expires = auction.ts + 1000 + bench_high(r4, 4000);
    auction.seller =
        bench_low(r3, 4) > 0 ? last_person / 100 * 100 : bench_some_person(r6, last_person);
    auction.category = 10 + bench_low(r4, 5);
    auction.extra = (bench_slice){(uint32_t)bench_high(r5, BENCH_POOL_SLICES),
                                  280 + (uint32_t)bench_low(r5, 81)};
    return auction;
}

static inline bench_person bench_make_person(uint64_t n, uint64_t r0) {
    uint64_t r1 = bench_draw_next(r0, 1), r2 = bench_draw_next(r0, 2);
    uint64_t r3 = bench_draw_next(r0, 3), r4 = bench_draw_next(r0, 4);
    uint64_t r5 = bench_draw_next(r0, 5), r6 = bench_draw_next(r0, 6);
    bench_person person;
    person.id = 1000 + n / BENCH_EVENTS_PER_ROUND;
    person.ts = bench_time_of(n, r0);
    person.first_name = (uint32_t)bench_high(r1, 11);
    person.last_name = (uint32_t)bench_low(r1, 9);
    person.city = (uint32_t)bench_high(r2, 10);
    person.state = (uint32_t)bench_low(r2, 6);
    person.card[0] = (uint32_t)bench_high(r4, 10000);
    person.card[1] = (uint32_t)bench_low(r4, 10000);
    person.card[2] = (uint32_t)bench_high(r5, 10000);
    person.card[3] = (uint32_t)bench_low(r5, 10000);
    person.email = (bench_slice){(uint32_t)bench_high(r3, BENCH_POOL_SLICES), 12};
    person.extra = (bench_slice){(uint32_t)bench_high(r6, BENCH_POOL_SLICES),
                                 80 + (uint32_t)bench_low(r6, 49)};
    return person;
}

/* ---- the texts behind the indices and slices; bench_texts_init fills them once, before threads */

typedef struct bench_text {
    char bytes[60];
    uint32_t len;
} bench_text;

typedef struct bench_texts {
    char pool[BENCH_POOL_BYTES + 64]; /* + what a copy of fixed size may read beyond */
    bench_text channels[BENCH_CHANNELS], urls[BENCH_CHANNELS];
} bench_texts;

extern bench_texts bench_text_tables;
extern const char *const bench_first_names[11], *const bench_last_names[9],
                                                    *const bench_cities[10], *const bench_states[6];

void bench_texts_init(void);
#endif
