/* rask_decimal (rask/values.h): 128 bits and a scale. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rask/values.h"
#include "types/java_time_text.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

enum { DIGITS_MAX = 39 }; /* of 2^127 */

static int128 unscaled(rask_decimal d) {
    return (int128)((uint128)(uint64_t)d.high << 64 | d.low);
}

static uint128 magnitude(rask_decimal d) {
    int128 value = unscaled(d);
    return value < 0 ? -(uint128)value : (uint128)value;
}

static rask_decimal make(int128 value, int32_t scale) {
    rask_decimal d = {(uint64_t)(uint128)value, (int64_t)(value >> 64), scale};
    return d;
}

/* Decimal digits, the most significant first; their number. */
static size_t digits_of(uint128 value, char digits[DIGITS_MAX]) {
    char reversed[DIGITS_MAX];
    size_t n = 0;
    do {
        reversed[n++] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value != 0);
    for (size_t i = 0; i < n; i++) digits[i] = reversed[n - 1 - i];
    return n;
}

/* ---------------------------------------------------------------- text */
static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The number behind e, all of the text. */
static bool parse_exponent(const char *p, const char *end, int64_t *ret) {
    enum { LARGE = 1000000000 };
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end) return false;
    int64_t value = 0;
    for (; p < end && is_digit(*p); p++) {
        value = value * 10 + (*p - '0');
        if (value > LARGE * INT64_C(10)) return false;
    }
    *ret = negative ? -value : value;
    return p == end;
}

bool rask_decimal_parse(const char *text, size_t length, rask_decimal *ret) {
    const char *p = text;
    const char *end = text + length;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    uint128 value = 0;
    int64_t scale = 0;
    int64_t exponent = 0;
    bool any = false;
    bool behind_point = false;
    for (; p < end; p++) {
        if (*p == '.' && !behind_point) {
            behind_point = true;
            continue;
        }
        if (!is_digit(*p)) break;
        any = true;
        scale += behind_point;
        if (__builtin_mul_overflow(value, (uint128)10, &value) ||
            __builtin_add_overflow(value, (uint128)(*p - '0'), &value))
            return false;
    }
    if (!any || value > ((uint128)1 << 127) - !negative) return false;
    if (p < end && ((*p != 'e' && *p != 'E') || !parse_exponent(p + 1, end, &exponent)))
        return false;
    scale -= exponent;
    if (scale < INT32_MIN || scale > INT32_MAX) return false;
    *ret = make((int128)(negative ? -value : value), (int32_t)scale);
    return true;
}

/* BigDecimal.toString: plain where no zeroes have to be added behind, and few before. */
size_t raski_format_decimal(rask_decimal value, char ret_text[RASKI_VALUE_TEXT_MAX]) {
    char digits[DIGITS_MAX];
    const size_t count = digits_of(magnitude(value), digits);
    const int64_t scale = value.scale;
    const int64_t adjusted = -scale + ((int64_t)count - 1);
    size_t n = 0;
    if (value.high < 0) ret_text[n++] = '-';
    if (scale >= 0 && adjusted >= -6) {
        const int64_t before = (int64_t)count - scale; /* digits before the point */
        if (before <= 0) {
            memcpy(ret_text + n, "0.000000", 8);
            n += (size_t)(2 - before);
        }
        for (size_t i = 0; i < count; i++) {
            if (scale > 0 && before > 0 && (int64_t)i == before) ret_text[n++] = '.';
            ret_text[n++] = digits[i];
        }
        return n;
    }
    ret_text[n++] = digits[0];
    if (count > 1) {
        ret_text[n++] = '.';
        memcpy(ret_text + n, digits + 1, count - 1);
        n += count - 1;
    }
    if (adjusted != 0)
        n +=
            (size_t)snprintf(ret_text + n, RASKI_VALUE_TEXT_MAX - n, "E%+lld", (long long)adjusted);
    return n;
}

double rask_decimal_double(rask_decimal value) {
    char digits[DIGITS_MAX];
    char text[DIGITS_MAX + 24];
    const size_t count = digits_of(magnitude(value), digits);
    /* without a point, so the locale does not matter */
    (void)snprintf(text, sizeof text, "%s%.*se%lld", value.high < 0 ? "-" : "", (int)count, digits,
                   -(long long)value.scale);
    return strtod(text, NULL);
}

/* ---------------------------------------------------------------- order and sums */
/* value * 10^power; false: more than 128 bits. */
static bool times_power(uint128 value, int64_t power, uint128 *ret) {
    for (; power > 0 && value != 0; power--)
        if (__builtin_mul_overflow(value, (uint128)10, &value)) return false;
    *ret = value;
    return true;
}

/* Of absolute values. */
static int compare_magnitudes(rask_decimal a, rask_decimal b) {
    char digits[DIGITS_MAX];
    uint128 x = magnitude(a);
    uint128 y = magnitude(b);
    if (x == 0 || y == 0) return (x != 0) - (y != 0);
    int64_t x_size = (int64_t)digits_of(x, digits) - a.scale;
    int64_t y_size = (int64_t)digits_of(y, digits) - b.scale;
    if (x_size != y_size) return x_size > y_size ? 1 : -1;
    /* Equally many digits before the point, so at most 39 zeroes are missing. What then has more
     * than 128 bits is larger than anything that has less. */
    if (a.scale < b.scale && !times_power(x, (int64_t)b.scale - a.scale, &x)) return 1;
    if (b.scale < a.scale && !times_power(y, (int64_t)a.scale - b.scale, &y)) return -1;
    return (x > y) - (x < y);
}

int rask_decimal_compare(rask_decimal a, rask_decimal b) {
    const bool a_negative = a.high < 0;
    const bool b_negative = b.high < 0;
    if (a_negative != b_negative) return a_negative ? -1 : 1;
    int c = compare_magnitudes(a, b);
    return a_negative ? -c : c;
}

static bool rescale(rask_decimal d, int32_t scale, int128 *ret) {
    uint128 value = 0;
    if (!times_power(magnitude(d), (int64_t)scale - d.scale, &value)) return false;
    if (value > ((uint128)1 << 127) - (d.high >= 0)) return false;
    *ret = (int128)(d.high < 0 ? -value : value);
    return true;
}

bool rask_decimal_add(rask_decimal a, rask_decimal b, rask_decimal *ret) {
    int32_t scale = a.scale > b.scale ? a.scale : b.scale;
    int128 x = 0;
    int128 y = 0;
    int128 sum = 0;
    if (!rescale(a, scale, &x) || !rescale(b, scale, &y) || __builtin_add_overflow(x, y, &sum))
        return false;
    *ret = make(sum, scale);
    return true;
}

bool rask_decimal_subtract(rask_decimal a, rask_decimal b, rask_decimal *ret) {
    int32_t scale = a.scale > b.scale ? a.scale : b.scale;
    int128 x = 0;
    int128 y = 0;
    int128 difference = 0;
    if (!rescale(a, scale, &x) || !rescale(b, scale, &y) ||
        __builtin_sub_overflow(x, y, &difference))
        return false;
    *ret = make(difference, scale);
    return true;
}

bool rask_decimal_multiply(rask_decimal a, rask_decimal b, rask_decimal *ret) {
    int128 product = 0;
    int32_t scale = 0;
    if (__builtin_mul_overflow(unscaled(a), unscaled(b), &product) ||
        __builtin_add_overflow(a.scale, b.scale, &scale))
        return false;
    *ret = make(product, scale);
    return true;
}
