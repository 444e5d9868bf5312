/* job_graph_test_util.h - job graphs put together by hand, for tests of what runs them. */
#ifndef RASKI_CLUSTER_JOB_GRAPH_TEST_UTIL_H
#define RASKI_CLUSTER_JOB_GRAPH_TEST_UTIL_H
#include "base/alloc.h"
#include "graph/job_graph_build.h"

static raski_job_vertex *test_vertex(raski_job_graph *graph, const char *name, int parallelism,
                                     size_t slot_group) {
    uint8_t number = (uint8_t)(graph->vertices.count + 1);
    raski_job_vertex *vertex = raski_job_graph_add_vertex(graph, (raski_id){{1, number}}, name);
    vertex->parallelism = parallelism;
    vertex->operators = raski_arena_calloc(graph->arena, sizeof *vertex->operators);
    vertex->operator_count = 1;
    vertex->operators[0].id = vertex->id;
    vertex->operators[0].name = vertex->name;
    while (graph->slot_groups.count <= slot_group) {
        raski_slot_group *group = raski_arena_calloc(graph->arena, sizeof *group);
        group->index = graph->slot_groups.count;
        group->name = raski_arena_format(graph->arena, "group %zu", group->index);
        raski_vec_push(&graph->slot_groups, group);
    }
    vertex->slot_group = graph->slot_groups.items[slot_group];
    raski_vec_push(&vertex->slot_group->vertices, vertex);
    return vertex;
}

/* data_set: edges of one producer with the same number share a result. */
static raski_job_edge *test_edge(raski_job_graph *graph, raski_job_vertex *from,
                                 raski_job_vertex *to, raski_distribution distribution,
                                 raski_result_type type, int data_set) {
    raski_error err = {0};
    raski_job_edge *edge = NULL;
    raski_id id = {
        {2, (uint8_t)(from->creation_index + 1), (uint8_t)data_set, (uint8_t)(data_set >> 8)}};
    rask_status status =
        raski_job_vertex_connect(graph, to, raski_job_vertex_result(graph, from, id, type),
                                 distribution, false, false, &edge, &err);
    RASKI_ASSERT(status == RASK_OK);
    return edge;
}

static raski_job_graph *test_graph_finish(raski_job_graph *graph, uint8_t job_number) {
    raski_error err = {0};
    graph->job_id = (raski_id){{3, job_number}};
    rask_status status = raski_job_graph_sort(graph, &err);
    RASKI_ASSERT(status == RASK_OK);
    return graph;
}

/* Source -> map -> sink, pointwise then all to all. */
static inline raski_job_graph *test_graph_chain(int parallelism, raski_result_type type) {
    raski_job_graph *graph = raski_job_graph_new("chain");
    raski_job_vertex *source = test_vertex(graph, "source", parallelism, 0);
    raski_job_vertex *map = test_vertex(graph, "map", parallelism, 0);
    raski_job_vertex *sink = test_vertex(graph, "sink", parallelism, 0);
    (void)test_edge(graph, source, map, RASKI_DISTRIBUTION_POINTWISE, type, 1);
    (void)test_edge(graph, map, sink, RASKI_DISTRIBUTION_ALL_TO_ALL, type, 1);
    return test_graph_finish(graph, 1);
}
#endif
