/* stream_graph_chaining.c - may two operators run in one task?
 * Flink: the isChainable family of StreamingJobGraphGenerator. */
#include <string.h>

#include "graph/stream_graph.h"

rask_status raski_partitioner_is_chainable(const raski_partitioner *partitioner,
                                           raski_exchange_mode mode, bool dynamic,
                                           bool *ret_chainable, raski_error *err) {
    if (partitioner->kind == RASKI_PARTITIONER_FORWARD_FOR_CONSECUTIVE_HASH) {
        if (!dynamic) return RASKI_THROW(err, "IllegalStateException", "%s", "");
        *ret_chainable = true;
        return RASK_OK;
    }
    *ret_chainable = raski_partitioner_is_forward(partitioner) && mode != RASKI_EXCHANGE_BATCH;
    return RASK_OK;
}

/* All of the rule that looks at the two operators alone, but for legacy sources. */
static bool operators_fit(const raski_stream_graph *graph, const raski_stream_node *up,
                          const raski_stream_node *down, bool allow_default_parallelism) {
    if (up->factory.chaining == RASKI_CHAINING_NEVER) return false;
    switch (down->factory.chaining) {
        case RASKI_CHAINING_NEVER:
        case RASKI_CHAINING_HEAD:
            return false;
        case RASKI_CHAINING_HEAD_WITH_SOURCES:
            if (up->factory.role != RASKI_OPERATOR_SOURCE) return false;
            break;
        case RASKI_CHAINING_ALWAYS:
            break;
    }
    bool same_parallelism = up->parallelism == down->parallelism;
    if (allow_default_parallelism && (up->parallelism == RASKI_PARALLELISM_DEFAULT ||
                                      down->parallelism == RASKI_PARALLELISM_DEFAULT))
        same_parallelism = true;
    return same_parallelism && (graph->config.chaining_with_different_max_parallelism ||
                                up->max_parallelism == down->max_parallelism);
}

static bool same_slot_sharing_group(const raski_stream_node *a, const raski_stream_node *b) {
    if (a->slot_sharing_group == NULL || b->slot_sharing_group == NULL)
        return a->slot_sharing_group == b->slot_sharing_group;
    return strcmp(a->slot_sharing_group, b->slot_sharing_group) == 0;
}

/* The rule for one input of an operator that may have several. */
static rask_status is_chainable_input(raski_stream_graph *graph, const raski_stream_edge *edge,
                                      bool allow_default_parallelism, bool *ret_chainable,
                                      raski_error *err) {
    const raski_stream_node *up = edge->source, *down = edge->target;
    *ret_chainable = false;
    if (!graph->config.chaining || !same_slot_sharing_group(up, down)) return RASK_OK;
    if (down->factory.yielding) {
        raski_stream_node *head = NULL;
        RASKI_TRY(raski_stream_node_chain_head(graph, edge->source, &head, err));
        if (head->factory.role == RASKI_OPERATOR_LEGACY_SOURCE) return RASK_OK;
    }
    if (!operators_fit(graph, up, down, allow_default_parallelism)) return RASK_OK;
    bool chainable = false;
    RASKI_TRY(raski_partitioner_is_chainable(edge->partitioner, edge->exchange_mode, graph->dynamic,
                                             &chainable, err));
    for (size_t i = 0; chainable && i < down->in_edges.count; i++) {
        const raski_stream_edge *other = down->in_edges.items[i];
        if (other != edge && other->type_number == edge->type_number) chainable = false;
    }
    *ret_chainable = chainable;
    return RASK_OK;
}

rask_status raski_stream_edge_is_chainable(raski_stream_graph *graph, raski_stream_edge *edge,
                                           bool allow_default_parallelism, bool *ret_chainable,
                                           raski_error *err) {
    *ret_chainable = false;
    if (edge->target->in_edges.count != 1) return RASK_OK;
    return is_chainable_input(graph, edge, allow_default_parallelism, ret_chainable, err);
}

rask_status raski_stream_node_is_chainable_source(raski_stream_graph *graph,
                                                  raski_stream_node *node, bool *ret_chainable,
                                                  raski_error *err) {
    *ret_chainable = false;
    if (node->factory.role != RASKI_OPERATOR_SOURCE || node->out_edges.count != 1) return RASK_OK;
    const raski_stream_edge *edge = node->out_edges.items[0];
    if (edge->target->factory.chaining != RASKI_CHAINING_HEAD_WITH_SOURCES) return RASK_OK;
    return is_chainable_input(graph, edge, false, ret_chainable, err);
}

/* Does the chain go on above node? To know that, the head above may have to be known first (a
 * yielding operator asks for it), so that callers go up first and then down again. */
static bool has_single_input(const raski_stream_node *node) {
    return node->in_edges.count == 1;
}

rask_status raski_stream_node_chain_head(raski_stream_graph *graph, raski_stream_node *node,
                                         raski_stream_node **ret_head, raski_error *err) {
    rask_status status = RASK_OK;
    RASKI_VEC(raski_stream_node *) path = {0};
    for (raski_stream_node *n = node; n->chain_head == NULL; n = n->in_edges.items[0]->source) {
        raski_vec_push(&path, n);
        if (!has_single_input(n)) break;
    }
    while (path.count > 0) {
        raski_stream_node *n = path.items[--path.count];
        bool chainable = false;
        if (has_single_input(n))
            RASKI_TRY_GOTO(
                status,
                raski_stream_edge_is_chainable(graph, n->in_edges.items[0], false, &chainable, err),
                out);
        n->chain_head = chainable ? n->in_edges.items[0]->source->chain_head : n;
    }
    *ret_head = node->chain_head;
out:
    raski_vec_free(&path);
    return status;
}
