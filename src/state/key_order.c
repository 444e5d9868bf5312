#include "state/key_order.h"

#include <stdlib.h>
#include <string.h>

#include "state/key_inline.h"
#include "types/utf16.h"

enum { WINDOW = 128, PREFIX = sizeof(uint64_t), DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* A part of a serialised key: the bytes from `from` on, as many as fit. */
typedef struct window {
    size_t position; /* of the next byte in the whole */
    size_t from, capacity, count;
    unsigned char bytes[WINDOW];
} window;

static bool window_is_full(const window *out) {
    return out->count == out->capacity;
}
static void put(window *out, unsigned byte) {
    if (out->position++ >= out->from && out->count < out->capacity)
        out->bytes[out->count++] = (unsigned char)byte;
}
static void put_big_endian(window *out, uint64_t value, unsigned size) {
    for (unsigned i = size; i-- > 0;) put(out, (unsigned)(value >> (8 * i)) & 0xff);
}
/* 7 bits a byte, the lowest first, the upper bit set in all but the last. */
static void put_variable(window *out, uint32_t value) {
    for (; value >= 0x80; value >>= 7) put(out, (value & 0x7f) | 0x80);
    put(out, value);
}

static uint32_t utf16_length(const unsigned char *text, size_t length) {
    uint32_t units = 0;
    for (size_t at = 0; at < length;) {
        if (text[at] < 0x80) {
            units++;
            at++;
            continue;
        }
        raski_utf16_step step = raski_utf16_decode(text + at, length - at);
        units += step.count;
        at += step.length;
    }
    return units;
}

static void put_string(window *out, const char *value) {
    rask_string string;
    memcpy(&string, value, sizeof string);
    const unsigned char *text = (const unsigned char *)rask_string_data(&string);
    put_variable(out, utf16_length(text, string.len) + 1);
    for (size_t at = 0; at < string.len && !window_is_full(out);) {
        raski_utf16_step step = raski_utf16_decode(text + at, string.len - at);
        for (uint32_t i = 0; i < step.count; i++) put_variable(out, step.units[i]);
        at += step.length;
    }
}

static void put_value(window *out, const rask_type *type, const char *value) {
    switch (type->kind) {
        case RASK_KIND_STRING:
            put_string(out, value);
            return;
        case RASK_KIND_RECORD:
            for (uint32_t i = 0; i < type->field_count; i++)
                put_value(out, type->fields[i].type, value + type->fields[i].offset);
            return;
        case RASK_KIND_OPTIONAL:
            put(out, *value == 0);
            if (*value) put_value(out, type->element, value + type->value_offset);
            return;
        case RASK_KIND_LIST: {
            raski_any_list list;
            memcpy(&list, value, sizeof list);
            put_big_endian(out, list.count, 4);
            for (uint32_t i = 0; i < list.count && !window_is_full(out); i++)
                put_value(out, type->element,
                          (const char *)list.items + (size_t)i * type->element->size);
            return;
        }
        default:
            put_big_endian(out, raski_key_scalar_bits(type, value), type->size);
            return;
    }
}

static void put_key(window *out, const raski_key_spec *key, const char *row) {
    for (uint32_t i = 0; i < key->part_count && !window_is_full(out); i++)
        put_value(out, key->parts[i].type, row + key->parts[i].offset);
}

/* The first bytes as a number whose order is that of the signed bytes. What is missing counts as
 * the least byte. */
static uint64_t key_prefix(const raski_key_spec *key, const char *row) {
    window out;
    out.position = out.from = out.count = 0;
    out.capacity = PREFIX;
    put_key(&out, key, row);
    uint64_t prefix = 0;
    for (size_t i = 0; i < PREFIX; i++)
        prefix = prefix << 8 | (i < out.count ? out.bytes[i] ^ 0x80U : 0U);
    return prefix;
}

typedef struct sort_entry {
    uint64_t prefix;
    char *row;
} sort_entry;

/* What qsort's comparison has to know: the sort of one table runs on one thread. */
static _Thread_local const raski_key_spec *sorted_key;

/* Entries with equal prefixes. */
static int compare_whole(const void *a_entry, const void *b_entry) {
    const sort_entry *a = a_entry, *b = b_entry;
    window x, y;
    x.capacity = y.capacity = WINDOW;
    for (size_t from = 0;; from += WINDOW) {
        x.position = y.position = x.count = y.count = 0;
        x.from = y.from = from;
        put_key(&x, sorted_key, a->row);
        put_key(&y, sorted_key, b->row);
        size_t both = x.count < y.count ? x.count : y.count;
        for (size_t i = 0; i < both; i++)
            if (x.bytes[i] != y.bytes[i])
                return (signed char)x.bytes[i] < (signed char)y.bytes[i] ? -1 : 1;
        if (x.count != y.count) return x.count < y.count ? -1 : 1;
        if (x.count < WINDOW) return 0;
    }
}

/* Radix sort by the prefixes, from the lowest byte; other has room for as many entries. Returns the
 * one of the two that holds the result. */
static sort_entry *sort_by_prefix(sort_entry *entries, sort_entry *other, size_t count) {
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        size_t starts[DIGITS] = {0}, at = 0;
        for (size_t i = 0; i < count; i++) starts[entries[i].prefix >> shift & (DIGITS - 1)]++;
        if (count && starts[entries[0].prefix >> shift & (DIGITS - 1)] == count) continue;
        for (size_t digit = 0; digit < DIGITS; digit++) {
            size_t in_digit = starts[digit];
            starts[digit] = at;
            at += in_digit;
        }
        for (size_t i = 0; i < count; i++)
            other[starts[entries[i].prefix >> shift & (DIGITS - 1)]++] = entries[i];
        sort_entry *sorted = other;
        other = entries;
        entries = sorted;
    }
    return entries;
}

rask_status raski_keyed_table_in_key_order(const raski_keyed_table *table, char ***ret_rows,
                                           raski_error *err) {
    size_t count = table->count, position = 0, n = 0;
    sort_entry *entries = raski_try_alloc(count * sizeof *entries, 0);
    sort_entry *other = raski_try_alloc(count * sizeof *other, 0);
    if (!entries || !other) {
        raski_free(entries);
        raski_free(other);
        return raski_table_no_memory(table, err);
    }
    for (char *row; (row = raski_keyed_table_next(table, &position)); n++)
        entries[n] = (sort_entry){.prefix = key_prefix(&table->key_in_row, row), .row = row};
    sorted_key = &table->key_in_row;
    sort_entry *sorted = sort_by_prefix(entries, other, count);
    char **rows = (char **)(void *)(sorted == entries ? other : entries); /* no longer needed */
    for (size_t start = 0, end = 0; start < count; start = end) {
        for (end = start + 1; end < count && sorted[end].prefix == sorted[start].prefix;) end++;
        if (end - start > 1) qsort(sorted + start, end - start, sizeof *sorted, compare_whole);
        for (size_t i = start; i < end; i++) rows[i] = sorted[i].row;
    }
    raski_free(sorted);
    *ret_rows = rows;
    return RASK_OK;
}
