/* Sources: run the user's loop until a batch is full or nothing more is there right now. Split
 * sources ask their coordinator for splits; each of those that are read at the same time has an
 * instance of its own. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "operators/operator.h"
#include "operators/time/source_time.h"
#include "state/snapshot.h"

typedef struct piece {
    char *bytes; /* owned */
    size_t size;
} piece;

/* Reads one split at a time (a source without splits: the whole). */
typedef struct slot {
    void *self; /* of the first: the operator's; else owned */
    bool opened;
    bool reading;
    piece split;            /* as it was begun */
    raski_split_time *time; /* while it reads; NULL: the source has no strategy */
    int64_t wake_ns; /* it has nothing before that time, unless wake_fd can be read; 0: now */
    int wake_fd;
} slot;

typedef enum asking { ASK_WANTED, ASK_ASKED, ASK_NO_MORE } asking;

typedef struct reading {
    slot *slots; /* owned */
    size_t slot_count, next, reading_count;
    size_t idle_in_row; /* so many slots had nothing, one after the other */
    asking asking;
    unsigned char ended;      /* splits since the last request */
    bool ever_read;           /* there was a split */
    RASKI_VEC(piece) to_read; /* restored ones */
    size_t restored;          /* of to_read so many were begun */
    raski_source_time *time;  /* NULL: no timestamps */
} reading;

static bool is_split_source(const raski_operator *op) {
    return op->def->fn->kind == RASKI_FN_SPLIT_SOURCE;
}

static void note_failure(raski_operator *op, rask_status status, const char *what) {
    if (status < 0 && !op->env->failed)
        (void)rask_fail("%s returned %d without a message (use rask_fail)", what, status);
}

static void fail_with(raski_operator *op, const raski_error *error) {
    op->record_base = 0;
    raski_operator_fail(op, error);
}

/* ---------------------------------------------------------------- life */
/* Instances beyond the first one are made, opened and closed here. */
static rask_status make_slots(raski_operator *op, reading *r, raski_error *err) {
    const raski_states *self = op->def->fn->self;
    r->slot_count =
        is_split_source(op) && op->def->splits_at_once > 1 ? op->def->splits_at_once : 1;
    r->slots = raski_try_calloc(r->slot_count, sizeof *r->slots);
    if (r->slots == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a source");
    r->slots[0].self = op->self;
    for (size_t i = 1; i < r->slot_count && self->size > 0; i++) {
        r->slots[i].self = raski_try_calloc(1, self->size);
        if (r->slots[i].self == NULL)
            return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL,
                              "no memory for an instance of %s (%zu bytes)", self->type,
                              self->size);
        if (op->def->self != NULL) memcpy(r->slots[i].self, op->def->self, self->size);
    }
    return RASK_OK;
}

static void open_slots(raski_operator *op, reading *r) {
    const raski_hook *hook = op->def->fn->open;
    for (size_t i = 1; i < r->slot_count && !op->env->failed; i++) {
        r->slots[i].opened = true;
        if (hook != NULL && hook->open != NULL)
            note_failure(op, hook->open(r->slots[i].self), "open");
    }
}

static raski_split_time *begin_time(raski_operator *op, reading *r) {
    raski_split_time *time = NULL;
    raski_error error = {0};
    if (r->time != NULL &&
        raski_source_time_begin(r->time, is_split_source(op), &time, &error) != RASK_OK)
        fail_with(op, &error);
    return time;
}

static rask_status setup(raski_operator *op, raski_error *err) {
    reading *r = raski_try_calloc(1, sizeof *r);
    if (r == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a source");
    op->kind = r;
    RASKI_TRY(make_slots(op, r, err));
    RASKI_TRY(raski_source_time_create(op, &r->time, err));
    open_slots(op, r);
    if (!is_split_source(op)) {
        r->slots[0].time = begin_time(op, r);
        r->slots[0].reading = r->ever_read = true;
        r->reading_count = 1;
    }
    return RASK_OK;
}

static void finish(raski_operator *op) {
    const reading *r = op->kind;
    const raski_hook *hook = op->def->fn->finish;
    for (size_t i = 1; i < r->slot_count && !op->env->failed; i++)
        if (hook != NULL && hook->finish != NULL)
            note_failure(op, hook->finish(r->slots[i].self), "finish");
}

static void close_slots(raski_operator *op) {
    reading *r = op->kind;
    const raski_hook *hook = op->def->fn->close;
    for (size_t i = 1; i < r->slot_count; i++) {
        if (r->slots[i].opened && hook != NULL && hook->close != NULL)
            note_failure(op, hook->close(r->slots[i].self), "close");
        r->slots[i].opened = false;
    }
}

static void teardown(raski_operator *op) {
    reading *r = op->kind;
    if (r == NULL) return;
    raski_source_time_destroy(r->time);
    for (size_t i = 0; r->slots != NULL && i < r->slot_count; i++) {
        raski_free(r->slots[i].split.bytes);
        if (i > 0) raski_free(r->slots[i].self);
    }
    raski_free(r->slots);
    for (size_t i = r->restored; i < r->to_read.count; i++) raski_free(r->to_read.items[i].bytes);
    raski_vec_free(&r->to_read);
    raski_free(r);
    op->kind = NULL;
}

/* ---------------------------------------------------------------- splits */
static slot *free_slot(const reading *r) {
    for (size_t i = 0; i < r->slot_count; i++)
        if (!r->slots[i].reading) return &r->slots[i];
    return NULL;
}

/* Begins a split, which is taken, in a slot that is free. */
static void begin_split(raski_operator *op, reading *r, piece split) {
    const raski_fn *fn = op->def->fn;
    slot *s = free_slot(r);
    RASKI_ASSERT(s != NULL);
    raski_operator_enter(op);
    op->record_base = 0;
    raski_free(s->split.bytes);
    *s = (slot){.self = s->self,
                .opened = s->opened,
                .reading = true,
                .split = split,
                .time = begin_time(op, r),
                .wake_fd = -1};
    r->reading_count++;
    r->ever_read = true;
    raski_operator_enter(op);
    if (fn->add_split == NULL || fn->add_split->add_split == NULL)
        (void)rask_fail("the split source \"%s\" (%s:%d) has no RASK_ADD_SPLIT", fn->name, fn->file,
                        fn->line);
    else
        note_failure(op, fn->add_split->add_split(s->self, rask_bytes_of(split.bytes, split.size)),
                     "add_split");
}

static void end_split(reading *r, slot *s) {
    s->reading = false;
    r->reading_count--;
    if (r->ended < UINT8_MAX) r->ended++;
    if (s->time != NULL) raski_source_time_end(r->time, s->time);
    s->time = NULL;
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

/* Fills free slots: with restored splits, then with what the coordinator has. */
static void look_for_splits(raski_operator *op, reading *r) {
    while (r->restored < r->to_read.count && r->reading_count < r->slot_count && !op->env->failed)
        begin_split(op, r, r->to_read.items[r->restored++]);
    if (r->reading_count == r->slot_count || r->asking != ASK_WANTED) return;
    r->asking = ASK_ASKED;
    const char request[2] = {RASKI_SOURCE_EVENT_REQUEST, (char)r->ended};
    r->ended = 0;
    op->env->send_event(op->env->context, op, request, r->slot_count > 1 ? 2 : 1);
}

/* ---------------------------------------------------------------- reading */
static bool is_paused(const reading *r, const slot *s) {
    return s->time != NULL && raski_source_time_is_paused(r->time, s->time);
}

/* The next slot that may be read; NULL: none has a split, or all wait for their group. They are
 * read in turn: one that is idle is asked again when the others have had theirs. */
static slot *next_slot(reading *r) {
    for (size_t k = 0; k < r->slot_count; k++) {
        slot *s = &r->slots[(r->next + k) % r->slot_count];
        if (!s->reading || is_paused(r, s)) continue;
        r->next = (r->next + k + 1) % r->slot_count;
        return s;
    }
    return NULL;
}

/* A slot has nothing right now. When that is so for all, the source is idle until the first of them
 * wants to be asked again. */
static raski_source_result note_idle(raski_operator *op, reading *r, slot *s) {
    static const int64_t default_wait_ns = 1000000; /* the task's, too */
    s->wake_ns = op->ctx.wake_ns > 0 ? op->ctx.wake_ns : default_wait_ns;
    s->wake_fd = op->ctx.wake_fd;
    size_t readable = 0;
    int64_t wake_ns = INT64_MAX;
    int wake_fd = -1;
    for (size_t i = 0; i < r->slot_count; i++) {
        const slot *other = &r->slots[i];
        if (!other->reading || is_paused(r, other)) continue;
        readable++;
        if (other->wake_ns < wake_ns) wake_ns = other->wake_ns;
        if (other->wake_fd >= 0) wake_fd = other->wake_fd;
    }
    if (++r->idle_in_row < readable) return RASKI_SOURCE_MORE;
    r->idle_in_row = 0;
    if (readable == 0) return RASKI_SOURCE_WAIT; /* its last batch was too far ahead */
    op->ctx.wake_ns = wake_ns;
    op->ctx.wake_fd = wake_fd;
    return RASKI_SOURCE_IDLE;
}

/* Lets a slot emit a batch; what its function returned, negative when the task has failed. */
static rask_status read_batch(raski_operator *op, reading *r, slot *s) {
    raski_operator_enter(op);
    if (r->time != NULL) raski_source_time_enter(r->time, s->time);
    if (!raski_operator_room(op)) return RASK_FAILED;
    op->ctx.wake_ns = 0;
    op->ctx.wake_fd = -1;
    op->record_base = op->records_out + 1;
    op->ctx.i = 0;
    size_t n = 0;
    rask_status status = op->def->fn->next(s->self, &op->ctx, &n);
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
        return RASK_FAILED;
    }
    raski_operator_add_pending(op, n);
    raski_operator_hand_on(op);
    return status;
}

static raski_source_result end_of_source(reading *r) {
    if (r->time != NULL) raski_source_time_finish(r->time);
    return RASKI_SOURCE_END;
}

static raski_source_result after_batch(raski_operator *op, reading *r, slot *s,
                                       rask_status status) {
    if (status < 0) return RASKI_SOURCE_END;
    if (status == RASK_IDLE) return note_idle(op, r, s);
    r->idle_in_row = 0;
    if (status != RASK_END) return RASKI_SOURCE_MORE;
    if (!is_split_source(op)) return end_of_source(r);
    end_split(r, s);
    return RASKI_SOURCE_MORE;
}

raski_source_result raski_source_step(raski_operator *op) {
    reading *r = op->kind;
    if (is_split_source(op)) {
        look_for_splits(op, r);
        if (r->reading_count == 0)
            return r->asking == ASK_NO_MORE ? end_of_source(r) : RASKI_SOURCE_WAIT;
    } else if (r->restored < r->to_read.count) {
        go_on_at(op, r);
    }
    slot *s = next_slot(r);
    return s != NULL ? after_batch(op, r, s, read_batch(op, r, s)) : RASKI_SOURCE_WAIT;
}

bool raski_source_was_empty(const raski_operator *op) {
    return !((const reading *)op->kind)->ever_read;
}

/* ---------------------------------------------------------------- events */
static void handle_align(raski_operator *op, const reading *r, const char *bytes, size_t size) {
    int64_t watermark_ms;
    if (r->time == NULL || size != sizeof watermark_ms) {
        (void)rask_fail("an alignment event of %zu bytes came", size);
        return;
    }
    (void)op;
    memcpy(&watermark_ms, bytes, sizeof watermark_ms);
    raski_source_time_align(r->time, watermark_ms);
}

void raski_source_handle_event(raski_operator *op, const void *bytes, size_t size) {
    reading *r = op->kind;
    const char *rest = (const char *)bytes + 1;
    const int kind = size > 0 ? *(const unsigned char *)bytes : 0;
    raski_operator_enter(op);
    op->record_base = 0;
    if (kind == RASKI_SOURCE_EVENT_NO_MORE) {
        r->asking = ASK_NO_MORE;
    } else if (kind == RASKI_SOURCE_EVENT_SPLIT && r->asking == ASK_ASKED) {
        r->asking = ASK_WANTED;
        begin_split(op, r, (piece){raski_memdup(rest, size - 1), size - 1});
    } else if (kind == RASKI_SOURCE_EVENT_WAIT && r->asking == ASK_ASKED) {
        if (r->time != NULL) raski_source_time_waits(r->time);
    } else if (kind == RASKI_SOURCE_EVENT_ALIGN) {
        handle_align(op, r, rest, size - 1);
    } else {
        (void)rask_fail("an event of kind %d came that this source does not know", kind);
    }
}

/* ---------------------------------------------------------------- positions */
static void take_position(raski_operator *op, const slot *s,
                          void (*take)(void *ctx, const void *bytes, size_t size), void *ctx) {
    const raski_fn *fn = op->def->fn;
    if (fn->position != NULL && fn->position->position != NULL) {
        rask_text text = {0};
        note_failure(op, fn->position->position(s->self, &text), "the position of a source");
        if (!op->env->failed) take(ctx, text.data, text.length);
        free(text.data);
    } else if (is_split_source(op)) {
        take(ctx, s->split.bytes, s->split.size);
    }
}

void raski_source_positions(raski_operator *op,
                            void (*take)(void *ctx, const void *bytes, size_t size), void *ctx) {
    const reading *r = op->kind;
    raski_operator_enter(op);
    for (size_t i = 0; i < r->slot_count; i++)
        if (r->slots[i].reading) take_position(op, &r->slots[i], take, ctx);
    for (size_t i = r->restored; i < r->to_read.count && !op->env->failed; i++)
        take(ctx, r->to_read.items[i].bytes, r->to_read.items[i].size);
}

void raski_source_restore(raski_operator *op, const void *bytes, size_t size) {
    reading *r = op->kind;
    raski_vec_push(&r->to_read, (piece){raski_memdup(bytes, size), size});
}

/* As a list of items: any subtask of a later job goes on with any of them. */
enum { POSITIONS_VERSION = 1 };
static const char POSITIONS[] = "source positions";

typedef struct positions {
    RASKI_VEC(rask_bytes) items;
    RASKI_VEC(char *) copies; /* owned; what items borrow */
} positions;

static void copy_position(void *ctx, const void *bytes, size_t size) {
    positions *all = ctx;
    raski_vec_push(&all->copies, raski_memdup(bytes, size));
    raski_vec_push(&all->items, rask_bytes_of(all->copies.items[all->copies.count - 1], size));
}

static rask_status snapshot(raski_operator *op, raski_operator_snapshot_writer *writer,
                            raski_error *err) {
    positions all = {0};
    rask_status status = RASK_FAILED;
    raski_source_positions(op, copy_position, &all);
    if (op->env->failed) {
        if (err != NULL) *err = op->env->error;
    } else {
        status = raski_snapshot_writer_add_items(writer, POSITIONS, RASKI_OPERATOR_STATE_SPLIT,
                                                 POSITIONS_VERSION, all.items.items,
                                                 all.items.count, err);
    }
    for (size_t i = 0; i < all.copies.count; i++) raski_free(all.copies.items[i]);
    raski_vec_free(&all.copies);
    raski_vec_free(&all.items);
    return status;
}

static rask_status restore_one(void *op, uint32_t version, const void *item, size_t size,
                               raski_error *err) {
    if (version != POSITIONS_VERSION)
        return RASKI_FAIL(err, RASK_E_UNSUPPORTED, USER,
                          "positions of a source have version %u, but this Rask knows %d only",
                          version, POSITIONS_VERSION);
    raski_source_restore(op, item, size);
    return RASK_OK;
}

static rask_status restore(raski_operator *op, raski_operator_snapshot_reader *reader,
                           raski_error *err) {
    return raski_snapshot_reader_items(reader, POSITIONS, restore_one, op, err);
}

/* ---------------------------------------------------------------- the operator */
static void process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive) {
    (void)input, (void)records, (void)timestamps, (void)n, (void)exclusive;
    (void)rask_fail("a source has no input");
    (void)op;
}

static bool emitted(raski_operator *op, size_t n) {
    const reading *r = op->kind;
    return r->time != NULL && raski_source_time_emitted(r->time, n);
}

static void processing_time(raski_operator *op, int64_t now_ms) {
    const reading *r = op->kind;
    if (r->time != NULL) raski_source_time_processing_time(r->time, now_ms);
}

const raski_operator_ops raski_source_ops = {
    .name = "source",
    .setup = setup,
    .process = process,
    .emitted = emitted,
    .processing_time = processing_time,
    .snapshot = snapshot,
    .restore = restore,
    .finish = finish,
    .close = close_slots,
    .teardown = teardown,
};
