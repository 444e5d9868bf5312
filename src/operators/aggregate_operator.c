/* sum, min, max, min_by, max_by and reduce on a keyed stream. */
#include <string.h>

#include "operators/keyed_backend.h"
#include "operators/operator.h"
#include "state/snapshot.h"
#include "types/java_hash.h"

typedef struct aggregating {
    raski_aggregate *aggregate;
    void *keys;               /* of the selector; NULL without */
    raski_memory_limit limit; /* of the state */
} aggregating;

enum { BLOCK = 64 }; /* records whose selector keys are made at once */

static rask_status setup(raski_operator *op, raski_error *err) {
    const raski_operator_definition *def = op->def;
    aggregating *a = raski_try_calloc(1, sizeof *a);
    if (a == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for keyed state");
    op->kind = a;
    const raski_fn *selector = def->key->selector;
    if (selector != NULL) {
        a->keys = raski_try_alloc(BLOCK * selector->out->size, 64);
        if (a->keys == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for keys");
    }
    raski_keyed_table_options backend = {0};
    RASKI_TRY(raski_keyed_backend_apply(op, &a->limit, &backend, err));
    raski_aggregate_options options = {
        .backend = &backend,
        .kind = def->aggregate,
        .record = def->in,
        .key = &def->key->fields,
        .key_apart = selector != NULL,
        .field_offset = def->field.offset,
        .field = def->field.type,
        .first = def->first_on_tie,
        .reduce = def->fn ? def->fn->reduce : NULL,
        .function = &op->ctx,
    };
    return raski_aggregate_create(&options, &a->aggregate, err);
}

static rask_status snapshot(raski_operator *op, raski_operator_snapshot_writer *writer,
                            raski_error *err) {
    const aggregating *a = op->kind;
    return raski_snapshot_writer_add_keyed(writer, "aggregate", raski_aggregate_table(a->aggregate),
                                           NULL, NULL, err);
}

static rask_status restore(raski_operator *op, raski_operator_snapshot_reader *reader,
                           raski_error *err) {
    const aggregating *a = op->kind;
    return raski_snapshot_reader_keyed(reader, "aggregate", raski_aggregate_table(a->aggregate),
                                       NULL, NULL, err);
}

static void teardown(raski_operator *op) {
    aggregating *a = op->kind;
    if (a == NULL) return;
    raski_aggregate_destroy(a->aggregate);
    raski_free(a->keys);
    raski_free(a);
    op->kind = NULL;
}

static rask_status aggregate_part(raski_operator *op, const char *in, size_t n, raski_error *err) {
    aggregating *a = op->kind;
    const raski_fn *selector = op->def->key->selector;
    const void *keys = in;
    size_t key_size = op->def->in->size;
    if (selector != NULL) {
        RASKI_TRY(raski_select_keys(selector, in, n, a->keys, &op->ctx.i, err));
        keys = a->keys;
        key_size = selector->out->size;
    }
    if (op->def->final_results)
        return raski_aggregate_accumulate(a->aggregate, keys, key_size, in, n, err);
    RASKI_TRY(raski_aggregate_process(a->aggregate, keys, key_size, in, n, op->ctx.buf, err));
    return RASK_OK;
}

static void process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive) {
    (void)input;
    (void)exclusive;
    size_t size = op->def->in->size;
    const char *in = records;
    RASKI_LOCAL_ERROR(error);
    while (n > 0 && raski_operator_room(op)) {
        size_t part = n < op->ctx.cap ? n : op->ctx.cap;
        if (op->def->key->selector != NULL && part > BLOCK) part = BLOCK;
        op->ctx.i = 0;
        if (aggregate_part(op, in, part, &error) != RASK_OK) {
            raski_operator_fail(op, &error);
            return;
        }
        if (op->ctx.failed) return;
        if (op->ctx.ts_out != NULL && !op->def->final_results)
            memcpy(op->ctx.ts_out, timestamps, part * sizeof *timestamps);
        if (!op->def->final_results) op->pending += part;
        if (timestamps != NULL) timestamps += part;
        op->record_base += (int64_t)part;
        in += part * size;
        n -= part;
    }
    raski_operator_hand_on(op);
    raski_aggregate_end_batch(((aggregating *)op->kind)->aggregate);
}

/* Final results have the time of the end, as in Flink. */
static void emit_final(raski_operator *op, const char *records, size_t count) {
    int64_t ends[BLOCK];
    for (size_t i = 0; i < BLOCK; i++) ends[i] = INT64_MAX;
    for (size_t n = 0; count > 0; count -= n, records += n * op->out_size) {
        n = count < BLOCK ? count : BLOCK;
        raski_operator_emit(op, records, ends, n);
    }
}

static rask_status emit(void *ctx, const void *records, size_t count, raski_error *err) {
    raski_operator *op = ctx;
    if (op->def->stamped)
        emit_final(op, records, count);
    else
        raski_operator_emit(op, records, NULL, count);
    raski_operator_hand_on(op); /* the records are good during this call only */
    if (op->env->failed) return RASKI_FAIL(err, RASK_E_CANCELLED, CANCELLED, "the task has failed");
    return RASK_OK;
}

static void finish(raski_operator *op) {
    if (!op->def->final_results) return;
    aggregating *a = op->kind;
    RASKI_LOCAL_ERROR(error);
    if (raski_aggregate_finish(a->aggregate, emit, op, &error) != RASK_OK)
        raski_operator_fail(op, &error);
}

static void end_keys(raski_operator *op) {
    finish(op);
    raski_keyed_table_remove_all(raski_aggregate_table(((aggregating *)op->kind)->aggregate));
}

/* ---------------------------------------------------------------- whether order matters */
static bool is_part_of_key(const raski_key_spec *key, const rask_field *field) {
    for (uint32_t i = 0; i < key->part_count; i++) {
        const raski_key_field *part = &key->parts[i];
        if (field->offset >= part->offset && field->offset < part->offset + part->type->size)
            return true;
    }
    return false;
}

static bool is_exact(const raski_operator_definition *def) {
    switch (def->aggregate) {
        case RASKI_AGGREGATE_MIN:
        case RASKI_AGGREGATE_MAX:
            return true;
        case RASKI_AGGREGATE_SUM:
            return def->field.type->kind != RASK_KIND_FLOAT &&
                   def->field.type->kind != RASK_KIND_DOUBLE;
        default:
            return false;
    }
}

bool raski_aggregate_depends_on_order(const raski_operator_definition *def) {
    if (def->type != RASKI_OPERATOR_AGGREGATE) return true;
    if (!def->stamped) return false; /* any order will do: that of arrival */
    if (!is_exact(def) || def->key->selector != NULL) return true;
    if (def->in->kind != RASK_KIND_RECORD) return false;
    for (uint32_t i = 0; i < def->in->field_count; i++) {
        const rask_field *field = &def->in->fields[i];
        if (field->offset != def->field.offset && !is_part_of_key(&def->key->fields, field))
            return true; /* it is that of the first record */
    }
    return false;
}

const raski_operator_ops raski_aggregate_ops = {.name = "aggregate",
                                                .setup = setup,
                                                .process = process,
                                                .end_keys = end_keys,
                                                .snapshot = snapshot,
                                                .restore = restore,
                                                .finish = finish,
                                                .teardown = teardown};
