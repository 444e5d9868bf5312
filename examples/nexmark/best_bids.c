/* best_bids.c - one value per key: the last bid of each bidder on each auction (q18), the ten best
 * bids of each auction (q19). Results are change logs: what no longer holds is taken back. */
#include "nexmark.h"

NEXMARK_RESULT(offer_change, change, line) {
    nexmark_put(line, change->offer.auction);
    nexmark_put(line, change->offer.bidder);
    nexmark_put(line, change->offer.price);
    nexmark_put(line, change->offer.ts);
    return (int)change->sign;
}

/* ---------------------------------------------------------------- q18 */
typedef struct {
    int64_t price;
    rask_timestamp ts;
} price_at;
RASK_TYPE(price_at, price, (ts, rask_timestamp));

typedef struct {
    rask_value(price_at) last;
} last_bid_state;
RASK_STATE(last_bid_state, (last, price_at));

/* Of two bids at the same time the higher one counts as the last. */
RASK_KEYED_PROCESS(last_bid, last_bid_state, self, offer, o, offer_change, out) {
    const price_at *last = rask_get(self->last);
    if (last != NULL) {
        if (o.ts < last->ts || (o.ts == last->ts && o.price <= last->price)) return;
        rask_emit(out, (offer_change){-1, {o.auction, o.bidder, last->price, last->ts}});
    }
    rask_set(self->last, (price_at){o.price, o.ts});
    rask_emit(out, (offer_change){+1, o});
}

void query_q18(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_stream(offer) all = rask_flat_map(in, offers);
    nexmark_finish_changes(rask_process(rask_key_by(all, bidder, auction), last_bid,
                                        .uid = "last-bid"),
                           offer_change);
}

/* ---------------------------------------------------------------- q19 */
enum { BEST = 10 };
typedef struct {
    int64_t count;
    int64_t price[BEST], bidder[BEST], ts[BEST]; /* the best first */
} best_bids;
RASK_TYPE(best_bids, count, price, bidder, ts);

typedef struct {
    rask_value(best_bids) best;
} top_state;
RASK_STATE(top_state, (best, best_bids));

/* Higher price, then earlier, then smaller bidder. */
static inline bool is_better(const offer *o, const best_bids *best, int64_t i) {
    if (o->price != best->price[i]) return o->price > best->price[i];
    if (o->ts != best->ts[i]) return o->ts < best->ts[i];
    return o->bidder < best->bidder[i];
}

RASK_KEYED_PROCESS(top_ten, top_state, self, offer, o, offer_change, out) {
    best_bids *best = rask_ref(self->best);
    int64_t i = best->count;
    if (i == BEST) {
        i--;
        if (!is_better(&o, best, i)) return;
        rask_emit(out, (offer_change){-1, {o.auction, best->bidder[i], best->price[i],
                                           best->ts[i]}});
    } else {
        best->count++;
    }
    for (; i > 0 && is_better(&o, best, i - 1); i--) {
        best->price[i] = best->price[i - 1];
        best->bidder[i] = best->bidder[i - 1];
        best->ts[i] = best->ts[i - 1];
    }
    best->price[i] = o.price;
    best->bidder[i] = o.bidder;
    best->ts[i] = o.ts;
    rask_emit(out, (offer_change){+1, o});
}

void query_q19(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_stream(offer) all = rask_flat_map(in, offers);
    nexmark_finish_changes(rask_process(rask_key_by(all, auction), top_ten, .uid = "top-ten"),
                           offer_change);
}
