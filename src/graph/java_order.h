/* java_order.h - the order in which java.util.HashMap and HashSet are walked.
 * In a few places Flink takes what comes first in such a walk, and plans show it. Threads: any. */
#ifndef RASKI_GRAPH_JAVA_ORDER_H
#define RASKI_GRAPH_JAVA_ORDER_H
#include <stddef.h>
#include <stdint.h>

/* The bucket of a key in a map of count entries that was made with the default capacity and never
 * shrank. A walk goes by bucket, and in a bucket by the order of insertion. */
static inline size_t raski_java_bucket(int32_t hash_code, size_t count) {
    uint32_t hash = (uint32_t)hash_code;
    size_t buckets = 16;
    while (count * 4 > buckets * 3) buckets *= 2;
    return (hash ^ hash >> 16) & (buckets - 1);
}
#endif
