/* operator_harness.h - one operator without a task: a test feeds it records, watermarks, statuses
 * and processing time, and reads in order what comes out of it, side outputs and watermarks
 * included. The public face is rask/testing.h. Flink: OneInputStreamOperatorTestHarness and its
 * kin. Threads: one owner. */
#ifndef RASKI_OPERATORS_HARNESS_OPERATOR_HARNESS_H
#define RASKI_OPERATORS_HARNESS_OPERATOR_HARNESS_H
#include "operators/operator.h"
#include "state/snapshot.h"
#include "types/layout.h"

typedef struct raski_operator_harness raski_operator_harness;

typedef struct raski_operator_harness_options {
    int subtask_index, parallelism, max_parallelism; /* 0: 0, 1, 128 */
    const char *operator_name;                       /* borrowed; NULL: "operator" */
    const raski_configuration *configuration;        /* borrowed; NULL: defaults */
    int64_t processing_time_ms;                      /* at the start */
} raski_operator_harness_options;

typedef enum raski_harness_output_kind {
    RASKI_HARNESS_RECORD,
    RASKI_HARNESS_WATERMARK,
    RASKI_HARNESS_STATUS,
} raski_harness_output_kind;

typedef struct raski_harness_output {
    raski_harness_output_kind kind;
    const char *tag;       /* RECORD of a side output; NULL: the main output */
    const rask_type *type; /* RECORD */
    const void *record;    /* RECORD: owned by the harness until the output is cleared */
    int64_t timestamp_ms;  /* of the RECORD, RASK_NO_TIMESTAMP when none; the WATERMARK */
    bool idle;             /* STATUS */
} raski_harness_output;

/* An operator that is neither opened nor restored. definition is borrowed for the harness' life;
 * its stamped is set (a test wants to see timestamps). Errors: what making the operator says. */
RASKI_NODISCARD rask_status raski_operator_harness_create(
    raski_operator_definition *definition, const raski_operator_harness_options *options,
    raski_operator_harness **ret_harness, raski_error *err);
/* Closes it when that was not done. NULL is fine. */
void raski_operator_harness_destroy(raski_operator_harness *harness_take);
raski_operator *raski_operator_harness_operator(raski_operator_harness *harness);

/* Each step says how it went: after a failure (rask_fail, an error of the engine) nothing more is
 * done and every step returns it again. */
RASKI_NODISCARD rask_status raski_operator_harness_open(raski_operator_harness *harness,
                                                        raski_error *err);
/* All state of the operator (with the operator's name for its id), appended to ret_bytes; between
 * any two steps after open. */
RASKI_NODISCARD rask_status raski_operator_harness_snapshot(raski_operator_harness *harness,
                                                            raski_byte_writer *ret_bytes,
                                                            raski_error *err);
/* Before open: the operator will have this subtask's part of the state in count snapshots, one of
 * each old subtask (borrowed until it is open). */
RASKI_NODISCARD rask_status raski_operator_harness_restore(raski_operator_harness *harness,
                                                           const raski_snapshot_input *snapshots,
                                                           size_t count, raski_error *err);
/* n records of the input's type, copied; timestamps: n, or NULL: they have none. */
RASKI_NODISCARD rask_status raski_operator_harness_process(raski_operator_harness *harness,
                                                           unsigned input, const void *records,
                                                           const int64_t *timestamps, size_t n,
                                                           raski_error *err);
RASKI_NODISCARD rask_status raski_operator_harness_watermark(raski_operator_harness *harness,
                                                             unsigned input, int64_t watermark_ms,
                                                             raski_error *err);
RASKI_NODISCARD rask_status raski_operator_harness_status(raski_operator_harness *harness,
                                                          unsigned input, bool idle,
                                                          raski_error *err);
/* Sets the clock; timers up to that time fire, in their order, and see the new time. */
RASKI_NODISCARD rask_status raski_operator_harness_set_time(raski_operator_harness *harness,
                                                            int64_t time_ms, raski_error *err);
/* One input has ended; at the last one the operator finishes. */
RASKI_NODISCARD rask_status raski_operator_harness_end_input(raski_operator_harness *harness,
                                                             unsigned input, raski_error *err);
RASKI_NODISCARD rask_status raski_operator_harness_close(raski_operator_harness *harness,
                                                         raski_error *err);

/* Timers that are registered. */
size_t raski_operator_harness_timer_count(const raski_operator_harness *harness, bool processing);
/* A counter of the operator (rask_counter_of); 0 when there is none of that name. */
int64_t raski_operator_harness_counter(const raski_operator_harness *harness, const char *name);

/* What came out since the last clear, in order (side outputs behind the main output of the same
 * batch). */
size_t raski_operator_harness_output_count(const raski_operator_harness *harness);
const raski_harness_output *raski_operator_harness_output(const raski_operator_harness *harness,
                                                          size_t i);
void raski_operator_harness_clear(raski_operator_harness *harness);
/* Forgets the first n. */
void raski_operator_harness_drop(raski_operator_harness *harness, size_t n);
/* Output i becomes the first one. */
void raski_operator_harness_move_first(raski_operator_harness *harness, size_t i);
#endif
