/* rask/rask.h - Rask: stateful stream processing in C with the semantics of Apache Flink 2.2.
 *
 *   #include <rask/rask.h>
 *
 *   typedef struct { rask_string word; int64_t count; } word_count;
 *   RASK_TYPE(word_count, word, count);
 *
 *   RASK_FLAT_MAP(tokenize, rask_string, line, word_count, out) {
 *       rask_string word;
 *       for (size_t pos = 0; rask_string_next_word(line, &pos, &word);)
 *           rask_emit(out, (word_count){word, 1});
 *   }
 *
 *   int main(int argc, char **argv) {
 *       rask_env *env = rask_env_create(&argc, &argv);
 *       rask_stream(rask_string) lines = rask_read_text(env, argv[1]);
 *       rask_stream(word_count) words = rask_flat_map(lines, tokenize);
 *       rask_keyed(word_count) by_word = rask_key_by(words, word);
 *       rask_print(rask_sum(by_word, count, .uid = "counts"));
 *       return rask_execute(env, "WordCount");
 *   }
 *
 * status.h   codes                      string.h   text and bytes
 * values.h   dates, times, decimals     types.h    descriptions of types
 * record.h   RASK_TYPE and stream handles
 * runtime.h  context, counters          function.h RASK_MAP, RASK_PROCESS, ...
 * state.h    keyed state
 * stream.h   environment, sources, operators, sinks
 * formats.h  JSON and CSV
 * window.h   windows
 *
 * C17 with GNU extensions (gcc 12, clang 14 or newer). C++ may include it for declarations and
 * inline helpers; the macros are C. */
#ifndef RASK_RASK_H
#define RASK_RASK_H
#include "rask/async.h"
#include "rask/broadcast.h"
#include "rask/join.h"
#include "rask/multi.h"
#include "rask/operator_state.h"
#include "rask/stream.h"
#include "rask/window.h"
#endif
