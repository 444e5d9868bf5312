/* sum, min, max, min_by, max_by and reduce on a keyed stream. */
#include <string.h>

#include "operators/operator.h"
#include "types/java_hash.h"

typedef struct aggregating {
    raski_aggregate *aggregate;
    void *keys; /* of the selector; NULL without */
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
    raski_aggregate_options options = {
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
    raski_error error = {0};
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

static rask_status emit(void *ctx, const void *records, size_t count, raski_error *err) {
    raski_operator *op = ctx;
    raski_operator_emit(op, records, NULL, count);
    raski_operator_hand_on(op); /* the records are good during this call only */
    if (op->env->failed) return RASKI_FAIL(err, RASK_E_CANCELLED, CANCELLED, "the task has failed");
    return RASK_OK;
}

static void finish(raski_operator *op) {
    if (!op->def->final_results) return;
    aggregating *a = op->kind;
    raski_error error = {0};
    if (raski_aggregate_finish(a->aggregate, emit, op, &error) != RASK_OK)
        raski_operator_fail(op, &error);
}

const raski_operator_ops raski_aggregate_ops = {.name = "aggregate",
                                                .setup = setup,
                                                .process = process,
                                                .finish = finish,
                                                .teardown = teardown};
