/* A window fires: its function is called with what it has, and the evictor takes elements away. */
#include "operators/window/evictor.h"
#include "operators/window/window_private.h"

/* ---------------------------------------------------------------- calls of user code */
/* Before user code that works on a window: its timestamp, its rows. row is one of the key. */
static bool begin_call(window_operator *w, raski_time_window window, char *row) {
    raski_operator *op = w->op;
    w->window = window;
    w->window_max = raski_window_max_timestamp(window);
    op->ctx.ts = &w->window_max;
    op->ctx.i = 0;
    w->current_row = row;
    w->window_ctx.rows = &w->current_row;
    if (w->key_scope.table == NULL) {
        op->ctx.rows = &w->current_row;
    } else {
        raski_window_key_of_row(w, row, w->one_key);
        w->current_key_row = raski_window_key_row(w, w->one_key);
        if (w->current_key_row == NULL) return false;
        op->ctx.rows = &w->current_key_row;
    }
    return raski_operator_room(op);
}

static void end_call(window_operator *w, size_t emitted) {
    raski_operator *op = w->op;
    RASKI_LOCAL_ERROR(error);
    raski_operator_add_pending(op, emitted);
    raski_keyed_scope_leave(op->ctx.scope, &op->ctx);
    raski_keyed_scope_leave(&w->scope, &w->window_ctx);
    if (op->ctx.failed) return;
    if (!raski_window_ok(w, raski_keyed_scope_adopt(&w->scope, &error), &error)) return;
    if (w->key_scope.table != NULL)
        (void)raski_window_ok(w, raski_keyed_scope_adopt(&w->key_scope, &error), &error);
}

static bool grow(window_operator *w, char **buffer, size_t *capacity, size_t size) {
    if (size <= *capacity) return true;
    RASKI_LOCAL_ERROR(error);
    size_t wanted = *capacity * 2 > size ? *capacity * 2 : size;
    char *bigger = raski_try_alloc(wanted, 64);
    if (bigger == NULL) {
        (void)RASKI_FAIL(&error, RASK_E_NOMEM, EXTERNAL,
                         "no memory for the %zu bytes of a window's elements", size);
        raski_operator_fail(w->op, &error);
        return false;
    }
    raski_free(*buffer);
    *buffer = bigger;
    *capacity = wanted;
    return true;
}

/* The elements of a join, each with the records of one of both inputs, in arrays of their own. */
static void call_two(window_operator *w, raski_time_window window, char *row, const char *items,
                     uint32_t count) {
    const raski_tagged_type *tagged = w->def->tagged;
    const size_t sizes[2] = {tagged->inputs[0]->size, tagged->inputs[1]->size};
    uint32_t counts[2] = {0, 0};
    if (!grow(w, &w->first, &w->first_capacity, count * sizes[0]) ||
        !grow(w, &w->second, &w->second_capacity, count * sizes[1]))
        return;
    char *const sides[2] = {w->first, w->second};
    for (uint32_t i = 0; i < count; i++, items += tagged->type->size) {
        const unsigned side = items[tagged->second_flag_offset] != 0;
        memcpy(sides[side] + counts[side]++ * sizes[side], items + tagged->offsets[side],
               sizes[side]);
    }
    if (!begin_call(w, window, row)) return;
    end_call(w, w->def->process->window->fire_two(w->op->self, w->first, counts[0], w->second,
                                                  counts[1], &w->op->ctx));
}

static void call(window_operator *w, raski_time_window window, char *row, const void *items,
                 uint32_t count) {
    if (w->def->tagged != NULL) {
        call_two(w, window, row, items, count);
        return;
    }
    if (!begin_call(w, window, row)) return;
    end_call(w, w->def->process->window->fire(w->op->self, items, count, &w->op->ctx));
}

/* One value, to the process function or, without one, straight on. */
static void emit_value(window_operator *w, raski_time_window window, char *row, const void *value) {
    raski_operator *op = w->op;
    if (value == NULL) return;
    if (w->def->process != NULL) {
        call(w, window, row, value, 1);
        return;
    }
    w->window_max = raski_window_max_timestamp(window);
    op->ctx.ts = &w->window_max;
    op->ctx.i = 0;
    if (!raski_operator_room(op)) return;
    memcpy(op->ctx.buf, value, op->out_size);
    raski_operator_add_pending(op, 1);
}

/* ---------------------------------------------------------------- evictors */
/* Leaves the elements that the evictor keeps; they are the caller's to move. */
static bool evict(window_operator *w, char *elements, uint32_t *count) {
    const size_t size = w->contents_type->size;
    if (*count == 0) return true;
    if (!grow(w, &w->keep, &w->keep_capacity, *count)) return false;
    bool *keep = (bool *)(void *)w->keep;
    const raski_window_elements all = {elements, *count, (uint32_t)size, w->def->element_offset};
    if (raski_evictor_keep(&w->def->evictor, &all, keep) == *count) return true;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        if (!keep[i]) continue;
        if (kept != i) memcpy(elements + kept * size, elements + i * size, size);
        kept++;
    }
    *count = kept;
    return true;
}

static void emit_elements(window_operator *w, raski_time_window window, char *row,
                          const char *elements, uint32_t count) {
    const size_t size = w->op->def->in->size;
    const size_t stride = w->contents_type->size;
    if (w->def->contents != RASKI_WINDOW_LIST) {
        /* A reduced nothing is Flink's null, which is no record. */
        if (count == 0 && w->def->contents != RASKI_WINDOW_AGGREGATE) return;
        if (raski_window_fold(w, elements + w->def->element_offset, count, stride))
            emit_value(w, window, row, w->value);
        return;
    }
    if (!grow(w, &w->scratch, &w->scratch_capacity, count * size)) return;
    for (uint32_t i = 0; i < count; i++)
        memcpy(w->scratch + i * size, elements + i * stride + w->def->element_offset, size);
    call(w, window, row, w->scratch, count);
}

static void emit_evicting(window_operator *w, raski_time_window window, char *row,
                          const raski_list_view *view) {
    RASKI_LOCAL_ERROR(error);
    const size_t size = view->count * w->contents_type->size;
    uint32_t count = view->count;
    if (!grow(w, &w->elements, &w->elements_capacity, size)) return;
    memcpy(w->elements, view->items, size);
    if (!w->def->evictor.after && !evict(w, w->elements, &count)) return;
    emit_elements(w, window, row, w->elements, count);
    if (w->op->ctx.failed) return;
    if (w->def->evictor.after && !evict(w, w->elements, &count)) return;
    if (count == view->count) return;
    raski_window_touch(w, row);
    (void)raski_window_ok(
        w, raski_keyed_table_list_replace(w->table, row, 0, w->elements, count, &error), &error);
}

/* ---------------------------------------------------------------- firing */
void raski_window_emit(window_operator *w, raski_time_window window, char *contents_row) {
    RASKI_LOCAL_ERROR(error);
    if (w->def->element == NULL && w->def->contents != RASKI_WINDOW_LIST) {
        emit_value(w, window, contents_row, raski_window_value(w, contents_row));
        return;
    }
    raski_list_view view = {0};
    if (!raski_window_ok(w, raski_keyed_table_list(w->table, contents_row, 0, &view, &error),
                         &error))
        return;
    if (w->def->element != NULL)
        emit_evicting(w, window, contents_row, &view);
    else
        call(w, window, contents_row, view.items, view.count);
}

void raski_window_emit_results(window_operator *w, char **rows, size_t n) {
    raski_operator *op = w->op;
    char *states[RASKI_LOOKUP_MAX];
    for (size_t i = 0; i < n; i++) states[i] = rows[i] + w->contents_offset;
    for (size_t done = 0; done < n && raski_operator_room(op);) {
        const size_t part = n - done < op->ctx.cap ? n - done : op->ctx.cap;
        w->def->incremental->window->result(&op->ctx, states + done, part, op->ctx.buf);
        if (op->ctx.failed) return;
        raski_operator_add_pending(op, part);
        done += part;
    }
}

void raski_window_call_clear(window_operator *w, raski_time_window window, char *row) {
    const raski_fn *fn = w->def->process;
    if (fn == NULL || fn->window->clear == NULL || fn->window->clear->clear == NULL) return;
    if (!begin_call(w, window, row)) return;
    end_call(w, fn->window->clear->clear(w->op->self, &w->op->ctx));
}

raski_window_bounds raski_current_window(const rask_ctx *ctx) {
    if (ctx->op->ops == &raski_window_ops) {
        const window_operator *w = ctx->op->kind;
        return (raski_window_bounds){w->window.start_ms, w->window.end_ms};
    }
    (void)rask_fail("only functions on windows have a window");
    return (raski_window_bounds){0, 0};
}
