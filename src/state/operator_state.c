#include "state/operator_state.h"

#include <string.h>

#include "state/keyed_table_private.h"

struct raski_operator_states {
    raski_keyed_table *table;
    char *row;
    size_t count;
    raski_operator_state_spec specs[RASKI_STATES_MAX]; /* names are owned */
    char *name;
};

static rask_status check_names(const raski_operator_state_spec *specs, size_t count,
                               const char *operator_name, raski_error *err) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(specs[i].name, specs[k].name) == 0)
                return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                                  "%s has two operator states with the name \"%s\"", operator_name,
                                  specs[i].name);
    return RASK_OK;
}

static rask_status make_table(raski_operator_states *states, raski_memory_limit *limit,
                              raski_error *err) {
    static const raski_key_spec KEY = {1, {{0, &rask_type_int32_t}}};
    static const int32_t ZERO = 0;
    raski_state_spec specs[RASKI_STATES_MAX];
    for (size_t i = 0; i < states->count; i++) {
        const raski_operator_state_spec *from = &states->specs[i];
        bool is_map = from->mode == RASKI_OPERATOR_STATE_BROADCAST;
        specs[i] = (raski_state_spec){.name = from->name,
                                      .type = from->type,
                                      .kind = is_map ? RASKI_STATE_MAP : RASKI_STATE_LIST,
                                      .map_key = is_map ? from->map_key : NULL};
    }
    RASKI_TRY(raski_keyed_table_create(&(raski_keyed_table_options){.key = &KEY,
                                                                    .states = specs,
                                                                    .state_count = states->count,
                                                                    .name = states->name,
                                                                    .limit = limit},
                                       &states->table, err));
    return raski_keyed_table_lookup(states->table, &KEY, &ZERO, sizeof ZERO, 1, &states->row, NULL,
                                    err);
}

rask_status raski_operator_states_create(const raski_operator_state_spec *specs, size_t count,
                                         const char *operator_name, raski_memory_limit *limit,
                                         raski_operator_states **ret_states, raski_error *err) {
    if (count == 0 || count > RASKI_STATES_MAX)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "%s has %zu operator states, at most %d are possible", operator_name,
                          count, RASKI_STATES_MAX);
    RASKI_TRY(check_names(specs, count, operator_name, err));
    raski_operator_states *states = RASKI_NEW(raski_operator_states);
    states->name = raski_strdup(operator_name);
    states->count = count;
    for (size_t i = 0; i < count; i++) {
        states->specs[i] = specs[i];
        states->specs[i].name = raski_strdup(specs[i].name);
    }
    rask_status status = make_table(states, limit, err);
    if (status == RASK_OK)
        *ret_states = states;
    else
        raski_operator_states_destroy(states);
    return status;
}

void raski_operator_states_destroy(raski_operator_states *states_take_or_null) {
    raski_operator_states *states = states_take_or_null;
    if (!states) return;
    raski_keyed_table_destroy(states->table);
    for (size_t i = 0; i < states->count; i++) raski_free((char *)(uintptr_t)states->specs[i].name);
    raski_free(states->name);
    raski_free(states);
}

size_t raski_operator_states_count(const raski_operator_states *states) {
    return states->count;
}

const raski_operator_state_spec *raski_operator_states_spec(const raski_operator_states *states,
                                                            size_t state) {
    RASKI_ASSERT(state < states->count);
    return &states->specs[state];
}

raski_keyed_table *raski_operator_states_table(raski_operator_states *states) {
    return states->table;
}

char *raski_operator_states_row(raski_operator_states *states) {
    raski_keyed_table_before_write(states->table, states->row);
    return states->row;
}
