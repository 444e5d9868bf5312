/* A reducing state to which another function adds than the one it was declared with. */
#include "common.h"

static inline double larger(double a, double b) {
    return a > b ? a : b;
}
static inline double plus(double a, double b) {
    return a + b;
}
typedef struct {
    rask_reducing_state(double, larger) most;
} totals;
RASK_STATE(totals, most);
RASK_KEYED_PROCESS(sum_up, totals, self, pay, p, double, out) {
    rask_add(self->most, plus, p.amount);
    rask_emit(out, *rask_get(self->most));
}
