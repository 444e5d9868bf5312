/* joins.c - two keyed inputs that wait for each other, for ever: q3 and q20. What came of one side
 * stays in the state of its key until the other side comes. */
#include "nexmark.h"

/* ---------------------------------------------------------------- q3
 * Who sells in category 10 and lives in OR, ID or CA? */
typedef struct {
    int64_t id;
    rask_string name, city, state;
} resident;
RASK_TYPE(resident, id, name, city, state);

typedef struct {
    int64_t seller, auction;
} sale;
RASK_TYPE(sale, seller, auction);

typedef struct {
    rask_string name, city, state;
    int64_t auction;
} local_sale;
RASK_TYPE(local_sale, name, city, state, auction);

NEXMARK_RESULT(local_sale, r, line) {
    nexmark_put_text(line, r->name);
    nexmark_put_text(line, r->city);
    nexmark_put_text(line, r->state);
    nexmark_put(line, r->auction);
    return 1;
}

RASK_FLAT_MAP(residents, event, e, resident, out) {
    if (e.person.count == 0) return;
    const person *p = &e.person.items[0];
    if (rask_string_is(p->state, "OR") || rask_string_is(p->state, "ID") ||
        rask_string_is(p->state, "CA"))
        rask_emit(out, (resident){p->id, p->name, p->city, p->state});
}

RASK_FLAT_MAP(sales, event, e, sale, out) {
    if (e.auction.count > 0 && e.auction.items[0].category == 10)
        rask_emit(out, (sale){e.auction.items[0].seller, e.auction.items[0].id});
}

typedef struct {
    rask_value(resident) seller;
    rask_list_state(int64_t) waiting; /* auctions of a seller who has not come yet */
} local_sales_state;
RASK_STATE(local_sales_state, (seller, resident), waiting);

RASK_KEYED_CO_PROCESS(find_local_sales, local_sales_state, self, resident, p, sale, local_sale,
                      out) {
    rask_set(self->seller, p);
    const int64_t *auctions = rask_list_items(self->waiting);
    for (uint32_t i = 0, n = rask_list_count(self->waiting); i < n; i++)
        rask_emit(out, (local_sale){p.name, p.city, p.state, auctions[i]});
    rask_clear(self->waiting);
}
RASK_ON_SECOND(find_local_sales, self, s, out) {
    const resident *p = rask_get(self->seller);
    if (p != NULL)
        rask_emit(out, (local_sale){p->name, p->city, p->state, s.auction});
    else
        rask_list_add(self->waiting, s.auction);
}

void query_q3(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_keyed(resident) by_id = rask_key_by(rask_flat_map(in, residents), id);
    rask_keyed(sale) by_seller = rask_key_by(rask_flat_map(in, sales), seller);
    nexmark_finish(rask_connect(by_id, by_seller, find_local_sales, .uid = "local-sales"),
                   local_sale);
}

/* ---------------------------------------------------------------- q20
 * Bids with the item that they are for, of category 10. */
typedef struct {
    int64_t auction, seller, category;
    rask_string name; /* of items of category 10 */
} item;
RASK_TYPE(item, auction, seller, category, name);

typedef struct {
    offer offer;
    item item;
} bid_on_item;
RASK_TYPE(bid_on_item, (offer, offer), (item, item));

NEXMARK_RESULT(bid_on_item, r, line) {
    nexmark_put(line, r->offer.auction);
    nexmark_put(line, r->offer.bidder);
    nexmark_put(line, r->offer.price);
    nexmark_put(line, r->offer.ts);
    nexmark_put_text(line, r->item.name);
    nexmark_put(line, r->item.seller);
    nexmark_put(line, r->item.category);
    return 1;
}

RASK_FLAT_MAP(items, event, e, item, out) {
    if (e.auction.count == 0) return;
    const auction *a = &e.auction.items[0];
    rask_emit(out, (item){a->id, a->seller, a->category,
                          a->category == 10 ? a->item_name : rask_string_from("")});
}

typedef struct {
    rask_value(item) item;
    rask_list_state(offer) early; /* bids that came before the auction */
} bids_on_items_state;
RASK_STATE(bids_on_items_state, (item, item), (early, offer));

RASK_KEYED_CO_PROCESS(find_bids_on_items, bids_on_items_state, self, offer, o, item, bid_on_item,
                      out) {
    const item *i = rask_get(self->item);
    if (i == NULL)
        rask_list_add(self->early, o);
    else if (i->category == 10)
        rask_emit(out, (bid_on_item){o, *i});
}
RASK_ON_SECOND(find_bids_on_items, self, i, out) {
    rask_set(self->item, i);
    const offer *early = rask_list_items(self->early);
    for (uint32_t k = 0, n = rask_list_count(self->early); k < n && i.category == 10; k++)
        rask_emit(out, (bid_on_item){early[k], i});
    rask_clear(self->early);
}

void query_q20(rask_env *env, rask_stream(event) in) {
    (void)env;
    rask_keyed(offer) by_auction = rask_key_by(rask_flat_map(in, offers), auction);
    rask_keyed(item) by_id = rask_key_by(rask_flat_map(in, items), auction);
    nexmark_finish(rask_connect(by_auction, by_id, find_bids_on_items, .uid = "bids-on-items"),
                   bid_on_item);
}
