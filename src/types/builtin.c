/* The types that need no RASK_TYPE. */
#include "rask/types.h"

#define BUILTIN(T, C_TYPE, KIND) \
    const rask_type rask_type_##T = { \
        .name = #T, .kind = KIND, .size = sizeof(C_TYPE), .align = _Alignof(C_TYPE)}

BUILTIN(int8_t, int8_t, RASK_KIND_BYTE);
BUILTIN(int16_t, int16_t, RASK_KIND_SHORT);
BUILTIN(int32_t, int32_t, RASK_KIND_INT);
BUILTIN(int64_t, int64_t, RASK_KIND_LONG);
BUILTIN(float, float, RASK_KIND_FLOAT);
BUILTIN(double, double, RASK_KIND_DOUBLE);
BUILTIN(rask_bool, bool, RASK_KIND_BOOLEAN);
BUILTIN(rask_string, rask_string, RASK_KIND_STRING);
BUILTIN(rask_bytes, rask_bytes, RASK_KIND_BYTES);
BUILTIN(rask_timestamp, rask_timestamp, RASK_KIND_TIMESTAMP);

/* Values of several members: whoever has no need of the kind's meaning takes them as records. */
#define MEMBER(T, m, type) \
    { #m, offsetof(T, m), sizeof(((T *)0)->m), &rask_type_##type, 0 }
#define COMPOSED(T, KIND, ...) \
    static const rask_field T##_members[] = {__VA_ARGS__}; \
    const rask_type rask_type_##T = {.name = #T, \
                                     .kind = KIND, \
                                     .size = sizeof(T), \
                                     .align = _Alignof(T), \
                                     .field_count = sizeof T##_members / sizeof *T##_members, \
                                     .fields = T##_members}

COMPOSED(rask_date, RASK_KIND_DATE, MEMBER(rask_date, days, int32_t));
COMPOSED(rask_time, RASK_KIND_TIME, MEMBER(rask_time, nanos, int64_t));
COMPOSED(rask_datetime, RASK_KIND_DATETIME, MEMBER(rask_datetime, date, rask_date),
         MEMBER(rask_datetime, time, rask_time));
COMPOSED(rask_instant, RASK_KIND_INSTANT, MEMBER(rask_instant, seconds, int64_t),
         MEMBER(rask_instant, nanos, int32_t));
COMPOSED(rask_duration, RASK_KIND_DURATION, MEMBER(rask_duration, seconds, int64_t),
         MEMBER(rask_duration, nanos, int32_t));
COMPOSED(rask_decimal, RASK_KIND_DECIMAL, MEMBER(rask_decimal, low, int64_t),
         MEMBER(rask_decimal, high, int64_t), MEMBER(rask_decimal, scale, int32_t));
