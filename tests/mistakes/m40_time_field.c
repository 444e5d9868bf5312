#include "common.h"
void f(rask_env *env);
void f(rask_env *env) {
    rask_stream(word_count) w = rask_flat_map(rask_read_text(env, "x"), tokenize);
    rask_discard(rask_assign_timestamps(w, word, .max_out_of_orderness_ms = 5));
}
