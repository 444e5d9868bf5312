/* failover_graph.h - what the kinds of failover/ share: their graphs, and execution graphs that are
 * driven by hand. Tasks are named "vertex.subtask", vertices by their place in the case. */
#ifndef GOLDEN_FAILOVER_GRAPH_H
#define GOLDEN_FAILOVER_GRAPH_H
#include "executiongraph/execution_graph.h"
#include "golden/golden.h"

/* The job graph of c's "graph"; NULL when it is none (a difference is reported). */
raski_job_graph *failover_job_graph(golden_case *c);
/* Its execution graph; NULL likewise. Borrows job_graph. */
raski_execution_graph *failover_execution_graph(golden_case *c, const raski_job_graph *job_graph);

/* The task of a name; ends the process when there is none. */
size_t failover_task(const raski_execution_graph *graph, const char *name);
/* A list of names, by vertex and subtask; a new reference. */
json_t *failover_names(const raski_execution_graph *graph, const size_t *tasks, size_t count);
/* The same, in the order given. */
json_t *failover_names_in_order(const raski_execution_graph *graph, const size_t *tasks,
                                size_t count);

/* One list of these lists (none empty), by their first names. Takes them, but not the array. */
json_t *failover_sorted(json_t **lists_take, size_t count);

/* Brings a task from wherever its attempt is to a state, by whatever leads there; a final attempt
 * is followed by a new one. */
void failover_bring(raski_execution_graph *graph, size_t task, raski_execution_state state);
raski_execution_state failover_state(const char *name);
#endif
