#include "state/key_order.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "state/key_inline.h"
#include "types/type_info.h"
#include "types/utf16.h"

enum { WINDOW = 128, PREFIX = sizeof(uint64_t), DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

/* A part of a serialised key: the bytes from `from` on, as many as fit. */
typedef struct window {
    size_t position; /* of the next byte in the whole */
    size_t from, capacity, count;
    unsigned char *bytes;
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
        RASKI_CASE_COMPOSED:
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

/* ---------------------------------------------------------------- whole keys */
/* Bytes that the value may take at most, malformed text with its second form included. */
static size_t value_bytes_max(const rask_type *type, const char *value) {
    switch (type->kind) {
        case RASK_KIND_STRING: {
            rask_string string;
            memcpy(&string, value, sizeof string);
            /* a length, up to 3 bytes for each, and all of it once more */
            return 5 + 3 * (size_t)string.len + 5 + string.len;
        }
        case RASK_KIND_RECORD: {
            size_t bytes = 0;
            for (uint32_t i = 0; i < type->field_count; i++)
                bytes += value_bytes_max(type->fields[i].type, value + type->fields[i].offset);
            return bytes;
        }
        case RASK_KIND_OPTIONAL:
            return *value ? 1 + value_bytes_max(type->element, value + type->value_offset) : 1;
        case RASK_KIND_LIST: {
            raski_any_list list;
            memcpy(&list, value, sizeof list);
            size_t bytes = 4;
            for (uint32_t i = 0; i < list.count; i++)
                bytes += value_bytes_max(
                    type->element, (const char *)list.items + (size_t)i * type->element->size);
            return bytes;
        }
        default:
            return type->size;
    }
}

size_t raski_key_bytes_max(const raski_key_spec *key, const char *record) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < key->part_count; i++)
        bytes += value_bytes_max(key->parts[i].type, record + key->parts[i].offset);
    return bytes;
}

static bool is_malformed(const unsigned char *text, size_t length) {
    for (size_t at = 0; at < length;) {
        if (text[at] < 0x80) {
            at++;
            continue;
        }
        raski_utf16_step step = raski_utf16_decode(text + at, length - at);
        /* U+FFFD itself is three bytes that are told by their first one */
        if (step.count == 1 && step.units[0] == RASKI_UTF16_REPLACEMENT &&
            (step.length != 3 || memcmp(text + at, "\xef\xbf\xbd", 3) != 0))
            return true;
        at += step.length;
    }
    return false;
}

/* Texts that are not UTF-8 are serialised as Java decodes them, so different ones may look alike;
 * they are different keys of Rask. Their bytes follow behind all else: a mark that differs from the
 * least byte, the length, the bytes. */
static void put_malformed(window *out, const rask_type *type, const char *value) {
    switch (type->kind) {
        case RASK_KIND_STRING: {
            rask_string string;
            memcpy(&string, value, sizeof string);
            const unsigned char *text = (const unsigned char *)rask_string_data(&string);
            if (!is_malformed(text, string.len)) return;
            put(out, 0x81);
            put_big_endian(out, string.len, 4);
            for (uint32_t i = 0; i < string.len; i++) put(out, text[i]);
            return;
        }
        case RASK_KIND_RECORD:
            for (uint32_t i = 0; i < type->field_count; i++)
                put_malformed(out, type->fields[i].type, value + type->fields[i].offset);
            return;
        case RASK_KIND_OPTIONAL:
            if (*value) put_malformed(out, type->element, value + type->value_offset);
            return;
        case RASK_KIND_LIST: {
            raski_any_list list;
            memcpy(&list, value, sizeof list);
            for (uint32_t i = 0; i < list.count; i++)
                put_malformed(out, type->element,
                              (const char *)list.items + (size_t)i * type->element->size);
            return;
        }
        default:
            return;
    }
}

/* The common key: one string of ASCII, less than 127 characters. Its bytes are as they stand. */
static size_t put_short_ascii(const raski_key_spec *key, const char *record, unsigned char *bytes) {
    if (key->part_count != 1 || key->parts[0].type->kind != RASK_KIND_STRING) return 0;
    rask_string string;
    memcpy(&string, record + key->parts[0].offset, sizeof string);
    if (string.len >= 0x7f) return 0;
    const char *text = rask_string_data(&string);
    unsigned char any = 0;
    bytes[0] = (unsigned char)(string.len + 1);
    for (uint32_t i = 0; i < string.len; i++) {
        bytes[1 + i] = (unsigned char)text[i];
        any |= (unsigned char)text[i];
    }
    return any < 0x80 ? string.len + 1 : 0;
}

size_t raski_key_bytes(const raski_key_spec *key, const char *record, unsigned char *ret_bytes) {
    size_t count = put_short_ascii(key, record, ret_bytes);
    if (count > 0) return count;
    window out = {.capacity = SIZE_MAX, .bytes = ret_bytes};
    put_key(&out, key, record);
    for (uint32_t i = 0; i < key->part_count; i++)
        put_malformed(&out, key->parts[i].type, record + key->parts[i].offset);
    return out.count;
}

uint64_t raski_key_scalar_prefix(const rask_type *type, const char *value) {
    const unsigned unused = 64 - 8 * type->size;
    return (raski_key_scalar_bits(type, value) << unused) ^
           (UINT64_C(0x8080808080808080) << unused);
}

/* ---------------------------------------------------------------- rows of a table */
/* The first bytes as a number whose order is that of the signed bytes. What is missing counts as
 * the least byte. */
static uint64_t key_prefix(const raski_key_spec *key, const char *row) {
    unsigned char bytes[PREFIX];
    window out = {.capacity = PREFIX, .bytes = bytes};
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
    unsigned char x_bytes[WINDOW], y_bytes[WINDOW];
    window x = {.capacity = WINDOW, .bytes = x_bytes}, y = {.capacity = WINDOW, .bytes = y_bytes};
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
