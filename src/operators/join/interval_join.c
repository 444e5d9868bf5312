#include "operators/join/interval_join.h"

#include <string.h>

#include "operators/keyed_backend.h"
#include "operators/keyed_input.h"
#include "operators/timers.h"
#include "rask/join.h"
#include "state/snapshot.h"

enum { PAIRS = 64 }; /* of one call of the user's loop */

typedef struct joining {
    const raski_interval_join_detail *detail;
    raski_keyed_table *table; /* states: the list of each side */
    raski_memory_limit limit; /* of the table */
    raski_keyed_input input;
    raski_empty_rows empty;
    raski_operator_timers *timers[2]; /* per side */
    char *rows[RASKI_LOOKUP_MAX];
    char *item;                /* room for one item of either side */
    int64_t timestamps[PAIRS]; /* of the results */
    const char *others;        /* items that are joined now */
    int64_t our_timestamp;
    unsigned our_side;
} joining;

/* ---------------------------------------------------------------- detail */
rask_status raski_interval_join_detail_init(raski_interval_join_detail *detail,
                                            const rask_type *left, const rask_type *right,
                                            const rask_options *options, raski_error *err) {
    if (options->lower_ms > options->upper_ms)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "lowerBound <= upperBound must be fulfilled");
    /* A bound that is excluded is the next one; where there is none nothing joins anyway. */
    *detail = (raski_interval_join_detail){
        .lower_ms = options->lower_ms + (options->lower_exclusive && options->lower_ms < INT64_MAX),
        .upper_ms = options->upper_ms - (options->upper_exclusive && options->upper_ms > INT64_MIN),
        .late = {options->left_late, options->right_late}};
    raski_timed_record_init(&detail->item[0], left);
    raski_timed_record_init(&detail->item[1], right);
    return RASK_OK;
}

/* ---------------------------------------------------------------- items */
/* No overflow: a bound may be as large as it likes. */
static int64_t add_clamped(int64_t a, int64_t b) {
    int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return b > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

static int64_t item_time(const raski_list_view *list, size_t size, uint32_t i) {
    return *(const int64_t *)(const void *)((const char *)list->items + (size_t)i * size);
}

/* The first item whose timestamp is at least time_ms. */
static uint32_t lower_bound(const raski_list_view *list, size_t size, int64_t time_ms) {
    uint32_t from = 0, to = list->count;
    /* Most come in order, or nearly so: look at the end first. */
    if (to > 0 && item_time(list, size, to - 1) < time_ms) return to;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (item_time(list, size, middle) < time_ms)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static uint32_t upper_bound(const raski_list_view *list, size_t size, int64_t time_ms) {
    return time_ms == INT64_MAX ? list->count : lower_bound(list, size, time_ms + 1);
}

/* Puts the item in j->item into a list, behind those of its time. */
static rask_status insert(joining *j, unsigned side, char *row, int64_t time_ms, raski_error *err) {
    const size_t size = j->detail->item[side].type.size;
    raski_list_view list;
    RASKI_TRY(raski_keyed_table_list(j->table, row, side, &list, err));
    const uint32_t at = upper_bound(&list, size, time_ms);
    const uint32_t behind = list.count - at;
    if (behind == 0) return raski_keyed_table_list_add(j->table, row, side, j->item, 1, err);
    /* Those behind go to the end again: the view of the list stays as it is meanwhile. */
    const char *tail = (const char *)list.items + (size_t)at * size;
    RASKI_TRY(raski_keyed_table_list_remove(j->table, row, side, at, behind, err));
    RASKI_TRY(raski_keyed_table_list_add(j->table, row, side, j->item, 1, err));
    return raski_keyed_table_list_add(j->table, row, side, tail, behind, err);
}

/* ---------------------------------------------------------------- joining */
int64_t raski_join_timestamp(const rask_ctx *ctx, unsigned input) {
    const joining *j = ctx->op->kind;
    if (input == j->our_side) return j->our_timestamp;
    const size_t size = j->detail->item[1 - j->our_side].type.size;
    return *(const int64_t *)(const void *)(j->others + ctx->i * size);
}

/* Calls the user's function for a record and n <= PAIRS items of the other side. */
static void join_block(raski_operator *op, const void *record, const char *items, size_t n) {
    joining *j = op->kind;
    const unsigned other = 1 - j->our_side;
    const size_t size = j->detail->item[other].type.size;
    const char *records = items + raski_timed_record_offset(&j->detail->item[other]);
    if (!raski_operator_room(op)) return;
    j->others = items;
    for (size_t i = 0; i < n; i++) {
        const int64_t time_ms = *(const int64_t *)(const void *)(items + i * size);
        j->timestamps[i] = time_ms > j->our_timestamp ? time_ms : j->our_timestamp;
    }
    op->ctx.ts = j->timestamps;
    op->ctx.i = 0;
    size_t out = j->our_side == 0 ? op->def->fn->join(record, records, n, 0, size, &op->ctx)
                                  : op->def->fn->join(records, record, n, size, 0, &op->ctx);
    if (!op->ctx.failed) op->pending += out;
}

static rask_status join_record(raski_operator *op, char *row, const void *record,
                               raski_error *err) {
    joining *j = op->kind;
    const unsigned other = 1 - j->our_side;
    const size_t size = j->detail->item[other].type.size;
    const int64_t lower = j->our_side == 0 ? j->detail->lower_ms : -j->detail->upper_ms;
    const int64_t upper = j->our_side == 0 ? j->detail->upper_ms : -j->detail->lower_ms;
    raski_list_view list;
    RASKI_TRY(raski_keyed_table_list(j->table, row, other, &list, err));
    uint32_t from = lower_bound(&list, size, add_clamped(j->our_timestamp, lower));
    const uint32_t to = upper_bound(&list, size, add_clamped(j->our_timestamp, upper));
    while (from < to && !op->env->failed) {
        const uint32_t n = to - from < PAIRS ? to - from : PAIRS;
        join_block(op, record, (const char *)list.items + (size_t)from * size, n);
        from += n;
    }
    raski_operator_timers_register(
        j->timers[j->our_side], upper > 0 ? add_clamped(j->our_timestamp, upper) : j->our_timestamp,
        false, row);
    return RASK_OK;
}

static rask_status take_record(raski_operator *op, char *row, const void *record, size_t size,
                               raski_error *err) {
    joining *j = op->kind;
    if (j->our_timestamp == RASK_NO_TIMESTAMP)
        return RASKI_THROW(err, "FlinkException",
                           "Long.MIN_VALUE timestamp: Elements used in interval stream joins need "
                           "to have timestamps meaningful timestamps.");
    if (j->our_timestamp < op->watermark) {
        const raski_tag *tag = j->detail->late[j->our_side];
        if (tag != NULL) raski_operator_emit_side(op, tag, record, j->our_timestamp);
        return RASK_OK;
    }
    const uint32_t offset = raski_timed_record_offset(&j->detail->item[j->our_side]);
    memcpy(j->item, &j->our_timestamp, sizeof j->our_timestamp);
    memcpy(j->item + offset, record, size);
    RASKI_TRY(insert(j, j->our_side, row, j->our_timestamp, err));
    return join_record(op, row, record, err);
}

static rask_status process_block(raski_operator *op, unsigned input, const char *records,
                                 const int64_t *timestamps, size_t n, raski_error *err) {
    joining *j = op->kind;
    const size_t size = raski_operator_definition_input(op->def, input).type->size;
    RASKI_TRY(
        raski_keyed_input_lookup(&j->input, op, input, records, n, j->table, j->rows, NULL, err));
    j->our_side = input;
    for (size_t i = 0; i < n && !op->env->failed; i++) {
        j->our_timestamp = timestamps != NULL ? timestamps[i] : RASK_NO_TIMESTAMP;
        op->ctx.i = i;
        RASKI_TRY(take_record(op, j->rows[i], records + i * size, size, err));
    }
    return raski_empty_rows_note(&j->empty, j->rows, raski_first_bits(n), err);
}

static void end_batch(raski_operator *op) {
    joining *j = op->kind;
    op->ctx.ts = NULL;
    raski_operator_hand_on(op);
    raski_empty_rows_end_batch(&j->empty, j->table);
}

static void process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive) {
    (void)exclusive;
    const size_t size = raski_operator_definition_input(op->def, input).type->size;
    const char *in = records;
    RASKI_LOCAL_ERROR(error);
    while (n > 0 && !op->env->failed) {
        const size_t block = n < RASKI_LOOKUP_MAX ? n : RASKI_LOOKUP_MAX;
        if (process_block(op, input, in, timestamps, block, &error) != RASK_OK) {
            raski_operator_fail(op, &error);
            return;
        }
        op->record_base += (int64_t)block;
        in += block * size;
        n -= block;
        if (timestamps != NULL) timestamps += block;
    }
    end_batch(op);
}

/* ---------------------------------------------------------------- cleaning up */
/* The timer of a side's records of one time: they leave, and with them all before them. */
static void clean_up(raski_operator *op, unsigned side, int64_t timer_ms, char **rows, size_t n) {
    joining *j = op->kind;
    const int64_t reach = side == 0 ? j->detail->upper_ms : -j->detail->lower_ms;
    const int64_t time_ms = reach > 0 && timer_ms != INT64_MAX ? timer_ms - reach : timer_ms;
    RASKI_LOCAL_ERROR(error);
    rask_status status = RASK_OK;
    for (size_t i = 0; i < n && status == RASK_OK; i++) {
        raski_list_view list;
        status = raski_keyed_table_list(j->table, rows[i], side, &list, &error);
        if (status != RASK_OK) break;
        const uint32_t expired = upper_bound(&list, j->detail->item[side].type.size, time_ms);
        if (expired > 0)
            status = raski_keyed_table_list_remove(j->table, rows[i], side, 0, expired, &error);
    }
    if (status == RASK_OK)
        status = raski_empty_rows_note(&j->empty, rows, raski_first_bits(n), &error);
    if (status != RASK_OK) raski_operator_fail(op, &error);
}

static void fire_left(raski_operator *op, rask_timer timer, char **rows, size_t n) {
    clean_up(op, 0, timer.time_ms, rows, n);
}

static void fire_right(raski_operator *op, rask_timer timer, char **rows, size_t n) {
    clean_up(op, 1, timer.time_ms, rows, n);
}

static void watermark(raski_operator *op, int64_t time_ms) {
    joining *j = op->kind;
    for (unsigned side = 0; side < 2; side++)
        raski_operator_timers_advance_watermark(j->timers[side], time_ms);
    end_batch(op);
    raski_operator_forward_watermark(op, time_ms);
}

static void end_keys(raski_operator *op) {
    raski_keyed_table_remove_all(((joining *)op->kind)->table);
}

static size_t timer_count(const raski_operator *op, bool processing) {
    const joining *j = op->kind;
    return raski_operator_timers_count(j->timers[0], processing) +
           raski_operator_timers_count(j->timers[1], processing);
}

/* ---------------------------------------------------------------- snapshots */
/* The timers of the right side take the place of processing-time timers, which there are none. */
static rask_status snapshot(raski_operator *op, raski_operator_snapshot_writer *writer,
                            raski_error *err) {
    const joining *j = op->kind;
    return raski_snapshot_writer_add_keyed(writer, "joined", j->table,
                                           raski_operator_timers_queue(j->timers[0], false),
                                           raski_operator_timers_queue(j->timers[1], false), err);
}

static rask_status restore(raski_operator *op, raski_operator_snapshot_reader *reader,
                           raski_error *err) {
    joining *j = op->kind;
    return raski_snapshot_reader_keyed(reader, "joined", j->table,
                                       raski_operator_timers_queue(j->timers[0], false),
                                       raski_operator_timers_queue(j->timers[1], false), err);
}

/* ---------------------------------------------------------------- life */
static rask_status setup(raski_operator *op, raski_error *err) {
    joining *j = raski_try_calloc(1, sizeof *j);
    if (j == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for keyed state");
    op->kind = j;
    j->detail = op->def->detail;
    const raski_interval_join_detail *d = j->detail;
    RASKI_TRY(raski_keyed_input_init(&j->input, op, err));
    const size_t room =
        d->item[0].type.size > d->item[1].type.size ? d->item[0].type.size : d->item[1].type.size;
    j->item = raski_try_calloc(1, room);
    if (j->item == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a record");
    const raski_state_spec states[2] = {
        {.name = "LEFT_BUFFER", .type = &d->item[0].type, .kind = RASKI_STATE_LIST},
        {.name = "RIGHT_BUFFER", .type = &d->item[1].type, .kind = RASKI_STATE_LIST}};
    raski_keyed_table_options options = {
        .key = &op->def->key->fields, .states = states, .state_count = 2, .timers = true};
    RASKI_TRY(raski_keyed_backend_apply(op, &j->limit, &options, err));
    RASKI_TRY(raski_keyed_table_create(&options, &j->table, err));
    j->timers[0] = raski_operator_timers_create(op, j->table, fire_left);
    j->timers[1] = raski_operator_timers_create(op, j->table, fire_right);
    return RASK_OK;
}

static void teardown(raski_operator *op) {
    joining *j = op->kind;
    if (j == NULL) return;
    raski_operator_timers_destroy(j->timers[0]);
    raski_operator_timers_destroy(j->timers[1]);
    raski_keyed_table_destroy(j->table);
    raski_keyed_input_fini(&j->input);
    raski_empty_rows_fini(&j->empty);
    raski_free(j->item);
    raski_free(j);
    op->kind = NULL;
}

const raski_operator_ops raski_interval_join_ops = {.name = "interval join",
                                                    .setup = setup,
                                                    .process = process,
                                                    .watermark = watermark,
                                                    .timer_count = timer_count,
                                                    .end_keys = end_keys,
                                                    .snapshot = snapshot,
                                                    .restore = restore,
                                                    .teardown = teardown};
