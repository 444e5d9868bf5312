/* failover_strategy.h - which tasks run again after one failed. Pure.
 * Flink: executiongraph.failover.RestartPipelinedRegionFailoverStrategy,
 * RestartAllFailoverStrategy. Threads: any that may read the graph. */
#ifndef RASKI_SCHEDULER_FAILOVER_STRATEGY_H
#define RASKI_SCHEDULER_FAILOVER_STRATEGY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executiongraph/execution_graph.h"

/* Whether what a producer wrote into a partition is still there to be read (again). */
typedef bool (*raski_partition_available_fn)(void *ctx, uint32_t partition);

/* jobmanager.execution.failover-strategy */
typedef enum raski_failover_strategy {
    RASKI_FAILOVER_REGION, /* the pipelined regions that the failure concerns */
    RASKI_FAILOVER_FULL,   /* everything */
} raski_failover_strategy;

/* The tasks to restart after `failed` did, ascending: those of its region; of the regions that make
 * what an involved region reads and what is not available; of the regions that read of an involved
 * one. Tasks that are still CREATED are not listed. failed_partition: the partition that could not
 * be read, or UINT32_MAX. *ret_tasks is for the caller to free. */
void raski_failover_tasks_to_restart(const raski_execution_graph *graph,
                                     raski_failover_strategy strategy, size_t failed,
                                     uint32_t failed_partition,
                                     raski_partition_available_fn is_available, void *ctx,
                                     size_t **ret_tasks, size_t *ret_task_count);

/* All tasks that are not CREATED. */
void raski_failover_all_tasks(const raski_execution_graph *graph, size_t **ret_tasks,
                              size_t *ret_task_count);
#endif
