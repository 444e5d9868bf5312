/* The window operator: records go into windows, timers make them fire and go. Flink:
 * WindowOperator, EvictingWindowOperator. */
#include "operators/window/window_private.h"
#include "state/snapshot.h"

enum { TOUCHED_MAX = 4096 }; /* rows that wait for the end of a batch in a long firing */

bool raski_window_ok(window_operator *w, rask_status status, const raski_error *error) {
    if (status == RASK_OK) return true;
    raski_operator_fail(w->op, error);
    return false;
}

void raski_window_touch(window_operator *w, char *row) {
    raski_vec_push(&w->touched, row);
}

/* ---------------------------------------------------------------- times */
int64_t raski_window_cleanup_time(const window_operator *w, raski_time_window window) {
    const int64_t max = raski_window_max_timestamp(window);
    if (!w->def->assigner.event_time) return max;
    const int64_t time_ms = raski_wrap_add(max, w->def->allowed_lateness_ms);
    return time_ms >= max ? time_ms : INT64_MAX;
}

bool raski_window_is_late(const window_operator *w, raski_time_window window) {
    return w->def->assigner.event_time && raski_window_cleanup_time(w, window) <= w->op->watermark;
}

void raski_window_register_cleanup(window_operator *w, raski_time_window window, char *row) {
    const int64_t time_ms = raski_window_cleanup_time(w, window);
    if (time_ms != INT64_MAX)
        raski_operator_timers_register(w->timers, time_ms, !w->def->assigner.event_time, row);
}

void raski_window_delete_cleanup(window_operator *w, raski_time_window window, const char *row) {
    const int64_t time_ms = raski_window_cleanup_time(w, window);
    if (time_ms != INT64_MAX)
        raski_operator_timers_delete(w->timers, time_ms, !w->def->assigner.event_time, row);
}

void raski_window_skipped(window_operator *w, uint32_t record) {
    if (!w->def->assigner.event_time) return;
    const int64_t timestamp = w->timestamps[record];
    const int64_t lateness = w->def->allowed_lateness_ms;
    const int64_t bound = timestamp > INT64_MAX - lateness ? INT64_MAX : timestamp + lateness;
    if (bound > w->op->watermark) return; /* in no window, but not late */
    if (w->def->late != NULL)
        raski_operator_emit_side(w->op, w->def->late,
                                 w->records + (size_t)record * w->op->def->in->size, timestamp);
    else
        rask_count(w->late_dropped, 1);
}

/* ---------------------------------------------------------------- keys and rows */
static void copy_key(const raski_key_spec *from_spec, const char *from,
                     const raski_key_spec *to_spec, uint32_t parts, char *to) {
    for (uint32_t i = 0; i < parts; i++) {
        char *part = to + to_spec->parts[i].offset;
        const char *source = from + from_spec->parts[i].offset;
        const uint32_t size = to_spec->parts[i].type->size;
        if (size == sizeof(int64_t)) /* mostly, and no call then */
            memcpy(part, source, sizeof(int64_t));
        else
            memcpy(part, source, size);
    }
}

void raski_window_key_of_record(const window_operator *w, uint32_t record, char *ret_key) {
    copy_key(w->block_keys.spec, w->block_keys.first + record * w->block_keys.stride, &w->pair_key,
             w->pair_only_key.part_count, ret_key);
}

void raski_window_key_of_row(const window_operator *w, const char *row, char *ret_key) {
    copy_key(raski_keyed_table_key_in_row(w->table), row, &w->pair_key, w->pair_only_key.part_count,
             ret_key);
}

char *raski_window_row(window_operator *w, char *key, raski_time_window window) {
    RASKI_LOCAL_ERROR(error);
    char *row = NULL;
    memcpy(key + w->pair_start_offset, &window, sizeof window);
    return raski_window_ok(w,
                           raski_keyed_table_lookup(w->table, &w->pair_key, key, w->pair_size, 1,
                                                    &row, NULL, &error),
                           &error)
               ? row
               : NULL;
}

char *raski_window_key_row(window_operator *w, const char *key) {
    RASKI_LOCAL_ERROR(error);
    char *row = NULL;
    if (!raski_window_ok(w,
                         raski_keyed_table_lookup(w->keys, &w->pair_only_key, key, w->pair_size, 1,
                                                  &row, NULL, &error),
                         &error))
        return NULL;
    raski_vec_push(&w->touched_keys, row);
    return row;
}

/* ---------------------------------------------------------------- triggers */
void raski_window_enter_trigger(window_operator *w, raski_time_window window, char *row) {
    w->trigger.base.window_start_ms = window.start_ms;
    w->trigger.base.window_end_ms = window.end_ms;
    w->trigger.base.watermark_ms = w->op->watermark;
    w->trigger.base.processing_time_ms = w->now_ms;
    w->trigger.base.timestamp_ms = RASK_NO_TIMESTAMP;
    w->trigger_row = row;
    w->op->ctx.i = 0;
}

void raski_window_apply_result(window_operator *w, rask_trigger_result result,
                               raski_time_window window, char *contents_row) {
    if (w->op->ctx.failed) return;
    if ((result & RASK_FIRE) != 0 && raski_row_has(contents_row, 0)) {
        raski_window_emit(w, window, contents_row);
        if (w->op->ctx.failed) return;
    }
    if ((result & RASK_PURGE) != 0) (void)raski_window_clear_contents(w, contents_row);
}

void raski_window_clear_all(window_operator *w, raski_time_window window, char *row,
                            char *contents_row) {
    if (!raski_window_clear_contents(w, contents_row)) return;
    raski_window_enter_trigger(w, window, row);
    raski_trigger_clear(w->def->trigger, &w->trigger);
    raski_window_call_clear(w, window, row);
    raski_window_touch(w, row);
}

/* ---------------------------------------------------------------- a block of pairs */
/* The trigger never fires for one of these records: timers are all that it does, once per window.
 */
static bool is_quiet(const window_operator *w) {
    if (w->never_fires_on_element) return true;
    if (w->def->trigger->kind != RASKI_TRIGGER_EVENT_TIME) return false;
    for (size_t i = 0; i < w->pair_count; i++)
        if (raski_window_max_timestamp(w->pairs[i].window) <= w->op->watermark) return false;
    return true;
}

/* The trigger's own, at the end of the window, and that of the cleanup. After a restore, where
 * event time begins anew, the first one may have fired already. */
static bool has_its_timers(const window_operator *w, raski_time_window window, const char *row) {
    const int64_t cleanup_ms = raski_window_cleanup_time(w, window);
    const uint32_t own =
        cleanup_ms != INT64_MAX && cleanup_ms != raski_window_max_timestamp(window) ? 2 : 1;
    return raski_keyed_table_pins(w->table, row) >= own;
}

static void add_quietly(window_operator *w, char **rows, uint64_t inserted) {
    if (!raski_window_add_all(w, rows)) return;
    for (size_t i = 0; i < w->pair_count && !w->op->ctx.failed; i++) {
        if ((inserted >> i & 1) == 0 && has_its_timers(w, w->pairs[i].window, rows[i])) continue;
        raski_window_enter_trigger(w, w->pairs[i].window, rows[i]);
        (void)raski_trigger_on_element(w->def->trigger, &w->trigger, NULL, RASK_NO_TIMESTAMP);
        raski_window_register_cleanup(w, w->pairs[i].window, rows[i]);
    }
}

static void add_one_by_one(window_operator *w, char **rows) {
    raski_operator *op = w->op;
    const int64_t base = op->record_base;
    for (size_t i = 0; i < w->pair_count && !op->ctx.failed; i++) {
        const window_pair *pair = &w->pairs[i];
        if (!raski_window_add(w, rows[i], pair->record)) break;
        op->record_base = base + pair->record;
        raski_window_enter_trigger(w, pair->window, rows[i]);
        const rask_trigger_result result = raski_trigger_on_element(
            w->def->trigger, &w->trigger, w->records + (size_t)pair->record * op->def->in->size,
            w->timestamps[pair->record]);
        raski_window_apply_result(w, result, pair->window, rows[i]);
        raski_window_register_cleanup(w, pair->window, rows[i]);
        raski_window_touch(w, rows[i]);
        op->record_base = base;
    }
}

static void flush_pairs(window_operator *w) {
    char *rows[RASKI_LOOKUP_MAX];
    RASKI_LOCAL_ERROR(error);
    uint64_t inserted = 0;
    if (w->pair_count == 0) return;
    for (size_t i = 0; i < w->pair_count; i++) {
        char *key = w->pair_keys + i * w->pair_size;
        raski_window_key_of_record(w, w->pairs[i].record, key);
        memcpy(key + w->pair_start_offset, &w->pairs[i].window, sizeof w->pairs[i].window);
    }
    if (raski_window_ok(w,
                        raski_keyed_table_lookup(w->table, &w->pair_key, w->pair_keys, w->pair_size,
                                                 w->pair_count, rows, &inserted, &error),
                        &error)) {
        if (is_quiet(w))
            add_quietly(w, rows, inserted);
        else
            add_one_by_one(w, rows);
    }
    w->pair_count = 0;
}

static void process_block(window_operator *w, size_t n) {
    RASKI_LOCAL_ERROR(error);
    for (uint32_t i = 0; i < n && !w->op->ctx.failed; i++) {
        raski_assigned_windows windows;
        w->op->ctx.i = i;
        if (raski_window_is_shared(w, w->timestamps[i])) {
            bool paired = false;
            if (!raski_window_slices_assign(w, i, &w->pairs[w->pair_count], &paired)) return;
            w->pair_count += paired;
            if (w->pair_count == RASKI_LOOKUP_MAX) flush_pairs(w);
            continue;
        }
        if (!raski_window_ok(w,
                             raski_window_assign(&w->def->assigner, w->timestamps[i], w->now_ms, 0,
                                                 &windows, &error),
                             &error))
            return;
        bool skipped = true;
        for (uint64_t k = 0; k < windows.count && !w->op->ctx.failed; k++) {
            const raski_time_window window = raski_assigned_window(&windows, k);
            /* The later ones begin earlier: they are late as well. */
            if (raski_window_is_late(w, window)) break;
            skipped = false;
            w->pairs[w->pair_count++] = (window_pair){i, window};
            if (w->pair_count == RASKI_LOOKUP_MAX) flush_pairs(w);
        }
        if (skipped) raski_window_skipped(w, i);
    }
    if (!w->op->ctx.failed) flush_pairs(w);
}

/* ---------------------------------------------------------------- input */
/* What was emitted is handed on: nothing borrows from rows that have become empty. */
static void end_batch(window_operator *w) {
    raski_operator_hand_on(w->op);
    raski_keyed_table_sweep(w->table, w->touched.items, w->touched.count);
    w->touched.count = 0;
    raski_keyed_table_end_batch(w->table);
    if (w->slices != NULL) raski_window_slices_end_batch(w->slices);
    if (w->keys == NULL) return;
    raski_keyed_table_sweep(w->keys, w->touched_keys.items, w->touched_keys.count);
    w->touched_keys.count = 0;
    raski_keyed_table_end_batch(w->keys);
}

static bool begin_block(window_operator *w, const char *records, size_t n) {
    RASKI_LOCAL_ERROR(error);
    size_t index = 0;
    w->records = records;
    if (!raski_window_ok(
            w, raski_keyed_input_keys(&w->input, w->op, 0, records, n, &w->block_keys, &error),
            &error))
        return false;
    if (w->gaps == NULL) return true;
    return raski_window_ok(
        w, raski_select_keys(w->def->assigner.gap, records, n, w->gaps, &index, &error), &error);
}

static void process(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                    size_t n, bool exclusive) {
    (void)input, (void)exclusive;
    window_operator *w = op->kind;
    const char *in = records;
    w->now_ms = raski_operator_now_ms(op);
    w->timestamps = timestamps;
    while (n > 0 && !op->env->failed) {
        const size_t block = n < RASKI_LOOKUP_MAX ? n : RASKI_LOOKUP_MAX;
        op->ctx.i = 0;
        if (!begin_block(w, in, block)) return;
        if (w->merging)
            raski_window_process_merging(w, block);
        else
            process_block(w, block);
        if (op->ctx.failed) return;
        op->record_base += (int64_t)block;
        op->ctx.i = 0;
        in += block * op->def->in->size;
        w->timestamps += block;
        n -= block;
    }
    end_batch(w);
}

/* ---------------------------------------------------------------- timers */
static void fire_one(window_operator *w, rask_timer timer, char *row) {
    const raski_time_window window = window_of_row(w, row);
    char *contents_row = row;
    char *key_row = NULL;
    raski_window_touch(w, row);
    if (w->merging) {
        session found;
        raski_window_key_of_row(w, row, w->one_key);
        key_row = raski_window_key_row(w, w->one_key);
        /* The window was merged into another one, and its trigger left a timer behind. */
        if (key_row == NULL || !raski_window_find_session(w, key_row, window, &found)) return;
        if (!raski_window_equal(found.state, window))
            contents_row = raski_window_row(w, w->one_key, found.state);
        if (contents_row == NULL) return;
    }
    raski_window_enter_trigger(w, window, row);
    const rask_trigger_result result =
        timer.processing
            ? raski_trigger_on_processing_time(w->def->trigger, &w->trigger, timer.time_ms)
            : raski_trigger_on_event_time(w->def->trigger, &w->trigger, timer.time_ms);
    raski_window_apply_result(w, result, window, contents_row);
    if (w->op->ctx.failed || timer.processing == w->def->assigner.event_time ||
        timer.time_ms != raski_window_cleanup_time(w, window))
        return;
    raski_window_clear_all(w, window, row, contents_row);
    if (w->merging && !w->op->ctx.failed) raski_window_retire(w, key_row, window);
}

/* Aggregates of windows that end now and go at once, without anybody else to ask. */
static bool is_simple(const window_operator *w, rask_timer timer) {
    return w->simple && timer.processing != w->def->assigner.event_time;
}

static void fire_simply(window_operator *w, rask_timer timer, char **rows, size_t n) {
    w->window_max = timer.time_ms;
    w->op->ctx.ts = &w->window_max;
    w->op->ctx.i = 0;
    raski_window_emit_results(w, rows, n);
    for (size_t i = 0; i < n && !w->op->ctx.failed; i++)
        (void)raski_window_clear_contents(w, rows[i]);
}

static void fire(raski_operator *op, rask_timer timer, char **rows, size_t n) {
    window_operator *w = op->kind;
    w->now_ms = raski_operator_now_ms(op);
    if (w->slices != NULL) n = raski_window_slices_close(w, rows, n);
    if (is_simple(w, timer)) {
        fire_simply(w, timer, rows, n);
    } else {
        w->firing = &timer;
        w->earlier = false;
        for (size_t i = 0; i < n && !op->ctx.failed; i++) {
            if (w->lazy_timers)
                raski_window_fire_session(w, timer, rows[i]);
            else if (w->earlier) /* the rest come after it */
                raski_operator_timers_register(w->timers, timer.time_ms, timer.processing, rows[i]);
            else
                fire_one(w, timer, rows[i]);
        }
        w->firing = NULL;
    }
    if (w->touched.count > TOUCHED_MAX && !op->ctx.failed) end_batch(w);
}

static void watermark(raski_operator *op, int64_t time_ms) {
    window_operator *w = op->kind;
    if (w->slices != NULL)
        raski_window_slices_advance(w, time_ms);
    else
        raski_operator_timers_advance_watermark(w->timers, time_ms);
    if (op->env->failed) return;
    end_batch(w);
    raski_operator_forward_watermark(op, time_ms);
}

static void processing_time(raski_operator *op, int64_t now_ms) {
    window_operator *w = op->kind;
    raski_operator_timers_advance_processing_time(w->timers, now_ms);
    if (!op->env->failed) end_batch(w);
}

static size_t timer_count(const raski_operator *op, bool processing) {
    window_operator *w = op->kind;
    if (w->slices != NULL && !processing) return raski_window_slices_timer_count(w);
    return raski_operator_timers_count(w->timers, processing);
}

static void end_keys(raski_operator *op) {
    window_operator *w = op->kind;
    raski_keyed_table_remove_all(w->table);
    if (w->keys != NULL) raski_keyed_table_remove_all(w->keys);
}

static void finish(raski_operator *op) {
    window_operator *w = op->kind;
    raski_keyed_scope_check(&w->scope, op);
    if (w->key_scope.table != NULL) raski_keyed_scope_check(&w->key_scope, op);
}

static rask_status setup(raski_operator *op, raski_error *err) {
    return raski_window_setup(op, err);
}

static rask_status opened(raski_operator *op, raski_error *err) {
    return raski_window_opened(op, fire, err);
}

static rask_status snapshot(raski_operator *op, raski_operator_snapshot_writer *writer,
                            raski_error *err) {
    const window_operator *w = op->kind;
    RASKI_TRY(raski_snapshot_writer_add_keyed(writer, "windows", w->table,
                                              raski_operator_timers_queue(w->timers, false),
                                              raski_operator_timers_queue(w->timers, true), err));
    if (w->slices != NULL) RASKI_TRY(raski_window_slices_snapshot(w->slices, writer, err));
    if (w->keys == NULL) return RASK_OK;
    return raski_snapshot_writer_add_keyed(writer, "keys", w->keys, NULL, NULL, err);
}

static rask_status restore(raski_operator *op, raski_operator_snapshot_reader *reader,
                           raski_error *err) {
    window_operator *w = op->kind;
    RASKI_TRY(raski_snapshot_reader_keyed(reader, "windows", w->table,
                                          raski_operator_timers_queue(w->timers, false),
                                          raski_operator_timers_queue(w->timers, true), err));
    if (w->keys != NULL)
        RASKI_TRY(raski_snapshot_reader_keyed(reader, "keys", w->keys, NULL, NULL, err));
    if (w->slices != NULL) RASKI_TRY(raski_window_slices_restore(w, reader, err));
    raski_operator_timers_restored(w->timers);
    return RASK_OK;
}

const raski_operator_ops raski_window_ops = {.name = "window",
                                             .setup = setup,
                                             .opened = opened,
                                             .process = process,
                                             .watermark = watermark,
                                             .processing_time = processing_time,
                                             .timer_count = timer_count,
                                             .end_keys = end_keys,
                                             .snapshot = snapshot,
                                             .restore = restore,
                                             .finish = finish,
                                             .teardown = raski_window_teardown};
