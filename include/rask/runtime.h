/* rask/runtime.h - what the generated loops and the runtime agree on, and the services that a
 * running function has. Names with raski_ are this agreement: programs do not use them.
 *
 * Threads: a function's instance, its context and its output belong to the one thread that runs
 * its task. Flink: StreamOperator, RuntimeContext, Collector. */
#ifndef RASK_RUNTIME_H
#define RASK_RUNTIME_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rask/status.h"
#include "rask/string.h"
#include "rask/types.h"

#ifdef __cplusplus
extern "C" {
#define RASKI_RESTRICT __restrict__
#else
#define RASKI_RESTRICT restrict
#endif
#define RASKI_UNUSED __attribute__((unused))
#define RASKI_COLD_CALL __attribute__((cold, noinline))
#define RASKI_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ------------------------------------------------------------------ context of a running function
 */
typedef struct raski_operator raski_operator;
typedef struct rask_env rask_env;

typedef struct rask_ctx {
    void *buf;         /* where the next output records go */
    size_t cap;        /* room there, in records */
    size_t i;          /* index of the input record: of each in keyed functions, else of the one
                        * that failed */
    bool failed;       /* rask_fail was called */
    char *const *rows; /* keyed: the state row of each input record */
    const int64_t *ts; /* timestamps of the input records (of the timers that fire), or NULL */
    int64_t *ts_out;   /* room for those of the output records, or NULL */
    size_t stamped;    /* output records whose timestamp is set */
    int64_t watermark; /* event time of the operator so far */
    bool earlier;      /* while timers fire: one was registered that is due before the rest */
    int64_t wake_ns;   /* a source that is idle: relative time of the next call */
    int wake_fd;       /* a source that is idle: descriptor to wait for, or -1 */
    raski_operator *op;
    /* where rask_emit_watermark goes: of a source or a watermark generator; else NULL */
    struct raski_watermark_output *watermarks;
    struct raski_keyed_scope *scope; /* keyed: where rows are from; else NULL */
} rask_ctx;

/* What rask_timestamp gives for a record that has none. */
#define RASK_NO_TIMESTAMP INT64_MIN

/* ------------------------------------------------------------------ function objects */
typedef enum raski_fn_kind {
    RASKI_FN_SOURCE = 1,
    RASKI_FN_SPLIT_SOURCE,
    RASKI_FN_MAP,
    RASKI_FN_FILTER,
    RASKI_FN_FLAT_MAP,
    RASKI_FN_PROCESS,
    RASKI_FN_KEYED_PROCESS,
    RASKI_FN_REDUCE,
    RASKI_FN_CO_MAP,
    RASKI_FN_CO_FLAT_MAP,
    RASKI_FN_CO_PROCESS,
    RASKI_FN_KEYED_CO_PROCESS,
    RASKI_FN_SINK,
    RASKI_FN_KEY_SELECTOR,
    RASKI_FN_PARTITIONER,
    RASKI_FN_WINDOW_AGGREGATE,
    RASKI_FN_WINDOW_PROCESS,
    RASKI_FN_WINDOW_JOIN,
    RASKI_FN_CO_GROUP,
    RASKI_FN_SESSION_GAP,
    RASKI_FN_TRIGGER,
    RASKI_FN_DELTA,
    RASKI_FN_TIMESTAMPS,
    RASKI_FN_WATERMARK_GENERATOR,
    RASKI_FN_ASYNC,
    RASKI_FN_INTERVAL_JOIN,
    RASKI_FN_MULTI_PROCESS,
    RASKI_FN_KEYED_MULTI_PROCESS,
    RASKI_FN_BROADCAST_PROCESS,
    RASKI_FN_KEYED_BROADCAST_PROCESS,
} raski_fn_kind;

/* Processes n records; returns how many stand in ctx->buf at the end (full buffers have been
 * handed on with raski_flush). */
typedef size_t raski_run(void *self, const void *in, size_t n, rask_ctx *ctx);
/* The same where input and output records are the same memory. */
typedef size_t raski_run_in_place(void *self, void *io, size_t n, rask_ctx *ctx);
/* Fills ctx->buf with up to ctx->cap records, *ret_n says how many. */
typedef rask_status raski_next(void *self, rask_ctx *ctx, size_t *ret_n);

/* A timer that has fired. */
typedef struct rask_timer {
    int64_t time_ms; /* what it was registered for */
    bool processing; /* registered for processing time, else for event time */
} rask_timer;

struct raski_async_request;
typedef struct raski_splits raski_splits; /* collects what an enumerator finds */
typedef struct raski_hook {
    rask_status (*open)(void *self);
    rask_status (*close)(void *self);
    rask_status (*finish)(void *self);
    size_t (*end)(void *self, rask_ctx *ctx); /* like raski_run, without input */
    rask_status (*enumerate)(void *self, raski_splits *splits);
    rask_status (*add_split)(void *self, rask_bytes split); /* also restore */
    /* n timers of one time have fired; as raski_run: the rows of their keys are ctx->rows */
    size_t (*timer)(void *self, rask_timer timer, size_t n, rask_ctx *ctx);
    rask_status (*position)(void *self, rask_text *position);
    rask_status (*wake)(void *self, int64_t now_ms);
    void (*periodic)(void *self, rask_ctx *ctx); /* watermark generators */
    uint32_t (*select)(void *self);              /* which inputs to read next; a bit each */
    void (*async)(void *self, const void *record, struct raski_async_request *request);
    const struct raski_states *states; /* operator lists */
    rask_status (*snapshot)(void *self);
} raski_hook;

/* Time-to-live of a keyed state, in processing time. A list's items and a map's entries have each
 * their own. Flink: StateTtlConfig. */
typedef enum rask_ttl_update {
    RASK_TTL_ON_CREATE_AND_WRITE, /* writing starts the time again */
    RASK_TTL_ON_READ_AND_WRITE,   /* so does reading */
} rask_ttl_update;
typedef enum rask_ttl_visibility {
    RASK_TTL_NEVER_RETURN_EXPIRED,
    RASK_TTL_RETURN_EXPIRED_IF_NOT_CLEANED_UP, /* what expired may be read once more */
} rask_ttl_visibility;
typedef struct rask_ttl {
    int64_t time_ms; /* how long a value lives; 0: for ever */
    rask_ttl_update update;
    rask_ttl_visibility visibility;
    /* Keys that are looked at for expired state per batch of records, in the background. 0: 5, as
     * in Flink; negative: none, only what is read (or left out of a snapshot) is removed. */
    int32_t cleanup_keys;
} rask_ttl;

/* An initial instance: what RASK_SELF makes. */
struct raski_init {
    const void *data;
    size_t size;
    const char *type;
};

/* One keyed state of an instance struct: a field made by rask/state.h. */
typedef enum raski_handle_kind {
    RASKI_HANDLE_VALUE = 1,
    RASKI_HANDLE_LIST,
    RASKI_HANDLE_MAP,
    RASKI_HANDLE_REDUCING,
    RASKI_HANDLE_AGGREGATING,
} raski_handle_kind;
typedef struct raski_state_field {
    const char *name;
    uint32_t offset; /* of the handle in the instance */
    uint32_t size;   /* of a value, an item, a map's value */
    raski_handle_kind kind;
    const rask_type *type, *map_key; /* of values; of a map's keys */
} raski_state_field;
typedef struct raski_states {
    const char *type; /* C name of the instance struct */
    size_t size;
    const raski_state_field *fields;
    size_t count;
} raski_states;

enum { RASKI_FN_ABI = 1 };
typedef struct raski_fn {
    uint32_t abi;  /* RASKI_FN_ABI */
    uint32_t size; /* sizeof(raski_fn) of the program */
    raski_fn_kind kind;
    int line;
    const char *name, *file;
    const rask_type *in, *in2, *out;
    raski_run *run, *run2;
    raski_run_in_place *run_in_place; /* or NULL */
    raski_next *next;
    const raski_states *self;
    const raski_hook *open, *close, *finish, *end, *enumerate, *add_split, *position, *restore;
    /* reduce: record i of in is combined with the record at states[i] (bit i of first: there is
     * none yet) and the result written there and, unless out is NULL, to out; at most 64 records */
    void (*reduce)(void *ctx, const void *in, size_t n, char *const *states, uint64_t first,
                   void *out);
    void (*select_keys)(const void *in, size_t n, void *ret_keys);
    int (*partition)(const void *key, int partitions);
    const raski_hook *timer;
    const raski_hook *wake;
    const struct raski_window_fn *window; /* rask/detail/window_functions.h; or NULL */
    const raski_hook *periodic;
    const raski_hook *async, *async_timeout;
    /* n pairs: a record and those of the other side, whose strides are given; as raski_run */
    size_t (*join)(const void *left, const void *right, size_t n, size_t left_stride,
                   size_t right_stride, rask_ctx *ctx);
    const raski_hook *select;
    const raski_states *broadcast; /* states that the second input fills, or NULL */
    const raski_hook *operator_list, *union_list, *snapshot;
} raski_fn;

typedef struct raski_tag {
    const char *name;
    const rask_type *type;
} raski_tag;

/* ------------------------------------------------------------------ entry points of generated code
 */
RASK_API void *raski_flush(rask_ctx *ctx, size_t n); /* hands n records on; the new ctx->buf */
RASK_API RASKI_COLD_CALL void raski_stamp(rask_ctx *ctx, size_t n);
RASK_API int64_t raski_timestamp_of(const rask_ctx *ctx);
RASK_API int64_t raski_processing_time(const rask_ctx *ctx);
RASK_API void raski_register_timer(rask_ctx *ctx, int64_t time_ms, bool processing);
RASK_API void raski_delete_timer(rask_ctx *ctx, int64_t time_ms, bool processing);
RASK_API void raski_side_emit(rask_ctx *ctx, const raski_tag *tag, const void *record);
/* Keyed state; track is that of the handle (rask/state.h). Failures fail the job; what is returned
 * then is zero, or points to zeroes. */
RASK_API unsigned raski_state_track(rask_ctx *ctx, unsigned track); /* the state's number */
RASK_API const void *raski_state_read(rask_ctx *ctx, unsigned track);
RASK_API void raski_state_clear(rask_ctx *ctx, unsigned track);
RASK_API void raski_state_set_ttl(rask_ctx *ctx, unsigned track, rask_ttl ttl);
RASK_API raski_any_list raski_state_list_read(rask_ctx *ctx, unsigned track);
RASK_API void raski_state_list_change(rask_ctx *ctx, unsigned track, const void *items,
                                      size_t count, bool replace);
RASK_API void raski_state_list_remove(rask_ctx *ctx, unsigned track, size_t from, size_t count);
RASK_API const void *raski_state_map_get(rask_ctx *ctx, unsigned track, const void *key);
RASK_API void *raski_state_map_ref(rask_ctx *ctx, unsigned track, const void *key, size_t size);
RASK_API void raski_state_map_put(rask_ctx *ctx, unsigned track, const void *key,
                                  const void *value);
RASK_API bool raski_state_map_remove(rask_ctx *ctx, unsigned track, const void *key);
RASK_API uint32_t raski_state_map_count(rask_ctx *ctx, unsigned track);
RASK_API bool raski_state_map_next(rask_ctx *ctx, unsigned track, uint32_t *position,
                                   const void **ret_key, const void **ret_value);
typedef struct raski_key_cursor {
    rask_ctx *ctx;
    struct raski_key_loop *loop;
} raski_key_cursor;
RASK_API bool raski_next_key(raski_key_cursor *cursor, rask_ctx *ctx, unsigned track);
RASK_API void raski_end_keys(raski_key_cursor *cursor);
RASK_API const void *raski_current_key(rask_ctx *ctx, const rask_type *type);
RASK_API RASKI_COLD_CALL rask_status raski_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
RASK_API rask_status raski_add_split(raski_splits *splits, const void *bytes, size_t size);
RASK_API void raski_enumerate_again(raski_splits *splits, int64_t relative_ms);
RASK_API int raski_splits_seen(raski_splits *splits, const char *key);
RASK_API int raski_splits_readers(const raski_splits *splits);

/* Fails the job: return rask_fail("cannot parse %s", text). The program then prints operator,
 * subtask, record number, file, line and the message. Valid in every body and hook, on the task's
 * thread. The first failure of a task counts; the function is not called again after it. */
#ifdef RASKI_BUILD /* a place inside of Rask helps nobody */
#define rask_fail(...) raski_fail(NULL, 0, __VA_ARGS__)
#else
#define rask_fail(...) raski_fail(__FILE__, __LINE__, __VA_ARGS__)
#endif

/* A sink that writes to a pipe found it closed: the job ends as a tool in a pipe does, without a
 * word, with exit code 141 (128 + SIGPIPE). */
RASK_API rask_status rask_pipe_closed(void);

/* ------------------------------------------------------------------ runtime context */
typedef struct rask_runtime_context {
    const char *job_name;
    const char *task_name;     /* of the whole chain */
    const char *operator_name; /* .name, or the operation's own */
    int subtask_index;         /* 0 .. parallelism - 1 */
    int parallelism;
    int max_parallelism;
    int attempt_number; /* 0 for the first try */
} rask_runtime_context;

/* Of the function that runs on this thread; borrowed, valid in its bodies and hooks. Outside of
 * one: an all-zero context with empty names. Flink: RuntimeContext. */
RASK_API const rask_runtime_context *rask_runtime(void);

/* Whether the running task is to end early (the job is cancelled or fails elsewhere). A function
 * that waits for something outside of the job looks at it from time to time, and returns. */
RASK_API bool rask_cancelled(void);

/* Processing time, ms since 1970: the wall clock, or what a test says. Flink:
 * ProcessingTimeService.getCurrentProcessingTime. */
RASK_API int64_t rask_now_ms(void);
/* In a sink with RASK_ON_WAKE: asks to be called when processing time has reached time_ms, once;
 * the smallest of several times counts. Flink: ProcessingTimeService.registerTimer. */
RASK_API void rask_wake_at(int64_t time_ms);

/* The job's configuration: the value of an option by its (Flink) key, or NULL when not set.
 * Borrowed until the function is closed. */
RASK_API const char *rask_option(const char *key);

/* A counter of the running operator's subtask. At the end rask_job_result has the sum over all
 * subtasks as OPERATOR.NAME. Flink: MetricGroup.counter. */
typedef struct rask_counter {
    int64_t value; /* written by the task's thread only */
} rask_counter;
/* The counter of that name, made on first use; valid until the function is closed. Call it in open
 * and keep the pointer. name is copied. */
RASK_API rask_counter *rask_counter_of(const char *name);
/* Adds n, which may be negative. */
static inline void rask_count(rask_counter *counter, int64_t n) {
    __atomic_store_n(&counter->value, counter->value + n, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif
#endif
