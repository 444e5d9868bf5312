/* rask/window.h - windows: groups of records of one key and a stretch of time.
 *
 *   RASK_AGGREGATE(summary, reading, r, sums, s, minute) { s->sum += r.value; s->count++; }
 *   RASK_AGGREGATE_RESULT(summary, s) { return (minute){s->count, s->sum / (double)s->count}; }
 *   ...
 *   rask_windowed(reading) minutes =
 *       rask_window(rask_key_by(in, sensor), rask_tumbling_event_time(.size_ms = 60000));
 *   rask_print(rask_window_aggregate(minutes, summary, .uid = "minutes"));
 *
 * Results have the timestamp end - 1 of their window. Event-time windows need timestamps and
 * watermarks. A window is kept until the watermark passes its end plus the allowed lateness; what
 * comes after that is late. Mistakes (a size of zero, a trigger that cannot be merged on sessions)
 * are reported as those of other building calls. docs/windows.md tells more.
 * Flink: WindowedStream, AllWindowedStream, WindowAssigner, Trigger, Evictor. */
#ifndef RASK_WINDOW_H
#define RASK_WINDOW_H
#include "rask/detail/window_functions.h"
#include "rask/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- what windows are */
typedef enum raski_windows_kind {
    RASKI_WINDOWS_TUMBLING_EVENT_TIME = 1,
    RASKI_WINDOWS_TUMBLING_PROCESSING_TIME,
    RASKI_WINDOWS_SLIDING_EVENT_TIME,
    RASKI_WINDOWS_SLIDING_PROCESSING_TIME,
    RASKI_WINDOWS_SESSION_EVENT_TIME,
    RASKI_WINDOWS_SESSION_PROCESSING_TIME,
    RASKI_WINDOWS_DYNAMIC_SESSION_EVENT_TIME,
    RASKI_WINDOWS_DYNAMIC_SESSION_PROCESSING_TIME,
    RASKI_WINDOWS_GLOBAL,
    RASKI_WINDOWS_GLOBAL_END_OF_STREAM,
    RASKI_WINDOWS_COUNT,
} raski_windows_kind;

typedef enum raski_trigger_type {
    RASKI_TRIGGER_IS_EVENT_TIME = 1,
    RASKI_TRIGGER_IS_PROCESSING_TIME,
    RASKI_TRIGGER_IS_COUNT,
    RASKI_TRIGGER_IS_CONTINUOUS_EVENT_TIME,
    RASKI_TRIGGER_IS_CONTINUOUS_PROCESSING_TIME,
    RASKI_TRIGGER_IS_PURGING,
    RASKI_TRIGGER_IS_DELTA,
    RASKI_TRIGGER_IS_PROCESSING_TIMEOUT,
    RASKI_TRIGGER_IS_NEVER,
    RASKI_TRIGGER_IS_USER,
} raski_trigger_type;

/* When a window's function is called: made by the rask_..._trigger macros below. */
typedef struct rask_trigger {
    raski_trigger_type raski_type; /* 0: the windows' own */
    int64_t raski_number;          /* records, or milliseconds */
    double raski_threshold;
    const struct rask_trigger *raski_nested;
    const raski_fn *raski_function;
    bool reset_on_record; /* processing timeout: each record starts the time again */
    bool keep_on_timeout; /* processing timeout: does not clear the trigger inside when it fires */
} rask_trigger;

typedef enum raski_evictor_type {
    RASKI_EVICTOR_IS_COUNT = 1,
    RASKI_EVICTOR_IS_TIME,
    RASKI_EVICTOR_IS_DELTA,
} raski_evictor_type;

/* What is taken out of a window when it fires: made by the rask_..._evictor macros below. */
typedef struct rask_evictor {
    raski_evictor_type raski_type; /* 0: none */
    int64_t raski_number;
    double raski_threshold;
    const raski_fn *raski_function;
    bool after; /* after the window's function was called, instead of before */
} rask_evictor;

/* Windows and how they are treated: made by rask_tumbling_event_time(...) and the like. All fields
 * that they do not need must be left out. */
typedef struct rask_windows {
    raski_windows_kind raski_kind;
    int64_t size_ms;   /* tumbling and sliding: length, 1 or more */
    int64_t slide_ms;  /* sliding: a window starts each slide_ms, 1 or more */
    int64_t offset_ms; /* tumbling and sliding: windows start at offset_ms + n * size_ms (slide_ms) */
    int64_t gap_ms;    /* sessions: as long as no record comes, 1 or more */
    int64_t size;      /* count windows: records */
    int64_t slide;     /* count windows: a window fires each slide records; 0: each size records,
                        * which are then forgotten */
    const raski_fn *raski_gap;
    /* ---- options of all windows */
    rask_trigger trigger; /* instead of the windows' own: the end of the window */
    rask_evictor evictor;
    int64_t allowed_lateness_ms; /* event time: windows are kept so long after their end, and fire
                                  * again for each record that comes meanwhile */
    const raski_tag *late; /* event time: records that are late for all their windows go into this
                            * side output, .late = rask_late(tag); NULL: counted, and dropped */
} rask_windows;

RASK_API raski_stream *raski_add_window(raski_stream *, const rask_windows *, size_t,
                                    const rask_windows *options, bool all, const char *file,
                                    int line);
RASK_API raski_stream *raski_window_apply(raski_stream *, const raski_fn *incremental,
                                          const raski_fn *process, const rask_options *, size_t,
                                          const char *file, int line);
RASK_API raski_stream *raski_window_aggregation(raski_stream *, raski_aggregation, rask_field,
                                                const rask_options *, size_t, const char *file,
                                                int line);
RASK_API raski_stream *raski_window_join(raski_stream *, rask_field key, raski_stream *,
                                         rask_field key2, const rask_windows *, size_t,
                                         const raski_fn *, const rask_options *, size_t,
                                         const char *file, int line);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus
#define rask_windowed(T) rask_windowed_##T

/* ---------------------------------------------------------------- assigners */
#define RASKI_WINDOWS(KIND, ...) ((rask_windows){.raski_kind = RASKI_WINDOWS_##KIND, __VA_ARGS__})
/* Windows of one length, one behind the other: rask_tumbling_event_time(.size_ms = 5000). */
#define rask_tumbling_event_time(...) RASKI_WINDOWS(TUMBLING_EVENT_TIME, __VA_ARGS__)
#define rask_tumbling_processing_time(...) RASKI_WINDOWS(TUMBLING_PROCESSING_TIME, __VA_ARGS__)
/* Windows of one length that overlap (or leave gaps): (.size_ms = 5000, .slide_ms = 1000). */
#define rask_sliding_event_time(...) RASKI_WINDOWS(SLIDING_EVENT_TIME, __VA_ARGS__)
#define rask_sliding_processing_time(...) RASKI_WINDOWS(SLIDING_PROCESSING_TIME, __VA_ARGS__)
/* Records with less than a gap between them: (.gap_ms = 1000). */
#define rask_session_event_time(...) RASKI_WINDOWS(SESSION_EVENT_TIME, __VA_ARGS__)
#define rask_session_processing_time(...) RASKI_WINDOWS(SESSION_PROCESSING_TIME, __VA_ARGS__)
/* The same with a gap for each record: rask_dynamic_session_event_time(fn), a RASK_SESSION_GAP. */
#define rask_dynamic_session_event_time(...) \
    RASKI_DYNAMIC(DYNAMIC_SESSION_EVENT_TIME, RASKI_FIRST(__VA_ARGS__), RASKI_REST(__VA_ARGS__))
#define rask_dynamic_session_processing_time(...) \
    RASKI_DYNAMIC(DYNAMIC_SESSION_PROCESSING_TIME, RASKI_FIRST(__VA_ARGS__), \
                  RASKI_REST(__VA_ARGS__))
#define RASKI_DYNAMIC(KIND, fn, ...) \
    RASKI_WINDOWS(KIND, .raski_gap = ((void)sizeof RASKI_CAT(raski_fn_, fn).gap_takes, \
                                      &RASKI_CAT(raski_fn_, fn).base), __VA_ARGS__)
/* All records of a key in one window, which fires by its .trigger only. */
#define rask_global_windows(...) RASKI_WINDOWS(GLOBAL, __VA_ARGS__)
/* All records of a key in one window, which fires when all input has ended. */
#define rask_global_windows_at_end(...) RASKI_WINDOWS(GLOBAL_END_OF_STREAM, __VA_ARGS__)
/* So many records of a key: (.size = 3), or the last .size each .slide records. Flink: countWindow. */
#define rask_count_windows(...) RASKI_WINDOWS(COUNT, __VA_ARGS__)
/* .late = rask_late(tag): a RASK_SIDE_OUTPUT of the windows' record type. */
#define rask_late(tag) (&(tag).base)

/* rask_window(keyed, windows, options...): options are those of rask_windows, and may as well stand
 * there. Flink: KeyedStream.window. */
#define rask_window(s, ...) \
    RASKI_WINDOW(RASKI_UNIQUE, raski_needs_key_by, false, s, RASKI_FIRST(__VA_ARGS__), \
                 RASKI_REST(__VA_ARGS__))
/* The same over all records of a stream, whatever their key: one subtask. Flink: windowAll. */
#define rask_window_all(s, ...) \
    RASKI_WINDOW(RASKI_UNIQUE, keyed, true, s, RASKI_FIRST(__VA_ARGS__), RASKI_REST(__VA_ARGS__))
#define RASKI_WINDOW(v, member, all, s, windows_p, ...) __extension__({ \
    __auto_type v = (s); \
    (void)sizeof(v.member); \
    (__typeof__(*v.windowed)){.node = raski_add_window(v.node, (const rask_windows[]){windows_p}, \
        sizeof(rask_windows), &(rask_windows){.raski_kind = (raski_windows_kind)0, __VA_ARGS__}, \
        all, RASKI_HERE)}; })

/* ---------------------------------------------------------------- triggers and evictors */
#define RASKI_TRIGGER(TYPE, ...) ((rask_trigger){.raski_type = RASKI_TRIGGER_IS_##TYPE, __VA_ARGS__})
/* When the watermark, or the clock, passes the end of the window. */
#define rask_event_time_trigger() RASKI_TRIGGER(EVENT_TIME, .raski_number = 0)
#define rask_processing_time_trigger() RASKI_TRIGGER(PROCESSING_TIME, .raski_number = 0)
/* After each n records. */
#define rask_count_trigger(n) RASKI_TRIGGER(COUNT, .raski_number = (n))
/* Each interval, counted from time 0, and at the end of the window. */
#define rask_continuous_event_time_trigger(interval_ms) \
    RASKI_TRIGGER(CONTINUOUS_EVENT_TIME, .raski_number = (interval_ms))
#define rask_continuous_processing_time_trigger(interval_ms) \
    RASKI_TRIGGER(CONTINUOUS_PROCESSING_TIME, .raski_number = (interval_ms))
/* When another trigger fires; the records are forgotten then. (As with any compound literal, a trigger
 * with another one inside is good in the block that it is written in.) */
#define rask_purging_trigger(nested) \
    RASKI_TRIGGER(PURGING, .raski_nested = (const rask_trigger[]){nested})
/* When a RASK_DELTA of the record of the last firing and this one is greater than the threshold. */
#define rask_delta_trigger(fn, threshold) \
    RASKI_TRIGGER(DELTA, .raski_threshold = (threshold), .raski_function = RASKI_DELTA_OF(fn))
/* When another trigger fires, or the clock is timeout_ms after the first record of a firing:
 * rask_processing_timeout_trigger(nested, timeout_ms, .reset_on_record = true). */
#define rask_processing_timeout_trigger(nested, ...) \
    RASKI_TRIGGER(PROCESSING_TIMEOUT, .raski_nested = (const rask_trigger[]){nested}, \
                  .raski_number = (RASKI_FIRST(__VA_ARGS__)), RASKI_REST(__VA_ARGS__))
#define rask_never_trigger() RASKI_TRIGGER(NEVER, .raski_number = 0)
/* A RASK_TRIGGER. */
#define rask_user_trigger(fn) \
    RASKI_TRIGGER(USER, .raski_function = ((void)sizeof raski_fn_##fn.trigger_takes, \
                                           &raski_fn_##fn.base))
#define RASKI_DELTA_OF(fn) ((void)sizeof raski_fn_##fn.delta_takes, &raski_fn_##fn.base)

#define RASKI_EVICTOR(TYPE, ...) ((rask_evictor){.raski_type = RASKI_EVICTOR_IS_##TYPE, __VA_ARGS__})
/* Keeps the last n records. Evictors take .after = true as well. */
#define rask_count_evictor(...) \
    RASKI_EVICTOR(COUNT, .raski_number = (RASKI_FIRST(__VA_ARGS__)), RASKI_REST(__VA_ARGS__))
/* Keeps records that are less than size_ms older than the youngest one. */
#define rask_time_evictor(...) \
    RASKI_EVICTOR(TIME, .raski_number = (RASKI_FIRST(__VA_ARGS__)), RASKI_REST(__VA_ARGS__))
/* rask_delta_evictor(fn, threshold): takes out records whose RASK_DELTA to the last record of the
 * window is the threshold or more. */
#define rask_delta_evictor(fn, ...) \
    RASKI_EVICTOR(DELTA, .raski_function = RASKI_DELTA_OF(fn), \
                  .raski_threshold = (RASKI_FIRST(__VA_ARGS__)), RASKI_REST(__VA_ARGS__))

/* ---------------------------------------------------------------- functions on windows */
/* rask_window_reduce(w, fn, options...): a RASK_REDUCE; one result per firing. */
#define rask_window_reduce(w, ...) RASKI_WINDOW_REDUCE(RASKI_UNIQUE, w, __VA_ARGS__)
#define RASKI_WINDOW_REDUCE(v, w, ...) __extension__({ \
    __auto_type v = (w); \
    (void)sizeof(RASKI_FN(__VA_ARGS__).reduce_takes(*v.keyed)); \
    (__typeof__(RASKI_FN(__VA_ARGS__).out)){.node = raski_window_apply(v.node, \
        &RASKI_FN(__VA_ARGS__).base, NULL, RASKI_FN_OPTIONS(__VA_ARGS__), RASKI_HERE)}; })
/* rask_window_aggregate(w, fn, options...): a RASK_AGGREGATE. */
#define rask_window_aggregate(w, ...) \
    ((__typeof__(RASKI_FN(__VA_ARGS__).out)){ \
        .node = raski_window_apply(RASKI_FN(__VA_ARGS__).window_aggregate_takes(w), \
                                   &RASKI_FN(__VA_ARGS__).base, NULL, \
                                   RASKI_FN_OPTIONS(__VA_ARGS__), RASKI_HERE)})
/* rask_window_process(w, fn, options...): a RASK_WINDOW_PROCESS, with all records of the window. */
#define rask_window_process(w, ...) \
    ((__typeof__(RASKI_FN(__VA_ARGS__).out)){ \
        .node = raski_window_apply(RASKI_FN(__VA_ARGS__).window_process_takes(w), NULL, \
                                   &RASKI_FN(__VA_ARGS__).base, RASKI_FN_OPTIONS(__VA_ARGS__), \
                                   RASKI_HERE)})
/* rask_window_reduce_process(w, reduce_fn, process_fn, options...): records are reduced as they
 * come; the RASK_WINDOW_PROCESS gets the one result. */
#define rask_window_reduce_process(w, fn, ...) \
    RASKI_WINDOW_REDUCE_PROCESS(RASKI_UNIQUE, w, fn, __VA_ARGS__)
#define RASKI_WINDOW_REDUCE_PROCESS(v, w, fn, ...) __extension__({ \
    __auto_type v = (w); \
    (void)sizeof(raski_fn_##fn.reduce_takes(*v.keyed)); \
    (void)sizeof(RASKI_FN(__VA_ARGS__).window_process_takes(v)); \
    (__typeof__(RASKI_FN(__VA_ARGS__).out)){.node = raski_window_apply(v.node, \
        &raski_fn_##fn.base, &RASKI_FN(__VA_ARGS__).base, RASKI_FN_OPTIONS(__VA_ARGS__), \
        RASKI_HERE)}; })
/* rask_window_aggregate_process(w, aggregate_fn, process_fn, options...): the same; process_fn takes
 * elements of the aggregate's result type. */
#define rask_window_aggregate_process(w, fn, ...) \
    ((__typeof__(RASKI_FN(__VA_ARGS__).out)){ \
        .node = ((void)sizeof(RASKI_FN(__VA_ARGS__).window_process_takes( \
                     *raski_fn_##fn.out.windowed)), \
                 raski_window_apply(raski_fn_##fn.window_aggregate_takes(w), &raski_fn_##fn.base, \
                                    &RASKI_FN(__VA_ARGS__).base, RASKI_FN_OPTIONS(__VA_ARGS__), \
                                    RASKI_HERE))})
/* rask_window_sum(w, field, options...) and so on: as rask_sum, over the records of a window. */
#define rask_window_sum(w, ...) \
    RASKI_WINDOW_AGG(sum, SUM, NUMBER, "is not a number", w, __VA_ARGS__)
#define rask_window_min(w, ...) \
    RASKI_WINDOW_AGG(min, MIN, BASIC, "cannot be compared", w, __VA_ARGS__)
#define rask_window_max(w, ...) \
    RASKI_WINDOW_AGG(max, MAX, BASIC, "cannot be compared", w, __VA_ARGS__)
#define rask_window_min_by(w, ...) \
    RASKI_WINDOW_AGG(min_by, MIN_BY, BASIC, "cannot be compared", w, __VA_ARGS__)
#define rask_window_max_by(w, ...) \
    RASKI_WINDOW_AGG(max_by, MAX_BY, BASIC, "cannot be compared", w, __VA_ARGS__)
#define RASKI_WINDOW_AGG(name, AGG, IS, why, w, ...) \
    RASKI_WINDOW_AGG_(RASKI_UNIQUE, name, AGG, IS, why, w, RASKI_FIRST(__VA_ARGS__), __VA_ARGS__)
#define RASKI_WINDOW_AGG_(v, name, AGG, IS, why, w, f, ...) \
    RASKI_WINDOW_AGG_OF(v, name, AGG, IS, why, w, f, __VA_ARGS__)
#define RASKI_WINDOW_AGG_OF(v, name, AGG, IS, why, w, f, ...) __extension__({ \
    __auto_type v = (w); \
    (void)sizeof(v.raski_needs_window); \
    _Static_assert(RASKI_IS_##IS(RASKI_MEMBER(v, f)), \
                   "rask_window_" #name ": field '" #f "' " why); \
    (__typeof__(*v.stream)){.node = raski_window_aggregation(v.node, RASKI_AGG_##AGG, \
        (rask_field)RASKI_FIELD_OF(v, f), \
        (&(rask_options){.raski_first = sizeof((RASKI_REC(v) *)0)->__VA_ARGS__}), \
        sizeof(rask_options), RASKI_HERE)}; })

/* ---------------------------------------------------------------- defining them */
/* Adds a record to an accumulator, which starts zeroed: void fn(IN in, ACC *acc). ACC is a record
 * (RASK_TYPE) or a number. Behind it stands RASK_AGGREGATE_RESULT(fn, acc): OUT (const ACC *acc), and
 * for sessions RASK_AGGREGATE_MERGE(fn, into, from). Flink: AggregateFunction. */
#define RASK_AGGREGATE(fn, IN, in_p, ACC, acc_p, OUT) \
    RASKI_BODY void fn(IN in_p, ACC *acc_p); \
    typedef ACC raski_acc_##fn; \
    typedef OUT raski_outrec_##fn; \
    static OUT raski_result_##fn(const ACC *acc_); \
    RASKI_UNUSED static const raski_window_hook raski_merge_##fn; \
    static void raski_add_##fn(rask_ctx *ctx_, const void *in_, const uint32_t *indexes_, \
                               size_t n_, char *const *states_) { \
        const IN *RASKI_RESTRICT i_ = (const IN *)in_; \
        for (size_t k_ = 0; k_ < n_; k_++) { \
            ctx_->i = indexes_[k_]; \
            fn(i_[indexes_[k_]], (ACC *)(void *)states_[k_]); \
            if (RASKI_UNLIKELY(ctx_->failed)) return; \
        } \
    } \
    static void raski_results_##fn(rask_ctx *ctx_, char *const *states_, size_t n_, void *out_) { \
        OUT *RASKI_RESTRICT o_ = (OUT *)out_; \
        for (size_t k_ = 0; k_ < n_ && !ctx_->failed; k_++) \
            o_[k_] = raski_result_##fn((const ACC *)(const void *)states_[k_]); \
    } \
    RASKI_UNUSED static const raski_window_fn raski_window_fn_##fn = { \
        .state = &rask_type_##ACC, .add = raski_add_##fn, .result = raski_results_##fn, \
        .merge = &raski_merge_##fn}; \
    RASKI_OBJECT(fn, window_aggregate_takes, rask_windowed_##IN, OUT, \
                 .kind = RASKI_FN_WINDOW_AGGREGATE, .in = &rask_type_##IN, .out = &rask_type_##OUT, \
                 .window = &raski_window_fn_##fn) \
                 .window_aggregate_takes = raski_take_windowed_##IN}; \
    RASKI_BODY void fn(IN in_p, ACC *acc_p)
#define RASK_AGGREGATE_RESULT(fn, acc_p) \
    static raski_outrec_##fn raski_result_##fn(RASKI_UNUSED const raski_acc_##fn *acc_p)
/* Adds what another accumulator has: void (ACC *into, const ACC *from). */
#define RASK_AGGREGATE_MERGE(fn, into_p, from_p) \
    static void raski_merge_body_##fn(raski_acc_##fn *into_p, const raski_acc_##fn *from_p); \
    static void raski_merge_run_##fn(void *into_, const void *from_) { \
        raski_merge_body_##fn((raski_acc_##fn *)into_, (const raski_acc_##fn *)from_); \
    } \
    static const raski_window_hook raski_merge_##fn = {.merge = raski_merge_run_##fn}; \
    static void raski_merge_body_##fn(raski_acc_##fn *into_p, const raski_acc_##fn *from_p)

/* void fn(SELF *self, rask_list(IN) elements, out): called with the records of a window in the order
 * of their coming when it fires: elements.items[0 .. elements.count - 1]. Keyed state of SELF belongs
 * to the key (Flink: globalState); states that RASK_WINDOW_STATE lists belong to the key and window
 * (Flink: windowState; not for sessions, whose windows merge). Behind it may stand
 * RASK_WINDOW_CLEAR(fn, self, out), called when the window goes, to clear window states.
 * Flink: ProcessWindowFunction, WindowFunction. */
#define RASK_WINDOW_PROCESS(fn, SELF, self_p, IN, elements_p, OUT, out_p) \
    RASKI_BODY void fn(SELF *self_p, rask_list_##IN elements_p, rask_out_##OUT *out_p); \
    typedef OUT raski_outrec_##fn; \
    typedef rask_out_##OUT raski_out_##fn; \
    RASKI_HOOKS(fn, SELF) \
    RASKI_UNUSED static const raski_states raski_window_states_##SELF; \
    RASKI_UNUSED static const raski_window_hook raski_clear_##fn; \
    static size_t raski_fire_##fn(void *s_, const void *items_, uint32_t n_, rask_ctx *ctx_) { \
        rask_out_##OUT out_ = {ctx_, (OUT *)ctx_->buf, (OUT *)ctx_->buf + ctx_->cap}; \
        fn((SELF *)s_, (rask_list_##IN){.count = n_, .items = (const IN *)items_}, &out_); \
        return (size_t)(out_.cur - (OUT *)ctx_->buf); \
    } \
    RASKI_UNUSED static const raski_window_fn raski_window_fn_##fn = { \
        .window_states = &raski_window_states_##SELF, .fire = raski_fire_##fn, \
        .clear = &raski_clear_##fn}; \
    RASKI_OBJECT(fn, window_process_takes, rask_windowed_##IN, OUT, \
                 .kind = RASKI_FN_WINDOW_PROCESS, .in = &rask_type_##IN, .out = &rask_type_##OUT, \
                 .window = &raski_window_fn_##fn, RASKI_HOOKED(fn, SELF)) \
                 .window_process_takes = raski_take_windowed_##IN}; \
    RASKI_BODY void fn(RASKI_UNUSED SELF *self_p, rask_list_##IN elements_p, \
                       RASKI_UNUSED rask_out_##OUT *out_p)
#define RASK_WINDOW_CLEAR(fn, self_p, out_p) \
    static void raski_clear_body_##fn(raski_self_##fn *self_p, raski_out_##fn *out_p); \
    static size_t raski_clear_run_##fn(void *s_, rask_ctx *ctx_) { \
        raski_outrec_##fn *begin_ = (raski_outrec_##fn *)ctx_->buf; \
        raski_out_##fn out_ = {ctx_, begin_, begin_ + ctx_->cap}; \
        raski_clear_body_##fn((raski_self_##fn *)s_, &out_); \
        return (size_t)(out_.cur - (raski_outrec_##fn *)ctx_->buf); \
    } \
    static const raski_window_hook raski_clear_##fn = {.clear = raski_clear_run_##fn}; \
    static void raski_clear_body_##fn(RASKI_UNUSED raski_self_##fn *self_p, \
                                      RASKI_UNUSED raski_out_##fn *out_p)
/* States of an instance struct that a window has, beside RASK_STATE or RASK_INSTANCE; written alike. */
#define RASK_WINDOW_STATE(SELF, ...) \
    RASKI_EACH(RASKI_STATE_CHECK, SELF, __VA_ARGS__) \
    RASKI_UNUSED static const raski_state_field raski_window_state_fields_##SELF[] = { \
        RASKI_EACH(RASKI_STATE, SELF, __VA_ARGS__)}; \
    RASKI_UNUSED static const raski_states raski_window_states_##SELF = { \
        #SELF, sizeof(SELF), raski_window_state_fields_##SELF, RASKI_COUNT(__VA_ARGS__)}; \
    struct raski_semicolon

/* The window that a RASK_WINDOW_PROCESS (its clear, a join, a coGroup) works on, in milliseconds: its
 * first, the one behind its last, and its last. Flink: TimeWindow.getStart, getEnd, maxTimestamp. */
#define rask_window_start(out) (raski_current_window((out)->ctx).start_ms)
#define rask_window_end(out) (raski_current_window((out)->ctx).end_ms)
#define rask_window_max_timestamp(out) \
    ((int64_t)((uint64_t)raski_current_window((out)->ctx).end_ms - 1))

/* int64_t fn(IN in): the gap behind a record, ms, 1 or more. Flink: SessionWindowTimeGapExtractor. */
#define RASK_SESSION_GAP(fn, IN, in_p) \
    RASKI_BODY int64_t fn(IN in_p); \
    static void raski_gaps_##fn(const void *in_, size_t n_, void *gaps_) { \
        const IN *RASKI_RESTRICT i_ = (const IN *)in_; \
        int64_t *RASKI_RESTRICT o_ = (int64_t *)gaps_; \
        for (size_t k_ = 0; k_ < n_; k_++) o_[k_] = fn(i_[k_]); \
    } \
    RASKI_OBJECT(fn, gap_takes, rask_stream_##IN, int64_t, .kind = RASKI_FN_SESSION_GAP, \
                 .in = &rask_type_##IN, .out = &rask_type_int64_t, .select_keys = raski_gaps_##fn) \
                 .gap_takes = raski_take_##IN}; \
    RASKI_BODY int64_t fn(IN in_p)

/* double fn(T earlier, T later): how far apart two records are. Flink: DeltaFunction. */
#define RASK_DELTA(fn, T, earlier_p, later_p) \
    RASKI_BODY double fn(T earlier_p, T later_p); \
    static double raski_delta_##fn(const void *earlier_, const void *later_) { \
        return fn(*(const T *)earlier_, *(const T *)later_); \
    } \
    RASKI_UNUSED static const raski_window_fn raski_window_fn_##fn = {.delta = raski_delta_##fn}; \
    RASKI_OBJECT(fn, delta_takes, rask_stream_##T, double, .kind = RASKI_FN_DELTA, \
                 .in = &rask_type_##T, .out = &rask_type_double, .window = &raski_window_fn_##fn) \
                 .delta_takes = raski_take_##T}; \
    RASKI_BODY double fn(T earlier_p, T later_p)

/* rask_trigger_result fn(IN in, STATE *state, rask_trigger_context *trigger): asked for each record
 * that is added to a window; state belongs to key and window, starts zeroed, and is a record or a
 * number. Behind it may stand
 *   RASK_TRIGGER_ON_EVENT_TIME(fn, state, time_ms, trigger)       a timer has fired: what then?
 *   RASK_TRIGGER_ON_PROCESSING_TIME(fn, state, time_ms, trigger)
 *   RASK_TRIGGER_ON_MERGE(fn, into, from, trigger)    for sessions: adds another window's state
 *   RASK_TRIGGER_CLEAR(fn, state, trigger)            the window goes: delete timers
 * Flink: Trigger. */
#define RASK_TRIGGER(fn, IN, in_p, STATE, state_p, trigger_p) \
    RASKI_BODY rask_trigger_result fn(IN in_p, STATE *state_p, rask_trigger_context *trigger_p); \
    typedef STATE raski_state_##fn; \
    RASKI_UNUSED static const raski_window_hook raski_event_timer_##fn, \
        raski_processing_timer_##fn, raski_trigger_merge_##fn, raski_trigger_clear_##fn; \
    static rask_trigger_result raski_on_element_##fn(void *s_, const void *in_, \
                                                     rask_trigger_context *trigger_) { \
        return fn(*(const IN *)in_, (STATE *)s_, trigger_); \
    } \
    RASKI_UNUSED static const raski_window_fn raski_window_fn_##fn = { \
        .state = &rask_type_##STATE, .on_element = raski_on_element_##fn, \
        .event_timer = &raski_event_timer_##fn, .processing_timer = &raski_processing_timer_##fn, \
        .trigger_merge = &raski_trigger_merge_##fn, .trigger_clear = &raski_trigger_clear_##fn}; \
    RASKI_OBJECT(fn, trigger_takes, rask_stream_##IN, IN, .kind = RASKI_FN_TRIGGER, \
                 .in = &rask_type_##IN, .window = &raski_window_fn_##fn) \
                 .trigger_takes = raski_take_##IN}; \
    RASKI_BODY rask_trigger_result fn(IN in_p, RASKI_UNUSED STATE *state_p, \
                                      RASKI_UNUSED rask_trigger_context *trigger_p)
#define RASKI_TRIGGER_TIMER(fn, hook, state_p, time_p, trigger_p) \
    static rask_trigger_result raski_##hook##_body_##fn( \
        raski_state_##fn *state_p, int64_t time_p, rask_trigger_context *trigger_p); \
    static rask_trigger_result raski_##hook##_run_##fn(void *s_, int64_t time_, \
                                                       rask_trigger_context *trigger_) { \
        return raski_##hook##_body_##fn((raski_state_##fn *)s_, time_, trigger_); \
    } \
    static const raski_window_hook raski_##hook##_##fn = {.timer = raski_##hook##_run_##fn}; \
    static rask_trigger_result raski_##hook##_body_##fn( \
        RASKI_UNUSED raski_state_##fn *state_p, RASKI_UNUSED int64_t time_p, \
        RASKI_UNUSED rask_trigger_context *trigger_p)
#define RASK_TRIGGER_ON_EVENT_TIME(fn, state_p, time_p, trigger_p) \
    RASKI_TRIGGER_TIMER(fn, event_timer, state_p, time_p, trigger_p)
#define RASK_TRIGGER_ON_PROCESSING_TIME(fn, state_p, time_p, trigger_p) \
    RASKI_TRIGGER_TIMER(fn, processing_timer, state_p, time_p, trigger_p)
#define RASK_TRIGGER_ON_MERGE(fn, into_p, from_p, trigger_p) \
    static void raski_trigger_merge_body_##fn(raski_state_##fn *into_p, \
                                              const raski_state_##fn *from_p, \
                                              rask_trigger_context *trigger_p); \
    static void raski_trigger_merge_run_##fn(void *into_, const void *from_, \
                                             rask_trigger_context *trigger_) { \
        raski_trigger_merge_body_##fn((raski_state_##fn *)into_, (const raski_state_##fn *)from_, \
                                      trigger_); \
    } \
    static const raski_window_hook raski_trigger_merge_##fn = { \
        .trigger_merge = raski_trigger_merge_run_##fn}; \
    static void raski_trigger_merge_body_##fn(raski_state_##fn *into_p, \
                                              const raski_state_##fn *from_p, \
                                              RASKI_UNUSED rask_trigger_context *trigger_p)
#define RASK_TRIGGER_CLEAR(fn, state_p, trigger_p) \
    static void raski_trigger_clear_body_##fn(raski_state_##fn *state_p, \
                                              rask_trigger_context *trigger_p); \
    static void raski_trigger_clear_run_##fn(void *s_, rask_trigger_context *trigger_) { \
        raski_trigger_clear_body_##fn((raski_state_##fn *)s_, trigger_); \
    } \
    static const raski_window_hook raski_trigger_clear_##fn = { \
        .trigger_clear = raski_trigger_clear_run_##fn}; \
    static void raski_trigger_clear_body_##fn(RASKI_UNUSED raski_state_##fn *state_p, \
                                              RASKI_UNUSED rask_trigger_context *trigger_p)
/* In triggers: timers of the window; a second one of the same time is the same one. */
#define rask_trigger_register_event_timer(trigger, time_ms) \
    ((trigger)->raski_register_timer((trigger), (time_ms), false))
#define rask_trigger_register_processing_timer(trigger, time_ms) \
    ((trigger)->raski_register_timer((trigger), (time_ms), true))
#define rask_trigger_delete_event_timer(trigger, time_ms) \
    ((trigger)->raski_delete_timer((trigger), (time_ms), false))
#define rask_trigger_delete_processing_timer(trigger, time_ms) \
    ((trigger)->raski_delete_timer((trigger), (time_ms), true))

/* ---------------------------------------------------------------- joins by window */
/* void fn(IN1 left, IN2 right, out): called for each pair of records of both inputs that have the
 * same key and window. Flink: FlatJoinFunction. */
#define RASK_WINDOW_JOIN(fn, IN1, left_p, IN2, right_p, OUT, out_p) \
    RASKI_BODY void fn(IN1 left_p, IN2 right_p, rask_out_##OUT *out_p); \
    RASKI_FIRE_TWO(fn, IN1, IN2, OUT, \
        for (uint32_t k_ = 0; k_ < n_ && !ctx_->failed; k_++) \
            for (uint32_t l_ = 0; l_ < n2_ && !ctx_->failed; l_++) \
                fn(((const IN1 *)items_)[k_], ((const IN2 *)items2_)[l_], &out_)) \
    RASKI_JOIN_OBJECT(fn, RASKI_FN_WINDOW_JOIN, join_takes, IN1, IN2, OUT) \
    RASKI_BODY void fn(IN1 left_p, IN2 right_p, RASKI_UNUSED rask_out_##OUT *out_p)
/* void fn(rask_list(IN1) left, rask_list(IN2) right, out): called for each key and window that has
 * records of one of both inputs. Flink: CoGroupFunction. */
#define RASK_CO_GROUP(fn, IN1, left_p, IN2, right_p, OUT, out_p) \
    RASKI_BODY void fn(rask_list_##IN1 left_p, rask_list_##IN2 right_p, rask_out_##OUT *out_p); \
    RASKI_FIRE_TWO(fn, IN1, IN2, OUT, \
        fn((rask_list_##IN1){.count = n_, .items = (const IN1 *)items_}, \
           (rask_list_##IN2){.count = n2_, .items = (const IN2 *)items2_}, &out_)) \
    RASKI_JOIN_OBJECT(fn, RASKI_FN_CO_GROUP, co_group_takes, IN1, IN2, OUT) \
    RASKI_BODY void fn(rask_list_##IN1 left_p, rask_list_##IN2 right_p, \
                       RASKI_UNUSED rask_out_##OUT *out_p)
#define RASKI_FIRE_TWO(fn, IN1, IN2, OUT, ...) \
    static size_t raski_fire_##fn(void *s_, const void *items_, uint32_t n_, const void *items2_, \
                                  uint32_t n2_, rask_ctx *ctx_) { \
        (void)s_; \
        rask_out_##OUT out_ = {ctx_, (OUT *)ctx_->buf, (OUT *)ctx_->buf + ctx_->cap}; \
        __VA_ARGS__; \
        return (size_t)(out_.cur - (OUT *)ctx_->buf); \
    }
#define RASKI_JOIN_OBJECT(fn, KIND, takes, IN1, IN2, OUT) \
    RASKI_UNUSED static const raski_window_fn raski_window_fn_##fn = {.fire_two = raski_fire_##fn}; \
    RASKI_UNUSED static const struct { \
        raski_fn base; \
        raski_stream *(*takes)(rask_stream_##IN1); \
        raski_stream *(*second_takes)(rask_stream_##IN2); \
        rask_stream_##OUT out; \
    } raski_fn_##fn = {.base = {.abi = RASKI_FN_ABI, .size = sizeof(raski_fn), .name = #fn, \
                                .file = __FILE__, .line = __LINE__, .kind = KIND, \
                                .in = &rask_type_##IN1, .in2 = &rask_type_##IN2, \
                                .out = &rask_type_##OUT, .window = &raski_window_fn_##fn}, \
                       .takes = raski_take_##IN1, .second_takes = raski_take_##IN2};
/* rask_window_join(a, field_of_a, b, field_of_b, windows, fn, options...): records of two streams
 * whose fields are equal, in the same window, by a RASK_WINDOW_JOIN; windows as for rask_window
 * (no .late). Flink: a.join(b).where(...).equalTo(...).window(...).apply(...). */
#define rask_window_join(a, key_a, b, key_b, windows, ...) \
    RASKI_JOIN(RASKI_UNIQUE, RASKI_UNIQUE, join_takes, a, key_a, b, key_b, windows, __VA_ARGS__)
/* rask_co_group(a, field_of_a, b, field_of_b, windows, fn, options...): by a RASK_CO_GROUP.
 * Flink: coGroup. */
#define rask_co_group(a, key_a, b, key_b, windows, ...) \
    RASKI_JOIN(RASKI_UNIQUE, RASKI_UNIQUE, co_group_takes, a, key_a, b, key_b, windows, \
               __VA_ARGS__)
#define RASKI_JOIN(v1, v2, takes, a, key_a, b, key_b, windows_p, ...) __extension__({ \
    __auto_type v1 = (a); \
    __auto_type v2 = (b); \
    RASKI_KEYABLE(v1, key_a) \
    RASKI_KEYABLE(v2, key_b) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(RASKI_MEMBER(v1, key_a)), \
                                                __typeof__(RASKI_MEMBER(v2, key_b))), \
                   "fields '" #key_a "' and '" #key_b "' are not of the same type"); \
    (__typeof__(RASKI_FN(__VA_ARGS__).out)){ \
        .node = raski_window_join(RASKI_FN(__VA_ARGS__).takes(v1), \
            (rask_field)RASKI_FIELD_OF(v1, key_a), RASKI_FN(__VA_ARGS__).second_takes(v2), \
            (rask_field)RASKI_FIELD_OF(v2, key_b), (const rask_windows[]){windows_p}, \
            sizeof(rask_windows), &RASKI_FN(__VA_ARGS__).base, RASKI_FN_OPTIONS(__VA_ARGS__), \
            RASKI_HERE)}; })
#endif /* !__cplusplus */
#endif
