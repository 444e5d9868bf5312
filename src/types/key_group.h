/* key_group.h - key groups: how keys are spread over the subtasks of an operator.
 * A key's Java hash is scrambled and taken modulo the max parallelism: its key group. Each subtask
 * owns a contiguous range of key groups. State is kept, moved and restored by key group.
 * Threads: pure functions; a router is immutable. Flink: KeyGroupRangeAssignment, KeyGroupRange. */
#ifndef RASKI_TYPES_KEY_GROUP_H
#define RASKI_TYPES_KEY_GROUP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "types/key_group_inline.h"

enum {
    RASKI_MAX_PARALLELISM_LOWER_BOUND = 128,   /* of the default */
    RASKI_MAX_PARALLELISM_UPPER_BOUND = 32768, /* of any */
};

/* Key groups start..end, both inclusive; empty: 0..-1. */
typedef struct raski_key_group_range {
    int32_t start, end;
} raski_key_group_range;

/* An IllegalArgumentException unless parallelism is in 1..32768. */
RASKI_NODISCARD rask_status raski_check_parallelism_bounds(int32_t parallelism, raski_error *err);

/* The max parallelism of an operator that was given none: 1.5 times the parallelism, rounded up to
 * a power of two, in 128..32768. */
RASKI_NODISCARD rask_status raski_default_max_parallelism(int32_t parallelism, int32_t *ret,
                                                          raski_error *err);

/* The key groups of a subtask. subtask is not checked against parallelism, as in Flink. */
RASKI_NODISCARD rask_status raski_key_group_range_of_subtask(int32_t max_parallelism,
                                                             int32_t parallelism, int32_t subtask,
                                                             raski_key_group_range *ret,
                                                             raski_error *err);

/* A checked range: 0 <= start <= end. */
RASKI_NODISCARD rask_status raski_key_group_range_create(int32_t start, int32_t end,
                                                         raski_key_group_range *ret,
                                                         raski_error *err);
/* start > end gives the empty range (KeyGroupRange.of). */
RASKI_NODISCARD rask_status raski_key_group_range_of(int32_t start, int32_t end,
                                                     raski_key_group_range *ret, raski_error *err);
/* The idx-th key group; idx == count is let through, as in Flink. */
RASKI_NODISCARD rask_status raski_key_group_range_at(raski_key_group_range range, int32_t idx,
                                                     int32_t *ret, raski_error *err);
raski_key_group_range raski_key_group_range_intersect(raski_key_group_range a,
                                                      raski_key_group_range b);
static inline int32_t raski_key_group_range_count(raski_key_group_range range) {
    return 1 + range.end - range.start;
}
static inline bool raski_key_group_range_contains(raski_key_group_range range, int32_t key_group) {
    return key_group >= range.start && key_group <= range.end;
}
/* An IllegalArgumentException with Flink's text when key_group is not in range: whoever stores
 * keyed state asks before it does, so that a wrongly routed record cannot go unnoticed. */
RASKI_NODISCARD rask_status raski_key_group_range_check(raski_key_group_range range,
                                                        int32_t key_group, raski_error *err);
/* What Flink throws when a keyed record cannot be routed: the key is null; the key function failed
 * (with the record as text); a partitioner was made for no key groups. */
RASKI_COLD rask_status raski_key_error_null(raski_error *err);
RASKI_COLD rask_status raski_key_error_not_extracted(raski_error *err, const char *record_text);
RASKI_NODISCARD rask_status raski_key_partitioner_check(int32_t max_parallelism, raski_error *err);

/* The parallelism (-1: not decided yet) and max parallelism (INT32_MAX: the largest) that a job
 * vertex may have; gives the max parallelism that it gets. Flink: DefaultVertexParallelismInfo. */
RASKI_NODISCARD rask_status raski_vertex_parallelism_check(int32_t parallelism,
                                                           int32_t max_parallelism,
                                                           int32_t *ret_max_parallelism,
                                                           raski_error *err);
enum { RASKI_KEY_GROUP_RANGE_TEXT_MAX = 64 };
/* "KeyGroupRange{startKeyGroup=0, endKeyGroup=63}"; returns ret_text. */
const char *raski_key_group_range_text(raski_key_group_range range,
                                       char ret_text[RASKI_KEY_GROUP_RANGE_TEXT_MAX]);

/* ---- batches: no division per record */
typedef struct raski_key_group_router {
    int32_t max_parallelism, parallelism;
    uint64_t reciprocal; /* ceil(2^shift / max_parallelism) */
    uint32_t shift;      /* exact for numerators below 2^31 */
} raski_key_group_router;

/* max_parallelism in 1..32768, parallelism in 1..max_parallelism (asserted). */
void raski_key_group_router_init(raski_key_group_router *router, int32_t max_parallelism,
                                 int32_t parallelism);

static inline uint32_t raski_router_divide(const raski_key_group_router *router, uint32_t number) {
    return (uint32_t)((uint64_t)number * router->reciprocal >> router->shift);
}
static inline int32_t raski_router_key_group(const raski_key_group_router *router, int32_t hash) {
    uint32_t murmur = (uint32_t)raski_murmur_hash(hash);
    uint32_t divisor = (uint32_t)router->max_parallelism;
    return (int32_t)(murmur - raski_router_divide(router, murmur) * divisor);
}
/* The subtask (= the subpartition of a keyed exchange) for a key's hash. */
static inline int32_t raski_router_subtask(const raski_key_group_router *router, int32_t hash) {
    uint32_t key_group = (uint32_t)raski_router_key_group(router, hash);
    return (int32_t)raski_router_divide(router, key_group * (uint32_t)router->parallelism);
}

/* For count hashes, their key groups, or directly the subtasks that own them. The arrays must not
 * overlap. */
void raski_key_groups_of_hashes(const raski_key_group_router *router, const int32_t *hashes,
                                size_t count, uint16_t *ret_key_groups);
void raski_subtasks_of_hashes(const raski_key_group_router *router, const int32_t *hashes,
                              size_t count, uint16_t *ret_subtasks);
#endif
