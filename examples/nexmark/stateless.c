/* stateless.c - queries that look at one event at a time: q0, q1, q2, q22, and the generator alone. */
#include "nexmark.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
    rask_string channel, folder1, folder2, folder3;
} located_bid;
RASK_TYPE(located_bid, auction, bidder, price, channel, folder1, folder2, folder3);

NEXMARK_RESULT(located_bid, b, line) {
    nexmark_put(line, b->auction);
    nexmark_put(line, b->bidder);
    nexmark_put(line, b->price);
    nexmark_put_text(line, b->channel);
    nexmark_put_text(line, b->folder1);
    nexmark_put_text(line, b->folder2);
    nexmark_put_text(line, b->folder3);
    return 1;
}

/* Bit i: text[i] is a slash. Six calls of memchr for such short parts would cost as much as
 * everything else here. */
static inline uint64_t slashes_in_16(const char *text) {
#ifdef __SSE2__
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    return (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('/')));
#else
    uint64_t found = 0;
    for (int i = 0; i < 16; i++) found |= (uint64_t)(text[i] == '/') << i;
    return found;
#endif
}
/* The same of the first 64 bytes of a text of 16 or more. */
static inline uint64_t slashes_in(const char *text, uint32_t len) {
    uint32_t end = len < 64 ? len : 64;
    uint64_t found = slashes_in_16(text + end - 16) << (end - 16);
    for (uint32_t i = 0; i + 16 < end; i += 16) found |= slashes_in_16(text + i) << i;
    return found;
}

/* The text from behind the first slash to the next one; takes the first one away. */
static inline rask_string next_part(const char *text, uint32_t len, uint64_t *slashes) {
    uint32_t from = *slashes != 0 ? (uint32_t)__builtin_ctzll(*slashes) + 1 : len;
    *slashes &= *slashes - 1;
    uint32_t to = *slashes != 0 ? (uint32_t)__builtin_ctzll(*slashes) : len;
    return rask_string_part(text, len, from, from < to ? to : from);
}

RASK_FLAT_MAP(locate, event, e, located_bid, out) {
    if (!e.bid.present) return;
    const bid *b = &e.bid.value;
    rask_string url = b->url, none = rask_string_of("", 0);
    rask_string folder1 = none, folder2 = none, folder3 = none;
    if (url.len >= 16) { /* else it is not even https:// and a host */
        const char *text = rask_string_data(&url);
        uint64_t slashes = slashes_in(text, url.len);
        slashes &= slashes - 1;
        slashes &= slashes - 1; /* the third one and those behind it are left */
        folder1 = next_part(text, url.len, &slashes);
        folder2 = next_part(text, url.len, &slashes);
        folder3 = next_part(text, url.len, &slashes);
    }
    rask_emit(out, (located_bid){b->auction, b->bidder, b->price, b->channel, folder1, folder2,
                                 folder3});
}

void query_q22(rask_env *env, rask_stream(event) in) {
    (void)env;
    nexmark_finish(rask_flat_map(in, locate), located_bid);
}
