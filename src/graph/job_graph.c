#include "graph/job_graph.h"

#include <string.h>

#include "graph/job_graph_build.h"
#include "platform/memory.h"

static const struct {
    const char *name;
    bool reconsumable, must_be_pipelined, can_be_pipelined;
} result_types[] = {
    [RASKI_RESULT_BLOCKING] = {"BLOCKING", true, false, false},
    [RASKI_RESULT_BLOCKING_PERSISTENT] = {"BLOCKING_PERSISTENT", true, false, false},
    [RASKI_RESULT_PIPELINED] = {"PIPELINED", false, true, true},
    [RASKI_RESULT_PIPELINED_BOUNDED] = {"PIPELINED_BOUNDED", false, true, true},
    [RASKI_RESULT_PIPELINED_APPROXIMATE] = {"PIPELINED_APPROXIMATE", false, false, true},
    [RASKI_RESULT_HYBRID_FULL] = {"HYBRID_FULL", true, false, true},
    [RASKI_RESULT_HYBRID_SELECTIVE] = {"HYBRID_SELECTIVE", false, false, true},
};

const char *raski_result_type_name(raski_result_type type) {
    return result_types[type].name;
}

bool raski_result_type_must_be_pipelined(raski_result_type type) {
    return result_types[type].must_be_pipelined;
}

bool raski_result_type_can_be_pipelined(raski_result_type type) {
    return result_types[type].can_be_pipelined;
}

bool raski_result_type_is_blocking(raski_result_type type) {
    return type == RASKI_RESULT_BLOCKING || type == RASKI_RESULT_BLOCKING_PERSISTENT;
}

bool raski_result_type_is_hybrid(raski_result_type type) {
    return type == RASKI_RESULT_HYBRID_FULL || type == RASKI_RESULT_HYBRID_SELECTIVE;
}

bool raski_result_type_is_reconsumable(raski_result_type type) {
    return result_types[type].reconsumable;
}

const char *raski_distribution_name(raski_distribution distribution) {
    return distribution == RASKI_DISTRIBUTION_POINTWISE ? "POINTWISE" : "ALL_TO_ALL";
}

const char *raski_state_mapper_name(raski_state_mapper mapper) {
    static const char *const names[] = {"ARBITRARY", "FIRST",       "FULL",
                                        "RANGE",     "ROUND_ROBIN", "UNSUPPORTED"};
    return names[mapper];
}

/* ---- building ------------------------------------------------------------------------------- */

raski_job_graph *raski_job_graph_new(const char *name) {
    raski_job_graph *graph = RASKI_NEW(raski_job_graph);
    graph->arena = raski_arena_create_large(raski_memory_want_huge_pages);
    graph->name = raski_arena_strdup(graph->arena, name);
    graph->job_type = "STREAMING";
    raski_plan_config_init(&graph->config);
    return graph;
}

void raski_job_graph_destroy(raski_job_graph *graph) {
    if (graph == NULL) return;
    for (size_t i = 0; i < graph->vertices.count; i++) {
        raski_job_vertex *vertex = graph->vertices.items[i];
        for (size_t r = 0; r < vertex->results.count; r++)
            raski_vec_free(&vertex->results.items[r]->consumers);
        raski_vec_free(&vertex->results);
        raski_vec_free(&vertex->inputs);
    }
    for (size_t i = 0; i < graph->slot_groups.count; i++)
        raski_vec_free(&graph->slot_groups.items[i]->vertices);
    for (size_t i = 0; i < graph->co_location_groups.count; i++)
        raski_vec_free(&graph->co_location_groups.items[i]->vertices);
    raski_vec_free(&graph->vertices);
    raski_vec_free(&graph->sorted);
    raski_vec_free(&graph->slot_groups);
    raski_vec_free(&graph->co_location_groups);
    raski_map_free(&graph->results);
    raski_arena_destroy(graph->arena);
    raski_free(graph);
}

raski_job_vertex *raski_job_graph_add_vertex(raski_job_graph *graph, raski_id id,
                                             const char *name) {
    raski_job_vertex *vertex = raski_arena_calloc(graph->arena, sizeof *vertex);
    vertex->creation_index = graph->vertices.count;
    vertex->id = id;
    vertex->name = raski_arena_strdup(graph->arena, name);
    vertex->parallelism = RASKI_PARALLELISM_DEFAULT;
    vertex->max_parallelism = RASKI_PARALLELISM_DEFAULT;
    vertex->supports_concurrent_execution_attempts = true;
    raski_vec_push(&graph->vertices, vertex);
    return vertex;
}

static uint64_t result_key(const raski_job_vertex *vertex, raski_id id) {
    uint64_t half = 0;
    memcpy(&half, id.bytes, sizeof half);
    return half ^ (uint64_t)vertex->creation_index << 32;
}

enum { LISTED_RESULTS_MAX = 8 }; /* so few are found by looking at each */

static void map_result(raski_job_graph *graph, raski_data_set *data_set) {
    raski_map_put_number(&graph->results, result_key(data_set->producer, data_set->id), data_set);
}

static raski_data_set *find_result(const raski_job_graph *graph, const raski_job_vertex *vertex,
                                   raski_id id) {
    if (vertex->results.count > LISTED_RESULTS_MAX) {
        raski_data_set *found = raski_map_get_number(&graph->results, result_key(vertex, id));
        if (found == NULL) return NULL;
        if (found->producer == vertex && raski_id_equals(found->id, id)) return found;
    }
    for (size_t i = 0; i < vertex->results.count; i++) /* few, or keys collide */
        if (raski_id_equals(vertex->results.items[i]->id, id)) return vertex->results.items[i];
    return NULL;
}

raski_data_set *raski_job_vertex_result(raski_job_graph *graph, raski_job_vertex *vertex,
                                        raski_id id, raski_result_type type) {
    if (raski_result_type_is_blocking(type)) vertex->is_any_output_blocking = true;
    raski_data_set *data_set = find_result(graph, vertex, id);
    if (data_set != NULL) return data_set;
    data_set = raski_arena_calloc(graph->arena, sizeof *data_set);
    data_set->id = id;
    data_set->producer = vertex;
    data_set->index = vertex->results.count;
    data_set->type = type;
    raski_vec_push(&vertex->results, data_set);
    if (vertex->results.count == LISTED_RESULTS_MAX + 1) /* from now on by the map */
        for (size_t i = 0; i < LISTED_RESULTS_MAX; i++) map_result(graph, vertex->results.items[i]);
    if (vertex->results.count > LISTED_RESULTS_MAX) map_result(graph, data_set);
    return data_set;
}

static rask_status fix_pattern(raski_data_set *data_set, raski_distribution distribution,
                               bool is_broadcast, bool is_forward, raski_error *err) {
    if (!data_set->is_configured) {
        data_set->is_configured = true;
        data_set->distribution = distribution;
        data_set->is_broadcast = is_broadcast;
        data_set->is_forward = is_forward;
        return RASK_OK;
    }
    if (data_set->distribution != distribution)
        return RASKI_THROW(err, "IllegalStateException", "Incompatible distribution pattern.");
    if (data_set->is_broadcast != is_broadcast)
        return RASKI_THROW(err, "IllegalStateException", "Incompatible broadcast type.");
    if (data_set->is_forward != is_forward)
        return RASKI_THROW(err, "IllegalStateException", "Incompatible forward type.");
    return RASK_OK;
}

rask_status raski_data_set_configure(raski_data_set *data_set, raski_distribution distribution,
                                     bool is_broadcast, bool is_forward, raski_error *err) {
    if (data_set->consumers.count > 0)
        return RASKI_THROW(err, "IllegalStateException",
                           "The output job edges have already been added.");
    return fix_pattern(data_set, distribution, is_broadcast, is_forward, err);
}

rask_status raski_job_vertex_connect(raski_job_graph *graph, raski_job_vertex *target,
                                     raski_data_set *source, raski_distribution distribution,
                                     bool is_broadcast, bool is_forward, raski_job_edge **ret_edge,
                                     raski_error *err) {
    RASKI_TRY(fix_pattern(source, distribution, is_broadcast, is_forward, err));
    raski_job_edge *edge = raski_arena_calloc(graph->arena, sizeof *edge);
    edge->source = source;
    edge->target = target;
    edge->index = target->inputs.count;
    edge->distribution = distribution;
    edge->is_broadcast = is_broadcast;
    edge->is_forward = is_forward;
    raski_vec_push(&target->inputs, edge);
    raski_vec_push(&source->consumers, edge);
    *ret_edge = edge;
    return RASK_OK;
}

/* ---- topological order ---------------------------------------------------------------------- */

/* A place in the walk over the consumers of a vertex. */
typedef struct walk_step {
    raski_job_vertex *vertex;
    size_t result, consumer;
} walk_step;

typedef struct sorter {
    raski_job_graph *graph;
    bool *is_sorted; /* by creation index */
    RASKI_VEC(walk_step) stack;
} sorter;

static void take(sorter *s, raski_job_vertex *vertex) {
    s->is_sorted[vertex->creation_index] = true;
    vertex->index = s->graph->sorted.count;
    raski_vec_push(&s->graph->sorted, vertex);
}

/* Whether all producers of the edge's target, the one of the edge itself aside, are sorted. */
static bool is_ready(const sorter *s, const raski_job_edge *through) {
    const raski_job_vertex *vertex = through->target;
    for (size_t i = 0; i < vertex->inputs.count; i++) {
        const raski_job_edge *edge = vertex->inputs.items[i];
        if (edge != through && !s->is_sorted[edge->source->producer->creation_index]) return false;
    }
    return true;
}

/* Takes what becomes ready behind start, depth first (Flink's recursion, with a stack). */
static void follow(sorter *s, raski_job_vertex *start) {
    raski_vec_push(&s->stack, (walk_step){start, 0, 0});
    while (s->stack.count > 0) {
        walk_step *top = &s->stack.items[s->stack.count - 1];
        if (top->result == top->vertex->results.count) {
            s->stack.count--;
            continue;
        }
        const raski_data_set *data_set = top->vertex->results.items[top->result];
        if (top->consumer == data_set->consumers.count) {
            top->result++;
            top->consumer = 0;
            continue;
        }
        const raski_job_edge *edge = data_set->consumers.items[top->consumer++];
        if (s->is_sorted[edge->target->creation_index] || !is_ready(s, edge)) continue;
        take(s, edge->target);
        raski_vec_push(&s->stack, (walk_step){edge->target, 0, 0});
    }
}

rask_status raski_job_graph_sort(raski_job_graph *graph, raski_error *err) {
    sorter s = {.graph = graph, .is_sorted = RASKI_NEW_ARRAY(bool, graph->vertices.count)};
    graph->sorted.count = 0;
    for (size_t i = 0; i < graph->vertices.count; i++)
        if (graph->vertices.items[i]->inputs.count == 0) take(&s, graph->vertices.items[i]);
    for (size_t at = 0; at < graph->sorted.count && graph->sorted.count < graph->vertices.count;)
        follow(&s, graph->sorted.items[at++]);
    raski_vec_free(&s.stack);
    raski_free(s.is_sorted);
    if (graph->sorted.count < graph->vertices.count)
        return RASKI_THROW(err, "InvalidProgramException", "The job graph is cyclic.");
    return RASK_OK;
}

void raski_job_graph_number_groups(raski_job_graph *graph) {
    graph->slot_groups.count = 0;
    graph->co_location_groups.count = 0;
    for (size_t i = 0; i < graph->sorted.count; i++)
        if (graph->sorted.items[i]->slot_group != NULL)
            graph->sorted.items[i]->slot_group->vertices.count = 0;
    for (size_t i = 0; i < graph->sorted.count; i++) {
        raski_job_vertex *vertex = graph->sorted.items[i];
        raski_slot_group *slots = vertex->slot_group;
        if (slots != NULL && slots->vertices.count == 0) {
            slots->index = graph->slot_groups.count;
            raski_vec_push(&graph->slot_groups, slots);
        }
        if (slots != NULL) raski_vec_push(&slots->vertices, vertex);
        raski_co_location_group *co = vertex->co_location_group;
        bool known = false;
        for (size_t k = 0; co != NULL && k < graph->co_location_groups.count; k++)
            known |= graph->co_location_groups.items[k] == co;
        if (co != NULL && !known) {
            co->index = graph->co_location_groups.count;
            raski_vec_push(&graph->co_location_groups, co);
        }
    }
}

/* ---- looking things up ---------------------------------------------------------------------- */

raski_job_vertex *raski_job_graph_find_vertex(const raski_job_graph *graph, raski_id id) {
    for (size_t i = 0; i < graph->vertices.count; i++)
        if (raski_id_equals(graph->vertices.items[i]->id, id)) return graph->vertices.items[i];
    return NULL;
}

const raski_job_operator *raski_job_vertex_find_operator(const raski_job_vertex *vertex, int node) {
    for (size_t i = 0; i < vertex->operator_count; i++)
        if (vertex->operators[i].node == node) return &vertex->operators[i];
    return NULL;
}

/* ---- logical pipelined regions -------------------------------------------------------------- */

/* The representative of a set: its smallest member. Halves the path. */
static size_t find_root(size_t *parent, size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

size_t raski_job_graph_regions(const raski_job_graph *graph, size_t *ret_region_of) {
    size_t count = graph->sorted.count, regions = 0;
    size_t *parent = RASKI_NEW_ARRAY(size_t, count);
    for (size_t i = 0; i < count; i++) parent[i] = i;
    for (size_t i = 0; i < count; i++) {
        const raski_job_vertex *vertex = graph->sorted.items[i];
        for (size_t k = 0; k < vertex->inputs.count; k++) {
            const raski_data_set *source = vertex->inputs.items[k]->source;
            if (!raski_result_type_must_be_pipelined(source->type)) continue;
            size_t a = find_root(parent, i), b = find_root(parent, source->producer->index);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (size_t i = 0; i < count; i++) {
        size_t root = find_root(parent, i);
        ret_region_of[i] = root == i ? regions++ : ret_region_of[root];
    }
    raski_free(parent);
    return regions;
}
