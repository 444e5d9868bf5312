/* auctions.c - event-time timers: which bid wins an auction when it ends (q9), and what such bids
 * are on average (q4). */
#include "nexmark.h"

/* ---------------------------------------------------------------- q9 */
typedef struct {
    int64_t id;
    rask_timestamp ts, expires;
    int64_t category, seller;
} lot;
RASK_TYPE(lot, id, (ts, rask_timestamp), (expires, rask_timestamp), category, seller);

typedef struct {
    offer bid;
    rask_timestamp expires;
    int64_t category, seller;
} winner;
RASK_TYPE(winner, (bid, offer), (expires, rask_timestamp), category, seller);

NEXMARK_RESULT(winner, w, line) {
    nexmark_put(line, w->bid.auction);
    nexmark_put(line, w->bid.bidder);
    nexmark_put(line, w->bid.price);
    nexmark_put(line, w->bid.ts);
    nexmark_put(line, w->expires);
    nexmark_put(line, w->category);
    nexmark_put(line, w->seller);
    return 1;
}

RASK_FLAT_MAP(lots, event, e, lot, out) {
    if (e.auction.count == 0) return;
    const auction *a = &e.auction.items[0];
    rask_emit(out, (lot){a->id, a->ts, a->expires, a->category, a->seller});
}

typedef struct {
    rask_value(lot) lot;
    rask_value(offer) best;
    rask_list_state(offer) early; /* bids that came before the auction */
} auction_state;
RASK_STATE(auction_state, (lot, lot), (best, offer), (early, offer));

/* Higher price, then earlier, then smaller bidder. */
static inline bool is_better(const offer *a, const offer *b) {
    if (a->price != b->price) return a->price > b->price;
    if (a->ts != b->ts) return a->ts < b->ts;
    return a->bidder < b->bidder;
}

static inline void consider(auction_state *self, const lot *l, const offer *o) {
    if (o->ts < l->ts || o->ts > l->expires) return;
    const offer *best = rask_get(self->best);
    if (best == NULL || is_better(o, best)) rask_set(self->best, *o);
}

RASK_KEYED_CO_PROCESS(find_winner, auction_state, self, lot, l, offer, winner, out) {
    rask_set(self->lot, l);
    const offer *early = rask_list_items(self->early);
    for (uint32_t i = 0, n = rask_list_count(self->early); i < n; i++)
        consider(self, &l, &early[i]);
    rask_clear(self->early);
    rask_register_event_timer(out, l.expires);
}
RASK_ON_SECOND(find_winner, self, o, out) {
    const lot *l = rask_get(self->lot);
    if (l != NULL)
        consider(self, l, &o);
    else
        rask_list_add(self->early, o);
}
RASK_ON_TIMER(find_winner, self, timer, out) {
    const lot *l = rask_get(self->lot);
    const offer *best = rask_get(self->best);
    if (l != NULL && best != NULL)
        rask_emit(out, (winner){*best, l->expires, l->category, l->seller});
    rask_clear(self->lot);
    rask_clear(self->best);
}

static rask_stream(winner) winning_bids(rask_stream(event) in) {
    rask_stream(lot) all_lots = rask_assign_timestamps(
        rask_flat_map(in, lots), ts, .max_out_of_orderness_ms = NEXMARK_LATENESS_MS);
    rask_stream(offer) all_bids = rask_assign_timestamps(
        rask_flat_map(in, offers), ts, .max_out_of_orderness_ms = NEXMARK_LATENESS_MS);
    return rask_connect(rask_key_by(all_lots, id), rask_key_by(all_bids, auction), find_winner,
                        .uid = "winner");
}

void query_q9(rask_env *env, rask_stream(event) in) {
    (void)env;
    nexmark_finish(winning_bids(in), winner);
}

/* ---------------------------------------------------------------- q4 */
typedef struct {
    int64_t sign, category, average;
} average_change;
RASK_TYPE(average_change, sign, category, average);

NEXMARK_RESULT(average_change, change, line) {
    nexmark_put(line, change->category);
    nexmark_put(line, change->average);
    return (int)change->sign;
}

typedef struct {
    int64_t sum, count;
} prices;
RASK_TYPE(prices, sum, count);

typedef struct {
    rask_value(prices) prices;
} average_state;
RASK_STATE(average_state, (prices, prices));

RASK_KEYED_PROCESS(average_price, average_state, self, winner, w, average_change, out) {
    prices *p = rask_ref(self->prices);
    if (p->count > 0) rask_emit(out, (average_change){-1, w.category, p->sum / p->count});
    p->sum += w.bid.price;
    p->count++;
    rask_emit(out, (average_change){+1, w.category, p->sum / p->count});
}

void query_q4(rask_env *env, rask_stream(event) in) {
    (void)env;
    nexmark_finish_changes(rask_process(rask_key_by(winning_bids(in), category), average_price,
                                        .uid = "average"),
                           average_change);
}
