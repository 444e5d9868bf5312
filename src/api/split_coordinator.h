/* split_coordinator.h - the coordinators of split sources, and of others that belong to an
 * alignment group: they enumerate the splits, once for the job or again and again, and hand them
 * out, one at a time, to readers that ask; readers wait while more may be found. Flink:
 * SourceCoordinator with a SplitEnumerator (the file source's static and continuous ones with the
 * simple assigner). Threads: the job master's. */
#ifndef RASKI_API_SPLIT_COORDINATOR_H
#define RASKI_API_SPLIT_COORDINATOR_H
#include <stddef.h>

#include "executiongraph/operator_coordinator.h"
#include "graph/job_graph.h"

typedef struct raski_split_coordinators raski_split_coordinators;

/* For every such source of the graph, which is borrowed until destroy. */
raski_split_coordinators *raski_split_coordinators_create(const raski_job_graph *graph);
void raski_split_coordinators_destroy(raski_split_coordinators *coordinators_take);
const raski_coordinator_provider *raski_split_coordinators_providers(
    const raski_split_coordinators *coordinators);
size_t raski_split_coordinators_count(const raski_split_coordinators *coordinators);
/* Sources that have splits. */
size_t raski_split_coordinators_split_sources(const raski_split_coordinators *coordinators);
/* How many splits there are, and how many have been read. @thread the job master's, or when no job
 * runs */
void raski_split_coordinators_progress(const raski_split_coordinators *coordinators,
                                       size_t *ret_done, size_t *ret_total);
#endif
