#include "cluster/cluster_options.h"

rask_status raski_cluster_options_check(const raski_cluster_options *options, raski_error *err) {
    const char *wrong = NULL;
    if (options->task_executors < 1)
        wrong = "a cluster needs at least one task executor";
    else if (options->slots_per_task_executor < 0)
        wrong = "taskmanager.numberOfTaskSlots must be positive";
    else if (options->slot_request_timeout_ms < 0)
        wrong = "slot.request.timeout must not be negative";
    else if (options->slot_timeout_ms < 0)
        wrong = "taskmanager.slot.timeout must not be negative";
    else if (options->partition_request_timeout_ms < 0)
        wrong = "taskmanager.network.partition-request-timeout must not be negative";
    else if (options->heartbeat_interval_ms < 1)
        wrong = "heartbeat.interval must be at least 1 ms";
    else if (options->heartbeat_timeout_ms <= options->heartbeat_interval_ms)
        wrong = "The heartbeat timeout should be larger than the heartbeat interval";
    else if (options->attempts_history_max < 0)
        wrong = "jobmanager.execution.attempts-history-size must not be negative";
    if (wrong != NULL) return RASKI_THROW(err, "IllegalArgumentException", "%s", wrong);
    return raski_restart_options_check(&options->restart, err);
}

static int64_t ms(const raski_configuration *configuration, raski_option_id id) {
    return raski_configuration_get_duration_ms(configuration, id);
}

rask_status raski_cluster_options_from_configuration(const raski_configuration *configuration,
                                                     raski_cluster_options *ret_options,
                                                     raski_error *err) {
    raski_cluster_options options = RASKI_CLUSTER_OPTIONS_DEFAULT;
    options.task_executors =
        raski_configuration_get_int(configuration, RASKI_OPTION_MINICLUSTER_NUMBER_OF_TASKMANAGERS);
    if (raski_configuration_is_set(configuration, RASKI_OPTION_TASKMANAGER_NUMBER_OF_TASK_SLOTS))
        options.slots_per_task_executor = raski_configuration_get_int(
            configuration, RASKI_OPTION_TASKMANAGER_NUMBER_OF_TASK_SLOTS);
    options.slot_request_timeout_ms = ms(configuration, RASKI_OPTION_SLOT_REQUEST_TIMEOUT);
    options.slot_timeout_ms = ms(configuration, RASKI_OPTION_TASKMANAGER_SLOT_TIMEOUT);
    options.partition_request_timeout_ms =
        ms(configuration, RASKI_OPTION_TASKMANAGER_NETWORK_PARTITION_REQUEST_TIMEOUT);
    options.heartbeat_interval_ms = ms(configuration, RASKI_OPTION_HEARTBEAT_INTERVAL);
    options.heartbeat_timeout_ms = ms(configuration, RASKI_OPTION_HEARTBEAT_TIMEOUT);
    options.failover = raski_configuration_get_choice(
                           configuration, RASKI_OPTION_JOBMANAGER_EXECUTION_FAILOVER_STRATEGY) == 0
                           ? RASKI_FAILOVER_REGION
                           : RASKI_FAILOVER_FULL;
    options.attempts_history_max = raski_configuration_get_int(
        configuration, RASKI_OPTION_JOBMANAGER_EXECUTION_ATTEMPTS_HISTORY_SIZE);
    bool checkpointing =
        raski_configuration_has(configuration, RASKI_OPTION_EXECUTION_CHECKPOINTING_INTERVAL);
    RASKI_TRY(raski_restart_options_from_configuration(configuration, checkpointing,
                                                       &options.restart, err));
    RASKI_TRY(raski_cluster_options_check(&options, err));
    *ret_options = options;
    return RASK_OK;
}
