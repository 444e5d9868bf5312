/* stream_graph.c - the graph as a structure: nodes, edges, names. */
#include "graph/stream_graph.h"

#include <stdlib.h>
#include <string.h>

#include "graph/stream_graph_private.h"

const char *raski_job_type_name(raski_job_type type) {
    return type == RASKI_JOB_BATCH ? "BATCH" : "STREAMING";
}

const char *raski_global_exchange_mode_name(raski_global_exchange_mode mode) {
    static const char *const names[] = {
        "ALL_EDGES_BLOCKING",        "FORWARD_EDGES_PIPELINED",         "POINTWISE_EDGES_PIPELINED",
        "ALL_EDGES_PIPELINED",       "ALL_EDGES_PIPELINED_APPROXIMATE", "ALL_EDGES_HYBRID_FULL",
        "ALL_EDGES_HYBRID_SELECTIVE"};
    return names[mode];
}

const char *raski_task_class_name(raski_task_class task_class) {
    static const char *const names[] = {"SourceOperatorStreamTask", "SourceStreamTask",
                                        "OneInputStreamTask", "TwoInputStreamTask",
                                        "MultipleInputStreamTask"};
    return names[task_class];
}

void raski_stream_graph_destroy(raski_stream_graph *graph_take) {
    if (graph_take == NULL) return;
    for (size_t i = 0; i < graph_take->nodes.count; i++) {
        raski_vec_free(&graph_take->nodes.items[i]->in_edges);
        raski_vec_free(&graph_take->nodes.items[i]->out_edges);
    }
    raski_vec_free(&graph_take->nodes);
    raski_vec_free(&graph_take->slot_sharing_groups);
    raski_id_table_free(&graph_take->by_id);
    raski_arena_destroy(graph_take->arena);
    raski_free(graph_take);
}

raski_stream_node *raski_stream_graph_node(const raski_stream_graph *graph, int32_t id) {
    return raski_id_table_get(&graph->by_id, id);
}

static int compare_ids(const void *a, const void *b) {
    const raski_stream_node *const *x = a, *const *y = b;
    return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

raski_stream_node **raski_stream_graph_nodes_by_id(const raski_stream_graph *graph) {
    raski_stream_node **nodes = RASKI_NEW_ARRAY(raski_stream_node *, graph->nodes.count + 1);
    for (size_t i = 0; i < graph->nodes.count; i++) nodes[i] = graph->nodes.items[i];
    qsort(nodes, graph->nodes.count, sizeof(raski_stream_node *), compare_ids);
    return nodes;
}

const raski_resource_spec *raski_stream_graph_slot_sharing_group_resources(
    const raski_stream_graph *graph, const char *group) {
    for (size_t i = 0; i < graph->slot_sharing_groups.count; i++)
        if (strcmp(graph->slot_sharing_groups.items[i].name, group) == 0)
            return &graph->slot_sharing_groups.items[i].resources;
    return NULL;
}

raski_stream_node *raski_stream_graph_add_node(raski_stream_graph *graph, int32_t id,
                                               const char *name, const char *slot_sharing_group,
                                               raski_task_class task_class,
                                               const raski_operator_factory *factory) {
    RASKI_ASSERT(raski_stream_graph_node(graph, id) == NULL);
    raski_stream_node *node = raski_arena_calloc(graph->arena, sizeof *node);
    node->id = id;
    node->name = name;
    node->description = name;
    node->max_parallelism = -1;
    node->slot_sharing_group = slot_sharing_group;
    node->task_class = task_class;
    node->factory = *factory;
    node->supports_concurrent_execution_attempts = true;
    raski_vec_push(&graph->nodes, node);
    raski_id_table_put(&graph->by_id, id, node);
    return node;
}

void raski_stream_edge_set_partitioner(raski_stream_edge *edge, raski_partitioner *partitioner) {
    edge->partitioner = partitioner;
    if (raski_partitioner_is_pointwise(partitioner)) {
        edge->intra_input_key_correlated =
            raski_partitioner_is_forward(partitioner) &&
            partitioner->kind != RASKI_PARTITIONER_FORWARD_FOR_UNSPECIFIED;
        edge->inter_inputs_keys_correlated = false;
    } else {
        bool correlated = partitioner->kind != RASKI_PARTITIONER_REBALANCE;
        edge->intra_input_key_correlated = correlated;
        edge->inter_inputs_keys_correlated = correlated;
    }
}

const char *raski_stream_edge_text(raski_stream_graph *graph, const raski_stream_edge *edge) {
    const char *tag = "null";
    if (edge->side_output_tag)
        tag = raski_arena_format(graph->arena, "OutputTag(%s, %s)",
                                 edge->side_output_type ? edge->side_output_type : "null",
                                 edge->side_output_tag);
    return raski_arena_format(
        graph->arena,
        "(%s-%d -> %s-%d, typeNumber=%d, outputPartitioner=%s, exchangeMode=%s, "
        "bufferTimeout=%jd, outputTag=%s, uniqueId=%d)",
        edge->source->name, edge->source->id, edge->target->name, edge->target->id,
        edge->type_number, raski_partitioner_text(edge->partitioner),
        raski_exchange_mode_name(edge->exchange_mode), (intmax_t)edge->buffer_timeout_ms, tag,
        edge->unique_id);
}

/* How many edges there are between the two already; looks at the shorter list. */
static int32_t count_edges(const raski_stream_node *source, const raski_stream_node *target) {
    int32_t count = 0;
    if (source->out_edges.count < target->in_edges.count) {
        for (size_t i = 0; i < source->out_edges.count; i++)
            if (source->out_edges.items[i]->target == target) count++;
    } else {
        for (size_t i = 0; i < target->in_edges.count; i++)
            if (target->in_edges.items[i]->source == source) count++;
    }
    return count;
}

static rask_status choose_partitioner(raski_stream_graph *graph, const raski_edge_origin *origin,
                                      const raski_stream_node *target,
                                      raski_partitioner **ret_partitioner, raski_error *err) {
    raski_partitioner *partitioner = origin->partitioner;
    bool same_parallelism = origin->node->parallelism == target->parallelism;
    if (partitioner == NULL) {
        raski_partitioner_kind kind = RASKI_PARTITIONER_REBALANCE;
        if (same_parallelism)
            kind = graph->dynamic ? RASKI_PARTITIONER_FORWARD_FOR_UNSPECIFIED
                                  : RASKI_PARTITIONER_FORWARD;
        partitioner = raski_partitioner_create(graph->arena, kind);
    }
    if (raski_partitioner_is_forward(partitioner) && !same_parallelism) {
        if (partitioner->kind != RASKI_PARTITIONER_FORWARD_FOR_CONSECUTIVE_HASH)
            return RASKI_THROW(
                err, "UnsupportedOperationException",
                "Forward partitioning does not allow change of parallelism. Upstream operation: "
                "%s-%d parallelism: %d, downstream operation: %s-%d parallelism: %d You must use "
                "another partitioning strategy, such as broadcast, rebalance, shuffle or global.",
                origin->node->name, origin->node->id, origin->node->parallelism, target->name,
                target->id, target->parallelism);
        partitioner = partitioner->hash;
    }
    *ret_partitioner = partitioner;
    return RASK_OK;
}

static char *put_text(char *at, const char *text, size_t length) {
    memcpy(at, text, length);
    return at + length;
}

static char *put_number(char *at, char before, int32_t number) {
    enum { DIGITS_MAX = 12 };
    char digits[DIGITS_MAX];
    size_t first = DIGITS_MAX;
    uint32_t rest = number < 0 ? 0U - (uint32_t)number : (uint32_t)number;
    do digits[--first] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0) digits[--first] = '-';
    *at++ = before;
    return put_text(at, digits + first, DIGITS_MAX - first);
}

/* "source-1_target-2_0_FORWARD_0". By hand: printf would be a tenth of all planning. */
static const char *edge_id(raski_arena *arena, const raski_stream_edge *edge,
                           const char *partitioner) {
    enum { NUMBERS_SIZE = 4 * 12 + 3 };
    size_t source = strlen(edge->source->name), target = strlen(edge->target->name);
    size_t last = strlen(partitioner);
    char *id = raski_arena_alloc(arena, source + target + last + NUMBERS_SIZE);
    char *at = put_text(id, edge->source->name, source);
    at = put_number(at, '-', edge->source->id);
    *at++ = '_';
    at = put_text(at, edge->target->name, target);
    at = put_number(at, '-', edge->target->id);
    at = put_number(at, '_', edge->type_number);
    *at++ = '_';
    at = put_text(at, partitioner, last);
    at = put_number(at, '_', edge->unique_id);
    *at = '\0';
    return id;
}

rask_status raski_stream_graph_add_edge(raski_stream_graph *graph, const raski_edge_origin *origin,
                                        raski_stream_node *target, int32_t type_number,
                                        const char *cache_data_set, raski_error *err) {
    raski_partitioner *partitioner = NULL;
    RASKI_TRY(choose_partitioner(graph, origin, target, &partitioner, err));
    raski_stream_node *source = origin->node;
    raski_stream_edge *edge = raski_arena_calloc(graph->arena, sizeof *edge);
    edge->source = source;
    edge->target = target;
    edge->number = graph->edge_count++;
    edge->unique_id = count_edges(source, target);
    edge->type_number = type_number;
    edge->side_output_tag = origin->side_output_tag;
    edge->side_output_type = origin->side_output_type;
    edge->exchange_mode =
        origin->has_exchange_mode ? origin->exchange_mode : RASKI_EXCHANGE_UNDEFINED;
    edge->buffer_timeout_ms = source->buffer_timeout_ms;
    edge->supports_unaligned_checkpoints = true;
    edge->cache_data_set = cache_data_set;
    edge->id = edge_id(graph->arena, edge, raski_partitioner_text(partitioner));
    raski_stream_edge_set_partitioner(edge, partitioner);
    raski_vec_push(&source->out_edges, edge);
    raski_vec_push(&target->in_edges, edge);
    return RASK_OK;
}
