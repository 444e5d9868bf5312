#ifndef COMMON_H
#define COMMON_H
#include <rask/rask.h>
typedef struct {
    rask_string word;
    int64_t count;
} word_count;
RASK_TYPE(word_count, word, count);
typedef struct {
    rask_string user;
    double amount;
} pay;
RASK_TYPE(pay, user, amount);
RASK_FLAT_MAP(tokenize, rask_string, line, word_count, out) {
    rask_emit(out, (word_count){line, 1});
}
#endif
