#include "state/keyed_table.h"

#include <string.h>

#include "state/key_inline.h"
#include "state/keyed_table_cache.h"
#include "state/memory_limit.h"
#include "state/state_store.h"
#include "types/type_info.h"

static uint32_t align_up(uint32_t offset, uint32_t align) {
    return (offset + align - 1) / align * align;
}

/* The layout of a type, or NULL when its values are their bytes. */
static raski_layout *layout_with_pointers(const rask_type *type) {
    if (!type) return NULL;
    raski_layout *layout = raski_layout_create(type);
    if (layout->has_pointers) return layout;
    raski_layout_destroy(layout);
    return NULL;
}

static key_path path_of(const raski_key_spec *key) {
    if (key->part_count != 1) return KEY_PATH_GENERIC;
    switch (key->parts[0].type->kind) {
        case RASK_KIND_LONG:
        case RASK_KIND_TIMESTAMP:
            return KEY_PATH_8;
        case RASK_KIND_INT:
            return KEY_PATH_4;
        case RASK_KIND_STRING:
            return KEY_PATH_STRING;
        default:
            return KEY_PATH_GENERIC;
    }
}

static rask_status check_state(const raski_state_spec *state, raski_error *err) {
    uint32_t align = state->align || !state->type ? state->align : state->type->align;
    uint32_t align_max = state->kind == RASKI_STATE_VALUE ? ROW_ALIGN_MAX : ITEM_ALIGN_MAX;
    if (align == 0 || align > align_max || (align & (align - 1)) != 0)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "keyed state \"%s\": an alignment of %u bytes, it must be a power of "
                          "two up to %u",
                          state->name, align, align_max);
    if (state->kind == RASKI_STATE_MAP) RASKI_TRY(raski_type_check_key(state->map_key, err));
    if (state->ttl.time_ms < 0)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "keyed state \"%s\": a time to live of %lld ms, it must be positive",
                          state->name, (long long)state->ttl.time_ms);
    return RASK_OK;
}

static rask_status check_options(const raski_keyed_table_options *options, raski_error *err) {
    const raski_key_spec *key = options->key;
    if (key->part_count == 0 || key->part_count > RASKI_KEY_PARTS_MAX)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "a key has 1 to %d fields, not %u",
                          RASKI_KEY_PARTS_MAX, key->part_count);
    for (uint32_t i = 0; i < key->part_count; i++) {
        const rask_type *type = key->parts[i].type;
        if (type->kind == RASK_KIND_OPTIONAL && key->part_count > 1) type = type->element;
        RASKI_TRY(raski_type_check_key(type, err));
    }
    if (options->state_count == 0 || options->state_count > RASKI_STATES_MAX)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "an operator has 1 to %d keyed states, not %zu", RASKI_STATES_MAX,
                          options->state_count);
    for (size_t i = 0; i < options->state_count; i++)
        RASKI_TRY(check_state(&options->states[i], err));
    RASKI_ASSERT(options->namespace_parts < key->part_count);
    RASKI_ASSERT(!options->permanent || (!options->timers && !options->store));
    RASKI_ASSERT(!options->permanent || options->state_count == 1);
    return RASK_OK;
}

/* An entry of a map: see table_state. */
static void lay_out_entry(table_state *state, const raski_state_spec *spec) {
    uint32_t value_align = spec->align ? spec->align : spec->type->align;
    uint32_t align = value_align > spec->map_key->align ? value_align : spec->map_key->align;
    if (align < sizeof(uint64_t)) align = sizeof(uint64_t);
    state->key_layout = layout_with_pointers(spec->map_key);
    state->key_size = spec->map_key->size;
    state->key_offset = align_up(ENTRY_HEAD, spec->map_key->align);
    state->value_offset = align_up(state->key_offset + state->key_size, value_align);
    uint32_t end = state->value_offset + state->item_size;
    if (spec->ttl.time_ms) {
        state->time_offset = align_up(end, sizeof(int64_t));
        end = state->time_offset + sizeof(int64_t);
    }
    state->entry_size = align_up(end, align);
    state->map_key = (raski_key_spec){.part_count = 1, .parts = {{.type = spec->map_key}}};
    state->map_path = path_of(&state->map_key);
}

static void make_states(raski_keyed_table *table, const raski_keyed_table_options *options) {
    for (size_t i = 0; i < options->state_count; i++) {
        const raski_state_spec *spec = &options->states[i];
        table_state *state = &table->states[i];
        state->name = spec->name;
        state->type = spec->type;
        state->kind = spec->kind;
        state->ttl = spec->ttl;
        state->layout = layout_with_pointers(spec->type);
        state->item_size = spec->type && !spec->size ? spec->type->size : spec->size;
        state->size = spec->kind == RASKI_STATE_VALUE ? state->item_size : sizeof(raski_state_slot);
        if (spec->kind == RASKI_STATE_MAP) lay_out_entry(state, spec);
        if (spec->kind != RASKI_STATE_VALUE)
            table->container_states[table->container_count++] = (uint32_t)i;
        if (spec->ttl.time_ms) table->has_ttl = true;
    }
}

/* Words behind the states that only the table knows. */
static uint32_t lay_out_hidden(raski_keyed_table *table, const raski_keyed_table_options *options,
                               uint32_t offset) {
    for (size_t i = 0; i < table->state_count; i++) {
        table_state *state = &table->states[i];
        if (!state->ttl.time_ms || state->kind != RASKI_STATE_VALUE) continue;
        state->ttl_offset = offset = align_up(offset, sizeof(int64_t));
        offset += sizeof(int64_t);
    }
    offset = align_up(offset, sizeof(uint32_t));
    if (options->store) offset = raski_cache_lay_out(offset, &table->cache_offset);
    return offset;
}

/* Decides where everything lies in a row. */
static void lay_out(raski_keyed_table *table, const raski_keyed_table_options *options) {
    uint32_t offset = options->permanent ? 0 : sizeof(uint32_t), row_align = ROW_ALIGN_MIN;
    for (size_t i = 0; i < options->state_count; i++)
        if (table->states[i].layout && table->states[i].kind == RASKI_STATE_VALUE &&
            !options->permanent)
            table->tracked_offset = offset;
    if (table->tracked_offset) offset += sizeof(uint32_t);
    if (options->timers) { /* here it lies in a gap as a rule */
        table->timers_offset = offset;
        offset += sizeof(uint32_t);
    }
    for (uint32_t i = 0; i < table->key.part_count && !options->key_in_state; i++) {
        const rask_type *type = table->key.parts[i].type;
        offset = align_up(offset, type->align);
        table->key_in_row.parts[i].offset = offset;
        offset += type->size;
        if (type->align > row_align) row_align = type->align;
    }
    for (size_t i = 0; i < options->state_count; i++) {
        const raski_state_spec *spec = &options->states[i];
        uint32_t align = spec->align ? spec->align : spec->type->align;
        if (spec->kind != RASKI_STATE_VALUE) align = _Alignof(raski_state_slot);
        offset = align_up(offset, align);
        table->states[i].offset = offset;
        offset += table->states[i].size;
        if (align > row_align) row_align = align;
    }
    for (uint32_t i = 0; i < table->key.part_count && options->key_in_state; i++)
        table->key_in_row.parts[i].offset = table->states[0].offset + table->key.parts[i].offset;
    table->row_size = align_up(lay_out_hidden(table, options, offset), row_align);
}

/* Room for any one value, item or key. */
static char *make_scratch(const raski_keyed_table *table) {
    uint32_t size = sizeof(raski_state_slot);
    for (size_t i = 0; i < table->state_count; i++) {
        const table_state *state = &table->states[i];
        if (state->size > size) size = state->size;
        if (state->item_size > size) size = state->item_size;
        if (state->key_size > size) size = state->key_size;
    }
    for (uint32_t i = 0; i < table->key.part_count; i++)
        if (table->key.parts[i].type->size > size) size = table->key.parts[i].type->size;
    return raski_calloc(1, size);
}

rask_status raski_keyed_table_create(const raski_keyed_table_options *options,
                                     raski_keyed_table **ret_table, raski_error *err) {
    rask_status status = check_options(options, err);
    if (status != RASK_OK) {
        raski_state_store_destroy(options->store);
        return status;
    }
    raski_keyed_table *table = RASKI_NEW(raski_keyed_table);
    table->bytes_max = options->bytes_max;
    table->permanent = options->permanent;
    table->key_in_state = options->key_in_state;
    table->namespace_parts = options->namespace_parts;
    table->max_parallelism = options->max_parallelism;
    table->name = options->name;
    table->limit = options->limit;
    table->key = table->key_in_row = *options->key;
    table->path = path_of(&table->key);
    table->seed = hash_mix((uint64_t)(uintptr_t)table ^ HASH_K1, HASH_K2);
    table->rows_end = 1;
    table->batch = 1;
    table->state_count = options->state_count;
    make_states(table, options);
    for (uint32_t i = 0; i < table->key.part_count; i++)
        table->key_layouts[i] = layout_with_pointers(table->key.parts[i].type);
    lay_out(table, options);
    table->scratch = make_scratch(table);
    table->owned_scratch = make_scratch(table);
    raski_key_spec plain;
    if (table->path == KEY_PATH_GENERIC && raski_key_flatten(&table->key_in_row, &plain))
        table->plain_key_in_row = raski_memdup(&plain, sizeof plain);
    table->row_words = key_words(&table->key_in_row);
    if (options->store)
        table->cache = raski_cache_create(table, options->store, options->cache_bytes);
    status = raski_table_reserve(table, 1, err);
    if (status != RASK_OK) {
        raski_keyed_table_destroy(table);
        return status;
    }
    *ret_table = table;
    return RASK_OK;
}

void raski_keyed_table_destroy(raski_keyed_table *table_take_or_null) {
    raski_keyed_table *table = table_take_or_null;
    if (!table) return;
    raski_table_release_values(table);
    raski_cache_destroy(table->cache);
    for (size_t i = 0; i < table->state_count; i++) {
        raski_layout_destroy(table->states[i].layout);
        raski_layout_destroy(table->states[i].key_layout);
    }
    for (uint32_t i = 0; i < table->key.part_count; i++)
        raski_layout_destroy(table->key_layouts[i]);
    for (size_t i = 0; i < table->extents.count; i++) raski_free(table->extents.items[i]);
    raski_vec_free(&table->extents);
    raski_free(table->units);
    raski_free(table->index);
    raski_free(table->scratch);
    raski_free(table->owned_scratch);
    raski_free(table->plain_key_in_row);
    if (table->limit) raski_memory_limit_release(table->limit, table->bytes + table->credit);
    raski_free(table);
}

uint32_t raski_keyed_table_row_size(const raski_keyed_table *table) {
    return table->row_size;
}

uint32_t raski_keyed_table_state_offset(const raski_keyed_table *table, size_t state) {
    RASKI_ASSERT(state < table->state_count);
    return table->states[state].offset;
}

const raski_key_spec *raski_keyed_table_key_in_row(const raski_keyed_table *table) {
    return &table->key_in_row;
}

size_t raski_keyed_table_count(const raski_keyed_table *table) {
    return table->count;
}

size_t raski_keyed_table_bytes_used(const raski_keyed_table *table) {
    return table->bytes;
}

char *raski_keyed_table_next(const raski_keyed_table *table, size_t *position) {
    while (*position + 1 < table->rows_end) {
        char *row = table_row(table, (uint32_t)++ * position);
        if (!row_is_free(table, row)) return row;
    }
    return NULL;
}

uint32_t raski_table_row_number(const raski_keyed_table *table, const char *row) {
    size_t unit_bytes = (size_t)UNIT_ROWS * table->row_size;
    for (uint32_t unit = 0; unit < table->unit_count; unit++) {
        uintptr_t at = (uintptr_t)row - (uintptr_t)table->units[unit];
        if (at < unit_bytes) return unit * UNIT_ROWS + (uint32_t)(at / table->row_size);
    }
    raski_assert_failed("a row of this table", __FILE__, __LINE__);
}

/* ---------------------------------------------------------------- timers */
static uint32_t *pins_of(const raski_keyed_table *table, char *row) {
    RASKI_DCHECK(table->timers_offset);
    return (uint32_t *)(void *)(row + table->timers_offset);
}

void raski_keyed_table_pin(raski_keyed_table *table, char *row) {
    ++*pins_of(table, row);
}

void raski_keyed_table_unpin(raski_keyed_table *table, char *row) {
    RASKI_DCHECK(*pins_of(table, row) > 0);
    --*pins_of(table, row);
}

uint32_t raski_keyed_table_pins(const raski_keyed_table *table, const char *row) {
    uint32_t pins = 0;
    memcpy(&pins, row + table->timers_offset, sizeof pins);
    return pins;
}

/* ---------------------------------------------------------------- all rows */
struct raski_keyed_walk {
    raski_keyed_table *table;
    size_t position;
    struct raski_cache_walk *cache; /* with a store */
};

rask_status raski_keyed_walk_begin(raski_keyed_table *table, raski_keyed_walk **ret_walk,
                                   raski_error *err) {
    raski_keyed_walk *walk = RASKI_NEW(raski_keyed_walk);
    walk->table = table;
    rask_status status = table->cache ? raski_cache_walk_begin(table, &walk->cache, err) : RASK_OK;
    if (status == RASK_OK)
        *ret_walk = walk;
    else
        raski_free(walk);
    return status;
}

rask_status raski_keyed_walk_next(raski_keyed_walk *walk, char **ret_rows, size_t *ret_n,
                                  raski_error *err) {
    raski_keyed_table *table = walk->table;
    if (walk->cache) return raski_cache_walk_next(walk->cache, ret_rows, ret_n, err);
    size_t n = 0;
    for (char *row = NULL;
         n < RASKI_LOOKUP_MAX && (row = raski_keyed_table_next(table, &walk->position));) {
        if (!table->permanent && *row_present(row) == 0) continue;
        raski_keyed_table_before_write(table, row);
        ret_rows[n++] = row;
    }
    *ret_n = n;
    return RASK_OK;
}

void raski_keyed_walk_end(raski_keyed_walk *walk_take) {
    if (!walk_take) return;
    if (walk_take->cache) raski_cache_walk_end(walk_take->cache);
    raski_free(walk_take);
}

rask_status raski_keyed_table_visit(raski_keyed_table *table, raski_keyed_table_visitor *visit,
                                    void *ctx, raski_error *err) {
    raski_keyed_walk *walk = NULL;
    RASKI_TRY(raski_keyed_walk_begin(table, &walk, err));
    char *rows[RASKI_LOOKUP_MAX];
    size_t n = 0;
    rask_status status = RASK_OK;
    do {
        status = raski_keyed_walk_next(walk, rows, &n, err);
        if (status == RASK_OK && n > 0) status = visit(ctx, rows, n, err);
    } while (status == RASK_OK && n > 0);
    raski_keyed_walk_end(walk);
    return status;
}

bool raski_keyed_table_has_store(const raski_keyed_table *table) {
    return table->cache != NULL;
}

bool raski_keyed_table_has_ttl(const raski_keyed_table *table, size_t state) {
    return table->states[state].ttl.time_ms > 0;
}

rask_status raski_keyed_table_flush(raski_keyed_table *table, raski_error *err) {
    return table->cache ? raski_cache_flush(table, err) : RASK_OK;
}
