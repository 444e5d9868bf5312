/* default_scheduler.h - what the files of the default scheduler share. Private to the scheduler.
 * default_scheduler.c holds its door and the states; default_scheduler_slots.c slots and
 * deployment; default_scheduler_failover.c failures and restarts. */
#ifndef RASKI_SCHEDULER_DEFAULT_SCHEDULER_H
#define RASKI_SCHEDULER_DEFAULT_SCHEDULER_H
#include "base/vec.h"
#include "scheduler/scheduler.h"
#include "scheduler/scheduling_strategy.h"

/* The slot of a raski_shared_slot_group. Flink: SharedSlot. */
typedef struct raski_shared_slot {
    uint64_t request; /* 0: none was asked for */
    bool is_ready;
    raski_slot slot; /* when ready */
    size_t claims;   /* tasks that use it or wait for it */
} raski_shared_slot;

/* Tasks at the version they had when something was begun for them; whoever changes their course
 * raises the version, and what was begun no longer concerns them (C5). Flink:
 * ExecutionVertexVersioner. */
typedef struct raski_versioned_tasks {
    size_t *tasks;
    uint64_t *versions;
    size_t count;
} raski_versioned_tasks;

typedef struct raski_pending_deployment {
    raski_versioned_tasks tasks;
} raski_pending_deployment;

typedef struct raski_pending_restart {
    raski_versioned_tasks tasks;
    uint64_t token; /* of its timer */
    bool delay_is_over;
    bool is_global;
} raski_pending_restart;

typedef struct raski_default_scheduler {
    raski_execution_graph *graph;
    raski_scheduler_host host;
    raski_default_scheduler_options options;
    raski_scheduling_strategy strategy;
    raski_restart_backoff backoff;
    raski_slot_sharing sharing;
    raski_shared_slot *shared_slots; /* as sharing.groups */
    bool *has_claim;                 /* by task: on its shared slot */
    uint64_t *version;               /* by task */
    bool *is_restart_pending;        /* by task */
    size_t restart_pending_count;
    bool *is_partition_kept; /* by partition: finished, not released, not lost */
    RASKI_VEC(raski_pending_deployment) deployments;
    RASKI_VEC(raski_pending_restart) pending_restarts;
    uint64_t last_request, last_bulk, last_token;
    int restarts;
    bool has_ended;
} raski_default_scheduler;

/* default_scheduler.c */
int64_t raski_default_scheduler_now(const raski_default_scheduler *self);
/* Moves a task to a state that must be allowed, and lets all that depends on it follow, but for the
 * handling of a failure. */
void raski_default_scheduler_set_state(raski_default_scheduler *self, size_t task,
                                       raski_execution_state to, raski_failure *failure_take);
/* Cancels a task in whatever state it is. */
void raski_default_scheduler_cancel_task(raski_default_scheduler *self, size_t task);
void raski_default_scheduler_cancel_all(raski_default_scheduler *self);
/* Ends the job when it is time to. */
void raski_default_scheduler_check_end(raski_default_scheduler *self);
void raski_default_scheduler_set_job(raski_default_scheduler *self, raski_job_status to);

raski_versioned_tasks raski_versioned_tasks_create(raski_default_scheduler *self,
                                                   const size_t *tasks, size_t count);
void raski_versioned_tasks_free(raski_versioned_tasks *tasks);
/* Whether the i-th is still at its version. */
bool raski_versioned_tasks_is_current(const raski_default_scheduler *self,
                                      const raski_versioned_tasks *tasks, size_t i);

/* default_scheduler_slots.c */
void raski_default_scheduler_allocate_and_deploy(void *self, const size_t *tasks, size_t count);
void raski_default_scheduler_release_claim(raski_default_scheduler *self, size_t task);
void raski_default_scheduler_slot_ready(void *self, uint64_t request, const raski_slot *slot);
void raski_default_scheduler_slot_failed(void *self, uint64_t request, raski_failure *failure_take);

/* default_scheduler_failover.c */
/* After a task was moved to FAILED. Borrows failure. */
void raski_default_scheduler_handle_task_failure(raski_default_scheduler *self, size_t task,
                                                 const raski_failure *failure);
/* The job ends as FAILED, for this reason. Borrows failure. */
void raski_default_scheduler_fail_job(raski_default_scheduler *self, const raski_failure *failure);
void raski_default_scheduler_handle_global_failure(void *self, raski_failure *failure_take);
void raski_default_scheduler_task_executor_lost(void *self, uint64_t task_executor,
                                                raski_failure *failure_take);
void raski_default_scheduler_on_timer(void *self, uint64_t token);
/* Restarts what can be restarted by now. */
void raski_default_scheduler_try_restarts(raski_default_scheduler *self);
/* Partitions of a finished task are there; all that it read may be let go. */
void raski_default_scheduler_track_partitions(raski_default_scheduler *self, size_t task);
#endif
