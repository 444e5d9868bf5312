#include "types/print.h"

#include <string.h>

#include "base/alloc.h"
#include "types/java_decimal.h"
#include "types/java_time_text.h"

size_t raski_format_long(int64_t value, char ret_text[RASKI_LONG_TEXT_MAX]) {
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
        "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
        "8081828384858687888990919293949596979899";
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    char digits[RASKI_LONG_TEXT_MAX];
    size_t at = sizeof digits;
    for (; rest >= 100; rest /= 100) {
        at -= 2;
        memcpy(digits + at, pairs + rest % 100 * 2, 2);
    }
    if (rest >= 10) {
        at -= 2;
        memcpy(digits + at, pairs + rest * 2, 2);
    } else {
        digits[--at] = (char)('0' + rest);
    }
    if (value < 0) digits[--at] = '-';
    size_t length = sizeof digits - at;
    memcpy(ret_text, digits + at, length);
    return length;
}

/* The data grows with the data of the job, so growing it may fail. The byte for the NUL is kept
 * free throughout; the NUL is written at the end. */
static bool reserve(raski_str *str, size_t extra) {
    if (str->capacity - str->length > extra) return true;
    size_t wanted = 0;
    if (__builtin_add_overflow(str->length, extra, &wanted) || wanted > PTRDIFF_MAX / 2)
        return false;
    size_t capacity = wanted + 1 > 2 * str->capacity ? wanted + 1 : 2 * str->capacity;
    if (capacity < 256) capacity = 256;
    char *data = raski_try_alloc(capacity, 0);
    if (data == NULL) return false;
    if (str->length) memcpy(data, str->data, str->length);
    raski_free(str->data);
    str->data = data;
    str->capacity = capacity;
    return true;
}

static bool put(raski_str *str, const void *bytes, size_t length) {
    if (!reserve(str, length)) return false;
    memcpy(str->data + str->length, bytes, length);
    str->length += length;
    return true;
}

static bool put_char(raski_str *str, char c) {
    if (!reserve(str, 1)) return false;
    str->data[str->length++] = c;
    return true;
}

static bool put_long(raski_str *str, int64_t value) {
    if (!reserve(str, RASKI_LONG_TEXT_MAX)) return false;
    str->length += raski_format_long(value, str->data + str->length);
    return true;
}

static bool put_decimal(raski_str *str, double value, bool is_float) {
    if (!reserve(str, RASKI_DECIMAL_MAX)) return false;
    char *to = str->data + str->length;
    str->length += is_float ? raski_format_float((float)value, to) : raski_format_double(value, to);
    return true;
}

static bool put_string(raski_str *str, const rask_string *s) {
    if (s->len > RASK_STRING_INLINE) return put(str, rask_string_data(s), s->len);
    if (!reserve(str, RASK_STRING_INLINE)) return false;
    memcpy(str->data + str->length, &s->raski_head,
           4); /* all 12: two fixed copies need no branch */
    memcpy(str->data + str->length + 4, &s->raski_tail, 8);
    str->length += s->len;
    return true;
}

static bool put_value(raski_str *str, const rask_type *type, const char *value);

static bool put_items(raski_str *str, const rask_type *type, const char *items, size_t count) {
    if (!put_char(str, '[')) return false;
    for (size_t i = 0; i < count; i++, items += type->size) {
        if (i > 0 && !put(str, ", ", 2)) return false;
        if (!put_value(str, type, items)) return false;
    }
    return put_char(str, ']');
}

static bool put_field(raski_str *str, const rask_field *field, const char *record) {
    const char *value = record + field->offset;
    return field->array_length ? put_items(str, field->type, value, field->array_length)
                               : put_value(str, field->type, value);
}

static bool put_record(raski_str *str, const rask_type *type, const char *record) {
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (!put_char(str, i == 0 ? '(' : ',')) return false;
        if (!put_field(str, &type->fields[i], record)) return false;
    }
    return put_char(str, ')');
}

/* Dates, times and decimals. */
static bool put_composed(raski_str *str, const rask_type *type, const void *v) {
    if (!reserve(str, RASKI_VALUE_TEXT_MAX)) return false;
    char *to = str->data + str->length;
    size_t length = 0;
    switch (type->kind) {
        case RASK_KIND_DATE:
            length = raski_format_date(*(const rask_date *)v, to);
            break;
        case RASK_KIND_TIME:
            length = raski_format_time(*(const rask_time *)v, to);
            break;
        case RASK_KIND_DATETIME:
            length = raski_format_datetime(*(const rask_datetime *)v, to);
            break;
        case RASK_KIND_INSTANT:
            length = raski_format_instant(*(const rask_instant *)v, to);
            break;
        case RASK_KIND_DURATION:
            length = raski_format_duration(*(const rask_duration *)v, to);
            break;
        default:
            length = raski_format_decimal(*(const rask_decimal *)v, to);
    }
    str->length += length;
    return true;
}

/* The field that a number of an enumeration or variant means; NULL: none. */
static const rask_field *chosen(const rask_type *type, const void *v) {
    uint32_t number = *(const uint32_t *)v;
    return number < type->field_count ? &type->fields[number] : NULL;
}

static bool put_enum(raski_str *str, const rask_type *type, const void *v) {
    const rask_field *constant = chosen(type, v);
    return constant ? put(str, constant->name, strlen(constant->name)) : put_char(str, '?');
}

static bool put_variant(raski_str *str, const rask_type *type, const char *value) {
    const rask_field *field = chosen(type, value);
    if (field == NULL) return put_char(str, '?');
    return put(str, field->name, strlen(field->name)) && put_char(str, '(') &&
           put_value(str, field->type, value + field->offset) && put_char(str, ')');
}

static bool put_map(raski_str *str, const rask_type *entry, const raski_any_list *map) {
    const rask_field *key = &entry->fields[0];
    const rask_field *value = &entry->fields[1];
    const char *e = map->items;
    if (!put_char(str, '{')) return false;
    for (uint32_t i = 0; i < map->count; i++, e += entry->size) {
        if (i > 0 && !put(str, ", ", 2)) return false;
        if (!put_value(str, key->type, e + key->offset) || !put_char(str, '=') ||
            !put_value(str, value->type, e + value->offset))
            return false;
    }
    return put_char(str, '}');
}

static bool put_value(raski_str *str, const rask_type *type, const char *value) {
    const void *v = value;
    switch (type->kind) {
        case RASK_KIND_BYTE:
            return put_long(str, *(const int8_t *)v);
        case RASK_KIND_SHORT:
            return put_long(str, *(const int16_t *)v);
        case RASK_KIND_INT:
            return put_long(str, *(const int32_t *)v);
        case RASK_KIND_LONG:
        case RASK_KIND_TIMESTAMP:
            return put_long(str, *(const int64_t *)v);
        case RASK_KIND_FLOAT:
            return put_decimal(str, (double)*(const float *)v, true);
        case RASK_KIND_DOUBLE:
            return put_decimal(str, *(const double *)v, false);
        case RASK_KIND_BOOLEAN:
            return *(const bool *)v ? put(str, "true", 4) : put(str, "false", 5);
        case RASK_KIND_STRING:
            return put_string(str, v);
        case RASK_KIND_BYTES:
            return put_items(str, &rask_type_int8_t, rask_bytes_data(v),
                             ((const rask_bytes *)v)->len);
        case RASK_KIND_RECORD:
            return put_record(str, type, value);
        case RASK_KIND_LIST: {
            const raski_any_list *list = v;
            return put_items(str, type->element, list->items, list->count);
        }
        case RASK_KIND_OPTIONAL:
            return *(const bool *)v ? put_value(str, type->element, value + type->value_offset)
                                    : put(str, "null", 4);
        case RASK_KIND_ENUM:
            return put_enum(str, type, v);
        case RASK_KIND_DECIMAL:
        case RASK_KIND_DATE:
        case RASK_KIND_TIME:
        case RASK_KIND_DATETIME:
        case RASK_KIND_INSTANT:
        case RASK_KIND_DURATION:
            return put_composed(str, type, v);
        case RASK_KIND_MAP:
            return put_map(str, type->element, v);
        case RASK_KIND_VARIANT:
            return put_variant(str, type, value);
    }
    return true;
}

static rask_status end_text(raski_str *str, size_t start, bool done, raski_error *err) {
    if (!done) str->length = start;
    if (str->length < str->capacity) str->data[str->length] = '\0';
    if (done) return RASK_OK;
    return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for the text of a record");
}

rask_status raski_value_print(raski_str *str, const rask_type *type, const void *value,
                              raski_error *err) {
    size_t start = str->length;
    return end_text(str, start, put_value(str, type, value), err);
}

rask_status raski_field_print(raski_str *str, const rask_field *field, const void *record,
                              raski_error *err) {
    size_t start = str->length;
    return end_text(str, start, put_field(str, field, record), err);
}
