#include "types/java_decimal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* digits * 10^exponent */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

static decimal strip_zeros(decimal d) {
    while (d.digits != 0 && d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

/* ---------------------------------------------------------------- shortest digits */
static bool reads_back(decimal d, double value, bool is_float) {
    char text[48];
    (void)snprintf(text, sizeof text, "%llue%d", (unsigned long long)d.digits, d.exponent);
    return is_float ? (double)strtof(text, NULL) == value : strtod(text, NULL) == value;
}

/* The decimal of that many digits that is nearest to value. */
static decimal nearest(double value, int digit_count) {
    char text[48];
    (void)snprintf(text, sizeof text, "%.*e", digit_count - 1, value);
    decimal d = {0};
    const char *p = text;
    for (; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9') d.digits = d.digits * 10 + (uint64_t)(*p - '0');
    d.exponent = (int)strtol(p + 1, NULL, 10) - (digit_count - 1);
    return d;
}

/* Tries numbers of digits from first on. Below a power of two the numbers lie twice as dense as
 * above it, so that the nearest decimal may be too far off while its neighbour is not. */
static decimal shortest(double value, int first, int last, bool is_float) {
    for (int count = first; count < last; count++) {
        decimal d = nearest(value, count);
        if (reads_back(d, value, is_float)) return strip_zeros(d);
        decimal up = {d.digits + 1, d.exponent};
        if (reads_back(up, value, is_float)) return strip_zeros(up);
        decimal down = {d.digits - 1, d.exponent};
        if (reads_back(down, value, is_float)) return strip_zeros(down);
    }
    return strip_zeros(nearest(value, last));
}

static const double power_of_10[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
enum { FAST_PLACES = 8 };

/* Decimals of up to 15 digits with few places behind the point, without going through text: such a
 * decimal is unique for its double, and the division is rounded correctly. */
static bool fast_double(double value, decimal *ret) {
    if (value >= 1e15 || value < 1e-3) return false;
    for (int places = 0; places <= FAST_PLACES; places++) {
        double scaled = value * power_of_10[places];
        if (scaled >= 1e15) return false;
        uint64_t digits = (uint64_t)(scaled + 0.5);
        if ((double)digits / power_of_10[places] == value) {
            *ret = strip_zeros((decimal){digits, -places});
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------- Java's form */
static size_t put_digits(char *to, const char *digits, size_t have, size_t from, size_t count) {
    for (size_t i = 0; i < count; i++) to[i] = from + i < have ? digits[from + i] : '0';
    return count;
}

/* value = digits * 10^exponent, no zeros at the end of digits. */
static size_t write_java(decimal d, char *out, size_t room) {
    char digits[24];
    size_t have = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)d.digits);
    int point = (int)have + d.exponent; /* digits before the decimal point */
    size_t n = 0;
    if (point > 0 && point <= 7) {
        n += put_digits(out, digits, have, 0, (size_t)point);
        out[n++] = '.';
        size_t behind = have > (size_t)point ? have - (size_t)point : 1;
        return n + put_digits(out + n, digits, have, (size_t)point, behind);
    }
    if (point <= 0 && point > -3) {
        memcpy(out, "0.", 2);
        n = 2;
        for (int i = point; i < 0; i++) out[n++] = '0';
        return n + put_digits(out + n, digits, have, 0, have);
    }
    out[n++] = digits[0];
    out[n++] = '.';
    n += put_digits(out + n, digits, have, 1, have > 1 ? have - 1 : 1);
    return n + (size_t)snprintf(out + n, room - n, "E%d", point - 1);
}

static size_t special(double value, char *out) {
    const char *text = isnan(value) ? "NaN" : signbit(value) ? "-Infinity" : "Infinity";
    if (value == 0) text = signbit(value) ? "-0.0" : "0.0";
    size_t length = strlen(text);
    memcpy(out, text, length);
    return length;
}

static size_t format(double value, bool is_float, char *out) {
    if (!isfinite(value) || value == 0) return special(value, out);
    size_t sign = 0;
    if (signbit(value)) {
        out[sign++] = '-';
        value = -value;
    }
    decimal d;
    /* A number that is not denormal tells all decimals of DIG digits apart, so that the search may
     * begin there. Java gives at least two digits. */
    if (is_float)
        d = shortest(value, value < (double)FLT_MIN ? 2 : FLT_DIG, 9, true);
    else if (!fast_double(value, &d))
        d = shortest(value, value < DBL_MIN ? 2 : DBL_DIG, 17, false);
    return sign + write_java(d, out + sign, RASKI_DECIMAL_MAX - sign);
}

size_t raski_format_double(double value, char ret_text[RASKI_DECIMAL_MAX]) {
    return format(value, false, ret_text);
}

size_t raski_format_float(float value, char ret_text[RASKI_DECIMAL_MAX]) {
    return format((double)value, true, ret_text);
}
