#include "executiongraph/execution_state.h"

#include "base/status.h"

#define BIT(state) (1U << (state))

static const char *const execution_names[RASKI_EXECUTION_STATES] = {
    [RASKI_EXECUTION_CREATED] = "CREATED",     [RASKI_EXECUTION_SCHEDULED] = "SCHEDULED",
    [RASKI_EXECUTION_DEPLOYING] = "DEPLOYING", [RASKI_EXECUTION_INITIALIZING] = "INITIALIZING",
    [RASKI_EXECUTION_RUNNING] = "RUNNING",     [RASKI_EXECUTION_FINISHED] = "FINISHED",
    [RASKI_EXECUTION_CANCELING] = "CANCELING", [RASKI_EXECUTION_CANCELED] = "CANCELED",
    [RASKI_EXECUTION_FAILED] = "FAILED",
};

/* What may follow each state, as a set of bits. */
static const unsigned execution_next[RASKI_EXECUTION_STATES] = {
    [RASKI_EXECUTION_CREATED] = BIT(RASKI_EXECUTION_SCHEDULED) | BIT(RASKI_EXECUTION_CANCELED) |
                                BIT(RASKI_EXECUTION_FAILED),
    [RASKI_EXECUTION_SCHEDULED] = BIT(RASKI_EXECUTION_DEPLOYING) | BIT(RASKI_EXECUTION_CANCELED) |
                                  BIT(RASKI_EXECUTION_FAILED),
    [RASKI_EXECUTION_DEPLOYING] = BIT(RASKI_EXECUTION_INITIALIZING) |
                                  BIT(RASKI_EXECUTION_CANCELING) | BIT(RASKI_EXECUTION_FAILED),
    [RASKI_EXECUTION_INITIALIZING] =
        BIT(RASKI_EXECUTION_RUNNING) | BIT(RASKI_EXECUTION_CANCELING) | BIT(RASKI_EXECUTION_FAILED),
    [RASKI_EXECUTION_RUNNING] = BIT(RASKI_EXECUTION_FINISHED) | BIT(RASKI_EXECUTION_CANCELING) |
                                BIT(RASKI_EXECUTION_FAILED),
    [RASKI_EXECUTION_CANCELING] = BIT(RASKI_EXECUTION_CANCELED),
};

static const char *const job_names[RASKI_JOB_STATUSES] = {
    [RASKI_JOB_INITIALIZING] = "INITIALIZING",
    [RASKI_JOB_CREATED] = "CREATED",
    [RASKI_JOB_RUNNING] = "RUNNING",
    [RASKI_JOB_FAILING] = "FAILING",
    [RASKI_JOB_FAILED] = "FAILED",
    [RASKI_JOB_CANCELLING] = "CANCELLING",
    [RASKI_JOB_CANCELED] = "CANCELED",
    [RASKI_JOB_FINISHED] = "FINISHED",
    [RASKI_JOB_RESTARTING] = "RESTARTING",
    [RASKI_JOB_SUSPENDED] = "SUSPENDED",
    [RASKI_JOB_RECONCILING] = "RECONCILING",
};

static const unsigned job_next[RASKI_JOB_STATUSES] = {
    [RASKI_JOB_INITIALIZING] = BIT(RASKI_JOB_CREATED) | BIT(RASKI_JOB_FAILED) |
                               BIT(RASKI_JOB_CANCELED) | BIT(RASKI_JOB_SUSPENDED),
    [RASKI_JOB_CREATED] = BIT(RASKI_JOB_RUNNING) | BIT(RASKI_JOB_FAILING) |
                          BIT(RASKI_JOB_CANCELLING) | BIT(RASKI_JOB_SUSPENDED) |
                          BIT(RASKI_JOB_RECONCILING),
    [RASKI_JOB_RUNNING] = BIT(RASKI_JOB_FINISHED) | BIT(RASKI_JOB_FAILING) |
                          BIT(RASKI_JOB_RESTARTING) | BIT(RASKI_JOB_CANCELLING) |
                          BIT(RASKI_JOB_SUSPENDED),
    [RASKI_JOB_FAILING] = BIT(RASKI_JOB_FAILED) | BIT(RASKI_JOB_RESTARTING) |
                          BIT(RASKI_JOB_CANCELLING) | BIT(RASKI_JOB_SUSPENDED),
    [RASKI_JOB_CANCELLING] =
        BIT(RASKI_JOB_CANCELED) | BIT(RASKI_JOB_FAILING) | BIT(RASKI_JOB_SUSPENDED),
    [RASKI_JOB_RESTARTING] = BIT(RASKI_JOB_RUNNING) | BIT(RASKI_JOB_FAILING) |
                             BIT(RASKI_JOB_CANCELLING) | BIT(RASKI_JOB_SUSPENDED),
    [RASKI_JOB_RECONCILING] = BIT(RASKI_JOB_RUNNING) | BIT(RASKI_JOB_FAILING) |
                              BIT(RASKI_JOB_CANCELLING) | BIT(RASKI_JOB_SUSPENDED),
};

const char *raski_execution_state_name(raski_execution_state state) {
    RASKI_ASSERT((unsigned)state < RASKI_EXECUTION_STATES);
    return execution_names[state];
}

bool raski_execution_state_is_final(raski_execution_state state) {
    RASKI_ASSERT((unsigned)state < RASKI_EXECUTION_STATES);
    return execution_next[state] == 0;
}

bool raski_execution_state_may_follow(raski_execution_state from, raski_execution_state to) {
    RASKI_ASSERT((unsigned)from < RASKI_EXECUTION_STATES);
    return (execution_next[from] & BIT(to)) != 0;
}

const char *raski_job_status_name(raski_job_status status) {
    RASKI_ASSERT((unsigned)status < RASKI_JOB_STATUSES);
    return job_names[status];
}

bool raski_job_status_is_final(raski_job_status status) {
    return status == RASKI_JOB_FINISHED || status == RASKI_JOB_CANCELED ||
           status == RASKI_JOB_FAILED;
}

bool raski_job_status_may_follow(raski_job_status from, raski_job_status to) {
    RASKI_ASSERT((unsigned)from < RASKI_JOB_STATUSES);
    return (job_next[from] & BIT(to)) != 0;
}
