/* The rules that make vertices of operators, on programs built as the API builds them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "graph/adaptive_graph.h"
#include "graph/job_graph.h"

typedef struct program {
    raski_transformation_graph *transformations;
    raski_plan_env *env;
    raski_stream_graph *stream_graph;
    raski_job_graph *job_graph;
} program;

static program begin(void) {
    program p = {.transformations = raski_transformation_graph_create()};
    p.env = raski_plan_env_create(p.transformations);
    return p;
}

static void generate(program *p) {
    raski_error err = {0};
    if (raski_stream_graph_generate(p->env, &p->stream_graph, &err) != RASK_OK)
        fail_msg("%s", err.message);
}

static const raski_job_graph *plan(program *p) {
    raski_error err = {0};
    generate(p);
    if (raski_job_graph_create(p->stream_graph, (raski_id){{0}}, &p->job_graph, &err) != RASK_OK)
        fail_msg("%s: %s", err.exception, err.message);
    return p->job_graph;
}

static void end(program *p) {
    raski_job_graph_destroy(p->job_graph);
    raski_stream_graph_destroy(p->stream_graph);
    raski_transformation_graph_destroy(p->transformations);
}

static raski_transformation *source(program *p, const char *name) {
    return raski_transformation_source(p->env, name, "record", true);
}

static raski_transformation *map(raski_transformation *input, const char *name) {
    raski_operator_factory factory = {0};
    return raski_transformation_one_input(input, name, "record", &factory, NULL);
}

static raski_transformation *partition(program *p, raski_transformation *input,
                                       raski_partitioner_kind kind) {
    return raski_transformation_partition(
        input, raski_partitioner_create(p->transformations->arena, kind), RASKI_EXCHANGE_UNDEFINED);
}

static raski_transformation *key_by(program *p, raski_transformation *input) {
    return raski_transformation_partition(
        input,
        raski_partitioner_create_key_group(p->transformations->arena,
                                           (raski_key_selector){.id = 7}),
        RASKI_EXCHANGE_UNDEFINED);
}

static void sink(raski_transformation *input) {
    raski_operator_factory factory = {0};
    raski_transformation_legacy_sink(input, "Print to Std. Out", &factory, NULL);
}

static void assert_description(const raski_job_graph *graph, const raski_job_vertex *vertex,
                               const char *expected) {
    char *description = raski_job_vertex_description(graph, vertex);
    assert_string_equal(description, expected);
    raski_free(description);
}

static void assert_id(raski_id id, const char *expected) {
    char hex[RASKI_ID_HEX_SIZE];
    assert_string_equal(raski_id_to_hex(id, hex), expected);
}

/* The word count of the articles: two vertices, one all-to-all edge; ids are Flink's. */
static void word_count(void **state) {
    (void)state;
    program p = begin();
    p.env->config.parallelism = 2;
    raski_transformation *words = map(source(&p, "Source"), "Flat Map");
    sink(raski_transformation_reduce(key_by(&p, words), "Keyed Aggregation",
                                     &(raski_key){{.id = 7}, "string", false}));
    const raski_job_graph *graph = plan(&p);
    assert_int_equal(graph->sorted.count, 2);
    const raski_job_vertex *first = graph->sorted.items[0], *second = graph->sorted.items[1];
    assert_string_equal(first->name, "Source: Source -> Flat Map");
    assert_string_equal(second->name, "Keyed Aggregation -> Sink: Print to Std. Out");
    assert_description(graph, first, "Source: Source\n+- Flat Map\n");
    assert_id(first->id, "cbc357ccb763df2852fee8c4fc7d55f2");
    assert_id(second->id, "90bea66de1c231edf33913ecd54406c1");
    assert_int_equal(second->creation_index, 0); /* sinks first */
    assert_int_equal(first->results.count, 1);
    assert_id(first->results.items[0]->id, "52fee8c4a864be7dcbc357cc634b47b3");
    assert_int_equal(first->results.items[0]->type, RASKI_RESULT_PIPELINED_BOUNDED);
    assert_int_equal(second->inputs.items[0]->distribution, RASKI_DISTRIBUTION_ALL_TO_ALL);
    assert_ptr_equal(first->slot_group, second->slot_group);
    end(&p);
}

/* A task finds its whole chain in its vertex: who feeds whom, which gate feeds which input. */
static void chain_is_complete_in_its_vertex(void **state) {
    (void)state;
    program p = begin();
    int marker = 0;
    raski_transformation *a = map(source(&p, "a"), "fork"), *b = source(&p, "b");
    a->payload = &marker;
    sink(map(a, "left"));
    sink(partition(&p, a, RASKI_PARTITIONER_REBALANCE));
    raski_operator_factory factory = {0};
    raski_transformation *both = NULL;
    assert_int_equal(
        raski_transformation_two_input(map(partition(&p, b, RASKI_PARTITIONER_BROADCAST), "right"),
                                       partition(&p, a, RASKI_PARTITIONER_RESCALE), "both",
                                       "record", &factory, NULL, NULL, &both, NULL),
        RASK_OK);
    sink(both);
    const raski_job_graph *graph = plan(&p);
    const raski_job_vertex *vertex = NULL, *co = NULL;
    for (size_t i = 0; i < graph->sorted.count; i++) {
        if (strncmp(graph->sorted.items[i]->name, "Source: a", 9) == 0)
            vertex = graph->sorted.items[i];
        if (strncmp(graph->sorted.items[i]->name, "both", 4) == 0) co = graph->sorted.items[i];
    }
    assert_non_null(vertex);
    assert_int_equal(vertex->operator_count, 4); /* source, fork, left, its sink */
    assert_int_equal(vertex->head, 0);
    const raski_job_operator *fork = &vertex->operators[1];
    assert_ptr_equal(fork->payload, &marker);
    assert_int_equal(vertex->operators[0].chained_outputs[0].target, 1);
    assert_int_equal(fork->chained_output_count, 1);
    assert_string_equal(vertex->operators[fork->chained_outputs[0].target].name, "left");
    assert_int_equal(fork->output_count, 2);
    assert_int_equal(fork->outputs[0]->partitioner->kind, RASKI_PARTITIONER_REBALANCE);
    assert_int_equal(fork->outputs[1]->partitioner->kind, RASKI_PARTITIONER_RESCALE);
    assert_true(vertex->operators[3].chain_end);
    assert_int_equal(vertex->output_count, 2);
    assert_non_null(co);
    assert_int_equal(co->inputs.count, 2);
    assert_int_equal(co->operators[co->head].input_count, 2);
    assert_int_equal(co->operators[co->head].network_inputs, 2);
    for (size_t i = 0; i < 2; i++) { /* gates stand in the order in which edges are connected */
        const raski_job_edge *gate = co->inputs.items[i];
        assert_int_equal(gate->input_index, gate->source->producer == vertex ? 1 : 0);
        assert_string_equal(gate->edge_id, co->operators[co->head].in_physical_edges[i]);
    }
    end(&p);
}

static void no_recursion_on_long_chains(void **state) {
    (void)state;
    enum { LENGTH = 5000 };
    program p = begin();
    raski_transformation *last = source(&p, "s");
    for (int i = 0; i < LENGTH; i++) last = map(last, "m");
    sink(last);
    const raski_job_graph *graph = plan(&p);
    assert_int_equal(graph->vertices.count, 1);
    assert_int_equal(graph->vertices.items[0]->operator_count, LENGTH + 2);
    assert_int_equal(graph->vertices.items[0]->operators[LENGTH + 1].chain_index, LENGTH + 2);
    assert_int_equal(
        strlen(graph->vertices.items[0]->name),
        strlen("Source: s") + LENGTH * strlen(" -> m") + strlen(" -> Sink: Print to Std. Out"));
    end(&p);
}

static void descriptions(void **state) {
    (void)state;
    for (int cascading = 0; cascading < 2; cascading++) {
        program p = begin();
        p.env->config.vertex_description_mode =
            cascading ? RASKI_VERTEX_DESCRIPTION_CASCADING : RASKI_VERTEX_DESCRIPTION_TREE;
        p.env->config.vertex_name_index_prefix = cascading != 0;
        raski_transformation *a = map(source(&p, "s"), "a");
        sink(map(a, "b"));
        sink(a);
        const raski_job_graph *graph = plan(&p);
        const raski_job_vertex *vertex = graph->sorted.items[0];
        if (cascading) {
            assert_string_equal(vertex->name,
                                "[vertex-0]Source: s -> a -> (b -> Sink: Print to Std. Out, Sink: "
                                "Print to Std. Out)");
            assert_description(graph, vertex,
                               "Source: s -> a -> (b -> Sink: Print to Std. Out , Sink: Print to "
                               "Std. Out)");
        } else {
            assert_description(graph, vertex,
                               "Source: s\n+- a\n   :- b\n   :  +- Sink: Print to Std. Out\n   +- "
                               "Sink: Print to Std. Out\n");
        }
        end(&p);
    }
}

/* 1/3 and 2/3, rounded down to 16 places; a group is a slot's. */
static void managed_memory(void **state) {
    (void)state;
    program p = begin();
    raski_transformation *a = map(source(&p, "s"), "a"), *b = map(a, "b");
    assert_int_equal(
        raski_transformation_declare_operator_memory(a, RASKI_MEMORY_OPERATOR, 1, NULL), RASK_OK);
    assert_int_equal(
        raski_transformation_declare_operator_memory(b, RASKI_MEMORY_OPERATOR, 2, NULL), RASK_OK);
    assert_int_equal(raski_transformation_declare_slot_memory(b, RASKI_MEMORY_PYTHON, NULL),
                     RASK_OK);
    sink(b);
    const raski_job_graph *graph = plan(&p);
    const raski_job_vertex *vertex = graph->sorted.items[0];
    assert_true(vertex->operators[0].has_managed[RASKI_MEMORY_OPERATOR]);
    assert_true(vertex->operators[0].managed_fraction[RASKI_MEMORY_OPERATOR] == 0.0);
    assert_true(vertex->operators[1].managed_fraction[RASKI_MEMORY_OPERATOR] == 0.3333333333333333);
    assert_true(vertex->operators[2].managed_fraction[RASKI_MEMORY_OPERATOR] == 0.6666666666666666);
    assert_false(vertex->operators[2].has_managed[RASKI_MEMORY_STATE_BACKEND]);
    assert_true(raski_managed_fraction_of_slot(graph, &vertex->operators[2], RASKI_MEMORY_PYTHON,
                                               NULL) == 0.3);
    const int32_t weights[] = {1, 1, 3};
    assert_true(raski_managed_fraction_of_slot(graph, &vertex->operators[2], RASKI_MEMORY_PYTHON,
                                               weights) == 0.75);
    end(&p);
}

/* A batch job: equal exchanges of one operator share a result; a region is a slot group. */
static void batch_results_are_shared(void **state) {
    (void)state;
    program p = begin();
    p.env->config.runtime_mode = RASKI_RUNTIME_BATCH;
    p.env->config.scheduler = RASKI_SCHEDULER_DEFAULT;
    raski_transformation *a = map(source(&p, "s"), "a");
    for (int i = 0; i < 3; i++) sink(map(partition(&p, a, RASKI_PARTITIONER_REBALANCE), "b"));
    sink(map(partition(&p, a, RASKI_PARTITIONER_SHUFFLE), "c"));
    const raski_job_graph *graph = plan(&p);
    const raski_job_vertex *first = graph->sorted.items[0];
    assert_int_equal(first->results.count, 2);
    assert_int_equal(first->results.items[0]->consumers.count, 3);
    assert_int_equal(first->results.items[0]->type, RASKI_RESULT_BLOCKING);
    assert_int_equal(graph->slot_groups.count, 5);
    end(&p);
}

static void hybrid_is_for_batch(void **state) {
    (void)state;
    program p = begin();
    raski_error err = {0};
    raski_transformation *rebalanced = raski_transformation_partition(
        source(&p, "s"),
        raski_partitioner_create(p.transformations->arena, RASKI_PARTITIONER_REBALANCE),
        RASKI_EXCHANGE_HYBRID_FULL);
    raski_transformation *a = map(rebalanced, "a");
    raski_transformation_set_slot_sharing_group(a, &(raski_slot_sharing_group){.name = "default"});
    sink(a);
    generate(&p);
    assert_int_not_equal(
        raski_job_graph_create(p.stream_graph, (raski_id){{0}}, &p.job_graph, &err), RASK_OK);
    assert_string_equal(err.exception, "IllegalStateException");
    assert_non_null(strstr(err.message, "hybrid shuffle mode only supports batch job"));
    assert_null(p.job_graph);
    end(&p);
}

/* The graph that grows: vertices come when what they read has finished. */
static void adaptive_growth(void **state) {
    (void)state;
    program p = begin();
    p.env->config.runtime_mode = RASKI_RUNTIME_BATCH;
    raski_transformation *a = source(&p, "a"), *b = source(&p, "b");
    raski_transformation *inputs[] = {partition(&p, a, RASKI_PARTITIONER_REBALANCE),
                                      partition(&p, b, RASKI_PARTITIONER_REBALANCE)};
    raski_transformation *all = NULL;
    assert_int_equal(raski_transformation_union(inputs, 2, &all, NULL), RASK_OK);
    sink(map(all, "m"));
    generate(&p);
    assert_true(p.stream_graph->dynamic);
    raski_adaptive_graph *graph = NULL;
    size_t created = 9;
    raski_error err = {0};
    if (raski_adaptive_graph_create(p.stream_graph, (raski_id){{0}}, &graph, &err) != RASK_OK)
        fail_msg("%s", err.message);
    const raski_job_graph *job_graph = raski_adaptive_graph_job_graph(graph);
    assert_int_equal(job_graph->vertices.count, 2);
    assert_int_equal(raski_adaptive_graph_pending_operators(graph), 2);
    assert_int_equal(job_graph->vertices.items[0]->results.items[0]->edges_to_create, 1);
    assert_int_equal(
        raski_adaptive_graph_vertex_finished(graph, job_graph->vertices.items[0], &created, &err),
        RASK_OK);
    assert_int_equal(created, 0);
    assert_int_equal(
        raski_adaptive_graph_vertex_finished(graph, job_graph->vertices.items[1], &created, &err),
        RASK_OK);
    assert_int_equal(created, 1);
    assert_int_equal(raski_adaptive_graph_pending_operators(graph), 0);
    const raski_job_vertex *last = job_graph->vertices.items[2];
    assert_int_equal(last->inputs.count, 2);
    assert_int_equal(last->operator_count, 2);
    assert_int_equal(last->parallelism, RASKI_PARALLELISM_DEFAULT);
    assert_int_equal(last->operators[0].network_inputs, 2);
    raski_adaptive_graph_destroy(graph);
    end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(word_count),
        cmocka_unit_test(chain_is_complete_in_its_vertex),
        cmocka_unit_test(no_recursion_on_long_chains),
        cmocka_unit_test(descriptions),
        cmocka_unit_test(managed_memory),
        cmocka_unit_test(batch_results_are_shared),
        cmocka_unit_test(hybrid_is_for_batch),
        cmocka_unit_test(adaptive_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
