/* rask/join.h - joins of two keyed streams in event time.
 *
 *   RASK_INTERVAL_JOIN(pair, order, o, payment, p, paid, out) {
 *       rask_emit(out, (paid){o.id, p.amount});
 *   }
 *   rask_stream(paid) both = rask_interval_join(rask_key_by(orders, id), rask_key_by(payments, id), pair,
 *                                               .lower_ms = -1000, .upper_ms = 60000);
 *
 * Window joins and coGroup are in rask/window.h. Flink: KeyedStream.intervalJoin, ProcessJoinFunction. */
#ifndef RASK_JOIN_H
#define RASK_JOIN_H
#include "rask/stream.h"

#ifdef __cplusplus
extern "C" {
#endif
RASK_API raski_stream *raski_interval_join(raski_stream *, raski_stream *, const raski_fn *,
                                           const rask_options *, size_t, const char *file,
                                           int line);
RASK_API int64_t raski_join_timestamp(const rask_ctx *ctx, unsigned input);
#ifdef __cplusplus
}
#endif

#ifndef __cplusplus
/* void fn(LEFT left, RIGHT right, out): called for each pair of records of one key whose timestamps
 * satisfy left + lower <= right <= left + upper. What it emits carries the later of both timestamps.
 */
#define RASK_INTERVAL_JOIN(fn, LEFT, left_p, RIGHT, right_p, OUT, out_p) \
    RASKI_BODY void fn(LEFT left_p, RIGHT right_p, rask_out_##OUT *out_p); \
    static size_t raski_join_##fn(const void *left_, const void *right_, size_t n_, \
                                  size_t left_stride_, size_t right_stride_, rask_ctx *ctx_) { \
        rask_out_##OUT out_ = {ctx_, (OUT *)ctx_->buf, (OUT *)ctx_->buf + ctx_->cap}; \
        const char *l_ = (const char *)left_, *r_ = (const char *)right_; \
        for (size_t k_ = 0; k_ < n_ && !ctx_->failed; k_++) { \
            ctx_->i = k_; \
            fn(*(const LEFT *)(const void *)l_, *(const RIGHT *)(const void *)r_, &out_); \
            raski_stamp(ctx_, (size_t)(out_.cur - (OUT *)ctx_->buf)); \
            l_ += left_stride_; \
            r_ += right_stride_; \
        } \
        return (size_t)(out_.cur - (OUT *)ctx_->buf); \
    } \
    RASKI_UNUSED static const struct { \
        raski_fn base; \
        raski_stream *(*left_takes)(rask_keyed_##LEFT); \
        raski_stream *(*right_takes)(rask_keyed_##RIGHT); \
        rask_stream_##OUT out; \
    } raski_fn_##fn = {.base = {.abi = RASKI_FN_ABI, .size = sizeof(raski_fn), .name = #fn, \
                                .file = __FILE__, .line = __LINE__, \
                                .kind = RASKI_FN_INTERVAL_JOIN, .in = &rask_type_##LEFT, \
                                .in2 = &rask_type_##RIGHT, .out = &rask_type_##OUT, \
                                .join = raski_join_##fn}, \
                       .left_takes = raski_take_keyed_##LEFT, \
                       .right_takes = raski_take_keyed_##RIGHT}; \
    RASKI_BODY void fn(LEFT left_p, RIGHT right_p, rask_out_##OUT *out_p)
/* Timestamps of the records of the pair. Flink: Context.getLeftTimestamp, getRightTimestamp;
 * rask_timestamp(out) is the later one. */
#define rask_left_timestamp(out) raski_join_timestamp((out)->ctx, 0)
#define rask_right_timestamp(out) raski_join_timestamp((out)->ctx, 1)

/* rask_interval_join(left, right, fn, options...). Options: .lower_ms and .upper_ms (of the right
 * record's timestamp minus the left one's; both included, unless .lower_exclusive,
 * .upper_exclusive); .left_late and .right_late = rask_late(tag): side outputs for records that are
 * behind the watermark, which are dropped otherwise. Records need timestamps. */
#define rask_interval_join(left, right, ...) \
    ((__typeof__(RASKI_FN(__VA_ARGS__).out)){ \
        .node = raski_interval_join(RASKI_FN(__VA_ARGS__).left_takes(left), \
                                    RASKI_FN(__VA_ARGS__).right_takes(right), \
                                    &RASKI_FN(__VA_ARGS__).base, RASKI_FN_OPTIONS(__VA_ARGS__), \
                                    RASKI_HERE)})
#endif /* !__cplusplus */
#endif
