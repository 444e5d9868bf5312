#include "plan/plan_drawing.h"

#include <string.h>

#include "plan/plan_format.h"
#include "plan/plan_operators.h"

/* --- details ------------------------------------------------------------------------------------
 */

void raski_drawing_put(json_t *details, const char *label, const char *value) {
    if (value == NULL || *value == '\0') return;
    json_t *pair = json_array();
    json_t *text = json_string(value);
    json_array_append_new(pair, json_string(label));
    json_array_append_new(pair, text != NULL ? text : json_string("(not UTF-8)"));
    json_array_append_new(details, pair);
}

void raski_drawing_putf(json_t *details, const char *label, const char *format, ...) {
    raski_str text = {0};
    va_list arguments;
    va_start(arguments, format);
    raski_str_vappendf(&text, format, arguments);
    va_end(arguments);
    raski_drawing_put(details, label, raski_str_text(&text));
    raski_str_free(&text);
}

const char *raski_plan_parallelism_text(raski_arena *arena, int parallelism) {
    return parallelism > 0 ? raski_arena_format(arena, "%d", parallelism) : "undecided";
}

static void put_inputs(const raski_plan *plan, const raski_stream_node *node, json_t *details) {
    for (size_t i = 0; i < node->in_edges.count; i++) {
        const raski_plan_edge *edge = raski_plan_edge_between(plan, node->in_edges.items[i]->id);
        if (edge == NULL) continue;
        const char *from = edge->edge->source->name;
        if (edge->obstacles == 0)
            raski_drawing_putf(details, "chained to", "%s", from);
        else
            raski_drawing_putf(details, "not chained", "to %s: %s", from, edge->obstacles_text);
    }
}

json_t *raski_plan_node_details(const raski_plan *plan, const raski_stream_node *node) {
    json_t *details = json_array();
    char hex[RASKI_ID_HEX_SIZE];
    const raski_id *id = raski_operator_hashes_get(&plan->hashes, node->id);
    raski_str states = {0};
    raski_plan_states_describe(raski_plan_states_of(node), &states);
    raski_drawing_put(details, "kind", raski_plan_kind_of(node));
    if (node->description != NULL && strcmp(node->description, node->name) != 0)
        raski_drawing_put(details, "description", node->description);
    raski_drawing_put(details, "from", raski_plan_where(plan->arena, node->transformation));
    if (id != NULL) raski_drawing_put(details, "operator id", raski_id_to_hex(*id, hex));
    raski_drawing_put(details, "uid",
                      node->uid != NULL ? node->uid : "none: the id depends on the topology");
    raski_drawing_put(details, "uid hash", node->user_hash);
    raski_drawing_put(details, "state",
                      states.length > 0 ? raski_str_text(&states) : "none that the plan shows");
    raski_drawing_put(details, "parallelism",
                      raski_plan_parallelism_text(plan->arena, node->parallelism));
    if (node->max_parallelism > 0)
        raski_drawing_putf(details, "max parallelism", "%d", (int)node->max_parallelism);
    if (node->key_selectors != NULL) raski_drawing_put(details, "key", node->key_type);
    raski_drawing_put(details, "output", node->output_type);
    raski_drawing_put(details, "chaining", raski_chaining_strategy_name(node->factory.chaining));
    raski_drawing_putf(details, "node", "%d", (int)node->id);
    put_inputs(plan, node, details);
    raski_str_free(&states);
    return details;
}

raski_drawing_mark raski_plan_node_mark(const raski_plan *plan, const raski_stream_node *node) {
    if (raski_plan_states_of(node) == 0) return RASKI_MARK_NONE;
    if (plan->stream_graph->job_type == RASKI_JOB_BATCH) return RASKI_MARK_STATE;
    return node->uid == NULL && node->user_hash == NULL ? RASKI_MARK_FRAGILE : RASKI_MARK_STATE;
}

size_t raski_plan_color_of(raski_drawing *drawing, raski_map *colors, const char *group) {
    const char *name = group != NULL ? group : "default";
    if (!raski_map_has(colors, name)) {
        raski_map_put(colors, name, (void *)(uintptr_t)(drawing->groups.count + 1));
        raski_vec_push(&drawing->groups, raski_arena_strdup(drawing->arena, name));
    }
    return (size_t)(uintptr_t)raski_map_get(colors, name) - 1;
}

/* --- the stream graph ---------------------------------------------------------------------------
 */

static void draw_edges(const raski_plan *plan, raski_stream_node **nodes, const raski_map *places,
                       raski_drawing *drawing) {
    for (size_t i = 0; i < plan->stream_graph->nodes.count; i++)
        for (size_t k = 0; k < nodes[i]->in_edges.count; k++) {
            const raski_stream_edge *edge = nodes[i]->in_edges.items[k];
            const raski_plan_edge *known = raski_plan_edge_between(plan, edge->id);
            size_t from = (size_t)(uintptr_t)raski_map_get_number(
                              places, (uint64_t)(uint32_t)edge->source->id) -
                          1;
            bool chained = known != NULL && known->obstacles == 0;
            raski_drawing_add_edge(
                drawing,
                (raski_drawing_edge){
                    .from = from,
                    .to = i,
                    .label = known != NULL ? known->partitioner : "",
                    .small_label = edge->side_output_tag != NULL
                                       ? raski_arena_format(drawing->arena, "side output %s",
                                                            edge->side_output_tag)
                                   : chained ? "chained"
                                             : "",
                    .line = chained ? RASKI_LINE_CHAINED : RASKI_LINE_PIPELINED,
                });
        }
}

void raski_plan_draw_stream_graph(const raski_plan *plan, raski_drawing *drawing) {
    const raski_stream_graph *graph = plan->stream_graph;
    raski_stream_node **nodes = raski_stream_graph_nodes_by_id(graph);
    raski_map places = {0}, colors = {0};
    for (size_t i = 0; i < graph->nodes.count; i++) {
        raski_drawing_box box = {
            .title = raski_arena_format(drawing->arena, "%d  %s", (int)nodes[i]->id,
                                        raski_plan_kind_of(nodes[i])),
            .badge = raski_arena_format(
                drawing->arena, "\xc3\x97 %s",
                raski_plan_parallelism_text(drawing->arena, nodes[i]->parallelism)),
            .name = nodes[i]->name,
            .group = raski_plan_color_of(drawing, &colors, nodes[i]->slot_sharing_group),
        };
        raski_drawing_row row = {.text = nodes[i]->name,
                                 .mark = raski_plan_node_mark(plan, nodes[i]),
                                 .details = raski_plan_node_details(plan, nodes[i])};
        box.details = json_deep_copy(row.details);
        raski_drawing_put(box.details, "slot sharing group", nodes[i]->slot_sharing_group);
        raski_vec_push(&box.rows, row);
        raski_map_put_number(&places, (uint64_t)(uint32_t)nodes[i]->id,
                             (void *)(uintptr_t)(raski_drawing_add_box(drawing, box) + 1));
    }
    draw_edges(plan, nodes, &places, drawing);
    drawing->subtitle = raski_arena_format(drawing->arena, "stream graph \xc2\xb7 %zu operators",
                                           graph->nodes.count);
    raski_map_free(&places);
    raski_map_free(&colors);
    raski_free(nodes);
}

/* --- all of them --------------------------------------------------------------------------------
 */

void raski_plan_draw(const raski_plan *plan, raski_plan_graph graph, raski_drawing *drawing) {
    drawing->group_kind = "slot sharing group";
    drawing->title = raski_arena_strdup(
        drawing->arena, plan->stream_graph->job_name != NULL ? plan->stream_graph->job_name : "");
    if (graph == RASKI_PLAN_STREAM_GRAPH)
        raski_plan_draw_stream_graph(plan, drawing);
    else
        raski_plan_draw_job_graph(plan, graph == RASKI_PLAN_EXECUTION_GRAPH, drawing);
    raski_drawing_layout(drawing);
}

void raski_plan_print_svg(const raski_plan *plan, raski_plan_graph graph,
                          const raski_plan_style *style, raski_str *out) {
    raski_drawing drawing;
    (void)style;
    raski_drawing_init(&drawing);
    raski_plan_draw(plan, graph, &drawing);
    raski_drawing_write_svg(&drawing, false, out);
    raski_drawing_fini(&drawing);
}

void raski_plan_print_html(const raski_plan *plan, raski_plan_graph graph,
                           const raski_plan_style *style, raski_str *out) {
    raski_drawing drawing;
    (void)style;
    raski_drawing_init(&drawing);
    raski_plan_draw(plan, graph, &drawing);
    raski_drawing_write_html(&drawing, out);
    raski_drawing_fini(&drawing);
}
