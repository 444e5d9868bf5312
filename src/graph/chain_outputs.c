/* What leaves a vertex: the type of each result, which edges share one, and the job edges.
 * Flink: StreamingJobGraphGenerator from setOperatorNonChainedOutputsConfig to connect. */
#include "graph/java_order.h"
#include "graph/job_graph_builder.h"
#include "types/java_hash.h"

/* ---- the type of a result ------------------------------------------------------------------- */

/* Where the program left it open. A producer that is silent until its input ends gains nothing
 * from a pipelined result. */
static raski_result_type undefined_type(const raski_stream_graph *graph, raski_stream_edge *edge) {
    if (edge->source->no_output_until_end_of_input) {
        edge->buffer_timeout_ms = RASKI_BUFFER_TIMEOUT_DISABLED;
        return RASKI_RESULT_BLOCKING;
    }
    switch (graph->exchange_mode) {
        case RASKI_ALL_EDGES_BLOCKING:
            return RASKI_RESULT_BLOCKING;
        case RASKI_FORWARD_EDGES_PIPELINED:
            return raski_partitioner_is_forward(edge->partitioner) ? RASKI_RESULT_PIPELINED_BOUNDED
                                                                   : RASKI_RESULT_BLOCKING;
        case RASKI_POINTWISE_EDGES_PIPELINED:
            return raski_partitioner_is_pointwise(edge->partitioner)
                       ? RASKI_RESULT_PIPELINED_BOUNDED
                       : RASKI_RESULT_BLOCKING;
        case RASKI_ALL_EDGES_PIPELINED:
            return RASKI_RESULT_PIPELINED_BOUNDED;
        case RASKI_ALL_EDGES_PIPELINED_APPROXIMATE:
            return RASKI_RESULT_PIPELINED_APPROXIMATE;
        case RASKI_ALL_EDGES_HYBRID_FULL:
            return RASKI_RESULT_HYBRID_FULL;
        case RASKI_ALL_EDGES_HYBRID_SELECTIVE:
            return RASKI_RESULT_HYBRID_SELECTIVE;
    }
    return RASKI_RESULT_PIPELINED_BOUNDED;
}

static raski_result_type type_of(const raski_stream_graph *graph, raski_stream_edge *edge) {
    switch (edge->exchange_mode) {
        case RASKI_EXCHANGE_PIPELINED:
            return RASKI_RESULT_PIPELINED_BOUNDED;
        case RASKI_EXCHANGE_BATCH:
            return RASKI_RESULT_BLOCKING;
        case RASKI_EXCHANGE_HYBRID_FULL:
            return RASKI_RESULT_HYBRID_FULL;
        case RASKI_EXCHANGE_HYBRID_SELECTIVE:
            return RASKI_RESULT_HYBRID_SELECTIVE;
        case RASKI_EXCHANGE_UNDEFINED:
            break;
    }
    return undefined_type(graph, edge);
}

/* ---- sharing results ------------------------------------------------------------------------ */

static bool same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Read by many: a selective result must be kept whole for that. */
static bool may_be_shared(raski_result_type type) {
    return raski_result_type_is_reconsumable(type) || raski_result_type_is_hybrid(type);
}

static bool are_shareable_types(raski_result_type a, raski_result_type b) {
    return (raski_result_type_is_reconsumable(a) && a == b) ||
           (raski_result_type_is_hybrid(a) && raski_result_type_is_hybrid(b));
}

static bool can_share(const raski_network_output *output, const raski_stream_edge *edge,
                      raski_result_type type) {
    return are_shareable_types(output->type, type) &&
           output->consumer_parallelism == edge->target->parallelism &&
           output->consumer_max_parallelism == edge->target->max_parallelism &&
           same_text(output->cache, edge->cache_data_set) &&
           same_text(output->side_output, edge->side_output_tag) &&
           raski_partitioner_equals(edge->partitioner, output->partitioner);
}

static int32_t text_hash(const char *text) {
    return raski_hash_utf8(text, strlen(text));
}

/* StreamEdge.hashCode: Objects.hash(edgeId, outputTag). */
static int32_t edge_hash(const raski_stream_edge *edge) {
    uint32_t hash = 31 * (31 + (uint32_t)text_hash(edge->id));
    if (edge->side_output_tag != NULL) hash += (uint32_t)text_hash(edge->side_output_tag);
    return (int32_t)hash;
}

/* The output that Flink finds first among those that edge could share: it walks a HashMap of the
 * `done` edges of op that have an output. */
static raski_network_output *first_of_walk(const raski_job_graph_builder *builder,
                                           const raski_chain_operator *op, size_t done,
                                           const raski_stream_edge *edge, raski_result_type type) {
    raski_network_output *first = NULL;
    size_t first_bucket = SIZE_MAX;
    for (size_t i = 0; i < done; i++) {
        const raski_stream_edge *other = op->non_chainable.items[i];
        raski_network_output *output = raski_builder_output_of_edge(builder, other);
        if (!can_share(output, edge, type)) continue;
        size_t bucket = raski_java_bucket(edge_hash(other), done);
        if (bucket < first_bucket) {
            first_bucket = bucket;
            first = output;
        }
    }
    return first;
}

/* Mostly one output fits, or none; edges that fill a cache and others of the same kind can make
 * two that are equal for a third edge. */
static raski_network_output *find_shareable(const raski_job_graph_builder *builder,
                                            const raski_chain_operator *op, size_t done,
                                            const raski_stream_edge *edge, raski_result_type type) {
    raski_network_output *found = NULL;
    for (size_t i = 0; may_be_shared(type) && i < op->outputs.count; i++) {
        if (!can_share(op->outputs.items[i], edge, type)) continue;
        if (found != NULL) return first_of_walk(builder, op, done, edge, type);
        found = op->outputs.items[i];
    }
    return found;
}

static const char *keep_text(const raski_job_graph_builder *builder, const char *text) {
    return text ? raski_arena_strdup(builder->graph->arena, text) : NULL;
}

static const raski_partitioner *keep_partitioner(raski_arena *arena,
                                                 const raski_partitioner *partitioner) {
    raski_partitioner *copy = raski_arena_alloc(arena, sizeof *copy);
    *copy = *partitioner;
    if (partitioner->hash != NULL) {
        copy->hash = raski_arena_alloc(arena, sizeof *copy);
        *copy->hash = *partitioner->hash;
    }
    return copy;
}

/* The id of a cached data set: its name if that is an id, else made of it. */
static raski_id id_of_cache(const char *name) {
    raski_id id;
    if (raski_id_from_hex(name, &id)) return id;
    return raski_operator_hash_of_uid(name);
}

static raski_network_output *new_output(raski_job_graph_builder *builder,
                                        const raski_chain_operator *op,
                                        const raski_stream_edge *edge, raski_result_type type) {
    raski_arena *arena = builder->graph->arena;
    raski_network_output *output = raski_arena_calloc(arena, sizeof *output);
    bool cached = raski_result_type_is_blocking(type) && edge->cache_data_set != NULL;
    output->type = cached ? RASKI_RESULT_BLOCKING_PERSISTENT : type;
    output->cache = cached ? keep_text(builder, edge->cache_data_set) : NULL;
    output->data_set_id = cached ? id_of_cache(edge->cache_data_set)
                                 : raski_id_of_data_set(op->chain->vertex->id, text_hash(edge->id));
    output->source_node = op->node->id;
    output->side_output = keep_text(builder, edge->side_output_tag);
    output->partitioner = keep_partitioner(arena, edge->partitioner);
    output->consumer_parallelism = edge->target->parallelism;
    output->consumer_max_parallelism = edge->target->max_parallelism;
    output->buffer_timeout_ms = edge->buffer_timeout_ms;
    output->supports_unaligned_checkpoints = edge->supports_unaligned_checkpoints;
    return output;
}

static void choose_output(raski_job_graph_builder *builder, raski_chain_operator *op,
                          size_t place) {
    raski_stream_edge *edge = op->non_chainable.items[place];
    raski_result_type type = type_of(builder->stream_graph, edge);
    if (raski_result_type_is_hybrid(type)) {
        builder->has_hybrid_result = true;
        if (raski_partitioner_is_broadcast(edge->partitioner)) type = RASKI_RESULT_HYBRID_FULL;
    }
    if (raski_result_type_is_blocking(type) && edge->cache_data_set != NULL)
        type = RASKI_RESULT_BLOCKING_PERSISTENT;
    raski_network_output *output = find_shareable(builder, op, place, edge, type);
    if (output == NULL) {
        output = new_output(builder, op, edge, type);
        raski_vec_push(&op->outputs, output);
    } else if (output->type == RASKI_RESULT_HYBRID_SELECTIVE) {
        output->type = RASKI_RESULT_HYBRID_FULL;
    }
    raski_id_table_put(&builder->output_of_edge, edge->number, output);
}

void raski_builder_choose_outputs(raski_job_graph_builder *builder) {
    for (size_t c = 0; c < builder->phase_chains.count; c++) {
        raski_chain *chain = builder->phase_chains.items[c];
        for (size_t i = 0; i < chain->operators.count; i++) {
            raski_chain_operator *op = chain->operators.items[i];
            for (size_t k = 0; k < op->non_chainable.count; k++) choose_output(builder, op, k);
        }
    }
}

raski_network_output *raski_builder_output_of_edge(const raski_job_graph_builder *builder,
                                                   const raski_stream_edge *edge) {
    return raski_id_table_get(&builder->output_of_edge, edge->number);
}

raski_data_set *raski_builder_result_of(raski_job_graph_builder *builder, raski_chain *chain,
                                        raski_network_output *output) {
    raski_data_set *data_set =
        raski_job_vertex_result(builder->graph, chain->vertex, output->data_set_id, output->type);
    data_set->cache = output->cache;
    output->result = data_set->index;
    if (data_set->index == chain->outputs.count) raski_vec_push(&chain->outputs, output);
    return data_set;
}

/* ---- job edges ------------------------------------------------------------------------------ */

static raski_state_mapper downstream_mapper(raski_partitioner_kind kind) {
    switch (kind) {
        case RASKI_PARTITIONER_REBALANCE:
        case RASKI_PARTITIONER_SHUFFLE:
            return RASKI_STATE_MAPPER_ROUND_ROBIN;
        case RASKI_PARTITIONER_GLOBAL:
            return RASKI_STATE_MAPPER_FIRST;
        case RASKI_PARTITIONER_KEY_GROUP:
            return RASKI_STATE_MAPPER_RANGE;
        case RASKI_PARTITIONER_CUSTOM:
            return RASKI_STATE_MAPPER_FULL;
        default:
            return RASKI_STATE_MAPPER_UNSUPPORTED;
    }
}

static raski_state_mapper upstream_mapper(raski_partitioner_kind kind) {
    return downstream_mapper(kind) == RASKI_STATE_MAPPER_UNSUPPORTED
               ? RASKI_STATE_MAPPER_UNSUPPORTED
               : RASKI_STATE_MAPPER_ARBITRARY;
}

static rask_status check_buffer_timeout(raski_stream_graph *graph, const raski_stream_edge *edge,
                                        raski_result_type type, raski_error *err) {
    if (raski_result_type_can_be_pipelined(type) ||
        edge->buffer_timeout_ms == RASKI_BUFFER_TIMEOUT_DISABLED)
        return RASK_OK;
    graph->transformations->failed = edge->source->transformation;
    return RASKI_THROW(err, "UnsupportedOperationException",
                       "only canBePipelinedConsumed partition support buffer timeout %lld for src "
                       "operator in edge %s. \nPlease either disable buffer timeout (via -1) or "
                       "use the canBePipelinedConsumed partition.",
                       (long long)edge->buffer_timeout_ms, raski_stream_edge_text(graph, edge));
}

rask_status raski_builder_connect(raski_job_graph_builder *builder, raski_chain *chain,
                                  raski_stream_edge *edge, raski_network_output *output,
                                  raski_job_edge **ret_edge, raski_error *err) {
    raski_job_vertex *target = raski_builder_vertex_at(builder, edge->target->id);
    RASKI_ASSERT(target != NULL);
    raski_vec_push(&builder->physical_edges, edge);
    raski_builder_operator_at(builder, edge->target->id)->network_inputs++;
    RASKI_TRY(check_buffer_timeout(builder->stream_graph, edge, output->type, err));
    raski_data_set *data_set = raski_builder_result_of(builder, chain, output);
    const raski_partitioner *partitioner = output->partitioner;
    raski_job_edge *job_edge = NULL;
    RASKI_TRY(raski_job_vertex_connect(
        builder->graph, target, data_set,
        raski_partitioner_is_pointwise(partitioner) ? RASKI_DISTRIBUTION_POINTWISE
                                                    : RASKI_DISTRIBUTION_ALL_TO_ALL,
        raski_partitioner_is_broadcast(partitioner), partitioner->kind == RASKI_PARTITIONER_FORWARD,
        &job_edge, err));
    job_edge->edge_id = keep_text(builder, edge->id);
    job_edge->type_number = edge->type_number;
    job_edge->input_index = edge->type_number == 0 ? 0 : (size_t)edge->type_number - 1;
    job_edge->inter_inputs_keys_correlated = edge->inter_inputs_keys_correlated;
    job_edge->intra_input_key_correlated = edge->intra_input_key_correlated;
    job_edge->ship_strategy = raski_partitioner_text(partitioner);
    job_edge->downstream_state_mapper = downstream_mapper(partitioner->kind);
    job_edge->upstream_state_mapper = upstream_mapper(partitioner->kind);
    job_edge->partitioner = partitioner;
    *ret_edge = job_edge;
    return RASK_OK;
}

void raski_builder_set_physical_edges(raski_job_graph_builder *builder) {
    for (size_t i = 0; i < builder->physical_edges.count; i++) {
        raski_stream_edge *edge = builder->physical_edges.items[i];
        raski_chain_operator *op = raski_builder_operator_at(builder, edge->target->id);
        raski_vec_push(&op->physical_in_edges, edge);
    }
}
