/* stream_task_factory.h - the tasks of a program in its own process: raski_task behind the factory
 * that task executors know. Flink: Task. Threads: as raski_task_factory. */
#ifndef RASKI_TASKEXECUTOR_STREAM_TASK_FACTORY_H
#define RASKI_TASKEXECUTOR_STREAM_TASK_FACTORY_H
#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "config/configuration.h"
#include "exchange/network_pool.h"
#include "taskexecutor/task_factory.h"

/* A counter of a function, as the last attempt of a subtask left it. */
typedef struct raski_subtask_counter {
    const raski_job_vertex *vertex; /* borrowed */
    int subtask;
    char *name; /* OPERATOR.NAME; owned */
    int64_t value;
} raski_subtask_counter;

typedef struct raski_stream_task_context {
    const raski_configuration *configuration; /* borrowed */
    raski_network_pool *pool;                 /* borrowed */
    bool simulated;                           /* tasks are stepped, not threads */
    /* Filled when tasks are destroyed, by the task executors' thread. */
    RASKI_VEC(raski_subtask_counter) counters;
} raski_stream_task_context;

/* context is borrowed as long as the factory is used. */
raski_task_factory raski_stream_task_factory(raski_stream_task_context *context);

void raski_stream_task_context_fini(raski_stream_task_context *context); /* frees its counters */

/* How many network buffers the configuration allows (taskmanager.memory.network.*), at least 1. One
 * of the two bounds given alone wins over the other's default; a minimum above the maximum is an
 * error. */
RASKI_NODISCARD rask_status raski_network_buffers(const raski_configuration *configuration,
                                                  size_t *ret_buffers, raski_error *err);
#endif
