/* rask/multi.h - functions of any number of inputs, keyed or not, which may choose from which of them
 * to read next.
 *
 *   RASK_MULTI_PROCESS(merge, merger, event);
 *   RASK_ON_INPUT(merge, 1, self, event, e, out) { rask_emit(out, e); }
 *   RASK_ON_INPUT(merge, 2, self, order, o, out) { rask_emit(out, (event){o.id}); }
 *   RASK_ON_INPUT(merge, 3, self, rask_string, line, out) { ... }
 *
 *   rask_stream(event) all = rask_multi(merge, (RASK_INPUT(merge, 1, events), RASK_INPUT(merge, 2, orders),
 *                                               RASK_INPUT(merge, 3, lines)), .uid = "merge");
 *
 * Flink: MultipleInputStreamOperator, MultipleInputTransformation, InputSelectable. */
#ifndef RASK_MULTI_H
#define RASK_MULTI_H
#include "rask/stream.h"

#ifdef __cplusplus
extern "C" {
#endif
enum { RASK_INPUTS_MAX = 32 };
/* A set of inputs: input n is bit n - 1. */
typedef uint32_t rask_inputs;
#define RASK_ALL_INPUTS UINT32_MAX
#define RASK_INPUT_BIT(n) (UINT32_C(1) << ((n) - 1))

typedef struct raski_input_fn {
    const rask_type *type;
    raski_run *run;
    const raski_fn *fn;
    unsigned number; /* from 1 */
    bool keyed;
} raski_input_fn;
typedef struct raski_multi_input {
    raski_stream *node;
    const raski_input_fn *input;
} raski_multi_input;
RASK_API raski_stream *raski_multi(const raski_fn *, const raski_multi_input *, size_t n,
                                   const rask_options *, size_t, const char *file, int line);
#ifdef __cplusplus
}
#endif

#ifndef __cplusplus
/* A function of inputs 1, 2, ...: each has its RASK_ON_INPUT. Hooks as for other functions with an
 * instance. */
#define RASK_MULTI_PROCESS(fn, SELF, OUT) RASKI_MULTI_(fn, SELF, OUT, RASKI_FN_MULTI_PROCESS)
/* With keyed state and timers (RASK_ON_TIMER), shared by all keyed inputs: RASK_ON_KEYED_INPUT; a
 * RASK_ON_INPUT of it has no current key. */
#define RASK_KEYED_MULTI_PROCESS(fn, SELF, OUT) \
    RASKI_MULTI_(fn, SELF, OUT, RASKI_FN_KEYED_MULTI_PROCESS)
#define RASKI_MULTI_(fn, SELF, OUT, KIND) \
    typedef OUT raski_outrec_##fn; \
    typedef rask_out_##OUT raski_out_##fn; \
    typedef rask_out_##OUT rask_out_raski_outrec_##fn; \
    enum { raski_keyed_##fn = (KIND) == RASKI_FN_KEYED_MULTI_PROCESS }; \
    RASKI_HOOKS(fn, SELF) \
    RASKI_UNUSED static const raski_hook raski_select_##fn; \
    RASKI_UNUSED static const struct { \
        raski_fn base; \
        rask_stream_##OUT out; \
    } raski_fn_##fn = {.base = {.abi = RASKI_FN_ABI, .size = sizeof(raski_fn), .name = #fn, \
                                .file = __FILE__, .line = __LINE__, .kind = KIND, \
                                .out = &rask_type_##OUT, .select = &raski_select_##fn, \
                                RASKI_HOOKED(fn, SELF)}}; \
    struct raski_semicolon

/* What happens for each record of input n (a number: 1, 2, ...). */
#define RASK_ON_INPUT(fn, n, self_p, T, in_p, out_p) \
    RASKI_ON_INPUT_(fn, n, false, stream, raski_take_, self_p, T, in_p, out_p)
#define RASK_ON_KEYED_INPUT(fn, n, self_p, T, in_p, out_p) \
    _Static_assert(raski_keyed_##fn, \
                   "RASK_ON_KEYED_INPUT(" #fn "): it is no RASK_KEYED_MULTI_PROCESS"); \
    RASKI_ON_INPUT_(fn, n, true, keyed, raski_take_keyed_, self_p, T, in_p, out_p)
#define RASKI_ON_INPUT_(fn, n, is_keyed, handle, take, self_p, T, in_p, out_p) \
    RASKI_BODY void raski_on_##fn##_##n(raski_self_##fn *self_p, T in_p, raski_out_##fn *out_p); \
    RASKI_EMIT_LOOP(raski_run_##fn##_##n, T, raski_outrec_##fn, is_keyed, \
                    raski_on_##fn##_##n((raski_self_##fn *)s_, i_[k_], &out_)) \
    RASKI_UNUSED static const struct { \
        raski_input_fn base; \
        raski_stream *(*takes)(rask_##handle##_##T); \
    } raski_input_##fn##_##n = {.base = {&rask_type_##T, raski_run_##fn##_##n, \
                                         &raski_fn_##fn.base, n, is_keyed}, \
                                .takes = take##T}; \
    RASKI_BODY void raski_on_##fn##_##n(RASKI_UNUSED raski_self_##fn *self_p, T in_p, \
                                        RASKI_UNUSED raski_out_##fn *out_p)

/* rask_inputs fn(SELF *self): from which inputs to read next; asked before the first record and after
 * each one. Inputs that are not chosen wait, and so do those before them. A chosen one must not have
 * ended, unless others are chosen as well. Not in batch mode with keyed inputs, which are sorted.
 * Flink: InputSelectable.nextSelection. */
#define RASK_SELECT_INPUTS(fn, self_p) \
    static rask_inputs raski_select_body_##fn(raski_self_##fn *self_p); \
    static uint32_t raski_select_run_##fn(void *s_) { \
        return raski_select_body_##fn((raski_self_##fn *)s_); \
    } \
    static const raski_hook raski_select_##fn = {.select = raski_select_run_##fn}; \
    static rask_inputs raski_select_body_##fn(RASKI_UNUSED raski_self_##fn *self_p)

/* Input n of a function, in rask_multi: a stream of its type, keyed for RASK_ON_KEYED_INPUT. */
#define RASK_INPUT(fn, n, s) \
    ((raski_multi_input){raski_input_##fn##_##n.takes(s), &raski_input_##fn##_##n.base})
/* rask_multi(fn, (RASK_INPUT(fn, 1, a), RASK_INPUT(fn, 2, b), ...), options...): all inputs of the
 * function, in their order. */
#define rask_multi(fn, inputs, ...) \
    ((__typeof__(raski_fn_##fn.out)){ \
        .node = raski_multi(&raski_fn_##fn.base, \
                            (const raski_multi_input[]){RASKI_UNPAREN inputs}, \
                            sizeof((const raski_multi_input[]){RASKI_UNPAREN inputs}) / \
                                sizeof(raski_multi_input), \
                            RASKI_OPTIONS(0, __VA_ARGS__), RASKI_HERE)})
#endif /* !__cplusplus */
#endif
