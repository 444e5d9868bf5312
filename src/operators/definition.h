/* definition.h - what a program says about one operator, beyond what the planner reads: functions,
 * types, keys. Transformations carry it as their payload, stream nodes and job vertices hand it on,
 * and a task builds the running operator from it. Made by src/api, immutable once a job runs.
 * Flink: StreamOperatorFactory, KeySelector, Partitioner. Threads: read by many. */
#ifndef RASKI_OPERATORS_DEFINITION_H
#define RASKI_OPERATORS_DEFINITION_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "operators/aggregate.h"
#include "rask/runtime.h"

typedef enum raski_operator_type {
    RASKI_OPERATOR_FUNCTION,  /* what fn->kind says */
    RASKI_OPERATOR_AGGREGATE, /* sum, min, ..., reduce */
} raski_operator_type;

/* How records are keyed: by fields, or by a selector function. Payload of raski_key_selector. */
typedef struct raski_key_definition {
    raski_key_spec fields;    /* where the key lies in the record, or in what selector gives */
    const raski_fn *selector; /* NULL: in the record itself */
} raski_key_definition;

/* Payload of a custom raski_partitioner. */
typedef struct raski_partition_definition {
    const raski_fn *fn;
    uint32_t key_offset; /* of the field handed to fn */
    uint32_t record_size;
} raski_partition_definition;

typedef struct raski_side_type {
    const char *tag; /* borrowed, static in practice */
    const rask_type *type;
} raski_side_type;

/* One input of an operator. */
typedef struct raski_input_definition {
    const rask_type *type;
    const raski_key_definition *key; /* NULL: not keyed. Borrowed from the program */
    raski_run *run;                  /* the function's loop; NULL where others say what runs */
} raski_input_definition;

typedef struct raski_operator_definition {
    raski_operator_type type;
    const struct raski_operator_ops *ops; /* NULL: type and fn->kind say which */
    void *detail;                         /* what these ops need to know; owned */
    void (*detail_destroy)(void *detail_take);
    const raski_fn *fn;              /* NULL for built-in aggregations */
    const rask_type *in, *in2, *out; /* NULL where there is none */
    const void *self; /* initial instance, fn->self->size bytes; NULL: zeroes. Owned */
    const raski_key_definition *key, *key2; /* keyed operators. Borrowed from the program */
    raski_input_definition *inputs; /* functions of any number of inputs: these; owned; else NULL */
    unsigned input_count;
    raski_aggregate_kind aggregate;
    rask_field field; /* of the aggregation */
    bool first_on_tie;
    bool bounded;            /* sources */
    unsigned splits_at_once; /* split sources: so many splits a reader reads together; 0: one */
    bool stamped;            /* output records carry timestamps (sinks: those of the input) */
    bool final_results;      /* batch mode: aggregations give one result per key, at the end */
    RASKI_VEC(raski_side_type) side_types; /* tags that somebody reads */
    const char *file;                      /* of the building call */
    int line;
} raski_operator_definition;

raski_operator_definition *raski_operator_definition_create(void);
void raski_operator_definition_destroy(raski_operator_definition *definition_take);
/* How many inputs it has, and the i-th. */
static inline unsigned raski_operator_definition_input_count(
    const raski_operator_definition *definition) {
    return definition->inputs != NULL ? definition->input_count : definition->in2 != NULL ? 2 : 1;
}
static inline raski_input_definition raski_operator_definition_input(
    const raski_operator_definition *definition, unsigned i) {
    const raski_fn *fn = definition->fn;
    if (definition->inputs != NULL) return definition->inputs[i];
    if (i > 0)
        return (raski_input_definition){definition->in2, definition->key2, fn ? fn->run2 : NULL};
    return (raski_input_definition){definition->in, definition->key, fn ? fn->run : NULL};
}
/* The record type behind a side-output tag, or NULL. */
const rask_type *raski_operator_definition_side_type(const raski_operator_definition *definition,
                                                     const char *tag);

/* The keys of n records, by a selector. When that fails (rask_fail), err says why and *ret_index at
 * which record (n: only when asked for all at once). */
RASKI_NODISCARD rask_status raski_select_keys(const raski_fn *selector, const void *records,
                                              size_t n, void *ret_keys, size_t *ret_index,
                                              raski_error *err);

/* Java hashes of the keys of n records (stride bytes apart). scratch has room for n keys of the
 * selector's type and is not touched without one. before: records that came before these, for the
 * message when the selector fails. */
RASKI_NODISCARD rask_status raski_key_definition_hashes(const raski_key_definition *key,
                                                        const void *records, size_t n,
                                                        size_t stride, void *scratch,
                                                        int64_t before, int32_t *ret_hashes,
                                                        raski_error *err);
#endif
