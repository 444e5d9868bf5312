/* rask_nexmark.c - the stateless Nexmark queries as Rask jobs.
 *
 *   rask_nexmark --q gen|q0|q1|q2 [--n N] [--p P] [--verify] [-D key=value]...
 *
 * An event is a bid, or (in 8 of 100) an auction or a person. The rare ones are lists of at most
 * one item, which live in the batch's memory, so that the event itself stays small: three quarters
 * of the work of a generator is to write its records. Texts that exist for the whole run (the pool,
 * channels, URLs, names) are borrowed. */
#include <rask/rask.h>

#include "bench/events.h"
#include "bench/measure.h"
#include "bench/options.h"

typedef struct {
    int64_t id;
    rask_string name, email, card, city, state;
    int64_t ts;
    rask_string extra;
} person;
RASK_TYPE(person, id, name, email, card, city, state, (ts, rask_timestamp), extra);
typedef struct {
    int64_t id;
    rask_string item_name, description;
    int64_t initial_bid, reserve, ts, expires, seller, category;
    rask_string extra;
} auction;
RASK_TYPE(auction, id, item_name, description, initial_bid, reserve, (ts, rask_timestamp),
          (expires, rask_timestamp), seller, category, extra);
typedef struct {
    int64_t auction, bidder, price;
    rask_string channel, url;
    int64_t ts;
    rask_string extra;
} bid;
RASK_TYPE(bid, auction, bidder, price, channel, url, (ts, rask_timestamp), extra);
typedef struct {
    rask_optional(bid) bid;
    rask_list(auction) auction;
    rask_list(person) person;
} event;
RASK_TYPE(event, (bid, rask_optional(bid)), (auction, rask_list(auction)),
          (person, rask_list(person)));

/* What q0 and q1 give, and q2. */
typedef struct {
    int64_t auction, bidder, price, ts;
    rask_string extra;
} plain_bid;
RASK_TYPE(plain_bid, auction, bidder, price, (ts, rask_timestamp), extra);
typedef struct {
    int64_t auction, price;
} auction_price;
RASK_TYPE(auction_price, auction, price);

enum { CALL_EVENTS = 256 /* that the source makes in one call */ };

/* ---------------------------------------------------------------- texts as strings, made once */

static struct { rask_string name, url; } channels[BENCH_CHANNELS]; /* read together */
static rask_string cities[10], states[6];
static char name_texts[11][9][16];
static rask_string names[11][9];

static void texts_init(void) {
    bench_texts_init();
    for (int i = 0; i < BENCH_CHANNELS; i++) {
        const bench_text *channel = &bench_text_tables.channels[i];
        const bench_text *url = &bench_text_tables.urls[i];
        channels[i].name = rask_string_of(channel->bytes, channel->len);
        channels[i].url = rask_string_of(url->bytes, url->len);
    }
    for (int i = 0; i < 10; i++) cities[i] = rask_string_from(bench_cities[i]);
    for (int i = 0; i < 6; i++) states[i] = rask_string_from(bench_states[i]);
    for (int i = 0; i < 11; i++) {
        for (int j = 0; j < 9; j++) {
            (void)snprintf(name_texts[i][j], sizeof name_texts[i][j], "%s %s", bench_first_names[i],
                           bench_last_names[j]);
            names[i][j] = rask_string_from(name_texts[i][j]);
        }
    }
}

static inline rask_string text_of(bench_slice slice) {
    return rask_string_of(bench_text_tables.pool + slice.offset, slice.len);
}

/* ---------------------------------------------------------------- the source */

static inline void fill_bid(bid *b, uint64_t n, uint64_t r0) {
    bench_bid made = bench_make_bid(n, r0);
    b->auction = (int64_t)made.auction;
    b->bidder = (int64_t)made.bidder;
    b->price = (int64_t)made.price;
    b->channel = channels[made.channel].name;
    b->url = channels[made.channel].url;
    b->ts = (int64_t)made.ts;
    b->extra = text_of(made.extra);
}

static inline void fill_auction(auction *a, uint64_t n, uint64_t r0) {
    bench_auction made = bench_make_auction(n, r0);
    a->id = (int64_t)made.id;
    a->item_name = text_of(made.name);
    a->description = text_of(made.description);
    a->initial_bid = (int64_t)made.initial_bid;
    a->reserve = (int64_t)made.reserve;
    a->ts = (int64_t)made.ts;
    a->expires = (int64_t)made.expires;
    a->seller = (int64_t)made.seller;
    a->category = (int64_t)made.category;
    a->extra = text_of(made.extra);
}

static void fill_person(person *p, uint64_t n, uint64_t r0) {
    bench_person made = bench_make_person(n, r0);
    const char *pool = bench_text_tables.pool + made.email.offset;
    char email[17], card[19];
    memcpy(email, pool, 7);
    email[7] = '@';
    memcpy(email + 8, pool + 7, 5);
    memcpy(email + 13, ".com", 4);
    for (int i = 0; i < 4; i++) {
        uint32_t v = made.card[i];
        for (int digit = 3; digit >= 0; digit--, v /= 10)
            card[i * 5 + digit] = (char)('0' + v % 10);
        if (i < 3) card[i * 5 + 4] = ' ';
    }
    p->id = (int64_t)made.id;
    p->name = names[made.first_name][made.last_name];
    p->email = rask_string_copy(email, sizeof email);
    p->card = rask_string_copy(card, sizeof card);
    p->city = cities[made.city];
    p->state = states[made.state];
    p->ts = (int64_t)made.ts;
    p->extra = text_of(made.extra);
}

typedef struct {
    uint64_t next, step, end;
} generator;
RASK_INSTANCE(generator);

RASK_SOURCE(events, generator, self, event, out) {
    uint64_t n = self->next, step = self->step;
    uint64_t stop = n + CALL_EVENTS * step;
    if (stop > self->end) stop = self->end;
    for (; n < stop; n += step) {
        event *e = rask_emit_slot(out);
        uint64_t r0 = bench_draw(n);
        bench_event_kind kind = bench_kind_of(n);
        e->bid.present = kind == BENCH_BID;
        e->auction.count = kind == BENCH_AUCTION;
        e->person.count = kind == BENCH_PERSON;
        if (kind == BENCH_BID) {
            fill_bid(&e->bid.value, n, r0);
        } else if (kind == BENCH_AUCTION) {
            auction *a = rask_alloc(sizeof *a);
            if (a == NULL) return rask_fail("no memory for an auction");
            fill_auction(a, n, r0);
            e->auction.items = a;
        } else {
            person *p = rask_alloc(sizeof *p);
            if (p == NULL) return rask_fail("no memory for a person");
            fill_person(p, n, r0);
            e->person.items = p;
        }
    }
    self->next = n;
    return n < self->end ? RASK_MORE : RASK_END;
}
RASK_OPEN(events, self) {
    self->next = (uint64_t)rask_runtime()->subtask_index;
    self->step = (uint64_t)rask_runtime()->parallelism;
    return RASK_OK;
}

/* ---------------------------------------------------------------- queries */

RASK_FLAT_MAP(bids, event, e, plain_bid, out) {
    const bid *b = &e.bid.value;
    if (e.bid.present)
        rask_emit(out, (plain_bid){b->auction, b->bidder, b->price, b->ts, b->extra});
}
RASK_MAP(in_euros, plain_bid, b, plain_bid) {
    b.price = b.price * 908 / 1000;
    return b;
}
RASK_FLAT_MAP(some_auctions, event, e, auction_price, out) {
    if (e.bid.present && e.bid.value.auction % 123 == 0)
        rask_emit(out, (auction_price){e.bid.value.auction, e.bid.value.price});
}

/* ---------------------------------------------------------------- sinks */

typedef struct {
    bench_digest digest;
} hasher;
RASK_INSTANCE(hasher);

static bench_digest total; /* of all subtasks, added when they close */

static rask_status add_to_total(const bench_digest *digest) {
    __atomic_fetch_add(&total.count, digest->count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&total.sum, digest->sum, __ATOMIC_RELAXED);
    return RASK_OK;
}

RASK_SINK(hash_bids, hasher, self, plain_bid, b) {
    char line[160], *p = bench_put_u64(line, (uint64_t)b.auction);
    *p++ = ',';
    p = bench_put_u64(p, (uint64_t)b.bidder);
    *p++ = ',';
    p = bench_put_u64(p, (uint64_t)b.price);
    *p++ = ',';
    p = bench_put_u64(p, (uint64_t)b.ts);
    *p++ = ',';
    memcpy(p, rask_string_data(&b.extra), b.extra.len);
    p += b.extra.len;
    bench_digest_line(&self->digest, line, (size_t)(p - line));
}
RASK_CLOSE(hash_bids, self) {
    return add_to_total(&self->digest);
}
RASK_SINK(hash_prices, hasher, self, auction_price, r) {
    bench_digest_pair(&self->digest, (uint64_t)r.auction, (uint64_t)r.price);
}
RASK_CLOSE(hash_prices, self) {
    return add_to_total(&self->digest);
}

enum { QUERY_GEN, QUERY_Q0, QUERY_Q1, QUERY_Q2 };

static void build(rask_env *env, const bench_options *o) {
    rask_stream(event) in =
        rask_source(env, events, .bounded = true, .self = RASK_SELF(generator, .end = o->n));
    if (o->workload == QUERY_GEN) {
        rask_discard(in);
    } else if (o->workload == QUERY_Q2) {
        rask_stream(auction_price) prices = rask_flat_map(in, some_auctions);
        if (o->verify)
            rask_sink(prices, hash_prices);
        else
            rask_discard(prices);
    } else {
        rask_stream(plain_bid) s = rask_flat_map(in, bids);
        if (o->workload == QUERY_Q1) s = rask_map(s, in_euros);
        if (o->verify)
            rask_sink(s, hash_bids);
        else
            rask_discard(s);
    }
}

int main(int argc, char **argv) {
    static const char *const names_of[] = {"gen", "q0", "q1", "q2", NULL};
    int64_t started_ns = bench_now_ns();
    rask_env *env = rask_env_create(&argc, &argv);
    bench_options o;
    bench_options_parse(&o, argc, argv, names_of);
    texts_init();
    rask_set_parallelism(env, o.parallelism);
    build(env, &o);
    rask_job_result result;
    int code = rask_execute_job(env, o.workload_name, &result);
    rask_env_destroy(env);
    if (code != RASK_EXIT_OK) {
        fprintf(stderr, "%s\n", result.message);
        return code;
    }
    bench_report(&(bench_result){.system = "rask",
                                 .workload = o.workload_name,
                                 .parallelism = o.parallelism,
                                 .records_in = o.n,
                                 .records_out = (uint64_t)result.records_out,
                                 .wall_ns = bench_now_ns() - started_ns,
                                 .digest = o.verify ? &total : NULL});
    return 0;
}
