/* The rules that make a stream graph of transformations, on programs built as the API builds them.
 * What whole plans look like is compared with Flink's in tests/golden; here are the rules one by
 * one, and what no topology file can say: payloads, places of calls, very long programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/facts.h"
#include "graph/operator_hash.h"
#include "graph/stream_graph.h"

typedef struct program {
    raski_transformation_graph *transformations;
    raski_plan_env *env;
    raski_stream_graph *graph;
} program;

static const raski_operator_factory plain = {.simple = true};

static program begin(void) {
    program p = {.transformations = raski_transformation_graph_create()};
    p.env = raski_plan_env_create(p.transformations);
    return p;
}

static void end(program *p) {
    raski_stream_graph_destroy(p->graph);
    raski_transformation_graph_destroy(p->transformations);
}

static void generate(program *p) {
    raski_error err = {0};
    if (raski_stream_graph_generate(p->env, &p->graph, &err) != RASK_OK)
        fail_msg("%s: %s", err.exception, err.message);
}

/* Planning fails with that exception and text. */
static void assert_refused(program *p, const char *exception, const char *message) {
    raski_error err = {0};
    assert_int_not_equal(raski_stream_graph_generate(p->env, &p->graph, &err), RASK_OK);
    assert_string_equal(err.exception, exception);
    assert_string_equal(err.message, message);
}

static raski_transformation *source(program *p, const char *name) {
    return raski_transformation_source(p->env, name, "record", true);
}

static raski_transformation *map(raski_transformation *input, const char *name) {
    return raski_transformation_one_input(input, name, "record", &plain, NULL);
}

static raski_transformation *print(raski_transformation *input) {
    return raski_transformation_legacy_sink(input, "Print to Std. Out", &plain, NULL);
}

static raski_transformation *partition(program *p, raski_transformation *input,
                                       raski_partitioner_kind kind, raski_exchange_mode mode) {
    return raski_transformation_partition(
        input, raski_partitioner_create(p->transformations->arena, kind), mode);
}

static raski_transformation *key_by(program *p, raski_transformation *input, raski_key *ret_key) {
    *ret_key = (raski_key){{7, NULL}, "String", false};
    return raski_transformation_partition(
        input, raski_partitioner_create_key_group(p->transformations->arena, ret_key->selector),
        RASKI_EXCHANGE_UNDEFINED);
}

static raski_stream_edge *in_edge(const program *p, const raski_transformation *t, size_t index) {
    raski_stream_node *node = raski_stream_graph_node(p->graph, t->id);
    assert_non_null(node);
    assert_true(index < node->in_edges.count);
    return node->in_edges.items[index];
}

static void parallelism(raski_transformation *t, int32_t value) {
    assert_int_equal(raski_transformation_set_parallelism(t, value, NULL), RASK_OK);
}

/* --- ids and virtual nodes ---------------------------------------------------------------------
 */

static void virtual_transformations_and_nodes_take_ids(void **state) {
    (void)state;
    program p = begin();
    raski_key key;
    raski_transformation *in = source(&p, "in");
    raski_transformation *sum =
        raski_transformation_reduce(key_by(&p, in, &key), "Keyed Aggregation", &key);
    assert_int_equal(in->id, 1);
    assert_int_equal(sum->id, 3); /* the keyBy is 2 */
    print(sum);
    generate(&p);
    assert_int_equal(p.graph->nodes.count, 3);
    assert_int_equal(p.transformations->last_id, 5); /* planning took one for the virtual node */
    raski_stream_edge *edge = in_edge(&p, sum, 0);
    assert_string_equal(edge->id, "Source: in-1_Keyed Aggregation-3_0_HASH_0");
    assert_true(edge->inter_inputs_keys_correlated && edge->intra_input_key_correlated);
    end(&p);
}

static void of_stacked_partitionings_the_last_wins_but_for_the_exchange_mode(void **state) {
    (void)state;
    program p = begin();
    raski_transformation *in = source(&p, "in");
    raski_transformation *first =
        partition(&p, in, RASKI_PARTITIONER_REBALANCE, RASKI_EXCHANGE_HYBRID_FULL);
    raski_transformation *second =
        partition(&p, first, RASKI_PARTITIONER_SHUFFLE, RASKI_EXCHANGE_PIPELINED);
    raski_transformation *last = map(second, "Map");
    generate(&p);
    raski_stream_edge *edge = in_edge(&p, last, 0);
    assert_string_equal(raski_partitioner_text(edge->partitioner), "SHUFFLE");
    assert_int_equal(edge->exchange_mode, RASKI_EXCHANGE_HYBRID_FULL);
    assert_ptr_equal(edge->source, raski_stream_graph_node(p.graph, in->id));
    end(&p);
}

static void a_union_with_itself_gives_numbered_edges(void **state) {
    (void)state;
    program p = begin();
    raski_transformation *in = source(&p, "in"), *both = NULL;
    raski_transformation *inputs[] = {in, in};
    assert_int_equal(raski_transformation_union(inputs, 2, &both, NULL), RASK_OK);
    raski_transformation *last = map(both, "Map");
    generate(&p);
    assert_string_equal(in_edge(&p, last, 0)->id, "Source: in-1_Map-3_0_FORWARD_0");
    assert_string_equal(in_edge(&p, last, 1)->id, "Source: in-1_Map-3_0_FORWARD_1");
    end(&p);
}

static void side_outputs_carry_their_tag(void **state) {
    (void)state;
    program p = begin();
    raski_error err = {0};
    raski_transformation *in = map(source(&p, "in"), "Process"), *late = NULL, *again = NULL;
    assert_int_equal(raski_transformation_side_output(in, "late", "record", &late, NULL), RASK_OK);
    raski_transformation *last = print(late);
    generate(&p);
    assert_string_equal(in_edge(&p, last, 0)->side_output_tag, "late");
    assert_int_not_equal(raski_transformation_side_output(in, "late", "String", &again, &err),
                         RASK_OK);
    assert_string_equal(err.exception, "UnsupportedOperationException");
    assert_null(again);
    end(&p);
}

/* --- partitioners that nobody asked for --------------------------------------------------------
 */

static void equal_parallelism_is_forwarded_other_is_rebalanced(void **state) {
    (void)state;
    program p = begin();
    raski_transformation *in = source(&p, "in"), *same = map(in, "Same"), *more = map(in, "More");
    parallelism(more, 4);
    generate(&p);
    assert_int_equal(in_edge(&p, same, 0)->partitioner->kind, RASKI_PARTITIONER_FORWARD);
    assert_int_equal(in_edge(&p, more, 0)->partitioner->kind, RASKI_PARTITIONER_REBALANCE);
    end(&p);
}

static void forward_refuses_a_change_of_parallelism(void **state) {
    (void)state;
    program p = begin();
    raski_transformation *forward =
        partition(&p, source(&p, "in"), RASKI_PARTITIONER_FORWARD, RASKI_EXCHANGE_UNDEFINED);
    parallelism(map(forward, "Map"), 3);
    assert_refused(&p, "UnsupportedOperationException",
                   "Forward partitioning does not allow change of parallelism. Upstream operation: "
                   "Source: in-1 parallelism: 1, downstream operation: Map-3 parallelism: 3 You "
                   "must use another partitioning strategy, such as broadcast, rebalance, shuffle "
                   "or global.");
    assert_string_equal(p.transformations->failed->name, "Map");
    end(&p);
}

static void one_pointwise_input_spoils_unaligned_checkpoints_for_all(void **state) {
    (void)state;
    program p = begin();
    raski_transformation *a = source(&p, "a"), *b = source(&p, "b"), *both = NULL;
    raski_transformation *inputs[] = {
        partition(&p, a, RASKI_PARTITIONER_REBALANCE, RASKI_EXCHANGE_UNDEFINED), b};
    assert_int_equal(raski_transformation_union(inputs, 2, &both, NULL), RASK_OK);
    raski_transformation *last = map(both, "Map");
    generate(&p);
    assert_false(in_edge(&p, last, 0)->supports_unaligned_checkpoints);
    assert_false(in_edge(&p, last, 1)->supports_unaligned_checkpoints);
    end(&p);
}

/* --- modes -------------------------------------------------------------------------------------
 */

static void batch_refuses_unbounded_sources(void **state) {
    (void)state;
    program p = begin();
    p.env->config.runtime_mode = RASKI_RUNTIME_BATCH;
    print(raski_transformation_source(p.env, "in", "record", false));
    assert_refused(&p, "IllegalStateException",
                   "Detected an UNBOUNDED source with the 'execution.runtime-mode' set to 'BATCH'. "
                   "This combination is not allowed, please set the 'execution.runtime-mode' to "
                   "STREAMING or AUTOMATIC");
    end(&p);
}

static void batch_sorts_the_input_of_keyed_operators(void **state) {
    (void)state;
    program p = begin();
    raski_key key;
    p.env->config.runtime_mode = RASKI_RUNTIME_AUTOMATIC;
    raski_transformation *sum =
        raski_transformation_reduce(key_by(&p, source(&p, "in"), &key), "Keyed Aggregation", &key);
    generate(&p);
    raski_stream_node *node = raski_stream_graph_node(p.graph, sum->id);
    assert_true(p.graph->dynamic);
    assert_int_equal(p.graph->exchange_mode, RASKI_ALL_EDGES_BLOCKING);
    assert_int_equal(node->factory.chaining, RASKI_CHAINING_HEAD);
    assert_int_equal(node->input_requirements[0], RASKI_INPUT_REQUIREMENT_SORTED);
    assert_int_equal(node->operator_memory_weight, 128);
    assert_int_equal(node->buffer_timeout_ms, RASKI_BUFFER_TIMEOUT_DISABLED);
    end(&p);
}

static void a_program_without_operators_is_refused(void **state) {
    (void)state;
    program p = begin();
    source(&p, "in");
    assert_refused(&p, "IllegalStateException",
                   "No operators defined in streaming topology. Cannot execute.");
    end(&p);
}

/* --- slot sharing groups, uids -----------------------------------------------------------------
 */

static void a_slot_sharing_group_is_inherited_from_equal_inputs(void **state) {
    (void)state;
    program p = begin();
    const raski_slot_sharing_group blue = {.name = "blue"}, red = {.name = "red"};
    raski_transformation *a = source(&p, "a"), *b = source(&p, "b"), *co = NULL;
    raski_transformation_set_slot_sharing_group(a, &blue);
    raski_transformation *after_a = map(a, "Map");
    raski_transformation_set_slot_sharing_group(b, &red);
    assert_int_equal(raski_transformation_two_input(after_a, b, "Co-Map", "record", &plain, NULL,
                                                    NULL, &co, NULL),
                     RASK_OK);
    generate(&p);
    assert_string_equal(raski_stream_graph_node(p.graph, after_a->id)->slot_sharing_group, "blue");
    assert_string_equal(raski_stream_graph_node(p.graph, co->id)->slot_sharing_group, "default");
    end(&p);
}

static void without_generated_uids_each_operator_needs_one(void **state) {
    (void)state;
    program p = begin();
    p.env->config.auto_generate_uids = false;
    raski_transformation *in = source(&p, "in");
    raski_transformation_set_uid(in, "in");
    map(in, "Map");
    assert_refused(&p, "IllegalStateException",
                   "Auto generated UIDs have been disabled but no UID or hash has been assigned to "
                   "operator Map");
    end(&p);
}

static void a_uid_given_twice_is_refused_when_hashes_are_made(void **state) {
    (void)state;
    program p = begin();
    raski_error err = {0};
    raski_operator_hashes hashes;
    raski_transformation *in = source(&p, "in"), *one = map(in, "Map");
    raski_transformation_set_uid(in, "same");
    raski_transformation_set_uid(one, "same");
    generate(&p);
    raski_operator_hashes_init(&hashes);
    assert_int_not_equal(raski_operator_hashes_generate(p.graph, &hashes, &err), RASK_OK);
    assert_ptr_equal(p.transformations->failed, one);
    assert_string_equal(err.exception, "IllegalArgumentException");
    assert_string_equal(err.message,
                        "Hash collision on user-specified ID \"same\". Most likely cause is a "
                        "non-unique ID. Please check that all IDs specified via `uid(String)` are "
                        "unique.");
    raski_operator_hashes_fini(&hashes);
    end(&p);
}

static void names_and_parallelism_do_not_change_hashes(void **state) {
    (void)state;
    char hex[2][RASKI_ID_HEX_SIZE];
    for (int variant = 0; variant < 2; variant++) {
        program p = begin();
        raski_operator_hashes hashes;
        raski_transformation *last = map(source(&p, variant ? "other" : "in"), "Map");
        if (variant) raski_transformation_set_name(last, "renamed");
        generate(&p);
        raski_operator_hashes_init(&hashes);
        assert_int_equal(raski_operator_hashes_generate(p.graph, &hashes, NULL), RASK_OK);
        raski_id_to_hex(*raski_operator_hashes_get(&hashes, last->id), hex[variant]);
        raski_operator_hashes_fini(&hashes);
        end(&p);
    }
    assert_string_equal(hex[0], hex[1]);
}

/* The first hashes of nearly every Flink job: a source that nothing chains to, and one that one
 * operator chains to. */
static void murmur3_is_that_of_guava(void **state) {
    (void)state;
    static const uint8_t zeros[8] = {0};
    char hex[RASKI_ID_HEX_SIZE];
    assert_string_equal(raski_id_to_hex(raski_murmur3_128(zeros, 4), hex),
                        "bc764cd8ddf7a0cff126f51c16239658");
    assert_string_equal(raski_id_to_hex(raski_murmur3_128(zeros, 8), hex),
                        "cbc357ccb763df2852fee8c4fc7d55f2");
}

/* --- sinks -------------------------------------------------------------------------------------
 */

static void a_sink_with_a_committer_becomes_two_operators(void **state) {
    (void)state;
    program p = begin();
    const int writes = 1, commits = 2;
    raski_sink sink = {.committer = true, .payload = &writes, .committer_payload = &commits};
    raski_transformation *t = raski_transformation_sink(source(&p, "in"), &sink, NULL);
    raski_transformation_set_name(t, "files");
    raski_transformation_set_uid(t, "out");
    generate(&p);
    assert_int_equal(p.env->operators.count, 1); /* the expansion is gone again */
    assert_int_equal(p.graph->nodes.count, 3);
    raski_stream_node *writer = p.graph->nodes.items[1], *committer = p.graph->nodes.items[2];
    assert_string_equal(writer->name, "files: Writer");
    assert_string_equal(writer->uid, "out");
    assert_true(writer->factory.yielding);
    assert_ptr_equal(writer->payload, &writes);
    assert_string_equal(committer->name, "files: Committer");
    assert_string_equal(committer->uid, "Sink Committer: out");
    assert_ptr_equal(committer->payload, &commits);
    end(&p);
}

static rask_status build_nothing(void *context, raski_plan_stream input,
                                 raski_plan_stream *ret_output, raski_error *err) {
    (void)context;
    (void)err;
    *ret_output = input;
    return RASK_OK;
}

static void a_post_commit_topology_needs_a_committer(void **state) {
    (void)state;
    program p = begin();
    raski_sink sink = {.post_commit = build_nothing};
    raski_transformation_sink(source(&p, "in"), &sink, NULL);
    assert_refused(&p, "IllegalArgumentException",
                   "Sink with SupportsPostCommitTopology should implement SupportsCommitter");
    end(&p);
}

/* --- what only the C API says ------------------------------------------------------------------
 */

static void payload_and_place_of_the_call_reach_the_node(void **state) {
    (void)state;
    program p = begin();
    const int definition = 42;
    raski_transformation *last = map(source(&p, "in"), "Map");
    last->payload = &definition;
    raski_transformation_set_location(last, "job.c", 17);
    generate(&p);
    const raski_stream_node *node = raski_stream_graph_node(p.graph, last->id);
    assert_ptr_equal(node->payload, &definition);
    assert_string_equal(node->transformation->file, "job.c");
    assert_int_equal(node->transformation->line, 17);
    end(&p);
}

static void attributes_are_checked_as_in_flink(void **state) {
    (void)state;
    program p = begin();
    raski_error err = {0};
    raski_transformation *in =
        raski_transformation_legacy_source(p.env, "Socket Stream", "String", false, false);
    assert_int_not_equal(raski_transformation_set_parallelism(in, 2, &err), RASK_OK);
    assert_string_equal(err.message, "The parallelism of non parallel operator must be 1.");
    err = (raski_error){0};
    assert_int_not_equal(raski_transformation_set_max_parallelism(in, 32769, &err), RASK_OK);
    assert_string_equal(err.message,
                        "Maximum parallelism must be between 1 and 32768. Found: 32769");
    err = (raski_error){0};
    assert_int_not_equal(raski_transformation_set_uid_hash(in, "abc", &err), RASK_OK);
    assert_string_equal(err.message,
                        "Node hash must be a 32 character String that describes a hex "
                        "code. Found: abc");
    end(&p);
}

static void a_program_of_100000_operators_is_planned(void **state) {
    (void)state;
    enum { OPERATORS = 100000 };
    program p = begin();
    raski_operator_hashes hashes;
    raski_transformation *last = source(&p, "in");
    for (int i = 0; i < OPERATORS; i++) {
        if (i % 10 == 0)
            last = partition(&p, last, RASKI_PARTITIONER_REBALANCE, RASKI_EXCHANGE_UNDEFINED);
        last = map(last, "Map");
        last->factory.yielding = i % 7 == 0; /* asks for the head of the chain */
    }
    generate(&p);
    assert_int_equal(p.graph->nodes.count, OPERATORS + 1);
    raski_operator_hashes_init(&hashes);
    assert_int_equal(raski_operator_hashes_generate(p.graph, &hashes, NULL), RASK_OK);
    assert_non_null(raski_operator_hashes_get(&hashes, last->id));
    raski_operator_hashes_fini(&hashes);
    end(&p);
}

static void the_execution_plan_is_printed_as_flink_prints_it(void **state) {
    (void)state;
    program p = begin();
    print(map(source(&p, "in \"1\"\n"), "Map"));
    generate(&p);
    char *plan = raski_execution_plan_json(p.graph);
    assert_string_equal(plan,
                        "{\n"
                        "  \"nodes\" : [ {\n"
                        "    \"id\" : 1,\n"
                        "    \"type\" : \"Source: in \\\"1\\\"\\n\",\n"
                        "    \"pact\" : \"Data Source\",\n"
                        "    \"contents\" : \"Source: in \\\"1\\\"\\n\",\n"
                        "    \"parallelism\" : 1\n"
                        "  }, {\n"
                        "    \"id\" : 2,\n"
                        "    \"type\" : \"Map\",\n"
                        "    \"pact\" : \"Operator\",\n"
                        "    \"contents\" : \"Map\",\n"
                        "    \"parallelism\" : 1,\n"
                        "    \"predecessors\" : [ {\n"
                        "      \"id\" : 1,\n"
                        "      \"ship_strategy\" : \"FORWARD\",\n"
                        "      \"side\" : \"second\"\n"
                        "    } ]\n"
                        "  }, {\n"
                        "    \"id\" : 3,\n"
                        "    \"type\" : \"Sink: Print to Std. Out\",\n"
                        "    \"pact\" : \"Data Sink\",\n"
                        "    \"contents\" : \"Sink: Print to Std. Out\",\n"
                        "    \"parallelism\" : 1,\n"
                        "    \"predecessors\" : [ {\n"
                        "      \"id\" : 2,\n"
                        "      \"ship_strategy\" : \"FORWARD\",\n"
                        "      \"side\" : \"second\"\n"
                        "    } ]\n"
                        "  } ]\n"
                        "}");
    raski_free(plan);
    end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(virtual_transformations_and_nodes_take_ids),
        cmocka_unit_test(of_stacked_partitionings_the_last_wins_but_for_the_exchange_mode),
        cmocka_unit_test(a_union_with_itself_gives_numbered_edges),
        cmocka_unit_test(side_outputs_carry_their_tag),
        cmocka_unit_test(equal_parallelism_is_forwarded_other_is_rebalanced),
        cmocka_unit_test(forward_refuses_a_change_of_parallelism),
        cmocka_unit_test(one_pointwise_input_spoils_unaligned_checkpoints_for_all),
        cmocka_unit_test(batch_refuses_unbounded_sources),
        cmocka_unit_test(batch_sorts_the_input_of_keyed_operators),
        cmocka_unit_test(a_program_without_operators_is_refused),
        cmocka_unit_test(a_slot_sharing_group_is_inherited_from_equal_inputs),
        cmocka_unit_test(without_generated_uids_each_operator_needs_one),
        cmocka_unit_test(a_uid_given_twice_is_refused_when_hashes_are_made),
        cmocka_unit_test(names_and_parallelism_do_not_change_hashes),
        cmocka_unit_test(murmur3_is_that_of_guava),
        cmocka_unit_test(a_sink_with_a_committer_becomes_two_operators),
        cmocka_unit_test(a_post_commit_topology_needs_a_committer),
        cmocka_unit_test(payload_and_place_of_the_call_reach_the_node),
        cmocka_unit_test(attributes_are_checked_as_in_flink),
        cmocka_unit_test(a_program_of_100000_operators_is_planned),
        cmocka_unit_test(the_execution_plan_is_printed_as_flink_prints_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
