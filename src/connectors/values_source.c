/* The records that a program gives, in their order, by one reader. Flink: env.fromData. */
#include <stdlib.h>
#include <string.h>

#include "connectors/connectors.h"
#include "connectors/little_endian.h"
#include "connectors/record_copy.h"
#include "rask/function.h"

typedef struct values {
    const char *records;      /* of the connector */
    size_t count, next, size; /* size: of a record, bytes */
} values;

static const raski_states values_states = {"values", sizeof(values), NULL, 0};

static rask_status next(void *self_p, rask_ctx *ctx, size_t *ret_n) {
    values *self = self_p;
    size_t n = self->count - self->next;
    if (n > ctx->cap) n = ctx->cap;
    if (n > 0) memcpy(ctx->buf, self->records + self->next * self->size, n * self->size);
    self->next += n;
    *ret_n = n;
    return self->next == self->count ? RASK_END : RASK_MORE;
}

/* As a split and as the position in it: version, index of the next record; little-endian. */
enum { SPLIT_VERSION = 1, SPLIT_BYTES = 4 + 8 };

static void encode(uint64_t index, char *ret_bytes) {
    (void)raski_put(raski_put(ret_bytes, SPLIT_VERSION, 4), index, 8);
}

static rask_status enumerate(void *self, raski_splits *splits) {
    (void)self;
    char bytes[SPLIT_BYTES];
    encode(0, bytes);
    if (raski_add_split(splits, bytes, sizeof bytes) != RASK_OK)
        return rask_fail("no memory for a split");
    return RASK_OK;
}

static rask_status add_split(void *self_p, rask_bytes split) {
    values *self = self_p;
    const unsigned char *p = (const unsigned char *)rask_bytes_data(&split);
    if (split.len != SPLIT_BYTES || raski_get(&p, 4) != SPLIT_VERSION)
        return rask_fail("%u bytes came that are no place among values, of version %d", split.len,
                         SPLIT_VERSION);
    uint64_t index = raski_get(&p, 8);
    if (index > self->count)
        return rask_fail(
            "reading was to go on at record %llu, but the program gives %zu: it is not "
            "the program that was stopped",
            (unsigned long long)index + 1, self->count);
    self->next = (size_t)index;
    return RASK_OK;
}

static rask_status position(void *self, rask_text *text) {
    char bytes[SPLIT_BYTES];
    encode(((values *)self)->next, bytes);
    if (rask_text_append(text, bytes, sizeof bytes) == RASK_OK) return RASK_OK;
    return rask_fail("no memory for the place among values");
}

static const raski_hook enumerate_hook = {.enumerate = enumerate};
static const raski_hook add_split_hook = {.add_split = add_split};
static const raski_hook position_hook = {.position = position};

typedef struct memory {
    raski_fn fn;
    values initial;
    void *records; /* owned */
} memory;

static void destroy(raski_connector *connector) {
    memory *m = connector->memory;
    free(m->records);
    free(m);
}

raski_connector raski_values_source(const rask_type *type, const void *records, size_t n) {
    memory *m = calloc(1, sizeof *m);
    if (m == NULL) return (raski_connector){0};
    m->records = raski_records_copy(type, records, n);
    if (m->records == NULL) {
        free(m);
        return (raski_connector){0};
    }
    m->initial = (values){.records = m->records, .count = n, .size = type->size};
    m->fn = (raski_fn){.abi = RASKI_FN_ABI,
                       .size = sizeof(raski_fn),
                       .kind = RASKI_FN_SPLIT_SOURCE,
                       .name = "values",
                       .file = __FILE__,
                       .line = __LINE__,
                       .out = type,
                       .next = next,
                       .self = &values_states,
                       .enumerate = &enumerate_hook,
                       .add_split = &add_split_hook,
                       .position = &position_hook};
    return (raski_connector){.fn = &m->fn, .self = &m->initial, .memory = m, .destroy = destroy};
}
