/* Map states. A map is one block with its first entries; more entries lie in further chunks, each
 * twice as large, so that entries never move while a batch runs: users hold pointers to values.
 * Entries are in order of insertion; a removed one is only marked. Up to INDEX_FROM entries are
 * searched one by one, beyond an index of entry numbers is probed. When a map has to grow and half
 * of it was removed, it is packed into a new one instead, unless somebody may hold pointers. */
#include <string.h>

#include "state/key_inline.h"
#include "state/keyed_table_cache.h"

enum {
    FIRST_ENTRIES = 4, /* of chunk 0; chunk k has FIRST_ENTRIES << k */
    CHUNKS_MAX = 28,
    INDEX_FROM = 8, /* entries without an index */
};

typedef struct state_map {
    uint32_t used; /* entries, removed ones included */
    uint32_t chunk_count;
    uint32_t index_bits; /* the index has 1 << index_bits places; 0: none */
    uint32_t epoch;      /* of the table, when this map was made or cloned */
    uint32_t held;       /* the last batch in which pointers to values were given out */
    uint32_t *index;     /* 1 + entry number, or 0 */
    char **chunks;       /* from chunk 1 on; NULL: there is only chunk 0 */
    /* chunk 0 follows */
} state_map;

static size_t head_bytes(void) {
    return (sizeof(state_map) + ITEM_ALIGN_MAX - 1) / ITEM_ALIGN_MAX * ITEM_ALIGN_MAX;
}
static size_t chunk_bytes(const table_state *state, uint32_t chunk) {
    return ((size_t)FIRST_ENTRIES << chunk) * state->entry_size;
}
static uint32_t capacity_of(const state_map *map) {
    return (uint32_t)FIRST_ENTRIES * ((UINT32_C(1) << map->chunk_count) - 1);
}
static char *entry_at(const table_state *state, const state_map *map, uint32_t i) {
    if (i < FIRST_ENTRIES)
        return (char *)(uintptr_t)map + head_bytes() + (size_t)i * state->entry_size;
    uint32_t chunk = 31 - (uint32_t)__builtin_clz(i / FIRST_ENTRIES + 1);
    uint32_t first = (uint32_t)FIRST_ENTRIES * ((UINT32_C(1) << chunk) - 1);
    return map->chunks[chunk - 1] + (size_t)(i - first) * state->entry_size;
}

static uint32_t hash_of(const raski_keyed_table *table, const table_state *state, const void *key) {
    uint64_t hash = key_hash(state->map_path, &state->map_key, 0, key, table->seed);
    return (uint32_t)(hash >> 32);
}
static bool key_is(const table_state *state, char *entry, const void *key, uint32_t hash) {
    return *entry_hash(entry) == hash && !(*entry_flags(entry) & ENTRY_REMOVED) &&
           key_equal(state->map_path, &state->map_key, 0, key, &state->map_key, 0,
                     entry + state->key_offset);
}

static void set_present(raski_keyed_table *table, char *row, unsigned state, bool present) {
    if (present)
        raski_row_set(row, state);
    else
        *row_present(row) &= ~(UINT32_C(1) << state);
    if (table->cache) raski_cache_container_changed(table, row, state);
}

/* ---------------------------------------------------------------- memory */
static state_map *new_map(raski_keyed_table *table, const table_state *state) {
    size_t bytes = head_bytes() + chunk_bytes(state, 0);
    state_map *map = raski_table_alloc(table, bytes);
    if (map) *map = (state_map){.chunk_count = 1, .epoch = table->epoch};
    return map;
}

/* Frees the parts of a map (the entries' keys and values are somebody else's), now or, when thrown,
 * at the end of the batch. */
static void drop_part(raski_keyed_table *table, void *memory, size_t bytes, bool thrown) {
    if (!memory) return;
    if (thrown) {
        raski_table_throw_block(table, (garbage_block){.memory = memory, .bytes = bytes});
        return;
    }
    raski_free(memory);
    table_release(table, bytes);
}
static void drop_index(raski_keyed_table *table, state_map *map, bool thrown) {
    if (map->index) drop_part(table, map->index, sizeof(uint32_t) << map->index_bits, thrown);
    map->index = NULL;
    map->index_bits = 0;
}
static void drop_parts(raski_keyed_table *table, const table_state *state, state_map *map,
                       bool thrown) {
    drop_index(table, map, thrown);
    for (uint32_t k = 1; k < map->chunk_count; k++)
        drop_part(table, map->chunks[k - 1], chunk_bytes(state, k), thrown);
    drop_part(table, map->chunks, CHUNKS_MAX * sizeof(char *), thrown);
    drop_part(table, map, head_bytes() + chunk_bytes(state, 0), thrown);
}

static bool add_chunk(raski_keyed_table *table, const table_state *state, state_map *map) {
    if (map->chunk_count == CHUNKS_MAX) return false;
    if (!map->chunks) {
        map->chunks = raski_table_alloc(table, CHUNKS_MAX * sizeof(char *));
        if (!map->chunks) return false;
    }
    char *chunk = raski_table_alloc(table, chunk_bytes(state, map->chunk_count));
    if (!chunk) return false;
    map->chunks[map->chunk_count++ - 1] = chunk;
    return true;
}

/* ---------------------------------------------------------------- index */
static void index_insert(state_map *map, uint32_t hash, uint32_t number) {
    uint32_t mask = (UINT32_C(1) << map->index_bits) - 1, at = hash & mask;
    while (map->index[at] != 0) at = (at + 1) & mask;
    map->index[at] = number + 1;
}

/* An index with room for `more` further entries, if it takes one. */
static bool reserve_index(raski_keyed_table *table, const table_state *state, state_map *map,
                          uint32_t more) {
    uint64_t wanted = (uint64_t)map->used + more;
    if (wanted <= INDEX_FROM || wanted * 2 <= UINT64_C(1) << map->index_bits) return true;
    uint32_t bits = map->index_bits ? map->index_bits : 4;
    while (UINT64_C(1) << bits < wanted * 2) bits++;
    if (bits >= 32) return false;
    uint32_t *index = raski_table_alloc(table, sizeof(uint32_t) << bits);
    if (!index) return false;
    memset(index, 0, sizeof(uint32_t) << bits);
    drop_index(table, map, table->snapshot != NULL);
    map->index = index;
    map->index_bits = bits;
    for (uint32_t i = 0; i < map->used; i++)
        index_insert(map, *entry_hash(entry_at(state, map, i)), i);
    return true;
}

static char *find(const table_state *state, const state_map *map, const void *key, uint32_t hash) {
    if (!map) return NULL;
    if (!map->index) {
        for (uint32_t i = 0; i < map->used; i++) {
            char *entry = entry_at(state, map, i);
            if (key_is(state, entry, key, hash)) return entry;
        }
        return NULL;
    }
    uint32_t mask = (UINT32_C(1) << map->index_bits) - 1;
    for (uint32_t at = hash & mask; map->index[at] != 0; at = (at + 1) & mask) {
        char *entry = entry_at(state, map, map->index[at] - 1);
        if (key_is(state, entry, key, hash)) return entry;
    }
    return NULL;
}

/* ---------------------------------------------------------------- whole maps */
/* A new map with the entries that are left, in their order; keys and values go over bit by bit, so
 * the old map owns none afterwards. NULL without memory. */
static state_map *packed(raski_keyed_table *table, const table_state *state, const state_map *map) {
    state_map *made = new_map(table, state);
    if (!made) return NULL;
    made->held = map->held;
    for (uint32_t i = 0; i < map->used; i++) {
        char *entry = entry_at(state, map, i);
        if (*entry_flags(entry) & ENTRY_REMOVED) continue;
        if (made->used == capacity_of(made) && !add_chunk(table, state, made)) {
            drop_parts(table, state, made, false);
            return NULL;
        }
        memcpy(entry_at(state, made, made->used++), entry, state->entry_size);
    }
    if (reserve_index(table, state, made, 1)) return made;
    drop_parts(table, state, made, false);
    return NULL;
}

static bool repack(raski_keyed_table *table, const table_state *state, raski_state_slot *slot) {
    state_map *made = packed(table, state, slot->memory);
    if (!made) return false;
    drop_parts(table, state, slot->memory, true);
    slot->memory = made;
    return true;
}

/* Before a change: a running snapshot reads the map as it was when it began. */
static bool make_writable(raski_keyed_table *table, const table_state *state,
                          raski_state_slot *slot) {
    const state_map *map = slot->memory;
    if (__builtin_expect(!table->snapshot || !map || map->epoch == table->epoch, 1)) return true;
    return repack(table, state, slot);
}

/* Pointers to values were given out; until the end of the batch entries stay where they are. */
static void hold(raski_keyed_table *table, const raski_state_slot *slot) {
    ((state_map *)slot->memory)->held = table->batch;
}

static bool is_sparse(const raski_keyed_table *table, const raski_state_slot *slot) {
    const state_map *map = slot->memory;
    return map->used > INDEX_FROM && slot->count < map->used / 2 && map->held != table->batch;
}

/* Room for one more entry. */
static bool reserve(raski_keyed_table *table, const table_state *state, raski_state_slot *slot) {
    if (!slot->memory) return (slot->memory = new_map(table, state)) != NULL;
    state_map *map = slot->memory;
    if (map->used == capacity_of(map)) {
        if (is_sparse(table, slot)) {
            if (!repack(table, state, slot)) return false;
            map = slot->memory;
        } else if (!add_chunk(table, state, map)) {
            return false;
        }
    }
    return reserve_index(table, state, map, 1);
}

char *raski_table_map_add(raski_keyed_table *table, raski_state_slot *slot, unsigned state,
                          const void *key) {
    const table_state *spec = &table->states[state];
    if (!reserve(table, spec, slot)) return NULL;
    state_map *map = slot->memory;
    char *entry = entry_at(spec, map, map->used);
    memset(entry, 0, spec->entry_size);
    memcpy(entry + spec->key_offset, key, spec->key_size);
    *entry_hash(entry) = hash_of(table, spec, key);
    if (map->index) index_insert(map, *entry_hash(entry), map->used);
    map->used++;
    slot->count++;
    return entry;
}

char *raski_table_map_entry(const raski_keyed_table *table, const raski_state_slot *slot,
                            unsigned state, uint32_t *position) {
    const table_state *spec = &table->states[state];
    const state_map *map = slot->memory;
    while (map && *position < map->used) {
        char *entry = entry_at(spec, map, (*position)++);
        if (!(*entry_flags(entry) & ENTRY_REMOVED)) return entry;
    }
    return NULL;
}

void raski_table_map_free(raski_keyed_table *table, void *map, unsigned state) {
    const table_state *spec = &table->states[state];
    raski_state_slot slot = {.memory = map};
    uint32_t position = 0;
    if (spec->key_layout || spec->layout) {
        for (char *entry; (entry = raski_table_map_entry(table, &slot, state, &position));) {
            raski_table_disown(table, spec->key_layout, entry + spec->key_offset);
            raski_table_disown(table, spec->layout, entry + spec->value_offset);
        }
    }
    drop_parts(table, spec, map, false);
}

void raski_table_map_clear(raski_keyed_table *table, char *row, unsigned state) {
    raski_state_slot *slot = row_slot(table, row, state);
    if (slot->memory)
        raski_table_throw_block(table,
                                (garbage_block){.memory = slot->memory, .map_state = state + 1});
    *slot = (raski_state_slot){0};
    set_present(table, row, state, false);
}

/* ---------------------------------------------------------------- entries */
static int64_t *time_of(const table_state *state, char *entry) {
    return (int64_t *)(void *)(entry + state->time_offset);
}
static bool has_expired(const raski_keyed_table *table, const table_state *state, char *entry) {
    return state->ttl.time_ms &&
           raski_ttl_expired(&state->ttl, *time_of(state, entry), table->now_ms);
}
static void stamp(const raski_keyed_table *table, const table_state *state, char *entry) {
    if (state->ttl.time_ms) *time_of(state, entry) = table->now_ms;
}

/* The bytes of the entry stay as they are until the end of the batch. false without memory. */
static bool remove_entry(raski_keyed_table *table, char *row, unsigned state, char *entry) {
    const table_state *spec = &table->states[state];
    raski_state_slot *slot = row_slot(table, row, state);
    size_t bytes = (spec->key_layout ? spec->key_size : 0) + (spec->layout ? spec->item_size : 0);
    if (bytes && (!raski_table_reserve_garbage(table, spec->key_size) ||
                  !raski_table_reserve_garbage(table, bytes)))
        return false;
    if (slot->count == 1 && !(*entry_flags(entry) & ENTRY_TRACKED)) {
        raski_table_map_clear(table, row, state);
        return true;
    }
    if (spec->key_layout) raski_table_throw_away(table, spec->key_layout, entry + spec->key_offset);
    if (spec->layout && !(*entry_flags(entry) & ENTRY_TRACKED))
        raski_table_throw_away(table, spec->layout, entry + spec->value_offset);
    *entry_flags(entry) |= ENTRY_REMOVED;
    slot->count--;
    hold(table, slot);
    if (slot->count == 0)
        raski_table_map_clear(table, row, state);
    else
        set_present(table, row, state, true);
    return true;
}

/* The entry of a key as a reader sees it (Flink: TtlMapState.getWrapped), or NULL. */
static rask_status read_entry(raski_keyed_table *table, char *row, unsigned state, char *entry,
                              char **ret_entry, raski_error *err) {
    const table_state *spec = &table->states[state];
    *ret_entry = entry;
    if (!entry || !spec->ttl.time_ms) return RASK_OK;
    if (has_expired(table, spec, entry)) {
        if (!remove_entry(table, row, state, entry)) return raski_table_no_memory(table, err);
        if (spec->ttl.visibility == RASK_TTL_NEVER_RETURN_EXPIRED) *ret_entry = NULL;
    } else if (spec->ttl.update == RASK_TTL_ON_READ_AND_WRITE) {
        stamp(table, spec, entry);
        set_present(table, row, state, true);
    }
    return RASK_OK;
}

/* Finds the entry of a key in a map that may be changed. */
static rask_status seek(raski_keyed_table *table, char *row, unsigned state, const void *key,
                        bool to_write, char **ret_entry, raski_error *err) {
    const table_state *spec = &table->states[state];
    RASKI_DCHECK(spec->kind == RASKI_STATE_MAP);
    RASKI_TRY(table_need(table, row, state, err));
    raski_state_slot *slot = row_slot(table, row, state);
    if ((to_write || spec->ttl.time_ms) && !make_writable(table, spec, slot))
        return raski_table_no_memory(table, err);
    *ret_entry = slot->memory ? find(spec, slot->memory, key, hash_of(table, spec, key)) : NULL;
    return RASK_OK;
}

rask_status raski_keyed_table_map_get(raski_keyed_table *table, char *row, unsigned state,
                                      const void *key, const void **ret_value, raski_error *err) {
    char *entry = NULL;
    RASKI_TRY(seek(table, row, state, key, false, &entry, err));
    RASKI_TRY(read_entry(table, row, state, entry, &entry, err));
    if (entry && row_slot(table, row, state)->memory) hold(table, row_slot(table, row, state));
    *ret_value = entry ? entry + table->states[state].value_offset : NULL;
    return RASK_OK;
}

/* A new entry with copies of its own of the key; its value is zero. */
static char *add_entry(raski_keyed_table *table, char *row, unsigned state, const void *key) {
    const table_state *spec = &table->states[state];
    memcpy(table->scratch, key, spec->key_size);
    if (!raski_table_own(table, spec->key_layout, table->scratch)) return NULL;
    char *entry = raski_table_map_add(table, row_slot(table, row, state), state, table->scratch);
    if (!entry) {
        raski_table_disown(table, spec->key_layout, table->scratch);
        return NULL;
    }
    set_present(table, row, state, true);
    return entry;
}

rask_status raski_keyed_table_map_ref(raski_keyed_table *table, char *row, unsigned state,
                                      const void *key, void **ret_value, bool *ret_new,
                                      raski_error *err) {
    const table_state *spec = &table->states[state];
    char *entry = NULL;
    RASKI_TRY(seek(table, row, state, key, true, &entry, err));
    if (entry && has_expired(table, spec, entry)) {
        if (!remove_entry(table, row, state, entry)) return raski_table_no_memory(table, err);
        entry = NULL;
    }
    bool is_new = entry == NULL;
    if (is_new) entry = add_entry(table, row, state, key);
    if (!entry) return raski_table_no_memory(table, err);
    stamp(table, spec, entry);
    set_present(table, row, state, true);
    hold(table, row_slot(table, row, state));
    RASKI_TRY(raski_table_track_entry(table, entry, state, true, err));
    *ret_value = entry + spec->value_offset;
    if (ret_new) *ret_new = is_new;
    return RASK_OK;
}

rask_status raski_keyed_table_map_put(raski_keyed_table *table, char *row, unsigned state,
                                      const void *key, const void *value, raski_error *err) {
    const table_state *spec = &table->states[state];
    char *entry = NULL;
    RASKI_TRY(seek(table, row, state, key, true, &entry, err));
    bool is_new = entry == NULL;
    if (is_new) entry = add_entry(table, row, state, key);
    if (!entry) return raski_table_no_memory(table, err);
    char *place = entry + spec->value_offset;
    if (spec->layout && !(*entry_flags(entry) & ENTRY_TRACKED)) {
        /* value may lie in this very map */
        memcpy(table->scratch, value, spec->item_size);
        if (!raski_table_reserve_garbage(table, spec->item_size) ||
            !raski_table_own(table, spec->layout, table->scratch)) {
            if (is_new) (void)remove_entry(table, row, state, entry);
            return raski_table_no_memory(table, err);
        }
        if (!is_new) raski_table_throw_away(table, spec->layout, place);
        memcpy(place, table->scratch, spec->item_size);
    } else {
        memmove(place, value, spec->item_size);
    }
    stamp(table, spec, entry);
    set_present(table, row, state, true);
    return RASK_OK;
}

rask_status raski_keyed_table_map_remove(raski_keyed_table *table, char *row, unsigned state,
                                         const void *key, bool *ret_removed, raski_error *err) {
    char *entry = NULL;
    RASKI_TRY(seek(table, row, state, key, true, &entry, err));
    if (entry && !remove_entry(table, row, state, entry)) return raski_table_no_memory(table, err);
    if (ret_removed) *ret_removed = entry != NULL;
    return RASK_OK;
}

rask_status raski_keyed_table_map_next(raski_keyed_table *table, char *row, unsigned state,
                                       uint32_t *position, const void **ret_key,
                                       const void **ret_value, raski_error *err) {
    const table_state *spec = &table->states[state];
    RASKI_DCHECK(spec->kind == RASKI_STATE_MAP);
    RASKI_TRY(table_need(table, row, state, err));
    raski_state_slot *slot = row_slot(table, row, state);
    *ret_key = NULL;
    if (!slot->memory) return RASK_OK;
    if (*position == 0) {
        if (spec->ttl.time_ms && !make_writable(table, spec, slot))
            return raski_table_no_memory(table, err);
        if (is_sparse(table, slot)) (void)repack(table, spec, slot); /* only to be quicker */
        hold(table, slot);
    }
    for (char *entry; (entry = raski_table_map_entry(table, slot, state, position));) {
        RASKI_TRY(read_entry(table, row, state, entry, &entry, err));
        if (!entry) continue;
        *ret_key = entry + spec->key_offset;
        *ret_value = entry + spec->value_offset;
        return RASK_OK;
    }
    return RASK_OK;
}

void raski_table_map_expire(raski_keyed_table *table, char *row, unsigned state) {
    const table_state *spec = &table->states[state];
    raski_state_slot *slot = row_slot(table, row, state);
    if (!slot->memory || !make_writable(table, spec, slot)) return;
    uint32_t position = 0;
    for (char *entry; (entry = raski_table_map_entry(table, slot, state, &position));)
        if (has_expired(table, spec, entry) && !remove_entry(table, row, state, entry)) return;
}
