/* partitioner.h - how an edge distributes records over the consumer's subtasks.
 * Flink: streaming.runtime.partitioner. A partitioner is shared: every edge that comes from the
 * same partition transformation points to the same object, and disabling unaligned checkpoints on
 * one edge is seen by all, as in Flink. Threads: one owner (planning is single-threaded). */
#ifndef RASKI_GRAPH_PARTITIONER_H
#define RASKI_GRAPH_PARTITIONER_H
#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"

typedef enum raski_partitioner_kind {
    RASKI_PARTITIONER_FORWARD,
    RASKI_PARTITIONER_FORWARD_FOR_UNSPECIFIED,      /* dynamic graphs: nothing was asked for */
    RASKI_PARTITIONER_FORWARD_FOR_CONSECUTIVE_HASH, /* forward if chained, else the inner hash */
    RASKI_PARTITIONER_REBALANCE,
    RASKI_PARTITIONER_RESCALE,
    RASKI_PARTITIONER_SHUFFLE,
    RASKI_PARTITIONER_GLOBAL,
    RASKI_PARTITIONER_BROADCAST,
    RASKI_PARTITIONER_KEY_GROUP,
    RASKI_PARTITIONER_CUSTOM,
} raski_partitioner_kind;

/* Key groups of a hash partitioner before the job graph sets the consumer's max parallelism. */
enum { RASKI_DEFAULT_LOWER_BOUND_MAX_PARALLELISM = 128 };

/* What picks the key out of a record. Two selectors are equal when their ids are. */
typedef struct raski_key_selector {
    uint64_t id;         /* 0: no selector */
    const void *payload; /* borrowed, opaque: the runtime's definition; may be NULL */
} raski_key_selector;

typedef struct raski_partitioner raski_partitioner;
struct raski_partitioner {
    raski_partitioner_kind kind;
    bool unaligned_checkpoints_disabled; /* by raski_partitioner_disable_unaligned_checkpoints */
    raski_key_selector selector;         /* KEY_GROUP, CUSTOM */
    int32_t max_parallelism;             /* KEY_GROUP */
    uint64_t custom_id;                  /* CUSTOM: equal ids are equal functions */
    const void *payload;                 /* CUSTOM: borrowed, opaque: the user's function */
    raski_partitioner *hash;             /* FORWARD_FOR_CONSECUTIVE_HASH: the inner one */
};

/* A new partitioner in arena of a kind that has no parameters. */
raski_partitioner *raski_partitioner_create(raski_arena *arena, raski_partitioner_kind kind);
raski_partitioner *raski_partitioner_create_key_group(raski_arena *arena,
                                                      raski_key_selector selector);
raski_partitioner *raski_partitioner_create_custom(raski_arena *arena, uint64_t custom_id,
                                                   raski_key_selector selector,
                                                   const void *payload);
/* Forward where it can be chained, otherwise what hash does; borrows hash. */
raski_partitioner *raski_partitioner_create_consecutive_hash(raski_arena *arena,
                                                             raski_partitioner *hash);

/* Any of the three forward kinds (Flink: instanceof ForwardPartitioner). */
bool raski_partitioner_is_forward(const raski_partitioner *partitioner);
bool raski_partitioner_is_pointwise(const raski_partitioner *partitioner);
bool raski_partitioner_is_broadcast(const raski_partitioner *partitioner);
bool raski_partitioner_supports_unaligned_checkpoints(const raski_partitioner *partitioner);
void raski_partitioner_disable_unaligned_checkpoints(raski_partitioner *partitioner);
/* Flink's equals: same class, and where there are any, equal selectors and functions. The objects
 * of classes without equals are compared by class only, as in Flink. */
bool raski_partitioner_equals(const raski_partitioner *a, const raski_partitioner *b);
/* "FORWARD", "HASH", ...: Flink's toString, which edge ids contain. Static. */
const char *raski_partitioner_text(const raski_partitioner *partitioner);
/* "ForwardPartitioner", "KeyGroupStreamPartitioner", ... Static. */
const char *raski_partitioner_class_name(const raski_partitioner *partitioner);
#endif
