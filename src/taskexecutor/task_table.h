/* task_table.h - the tasks of one task executor. Private to this folder.
 *
 *   submit -> WAITS (for partitions that it reads) -> EXISTS (created, started) -> gone
 *
 * A task is gone when its end was told, it is destroyed and the job master has been told. Each
 * submitted attempt is reported on exactly once with a final state, whatever happens, unless the
 * whole task executor dies.
 * Flink: TaskSlotTable's tasks, Task. Threads: the executor's. */
#ifndef RASKI_TASKEXECUTOR_TASK_TABLE_H
#define RASKI_TASKEXECUTOR_TASK_TABLE_H
#include "actor/actor.h"
#include "base/map.h"
#include "taskexecutor/messages.h"
#include "taskexecutor/partition_registry.h"
#include "taskexecutor/task_factory.h"

#define RASKI_NO_SLOT SIZE_MAX

typedef struct raski_task_table {
    raski_actor *actor;
    raski_address address; /* of the actor, for the threads of tasks */
    uint64_t task_executor;
    const raski_task_factory *factory;
    raski_partition_registry *registry;
    int64_t partition_timeout_ms;
    raski_map tasks; /* token -> task entry */
    uint64_t last_token;
    size_t waiting; /* tasks in WAITS */
    void (*on_gone)(void *ctx, uint64_t allocation);
    void *ctx;
} raski_task_table;

/* Borrows all it is given. on_gone is told of each task that is gone, with its slot's allocation.
 */
void raski_task_table_init(raski_task_table *table, raski_actor *actor, uint64_t task_executor,
                           const raski_task_factory *factory, raski_partition_registry *registry,
                           int64_t partition_timeout_ms,
                           void (*on_gone)(void *ctx, uint64_t allocation), void *ctx);
/* Cancels all tasks, waits for their ends, tells nobody. */
void raski_task_table_fini(raski_task_table *table);

/* Takes over what submit owns. slot: RASKI_NO_SLOT when the attempt has none here: it fails. */
void raski_task_table_submit(raski_task_table *table, raski_submit_task_message *submit,
                             size_t slot);
/* Handles messages about single tasks; false: it is none of these. */
bool raski_task_table_receive(raski_task_table *table, raski_message *message);

/* Cancel tasks; return how many there are that have not ended yet. */
size_t raski_task_table_cancel_in_slot(raski_task_table *table, uint64_t allocation);
size_t raski_task_table_cancel_job(raski_task_table *table, raski_id job_id);
size_t raski_task_table_count_in_slot(const raski_task_table *table, uint64_t allocation);
size_t raski_task_table_count_job(const raski_task_table *table, raski_id job_id);
size_t raski_task_table_count(const raski_task_table *table);
/* Adds the counters of each task of a job. */
void raski_task_table_counters(const raski_task_table *table, raski_id job_id,
                               raski_task_counters_message *out);
#endif
