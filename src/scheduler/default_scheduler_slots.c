/* Slots and deployment: the tasks of a decision are SCHEDULED, their slots asked for, and when all
 * of these are there, all tasks that nobody gave another course meanwhile are deployed together. */
#include "base/alloc.h"
#include "scheduler/default_scheduler.h"

static raski_shared_slot *shared_slot_of(const raski_default_scheduler *self, size_t task) {
    return &self->shared_slots[self->sharing.group_of_task[task]];
}

static void deploy(raski_default_scheduler *self, size_t task) {
    const raski_shared_slot *shared = shared_slot_of(self, task);
    self->graph->vertices[task].current.task_executor = shared->slot.task_executor;
    raski_default_scheduler_set_state(self, task, RASKI_EXECUTION_DEPLOYING, NULL);
    self->host.deploy(self->host.ctx, task, &shared->slot);
}

/* Deploys when nothing is missing any more; false: it waits on. */
static bool try_deploy(raski_default_scheduler *self, const raski_versioned_tasks *tasks) {
    for (size_t i = 0; i < tasks->count; i++)
        if (raski_versioned_tasks_is_current(self, tasks, i) &&
            !shared_slot_of(self, tasks->tasks[i])->is_ready)
            return false;
    for (size_t i = 0; i < tasks->count; i++)
        if (raski_versioned_tasks_is_current(self, tasks, i)) deploy(self, tasks->tasks[i]);
    return true;
}

static void try_deployments(raski_default_scheduler *self) {
    for (size_t i = 0; i < self->deployments.count;) {
        raski_versioned_tasks tasks = self->deployments.items[i].tasks;
        if (!try_deploy(self, &tasks)) {
            i++;
            continue;
        }
        raski_versioned_tasks_free(&tasks);
        for (size_t j = i + 1; j < self->deployments.count; j++)
            self->deployments.items[j - 1] = self->deployments.items[j];
        self->deployments.count--;
    }
}

void raski_default_scheduler_allocate_and_deploy(void *self_, const size_t *tasks, size_t count) {
    raski_default_scheduler *self = self_;
    raski_pending_deployment deployment = {raski_versioned_tasks_create(self, tasks, count)};
    uint64_t bulk = ++self->last_bulk;
    for (size_t i = 0; i < count; i++) {
        raski_default_scheduler_set_state(self, tasks[i], RASKI_EXECUTION_SCHEDULED, NULL);
        raski_shared_slot *shared = shared_slot_of(self, tasks[i]);
        RASKI_ASSERT(!self->has_claim[tasks[i]]);
        self->has_claim[tasks[i]] = true;
        shared->claims++;
        if (shared->request != 0) continue;
        shared->request = ++self->last_request;
        self->host.request_slot(
            self->host.ctx, shared->request, bulk,
            self->sharing.groups.items[self->sharing.group_of_task[tasks[i]]].slot_group);
    }
    raski_vec_push(&self->deployments, deployment);
    try_deployments(self);
}

void raski_default_scheduler_release_claim(raski_default_scheduler *self, size_t task) {
    if (!self->has_claim[task]) return;
    raski_shared_slot *shared = shared_slot_of(self, task);
    self->has_claim[task] = false;
    if (--shared->claims > 0) return;
    uint64_t request = shared->request;
    *shared = (raski_shared_slot){0};
    self->host.return_slot(self->host.ctx, request);
}

static raski_shared_slot *find_request(const raski_default_scheduler *self, uint64_t request) {
    for (size_t i = 0; i < self->sharing.groups.count; i++)
        if (self->shared_slots[i].request == request) return &self->shared_slots[i];
    return NULL;
}

void raski_default_scheduler_slot_ready(void *self_, uint64_t request, const raski_slot *slot) {
    raski_default_scheduler *self = self_;
    raski_shared_slot *shared = find_request(self, request);
    if (shared == NULL) return; /* returned meanwhile */
    RASKI_ASSERT(!shared->is_ready);
    shared->is_ready = true;
    shared->slot = *slot;
    try_deployments(self);
}

void raski_default_scheduler_slot_failed(void *self_, uint64_t request,
                                         raski_failure *failure_take) {
    raski_default_scheduler *self = self_;
    const raski_shared_slot *shared = find_request(self, request);
    if (shared == NULL) {
        raski_failure_destroy(failure_take);
        return;
    }
    /* One failed task stands for all that wanted the slot: they are in regions that are cancelled
     * or restarted for it, or share nothing with it but the slot, and then ask again. */
    const raski_shared_slot_group *group = &self->sharing.groups.items[shared - self->shared_slots];
    for (size_t i = 0; i < group->tasks.count; i++) {
        size_t task = group->tasks.items[i];
        if (raski_execution_graph_state(self->graph, task) != RASKI_EXECUTION_SCHEDULED) continue;
        raski_failure *failure = raski_failure_copy(failure_take);
        raski_default_scheduler_set_state(self, task, RASKI_EXECUTION_FAILED, failure);
        raski_default_scheduler_handle_task_failure(self, task, failure);
    }
    raski_failure_destroy(failure_take);
    raski_default_scheduler_try_restarts(self);
    raski_default_scheduler_check_end(self);
}
