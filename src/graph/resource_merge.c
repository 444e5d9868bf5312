/* What several operators in one task need together. Flink: ResourceSpec.merge. */
#include <math.h>

#include "graph/job_graph_builder.h"

/* Amounts are decimals of 8 places, and so is their sum. */
static double add_amounts(double a, double b) {
    return (round(a * 1e8) + round(b * 1e8)) / 1e8;
}

raski_resource_spec raski_resource_spec_merge(raski_arena *arena, const raski_resource_spec *a,
                                              const raski_resource_spec *b) {
    raski_resource_spec sum = {0};
    if (!a->known || !b->known) return sum;
    raski_external_resource *externals =
        raski_arena_calloc(arena, (a->external_count + b->external_count) * sizeof *externals);
    sum.known = true;
    sum.cpu_cores = add_amounts(a->cpu_cores, b->cpu_cores);
    sum.task_heap_bytes = a->task_heap_bytes + b->task_heap_bytes;
    sum.task_off_heap_bytes = a->task_off_heap_bytes + b->task_off_heap_bytes;
    sum.managed_bytes = a->managed_bytes + b->managed_bytes;
    sum.externals = externals;
    for (size_t i = 0, k = 0; i < a->external_count || k < b->external_count;) {
        int order = i == a->external_count   ? 1
                    : k == b->external_count ? -1
                                             : strcmp(a->externals[i].name, b->externals[k].name);
        const raski_external_resource *next = order <= 0 ? &a->externals[i] : &b->externals[k];
        raski_external_resource *into = &externals[sum.external_count++];
        into->name = raski_arena_strdup(arena, next->name);
        into->amount =
            order == 0 ? add_amounts(a->externals[i].amount, b->externals[k].amount) : next->amount;
        if (order <= 0) i++;
        if (order >= 0) k++;
    }
    return sum;
}

raski_resource_spec raski_resource_spec_keep(raski_arena *arena, const raski_resource_spec *spec) {
    raski_resource_spec nothing = {.known = true};
    return raski_resource_spec_merge(arena, spec, &nothing);
}
