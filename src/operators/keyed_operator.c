/* Keyed process functions: looks up the state rows of a block of records, then runs the user's loop
 * over the block, whose state handles reach into the rows. */
#include <string.h>

#include "operators/keyed_backend.h"
#include "operators/keyed_input.h"
#include "operators/keyed_scope.h"
#include "operators/operator.h"
#include "operators/timers.h"
#include "state/keyed_table.h"
#include "state/snapshot.h"

typedef struct keyed {
    raski_keyed_table *table;
    raski_keyed_input input;
    char *rows[RASKI_LOOKUP_MAX];
    raski_keyed_scope scope;
    raski_memory_limit limit; /* of the table */
    raski_empty_rows empty;
    raski_operator_timers *timers;
    int64_t timer_times[RASKI_TIMERS_BLOCK]; /* that of the event-time timers that fire */
} keyed;

static void fire(raski_operator *op, rask_timer timer, char **rows, size_t n);

/* Rows of functions that have none need no place to count them. */
static bool has_timers(const raski_operator *op) {
    const raski_hook *hook = op->def->fn->timer;
    return hook != NULL && hook->timer != NULL;
}

/* All keyed inputs have keys of one type. */
static const raski_key_definition *first_key(const raski_operator *op) {
    const unsigned n = raski_operator_definition_input_count(op->def);
    const raski_key_definition *key = NULL;
    for (unsigned i = 0; i < n && key == NULL; i++)
        key = raski_operator_definition_input(op->def, i).key;
    return key;
}

static rask_status make_table(raski_operator *op, keyed *k, raski_error *err) {
    const raski_states *self = op->def->fn->self;
    raski_state_spec specs[RASKI_STATES_MAX] = {{0}};
    size_t count = 0;
    RASKI_TRY(raski_keyed_scope_specs(&k->scope, self, specs, &count, err));
    /* A function without state still has a current key. */
    if (count == 0) specs[count++] = (raski_state_spec){.name = "none", .size = 1, .align = 1};
    raski_keyed_table_options options = {.key = &first_key(op)->fields,
                                         .states = specs,
                                         .state_count = count,
                                         .timers = has_timers(op)};
    RASKI_TRY(raski_keyed_backend_apply(op, &k->limit, &options, err));
    RASKI_TRY(raski_keyed_table_create(&options, &k->table, err));
    if (has_timers(op)) k->timers = raski_operator_timers_create(op, k->table, fire);
    RASKI_TRY(raski_keyed_scope_init(&k->scope, k->table, &op->ctx, err));
    k->scope.empty = &k->empty;
    raski_keyed_scope_bind(&k->scope, &op->ctx, self, 0, op->self);
    return RASK_OK;
}

static rask_status setup(raski_operator *op, raski_error *err) {
    keyed *k = raski_try_calloc(1, sizeof *k);
    if (k == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for keyed state");
    op->kind = k;
    RASKI_TRY(raski_keyed_input_init(&k->input, op, err));
    return raski_keyed_scope_prepare(&k->scope, &op->ctx, op->def->fn->self, op->self, err);
}

/* The open hook has said which states have a time to live. */
static rask_status opened(raski_operator *op, raski_error *err) {
    keyed *k = op->kind;
    raski_keyed_scope_check(&k->scope, op);
    return make_table(op, k, err);
}

static raski_timer_queue *queue(const keyed *k, bool processing) {
    return k->timers != NULL ? raski_operator_timers_queue(k->timers, processing) : NULL;
}

static rask_status snapshot(raski_operator *op, raski_operator_snapshot_writer *writer,
                            raski_error *err) {
    const keyed *k = op->kind;
    return raski_snapshot_writer_add_keyed(writer, "keyed", k->table, queue(k, false),
                                           queue(k, true), err);
}

static rask_status restore(raski_operator *op, raski_operator_snapshot_reader *reader,
                           raski_error *err) {
    keyed *k = op->kind;
    RASKI_TRY(raski_snapshot_reader_keyed(reader, "keyed", k->table, queue(k, false),
                                          queue(k, true), err));
    if (k->timers != NULL) raski_operator_timers_restored(k->timers);
    return RASK_OK;
}

static void teardown(raski_operator *op) {
    keyed *k = op->kind;
    if (k == NULL) return;
    raski_operator_timers_destroy(k->timers);
    raski_keyed_table_destroy(k->table);
    raski_keyed_input_fini(&k->input);
    raski_empty_rows_fini(&k->empty);
    raski_keyed_scope_fini(&k->scope);
    raski_free(k);
    op->kind = NULL;
}

static void check_no_key(raski_operator *op) {
    keyed *k = op->kind;
    raski_keyed_scope_check(&k->scope, op);
}

/* The user's code ran over a block; candidates: a bit for each record whose row may be empty. */
static rask_status end_block(keyed *k, size_t n, uint64_t candidates, raski_error *err) {
    RASKI_TRY(raski_keyed_scope_adopt(&k->scope, err));
    /* Rows lack state when they are new, or after a clear. */
    if (k->scope.cleared) candidates = raski_first_bits(n);
    k->scope.cleared = false;
    return raski_empty_rows_note(&k->empty, k->rows, candidates, err);
}

/* Up to a block of records of a keyed input. */
static size_t process_keyed(raski_operator *op, unsigned input, const raski_input_definition *from,
                            const char *records, size_t n, raski_error *err) {
    keyed *k = op->kind;
    const size_t block = n < RASKI_LOOKUP_MAX ? n : RASKI_LOOKUP_MAX;
    uint64_t inserted = 0;
    if (raski_keyed_input_lookup(&k->input, op, input, records, block, k->table, k->rows, &inserted,
                                 err) != RASK_OK ||
        !raski_operator_room(op))
        return 0;
    op->ctx.rows = k->rows;
    const size_t out = from->run(op->self, records, block, &op->ctx);
    if (op->ctx.failed) return 0;
    op->pending += out;
    return end_block(k, block, inserted, err) == RASK_OK ? block : 0;
}

/* One record of an input that is not keyed: there is no current key. */
static size_t process_without_key(raski_operator *op, const raski_input_definition *from,
                                  const char *record) {
    keyed *k = op->kind;
    if (!raski_operator_room(op)) return 0;
    raski_keyed_scope_leave(&k->scope, &op->ctx);
    op->pending += from->run(op->self, record, 1, &op->ctx);
    check_no_key(op);
    return op->ctx.failed ? 0 : 1;
}

static void process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive) {
    (void)exclusive;
    keyed *k = op->kind;
    const raski_input_definition from = raski_operator_definition_input(op->def, input);
    const char *in = records;
    RASKI_ASSERT(from.run != NULL);
    RASKI_LOCAL_ERROR(error);
    check_no_key(op); /* of open */
    while (n > 0 && !op->env->failed) {
        op->ctx.i = 0;
        const size_t done = from.key != NULL ? process_keyed(op, input, &from, in, n, &error)
                                             : process_without_key(op, &from, in);
        if (done == 0) {
            if (raski_error_is_set(&error)) raski_operator_fail(op, &error);
            return;
        }
        op->record_base += (int64_t)done;
        op->ctx.i = 0;
        if (timestamps != NULL) op->ctx.ts += done;
        in += done * from.type->size;
        n -= done;
    }
    raski_keyed_scope_leave(&k->scope, &op->ctx);
    raski_operator_hand_on(op);
    raski_empty_rows_end_batch(&k->empty, k->table);
}

/* ---------------------------------------------------------------- timers */
static void fire(raski_operator *op, rask_timer timer, char **rows, size_t n) {
    keyed *k = op->kind;
    RASKI_LOCAL_ERROR(error);
    if (!raski_operator_room(op)) return;
    memcpy(k->rows, rows, n * sizeof *rows);
    for (size_t i = 0; i < n && !timer.processing; i++) k->timer_times[i] = timer.time_ms;
    op->ctx.rows = k->rows;
    op->ctx.i = 0;
    op->ctx.ts = timer.processing ? NULL : k->timer_times;
    op->firing = &timer;
    op->ctx.earlier = false;
    op->pending += op->def->fn->timer->timer(op->self, timer, n, &op->ctx);
    const size_t done = op->ctx.earlier ? op->ctx.i + 1 : n;
    op->firing = NULL;
    op->ctx.earlier = false;
    raski_keyed_scope_leave(&k->scope, &op->ctx);
    if (op->ctx.failed) return;
    for (size_t i = done; i < n; i++) /* these come after the earlier one */
        raski_operator_timers_register(k->timers, timer.time_ms, timer.processing, rows[i]);
    n = done;
    if (end_block(k, n, raski_first_bits(n), &error) != RASK_OK) raski_operator_fail(op, &error);
}

static void fired(raski_operator *op) {
    keyed *k = op->kind;
    op->ctx.ts = NULL;
    raski_operator_hand_on(op);
    raski_empty_rows_end_batch(&k->empty, k->table);
}

static void watermark(raski_operator *op, int64_t time_ms) {
    keyed *k = op->kind;
    if (k->timers != NULL) {
        raski_operator_timers_advance_watermark(k->timers, time_ms);
        fired(op);
    }
    raski_operator_forward_watermark(op, time_ms);
}

static void processing_time(raski_operator *op, int64_t now_ms) {
    raski_operator_timers_advance_processing_time(((keyed *)op->kind)->timers, now_ms);
    fired(op);
}

static size_t timer_count(const raski_operator *op, bool processing) {
    const keyed *k = op->kind;
    return k->timers != NULL ? raski_operator_timers_count(k->timers, processing) : 0;
}

static void end_keys(raski_operator *op) {
    raski_keyed_table_remove_all(((keyed *)op->kind)->table);
}

static raski_keyed_table *find_state(raski_operator *op, const char *name, unsigned *ret_number) {
    const raski_states *states = op->def->fn->self;
    for (unsigned i = 0; i < states->count; i++) {
        if (strcmp(states->fields[i].name, name) != 0) continue;
        *ret_number = i;
        return ((keyed *)op->kind)->table;
    }
    return NULL;
}

/* NULL, and the function fails, when there is no key to have timers, or nothing that they would
 * call.
 */
static keyed *with_timers(raski_operator *op) {
    const char *why = NULL;
    keyed *k = op->ops == &raski_keyed_ops ? op->kind : NULL;
    if (k == NULL)
        why = "timers belong to a key: only keyed process functions have them";
    else if (k->timers == NULL)
        why = "a timer was used by a function that has no RASK_ON_TIMER";
    else if (op->ctx.rows != &k->scope.no_key)
        return k;
    if (why != NULL)
        (void)rask_fail("%s", why);
    else
        raski_keyed_scope_fail(op);
    return NULL;
}

void raski_register_timer(rask_ctx *ctx, int64_t time_ms, bool processing) {
    keyed *k = with_timers(ctx->op);
    if (k == NULL) return;
    raski_operator_timers_register(k->timers, time_ms, processing, ctx->rows[ctx->i]);
    const rask_timer *firing = ctx->op->firing;
    if (firing != NULL && firing->processing == processing && time_ms < firing->time_ms)
        ctx->earlier = true;
}

void raski_delete_timer(rask_ctx *ctx, int64_t time_ms, bool processing) {
    keyed *k = with_timers(ctx->op);
    if (k == NULL) return;
    raski_operator_timers_delete(k->timers, time_ms, processing, ctx->rows[ctx->i]);
    k->scope.cleared = true; /* its row may have nothing else */
}

const raski_operator_ops raski_keyed_ops = {.name = "keyed process",
                                            .setup = setup,
                                            .opened = opened,
                                            .process = process,
                                            .watermark = watermark,
                                            .processing_time = processing_time,
                                            .find_state = find_state,
                                            .timer_count = timer_count,
                                            .end_keys = end_keys,
                                            .snapshot = snapshot,
                                            .restore = restore,
                                            .finish = check_no_key,
                                            .teardown = teardown};
