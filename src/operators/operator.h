/* operator.h - one running operator of a chain: it is handed batches of records, runs the user's
 * generated loop over them, and hands the results on, by direct call to chained operators and
 * through writers to other tasks. Flink: StreamOperator, Output, OperatorChain.
 *
 * Records of a batch are borrowed until raski_operator_process returns; results are handed on
 * before it returns, so nothing waits inside an operator (batching must not cost latency).
 * Threads: all operators of a chain belong to their task's thread. */
#ifndef RASKI_OPERATORS_OPERATOR_H
#define RASKI_OPERATORS_OPERATOR_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "config/configuration.h"
#include "exchange/result_writer.h"
#include "graph/job_graph.h"
#include "operators/definition.h"
#include "operators/time/combined_watermark.h"
#include "platform/doorbell.h"
#include "types/batch_arena.h"

/* state/snapshot.h */
typedef struct raski_operator_snapshot_writer raski_operator_snapshot_writer;
typedef struct raski_operator_snapshot_reader raski_operator_snapshot_reader;

/* What the operators of one task share. */
typedef struct raski_operator_env {
    bool failed; /* the first failure (or cancel) is recorded: everybody stops */
    raski_error error;
    raski_operator *failed_operator; /* NULL: the task itself */
    int64_t record_number;           /* of its input, from 1; 0: none */
    raski_batch_arena arena;
    const raski_configuration *configuration;
    rask_runtime_context runtime; /* operator_name is set per operator */
    raski_id attempt_id;
    const _Atomic bool *cancelled; /* of the task; read with acquire; NULL: never */
    /* Processing time, ms since 1970; tests set their own clock. NULL: the wall clock */
    int64_t (*now_ms)(void *context);
    void *clock;            /* context of now_ms; borrowed */
    int64_t next_wake_ms;   /* the smallest wake_ms of all operators; INT64_MAX: none */
    int64_t *no_timestamps; /* a column for batches without one, made on first use; owned */
    /* How long the task has waited for its consumers so far; NULL: never. */
    int64_t (*blocked_ns)(void *context);
    /* Operators that wait for other threads: who has something for one sets attention and rings. */
    raski_doorbell *doorbell; /* borrowed */
    _Atomic bool attention;
    void (*idle)(void *context); /* the task waits: what was written is shown; may be NULL */
    /* to an operator's coordinator; bytes are borrowed */
    void (*send_event)(void *context, raski_operator *op, const void *bytes, size_t size);
    void *context;
} raski_operator_env;

/* Where records go: a chained operator's input, or a writer. */
typedef struct raski_target {
    raski_operator *op; /* NULL: the writer */
    unsigned input;
    raski_result_writer *writer;
    const raski_key_definition *key; /* writers that route by key: NULL otherwise */
    void *keys;                      /* scratch of the selector; owned */
    int32_t *hashes;                 /* scratch; owned */
    int64_t routed;                  /* records that were routed by key so far */
} raski_target;

typedef struct raski_output {
    RASKI_VEC(raski_target) targets;
} raski_output;

typedef struct raski_side_output_buffer {
    const char *tag;
    const rask_type *type;      /* of whoever reads it */
    const rask_type *same_type; /* of a tag that was found to be equal to type */
    size_t record_size;
    raski_output output;
    void *records;       /* staging */
    int64_t *timestamps; /* as many, where the operator's output is stamped; else NULL */
    size_t count, capacity;
} raski_side_output_buffer;

/* What differs between kinds of operators. All run on the task's thread and report failures with
 * raski_operator_fail. */
typedef struct raski_operator_ops {
    const char *name;
    bool is_observer; /* of tests: gets watermarks also while what is before it is idle */
    /* Before the user's open hook; may be NULL. */
    rask_status (*setup)(raski_operator *op, raski_error *err);
    /* After the user's open hook, before any record: makes what depends on what the hook said
     * (time-to-live of states). May be NULL. */
    rask_status (*opened)(raski_operator *op, raski_error *err);
    /* n >= 1 records for an input; timestamps: theirs, or NULL when none has one; exclusive: both
     * may be overwritten. */
    void (*process)(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive);
    /* Event time of all inputs has reached op->watermark: fire what waited for it, then
     * raski_operator_forward_watermark. Output is handed on before and after. NULL: forwarded. */
    void (*watermark)(raski_operator *op, int64_t watermark);
    /* The watermark of one input is going to be handled; false: the operator swallows it (timestamp
     * assigners do). NULL: none is swallowed. */
    bool (*accepts_watermark)(raski_operator *op, int64_t watermark);
    /* An input became idle or active; false: not to be handed on. NULL: it is. */
    bool (*accepts_status)(raski_operator *op, bool idle);
    /* n records were written at ctx.buf; true: they are dealt with, false: they are to be handed on
     * as they are. NULL: the latter. */
    bool (*emitted)(raski_operator *op, size_t n);
    /* The time that raski_operator_wake_at was told has come. */
    void (*processing_time)(raski_operator *op, int64_t now_ms);
    /* For tests: the table that has a state of the function, and its number there; NULL: no such
     * state. */
    struct raski_keyed_table *(*find_state)(raski_operator *op, const char *name,
                                            unsigned *ret_number);
    /* Timers that are registered; NULL: never any. */
    size_t (*timer_count)(const raski_operator *op, bool processing);
    /* Somebody has set env->attention; any operator may be meant. */
    void (*attention)(raski_operator *op);
    /* State of this subtask, and back (after opened, before any record). NULL: it has none. */
    rask_status (*snapshot)(raski_operator *op, raski_operator_snapshot_writer *writer,
                            raski_error *err);
    rask_status (*restore)(raski_operator *op, raski_operator_snapshot_reader *reader,
                           raski_error *err);
    /* Batch mode with sorted inputs: all records of the keys so far have come, their timers have
     * fired, none of these keys comes back: emits what it kept for the end of a key, drops all
     * state. NULL: there is none. */
    void (*end_keys)(raski_operator *op);
    /* All inputs have ended; emit what is left. May be NULL. */
    void (*finish)(raski_operator *op);
    /* Behind the user's close hook, if open was reached. May be NULL. */
    void (*close)(raski_operator *op);
    void (*teardown)(raski_operator *op); /* may be NULL; also after a failed setup */
} raski_operator_ops;

typedef struct raski_user_counter {
    const char *name;
    rask_counter counter;
} raski_user_counter;

struct raski_operator {
    rask_ctx ctx; /* first: generated loops get its address */
    const raski_operator_ops *ops;
    const raski_operator_definition *def;
    const raski_job_operator *job; /* borrowed from the vertex */
    raski_operator_env *env;
    void *self; /* the user's instance; owned; NULL when there is none */
    rask_runtime_context runtime;
    void *kind; /* of the ops; owned by them */

    raski_output out;
    raski_operator *next; /* the only target of the main output, if it is chained; else NULL */
    unsigned next_input;
    RASKI_VEC(raski_side_output_buffer) sides;
    size_t out_size;             /* of an output record, bytes; 0: none */
    void *staging;               /* an own output batch; owned */
    int64_t *staging_timestamps; /* its column where output is stamped; owned */
    size_t staging_capacity;
    char *window; /* where output goes now: the staging, or inside an exchange buffer */
    int64_t *window_timestamps; /* its column; NULL: output is not stamped */
    size_t window_capacity, pending;
    bool uses_staging; /* output is never written into an exchange buffer directly */

    struct raski_list_state *lists;          /* list_state.h; owned; NULL: none */
    struct raski_broadcast_state *broadcast; /* broadcast_state.h; owned; NULL: none */
    raski_combined_watermark *inputs; /* of operators with several inputs; owned; else NULL */
    int64_t watermark;                /* event time so far; INT64_MIN at first */
    const rask_timer *firing;         /* the timer whose function runs; else NULL */
    bool idle;                        /* what was told to those behind it */
    int64_t wake_ms;                  /* processing time of the next call; INT64_MAX: none */
    bool one_key;     /* see raski_operator_end_keys; set before open, constant then */
    bool ending_keys; /* its timers fire now: new ones are ignored */

    raski_operator_snapshot_reader *restore_from; /* borrowed until open has returned; or NULL */

    int64_t records_in, records_out; /* read by others: stored with relaxed atomics */
    int64_t record_base;             /* number of the first record of the running loop */
    bool opened, finished;
    unsigned inputs_open; /* a bit for each input that has not ended */
    RASKI_VEC(raski_user_counter *) counters;
};

/* Makes the operator of a job vertex' operator (its payload is the definition). Owns nothing of the
 * outputs' writers. */
RASKI_NODISCARD rask_status raski_operator_create(const raski_job_operator *job,
                                                  raski_operator_env *env,
                                                  raski_operator **ret_operator, raski_error *err);
void raski_operator_destroy(raski_operator *operator_take);

/* Wiring, before open. tag NULL: the main output. key: for writers that need hashes, else NULL. */
void raski_operator_add_chained(raski_operator *op, const char *tag, raski_operator *target,
                                unsigned input);
RASKI_NODISCARD rask_status raski_operator_add_writer(raski_operator *op, const char *tag,
                                                      raski_result_writer *writer,
                                                      const raski_key_definition *key,
                                                      raski_error *err);

/* Adds the state of this subtask to a snapshot, between two batches: the part of it that the task
 * waits for. The writer is to be destroyed before the operator is closed. */
RASKI_NODISCARD rask_status raski_operator_snapshot(raski_operator *op,
                                                    raski_operator_snapshot_writer *writer,
                                                    raski_error *err);
/* Setup, the user's open hook, and the state of restore_from. On failure the environment says so.
 */
void raski_operator_open(raski_operator *op);
void raski_operator_process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                            size_t n, bool exclusive);
/* Event time of an input; of several the smallest counts. Flink: Input.processWatermark. */
void raski_operator_watermark(raski_operator *op, unsigned input, int64_t watermark);
/* An input has become idle or active again. Flink: Input.processWatermarkStatus. */
void raski_operator_watermark_status(raski_operator *op, unsigned input, bool idle);
/* Both, in their order. */
void raski_operator_watermark_change(raski_operator *op, unsigned input,
                                     const raski_watermark_change *change);
/* Processing time is now_ms: calls the operator if it asked for that. */
void raski_operator_advance_processing_time(raski_operator *op, int64_t now_ms);
/* The inputs are sorted by key (op->one_key) and all records of the key (of an operator without
 * timers: of one or several keys) have come: event time jumps to its end and back again, all timers
 * fire, those of processing time last, and the operator drops its state. Nobody behind it sees that
 * event time. Flink: BatchExecutionInternalTimeService, BatchExecutionKeyedStateBackend. */
void raski_operator_end_keys(raski_operator *op);
/* Whether something may fire between two keys. */
bool raski_operator_may_have_timers(const raski_operator *op);
/* One input has ended: at the last one the operator finishes (hooks, final results) and so do, in
 * turn, the operators chained behind it. */
void raski_operator_end_input(raski_operator *op, unsigned input);
/* The user's close hook, if open was reached; teardown. Records the first failure. */
void raski_operator_close(raski_operator *op);

/* ---- for implementations of ops */
/* Makes room for output: ctx.buf and ctx.cap (>= 1). false: the task failed or was cancelled. */
bool raski_operator_room(raski_operator *op);
/* Hands pending output (and side outputs) on. */
void raski_operator_hand_on(raski_operator *op);
/* Hands n records that lie elsewhere on. timestamps: NULL exactly where output is not stamped. */
void raski_operator_dispatch(raski_operator *op, void *records, int64_t *timestamps, size_t n,
                             bool exclusive);
/* Copies n records into the output. timestamps: theirs, or NULL: they have none. */
void raski_operator_emit(raski_operator *op, const void *records, const int64_t *timestamps,
                         size_t n);
/* Copies a record into a side output, if anybody reads it. */
void raski_operator_emit_side(raski_operator *op, const raski_tag *tag, const void *record,
                              int64_t timestamp);
/* n records were written to ctx.buf by a hook or loop that may not have stamped all: the rest gets
 * the timestamp of record ctx.i. They count as pending. */
void raski_operator_add_pending(raski_operator *op, size_t n);
/* A column of n times RASK_NO_TIMESTAMP, n up to RASKI_BUFFER_SIZE; nobody writes another value. */
int64_t *raski_operator_no_timestamps(raski_operator *op);
/* To everything behind the operator, side outputs too; while it is idle a watermark is dropped. */
void raski_operator_forward_watermark(raski_operator *op, int64_t watermark);
void raski_operator_forward_status(raski_operator *op, bool idle);
/* Processing time, ms. */
int64_t raski_operator_now_ms(const raski_operator *op);
/* Asks for ops->processing_time as soon as the clock shows time_ms, once; the smaller of several
 * counts. */
void raski_operator_wake_at(raski_operator *op, int64_t time_ms);
/* Records a failure of this operator at the current record; the first one counts. */
void raski_operator_fail(raski_operator *op, const raski_error *error);
/* After a generated loop stopped at a failure: ctx.i is the record now. Loops that are not keyed
 * know it only then. */
void raski_operator_name_record(raski_operator *op);
/* Runs at the start of everything that may call user code: rask_fail and rask_runtime find op. */
void raski_operator_enter(raski_operator *op);
bool raski_operator_is_function(const raski_operator *op, raski_fn_kind kind);
/* What is noted before n records are processed, and when n records were handed on. */
static inline void raski_operator_begin(raski_operator *op, size_t n) {
    raski_operator_enter(op);
    op->record_base = op->records_in + 1;
    op->ctx.i = 0;
    __atomic_store_n(&op->records_in, op->records_in + (int64_t)n, __ATOMIC_RELAXED);
}
static inline void raski_operator_count_out(raski_operator *op, size_t n) {
    __atomic_store_n(&op->records_out, op->records_out + (int64_t)n, __ATOMIC_RELAXED);
}

/* Sleeps until somebody rings the doorbell (seen: its sequence before the caller looked for work)
 * or the clock shows until_ms. false: the task failed or was cancelled. */
bool raski_operator_sleep(raski_operator *op, uint32_t seen, int64_t until_ms);

/* Sources (def->fn is a source). */
typedef enum raski_source_result {
    RASKI_SOURCE_MORE,
    RASKI_SOURCE_IDLE, /* nothing right now: ctx.wake_ns, ctx.wake_fd say when to come again */
    RASKI_SOURCE_WAIT, /* waits for a split of its coordinator */
    RASKI_SOURCE_END,
} raski_source_result;
/* Makes and hands on one batch. */
raski_source_result raski_source_step(raski_operator *op);
/* Whether it is at its end without having had a split: then it has no part in event time (report
 * W8). */
bool raski_source_was_empty(const raski_operator *op);
/* From the coordinator. */
void raski_source_handle_event(raski_operator *op, const void *bytes, size_t size);
/* Where the source is, between two steps: hands take what another reader (of the same or another
 * subtask) goes on with, piece by piece: what is left of the running split and splits that were
 * restored and not begun yet; of a source without splits its position, if it can tell. Bytes are
 * borrowed. A failure is the operator's. */
void raski_source_positions(raski_operator *op,
                            void (*take)(void *ctx, const void *bytes, size_t size), void *ctx);
/* One such piece, which is copied: before the first step, at which a failure shows. */
void raski_source_restore(raski_operator *op, const void *bytes, size_t size);

/* Events between a source and its coordinator: one kind byte, then what is said here. */
enum {
    RASKI_SOURCE_EVENT_REQUEST = 1, /* for a split; a byte: how many it has read since the last
                                     * request, or none: all that it had */
    RASKI_SOURCE_EVENT_SPLIT = 2,   /* the split */
    RASKI_SOURCE_EVENT_NO_MORE = 3,
    RASKI_SOURCE_EVENT_WAIT = 4,   /* to a reader: no split right now, perhaps later */
    RASKI_SOURCE_EVENT_REPORT = 5, /* from a reader: its watermark, int64_t */
    RASKI_SOURCE_EVENT_ALIGN = 6,  /* to a reader: the highest watermark that is allowed */
};

extern const raski_operator_ops raski_function_ops, raski_keyed_ops, raski_aggregate_ops,
    raski_source_ops;
/* Whether the final results of an operator depend on the order of its input: those of aggregations
 * do not where records have no time, nor do exact sums, minima and maxima of records that hold
 * nothing else but their key. */
bool raski_aggregate_depends_on_order(const raski_operator_definition *definition);
/* Where the failures of user code go that is no operator's (an enumerator, a key selector, a
 * partitioner): set for the calling thread until called again with NULL. */
void raski_failure_sink_set(raski_error *sink_or_null);
/* Says more about such a failure, before its message; its place stays. */
void raski_failure_prefix(raski_error *failure, const char *format, ...) RASKI_PRINTF(2, 3);
#endif
