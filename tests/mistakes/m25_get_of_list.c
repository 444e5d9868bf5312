/* A list read as if it were a value; a value used as a map. */
#include "common.h"

typedef struct {
    rask_list_state(double) amounts;
    rask_value(double) sum;
} totals;
RASK_STATE(totals, amounts, sum);
RASK_KEYED_PROCESS(sum_up, totals, self, pay, p, double, out) {
    const double *first = rask_get(self->amounts);
    rask_map_put(self->sum, p.user, p.amount);
    rask_emit(out, *first);
}
