/* cluster_options.h - what a cluster is to be like, read from the configuration.
 * Flink: MiniClusterConfiguration, TaskManagerOptions, HeartbeatManagerOptions, JobManagerOptions.
 * Threads: a value. */
#ifndef RASKI_CLUSTER_CLUSTER_OPTIONS_H
#define RASKI_CLUSTER_CLUSTER_OPTIONS_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "config/configuration.h"
#include "scheduler/failover_strategy.h"
#include "scheduler/restart_backoff.h"

enum { RASKI_SLOTS_AS_NEEDED = 0 };

typedef struct raski_cluster_options {
    int task_executors; /* at least 1 */
    /* Of each task executor (taskmanager.numberOfTaskSlots); RASKI_SLOTS_AS_NEEDED: before a job
     * runs, as many are added as it needs at once. */
    int slots_per_task_executor;
    int64_t slot_request_timeout_ms;      /* slot.request.timeout */
    int64_t slot_timeout_ms;              /* taskmanager.slot.timeout */
    int64_t partition_request_timeout_ms; /* taskmanager.network.partition-request-timeout */
    int64_t heartbeat_interval_ms;        /* heartbeat.interval */
    int64_t heartbeat_timeout_ms;         /* heartbeat.timeout */
    raski_restart_options restart;        /* restart-strategy.* */
    raski_failover_strategy failover;     /* jobmanager.execution.failover-strategy */
    int attempts_history_max;             /* jobmanager.execution.attempts-history-size */
} raski_cluster_options;

#define RASKI_CLUSTER_OPTIONS_DEFAULT \
    ((raski_cluster_options){ \
        .task_executors = 1, \
        .slots_per_task_executor = RASKI_SLOTS_AS_NEEDED, \
        .slot_request_timeout_ms = 300000, \
        .slot_timeout_ms = 10000, \
        .partition_request_timeout_ms = 10000, \
        .heartbeat_interval_ms = 10000, \
        .heartbeat_timeout_ms = 50000, \
        .restart = {.kind = RASKI_BACKOFF_NONE}, \
        .attempts_history_max = 16, \
    })

/* As the configuration says; slots as needed unless taskmanager.numberOfTaskSlots is set.
 * Errors: those of the check. */
RASKI_NODISCARD rask_status raski_cluster_options_from_configuration(
    const raski_configuration *configuration, raski_cluster_options *ret_options, raski_error *err);
/* RASK_E_ARGUMENT with what is wrong. */
RASKI_NODISCARD rask_status raski_cluster_options_check(const raski_cluster_options *options,
                                                        raski_error *err);
#endif
