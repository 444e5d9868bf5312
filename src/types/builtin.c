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
