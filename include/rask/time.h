/* rask/time.h - event time: when things happened, and how far it is known to have come.
 *
 *   rask_stream(event) timed = rask_assign_timestamps(events, at, .max_out_of_orderness_ms = 5000);
 *
 * Every record gets a timestamp, and from time to time (pipeline.auto-watermark-interval, 200 ms) a
 * watermark W goes through the stream: no record with a timestamp of at most W is expected any
 * more. Windows and event-time timers wait for watermarks; the last one, at the end of the input,
 * is INT64_MAX. docs/event-time.md tells the whole story. All times are in milliseconds. Flink:
 * WatermarkStrategy, TimestampAssigner, WatermarkGenerator. */
#ifndef RASK_TIME_H
#define RASK_TIME_H
#include "rask/function.h"

#ifdef __cplusplus
extern "C" {
typedef struct raski_stream raski_stream;
#endif

/* ---------------------------------------------------------------- what options say (.timestamps)
 */
typedef enum raski_timestamps_kind {
    RASKI_TIMESTAMPS_NOT_SET, /* a source whose records have none */
    RASKI_TIMESTAMPS_FIELD,
    RASKI_TIMESTAMPS_FN,
    RASKI_TIMESTAMPS_OWN,
} raski_timestamps_kind;
typedef struct rask_timestamps {
    raski_timestamps_kind kind;
    const rask_type *type; /* of the records */
    rask_field field;
    const raski_fn *fn;
} rask_timestamps;
/* Option .watermarks: what to use instead of bounded out-of-orderness. */
typedef enum raski_watermarks_kind {
    RASKI_WATERMARKS_BY_BOUND,
    RASKI_WATERMARKS_OFF,
    RASKI_WATERMARKS_BY_FN,
} raski_watermarks_kind;
typedef struct rask_watermarks {
    raski_watermarks_kind kind;
    const raski_fn *fn;
    struct raski_init self;
} rask_watermarks;

/* Where a watermark generator puts its watermarks. */
typedef struct rask_watermark_out {
    rask_ctx *ctx;
    char *cur, *end; /* not used; so that sources and generators share their macros */
} rask_watermark_out;

/* ---------------------------------------------------------------- entry points of the macros */
struct rask_options;
RASK_API raski_stream *raski_assign_timestamps(raski_stream *, const rask_timestamps *,
                                               const struct rask_options *, size_t,
                                               const char *file, int line);
RASK_API void *raski_emit_watermark(rask_ctx *ctx, bool generator, size_t n, int64_t watermark_ms);
RASK_API void *raski_emit_status(rask_ctx *ctx, bool generator, size_t n, bool idle);
RASK_API RASKI_COLD_CALL bool raski_catch_up_stamps(rask_ctx *ctx, size_t n);

#ifndef __cplusplus
/* ---------------------------------------------------------------- functions */
/* int64_t fn(IN in, int64_t previous): the timestamp of a record; previous is the one that it has
 * so far, or RASK_NO_TIMESTAMP. Flink: TimestampAssigner. */
#define RASK_TIMESTAMPS(fn, IN, in_p, previous_p) \
    RASKI_BODY int64_t fn(IN in_p, int64_t previous_p); \
    static size_t raski_run_##fn(RASKI_UNUSED void *s_, const void *in_, size_t n_, \
                                 rask_ctx *ctx_) { \
        const IN *i_ = (const IN *)in_; \
        int64_t *const o_ = ctx_->ts_out; \
        for (size_t k_ = 0; k_ < n_; k_++) { \
            o_[k_] = fn(i_[k_], ctx_->ts[k_]); \
            if (RASKI_UNLIKELY(ctx_->failed)) return ctx_->i = k_; \
        } \
        return n_; \
    } \
    RASKI_UNUSED static const struct { \
        raski_fn base; \
        raski_stream *(*timestamps_takes)(rask_stream_##IN); \
        rask_stream_##IN out; \
    } raski_fn_##fn = {.base = {.abi = RASKI_FN_ABI, \
                                .size = sizeof(raski_fn), \
                                .name = #fn, \
                                .file = __FILE__, \
                                .line = __LINE__, \
                                .kind = RASKI_FN_TIMESTAMPS, \
                                .in = &rask_type_##IN, \
                                .run = raski_run_##fn}, \
                       .timestamps_takes = raski_take_##IN}; \
    RASKI_BODY int64_t fn(IN in_p, RASKI_UNUSED int64_t previous_p)

/* void fn(SELF *self, IN in, int64_t timestamp, out): sees each record, after it was handed on, and
 * may emit watermarks at once (rask_emit_watermark: punctuated ones, for instance).
 * RASK_ON_PERIODIC(fn, self, out), behind it, is called from time to time. SELF is a struct
 * declared with RASK_INSTANCE; each subtask, in sources each split, has an instance. Flink:
 * WatermarkGenerator.onEvent, onPeriodicEmit. */
#define RASK_WATERMARK_GENERATOR(fn, SELF, self_p, IN, in_p, timestamp_p, out_p) \
    RASKI_BODY void fn(SELF *self_p, IN in_p, int64_t timestamp_p, rask_watermark_out *out_p); \
    typedef SELF raski_self_##fn; \
    RASKI_UNUSED static const raski_hook raski_periodic_##fn; \
    static size_t raski_run_##fn(void *s_, const void *in_, size_t n_, rask_ctx *ctx_) { \
        const IN *i_ = (const IN *)in_; \
        rask_watermark_out out_ = {ctx_, NULL, NULL}; \
        for (size_t k_ = 0; k_ < n_; k_++) { \
            ctx_->i = k_; \
            fn((SELF *)s_, i_[k_], ctx_->ts[k_], &out_); \
            if (RASKI_UNLIKELY(ctx_->failed)) return k_; \
        } \
        return n_; \
    } \
    RASKI_UNUSED static const struct { \
        raski_fn base; \
        raski_stream *(*generator_takes)(rask_stream_##IN); \
    } raski_fn_##fn = {.base = {.abi = RASKI_FN_ABI, \
                                .size = sizeof(raski_fn), \
                                .name = #fn, \
                                .file = __FILE__, \
                                .line = __LINE__, \
                                .kind = RASKI_FN_WATERMARK_GENERATOR, \
                                .in = &rask_type_##IN, \
                                .run = raski_run_##fn, \
                                .self = &raski_states_##SELF, \
                                .periodic = &raski_periodic_##fn}, \
                       .generator_takes = raski_take_##IN}; \
    RASKI_BODY void fn(RASKI_UNUSED SELF *self_p, RASKI_UNUSED IN in_p, \
                       RASKI_UNUSED int64_t timestamp_p, RASKI_UNUSED rask_watermark_out *out_p)
#define RASK_ON_PERIODIC(fn, self_p, out_p) \
    static void raski_periodic_body_##fn(raski_self_##fn *self_p, rask_watermark_out *out_p); \
    static void raski_periodic_run_##fn(void *s_, rask_ctx *ctx_) { \
        rask_watermark_out out_ = {ctx_, NULL, NULL}; \
        raski_periodic_body_##fn((raski_self_##fn *)s_, &out_); \
    } \
    static const raski_hook raski_periodic_##fn = {.periodic = raski_periodic_run_##fn}; \
    static void raski_periodic_body_##fn(RASKI_UNUSED raski_self_##fn *self_p, \
                                         RASKI_UNUSED rask_watermark_out *out_p)

/* In the bodies of watermark generators and sources:
 *   rask_emit_watermark(out, ms)  event time has come to ms; one that is not higher than the last
 * is ignored, but the stream is active again rask_mark_idle(out)           nothing is to be
 * expected for a while: others need not wait rask_mark_active(out)         it goes on Flink:
 * WatermarkOutput. */
#define rask_emit_watermark(out, watermark_ms) \
    RASKI_TELL(out, raski_emit_watermark, (int64_t)(watermark_ms))
#define rask_mark_idle(out) RASKI_TELL(out, raski_emit_status, true)
#define rask_mark_active(out) RASKI_TELL(out, raski_emit_status, false)
#define RASKI_IS_GENERATOR(out) _Generic((out), rask_watermark_out * : true, default : false)
#define RASKI_TELL(out, f, value) \
    ((void)((out)->cur = \
                f((out)->ctx, RASKI_IS_GENERATOR(out), \
                  (size_t)((out)->cur - (__typeof__((out)->cur))(out)->ctx->buf), (value)), \
            (out)->end = (out)->cur + (out)->ctx->cap))

/* In sources with .timestamps = RASK_OWN_TIMESTAMPS: a record with its timestamp.
 * Flink: SourceOutput.collect(record, timestamp). */
#define rask_emit_at(out, timestamp_ms, ...) \
    ((void)__extension__({ \
        RASKI_ROOM(out); \
        __typeof__(*(out)->cur) raski_record_; \
        raski_record_ = (__VA_ARGS__); \
        raski_stamp_at((out)->ctx, (size_t)((out)->cur - (__typeof__((out)->cur))(out)->ctx->buf), \
                       (timestamp_ms)); \
        *(out)->cur++ = raski_record_; \
    }))
static inline void raski_stamp_at(rask_ctx *ctx, size_t n, int64_t timestamp_ms) {
    if (RASKI_UNLIKELY(ctx->stamped != n || ctx->ts_out == NULL) && !raski_catch_up_stamps(ctx, n))
        return;
    ctx->ts_out[n] = timestamp_ms;
    ctx->stamped = n + 1;
}

/* ---------------------------------------------------------------- strategies */
/* rask_assign_timestamps(s, field, options...): the field (an int64_t or a rask_timestamp) is the
 * timestamp. Watermarks stay .max_out_of_orderness_ms behind the highest timestamp so far (0, the
 * default: timestamps ascend), unless .watermarks says something else. With .idleness_ms a stream
 * without records for that long is idle. Flink: assignTimestampsAndWatermarks,
 * WatermarkStrategy.forBoundedOutOfOrderness, forMonotonousTimestamps, withIdleness. */
#define rask_assign_timestamps(s, ...) \
    RASKI_ASSIGN_(RASKI_UNIQUE, s, RASKI_FIRST(__VA_ARGS__), __VA_ARGS__)
#define RASKI_ASSIGN_(v, s, f, ...) RASKI_ASSIGN(v, s, f, __VA_ARGS__)
#define RASKI_ASSIGN(v, s, f, ...) \
    __extension__({ \
        __auto_type v = (s); \
        _Static_assert(RASKI_IS_TIME(RASKI_MEMBER(v, f)), \
                       "rask_assign_timestamps: field '" #f \
                       "' is not a time (an int64_t or a rask_timestamp can be one)"); \
        (__typeof__(*v.stream)){ \
            .node = raski_assign_timestamps( \
                v.node, \
                &(rask_timestamps){.kind = RASKI_TIMESTAMPS_FIELD, .field = RASKI_FIELD_OF(v, f)}, \
                (&(rask_options){.raski_first = sizeof((RASKI_REC(v) *)0)->__VA_ARGS__}), \
                sizeof(rask_options), RASKI_HERE)}; \
    })
#define RASKI_IS_TIME(x) _Generic((x), int64_t : 1, default : 0)
/* rask_assign_timestamps_fn(s, fn, options...): what a RASK_TIMESTAMPS function says. */
#define rask_assign_timestamps_fn(s, ...) \
    ((__typeof__(RASKI_FN(__VA_ARGS__).out)){ \
        .node = raski_assign_timestamps( \
            RASKI_FN(__VA_ARGS__).timestamps_takes(s), \
            &(rask_timestamps){.kind = RASKI_TIMESTAMPS_FN, .fn = &RASKI_FN(__VA_ARGS__).base}, \
            RASKI_FN_OPTIONS(__VA_ARGS__), RASKI_HERE)})
/* rask_assign_watermarks(s, options...): records keep the timestamps that they have; new watermarks
 * replace those that came. */
#define rask_assign_watermarks(...) \
    RASKI_ASSIGN_WATERMARKS(RASKI_UNIQUE, RASKI_FIRST(__VA_ARGS__), RASKI_REST_OPTIONS(__VA_ARGS__))
#define RASKI_ASSIGN_WATERMARKS(v, s, ...) RASKI_ASSIGN_WATERMARKS_(v, s, __VA_ARGS__)
#define RASKI_ASSIGN_WATERMARKS_(v, s, ...) \
    __extension__({ \
        __auto_type v = (s); \
        (__typeof__(*v.stream)){.node = raski_assign_timestamps( \
                                    v.node, &(rask_timestamps){.kind = RASKI_TIMESTAMPS_OWN}, \
                                    __VA_ARGS__, RASKI_HERE)}; \
    })

/* Sources have options for the same: watermarks are made for each split by itself, so that an old
 * and a new file, read together, are both in order.
 *   .timestamps = RASK_TIMESTAMP_FIELD(event, at)   the field
 *                 RASK_TIMESTAMP_FN(fn)             a RASK_TIMESTAMPS function
 *                 RASK_OWN_TIMESTAMPS               those that the source emits (rask_emit_at)
 * Flink: env.fromSource(source, strategy, name). */
#define RASK_TIMESTAMP_FIELD(T, f) \
    __extension__({ \
        _Static_assert(RASKI_IS_TIME(RASKI_AT(T, f)), \
                       "RASK_TIMESTAMP_FIELD: field '" #f \
                       "' is not a time (an int64_t or a rask_timestamp can be one)"); \
        (rask_timestamps){.kind = RASKI_TIMESTAMPS_FIELD, \
                          .type = &rask_type_##T, \
                          .field = {#f, offsetof(T, f), sizeof RASKI_AT(T, f), \
                                    RASKI_TYPE_OF(RASKI_AT(T, f)), 0}}; \
    })
#define RASK_TIMESTAMP_FN(f) \
    ((rask_timestamps){.kind = RASKI_TIMESTAMPS_FN, \
                       .fn = ((void)sizeof raski_fn_##f.timestamps_takes, &raski_fn_##f.base)})
#define RASK_OWN_TIMESTAMPS ((rask_timestamps){.kind = RASKI_TIMESTAMPS_OWN})
/*   .watermarks = RASK_WATERMARKS(fn)               a RASK_WATERMARK_GENERATOR
 *                 RASK_WATERMARKS(fn, RASK_SELF(...))  with an initial instance
 *                 RASK_NO_WATERMARKS                none but the last, and what a source emits */
#define RASK_WATERMARKS(...) \
    ((rask_watermarks){ \
        .kind = RASKI_WATERMARKS_BY_FN, \
        .fn = ((void)sizeof RASKI_FN(__VA_ARGS__).generator_takes, &RASKI_FN(__VA_ARGS__).base), \
        RASKI_REST(__VA_ARGS__)})
#define RASK_NO_WATERMARKS ((rask_watermarks){.kind = RASKI_WATERMARKS_OFF})
#endif /* !__cplusplus */
#ifdef __cplusplus
}
#endif
#endif
