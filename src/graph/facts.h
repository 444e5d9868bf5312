/* facts.h - plans as JSON: the form of golden/plan/facts.md, by which Rask is compared with Flink,
 * and the execution plan that users see. Threads: one owner. Uses jansson; results are new
 * references. */
#ifndef RASKI_GRAPH_FACTS_H
#define RASKI_GRAPH_FACTS_H
#include <jansson.h>

#include "base/str.h"
#include "graph/operator_hash.h"
#include "graph/stream_graph.h"

/* StreamExecutionEnvironment.getExecutionPlan: the nodes of the stream graph, sinks last. */
json_t *raski_facts_stream_plan(const raski_stream_graph *graph);
/* The same as text, exactly as Flink prints it. The caller frees it. */
char *raski_execution_plan_json(const raski_stream_graph *graph);
/* Section streamGraph. */
json_t *raski_facts_stream_graph(const raski_stream_graph *graph);
/* Section operatorHashes. */
json_t *raski_facts_operator_hashes(const raski_stream_graph *graph,
                                    const raski_operator_hashes *hashes);
/* "UNKNOWN" or an object. */
json_t *raski_facts_resource_spec(const raski_resource_spec *spec);
/* Prints a document as Jackson's default pretty printer does. */
void raski_json_print_pretty(const json_t *document, raski_str *out);
#endif
