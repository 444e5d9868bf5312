/* Where the records of an operator go: into its own batch or an exchange buffer, on to chained
 * operators and writers, into side outputs. */
#include <string.h>

#include "operators/operator.h"
#include "types/type_info.h"

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
