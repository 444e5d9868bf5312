/* slot_sharing.h - which subtasks share a slot. Pure.
 * Flink: scheduler.SlotSharingStrategy (LocalInputPreferredSlotSharingStrategy,
 * TaskBalancedPreferredSlotSharingStrategy), ExecutionSlotSharingGroup. A slot holds at most one
 * subtask of each vertex, all of one slot sharing group; co-located subtasks are in one slot.
 * Threads: any. */
#ifndef RASKI_SCHEDULER_SLOT_SHARING_H
#define RASKI_SCHEDULER_SLOT_SHARING_H
#include <stddef.h>

#include "base/status.h"
#include "base/vec.h"
#include "executiongraph/execution_topology.h"

typedef enum raski_slot_sharing_strategy {
    RASKI_SLOT_SHARING_LOCAL_INPUT, /* a subtask beside those it reads from */
    RASKI_SLOT_SHARING_BALANCED,    /* about as many subtasks in each slot */
} raski_slot_sharing_strategy;

/* What goes into one slot. Flink: ExecutionSlotSharingGroup. */
typedef struct raski_shared_slot_group {
    const raski_slot_group *slot_group;
    RASKI_VEC(size_t) tasks;
} raski_shared_slot_group;

typedef struct raski_slot_sharing {
    RASKI_VEC(raski_shared_slot_group) groups;
    size_t *group_of_task; /* place in groups */
} raski_slot_sharing;

/* Errors: IllegalStateException when co-located tasks are not in one pipelined region. */
RASKI_NODISCARD rask_status raski_slot_sharing_compute(const raski_execution_topology *topology,
                                                       raski_slot_sharing_strategy strategy,
                                                       raski_slot_sharing *ret_sharing,
                                                       raski_error *err);
void raski_slot_sharing_fini(raski_slot_sharing *sharing); /* fine on a zeroed one */
#endif
