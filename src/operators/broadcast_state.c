#include "operators/broadcast_state.h"

struct raski_broadcast_state {
    raski_operator_states *states;
    raski_keyed_scope scope;
    rask_ctx ctx; /* of the handles */
    char *row;    /* the only one */
};

static rask_status make(raski_operator *op, raski_broadcast_state *b, raski_error *err) {
    const raski_states *fields = op->def->fn->broadcast;
    raski_operator_state_spec specs[RASKI_STATES_MAX] = {{0}};
    if (fields->count > RASKI_STATES_MAX)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "%s has %zu broadcast states, at most %d are possible", fields->type,
                          fields->count, RASKI_STATES_MAX);
    for (size_t i = 0; i < fields->count; i++) {
        const raski_state_field *field = &fields->fields[i];
        if (field->kind != RASKI_HANDLE_MAP)
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                              "broadcast state \"%s\" of %s is no rask_map_state", field->name,
                              fields->type);
        specs[i] = (raski_operator_state_spec){.name = field->name,
                                               .mode = RASKI_OPERATOR_STATE_BROADCAST,
                                               .type = field->type,
                                               .map_key = field->map_key};
    }
    RASKI_TRY(
        raski_operator_states_create(specs, fields->count, op->job->name, NULL, &b->states, err));
    RASKI_TRY(
        raski_keyed_scope_init(&b->scope, raski_operator_states_table(b->states), &b->ctx, err));
    raski_keyed_scope_bind(&b->scope, &b->ctx, fields, 0, op->self);
    b->row = raski_operator_states_row(b->states);
    b->ctx.op = op;
    b->ctx.rows = &b->row;
    b->scope.read_only = true;
    return RASK_OK;
}

rask_status raski_broadcast_state_create(raski_operator *op, raski_broadcast_state **ret_state,
                                         raski_error *err) {
    *ret_state = NULL;
    const raski_fn *fn = op->def->fn;
    if (fn == NULL || fn->broadcast == NULL) return RASK_OK;
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
    raski_operator_states_destroy(state_take_or_null->states);
    raski_keyed_scope_fini(&state_take_or_null->scope);
    raski_free(state_take_or_null);
}

void raski_broadcast_state_allow_writes(raski_broadcast_state *state_or_null, bool allowed) {
    if (state_or_null == NULL) return;
    state_or_null->scope.read_only = !allowed;
    if (allowed) state_or_null->row = raski_operator_states_row(state_or_null->states);
}

rask_status raski_broadcast_state_adopt(raski_broadcast_state *state_or_null, raski_error *err) {
    return state_or_null != NULL ? raski_keyed_scope_adopt(&state_or_null->scope, err) : RASK_OK;
}

void raski_broadcast_state_end_batch(raski_broadcast_state *state_or_null) {
    if (state_or_null != NULL)
        raski_keyed_table_end_batch(raski_operator_states_table(state_or_null->states));
}

raski_operator_states *raski_broadcast_state_states(raski_broadcast_state *state) {
    return state->states;
}
