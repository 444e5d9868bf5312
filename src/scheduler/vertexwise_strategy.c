/* Schedules one task at a time: each as soon as all its inputs can be read. */
#include "base/alloc.h"
#include "scheduler/group_index.h"
#include "scheduler/scheduling_strategy.h"

typedef struct vertexwise_strategy {
    const raski_execution_graph *graph;
    const raski_execution_topology *topology;
    raski_scheduling_operations operations;
    raski_consumable_decider decider;
    raski_group_index groups;
    bool *is_scheduled; /* by task */
} vertexwise_strategy;

enum { NOT_ASKED, CONSUMABLE, NOT_CONSUMABLE };

static int count_finished(const vertexwise_strategy *self, const raski_partition_group *group) {
    int finished = 0;
    for (int p = group->partitions.first; p <= group->partitions.last; p++)
        finished += raski_execution_graph_partition_finished(self->graph, group->edge->source, p);
    return finished;
}

/* Whether finished producers alone make the group readable. */
static bool is_consumable_by_finished(const vertexwise_strategy *self,
                                      const raski_partition_group *group) {
    raski_result_type type = group->edge->source->type;
    int partitions = group->partitions.last - group->partitions.first + 1;
    switch (self->decider) {
        case RASKI_CONSUMABLE_DEFAULT:
            return !raski_result_type_can_be_pipelined(type) &&
                   count_finished(self, group) == partitions;
        case RASKI_CONSUMABLE_ALL_FINISHED:
            return count_finished(self, group) == partitions;
        case RASKI_CONSUMABLE_PARTIAL_FINISHED:
            return count_finished(self, group) >=
                   (raski_result_type_is_blocking(type) ? partitions : 1);
    }
    return false;
}

static bool is_consumable(const vertexwise_strategy *self, size_t group_number,
                          const bool *to_schedule) {
    const raski_partition_group *group = self->groups.groups[group_number];
    if (self->decider != RASKI_CONSUMABLE_DEFAULT ||
        !raski_result_type_can_be_pipelined(group->edge->source->type))
        return is_consumable_by_finished(self, group);
    for (int p = group->partitions.first; p <= group->partitions.last; p++) {
        size_t producer = raski_group_index_producer(&self->groups, group_number, p);
        /* A finished producer that this strategy never scheduled was taken over by a new job
         * master. */
        if (!to_schedule[producer] && !self->is_scheduled[producer] &&
            raski_execution_graph_state(self->graph, producer) != RASKI_EXECUTION_FINISHED)
            return false;
    }
    return true;
}

static bool is_schedulable(const vertexwise_strategy *self, size_t task, const bool *to_schedule,
                           char *consumable_cache) {
    if (to_schedule[task] || self->is_scheduled[task]) return false;
    const raski_execution_job_vertex *vertex =
        raski_execution_topology_vertex_of(self->topology, task);
    for (size_t i = 0; i < vertex->job_vertex->inputs.count; i++) {
        size_t group = raski_group_index_of_consumer(&self->groups, vertex, i,
                                                     (int)(task - vertex->first_task));
        if (consumable_cache[group] == NOT_ASKED)
            consumable_cache[group] =
                is_consumable(self, group, to_schedule) ? CONSUMABLE : NOT_CONSUMABLE;
        if (consumable_cache[group] == NOT_CONSUMABLE) return false;
    }
    return true;
}

/* Calls mark for the readers of each result of task, group by group. */
static void each_consumer_group(const vertexwise_strategy *self, size_t task,
                                bool (*wanted)(const vertexwise_strategy *,
                                               const raski_partition_group *),
                                bool *ret_tasks, bool *ret_any) {
    const raski_execution_job_vertex *vertex =
        raski_execution_topology_vertex_of(self->topology, task);
    for (size_t r = 0; r < vertex->job_vertex->results.count; r++) {
        const raski_data_set *data_set = vertex->job_vertex->results.items[r];
        for (size_t c = 0; c < data_set->consumers.count; c++) {
            const raski_partition_group *group = raski_execution_topology_group_of_partition(
                self->topology, data_set, c, (int)(task - vertex->first_task));
            if (group == NULL || !wanted(self, group)) continue;
            for (int s = group->consumers.first; s <= group->consumers.last; s++)
                ret_tasks[raski_execution_graph_task(self->graph, group->edge->target, s)] = true;
            *ret_any = true;
        }
    }
}

static bool can_be_pipelined(const vertexwise_strategy *self, const raski_partition_group *group) {
    (void)self;
    return raski_result_type_can_be_pipelined(group->edge->source->type);
}

/* One round: marks what can be scheduled of current; *ret_next are the tasks whose chance that
 * changes. false: nobody's. */
static bool add_schedulable(const vertexwise_strategy *self, const bool *current, bool *to_schedule,
                            bool *ret_next) {
    bool any = false;
    char *consumable_cache = RASKI_NEW_ARRAY(char, self->groups.group_count);
    for (size_t task = 0; task < self->topology->task_count; task++) {
        if (!current[task] || !is_schedulable(self, task, to_schedule, consumable_cache)) continue;
        to_schedule[task] = true;
        each_consumer_group(self, task, can_be_pipelined, ret_next, &any);
    }
    raski_free(consumable_cache);
    return any;
}

static void maybe_schedule(vertexwise_strategy *self, bool *candidates_take) {
    size_t count = self->topology->task_count;
    bool *to_schedule = RASKI_NEW_ARRAY(bool, count);
    bool *current = candidates_take;
    for (bool more = true; more;) {
        bool *next = RASKI_NEW_ARRAY(bool, count);
        more = add_schedulable(self, current, to_schedule, next);
        raski_free(current);
        current = next;
    }
    raski_free(current);
    for (size_t task = 0; task < count; task++) {
        if (!to_schedule[task]) continue;
        self->is_scheduled[task] = true;
        self->operations.allocate_slots_and_deploy(self->operations.ctx, &task, 1);
    }
    raski_free(to_schedule);
}

static void start_scheduling(void *self_) {
    vertexwise_strategy *self = self_;
    bool *sources = RASKI_NEW_ARRAY(bool, self->topology->task_count);
    for (size_t task = 0; task < self->topology->task_count; task++)
        sources[task] =
            raski_execution_topology_vertex_of(self->topology, task)->job_vertex->inputs.count == 0;
    maybe_schedule(self, sources);
}

static void restart_tasks(void *self_, const size_t *tasks, size_t task_count) {
    vertexwise_strategy *self = self_;
    bool *candidates = RASKI_NEW_ARRAY(bool, self->topology->task_count);
    for (size_t i = 0; i < task_count; i++) {
        self->is_scheduled[tasks[i]] = false;
        candidates[tasks[i]] = true;
    }
    maybe_schedule(self, candidates);
}

static void on_execution_state_change(void *self_, size_t task, raski_execution_state state) {
    vertexwise_strategy *self = self_;
    if (state != RASKI_EXECUTION_FINISHED) return;
    bool any = false;
    bool *consumers = RASKI_NEW_ARRAY(bool, self->topology->task_count);
    each_consumer_group(self, task, is_consumable_by_finished, consumers, &any);
    maybe_schedule(self, consumers);
}

static void destroy(void *self_take) {
    vertexwise_strategy *self = self_take;
    raski_group_index_fini(&self->groups);
    raski_free(self->is_scheduled);
    raski_free(self);
}

static const raski_scheduling_strategy_vtable vtable = {
    .size = sizeof(raski_scheduling_strategy_vtable),
    .name = "vertexwise",
    .version = 1,
    .start_scheduling = start_scheduling,
    .restart_tasks = restart_tasks,
    .on_execution_state_change = on_execution_state_change,
    .destroy = destroy,
};

raski_scheduling_strategy raski_vertexwise_strategy_create(
    const raski_execution_graph *graph, raski_consumable_decider decider,
    const raski_scheduling_operations *operations) {
    vertexwise_strategy *self = RASKI_NEW(vertexwise_strategy);
    self->graph = graph;
    self->topology = graph->topology;
    self->operations = *operations;
    self->decider = decider;
    raski_group_index_init(&self->groups, graph->topology);
    self->is_scheduled = RASKI_NEW_ARRAY(bool, self->topology->task_count);
    return (raski_scheduling_strategy){.vtable = &vtable, .self = self};
}
