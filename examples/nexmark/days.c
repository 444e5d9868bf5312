/* days.c - how many different ones: q15 of all bids of a day, q16 of the bids of a day in each
 * channel. Each is counted in two steps: windows of each bidder and each auction first, whose results
 * at the end of the day are one record for each that was seen, and their sum. No subtask needs to
 * know all of them, and no state holds a set. */
#include "nexmark.h"

enum { RANKS = 3 /* of prices */, BIDDER = 0, AUCTION = 1, KINDS = 2 };

static inline int64_t rank_of(int64_t price) {
    return price < 10000 ? 0 : price < 1000000 ? 1 : 2;
}

/* How many bids of each rank one bidder made, or one auction got. */
typedef struct {
    int64_t bids[RANKS];
} tally;
RASK_TYPE(tally, bids);

/* What stands in a report: for all ranks, and for each. */
typedef struct {
    int64_t bids[1 + RANKS], bidders[1 + RANKS], auctions[1 + RANKS];
} totals;
RASK_TYPE(totals, bids, bidders, auctions);

static inline void add_tally(totals *sum, int64_t kind, const tally *t) {
    int64_t *distinct = kind == BIDDER ? sum->bidders : sum->auctions;
    distinct[0]++;
    for (int rank = 0; rank < RANKS; rank++) {
        distinct[1 + rank] += t->bids[rank] > 0;
        if (kind == AUCTION) continue; /* each bid is counted with its bidder */
        sum->bids[0] += t->bids[rank];
        sum->bids[1 + rank] += t->bids[rank];
    }
}

static inline void put_totals(nexmark_line *line, const totals *t) {
    for (int i = 0; i <= RANKS; i++) nexmark_put(line, t->bids[i]);
    for (int i = 0; i <= RANKS; i++) nexmark_put(line, t->bidders[i]);
    for (int i = 0; i <= RANKS; i++) nexmark_put(line, t->auctions[i]);
}

/* Results of windows have the last millisecond of their window as their timestamp. */
#define DAY_OF_RESULT(out) (rask_timestamp(out) / NEXMARK_DAY_MS)

typedef struct {
    char none;
} stateless;
RASK_INSTANCE(stateless);

/* ---------------------------------------------------------------- q15 */

/* A bidder, or an auction, in a bid. */
typedef struct {
    int64_t who; /* id * KINDS + kind */
    int64_t rank;
    rask_timestamp ts;
} sighting;
RASK_TYPE(sighting, who, rank, (ts, rask_timestamp));

typedef struct {
    int64_t kind;
    tally tally;
} seen;
RASK_TYPE(seen, kind, (tally, tally));

typedef struct {
    int64_t day;
    totals totals;
} day_report;
RASK_TYPE(day_report, day, (totals, totals));

NEXMARK_RESULT(day_report, r, line) {
    nexmark_put(line, r->day);
    put_totals(line, &r->totals);
    return 1;
}

RASK_FLAT_MAP(sightings, event, e, sighting, out) {
    if (!e.bid.present) return;
    const bid *b = &e.bid.value;
    int64_t rank = rank_of(b->price);
    rask_emit(out, (sighting){b->bidder * KINDS + BIDDER, rank, b->ts});
    rask_emit(out, (sighting){b->auction * KINDS + AUCTION, rank, b->ts});
}

RASK_AGGREGATE(count_sightings, sighting, s, seen, one, seen) {
    one->kind = s.who % KINDS;
    one->tally.bids[s.rank]++;
}
RASK_AGGREGATE_RESULT(count_sightings, one) { return *one; }

RASK_AGGREGATE(count_seen, seen, one, totals, sum, totals) {
    add_tally(sum, one.kind, &one.tally);
}
RASK_AGGREGATE_RESULT(count_seen, sum) { return *sum; }

RASK_PROCESS(report_day, stateless, self, totals, t, day_report, out) {
    (void)self;
    rask_emit(out, (day_report){DAY_OF_RESULT(out), t});
}

void query_q15(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_stream(sighting) all = rask_assign_timestamps(
        rask_flat_map(in, sightings), ts, .max_out_of_orderness_ms = NEXMARK_LATENESS_MS);
    rask_windows day = rask_tumbling_event_time(.size_ms = NEXMARK_DAY_MS);
    rask_stream(seen) each = rask_window_aggregate(rask_window(rask_key_by(all, who), day),
                                                   count_sightings, .uid = "each");
    rask_stream(totals) sums =
        rask_window_aggregate(rask_window_all(each, day), count_seen, .uid = "days");
    nexmark_finish(rask_process(sums, report_day), day_report);
}

/* ---------------------------------------------------------------- q16 */

/* The name of a channel as two numbers: records without strings can be kept and sent as they are. */
typedef struct {
    int64_t name[2];
} short_text;

static inline short_text pack(rask_string text) {
    short_text packed = {{0, 0}};
    if (text.len >= sizeof packed)
        rask_fail("the channel \"%.*s\" has more than 15 letters", RASK_STR(text));
    else
        memcpy(packed.name, rask_string_data(&text), text.len);
    return packed;
}
static inline rask_string unpack(int64_t name1, int64_t name2) {
    int64_t name[3] = {name1, name2, 0};
    return rask_string_copy((const char *)name, strlen((const char *)name));
}

typedef struct {
    int64_t name1, name2, who, rank;
    rask_timestamp ts;
} channel_sighting;
RASK_TYPE(channel_sighting, name1, name2, who, rank, (ts, rask_timestamp));

typedef struct {
    int64_t name1, name2, kind;
    tally tally;
} channel_seen;
RASK_TYPE(channel_seen, name1, name2, kind, (tally, tally));

typedef struct {
    int64_t name1, name2;
    totals totals;
} channel_totals;
RASK_TYPE(channel_totals, name1, name2, (totals, totals));

typedef struct {
    rask_string channel;
    int64_t day;
    totals totals;
} channel_report;
RASK_TYPE(channel_report, channel, day, (totals, totals));

NEXMARK_RESULT(channel_report, r, line) {
    nexmark_put_text(line, r->channel);
    nexmark_put(line, r->day);
    put_totals(line, &r->totals);
    return 1;
}

RASK_FLAT_MAP(channel_sightings, event, e, channel_sighting, out) {
    if (!e.bid.present) return;
    const bid *b = &e.bid.value;
    short_text channel = pack(b->channel);
    channel_sighting s = {channel.name[0], channel.name[1], b->bidder * KINDS + BIDDER,
                          rank_of(b->price), b->ts};
    rask_emit(out, s);
    s.who = b->auction * KINDS + AUCTION;
    rask_emit(out, s);
}

RASK_AGGREGATE(count_in_channel, channel_sighting, s, channel_seen, one, channel_seen) {
    one->name1 = s.name1;
    one->name2 = s.name2;
    one->kind = s.who % KINDS;
    one->tally.bids[s.rank]++;
}
RASK_AGGREGATE_RESULT(count_in_channel, one) { return *one; }

RASK_AGGREGATE(count_channel, channel_seen, one, channel_totals, sum, channel_totals) {
    sum->name1 = one.name1;
    sum->name2 = one.name2;
    add_tally(&sum->totals, one.kind, &one.tally);
}
RASK_AGGREGATE_RESULT(count_channel, sum) { return *sum; }

RASK_PROCESS(report_channel, stateless, self, channel_totals, t, channel_report, out) {
    (void)self;
    rask_emit(out, (channel_report){unpack(t.name1, t.name2), DAY_OF_RESULT(out), t.totals});
}

void query_q16(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_stream(channel_sighting) all =
        rask_assign_timestamps(rask_flat_map(in, channel_sightings), ts,
                               .max_out_of_orderness_ms = NEXMARK_LATENESS_MS);
    rask_windows day = rask_tumbling_event_time(.size_ms = NEXMARK_DAY_MS);
    rask_stream(channel_seen) each =
        rask_window_aggregate(rask_window(rask_key_by(all, name1, name2, who), day),
                              count_in_channel, .uid = "each");
    rask_stream(channel_totals) sums =
        rask_window_aggregate(rask_window(rask_key_by(each, name1, name2), day), count_channel,
                              .uid = "days");
    nexmark_finish(rask_process(sums, report_channel), channel_report);
}
