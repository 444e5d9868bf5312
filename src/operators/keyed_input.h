/* keyed_input.h - the keys of the records of a keyed operator's inputs, and the rows of a keyed
 * table that a batch leaves without state. Threads: the task's. Flink: AbstractStreamOperator's
 * setKeyContextElement. */
#ifndef RASKI_OPERATORS_KEYED_INPUT_H
#define RASKI_OPERATORS_KEYED_INPUT_H
#include "operators/operator.h"
#include "state/keyed_table.h"
#include "types/key_group.h"

/* The keys of all inputs of one operator. */
typedef struct raski_keyed_input {
    void **keys; /* what the selectors give, per input; NULL without selector; owned */
    unsigned input_count;
    raski_key_group_range range;
    uint32_t next_checked; /* record of a block whose key group is checked */
} raski_keyed_input;

/* The operator's definition has the keys. RASK_E_NOMEM. */
RASKI_NODISCARD rask_status raski_keyed_input_init(raski_keyed_input *input, raski_operator *op,
                                                   raski_error *err);
void raski_keyed_input_fini(raski_keyed_input *input);

/* Where the keys of a block of records are: in the records themselves, or in what a selector gave.
 */
typedef struct raski_keys {
    const raski_key_spec *spec; /* borrowed: places in one of them */
    const char *first;          /* the first; borrowed until the next call */
    size_t stride;              /* bytes from one to the next */
} raski_keys;
/* The keys of n <= RASKI_LOOKUP_MAX records of an input. Checks that they belong to this subtask
 * (one of the block; all in debug builds: records are routed by the same code that is checked here,
 * so a fault does not hide for long, and checking each would cost a third of a keyed count).
 * Errors: a selector's failure (op->ctx.i: at which record), a key of another subtask. */
RASKI_NODISCARD rask_status raski_keyed_input_keys(raski_keyed_input *input, raski_operator *op,
                                                   unsigned number, const void *records, size_t n,
                                                   raski_keys *ret_keys, raski_error *err);
/* The same, and the rows of the keys: raski_keyed_table_lookup. */
RASKI_NODISCARD rask_status raski_keyed_input_lookup(raski_keyed_input *input, raski_operator *op,
                                                     unsigned number, const void *records, size_t n,
                                                     raski_keyed_table *table, char **ret_rows,
                                                     uint64_t *ret_inserted, raski_error *err);

/* The lowest n of 64 bits; n <= 64. */
static inline uint64_t raski_first_bits(size_t n) {
    return n == 0 ? 0 : UINT64_MAX >> (64 - n);
}

/* Rows of a batch whose key was left without state. They are removed when the batch was handed on:
 * emitted records may borrow the strings of their keys. All zero: none. */
typedef struct raski_empty_rows {
    char **rows;
    size_t count, capacity;
} raski_empty_rows;
/* Notes those of rows that have no state; candidates: a bit for each that may have none. */
RASKI_NODISCARD rask_status raski_empty_rows_note(raski_empty_rows *empty, char *const *rows,
                                                  uint64_t candidates, raski_error *err);
/* The batch was handed on, nothing borrows from what it replaced or removed: sweeps what was noted,
 * and ends the table's batch. */
void raski_empty_rows_end_batch(raski_empty_rows *empty, raski_keyed_table *table);
void raski_empty_rows_fini(raski_empty_rows *empty);
#endif
