/* Fields listed in another order. */
#include "common.h"

typedef struct {
    int64_t a, b;
} sample;
RASK_TYPE(sample, b, a);
