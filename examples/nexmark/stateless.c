/* stateless.c - queries that look at one event at a time: q0, q1, q2, q22, and the generator alone. */
#include "nexmark.h"

/* gen: every event is made and dropped. */
void query_gen(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_discard(in);
}

/* events: every field of every event, the check that all systems generate the same. */
NEXMARK_RESULT(event, e, line) {
    if (e->bid.present) {
        const bid *b = &e->bid.value;
        nexmark_put_text(line, rask_string_from("B"));
        nexmark_put(line, b->auction);
        nexmark_put(line, b->bidder);
        nexmark_put(line, b->price);
        nexmark_put_text(line, b->channel);
        nexmark_put_text(line, b->url);
        nexmark_put(line, b->ts);
        nexmark_put_text(line, b->extra);
    } else if (e->auction.count > 0) {
        const auction *a = &e->auction.items[0];
        nexmark_put_text(line, rask_string_from("A"));
        nexmark_put(line, a->id);
        nexmark_put_text(line, a->item_name);
        nexmark_put_text(line, a->description);
        nexmark_put(line, a->initial_bid);
        nexmark_put(line, a->reserve);
        nexmark_put(line, a->ts);
        nexmark_put(line, a->expires);
        nexmark_put(line, a->seller);
        nexmark_put(line, a->category);
        nexmark_put_text(line, a->extra);
    } else {
        const person *p = &e->person.items[0];
        nexmark_put_text(line, rask_string_from("P"));
        nexmark_put(line, p->id);
        nexmark_put_text(line, p->name);
        nexmark_put_text(line, p->email);
        nexmark_put_text(line, p->card);
        nexmark_put_text(line, p->city);
        nexmark_put_text(line, p->state);
        nexmark_put(line, p->ts);
        nexmark_put_text(line, p->extra);
    }
    return 1;
}

void query_events(rask_env *env, rask_stream(event) in) {
    (void)env;
    nexmark_finish(in, event);
}

/* q0: all bids. q1: their prices in euros. */
typedef struct {
    int64_t auction, bidder, price;
    rask_timestamp ts;
    rask_string extra;
} plain_bid;
RASK_TYPE(plain_bid, auction, bidder, price, (ts, rask_timestamp), extra);

NEXMARK_RESULT(plain_bid, b, line) {
    nexmark_put(line, b->auction);
    nexmark_put(line, b->bidder);
    nexmark_put(line, b->price);
    nexmark_put(line, b->ts);
    nexmark_put_text(line, b->extra);
    return 1;
}

RASK_FLAT_MAP(plain_bids, event, e, plain_bid, out) {
    const bid *b = &e.bid.value;
    if (e.bid.present)
        rask_emit(out, (plain_bid){b->auction, b->bidder, b->price, b->ts, b->extra});
}

RASK_MAP(in_euros, plain_bid, b, plain_bid) {
    b.price = b.price * 908 / 1000;
    return b;
}

void query_q0(rask_env *env, rask_stream(event) in) {
    (void)env;
    nexmark_finish(rask_flat_map(in, plain_bids), plain_bid);
}

void query_q1(rask_env *env, rask_stream(event) in) {
    (void)env;
    nexmark_finish(rask_map(rask_flat_map(in, plain_bids), in_euros), plain_bid);
}

/* q2: bids on some auctions. */
typedef struct {
    int64_t auction, price;
} auction_price;
RASK_TYPE(auction_price, auction, price);

NEXMARK_RESULT(auction_price, r, line) {
    nexmark_put(line, r->auction);
    nexmark_put(line, r->price);
    return 1;
}

RASK_FLAT_MAP(some_auctions, event, e, auction_price, out) {
    if (e.bid.present && e.bid.value.auction % 123 == 0)
        rask_emit(out, (auction_price){e.bid.value.auction, e.bid.value.price});
}

void query_q2(rask_env *env, rask_stream(event) in) {
    (void)env;
    nexmark_finish(rask_flat_map(in, some_auctions), auction_price);
}

/* q22: bids with the folders of their URL, https://www.nexmark.com/FOLDER/FOLDER/FOLDER/... */
typedef struct {
    int64_t auction, bidder, price;
    rask_string channel, folders[3];
} located_bid;
RASK_TYPE(located_bid, auction, bidder, price, channel, folders);

NEXMARK_RESULT(located_bid, b, line) {
    nexmark_put(line, b->auction);
    nexmark_put(line, b->bidder);
    nexmark_put(line, b->price);
    nexmark_put_text(line, b->channel);
    for (int i = 0; i < 3; i++) nexmark_put_text(line, b->folders[i]);
    return 1;
}

/* Where the first `most` slashes of a text are; returns how many there are. Eight bytes are searched
 * at once: six calls of memchr for such short parts would cost as much as everything else here. */
static inline int find_slashes(const char *text, size_t len, int most, uint32_t *ret_at) {
    const uint64_t slashes = '/' * UINT64_C(0x0101010101010101), low = UINT64_C(0x7F7F7F7F7F7F7F7F);
    int found = 0;
    for (size_t i = 0; i < len && found < most; i += 8) {
        uint64_t word = 0;
        if (len - i >= 8)
            memcpy(&word, text + i, 8);
        else
            memcpy(&word, text + i, len - i);
        uint64_t other = word ^ slashes;
        uint64_t marks = ~(((other & low) + low) | other | low); /* the high bit of each slash */
        for (; marks != 0 && found < most; marks &= marks - 1)
            ret_at[found++] = (uint32_t)i + (uint32_t)__builtin_ctzll(marks) / 8;
    }
    return found;
}

RASK_FLAT_MAP(locate, event, e, located_bid, out) {
    enum { FOLDERS = 3, BEFORE = 3, SLASHES = BEFORE + FOLDERS };
    if (!e.bid.present) return;
    rask_string url = e.bid.value.url;
    const char *text = rask_string_data(&url);
    uint32_t at[SLASHES];
    int found = find_slashes(text, url.len, SLASHES, at);
    for (; found < SLASHES; found++) at[found] = url.len; /* a shorter one has empty folders */
    located_bid *r = rask_emit_slot(out);
    r->auction = e.bid.value.auction;
    r->bidder = e.bid.value.bidder;
    r->price = e.bid.value.price;
    r->channel = e.bid.value.channel;
    for (int i = 0; i < FOLDERS; i++) {
        uint32_t from = at[BEFORE + i - 1] + 1, to = at[BEFORE + i];
        r->folders[i] = rask_string_of(text + from, from < to ? to - from : 0);
    }
}

void query_q22(rask_env *env, rask_stream(event) in) {
    (void)env;
    nexmark_finish(rask_flat_map(in, locate), located_bid);
}
