/* Schedules pipelined regions. A region can be scheduled when each group of partitions that it
 * reads from outside can be read: blocking ones when all are finished, hybrid ones when their
 * producers are scheduled, or are about to be in the same round.
 * A group that several regions produce together, one of them being its reader, is "cross-region":
 * only the partitions from outside the reading region count. Only a region knows its own part. */
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "scheduler/group_index.h"
#include "scheduler/scheduling_strategy.h"

typedef RASKI_VEC(size_t) size_list;

typedef struct region_strategy {
    const raski_execution_graph *graph;
    const raski_execution_topology *topology;
    raski_scheduling_operations operations;
    raski_group_index groups;
    bool *is_cross_region;       /* by group */
    size_list *consumer_regions; /* by group: regions that have to wait for it */
    size_list *consumed;         /* by region: groups that need not be pipelined */
    size_list *produced;         /* by region: groups of its results */
    bool *is_scheduled;          /* by region */
} region_strategy;

/* A set of regions, iterated in ascending (topological) order. */
typedef struct region_set {
    bool *has;
    size_t count;
} region_set;

static region_set region_set_create(const region_strategy *self) {
    return (region_set){.has = RASKI_NEW_ARRAY(bool, self->topology->region_count)};
}

static void region_set_add(region_set *set, size_t region) {
    set->count += !set->has[region];
    set->has[region] = true;
}

static void region_set_free(region_set *set) {
    raski_free(set->has);
}

static void add_once(size_list *list, size_t value) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == value) return;
    raski_vec_push(list, value);
}

static raski_result_type type_of(const region_strategy *self, size_t group) {
    return self->groups.groups[group]->edge->source->type;
}

static size_t producer_region(const region_strategy *self, size_t group, int partition) {
    return self->topology
        ->region_of_task[raski_group_index_producer(&self->groups, group, partition)];
}

static bool is_external(const region_strategy *self, size_t group, size_t region) {
    return producer_region(self, group, self->groups.groups[group]->partitions.first) != region;
}

static bool waits_for(const region_strategy *self, size_t group, size_t region) {
    return self->is_cross_region[group] || is_external(self, group, region);
}

/* ---------------------------------------------------------------- what is known from the start */

static void collect_groups_of_regions(region_strategy *self) {
    const raski_execution_topology *topology = self->topology;
    for (size_t task = 0; task < topology->task_count; task++) {
        const raski_execution_job_vertex *vertex =
            raski_execution_topology_vertex_of(topology, task);
        size_t region = topology->region_of_task[task];
        int subtask = (int)(task - vertex->first_task);
        for (size_t i = 0; i < vertex->job_vertex->inputs.count; i++) {
            if (raski_result_type_must_be_pipelined(
                    vertex->job_vertex->inputs.items[i]->source->type))
                continue;
            add_once(&self->consumed[region],
                     raski_group_index_of_consumer(&self->groups, vertex, i, subtask));
        }
        for (size_t r = 0; r < vertex->job_vertex->results.count; r++) {
            const raski_data_set *data_set = vertex->job_vertex->results.items[r];
            for (size_t c = 0; c < data_set->consumers.count; c++) {
                size_t group = 0;
                if (raski_group_index_of_partition(&self->groups, data_set, c, subtask, &group))
                    add_once(&self->produced[region], group);
            }
        }
    }
}

static void find_cross_region_groups(region_strategy *self) {
    for (size_t region = 0; region < self->topology->region_count; region++) {
        for (size_t i = 0; i < self->consumed[region].count; i++) {
            size_t group = self->consumed[region].items[i];
            raski_index_range partitions = self->groups.groups[group]->partitions;
            bool own = false, others = false;
            for (int p = partitions.first; p <= partitions.last; p++) {
                bool is_own = producer_region(self, group, p) == region;
                own |= is_own;
                others |= !is_own;
            }
            if (own && others) self->is_cross_region[group] = true;
        }
    }
}

static void find_consumer_regions(region_strategy *self) {
    for (size_t region = 0; region < self->topology->region_count; region++)
        for (size_t i = 0; i < self->consumed[region].count; i++) {
            size_t group = self->consumed[region].items[i];
            if (waits_for(self, group, region)) add_once(&self->consumer_regions[group], region);
        }
}

/* ---------------------------------------------------------------- decisions */

/* The partitions of group that come from outside region (all, when it is not cross-region) can be
 * read, given what is scheduled and what is about to be. */
static bool is_group_consumable(const region_strategy *self, size_t group, size_t region,
                                const region_set *to_schedule) {
    const raski_partition_group *g = self->groups.groups[group];
    bool can_be_pipelined = raski_result_type_can_be_pipelined(g->edge->source->type);
    for (int p = g->partitions.first; p <= g->partitions.last; p++) {
        size_t producer = producer_region(self, group, p);
        if (self->is_cross_region[group] && producer == region) continue;
        bool consumable =
            can_be_pipelined
                ? self->is_scheduled[producer] || to_schedule->has[producer]
                : raski_execution_graph_partition_finished(self->graph, g->edge->source, p);
        if (!consumable) return false;
    }
    return true;
}

enum { NOT_ASKED, CONSUMABLE, NOT_CONSUMABLE };

static bool is_schedulable(const region_strategy *self, size_t region,
                           const region_set *to_schedule, char *consumable_cache) {
    if (to_schedule->has[region] || self->is_scheduled[region]) return false;
    for (size_t i = 0; i < self->consumed[region].count; i++) {
        size_t group = self->consumed[region].items[i];
        if (!waits_for(self, group, region)) continue;
        bool depends_on_reader = self->is_cross_region[group];
        char known = depends_on_reader ? NOT_ASKED : consumable_cache[group];
        if (known == NOT_ASKED) {
            known =
                is_group_consumable(self, group, region, to_schedule) ? CONSUMABLE : NOT_CONSUMABLE;
            consumable_cache[group] = known;
        }
        if (known == NOT_CONSUMABLE) return false;
    }
    return true;
}

/* Moves what can be scheduled of current to to_schedule; returns the regions whose chance that
 * changes: those that read hybrid results of it. */
static region_set add_schedulable(const region_strategy *self, const region_set *current,
                                  region_set *to_schedule) {
    region_set next = region_set_create(self);
    char *consumable_cache = RASKI_NEW_ARRAY(char, self->groups.group_count);
    for (size_t region = 0; region < self->topology->region_count; region++) {
        if (!current->has[region] || !is_schedulable(self, region, to_schedule, consumable_cache))
            continue;
        region_set_add(to_schedule, region);
        for (size_t i = 0; i < self->produced[region].count; i++) {
            size_t group = self->produced[region].items[i];
            if (!raski_result_type_can_be_pipelined(type_of(self, group))) continue;
            for (size_t c = 0; c < self->consumer_regions[group].count; c++)
                region_set_add(&next, self->consumer_regions[group].items[c]);
        }
    }
    raski_free(consumable_cache);
    return next;
}

static void schedule_region(region_strategy *self, size_t region) {
    const raski_pipelined_region *r = &self->topology->regions[region];
    for (size_t i = 0; i < r->task_count; i++)
        RASKI_ASSERT(raski_execution_graph_state(self->graph, r->tasks[i]) ==
                     RASKI_EXECUTION_CREATED);
    self->is_scheduled[region] = true;
    self->operations.allocate_slots_and_deploy(self->operations.ctx, r->tasks, r->task_count);
}

static void maybe_schedule(region_strategy *self, region_set *candidates_take) {
    region_set to_schedule = region_set_create(self);
    region_set next = *candidates_take;
    while (next.count > 0) {
        region_set after = add_schedulable(self, &next, &to_schedule);
        region_set_free(&next);
        next = after;
    }
    region_set_free(&next);
    for (size_t region = 0; region < self->topology->region_count && to_schedule.count > 0;
         region++)
        if (to_schedule.has[region]) schedule_region(self, region);
    region_set_free(&to_schedule);
}

/* ---------------------------------------------------------------- the strategy */

static void start_scheduling(void *self_) {
    region_strategy *self = self_;
    region_set sources = region_set_create(self);
    for (size_t region = 0; region < self->topology->region_count; region++) {
        bool is_source = true;
        for (size_t i = 0; i < self->consumed[region].count; i++)
            is_source &= !waits_for(self, self->consumed[region].items[i], region);
        if (is_source) region_set_add(&sources, region);
    }
    maybe_schedule(self, &sources);
}

static void restart_tasks(void *self_, const size_t *tasks, size_t task_count) {
    region_strategy *self = self_;
    region_set regions = region_set_create(self);
    for (size_t i = 0; i < task_count; i++)
        region_set_add(&regions, self->topology->region_of_task[tasks[i]]);
    for (size_t region = 0; region < self->topology->region_count; region++)
        if (regions.has[region]) self->is_scheduled[region] = false;
    maybe_schedule(self, &regions);
}

static void on_execution_state_change(void *self_, size_t task, raski_execution_state state) {
    region_strategy *self = self_;
    if (state != RASKI_EXECUTION_FINISHED) return;
    const raski_execution_job_vertex *vertex =
        raski_execution_topology_vertex_of(self->topology, task);
    region_set downstream = region_set_create(self);
    for (size_t r = 0; r < vertex->job_vertex->results.count; r++) {
        const raski_data_set *data_set = vertex->job_vertex->results.items[r];
        if (raski_result_type_can_be_pipelined(data_set->type)) continue;
        for (size_t c = 0; c < data_set->consumers.count; c++) {
            size_t group = 0;
            if (!raski_group_index_of_partition(&self->groups, data_set, c,
                                                (int)(task - vertex->first_task), &group))
                continue;
            if (!self->is_cross_region[group] &&
                !raski_execution_graph_group_finished(self->graph, self->groups.groups[group]))
                continue;
            for (size_t i = 0; i < self->consumer_regions[group].count; i++)
                region_set_add(&downstream, self->consumer_regions[group].items[i]);
        }
    }
    maybe_schedule(self, &downstream);
}

static void destroy(void *self_take) {
    region_strategy *self = self_take;
    for (size_t g = 0; g < self->groups.group_count; g++)
        raski_vec_free(&self->consumer_regions[g]);
    for (size_t r = 0; r < self->topology->region_count; r++) {
        raski_vec_free(&self->consumed[r]);
        raski_vec_free(&self->produced[r]);
    }
    raski_free(self->consumer_regions);
    raski_free(self->consumed);
    raski_free(self->produced);
    raski_free(self->is_cross_region);
    raski_free(self->is_scheduled);
    raski_group_index_fini(&self->groups);
    raski_free(self);
}

static const raski_scheduling_strategy_vtable vtable = {
    .size = sizeof(raski_scheduling_strategy_vtable),
    .name = "pipelined regions",
    .version = 1,
    .start_scheduling = start_scheduling,
    .restart_tasks = restart_tasks,
    .on_execution_state_change = on_execution_state_change,
    .destroy = destroy,
};

raski_scheduling_strategy raski_pipelined_region_strategy_create(
    const raski_execution_graph *graph, const raski_scheduling_operations *operations) {
    region_strategy *self = RASKI_NEW(region_strategy);
    self->graph = graph;
    self->topology = graph->topology;
    self->operations = *operations;
    raski_group_index_init(&self->groups, graph->topology);
    self->is_cross_region = RASKI_NEW_ARRAY(bool, self->groups.group_count);
    self->consumer_regions = (size_list *)raski_calloc(self->groups.group_count, sizeof(size_list));
    self->consumed = (size_list *)raski_calloc(self->topology->region_count, sizeof(size_list));
    self->produced = (size_list *)raski_calloc(self->topology->region_count, sizeof(size_list));
    self->is_scheduled = RASKI_NEW_ARRAY(bool, self->topology->region_count);
    collect_groups_of_regions(self);
    find_cross_region_groups(self);
    find_consumer_regions(self);
    return (raski_scheduling_strategy){.vtable = &vtable, .self = self};
}
