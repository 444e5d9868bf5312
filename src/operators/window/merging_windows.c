/* Sessions: windows of a key that overlap or touch become one. The row of a key lists its windows
 * in flight and, for each, the window under which its contents are kept, so that merging moves only
 * what is merged in. Flink: MergingWindowSet. */
#include "operators/window/window_private.h"

/* The sessions of a key; borrowed until they change. */
static bool sessions_of(window_operator *w, char *key_row, const session **ret_sessions,
                        uint32_t *ret_count) {
    raski_error error = {0};
    raski_list_view view = {0};
    if (!raski_window_ok(w, raski_keyed_table_list(w->keys, key_row, 0, &view, &error), &error))
        return false;
    *ret_sessions = view.items;
    *ret_count = view.count;
    return true;
}

static uint32_t find(const session *sessions, uint32_t count, raski_time_window window) {
    uint32_t i = 0;
    while (i < count && !raski_window_equal(sessions[i].window, window)) i++;
    return i;
}

bool raski_window_find_session(window_operator *w, char *key_row, raski_time_window window,
                               session *ret_session) {
    const session *sessions = NULL;
    uint32_t count = 0;
    if (!sessions_of(w, key_row, &sessions, &count)) return false;
    const uint32_t i = find(sessions, count, window);
    if (i == count) return false;
    *ret_session = sessions[i];
    return true;
}

static bool add_session(window_operator *w, char *key_row, session added) {
    raski_error error = {0};
    return raski_window_ok(w, raski_keyed_table_list_add(w->keys, key_row, 0, &added, 1, &error),
                           &error);
}

void raski_window_retire(window_operator *w, char *key_row, raski_time_window window) {
    const session *sessions = NULL;
    uint32_t count = 0;
    raski_error error = {0};
    if (!sessions_of(w, key_row, &sessions, &count)) return;
    const uint32_t i = find(sessions, count, window);
    if (i < count)
        (void)raski_window_ok(w, raski_keyed_table_list_remove(w->keys, key_row, 0, i, 1, &error),
                              &error);
}

/* ---------------------------------------------------------------- merging */
/* The sessions that merge with a new window, in the order in which Flink goes through them (of a
 * Java set, which decides how lists are concatenated): w->merged. Returns what they cover. */
static raski_time_window find_merged(window_operator *w, const session *sessions, uint32_t count,
                                     raski_time_window added) {
    raski_time_window cover = added;
    w->merged.count = 0;
    raski_vec_reserve(&w->merged, count + 1);
    /* Sessions do not touch each other, but what they cover together with the new one may reach
     * further ones. */
    for (bool grown = true; grown;) {
        grown = false;
        for (uint32_t i = 0; i < count; i++) {
            const raski_time_window window = sessions[i].window;
            if (!raski_window_intersects(cover, window)) continue;
            bool known = false;
            for (size_t k = 0; k < w->merged.count && !known; k++)
                known = raski_window_equal(w->merged.items[k], window);
            if (known) continue;
            raski_vec_push(&w->merged, window);
            cover = raski_window_cover(cover, window);
            grown = true;
        }
    }
    return cover;
}

/* As a Java set that had the new window in it, without that one. */
static void order_as_java(window_operator *w, raski_time_window added) {
    raski_vec_push(&w->merged, added);
    for (size_t i = 1; i < w->merged.count; i++) { /* by start; of equal starts the new one last */
        const raski_time_window window = w->merged.items[i];
        size_t to = i;
        for (; to > 0 && w->merged.items[to - 1].start_ms > window.start_ms; to--)
            w->merged.items[to] = w->merged.items[to - 1];
        w->merged.items[to] = window;
    }
    size_t n = raski_window_java_set_order(w->merged.items, w->merged.count);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!raski_window_equal(w->merged.items[i], added))
            w->merged.items[kept++] = w->merged.items[i];
    w->merged.count = kept;
}

static bool check_merge(window_operator *w, raski_time_window result) {
    raski_error error = {0};
    if (w->def->assigner.event_time) {
        if (raski_window_cleanup_time(w, result) > w->op->watermark) return true;
        (void)RASKI_THROW(
            &error, "UnsupportedOperationException",
            "The end timestamp of an event-time window cannot become earlier than the "
            "current watermark by merging. Current watermark: %jd window: "
            "TimeWindow{start=%jd, end=%jd}",
            (intmax_t)w->op->watermark, (intmax_t)result.start_ms, (intmax_t)result.end_ms);
    } else {
        if (raski_window_max_timestamp(result) > w->now_ms) return true;
        (void)RASKI_THROW(
            &error, "UnsupportedOperationException",
            "The end timestamp of a processing-time window cannot become earlier than "
            "the current processing time by merging. Current processing time: %jd "
            "window: TimeWindow{start=%jd, end=%jd}",
            (intmax_t)w->now_ms, (intmax_t)result.start_ms, (intmax_t)result.end_ms);
    }
    raski_operator_fail(w->op, &error);
    return false;
}

/* The trigger and timers of the merged windows become those of the result. */
static bool merge_triggers(window_operator *w, char *key, raski_time_window result) {
    const size_t n = w->merged.count;
    char **rows = raski_batch_arena_alloc(&w->op->env->arena, n * sizeof *rows);
    char *row = raski_window_row(w, key, result);
    if (rows == NULL || row == NULL) return false;
    for (size_t i = 0; i < n; i++) {
        rows[i] = raski_window_row(w, key, w->merged.items[i]);
        if (rows[i] == NULL) return false;
        raski_window_touch(w, rows[i]);
    }
    w->merged_rows = rows;
    w->merged_count = n;
    w->merged_next = 0;
    w->merged_taken = NULL;
    raski_window_enter_trigger(w, result, row);
    raski_trigger_on_merge(w->def->trigger, &w->trigger);
    for (size_t i = 0; i < n && !w->op->ctx.failed; i++) {
        raski_window_enter_trigger(w, w->merged.items[i], rows[i]);
        raski_trigger_clear(w->def->trigger, &w->trigger);
        raski_window_delete_cleanup(w, w->merged.items[i], rows[i]);
    }
    return !w->op->ctx.failed;
}

/* The contents of the others go to the first one's state window: first among themselves, in order,
 * then to it, as in Flink. */
static bool merge_contents(window_operator *w, char *key, const raski_time_window *states,
                           size_t n) {
    if (n < 2) return true;
    char *into = raski_window_row(w, key, states[0]);
    char *others = raski_window_row(w, key, states[1]);
    if (into == NULL || others == NULL) return false;
    for (size_t i = 2; i < n; i++) {
        char *from = raski_window_row(w, key, states[i]);
        if (from == NULL || !raski_window_merge_contents(w, others, from)) return false;
    }
    return raski_window_merge_contents(w, into, others);
}

/* Merges the sessions of w->merged with the new window into result. */
static bool merge(window_operator *w, char *key, char *key_row, raski_time_window added,
                  raski_time_window result, session *ret_session) {
    order_as_java(w, added);
    const size_t n = w->merged.count;
    raski_time_window *states = raski_batch_arena_alloc(&w->op->env->arena, n * sizeof *states);
    if (states == NULL || !check_merge(w, result)) return false;
    for (size_t i = 0; i < n; i++) {
        session merged = {{0, 0}, {0, 0}};
        if (!raski_window_find_session(w, key_row, w->merged.items[i], &merged)) return false;
        states[i] = merged.state;
        raski_window_retire(w, key_row, w->merged.items[i]);
    }
    *ret_session = (session){result, states[0]};
    return add_session(w, key_row, *ret_session) && merge_triggers(w, key, result) &&
           merge_contents(w, key, states, n);
}

/* A record whose own window is a session that others made together (possible with dynamic gaps
 * only): Flink 2.2.0 keeps its contents in its own state window from then on, and those so far are
 * lost. Here they are removed as well. */
static bool begin_anew(window_operator *w, char *key, char *key_row, session *found) {
    if (raski_window_equal(found->state, found->window)) return true;
    char *row = raski_window_row(w, key, found->state);
    if (row == NULL || !raski_window_clear_contents(w, row)) return false;
    raski_window_retire(w, key_row, found->window);
    found->state = found->window;
    return add_session(w, key_row, *found);
}

/* The session that a new window becomes, or becomes part of. */
static bool add_window(window_operator *w, char *key, char *key_row, raski_time_window added,
                       session *ret_session) {
    const session *sessions = NULL;
    uint32_t count = 0;
    if (!sessions_of(w, key_row, &sessions, &count)) return false;
    const raski_time_window result = find_merged(w, sessions, count, added);
    if (w->merged.count == 0) {
        *ret_session = (session){added, added};
        return add_session(w, key_row, *ret_session);
    }
    if (w->merged.count == 1 && raski_window_equal(w->merged.items[0], result)) {
        *ret_session = sessions[find(sessions, count, result)]; /* it covers the new one */
        return !raski_window_equal(added, result) || begin_anew(w, key, key_row, ret_session);
    }
    return merge(w, key, key_row, added, result, ret_session);
}

/* ---------------------------------------------------------------- records */
static void add_record(window_operator *w, char *key, char *key_row, uint32_t record) {
    raski_operator *op = w->op;
    raski_error error = {0};
    raski_assigned_windows windows;
    session found;
    if (!raski_window_ok(
            w,
            raski_window_assign(&w->def->assigner, w->timestamps[record], w->now_ms,
                                w->gaps != NULL ? w->gaps[record] : 0, &windows, &error),
            &error) ||
        !add_window(w, key, key_row, windows.first, &found))
        return;
    if (raski_window_is_late(w, found.window)) {
        raski_window_retire(w, key_row, found.window);
        raski_window_skipped(w, record);
        return;
    }
    char *row = raski_window_row(w, key, found.window);
    char *contents_row = row;
    if (row != NULL && !raski_window_equal(found.state, found.window))
        contents_row = raski_window_row(w, key, found.state);
    if (row == NULL || contents_row == NULL) return;
    raski_window_touch(w, row);
    raski_window_touch(w, contents_row);
    if (!raski_window_add(w, contents_row, record)) return;
    op->record_base += record;
    raski_window_enter_trigger(w, found.window, row);
    const rask_trigger_result result = raski_trigger_on_element(
        w->def->trigger, &w->trigger, w->records + (size_t)record * op->def->in->size,
        w->timestamps[record]);
    raski_window_apply_result(w, result, found.window, contents_row);
    raski_window_register_cleanup(w, found.window, row);
    op->record_base -= record;
}

void raski_window_process_merging(window_operator *w, size_t n) {
    char *key_rows[RASKI_LOOKUP_MAX];
    raski_error error = {0};
    for (uint32_t i = 0; i < n; i++)
        raski_window_key_of_record(w, i, w->pair_keys + i * w->pair_size);
    if (!raski_window_ok(w,
                         raski_keyed_table_lookup(w->keys, &w->pair_only_key, w->pair_keys,
                                                  w->pair_size, n, key_rows, NULL, &error),
                         &error))
        return;
    for (size_t i = 0; i < n; i++) raski_vec_push(&w->touched_keys, key_rows[i]);
    for (uint32_t i = 0; i < n && !w->op->ctx.failed; i++) {
        w->op->ctx.i = i;
        add_record(w, w->pair_keys + i * w->pair_size, key_rows[i], i);
    }
}
