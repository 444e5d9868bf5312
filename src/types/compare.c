#include "types/compare.h"

#include <string.h>

/* UTF-8 bytes sort by code point; UTF-16 units put what needs two units (U+10000 and up, lead bytes
 * F0..F7, units D800..DFFF) before U+E000..U+FFFF (lead bytes EE and EF). Elsewhere they agree. */
static inline int utf16_rank(unsigned char byte) {
    return byte == 0xee || byte == 0xef ? byte + 0x100 : byte;
}

int raski_string_compare_java(const rask_string *a, const rask_string *b) {
    const unsigned char *p = (const unsigned char *)rask_string_data(a);
    const unsigned char *q = (const unsigned char *)rask_string_data(b);
    size_t n = a->len < b->len ? a->len : b->len;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t x;
        uint64_t y;
        memcpy(&x, p + i, 8);
        memcpy(&y, q + i, 8);
        if (x != y) break;
    }
    for (; i < n; i++)
        if (p[i] != q[i]) return utf16_rank(p[i]) - utf16_rank(q[i]);
    return (a->len > b->len) - (a->len < b->len);
}

static int compare_bytes(const rask_bytes *a, const rask_bytes *b) {
    size_t n = a->len < b->len ? a->len : b->len;
    int c = memcmp(rask_bytes_data(a), rask_bytes_data(b), n);
    return c != 0 ? c : (a->len > b->len) - (a->len < b->len);
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Double.compare: where < and > do not decide, the canonical bits do. */
static int compare_double(double a, double b) {
    if (a < b) return -1;
    if (a > b) return 1;
    int64_t x = INT64_C(0x7ff8000000000000);
    int64_t y = x;
    if (a == a) memcpy(&x, &a, sizeof x);
    if (b == b) memcpy(&y, &b, sizeof y);
    return ORDER(x, y);
}

static int compare_record(const rask_type *type, const void *a, const void *b) {
    for (uint32_t i = 0; i < type->field_count; i++) {
        int c = raski_field_compare(&type->fields[i], a, b);
        if (c != 0) return c;
    }
    return 0;
}

static int compare_items(const rask_type *type, const char *a, const char *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i++, a += type->size, b += type->size) {
        int c = raski_value_compare(type, a, b);
        if (c != 0) return c;
    }
    return 0;
}

static int compare_list(const rask_type *type, const raski_any_list *a, const raski_any_list *b) {
    int c =
        compare_items(type->element, a->items, b->items, a->count < b->count ? a->count : b->count);
    return c != 0 ? c : ORDER(a->count, b->count);
}

static int compare_optional(const rask_type *type, const char *a, const char *b) {
    bool has_a = *(const bool *)a;
    bool has_b = *(const bool *)b;
    if (!has_a || !has_b) return (int)has_a - (int)has_b;
    return raski_value_compare(type->element, a + type->value_offset, b + type->value_offset);
}

/* By value, then by scale. */
static int compare_decimal(const rask_decimal *a, const rask_decimal *b) {
    int c = rask_decimal_compare(*a, *b);
    return c != 0 ? c : ORDER(a->scale, b->scale);
}

/* The entry with the smallest key above that of `last` (NULL: the smallest of all). */
static const char *next_entry(const rask_type *entry, const raski_any_list *map, const char *last) {
    const rask_field *key = &entry->fields[0];
    const char *best = NULL;
    for (uint32_t i = 0; i < map->count; i++) {
        const char *e = (const char *)map->items + (size_t)i * entry->size;
        if (last != NULL && raski_field_compare(key, e, last) <= 0) continue;
        if (best == NULL || raski_field_compare(key, e, best) < 0) best = e;
    }
    return best;
}

/* Entry by entry in the order of their keys. Takes time by the square of their number: maps are
 * small, and seldom compared. */
static int compare_map(const rask_type *type, const raski_any_list *a, const raski_any_list *b) {
    const char *x = NULL;
    const char *y = NULL;
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        x = next_entry(type->element, a, x);
        y = next_entry(type->element, b, y);
        if (x == NULL || y == NULL)
            return (x != NULL) - (y != NULL); /* keys that are there twice */
        int c = compare_record(type->element, x, y);
        if (c != 0) return c;
    }
    return ORDER(a->count, b->count);
}

static int compare_variant(const rask_type *type, const char *a, const char *b) {
    uint32_t x = *(const uint32_t *)(const void *)a;
    uint32_t y = *(const uint32_t *)(const void *)b;
    if (x != y) return ORDER(x, y);
    return x < type->field_count ? raski_field_compare(&type->fields[x], a, b) : 0;
}

#define COMPARE_AS(T) ORDER(*(const T *)a, *(const T *)b)

int raski_value_compare(const rask_type *type, const void *a, const void *b) {
    switch (type->kind) {
        case RASK_KIND_BYTE:
            return COMPARE_AS(int8_t);
        case RASK_KIND_SHORT:
            return COMPARE_AS(int16_t);
        case RASK_KIND_INT:
            return COMPARE_AS(int32_t);
        case RASK_KIND_LONG:
        case RASK_KIND_TIMESTAMP:
            return COMPARE_AS(int64_t);
        case RASK_KIND_FLOAT:
            return compare_double(*(const float *)a, *(const float *)b);
        case RASK_KIND_DOUBLE:
            return compare_double(*(const double *)a, *(const double *)b);
        case RASK_KIND_BOOLEAN:
            return COMPARE_AS(bool);
        case RASK_KIND_STRING:
            return raski_string_compare_java(a, b);
        case RASK_KIND_BYTES:
            return compare_bytes(a, b);
        case RASK_KIND_RECORD:
            return compare_record(type, a, b);
        case RASK_KIND_LIST:
            return compare_list(type, a, b);
        case RASK_KIND_OPTIONAL:
            return compare_optional(type, a, b);
        case RASK_KIND_ENUM:
            return COMPARE_AS(int32_t);
        case RASK_KIND_DECIMAL:
            return compare_decimal(a, b);
        case RASK_KIND_DATE:
        case RASK_KIND_TIME:
        case RASK_KIND_DATETIME:
        case RASK_KIND_INSTANT:
        case RASK_KIND_DURATION:
            return compare_record(type, a, b); /* members, the weightiest first */
        case RASK_KIND_MAP:
            return compare_map(type, a, b);
        case RASK_KIND_VARIANT:
            return compare_variant(type, a, b);
    }
    return 0;
}

int raski_field_compare(const rask_field *field, const void *record_a, const void *record_b) {
    return compare_items(field->type, (const char *)record_a + field->offset,
                         (const char *)record_b + field->offset,
                         field->array_length ? field->array_length : 1);
}

static bool equal_fields(const rask_type *type, const char *a, const char *b) {
    for (uint32_t i = 0; i < type->field_count; i++) {
        const rask_field *field = &type->fields[i];
        uint32_t count = field->array_length ? field->array_length : 1;
        for (uint32_t k = 0; k < count; k++) {
            size_t at = field->offset + (size_t)k * field->type->size;
            if (!raski_value_equal(field->type, a + at, b + at)) return false;
        }
    }
    return true;
}

bool raski_value_equal(const rask_type *type, const void *a, const void *b) {
    switch (type->kind) {
        case RASK_KIND_STRING:
        case RASK_KIND_BYTES: { /* one layout: rask_string_equal looks at the first 8 bytes at once
                                 */
            rask_string x;
            rask_string y;
            memcpy(&x, a, sizeof x);
            memcpy(&y, b, sizeof y);
            return rask_string_equal(x, y);
        }
        case RASK_KIND_RECORD:
            return equal_fields(type, a, b);
        default:
            return raski_value_compare(type, a, b) == 0;
    }
}
