/* Random job graphs of fake tasks: see cluster/fake_task_test_util.h. Every vertex of a job that
 * FINISHED has counted exactly what its sources made. */
#include "cluster/fake_task_test_util.h"
#include "cluster/job_graph_test_util.h"
#include "sim/workload.h"

enum { VERTICES_MAX = 7, PARALLELISM_MAX = 4 };

typedef struct fake_workload {
    fake_plan plan;
    raski_job_graph *graph;
    raski_coordinator_provider *providers;
    sim_draw draw;
    void *draw_ctx;
} fake_workload;

static uint64_t draw(const fake_workload *w, uint64_t bound) {
    return w->draw(w->draw_ctx, bound);
}

static raski_result_type draw_type(const fake_workload *w) {
    static const raski_result_type types[] = {
        RASKI_RESULT_PIPELINED_BOUNDED, RASKI_RESULT_PIPELINED_BOUNDED, RASKI_RESULT_BLOCKING,
        RASKI_RESULT_BLOCKING,          RASKI_RESULT_HYBRID_FULL,       RASKI_RESULT_PIPELINED,
    };
    return types[draw(w, sizeof types / sizeof types[0])];
}

/* Every vertex but the first reads of one or two earlier ones, or is one more source. */
static raski_job_graph *draw_graph(const fake_workload *w) {
    raski_job_graph *graph = raski_job_graph_new("simulated");
    raski_job_vertex *vertices[VERTICES_MAX];
    size_t count = 1 + draw(w, VERTICES_MAX);
    bool is_streaming = draw(w, 100) < 40;
    size_t slot_groups = 1 + draw(w, 2);
    for (size_t v = 0; v < count; v++) {
        char *name = raski_format("v%zu", v);
        vertices[v] = test_vertex(graph, name, 1 + (int)draw(w, PARALLELISM_MAX),
                                  v == 0 ? 0 : draw(w, slot_groups));
        raski_free(name);
        size_t inputs = v == 0 || draw(w, 100) < 15 ? 0 : 1 + draw(w, 2);
        for (size_t i = 0; i < inputs; i++) {
            raski_distribution distribution =
                draw(w, 2) == 0 ? RASKI_DISTRIBUTION_ALL_TO_ALL : RASKI_DISTRIBUTION_POINTWISE;
            raski_result_type type = is_streaming ? RASKI_RESULT_PIPELINED_BOUNDED : draw_type(w);
            (void)test_edge(graph, vertices[draw(w, v)], vertices[v], distribution, type,
                            (int)(v * 4 + i));
        }
    }
    graph->job_type = is_streaming ? "STREAMING" : "BATCH";
    return test_graph_finish(graph, 1);
}

static void set_faults(void *ctx, const sim_faults *faults) {
    fake_plan *plan = &((fake_workload *)ctx)->plan;
    plan->step_fails = faults->step_fails;
    plan->create_fails = faults->create_fails;
    plan->failures_max = faults->failures_max;
    plan->endless = faults->endless;
}

static int failures(const void *ctx) {
    return ((const fake_workload *)ctx)->plan.failures;
}

static uint64_t expected_in(const fake_workload *w, const raski_job_vertex *vertex) {
    if (vertex->inputs.count == 0)
        return (uint64_t)w->plan.splits * (uint64_t)w->plan.records_per_split;
    uint64_t records = 0;
    for (size_t i = 0; i < vertex->inputs.count; i++)
        records += expected_in(w, vertex->inputs.items[i]->source->producer);
    return records;
}

static char *check(const void *ctx, const raski_job_result *result) {
    const fake_workload *w = ctx;
    for (size_t v = 0; v < result->vertex_count; v++) {
        uint64_t expected = expected_in(w, w->graph->sorted.items[v]);
        uint64_t counted = result->vertices[v].counters.records_in;
        if (counted != expected)
            return raski_format("vertex %s counted %llu records instead of %llu",
                                result->vertices[v].name, (unsigned long long)counted,
                                (unsigned long long)expected);
    }
    return NULL;
}

static long left(const void *ctx) {
    const fake_plan *plan = &((const fake_workload *)ctx)->plan;
    return plan->live_tasks + plan->live_partitions + plan->live_threads;
}

static void destroy(void *ctx_take) {
    fake_workload *w = ctx_take;
    raski_free(w->providers);
    raski_job_graph_destroy(w->graph);
    fake_plan_fini(&w->plan);
    raski_free(w);
}

sim_workload sim_fake_workload(uint64_t seed, sim_draw draw_fn, void *draw_ctx) {
    fake_workload *w = RASKI_NEW(fake_workload);
    w->draw = draw_fn;
    w->draw_ctx = draw_ctx;
    fake_plan_init(&w->plan, seed ^ UINT64_C(0x5eed));
    w->plan.splits = (int)draw(w, 8);
    w->plan.records_per_split = 1 + (int)draw(w, 30);
    w->graph = draw_graph(w);
    sim_workload workload = {
        .ctx = w,
        .graph = w->graph,
        .factory = fake_factory(&w->plan),
        .set_faults = set_faults,
        .failures = failures,
        .check = check,
        .left = left,
        .destroy = destroy,
    };
    w->providers = fake_providers(w->graph, &w->plan, &workload.coordinator_count);
    workload.coordinators = w->providers;
    return workload;
}
