/* facts_job_graph.h - job graphs as JSON: the form of golden/plan/facts.md, by which Rask is
 * compared with Flink. Threads: any. Uses jansson; results are new references. */
#ifndef RASKI_GRAPH_FACTS_JOB_GRAPH_H
#define RASKI_GRAPH_FACTS_JOB_GRAPH_H
#include <jansson.h>

#include "graph/adaptive_graph.h"
#include "graph/job_graph.h"

/* Section jobGraph. */
json_t *raski_facts_job_graph(const raski_job_graph *graph);
/* Section adaptiveGraph: every vertex is taken to finish, in the order of creation. Errors of
 * planning are part of the document. Changes stream_graph as job graphs do. */
json_t *raski_facts_adaptive_graph(raski_stream_graph *stream_graph);
/* Flink's JSON plan; see raski_job_plan_json. */
json_t *raski_facts_job_plan(const raski_job_graph *graph);
/* "0-3,5" of ascending numbers. */
json_t *raski_facts_ranges(const int *numbers, size_t count);
#endif
