#include "executiongraph/execution_topology.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "graph/job_graph_build.h"

static raski_job_graph *graph_of(size_t count, const int *parallelisms) {
    raski_job_graph *graph = raski_job_graph_new("test");
    for (size_t i = 0; i < count; i++)
        raski_job_graph_add_vertex(graph, (raski_id){{(uint8_t)i, 1}}, "v")->parallelism =
            parallelisms[i];
    return graph;
}

static void connect(raski_job_graph *graph, size_t from, size_t to, raski_distribution distribution,
                    raski_result_type type) {
    raski_job_vertex *producer = graph->vertices.items[from];
    raski_id id = {{(uint8_t)from, (uint8_t)producer->results.count, 2}};
    raski_job_edge *edge = NULL;
    assert_int_equal(raski_job_vertex_connect(graph, graph->vertices.items[to],
                                              raski_job_vertex_result(graph, producer, id, type),
                                              distribution, false, false, &edge, NULL),
                     RASK_OK);
}

static raski_execution_topology *topology_of(raski_job_graph *graph) {
    raski_execution_topology *topology = NULL;
    raski_error err = {0};
    assert_int_equal(raski_job_graph_sort(graph, &err), RASK_OK);
    if (raski_execution_topology_create(graph, &topology, &err) != RASK_OK)
        fail_msg("%s", err.message);
    return topology;
}

/* For all small parallelisms: the groups cover all partitions and consumers once, each consumer is
 * in the group that it reads, and no two readers of a partition read the same subpartition. */
static void groups_and_reads_agree(void **state) {
    (void)state;
    for (int producers = 1; producers <= 9; producers++) {
        for (int consumers = 1; consumers <= 9; consumers++) {
            raski_job_graph *graph = graph_of(2, (int[]){producers, consumers});
            connect(graph, 0, 1, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_PIPELINED_BOUNDED);
            raski_execution_topology *t = topology_of(graph);
            const raski_execution_job_vertex *v = &t->vertices[1];
            const raski_data_set *data_set = graph->vertices.items[0]->results.items[0];
            assert_int_equal(v->inputs[0].group_count,
                             producers < consumers ? producers : consumers);
            int next_consumer = 0, next_partition = 0;
            for (size_t g = 0; g < v->inputs[0].group_count; g++) {
                const raski_partition_group *group = &v->inputs[0].groups[g];
                assert_int_equal(group->consumers.first, next_consumer);
                assert_int_equal(group->partitions.first, next_partition);
                next_consumer = group->consumers.last + 1;
                next_partition = group->partitions.last + 1;
                unsigned seen = 0;
                for (int c = group->consumers.first; c <= group->consumers.last; c++) {
                    raski_consumed_range r = raski_execution_topology_reads(t, v, 0, c);
                    assert_ptr_equal(raski_execution_topology_group_of_consumer(t, v, 0, c), group);
                    assert_int_equal(r.partitions.first, group->partitions.first);
                    assert_int_equal(r.subpartitions.first, r.subpartitions.last);
                    assert_false(seen & 1U << r.subpartitions.first);
                    seen |= 1U << r.subpartitions.first;
                }
                for (int p = group->partitions.first; p <= group->partitions.last; p++) {
                    assert_ptr_equal(raski_execution_topology_group_of_partition(t, data_set, 0, p),
                                     group);
                    int count = raski_execution_topology_subpartitions(t, data_set, p);
                    assert_int_equal(seen, (1U << count) - 1);
                }
            }
            assert_int_equal(next_consumer, consumers);
            assert_int_equal(next_partition, producers);
            raski_execution_topology_destroy(t);
            raski_job_graph_destroy(graph);
        }
    }
}

/* 10,000 x 10,000 subtasks: one group. */
static void wide_exchange_is_small(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(2, (int[]){10000, 10000});
    connect(graph, 0, 1, RASKI_DISTRIBUTION_ALL_TO_ALL, RASKI_RESULT_PIPELINED_BOUNDED);
    raski_execution_topology *t = topology_of(graph);
    assert_int_equal(t->task_count, 20000);
    assert_int_equal(t->vertices[1].inputs[0].group_count, 1);
    assert_int_equal(t->region_count, 1);
    assert_ptr_equal(raski_execution_topology_vertex_of(t, 9999), &t->vertices[0]);
    assert_ptr_equal(raski_execution_topology_vertex_of(t, 10000), &t->vertices[1]);
    raski_execution_topology_destroy(t);
    raski_job_graph_destroy(graph);
}

static void max_parallelism_is_resolved(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(4, (int[]){1, 86, -1, 3});
    raski_error err = {0};
    raski_execution_topology *t = topology_of(graph);
    assert_int_equal(t->vertices[0].max_parallelism, 128);
    assert_int_equal(t->vertices[1].max_parallelism, 256);
    assert_int_equal(t->vertices[2].parallelism, 1);
    assert_false(t->vertices[1].max_parallelism_configured);
    raski_execution_topology_destroy(t);
    graph->vertices.items[3]->max_parallelism = 2;
    graph->vertices.items[3]->name = "last";
    assert_int_not_equal(raski_execution_topology_create(graph, &t, &err), RASK_OK);
    assert_string_equal(err.exception, "JobException");
    assert_string_equal(err.message,
                        "Vertex last's parallelism (3) is higher than the max parallelism (2). "
                        "Please lower the parallelism or increase the max parallelism.");
    raski_job_graph_destroy(graph);
}

static void out_of_bounds(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(1, (int[]){40000});
    raski_execution_topology *t = NULL;
    raski_error err = {0};
    assert_int_equal(raski_job_graph_sort(graph, &err), RASK_OK);
    assert_int_not_equal(raski_execution_topology_create(graph, &t, &err), RASK_OK);
    assert_string_equal(err.exception, "IllegalArgumentException");
    raski_job_graph_destroy(graph);
}

/* Pointwise pipelines make a region per lane; a blocking edge cuts it. */
static void pointwise_regions(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(3, (int[]){2, 4, 4});
    connect(graph, 0, 1, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_PIPELINED_BOUNDED);
    connect(graph, 1, 2, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_BLOCKING);
    raski_execution_topology *t = topology_of(graph);
    assert_int_equal(t->region_count, 6);
    const size_t expected[] = {0, 1, 0, 0, 1, 1, 2, 3, 4, 5};
    for (size_t i = 0; i < t->task_count; i++) assert_int_equal(t->region_of_task[i], expected[i]);
    assert_int_equal(t->regions[1].task_count, 3);
    assert_int_equal(t->regions[1].tasks[2], 5);
    raski_execution_topology_destroy(t);
    raski_job_graph_destroy(graph);
}

/* Lanes that wait for each other through blocking edges cannot be scheduled apart: A-B and C-D are
 * pipelined lanes, A feeds D and C feeds B blockingly. */
static void circles_are_merged(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(5, (int[]){1, 1, 1, 1, 1});
    connect(graph, 0, 1, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_PIPELINED_BOUNDED);
    connect(graph, 2, 3, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_PIPELINED_BOUNDED);
    connect(graph, 0, 3, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_BLOCKING);
    connect(graph, 2, 1, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_BLOCKING);
    /* one logical region, as merging looks only inside of one */
    connect(graph, 1, 4, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_PIPELINED_BOUNDED);
    connect(graph, 3, 4, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_PIPELINED_BOUNDED);
    raski_execution_topology *t = topology_of(graph);
    assert_int_equal(t->region_count, 1);
    raski_execution_topology_destroy(t);
    raski_job_graph_destroy(graph);

    graph = graph_of(4, (int[]){4, 4, 4, 1});
    connect(graph, 0, 1, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_PIPELINED_BOUNDED);
    connect(graph, 1, 2, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_PIPELINED_BOUNDED);
    connect(graph, 0, 2, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_BLOCKING);
    t = topology_of(graph);
    assert_int_equal(t->region_count, 5); /* a lane waits for itself only */
    raski_execution_topology_destroy(t);
    raski_job_graph_destroy(graph);
}

/* An undecided vertex has no subtasks, nor has what reads it. */
static void dynamic_graph(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(4, (int[]){2, -1, 3, 5});
    graph->is_dynamic = true;
    graph->config.parallelism = 64;
    connect(graph, 0, 1, RASKI_DISTRIBUTION_ALL_TO_ALL, RASKI_RESULT_BLOCKING);
    connect(graph, 1, 2, RASKI_DISTRIBUTION_ALL_TO_ALL, RASKI_RESULT_BLOCKING);
    connect(graph, 0, 3, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_BLOCKING);
    raski_execution_topology *t = topology_of(graph);
    assert_true(t->vertices[0].is_initialized);
    assert_false(t->vertices[1].is_initialized);
    assert_int_equal(t->vertices[1].max_parallelism, 64);
    assert_false(t->vertices[2].is_initialized);
    assert_int_equal(t->task_count, 7);
    assert_ptr_equal(raski_execution_topology_vertex_of(t, 2), &t->vertices[3]);
    const raski_job_vertex *first = graph->vertices.items[0];
    assert_int_equal(raski_execution_topology_subpartitions(t, first->results.items[0], 0), 64);
    assert_int_equal(raski_execution_topology_subpartitions(t, first->results.items[1], 0), 3);
    assert_null(raski_execution_topology_group_of_partition(t, first->results.items[0], 0, 0));
    raski_consumed_range r = raski_execution_topology_reads(t, &t->vertices[3], 0, 4);
    assert_int_equal(r.partitions.first, 1);
    raski_execution_topology_destroy(t);
    raski_job_graph_destroy(graph);
}

static void co_located_tasks_share_a_region(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(2, (int[]){2, 2});
    connect(graph, 0, 1, RASKI_DISTRIBUTION_POINTWISE, RASKI_RESULT_BLOCKING);
    raski_co_location_group *group = raski_arena_calloc(graph->arena, sizeof *group);
    raski_vec_push(&graph->co_location_groups, group);
    for (size_t i = 0; i < 2; i++) {
        graph->vertices.items[i]->co_location_group = group;
        raski_vec_push(&group->vertices, graph->vertices.items[i]);
    }
    raski_execution_topology *t = NULL;
    raski_error err = {0};
    assert_int_equal(raski_job_graph_sort(graph, &err), RASK_OK);
    assert_int_not_equal(raski_execution_topology_create(graph, &t, &err), RASK_OK);
    assert_string_equal(err.message, "co-located tasks must be in the same pipelined region");
    raski_job_graph_destroy(graph);
}

/* A slot with fixed resources must know its network memory; hybrid results have no limit. */
static void hybrid_results_in_slots_of_fixed_size(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(2, (int[]){2, 2});
    connect(graph, 0, 1, RASKI_DISTRIBUTION_ALL_TO_ALL, RASKI_RESULT_HYBRID_FULL);
    raski_slot_group *group = raski_arena_calloc(graph->arena, sizeof *group);
    for (size_t i = 0; i < 2; i++) graph->vertices.items[i]->slot_group = group;
    raski_execution_topology *t = NULL;
    raski_error err = {0};
    assert_int_equal(raski_job_graph_sort(graph, &err), RASK_OK);
    raski_job_graph_number_groups(graph);
    assert_int_equal(raski_execution_topology_create(graph, &t, &err), RASK_OK);
    raski_execution_topology_destroy(t);
    group->resources.known = true;
    assert_int_not_equal(raski_execution_topology_create(graph, &t, &err), RASK_OK);
    assert_string_equal(err.message,
                        "Illegal to announce network memory requirement as Integer.MAX_VALUE, "
                        "partition type: HYBRID_FULL");
    raski_job_graph_destroy(graph);
}

static void unknown_state_backend(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(1, (int[]){1});
    raski_execution_topology *t = NULL;
    raski_error err = {0};
    assert_int_equal(raski_job_graph_sort(graph, &err), RASK_OK);
    graph->config.state_backend = "HashMap";
    assert_int_equal(raski_execution_topology_create(graph, &t, &err), RASK_OK);
    raski_execution_topology_destroy(t);
    graph->config.state_backend = "papyrus";
    assert_int_not_equal(raski_execution_topology_create(graph, &t, &err), RASK_OK);
    assert_string_equal(err.message, "Could not instantiate configured state backend");
    assert_string_equal(err.cause_message, "papyrus");
    raski_job_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_state_backend),
        cmocka_unit_test(hybrid_results_in_slots_of_fixed_size),
        cmocka_unit_test(groups_and_reads_agree),
        cmocka_unit_test(wide_exchange_is_small),
        cmocka_unit_test(max_parallelism_is_resolved),
        cmocka_unit_test(out_of_bounds),
        cmocka_unit_test(pointwise_regions),
        cmocka_unit_test(circles_are_merged),
        cmocka_unit_test(dynamic_graph),
        cmocka_unit_test(co_located_tasks_share_a_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
