#include "operators/time/source_time.h"

#include <stdio.h>
#include <string.h>

#include "operators/time/watermark_output_multiplexer.h"

/* What a source or a generator says at once, and what a generator says from time to time. */
typedef struct split_output {
    raski_watermark_output base; /* first */
    raski_split_time *split;
} split_output;

struct raski_split_time {
    raski_source_time *time;
    split_output immediate, deferred;
    raski_running_generator generator;
    char id[24];                      /* in the multiplexer */
    raski_split_watermark *watermark; /* there; NULL: of a source without splits */
};

/* Records of a batch that are handed on piece by piece. */
typedef struct pieces {
    char *records;
    int64_t *timestamps;
    size_t index; /* of the first that was not handed on */
    bool running;
} pieces;

struct raski_source_time {
    raski_operator *op;
    const raski_time_definition *definition;
    const raski_watermark_strategy *strategy;
    RASKI_VEC(raski_split_time *) splits; /* owned */
    uint64_t split_number;
    raski_split_time *current; /* whose records are emitted now */
    raski_watermark_multiplexer multiplexer;
    raski_watermark_emitter emitter;
    bool mute;  /* batch mode: nothing but the last watermark */
    bool waits; /* there is nothing to read */
    pieces batch;
    int64_t interval_ms, next_emit_ms; /* 0: no periodic watermarks */
    int64_t report_ms, next_report_ms; /* 0: not aligned */
    int64_t max_watermark_ms;          /* what the group allows */
};

/* ---------------------------------------------------------------- to those behind the source */
static void hand_on_until(raski_source_time *time, size_t end) {
    pieces *b = &time->batch;
    const size_t n = end - b->index;
    if (n == 0) return;
    raski_operator_dispatch(time->op, b->records + b->index * time->op->out_size,
                            b->timestamps + b->index, n, true);
    b->index = end;
}

/* A program's generator speaks of record ctx.i, which goes first. */
static void before_telling(raski_source_time *time) {
    if (time->batch.running) hand_on_until(time, time->op->ctx.i + 1);
}

static void advance(raski_source_time *time, int64_t watermark_ms) {
    raski_operator_forward_change(time->op,
                                  raski_watermark_emitter_advance(&time->emitter, watermark_ms));
}

static void set_status(raski_source_time *time, bool idle) {
    raski_operator_forward_change(time->op, raski_watermark_emitter_status(&time->emitter, idle));
}

/* What the splits say together. The reader is idle exactly as long as none of them is to be waited
 * for (reports W5 and W6, docs/deviations.md). Between two splits it is not: the next one may have
 * older records than others have now. */
static void apply(raski_source_time *time, raski_watermark_change change) {
    const bool idle = raski_watermark_multiplexer_is_idle(&time->multiplexer) &&
                      (time->splits.count > 0 || time->waits);
    before_telling(time);
    if (!idle) set_status(time, false);
    if (change.has_watermark) advance(time, change.watermark_ms);
    if (idle) set_status(time, true);
}

static void tell_watermark(raski_watermark_output *self, int64_t watermark_ms) {
    const split_output *output = (split_output *)self;
    raski_split_time *split = output->split;
    raski_source_time *time = split->time;
    if (time->mute) return;
    if (split->watermark == NULL) {
        before_telling(time);
        advance(time, watermark_ms);
    } else if (output == &split->deferred) {
        raski_watermark_multiplexer_defer_watermark(split->watermark, watermark_ms);
    } else {
        apply(time, raski_watermark_multiplexer_advance(&time->multiplexer, split->watermark,
                                                        watermark_ms));
    }
}

static void tell_status(raski_watermark_output *self, bool idle) {
    const split_output *output = (split_output *)self;
    raski_split_time *split = output->split;
    raski_source_time *time = split->time;
    if (time->mute) return;
    if (split->watermark == NULL) {
        before_telling(time);
        set_status(time, idle);
    } else if (output == &split->deferred) {
        raski_watermark_multiplexer_defer_status(split->watermark, idle);
    } else {
        apply(time, raski_watermark_multiplexer_status(&time->multiplexer, split->watermark, idle));
    }
}

/* ---------------------------------------------------------------- life */
static void wake(raski_source_time *time) {
    if (time->interval_ms > 0) raski_operator_wake_at(time->op, time->next_emit_ms);
    if (time->report_ms > 0) raski_operator_wake_at(time->op, time->next_report_ms);
}

rask_status raski_source_time_create(raski_operator *op, raski_source_time **ret_time,
                                     raski_error *err) {
    const raski_time_definition *definition = op->def->detail;
    *ret_time = NULL;
    if (definition == NULL) return RASK_OK;
    raski_source_time *time = raski_try_calloc(1, sizeof *time);
    if (time == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for timestamps");
    const bool batch = op->def->final_results;
    const int64_t now_ms = raski_operator_now_ms(op);
    time->op = op;
    time->definition = definition;
    time->strategy = batch ? &raski_no_watermarks : &definition->strategy;
    time->mute = batch;
    time->emitter = RASKI_WATERMARK_EMITTER_INITIAL;
    time->interval_ms = raski_watermark_interval_ms(op);
    time->next_emit_ms = now_ms + time->interval_ms;
    if (time->strategy->alignment_group != NULL)
        time->report_ms = time->strategy->update_interval_ms;
    time->next_report_ms = now_ms + time->report_ms;
    time->max_watermark_ms = RASKI_WATERMARK_MAX;
    raski_watermark_multiplexer_init(&time->multiplexer);
    wake(time);
    *ret_time = time;
    return RASK_OK;
}

static void split_destroy(raski_split_time *split_take) {
    raski_running_generator_fini(&split_take->generator);
    raski_free(split_take);
}

void raski_source_time_destroy(raski_source_time *time_take) {
    if (time_take == NULL) return;
    for (size_t i = 0; i < time_take->splits.count; i++) split_destroy(time_take->splits.items[i]);
    raski_vec_free(&time_take->splits);
    raski_watermark_multiplexer_fini(&time_take->multiplexer);
    raski_free(time_take);
}

static rask_status init_split(raski_source_time *time, raski_split_time *split, bool is_split,
                              raski_error *err) {
    const raski_watermark_output base = {tell_watermark, tell_status};
    split->time = time;
    split->immediate = (split_output){base, split};
    split->deferred = (split_output){base, split};
    RASKI_TRY(raski_running_generator_init(&split->generator, time->op, time->definition,
                                           time->strategy, err));
    if (!is_split) return RASK_OK;
    (void)snprintf(split->id, sizeof split->id, "%llu", (unsigned long long)time->split_number++);
    return raski_watermark_multiplexer_register(&time->multiplexer, split->id, &split->watermark,
                                                err);
}

rask_status raski_source_time_begin(raski_source_time *time, bool is_split,
                                    raski_split_time **ret_split, raski_error *err) {
    raski_split_time *split = raski_try_calloc(1, sizeof *split);
    if (split == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a split");
    rask_status status = init_split(time, split, is_split, err);
    if (status != RASK_OK) {
        split_destroy(split);
        return status;
    }
    raski_vec_push(&time->splits, split);
    time->waits = false;
    if (is_split && !time->mute) apply(time, (raski_watermark_change){0});
    *ret_split = split;
    return RASK_OK;
}

void raski_source_time_end(raski_source_time *time, raski_split_time *split_take) {
    raski_split_time *split = split_take;
    size_t i = 0;
    while (time->splits.items[i] != split) i++;
    time->splits.items[i] = time->splits.items[--time->splits.count];
    if (time->current == split) raski_source_time_enter(time, NULL);
    if (split->watermark != NULL) {
        (void)raski_watermark_multiplexer_unregister(&time->multiplexer, split->id);
        if (!time->mute && (time->splits.count > 0 || time->waits))
            apply(time, raski_watermark_multiplexer_periodic(&time->multiplexer));
    }
    split_destroy(split);
}

void raski_source_time_waits(raski_source_time *time) {
    time->waits = true;
    if (!time->mute) apply(time, (raski_watermark_change){0});
}

/* ---------------------------------------------------------------- records */
void raski_source_time_enter(raski_source_time *time, raski_split_time *split) {
    raski_operator *op = time->op;
    time->current = split;
    op->ctx.watermarks = split != NULL ? &split->immediate.base : NULL;
    if (split == NULL) return;
    /* A program's generator may put watermarks between the records, and after idleness ACTIVE
     * stands before them: then they must not be in the buffer of an exchange already. */
    op->uses_staging = split->generator.fn != NULL || split->generator.base.idle;
}

bool raski_source_time_emitted(raski_source_time *time, size_t n) {
    raski_operator *op = time->op;
    raski_split_time *split = time->current;
    if (n == 0 || split == NULL) return false;
    if (time->definition->timestamps.kind == RASKI_TIMESTAMPS_FIELD)
        op->ctx.stamped = n; /* all of them are about to be */
    else
        raski_stamp(&op->ctx, n);
    char *records = op->ctx.buf;
    int64_t *timestamps = op->ctx.ts_out;
    if (!raski_time_assign(op, time->definition, records, timestamps, n, timestamps)) return true;
    const bool resumes =
        raski_watermark_generator_on_records(&split->generator.base, timestamps, n);
    if (!op->uses_staging) return false;
    if (resumes) tell_status(&split->immediate.base, false);
    time->batch = (pieces){records, timestamps, 0, true};
    if (split->generator.fn != NULL)
        raski_running_generator_show(&split->generator, records, timestamps, n,
                                     &split->immediate.base);
    if (!op->env->failed) hand_on_until(time, n);
    time->batch.running = false;
    return true;
}

/* ---------------------------------------------------------------- from time to time */
static void emit_periodic(raski_source_time *time) {
    const int64_t now_ns = raski_activity_ns(time->op);
    for (size_t i = 0; i < time->splits.count; i++) {
        raski_split_time *split = time->splits.items[i];
        /* The time that it waits for its group is not idleness (report W16). */
        if (raski_source_time_is_paused(time, split)) split->generator.base.idleness.active = true;
        raski_watermark_generator_on_periodic(&split->generator.base, now_ns,
                                              &split->deferred.base);
    }
    if (time->splits.count > 0 && time->splits.items[0]->watermark != NULL)
        apply(time, raski_watermark_multiplexer_periodic(&time->multiplexer));
}

static void report(raski_source_time *time, int64_t watermark_ms) {
    char event[1 + sizeof watermark_ms] = {RASKI_SOURCE_EVENT_REPORT};
    memcpy(event + 1, &watermark_ms, sizeof watermark_ms);
    time->op->env->send_event(time->op->env->context, time->op, event, sizeof event);
}

void raski_source_time_processing_time(raski_source_time *time, int64_t now_ms) {
    if (time->interval_ms > 0 && now_ms >= time->next_emit_ms) {
        emit_periodic(time);
        time->next_emit_ms = now_ms + time->interval_ms;
    }
    if (time->report_ms > 0 && now_ms >= time->next_report_ms) {
        /* Nobody waits for one that is idle; one that has no watermark yet has nothing to say. */
        if (time->emitter.idle)
            report(time, RASKI_WATERMARK_MAX);
        else if (time->emitter.watermark_ms != RASKI_WATERMARK_NONE)
            report(time, time->emitter.watermark_ms);
        time->next_report_ms = now_ms + time->report_ms;
    }
    wake(time);
}

void raski_source_time_finish(raski_source_time *time) {
    if (time->report_ms > 0) report(time, RASKI_WATERMARK_MAX);
}

void raski_source_time_align(raski_source_time *time, int64_t max_watermark_ms) {
    time->max_watermark_ms = max_watermark_ms;
}

bool raski_source_time_is_paused(const raski_source_time *time, const raski_split_time *split) {
    const int64_t reached =
        split->watermark != NULL ? split->watermark->watermark_ms : time->emitter.watermark_ms;
    return reached > time->max_watermark_ms || time->emitter.watermark_ms > time->max_watermark_ms;
}
