/* The default scheduler's door, and the states of tasks and of the job. */
#include "scheduler/default_scheduler.h"

#include "base/alloc.h"
#include "base/log.h"

int64_t raski_default_scheduler_now(const raski_default_scheduler *self) {
    return self->host.now_ms(self->host.ctx);
}

raski_versioned_tasks raski_versioned_tasks_create(raski_default_scheduler *self,
                                                   const size_t *tasks, size_t count) {
    raski_versioned_tasks versioned = {
        .tasks = raski_memdup(tasks, count * sizeof *tasks),
        .versions = RASKI_NEW_ARRAY(uint64_t, count),
        .count = count,
    };
    for (size_t i = 0; i < count; i++) versioned.versions[i] = ++self->version[tasks[i]];
    return versioned;
}

void raski_versioned_tasks_free(raski_versioned_tasks *tasks) {
    raski_free(tasks->tasks);
    raski_free(tasks->versions);
}

bool raski_versioned_tasks_is_current(const raski_default_scheduler *self,
                                      const raski_versioned_tasks *tasks, size_t i) {
    return self->version[tasks->tasks[i]] == tasks->versions[i];
}

/* ---------------------------------------------------------------- states */

void raski_default_scheduler_set_job(raski_default_scheduler *self, raski_job_status to) {
    bool allowed =
        raski_execution_graph_transition_job(self->graph, to, raski_default_scheduler_now(self));
    RASKI_ASSERT(allowed);
}

/* Nothing runs and nothing will: what is left waits for blocking results of each other. Flink would
 * wait for ever. */
static bool is_stuck(const raski_default_scheduler *self) {
    const size_t *counts = self->graph->state_counts;
    return self->graph->status == RASKI_JOB_RUNNING && counts[RASKI_EXECUTION_CREATED] > 0 &&
           counts[RASKI_EXECUTION_CREATED] + counts[RASKI_EXECUTION_FINISHED] ==
               self->graph->vertex_count;
}

static void fail_stuck(raski_default_scheduler *self) {
    size_t task = 0;
    while (raski_execution_graph_state(self->graph, task) != RASKI_EXECUTION_CREATED) task++;
    raski_failure *failure = raski_failure_create(
        RASKI_CLASS_USER, "JobException",
        "task '%s' and %zu more can never start: they wait for blocking results of each other. Use "
        "one exchange mode for all edges between them.",
        self->graph->vertices[task].job_vertex->job_vertex->name,
        self->graph->state_counts[RASKI_EXECUTION_CREATED] - 1);
    raski_default_scheduler_fail_job(self, failure);
    raski_failure_destroy(failure);
}

void raski_default_scheduler_check_end(raski_default_scheduler *self) {
    if (self->has_ended) return;
    if (is_stuck(self)) fail_stuck(self);
    switch (self->graph->status) {
        case RASKI_JOB_RUNNING:
            if (!raski_execution_graph_all_finished(self->graph)) return;
            raski_default_scheduler_set_job(self, RASKI_JOB_FINISHED);
            break;
        case RASKI_JOB_FAILING:
            if (!raski_execution_graph_all_final(self->graph)) return;
            raski_default_scheduler_set_job(self, RASKI_JOB_FAILED);
            break;
        case RASKI_JOB_CANCELLING:
            if (!raski_execution_graph_all_final(self->graph)) return;
            raski_default_scheduler_set_job(self, RASKI_JOB_CANCELED);
            break;
        default:
            return;
    }
    self->has_ended = true;
    self->host.job_ended(self->host.ctx);
}

void raski_default_scheduler_set_state(raski_default_scheduler *self, size_t task,
                                       raski_execution_state to, raski_failure *failure_take) {
    bool allowed = raski_execution_graph_transition(
        self->graph, task, to, raski_default_scheduler_now(self), failure_take);
    RASKI_ASSERT(allowed);
    if (!raski_execution_state_is_final(to)) return;
    raski_default_scheduler_release_claim(self, task);
    if (to == RASKI_EXECUTION_FINISHED) raski_default_scheduler_track_partitions(self, task);
}

void raski_default_scheduler_cancel_task(raski_default_scheduler *self, size_t task) {
    switch (raski_execution_graph_state(self->graph, task)) {
        case RASKI_EXECUTION_CREATED:
        case RASKI_EXECUTION_SCHEDULED:
            raski_default_scheduler_set_state(self, task, RASKI_EXECUTION_CANCELED, NULL);
            break;
        case RASKI_EXECUTION_DEPLOYING:
        case RASKI_EXECUTION_INITIALIZING:
        case RASKI_EXECUTION_RUNNING:
            raski_default_scheduler_set_state(self, task, RASKI_EXECUTION_CANCELING, NULL);
            self->host.cancel_task(self->host.ctx, task);
            break;
        default: /* ended, or asked already */
            break;
    }
}

void raski_default_scheduler_cancel_all(raski_default_scheduler *self) {
    for (size_t task = 0; task < self->graph->vertex_count; task++) {
        self->version[task]++;
        raski_default_scheduler_cancel_task(self, task);
    }
}

/* ---------------------------------------------------------------- the door */

static void start_scheduling(void *self_) {
    raski_default_scheduler *self = self_;
    if (self->graph->status != RASKI_JOB_CREATED) return; /* cancelled or failed before */
    raski_default_scheduler_set_job(self, RASKI_JOB_RUNNING);
    self->strategy.vtable->start_scheduling(self->strategy.self);
    raski_default_scheduler_check_end(self); /* a job without tasks */
}

static void cancel(void *self_) {
    raski_default_scheduler *self = self_;
    if (!raski_execution_graph_transition_job(self->graph, RASKI_JOB_CANCELLING,
                                              raski_default_scheduler_now(self)))
        return;
    raski_default_scheduler_cancel_all(self);
    raski_default_scheduler_check_end(self);
}

static void on_finished(raski_default_scheduler *self, size_t task) {
    raski_default_scheduler_set_state(self, task, RASKI_EXECUTION_FINISHED, NULL);
    if (self->graph->status != RASKI_JOB_RUNNING && self->graph->status != RASKI_JOB_RESTARTING)
        return;
    self->strategy.vtable->on_execution_state_change(self->strategy.self, task,
                                                     RASKI_EXECUTION_FINISHED);
}

/* What is told of a task that nobody expects: a bug in whoever runs it. */
static void on_unexpected(raski_default_scheduler *self, size_t task, raski_execution_state state) {
    raski_failure *failure = raski_failure_create(
        RASKI_CLASS_INTERNAL, "IllegalStateException", "the task went from %s to %s",
        raski_execution_state_name(raski_execution_graph_state(self->graph, task)),
        raski_execution_state_name(state));
    raski_default_scheduler_set_state(self, task, RASKI_EXECUTION_FAILED, failure);
    raski_default_scheduler_handle_task_failure(self, task, failure);
}

static void on_final_report(raski_default_scheduler *self, size_t task, raski_execution_state state,
                            raski_failure *failure_take) {
    raski_execution_state current = raski_execution_graph_state(self->graph, task);
    if (current == RASKI_EXECUTION_CANCELING) {
        raski_failure_destroy(failure_take);
        raski_default_scheduler_set_state(self, task, RASKI_EXECUTION_CANCELED, NULL);
    } else if (state == RASKI_EXECUTION_FAILED) {
        raski_default_scheduler_set_state(self, task, RASKI_EXECUTION_FAILED, failure_take);
        raski_default_scheduler_handle_task_failure(self, task, failure_take);
    } else if (state == RASKI_EXECUTION_FINISHED && current == RASKI_EXECUTION_RUNNING) {
        on_finished(self, task);
    } else {
        on_unexpected(self, task, state);
    }
    raski_default_scheduler_try_restarts(self);
    raski_default_scheduler_check_end(self);
}

static bool update_task_state(void *self_, raski_attempt_id attempt, raski_execution_state state,
                              raski_failure *failure_take, const raski_task_counters *counters) {
    raski_default_scheduler *self = self_;
    raski_execution *execution = attempt.task < self->graph->vertex_count
                                     ? &self->graph->vertices[attempt.task].current
                                     : NULL;
    if (execution == NULL || !raski_attempt_id_equals(execution->id, attempt) ||
        raski_execution_state_is_final(execution->state)) {
        raski_failure_destroy(failure_take);
        return false;
    }
    if (counters != NULL) execution->counters = *counters;
    if (raski_execution_state_is_final(state)) {
        if (state == RASKI_EXECUTION_FAILED && failure_take == NULL)
            failure_take = raski_failure_create(RASKI_CLASS_INTERNAL, NULL,
                                                "the task failed without saying why");
        on_final_report(self, attempt.task, state, failure_take);
        return true;
    }
    RASKI_ASSERT(failure_take == NULL);
    if (execution->state == RASKI_EXECUTION_CANCELING) return true; /* overtaken by the cancel */
    if (raski_execution_state_may_follow(execution->state, state))
        raski_default_scheduler_set_state(self, attempt.task, state, NULL);
    else
        on_unexpected(self, attempt.task, state);
    return true;
}

static void update_counters(void *self_, raski_attempt_id attempt,
                            const raski_task_counters *counters) {
    raski_default_scheduler *self = self_;
    if (attempt.task >= self->graph->vertex_count) return;
    raski_execution *execution = &self->graph->vertices[attempt.task].current;
    if (raski_attempt_id_equals(execution->id, attempt) &&
        !raski_execution_state_is_final(execution->state))
        execution->counters = *counters;
}

static const raski_execution_graph *graph_of(const void *self) {
    return ((const raski_default_scheduler *)self)->graph;
}

static int restarts_of(const void *self) {
    return ((const raski_default_scheduler *)self)->restarts;
}

static void destroy(void *self_take) {
    raski_default_scheduler *self = self_take;
    if (self == NULL) return;
    for (size_t i = 0; i < self->deployments.count; i++)
        raski_versioned_tasks_free(&self->deployments.items[i].tasks);
    raski_vec_free(&self->deployments);
    for (size_t i = 0; i < self->pending_restarts.count; i++)
        raski_versioned_tasks_free(&self->pending_restarts.items[i].tasks);
    raski_vec_free(&self->pending_restarts);
    if (self->strategy.vtable != NULL) self->strategy.vtable->destroy(self->strategy.self);
    raski_restart_backoff_fini(&self->backoff);
    raski_slot_sharing_fini(&self->sharing);
    raski_free(self->shared_slots);
    raski_free(self->has_claim);
    raski_free(self->version);
    raski_free(self->is_restart_pending);
    raski_free(self->is_partition_kept);
    raski_execution_graph_destroy(self->graph);
    raski_free(self);
}

static const raski_scheduler_vtable vtable = {
    .size = sizeof(raski_scheduler_vtable),
    .name = "Default",
    .version = 1,
    .start_scheduling = start_scheduling,
    .cancel = cancel,
    .update_task_state = update_task_state,
    .update_counters = update_counters,
    .slot_ready = raski_default_scheduler_slot_ready,
    .slot_failed = raski_default_scheduler_slot_failed,
    .task_executor_lost = raski_default_scheduler_task_executor_lost,
    .handle_global_failure = raski_default_scheduler_handle_global_failure,
    .on_timer = raski_default_scheduler_on_timer,
    .graph = graph_of,
    .restarts = restarts_of,
    .destroy = destroy,
};

rask_status raski_default_scheduler_create(const raski_job_graph *job_graph,
                                           const raski_default_scheduler_options *options,
                                           const raski_scheduler_host *host,
                                           raski_scheduler *ret_scheduler, raski_error *err) {
    raski_default_scheduler *self = RASKI_NEW(raski_default_scheduler);
    self->host = *host;
    self->options = *options;
    raski_restart_backoff_init(&self->backoff, &options->restart);
    rask_status status = raski_execution_graph_create(job_graph, options->attempts_history_max,
                                                      raski_default_scheduler_now(self),
                                                      &options->listener, &self->graph, err);
    if (status == RASK_OK)
        status = raski_slot_sharing_compute(self->graph->topology, options->slot_sharing,
                                            &self->sharing, err);
    if (status != RASK_OK) {
        destroy(self);
        return status;
    }
    size_t tasks = self->graph->vertex_count;
    self->shared_slots = RASKI_NEW_ARRAY(raski_shared_slot, self->sharing.groups.count);
    self->has_claim = RASKI_NEW_ARRAY(bool, tasks);
    self->version = RASKI_NEW_ARRAY(uint64_t, tasks);
    self->is_restart_pending = RASKI_NEW_ARRAY(bool, tasks);
    self->is_partition_kept = RASKI_NEW_ARRAY(bool, self->graph->partition_count);
    self->strategy = raski_pipelined_region_strategy_create(
        self->graph,
        &(raski_scheduling_operations){self, raski_default_scheduler_allocate_and_deploy});
    raski_default_scheduler_set_job(self, RASKI_JOB_CREATED);
    *ret_scheduler = (raski_scheduler){.vtable = &vtable, .self = self};
    return RASK_OK;
}

size_t raski_scheduler_slots_needed(const raski_job_graph *job_graph) {
    size_t needed = 0;
    for (size_t g = 0; g < job_graph->slot_groups.count; g++) {
        const raski_slot_group *group = job_graph->slot_groups.items[g];
        size_t most = 0;
        for (size_t v = 0; v < group->vertices.count; v++) {
            int parallelism = group->vertices.items[v]->parallelism;
            size_t wanted = parallelism > 0 ? (size_t)parallelism : 1;
            if (wanted > most) most = wanted;
        }
        needed += most;
    }
    return needed;
}
