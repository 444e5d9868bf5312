/* simulation.h - one simulated run: a random job (of fake tasks for odd seeds, a program of real
 * ones for even seeds) on a mini-cluster in one thread and virtual time, with messages delayed,
 * heartbeats lost, tasks failing, task executors dying and a cancel at a random moment, all drawn
 * from one seed.
 *
 * What is checked: the job reaches a final status; only allowed transitions happen (the execution
 * graph refuses others, the scheduler insists); in a job that FINISHED every record was
 * counted exactly once; afterwards nothing is left of it: no tasks, partitions, slots, timers or
 * messages. A failed check prints what and the seed, and ends the process. */
#ifndef SIM_SIMULATION_H
#define SIM_SIMULATION_H
#include <stdbool.h>
#include <stdint.h>

/* How a run went, for the summary. */
typedef struct sim_outcome {
    const char *status; /* "FINISHED", ... */
    int restarts, killed, failures;
    long events;
    int64_t virtual_ms;
} sim_outcome;

sim_outcome sim_run(uint64_t seed, bool verbose);
#endif
