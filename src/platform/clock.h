/* clock.h - reading time. Flink: util.clock.Clock. Threads: any. */
#ifndef RASKI_PLATFORM_CLOCK_H
#define RASKI_PLATFORM_CLOCK_H
#include <stdint.h>

enum { RASKI_NS_PER_MS = 1000000 };
#define RASKI_FOREVER INT64_MAX /* a deadline that never comes */

/* Monotonic nanoseconds since some fixed moment; about 20 ns a call. */
int64_t raski_now_ns(void);

/* The same clock, but only as fresh as the last kernel tick (1 to 10 ms old); a few ns a call, for
 * checks inside record loops that bound an age. Never ahead of raski_now_ns. */
int64_t raski_coarse_now_ns(void);

/* Milliseconds since 1970-01-01T00:00Z; may jump when somebody sets the clock. */
int64_t raski_wall_ms(void);

/* A deadline timeout_ms from now on the monotonic clock; RASKI_FOREVER when timeout_ms < 0. */
int64_t raski_deadline_ns(int64_t timeout_ms);

/* Blocks the calling thread. */
void raski_sleep_ns(int64_t duration_ns);
#endif
