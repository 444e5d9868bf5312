/* An aggregate function on windows of another record; a process function behind another result. */
#include "common.h"

RASK_AGGREGATE(total, pay, p, double, sum, double) {
    *sum += p.amount;
}
RASK_AGGREGATE_RESULT(total, sum) {
    return *sum;
}
typedef struct {
    int unused;
} nothing;
RASK_INSTANCE(nothing);
RASK_WINDOW_PROCESS(show, nothing, self, pay, elements, pay, out) {
    rask_emit(out, elements.items[0]);
}
void build(rask_windowed(word_count) words, rask_windowed(pay) pays);
void build(rask_windowed(word_count) words, rask_windowed(pay) pays) {
    rask_print(rask_window_aggregate(words, total));
    rask_print(rask_window_aggregate_process(pays, total, show));
}
