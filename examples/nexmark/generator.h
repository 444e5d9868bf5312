/* generator.h - the auction site's events, bit for bit the same in every program that is compared.
 *
 * Event n depends on n and the seed only, so that any number of instances can share the work:
 * instance i of P makes the events i, i + P, i + 2P, ... Of 50 events in a row one is a person,
 * three are auctions and 46 are bids. References are skewed: half of the bids go to one hot
 * auction, three quarters of them come from one hot bidder, three quarters of the auctions belong
 * to one hot seller; the hot ones change as the site grows.
 *
 * Draws: r0 = mix(seed + (n + 1) * G), rk = mix(r0 + k * G); low and high scale a half of a draw to
 * a range without division. Nothing here needs Rask (the hand-written programs of bench/limit share
 * it); source.c makes records of it. Pure functions. */
#ifndef NEXMARK_GENERATOR_H
#define NEXMARK_GENERATOR_H
#include <stdint.h>

enum {
    NEXMARK_EVENTS_PER_MS = 10, /* of event time */
    NEXMARK_DISORDER_MS = 500,  /* timestamps are late by at most this */
    NEXMARK_POOL_BYTES = 65536,
    NEXMARK_POOL_SLICES = 64512, /* offsets of slices are below this, lengths at most 512 */
    NEXMARK_CHANNELS = 10004,
    NEXMARK_ROUND = 50, /* one person, three auctions, 46 bids */
};
#define NEXMARK_BASE_MS UINT64_C(1700000000000)
#define NEXMARK_GOLDEN_RATIO UINT64_C(0x9E3779B97F4A7C15)

/* splitmix64's output function: a bijection that mixes all bits. */
static inline uint64_t nexmark_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}
/* A value below m (m < 2^31) from the low or the high half of a draw. */
static inline uint64_t nexmark_low(uint64_t r, uint64_t m) {
    return ((r & UINT64_C(0xFFFFFFFF)) * m) >> 32;
}
static inline uint64_t nexmark_high(uint64_t r, uint64_t m) {
    return ((r >> 32) * m) >> 32;
}
static inline uint64_t nexmark_draw(uint64_t seed, uint64_t n) {
    return nexmark_mix(seed + (n + 1) * NEXMARK_GOLDEN_RATIO);
}
static inline uint64_t nexmark_draw_next(uint64_t r0, unsigned k) {
    return nexmark_mix(r0 + k * NEXMARK_GOLDEN_RATIO);
}

/* 100 .. 99,999,999, all magnitudes alike. */
static inline uint64_t nexmark_price(uint64_t x) {
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000};
    uint64_t power = powers[nexmark_low(x, 6)];
    return 100 * power + nexmark_high(x, 900 * power);
}
/* One of the last 1000 persons, or of ten that are to come. */
static inline uint64_t nexmark_some_person(uint64_t x, uint64_t last_person) {
    uint64_t first = last_person >= 2000 ? last_person - 1000 : 1000;
    return first + nexmark_high(x, last_person - first + 11);
}

typedef enum nexmark_kind { NEXMARK_PERSON, NEXMARK_AUCTION, NEXMARK_BID } nexmark_kind;

static inline nexmark_kind nexmark_kind_of(uint64_t n) {
    uint64_t position = n % NEXMARK_ROUND;
    return position == 0 ? NEXMARK_PERSON : position <= 3 ? NEXMARK_AUCTION : NEXMARK_BID;
}
static inline uint64_t nexmark_time_of(uint64_t n, uint64_t r0) {
    return NEXMARK_BASE_MS + n / NEXMARK_EVENTS_PER_MS - nexmark_high(r0, NEXMARK_DISORDER_MS + 1);
}

/* The numbers of each kind of event. Texts are slices of the pool: offset and length. */
typedef struct nexmark_slice {
    uint32_t offset, len;
} nexmark_slice;

typedef struct nexmark_bid_numbers {
    uint64_t auction, bidder, price, ts;
    uint32_t channel; /* index into channels and URLs */
    nexmark_slice extra;
} nexmark_bid_numbers;

typedef struct nexmark_auction_numbers {
    uint64_t id, initial_bid, reserve, ts, expires, seller, category;
    nexmark_slice item_name, description, extra;
} nexmark_auction_numbers;

typedef struct nexmark_person_numbers {
    uint64_t id, ts;
    uint32_t first_name, last_name, city, state; /* indices into the tables below */
    uint32_t card[4];                            /* of four digits each */
    nexmark_slice email;                         /* 12 bytes: 7 before the @, 5 behind */
    nexmark_slice extra;
} nexmark_person_numbers;

/* Event n, which must be of that kind, and its draw r0. */
static inline nexmark_bid_numbers nexmark_make_bid(uint64_t n, uint64_t r0) {
    uint64_t round = n / NEXMARK_ROUND;
    uint64_t last_person = 1000 + round, last_auction = 1002 + 3 * round;
    uint64_t r1 = nexmark_draw_next(r0, 1), r2 = nexmark_draw_next(r0, 2);
    uint64_t r3 = nexmark_draw_next(r0, 3), r4 = nexmark_draw_next(r0, 4);
    nexmark_bid_numbers bid;
    if (nexmark_high(r1, 2) > 0) {
        bid.auction = last_auction / 100 * 100; /* the hot one */
    } else {
        uint64_t first = last_auction >= 1100 ? last_auction - 100 : 1000;
        bid.auction = first + nexmark_low(r1, last_auction - first + 11);
    }
    bid.bidder =
        nexmark_low(r2, 4) > 0 ? last_person / 100 * 100 + 1 : nexmark_some_person(r2, last_person);
    bid.price = nexmark_price(r3);
    bid.ts = nexmark_time_of(n, r0);
    uint32_t c = (uint32_t)nexmark_high(r4, 20000);
    bid.channel = c < 10000 ? c % 4 : c - 10000 + 4;
    bid.extra = (nexmark_slice){bid.channel, (uint32_t)nexmark_low(r4, 17)};
    return bid;
}

static inline nexmark_auction_numbers nexmark_make_auction(uint64_t n, uint64_t r0) {
    uint64_t round = n / NEXMARK_ROUND, last_person = 1000 + round;
    uint64_t r1 = nexmark_draw_next(r0, 1), r2 = nexmark_draw_next(r0, 2);
    uint64_t r3 = nexmark_draw_next(r0, 3), r4 = nexmark_draw_next(r0, 4);
    uint64_t r5 = nexmark_draw_next(r0, 5), r6 = nexmark_draw_next(r0, 6);
    nexmark_auction_numbers auction;
    auction.id = 1000 + 3 * round + n % NEXMARK_ROUND - 1;
    auction.item_name = (nexmark_slice){(uint32_t)nexmark_high(r1, NEXMARK_POOL_SLICES), 20};
    auction.description = (nexmark_slice){(uint32_t)nexmark_low(r1, NEXMARK_POOL_SLICES), 100};
    auction.initial_bid = nexmark_price(r2);
    auction.reserve = auction.initial_bid + nexmark_high(r3, 10000);
    auction.ts = nexmark_time_of(n, r0);
    auction.expires = auction.ts + 1000 + nexmark_high(r4, 4000);
    auction.seller =
        nexmark_low(r3, 4) > 0 ? last_person / 100 * 100 : nexmark_some_person(r6, last_person);
    auction.category = 10 + nexmark_low(r4, 5);
    auction.extra = (nexmark_slice){(uint32_t)nexmark_high(r5, NEXMARK_POOL_SLICES),
                                    280 + (uint32_t)nexmark_low(r5, 81)};
    return auction;
}

static inline nexmark_person_numbers nexmark_make_person(uint64_t n, uint64_t r0) {
    uint64_t r1 = nexmark_draw_next(r0, 1), r2 = nexmark_draw_next(r0, 2);
    uint64_t r3 = nexmark_draw_next(r0, 3), r4 = nexmark_draw_next(r0, 4);
    uint64_t r5 = nexmark_draw_next(r0, 5), r6 = nexmark_draw_next(r0, 6);
    nexmark_person_numbers person;
    person.id = 1000 + n / NEXMARK_ROUND;
    person.ts = nexmark_time_of(n, r0);
    person.first_name = (uint32_t)nexmark_high(r1, 11);
    person.last_name = (uint32_t)nexmark_low(r1, 9);
    person.city = (uint32_t)nexmark_high(r2, 10);
    person.state = (uint32_t)nexmark_low(r2, 6);
    person.card[0] = (uint32_t)nexmark_high(r4, 10000);
    person.card[1] = (uint32_t)nexmark_low(r4, 10000);
    person.card[2] = (uint32_t)nexmark_high(r5, 10000);
    person.card[3] = (uint32_t)nexmark_low(r5, 10000);
    person.email = (nexmark_slice){(uint32_t)nexmark_high(r3, NEXMARK_POOL_SLICES), 12};
    person.extra = (nexmark_slice){(uint32_t)nexmark_high(r6, NEXMARK_POOL_SLICES),
                                   80 + (uint32_t)nexmark_low(r6, 49)};
    return person;
}

/* ---- the texts behind the indices and slices */

/* One line of the cache each. */
typedef struct nexmark_text {
    _Alignas(64) char bytes[60];
    uint32_t len;
} nexmark_text;

typedef struct nexmark_texts {
    char pool[NEXMARK_POOL_BYTES + 64]; /* + what a copy of fixed size may read beyond */
    nexmark_text channels[NEXMARK_CHANNELS], urls[NEXMARK_CHANNELS];
} nexmark_texts;

extern nexmark_texts nexmark_text_tables;
extern const char *const nexmark_first_names[11], *const nexmark_last_names[9],
    *const nexmark_cities[10], *const nexmark_states[6];

/* Fills nexmark_text_tables; once, before other threads start. */
void nexmark_texts_init(void);
#endif
