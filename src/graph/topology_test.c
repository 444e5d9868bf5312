/* Topology files that are wrong, each in its way: a message, never a crash. That right ones become
 * what Flink makes of them is shown by tests/golden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/stream_graph.h"
#include "graph/topology.h"

/* Reads, builds and plans; the text of the error, or "" if there was none. */
static void plan(const char *text, raski_error *ret_err) {
    raski_topology *topology = NULL;
    raski_stream_graph *graph = NULL;
    *ret_err = (raski_error){0};
    json_t *document = json_loads(text, 0, NULL);
    assert_non_null(document);
    rask_status status = raski_topology_create(document, &topology, ret_err);
    if (status == RASK_OK) status = raski_topology_build(topology, ret_err);
    if (status == RASK_OK)
        status = raski_stream_graph_generate(raski_topology_env(topology), &graph, ret_err);
    assert_int_equal(status == RASK_OK, graph != NULL);
    raski_stream_graph_destroy(graph);
    raski_topology_destroy(topology);
    json_decref(document);
}

static void assert_bad(const char *text, const char *message) {
    raski_error err;
    plan(text, &err);
    assert_string_equal(err.exception, "Bad");
    assert_string_equal(err.message, message);
}

static void files_that_say_what_the_api_cannot(void **state) {
    (void)state;
    assert_bad("{\"step\": []}", "topology: unknown field 'step'");
    assert_bad("{\"env\": {\"paralellism\": 1}, \"steps\": []}",
               "env: unknown field 'paralellism'");
    assert_bad("{}", "'steps' must be a list");
    assert_bad("[]", "'steps' must be a list");
    assert_bad("{\"steps\": [5]}", "step 0 (): unknown op");
    assert_bad("{\"steps\": [{\"op\": \"map\"}]}", "step 0 (map): has no input");
    assert_bad(
        "{\"steps\": [{\"op\": \"fromData\", \"as\": \"x\"}, {\"op\": \"map\", \"as\": \"x\"}]}",
        "step 1 (map): label 'x' is taken");
    assert_bad("{\"steps\": [{\"op\": \"fromData\"}, {\"op\": \"map\", \"of\": [\"y\"]}]}",
               "step 1 (map): unknown label 'y'");
    assert_bad("{\"steps\": [{\"op\": \"fromData\"}, {\"op\": \"sum\"}]}",
               "step 1 (sum): input is not a keyed stream");
    assert_bad("{\"steps\": [{\"op\": \"fromData\"}, {\"op\": \"rebalance\", \"uid\": \"u\"}]}",
               "step 1 (rebalance): 'uid' cannot be set on this");
    assert_bad("{\"steps\": [{\"op\": \"fromData\"}, {\"op\": \"rebalance\", \"name\": \"n\"}]}",
               "step 1 (rebalance): cannot be named");
}

static void steps_of_a_sink_are_numbered_when_they_run(void **state) {
    (void)state;
    assert_bad(
        "{\"steps\": [{\"op\": \"fromData\"}, {\"op\": \"sink\", \"preWrite\": "
        "[{\"op\": \"map\"}, {\"op\": \"mapp\"}]}, {\"op\": \"print\", \"of\": \"s\"}]}",
        "step 2 (print): unknown label 's'");
    assert_bad(
        "{\"steps\": [{\"op\": \"fromData\", \"as\": \"s\"}, {\"op\": \"sink\", "
        "\"preWrite\": [{\"op\": \"map\"}, {\"op\": \"mapp\"}]}, {\"op\": \"print\", "
        "\"of\": \"s\"}]}",
        "step 4 (mapp): unknown op");
}

static void errors_of_the_environment_come_first(void **state) {
    (void)state;
    raski_error err;
    plan("{\"config\": {\"parallelism.default\": \"0\"}, \"steps\": 5}", &err);
    assert_string_equal(err.exception, "IllegalArgumentException");
    plan(
        "{\"config\": {\"execution.runtime-mode\": \"x\"}, \"steps\": [{\"op\": \"fromData\"}, "
        "{\"op\": \"print\"}]}",
        &err);
    assert_string_equal(err.message, "Could not parse value 'x' for key 'execution.runtime-mode'.");
}

static void values_of_another_type_are_converted(void **state) {
    (void)state;
    raski_error err;
    plan(
        "{\"env\": {\"parallelism\": \"2\"}, \"steps\": [{\"op\": \"source\", \"name\": 7, "
        "\"bounded\": \"true\", \"parallelism\": 2.9}, {\"op\": \"map\", \"uid\": null}, "
        "{\"op\": \"print\", \"name\": {}}]}",
        &err);
    assert_int_equal(err.status, RASK_OK);
}

static void unbounded_sources_behind_a_broadcast_are_overlooked(void **state) {
    (void)state;
    raski_error err;
    plan(
        "{\"config\": {\"execution.runtime-mode\": \"BATCH\"}, \"steps\": ["
        "{\"op\": \"source\", \"name\": \"endless\"}, {\"op\": \"broadcastState\", \"as\": \"b\"},"
        "{\"op\": \"fromData\", \"as\": \"a\"}, {\"op\": \"broadcastProcess\", "
        "\"of\": [\"a\", \"b\"]}]}",
        &err);
    assert_int_equal(err.status, RASK_OK); /* as in Flink */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_say_what_the_api_cannot),
        cmocka_unit_test(steps_of_a_sink_are_numbered_when_they_run),
        cmocka_unit_test(errors_of_the_environment_come_first),
        cmocka_unit_test(values_of_another_type_are_converted),
        cmocka_unit_test(unbounded_sources_behind_a_broadcast_are_overlooked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
