#include "graph/partitioner_mappers.h"

raski_subtask_state_mapper raski_partitioner_upstream_mapper(const raski_partitioner *partitioner) {
    return raski_partitioner_is_pointwise(partitioner) ||
                   raski_partitioner_is_broadcast(partitioner)
               ? RASKI_MAPPER_UNSUPPORTED
               : RASKI_MAPPER_ARBITRARY;
}

rask_status raski_partitioner_downstream_mapper(const raski_partitioner *partitioner,
                                                raski_subtask_state_mapper *ret, raski_error *err) {
    raski_subtask_state_mapper mapper = RASKI_MAPPER_UNSUPPORTED;
    switch (partitioner->kind) {
        case RASKI_PARTITIONER_FORWARD:
        case RASKI_PARTITIONER_RESCALE:
        case RASKI_PARTITIONER_BROADCAST:
            break;
        case RASKI_PARTITIONER_FORWARD_FOR_UNSPECIFIED:
            return RASKI_THROW(err, "RuntimeException",
                               "%s is a intermediate partitioner in optimization phase, should be "
                               "converted to a ForwardPartitioner/RescalePartitioner.",
                               raski_partitioner_class_name(partitioner));
        case RASKI_PARTITIONER_FORWARD_FOR_CONSECUTIVE_HASH:
            return RASKI_THROW(err, "RuntimeException",
                               "%s is a intermediate partitioner in optimization phase, should be "
                               "converted to a ForwardPartitioner and its underlying "
                               "hashPartitioner at runtime.",
                               raski_partitioner_class_name(partitioner));
        case RASKI_PARTITIONER_REBALANCE:
        case RASKI_PARTITIONER_SHUFFLE:
            mapper = RASKI_MAPPER_ROUND_ROBIN;
            break;
        case RASKI_PARTITIONER_GLOBAL:
            mapper = RASKI_MAPPER_FIRST;
            break;
        case RASKI_PARTITIONER_KEY_GROUP:
            mapper = RASKI_MAPPER_RANGE;
            break;
        case RASKI_PARTITIONER_CUSTOM:
            mapper = RASKI_MAPPER_FULL;
            break;
    }
    *ret = mapper;
    return RASK_OK;
}
