/* execution_topology.h - the structure of an execution graph: how many subtasks each vertex has,
 * which partitions of which results each of them reads, and which must run together.
 * Flink: runtime.executiongraph without its states (ExecutionJobVertex, IntermediateResult,
 * EdgeManager and EdgeManagerBuildUtil, VertexInputInfoComputationUtils) and the adapter that
 * strategies see (scheduler.adapter.DefaultExecutionTopology, SchedulingPipelinedRegion).
 *
 * Subtasks of the whole job are numbered through: task = vertex->first_task + subtask, vertices in
 * topological order of the job graph. Edges take no memory per pair of subtasks: what a subtask
 * reads is computed, and the groups of subtasks that read the same partitions are ranges, one for
 * an all-to-all edge and at most max(producers, consumers) for a pointwise one.
 * A topology borrows its job graph. Pure: no states, attempts or slots; see execution_graph.h.
 * Threads: any may read. */
#ifndef RASKI_EXECUTIONGRAPH_EXECUTION_TOPOLOGY_H
#define RASKI_EXECUTIONGRAPH_EXECUTION_TOPOLOGY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "graph/job_graph.h"

/* An inclusive range; empty is impossible. Flink: IndexRange. */
typedef struct raski_index_range {
    int first, last;
} raski_index_range;

/* What one subtask reads through one of its gates: these subpartitions of each of these
 * partitions. */
typedef struct raski_consumed_range {
    raski_index_range partitions;    /* subtasks of the producer */
    raski_index_range subpartitions; /* of each of the partitions */
} raski_consumed_range;

/* Partitions that are read as one by a range of subtasks of one vertex. Flink:
 * ConsumedPartitionGroup and the ConsumerVertexGroup that belongs to it. */
typedef struct raski_partition_group {
    const raski_job_edge *edge;
    raski_index_range partitions; /* of edge->source */
    raski_index_range consumers;  /* subtasks of edge->target */
} raski_partition_group;

typedef struct raski_execution_edge {
    const raski_job_edge *job_edge;
    raski_partition_group *groups; /* by first consumer */
    size_t group_count;
} raski_execution_edge;

typedef struct raski_execution_job_vertex {
    const raski_job_vertex *job_vertex;
    int parallelism;                 /* -1: not decided yet (dynamic graphs) */
    int max_parallelism;             /* resolved: never -1 */
    bool max_parallelism_configured; /* by the user; else it may change when state is restored */
    bool is_initialized;             /* has subtasks; always true when the graph is not dynamic */
    size_t first_task;
    raski_execution_edge *inputs; /* as job_vertex->inputs; NULL before initialization */
} raski_execution_job_vertex;

/* Subtasks that must be scheduled and restarted together. Flink: SchedulingPipelinedRegion. */
typedef struct raski_pipelined_region {
    size_t *tasks; /* ascending */
    size_t task_count;
} raski_pipelined_region;

typedef struct raski_execution_topology {
    const raski_job_graph *job_graph;
    raski_execution_job_vertex *vertices; /* by raski_job_vertex.index */
    size_t vertex_count;
    size_t task_count;               /* of the initialized vertices */
    raski_pipelined_region *regions; /* by their first task */
    size_t region_count;
    size_t *region_of_task;
    raski_arena *arena;
} raski_execution_topology;

/* Builds the structure. Borrows job_graph for the topology's life. In a dynamic graph a vertex of
 * undecided parallelism and no max parallelism gets the one of the job's configuration
 * (execution.batch.adaptive.auto-parallelism.max-parallelism, else the default parallelism).
 * Errors: Flink's, e.g. a parallelism above the max parallelism. */
RASKI_NODISCARD rask_status raski_execution_topology_create(const raski_job_graph *job_graph,
                                                            raski_execution_topology **ret_topology,
                                                            raski_error *err);
void raski_execution_topology_destroy(raski_execution_topology *topology_take);

/* The vertex that a task belongs to. O(log vertices). */
const raski_execution_job_vertex *raski_execution_topology_vertex_of(
    const raski_execution_topology *topology, size_t task);

/* What a subtask of vertex reads through its gate `input`. */
raski_consumed_range raski_execution_topology_reads(const raski_execution_topology *topology,
                                                    const raski_execution_job_vertex *vertex,
                                                    size_t input, int subtask);

/* The group of partitions that a subtask reads through its gate `input`. */
const raski_partition_group *raski_execution_topology_group_of_consumer(
    const raski_execution_topology *topology, const raski_execution_job_vertex *vertex,
    size_t input, int subtask);

/* The group through which the readers behind one edge of a result read partition, or NULL when the
 * reading vertex is not initialized. consumer: place in data_set->consumers. */
const raski_partition_group *raski_execution_topology_group_of_partition(
    const raski_execution_topology *topology, const raski_data_set *data_set, size_t consumer,
    int partition);

/* Number of subpartitions that the producer makes of a partition; -1: nobody reads it, so Flink
 * gives no number (a task then makes none). */
int raski_execution_topology_subpartitions(const raski_execution_topology *topology,
                                           const raski_data_set *data_set, int partition);

/* The pure rule behind all of it: what consumer `subtask` of `consumers` reads of a result with
 * `producers` partitions. In a dynamic graph a consumer reads a range of the `subpartitions` that
 * each partition has; otherwise subpartitions is not used. */
raski_consumed_range raski_consumed_range_compute(raski_distribution distribution, int producers,
                                                  int consumers, int subtask, bool is_dynamic,
                                                  bool is_broadcast, int subpartitions);
#endif
