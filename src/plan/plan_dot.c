/* Graphviz: chains as boxes in boxes, edges labelled, slot sharing groups coloured. */
#include "plan/plan_format.h"

static const char *const fills[] = {"#eef4fb", "#fdf3e4", "#eaf6ec", "#f6ecf7",
                                    "#fbecec", "#eef7f7", "#f7f7e8", "#f0f0f0"};
enum { FILLS = sizeof fills / sizeof *fills };

static void write_quoted(raski_str *out, const char *text) {
    raski_str_append(out, "\"");
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') raski_str_append(out, "\\");
        raski_str_append_char(out, (unsigned char)*text < ' ' ? ' ' : *text);
    }
    raski_str_append(out, "\"");
}

static void begin(raski_str *out, const char *name) {
    raski_str_append(out, "digraph ");
    write_quoted(out, name);
    raski_str_append(out,
                     " {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", "
                     "fillcolor=white, fontname=\"Helvetica\", fontsize=11];\n  edge "
                     "[fontname=\"Helvetica\", fontsize=9];\n  graph [fontname=\"Helvetica\", "
                     "fontsize=12, style=\"rounded,filled\"];\n");
}

/* --- the stream graph ---------------------------------------------------------------------------
 */

static void write_stream_graph(const raski_plan *plan, raski_str *out) {
    const raski_stream_graph *graph = plan->stream_graph;
    begin(out, graph->job_name);
    raski_stream_node **nodes = raski_stream_graph_nodes_by_id(graph);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        raski_str_appendf(out, "  n%d [label=", nodes[i]->id);
        write_quoted(out, nodes[i]->name);
        raski_str_append(out, "];\n");
    }
    for (size_t i = 0; i < graph->nodes.count; i++)
        for (size_t k = 0; k < nodes[i]->out_edges.count; k++) {
            const raski_plan_edge *edge =
                raski_plan_edge_between(plan, nodes[i]->out_edges.items[k]->id);
            raski_str_appendf(out, "  n%d -> n%d [label=\"%s\"%s", nodes[i]->id,
                              edge->edge->target->id, edge->partitioner,
                              edge->obstacles == 0 ? ", style=bold" : "");
            if (edge->obstacles != 0) {
                raski_str_append(out, ", tooltip=");
                write_quoted(out, edge->obstacles_text);
            }
            raski_str_append(out, "];\n");
        }
    raski_free(nodes);
}

/* --- the job graph and the execution graph ------------------------------------------------------
 */

static void write_vertex(const raski_job_vertex *vertex, raski_str *out) {
    char hex[RASKI_ID_HEX_SIZE];
    size_t group = vertex->slot_group ? vertex->slot_group->index : 0;
    raski_str_appendf(out, "  subgraph cluster_%zu {\n    label=\"[%zu]  parallelism ",
                      vertex->index, vertex->index);
    if (vertex->parallelism > 0)
        raski_str_appendf(out, "%d", vertex->parallelism);
    else
        raski_str_append(out, "not decided");
    raski_str_appendf(out, "\"; color=\"#8899aa\"; fillcolor=\"%s\"; tooltip=\"%s\";\n",
                      fills[group % FILLS], raski_id_to_hex(vertex->id, hex));
    for (size_t i = 0; i < vertex->operator_count; i++) {
        const raski_job_operator *op = &vertex->operators[i];
        raski_str_appendf(out, "    n%d [label=", op->node);
        write_quoted(out, op->name);
        raski_str_appendf(out, ", tooltip=\"%s\"];\n", raski_id_to_hex(op->id, hex));
    }
    for (size_t i = 0; i < vertex->operator_count; i++) {
        const raski_job_operator *op = &vertex->operators[i];
        for (size_t k = 0; k < op->chained_output_count; k++)
            raski_str_appendf(out, "    n%d -> n%d [style=bold];\n", op->node,
                              op->chained_outputs[k].target_node);
        for (size_t k = 0; k < op->input_count; k++)
            if (op->inputs[k].kind == RASKI_INPUT_CHAINED_SOURCE)
                raski_str_appendf(out, "    n%d -> n%d [style=bold];\n", op->inputs[k].source_node,
                                  op->node);
    }
    raski_str_append(out, "  }\n");
}

/* The operator of the producing vertex that writes to a result. */
static int writer_of(const raski_data_set *data_set) {
    const raski_job_vertex *vertex = data_set->producer;
    for (size_t i = 0; i < vertex->output_count; i++)
        if (vertex->outputs[i]->result == data_set->index) return vertex->outputs[i]->source_node;
    return vertex->head_node;
}

static void write_inputs(const raski_plan *plan, raski_plan_graph graph,
                         const raski_job_vertex *vertex, raski_str *out) {
    for (size_t i = 0; i < vertex->inputs.count; i++) {
        const raski_job_edge *edge = vertex->inputs.items[i];
        raski_str_appendf(out, "  n%d -> n%d [label=\"%s\\n%s", writer_of(edge->source),
                          vertex->head_node, edge->ship_strategy,
                          raski_result_type_name(edge->source->type));
        if (graph == RASKI_PLAN_EXECUTION_GRAPH &&
            plan->execution->vertices[vertex->index].is_initialized)
            raski_str_appendf(out, "\\n%zu partition groups",
                              plan->execution->vertices[vertex->index].inputs[i].group_count);
        raski_str_append(out, "\", tooltip=");
        const raski_plan_edge *why = raski_plan_edge_between(plan, edge->edge_id);
        write_quoted(out, why != NULL ? why->obstacles_text : "");
        raski_str_append(out, "];\n");
    }
}

static void write_job_graph(const raski_plan *plan, raski_plan_graph graph, raski_str *out) {
    const raski_job_graph *job = plan->job_graph;
    begin(out, job->name);
    for (size_t i = 0; i < job->sorted.count; i++) write_vertex(job->sorted.items[i], out);
    for (size_t i = 0; i < job->sorted.count; i++)
        write_inputs(plan, graph, job->sorted.items[i], out);
}

void raski_plan_print_dot(const raski_plan *plan, raski_plan_graph graph,
                          const raski_plan_style *style, raski_str *out) {
    (void)style;
    if (graph == RASKI_PLAN_STREAM_GRAPH)
        write_stream_graph(plan, out);
    else
        write_job_graph(plan, graph, out);
    raski_str_append(out, "}\n");
}
