/* nexmark_joins.h - q3, q4, q9, q18, q19, q20 by hand: what is kept per key. */
#ifndef LIMIT_NEXMARK_JOINS_H
#define LIMIT_NEXMARK_JOINS_H
#include "bench/limit/nexmark_worker.h"

/* ---------------------------------------------------------------- q3 */
typedef struct seller {
    uint64_t id;
    uint32_t known, name_len;
    uint32_t city, state;
    char name[TEXT_MAX];
    array waiting; /* uint64_t: auctions of a seller who is not known yet */
} seller;
static table sellers;
static char cities[10][TEXT_MAX], states[6][TEXT_MAX]; /* with room behind them */

static inline void q3_init(void) {
    for (int i = 0; i < 10; i++)
        (void)snprintf(cities[i], sizeof cities[i], "%s", nexmark_cities[i]);
    for (int i = 0; i < 6; i++)
        (void)snprintf(states[i], sizeof states[i], "%s", nexmark_states[i]);
}

static inline void q3_emit(worker *w, const seller *s, uint64_t auction) {
    const char *city = cities[s->city], *state = states[s->state];
    EMIT(w, 1, {s->name, s->name_len}, {city, strlen(city)}, {state, strlen(state)},
         NUMBER(auction));
}

static inline void q3(worker *w, const whole_event *e, nexmark_kind kind) {
    enum { CA = 1, ID = 2, OR = 3 };
    bool is_new;
    if (kind == NEXMARK_PERSON) {
        const nexmark_person_numbers *p = &e->numbers.person;
        if (p->state != CA && p->state != ID && p->state != OR) return;
        seller *s = table_get(&sellers, sizeof *s, p->id, &is_new);
        s->known = 1;
        s->name_len = e->name_len;
        s->city = p->city;
        s->state = p->state;
        memcpy(s->name, e->text1, sizeof e->text1);
        const uint64_t *auctions = s->waiting.items;
        for (uint32_t i = 0; i < s->waiting.count; i++) q3_emit(w, s, auctions[i]);
        array_free(&s->waiting);
    } else if (kind == NEXMARK_AUCTION && e->numbers.auction.category == 10) {
        const nexmark_auction_numbers *a = &e->numbers.auction;
        seller *s = table_get(&sellers, sizeof *s, a->seller, &is_new);
        if (s->known)
            q3_emit(w, s, a->id);
        else
            *(uint64_t *)array_add(&s->waiting, sizeof(uint64_t)) = a->id;
    }
}

/* ---------------------------------------------------------------- q9, and q4 behind it */
typedef struct offer {
    uint64_t bidder, price, ts;
} offer;
typedef struct open_auction {
    uint64_t id, ts, expires; /* expires 0: only bids came so far */
    uint64_t category, seller;
    offer best; /* price 0: none yet */
    array early;
} open_auction;
static table open_auctions;

enum { EXPIRY_SLOTS = 8192 /* ms, more than an auction lasts and events are late */ };
static array expiries[EXPIRY_SLOTS]; /* uint64_t: ids, by time of expiry */
static uint64_t expired_to;          /* all timers before this time have fired */

typedef struct average {
    uint64_t sum, count;
} average;
static average averages[16]; /* by category */

static inline bool is_better(const offer *a, const offer *b) {
    if (a->price != b->price) return a->price > b->price;
    if (a->ts != b->ts) return a->ts < b->ts;
    return a->bidder < b->bidder;
}

static inline void offer_bid(open_auction *a, const offer *o) {
    if (o->ts < a->ts || o->ts > a->expires) return;
    if (a->best.price == 0 || is_better(o, &a->best)) a->best = *o;
}

static inline void winning_bid(worker *w, const open_auction *a, const bool averaged) {
    if (!averaged) {
        EMIT(w, 1, NUMBER(a->id), NUMBER(a->best.bidder), NUMBER(a->best.price), NUMBER(a->best.ts),
             NUMBER(a->expires), NUMBER(a->category), NUMBER(a->seller));
        return;
    }
    average *of = &averages[a->category % 16];
    if (of->count > 0) EMIT(w, -1, NUMBER(a->category), NUMBER(of->sum / of->count));
    of->sum += a->best.price;
    of->count++;
    EMIT(w, 1, NUMBER(a->category), NUMBER(of->sum / of->count));
}

/* Fires all timers up to the watermark. */
static inline void q9_watermark(worker *w, uint64_t watermark, const bool averaged) {
    for (; expired_to <= watermark; expired_to++) {
        array *due = &expiries[expired_to % EXPIRY_SLOTS];
        const uint64_t *ids = due->items;
        for (uint32_t i = 0; i < due->count; i++) {
            open_auction *a = table_find(&open_auctions, sizeof *a, ids[i]);
            if (a == NULL) continue;
            if (a->best.price > 0) winning_bid(w, a, averaged);
            table_remove(&open_auctions, sizeof *a, a);
        }
        due->count = 0;
    }
}

static inline void q9(const whole_event *e, nexmark_kind kind) {
    bool is_new;
    if (kind == NEXMARK_BID) {
        const nexmark_bid_numbers *b = &e->numbers.bid;
        open_auction *a = table_get(&open_auctions, sizeof *a, b->auction, &is_new);
        offer o = {b->bidder, b->price, b->ts};
        if (a->expires > 0)
            offer_bid(a, &o);
        else
            *(offer *)array_add(&a->early, sizeof o) = o;
    } else if (kind == NEXMARK_AUCTION) {
        const nexmark_auction_numbers *made = &e->numbers.auction;
        open_auction *a = table_get(&open_auctions, sizeof *a, made->id, &is_new);
        a->ts = made->ts;
        a->expires = made->expires;
        a->category = made->category;
        a->seller = made->seller;
        const offer *early = a->early.items;
        for (uint32_t i = 0; i < a->early.count; i++) offer_bid(a, &early[i]);
        array_free(&a->early);
        *(uint64_t *)array_add(&expiries[a->expires % EXPIRY_SLOTS], sizeof(uint64_t)) = a->id;
    }
}

/* ---------------------------------------------------------------- q18 */
typedef struct last_bid {
    uint64_t key; /* bidder and auction */
    uint64_t price, ts;
} last_bid;
static table last_bids;

static inline uint64_t q18_key(const nexmark_bid_numbers *b) {
    return b->bidder << 32 | b->auction;
}

static inline void q18_take(worker *w, const nexmark_bid_numbers *b) {
    bool is_new;
    last_bid *last = table_get(&last_bids, sizeof *last, q18_key(b), &is_new);
    if (!is_new) {
        if (b->ts < last->ts || (b->ts == last->ts && b->price <= last->price)) return;
        EMIT(w, -1, NUMBER(b->auction), NUMBER(b->bidder), NUMBER(last->price), NUMBER(last->ts));
    }
    last->price = b->price;
    last->ts = b->ts;
    EMIT(w, 1, NUMBER(b->auction), NUMBER(b->bidder), NUMBER(b->price), NUMBER(b->ts));
}

static inline void q18_fetch(const nexmark_bid_numbers *b) {
    table_fetch(&last_bids, sizeof(last_bid), q18_key(b));
}

/* ---------------------------------------------------------------- q19 */
enum { BEST = 10 };
typedef struct top_bids {
    uint64_t auction, count;
    offer best[BEST];
} top_bids;
static table tops;

static inline void q19_fetch(const nexmark_bid_numbers *b) {
    table_fetch(&tops, sizeof(top_bids), b->auction);
}

static inline void q19_take(worker *w, const nexmark_bid_numbers *b) {
    bool is_new;
    top_bids *t = table_get(&tops, sizeof *t, b->auction, &is_new);
    offer o = {b->bidder, b->price, b->ts};
    uint64_t i = t->count;
    if (i == BEST) {
        i--;
        const offer *worst = &t->best[i];
        if (!is_better(&o, worst)) return;
        EMIT(w, -1, NUMBER(b->auction), NUMBER(worst->bidder), NUMBER(worst->price),
             NUMBER(worst->ts));
    } else {
        t->count++;
    }
    for (; i > 0 && is_better(&o, &t->best[i - 1]); i--) t->best[i] = t->best[i - 1];
    t->best[i] = o;
    EMIT(w, 1, NUMBER(b->auction), NUMBER(b->bidder), NUMBER(b->price), NUMBER(b->ts));
}

/* ---------------------------------------------------------------- q20 */
typedef struct sold_item {
    uint64_t auction, known, seller, category;
    char name[24];
    array early;
} sold_item;
static table sold_items;

static inline void q20_emit(worker *w, const sold_item *s, const offer *o) {
    if (s->category != 10) return;
    EMIT(w, 1, NUMBER(s->auction), NUMBER(o->bidder), NUMBER(o->price), NUMBER(o->ts),
         {s->name, 20}, NUMBER(s->seller), NUMBER(s->category));
}

static inline void q20(worker *w, const whole_event *e, nexmark_kind kind) {
    bool is_new;
    if (kind == NEXMARK_BID) {
        const nexmark_bid_numbers *b = &e->numbers.bid;
        sold_item *s = table_get(&sold_items, sizeof *s, b->auction, &is_new);
        offer o = {b->bidder, b->price, b->ts};
        if (s->known)
            q20_emit(w, s, &o);
        else
            *(offer *)array_add(&s->early, sizeof o) = o;
    } else if (kind == NEXMARK_AUCTION) {
        const nexmark_auction_numbers *a = &e->numbers.auction;
        sold_item *s = table_get(&sold_items, sizeof *s, a->id, &is_new);
        s->known = 1;
        s->seller = a->seller;
        s->category = a->category;
        memcpy(s->name, e->text1, 20);
        const offer *early = s->early.items;
        for (uint32_t i = 0; i < s->early.count; i++) q20_emit(w, s, &early[i]);
        array_free(&s->early);
    }
}
#endif
