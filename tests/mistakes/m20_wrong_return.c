/* A map that returns a record of another type. */
#include "common.h"

RASK_MAP(count_one, pay, p, word_count) {
    return p;
}
