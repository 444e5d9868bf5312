/* task.h - one subtask: an operator chain between its input gate and its result partitions, run by
 * one thread. Rebuilds its chain from its job vertex alone; knows no scheduler, no clock but for
 * waiting, no network. Flink: Task, StreamTask, TaskDeploymentDescriptor.
 *
 *   create -> start -> (RUNNING) -> FINISHED | CANCELED | FAILED -> destroy
 *
 * Threads: create, start and destroy on the owner's thread; cancel and deliver_event on any. */
#ifndef RASKI_TASK_TASK_H
#define RASKI_TASK_TASK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "config/configuration.h"
#include "exchange/network_pool.h"
#include "exchange/result_partition.h"
#include "graph/id.h"
#include "graph/job_graph.h"

typedef struct raski_task raski_task;

/* One channel of an input: subpartition of a producer's partition. */
typedef struct raski_task_channel {
    raski_result_partition *partition; /* the task takes a reference of its own */
    uint32_t subpartition;
} raski_task_channel;
typedef struct raski_task_input { /* one per job edge of the vertex, in order */
    const raski_task_channel *channels;
    size_t channel_count;
} raski_task_input;

typedef struct raski_task_deployment {
    raski_id job_id, attempt_id;
    const char *job_name;           /* borrowed for the task's life */
    const raski_job_vertex *vertex; /* borrowed for the task's life, as is all it points to */
    int subtask_index, parallelism, max_parallelism;
    int attempt_number;             /* 0 for the first */
    const raski_task_input *inputs; /* vertex->inputs.count; copied */
    /* Subpartitions of each result: vertex->results.count numbers; copied. */
    const uint32_t *subpartition_counts;
    /* Max parallelism of each result's readers: the number of key groups that a keyed exchange
     * spreads its records over; vertex->results.count numbers; copied. */
    const int *reader_max_parallelisms;
    const raski_configuration *configuration; /* borrowed for the task's life */
    raski_network_pool *pool;                 /* outlives the task */
    bool simulated; /* run by raski_task_run_step in one thread: never waits for buffers */
} raski_task_deployment;

typedef enum raski_task_state {
    RASKI_TASK_DEPLOYING,
    RASKI_TASK_INITIALIZING,
    RASKI_TASK_RUNNING,
    RASKI_TASK_FINISHED,
    RASKI_TASK_CANCELED,
    RASKI_TASK_FAILED,
} raski_task_state;

typedef struct raski_task_failure {
    raski_error error; /* what and, for user functions, where (file and line of rask_fail) */
    raski_id operator_id;
    char operator_name[128];
    const char *operator_file; /* static; where the program built it; NULL: not known */
    int operator_line;
    int subtask_index;
    int64_t record_number; /* of the operator's input (a source: output), from 1; 0: none */
    /* What a producer left could not be read: the channel, counted through all inputs of the
     * deployment; -1: that is not what happened. */
    int64_t lost_channel;
} raski_task_failure;

/* Called on the task's thread (or inside create, start or step); must not block. */
typedef struct raski_task_listener {
    void *context;
    /* failure is NULL but for FAILED; borrowed during the call. After FINISHED, CANCELED or FAILED
     * nothing more is called and the task may be destroyed from another thread. */
    void (*state_changed)(void *context, raski_task *task, raski_task_state state,
                          const raski_task_failure *failure);
    /* From an operator to its coordinator; bytes are borrowed during the call. */
    void (*send_event)(void *context, raski_task *task, raski_id operator_id, const void *bytes,
                       size_t size);
} raski_task_listener;

/* Makes the task and its result partitions. Copies listener. Errors: not enough buffers or memory,
 * a vertex that cannot be rebuilt. */
RASKI_NODISCARD rask_status raski_task_create(const raski_task_deployment *deployment,
                                              const raski_task_listener *listener,
                                              raski_task **ret_task, raski_error *err);
/* The i-th result partition (as vertex->results), borrowed: take a reference to keep it. */
raski_result_partition *raski_task_result(raski_task *task, size_t i);
/* Spawns the thread. On failure the task is as before. */
RASKI_NODISCARD rask_status raski_task_start(raski_task *task, raski_error *err);

typedef enum raski_task_step_result {
    RASKI_STEP_MORE,    /* call again */
    RASKI_STEP_BLOCKED, /* nothing to do until input, an event or a cancel arrives */
    RASKI_STEP_DONE,    /* ended; the listener was told */
} raski_task_step_result;
/* One bounded piece of work in the caller's thread, instead of start (simulated tasks). */
raski_task_step_result raski_task_run_step(raski_task *task);

/* Asks the task to end as CANCELED; asynchronous, idempotent, any thread. A task that was never
 * started or stepped ends when it is. */
void raski_task_cancel(raski_task *task);
/* From the coordinator of an operator of this task; copies bytes. After the end: dropped. */
void raski_task_deliver_event(raski_task *task, raski_id operator_id, const void *bytes,
                              size_t size);
/* Joins the thread: what the task left can be read after. It must have ended, or never been
 * started; idempotent, owner's thread. */
void raski_task_wait(raski_task *task);
/* Joins the thread (the task must have ended or never been started) and frees. NULL is fine. */
void raski_task_destroy(raski_task *task_take);

/* Numbers so far, per operator of the chain; @thread any, slightly stale. */
typedef struct raski_operator_counters {
    int64_t records_in, records_out;
} raski_operator_counters;
/* i: place in vertex->operators. */
raski_operator_counters raski_task_get_counters(const raski_task *task, size_t i);
/* The user's counters of operator i: calls visit for each. After raski_task_wait. */
void raski_task_visit_user_counters(const raski_task *task, size_t i,
                                    void (*visit)(void *context, const char *name, int64_t value),
                                    void *context);
#endif
