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
    ROW_ALIGN_MAX = 64,  /* what rows' memory is aligned to */
    ITEM_ALIGN_MAX = 16, /* items of lists, entries of maps */
    UNIT_SHIFT = 13,     /* rows lie in units of 8192: a constant, for the lookup's sake */
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
    /* so many integers of 8 bytes, one behind the other: of loops, never of a table */
    KEY_PATH_WORDS_2,
    KEY_PATH_WORDS_3,
    KEY_PATH_WORDS_4,
    KEY_PATH_WORDS_5,
    KEY_PATH_GENERIC,
} key_path;

typedef struct table_state {
    const char *name;
    const rask_type *type; /* or NULL */
    raski_layout *layout;  /* of a type with pointers (an item's, a map's value's), else NULL */
    uint32_t offset, size; /* in the row: of the value, or of the slot */
    raski_state_kind kind;
    uint32_t item_size; /* LIST: of an item; MAP: of a value; VALUE: size */
    rask_ttl ttl;
    uint32_t ttl_offset; /* VALUE with TTL: of the hidden time of the last access */
    /* MAP: an entry is { uint32_t hash; uint32_t flags; key; value; int64_t time (with TTL) } */
    raski_layout *key_layout; /* of a key type with pointers, else NULL */
    uint32_t key_size, key_offset, value_offset, time_offset, entry_size;
    raski_key_spec map_key; /* one part at offset 0 */
    key_path map_path;
} table_state;

/* A state or map value as it was before the user's code got it, or a value to be freed at the end
 * of the batch: its bytes are in the owner's `bytes`. */
typedef struct saved_value {
    char *row;
    char *place; /* of a map's value; NULL: of a value state, in the row */
    const raski_layout *layout;
    uint32_t state;
    bool was_present;
    size_t bytes_at;
} saved_value;

/* Memory to be freed at the end of the batch, with what count values at its start own. */
typedef struct garbage_block {
    void *memory;
    size_t bytes;               /* charged */
    const raski_layout *layout; /* NULL: nothing is owned, or state says that it is a map */
    uint32_t count;
    uint32_t map_state; /* 1 + the state whose map this is; 0: a block of values */
} garbage_block;
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
    uint32_t row_words; /* of the key in a row, when it is integers of 8 bytes only; else 0 */
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
    RASKI_VEC(garbage_block) blocks; /* garbage, too */
    char *scratch;                   /* room for any one value, item or key */
    char *owned_scratch;             /* the same; of raski_table_own */

    uint32_t namespace_parts;
    uint32_t max_parallelism; /* 0: not known */
    uint32_t timers_offset;   /* hidden words; 0: there is none */
    uint32_t container_count;
    uint32_t container_states[RASKI_STATES_MAX]; /* those that are lists and maps */
    bool has_ttl;
    int64_t now_ms;
    uint32_t batch;      /* counts batches: maps keep their entries in place during one */
    uint32_t ttl_cursor; /* the next row that is looked at for expired state */
    const char *name;
    raski_memory_limit *limit;
    size_t credit; /* taken from the limit and not used yet, bytes */

    /* A snapshot is being written: rows handed out are about to be changed, and garbage is kept
     * until it is done. NULL: none. See raski_keyed_table_before_write. */
    struct raski_table_snapshot *snapshot;
    uint32_t epoch;                  /* snapshots begun */
    uint32_t cache_offset;           /* with a store: of a row's cache_words */
    struct raski_table_cache *cache; /* a store and what is known about it; NULL: none */
};

/* ---- snapshots (of the snapshot module) */
/* What a running snapshot wants to be told; the snapshot module's own struct starts with it. */
struct raski_table_snapshot {
    /* row is about to be changed, made or removed: the first call for its page copies the page */
    void (*before_write)(struct raski_table_snapshot *snapshot, raski_keyed_table *table,
                         char *row);
};
/* Called by whatever hands out rows that may be written: a lookup for the rows of its block, sweep,
 * and (from outside) whoever takes rows from elsewhere, as timers do. Whoever starts a snapshot
 * sets table->snapshot and adds 1 to table->epoch. */
static inline void raski_keyed_table_before_write(raski_keyed_table *table, char *row) {
    if (__builtin_expect(table->snapshot != NULL, 0))
        table->snapshot->before_write(table->snapshot, table, row);
}
/* The number of a row from its address: its place in units[number >> UNIT_SHIFT]. A search over
 * the units; for a running snapshot. */
uint32_t raski_table_row_number(const raski_keyed_table *table, const char *row);
/* Lists need nothing: their items are never changed in place, and additions lie behind the count
 * that a copied row has. Maps are cloned by the table before they are changed, see
 * keyed_table_maps.c; garbage is not freed while table->snapshot is set. Whoever sets it back to
 * NULL calls raski_table_free_garbage. */
void raski_table_free_garbage(raski_keyed_table *table);

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
bool raski_table_take_credit(raski_keyed_table *table, size_t bytes);
void raski_table_return_credit(raski_keyed_table *table);
enum { CREDIT_STEP = 256 * 1024 }; /* bytes taken from a shared limit at a time */
static inline bool table_charge(raski_keyed_table *table, size_t bytes) {
    if (table->bytes_max && bytes > table->bytes_max - table->bytes) return false;
    if (table->limit) {
        if (bytes > table->credit && !raski_table_take_credit(table, bytes)) return false;
        table->credit -= bytes;
    }
    table->bytes += bytes;
    return true;
}
static inline void table_release(raski_keyed_table *table, size_t bytes) {
    table->bytes -= bytes;
    if (!table->limit) return;
    table->credit += bytes;
    if (table->credit > 4 * (size_t)CREDIT_STEP) raski_table_return_credit(table);
}

/* Entries of maps. */
enum {
    ENTRY_REMOVED = 1, /* its key and value own nothing any more */
    ENTRY_TRACKED = 2, /* its value may borrow until raski_keyed_table_adopt */
    ENTRY_HEAD = 2 * sizeof(uint32_t),
};
static inline uint32_t *entry_hash(char *entry) {
    return (uint32_t *)(void *)entry;
}
static inline uint32_t *entry_flags(char *entry) {
    return (uint32_t *)(void *)(entry + sizeof(uint32_t));
}

static inline raski_state_slot *row_slot(const raski_keyed_table *table, char *row,
                                         unsigned state) {
    return (raski_state_slot *)(void *)(row + table->states[state].offset);
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
/* Fetches where a row of that hash is entered into the cache. */
void raski_table_index_prefetch(const raski_keyed_table *table, uint64_t hash);

/* keyed_table_lookup.c */
/* The row of a key that is in memory, or NULL. */
char *raski_table_find_in_memory(const raski_keyed_table *table, const raski_key_spec *spec,
                                 const char *record);
/* For a record whose key was not the first match: searches, and makes the row if there is none.
 * There must be room in the index. NULL without memory. */
char *raski_table_find_or_make(raski_keyed_table *table, const raski_key_spec *spec,
                               const char *record, uint64_t hash, bool *ret_made);

/* keyed_table_values.c */
/* Frees all that rows own, for the end of a table. */
void raski_table_release_values(raski_keyed_table *table);
/* The same for the states of one row; its key stays. */
void raski_table_release_row(raski_keyed_table *table, char *row);
/* Room in the garbage for values of `size` bytes each and for blocks; the pushes after it cannot
 * fail. */
bool raski_table_reserve_garbage(raski_keyed_table *table, size_t size);
/* A value with pointers that was replaced: copied, freed at the end of the batch. */
void raski_table_throw_away(raski_keyed_table *table, const raski_layout *layout,
                            const void *value);
void raski_table_throw_block(raski_keyed_table *table, garbage_block block);
/* Charged memory without contents; NULL without memory. Aligned to 16. */
void *raski_table_alloc(raski_keyed_table *table, size_t bytes);
/* place borrows: it takes copies of its own, which are charged. false without memory: it still
 * borrows. layout may be NULL. */
bool raski_table_own(raski_keyed_table *table, const raski_layout *layout, void *value);
/* Frees what it owns and zeroes it. */
void raski_table_disown(raski_keyed_table *table, const raski_layout *layout, void *value);
/* Remembers a map entry whose value user code is about to change; like raski_keyed_table_track. */
RASKI_NODISCARD rask_status raski_table_track_entry(raski_keyed_table *table, char *entry,
                                                    unsigned state, bool was_present,
                                                    raski_error *err);

/* keyed_table_lists.c */
/* All items and the block become garbage; the slot is zeroed, and not present. */
void raski_table_list_clear(raski_keyed_table *table, char *row, unsigned state);
/* Frees the block with all items, now. The slot stays as it is. */
void raski_table_list_free(raski_keyed_table *table, raski_state_slot *slot, unsigned state);
/* A slot with room for count items, which the caller fills; false without memory. */
bool raski_table_list_make(raski_keyed_table *table, unsigned state, uint32_t count,
                           raski_state_slot *ret_slot);
/* The times of a list's items, with TTL; else NULL. */
int64_t *raski_table_list_times(const raski_keyed_table *table, const raski_state_slot *slot,
                                unsigned state);
/* Removes items that have expired. */
void raski_table_list_expire(raski_keyed_table *table, char *row, unsigned state);

/* keyed_table_maps.c */
void raski_table_map_clear(raski_keyed_table *table, char *row, unsigned state);
/* Frees a map and all it owns, now. */
void raski_table_map_free(raski_keyed_table *table, void *map, unsigned state);
/* Removes entries that have expired. */
void raski_table_map_expire(raski_keyed_table *table, char *row, unsigned state);
/* Iterates over the entries of a map that is in memory, without regard to TTL: start with 0; NULL
 * at the end. An entry is laid out as table_state says. */
char *raski_table_map_entry(const raski_keyed_table *table, const raski_state_slot *slot,
                            unsigned state, uint32_t *position);
/* Adds an entry that is not there, with room in it for what the caller fills in: the entry's key is
 * copied bit by bit from key (it must own what it points to), its value is zeroed. NULL without
 * memory. Neither marks the row nor its state. */
char *raski_table_map_add(raski_keyed_table *table, raski_state_slot *slot, unsigned state,
                          const void *key);

/* keyed_table_ttl.c */
bool raski_ttl_expired(const rask_ttl *ttl, int64_t time_ms, int64_t now_ms);
/* Looks at some rows for expired state, at the end of a batch. */
void raski_table_ttl_cleanup(raski_keyed_table *table);

/* keyed_table_cache.c: tables with a store. */
RASKI_NODISCARD rask_status raski_table_load(raski_keyed_table *table, char *row, unsigned state,
                                             raski_error *err);
/* Before a list or map is used: loads it from the store if it is there only. */
static inline rask_status table_need(raski_keyed_table *table, char *row, unsigned state,
                                     raski_error *err) {
    if (__builtin_expect(!table->cache, 1)) return RASK_OK;
    raski_state_slot *slot = row_slot(table, row, state);
    return slot->memory || slot->count == 0 ? RASK_OK : raski_table_load(table, row, state, err);
}

RASKI_COLD rask_status raski_table_no_memory(const raski_keyed_table *table, raski_error *err);
#endif
