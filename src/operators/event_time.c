/* Watermarks, idleness and processing time on their way through a chain. */
#include "operators/operator.h"
#include "platform/clock.h"

/* ---------------------------------------------------------------- outputs */
/* By itself, since its error is large: events go through a chain of thousands of operators by
 * recursion. */
static __attribute__((noinline)) void emit_event(raski_operator *op, raski_target *target,
                                                 const raski_event *event) {
    RASKI_LOCAL_ERROR(error);
    if (raski_result_writer_emit_event(target->writer, event, &error) != RASK_OK)
        raski_operator_fail(op, &error);
}

static void forward_event(raski_operator *op, raski_output *output, const raski_event *event) {
    for (size_t i = 0; i < output->targets.count && !op->env->failed; i++) {
        raski_target *target = &output->targets.items[i];
        /* An idle output holds watermarks back; a test sees what the operator said. */
        if (op->idle && event->kind == RASKI_EVENT_WATERMARK &&
            (target->op == NULL || !target->op->ops->is_observer))
            continue;
        if (target->op == NULL) {
            emit_event(op, target, event);
        } else if (event->kind == RASKI_EVENT_WATERMARK) {
            raski_operator_watermark(target->op, target->input, event->value);
        } else {
            raski_operator_watermark_status(target->op, target->input,
                                            event->value == RASKI_WATERMARK_IDLE);
        }
    }
}

static void forward(raski_operator *op, const raski_event *event) {
    raski_operator_hand_on(op);
    forward_event(op, &op->out, event);
    for (size_t i = 0; i < op->sides.count; i++)
        forward_event(op, &op->sides.items[i].output, event);
    raski_operator_enter(op);
}

void raski_operator_forward_watermark(raski_operator *op, int64_t watermark) {
    if (op->ending_keys) { /* this end of time is the key's alone */
        raski_operator_hand_on(op);
        return;
    }
    forward(op, &(raski_event){.kind = RASKI_EVENT_WATERMARK, .value = watermark});
}

void raski_operator_forward_status(raski_operator *op, bool idle) {
    if (op->idle == idle) return;
    op->idle = idle;
    forward(op, &(raski_event){.kind = RASKI_EVENT_WATERMARK_STATUS,
                               .value = idle ? RASKI_WATERMARK_IDLE : RASKI_WATERMARK_ACTIVE});
}

/* ---------------------------------------------------------------- inputs */
static void advance(raski_operator *op, int64_t watermark) {
    if (op->env->failed) return;
    raski_operator_enter(op);
    op->record_base = 0; /* what fails now is not the fault of a record */
    if (op->ops->accepts_watermark && !op->ops->accepts_watermark(op, watermark)) return;
    op->watermark = watermark;
    op->ctx.watermark = watermark;
    if (op->ops->watermark)
        op->ops->watermark(op, watermark);
    else
        raski_operator_forward_watermark(op, watermark);
}

static void forward_status(raski_operator *op, bool idle) {
    if (op->ops->accepts_status && !op->ops->accepts_status(op, idle)) return;
    raski_operator_forward_status(op, idle);
}

/* A status ACTIVE stands before the watermark, IDLE behind it. */
static void apply(raski_operator *op, const raski_watermark_change *change) {
    if (change->has_status && !change->idle) forward_status(op, false);
    if (change->has_watermark) advance(op, change->watermark_ms);
    if (change->has_status && change->idle) forward_status(op, true);
}

void raski_operator_watermark(raski_operator *op, unsigned input, int64_t watermark) {
    if (op->inputs == NULL) {
        advance(op, watermark);
        return;
    }
    const raski_watermark_change change =
        raski_combined_watermark_advance(op->inputs, input, watermark);
    apply(op, &change);
}

void raski_operator_watermark_status(raski_operator *op, unsigned input, bool idle) {
    if (op->env->failed) return;
    if (op->inputs == NULL) {
        forward_status(op, idle);
        return;
    }
    const raski_watermark_change change = raski_combined_watermark_status(op->inputs, input, idle);
    apply(op, &change);
}

/* ---------------------------------------------------------------- the end of a key */
bool raski_operator_may_have_timers(const raski_operator *op) {
    if (op->ops->watermark == NULL && op->ops->processing_time == NULL) return false;
    const raski_fn *fn = op->def->fn;
    if (op->def->ops != NULL || fn == NULL) return true;
    return fn->timer != NULL && fn->timer->timer != NULL; /* else nothing hears of them */
}

static void set_watermark(raski_operator *op, int64_t watermark) {
    op->watermark = watermark;
    op->ctx.watermark = watermark;
}

void raski_operator_end_keys(raski_operator *op) {
    if (op->env->failed) return;
    raski_operator_enter(op);
    op->record_base = 0; /* what fails now is not the fault of a record */
    op->ctx.i = 0;
    if (raski_operator_may_have_timers(op)) {
        op->ending_keys = true;
        set_watermark(op, INT64_MAX);
        if (op->ops->watermark) op->ops->watermark(op, INT64_MAX);
        if (op->ops->processing_time && !op->env->failed) op->ops->processing_time(op, INT64_MAX);
        set_watermark(op, INT64_MIN);
        op->ending_keys = false;
    }
    if (op->ops->end_keys && !op->env->failed) op->ops->end_keys(op);
}

void raski_operator_watermark_change(raski_operator *op, unsigned input,
                                     const raski_watermark_change *change) {
    if (change->has_status && !change->idle) raski_operator_watermark_status(op, input, false);
    if (change->has_watermark) raski_operator_watermark(op, input, change->watermark_ms);
    if (change->has_status && change->idle) raski_operator_watermark_status(op, input, true);
}

/* ---------------------------------------------------------------- processing time */
int64_t raski_operator_now_ms(const raski_operator *op) {
    return op->env->now_ms != NULL ? op->env->now_ms(op->env->clock) : raski_wall_ms();
}

void raski_operator_wake_at(raski_operator *op, int64_t time_ms) {
    if (op->one_key) return; /* timers fire at the end of their key */
    if (time_ms < op->wake_ms) op->wake_ms = time_ms;
    if (time_ms < op->env->next_wake_ms) op->env->next_wake_ms = time_ms;
}

void raski_operator_advance_processing_time(raski_operator *op, int64_t now_ms) {
    if (op->wake_ms > now_ms || op->env->failed) return;
    op->wake_ms = INT64_MAX;
    raski_operator_enter(op);
    op->record_base = 0;
    op->ctx.i = 0;
    if (op->ops->processing_time) op->ops->processing_time(op, now_ms);
}

int64_t raski_processing_time(const rask_ctx *ctx) {
    return raski_operator_now_ms(ctx->op);
}

bool raski_operator_sleep(raski_operator *op, uint32_t seen, int64_t until_ms) {
    raski_operator_env *env = op->env;
    if (env->idle != NULL) env->idle(env->context);
    int64_t deadline_ns = RASKI_FOREVER;
    if (until_ms != INT64_MAX && env->now_ms == NULL) {
        const int64_t wait_ms = until_ms - raski_wall_ms();
        deadline_ns = raski_deadline_ns(wait_ms > 0 ? wait_ms : 0);
    }
    if (!env->failed && !rask_cancelled())
        (void)raski_doorbell_wait(env->doorbell, seen, deadline_ns);
    if (!env->failed && rask_cancelled()) {
        RASKI_LOCAL_ERROR(error);
        (void)RASKI_FAIL(&error, RASK_E_CANCELLED, CANCELLED, "the task was cancelled");
        raski_operator_fail(op, &error);
    }
    return !env->failed;
}
