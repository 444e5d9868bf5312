#include "cluster/dispatcher.h"

#include "base/alloc.h"
#include "base/log.h"
#include "cluster/job_master.h"
#include "cluster/messages.h"

typedef struct dispatched_job {
    raski_job_master *master;
    raski_job_done_fn done;
    void *ctx;
} dispatched_job;

struct raski_dispatcher {
    raski_actor actor;
    raski_address resource_manager;
    const raski_cluster_options *options;
    RASKI_VEC(dispatched_job) jobs;
    uint64_t last_epoch;
    bool cancel_next; /* a cancel came while there was no job */
};

static dispatched_job *find_job(const raski_dispatcher *self, raski_id job_id) {
    for (size_t i = 0; i < self->jobs.count; i++)
        if (raski_id_equals(raski_job_master_job_id(self->jobs.items[i].master), job_id))
            return &self->jobs.items[i];
    return NULL;
}

static void send_to(raski_dispatcher *self, const raski_job_master *master,
                    const raski_message_type *type) {
    raski_actor_send(&self->actor, raski_job_master_address(master), raski_message_create(type));
}

static void refuse(const raski_submit_job_message *submit, const raski_error *err) {
    submit->done(submit->ctx, NULL, err);
}

static void on_submit(raski_dispatcher *self, const raski_submit_job_message *submit) {
    raski_error err = {0};
    char hex[RASKI_ID_HEX_SIZE];
    if (find_job(self, submit->submission.graph->job_id) != NULL) {
        (void)RASKI_FAIL(&err, RASK_E_ARGUMENT, USER, "job %s is running already",
                         raski_id_to_hex(submit->submission.graph->job_id, hex));
        refuse(submit, &err);
        return;
    }
    const raski_job_master_services services = {
        .executor = self->actor.executor,
        .dispatcher = raski_actor_address(&self->actor),
        .resource_manager = self->resource_manager,
        .options = self->options,
        .epoch = ++self->last_epoch,
    };
    dispatched_job job = {.done = submit->done, .ctx = submit->ctx};
    if (raski_job_master_create(&services, &submit->submission, &job.master, &err) != RASK_OK) {
        refuse(submit, &err);
        return;
    }
    raski_vec_push(&self->jobs, job);
    if (self->cancel_next) send_to(self, job.master, &raski_message_cancel_job);
    self->cancel_next = false;
    send_to(self, job.master, &raski_message_start_job);
}

static void on_cancel(raski_dispatcher *self) {
    self->cancel_next = self->jobs.count == 0;
    for (size_t i = 0; i < self->jobs.count; i++)
        send_to(self, self->jobs.items[i].master, &raski_message_cancel_job);
}

static void on_finished(raski_dispatcher *self, raski_job_finished_message *finished) {
    dispatched_job *found = find_job(self, finished->job_id);
    if (found == NULL) return;
    dispatched_job job = *found;
    *found = self->jobs.items[--self->jobs.count];
    raski_job_master_destroy(job.master);
    raski_job_result *result = finished->result;
    finished->result = NULL;
    job.done(job.ctx, result, NULL);
}

static void receive(void *self_, raski_message *message) {
    raski_dispatcher *self = self_;
    const raski_message_type *type = message->type;
    if (type == &raski_message_submit_job)
        on_submit(self, RASKI_PAYLOAD(message, raski_submit_job_message));
    else if (type == &raski_message_cancel_jobs)
        on_cancel(self);
    else if (type == &raski_message_job_finished)
        on_finished(self, RASKI_PAYLOAD(message, raski_job_finished_message));
    else
        RASKI_LOG(ERROR, "dispatcher", "message %s is not for a dispatcher", type->name);
}

raski_dispatcher *raski_dispatcher_create(raski_executor *executor, raski_address resource_manager,
                                          const raski_cluster_options *options) {
    raski_dispatcher *self = RASKI_NEW(raski_dispatcher);
    self->resource_manager = resource_manager;
    self->options = options;
    raski_actor_init(&self->actor, executor, "dispatcher", receive, self);
    return self;
}

void raski_dispatcher_destroy(raski_dispatcher *dispatcher_take) {
    if (dispatcher_take == NULL) return;
    raski_actor_close(&dispatcher_take->actor);
    for (size_t i = 0; i < dispatcher_take->jobs.count; i++)
        raski_job_master_destroy(dispatcher_take->jobs.items[i].master);
    raski_vec_free(&dispatcher_take->jobs);
    raski_free(dispatcher_take);
}

raski_address raski_dispatcher_address(const raski_dispatcher *dispatcher) {
    return raski_actor_address(&dispatcher->actor);
}

size_t raski_dispatcher_job_count(const raski_dispatcher *dispatcher) {
    return dispatcher->jobs.count;
}
