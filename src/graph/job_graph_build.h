/* job_graph_build.h - putting a job graph together: for the generators of this folder and for tests
 * of whatever takes a job graph. Flink: the setters of JobGraph, JobVertex, IntermediateDataSet.
 * Threads: one owner, until the graph is finished. */
#ifndef RASKI_GRAPH_JOB_GRAPH_BUILD_H
#define RASKI_GRAPH_JOB_GRAPH_BUILD_H
#include "graph/job_graph.h"

/* An empty graph, of type STREAMING and not dynamic. name is copied. */
raski_job_graph *raski_job_graph_new(const char *name);

/* A new vertex at the end of graph->vertices, owned by the graph: parallelism and max parallelism
 * undecided (-1), no operators. name is copied. */
raski_job_vertex *raski_job_graph_add_vertex(raski_job_graph *graph, raski_id id, const char *name);

/* The result of vertex with this id, made if it is new. A blocking type marks the vertex. */
raski_data_set *raski_job_vertex_result(raski_job_graph *graph, raski_job_vertex *vertex,
                                        raski_id id, raski_result_type type);

/* Fixes how a result without consumers will be read; a second call must say the same.
 * Errors: IllegalStateException. */
RASKI_NODISCARD rask_status raski_data_set_configure(raski_data_set *data_set,
                                                     raski_distribution distribution,
                                                     bool is_broadcast, bool is_forward,
                                                     raski_error *err);

/* A new gate at the end of target->inputs that reads source. The edge is the graph's; its other
 * fields are 0 and to be set by the caller. All consumers of a result must read it in the same
 * way. Errors: IllegalStateException. */
RASKI_NODISCARD rask_status raski_job_vertex_connect(raski_job_graph *graph,
                                                     raski_job_vertex *target,
                                                     raski_data_set *source,
                                                     raski_distribution distribution,
                                                     bool is_broadcast, bool is_forward,
                                                     raski_job_edge **ret_edge, raski_error *err);

/* Fills graph->sorted and the index of each vertex: from the sources, in Flink's order.
 * Errors: InvalidProgramException when the graph has a cycle. */
RASKI_NODISCARD rask_status raski_job_graph_sort(raski_job_graph *graph, raski_error *err);

/* Numbers slot sharing groups and co-location groups by first appearance in graph->sorted and
 * sorts the vertices of slot sharing groups. */
void raski_job_graph_number_groups(raski_job_graph *graph);
#endif
