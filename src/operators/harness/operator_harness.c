#include "operators/harness/operator_harness.h"

#include <stdatomic.h>
#include <string.h>

/* Stands behind the operator, once per output, and notes what comes. */
typedef struct collector {
    raski_operator_definition *definition;
    raski_job_operator job;
    raski_operator *op;
    raski_operator_harness *harness;
    raski_layout *layout;
    const char *tag; /* NULL: the main output */
} collector;

struct raski_operator_harness {
    raski_operator_env env;
    raski_job_operator job;
    raski_operator *op;
    raski_operator_definition *definition;
    raski_configuration *own_configuration;
    int64_t now_ms;
    raski_doorbell *doorbell;
    _Atomic bool cancelled;
    raski_operator_snapshot_reader *restore_from; /* until it is open */
    RASKI_VEC(collector *) collectors;            /* the main output first */
    RASKI_VEC(raski_harness_output) outputs;
    RASKI_VEC(raski_layout *) layouts; /* of the outputs, borrowed from the collectors */
};

/* ---------------------------------------------------------------- collecting */
static void note(collector *c, raski_harness_output output) {
    raski_vec_push(&c->harness->outputs, output);
    raski_vec_push(&c->harness->layouts, c->layout);
}

static rask_status collector_setup(raski_operator *op, raski_error *err) {
    (void)err;
    op->kind = op->def->detail;
    return RASK_OK;
}

static void collect(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive) {
    (void)input, (void)exclusive;
    collector *c = op->kind;
    const size_t size = op->def->in->size;
    raski_error error = {0};
    for (size_t i = 0; i < n; i++) {
        char *copy = raski_alloc(size);
        memcpy(copy, (char *)records + i * size, size);
        if (raski_record_own(c->layout, copy, copy, &error) != RASK_OK) {
            raski_free(copy);
            raski_operator_fail(op, &error);
            return;
        }
        note(c, (raski_harness_output){.kind = RASKI_HARNESS_RECORD,
                                       .tag = c->tag,
                                       .type = op->def->in,
                                       .record = copy,
                                       .timestamp_ms = timestamps[i]});
    }
}

/* Watermarks and statuses go to every output: those of the main one are enough. */
static void collect_watermark(raski_operator *op, int64_t watermark) {
    collector *c = op->kind;
    if (c->tag == NULL)
        note(c, (raski_harness_output){.kind = RASKI_HARNESS_WATERMARK, .timestamp_ms = watermark});
}

static bool collect_status(raski_operator *op, bool idle) {
    collector *c = op->kind;
    if (c->tag == NULL) note(c, (raski_harness_output){.kind = RASKI_HARNESS_STATUS, .idle = idle});
    return false;
}

static const raski_operator_ops collector_ops = {.name = "collector",
                                                 .is_observer = true,
                                                 .setup = collector_setup,
                                                 .process = collect,
                                                 .watermark = collect_watermark,
                                                 .accepts_status = collect_status};

static rask_status add_collector(raski_operator_harness *h, const char *tag, const rask_type *type,
                                 raski_error *err) {
    collector *c = RASKI_NEW(collector);
    raski_vec_push(&h->collectors, c);
    c->harness = h;
    c->tag = tag;
    c->layout = raski_layout_create(type);
    c->definition = raski_operator_definition_create();
    c->definition->ops = &collector_ops;
    c->definition->in = type;
    c->definition->stamped = true;
    c->definition->detail = c;
    c->job = (raski_job_operator){.name = "collector", .payload = c->definition};
    RASKI_TRY(raski_operator_create(&c->job, &h->env, &c->op, err));
    raski_operator_add_chained(h->op, tag, c->op, 0);
    return RASK_OK;
}

/* ---------------------------------------------------------------- life */
static int64_t read_clock(void *clock) {
    return ((raski_operator_harness *)clock)->now_ms;
}

static void ignore_event(void *context, raski_operator *op, const void *bytes, size_t size) {
    (void)context, (void)op, (void)bytes, (void)size;
}

static void init_env(raski_operator_harness *h, const raski_operator_harness_options *o) {
    if (o->configuration == NULL) h->own_configuration = raski_configuration_create();
    h->now_ms = o->processing_time_ms;
    h->env.configuration = o->configuration ? o->configuration : h->own_configuration;
    h->env.cancelled = &h->cancelled;
    h->env.now_ms = read_clock;
    h->env.clock = h;
    h->env.next_wake_ms = INT64_MAX;
    h->env.send_event = ignore_event;
    h->env.runtime = (rask_runtime_context){
        .job_name = "test",
        .task_name = "test",
        .operator_name = "",
        .subtask_index = o->subtask_index,
        .parallelism = o->parallelism > 0 ? o->parallelism : 1,
        .max_parallelism = o->max_parallelism > 0 ? o->max_parallelism : 128,
    };
    raski_batch_arena_init(&h->env.arena, 0);
}

static rask_status make(raski_operator_harness *h, raski_error *err) {
    RASKI_TRY(raski_doorbell_create(&h->doorbell, err));
    h->env.doorbell = h->doorbell;
    raski_operator_definition *def = h->definition;
    def->stamped = true;
    RASKI_TRY(raski_operator_create(&h->job, &h->env, &h->op, err));
    if (def->out != NULL) RASKI_TRY(add_collector(h, NULL, def->out, err));
    for (size_t i = 0; i < def->side_types.count; i++)
        RASKI_TRY(
            add_collector(h, def->side_types.items[i].tag, def->side_types.items[i].type, err));
    return RASK_OK;
}

rask_status raski_operator_harness_create(raski_operator_definition *definition,
                                          const raski_operator_harness_options *options,
                                          raski_operator_harness **ret_harness, raski_error *err) {
    raski_operator_harness *h = RASKI_NEW(raski_operator_harness);
    init_env(h, options);
    h->definition = definition;
    h->job =
        (raski_job_operator){.name = options->operator_name ? options->operator_name : "operator",
                             .payload = definition};
    rask_status status = make(h, err);
    if (status != RASK_OK) {
        raski_operator_harness_destroy(h);
        return status;
    }
    *ret_harness = h;
    return RASK_OK;
}

void raski_operator_harness_destroy(raski_operator_harness *harness_take) {
    raski_operator_harness *h = harness_take;
    if (h == NULL) return;
    if (h->op != NULL) raski_operator_close(h->op);
    raski_operator_destroy(h->op);
    raski_snapshot_reader_destroy(h->restore_from);
    raski_operator_harness_clear(h);
    raski_vec_free(&h->outputs);
    raski_vec_free(&h->layouts);
    for (size_t i = 0; i < h->collectors.count; i++) {
        collector *c = h->collectors.items[i];
        raski_operator_destroy(c->op);
        raski_operator_definition_destroy(c->definition);
        raski_layout_destroy(c->layout);
        raski_free(c);
    }
    raski_vec_free(&h->collectors);
    raski_batch_arena_fini(&h->env.arena);
    raski_free(h->env.no_timestamps);
    raski_configuration_destroy(h->own_configuration);
    raski_doorbell_unref(h->doorbell);
    raski_free(h);
}

raski_operator *raski_operator_harness_operator(raski_operator_harness *harness) {
    return harness->op;
}

/* ---------------------------------------------------------------- steps */
typedef struct step {
    raski_operator_harness *harness;
    raski_batch_arena *arena_before;
} step;

static step begin(raski_operator_harness *h) {
    return (step){h, raski_batch_arena_set_current(&h->env.arena)};
}

static rask_status end(step s, raski_error *err) {
    raski_operator_env *env = &s.harness->env;
    if (raski_batch_arena_take_failed(&env->arena) && !env->failed) {
        env->failed = true;
        (void)RASKI_FAIL(&env->error, RASK_E_NOMEM, EXTERNAL,
                         "no memory for the strings of a batch");
    }
    raski_batch_arena_reset(&env->arena);
    (void)raski_batch_arena_set_current(s.arena_before);
    raski_operator_enter(NULL);
    if (!env->failed) return RASK_OK;
    if (err != NULL) *err = env->error;
    return env->error.status;
}

rask_status raski_operator_harness_open(raski_operator_harness *harness, raski_error *err) {
    step s = begin(harness);
    for (size_t i = 0; i < harness->collectors.count; i++)
        raski_operator_open(harness->collectors.items[i]->op);
    harness->op->restore_from = harness->restore_from;
    if (!harness->env.failed) raski_operator_open(harness->op);
    raski_snapshot_reader_destroy(harness->restore_from);
    harness->restore_from = NULL;
    return end(s, err);
}

/* ---------------------------------------------------------------- snapshots */
static raski_snapshot_info info_of(const raski_operator_harness *h) {
    raski_snapshot_info info = {.operator_name = h->job.name,
                                .max_parallelism = (uint32_t)h->env.runtime.max_parallelism,
                                .parallelism = (uint32_t)h->env.runtime.parallelism,
                                .subtask = (uint32_t)h->env.runtime.subtask_index};
    size_t length = strlen(h->job.name);
    memcpy(info.operator_id.bytes, h->job.name,
           length < RASKI_ID_SIZE ? length : (size_t)RASKI_ID_SIZE);
    return info;
}

rask_status raski_operator_harness_snapshot(raski_operator_harness *harness,
                                            raski_byte_writer *ret_bytes, raski_error *err) {
    const raski_snapshot_info info = info_of(harness);
    step s = begin(harness);
    RASKI_TRY(end(s, err));
    raski_operator_snapshot_writer *writer = raski_snapshot_writer_create(&info);
    rask_status status = raski_operator_snapshot(harness->op, writer, err);
    if (status == RASK_OK) status = raski_snapshot_write_all(writer, ret_bytes, err);
    raski_snapshot_writer_destroy(writer);
    return status;
}

rask_status raski_operator_harness_restore(raski_operator_harness *harness,
                                           const raski_snapshot_input *snapshots, size_t count,
                                           raski_error *err) {
    const raski_snapshot_info info = info_of(harness);
    RASKI_ASSERT(!harness->op->opened && harness->restore_from == NULL);
    return raski_snapshot_reader_create(snapshots, count, &info, &harness->restore_from, err);
}

/* ---------------------------------------------------------------- steps */

rask_status raski_operator_harness_process(raski_operator_harness *harness, unsigned input,
                                           const void *records, const int64_t *timestamps, size_t n,
                                           raski_error *err) {
    const size_t size = raski_operator_definition_input(harness->definition, input).type->size;
    step s = begin(harness);
    if (n > 0 && !harness->env.failed) {
        /* A copy, as in an exchange: operators may overwrite it. */
        char *copy = raski_alloc(n * size);
        int64_t *stamps = raski_alloc(n * sizeof *stamps);
        memcpy(copy, records, n * size);
        for (size_t i = 0; i < n; i++) stamps[i] = timestamps ? timestamps[i] : RASK_NO_TIMESTAMP;
        raski_operator_process(harness->op, input, copy, stamps, n, true);
        raski_free(copy);
        raski_free(stamps);
    }
    return end(s, err);
}

rask_status raski_operator_harness_watermark(raski_operator_harness *harness, unsigned input,
                                             int64_t watermark_ms, raski_error *err) {
    step s = begin(harness);
    raski_operator_watermark(harness->op, input, watermark_ms);
    return end(s, err);
}

rask_status raski_operator_harness_status(raski_operator_harness *harness, unsigned input,
                                          bool idle, raski_error *err) {
    step s = begin(harness);
    raski_operator_watermark_status(harness->op, input, idle);
    return end(s, err);
}

rask_status raski_operator_harness_set_time(raski_operator_harness *harness, int64_t time_ms,
                                            raski_error *err) {
    step s = begin(harness);
    /* As Flink's harness: the clock jumps, and what is due then sees the new time. */
    harness->now_ms = time_ms;
    while (harness->op->wake_ms <= time_ms && !harness->env.failed)
        raski_operator_advance_processing_time(harness->op, time_ms);
    return end(s, err);
}

rask_status raski_operator_harness_end_input(raski_operator_harness *harness, unsigned input,
                                             raski_error *err) {
    step s = begin(harness);
    raski_operator_end_input(harness->op, input);
    return end(s, err);
}

rask_status raski_operator_harness_close(raski_operator_harness *harness, raski_error *err) {
    step s = begin(harness);
    raski_operator_close(harness->op);
    return end(s, err);
}

size_t raski_operator_harness_timer_count(const raski_operator_harness *harness, bool processing) {
    raski_operator *op = harness->op;
    return op->ops->timer_count != NULL ? op->ops->timer_count(op, processing) : 0;
}

int64_t raski_operator_harness_counter(const raski_operator_harness *harness, const char *name) {
    const raski_operator *op = harness->op;
    for (size_t i = 0; i < op->counters.count; i++)
        if (strcmp(op->counters.items[i]->name, name) == 0)
            return op->counters.items[i]->counter.value;
    return 0;
}

/* ---------------------------------------------------------------- output */
size_t raski_operator_harness_output_count(const raski_operator_harness *harness) {
    return harness->outputs.count;
}

const raski_harness_output *raski_operator_harness_output(const raski_operator_harness *harness,
                                                          size_t i) {
    return &harness->outputs.items[i];
}

void raski_operator_harness_drop(raski_operator_harness *harness, size_t n) {
    for (size_t i = 0; i < n; i++) {
        void *record = (void *)(uintptr_t)harness->outputs.items[i].record;
        if (record == NULL) continue;
        raski_record_disown(harness->layouts.items[i], record);
        raski_free(record);
    }
    const size_t left = harness->outputs.count - n;
    if (left > 0) {
        memmove(harness->outputs.items, harness->outputs.items + n,
                left * sizeof *harness->outputs.items);
        memmove(harness->layouts.items, harness->layouts.items + n,
                left * sizeof *harness->layouts.items);
    }
    harness->outputs.count = harness->layouts.count = left;
}

void raski_operator_harness_clear(raski_operator_harness *harness) {
    raski_operator_harness_drop(harness, harness->outputs.count);
}

void raski_operator_harness_move_first(raski_operator_harness *harness, size_t i) {
    const raski_harness_output output = harness->outputs.items[i];
    raski_layout *layout = harness->layouts.items[i];
    memmove(harness->outputs.items + 1, harness->outputs.items, i * sizeof *harness->outputs.items);
    memmove(harness->layouts.items + 1, harness->layouts.items, i * sizeof *harness->layouts.items);
    harness->outputs.items[0] = output;
    harness->layouts.items[0] = layout;
}
