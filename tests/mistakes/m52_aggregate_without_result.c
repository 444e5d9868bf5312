/* RASK_AGGREGATE_RESULT forgotten. */
#include "common.h"

RASK_AGGREGATE(total, pay, p, double, sum, double) {
    *sum += p.amount;
}
void build(rask_windowed(pay) pays);
void build(rask_windowed(pay) pays) {
    rask_print(rask_window_aggregate(pays, total));
}
