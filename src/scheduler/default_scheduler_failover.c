/* Failures and restarts. A failure either ends the job (the first one is why) or restarts what the
 * failover strategy says: these tasks are cancelled, and when all have ended and the back-off is
 * over, those that no later failure took over are reset and scheduled again. */
#include "base/alloc.h"
#include "base/log.h"
#include "scheduler/default_scheduler.h"

/* ---------------------------------------------------------------- partitions */

static bool is_partition_kept(void *ctx, uint32_t partition) {
    return ((const raski_default_scheduler *)ctx)->is_partition_kept[partition];
}

static bool are_readers_finished(const raski_default_scheduler *self,
                                 const raski_partition_group *group) {
    for (int s = group->consumers.first; s <= group->consumers.last; s++)
        if (raski_execution_graph_state(
                self->graph, raski_execution_graph_task(self->graph, group->edge->target, s)) !=
            RASKI_EXECUTION_FINISHED)
            return false;
    return true;
}

static void release_if_unneeded(raski_default_scheduler *self, const raski_data_set *data_set,
                                int subtask) {
    if (data_set->type == RASKI_RESULT_BLOCKING_PERSISTENT) return;
    for (size_t c = 0; c < data_set->consumers.count; c++) {
        const raski_partition_group *group = raski_execution_topology_group_of_partition(
            self->graph->topology, data_set, c, subtask);
        if (group != NULL && !are_readers_finished(self, group)) return;
    }
    uint32_t partition = raski_execution_graph_partition(self->graph, data_set, subtask);
    self->is_partition_kept[partition] = false;
    self->host.release_partition(self->host.ctx, partition);
}

void raski_default_scheduler_track_partitions(raski_default_scheduler *self, size_t task) {
    const raski_execution_vertex *vertex = &self->graph->vertices[task];
    const raski_job_vertex *job_vertex = vertex->job_vertex->job_vertex;
    for (size_t r = 0; r < job_vertex->results.count; r++)
        self->is_partition_kept[raski_execution_graph_partition(
            self->graph, job_vertex->results.items[r], vertex->subtask)] = true;
    for (size_t i = 0; i < job_vertex->inputs.count; i++) {
        const raski_partition_group *group = raski_execution_topology_group_of_consumer(
            self->graph->topology, vertex->job_vertex, i, vertex->subtask);
        if (!are_readers_finished(self, group)) continue;
        for (int p = group->partitions.first; p <= group->partitions.last; p++)
            release_if_unneeded(self, group->edge->source, p);
    }
}

static void forget_partitions(raski_default_scheduler *self, size_t task) {
    const raski_execution_vertex *vertex = &self->graph->vertices[task];
    const raski_job_vertex *job_vertex = vertex->job_vertex->job_vertex;
    for (size_t r = 0; r < job_vertex->results.count; r++)
        self->is_partition_kept[raski_execution_graph_partition(
            self->graph, job_vertex->results.items[r], vertex->subtask)] = false;
}

/* ---------------------------------------------------------------- restarts */

static void set_restart_pending(raski_default_scheduler *self, size_t task, bool is_pending) {
    if (self->is_restart_pending[task] == is_pending) return;
    self->is_restart_pending[task] = is_pending;
    if (is_pending)
        self->restart_pending_count++;
    else
        self->restart_pending_count--;
}

static void log_restart(const raski_default_scheduler *self, const raski_failure *failure,
                        size_t count, int64_t delay_ms) {
    if (!raski_log_on(RASKI_LOG_WARN)) return;
    raski_str text = {0};
    raski_failure_describe(failure, &text);
    raski_log_write(RASKI_LOG_WARN, "scheduler",
                    "job '%s': %s; %zu of %zu tasks restart in %lld ms", self->graph->job_name,
                    raski_str_text(&text), count, self->graph->vertex_count, (long long)delay_ms);
    raski_str_free(&text);
}

/* Borrows failure, for the log. */
static void begin_restart(raski_default_scheduler *self, const size_t *tasks, size_t count,
                          bool is_global, const raski_failure *failure) {
    int64_t now_ms = raski_default_scheduler_now(self);
    raski_pending_restart restart = {
        .tasks = raski_versioned_tasks_create(self, tasks, count),
        .token = ++self->last_token,
        .is_global = is_global,
    };
    raski_vec_push(&self->pending_restarts, restart);
    self->restarts++;
    for (size_t i = 0; i < count; i++) set_restart_pending(self, tasks[i], true);
    if (self->graph->status == RASKI_JOB_RUNNING)
        raski_default_scheduler_set_job(self, RASKI_JOB_RESTARTING);
    for (size_t i = 0; i < count; i++) raski_default_scheduler_cancel_task(self, tasks[i]);
    int64_t delay_ms = raski_restart_backoff_delay_ms(&self->backoff, now_ms);
    log_restart(self, failure, count, delay_ms);
    self->host.schedule(self->host.ctx, delay_ms, restart.token);
}

static bool can_restart_now(const raski_default_scheduler *self,
                            const raski_pending_restart *restart) {
    if (!restart->delay_is_over) return false;
    for (size_t i = 0; i < restart->tasks.count; i++)
        if (raski_versioned_tasks_is_current(self, &restart->tasks, i) &&
            !raski_execution_state_is_final(
                raski_execution_graph_state(self->graph, restart->tasks.tasks[i])))
            return false;
    return true;
}

static void restart_now(raski_default_scheduler *self, raski_pending_restart restart) {
    int64_t now_ms = raski_default_scheduler_now(self);
    size_t count = 0;
    for (size_t i = 0; i < restart.tasks.count; i++)
        if (raski_versioned_tasks_is_current(self, &restart.tasks, i))
            restart.tasks.tasks[count++] = restart.tasks.tasks[i];
    if (count > 0 && restart.is_global) self->host.before_global_restart(self->host.ctx);
    for (size_t i = 0; i < count; i++) {
        size_t task = restart.tasks.tasks[i];
        set_restart_pending(self, task, false);
        self->host.before_reset(self->host.ctx, task);
        forget_partitions(self, task);
        raski_execution_graph_reset(self->graph, task, now_ms);
    }
    if (self->restart_pending_count == 0 && self->graph->status == RASKI_JOB_RESTARTING)
        raski_default_scheduler_set_job(self, RASKI_JOB_RUNNING);
    if (count > 0)
        self->strategy.vtable->restart_tasks(self->strategy.self, restart.tasks.tasks, count);
    raski_versioned_tasks_free(&restart.tasks);
}

void raski_default_scheduler_try_restarts(raski_default_scheduler *self) {
    if (self->graph->status != RASKI_JOB_RUNNING && self->graph->status != RASKI_JOB_RESTARTING)
        return;
    for (size_t i = 0; i < self->pending_restarts.count;) {
        if (!can_restart_now(self, &self->pending_restarts.items[i])) {
            i++;
            continue;
        }
        raski_pending_restart restart = self->pending_restarts.items[i];
        for (size_t j = i + 1; j < self->pending_restarts.count; j++)
            self->pending_restarts.items[j - 1] = self->pending_restarts.items[j];
        self->pending_restarts.count--;
        restart_now(self, restart);
    }
}

void raski_default_scheduler_on_timer(void *self_, uint64_t token) {
    raski_default_scheduler *self = self_;
    for (size_t i = 0; i < self->pending_restarts.count; i++)
        if (self->pending_restarts.items[i].token == token)
            self->pending_restarts.items[i].delay_is_over = true;
    raski_default_scheduler_try_restarts(self);
    raski_default_scheduler_check_end(self);
}

/* ---------------------------------------------------------------- failures */

static bool is_ending(const raski_default_scheduler *self) {
    return self->graph->status != RASKI_JOB_CREATED && self->graph->status != RASKI_JOB_RUNNING &&
           self->graph->status != RASKI_JOB_RESTARTING;
}

void raski_default_scheduler_fail_job(raski_default_scheduler *self, const raski_failure *failure) {
    raski_execution_graph_set_root_failure(self->graph, failure);
    raski_default_scheduler_set_job(self, RASKI_JOB_FAILING);
    raski_default_scheduler_cancel_all(self);
}

static bool may_restart(raski_default_scheduler *self) {
    int64_t now_ms = raski_default_scheduler_now(self);
    (void)raski_restart_backoff_notify(&self->backoff, now_ms);
    return self->graph->status != RASKI_JOB_CREATED &&
           raski_restart_backoff_can_restart(&self->backoff, now_ms);
}

/* A failure while everything is about to start over concerns everything too. */
static bool is_global_restart_pending(const raski_default_scheduler *self) {
    for (size_t i = 0; i < self->pending_restarts.count; i++)
        if (self->pending_restarts.items[i].is_global) return true;
    return false;
}

static void begin_global_restart(raski_default_scheduler *self, const raski_failure *failure) {
    size_t *tasks = RASKI_NEW_ARRAY(size_t, self->graph->vertex_count);
    for (size_t task = 0; task < self->graph->vertex_count; task++) tasks[task] = task;
    begin_restart(self, tasks, self->graph->vertex_count, true, failure);
    raski_free(tasks);
}

void raski_default_scheduler_handle_task_failure(raski_default_scheduler *self, size_t task,
                                                 const raski_failure *failure) {
    if (is_ending(self)) return;
    if (!may_restart(self)) {
        raski_default_scheduler_fail_job(self, failure);
        return;
    }
    if (is_global_restart_pending(self)) {
        begin_global_restart(self, failure);
        return;
    }
    size_t *tasks = NULL, count = 0;
    uint32_t failed_partition =
        failure->has_failed_partition ? failure->failed_partition.partition : UINT32_MAX;
    raski_failover_tasks_to_restart(self->graph, self->options.failover, task, failed_partition,
                                    is_partition_kept, self, &tasks, &count);
    begin_restart(self, tasks, count, false, failure);
    raski_free(tasks);
}

void raski_default_scheduler_handle_global_failure(void *self_, raski_failure *failure_take) {
    raski_default_scheduler *self = self_;
    if (!is_ending(self)) {
        if (may_restart(self)) {
            begin_global_restart(self, failure_take);
        } else {
            raski_default_scheduler_fail_job(self, failure_take);
        }
    }
    raski_failure_destroy(failure_take);
    raski_default_scheduler_try_restarts(self);
    raski_default_scheduler_check_end(self);
}

/* Moves a task that was on a lost task executor, or waits for a slot of it, to its end. true: it
 * failed by that. */
static bool lose_task(raski_default_scheduler *self, size_t task, const raski_failure *failure) {
    switch (raski_execution_graph_state(self->graph, task)) {
        case RASKI_EXECUTION_CANCELING:
            raski_default_scheduler_set_state(self, task, RASKI_EXECUTION_CANCELED, NULL);
            return false;
        case RASKI_EXECUTION_SCHEDULED:
        case RASKI_EXECUTION_DEPLOYING:
        case RASKI_EXECUTION_INITIALIZING:
        case RASKI_EXECUTION_RUNNING:
            raski_default_scheduler_set_state(self, task, RASKI_EXECUTION_FAILED,
                                              raski_failure_copy(failure));
            return true;
        default:
            return false;
    }
}

void raski_default_scheduler_task_executor_lost(void *self_, uint64_t task_executor,
                                                raski_failure *failure_take) {
    raski_default_scheduler *self = self_;
    RASKI_VEC(size_t) failed = {0};
    /* First all tasks reach their end: a cancel sent to the lost one would never be answered. */
    for (size_t task = 0; task < self->graph->vertex_count; task++) {
        const raski_shared_slot *shared = &self->shared_slots[self->sharing.group_of_task[task]];
        bool waits_there = self->has_claim[task] && shared->is_ready &&
                           shared->slot.task_executor == task_executor;
        bool was_there = self->graph->vertices[task].current.task_executor == task_executor;
        if (was_there) forget_partitions(self, task);
        if ((was_there || waits_there) && lose_task(self, task, failure_take))
            raski_vec_push(&failed, task);
    }
    for (size_t i = 0; i < failed.count; i++)
        raski_default_scheduler_handle_task_failure(self, failed.items[i], failure_take);
    raski_vec_free(&failed);
    raski_failure_destroy(failure_take);
    raski_default_scheduler_try_restarts(self);
    raski_default_scheduler_check_end(self);
}
