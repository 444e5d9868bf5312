/* adaptive_graph.h - the job graph of a dynamic job, which grows while the job runs: a vertex is
 * made when all that it reads has finished, so that its parallelism can be decided by the data.
 * Flink: streaming.api.graph.AdaptiveGraphManager (adaptive batch scheduler). Operator hashes are
 * numbered in the order in which chains are made, so ids differ from those of
 * raski_job_graph_create. Threads: one owner. */
#ifndef RASKI_GRAPH_ADAPTIVE_GRAPH_H
#define RASKI_GRAPH_ADAPTIVE_GRAPH_H
#include "graph/job_graph.h"

typedef struct raski_adaptive_graph raski_adaptive_graph;

/* Makes the vertices that depend on nothing. Changes stream_graph, borrows it for the graph's life
 * and fails as raski_job_graph_create does. *ret_graph is the caller's to destroy. */
RASKI_NODISCARD rask_status raski_adaptive_graph_create(raski_stream_graph *stream_graph,
                                                        raski_id job_id,
                                                        raski_adaptive_graph **ret_graph,
                                                        raski_error *err);
/* Destroys the job graph, too. */
void raski_adaptive_graph_destroy(raski_adaptive_graph *graph_take);

/* The graph as it is now: vertices are added at the end of its `vertices`, `sorted` and indices are
 * renewed with each growth. Borrowed. */
const raski_job_graph *raski_adaptive_graph_job_graph(const raski_adaptive_graph *graph);

/* Says that a vertex of the job graph has finished; those that can be made now are added.
 * *ret_created becomes how many were (the last ones of job_graph->vertices). */
RASKI_NODISCARD rask_status raski_adaptive_graph_vertex_finished(raski_adaptive_graph *graph,
                                                                 const raski_job_vertex *vertex,
                                                                 size_t *ret_created,
                                                                 raski_error *err);

/* How many operators are in no vertex yet. */
size_t raski_adaptive_graph_pending_operators(const raski_adaptive_graph *graph);
#endif
