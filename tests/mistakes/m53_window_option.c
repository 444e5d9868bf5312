/* An option that windows do not have; a sum of texts. */
#include "common.h"

void build(rask_keyed(pay) in);
void build(rask_keyed(pay) in) {
    rask_windowed(pay) w = rask_window(in, rask_tumbling_event_time(.size = 10), .lateness_ms = 5);
    rask_print(rask_window_sum(w, user));
}
