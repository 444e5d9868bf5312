/* fake_task_test_util.h - tasks that only count, for tests of everything around tasks: simulated
 * ones are stepped, threaded ones have threads. For tests only; each program includes it once.
 *
 * A source asks its coordinator for splits, one at a time, and makes as many records as the split
 * says; every record that enters a task leaves it once through each of its results, to the
 * subpartitions in turn. So in a job that FINISHED the counters of all vertices are known exactly.
 * Partitions are never full; a blocking one shows nothing before it is complete.
 * What goes wrong is drawn from a seed: create fails, a step fails. */
#ifndef RASKI_CLUSTER_FAKE_TASK_TEST_UTIL_H
#define RASKI_CLUSTER_FAKE_TASK_TEST_UTIL_H
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "executiongraph/operator_coordinator.h"
#include "taskexecutor/task_factory.h"

typedef struct fake_plan {
    bool threaded;
    double create_fails; /* how likely, each time */
    double step_fails;
    int failures_max; /* of both together; then all goes well */
    int records_per_split;
    int splits;   /* of each source vertex */
    bool endless; /* sources never run out of splits: only a cancel ends them */
    uint64_t random_state;
    _Atomic int failures;
    _Atomic long live_tasks, live_partitions, live_threads;
    pthread_mutex_t lock; /* of the random numbers and of all partitions and events */
    pthread_cond_t changed;
} fake_plan;

typedef struct fake_partition {
    fake_plan *plan;
    int references;
    bool is_blocking, is_complete, is_broken;
    int subpartitions;
    long *counts; /* records in each subpartition */
} fake_partition;

typedef struct fake_channel {
    fake_partition *partition;
    int subpartition;
    long position;
} fake_channel;

typedef struct fake_task {
    fake_plan *plan;
    raski_task_observer observer;
    const raski_job_vertex *vertex;
    RASKI_VEC(fake_channel) channels;
    fake_partition **results; /* NULL: nobody reads it */
    size_t result_count;
    bool is_source, is_initialized, has_asked, no_more_splits, is_cancelled, has_ended;
    long split_records; /* left of the split at hand */
    long in, out;
    raski_execution_state state;
    pthread_t thread;
    bool has_thread;
} fake_task;

static double fake_random(fake_plan *plan) { /* in [0, 1) */
    uint64_t z = (plan->random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void fake_plan_init(fake_plan *plan, uint64_t seed) {
    memset(plan, 0, sizeof *plan);
    plan->random_state = seed;
    plan->records_per_split = 10;
    plan->splits = 3;
    (void)pthread_mutex_init(&plan->lock, NULL);
    (void)pthread_cond_init(&plan->changed, NULL);
}

static void fake_plan_fini(fake_plan *plan) {
    (void)pthread_mutex_destroy(&plan->lock);
    (void)pthread_cond_destroy(&plan->changed);
}

static bool fake_draws_failure(fake_plan *plan, double likely) {
    if (likely <= 0 || plan->failures >= plan->failures_max || fake_random(plan) >= likely)
        return false;
    plan->failures++;
    return true;
}

/* ---------------------------------------------------------------- partitions (lock held) */

static void fake_partition_release(fake_partition *partition_take) {
    if (partition_take == NULL || --partition_take->references > 0) return;
    partition_take->plan->live_partitions--;
    raski_free(partition_take->counts);
    raski_free(partition_take);
}

static fake_partition *fake_partition_create(fake_plan *plan, bool is_blocking, int subpartitions) {
    fake_partition *partition = RASKI_NEW(fake_partition);
    *partition = (fake_partition){
        .plan = plan,
        .references = 1,
        .is_blocking = is_blocking,
        .subpartitions = subpartitions,
        .counts = RASKI_NEW_ARRAY(long, (size_t)subpartitions),
    };
    plan->live_partitions++;
    return partition;
}

static void fake_ref(void *ctx, void *partition) {
    fake_plan *plan = ctx;
    (void)pthread_mutex_lock(&plan->lock);
    ((fake_partition *)partition)->references++;
    (void)pthread_mutex_unlock(&plan->lock);
}

static void fake_unref(void *ctx, void *partition_take) {
    fake_plan *plan = ctx;
    (void)pthread_mutex_lock(&plan->lock);
    fake_partition_release(partition_take);
    (void)pthread_mutex_unlock(&plan->lock);
}

/* ---------------------------------------------------------------- a task's work (lock held) */

static void fake_tell(fake_task *task, raski_execution_state state, const char *message) {
    task->state = state;
    raski_failure *failure = NULL;
    if (message != NULL) {
        failure = raski_failure_create(RASKI_CLASS_USER, NULL, "%s", message);
        failure->operator_name = raski_strdup(task->vertex->name);
        failure->record = task->in;
    }
    task->has_ended = raski_execution_state_is_final(state);
    if (task->has_ended)
        for (size_t r = 0; r < task->result_count; r++) {
            if (task->results[r] == NULL) continue;
            if (state == RASKI_EXECUTION_FINISHED)
                task->results[r]->is_complete = true;
            else
                task->results[r]->is_broken = true;
        }
    task->observer.state_changed(task->observer.ctx, task->observer.token, state, failure);
    (void)pthread_cond_broadcast(&task->plan->changed);
}

static void fake_emit(fake_task *task) {
    for (size_t r = 0; r < task->result_count; r++)
        if (task->results[r] != NULL)
            task->results[r]->counts[task->out % task->results[r]->subpartitions]++;
    task->in++;
    task->out++;
    (void)pthread_cond_broadcast(&task->plan->changed);
}

/* Takes one record from some channel. *ret_open: some channel may still bring more. */
static bool fake_read(fake_task *task, bool *ret_open) {
    *ret_open = false;
    for (size_t c = 0; c < task->channels.count; c++) {
        fake_channel *channel = &task->channels.items[c];
        const fake_partition *partition = channel->partition;
        RASKI_ASSERT(channel->subpartition < partition->subpartitions);
        if (partition->is_blocking && !partition->is_complete) {
            *ret_open = true; /* as between tasks of one region */
            continue;
        }
        if (channel->position < partition->counts[channel->subpartition]) {
            channel->position++;
            return true;
        }
        *ret_open |= !partition->is_complete;
    }
    return false;
}

static raski_task_step fake_source_step(fake_task *task) {
    if (task->split_records > 0) {
        task->split_records--;
        fake_emit(task);
        return RASKI_TASK_MORE;
    }
    if (task->no_more_splits) {
        fake_tell(task, RASKI_EXECUTION_FINISHED, NULL);
        return RASKI_TASK_DONE;
    }
    if (!task->has_asked) {
        task->has_asked = true;
        task->observer.send_event(task->observer.ctx, task->observer.token,
                                  task->vertex->operators[0].id, "?", 1);
    }
    return RASKI_TASK_BLOCKED;
}

static raski_task_step fake_work(fake_task *task) {
    if (task->has_ended) return RASKI_TASK_DONE;
    if (task->is_cancelled) {
        fake_tell(task, RASKI_EXECUTION_CANCELED, NULL);
        return RASKI_TASK_DONE;
    }
    if (!task->is_initialized) {
        task->is_initialized = true;
        fake_tell(task, RASKI_EXECUTION_INITIALIZING, NULL);
        fake_tell(task, RASKI_EXECUTION_RUNNING, NULL);
        return RASKI_TASK_MORE;
    }
    if (fake_draws_failure(task->plan, task->plan->step_fails)) {
        fake_tell(task, RASKI_EXECUTION_FAILED, "the step was to fail");
        return RASKI_TASK_DONE;
    }
    if (task->is_source) return fake_source_step(task);
    bool is_open = false;
    if (fake_read(task, &is_open)) {
        fake_emit(task);
        return RASKI_TASK_MORE;
    }
    if (is_open) return RASKI_TASK_BLOCKED;
    fake_tell(task, RASKI_EXECUTION_FINISHED, NULL);
    return RASKI_TASK_DONE;
}

static void *fake_thread(void *argument) {
    fake_task *task = argument;
    fake_plan *plan = task->plan;
    plan->live_threads++;
    (void)pthread_mutex_lock(&plan->lock);
    for (raski_task_step step; (step = fake_work(task)) != RASKI_TASK_DONE;)
        if (step == RASKI_TASK_BLOCKED) (void)pthread_cond_wait(&plan->changed, &plan->lock);
    (void)pthread_mutex_unlock(&plan->lock);
    plan->live_threads--;
    return NULL;
}

/* ---------------------------------------------------------------- the factory */

static rask_status fake_create(void *ctx, const raski_deployment *deployment,
                               const raski_task_observer *observer, void **ret_task,
                               raski_error *err) {
    fake_plan *plan = ctx;
    (void)pthread_mutex_lock(&plan->lock);
    if (fake_draws_failure(plan, plan->create_fails)) {
        (void)pthread_mutex_unlock(&plan->lock);
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "the task was not to be created");
    }
    fake_task *task = RASKI_NEW(fake_task);
    task->plan = plan;
    task->observer = *observer;
    task->vertex = deployment->vertex;
    task->is_source = deployment->gate_count == 0;
    for (size_t g = 0; g < deployment->gate_count; g++)
        for (size_t c = 0; c < deployment->gates[g].channel_count; c++) {
            const raski_deployed_channel *from = &deployment->gates[g].channels[c];
            fake_channel channel = {from->partition, from->subpartition, 0};
            channel.partition->references++;
            raski_vec_push(&task->channels, channel);
        }
    task->result_count = deployment->result_count;
    task->results = RASKI_NEW_ARRAY(fake_partition *, task->result_count);
    for (size_t r = 0; r < task->result_count; r++)
        if (deployment->subpartitions[r] > 0)
            task->results[r] = fake_partition_create(
                plan, raski_result_type_is_blocking(deployment->vertex->results.items[r]->type),
                deployment->subpartitions[r]);
    plan->live_tasks++;
    *ret_task = task;
    (void)pthread_mutex_unlock(&plan->lock);
    return RASK_OK;
}

static void *fake_result(void *ctx, void *task, size_t i) {
    (void)ctx;
    return ((fake_task *)task)->results[i];
}

static rask_status fake_start(void *ctx, void *task_, raski_error *err) {
    (void)ctx;
    (void)err;
    fake_task *task = task_;
    task->has_thread = true;
    RASKI_ASSERT(pthread_create(&task->thread, NULL, fake_thread, task) == 0);
    return RASK_OK;
}

static raski_task_step fake_step(void *ctx, void *task) {
    (void)ctx;
    return fake_work(task);
}

static void fake_cancel(void *ctx, void *task) {
    fake_plan *plan = ctx;
    (void)pthread_mutex_lock(&plan->lock);
    ((fake_task *)task)->is_cancelled = true;
    (void)pthread_cond_broadcast(&plan->changed);
    (void)pthread_mutex_unlock(&plan->lock);
}

/* "+N": a split of N records; "0": no more. */
static void fake_deliver(void *ctx, void *task_, raski_id operator_id, const void *bytes,
                         size_t length) {
    fake_plan *plan = ctx;
    fake_task *task = task_;
    (void)pthread_mutex_lock(&plan->lock);
    RASKI_ASSERT(raski_id_equals(operator_id, task->vertex->operators[0].id));
    long records = 0;
    RASKI_ASSERT(length == sizeof records);
    memcpy(&records, bytes, sizeof records);
    task->has_asked = false;
    task->split_records = records;
    task->no_more_splits = records == 0;
    (void)pthread_cond_broadcast(&plan->changed);
    (void)pthread_mutex_unlock(&plan->lock);
}

static void fake_counters(void *ctx, void *task_, raski_task_counters *ret_counters) {
    fake_plan *plan = ctx;
    const fake_task *task = task_;
    (void)pthread_mutex_lock(&plan->lock);
    *ret_counters =
        (raski_task_counters){.records_in = (uint64_t)task->in, .records_out = (uint64_t)task->out};
    (void)pthread_mutex_unlock(&plan->lock);
}

static void fake_destroy(void *ctx, void *task_take) {
    fake_plan *plan = ctx;
    fake_task *task = task_take;
    if (task->has_thread) (void)pthread_join(task->thread, NULL);
    (void)pthread_mutex_lock(&plan->lock);
    for (size_t c = 0; c < task->channels.count; c++)
        fake_partition_release(task->channels.items[c].partition);
    raski_vec_free(&task->channels);
    for (size_t r = 0; r < task->result_count; r++) fake_partition_release(task->results[r]);
    raski_free(task->results);
    raski_free(task);
    plan->live_tasks--;
    (void)pthread_mutex_unlock(&plan->lock);
}

static raski_task_factory fake_factory(fake_plan *plan) {
    return (raski_task_factory){
        .size = sizeof(raski_task_factory),
        .name = "fake tasks",
        .version = 1,
        .ctx = plan,
        .create = fake_create,
        .result = fake_result,
        .partition_ref = fake_ref,
        .partition_unref = fake_unref,
        .start = plan->threaded ? fake_start : NULL,
        .step = plan->threaded ? NULL : fake_step,
        .cancel = fake_cancel,
        .deliver_event = fake_deliver,
        .counters = fake_counters,
        .destroy = fake_destroy,
    };
}

/* ---------------------------------------------------------------- coordinators of fake sources */

typedef struct fake_coordinator {
    fake_plan *plan;
    const raski_coordinator_context *context;
    int splits_left;
    int *given; /* splits that each subtask has */
} fake_coordinator;

static rask_status fake_coordinator_start(void *self, raski_error *err) {
    (void)self;
    (void)err;
    return RASK_OK;
}

static rask_status fake_coordinator_handle(void *self, int subtask, int attempt, const void *bytes,
                                           size_t length, raski_error *err) {
    fake_coordinator *c = self;
    (void)attempt;
    if (length != 1 || memcmp(bytes, "?", 1) != 0)
        return RASKI_FAIL(err, RASK_E_INTERNAL, INTERNAL, "not a split request");
    long records = 0;
    if (c->splits_left > 0 || c->plan->endless) {
        c->splits_left--;
        c->given[subtask]++;
        records = c->plan->records_per_split;
    }
    c->context->send_event(c->context->ctx, subtask, &records, sizeof records);
    return RASK_OK;
}

static void fake_coordinator_ready(void *self, int subtask, int attempt) {
    (void)attempt;
    RASKI_ASSERT(((fake_coordinator *)self)->given[subtask] == 0);
}

static void fake_coordinator_failed(void *self, int subtask, int attempt, const char *message) {
    fake_coordinator *c = self;
    (void)attempt;
    (void)message;
    c->splits_left += c->given[subtask];
    c->given[subtask] = 0;
}

static void fake_coordinator_close(void *self_take) {
    raski_free(((fake_coordinator *)self_take)->given);
    raski_free(self_take);
}

static rask_status fake_coordinator_create(void *ctx, const raski_coordinator_context *context,
                                           raski_operator_coordinator *ret_coordinator,
                                           raski_error *err) {
    static const raski_operator_coordinator_vtable vtable = {
        .size = sizeof(raski_operator_coordinator_vtable),
        .name = "fake splits",
        .version = 1,
        .start = fake_coordinator_start,
        .handle_event = fake_coordinator_handle,
        .subtask_ready = fake_coordinator_ready,
        .subtask_failed = fake_coordinator_failed,
        .close = fake_coordinator_close,
    };
    (void)err;
    fake_coordinator *c = RASKI_NEW(fake_coordinator);
    c->plan = ctx;
    c->context = context;
    c->splits_left = c->plan->splits;
    c->given = RASKI_NEW_ARRAY(int, (size_t)context->parallelism);
    *ret_coordinator = (raski_operator_coordinator){&vtable, c};
    return RASK_OK;
}

/* The providers of all sources of a graph; the caller frees them. */
static raski_coordinator_provider *fake_providers(const raski_job_graph *graph, fake_plan *plan,
                                                  size_t *ret_count) {
    raski_coordinator_provider *providers =
        RASKI_NEW_ARRAY(raski_coordinator_provider, graph->sorted.count);
    *ret_count = 0;
    for (size_t v = 0; v < graph->sorted.count; v++) {
        const raski_job_vertex *vertex = graph->sorted.items[v];
        if (vertex->inputs.count == 0)
            providers[(*ret_count)++] = (raski_coordinator_provider){vertex->operators[0].id, plan,
                                                                     fake_coordinator_create};
    }
    return providers;
}
#endif
