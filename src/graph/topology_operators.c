/* topology_operators.c - operations on one stream, but for windows. */
#include <string.h>

#include "graph/topology_private.h"

/* Operators that are made by the API call itself: SimpleOperatorFactory. */
static const raski_operator_factory simple = {.simple = true};
static const raski_operator_factory simple_async = {.simple = true, .supports_async_state = true};

/* A function on each record, whose output type "out" may name. */
static rask_status transform_each(topology_step *s, const char *name,
                                  const raski_operator_factory *factory, topology_value *ret_value,
                                  raski_error *err) {
    topology_value input;
    const char *type = NULL;
    RASKI_TRY(topology_one(s, &input, err));
    RASKI_TRY(topology_out_type(s, input.transformation, &type, err));
    return topology_transform(s, &input, name, type, factory, ret_value, err);
}

static rask_status make_map(topology_step *s, topology_value *ret_value, raski_error *err) {
    return transform_each(s, "Map", &simple, ret_value, err);
}

static rask_status make_flat_map(topology_step *s, topology_value *ret_value, raski_error *err) {
    return transform_each(s, "Flat Map", &simple_async, ret_value, err);
}

static rask_status make_filter(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value input;
    RASKI_TRY(topology_one(s, &input, err));
    return topology_transform(s, &input, "Filter", input.transformation->output_type, &simple,
                              ret_value, err);
}

static rask_status make_project(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value input;
    RASKI_TRY(topology_one(s, &input, err));
    const topology_type *type = topology_type_of(s, input.transformation);
    if (type->arity == 0)
        return RASKI_THROW(err, "RuntimeException", "Only Tuple DataStreams can be projected");
    const char *out = raski_arena_format(s->topology->graph->arena, "Java Tuple2<%s, %s>",
                                         type->fields[1]->text, type->fields[0]->text);
    return topology_transform(s, &input, "Projection", out, &simple, ret_value, err);
}

static rask_status make_process(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value input;
    const char *type = NULL;
    RASKI_TRY(topology_one(s, &input, err));
    bool is_keyed = input.kind == TOPOLOGY_KEYED;
    bool keyed = strcmp(topology_text(s, "function", is_keyed ? "keyed" : "plain"), "keyed") == 0;
    RASKI_TRY(topology_out_type(s, input.transformation, &type, err));
    if (keyed) RASKI_TRY(topology_need_keyed(s, &input, err));
    return topology_transform(s, &input, keyed ? "KeyedProcess" : "Process", type,
                              keyed ? &simple_async : &simple, ret_value, err);
}

static rask_status make_async_wait(topology_step *s, topology_value *ret_value, raski_error *err) {
    static const raski_operator_factory factory = {.yielding = true};
    topology_value input;
    RASKI_TRY(topology_one(s, &input, err));
    (void)topology_flag(s, "ordered", true);
    int64_t timeout_ms = topology_number(s, "timeout", 1000);
    (void)topology_number(s, "capacity", 100);
    if (topology_flag(s, "retry", false) && timeout_ms <= 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Timeout should be configured when do async with retry.");
    return topology_transform(s, &input, "async wait operator", input.transformation->output_type,
                              &factory, ret_value, err);
}

rask_status topology_custom_factory(topology_step *s, raski_operator_factory *ret_factory,
                                    raski_error *err) {
    raski_operator_factory factory = {0};
    factory.input_selectable = topology_flag(s, "inputSelectable", false);
    factory.operator_class = "USER_CLASS";
    factory.yielding = topology_flag(s, "yielding", false);
    if (!factory.yielding) factory.coordinated = topology_flag(s, "coordinator", false);
    factory.output_only_after_end_of_stream = topology_flag(s, "outputOnlyAfterEndOfStream", false);
    factory.internal_sorter_supported = topology_flag(s, "internalSorter", false);
    if (topology_has(s, "chaining"))
        RASKI_TRY(
            topology_chaining_strategy(topology_text(s, "chaining", NULL), &factory.chaining, err));
    *ret_factory = factory;
    return RASK_OK;
}

static rask_status make_transform(topology_step *s, topology_value *ret_value, raski_error *err) {
    const json_t *of = json_object_get(s->json, "of");
    if (json_is_array(of) && json_array_size(of) != 1)
        return topology_many_inputs(s, ret_value, err);
    topology_value input;
    const char *type = NULL;
    raski_operator_factory factory;
    RASKI_TRY(topology_one(s, &input, err));
    const char *name = topology_text(s, "name", "Custom Operator");
    RASKI_TRY(topology_out_type(s, input.transformation, &type, err));
    RASKI_TRY(topology_custom_factory(s, &factory, err));
    /* On one input alone the operator is never InputSelectable. */
    factory.input_selectable = false;
    return topology_transform(s, &input, name, type, &factory, ret_value, err);
}

/* --- the whole of a partition ------------------------------------------------------------------
 */

static rask_status check_sortable(topology_step *s, const topology_value *input, raski_error *err) {
    int32_t field = (int32_t)topology_number(s, "field", 1);
    const topology_type *type = topology_type_of(s, input->transformation);
    if (field <= 0)
        return RASKI_THROW(err, "IllegalArgumentException", "The field mustn't be less than zero.");
    if (type->arity == 0)
        return RASKI_THROW(err, "InvalidProgramException",
                           "Specifying keys via field positions is only valid for tuple data "
                           "types. Type: %s",
                           type->text);
    if (field >= (int32_t)type->arity)
        return RASKI_THROW(err, "IndexOutOfBoundsException", "Tuple position is out of range: %d",
                           field);
    return RASK_OK;
}

static rask_status sort_partition(topology_step *s, const topology_value *input,
                                  topology_value *ret_value, raski_error *err) {
    bool keyed = input->kind == TOPOLOGY_KEYED;
    raski_operator_factory factory = {.simple = true,
                                      .output_only_after_end_of_stream = true,
                                      .internal_sorter_supported = keyed};
    RASKI_TRY(topology_transform(s, input, keyed ? "KeyedSortPartition" : "SortPartition",
                                 input->transformation->output_type, &factory, ret_value, err));
    raski_transformation *t = ret_value->transformation;
    RASKI_TRY(raski_transformation_set_parallelism(t, input->transformation->parallelism, err));
    const raski_plan_config *config = &t->env->config;
    RASKI_TRY(raski_plan_config_check(
        config, keyed ? "execution.sort-keyed-partition.memory" : "execution.sort-partition.memory",
        err));
    int64_t mebibytes =
        (keyed ? config->sort_keyed_partition_memory_bytes : config->sort_partition_memory_bytes) >>
        20;
    return raski_transformation_declare_operator_memory(
        t, RASKI_MEMORY_OPERATOR, mebibytes < 1 ? 1 : (int32_t)mebibytes, err);
}

static rask_status window_partition(topology_step *s, const topology_value *input, const char *name,
                                    bool chained, topology_value *ret_value, raski_error *err) {
    static const raski_operator_factory factory = {.simple = true,
                                                   .output_only_after_end_of_stream = true};
    RASKI_TRY(topology_transform(s, input, name, input->transformation->output_type, &factory,
                                 ret_value, err));
    raski_transformation *t = ret_value->transformation;
    if (!chained)
        RASKI_TRY(raski_transformation_set_chaining_strategy(t, RASKI_CHAINING_NEVER, err));
    return raski_transformation_set_parallelism(t, input->transformation->parallelism, err);
}

static rask_status make_partition_window(topology_step *s, topology_value *ret_value,
                                         raski_error *err) {
    static const struct {
        const char *apply, *name, *keyed_functions;
    } kinds[] = {
        {"mapPartition", "MapPartition", "KeyedMapPartitionWindowFunction"},
        {"reduce", "PartitionReduce", "ReduceFn, PassThroughWindowFunction"},
        {"aggregate", "PartitionAggregate", "TypedAggregate, PassThroughWindowFunction"},
    };
    topology_value input;
    RASKI_TRY(topology_one(s, &input, err));
    const char *apply = topology_text(s, "apply", "mapPartition");
    if (strcmp(apply, "sort") == 0) RASKI_TRY(check_sortable(s, &input, err));
    if (strcmp(apply, "sort") == 0 || strcmp(apply, "sortByKey") == 0)
        return sort_partition(s, &input, ret_value, err);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].apply, apply) != 0) continue;
        if (input.kind == TOPOLOGY_KEYED)
            return topology_end_of_stream_window(s, &input, kinds[i].keyed_functions, ret_value,
                                                 err);
        return window_partition(s, &input, kinds[i].name, i > 0, ret_value, err);
    }
    return topology_bad(s, err, "unknown apply");
}

/* --- keyed -------------------------------------------------------------------------------------
 */

static rask_status reduce_as(const topology_value *input, const char *name,
                             topology_value *ret_value, raski_error *err) {
    raski_transformation *t = raski_transformation_reduce(input->transformation, name, input->key);
    if (input->key->async_state) RASKI_TRY(raski_transformation_enable_async_state(t, err));
    *ret_value = (topology_value){TOPOLOGY_OPERATOR, t, NULL};
    return RASK_OK;
}

static rask_status make_reduce(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value input;
    RASKI_TRY(topology_one(s, &input, err));
    RASKI_TRY(topology_need_keyed(s, &input, err));
    return reduce_as(&input, "Keyed Reduce", ret_value, err);
}

static rask_status make_aggregate(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value input;
    RASKI_TRY(topology_one(s, &input, err));
    RASKI_TRY(topology_need_keyed(s, &input, err));
    if (strcmp(s->op, "minBy") == 0 || strcmp(s->op, "maxBy") == 0)
        (void)topology_flag(s, "first", true);
    RASKI_TRY(topology_check_aggregate(s, input.transformation, strcmp(s->op, "sum") == 0, err));
    return reduce_as(&input, "Keyed Aggregation", ret_value, err);
}

static rask_status make_queryable_state(topology_step *s, topology_value *ret_value,
                                        raski_error *err) {
    topology_value input, made;
    RASKI_TRY(topology_one(s, &input, err));
    RASKI_TRY(topology_need_keyed(s, &input, err));
    const char *name = raski_arena_format(s->topology->graph->arena, "Queryable state: %s",
                                          topology_text(s, "name", "query"));
    RASKI_TRY(topology_transform(s, &input, name, input.transformation->output_type, &simple, &made,
                                 err));
    *ret_value = input;
    return RASK_OK;
}

/* --- side outputs and caches -------------------------------------------------------------------
 */

static rask_status first_input(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value *values;
    size_t count;
    RASKI_TRY(topology_inputs(s, &values, &count, err));
    *ret_value = values[0];
    raski_free(values);
    if (count == 0)
        return RASKI_THROW(err, "IndexOutOfBoundsException", "Index 0 out of bounds for length 0");
    return RASK_OK;
}

static rask_status make_side_output(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value input;
    const char *tag = NULL;
    const topology_type *type = NULL;
    RASKI_TRY(first_input(s, &input, err));
    if (input.kind != TOPOLOGY_OPERATOR) return topology_bad(s, err, "input is not an operator");
    RASKI_TRY(topology_need(s, "tag", &tag, err));
    RASKI_TRY(topology_type_field(s, "type", &topology_record, &type, err));
    if (*tag == '\0')
        return RASKI_THROW(err, "IllegalArgumentException", "OutputTag id must not be empty.");
    ret_value->kind = TOPOLOGY_SIDE_OUTPUT;
    return raski_transformation_side_output(input.transformation, tag, type->text,
                                            &ret_value->transformation, err);
}

static rask_status make_cache(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value input;
    RASKI_TRY(first_input(s, &input, err));
    if (input.kind != TOPOLOGY_SIDE_OUTPUT && input.kind != TOPOLOGY_OPERATOR)
        return topology_bad(s, err, "input cannot be cached");
    const char *data_set =
        raski_arena_format(s->topology->graph->arena, "cache%d", s->topology->cache_count++);
    raski_transformation *t = raski_transformation_cache(input.transformation, data_set);
    t->cached = topology_flag(s, "materialized", false);
    *ret_value = (topology_value){TOPOLOGY_CACHED, t, NULL};
    return RASK_OK;
}

const topology_operation_entry topology_operators[] = {
    {"map", make_map},
    {"flatMap", make_flat_map},
    {"filter", make_filter},
    {"project", make_project},
    {"process", make_process},
    {"asyncWait", make_async_wait},
    {"transform", make_transform},
    {"partitionWindow", make_partition_window},
    {"reduce", make_reduce},
    {"sum", make_aggregate},
    {"min", make_aggregate},
    {"max", make_aggregate},
    {"minBy", make_aggregate},
    {"maxBy", make_aggregate},
    {"asQueryableState", make_queryable_state},
    {"sideOutput", make_side_output},
    {"cache", make_cache},
    {NULL, NULL},
};
