/* partition_registry.h - where the result partitions of one process are found by those that read
 * them. Flink: ResultPartitionManager with its partition request listeners.
 * All task executors of a process share one. Holds a reference of each partition, taken and given
 * back through the task factory.
 * Threads: the executor's. */
#ifndef RASKI_TASKEXECUTOR_PARTITION_REGISTRY_H
#define RASKI_TASKEXECUTOR_PARTITION_REGISTRY_H
#include <stdbool.h>
#include <stddef.h>

#include "actor/actor.h"
#include "executiongraph/failure.h"
#include "taskexecutor/task_factory.h"

typedef struct raski_partition_registry raski_partition_registry;

/* Borrows factory until destroy. */
raski_partition_registry *raski_partition_registry_create(const raski_task_factory *factory);
void raski_partition_registry_destroy(raski_partition_registry *registry_take);

/* Makes partition known (takes a reference) and tells all who wait. `task_executor` made it. */
void raski_partition_registry_put(raski_partition_registry *registry, raski_id job_id,
                                  raski_partition_id id, uint64_t task_executor, void *partition);
/* Borrowed until the executor runs the next message; NULL: not there (yet). */
void *raski_partition_registry_get(const raski_partition_registry *registry, raski_id job_id,
                                   raski_partition_id id);
/* Lets go of one partition; of all of a job, that a task executor made (0: whoever). */
void raski_partition_registry_remove(raski_partition_registry *registry, raski_id job_id,
                                     raski_partition_id id);
void raski_partition_registry_remove_job(raski_partition_registry *registry, raski_id job_id,
                                         uint64_t task_executor);
/* Lets go of all that a task executor made. */
void raski_partition_registry_remove_task_executor(raski_partition_registry *registry,
                                                   uint64_t task_executor);

/* Sends a raski_message_partition_ready to waiter at each put, from now on. */
void raski_partition_registry_add_waiter(raski_partition_registry *registry, raski_address waiter);
void raski_partition_registry_remove_waiter(raski_partition_registry *registry,
                                            raski_address waiter);
size_t raski_partition_registry_count(const raski_partition_registry *registry);
#endif
