#include "connectors/rate.h"

static const int64_t SECOND_NS = 1000000000;
static const int64_t WAIT_NS_MIN = 1000000;
static const int64_t WAIT_NS_MAX = INT64_C(3600) * 1000000000;

int64_t raski_rate_take(raski_rate *rate, int64_t now_ns, int64_t wanted, int64_t *ret_wait_ns) {
    *ret_wait_ns = 0;
    if (rate->per_second <= 0) return wanted;
    if (!rate->has_begun) {
        rate->has_begun = true;
        rate->begin_ns = now_ns;
    }
    const long double per_ns = (long double)rate->per_second / SECOND_NS;
    long double due = (long double)(now_ns - rate->begin_ns) * per_ns + 1 - rate->taken;
    if (due > rate->per_second + 1) { /* it was held up for more than a second */
        rate->begin_ns = now_ns - SECOND_NS;
        rate->taken = 0;
        due = rate->per_second + 1;
    }
    if (due >= 1) {
        const int64_t n = due < (long double)wanted ? (int64_t)due : wanted;
        rate->taken += n;
        return n;
    }
    const long double wait = (1 - due) / per_ns + 1;
    *ret_wait_ns = wait < WAIT_NS_MAX ? (int64_t)wait : WAIT_NS_MAX;
    if (*ret_wait_ns < WAIT_NS_MIN) *ret_wait_ns = WAIT_NS_MIN;
    return 0;
}
