/* restart_backoff.h - whether a failed job may restart, and after how long.
 * Flink: executiongraph.failover.RestartBackoffTimeStrategy and its four kinds; options
 * restart-strategy.*. Times are milliseconds of whatever clock the caller uses.
 * Threads: one owner. */
#ifndef RASKI_SCHEDULER_RESTART_BACKOFF_H
#define RASKI_SCHEDULER_RESTART_BACKOFF_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "config/configuration.h"

typedef enum raski_restart_kind {
    RASKI_BACKOFF_NONE,
    RASKI_BACKOFF_FIXED_DELAY,
    RASKI_BACKOFF_FAILURE_RATE,
    RASKI_BACKOFF_EXPONENTIAL_DELAY,
} raski_restart_kind;

typedef struct raski_restart_options {
    raski_restart_kind kind;
    int attempts;        /* FIXED_DELAY: at least 0 */
    int64_t delay_ms;    /* FIXED_DELAY, FAILURE_RATE: at least 0 */
    int failures_max;    /* FAILURE_RATE: per interval, above 0 */
    int64_t interval_ms; /* FAILURE_RATE: above 0 */
    /* EXPONENTIAL_DELAY */
    int64_t initial_ms, backoff_max_ms; /* at least 1, initial not above the most */
    double multiplier;                  /* above 1 */
    int64_t reset_threshold_ms;         /* at least 1 */
    double jitter;                      /* 0 to 1: how far the delay may be off, at random */
    int attempts_before_reset;          /* at least 1 */
    uint64_t seed;                      /* of the jitter */
} raski_restart_options;

/* Flink's defaults for a kind. */
raski_restart_options raski_restart_options_default(raski_restart_kind kind);
/* Flink's IllegalArgumentException for options out of range. */
RASKI_NODISCARD rask_status raski_restart_options_check(const raski_restart_options *options,
                                                        raski_error *err);

/* As restart-strategy.* say; when nothing does: none, or with checkpoints the exponential delay
 * with its defaults. Errors: those of the check. */
RASKI_NODISCARD rask_status raski_restart_options_from_configuration(
    const raski_configuration *configuration, bool checkpointing,
    raski_restart_options *ret_options, raski_error *err);

typedef struct raski_restart_backoff {
    raski_restart_options options;
    int attempt;             /* FIXED_DELAY: failures so far; EXPONENTIAL_DELAY: since the reset */
    int64_t next_restart_ms; /* EXPONENTIAL_DELAY; INT32_MIN before the first failure */
    int64_t *failures_ms;    /* FAILURE_RATE: ring of the last failures_max + 1 */
    int failure_first, failure_count;
    uint64_t random_state;
} raski_restart_backoff;

/* options must have passed the check. */
void raski_restart_backoff_init(raski_restart_backoff *backoff,
                                const raski_restart_options *options);
void raski_restart_backoff_fini(raski_restart_backoff *backoff);

/* Tells of a failure; false: it belongs to the attempt that is under way already. */
bool raski_restart_backoff_notify(raski_restart_backoff *backoff, int64_t now_ms);
bool raski_restart_backoff_can_restart(const raski_restart_backoff *backoff, int64_t now_ms);
int64_t raski_restart_backoff_delay_ms(const raski_restart_backoff *backoff, int64_t now_ms);
/* Appends Flink's text of the strategy, for messages. */
void raski_restart_backoff_describe(const raski_restart_backoff *backoff, raski_str *out);
#endif
