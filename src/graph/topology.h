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

/* Where in a document something is. Everything is borrowed from document and topology. */
typedef struct raski_topology_place {
    int step;             /* number in the order of execution; -1: in no step */
    const char *op;       /* of the step; "" when it has none */
    const json_t *object; /* the step, or another object of the document; NULL: not known */
    const char *field;    /* of object, perhaps a missing one; NULL: the whole object */
    bool is_name;         /* it is about the field's name, not its value */
} raski_topology_place;

/* Reads configuration and environment of document (borrowed; must live as long as the result).
 * Errors are those of making a Flink environment, or exception "Bad": the file itself is wrong; the
 * topology is made all the same then, so that raski_topology_failed_at can be asked, and is the
 * caller's to destroy. */
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
/* What was being read when creating or building failed; also after raski_topology_create failed, if
 * it left a topology. */
raski_topology_place raski_topology_failed_at(const raski_topology *topology);
/* The step that made a transformation (the steps of sinks too, once they were planned), as known by
 * its location: topologies make transformations with the op as `file` and the number of the step
 * as `line`. step is -1 when it is of no step. */
raski_topology_place raski_topology_place_of(const raski_topology *topology,
                                             const raski_transformation *transformation);
/* A sentence for a person after exception "Bad": what was expected at the place of the failure
 * ("did you mean ...", "expected ..."). A heap string for the caller; NULL when there is nothing to
 * add. */
char *raski_topology_expectation(const raski_topology *topology, const raski_error *err);
/* Checks that fields have the JSON types and the ranges of golden/plan/topology.md. Building alone
 * converts values of other types as the reference reader does (2.9 is 2, "true" is true), which is
 * right for comparisons and hides a person's mistakes. Unknown ops and fields are for building to
 * tell. Errors: exception "Bad" with what is wrong and what was expected; *ret_place says where. */
RASKI_NODISCARD rask_status raski_topology_check(const json_t *document,
                                                 raski_topology_place *ret_place, raski_error *err);
void raski_topology_destroy(raski_topology *topology_take);
#endif
