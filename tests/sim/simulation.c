#include "sim/simulation.h"

#include <stdio.h>
#include <stdlib.h>

#include "actor/actor.h"
#include "cluster/mini_cluster.h"
#include "sim/workload.h"

enum { EXECUTORS_MAX = 3, HOUR_MS = 3600000 };

typedef struct run {
    uint64_t seed;
    bool verbose;
    raski_executor *executor;
    sim_workload workload;
    raski_mini_cluster *cluster;
    raski_actor chaos; /* gets a message whenever something is to happen */
    raski_cluster_options options;
    bool may_kill;
    int killed;
    uint64_t last_executor_number;
} run;

#define CHECK(r, condition, ...) \
    do { \
        if (!(condition)) { \
            (void)fprintf(stderr, "seed %llu: ", (unsigned long long)(r)->seed); \
            (void)fprintf(stderr, __VA_ARGS__); \
            (void)fprintf(stderr, " (%s)\n", #condition); \
            exit(1); \
        } \
    } while (0)

static uint64_t draw(run *r, uint64_t bound) {
    return raski_simulation_random(r->executor, bound);
}

static bool chance(run *r, uint64_t percent) {
    return draw(r, 100) < percent;
}

static uint64_t draw_for_workload(void *ctx, uint64_t bound) {
    return draw(ctx, bound);
}

/* ---------------------------------------------------------------- what is run */

static raski_cluster_options draw_options(run *r) {
    raski_cluster_options options = RASKI_CLUSTER_OPTIONS_DEFAULT;
    options.task_executors = 1 + (int)draw(r, EXECUTORS_MAX);
    options.heartbeat_interval_ms = 200;
    options.heartbeat_timeout_ms = 2000;
    options.slot_request_timeout_ms = 20000;
    if (chance(r, 70)) {
        options.restart = raski_restart_options_default(
            chance(r, 50) ? RASKI_BACKOFF_FIXED_DELAY : RASKI_BACKOFF_EXPONENTIAL_DELAY);
        options.restart.attempts = (int)draw(r, 20);
        options.restart.delay_ms = (int64_t)draw(r, 100);
        options.restart.initial_ms = 1 + (int64_t)draw(r, 100);
        options.restart.seed = r->seed;
    }
    if (chance(r, 20)) options.failover = RASKI_FAILOVER_FULL;
    return options;
}

/* ---------------------------------------------------------------- what happens to it */

typedef enum chaos_kind { CHAOS_CANCEL, CHAOS_KILL, CHAOS_REVIVE, CHAOS_HANGS } chaos_kind;
typedef struct chaos_message {
    chaos_kind kind;
    size_t executor;
} chaos_message;
static const raski_message_type chaos_type = {.name = "chaos",
                                              .payload_size = sizeof(chaos_message)};

static void plan_chaos(run *r, chaos_kind kind, size_t executor, uint64_t within_ms) {
    raski_message *message = raski_message_create(&chaos_type);
    *RASKI_PAYLOAD(message, chaos_message) = (chaos_message){kind, executor};
    (void)raski_actor_schedule(&r->chaos, (int64_t)draw(r, within_ms), message);
}

static void on_chaos(void *self, raski_message *message) {
    run *r = self;
    const chaos_message *m = RASKI_PAYLOAD(message, chaos_message);
    switch (m->kind) {
        case CHAOS_CANCEL:
            if (r->verbose) (void)printf("  cancel\n");
            raski_mini_cluster_cancel(r->cluster);
            break;
        case CHAOS_KILL:
            if (r->verbose) (void)printf("  task executor %zu dies\n", m->executor);
            r->killed++;
            raski_mini_cluster_kill_task_executor(r->cluster, m->executor);
            plan_chaos(r, CHAOS_REVIVE, m->executor, 5000);
            break;
        case CHAOS_REVIVE:
            if (r->verbose) (void)printf("  a new task executor %zu\n", m->executor);
            raski_mini_cluster_revive_task_executor(r->cluster, m->executor,
                                                    ++r->last_executor_number);
            break;
        case CHAOS_HANGS:
            CHECK(r, m->kind != CHAOS_HANGS, "the job does not end");
            break;
    }
}

/* Nothing lasts for an hour of virtual time: a run that does hangs. */
static void plan_end(run *r) {
    raski_message *message = raski_message_create(&chaos_type);
    RASKI_PAYLOAD(message, chaos_message)->kind = CHAOS_HANGS;
    (void)raski_actor_schedule(&r->chaos, HOUR_MS, message);
}

static void draw_chaos(run *r) {
    sim_faults faults = {0};
    plan_end(r);
    if (chance(r, 60)) {
        faults.failures_max = (int)draw(r, 6);
        faults.step_fails = (double)draw(r, 40) / 1000;
        faults.create_fails = (double)draw(r, 100) / 1000;
    }
    if (chance(r, 30)) plan_chaos(r, CHAOS_CANCEL, 0, 1000);
    if (chance(r, 10)) {
        faults.endless = true;
        plan_chaos(r, CHAOS_CANCEL, 0, 3000);
    }
    r->workload.set_faults(r->workload.ctx, &faults);
    if (r->may_kill) plan_chaos(r, CHAOS_KILL, draw(r, (uint64_t)r->options.task_executors), 800);
}

/* ---------------------------------------------------------------- what is checked */

static void check_result(run *r, const raski_job_result *result) {
    CHECK(r, raski_job_status_is_final(result->status), "the job ended as %s",
          raski_job_status_name(result->status));
    CHECK(r, (result->status == RASKI_JOB_FAILED) == (result->failure != NULL),
          "a failure and a status that do not fit");
    if (result->status != RASKI_JOB_FINISHED) return;
    char *wrong = r->workload.check(r->workload.ctx, result);
    CHECK(r, wrong == NULL, "%s", wrong);
}

/* Lets what is on its way arrive: heartbeats go on for ever, so for a while of virtual time. */
static void drain(run *r) {
    int64_t until_ms = raski_executor_now_ms(r->executor) + 30000;
    while (raski_executor_now_ms(r->executor) < until_ms && raski_simulation_step(r->executor)) {
    }
}

static void check_nothing_left(run *r) {
    raski_cluster_census census = raski_mini_cluster_count(r->cluster);
    CHECK(r, census.jobs == 0, "%zu jobs are left", census.jobs);
    CHECK(r, census.tasks == 0, "%zu tasks are left", census.tasks);
    CHECK(r, census.partitions == 0, "%zu partitions are left", census.partitions);
    CHECK(r, census.slots_in_use == 0, "%zu slots are in use", census.slots_in_use);
    /* Of timers only the resource manager's heartbeat may be there, and what chaos planned. */
    CHECK(r, census.executor.timers <= 1, "%zu timers are left", census.executor.timers);
    long left = r->workload.left(r->workload.ctx);
    CHECK(r, left == 0, "%ld things of tasks are left", left);
}

sim_outcome sim_run(uint64_t seed, bool verbose) {
    run run_ = {.seed = seed, .verbose = verbose};
    run *r = &run_;
    raski_error err = {0};
    /* The first numbers only choose how the rest goes. */
    r->executor = raski_executor_create_simulation(&(raski_simulation_options){
        .seed = seed, .delay_max_ms = (int64_t)(seed * 7 % 40), .loss = (double)(seed % 5) / 20});
    r->workload = seed % 2 == 0 ? sim_real_workload(seed, draw_for_workload, r)
                                : sim_fake_workload(seed, draw_for_workload, r);
    r->options = draw_options(r);
    r->last_executor_number = (uint64_t)r->options.task_executors;
    r->may_kill = r->options.task_executors > 1 && chance(r, 40);
    raski_actor_init(&r->chaos, r->executor, "chaos", on_chaos, r);
    rask_status status = raski_mini_cluster_create(&r->options, &r->workload.factory, r->executor,
                                                   &r->cluster, &err);
    CHECK(r, status == RASK_OK, "no cluster: %s", err.message);
    draw_chaos(r);
    const raski_job_submission submission = {
        .graph = r->workload.graph,
        .coordinators = r->workload.coordinators,
        .coordinator_count = r->workload.coordinator_count,
    };
    raski_job_result result = {0};
    status = raski_mini_cluster_run(r->cluster, &submission, &result, &err);
    CHECK(r, result.vertices != NULL, "the job was refused: %s", err.message);
    sim_outcome outcome = {
        .status = raski_job_status_name(result.status),
        .restarts = result.restarts,
        .killed = r->killed,
        .failures = r->workload.failures(r->workload.ctx),
        .virtual_ms = raski_executor_now_ms(r->executor),
    };
    if (verbose && status != RASK_OK) (void)printf("  %s\n", err.message);
    check_result(r, &result);
    raski_actor_close(&r->chaos);
    drain(r);
    check_nothing_left(r);
    outcome.events = (long)raski_executor_count(r->executor).delivered;
    raski_job_result_fini(&result);
    raski_mini_cluster_destroy(r->cluster);
    raski_executor_census left = raski_executor_count(r->executor);
    CHECK(r, left.actors == 0 && left.timers == 0 && left.messages == 0,
          "%zu actors, %zu timers, %zu messages are left", left.actors, left.timers, left.messages);
    raski_executor_destroy(r->executor);
    r->workload.destroy(r->workload.ctx);
    return outcome;
}
