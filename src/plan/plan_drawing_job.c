/* plan_drawing_job.c - job graphs and execution graphs: a box for each vertex. */
#include <string.h>

#include "plan/plan_drawing.h"

/* --- rows: the chain ----------------------------------------------------------------------------
 * From the head down, a branch behind the operator that it leaves. No recursion: chains are long.
 */

typedef struct chain_step {
    size_t place; /* in vertex->operators */
    int indent;
} chain_step;

static void add_operator(const raski_plan *plan, const raski_job_operator *op, int indent,
                         raski_drawing_box *box) {
    const raski_stream_node *node = raski_stream_graph_node(plan->stream_graph, op->node);
    raski_drawing_row row = {.text = op->name,
                             .indent = indent,
                             .mark = raski_plan_node_mark(plan, node),
                             .details = raski_plan_node_details(plan, node)};
    raski_vec_push(&box->rows, row);
}

/* rows: by place in vertex->operators, the row that each operator got. */
static void add_chain(const raski_plan *plan, const raski_job_vertex *vertex,
                      raski_drawing_box *box, size_t *rows) {
    RASKI_VEC(chain_step) stack = {0};
    for (size_t i = 0; i < vertex->operator_count && vertex->operators[i].chain_index == 0; i++) {
        rows[i] = box->rows.count;
        add_operator(plan, &vertex->operators[i], 0, box);
    }
    raski_vec_push(&stack, (chain_step){.place = vertex->head});
    while (stack.count > 0) {
        chain_step step = stack.items[--stack.count];
        const raski_job_operator *op = &vertex->operators[step.place];
        rows[step.place] = box->rows.count;
        add_operator(plan, op, step.indent, box);
        int indent = step.indent + (op->chained_output_count > 1);
        for (size_t i = op->chained_output_count; i-- > 0;)
            raski_vec_push(&stack, (chain_step){op->chained_outputs[i].target, indent});
    }
    raski_vec_free(&stack);
}

/* --- rows: the subtasks -------------------------------------------------------------------------
 */

static void add_text_row(raski_drawing *drawing, raski_drawing_box *box, const char *text) {
    raski_drawing_row row = {.text = raski_arena_strdup(drawing->arena, text),
                             .details = json_deep_copy(box->details)};
    raski_vec_push(&box->rows, row);
}

static size_t regions_of(const raski_execution_topology *topology,
                         const raski_execution_job_vertex *vertex, size_t *ret_first) {
    size_t count = 0, last = SIZE_MAX;
    for (int i = 0; i < vertex->parallelism; i++) {
        size_t region = topology->region_of_task[vertex->first_task + (size_t)i];
        if (region == last) continue; /* they come in order, or all in one */
        if (count++ == 0) *ret_first = region;
        last = region;
    }
    return count;
}

static void add_subtasks(const raski_plan *plan, const raski_job_vertex *vertex,
                         raski_drawing *drawing, raski_drawing_box *box) {
    const raski_execution_topology *topology = plan->execution;
    const raski_execution_job_vertex *ev = &topology->vertices[vertex->index];
    raski_str text = {0};
    add_text_row(drawing, box, vertex->name);
    if (!ev->is_initialized) {
        add_text_row(drawing, box, "made when its inputs are there");
        return;
    }
    raski_str_appendf(&text, "subtasks 0\xe2\x80\x93%d, tasks %zu\xe2\x80\x93%zu",
                      ev->parallelism - 1, ev->first_task,
                      ev->first_task + (size_t)ev->parallelism - 1);
    if (ev->parallelism == 1) {
        raski_str_truncate(&text, 0);
        raski_str_appendf(&text, "1 subtask, task %zu", ev->first_task);
    }
    add_text_row(drawing, box, raski_str_text(&text));
    raski_str_truncate(&text, 0);
    int least = ev->max_parallelism / ev->parallelism;
    if (ev->max_parallelism % ev->parallelism == 0)
        raski_str_appendf(&text, "%d key groups, %d each", ev->max_parallelism, least);
    else
        raski_str_appendf(&text, "%d key groups, %d or %d each", ev->max_parallelism, least,
                          least + 1);
    add_text_row(drawing, box, raski_str_text(&text));
    size_t first = 0, count = regions_of(topology, ev, &first);
    raski_str_truncate(&text, 0);
    if (count == 1)
        raski_str_appendf(&text, "pipelined region %zu of %zu", first + 1, topology->region_count);
    else
        raski_str_appendf(&text, "%zu pipelined regions of %zu", count, topology->region_count);
    add_text_row(drawing, box, raski_str_text(&text));
    raski_str_free(&text);
}

/* --- vertices -----------------------------------------------------------------------------------
 */

static json_t *vertex_details(const raski_plan *plan, const raski_job_vertex *vertex) {
    json_t *details = json_array();
    char hex[RASKI_ID_HEX_SIZE];
    raski_drawing_put(details, "vertex id", raski_id_to_hex(vertex->id, hex));
    raski_drawing_put(details, "parallelism",
                      raski_plan_parallelism_text(plan->arena, vertex->parallelism));
    if (vertex->max_parallelism > 0)
        raski_drawing_putf(details, "max parallelism", "%d", vertex->max_parallelism);
    else if (plan->execution != NULL)
        raski_drawing_putf(details, "max parallelism", "%d, by default",
                           plan->execution->vertices[vertex->index].max_parallelism);
    else
        raski_drawing_put(details, "max parallelism", "not set");
    if (vertex->slot_group != NULL)
        raski_drawing_putf(details, "slot sharing group", "%s (%zu)", vertex->slot_group->name,
                           vertex->slot_group->index);
    if (vertex->co_location_group != NULL)
        raski_drawing_putf(details, "co-location group", "%zu", vertex->co_location_group->index);
    raski_drawing_put(details, "task", vertex->task_class);
    raski_drawing_putf(details, "operators", "%zu", vertex->operator_count);
    if (vertex->operator_coordinators > 0)
        raski_drawing_putf(details, "coordinators", "%d", vertex->operator_coordinators);
    for (size_t i = 0; i < vertex->inputs.count; i++) {
        const raski_job_edge *edge = vertex->inputs.items[i];
        const raski_plan_edge *why = raski_plan_edge_between(plan, edge->edge_id);
        raski_drawing_putf(details, "reads", "%s: %s, %s%s%s", edge->source->producer->name,
                           edge->ship_strategy, raski_result_type_name(edge->source->type),
                           why != NULL ? "\nnot chained: " : "",
                           why != NULL ? why->obstacles_text : "");
    }
    return details;
}

static const char *kind_of_type(raski_result_type type) {
    switch (type) {
        case RASKI_RESULT_BLOCKING:
            return "blocking";
        case RASKI_RESULT_BLOCKING_PERSISTENT:
            return "blocking, kept";
        case RASKI_RESULT_PIPELINED:
            return "pipelined";
        case RASKI_RESULT_PIPELINED_BOUNDED:
            return "pipelined bounded";
        case RASKI_RESULT_PIPELINED_APPROXIMATE:
            return "pipelined approximate";
        case RASKI_RESULT_HYBRID_FULL:
            return "hybrid full";
        case RASKI_RESULT_HYBRID_SELECTIVE:
            return "hybrid selective";
    }
    return "";
}

static raski_drawing_line line_of(raski_result_type type) {
    if (raski_result_type_is_hybrid(type)) return RASKI_LINE_HYBRID;
    return raski_result_type_is_blocking(type) ? RASKI_LINE_BLOCKING : RASKI_LINE_PIPELINED;
}

/* Pairs of subtasks that exchange records. */
static const char *channels_text(raski_drawing *drawing, const raski_plan *plan,
                                 const raski_job_edge *edge) {
    const raski_execution_job_vertex *vertices = plan->execution->vertices;
    int64_t from = vertices[edge->source->producer->index].parallelism;
    int64_t to = vertices[edge->target->index].parallelism;
    if (from <= 0 || to <= 0) return "";
    bool is_all = edge->distribution == RASKI_DISTRIBUTION_ALL_TO_ALL;
    int64_t channels = is_all ? from * to : from > to ? from : to;
    return raski_arena_format(drawing->arena, "%s, %lld %s", is_all ? "all to all" : "pointwise",
                              (long long)channels, channels == 1 ? "channel" : "channels");
}

/* The row of the operator that writes to a result; first_rows: by vertex, rows by operator. */
static size_t writer_row(const raski_data_set *data_set, size_t *const *rows) {
    const raski_job_vertex *vertex = data_set->producer;
    for (size_t i = 0; i < vertex->output_count; i++) {
        if (vertex->outputs[i]->result != data_set->index) continue;
        for (size_t k = 0; k < vertex->operator_count; k++)
            if (vertex->operators[k].node == vertex->outputs[i]->source_node)
                return rows[vertex->index][k];
    }
    return 0;
}

static void draw_inputs(const raski_plan *plan, const raski_job_vertex *vertex, bool with_subtasks,
                        size_t *const *rows, raski_drawing *drawing) {
    for (size_t i = 0; i < vertex->inputs.count; i++) {
        const raski_job_edge *edge = vertex->inputs.items[i];
        raski_drawing_add_edge(
            drawing,
            (raski_drawing_edge){.from = edge->source->producer->index,
                                 .from_row = with_subtasks ? 0 : writer_row(edge->source, rows),
                                 .to = vertex->index,
                                 .to_row = with_subtasks ? 0 : rows[vertex->index][vertex->head],
                                 .label = edge->ship_strategy,
                                 .small_label = with_subtasks ? channels_text(drawing, plan, edge)
                                                              : kind_of_type(edge->source->type),
                                 .line = line_of(edge->source->type)});
    }
}

static void draw_vertex(const raski_plan *plan, const raski_job_vertex *vertex, bool with_subtasks,
                        raski_map *colors, size_t *rows, raski_drawing *drawing) {
    const char *group = vertex->slot_group != NULL ? vertex->slot_group->name : NULL;
    int parallelism =
        with_subtasks ? plan->execution->vertices[vertex->index].parallelism : vertex->parallelism;
    raski_drawing_box box = {
        .title = raski_arena_format(drawing->arena, "Vertex %zu%s%s", vertex->index + 1,
                                    group != NULL && strcmp(group, "default") != 0 ? "  " : "",
                                    group != NULL && strcmp(group, "default") != 0 ? group : ""),
        .badge = raski_arena_format(drawing->arena, "\xc3\x97 %s",
                                    raski_plan_parallelism_text(drawing->arena, parallelism)),
        .name = vertex->name,
        .group = raski_plan_color_of(drawing, colors, group),
        .details = vertex_details(plan, vertex),
    };
    if (with_subtasks)
        add_subtasks(plan, vertex, drawing, &box);
    else
        add_chain(plan, vertex, &box, rows);
    (void)raski_drawing_add_box(drawing, box);
}

void raski_plan_draw_job_graph(const raski_plan *plan, bool with_subtasks, raski_drawing *drawing) {
    const raski_job_graph *graph = plan->job_graph;
    raski_map colors = {0};
    size_t **rows = RASKI_NEW_ARRAY(size_t *, graph->sorted.count + 1), operators = 0;
    for (size_t i = 0; i < graph->sorted.count; i++) {
        const raski_job_vertex *vertex = graph->sorted.items[i];
        rows[i] = RASKI_NEW_ARRAY(size_t, vertex->operator_count + 1);
        operators += vertex->operator_count;
        draw_vertex(plan, vertex, with_subtasks, &colors, rows[i], drawing);
    }
    for (size_t i = 0; i < graph->sorted.count; i++)
        draw_inputs(plan, graph->sorted.items[i], with_subtasks, rows, drawing);
    drawing->subtitle =
        with_subtasks
            ? raski_arena_format(drawing->arena,
                                 "execution graph \xc2\xb7 %zu vertices, %zu subtasks, %zu "
                                 "pipelined regions",
                                 graph->sorted.count, plan->execution->task_count,
                                 plan->execution->region_count)
            : raski_arena_format(drawing->arena, "job graph \xc2\xb7 %zu vertices, %zu operators",
                                 graph->sorted.count, operators);
    for (size_t i = 0; i < graph->sorted.count; i++) raski_free(rows[i]);
    raski_free(rows);
    raski_map_free(&colors);
}
