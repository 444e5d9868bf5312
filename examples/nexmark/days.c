/* days.c - how many different ones: q15 of all bids of a day, q16 of the bids of a day in each
 * channel. Each is counted in two steps: windows of each bidder and each auction first, whose results
 * at the end of the day are one record for each that was seen, and their sum. No subtask needs to
 * know all of them, and no state holds a set. */
#include "nexmark.h"

enum { RANKS = 3 /* of prices */, BIDDER = 0, AUCTION = 1, KINDS = 2 };

static inline int64_t rank_of(int64_t price) {
    return price < 10000 ? 0 : price < 1000000 ? 1 : 2;
}

/* How many bids of each rank one bidder made; of an auction only whether it got some. */
typedef struct {
    int32_t kind;
    int32_t bids[RANKS];
} tally;
RASK_TYPE(tally, kind, bids);

/* What stands in a report: for all ranks, and for each. */
typedef struct {
    int64_t bids[1 + RANKS], bidders[1 + RANKS], auctions[1 + RANKS];
} totals;
RASK_TYPE(totals, bids, bidders, auctions);

static inline void add_tally(totals *sum, const tally *t) {
    int64_t *distinct = t->kind == BIDDER ? sum->bidders : sum->auctions;
    distinct[0]++;
    for (int rank = 0; rank < RANKS; rank++) {
        distinct[1 + rank] += t->bids[rank] > 0;
        if (t->kind == AUCTION) continue; /* each bid is counted with its bidder */
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

/* Auctions that were seen lately. Seen again on the same day, with the same rank, they change nothing,
 * so that most bids need not tell of theirs. To forget them costs nothing but that. */
enum { LATELY = 1024 };
typedef struct {
    struct {
        short_text channel;
        int64_t auction, rank, day;
    } seen[LATELY];
} memory;
RASK_INSTANCE(memory);

static inline bool is_news(memory *self, short_text channel, const bid *b, int64_t rank) {
    int64_t day = b->ts / NEXMARK_DAY_MS;
    uint64_t hash = ((uint64_t)(channel.words[0] ^ channel.words[1] << 7) + (uint64_t)b->auction) *
                        UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)rank;
    unsigned at = (unsigned)(hash >> 32 ^ hash) % LATELY;
    if (self->seen[at].auction == b->auction && self->seen[at].rank == rank &&
        self->seen[at].day == day && self->seen[at].channel.words[0] == channel.words[0] &&
        self->seen[at].channel.words[1] == channel.words[1])
        return false;
    self->seen[at].channel = channel;
    self->seen[at].auction = b->auction;
    self->seen[at].rank = rank;
    self->seen[at].day = day;
    return true;
}

/* ---------------------------------------------------------------- q15 */

/* A bidder, or an auction, in a bid. */
typedef struct {
    int64_t who; /* id * KINDS + kind */
    int64_t rank;
    rask_timestamp ts;
} sighting;
RASK_TYPE(sighting, who, rank, (ts, rask_timestamp));

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

RASK_RICH_FLAT_MAP(sightings, memory, self, event, e, sighting, out) {
    if (!e.bid.present) return;
    const bid *b = &e.bid.value;
    int64_t rank = rank_of(b->price);
    rask_emit(out, (sighting){b->bidder * KINDS + BIDDER, rank, b->ts});
    if (is_news(self, (short_text){{0, 0}}, b, rank))
        rask_emit(out, (sighting){b->auction * KINDS + AUCTION, rank, b->ts});
}

RASK_AGGREGATE(count_sightings, sighting, s, tally, one, tally) {
    one->kind = (int32_t)(s.who % KINDS);
    one->bids[s.rank]++;
}
RASK_AGGREGATE_RESULT(count_sightings, one) { return *one; }

RASK_AGGREGATE(count_tallies, tally, one, totals, sum, totals) { add_tally(sum, &one); }
RASK_AGGREGATE_RESULT(count_tallies, sum) { return *sum; }

RASK_PROCESS(report_day, stateless, self, totals, t, day_report, out) {
    (void)self;
    rask_emit(out, (day_report){DAY_OF_RESULT(out), t});
}

void query_q15(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_stream(sighting) all = rask_assign_timestamps(
        rask_flat_map(in, sightings), ts, .max_out_of_orderness_ms = NEXMARK_LATENESS_MS);
    rask_windows day = rask_tumbling_event_time(.size_ms = NEXMARK_DAY_MS);
    rask_stream(tally) each = rask_window_aggregate(rask_window(rask_key_by(all, who), day),
                                                    count_sightings, .uid = "each");
    rask_stream(totals) sums =
        rask_window_aggregate(rask_window_all(each, day), count_tallies, .uid = "days");
    nexmark_finish(rask_process(sums, report_day), day_report);
}

/* ---------------------------------------------------------------- q16 */

typedef struct {
    int64_t name1, name2, who, rank;
    rask_timestamp ts;
} channel_sighting;
RASK_TYPE(channel_sighting, name1, name2, who, rank, (ts, rask_timestamp));

typedef struct {
    int64_t name1, name2;
    tally tally;
} channel_tally;
RASK_TYPE(channel_tally, name1, name2, (tally, tally));

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

RASK_RICH_FLAT_MAP(channel_sightings, memory, self, event, e, channel_sighting, out) {
    if (!e.bid.present) return;
    const bid *b = &e.bid.value;
    short_text channel = nexmark_pack(b->channel);
    channel_sighting s = {channel.words[0], channel.words[1], b->bidder * KINDS + BIDDER,
                          rank_of(b->price), b->ts};
    rask_emit(out, s);
    s.who = b->auction * KINDS + AUCTION;
    if (is_news(self, channel, b, s.rank)) rask_emit(out, s);
}

RASK_AGGREGATE(count_in_channel, channel_sighting, s, channel_tally, one, channel_tally) {
    one->name1 = s.name1;
    one->name2 = s.name2;
    one->tally.kind = (int32_t)(s.who % KINDS);
    one->tally.bids[s.rank]++;
}
RASK_AGGREGATE_RESULT(count_in_channel, one) { return *one; }

RASK_AGGREGATE(count_channel, channel_tally, one, channel_totals, sum, channel_totals) {
    sum->name1 = one.name1;
    sum->name2 = one.name2;
    add_tally(&sum->totals, &one.tally);
}
RASK_AGGREGATE_RESULT(count_channel, sum) { return *sum; }

RASK_PROCESS(report_channel, stateless, self, channel_totals, t, channel_report, out) {
    (void)self;
    rask_emit(out, (channel_report){nexmark_unpack((short_text){{t.name1, t.name2}}),
                                    DAY_OF_RESULT(out), t.totals});
}

void query_q16(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_stream(channel_sighting) all =
        rask_assign_timestamps(rask_flat_map(in, channel_sightings), ts,
                               .max_out_of_orderness_ms = NEXMARK_LATENESS_MS);
    rask_windows day = rask_tumbling_event_time(.size_ms = NEXMARK_DAY_MS);
    rask_stream(channel_tally) each =
        rask_window_aggregate(rask_window(rask_key_by(all, name1, name2, who), day),
                              count_in_channel, .uid = "each");
    rask_stream(channel_totals) sums =
        rask_window_aggregate(rask_window(rask_key_by(each, name1, name2), day), count_channel,
                              .uid = "days");
    nexmark_finish(rask_process(sums, report_channel), channel_report);
}
