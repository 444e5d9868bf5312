#include "operators/operator.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "operators/broadcast_state.h"
#include "operators/list_state.h"
#include "platform/clock.h"
#include "state/snapshot.h"
#include "types/layout.h"
#include "types/type_info.h"

enum { BATCH_BYTES = 32 * 1024, BATCH_RECORDS_MAX = 1024, BATCH_RECORDS_MIN = 16 };

/* ---------------------------------------------------------------- the operator on this thread */
/* Set for each batch of each operator: no call to find it, in the shared library neither. */
#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))
static _Thread_local raski_operator *current INITIAL_EXEC;
static _Thread_local raski_error *failure_sink INITIAL_EXEC;

void raski_operator_enter(raski_operator *op) {
    current = op;
}

void raski_failure_sink_set(raski_error *sink_or_null) {
    failure_sink = sink_or_null;
}

const rask_runtime_context *rask_runtime(void) {
    static const rask_runtime_context none = {.job_name = "", .task_name = "", .operator_name = ""};
    return current ? &current->runtime : &none;
}

int64_t rask_now_ms(void) {
    return current != NULL ? raski_operator_now_ms(current) : raski_wall_ms();
}

void rask_wake_at(int64_t time_ms) {
    if (current != NULL) raski_operator_wake_at(current, time_ms);
}

bool rask_cancelled(void) {
    const _Atomic bool *cancelled = current != NULL ? current->env->cancelled : NULL;
    return cancelled != NULL && atomic_load_explicit(cancelled, memory_order_acquire);
}

const char *rask_option(const char *key) {
    if (current == NULL || key == NULL) return NULL;
    return raski_configuration_get_raw(current->env->configuration, key);
}

rask_counter *rask_counter_of(const char *name) {
    static _Thread_local rask_counter nowhere; /* outside of a task: unit tests of user code */
    if (current == NULL || name == NULL) return &nowhere;
    for (size_t i = 0; i < current->counters.count; i++)
        if (strcmp(current->counters.items[i]->name, name) == 0)
            return &current->counters.items[i]->counter;
    raski_user_counter *counter = RASKI_NEW(raski_user_counter);
    counter->name = raski_strdup(name);
    raski_vec_push(&current->counters, counter);
    return &counter->counter;
}

rask_status raski_fail(const char *file, int line, const char *format, ...) {
    raski_error error = {
        .status = RASK_FAILED, .error_class = RASKI_CLASS_USER, .file = file, .line = line};
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error.message, sizeof error.message, format, arguments);
    va_end(arguments);
    size_t length = strlen(error.message);
    while (length > 0 && error.message[length - 1] == '\n') error.message[--length] = '\0';
    if (failure_sink != NULL) {
        if (!raski_error_is_set(failure_sink)) *failure_sink = error;
    } else if (current != NULL) {
        raski_operator_fail(current, &error);
    }
    return RASK_FAILED;
}

void raski_failure_prefix(raski_error *failure, const char *format, ...) {
    char text[RASKI_ERROR_MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text) return;
    (void)snprintf(text + length, sizeof text - (size_t)length, "%s", failure->message);
    memcpy(failure->message, text, sizeof text);
}

void raski_operator_fail(raski_operator *op, const raski_error *error) {
    op->ctx.failed = true;
    if (op->env->failed) return;
    op->env->failed = true;
    op->env->error = *error;
    op->env->failed_operator = op;
    op->env->record_number = op->record_base ? op->record_base + (int64_t)op->ctx.i : 0;
}

void raski_operator_name_record(raski_operator *op) {
    if (op->env->failed_operator == op && op->record_base != 0)
        op->env->record_number = op->record_base + (int64_t)op->ctx.i;
}

/* ---------------------------------------------------------------- making and wiring */
static const raski_operator_ops *ops_of(const raski_operator_definition *def) {
    if (def->ops != NULL) return def->ops;
    if (def->type == RASKI_OPERATOR_AGGREGATE) return &raski_aggregate_ops;
    switch (def->fn->kind) {
        case RASKI_FN_SOURCE:
        case RASKI_FN_SPLIT_SOURCE:
            return &raski_source_ops;
        case RASKI_FN_KEYED_PROCESS:
        case RASKI_FN_KEYED_CO_PROCESS:
        case RASKI_FN_KEYED_MULTI_PROCESS:
        case RASKI_FN_KEYED_BROADCAST_PROCESS:
            return &raski_keyed_ops;
        default:
            return &raski_function_ops;
    }
}

static rask_status make_instance(raski_operator *op, raski_error *err) {
    const raski_states *self = op->def->fn ? op->def->fn->self : NULL;
    if (self == NULL || self->size == 0) return RASK_OK;
    op->self = raski_try_calloc(1, self->size);
    if (op->self == NULL)
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL,
                          "no memory for an instance of %s (%zu bytes)", self->type, self->size);
    if (op->def->self != NULL) memcpy(op->self, op->def->self, self->size);
    return RASK_OK;
}

static rask_status make_staging(raski_operator *op, const rask_type *out, raski_error *err) {
    if (out == NULL) return RASK_OK;
    size_t n = BATCH_BYTES / out->size;
    if (n > BATCH_RECORDS_MAX) n = BATCH_RECORDS_MAX;
    if (n < BATCH_RECORDS_MIN) n = BATCH_RECORDS_MIN;
    op->out_size = out->size;
    op->staging_capacity = n;
    op->staging = raski_try_alloc(n * out->size, 64);
    if (op->def->stamped) op->staging_timestamps = raski_try_alloc(n * sizeof(int64_t), 64);
    if (op->staging == NULL || (op->def->stamped && op->staging_timestamps == NULL))
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a batch of %zu records", n);
    return RASK_OK;
}

rask_status raski_operator_create(const raski_job_operator *job, raski_operator_env *env,
                                  raski_operator **ret_operator, raski_error *err) {
    const raski_operator_definition *def = job->payload;
    if (def == NULL)
        return RASKI_FAIL(err, RASK_E_UNSUPPORTED, USER,
                          "operator \"%s\" can be planned but not run: it has no function",
                          job->name);
    raski_operator *op = RASKI_NEW(raski_operator);
    op->def = def;
    op->job = job;
    op->env = env;
    op->ops = ops_of(def);
    op->ctx.op = op;
    op->ctx.wake_fd = -1;
    op->ctx.watermark = INT64_MIN;
    op->watermark = INT64_MIN;
    op->wake_ms = INT64_MAX;
    op->runtime = env->runtime;
    op->runtime.operator_name = job->name;
    const unsigned input_count = raski_operator_definition_input_count(def);
    op->inputs_open = UINT32_MAX >> (32 - input_count); /* a bit each */
    if (input_count > 1) {
        op->inputs = RASKI_NEW(raski_combined_watermark);
        raski_combined_watermark_init(op->inputs, input_count);
    }
    rask_status status = make_instance(op, err);
    if (status == RASK_OK) status = make_staging(op, def->out, err);
    if (status != RASK_OK) {
        raski_operator_destroy(op);
        return status;
    }
    *ret_operator = op;
    return RASK_OK;
}

static void output_free(raski_output *output) {
    for (size_t i = 0; i < output->targets.count; i++) {
        raski_free(output->targets.items[i].keys);
        raski_free(output->targets.items[i].hashes);
    }
    raski_vec_free(&output->targets);
}

void raski_operator_destroy(raski_operator *operator_take) {
    raski_operator *op = operator_take;
    if (op == NULL) return;
    if (current == op) current = NULL;
    if (op->ops->teardown) op->ops->teardown(op);
    raski_list_state_destroy(op->lists);
    raski_broadcast_state_destroy(op->broadcast);
    output_free(&op->out);
    for (size_t i = 0; i < op->sides.count; i++) {
        output_free(&op->sides.items[i].output);
        raski_free(op->sides.items[i].records);
        raski_free(op->sides.items[i].timestamps);
    }
    raski_vec_free(&op->sides);
    for (size_t i = 0; i < op->counters.count; i++) {
        raski_free((char *)(uintptr_t)op->counters.items[i]->name);
        raski_free(op->counters.items[i]);
    }
    raski_vec_free(&op->counters);
    if (op->inputs != NULL) raski_combined_watermark_fini(op->inputs);
    raski_free(op->inputs);
    raski_free(op->staging);
    raski_free(op->staging_timestamps);
    raski_free(op->self);
    raski_free(op);
}

/* The output of a tag, made on first use; NULL when the tag's type is not known. */
static raski_output *output_of(raski_operator *op, const char *tag) {
    if (tag == NULL) return &op->out;
    for (size_t i = 0; i < op->sides.count; i++)
        if (strcmp(op->sides.items[i].tag, tag) == 0) return &op->sides.items[i].output;
    const rask_type *type = raski_operator_definition_side_type(op->def, tag);
    RASKI_ASSERT(type != NULL);
    size_t capacity = BATCH_BYTES / type->size + 1;
    raski_side_output_buffer side = {.tag = tag,
                                     .type = type,
                                     .same_type = type,
                                     .record_size = type->size,
                                     .capacity = capacity};
    side.records = raski_calloc(capacity, type->size);
    if (op->def->stamped) side.timestamps = raski_calloc(capacity, sizeof(int64_t));
    raski_vec_push(&op->sides, side);
    return &op->sides.items[op->sides.count - 1].output;
}

static void find_next(raski_operator *op) {
    const raski_target *first = op->out.targets.count == 1 ? &op->out.targets.items[0] : NULL;
    op->next = first ? first->op : NULL;
    op->next_input = first ? first->input : 0;
}

void raski_operator_add_chained(raski_operator *op, const char *tag, raski_operator *target,
                                unsigned input) {
    raski_output *output = output_of(op, tag);
    raski_vec_push(&output->targets, (raski_target){.op = target, .input = input});
    find_next(op);
}

rask_status raski_operator_add_writer(raski_operator *op, const char *tag,
                                      raski_result_writer *writer, const raski_key_definition *key,
                                      raski_error *err) {
    raski_target target = {.writer = writer, .key = key};
    if (key != NULL) {
        /* A window of an exchange is at most a buffer of records of one byte. */
        target.hashes = raski_try_alloc(RASKI_BUFFER_SIZE * sizeof *target.hashes, 64);
        if (key->selector != NULL)
            target.keys = raski_try_alloc((size_t)RASKI_BUFFER_SIZE * key->selector->out->size, 64);
        if (target.hashes == NULL || (key->selector != NULL && target.keys == NULL)) {
            raski_free(target.hashes);
            raski_free(target.keys);
            return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory to route records by key");
        }
    }
    raski_output *output = output_of(op, tag);
    raski_vec_push(&output->targets, target);
    find_next(op);
    return RASK_OK;
}

/* ---------------------------------------------------------------- life */
static void hook_failed(raski_operator *op, const char *hook) {
    RASKI_LOCAL_ERROR(error);
    (void)RASKI_FAIL(&error, RASK_E_ARGUMENT, USER, "%s failed without a message (use rask_fail)",
                     hook);
    op->record_base = 0;
    raski_operator_fail(op, &error);
}

static void call_hook(raski_operator *op, rask_status (*hook)(void *), const char *name) {
    raski_operator_enter(op);
    if (hook(op->self) < 0 && !op->env->failed) hook_failed(op, name);
}

void raski_operator_open(raski_operator *op) {
    RASKI_LOCAL_ERROR(error);
    raski_operator_enter(op);
    op->record_base = 0;
    if ((op->ops->setup && op->ops->setup(op, &error) != RASK_OK) ||
        raski_broadcast_state_create(op, &op->broadcast, &error) != RASK_OK ||
        raski_list_state_create(op, &op->lists, &error) != RASK_OK) {
        raski_operator_fail(op, &error);
        return;
    }
    op->opened = true;
    const raski_fn *fn = op->def->fn;
    if (op->restore_from != NULL && op->lists != NULL &&
        raski_snapshot_reader_operator_states(op->restore_from, raski_list_state_states(op->lists),
                                              &error) != RASK_OK) {
        raski_operator_fail(op, &error);
        return;
    }
    if (fn != NULL && fn->open != NULL && fn->open->open != NULL)
        call_hook(op, fn->open->open, "open");
    if (op->ops->opened && !op->env->failed && op->ops->opened(op, &error) != RASK_OK)
        raski_operator_fail(op, &error);
    raski_operator_snapshot_reader *from = op->restore_from;
    op->restore_from = NULL;
    if (from != NULL && op->broadcast != NULL && !op->env->failed &&
        raski_snapshot_reader_operator_states(from, raski_broadcast_state_states(op->broadcast),
                                              &error) != RASK_OK)
        raski_operator_fail(op, &error);
    if (from != NULL && op->ops->restore && !op->env->failed &&
        op->ops->restore(op, from, &error) != RASK_OK)
        raski_operator_fail(op, &error);
}

rask_status raski_operator_snapshot(raski_operator *op, raski_operator_snapshot_writer *writer,
                                    raski_error *err) {
    RASKI_DCHECK(op->opened && op->pending == 0);
    const raski_fn *fn = op->def->fn;
    if (fn != NULL && fn->snapshot != NULL && fn->snapshot->snapshot != NULL) {
        op->record_base = 0;
        call_hook(op, fn->snapshot->snapshot, "snapshot");
        if (op->env->failed) {
            if (err != NULL) *err = op->env->error;
            return raski_failed(op->env->error.status);
        }
    }
    if (op->lists != NULL) {
        raski_list_state_end_batch(op->lists);
        RASKI_TRY(raski_snapshot_writer_add_operator_states(
            writer, raski_list_state_states(op->lists), err));
    }
    if (op->broadcast != NULL)
        RASKI_TRY(raski_snapshot_writer_add_operator_states(
            writer, raski_broadcast_state_states(op->broadcast), err));
    return op->ops->snapshot ? op->ops->snapshot(op, writer, err) : RASK_OK;
}

/* The second input is the one that changes it. */
static void process_with_broadcast_state(raski_operator *op, unsigned input, void *records,
                                         int64_t *timestamps, size_t n) {
    RASKI_LOCAL_ERROR(error);
    raski_broadcast_state_allow_writes(op->broadcast, input == 1);
    op->ops->process(op, input, records, timestamps, n, false);
    raski_broadcast_state_allow_writes(op->broadcast, false);
    if (raski_broadcast_state_adopt(op->broadcast, &error) != RASK_OK)
        raski_operator_fail(op, &error);
    raski_broadcast_state_end_batch(op->broadcast);
}

void raski_operator_process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                            size_t n, bool exclusive) {
    raski_operator_begin(op, n);
    /* The loops stamp what they emit exactly when they find a column. */
    if (!op->def->stamped)
        timestamps = NULL;
    else if (timestamps == NULL)
        timestamps = raski_operator_no_timestamps(op);
    op->ctx.ts = timestamps;
    if (op->broadcast == NULL)
        op->ops->process(op, input, records, timestamps, n, exclusive);
    else
        process_with_broadcast_state(op, input, records, timestamps, n);
    if (op->lists != NULL) raski_list_state_end_batch(op->lists);
}

static void finish(raski_operator *op) {
    if (op->finished) return;
    op->finished = true;
    op->record_base = 0;
    raski_operator_enter(op);
    op->ctx.ts = NULL;
    const raski_fn *fn = op->def->fn;
    if (fn != NULL && fn->end != NULL && fn->end->end != NULL && raski_operator_room(op))
        raski_operator_add_pending(op, fn->end->end(op->self, &op->ctx));
    if (op->ops->finish && !op->env->failed) op->ops->finish(op);
    if (fn != NULL && fn->finish != NULL && fn->finish->finish != NULL && !op->env->failed)
        call_hook(op, fn->finish->finish, "finish");
    if (!op->env->failed) raski_operator_hand_on(op);
}

static void end_targets(raski_output *output) {
    for (size_t i = 0; i < output->targets.count; i++)
        if (output->targets.items[i].op != NULL)
            raski_operator_end_input(output->targets.items[i].op, output->targets.items[i].input);
}

void raski_operator_end_input(raski_operator *op, unsigned input) {
    if (op->env->failed) return;
    op->inputs_open &= ~(1U << input);
    if (op->inputs_open != 0) return;
    finish(op);
    end_targets(&op->out);
    for (size_t i = 0; i < op->sides.count; i++) end_targets(&op->sides.items[i].output);
}

void raski_operator_close(raski_operator *op) {
    if (!op->opened) return;
    op->opened = false;
    op->record_base = 0;
    const raski_fn *fn = op->def->fn;
    if (fn != NULL && fn->close != NULL && fn->close->close != NULL)
        call_hook(op, fn->close->close, "close");
    if (op->ops->close != NULL) op->ops->close(op);
}

bool raski_operator_is_function(const raski_operator *op, raski_fn_kind kind) {
    return op->def->type == RASKI_OPERATOR_FUNCTION && op->def->fn->kind == kind;
}
