/* rask/values.h - dates, times and decimals: values of records that C has no type for.
 *
 *   rask_date day = rask_date_of(2020, 2, 29);
 *   rask_decimal price;
 *   if (!rask_decimal_parse("12.50", 5, &price)) ...
 *
 * All are plain structs, compared and hashed by Rask as their counterparts in java.time and
 * java.math, and may be keys. How they are printed: rask_text_append_record. Threads: values are
 * plain data, the functions are pure. */
#ifndef RASK_VALUES_H
#define RASK_VALUES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rask/string.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- dates and times
 * The calendar is the proleptic Gregorian one, as in ISO 8601; a day has 86400 seconds. */

/* A day. Flink: LOCAL_DATE (java.time.LocalDate). */
typedef struct rask_date {
    int32_t days; /* since 1970-01-01 */
} rask_date;

/* A time of day. Flink: LOCAL_TIME (java.time.LocalTime). */
typedef struct rask_time {
    int64_t nanos; /* since midnight, 0 .. 86399999999999 */
} rask_time;

/* A date and time without a time zone. Flink: LOCAL_DATE_TIME (java.time.LocalDateTime). */
typedef struct rask_datetime {
    rask_date date;
    rask_time time;
} rask_datetime;

/* A point in time. Flink: INSTANT (java.time.Instant). See rask_timestamp for milliseconds. */
typedef struct rask_instant {
    int64_t seconds; /* since 1970-01-01T00:00Z */
    int32_t nanos;   /* from there on, 0 .. 999999999 */
} rask_instant;

/* An amount of time. Flink: java.time.Duration. */
typedef struct rask_duration {
    int64_t seconds; /* rounded down: -1 ns is {-1, 999999999} */
    int32_t nanos;   /* from there on, 0 .. 999999999 */
} rask_duration;

/* The date of year (0 is 1 BC), month 1 .. 12 and day 1 .. 31. What is out of range is carried on:
 * rask_date_of(2025, 2, 30) is the 2nd of March, and month 13 January of the year after. */
RASK_API rask_date rask_date_of(int32_t year, int32_t month, int32_t day);
/* The reverse. */
RASK_API void rask_date_split(rask_date date, int32_t *ret_year, int32_t *ret_month,
                              int32_t *ret_day);
/* hour 0 .. 23, minute 0 .. 59, second 0 .. 59, nanos 0 .. 999999999. */
static inline rask_time rask_time_of(int hour, int minute, int second, int32_t nanos) {
    rask_time time = {((int64_t)hour * 3600 + minute * 60 + second) * 1000000000 + nanos};
    return time;
}
static inline rask_datetime rask_datetime_of(rask_date date, rask_time time) {
    rask_datetime value = {date, time};
    return value;
}
/* From seconds and any number of nanoseconds, which may be negative. */
static inline rask_instant rask_instant_of(int64_t seconds, int64_t nanos) {
    int64_t carried = nanos / 1000000000 - (nanos % 1000000000 < 0);
    rask_instant value = {seconds + carried, (int32_t)(nanos - carried * 1000000000)};
    return value;
}
static inline rask_duration rask_duration_of(int64_t seconds, int64_t nanos) {
    rask_instant i = rask_instant_of(seconds, nanos);
    rask_duration value = {i.seconds, i.nanos};
    return value;
}
/* From milliseconds (a rask_timestamp), and to them, rounded down. */
static inline rask_instant rask_instant_of_ms(int64_t ms) {
    return rask_instant_of(ms / 1000, ms % 1000 * 1000000);
}
static inline rask_duration rask_duration_of_ms(int64_t ms) {
    return rask_duration_of(ms / 1000, ms % 1000 * 1000000);
}
static inline int64_t rask_instant_ms(rask_instant instant) {
    return instant.seconds * 1000 + instant.nanos / 1000000;
}
static inline int64_t rask_duration_ms(rask_duration duration) {
    return duration.seconds * 1000 + duration.nanos / 1000000;
}

/* ---------------------------------------------------------------- decimals */
/* (high * 2^64 + low) * 10^-scale, exactly: up to 38 digits. 1.0 and 1.00 are different values that
 * compare as equal, as in Java. Flink: BIG_DEC (java.math.BigDecimal, which has no limit). */
typedef struct rask_decimal {
    uint64_t low;
    int64_t high;  /* 0, or -1 for negative numbers that fit into 64 bits */
    int32_t scale; /* digits behind the point; negative: zeroes before it */
} rask_decimal;

/* rask_decimal_of(1250, 2) is 12.50. */
static inline rask_decimal rask_decimal_of(int64_t unscaled, int32_t scale) {
    rask_decimal value = {(uint64_t)unscaled, unscaled < 0 ? -1 : 0, scale};
    return value;
}
/* All of the text: [+-]digits[.digits][e[+-]digits], as BigDecimal's constructor takes it. The
 * scale is that of the text. false: it is none, or has more digits or a larger exponent than a
 * rask_decimal holds. */
RASK_API bool rask_decimal_parse(const char *text, size_t length, rask_decimal *ret);
/* By value: -1, 0, 1. */
RASK_API int rask_decimal_compare(rask_decimal a, rask_decimal b);
/* The nearest double. */
RASK_API double rask_decimal_double(rask_decimal value);
/* Exact results with the scale that BigDecimal gives them. false: more digits than there is room.
 */
RASK_API bool rask_decimal_add(rask_decimal a, rask_decimal b, rask_decimal *ret);
RASK_API bool rask_decimal_subtract(rask_decimal a, rask_decimal b, rask_decimal *ret);
RASK_API bool rask_decimal_multiply(rask_decimal a, rask_decimal b, rask_decimal *ret);

#ifdef __cplusplus
}
#endif
#endif
