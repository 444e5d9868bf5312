#include "common.h"
RASK_TIMESTAMPS(when, pay, p, previous) {
    return (int64_t)p.amount;
}
void f(rask_env *env);
void f(rask_env *env) {
    rask_stream(word_count) w = rask_flat_map(rask_read_text(env, "x"), tokenize);
    rask_discard(rask_assign_timestamps_fn(w, when));
}
