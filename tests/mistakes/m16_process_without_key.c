/* A keyed process function on a stream that is not keyed. */
#include "common.h"

typedef struct {
    rask_value(double) sum;
} totals;
RASK_STATE(totals, sum);
RASK_KEYED_PROCESS(sum_up, totals, self, pay, p, double, out) {
    rask_emit(out, *rask_ref(self->sum) += p.amount);
}
void build(rask_stream(pay) s);
void build(rask_stream(pay) s) {
    rask_print(rask_process(s, sum_up));
}
