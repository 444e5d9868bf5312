/* scheduling_strategy.h - when which tasks are deployed. A strategy only decides; it tells its
 * decisions to the scheduler through operations, in the order in which they are to be carried out.
 * Flink: scheduler.strategy.SchedulingStrategy (PipelinedRegionSchedulingStrategy,
 * VertexwiseSchedulingStrategy with its InputConsumableDecider).
 * Threads: the scheduler's owner. */
#ifndef RASKI_SCHEDULER_SCHEDULING_STRATEGY_H
#define RASKI_SCHEDULER_SCHEDULING_STRATEGY_H
#include <stddef.h>
#include <stdint.h>

#include "executiongraph/execution_graph.h"

/* Flink: SchedulerOperations. */
typedef struct raski_scheduling_operations {
    void *ctx;
    /* Deploys tasks, which are all CREATED, together. Borrows tasks. May change states at once. */
    void (*allocate_slots_and_deploy)(void *ctx, const size_t *tasks, size_t task_count);
} raski_scheduling_operations;

typedef struct raski_scheduling_strategy_vtable {
    size_t size; /* sizeof this struct */
    const char *name;
    uint32_t version;
    void (*start_scheduling)(void *self);
    /* Schedules tasks again that were reset to CREATED. */
    void (*restart_tasks)(void *self, const size_t *tasks, size_t task_count);
    /* A task's attempt entered a state (after the graph did). */
    void (*on_execution_state_change)(void *self, size_t task, raski_execution_state state);
    void (*destroy)(void *self_take);
} raski_scheduling_strategy_vtable;

typedef struct raski_scheduling_strategy {
    const raski_scheduling_strategy_vtable *vtable;
    void *self;
} raski_scheduling_strategy;

/* Schedules pipelined regions: source regions first, then each when its inputs can be read. Borrows
 * graph for its life; copies *operations. */
raski_scheduling_strategy raski_pipelined_region_strategy_create(
    const raski_execution_graph *graph, const raski_scheduling_operations *operations);

/* When a group of partitions may be read. Flink: InputConsumableDecider. */
typedef enum raski_consumable_decider {
    RASKI_CONSUMABLE_DEFAULT,          /* blocking: all finished; hybrid: all scheduled */
    RASKI_CONSUMABLE_ALL_FINISHED,     /* all finished, always */
    RASKI_CONSUMABLE_PARTIAL_FINISHED, /* hybrid: one has finished; blocking: all have */
} raski_consumable_decider;

/* Schedules task by task (batch). */
raski_scheduling_strategy raski_vertexwise_strategy_create(
    const raski_execution_graph *graph, raski_consumable_decider decider,
    const raski_scheduling_operations *operations);
#endif
