#include "cluster/mini_cluster.h"

#include <stdatomic.h>

#include "actor/actor.h"
#include "base/alloc.h"
#include "cluster/dispatcher.h"
#include "cluster/messages.h"
#include "cluster/resource_manager.h"
#include "platform/clock.h"
#include "platform/doorbell.h"
#include "scheduler/scheduler.h"
#include "taskexecutor/partition_registry.h"
#include "taskexecutor/task_executor.h"

struct raski_mini_cluster {
    raski_cluster_options options;
    const raski_task_factory *factory;
    raski_executor *executor;
    bool owns_executor;
    raski_partition_registry *registry;
    raski_resource_manager *resource_manager;
    raski_dispatcher *dispatcher;
    RASKI_VEC(raski_task_executor *) executors; /* NULL: killed */
    size_t slots;                               /* of each task executor, so far */
    raski_doorbell *bell;                       /* the owner sleeps on it in run */
    /* The message that cancel posts, made before so that a signal handler can; NULL: posted. */
    _Atomic(raski_message *) cancel_message;
};

/* ---------------------------------------------------------------- life */

static void add_task_executor(raski_mini_cluster *cluster, uint64_t number) {
    const raski_task_executor_options options = {
        .number = number,
        .slots = cluster->slots,
        .resource_manager = raski_resource_manager_address(cluster->resource_manager),
        .slot_timeout_ms = cluster->options.slot_timeout_ms,
        .partition_request_timeout_ms = cluster->options.partition_request_timeout_ms,
    };
    raski_vec_push(&cluster->executors,
                   raski_task_executor_create(cluster->executor, &options, cluster->factory,
                                              cluster->registry));
}

/* Makes cancel work again after it was used. */
static void arm_cancel(raski_mini_cluster *cluster) {
    if (atomic_load_explicit(&cluster->cancel_message, memory_order_relaxed) != NULL) return;
    raski_message *message = raski_message_create(&raski_message_cancel_jobs);
    /* Release: the handler that takes it sees what was written into it. */
    atomic_store_explicit(&cluster->cancel_message, message, memory_order_release);
}

rask_status raski_mini_cluster_create(const raski_cluster_options *options,
                                      const raski_task_factory *factory, raski_executor *executor,
                                      raski_mini_cluster **ret_cluster, raski_error *err) {
    RASKI_TRY(raski_cluster_options_check(options, err));
    raski_mini_cluster *cluster = RASKI_NEW(raski_mini_cluster);
    rask_status status = RASK_OK;
    cluster->options = *options;
    cluster->factory = factory;
    cluster->executor = executor;
    cluster->owns_executor = executor == NULL;
    RASKI_TRY_GOTO(status, raski_doorbell_create(&cluster->bell, err), fail);
    if (cluster->owns_executor)
        RASKI_TRY_GOTO(status, raski_executor_create_loop(&cluster->executor, err), fail);
    cluster->registry = raski_partition_registry_create(factory);
    cluster->resource_manager = raski_resource_manager_create(cluster->executor, &cluster->options);
    cluster->dispatcher = raski_dispatcher_create(
        cluster->executor, raski_resource_manager_address(cluster->resource_manager),
        &cluster->options);
    cluster->slots = (size_t)options->slots_per_task_executor;
    for (int i = 0; i < options->task_executors; i++) add_task_executor(cluster, (uint64_t)i + 1);
    RASKI_TRY_GOTO(status, raski_executor_start(cluster->executor, err), fail);
    arm_cancel(cluster);
    *ret_cluster = cluster;
    return RASK_OK;
fail:
    raski_mini_cluster_destroy(cluster);
    return status;
}

void raski_mini_cluster_destroy(raski_mini_cluster *cluster_take) {
    raski_mini_cluster *cluster = cluster_take;
    if (cluster == NULL) return;
    if (cluster->executor != NULL) raski_executor_stop(cluster->executor);
    for (size_t i = 0; i < cluster->executors.count; i++)
        raski_task_executor_destroy(cluster->executors.items[i]);
    raski_vec_free(&cluster->executors);
    raski_dispatcher_destroy(cluster->dispatcher);
    raski_resource_manager_destroy(cluster->resource_manager);
    raski_partition_registry_destroy(cluster->registry);
    if (cluster->owns_executor) raski_executor_destroy(cluster->executor);
    raski_message_destroy(
        atomic_exchange_explicit(&cluster->cancel_message, NULL, memory_order_acquire));
    raski_doorbell_unref(cluster->bell);
    raski_free(cluster);
}

/* ---------------------------------------------------------------- running a job */

/* Where run waits for the end of its job. */
typedef struct ticket {
    raski_doorbell *bell;
    atomic_bool is_done; /* release after the rest was written, acquire before it is read */
    raski_job_result *result;
    raski_error error;
} ticket;

static void on_done(void *ctx, raski_job_result *result_take, const raski_error *err) {
    ticket *t = ctx;
    raski_doorbell *bell = raski_doorbell_ref(t->bell);
    t->result = result_take;
    if (err != NULL) t->error = *err;
    atomic_store_explicit(&t->is_done, true, memory_order_release);
    /* From here on t may be gone. */
    raski_doorbell_ring(bell);
    raski_doorbell_unref(bell);
}

static bool is_done(ticket *t) {
    return atomic_load_explicit(&t->is_done, memory_order_acquire);
}

static void wait_for(raski_mini_cluster *cluster, ticket *t) {
    if (raski_executor_is_simulation(cluster->executor)) {
        while (!is_done(t)) {
            bool stepped = raski_simulation_step(cluster->executor);
            RASKI_ASSERT(stepped); /* else the job waits for something that never comes */
        }
        return;
    }
    while (!is_done(t)) {
        uint32_t seen = raski_doorbell_sequence(cluster->bell);
        if (!is_done(t)) (void)raski_doorbell_wait(cluster->bell, seen, RASKI_FOREVER);
    }
}

/* When slots are made as needed: as many as the job needs, spread evenly. */
static void provide_slots(raski_mini_cluster *cluster, const raski_job_graph *graph) {
    if (cluster->options.slots_per_task_executor != RASKI_SLOTS_AS_NEEDED) return;
    size_t needed = raski_scheduler_slots_needed(graph);
    size_t executors = (size_t)cluster->options.task_executors;
    size_t each = (needed + executors - 1) / executors;
    if (each <= cluster->slots) return;
    cluster->slots = each;
    for (size_t i = 0; i < cluster->executors.count; i++) {
        if (cluster->executors.items[i] == NULL) continue;
        raski_message *message = raski_message_create(&raski_message_set_slots);
        RASKI_PAYLOAD(message, raski_set_slots_message)->slots = each;
        (void)raski_post(raski_task_executor_address(cluster->executors.items[i]), message);
    }
}

static rask_status status_of(const raski_job_result *result, raski_error *err) {
    if (result->status == RASKI_JOB_FINISHED) return RASK_OK;
    if (result->status == RASKI_JOB_CANCELED)
        return RASKI_FAIL(err, RASK_E_CANCELLED, CANCELLED, "the job was cancelled");
    const raski_failure *failure = result->failure;
    raski_str text = {0};
    if (failure != NULL)
        raski_failure_describe(failure, &text);
    else
        raski_str_append(&text, "the job failed without saying why");
    rask_status status = raski_error_set(
        err, RASK_FAILED, failure != NULL ? failure->error_class : RASKI_CLASS_INTERNAL,
        failure != NULL && failure->file != NULL ? failure->file : __FILE__,
        failure != NULL && failure->file != NULL ? failure->line : __LINE__, "%s",
        raski_str_text(&text));
    raski_str_free(&text);
    return status;
}

rask_status raski_mini_cluster_run(raski_mini_cluster *cluster,
                                   const raski_job_submission *submission,
                                   raski_job_result *ret_result, raski_error *err) {
    RASKI_ASSERT(submission->progress == NULL || submission->progress_interval_ms >= 1);
    ticket t = {.bell = cluster->bell};
    provide_slots(cluster, submission->graph);
    raski_message *message = raski_message_create(&raski_message_submit_job);
    *RASKI_PAYLOAD(message, raski_submit_job_message) =
        (raski_submit_job_message){*submission, on_done, &t};
    RASKI_TRY(raski_post(raski_dispatcher_address(cluster->dispatcher), message));
    wait_for(cluster, &t);
    arm_cancel(cluster);
    if (t.result == NULL) {
        if (err != NULL && !raski_error_is_set(err)) *err = t.error;
        return t.error.status;
    }
    rask_status status = status_of(t.result, err);
    if (ret_result != NULL)
        *ret_result = *t.result;
    else
        raski_job_result_fini(t.result);
    raski_free(t.result);
    return status;
}

void raski_mini_cluster_cancel(raski_mini_cluster *cluster) {
    raski_message *message =
        atomic_exchange_explicit(&cluster->cancel_message, NULL, memory_order_acquire);
    if (message != NULL) (void)raski_post(raski_dispatcher_address(cluster->dispatcher), message);
}

void raski_mini_cluster_kill_task_executor(raski_mini_cluster *cluster, size_t index) {
    RASKI_ASSERT(raski_executor_is_simulation(cluster->executor));
    RASKI_ASSERT(index < cluster->executors.count);
    raski_task_executor_destroy(cluster->executors.items[index]);
    cluster->executors.items[index] = NULL;
}

void raski_mini_cluster_revive_task_executor(raski_mini_cluster *cluster, size_t index,
                                             uint64_t number) {
    RASKI_ASSERT(raski_executor_is_simulation(cluster->executor));
    RASKI_ASSERT(cluster->executors.items[index] == NULL);
    add_task_executor(cluster, number);
    cluster->executors.items[index] = cluster->executors.items[--cluster->executors.count];
}

raski_cluster_census raski_mini_cluster_count(const raski_mini_cluster *cluster) {
    raski_cluster_census census = {
        .jobs = raski_dispatcher_job_count(cluster->dispatcher),
        .partitions = raski_partition_registry_count(cluster->registry),
        .slots_in_use = raski_resource_manager_slots_in_use(cluster->resource_manager),
        .executor = raski_executor_count(cluster->executor),
    };
    for (size_t i = 0; i < cluster->executors.count; i++) {
        if (cluster->executors.items[i] == NULL) continue;
        census.tasks += raski_task_executor_task_count(cluster->executors.items[i]);
        census.slots_in_use += raski_task_executor_slots_in_use(cluster->executors.items[i]);
    }
    return census;
}
