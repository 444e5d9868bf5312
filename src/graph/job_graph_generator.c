/* The job graph of a whole stream graph at once. Flink: StreamingJobGraphGenerator. What it does
 * after chaining is shared with the graph that grows (adaptive_graph.c). */
#include <stdlib.h>
#include <strings.h>

#include "graph/forward_group.h"
#include "graph/job_graph_builder.h"
#include "platform/memory.h"

/* ---- builder -------------------------------------------------------------------------------- */

static void keep_config(raski_job_graph *graph, const raski_plan_config *config) {
    graph->config = *config;
    graph->config.deferred_count = 0;
    if (config->job_name != NULL)
        graph->config.job_name = raski_arena_strdup(graph->arena, config->job_name);
    if (config->state_backend != NULL)
        graph->config.state_backend = raski_arena_strdup(graph->arena, config->state_backend);
}

void raski_job_graph_builder_init(raski_job_graph_builder *builder,
                                  raski_stream_graph *stream_graph, raski_id job_id) {
    *builder = (raski_job_graph_builder){.stream_graph = stream_graph};
    builder->scratch = raski_arena_create_large(raski_memory_want_huge_pages);
    raski_operator_hashes_init(&builder->hashes);
    raski_job_graph *graph = raski_job_graph_new(stream_graph->job_name);
    builder->graph = graph;
    graph->job_id = job_id;
    graph->job_type = raski_job_type_name(stream_graph->job_type);
    graph->is_dynamic = stream_graph->dynamic;
    graph->approximate_local_recovery = stream_graph->config.approximate_local_recovery;
    graph->has_batch_state_backend =
        stream_graph->job_type == RASKI_JOB_BATCH && stream_graph->config.batch_state_backend;
    /* an unknown backend is assumed to need it, as in Flink */
    const char *backend = stream_graph->config.state_backend;
    graph->state_backend_uses_managed_memory =
        !graph->has_batch_state_backend && backend != NULL && strcasecmp(backend, "hashmap") != 0;
    keep_config(graph, &stream_graph->config);
}

static void free_operator(raski_chain_operator *op) {
    raski_vec_free(&op->chainable);
    raski_vec_free(&op->non_chainable);
    raski_vec_free(&op->outputs);
    raski_vec_free(&op->physical_in_edges);
}

static void free_chain(raski_chain *chain) {
    raski_vec_free(&chain->operators);
    raski_vec_free(&chain->sources);
    raski_vec_free(&chain->out_edges);
    raski_vec_free(&chain->in_edges);
    raski_vec_free(&chain->outputs);
}

void raski_job_graph_builder_fini(raski_job_graph_builder *builder) {
    for (size_t i = 0; i < builder->operators.capacity; i++)
        if (builder->operators.items[i] != NULL) free_operator(builder->operators.items[i]);
    for (size_t i = 0; i < builder->all_chains.count; i++) free_chain(builder->all_chains.items[i]);
    raski_vec_free(&builder->all_chains);
    raski_vec_free(&builder->phase_chains);
    raski_vec_free(&builder->physical_edges);
    raski_id_table_free(&builder->operators);
    raski_id_table_free(&builder->chains);
    raski_id_table_free(&builder->output_of_edge);
    raski_operator_hashes_fini(&builder->hashes);
    raski_arena_destroy(builder->scratch);
}

/* ---- checks --------------------------------------------------------------------------------- */

/* The first operator behind a custom partitioner, or NULL. */
static const raski_stream_node *behind_custom_partitioner(const raski_stream_graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const raski_stream_node *node = graph->nodes.items[i];
        for (size_t k = 0; k < node->out_edges.count; k++)
            if (node->out_edges.items[k]->partitioner->kind == RASKI_PARTITIONER_CUSTOM)
                return node->out_edges.items[k]->target;
    }
    return NULL;
}

rask_status raski_job_graph_check_stream_graph(raski_stream_graph *graph, raski_error *err) {
    if (!graph->checkpointing) return RASK_OK;
    const raski_stream_node *custom = NULL;
    if (raski_plan_config_takes_unaligned_checkpoints(&graph->config) &&
        !graph->config.force_unaligned_checkpoints)
        custom = behind_custom_partitioner(graph);
    if (custom != NULL) {
        graph->transformations->failed = custom->transformation;
        return RASKI_THROW(err, "UnsupportedOperationException",
                           "Unaligned checkpoints are currently not supported for custom "
                           "partitioners, as rescaling is not guaranteed to work correctly.\nThe "
                           "user can force Unaligned Checkpoints by using "
                           "'execution.checkpointing.unaligned.forced'");
    }
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const raski_operator_factory *factory = &graph->nodes.items[i]->factory;
        if (!factory->input_selectable) continue;
        graph->transformations->failed = graph->nodes.items[i]->transformation;
        return RASKI_THROW(
            err, "UnsupportedOperationException",
            "Checkpointing is currently not supported for operators that "
            "implement InputSelectable:%s",
            factory->operator_class ? factory->operator_class : graph->nodes.items[i]->name);
    }
    return RASK_OK;
}

/* ---- after chains and outputs --------------------------------------------------------------- */

static void mark_concurrent_attempts(raski_job_graph_builder *builder) {
    for (size_t i = 0; i < builder->phase_chains.count; i++) {
        const raski_chain *chain = builder->phase_chains.items[i];
        bool all = true;
        for (size_t k = 0; k < chain->operators.count; k++)
            all &= chain->operators.items[k]->node->supports_concurrent_execution_attempts;
        for (size_t k = 0; k < chain->sources.count; k++)
            all &= chain->sources.items[k]->node->supports_concurrent_execution_attempts;
        chain->vertex->supports_concurrent_execution_attempts = all;
    }
}

static rask_status check_hybrid(const raski_job_graph_builder *builder, raski_error *err) {
    if (!builder->has_hybrid_result || builder->stream_graph->job_type == RASKI_JOB_BATCH)
        return RASK_OK;
    return RASKI_THROW(err, "IllegalStateException",
                       "hybrid shuffle mode only supports batch job, please set "
                       "execution.runtime-mode to BATCH");
}

/* "[vertex-0]..." in topological order, new vertices only. */
static void prefix_names(raski_job_graph_builder *builder) {
    raski_job_graph *graph = builder->graph;
    size_t first_new = builder->phase_chains.count == 0
                           ? graph->vertices.count
                           : builder->phase_chains.items[0]->vertex->creation_index;
    for (size_t i = 0; i < graph->sorted.count; i++) {
        raski_job_vertex *vertex = graph->sorted.items[i];
        if (vertex->creation_index >= first_new)
            vertex->name = raski_arena_format(graph->arena, "[vertex-%d]%s",
                                              builder->next_vertex_number++, vertex->name);
    }
}

rask_status raski_job_graph_builder_complete_phase(raski_job_graph_builder *builder,
                                                   raski_error *err) {
    const raski_plan_config *config = &builder->stream_graph->config;
    raski_builder_set_physical_edges(builder);
    mark_concurrent_attempts(builder);
    RASKI_TRY(check_hybrid(builder, err));
    RASKI_TRY(raski_builder_share_slots(builder, err));
    raski_builder_share_memory(builder);
    if (config->vertex_name_index_prefix) prefix_names(builder);
    return RASK_OK;
}

/* ---- dynamic graphs ------------------------------------------------------------------------- */

static void set_chain_parallelism(const raski_chain *chain, int parallelism, bool configured) {
    for (size_t i = 0; i < chain->operators.count; i++) {
        chain->operators.items[i]->node->parallelism = parallelism;
        chain->operators.items[i]->node->parallelism_configured = configured;
    }
    for (size_t i = 0; i < chain->sources.count; i++) {
        chain->sources.items[i]->node->parallelism = parallelism;
        chain->sources.items[i]->node->parallelism_configured = configured;
    }
}

static void set_chain_max_parallelism(const raski_chain *chain, int max_parallelism) {
    for (size_t i = 0; i < chain->operators.count; i++)
        chain->operators.items[i]->node->max_parallelism = max_parallelism;
    for (size_t i = 0; i < chain->sources.count; i++)
        chain->sources.items[i]->node->max_parallelism = max_parallelism;
}

static void join_forward_groups(raski_job_graph_builder *builder, raski_forward_groups *groups) {
    for (size_t i = 0; i < builder->phase_chains.count; i++) {
        const raski_chain *chain = builder->phase_chains.items[i];
        for (size_t k = 0; k < chain->out_edges.count; k++) {
            const raski_stream_edge *edge = chain->out_edges.items[k];
            if (raski_partitioner_is_forward(edge->partitioner))
                raski_forward_groups_join(
                    groups, i, raski_builder_vertex_at(builder, edge->target->id)->creation_index);
        }
    }
}

/* What was not configured is open again, but vertices joined by forward edges agree. */
static rask_status decide_parallelisms(raski_job_graph_builder *builder, raski_error *err) {
    raski_job_graph *graph = builder->graph;
    raski_forward_groups groups;
    raski_forward_groups_init(&groups, graph->vertices.count);
    for (size_t i = 0; i < graph->vertices.count; i++) {
        raski_job_vertex *vertex = graph->vertices.items[i];
        if (!vertex->parallelism_configured && builder->stream_graph->config.auto_parallelism) {
            vertex->parallelism = RASKI_PARALLELISM_DEFAULT;
            set_chain_parallelism(builder->phase_chains.items[i], RASKI_PARALLELISM_DEFAULT, false);
        }
        groups.members[i].parallelism = vertex->parallelism;
        groups.members[i].max_parallelism = vertex->max_parallelism;
    }
    join_forward_groups(builder, &groups);
    rask_status status = raski_forward_groups_decide(&groups, false, err);
    for (size_t i = 0; status == RASK_OK && i < graph->vertices.count; i++) {
        raski_job_vertex *vertex = graph->vertices.items[i];
        const raski_forward_group *group = raski_forward_groups_of(&groups, i);
        if (group->size > 1 && group->parallelism > 0) {
            vertex->parallelism = group->parallelism;
            vertex->parallelism_configured = true;
            set_chain_parallelism(builder->phase_chains.items[i], group->parallelism, true);
        }
        if (group->size > 1 && group->max_parallelism > 0) {
            vertex->max_parallelism = group->max_parallelism;
            set_chain_max_parallelism(builder->phase_chains.items[i], group->max_parallelism);
        }
    }
    raski_forward_groups_fini(&groups);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int compare_nodes(const void *a, const void *b) {
    int x = (*(raski_stream_node *const *)a)->id, y = (*(raski_stream_node *const *)b)->id;
    return (x > y) - (x < y);
}

static int compare_chains(const void *a, const void *b) {
    return compare_nodes(&(*(raski_chain *const *)a)->start, &(*(raski_chain *const *)b)->start);
}

/* Chains that start at sources, or at operators that have sources chained into them. */
static rask_status enter_sources(raski_job_graph_builder *builder, raski_error *err) {
    raski_stream_node **nodes = raski_stream_graph_nodes_by_id(builder->stream_graph);
    rask_status status = RASK_OK;
    for (size_t i = 0; status == RASK_OK && i < builder->stream_graph->nodes.count; i++) {
        if (!nodes[i]->is_source) continue;
        bool chained = false;
        status =
            raski_stream_node_is_chainable_source(builder->stream_graph, nodes[i], &chained, err);
        if (status != RASK_OK) break;
        if (chained)
            status = raski_builder_add_chained_source(builder, nodes[i], err);
        else
            raski_builder_chain_at(builder, nodes[i]);
    }
    raski_free(nodes);
    return status;
}

static rask_status build_chains(raski_job_graph_builder *builder, raski_error *err) {
    RASKI_TRY(enter_sources(builder, err));
    size_t count = builder->all_chains.count; /* more come on the way */
    raski_chain **starts = raski_arena_alloc(builder->scratch, (count + 1) * sizeof(raski_chain *));
    for (size_t i = 0; i < count; i++) starts[i] = builder->all_chains.items[i];
    qsort(starts, count, sizeof *starts, compare_chains);
    for (size_t i = 0; i < count; i++)
        RASKI_TRY(raski_builder_create_chains(builder, starts[i], err));
    return RASK_OK;
}

static rask_status connect_all(raski_job_graph_builder *builder, raski_error *err) {
    for (size_t i = 0; i < builder->phase_chains.count; i++) {
        raski_chain *chain = builder->phase_chains.items[i];
        for (size_t k = 0; k < chain->out_edges.count; k++) {
            raski_stream_edge *edge = chain->out_edges.items[k];
            raski_network_output *output = raski_builder_output_of_edge(builder, edge);
            raski_job_edge *job_edge = NULL;
            RASKI_TRY(raski_builder_connect(builder, chain, edge, output, &job_edge, err));
            job_edge->source->edges_to_create++;
        }
    }
    return RASK_OK;
}

static rask_status generate(raski_job_graph_builder *builder, raski_error *err) {
    RASKI_TRY(raski_operator_hashes_generate(builder->stream_graph, &builder->hashes, err));
    RASKI_TRY(raski_job_graph_check_stream_graph(builder->stream_graph, err));
    RASKI_TRY(build_chains(builder, err));
    if (builder->graph->is_dynamic) RASKI_TRY(decide_parallelisms(builder, err));
    raski_builder_choose_outputs(builder);
    RASKI_TRY(connect_all(builder, err));
    RASKI_TRY(raski_job_graph_builder_complete_phase(builder, err));
    raski_job_graph_builder_finish(builder);
    return RASK_OK;
}

rask_status raski_job_graph_create(raski_stream_graph *stream_graph, raski_id job_id,
                                   raski_job_graph **ret_graph, raski_error *err) {
    raski_job_graph_builder builder;
    raski_job_graph_builder_init(&builder, stream_graph, job_id);
    rask_status status = generate(&builder, err);
    if (status == RASK_OK)
        *ret_graph = builder.graph;
    else
        raski_job_graph_destroy(builder.graph);
    raski_job_graph_builder_fini(&builder);
    return status;
}
