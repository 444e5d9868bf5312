#include "operators/time/watermark_generator.h"

rask_status raski_watermark_strategy_check(const raski_watermark_strategy *strategy,
                                           raski_error *err) {
    static const char exception[] = "IllegalArgumentException";
    if (strategy->kind == RASKI_WATERMARKS_BOUNDED && strategy->max_out_of_orderness_ms < 0)
        return RASKI_THROW(err, exception, "maxOutOfOrderness cannot be negative");
    if (strategy->has_idleness && strategy->idleness_ms <= 0)
        return RASKI_THROW(err, exception, "idleTimeout must be greater than zero");
    if (strategy->alignment_group == NULL) return RASK_OK;
    if (strategy->max_drift_ms < 0)
        return RASKI_THROW(err, exception,
                           "maxAllowedWatermarkDrift must be greater than or equal to zero");
    if (strategy->update_interval_ms <= 0)
        return RASKI_THROW(err, exception, "updateInterval must be positive");
    return RASK_OK;
}

bool raski_idleness_timer_check(raski_idleness_timer *timer, int64_t now_ns) {
    if (timer->active) {
        timer->active = timer->started = false;
        return false;
    }
    if (timer->started) return now_ns - timer->since_ns > timer->timeout_ns;
    timer->started = true;
    timer->since_ns = now_ns;
    return false;
}

void raski_watermark_generator_init(
    raski_watermark_generator *generator, const raski_watermark_strategy *strategy,
    void (*on_periodic)(void *context, raski_watermark_output *output), void *context) {
    int64_t timeout_ns = 0;
    if (__builtin_mul_overflow(strategy->idleness_ms, INT64_C(1000000), &timeout_ns))
        timeout_ns = INT64_MAX;
    *generator = (raski_watermark_generator){
        .strategy = strategy,
        /* so that the first watermark is the least one */
        .max_timestamp_ms = INT64_MIN + strategy->max_out_of_orderness_ms + 1,
        .idleness = {.timeout_ns = timeout_ns},
        .on_periodic = on_periodic,
        .context = context,
    };
}

/* Four at a time: each comparison waits for the one before it, and vectors of 64-bit integers have
 * no maximum. */
static int64_t highest(int64_t max, const int64_t *timestamps, size_t n) {
    int64_t of[4] = {max, max, max, max};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            of[k] = timestamps[i + k] > of[k] ? timestamps[i + k] : of[k];
    for (; i < n; i++) of[0] = timestamps[i] > of[0] ? timestamps[i] : of[0];
    for (size_t k = 1; k < 4; k++) of[0] = of[k] > of[0] ? of[k] : of[0];
    return of[0];
}

bool raski_watermark_generator_on_records(raski_watermark_generator *generator,
                                          const int64_t *timestamps, size_t n) {
    if (generator->strategy->kind == RASKI_WATERMARKS_BOUNDED)
        generator->max_timestamp_ms = highest(generator->max_timestamp_ms, timestamps, n);
    generator->idleness.active = true;
    const bool was_idle = generator->idle;
    generator->idle = false;
    return was_idle;
}

void raski_watermark_generator_on_periodic(raski_watermark_generator *generator, int64_t now_ns,
                                           raski_watermark_output *output) {
    const raski_watermark_strategy *strategy = generator->strategy;
    if (strategy->has_idleness && raski_idleness_timer_check(&generator->idleness, now_ns)) {
        if (!generator->idle) output->status(output, true);
        generator->idle = true;
        return;
    }
    if (strategy->kind == RASKI_WATERMARKS_BOUNDED)
        output->watermark(output,
                          generator->max_timestamp_ms - strategy->max_out_of_orderness_ms - 1);
    else if (generator->on_periodic != NULL)
        generator->on_periodic(generator->context, output);
}
