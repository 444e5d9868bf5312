/* scheduler.h - brings a job's tasks to run, watches them, and deals with failures.
 * Flink: scheduler.SchedulerNG (DefaultScheduler; AdaptiveScheduler and AdaptiveBatchScheduler have
 * the same door).
 *
 * A scheduler is a state machine without time, messages or threads of its own: what happened is
 * told by calling it, what is to be done it tells its host (the job master). A host never calls
 * back from inside one of its functions. Threads: one owner, the job master. */
#ifndef RASKI_SCHEDULER_SCHEDULER_H
#define RASKI_SCHEDULER_SCHEDULER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executiongraph/execution_graph.h"
#include "scheduler/failover_strategy.h"
#include "scheduler/restart_backoff.h"
#include "scheduler/slot_sharing.h"

/* A slot of a task executor that the job may use. */
typedef struct raski_slot {
    uint64_t task_executor; /* the number the cluster knows it by, never 0 */
    uint64_t allocation;    /* number of this use of the slot */
    size_t index;           /* at the task executor */
} raski_slot;

typedef struct raski_scheduler_host {
    size_t size; /* sizeof this struct */
    void *ctx;
    int64_t (*now_ms)(void *ctx);
    /* Wants a slot for tasks of a slot sharing group; requests of one bulk are of no use one by
     * one. Answered later by slot_ready or slot_failed, unless returned before. */
    void (*request_slot)(void *ctx, uint64_t request, uint64_t bulk,
                         const raski_slot_group *slot_group);
    /* The request, or the slot it got, is not needed any more. */
    void (*return_slot)(void *ctx, uint64_t request);
    /* Starts the current attempt of a task (DEPLOYING) in a slot. */
    void (*deploy)(void *ctx, size_t task, const raski_slot *slot);
    /* Asks the task executor to cancel the current attempt (CANCELING). */
    void (*cancel_task)(void *ctx, size_t task);
    /* All readers of a partition are done. */
    void (*release_partition)(void *ctx, uint32_t partition);
    /* Calls the scheduler's on_timer(token) in delay_ms. */
    void (*schedule)(void *ctx, int64_t delay_ms, uint64_t token);
    /* Before the current attempt of a task is left behind for a new one. */
    void (*before_reset)(void *ctx, size_t task);
    /* All tasks are about to start over: coordinators do too. */
    void (*before_global_restart)(void *ctx);
    /* The job is FINISHED, CANCELED or FAILED, all attempts are final. Called once; the scheduler
     * may be destroyed after it returned. */
    void (*job_ended)(void *ctx);
} raski_scheduler_host;

typedef struct raski_scheduler_vtable {
    size_t size; /* sizeof this struct */
    const char *name;
    uint32_t version;
    /* The job goes from CREATED to RUNNING. */
    void (*start_scheduling)(void *self);
    void (*cancel)(void *self);
    /* An attempt entered a state. failure_take: of FAILED. counters: of final states, else NULL.
     * false: the attempt is not the current one, or nothing is known of it. */
    bool (*update_task_state)(void *self, raski_attempt_id attempt, raski_execution_state state,
                              raski_failure *failure_take, const raski_task_counters *counters);
    /* What an attempt has counted so far; of no effect when it is not the current one. */
    void (*update_counters)(void *self, raski_attempt_id attempt,
                            const raski_task_counters *counters);
    void (*slot_ready)(void *self, uint64_t request, const raski_slot *slot);
    void (*slot_failed)(void *self, uint64_t request, raski_failure *failure_take);
    /* Nothing that ran or lay on the task executor is there any more. */
    void (*task_executor_lost)(void *self, uint64_t task_executor, raski_failure *failure_take);
    /* Something that concerns all tasks failed. */
    void (*handle_global_failure)(void *self, raski_failure *failure_take);
    void (*on_timer)(void *self, uint64_t token);
    const raski_execution_graph *(*graph)(const void *self);
    int (*restarts)(const void *self); /* how often tasks were restarted */
    void (*destroy)(void *self_take);
} raski_scheduler_vtable;

typedef struct raski_scheduler {
    const raski_scheduler_vtable *vtable;
    void *self;
} raski_scheduler;

typedef struct raski_default_scheduler_options {
    raski_restart_options restart; /* checked */
    raski_failover_strategy failover;
    raski_slot_sharing_strategy slot_sharing;
    size_t attempts_history_max;
    raski_execution_listener listener; /* told of all changes of state; copied */
} raski_default_scheduler_options;

/* The scheduler of jobs whose parallelism is fixed. Borrows job_graph for its life; copies *host
 * and *options. The job is CREATED after. Errors: those of the execution graph and of
 * raski_slot_sharing_compute. */
RASKI_NODISCARD rask_status raski_default_scheduler_create(
    const raski_job_graph *job_graph, const raski_default_scheduler_options *options,
    const raski_scheduler_host *host, raski_scheduler *ret_scheduler, raski_error *err);

/* How many slots a job needs at once for all its tasks to run: for each slot sharing group its most
 * parallel vertex. Vertices of undecided parallelism count as one. */
size_t raski_scheduler_slots_needed(const raski_job_graph *job_graph);
#endif
