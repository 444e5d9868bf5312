/* rask-sim [-v] [-2] SEED... | FIRST-LAST: simulated runs of random jobs with random faults; see
 * simulation.h. Ends with 1 and the seed at the first failed check. -2: each seed runs twice, and
 * both runs must go alike. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/simulation.h"

static void run_again(uint64_t seed, sim_outcome first) {
    sim_outcome second = sim_run(seed, false);
    if (strcmp(first.status, second.status) == 0 && first.events == second.events &&
        first.virtual_ms == second.virtual_ms && first.failures == second.failures)
        return;
    (void)fprintf(stderr, "seed %llu: %s after %ld messages, then %s after %ld: not the same run\n",
                  (unsigned long long)seed, first.status, first.events, second.status,
                  second.events);
    exit(1);
}

static int run_range(uint64_t first, uint64_t last, bool verbose, bool twice) {
    int runs = 0;
    for (uint64_t seed = first; seed <= last; seed++, runs++) {
        if (verbose) (void)printf("seed %llu\n", (unsigned long long)seed);
        sim_outcome o = sim_run(seed, verbose);
        if (twice) run_again(seed, o);
        if (verbose)
            (void)printf(
                "seed %llu: %s after %lld ms, %d failures, %d restarts, %d killed, %ld "
                "messages\n",
                (unsigned long long)seed, o.status, (long long)o.virtual_ms, o.failures, o.restarts,
                o.killed, o.events);
    }
    return runs;
}

static int usage(void) {
    (void)fprintf(stderr, "usage: rask-sim [-v] [-2] SEED... | FIRST-LAST\n");
    return 2;
}

int main(int argc, char **argv) {
    bool verbose = false, twice = false;
    /* What goes wrong is meant to: no need to hear of it unless somebody asks. */
    (void)setenv("RASK_LOG", "off", 0);
    int runs = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0) {
            verbose = true;
            continue;
        }
        if (strcmp(argv[i], "-2") == 0) {
            twice = true;
            continue;
        }
        char *end = NULL;
        uint64_t first = strtoull(argv[i], &end, 10), last = first;
        if (end == argv[i]) return usage();
        if (*end == '-') last = strtoull(end + 1, &end, 10);
        if (*end != '\0' || last < first) return usage();
        runs += run_range(first, last, verbose, twice);
    }
    if (runs == 0) return usage();
    (void)printf("sim: %d runs passed\n", runs);
    return 0;
}
