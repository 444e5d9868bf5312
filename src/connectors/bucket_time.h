/* bucket_time.h - the text of a time, by a pattern of letters: the default buckets of file sinks.
 *
 *   yyyy uuuu  year, 4 digits     MM M  month     dd d  day     HH H  hour, 0..23
 *   yy         last 2 digits      mm m  minute    ss s  second  SSS   milliseconds
 *   'text'     itself; '' a quote. Other letters and [ ] { } # are refused; the rest is itself.
 *
 * Times are local (TZ). Threads: plain functions. Flink: DateTimeBucketAssigner; Java:
 * DateTimeFormatter. */
#ifndef RASKI_CONNECTORS_BUCKET_TIME_H
#define RASKI_CONNECTORS_BUCKET_TIME_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RASKI_BUCKET_TIME_BYTES = 256 }; /* that every time of a good pattern fits into */

/* Whether raski_bucket_time_format knows all of it; if not, message (size bytes) says what not. */
bool raski_bucket_time_check(const char *pattern, char *message, size_t size);
/* The text of a time in ms since 1970, by a pattern that was checked; ret_text has
 * RASKI_BUCKET_TIME_BYTES. Returns its length; it ends with a NUL. */
size_t raski_bucket_time_format(const char *pattern, int64_t time_ms, char *ret_text);
#endif
