/* Keys of a window join that are of different types. */
#include "common.h"

RASK_WINDOW_JOIN(both, pay, p, word_count, w, double, out) {
    rask_emit(out, p.amount * (double)w.count);
}
void build(rask_stream(pay) a, rask_stream(word_count) b);
void build(rask_stream(pay) a, rask_stream(word_count) b) {
    rask_print(rask_window_join(a, user, b, count, rask_tumbling_event_time(.size_ms = 10), both));
}
