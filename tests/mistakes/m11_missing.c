#include <rask/rask.h>
typedef struct {
    int64_t a;
    int64_t b;
} v;
RASK_TYPE(v, a);
