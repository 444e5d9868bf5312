/* The plan of a job as the REST interface shows it. Flink: JsonPlanGenerator. */
#include <jansson.h>
#include <stdlib.h>

#include "base/str.h"
#include "graph/facts_job_graph.h"
#include "graph/html_text.h"

/* Descriptions are shown as HTML. */
static json_t *html_description(const char *description) {
    raski_str html = {0}, out = {0};
    raski_html_escape(description, &html);
    for (const char *p = raski_str_text(&html); *p != '\0'; p++) {
        if (*p == '\n')
            raski_str_append(&out, "<br/>");
        else if (*p == '\\')
            raski_str_append(&out, "&#92;");
        else
            raski_str_append_char(&out, *p);
    }
    json_t *result = json_stringn(raski_str_text(&out), out.length);
    raski_str_free(&html);
    raski_str_free(&out);
    return result;
}

static json_t *plan_input(const raski_job_edge *edge) {
    char id[RASKI_ID_HEX_SIZE], exchange[32];
    const char *type = raski_result_type_name(edge->source->type);
    size_t i = 0;
    for (; type[i] != '\0' && i < sizeof exchange - 1; i++)
        exchange[i] = (char)(type[i] >= 'A' && type[i] <= 'Z' ? type[i] + ('a' - 'A') : type[i]);
    exchange[i] = '\0';
    return json_pack("{s:s, s:i, s:s, s:s}", "id", raski_id_to_hex(edge->source->producer->id, id),
                     "num", (int)edge->index, "exchange", exchange, "ship_strategy",
                     edge->ship_strategy);
}

static json_t *plan_node(const raski_job_graph *graph, const raski_job_vertex *vertex) {
    char id[RASKI_ID_HEX_SIZE];
    char *description = raski_job_vertex_description(graph, vertex);
    json_t *node =
        json_pack("{s:s, s:s, s:i, s:s, s:o, s:{}}", "id", raski_id_to_hex(vertex->id, id),
                  "operator", "", "parallelism", vertex->parallelism, "operator_strategy", "",
                  "description", html_description(description), "optimizer_properties");
    raski_free(description);
    json_t *inputs = json_array();
    for (size_t i = 0; i < vertex->inputs.count; i++)
        json_array_append_new(inputs, plan_input(vertex->inputs.items[i]));
    if (vertex->inputs.count > 0)
        json_object_set_new(node, "inputs", inputs);
    else
        json_decref(inputs);
    return node;
}

json_t *raski_facts_job_plan(const raski_job_graph *graph) {
    char id[RASKI_ID_HEX_SIZE];
    json_t *nodes = json_array();
    for (size_t i = 0; i < graph->vertices.count; i++)
        json_array_append_new(nodes, plan_node(graph, graph->vertices.items[i]));
    return json_pack("{s:s, s:s, s:s, s:o}", "jid", raski_id_to_hex(graph->job_id, id), "name",
                     graph->name, "type", graph->job_type, "nodes", nodes);
}

char *raski_job_plan_json(const raski_job_graph *graph) {
    json_t *plan = raski_facts_job_plan(graph);
    char *text = json_dumps(plan, JSON_COMPACT);
    RASKI_ASSERT(text != NULL);
    char *result = raski_strdup(text);
    free(text);
    json_decref(plan);
    return result;
}
