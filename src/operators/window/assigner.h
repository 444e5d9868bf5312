/* assigner.h - the windows of a record. Flink: the WindowAssigners. Threads: pure. */
#ifndef RASKI_OPERATORS_WINDOW_ASSIGNER_H
#define RASKI_OPERATORS_WINDOW_ASSIGNER_H
#include "graph/window_spec.h"
#include "operators/window/time_window.h"

/* Windows first, first - slide, first - 2 * slide, ...: count of them, all of one size. */
typedef struct raski_assigned_windows {
    raski_time_window first;
    int64_t slide_ms;
    uint64_t count;
} raski_assigned_windows;

static inline raski_time_window raski_assigned_window(const raski_assigned_windows *windows,
                                                      uint64_t i) {
    const int64_t back = (int64_t)(i * (uint64_t)windows->slide_ms);
    return (raski_time_window){raski_wrap_sub(windows->first.start_ms, back),
                               raski_wrap_sub(windows->first.end_ms, back)};
}

/* The assigner was checked. timestamp: of the record, RASK_NO_TIMESTAMP when it has none; now_ms:
 * processing time; gap_ms: of the record, for dynamic sessions. Errors, Flink's: a record without
 * timestamp in tumbling and sliding event-time windows, a gap below one. */
RASKI_NODISCARD rask_status raski_window_assign(const raski_window_assigner *assigner,
                                                int64_t timestamp, int64_t now_ms, int64_t gap_ms,
                                                raski_assigned_windows *ret_windows,
                                                raski_error *err);
#endif
