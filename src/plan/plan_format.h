/* plan_format.h - the forms in which a plan is shown, as a table: `rask plan --format`, rask_plan.
 * A new form is a function and a line in plan_format.c. Threads: one owner. */
#ifndef RASKI_PLAN_PLAN_FORMAT_H
#define RASKI_PLAN_PLAN_FORMAT_H
#include "base/str.h"
#include "plan/plan.h"

typedef struct raski_plan_style {
    bool colors; /* escape sequences of terminals; text only */
} raski_plan_style;

/* Appends the graph to out, with a newline at the end. The plan was run up to the graph. */
typedef void (*raski_plan_print)(const raski_plan *plan, raski_plan_graph graph,
                                 const raski_plan_style *style, raski_str *out);

typedef struct raski_plan_format {
    const char *name;       /* as on the command line */
    raski_plan_print print; /* NULL: facts, which are no view of a plan but all of it */
} raski_plan_format;

/* Programs know one form more, "operators": what rask plan --diff asks for. */
const raski_plan_format *raski_plan_formats(size_t *ret_count);
const raski_plan_format *raski_plan_format_named(const char *name); /* NULL: there is none */
/* "text, json or facts" and so on: for messages. Static. */
const char *raski_plan_format_names(void);
/* false when there is none of that name: "stream", "job", "execution". */
bool raski_plan_graph_named(const char *name, raski_plan_graph *ret_graph);

/* Plans the program and appends the graph in a form that has a `print`. All stages run, whatever
 * the graph, since Flink may refuse a program at the last of them; the graph is shown as it was
 * when it was made. Errors: the planner's; out is as it was then. */
RASKI_NODISCARD rask_status raski_plan_show(raski_plan *plan, raski_plan_graph graph,
                                            const raski_plan_format *format,
                                            const raski_plan_style *style, raski_str *out,
                                            raski_error *err);

/* --- the forms --- */
void raski_plan_print_text(const raski_plan *plan, raski_plan_graph graph,
                           const raski_plan_style *style, raski_str *out);
void raski_plan_print_json(const raski_plan *plan, raski_plan_graph graph,
                           const raski_plan_style *style, raski_str *out);
void raski_plan_print_operators(const raski_plan *plan, raski_plan_graph graph,
                                const raski_plan_style *style, raski_str *out);
void raski_plan_print_svg(const raski_plan *plan, raski_plan_graph graph,
                          const raski_plan_style *style, raski_str *out);
void raski_plan_print_html(const raski_plan *plan, raski_plan_graph graph,
                           const raski_plan_style *style, raski_str *out);
void raski_plan_print_dot(const raski_plan *plan, raski_plan_graph graph,
                          const raski_plan_style *style, raski_str *out);
#endif
