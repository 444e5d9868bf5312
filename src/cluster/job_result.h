/* job_result.h - how a job ended, and how far it is.
 * Flink: api.common.JobExecutionResult, runtime.jobmaster.JobResult.
 * Threads: values. */
#ifndef RASKI_CLUSTER_JOB_RESULT_H
#define RASKI_CLUSTER_JOB_RESULT_H
#include <stddef.h>
#include <stdint.h>

#include "executiongraph/execution_graph.h"

typedef struct raski_vertex_result {
    raski_id vertex_id;
    char *name; /* owned */
    int parallelism;
    raski_task_counters counters; /* of all subtasks together, current attempts */
} raski_vertex_result;

typedef struct raski_job_result {
    raski_job_status status;       /* FINISHED, CANCELED or FAILED */
    raski_failure *failure;        /* of FAILED: the first one; owned; else NULL */
    raski_vertex_result *vertices; /* in topological order; owned */
    size_t vertex_count;
    int64_t net_runtime_ms; /* from submission to the end */
    int restarts;
} raski_job_result;

void raski_job_result_fini(raski_job_result *result); /* fine on a zeroed one */

/* How far a job is. Borrowed during the call. */
typedef struct raski_job_progress {
    raski_job_status status;
    int64_t running_ms; /* since submission */
    const raski_vertex_result *vertices;
    size_t vertex_count;
    size_t tasks_total, tasks_running, tasks_finished;
} raski_job_progress;
typedef void (*raski_job_progress_fn)(void *ctx, const raski_job_progress *progress);
#endif
