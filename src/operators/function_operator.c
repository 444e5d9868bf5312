/* Operators without keyed state: the user's generated loops over batches. */
#include <string.h>

#include "operators/operator.h"

/* One record out for each in, or fewer: then the room for n records is enough for n of them. */
static bool is_one_to_one(raski_fn_kind kind) {
    return kind == RASKI_FN_MAP || kind == RASKI_FN_FILTER;
}

/* In place when the records may be overwritten and the result stays in this task. A result for an
 * exchange is written where it is sent from instead, which saves the same copy. */
static bool runs_in_place(const raski_operator *op, bool exclusive) {
    if (!exclusive || op->def->fn->run_in_place == NULL) return false;
    return op->out.targets.count != 1 || op->out.targets.items[0].op != NULL;
}

/* Operators in a row that all run in place are called one after another: each inside of the one
 * before would be deeper than a processor's memory of return addresses. */
static void process_in_place(raski_operator *op, void *records, int64_t *timestamps, size_t n) {
    for (;;) {
        op->ctx.ts_out = timestamps; /* filters keep both together */
        size_t out = op->def->fn->run_in_place(op->self, records, n, &op->ctx);
        if (op->ctx.failed) {
            raski_operator_name_record(op);
            return;
        }
        raski_operator *next = op->next;
        if (out == 0 || next == NULL || next->ops != &raski_function_ops ||
            !runs_in_place(next, true)) {
            raski_operator_dispatch(op, records, timestamps, out, true);
            return;
        }
        raski_operator_count_out(op, out);
        raski_operator_begin(next, out);
        next->ctx.ts = timestamps;
        op = next;
        n = out;
    }
}

static void process_sink(raski_operator *op, const void *records, size_t n) {
    (void)op->def->fn->run(op->self, records, n, &op->ctx);
    if (op->ctx.failed) raski_operator_name_record(op);
}

static void process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive) {
    const raski_fn *fn = op->def->fn;
    if (fn->kind == RASKI_FN_SINK) {
        process_sink(op, records, n);
        return;
    }
    if (runs_in_place(op, exclusive)) {
        process_in_place(op, records, timestamps, n);
        return;
    }
    const raski_input_definition from = raski_operator_definition_input(op->def, input);
    size_t size = from.type->size;
    const char *in = records;
    while (n > 0 && raski_operator_room(op)) {
        size_t part = is_one_to_one(fn->kind) && n > op->ctx.cap ? op->ctx.cap : n;
        size_t out = from.run(op->self, in, part, &op->ctx);
        if (op->ctx.failed) {
            raski_operator_name_record(op);
            return;
        }
        if (timestamps != NULL) {
            /* maps do not stamp: their records keep their places */
            if (fn->kind == RASKI_FN_MAP) memcpy(op->ctx.ts_out, op->ctx.ts, out * sizeof(int64_t));
            op->ctx.ts += part;
        }
        op->pending += out;
        op->record_base += (int64_t)part;
        in += part * size;
        n -= part;
    }
    raski_operator_hand_on(op);
}

static void processing_time(raski_operator *op, int64_t now_ms) {
    const raski_hook *hook = op->def->fn->wake;
    if (hook == NULL || hook->wake == NULL) return;
    rask_status status = hook->wake(op->self, now_ms);
    if (status < 0 && !op->env->failed)
        (void)rask_fail("it returned %d without a message (use rask_fail)", status);
}

const raski_operator_ops raski_function_ops = {
    .name = "function", .process = process, .processing_time = processing_time};
