#include "operators/window/time_window.h"

#include "base/alloc.h"

/* MathUtils.longToIntWithBitMixing: MurmurHash3's finaliser for 64 bits, the lower half of it. */
int32_t raski_window_hash(raski_time_window window) {
    uint64_t bits = (uint64_t)raski_wrap_add(window.start_ms, window.end_ms);
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    bits ^= bits >> 31;
    return (int32_t)(uint32_t)bits;
}

/* Few windows, mostly sorted already: insertion is quick, and stable. */
static void sort_by_start(raski_time_window *windows, size_t n) {
    for (size_t i = 1; i < n; i++) {
        const raski_time_window window = windows[i];
        size_t to = i;
        for (; to > 0 && windows[to - 1].start_ms > window.start_ms; to--)
            windows[to] = windows[to - 1];
        windows[to] = window;
    }
}

size_t raski_window_merge_groups(const raski_time_window *windows, size_t n,
                                 raski_time_window *ret_windows, size_t *ret_groups) {
    if (n == 0) return 0;
    for (size_t i = 0; i < n; i++) ret_windows[i] = windows[i];
    sort_by_start(ret_windows, n);
    raski_time_window cover = ret_windows[0];
    size_t group = 0;
    ret_groups[0] = 0;
    for (size_t i = 1; i < n; i++) {
        if (raski_window_intersects(cover, ret_windows[i])) {
            cover = raski_window_cover(cover, ret_windows[i]);
        } else {
            cover = ret_windows[i];
            group++;
        }
        ret_groups[i] = group;
    }
    return group + 1;
}

static uint32_t bucket_hash(raski_time_window window) {
    const uint32_t hash = (uint32_t)raski_window_hash(window);
    return hash ^ hash >> 16;
}

size_t raski_window_java_set_order(raski_time_window *windows, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;
        while (same < kept && !raski_window_equal(windows[same], windows[i])) same++;
        if (same == kept) windows[kept++] = windows[i];
    }
    size_t capacity = 16;
    while (kept > capacity / 4 * 3) capacity *= 2;
    /* Inside a bucket in the order of insertion. */
    for (size_t i = 1; i < kept; i++) {
        const raski_time_window window = windows[i];
        const size_t bucket = bucket_hash(window) & (capacity - 1);
        size_t to = i;
        for (; to > 0 && (bucket_hash(windows[to - 1]) & (capacity - 1)) > bucket; to--)
            windows[to] = windows[to - 1];
        windows[to] = window;
    }
    return kept;
}
