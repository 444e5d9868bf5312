#include "plan/plan_operators.h"

#include <string.h>

#include "types/key_group.h"

/* --- from a plan --------------------------------------------------------------------------------
 */

typedef struct lister {
    const raski_plan *plan;
    raski_plan_operators *list;
    raski_map places; /* node id -> place + 1 */
} lister;

static const char *keep(raski_arena *arena, const char *text) {
    return text != NULL ? raski_arena_strdup(arena, text) : NULL;
}

static void *number_value(size_t number) {
    return (void *)(uintptr_t)number; /* maps hold pointers */
}

static size_t place_of(const lister *l, int node) {
    return (size_t)(uintptr_t)raski_map_get_number(&l->places, (uint64_t)(uint32_t)node) - 1;
}

static void describe_node(const lister *l, const raski_stream_node *node, raski_plan_operator *op) {
    raski_arena *arena = l->list->arena;
    op->name = keep(arena, node->name);
    op->kind = raski_plan_kind_of(node);
    op->where = raski_plan_where(arena, node->transformation);
    op->node = node->id;
    op->uid = keep(arena, node->uid);
    op->has_user_id = node->user_hash != NULL && raski_id_from_hex(node->user_hash, &op->user_id);
    op->parallelism = node->parallelism;
    /* a batch job has no savepoints */
    op->states =
        l->plan->stream_graph->job_type == RASKI_JOB_BATCH ? 0 : raski_plan_states_of(node);
    if (node->key_selectors != NULL) op->key_type = keep(arena, node->key_type);
    op->sink_part = node->factory.role == RASKI_OPERATOR_SINK_WRITER ||
                    node->factory.role == RASKI_OPERATOR_COMMITTER ||
                    node->factory.role == RASKI_OPERATOR_GLOBAL_COMMITTER;
}

static void describe_edges(const lister *l, const raski_stream_node *node,
                           raski_plan_operator *op) {
    raski_arena *arena = l->list->arena;
    op->input_count = node->in_edges.count;
    op->inputs = raski_arena_calloc(arena, (op->input_count + 1) * sizeof *op->inputs);
    for (size_t i = 0; i < op->input_count; i++) {
        const raski_plan_edge *edge = raski_plan_edge_between(l->plan, node->in_edges.items[i]->id);
        RASKI_ASSERT(edge != NULL);
        op->inputs[i] = (raski_plan_input){
            .source = place_of(l, edge->edge->source->id),
            .exchange = edge->partitioner,
            .chained = edge->obstacles == 0,
            .obstacle = edge->obstacles == 0 ? NULL : keep(arena, edge->obstacles_text),
        };
    }
}

void raski_plan_operators_connect(raski_plan_operators *list) {
    size_t *counts = RASKI_NEW_ARRAY(size_t, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < list->items[i].input_count; k++)
            if (list->items[i].inputs[k].chained) counts[list->items[i].inputs[k].source]++;
    for (size_t i = 0; i < list->count; i++)
        list->items[i].chained_targets =
            raski_arena_calloc(list->arena, (counts[i] + 1) * sizeof(size_t));
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < list->items[i].input_count; k++) {
            if (!list->items[i].inputs[k].chained) continue;
            raski_plan_operator *source = &list->items[list->items[i].inputs[k].source];
            source->chained_targets[source->chained_target_count++] = i;
        }
    raski_free(counts);
}

/* Hashes are numbered in the order in which they are made; that order is kept. */
static void take_ids(const lister *l) {
    const raski_operator_hashes *hashes = &l->plan->hashes;
    for (size_t i = 0; i < hashes->order.count; i++) {
        int32_t node = hashes->order.items[i];
        raski_plan_operator *op = &l->list->items[place_of(l, node)];
        op->number = i;
        op->id = *raski_operator_hashes_get(hashes, node);
    }
}

raski_plan_operators *raski_plan_operators_new(const char *job_name, size_t count) {
    raski_plan_operators *list = RASKI_NEW(raski_plan_operators);
    list->arena = raski_arena_create(0);
    list->job_name = raski_arena_strdup(list->arena, job_name != NULL ? job_name : "");
    list->count = count;
    list->items = raski_arena_calloc(list->arena, (count + 1) * sizeof *list->items);
    return list;
}

static int resolved_max_parallelism(const raski_job_vertex *vertex) {
    int resolved = -1;
    if (vertex->max_parallelism > 0) return vertex->max_parallelism;
    if (vertex->parallelism <= 0 ||
        raski_default_max_parallelism(vertex->parallelism, &resolved, NULL) != RASK_OK)
        return -1;
    return resolved;
}

/* What the vertices decide. */
static void take_vertices(const lister *l) {
    const raski_job_graph *job_graph = l->plan->job_graph;
    for (size_t v = 0; v < job_graph->sorted.count; v++) {
        const raski_job_vertex *vertex = job_graph->sorted.items[v];
        int max_parallelism = resolved_max_parallelism(vertex);
        for (size_t i = 0; i < vertex->operator_count; i++) {
            raski_plan_operator *op = &l->list->items[place_of(l, vertex->operators[i].node)];
            op->vertex = vertex->index;
            op->is_chained_source = vertex->operators[i].chain_index == 0;
            op->parallelism = vertex->parallelism;
            op->max_parallelism = max_parallelism;
            op->max_parallelism_configured = vertex->max_parallelism > 0;
        }
    }
}

void raski_plan_operators_destroy(raski_plan_operators *list) {
    if (list == NULL) return;
    raski_arena_destroy(list->arena);
    raski_free(list);
}

/* --- the whole list -----------------------------------------------------------------------------
 */

raski_plan_operators *raski_plan_operators_create(const raski_plan *plan) {
    const raski_stream_graph *graph = plan->stream_graph;
    raski_stream_node **nodes = raski_stream_graph_nodes_by_id(graph);
    lister l = {.plan = plan,
                .list = raski_plan_operators_new(graph->job_name, graph->nodes.count)};
    for (size_t i = 0; i < l.list->count; i++) {
        raski_map_put_number(&l.places, (uint64_t)(uint32_t)nodes[i]->id, number_value(i + 1));
        describe_node(&l, nodes[i], &l.list->items[i]);
    }
    for (size_t i = 0; i < l.list->count; i++) describe_edges(&l, nodes[i], &l.list->items[i]);
    take_ids(&l);
    take_vertices(&l);
    raski_plan_operators_connect(l.list);
    raski_map_free(&l.places);
    raski_free(nodes);
    return l.list;
}
