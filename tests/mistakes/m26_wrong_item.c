/* Items and keys of another type than the state's. */
#include "common.h"

typedef struct {
    rask_list_state(double) amounts;
    rask_map_state(rask_string, pay) by_user;
} totals;
RASK_STATE(totals, amounts, (by_user, rask_string, pay));
RASK_KEYED_PROCESS(sum_up, totals, self, pay, p, double, out) {
    rask_list_add(self->amounts, p);
    rask_map_put(self->by_user, p.amount, p);
    rask_emit(out, *rask_map_get(self->by_user, p.user));
}
