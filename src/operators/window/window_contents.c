/* What a window keeps of its records: how they get there, merge and give a value. */
#include "operators/window/window_private.h"

static const char *record_at(const window_operator *w, uint32_t record) {
    return w->records + (size_t)record * w->op->def->in->size;
}
static char *contents_of(const window_operator *w, char *row) {
    return row + w->contents_offset;
}

/* Before and after user code that writes a row's contents. */
static bool track(window_operator *w, char *row) {
    RASKI_LOCAL_ERROR(error);
    if (!w->contents_tracked) return true;
    w->scope.tracked = true;
    return raski_window_ok(w, raski_keyed_table_track(w->table, row, 0, &error), &error);
}
static bool adopt(window_operator *w) {
    RASKI_LOCAL_ERROR(error);
    if (w->op->ctx.failed) return false;
    return raski_window_ok(w, raski_keyed_scope_adopt(&w->scope, &error), &error);
}

/* ---------------------------------------------------------------- one record */
/* An element of an evicting window. */
static const char *element_of(window_operator *w, uint32_t record) {
    const int64_t timestamp = w->timestamps[record];
    memset(w->scratch, 0, w->contents_type->size);
    memcpy(w->scratch, &timestamp, sizeof timestamp);
    memcpy(w->scratch + w->def->element_offset, record_at(w, record), w->op->def->in->size);
    return w->scratch;
}

static bool add_to_list(window_operator *w, char *row, uint32_t record, uint32_t count) {
    RASKI_LOCAL_ERROR(error);
    const char *items = w->def->element != NULL ? element_of(w, record) : record_at(w, record);
    return raski_window_ok(w, raski_keyed_table_list_add(w->table, row, 0, items, count, &error),
                           &error);
}

static bool combine_built_in(window_operator *w, char *row, const char *in) {
    RASKI_LOCAL_ERROR(error);
    char *stored = contents_of(w, row);
    if (raski_row_has(row, 0)) {
        if (raski_aggregate_folds_in_place(w->built_in)) {
            raski_aggregate_fold(w->built_in, stored, in);
            return true;
        }
        memcpy(w->value, stored, w->contents_type->size);
        raski_aggregate_fold(w->built_in, w->value, in);
        in = w->value;
    }
    return raski_window_ok(w, raski_keyed_table_store(w->table, row, 0, in, &error), &error);
}

bool raski_window_add(window_operator *w, char *row, uint32_t record) {
    rask_ctx *ctx = &w->op->ctx;
    char *state = contents_of(w, row);
    switch (w->def->element != NULL ? RASKI_WINDOW_LIST : w->def->contents) {
        case RASKI_WINDOW_LIST:
            return add_to_list(w, row, record, 1);
        case RASKI_WINDOW_BUILT_IN:
            return combine_built_in(w, row, record_at(w, record));
        case RASKI_WINDOW_REDUCE:
            if (!track(w, row)) return false;
            ctx->i = record;
            w->def->incremental->reduce(ctx, record_at(w, record), 1, &state,
                                        !raski_row_has(row, 0), NULL);
            break;
        case RASKI_WINDOW_AGGREGATE:
            if (!track(w, row)) return false;
            w->def->incremental->window->add(ctx, w->records, &record, 1, &state);
            break;
    }
    raski_row_set(row, 0);
    return adopt(w);
}

/* ---------------------------------------------------------------- blocks */
/* Records of one row that stand behind each other are added at once. */
static bool add_lists(window_operator *w, char **rows) {
    for (size_t i = 0; i < w->pair_count;) {
        size_t end = i + 1;
        while (end < w->pair_count && rows[end] == rows[i] && w->def->element == NULL &&
               w->pairs[end].record == w->pairs[end - 1].record + 1)
            end++;
        if (!add_to_list(w, rows[i], w->pairs[i].record, (uint32_t)(end - i))) return false;
        i = end;
    }
    return true;
}

/* The records of all pairs, one behind the other. */
static const char *dense_records(window_operator *w) {
    const size_t n = w->pair_count;
    const size_t size = w->op->def->in->size;
    size_t i = 1;
    while (i < n && w->pairs[i].record == w->pairs[0].record + i) i++;
    if (i == n) return record_at(w, w->pairs[0].record);
    for (i = 0; i < n; i++) memcpy(w->scratch + i * size, record_at(w, w->pairs[i].record), size);
    return w->scratch;
}

static bool reduce_all(window_operator *w, char **rows, char *const *states) {
    rask_ctx *ctx = &w->op->ctx;
    uint64_t first = 0;
    for (size_t i = 0; i < w->pair_count; i++) {
        if (!track(w, rows[i])) return false;
        if (!raski_row_has(rows[i], 0)) first |= UINT64_C(1) << i;
        raski_row_set(rows[i], 0);
    }
    ctx->i = w->pairs[0].record;
    w->def->incremental->reduce(ctx, dense_records(w), w->pair_count, states, first, NULL);
    return adopt(w);
}

static bool aggregate_all(window_operator *w, char **rows, char *const *states) {
    uint32_t indexes[RASKI_LOOKUP_MAX];
    for (size_t i = 0; i < w->pair_count; i++) {
        if (!track(w, rows[i])) return false;
        indexes[i] = w->pairs[i].record;
        raski_row_set(rows[i], 0);
    }
    w->def->incremental->window->add(&w->op->ctx, w->records, indexes, w->pair_count, states);
    return adopt(w);
}

bool raski_window_add_all(window_operator *w, char **rows) {
    char *states[RASKI_LOOKUP_MAX];
    if (w->def->element != NULL || w->def->contents == RASKI_WINDOW_LIST) return add_lists(w, rows);
    for (size_t i = 0; i < w->pair_count; i++) states[i] = contents_of(w, rows[i]);
    if (w->def->contents == RASKI_WINDOW_REDUCE) return reduce_all(w, rows, states);
    if (w->def->contents == RASKI_WINDOW_AGGREGATE) return aggregate_all(w, rows, states);
    for (size_t i = 0; i < w->pair_count; i++)
        if (!combine_built_in(w, rows[i], record_at(w, w->pairs[i].record))) return false;
    return true;
}

/* ---------------------------------------------------------------- as a whole */
bool raski_window_clear_contents(window_operator *w, char *row) {
    RASKI_LOCAL_ERROR(error);
    raski_window_touch(w, row);
    return raski_window_ok(w, raski_keyed_table_clear(w->table, row, 0, &error), &error);
}

static bool merge_values(window_operator *w, char *into_row, char *from_row) {
    RASKI_LOCAL_ERROR(error);
    char *into = contents_of(w, into_row);
    const char *from = contents_of(w, from_row);
    if (!raski_row_has(into_row, 0))
        return raski_window_ok(w, raski_keyed_table_store(w->table, into_row, 0, from, &error),
                               &error);
    if (w->def->contents == RASKI_WINDOW_BUILT_IN) return combine_built_in(w, into_row, from);
    if (!track(w, into_row)) return false;
    if (w->def->contents == RASKI_WINDOW_REDUCE) {
        w->op->ctx.i = 0;
        w->def->incremental->reduce(&w->op->ctx, from, 1, &into, 0, NULL);
    } else {
        w->def->incremental->window->merge->merge(into, from);
    }
    return adopt(w);
}

bool raski_window_merge_contents(window_operator *w, char *into_row, char *from_row) {
    RASKI_LOCAL_ERROR(error);
    if (!raski_row_has(from_row, 0)) return true;
    raski_window_touch(w, from_row);
    if (w->def->element != NULL || w->def->contents == RASKI_WINDOW_LIST)
        return raski_window_ok(
            w, raski_keyed_table_list_move(w->table, from_row, into_row, 0, &error), &error);
    return merge_values(w, into_row, from_row) && raski_window_clear_contents(w, from_row);
}

bool raski_window_fold(window_operator *w, const char *records, uint32_t count, size_t stride) {
    rask_ctx *ctx = &w->op->ctx;
    const raski_fn *fn = w->def->incremental;
    const size_t size = w->op->def->in->size;
    ctx->i = 0;
    if (w->def->contents == RASKI_WINDOW_AGGREGATE) {
        const uint32_t first = 0;
        memset(w->accumulator, 0, fn->window->state->size);
        for (uint32_t i = 0; i < count && !ctx->failed; i++)
            fn->window->add(ctx, records + i * stride, &first, 1, &w->accumulator);
        if (!ctx->failed) fn->window->result(ctx, &w->accumulator, 1, w->value);
        return !ctx->failed;
    }
    RASKI_DCHECK(count > 0);
    memcpy(w->value, records, size);
    for (uint32_t i = 1; i < count && !ctx->failed; i++) {
        ctx->i = 0;
        if (w->def->contents == RASKI_WINDOW_REDUCE)
            fn->reduce(ctx, records + i * stride, 1, &w->value, 0, NULL);
        else
            raski_aggregate_fold(w->built_in, w->value, records + i * stride);
    }
    ctx->i = 0;
    return !ctx->failed;
}

const void *raski_window_value(window_operator *w, char *row) {
    char *state = contents_of(w, row);
    if (w->def->contents != RASKI_WINDOW_AGGREGATE) return state;
    w->def->incremental->window->result(&w->op->ctx, &state, 1, w->value);
    return w->op->ctx.failed ? NULL : w->value;
}
