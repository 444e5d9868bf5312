/* Keyed process functions: looks up the state rows of a block of records, then runs the user's loop
 * over the block, whose state handles reach into the rows. */
#include <string.h>

#include "operators/keyed_scope.h"
#include "operators/operator.h"
#include "operators/timers.h"
#include "state/keyed_table.h"
#include "types/java_hash.h"
#include "types/key_group.h"

typedef struct keyed {
    raski_keyed_table *table;
    void *keys[2]; /* what the selectors give, per input; NULL without selector */
    char *rows[RASKI_LOOKUP_MAX];
    raski_keyed_scope scope;
    /* Rows of this batch whose key was left without state. They are removed when the batch was
     * handed on: emitted records may borrow the strings of their keys. */
    char **empty;
    size_t empty_count, empty_capacity;
    raski_key_group_range range;
    uint32_t next_checked; /* record of a block whose key group is checked */
    raski_operator_timers *timers;
    int64_t timer_times[RASKI_TIMERS_BLOCK]; /* that of the event-time timers that fire */
} keyed;

static const raski_key_definition *key_of(const raski_operator *op, unsigned input) {
    return input == 0 ? op->def->key : op->def->key2;
}

static void fire(raski_operator *op, rask_timer timer, char **rows, size_t n);

/* Rows of functions that have none need no place to count them. */
static bool has_timers(const raski_operator *op) {
    const raski_hook *hook = op->def->fn->timer;
    return hook != NULL && hook->timer != NULL;
}

static rask_status make_table(raski_operator *op, keyed *k, raski_error *err) {
    const raski_states *self = op->def->fn->self;
    raski_state_spec specs[RASKI_STATES_MAX] = {{0}};
    size_t count = 0;
    RASKI_TRY(raski_keyed_scope_specs(self, specs, &count, err));
    /* A function without state still has a current key. */
    if (count == 0) specs[count++] = (raski_state_spec){.name = "none", .size = 1, .align = 1};
    raski_keyed_table_options options = {.key = &op->def->key->fields,
                                         .states = specs,
                                         .state_count = count,
                                         .timers = has_timers(op)};
    RASKI_TRY(raski_keyed_table_create(&options, &k->table, err));
    if (has_timers(op)) k->timers = raski_operator_timers_create(op, k->table, fire);
    RASKI_TRY(raski_keyed_scope_init(&k->scope, k->table, &op->ctx, err));
    raski_keyed_scope_bind(&k->scope, &op->ctx, self, 0, op->self);
    return RASK_OK;
}

static rask_status setup(raski_operator *op, raski_error *err) {
    keyed *k = raski_try_calloc(1, sizeof *k);
    if (k == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for keyed state");
    op->kind = k;
    RASKI_TRY(raski_key_group_range_of_subtask(op->runtime.max_parallelism, op->runtime.parallelism,
                                               op->runtime.subtask_index, &k->range, err));
    for (unsigned input = 0; input < 2; input++) {
        const raski_key_definition *key = key_of(op, input);
        if (key == NULL || key->selector == NULL) continue;
        k->keys[input] = raski_try_alloc(RASKI_LOOKUP_MAX * key->selector->out->size, 64);
        if (k->keys[input] == NULL)
            return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for keys");
    }
    return make_table(op, k, err);
}

static void teardown(raski_operator *op) {
    keyed *k = op->kind;
    if (k == NULL) return;
    raski_operator_timers_destroy(k->timers);
    raski_keyed_table_destroy(k->table);
    raski_free(k->keys[0]);
    raski_free(k->keys[1]);
    raski_free(k->empty);
    raski_keyed_scope_fini(&k->scope);
    raski_free(k);
    op->kind = NULL;
}

/* One record of each block is checked (all in debug builds): records are routed by the same code
 * that is checked here, so a fault does not hide for long, and checking each would cost a third of
 * a keyed count. */
static rask_status check_key_groups(raski_operator *op, keyed *k, const raski_key_spec *spec,
                                    const char *keys, size_t size, size_t n, raski_error *err) {
    if (op->runtime.parallelism == 1) return RASK_OK;
#ifdef NDEBUG
    size_t from = k->next_checked++ % n;
    size_t to = from + 1;
#else
    size_t from = 0;
    size_t to = n;
#endif
    for (size_t i = from; i < to; i++) {
        int32_t hash = 0;
        raski_hash_records(spec->parts, spec->part_count, keys + i * size, 1, size, &hash);
        RASKI_TRY(raski_key_group_range_check(
            k->range, raski_key_group_of_hash(hash, op->runtime.max_parallelism), err));
    }
    return RASK_OK;
}

static rask_status lookup(raski_operator *op, keyed *k, unsigned input, const char *records,
                          size_t size, size_t n, uint64_t *ret_inserted, raski_error *err) {
    const raski_key_definition *key = key_of(op, input);
    const char *keys = records;
    size_t key_size = size;
    if (key->selector != NULL) {
        RASKI_TRY(raski_select_keys(key->selector, records, n, k->keys[input], &op->ctx.i, err));
        keys = k->keys[input];
        key_size = key->selector->out->size;
    }
    RASKI_TRY(check_key_groups(op, k, &key->fields, keys, key_size, n, err));
    return raski_keyed_table_lookup(k->table, &key->fields, keys, key_size, n, k->rows,
                                    ret_inserted, err);
}

/* candidates: a bit for each record of the block whose row may be empty. */
static rask_status note_empty_rows(keyed *k, uint64_t candidates, raski_error *err) {
    for (; candidates != 0; candidates &= candidates - 1) {
        const size_t i = (size_t)__builtin_ctzll(candidates);
        if (*(const uint32_t *)(const void *)k->rows[i] != 0) continue;
        if (k->empty_count == k->empty_capacity) {
            size_t capacity = k->empty_capacity ? 2 * k->empty_capacity : RASKI_LOOKUP_MAX;
            char **rows = raski_try_alloc(capacity * sizeof *rows, 0);
            if (rows == NULL)
                return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for keyed state");
            if (k->empty_count > 0) memcpy(rows, k->empty, k->empty_count * sizeof *rows);
            raski_free(k->empty);
            k->empty = rows;
            k->empty_capacity = capacity;
        }
        k->empty[k->empty_count++] = k->rows[i];
    }
    return RASK_OK;
}

/* The batch was handed on: nothing borrows from what it replaced or removed. */
static void end_batch(keyed *k) {
    if (k->empty_count > 0) raski_keyed_table_sweep(k->table, k->empty, k->empty_count);
    k->empty_count = 0;
    raski_keyed_table_end_batch(k->table);
}

static void check_no_key(raski_operator *op) {
    keyed *k = op->kind;
    raski_keyed_scope_check(&k->scope, op);
}

/* The user's code ran over a block; candidates: a bit for each record whose row may be empty. */
static rask_status end_block(keyed *k, size_t n, uint64_t candidates, raski_error *err) {
    RASKI_TRY(raski_keyed_scope_adopt(&k->scope, err));
    /* Rows lack state when they are new, or after a clear. */
    if (k->scope.cleared) candidates = UINT64_MAX >> (64 - n);
    k->scope.cleared = false;
    return note_empty_rows(k, candidates, err);
}

static void process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive) {
    (void)exclusive;
    keyed *k = op->kind;
    const raski_fn *fn = op->def->fn;
    raski_run *run = input == 0 ? fn->run : fn->run2;
    size_t size = input == 0 ? fn->in->size : fn->in2->size;
    const char *in = records;
    raski_error error = {0};
    check_no_key(op); /* of open */
    while (n > 0 && !op->env->failed) {
        size_t block = n < RASKI_LOOKUP_MAX ? n : RASKI_LOOKUP_MAX;
        op->ctx.i = 0;
        uint64_t inserted = 0;
        if (lookup(op, k, input, in, size, block, &inserted, &error) != RASK_OK) {
            raski_operator_fail(op, &error);
            return;
        }
        if (!raski_operator_room(op)) return;
        op->ctx.rows = k->rows;
        size_t out = run(op->self, in, block, &op->ctx);
        if (op->ctx.failed) return;
        op->pending += out;
        if (end_block(k, block, inserted, &error) != RASK_OK) {
            raski_operator_fail(op, &error);
            return;
        }
        op->record_base += (int64_t)block;
        op->ctx.i = 0;
        if (timestamps != NULL) op->ctx.ts += block;
        in += block * size;
        n -= block;
    }
    raski_keyed_scope_leave(&k->scope, &op->ctx);
    raski_operator_hand_on(op);
    end_batch(k);
}

/* ---------------------------------------------------------------- timers */
static void fire(raski_operator *op, rask_timer timer, char **rows, size_t n) {
    keyed *k = op->kind;
    raski_error error = {0};
    if (!raski_operator_room(op)) return;
    memcpy(k->rows, rows, n * sizeof *rows);
    for (size_t i = 0; i < n && !timer.processing; i++) k->timer_times[i] = timer.time_ms;
    op->ctx.rows = k->rows;
    op->ctx.i = 0;
    op->ctx.ts = timer.processing ? NULL : k->timer_times;
    op->firing = &timer;
    op->ctx.earlier = false;
    op->pending += op->def->fn->timer->timer(op->self, timer, n, &op->ctx);
    op->firing = NULL;
    raski_keyed_scope_leave(&k->scope, &op->ctx);
    if (op->ctx.failed) return;
    if (op->ctx.earlier) {
        /* The rest come after it. */
        for (size_t i = op->ctx.i + 1; i < n; i++)
            raski_operator_timers_register(k->timers, timer.time_ms, timer.processing, rows[i]);
        op->ctx.earlier = false;
        n = op->ctx.i + 1;
    }
    if (end_block(k, n, UINT64_MAX >> (64 - n), &error) != RASK_OK) raski_operator_fail(op, &error);
}

static void fired(raski_operator *op) {
    op->ctx.ts = NULL;
    raski_operator_hand_on(op);
    end_batch(op->kind);
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
                                            .process = process,
                                            .watermark = watermark,
                                            .processing_time = processing_time,
                                            .timer_count = timer_count,
                                            .end_keys = end_keys,
                                            .finish = check_no_key,
                                            .teardown = teardown};
