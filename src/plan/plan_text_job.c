/* The job graph as text: vertices in topological order, each with its chain as a tree, and what it
 * feeds. */
#include <string.h>

#include "plan/plan_text.h"
#include "types/key_group.h"

/* --- chains -------------------------------------------------------------------------------------
 * Chains may be a million operators long: no recursion, and only branches are indented. */

enum { INDENT_MAX = 24 };

typedef struct chain_frame {
    size_t place;  /* in vertex->operators */
    size_t indent; /* levels */
    bool is_branch;
} chain_frame;

static void write_operator(const raski_plan_writer *w, const raski_job_operator *op,
                           const chain_frame *frame) {
    char hex[RASKI_ID_HEX_SIZE];
    size_t indent = frame->indent < INDENT_MAX ? frame->indent : INDENT_MAX;
    raski_str_appendf(w->out, "      %*s%s", (int)(2 * indent), "",
                      frame->is_branch       ? "+- "
                      : op->chain_index > 1  ? "-> "
                      : op->chain_index == 0 ? "in "
                                             : "");
    raski_plan_write(w, RASKI_PLAN_PLAIN, op->name);
    raski_plan_writef(w, RASKI_PLAN_FAINT, "  %s", raski_id_to_hex(op->id, hex));
    if (op->uid != NULL) {
        raski_str_append(w->out, "  uid ");
        raski_plan_write(w, RASKI_PLAN_PLAIN, op->uid);
    }
    if (op->has_user_id)
        raski_str_appendf(w->out, "  uid hash %s", raski_id_to_hex(op->user_id, hex));
    raski_str_append(w->out, "\n");
}

static void write_chain(const raski_plan_writer *w, const raski_job_vertex *vertex) {
    RASKI_VEC(chain_frame) stack = {0};
    for (size_t i = 0; i < vertex->operator_count && vertex->operators[i].chain_index == 0; i++)
        write_operator(w, &vertex->operators[i], &(chain_frame){.place = i});
    raski_vec_push(&stack, (chain_frame){.place = vertex->head});
    while (stack.count > 0) {
        chain_frame frame = stack.items[--stack.count];
        const raski_job_operator *op = &vertex->operators[frame.place];
        write_operator(w, op, &frame);
        bool branches = op->chained_output_count > 1;
        for (size_t i = op->chained_output_count; i-- > 0;)
            raski_vec_push(&stack, (chain_frame){.place = op->chained_outputs[i].target,
                                                 .indent = frame.indent + (branches ? 1 : 0),
                                                 .is_branch = branches});
    }
    raski_vec_free(&stack);
}

/* --- vertices -----------------------------------------------------------------------------------
 */

static void write_vertex_name(const raski_plan_writer *w, const raski_job_vertex *vertex,
                              raski_plan_color color) {
    enum { NAME_MAX = 200 }; /* the name of a chain is as long as the chain */
    const char *name = vertex->name;
    raski_str_appendf(w->out, "[%zu] ", vertex->index);
    if (strlen(name) <= NAME_MAX) {
        raski_plan_write(w, color, name);
        return;
    }
    size_t length = NAME_MAX;
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80) length--;
    char *cut = raski_strndup(name, length);
    raski_plan_write(w, color, cut);
    raski_str_append(w->out, "...");
    raski_free(cut);
}

static void write_output(const raski_plan_writer *w, const raski_job_edge *edge) {
    const raski_data_set *data_set = edge->source;
    raski_str_append(w->out, "      -> ");
    write_vertex_name(w, edge->target, RASKI_PLAN_PLAIN);
    raski_str_appendf(
        w->out, "  %s, %s, %s%s\n", edge->ship_strategy, raski_result_type_name(data_set->type),
        data_set->distribution == RASKI_DISTRIBUTION_POINTWISE ? "pointwise" : "all to all",
        edge->is_broadcast ? ", broadcast" : "");
    raski_plan_write_obstacles(w, raski_plan_edge_between(w->plan, edge->edge_id));
}

static void write_slot_group(const raski_plan_writer *w, const raski_job_vertex *vertex) {
    raski_plan_write_label(w, "slot group");
    if (vertex->slot_group == NULL) {
        raski_str_append(w->out, "none\n");
        return;
    }
    raski_plan_write(w, RASKI_PLAN_PLAIN,
                     vertex->slot_group->name ? vertex->slot_group->name : "none");
    if (vertex->co_location_group != NULL)
        raski_str_appendf(w->out, ", co-location group %zu", vertex->co_location_group->index);
    raski_str_append(w->out, "\n");
}

/* A default is shown too: it freezes with the first savepoint. */
static void write_max_parallelism(const raski_plan_writer *w, const raski_job_vertex *vertex) {
    int32_t by_default = 0;
    if (vertex->max_parallelism > 0)
        raski_str_appendf(w->out, ", at most %d", vertex->max_parallelism);
    else if (vertex->parallelism > 0 &&
             raski_default_max_parallelism(vertex->parallelism, &by_default, NULL) == RASK_OK)
        raski_str_appendf(w->out, ", at most %d by default", by_default);
}

static void write_vertex(const raski_plan_writer *w, const raski_job_vertex *vertex) {
    char hex[RASKI_ID_HEX_SIZE];
    raski_str_append(w->out, "\n");
    write_vertex_name(w, vertex, RASKI_PLAN_STRONG);
    raski_str_append(w->out, "\n");
    raski_plan_write_label(w, "id");
    raski_plan_writef(w, RASKI_PLAN_FAINT, "%s\n", raski_id_to_hex(vertex->id, hex));
    raski_plan_write_label(w, "parallelism");
    raski_plan_write_parallelism(w, vertex->parallelism);
    write_max_parallelism(w, vertex);
    raski_str_append(w->out, "\n");
    write_slot_group(w, vertex);
    raski_str_append(w->out, "    chain\n");
    write_chain(w, vertex);
    if (vertex->results.count == 0) return;
    raski_str_append(w->out, "    feeds\n");
    for (size_t i = 0; i < vertex->results.count; i++)
        for (size_t k = 0; k < vertex->results.items[i]->consumers.count; k++)
            write_output(w, vertex->results.items[i]->consumers.items[k]);
}

/* --- slots --------------------------------------------------------------------------------------
 */

/* Slots that a group takes: as many as its widest vertex has subtasks; *ret_known is false when one
 * is not decided yet. */
static size_t slots_of(const raski_slot_group *group, bool *ret_known) {
    int widest = 0;
    for (size_t i = 0; i < group->vertices.count; i++) {
        int parallelism = group->vertices.items[i]->parallelism;
        if (parallelism < 0) *ret_known = false;
        if (parallelism > widest) widest = parallelism;
    }
    return (size_t)widest;
}

static void write_slots(const raski_plan_writer *w, const raski_job_graph *graph) {
    size_t total = 0;
    bool known = true;
    for (size_t i = 0; i < graph->slot_groups.count; i++)
        total += slots_of(graph->slot_groups.items[i], &known);
    raski_str_appendf(w->out, "\nSlots: %s%zu\n", known ? "" : "at least ", total);
    for (size_t i = 0; i < graph->slot_groups.count; i++) {
        const raski_slot_group *group = graph->slot_groups.items[i];
        known = true;
        size_t slots = slots_of(group, &known);
        raski_str_appendf(w->out, "    %zu for group ", slots);
        raski_plan_write(w, RASKI_PLAN_PLAIN, group->name ? group->name : "none");
        raski_str_append(w->out, known ? " (" : " or more (");
        raski_plan_write_count(w, group->vertices.count, "vertex", "vertices");
        raski_str_append(w->out, ")\n");
    }
}

void raski_plan_text_job_graph(const raski_plan_writer *w) {
    const raski_job_graph *graph = w->plan->job_graph;
    size_t operators = 0;
    for (size_t i = 0; i < graph->sorted.count; i++)
        operators += graph->sorted.items[i]->operator_count;
    raski_str_append(w->out, "Job graph of ");
    raski_plan_write(w, RASKI_PLAN_STRONG, graph->name);
    raski_str_append(w->out, ": ");
    raski_plan_write_count(w, graph->sorted.count, "vertex", "vertices");
    raski_str_append(w->out, ", ");
    raski_plan_write_count(w, operators, "operator", "operators");
    raski_str_appendf(w->out, ", %s%s\n",
                      strcmp(graph->job_type, "BATCH") == 0 ? "batch" : "streaming",
                      graph->is_dynamic ? ", parallelism may be decided while it runs" : "");
    for (size_t i = 0; i < graph->sorted.count; i++) write_vertex(w, graph->sorted.items[i]);
    write_slots(w, graph);
    raski_plan_write_warnings(w);
}
