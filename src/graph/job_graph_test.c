#include "graph/job_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "graph/job_graph_build.h"

static raski_id id_of(size_t number) {
    return (raski_id){{(uint8_t)(number >> 8), (uint8_t)number, 1}};
}

static raski_job_graph *graph_of(size_t vertices) {
    raski_job_graph *graph = raski_job_graph_new("test");
    for (size_t i = 0; i < vertices; i++) {
        char name[24];
        snprintf(name, sizeof name, "v%zu", i);
        raski_job_graph_add_vertex(graph, id_of(i), name);
    }
    return graph;
}

/* A result of its own for each edge. */
static raski_job_edge *connect(raski_job_graph *graph, size_t from, size_t to,
                               raski_result_type type) {
    raski_job_vertex *producer = graph->vertices.items[from];
    raski_id id = {{(uint8_t)from, (uint8_t)producer->results.count, 2}};
    raski_job_edge *edge = NULL;
    assert_int_equal(
        raski_job_vertex_connect(graph, graph->vertices.items[to],
                                 raski_job_vertex_result(graph, producer, id, type),
                                 RASKI_DISTRIBUTION_ALL_TO_ALL, false, false, &edge, NULL),
        RASK_OK);
    return edge;
}

static void assert_order(const raski_job_graph *graph, const size_t *expected) {
    assert_int_equal(graph->sorted.count, graph->vertices.count);
    for (size_t i = 0; i < graph->sorted.count; i++) {
        assert_int_equal(graph->sorted.items[i]->creation_index, expected[i]);
        assert_int_equal(graph->sorted.items[i]->index, i);
    }
}

/* Vertices are created from the sinks up; the order starts at the sources, and goes deep first. */
static void topological_order(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(6);
    connect(graph, 5, 2, RASKI_RESULT_PIPELINED_BOUNDED); /* 5 -> 2 -> 0, 5 -> 3, 4 -> 3 -> 1 */
    connect(graph, 2, 0, RASKI_RESULT_PIPELINED_BOUNDED);
    connect(graph, 5, 3, RASKI_RESULT_PIPELINED_BOUNDED);
    connect(graph, 4, 3, RASKI_RESULT_PIPELINED_BOUNDED);
    connect(graph, 3, 1, RASKI_RESULT_PIPELINED_BOUNDED);
    assert_int_equal(raski_job_graph_sort(graph, NULL), RASK_OK);
    assert_order(graph, (size_t[]){4, 5, 3, 1, 2, 0});
    raski_job_graph_destroy(graph);
}

static void cycle_is_an_error(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(3);
    raski_error err = {0};
    connect(graph, 0, 1, RASKI_RESULT_PIPELINED_BOUNDED);
    connect(graph, 1, 2, RASKI_RESULT_PIPELINED_BOUNDED);
    connect(graph, 2, 1, RASKI_RESULT_PIPELINED_BOUNDED);
    assert_int_not_equal(raski_job_graph_sort(graph, &err), RASK_OK);
    assert_string_equal(err.exception, "InvalidProgramException");
    assert_string_equal(err.message, "The job graph is cyclic.");
    raski_job_graph_destroy(graph);
}

/* Flink's recursion overflows its stack here. */
static void long_pipeline(void **state) {
    (void)state;
    enum { LENGTH = 60000 };
    raski_job_graph *graph = graph_of(LENGTH);
    for (size_t i = 1; i < LENGTH; i++)
        connect(graph, LENGTH - i, LENGTH - i - 1, RASKI_RESULT_PIPELINED_BOUNDED);
    assert_int_equal(raski_job_graph_sort(graph, NULL), RASK_OK);
    assert_int_equal(graph->sorted.items[LENGTH - 1]->creation_index, 0);
    raski_job_graph_destroy(graph);
}

static void consumers_must_agree(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(2);
    raski_error err = {0};
    raski_job_edge *edge = connect(graph, 0, 1, RASKI_RESULT_BLOCKING), *other = NULL;
    assert_true(graph->vertices.items[0]->is_any_output_blocking);
    assert_int_not_equal(
        raski_job_vertex_connect(graph, graph->vertices.items[1], edge->source,
                                 RASKI_DISTRIBUTION_POINTWISE, false, false, &other, &err),
        RASK_OK);
    assert_string_equal(err.message, "Incompatible distribution pattern.");
    assert_null(other);
    assert_int_equal(graph->vertices.items[1]->inputs.count, 1);
    err = (raski_error){0};
    assert_int_not_equal(
        raski_data_set_configure(edge->source, RASKI_DISTRIBUTION_ALL_TO_ALL, false, false, &err),
        RASK_OK);
    assert_string_equal(err.message, "The output job edges have already been added.");
    raski_job_graph_destroy(graph);
}

/* Only what must be pipelined joins vertices. */
static void logical_regions(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(6);
    size_t region_of[6];
    connect(graph, 0, 1, RASKI_RESULT_BLOCKING);
    connect(graph, 1, 2, RASKI_RESULT_PIPELINED);
    connect(graph, 2, 3, RASKI_RESULT_HYBRID_FULL);
    connect(graph, 3, 4, RASKI_RESULT_PIPELINED_APPROXIMATE);
    connect(graph, 0, 5, RASKI_RESULT_PIPELINED_BOUNDED);
    connect(graph, 2, 5, RASKI_RESULT_PIPELINED_BOUNDED);
    assert_int_equal(raski_job_graph_sort(graph, NULL), RASK_OK);
    assert_int_equal(raski_job_graph_regions(graph, region_of), 3);
    const size_t expected[] = {0, 0, 0, 1, 2, 0}; /* by creation index */
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(region_of[graph->vertices.items[i]->index], expected[i]);
    raski_job_graph_destroy(graph);
}

static void plan_escapes_html(void **state) {
    (void)state;
    raski_job_graph *graph = graph_of(2);
    raski_job_edge *edge = connect(graph, 1, 0, RASKI_RESULT_PIPELINED_BOUNDED);
    edge->ship_strategy = "HASH";
    graph->vertices.items[0]->description = "a <b> & \"c\"\n+- \\d \xc3\xa9 \xe4\xb8\xad \xff\n";
    char *json = raski_job_plan_json(graph);
    assert_string_equal(
        json,
        "{\"jid\":\"00000000000000000000000000000000\",\"name\":\"test\",\"type\":\"STREAMING\","
        "\"nodes\":[{\"id\":\"00000100000000000000000000000000\",\"operator\":\"\",\"parallelism\""
        ":-1,\"operator_strategy\":\"\",\"description\":\"a &lt;b&gt; &amp; &quot;c&quot;<br/>+- "
        "&#92;d &eacute; \xe4\xb8\xad \xef\xbf\xbd<br/>\",\"optimizer_properties\":{},\"inputs\":["
        "{\"id\":\"00010100000000000000000000000000\",\"num\":0,\"exchange\":\"pipelined_bounded\""
        ",\"ship_strategy\":\"HASH\"}]},{\"id\":\"00010100000000000000000000000000\",\"operator\":"
        "\"\",\"parallelism\":-1,\"operator_strategy\":\"\",\"description\":\"v1\","
        "\"optimizer_properties\":{}}]}");
    raski_free(json);
    raski_job_graph_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topological_order), cmocka_unit_test(cycle_is_an_error),
        cmocka_unit_test(long_pipeline),     cmocka_unit_test(consumers_must_agree),
        cmocka_unit_test(logical_regions),   cmocka_unit_test(plan_escapes_html),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
