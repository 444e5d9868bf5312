#include "cluster/job_master.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "cluster/job_master_private.h"

const raski_execution_graph *raski_job_master_graph(const raski_job_master *self) {
    return self->scheduler.vtable->graph(self->scheduler.self);
}

raski_job_contact raski_job_master_contact(const raski_job_master *self) {
    return (raski_job_contact){self->submission.graph->job_id, raski_actor_address(&self->actor),
                               self->services.epoch};
}

raski_known_executor *raski_job_master_find_executor(const raski_job_master *self,
                                                     uint64_t number) {
    for (size_t i = 0; i < self->executors.count; i++)
        if (self->executors.items[i].number == number) return &self->executors.items[i];
    return NULL;
}

void raski_job_master_send_to(raski_job_master *self, uint64_t number,
                              raski_message *message_take) {
    const raski_known_executor *executor = raski_job_master_find_executor(self, number);
    if (executor == NULL) {
        raski_message_destroy(message_take);
        return;
    }
    raski_actor_send(&self->actor, executor->address, message_take);
}

/* ---------------------------------------------------------------- slots */

static void declare(raski_job_master *self, size_t slots) {
    if (slots == self->declared_slots) return;
    self->declared_slots = slots;
    raski_message *message = raski_message_create(&raski_message_declare_requirement);
    *RASKI_PAYLOAD(message, raski_declare_requirement_message) =
        (raski_declare_requirement_message){raski_job_master_contact(self), slots};
    raski_actor_send(&self->actor, self->services.resource_manager, message);
}

static void answer_offer(raski_job_master *self, const raski_message *offer, uint64_t allocation,
                         bool accepted) {
    raski_message *message = raski_message_create(&raski_message_slot_answer);
    *RASKI_PAYLOAD(message, raski_slot_answer_message) =
        (raski_slot_answer_message){allocation, accepted};
    raski_actor_send(&self->actor, offer->reply_to, message);
}

static void on_offer_slot(raski_job_master *self, raski_message *message) {
    const raski_offer_slot_message *offer = RASKI_PAYLOAD(message, raski_offer_slot_message);
    raski_slot slot = {offer->task_executor, offer->allocation, offer->slot};
    bool accepted =
        !self->has_ended && raski_slot_pool_offer(&self->pool, &slot, message->reply_to);
    if (accepted) {
        raski_known_executor *executor = raski_job_master_find_executor(self, offer->task_executor);
        if (executor == NULL) {
            raski_known_executor fresh = {.number = offer->task_executor};
            raski_vec_push(&self->executors, fresh);
            executor = &self->executors.items[self->executors.count - 1];
        }
        executor->address = message->reply_to;
        raski_heartbeat_watch(&self->heartbeat, executor->number, executor->address);
    }
    answer_offer(self, message, offer->allocation, accepted);
}

static raski_failure *no_resources(const raski_job_master *self, const char *why) {
    raski_str text = {0};
    const raski_job_graph *graph = self->submission.graph;
    raski_str_appendf(&text, "Could not acquire the minimum required resources. %s Needed: ", why);
    for (size_t g = 0; g < graph->slot_groups.count; g++) {
        const raski_slot_group *group = graph->slot_groups.items[g];
        int most = 1;
        for (size_t v = 0; v < group->vertices.count; v++)
            if (group->vertices.items[v]->parallelism > most)
                most = group->vertices.items[v]->parallelism;
        raski_str_appendf(&text, "%s%d in slot sharing group '%s'", g == 0 ? "" : ", ", most,
                          group->name != NULL ? group->name : "default");
    }
    raski_str_append(&text,
                     ". Lower the parallelism, put operators into one slot sharing group, or raise "
                     "taskmanager.numberOfTaskSlots.");
    raski_failure *failure = raski_failure_create(
        RASKI_CLASS_EXTERNAL, "NoResourceAvailableException", "%s", raski_str_text(&text));
    raski_str_free(&text);
    return failure;
}

static void fail_request(raski_job_master *self, uint64_t request, const char *why) {
    self->scheduler.vtable->slot_failed(self->scheduler.self, request, no_resources(self, why));
}

static void on_slot_timeout(raski_job_master *self, uint64_t request) {
    const raski_pool_request *entry = raski_slot_pool_find_request(&self->pool, request);
    if (entry == NULL || entry->allocation != 0) return;
    char *why = raski_format("No slot came free within %lld ms (slot.request.timeout).",
                             (long long)self->services.options->slot_request_timeout_ms);
    fail_request(self, request, why);
    raski_free(why);
}

/* A region that ends gives its slots back, so only what one bulk needs at once must be there. That
 * regions of a streaming job end is not sure: those that wait have until slot.request.timeout, as
 * in Flink. */
static bool can_never_have(const raski_job_master *self, const raski_pool_request *request,
                           size_t slots) {
    size_t needed = 0;
    for (size_t i = 0; i < self->pool.requests.count; i++)
        needed += self->pool.requests.items[i].bulk == request->bulk;
    return needed > slots;
}

static void on_not_enough_slots(raski_job_master *self, size_t slots) {
    RASKI_VEC(uint64_t) hopeless = {0};
    for (size_t i = 0; i < self->pool.requests.count; i++) {
        const raski_pool_request *request = &self->pool.requests.items[i];
        if (request->allocation == 0 && can_never_have(self, request, slots))
            raski_vec_push(&hopeless, request->request);
    }
    if (hopeless.count == 0 && strcmp(self->submission.graph->job_type, "BATCH") != 0)
        RASKI_LOG(WARN, "job master",
                  "job '%s': %zu slot%s too few to run all of it at once; tasks without a slot "
                  "wait until others have ended, at most %lld ms (slot.request.timeout)",
                  self->submission.graph->name, slots, slots == 1 ? " is" : "s are",
                  (long long)self->services.options->slot_request_timeout_ms);
    char *why = raski_format("The cluster has %zu slot%s.", slots, slots == 1 ? "" : "s");
    for (size_t i = 0; i < hopeless.count; i++)
        if (raski_slot_pool_find_request(&self->pool, hopeless.items[i]) != NULL)
            fail_request(self, hopeless.items[i], why);
    raski_free(why);
    raski_vec_free(&hopeless);
}

/* ---------------------------------------------------------------- task executors */

static void on_executor_lost(raski_job_master *self, uint64_t number) {
    RASKI_LOG(WARN, "job master", "job '%s': task executor %llu was not heard of",
              self->submission.graph->name, (unsigned long long)number);
    /* If it is there after all, it must not go on. */
    raski_message *message = raski_message_create(&raski_message_clear_job);
    *RASKI_PAYLOAD(message, raski_clear_job_message) =
        (raski_clear_job_message){self->submission.graph->job_id, ++self->last_clear_request};
    raski_job_master_send_to(self, number, message);
    raski_known_executor *executor = raski_job_master_find_executor(self, number);
    if (executor != NULL) *executor = self->executors.items[--self->executors.count];
    raski_slot_pool_remove_task_executor(&self->pool, number);
    if (self->has_ended) return;
    self->scheduler.vtable->task_executor_lost(
        self->scheduler.self, number,
        raski_failure_create(RASKI_CLASS_EXTERNAL, "TimeoutException",
                             "task executor %llu was not heard of for %lld ms",
                             (unsigned long long)number,
                             (long long)self->services.options->heartbeat_timeout_ms));
}

static void on_heartbeat_tick(raski_job_master *self) {
    for (uint64_t lost; (lost = raski_heartbeat_take_lost(&self->heartbeat)) != 0;)
        on_executor_lost(self, lost);
    raski_heartbeat_ask_all(&self->heartbeat);
}

/* ---------------------------------------------------------------- progress */

static void schedule_progress(raski_job_master *self) {
    if (self->submission.progress != NULL)
        (void)raski_actor_schedule(&self->actor, self->submission.progress_interval_ms,
                                   raski_message_create(&raski_message_progress_tick));
}

static void on_progress_tick(raski_job_master *self) {
    if (self->has_ended) return;
    for (size_t i = 0; i < self->executors.count; i++) {
        raski_message *message = raski_message_create(&raski_message_ask_counters);
        RASKI_PAYLOAD(message, raski_ask_counters_message)->job_id = self->submission.graph->job_id;
        raski_actor_send(&self->actor, self->executors.items[i].address, message);
    }
    raski_job_master_tell_progress(self);
    schedule_progress(self);
}

static void on_task_counters(raski_job_master *self, const raski_task_counters_message *told) {
    for (size_t i = 0; i < told->tasks.count; i++)
        self->scheduler.vtable->update_counters(self->scheduler.self, told->tasks.items[i].attempt,
                                                &told->tasks.items[i].counters);
}

/* ---------------------------------------------------------------- the end */

static void clear_executors(raski_job_master *self) {
    self->is_clearing = true;
    for (size_t i = 0; i < self->executors.count; i++) {
        raski_known_executor *executor = &self->executors.items[i];
        executor->clear_request = ++self->last_clear_request;
        raski_message *message = raski_message_create(&raski_message_clear_job);
        *RASKI_PAYLOAD(message, raski_clear_job_message) =
            (raski_clear_job_message){self->submission.graph->job_id, executor->clear_request};
        raski_actor_send(&self->actor, executor->address, message);
    }
}

static void on_job_cleared(raski_job_master *self, const raski_job_cleared_message *cleared) {
    raski_known_executor *executor = raski_job_master_find_executor(self, cleared->task_executor);
    if (executor == NULL || executor->clear_request == 0 ||
        executor->clear_request != cleared->request)
        return; /* of an executor that was given up */
    raski_heartbeat_unwatch(&self->heartbeat, executor->number);
    *executor = self->executors.items[--self->executors.count];
}

static void finish(raski_job_master *self) {
    self->is_finished = true;
    raski_coordinators_close(self->coordinators);
    raski_message *message = raski_message_create(&raski_message_job_finished);
    *RASKI_PAYLOAD(message, raski_job_finished_message) =
        (raski_job_finished_message){self->submission.graph->job_id, raski_job_master_result(self)};
    raski_actor_send(&self->actor, self->services.dispatcher, message);
}

/* What follows from the message at hand: slots go to requests, the resource manager hears of
 * changed needs, and a job that has ended is cleared away. */
static void settle(raski_job_master *self) {
    if (!self->has_ended) {
        for (const raski_pool_slot *slot;
             (slot = raski_slot_pool_assign(&self->pool)) != NULL && !self->has_ended;) {
            raski_pool_slot assigned = *slot;
            self->scheduler.vtable->slot_ready(self->scheduler.self, assigned.request,
                                               &assigned.slot);
        }
    }
    declare(self, self->has_ended ? 0 : self->pool.requests.count);
    if (self->has_ended && !self->is_clearing) clear_executors(self);
    if (self->is_clearing && !self->is_finished && self->executors.count == 0) finish(self);
}

/* ---------------------------------------------------------------- messages */

static void on_start(raski_job_master *self) {
    raski_error err = {0};
    if (raski_coordinators_start(self->coordinators, &err) != RASK_OK)
        self->scheduler.vtable->handle_global_failure(self->scheduler.self,
                                                      raski_failure_from_error(&err));
    self->scheduler.vtable->start_scheduling(self->scheduler.self);
    schedule_progress(self);
}

static void on_task_update(raski_job_master *self, raski_task_update_message *update) {
    raski_failure *failure = update->failure;
    update->failure = NULL;
    (void)self->scheduler.vtable->update_task_state(
        self->scheduler.self, update->attempt, update->state, failure,
        update->has_counters ? &update->counters : NULL);
}

static void on_coordinator_failed(raski_job_master *self,
                                  raski_coordinator_failed_message *failed) {
    raski_failure *failure = failed->failure;
    failed->failure = NULL;
    self->scheduler.vtable->handle_global_failure(self->scheduler.self, failure);
}

/* What is only of interest while the job runs. */
static void receive_running(raski_job_master *self, raski_message *message) {
    const raski_message_type *type = message->type;
    if (type == &raski_message_start_job) {
        on_start(self);
    } else if (type == &raski_message_cancel_job) {
        self->scheduler.vtable->cancel(self->scheduler.self);
    } else if (type == &raski_message_task_update) {
        on_task_update(self, RASKI_PAYLOAD(message, raski_task_update_message));
    } else if (type == &raski_message_operator_event) {
        const raski_operator_event_message *event =
            RASKI_PAYLOAD(message, raski_operator_event_message);
        raski_coordinators_handle_event(self->coordinators, event->attempt, event->operator_id,
                                        event->bytes, event->length);
    } else if (type == &raski_message_coordinator_failed) {
        on_coordinator_failed(self, RASKI_PAYLOAD(message, raski_coordinator_failed_message));
    } else if (type == &raski_message_coordinator_timer) {
        raski_coordinators_timer(self->coordinators,
                                 RASKI_PAYLOAD(message, raski_number_message)->number);
    } else if (type == &raski_message_scheduler_timer) {
        self->scheduler.vtable->on_timer(self->scheduler.self,
                                         RASKI_PAYLOAD(message, raski_number_message)->number);
    } else if (type == &raski_message_slot_timeout) {
        on_slot_timeout(self, RASKI_PAYLOAD(message, raski_number_message)->number);
    } else if (type == &raski_message_not_enough_slots) {
        on_not_enough_slots(self, RASKI_PAYLOAD(message, raski_not_enough_slots_message)->slots);
    } else if (type == &raski_message_task_counters) {
        on_task_counters(self, RASKI_PAYLOAD(message, raski_task_counters_message));
    } else if (type == &raski_message_progress_tick) {
        on_progress_tick(self);
    } else {
        RASKI_LOG(ERROR, "job master", "message %s is not for a job master", type->name);
    }
}

static void receive(void *self_, raski_message *message) {
    raski_job_master *self = self_;
    const raski_message_type *type = message->type;
    if (self->is_finished) return;
    if (type == &raski_message_offer_slot)
        on_offer_slot(self, message);
    else if (type == &raski_message_job_cleared)
        on_job_cleared(self, RASKI_PAYLOAD(message, raski_job_cleared_message));
    else if (type == &raski_message_heartbeat)
        raski_heartbeat_heard(&self->heartbeat,
                              RASKI_PAYLOAD(message, raski_heartbeat_message)->task_executor);
    else if (type == &raski_message_heartbeat_tick)
        on_heartbeat_tick(self);
    else if (!self->has_ended)
        receive_running(self, message);
    settle(self);
}

/* ---------------------------------------------------------------- life */

rask_status raski_job_master_create(const raski_job_master_services *services,
                                    const raski_job_submission *submission,
                                    raski_job_master **ret_master, raski_error *err) {
    raski_job_master *self = RASKI_NEW(raski_job_master);
    self->services = *services;
    self->submission = *submission;
    raski_actor_init(&self->actor, services->executor, "job master", receive, self);
    self->actor.epoch = services->epoch;
    self->start_ms = self->end_ms = raski_actor_now_ms(&self->actor);
    raski_heartbeat_init(&self->heartbeat, &self->actor, services->options->heartbeat_interval_ms,
                         services->options->heartbeat_timeout_ms);
    const raski_default_scheduler_options options = {
        .restart = services->options->restart,
        .failover = services->options->failover,
        .slot_sharing = RASKI_SLOT_SHARING_LOCAL_INPUT,
        .attempts_history_max = (size_t)services->options->attempts_history_max,
        .listener = raski_job_master_listener(self),
    };
    raski_scheduler_host host = raski_job_master_scheduler_host(self);
    raski_coordinator_host coordinator_host = raski_job_master_coordinator_host(self);
    rask_status status =
        raski_default_scheduler_create(submission->graph, &options, &host, &self->scheduler, err);
    if (status == RASK_OK)
        status = raski_coordinators_create(raski_job_master_graph(self), submission->coordinators,
                                           submission->coordinator_count, &coordinator_host,
                                           &self->coordinators, err);
    if (status != RASK_OK) {
        raski_job_master_destroy(self);
        return status;
    }
    *ret_master = self;
    return RASK_OK;
}

void raski_job_master_destroy(raski_job_master *master_take) {
    if (master_take == NULL) return;
    raski_actor_close(&master_take->actor);
    raski_coordinators_destroy(master_take->coordinators);
    if (master_take->scheduler.vtable != NULL)
        master_take->scheduler.vtable->destroy(master_take->scheduler.self);
    raski_heartbeat_fini(&master_take->heartbeat);
    raski_slot_pool_fini(&master_take->pool);
    raski_vec_free(&master_take->executors);
    raski_free(master_take);
}

raski_address raski_job_master_address(const raski_job_master *master) {
    return raski_actor_address(&master->actor);
}

raski_id raski_job_master_job_id(const raski_job_master *master) {
    return master->submission.graph->job_id;
}
