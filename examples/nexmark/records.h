/* records.h - what happens at the auction site: the records that all queries read. */
#ifndef NEXMARK_RECORDS_H
#define NEXMARK_RECORDS_H
#include <rask/rask.h>

typedef struct {
    int64_t id;
    rask_string name, email, card, city, state;
    rask_timestamp ts;
    rask_string extra;
} person;
RASK_TYPE(person, id, name, email, card, city, state, (ts, rask_timestamp), extra);

typedef struct {
    int64_t id;
    rask_string item_name, description;
    int64_t initial_bid, reserve;
    rask_timestamp ts, expires;
    int64_t seller, category;
    rask_string extra;
} auction;
RASK_TYPE(auction, id, item_name, description, initial_bid, reserve, (ts, rask_timestamp),
          (expires, rask_timestamp), seller, category, extra);

typedef struct {
    int64_t auction, bidder, price;
    rask_timestamp ts;
    rask_string channel, url, extra;
} bid;
RASK_TYPE(bid, auction, bidder, price, (ts, rask_timestamp), channel, url, extra);

/* One of the three. Bids are 46 of 50; the others are lists of at most one item, so that an event
 * is no larger than a bid needs: most of the work of a generator is to write its records. */
typedef struct {
    rask_timestamp ts;
    rask_optional(bid) bid;
    rask_list(auction) auction;
    rask_list(person) person;
} event;
RASK_TYPE(event, (ts, rask_timestamp), (bid, rask_optional(bid)), (auction, rask_list(auction)),
          (person, rask_list(person)));

/* A bid without its texts: what is kept and sent to other subtasks where nothing else is needed. */
typedef struct {
    int64_t auction, bidder, price;
    rask_timestamp ts;
} offer;
RASK_TYPE(offer, auction, bidder, price, (ts, rask_timestamp));

/* A result that is taken back (sign -1) or holds from now on (sign +1): a line of a change log. */
typedef struct {
    int64_t sign;
    offer offer;
} offer_change;
RASK_TYPE(offer_change, sign, (offer, offer));
#endif
