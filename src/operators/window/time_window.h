/* time_window.h - windows as values, with Flink's integer arithmetic: everything wraps around at 64
 * bits, and the start of a window is right for negative times as well.
 *
 * The global window is [INT64_MIN, INT64_MIN): its last millisecond, end - 1, is INT64_MAX.
 * Flink: TimeWindow, GlobalWindow. Threads: pure. */
#ifndef RASKI_OPERATORS_WINDOW_TIME_WINDOW_H
#define RASKI_OPERATORS_WINDOW_TIME_WINDOW_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct raski_time_window {
    int64_t start_ms;
    int64_t end_ms; /* the first millisecond behind it */
} raski_time_window;

/* Java's arithmetic on long. */
static inline int64_t raski_wrap_add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t raski_wrap_sub(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline raski_time_window raski_global_window(void) {
    return (raski_time_window){INT64_MIN, INT64_MIN};
}
static inline int64_t raski_window_max_timestamp(raski_time_window window) {
    return raski_wrap_sub(window.end_ms, 1);
}
static inline bool raski_window_equal(raski_time_window a, raski_time_window b) {
    return a.start_ms == b.start_ms && a.end_ms == b.end_ms;
}
/* Windows that only touch intersect as well. */
static inline bool raski_window_intersects(raski_time_window a, raski_time_window b) {
    return a.start_ms <= b.end_ms && a.end_ms >= b.start_ms;
}
static inline raski_time_window raski_window_cover(raski_time_window a, raski_time_window b) {
    return (raski_time_window){a.start_ms < b.start_ms ? a.start_ms : b.start_ms,
                               a.end_ms > b.end_ms ? a.end_ms : b.end_ms};
}
/* The start of the window of size_ms (>= 1) that timestamp falls into, where windows start at
 * offset_ms + n * size_ms. */
static inline int64_t raski_window_start(int64_t timestamp, int64_t offset_ms, int64_t size_ms) {
    const int64_t remainder = raski_wrap_sub(timestamp, offset_ms) % size_ms;
    return raski_wrap_sub(timestamp, remainder < 0 ? remainder + size_ms : remainder);
}
/* Java's hashCode of a TimeWindow. */
int32_t raski_window_hash(raski_time_window window);

/* Sorts n windows by their start; of those that intersect, directly or by others between them, a
 * group is made. Gives for each window, in the sorted order, the number of its group (from 0), and
 * returns the number of groups. ret_windows, which may be windows, and ret_groups have room for n.
 * Sorting is stable. */
size_t raski_window_merge_groups(const raski_time_window *windows, size_t n,
                                 raski_time_window *ret_windows, size_t *ret_groups);
/* Sorts n windows into the order in which a Java HashSet gives them that they were added to in this
 * order; repeats are left out. Returns how many are left. Merging concatenates lists in this order.
 */
size_t raski_window_java_set_order(raski_time_window *windows, size_t n);
#endif
