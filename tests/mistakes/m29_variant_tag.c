#include "common.h"
typedef struct {
    int64_t which;
    union {
        int64_t number;
        rask_string text;
    };
} either;
RASK_VARIANT(either, number, text);
