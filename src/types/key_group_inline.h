/* key_group_inline.h - the arithmetic of key groups, for record loops. See key_group.h. */
#ifndef RASKI_TYPES_KEY_GROUP_INLINE_H
#define RASKI_TYPES_KEY_GROUP_INLINE_H
#include <stdint.h>

/* Flink's MathUtils.murmurHash: Murmur3 (32 bits, seed 0) of one int, made non-negative. */
static inline int32_t raski_murmur_hash(int32_t code) {
    uint32_t h = (uint32_t)code * 0xcc9e2d51U;
    h = (h << 15 | h >> 17) * 0x1b873593U;
    h = (h << 13 | h >> 19) * 5 + 0xe6546b64U;
    h ^= 4;
    h ^= h >> 16;
    h *= 0x85ebca6bU;
    h ^= h >> 13;
    h *= 0xc2b2ae35U;
    h ^= h >> 16;
    /* |h|, and 0 for the one value that has no absolute value */
    uint32_t sign = 0U - (h >> 31);
    return (int32_t)(((h ^ sign) - sign) & 0x7fffffffU);
}

/* The key group of a key's Java hash; max_parallelism in 1..32768. */
static inline int32_t raski_key_group_of_hash(int32_t hash, int32_t max_parallelism) {
    return raski_murmur_hash(hash) % max_parallelism;
}

/* The subtask that owns a key group (KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup). */
static inline int32_t raski_subtask_of_key_group(int32_t max_parallelism, int32_t parallelism,
                                                 int32_t key_group) {
    return key_group * parallelism / max_parallelism;
}
#endif
