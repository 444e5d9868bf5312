#include "graph/adaptive_graph.h"

#include <stdlib.h>

#include "graph/forward_group.h"
#include "graph/java_order.h"
#include "graph/job_graph_builder.h"

struct raski_adaptive_graph {
    raski_job_graph_builder builder;
    RASKI_VEC(raski_chain *) pending; /* entered, but not all that they read has finished */
    raski_map finished;               /* addresses of finished vertices */
    raski_map edges_of_data_set;      /* address of a raski_data_set -> edge_list */
};

typedef struct edge_list {
    RASKI_VEC(raski_stream_edge *) edges;
} edge_list;

/* ---- parallelisms --------------------------------------------------------------------------- */

static bool is_unfixed_forward(const raski_partitioner *partitioner) {
    return partitioner->kind == RASKI_PARTITIONER_FORWARD_FOR_CONSECUTIVE_HASH ||
           partitioner->kind == RASKI_PARTITIONER_FORWARD_FOR_UNSPECIFIED;
}

/* An edge inside a chain becomes forward before parallelisms are opened again. */
static rask_status fix_forward_edge(raski_stream_graph *graph, raski_stream_edge *edge,
                                    raski_error *err) {
    raski_partitioner_kind kind = edge->partitioner->kind;
    bool chainable = false;
    if (!is_unfixed_forward(edge->partitioner)) return RASK_OK;
    if (edge->source->is_source)
        RASKI_TRY(raski_stream_node_is_chainable_source(graph, edge->source, &chainable, err));
    if (!chainable) RASKI_TRY(raski_stream_edge_is_chainable(graph, edge, false, &chainable, err));
    if (!chainable) return RASK_OK;
    raski_stream_edge_set_partitioner(
        edge, raski_partitioner_create(graph->arena, RASKI_PARTITIONER_FORWARD));
    if (kind == RASKI_PARTITIONER_FORWARD_FOR_CONSECUTIVE_HASH &&
        edge->exchange_mode == RASKI_EXCHANGE_BATCH)
        edge->exchange_mode = RASKI_EXCHANGE_UNDEFINED;
    if (kind == RASKI_PARTITIONER_FORWARD_FOR_UNSPECIFIED) edge->intra_input_key_correlated = false;
    return RASK_OK;
}

static rask_status decide_groups(raski_stream_graph *graph, raski_error *err) {
    raski_map place = {0}; /* address of a node -> its place + 1 */
    raski_forward_groups groups;
    raski_forward_groups_init(&groups, graph->nodes.count);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const raski_stream_node *node = graph->nodes.items[i];
        raski_map_put_number(&place, (uintptr_t)node, (void *)(uintptr_t)(i + 1));
        groups.members[i].parallelism = node->parallelism;
        groups.members[i].max_parallelism = node->max_parallelism;
    }
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const raski_stream_node *node = graph->nodes.items[i];
        for (size_t k = 0; k < node->out_edges.count; k++) {
            const raski_stream_edge *edge = node->out_edges.items[k];
            if (edge->partitioner->kind != RASKI_PARTITIONER_FORWARD) continue;
            void *target = raski_map_get_number(&place, (uintptr_t)edge->target);
            raski_forward_groups_join(&groups, i, (size_t)(uintptr_t)target - 1);
        }
    }
    rask_status status = raski_forward_groups_decide(&groups, true, err);
    for (size_t i = 0; status == RASK_OK && i < graph->nodes.count; i++) {
        const raski_forward_group *group = raski_forward_groups_of(&groups, i);
        raski_stream_node *node = graph->nodes.items[i];
        if (group->parallelism > 0) {
            node->parallelism = group->parallelism;
            node->parallelism_configured = true;
        }
        if (group->max_parallelism > 0) node->max_parallelism = group->max_parallelism;
    }
    raski_forward_groups_fini(&groups);
    raski_map_free(&place);
    return status;
}

/* What was not configured is open again, but nodes joined by forward edges agree. */
static rask_status decide_parallelisms(raski_stream_graph *graph, raski_error *err) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        raski_stream_node *node = graph->nodes.items[i];
        for (size_t k = 0; k < node->out_edges.count; k++)
            RASKI_TRY(fix_forward_edge(graph, node->out_edges.items[k], err));
    }
    for (size_t i = 0; graph->config.auto_parallelism && i < graph->nodes.count; i++) {
        raski_stream_node *node = graph->nodes.items[i];
        if (!node->parallelism_configured) node->parallelism = RASKI_PARALLELISM_DEFAULT;
    }
    return decide_groups(graph, err);
}

/* ---- which chains can be made --------------------------------------------------------------- */

static int compare_chains(const void *a, const void *b) {
    int x = (*(raski_chain *const *)a)->start->id, y = (*(raski_chain *const *)b)->start->id;
    return (x > y) - (x < y);
}

static void add_pending(raski_adaptive_graph *graph, raski_chain *chain) {
    for (size_t i = 0; i < graph->pending.count; i++)
        if (graph->pending.items[i] == chain) return;
    raski_vec_push(&graph->pending, chain);
}

static rask_status enter_node(raski_adaptive_graph *graph, raski_stream_node *node,
                              raski_error *err) {
    raski_job_graph_builder *builder = &graph->builder;
    bool chained = false;
    if (node->is_source)
        RASKI_TRY(
            raski_stream_node_is_chainable_source(builder->stream_graph, node, &chained, err));
    if (!chained) {
        add_pending(graph, raski_builder_chain_at(builder, node));
        return RASK_OK;
    }
    RASKI_TRY(raski_builder_hash_node(builder, node, err));
    RASKI_TRY(raski_builder_add_chained_source(builder, node, err));
    add_pending(graph, raski_builder_chain_at(builder, node->out_edges.items[0]->target));
    return RASK_OK;
}

static bool is_ready(const raski_adaptive_graph *graph, const raski_chain *chain) {
    if (chain->vertex != NULL) return false;
    for (size_t i = 0; i < chain->start->in_edges.count; i++) {
        int source = chain->start->in_edges.items[i]->source->id;
        const raski_chain_operator *op = raski_builder_operator_at(&graph->builder, source);
        if (op == NULL) return false;
        if (op->chain == chain) continue; /* a source chained into it */
        if (op->chain->vertex == NULL ||
            !raski_map_has_number(&graph->finished, (uintptr_t)op->chain->vertex))
            return false;
    }
    return true;
}

static rask_status create_ready_chains(raski_adaptive_graph *graph, raski_error *err) {
    size_t kept = 0, count = 0;
    if (graph->pending.count == 0) return RASK_OK;
    raski_chain **ready =
        raski_arena_alloc(graph->builder.scratch, graph->pending.count * sizeof(raski_chain *));
    for (size_t i = 0; i < graph->pending.count; i++) {
        raski_chain *chain = graph->pending.items[i];
        if (is_ready(graph, chain))
            ready[count++] = chain;
        else
            graph->pending.items[kept++] = chain;
    }
    graph->pending.count = kept;
    qsort(ready, count, sizeof *ready, compare_chains);
    for (size_t i = 0; i < count; i++) {
        RASKI_TRY(raski_builder_create_chains(&graph->builder, ready[i], err));
        for (size_t k = 0; k < ready[i]->start->in_edges.count; k++) {
            raski_stream_edge *edge = ready[i]->start->in_edges.items[k];
            if (raski_builder_operator_at(&graph->builder, edge->source->id)->chain != ready[i])
                raski_vec_push(&ready[i]->in_edges, edge);
        }
    }
    return RASK_OK;
}

/* ---- results and edges ---------------------------------------------------------------------- */

/* The consumer is still to come: the result waits for it. */
static rask_status promise_edge(raski_adaptive_graph *graph, raski_chain *chain,
                                raski_stream_edge *edge, raski_network_output *output,
                                raski_error *err) {
    raski_data_set *data_set = raski_builder_result_of(&graph->builder, chain, output);
    RASKI_TRY(raski_data_set_configure(data_set,
                                       raski_partitioner_is_pointwise(edge->partitioner)
                                           ? RASKI_DISTRIBUTION_POINTWISE
                                           : RASKI_DISTRIBUTION_ALL_TO_ALL,
                                       raski_partitioner_is_broadcast(edge->partitioner),
                                       edge->partitioner->kind == RASKI_PARTITIONER_FORWARD, err));
    data_set->edges_to_create++;
    edge_list *list = raski_map_get_number(&graph->edges_of_data_set, (uintptr_t)data_set);
    if (list == NULL) {
        list = RASKI_NEW(edge_list);
        raski_map_put_number(&graph->edges_of_data_set, (uintptr_t)data_set, list);
    }
    raski_vec_push(&list->edges, edge);
    return RASK_OK;
}

static rask_status connect_phase(raski_adaptive_graph *graph, raski_error *err) {
    raski_job_graph_builder *builder = &graph->builder;
    raski_job_edge *job_edge = NULL;
    for (size_t i = 0; i < builder->phase_chains.count; i++) {
        raski_chain *chain = builder->phase_chains.items[i];
        for (size_t k = 0; k < chain->out_edges.count; k++) {
            raski_stream_edge *edge = chain->out_edges.items[k];
            raski_network_output *output = raski_builder_output_of_edge(builder, edge);
            RASKI_TRY(promise_edge(graph, chain, edge, output, err));
        }
    }
    for (size_t i = 0; i < builder->phase_chains.count; i++) {
        raski_chain *chain = builder->phase_chains.items[i];
        for (size_t k = 0; k < chain->in_edges.count; k++) {
            raski_stream_edge *edge = chain->in_edges.items[k];
            RASKI_TRY(raski_builder_connect(
                builder, raski_builder_operator_at(builder, edge->source->id)->chain, edge,
                raski_builder_output_of_edge(builder, edge), &job_edge, err));
        }
    }
    return RASK_OK;
}

static rask_status grow(raski_adaptive_graph *graph, raski_error *err) {
    graph->builder.phase_chains.count = 0;
    graph->builder.physical_edges.count = 0;
    RASKI_TRY(create_ready_chains(graph, err));
    if (graph->builder.phase_chains.count == 0) return RASK_OK;
    raski_builder_choose_outputs(&graph->builder);
    RASKI_TRY(connect_phase(graph, err));
    RASKI_TRY(raski_job_graph_builder_complete_phase(&graph->builder, err));
    raski_job_graph_builder_finish(&graph->builder);
    return RASK_OK;
}

/* ---- the beginning -------------------------------------------------------------------------- */

/* A source and where java.util.HashSet keeps it: Flink walks the set of sources, and the order
 * shows in the hashes of chained sources. */
typedef struct source_slot {
    raski_stream_node *node;
    size_t bucket, added;
} source_slot;

static int compare_slots(const void *a, const void *b) {
    const source_slot *x = a, *y = b;
    if (x->bucket != y->bucket) return x->bucket < y->bucket ? -1 : 1;
    return x->added < y->added ? -1 : x->added > y->added;
}

static rask_status enter_sources(raski_adaptive_graph *graph, raski_error *err) {
    const raski_stream_graph *stream_graph = graph->builder.stream_graph;
    source_slot *slots =
        raski_arena_calloc(graph->builder.scratch, (stream_graph->nodes.count + 1) * sizeof *slots);
    size_t count = 0;
    for (size_t i = 0; i < stream_graph->nodes.count; i++)
        if (stream_graph->nodes.items[i]->is_source)
            slots[count++].node = stream_graph->nodes.items[i];
    for (size_t i = 0; i < count; i++) {
        slots[i].bucket = raski_java_bucket(slots[i].node->id, count);
        slots[i].added = i;
    }
    qsort(slots, count, sizeof *slots, compare_slots);
    for (size_t i = 0; i < count; i++) RASKI_TRY(enter_node(graph, slots[i].node, err));
    return RASK_OK;
}

static rask_status begin(raski_adaptive_graph *graph, raski_error *err) {
    raski_stream_graph *stream_graph = graph->builder.stream_graph;
    RASKI_TRY(raski_job_graph_check_stream_graph(stream_graph, err));
    if (stream_graph->dynamic) RASKI_TRY(decide_parallelisms(stream_graph, err));
    RASKI_TRY(enter_sources(graph, err));
    return grow(graph, err);
}

rask_status raski_adaptive_graph_create(raski_stream_graph *stream_graph, raski_id job_id,
                                        raski_adaptive_graph **ret_graph, raski_error *err) {
    raski_adaptive_graph *graph = RASKI_NEW(raski_adaptive_graph);
    raski_job_graph_builder_init(&graph->builder, stream_graph, job_id);
    graph->builder.is_adaptive = true;
    rask_status status = begin(graph, err);
    if (status == RASK_OK)
        *ret_graph = graph;
    else
        raski_adaptive_graph_destroy(graph);
    return status;
}

void raski_adaptive_graph_destroy(raski_adaptive_graph *graph) {
    if (graph == NULL) return;
    for (size_t i = 0; i < graph->edges_of_data_set.count; i++) {
        edge_list *list = graph->edges_of_data_set.entries[i].value;
        raski_vec_free(&list->edges);
        raski_free(list);
    }
    raski_map_free(&graph->edges_of_data_set);
    raski_map_free(&graph->finished);
    raski_vec_free(&graph->pending);
    raski_job_graph_destroy(graph->builder.graph);
    raski_job_graph_builder_fini(&graph->builder);
    raski_free(graph);
}

/* ---- growth --------------------------------------------------------------------------------- */

const raski_job_graph *raski_adaptive_graph_job_graph(const raski_adaptive_graph *graph) {
    return graph->builder.graph;
}

rask_status raski_adaptive_graph_vertex_finished(raski_adaptive_graph *graph,
                                                 const raski_job_vertex *vertex,
                                                 size_t *ret_created, raski_error *err) {
    raski_map_put_number(&graph->finished, (uintptr_t)vertex, graph);
    for (size_t i = 0; i < vertex->results.count; i++) {
        const edge_list *list =
            raski_map_get_number(&graph->edges_of_data_set, (uintptr_t)vertex->results.items[i]);
        for (size_t k = 0; list != NULL && k < list->edges.count; k++)
            RASKI_TRY(enter_node(graph, list->edges.items[k]->target, err));
    }
    size_t before = graph->builder.graph->vertices.count;
    RASKI_TRY(grow(graph, err));
    *ret_created = graph->builder.graph->vertices.count - before;
    return RASK_OK;
}

size_t raski_adaptive_graph_pending_operators(const raski_adaptive_graph *graph) {
    size_t pending = graph->builder.stream_graph->nodes.count;
    for (size_t i = 0; i < graph->builder.operators.capacity; i++) {
        const raski_chain_operator *op = graph->builder.operators.items[i];
        if (op != NULL && op->chain->vertex != NULL) pending--;
    }
    return pending;
}
