#include "operators/timers.h"

struct raski_operator_timers {
    raski_operator *op;
    raski_timer_queue *queues[2]; /* event time, processing time */
    raski_timers_fire *fire;
};

raski_operator_timers *raski_operator_timers_create(raski_operator *op, raski_keyed_table *table,
                                                    raski_timers_fire *fire) {
    raski_operator_timers *timers = RASKI_NEW(raski_operator_timers);
    *timers = (raski_operator_timers){
        .op = op,
        .queues = {raski_timer_queue_create(table), raski_timer_queue_create(table)},
        .fire = fire};
    return timers;
}

void raski_operator_timers_destroy(raski_operator_timers *timers_take) {
    if (timers_take == NULL) return;
    raski_timer_queue_destroy(timers_take->queues[0]);
    raski_timer_queue_destroy(timers_take->queues[1]);
    raski_free(timers_take);
}

void raski_operator_timers_register(raski_operator_timers *timers, int64_t time_ms, bool processing,
                                    char *row) {
    RASKI_LOCAL_ERROR(error);
    if (timers->op->ending_keys) return; /* as in Flink: or a key might never end */
    if (raski_timer_queue_register(timers->queues[processing], time_ms, row, NULL, &error) !=
        RASK_OK)
        raski_operator_fail(timers->op, &error);
    else if (processing)
        raski_operator_wake_at(timers->op, time_ms);
}

void raski_operator_timers_delete(raski_operator_timers *timers, int64_t time_ms, bool processing,
                                  const char *row) {
    (void)raski_timer_queue_delete(timers->queues[processing], time_ms, row);
}

static void advance(raski_operator_timers *timers, bool processing, int64_t until_ms) {
    char *rows[RASKI_TIMERS_BLOCK];
    rask_timer timer = {.processing = processing};
    while (!timers->op->env->failed) {
        size_t n = raski_timer_queue_pop(timers->queues[processing], until_ms, rows,
                                         RASKI_TIMERS_BLOCK, &timer.time_ms);
        if (n == 0) return;
        timers->fire(timers->op, timer, rows, n);
    }
}

void raski_operator_timers_advance_watermark(raski_operator_timers *timers, int64_t watermark) {
    advance(timers, false, watermark);
}

void raski_operator_timers_restored(raski_operator_timers *timers) {
    int64_t time_ms = 0;
    if (raski_timer_queue_next_time(timers->queues[1], &time_ms))
        raski_operator_wake_at(timers->op, time_ms);
}

void raski_operator_timers_advance_processing_time(raski_operator_timers *timers, int64_t now_ms) {
    advance(timers, true, now_ms);
    raski_operator_timers_restored(timers);
}

size_t raski_operator_timers_count(const raski_operator_timers *timers, bool processing) {
    return raski_timer_queue_count(timers->queues[processing]);
}

raski_timer_queue *raski_operator_timers_queue(raski_operator_timers *timers, bool processing) {
    return timers->queues[processing];
}
