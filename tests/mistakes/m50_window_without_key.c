/* rask_window on a stream that has no key. */
#include "common.h"

void build(rask_stream(pay) in);
void build(rask_stream(pay) in) {
    rask_windowed(pay) w = rask_window(in, rask_tumbling_event_time(.size_ms = 10));
    rask_print(rask_window_sum(w, amount));
}
