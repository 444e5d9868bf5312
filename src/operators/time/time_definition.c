#include "operators/time/time_definition.h"

#include <string.h>

#include "config/options.h"
#include "platform/clock.h"

const raski_watermark_strategy raski_no_watermarks = {.kind = RASKI_WATERMARKS_NONE};

void raski_time_definition_destroy(void *definition_take) {
    raski_time_definition *definition = definition_take;
    if (definition == NULL) return;
    raski_free((void *)(uintptr_t)definition->strategy.alignment_group);
    raski_free(definition->generator_self);
    raski_free(definition);
}

/* ---------------------------------------------------------------- timestamps */
/* Without the aliasing of a char loop: compilers make it a gather or a strided copy. */
static void read_field(const char *records, size_t size, size_t n, int64_t *timestamps) {
    for (size_t i = 0; i < n; i++) {
        int64_t timestamp;
        memcpy(&timestamp, records + i * size, sizeof timestamp);
        timestamps[i] = timestamp;
    }
}

bool raski_time_assign(raski_operator *op, const raski_time_definition *definition,
                       const void *records, const int64_t *previous, size_t n,
                       int64_t *ret_column) {
    const rask_timestamps *how = &definition->timestamps;
    if (how->kind == RASKI_TIMESTAMPS_FIELD) {
        read_field((const char *)records + how->field.offset, op->def->out->size, n, ret_column);
        return true;
    }
    if (how->kind != RASKI_TIMESTAMPS_FN) {
        if (previous != ret_column) memcpy(ret_column, previous, n * sizeof *previous);
        return true;
    }
    const rask_ctx before = op->ctx;
    op->ctx.ts = previous;
    op->ctx.ts_out = ret_column;
    (void)how->fn->run(NULL, records, n, &op->ctx);
    if (op->ctx.failed) raski_operator_name_record(op);
    op->ctx.ts = before.ts;
    op->ctx.ts_out = before.ts_out;
    return !op->ctx.failed;
}

/* ---------------------------------------------------------------- generators */
static void ask_user(void *context, raski_watermark_output *output) {
    raski_running_generator *generator = context;
    const raski_fn *fn = generator->fn;
    if (fn->periodic == NULL || fn->periodic->periodic == NULL) return;
    rask_ctx *ctx = &generator->op->ctx;
    raski_watermark_output *before = ctx->watermarks;
    ctx->watermarks = output;
    raski_operator_enter(generator->op);
    fn->periodic->periodic(generator->self, ctx);
    ctx->watermarks = before;
}

rask_status raski_running_generator_init(raski_running_generator *generator, raski_operator *op,
                                         const raski_time_definition *definition,
                                         const raski_watermark_strategy *strategy,
                                         raski_error *err) {
    *generator = (raski_running_generator){.op = op};
    const bool is_user = strategy->kind == RASKI_WATERMARKS_USER;
    raski_watermark_generator_init(&generator->base, strategy, is_user ? ask_user : NULL,
                                   generator);
    if (!is_user) return RASK_OK;
    const raski_fn *fn = definition->generator;
    generator->self = raski_try_calloc(1, fn->self->size);
    if (generator->self == NULL)
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL,
                          "no memory for an instance of watermark generator \"%s\"", fn->name);
    if (definition->generator_self != NULL)
        memcpy(generator->self, definition->generator_self, fn->self->size);
    generator->fn = fn;
    return RASK_OK;
}

void raski_running_generator_fini(raski_running_generator *generator) {
    raski_free(generator->self);
    generator->self = NULL;
}

void raski_running_generator_show(raski_running_generator *generator, void *records,
                                  const int64_t *timestamps, size_t n,
                                  raski_watermark_output *output) {
    raski_operator *op = generator->op;
    raski_watermark_output *before = op->ctx.watermarks;
    const int64_t *timestamps_before = op->ctx.ts;
    op->ctx.watermarks = output;
    op->ctx.ts = timestamps;
    (void)generator->fn->run(generator->self, records, n, &op->ctx);
    if (op->ctx.failed) raski_operator_name_record(op);
    op->ctx.watermarks = before;
    op->ctx.ts = timestamps_before;
}

/* ---------------------------------------------------------------- surroundings */
int64_t raski_watermark_interval_ms(const raski_operator *op) {
    if (op->def->final_results || op->env->configuration == NULL) return 0;
    int64_t interval_ms = raski_configuration_get_duration_ms(
        op->env->configuration, RASKI_OPTION_PIPELINE_AUTO_WATERMARK_INTERVAL);
    return interval_ms > 0 ? interval_ms : 0;
}

int64_t raski_activity_ns(const raski_operator *op) {
    const raski_operator_env *env = op->env;
    const int64_t now_ns = env->now_ms != NULL ? env->now_ms(env->clock) * 1000000 : raski_now_ns();
    return now_ns - (env->blocked_ns != NULL ? env->blocked_ns(env->context) : 0);
}

void raski_operator_forward_change(raski_operator *op, raski_watermark_change change) {
    if (change.has_status && !change.idle) raski_operator_forward_status(op, false);
    if (change.has_watermark) raski_operator_forward_watermark(op, change.watermark_ms);
    if (change.has_status && change.idle) raski_operator_forward_status(op, true);
}

/* ---------------------------------------------------------------- what programs call */
static bool has_output(rask_ctx *ctx) {
    if (ctx->watermarks != NULL) return true;
    const raski_fn *fn = ctx->op->def->fn;
    raski_error error = {0};
    if (fn != NULL && (fn->kind == RASKI_FN_SOURCE || fn->kind == RASKI_FN_SPLIT_SOURCE))
        (void)RASKI_FAIL(&error, RASK_FAILED, USER,
                         "a source that emits watermarks says when its records happened: "
                         ".timestamps = RASK_OWN_TIMESTAMPS, for instance");
    else
        (void)RASKI_FAIL(&error, RASK_FAILED, USER,
                         "only sources and watermark generators can emit watermarks");
    raski_operator_fail(ctx->op, &error);
    return false;
}

/* Generators have no records of their own; a source's go first. */
static void before_telling(rask_ctx *ctx, bool generator, size_t n) {
    if (!generator) raski_operator_add_pending(ctx->op, n);
}

static void *after_telling(rask_ctx *ctx, bool generator) {
    static char nowhere[1];
    if (generator) return nowhere;
    (void)raski_operator_room(ctx->op);
    return ctx->buf;
}

void *raski_emit_watermark(rask_ctx *ctx, bool generator, size_t n, int64_t watermark_ms) {
    before_telling(ctx, generator, n);
    if (has_output(ctx)) ctx->watermarks->watermark(ctx->watermarks, watermark_ms);
    return after_telling(ctx, generator);
}

void *raski_emit_status(rask_ctx *ctx, bool generator, size_t n, bool idle) {
    before_telling(ctx, generator, n);
    if (has_output(ctx)) ctx->watermarks->status(ctx->watermarks, idle);
    return after_telling(ctx, generator);
}

bool raski_catch_up_stamps(rask_ctx *ctx, size_t n) {
    if (ctx->ts_out != NULL) {
        while (ctx->stamped < n) ctx->ts_out[ctx->stamped++] = RASK_NO_TIMESTAMP;
        return true;
    }
    raski_error error = {0};
    (void)RASKI_FAIL(&error, RASK_FAILED, USER,
                     "rask_emit_at: this stream has no timestamps; a source whose records have "
                     "some says .timestamps = RASK_OWN_TIMESTAMPS");
    raski_operator_fail(ctx->op, &error);
    return false;
}
