/* The task executor: slots, jobs, and the messages about them. Tasks are in task_table.c. */
#include "taskexecutor/task_executor.h"

#include "base/alloc.h"
#include "base/log.h"
#include "taskexecutor/messages.h"
#include "taskexecutor/task_table.h"

typedef enum slot_state {
    SLOT_FREE,
    SLOT_OFFERED, /* to a job master that has not answered */
    SLOT_ACTIVE,
    SLOT_RELEASING, /* becomes free when the last task in it has ended */
} slot_state;

typedef struct task_slot {
    slot_state state;
    uint64_t allocation; /* not FREE */
    raski_job_contact job;
    uint64_t offer_timer; /* OFFERED */
} task_slot;

/* A job that is to leave nothing behind; asker waits to hear that. */
typedef struct clearing_job {
    raski_clear_job_message request;
    raski_address asker;
    uint64_t epoch;
} clearing_job;

struct raski_task_executor {
    raski_actor actor;
    raski_task_executor_options options;
    raski_partition_registry *registry;
    raski_task_table tasks;
    RASKI_VEC(task_slot) slots;
    RASKI_VEC(clearing_job) clearing;
};

/* ---------------------------------------------------------------- slots */

static void register_self(raski_task_executor *self) {
    raski_message *message = raski_message_create(&raski_message_register_task_executor);
    raski_register_task_executor_message *registration =
        RASKI_PAYLOAD(message, raski_register_task_executor_message);
    registration->task_executor = self->options.number;
    for (size_t i = 0; i < self->slots.count; i++) {
        const task_slot *slot = &self->slots.items[i];
        raski_vec_push(&registration->slots,
                       (raski_slot_report){slot->allocation, slot->job.job_id});
    }
    raski_actor_send(&self->actor, self->options.resource_manager, message);
}

static void set_slots(raski_task_executor *self, size_t count) {
    while (self->slots.count < count) raski_vec_push(&self->slots, (task_slot){.state = SLOT_FREE});
    register_self(self);
}

static task_slot *find_slot(raski_task_executor *self, uint64_t allocation) {
    for (size_t i = 0; i < self->slots.count; i++)
        if (self->slots.items[i].state != SLOT_FREE &&
            self->slots.items[i].allocation == allocation)
            return &self->slots.items[i];
    return NULL;
}

static void send_slot_free(raski_task_executor *self, size_t slot, uint64_t allocation) {
    raski_message *message = raski_message_create(&raski_message_slot_free);
    *RASKI_PAYLOAD(message, raski_slot_free_message) =
        (raski_slot_free_message){self->options.number, slot, allocation};
    raski_actor_send(&self->actor, self->options.resource_manager, message);
}

static void free_slot(raski_task_executor *self, task_slot *slot) {
    uint64_t allocation = slot->allocation;
    (void)raski_actor_cancel_timer(&self->actor, slot->offer_timer);
    *slot = (task_slot){.state = SLOT_FREE};
    send_slot_free(self, (size_t)(slot - self->slots.items), allocation);
}

/* Frees a slot now, or when the tasks in it have ended. */
static void release_slot(raski_task_executor *self, task_slot *slot) {
    slot->state = SLOT_RELEASING;
    if (raski_task_table_cancel_in_slot(&self->tasks, slot->allocation) == 0) free_slot(self, slot);
}

static void on_request_slot(raski_task_executor *self, const raski_request_slot_message *request) {
    if (request->slot >= self->slots.count || self->slots.items[request->slot].state != SLOT_FREE) {
        /* The resource manager knows better when it has heard what this one has said. */
        send_slot_free(self, request->slot, request->allocation);
        return;
    }
    raski_message *timeout = raski_message_create(&raski_message_offer_timeout);
    RASKI_PAYLOAD(timeout, raski_offer_timeout_message)->allocation = request->allocation;
    self->slots.items[request->slot] = (task_slot){
        .state = SLOT_OFFERED,
        .allocation = request->allocation,
        .job = request->job,
        .offer_timer = raski_actor_schedule(&self->actor, self->options.slot_timeout_ms, timeout),
    };
    raski_message *offer = raski_message_create(&raski_message_offer_slot);
    *RASKI_PAYLOAD(offer, raski_offer_slot_message) =
        (raski_offer_slot_message){self->options.number, request->slot, request->allocation};
    offer->epoch = request->job.epoch;
    raski_actor_send(&self->actor, request->job.job_master, offer);
}

static void on_slot_answer(raski_task_executor *self, const raski_slot_answer_message *answer) {
    task_slot *slot = find_slot(self, answer->allocation);
    if (slot == NULL || slot->state != SLOT_OFFERED) return;
    if (!answer->accepted) {
        free_slot(self, slot);
        return;
    }
    (void)raski_actor_cancel_timer(&self->actor, slot->offer_timer);
    slot->offer_timer = 0;
    slot->state = SLOT_ACTIVE;
}

/* Whoever does not answer has no use for the slot. */
static void on_offer_timeout(raski_task_executor *self, uint64_t allocation) {
    task_slot *slot = find_slot(self, allocation);
    if (slot == NULL || slot->state != SLOT_OFFERED) return;
    slot->offer_timer = 0;
    release_slot(self, slot);
}

static void on_free_slot(raski_task_executor *self, uint64_t allocation) {
    task_slot *slot = find_slot(self, allocation);
    if (slot != NULL && slot->state != SLOT_RELEASING) release_slot(self, slot);
}

/* ---------------------------------------------------------------- jobs */

static void finish_clearing(raski_task_executor *self) {
    for (size_t i = 0; i < self->clearing.count;) {
        const clearing_job *job = &self->clearing.items[i];
        if (raski_task_table_count_job(&self->tasks, job->request.job_id) > 0) {
            i++;
            continue;
        }
        raski_partition_registry_remove_job(self->registry, job->request.job_id,
                                            self->options.number);
        raski_message *message = raski_message_create(&raski_message_job_cleared);
        *RASKI_PAYLOAD(message, raski_job_cleared_message) =
            (raski_job_cleared_message){self->options.number, job->request.request};
        message->epoch = job->epoch;
        raski_actor_send(&self->actor, job->asker, message);
        self->clearing.items[i] = self->clearing.items[--self->clearing.count];
    }
}

static void on_clear_job(raski_task_executor *self, raski_message *message) {
    const raski_clear_job_message *clear = RASKI_PAYLOAD(message, raski_clear_job_message);
    raski_id job_id = clear->job_id;
    (void)raski_task_table_cancel_job(&self->tasks, job_id);
    for (size_t i = 0; i < self->slots.count; i++) {
        task_slot *slot = &self->slots.items[i];
        if (slot->state != SLOT_FREE && slot->state != SLOT_RELEASING &&
            raski_id_equals(slot->job.job_id, job_id))
            release_slot(self, slot);
    }
    clearing_job job = {*clear, message->reply_to, message->epoch};
    raski_vec_push(&self->clearing, job);
    finish_clearing(self);
}

/* Called by the task table when a task is gone. */
static void on_task_gone(void *ctx, uint64_t allocation) {
    raski_task_executor *self = ctx;
    task_slot *slot = find_slot(self, allocation);
    if (slot != NULL && slot->state == SLOT_RELEASING &&
        raski_task_table_count_in_slot(&self->tasks, allocation) == 0)
        free_slot(self, slot);
    finish_clearing(self);
}

static void on_submit_task(raski_task_executor *self, raski_submit_task_message *submit) {
    const task_slot *slot = find_slot(self, submit->allocation);
    bool is_ours = slot != NULL && slot->state != SLOT_RELEASING &&
                   raski_id_equals(slot->job.job_id, submit->attempt.job_id);
    raski_task_table_submit(&self->tasks, submit,
                            is_ours ? (size_t)(slot - self->slots.items) : RASKI_NO_SLOT);
}

/* ---------------------------------------------------------------- messages */

static void answer_heartbeat(raski_task_executor *self, const raski_message *message) {
    raski_message *answer = raski_message_create(&raski_message_heartbeat);
    RASKI_PAYLOAD(answer, raski_heartbeat_message)->task_executor = self->options.number;
    answer->epoch = message->epoch;
    raski_actor_send(&self->actor, message->reply_to, answer);
}

static void answer_counters(raski_task_executor *self, raski_message *message) {
    raski_message *answer = raski_message_create(&raski_message_task_counters);
    raski_task_table_counters(&self->tasks,
                              RASKI_PAYLOAD(message, raski_ask_counters_message)->job_id,
                              RASKI_PAYLOAD(answer, raski_task_counters_message));
    answer->epoch = message->epoch;
    raski_actor_send(&self->actor, message->reply_to, answer);
}

static void receive(void *self_, raski_message *message) {
    raski_task_executor *self = self_;
    const raski_message_type *type = message->type;
    if (raski_task_table_receive(&self->tasks, message)) return;
    if (type == &raski_message_request_slot)
        on_request_slot(self, RASKI_PAYLOAD(message, raski_request_slot_message));
    else if (type == &raski_message_slot_answer)
        on_slot_answer(self, RASKI_PAYLOAD(message, raski_slot_answer_message));
    else if (type == &raski_message_offer_timeout)
        on_offer_timeout(self, RASKI_PAYLOAD(message, raski_offer_timeout_message)->allocation);
    else if (type == &raski_message_free_slot)
        on_free_slot(self, RASKI_PAYLOAD(message, raski_free_slot_message)->allocation);
    else if (type == &raski_message_submit_task)
        on_submit_task(self, RASKI_PAYLOAD(message, raski_submit_task_message));
    else if (type == &raski_message_release_partition)
        raski_partition_registry_remove(
            self->registry, RASKI_PAYLOAD(message, raski_release_partition_message)->job_id,
            RASKI_PAYLOAD(message, raski_release_partition_message)->partition);
    else if (type == &raski_message_clear_job)
        on_clear_job(self, message);
    else if (type == &raski_message_ask_counters)
        answer_counters(self, message);
    else if (type == &raski_message_ask_heartbeat)
        answer_heartbeat(self, message);
    else if (type == &raski_message_set_slots)
        set_slots(self, RASKI_PAYLOAD(message, raski_set_slots_message)->slots);
    else
        RASKI_LOG(ERROR, "task executor", "message %s is not for a task executor", type->name);
}

raski_task_executor *raski_task_executor_create(raski_executor *executor,
                                                const raski_task_executor_options *options,
                                                const raski_task_factory *factory,
                                                raski_partition_registry *registry) {
    RASKI_ASSERT(options->number != 0);
    raski_task_executor *self = RASKI_NEW(raski_task_executor);
    self->options = *options;
    self->registry = registry;
    raski_actor_init(&self->actor, executor, "task executor", receive, self);
    raski_task_table_init(&self->tasks, &self->actor, options->number, factory, registry,
                          options->partition_request_timeout_ms, on_task_gone, self);
    set_slots(self, options->slots);
    return self;
}

void raski_task_executor_destroy(raski_task_executor *task_executor_take) {
    raski_task_executor *self = task_executor_take;
    if (self == NULL) return;
    raski_task_table_fini(&self->tasks);
    raski_partition_registry_remove_task_executor(self->registry, self->options.number);
    raski_actor_close(&self->actor);
    raski_vec_free(&self->slots);
    raski_vec_free(&self->clearing);
    raski_free(self);
}

raski_address raski_task_executor_address(const raski_task_executor *task_executor) {
    return raski_actor_address(&task_executor->actor);
}

uint64_t raski_task_executor_number(const raski_task_executor *task_executor) {
    return task_executor->options.number;
}

size_t raski_task_executor_task_count(const raski_task_executor *task_executor) {
    return raski_task_table_count(&task_executor->tasks);
}

size_t raski_task_executor_slots_in_use(const raski_task_executor *task_executor) {
    size_t count = 0;
    for (size_t i = 0; i < task_executor->slots.count; i++)
        count += task_executor->slots.items[i].state != SLOT_FREE;
    return count;
}
