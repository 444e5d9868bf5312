/* A sink of another type. */
#include "common.h"

typedef struct {
    double sum;
} store_self;
RASK_INSTANCE(store_self);
RASK_SINK(store, store_self, self, pay, p) {
    self->sum += p.amount;
}
void build(rask_stream(word_count) s);
void build(rask_stream(word_count) s) {
    rask_sink(s, store);
}
