/* Restart strategies as configured. */
#include "config/configuration.h"
#include "scheduler/restart_backoff.h"

static raski_restart_kind kind_of(const raski_configuration *configuration, bool checkpointing) {
    if (!raski_configuration_has(configuration, RASKI_OPTION_RESTART_STRATEGY_TYPE))
        return checkpointing ? RASKI_BACKOFF_EXPONENTIAL_DELAY : RASKI_BACKOFF_NONE;
    switch (raski_configuration_get_choice(configuration, RASKI_OPTION_RESTART_STRATEGY_TYPE)) {
        case RASKI_RESTART_FIXED_DELAY:
        case RASKI_RESTART_FIXEDDELAY:
            return RASKI_BACKOFF_FIXED_DELAY;
        case RASKI_RESTART_FAILURE_RATE:
        case RASKI_RESTART_FAILURERATE:
            return RASKI_BACKOFF_FAILURE_RATE;
        case RASKI_RESTART_EXPONENTIAL_DELAY:
        case RASKI_RESTART_EXPONENTIALDELAY:
            return RASKI_BACKOFF_EXPONENTIAL_DELAY;
        default:
            return RASKI_BACKOFF_NONE;
    }
}

static int64_t ms(const raski_configuration *configuration, raski_option_id id) {
    return raski_configuration_get_duration_ms(configuration, id);
}

rask_status raski_restart_options_from_configuration(const raski_configuration *configuration,
                                                     bool checkpointing,
                                                     raski_restart_options *ret_options,
                                                     raski_error *err) {
    raski_restart_kind kind = kind_of(configuration, checkpointing);
    raski_restart_options options = raski_restart_options_default(kind);
    /* Without a type only the defaults count, as in Flink. */
    bool is_set = raski_configuration_has(configuration, RASKI_OPTION_RESTART_STRATEGY_TYPE);
    if (is_set && kind == RASKI_BACKOFF_FIXED_DELAY) {
        options.attempts = raski_configuration_get_int(
            configuration, RASKI_OPTION_RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS);
        options.delay_ms = ms(configuration, RASKI_OPTION_RESTART_STRATEGY_FIXED_DELAY_DELAY);
    } else if (is_set && kind == RASKI_BACKOFF_FAILURE_RATE) {
        options.failures_max = raski_configuration_get_int(
            configuration, RASKI_OPTION_RESTART_STRATEGY_FAILURE_RATE_MAX_FAILURES_PER_INTERVAL);
        options.interval_ms =
            ms(configuration, RASKI_OPTION_RESTART_STRATEGY_FAILURE_RATE_FAILURE_RATE_INTERVAL);
        options.delay_ms = ms(configuration, RASKI_OPTION_RESTART_STRATEGY_FAILURE_RATE_DELAY);
    } else if (is_set && kind == RASKI_BACKOFF_EXPONENTIAL_DELAY) {
        options.initial_ms =
            ms(configuration, RASKI_OPTION_RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF);
        options.backoff_max_ms =
            ms(configuration, RASKI_OPTION_RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF);
        options.multiplier = raski_configuration_get_double(
            configuration, RASKI_OPTION_RESTART_STRATEGY_EXPONENTIAL_DELAY_BACKOFF_MULTIPLIER);
        options.reset_threshold_ms = ms(
            configuration, RASKI_OPTION_RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD);
        options.jitter = raski_configuration_get_double(
            configuration, RASKI_OPTION_RESTART_STRATEGY_EXPONENTIAL_DELAY_JITTER_FACTOR);
        options.attempts_before_reset = raski_configuration_get_int(
            configuration,
            RASKI_OPTION_RESTART_STRATEGY_EXPONENTIAL_DELAY_ATTEMPTS_BEFORE_RESET_BACKOFF);
    }
    RASKI_TRY(raski_restart_options_check(&options, err));
    *ret_options = options;
    return RASK_OK;
}
