#include "plan/plan_format.h"

#include <string.h>

static const raski_plan_format formats[] = {
    {"text", raski_plan_print_text},
    {"json", raski_plan_print_json},
    {"dot", raski_plan_print_dot},
    {"svg", raski_plan_print_svg},
    {"html", raski_plan_print_html},
    {"facts", NULL},
    {"operators", raski_plan_print_operators},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const raski_plan_format *raski_plan_formats(size_t *ret_count) {
    *ret_count = FORMATS;
    return formats;
}

const raski_plan_format *raski_plan_format_named(const char *name) {
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
    return NULL;
}

const char *raski_plan_format_names(void) {
    return "text, json, dot, svg, html or facts";
}

bool raski_plan_graph_named(const char *name, raski_plan_graph *ret_graph) {
    static const char *const names[] = {[RASKI_PLAN_STREAM_GRAPH] = "stream",
                                        [RASKI_PLAN_JOB_GRAPH] = "job",
                                        [RASKI_PLAN_EXECUTION_GRAPH] = "execution"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) != 0) continue;
        *ret_graph = (raski_plan_graph)i;
        return true;
    }
    return false;
}

rask_status raski_plan_show(raski_plan *plan, raski_plan_graph graph,
                            const raski_plan_format *format, const raski_plan_style *style,
                            raski_str *out, raski_error *err) {
    size_t before = out->length;
    rask_status status = raski_plan_run(plan, graph, err);
    if (status == RASK_OK && graph == RASKI_PLAN_JOB_GRAPH &&
        format->print == raski_plan_print_json)
        status = raski_plan_check_descriptions(plan, err);
    if (status == RASK_OK && graph == RASKI_PLAN_EXECUTION_GRAPH &&
        format->print == raski_plan_print_json)
        status = raski_plan_check_subtasks(plan, RASKI_PLAN_SUBTASKS_LISTED_MAX, err);
    if (status == RASK_OK) {
        format->print(plan, graph, style, out); /* later stages change the graph */
        status = raski_plan_run(plan, RASKI_PLAN_EXECUTION_GRAPH, err);
    }
    if (status != RASK_OK) raski_str_truncate(out, before);
    return status;
}
