/* java_time_text.h - dates, times and decimals as toString of java.time and java.math gives them.
 * Values that Java cannot have (nanos out of range) still give some text. Threads: pure. */
#ifndef RASKI_TYPES_JAVA_TIME_TEXT_H
#define RASKI_TYPES_JAVA_TIME_TEXT_H
#include <stddef.h>

#include "rask/values.h"

typedef struct raski_calendar_day {
    int64_t year;
    int32_t month, day;
} raski_calendar_day;
raski_calendar_day raski_calendar_day_of(int64_t days_since_1970);

enum { RASKI_VALUE_TEXT_MAX = 80 }; /* bytes; no NUL is counted */

/* Each returns the number of bytes written. */
/* 2020-02-29 */
size_t raski_format_date(rask_date value, char ret_text[RASKI_VALUE_TEXT_MAX]);
/* 12:30, 12:30:05, 12:30:05.100 */
size_t raski_format_time(rask_time value, char ret_text[RASKI_VALUE_TEXT_MAX]);
/* 2020-02-29T12:30 */
size_t raski_format_datetime(rask_datetime value, char ret_text[RASKI_VALUE_TEXT_MAX]);
/* 2020-02-29T12:30:00Z */
size_t raski_format_instant(rask_instant value, char ret_text[RASKI_VALUE_TEXT_MAX]);
/* PT8H6M12.345S */
size_t raski_format_duration(rask_duration value, char ret_text[RASKI_VALUE_TEXT_MAX]);
/* 12.50, 1.2E+10 */
size_t raski_format_decimal(rask_decimal value, char ret_text[RASKI_VALUE_TEXT_MAX]);
#endif
