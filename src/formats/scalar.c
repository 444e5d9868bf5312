#include "formats/scalar.h"

#include <stdio.h>
#include <string.h>

#include "formats/format.h"
#include "formats/time_text.h"

enum { NANOS_PER_MILLI = 1000000, MILLIS_PER_SECOND = 1000 };

/* The times of rask_timestamp that have a text: the years that a rask_date has. */
static const int64_t TEXT_MILLIS_MAX = (int64_t)INT32_MAX * 86400000;

bool raski_is_number(const rask_type *type) {
    return (type->kind >= RASK_KIND_BYTE && type->kind <= RASK_KIND_DOUBLE) ||
           type->kind == RASK_KIND_DECIMAL;
}

bool raski_is_scalar(const rask_type *type) {
    return raski_is_number(type) || type->kind == RASK_KIND_BOOLEAN ||
           type->kind == RASK_KIND_TIMESTAMP ||
           (type->kind >= RASK_KIND_ENUM && type->kind <= RASK_KIND_DURATION);
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

static raski_number_result parse_enum(const rask_type *type, const char *text, size_t length,
                                      int32_t *ret) {
    for (uint32_t i = 0; i < type->field_count; i++) {
        const char *name = type->fields[i].name;
        if (strlen(name) != length || memcmp(name, text, length) != 0) continue;
        *ret = (int32_t)i;
        return RASKI_NUMBER_OK;
    }
    return RASKI_NUMBER_INVALID;
}

static raski_number_result parse_decimal(const char *text, size_t length, rask_decimal *ret) {
    double number = 0;
    if (rask_decimal_parse(text, length, ret)) return RASKI_NUMBER_OK;
    bool is_decimal = length > 0 && text[length - 1] < 'A' && /* no NaN, no Infinity */
                      raski_number_parse_double(text, length, &number) != RASKI_NUMBER_INVALID;
    return is_decimal ? RASKI_NUMBER_OUT_OF_RANGE : RASKI_NUMBER_INVALID;
}

static raski_number_result parse_instant(const char *text, size_t length, rask_instant *ret) {
    int64_t seconds = 0;
    int32_t nanos = 0;
    raski_number_result result = raski_text_parse_instant(text, length, 1, &seconds, &nanos);
    if (result == RASKI_NUMBER_OK) *ret = rask_instant_of(seconds, nanos);
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
        case RASK_KIND_ENUM:
            return parse_enum(type, text, length, ret_value);
        case RASK_KIND_DECIMAL:
            return parse_decimal(text, length, ret_value);
        case RASK_KIND_DATE:
            return raski_text_parse_date(text, length, ret_value);
        case RASK_KIND_TIME:
            return raski_text_parse_time(text, length, ret_value);
        case RASK_KIND_DATETIME:
            return raski_text_parse_datetime(text, length, ret_value);
        case RASK_KIND_INSTANT:
            return parse_instant(text, length, ret_value);
        case RASK_KIND_DURATION:
            return raski_text_parse_duration(text, length, ret_value);
        default:
            return RASKI_NUMBER_INVALID;
    }
}

static const char *expectation(const rask_type *type) {
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
        case RASK_KIND_DECIMAL:
            return "BIG_DEC (up to 38 digits)";
        case RASK_KIND_DATE:
            return "LOCAL_DATE (2020-02-29)";
        case RASK_KIND_TIME:
            return "LOCAL_TIME (12:30:00.123)";
        case RASK_KIND_DATETIME:
            return "LOCAL_DATE_TIME (2020-02-29T12:30:00.123)";
        case RASK_KIND_INSTANT:
            return "INSTANT (2020-02-29T12:30:00.123Z)";
        case RASK_KIND_DURATION:
            return "DURATION (P1DT2H30M0.5S)";
        case RASK_KIND_MAP:
            return "a map";
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

/* As many constants of an enumeration as there is room for. */
const char *raski_scalar_expectation(const rask_type *type, char ret_text[RASKI_EXPECTATION_MAX]) {
    size_t n = 0;
    if (type->kind == RASK_KIND_OPTIONAL) type = type->element;
    if (type->kind != RASK_KIND_ENUM) {
        (void)snprintf(ret_text, RASKI_EXPECTATION_MAX, "%s", expectation(type));
        return ret_text;
    }
    n += (size_t)snprintf(ret_text, RASKI_EXPECTATION_MAX, "%.40s (", type->name);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const char *name = type->fields[i].name;
        const bool fits = n + strlen(name) + sizeof ", , ...)" < RASKI_EXPECTATION_MAX;
        n += (size_t)snprintf(ret_text + n, RASKI_EXPECTATION_MAX - n, "%s%s", i > 0 ? ", " : "",
                              fits ? name : "...");
        if (!fits) break;
    }
    (void)snprintf(ret_text + n, RASKI_EXPECTATION_MAX - n, ")");
    return ret_text;
}

void raski_scalar_complain(const rask_type *type, raski_number_result result, const char *text,
                           size_t length, char ret_text[RASKI_COMPLAINT_MAX]) {
    char excerpt[RASKI_EXCERPT_MAX];
    char expected[RASKI_EXPECTATION_MAX];
    raski_format_excerpt(text, length, excerpt);
    (void)snprintf(ret_text, RASKI_COMPLAINT_MAX,
                   result == RASKI_NUMBER_OUT_OF_RANGE ? "%.120s is out of range of %s"
                                                       : "%.120s is not a value of type %s",
                   excerpt, raski_scalar_expectation(type, expected));
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

static bool check_nanos(int64_t nanos, int64_t end, const char *what,
                        char ret_text[RASKI_COMPLAINT_MAX]) {
    if (nanos >= 0 && nanos < end) return true;
    (void)snprintf(ret_text, RASKI_COMPLAINT_MAX, "%lld nanoseconds are not within a %s",
                   (long long)nanos, what);
    return false;
}

bool raski_scalar_check(const rask_type *type, const void *value,
                        char ret_text[RASKI_COMPLAINT_MAX]) {
    static const int64_t DAY = INT64_C(86400000000000);
    static const int64_t SECOND = 1000000000;
    switch (type->kind) {
        case RASK_KIND_ENUM:
            if (*(const uint32_t *)value < type->field_count) return true;
            (void)snprintf(ret_text, RASKI_COMPLAINT_MAX, "a %.60s has no constant number %d",
                           type->name, *(const int32_t *)value);
            return false;
        case RASK_KIND_TIME:
            return check_nanos(*(const int64_t *)value, DAY, "day", ret_text);
        case RASK_KIND_DATETIME:
            return check_nanos(((const rask_datetime *)value)->time.nanos, DAY, "day", ret_text);
        case RASK_KIND_INSTANT:
            return check_nanos(((const rask_instant *)value)->nanos, SECOND, "second", ret_text);
        case RASK_KIND_DURATION:
            return check_nanos(((const rask_duration *)value)->nanos, SECOND, "second", ret_text);
        default:
            return true;
    }
}

/* Without an exponent; one that would make thousands of zeroes stays. */
static bool append_plain(rask_text *text, const rask_decimal *value) {
    enum { ZEROES_MAX = 10000 };
    const int32_t scale = value->scale;
    rask_decimal digits = *value;
    digits.scale = 0;
    if (scale == 0 || scale > ZEROES_MAX || scale < -ZEROES_MAX)
        return rask_text_append_record(text, &rask_type_rask_decimal, value) == RASK_OK;
    size_t start = text->length;
    if (rask_text_append_record(text, &rask_type_rask_decimal, &digits) != RASK_OK) return false;
    if (value->low == 0 && value->high == 0 && scale < 0) return true;
    for (int32_t i = scale; i < 0; i++)
        if (!raski_text_put_char(text, '0')) return false;
    if (scale < 0) return true;
    start += value->high < 0; /* behind the sign */
    size_t count = text->length - start;
    size_t zeroes = count > (size_t)scale ? 0 : (size_t)scale + 1 - count; /* before the digits */
    if (text->capacity - text->length < zeroes + 1 && !raski_text_reserve(text, zeroes + 1))
        return false;
    char *p = text->data + start;
    memmove(p + zeroes, p, count);
    memset(p, '0', zeroes);
    count += zeroes;
    memmove(p + count - (size_t)scale + 1, p + count - (size_t)scale, (size_t)scale);
    p[count - (size_t)scale] = '.';
    text->length = start + count + 1;
    return true;
}

static bool append_datetime(rask_text *text, const rask_datetime *value,
                            const raski_scalar_style *style) {
    return raski_append_date(text, value->date) &&
           raski_text_put_char(text, style->timestamps == RASK_TIMESTAMP_ISO_8601 ? 'T' : ' ') &&
           raski_append_time(text, value->time.nanos);
}

static bool append_instant(rask_text *text, const rask_instant *value,
                           const raski_scalar_style *style) {
    if (value->seconds > TEXT_MILLIS_MAX / MILLIS_PER_SECOND ||
        value->seconds < -TEXT_MILLIS_MAX / MILLIS_PER_SECOND)
        return rask_text_append_record(text, &rask_type_rask_instant, value) == RASK_OK;
    return raski_append_instant(text, value->seconds, value->nanos,
                                style->timestamps == RASK_TIMESTAMP_ISO_8601 ? 'T' : ' ', true);
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
        case RASK_KIND_DECIMAL:
            if (style->plain_decimals) return append_plain(text, value);
            return rask_text_append_record(text, type, value) == RASK_OK;
        case RASK_KIND_DATE:
            return raski_append_date(text, *(const rask_date *)value);
        case RASK_KIND_TIME:
            return raski_append_time(text, *(const int64_t *)value);
        case RASK_KIND_DATETIME:
            return append_datetime(text, value, style);
        case RASK_KIND_INSTANT:
            return append_instant(text, value, style);
        default: /* as Java prints it: the shortest text that reads back */
            return rask_text_append_record(text, type, value) == RASK_OK;
    }
}
