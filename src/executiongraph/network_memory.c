#include "executiongraph/network_memory.h"

#include "graph/java_order.h"

static int64_t half_of(raski_id id, int from) {
    uint64_t value = 0;
    for (int i = from; i < from + 8; i++) value = value << 8 | id.bytes[i];
    return (int64_t)value;
}

/* AbstractID.compareTo: the order in which Flink looks at the vertices of a group. */
static bool is_before(raski_id a, raski_id b) {
    int64_t high_a = half_of(a, 8), high_b = half_of(b, 8);
    return high_a != high_b ? high_a < high_b : half_of(a, 0) < half_of(b, 0);
}

/* AbstractID.hashCode. */
static int32_t hash_of(raski_id id) {
    uint64_t both = (uint64_t)half_of(id, 0) ^ (uint64_t)half_of(id, 8);
    return (int32_t)(uint32_t)(both ^ both >> 32);
}

static bool is_unbounded(raski_result_type type) {
    return type == RASKI_RESULT_PIPELINED || raski_result_type_is_hybrid(type);
}

/* The unbounded result of a vertex that Flink comes to first (in the order of a hash map), or NULL.
 */
static const raski_data_set *first_unbounded(const raski_job_vertex *vertex) {
    const raski_data_set *first = NULL;
    size_t first_bucket = SIZE_MAX;
    for (size_t i = 0; i < vertex->results.count; i++) {
        const raski_data_set *data_set = vertex->results.items[i];
        size_t bucket = raski_java_bucket(hash_of(data_set->id), vertex->results.count);
        if (!is_unbounded(data_set->type) || bucket >= first_bucket) continue;
        first = data_set;
        first_bucket = bucket;
    }
    return first;
}

rask_status raski_network_memory_check(const raski_execution_topology *topology,
                                       const raski_job_vertex *vertex, raski_error *err) {
    const raski_slot_group *group = vertex->slot_group;
    const raski_data_set *found = NULL;
    if (group == NULL || !group->resources.known) return RASK_OK;
    for (size_t i = 0; i < group->vertices.count; i++) {
        const raski_job_vertex *member = group->vertices.items[i];
        if (!topology->vertices[member->index].is_initialized) return RASK_OK;
        const raski_data_set *unbounded = first_unbounded(member);
        if (unbounded == NULL) continue;
        if (found == NULL || is_before(member->id, found->producer->id)) found = unbounded;
    }
    if (found == NULL) return RASK_OK;
    return RASKI_THROW(err, "IllegalArgumentException",
                       "Illegal to announce network memory requirement as Integer.MAX_VALUE, "
                       "partition type: %s",
                       raski_result_type_name(found->type));
}
