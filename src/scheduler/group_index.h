/* group_index.h - all groups of partitions of a topology, numbered through, so that strategies can
 * keep what they know of each in arrays. Private to the scheduler.
 * Flink: ConsumedPartitionGroup as a key of identity maps.
 * Threads: one owner. */
#ifndef RASKI_SCHEDULER_GROUP_INDEX_H
#define RASKI_SCHEDULER_GROUP_INDEX_H
#include <stdbool.h>
#include <stddef.h>

#include "executiongraph/execution_topology.h"

typedef struct raski_group_index {
    const raski_execution_topology *topology;
    const raski_partition_group **groups; /* by vertex, input, group */
    size_t group_count;
    size_t **first; /* [vertex index][input]: number of its first group */
} raski_group_index;

void raski_group_index_init(raski_group_index *index, const raski_execution_topology *topology);
void raski_group_index_fini(raski_group_index *index);

/* Number of the group that a subtask of vertex reads through its gate `input`. */
size_t raski_group_index_of_consumer(const raski_group_index *index,
                                     const raski_execution_job_vertex *vertex, size_t input,
                                     int subtask);
/* Number of the group through which the readers behind edge read the producer's partition; false:
 * nobody reads it. */
bool raski_group_index_of_partition(const raski_group_index *index, const raski_data_set *data_set,
                                    size_t consumer, int partition, size_t *ret_group);
/* Task that makes a partition of a group. */
size_t raski_group_index_producer(const raski_group_index *index, size_t group, int partition);
#endif
