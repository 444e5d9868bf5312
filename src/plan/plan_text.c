#include "plan/plan_text.h"

#include <stdio.h>
#include <string.h>

#include "plan/plan_state.h"

enum { LABEL_WIDTH = 16 };

static const char *const begin_color[] = {"", "\x1b[1m", "\x1b[2m", "\x1b[33m"};

void raski_plan_write(const raski_plan_writer *w, raski_plan_color color, const char *text) {
    bool colored = w->colors && color != RASKI_PLAN_PLAIN;
    if (colored) raski_str_append(w->out, begin_color[color]);
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        if (*p == '\n')
            raski_str_append(w->out, "\\n");
        else if (*p < ' ' || *p == 0x7f)
            raski_str_appendf(w->out, "\\x%02x", *p);
        else
            raski_str_append_char(w->out, (char)*p);
    }
    if (colored) raski_str_append(w->out, "\x1b[0m");
}

void raski_plan_writef(const raski_plan_writer *w, raski_plan_color color, const char *format,
                       ...) {
    bool colored = w->colors && color != RASKI_PLAN_PLAIN;
    va_list arguments;
    va_start(arguments, format);
    if (colored) raski_str_append(w->out, begin_color[color]);
    raski_str_vappendf(w->out, format, arguments);
    if (colored) raski_str_append(w->out, "\x1b[0m");
    va_end(arguments);
}

void raski_plan_write_label(const raski_plan_writer *w, const char *label) {
    raski_str_appendf(w->out, "    %-*s", LABEL_WIDTH, label);
}

void raski_plan_write_parallelism(const raski_plan_writer *w, int parallelism) {
    if (parallelism > 0)
        raski_str_appendf(w->out, "%d", parallelism);
    else
        raski_str_append(w->out, "not decided");
}

void raski_plan_write_count(const raski_plan_writer *w, size_t count, const char *one,
                            const char *many) {
    raski_str_appendf(w->out, "%zu %s", count, count == 1 ? one : many);
}

void raski_plan_write_obstacles(const raski_plan_writer *w, const raski_plan_edge *edge) {
    if (edge == NULL || edge->obstacles == 0) return;
    raski_str_append(w->out, "          not chained: ");
    raski_plan_write(w, RASKI_PLAN_PLAIN, edge->obstacles_text);
    raski_str_append(w->out, "\n");
}

void raski_plan_write_warnings(const raski_plan_writer *w) {
    const raski_stream_graph *graph = w->plan->stream_graph;
    bool is_first = true;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const raski_stream_node *node = graph->nodes.items[i];
        unsigned states = raski_plan_states_of(node);
        if (states == 0 || !raski_plan_id_depends_on_topology(node)) continue;
        if (is_first)
            raski_plan_writef(w, RASKI_PLAN_WARNING,
                              "\nWarning: these operators have state but no uid, so that their ids "
                              "depend on the topology.\nAfter a change of the program their state "
                              "may not be found in a savepoint. Give them uids.\n");
        is_first = false;
        raski_str_appendf(w->out, "    %d  ", node->id);
        raski_plan_write(w, RASKI_PLAN_STRONG, node->name);
        raski_str_append(w->out, " (");
        raski_plan_states_describe(states, w->out);
        raski_str_append(w->out, ")\n");
    }
}

void raski_plan_print_text(const raski_plan *plan, raski_plan_graph graph,
                           const raski_plan_style *style, raski_str *out) {
    raski_plan_writer w = {.plan = plan, .colors = style->colors, .out = out};
    switch (graph) {
        case RASKI_PLAN_STREAM_GRAPH:
            raski_plan_text_stream_graph(&w);
            break;
        case RASKI_PLAN_JOB_GRAPH:
            raski_plan_text_job_graph(&w);
            break;
        case RASKI_PLAN_EXECUTION_GRAPH:
            raski_plan_text_execution_graph(&w);
            break;
    }
}
