/* primes.c - results in the program: rask_execute_and_collect.
 *
 *   primes [-p N] [UP_TO] */
#include <rask/rask.h>
#include <stdio.h>
#include <stdlib.h>

RASK_FILTER(is_prime, int64_t, n) {
    for (int64_t d = 2; d * d <= n; d++)
        if (n % d == 0) return false;
    return n > 1;
}

int main(int argc, char **argv) {
    rask_env *env = rask_env_create(&argc, &argv);
    int64_t up_to = argc > 1 ? atoll(argv[1]) : 100;
    rask_stream(int64_t) numbers = rask_sequence(env, 1, up_to);
    rask_iterator(int64_t) it = rask_execute_and_collect(rask_filter(numbers, is_prime), "Primes");
    int64_t count = 0, largest = 0;
    for (int64_t n; rask_next(&it, &n);) {
        count++;
        if (n > largest) largest = n;
    }
    int code = rask_close(&it);
    if (code == RASK_EXIT_OK)
        printf("%lld primes up to %lld, the largest is %lld\n", (long long)count, (long long)up_to,
               (long long)largest);
    return code;
}
