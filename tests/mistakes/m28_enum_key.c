#include "common.h"
RASK_ENUM(level, LOW, HIGH);
typedef struct {
    level severity;
    rask_date day;
} alarm_event;
RASK_TYPE(alarm_event, (severity, level), day);
void f(rask_stream(alarm_event) v);
void f(rask_stream(alarm_event) v) {
    rask_discard(rask_as_stream(rask_key_by(v, day)));
    rask_discard(rask_as_stream(rask_key_by(v, severity)));
}
