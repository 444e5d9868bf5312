/* plan.h - all that planning makes of one program, stage by stage, for tools that show it.
 * The program is a raski_plan_env with its transformations (of a topology file or of the API).
 * Flink counterpart: what CliFrontend's info, the REST plan and the golden harness take apart.
 *
 * Stages build on each other: stream graph and operator ids, job graph, execution topology. A later
 * stage runs the earlier ones. The first that fails ends planning; `stage` says which it was.
 * Threads: one owner. */
#ifndef RASKI_PLAN_PLAN_H
#define RASKI_PLAN_PLAN_H
#include "executiongraph/execution_topology.h"
#include "graph/operator_hash.h"
#include "graph/stream_graph.h"

/* Larger execution graphs are refused, so that a file of a few lines cannot take all memory. */
enum {
    RASKI_PLAN_SUBTASKS_MAX = 16 * 1000 * 1000,
    RASKI_PLAN_SUBTASKS_LISTED_MAX = 1000 * 1000, /* forms that list them all */
};

typedef enum raski_plan_graph {
    RASKI_PLAN_STREAM_GRAPH,
    RASKI_PLAN_JOB_GRAPH,
    RASKI_PLAN_EXECUTION_GRAPH,
} raski_plan_graph;

/* An edge of the stream graph as it was before the job graph changed it. */
typedef struct raski_plan_edge {
    const raski_stream_edge *edge;
    const char *partitioner;    /* text */
    unsigned obstacles;         /* bits of raski_chain_obstacle; 0: chained */
    const char *obstacles_text; /* in words, joined by "; "; "" when there is none */
} raski_plan_edge;

typedef struct raski_plan {
    raski_plan_env *env;  /* borrowed */
    const char *job_name; /* borrowed; NULL: the environment's */
    const char *stage;    /* as golden/plan/facts.md names them: what ran last */
    raski_stream_graph *stream_graph;
    raski_operator_hashes hashes;
    RASKI_VEC(raski_plan_edge) edges; /* sorted by their ids */
    raski_job_graph *job_graph;       /* NULL until made */
    raski_execution_topology *execution;
    raski_arena *arena;
} raski_plan;

void raski_plan_init(raski_plan *plan, raski_plan_env *env, const char *job_name);
void raski_plan_fini(raski_plan *plan);

/* Runs the stages up to a graph, those that have not run yet. Errors: Flink's; plan->stage says
 * where, env->graph->failed which operator it is about, if one. */
RASKI_NODISCARD rask_status raski_plan_run(raski_plan *plan, raski_plan_graph graph,
                                           raski_error *err);
/* The stages one by one, for facts, which are taken in between. */
RASKI_NODISCARD rask_status raski_plan_run_stream_graph(raski_plan *plan, raski_error *err);
RASKI_NODISCARD rask_status raski_plan_run_operator_ids(raski_plan *plan, raski_error *err);
RASKI_NODISCARD rask_status raski_plan_run_job_graph(raski_plan *plan, raski_error *err);
RASKI_NODISCARD rask_status raski_plan_run_execution_graph(raski_plan *plan, raski_error *err);

/* Fills plan->edges; before the job graph is made. raski_plan_run does it. */
RASKI_NODISCARD rask_status raski_plan_explain_edges(raski_plan *plan, raski_error *err);
/* An error when the descriptions of the vertices, which some forms contain, would take more memory
 * than is reasonable: the tree of a chain grows by the square of its length. Needs the job graph.
 */
RASKI_NODISCARD rask_status raski_plan_check_descriptions(raski_plan *plan, raski_error *err);
/* The same for forms that have a line or more for each subtask. Needs the job graph. */
RASKI_NODISCARD rask_status raski_plan_check_subtasks(raski_plan *plan, size_t subtasks_max,
                                                      raski_error *err);
/* The entry of an edge, or NULL. O(log edges). */
const raski_plan_edge *raski_plan_edge_between(const raski_plan *plan, const char *edge_id);
#endif
