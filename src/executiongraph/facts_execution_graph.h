/* facts_execution_graph.h - the structure of an execution graph as JSON: section executionGraph of
 * golden/plan/facts.md, by which Rask is compared with Flink. Threads: any. Uses jansson; results
 * are new references. */
#ifndef RASKI_EXECUTIONGRAPH_FACTS_EXECUTION_GRAPH_H
#define RASKI_EXECUTIONGRAPH_FACTS_EXECUTION_GRAPH_H
#include <jansson.h>

#include "executiongraph/execution_topology.h"

json_t *raski_facts_execution_graph(const raski_execution_topology *topology);
#endif
