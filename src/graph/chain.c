/* Which operators run in one task. Flink: StreamingJobGraphGenerator.createChain, whose recursion
 * is a stack here: a program may chain many thousands of operators. */
#include "graph/job_graph_builder.h"

/* Where the walk is in an operator. */
typedef struct walk_frame {
    raski_chain_operator *op;
    size_t next_chainable, next_non_chainable;
    bool silent_at_entry;                /* no output until the end of input: spreads downstream */
    raski_stream_node *visited_in_chain; /* to look at when the walk comes back, or NULL */
} walk_frame;

typedef struct walk {
    raski_job_graph_builder *builder;
    RASKI_VEC(walk_frame) frames;
} walk;

raski_chain *raski_builder_chain_at(raski_job_graph_builder *builder, raski_stream_node *node) {
    raski_chain *chain = raski_id_table_get(&builder->chains, node->id);
    if (chain != NULL) return chain;
    chain = raski_arena_calloc(builder->scratch, sizeof *chain);
    chain->start = node;
    raski_id_table_put(&builder->chains, node->id, chain);
    raski_vec_push(&builder->all_chains, chain);
    return chain;
}

raski_job_vertex *raski_builder_vertex_at(const raski_job_graph_builder *builder, int node_id) {
    const raski_chain *chain = raski_id_table_get(&builder->chains, node_id);
    return chain ? chain->vertex : NULL;
}

raski_chain_operator *raski_builder_operator_at(const raski_job_graph_builder *builder,
                                                int node_id) {
    return raski_id_table_get(&builder->operators, node_id);
}

rask_status raski_builder_hash_node(raski_job_graph_builder *builder, raski_stream_node *node,
                                    raski_error *err) {
    if (raski_operator_hashes_get(&builder->hashes, node->id) != NULL) return RASK_OK;
    bool done = false;
    RASKI_TRY(raski_operator_hashes_generate_node(builder->stream_graph, node, &builder->hashes,
                                                  &done, err));
    if (done) return RASK_OK;
    return RASKI_THROW(err, "IllegalStateException",
                       "Failed to generate hash for streamNode with ID '%d'", node->id);
}

static raski_chain_operator *new_operator(raski_job_graph_builder *builder, raski_chain *chain,
                                          raski_stream_node *node, int chain_index) {
    raski_chain_operator *op = raski_arena_calloc(builder->scratch, sizeof *op);
    op->node = node;
    op->chain = chain;
    op->chain_index = chain_index;
    raski_id_table_put(&builder->operators, node->id, op);
    return op;
}

static rask_status set_id(raski_job_graph_builder *builder, raski_chain_operator *op,
                          raski_error *err) {
    const raski_id *id = raski_operator_hashes_get(&builder->hashes, op->node->id);
    if (id == NULL)
        return RASKI_THROW(err, "IllegalStateException",
                           "Cannot find node hash. Did you generate them before calling this "
                           "method?");
    op->id = *id;
    return RASK_OK;
}

static bool has_coordinator(const raski_stream_node *node) {
    return node->factory.coordinated || node->factory.role == RASKI_OPERATOR_SOURCE;
}

rask_status raski_builder_add_chained_source(raski_job_graph_builder *builder,
                                             raski_stream_node *source, raski_error *err) {
    raski_chain *chain = raski_builder_chain_at(builder, source->out_edges.items[0]->target);
    raski_chain_operator *op = new_operator(builder, chain, source, 0);
    RASKI_TRY(set_id(builder, op, err));
    raski_vec_push(&chain->sources, op);
    chain->coordinators++;
    return RASK_OK;
}

/* ---- the vertex ----------------------------------------------------------------------------- */

static rask_status add_operator_ids(raski_job_graph_builder *builder, const raski_chain *chain,
                                    raski_error *err) {
    raski_arena *arena = builder->graph->arena;
    raski_job_vertex *vertex = chain->vertex;
    vertex->operator_id_count = chain->operators.count;
    vertex->operator_ids =
        raski_arena_calloc(arena, chain->operators.count * sizeof *vertex->operator_ids);
    for (size_t i = 0; i < chain->operators.count; i++) {
        const raski_chain_operator *op = chain->operators.items[i];
        raski_operator_id_pair *pair = &vertex->operator_ids[i];
        if (op->node->name[0] == '\0')
            return RASKI_THROW(err, "IllegalArgumentException",
                               "Empty string operator name is not allowed");
        if (op->node->uid != NULL && op->node->uid[0] == '\0')
            return RASKI_THROW(err, "IllegalArgumentException",
                               "Empty string operator uid is not allowed");
        pair->generated = op->id;
        pair->has_user =
            op->node->user_hash != NULL && raski_id_from_hex(op->node->user_hash, &pair->user);
        pair->name = raski_arena_strdup(arena, op->node->name);
        if (op->node->uid != NULL) pair->uid = raski_arena_strdup(arena, op->node->uid);
    }
    return RASK_OK;
}

static bool any_parallelism_configured(const raski_chain *chain) {
    for (size_t i = 0; i < chain->operators.count; i++)
        if (chain->operators.items[i]->node->parallelism_configured) return true;
    for (size_t i = 0; i < chain->sources.count; i++)
        if (chain->sources.items[i]->node->parallelism_configured) return true;
    return false;
}

static rask_status create_vertex(raski_job_graph_builder *builder, raski_chain *chain,
                                 raski_error *err) {
    const raski_stream_node *head = chain->start;
    const raski_id *id = raski_operator_hashes_get(&builder->hashes, head->id);
    raski_job_vertex *vertex =
        raski_job_graph_add_vertex(builder->graph, *id, raski_chain_name(builder, chain));
    chain->vertex = vertex;
    raski_vec_push(&builder->phase_chains, chain);
    RASKI_TRY(add_operator_ids(builder, chain, err));
    vertex->head_node = head->id;
    vertex->has_format = chain->has_format;
    vertex->task_class = raski_task_class_name(head->task_class);
    vertex->operator_coordinators = chain->coordinators;
    if (head->consumes_cache != NULL)
        vertex->consumed_cache = raski_arena_strdup(builder->graph->arena, head->consumes_cache);
    vertex->min_resources = chain->operators.items[0]->node->min_resources;
    vertex->preferred_resources = chain->operators.items[0]->node->preferred_resources;
    for (size_t i = 1; i < chain->operators.count; i++) {
        const raski_stream_node *node = chain->operators.items[i]->node;
        vertex->min_resources = raski_resource_spec_merge(
            builder->graph->arena, &vertex->min_resources, &node->min_resources);
        vertex->preferred_resources = raski_resource_spec_merge(
            builder->graph->arena, &vertex->preferred_resources, &node->preferred_resources);
    }
    if (head->parallelism > 0) vertex->parallelism = head->parallelism;
    vertex->max_parallelism = head->max_parallelism;
    vertex->parallelism_configured = any_parallelism_configured(chain);
    return RASK_OK;
}

/* ---- partitioners of dynamic graphs --------------------------------------------------------- */

static rask_status only_in_dynamic_graphs(const raski_job_graph_builder *builder,
                                          const raski_partitioner *partitioner, raski_error *err) {
    if (builder->stream_graph->dynamic) return RASK_OK;
    return RASKI_THROW(err, "IllegalStateException", "%s should only be used in dynamic graph.",
                       raski_partitioner_class_name(partitioner));
}

/* Forward "where possible" becomes forward inside a chain, otherwise what it stands for. */
static rask_status convert_partitioners(raski_job_graph_builder *builder, raski_chain_operator *op,
                                        raski_error *err) {
    raski_arena *arena = builder->stream_graph->arena;
    for (size_t i = 0; i < op->chainable.count; i++) {
        raski_stream_edge *edge = op->chainable.items[i];
        if (edge->partitioner->kind != RASKI_PARTITIONER_FORWARD_FOR_CONSECUTIVE_HASH &&
            edge->partitioner->kind != RASKI_PARTITIONER_FORWARD_FOR_UNSPECIFIED)
            continue;
        RASKI_TRY(only_in_dynamic_graphs(builder, edge->partitioner, err));
        raski_stream_edge_set_partitioner(
            edge, raski_partitioner_create(arena, RASKI_PARTITIONER_FORWARD));
    }
    for (size_t i = 0; i < op->non_chainable.count; i++) {
        raski_stream_edge *edge = op->non_chainable.items[i];
        if (edge->partitioner->kind == RASKI_PARTITIONER_FORWARD_FOR_CONSECUTIVE_HASH) {
            RASKI_TRY(only_in_dynamic_graphs(builder, edge->partitioner, err));
            raski_stream_edge_set_partitioner(edge, edge->partitioner->hash);
        } else if (edge->partitioner->kind == RASKI_PARTITIONER_FORWARD_FOR_UNSPECIFIED) {
            RASKI_TRY(only_in_dynamic_graphs(builder, edge->partitioner, err));
            raski_stream_edge_set_partitioner(
                edge, raski_partitioner_create(arena, RASKI_PARTITIONER_RESCALE));
        }
    }
    return RASK_OK;
}

/* ---- the walk ------------------------------------------------------------------------------- */

static rask_status enter(walk *w, raski_chain *chain, raski_stream_node *node, int chain_index,
                         raski_error *err) {
    if (chain->vertex != NULL) return RASK_OK; /* another edge led there before */
    raski_job_graph_builder *builder = w->builder;
    if (builder->is_adaptive) RASKI_TRY(raski_builder_hash_node(builder, node, err));
    raski_chain_operator *op = new_operator(builder, chain, node, chain_index);
    bool silent =
        node->factory.output_only_after_end_of_stream || node->no_output_until_end_of_input;
    if (silent) node->no_output_until_end_of_input = true;
    for (size_t i = 0; i < node->out_edges.count; i++) {
        raski_stream_edge *edge = node->out_edges.items[i];
        bool chainable = false;
        RASKI_TRY(
            raski_stream_edge_is_chainable(builder->stream_graph, edge, false, &chainable, err));
        if (chainable)
            raski_vec_push(&op->chainable, edge);
        else
            raski_vec_push(&op->non_chainable, edge);
    }
    raski_vec_push(&w->frames, (walk_frame){.op = op, .silent_at_entry = silent});
    return RASK_OK;
}

/* All that the operator feeds is done. */
static rask_status complete(walk *w, raski_chain_operator *op, raski_error *err) {
    raski_job_graph_builder *builder = w->builder;
    raski_chain *chain = op->chain;
    RASKI_TRY(set_id(builder, op, err));
    raski_vec_push(&chain->operators, op);
    if (has_coordinator(op->node)) chain->coordinators++;
    if (op->node->factory.format != RASKI_FORMAT_NONE) chain->has_format = true;
    if (op->node == chain->start) RASKI_TRY(create_vertex(builder, chain, err));
    return convert_partitioners(builder, op, err);
}

/* One step of the operator on top; *ret_done when it is complete. */
static rask_status step(walk *w, raski_error *err) {
    walk_frame *frame = &w->frames.items[w->frames.count - 1];
    raski_chain_operator *op = frame->op;
    if (frame->visited_in_chain != NULL) {
        if (frame->visited_in_chain->no_output_until_end_of_input)
            op->node->no_output_until_end_of_input = true;
        frame->visited_in_chain = NULL;
    }
    if (frame->next_chainable < op->chainable.count) {
        raski_stream_node *target = op->chainable.items[frame->next_chainable++]->target;
        if (frame->silent_at_entry) target->no_output_until_end_of_input = true;
        frame->visited_in_chain = target;
        return enter(w, op->chain, target, op->chain_index + 1, err);
    }
    if (frame->next_non_chainable < op->non_chainable.count) {
        raski_stream_edge *edge = op->non_chainable.items[frame->next_non_chainable++];
        raski_vec_push(&op->chain->out_edges, edge);
        if (w->builder->is_adaptive) return RASK_OK;
        return enter(w, raski_builder_chain_at(w->builder, edge->target), edge->target, 1, err);
    }
    w->frames.count--;
    return complete(w, op, err);
}

rask_status raski_builder_create_chains(raski_job_graph_builder *builder, raski_chain *start,
                                        raski_error *err) {
    walk w = {.builder = builder};
    rask_status status = enter(&w, start, start->start, 1, err);
    while (status == RASK_OK && w.frames.count > 0) status = step(&w, err);
    raski_vec_free(&w.frames);
    return status;
}
