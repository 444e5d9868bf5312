/* No mistake: calls nested in each other stay cheap to compile. */
#include "common.h"

void build(rask_stream(word_count) s);
void build(rask_stream(word_count) s) {
    rask_print(rask_sum(
        rask_key_by(
            rask_sum(rask_key_by(
                         rask_sum(rask_key_by(rask_sum(rask_key_by(s, word), count), word), count),
                         word),
                     count),
            word),
        count));
}
