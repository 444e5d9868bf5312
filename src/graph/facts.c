/* facts.c - sections streamPlan, streamGraph and operatorHashes of the plan facts. */
#include "graph/facts.h"

#include <inttypes.h>
#include <string.h>

static void put(json_t *object, const char *key, json_t *value_take) {
    int failed = json_object_set_new_nocheck(object, key, value_take);
    RASKI_ASSERT(failed == 0);
}

static json_t *text_or_null(const char *text) {
    return text ? json_string_nocheck(text) : json_null();
}

static void append(json_t *array, json_t *value_take) {
    int failed = json_array_append_new(array, value_take);
    RASKI_ASSERT(failed == 0);
}

/* --- the execution plan ------------------------------------------------------------------------
 */

static json_t *plan_node(const raski_stream_node *node) {
    json_t *object = json_object();
    put(object, "id", json_integer(node->id));
    put(object, "type", json_string_nocheck(node->name));
    put(object, "pact",
        json_string(node->is_source ? "Data Source"
                    : node->is_sink ? "Data Sink"
                                    : "Operator"));
    put(object, "contents", json_string_nocheck(node->description));
    put(object, "parallelism", json_integer(node->parallelism));
    if (node->is_source) return object;
    json_t *predecessors = json_array();
    for (size_t i = 0; i < node->in_edges.count; i++) {
        const raski_stream_edge *edge = node->in_edges.items[i];
        json_t *predecessor = json_object();
        put(predecessor, "id", json_integer(edge->source->id));
        put(predecessor, "ship_strategy", json_string(raski_partitioner_text(edge->partitioner)));
        put(predecessor, "side", json_string("second")); /* Flink never says "first" */
        append(predecessors, predecessor);
    }
    put(object, "predecessors", predecessors);
    return object;
}

json_t *raski_facts_stream_plan(const raski_stream_graph *graph) {
    json_t *plan = json_object(), *list = json_array();
    raski_stream_node **nodes = raski_stream_graph_nodes_by_id(graph);
    for (int sinks = 0; sinks <= 1; sinks++)
        for (size_t i = 0; i < graph->nodes.count; i++)
            if (nodes[i]->is_sink == (sinks == 1)) append(list, plan_node(nodes[i]));
    raski_free(nodes);
    put(plan, "nodes", list);
    return plan;
}

char *raski_execution_plan_json(const raski_stream_graph *graph) {
    raski_str text = {0};
    json_t *plan = raski_facts_stream_plan(graph);
    raski_json_print_pretty(plan, &text);
    json_decref(plan);
    return raski_str_steal(&text);
}

/* --- printing as Jackson does ------------------------------------------------------------------
 */

static void print_string(const char *text, size_t length, raski_str *out) {
    static const char letters[] = "btnvfr"; /* of 8 to 13; 11 has none in JSON */
    raski_str_append_char(out, '"');
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') {
            raski_str_append_char(out, '\\');
            raski_str_append_char(out, (char)c);
        } else if (c >= 8 && c <= 13 && c != 11) {
            raski_str_append_char(out, '\\');
            raski_str_append_char(out, letters[c - 8]);
        } else if (c < 32) {
            raski_str_appendf(out, "\\u%04X", c);
        } else {
            raski_str_append_char(out, (char)c);
        }
    }
    raski_str_append_char(out, '"');
}

static void print_indent(int depth, raski_str *out) {
    raski_str_append_char(out, '\n');
    for (int i = 0; i < depth; i++) raski_str_append(out, "  ");
}

/* Plans nest a handful of levels. */
static void print_value(const json_t *value, int depth, raski_str *out) {
    const char *key;
    json_t *member;
    size_t index;
    bool first = true;
    switch (json_typeof(value)) {
        case JSON_OBJECT:
            raski_str_append_char(out, '{');
            json_object_foreach((json_t *)(uintptr_t)value, key, member) {
                if (!first) raski_str_append_char(out, ',');
                first = false;
                print_indent(depth + 1, out);
                print_string(key, strlen(key), out);
                raski_str_append(out, " : ");
                print_value(member, depth + 1, out);
            }
            if (first)
                raski_str_append_char(out, ' ');
            else
                print_indent(depth, out);
            raski_str_append_char(out, '}');
            break;
        case JSON_ARRAY:
            raski_str_append(out, "[ ");
            json_array_foreach((json_t *)(uintptr_t)value, index, member) {
                if (index > 0) raski_str_append(out, ", ");
                print_value(member, depth, out);
            }
            raski_str_append(out, json_array_size(value) > 0 ? " ]" : "]");
            break;
        case JSON_STRING:
            print_string(json_string_value(value), json_string_length(value), out);
            break;
        case JSON_INTEGER:
            raski_str_appendf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
            break;
        case JSON_REAL: {
            char *text = json_dumps(value, JSON_ENCODE_ANY);
            raski_str_append(out, text);
            free(text);
            break;
        }
        case JSON_TRUE:
            raski_str_append(out, "true");
            break;
        case JSON_FALSE:
            raski_str_append(out, "false");
            break;
        case JSON_NULL:
            raski_str_append(out, "null");
            break;
    }
}

void raski_json_print_pretty(const json_t *document, raski_str *out) {
    print_value(document, 0, out);
}

/* --- section streamGraph -----------------------------------------------------------------------
 */

json_t *raski_facts_resource_spec(const raski_resource_spec *spec) {
    if (!spec->known) return json_string("UNKNOWN");
    json_t *object = json_object(), *external = json_object();
    put(object, "cpu", json_real(spec->cpu_cores));
    put(object, "taskHeap", json_integer(spec->task_heap_bytes));
    put(object, "taskOffHeap", json_integer(spec->task_off_heap_bytes));
    put(object, "managed", json_integer(spec->managed_bytes));
    for (size_t i = 0; i < spec->external_count; i++)
        put(external, spec->externals[i].name, json_real(spec->externals[i].amount));
    put(object, "external", external);
    return object;
}

static json_t *edge_facts(const raski_stream_edge *edge) {
    json_t *object = json_object();
    put(object, "id", json_string_nocheck(edge->id));
    put(object, "source", json_integer(edge->source->id));
    put(object, "target", json_integer(edge->target->id));
    put(object, "typeNumber", json_integer(edge->type_number));
    put(object, "sideOutput", text_or_null(edge->side_output_tag));
    put(object, "partitioner", json_string(raski_partitioner_text(edge->partitioner)));
    put(object, "partitionerClass", json_string(raski_partitioner_class_name(edge->partitioner)));
    put(object, "exchangeMode", json_string(raski_exchange_mode_name(edge->exchange_mode)));
    put(object, "bufferTimeout", json_integer(edge->buffer_timeout_ms));
    put(object, "supportsUnalignedCheckpoints", json_boolean(edge->supports_unaligned_checkpoints));
    put(object, "interInputsKeysCorrelated", json_boolean(edge->inter_inputs_keys_correlated));
    put(object, "intraInputKeyCorrelated", json_boolean(edge->intra_input_key_correlated));
    put(object, "cache", text_or_null(edge->cache_data_set));
    return object;
}

static json_t *memory_weights(const raski_stream_node *node) {
    json_t *weights = json_object();
    if (node->operator_memory_weight)
        put(weights, raski_memory_use_case_name(RASKI_MEMORY_OPERATOR),
            json_integer(node->operator_memory_weight));
    return weights;
}

static json_t *slot_use_cases(const raski_stream_node *node) {
    json_t *use_cases = json_array();
    for (int i = 0; i < RASKI_MEMORY_USE_CASES; i++)
        if (node->slot_scope_memory[i])
            append(use_cases, json_string(raski_memory_use_case_name((raski_memory_use_case)i)));
    return use_cases;
}

static json_t *input_requirements(const raski_stream_node *node) {
    json_t *requirements = json_object();
    for (size_t i = 0; i < node->input_requirement_count; i++) {
        char index[24];
        snprintf(index, sizeof index, "%zu", i);
        if (node->input_requirements[i] == RASKI_INPUT_REQUIREMENT_SORTED)
            put(requirements, index, json_string("SORTED"));
        else if (node->input_requirements[i] == RASKI_INPUT_REQUIREMENT_PASS_THROUGH)
            put(requirements, index, json_string("PASS_THROUGH"));
    }
    return requirements;
}

static json_t *format_name(raski_operator_format format) {
    if (format == RASKI_FORMAT_NONE) return json_null();
    return json_string(format == RASKI_FORMAT_INPUT ? "input" : "output");
}

static void put_edges(json_t *object, const raski_stream_node *node) {
    json_t *in_edges = json_array(), *out_edges = json_array();
    for (size_t i = 0; i < node->in_edges.count; i++)
        append(in_edges, edge_facts(node->in_edges.items[i]));
    for (size_t i = 0; i < node->out_edges.count; i++)
        append(out_edges, json_string_nocheck(node->out_edges.items[i]->id));
    put(object, "inEdges", in_edges);
    put(object, "outEdges", out_edges);
}

static json_t *node_facts(const raski_stream_node *node) {
    const raski_operator_factory *factory = &node->factory;
    json_t *object = json_object();
    put(object, "id", json_integer(node->id));
    put(object, "name", json_string_nocheck(node->name));
    put(object, "description", json_string_nocheck(node->description));
    put(object, "parallelism", json_integer(node->parallelism));
    put(object, "parallelismConfigured", json_boolean(node->parallelism_configured));
    put(object, "maxParallelism", json_integer(node->max_parallelism));
    put(object, "slotSharingGroup", text_or_null(node->slot_sharing_group));
    put(object, "coLocationGroup", text_or_null(node->co_location_group));
    put(object, "chaining", json_string(raski_chaining_strategy_name(factory->chaining)));
    put(object, "taskClass", json_string(raski_task_class_name(node->task_class)));
    put(object, "isSourceOperator", json_boolean(factory->role == RASKI_OPERATOR_SOURCE));
    put(object, "isLegacySource", json_boolean(factory->role == RASKI_OPERATOR_LEGACY_SOURCE));
    put(object, "isYielding", json_boolean(factory->yielding));
    put(object, "bufferTimeout", json_integer(node->buffer_timeout_ms));
    put(object, "uid", text_or_null(node->uid));
    put(object, "userHash", text_or_null(node->user_hash));
    put(object, "minResources", raski_facts_resource_spec(&node->min_resources));
    put(object, "preferredResources", raski_facts_resource_spec(&node->preferred_resources));
    put(object, "managedMemoryWeights", memory_weights(node));
    put(object, "slotScopeUseCases", slot_use_cases(node));
    put(object, "inputRequirements", input_requirements(node));
    put(object, "noOutputUntilEndOfInput", json_boolean(node->no_output_until_end_of_input));
    put(object, "outputOnlyAfterEndOfStream",
        json_boolean(factory->output_only_after_end_of_stream));
    put(object, "supportsConcurrentExecutionAttempts",
        json_boolean(node->supports_concurrent_execution_attempts));
    put(object, "format", format_name(factory->format));
    put_edges(object, node);
    return object;
}

json_t *raski_facts_stream_graph(const raski_stream_graph *graph) {
    json_t *object = json_object();
    json_t *sources = json_array(), *sinks = json_array(), *list = json_array();
    raski_stream_node **nodes = raski_stream_graph_nodes_by_id(graph);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        if (nodes[i]->is_source) append(sources, json_integer(nodes[i]->id));
        if (nodes[i]->is_sink) append(sinks, json_integer(nodes[i]->id));
        append(list, node_facts(nodes[i]));
    }
    raski_free(nodes);
    put(object, "jobName", json_string_nocheck(graph->job_name));
    put(object, "jobType", json_string(raski_job_type_name(graph->job_type)));
    put(object, "dynamic", json_boolean(graph->dynamic));
    put(object, "exchangeMode", json_string(raski_global_exchange_mode_name(graph->exchange_mode)));
    put(object, "chaining", json_boolean(graph->config.chaining));
    put(object, "chainingWithDifferentMaxParallelism",
        json_boolean(graph->config.chaining_with_different_max_parallelism));
    put(object, "sameSlotSharingGroupByDefault",
        json_boolean(graph->same_slot_sharing_group_by_default));
    put(object, "checkpointing", json_boolean(graph->checkpointing));
    put(object, "sources", sources);
    put(object, "sinks", sinks);
    put(object, "nodes", list);
    return object;
}

json_t *raski_facts_operator_hashes(const raski_stream_graph *graph,
                                    const raski_operator_hashes *hashes) {
    json_t *list = json_array();
    raski_stream_node **nodes = raski_stream_graph_nodes_by_id(graph);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        char hex[RASKI_ID_HEX_SIZE];
        const raski_id *id = raski_operator_hashes_get(hashes, nodes[i]->id);
        if (id == NULL) continue;
        json_t *object = json_object();
        put(object, "node", json_integer(nodes[i]->id));
        put(object, "hash", json_string(raski_id_to_hex(*id, hex)));
        raski_id user_hash;
        if (nodes[i]->user_hash && raski_id_from_hex(nodes[i]->user_hash, &user_hash))
            put(object, "userHash", json_string(raski_id_to_hex(user_hash, hex)));
        append(list, object);
    }
    raski_free(nodes);
    return list;
}
