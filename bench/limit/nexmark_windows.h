/* nexmark_windows.h - q5, q7, q8, q11, q15, q16, q17 by hand: what is kept per window. A window or
 * pane is its number, time / size; those that the watermark has passed are finished in order. */
#ifndef LIMIT_NEXMARK_WINDOWS_H
#define LIMIT_NEXMARK_WINDOWS_H
#include "bench/limit/nexmark_worker.h"

enum { RING = 2 /* windows that are open at once */, DAY_MS = 100000 };

typedef struct counted {
    uint64_t key, count;
} counted;

static inline void count_up(table *t, uint64_t key, uint64_t by) {
    bool is_new;
    counted *c = table_get(t, sizeof *c, key, &is_new);
    c->count += by;
}

/* ---------------------------------------------------------------- q5: panes of 2 s, five make one
 * window */
enum { PANE_MS = 2000, PANES = 5, PANE_RING = 8 };
static table panes[PANE_RING], window_counts;

static inline void q5(const whole_event *e, nexmark_kind kind) {
    if (kind != NEXMARK_BID) return;
    const nexmark_bid_numbers *b = &e->numbers.bid;
    count_up(&panes[b->ts / PANE_MS % PANE_RING], b->auction, 1);
}

/* The window that ends behind that pane. */
static inline void q5_finish(worker *w, uint64_t pane) {
    table *first = &panes[(pane - PANES) % PANE_RING]; /* the one that leaves */
    for (TABLE_EACH(counted, c, first)) {
        if (c->key == 0) continue;
        counted *sum = table_find(&window_counts, sizeof *sum, c->key);
        sum->count -= c->count;
        if (sum->count == 0) table_remove(&window_counts, sizeof *sum, sum);
    }
    table_clear(first, sizeof(counted));
    for (TABLE_EACH(counted, c, &panes[pane % PANE_RING]))
        if (c->key != 0) count_up(&window_counts, c->key, c->count);
    uint64_t most = 1;
    for (TABLE_EACH(counted, c, &window_counts))
        if (c->count > most) most = c->count;
    for (TABLE_EACH(counted, c, &window_counts))
        if (c->count == most)
            EMIT(w, 1, NUMBER((pane + 1) * PANE_MS), NUMBER(c->key), NUMBER(most));
}

/* ---------------------------------------------------------------- q7 */
enum { Q7_MS = 10000 };
static nexmark_bid_numbers highest[RING]; /* price 0: none */

static inline void q7(const whole_event *e, nexmark_kind kind) {
    if (kind != NEXMARK_BID) return;
    const nexmark_bid_numbers *b = &e->numbers.bid;
    nexmark_bid_numbers *h = &highest[b->ts / Q7_MS % RING];
    if (b->price < h->price) return;
    if (b->price == h->price) {
        if (b->ts > h->ts) return;
        if (b->ts == h->ts &&
            (b->auction > h->auction || (b->auction == h->auction && b->bidder >= h->bidder)))
            return;
    }
    *h = *b;
}

static inline void q7_finish(worker *w, uint64_t window) {
    nexmark_bid_numbers *h = &highest[window % RING];
    if (h->price > 0)
        EMIT(w, 1, NUMBER((window + 1) * Q7_MS), NUMBER(h->auction), NUMBER(h->price),
             NUMBER(h->bidder), NUMBER(h->ts));
    h->price = 0;
}

/* ---------------------------------------------------------------- q8 */
enum { Q8_MS = 10000 };
typedef struct new_user {
    uint64_t id;
    uint32_t name_len, sells;
    char name[24];
} new_user;
static table new_users[RING];

static inline void q8(const whole_event *e, nexmark_kind kind) {
    bool is_new;
    if (kind == NEXMARK_PERSON) {
        const nexmark_person_numbers *p = &e->numbers.person;
        new_user *u = table_get(&new_users[p->ts / Q8_MS % RING], sizeof *u, p->id, &is_new);
        u->name_len = e->name_len;
        memcpy(u->name, e->text1, sizeof e->text1);
    } else if (kind == NEXMARK_AUCTION) {
        const nexmark_auction_numbers *a = &e->numbers.auction;
        new_user *u = table_get(&new_users[a->ts / Q8_MS % RING], sizeof *u, a->seller, &is_new);
        u->sells = 1;
    }
}

static inline void q8_finish(worker *w, uint64_t window) {
    table *users = &new_users[window % RING];
    for (TABLE_EACH(new_user, u, users))
        if (u->sells && u->name_len > 0)
            EMIT(w, 1, NUMBER(window * Q8_MS), NUMBER(u->id), {u->name, u->name_len});
    table_clear(users, sizeof(new_user));
}

/* ---------------------------------------------------------------- q11 */
enum { GAP_MS = 10000, SESSION_SLOTS = 16384 /* ms, more than a session waits */ };
typedef struct session {
    uint64_t start, end, count; /* count 0: none */
} session;
typedef struct bidder_sessions {
    uint64_t bidder;
    session of[2]; /* events are late by less than the gap, so that no third can be open */
} bidder_sessions;
static table sessions;
static array session_ends[SESSION_SLOTS]; /* uint64_t: bidders, by a time at which one may end */
static uint64_t ended_to;

static inline void session_timer(uint64_t bidder, uint64_t end) {
    *(uint64_t *)array_add(&session_ends[end % SESSION_SLOTS], sizeof(uint64_t)) = bidder;
}

static inline void q11(const whole_event *e, nexmark_kind kind) {
    if (kind != NEXMARK_BID) return;
    const nexmark_bid_numbers *b = &e->numbers.bid;
    bool is_new;
    bidder_sessions *s = table_get(&sessions, sizeof *s, b->bidder, &is_new);
    session joined = {b->ts, b->ts + GAP_MS, 1};
    int into = -1;
    for (int i = 0; i < 2; i++) {
        session *old = &s->of[i];
        if (old->count == 0 || joined.start > old->end || joined.end < old->start) continue;
        if (old->start < joined.start) joined.start = old->start;
        if (old->end > joined.end) joined.end = old->end;
        joined.count += old->count;
        old->count = 0;
        into = i;
    }
    if (into < 0) {
        into = s->of[0].count == 0 ? 0 : 1;
        session_timer(b->bidder, joined.end);
    }
    s->of[into] = joined;
}

/* A session whose timer was set for an end that has moved since gets another one. */
static inline void q11_watermark(worker *w, uint64_t watermark) {
    for (; ended_to <= watermark + 1; ended_to++) {
        array *due = &session_ends[ended_to % SESSION_SLOTS];
        const uint64_t *bidders = due->items;
        for (uint32_t i = 0; i < due->count; i++) {
            bidder_sessions *s = table_find(&sessions, sizeof *s, bidders[i]);
            if (s == NULL) continue;
            for (int k = 0; k < 2; k++) {
                session *one = &s->of[k];
                if (one->count > 0 && one->end <= ended_to) {
                    EMIT(w, 1, NUMBER(s->bidder), NUMBER(one->count), NUMBER(one->start),
                         NUMBER(one->end));
                    one->count = 0;
                } else if (one->count > 0) {
                    session_timer(s->bidder, one->end);
                }
            }
            if (s->of[0].count + s->of[1].count == 0) table_remove(&sessions, sizeof *s, s);
        }
        due->count = 0;
    }
}

/* ---------------------------------------------------------------- q15 and q16: a day's numbers */
typedef struct day_counts {
    uint64_t total, ranks[3];
    uint64_t bidders[4], auctions[4]; /* distinct: of all ranks, of each */
} day_counts;
typedef struct seen {
    uint64_t key, ranks; /* bits */
} seen;
typedef struct day {
    day_counts *of; /* one, or one of each channel */
    table bidders, auctions;
} day;
static day days[RING];

static inline unsigned rank_of(uint64_t price) {
    return price < 10000 ? 0 : price < 1000000 ? 1 : 2;
}

static inline void see(table *t, uint64_t key, unsigned rank, uint64_t *distinct) {
    bool is_new;
    seen *s = table_get(t, sizeof *s, key, &is_new);
    distinct[0] += is_new;
    distinct[rank + 1] += (s->ranks >> rank & 1) ^ 1;
    s->ranks |= 1U << rank;
}

static inline uint64_t channel_key(uint64_t channel, uint64_t id) {
    return channel << 40 | id;
}

static inline void q16_fetch(const nexmark_bid_numbers *b) {
    const day *d = &days[b->ts / DAY_MS % RING];
    table_fetch(&d->bidders, sizeof(seen), channel_key(b->channel, b->bidder));
    table_fetch(&d->auctions, sizeof(seen), channel_key(b->channel, b->auction));
}

static inline void q15_take(const nexmark_bid_numbers *b, const bool by_channel) {
    day *d = &days[b->ts / DAY_MS % RING];
    if (__builtin_expect(d->of == NULL, 0))
        d->of =
            (day_counts *)(void *)zeroed((by_channel ? NEXMARK_CHANNELS : 1) * sizeof(day_counts));
    uint64_t channel = by_channel ? b->channel : 0;
    day_counts *c = &d->of[channel];
    unsigned rank = rank_of(b->price);
    c->total++;
    c->ranks[rank]++;
    see(&d->bidders, channel_key(channel, b->bidder), rank, c->bidders);
    see(&d->auctions, channel_key(channel, b->auction), rank, c->auctions);
}

static inline void q15_finish(worker *w, uint64_t number, const bool by_channel) {
    day *d = &days[number % RING];
    for (uint64_t i = 0; d->of != NULL && i < (by_channel ? NEXMARK_CHANNELS : 1); i++) {
        const day_counts *c = &d->of[i];
        if (c->total == 0) continue;
        const nexmark_text *channel = &nexmark_text_tables.channels[i];
        const field fields[] = {{channel->bytes, channel->len},
                                NUMBER(number),
                                NUMBER(c->total),
                                NUMBER(c->ranks[0]),
                                NUMBER(c->ranks[1]),
                                NUMBER(c->ranks[2]),
                                NUMBER(c->bidders[0]),
                                NUMBER(c->bidders[1]),
                                NUMBER(c->bidders[2]),
                                NUMBER(c->bidders[3]),
                                NUMBER(c->auctions[0]),
                                NUMBER(c->auctions[1]),
                                NUMBER(c->auctions[2]),
                                NUMBER(c->auctions[3])};
        size_t count = sizeof fields / sizeof fields[0];
        emit(w, 1, by_channel ? fields : fields + 1, by_channel ? count : count - 1);
    }
    free(d->of);
    d->of = NULL;
    table_clear(&d->bidders, sizeof(seen));
    table_clear(&d->auctions, sizeof(seen));
}

/* ---------------------------------------------------------------- q17 */
typedef struct auction_day {
    uint64_t auction, total, ranks[3], min, max, sum;
} auction_day;
static table auction_days[RING];

static inline void q17(const whole_event *e, nexmark_kind kind) {
    if (kind != NEXMARK_BID) return;
    const nexmark_bid_numbers *b = &e->numbers.bid;
    bool is_new;
    auction_day *a =
        table_get(&auction_days[b->ts / DAY_MS % RING], sizeof *a, b->auction, &is_new);
    a->total++;
    a->ranks[rank_of(b->price)]++;
    if (is_new || b->price < a->min) a->min = b->price;
    if (b->price > a->max) a->max = b->price;
    a->sum += b->price;
}

static inline void q17_finish(worker *w, uint64_t number) {
    table *t = &auction_days[number % RING];
    for (TABLE_EACH(auction_day, a, t))
        if (a->auction != 0)
            EMIT(w, 1, NUMBER(a->auction), NUMBER(number), NUMBER(a->total), NUMBER(a->ranks[0]),
                 NUMBER(a->ranks[1]), NUMBER(a->ranks[2]), NUMBER(a->min), NUMBER(a->max),
                 NUMBER(a->sum / a->total), NUMBER(a->sum));
    table_clear(t, sizeof(auction_day));
}
#endif
