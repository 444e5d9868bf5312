#include "state/row_bytes.h"

#include <string.h>

#include "state/key_inline.h"
#include "types/type_info.h"

enum { SECTION_ALIGN = 16 };

void raski_row_buffer_fini(raski_row_buffer *buffer) {
    raski_free(buffer->bytes);
    *buffer = (raski_row_buffer){0};
}

/* Room for more bytes behind those that are there. */
static char *extend(raski_row_buffer *buffer, size_t more) {
    if (more > buffer->capacity - buffer->size) {
        size_t capacity = buffer->capacity * 2 > buffer->size + more ? buffer->capacity * 2
                                                                     : buffer->size + more + 256;
        char *bytes = raski_try_alloc(capacity, 64);
        if (!bytes) return NULL;
        if (buffer->size) memcpy(bytes, buffer->bytes, buffer->size);
        raski_free(buffer->bytes);
        buffer->bytes = bytes;
        buffer->capacity = capacity;
    }
    char *end = buffer->bytes + buffer->size;
    buffer->size += more;
    return end;
}
bool raski_row_buffer_append(raski_row_buffer *buffer, const void *bytes, size_t size) {
    char *end = extend(buffer, size);
    if (end && size) memcpy(end, bytes, size);
    return end != NULL;
}
static bool align_buffer(raski_row_buffer *buffer, size_t start, size_t align) {
    size_t padding = (align - (buffer->size - start) % align) % align;
    char *end = extend(buffer, padding);
    if (end) memset(end, 0, padding);
    return end != NULL;
}

/* ---------------------------------------------------------------- keys */
static bool append_big_endian(raski_row_buffer *buffer, uint64_t value, size_t size) {
    unsigned char *end = (unsigned char *)extend(buffer, size);
    for (size_t i = 0; end && i < size; i++) end[i] = (unsigned char)(value >> 8 * (size - 1 - i));
    return end != NULL;
}

static bool write_key_value(const rask_type *type, const char *value, raski_row_buffer *buffer) {
    switch (type->kind) {
        case RASK_KIND_STRING: {
            rask_string text;
            memcpy(&text, value, sizeof text);
            return append_big_endian(buffer, text.len, sizeof text.len) &&
                   raski_row_buffer_append(buffer, rask_string_data(&text), text.len);
        }
        case RASK_KIND_RECORD:
        RASKI_CASE_COMPOSED:
            for (uint32_t i = 0; i < type->field_count; i++)
                if (!write_key_value(type->fields[i].type, value + type->fields[i].offset, buffer))
                    return false;
            return true;
        case RASK_KIND_OPTIONAL:
            if (!append_big_endian(buffer, *value != 0, 1)) return false;
            return *value == 0 ||
                   write_key_value(type->element, value + type->value_offset, buffer);
        case RASK_KIND_LIST: {
            raski_any_list list;
            memcpy(&list, value, sizeof list);
            if (!append_big_endian(buffer, list.count, sizeof list.count)) return false;
            for (uint32_t i = 0; i < list.count; i++)
                if (!write_key_value(type->element,
                                     (const char *)list.items + (size_t)i * type->element->size,
                                     buffer))
                    return false;
            return true;
        }
        default:
            return append_big_endian(buffer, raski_key_scalar_bits(type, value), type->size);
    }
}

bool raski_row_write_key(const raski_keyed_table *table, const char *row, unsigned part,
                         raski_row_buffer *buffer) {
    const raski_key_spec *key = &table->key_in_row;
    uint32_t group = table->max_parallelism
                         ? raski_keyed_table_key_group(table, row, table->max_parallelism)
                         : 0;
    if (!append_big_endian(buffer, group, 2)) return false;
    for (uint32_t i = 0; i < key->part_count; i++)
        if (!write_key_value(key->parts[i].type, row + key->parts[i].offset, buffer)) return false;
    return append_big_endian(buffer, part, 1);
}

/* Bytes that are read one after another. */
typedef struct reader {
    const unsigned char *at, *end;
    raski_arena *lists;
} reader;

static bool read_big_endian(reader *in, size_t size, uint64_t *ret) {
    if ((size_t)(in->end - in->at) < size) return false;
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) value = value << 8 | *in->at++;
    *ret = value;
    return true;
}

static bool read_key_value(reader *in, const rask_type *type, char *ret_value);

static bool read_key_list(reader *in, const rask_type *type, char *ret_value) {
    uint64_t count = 0;
    if (!read_big_endian(in, sizeof(uint32_t), &count)) return false;
    if (count > (size_t)(in->end - in->at)) return false; /* an item has a byte at least */
    char *items = raski_arena_calloc(in->lists, (size_t)count * type->element->size + 1);
    for (uint32_t i = 0; i < count; i++)
        if (!read_key_value(in, type->element, items + (size_t)i * type->element->size))
            return false;
    raski_any_list list = {.count = (uint32_t)count, .items = items};
    memcpy(ret_value, &list, sizeof list);
    return true;
}

static bool read_key_value(reader *in, const rask_type *type, char *ret_value) {
    uint64_t number = 0;
    switch (type->kind) {
        case RASK_KIND_STRING: {
            if (!read_big_endian(in, sizeof(uint32_t), &number) ||
                number > (size_t)(in->end - in->at))
                return false;
            rask_string text = rask_string_of((const char *)in->at, (size_t)number);
            memcpy(ret_value, &text, sizeof text);
            in->at += number;
            return true;
        }
        case RASK_KIND_RECORD:
        RASKI_CASE_COMPOSED:
            for (uint32_t i = 0; i < type->field_count; i++)
                if (!read_key_value(in, type->fields[i].type, ret_value + type->fields[i].offset))
                    return false;
            return true;
        case RASK_KIND_OPTIONAL:
            if (!read_big_endian(in, 1, &number)) return false;
            *ret_value = (char)number;
            return number == 0 || read_key_value(in, type->element, ret_value + type->value_offset);
        case RASK_KIND_LIST:
            return read_key_list(in, type, ret_value);
        default:
            if (!read_big_endian(in, type->size, &number)) return false;
            if (type->size == 8) {
                memcpy(ret_value, &number, 8);
            } else if (type->size == 4) {
                uint32_t value = (uint32_t)number;
                memcpy(ret_value, &value, sizeof value);
            } else if (type->size == 2) {
                uint16_t value = (uint16_t)number;
                memcpy(ret_value, &value, sizeof value);
            } else {
                *ret_value = (char)number;
            }
            return true;
    }
}

unsigned raski_row_key_part(const void *bytes, size_t size) {
    return ((const unsigned char *)bytes)[size - 1];
}

rask_status raski_row_read_key(const raski_keyed_table *table, const void *bytes, size_t size,
                               raski_arena *lists, char *ret_row, unsigned *ret_part,
                               raski_error *err) {
    const raski_key_spec *key = &table->key_in_row;
    reader in = {.at = bytes, .end = (const unsigned char *)bytes + size, .lists = lists};
    uint64_t number = 0;
    bool whole = read_big_endian(&in, 2, &number);
    for (uint32_t i = 0; whole && i < key->part_count; i++)
        whole = read_key_value(&in, key->parts[i].type, ret_row + key->parts[i].offset);
    if (!whole || !read_big_endian(&in, 1, &number) || in.at != in.end)
        return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL,
                          "a key of %zu bytes in the state store is damaged", size);
    *ret_part = (unsigned)number;
    return RASK_OK;
}

/* ---------------------------------------------------------------- values
 * A section is an array of values at a multiple of 16 from the start, with what they point to
 * behind them. */
static bool write_section(const raski_layout *layout, size_t value_size, const void *values,
                          size_t count, size_t start, raski_row_buffer *buffer) {
    if (!align_buffer(buffer, start, SECTION_ALIGN)) return false;
    size_t at = buffer->size;
    if (!raski_row_buffer_append(buffer, values, count * value_size)) return false;
    if (!layout) return true;
    if (!align_buffer(buffer, start, SECTION_ALIGN)) return false;
    size_t heap = buffer->size;
    if (!extend(buffer, raski_records_extra_size(layout, buffer->bytes + at, count))) return false;
    (void)raski_records_write_extra(layout, buffer->bytes + at, count, buffer->bytes + start,
                                    heap - start);
    return true;
}

/* Bytes of a value that are taken apart, in place. */
typedef struct value_reader {
    char *bytes;
    size_t at, size;
} value_reader;

static bool take(value_reader *in, void *ret, size_t size) {
    if (size > in->size - in->at) return false;
    memcpy(ret, in->bytes + in->at, size);
    in->at += size;
    return true;
}
static bool align_reader(value_reader *in) {
    size_t at = (in->at + SECTION_ALIGN - 1) / SECTION_ALIGN * SECTION_ALIGN;
    if (at > in->size) return false;
    in->at = at;
    return true;
}
/* The values of a section, which borrow from the bytes; NULL when they are damaged. */
static char *take_section(value_reader *in, const raski_layout *layout, size_t value_size,
                          size_t count) {
    if (!align_reader(in) || count > (in->size - in->at) / value_size) return NULL;
    char *values = in->bytes + in->at;
    in->at += count * value_size;
    if (!layout) return values;
    size_t end = 0;
    if (!align_reader(in) || raski_records_fix(layout, values, count, in->bytes, in->at, in->size,
                                               &end, NULL) != RASK_OK)
        return NULL;
    in->at = end;
    return values;
}

static rask_status damaged(const raski_keyed_table *table, size_t size, raski_error *err) {
    return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL,
                      "a value of %zu bytes in the state store of %s is damaged", size,
                      table->name ? table->name : "an operator");
}

bool raski_row_write_states(const raski_keyed_table *table, const char *row,
                            raski_row_buffer *buffer) {
    size_t start = buffer->size;
    if (!raski_row_buffer_append(buffer, row, sizeof(uint32_t))) return false;
    for (unsigned i = 0; i < table->state_count; i++) {
        const table_state *state = &table->states[i];
        if (!raski_row_has(row, i)) continue;
        bool done = true;
        if (state->kind != RASKI_STATE_VALUE) {
            uint32_t count = raski_row_count(row, state->offset);
            done = raski_row_buffer_append(buffer, &count, sizeof count);
        } else {
            if (state->ttl.time_ms)
                done = raski_row_buffer_append(buffer, row + state->ttl_offset, sizeof(int64_t));
            if (done && state->layout)
                done = write_section(state->layout, state->size, row + state->offset, 1, start,
                                     buffer);
            else if (done)
                done = raski_row_buffer_append(buffer, row + state->offset, state->size);
        }
        if (!done) return false;
    }
    return true;
}

/* One state that is present. */
static rask_status read_state(raski_keyed_table *table, value_reader *in, char *row, unsigned i,
                              raski_error *err) {
    const table_state *state = &table->states[i];
    if (state->kind != RASKI_STATE_VALUE) {
        if (!take(in, &row_slot(table, row, i)->count, sizeof(uint32_t)))
            return damaged(table, in->size, err);
        raski_row_set(row, i);
        return RASK_OK;
    }
    if (state->ttl.time_ms && !take(in, row + state->ttl_offset, sizeof(int64_t)))
        return damaged(table, in->size, err);
    if (!state->layout) {
        if (!take(in, row + state->offset, state->size)) return damaged(table, in->size, err);
        raski_row_set(row, i);
        return RASK_OK;
    }
    const char *value = take_section(in, state->layout, state->size, 1);
    return value ? raski_keyed_table_store(table, row, i, value, err)
                 : damaged(table, in->size, err);
}

rask_status raski_row_read_states(raski_keyed_table *table, char *bytes, size_t size, char *row,
                                  raski_error *err) {
    value_reader in = {.bytes = bytes, .size = size};
    uint32_t present = 0;
    rask_status status = take(&in, &present, sizeof present) ? RASK_OK : damaged(table, size, err);
    for (unsigned i = 0; i < table->state_count && status == RASK_OK; i++)
        if (present >> i & 1U) status = read_state(table, &in, row, i, err);
    if (status == RASK_OK) return RASK_OK;
    raski_table_release_row(table, row);
    for (unsigned i = 0; i < table->state_count; i++)
        memset(row + table->states[i].offset, 0, table->states[i].size);
    *row_present(row) = 0;
    return status;
}

/* ---------------------------------------------------------------- lists and maps */
static bool write_list(const raski_keyed_table *table, const raski_state_slot *slot, unsigned state,
                       raski_row_buffer *buffer) {
    const table_state *spec = &table->states[state];
    size_t start = buffer->size;
    if (!raski_row_buffer_append(buffer, &slot->count, sizeof slot->count) ||
        !write_section(spec->layout, spec->item_size, slot->memory, slot->count, start, buffer))
        return false;
    const int64_t *times = raski_table_list_times(table, slot, state);
    return !times || write_section(NULL, sizeof *times, times, slot->count, start, buffer);
}

static rask_status read_list(raski_keyed_table *table, value_reader *in, uint32_t count, char *row,
                             unsigned state, raski_error *err) {
    const table_state *spec = &table->states[state];
    const char *items = take_section(in, spec->layout, spec->item_size, count);
    if (!items) return damaged(table, in->size, err);
    raski_state_slot made;
    if (!raski_table_list_make(table, state, count, &made))
        return raski_table_no_memory(table, err);
    made.count = 0;
    char *to = made.memory;
    rask_status status = RASK_OK;
    for (; made.count < count && status == RASK_OK; made.count++, to += spec->item_size) {
        memcpy(to, items + (size_t)made.count * spec->item_size, spec->item_size);
        if (!raski_table_own(table, spec->layout, to)) status = raski_table_no_memory(table, err);
        if (status != RASK_OK) break;
    }
    int64_t *times = raski_table_list_times(table, &made, state);
    if (times && status == RASK_OK) {
        const char *from = take_section(in, NULL, sizeof *times, count);
        if (from)
            memcpy(times, from, count * sizeof *times);
        else
            status = damaged(table, in->size, err);
    }
    if (status == RASK_OK)
        *row_slot(table, row, state) = made;
    else
        raski_table_list_free(table, &made, state);
    return status;
}

/* Entries one after another, each as a section of its key and one of its value. */
static bool write_map(const raski_keyed_table *table, const raski_state_slot *slot, unsigned state,
                      raski_row_buffer *buffer) {
    const table_state *spec = &table->states[state];
    size_t start = buffer->size;
    if (!raski_row_buffer_append(buffer, &slot->count, sizeof slot->count)) return false;
    uint32_t position = 0;
    for (char *entry; (entry = raski_table_map_entry(table, slot, state, &position));) {
        if (!write_section(spec->key_layout, spec->key_size, entry + spec->key_offset, 1, start,
                           buffer) ||
            !write_section(spec->layout, spec->item_size, entry + spec->value_offset, 1, start,
                           buffer))
            return false;
        if (spec->ttl.time_ms &&
            !raski_row_buffer_append(buffer, entry + spec->time_offset, sizeof(int64_t)))
            return false;
    }
    return true;
}

static rask_status read_entry(raski_keyed_table *table, value_reader *in, raski_state_slot *slot,
                              unsigned state, raski_error *err) {
    const table_state *spec = &table->states[state];
    char *key = take_section(in, spec->key_layout, spec->key_size, 1);
    char *value = key ? take_section(in, spec->layout, spec->item_size, 1) : NULL;
    int64_t time_ms = 0;
    if (!value || (spec->ttl.time_ms && !take(in, &time_ms, sizeof time_ms)))
        return damaged(table, in->size, err);
    if (!raski_table_own(table, spec->key_layout, key)) return raski_table_no_memory(table, err);
    char *entry = raski_table_map_add(table, slot, state, key);
    if (!entry) {
        raski_table_disown(table, spec->key_layout, key);
        return raski_table_no_memory(table, err);
    }
    memcpy(table->scratch, value, spec->item_size);
    if (!raski_table_own(table, spec->layout, table->scratch))
        return raski_table_no_memory(table, err); /* the entry's value is zero */
    memcpy(entry + spec->value_offset, table->scratch, spec->item_size);
    if (spec->ttl.time_ms) memcpy(entry + spec->time_offset, &time_ms, sizeof time_ms);
    return RASK_OK;
}

static rask_status read_map(raski_keyed_table *table, value_reader *in, uint32_t count, char *row,
                            unsigned state, raski_error *err) {
    raski_state_slot made = {0};
    rask_status status = RASK_OK;
    for (uint32_t i = 0; i < count && status == RASK_OK; i++)
        status = read_entry(table, in, &made, state, err);
    if (status == RASK_OK)
        *row_slot(table, row, state) = made;
    else if (made.memory)
        raski_table_map_free(table, made.memory, state);
    return status;
}

bool raski_row_write_container(const raski_keyed_table *table, const char *row, unsigned state,
                               raski_row_buffer *buffer) {
    const raski_state_slot *slot =
        (const raski_state_slot *)(const void *)(row + table->states[state].offset);
    return table->states[state].kind == RASKI_STATE_LIST ? write_list(table, slot, state, buffer)
                                                         : write_map(table, slot, state, buffer);
}

rask_status raski_row_read_container(raski_keyed_table *table, char *bytes, size_t size, char *row,
                                     unsigned state, raski_error *err) {
    value_reader in = {.bytes = bytes, .size = size};
    uint32_t count = 0;
    if (!take(&in, &count, sizeof count) || count == 0) return damaged(table, size, err);
    return table->states[state].kind == RASKI_STATE_LIST
               ? read_list(table, &in, count, row, state, err)
               : read_map(table, &in, count, row, state, err);
}

/* ---------------------------------------------------------------- without a table */
bool raski_row_borrow_states(const raski_keyed_table *table, char *bytes, size_t size, char *row) {
    value_reader in = {.bytes = bytes, .size = size};
    if (!take(&in, row_present(row), sizeof(uint32_t))) return false;
    for (unsigned i = 0; i < table->state_count; i++) {
        const table_state *state = &table->states[i];
        if (!raski_row_has(row, i)) continue;
        bool done = true;
        if (state->kind != RASKI_STATE_VALUE) {
            done = take(&in, &row_slot(table, row, i)->count, sizeof(uint32_t));
        } else {
            if (state->ttl.time_ms) done = take(&in, row + state->ttl_offset, sizeof(int64_t));
            if (done && !state->layout) {
                done = take(&in, row + state->offset, state->size);
            } else if (done) {
                const char *value = take_section(&in, state->layout, state->size, 1);
                done = value != NULL;
                if (done) memcpy(row + state->offset, value, state->size);
            }
        }
        if (!done) return false;
    }
    return true;
}

bool raski_row_items_init(raski_row_items *items, const raski_keyed_table *table, unsigned state,
                          char *bytes, size_t size) {
    const table_state *spec = &table->states[state];
    value_reader in = {.bytes = bytes, .size = size};
    *items = (raski_row_items){.bytes = bytes, .size = size};
    if (!take(&in, &items->left, sizeof items->left)) return false;
    if (spec->kind == RASKI_STATE_LIST) {
        items->items = take_section(&in, spec->layout, spec->item_size, items->left);
        if (!items->items) return false;
        if (spec->ttl.time_ms) {
            items->times = take_section(&in, NULL, sizeof(int64_t), items->left);
            if (!items->times) return false;
        }
    }
    items->at = in.at;
    return true;
}

bool raski_row_items_next(raski_row_items *items, const raski_keyed_table *table, unsigned state,
                          const char **ret_key, const char **ret_value, const char **ret_time) {
    const table_state *spec = &table->states[state];
    *ret_key = *ret_time = NULL;
    if (items->left == 0) return false;
    items->left--;
    if (spec->kind == RASKI_STATE_LIST) {
        *ret_value = items->items;
        items->items += spec->item_size;
        *ret_time = items->times;
        if (items->times) items->times += sizeof(int64_t);
        return true;
    }
    value_reader in = {.bytes = items->bytes, .at = items->at, .size = items->size};
    *ret_key = take_section(&in, spec->key_layout, spec->key_size, 1);
    *ret_value = *ret_key ? take_section(&in, spec->layout, spec->item_size, 1) : NULL;
    if (!*ret_value) return false;
    if (spec->ttl.time_ms) {
        if (in.size - in.at < sizeof(int64_t)) return false;
        *ret_time = in.bytes + in.at;
        in.at += sizeof(int64_t);
    }
    items->at = in.at;
    return true;
}
