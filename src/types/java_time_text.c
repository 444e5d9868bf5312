#include "types/java_time_text.h"

#include <stdio.h>

enum { SECONDS_PER_DAY = 86400, NANOS_PER_MILLI = 1000000, NANOS_PER_MICRO = 1000 };
static const int64_t NANOS_PER_SECOND = 1000000000;

typedef struct text {
    char *to;
    size_t length;
} text;

#define ADD(t, ...) \
    ((t)->length += \
     (size_t)snprintf((t)->to + (t)->length, RASKI_VALUE_TEXT_MAX - (t)->length, __VA_ARGS__))

/* Years of more than four digits have a sign. */
static void add_date(text *t, int64_t days) {
    raski_calendar_day d = raski_calendar_day_of(days);
    const char *sign = d.year > 9999 ? "+" : d.year < 0 ? "-" : "";
    ADD(t, "%s%04lld-%02d-%02d", sign, (long long)(d.year < 0 ? -d.year : d.year), d.month, d.day);
}

/* As many groups of three digits as are needed. */
static void add_fraction(text *t, int64_t nanos) {
    if (nanos % NANOS_PER_MILLI == 0)
        ADD(t, ".%03d", (int)(nanos / NANOS_PER_MILLI));
    else if (nanos % NANOS_PER_MICRO == 0)
        ADD(t, ".%06d", (int)(nanos / NANOS_PER_MICRO));
    else
        ADD(t, ".%09d", (int)nanos);
}

static void add_time(text *t, int64_t nano_of_day, bool always_seconds) {
    int64_t seconds = nano_of_day / NANOS_PER_SECOND;
    int64_t nanos = nano_of_day % NANOS_PER_SECOND;
    ADD(t, "%02lld:%02d", (long long)(seconds / 3600), (int)(seconds / 60 % 60));
    if (!always_seconds && seconds % 60 == 0 && nanos == 0) return;
    ADD(t, ":%02d", (int)(seconds % 60));
    if (nanos != 0) add_fraction(t, nanos);
}

size_t raski_format_date(rask_date value, char ret_text[RASKI_VALUE_TEXT_MAX]) {
    text t = {ret_text, 0};
    add_date(&t, value.days);
    return t.length;
}

size_t raski_format_time(rask_time value, char ret_text[RASKI_VALUE_TEXT_MAX]) {
    text t = {ret_text, 0};
    add_time(&t, value.nanos, false);
    return t.length;
}

size_t raski_format_datetime(rask_datetime value, char ret_text[RASKI_VALUE_TEXT_MAX]) {
    text t = {ret_text, 0};
    add_date(&t, value.date.days);
    ADD(&t, "T");
    add_time(&t, value.time.nanos, false);
    return t.length;
}

size_t raski_format_instant(rask_instant value, char ret_text[RASKI_VALUE_TEXT_MAX]) {
    text t = {ret_text, 0};
    int64_t days = value.seconds / SECONDS_PER_DAY - (value.seconds % SECONDS_PER_DAY < 0);
    int64_t of_day = value.seconds - days * SECONDS_PER_DAY;
    add_date(&t, days);
    ADD(&t, "T");
    add_time(&t, of_day * NANOS_PER_SECOND + value.nanos, true);
    ADD(&t, "Z");
    return t.length;
}

/* Java splits the seconds towards zero, and so takes a negative value with a fraction for one
 * second more and a fraction less. */
size_t raski_format_duration(rask_duration value, char ret_text[RASKI_VALUE_TEXT_MAX]) {
    text t = {ret_text, 0};
    if (value.seconds == 0 && value.nanos == 0) {
        ADD(&t, "PT0S");
        return t.length;
    }
    int64_t whole = value.seconds + (value.seconds < 0 && value.nanos > 0);
    int64_t hours = whole / 3600;
    int minutes = (int)(whole % 3600 / 60);
    int seconds = (int)(whole % 60);
    ADD(&t, "PT");
    if (hours != 0) ADD(&t, "%lldH", (long long)hours);
    if (minutes != 0) ADD(&t, "%dM", minutes);
    if (seconds == 0 && value.nanos == 0 && t.length > 2) return t.length;
    const bool negative = value.seconds < 0;
    if (negative && value.nanos > 0 && seconds == 0)
        ADD(&t, "-0");
    else
        ADD(&t, "%d", seconds);
    if (value.nanos > 0) {
        ADD(&t, ".%09d", (int)(negative ? NANOS_PER_SECOND - value.nanos : (int64_t)value.nanos));
        while (t.to[t.length - 1] == '0') t.length--;
    }
    ADD(&t, "S");
    return t.length;
}
