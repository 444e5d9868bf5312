/* topology_connections.c - operations on several streams, but for windows. */
#include <string.h>

#include "graph/topology_private.h"

static rask_status no_input_at_all(raski_error *err) {
    return RASKI_THROW(err, "IndexOutOfBoundsException", "Index 0 out of bounds for length 0");
}

static rask_status make_union(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value *values;
    size_t count;
    RASKI_TRY(topology_inputs(s, &values, &count, err));
    rask_status status = count == 0 ? no_input_at_all(err) : RASK_OK;
    raski_transformation **inputs = RASKI_NEW_ARRAY(raski_transformation *, count + 1);
    for (size_t i = 0; status == RASK_OK && i < count; i++) {
        status = topology_need_stream(s, &values[i], err);
        inputs[i] = values[i].transformation;
    }
    ret_value->kind = TOPOLOGY_STREAM;
    if (status == RASK_OK)
        status = raski_transformation_union(inputs, count, &ret_value->transformation, err);
    raski_free(inputs);
    raski_free(values);
    return status;
}

/* a.connect(b), with both keyed where "keyBy" says so. */
static rask_status connect(topology_step *s, topology_value ret_inputs[2], raski_error *err) {
    topology_value inputs[2];
    RASKI_TRY(topology_two(s, inputs, err));
    if (topology_flag(s, "keyBy", false)) {
        raski_key_selector first = topology_selector(s, "key1");
        raski_key_selector second = topology_selector(s, "key2");
        inputs[0] = topology_key_by(s, &inputs[0], first, topology_string.text);
        inputs[1] = topology_key_by(s, &inputs[1], second, topology_string.text);
    }
    memcpy(ret_inputs, inputs, sizeof inputs);
    return RASK_OK;
}

static rask_status transform_two(const topology_value inputs[2], const char *name, const char *type,
                                 const raski_operator_factory *factory, topology_value *ret_value,
                                 raski_error *err) {
    ret_value->kind = TOPOLOGY_OPERATOR;
    return raski_transformation_two_input(inputs[0].transformation, inputs[1].transformation, name,
                                          type, factory, inputs[0].key, inputs[1].key,
                                          &ret_value->transformation, err);
}

static const raski_operator_factory simple = {.simple = true};

static rask_status make_co_map(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value inputs[2];
    const char *type = NULL;
    RASKI_TRY(connect(s, inputs, err));
    RASKI_TRY(topology_out_type(s, inputs[0].transformation, &type, err));
    const char *name = strcmp(s->op, "coMap") == 0 ? "Co-Map" : "Co-Flat Map";
    return transform_two(inputs, name, type, &simple, ret_value, err);
}

static rask_status make_co_process(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value inputs[2];
    const char *type = NULL;
    RASKI_TRY(connect(s, inputs, err));
    bool both_keyed = inputs[0].kind == TOPOLOGY_KEYED && inputs[1].kind == TOPOLOGY_KEYED;
    RASKI_TRY(topology_out_type(s, inputs[0].transformation, &type, err));
    const char *function = topology_text(s, "function", both_keyed ? "keyed" : "plain");
    bool keyed = strcmp(function, "keyed") == 0;
    if (keyed && !both_keyed)
        return RASKI_THROW(err, "UnsupportedOperationException",
                           "KeyedCoProcessFunction can only be used when both input streams are of "
                           "type KeyedStream.");
    return transform_two(inputs, keyed ? "Co-Keyed-Process" : "Co-Process", type, &simple,
                         ret_value, err);
}

static rask_status make_broadcast_process(topology_step *s, topology_value *ret_value,
                                          raski_error *err) {
    topology_value *values, inputs[2] = {{0}};
    size_t count;
    const char *type = NULL;
    RASKI_TRY(topology_inputs(s, &values, &count, err));
    if (count == 2) memcpy(inputs, values, sizeof inputs);
    raski_free(values);
    if (count != 2) return topology_bad(s, err, "takes two inputs");
    if (inputs[1].kind != TOPOLOGY_BROADCAST)
        return topology_bad(s, err, "second input is not a broadcast state stream");
    RASKI_TRY(topology_need_stream(s, &inputs[0], err));
    RASKI_TRY(topology_out_type(s, inputs[0].transformation, &type, err));
    bool is_keyed = inputs[0].kind == TOPOLOGY_KEYED;
    bool keyed = strcmp(topology_text(s, "function", is_keyed ? "keyed" : "plain"), "keyed") == 0;
    if (keyed && !is_keyed)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "A KeyedBroadcastProcessFunction can only be used on a keyed stream.");
    if (!keyed && is_keyed)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "A BroadcastProcessFunction can only be used on a non-keyed stream.");
    *ret_value = (topology_value){
        TOPOLOGY_OPERATOR,
        raski_transformation_broadcast_state(inputs[0].transformation, inputs[1].transformation,
                                             type, inputs[0].key),
        NULL};
    return RASK_OK;
}

static rask_status make_interval_join(topology_step *s, topology_value *ret_value,
                                      raski_error *err) {
    topology_value *values, inputs[2] = {{0}};
    size_t count;
    const char *type = NULL;
    RASKI_TRY(topology_inputs(s, &values, &count, err));
    if (count == 2) memcpy(inputs, values, sizeof inputs);
    raski_free(values);
    if (count != 2) return topology_bad(s, err, "takes two inputs");
    RASKI_TRY(topology_need_keyed(s, &inputs[0], err));
    RASKI_TRY(topology_need_keyed(s, &inputs[1], err));
    bool processing_time = topology_flag(s, "processingTime", false);
    int64_t lower_ms = topology_number(s, "lower", -1000);
    int64_t upper_ms = topology_number(s, "upper", 1000);
    if (processing_time)
        return RASKI_THROW(err, "UnsupportedTimeCharacteristicException",
                           "Time-bounded stream joins are only supported in event time");
    RASKI_TRY(topology_out_type(s, inputs[0].transformation, &type, err));
    if (lower_ms > upper_ms)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "lowerBound <= upperBound must be fulfilled");
    bool async_state = inputs[0].key->async_state || inputs[1].key->async_state;
    for (size_t i = 0; i < 2; i++)
        inputs[i] = topology_key_by(s, &inputs[i], inputs[i].key->selector, inputs[i].key->type);
    return transform_two(inputs, async_state ? "Interval Join [Async]" : "Interval Join", type,
                         &simple, ret_value, err);
}

/* --- the custom operator with several inputs ---------------------------------------------------
 */

static rask_status custom_two(topology_step *s, const char *name, const char *type,
                              topology_value *ret_value, raski_error *err) {
    topology_value inputs[2];
    raski_operator_factory factory;
    RASKI_TRY(connect(s, inputs, err));
    RASKI_TRY(topology_custom_factory(s, &factory, err));
    return transform_two(inputs, name, type, &factory, ret_value, err);
}

static rask_status custom_many(topology_step *s, const topology_value *values, size_t count,
                               const char *name, const char *type, topology_value *ret_value,
                               raski_error *err) {
    raski_operator_factory factory;
    raski_arena *arena = s->topology->graph->arena;
    raski_transformation **inputs = raski_arena_calloc(arena, (count + 1) * sizeof *inputs);
    raski_key_selector *selectors = raski_arena_calloc(arena, (count + 1) * sizeof *selectors);
    RASKI_TRY(topology_custom_factory(s, &factory, err));
    bool keyed = topology_flag(s, "keyed", false);
    for (size_t i = 0; i < count; i++) {
        RASKI_TRY(topology_need_stream(s, &values[i], err));
        inputs[i] = values[i].transformation;
        if (values[i].key) selectors[i] = values[i].key->selector;
    }
    raski_transformation *t =
        raski_transformation_multi_input(inputs[0]->env, inputs, count, name, type, &factory, keyed,
                                         selectors, topology_string.text);
    *ret_value = (topology_value){TOPOLOGY_OPERATOR, t, NULL};
    return RASK_OK;
}

rask_status topology_many_inputs(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value *values;
    size_t count;
    const char *type = NULL;
    RASKI_TRY(topology_inputs(s, &values, &count, err));
    const char *name = topology_text(s, "name", "Custom Operator");
    const char *kind = topology_text(s, "inputs", count == 2 ? "two" : "many");
    rask_status status = count == 0 ? no_input_at_all(err) : RASK_OK;
    if (status == RASK_OK) status = topology_need_stream(s, &values[0], err);
    if (status == RASK_OK) status = topology_out_type(s, values[0].transformation, &type, err);
    if (status == RASK_OK)
        status = strcmp(kind, "two") == 0
                     ? custom_two(s, name, type, ret_value, err)
                     : custom_many(s, values, count, name, type, ret_value, err);
    raski_free(values);
    return status;
}

const topology_operation_entry topology_connections[] = {
    {"union", make_union},
    {"coMap", make_co_map},
    {"coFlatMap", make_co_map},
    {"coProcess", make_co_process},
    {"broadcastProcess", make_broadcast_process},
    {"intervalJoin", make_interval_join},
    {NULL, NULL},
};
