/* Sources: run the user's loop until a batch is full or nothing more is there right now. Split
 * sources ask their coordinator for work, a split at a time. */
#include <string.h>

#include "operators/operator.h"

typedef enum split_state { SPLIT_NONE, SPLIT_ASKED, SPLIT_READING, SPLIT_NO_MORE } split_state;

typedef struct reading {
    split_state state;
} reading;

static rask_status setup(raski_operator *op, raski_error *err) {
    reading *r = raski_try_calloc(1, sizeof *r);
    if (r == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a source");
    op->kind = r;
    return RASK_OK;
}

static void teardown(raski_operator *op) {
    raski_free(op->kind);
    op->kind = NULL;
}

static bool is_split_source(const raski_operator *op) {
    return op->def->fn->kind == RASKI_FN_SPLIT_SOURCE;
}

static raski_source_result ask_for_split(raski_operator *op, reading *r) {
    if (r->state == SPLIT_NO_MORE) return RASKI_SOURCE_END;
    if (r->state == SPLIT_NONE) {
        r->state = SPLIT_ASKED;
        const char request = RASKI_SOURCE_EVENT_REQUEST;
        op->env->send_event(op->env->context, op, &request, 1);
    }
    return RASKI_SOURCE_WAIT;
}

raski_source_result raski_source_step(raski_operator *op) {
    reading *r = op->kind;
    if (is_split_source(op) && r->state != SPLIT_READING) return ask_for_split(op, r);
    raski_operator_enter(op);
    if (!raski_operator_room(op)) return RASKI_SOURCE_END;
    op->ctx.wake_ns = 0;
    op->ctx.wake_fd = -1;
    op->record_base = op->records_out + 1;
    op->ctx.i = 0;
    size_t n = 0;
    rask_status status = op->def->fn->next(op->self, &op->ctx, &n);
    if (status < 0 && !op->env->failed) {
        raski_error error = {0};
        (void)RASKI_FAIL(&error, RASK_E_ARGUMENT, USER,
                         "the source returned %d without a message (use rask_fail)", status);
        raski_operator_fail(op, &error);
    }
    if (op->ctx.failed) {
        /* a source fails at the record that it would have emitted next */
        if (op->env->failed_operator == op && op->env->record_number > 0)
            op->env->record_number = op->records_out + (int64_t)n + 1;
        return RASKI_SOURCE_END;
    }
    raski_operator_add_pending(op, n);
    raski_operator_hand_on(op);
    if (status == RASK_IDLE) return RASKI_SOURCE_IDLE;
    if (status != RASK_END) return RASKI_SOURCE_MORE;
    if (!is_split_source(op)) return RASKI_SOURCE_END;
    r->state = SPLIT_NONE;
    return RASKI_SOURCE_MORE;
}

void raski_source_handle_event(raski_operator *op, const void *bytes, size_t size) {
    reading *r = op->kind;
    const raski_fn *fn = op->def->fn;
    const unsigned char kind = size > 0 ? *(const unsigned char *)bytes : 0;
    raski_operator_enter(op);
    op->record_base = 0;
    if (kind == RASKI_SOURCE_EVENT_NO_MORE) {
        r->state = SPLIT_NO_MORE;
    } else if (kind == RASKI_SOURCE_EVENT_SPLIT && r->state == SPLIT_ASKED &&
               fn->add_split != NULL && fn->add_split->add_split != NULL) {
        r->state = SPLIT_READING;
        rask_status status =
            fn->add_split->add_split(op->self, rask_bytes_of((const char *)bytes + 1, size - 1));
        if (status < 0 && !op->env->failed)
            (void)rask_fail("add_split returned %d without a message (use rask_fail)", status);
    } else {
        (void)rask_fail("an event of kind %d came that this source does not know", kind);
    }
}

static void process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive) {
    (void)input, (void)records, (void)timestamps, (void)n, (void)exclusive;
    (void)rask_fail("a source has no input");
    (void)op;
}

const raski_operator_ops raski_source_ops = {
    .name = "source", .setup = setup, .process = process, .teardown = teardown};
