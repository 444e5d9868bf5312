/* Who may share a slot, and a slot's managed memory. Flink: setSlotSharingAndCoLocation and
 * setManagedMemoryFraction of StreamingJobGraphGenerator, ManagedMemoryUtils. */
#include "graph/job_graph_builder.h"

static const char default_group[] = "default";

static raski_slot_group *new_slot_group(raski_job_graph_builder *builder, const char *name) {
    raski_slot_group *group = raski_arena_calloc(builder->graph->arena, sizeof *group);
    group->name = raski_arena_strdup(builder->graph->arena, name);
    const raski_resource_spec *resources =
        raski_stream_graph_slot_sharing_group_resources(builder->stream_graph, name);
    if (resources != NULL)
        group->resources = raski_resource_spec_keep(builder->graph->arena, resources);
    return group;
}

/* The group of a vertex in the default group: one for all, or one for each pipelined region. */
static raski_slot_group *group_of_region(raski_job_graph_builder *builder, size_t region,
                                         raski_slot_group **region_groups) {
    raski_slot_group **slot = builder->stream_graph->same_slot_sharing_group_by_default
                                  ? &builder->default_slot_group
                                  : &region_groups[region];
    if (*slot == NULL) *slot = new_slot_group(builder, default_group);
    return *slot;
}

static rask_status share_slots(raski_job_graph_builder *builder, const size_t *region_of,
                               raski_slot_group **region_groups, raski_map *named,
                               raski_error *err) {
    for (size_t i = 0; i < builder->phase_chains.count; i++) {
        const raski_chain *chain = builder->phase_chains.items[i];
        const char *name = chain->start->slot_sharing_group;
        if (strcmp(name, default_group) == 0) {
            chain->vertex->slot_group =
                group_of_region(builder, region_of[chain->vertex->index], region_groups);
            continue;
        }
        if (builder->has_hybrid_result) {
            builder->stream_graph->transformations->failed = chain->start->transformation;
            return RASKI_THROW(err, "IllegalStateException",
                               "hybrid shuffle mode currently does not support setting "
                               "non-default slot sharing group.");
        }
        if (!raski_map_has(named, name)) raski_map_put(named, name, new_slot_group(builder, name));
        chain->vertex->slot_group = raski_map_get(named, name);
    }
    return RASK_OK;
}

static rask_status co_locate(raski_job_graph_builder *builder, raski_map *keyed, raski_error *err) {
    for (size_t i = 0; i < builder->phase_chains.count; i++) {
        const raski_chain *chain = builder->phase_chains.items[i];
        const char *key = chain->start->co_location_group; /* of the head only, as in Flink */
        if (key == NULL) continue;
        raski_co_location_group *group = raski_map_get(keyed, key);
        if (group == NULL) {
            group = raski_arena_calloc(builder->graph->arena, sizeof *group);
            group->index = builder->graph->co_location_groups.count;
            raski_vec_push(&builder->graph->co_location_groups, group);
            raski_map_put(keyed, key, group);
        } else if (group->vertices.items[0]->slot_group != chain->vertex->slot_group) {
            builder->stream_graph->transformations->failed = chain->start->transformation;
            return RASKI_THROW(err, "IllegalStateException",
                               "Cannot co-locate operators from different slot sharing groups");
        }
        chain->vertex->co_location_group = group;
        raski_vec_push(&group->vertices, chain->vertex);
    }
    return RASK_OK;
}

rask_status raski_builder_share_slots(raski_job_graph_builder *builder, raski_error *err) {
    raski_map named = {0}, keyed = {0};
    RASKI_TRY(raski_job_graph_sort(builder->graph, err));
    size_t count = builder->graph->sorted.count;
    size_t *region_of = RASKI_NEW_ARRAY(size_t, count);
    size_t regions = raski_job_graph_regions(builder->graph, region_of);
    raski_slot_group **region_groups = RASKI_NEW_ARRAY(raski_slot_group *, regions);
    rask_status status = share_slots(builder, region_of, region_groups, &named, err);
    if (status == RASK_OK) status = co_locate(builder, &keyed, err);
    raski_free(region_groups);
    raski_free(region_of);
    raski_map_free(&named);
    raski_map_free(&keyed);
    return status;
}

/* ---- managed memory ------------------------------------------------------------------------- */

typedef struct group_memory {
    int64_t operator_weight; /* sum; 0: nobody has the use case */
    bool has[RASKI_MEMORY_USE_CASES];
} group_memory;

/* part / whole, rounded down to 16 decimal places, as the nearest double (BigDecimal.divide with
 * scale 16 and ROUND_DOWN, then doubleValue). */
__extension__ typedef unsigned __int128 uint128;

static double fraction_rounded_down(int64_t part, int64_t whole) {
    const uint64_t scale = 10000000000000000U; /* exact as a double */
    const int mantissa_bits = 53;
    uint64_t q = (uint64_t)((uint128)(uint64_t)part * scale / (uint64_t)whole);
    if (q >> mantissa_bits == 0) return (double)q / (double)scale; /* two exact numbers */
    /* 0.9 to 1: doubles are 2^-53 apart; to the nearest, ties to even */
    uint128 numerator = (uint128)q << mantissa_bits;
    uint64_t m = (uint64_t)(numerator / scale), rest = (uint64_t)(numerator % scale);
    if (rest > scale / 2 || (rest == scale / 2 && (m & 1) != 0)) m++;
    return (double)m / (double)(UINT64_C(1) << mantissa_bits);
}

static void collect(group_memory *memory, const raski_stream_node *node) {
    if (node->operator_memory_weight > 0) {
        memory->operator_weight += node->operator_memory_weight;
        memory->has[RASKI_MEMORY_OPERATOR] = true;
    }
    for (int u = 0; u < RASKI_MEMORY_USE_CASES; u++)
        if (node->slot_scope_memory[u]) memory->has[u] = true;
}

static void divide(const group_memory *memory, raski_chain_operator *op) {
    for (int u = 0; u < RASKI_MEMORY_USE_CASES; u++) {
        op->has_managed[u] = memory->has[u];
        if (!memory->has[u])
            continue;
        else if (u != RASKI_MEMORY_OPERATOR)
            op->managed_fraction[u] = op->node->slot_scope_memory[u] ? 1.0 : 0.0;
        else if (op->node->operator_memory_weight > 0)
            op->managed_fraction[u] =
                fraction_rounded_down(op->node->operator_memory_weight, memory->operator_weight);
    }
}

/* The memory of a group of this phase; index numbers them from 1, by first appearance. */
static group_memory *memory_of(const raski_map *index, group_memory *all,
                               const raski_slot_group *group) {
    return &all[(size_t)(uintptr_t)raski_map_get_number(index, (uintptr_t)group) - 1];
}

void raski_builder_share_memory(raski_job_graph_builder *builder) {
    raski_map index = {0}; /* address of a group -> its number, from 1 */
    group_memory *all = RASKI_NEW_ARRAY(group_memory, builder->phase_chains.count);
    for (size_t i = 0; i < builder->phase_chains.count; i++) {
        const raski_chain *chain = builder->phase_chains.items[i];
        uintptr_t group = (uintptr_t)chain->vertex->slot_group;
        if (!raski_map_has_number(&index, group)) {
            uintptr_t number = index.count + 1;
            raski_map_put_number(&index, group, (void *)number);
        }
        group_memory *memory = memory_of(&index, all, chain->vertex->slot_group);
        for (size_t k = 0; k < chain->operators.count; k++)
            collect(memory, chain->operators.items[k]->node);
        for (size_t k = 0; k < chain->sources.count; k++)
            collect(memory, chain->sources.items[k]->node);
    }
    for (size_t i = 0; i < builder->phase_chains.count; i++) {
        const raski_chain *chain = builder->phase_chains.items[i];
        const group_memory *memory = memory_of(&index, all, chain->vertex->slot_group);
        for (size_t k = 0; k < chain->operators.count; k++)
            divide(memory, chain->operators.items[k]);
        for (size_t k = 0; k < chain->sources.count; k++) divide(memory, chain->sources.items[k]);
    }
    raski_map_free(&index);
    raski_free(all);
}

double raski_managed_fraction_of_slot(const raski_job_graph *graph,
                                      const raski_job_operator *job_operator,
                                      raski_memory_use_case use_case,
                                      const int32_t weights[RASKI_MEMORY_USE_CASES]) {
    static const int32_t default_weights[] = {70, 70, 30};
    if (weights == NULL) weights = default_weights;
    bool state_counts = graph->state_backend_uses_managed_memory;
    if (use_case == RASKI_MEMORY_STATE_BACKEND && !state_counts) return 0.0;
    int64_t total = 0;
    for (int u = 0; u < RASKI_MEMORY_USE_CASES; u++)
        if (job_operator->has_managed[u] && (u != RASKI_MEMORY_STATE_BACKEND || state_counts))
            total += weights[u];
    double share = total > 0 ? fraction_rounded_down(weights[use_case], total) : 0.0;
    return job_operator->managed_fraction[use_case] * share;
}
