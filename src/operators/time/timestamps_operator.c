/* The operator behind rask_assign_timestamps: a column of timestamps for each batch, watermarks of
 * its own in place of those that come. */
#include <string.h>

#include "operators/time/time_definition.h"

/* What a program's generator has been shown of a batch, and how much of it was handed on. */
typedef struct shown {
    char *records; /* the first that was not handed on; NULL: no batch is being shown */
    int64_t *timestamps;
    size_t index, n; /* of that record; records of the batch */
    bool exclusive;
} shown;

typedef struct assigner {
    raski_watermark_output output; /* first: of the generator */
    raski_operator *op;
    const raski_time_definition *definition;
    raski_running_generator generator;
    raski_watermark_emitter emitter;
    int64_t interval_ms;
    int64_t *column; /* owned */
    size_t column_capacity;
    shown batch;
} assigner;

/* ---------------------------------------------------------------- what the generator says */
/* Hands records on up to, not including, the one with that number. */
static void hand_on_until(assigner *a, size_t end) {
    shown *b = &a->batch;
    const size_t n = end - b->index;
    if (n == 0) return;
    char *records = b->records;
    int64_t *timestamps = b->timestamps;
    b->records += n * a->op->out_size;
    b->timestamps += n;
    b->index = end;
    raski_operator_dispatch(a->op, records, timestamps, n, b->exclusive);
}

/* It has seen record ctx.i, which goes first, as in Flink. */
static void before_telling(assigner *a) {
    if (a->batch.records != NULL) hand_on_until(a, a->op->ctx.i + 1);
}

static void tell_watermark(raski_watermark_output *self, int64_t watermark_ms) {
    assigner *a = (assigner *)self;
    before_telling(a);
    raski_operator_forward_change(a->op,
                                  raski_watermark_emitter_advance(&a->emitter, watermark_ms));
}

static void tell_status(raski_watermark_output *self, bool idle) {
    assigner *a = (assigner *)self;
    before_telling(a);
    raski_operator_forward_change(a->op, raski_watermark_emitter_status(&a->emitter, idle));
}

static void ask_generator(assigner *a) {
    raski_watermark_generator_on_periodic(&a->generator.base, raski_activity_ns(a->op), &a->output);
}

/* ---------------------------------------------------------------- the operator */
static rask_status setup(raski_operator *op, raski_error *err) {
    assigner *a = raski_try_calloc(1, sizeof *a);
    if (a == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for timestamps");
    op->kind = a;
    a->op = op;
    a->output = (raski_watermark_output){tell_watermark, tell_status};
    a->definition = op->def->detail;
    a->emitter = RASKI_WATERMARK_EMITTER_INITIAL;
    a->interval_ms = raski_watermark_interval_ms(op);
    if (a->interval_ms > 0) raski_operator_wake_at(op, raski_operator_now_ms(op) + a->interval_ms);
    const raski_watermark_strategy *strategy =
        op->def->final_results ? &raski_no_watermarks : &a->definition->strategy;
    return raski_running_generator_init(&a->generator, op, a->definition, strategy, err);
}

static void teardown(raski_operator *op) {
    assigner *a = op->kind;
    if (a == NULL) return;
    raski_running_generator_fini(&a->generator);
    raski_free(a->column);
    raski_free(a);
    op->kind = NULL;
}

static int64_t *column_of(assigner *a, size_t n) {
    if (n > a->column_capacity) {
        raski_free(a->column);
        a->column = raski_try_alloc(n * sizeof *a->column, 64);
        a->column_capacity = a->column != NULL ? n : 0;
    }
    if (a->column == NULL) {
        RASKI_LOCAL_ERROR(error);
        (void)RASKI_FAIL(&error, RASK_E_NOMEM, EXTERNAL, "no memory for %zu timestamps", n);
        raski_operator_fail(a->op, &error);
    }
    return a->column;
}

static void process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive) {
    (void)input;
    assigner *a = op->kind;
    if (a->definition->timestamps.kind != RASKI_TIMESTAMPS_OWN) {
        int64_t *column = column_of(a, n);
        if (column == NULL || !raski_time_assign(op, a->definition, records, timestamps, n, column))
            return;
        timestamps = column;
    }
    if (raski_watermark_generator_on_records(&a->generator.base, timestamps, n))
        tell_status(&a->output, false);
    if (a->generator.fn == NULL) {
        raski_operator_dispatch(op, records, timestamps, n, exclusive);
        return;
    }
    a->batch = (shown){records, timestamps, 0, n, exclusive};
    raski_running_generator_show(&a->generator, records, timestamps, n, &a->output);
    if (!op->env->failed) hand_on_until(a, n);
    a->batch.records = NULL;
}

static bool accepts_watermark(raski_operator *op, int64_t watermark) {
    (void)op;
    return watermark == RASKI_WATERMARK_MAX;
}

static void end_of_time(raski_operator *op, int64_t watermark) {
    tell_watermark(&((assigner *)op->kind)->output, watermark);
}

static bool accepts_status(raski_operator *op, bool idle) {
    (void)op, (void)idle;
    return false;
}

static void processing_time(raski_operator *op, int64_t now_ms) {
    assigner *a = op->kind;
    ask_generator(a);
    raski_operator_wake_at(op, now_ms + a->interval_ms);
}

static void finish(raski_operator *op) {
    ask_generator(op->kind);
}

const raski_operator_ops raski_timestamps_ops = {
    .name = "timestamps",
    .setup = setup,
    .process = process,
    .watermark = end_of_time,
    .accepts_watermark = accepts_watermark,
    .accepts_status = accepts_status,
    .processing_time = processing_time,
    .finish = finish,
    .teardown = teardown,
};
