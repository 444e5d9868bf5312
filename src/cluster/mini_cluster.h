/* mini_cluster.h - the door of this folder: a whole cluster inside the program.
 * A dispatcher, a resource manager, task executors and, for each job, a job master, all on one
 * executor thread; tasks have threads of their own. Flink: runtime.minicluster.MiniCluster.
 *
 * Life: create -> run* -> destroy. run blocks its caller until the job is over and nothing of it is
 * left. With a simulated executor, run steps it in the caller's thread.
 * Threads: create, run, destroy by one owner; cancel from any thread and from signal handlers. */
#ifndef RASKI_CLUSTER_MINI_CLUSTER_H
#define RASKI_CLUSTER_MINI_CLUSTER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actor/executor.h"
#include "cluster/cluster_options.h"
#include "cluster/job_result.h"
#include "executiongraph/operator_coordinator.h"
#include "graph/job_graph.h"
#include "taskexecutor/task_factory.h"

typedef struct raski_mini_cluster raski_mini_cluster;

/* Starts a cluster. factory makes its tasks; borrowed, as its ctx, until destroy. executor: NULL
 * for one of its own on libuv; else one that is not started, borrowed until destroy (a
 * simulation). Errors: invalid options, no threads or descriptors. */
RASKI_NODISCARD rask_status raski_mini_cluster_create(const raski_cluster_options *options,
                                                      const raski_task_factory *factory,
                                                      raski_executor *executor,
                                                      raski_mini_cluster **ret_cluster,
                                                      raski_error *err);

typedef struct raski_job_submission {
    const raski_job_graph *graph;                   /* borrowed until run returns */
    const void *job_code;                           /* handed to tasks as it is; may be NULL */
    const raski_coordinator_provider *coordinators; /* borrowed until run returns */
    size_t coordinator_count;
    /* Told now and then while the job runs, on the cluster's thread: must be quick. May be NULL. */
    raski_job_progress_fn progress;
    void *progress_ctx;
    int64_t progress_interval_ms; /* at least 1 when progress is set */
} raski_job_submission;

/* Runs a job to its end. Returns RASK_OK when the job FINISHED; RASK_E_CANCELLED when it was
 * CANCELED; otherwise what its first failure says, with err set to it. *ret_result (may be NULL) is
 * set in each of these cases; raski_job_result_fini it. When the job could not even be submitted,
 * err says why and *ret_result is untouched. */
RASKI_NODISCARD rask_status raski_mini_cluster_run(raski_mini_cluster *cluster,
                                                   const raski_job_submission *submission,
                                                   raski_job_result *ret_result, raski_error *err);

/* Cancels the job that runs, or the next one to be run if none does. Async-signal-safe. Calls after
 * the first do nothing until the job has ended. */
void raski_mini_cluster_cancel(raski_mini_cluster *cluster);

/* Stops everything and waits for it. NULL is fine. */
void raski_mini_cluster_destroy(raski_mini_cluster *cluster_take);

/* Only in a simulation: a task executor dies, at once and without a word; one with a number that
 * was never used takes its place. index: below options.task_executors. */
void raski_mini_cluster_kill_task_executor(raski_mini_cluster *cluster, size_t index);
void raski_mini_cluster_revive_task_executor(raski_mini_cluster *cluster, size_t index,
                                             uint64_t number);

/* What is there; for tests that nothing is left. Not while run runs in another thread. */
typedef struct raski_cluster_census {
    size_t jobs, tasks, partitions, slots_in_use;
    raski_executor_census executor;
} raski_cluster_census;
raski_cluster_census raski_mini_cluster_count(const raski_mini_cluster *cluster);
#endif
