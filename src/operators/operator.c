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

/* ---------------------------------------------------------------- output */
static raski_target *only_writer(raski_operator *op) {
    return !op->uses_staging && op->out.targets.count == 1 &&
                   op->out.targets.items[0].writer != NULL
               ? &op->out.targets.items[0]
               : NULL;
}

static void set_window(raski_operator *op, void *window, int64_t *timestamps, size_t capacity) {
    op->window = window;
    op->window_timestamps = timestamps;
    op->window_capacity = capacity;
    op->pending = 0;
}

/* Points ctx behind the pending records. */
static void set_ctx(raski_operator *op) {
    op->ctx.buf = op->window + op->pending * op->out_size;
    op->ctx.cap = op->window_capacity - op->pending;
    op->ctx.ts_out = op->window_timestamps != NULL ? op->window_timestamps + op->pending : NULL;
    op->ctx.stamped = 0;
}

static void writer_failed(raski_operator *op, const raski_error *error) {
    op->record_base = 0; /* not the fault of a record */
    raski_operator_fail(op, error);
}

bool raski_operator_room(raski_operator *op) {
    if (op->window != NULL && op->pending == op->window_capacity) raski_operator_hand_on(op);
    if (op->window == NULL) {
        raski_target *target = only_writer(op);
        raski_window window;
        RASKI_LOCAL_ERROR(error);
        if (target == NULL) {
            set_window(op, op->staging, op->staging_timestamps, op->staging_capacity);
        } else if (raski_result_writer_window(target->writer, &window, &error) == RASK_OK) {
            set_window(op, window.records, window.timestamps, window.capacity);
        } else {
            writer_failed(op, &error);
        }
    }
    if (op->env->failed) {
        set_window(op, op->staging, op->staging_timestamps,
                   op->staging_capacity); /* loops may still write a little */
        set_ctx(op);
        op->ctx.failed = true;
        return false;
    }
    set_ctx(op);
    return true;
}

/* Hashes of the keys for a writer that routes by them; *ret_hashes is NULL for another one. */
static rask_status hash_keys(raski_target *target, const void *records, size_t n,
                             size_t record_size, const int32_t **ret_hashes, raski_error *err) {
    *ret_hashes = NULL;
    if (target->key == NULL) return RASK_OK;
    RASKI_TRY(raski_key_definition_hashes(target->key, records, n, record_size, target->keys,
                                          target->routed, target->hashes, err));
    target->routed += (int64_t)n;
    *ret_hashes = target->hashes;
    return RASK_OK;
}

static rask_status write_records(raski_target *target, const void *records,
                                 const int64_t *timestamps, size_t n, size_t record_size,
                                 raski_error *err) {
    const int32_t *hashes = NULL;
    RASKI_TRY(hash_keys(target, records, n, record_size, &hashes, err));
    return raski_result_writer_write(target->writer, records, n, timestamps, hashes, err);
}

/* Writers first: they copy, and a chained operator may overwrite an exclusive batch (only the last
 * one is allowed to). */
static void write_all(raski_operator *op, raski_target *target, const char *records,
                      const int64_t *timestamps, size_t n, size_t record_size) {
    RASKI_LOCAL_ERROR(error);
    for (size_t done = 0; done < n && !op->env->failed;) {
        size_t part = n - done < RASKI_BUFFER_SIZE ? n - done : RASKI_BUFFER_SIZE;
        if (write_records(target, records + done * record_size,
                          timestamps != NULL ? timestamps + done : NULL, part, record_size,
                          &error) != RASK_OK)
            writer_failed(op, &error);
        done += part;
    }
}

static void output_dispatch(raski_operator *op, raski_output *output, void *records,
                            int64_t *timestamps, size_t n, size_t record_size, bool exclusive) {
    size_t chained = 0;
    for (size_t i = 0; i < output->targets.count; i++) {
        raski_target *target = &output->targets.items[i];
        if (target->op != NULL)
            chained++;
        else
            write_all(op, target, records, timestamps, n, record_size);
    }
    for (size_t i = 0; i < output->targets.count && chained > 0; i++) {
        raski_target *target = &output->targets.items[i];
        if (target->op == NULL) continue;
        chained--;
        if (op->env->failed) return;
        raski_operator_process(target->op, target->input, records, timestamps, n,
                               exclusive && chained == 0);
    }
}

void raski_operator_dispatch(raski_operator *op, void *records, int64_t *timestamps, size_t n,
                             bool exclusive) {
    if (n == 0) return;
    raski_operator_count_out(op, n);
    if (op->next != NULL)
        raski_operator_process(op->next, op->next_input, records, timestamps, n, exclusive);
    else
        output_dispatch(op, &op->out, records, timestamps, n, op->out_size, exclusive);
    raski_operator_enter(op);
}

static void hand_on_sides(raski_operator *op) {
    for (size_t i = 0; i < op->sides.count; i++) {
        raski_side_output_buffer *side = &op->sides.items[i];
        size_t n = side->count;
        if (n == 0) continue;
        side->count = 0;
        raski_operator_count_out(op, n);
        output_dispatch(op, &side->output, side->records, side->timestamps, n, side->record_size,
                        false);
    }
}

static void commit_window(raski_operator *op, raski_target *target, const void *window, size_t n) {
    const int32_t *hashes = NULL;
    RASKI_LOCAL_ERROR(error);
    if (hash_keys(target, window, n, op->out_size, &hashes, &error) != RASK_OK ||
        raski_result_writer_commit(target->writer, n, hashes, &error) != RASK_OK)
        writer_failed(op, &error);
}

void raski_operator_hand_on(raski_operator *op) {
    size_t n = op->pending;
    char *window = op->window;
    int64_t *timestamps = op->window_timestamps;
    op->pending = 0;
    op->window = NULL;
    if (n > 0 && !op->env->failed) {
        raski_target *target = only_writer(op);
        if (target != NULL) {
            raski_operator_count_out(op, n);
            commit_window(op, target, window, n);
        } else {
            raski_operator_dispatch(op, window, timestamps, n, true);
        }
    }
    if (op->sides.count > 0 && !op->env->failed) hand_on_sides(op);
    raski_operator_enter(op);
}

int64_t *raski_operator_no_timestamps(raski_operator *op) {
    raski_operator_env *env = op->env;
    if (env->no_timestamps == NULL) {
        env->no_timestamps = raski_alloc(RASKI_BUFFER_SIZE * sizeof(int64_t));
        for (size_t i = 0; i < RASKI_BUFFER_SIZE; i++) env->no_timestamps[i] = RASK_NO_TIMESTAMP;
    }
    return env->no_timestamps;
}

void raski_operator_emit(raski_operator *op, const void *records, const int64_t *timestamps,
                         size_t n) {
    const char *from = records;
    while (n > 0 && raski_operator_room(op)) {
        size_t part = n < op->ctx.cap ? n : op->ctx.cap;
        memcpy(op->ctx.buf, from, part * op->out_size);
        if (op->ctx.ts_out != NULL) {
            const int64_t *stamps =
                timestamps != NULL ? timestamps : raski_operator_no_timestamps(op);
            memcpy(op->ctx.ts_out, stamps, part * sizeof *stamps);
        }
        if (timestamps != NULL) timestamps += part;
        op->pending += part;
        from += part * op->out_size;
        n -= part;
    }
}

void *raski_flush(rask_ctx *ctx, size_t n) {
    raski_operator *op = ctx->op;
    raski_operator_add_pending(op, n);
    raski_operator_hand_on(op);
    (void)raski_operator_room(op);
    return ctx->buf;
}

void raski_stamp(rask_ctx *ctx, size_t n) {
    const int64_t timestamp = ctx->ts != NULL ? ctx->ts[ctx->i] : RASK_NO_TIMESTAMP;
    int64_t *const timestamps = ctx->ts_out;
    for (size_t i = ctx->stamped; i < n; i++) timestamps[i] = timestamp;
    if (ctx->stamped < n) ctx->stamped = n;
}

void raski_operator_add_pending(raski_operator *op, size_t n) {
    if (op->ops->emitted != NULL && op->ops->emitted(op, n)) return;
    if (op->ctx.ts_out != NULL) raski_stamp(&op->ctx, n);
    op->pending += n;
}

int64_t raski_timestamp_of(const rask_ctx *ctx) {
    if (ctx->op->firing != NULL) return ctx->op->firing->time_ms;
    return ctx->ts != NULL ? ctx->ts[ctx->i] : RASK_NO_TIMESTAMP;
}

/* A tag of the same name in another file may have another type. */
static bool has_type_of(raski_operator *op, raski_side_output_buffer *side, const raski_tag *tag) {
    if (raski_type_equal(side->type, tag->type)) {
        side->same_type = tag->type;
        return true;
    }
    RASKI_LOCAL_ERROR(error);
    (void)RASKI_FAIL(&error, RASK_FAILED, USER,
                     "a record of type %s was emitted to side output \"%s\", which is read as %s",
                     tag->type->name, tag->name, side->type->name);
    raski_operator_fail(op, &error);
    return false;
}

void raski_operator_emit_side(raski_operator *op, const raski_tag *tag, const void *record,
                              int64_t timestamp) {
    for (size_t i = 0; i < op->sides.count; i++) {
        raski_side_output_buffer *side = &op->sides.items[i];
        if (side->tag != tag->name && strcmp(side->tag, tag->name) != 0) continue;
        if (side->same_type != tag->type && !has_type_of(op, side, tag)) return;
        if (side->count == side->capacity) {
            int64_t base = op->record_base;
            hand_on_sides(op);
            raski_operator_enter(op);
            op->record_base = base;
        }
        memcpy((char *)side->records + side->count * side->record_size, record, side->record_size);
        if (side->timestamps != NULL) side->timestamps[side->count] = timestamp;
        side->count++;
        return;
    }
    /* Nobody reads this tag: the record is dropped, as in Flink. */
}

void raski_side_emit(rask_ctx *ctx, const raski_tag *tag, const void *record) {
    raski_operator_emit_side(ctx->op, tag, record, raski_timestamp_of(ctx));
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
