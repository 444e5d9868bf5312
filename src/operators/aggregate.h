/* aggregate.h - the built-in keyed aggregations: sum, min, max, minBy, maxBy, and the state of
 * reduce, on rows of a keyed table.
 *
 * Semantics are Flink's (StreamGroupedReduceOperator with SumAggregator or ComparableAggregator):
 * the first record of a key is stored and emitted as it is; each further one is combined with the
 * stored record and the result stored and emitted. sum, min and max change only their field, all
 * others stay those of the first record; minBy and maxBy take the whole record. Integers wrap at
 * the field's width; floats compare as Double.compareTo (NaN above all, -0.0 below 0.0), strings by
 * UTF-16 code units, booleans false below true.
 * Threads: one owner (the task's thread). */
#ifndef RASKI_OPERATORS_AGGREGATE_H
#define RASKI_OPERATORS_AGGREGATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "rask/types.h"
#include "state/keyed_table.h"

typedef enum raski_aggregate_kind {
    RASKI_AGGREGATE_SUM,
    RASKI_AGGREGATE_MIN,
    RASKI_AGGREGATE_MAX,
    RASKI_AGGREGATE_MIN_BY,
    RASKI_AGGREGATE_MAX_BY,
    RASKI_AGGREGATE_REDUCE,
} raski_aggregate_kind;

/* One batch of a user's reduce: record i of in is combined with the record states[i] points to and
 * the result written there; if out is not NULL also to out + i * record size. States may repeat:
 * go in order. Bit i of `first` (records 0..63) says that states[i] has no record yet: take in[i].
 * Strings of results may borrow from the input, the old state and the batch arena. */
typedef void raski_reduce_run(void *function, const void *in, size_t n, char *const *states,
                              uint64_t first, void *out);

typedef struct raski_aggregate_options {
    raski_aggregate_kind kind;
    const rask_type *record;   /* borrowed; in and out */
    const raski_key_spec *key; /* copied; where the key lies in a record, or with key_apart in a
                                  separate key value (of a user's key selector). NULL: there is no
                                  table, the aggregation is for raski_aggregate_fold only */
    bool key_apart;
    uint32_t field_offset;    /* of the aggregated field; not for REDUCE */
    const rask_type *field;   /* its type; borrowed */
    bool first;               /* MIN_BY, MAX_BY: of equals the first stays (Flink's default) */
    raski_reduce_run *reduce; /* REDUCE */
    void *function;           /* handed to reduce; borrowed */
    size_t bytes_max;         /* of state; 0: no limit */
    /* What the state backend decides of the table (raski_keyed_backend_apply): name, limit, store.
     * Borrowed, but for the store, which is taken also on failure. NULL: all state in memory */
    const raski_keyed_table_options *backend;
} raski_aggregate_options;

typedef struct raski_aggregate raski_aggregate;

/* Errors carry Flink's exception where Flink has one: summing a field that has no sum, comparing
 * one that is not comparable. */
RASKI_NODISCARD rask_status raski_aggregate_create(const raski_aggregate_options *options,
                                                   raski_aggregate **ret_aggregate,
                                                   raski_error *err);
void raski_aggregate_destroy(raski_aggregate *aggregate_take_or_null);

/* Streaming: n records in, n results out (out overlaps neither in nor the state; any n). keys are
 * key_size bytes apart: in and the record size, or with key_apart an array of key values. Long
 * strings of the results belong to the state (good until raski_aggregate_end_batch), or to whatever
 * the input and the user's reduce borrow. RASK_E_NOMEM: the job must fail; blocks of records before
 * the failing one are counted. */
RASKI_NODISCARD rask_status raski_aggregate_process(raski_aggregate *aggregate, const void *keys,
                                                    size_t key_size, const void *in, size_t n,
                                                    void *out, raski_error *err);
/* The results of all calls of process so far were handed on and nothing borrows from them any more:
 * frees what the state replaced meanwhile. */
void raski_aggregate_end_batch(raski_aggregate *aggregate);
/* Batch: the same as process without results, and with the end of the batch. */
RASKI_NODISCARD rask_status raski_aggregate_accumulate(raski_aggregate *aggregate, const void *keys,
                                                       size_t key_size, const void *in, size_t n,
                                                       raski_error *err);
/* Batch, at the end of input: emits the final record of each key, count records at a time (they lie
 * `record` size apart in a buffer that is good during the call). A status other than RASK_OK from
 * emit ends it and is returned. Order of keys: that of Flink's batch mode, by their serialised
 * bytes compared as signed bytes. */
typedef rask_status raski_aggregate_emit(void *ctx, const void *records, size_t count,
                                         raski_error *err);
RASKI_NODISCARD rask_status raski_aggregate_finish(raski_aggregate *aggregate,
                                                   raski_aggregate_emit *emit, void *ctx,
                                                   raski_error *err);

/* Combines two records in memory of the caller's, by any kind but REDUCE: stored becomes the
 * result, whose strings are those of one of both. */
void raski_aggregate_fold(const raski_aggregate *aggregate, void *stored, const void *in);
/* Whether that never writes a string. */
bool raski_aggregate_folds_in_place(const raski_aggregate *aggregate);

/* The state, for snapshots and metrics. Borrowed. */
raski_keyed_table *raski_aggregate_table(raski_aggregate *aggregate);
#endif
