#include "operators/broadcast_state.h"

struct raski_broadcast_state {
    raski_keyed_table *table;
    raski_keyed_scope scope;
    rask_ctx ctx; /* of the handles */
    char *row;    /* the only one */
};

static rask_status make(raski_operator *op, raski_broadcast_state *b, raski_error *err) {
    static const raski_key_spec key = {.part_count = 1, .parts = {{0, &rask_type_int8_t}}};
    const raski_states *states = op->def->fn->broadcast;
    raski_state_spec specs[RASKI_STATES_MAX] = {{0}};
    size_t count = 0;
    RASKI_TRY(raski_keyed_scope_specs(&b->scope, states, specs, &count, err));
    const raski_keyed_table_options options = {
        .key = &key, .states = specs, .state_count = count, .name = op->job->name};
    RASKI_TRY(raski_keyed_table_create(&options, &b->table, err));
    RASKI_TRY(raski_keyed_scope_init(&b->scope, b->table, &b->ctx, err));
    raski_keyed_scope_bind(&b->scope, &b->ctx, states, 0, op->self);
    const int8_t one = 0;
    RASKI_TRY(raski_keyed_table_lookup(b->table, &key, &one, 1, 1, &b->row, NULL, err));
    b->ctx.op = op;
    b->ctx.rows = &b->row;
    b->ctx.i = 0;
    b->scope.read_only = true;
    return RASK_OK;
}

rask_status raski_broadcast_state_create(raski_operator *op, raski_broadcast_state **ret_state,
                                         raski_error *err) {
    *ret_state = NULL;
    const raski_fn *fn = op->def->fn;
    if (fn->broadcast == NULL || fn->broadcast->count == 0) return RASK_OK;
    raski_broadcast_state *b = RASKI_NEW(raski_broadcast_state);
    rask_status status = make(op, b, err);
    if (status != RASK_OK) {
        raski_broadcast_state_destroy(b);
        return status;
    }
    *ret_state = b;
    return RASK_OK;
}

void raski_broadcast_state_destroy(raski_broadcast_state *state_take_or_null) {
    if (state_take_or_null == NULL) return;
    raski_keyed_table_destroy(state_take_or_null->table);
    raski_keyed_scope_fini(&state_take_or_null->scope);
    raski_free(state_take_or_null);
}

void raski_broadcast_state_allow_writes(raski_broadcast_state *state_or_null, bool allowed) {
    if (state_or_null != NULL) state_or_null->scope.read_only = !allowed;
}

rask_status raski_broadcast_state_adopt(raski_broadcast_state *state_or_null, raski_error *err) {
    return state_or_null != NULL ? raski_keyed_scope_adopt(&state_or_null->scope, err) : RASK_OK;
}

void raski_broadcast_state_end_batch(raski_broadcast_state *state_or_null) {
    if (state_or_null != NULL) raski_keyed_table_end_batch(state_or_null->table);
}

raski_keyed_table *raski_broadcast_state_table(raski_broadcast_state *state) {
    return state->table;
}
