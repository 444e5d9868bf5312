#include "executiongraph/execution_graph.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

static void number_partitions(raski_execution_graph *graph) {
    const raski_execution_topology *topology = graph->topology;
    graph->first_partition = RASKI_NEW_ARRAY(uint32_t *, topology->vertex_count);
    for (size_t v = 0; v < topology->vertex_count; v++) {
        const raski_execution_job_vertex *vertex = &topology->vertices[v];
        size_t results = vertex->job_vertex->results.count;
        graph->first_partition[v] = RASKI_NEW_ARRAY(uint32_t, results);
        for (size_t r = 0; r < results; r++) {
            graph->first_partition[v][r] = graph->partition_count;
            graph->partition_count += (uint32_t)vertex->parallelism;
        }
    }
    graph->partition_producer = RASKI_NEW_ARRAY(size_t, graph->partition_count);
    for (size_t v = 0; v < topology->vertex_count; v++) {
        const raski_execution_job_vertex *vertex = &topology->vertices[v];
        for (size_t r = 0; r < vertex->job_vertex->results.count; r++)
            for (int s = 0; s < vertex->parallelism; s++)
                graph->partition_producer[graph->first_partition[v][r] + (uint32_t)s] =
                    vertex->first_task + (size_t)s;
    }
}

static void begin_attempt(raski_execution_graph *graph, raski_execution_vertex *vertex,
                          uint32_t attempt, int64_t now_ms) {
    raski_execution *execution = &vertex->current;
    memset(execution, 0, sizeof *execution);
    execution->id = (raski_attempt_id){graph->job_id, (uint32_t)vertex->task, attempt};
    for (int s = 0; s < RASKI_EXECUTION_STATES; s++) execution->entered_ms[s] = -1;
    execution->entered_ms[RASKI_EXECUTION_CREATED] = now_ms;
    graph->state_counts[RASKI_EXECUTION_CREATED]++;
}

rask_status raski_execution_graph_create(const raski_job_graph *job_graph, size_t history_max,
                                         int64_t now_ms, const raski_execution_listener *listener,
                                         raski_execution_graph **ret_graph, raski_error *err) {
    raski_execution_topology *topology = NULL;
    RASKI_TRY(raski_execution_topology_create(job_graph, &topology, err));
    raski_execution_graph *graph = RASKI_NEW(raski_execution_graph);
    graph->job_id = job_graph->job_id;
    graph->job_name = job_graph->name;
    graph->topology = topology;
    graph->history_max = history_max;
    if (listener != NULL) graph->listener = *listener;
    for (int s = 0; s < RASKI_JOB_STATUSES; s++) graph->status_entered_ms[s] = -1;
    graph->status = RASKI_JOB_INITIALIZING;
    graph->status_entered_ms[RASKI_JOB_INITIALIZING] = now_ms;
    graph->vertex_count = topology->task_count;
    graph->vertices = RASKI_NEW_ARRAY(raski_execution_vertex, graph->vertex_count);
    for (size_t v = 0; v < topology->vertex_count; v++) {
        const raski_execution_job_vertex *job_vertex = &topology->vertices[v];
        for (int s = 0; s < job_vertex->parallelism; s++) {
            size_t task = job_vertex->first_task + (size_t)s;
            raski_execution_vertex *vertex = &graph->vertices[task];
            vertex->task = task;
            vertex->job_vertex = job_vertex;
            vertex->subtask = s;
            begin_attempt(graph, vertex, 0, now_ms);
        }
    }
    number_partitions(graph);
    *ret_graph = graph;
    return RASK_OK;
}

void raski_execution_graph_destroy(raski_execution_graph *graph_take) {
    if (graph_take == NULL) return;
    for (size_t i = 0; i < graph_take->vertex_count; i++) {
        raski_execution_vertex *vertex = &graph_take->vertices[i];
        raski_failure_destroy(vertex->current.failure);
        for (size_t h = 0; h < vertex->history.count; h++)
            raski_failure_destroy(vertex->history.items[h].failure);
        raski_vec_free(&vertex->history);
    }
    for (size_t v = 0; v < graph_take->topology->vertex_count; v++)
        raski_free(graph_take->first_partition[v]);
    raski_free(graph_take->first_partition);
    raski_free(graph_take->partition_producer);
    raski_free(graph_take->vertices);
    raski_failure_destroy(graph_take->root_failure);
    raski_execution_topology_destroy(graph_take->topology);
    raski_free(graph_take);
}

bool raski_execution_graph_transition(raski_execution_graph *graph, size_t task,
                                      raski_execution_state to, int64_t now_ms,
                                      raski_failure *failure_take) {
    RASKI_ASSERT(task < graph->vertex_count);
    RASKI_ASSERT(failure_take == NULL || to == RASKI_EXECUTION_FAILED);
    raski_execution_vertex *vertex = &graph->vertices[task];
    raski_execution *execution = &vertex->current;
    raski_execution_state from = execution->state;
    if (!raski_execution_state_may_follow(from, to)) {
        raski_failure_destroy(failure_take);
        return false;
    }
    execution->state = to;
    execution->entered_ms[to] = now_ms;
    execution->failure = failure_take;
    graph->state_counts[from]--;
    graph->state_counts[to]++;
    RASKI_LOG(INFO, "execution", "job '%s', task '%s' (%d/%d), attempt %u: %s to %s",
              graph->job_name, vertex->job_vertex->job_vertex->name, vertex->subtask + 1,
              vertex->job_vertex->parallelism, execution->id.attempt,
              raski_execution_state_name(from), raski_execution_state_name(to));
    if (graph->listener.execution_changed != NULL)
        graph->listener.execution_changed(graph->listener.ctx, vertex, from, to);
    return true;
}

bool raski_execution_graph_transition_job(raski_execution_graph *graph, raski_job_status to,
                                          int64_t now_ms) {
    raski_job_status from = graph->status;
    if (!raski_job_status_may_follow(from, to)) return false;
    graph->status = to;
    graph->status_entered_ms[to] = now_ms;
    RASKI_LOG(INFO, "execution", "job '%s': %s to %s", graph->job_name, raski_job_status_name(from),
              raski_job_status_name(to));
    if (graph->listener.job_changed != NULL)
        graph->listener.job_changed(graph->listener.ctx, from, to);
    return true;
}

void raski_execution_graph_set_root_failure(raski_execution_graph *graph,
                                            const raski_failure *failure) {
    if (graph->root_failure == NULL) graph->root_failure = raski_failure_copy(failure);
}

void raski_execution_graph_reset(raski_execution_graph *graph, size_t task, int64_t now_ms) {
    RASKI_ASSERT(task < graph->vertex_count);
    raski_execution_vertex *vertex = &graph->vertices[task];
    if (vertex->current.state == RASKI_EXECUTION_CREATED) return;
    RASKI_ASSERT(raski_execution_state_is_final(vertex->current.state));
    graph->state_counts[vertex->current.state]--;
    uint32_t attempt = vertex->current.id.attempt + 1;
    raski_vec_push(&vertex->history, vertex->current);
    if (vertex->history.count > graph->history_max) {
        raski_failure_destroy(vertex->history.items[0].failure);
        memmove(vertex->history.items, vertex->history.items + 1,
                --vertex->history.count * sizeof vertex->history.items[0]);
    }
    begin_attempt(graph, vertex, attempt, now_ms);
}

raski_execution_state raski_execution_graph_state(const raski_execution_graph *graph, size_t task) {
    RASKI_ASSERT(task < graph->vertex_count);
    return graph->vertices[task].current.state;
}

bool raski_execution_graph_all_final(const raski_execution_graph *graph) {
    return graph->state_counts[RASKI_EXECUTION_FINISHED] +
               graph->state_counts[RASKI_EXECUTION_CANCELED] +
               graph->state_counts[RASKI_EXECUTION_FAILED] ==
           graph->vertex_count;
}

bool raski_execution_graph_all_finished(const raski_execution_graph *graph) {
    return graph->state_counts[RASKI_EXECUTION_FINISHED] == graph->vertex_count;
}

uint32_t raski_execution_graph_partition(const raski_execution_graph *graph,
                                         const raski_data_set *data_set, int subtask) {
    return graph->first_partition[data_set->producer->index][data_set->index] + (uint32_t)subtask;
}

size_t raski_execution_graph_task(const raski_execution_graph *graph,
                                  const raski_job_vertex *vertex, int subtask) {
    return graph->topology->vertices[vertex->index].first_task + (size_t)subtask;
}

bool raski_execution_graph_partition_finished(const raski_execution_graph *graph,
                                              const raski_data_set *data_set, int subtask) {
    size_t task = raski_execution_graph_task(graph, data_set->producer, subtask);
    return raski_execution_graph_state(graph, task) == RASKI_EXECUTION_FINISHED;
}

bool raski_execution_graph_group_finished(const raski_execution_graph *graph,
                                          const raski_partition_group *group) {
    for (int p = group->partitions.first; p <= group->partitions.last; p++)
        if (!raski_execution_graph_partition_finished(graph, group->edge->source, p)) return false;
    return true;
}
