/* rate.h - so many records per second, without a clock of its own. Threads: one owner.
 * Flink: RateLimiterStrategy.perSecond, GuavaRateLimiter. */
#ifndef RASKI_CONNECTORS_RATE_H
#define RASKI_CONNECTORS_RATE_H
#include <stdbool.h>
#include <stdint.h>

typedef struct raski_rate {
    double per_second; /* 0: no limit */
    bool has_begun;
    int64_t begin_ns, taken; /* taken since then */
} raski_rate;

/* How many of wanted (at least 1) records may be made now; the first at once. 0: in *ret_wait_ns
 * the next may (at least a millisecond, so that at high rates many come at a time). What could not
 * be made in time is made up for, but for more than a second of it. */
int64_t raski_rate_take(raski_rate *rate, int64_t now_ns, int64_t wanted, int64_t *ret_wait_ns);
#endif
