/* keyed_table.h - the keyed state of one operator subtask, on the heap.
 *
 * One table per keyed operator and subtask. A key has one row that holds all value states of the
 * operator, so that one probe reaches all of them:
 *
 *     row = { uint32_t present; key parts; state 0; state 1; ... }   each at its alignment
 *
 * `present` has a bit for each state that has a value (Flink: value() is not null); a row whose
 * bits are all zero is a key without state and is removed by raski_keyed_table_sweep. Rows are
 * zeroed when they are made and never move: a pointer to one is good until the row is removed.
 *
 * Rows are dense, in the order in which their keys came first; a separate index of 32-bit entries
 * maps hashes to rows. A lookup takes a block of records, hashes all, fetches all index lines, then
 * all rows, so that the cache misses of a block overlap. Key groups are computed when a snapshot
 * asks for them. Flink: HeapKeyedStateBackend, CopyOnWriteStateMap.
 *
 * Threads: one owner (the task's thread). */
#ifndef RASKI_STATE_KEYED_TABLE_H
#define RASKI_STATE_KEYED_TABLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "rask/types.h"
#include "types/java_hash.h"

enum {
    RASKI_KEY_PARTS_MAX = 16,
    RASKI_STATES_MAX = 31, /* bit 31 of `present` marks rows that wait for reuse */
    RASKI_LOOKUP_MAX = 64, /* records of one lookup */
};

/* Where the parts of the key lie in a record: one part for keyBy(field), several for
 * keyBy(field, field), a part of kind RECORD for a struct. Kinds that Flink does not accept as keys
 * (bytes, arrays) are refused at creation. Equality is that of Java's equals: all NaN are one key,
 * -0.0 and 0.0 are two. Padding is never read. */
typedef struct raski_key_spec {
    uint32_t part_count;
    raski_key_field parts[RASKI_KEY_PARTS_MAX]; /* types are borrowed for the table's life */
} raski_key_spec;

/* One value state of the operator. */
typedef struct raski_state_spec {
    const char *name;      /* borrowed */
    const rask_type *type; /* borrowed; NULL: opaque bytes without pointers */
    uint32_t size, align;  /* bytes; 0: those of type */
} raski_state_spec;

typedef struct raski_keyed_table_options {
    const raski_key_spec *key; /* copied */
    const raski_state_spec *states;
    size_t state_count; /* 1..RASKI_STATES_MAX */
    /* State 0 holds a record of the input with the key in it, at the places that `key` names: rows
     * then hold no copy of the key of their own. Only the table writes these bytes: whoever stores
     * a record keeps the row's key parts (raski_keyed_table_store does). */
    bool key_in_state;
    /* Rows are never removed and the only state always has a value: rows have no `present` word,
     * and ret_inserted of a lookup tells which rows are new. Needs state_count == 1. */
    bool permanent;
    size_t bytes_max; /* RASK_E_NOMEM beyond this; 0: no limit */
} raski_keyed_table_options;

typedef struct raski_keyed_table raski_keyed_table;

/* An empty table. RASK_E_ARGUMENT: a key or state that cannot be (says which); RASK_E_NOMEM. */
RASKI_NODISCARD rask_status raski_keyed_table_create(const raski_keyed_table_options *options,
                                                     raski_keyed_table **ret_table,
                                                     raski_error *err);
/* Frees rows, long strings and lists of keys and states, and the table. */
void raski_keyed_table_destroy(raski_keyed_table *table_take_or_null);

/* ---- layout (constant after creation) */
uint32_t raski_keyed_table_row_size(const raski_keyed_table *table);
uint32_t raski_keyed_table_state_offset(const raski_keyed_table *table, size_t state);
/* The parts of the key as they lie in a row. Borrowed. */
const raski_key_spec *raski_keyed_table_key_in_row(const raski_keyed_table *table);

static inline bool raski_row_has(const char *row, unsigned state) {
    return (*(const uint32_t *)(const void *)row >> state & 1U) != 0;
}
static inline void raski_row_set(char *row, unsigned state) {
    *(uint32_t *)(void *)row |= UINT32_C(1) << state;
}

/* ---- access */
/* Finds or makes the rows of n (at most RASKI_LOOKUP_MAX) records, record_size bytes apart.
 * spec says where these records have the key: the table's own, or for a second input one with the
 * same types and other offsets. Long strings of new keys are copied. ret_rows gets n pointers;
 * bit i of *ret_inserted (may be NULL) is set when record i made its row.
 * RASK_E_NOMEM: nothing is lost, rows made so far stay (without state). */
RASKI_NODISCARD rask_status raski_keyed_table_lookup(raski_keyed_table *table,
                                                     const raski_key_spec *spec,
                                                     const void *records, size_t record_size,
                                                     size_t n, char **ret_rows,
                                                     uint64_t *ret_inserted, raski_error *err);
/* The row of one record's key, or NULL; makes nothing. */
char *raski_keyed_table_find(raski_keyed_table *table, const raski_key_spec *spec,
                             const void *record);

/* Copies a value into a state and sets its bit: long strings and lists are copied into memory of
 * the table, those that were there are freed by the next raski_keyed_table_end_batch (records that
 * were emitted meanwhile may borrow them). Key parts inside the state are kept. Where the state's
 * type has no pointers this is a memcpy. value may lie in the row itself. RASK_E_NOMEM: the state
 * is as before. */
RASKI_NODISCARD rask_status raski_keyed_table_store(raski_keyed_table *table, char *row,
                                                    unsigned state, const void *value,
                                                    raski_error *err);
/* Removes the value of a state: zeroes it, clears its bit, frees what it owned at the end of the
 * batch. Not for permanent tables. */
RASKI_NODISCARD rask_status raski_keyed_table_clear(raski_keyed_table *table, char *row,
                                                    unsigned state, raski_error *err);

/* User code writes states in place. For a state whose type has pointers, call this before it does
 * (any number of times per batch): the table remembers what the row owned, and
 * raski_keyed_table_adopt copies what the user's code put in its place. A no-op otherwise. */
RASKI_NODISCARD rask_status raski_keyed_table_track(raski_keyed_table *table, char *row,
                                                    unsigned state, raski_error *err);
/* After user code ran: tracked states take copies of all strings and lists they borrow (from the
 * input, from a batch arena, from other rows). What they owned before is freed at the end of the
 * batch. RASK_E_NOMEM: states not yet adopted fall back to their value before the batch. */
RASKI_NODISCARD rask_status raski_keyed_table_adopt(raski_keyed_table *table, raski_error *err);
/* The batch was handed on and nothing borrows from it any more: frees what was replaced. */
void raski_keyed_table_end_batch(raski_keyed_table *table);
/* Removes those of the n rows (as lookup gave them; repeats are fine) that have no state left.
 * After adopt. Not for permanent tables. */
void raski_keyed_table_sweep(raski_keyed_table *table, char *const *rows, size_t n);

/* ---- all rows */
size_t raski_keyed_table_count(const raski_keyed_table *table);      /* keys */
size_t raski_keyed_table_bytes_used(const raski_keyed_table *table); /* allocated for rows, index,
                                                                        copied strings */
/* Iterates over all rows in the order of their making (rows of removed keys are reused): start with
 * *position = 0; NULL at the end. The table must not be changed meanwhile, but for storing. */
char *raski_keyed_table_next(const raski_keyed_table *table, size_t *position);

/* The rows grouped by key group, inside a group in the order of iteration. */
typedef struct raski_key_groups {
    char **rows;    /* owned */
    size_t *starts; /* owned; group g has rows starts[g] .. starts[g + 1] - 1 */
    uint32_t group_count;
} raski_key_groups;
/* max_parallelism in 1..32768. Two passes over the rows (counting sort). RASK_E_NOMEM. */
RASKI_NODISCARD rask_status raski_keyed_table_key_groups(const raski_keyed_table *table,
                                                         uint32_t max_parallelism,
                                                         raski_key_groups *ret_groups,
                                                         raski_error *err);
void raski_key_groups_fini(raski_key_groups *groups);
/* Key group of one row. */
uint32_t raski_keyed_table_key_group(const raski_keyed_table *table, const char *row,
                                     uint32_t max_parallelism);
#endif
