#include "formats/time_text.h"

#include "formats/format.h"

static const int64_t NANOS_PER_SECOND = 1000000000;
enum { SECONDS_PER_DAY = 86400 };

typedef struct cursor {
    const char *p, *end;
} cursor;

static bool take(cursor *c, char expected) {
    if (c->p == c->end || *c->p != expected) return false;
    c->p++;
    return true;
}

/* Exactly two digits up to max. */
static bool take_two(cursor *c, int32_t max, int32_t *ret) {
    if (c->end - c->p < 2) return false;
    int high = c->p[0] - '0';
    int low = c->p[1] - '0';
    if (high < 0 || high > 9 || low < 0 || low > 9) return false;
    *ret = high * 10 + low;
    c->p += 2;
    return *ret <= max;
}

/* Four digits, or with a sign four to nine. */
static bool take_year(cursor *c, int32_t *ret) {
    enum { DIGITS = 4, DIGITS_MAX = 9 };
    bool negative = take(c, '-');
    bool has_sign = negative || take(c, '+');
    const char *start = c->p;
    int32_t year = 0;
    while (c->p < c->end && *c->p >= '0' && *c->p <= '9' && c->p - start < DIGITS_MAX)
        year = year * 10 + (*c->p++ - '0');
    if (c->p - start < DIGITS || (c->p - start > DIGITS && !has_sign)) return false;
    *ret = negative ? -year : year;
    return true;
}

static bool take_date(cursor *c, rask_date *ret) {
    int32_t year = 0;
    int32_t month = 0;
    int32_t day = 0;
    int32_t back[3];
    if (!take_year(c, &year) || !take(c, '-') || !take_two(c, 12, &month) || !take(c, '-') ||
        !take_two(c, 31, &day))
        return false;
    *ret = rask_date_of(year, month, day);
    rask_date_split(*ret, &back[0], &back[1], &back[2]);
    return back[0] == year && back[1] == month && back[2] == day; /* else it is no date */
}

static bool take_fraction(cursor *c, int64_t *nanos) {
    int64_t unit = NANOS_PER_SECOND / 10;
    const char *start = c->p;
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
        if (unit == 0) return false;
        *nanos += (*c->p - '0') * unit;
        unit /= 10;
    }
    return c->p > start;
}

static bool take_time(cursor *c, int64_t *ret_nano_of_day) {
    int32_t hour = 0;
    int32_t minute = 0;
    int32_t second = 0;
    int64_t nanos = 0;
    if (!take_two(c, 23, &hour) || !take(c, ':') || !take_two(c, 59, &minute)) return false;
    if (take(c, ':')) {
        if (!take_two(c, 59, &second)) return false;
        if (take(c, '.') && !take_fraction(c, &nanos)) return false;
    }
    *ret_nano_of_day = ((int64_t)hour * 3600 + minute * 60 + second) * NANOS_PER_SECOND + nanos;
    return true;
}

/* Z, +01:00, -0530, or nothing. */
static bool take_offset(cursor *c, int64_t *ret_seconds) {
    *ret_seconds = 0;
    if (c->p == c->end || take(c, 'Z') || take(c, 'z')) return c->p == c->end;
    bool negative = take(c, '-');
    if (!negative && !take(c, '+')) return false;
    int32_t hours = 0;
    int32_t minutes = 0;
    if (!take_two(c, 18, &hours)) return false;
    if (c->p < c->end) {
        (void)take(c, ':');
        if (!take_two(c, 59, &minutes)) return false;
    }
    *ret_seconds = (hours * 3600 + minutes * 60) * (negative ? -1 : 1);
    return c->p == c->end;
}

static bool take_date_time(cursor *c, rask_datetime *ret) {
    ret->time.nanos = 0;
    if (!take_date(c, &ret->date)) return false;
    if (c->p == c->end) return true;
    return (take(c, 'T') || take(c, ' ') || take(c, 't')) && take_time(c, &ret->time.nanos);
}

static raski_number_result at_end(const cursor *c, bool ok) {
    return ok && c->p == c->end ? RASKI_NUMBER_OK : RASKI_NUMBER_INVALID;
}

raski_number_result raski_text_parse_date(const char *text, size_t length, rask_date *ret) {
    cursor c = {text, text + length};
    return at_end(&c, take_date(&c, ret));
}

raski_number_result raski_text_parse_time(const char *text, size_t length, rask_time *ret) {
    cursor c = {text, text + length};
    return at_end(&c, take_time(&c, &ret->nanos));
}

raski_number_result raski_text_parse_datetime(const char *text, size_t length, rask_datetime *ret) {
    cursor c = {text, text + length};
    return at_end(&c, take_date_time(&c, ret));
}

/* ---------------------------------------------------------------- durations */
/* A number and its unit, times seconds, is added; a fraction only where nanos is not NULL. */
static raski_number_result take_amount(cursor *c, char unit, int64_t seconds, int64_t *sum,
                                       int64_t *nanos) {
    const char *start = c->p;
    int64_t value = 0;
    int64_t fraction = 0;
    bool overflow = false;
    const bool negative = take(c, '-');
    if (!negative) (void)take(c, '+');
    const char *digits = c->p;
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++)
        overflow = overflow || __builtin_mul_overflow(value, 10, &value) ||
                   __builtin_add_overflow(value, *c->p - '0', &value);
    bool ok = c->p > digits;
    if (ok && nanos != NULL && take(c, '.'))
        ok = c->p == c->end || *c->p == unit || take_fraction(c, &fraction);
    if (!ok || !(take(c, unit) || take(c, (char)(unit | 0x20)))) {
        c->p = start; /* of another unit, or none */
        return RASKI_NUMBER_INVALID;
    }
    overflow = overflow || __builtin_mul_overflow(value, seconds, &value) ||
               __builtin_add_overflow(*sum, negative ? -value : value, sum);
    if (nanos != NULL) *nanos = negative ? -fraction : fraction;
    return overflow ? RASKI_NUMBER_OUT_OF_RANGE : RASKI_NUMBER_OK;
}

raski_number_result raski_text_parse_duration(const char *text, size_t length, rask_duration *ret) {
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'D', SECONDS_PER_DAY}, {'H', 3600}, {'M', 60}, {'S', 1}};
    cursor c = {text, text + length};
    int64_t sum = 0;
    int64_t nanos = 0;
    const bool negative = take(&c, '-');
    if (!negative) (void)take(&c, '+');
    if (!take(&c, 'P') && !take(&c, 'p')) return RASKI_NUMBER_INVALID;
    int amounts = 0;
    for (int i = 0; i < 4 && c.p < c.end; i++) {
        if (i == 1 && !take(&c, 'T') && !take(&c, 't')) return RASKI_NUMBER_INVALID;
        if (i == 1) amounts = 0; /* one must follow */
        raski_number_result result = take_amount(&c, units[i].unit, units[i].seconds, &sum,
                                                 units[i].seconds == 1 ? &nanos : NULL);
        if (result == RASKI_NUMBER_OUT_OF_RANGE) return result;
        amounts += result == RASKI_NUMBER_OK;
    }
    if (c.p != c.end || amounts == 0) return RASKI_NUMBER_INVALID;
    if (negative && sum == INT64_MIN) return RASKI_NUMBER_OUT_OF_RANGE;
    *ret = negative ? rask_duration_of(-sum, -nanos) : rask_duration_of(sum, nanos);
    return RASKI_NUMBER_OK;
}

raski_number_result raski_text_parse_instant(const char *text, size_t length,
                                             int64_t precision_nanos, int64_t *ret_seconds,
                                             int32_t *ret_nanos) {
    cursor c = {text, text + length};
    rask_datetime value;
    int64_t offset = 0;
    if (!take_date_time(&c, &value) || !take_offset(&c, &offset)) return RASKI_NUMBER_INVALID;
    if (value.time.nanos % precision_nanos != 0) return RASKI_NUMBER_OUT_OF_RANGE;
    *ret_seconds =
        (int64_t)value.date.days * SECONDS_PER_DAY + value.time.nanos / NANOS_PER_SECOND - offset;
    *ret_nanos = (int32_t)(value.time.nanos % NANOS_PER_SECOND);
    return RASKI_NUMBER_OK;
}

/* ---------------------------------------------------------------- writing */
enum { TEXT_MAX = 48 };

static char *put_digits(char *to, int64_t value, int count) {
    for (int i = count; i-- > 0; value /= 10) to[i] = (char)('0' + value % 10);
    return to + count;
}

static char *put_date(char *to, rask_date date) {
    int32_t year = 0;
    int32_t month = 0;
    int32_t day = 0;
    rask_date_split(date, &year, &month, &day);
    int digits = 4;
    if (year < 0 || year > 9999) *to++ = year < 0 ? '-' : '+';
    year = year < 0 ? -year : year;
    for (int64_t limit = 10000; limit <= year; limit *= 10) digits++;
    to = put_digits(to, year, digits);
    *to++ = '-';
    to = put_digits(to, month, 2);
    *to++ = '-';
    return put_digits(to, day, 2);
}

static char *put_time(char *to, int64_t nano_of_day) {
    int64_t seconds = nano_of_day / NANOS_PER_SECOND;
    int64_t nanos = nano_of_day % NANOS_PER_SECOND;
    to = put_digits(to, seconds / 3600, 2);
    *to++ = ':';
    to = put_digits(to, seconds / 60 % 60, 2);
    *to++ = ':';
    to = put_digits(to, seconds % 60, 2);
    if (nanos == 0) return to;
    *to++ = '.';
    to = put_digits(to, nanos, 9);
    while (to[-1] == '0') to--;
    return to;
}

bool raski_append_date(rask_text *text, rask_date date) {
    char buffer[TEXT_MAX];
    return raski_text_put(text, buffer, (size_t)(put_date(buffer, date) - buffer));
}

bool raski_append_time(rask_text *text, int64_t nano_of_day) {
    char buffer[TEXT_MAX];
    return raski_text_put(text, buffer, (size_t)(put_time(buffer, nano_of_day) - buffer));
}

bool raski_append_instant(rask_text *text, int64_t seconds, int32_t nanos, char between,
                          bool zone) {
    char buffer[TEXT_MAX];
    int64_t days = seconds / SECONDS_PER_DAY - (seconds % SECONDS_PER_DAY < 0);
    int64_t of_day = seconds - days * SECONDS_PER_DAY;
    char *p = put_date(buffer, (rask_date){(int32_t)days});
    *p++ = between;
    p = put_time(p, of_day * NANOS_PER_SECOND + nanos);
    if (zone) *p++ = 'Z';
    return raski_text_put(text, buffer, (size_t)(p - buffer));
}
