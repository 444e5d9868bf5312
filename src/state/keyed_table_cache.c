/* Tables with a store: the rows in memory are a cache that is written back. A lookup makes rows for
 * keys that are not in memory, as in any table, and then fills those from the store, all keys of
 * the block at once. Rows handed out count as changed. When a batch has ended and memory is above
 * the cache's size, a clock hand goes over the rows: those not used since it last passed are
 * written and leave; rows with timers stay, but for their lists and maps. Lists and maps have
 * entries of their own, which are read when they are first used and written as a whole when they
 * were changed.
 *
 * A row without state that the store still has stays in memory as it is until the clock removes it
 * there too: a lookup never meets what was removed. Lookups report such rows as inserted. */
#include "state/keyed_table_cache.h"

#include <string.h>

#include "state/key_inline.h"
#include "state/row_bytes.h"

/* A row's hidden words. */
typedef struct cache_words {
    uint32_t flags;
    uint32_t changed; /* a bit for each list and map that was changed */
    uint32_t batch;   /* the last one in which the row was given out */
} cache_words;
enum {
    ROW_STORED = 1,
    ROW_CHANGED = 2,
    ROW_USED = 4, /* since the clock's hand passed */
    ROW_MET = 8,  /* in the running lookup, without state */
};
enum {
    EVICT_BLOCK = 256, /* rows written at a time */
    STUCK_SHARE = 8,   /* looks again when that much of the cache has come */
    LOW_SHARE = 16,    /* evicting goes on until 1/16 of the cache is free */
};

struct raski_table_cache {
    raski_state_store *store;
    size_t bytes_max;
    size_t bytes_stuck; /* beyond bytes_max: so much is held by timers; 0: nothing is */
    uint32_t hand;      /* of the clock: a row number */
    bool ever_stored;   /* something was written */
    raski_row_buffer keys, value;
    raski_arena *lists;            /* of keys that are read */
    raski_error error;             /* of the end of a batch */
    uint32_t cleanup_batch;        /* batches since the store was looked at for expired state */
    raski_row_buffer cleanup_from; /* where to go on there: a key; empty: at the beginning */
};

static cache_words *words_of(const raski_keyed_table *table, char *row) {
    return (cache_words *)(void *)(row + table->cache_offset);
}

uint32_t raski_cache_lay_out(uint32_t offset, uint32_t *ret_cache_offset) {
    *ret_cache_offset = offset;
    return offset + (uint32_t)sizeof(cache_words);
}

struct raski_table_cache *raski_cache_create(raski_keyed_table *table,
                                             raski_state_store *store_take, size_t cache_bytes) {
    (void)table;
    struct raski_table_cache *cache = RASKI_NEW(struct raski_table_cache);
    cache->store = store_take;
    cache->bytes_max = cache_bytes;
    cache->hand = 1;
    cache->lists = raski_arena_create(0);
    return cache;
}

void raski_cache_destroy(struct raski_table_cache *cache_take_or_null) {
    struct raski_table_cache *cache = cache_take_or_null;
    if (!cache) return;
    raski_state_store_destroy(cache->store);
    raski_row_buffer_fini(&cache->keys);
    raski_row_buffer_fini(&cache->value);
    raski_row_buffer_fini(&cache->cleanup_from);
    raski_arena_destroy(cache->lists);
    raski_free(cache);
}

raski_state_store *raski_cache_store(const raski_keyed_table *table) {
    return table->cache->store;
}

rask_status raski_cache_check(raski_keyed_table *table, raski_error *err) {
    const raski_error *error = &table->cache->error;
    if (error->status == RASK_OK) return RASK_OK;
    if (err) *err = *error;
    return raski_failed(error->status);
}

/* ---------------------------------------------------------------- reading */
static rask_status fill_row(raski_keyed_table *table, char *row, raski_store_bytes value,
                            raski_error *err) {
    struct raski_table_cache *cache = table->cache;
    raski_row_buffer *copy = &cache->value; /* aligned, and may be changed */
    copy->size = 0;
    if (!raski_row_buffer_append(copy, value.bytes, value.size))
        return raski_table_no_memory(table, err);
    RASKI_TRY(raski_row_read_states(table, copy->bytes, copy->size, row, err));
    words_of(table, row)->flags |= ROW_STORED;
    return RASK_OK;
}

/* Fills new rows, whose bits are set in `made`, with what the store has of their keys, and clears
 * the bits of those. */
static rask_status fill_rows(raski_keyed_table *table, char *const *rows, uint64_t *made,
                             raski_error *err) {
    struct raski_table_cache *cache = table->cache;
    raski_store_bytes keys[RASKI_LOOKUP_MAX], values[RASKI_LOOKUP_MAX];
    size_t ends[RASKI_LOOKUP_MAX], n = 0, at[RASKI_LOOKUP_MAX];
    cache->keys.size = 0;
    for (uint64_t bits = *made; bits; bits &= bits - 1, n++) {
        at[n] = (size_t)__builtin_ctzll(bits);
        if (!raski_row_write_key(table, rows[at[n]], RASKI_ROW_ITSELF, &cache->keys))
            return raski_table_no_memory(table, err);
        ends[n] = cache->keys.size;
    }
    for (size_t i = 0, start = 0; i < n; start = ends[i++])
        keys[i] = (raski_store_bytes){cache->keys.bytes + start, ends[i] - start};
    RASKI_TRY(cache->store->ops->get(cache->store, keys, n, values, err));
    for (size_t i = 0; i < n; i++) {
        if (!values[i].bytes) continue;
        RASKI_TRY(fill_row(table, rows[at[i]], values[i], err));
        *made &= ~(UINT64_C(1) << at[i]);
    }
    return RASK_OK;
}

rask_status raski_cache_rows(raski_keyed_table *table, char *const *rows, size_t n,
                             uint64_t *inserted, raski_error *err) {
    rask_status status = RASK_OK;
    if (*inserted && table->cache->ever_stored) {
        uint64_t made = *inserted;
        status = fill_rows(table, rows, inserted, err);
        if (status != RASK_OK) { /* such a row must not hide what is stored */
            for (uint64_t bits = made; bits; bits &= bits - 1)
                raski_cache_drop_row(table, rows[__builtin_ctzll(bits)]);
            return status;
        }
    }
    *inserted = 0;
    for (size_t i = 0; i < n; i++) {
        cache_words *words = words_of(table, rows[i]);
        if (*row_present(rows[i]) == 0 && !(words->flags & ROW_MET)) {
            *inserted |= UINT64_C(1) << i;
            words->flags |= ROW_MET;
        }
        words->flags |= ROW_CHANGED | ROW_USED;
        words->batch = table->batch;
    }
    for (uint64_t bits = *inserted; bits; bits &= bits - 1)
        words_of(table, rows[__builtin_ctzll(bits)])->flags &= ~(uint32_t)ROW_MET;
    return RASK_OK;
}

char *raski_cache_find(raski_keyed_table *table, const raski_key_spec *spec, const void *record) {
    char *row = NULL;
    uint64_t inserted = 0;
    raski_error *error = &table->cache->error;
    if (raski_keyed_table_lookup(table, spec, record, 0, 1, &row, &inserted, error) != RASK_OK)
        return NULL;
    if (!inserted) return row;
    raski_keyed_table_sweep(table, &row, 1);
    return NULL;
}

rask_status raski_table_load(raski_keyed_table *table, char *row, unsigned state,
                             raski_error *err) {
    struct raski_table_cache *cache = table->cache;
    cache->keys.size = cache->value.size = 0;
    if (!raski_row_write_key(table, row, 1 + state, &cache->keys))
        return raski_table_no_memory(table, err);
    raski_store_bytes key = {cache->keys.bytes, cache->keys.size}, value;
    RASKI_TRY(cache->store->ops->get(cache->store, &key, 1, &value, err));
    if (!value.bytes)
        return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL,
                          "the state store of %s has lost the contents of \"%s\" of a key",
                          table->name ? table->name : "an operator", table->states[state].name);
    if (!raski_row_buffer_append(&cache->value, value.bytes, value.size))
        return raski_table_no_memory(table, err);
    return raski_row_read_container(table, cache->value.bytes, cache->value.size, row, state, err);
}

/* ---------------------------------------------------------------- writing */
void raski_cache_row_changed(raski_keyed_table *table, char *row) {
    words_of(table, row)->flags |= ROW_CHANGED;
}

void raski_cache_container_changed(raski_keyed_table *table, char *row, unsigned state) {
    words_of(table, row)->changed |= UINT32_C(1) << state;
    words_of(table, row)->flags |= ROW_CHANGED;
}

bool raski_cache_keeps(raski_keyed_table *table, char *row) {
    cache_words *words = words_of(table, row);
    if (!(words->flags & ROW_STORED)) return false;
    words->flags |= ROW_CHANGED;
    return true;
}

/* Adds an entry of a row to the store's next batch. */
static bool put(raski_keyed_table *table, const char *row, unsigned part, bool exists) {
    struct raski_table_cache *cache = table->cache;
    cache->keys.size = cache->value.size = 0;
    if (!raski_row_write_key(table, row, part, &cache->keys)) return false;
    raski_store_bytes key = {cache->keys.bytes, cache->keys.size};
    if (!exists) {
        cache->store->ops->remove(cache->store, key);
        return true;
    }
    bool done = part == RASKI_ROW_ITSELF
                    ? raski_row_write_states(table, row, &cache->value)
                    : raski_row_write_container(table, row, part - 1, &cache->value);
    if (!done) return false;
    cache->store->ops->put(cache->store, key,
                           (raski_store_bytes){cache->value.bytes, cache->value.size});
    return true;
}

/* What of a row changed goes into the store's next batch. false without memory. */
static bool write_row(raski_keyed_table *table, char *row) {
    cache_words *words = words_of(table, row);
    bool stored = (words->flags & ROW_STORED) != 0;
    for (uint32_t bits = words->changed; bits; bits &= bits - 1) {
        unsigned state = (unsigned)__builtin_ctz(bits);
        const raski_state_slot *slot = row_slot(table, row, state);
        if (slot->count == 0 && !stored) continue;
        if (!put(table, row, 1 + state, slot->count > 0)) return false;
    }
    if (!(words->flags & ROW_CHANGED)) return true;
    bool exists = *row_present(row) != 0;
    return (!exists && !stored) || put(table, row, RASKI_ROW_ITSELF, exists);
}

static void mark_written(raski_keyed_table *table, char *row, bool may_change) {
    cache_words *words = words_of(table, row);
    words->flags &= ~(uint32_t)ROW_STORED;
    if (*row_present(row) != 0) words->flags |= ROW_STORED;
    if (may_change) return;
    words->flags &= ~(uint32_t)ROW_CHANGED;
    words->changed = 0;
}

/* Frees the lists and maps that are in memory; they were written. */
static void unload_containers(raski_keyed_table *table, char *row) {
    for (uint32_t i = 0; i < table->container_count; i++) {
        unsigned state = table->container_states[i];
        raski_state_slot *slot = row_slot(table, row, state);
        if (!slot->memory) continue;
        if (table->states[state].kind == RASKI_STATE_LIST)
            raski_table_list_free(table, slot, state);
        else
            raski_table_map_free(table, slot->memory, state);
        slot->memory = NULL;
        slot->capacity = 0;
    }
}

void raski_cache_drop_row(raski_keyed_table *table, char *row) {
    uint64_t hash = table_hash(table, &table->key_in_row, row);
    uint32_t number = raski_table_index_remove(table, hash, row);
    RASKI_ASSERT(number != 0);
    raski_table_release_row(table, row);
    raski_table_drop_row(table, number);
}

static bool is_pinned(const raski_keyed_table *table, const char *row) {
    return table->timers_offset && raski_keyed_table_pins(table, row) != 0;
}

/* Writes rows in one batch; on success they leave, or the pinned ones their lists and maps. */
static rask_status evict(raski_keyed_table *table, char *const *rows, size_t n, bool leave,
                         raski_error *err) {
    struct raski_table_cache *cache = table->cache;
    for (size_t i = 0; i < n; i++)
        if (!write_row(table, rows[i])) return raski_table_no_memory(table, err);
    RASKI_TRY(cache->store->ops->commit(cache->store, err));
    cache->ever_stored = true;
    for (size_t i = 0; i < n; i++) {
        /* In the middle of a batch (a flush) its rows are in somebody's hands. */
        bool in_use = !leave && words_of(table, rows[i])->batch == table->batch;
        mark_written(table, rows[i], in_use);
        if (in_use) continue;
        bool empty = *row_present(rows[i]) == 0;
        if (is_pinned(table, rows[i])) {
            if (leave) unload_containers(table, rows[i]);
        } else if (leave || empty) {
            raski_cache_drop_row(table, rows[i]);
        }
    }
    return RASK_OK;
}

/* Bytes that rows, their index entries, and what they point to take. What was allocated for rows
 * beyond those in use does not count: it cannot be given back. */
static size_t bytes_cached(const raski_keyed_table *table) {
    size_t fixed = (size_t)table->unit_count * UNIT_ROWS * table->row_size +
                   table->unit_capacity * sizeof(char *) + (sizeof(uint32_t) << table->index_bits);
    return table->bytes - fixed + table->count * (table->row_size + 2 * sizeof(uint32_t));
}

static bool has_loaded_containers(const raski_keyed_table *table, char *row) {
    for (uint32_t i = 0; i < table->container_count; i++)
        if (row_slot(table, row, table->container_states[i])->memory) return true;
    return false;
}

/* Moves the hand by one row; whether that row is to leave. */
static bool pass_row(raski_keyed_table *table, char **ret_row) {
    struct raski_table_cache *cache = table->cache;
    char *row = table_row(table, cache->hand++);
    *ret_row = row;
    if (row_is_free(table, row)) return false;
    cache_words *words = words_of(table, row);
    if (words->flags & ROW_USED) {
        words->flags &= ~(uint32_t)ROW_USED;
        return false;
    }
    return !is_pinned(table, row) || has_loaded_containers(table, row);
}

void raski_cache_end_batch(raski_keyed_table *table) {
    struct raski_table_cache *cache = table->cache;
    size_t bytes = bytes_cached(table);
    if (bytes <= cache->bytes_max) cache->bytes_stuck = 0;
    if (bytes <= cache->bytes_max || bytes <= cache->bytes_stuck) return;
    if (cache->error.status != RASK_OK) return;
    size_t wanted = cache->bytes_max - cache->bytes_max / LOW_SHARE;
    char *rows[EVICT_BLOCK];
    /* Two rounds find whatever can leave. */
    for (uint64_t passes = 2 * (uint64_t)table->rows_end; passes > 0;) {
        size_t n = 0, before = bytes_cached(table);
        if (before <= wanted) return;
        size_t row_bytes = table->count ? before / table->count : before;
        size_t block = row_bytes ? (before - wanted) / row_bytes + 1 : EVICT_BLOCK;
        if (block > EVICT_BLOCK) block = EVICT_BLOCK;
        if (cache->hand >= table->rows_end) cache->hand = 1;
        for (; passes > 0 && n < block && cache->hand < table->rows_end; passes--)
            if (pass_row(table, &rows[n])) n++;
        if (evict(table, rows, n, true, &cache->error) != RASK_OK) return;
    }
    cache->bytes_stuck = bytes_cached(table) + cache->bytes_max / STUCK_SHARE;
}

rask_status raski_cache_flush(raski_keyed_table *table, raski_error *err) {
    RASKI_TRY(raski_cache_check(table, err));
    char *rows[EVICT_BLOCK];
    size_t n = 0;
    for (uint32_t number = 1; number < table->rows_end; number++) {
        char *row = table_row(table, number);
        if (row_is_free(table, row) || !(words_of(table, row)->flags & ROW_CHANGED)) continue;
        rows[n++] = row;
        if (n < EVICT_BLOCK) continue;
        RASKI_TRY(evict(table, rows, n, false, err));
        n = 0;
    }
    return n ? evict(table, rows, n, false, err) : RASK_OK;
}

/* ---------------------------------------------------------------- all rows */
struct raski_cache_walk {
    raski_keyed_table *table;
    raski_store_iterator *iterator;
    char *records; /* row-shaped, with the keys of a block; owned */
};

rask_status raski_cache_walk_begin(raski_keyed_table *table, struct raski_cache_walk **ret_walk,
                                   raski_error *err) {
    RASKI_TRY(raski_cache_flush(table, err));
    char *records = raski_try_alloc((size_t)RASKI_LOOKUP_MAX * table->row_size, ROW_ALIGN_MAX);
    if (!records) return raski_table_no_memory(table, err);
    raski_store_iterator *iterator = NULL;
    rask_status status = table->cache->store->ops->iterate(table->cache->store, &iterator, err);
    if (status != RASK_OK) {
        raski_free(records);
        return status;
    }
    struct raski_cache_walk *walk = RASKI_NEW(struct raski_cache_walk);
    *walk = (struct raski_cache_walk){.table = table, .iterator = iterator, .records = records};
    *ret_walk = walk;
    return RASK_OK;
}

/* The keys of the next rows of the store, into row-shaped records; *ret_n less than
 * RASKI_LOOKUP_MAX: there are no more. */
static rask_status read_keys(raski_keyed_table *table, raski_store_iterator *iterator,
                             char *records, size_t *ret_n, raski_error *err) {
    struct raski_table_cache *cache = table->cache;
    size_t n = 0;
    raski_arena_reset(cache->lists);
    while (n < RASKI_LOOKUP_MAX) {
        raski_store_bytes key, value;
        RASKI_TRY(cache->store->ops->next(iterator, &key, &value, err));
        if (!key.bytes) break;
        if (raski_row_key_part(key.bytes, key.size) != RASKI_ROW_ITSELF) continue;
        void *copy = raski_arena_alloc(cache->lists, key.size);
        memcpy(copy, key.bytes, key.size);
        unsigned part = 0;
        char *record = records + n++ * table->row_size;
        memset(record, 0, table->row_size);
        RASKI_TRY(raski_row_read_key(table, copy, key.size, cache->lists, record, &part, err));
    }
    *ret_n = n;
    return RASK_OK;
}

rask_status raski_cache_walk_next(struct raski_cache_walk *walk, char **ret_rows, size_t *ret_n,
                                  raski_error *err) {
    raski_keyed_table *table = walk->table;
    char *rows[RASKI_LOOKUP_MAX];
    size_t n = 0, count = 0;
    do { /* a block whose keys have all lost their state meanwhile is not the end */
        RASKI_TRY(read_keys(table, walk->iterator, walk->records, &n, err));
        RASKI_TRY(raski_keyed_table_lookup(table, &table->key_in_row, walk->records,
                                           table->row_size, n, rows, NULL, err));
        for (size_t i = 0; i < n; i++)
            if (*row_present(rows[i]) != 0) ret_rows[count++] = rows[i];
        raski_keyed_table_sweep(table, rows, n);
    } while (count == 0 && n == RASKI_LOOKUP_MAX);
    *ret_n = count;
    return RASK_OK;
}

void raski_cache_walk_end(struct raski_cache_walk *walk_take) {
    walk_take->table->cache->store->ops->end(walk_take->iterator);
    raski_arena_reset(walk_take->table->cache->lists);
    raski_free(walk_take->records);
    raski_free(walk_take);
}

/* ---------------------------------------------------------------- expired state in the store */
enum { CLEANUP_BATCHES = 64 }; /* so a batch costs about one read */

/* The next keys of the store behind those of the last time. */
static rask_status read_cleanup_keys(raski_keyed_table *table, char *records, size_t *ret_n,
                                     raski_error *err) {
    struct raski_table_cache *cache = table->cache;
    raski_row_buffer *from = &cache->cleanup_from;
    raski_store_iterator *iterator = NULL;
    RASKI_TRY(cache->store->ops->iterate(cache->store, &iterator, err));
    if (from->size > 0)
        cache->store->ops->seek(iterator, (raski_store_bytes){from->bytes, from->size});
    rask_status status = read_keys(table, iterator, records, ret_n, err);
    cache->store->ops->end(iterator);
    RASKI_TRY(status);
    from->size = 0;
    if (*ret_n < RASKI_LOOKUP_MAX) return RASK_OK;
    /* on at the last one, which is seen twice, or at what comes behind it */
    const char *last = records + (*ret_n - 1) * table->row_size;
    return raski_row_write_key(table, last, RASKI_ROW_ITSELF + 1, from)
               ? RASK_OK
               : raski_table_no_memory(table, err);
}

static rask_status fetch_for_cleanup(raski_keyed_table *table, char *records, char **ret_rows,
                                     size_t *ret_n, raski_error *err) {
    RASKI_TRY(read_cleanup_keys(table, records, ret_n, err));
    uint64_t in_memory = 0;
    for (size_t i = 0; i < *ret_n; i++) {
        const char *record = records + i * table->row_size;
        if (raski_table_find_in_memory(table, &table->key_in_row, record))
            in_memory |= UINT64_C(1) << i;
    }
    RASKI_TRY(raski_keyed_table_lookup(table, &table->key_in_row, records, table->row_size, *ret_n,
                                       ret_rows, NULL, err));
    for (size_t i = 0; i < *ret_n; i++) {
        for (unsigned s = 0; s < table->state_count; s++)
            if (table->states[s].ttl.time_ms && table->states[s].kind != RASKI_STATE_VALUE)
                RASKI_TRY(table_need(table, ret_rows[i], s, err));
        if (!(in_memory >> i & 1)) words_of(table, ret_rows[i])->flags = ROW_STORED;
    }
    return RASK_OK;
}

size_t raski_cache_fetch_for_cleanup(raski_keyed_table *table, char **ret_rows) {
    struct raski_table_cache *cache = table->cache;
    if (!cache->ever_stored || ++cache->cleanup_batch < CLEANUP_BATCHES) return 0;
    cache->cleanup_batch = 0;
    char *records = raski_try_alloc((size_t)RASKI_LOOKUP_MAX * table->row_size, ROW_ALIGN_MAX);
    if (!records) return 0; /* another time */
    size_t n = 0;
    if (fetch_for_cleanup(table, records, ret_rows, &n, &cache->error) != RASK_OK) n = 0;
    raski_free(records);
    return n;
}
