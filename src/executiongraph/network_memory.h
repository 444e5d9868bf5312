/* network_memory.h - whether the network memory of a slot with fixed resources can be told.
 * Private to src/executiongraph. Flink: SsgNetworkMemoryCalculationUtils, NettyShuffleUtils.
 * Threads: any (pure). */
#ifndef RASKI_EXECUTIONGRAPH_NETWORK_MEMORY_H
#define RASKI_EXECUTIONGRAPH_NETWORK_MEMORY_H
#include "executiongraph/execution_topology.h"

/* Checks the slot sharing group of a vertex that has just been initialized, once all vertices of
 * the group are. A result that takes as many buffers as it can get (hybrid ones) has no figure.
 * Errors: IllegalArgumentException. */
RASKI_NODISCARD rask_status raski_network_memory_check(const raski_execution_topology *topology,
                                                       const raski_job_vertex *vertex,
                                                       raski_error *err);
#endif
