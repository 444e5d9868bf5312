/* job_master.h - runs one job: its scheduler, its slots, its coordinators.
 * Flink: runtime.jobmaster.JobMaster. An actor; messages.h says what it takes.
 *
 *   created -> (start_job) -> running -> (the scheduler says the job has ended) -> clearing: every
 *   task executor that had to do with the job lets go of it -> (all have) -> job_finished is sent
 *   to the dispatcher, who destroys the job master.
 * Threads: create and destroy on the executor (or while it does not run). */
#ifndef RASKI_CLUSTER_JOB_MASTER_H
#define RASKI_CLUSTER_JOB_MASTER_H
#include "actor/actor.h"
#include "cluster/cluster_options.h"
#include "cluster/mini_cluster.h"

typedef struct raski_job_master raski_job_master;

typedef struct raski_job_master_services {
    raski_executor *executor;
    raski_address dispatcher, resource_manager;
    const raski_cluster_options *options; /* borrowed until destroy */
    uint64_t epoch;                       /* unique, not 0: of this job master */
} raski_job_master_services;

/* Opens a job master; nothing happens before it gets a start_job. Copies *services and
 * *submission. Errors: the job cannot be scheduled at all. */
RASKI_NODISCARD rask_status raski_job_master_create(const raski_job_master_services *services,
                                                    const raski_job_submission *submission,
                                                    raski_job_master **ret_master,
                                                    raski_error *err);
/* NULL is fine. Tasks that may still run are not cared for: see the diagram. */
void raski_job_master_destroy(raski_job_master *master_take);
raski_address raski_job_master_address(const raski_job_master *master);
raski_id raski_job_master_job_id(const raski_job_master *master);
#endif
