/* keyed_table.h - the keyed state of one operator subtask.
 *
 * One table per keyed operator and subtask. A key has one row that holds all states of the
 * operator, so that one probe reaches all of them:
 *
 *     row = { uint32_t present; key parts; state 0; state 1; ...; hidden words }
 *
 * each at its alignment. `present` has a bit for each state that has a value (Flink: value() is not
 * null; a list or map that is not empty); a row whose bits are all zero is a key without state and
 * is removed by raski_keyed_table_sweep. Rows are zeroed when they are made and never move: a
 * pointer to one is good until the row is removed. Where the table has a store behind it (the
 * rocksdb backend: options.store), rows are a cache of what is stored, and a pointer is good until
 * raski_keyed_table_end_batch only, unless the row is pinned.
 *
 * A key may end in a namespace (the last options.namespace_parts parts: a window's start and end):
 * each (key, namespace) has a row of its own; key groups come from the leading parts alone.
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
#include "rask/runtime.h"
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

typedef enum raski_state_kind {
    RASKI_STATE_VALUE, /* lies in the row */
    RASKI_STATE_LIST,  /* a raski_state_slot in the row, items elsewhere */
    RASKI_STATE_MAP,   /* a raski_state_slot in the row, entries elsewhere, in order of insertion */
} raski_state_kind;

/* One state of the operator. */
typedef struct raski_state_spec {
    const char *name; /* borrowed */
    /* Of the value, of a list's items, of a map's values; borrowed. NULL: opaque bytes without
     * pointers */
    const rask_type *type;
    uint32_t size, align; /* bytes; 0: those of type */
    raski_state_kind kind;
    const rask_type *map_key; /* MAP: of its keys; may be what a key may be */
    rask_ttl ttl;             /* time_ms 0: none */
} raski_state_spec;

/* What a row has of a list or map. */
typedef struct raski_state_slot {
    void *memory;   /* LIST: the items, one behind the other (NULL: not loaded, with a store) */
    uint32_t count; /* items, entries; 0: the state is not present */
    uint32_t capacity;
} raski_state_slot;

typedef struct raski_memory_limit raski_memory_limit; /* memory_limit.h */
typedef struct raski_state_store raski_state_store;   /* state_store.h */

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
    /* The last parts of the key that are no part of Flink's key: hashed and compared as the others,
     * left out of the key group. */
    uint32_t namespace_parts;
    uint32_t max_parallelism;  /* number of key groups; only a store wants to know */
    bool timers;               /* rows count their timers: raski_keyed_table_pin */
    const char *name;          /* of the operator, for messages; borrowed; NULL: nameless */
    raski_memory_limit *limit; /* borrowed; shared by many tables; NULL: none */
    raski_state_store *store;  /* taken, also on failure; NULL: all state is in memory */
    size_t cache_bytes;        /* with a store: rows, lists and maps in memory at most, about */
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
/* The batch was handed on and nothing borrows from it any more: frees what was replaced. With a
 * store, rows beyond the size of the cache are written and leave memory; when that fails they stay,
 * and the next lookup says why. */
void raski_keyed_table_end_batch(raski_keyed_table *table);
/* Removes those of the n rows (as lookup gave them; repeats are fine) that have no state and no
 * timers left. After adopt. Not for permanent tables. */
void raski_keyed_table_sweep(raski_keyed_table *table, char *const *rows, size_t n);

/* Removes all rows, whatever state and timers they have, with all that they own, at the end of a
 * batch: nothing borrows from them. Rows that lookup gave are gone. Not for tables with a store. */
void raski_keyed_table_remove_all(raski_keyed_table *table);

/* ---- timers (options.timers): a row with timers stays, whatever state it has. Whoever unpins a
 * row for the last time hands it to raski_keyed_table_sweep afterwards. */
void raski_keyed_table_pin(raski_keyed_table *table, char *row);
void raski_keyed_table_unpin(raski_keyed_table *table, char *row);
uint32_t raski_keyed_table_pins(const raski_keyed_table *table, const char *row);

/* ---- lists. Items are copied with all they point to; what was removed or replaced is freed by
 * raski_keyed_table_end_batch, and nobody sees it change before: a view stays as it was. */
typedef struct raski_list_view {
    const void *items; /* one behind the other; NULL when there are none */
    uint32_t count;
} raski_list_view;
/* The items; good until the end of the batch. With TTL those that have not expired. Errors: the
 * store's. */
RASKI_NODISCARD rask_status raski_keyed_table_list(raski_keyed_table *table, char *row,
                                                   unsigned state, raski_list_view *ret_view,
                                                   raski_error *err);
/* Appends count items. RASK_E_NOMEM: the list is as before. items may lie in a list of this table.
 */
RASKI_NODISCARD rask_status raski_keyed_table_list_add(raski_keyed_table *table, char *row,
                                                       unsigned state, const void *items,
                                                       uint32_t count, raski_error *err);
/* The list becomes these items (count 0: clear). RASK_E_NOMEM: the list is as before. */
RASKI_NODISCARD rask_status raski_keyed_table_list_replace(raski_keyed_table *table, char *row,
                                                           unsigned state, const void *items,
                                                           uint32_t count, raski_error *err);
/* Removes items from .. from + count - 1 (they must exist). RASK_E_NOMEM: the list is as before. */
RASKI_NODISCARD rask_status raski_keyed_table_list_remove(raski_keyed_table *table, char *row,
                                                          unsigned state, uint32_t from,
                                                          uint32_t count, raski_error *err);
/* Moves all items of one row's list to the end of another's (Flink: mergeNamespaces): nothing that
 * they point to is copied. */
RASKI_NODISCARD rask_status raski_keyed_table_list_move(raski_keyed_table *table, char *from_row,
                                                        char *to_row, unsigned state,
                                                        raski_error *err);

/* ---- maps. Keys and values are copied with all they point to; what was removed or replaced is
 * freed by raski_keyed_table_end_batch. Pointers to values are good until raski_keyed_table_adopt
 * or the end of the batch. With TTL, entries that have expired count as absent. */
/* The value of a key, or NULL. */
RASKI_NODISCARD rask_status raski_keyed_table_map_get(raski_keyed_table *table, char *row,
                                                      unsigned state, const void *key,
                                                      const void **ret_value, raski_error *err);
/* The value of a key to be changed in place; zeroed when it is new. Where the value's type has
 * pointers they may borrow until raski_keyed_table_adopt copies them. */
RASKI_NODISCARD rask_status raski_keyed_table_map_ref(raski_keyed_table *table, char *row,
                                                      unsigned state, const void *key,
                                                      void **ret_value, bool *ret_new,
                                                      raski_error *err);
/* RASK_E_NOMEM: the map is as before. */
RASKI_NODISCARD rask_status raski_keyed_table_map_put(raski_keyed_table *table, char *row,
                                                      unsigned state, const void *key,
                                                      const void *value, raski_error *err);
/* An absent key is fine: *ret_removed (may be NULL) says whether it was there. */
RASKI_NODISCARD rask_status raski_keyed_table_map_remove(raski_keyed_table *table, char *row,
                                                         unsigned state, const void *key,
                                                         bool *ret_removed, raski_error *err);
/* Iterates in the order of insertion: start with *position = 0; *ret_key is NULL at the end. The
 * entry last given may be removed meanwhile; entries that are put meanwhile may come, too. */
RASKI_NODISCARD rask_status raski_keyed_table_map_next(raski_keyed_table *table, char *row,
                                                       unsigned state, uint32_t *position,
                                                       const void **ret_key, const void **ret_value,
                                                       raski_error *err);

/* Items of a list, entries of a map (expired ones count until they are removed). Always known. */
static inline uint32_t raski_row_count(const char *row, uint32_t state_offset) {
    return ((const raski_state_slot *)(const void *)(row + state_offset))->count;
}

/* ---- time-to-live. The processing time of what follows, in ms: set before each block. */
void raski_keyed_table_set_now(raski_keyed_table *table, int64_t now_ms);
/* A value state with TTL as its reader sees it: NULL when it is absent or has expired (it is
 * cleared then). Stamps it as its options say. Good until the end of the batch. */
RASKI_NODISCARD rask_status raski_keyed_table_read(raski_keyed_table *table, char *row,
                                                   unsigned state, const void **ret_value,
                                                   raski_error *err);
/* Before a value state with TTL is written in place or its old value is used for that: clears it
 * when it has expired, and stamps it. Call raski_keyed_table_track and raski_row_set as ever. */
RASKI_NODISCARD rask_status raski_keyed_table_touch(raski_keyed_table *table, char *row,
                                                    unsigned state, raski_error *err);

/* ---- all rows */
/* A walk over all rows with state, also those that are only in the store, a block at a time.
 * Between blocks states of the rows that were given may change (adopt, sweep and end_batch are the
 * caller's business; with a store everything comes into memory unless batches end), and rows may be
 * made, which the walk may or may not meet. Order: that of making without a store, some other but
 * the same each time with one. */
typedef struct raski_keyed_walk raski_keyed_walk;
RASKI_NODISCARD rask_status raski_keyed_walk_begin(raski_keyed_table *table,
                                                   raski_keyed_walk **ret_walk, raski_error *err);
/* ret_rows has room for RASKI_LOOKUP_MAX; *ret_n is 0 at the end. */
RASKI_NODISCARD rask_status raski_keyed_walk_next(raski_keyed_walk *walk, char **ret_rows,
                                                  size_t *ret_n, raski_error *err);
void raski_keyed_walk_end(raski_keyed_walk *walk_take); /* NULL is fine */
/* The same as a call for each block; a status other than RASK_OK ends it and is returned. */
typedef rask_status raski_keyed_table_visitor(void *ctx, char *const *rows, size_t n,
                                              raski_error *err);
RASKI_NODISCARD rask_status raski_keyed_table_visit(raski_keyed_table *table,
                                                    raski_keyed_table_visitor *visit, void *ctx,
                                                    raski_error *err);
bool raski_keyed_table_has_store(const raski_keyed_table *table);
bool raski_keyed_table_has_ttl(const raski_keyed_table *table, size_t state);
/* With a store: writes all that changed to it. A no-op without. */
RASKI_NODISCARD rask_status raski_keyed_table_flush(raski_keyed_table *table, raski_error *err);
size_t raski_keyed_table_count(const raski_keyed_table *table); /* rows in memory: all, without a
                                                                   store */
size_t raski_keyed_table_bytes_used(const raski_keyed_table *table); /* allocated for rows, index,
                                                                        copied strings */
/* Iterates over all rows in memory in the order of their making (rows of removed keys are reused):
 * start with *position = 0; NULL at the end. The table must not be changed meanwhile, but for
 * storing. */
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
