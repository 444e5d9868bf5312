#include "platform/clock.h"

#include <time.h>

static int64_t read_ns(clockid_t id) {
    struct timespec t;
    (void)clock_gettime(id, &t); /* cannot fail for these clocks */
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t raski_now_ns(void) {
    return read_ns(CLOCK_MONOTONIC);
}

int64_t raski_coarse_now_ns(void) {
#ifdef CLOCK_MONOTONIC_COARSE
    return read_ns(CLOCK_MONOTONIC_COARSE);
#else
    return read_ns(CLOCK_MONOTONIC);
#endif
}

int64_t raski_wall_ms(void) {
    return read_ns(CLOCK_REALTIME) / RASKI_NS_PER_MS;
}

int64_t raski_deadline_ns(int64_t timeout_ms) {
    if (timeout_ms < 0) return RASKI_FOREVER;
    int64_t now = raski_now_ns();
    if (timeout_ms > (RASKI_FOREVER - now) / RASKI_NS_PER_MS) return RASKI_FOREVER;
    return now + timeout_ms * RASKI_NS_PER_MS;
}

void raski_sleep_ns(int64_t duration_ns) {
    if (duration_ns <= 0) return;
    struct timespec t = {duration_ns / 1000000000, duration_ns % 1000000000};
    while (nanosleep(&t, &t) != 0) {
        /* a signal: t is what is left */
    }
}
