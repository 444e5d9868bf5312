/* job_master_private.h - what the files of the job master share: job_master.c has its life and
 * messages, job_master_host.c what the scheduler and the coordinators want done,
 * job_master_result.c what is told of the job. */
#ifndef RASKI_CLUSTER_JOB_MASTER_PRIVATE_H
#define RASKI_CLUSTER_JOB_MASTER_PRIVATE_H
#include "cluster/coordinators.h"
#include "cluster/heartbeat.h"
#include "cluster/job_master.h"
#include "cluster/messages.h"
#include "cluster/slot_pool.h"
#include "scheduler/scheduler.h"

/* A task executor that has, or had, something of the job. */
typedef struct raski_known_executor {
    uint64_t number;
    raski_address address;
    uint64_t clear_request; /* 0: was not asked to clear the job */
} raski_known_executor;

struct raski_job_master {
    raski_actor actor;
    raski_job_master_services services;
    raski_job_submission submission;
    raski_scheduler scheduler;
    raski_coordinators *coordinators;
    raski_slot_pool pool;
    raski_heartbeat heartbeat;
    RASKI_VEC(raski_known_executor) executors;
    size_t declared_slots; /* what the resource manager was last told */
    uint64_t last_clear_request;
    int64_t start_ms, end_ms;
    bool has_ended;   /* the scheduler said so */
    bool is_clearing; /* executors were asked */
    bool is_finished; /* the dispatcher was told */
};

const raski_execution_graph *raski_job_master_graph(const raski_job_master *self);
raski_job_contact raski_job_master_contact(const raski_job_master *self);
raski_known_executor *raski_job_master_find_executor(const raski_job_master *self, uint64_t number);
/* Sends to a task executor, with the epoch that an answer is to carry; cancelled when the executor
 * is not known (any more). */
void raski_job_master_send_to(raski_job_master *self, uint64_t number, raski_message *message_take);

/* job_master_host.c */
raski_scheduler_host raski_job_master_scheduler_host(raski_job_master *self);
raski_coordinator_host raski_job_master_coordinator_host(raski_job_master *self);
raski_execution_listener raski_job_master_listener(raski_job_master *self);

/* job_master_result.c */
raski_job_result *raski_job_master_result(const raski_job_master *self); /* the caller's */
void raski_job_master_tell_progress(const raski_job_master *self);
#endif
