#include "graph/facts_job_graph.h"

#include <string.h>

/* Places of vertices are those of creation here, as Flink's test prints them. */
static json_t *creation_ref(const raski_data_set *data_set) {
    return json_sprintf("%zu.%zu", data_set->producer->creation_index, data_set->index);
}

static json_t *id_text(raski_id id) {
    char hex[RASKI_ID_HEX_SIZE];
    return json_string(raski_id_to_hex(id, hex));
}

static int compare_nodes(const void *a, const void *b) {
    int x = (*(const raski_job_operator *const *)a)->node;
    int y = (*(const raski_job_operator *const *)b)->node;
    return (x > y) - (x < y);
}

static json_t *operators(const raski_job_vertex *vertex) {
    const raski_job_operator **order =
        RASKI_NEW_ARRAY(const raski_job_operator *, vertex->operator_count);
    json_t *array = json_array();
    for (size_t i = 0; i < vertex->operator_count; i++) order[i] = &vertex->operators[i];
    qsort(order, vertex->operator_count, sizeof *order, compare_nodes);
    for (size_t i = 0; i < vertex->operator_count; i++)
        json_array_append_new(
            array, json_pack("{s:i, s:o}", "node", order[i]->node, "id", id_text(order[i]->id)));
    raski_free(order);
    return array;
}

static json_t *results(const raski_job_vertex *vertex, bool unstable) {
    json_t *array = json_array();
    for (size_t i = 0; i < vertex->results.count; i++) {
        const raski_data_set *data_set = vertex->results.items[i];
        json_t *id = data_set->cache ? json_string(data_set->cache)
                     : unstable      ? json_string("unstable")
                                     : id_text(data_set->id);
        json_array_append_new(
            array, json_pack("{s:o, s:o, s:s, s:i}", "ref", creation_ref(data_set), "id", id,
                             "type", raski_result_type_name(data_set->type), "consumers",
                             (int)data_set->consumers.count));
    }
    return array;
}

static json_t *inputs(const raski_job_vertex *vertex) {
    json_t *array = json_array();
    for (size_t i = 0; i < vertex->inputs.count; i++) {
        const raski_job_edge *edge = vertex->inputs.items[i];
        json_array_append_new(
            array, json_pack("{s:o, s:s, s:s, s:i, s:b, s:b}", "result", creation_ref(edge->source),
                             "distribution", raski_distribution_name(edge->distribution),
                             "shipStrategy", edge->ship_strategy, "typeNumber", edge->type_number,
                             "interInputsKeysCorrelated", edge->inter_inputs_keys_correlated,
                             "intraInputKeyCorrelated", edge->intra_input_key_correlated));
    }
    return array;
}

static json_t *vertex_facts(const raski_job_graph *graph, const raski_job_vertex *vertex,
                            size_t after, bool unstable) {
    json_t *ids = json_array();
    char *description = raski_job_vertex_description(graph, vertex);
    for (size_t i = 0; i < vertex->operator_id_count; i++)
        json_array_append_new(ids, id_text(vertex->operator_ids[i].generated));
    json_t *facts = json_pack(
        "{s:i, s:o, s:o, s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:o}", "index",
        (int)vertex->creation_index, "createdAfter",
        after == 0 ? json_null() : json_integer((json_int_t)after - 1), "id", id_text(vertex->id),
        "name", vertex->name, "description", description, "parallelism", vertex->parallelism,
        "maxParallelism", vertex->max_parallelism, "operatorIds", ids, "operators",
        operators(vertex), "results", results(vertex, unstable), "inputs", inputs(vertex));
    raski_free(description);
    return facts;
}

static bool has_unstable_ids(const raski_stream_graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const raski_stream_node *node = graph->nodes.items[i];
        for (size_t k = 0; k < node->out_edges.count; k++)
            if (strstr(node->out_edges.items[k]->id, "@HASH") != NULL ||
                strstr(node->out_edges.items[k]->id, "(FILE:LINE)") != NULL)
                return true;
    }
    return false;
}

/* Lets the vertices finish one after the other. after[i] becomes the place of the vertex behind
 * whose end vertex i was made, plus 1; 0: at the start. */
static rask_status run_all(raski_adaptive_graph *graph, size_t *after, raski_error *err) {
    const raski_job_graph *job_graph = raski_adaptive_graph_job_graph(graph);
    for (size_t i = 0; i < job_graph->vertices.count; i++) {
        size_t created = 0, first = job_graph->vertices.count;
        RASKI_TRY(raski_adaptive_graph_vertex_finished(graph, job_graph->vertices.items[i],
                                                       &created, err));
        for (size_t k = 0; k < created; k++) after[first + k] = i + 1;
    }
    return RASK_OK;
}

static json_t *graph_facts(const raski_adaptive_graph *graph, const size_t *after, bool unstable) {
    const raski_job_graph *job_graph = raski_adaptive_graph_job_graph(graph);
    json_t *vertices = json_array();
    for (size_t i = 0; i < job_graph->vertices.count; i++)
        json_array_append_new(
            vertices, vertex_facts(job_graph, job_graph->vertices.items[i], after[i], unstable));
    return json_pack("{s:o, s:i}", "vertices", vertices, "pendingOperators",
                     (int)raski_adaptive_graph_pending_operators(graph));
}

json_t *raski_facts_adaptive_graph(raski_stream_graph *stream_graph) {
    raski_adaptive_graph *graph = NULL;
    raski_error err = {0};
    bool unstable = has_unstable_ids(stream_graph);
    size_t *after = RASKI_NEW_ARRAY(size_t, stream_graph->nodes.count);
    json_t *facts = NULL;
    if (raski_adaptive_graph_create(stream_graph, (raski_id){{0}}, &graph, &err) == RASK_OK &&
        run_all(graph, after, &err) == RASK_OK)
        facts = graph_facts(graph, after, unstable);
    else
        facts = json_pack("{s:{s:s, s:o}}", "error", "exception", err.exception, "message",
                          err.message[0] ? json_string(err.message) : json_null());
    raski_adaptive_graph_destroy(graph);
    raski_free(after);
    return facts;
}
