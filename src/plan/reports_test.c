/* Faults that people met in planners, each as its smallest program: the cases P* of the project's
 * collection of public bug reports, each a test of that name. Plans and ids equal Flink 2.2.0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/facts.h"
#include "plan/plan_facts.h"
#include "plan/plan_test_util.h"

static const raski_stream_node *node_named(const planned *p, const char *name) {
    for (size_t i = 0; i < p->plan.stream_graph->nodes.count; i++)
        if (strcmp(p->plan.stream_graph->nodes.items[i]->name, name) == 0)
            return p->plan.stream_graph->nodes.items[i];
    fail_msg("no operator %s", name);
    return NULL;
}

static const raski_job_vertex *vertex_named(const planned *p, const char *name) {
    for (size_t i = 0; i < p->plan.job_graph->sorted.count; i++)
        if (strcmp(p->plan.job_graph->sorted.items[i]->name, name) == 0)
            return p->plan.job_graph->sorted.items[i];
    fail_msg("no vertex %s", name);
    return NULL;
}

static planned plan_of(const char *text) {
    planned p = plan_topology(text, RASKI_PLAN_EXECUTION_GRAPH);
    if (p.status != RASK_OK) fail_msg("%s: %s", p.err.exception, p.err.message);
    return p;
}

static void assert_refused(const char *text, const char *exception, const char *message) {
    planned p = plan_topology(text, RASKI_PLAN_EXECUTION_GRAPH);
    assert_int_not_equal(p.status, RASK_OK);
    assert_string_equal(p.err.exception, exception);
    assert_string_equal(p.err.message, message);
    planned_fini(&p);
}

static void p1_union_of_side_outputs_of_one_operator(void **state) {
    (void)state;
    planned p = plan_of(
        "{'steps':[{'op':'fromData'},{'op':'process','as':'p'},"
        "{'op':'sideOutput','of':'p','tag':'A','as':'a'},"
        "{'op':'sideOutput','of':'p','tag':'B','as':'b'},"
        "{'op':'union','of':['a','b']},{'op':'map'},{'op':'discard'}]}");
    const raski_stream_node *map = node_named(&p, "Map");
    assert_int_equal(map->in_edges.count, 2);
    assert_string_equal(map->in_edges.items[0]->side_output_tag, "A");
    assert_string_equal(map->in_edges.items[1]->side_output_tag, "B");
    planned_fini(&p);
}

static void p2_union_of_a_stream_with_itself(void **state) {
    (void)state;
    planned p = plan_of(
        "{'steps':[{'op':'fromData','as':'s'},{'op':'union','of':['s','s']},{'op':'process'},"
        "{'op':'discard'}]}");
    const raski_stream_node *process = node_named(&p, "Process");
    assert_int_equal(process->in_edges.count, 2);
    assert_string_not_equal(process->in_edges.items[0]->id, process->in_edges.items[1]->id);
    assert_int_equal(vertex_named(&p, "Process -> Sink: Writer")->inputs.count, 2);
    planned_fini(&p);
}

static void p4_the_same_uid_twice(void **state) {
    (void)state;
    assert_refused(
        "{'steps':[{'op':'fromData'},{'op':'map','uid':'x'},{'op':'filter','uid':'x'},"
        "{'op':'discard'}]}",
        "IllegalArgumentException",
        "Hash collision on user-specified ID \"x\". Most likely cause is a non-unique ID. Please "
        "check that all IDs specified via `uid(String)` are unique.");
}

static void p5_without_automatic_uids_chained_operators_need_one_too(void **state) {
    (void)state;
    assert_refused(
        "{'config':{'pipeline.auto-generate-uids':'false'},"
        "'steps':[{'op':'fromSequence','uid':'s'},{'op':'map'},{'op':'discard','uid':'k'}]}",
        "IllegalStateException",
        "Auto generated UIDs have been disabled but no UID or hash has been assigned to operator "
        "Map");
}

static void p6_forward_between_different_parallelisms(void **state) {
    (void)state;
    assert_refused(
        "{'steps':[{'op':'fromSequence','parallelism':1},{'op':'forward'},"
        "{'op':'map','parallelism':2},{'op':'discard'}]}",
        "UnsupportedOperationException",
        "Forward partitioning does not allow change of parallelism. Upstream operation: Source: "
        "Sequence Source-1 parallelism: 1, downstream operation: Map-3 parallelism: 2 You must use "
        "another partitioning strategy, such as broadcast, rebalance, shuffle or global.");
    planned p = plan_of(
        "{'steps':[{'op':'fromSequence','parallelism':1},{'op':'map','parallelism':2},"
        "{'op':'discard'}]}");
    assert_string_equal(
        raski_partitioner_text(node_named(&p, "Map")->in_edges.items[0]->partitioner), "REBALANCE");
    planned_fini(&p);
}

static void p8_broadcast_to_one_subtask_is_not_chained(void **state) {
    (void)state;
    planned p = plan_of(
        "{'steps':[{'op':'source','name':'S'},{'op':'broadcast'},{'op':'map'},{'op':'discard'}]}");
    assert_int_equal(p.plan.job_graph->sorted.count, 2);
    const raski_job_vertex *map = vertex_named(&p, "Map -> Sink: Writer");
    assert_string_equal(map->inputs.items[0]->ship_strategy, "BROADCAST");
    planned_fini(&p);
}

static void p9_slot_sharing_groups_are_inherited(void **state) {
    (void)state;
    planned p = plan_of(
        "{'steps':[{'op':'fromSequence','as':'a','rename':'A','slotSharingGroup':'g1'},"
        "{'op':'fromSequence','as':'b','rename':'B','slotSharingGroup':'g2'},"
        "{'op':'union','of':['a','b']},{'op':'map','name':'C'},{'op':'discard'},"
        "{'op':'rebalance','of':'a'},{'op':'map','name':'D'},{'op':'discard'}]}");
    assert_string_equal(node_named(&p, "Source: A")->slot_sharing_group, "g1");
    assert_string_equal(node_named(&p, "D")->slot_sharing_group, "g1");
    assert_string_equal(node_named(&p, "Source: B")->slot_sharing_group, "g2");
    const raski_stream_node *c = node_named(&p, "C");
    assert_string_equal(c->slot_sharing_group, "default");
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(raski_partitioner_text(c->in_edges.items[i]->partitioner), "FORWARD");
    assert_int_equal(p.plan.job_graph->slot_groups.count, 3);
    assert_int_equal(vertex_named(&p, "C -> Sink: Writer")->inputs.count, 2);
    planned_fini(&p);
}

#define P11_STEPS \
    "'steps':[{'op':'fromSequence','maxParallelism':10},{'op':'map','maxParallelism':20}," \
    "{'op':'discard'}]}"

static void p11_chains_of_different_max_parallelism(void **state) {
    (void)state;
    planned p = plan_of("{" P11_STEPS);
    assert_int_equal(p.plan.job_graph->sorted.count, 1);
    assert_int_equal(p.plan.job_graph->sorted.items[0]->max_parallelism, 10);
    planned_fini(&p);
    p = plan_of(
        "{'config':{'pipeline.operator-chaining.chain-operators-with-different-max-parallelism':"
        "'false'}," P11_STEPS);
    static const int expected[] = {10, 20, -1};
    assert_int_equal(p.plan.job_graph->sorted.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(p.plan.job_graph->sorted.items[i]->max_parallelism, expected[i]);
    planned_fini(&p);
}

static void p12_max_parallelism_behind_the_head_is_lost(void **state) {
    (void)state;
    planned p = plan_of(
        "{'steps':[{'op':'fromSequence'},{'op':'map','maxParallelism':4},{'op':'discard'}]}");
    assert_int_equal(p.plan.job_graph->sorted.count, 1);
    assert_int_equal(p.plan.job_graph->sorted.items[0]->max_parallelism, -1);
    planned_fini(&p);
}

static void p13_operators_that_cannot_be_parallel(void **state) {
    (void)state;
    planned p = plan_of("{'steps':[{'op':'fromSequence'},{'op':'windowAll'},{'op':'discard'}]}");
    assert_int_equal(p.plan.job_graph->sorted.count, 2);
    const raski_job_vertex *window = p.plan.job_graph->sorted.items[1];
    assert_int_equal(window->max_parallelism, 1);
    assert_string_equal(window->inputs.items[0]->ship_strategy, "HASH");
    planned_fini(&p);
}

static void p15_a_chained_source_configures_parallelism(void **state) {
    (void)state;
    planned p = plan_of(
        "{'config':{'execution.runtime-mode':'BATCH'},'env':{'parallelism':2},'steps':["
        "{'op':'source','name':'a','bounded':true,'as':'a','parallelism':2},"
        "{'op':'source','name':'b','bounded':true,'as':'b'},"
        "{'op':'source','name':'c','bounded':true,'as':'c'},"
        "{'op':'transform','of':['a','b','c'],'chaining':'HEAD_WITH_SOURCES'},{'op':'discard'}]}");
    assert_true(p.plan.job_graph->is_dynamic);
    assert_int_equal(p.plan.job_graph->sorted.count, 1);
    assert_true(p.plan.job_graph->sorted.items[0]->parallelism_configured);
    assert_int_equal(p.plan.job_graph->sorted.items[0]->parallelism, 2);
    planned_fini(&p);
}

static void p16_parts_of_a_sink_have_a_parallelism(void **state) {
    (void)state;
    planned p = plan_topology(
        "{'config':{'execution.runtime-mode':'BATCH'},'env':{'parallelism':3},'steps':["
        "{'op':'fromSequence'},{'op':'sink','committer':true,'preCommit':[{'op':'map'}]}]}",
        RASKI_PLAN_STREAM_GRAPH);
    assert_int_equal(p.status, RASK_OK);
    for (size_t i = 0; i < p.plan.stream_graph->nodes.count; i++)
        assert_int_equal(p.plan.stream_graph->nodes.items[i]->parallelism, 3);
    planned_fini(&p);
}

static void p18_execution_plan_with_side_outputs(void **state) {
    (void)state;
    planned p = plan_topology(
        "{'steps':[{'op':'fromSequence'},{'op':'process'},{'op':'sideOutput','tag':'A'},"
        "{'op':'discard'}]}",
        RASKI_PLAN_STREAM_GRAPH);
    assert_int_equal(p.status, RASK_OK);
    json_t *plan = raski_facts_stream_plan(p.plan.stream_graph);
    const json_t *nodes = json_object_get(plan, "nodes");
    assert_int_equal(json_array_size(nodes), 3);
    const json_t *process = json_array_get(nodes, 1), *sink = json_array_get(nodes, 2);
    assert_int_equal(json_integer_value(json_object_get(process, "id")), 2);
    /* the side output and the sink's own node take ids in between */
    assert_true(json_integer_value(json_object_get(sink, "id")) > 4);
    const json_t *edge = json_array_get(json_object_get(sink, "predecessors"), 0);
    assert_string_equal(json_string_value(json_object_get(edge, "ship_strategy")), "FORWARD");
    assert_string_equal(json_string_value(json_object_get(edge, "side")), "second");
    json_decref(plan);
    planned_fini(&p);
}

static void p20_forward_takes_over_a_parallelism(void **state) {
    (void)state;
    planned p = plan_of(
        "{'config':{'execution.runtime-mode':'BATCH'},'env':{'parallelism':2},'steps':["
        "{'op':'fromSequence','parallelism':4},{'op':'forward'},"
        "{'op':'map','parallelismHint':4},{'op':'discard'}]}");
    assert_true(p.plan.job_graph->is_dynamic);
    assert_int_equal(node_named(&p, "Map")->parallelism, 4);
    planned_fini(&p);
}

#define P25_STEPS(parallelism) \
    "{'steps':[{'op':'fromSequence'},{'op':'map','parallelism':" #parallelism \
    "}," \
    "{'op':'keyBy','keyType':'long'},{'op':'reduce'},{'op':'discard'}]}"

static void assert_ids(const char *text, const char *const expected[4]) {
    planned p = plan_topology(text, RASKI_PLAN_STREAM_GRAPH);
    assert_int_equal(p.status, RASK_OK);
    raski_stream_node **nodes = raski_stream_graph_nodes_by_id(p.plan.stream_graph);
    assert_int_equal(p.plan.stream_graph->nodes.count, 4);
    for (size_t i = 0; i < 4; i++) {
        char hex[RASKI_ID_HEX_SIZE];
        const raski_id *id = raski_operator_hashes_get(&p.plan.hashes, nodes[i]->id);
        assert_string_equal(raski_id_to_hex(*id, hex), expected[i]);
    }
    raski_free(nodes);
    planned_fini(&p);
}

static void p25_a_broken_chain_changes_the_ids_behind_it(void **state) {
    (void)state;
    assert_ids(P25_STEPS(1), (const char *const[]){"cbc357ccb763df2852fee8c4fc7d55f2",
                                                   "7df19f87deec5680128845fd9a6ca18d",
                                                   "90bea66de1c231edf33913ecd54406c1",
                                                   "17fbfcaabad45985bbdf4da0490487e3"});
    assert_ids(P25_STEPS(2), (const char *const[]){"bc764cd8ddf7a0cff126f51c16239658",
                                                   "0a448493b4782967b150582570326227",
                                                   "e70bbd798b564e0a50e10e343f1ac56b",
                                                   "604ee7bed040266218075078a35a4449"});
}

static char *facts_text(const char *text) {
    raski_error err = {0};
    planned p = plan_topology(text, RASKI_PLAN_STREAM_GRAPH);
    json_t *facts = raski_plan_facts_of_topology(p.document, &err);
    char *dumped = json_dumps(facts, JSON_COMPACT);
    json_decref(facts);
    planned_fini(&p);
    return dumped;
}

static void p26_the_same_program_twice_gives_the_same_bytes(void **state) {
    (void)state;
    char *first = facts_text(P25_STEPS(2)), *second = facts_text(P25_STEPS(2));
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void p27_uid_hashes_of_the_parts_of_a_sink(void **state) {
    (void)state;
    planned p = plan_of(
        "{'steps':[{'op':'fromSequence'},{'op':'sink','committer':true,'uidHashes':{"
        "'writer':'00000000000000000000000000000001',"
        "'committer':'00000000000000000000000000000002'}}]}");
    assert_string_equal(node_named(&p, "Sink: Writer")->user_hash,
                        "00000000000000000000000000000001");
    assert_string_equal(node_named(&p, "Sink: Committer")->user_hash,
                        "00000000000000000000000000000002");
    planned_fini(&p);
}

static void p19_p28_the_plan_of_the_rest_api(void **state) {
    (void)state;
    planned p = plan_of(P25_STEPS(1));
    char *text = raski_job_plan_json(p.plan.job_graph);
    json_t *plan = json_loads(text, 0, NULL);
    const json_t *node = json_array_get(json_object_get(plan, "nodes"), 0);
    const json_t *input = json_array_get(json_object_get(node, "inputs"), 0);
    assert_non_null(json_object_get(plan, "jid"));
    assert_string_equal(json_string_value(json_object_get(input, "exchange")), "pipelined_bounded");
    assert_string_equal(json_string_value(json_object_get(input, "ship_strategy")), "HASH");
    json_decref(plan);
    raski_free(text);
    planned_fini(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p1_union_of_side_outputs_of_one_operator),
        cmocka_unit_test(p2_union_of_a_stream_with_itself),
        cmocka_unit_test(p4_the_same_uid_twice),
        cmocka_unit_test(p5_without_automatic_uids_chained_operators_need_one_too),
        cmocka_unit_test(p6_forward_between_different_parallelisms),
        cmocka_unit_test(p8_broadcast_to_one_subtask_is_not_chained),
        cmocka_unit_test(p9_slot_sharing_groups_are_inherited),
        cmocka_unit_test(p11_chains_of_different_max_parallelism),
        cmocka_unit_test(p12_max_parallelism_behind_the_head_is_lost),
        cmocka_unit_test(p13_operators_that_cannot_be_parallel),
        cmocka_unit_test(p15_a_chained_source_configures_parallelism),
        cmocka_unit_test(p16_parts_of_a_sink_have_a_parallelism),
        cmocka_unit_test(p18_execution_plan_with_side_outputs),
        cmocka_unit_test(p20_forward_takes_over_a_parallelism),
        cmocka_unit_test(p25_a_broken_chain_changes_the_ids_behind_it),
        cmocka_unit_test(p26_the_same_program_twice_gives_the_same_bytes),
        cmocka_unit_test(p27_uid_hashes_of_the_parts_of_a_sink),
        cmocka_unit_test(p19_p28_the_plan_of_the_rest_api),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
