#include "state/keyed_table.h"

#include <string.h>

#include "state/key_inline.h"
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
    for (size_t i = 0; i < options->state_count; i++) {
        const raski_state_spec *state = &options->states[i];
        uint32_t align = state->align || !state->type ? state->align : state->type->align;
        if (align == 0 || align > ROW_ALIGN_MAX || (align & (align - 1)) != 0)
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                              "keyed state \"%s\": an alignment of %u bytes, it must be a power of "
                              "two up to %d",
                              state->name, align, ROW_ALIGN_MAX);
    }
    RASKI_ASSERT(!options->permanent || options->state_count == 1);
    return RASK_OK;
}

/* Decides where everything lies in a row. */
static void lay_out(raski_keyed_table *table, const raski_keyed_table_options *options) {
    uint32_t offset = options->permanent ? 0 : sizeof(uint32_t), row_align = ROW_ALIGN_MIN;
    for (size_t i = 0; i < options->state_count; i++)
        if (table->states[i].layout && !options->permanent) table->tracked_offset = offset;
    if (table->tracked_offset) offset += sizeof(uint32_t);
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
        offset = align_up(offset, align);
        table->states[i].offset = offset;
        table->states[i].size = spec->type && !spec->size ? spec->type->size : spec->size;
        offset += table->states[i].size;
        if (align > row_align) row_align = align;
    }
    for (uint32_t i = 0; i < table->key.part_count && options->key_in_state; i++)
        table->key_in_row.parts[i].offset = table->states[0].offset + table->key.parts[i].offset;
    table->row_size = align_up(offset, row_align);
}

rask_status raski_keyed_table_create(const raski_keyed_table_options *options,
                                     raski_keyed_table **ret_table, raski_error *err) {
    RASKI_TRY(check_options(options, err));
    raski_keyed_table *table = RASKI_NEW(raski_keyed_table);
    table->bytes_max = options->bytes_max;
    table->permanent = options->permanent;
    table->key_in_state = options->key_in_state;
    table->key = table->key_in_row = *options->key;
    table->path = path_of(&table->key);
    table->seed = hash_mix((uint64_t)(uintptr_t)table ^ HASH_K1, HASH_K2);
    table->rows_end = 1;
    table->state_count = options->state_count;
    uint32_t scratch = 0;
    for (size_t i = 0; i < options->state_count; i++) {
        table->states[i].type = options->states[i].type;
        table->states[i].layout = layout_with_pointers(options->states[i].type);
    }
    for (uint32_t i = 0; i < table->key.part_count; i++)
        table->key_layouts[i] = layout_with_pointers(table->key.parts[i].type);
    lay_out(table, options);
    for (size_t i = 0; i < options->state_count; i++)
        if (table->states[i].size > scratch) scratch = table->states[i].size;
    table->scratch = raski_calloc(1, scratch);
    raski_key_spec plain;
    if (table->path == KEY_PATH_GENERIC && raski_key_flatten(&table->key_in_row, &plain))
        table->plain_key_in_row = raski_memdup(&plain, sizeof plain);
    rask_status status = raski_table_reserve(table, 1, err);
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
    for (size_t i = 0; i < table->state_count; i++) raski_layout_destroy(table->states[i].layout);
    for (uint32_t i = 0; i < table->key.part_count; i++)
        raski_layout_destroy(table->key_layouts[i]);
    for (size_t i = 0; i < table->extents.count; i++) raski_free(table->extents.items[i]);
    raski_vec_free(&table->extents);
    raski_free(table->units);
    raski_free(table->index);
    raski_free(table->scratch);
    raski_free(table->plain_key_in_row);
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
