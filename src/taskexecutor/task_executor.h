/* task_executor.h - the door of this folder: slots, and the tasks that run in them.
 * Flink: runtime.taskexecutor.TaskExecutor with TaskSlotTable.
 * An actor; messages.h says what it takes and sends. Tasks come from a factory; what they tell from
 * their own threads arrives as messages too.
 * Threads: create and destroy on the executor (or while it does not run). */
#ifndef RASKI_TASKEXECUTOR_TASK_EXECUTOR_H
#define RASKI_TASKEXECUTOR_TASK_EXECUTOR_H
#include <stddef.h>
#include <stdint.h>

#include "actor/actor.h"
#include "taskexecutor/partition_registry.h"
#include "taskexecutor/task_factory.h"

typedef struct raski_task_executor raski_task_executor;

typedef struct raski_task_executor_options {
    uint64_t number; /* unique in the cluster, never 0 */
    size_t slots;
    raski_address resource_manager;
    /* How long a job master may take to answer the offer of a slot. */
    int64_t slot_timeout_ms;
    /* How long a task waits for a partition that it reads to be there. */
    int64_t partition_request_timeout_ms;
} raski_task_executor_options;

/* Opens a task executor and registers it. Borrows factory and registry until destroy. */
raski_task_executor *raski_task_executor_create(raski_executor *executor,
                                                const raski_task_executor_options *options,
                                                const raski_task_factory *factory,
                                                raski_partition_registry *registry);
/* Ends it at once, telling nobody, as if its process died: cancels its tasks and waits for them,
 * lets go of its partitions. NULL is fine. */
void raski_task_executor_destroy(raski_task_executor *task_executor_take);

raski_address raski_task_executor_address(const raski_task_executor *task_executor);
uint64_t raski_task_executor_number(const raski_task_executor *task_executor);
size_t raski_task_executor_task_count(const raski_task_executor *task_executor);
size_t raski_task_executor_slots_in_use(const raski_task_executor *task_executor);
#endif
