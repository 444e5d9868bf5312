/* execution_state.h - the states of attempts and of jobs, and which may follow which.
 * Flink: runtime.execution.ExecutionState, api.common.JobStatus.
 *
 * An attempt:
 *
 *   CREATED -> SCHEDULED -> DEPLOYING -> INITIALIZING -> RUNNING -> FINISHED
 *      |           |            |              |           |
 *      |           |            +--------------+-----------+-----> CANCELING -> CANCELED
 *      |           |            |              |           |                       ^
 *      +-----------+------------+--------------+-----------+-----> FAILED          |
 *      +-----------+---------------------------------------------------------------+
 *
 * CREATED and SCHEDULED are CANCELED at once: nothing runs yet. An attempt that finishes or fails
 * while it is CANCELING counts as CANCELED. FINISHED, CANCELED and FAILED are final; a restart
 * makes a new attempt.
 *
 * A job:
 *
 *   INITIALIZING -> CREATED -> RUNNING -> FINISHED
 *                     |        ^    |  \
 *                     |        |    |   +-> FAILING -> FAILED
 *                     |  RESTARTING<+         ^  |
 *                     |        |              |  +---> (global failure: RESTARTING)
 *                     +--------+--> CANCELLING +-----> CANCELED
 *
 * SUSPENDED (its job master lost office) may follow any state that is not final, RECONCILING is
 * where a job waits for its tasks to be heard of after that. FINISHED, CANCELED and FAILED are
 * final everywhere; SUSPENDED only for this job master.
 * Threads: any (pure). */
#ifndef RASKI_EXECUTIONGRAPH_EXECUTION_STATE_H
#define RASKI_EXECUTIONGRAPH_EXECUTION_STATE_H
#include <stdbool.h>

typedef enum raski_execution_state {
    RASKI_EXECUTION_CREATED,
    RASKI_EXECUTION_SCHEDULED,
    RASKI_EXECUTION_DEPLOYING,
    RASKI_EXECUTION_INITIALIZING,
    RASKI_EXECUTION_RUNNING,
    RASKI_EXECUTION_FINISHED,
    RASKI_EXECUTION_CANCELING,
    RASKI_EXECUTION_CANCELED,
    RASKI_EXECUTION_FAILED,
    RASKI_EXECUTION_STATES
} raski_execution_state;

typedef enum raski_job_status {
    RASKI_JOB_INITIALIZING,
    RASKI_JOB_CREATED,
    RASKI_JOB_RUNNING,
    RASKI_JOB_FAILING,
    RASKI_JOB_FAILED,
    RASKI_JOB_CANCELLING,
    RASKI_JOB_CANCELED,
    RASKI_JOB_FINISHED,
    RASKI_JOB_RESTARTING,
    RASKI_JOB_SUSPENDED,
    RASKI_JOB_RECONCILING,
    RASKI_JOB_STATUSES
} raski_job_status;

const char *raski_execution_state_name(raski_execution_state state); /* "CREATED" */
bool raski_execution_state_is_final(raski_execution_state state);
/* Whether `to` may follow `from` directly. */
bool raski_execution_state_may_follow(raski_execution_state from, raski_execution_state to);

const char *raski_job_status_name(raski_job_status status); /* "RUNNING" */
/* The job is over, everywhere (Flink: isGloballyTerminalState). */
bool raski_job_status_is_final(raski_job_status status);
bool raski_job_status_may_follow(raski_job_status from, raski_job_status to);
#endif
