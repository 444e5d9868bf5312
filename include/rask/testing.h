/* rask/testing.h - one operator of a program under test: feed it records and watermarks, move its
 * clock, read what comes out and what it keeps, save its state and go on from there; in
 * milliseconds, without a job.
 *
 *   rask_env *env = rask_env_create(NULL, NULL);
 *   rask_stream(click) clicks = rask_test_input(env, click);
 *   rask_stream(session) sessions = rask_process(rask_key_by(clicks, user), sessionize);
 *   rask_harness *h = rask_harness_create(sessions);
 *   rask_harness_push(h, click, 10, {ada, 1});
 *   rask_harness_watermark(h, 20);
 *   assert_string_equal(rask_harness_text(h), "(ada,10,10,1) @ 13\nwatermark 20\n");
 *   rask_harness_destroy(h);
 *   rask_env_destroy(env);
 *
 * The operator is the one that makes the stream. It is built as a task would build it, with options
 * of its environment (state.backend.type and so on). After a failure every call returns its status
 * and rask_harness_message says why. Threads: one owner. Flink: OneInputStreamOperatorTestHarness,
 * KeyedTwoInputStreamOperatorTestHarness and their kin. */
#ifndef RASK_TESTING_H
#define RASK_TESTING_H
#include "rask/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rask_harness rask_harness;

/* Which subtask the operator is. */
typedef struct rask_harness_options {
    size_t raski_first;
    int parallelism;     /* 0: 1 */
    int subtask_index;   /* 0 .. parallelism - 1 */
    int max_parallelism; /* 0: 128 */
    int64_t time_ms;     /* of the clock, at the start */
} rask_harness_options;

RASK_API rask_harness *raski_harness_create(raski_stream *, const rask_harness_options *, size_t);
RASK_API rask_status raski_harness_push(rask_harness *, unsigned input, const rask_type *,
                                        const void *record, int64_t timestamp_ms);
RASK_API bool raski_harness_take(rask_harness *, const rask_type *, const char *tag,
                                 void *ret_record, int64_t *ret_timestamp_ms);
RASK_API raski_stream *raski_test_input(rask_env *, const rask_type *, const char *file, int line);

/* Closes the operator and frees all; NULL is fine. Before the environment is destroyed. */
RASK_API void rask_harness_destroy(rask_harness *harness_take);
/* Why the last call failed; "" when nothing did. Borrowed until the harness is destroyed. */
RASK_API const char *rask_harness_message(const rask_harness *harness);

/* Event time of an input (0: the first) has reached watermark_ms. */
RASK_API rask_status rask_harness_watermark_of(rask_harness *harness, unsigned input,
                                               int64_t watermark_ms);
/* The same for all inputs. */
RASK_API rask_status rask_harness_watermark(rask_harness *harness, int64_t watermark_ms);
/* An input has become idle, or active again. */
RASK_API rask_status rask_harness_idle(rask_harness *harness, unsigned input, bool idle);
/* Sets the clock: processing-time timers up to that time fire. */
RASK_API rask_status rask_harness_set_time(rask_harness *harness, int64_t time_ms);
/* All input has ended: last words, RASK_FINISH. Watermarks are the test's business: a job sends
 * INT64_MAX before. */
RASK_API rask_status rask_harness_end(rask_harness *harness);

/* What came out since the last call, a line each, in order: "RECORD @ TIMESTAMP" (without " @ ..."
 * when it has none), "TAG: RECORD @ TIMESTAMP" for side outputs, "watermark MS", "idle", "active".
 * Borrowed until the next call. */
RASK_API const char *rask_harness_text(rask_harness *harness);
/* Timers that are registered. */
RASK_API size_t rask_harness_timers(const rask_harness *harness, bool processing);
/* A counter of the operator, for instance numLateRecordsDropped; 0 when there is none. */
RASK_API int64_t rask_harness_counter(const rask_harness *harness, const char *name);

/* Saves the state, timers included, as a savepoint would: a heap block for free(). */
RASK_API rask_status rask_harness_snapshot(rask_harness *harness, void **ret_bytes,
                                           size_t *ret_size);
/* Builds the operator anew with its part of the state that n snapshots hold: that of one subtask, or
 * those of all subtasks before a change of parallelism. Options as for rask_harness_create. */
RASK_API rask_harness *raski_harness_restore(raski_stream *, const void *const *snapshots,
                                             const size_t *sizes, size_t n,
                                             const rask_harness_options *, size_t);

RASK_API const char *raski_harness_state(rask_harness *, const rask_type *, const void *key,
                                         const char *name);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus
/* A stream of T without a source: what a harness pushes. */
#define rask_test_input(env, T) \
    ((rask_stream_##T){.node = raski_test_input((env), &rask_type_##T, RASKI_HERE)})
/* rask_harness_create(stream, options...): the operator that makes the stream, opened. Never NULL.
 * rask_harness_create(out, .parallelism = 2, .subtask_index = 1) */
#define rask_harness_create(...) \
    raski_harness_create((RASKI_FIRST(__VA_ARGS__)).node, \
                         RASKI_HARNESS_OPTIONS(0, RASKI_REST(__VA_ARGS__)))
/* rask_harness_restore(stream, snapshots, sizes, n, options...): see above. Never NULL. */
#define rask_harness_restore(stream, snapshots, sizes, ...) \
    raski_harness_restore((stream).node, (snapshots), (sizes), (RASKI_FIRST(__VA_ARGS__)), \
                          RASKI_HARNESS_OPTIONS(0, RASKI_REST(__VA_ARGS__)))
#define RASKI_HARNESS_OPTIONS(...) \
    (&(rask_harness_options){.raski_first = __VA_ARGS__}), sizeof(rask_harness_options)
/* rask_harness_push(h, T, timestamp_ms, value): a record for the only (or first) input, RASK_NO_TIMESTAMP
 * for none; value is an initialiser of T: {...} for records. rask_status. */
#define rask_harness_push(h, T, timestamp_ms, ...) \
    rask_harness_push_to(h, 0, T, timestamp_ms, __VA_ARGS__)
#define rask_harness_push_to(h, input, T, timestamp_ms, ...) \
    raski_harness_push((h), (input), &rask_type_##T, &(const T[]){__VA_ARGS__}[0], (timestamp_ms))
/* rask_harness_state(h, "name", K, key): the state of a key of a keyed function, as text: the value,
 * [a, b] for lists, {k=v, ...} for maps, null when it has none. name: of the field in RASK_STATE.
 * K is the type of the key; of several key fields a record that has them in order, {...}. Borrowed
 * until the next call. NULL: no such state, or another type of key (rask_harness_message). */
#define rask_harness_state(h, name, K, ...) \
    raski_harness_state((h), &rask_type_##K, &(const K[]){__VA_ARGS__}[0], (name))
/* rask_harness_next(h, T, &record, &timestamp_ms): takes the next record of the main output; false when
 * there is none. Its strings live until the next call that takes or reads output. The timestamp
 * may be NULL. rask_harness_next_side(h, tag, &record, &timestamp_ms): of a side output. */
#define rask_harness_next(h, T, ret_record, ret_timestamp_ms) \
    ((void)sizeof((const T *)0 == (ret_record)), \
     raski_harness_take((h), &rask_type_##T, NULL, (ret_record), (ret_timestamp_ms)))
#define rask_harness_next_side(h, tag, ret_record, ret_timestamp_ms) \
    ((void)sizeof((tag).out.rec == (ret_record)), \
     raski_harness_take((h), (tag).base.type, (tag).base.name, (ret_record), (ret_timestamp_ms)))
#endif /* !__cplusplus */
#endif
