#include "graph/facts_job_graph.h"

#include <string.h>

#include "graph/facts.h"

/* ---- small things --------------------------------------------------------------------------- */

static json_t *id_text(raski_id id) {
    char hex[RASKI_ID_HEX_SIZE];
    return json_string(raski_id_to_hex(id, hex));
}

static json_t *text_or_null(const char *text) {
    return text ? json_string(text) : json_null();
}

static json_t *result_ref(const raski_data_set *data_set) {
    char ref[48];
    snprintf(ref, sizeof ref, "%zu.%zu", data_set->producer->index, data_set->index);
    return json_string(ref);
}

static void set(json_t *object, const char *key, json_t *value_take) {
    RASKI_ASSERT(value_take != NULL);
    json_object_set_new(object, key, value_take);
}

static json_t *vertex_indices(raski_job_vertex *const *vertices, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_integer((json_int_t)vertices[i]->index));
    return array;
}

/* An edge id that holds text that differs from run to run in Flink spoils the ids made of it. */
static bool is_unstable(const char *edge_id) {
    return strstr(edge_id, "@HASH") != NULL || strstr(edge_id, "(FILE:LINE)") != NULL;
}

static bool has_unstable_ids(const raski_job_graph *graph) {
    for (size_t v = 0; v < graph->vertices.count; v++) {
        const raski_job_vertex *vertex = graph->vertices.items[v];
        for (size_t i = 0; i < vertex->inputs.count; i++)
            if (is_unstable(vertex->inputs.items[i]->edge_id)) return true;
        for (size_t i = 0; i < vertex->operator_count; i++)
            for (size_t k = 0; k < vertex->operators[i].chained_output_count; k++)
                if (is_unstable(vertex->operators[i].chained_outputs[k].edge_id)) return true;
    }
    return false;
}

/* ---- operators ------------------------------------------------------------------------------ */

static json_t *operator_inputs(const raski_job_operator *op) {
    json_t *array = json_array();
    for (size_t i = 0; i < op->input_count; i++) {
        const raski_operator_input *input = &op->inputs[i];
        json_t *item = NULL;
        switch (input->kind) {
            case RASKI_INPUT_UNSET:
                item = json_null();
                break;
            case RASKI_INPUT_NETWORK:
                item = json_pack("{s:i, s:s}", "gate", input->gate, "requirement",
                                 input->sorted ? "SORTED" : "PASS_THROUGH");
                break;
            case RASKI_INPUT_CHAINED_SOURCE:
                item = json_pack("{s:i}", "chainedSource", input->source_node);
                break;
        }
        json_array_append_new(array, item);
    }
    return array;
}

static json_t *network_outputs(const raski_job_vertex *vertex, raski_network_output *const *outputs,
                               size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        const raski_network_output *output = outputs[i];
        json_t *o = json_object();
        set(o, "result", result_ref(vertex->results.items[output->result]));
        set(o, "node", json_integer(output->source_node));
        set(o, "sideOutput", text_or_null(output->side_output));
        set(o, "partitioner", json_string(raski_partitioner_text(output->partitioner)));
        set(o, "type", json_string(raski_result_type_name(output->type)));
        set(o, "consumerParallelism", json_integer(output->consumer_parallelism));
        set(o, "consumerMaxParallelism", json_integer(output->consumer_max_parallelism));
        set(o, "bufferTimeout", json_integer(output->buffer_timeout_ms));
        set(o, "supportsUnalignedCheckpoints",
            json_boolean(output->supports_unaligned_checkpoints));
        json_array_append_new(array, o);
    }
    return array;
}

static json_t *managed_memory(const raski_job_graph *graph, const raski_job_operator *op) {
    json_t *object = json_object();
    for (int u = 0; u < RASKI_MEMORY_USE_CASES; u++) {
        raski_memory_use_case use_case = (raski_memory_use_case)u;
        if (!op->has_managed[u]) continue;
        set(object, raski_memory_use_case_name(use_case),
            json_pack("{s:f, s:f}", "fraction", op->managed_fraction[u], "ofSlot",
                      raski_managed_fraction_of_slot(graph, op, use_case, NULL)));
    }
    return object;
}

static json_t *operators(const raski_job_graph *graph, const raski_job_vertex *vertex) {
    json_t *array = json_array();
    for (size_t i = 0; i < vertex->operator_count; i++) {
        const raski_job_operator *op = &vertex->operators[i];
        json_t *chained = json_array(), *physical = json_array(), *o = json_object();
        for (size_t k = 0; k < op->chained_output_count; k++)
            json_array_append_new(chained, json_string(op->chained_outputs[k].edge_id));
        for (size_t k = 0; k < op->in_physical_edge_count; k++)
            json_array_append_new(physical, json_string(op->in_physical_edges[k]));
        set(o, "node", json_integer(op->node));
        set(o, "chainIndex", json_integer(op->chain_index));
        set(o, "chainStart", json_boolean(op->chain_start));
        set(o, "chainEnd", json_boolean(op->chain_end));
        set(o, "id", id_text(op->id));
        set(o, "name", json_string(op->name));
        set(o, "networkInputs", json_integer(op->network_inputs));
        set(o, "inputs", operator_inputs(op));
        set(o, "chainedOutputs", chained);
        set(o, "outputs", network_outputs(vertex, op->outputs, op->output_count));
        set(o, "inPhysicalEdges", physical);
        set(o, "managedMemory", managed_memory(graph, op));
        json_array_append_new(array, o);
    }
    return array;
}

/* ---- vertices ------------------------------------------------------------------------------- */

static json_t *operator_ids(const raski_job_vertex *vertex) {
    json_t *array = json_array();
    for (size_t i = 0; i < vertex->operator_id_count; i++) {
        const raski_operator_id_pair *pair = &vertex->operator_ids[i];
        json_t *o = json_object();
        set(o, "generated", id_text(pair->generated));
        set(o, "user", pair->has_user ? id_text(pair->user) : json_null());
        set(o, "name", json_string(pair->name));
        set(o, "uid", text_or_null(pair->uid));
        json_array_append_new(array, o);
    }
    return array;
}

static json_t *data_set_id(const raski_data_set *data_set, bool unstable) {
    if (data_set->cache != NULL) return json_string(data_set->cache);
    return unstable ? json_string("unstable") : id_text(data_set->id);
}

static json_t *results(const raski_job_vertex *vertex, bool unstable) {
    json_t *array = json_array();
    for (size_t i = 0; i < vertex->results.count; i++) {
        const raski_data_set *data_set = vertex->results.items[i];
        json_t *consumers = json_array(), *o = json_object();
        for (size_t k = 0; k < data_set->consumers.count; k++)
            json_array_append_new(
                consumers, json_integer((json_int_t)data_set->consumers.items[k]->target->index));
        set(o, "ref", result_ref(data_set));
        set(o, "id", data_set_id(data_set, unstable));
        set(o, "type", json_string(raski_result_type_name(data_set->type)));
        set(o, "distribution", json_string(raski_distribution_name(data_set->distribution)));
        set(o, "broadcast", json_boolean(data_set->is_broadcast));
        set(o, "forward", json_boolean(data_set->is_forward));
        set(o, "consumers", json_integer((json_int_t)data_set->consumers.count));
        set(o, "consumerVertices", consumers);
        json_array_append_new(array, o);
    }
    return array;
}

static json_t *inputs(const raski_job_vertex *vertex) {
    json_t *array = json_array();
    for (size_t i = 0; i < vertex->inputs.count; i++) {
        const raski_job_edge *edge = vertex->inputs.items[i];
        json_t *o = json_object();
        set(o, "result", result_ref(edge->source));
        set(o, "source", json_integer((json_int_t)edge->source->producer->index));
        set(o, "distribution", json_string(raski_distribution_name(edge->distribution)));
        set(o, "shipStrategy", json_string(edge->ship_strategy));
        set(o, "preProcessing", json_null());
        set(o, "caching", json_null());
        set(o, "typeNumber", json_integer(edge->type_number));
        set(o, "broadcast", json_boolean(edge->is_broadcast));
        set(o, "forward", json_boolean(edge->is_forward));
        set(o, "interInputsKeysCorrelated", json_boolean(edge->inter_inputs_keys_correlated));
        set(o, "intraInputKeyCorrelated", json_boolean(edge->intra_input_key_correlated));
        set(o, "downstreamStateMapper",
            json_string(raski_state_mapper_name(edge->downstream_state_mapper)));
        set(o, "upstreamStateMapper",
            json_string(raski_state_mapper_name(edge->upstream_state_mapper)));
        json_array_append_new(array, o);
    }
    return array;
}

static json_t *co_location(const raski_co_location_group *group) {
    if (group == NULL) return json_null();
    return json_pack("{s:i, s:o}", "index", (int)group->index, "vertices",
                     vertex_indices(group->vertices.items, group->vertices.count));
}

static json_t *vertex_facts(const raski_job_graph *graph, const raski_job_vertex *vertex,
                            bool unstable) {
    json_t *caches = json_array(), *o = json_object();
    if (vertex->consumed_cache != NULL)
        json_array_append_new(caches, json_string(vertex->consumed_cache));
    set(o, "index", json_integer((json_int_t)vertex->index));
    set(o, "id", id_text(vertex->id));
    set(o, "name", json_string(vertex->name));
    char *description = raski_job_vertex_description(graph, vertex);
    set(o, "description", json_string(description));
    raski_free(description);
    set(o, "kind", json_string(vertex->has_format ? "InputOutputFormatVertex" : "JobVertex"));
    set(o, "taskClass", json_string(vertex->task_class));
    set(o, "parallelism", json_integer(vertex->parallelism));
    set(o, "parallelismConfigured", json_boolean(vertex->parallelism_configured));
    set(o, "dynamicParallelism", json_boolean(vertex->parallelism == RASKI_PARALLELISM_DEFAULT));
    set(o, "maxParallelism", json_integer(vertex->max_parallelism));
    set(o, "operatorIds", operator_ids(vertex));
    set(o, "operators", operators(graph, vertex));
    set(o, "outputs", network_outputs(vertex, vertex->outputs, vertex->output_count));
    set(o, "slotSharingGroup", json_integer((json_int_t)vertex->slot_group->index));
    set(o, "coLocation", co_location(vertex->co_location_group));
    set(o, "minResources", raski_facts_resource_spec(&vertex->min_resources));
    set(o, "preferredResources", raski_facts_resource_spec(&vertex->preferred_resources));
    set(o, "supportsConcurrentExecutionAttempts",
        json_boolean(vertex->supports_concurrent_execution_attempts));
    set(o, "isAnyOutputBlocking", json_boolean(vertex->is_any_output_blocking));
    set(o, "operatorCoordinators", json_integer(vertex->operator_coordinators));
    set(o, "consumesCaches", caches);
    set(o, "results", results(vertex, unstable));
    set(o, "inputs", inputs(vertex));
    return o;
}

/* ---- the graph ------------------------------------------------------------------------------ */

static json_t *slot_groups(const raski_job_graph *graph) {
    json_t *array = json_array();
    for (size_t i = 0; i < graph->slot_groups.count; i++) {
        const raski_slot_group *group = graph->slot_groups.items[i];
        json_t *resources = raski_facts_resource_spec(&group->resources), *o = json_object();
        if (group->resources.known) { /* a slot's profile also has network memory */
            set(resources, "network", json_integer(0));
        }
        set(o, "index", json_integer((json_int_t)group->index));
        set(o, "name", json_string(group->name));
        set(o, "resources", resources);
        set(o, "vertices", vertex_indices(group->vertices.items, group->vertices.count));
        json_array_append_new(array, o);
    }
    return array;
}

static json_t *regions(const raski_job_graph *graph) {
    size_t *region_of = RASKI_NEW_ARRAY(size_t, graph->sorted.count);
    size_t count = raski_job_graph_regions(graph, region_of);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(array, json_array());
    for (size_t i = 0; i < graph->sorted.count; i++)
        json_array_append_new(json_array_get(array, region_of[i]), json_integer((json_int_t)i));
    raski_free(region_of);
    return array;
}

json_t *raski_facts_job_graph(const raski_job_graph *graph) {
    bool unstable = has_unstable_ids(graph);
    json_t *vertices = json_array(), *o = json_object();
    for (size_t i = 0; i < graph->sorted.count; i++)
        json_array_append_new(vertices, vertex_facts(graph, graph->sorted.items[i], unstable));
    set(o, "name", json_string(graph->name));
    set(o, "jobType", json_string(graph->job_type));
    set(o, "dynamic", json_boolean(graph->is_dynamic));
    set(o, "creationOrder", vertex_indices(graph->vertices.items, graph->vertices.count));
    set(o, "vertices", vertices);
    set(o, "slotSharingGroups", slot_groups(graph));
    set(o, "jobPlan", raski_facts_job_plan(graph));
    set(o, "regions", regions(graph));
    return o;
}
