/* partitioner_mappers.h - how data in flight on an edge is read after a change of parallelism.
 * Flink: StreamPartitioner.getUpstreamSubtaskStateMapper, getDownstreamSubtaskStateMapper.
 * Threads: pure. */
#ifndef RASKI_GRAPH_PARTITIONER_MAPPERS_H
#define RASKI_GRAPH_PARTITIONER_MAPPERS_H
#include "base/status.h"
#include "graph/partitioner.h"
#include "types/subtask_state_mapper.h"

/* For the output buffers of the producer. */
raski_subtask_state_mapper raski_partitioner_upstream_mapper(const raski_partitioner *partitioner);
/* For the input buffers of the consumer. A RuntimeException for the partitioners of adaptive
 * batch planning, which are replaced before a job runs. */
RASKI_NODISCARD rask_status raski_partitioner_downstream_mapper(
    const raski_partitioner *partitioner, raski_subtask_state_mapper *ret, raski_error *err);
#endif
