/* A state set to a record of another type. */
#include "common.h"

typedef struct {
    rask_value(double) sum;
} totals;
RASK_STATE(totals, sum);
RASK_KEYED_PROCESS(sum_up, totals, self, pay, p, double, out) {
    rask_set(self->sum, p);
    rask_emit(out, *rask_get(self->sum));
}
