/* messages.h - what dispatcher, resource manager and job masters say to each other. What task
 * executors take part in is in taskexecutor/messages.h.
 * Flink: DispatcherGateway, ResourceManagerGateway, JobMasterGateway.
 * Threads: values. */
#ifndef RASKI_CLUSTER_MESSAGES_H
#define RASKI_CLUSTER_MESSAGES_H
#include "cluster/job_result.h"
#include "cluster/mini_cluster.h"
#include "taskexecutor/messages.h"

/* ---- to the dispatcher ----------------------------------------------------------------------- */

/* How a job's end is told. Called once on the executor's thread; result_take: NULL when the job
 * could not even be submitted, err then says why (else err is NULL). */
typedef void (*raski_job_done_fn)(void *ctx, raski_job_result *result_take, const raski_error *err);

typedef struct raski_submit_job_message {
    raski_job_submission submission; /* what it points to: borrowed until done was called */
    raski_job_done_fn done;
    void *ctx;
} raski_submit_job_message;
extern const raski_message_type raski_message_submit_job;

/* Cancels all jobs, or the next one to be submitted when there is none. */
extern const raski_message_type raski_message_cancel_jobs;

/* A job master is done; nothing of its job is left. */
typedef struct raski_job_finished_message {
    raski_id job_id;
    raski_job_result *result; /* owned */
} raski_job_finished_message;
extern const raski_message_type raski_message_job_finished;

/* ---- to a job master ------------------------------------------------------------------------- */

extern const raski_message_type raski_message_start_job;
extern const raski_message_type raski_message_cancel_job;

/* The resource manager: all there are is fewer slots than the job requires. */
typedef struct raski_not_enough_slots_message {
    size_t slots; /* of the whole cluster */
} raski_not_enough_slots_message;
extern const raski_message_type raski_message_not_enough_slots;

/* Inside: timers and what must not be done at once. */
typedef struct raski_number_message {
    uint64_t number;
} raski_number_message;
extern const raski_message_type raski_message_scheduler_timer; /* number: the token */
extern const raski_message_type raski_message_slot_timeout;    /* number: the request */
extern const raski_message_type raski_message_progress_tick;
extern const raski_message_type raski_message_heartbeat_tick;
extern const raski_message_type raski_message_coordinator_timer; /* number: of coordinators.h */
typedef struct raski_coordinator_failed_message {
    raski_failure *failure; /* owned */
} raski_coordinator_failed_message;
extern const raski_message_type raski_message_coordinator_failed;

/* ---- to the resource manager ----------------------------------------------------------------- */

/* A job requires so many slots from now on. 0: none, and forget it. */
typedef struct raski_declare_requirement_message {
    raski_job_contact job;
    size_t slots;
} raski_declare_requirement_message;
extern const raski_message_type raski_message_declare_requirement;
#endif
