/* What the scheduler and the coordinators want done, as messages, timers and entries in the slot
 * pool. Nothing here calls back into either: what follows is done when the message at hand is
 * through (job_master.c, settle). */
#include "base/alloc.h"
#include "base/log.h"
#include "cluster/job_master_private.h"

static uint64_t schedule(raski_job_master *self, const raski_message_type *type, int64_t delay_ms,
                         uint64_t number) {
    raski_message *message = raski_message_create(type);
    RASKI_PAYLOAD(message, raski_number_message)->number = number;
    return raski_actor_schedule(&self->actor, delay_ms, message);
}

static int64_t now_ms(void *ctx) {
    const raski_job_master *self = ctx;
    return raski_actor_now_ms(&self->actor);
}

/* ---------------------------------------------------------------- slots */

static void request_slot(void *ctx, uint64_t request, uint64_t bulk,
                         const raski_slot_group *slot_group) {
    raski_job_master *self = ctx;
    const raski_pool_request entry = {
        .request = request,
        .bulk = bulk,
        .slot_group = slot_group,
        .timer = schedule(self, &raski_message_slot_timeout,
                          self->services.options->slot_request_timeout_ms, request),
    };
    raski_slot_pool_add_request(&self->pool, &entry);
}

static void return_slot(void *ctx, uint64_t request) {
    raski_job_master *self = ctx;
    raski_pool_request removed = raski_slot_pool_remove_request(&self->pool, request);
    (void)raski_actor_cancel_timer(&self->actor, removed.timer);
}

/* ---------------------------------------------------------------- tasks */

static raski_gate_descriptor describe_gate(const raski_execution_graph *graph,
                                           const raski_execution_vertex *vertex, size_t input) {
    const raski_job_edge *edge = vertex->job_vertex->job_vertex->inputs.items[input];
    raski_consumed_range range =
        raski_execution_topology_reads(graph->topology, vertex->job_vertex, input, vertex->subtask);
    size_t count = (size_t)range.partitions.last - (size_t)range.partitions.first + 1;
    raski_gate_descriptor gate = {
        .partitions = RASKI_NEW_ARRAY(raski_partition_id, count),
        .partition_count = count,
        .first_producer = range.partitions.first,
        .subpartitions = range.subpartitions,
    };
    for (size_t i = 0; i < count; i++) {
        int producer = range.partitions.first + (int)i;
        size_t task = raski_execution_graph_task(graph, edge->source->producer, producer);
        gate.partitions[i] = (raski_partition_id){
            .partition = raski_execution_graph_partition(graph, edge->source, producer),
            .attempt = graph->vertices[task].current.id.attempt,
        };
    }
    return gate;
}

static void describe_results(const raski_execution_graph *graph,
                             const raski_execution_vertex *vertex,
                             raski_submit_task_message *submit) {
    const raski_job_vertex *job_vertex = vertex->job_vertex->job_vertex;
    submit->result_count = job_vertex->results.count;
    submit->subpartitions = RASKI_NEW_ARRAY(int, submit->result_count);
    submit->reader_max_parallelisms = RASKI_NEW_ARRAY(int, submit->result_count);
    submit->partitions = RASKI_NEW_ARRAY(uint32_t, submit->result_count);
    for (size_t r = 0; r < submit->result_count; r++) {
        const raski_data_set *data_set = job_vertex->results.items[r];
        submit->subpartitions[r] =
            raski_execution_topology_subpartitions(graph->topology, data_set, vertex->subtask);
        /* All readers of a result have the same one. */
        submit->reader_max_parallelisms[r] =
            data_set->consumers.count == 0
                ? -1
                : graph->topology->vertices[data_set->consumers.items[0]->target->index]
                      .max_parallelism;
        submit->partitions[r] = raski_execution_graph_partition(graph, data_set, vertex->subtask);
    }
}

static void deploy(void *ctx, size_t task, const raski_slot *slot) {
    raski_job_master *self = ctx;
    const raski_execution_graph *graph = raski_job_master_graph(self);
    const raski_execution_vertex *vertex = &graph->vertices[task];
    const raski_job_vertex *job_vertex = vertex->job_vertex->job_vertex;
    raski_message *message = raski_message_create(&raski_message_submit_task);
    raski_submit_task_message *submit = RASKI_PAYLOAD(message, raski_submit_task_message);
    submit->attempt = vertex->current.id;
    submit->job = raski_job_master_contact(self);
    submit->allocation = slot->allocation;
    submit->job_name = graph->job_name;
    submit->job_code = self->submission.job_code;
    submit->vertex = job_vertex;
    submit->subtask = vertex->subtask;
    submit->parallelism = vertex->job_vertex->parallelism;
    submit->max_parallelism = vertex->job_vertex->max_parallelism;
    submit->gate_count = job_vertex->inputs.count;
    submit->gates = RASKI_NEW_ARRAY(raski_gate_descriptor, submit->gate_count);
    for (size_t i = 0; i < submit->gate_count; i++)
        submit->gates[i] = describe_gate(graph, vertex, i);
    describe_results(graph, vertex, submit);
    raski_job_master_send_to(self, slot->task_executor, message);
}

static void cancel_task(void *ctx, size_t task) {
    raski_job_master *self = ctx;
    const raski_execution *execution = &raski_job_master_graph(self)->vertices[task].current;
    raski_message *message = raski_message_create(&raski_message_cancel_task);
    RASKI_PAYLOAD(message, raski_cancel_task_message)->attempt = execution->id;
    raski_job_master_send_to(self, execution->task_executor, message);
}

static void release_partition(void *ctx, uint32_t partition) {
    raski_job_master *self = ctx;
    const raski_execution_graph *graph = raski_job_master_graph(self);
    const raski_execution *producer =
        &graph->vertices[graph->partition_producer[partition]].current;
    raski_message *message = raski_message_create(&raski_message_release_partition);
    *RASKI_PAYLOAD(message, raski_release_partition_message) =
        (raski_release_partition_message){graph->job_id, {partition, producer->id.attempt}};
    raski_job_master_send_to(self, producer->task_executor, message);
}

static void schedule_scheduler(void *ctx, int64_t delay_ms, uint64_t token) {
    (void)schedule(ctx, &raski_message_scheduler_timer, delay_ms, token);
}

static void before_reset(void *ctx, size_t task) {
    raski_job_master *self = ctx;
    raski_coordinators_attempt_failed(self->coordinators, task,
                                      "the task runs again for a failure elsewhere");
}

static void fail_job(void *ctx, raski_failure *failure_take) {
    raski_job_master *self = ctx;
    raski_message *message = raski_message_create(&raski_message_coordinator_failed);
    RASKI_PAYLOAD(message, raski_coordinator_failed_message)->failure = failure_take;
    raski_actor_send(&self->actor, raski_actor_address(&self->actor), message);
}

static void before_global_restart(void *ctx) {
    raski_job_master *self = ctx;
    raski_error err = {0};
    raski_coordinators_close(self->coordinators);
    if (raski_coordinators_start(self->coordinators, &err) != RASK_OK)
        fail_job(self, raski_failure_from_error(&err));
}

static void job_ended(void *ctx) {
    raski_job_master *self = ctx;
    self->has_ended = true;
    self->end_ms = now_ms(self);
}

raski_scheduler_host raski_job_master_scheduler_host(raski_job_master *self) {
    return (raski_scheduler_host){
        .size = sizeof(raski_scheduler_host),
        .ctx = self,
        .now_ms = now_ms,
        .request_slot = request_slot,
        .return_slot = return_slot,
        .deploy = deploy,
        .cancel_task = cancel_task,
        .release_partition = release_partition,
        .schedule = schedule_scheduler,
        .before_reset = before_reset,
        .before_global_restart = before_global_restart,
        .job_ended = job_ended,
    };
}

/* ---------------------------------------------------------------- coordinators */

static void send_event(void *ctx, size_t task, raski_id operator_id, const void *bytes,
                       size_t length) {
    raski_job_master *self = ctx;
    const raski_execution *execution = &raski_job_master_graph(self)->vertices[task].current;
    raski_message *message = raski_message_create(&raski_message_operator_event);
    *RASKI_PAYLOAD(message, raski_operator_event_message) = (raski_operator_event_message){
        execution->id, operator_id, raski_memdup(bytes, length), length};
    raski_job_master_send_to(self, execution->task_executor, message);
}

static void schedule_coordinator(void *ctx, int64_t delay_ms, uint64_t number) {
    (void)schedule(ctx, &raski_message_coordinator_timer, delay_ms, number);
}

raski_coordinator_host raski_job_master_coordinator_host(raski_job_master *self) {
    return (raski_coordinator_host){.ctx = self,
                                    .send_event = send_event,
                                    .schedule = schedule_coordinator,
                                    .fail_job = fail_job};
}

/* ---------------------------------------------------------------- states */

static void execution_changed(void *ctx, const raski_execution_vertex *vertex,
                              raski_execution_state from, raski_execution_state to) {
    raski_job_master *self = ctx;
    (void)from;
    if (self->coordinators == NULL) return;
    if (to == RASKI_EXECUTION_INITIALIZING)
        raski_coordinators_attempt_ready(self->coordinators, vertex->task);
    else if (to == RASKI_EXECUTION_FAILED || to == RASKI_EXECUTION_CANCELED)
        raski_coordinators_attempt_failed(
            self->coordinators, vertex->task,
            vertex->current.failure != NULL ? vertex->current.failure->message : NULL);
}

raski_execution_listener raski_job_master_listener(raski_job_master *self) {
    return (raski_execution_listener){.ctx = self, .execution_changed = execution_changed};
}
