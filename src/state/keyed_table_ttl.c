/* Time-to-live. A value state has a hidden word with the time of its last access behind the row's
 * states; items of lists and entries of maps have one each (keyed_table_lists.c, _maps.c).
 * Flink: runtime.state.ttl (TtlUtils, AbstractTtlDecorator, TtlIncrementalCleanup). */
#include <string.h>

#include "state/keyed_table_cache.h"
#include "state/keyed_table_private.h"

enum { CLEANUP_KEYS = 5 }; /* per batch, where nobody says otherwise */

bool raski_ttl_expired(const rask_ttl *ttl, int64_t time_ms, int64_t now_ms) {
    int64_t expires_at = 0;
    if (__builtin_add_overflow(time_ms, ttl->time_ms, &expires_at)) expires_at = INT64_MAX;
    return expires_at <= now_ms;
}

void raski_keyed_table_set_now(raski_keyed_table *table, int64_t now_ms) {
    table->now_ms = now_ms;
}

static int64_t *time_of(const raski_keyed_table *table, char *row, unsigned state) {
    return (int64_t *)(void *)(row + table->states[state].ttl_offset);
}
static bool has_expired(const raski_keyed_table *table, char *row, unsigned state) {
    return raski_ttl_expired(&table->states[state].ttl, *time_of(table, row, state), table->now_ms);
}

/* A copy of the value that takes over what it owns, good until the end of the batch. */
static void *move_out(raski_keyed_table *table, char *row, unsigned state) {
    const table_state *spec = &table->states[state];
    void *memory = raski_table_alloc(table, spec->size);
    if (!memory) return NULL;
    memcpy(memory, row + spec->offset, spec->size);
    raski_table_throw_block(
        table,
        (garbage_block){.memory = memory, .bytes = spec->size, .layout = spec->layout, .count = 1});
    memset(row + spec->offset, 0, spec->size);
    *row_present(row) &= ~(UINT32_C(1) << state);
    return memory;
}

rask_status raski_keyed_table_read(raski_keyed_table *table, char *row, unsigned state,
                                   const void **ret_value, raski_error *err) {
    const table_state *spec = &table->states[state];
    RASKI_DCHECK(spec->kind == RASKI_STATE_VALUE && !(table->key_in_state && state == 0));
    *ret_value = raski_row_has(row, state) ? row + spec->offset : NULL;
    if (!*ret_value || !spec->ttl.time_ms) return RASK_OK;
    if (has_expired(table, row, state)) {
        *ret_value = NULL;
        if (spec->ttl.visibility == RASK_TTL_NEVER_RETURN_EXPIRED)
            return raski_keyed_table_clear(table, row, state, err);
        *ret_value = move_out(table, row, state);
        return *ret_value ? RASK_OK : raski_table_no_memory(table, err);
    }
    if (spec->ttl.update == RASK_TTL_ON_READ_AND_WRITE) *time_of(table, row, state) = table->now_ms;
    return RASK_OK;
}

rask_status raski_keyed_table_touch(raski_keyed_table *table, char *row, unsigned state,
                                    raski_error *err) {
    if (!table->states[state].ttl.time_ms) return RASK_OK;
    if (raski_row_has(row, state) && has_expired(table, row, state))
        RASKI_TRY(raski_keyed_table_clear(table, row, state, err));
    *time_of(table, row, state) = table->now_ms;
    return RASK_OK;
}

/* ---------------------------------------------------------------- in the background */
/* Keys to look at per batch: the largest that a state asks for. */
static uint32_t keys_per_batch(const raski_keyed_table *table) {
    int32_t most = 0;
    for (size_t i = 0; i < table->state_count; i++) {
        const rask_ttl *ttl = &table->states[i].ttl;
        if (!ttl->time_ms) continue;
        int32_t keys = ttl->cleanup_keys == 0 ? (int32_t)CLEANUP_KEYS : ttl->cleanup_keys;
        if (keys > most) most = keys;
    }
    return (uint32_t)most;
}

static void expire_row(raski_keyed_table *table, char *row) {
    const uint32_t before = *row_present(row);
    for (unsigned i = 0; i < table->state_count; i++) {
        const table_state *state = &table->states[i];
        if (!state->ttl.time_ms || state->ttl.cleanup_keys < 0 || !raski_row_has(row, i)) continue;
        switch (state->kind) {
            case RASKI_STATE_VALUE:
                if (has_expired(table, row, i) &&
                    raski_keyed_table_clear(table, row, i, NULL) != RASK_OK)
                    return; /* no memory: another time */
                break;
            case RASKI_STATE_LIST:
                raski_table_list_expire(table, row, i);
                break;
            case RASKI_STATE_MAP:
                raski_table_map_expire(table, row, i);
                break;
        }
    }
    if (table->cache && *row_present(row) != before) raski_cache_row_changed(table, row);
}

/* Rows that are in the store only. */
static void cleanup_stored(raski_keyed_table *table) {
    char *rows[RASKI_LOOKUP_MAX];
    size_t n = raski_cache_fetch_for_cleanup(table, rows);
    for (size_t i = 0; i < n; i++) expire_row(table, rows[i]);
    raski_keyed_table_sweep(table, rows, n);
}

void raski_table_ttl_cleanup(raski_keyed_table *table) {
    uint32_t keys = keys_per_batch(table);
    if (keys > 0 && table->cache) cleanup_stored(table);
    if (keys > table->count) keys = table->count;
    for (; keys > 0; keys--) {
        size_t position = table->ttl_cursor;
        char *row = raski_keyed_table_next(table, &position);
        table->ttl_cursor = row ? (uint32_t)position : 0;
        if (!row) continue;
        raski_keyed_table_before_write(table, row);
        expire_row(table, row);
        raski_keyed_table_sweep(table, &row, 1);
    }
}
