#include "base/alloc.h"
#include "cluster/job_master_private.h"

static raski_vertex_result *vertex_results(const raski_execution_graph *graph) {
    const raski_execution_topology *topology = graph->topology;
    raski_vertex_result *results = RASKI_NEW_ARRAY(raski_vertex_result, topology->vertex_count);
    for (size_t v = 0; v < topology->vertex_count; v++) {
        const raski_execution_job_vertex *vertex = &topology->vertices[v];
        results[v].vertex_id = vertex->job_vertex->id;
        results[v].name = raski_strdup(vertex->job_vertex->name);
        results[v].parallelism = vertex->parallelism;
        for (int s = 0; s < vertex->parallelism; s++) {
            const raski_task_counters *counters =
                &graph->vertices[vertex->first_task + (size_t)s].current.counters;
            results[v].counters.records_in += counters->records_in;
            results[v].counters.records_out += counters->records_out;
            results[v].counters.bytes_in += counters->bytes_in;
            results[v].counters.bytes_out += counters->bytes_out;
        }
    }
    return results;
}

raski_job_result *raski_job_master_result(const raski_job_master *self) {
    const raski_execution_graph *graph = raski_job_master_graph(self);
    raski_job_result *result = RASKI_NEW(raski_job_result);
    result->status = graph->status;
    if (graph->status == RASKI_JOB_FAILED)
        result->failure = raski_failure_copy(graph->root_failure);
    result->vertices = vertex_results(graph);
    result->vertex_count = graph->topology->vertex_count;
    result->net_runtime_ms = self->end_ms - self->start_ms;
    result->restarts = self->scheduler.vtable->restarts(self->scheduler.self);
    return result;
}

void raski_job_master_tell_progress(const raski_job_master *self) {
    const raski_execution_graph *graph = raski_job_master_graph(self);
    raski_job_result result = {
        .vertices = vertex_results(graph),
        .vertex_count = graph->topology->vertex_count,
    };
    const raski_job_progress progress = {
        .status = graph->status,
        .running_ms = raski_actor_now_ms(&self->actor) - self->start_ms,
        .vertices = result.vertices,
        .vertex_count = result.vertex_count,
        .tasks_total = graph->vertex_count,
        .tasks_running = graph->state_counts[RASKI_EXECUTION_RUNNING],
        .tasks_finished = graph->state_counts[RASKI_EXECUTION_FINISHED],
    };
    self->submission.progress(self->submission.progress_ctx, &progress);
    raski_job_result_fini(&result);
}
