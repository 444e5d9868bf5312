/* time_text.h - dates and times as text: 2020-02-29, 12:30:00.5, 2020-02-29 12:30:00.5Z.
 * Reading takes T or a space between date and time, and leaves out seconds or not; writing gives as
 * many digits of a second as are needed. Threads: pure. Flink: TimeFormats. */
#ifndef RASKI_FORMATS_TIME_TEXT_H
#define RASKI_FORMATS_TIME_TEXT_H
#include "formats/number.h"
#include "rask/types.h"

/* All of the text, each. */
raski_number_result raski_text_parse_date(const char *text, size_t length, rask_date *ret);
raski_number_result raski_text_parse_time(const char *text, size_t length, rask_time *ret);
/* A date, maybe with a time; no zone. */
raski_number_result raski_text_parse_datetime(const char *text, size_t length, rask_datetime *ret);
/* P1DT2H30M0.5S: parts may be left out or negative, the whole too (-PT1M), as java.time.Duration
 * takes it. */
raski_number_result raski_text_parse_duration(const char *text, size_t length, rask_duration *ret);
/* A point in time: a date, maybe with a time, maybe with Z or an offset (without: as if it were Z).
 * precision_nanos: what is finer than that is refused (1: nothing). */
raski_number_result raski_text_parse_instant(const char *text, size_t length,
                                             int64_t precision_nanos, int64_t *ret_seconds,
                                             int32_t *ret_nanos);

/* 2020-02-29; years beyond 9999 with a sign, as in ISO 8601. */
bool raski_append_date(rask_text *text, rask_date date);
/* 12:30:00, 12:30:00.123 */
bool raski_append_time(rask_text *text, int64_t nano_of_day);
/* The two with `between`, and "Z" behind if zone. */
bool raski_append_instant(rask_text *text, int64_t seconds, int32_t nanos, char between, bool zone);
#endif
