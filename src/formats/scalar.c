#include "formats/scalar.h"

#include <stdio.h>
#include <string.h>

#include "formats/format.h"
#include "formats/time_text.h"

enum { NANOS_PER_MILLI = 1000000, MILLIS_PER_SECOND = 1000 };

/* The times of rask_timestamp that have a text: the years that a rask_date has. */
static const int64_t TEXT_MILLIS_MAX = (int64_t)INT32_MAX * 86400000;

bool raski_is_number(const rask_type *type) {
    return type->kind >= RASK_KIND_BYTE && type->kind <= RASK_KIND_DOUBLE;
}

bool raski_is_scalar(const rask_type *type) {
    return raski_is_number(type) || type->kind == RASK_KIND_BOOLEAN ||
           type->kind == RASK_KIND_TIMESTAMP;
}

/* ---------------------------------------------------------------- reading */
#define PARSE_INTEGER(T, MIN, MAX) \
    do { \
        int64_t value_; \
        raski_number_result result_ = raski_number_parse_long(text, length, &value_); \
        if (result_ != RASKI_NUMBER_OK) return result_; \
        if (value_ < (MIN) || value_ > (MAX)) return RASKI_NUMBER_OUT_OF_RANGE; \
        *(T *)ret_value = (T)value_; \
        return RASKI_NUMBER_OK; \
    } while (0)

static raski_number_result parse_boolean(const char *text, size_t length, bool *ret) {
    static const char *const words[] = {"false", "true"};
    for (int i = 0; i < 2; i++) {
        if (length != strlen(words[i])) continue;
        size_t n = 0;
        while (n < length && (text[n] | 0x20) == words[i][n]) n++;
        if (n < length) continue;
        *ret = i == 1;
        return RASKI_NUMBER_OK;
    }
    return RASKI_NUMBER_INVALID;
}

/* Milliseconds as a number, or a date and time. */
static raski_number_result parse_timestamp(const char *text, size_t length, int64_t *ret) {
    raski_number_result result = raski_number_parse_long(text, length, ret);
    if (result != RASKI_NUMBER_INVALID) return result;
    int64_t seconds = 0;
    int32_t nanos = 0;
    result = raski_text_parse_instant(text, length, NANOS_PER_MILLI, &seconds, &nanos);
    if (result == RASKI_NUMBER_OK) *ret = seconds * MILLIS_PER_SECOND + nanos / NANOS_PER_MILLI;
    return result;
}

raski_number_result raski_scalar_parse(const rask_type *type, const char *text, size_t length,
                                       void *ret_value) {
    switch (type->kind) {
        case RASK_KIND_BYTE:
            PARSE_INTEGER(int8_t, INT8_MIN, INT8_MAX);
        case RASK_KIND_SHORT:
            PARSE_INTEGER(int16_t, INT16_MIN, INT16_MAX);
        case RASK_KIND_INT:
            PARSE_INTEGER(int32_t, INT32_MIN, INT32_MAX);
        case RASK_KIND_LONG:
            return raski_number_parse_long(text, length, ret_value);
        case RASK_KIND_FLOAT:
            return raski_number_parse_float(text, length, ret_value);
        case RASK_KIND_DOUBLE:
            return raski_number_parse_double(text, length, ret_value);
        case RASK_KIND_BOOLEAN:
            return parse_boolean(text, length, ret_value);
        case RASK_KIND_TIMESTAMP:
            return parse_timestamp(text, length, ret_value);
        default:
            return RASKI_NUMBER_INVALID;
    }
}

const char *raski_scalar_expectation(const rask_type *type) {
    switch (type->kind) {
        case RASK_KIND_BYTE:
            return "BYTE (-128 to 127)";
        case RASK_KIND_SHORT:
            return "SHORT (-32768 to 32767)";
        case RASK_KIND_INT:
            return "INT (-2147483648 to 2147483647)";
        case RASK_KIND_LONG:
            return "LONG (-9223372036854775808 to 9223372036854775807)";
        case RASK_KIND_FLOAT:
            return "FLOAT (up to 3.4028235E38)";
        case RASK_KIND_DOUBLE:
            return "DOUBLE (up to 1.7976931348623157E308)";
        case RASK_KIND_BOOLEAN:
            return "BOOLEAN (true or false)";
        case RASK_KIND_TIMESTAMP:
            return "TIMESTAMP (2020-02-29T12:30:00.123Z, or milliseconds since 1970)";
        case RASK_KIND_STRING:
            return "STRING";
        case RASK_KIND_BYTES:
            return "BYTES (base64)";
        case RASK_KIND_RECORD:
            return "a record";
        case RASK_KIND_LIST:
            return "a list";
        default:
            return "a value";
    }
}

void raski_scalar_complain(const rask_type *type, raski_number_result result, const char *text,
                           size_t length, char ret_text[RASKI_COMPLAINT_MAX]) {
    char excerpt[RASKI_EXCERPT_MAX];
    raski_format_excerpt(text, length, excerpt);
    (void)snprintf(ret_text, RASKI_COMPLAINT_MAX,
                   result == RASKI_NUMBER_OUT_OF_RANGE ? "%.120s is out of range of %s"
                                                       : "%.120s is not a value of type %s",
                   excerpt, raski_scalar_expectation(type));
}

/* ---------------------------------------------------------------- writing */
static bool append_timestamp(rask_text *text, int64_t ms, rask_timestamp_format format) {
    if (format == RASK_TIMESTAMP_MILLIS || ms > TEXT_MILLIS_MAX || ms < -TEXT_MILLIS_MAX)
        return raski_append_long(text, ms);
    int64_t seconds = ms / MILLIS_PER_SECOND - (ms % MILLIS_PER_SECOND < 0);
    int32_t nanos = (int32_t)(ms - seconds * MILLIS_PER_SECOND) * NANOS_PER_MILLI;
    return raski_append_instant(text, seconds, nanos, format == RASK_TIMESTAMP_SQL ? ' ' : 'T',
                                true);
}

bool raski_scalar_append(rask_text *text, const rask_type *type, const void *value,
                         const raski_scalar_style *style) {
    switch (type->kind) {
        case RASK_KIND_BYTE:
            return raski_append_long(text, *(const int8_t *)value);
        case RASK_KIND_SHORT:
            return raski_append_long(text, *(const int16_t *)value);
        case RASK_KIND_INT:
            return raski_append_long(text, *(const int32_t *)value);
        case RASK_KIND_LONG:
            return raski_append_long(text, *(const int64_t *)value);
        case RASK_KIND_TIMESTAMP:
            return append_timestamp(text, *(const int64_t *)value, style->timestamps);
        default: /* as Java prints it: the shortest text that reads back */
            return rask_text_append_record(text, type, value) == RASK_OK;
    }
}
