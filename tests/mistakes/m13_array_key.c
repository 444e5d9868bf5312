#include "common.h"
typedef struct {
    int64_t id;
    int32_t parts[4];
} vec;
RASK_TYPE(vec, id, parts);
void f(rask_stream(vec) v);
void f(rask_stream(vec) v) {
    rask_discard(rask_as_stream(rask_key_by(v, parts)));
}
