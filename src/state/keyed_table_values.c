/* States whose types have pointers (long strings, lists): who owns what, and until when.
 *
 * A row owns what its states point to. While user code works on a batch it may put borrowed
 * pointers into states in place; such a state is tracked: its bytes from before are saved, and its
 * bit in the row's tracked word is set. raski_keyed_table_adopt ends that. What is replaced goes to
 * the garbage and is freed when the batch was handed on, since emitted records may borrow it. */
#include <string.h>

#include "state/key_inline.h"
#include "state/keyed_table_cache.h"

enum {
    SWEEP_BLOCK = 64, /* rows whose index lines are on their way */
    SWEEP_AHEAD = 8,  /* rows that are fetched ahead of that */
};

/* ---------------------------------------------------------------- lists of saved values */
static bool saved_values_reserve(saved_values *values, size_t size) {
    if (values->count == values->capacity) {
        size_t capacity = values->capacity ? values->capacity * 2 : 64;
        saved_value *items = raski_try_alloc(capacity * sizeof *items, 0);
        if (!items) return false;
        if (values->count) memcpy(items, values->items, values->count * sizeof *items);
        raski_free(values->items);
        values->items = items;
        values->capacity = capacity;
    }
    if (values->bytes_capacity - values->bytes_used < size) {
        size_t capacity = values->bytes_capacity * 2 + size + 1024;
        char *bytes = raski_try_alloc(capacity, 0);
        if (!bytes) return false;
        if (values->bytes_used) memcpy(bytes, values->bytes, values->bytes_used);
        raski_free(values->bytes);
        values->bytes = bytes;
        values->bytes_capacity = capacity;
    }
    return true;
}

/* After a successful reserve of the same size. */
static void saved_values_push(saved_values *values, saved_value value, const char *bytes,
                              size_t size) {
    value.bytes_at = values->bytes_used;
    values->items[values->count++] = value;
    memcpy(values->bytes + values->bytes_used, bytes, size);
    values->bytes_used += size;
}

static void saved_values_forget(saved_values *values) {
    values->count = values->bytes_used = 0;
}

/* ---------------------------------------------------------------- garbage */
bool raski_table_reserve_garbage(raski_keyed_table *table, size_t size) {
    return saved_values_reserve(&table->garbage, size);
}

void raski_table_throw_away(raski_keyed_table *table, const raski_layout *layout,
                            const void *value) {
    saved_values_push(&table->garbage, (saved_value){.layout = layout}, value, layout->size);
}

void raski_table_throw_block(raski_keyed_table *table, garbage_block block) {
    raski_vec_push(&table->blocks, block);
}

void *raski_table_alloc(raski_keyed_table *table, size_t bytes) {
    if (!table_charge(table, bytes)) return NULL;
    void *memory = raski_try_alloc(bytes, 0);
    if (!memory) table_release(table, bytes);
    return memory;
}

bool raski_table_own(raski_keyed_table *table, const raski_layout *layout, void *value) {
    if (!layout) return true;
    size_t bytes = raski_record_extra_size(layout, value);
    if (!table_charge(table, bytes)) return false;
    memcpy(table->owned_scratch, value, layout->size);
    if (raski_record_own(layout, value, table->owned_scratch, NULL) == RASK_OK) return true;
    memcpy(value, table->owned_scratch, layout->size);
    table_release(table, bytes);
    return false;
}

void raski_table_disown(raski_keyed_table *table, const raski_layout *layout, void *value) {
    if (!layout) return;
    table_release(table, raski_record_extra_size(layout, value));
    raski_record_disown(layout, value);
}

static void free_block(raski_keyed_table *table, const garbage_block *block) {
    if (block->map_state) {
        raski_table_map_free(table, block->memory, block->map_state - 1);
        return;
    }
    char *value = block->memory;
    for (uint32_t i = 0; block->layout && i < block->count; i++, value += block->layout->size)
        raski_table_disown(table, block->layout, value);
    raski_free(block->memory);
    table_release(table, block->bytes);
}

void raski_table_free_garbage(raski_keyed_table *table) {
    for (size_t i = 0; i < table->garbage.count; i++) {
        const saved_value *saved = &table->garbage.items[i];
        memcpy(table->scratch, table->garbage.bytes + saved->bytes_at, saved->layout->size);
        raski_table_disown(table, saved->layout, table->scratch);
    }
    saved_values_forget(&table->garbage);
    for (size_t i = 0; i < table->blocks.count; i++) free_block(table, &table->blocks.items[i]);
    table->blocks.count = 0;
}

/* ---------------------------------------------------------------- key parts inside state 0 */
/* The key's memory belongs to the row, not to the state's value. */
static void zero_key_parts(const raski_keyed_table *table, unsigned state, char *value) {
    if (!table->key_in_state || state != 0) return;
    for (uint32_t i = 0; i < table->key.part_count; i++)
        memset(value + table->key.parts[i].offset, 0, table->key.parts[i].type->size);
}
static void copy_key_parts(const raski_keyed_table *table, unsigned state, char *value,
                           const char *from) {
    if (!table->key_in_state || state != 0) return;
    for (uint32_t i = 0; i < table->key.part_count; i++)
        memcpy(value + table->key.parts[i].offset, from + table->key.parts[i].offset,
               table->key.parts[i].type->size);
}

/* ---------------------------------------------------------------- owning */
static bool has_value(const raski_keyed_table *table, const char *row, unsigned state) {
    return table->permanent || raski_row_has(row, state);
}

static bool is_tracked(const raski_keyed_table *table, const char *row, unsigned state) {
    return table->tracked_offset && (load_u32(row + table->tracked_offset) >> state & 1U) != 0;
}

/* value borrows: it makes own copies, the key parts (which become zero) excepted. */
static bool own_value(raski_keyed_table *table, unsigned state, char *value) {
    zero_key_parts(table, state, value);
    return raski_table_own(table, table->states[state].layout, value);
}

static void disown_value(raski_keyed_table *table, unsigned state, char *value) {
    zero_key_parts(table, state, value);
    raski_table_disown(table, table->states[state].layout, value);
}

/* A state's value that was replaced; there is room for it in the garbage. */
static void throw_away(raski_keyed_table *table, unsigned state, const char *value) {
    const raski_layout *layout = table->states[state].layout;
    size_t at = table->garbage.bytes_used;
    raski_table_throw_away(table, layout, value);
    zero_key_parts(table, state, table->garbage.bytes + at);
}

rask_status raski_keyed_table_store(raski_keyed_table *table, char *row, unsigned state,
                                    const void *value, raski_error *err) {
    const table_state *spec = &table->states[state];
    RASKI_DCHECK(spec->kind == RASKI_STATE_VALUE);
    char *place = row + spec->offset;
    if (!spec->layout) {
        memmove(place, value, spec->size);
    } else if (is_tracked(table, row, state)) {
        memcpy(table->scratch, value, spec->size);
        copy_key_parts(table, state, table->scratch, place);
        memcpy(place, table->scratch, spec->size);
    } else {
        if (!saved_values_reserve(&table->garbage, spec->size))
            return raski_table_no_memory(table, err);
        memcpy(table->scratch, value, spec->size);
        if (!own_value(table, state, table->scratch)) return raski_table_no_memory(table, err);
        if (has_value(table, row, state)) throw_away(table, state, place);
        copy_key_parts(table, state, table->scratch, place);
        memcpy(place, table->scratch, spec->size);
    }
    if (!table->permanent) raski_row_set(row, state);
    return RASK_OK;
}

/* Zeroes a state, the key parts excepted. */
static void zero_state(const raski_keyed_table *table, char *row, unsigned state) {
    char *place = row + table->states[state].offset;
    if (table->key_in_state && state == 0) {
        memset(table->scratch, 0, table->states[state].size);
        copy_key_parts(table, state, table->scratch, place);
        memcpy(place, table->scratch, table->states[state].size);
    } else {
        memset(place, 0, table->states[state].size);
    }
}

rask_status raski_keyed_table_clear(raski_keyed_table *table, char *row, unsigned state,
                                    raski_error *err) {
    RASKI_DCHECK(!table->permanent);
    if (!raski_row_has(row, state)) return RASK_OK;
    const table_state *spec = &table->states[state];
    if (spec->kind == RASKI_STATE_LIST) {
        raski_table_list_clear(table, row, state);
        return RASK_OK;
    }
    if (spec->kind == RASKI_STATE_MAP) {
        raski_table_map_clear(table, row, state);
        return RASK_OK;
    }
    if (spec->layout && !is_tracked(table, row, state)) {
        if (!saved_values_reserve(&table->garbage, spec->size))
            return raski_table_no_memory(table, err);
        throw_away(table, state, row + spec->offset);
    }
    zero_state(table, row, state);
    *row_present(row) &= ~(UINT32_C(1) << state);
    return RASK_OK;
}

/* ---------------------------------------------------------------- tracking */
rask_status raski_keyed_table_track(raski_keyed_table *table, char *row, unsigned state,
                                    raski_error *err) {
    const table_state *spec = &table->states[state];
    if (!spec->layout) return RASK_OK;
    RASKI_DCHECK(table->tracked_offset);
    if (is_tracked(table, row, state)) return RASK_OK;
    if (!saved_values_reserve(&table->tracked, spec->size))
        return raski_table_no_memory(table, err);
    saved_value saved = {.row = row,
                         .layout = spec->layout,
                         .state = state,
                         .was_present = raski_row_has(row, state)};
    saved_values_push(&table->tracked, saved, row + spec->offset, spec->size);
    *(uint32_t *)(void *)(row + table->tracked_offset) |= UINT32_C(1) << state;
    return RASK_OK;
}

rask_status raski_table_track_entry(raski_keyed_table *table, char *entry, unsigned state,
                                    bool was_present, raski_error *err) {
    const table_state *spec = &table->states[state];
    if (!spec->layout || *entry_flags(entry) & ENTRY_TRACKED) return RASK_OK;
    if (!saved_values_reserve(&table->tracked, spec->item_size))
        return raski_table_no_memory(table, err);
    saved_value saved = {.row = entry,
                         .place = entry + spec->value_offset,
                         .layout = spec->layout,
                         .state = state,
                         .was_present = was_present};
    saved_values_push(&table->tracked, saved, saved.place, spec->item_size);
    *entry_flags(entry) |= ENTRY_TRACKED;
    return RASK_OK;
}

static void restore_tracked(raski_keyed_table *table, const saved_value *saved) {
    if (saved->place) {
        memcpy(saved->place, table->tracked.bytes + saved->bytes_at, saved->layout->size);
        *entry_flags(saved->row) &= ~ENTRY_TRACKED;
        return;
    }
    uint32_t bit = UINT32_C(1) << saved->state;
    memcpy(saved->row + table->states[saved->state].offset, table->tracked.bytes + saved->bytes_at,
           table->states[saved->state].size);
    if (saved->was_present)
        *row_present(saved->row) |= bit;
    else
        *row_present(saved->row) &= ~bit;
}

/* A map's value. When its entry was removed meanwhile, what it owned before is all there is. */
static bool adopt_entry(raski_keyed_table *table, const saved_value *saved) {
    const raski_layout *layout = saved->layout;
    const char *before = table->tracked.bytes + saved->bytes_at;
    bool removed = (*entry_flags(saved->row) & ENTRY_REMOVED) != 0;
    if (!removed && memcmp(saved->place, before, layout->size) == 0) {
        *entry_flags(saved->row) &= ~ENTRY_TRACKED;
        return true;
    }
    if (!saved_values_reserve(&table->garbage, layout->size)) return false;
    if (!removed) {
        memcpy(table->scratch, saved->place, layout->size);
        if (!raski_table_own(table, layout, table->scratch)) return false;
        memcpy(saved->place, table->scratch, layout->size);
    }
    *entry_flags(saved->row) &= ~ENTRY_TRACKED;
    if (saved->was_present) raski_table_throw_away(table, layout, before);
    return true;
}

/* false without memory: nothing is changed then. */
static bool adopt_one(raski_keyed_table *table, const saved_value *saved) {
    if (saved->place) return adopt_entry(table, saved);
    const table_state *spec = &table->states[saved->state];
    char *place = saved->row + spec->offset;
    const char *before = table->tracked.bytes + saved->bytes_at;
    bool present = raski_row_has(saved->row, saved->state);
    if (present && saved->was_present && memcmp(place, before, spec->size) == 0) return true;
    if (!saved_values_reserve(&table->garbage, spec->size)) return false;
    if (present) {
        memcpy(table->scratch, place, spec->size);
        if (!own_value(table, saved->state, table->scratch)) return false;
    } else {
        memset(table->scratch, 0, spec->size);
    }
    copy_key_parts(table, saved->state, table->scratch, before);
    memcpy(place, table->scratch, spec->size);
    if (saved->was_present) throw_away(table, saved->state, before);
    return true;
}

rask_status raski_keyed_table_adopt(raski_keyed_table *table, raski_error *err) {
    bool failed = false;
    for (size_t i = 0; i < table->tracked.count; i++) {
        const saved_value *saved = &table->tracked.items[i];
        if (!failed && !adopt_one(table, saved)) failed = true;
        if (failed) restore_tracked(table, saved);
        if (saved->place) continue;
        *(uint32_t *)(void *)(saved->row + table->tracked_offset) &= ~(UINT32_C(1) << saved->state);
    }
    saved_values_forget(&table->tracked);
    return failed ? raski_table_no_memory(table, err) : RASK_OK;
}

void raski_keyed_table_end_batch(raski_keyed_table *table) {
    if (!table->snapshot) raski_table_free_garbage(table);
    table->batch++;
    if (__builtin_expect(table->has_ttl, 0)) raski_table_ttl_cleanup(table);
    if (__builtin_expect(table->cache != NULL, 0)) raski_cache_end_batch(table);
}

void raski_keyed_table_sweep(raski_keyed_table *table, char *const *rows, size_t n) {
    uint64_t hashes[SWEEP_BLOCK];
    char *gone[SWEEP_BLOCK];
    RASKI_DCHECK(!table->permanent);
    for (size_t i = 0; i < n;) {
        size_t count = 0;
        for (; i < n && count < SWEEP_BLOCK; i++) {
            if (i + SWEEP_AHEAD < n) __builtin_prefetch(rows[i + SWEEP_AHEAD]);
            if (__builtin_expect(*row_present(rows[i]) != 0, 1)) continue;
            if (table->timers_offset && raski_keyed_table_pins(table, rows[i]) != 0) continue;
            raski_keyed_table_before_write(table, rows[i]);
            if (__builtin_expect(table->cache != NULL, 0) && raski_cache_keeps(table, rows[i]))
                continue;
            RASKI_DCHECK(!table->tracked_offset || load_u32(rows[i] + table->tracked_offset) == 0);
            hashes[count] = table_hash(table, &table->key_in_row, rows[i]);
            raski_table_index_prefetch(table, hashes[count]);
            gone[count++] = rows[i];
        }
        for (size_t k = 0; k < count; k++) {
            if (*row_present(gone[k]) != 0) continue; /* it was among them twice */
            uint32_t number = raski_table_index_remove(table, hashes[k], gone[k]);
            RASKI_ASSERT(number != 0);
            raski_table_drop_row(table, number);
        }
    }
}

void raski_table_release_row(raski_keyed_table *table, char *row) {
    for (unsigned i = 0; i < table->state_count; i++) {
        const table_state *state = &table->states[i];
        if (state->kind == RASKI_STATE_LIST) {
            raski_table_list_free(table, row_slot(table, row, i), i);
        } else if (state->kind == RASKI_STATE_MAP) {
            if (row_slot(table, row, i)->memory)
                raski_table_map_free(table, row_slot(table, row, i)->memory, i);
        } else if (state->layout && has_value(table, row, i)) {
            memcpy(table->scratch, row + state->offset, state->size);
            disown_value(table, i, table->scratch);
        }
    }
}

void raski_table_release_values(raski_keyed_table *table) {
    for (size_t i = 0; i < table->tracked.count; i++)
        restore_tracked(table, &table->tracked.items[i]);
    raski_table_free_garbage(table);
    bool owns = table->tracked_offset != 0 || table->container_count > 0;
    for (size_t i = 0; i < table->state_count; i++) owns = owns || table->states[i].layout;
    for (uint32_t i = 0; i < table->key.part_count; i++) owns = owns || table->key_layouts[i];
    size_t position = 0;
    for (char *row; owns && (row = raski_keyed_table_next(table, &position));) {
        raski_table_release_row(table, row);
        for (uint32_t i = 0; i < table->key.part_count; i++)
            raski_table_disown(table, table->key_layouts[i],
                               row + table->key_in_row.parts[i].offset);
    }
    raski_free(table->tracked.items);
    raski_free(table->tracked.bytes);
    raski_free(table->garbage.items);
    raski_free(table->garbage.bytes);
    raski_vec_free(&table->blocks);
}
