/* keyed_table_private.h - the inside of a keyed table.
 *
 * Index: groups of GROUP_SLOTS 32-bit entries. With b = index_bits (slots = 2^b) the lower b bits
 * of an entry are a row number (1 and up), the upper 32 - b bits a tag: bits of the hash, the
 * lowest of them always set, so that no tag equals that of an empty (0) or removed slot. A key is
 * in the first group, from that of the upper bits of its hash on, that had room when it came.
 * Invariants: a group with an empty slot ends every probe; so a slot becomes empty again only in a
 * group that has another empty slot, and else a tombstone. used + tombstones <= grow_at < slots. */
#ifndef RASKI_STATE_KEYED_TABLE_PRIVATE_H
#define RASKI_STATE_KEYED_TABLE_PRIVATE_H
#include "base/vec.h"
#include "state/keyed_table.h"
#include "types/layout.h"

enum {
    GROUP_SLOTS = 4,
    ROW_ALIGN_MIN = 8,
    ROW_ALIGN_MAX = 64, /* what rows' memory is aligned to */
    UNIT_SHIFT = 13,    /* rows lie in units of 8192: a constant, for the lookup's sake */
    UNIT_ROWS = 1 << UNIT_SHIFT,
    /* Rows and index together, in bytes: what stays in a core's second-level cache. The rows of
     * such a table lie in one piece of memory. */
    CACHED_TABLE_MAX = 768 * 1024,
};
#define ROW_FREE (UINT32_C(1) << RASKI_STATES_MAX)

/* Specialised lookups. */
typedef enum key_path {
    KEY_PATH_8,      /* one integer or timestamp of 8 bytes */
    KEY_PATH_4,      /* one integer of 4 bytes */
    KEY_PATH_STRING, /* one string */
    KEY_PATH_PLAIN,  /* several integers, booleans and strings: of loops, never of a table */
    KEY_PATH_GENERIC,
} key_path;

typedef struct table_state {
    const rask_type *type; /* or NULL */
    raski_layout *layout;  /* of a type with pointers, else NULL */
    uint32_t offset, size;
} table_state;

/* A state as it was before the user's code got it, or a value to be freed at the end of the batch:
 * its bytes are in the owner's `bytes`. */
typedef struct saved_value {
    char *row;
    uint32_t state;
    bool was_present;
    size_t bytes_at;
} saved_value;
typedef struct saved_values {
    saved_value *items;
    size_t count, capacity;
    char *bytes;
    size_t bytes_used, bytes_capacity;
} saved_values;

struct raski_keyed_table {
    /* what a lookup reads */
    uint32_t *index;
    uint32_t index_bits;  /* b */
    uint32_t group_shift; /* 64 - log2(groups) */
    char **units;         /* unit i holds rows i * UNIT_ROWS and up */
    char *first_unit;     /* rows of a cached table, all of them */
    uint32_t row_size;
    uint64_t seed;
    key_path path;
    raski_key_spec key;        /* in records of the first input */
    raski_key_spec key_in_row; /* the same in rows */
    /* key_in_row with the fields of records as parts of their own, if all of these are plain (see
     * KEY_PATH_PLAIN); NULL: there are others */
    raski_key_spec *plain_key_in_row;
    raski_layout *key_layouts[RASKI_KEY_PARTS_MAX]; /* of parts with pointers, else NULL */

    uint32_t rows_end; /* numbers 1 .. rows_end - 1 were given out */
    uint32_t count;    /* rows in use */
    uint32_t free_row; /* head of the list of removed rows; 0: none */
    uint32_t tombstones;
    uint32_t grow_at; /* slots in use at most */

    uint32_t unit_count, unit_capacity;
    RASKI_VEC(char *) extents; /* blocks of units */
    size_t bytes, bytes_max;

    bool permanent, key_in_state;
    uint32_t tracked_offset; /* of the word that marks tracked states; 0: no state has pointers */
    size_t state_count;
    table_state states[RASKI_STATES_MAX];
    saved_values tracked, garbage;
    char *scratch; /* room for any one state */
};

static inline char *table_row(const raski_keyed_table *table, uint32_t number) {
    return table->units[number >> UNIT_SHIFT] + (size_t)(number % UNIT_ROWS) * table->row_size;
}
static inline uint32_t *row_present(char *row) {
    return (uint32_t *)(void *)row;
}
static inline bool row_is_free(const raski_keyed_table *table, const char *row) {
    return !table->permanent && (*(const uint32_t *)(const void *)row & ROW_FREE) != 0;
}

/* Takes bytes from the table's limit; false when there are not so many left. */
static inline bool table_charge(raski_keyed_table *table, size_t bytes) {
    if (table->bytes_max && bytes > table->bytes_max - table->bytes) return false;
    table->bytes += bytes;
    return true;
}
static inline void table_release(raski_keyed_table *table, size_t bytes) {
    table->bytes -= bytes;
}

/* What a key's hash means to an index. */
static inline uint32_t index_row_mask(const raski_keyed_table *table) {
    return (UINT32_C(1) << table->index_bits) - 1;
}
static inline uint32_t index_tag(uint64_t hash, uint32_t row_mask) {
    return ((uint32_t)hash & ~row_mask) | (row_mask + 1);
}
static inline size_t index_group_mask(const raski_keyed_table *table) {
    return (UINT64_C(1) << table->index_bits) / GROUP_SLOTS - 1;
}

/* keyed_table_index.c */
/* Makes room for `more` further keys. RASK_E_NOMEM when there is none at all. */
RASKI_NODISCARD rask_status raski_table_reserve(raski_keyed_table *table, size_t more,
                                                raski_error *err);
/* The row number of a new row for the key in record (zeroed, key copied), or 0 without memory. */
uint32_t raski_table_make_row(raski_keyed_table *table, const raski_key_spec *spec,
                              const char *record);
/* Gives a row back: it must have been taken from the index. Frees what its key owns. */
void raski_table_drop_row(raski_keyed_table *table, uint32_t number);
/* Puts a row into the index; its key must not be there. */
void raski_table_index_insert(raski_keyed_table *table, uint64_t hash, uint32_t number);
/* Takes a row out; returns its number, or 0 when it is not there. */
uint32_t raski_table_index_remove(raski_keyed_table *table, uint64_t hash, const char *row);

/* keyed_table_lookup.c */
/* For a record whose key was not the first match: searches, and makes the row if there is none.
 * There must be room in the index. NULL without memory. */
char *raski_table_find_or_make(raski_keyed_table *table, const raski_key_spec *spec,
                               const char *record, uint64_t hash, bool *ret_made);

/* keyed_table_values.c */
/* Frees all that rows own, for the end of a table. */
void raski_table_release_values(raski_keyed_table *table);

RASKI_COLD rask_status raski_table_no_memory(const raski_keyed_table *table, raski_error *err);
#endif
