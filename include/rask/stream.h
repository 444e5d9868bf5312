/* rask/stream.h - builds a program: environment, sources, operators, partitioning, sinks.
 *
 * Building calls never fail one by one: the first mistake stays in the environment, and
 * rask_execute reports it with the operator and the file and line of the call. Operators take
 * options as trailing designated initialisers: rask_map(s, f, .uid = "x", .parallelism = 2).
 * A building macro evaluates its stream once. Texts that it is given (names, paths, uids) are
 * copied. Streams live as long as their environment.
 *
 * Threads: an environment and its streams belong to one thread. Flink: StreamExecutionEnvironment,
 * DataStream, KeyedStream, ConnectedStreams. */
#ifndef RASK_STREAM_H
#define RASK_STREAM_H
#include "rask/connectors.h"
#include "rask/formats.h"
#include "rask/time.h"

#ifdef __cplusplus
extern "C" {
typedef struct raski_stream raski_stream;
#endif

typedef struct rask_env rask_env;

/* Flink: RuntimeExecutionMode (option execution.runtime-mode). */
typedef enum rask_runtime_mode {
    RASK_STREAMING, /* results as they change */
    RASK_BATCH,     /* bounded inputs only: final results, once */
    RASK_AUTOMATIC, /* batch when all sources are bounded */
} rask_runtime_mode;

/* With which neighbours an operator may share a task. Flink: ChainingStrategy. */
typedef enum rask_chaining {
    RASK_CHAIN_DEFAULT,           /* what Flink gives this kind of operator, mostly ALWAYS */
    RASK_CHAIN_ALWAYS,            /* with the operator before it and those behind it */
    RASK_CHAIN_NEVER,             /* with none: a task of its own */
    RASK_CHAIN_HEAD,              /* only with those behind it */
    RASK_CHAIN_HEAD_WITH_SOURCES, /* as HEAD, and with sources before it */
} rask_chaining;

/* A time in milliseconds that may also be left out: RASK_MS(10). */
typedef struct rask_millis {
    bool set;
    int64_t ms;
} rask_millis;
#ifndef __cplusplus
#define RASK_MS(n) ((rask_millis){true, (n)})
#endif

/* What to do about requests that gave no good answer. Flink: AsyncRetryStrategies (fixed delay, and
 * exponential back-off). A retry counts against the record's timeout, and only while that has not
 * passed. */
typedef struct rask_async_retry {
    int max_attempts;     /* further attempts after the first; 0: no retries */
    int64_t delay_ms;     /* before the first retry, at least 1 */
    double multiplier;    /* of each further delay, at least 1; 0: 1 (fixed delay) */
    int64_t max_delay_ms; /* 0: no limit */
    bool on_empty;        /* retry when the result has no records */
    bool on_failure;      /* retry after rask_async_fail */
} rask_async_retry;

/* Trailing options of every building call; what is left out keeps Flink's default. */
typedef struct rask_options {
    size_t raski_first;            /* swallows the function or field: not for users */
    const char *name;              /* shown in plans and messages */
    const char *description;       /* longer text for plans */
    const char *uid;               /* identity of the operator's state across versions */
    const char *uid_hash;          /* 32 hex digits: the id itself */
    const char *slot_sharing_group; /* operators of one group share slots; NULL: that of its inputs,
                                     * "default" where they differ */
    int parallelism;               /* subtasks; 0: the environment's */
    int max_parallelism;           /* key groups, 1 .. 32768; 0: default */
    rask_chaining chaining;
    bool disable_chaining;         /* the same as RASK_CHAIN_NEVER */
    bool start_new_chain;          /* the same as RASK_CHAIN_HEAD */
    rask_millis buffer_timeout;    /* RASK_MS(0): after every batch; RASK_MS(-1): only full buffers */
    bool bounded;                  /* sources: they end by themselves (needed in batch mode) */
    bool parallel;                 /* legacy sources: may run in several subtasks */
    bool last_on_tie;              /* min_by, max_by: of equal records keep the last */
    rask_millis monitor_interval;  /* files: look for new ones after that time, for ever */
    bool append;                   /* text sinks: keep what the file holds */
    rask_json_options json;        /* of rask_read_json, rask_write_json (rask/formats.h) */
    rask_csv_options csv;          /* of rask_read_csv, rask_write_csv */
    rask_file_sink_options files;  /* of rask_file_sink (rask/connectors.h) */
    rask_datagen_options datagen;  /* of rask_datagen */
    rask_socket_options socket;    /* of rask_socket_text */
    /* event time: rask_assign_timestamps, and sources with .timestamps (rask/time.h) */
    rask_timestamps timestamps;    /* sources: RASK_TIMESTAMP_FIELD(T, field), ... */
    rask_watermarks watermarks;    /* instead of a bound: RASK_WATERMARKS(fn), RASK_NO_WATERMARKS */
    int64_t max_out_of_orderness_ms; /* how late a record may come, >= 0 */
    int64_t idleness_ms;           /* without records for longer than this: idle; 0: never */
    const char *alignment_group;   /* sources that do not run away from each other */
    int64_t max_drift_ms;          /* how far ahead of the slowest one of the group may be, >= 0 */
    int64_t update_interval_ms;    /* how often they compare; 0: 1000 */
    int64_t lower_ms, upper_ms;    /* interval joins (rask/join.h) */
    bool lower_exclusive, upper_exclusive; /* the same */
    const raski_tag *left_late, *right_late; /* the same: rask_late(tag) */
    int64_t timeout_ms;            /* asynchronous I/O: of a record (rask/async.h) */
    int capacity;                  /* asynchronous I/O: records under way */
    rask_async_retry retry;        /* asynchronous I/O: of what gave no answer */
    unsigned splits_at_once;       /* split sources: how many splits a subtask reads at the same
                                    * time, each with an instance of its own; 0: 1 */
    struct raski_init self;        /* the initial instance: RASK_SELF(type, .field = value, ...) */
} rask_options;

/* ---------------------------------------------------------------- environment */
/* Makes an environment from the command line: takes -p N, -D key=value (any Flink option),
 * --config FILE out of *argc and *argv and leaves the rest. Mistakes there are reported by
 * rask_execute. Never NULL. Flink: StreamExecutionEnvironment.getExecutionEnvironment. */
RASK_API rask_env *rask_env_create(int *argc, char ***argv);
/* Frees an environment that is not executed; NULL is fine. */
RASK_API void rask_env_destroy(rask_env *env_take);
/* Settings of the whole job, where an operator has none of its own. The command line wins over them;
 * rask_execute reports a value that is out of range. Flink: the setters of
 * StreamExecutionEnvironment. */
RASK_API void rask_set_parallelism(rask_env *env, int parallelism);         /* 1 .. 32768 */
RASK_API void rask_set_max_parallelism(rask_env *env, int max_parallelism); /* 1 .. 32768 */
RASK_API void rask_set_runtime_mode(rask_env *env, rask_runtime_mode mode);
/* How long a record may wait in a buffer that is not full; 0: sent after every batch; -1: until the
 * buffer is full or its task has nothing more to do. */
RASK_API void rask_set_buffer_timeout(rask_env *env, int64_t timeout_ms);
/* Every operator gets a task of its own. */
RASK_API void rask_disable_chaining(rask_env *env);
/* Any option by Flink's key, as with -D (which wins over the program). Copies both texts. */
RASK_API void rask_set_option(rask_env *env, const char *key, const char *value);
/* The value of an option or NULL; borrowed until the environment changes. */
RASK_API const char *rask_get_option(const rask_env *env, const char *key);

/* The exit codes of rask_execute. */
enum {
    RASK_EXIT_OK = 0,
    RASK_EXIT_FAILED = 1,
    RASK_EXIT_CANCELLED = 130, /* Ctrl-C; after another signal 128 + its number (SIGTERM: 143) */
    RASK_EXIT_PIPE = 141,      /* the reader of its output has gone, as in `job | head` */
};

/* Runs the job on an embedded mini-cluster and waits; shows progress on a terminal; prints the
 * first error on standard error; frees the environment. Returns an exit code. Ctrl-C cancels the
 * job cleanly, a second one ends the process at once. */
RASK_API int rask_execute(rask_env *env_take, const char *job_name);

/* The sum of a counter (rask_counter_of) over all subtasks. */
typedef struct rask_job_counter {
    const char *name; /* OPERATOR.NAME */
    int64_t value;
} rask_job_counter;

/* How a job went. New fields stand at the end, and the library fills those that the program knows. */
typedef struct rask_job_result {
    rask_status status;     /* RASK_OK, RASK_FAILED, RASK_E_CANCELLED, ... */
    int64_t runtime_ms;     /* from RUNNING to the end */
    int64_t records_in;     /* by the sources */
    int64_t records_out;    /* taken by the sinks */
    char message[1024];     /* of a failure, as it would be printed */
    /* By name; borrowed until the environment runs again or is destroyed. */
    const rask_job_counter *counters;
    size_t counter_count;
} rask_job_result;
RASK_API int raski_execute_job(rask_env *env, const char *job_name, rask_job_result *ret_result,
                               size_t size);
/* The same as rask_execute, but keeps the environment, which may be executed again, and says how it
 * went in *ret_result (may be NULL); prints nothing, and leaves signals to the program. */
static inline int rask_execute_job(rask_env *env, const char *job_name,
                                   rask_job_result *ret_result) {
    return raski_execute_job(env, job_name, ret_result, sizeof(rask_job_result));
}

/* The plan as JSON, equal to Flink's getExecutionPlan: a heap text for free(), or NULL after a
 * mistake, which *ret_message (may be NULL) then describes: a heap text too. */
RASK_API char *rask_execution_plan(rask_env *env, char **ret_message);

/* What Rask makes of the program, step by step: operators and the edges between them; vertices,
 * each a chain of operators that share tasks; subtasks with what they read. */
typedef enum rask_plan_graph {
    RASK_PLAN_STREAM_GRAPH,
    RASK_PLAN_JOB_GRAPH,
    RASK_PLAN_EXECUTION_GRAPH,
} rask_plan_graph;
typedef enum rask_plan_format {
    RASK_PLAN_TEXT,  /* for people: chains, ids, and why neighbours were not chained */
    RASK_PLAN_JSON,  /* Flink's execution plan; the plan of its REST interface; subtasks */
    RASK_PLAN_DOT,   /* for Graphviz */
    RASK_PLAN_SVG,   /* a drawing */
    RASK_PLAN_HTML,  /* a drawing with zoom, search and details, in one file */
    RASK_PLAN_FACTS, /* all graphs at once, every field, as JSON */
} rask_plan_format;
/* The plan of the program as a heap text for free(), as `rask plan` prints it. The environment can
 * be planned again or executed after. NULL after a mistake, which *ret_message (may be NULL) then
 * describes: Flink's exception, the operator and the file and line of the call; a heap text too.
 * Facts of a program with a mistake say so themselves, so that text and message are given. */
RASK_API char *rask_plan(rask_env *env, rask_plan_graph graph, rask_plan_format format,
                         char **ret_message);

/* ---------------------------------------------------------------- entry points of the macros */
RASK_API raski_stream *raski_source(rask_env *, const raski_fn *, const rask_options *, size_t,
                                    bool legacy, const char *file, int line);
RASK_API raski_stream *raski_values(rask_env *, const rask_type *, const void *records, size_t n,
                                    const rask_options *, size_t, const char *file, int line);
RASK_API raski_stream *raski_sequence(rask_env *, int64_t from, int64_t to, const rask_options *,
                                      size_t, const char *file, int line);
RASK_API raski_stream *raski_read_text(rask_env *, const char *path, const rask_options *, size_t,
                                       const char *file, int line);
RASK_API raski_stream *raski_socket_text(rask_env *, const char *host, int port,
                                         const rask_options *, size_t, const char *file, int line);
RASK_API raski_stream *raski_apply(raski_stream *, const raski_fn *, const rask_options *, size_t,
                                   const char *file, int line);
RASK_API raski_stream *raski_connect(raski_stream *, raski_stream *, const raski_fn *,
                                     const rask_options *, size_t, const char *file, int line);
RASK_API raski_stream *raski_union(const void *handles, size_t n, const char *file, int line);
RASK_API raski_stream *raski_key_by(raski_stream *, const rask_field *, size_t n, const char *file,
                                    int line);
RASK_API raski_stream *raski_key_by_fn(raski_stream *, const raski_fn *, const char *file,
                                       int line);
typedef enum raski_aggregation {
    RASKI_AGG_SUM = 1,
    RASKI_AGG_MIN,
    RASKI_AGG_MAX,
    RASKI_AGG_MIN_BY,
    RASKI_AGG_MAX_BY,
} raski_aggregation;
RASK_API raski_stream *raski_add_aggregation(raski_stream *, raski_aggregation, rask_field,
                                       const rask_options *, size_t, const char *file, int line);
typedef enum raski_repartitioning {
    RASKI_REPARTITION_FORWARD = 1,
    RASKI_REPARTITION_REBALANCE,
    RASKI_REPARTITION_RESCALE,
    RASKI_REPARTITION_SHUFFLE,
    RASKI_REPARTITION_GLOBAL,
    RASKI_REPARTITION_BROADCAST,
} raski_repartitioning;
RASK_API raski_stream *raski_repartition(raski_stream *, raski_repartitioning, const char *file,
                                         int line);
RASK_API raski_stream *raski_partition_custom(raski_stream *, const raski_fn *, rask_field,
                                              const char *file, int line);
RASK_API raski_stream *raski_side_output(raski_stream *, const raski_tag *, const char *file,
                                         int line);
RASK_API void raski_add_sink(raski_stream *, const raski_fn *, const rask_options *, size_t,
                         bool legacy, const char *file, int line);
RASK_API void raski_print(raski_stream *, bool to_stderr, const rask_options *, size_t,
                          const char *file, int line);
RASK_API void raski_write_text(raski_stream *, const char *path, const rask_options *, size_t,
                               const char *file, int line);
RASK_API void raski_discard(raski_stream *, const rask_options *, size_t, const char *file,
                            int line);
typedef struct raski_iterator raski_iterator;
RASK_API raski_iterator *raski_collect(raski_stream *, const char *job_name, const char *file,
                                       int line);
RASK_API bool raski_iterator_next(raski_iterator *, void *ret_record, size_t size);
RASK_API int raski_iterator_close(raski_iterator *);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus
#define RASKI_HERE __FILE__, __LINE__
#define RASKI_FN(...) RASKI_CAT(raski_fn_, RASKI_FIRST(__VA_ARGS__))
#define RASKI_OPTIONS(...) (&(rask_options){.raski_first = __VA_ARGS__}), sizeof(rask_options)
#define RASKI_FN_OPTIONS(...) RASKI_OPTIONS(sizeof & __VA_ARGS__)
#define RASKI_APPLY(member, s, ...) \
    ((__typeof__(RASKI_FN(__VA_ARGS__).out)){ \
        .node = raski_apply(RASKI_FN(__VA_ARGS__).member(s), &RASKI_FN(__VA_ARGS__).base, \
                            RASKI_FN_OPTIONS(__VA_ARGS__), RASKI_HERE)})

/* ---------------------------------------------------------------- sources */
/* rask_source(env, fn, options...): a RASK_SOURCE or RASK_SPLIT_SOURCE. Say .bounded = true when it
 * ends by itself, and .parallelism = 1 unless its subtasks share the work. Flink: fromSource. */
#define rask_source(env, ...) RASKI_SOURCE_OF(env, false, __VA_ARGS__)
/* The same in the old style (one subtask unless .parallel). Flink: addSource(SourceFunction). */
#define rask_legacy_source(env, ...) RASKI_SOURCE_OF(env, true, __VA_ARGS__)
#define RASKI_SOURCE_OF(env, legacy, ...) \
    ((__typeof__(RASKI_FN(__VA_ARGS__).out)){ \
        .node = ((void)sizeof RASKI_FN(__VA_ARGS__).source_takes, \
                 raski_source(env, &RASKI_FN(__VA_ARGS__).base, RASKI_FN_OPTIONS(__VA_ARGS__), \
                              legacy, RASKI_HERE))})
/* rask_values(env, int64_t, 1, 2, 3): at least one value of type T; copied. Flink: fromData. */
#define rask_values(env, T, ...) \
    ((rask_stream_##T){.node = raski_values(env, &rask_type_##T, (const T[]){__VA_ARGS__}, \
                                            sizeof((const T[]){__VA_ARGS__}) / sizeof(T), \
                                            RASKI_OPTIONS(0), RASKI_HERE)})
/* rask_array(env, T, pointer, count, options...): copies the records (and their strings). */
#define rask_array(env, T, records, ...) \
    ((rask_stream_##T){.node = raski_values(env, &rask_type_##T, raski_same_##T(records), \
                                            (size_t)(RASKI_FIRST(__VA_ARGS__)), \
                                            RASKI_REST_OPTIONS(__VA_ARGS__), RASKI_HERE)})
/* rask_sequence(env, from, to, options...): both included. Flink: fromSequence. */
#define rask_sequence(env, from, ...) \
    ((rask_stream_int64_t){.node = raski_sequence(env, from, (RASKI_FIRST(__VA_ARGS__)), \
                                                  RASKI_REST_OPTIONS(__VA_ARGS__), RASKI_HERE)})
/* rask_read_text(env, path, options...): the lines of a file, of all files below a folder or of
 * those that match a glob; split among parallel readers at line ends; .gz and .zst files are read
 * through their decoders (as one split each). With .monitor_interval = RASK_MS(1000) new files are
 * looked for after each such time and the stream never ends; every file is read once, so it must be
 * whole when it appears there (write it under a name that begins with a dot, then rename it).
 * Flink: FileSource with TextLineInputFormat; monitorContinuously. */
#define rask_read_text(env, ...) \
    ((rask_stream_rask_string){.node = raski_read_text(env, RASKI_FIRST(__VA_ARGS__), \
                                                       RASKI_REST_OPTIONS(__VA_ARGS__), \
                                                       RASKI_HERE)})
#define RASKI_REST_OPTIONS(...) RASKI_OPTIONS(0, RASKI_REST(__VA_ARGS__))
/* rask_socket_text(env, host, port, options...): lines from a TCP server, or what .socket.delimiter
 * ends; with .socket.max_retries the connection is made again when it is lost (rask/connectors.h).
 * Flink: socketTextStream. */
#define rask_socket_text(env, host, ...) \
    ((rask_stream_rask_string){.node = raski_socket_text(env, host, (RASKI_FIRST(__VA_ARGS__)), \
                                                         RASKI_REST_OPTIONS(__VA_ARGS__), \
                                                         RASKI_HERE)})

/* ---------------------------------------------------------------- operators */
/* rask_map(s, fn, options...) and so on: fn is what RASK_MAP, RASK_FILTER, ... defined (its
 * rask/function.h says what it does), or its rich, batch or keyed form. They take a stream of the
 * function's input type (rask_reduce and keyed process functions: a keyed stream) and give the stream
 * of its output. Flink: DataStream.map, filter, flatMap, process; KeyedStream.process, reduce. */
#define rask_map(s, ...) RASKI_APPLY(map_takes, s, __VA_ARGS__)
#define rask_filter(s, ...) RASKI_APPLY(filter_takes, s, __VA_ARGS__)
#define rask_flat_map(s, ...) RASKI_APPLY(flat_map_takes, s, __VA_ARGS__)
#define rask_process(s, ...) RASKI_APPLY(process_takes, s, __VA_ARGS__)
#define rask_reduce(s, ...) RASKI_APPLY(reduce_takes, s, __VA_ARGS__)
/* rask_connect(a, b, fn, options...): a co-map, co-flat-map or co-process function on two streams. */
#define rask_connect(a, b, ...) \
    ((__typeof__(RASKI_FN(__VA_ARGS__).out)){ \
        .node = raski_connect(RASKI_FN(__VA_ARGS__).connect_takes(a), \
                              RASKI_FN(__VA_ARGS__).second_takes(b), \
                              &RASKI_FN(__VA_ARGS__).base, RASKI_FN_OPTIONS(__VA_ARGS__), \
                              RASKI_HERE)})
/* rask_union(a, b, ...): streams of one type, in no particular order. Flink: DataStream.union. */
#define rask_union(first, ...) RASKI_UNION_OF(RASKI_UNIQUE, first, __VA_ARGS__)
#define RASKI_UNION_OF(v, first, ...) __extension__({ \
    __auto_type v = (first); \
    const __typeof__(v) RASKI_CAT(v, all)[] = {v, __VA_ARGS__}; \
    (__typeof__(*v.stream)){.node = raski_union(RASKI_CAT(v, all), \
        sizeof RASKI_CAT(v, all) / sizeof v, RASKI_HERE)}; })
/* rask_side_output(s, tag): the records that the function behind s emitted with
 * rask_emit_side(out, tag, ...), as a stream of the tag's type. Flink: getSideOutput. */
#define rask_side_output(s, tag) \
    ((__typeof__((tag).out)){.node = raski_side_output((s).node, &(tag).base, RASKI_HERE)})

/* ---------------------------------------------------------------- keys */
#define RASKI_UNIQUE RASKI_CAT(raski_s_, __COUNTER__)
#define RASKI_REC(v) __typeof__(*v.rec)
#define RASKI_MEMBER(v, f) (((RASKI_REC(v) *)0)->f)
#define RASKI_FIELD_OF(v, f) \
    {#f, offsetof(RASKI_REC(v), f), sizeof RASKI_MEMBER(v, f), RASKI_TYPE_OF(RASKI_MEMBER(v, f)), 0}
#define RASKI_KEY_FIELD(v, f) RASKI_FIELD_OF(v, f),
#define RASKI_KEYABLE(v, f) \
    _Static_assert(RASKI_IS_KEY(RASKI_MEMBER(v, f)), "rask_key_by: field '" #f \
                   "' cannot be a key (a string, number, bool, decimal, date or time can)");
/* rask_key_by(s, field, ...): every record goes to the subtask of its key. Several fields key like a
 * Flink tuple of them. Flink: DataStream.keyBy. */
#define rask_key_by(s, ...) RASKI_KEY_BY(RASKI_UNIQUE, s, __VA_ARGS__)
#define RASKI_KEY_BY(v, s, ...) __extension__({ \
    __auto_type v = (s); \
    RASKI_EACH(RASKI_KEYABLE, v, __VA_ARGS__) \
    (__typeof__(*v.keyed)){.node = raski_key_by(v.node, (const rask_field[]){ \
        RASKI_EACH(RASKI_KEY_FIELD, v, __VA_ARGS__)}, RASKI_COUNT(__VA_ARGS__), RASKI_HERE)}; })
/* rask_key_by_value(s): records that are keys themselves (strings, numbers). */
#define rask_key_by_value(s) RASKI_KEY_BY_VALUE(RASKI_UNIQUE, s)
#define RASKI_KEY_BY_VALUE(v, s) __extension__({ \
    __auto_type v = (s); \
    _Static_assert(RASKI_IS_KEY(*v.rec), \
                   "rask_key_by_value: the records cannot be keys; use rask_key_by(s, field)"); \
    (__typeof__(*v.keyed)){.node = raski_key_by(v.node, (const rask_field[]){ \
        {"value", 0, sizeof *v.rec, RASKI_TYPE_OF(*v.rec), 0}}, 1, RASKI_HERE)}; })
/* rask_key_by_fn(s, fn): by a RASK_KEY function. */
#define rask_key_by_fn(s, fn) \
    ((__typeof__(raski_fn_##fn.out)){ \
        .node = raski_key_by_fn(raski_fn_##fn.key_takes(s), &raski_fn_##fn.base, RASKI_HERE)})

/* A keyed stream as a plain one, for operators without keyed state (map, filter, sinks, union):
 * each record still goes to the subtask of its key. Flink: a KeyedStream is a DataStream. */
#define rask_as_stream(keyed) RASKI_AS_STREAM(RASKI_UNIQUE, keyed)
#define RASKI_AS_STREAM(v, s) __extension__({ \
    __auto_type v = (s); \
    (void)sizeof(v.raski_needs_key_by); \
    (__typeof__(*v.stream)){.node = v.node}; })

/* ---------------------------------------------------------------- keyed aggregations */
/* rask_sum(keyed, field, options...): running results, one for each record (batch mode: one per key,
 * at the end). Sums wrap around as in Java. Other fields keep the first record's values (min_by,
 * max_by: those of the record that wins; of equals the first, with .last_on_tie the last). Strings
 * compare as in Java. Flink: KeyedStream.sum, min, max, minBy, maxBy. */
#define rask_sum(s, ...) RASKI_AGGREGATE(sum, SUM, NUMBER, "is not a number", s, __VA_ARGS__)
#define rask_min(s, ...) RASKI_AGGREGATE(min, MIN, BASIC, "cannot be compared", s, __VA_ARGS__)
#define rask_max(s, ...) RASKI_AGGREGATE(max, MAX, BASIC, "cannot be compared", s, __VA_ARGS__)
#define rask_min_by(s, ...) \
    RASKI_AGGREGATE(min_by, MIN_BY, BASIC, "cannot be compared", s, __VA_ARGS__)
#define rask_max_by(s, ...) \
    RASKI_AGGREGATE(max_by, MAX_BY, BASIC, "cannot be compared", s, __VA_ARGS__)
#define RASKI_AGGREGATE(name, AGG, IS, why, s, ...) \
    RASKI_AGG_(RASKI_UNIQUE, name, AGG, IS, why, s, RASKI_FIRST(__VA_ARGS__), __VA_ARGS__)
#define RASKI_AGG_(v, name, AGG, IS, why, s, f, ...) \
    RASKI_AGG_OF(v, name, AGG, IS, why, s, f, __VA_ARGS__)
#define RASKI_AGG_OF(v, name, AGG, IS, why, s, f, ...) __extension__({ \
    __auto_type v = (s); \
    (void)sizeof(v.raski_needs_key_by); \
    _Static_assert(RASKI_IS_##IS(RASKI_MEMBER(v, f)), "rask_" #name ": field '" #f "' " why); \
    (__typeof__(*v.stream)){.node = raski_add_aggregation(v.node, RASKI_AGG_##AGG, \
        (rask_field)RASKI_FIELD_OF(v, f), \
        (&(rask_options){.raski_first = sizeof((RASKI_REC(v) *)0)->__VA_ARGS__}), \
        sizeof(rask_options), RASKI_HERE)}; })

/* ---------------------------------------------------------------- partitioning */
/* How records get to the subtasks of the next operator. Without one: forward where both have the
 * same parallelism, else rebalance. Flink: the methods of DataStream of the same names.
 *   forward    to the subtask of the same number; both must have the same parallelism
 *   rebalance  in turn to all, from a random one
 *   rescale    in turn to some near ones: less connections than rebalance
 *   shuffle    to random ones
 *   global     all to subtask 0
 *   broadcast  each to all */
#define RASKI_REPARTITION(v, s, P) __extension__({ \
    __auto_type v = (s); \
    (__typeof__(*v.stream)){.node = raski_repartition(v.node, RASKI_REPARTITION_##P, RASKI_HERE)}; })
#define rask_forward(s) RASKI_REPARTITION(RASKI_UNIQUE, s, FORWARD)
#define rask_rebalance(s) RASKI_REPARTITION(RASKI_UNIQUE, s, REBALANCE)
#define rask_rescale(s) RASKI_REPARTITION(RASKI_UNIQUE, s, RESCALE)
#define rask_shuffle(s) RASKI_REPARTITION(RASKI_UNIQUE, s, SHUFFLE)
#define rask_global(s) RASKI_REPARTITION(RASKI_UNIQUE, s, GLOBAL)
#define rask_broadcast(s) RASKI_REPARTITION(RASKI_UNIQUE, s, BROADCAST)
/* rask_partition_custom(s, fn, field): by a RASK_PARTITIONER of the field's type. */
#define rask_partition_custom(s, fn, f) RASKI_CUSTOM(RASKI_UNIQUE, s, fn, f)
#define RASKI_CUSTOM(v, s, fn, f) __extension__({ \
    __auto_type v = (s); \
    (void)sizeof raski_fn_##fn.partitioner_takes(&RASKI_MEMBER(v, f)); \
    (__typeof__(*v.stream)){.node = raski_partition_custom(v.node, &raski_fn_##fn.base, \
        (rask_field)RASKI_FIELD_OF(v, f), RASKI_HERE)}; })

/* ---------------------------------------------------------------- sinks */
/* rask_sink(s, fn, options...): a RASK_SINK. Flink: sinkTo; rask_legacy_sink: addSink. */
#define rask_sink(s, ...) RASKI_SINK_OF(s, false, __VA_ARGS__)
#define rask_legacy_sink(s, ...) RASKI_SINK_OF(s, true, __VA_ARGS__)
#define RASKI_SINK_OF(s, legacy, ...) \
    raski_add_sink(RASKI_FN(__VA_ARGS__).sink_takes(s), &RASKI_FN(__VA_ARGS__).base, \
               RASKI_FN_OPTIONS(__VA_ARGS__), legacy, RASKI_HERE)
/* Sinks without a function take the stream first: rask_print(s, .name = "out"). */
/* Print each record in a line on standard output (rask_print_err: error); with several subtasks
 * "N> " stands before it (N from 1). When the reader of the output has gone, the job ends quietly with
 * exit code 141. Flink: DataStream.print, printToErr. */
#define rask_print(...) \
    raski_print((RASKI_FIRST(__VA_ARGS__)).node, false, RASKI_REST_OPTIONS(__VA_ARGS__), \
                RASKI_HERE)
#define rask_print_err(...) \
    raski_print((RASKI_FIRST(__VA_ARGS__)).node, true, RASKI_REST_OPTIONS(__VA_ARGS__), \
                RASKI_HERE)
/* rask_write_text(s, path, options...): a line per record. The file appears whole when the job
 * has finished, or not at all; with several subtasks path is a folder of files part-N. .append = true
 * writes at the end of the file instead, at once. Flink: FileSink. */
#define rask_write_text(s, ...) \
    raski_write_text((s).node, RASKI_FIRST(__VA_ARGS__), RASKI_REST_OPTIONS(__VA_ARGS__), \
                     RASKI_HERE)
/* rask_discard(s, options...): takes records and forgets them. Flink: DiscardingSink. */
#define rask_discard(...) \
    raski_discard((RASKI_FIRST(__VA_ARGS__)).node, RASKI_REST_OPTIONS(__VA_ARGS__), RASKI_HERE)

/* ---------------------------------------------------------------- results in the program */
/* Starts the job and hands its results to the program:
 *   rask_iterator(word_count) it = rask_execute_and_collect(counts, "WordCount");
 *   for (word_count r; rask_next(&it, &r);) ...
 *   return rask_close(&it);
 * rask_next waits for the next record; false: there is none, since the job has finished, failed or
 * was cancelled (rask_close tells which). A job that is faster than the program waits for it. A
 * record's strings live until the next rask_next. rask_close cancels a job that still runs, and
 * returns an exit code after printing the first error. Frees the environment. */
#define rask_execute_and_collect(s, job_name) RASKI_COLLECT_OF(RASKI_UNIQUE, s, job_name)
#define RASKI_COLLECT_OF(v, s, job_name) __extension__({ \
    __auto_type v = (s); \
    (__typeof__(*v.iterator)){.it = raski_collect(v.node, job_name, RASKI_HERE)}; })
#define rask_next(iterator, ret_record) \
    ((void)sizeof((iterator)->rec == (ret_record)), \
     raski_iterator_next((iterator)->it, (ret_record), sizeof *(ret_record)))
#define rask_close(iterator) raski_iterator_close((iterator)->it)
#endif /* !__cplusplus */
#endif
