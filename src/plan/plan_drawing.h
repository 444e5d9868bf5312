/* plan_drawing.h - the three graphs of a plan as drawings. Private to src/plan.
 * Threads: one owner. */
#ifndef RASKI_PLAN_PLAN_DRAWING_H
#define RASKI_PLAN_PLAN_DRAWING_H
#include "plan/drawing.h"
#include "plan/plan.h"

/* Fills an empty drawing, laid out. The plan was run up to the graph. */
void raski_plan_draw(const raski_plan *plan, raski_plan_graph graph, raski_drawing *drawing);

/* --- for the three --- */
void raski_plan_draw_stream_graph(const raski_plan *plan, raski_drawing *drawing);
/* and the execution graph, which has the same boxes with other rows */
void raski_plan_draw_job_graph(const raski_plan *plan, bool with_subtasks, raski_drawing *drawing);

/* Adds a field to details, a list; values NULL and "" are left out. */
void raski_drawing_put(json_t *details, const char *label, const char *value);
void raski_drawing_putf(json_t *details, const char *label, const char *format, ...)
    RASKI_PRINTF(3, 4);
/* Details of an operator that its stream node knows. */
json_t *raski_plan_node_details(const raski_plan *plan, const raski_stream_node *node);
/* What stands behind its name. */
raski_drawing_mark raski_plan_node_mark(const raski_plan *plan, const raski_stream_node *node);
/* The place of a slot sharing group's colour; adds it when it is new. */
size_t raski_plan_color_of(raski_drawing *drawing, raski_map *colors, const char *group);
/* "2", or "undecided" in arena. */
const char *raski_plan_parallelism_text(raski_arena *arena, int parallelism);
#endif
