#include "graph/partitioner.h"

#include <stddef.h>

raski_partitioner *raski_partitioner_create(raski_arena *arena, raski_partitioner_kind kind) {
    raski_partitioner *partitioner = raski_arena_calloc(arena, sizeof *partitioner);
    partitioner->kind = kind;
    return partitioner;
}

raski_partitioner *raski_partitioner_create_key_group(raski_arena *arena,
                                                      raski_key_selector selector) {
    raski_partitioner *partitioner = raski_partitioner_create(arena, RASKI_PARTITIONER_KEY_GROUP);
    partitioner->selector = selector;
    partitioner->max_parallelism = RASKI_DEFAULT_LOWER_BOUND_MAX_PARALLELISM;
    return partitioner;
}

raski_partitioner *raski_partitioner_create_custom(raski_arena *arena, uint64_t custom_id,
                                                   raski_key_selector selector,
                                                   const void *payload) {
    raski_partitioner *partitioner = raski_partitioner_create(arena, RASKI_PARTITIONER_CUSTOM);
    partitioner->custom_id = custom_id;
    partitioner->selector = selector;
    partitioner->payload = payload;
    return partitioner;
}

raski_partitioner *raski_partitioner_create_consecutive_hash(raski_arena *arena,
                                                             raski_partitioner *hash) {
    raski_partitioner *partitioner =
        raski_partitioner_create(arena, RASKI_PARTITIONER_FORWARD_FOR_CONSECUTIVE_HASH);
    partitioner->hash = hash;
    return partitioner;
}

bool raski_partitioner_is_forward(const raski_partitioner *partitioner) {
    return partitioner->kind <= RASKI_PARTITIONER_FORWARD_FOR_CONSECUTIVE_HASH;
}

bool raski_partitioner_is_pointwise(const raski_partitioner *partitioner) {
    return raski_partitioner_is_forward(partitioner) ||
           partitioner->kind == RASKI_PARTITIONER_RESCALE;
}

bool raski_partitioner_is_broadcast(const raski_partitioner *partitioner) {
    return partitioner->kind == RASKI_PARTITIONER_BROADCAST;
}

bool raski_partitioner_supports_unaligned_checkpoints(const raski_partitioner *partitioner) {
    return !partitioner->unaligned_checkpoints_disabled &&
           !raski_partitioner_is_pointwise(partitioner) &&
           !raski_partitioner_is_broadcast(partitioner);
}

void raski_partitioner_disable_unaligned_checkpoints(raski_partitioner *partitioner) {
    raski_partitioner *target = partitioner->hash ? partitioner->hash : partitioner;
    target->unaligned_checkpoints_disabled = true;
}

bool raski_partitioner_equals(const raski_partitioner *a, const raski_partitioner *b) {
    if (a == b) return true;
    if (a == NULL || b == NULL || a->kind != b->kind) return false;
    switch (a->kind) {
        case RASKI_PARTITIONER_KEY_GROUP:
            return a->max_parallelism == b->max_parallelism && a->selector.id == b->selector.id;
        case RASKI_PARTITIONER_CUSTOM:
            return a->custom_id == b->custom_id && a->selector.id == b->selector.id;
        default:
            return true;
    }
}

static const struct {
    const char *text, *class_name;
} names[] = {
    [RASKI_PARTITIONER_FORWARD] = {"FORWARD", "ForwardPartitioner"},
    [RASKI_PARTITIONER_FORWARD_FOR_UNSPECIFIED] = {"FORWARD", "ForwardForUnspecifiedPartitioner"},
    [RASKI_PARTITIONER_FORWARD_FOR_CONSECUTIVE_HASH] = {"FORWARD",
                                                        "ForwardForConsecutiveHashPartitioner"},
    [RASKI_PARTITIONER_REBALANCE] = {"REBALANCE", "RebalancePartitioner"},
    [RASKI_PARTITIONER_RESCALE] = {"RESCALE", "RescalePartitioner"},
    [RASKI_PARTITIONER_SHUFFLE] = {"SHUFFLE", "ShufflePartitioner"},
    [RASKI_PARTITIONER_GLOBAL] = {"GLOBAL", "GlobalPartitioner"},
    [RASKI_PARTITIONER_BROADCAST] = {"BROADCAST", "BroadcastPartitioner"},
    [RASKI_PARTITIONER_KEY_GROUP] = {"HASH", "KeyGroupStreamPartitioner"},
    [RASKI_PARTITIONER_CUSTOM] = {"CUSTOM", "CustomPartitionerWrapper"},
};

const char *raski_partitioner_text(const raski_partitioner *partitioner) {
    return names[partitioner->kind].text;
}

const char *raski_partitioner_class_name(const raski_partitioner *partitioner) {
    return names[partitioner->kind].class_name;
}
