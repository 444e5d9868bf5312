/* topology_partitionings.c - keyBy and its kin, and all that only says where records go. */
#include <string.h>

#include "graph/topology_private.h"

static rask_status exchange_mode(topology_step *s, raski_exchange_mode *ret_mode,
                                 raski_error *err) {
    const char *text = topology_text(s, "exchange", "UNDEFINED");
    for (int i = RASKI_EXCHANGE_UNDEFINED; i <= RASKI_EXCHANGE_HYBRID_SELECTIVE; i++) {
        if (strcmp(raski_exchange_mode_name((raski_exchange_mode)i), text) != 0) continue;
        *ret_mode = (raski_exchange_mode)i;
        return RASK_OK;
    }
    return topology_bad(s, err, "unknown exchange '%s'", text);
}

static topology_value partition(const topology_value *input, raski_partitioner *partitioner,
                                raski_exchange_mode mode) {
    return (topology_value){
        TOPOLOGY_STREAM, raski_transformation_partition(input->transformation, partitioner, mode),
        NULL};
}

/* With an exchange mode the internal API is used, which lets keyed streams be partitioned again;
 * the public one does not. */
static rask_status partition_stream(topology_step *s, const topology_value *input,
                                    raski_partitioner *partitioner, topology_value *ret_value,
                                    raski_error *err) {
    raski_exchange_mode mode = RASKI_EXCHANGE_UNDEFINED;
    if (topology_has(s, "exchange"))
        RASKI_TRY(exchange_mode(s, &mode, err));
    else if (input->kind == TOPOLOGY_KEYED)
        return RASKI_THROW(err, "UnsupportedOperationException",
                           "Cannot override partitioning for KeyedStream.");
    *ret_value = partition(input, partitioner, mode);
    return RASK_OK;
}

static rask_status make_plain(topology_step *s, topology_value *ret_value, raski_error *err) {
    static const struct {
        const char *op;
        raski_partitioner_kind kind;
    } kinds[] = {
        {"rebalance", RASKI_PARTITIONER_REBALANCE}, {"rescale", RASKI_PARTITIONER_RESCALE},
        {"shuffle", RASKI_PARTITIONER_SHUFFLE},     {"forward", RASKI_PARTITIONER_FORWARD},
        {"global", RASKI_PARTITIONER_GLOBAL},       {"broadcast", RASKI_PARTITIONER_BROADCAST},
    };
    topology_value input;
    RASKI_TRY(topology_one(s, &input, err));
    size_t i = 0;
    while (strcmp(kinds[i].op, s->op) != 0) i++;
    return partition_stream(s, &input,
                            raski_partitioner_create(s->topology->graph->arena, kinds[i].kind),
                            ret_value, err);
}

static rask_status make_forward_unspecified(topology_step *s, topology_value *ret_value,
                                            raski_error *err) {
    topology_value input;
    raski_exchange_mode mode = RASKI_EXCHANGE_UNDEFINED;
    RASKI_TRY(topology_one(s, &input, err));
    RASKI_TRY(exchange_mode(s, &mode, err));
    *ret_value = partition(&input,
                           raski_partitioner_create(s->topology->graph->arena,
                                                    RASKI_PARTITIONER_FORWARD_FOR_UNSPECIFIED),
                           mode);
    return RASK_OK;
}

static rask_status make_partition_custom(topology_step *s, topology_value *ret_value,
                                         raski_error *err) {
    raski_arena *arena = s->topology->graph->arena;
    const char *own = raski_arena_format(arena, "partitioner#%d", s->index);
    uint64_t id = topology_id_of(&s->topology->partitioners, topology_text(s, "partitioner", own));
    raski_key_selector selector = topology_selector(s, "key");
    topology_value input;
    const topology_type *type;
    RASKI_TRY(topology_type_field(s, "keyType", &topology_string, &type, err));
    RASKI_TRY(topology_one(s, &input, err));
    return partition_stream(s, &input, raski_partitioner_create_custom(arena, id, selector, NULL),
                            ret_value, err);
}

static rask_status make_key_by(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value input;
    const topology_type *type = NULL;
    raski_exchange_mode mode = RASKI_EXCHANGE_UNDEFINED;
    RASKI_TRY(topology_one(s, &input, err));
    raski_key_selector selector = topology_selector(s, "key");
    RASKI_TRY(topology_type_field(s, "keyType", &topology_string, &type, err));
    if (topology_has(s, "exchange")) RASKI_TRY(exchange_mode(s, &mode, err));
    raski_partitioner *hash =
        raski_partitioner_create_key_group(s->topology->graph->arena, selector);
    raski_transformation *t = raski_transformation_partition(input.transformation, hash, mode);
    bool async_state = topology_flag(s, "asyncState", false);
    *ret_value = (topology_value){TOPOLOGY_KEYED, t,
                                  topology_make_key(s, selector, type->text, async_state)};
    return RASK_OK;
}

static rask_status make_reinterpret_as_keyed(topology_step *s, topology_value *ret_value,
                                             raski_error *err) {
    topology_value input;
    const topology_type *type = NULL;
    RASKI_TRY(topology_one(s, &input, err));
    raski_key_selector selector = topology_selector(s, "key");
    RASKI_TRY(topology_type_field(s, "keyType", &topology_string, &type, err));
    raski_partitioner *forward =
        raski_partitioner_create(s->topology->graph->arena, RASKI_PARTITIONER_FORWARD);
    *ret_value = (topology_value){
        TOPOLOGY_KEYED,
        raski_transformation_partition(input.transformation, forward, RASKI_EXCHANGE_UNDEFINED),
        topology_make_key(s, selector, topology_string.text, false)};
    return RASK_OK;
}

static rask_status make_forward_or_hash(topology_step *s, topology_value *ret_value,
                                        raski_error *err) {
    raski_arena *arena = s->topology->graph->arena;
    topology_value input;
    const topology_type *type = NULL;
    raski_exchange_mode mode = RASKI_EXCHANGE_UNDEFINED;
    RASKI_TRY(topology_one(s, &input, err));
    raski_key_selector selector = topology_selector(s, "key");
    RASKI_TRY(topology_type_field(s, "keyType", &topology_string, &type, err));
    bool keyed = topology_flag(s, "keyed", true);
    RASKI_TRY(exchange_mode(s, &mode, err));
    raski_partitioner *partitioner = raski_partitioner_create_consecutive_hash(
        arena, raski_partitioner_create_key_group(arena, selector));
    *ret_value = partition(&input, partitioner, mode);
    if (!keyed) return RASK_OK;
    ret_value->kind = TOPOLOGY_KEYED;
    ret_value->key = topology_make_key(s, selector, topology_string.text, false);
    return RASK_OK;
}

static rask_status make_broadcast_state(topology_step *s, topology_value *ret_value,
                                        raski_error *err) {
    topology_value input;
    RASKI_TRY(topology_one(s, &input, err));
    if (input.kind == TOPOLOGY_KEYED)
        return RASKI_THROW(err, "UnsupportedOperationException",
                           "Cannot override partitioning for KeyedStream.");
    *ret_value = partition(
        &input, raski_partitioner_create(s->topology->graph->arena, RASKI_PARTITIONER_BROADCAST),
        RASKI_EXCHANGE_UNDEFINED);
    ret_value->kind = TOPOLOGY_BROADCAST;
    return RASK_OK;
}

const topology_operation_entry topology_partitionings[] = {
    {"rebalance", make_plain},
    {"rescale", make_plain},
    {"shuffle", make_plain},
    {"forward", make_plain},
    {"global", make_plain},
    {"broadcast", make_plain},
    {"forwardUnspecified", make_forward_unspecified},
    {"partitionCustom", make_partition_custom},
    {"keyBy", make_key_by},
    {"reinterpretAsKeyedStream", make_reinterpret_as_keyed},
    {"forwardOrHash", make_forward_or_hash},
    {"broadcastState", make_broadcast_state},
    {NULL, NULL},
};
