#include "formats/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

raski_number_result raski_number_parse_long(const char *text, size_t length, int64_t *ret) {
    const char *p = text;
    const char *end = text + length;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end) return RASKI_NUMBER_INVALID;
    uint64_t value = 0;
    bool overflow = false;
    for (; p < end; p++) {
        if (!is_digit(*p)) return RASKI_NUMBER_INVALID;
        overflow = overflow || __builtin_mul_overflow(value, 10U, &value) ||
                   __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value);
    }
    uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    if (overflow || value > limit) return RASKI_NUMBER_OUT_OF_RANGE;
    *ret = (int64_t)(negative ? 0 - value : value);
    return RASKI_NUMBER_OK;
}

/* ---------------------------------------------------------------- floating numbers */
/* A decimal: digits * 10^exponent, and the text of more digits than a number of 64 bits holds. */
typedef struct decimal {
    uint64_t digits; /* the first 19 that count */
    int64_t exponent;
    bool negative, is_long; /* is_long: there are more digits */
    const char *first;      /* the first digit that is not 0 */
    const char *digits_end; /* behind the last digit before the exponent */
} decimal;

enum { DIGITS_MAX = 19, EXPONENT_MAX = 100000 };

static bool parse_exponent(const char *p, const char *end, int64_t *exponent) {
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end) return false;
    int64_t value = 0;
    for (; p < end; p++) {
        if (!is_digit(*p)) return false;
        if (value < EXPONENT_MAX * 100) value = value * 10 + (*p - '0');
    }
    *exponent += negative ? -value : value;
    return true;
}

static bool parse_decimal(const char *text, size_t length, decimal *d) {
    const char *p = text;
    const char *end = text + length;
    *d = (decimal){0};
    d->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    int count = 0;
    bool any = false;
    bool behind_point = false;
    for (; p < end; p++) {
        if (*p == '.' && !behind_point) {
            behind_point = true;
            continue;
        }
        if (!is_digit(*p)) break;
        any = true;
        if (behind_point) d->exponent--;
        if (count == 0 && *p == '0') continue;
        if (count == 0) d->first = p;
        if (count < DIGITS_MAX) {
            d->digits = d->digits * 10 + (uint64_t)(*p - '0');
        } else {
            d->is_long = true;
            d->exponent++; /* this digit is left out of digits */
        }
        count++;
    }
    d->digits_end = p;
    if (!any) return false;
    if (p == end) return true;
    return (*p == 'e' || *p == 'E') && parse_exponent(p + 1, end, &d->exponent);
}

static locale_t c_locale;
static __attribute__((constructor)) void make_locale(void) {
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* The digits that decide, for the C library, which rounds correctly: no double lies closer to a
 * tie than what 768 digits tell, so of those behind them only counts whether one is not 0. */
static void write_decimal(const decimal *d, char *out, size_t size) {
    enum { DECIDING = 780 };
    size_t n = 0;
    int64_t dropped = 0;
    bool more = false;
    for (const char *p = d->first; p < d->digits_end; p++) {
        if (*p == '.') continue;
        if (n < DECIDING) {
            out[n++] = *p;
        } else {
            dropped++;
            more = more || *p != '0';
        }
    }
    int64_t exponent = d->exponent - ((int64_t)n + dropped - DIGITS_MAX) + dropped;
    if (more) {
        out[n++] = '1';
        exponent--;
    }
    (void)snprintf(out + n, size - n, "e%lld", (long long)exponent);
}

static double from_text(const decimal *d, bool is_float) {
    char text[832];
    if (d->is_long)
        write_decimal(d, text, sizeof text);
    else
        (void)snprintf(text, sizeof text, "%llue%lld", (unsigned long long)d->digits,
                       (long long)d->exponent);
    if (c_locale == (locale_t)0) return is_float ? (double)strtof(text, NULL) : strtod(text, NULL);
    return is_float ? (double)strtof_l(text, NULL, c_locale) : strtod_l(text, NULL, c_locale);
}

static const double power_of_10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Where digits and power are both exact, one operation rounds once. */
static double to_double(const decimal *d) {
    if (d->digits == 0) return 0;
    if (!d->is_long && d->digits <= UINT64_C(1) << 53 && d->exponent >= -22 && d->exponent <= 22)
        return d->exponent < 0 ? (double)d->digits / power_of_10[-d->exponent]
                               : (double)d->digits * power_of_10[d->exponent];
    if (d->exponent > EXPONENT_MAX) return HUGE_VAL;
    if (d->exponent < -EXPONENT_MAX && !d->is_long) return 0;
    return from_text(d, false);
}

static float to_float(const decimal *d) {
    if (d->digits == 0) return 0;
    if (!d->is_long && d->digits <= 1U << 24 && d->exponent >= -10 && d->exponent <= 10)
        return d->exponent < 0 ? (float)d->digits / (float)power_of_10[-d->exponent]
                               : (float)d->digits * (float)power_of_10[d->exponent];
    return (float)from_text(d, true);
}

static bool is_text(const char *text, size_t length, const char *word) {
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

/* NaN and Infinity; false: neither. */
static bool parse_special(const char *text, size_t length, double *ret) {
    bool negative = length > 0 && text[0] == '-';
    size_t sign = length > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    if (is_text(text, length, "NaN"))
        *ret = (double)NAN;
    else if (is_text(text + sign, length - sign, "Infinity"))
        *ret = negative ? -HUGE_VAL : HUGE_VAL;
    else
        return false;
    return true;
}

raski_number_result raski_number_parse_double(const char *text, size_t length, double *ret) {
    decimal d;
    if (!parse_decimal(text, length, &d))
        return parse_special(text, length, ret) ? RASKI_NUMBER_OK : RASKI_NUMBER_INVALID;
    double value = to_double(&d);
    if (isinf(value)) return RASKI_NUMBER_OUT_OF_RANGE;
    *ret = d.negative ? -value : value;
    return RASKI_NUMBER_OK;
}

raski_number_result raski_number_parse_float(const char *text, size_t length, float *ret) {
    decimal d;
    double special = 0;
    if (!parse_decimal(text, length, &d)) {
        if (!parse_special(text, length, &special)) return RASKI_NUMBER_INVALID;
        *ret = (float)special;
        return RASKI_NUMBER_OK;
    }
    float value = to_float(&d);
    if (isinf(value)) return RASKI_NUMBER_OUT_OF_RANGE;
    *ret = d.negative ? -value : value;
    return RASKI_NUMBER_OK;
}

bool raski_append_long(rask_text *text, int64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (value < 0) digits[--at] = '-';
    return raski_text_put(text, digits + at, sizeof digits - at);
}
