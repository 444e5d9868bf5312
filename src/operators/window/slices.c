/* Sliding windows that share work. Records go into panes, pieces of time that windows are made of,
 * as they go into tumbling windows; a pane that has closed is kept with its key, and a window
 * merges what its panes have. Two stacks do that in a constant number of merges for each key and
 * slide: the panes in front are merged from each to the last of them, those behind are merged as
 * they come; when the front is used up, what is behind becomes the front.
 *
 * Windows and their timers do not exist one by one then. Where somebody must see them (a test that
 * counts timers; a restore, after which Flink treats each window by itself) they are made. */
#include "operators/window/window_private.h"
#include "state/keyed_table_private.h"

enum { STATE_HEAD, STATE_PANES, STATE_SUFFIXES, BLOCK = RASKI_LOOKUP_MAX, COMPACT_AT = 64 };
/* Times beyond are left to windows one by one, where nothing overflows. */
static const int64_t FAR_MS = INT64_C(1) << 61;

/* Of a key, followed by what the panes behind the front have together. */
typedef struct slices_head {
    int64_t next_end_ms; /* of the next window that fires */
    uint32_t first;      /* pane that is not too old */
    uint32_t middle;     /* the first one behind the front */
    uint32_t base;       /* the pane that the first suffix begins with */
    uint32_t behind;     /* panes behind the front */
} slices_head;

struct raski_window_slices {
    raski_window_assigner panes;
    int64_t pane_ms, size_ms, slide_ms, offset_ms;
    int64_t next_end_ms; /* while there are live rows */
    raski_keyed_table *keys;
    raski_timed_record pane; /* what the list holds */
    rask_type head_type;
    rask_field head_fields[6];
    uint32_t head_offset, panes_offset, suffixes_offset; /* in a row */
    uint32_t behind_offset;                              /* in a head */
    uint32_t accumulator_size;
    RASKI_VEC(char *) live; /* rows with panes; pinned */
    RASKI_VEC(char *) dead; /* rows to be swept */
    char *item, *results;   /* room for one pane, for a block of accumulators */
    char *copy;             /* room for all panes or suffixes of a key */
    size_t copy_capacity;
};

/* ---------------------------------------------------------------- making */
static int64_t gcd(int64_t a, int64_t b) {
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool has_pointers(const rask_type *type) {
    raski_layout *layout = raski_layout_create(type);
    const bool result = layout->has_pointers;
    raski_layout_destroy(layout);
    return result;
}

bool raski_window_can_share(const window_operator *w) {
    const raski_window_definition *def = w->def;
    if (!w->simple || def->assigner.shape != RASKI_WINDOW_SLIDING || !def->assigner.event_time ||
        def->assigner.size_ms <= def->assigner.slide_ms || def->assigner.size_ms >= FAR_MS)
        return false;
    const raski_window_hook *merge = def->incremental->window->merge;
    return merge != NULL && merge->merge != NULL && !w->op->def->final_results &&
           !raski_keyed_table_has_store(w->table) && !has_pointers(w->contents_type);
}

static void describe_head(raski_window_slices *s, const rask_type *accumulator) {
    static const rask_type *const long_type = &rask_type_int64_t, *const int_type =
                                                                      &rask_type_int32_t;
    const uint32_t align = accumulator->align > 8 ? accumulator->align : 8;
    s->behind_offset = (uint32_t)(sizeof(slices_head) + align - 1) / align * align;
    const rask_field fields[6] = {{"next_end", offsetof(slices_head, next_end_ms), 8, long_type, 0},
                                  {"first", offsetof(slices_head, first), 4, int_type, 0},
                                  {"middle", offsetof(slices_head, middle), 4, int_type, 0},
                                  {"base", offsetof(slices_head, base), 4, int_type, 0},
                                  {"behind_count", offsetof(slices_head, behind), 4, int_type, 0},
                                  {"behind", s->behind_offset, accumulator->size, accumulator, 0}};
    memcpy(s->head_fields, fields, sizeof fields);
    s->head_type =
        (rask_type){.name = "slices",
                    .kind = RASK_KIND_RECORD,
                    .size = (s->behind_offset + accumulator->size + align - 1) / align * align,
                    .align = align,
                    .field_count = 6,
                    .fields = s->head_fields};
}

static rask_status make(window_operator *w, raski_window_slices *s, raski_error *err) {
    const raski_window_assigner *assigner = &w->def->assigner;
    s->size_ms = assigner->size_ms;
    s->slide_ms = assigner->slide_ms;
    s->pane_ms = gcd(s->size_ms, s->slide_ms);
    s->offset_ms = assigner->offset_ms;
    s->accumulator_size = w->contents_type->size;
    s->panes = (raski_window_assigner){.shape = RASKI_WINDOW_TUMBLING,
                                       .event_time = true,
                                       .size_ms = s->pane_ms,
                                       .offset_ms = s->offset_ms % s->pane_ms};
    describe_head(s, w->contents_type);
    raski_timed_record_init(&s->pane, w->contents_type);
    const raski_state_spec states[] = {
        {.name = "slices", .type = &s->head_type},
        {.name = "panes", .type = &s->pane.type, .kind = RASKI_STATE_LIST},
        {.name = "suffixes", .type = w->contents_type, .kind = RASKI_STATE_LIST}};
    raski_keyed_table_options options = {
        .key = &w->pair_only_key, .states = states, .state_count = 3, .timers = true};
    RASKI_TRY(raski_keyed_backend_apply(w->op, &w->limit, &options, err));
    RASKI_TRY(raski_keyed_table_create(&options, &s->keys, err));
    s->head_offset = raski_keyed_table_state_offset(s->keys, STATE_HEAD);
    s->panes_offset = raski_keyed_table_state_offset(s->keys, STATE_PANES);
    s->suffixes_offset = raski_keyed_table_state_offset(s->keys, STATE_SUFFIXES);
    s->item = raski_try_calloc(1, s->pane.type.size);
    s->results = raski_try_alloc((size_t)BLOCK * s->accumulator_size, 64);
    if (s->item == NULL || s->results == NULL)
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a window operator");
    return RASK_OK;
}

rask_status raski_window_slices_create(window_operator *w, raski_error *err) {
    w->slices = RASKI_NEW(raski_window_slices);
    return make(w, w->slices, err);
}

void raski_window_slices_destroy(raski_window_slices *slices_take_or_null) {
    raski_window_slices *s = slices_take_or_null;
    if (s == NULL) return;
    raski_keyed_table_destroy(s->keys);
    raski_vec_free(&s->live);
    raski_vec_free(&s->dead);
    raski_free(s->item);
    raski_free(s->results);
    raski_free(s->copy);
    raski_free(s);
}

/* ---------------------------------------------------------------- times */
/* The end of the first window that ends at time_ms or later. */
static int64_t first_end(const raski_window_slices *s, int64_t time_ms) {
    const int64_t start = raski_window_start(time_ms - s->size_ms, s->offset_ms, s->slide_ms);
    const int64_t end = start + s->size_ms;
    return end >= time_ms ? end : end + s->slide_ms;
}

bool raski_window_is_shared(const window_operator *w, int64_t timestamp) {
    return w->slices != NULL && timestamp > -FAR_MS && timestamp < FAR_MS;
}

/* Of the last window that a record is in. */
static int64_t last_end(const raski_window_slices *s, int64_t timestamp) {
    return raski_window_start(timestamp, s->offset_ms, s->slide_ms) + s->size_ms;
}

/* ---------------------------------------------------------------- panes of a key */
static slices_head *head_of(const raski_window_slices *s, char *row) {
    return (slices_head *)(void *)(row + s->head_offset);
}
static char *behind_of(const raski_window_slices *s, slices_head *head) {
    return (char *)head + s->behind_offset;
}
static const char *pane_at(const raski_window_slices *s, const raski_list_view *panes, uint32_t i) {
    return (const char *)panes->items + (size_t)i * s->pane.type.size;
}
static int64_t pane_start(const raski_window_slices *s, const raski_list_view *panes, uint32_t i) {
    int64_t start_ms;
    memcpy(&start_ms, pane_at(s, panes, i), sizeof start_ms);
    return start_ms;
}
static const char *pane_value(const raski_window_slices *s, const raski_list_view *panes,
                              uint32_t i) {
    return pane_at(s, panes, i) + raski_timed_record_offset(&s->pane);
}

/* A list as it lies in the row: the table has no store and no time-to-live. */
static raski_list_view list_of(const char *row, uint32_t offset) {
    const raski_state_slot *slot = (const raski_state_slot *)(const void *)(row + offset);
    return (raski_list_view){.items = slot->memory, .count = slot->count};
}

static void merge(const window_operator *w, void *into, const void *from) {
    w->def->incremental->window->merge->merge(into, from);
}

static char *room(window_operator *w, size_t size) {
    raski_window_slices *s = w->slices;
    raski_error error;
    error.status = RASK_OK;
    if (size <= s->copy_capacity) return s->copy;
    raski_free(s->copy);
    s->copy_capacity = 0;
    s->copy = raski_try_alloc(2 * size, 64);
    if (s->copy == NULL) {
        (void)RASKI_FAIL(&error, RASK_E_NOMEM, EXTERNAL, "no memory for the panes of a key");
        raski_operator_fail(w->op, &error);
        return NULL;
    }
    s->copy_capacity = 2 * size;
    return s->copy;
}

/* All panes come to the front. */
static bool turn(window_operator *w, char *row, const raski_list_view *panes) {
    raski_window_slices *s = w->slices;
    slices_head *head = head_of(s, row);
    raski_error error;
    error.status = RASK_OK;
    const uint32_t n = panes->count - head->first;
    const size_t size = s->accumulator_size;
    char *suffixes = room(w, n * size);
    if (suffixes == NULL) return false;
    for (uint32_t i = n; i-- > 0;) {
        memcpy(suffixes + i * size, pane_value(s, panes, head->first + i), size);
        if (i + 1 < n) merge(w, suffixes + i * size, suffixes + (i + 1) * size);
    }
    head->base = head->first;
    head->middle = panes->count;
    head->behind = 0;
    return raski_window_ok(
        w, raski_keyed_table_list_replace(s->keys, row, STATE_SUFFIXES, suffixes, n, &error),
        &error);
}

/* The row of a key has its first pane. ends_after: windows that end then or before do not fire. */
static void enliven(window_operator *w, char *row, int64_t ends_after_ms) {
    raski_window_slices *s = w->slices;
    if (s->live.count == 0) s->next_end_ms = first_end(s, ends_after_ms + 1);
    memset(row + s->head_offset, 0, s->head_type.size);
    head_of(s, row)->next_end_ms = s->next_end_ms;
    raski_row_set(row, STATE_HEAD);
    raski_keyed_table_pin(s->keys, row);
    raski_vec_push(&s->live, row);
}

/* Adds what a pane has to one that is older than the last, or the same. */
static bool insert_pane(window_operator *w, char *row, const raski_list_view *panes,
                        int64_t start_ms, const char *value) {
    raski_window_slices *s = w->slices;
    raski_error error;
    error.status = RASK_OK;
    const size_t size = s->pane.type.size;
    uint32_t at = panes->count;
    while (at > 0 && pane_start(s, panes, at - 1) >= start_ms) at--;
    const bool found = at < panes->count && pane_start(s, panes, at) == start_ms;
    const uint32_t n = panes->count + !found;
    char *all = room(w, n * size);
    if (all == NULL) return false;
    memcpy(all, panes->items, at * size);
    memcpy(all + (at + !found) * size, pane_at(s, panes, at), (panes->count - at) * size);
    if (found) {
        merge(w, all + at * size + raski_timed_record_offset(&s->pane), value);
    } else {
        memset(all + at * size, 0, size);
        memcpy(all + at * size, &start_ms, sizeof start_ms);
        memcpy(all + at * size + raski_timed_record_offset(&s->pane), value, s->accumulator_size);
        if (at < head_of(s, row)->first) head_of(s, row)->first++;
    }
    if (!raski_window_ok(
            w, raski_keyed_table_list_replace(s->keys, row, STATE_PANES, all, n, &error), &error))
        return false;
    const raski_list_view changed = list_of(row, s->panes_offset);
    return turn(w, row, &changed);
}

static bool add_pane(window_operator *w, char *row, int64_t start_ms, const char *value) {
    raski_window_slices *s = w->slices;
    slices_head *head = head_of(s, row);
    raski_error error;
    error.status = RASK_OK;
    const raski_list_view panes = list_of(row, s->panes_offset);
    if (panes.count > 0 && pane_start(s, &panes, panes.count - 1) >= start_ms)
        return insert_pane(w, row, &panes, start_ms, value);
    memcpy(s->item, &start_ms, sizeof start_ms);
    memcpy(s->item + raski_timed_record_offset(&s->pane), value, s->accumulator_size);
    if (head->behind++ == 0)
        memcpy(behind_of(s, head), value, s->accumulator_size);
    else
        merge(w, behind_of(s, head), value);
    return raski_window_ok(
        w, raski_keyed_table_list_add(s->keys, row, STATE_PANES, s->item, 1, &error), &error);
}

/* ---------------------------------------------------------------- panes close */
static bool close_panes(window_operator *w, char **rows, size_t n) {
    raski_window_slices *s = w->slices;
    char *keys[BLOCK];
    raski_error error;
    error.status = RASK_OK;
    for (size_t i = 0; i < n; i++)
        raski_window_key_of_row(w, rows[i], w->pair_keys + i * w->pair_size);
    if (n == 0 ||
        !raski_window_ok(w,
                         raski_keyed_table_lookup(s->keys, &w->pair_only_key, w->pair_keys,
                                                  w->pair_size, n, keys, NULL, &error),
                         &error))
        return n == 0;
    for (size_t i = 0; i < n; i++) {
        const raski_time_window pane = window_of_row(w, rows[i]);
        if (!raski_row_has(keys[i], STATE_HEAD)) enliven(w, keys[i], pane.end_ms - 1);
        if (!add_pane(w, keys[i], pane.start_ms, rows[i] + w->contents_offset) ||
            !raski_window_clear_contents(w, rows[i]))
            return false;
    }
    return true;
}

static bool is_pane(const window_operator *w, const char *row) {
    const raski_time_window window = window_of_row(w, row);
    return raski_row_has(row, 0) &&
           raski_wrap_sub(window.end_ms, window.start_ms) == w->slices->pane_ms;
}

size_t raski_window_slices_close(window_operator *w, char **rows, size_t n) {
    char *panes[BLOCK];
    size_t pane_count = 0, others = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_pane(w, rows[i]))
            panes[pane_count++] = rows[i];
        else
            rows[others++] = rows[i];
    }
    return close_panes(w, panes, pane_count) ? others : 0;
}

/* A record whose pane has closed, while windows that it is in have not fired. */
static bool add_late(window_operator *w, uint32_t record, raski_time_window pane) {
    raski_window_slices *s = w->slices;
    raski_error error;
    error.status = RASK_OK;
    char *row = NULL;
    raski_window_key_of_record(w, record, w->one_key);
    if (!raski_window_ok(w,
                         raski_keyed_table_lookup(s->keys, &w->pair_only_key, w->one_key,
                                                  w->pair_size, 1, &row, NULL, &error),
                         &error))
        return false;
    memset(w->accumulator, 0, s->accumulator_size);
    w->def->incremental->window->add(&w->op->ctx, w->records, &record, 1, &w->accumulator);
    if (w->op->ctx.failed) return false;
    if (!raski_row_has(row, STATE_HEAD)) enliven(w, row, w->op->watermark + 1);
    return add_pane(w, row, pane.start_ms, w->accumulator);
}

bool raski_window_slices_assign(window_operator *w, uint32_t record, window_pair *ret_pair,
                                bool *ret_paired) {
    raski_window_slices *s = w->slices;
    const int64_t timestamp = w->timestamps[record];
    const int64_t start_ms = raski_window_start(timestamp, s->panes.offset_ms, s->pane_ms);
    const raski_time_window pane = {start_ms, start_ms + s->pane_ms};
    *ret_paired = pane.end_ms - 1 > w->op->watermark;
    *ret_pair = (window_pair){record, pane};
    if (*ret_paired) return true;
    if (last_end(s, timestamp) - 1 <= w->op->watermark) {
        raski_window_skipped(w, record);
        return true;
    }
    return add_late(w, record, pane);
}

/* ---------------------------------------------------------------- windows fire */
static bool bury(window_operator *w, size_t i) {
    raski_window_slices *s = w->slices;
    raski_error error;
    error.status = RASK_OK;
    char *row = s->live.items[i];
    s->live.items[i] = s->live.items[--s->live.count];
    raski_keyed_table_unpin(s->keys, row);
    raski_vec_push(&s->dead, row);
    for (unsigned state = STATE_HEAD; state <= STATE_SUFFIXES; state++)
        if (!raski_window_ok(w, raski_keyed_table_clear(s->keys, row, state, &error), &error))
            return false;
    return true;
}

/* Old panes take no more room than the others. */
static bool compact(window_operator *w, char *row, uint32_t count) {
    raski_window_slices *s = w->slices;
    slices_head *head = head_of(s, row);
    raski_error error;
    error.status = RASK_OK;
    const uint32_t old = head->first;
    if (old < COMPACT_AT || old < count / 2 || head->base < old) return true;
    head->first = 0;
    head->middle -= old;
    head->base -= old;
    return raski_window_ok(
        w, raski_keyed_table_list_remove(s->keys, row, STATE_PANES, 0, old, &error), &error);
}

/* What the window that ends at end_ms has of a key; *ret_alive: it has something. */
static bool window_value(window_operator *w, char *row, int64_t end_ms, char *ret_value,
                         bool *ret_alive) {
    raski_window_slices *s = w->slices;
    raski_keyed_table_before_write(s->keys, row);
    slices_head *head = head_of(s, row);
    const raski_list_view panes = list_of(row, s->panes_offset);
    while (head->first < panes.count && pane_start(s, &panes, head->first) < end_ms - s->size_ms)
        head->first++;
    *ret_alive = head->first < panes.count;
    if (!*ret_alive) return true;
    if (head->first >= head->middle && !turn(w, row, &panes)) return false;
    const raski_list_view suffixes = list_of(row, s->suffixes_offset);
    memcpy(ret_value,
           (const char *)suffixes.items + (head->first - head->base) * (size_t)s->accumulator_size,
           s->accumulator_size);
    if (head->behind > 0) merge(w, ret_value, behind_of(s, head));
    head->next_end_ms = end_ms + s->slide_ms;
    return compact(w, row, panes.count);
}

static bool emit(window_operator *w, size_t n) {
    raski_window_slices *s = w->slices;
    raski_operator *op = w->op;
    char *states[BLOCK];
    for (size_t i = 0; i < n; i++) states[i] = s->results + i * s->accumulator_size;
    for (size_t done = 0; done < n;) {
        if (!raski_operator_room(op)) return false;
        const size_t part = n - done < op->ctx.cap ? n - done : op->ctx.cap;
        w->def->incremental->window->result(&op->ctx, states + done, part, op->ctx.buf);
        if (op->ctx.failed) return false;
        raski_operator_add_pending(op, part);
        done += part;
    }
    return true;
}

static bool fire_windows(window_operator *w, int64_t end_ms) {
    raski_window_slices *s = w->slices;
    size_t n = 0;
    w->window_max = end_ms - 1;
    w->op->ctx.ts = &w->window_max;
    w->op->ctx.i = 0;
    for (size_t i = 0; i < s->live.count;) {
        bool alive = false;
        if (!window_value(w, s->live.items[i], end_ms, s->results + n * s->accumulator_size,
                          &alive))
            return false;
        if (!alive) {
            if (!bury(w, i)) return false;
            continue;
        }
        i++;
        if (++n < BLOCK) continue;
        if (!emit(w, n)) return false;
        n = 0;
    }
    return emit(w, n);
}

void raski_window_slices_advance(window_operator *w, int64_t watermark) {
    raski_window_slices *s = w->slices;
    raski_timer_queue *timers = raski_operator_timers_queue(w->timers, false);
    while (!w->op->env->failed) {
        int64_t pane_ms = 0;
        const bool has_pane = raski_timer_queue_next_time(timers, &pane_ms) && pane_ms <= watermark;
        const bool has_window = s->live.count > 0 && s->next_end_ms - 1 <= watermark;
        if (has_pane && !(has_window && s->next_end_ms - 1 < pane_ms)) {
            raski_operator_timers_advance_watermark(w->timers, pane_ms);
        } else if (has_window) {
            if (!fire_windows(w, s->next_end_ms)) return;
            s->next_end_ms += s->slide_ms;
        } else {
            return;
        }
    }
}

void raski_window_slices_end_batch(raski_window_slices *slices) {
    raski_keyed_table_sweep(slices->keys, slices->dead.items, slices->dead.count);
    slices->dead.count = 0;
    raski_keyed_table_end_batch(slices->keys);
}

/* ---------------------------------------------------------------- windows one by one */
/* Where windows are made that nobody has made so far. */
typedef struct windows_target {
    window_operator *w;
    raski_keyed_table *table;
    bool with_timers;
} windows_target;

static bool add_to_window(windows_target *t, int64_t end_ms, const char *value) {
    window_operator *w = t->w;
    raski_error error;
    error.status = RASK_OK;
    char *row = NULL;
    const raski_time_window window = {end_ms - w->slices->size_ms, end_ms};
    memcpy(w->one_key + w->pair_start_offset, &window, sizeof window);
    if (!raski_window_ok(w,
                         raski_keyed_table_lookup(t->table, &w->pair_key, w->one_key, w->pair_size,
                                                  1, &row, NULL, &error),
                         &error))
        return false;
    char *contents = row + w->contents_offset;
    if (raski_row_has(row, 0))
        merge(w, contents, value);
    else
        memcpy(contents, value, w->slices->accumulator_size);
    raski_row_set(row, 0);
    if (t->with_timers) raski_operator_timers_register(w->timers, end_ms - 1, false, row);
    return !w->op->env->failed;
}

/* A pane of the key in w->one_key: into all its windows that end at from_ms or later. */
static bool add_to_windows(windows_target *t, int64_t start_ms, int64_t from_ms,
                           const char *value) {
    const raski_window_slices *s = t->w->slices;
    for (int64_t end = first_end(s, from_ms); end - s->size_ms <= start_ms; end += s->slide_ms)
        if (!add_to_window(t, end, value)) return false;
    return true;
}

static bool closed_panes(windows_target *t, char *row) {
    window_operator *w = t->w;
    const raski_window_slices *s = w->slices;
    slices_head *head = head_of(s, row);
    const raski_list_view panes = list_of(row, s->panes_offset);
    const raski_key_spec *key = raski_keyed_table_key_in_row(s->keys);
    for (uint32_t i = 0; i < key->part_count; i++)
        memcpy(w->one_key + w->pair_only_key.parts[i].offset, row + key->parts[i].offset,
               key->parts[i].type->size);
    for (uint32_t i = head->first; i < panes.count; i++) {
        const int64_t start_ms = pane_start(s, &panes, i);
        int64_t from_ms = start_ms + s->pane_ms;
        if (from_ms < head->next_end_ms) from_ms = head->next_end_ms;
        if (!add_to_windows(t, start_ms, from_ms, pane_value(s, &panes, i))) return false;
    }
    return true;
}

/* All panes that have not closed, as rows. */
static char **open_panes(const window_operator *w, size_t *ret_count) {
    char **rows = RASKI_NEW_ARRAY(char *, raski_keyed_table_count(w->table) + 1);
    size_t position = 0;
    *ret_count = 0;
    for (char *row; (row = raski_keyed_table_next(w->table, &position)) != NULL;)
        if (is_pane(w, row)) rows[(*ret_count)++] = row;
    return rows;
}

static bool make_windows(windows_target *t, char *const *rows, size_t count) {
    window_operator *w = t->w;
    raski_window_slices *s = w->slices;
    size_t position = 0;
    for (char *row; (row = raski_keyed_table_next(s->keys, &position)) != NULL;)
        if (raski_row_has(row, STATE_HEAD) && !closed_panes(t, row)) return false;
    for (size_t i = 0; i < count; i++) {
        const raski_time_window pane = window_of_row(w, rows[i]);
        raski_window_key_of_row(w, rows[i], w->one_key);
        if (!add_to_windows(t, pane.start_ms, pane.end_ms, rows[i] + w->contents_offset))
            return false;
    }
    return true;
}

/* From now on windows are what they are in Flink. */
static rask_status stop_sharing(window_operator *w) {
    size_t count = 0;
    char **rows = open_panes(w, &count);
    windows_target target = {.w = w, .table = w->table, .with_timers = true};
    bool done = make_windows(&target, rows, count);
    for (size_t i = 0; i < count && done; i++) {
        raski_operator_timers_delete(w->timers, window_of_row(w, rows[i]).end_ms - 1, false,
                                     rows[i]);
        done = raski_window_clear_contents(w, rows[i]);
    }
    raski_free(rows);
    raski_window_slices_destroy(w->slices);
    w->slices = NULL;
    return done ? RASK_OK : w->op->env->error.status;
}

size_t raski_window_slices_timer_count(window_operator *w) {
    raski_error error;
    error.status = RASK_OK;
    raski_keyed_table *table = NULL;
    const raski_state_spec state = {.name = "window-contents", .type = w->contents_type};
    const raski_keyed_table_options options = {.key = &w->pair_key,
                                               .states = &state,
                                               .state_count = 1,
                                               .namespace_parts = 2,
                                               .timers = true};
    size_t open = 0, windows = 0;
    if (!raski_window_ok(w, raski_keyed_table_create(&options, &table, &error), &error)) return 0;
    RASKI_ASSERT(raski_keyed_table_state_offset(table, 0) == w->contents_offset);
    char **rows = open_panes(w, &open);
    windows_target target = {.w = w, .table = table};
    if (make_windows(&target, rows, open))
        windows =
            raski_keyed_table_count(table) + raski_operator_timers_count(w->timers, false) - open;
    raski_free(rows);
    raski_keyed_table_destroy(table);
    return windows;
}

/* ---------------------------------------------------------------- snapshots */
rask_status raski_window_slices_snapshot(raski_window_slices *slices,
                                         raski_operator_snapshot_writer *writer, raski_error *err) {
    return raski_snapshot_writer_add_keyed(writer, "slices", slices->keys, NULL, NULL, err);
}

rask_status raski_window_slices_restore(window_operator *w, raski_operator_snapshot_reader *reader,
                                        raski_error *err) {
    RASKI_TRY(raski_snapshot_reader_keyed(reader, "slices", w->slices->keys, NULL, NULL, err));
    const rask_status status = stop_sharing(w);
    if (status != RASK_OK && err != NULL) *err = w->op->env->error;
    return status;
}
