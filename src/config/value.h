/* value.h - option values as text: durations, memory sizes, numbers, booleans, lists and maps in
 * the forms that Flink's configuration accepts.
 * Flink: util.TimeUtils, configuration.MemorySize, ConfigurationUtils, StructuredOptionsSplitter.
 * Every parser borrows its text, leaves its output untouched on failure and writes to err what was
 * expected, as the end of a sentence ("expected true or false"); the caller adds key, value and
 * origin. Blanks around a value are ignored. Threads: any. */
#ifndef RASKI_CONFIG_VALUE_H
#define RASKI_CONFIG_VALUE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/vec.h"

/* A length of time that is never negative. nanos is below 1,000,000,000. */
typedef struct raski_duration {
    int64_t seconds;
    int32_t nanos;
} raski_duration;

/* Texts and pairs that own their memory; zero-initialised is empty. */
typedef RASKI_VEC(char *) raski_text_list;
typedef struct raski_text_pair {
    char *key, *value;
} raski_text_pair;
typedef RASKI_VEC(raski_text_pair) raski_text_map;

/* "100 ms", "1min", "2 h", "7" (milliseconds), "PT1.5S" (ISO 8601). Units: d day days, h hour
 * hours, min m minute minutes, s sec secs second seconds, ms milli millis millisecond(s), µs micro
 * micros microsecond(s), ns nano nanos nanosecond(s); capitals do not matter. */
rask_status raski_parse_duration(const char *text, raski_duration *ret_duration,
                                 raski_error *err) RASKI_NODISCARD;
/* Whole milliseconds or nanoseconds, rounded down; what does not fit gives INT64_MAX. */
int64_t raski_duration_ms(raski_duration duration);
int64_t raski_duration_ns(raski_duration duration);

/* "64mb", "1 gb", "12" (bytes), "3 kibibytes": powers of 1024. */
rask_status raski_parse_memory(const char *text, int64_t *ret_bytes,
                               raski_error *err) RASKI_NODISCARD;
/* Decimal, with an optional sign. */
rask_status raski_parse_long(const char *text, int64_t *ret_value,
                             raski_error *err) RASKI_NODISCARD;
/* Finite decimal numbers, with a point (never a comma, whatever the locale) and an exponent. */
rask_status raski_parse_double(const char *text, double *ret_value,
                               raski_error *err) RASKI_NODISCARD;
/* true or false in any case. */
rask_status raski_parse_bool(const char *text, bool *ret_value, raski_error *err) RASKI_NODISCARD;
/* One of choices ("A|B|C") in any case; gives its index. */
rask_status raski_parse_choice(const char *text, const char *choices, int *ret_index,
                               raski_error *err) RASKI_NODISCARD;
/* "[a, b]" (YAML) or "a;b;'c;d'" (quotes keep what is inside, doubled quotes stand for one).
 * The caller frees the list. */
rask_status raski_parse_list(const char *text, raski_text_list *ret_list,
                             raski_error *err) RASKI_NODISCARD;
/* "{a: b, c: d}" (YAML) or "a:b,'c':d". The caller frees the map. */
rask_status raski_parse_map(const char *text, raski_text_map *ret_map,
                            raski_error *err) RASKI_NODISCARD;

void raski_text_list_free(raski_text_list *list); /* empties it */
void raski_text_map_free(raski_text_map *map);    /* empties it */
#endif
