#include "common.h"
void f(rask_stream(pay) a, rask_stream(word_count) b);
void f(rask_stream(pay) a, rask_stream(word_count) b) {
    rask_discard(rask_union(a, b));
}
