/* The records that a program gives, in their order, by one reader. Flink: env.fromData. */
#include <stdlib.h>
#include <string.h>

#include "connectors/connectors.h"
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

static rask_status enumerate(void *self, raski_splits *splits) {
    (void)self;
    if (raski_add_split(splits, "", 0) != RASK_OK) return rask_fail("no memory for a split");
    return RASK_OK;
}

static rask_status add_split(void *self_p, rask_bytes split) {
    (void)split;
    ((values *)self_p)->next = 0;
    return RASK_OK;
}

static const raski_hook enumerate_hook = {.enumerate = enumerate};
static const raski_hook add_split_hook = {.add_split = add_split};

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
                       .add_split = &add_split_hook};
    return (raski_connector){.fn = &m->fn, .self = &m->initial, .memory = m, .destroy = destroy};
}
