#include "common.h"
RASK_PARTITIONER(first, int64_t, key, n) {
    return (int)(key % n);
}
void f(rask_stream(word_count) s);
void f(rask_stream(word_count) s) {
    rask_discard(rask_partition_custom(s, first, word));
}
