/* source.c - the generator's events as a Rask source. */
#include <stdio.h>
#include <string.h>

#include "generator.h"
#include "nexmark.h"

enum { CALL_EVENTS = 256 /* made in one call */ };

/* Texts that exist for the whole run are made once; records borrow them. */
static struct {
    rask_string name, url;
} channels[NEXMARK_CHANNELS]; /* read together */
static rask_string cities[10], states[6];
static char name_texts[11][9][16];
static rask_string names[11][9];

static void texts_init(void) {
    nexmark_texts_init();
    for (int i = 0; i < NEXMARK_CHANNELS; i++) {
        const nexmark_text *channel = &nexmark_text_tables.channels[i];
        const nexmark_text *url = &nexmark_text_tables.urls[i];
        channels[i].name = rask_string_of(channel->bytes, channel->len);
        channels[i].url = rask_string_of(url->bytes, url->len);
    }
    for (int i = 0; i < 10; i++) cities[i] = rask_string_from(nexmark_cities[i]);
    for (int i = 0; i < 6; i++) states[i] = rask_string_from(nexmark_states[i]);
    for (int i = 0; i < 11; i++) {
        for (int j = 0; j < 9; j++) {
            (void)snprintf(name_texts[i][j], sizeof name_texts[i][j], "%s %s",
                           nexmark_first_names[i], nexmark_last_names[j]);
            names[i][j] = rask_string_from(name_texts[i][j]);
        }
    }
}

static inline rask_string text_of(nexmark_slice slice) {
    return rask_string_of(nexmark_text_tables.pool + slice.offset, slice.len);
}

static inline void fill_bid(bid *b, uint64_t n, uint64_t r0) {
    nexmark_bid_numbers made = nexmark_make_bid(n, r0);
    b->auction = (int64_t)made.auction;
    b->bidder = (int64_t)made.bidder;
    b->price = (int64_t)made.price;
    b->channel = channels[made.channel].name;
    b->url = channels[made.channel].url;
    b->ts = (int64_t)made.ts;
    b->extra = text_of(made.extra);
}

static inline void fill_auction(auction *a, uint64_t n, uint64_t r0) {
    nexmark_auction_numbers made = nexmark_make_auction(n, r0);
    a->id = (int64_t)made.id;
    a->item_name = text_of(made.item_name);
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
    nexmark_person_numbers made = nexmark_make_person(n, r0);
    const char *pool = nexmark_text_tables.pool + made.email.offset;
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
    uint64_t seed, next, step, end;
} generator;
RASK_INSTANCE(generator);

RASK_SOURCE(events, generator, self, event, out) {
    uint64_t n = self->next, step = self->step, seed = self->seed;
    uint64_t stop = n + CALL_EVENTS * step;
    if (stop > self->end) stop = self->end;
    for (; n < stop; n += step) {
        event *e = rask_emit_slot(out);
        uint64_t r0 = nexmark_draw(seed, n);
        nexmark_kind kind = nexmark_kind_of(n);
        e->bid.present = kind == NEXMARK_BID;
        e->auction.count = kind == NEXMARK_AUCTION;
        e->person.count = kind == NEXMARK_PERSON;
        if (kind == NEXMARK_BID) {
            fill_bid(&e->bid.value, n, r0);
            e->ts = e->bid.value.ts;
        } else if (kind == NEXMARK_AUCTION) {
            auction *a = rask_alloc(sizeof *a);
            if (a == NULL) return rask_fail("no memory for an auction");
            fill_auction(a, n, r0);
            e->ts = a->ts;
            e->auction.items = a;
        } else {
            person *p = rask_alloc(sizeof *p);
            if (p == NULL) return rask_fail("no memory for a person");
            fill_person(p, n, r0);
            e->ts = p->ts;
            e->person.items = p;
        }
    }
    self->next = n;
    return n < self->end ? RASK_MORE : RASK_END;
}
/* Subtask i of P makes the events i, i + P, i + 2P, ... */
RASK_OPEN(events, self) {
    self->next = (uint64_t)rask_runtime()->subtask_index;
    self->step = (uint64_t)rask_runtime()->parallelism;
    return RASK_OK;
}

rask_stream(event) nexmark_events(rask_env *env, uint64_t count, uint64_t seed) {
    texts_init();
    return rask_source(env, events, .uid = "events", .bounded = true,
                       .self = RASK_SELF(generator, .seed = seed, .end = count));
}
