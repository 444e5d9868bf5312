/* The stream graph as text: operators in the order of their ids, edges with what they do. */
#include "plan/plan_text.h"

static void write_edge(const raski_plan_writer *w, const raski_plan_edge *edge) {
    const raski_stream_edge *e = edge->edge;
    raski_str_appendf(w->out, "      -> %d  ", e->target->id);
    raski_plan_write(w, RASKI_PLAN_PLAIN, e->target->name);
    raski_str_appendf(w->out, "  %s", edge->partitioner);
    if (e->type_number > 0) raski_str_appendf(w->out, ", input %d", e->type_number);
    if (e->side_output_tag != NULL) {
        raski_str_append(w->out, ", side output ");
        raski_plan_write(w, RASKI_PLAN_PLAIN, e->side_output_tag);
    }
    if (e->exchange_mode != RASKI_EXCHANGE_UNDEFINED)
        raski_str_appendf(w->out, ", exchange %s", raski_exchange_mode_name(e->exchange_mode));
    raski_str_append(w->out, edge->obstacles == 0 ? ", chained\n" : "\n");
    raski_plan_write_obstacles(w, edge);
}

static void write_node(const raski_plan_writer *w, const raski_stream_node *node) {
    char hex[RASKI_ID_HEX_SIZE];
    const raski_id *id = raski_operator_hashes_get(&w->plan->hashes, node->id);
    raski_str_appendf(w->out, "\n%d  ", node->id);
    raski_plan_write(w, RASKI_PLAN_STRONG, node->name);
    raski_str_append(w->out, "\n");
    raski_plan_write_label(w, "id");
    raski_plan_write(w, RASKI_PLAN_FAINT, id ? raski_id_to_hex(*id, hex) : "none");
    if (node->uid != NULL) {
        raski_str_append(w->out, "  of uid ");
        raski_plan_write(w, RASKI_PLAN_PLAIN, node->uid);
    }
    if (node->user_hash != NULL) {
        raski_str_append(w->out, "  and uid hash ");
        raski_plan_write(w, RASKI_PLAN_PLAIN, node->user_hash);
    }
    raski_str_append(w->out, "\n");
    raski_plan_write_label(w, "parallelism");
    raski_plan_write_parallelism(w, node->parallelism);
    if (node->max_parallelism > 0) raski_str_appendf(w->out, ", at most %d", node->max_parallelism);
    raski_str_append(w->out, "\n");
    raski_plan_write_label(w, "slot group");
    raski_plan_write(w, RASKI_PLAN_PLAIN,
                     node->slot_sharing_group ? node->slot_sharing_group : "none");
    raski_str_append(w->out, "\n");
    raski_plan_write_label(w, "chaining");
    raski_str_appendf(w->out, "%s\n", raski_chaining_strategy_name(node->factory.chaining));
    for (size_t i = 0; i < node->out_edges.count; i++)
        write_edge(w, raski_plan_edge_between(w->plan, node->out_edges.items[i]->id));
}

void raski_plan_text_stream_graph(const raski_plan_writer *w) {
    const raski_stream_graph *graph = w->plan->stream_graph;
    raski_str_append(w->out, "Stream graph of ");
    raski_plan_write(w, RASKI_PLAN_STRONG, graph->job_name);
    raski_str_append(w->out, ": ");
    raski_plan_write_count(w, graph->nodes.count, "operator", "operators");
    raski_str_appendf(w->out, ", %s\n", graph->job_type == RASKI_JOB_BATCH ? "batch" : "streaming");
    raski_stream_node **nodes = raski_stream_graph_nodes_by_id(graph);
    for (size_t i = 0; i < graph->nodes.count; i++) write_node(w, nodes[i]);
    raski_free(nodes);
    raski_plan_write_warnings(w);
}
