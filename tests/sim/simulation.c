#include "sim/simulation.h"

#include <stdio.h>
#include <stdlib.h>

#include "actor/actor.h"
#include "cluster/fake_task_test_util.h"
#include "cluster/job_graph_test_util.h"
#include "cluster/mini_cluster.h"

enum { VERTICES_MAX = 7, PARALLELISM_MAX = 4, EXECUTORS_MAX = 3, EVENTS_MAX = 3000000 };

typedef struct run {
    uint64_t seed;
    bool verbose;
    raski_executor *executor;
    fake_plan plan;
    raski_job_graph *graph;
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

/* ---------------------------------------------------------------- what is run */

static raski_result_type draw_type(run *r) {
    static const raski_result_type types[] = {
        RASKI_RESULT_PIPELINED_BOUNDED, RASKI_RESULT_PIPELINED_BOUNDED, RASKI_RESULT_BLOCKING,
        RASKI_RESULT_BLOCKING,          RASKI_RESULT_HYBRID_FULL,       RASKI_RESULT_PIPELINED,
    };
    return types[draw(r, sizeof types / sizeof types[0])];
}

/* Every vertex but the first reads of one or two earlier ones, or is one more source. */
static raski_job_graph *draw_graph(run *r) {
    raski_job_graph *graph = raski_job_graph_new("simulated");
    raski_job_vertex *vertices[VERTICES_MAX];
    size_t count = 1 + draw(r, VERTICES_MAX);
    bool is_streaming = chance(r, 40);
    size_t slot_groups = 1 + draw(r, 2);
    for (size_t v = 0; v < count; v++) {
        char *name = raski_format("v%zu", v);
        vertices[v] = test_vertex(graph, name, 1 + (int)draw(r, PARALLELISM_MAX),
                                  v == 0 ? 0 : draw(r, slot_groups));
        raski_free(name);
        size_t inputs = v == 0 || chance(r, 15) ? 0 : 1 + draw(r, 2);
        for (size_t i = 0; i < inputs; i++) {
            raski_distribution distribution =
                chance(r, 50) ? RASKI_DISTRIBUTION_ALL_TO_ALL : RASKI_DISTRIBUTION_POINTWISE;
            raski_result_type type = is_streaming ? RASKI_RESULT_PIPELINED_BOUNDED : draw_type(r);
            (void)test_edge(graph, vertices[draw(r, v)], vertices[v], distribution, type,
                            (int)(v * 4 + i));
        }
    }
    graph->job_type = is_streaming ? "STREAMING" : "BATCH";
    return test_graph_finish(graph, 1);
}

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

typedef enum chaos_kind { CHAOS_CANCEL, CHAOS_KILL, CHAOS_REVIVE } chaos_kind;
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
    }
}

static void draw_chaos(run *r) {
    if (chance(r, 60)) {
        r->plan.failures_max = (int)draw(r, 6);
        r->plan.step_fails = (double)draw(r, 40) / 1000;
        r->plan.create_fails = (double)draw(r, 100) / 1000;
    }
    r->plan.splits = (int)draw(r, 8);
    r->plan.records_per_split = 1 + (int)draw(r, 30);
    if (chance(r, 30)) plan_chaos(r, CHAOS_CANCEL, 0, 1000);
    if (chance(r, 10)) {
        r->plan.endless = true;
        plan_chaos(r, CHAOS_CANCEL, 0, 3000);
    }
    if (r->may_kill) plan_chaos(r, CHAOS_KILL, draw(r, (uint64_t)r->options.task_executors), 800);
}

/* ---------------------------------------------------------------- what is checked */

/* Records that enter a vertex, by the definition of fake tasks. */
static uint64_t expected_in(const run *r, const raski_job_vertex *vertex) {
    if (vertex->inputs.count == 0)
        return (uint64_t)r->plan.splits * (uint64_t)r->plan.records_per_split;
    uint64_t records = 0;
    for (size_t i = 0; i < vertex->inputs.count; i++)
        records += expected_in(r, vertex->inputs.items[i]->source->producer);
    return records;
}

static void check_result(run *r, const raski_job_result *result) {
    CHECK(r, raski_job_status_is_final(result->status), "the job ended as %s",
          raski_job_status_name(result->status));
    CHECK(r, (result->status == RASKI_JOB_FAILED) == (result->failure != NULL),
          "a failure and a status that do not fit");
    if (result->status != RASKI_JOB_FINISHED) return;
    for (size_t v = 0; v < result->vertex_count; v++) {
        uint64_t expected = expected_in(r, r->graph->sorted.items[v]);
        CHECK(r, result->vertices[v].counters.records_in == expected,
              "vertex %s counted %llu records instead of %llu", result->vertices[v].name,
              (unsigned long long)result->vertices[v].counters.records_in,
              (unsigned long long)expected);
    }
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
    CHECK(r, r->plan.live_tasks == 0, "%ld tasks live on", (long)r->plan.live_tasks);
    CHECK(r, r->plan.live_partitions == 0, "%ld partitions live on", (long)r->plan.live_partitions);
}

sim_outcome sim_run(uint64_t seed, bool verbose) {
    run run_ = {.seed = seed, .verbose = verbose};
    run *r = &run_;
    raski_error err = {0};
    /* The first numbers only choose how the rest goes. */
    r->executor = raski_executor_create_simulation(&(raski_simulation_options){
        .seed = seed, .delay_max_ms = (int64_t)(seed * 7 % 40), .loss = (double)(seed % 5) / 20});
    fake_plan_init(&r->plan, seed ^ UINT64_C(0x5eed));
    r->graph = draw_graph(r);
    r->options = draw_options(r);
    r->last_executor_number = (uint64_t)r->options.task_executors;
    r->may_kill = r->options.task_executors > 1 && chance(r, 40);
    raski_actor_init(&r->chaos, r->executor, "chaos", on_chaos, r);
    raski_task_factory factory = fake_factory(&r->plan);
    rask_status status =
        raski_mini_cluster_create(&r->options, &factory, r->executor, &r->cluster, &err);
    CHECK(r, status == RASK_OK, "no cluster: %s", err.message);
    draw_chaos(r);
    raski_job_submission submission = {.graph = r->graph};
    raski_coordinator_provider *providers =
        fake_providers(r->graph, &r->plan, &submission.coordinator_count);
    submission.coordinators = providers;
    raski_job_result result = {0};
    status = raski_mini_cluster_run(r->cluster, &submission, &result, &err);
    CHECK(r, result.vertices != NULL, "the job was refused: %s", err.message);
    sim_outcome outcome = {
        .status = raski_job_status_name(result.status),
        .restarts = result.restarts,
        .killed = r->killed,
        .failures = r->plan.failures,
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
    raski_free(providers);
    raski_job_graph_destroy(r->graph);
    fake_plan_fini(&r->plan);
    return outcome;
}
