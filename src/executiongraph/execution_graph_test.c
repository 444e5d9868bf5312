/* States of attempts and jobs: which may follow which, what the graph keeps of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "executiongraph/execution_graph.h"
#include "graph/job_graph_build.h"

static raski_job_graph *two_vertices(raski_result_type type) {
    raski_error err = {0};
    raski_job_edge *edge = NULL;
    raski_job_graph *graph = raski_job_graph_new("two");
    raski_job_vertex *a = raski_job_graph_add_vertex(graph, (raski_id){{1}}, "a");
    raski_job_vertex *b = raski_job_graph_add_vertex(graph, (raski_id){{2}}, "b");
    a->parallelism = 2;
    b->parallelism = 3;
    assert_int_equal(
        raski_job_vertex_connect(graph, b, raski_job_vertex_result(graph, a, (raski_id){{3}}, type),
                                 RASKI_DISTRIBUTION_ALL_TO_ALL, false, false, &edge, &err),
        RASK_OK);
    assert_int_equal(raski_job_graph_sort(graph, &err), RASK_OK);
    return graph;
}

static void every_attempt_can_end_and_no_final_state_changes(void **state) {
    (void)state;
    for (int from = 0; from < RASKI_EXECUTION_STATES; from++) {
        int followers = 0;
        for (int to = 0; to < RASKI_EXECUTION_STATES; to++)
            followers += raski_execution_state_may_follow((raski_execution_state)from,
                                                          (raski_execution_state)to);
        assert_int_equal(followers == 0,
                         raski_execution_state_is_final((raski_execution_state)from));
        assert_false(raski_execution_state_may_follow((raski_execution_state)from,
                                                      (raski_execution_state)from));
    }
    assert_false(
        raski_execution_state_may_follow(RASKI_EXECUTION_CANCELING, RASKI_EXECUTION_FINISHED));
    assert_false(
        raski_execution_state_may_follow(RASKI_EXECUTION_CREATED, RASKI_EXECUTION_RUNNING));
    assert_string_equal(raski_execution_state_name(RASKI_EXECUTION_CANCELING), "CANCELING");
}

static void a_job_ends_once(void **state) {
    (void)state;
    for (int from = 0; from < RASKI_JOB_STATUSES; from++)
        for (int to = 0; to < RASKI_JOB_STATUSES; to++)
            if (raski_job_status_is_final((raski_job_status)from) || from == RASKI_JOB_SUSPENDED)
                assert_false(
                    raski_job_status_may_follow((raski_job_status)from, (raski_job_status)to));
    assert_true(raski_job_status_may_follow(RASKI_JOB_FAILING, RASKI_JOB_CANCELLING));
    assert_false(raski_job_status_may_follow(RASKI_JOB_FINISHED, RASKI_JOB_RUNNING));
    assert_string_equal(raski_job_status_name(RASKI_JOB_CANCELLING), "CANCELLING");
}

typedef struct heard {
    int executions, jobs;
    raski_execution_state last;
} heard;

static void on_execution(void *ctx, const raski_execution_vertex *vertex,
                         raski_execution_state from, raski_execution_state to) {
    heard *h = ctx;
    assert_int_equal(vertex->current.state, to); /* told after the change */
    assert_int_not_equal(from, to);
    h->executions++;
    h->last = to;
}

static void on_job(void *ctx, raski_job_status from, raski_job_status to) {
    heard *h = ctx;
    assert_int_not_equal(from, to);
    h->jobs++;
}

static void run_to(raski_execution_graph *graph, size_t task, raski_execution_state state) {
    static const raski_execution_state way[] = {
        RASKI_EXECUTION_SCHEDULED, RASKI_EXECUTION_DEPLOYING, RASKI_EXECUTION_INITIALIZING,
        RASKI_EXECUTION_RUNNING, RASKI_EXECUTION_FINISHED};
    for (size_t i = 0; raski_execution_graph_state(graph, task) != state; i++)
        assert_true(raski_execution_graph_transition(graph, task, way[i], 7, NULL));
}

static void the_graph_refuses_what_is_not_allowed_and_tells_what_changed(void **state) {
    (void)state;
    heard h = {0};
    raski_error err = {0};
    raski_execution_graph *graph = NULL;
    raski_job_graph *job_graph = two_vertices(RASKI_RESULT_BLOCKING);
    const raski_execution_listener listener = {&h, on_execution, on_job};
    assert_int_equal(raski_execution_graph_create(job_graph, 2, 5, &listener, &graph, &err),
                     RASK_OK);
    assert_int_equal(graph->vertex_count, 5);
    assert_int_equal(graph->state_counts[RASKI_EXECUTION_CREATED], 5);
    assert_false(raski_execution_graph_transition(graph, 0, RASKI_EXECUTION_RUNNING, 6, NULL));
    assert_int_equal(h.executions, 0);
    run_to(graph, 0, RASKI_EXECUTION_RUNNING);
    assert_int_equal(h.executions, 4);
    assert_int_equal(graph->vertices[0].current.entered_ms[RASKI_EXECUTION_CREATED], 5);
    assert_int_equal(graph->vertices[0].current.entered_ms[RASKI_EXECUTION_RUNNING], 7);
    assert_int_equal(graph->vertices[0].current.entered_ms[RASKI_EXECUTION_FAILED], -1);
    assert_false(raski_execution_graph_transition_job(graph, RASKI_JOB_RUNNING, 6));
    assert_true(raski_execution_graph_transition_job(graph, RASKI_JOB_CREATED, 6));
    assert_int_equal(h.jobs, 1);
    raski_execution_graph_destroy(graph);
    raski_job_graph_destroy(job_graph);
}

static void partitions_finish_with_their_producers(void **state) {
    (void)state;
    raski_error err = {0};
    raski_execution_graph *graph = NULL;
    raski_job_graph *job_graph = two_vertices(RASKI_RESULT_BLOCKING);
    assert_int_equal(raski_execution_graph_create(job_graph, 2, 0, NULL, &graph, &err), RASK_OK);
    const raski_execution_job_vertex *consumer = &graph->topology->vertices[1];
    const raski_data_set *data_set = consumer->job_vertex->inputs.items[0]->source;
    const raski_partition_group *group =
        raski_execution_topology_group_of_consumer(graph->topology, consumer, 0, 1);
    assert_int_equal(graph->partition_count, 2);
    assert_int_equal(raski_execution_graph_partition(graph, data_set, 1), 1);
    assert_int_equal(graph->partition_producer[1], 1);
    run_to(graph, 0, RASKI_EXECUTION_FINISHED);
    assert_true(raski_execution_graph_partition_finished(graph, data_set, 0));
    assert_false(raski_execution_graph_group_finished(graph, group));
    run_to(graph, 1, RASKI_EXECUTION_FINISHED);
    assert_true(raski_execution_graph_group_finished(graph, group));
    raski_execution_graph_reset(graph, 1, 9);
    assert_false(raski_execution_graph_group_finished(graph, group));
    raski_execution_graph_destroy(graph);
    raski_job_graph_destroy(job_graph);
}

static void attempts_are_numbered_and_the_newest_are_kept(void **state) {
    (void)state;
    raski_error err = {0};
    raski_execution_graph *graph = NULL;
    raski_job_graph *job_graph = two_vertices(RASKI_RESULT_PIPELINED);
    assert_int_equal(raski_execution_graph_create(job_graph, 2, 0, NULL, &graph, &err), RASK_OK);
    raski_execution_vertex *vertex = &graph->vertices[2];
    raski_execution_graph_reset(graph, 2, 1); /* still CREATED: nothing to do */
    assert_int_equal(vertex->current.id.attempt, 0);
    for (uint32_t attempt = 0; attempt < 4; attempt++) {
        raski_failure *failure =
            raski_failure_create(RASKI_CLASS_USER, NULL, "failure %u", attempt);
        assert_true(raski_execution_graph_transition(graph, 2, RASKI_EXECUTION_FAILED, 1, failure));
        raski_execution_graph_set_root_failure(graph, failure);
        raski_execution_graph_reset(graph, 2, 2);
        assert_int_equal(vertex->current.id.attempt, attempt + 1);
        assert_int_equal(vertex->current.state, RASKI_EXECUTION_CREATED);
    }
    assert_int_equal(vertex->history.count, 2);
    assert_string_equal(vertex->history.items[1].failure->message, "failure 3");
    assert_string_equal(graph->root_failure->message, "failure 0");
    assert_int_equal(graph->state_counts[RASKI_EXECUTION_CREATED], 5);
    assert_int_equal(graph->state_counts[RASKI_EXECUTION_FAILED], 0);
    raski_execution_graph_destroy(graph);
    raski_job_graph_destroy(job_graph);
}

static void a_failure_says_where_it_was(void **state) {
    (void)state;
    raski_str text = {0};
    raski_failure *failure = raski_failure_create(RASKI_CLASS_USER, "", "no %s", "luck");
    raski_failure_describe(failure, &text);
    assert_string_equal(raski_str_text(&text), "no luck");
    failure->operator_name = raski_strdup("Map");
    failure->subtask = 1;
    failure->parallelism = 4;
    failure->record = 17;
    raski_str_truncate(&text, 0);
    raski_failure_describe(failure, &text);
    assert_string_equal(raski_str_text(&text),
                        "operator 'Map' (subtask 2 of 4, record 17): no luck");
    raski_failure *copy = raski_failure_copy(failure);
    raski_failure_destroy(failure);
    copy->subtask = RASKI_NO_SUBTASK;
    copy->record = 0;
    raski_str_truncate(&text, 0);
    raski_failure_describe(copy, &text);
    assert_string_equal(raski_str_text(&text), "operator 'Map' (coordinator): no luck");
    raski_failure_destroy(copy);
    raski_str_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_attempt_can_end_and_no_final_state_changes),
        cmocka_unit_test(a_job_ends_once),
        cmocka_unit_test(the_graph_refuses_what_is_not_allowed_and_tells_what_changed),
        cmocka_unit_test(partitions_finish_with_their_producers),
        cmocka_unit_test(attempts_are_numbered_and_the_newest_are_kept),
        cmocka_unit_test(a_failure_says_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
