#include "common.h"
typedef struct {
    rask_value(pay) last;
} keeper;
RASK_STATE(keeper, last);
