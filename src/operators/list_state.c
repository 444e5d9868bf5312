#include "operators/list_state.h"

struct raski_list_state {
    raski_operator_states *states;
    raski_keyed_scope scope;
    rask_ctx ctx; /* of the handles */
    char *row;    /* the only one */
};

static rask_status add_specs(const raski_states *fields, raski_operator_state_mode mode,
                             raski_operator_state_spec *specs, size_t *count, raski_error *err) {
    if (fields == NULL) return RASK_OK;
    if (*count + fields->count > RASKI_STATES_MAX)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "%s has more than %d operator lists, at most so many are possible",
                          fields->type, RASKI_STATES_MAX);
    for (size_t i = 0; i < fields->count; i++) {
        const raski_state_field *field = &fields->fields[i];
        if (field->kind != RASKI_HANDLE_LIST)
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                              "operator list \"%s\" of %s is no rask_list_state", field->name,
                              fields->type);
        specs[(*count)++] =
            (raski_operator_state_spec){.name = field->name, .mode = mode, .type = field->type};
    }
    return RASK_OK;
}

static const raski_states *states_of(const raski_hook *hook) {
    return hook != NULL ? hook->states : NULL;
}

static rask_status make(raski_operator *op, raski_list_state *s, raski_error *err) {
    const raski_states *lists = states_of(op->def->fn->operator_list);
    const raski_states *unions = states_of(op->def->fn->union_list);
    raski_operator_state_spec specs[RASKI_STATES_MAX] = {{0}};
    size_t count = 0;
    RASKI_TRY(add_specs(lists, RASKI_OPERATOR_STATE_SPLIT, specs, &count, err));
    const size_t list_count = count;
    RASKI_TRY(add_specs(unions, RASKI_OPERATOR_STATE_UNION, specs, &count, err));
    RASKI_TRY(raski_operator_states_create(specs, count, op->job->name, NULL, &s->states, err));
    RASKI_TRY(
        raski_keyed_scope_init(&s->scope, raski_operator_states_table(s->states), &s->ctx, err));
    if (lists != NULL) raski_keyed_scope_bind(&s->scope, &s->ctx, lists, 0, op->self);
    if (unions != NULL) raski_keyed_scope_bind(&s->scope, &s->ctx, unions, list_count, op->self);
    s->row = raski_operator_states_row(s->states);
    s->ctx.op = op;
    s->ctx.rows = &s->row;
    return RASK_OK;
}

rask_status raski_list_state_create(raski_operator *op, raski_list_state **ret_state,
                                    raski_error *err) {
    const raski_fn *fn = op->def->fn;
    *ret_state = NULL;
    if (fn == NULL || (states_of(fn->operator_list) == NULL && states_of(fn->union_list) == NULL))
        return RASK_OK;
    raski_list_state *s = RASKI_NEW(raski_list_state);
    rask_status status = make(op, s, err);
    if (status == RASK_OK)
        *ret_state = s;
    else
        raski_list_state_destroy(s);
    return status;
}

void raski_list_state_destroy(raski_list_state *state_take_or_null) {
    if (state_take_or_null == NULL) return;
    raski_operator_states_destroy(state_take_or_null->states);
    raski_keyed_scope_fini(&state_take_or_null->scope);
    raski_free(state_take_or_null);
}

void raski_list_state_end_batch(raski_list_state *state_or_null) {
    if (state_or_null != NULL)
        raski_keyed_table_end_batch(raski_operator_states_table(state_or_null->states));
}

raski_operator_states *raski_list_state_states(raski_list_state *state) {
    return state->states;
}
