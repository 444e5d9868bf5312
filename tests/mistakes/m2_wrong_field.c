#include "common.h"
void f(rask_stream(word_count) words);
void f(rask_stream(word_count) words) {
    rask_keyed(word_count) keyed = rask_key_by(words, wrod);
    (void)keyed;
}
