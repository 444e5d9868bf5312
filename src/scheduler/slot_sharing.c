#include "scheduler/slot_sharing.h"

#include <limits.h>

#include "base/alloc.h"
#include "scheduler/group_index.h"

enum { NO_GROUP = -1 };

/* Co-located subtasks with the same number go together. */
typedef struct co_location {
    size_t first;    /* in the arrays that are kept per constraint */
    int parallelism; /* most of the group's vertices */
} co_location;

typedef struct builder {
    const raski_execution_topology *topology;
    raski_slot_sharing *sharing;
    co_location *co_locations; /* by raski_co_location_group.index */
    size_t constraint_count;
    long *group_of_constraint; /* NO_GROUP: none yet */
} builder;

static bool constraint_of(const builder *b, const raski_execution_job_vertex *vertex, int subtask,
                          size_t *ret_constraint) {
    const raski_co_location_group *group = vertex->job_vertex->co_location_group;
    if (group == NULL) return false;
    *ret_constraint = b->co_locations[group->index].first + (size_t)subtask;
    return true;
}

static void number_constraints(builder *b) {
    const raski_job_graph *graph = b->topology->job_graph;
    size_t groups = graph->co_location_groups.count;
    b->co_locations = RASKI_NEW_ARRAY(co_location, groups);
    for (size_t v = 0; v < b->topology->vertex_count; v++) {
        const raski_execution_job_vertex *vertex = &b->topology->vertices[v];
        const raski_co_location_group *group = vertex->job_vertex->co_location_group;
        if (group != NULL && vertex->parallelism > b->co_locations[group->index].parallelism)
            b->co_locations[group->index].parallelism = vertex->parallelism;
    }
    for (size_t g = 0; g < groups; g++) {
        b->co_locations[g].first = b->constraint_count;
        b->constraint_count += (size_t)b->co_locations[g].parallelism;
    }
    b->group_of_constraint = RASKI_NEW_ARRAY(long, b->constraint_count);
    for (size_t c = 0; c < b->constraint_count; c++) b->group_of_constraint[c] = NO_GROUP;
}

static rask_status check_regions(const builder *b, raski_error *err) {
    rask_status status = RASK_OK;
    const raski_execution_topology *topology = b->topology;
    size_t *region = RASKI_NEW_ARRAY(size_t, b->constraint_count); /* + 1; 0: none */
    for (size_t task = 0; task < topology->task_count && status == RASK_OK; task++) {
        const raski_execution_job_vertex *vertex =
            raski_execution_topology_vertex_of(topology, task);
        size_t constraint = 0;
        if (!constraint_of(b, vertex, (int)(task - vertex->first_task), &constraint)) continue;
        if (region[constraint] != 0 && region[constraint] != topology->region_of_task[task] + 1)
            status = RASKI_THROW(err, "IllegalStateException",
                                 "co-located tasks must be in the same pipelined region");
        region[constraint] = topology->region_of_task[task] + 1;
    }
    raski_free(region);
    return status;
}

static size_t new_group(builder *b, const raski_slot_group *slot_group) {
    raski_shared_slot_group group = {.slot_group = slot_group};
    raski_vec_push(&b->sharing->groups, group);
    return b->sharing->groups.count - 1;
}

static void put(builder *b, size_t task, size_t group) {
    raski_vec_push(&b->sharing->groups.items[group].tasks, task);
    b->sharing->group_of_task[task] = group;
}

/* ---------------------------------------------------------------- local input preferred */

/* The slots of the producers of one group of partitions, in their order; each is offered once. */
typedef struct candidates {
    RASKI_VEC(size_t) groups;
    size_t next;
    bool is_known;
} candidates;

typedef struct local_builder {
    builder *base;
    raski_group_index index;
    candidates *candidates; /* by group of partitions */
    bool *is_taken;         /* by slot: has a subtask of the vertex at hand */
    size_t first_free;      /* no slot of the vertex' slot group below it is free */
} local_builder;

static bool is_free(const local_builder *l, const raski_job_vertex *vertex, size_t group) {
    return !l->is_taken[group] &&
           l->base->sharing->groups.items[group].slot_group == vertex->slot_group;
}

static void find_candidates(local_builder *l, size_t number) {
    candidates *c = &l->candidates[number];
    c->is_known = true;
    const raski_partition_group *group = l->index.groups[number];
    if (group->edge->source->producer->slot_group != group->edge->target->slot_group) return;
    bool *seen = RASKI_NEW_ARRAY(bool, l->base->sharing->groups.count);
    for (int p = group->partitions.first; p <= group->partitions.last; p++) {
        size_t producer = raski_group_index_producer(&l->index, number, p);
        size_t slot = l->base->sharing->group_of_task[producer];
        if (!seen[slot]) raski_vec_push(&c->groups, slot);
        seen[slot] = true;
    }
    raski_free(seen);
}

static long producer_slot(local_builder *l, const raski_execution_job_vertex *vertex, int subtask) {
    for (size_t i = 0; i < vertex->job_vertex->inputs.count; i++) {
        size_t number = raski_group_index_of_consumer(&l->index, vertex, i, subtask);
        candidates *c = &l->candidates[number];
        if (!c->is_known) find_candidates(l, number);
        while (c->next < c->groups.count) {
            size_t slot = c->groups.items[c->next++];
            if (is_free(l, vertex->job_vertex, slot)) return (long)slot;
        }
    }
    return NO_GROUP;
}

static size_t any_slot(local_builder *l, const raski_job_vertex *vertex) {
    raski_slot_sharing *sharing = l->base->sharing;
    while (l->first_free < sharing->groups.count && !is_free(l, vertex, l->first_free))
        l->first_free++;
    return l->first_free < sharing->groups.count ? l->first_free
                                                 : new_group(l->base, vertex->slot_group);
}

static void place_vertex(local_builder *l, const raski_execution_job_vertex *vertex) {
    builder *b = l->base;
    /* No more slots than there are tasks can come to be. */
    l->is_taken = RASKI_NEW_ARRAY(bool, b->topology->task_count);
    l->first_free = 0;
    bool *is_placed = RASKI_NEW_ARRAY(bool, (size_t)vertex->parallelism);
    for (int s = 0; s < vertex->parallelism; s++) {
        size_t constraint = 0;
        long slot = constraint_of(b, vertex, s, &constraint) ? b->group_of_constraint[constraint]
                                                             : NO_GROUP;
        if (slot == NO_GROUP) slot = producer_slot(l, vertex, s);
        if (slot == NO_GROUP) continue;
        put(b, vertex->first_task + (size_t)s, (size_t)slot);
        l->is_taken[slot] = is_placed[s] = true;
    }
    for (int s = 0; s < vertex->parallelism; s++) {
        size_t task = vertex->first_task + (size_t)s, constraint = 0;
        if (!is_placed[s]) {
            size_t slot = any_slot(l, vertex->job_vertex);
            put(b, task, slot);
            l->is_taken[slot] = true;
        }
        if (constraint_of(b, vertex, s, &constraint))
            b->group_of_constraint[constraint] = (long)b->sharing->group_of_task[task];
    }
    raski_free(is_placed);
    raski_free(l->is_taken);
}

static void build_local_input(builder *b) {
    local_builder l = {.base = b};
    raski_group_index_init(&l.index, b->topology);
    l.candidates = RASKI_NEW_ARRAY(candidates, l.index.group_count);
    for (size_t v = 0; v < b->topology->vertex_count; v++)
        place_vertex(&l, &b->topology->vertices[v]);
    for (size_t g = 0; g < l.index.group_count; g++) raski_vec_free(&l.candidates[g].groups);
    raski_free(l.candidates);
    raski_group_index_fini(&l.index);
}

/* ---------------------------------------------------------------- balanced */

/* The slots of one slot sharing group: as many as its most parallel vertex has subtasks. */
typedef struct slot_row {
    size_t first; /* place of the first in sharing->groups */
    int count;
    int next; /* where the next vertex that does not fill the row begins */
} slot_row;

static bool has_subtask_of(const builder *b, size_t slot,
                           const raski_execution_job_vertex *vertex) {
    const raski_shared_slot_group *group = &b->sharing->groups.items[slot];
    for (size_t i = 0; i < group->tasks.count; i++)
        if (raski_execution_topology_vertex_of(b->topology, group->tasks.items[i]) == vertex)
            return true;
    return false;
}

/* The first of the emptiest slots; vertex: of those without a subtask of it (NULL: of all). */
static int emptiest(const builder *b, const slot_row *row,
                    const raski_execution_job_vertex *vertex) {
    int best = 0;
    size_t fewest = SIZE_MAX;
    for (int i = 0; i < row->count; i++) {
        size_t slot = row->first + (size_t)i;
        size_t count = b->sharing->groups.items[slot].tasks.count;
        if (count >= fewest || (vertex != NULL && has_subtask_of(b, slot, vertex))) continue;
        best = i;
        fewest = count;
    }
    return best;
}

static void place_balanced(builder *b, slot_row *row, const raski_execution_job_vertex *vertex) {
    bool fills_row = vertex->parallelism == row->count;
    int next = fills_row ? 0 : row->next;
    for (int s = 0; s < vertex->parallelism; s++) {
        size_t task = vertex->first_task + (size_t)s, constraint = 0;
        if (!constraint_of(b, vertex, s, &constraint)) {
            put(b, task, row->first + (size_t)next);
            next = (next + 1) % row->count;
            continue;
        }
        if (b->group_of_constraint[constraint] == NO_GROUP)
            b->group_of_constraint[constraint] =
                (long)(row->first + (size_t)emptiest(b, row, vertex));
        put(b, task, (size_t)b->group_of_constraint[constraint]);
    }
    if (fills_row) return;
    row->next = vertex->job_vertex->co_location_group != NULL ? emptiest(b, row, NULL) : next;
}

static void build_balanced(builder *b) {
    const raski_job_graph *graph = b->topology->job_graph;
    slot_row *rows = RASKI_NEW_ARRAY(slot_row, graph->slot_groups.count);
    for (size_t v = 0; v < b->topology->vertex_count; v++) {
        const raski_execution_job_vertex *vertex = &b->topology->vertices[v];
        slot_row *row = &rows[vertex->job_vertex->slot_group->index];
        if (vertex->parallelism > row->count) row->count = vertex->parallelism;
    }
    for (size_t g = 0; g < graph->slot_groups.count; g++) {
        rows[g].first = b->sharing->groups.count;
        for (int i = 0; i < rows[g].count; i++) (void)new_group(b, graph->slot_groups.items[g]);
    }
    for (size_t v = 0; v < b->topology->vertex_count; v++) {
        const raski_execution_job_vertex *vertex = &b->topology->vertices[v];
        if (vertex->parallelism > 0)
            place_balanced(b, &rows[vertex->job_vertex->slot_group->index], vertex);
    }
    raski_free(rows);
}

rask_status raski_slot_sharing_compute(const raski_execution_topology *topology,
                                       raski_slot_sharing_strategy strategy,
                                       raski_slot_sharing *ret_sharing, raski_error *err) {
    raski_slot_sharing sharing = {0};
    builder b = {.topology = topology, .sharing = &sharing};
    number_constraints(&b);
    rask_status status = check_regions(&b, err);
    if (status == RASK_OK) {
        sharing.group_of_task = RASKI_NEW_ARRAY(size_t, topology->task_count);
        if (strategy == RASKI_SLOT_SHARING_LOCAL_INPUT)
            build_local_input(&b);
        else
            build_balanced(&b);
        *ret_sharing = sharing;
    }
    raski_free(b.co_locations);
    raski_free(b.group_of_constraint);
    return status;
}

void raski_slot_sharing_fini(raski_slot_sharing *sharing) {
    for (size_t g = 0; g < sharing->groups.count; g++)
        raski_vec_free(&sharing->groups.items[g].tasks);
    raski_vec_free(&sharing->groups);
    raski_free(sharing->group_of_task);
    *sharing = (raski_slot_sharing){0};
}
