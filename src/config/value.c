#include "config/value.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A part of a text; not terminated. */
typedef struct span {
    const char *text;
    size_t length;
} span;

static span trimmed(const char *text, size_t length) {
    while (length > 0 && isspace((unsigned char)*text)) text++, length--;
    while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
    return (span){text, length};
}

static bool span_is(span s, const char *word) {
    return strlen(word) == s.length && strncasecmp(s.text, word, s.length) == 0;
}

/* One of the words in names ("d day days"). */
static bool span_is_one_of(span s, const char *names) {
    while (*names != '\0') {
        size_t length = strcspn(names, " ");
        if (length == s.length && strncasecmp(s.text, names, length) == 0) return true;
        names += length;
        names += strspn(names, " ");
    }
    return false;
}

/* The digits at the start, as a number; false when it does not fit. Moves *s behind them. */
static bool take_digits(span *s, uint64_t *ret_number) {
    uint64_t number = 0;
    bool fits = true;
    while (s->length > 0 && isdigit((unsigned char)*s->text)) {
        if (__builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*s->text - '0'), &number))
            fits = false;
        s->text++;
        s->length--;
    }
    *ret_number = number;
    return fits;
}

static const char duration_expected[] =
    "expected a duration such as \"100 ms\", \"30 s\", \"5 min\", \"1 h\" or \"PT1M\" (units d, h, "
    "min, s, ms, micros, ns)";

/* ISO 8601: P[nD][T[nH][nM][n[.n]S]], at least one part, in this order. */
static rask_status parse_iso_duration(span s, raski_duration *ret_duration, raski_error *err) {
    static const struct {
        char unit;
        bool in_time;
        int64_t seconds;
    } parts[] = {{'D', false, 86400}, {'H', true, 3600}, {'M', true, 60}, {'S', true, 1}};
    size_t part = 0;
    bool in_time = false;
    bool any = false;
    raski_duration result = {0};
    s.text++, s.length--;
    while (s.length > 0) {
        if (!in_time && (*s.text == 'T' || *s.text == 't')) {
            in_time = true;
            any = false; /* a T must be followed by something */
            s.text++, s.length--;
            continue;
        }
        uint64_t number;
        const char *digits = s.text;
        if (!take_digits(&s, &number) || s.text == digits || number > INT64_MAX) goto wrong;
        bool fraction = s.length > 0 && *s.text == '.';
        if (fraction) {
            int32_t scale = 100000000;
            s.text++, s.length--;
            if (s.length == 0 || !isdigit((unsigned char)*s.text)) goto wrong;
            for (; s.length > 0 && isdigit((unsigned char)*s.text); s.text++, s.length--) {
                if (scale == 0) goto wrong; /* more than nine places */
                result.nanos += (*s.text - '0') * scale;
                scale /= 10;
            }
        }
        if (s.length == 0) goto wrong;
        int unit = toupper((unsigned char)*s.text);
        while (part < 4 && !(parts[part].unit == unit && parts[part].in_time == in_time)) part++;
        if (part == 4 || (fraction && unit != 'S')) goto wrong;
        int64_t seconds;
        if (__builtin_mul_overflow((int64_t)number, parts[part].seconds, &seconds) ||
            __builtin_add_overflow(result.seconds, seconds, &result.seconds))
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "the duration is too long");
        part++;
        any = true;
        s.text++, s.length--;
    }
    if (!any) goto wrong;
    *ret_duration = result;
    return RASK_OK;
wrong:
    return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s", duration_expected);
}

rask_status raski_parse_duration(const char *text, raski_duration *ret_duration, raski_error *err) {
    static const struct {
        const char *names;
        int64_t seconds, per_second;
    } units[] = {
        {"d day days", 86400, 1},
        {"h hour hours", 3600, 1},
        {"min m minute minutes", 60, 1},
        {"s sec secs second seconds", 1, 1},
        {"ms milli millis millisecond milliseconds", 0, 1000},
        {"\u00b5s \u03bcs micro micros microsecond microseconds", 0, 1000000},
        {"ns nano nanos nanosecond nanoseconds", 0, 1000000000},
    };
    span s = trimmed(text, strlen(text));
    if (s.length > 1 && (*s.text == 'P' || *s.text == 'p'))
        return parse_iso_duration(s, ret_duration, err);
    const char *digits = s.text;
    uint64_t number;
    bool fits = take_digits(&s, &number) && number <= INT64_MAX;
    if (s.text == digits) return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s", duration_expected);
    s = trimmed(s.text, s.length);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!(s.length == 0 ? units[i].per_second == 1000 : span_is_one_of(s, units[i].names)))
            continue;
        raski_duration result = {0};
        if (units[i].seconds > 0) {
            fits =
                fits && !__builtin_mul_overflow((int64_t)number, units[i].seconds, &result.seconds);
        } else {
            int64_t per_second = units[i].per_second;
            result.seconds = (int64_t)number / per_second;
            result.nanos = (int32_t)((int64_t)number % per_second * (1000000000 / per_second));
        }
        if (!fits) return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "the duration is too long");
        *ret_duration = result;
        return RASK_OK;
    }
    return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s", duration_expected);
}

static int64_t scaled(raski_duration duration, int64_t per_second) {
    int64_t whole;
    int64_t part = duration.nanos / (1000000000 / per_second);
    if (__builtin_mul_overflow(duration.seconds, per_second, &whole) ||
        __builtin_add_overflow(whole, part, &whole))
        return INT64_MAX;
    return whole;
}

int64_t raski_duration_ms(raski_duration duration) {
    return scaled(duration, 1000);
}

int64_t raski_duration_ns(raski_duration duration) {
    return scaled(duration, 1000000000);
}

rask_status raski_parse_memory(const char *text, int64_t *ret_bytes, raski_error *err) {
    static const struct {
        const char *names;
        int shift;
    } units[] = {{"b bytes", 0},
                 {"k kb kibibytes", 10},
                 {"m mb mebibytes", 20},
                 {"g gb gibibytes", 30},
                 {"t tb tebibytes", 40}};
    span s = trimmed(text, strlen(text));
    const char *digits = s.text;
    uint64_t number;
    bool fits = take_digits(&s, &number);
    bool started = s.text != digits;
    s = trimmed(s.text, s.length);
    for (size_t i = 0; started && i < sizeof units / sizeof *units; i++) {
        if (s.length > 0 && !span_is_one_of(s, units[i].names)) continue;
        if (!fits || number > (uint64_t)INT64_MAX >> units[i].shift)
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "the size is too large for 64 bits");
        *ret_bytes = (int64_t)(number << units[i].shift);
        return RASK_OK;
    }
    return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                      "expected a memory size such as \"512 kb\", \"64 mb\" or \"1 gb\" (units b, "
                      "kb, mb, gb, tb; powers of 1024)");
}

rask_status raski_parse_long(const char *text, int64_t *ret_value, raski_error *err) {
    span s = trimmed(text, strlen(text));
    bool negative = s.length > 0 && *s.text == '-';
    if (s.length > 0 && (negative || *s.text == '+')) s.text++, s.length--;
    const char *digits = s.text;
    uint64_t number;
    bool fits = take_digits(&s, &number);
    if (s.text == digits || s.length > 0)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "expected a whole number");
    if (!fits || number > (uint64_t)INT64_MAX + negative)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "the number is too large for 64 bits");
    *ret_value = negative ? (int64_t)(0 - number) : (int64_t)number;
    return RASK_OK;
}

rask_status raski_parse_double(const char *text, double *ret_value, raski_error *err) {
    span s = trimmed(text, strlen(text));
    char *copy = raski_strndup(s.text, s.length);
    bool plain = s.length > 0 && strspn(copy, "0123456789+-.eE") == s.length;
    /* strtod reads with the program's locale; the text never does. */
    char *point = strchr(copy, '.');
    const struct lconv *conventions = localeconv();
    if (point != NULL && conventions->decimal_point[1] == '\0')
        *point = conventions->decimal_point[0];
    char *end = copy;
    double value = plain ? strtod(copy, &end) : 0;
    bool whole = plain && *end == '\0' && end != copy;
    raski_free(copy);
    if (!whole || !isfinite(value))
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "expected a number");
    *ret_value = value;
    return RASK_OK;
}

rask_status raski_parse_bool(const char *text, bool *ret_value, raski_error *err) {
    span s = trimmed(text, strlen(text));
    if (!span_is(s, "true") && !span_is(s, "false"))
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "expected true or false");
    *ret_value = span_is(s, "true");
    return RASK_OK;
}

rask_status raski_parse_choice(const char *text, const char *choices, int *ret_index,
                               raski_error *err) {
    span s = trimmed(text, strlen(text));
    int index = 0;
    for (const char *choice = choices; *choice != '\0'; index++) {
        size_t length = strcspn(choice, "|");
        if (length == s.length && strncasecmp(choice, s.text, length) == 0) {
            *ret_index = index;
            return RASK_OK;
        }
        choice += length;
        if (*choice == '|') choice++;
    }
    char *listed = raski_strdup(choices);
    for (char *c = listed; *c != '\0'; c++)
        if (*c == '|') *c = ' ';
    rask_status status = RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "expected one of: %s", listed);
    raski_free(listed);
    return status;
}

void raski_text_list_free(raski_text_list *list) {
    for (size_t i = 0; i < list->count; i++) raski_free(list->items[i]);
    raski_vec_free(list);
}

void raski_text_map_free(raski_text_map *map) {
    for (size_t i = 0; i < map->count; i++) {
        raski_free(map->items[i].key);
        raski_free(map->items[i].value);
    }
    raski_vec_free(map);
}
