/* The default scheduler, driven by hand: what it asks of its host, step by step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "graph/job_graph_build.h"
#include "scheduler/scheduler.h"

enum { MOST = 64 };

/* A host that only writes down what it is asked for. */
typedef struct notebook {
    int64_t now_ms;
    uint64_t requests[MOST];
    size_t request_count;
    uint64_t returned[MOST];
    size_t returned_count;
    size_t deployed[MOST];
    size_t deployed_count;
    size_t cancelled[MOST];
    size_t cancelled_count;
    uint32_t released[MOST];
    size_t released_count;
    uint64_t timers[MOST];
    int64_t delays_ms[MOST];
    size_t timer_count;
    int ended, global_restarts, resets;
    raski_job_graph *job_graph;
    raski_scheduler scheduler;
} notebook;

static int64_t now_ms(void *ctx) {
    return ((notebook *)ctx)->now_ms;
}
static void request_slot(void *ctx, uint64_t request, uint64_t bulk,
                         const raski_slot_group *slot_group) {
    notebook *n = ctx;
    assert_non_null(slot_group);
    assert_true(bulk > 0);
    n->requests[n->request_count++] = request;
}
static void return_slot(void *ctx, uint64_t request) {
    notebook *n = ctx;
    n->returned[n->returned_count++] = request;
}
static void deploy(void *ctx, size_t task, const raski_slot *slot) {
    notebook *n = ctx;
    assert_int_equal(slot->task_executor, 1);
    n->deployed[n->deployed_count++] = task;
}
static void cancel_task(void *ctx, size_t task) {
    notebook *n = ctx;
    n->cancelled[n->cancelled_count++] = task;
}
static void release_partition(void *ctx, uint32_t partition) {
    notebook *n = ctx;
    n->released[n->released_count++] = partition;
}
static void schedule(void *ctx, int64_t delay_ms, uint64_t token) {
    notebook *n = ctx;
    n->delays_ms[n->timer_count] = delay_ms;
    n->timers[n->timer_count++] = token;
}
static void before_reset(void *ctx, size_t task) {
    (void)task;
    ((notebook *)ctx)->resets++;
}
static void before_global_restart(void *ctx) {
    ((notebook *)ctx)->global_restarts++;
}
static void job_ended(void *ctx) {
    ((notebook *)ctx)->ended++;
}

/* a (2) -> b (2), pointwise, of that type: tasks 0 and 1, 2 and 3. */
static void open_notebook(notebook *n, raski_result_type type, raski_restart_options restart) {
    raski_error err = {0};
    raski_job_edge *edge = NULL;
    memset(n, 0, sizeof *n);
    n->job_graph = raski_job_graph_new("job");
    raski_slot_group *group = raski_arena_calloc(n->job_graph->arena, sizeof *group);
    group->name = "default";
    raski_vec_push(&n->job_graph->slot_groups, group);
    raski_job_vertex *a = raski_job_graph_add_vertex(n->job_graph, (raski_id){{1}}, "a");
    raski_job_vertex *b = raski_job_graph_add_vertex(n->job_graph, (raski_id){{2}}, "b");
    a->parallelism = b->parallelism = 2;
    a->slot_group = b->slot_group = group;
    raski_vec_push(&group->vertices, a);
    raski_vec_push(&group->vertices, b);
    assert_int_equal(
        raski_job_vertex_connect(n->job_graph, b,
                                 raski_job_vertex_result(n->job_graph, a, (raski_id){{3}}, type),
                                 RASKI_DISTRIBUTION_POINTWISE, false, false, &edge, &err),
        RASK_OK);
    assert_int_equal(raski_job_graph_sort(n->job_graph, &err), RASK_OK);
    const raski_scheduler_host host = {
        .size = sizeof host,
        .ctx = n,
        .now_ms = now_ms,
        .request_slot = request_slot,
        .return_slot = return_slot,
        .deploy = deploy,
        .cancel_task = cancel_task,
        .release_partition = release_partition,
        .schedule = schedule,
        .before_reset = before_reset,
        .before_global_restart = before_global_restart,
        .job_ended = job_ended,
    };
    const raski_default_scheduler_options options = {.restart = restart, .attempts_history_max = 4};
    assert_int_equal(
        raski_default_scheduler_create(n->job_graph, &options, &host, &n->scheduler, &err),
        RASK_OK);
}

static void close_notebook(notebook *n) {
    n->scheduler.vtable->destroy(n->scheduler.self);
    raski_job_graph_destroy(n->job_graph);
}

static const raski_execution_graph *graph_of(const notebook *n) {
    return n->scheduler.vtable->graph(n->scheduler.self);
}
static raski_execution_state state_of(const notebook *n, size_t task) {
    return raski_execution_graph_state(graph_of(n), task);
}
static void give_slot(notebook *n, uint64_t request) {
    const raski_slot slot = {.task_executor = 1, .allocation = request, .index = request};
    n->scheduler.vtable->slot_ready(n->scheduler.self, request, &slot);
}
static void give_all_slots(notebook *n, size_t from) {
    for (size_t i = from; i < n->request_count; i++) give_slot(n, n->requests[i]);
}
static void tell(notebook *n, size_t task, raski_execution_state state, const char *failure) {
    (void)n->scheduler.vtable->update_task_state(
        n->scheduler.self, graph_of(n)->vertices[task].current.id, state,
        failure != NULL ? raski_failure_create(RASKI_CLASS_USER, NULL, "%s", failure) : NULL, NULL);
}
static void run_task(notebook *n, size_t task) {
    tell(n, task, RASKI_EXECUTION_INITIALIZING, NULL);
    tell(n, task, RASKI_EXECUTION_RUNNING, NULL);
}
static void start(notebook *n) {
    n->scheduler.vtable->start_scheduling(n->scheduler.self);
    assert_int_equal(graph_of(n)->status, RASKI_JOB_RUNNING);
}

static raski_restart_options fixed_delay(int attempts) {
    raski_restart_options options = raski_restart_options_default(RASKI_BACKOFF_FIXED_DELAY);
    options.attempts = attempts;
    options.delay_ms = 100;
    return options;
}

static void producers_are_deployed_first_and_share_slots(void **state) {
    (void)state;
    notebook n;
    open_notebook(&n, RASKI_RESULT_PIPELINED_BOUNDED,
                  raski_restart_options_default(RASKI_BACKOFF_NONE));
    start(&n);
    /* Two regions, {0, 2} and {1, 3}, each in one slot. */
    assert_int_equal(n.request_count, 2);
    assert_int_equal(n.deployed_count, 0);
    give_slot(&n, n.requests[1]);
    assert_int_equal(n.deployed_count, 2);
    assert_int_equal(n.deployed[0], 1);
    assert_int_equal(n.deployed[1], 3);
    give_slot(&n, n.requests[0]);
    assert_int_equal(n.deployed_count, 4);
    for (size_t task = 0; task < 4; task++) {
        run_task(&n, task);
        tell(&n, task, RASKI_EXECUTION_FINISHED, NULL);
    }
    assert_int_equal(n.ended, 1);
    assert_int_equal(graph_of(&n)->status, RASKI_JOB_FINISHED);
    assert_int_equal(n.returned_count, 2);
    assert_int_equal(n.released_count, 2);
    close_notebook(&n);
}

static void a_blocking_reader_waits_for_its_producer(void **state) {
    (void)state;
    notebook n;
    open_notebook(&n, RASKI_RESULT_BLOCKING, raski_restart_options_default(RASKI_BACKOFF_NONE));
    start(&n);
    give_all_slots(&n, 0);
    assert_int_equal(n.deployed_count, 2);
    run_task(&n, 1);
    size_t before = n.request_count;
    tell(&n, 1, RASKI_EXECUTION_FINISHED, NULL);
    assert_int_equal(state_of(&n, 3), RASKI_EXECUTION_SCHEDULED);
    assert_int_equal(state_of(&n, 2), RASKI_EXECUTION_CREATED);
    give_all_slots(&n, before);
    assert_int_equal(n.deployed[2], 3);
    close_notebook(&n);
}

static void without_restarts_the_first_failure_is_the_jobs(void **state) {
    (void)state;
    notebook n;
    open_notebook(&n, RASKI_RESULT_PIPELINED_BOUNDED,
                  raski_restart_options_default(RASKI_BACKOFF_NONE));
    start(&n);
    give_slot(&n, n.requests[0]); /* tasks 0 and 2 run, 1 and 3 have no slot yet */
    run_task(&n, 0);
    run_task(&n, 2);
    tell(&n, 2, RASKI_EXECUTION_FAILED, "first");
    assert_int_equal(graph_of(&n)->status, RASKI_JOB_FAILING);
    assert_int_equal(n.cancelled_count, 1);
    assert_int_equal(n.cancelled[0], 0);
    assert_int_equal(state_of(&n, 1), RASKI_EXECUTION_CANCELED);
    assert_int_equal(n.ended, 0);
    give_slot(&n, n.requests[1]); /* too late: of no effect */
    assert_int_equal(n.deployed_count, 2);
    tell(&n, 0, RASKI_EXECUTION_FAILED, "second"); /* it was being cancelled */
    assert_int_equal(state_of(&n, 0), RASKI_EXECUTION_CANCELED);
    assert_int_equal(n.ended, 1);
    assert_int_equal(graph_of(&n)->status, RASKI_JOB_FAILED);
    assert_string_equal(graph_of(&n)->root_failure->message, "first");
    assert_int_equal(n.returned_count, 2);
    close_notebook(&n);
}

static void a_region_restarts_after_its_delay_when_all_of_it_has_ended(void **state) {
    (void)state;
    notebook n;
    open_notebook(&n, RASKI_RESULT_PIPELINED_BOUNDED, fixed_delay(1));
    start(&n);
    give_all_slots(&n, 0);
    for (size_t task = 0; task < 4; task++) run_task(&n, task);
    tell(&n, 0, RASKI_EXECUTION_FAILED, "once");
    assert_int_equal(graph_of(&n)->status, RASKI_JOB_RESTARTING);
    assert_int_equal(n.timer_count, 1);
    assert_int_equal(n.delays_ms[0], 100);
    assert_int_equal(n.cancelled_count, 1);
    assert_int_equal(n.cancelled[0], 2);
    n.scheduler.vtable->on_timer(n.scheduler.self, n.timers[0]);
    assert_int_equal(graph_of(&n)->status, RASKI_JOB_RESTARTING); /* task 2 still runs */
    size_t before = n.request_count;
    tell(&n, 2, RASKI_EXECUTION_CANCELED, NULL);
    assert_int_equal(graph_of(&n)->status, RASKI_JOB_RUNNING);
    assert_int_equal(n.resets, 2);
    assert_int_equal(state_of(&n, 0), RASKI_EXECUTION_SCHEDULED);
    assert_int_equal(graph_of(&n)->vertices[0].current.id.attempt, 1);
    assert_int_equal(state_of(&n, 1), RASKI_EXECUTION_RUNNING); /* the other region goes on */
    give_all_slots(&n, before);
    run_task(&n, 0);
    tell(&n, 0, RASKI_EXECUTION_FAILED, "twice"); /* one too many */
    assert_int_equal(graph_of(&n)->status, RASKI_JOB_FAILING);
    assert_string_equal(graph_of(&n)->root_failure->message, "twice");
    close_notebook(&n);
}

static void a_deployment_overtaken_by_a_failover_is_dropped(void **state) {
    (void)state;
    notebook n;
    open_notebook(&n, RASKI_RESULT_BLOCKING, fixed_delay(5));
    start(&n);
    give_all_slots(&n, 0);
    run_task(&n, 0);
    size_t first = n.request_count;
    tell(&n, 0, RASKI_EXECUTION_FINISHED, NULL); /* task 2 waits for its slot */
    assert_int_equal(n.request_count, first + 1);
    raski_failure *failure = raski_failure_create(RASKI_CLASS_EXTERNAL, NULL, "no slot");
    n.scheduler.vtable->slot_failed(n.scheduler.self, n.requests[first], failure);
    assert_int_equal(state_of(&n, 2), RASKI_EXECUTION_FAILED);
    assert_int_equal(n.returned[n.returned_count - 1], n.requests[first]);
    give_slot(&n, n.requests[first]); /* late */
    size_t deployed = n.deployed_count;
    n.scheduler.vtable->on_timer(n.scheduler.self, n.timers[0]);
    assert_int_equal(state_of(&n, 2), RASKI_EXECUTION_SCHEDULED);
    assert_int_equal(state_of(&n, 0), RASKI_EXECUTION_FINISHED); /* its result is still there */
    assert_int_equal(n.deployed_count, deployed);
    give_all_slots(&n, first + 1);
    assert_int_equal(n.deployed_count, deployed + 1);
    close_notebook(&n);
}

static void a_lost_task_executor_takes_its_partitions_with_it(void **state) {
    (void)state;
    notebook n;
    open_notebook(&n, RASKI_RESULT_BLOCKING, fixed_delay(5));
    start(&n);
    give_all_slots(&n, 0);
    run_task(&n, 0);
    size_t before = n.request_count;
    tell(&n, 0, RASKI_EXECUTION_FINISHED, NULL);
    give_all_slots(&n, before);
    run_task(&n, 2); /* reads what task 0 wrote */
    n.scheduler.vtable->task_executor_lost(
        n.scheduler.self, 1, raski_failure_create(RASKI_CLASS_EXTERNAL, NULL, "gone"));
    assert_int_equal(n.cancelled_count, 0); /* nobody would answer */
    assert_int_equal(state_of(&n, 2), RASKI_EXECUTION_FAILED);
    for (size_t i = 0; i < n.timer_count; i++)
        n.scheduler.vtable->on_timer(n.scheduler.self, n.timers[i]);
    assert_int_equal(graph_of(&n)->vertices[0].current.id.attempt, 1); /* must write it again */
    assert_int_equal(state_of(&n, 0), RASKI_EXECUTION_SCHEDULED);
    assert_int_equal(state_of(&n, 2), RASKI_EXECUTION_CREATED);
    close_notebook(&n);
}

static void cancel_ends_a_job_in_each_of_its_states(void **state) {
    (void)state;
    for (int when = 0; when < 4; when++) {
        notebook n;
        open_notebook(&n, RASKI_RESULT_PIPELINED_BOUNDED, fixed_delay(5));
        if (when >= 1) start(&n);
        if (when >= 2) give_all_slots(&n, 0);
        if (when >= 3) {
            for (size_t task = 0; task < 4; task++) run_task(&n, task);
            tell(&n, 0, RASKI_EXECUTION_FAILED, "restarting");
        }
        n.scheduler.vtable->cancel(n.scheduler.self);
        n.scheduler.vtable->start_scheduling(n.scheduler.self); /* of no effect any more */
        for (size_t task = 0; task < 4; task++)
            if (state_of(&n, task) == RASKI_EXECUTION_CANCELING)
                tell(&n, task, RASKI_EXECUTION_CANCELED, NULL);
        for (size_t i = 0; i < n.timer_count; i++)
            n.scheduler.vtable->on_timer(n.scheduler.self, n.timers[i]);
        assert_int_equal(graph_of(&n)->status, RASKI_JOB_CANCELED);
        assert_int_equal(n.ended, 1);
        assert_int_equal(n.returned_count, n.request_count);
        close_notebook(&n);
    }
}

static void a_global_failure_restarts_everything_once(void **state) {
    (void)state;
    notebook n;
    open_notebook(&n, RASKI_RESULT_PIPELINED_BOUNDED, fixed_delay(5));
    start(&n);
    give_all_slots(&n, 0);
    for (size_t task = 0; task < 4; task++) run_task(&n, task);
    n.scheduler.vtable->handle_global_failure(
        n.scheduler.self, raski_failure_create(RASKI_CLASS_INTERNAL, NULL, "coordinator"));
    tell(&n, 0, RASKI_EXECUTION_FAILED, "meanwhile"); /* counts as cancelled */
    for (size_t task = 1; task < 4; task++) tell(&n, task, RASKI_EXECUTION_CANCELED, NULL);
    for (size_t i = 0; i < n.timer_count; i++)
        n.scheduler.vtable->on_timer(n.scheduler.self, n.timers[i]);
    assert_int_equal(n.global_restarts, 1);
    assert_int_equal(n.resets, 4);
    assert_int_equal(graph_of(&n)->status, RASKI_JOB_RUNNING);
    close_notebook(&n);
}

static void news_of_earlier_attempts_are_of_no_effect(void **state) {
    (void)state;
    notebook n;
    open_notebook(&n, RASKI_RESULT_PIPELINED_BOUNDED, fixed_delay(5));
    start(&n);
    give_all_slots(&n, 0);
    raski_attempt_id old = graph_of(&n)->vertices[0].current.id;
    for (size_t task = 0; task < 4; task++) run_task(&n, task);
    tell(&n, 0, RASKI_EXECUTION_FAILED, "once");
    tell(&n, 2, RASKI_EXECUTION_CANCELED, NULL);
    n.scheduler.vtable->on_timer(n.scheduler.self, n.timers[0]);
    assert_false(n.scheduler.vtable->update_task_state(
        n.scheduler.self, old, RASKI_EXECUTION_FAILED,
        raski_failure_create(RASKI_CLASS_USER, NULL, "late"), NULL));
    assert_int_equal(state_of(&n, 0), RASKI_EXECUTION_SCHEDULED);
    close_notebook(&n);
}

static void slots_needed_are_those_of_the_widest_vertices(void **state) {
    (void)state;
    notebook n;
    open_notebook(&n, RASKI_RESULT_PIPELINED_BOUNDED, fixed_delay(5));
    assert_int_equal(raski_scheduler_slots_needed(n.job_graph), 2);
    close_notebook(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(producers_are_deployed_first_and_share_slots),
        cmocka_unit_test(a_blocking_reader_waits_for_its_producer),
        cmocka_unit_test(without_restarts_the_first_failure_is_the_jobs),
        cmocka_unit_test(a_region_restarts_after_its_delay_when_all_of_it_has_ended),
        cmocka_unit_test(a_deployment_overtaken_by_a_failover_is_dropped),
        cmocka_unit_test(a_lost_task_executor_takes_its_partitions_with_it),
        cmocka_unit_test(cancel_ends_a_job_in_each_of_its_states),
        cmocka_unit_test(a_global_failure_restarts_everything_once),
        cmocka_unit_test(news_of_earlier_attempts_are_of_no_effect),
        cmocka_unit_test(slots_needed_are_those_of_the_widest_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
