#include "operators/window/assigner.h"

static rask_status fail_without_timestamp(raski_error *err) {
    return RASKI_THROW(
        err, "RuntimeException",
        "Record has Long.MIN_VALUE timestamp (= no timestamp marker). Did you forget "
        "to call 'DataStream.assignTimestampsAndWatermarks(...)'?");
}

static raski_assigned_windows one(int64_t start, int64_t length) {
    return (raski_assigned_windows){{start, raski_wrap_add(start, length)}, 0, 1};
}

/* All starts above time - size. Near INT64_MIN that wraps around: Flink then assigns no window, or
 * runs on until its memory is full; here windows end where time does. */
static raski_assigned_windows sliding(const raski_window_assigner *assigner, int64_t time_ms) {
    const int64_t last = raski_window_start(time_ms, assigner->offset_ms, assigner->slide_ms);
    const int64_t bound = raski_wrap_sub(time_ms, assigner->size_ms);
    raski_assigned_windows windows = {
        {last, raski_wrap_add(last, assigner->size_ms)}, assigner->slide_ms, 0};
    if (last <= bound) return windows;
    const uint64_t slide = (uint64_t)assigner->slide_ms;
    const uint64_t distance = (uint64_t)last - (uint64_t)bound;
    const uint64_t below = ((uint64_t)last - (uint64_t)INT64_MIN) / slide;
    windows.count = (distance - 1) / slide + 1;
    if (windows.count > below + 1) windows.count = below + 1;
    return windows;
}

rask_status raski_window_assign(const raski_window_assigner *assigner, int64_t timestamp,
                                int64_t now_ms, int64_t gap_ms, raski_assigned_windows *ret_windows,
                                raski_error *err) {
    const int64_t time_ms = assigner->event_time ? timestamp : now_ms;
    switch (assigner->shape) {
        case RASKI_WINDOW_TUMBLING:
            if (assigner->event_time && timestamp == RASK_NO_TIMESTAMP)
                return fail_without_timestamp(err);
            *ret_windows = one(raski_window_start(time_ms, assigner->offset_ms, assigner->size_ms),
                               assigner->size_ms);
            return RASK_OK;
        case RASKI_WINDOW_SLIDING:
            if (assigner->event_time && timestamp == RASK_NO_TIMESTAMP)
                return fail_without_timestamp(err);
            *ret_windows = sliding(assigner, time_ms);
            return RASK_OK;
        case RASKI_WINDOW_SESSION: /* Flink's sessions take records without timestamp as well */
            *ret_windows = one(time_ms, assigner->gap_ms);
            return RASK_OK;
        case RASKI_WINDOW_DYNAMIC_SESSION:
            if (gap_ms <= 0)
                return RASKI_THROW(err, "IllegalArgumentException",
                                   "Dynamic session time gap must satisfy 0 < gap");
            *ret_windows = one(time_ms, gap_ms);
            return RASK_OK;
        case RASKI_WINDOW_GLOBAL:
        case RASKI_WINDOW_GLOBAL_END_OF_STREAM:
            break;
    }
    *ret_windows = (raski_assigned_windows){raski_global_window(), 0, 1};
    return RASK_OK;
}
