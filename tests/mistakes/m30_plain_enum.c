#include "common.h"
typedef enum { UP, DOWN } direction;
typedef struct {
    direction way;
    int64_t count;
} step;
RASK_TYPE(step, way, count);
