/* List states. The items of a list lie one behind the other in a block of their own; with TTL the
 * times of their last access follow behind the last possible item. A block is never changed below
 * the count that somebody may have seen: additions go behind it, everything else makes a new block
 * and leaves the old one to the garbage. So a view stays as it was until the end of the batch, and
 * a copy of the row is a copy of the list (snapshots). */
#include <string.h>

#include "state/key_inline.h"
#include "state/keyed_table_cache.h"

enum { FIRST_BLOCK = 32 }; /* bytes of items that a short list has room for */

static size_t times_at(const table_state *state, uint32_t capacity) {
    return ((size_t)capacity * state->item_size + 7) / 8 * 8;
}
static size_t block_bytes(const table_state *state, uint32_t capacity) {
    size_t bytes = times_at(state, capacity);
    return state->ttl.time_ms ? bytes + (size_t)capacity * sizeof(int64_t) : bytes;
}
static int64_t *times_of(const table_state *state, void *memory, uint32_t capacity) {
    return (int64_t *)(void *)((char *)memory + times_at(state, capacity));
}
static char *item_at(const table_state *state, void *memory, uint32_t i) {
    return (char *)memory + (size_t)i * state->item_size;
}

/* The block becomes garbage; owned items at its start go with it. */
static void throw_list(raski_keyed_table *table, const table_state *state,
                       const raski_state_slot *slot, uint32_t owned) {
    if (!slot->memory) return;
    raski_table_throw_block(table, (garbage_block){.memory = slot->memory,
                                                   .bytes = block_bytes(state, slot->capacity),
                                                   .layout = owned ? state->layout : NULL,
                                                   .count = owned});
}

static void set_present(raski_keyed_table *table, char *row, unsigned state, bool present) {
    if (present)
        raski_row_set(row, state);
    else
        *row_present(row) &= ~(UINT32_C(1) << state);
    if (table->cache) raski_cache_container_changed(table, row, state);
}

static bool new_block(raski_keyed_table *table, const table_state *state, uint32_t capacity,
                      raski_state_slot *ret_slot) {
    void *memory = raski_table_alloc(table, block_bytes(state, capacity));
    if (!memory) return false;
    *ret_slot = (raski_state_slot){.memory = memory, .capacity = capacity};
    return true;
}

/* Moves items of another block (which goes on pointing to what they own) to the end of this one. */
static void append_moved(const table_state *state, raski_state_slot *to,
                         const raski_state_slot *from, uint32_t first, uint32_t count) {
    if (count == 0) return;
    memcpy(item_at(state, to->memory, to->count), item_at(state, from->memory, first),
           (size_t)count * state->item_size);
    if (state->ttl.time_ms)
        memcpy(times_of(state, to->memory, to->capacity) + to->count,
               times_of(state, from->memory, from->capacity) + first, count * sizeof(int64_t));
    to->count += count;
}

/* Appends copies; there is room. false without memory: the block is as before. */
static bool append_copies(raski_keyed_table *table, const table_state *state, raski_state_slot *to,
                          const void *items, uint32_t count) {
    char *first = item_at(state, to->memory, to->count);
    memcpy(first, items, (size_t)count * state->item_size);
    for (uint32_t i = 0; state->layout && i < count; i++) {
        if (raski_table_own(table, state->layout, first + (size_t)i * state->item_size)) continue;
        while (i-- > 0)
            raski_table_disown(table, state->layout, first + (size_t)i * state->item_size);
        return false;
    }
    if (state->ttl.time_ms) {
        int64_t *times = times_of(state, to->memory, to->capacity) + to->count;
        for (uint32_t i = 0; i < count; i++) times[i] = table->now_ms;
    }
    to->count += count;
    return true;
}

static uint32_t grown_capacity(const table_state *state, uint32_t before, uint32_t wanted) {
    uint64_t capacity = (uint64_t)before * 2, least = FIRST_BLOCK / (uint64_t)state->item_size;
    if (capacity < least) capacity = least;
    if (capacity < wanted) capacity = wanted;
    return capacity > UINT32_MAX ? UINT32_MAX : (uint32_t)capacity;
}

/* Room for more items. The old block, if there was one, goes to the garbage. */
static bool reserve(raski_keyed_table *table, const table_state *state, raski_state_slot *slot,
                    uint32_t more) {
    if (more <= slot->capacity - slot->count) return true;
    if (more > UINT32_MAX - slot->count) return false;
    raski_state_slot grown;
    if (!new_block(table, state, grown_capacity(state, slot->capacity, slot->count + more), &grown))
        return false;
    append_moved(state, &grown, slot, 0, slot->count);
    throw_list(table, state, slot, 0);
    *slot = grown;
    return true;
}

rask_status raski_keyed_table_list_add(raski_keyed_table *table, char *row, unsigned state,
                                       const void *items, uint32_t count, raski_error *err) {
    const table_state *spec = &table->states[state];
    RASKI_DCHECK(spec->kind == RASKI_STATE_LIST);
    if (count == 0) return RASK_OK;
    RASKI_TRY(table_need(table, row, state, err));
    raski_state_slot *slot = row_slot(table, row, state);
    if (!reserve(table, spec, slot, count)) return raski_table_no_memory(table, err);
    bool done = append_copies(table, spec, slot, items, count);
    if (slot->count == 0) { /* a block without items is none */
        throw_list(table, spec, slot, 0);
        *slot = (raski_state_slot){0};
    }
    if (!done) return raski_table_no_memory(table, err);
    set_present(table, row, state, true);
    return RASK_OK;
}

rask_status raski_keyed_table_list_replace(raski_keyed_table *table, char *row, unsigned state,
                                           const void *items, uint32_t count, raski_error *err) {
    const table_state *spec = &table->states[state];
    RASKI_DCHECK(spec->kind == RASKI_STATE_LIST);
    if (count == 0) return raski_keyed_table_clear(table, row, state, err);
    raski_state_slot made;
    if (!new_block(table, spec, count, &made)) return raski_table_no_memory(table, err);
    if (!append_copies(table, spec, &made, items, count)) {
        raski_free(made.memory);
        table_release(table, block_bytes(spec, count));
        return raski_table_no_memory(table, err);
    }
    raski_state_slot *slot = row_slot(table, row, state);
    throw_list(table, spec, slot, slot->count);
    *slot = made;
    set_present(table, row, state, true);
    return RASK_OK;
}

void raski_table_list_clear(raski_keyed_table *table, char *row, unsigned state) {
    raski_state_slot *slot = row_slot(table, row, state);
    throw_list(table, &table->states[state], slot, slot->count);
    *slot = (raski_state_slot){0};
    set_present(table, row, state, false);
}

void raski_table_list_free(raski_keyed_table *table, raski_state_slot *slot, unsigned state) {
    const table_state *spec = &table->states[state];
    if (!slot->memory) return;
    for (uint32_t i = 0; spec->layout && i < slot->count; i++)
        raski_table_disown(table, spec->layout, item_at(spec, slot->memory, i));
    raski_free(slot->memory);
    table_release(table, block_bytes(spec, slot->capacity));
}

/* The list becomes a new block with those of its items that are marked to be kept, or without keep
 * with all but `removed` items at `from`. false without memory: nothing has changed. */
static bool keep_items(raski_keyed_table *table, char *row, unsigned state, const bool *keep,
                       uint32_t from, uint32_t removed) {
    const table_state *spec = &table->states[state];
    raski_state_slot *slot = row_slot(table, row, state), made;
    uint32_t kept = slot->count - removed;
    if (kept == 0) {
        raski_table_list_clear(table, row, state);
        return true;
    }
    if (!new_block(table, spec, grown_capacity(spec, 0, kept), &made)) return false;
    raski_state_slot gone = {0};
    if (spec->layout && removed > 0 && !new_block(table, spec, removed, &gone)) {
        raski_free(made.memory);
        table_release(table, block_bytes(spec, made.capacity));
        return false;
    }
    for (uint32_t i = 0; i < slot->count;) {
        bool stays = keep ? keep[i] : i < from || i >= from + removed;
        uint32_t end = i + 1;
        while (end < slot->count &&
               (keep ? keep[end] : end < from || end >= from + removed) == stays)
            end++;
        if (stays)
            append_moved(spec, &made, slot, i, end - i);
        else if (spec->layout)
            append_moved(spec, &gone, slot, i, end - i);
        i = end;
    }
    throw_list(table, spec, &gone, gone.count);
    throw_list(table, spec, slot, 0);
    *slot = made;
    set_present(table, row, state, true);
    return true;
}

rask_status raski_keyed_table_list_remove(raski_keyed_table *table, char *row, unsigned state,
                                          uint32_t from, uint32_t count, raski_error *err) {
    RASKI_TRY(table_need(table, row, state, err));
    raski_state_slot *slot = row_slot(table, row, state);
    RASKI_ASSERT(from <= slot->count && count <= slot->count - from);
    if (count == 0) return RASK_OK;
    if (!keep_items(table, row, state, NULL, from, count)) return raski_table_no_memory(table, err);
    return RASK_OK;
}

rask_status raski_keyed_table_list_move(raski_keyed_table *table, char *from_row, char *to_row,
                                        unsigned state, raski_error *err) {
    const table_state *spec = &table->states[state];
    raski_state_slot *from = row_slot(table, from_row, state);
    raski_state_slot *to = row_slot(table, to_row, state);
    if (from_row == to_row || from->count == 0) return RASK_OK;
    RASKI_TRY(table_need(table, from_row, state, err));
    RASKI_TRY(table_need(table, to_row, state, err));
    if (to->count == 0) {
        *to = *from;
    } else {
        if (!reserve(table, spec, to, from->count)) return raski_table_no_memory(table, err);
        append_moved(spec, to, from, 0, from->count);
        throw_list(table, spec, from, 0);
    }
    *from = (raski_state_slot){0};
    set_present(table, from_row, state, false);
    set_present(table, to_row, state, true);
    return RASK_OK;
}

/* ---------------------------------------------------------------- reading */
/* Which items have not expired; owned by the caller. NULL without memory. */
static bool *mark_unexpired(const raski_keyed_table *table, const table_state *state,
                            const raski_state_slot *slot, uint32_t *ret_expired) {
    bool *keep = raski_try_alloc(slot->count * sizeof *keep, 0);
    if (!keep) return NULL;
    const int64_t *times = times_of(state, slot->memory, slot->capacity);
    uint32_t expired = 0;
    for (uint32_t i = 0; i < slot->count; i++) {
        keep[i] = !raski_ttl_expired(&state->ttl, times[i], table->now_ms);
        expired += !keep[i];
    }
    *ret_expired = expired;
    return keep;
}

/* Flink: TtlListState. What has expired is left out, unless it may be returned: then it goes when
 * nothing else is left, or when reading writes the list anew. */
static rask_status read_with_ttl(raski_keyed_table *table, char *row, unsigned state,
                                 raski_list_view *view, raski_error *err) {
    const table_state *spec = &table->states[state];
    const rask_ttl *ttl = &spec->ttl;
    raski_state_slot *slot = row_slot(table, row, state);
    uint32_t expired = 0;
    bool *keep = mark_unexpired(table, spec, slot, &expired);
    if (!keep) return raski_table_no_memory(table, err);
    bool returns_expired = ttl->visibility == RASK_TTL_RETURN_EXPIRED_IF_NOT_CLEANED_UP;
    bool stamps = ttl->update == RASK_TTL_ON_READ_AND_WRITE;
    bool removes = expired > 0 && (!returns_expired || stamps || expired == slot->count);
    if (stamps && table->snapshot) removes = true; /* times are not changed under its eyes */
    bool done = !removes || keep_items(table, row, state, keep, 0, expired);
    raski_free(keep);
    if (!done) return raski_table_no_memory(table, err);
    if (!returns_expired) *view = (raski_list_view){slot->memory, slot->count};
    if (stamps && slot->count > 0) {
        int64_t *times = times_of(spec, slot->memory, slot->capacity);
        for (uint32_t i = 0; i < slot->count; i++) times[i] = table->now_ms;
        set_present(table, row, state, true);
    }
    return RASK_OK;
}

rask_status raski_keyed_table_list(raski_keyed_table *table, char *row, unsigned state,
                                   raski_list_view *ret_view, raski_error *err) {
    RASKI_DCHECK(table->states[state].kind == RASKI_STATE_LIST);
    RASKI_TRY(table_need(table, row, state, err));
    const raski_state_slot *slot = row_slot(table, row, state);
    raski_list_view view = {slot->memory, slot->count};
    if (table->states[state].ttl.time_ms && slot->count > 0)
        RASKI_TRY(read_with_ttl(table, row, state, &view, err));
    *ret_view = view;
    return RASK_OK;
}

/* ---------------------------------------------------------------- for stores and cleaning up */
int64_t *raski_table_list_times(const raski_keyed_table *table, const raski_state_slot *slot,
                                unsigned state) {
    const table_state *spec = &table->states[state];
    return spec->ttl.time_ms ? times_of(spec, slot->memory, slot->capacity) : NULL;
}

bool raski_table_list_make(raski_keyed_table *table, unsigned state, uint32_t count,
                           raski_state_slot *ret_slot) {
    if (!new_block(table, &table->states[state], count, ret_slot)) return false;
    ret_slot->count = count;
    return true;
}

void raski_table_list_expire(raski_keyed_table *table, char *row, unsigned state) {
    raski_state_slot *slot = row_slot(table, row, state);
    if (!slot->memory) return;
    uint32_t expired = 0;
    bool *keep = mark_unexpired(table, &table->states[state], slot, &expired);
    if (!keep) return; /* another time */
    if (expired > 0) (void)keep_items(table, row, state, keep, 0, expired);
    raski_free(keep);
}
