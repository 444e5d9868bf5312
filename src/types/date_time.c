/* The calendar behind rask_date (rask/values.h). */
#include "rask/values.h"
#include "types/java_time_text.h"

enum { DAYS_OF_400_YEARS = 146097, DAYS_BEFORE_1970 = 719468 };

static int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* Years are counted from March on, so that a leap day is the last of its year; days within a year
 * follow from the month by a straight line, since the lengths from March to July, August to
 * December and January repeat. */
rask_date rask_date_of(int32_t year, int32_t month, int32_t day) {
    int64_t months = (int64_t)year * 12 + month - 3;
    int64_t y = floor_divide(months, 12);
    int64_t m = months - y * 12;
    int64_t era = floor_divide(y, 400);
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * m + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    rask_date date = {(int32_t)(era * DAYS_OF_400_YEARS + day_of_era - DAYS_BEFORE_1970)};
    return date;
}

raski_calendar_day raski_calendar_day_of(int64_t days_since_1970) {
    int64_t days = days_since_1970 + DAYS_BEFORE_1970;
    int64_t era = floor_divide(days, DAYS_OF_400_YEARS);
    int64_t day_of_era = days - era * DAYS_OF_400_YEARS;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t m = (5 * day_of_year + 2) / 153;
    return (raski_calendar_day){.year = year_of_era + era * 400 + (m >= 10),
                                .month = (int32_t)(m < 10 ? m + 3 : m - 9),
                                .day = (int32_t)(day_of_year - (153 * m + 2) / 5 + 1)};
}

void rask_date_split(rask_date date, int32_t *ret_year, int32_t *ret_month, int32_t *ret_day) {
    raski_calendar_day d = raski_calendar_day_of(date.days);
    *ret_year = (int32_t)d.year;
    *ret_month = d.month;
    *ret_day = d.day;
}
