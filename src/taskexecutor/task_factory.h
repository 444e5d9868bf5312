/* task_factory.h - how a task executor makes and drives tasks, without knowing what they are:
 * stream tasks in a program, fakes in a simulation, later child processes. Flink:
 * runtime.taskmanager.Task behind TaskExecutor.submitTask, TaskDeploymentDescriptor.
 *
 * Life of a task: create -> start | step* -> (its end is observed) -> destroy.
 * create makes the task's result partitions at once, so that consumers can be connected before the
 * task runs. A task ends once: its last state_changed is FINISHED, CANCELED or FAILED.
 * Threads: unless noted, the task executor's. */
#ifndef RASKI_TASKEXECUTOR_TASK_FACTORY_H
#define RASKI_TASKEXECUTOR_TASK_FACTORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "executiongraph/execution_graph.h"
#include "executiongraph/failure.h"

/* One input channel: a subpartition of some producer's partition. */
typedef struct raski_deployed_channel {
    raski_partition_id id;
    void *partition; /* the factory's; borrowed during create */
    int subpartition;
    int producer_subtask;
} raski_deployed_channel;

typedef struct raski_deployed_gate {
    const raski_job_edge *edge;
    raski_deployed_channel *channels; /* by producer, then subpartition */
    size_t channel_count;
} raski_deployed_gate;

/* What a task needs to know. Borrowed during create; job_code, vertex and names live as long as
 * the job. Flink: TaskDeploymentDescriptor. */
typedef struct raski_deployment {
    raski_attempt_id attempt;
    const char *job_name;
    const void *job_code; /* what the submitter passed: the factory's business */
    const raski_job_vertex *vertex;
    int subtask;                      /* from 0 */
    int parallelism;                  /* of the vertex */
    int max_parallelism;              /* of the vertex, resolved */
    size_t slot;                      /* of the task executor */
    const raski_deployed_gate *gates; /* as vertex->inputs */
    size_t gate_count;
    const int *subpartitions; /* of each of vertex->results; -1: nobody reads it, make none */
    /* Max parallelism of the vertex that reads each result, resolved: its number of key groups;
     * -1: nobody reads it. Flink: getNumTargetKeyGroups of the result partition. */
    const int *reader_max_parallelisms;
    size_t result_count;
} raski_deployment;

/* What a task tells. Each may come from the task's own thread; while create runs none comes. */
typedef struct raski_task_observer {
    void *ctx;
    uint64_t token; /* names the task to the observer */
    /* INITIALIZING, RUNNING, then one of FINISHED, CANCELED, FAILED. failure_take: for FAILED;
     * taken. After a final state the task calls nothing any more. */
    void (*state_changed)(void *ctx, uint64_t token, raski_execution_state state,
                          raski_failure *failure_take);
    /* Sends bytes (copied) to the coordinator of an operator. */
    void (*send_event)(void *ctx, uint64_t token, raski_id operator_id, const void *bytes,
                       size_t length);
} raski_task_observer;

typedef enum raski_task_step {
    RASKI_TASK_MORE,    /* there is more to do now */
    RASKI_TASK_BLOCKED, /* nothing can be done before something else happens */
    RASKI_TASK_DONE,    /* its final state was told */
} raski_task_step;

typedef struct raski_task_factory {
    size_t size; /* sizeof this struct */
    const char *name;
    uint32_t version;
    void *ctx; /* handed to each function */
    /* Makes a task. Copies *observer; borrows the deployment. Errors fail the attempt. */
    rask_status (*create)(void *ctx, const raski_deployment *deployment,
                          const raski_task_observer *observer, void **ret_task, raski_error *err);
    /* Partition of the task's i-th result, borrowed; NULL when it makes none. */
    void *(*result)(void *ctx, void *task, size_t i);
    void (*partition_ref)(void *ctx, void *partition);
    void (*partition_unref)(void *ctx, void *partition_take);
    /* Starts the task's thread. NULL: tasks are stepped. Errors fail the attempt. */
    rask_status (*start)(void *ctx, void *task, raski_error *err);
    /* Does one bounded piece of work in the caller's thread. NULL: tasks have threads. */
    raski_task_step (*step)(void *ctx, void *task);
    /* Asks the task to end; returns at once. May come more than once. */
    void (*cancel)(void *ctx, void *task);
    /* Hands an event of its coordinator to an operator. Copies bytes. */
    void (*deliver_event)(void *ctx, void *task, raski_id operator_id, const void *bytes,
                          size_t length);
    void (*counters)(void *ctx, void *task, raski_task_counters *ret_counters);
    /* Frees a task that ended or was never started; waits for its thread, which is at its end. */
    void (*destroy)(void *ctx, void *task_take);
} raski_task_factory;
#endif
