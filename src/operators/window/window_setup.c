/* Making and freeing a window operator: its tables, their states, and buffers. */
#include "operators/keyed_backend.h"
#include "operators/window/window_private.h"

/* ---------------------------------------------------------------- the trigger's services */
static window_operator *owner(rask_trigger_context *context) {
    return (window_operator *)(void *)((char *)context - offsetof(window_operator, trigger));
}
static window_operator *owner_of(raski_trigger_context *context) {
    return owner(&context->base);
}

static void register_timer(rask_trigger_context *context, int64_t time_ms, bool processing) {
    window_operator *w = owner(context);
    const rask_timer *firing = w->firing;
    if (firing != NULL && firing->processing == processing && time_ms < firing->time_ms)
        w->earlier = true;
    raski_operator_timers_register(w->timers, time_ms, processing, w->trigger_row);
}
static void delete_timer(rask_trigger_context *context, int64_t time_ms, bool processing) {
    window_operator *w = owner(context);
    raski_operator_timers_delete(w->timers, time_ms, processing, w->trigger_row);
    raski_window_touch(w, w->trigger_row);
}

static const void *slot_in(const window_operator *w, const char *row, raski_trigger_slot slot) {
    RASKI_DCHECK(w->slots[slot] >= 0);
    return raski_row_has(row, (unsigned)w->slots[slot]) ? row + w->slot_offsets[slot] : NULL;
}

static const void *get_slot(raski_trigger_context *context, raski_trigger_slot slot) {
    const window_operator *w = owner_of(context);
    return slot_in(w, w->trigger_row, slot);
}

/* User code writes what it gets in place: the next adopt copies what it put there. */
static void *ref_slot(raski_trigger_context *context, raski_trigger_slot slot) {
    window_operator *w = owner_of(context);
    RASKI_LOCAL_ERROR(error);
    const unsigned state = (unsigned)w->slots[slot];
    if (!raski_window_ok(w, raski_keyed_scope_adopt(&w->scope, &error), &error) ||
        !raski_window_ok(w, raski_keyed_table_track(w->table, w->trigger_row, state, &error),
                         &error))
        return NULL;
    w->scope.tracked = true;
    raski_row_set(w->trigger_row, state);
    return w->trigger_row + w->slot_offsets[slot];
}

static void set_slot(raski_trigger_context *context, raski_trigger_slot slot, const void *value) {
    window_operator *w = owner_of(context);
    RASKI_LOCAL_ERROR(error);
    (void)raski_window_ok(
        w,
        raski_keyed_table_store(w->table, w->trigger_row, (unsigned)w->slots[slot], value, &error),
        &error);
}

static void clear_in(window_operator *w, char *row, raski_trigger_slot slot) {
    RASKI_LOCAL_ERROR(error);
    if (raski_window_ok(w, raski_keyed_scope_adopt(&w->scope, &error), &error))
        (void)raski_window_ok(
            w, raski_keyed_table_clear(w->table, row, (unsigned)w->slots[slot], &error), &error);
    raski_window_touch(w, row);
}

static void clear_slot(raski_trigger_context *context, raski_trigger_slot slot) {
    window_operator *w = owner_of(context);
    clear_in(w, w->trigger_row, slot);
}

static const void *take_merged(raski_trigger_context *context, raski_trigger_slot slot) {
    window_operator *w = owner_of(context);
    if (w->merged_taken != NULL) clear_in(w, w->merged_taken, slot);
    w->merged_taken = NULL;
    while (w->merged_next < w->merged_count) {
        char *row = w->merged_rows[w->merged_next++];
        const void *value = slot_in(w, row, slot);
        if (value == NULL) continue;
        w->merged_taken = row;
        return value;
    }
    return NULL;
}

/* ---------------------------------------------------------------- keys */
/* A key record: the parts of the key, one behind the other, then start and end of the window. */
static rask_status make_pair_key(window_operator *w, raski_error *err) {
    const raski_key_spec *key = &w->op->def->key->fields;
    if (key->part_count + 2 > RASKI_KEY_PARTS_MAX)
        return RASKI_FAIL(err, RASK_E_UNSUPPORTED, USER,
                          "windows are possible on keys of up to %d fields, not %u",
                          RASKI_KEY_PARTS_MAX - 2, key->part_count);
    uint32_t offset = 0;
    for (uint32_t i = 0; i < key->part_count; i++) {
        const rask_type *type = key->parts[i].type;
        offset = (offset + type->align - 1) / type->align * type->align;
        w->pair_key.parts[i] = (raski_key_field){offset, type};
        offset += type->size;
    }
    offset = (offset + 7) / 8 * 8;
    w->pair_start_offset = offset;
    w->pair_key.part_count = key->part_count;
    w->pair_only_key = w->pair_key;
    for (uint32_t i = 0; i < 2; i++)
        w->pair_key.parts[w->pair_key.part_count++] =
            (raski_key_field){offset + i * (uint32_t)sizeof(int64_t), &rask_type_int64_t};
    w->pair_size = (offset + (uint32_t)sizeof(raski_time_window) + 15) / 16 * 16;
    return RASK_OK;
}

/* ---------------------------------------------------------------- tables */
static void add_slots(window_operator *w, raski_state_spec *specs, size_t *count) {
    static const char *const names[RASKI_TRIGGER_SLOTS] = {"trigger-count", "trigger-fire-time",
                                                           "trigger-timeout",
                                                           "trigger-last-element", "trigger-state"};
    const unsigned used = raski_trigger_slots(w->def->trigger);
    for (int slot = 0; slot < RASKI_TRIGGER_SLOTS; slot++) {
        w->slots[slot] = -1;
        if ((used >> slot & 1) == 0) continue;
        const rask_type *type = &rask_type_int64_t;
        if (slot == RASKI_TRIGGER_SLOT_LAST_ELEMENT) type = w->op->def->in;
        if (slot == RASKI_TRIGGER_SLOT_USER) type = raski_trigger_user_type(w->def->trigger);
        w->slots[slot] = (int)*count;
        specs[(*count)++] = (raski_state_spec){.name = names[slot], .type = type};
    }
}

static rask_status make_window_table(window_operator *w, raski_error *err) {
    const raski_fn *process = w->def->process;
    const raski_states *states = process != NULL ? process->window->window_states : NULL;
    raski_state_spec specs[RASKI_STATES_MAX] = {{0}};
    size_t count = 1;
    w->contents_type = raski_window_contents_type(w->def, w->op->def->in);
    const bool list = w->def->element != NULL || w->def->contents == RASKI_WINDOW_LIST;
    specs[0] = (raski_state_spec){.name = "window-contents",
                                  .type = w->contents_type,
                                  .kind = list ? RASKI_STATE_LIST : RASKI_STATE_VALUE};
    add_slots(w, specs, &count);
    const size_t first_user = count;
    if (states != NULL) RASKI_TRY(raski_keyed_scope_specs(&w->scope, states, specs, &count, err));
    raski_keyed_table_options options = {.key = &w->pair_key,
                                         .states = specs,
                                         .state_count = count,
                                         .namespace_parts = 2,
                                         .timers = true};
    RASKI_TRY(raski_keyed_backend_apply(w->op, &w->limit, &options, err));
    RASKI_TRY(raski_keyed_table_create(&options, &w->table, err));
    w->contents_offset = raski_keyed_table_state_offset(w->table, 0);
    for (int slot = 0; slot < RASKI_TRIGGER_SLOTS; slot++)
        if (w->slots[slot] >= 0)
            w->slot_offsets[slot] =
                raski_keyed_table_state_offset(w->table, (size_t)w->slots[slot]);
    const raski_key_spec *in_row = raski_keyed_table_key_in_row(w->table);
    w->row_start_offset = in_row->parts[in_row->part_count - 2].offset;
    w->row_end_offset = in_row->parts[in_row->part_count - 1].offset;
    RASKI_TRY(raski_keyed_scope_init(&w->scope, w->table, &w->window_ctx, err));
    w->scope.namespace_parts = 2;
    if (states != NULL)
        raski_keyed_scope_bind(&w->scope, &w->window_ctx, states, first_user, w->op->self);
    return RASK_OK;
}

static const rask_type *session_type(void) {
    static const rask_field fields[] = {
        {"start", offsetof(session, window.start_ms), 8, &rask_type_int64_t, 0},
        {"end", offsetof(session, window.end_ms), 8, &rask_type_int64_t, 0},
        {"state_start", offsetof(session, state.start_ms), 8, &rask_type_int64_t, 0},
        {"state_end", offsetof(session, state.end_ms), 8, &rask_type_int64_t, 0},
        {"timer", offsetof(session, timer_ms), 8, &rask_type_int64_t, 0}};
    static const rask_type type = {.name = "session",
                                   .kind = RASK_KIND_RECORD,
                                   .size = sizeof(session),
                                   .align = _Alignof(session),
                                   .field_count = 5,
                                   .fields = fields};
    return &type;
}

/* The table by key, for sessions and for states of the function. */
static rask_status make_key_table(window_operator *w, raski_error *err) {
    const raski_fn *process = w->def->process;
    const raski_states *states = process != NULL ? process->self : NULL;
    raski_state_spec specs[RASKI_STATES_MAX] = {{0}};
    size_t count = 0;
    if (w->merging) {
        specs[count++] = (raski_state_spec){.name = "session", .type = session_type()};
        specs[count++] = (raski_state_spec){
            .name = "other-sessions", .type = session_type(), .kind = RASKI_STATE_LIST};
    }
    const size_t first_user = count;
    if (states != NULL)
        RASKI_TRY(raski_keyed_scope_specs(&w->key_scope, states, specs, &count, err));
    if (count == 0) return RASK_OK;
    raski_keyed_table_options options = {
        .key = &w->pair_only_key, .states = specs, .state_count = count};
    RASKI_TRY(raski_keyed_backend_apply(w->op, &w->limit, &options, err));
    RASKI_TRY(raski_keyed_table_create(&options, &w->keys, err));
    w->session_offset = raski_keyed_table_state_offset(w->keys, SESSION_LAST);
    if (states == NULL || states->count == 0) return RASK_OK;
    RASKI_TRY(raski_keyed_scope_init(&w->key_scope, w->keys, &w->op->ctx, err));
    raski_keyed_scope_bind(&w->key_scope, &w->op->ctx, states, first_user, w->op->self);
    return RASK_OK;
}

/* ---------------------------------------------------------------- buffers */
static rask_status allocate(char **ret_memory, size_t size, raski_error *err) {
    *ret_memory = raski_try_alloc(size > 0 ? size : 1, 64);
    if (*ret_memory == NULL)
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a window operator");
    memset(*ret_memory, 0, size);
    return RASK_OK;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static rask_status make_buffers(window_operator *w, raski_error *err) {
    const raski_operator_definition *def = w->op->def;
    RASKI_TRY(allocate(&w->pair_keys, (size_t)RASKI_LOOKUP_MAX * w->pair_size, err));
    RASKI_TRY(allocate(&w->one_key, w->pair_size, err));
    if (w->def->assigner.gap != NULL) {
        char *gaps = NULL;
        RASKI_TRY(allocate(&gaps, RASKI_LOOKUP_MAX * sizeof(int64_t), err));
        w->gaps = (int64_t *)(void *)gaps;
    }
    const size_t value = larger(raski_window_value_type(w->def, def->in)->size, def->in->size);
    RASKI_TRY(allocate(&w->value, value, err));
    if (w->def->contents == RASKI_WINDOW_AGGREGATE)
        RASKI_TRY(allocate(&w->accumulator, w->def->incremental->window->state->size, err));
    w->scratch_capacity = RASKI_LOOKUP_MAX * larger(def->in->size, w->contents_type->size);
    return allocate(&w->scratch, w->scratch_capacity, err);
}

static bool has_pointers(const rask_type *type) {
    raski_layout *layout = raski_layout_create(type);
    const bool result = layout->has_pointers;
    raski_layout_destroy(layout);
    return result;
}

/* ---------------------------------------------------------------- life */
static void look_at_program(window_operator *w) {
    const raski_trigger_kind kind = w->def->trigger->kind;
    w->merging = raski_window_assigner_is_merging(&w->def->assigner);
    w->never_fires_on_element =
        kind == RASKI_TRIGGER_PROCESSING_TIME || kind == RASKI_TRIGGER_END_OF_STREAM;
    w->contents_tracked =
        w->def->element == NULL &&
        (w->def->contents == RASKI_WINDOW_REDUCE || w->def->contents == RASKI_WINDOW_AGGREGATE) &&
        has_pointers(w->contents_type);
    const bool own_trigger = kind == (w->def->assigner.event_time ? RASKI_TRIGGER_EVENT_TIME
                                                                  : RASKI_TRIGGER_PROCESSING_TIME);
    const bool in_time = w->def->allowed_lateness_ms == 0 || !w->def->assigner.event_time;
    w->lazy_timers = w->merging && own_trigger && in_time;
    w->simple = !w->merging && w->def->element == NULL &&
                w->def->contents == RASKI_WINDOW_AGGREGATE && w->def->process == NULL &&
                own_trigger && in_time;
    w->trigger = (raski_trigger_context){
        .base = {.raski_register_timer = register_timer, .raski_delete_timer = delete_timer},
        .get = get_slot,
        .ref = ref_slot,
        .set = set_slot,
        .clear = clear_slot,
        .take_merged = take_merged};
}

static rask_status make_built_in(window_operator *w, raski_error *err) {
    if (w->def->contents != RASKI_WINDOW_BUILT_IN) return RASK_OK;
    const raski_aggregate_options options = {.kind = w->def->built_in,
                                             .record = w->op->def->in,
                                             .field_offset = w->def->field.offset,
                                             .field = w->def->field.type,
                                             .first = w->def->first_on_tie};
    return raski_aggregate_create(&options, &w->built_in, err);
}

rask_status raski_window_setup(raski_operator *op, raski_error *err) {
    window_operator *w = raski_try_calloc(1, sizeof *w);
    if (w == NULL)
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a window operator");
    op->kind = w;
    w->op = op;
    w->def = op->def->detail;
    w->window_ctx.op = op;
    const raski_fn *process = w->def->process;
    if (process == NULL || process->self == NULL) return RASK_OK; /* no instance, no handles */
    if (process->window->window_states != NULL)
        RASKI_TRY(raski_keyed_scope_prepare(&w->scope, &w->window_ctx,
                                            process->window->window_states, op->self, err));
    return raski_keyed_scope_prepare(&w->key_scope, &op->ctx, process->self, op->self, err);
}

rask_status raski_window_opened(raski_operator *op, raski_timers_fire *fire, raski_error *err) {
    window_operator *w = op->kind;
    w->merging = raski_window_assigner_is_merging(&w->def->assigner);
    RASKI_TRY(raski_keyed_input_init(&w->input, op, err));
    RASKI_TRY(make_pair_key(w, err));
    RASKI_TRY(make_window_table(w, err));
    RASKI_TRY(make_key_table(w, err));
    RASKI_TRY(make_buffers(w, err));
    RASKI_TRY(make_built_in(w, err));
    look_at_program(w);
    w->timers = raski_operator_timers_create(op, w->table, fire);
    w->late_dropped = rask_counter_of("numLateRecordsDropped");
    if (raski_window_can_share(w)) RASKI_TRY(raski_window_slices_create(w, err));
    /* Without states of its key, a function's current key is in the window's row. */
    if (w->key_scope.table == NULL) {
        op->ctx.scope = &w->scope;
        raski_keyed_scope_leave(&w->scope, &op->ctx);
    }
    return RASK_OK;
}

void raski_window_teardown(raski_operator *op) {
    window_operator *w = op->kind;
    if (w == NULL) return;
    raski_operator_timers_destroy(w->timers);
    raski_window_slices_destroy(w->slices);
    raski_aggregate_destroy(w->built_in);
    raski_keyed_input_fini(&w->input);
    raski_keyed_scope_fini(&w->scope);
    raski_keyed_scope_fini(&w->key_scope);
    raski_keyed_table_destroy(w->table);
    raski_keyed_table_destroy(w->keys);
    raski_vec_free(&w->touched);
    raski_vec_free(&w->touched_keys);
    raski_vec_free(&w->merged);
    raski_vec_free(&w->sessions);
    char *const buffers[] = {w->pair_keys, w->one_key, (char *)w->gaps, w->value,    w->accumulator,
                             w->scratch,   w->first,   w->second,       w->elements, w->keep};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) raski_free(buffers[i]);
    raski_free(w);
    op->kind = NULL;
}
