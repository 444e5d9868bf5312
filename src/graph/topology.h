/* topology.h - reads topology files: DataStream programs written down as JSON.
 * The format is documented in docs of the golden facts (plan/topology.md): steps are the calls of
 * the DataStream API in their order. Reading one builds the same transformations as the program
 * would: names, descriptions, types, ids. Flink counterpart: none (the harness's Topology.java).
 * Threads: one owner. Uses jansson; anything that JSON can say is either built or refused. */
#ifndef RASKI_GRAPH_TOPOLOGY_H
#define RASKI_GRAPH_TOPOLOGY_H
#include <jansson.h>

#include "graph/transformation.h"

typedef struct raski_topology raski_topology;

/* Reads configuration and environment of document (borrowed; must live as long as the result).
 * Errors are those of making a Flink environment, or exception "Bad": the file itself is wrong. */
RASKI_NODISCARD rask_status raski_topology_create(const json_t *document,
                                                  raski_topology **ret_topology, raski_error *err);
/* Runs the steps. Exception "Bad" ("step N (op): what") says that the file asks for something that
 * the API cannot say; others are Flink's. */
RASKI_NODISCARD rask_status raski_topology_build(raski_topology *topology, raski_error *err);
/* The first environment: what is planned. Sinks call back into the topology while they are planned,
 * so that it must live until then. */
raski_plan_env *raski_topology_env(const raski_topology *topology);
/* Name of the job, or NULL: Flink's default (or pipeline.name). Lives as long as the topology. */
const char *raski_topology_job_name(const raski_topology *topology);
void raski_topology_destroy(raski_topology *topology_take);
#endif
