/* JSON: the stream graph as Flink's execution plan, the job graph as the plan of its REST API, the
 * execution graph in a form of our own (docs/plan.md). */
#include <jansson.h>
#include <stdlib.h>

#include "executiongraph/facts_execution_graph.h"
#include "graph/facts.h"
#include "plan/plan_format.h"

/* The facts of the structure, with what makes them readable on their own: names and ids. */
static char *execution_json(const raski_execution_topology *topology) {
    char hex[RASKI_ID_HEX_SIZE];
    json_t *facts = raski_facts_execution_graph(topology);
    json_t *vertices = json_object_get(facts, "vertices");
    for (size_t i = 0; i < topology->vertex_count; i++) {
        const raski_execution_job_vertex *vertex = &topology->vertices[i];
        json_t *object = json_array_get(vertices, i);
        json_object_set_new(object, "id",
                            json_string(raski_id_to_hex(vertex->job_vertex->id, hex)));
        json_object_set_new(object, "name", json_string_nocheck(vertex->job_vertex->name));
        json_object_set_new(object, "firstTask", json_integer((json_int_t)vertex->first_task));
        json_object_set_new(object, "maxParallelismConfigured",
                            json_boolean(vertex->max_parallelism_configured));
    }
    json_object_set_new(facts, "name", json_string_nocheck(topology->job_graph->name));
    json_object_set_new(facts, "type", json_string(topology->job_graph->job_type));
    json_object_set_new(facts, "tasks", json_integer((json_int_t)topology->task_count));
    char *text = json_dumps(facts, JSON_INDENT(2));
    json_decref(facts);
    return text;
}

void raski_plan_print_json(const raski_plan *plan, raski_plan_graph graph,
                           const raski_plan_style *style, raski_str *out) {
    (void)style;
    char *text = NULL;
    if (graph == RASKI_PLAN_EXECUTION_GRAPH) {
        text = execution_json(plan->execution);
        raski_str_append(out, text ? text : "");
        free(text); /* jansson's */
    } else {
        text = graph == RASKI_PLAN_JOB_GRAPH ? raski_job_plan_json(plan->job_graph)
                                             : raski_execution_plan_json(plan->stream_graph);
        raski_str_append(out, text);
        raski_free(text);
    }
    raski_str_append(out, "\n");
}
