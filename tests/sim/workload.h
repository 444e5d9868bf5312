/* workload.h - what a simulated cluster runs: jobs of fake tasks, or programs of real tasks that
 * are stepped. A workload draws itself from the run's random numbers. */
#ifndef SIM_WORKLOAD_H
#define SIM_WORKLOAD_H
#include "cluster/mini_cluster.h"

/* Numbers that say how often things go wrong; what they mean is the workload's. */
typedef struct sim_faults {
    double step_fails, create_fails; /* 0 to 1 */
    int failures_max;
    bool endless; /* sources never end by themselves */
} sim_faults;

typedef struct sim_workload {
    void *ctx;
    const raski_job_graph *graph;
    raski_task_factory factory;
    const raski_coordinator_provider *coordinators;
    size_t coordinator_count;
    void (*set_faults)(void *ctx, const sim_faults *faults);
    int (*failures)(const void *ctx); /* so far */
    /* Of a job that FINISHED: NULL, or what is wrong with its results (a heap string). */
    char *(*check)(const void *ctx, const raski_job_result *result);
    /* Whatever of its tasks is still there (0: nothing). */
    long (*left)(const void *ctx);
    void (*destroy)(void *ctx_take);
} sim_workload;

/* A number below bound. */
typedef uint64_t (*sim_draw)(void *ctx, uint64_t bound);

sim_workload sim_fake_workload(uint64_t seed, sim_draw draw, void *draw_ctx);
sim_workload sim_real_workload(uint64_t seed, sim_draw draw, void *draw_ctx);
#endif
