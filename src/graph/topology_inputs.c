/* topology_inputs.c - where a step's streams, types and keys come from. */
#include <string.h>

#include "graph/topology_private.h"

/* --- inputs ------------------------------------------------------------------------------------
 */

static rask_status find_label(topology_step *s, const json_t *json, topology_value *ret_value,
                              raski_error *err) {
    const char *label = topology_as_text(s->topology->graph->arena, json);
    const topology_value *value = raski_map_get(&s->scope->labels, label);
    topology_look_at(s->topology, json, NULL);
    if (value == NULL) return topology_bad(s, err, "unknown label '%s'", label);
    *ret_value = *value;
    return RASK_OK;
}

rask_status topology_inputs(topology_step *s, topology_value **ret_values, size_t *ret_count,
                            raski_error *err) {
    const json_t *of = json_object_get(s->json, "of");
    bool is_list = json_is_array(of);
    size_t count = is_list ? json_array_size(of) : 1;
    topology_value *values = RASKI_NEW_ARRAY(topology_value, count + 1);
    rask_status status = RASK_OK;
    if (of == NULL) {
        values[0] = s->last;
        if (s->last.kind == TOPOLOGY_NOTHING) status = topology_bad(s, err, "has no input");
    }
    for (size_t i = 0; of && status == RASK_OK && i < count; i++)
        status = find_label(s, is_list ? json_array_get(of, i) : of, &values[i], err);
    if (status != RASK_OK) {
        raski_free(values);
        return status;
    }
    *ret_values = values;
    *ret_count = count;
    return RASK_OK;
}

rask_status topology_need_stream(topology_step *s, const topology_value *value, raski_error *err) {
    if (value->kind == TOPOLOGY_NOTHING || value->kind == TOPOLOGY_BROADCAST ||
        value->kind == TOPOLOGY_SINK)
        return topology_bad(s, err, "input is not a stream");
    return RASK_OK;
}

rask_status topology_need_keyed(topology_step *s, const topology_value *value, raski_error *err) {
    if (value->kind != TOPOLOGY_KEYED) return topology_bad(s, err, "input is not a keyed stream");
    return RASK_OK;
}

rask_status topology_one(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value *values;
    size_t count;
    RASKI_TRY(topology_inputs(s, &values, &count, err));
    topology_value first = values[0];
    raski_free(values);
    if (count != 1) return topology_bad(s, err, "takes one input");
    RASKI_TRY(topology_need_stream(s, &first, err));
    *ret_value = first;
    return RASK_OK;
}

rask_status topology_two(topology_step *s, topology_value ret_values[2], raski_error *err) {
    topology_value *values;
    size_t count;
    RASKI_TRY(topology_inputs(s, &values, &count, err));
    if (count == 2) memcpy(ret_values, values, 2 * sizeof *values);
    raski_free(values);
    if (count != 2) return topology_bad(s, err, "takes two inputs");
    RASKI_TRY(topology_need_stream(s, &ret_values[0], err));
    return topology_need_stream(s, &ret_values[1], err);
}

/* --- types -------------------------------------------------------------------------------------
 */

#define SERIALIZER "org.apache.flink.api.common.typeutils.base."
const topology_type topology_string = {"String", "String", SERIALIZER "StringSerializer", 0, {0}};
const topology_type topology_long = {"Long", "Long", SERIALIZER "LongSerializer", 0, {0}};
const topology_type topology_int = {"Integer", "Integer", SERIALIZER "IntSerializer", 0, {0}};
const topology_type topology_record = {
    "Java Tuple2<String, Long>",
    NULL,
    "org.apache.flink.api.java.typeutils.runtime.TupleSerializer",
    2,
    {&topology_string, &topology_long}};
/* What project makes of a record. */
static const topology_type swapped_record = {
    "Java Tuple2<Long, String>",
    NULL,
    "org.apache.flink.api.java.typeutils.runtime.TupleSerializer",
    2,
    {&topology_long, &topology_string}};

const topology_type *topology_type_of(topology_step *s, const raski_transformation *t) {
    static const topology_type *const types[] = {&topology_record, &topology_string, &topology_long,
                                                 &topology_int, &swapped_record};
    const char *text = t->output_type ? t->output_type : "";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i]->text, text) == 0) return types[i];
    topology_type *other = raski_arena_calloc(s->topology->graph->arena, sizeof *other);
    other->text = text;
    other->serializer = text;
    return other;
}

rask_status topology_type_field(topology_step *s, const char *field, const topology_type *otherwise,
                                const topology_type **ret_type, raski_error *err) {
    static const struct {
        const char *name;
        const topology_type *type;
    } types[] = {{"record", &topology_record},
                 {"string", &topology_string},
                 {"long", &topology_long},
                 {"int", &topology_int}};
    const char *name = topology_text(s, field, NULL);
    *ret_type = otherwise;
    if (name == NULL) return RASK_OK;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, name) != 0) continue;
        *ret_type = types[i].type;
        return RASK_OK;
    }
    return topology_bad(s, err, "unknown type '%s'", name);
}

rask_status topology_out_type(topology_step *s, const raski_transformation *input,
                              const char **ret_text, raski_error *err) {
    const topology_type *type = NULL;
    RASKI_TRY(topology_type_field(s, "out", NULL, &type, err));
    *ret_text = type ? type->text : input->output_type;
    return RASK_OK;
}

rask_status topology_check_field(topology_step *s, const raski_transformation *input, int64_t field,
                                 const topology_type **ret_type, raski_error *err) {
    const topology_type *type = topology_type_of(s, input);
    if (type->simple_name) {
        if (field != 0)
            return RASKI_THROW(err, "InvalidFieldReferenceException",
                               "The %jd. field selected on a basic type (%s). A field expression "
                               "on a basic type can only select the 0th field (which means "
                               "selecting the entire basic type).",
                               (intmax_t)field, type->text);
        *ret_type = type;
        return RASK_OK;
    }
    if (type->arity == 0)
        return RASKI_THROW(err, "InvalidFieldReferenceException",
                           "Cannot reference field by position on %sReferencing a field by "
                           "position is supported on tuples, case classes, and arrays. "
                           "Additionally, you can select the 0th field of a primitive/basic type "
                           "(e.g. int).",
                           type->text);
    if (field < 0 || field >= (int64_t)type->arity)
        return RASKI_THROW(err, "InvalidFieldReferenceException",
                           "Tried to select %jd. field on \"%s\", which is an invalid index.",
                           (intmax_t)field, type->text);
    *ret_type = type->fields[field];
    return RASK_OK;
}

rask_status topology_check_aggregate(topology_step *s, const raski_transformation *input, bool sum,
                                     raski_error *err) {
    const topology_type *type = NULL;
    int64_t field = (int32_t)topology_number(s, "field", 1);
    RASKI_TRY(topology_check_field(s, input, field, &type, err));
    if (sum && type == &topology_string)
        return RASKI_THROW(err, "RuntimeException",
                           "DataStream cannot be summed because the class %s does not support the "
                           "+ operator.",
                           type->simple_name);
    return RASK_OK;
}

/* --- keys --------------------------------------------------------------------------------------
 */

uint64_t topology_id_of(raski_map *ids, const char *name) {
    uint64_t id = (uint64_t)(uintptr_t)raski_map_get(ids, name);
    if (id != 0) return id;
    id = ids->count + 1;
    raski_map_put(ids, name, (void *)(uintptr_t)id);
    return id;
}

raski_key_selector topology_selector(topology_step *s, const char *field) {
    const char *own = raski_arena_format(s->topology->graph->arena, "%s#%d", field, s->index);
    return (raski_key_selector){topology_id_of(&s->topology->keys, topology_text(s, field, own)),
                                NULL};
}

raski_key_selector topology_anonymous_selector(topology_step *s) {
    return (raski_key_selector){++s->topology->anonymous_ids, NULL};
}

const raski_key *topology_make_key(topology_step *s, raski_key_selector selector, const char *type,
                                   bool async_state) {
    raski_key *key = raski_arena_calloc(s->topology->graph->arena, sizeof *key);
    *key = (raski_key){selector, type, async_state};
    return key;
}

topology_value topology_key_by(topology_step *s, const topology_value *input,
                               raski_key_selector selector, const char *type) {
    raski_partitioner *hash =
        raski_partitioner_create_key_group(s->topology->graph->arena, selector);
    return (topology_value){
        TOPOLOGY_KEYED,
        raski_transformation_partition(input->transformation, hash, RASKI_EXCHANGE_UNDEFINED),
        topology_make_key(s, selector, type, false)};
}

rask_status topology_transform(topology_step *s, const topology_value *input, const char *name,
                               const char *out_type, const raski_operator_factory *factory,
                               topology_value *ret_value, raski_error *err) {
    (void)s;
    raski_transformation *t =
        raski_transformation_one_input(input->transformation, name, out_type, factory, input->key);
    if (input->key && input->key->async_state)
        RASKI_TRY(raski_transformation_enable_async_state(t, err));
    *ret_value = (topology_value){TOPOLOGY_OPERATOR, t, NULL};
    return RASK_OK;
}
