/* rask/detail/window_functions.h - what the macros of rask/window.h generate, and how the runtime
 * calls it. Part of the agreement of rask/runtime.h: programs do not use these names. */
#ifndef RASK_DETAIL_WINDOW_FUNCTIONS_H
#define RASK_DETAIL_WINDOW_FUNCTIONS_H
#include "rask/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a trigger says about its window. Flink: TriggerResult. */
typedef enum rask_trigger_result {
    RASK_CONTINUE = 0,
    RASK_FIRE = 1,           /* the window's function is called */
    RASK_PURGE = 2,          /* the window's records are forgotten */
    RASK_FIRE_AND_PURGE = 3, /* first one, then the other */
} rask_trigger_result;

/* The window that a trigger is asked about, and the time. Flink: TriggerContext. */
typedef struct rask_trigger_context rask_trigger_context;
struct rask_trigger_context {
    int64_t window_start_ms, window_end_ms; /* of a global window: both INT64_MIN */
    int64_t watermark_ms;                   /* INT64_MIN before the first watermark */
    int64_t processing_time_ms;
    int64_t timestamp_ms; /* of the record; RASK_NO_TIMESTAMP when it has none, and in timers */
    void (*raski_register_timer)(rask_trigger_context *trigger, int64_t time_ms, bool processing);
    void (*raski_delete_timer)(rask_trigger_context *trigger, int64_t time_ms, bool processing);
};

/* Optional parts of window functions, one object each. */
typedef struct raski_window_hook {
    void (*merge)(void *into, const void *from); /* of accumulators */
    size_t (*clear)(void *self, rask_ctx *ctx);  /* like raski_run, without input */
    rask_trigger_result (*timer)(void *state, int64_t time_ms, rask_trigger_context *trigger);
    void (*trigger_merge)(void *into, const void *from, rask_trigger_context *trigger);
    void (*trigger_clear)(void *state, rask_trigger_context *trigger);
} raski_window_hook;

/* The window part of a function object. */
typedef struct raski_window_fn {
    const rask_type *state; /* AGGREGATE: the accumulator; TRIGGER: its state of a window */
    const raski_states *window_states; /* PROCESS: states of the instance that a window has */
    /* AGGREGATE: adds record indexes[i] of in to the accumulator at states[i], in order; at most 64
     */
    void (*add)(rask_ctx *ctx, const void *in, const uint32_t *indexes, size_t n,
                char *const *states);
    /* AGGREGATE: n results, one behind the other */
    void (*result)(rask_ctx *ctx, char *const *states, size_t n, void *ret_out);
    /* PROCESS: one window with its elements; returns what raski_run does */
    size_t (*fire)(void *self, const void *items, uint32_t count, rask_ctx *ctx);
    /* JOIN, CO_GROUP: the same with the elements of both inputs */
    size_t (*fire_two)(void *self, const void *items, uint32_t count, const void *items2,
                       uint32_t count2, rask_ctx *ctx);
    double (*delta)(const void *earlier, const void *later);
    rask_trigger_result (*on_element)(void *state, const void *in, rask_trigger_context *trigger);
    const raski_window_hook *merge, *clear, *event_timer, *processing_timer, *trigger_merge,
        *trigger_clear;
} raski_window_fn;

/* The window whose function runs. */
typedef struct raski_window_bounds {
    int64_t start_ms, end_ms;
} raski_window_bounds;
RASK_API raski_window_bounds raski_current_window(const rask_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
