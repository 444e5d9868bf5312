#include <rask/rask.h>
typedef struct {
    int64_t a;
    uint64_t b;
} u;
RASK_TYPE(u, a, b);
