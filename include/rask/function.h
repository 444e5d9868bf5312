/* rask/function.h - defines the functions of a program.
 *
 *   RASK_MAP(twice, int64_t, n, int64_t) { return n * 2; }
 *
 * The body is an ordinary function with the name that you give (call it in a unit test, break on
 * it in a debugger); a loop over a batch of records is generated around it, into which the
 * compiler inlines it. Records are handed over by value and are yours to change; strings in them
 * are borrowed until the function returns. Every macro stands at file scope.
 *
 * Functions with an instance take SELF, your struct, one per subtask (declared with RASK_INSTANCE,
 * or with RASK_STATE if it has keyed state), reached through the parameter named self_p:
 *   RASK_OPEN(fn, self)   before the first record: return RASK_OK or rask_fail(...)
 *   RASK_FINISH(fn, self) after the last record of a bounded input (not when it failed)
 *   RASK_CLOSE(fn, self)  always, if open was called: return RASK_OK or rask_fail(...)
 * These stand after the function that they belong to. */
#ifndef RASK_FUNCTION_H
#define RASK_FUNCTION_H
#include "rask/state.h"

#ifndef __cplusplus
#ifdef __OPTIMIZE__ /* at -O0 bodies stay functions that one can step into */
#define RASKI_BODY RASKI_UNUSED static inline __attribute__((always_inline))
#else
#define RASKI_BODY RASKI_UNUSED static
#endif
/* Keeps a loop over large records from being vectorised: gathering fields that lie far apart costs
 * more than it saves. */
#define RASKI_SCALAR(T) \
    do { \
        if (sizeof(T) > 16) __asm__ volatile(""); \
    } while (0)
/* Small bodies: what the loop itself does would be a quarter of the work. */
#ifdef __clang__
#define RASKI_UNROLL _Pragma("clang loop unroll_count(4)")
#else
#define RASKI_UNROLL _Pragma("GCC unroll 4")
#endif
#define RASKI_LOOP static inline __attribute__((always_inline))

/* The function object of fn: what it takes and gives, checked by the compiler where it is used. */
#define RASKI_OBJECT(fn, takes_kind, takes_t, OUT, ...) \
    RASKI_UNUSED static const struct { \
        raski_fn base; \
        raski_stream *(*takes_kind)(takes_t); \
        rask_stream_##OUT out; \
    } raski_fn_##fn = {.base = {.abi = RASKI_FN_ABI, \
                                .size = sizeof(raski_fn), \
                                .name = #fn, \
                                .file = __FILE__, \
                                .line = __LINE__, \
                                __VA_ARGS__},

/* ---------------------------------------------------------------- one record in, one out */
#define RASKI_MAP_LOOPS(fn, IN, OUT, self_, call) \
    RASKI_LOOP size_t raski_loop_##fn(RASKI_UNUSED void *s_, const IN *RASKI_RESTRICT i_, \
                                      OUT *RASKI_RESTRICT o_, size_t n_, \
                                      rask_ctx *RASKI_RESTRICT ctx_) { \
        for (size_t k_ = 0; k_ < n_; k_++) { \
            o_[k_] = call; \
            if (RASKI_UNLIKELY(ctx_->failed)) return ctx_->i = k_; \
        } \
        return n_; \
    } \
    static size_t raski_run_##fn(void *s_, const void *in_, size_t n_, rask_ctx *ctx_) { \
        return raski_loop_##fn(s_, (const IN *)in_, (OUT *)ctx_->buf, n_, ctx_); \
    } \
    RASKI_UNUSED static size_t raski_in_place_##fn(RASKI_UNUSED void *s_, void *io_, size_t n_, \
                                                   rask_ctx *ctx_) { \
        IN *i_ = (IN *)io_; \
        OUT *o_ = (OUT *)io_; \
        RASKI_UNROLL for (size_t k_ = 0; k_ < n_; k_++) { \
            RASKI_SCALAR(IN); \
            o_[k_] = call; \
            if (RASKI_UNLIKELY(ctx_->failed)) return ctx_->i = k_; \
        } \
        return n_; \
    }
#define RASKI_MAP_OBJECT(fn, IN, OUT, ...) \
    RASKI_OBJECT( \
        fn, map_takes, rask_stream_##IN, OUT, .kind = RASKI_FN_MAP, .in = &rask_type_##IN, \
        .out = &rask_type_##OUT, .run = raski_run_##fn, \
        .run_in_place = __builtin_types_compatible_p(IN, OUT) ? raski_in_place_##fn : NULL, \
        __VA_ARGS__) \
        .map_takes = raski_take_##IN \
    } \
    ;

/* OUT fn(IN in): one record for each. Flink: MapFunction. */
#define RASK_MAP(fn, IN, in_p, OUT) \
    RASKI_BODY OUT fn(IN in_p); \
    RASKI_MAP_LOOPS(fn, IN, OUT, , fn(i_[k_])) \
    RASKI_MAP_OBJECT(fn, IN, OUT, ) \
    RASKI_BODY OUT fn(IN in_p)
/* The same with an instance. Flink: RichMapFunction. */
#define RASK_RICH_MAP(fn, SELF, self_p, IN, in_p, OUT) \
    RASKI_BODY OUT fn(SELF *self_p, IN in_p); \
    RASKI_HOOKS(fn, SELF) \
    RASKI_MAP_LOOPS(fn, IN, OUT, , fn((SELF *)s_, i_[k_])) \
    RASKI_MAP_OBJECT(fn, IN, OUT, RASKI_HOOKED(fn, SELF)) \
    RASKI_BODY OUT fn(SELF *self_p, IN in_p)
/* Makes an existing function OUT f(IN) usable as a map. */
#define RASK_MAP_FN(f, IN, OUT) \
    RASKI_MAP_LOOPS(f, IN, OUT, , f(i_[k_])) \
    RASKI_MAP_OBJECT(f, IN, OUT, ) \
    struct raski_semicolon
/* void fn(const IN *in, size_t n, OUT *out): a whole batch at once, for hand-written SIMD. */
#define RASK_BATCH_MAP(fn, IN, in_p, n_p, OUT, out_p) \
    RASKI_UNUSED static void fn(const IN *RASKI_RESTRICT in_p, size_t n_p, \
                                OUT *RASKI_RESTRICT out_p); \
    static size_t raski_run_##fn(RASKI_UNUSED void *s_, const void *in_, size_t n_, \
                                 rask_ctx *ctx_) { \
        fn((const IN *)in_, n_, (OUT *)ctx_->buf); \
        return n_; \
    } \
    RASKI_OBJECT(fn, map_takes, rask_stream_##IN, OUT, .kind = RASKI_FN_MAP, \
                 .in = &rask_type_##IN, .out = &rask_type_##OUT, .run = raski_run_##fn) \
        .map_takes = raski_take_##IN \
    } \
    ; \
    RASKI_UNUSED static void fn(const IN *RASKI_RESTRICT in_p, size_t n_p, \
                                OUT *RASKI_RESTRICT out_p)

/* ---------------------------------------------------------------- filter */
#define RASKI_FILTER_LOOP(IN, ts_statement, call) \
    for (size_t k_ = 0; k_ < n_; k_++) { \
        bool keep_ = call; \
        if (RASKI_UNLIKELY(ctx_->failed)) { \
            ctx_->i = k_; \
            return m_; \
        } \
        o_[m_] = i_[k_]; \
        ts_statement; \
        m_ += keep_; \
    }
#define RASKI_FILTER_LOOPS(fn, IN, call) \
    RASKI_LOOP size_t raski_loop_##fn(RASKI_UNUSED void *s_, const IN *i_, IN *o_, size_t n_, \
                                      rask_ctx *RASKI_RESTRICT ctx_) { \
        size_t m_ = 0; \
        if (ctx_->ts) { \
            RASKI_FILTER_LOOP(IN, ctx_->ts_out[m_] = ctx_->ts[k_], call) \
            ctx_->stamped = m_; \
        } else { \
            RASKI_FILTER_LOOP(IN, (void)0, call) \
        } \
        return m_; \
    } \
    static size_t raski_run_##fn(void *s_, const void *in_, size_t n_, rask_ctx *ctx_) { \
        const IN *RASKI_RESTRICT i_ = (const IN *)in_; \
        IN *RASKI_RESTRICT o_ = (IN *)ctx_->buf; \
        return raski_loop_##fn(s_, i_, o_, n_, ctx_); \
    } \
    static size_t raski_in_place_##fn(void *s_, void *io_, size_t n_, rask_ctx *ctx_) { \
        return raski_loop_##fn(s_, (const IN *)io_, (IN *)io_, n_, ctx_); \
    }
#define RASKI_FILTER_OBJECT(fn, IN, ...) \
    RASKI_OBJECT(fn, filter_takes, rask_stream_##IN, IN, .kind = RASKI_FN_FILTER, \
                 .in = &rask_type_##IN, .out = &rask_type_##IN, .run = raski_run_##fn, \
                 .run_in_place = raski_in_place_##fn, __VA_ARGS__) \
        .filter_takes = raski_take_##IN \
    } \
    ;
/* bool fn(IN in): keeps the records for which it is true. Flink: FilterFunction. */
#define RASK_FILTER(fn, IN, in_p) \
    RASKI_BODY bool fn(IN in_p); \
    RASKI_FILTER_LOOPS(fn, IN, fn(i_[k_])) \
    RASKI_FILTER_OBJECT(fn, IN, ) \
    RASKI_BODY bool fn(IN in_p)
/* The same with an instance. Flink: RichFilterFunction. */
#define RASK_RICH_FILTER(fn, SELF, self_p, IN, in_p) \
    RASKI_BODY bool fn(SELF *self_p, IN in_p); \
    RASKI_HOOKS(fn, SELF) \
    RASKI_FILTER_LOOPS(fn, IN, fn((SELF *)s_, i_[k_])) \
    RASKI_FILTER_OBJECT(fn, IN, RASKI_HOOKED(fn, SELF)) \
    RASKI_BODY bool fn(SELF *self_p, IN in_p)

/* ---------------------------------------------------------------- any number of records out */
/* out_ is a local that never escapes, so its cursor lives in a register. ctx_->i says which record
 * it is when somebody asks: keyed state at each, otherwise after a failure; a store per record
 * would cost as much as a small function. */
#define RASKI_EMIT_LOOP(name, IN, OUT, keyed, call) \
    RASKI_LOOP size_t name##_loop(RASKI_UNUSED void *s_, const IN *RASKI_RESTRICT i_, size_t n_, \
                                  rask_ctx *ctx_) { \
        rask_out_##OUT out_ = {ctx_, (OUT *)ctx_->buf, (OUT *)ctx_->buf + ctx_->cap}; \
        const bool stamps_ = ctx_->ts != NULL; \
        for (size_t k_ = 0; k_ < n_; k_++) { \
            if ((keyed) || RASKI_UNLIKELY(stamps_)) ctx_->i = k_; \
            call; \
            if (RASKI_UNLIKELY(stamps_)) raski_stamp(ctx_, (size_t)(out_.cur - (OUT *)ctx_->buf)); \
            if (RASKI_UNLIKELY(ctx_->failed)) { \
                ctx_->i = k_; \
                break; \
            } \
        } \
        return (size_t)(out_.cur - (OUT *)ctx_->buf); \
    } \
    static size_t name(void *s_, const void *in_, size_t n_, rask_ctx *ctx_) { \
        return name##_loop(s_, (const IN *)in_, n_, ctx_); \
    }
/* void fn(IN in, out): rask_emit(out, record) as often as you like. Flink: FlatMapFunction. */
#define RASK_FLAT_MAP(fn, IN, in_p, OUT, out_p) \
    RASKI_BODY void fn(IN in_p, rask_out_##OUT *out_p); \
    RASKI_EMIT_LOOP(raski_run_##fn, IN, OUT, false, fn(i_[k_], &out_)) \
    RASKI_OBJECT(fn, flat_map_takes, rask_stream_##IN, OUT, .kind = RASKI_FN_FLAT_MAP, \
                 .in = &rask_type_##IN, .out = &rask_type_##OUT, .run = raski_run_##fn) \
        .flat_map_takes = raski_take_##IN \
    } \
    ; \
    RASKI_BODY void fn(IN in_p, rask_out_##OUT *out_p)
#define RASKI_WITH_INSTANCE(fn, takes, KIND, handle, take, SELF, self_p, IN, in_p, OUT, out_p) \
    RASKI_BODY void fn(SELF *self_p, IN in_p, rask_out_##OUT *out_p); \
    typedef OUT raski_outrec_##fn; \
    typedef rask_out_##OUT raski_out_##fn; \
    RASKI_HOOKS(fn, SELF) \
    RASKI_EMIT_LOOP(raski_run_##fn, IN, OUT, (KIND) == RASKI_FN_KEYED_PROCESS, \
                    fn((SELF *)s_, i_[k_], &out_)) \
    RASKI_OBJECT(fn, takes, handle, OUT, .kind = KIND, .in = &rask_type_##IN, \
                 .out = &rask_type_##OUT, .run = raski_run_##fn, RASKI_HOOKED(fn, SELF)) \
        .takes = take \
    } \
    ; \
    RASKI_BODY void fn(SELF *self_p, IN in_p, rask_out_##OUT *out_p)
/* A flat map with an instance. Flink: RichFlatMapFunction. */
#define RASK_RICH_FLAT_MAP(fn, SELF, self_p, IN, in_p, OUT, out_p) \
    RASKI_WITH_INSTANCE(fn, flat_map_takes, RASKI_FN_FLAT_MAP, rask_stream_##IN, raski_take_##IN, \
                        SELF, self_p, IN, in_p, OUT, out_p)
/* As a flat map with an instance, and with rask_emit_side. Flink: ProcessFunction. */
#define RASK_PROCESS(fn, SELF, self_p, IN, in_p, OUT, out_p) \
    RASKI_WITH_INSTANCE(fn, process_takes, RASKI_FN_PROCESS, rask_stream_##IN, raski_take_##IN, \
                        SELF, self_p, IN, in_p, OUT, out_p)
/* On a keyed stream, with keyed state (rask_value fields of SELF). Flink: KeyedProcessFunction. */
#define RASK_KEYED_PROCESS(fn, SELF, self_p, IN, in_p, OUT, out_p) \
    RASKI_WITH_INSTANCE(fn, process_takes, RASKI_FN_KEYED_PROCESS, rask_keyed_##IN, \
                        raski_take_keyed_##IN, SELF, self_p, IN, in_p, OUT, out_p)

/* ---------------------------------------------------------------- reduce on a keyed stream */
/* T fn(T a, T b), on a keyed stream: a is what was reduced so far, b the new record; emits the
 * result each time (in batch mode once per key, at the end). Flink: ReduceFunction. */
#define RASK_REDUCE(fn, T, a_p, b_p) \
    RASKI_BODY T fn(T a_p, T b_p); \
    static void raski_reduce_##fn(void *ctx_p_, const void *in_, size_t n_, char *const *states_, \
                                  uint64_t first_, void *out_) { \
        rask_ctx *ctx_ = (rask_ctx *)ctx_p_; \
        const T *RASKI_RESTRICT i_ = (const T *)in_; \
        T *RASKI_RESTRICT o_ = (T *)out_; \
        const size_t base_ = ctx_->i; \
        for (size_t k_ = 0; k_ < n_; k_++) { \
            T *state_ = (T *)(void *)states_[k_]; \
            T new_ = i_[k_]; \
            if (!(first_ >> k_ & 1U)) { \
                ctx_->i = base_ + k_; \
                new_ = fn(*state_, i_[k_]); \
                if (RASKI_UNLIKELY(ctx_->failed)) return; \
            } \
            *state_ = new_; \
            if (o_) o_[k_] = new_; \
        } \
        ctx_->i = base_ + n_; \
    } \
    RASKI_OBJECT(fn, reduce_takes, rask_keyed_##T, T, .kind = RASKI_FN_REDUCE, \
                 .in = &rask_type_##T, .out = &rask_type_##T, .reduce = raski_reduce_##fn) \
        .reduce_takes = raski_take_keyed_##T \
    } \
    ; \
    RASKI_BODY T fn(T a_p, T b_p)

/* ---------------------------------------------------------------- two inputs */
#define RASKI_CO_OBJECT(fn, KIND, IN1, IN2, handle, take, OUT, ...) \
    RASKI_UNUSED static const struct { \
        raski_fn base; \
        raski_stream *(*connect_takes)(rask_##handle##_##IN1); \
        raski_stream *(*second_takes)(rask_##handle##_##IN2); \
        rask_stream_##OUT out; \
    } raski_fn_##fn = {.base = {.abi = RASKI_FN_ABI, \
                                .size = sizeof(raski_fn), \
                                .name = #fn, \
                                .file = __FILE__, \
                                .line = __LINE__, \
                                .kind = KIND, \
                                .in = &rask_type_##IN1, \
                                .in2 = &rask_type_##IN2, \
                                .out = &rask_type_##OUT, \
                                .run = raski_run_##fn, \
                                .run2 = raski_run2_##fn, \
                                __VA_ARGS__}, \
                       .connect_takes = take##IN1, \
                       .second_takes = take##IN2};
/* OUT fn(IN1 in), and RASK_SECOND_MAP(fn, in) for records of the second input. Flink:
 * CoMapFunction. */
#define RASK_CO_MAP(fn, IN1, in_p, IN2, OUT) \
    RASKI_BODY OUT fn(IN1 in_p); \
    static OUT raski_second_##fn(IN2 in_); \
    typedef IN2 raski_in2_##fn; \
    typedef OUT raski_outrec_##fn; \
    RASKI_EMIT_LOOP(raski_run_##fn, IN1, OUT, false, rask_emit(&out_, fn(i_[k_]))) \
    RASKI_EMIT_LOOP(raski_run2_##fn, IN2, OUT, false, rask_emit(&out_, raski_second_##fn(i_[k_]))) \
    RASKI_CO_OBJECT(fn, RASKI_FN_CO_MAP, IN1, IN2, stream, raski_take_, OUT) \
    RASKI_BODY OUT fn(IN1 in_p)
#define RASK_SECOND_MAP(fn, in_p) static raski_outrec_##fn raski_second_##fn(raski_in2_##fn in_p)
#define RASKI_CO_EMIT(fn, KIND, IN1, in_p, IN2, OUT, out_p) \
    RASKI_BODY void fn(IN1 in_p, rask_out_##OUT *out_p); \
    static void raski_second_##fn(IN2 in_, rask_out_##OUT *out_p); \
    typedef IN2 raski_in2_##fn; \
    typedef rask_out_##OUT raski_out_##fn; \
    RASKI_EMIT_LOOP(raski_run_##fn, IN1, OUT, false, fn(i_[k_], &out_)) \
    RASKI_EMIT_LOOP(raski_run2_##fn, IN2, OUT, false, raski_second_##fn(i_[k_], &out_)) \
    RASKI_CO_OBJECT(fn, KIND, IN1, IN2, stream, raski_take_, OUT)
/* void fn(IN1 in, out), and RASK_SECOND_FLAT_MAP(fn, in, out). Flink: CoFlatMapFunction. */
#define RASK_CO_FLAT_MAP(fn, IN1, in_p, IN2, OUT, out_p) \
    RASKI_CO_EMIT(fn, RASKI_FN_CO_FLAT_MAP, IN1, in_p, IN2, OUT, out_p) \
    RASKI_BODY void fn(IN1 in_p, rask_out_##OUT *out_p)
#define RASK_SECOND_FLAT_MAP(fn, in_p, out_p) \
    static void raski_second_##fn(raski_in2_##fn in_p, RASKI_UNUSED raski_out_##fn *out_p)
#define RASKI_CO_PROCESS_(fn, KIND, handle, take, SELF, self_p, IN1, in_p, IN2, OUT, out_p) \
    RASKI_BODY void fn(SELF *self_p, IN1 in_p, rask_out_##OUT *out_p); \
    static void raski_second_##fn(SELF *self_p, IN2 in_, rask_out_##OUT *out_p); \
    typedef IN2 raski_in2_##fn; \
    typedef OUT raski_outrec_##fn; \
    typedef rask_out_##OUT raski_out_##fn; \
    RASKI_HOOKS(fn, SELF) \
    RASKI_EMIT_LOOP(raski_run_##fn, IN1, OUT, (KIND) == RASKI_FN_KEYED_CO_PROCESS, \
                    fn((SELF *)s_, i_[k_], &out_)) \
    RASKI_EMIT_LOOP(raski_run2_##fn, IN2, OUT, (KIND) == RASKI_FN_KEYED_CO_PROCESS, \
                    raski_second_##fn((SELF *)s_, i_[k_], &out_)) \
    RASKI_CO_OBJECT(fn, KIND, IN1, IN2, handle, take, OUT, RASKI_HOOKED(fn, SELF)) \
    RASKI_BODY void fn(SELF *self_p, IN1 in_p, rask_out_##OUT *out_p)
/* The body is for the first input, RASK_ON_SECOND(fn, self, in, out) for the second.
 * Flink: CoProcessFunction, KeyedCoProcessFunction (both inputs keyed, one state per key). */
#define RASK_CO_PROCESS(fn, SELF, self_p, IN1, in_p, IN2, OUT, out_p) \
    RASKI_CO_PROCESS_(fn, RASKI_FN_CO_PROCESS, stream, raski_take_, SELF, self_p, IN1, in_p, IN2, \
                      OUT, out_p)
#define RASK_KEYED_CO_PROCESS(fn, SELF, self_p, IN1, in_p, IN2, OUT, out_p) \
    RASKI_CO_PROCESS_(fn, RASKI_FN_KEYED_CO_PROCESS, keyed, raski_take_keyed_, SELF, self_p, IN1, \
                      in_p, IN2, OUT, out_p)
#define RASK_ON_SECOND(fn, self_p, in_p, out_p) \
    static void raski_second_##fn(RASKI_UNUSED raski_self_##fn *self_p, raski_in2_##fn in_p, \
                                  RASKI_UNUSED raski_out_##fn *out_p)

/* ---------------------------------------------------------------- sources and sinks */
#define RASKI_SOURCE_(fn, KIND, SELF, self_p, OUT, out_p) \
    RASKI_BODY rask_status fn(SELF *self_p, rask_out_##OUT *out_p); \
    RASKI_HOOKS(fn, SELF) \
    static rask_status raski_next_##fn(void *s_, rask_ctx *ctx_, size_t *ret_n_) { \
        rask_out_##OUT out_ = {ctx_, (OUT *)ctx_->buf, (OUT *)ctx_->buf + ctx_->cap}; \
        OUT *const begin_ = out_.cur; \
        rask_status r_ = RASK_MORE; \
        do r_ = fn((SELF *)s_, &out_); \
        while (r_ == RASK_MORE && out_.cur < out_.end && (OUT *)ctx_->buf == begin_ && \
               !ctx_->failed); \
        *ret_n_ = (size_t)(out_.cur - (OUT *)ctx_->buf); \
        return r_; \
    } \
    RASKI_OBJECT(fn, source_takes, struct rask_env *, OUT, .kind = KIND, .out = &rask_type_##OUT, \
                 .next = raski_next_##fn, RASKI_HOOKED(fn, SELF)) \
        .source_takes = 0 \
    } \
    ; \
    RASKI_BODY rask_status fn(SELF *self_p, rask_out_##OUT *out_p)
/* rask_status fn(SELF *self, out): emits some records and returns RASK_MORE, RASK_END (never called
 * again), RASK_IDLE (nothing right now: called again after rask_idle_ns / rask_idle_fd, by default
 * a millisecond) or rask_fail(...). It must not block for long: it could not be cancelled
 * meanwhile. Each subtask has an instance; see rask_runtime() for its index. */
#define RASK_SOURCE(fn, SELF, self_p, OUT, out_p) \
    RASKI_SOURCE_(fn, RASKI_FN_SOURCE, SELF, self_p, OUT, out_p)
/* A source made of splits (files, partitions, ...). RASK_ENUMERATE(fn, self, splits) runs once for
 * the job, on its coordinator, with the initial instance: it calls rask_add_split for each piece of
 * work; readers ask for splits one by one. RASK_ADD_SPLIT(fn, self, split) starts one; then the
 * body is called until it returns RASK_END, which ends this split. A split is opaque bytes. With
 * .splits_at_once = n a reader has n instances, each with a split of its own, which take turns.
 * Flink: Source with SplitEnumerator and SourceReader (FLIP-27). */
#define RASK_SPLIT_SOURCE(fn, SELF, self_p, OUT, out_p) \
    RASKI_SOURCE_(fn, RASKI_FN_SPLIT_SOURCE, SELF, self_p, OUT, out_p)
#define RASK_ENUMERATE(fn, self_p, splits_p) \
    static rask_status raski_enumerate_body_##fn(raski_self_##fn *self_p, raski_splits *splits_p); \
    static rask_status raski_enumerate_run_##fn(void *s_, raski_splits *splits_p) { \
        return raski_enumerate_body_##fn((raski_self_##fn *)s_, splits_p); \
    } \
    static const raski_hook raski_enumerate_##fn = {.enumerate = raski_enumerate_run_##fn}; \
    static rask_status raski_enumerate_body_##fn(raski_self_##fn *self_p, raski_splits *splits_p)
#define RASK_ADD_SPLIT(fn, self_p, split_p) \
    static rask_status raski_add_split_body_##fn(raski_self_##fn *self_p, rask_bytes split_p); \
    static rask_status raski_add_split_run_##fn(void *s_, rask_bytes split_p) { \
        return raski_add_split_body_##fn((raski_self_##fn *)s_, split_p); \
    } \
    static const raski_hook raski_add_split_##fn = {.add_split = raski_add_split_run_##fn}; \
    static rask_status raski_add_split_body_##fn(raski_self_##fn *self_p, rask_bytes split_p)
/* In RASK_ENUMERATE:
 *   rask_add_split(splits, bytes, size)  one piece of work, size bytes, which are copied. RASK_OK or
 *                                        RASK_E_NOMEM
 *   rask_readers(splits)                 how many subtasks will read
 * A source whose splits appear while it runs looks for them again and again; it is not bounded then:
 *   rask_enumerate_again_ms(splits, n)   run RASK_ENUMERATE once more in n milliseconds (at least 1),
 *                                        on a new copy of the initial instance; readers without a
 *                                        split wait for what it finds
 *   rask_splits_seen(splits, key)        whether this text was asked about before in this job; from
 *                                        now on it was. What names a split that was added already
 *                                        (a path, a partition) is remembered so, and belongs to the
 *                                        job's state.
 * Flink: SplitEnumeratorContext.assignSplit, currentParallelism, callAsync. */
#define rask_add_split(splits, bytes, size) raski_add_split((splits), (bytes), (size))
#define rask_readers(splits) raski_splits_readers(splits)
#define rask_enumerate_again_ms(splits, relative_ms) raski_enumerate_again((splits), (relative_ms))
#define rask_splits_seen(splits, key) (raski_splits_seen((splits), (key)) != 0)
/* Where a source is, so that a job goes on there after it was stopped or has failed. The bytes are
 * the source's own; let them begin with a version. All of this runs between two calls of the body.
 *   RASK_POSITION(fn, self, text)     appends them to text with rask_text_append. Of a split source:
 *                                     a split with what is left of the running one, which
 *                                     RASK_ADD_SPLIT of another reader starts like any other
 *   RASK_RESTORE(fn, self, position)  not for split sources: after RASK_OPEN, before the body is
 *                                     called; once for each position (several when there are less
 *                                     subtasks than before), not at all where there is none
 * Return RASK_OK or rask_fail(...). A source without RASK_POSITION reads its splits, or all of its
 * input, from the start again. Flink: SourceReader.snapshotState, SourceSplit;
 * CheckpointedFunction. */
#define RASK_POSITION(fn, self_p, text_p) \
    static rask_status raski_position_body_##fn(raski_self_##fn *self_p, rask_text *text_p); \
    static rask_status raski_position_run_##fn(void *s_, rask_text *text_p) { \
        return raski_position_body_##fn((raski_self_##fn *)s_, text_p); \
    } \
    static const raski_hook raski_position_##fn = {.position = raski_position_run_##fn}; \
    static rask_status raski_position_body_##fn(raski_self_##fn *self_p, rask_text *text_p)
#define RASK_RESTORE(fn, self_p, position_p) \
    static rask_status raski_restore_body_##fn(raski_self_##fn *self_p, rask_bytes position_p); \
    static rask_status raski_restore_run_##fn(void *s_, rask_bytes position_p) { \
        return raski_restore_body_##fn((raski_self_##fn *)s_, position_p); \
    } \
    static const raski_hook raski_restore_##fn = {.add_split = raski_restore_run_##fn}; \
    static rask_status raski_restore_body_##fn(raski_self_##fn *self_p, rask_bytes position_p)
/* Before a source returns RASK_IDLE: call again after relative_ns nanoseconds at the latest, and as
 * soon as the file descriptor fd can be read. */
#define rask_idle_ns(out, relative_ns) ((void)((out)->ctx->wake_ns = (relative_ns)))
#define rask_idle_fd(out, fd) ((void)((out)->ctx->wake_fd = (fd)))

/* void fn(SELF *self, IN in): consumes records. A failure is told with rask_fail; the body is not
 * called again after it. Flink: SinkWriter (rask_sink), SinkFunction (rask_legacy_sink). */
#define RASK_SINK(fn, SELF, self_p, IN, in_p) \
    RASKI_BODY void fn(SELF *self_p, IN in_p); \
    RASKI_HOOKS(fn, SELF) \
    static size_t raski_run_##fn(void *s_, const void *in_, size_t n_, rask_ctx *ctx_) { \
        const IN *i_ = (const IN *)in_; \
        for (size_t k_ = 0; k_ < n_; k_++) { \
            fn((SELF *)s_, i_[k_]); \
            if (RASKI_UNLIKELY(ctx_->failed)) { \
                ctx_->i = k_; \
                break; \
            } \
        } \
        return 0; \
    } \
    RASKI_OBJECT(fn, sink_takes, rask_stream_##IN, IN, .kind = RASKI_FN_SINK, \
                 .in = &rask_type_##IN, .run = raski_run_##fn, RASKI_HOOKED(fn, SELF)) \
        .sink_takes = raski_take_##IN \
    } \
    ; \
    RASKI_BODY void fn(SELF *self_p, IN in_p)

/* Of a sink: what rask_wake_at asked for has come; also when no records do. */
#define RASK_ON_WAKE(fn, self_p, now_p) \
    static rask_status raski_wake_body_##fn(raski_self_##fn *self_p, int64_t now_p); \
    static rask_status raski_wake_run_##fn(void *s_, int64_t now_p) { \
        return raski_wake_body_##fn((raski_self_##fn *)s_, now_p); \
    } \
    static const raski_hook raski_wake_##fn = {.wake = raski_wake_run_##fn}; \
    static rask_status raski_wake_body_##fn(raski_self_##fn *self_p, int64_t now_p)

/* ---------------------------------------------------------------- keys and partitioners */
/* K fn(IN in): a computed key for rask_key_by_fn; the same record must always give the same key. */
#define RASK_KEY(fn, IN, in_p, K) \
    RASKI_BODY K fn(IN in_p); \
    static void raski_keys_##fn(const void *in_, size_t n_, void *keys_) { \
        const IN *RASKI_RESTRICT i_ = (const IN *)in_; \
        K *RASKI_RESTRICT o_ = (K *)keys_; \
        for (size_t k_ = 0; k_ < n_; k_++) o_[k_] = fn(i_[k_]); \
    } \
    RASKI_UNUSED static const struct { \
        raski_fn base; \
        raski_stream *(*key_takes)(rask_stream_##IN); \
        rask_keyed_##IN out; \
    } raski_fn_##fn = {.base = {.abi = RASKI_FN_ABI, \
                                .size = sizeof(raski_fn), \
                                .name = #fn, \
                                .file = __FILE__, \
                                .line = __LINE__, \
                                .kind = RASKI_FN_KEY_SELECTOR, \
                                .in = &rask_type_##IN, \
                                .out = &rask_type_##K, \
                                .select_keys = raski_keys_##fn}, \
                       .key_takes = raski_take_##IN}; \
    RASKI_BODY K fn(IN in_p)
/* int fn(K key, int partitions): 0 <= result < partitions. Flink: Partitioner. */
#define RASK_PARTITIONER(fn, K, key_p, partitions_p) \
    RASKI_BODY int fn(K key_p, int partitions_p); \
    static int raski_partition_##fn(const void *key_, int n_) { \
        return fn(*(const K *)key_, n_); \
    } \
    RASKI_UNUSED static const struct { \
        raski_fn base; \
        const K *(*partitioner_takes)(const K *); \
    } raski_fn_##fn = {.base = {.abi = RASKI_FN_ABI, \
                                .size = sizeof(raski_fn), \
                                .name = #fn, \
                                .file = __FILE__, \
                                .line = __LINE__, \
                                .kind = RASKI_FN_PARTITIONER, \
                                .in = &rask_type_##K, \
                                .partition = raski_partition_##fn}, \
                       .partitioner_takes = raski_same_##K}; \
    RASKI_BODY int fn(K key_p, int partitions_p)

/* ---------------------------------------------------------------- instances and keyed state */
/* An instance struct without keyed state. */
#define RASK_INSTANCE(SELF) \
    RASKI_UNUSED static const raski_states raski_states_##SELF = {#SELF, sizeof(SELF), NULL, 0}; \
    struct raski_semicolon
/* The initial instance: .self = RASK_SELF(reader, .path = "x"). Copied when the job is built; every
 * subtask starts with a copy. Without it instances start zeroed. */
#define RASK_SELF(SELF, ...) ((struct raski_init){&(SELF){__VA_ARGS__}, sizeof(SELF), #SELF})

#define RASKI_HOOKS(fn, SELF) \
    typedef SELF raski_self_##fn; \
    RASKI_UNUSED static const raski_hook raski_open_##fn, raski_close_##fn, raski_finish_##fn, \
        raski_end_##fn, raski_enumerate_##fn, raski_add_split_##fn, raski_timer_##fn, \
        raski_position_##fn, raski_restore_##fn, raski_wake_##fn, raski_operator_list_##fn, \
        raski_union_list_##fn, raski_snapshot_##fn;
#define RASKI_HOOKED(fn, SELF) \
    .self = &raski_states_##SELF, .open = &raski_open_##fn, .close = &raski_close_##fn, \
    .finish = &raski_finish_##fn, .end = &raski_end_##fn, .enumerate = &raski_enumerate_##fn, \
    .add_split = &raski_add_split_##fn, .timer = &raski_timer_##fn, \
    .position = &raski_position_##fn, .restore = &raski_restore_##fn, \
    .wake = &raski_wake_##fn, .operator_list = &raski_operator_list_##fn, \
    .union_list = &raski_union_list_##fn, .snapshot = &raski_snapshot_##fn
#define RASKI_DEFINE_HOOK(fn, hook, self_p) \
    static rask_status raski_##hook##_body_##fn(raski_self_##fn *self_p); \
    static rask_status raski_##hook##_run_##fn(void *s_) { \
        return raski_##hook##_body_##fn((raski_self_##fn *)s_); \
    } \
    static const raski_hook raski_##hook##_##fn = {.hook = raski_##hook##_run_##fn}; \
    static rask_status raski_##hook##_body_##fn(RASKI_UNUSED raski_self_##fn *self_p)
/* See the head of this file. Flink: RichFunction.open, finish, close. */
#define RASK_OPEN(fn, self_p) RASKI_DEFINE_HOOK(fn, open, self_p)
#define RASK_FINISH(fn, self_p) RASKI_DEFINE_HOOK(fn, finish, self_p)
#define RASK_CLOSE(fn, self_p) RASKI_DEFINE_HOOK(fn, close, self_p)

/* Last words of a function that emits (process, rich flat map, co-process): called once when all
 * its input has ended, before RASK_FINISH. There is no current key. */
#define RASK_ON_END(fn, self_p, out_p) \
    static void raski_end_body_##fn(raski_self_##fn *self_p, raski_out_##fn *out_p); \
    static size_t raski_end_run_##fn(void *s_, rask_ctx *ctx_) { \
        raski_outrec_##fn *begin_ = (raski_outrec_##fn *)ctx_->buf; \
        raski_out_##fn out_ = {ctx_, begin_, begin_ + ctx_->cap}; \
        raski_end_body_##fn((raski_self_##fn *)s_, &out_); \
        return (size_t)(out_.cur - (raski_outrec_##fn *)ctx_->buf); \
    } \
    static const raski_hook raski_end_##fn = {.end = raski_end_run_##fn}; \
    static void raski_end_body_##fn(RASKI_UNUSED raski_self_##fn *self_p, raski_out_##fn *out_p)

/* What a keyed process function does when a timer fires that it registered; the current key and its
 * state are those of the registration, and emitted records carry the time of an event-time timer.
 * RASK_ON_TIMER(fn, self, timer, out): timer is a rask_timer. Flink: KeyedProcessFunction.onTimer.
 */
#define RASK_ON_TIMER(fn, self_p, timer_p, out_p) \
    static void raski_timer_body_##fn(raski_self_##fn *self_p, rask_timer timer_p, \
                                      raski_out_##fn *out_p); \
    static size_t raski_timer_run_##fn(void *s_, rask_timer timer_, size_t n_, rask_ctx *ctx_) { \
        raski_outrec_##fn *begin_ = (raski_outrec_##fn *)ctx_->buf; \
        raski_out_##fn out_ = {ctx_, begin_, begin_ + ctx_->cap}; \
        for (size_t k_ = 0; k_ < n_ && !ctx_->failed && !ctx_->earlier; k_++) { \
            ctx_->i = k_; \
            raski_timer_body_##fn((raski_self_##fn *)s_, timer_, &out_); \
            if (ctx_->ts_out) \
                raski_stamp(ctx_, (size_t)(out_.cur - (raski_outrec_##fn *)ctx_->buf)); \
        } \
        return (size_t)(out_.cur - (raski_outrec_##fn *)ctx_->buf); \
    } \
    static const raski_hook raski_timer_##fn = {.timer = raski_timer_run_##fn}; \
    static void raski_timer_body_##fn(RASKI_UNUSED raski_self_##fn *self_p, \
                                      RASKI_UNUSED rask_timer timer_p, \
                                      RASKI_UNUSED raski_out_##fn *out_p)

/* ---------------------------------------------------------------- services inside bodies */
#define RASKI_ROOM(out) \
    ((void)(RASKI_UNLIKELY((out)->cur == (out)->end) \
                ? ((out)->cur = raski_flush( \
                       (out)->ctx, \
                       (size_t)((out)->cur - (__typeof__((out)->cur))(out)->ctx->buf)), \
                   (out)->end = (out)->cur + (out)->ctx->cap) \
                : NULL))
/* Hands one record on. rask_emit(out, (word_count){word, 1});
 * The variable lets gcc take records apart: a string that comes from a large input record would
 * otherwise make it copy that whole record first. */
#define rask_emit(out, ...) \
    ((void)__extension__({ \
        RASKI_ROOM(out); \
        __typeof__(*(out)->cur) raski_record_; \
        raski_record_ = (__VA_ARGS__); \
        *(out)->cur++ = raski_record_; \
    }))
/* The next output record, to be filled in place (every field; it holds old bytes). Flink has no
 * such thing; it saves a copy of large records. */
#define rask_emit_slot(out) (RASKI_ROOM(out), (out)->cur++)
/* Hands on what was emitted so far, now. Memory that emitted strings borrow may be reused after. */
#define rask_flush(out) \
    ((void)((out)->cur = raski_flush( \
                (out)->ctx, (size_t)((out)->cur - (__typeof__((out)->cur))(out)->ctx->buf)), \
            (out)->end = (out)->cur + (out)->ctx->cap))
/* A tag for a side output of records of T, at file scope: RASK_SIDE_OUTPUT(late, event); */
#define RASK_SIDE_OUTPUT(tag, T) \
    RASKI_UNUSED static const struct { \
        raski_tag base; \
        rask_stream_##T out; \
    } tag = {.base = {#tag, &rask_type_##T}}
/* rask_emit_side(out, tag, record): into the side output, from process and co-process functions.
 * Records that nobody reads with rask_side_output are dropped. Flink: Context.output. */
#define rask_emit_side(o, tag, ...) \
    raski_side_emit((o)->ctx, &(tag).base, &(__typeof__(*(tag).out.rec)[]){(__VA_ARGS__)}[0])
/* ---- time, in bodies of functions that have an out */
/* The timestamp of the record (of the timer, in RASK_ON_TIMER), ms; RASK_NO_TIMESTAMP when it has
 * none. Flink: Context.timestamp. */
#define rask_timestamp(out) raski_timestamp_of((out)->ctx)
/* Event time: no record with a smaller timestamp is expected any more; INT64_MIN before the first
 * watermark. Flink: TimerService.currentWatermark. */
#define rask_watermark(out) ((out)->ctx->watermark)
/* The clock, ms since 1970. Flink: TimerService.currentProcessingTime. */
#define rask_processing_time(out) raski_processing_time((out)->ctx)
/* Timers of the current key, in keyed process functions: RASK_ON_TIMER is called once when event
 * time (a watermark) or processing time has reached time_ms, which may be in the past. Of the same
 * key, time and kind there is one at most; deleting one that is not there is fine. Flink:
 * TimerService.registerEventTimeTimer and so on. */
#define rask_register_event_timer(out, time_ms) raski_register_timer((out)->ctx, (time_ms), false)
#define rask_register_processing_timer(out, time_ms) \
    raski_register_timer((out)->ctx, (time_ms), true)
#define rask_delete_event_timer(out, time_ms) raski_delete_timer((out)->ctx, (time_ms), false)
#define rask_delete_processing_timer(out, time_ms) raski_delete_timer((out)->ctx, (time_ms), true)
/* The current key of a keyed process function, of type T: *rask_key(out, int64_t). */
#define rask_key(out, T) ((const T *)raski_current_key((out)->ctx, &rask_type_##T))
#endif /* !__cplusplus */
#endif
