/* windows.c - queries on windows: sliding (q5), tumbling (q7, q8, q17), sessions (q11), and by the
 * clock (q12). */
#include "nexmark.h"

/* ---------------------------------------------------------------- q5
 * Which auctions had the most bids of the last ten seconds? All of them, when there are several. */
enum { HOT_SIZE_MS = 10000, HOT_SLIDE_MS = 2000 };

typedef struct {
    int64_t auction;
    rask_timestamp ts;
} auction_at;
RASK_TYPE(auction_at, auction, (ts, rask_timestamp));

typedef struct {
    int64_t auction, count;
} auction_count;
RASK_TYPE(auction_count, auction, count);

typedef struct {
    rask_timestamp end;
    int64_t auction, count;
} hot_auction;
RASK_TYPE(hot_auction, (end, rask_timestamp), auction, count);

NEXMARK_RESULT(hot_auction, h, line) {
    nexmark_put(line, h->end);
    nexmark_put(line, h->auction);
    nexmark_put(line, h->count);
    return 1;
}

RASK_FLAT_MAP(auctions_of_bids, event, e, auction_at, out) {
    if (e.bid.present) rask_emit(out, (auction_at){e.bid.value.auction, e.bid.value.ts});
}

RASK_AGGREGATE(count_bids, auction_at, b, auction_count, count, auction_count) {
    count->auction = b.auction;
    count->count++;
}
RASK_AGGREGATE_RESULT(count_bids, count) { return *count; }
RASK_AGGREGATE_MERGE(count_bids, into, from) {
    into->auction = from->auction;
    into->count += from->count;
}

RASK_AGGREGATE(add_counts, auction_count, c, auction_count, sum, auction_count) {
    sum->auction = c.auction;
    sum->count += c.count;
}
RASK_AGGREGATE_RESULT(add_counts, sum) { return *sum; }
RASK_AGGREGATE_MERGE(add_counts, into, from) {
    into->auction = from->auction;
    into->count += from->count;
}

typedef struct {
    char none;
} stateless;
RASK_INSTANCE(stateless);

/* Counts of one window of all auctions: they have its last millisecond as their timestamp. */
RASK_WINDOW_PROCESS(hottest, stateless, self, auction_count, counts, hot_auction, out) {
    (void)self;
    int64_t most = 0;
    for (uint32_t i = 0; i < counts.count; i++)
        if (counts.items[i].count > most) most = counts.items[i].count;
    for (uint32_t i = 0; i < counts.count; i++)
        if (counts.items[i].count == most)
            rask_emit(out, (hot_auction){rask_window_end(out), counts.items[i].auction, most});
}

static rask_keyed(auction_at) bids_by_auction(rask_stream(event) in) {
    rask_stream(auction_at) bids =
        rask_assign_timestamps(rask_flat_map(in, auctions_of_bids), ts,
                               .max_out_of_orderness_ms = NEXMARK_LATENESS_MS);
    return rask_key_by(bids, auction);
}

/* Counts that are lower than another one of the same window, which has the same timestamp, need not
 * be sent to the one subtask that compares all. To forget the highest one costs nothing but that. */
typedef struct {
    rask_timestamp window;
    int64_t most;
} highest_count;
RASK_INSTANCE(highest_count);

RASK_PROCESS(may_be_hottest, highest_count, self, auction_count, c, auction_count, out) {
    if (rask_timestamp(out) != self->window) {
        self->window = rask_timestamp(out);
        self->most = 0;
    }
    if (c.count < self->most) return;
    self->most = c.count;
    rask_emit(out, c);
}

static void finish_hottest(rask_stream(auction_count) counts) {
    rask_windowed(auction_count) all =
        rask_window_all(rask_process(counts, may_be_hottest),
                        rask_tumbling_event_time(.size_ms = HOT_SLIDE_MS));
    nexmark_finish(rask_window_process(all, hottest, .uid = "hottest"), hot_auction);
}

void query_q5(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_windowed(auction_at) windows = rask_window(
        bids_by_auction(in),
        rask_sliding_event_time(.size_ms = HOT_SIZE_MS, .slide_ms = HOT_SLIDE_MS));
    finish_hottest(rask_window_aggregate(windows, count_bids, .uid = "counts"));
}

/* The same by panes of two seconds, five of which make a window. */
void query_q5t(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_windowed(auction_at) panes =
        rask_window(bids_by_auction(in), rask_tumbling_event_time(.size_ms = HOT_SLIDE_MS));
    rask_stream(auction_count) counts = rask_window_aggregate(panes, count_bids, .uid = "panes");
    rask_windowed(auction_count) windows =
        rask_window(rask_key_by(counts, auction),
                    rask_sliding_event_time(.size_ms = HOT_SIZE_MS, .slide_ms = HOT_SLIDE_MS));
    finish_hottest(rask_window_aggregate(windows, add_counts, .uid = "counts"));
}

/* ---------------------------------------------------------------- q7
 * The highest bid of each ten seconds; of equal ones the earliest, then the smallest auction, then
 * the smallest bidder. */
enum { HIGHEST_SIZE_MS = 10000 };

typedef struct {
    rask_timestamp end;
    offer bid;
} highest_bid;
RASK_TYPE(highest_bid, (end, rask_timestamp), (bid, offer));

NEXMARK_RESULT(highest_bid, h, line) {
    nexmark_put(line, h->end);
    nexmark_put(line, h->bid.auction);
    nexmark_put(line, h->bid.price);
    nexmark_put(line, h->bid.bidder);
    nexmark_put(line, h->bid.ts);
    return 1;
}

static inline bool is_higher(const offer *a, const offer *b) {
    if (a->price != b->price) return a->price > b->price;
    if (a->ts != b->ts) return a->ts < b->ts;
    if (a->auction != b->auction) return a->auction < b->auction;
    return a->bidder < b->bidder;
}

/* The highest bids of the last windows that this subtask saw. A bid that is lower than another one of
 * its window can never be the highest, so that few need to be sent to the one subtask that knows
 * all. To forget them costs nothing but that. */
enum { WINDOWS_SEEN = 4 };
typedef struct {
    struct {
        int64_t window;
        offer highest;
    } seen[WINDOWS_SEEN];
} candidates;
RASK_INSTANCE(candidates);

RASK_RICH_FILTER(may_be_highest, candidates, self, offer, o) {
    int64_t window = o.ts / HIGHEST_SIZE_MS;
    unsigned at = (unsigned)window % WINDOWS_SEEN;
    if (self->seen[at].window == window && !is_higher(&o, &self->seen[at].highest)) return false;
    self->seen[at].window = window;
    self->seen[at].highest = o;
    return true;
}

RASK_REDUCE(higher, offer, a, b) { return is_higher(&b, &a) ? b : a; }

RASK_WINDOW_PROCESS(with_end, stateless, self, offer, highest, highest_bid, out) {
    (void)self;
    rask_emit(out, (highest_bid){rask_window_end(out), highest.items[0]});
}

void query_q7(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_stream(offer) bids = rask_assign_timestamps(
        rask_flat_map(in, offers), ts, .max_out_of_orderness_ms = NEXMARK_LATENESS_MS);
    rask_windowed(offer) windows = rask_window_all(
        rask_filter(bids, may_be_highest), rask_tumbling_event_time(.size_ms = HIGHEST_SIZE_MS));
    nexmark_finish(rask_window_reduce_process(windows, higher, with_end, .uid = "highest"),
                   highest_bid);
}

/* ---------------------------------------------------------------- q8
 * Who came and sold something in the same ten seconds? */
enum { NEW_SIZE_MS = 10000 };

/* A person who comes, or (without a name) one who sells. */
typedef struct {
    int64_t id;
    rask_timestamp ts;
    short_text name;
} appearance;
RASK_TYPE(appearance, id, (ts, rask_timestamp), (name, short_text));

typedef struct {
    int64_t id;
    short_text name;
    int64_t sells;
} newcomer;
RASK_TYPE(newcomer, id, (name, short_text), sells);

typedef struct {
    rask_timestamp start;
    int64_t id;
    rask_string name;
} new_seller;
RASK_TYPE(new_seller, (start, rask_timestamp), id, name);

NEXMARK_RESULT(new_seller, s, line) {
    nexmark_put(line, s->start);
    nexmark_put(line, s->id);
    nexmark_put_text(line, s->name);
    return 1;
}

RASK_FLAT_MAP(appearances, event, e, appearance, out) {
    if (e.person.count > 0) {
        const person *p = &e.person.items[0];
        rask_emit(out, (appearance){p->id, p->ts, nexmark_pack(p->name)});
    } else if (e.auction.count > 0) {
        const auction *a = &e.auction.items[0];
        rask_emit(out, (appearance){a->seller, a->ts, {{0, 0}}});
    }
}

RASK_AGGREGATE(know, appearance, a, newcomer, n, newcomer) {
    n->id = a.id;
    if (a.name.words[0] != 0)
        n->name = a.name;
    else
        n->sells = 1;
}
RASK_AGGREGATE_RESULT(know, n) { return *n; }

/* Results have the last millisecond of their window as their timestamp. */
RASK_PROCESS(new_sellers, stateless, self, newcomer, n, new_seller, out) {
    (void)self;
    if (n.sells && n.name.words[0] != 0)
        rask_emit(out, (new_seller){rask_timestamp(out) + 1 - NEW_SIZE_MS, n.id,
                                    nexmark_unpack(n.name)});
}

void query_q8(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_stream(appearance) all = rask_assign_timestamps(
        rask_flat_map(in, appearances), ts, .max_out_of_orderness_ms = NEXMARK_LATENESS_MS);
    rask_windowed(appearance) windows =
        rask_window(rask_key_by(all, id), rask_tumbling_event_time(.size_ms = NEW_SIZE_MS));
    nexmark_finish(
        rask_process(rask_window_aggregate(windows, know, .uid = "newcomers"), new_sellers),
        new_seller);
}

/* ---------------------------------------------------------------- q11, q12
 * How many bids did a bidder make in a row, and in ten seconds of the clock? */
enum { GAP_MS = 10000, CLOCK_SIZE_MS = 10000 };

typedef struct {
    int64_t bidder;
    rask_timestamp ts;
} bidder_at;
RASK_TYPE(bidder_at, bidder, (ts, rask_timestamp));

typedef struct {
    int64_t bidder, count;
    rask_timestamp start, end;
} activity;
RASK_TYPE(activity, bidder, count, (start, rask_timestamp), (end, rask_timestamp));

NEXMARK_RESULT(activity, a, line) {
    nexmark_put(line, a->bidder);
    nexmark_put(line, a->count);
    nexmark_put(line, a->start);
    nexmark_put(line, a->end);
    return 1;
}

RASK_FLAT_MAP(bidders, event, e, bidder_at, out) {
    if (e.bid.present) rask_emit(out, (bidder_at){e.bid.value.bidder, e.bid.value.ts});
}

RASK_AGGREGATE(count, bidder_at, b, int64_t, n, int64_t) {
    (void)b;
    ++*n;
}
RASK_AGGREGATE_RESULT(count, n) { return *n; }
RASK_AGGREGATE_MERGE(count, into, from) { *into += *from; }

RASK_WINDOW_PROCESS(with_window, stateless, self, int64_t, n, activity, out) {
    (void)self;
    rask_emit(out, (activity){*rask_key(out, int64_t), n.items[0], rask_window_start(out),
                              rask_window_end(out)});
}

void query_q11(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_stream(bidder_at) all = rask_assign_timestamps(
        rask_flat_map(in, bidders), ts, .max_out_of_orderness_ms = NEXMARK_LATENESS_MS);
    rask_windowed(bidder_at) sessions =
        rask_window(rask_key_by(all, bidder), rask_session_event_time(.gap_ms = GAP_MS));
    nexmark_finish(rask_window_aggregate_process(sessions, count, with_window, .uid = "sessions"),
                   activity);
}

/* Depends on the clock: there is no digest. */
void query_q12(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_windowed(bidder_at) windows =
        rask_window(rask_key_by(rask_flat_map(in, bidders), bidder),
                    rask_tumbling_processing_time(.size_ms = CLOCK_SIZE_MS));
    rask_discard(rask_window_aggregate_process(windows, count, with_window, .uid = "activity"));
}

/* ---------------------------------------------------------------- q17
 * Prices of each auction on each day. */
typedef struct {
    int64_t auction, total, ranks[3], min, max, sum;
} price_statistics;
RASK_TYPE(price_statistics, auction, total, ranks, min, max, sum);

typedef struct {
    int64_t day;
    price_statistics prices;
} auction_day;
RASK_TYPE(auction_day, day, (prices, price_statistics));

NEXMARK_RESULT(auction_day, a, line) {
    nexmark_put(line, a->prices.auction);
    nexmark_put(line, a->day);
    nexmark_put(line, a->prices.total);
    for (int i = 0; i < 3; i++) nexmark_put(line, a->prices.ranks[i]);
    nexmark_put(line, a->prices.min);
    nexmark_put(line, a->prices.max);
    nexmark_put(line, a->prices.sum / a->prices.total);
    nexmark_put(line, a->prices.sum);
    return 1;
}

typedef struct {
    int64_t auction, price;
    rask_timestamp ts;
} price_at;
RASK_TYPE(price_at, auction, price, (ts, rask_timestamp));

RASK_FLAT_MAP(prices, event, e, price_at, out) {
    const bid *b = &e.bid.value;
    if (e.bid.present) rask_emit(out, (price_at){b->auction, b->price, b->ts});
}

RASK_AGGREGATE(add_price, price_at, p, price_statistics, s, price_statistics) {
    s->auction = p.auction;
    if (s->total == 0 || p.price < s->min) s->min = p.price;
    if (p.price > s->max) s->max = p.price;
    s->total++;
    s->ranks[p.price < 10000 ? 0 : p.price < 1000000 ? 1 : 2]++;
    s->sum += p.price;
}
RASK_AGGREGATE_RESULT(add_price, s) { return *s; }

/* Results have the last millisecond of their window as their timestamp. */
RASK_PROCESS(with_day, stateless, self, price_statistics, s, auction_day, out) {
    (void)self;
    rask_emit(out, (auction_day){rask_timestamp(out) / NEXMARK_DAY_MS, s});
}

void query_q17(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_stream(price_at) all = rask_assign_timestamps(
        rask_flat_map(in, prices), ts, .max_out_of_orderness_ms = NEXMARK_LATENESS_MS);
    rask_windowed(price_at) days =
        rask_window(rask_key_by(all, auction), rask_tumbling_event_time(.size_ms = NEXMARK_DAY_MS));
    nexmark_finish(rask_process(rask_window_aggregate(days, add_price, .uid = "days"), with_day),
                   auction_day);
}
