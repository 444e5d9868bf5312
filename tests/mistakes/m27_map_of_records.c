/* A map whose types the compiler cannot tell, listed as a plain field. */
#include "common.h"

typedef struct {
    rask_map_state(rask_string, pay) by_user;
} totals;
RASK_STATE(totals, by_user);
