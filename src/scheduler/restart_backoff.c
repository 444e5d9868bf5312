#include "scheduler/restart_backoff.h"

#include <limits.h>
#include <math.h>

#include "base/alloc.h"

raski_restart_options raski_restart_options_default(raski_restart_kind kind) {
    return (raski_restart_options){
        .kind = kind,
        .attempts = 1,
        .delay_ms = 1000,
        .failures_max = 1,
        .interval_ms = 60000,
        .initial_ms = 1000,
        .backoff_max_ms = 60000,
        .multiplier = 1.5,
        .reset_threshold_ms = 3600000,
        .jitter = 0.1,
        .attempts_before_reset = INT_MAX,
    };
}

static rask_status check_exponential(const raski_restart_options *options, raski_error *err) {
    const char *wrong = NULL;
    if (options->initial_ms < 1)
        wrong = "Initial backoff must be at least 1.";
    else if (options->backoff_max_ms < 1)
        wrong = "Maximum backoff must be at least 1.";
    else if (options->initial_ms > options->backoff_max_ms)
        wrong = "Initial backoff cannot be higher than maximum backoff.";
    else if (!(options->multiplier > 1))
        wrong = "Backoff multiplier must be greater than 1.";
    else if (options->reset_threshold_ms < 1)
        wrong = "Threshold duration for exponential backoff reset must be at least 1.";
    else if (!(options->jitter >= 0 && options->jitter <= 1))
        wrong = "Jitter factor must be >= 0 and <= 1.";
    else if (options->attempts_before_reset < 1)
        wrong = "The attemptsBeforeResetBackoff must be at least 1.";
    return wrong == NULL ? RASK_OK : RASKI_THROW(err, "IllegalArgumentException", "%s", wrong);
}

rask_status raski_restart_options_check(const raski_restart_options *options, raski_error *err) {
    const char *wrong = NULL;
    switch (options->kind) {
        case RASKI_BACKOFF_NONE:
            return RASK_OK;
        case RASKI_BACKOFF_FIXED_DELAY:
            if (options->attempts < 0)
                wrong = "Maximum number of restart attempts must be at least 0.";
            else if (options->delay_ms < 0)
                wrong = "Backoff time between restart attempts must be at least 0 ms.";
            break;
        case RASKI_BACKOFF_FAILURE_RATE:
            if (options->failures_max <= 0)
                wrong = "Maximum number of restart attempts per time unit must be greater than 0.";
            else if (options->interval_ms <= 0)
                wrong = "Failures interval must be greater than 0 ms.";
            else if (options->delay_ms < 0)
                wrong = "Backoff time must be at least 0 ms.";
            break;
        case RASKI_BACKOFF_EXPONENTIAL_DELAY:
            return check_exponential(options, err);
    }
    return wrong == NULL ? RASK_OK : RASKI_THROW(err, "IllegalArgumentException", "%s", wrong);
}

void raski_restart_backoff_init(raski_restart_backoff *backoff,
                                const raski_restart_options *options) {
    *backoff = (raski_restart_backoff){
        .options = *options,
        .next_restart_ms = INT32_MIN,
        .random_state = options->seed,
    };
    if (options->kind == RASKI_BACKOFF_FAILURE_RATE)
        backoff->failures_ms = RASKI_NEW_ARRAY(int64_t, (size_t)options->failures_max + 1);
}

void raski_restart_backoff_fini(raski_restart_backoff *backoff) {
    raski_free(backoff->failures_ms);
    backoff->failures_ms = NULL;
}

/* A number from -offset to offset. */
static int64_t jitter_ms(raski_restart_backoff *backoff, int64_t offset) {
    uint64_t z = (backoff->random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (int64_t)(z % (2 * (uint64_t)offset + 1)) - offset;
}

static int64_t exponential_ms(raski_restart_backoff *backoff) {
    const raski_restart_options *options = &backoff->options;
    double exact = (double)options->initial_ms * pow(options->multiplier, backoff->attempt);
    /* Beyond the most there is nothing to compute, and the product may not fit any more. */
    if (!(exact < 2.0 * (double)options->backoff_max_ms + 1)) return options->backoff_max_ms;
    int64_t backoff_ms = (int64_t)exact;
    if (options->jitter > 0)
        backoff_ms += jitter_ms(backoff, (int64_t)((double)backoff_ms * options->jitter));
    if (backoff_ms > options->backoff_max_ms) backoff_ms = options->backoff_max_ms;
    return backoff_ms < options->initial_ms ? options->initial_ms : backoff_ms;
}

static bool ring_is_full(const raski_restart_backoff *backoff) {
    return backoff->failure_count > backoff->options.failures_max;
}

static void ring_add(raski_restart_backoff *backoff, int64_t now_ms) {
    int capacity = backoff->options.failures_max + 1;
    if (ring_is_full(backoff)) {
        backoff->failure_first = (backoff->failure_first + 1) % capacity;
        backoff->failure_count--;
    }
    backoff->failures_ms[(backoff->failure_first + backoff->failure_count++) % capacity] = now_ms;
}

bool raski_restart_backoff_notify(raski_restart_backoff *backoff, int64_t now_ms) {
    switch (backoff->options.kind) {
        case RASKI_BACKOFF_NONE:
            return true;
        case RASKI_BACKOFF_FIXED_DELAY:
            if (backoff->attempt < INT_MAX) backoff->attempt++;
            return true;
        case RASKI_BACKOFF_FAILURE_RATE:
            ring_add(backoff, now_ms);
            return true;
        case RASKI_BACKOFF_EXPONENTIAL_DELAY:
            if (now_ms <= backoff->next_restart_ms) return false;
            if (now_ms - backoff->next_restart_ms >= backoff->options.reset_threshold_ms)
                backoff->attempt = 0;
            backoff->next_restart_ms = now_ms + exponential_ms(backoff);
            if (backoff->attempt < INT_MAX) backoff->attempt++;
            return true;
    }
    return true;
}

bool raski_restart_backoff_can_restart(const raski_restart_backoff *backoff, int64_t now_ms) {
    switch (backoff->options.kind) {
        case RASKI_BACKOFF_NONE:
            return false;
        case RASKI_BACKOFF_FIXED_DELAY:
            return backoff->attempt <= backoff->options.attempts;
        case RASKI_BACKOFF_FAILURE_RATE:
            return !ring_is_full(backoff) || now_ms - backoff->failures_ms[backoff->failure_first] >
                                                 backoff->options.interval_ms;
        case RASKI_BACKOFF_EXPONENTIAL_DELAY:
            return backoff->attempt <= backoff->options.attempts_before_reset;
    }
    return false;
}

int64_t raski_restart_backoff_delay_ms(const raski_restart_backoff *backoff, int64_t now_ms) {
    if (backoff->options.kind == RASKI_BACKOFF_NONE) return 0;
    if (backoff->options.kind != RASKI_BACKOFF_EXPONENTIAL_DELAY) return backoff->options.delay_ms;
    return backoff->next_restart_ms > now_ms ? backoff->next_restart_ms - now_ms : 0;
}

/* As Java prints a double of ordinary size. */
static void append_double(raski_str *out, double value) {
    raski_str_appendf(out, "%.15g", value);
    if (value == floor(value)) raski_str_append(out, ".0");
}

void raski_restart_backoff_describe(const raski_restart_backoff *backoff, raski_str *out) {
    const raski_restart_options *options = &backoff->options;
    switch (options->kind) {
        case RASKI_BACKOFF_NONE:
            raski_str_append(out, "NoRestartBackoffTimeStrategy");
            return;
        case RASKI_BACKOFF_FIXED_DELAY:
            raski_str_appendf(out,
                              "FixedDelayRestartBackoffTimeStrategy(maxNumberRestartAttempts=%d, "
                              "backoffTimeMS=%lld)",
                              options->attempts, (long long)options->delay_ms);
            return;
        case RASKI_BACKOFF_FAILURE_RATE:
            raski_str_appendf(out,
                              "FailureRateRestartBackoffTimeStrategy("
                              "FailureRateRestartBackoffTimeStrategy(failuresIntervalMS=%lld,"
                              "backoffTimeMS=%lld,maxFailuresPerInterval=%d)",
                              (long long)options->interval_ms, (long long)options->delay_ms,
                              options->failures_max);
            return;
        case RASKI_BACKOFF_EXPONENTIAL_DELAY:
            raski_str_appendf(out,
                              "ExponentialDelayRestartBackoffTimeStrategy(initialBackoffMS=%lld, "
                              "maxBackoffMS=%lld, backoffMultiplier=",
                              (long long)options->initial_ms, (long long)options->backoff_max_ms);
            append_double(out, options->multiplier);
            raski_str_appendf(out, ", resetBackoffThresholdMS=%lld, jitterFactor=",
                              (long long)options->reset_threshold_ms);
            append_double(out, options->jitter);
            raski_str_appendf(out,
                              ", attemptsBeforeResetBackoff=%d, currentRestartAttempt=%d, "
                              "nextRestartTimestamp=%lld)",
                              options->attempts_before_reset, backoff->attempt,
                              (long long)backoff->next_restart_ms);
            return;
    }
}
