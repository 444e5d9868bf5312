/* pipelined_regions.h - which subtasks must be scheduled and restarted together.
 * Flink: SchedulingPipelinedRegionComputeUtil and DefaultExecutionTopology's part in it.
 * Threads: any (pure). */
#ifndef RASKI_EXECUTIONGRAPH_PIPELINED_REGIONS_H
#define RASKI_EXECUTIONGRAPH_PIPELINED_REGIONS_H
#include "executiongraph/execution_topology.h"

/* Fills regions, region_count and region_of_task of a topology whose edges are connected.
 * Subtasks are together when a result that must be pipelined joins them. A logical region with an
 * all-to-all edge inside is one region, even if that edge is blocking; otherwise regions that wait
 * for each other in a circle are merged. Time and memory are linear in subtasks and groups.
 * Errors: IllegalStateException when co-located subtasks fall into different regions. */
RASKI_NODISCARD rask_status raski_pipelined_regions_compute(raski_execution_topology *topology,
                                                            raski_error *err);
#endif
