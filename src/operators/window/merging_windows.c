/* Sessions: windows of a key that overlap or touch become one. The row of a key lists its windows
 * in flight and, for each, the window under which its contents are kept, so that merging moves only
 * what is merged in. Flink: MergingWindowSet. */
#include "operators/window/window_private.h"

/* The session that begins last, in its row; the row has one. */
static session *last_session(const window_operator *w, char *key_row) {
    return (session *)(void *)(key_row + w->session_offset);
}

/* The others, by their start; borrowed until they change. */
static bool other_sessions(window_operator *w, char *key_row, const session **ret_others,
                           uint32_t *ret_count) {
    RASKI_LOCAL_ERROR(error);
    raski_list_view view = {0};
    if (raski_row_has(key_row, SESSION_OTHERS) &&
        !raski_window_ok(w, raski_keyed_table_list(w->keys, key_row, SESSION_OTHERS, &view, &error),
                         &error))
        return false;
    *ret_others = view.items;
    *ret_count = view.count;
    return true;
}

/* Reads the sessions of a key: w->sessions, a copy, by their start. */
static bool read_sessions(window_operator *w, char *key_row) {
    const session *others = NULL;
    uint32_t count = 0;
    w->sessions.count = 0;
    if (!raski_row_has(key_row, SESSION_LAST)) return true;
    if (!other_sessions(w, key_row, &others, &count)) return false;
    for (uint32_t i = 0; i < count; i++) raski_vec_push(&w->sessions, others[i]);
    raski_vec_push(&w->sessions, *last_session(w, key_row));
    return true;
}

/* Writes w->sessions back. */
static bool write_sessions(window_operator *w, char *key_row) {
    RASKI_LOCAL_ERROR(error);
    session *items = w->sessions.items;
    const size_t count = w->sessions.count;
    if (count == 0)
        return raski_window_ok(w, raski_keyed_table_clear(w->keys, key_row, SESSION_LAST, &error),
                               &error);
    for (size_t i = 1; i < count; i++) {
        const session moved = items[i];
        size_t to = i;
        for (; to > 0 && items[to - 1].window.start_ms > moved.window.start_ms; to--)
            items[to] = items[to - 1];
        items[to] = moved;
    }
    *last_session(w, key_row) = items[count - 1];
    raski_row_set(key_row, SESSION_LAST);
    if (count == 1 && !raski_row_has(key_row, SESSION_OTHERS)) return true;
    return raski_window_ok(w,
                           raski_keyed_table_list_replace(w->keys, key_row, SESSION_OTHERS, items,
                                                          (uint32_t)(count - 1), &error),
                           &error);
}

/* Its place in w->sessions, or their number. */
static size_t find(const window_operator *w, raski_time_window window) {
    size_t i = 0;
    while (i < w->sessions.count && !raski_window_equal(w->sessions.items[i].window, window)) i++;
    return i;
}

static void remove_at(window_operator *w, size_t i) {
    w->sessions.items[i] = w->sessions.items[--w->sessions.count];
}

bool raski_window_find_session(window_operator *w, char *key_row, raski_time_window window,
                               session *ret_session) {
    if (!read_sessions(w, key_row)) return false;
    const size_t i = find(w, window);
    if (i == w->sessions.count) return false;
    *ret_session = w->sessions.items[i];
    return true;
}

/* Removes one of the others, or (at: their number) the last. */
static bool remove_session(window_operator *w, char *key_row, uint32_t at, uint32_t count,
                           const session *others) {
    RASKI_LOCAL_ERROR(error);
    if (at == count && count == 0)
        return raski_window_ok(w, raski_keyed_table_clear(w->keys, key_row, SESSION_LAST, &error),
                               &error);
    if (at == count) {
        at = count - 1;
        *last_session(w, key_row) = others[at];
    }
    return raski_window_ok(
        w, raski_keyed_table_list_remove(w->keys, key_row, SESSION_OTHERS, at, 1, &error), &error);
}

void raski_window_retire(window_operator *w, char *key_row, raski_time_window window) {
    const session *others = NULL;
    uint32_t count = 0, at = 0;
    if (!raski_row_has(key_row, SESSION_LAST) || !other_sessions(w, key_row, &others, &count))
        return;
    while (at < count && !raski_window_equal(others[at].window, window)) at++;
    if (at < count || raski_window_equal(last_session(w, key_row)->window, window))
        (void)remove_session(w, key_row, at, count, others);
}

/* ---------------------------------------------------------------- merging */
/* The sessions that merge with a new window, in the order in which Flink goes through them (of a
 * Java set, which decides how lists are concatenated): w->merged. Returns what they cover. */
static raski_time_window find_merged(window_operator *w, raski_time_window added) {
    raski_time_window cover = added;
    w->merged.count = 0;
    /* Sessions do not touch each other, but what they cover together with the new one may reach
     * further ones. */
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = 0; i < w->sessions.count; i++) {
            const raski_time_window window = w->sessions.items[i].window;
            if (!raski_window_intersects(cover, window)) continue;
            bool known = false;
            for (size_t k = 0; k < w->merged.count && !known; k++)
                known = raski_window_equal(w->merged.items[k], window);
            if (known) continue;
            raski_vec_push(&w->merged, window);
            cover = raski_window_cover(cover, window);
            grown = w->sessions.count > 1;
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
    RASKI_LOCAL_ERROR(error);
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

/* A lazy timer: that of the state window stays, the others go. */
static bool delete_lazy_timer(window_operator *w, char *key, const session *merged) {
    char *row = raski_window_row(w, key, merged->state);
    if (row == NULL) return false;
    raski_operator_timers_delete(w->timers, merged->timer_ms, !w->def->assigner.event_time, row);
    raski_window_touch(w, row);
    return true;
}

/* Merges the sessions of w->merged with the new window into result. w->sessions has them. */
static bool merge(window_operator *w, char *key, char *key_row, raski_time_window added,
                  raski_time_window result, session *ret_session) {
    order_as_java(w, added);
    const size_t n = w->merged.count;
    raski_time_window *states = raski_batch_arena_alloc(&w->op->env->arena, n * sizeof *states);
    if (states == NULL || !check_merge(w, result)) return false;
    for (size_t i = 0; i < n; i++) {
        const size_t at = find(w, w->merged.items[i]);
        const session merged = w->sessions.items[at];
        states[i] = merged.state;
        if (i == 0) *ret_session = (session){result, merged.state, merged.timer_ms};
        if (i > 0 && w->lazy_timers && !delete_lazy_timer(w, key, &merged)) return false;
        remove_at(w, at);
    }
    raski_vec_push(&w->sessions, *ret_session);
    return write_sessions(w, key_row) && (w->lazy_timers || merge_triggers(w, key, result)) &&
           merge_contents(w, key, states, n);
}

/* A record whose own window is a session that others made together (possible with dynamic gaps
 * only): Flink 2.2.0 keeps its contents in its own state window from then on, and those so far are
 * lost. Here they are removed as well. */
static bool begin_anew(window_operator *w, char *key, char *key_row, size_t at,
                       session *ret_session) {
    session *found = &w->sessions.items[at];
    if (raski_window_equal(found->state, found->window)) return true;
    char *row = raski_window_row(w, key, found->state);
    if (row == NULL || !raski_window_clear_contents(w, row)) return false;
    if (w->lazy_timers) {
        if (!delete_lazy_timer(w, key, found)) return false;
        found->timer_ms = INT64_MIN;
    }
    found->state = found->window;
    *ret_session = *found;
    return write_sessions(w, key_row);
}

/* Most records come in order: a window then has to do with the last session at most. false: it has
 * to do with others, or has to merge, or (the operator has failed) with none. */
static bool add_last(window_operator *w, char *key_row, raski_time_window added,
                     session *ret_session) {
    const session *others = NULL;
    uint32_t count = 0;
    RASKI_LOCAL_ERROR(error);
    session *last = last_session(w, key_row);
    if (raski_row_has(key_row, SESSION_LAST)) {
        if (!other_sessions(w, key_row, &others, &count) ||
            (count > 0 && others[count - 1].window.end_ms >= added.start_ms) ||
            added.end_ms < last->window.start_ms)
            return false;
        if (raski_window_intersects(last->window, added)) {
            const raski_time_window result = raski_window_cover(last->window, added);
            const bool grows = !raski_window_equal(result, last->window);
            if (grows ? !w->lazy_timers || !check_merge(w, result)
                      : raski_window_equal(added, result))
                return false;
            last->window = result;
            *ret_session = *last;
            return true;
        }
        if (!raski_window_ok(
                w, raski_keyed_table_list_add(w->keys, key_row, SESSION_OTHERS, last, 1, &error),
                &error))
            return false;
    }
    *last = (session){added, added, INT64_MIN};
    raski_row_set(key_row, SESSION_LAST);
    *ret_session = *last;
    return true;
}

/* The session that a new window becomes, or becomes part of. */
static bool add_window(window_operator *w, char *key, char *key_row, raski_time_window added,
                       session *ret_session) {
    if (add_last(w, key_row, added, ret_session)) return true;
    if (w->op->ctx.failed || !read_sessions(w, key_row)) return false;
    const raski_time_window result = find_merged(w, added);
    if (w->merged.count == 0) {
        *ret_session = (session){added, added, INT64_MIN};
        raski_vec_push(&w->sessions, *ret_session);
        return write_sessions(w, key_row);
    }
    if (w->merged.count == 1 && raski_window_equal(w->merged.items[0], result)) {
        const size_t at = find(w, result); /* it covers the new one */
        *ret_session = w->sessions.items[at];
        return !raski_window_equal(added, result) || begin_anew(w, key, key_row, at, ret_session);
    }
    return merge(w, key, key_row, added, result, ret_session);
}

/* ---------------------------------------------------------------- lazy timers */
/* Sessions grow with almost every record. With Flink's own trigger and no lateness all that the
 * timers of merged windows do is to be deleted, so a session keeps the timer that it has; when that
 * fires before the session's end it is registered again. */
static void register_lazily(window_operator *w, char *key_row, const session *s, char *row) {
    if (s->timer_ms != INT64_MIN) return;
    const int64_t max = raski_window_max_timestamp(s->window);
    raski_operator_timers_register(w->timers, max, !w->def->assigner.event_time, row);
    session *last = last_session(w, key_row);
    if (raski_window_equal(last->window, s->window)) {
        last->timer_ms = max;
        return;
    }
    if (!read_sessions(w, key_row)) return;
    w->sessions.items[find(w, s->window)].timer_ms = max;
    (void)write_sessions(w, key_row);
}

/* Of a session that has grown meanwhile. */
static void register_again(window_operator *w, char *key_row, uint32_t at, uint32_t count,
                           int64_t max, bool processing, char *row) {
    raski_operator_timers_register(w->timers, max, processing, row);
    if (at == count) {
        last_session(w, key_row)->timer_ms = max;
        return;
    }
    if (!read_sessions(w, key_row)) return;
    w->sessions.items[at].timer_ms = max;
    (void)write_sessions(w, key_row);
}

void raski_window_fire_session(window_operator *w, rask_timer timer, char *row) {
    const raski_time_window state = window_of_row(w, row);
    const session *others = NULL;
    uint32_t count = 0, at = 0;
    raski_window_touch(w, row);
    raski_window_key_of_row(w, row, w->one_key);
    char *key_row = raski_window_key_row(w, w->one_key);
    if (key_row == NULL || !raski_row_has(key_row, SESSION_LAST) ||
        !other_sessions(w, key_row, &others, &count))
        return;
    while (at < count && !raski_window_equal(others[at].state, state)) at++;
    const session fired = at < count ? others[at] : *last_session(w, key_row);
    if (!raski_window_equal(fired.state, state) || fired.timer_ms != timer.time_ms) return;
    const int64_t max = raski_window_max_timestamp(fired.window);
    if (max > timer.time_ms && !w->op->ending_keys) { /* when keys end nothing comes later */
        register_again(w, key_row, at, count, max, timer.processing, row);
        return;
    }
    if (!remove_session(w, key_row, at, count, others)) return;
    raski_window_apply_result(w, RASK_FIRE, fired.window, row);
    if (w->op->ctx.failed || !raski_window_clear_contents(w, row)) return;
    raski_window_call_clear(w, fired.window, row);
}

/* ---------------------------------------------------------------- records */
static void add_record(window_operator *w, char *key, char *key_row, uint32_t record) {
    raski_operator *op = w->op;
    RASKI_LOCAL_ERROR(error);
    raski_assigned_windows windows;
    session found = {0};
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
    if (w->lazy_timers) {
        char *row = raski_window_row(w, key, found.state);
        if (row != NULL && raski_window_add(w, row, record))
            register_lazily(w, key_row, &found, row);
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
    RASKI_LOCAL_ERROR(error);
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
