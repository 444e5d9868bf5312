#include "executiongraph/pipelined_regions.h"

/* A directed edge between sets of subtasks: to must wait for from. */
typedef struct wait_edge {
    size_t from, to;
} wait_edge;

typedef struct builder {
    raski_execution_topology *topology;
    size_t *logical; /* logical region by vertex index */
    bool *is_whole;  /* by logical region: it is one region */
    size_t *parent;  /* by task: union-find, the smallest task of a set is its root */
    RASKI_VEC(wait_edge) waits;
} builder;

static size_t find_root(size_t *parent, size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void unite(builder *b, size_t first, size_t second) {
    size_t x = find_root(b->parent, first), y = find_root(b->parent, second);
    b->parent[x > y ? x : y] = x > y ? y : x;
}

static bool is_inside(const builder *b, const raski_job_edge *edge) {
    return b->logical[edge->source->producer->index] == b->logical[edge->target->index];
}

static void mark_whole_regions(builder *b) {
    const raski_job_graph *graph = b->topology->job_graph;
    for (size_t i = 0; i < graph->sorted.count; i++) {
        const raski_job_vertex *vertex = graph->sorted.items[i];
        for (size_t k = 0; k < vertex->inputs.count; k++) {
            const raski_job_edge *edge = vertex->inputs.items[k];
            if (edge->distribution == RASKI_DISTRIBUTION_ALL_TO_ALL && is_inside(b, edge))
                b->is_whole[b->logical[i]] = true;
        }
    }
}

static void unite_whole_regions(builder *b, size_t *first_task_of) {
    for (size_t i = 0; i < b->topology->vertex_count; i++) {
        const raski_execution_job_vertex *vertex = &b->topology->vertices[i];
        size_t region = b->logical[i];
        if (!vertex->is_initialized || !b->is_whole[region]) continue;
        if (first_task_of[region] == SIZE_MAX) first_task_of[region] = vertex->first_task;
        for (int s = 0; s < vertex->parallelism; s++)
            unite(b, first_task_of[region], vertex->first_task + (size_t)s);
    }
}

/* Groups of a pointwise edge have one partition or one consumer, so the loops are linear. */
static void join_group(builder *b, const raski_execution_job_vertex *vertex,
                       const raski_partition_group *group, bool together) {
    size_t producers = b->topology->vertices[group->edge->source->producer->index].first_task;
    for (int p = group->partitions.first; p <= group->partitions.last; p++) {
        for (int c = group->consumers.first; c <= group->consumers.last; c++) {
            size_t from = producers + (size_t)p, to = vertex->first_task + (size_t)c;
            if (together)
                unite(b, from, to);
            else
                raski_vec_push(&b->waits, (wait_edge){from, to});
        }
    }
}

static void join_pointwise_regions(builder *b) {
    for (size_t i = 0; i < b->topology->vertex_count; i++) {
        const raski_execution_job_vertex *vertex = &b->topology->vertices[i];
        if (!vertex->is_initialized || b->is_whole[b->logical[i]]) continue;
        for (size_t k = 0; k < vertex->job_vertex->inputs.count; k++) {
            const raski_execution_edge *edge = &vertex->inputs[k];
            if (!is_inside(b, edge->job_edge)) continue;
            bool together = raski_result_type_must_be_pipelined(edge->job_edge->source->type);
            for (size_t g = 0; g < edge->group_count; g++)
                join_group(b, vertex, &edge->groups[g], together);
        }
    }
}

/* ---- regions that wait for each other in a circle ------------------------------------------- */

/* Tarjan's algorithm with its own stack; a frame is a set and its next edge. */
typedef struct circle_finder {
    const size_t *edge_start, *edge_to; /* edges of set i: edge_to[edge_start[i]..[i + 1]] */
    size_t *number, *low;               /* 0: not visited */
    bool *on_path;
    size_t count;
    RASKI_VEC(size_t) path;
    RASKI_VEC(wait_edge) frames; /* from: the set; to: place of its next edge */
} circle_finder;

static void visit(circle_finder *f, size_t set) {
    f->number[set] = f->low[set] = ++f->count;
    f->on_path[set] = true;
    raski_vec_push(&f->path, set);
    raski_vec_push(&f->frames, (wait_edge){set, f->edge_start[set]});
}

static void leave(circle_finder *f, builder *b, size_t set) {
    f->frames.count--;
    if (f->frames.count > 0) {
        size_t before = f->frames.items[f->frames.count - 1].from;
        if (f->low[set] < f->low[before]) f->low[before] = f->low[set];
    }
    if (f->low[set] != f->number[set]) return;
    for (size_t member = SIZE_MAX; member != set;) {
        member = f->path.items[--f->path.count];
        f->on_path[member] = false;
        unite(b, set, member);
    }
}

static void find_circles_from(circle_finder *f, builder *b, size_t start) {
    visit(f, start);
    while (f->frames.count > 0) {
        wait_edge *frame = &f->frames.items[f->frames.count - 1];
        size_t set = frame->from;
        if (frame->to == f->edge_start[set + 1]) {
            leave(f, b, set);
            continue;
        }
        size_t next = f->edge_to[frame->to++];
        if (f->number[next] == 0)
            visit(f, next);
        else if (f->on_path[next] && f->number[next] < f->low[set])
            f->low[set] = f->number[next];
    }
}

static void merge_circles(builder *b) {
    if (b->waits.count == 0) return;
    size_t tasks = b->topology->task_count;
    size_t *start = RASKI_NEW_ARRAY(size_t, tasks + 2);
    size_t *to = RASKI_NEW_ARRAY(size_t, b->waits.count);
    for (size_t i = 0; i < b->waits.count; i++) {
        wait_edge *wait = &b->waits.items[i];
        wait->from = find_root(b->parent, wait->from);
        wait->to = find_root(b->parent, wait->to);
        start[wait->from + 2]++;
    }
    for (size_t i = 2; i <= tasks + 1; i++) start[i] += start[i - 1];
    for (size_t i = 0; i < b->waits.count; i++)
        to[start[b->waits.items[i].from + 1]++] = b->waits.items[i].to;
    circle_finder f = {.edge_start = start,
                       .edge_to = to,
                       .number = RASKI_NEW_ARRAY(size_t, tasks),
                       .low = RASKI_NEW_ARRAY(size_t, tasks),
                       .on_path = RASKI_NEW_ARRAY(bool, tasks)};
    for (size_t i = 0; i < b->waits.count; i++)
        if (f.number[b->waits.items[i].from] == 0) find_circles_from(&f, b, b->waits.items[i].from);
    raski_vec_free(&f.path);
    raski_vec_free(&f.frames);
    raski_free(f.number);
    raski_free(f.low);
    raski_free(f.on_path);
    raski_free(start);
    raski_free(to);
}

/* ---- numbering ------------------------------------------------------------------------------ */

static void number_regions(builder *b) {
    raski_execution_topology *t = b->topology;
    t->region_of_task = raski_arena_alloc(t->arena, (t->task_count + 1) * sizeof(size_t));
    t->region_count = 0;
    for (size_t i = 0; i < t->task_count; i++) {
        size_t root = find_root(b->parent, i);
        t->region_of_task[i] = root == i ? t->region_count++ : t->region_of_task[root];
    }
    t->regions = raski_arena_calloc(t->arena, (t->region_count + 1) * sizeof *t->regions);
    size_t *tasks = raski_arena_alloc(t->arena, (t->task_count + 1) * sizeof(size_t));
    for (size_t i = 0; i < t->task_count; i++) t->regions[t->region_of_task[i]].task_count++;
    for (size_t r = 0; r < t->region_count; r++) {
        t->regions[r].tasks = tasks;
        tasks += t->regions[r].task_count;
        t->regions[r].task_count = 0;
    }
    for (size_t i = 0; i < t->task_count; i++) {
        raski_pipelined_region *region = &t->regions[t->region_of_task[i]];
        region->tasks[region->task_count++] = i;
    }
}

static rask_status check_co_location(const raski_execution_topology *t, raski_error *err) {
    for (size_t g = 0; g < t->job_graph->co_location_groups.count; g++) {
        const raski_co_location_group *group = t->job_graph->co_location_groups.items[g];
        for (size_t i = 0; i < group->vertices.count; i++) {
            const raski_execution_job_vertex *a = &t->vertices[group->vertices.items[i]->index];
            for (size_t k = 0; a->is_initialized && k < i; k++) {
                const raski_execution_job_vertex *b = &t->vertices[group->vertices.items[k]->index];
                if (!b->is_initialized) continue;
                for (int s = 0; s < a->parallelism && s < b->parallelism; s++)
                    if (t->region_of_task[a->first_task + (size_t)s] !=
                        t->region_of_task[b->first_task + (size_t)s])
                        return RASKI_THROW(err, "IllegalStateException",
                                           "co-located tasks must be in the same pipelined region");
            }
        }
    }
    return RASK_OK;
}

rask_status raski_pipelined_regions_compute(raski_execution_topology *topology, raski_error *err) {
    builder b = {.topology = topology};
    b.logical = RASKI_NEW_ARRAY(size_t, topology->vertex_count);
    size_t logical_count = raski_job_graph_regions(topology->job_graph, b.logical);
    b.is_whole = RASKI_NEW_ARRAY(bool, logical_count);
    b.parent = RASKI_NEW_ARRAY(size_t, topology->task_count);
    size_t *first_task_of = RASKI_NEW_ARRAY(size_t, logical_count);
    for (size_t i = 0; i < logical_count; i++) first_task_of[i] = SIZE_MAX;
    for (size_t i = 0; i < topology->task_count; i++) b.parent[i] = i;
    mark_whole_regions(&b);
    unite_whole_regions(&b, first_task_of);
    join_pointwise_regions(&b);
    merge_circles(&b);
    number_regions(&b);
    raski_vec_free(&b.waits);
    raski_free(first_task_of);
    raski_free(b.logical);
    raski_free(b.is_whole);
    raski_free(b.parent);
    return check_co_location(topology, err);
}
