/* Each condition that keeps two operators from sharing a task, alone, and in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/stream_graph.h"
#include "graph/topology.h"

typedef struct obstacle_case {
    const char *steps;  /* with ' for " */
    const char *config; /* the same */
    const char *source, *target;
    unsigned expected;
    const char *words; /* of the first obstacle */
} obstacle_case;

static const obstacle_case cases[] = {
    {"{'op':'fromData'},{'op':'map'}", "", "Source: Collection Source", "Map", 0, NULL},
    {"{'op':'fromData','as':'a'},{'op':'fromData','as':'b'},{'op':'coMap','of':['a','b']}", "",
     "Source: Collection Source", "Co-Map", RASKI_OBSTACLE_SEVERAL_INPUTS, "Co-Map has 2 inputs"},
    {"{'op':'fromData'},{'op':'map'}", "'pipeline.operator-chaining.enabled':'false'",
     "Source: Collection Source", "Map", RASKI_OBSTACLE_CHAINING_DISABLED,
     "chaining is disabled (pipeline.operator-chaining.enabled)"},
    {"{'op':'fromData'},{'op':'map','slotSharingGroup':'g'}", "", "Source: Collection Source",
     "Map", RASKI_OBSTACLE_SLOT_SHARING_GROUP, "slot sharing group differs: default and g"},
    {"{'op':'legacySource'},{'op':'asyncWait'}", "", "Source: Custom Source", "async wait operator",
     RASKI_OBSTACLE_LEGACY_SOURCE,
     "async wait operator yields to other mails, which the legacy source at the head of the chain "
     "does not allow"},
    {"{'op':'legacySource'},{'op':'map'},{'op':'asyncWait'}", "", "Map", "async wait operator",
     RASKI_OBSTACLE_LEGACY_SOURCE, NULL},
    {"{'op':'legacySource'},{'op':'map','startNewChain':true},{'op':'asyncWait'}", "", "Map",
     "async wait operator", 0, NULL},
    {"{'op':'fromData'},{'op':'map','disableChaining':true},{'op':'filter'}", "", "Map", "Filter",
     RASKI_OBSTACLE_UPSTREAM_NEVER, "Map is never chained"},
    {"{'op':'fromData'},{'op':'map','disableChaining':true}", "", "Source: Collection Source",
     "Map", RASKI_OBSTACLE_DOWNSTREAM_NEVER, "Map is never chained"},
    {"{'op':'fromData'},{'op':'map','startNewChain':true}", "", "Source: Collection Source", "Map",
     RASKI_OBSTACLE_DOWNSTREAM_HEAD, "Map starts a new chain"},
    {"{'op':'fromData'},{'op':'map'},{'op':'transform','chaining':'HEAD_WITH_SOURCES'}", "", "Map",
     "Custom Operator", RASKI_OBSTACLE_NEEDS_SOURCE,
     "Custom Operator chains to sources only, and Map is none"},
    {"{'op':'fromSequence'},{'op':'transform','chaining':'HEAD_WITH_SOURCES'}", "",
     "Source: Sequence Source", "Custom Operator", 0, NULL},
    {"{'op':'fromSequence','parallelism':2},{'op':'map','parallelism':4}", "",
     "Source: Sequence Source", "Map", RASKI_OBSTACLE_PARALLELISM | RASKI_OBSTACLE_PARTITIONER,
     "parallelism differs: 2 and 4"},
    {"{'op':'fromSequence','maxParallelism':8},{'op':'map'}",
     "'pipeline.operator-chaining.chain-operators-with-different-max-parallelism':'false'",
     "Source: Sequence Source", "Map", RASKI_OBSTACLE_MAX_PARALLELISM,
     "max parallelism differs: 8 and none "
     "(pipeline.operator-chaining.chain-operators-with-different-max-parallelism is false)"},
    {"{'op':'fromSequence','maxParallelism':8},{'op':'map'}", "", "Source: Sequence Source", "Map",
     0, NULL},
    {"{'op':'fromData'},{'op':'rebalance'},{'op':'map'}", "", "Source: Collection Source", "Map",
     RASKI_OBSTACLE_PARTITIONER, "records are redistributed: REBALANCE, not FORWARD"},
    {"{'op':'fromData'},{'op':'forward','exchange':'BATCH'},{'op':'map'}",
     "'execution.runtime-mode':'BATCH'", "Source: Collection Source", "Map",
     RASKI_OBSTACLE_BATCH_EXCHANGE, "the exchange mode is BATCH"},
    {"{'op':'fromSequence','as':'a'},{'op':'fromSequence','as':'b'},{'op':'union','of':['a','b']},"
     "{'op':'map'}",
     "", "Source: Sequence Source", "Map", RASKI_OBSTACLE_SEVERAL_INPUTS | RASKI_OBSTACLE_UNION,
     "Map has 2 inputs"},
    {"{'op':'fromSequence','as':'a'},{'op':'fromSequence','as':'b'},{'op':'filter','of':'a'},"
     "{'op':'transform','of':['a','b'],'chaining':'HEAD_WITH_SOURCES'}",
     "", "Source: Sequence Source", "Custom Operator", RASKI_OBSTACLE_SOURCE_FEEDS_MORE,
     "Source: Sequence Source feeds 2 operators: a source is chained into its consumer only if it "
     "is the only one"},
};

static char *quoted(const char *text) {
    char *copy = raski_strdup(text);
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '\'') *c = '"';
    return copy;
}

static const raski_stream_edge *find_edge(const raski_stream_graph *graph, const char *source,
                                          const char *target) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const raski_stream_node *node = graph->nodes.items[i];
        if (strcmp(node->name, source) != 0) continue;
        for (size_t k = 0; k < node->out_edges.count; k++)
            if (strcmp(node->out_edges.items[k]->target->name, target) == 0)
                return node->out_edges.items[k];
    }
    return NULL;
}

static void check_case(const obstacle_case *c) {
    char *text = raski_format("{'config':{%s},'steps':[%s,{'op':'discard'}]}", c->config, c->steps);
    char *json = quoted(text);
    json_t *document = json_loads(json, 0, NULL);
    raski_topology *topology = NULL;
    raski_stream_graph *graph = NULL;
    raski_error err = {0};
    unsigned obstacles = 0;
    assert_non_null(document);
    rask_status status = raski_topology_create(document, &topology, &err);
    if (status == RASK_OK) status = raski_topology_build(topology, &err);
    if (status == RASK_OK)
        status = raski_stream_graph_generate(raski_topology_env(topology), &graph, &err);
    if (status != RASK_OK) fail_msg("%s: %s", json, err.message);
    const raski_stream_edge *edge = find_edge(graph, c->source, c->target);
    if (edge == NULL) fail_msg("%s: no edge from %s to %s", json, c->source, c->target);
    assert_int_equal(raski_stream_edge_chain_obstacles(graph, edge, &obstacles, &err), RASK_OK);
    if (obstacles != c->expected)
        fail_msg("%s: obstacles %#x instead of %#x", json, obstacles, c->expected);
    if (c->words != NULL) {
        raski_str words = {0};
        raski_chain_obstacle first = (raski_chain_obstacle)(obstacles & -obstacles);
        raski_chain_obstacle_describe(edge, first, &words);
        assert_string_equal(raski_str_text(&words), c->words);
        raski_str_free(&words);
    }
    raski_stream_graph_destroy(graph);
    raski_topology_destroy(topology);
    json_decref(document);
    raski_free(json);
    raski_free(text);
}

static void each_condition(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_case(&cases[i]);
}

static void each_has_a_name(void **state) {
    (void)state;
    for (unsigned i = 0; i < RASKI_OBSTACLES; i++)
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(raski_chain_obstacle_name((raski_chain_obstacle)(1u << i)),
                                    raski_chain_obstacle_name((raski_chain_obstacle)(1u << k)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_condition),
        cmocka_unit_test(each_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
