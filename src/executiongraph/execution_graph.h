/* execution_graph.h - a job while it runs: the state of each subtask's attempts, of its partitions
 * and of the job as a whole, over the structure in execution_topology.h.
 * Flink: runtime.executiongraph (DefaultExecutionGraph, ExecutionVertex, Execution,
 * IntermediateResultPartition).
 *
 * Only the two _transition functions change a state; a transition that execution_state.h does not
 * allow is refused. What changed is told to the listener, once, after the change.
 * A vertex has one current attempt; earlier ones are kept for what is shown of them, the newest
 * `history_max`.
 * Partitions are numbered through: that of a vertex' result `r`, subtask `s` is
 * first_partition[vertex][r] + s. A partition has finished when its producer's attempt FINISHED.
 * Threads: one owner, the job master. */
#ifndef RASKI_EXECUTIONGRAPH_EXECUTION_GRAPH_H
#define RASKI_EXECUTIONGRAPH_EXECUTION_GRAPH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/vec.h"
#include "executiongraph/execution_state.h"
#include "executiongraph/execution_topology.h"
#include "executiongraph/failure.h"

/* What a task counts. Flink: IOMetrics. */
typedef struct raski_task_counters {
    uint64_t records_in, records_out;
    uint64_t bytes_in, bytes_out;
} raski_task_counters;

/* One attempt. Flink: Execution. */
typedef struct raski_execution {
    raski_attempt_id id;
    raski_execution_state state;
    int64_t entered_ms[RASKI_EXECUTION_STATES]; /* when it entered each state; -1: never */
    raski_failure *failure;                     /* of FAILED; owned */
    raski_task_counters counters;
    uint64_t task_executor; /* where it runs; 0: nowhere yet */
} raski_execution;

/* One subtask. Flink: ExecutionVertex. */
typedef struct raski_execution_vertex {
    size_t task;
    const raski_execution_job_vertex *job_vertex;
    int subtask;
    raski_execution current;
    RASKI_VEC(raski_execution) history; /* oldest first */
} raski_execution_vertex;

/* What happened, after it happened. Any slot may be NULL. */
typedef struct raski_execution_listener {
    void *ctx;
    void (*execution_changed)(void *ctx, const raski_execution_vertex *vertex,
                              raski_execution_state from, raski_execution_state to);
    void (*job_changed)(void *ctx, raski_job_status from, raski_job_status to);
} raski_execution_listener;

typedef struct raski_execution_graph {
    raski_id job_id;
    const char *job_name;               /* borrowed from the job graph */
    raski_execution_topology *topology; /* owned */
    raski_execution_vertex *vertices;   /* by task number */
    size_t vertex_count;
    raski_job_status status;
    int64_t status_entered_ms[RASKI_JOB_STATUSES]; /* -1: never */
    raski_failure *root_failure; /* why the job fails or failed; owned; NULL: it does not */
    size_t state_counts[RASKI_EXECUTION_STATES]; /* current attempts in each state */
    uint32_t **first_partition;                  /* [vertex index][result]; owned */
    uint32_t partition_count;
    size_t *partition_producer; /* task that makes each partition; owned */
    size_t history_max;
    raski_execution_listener listener;
} raski_execution_graph;

/* Builds the graph of a job, all attempts and the job in their first states. Borrows job_graph for
 * its life. Errors: those of raski_execution_topology_create. */
RASKI_NODISCARD rask_status raski_execution_graph_create(const raski_job_graph *job_graph,
                                                         size_t history_max, int64_t now_ms,
                                                         const raski_execution_listener *listener,
                                                         raski_execution_graph **ret_graph,
                                                         raski_error *err);
void raski_execution_graph_destroy(raski_execution_graph *graph_take); /* NULL is fine */

/* Moves the current attempt of a task to a state. failure_take: for FAILED, else NULL; owned by the
 * graph after. false: not allowed, nothing has changed (failure_take is destroyed). */
bool raski_execution_graph_transition(raski_execution_graph *graph, size_t task,
                                      raski_execution_state to, int64_t now_ms,
                                      raski_failure *failure_take);
/* Moves the job to a status; false: not allowed. */
bool raski_execution_graph_transition_job(raski_execution_graph *graph, raski_job_status to,
                                          int64_t now_ms);
/* Remembers why the job fails; the first one stays. Copies. */
void raski_execution_graph_set_root_failure(raski_execution_graph *graph,
                                            const raski_failure *failure);
/* Begins the next attempt of a task whose current one is final (or still CREATED: then nothing
 * changes). */
void raski_execution_graph_reset(raski_execution_graph *graph, size_t task, int64_t now_ms);

raski_execution_state raski_execution_graph_state(const raski_execution_graph *graph, size_t task);
/* All current attempts are final. */
bool raski_execution_graph_all_final(const raski_execution_graph *graph);
bool raski_execution_graph_all_finished(const raski_execution_graph *graph);

/* The number of a partition. */
uint32_t raski_execution_graph_partition(const raski_execution_graph *graph,
                                         const raski_data_set *data_set, int subtask);
/* All of a partition's data is there: its producer FINISHED. */
bool raski_execution_graph_partition_finished(const raski_execution_graph *graph,
                                              const raski_data_set *data_set, int subtask);
/* The partitions of a group have all finished. */
bool raski_execution_graph_group_finished(const raski_execution_graph *graph,
                                          const raski_partition_group *group);
/* Task number of a subtask of a job vertex. */
size_t raski_execution_graph_task(const raski_execution_graph *graph,
                                  const raski_job_vertex *vertex, int subtask);
#endif
