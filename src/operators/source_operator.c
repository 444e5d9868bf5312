/* Sources: run the user's loop until a batch is full or nothing more is there right now. Split
 * sources ask their coordinator for work, a split at a time. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "operators/operator.h"

typedef enum split_state { SPLIT_NONE, SPLIT_ASKED, SPLIT_READING, SPLIT_NO_MORE } split_state;

typedef struct piece {
    char *bytes; /* owned */
    size_t size;
} piece;

typedef struct reading {
    split_state state;
    piece split;              /* the running one, as it was begun */
    RASKI_VEC(piece) to_read; /* restored ones */
    size_t restored;          /* of to_read so many were begun */
} reading;

static rask_status setup(raski_operator *op, raski_error *err) {
    reading *r = raski_try_calloc(1, sizeof *r);
    if (r == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a source");
    op->kind = r;
    return RASK_OK;
}

static void teardown(raski_operator *op) {
    reading *r = op->kind;
    if (r == NULL) return;
    raski_free(r->split.bytes);
    for (size_t i = r->restored; i < r->to_read.count; i++) raski_free(r->to_read.items[i].bytes);
    raski_vec_free(&r->to_read);
    raski_free(r);
    op->kind = NULL;
}

static bool is_split_source(const raski_operator *op) {
    return op->def->fn->kind == RASKI_FN_SPLIT_SOURCE;
}

static void note_failure(raski_operator *op, rask_status status, const char *what) {
    if (status < 0 && !op->env->failed)
        (void)rask_fail("%s returned %d without a message (use rask_fail)", what, status);
}

/* Begins a split, which is taken. */
static void begin_split(raski_operator *op, reading *r, piece split) {
    const raski_fn *fn = op->def->fn;
    raski_operator_enter(op);
    op->record_base = 0;
    raski_free(r->split.bytes);
    r->split = split;
    r->state = SPLIT_READING;
    if (fn->add_split == NULL || fn->add_split->add_split == NULL)
        (void)rask_fail("the split source \"%s\" (%s:%d) has no RASK_ADD_SPLIT", fn->name, fn->file,
                        fn->line);
    else
        note_failure(op, fn->add_split->add_split(op->self, rask_bytes_of(split.bytes, split.size)),
                     "add_split");
}

/* All positions of a source without splits. */
static void go_on_at(raski_operator *op, reading *r) {
    const raski_fn *fn = op->def->fn;
    raski_operator_enter(op);
    op->record_base = 0;
    while (r->restored < r->to_read.count && !op->env->failed) {
        piece position = r->to_read.items[r->restored++];
        if (fn->restore == NULL || fn->restore->add_split == NULL)
            (void)rask_fail("the source \"%s\" (%s:%d) has a RASK_POSITION, but no RASK_RESTORE",
                            fn->name, fn->file, fn->line);
        else
            note_failure(
                op, fn->restore->add_split(op->self, rask_bytes_of(position.bytes, position.size)),
                "restoring a source");
        raski_free(position.bytes);
    }
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
    if (r->restored < r->to_read.count) {
        if (!is_split_source(op))
            go_on_at(op, r);
        else if (r->state == SPLIT_NONE)
            begin_split(op, r, r->to_read.items[r->restored++]);
    }
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
    const unsigned char kind = size > 0 ? *(const unsigned char *)bytes : 0;
    raski_operator_enter(op);
    op->record_base = 0;
    if (kind == RASKI_SOURCE_EVENT_NO_MORE)
        r->state = SPLIT_NO_MORE;
    else if (kind == RASKI_SOURCE_EVENT_SPLIT && r->state == SPLIT_ASKED)
        begin_split(op, r, (piece){raski_memdup((const char *)bytes + 1, size - 1), size - 1});
    else
        (void)rask_fail("an event of kind %d came that this source does not know", kind);
}

/* ---------------------------------------------------------------- positions */
void raski_source_positions(raski_operator *op,
                            void (*take)(void *ctx, const void *bytes, size_t size), void *ctx) {
    const reading *r = op->kind;
    const raski_fn *fn = op->def->fn;
    const bool tells = fn->position != NULL && fn->position->position != NULL;
    rask_text text = {0};
    raski_operator_enter(op);
    if (is_split_source(op) && r->state != SPLIT_READING) {
        /* nothing has begun */
    } else if (tells) {
        note_failure(op, fn->position->position(op->self, &text), "the position of a source");
        if (!op->env->failed) take(ctx, text.data, text.length);
        free(text.data);
    } else if (is_split_source(op)) {
        take(ctx, r->split.bytes, r->split.size);
    }
    for (size_t i = r->restored; i < r->to_read.count && !op->env->failed; i++)
        take(ctx, r->to_read.items[i].bytes, r->to_read.items[i].size);
}

void raski_source_restore(raski_operator *op, const void *bytes, size_t size) {
    reading *r = op->kind;
    raski_vec_push(&r->to_read, (piece){raski_memdup(bytes, size), size});
}

static void process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive) {
    (void)input, (void)records, (void)timestamps, (void)n, (void)exclusive;
    (void)rask_fail("a source has no input");
    (void)op;
}

const raski_operator_ops raski_source_ops = {
    .name = "source", .setup = setup, .process = process, .teardown = teardown};
