/* rask_planner.c - how long planning takes: programs of many operators, and wide execution graphs.
 *
 *   rask_planner --shape linear|linear-unchained|wide|diamond --n OPERATORS
 *   rask_planner --shape all-to-all|pointwise --n PARALLELISM
 *
 * The shapes are those of golden/plan/timing.json. Each run is cold: one program in one process.
 * Times are from nothing to the transformations (build_ms), the stream graph (stream_ms), the job
 * graph (job_ms); or to the execution graph with its pipelined regions (build_ms), and the time
 * that the scheduling strategy takes to decide about all tasks (deploy_ms). Prints one line of
 * JSON. Unlike the other programs here it looks inside: the planner alone has no public door. */
#include "bench/measure.h"
#include "executiongraph/execution_topology.h"
#include "graph/job_graph.h"
#include "graph/job_graph_build.h"
#include "graph/transformation.h"
#include "scheduler/scheduling_strategy.h"

static const char type[] = "Java Tuple2<String, Long>";
static const raski_operator_factory simple = {.simple = true};

static raski_transformation *map(raski_transformation *input) {
    return raski_transformation_one_input(input, "Map", type, &simple, NULL);
}

static void discard(raski_transformation *input) {
    const raski_sink sink = {0};
    raski_transformation *t = raski_transformation_sink(input, &sink, NULL);
    raski_transformation_set_name(t, "Writer");
}

static void build_wide(raski_plan_env *env, raski_transformation *source, long n) {
    for (long made = 1; made + 2 <= n; made += 2) {
        raski_transformation *spread = raski_transformation_partition(
            source, raski_partitioner_create(env->graph->arena, RASKI_PARTITIONER_REBALANCE),
            RASKI_EXCHANGE_UNDEFINED);
        (void)raski_transformation_legacy_sink(map(spread), "Unnamed", &simple, NULL);
    }
}

static rask_status build_diamond(raski_plan_env *env, raski_transformation *source, long n,
                                 raski_error *err) {
    static const raski_key key = {.selector = {.id = 1}, .type = "String"};
    raski_transformation *d = source;
    for (long made = 1; made + 4 <= n; made += 3) {
        raski_transformation *left = map(d);
        raski_transformation *keyed = raski_transformation_partition(
            d, raski_partitioner_create_key_group(env->graph->arena, key.selector),
            RASKI_EXCHANGE_UNDEFINED);
        raski_transformation *right = raski_transformation_reduce(keyed, "Keyed Reduce", &key);
        RASKI_TRY(raski_transformation_two_input(left, right, "Co-Map", type, &simple, NULL, NULL,
                                                 &d, err));
    }
    discard(d);
    return RASK_OK;
}

static rask_status build(raski_plan_env *env, const char *shape, long n, raski_error *err) {
    RASKI_TRY(raski_plan_config_set_parallelism(&env->config, 4, err));
    if (strcmp(shape, "linear-unchained") == 0)
        RASKI_TRY(raski_plan_config_set(&env->config, env->graph->arena,
                                        "pipeline.operator-chaining.enabled", "false", err));
    raski_transformation *source = raski_transformation_source(env, "in", type, false);
    if (strcmp(shape, "wide") == 0) {
        build_wide(env, source, n);
        return RASK_OK;
    }
    if (strcmp(shape, "diamond") == 0) return build_diamond(env, source, n, err);
    raski_transformation *d = source;
    for (long made = 1; made < n - 1; made++) d = map(d);
    discard(d);
    return RASK_OK;
}

static double ms_since(int64_t start_ns) {
    return (double)(bench_now_ns() - start_ns) / 1e6;
}

static rask_status measure_program(const char *shape, long n, raski_error *err) {
    raski_stream_graph *stream_graph = NULL;
    raski_job_graph *job_graph = NULL;
    int64_t start_ns = bench_now_ns();
    raski_transformation_graph *program = raski_transformation_graph_create();
    raski_plan_env *env = raski_plan_env_create(program);
    RASKI_TRY(build(env, shape, n, err));
    double build_ms = ms_since(start_ns);
    RASKI_TRY(raski_stream_graph_generate(env, &stream_graph, err));
    double stream_ms = ms_since(start_ns) - build_ms;
    RASKI_TRY(raski_job_graph_create(stream_graph, (raski_id){{0}}, &job_graph, err));
    double total_ms = ms_since(start_ns);
    printf(
        "{\"shape\": \"%s\", \"operators\": %zu, \"vertices\": %zu, \"build_ms\": %.3f, "
        "\"stream_ms\": %.3f, \"job_ms\": %.3f, \"total_ms\": %.3f, \"cpu_ms\": %.1f, "
        "\"rss_peak_kb\": %ld}\n",
        shape, stream_graph->nodes.count, job_graph->vertices.count, build_ms, stream_ms,
        total_ms - build_ms - stream_ms, total_ms, bench_cpu_ms(), bench_rss_peak_kb());
    raski_job_graph_destroy(job_graph);
    raski_stream_graph_destroy(stream_graph);
    raski_transformation_graph_destroy(program);
    return RASK_OK;
}

static void count_tasks(void *context, const size_t *tasks, size_t task_count) {
    (void)tasks;
    *(size_t *)context += task_count;
}

/* What is deployed when the job starts: here, everything. */
static rask_status measure_decisions(const raski_job_graph *graph, double *ret_ms,
                                     size_t *ret_deployed, raski_error *err) {
    raski_execution_graph *execution = NULL;
    *ret_deployed = 0;
    RASKI_TRY(raski_execution_graph_create(graph, 0, 0, NULL, &execution, err));
    int64_t start_ns = bench_now_ns();
    raski_scheduling_strategy strategy = raski_pipelined_region_strategy_create(
        execution, &(raski_scheduling_operations){ret_deployed, count_tasks});
    strategy.vtable->start_scheduling(strategy.self);
    *ret_ms = ms_since(start_ns);
    strategy.vtable->destroy(strategy.self);
    raski_execution_graph_destroy(execution);
    return RASK_OK;
}

/* Two vertices and one result between them. */
static rask_status measure_execution(const char *shape, long parallelism, raski_error *err) {
    bool pointwise = strcmp(shape, "pointwise") == 0;
    raski_execution_topology *topology = NULL;
    raski_job_edge *edge = NULL;
    raski_job_graph *graph = raski_job_graph_new("execution");
    raski_job_vertex *a = raski_job_graph_add_vertex(graph, (raski_id){{1}}, "a");
    raski_job_vertex *b = raski_job_graph_add_vertex(graph, (raski_id){{2}}, "b");
    a->parallelism = b->parallelism = (int)parallelism;
    RASKI_TRY(raski_job_vertex_connect(
        graph, b,
        raski_job_vertex_result(graph, a, (raski_id){{3}}, RASKI_RESULT_PIPELINED_BOUNDED),
        pointwise ? RASKI_DISTRIBUTION_POINTWISE : RASKI_DISTRIBUTION_ALL_TO_ALL, false, false,
        &edge, err));
    RASKI_TRY(raski_job_graph_sort(graph, err));
    long before_kb = bench_rss_peak_kb();
    int64_t start_ns = bench_now_ns();
    RASKI_TRY(raski_execution_topology_create(graph, &topology, err));
    double build_ms = ms_since(start_ns), deploy_ms = 0;
    long graph_kb = bench_rss_peak_kb() - before_kb, rss_kb = bench_rss_peak_kb();
    size_t deployed = 0;
    RASKI_TRY(measure_decisions(graph, &deploy_ms, &deployed, err));
    printf(
        "{\"shape\": \"%s\", \"parallelism\": %ld, \"tasks\": %zu, \"regions\": %zu, "
        "\"build_ms\": %.3f, \"graph_kb\": %ld, \"rss_peak_kb\": %ld, \"deployed\": %zu, "
        "\"deploy_ms\": %.3f}\n",
        shape, parallelism, topology->task_count, topology->region_count, build_ms, graph_kb,
        rss_kb, deployed, deploy_ms);
    raski_execution_topology_destroy(topology);
    raski_job_graph_destroy(graph);
    return RASK_OK;
}

int main(int argc, char **argv) {
    const char *shape = NULL;
    long n = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--shape") == 0) shape = argv[i + 1];
        if (strcmp(argv[i], "--n") == 0) n = strtol(argv[i + 1], NULL, 10);
    }
    if (shape == NULL || n < 3) {
        (void)fprintf(stderr, "usage: rask_planner --shape SHAPE --n NUMBER\n");
        return 2;
    }
    raski_error err = {0};
    bool is_execution = strcmp(shape, "all-to-all") == 0 || strcmp(shape, "pointwise") == 0;
    rask_status status =
        is_execution ? measure_execution(shape, n, &err) : measure_program(shape, n, &err);
    if (status == RASK_OK) return 0;
    (void)fprintf(stderr, "rask_planner: %s: %s\n", err.exception, err.message);
    return 1;
}
