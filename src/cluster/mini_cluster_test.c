/* Whole jobs of fake tasks on a mini-cluster with threads: how they end, and that nothing is left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <sched.h>

#include "cluster/fake_task_test_util.h"
#include "cluster/job_graph_test_util.h"
#include "cluster/mini_cluster.h"

typedef struct world {
    fake_plan plan;
    raski_task_factory factory;
    raski_job_graph *graph;
    raski_coordinator_provider *providers;
    raski_job_submission submission;
    raski_mini_cluster *cluster;
    raski_job_result result;
    raski_error error;
} world;

static void world_open(world *w, raski_job_graph *graph, const raski_cluster_options *options) {
    w->graph = graph;
    w->factory = fake_factory(&w->plan);
    w->providers = fake_providers(graph, &w->plan, &w->submission.coordinator_count);
    w->submission.graph = graph;
    w->submission.coordinators = w->providers;
    assert_int_equal(raski_mini_cluster_create(options, &w->factory, NULL, &w->cluster, &w->error),
                     RASK_OK);
}

static void world_prepare(world *w) {
    memset(w, 0, sizeof *w);
    fake_plan_init(&w->plan, 1);
    w->plan.threaded = true;
}

static rask_status world_run(world *w) {
    memset(&w->error, 0, sizeof w->error);
    raski_job_result_fini(&w->result);
    return raski_mini_cluster_run(w->cluster, &w->submission, &w->result, &w->error);
}

static void world_close(world *w) {
    raski_job_result_fini(&w->result);
    raski_mini_cluster_destroy(w->cluster);
    raski_free(w->providers);
    raski_job_graph_destroy(w->graph);
    assert_int_equal(w->plan.live_tasks, 0);
    assert_int_equal(w->plan.live_partitions, 0);
    assert_int_equal(w->plan.live_threads, 0);
    fake_plan_fini(&w->plan);
}

/* Every record that a source makes goes through each vertex of a chain once. */
static void expect_counts(const world *w, uint64_t records) {
    for (size_t v = 0; v < w->result.vertex_count; v++)
        assert_int_equal(w->result.vertices[v].counters.records_in, records);
}

static void a_job_runs_to_its_end(void **state) {
    (void)state;
    const raski_result_type types[] = {RASKI_RESULT_PIPELINED_BOUNDED, RASKI_RESULT_BLOCKING,
                                       RASKI_RESULT_HYBRID_FULL};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        world w;
        world_prepare(&w);
        world_open(&w, test_graph_chain(3, types[t]), &RASKI_CLUSTER_OPTIONS_DEFAULT);
        for (int round = 0; round < 2; round++) {
            assert_int_equal(world_run(&w), RASK_OK);
            assert_int_equal(w.result.status, RASKI_JOB_FINISHED);
            assert_int_equal(w.result.vertex_count, 3);
            assert_string_equal(w.result.vertices[0].name, "source");
            assert_null(w.result.failure);
            expect_counts(&w, 30);
            assert_int_equal(w.plan.live_tasks, 0);
            assert_int_equal(w.plan.live_partitions, 0);
        }
        world_close(&w);
    }
}

static void a_failure_ends_the_job_and_says_whose_it_is(void **state) {
    (void)state;
    world w;
    world_prepare(&w);
    w.plan.step_fails = 1;
    w.plan.failures_max = 1;
    w.plan.endless = true;
    world_open(&w, test_graph_chain(2, RASKI_RESULT_PIPELINED_BOUNDED),
               &RASKI_CLUSTER_OPTIONS_DEFAULT);
    assert_int_equal(world_run(&w), RASK_FAILED);
    assert_int_equal(w.result.status, RASKI_JOB_FAILED);
    assert_non_null(w.result.failure);
    assert_string_equal(w.result.failure->message, "the step was to fail");
    assert_non_null(w.result.failure->operator_name);
    assert_int_equal(w.result.failure->parallelism, 2);
    assert_non_null(strstr(w.error.message, "(subtask "));
    assert_int_equal(w.error.error_class, RASKI_CLASS_USER);
    world_close(&w);
}

static void a_task_that_cannot_be_made_fails_the_job(void **state) {
    (void)state;
    world w;
    world_prepare(&w);
    w.plan.create_fails = 1;
    w.plan.failures_max = 1;
    world_open(&w, test_graph_chain(2, RASKI_RESULT_PIPELINED_BOUNDED),
               &RASKI_CLUSTER_OPTIONS_DEFAULT);
    assert_int_equal(world_run(&w), RASK_FAILED);
    const char *expected = "task 'source' (subtask 1 of 2): the task was not to be created";
    assert_int_equal(strncmp(w.error.message, expected, strlen(expected)), 0);
    world_close(&w);
}

static void restarts_bring_the_job_to_its_end(void **state) {
    (void)state;
    world w;
    world_prepare(&w);
    w.plan.step_fails = 0.05;
    w.plan.failures_max = 4;
    raski_cluster_options options = RASKI_CLUSTER_OPTIONS_DEFAULT;
    options.restart = raski_restart_options_default(RASKI_BACKOFF_FIXED_DELAY);
    options.restart.attempts = 10;
    options.restart.delay_ms = 1;
    world_open(&w, test_graph_chain(2, RASKI_RESULT_BLOCKING), &options);
    assert_int_equal(world_run(&w), RASK_OK);
    assert_int_equal(w.plan.failures, 4);
    assert_true(w.result.restarts >= 1);
    expect_counts(&w, 30);
    world_close(&w);
}

static void cancel_on_progress(void *ctx, const raski_job_progress *progress) {
    world *w = ctx;
    assert_int_equal(progress->tasks_total, 6);
    if (progress->tasks_running == 6) raski_mini_cluster_cancel(w->cluster);
}

static void cancel_ends_an_endless_job(void **state) {
    (void)state;
    world w;
    world_prepare(&w);
    w.plan.endless = true;
    world_open(&w, test_graph_chain(2, RASKI_RESULT_PIPELINED_BOUNDED),
               &RASKI_CLUSTER_OPTIONS_DEFAULT);
    w.submission.progress = cancel_on_progress;
    w.submission.progress_ctx = &w;
    w.submission.progress_interval_ms = 1;
    for (int round = 0; round < 2; round++) {
        assert_int_equal(world_run(&w), RASK_E_CANCELLED);
        assert_int_equal(w.result.status, RASKI_JOB_CANCELED);
        assert_int_equal(w.plan.live_tasks, 0);
    }
    /* Before a job: the next one is cancelled. */
    w.submission.progress = NULL;
    raski_mini_cluster_cancel(w.cluster);
    assert_int_equal(world_run(&w), RASK_E_CANCELLED);
    world_close(&w);
}

static void too_few_slots_are_told_at_once(void **state) {
    (void)state;
    world w;
    world_prepare(&w);
    raski_cluster_options options = RASKI_CLUSTER_OPTIONS_DEFAULT;
    options.slots_per_task_executor = 2;
    world_open(&w, test_graph_chain(3, RASKI_RESULT_PIPELINED_BOUNDED), &options);
    assert_int_equal(world_run(&w), RASK_FAILED);
    assert_string_equal(w.result.failure->exception, "NoResourceAvailableException");
    assert_non_null(strstr(w.result.failure->message,
                           "Could not acquire the minimum required resources. The cluster has 2 "
                           "slots. Needed: 3 in slot sharing group 'group 0'."));
    world_close(&w);
}

static void a_batch_job_takes_turns_in_few_slots(void **state) {
    (void)state;
    world w;
    world_prepare(&w);
    raski_cluster_options options = RASKI_CLUSTER_OPTIONS_DEFAULT;
    options.slots_per_task_executor = 1;
    raski_job_graph *graph = test_graph_chain(3, RASKI_RESULT_BLOCKING);
    graph->job_type = "BATCH";
    world_open(&w, graph, &options);
    assert_int_equal(world_run(&w), RASK_OK);
    expect_counts(&w, 30);
    world_close(&w);
}

static void several_slot_groups_get_their_slots(void **state) {
    (void)state;
    world w;
    world_prepare(&w);
    raski_job_graph *graph = raski_job_graph_new("groups");
    raski_job_vertex *a = test_vertex(graph, "a", 2, 0);
    raski_job_vertex *b = test_vertex(graph, "b", 3, 1);
    (void)test_edge(graph, a, b, RASKI_DISTRIBUTION_ALL_TO_ALL, RASKI_RESULT_PIPELINED_BOUNDED, 1);
    raski_cluster_options options = RASKI_CLUSTER_OPTIONS_DEFAULT;
    options.task_executors = 2;
    world_open(&w, test_graph_finish(graph, 1), &options);
    assert_int_equal(world_run(&w), RASK_OK);
    expect_counts(&w, 30);
    world_close(&w);
}

static size_t count_entries(const char *folder) {
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    size_t count = 0;
    while (readdir(dir) != NULL) count++;
    (void)closedir(dir);
    return count;
}

/* The kernel shows a thread for a moment after it was joined. */
static size_t count_threads(size_t expected) {
    size_t count = count_entries("/proc/self/task");
    for (int i = 0; i < 100000 && count != expected; i++) {
        (void)sched_yield();
        count = count_entries("/proc/self/task");
    }
    return count;
}

static void nothing_is_left_of_a_cluster(void **state) {
    (void)state;
    size_t base_threads = count_entries("/proc/self/task"), threads = 0, descriptors = 0;
    for (int round = 0; round < 5; round++) {
        world w;
        world_prepare(&w);
        world_open(&w, test_graph_chain(2, RASKI_RESULT_PIPELINED_BOUNDED),
                   &RASKI_CLUSTER_OPTIONS_DEFAULT);
        assert_int_equal(world_run(&w), RASK_OK);
        world_close(&w);
        /* The first round lets libuv make what it keeps for the process. */
        if (round == 0) {
            threads = count_threads(base_threads);
            descriptors = count_entries("/proc/self/fd");
        }
        assert_int_equal(count_threads(threads), threads);
        assert_int_equal(count_entries("/proc/self/fd"), descriptors);
    }
}

/* Cancels after some yields, from a thread of its own. */
typedef struct canceller {
    raski_mini_cluster *cluster;
    unsigned yields;
} canceller;

static void *cancel_later(void *argument) {
    const canceller *c = argument;
    for (unsigned i = 0; i < c->yields; i++) (void)sched_yield();
    raski_mini_cluster_cancel(c->cluster);
    return NULL;
}

/* A job on threads that fails, restarts, finishes or is cancelled wherever chance has it. */
static raski_job_status run_by_chance(uint64_t seed) {
    world w;
    world_prepare(&w);
    w.plan.random_state = seed;
    w.plan.step_fails = seed % 3 == 0 ? 0.02 : 0;
    w.plan.create_fails = seed % 5 == 0 ? 0.1 : 0;
    w.plan.failures_max = 1 + (int)(seed % 4);
    w.plan.endless = seed % 4 == 0;
    raski_cluster_options options = RASKI_CLUSTER_OPTIONS_DEFAULT;
    options.task_executors = 1 + (int)(seed % 2);
    if (seed % 2 == 0) {
        options.restart = raski_restart_options_default(RASKI_BACKOFF_FIXED_DELAY);
        options.restart.attempts = 8;
        options.restart.delay_ms = 1;
    }
    world_open(
        &w,
        test_graph_chain(1 + (int)(seed % 4),
                         seed % 3 == 1 ? RASKI_RESULT_BLOCKING : RASKI_RESULT_PIPELINED_BOUNDED),
        &options);
    pthread_t thread;
    canceller c = {w.cluster, (unsigned)(seed * 7919 % 400)};
    bool is_cancelled = w.plan.endless || seed % 3 == 2;
    if (is_cancelled) assert_int_equal(pthread_create(&thread, NULL, cancel_later, &c), 0);
    (void)!world_run(&w);
    if (is_cancelled) assert_int_equal(pthread_join(thread, NULL), 0);
    raski_job_status status = w.result.status;
    if (status == RASKI_JOB_FINISHED) expect_counts(&w, 30);
    world_close(&w);
    return status;
}

static void nothing_is_left_however_jobs_end(void **state) {
    (void)state;
    size_t threads = count_entries("/proc/self/task");
    (void)run_by_chance(1); /* what is made once for the process is there after */
    size_t descriptors = count_entries("/proc/self/fd");
    int ends[RASKI_JOB_STATUSES] = {0};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        ends[run_by_chance(seed)]++;
        if (count_threads(threads) != threads || count_entries("/proc/self/fd") != descriptors)
            fail_msg("seed %llu left threads or descriptors", (unsigned long long)seed);
    }
    assert_true(ends[RASKI_JOB_FINISHED] > 0);
    assert_true(ends[RASKI_JOB_FAILED] > 0);
    assert_true(ends[RASKI_JOB_CANCELED] > 0);
    assert_int_equal(ends[RASKI_JOB_FINISHED] + ends[RASKI_JOB_FAILED] + ends[RASKI_JOB_CANCELED],
                     60);
}

static void wrong_options_are_refused(void **state) {
    (void)state;
    raski_error err = {0};
    fake_plan plan;
    fake_plan_init(&plan, 1);
    raski_task_factory factory = fake_factory(&plan);
    raski_mini_cluster *cluster = NULL;
    raski_cluster_options options = RASKI_CLUSTER_OPTIONS_DEFAULT;
    options.heartbeat_timeout_ms = options.heartbeat_interval_ms;
    assert_int_equal(raski_mini_cluster_create(&options, &factory, NULL, &cluster, &err),
                     RASK_E_ARGUMENT);
    assert_string_equal(err.message,
                        "The heartbeat timeout should be larger than the heartbeat interval");
    fake_plan_fini(&plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_runs_to_its_end),
        cmocka_unit_test(a_failure_ends_the_job_and_says_whose_it_is),
        cmocka_unit_test(a_task_that_cannot_be_made_fails_the_job),
        cmocka_unit_test(restarts_bring_the_job_to_its_end),
        cmocka_unit_test(cancel_ends_an_endless_job),
        cmocka_unit_test(too_few_slots_are_told_at_once),
        cmocka_unit_test(a_batch_job_takes_turns_in_few_slots),
        cmocka_unit_test(several_slot_groups_get_their_slots),
        cmocka_unit_test(nothing_is_left_of_a_cluster),
        cmocka_unit_test(nothing_is_left_however_jobs_end),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
