#include "scheduler/failover_strategy.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "scheduler/group_index.h"

typedef struct search {
    const raski_execution_graph *graph;
    const raski_execution_topology *topology;
    uint32_t failed_partition;
    raski_partition_available_fn is_available;
    void *ctx;
    raski_group_index groups;
    bool *group_read, *group_told; /* by group: its producers, its consumers were looked at */
    bool *is_involved;             /* by region */
    RASKI_VEC(size_t) queue;       /* regions to look at */
} search;

static void involve(search *s, size_t task) {
    size_t region = s->topology->region_of_task[task];
    if (s->is_involved[region]) return;
    s->is_involved[region] = true;
    raski_vec_push(&s->queue, region);
}

static bool is_available(const search *s, const raski_data_set *data_set, int subtask) {
    uint32_t partition = raski_execution_graph_partition(s->graph, data_set, subtask);
    if (partition == s->failed_partition) return false;
    if (!raski_result_type_is_reconsumable(data_set->type) &&
        data_set->type != RASKI_RESULT_PIPELINED_APPROXIMATE)
        return false;
    return s->is_available(s->ctx, partition);
}

static void visit_inputs(search *s, const raski_execution_job_vertex *vertex, int subtask) {
    for (size_t i = 0; i < vertex->job_vertex->inputs.count; i++) {
        size_t number = raski_group_index_of_consumer(&s->groups, vertex, i, subtask);
        if (s->group_read[number]) continue;
        s->group_read[number] = true;
        const raski_partition_group *group = s->groups.groups[number];
        for (int p = group->partitions.first; p <= group->partitions.last; p++)
            if (!is_available(s, group->edge->source, p))
                involve(s, raski_group_index_producer(&s->groups, number, p));
    }
}

static void visit_consumers(search *s, const raski_execution_job_vertex *vertex, int subtask) {
    for (size_t r = 0; r < vertex->job_vertex->results.count; r++) {
        const raski_data_set *data_set = vertex->job_vertex->results.items[r];
        for (size_t c = 0; c < data_set->consumers.count; c++) {
            size_t number = 0;
            if (!raski_group_index_of_partition(&s->groups, data_set, c, subtask, &number) ||
                s->group_told[number])
                continue;
            s->group_told[number] = true;
            const raski_partition_group *group = s->groups.groups[number];
            for (int t = group->consumers.first; t <= group->consumers.last; t++)
                involve(s, raski_execution_graph_task(s->graph, group->edge->target, t));
        }
    }
}

static void visit_region(search *s, size_t region) {
    const raski_pipelined_region *r = &s->topology->regions[region];
    for (size_t i = 0; i < r->task_count; i++) {
        const raski_execution_job_vertex *vertex =
            raski_execution_topology_vertex_of(s->topology, r->tasks[i]);
        int subtask = (int)(r->tasks[i] - vertex->first_task);
        visit_inputs(s, vertex, subtask);
        visit_consumers(s, vertex, subtask);
    }
}

static void collect(const raski_execution_graph *graph, const bool *is_involved, size_t **ret_tasks,
                    size_t *ret_task_count) {
    size_t count = 0;
    size_t *tasks = RASKI_NEW_ARRAY(size_t, graph->vertex_count);
    for (size_t task = 0; task < graph->vertex_count; task++) {
        if (is_involved != NULL && !is_involved[graph->topology->region_of_task[task]]) continue;
        if (raski_execution_graph_state(graph, task) != RASKI_EXECUTION_CREATED)
            tasks[count++] = task;
    }
    *ret_tasks = tasks;
    *ret_task_count = count;
}

void raski_failover_all_tasks(const raski_execution_graph *graph, size_t **ret_tasks,
                              size_t *ret_task_count) {
    collect(graph, NULL, ret_tasks, ret_task_count);
}

void raski_failover_tasks_to_restart(const raski_execution_graph *graph,
                                     raski_failover_strategy strategy, size_t failed,
                                     uint32_t failed_partition,
                                     raski_partition_available_fn is_available_fn, void *ctx,
                                     size_t **ret_tasks, size_t *ret_task_count) {
    if (strategy == RASKI_FAILOVER_FULL) {
        collect(graph, NULL, ret_tasks, ret_task_count);
        return;
    }
    search s = {
        .graph = graph,
        .topology = graph->topology,
        .failed_partition = failed_partition,
        .is_available = is_available_fn,
        .ctx = ctx,
        .is_involved = RASKI_NEW_ARRAY(bool, graph->topology->region_count),
    };
    raski_group_index_init(&s.groups, graph->topology);
    s.group_read = RASKI_NEW_ARRAY(bool, s.groups.group_count);
    s.group_told = RASKI_NEW_ARRAY(bool, s.groups.group_count);
    involve(&s, failed);
    for (size_t next = 0; next < s.queue.count; next++) visit_region(&s, s.queue.items[next]);
    collect(graph, s.is_involved, ret_tasks, ret_task_count);
    raski_vec_free(&s.queue);
    raski_free(s.group_read);
    raski_free(s.group_told);
    raski_free(s.is_involved);
    raski_group_index_fini(&s.groups);
}
