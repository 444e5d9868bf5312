#include "cluster/resource_manager.h"

#include "base/alloc.h"
#include "base/log.h"
#include "cluster/heartbeat.h"
#include "cluster/messages.h"

typedef struct managed_executor {
    uint64_t number;
    raski_address address;
    RASKI_VEC(raski_slot_report) slots;
} managed_executor;

typedef struct requiring_job {
    raski_job_contact contact;
    size_t required;
    size_t told_slots; /* when it was last told that the cluster has too few; SIZE_MAX: never */
} requiring_job;

struct raski_resource_manager {
    raski_actor actor;
    size_t expected_executors;
    bool makes_slots; /* as they are needed: too few are only too few for now */
    raski_heartbeat heartbeat;
    RASKI_VEC(managed_executor) executors;
    RASKI_VEC(requiring_job) jobs; /* in the order of their first requirement */
    uint64_t last_allocation;
};

static size_t count_slots(const raski_resource_manager *self) {
    size_t count = 0;
    for (size_t e = 0; e < self->executors.count; e++)
        count += self->executors.items[e].slots.count;
    return count;
}

static size_t count_slots_of(const raski_resource_manager *self, raski_id job_id) {
    size_t count = 0;
    for (size_t e = 0; e < self->executors.count; e++) {
        const managed_executor *executor = &self->executors.items[e];
        for (size_t s = 0; s < executor->slots.count; s++)
            count += executor->slots.items[s].allocation != 0 &&
                     raski_id_equals(executor->slots.items[s].job_id, job_id);
    }
    return count;
}

/* Gives the first free slot to a job; false: none is free. */
static bool give_slot(raski_resource_manager *self, const requiring_job *job) {
    for (size_t e = 0; e < self->executors.count; e++) {
        managed_executor *executor = &self->executors.items[e];
        for (size_t s = 0; s < executor->slots.count; s++) {
            if (executor->slots.items[s].allocation != 0) continue;
            executor->slots.items[s] =
                (raski_slot_report){++self->last_allocation, job->contact.job_id};
            raski_message *message = raski_message_create(&raski_message_request_slot);
            *RASKI_PAYLOAD(message, raski_request_slot_message) =
                (raski_request_slot_message){s, self->last_allocation, job->contact};
            raski_actor_send(&self->actor, executor->address, message);
            return true;
        }
    }
    return false;
}

static void tell_not_enough(raski_resource_manager *self, requiring_job *job) {
    size_t slots = count_slots(self);
    if (self->makes_slots || self->executors.count < self->expected_executors ||
        job->required <= slots || job->told_slots == slots)
        return;
    job->told_slots = slots;
    raski_message *message = raski_message_create(&raski_message_not_enough_slots);
    RASKI_PAYLOAD(message, raski_not_enough_slots_message)->slots = slots;
    message->epoch = job->contact.epoch;
    raski_actor_send(&self->actor, job->contact.job_master, message);
}

static void fulfil(raski_resource_manager *self) {
    for (size_t j = 0; j < self->jobs.count; j++) {
        requiring_job *job = &self->jobs.items[j];
        size_t given = count_slots_of(self, job->contact.job_id);
        while (given < job->required && give_slot(self, job)) given++;
        if (given < job->required) tell_not_enough(self, job);
    }
}

static requiring_job *find_job(raski_resource_manager *self, raski_id job_id) {
    for (size_t j = 0; j < self->jobs.count; j++)
        if (raski_id_equals(self->jobs.items[j].contact.job_id, job_id))
            return &self->jobs.items[j];
    return NULL;
}

static void on_declare(raski_resource_manager *self,
                       const raski_declare_requirement_message *declared) {
    requiring_job *job = find_job(self, declared->job.job_id);
    if (declared->slots == 0) {
        if (job == NULL) return;
        for (size_t j = (size_t)(job - self->jobs.items) + 1; j < self->jobs.count; j++)
            self->jobs.items[j - 1] = self->jobs.items[j];
        self->jobs.count--;
        return;
    }
    if (job == NULL) {
        requiring_job fresh = {.contact = declared->job};
        raski_vec_push(&self->jobs, fresh);
        job = &self->jobs.items[self->jobs.count - 1];
    }
    if (declared->slots > job->required) job->told_slots = SIZE_MAX;
    job->contact = declared->job;
    job->required = declared->slots;
    fulfil(self);
}

static managed_executor *find_executor(raski_resource_manager *self, uint64_t number) {
    for (size_t e = 0; e < self->executors.count; e++)
        if (self->executors.items[e].number == number) return &self->executors.items[e];
    return NULL;
}

static void on_register(raski_resource_manager *self, raski_message *message) {
    raski_register_task_executor_message *registration =
        RASKI_PAYLOAD(message, raski_register_task_executor_message);
    managed_executor *executor = find_executor(self, registration->task_executor);
    if (executor == NULL) {
        managed_executor fresh = {.number = registration->task_executor};
        raski_vec_push(&self->executors, fresh);
        executor = &self->executors.items[self->executors.count - 1];
    }
    executor->address = message->reply_to;
    raski_heartbeat_watch(&self->heartbeat, executor->number, executor->address);
    for (size_t s = 0; s < registration->slots.count; s++) {
        if (s >= executor->slots.count)
            raski_vec_push(&executor->slots, registration->slots.items[s]);
        /* A slot known before may have been given away since this was written: what is known here
         * stands, and slot_free tells when that ends. */
    }
    RASKI_LOG(INFO, "resource manager", "task executor %llu has %zu slots",
              (unsigned long long)executor->number, executor->slots.count);
    fulfil(self);
}

static void on_slot_free(raski_resource_manager *self, const raski_slot_free_message *told) {
    managed_executor *executor = find_executor(self, told->task_executor);
    if (executor == NULL || told->slot >= executor->slots.count) return;
    raski_slot_report *slot = &executor->slots.items[told->slot];
    if (slot->allocation != told->allocation) return; /* of an earlier use */
    *slot = (raski_slot_report){0};
    fulfil(self);
}

static void on_heartbeat_tick(raski_resource_manager *self) {
    for (uint64_t lost; (lost = raski_heartbeat_take_lost(&self->heartbeat)) != 0;) {
        managed_executor *executor = find_executor(self, lost);
        if (executor == NULL) continue;
        RASKI_LOG(WARN, "resource manager", "task executor %llu was not heard of for %lld ms",
                  (unsigned long long)lost, (long long)self->heartbeat.timeout_ms);
        /* If it is there after all, it may come back. */
        raski_actor_send(&self->actor, executor->address,
                         raski_message_create(&raski_message_set_slots));
        raski_vec_free(&executor->slots);
        *executor = self->executors.items[--self->executors.count];
    }
    raski_heartbeat_ask_all(&self->heartbeat);
    fulfil(self);
}

static void receive(void *self_, raski_message *message) {
    raski_resource_manager *self = self_;
    const raski_message_type *type = message->type;
    if (type == &raski_message_declare_requirement)
        on_declare(self, RASKI_PAYLOAD(message, raski_declare_requirement_message));
    else if (type == &raski_message_register_task_executor)
        on_register(self, message);
    else if (type == &raski_message_slot_free)
        on_slot_free(self, RASKI_PAYLOAD(message, raski_slot_free_message));
    else if (type == &raski_message_heartbeat)
        raski_heartbeat_heard(&self->heartbeat,
                              RASKI_PAYLOAD(message, raski_heartbeat_message)->task_executor);
    else if (type == &raski_message_heartbeat_tick)
        on_heartbeat_tick(self);
    else
        RASKI_LOG(ERROR, "resource manager", "message %s is not for a resource manager",
                  type->name);
}

raski_resource_manager *raski_resource_manager_create(raski_executor *executor,
                                                      const raski_cluster_options *options) {
    raski_resource_manager *self = RASKI_NEW(raski_resource_manager);
    self->expected_executors = (size_t)options->task_executors;
    self->makes_slots = options->slots_per_task_executor == RASKI_SLOTS_AS_NEEDED;
    raski_actor_init(&self->actor, executor, "resource manager", receive, self);
    raski_heartbeat_init(&self->heartbeat, &self->actor, options->heartbeat_interval_ms,
                         options->heartbeat_timeout_ms);
    return self;
}

void raski_resource_manager_destroy(raski_resource_manager *manager_take) {
    if (manager_take == NULL) return;
    raski_actor_close(&manager_take->actor);
    raski_heartbeat_fini(&manager_take->heartbeat);
    for (size_t e = 0; e < manager_take->executors.count; e++)
        raski_vec_free(&manager_take->executors.items[e].slots);
    raski_vec_free(&manager_take->executors);
    raski_vec_free(&manager_take->jobs);
    raski_free(manager_take);
}

raski_address raski_resource_manager_address(const raski_resource_manager *manager) {
    return raski_actor_address(&manager->actor);
}

size_t raski_resource_manager_slots_in_use(const raski_resource_manager *manager) {
    size_t count = 0;
    for (size_t e = 0; e < manager->executors.count; e++)
        for (size_t s = 0; s < manager->executors.items[e].slots.count; s++)
            count += manager->executors.items[e].slots.items[s].allocation != 0;
    return count;
}
