/* A sum of a field that the record does not have. */
#include "common.h"

void build(rask_stream(word_count) s);
void build(rask_stream(word_count) s) {
    rask_print(rask_sum(rask_key_by(s, word), cuont));
}
