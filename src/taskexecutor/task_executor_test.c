/* The task executor with somebody who plays resource manager and job master at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "actor/actor.h"
#include "actor/executor.h"
#include "base/alloc.h"
#include "graph/job_graph_build.h"
#include "taskexecutor/messages.h"
#include "taskexecutor/task_executor.h"

enum { MOST = 64 };

/* ---------------------------------------------------------------- tasks that end when told */

typedef struct toy_task {
    raski_task_observer observer;
    bool is_cancelled, is_running;
    size_t channels;
} toy_task;

static int live_tasks, live_references;
static bool creation_fails, finishes_at_once;

static rask_status toy_create(void *ctx, const raski_deployment *deployment,
                              const raski_task_observer *observer, void **ret_task,
                              raski_error *err) {
    (void)ctx;
    if (creation_fails) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no buffers");
    toy_task *task = RASKI_NEW(toy_task);
    task->observer = *observer;
    for (size_t g = 0; g < deployment->gate_count; g++) {
        task->channels += deployment->gates[g].channel_count;
        for (size_t c = 0; c < deployment->gates[g].channel_count; c++)
            assert_non_null(deployment->gates[g].channels[c].partition);
    }
    live_tasks++;
    *ret_task = task;
    return RASK_OK;
}
static void *toy_result(void *ctx, void *task, size_t i) {
    (void)ctx;
    (void)i;
    return task; /* any address will do */
}
static void toy_ref(void *ctx, void *partition) {
    (void)ctx;
    (void)partition;
    live_references++;
}
static void toy_unref(void *ctx, void *partition) {
    (void)ctx;
    (void)partition;
    live_references--;
}
static raski_task_step toy_step(void *ctx, void *task_) {
    (void)ctx;
    toy_task *task = task_;
    if (task->is_cancelled || finishes_at_once) {
        task->observer.state_changed(
            task->observer.ctx, task->observer.token,
            task->is_cancelled ? RASKI_EXECUTION_CANCELED : RASKI_EXECUTION_FINISHED, NULL);
        return RASKI_TASK_DONE;
    }
    if (task->is_running) return RASKI_TASK_BLOCKED;
    task->is_running = true;
    task->observer.state_changed(task->observer.ctx, task->observer.token, RASKI_EXECUTION_RUNNING,
                                 NULL);
    return RASKI_TASK_MORE;
}
static void toy_cancel(void *ctx, void *task) {
    (void)ctx;
    ((toy_task *)task)->is_cancelled = true;
}
static void toy_event(void *ctx, void *task, raski_id operator_id, const void *bytes,
                      size_t length) {
    (void)ctx;
    toy_task *t = task;
    t->observer.send_event(t->observer.ctx, t->observer.token, operator_id, bytes, length);
}
static void toy_counters(void *ctx, void *task, raski_task_counters *ret_counters) {
    (void)ctx;
    (void)task;
    *ret_counters = (raski_task_counters){.records_in = 5};
}
static void toy_destroy(void *ctx, void *task) {
    (void)ctx;
    raski_free(task);
    live_tasks--;
}

static const raski_task_factory toys = {
    .size = sizeof(raski_task_factory),
    .name = "toys",
    .version = 1,
    .create = toy_create,
    .result = toy_result,
    .partition_ref = toy_ref,
    .partition_unref = toy_unref,
    .step = toy_step,
    .cancel = toy_cancel,
    .deliver_event = toy_event,
    .counters = toy_counters,
    .destroy = toy_destroy,
};

/* ---------------------------------------------------------------- who is talked to */

typedef struct world {
    raski_executor *executor;
    raski_actor master;
    raski_partition_registry *registry;
    raski_task_executor *task_executor;
    raski_job_graph *graph;
    bool accepts, is_paused;
    raski_task_update_message updates[MOST];
    char failures[MOST][128];
    size_t update_count;
    size_t registered_slots, freed_slots, offers, cleared, events;
} world;

static const raski_message_type pause_type = {.name = "pause"};

static void receive(void *self, raski_message *message) {
    world *w = self;
    const raski_message_type *type = message->type;
    if (type == &raski_message_register_task_executor) {
        w->registered_slots =
            RASKI_PAYLOAD(message, raski_register_task_executor_message)->slots.count;
    } else if (type == &raski_message_slot_free) {
        w->freed_slots++;
    } else if (type == &raski_message_offer_slot) {
        w->offers++;
        if (!w->accepts) return; /* no answer at all */
        raski_message *answer = raski_message_create(&raski_message_slot_answer);
        *RASKI_PAYLOAD(answer, raski_slot_answer_message) = (raski_slot_answer_message){
            RASKI_PAYLOAD(message, raski_offer_slot_message)->allocation, true};
        raski_actor_send(&w->master, message->reply_to, answer);
    } else if (type == &raski_message_task_update) {
        const raski_task_update_message *update = RASKI_PAYLOAD(message, raski_task_update_message);
        if (update->failure != NULL)
            (void)snprintf(w->failures[w->update_count], sizeof w->failures[0], "%s",
                           update->failure->message);
        w->updates[w->update_count++] = *update;
    } else if (type == &raski_message_job_cleared) {
        assert_int_equal(RASKI_PAYLOAD(message, raski_job_cleared_message)->request, 9);
        w->cleared++;
    } else if (type == &raski_message_operator_event) {
        w->events++;
    } else if (type == &pause_type) {
        w->is_paused = true;
    }
}

static void run_for(world *w, int64_t ms) {
    w->is_paused = false;
    (void)raski_actor_schedule(&w->master, ms, raski_message_create(&pause_type));
    while (!w->is_paused && raski_simulation_step(w->executor)) {
    }
}

static void open_world(world *w) {
    memset(w, 0, sizeof *w);
    creation_fails = finishes_at_once = false;
    w->accepts = true;
    w->executor = raski_executor_create_simulation(&(raski_simulation_options){.seed = 1});
    w->graph = raski_job_graph_new("job");
    raski_error err = {0};
    raski_job_edge *edge = NULL;
    raski_job_vertex *a = raski_job_graph_add_vertex(w->graph, (raski_id){{1}}, "a");
    raski_job_vertex *b = raski_job_graph_add_vertex(w->graph, (raski_id){{2}}, "b");
    assert_int_equal(
        raski_job_vertex_connect(
            w->graph, b,
            raski_job_vertex_result(w->graph, a, (raski_id){{3}}, RASKI_RESULT_PIPELINED),
            RASKI_DISTRIBUTION_ALL_TO_ALL, false, false, &edge, &err),
        RASK_OK);
    raski_actor_init(&w->master, w->executor, "everybody", receive, w);
    w->registry = raski_partition_registry_create(&toys);
    w->task_executor = raski_task_executor_create(
        w->executor,
        &(raski_task_executor_options){.number = 1,
                                       .slots = 2,
                                       .resource_manager = raski_actor_address(&w->master),
                                       .slot_timeout_ms = 50,
                                       .partition_request_timeout_ms = 100},
        &toys, w->registry);
    assert_int_equal(raski_executor_start(w->executor, NULL), RASK_OK);
}

static void close_world(world *w) {
    raski_task_executor_destroy(w->task_executor);
    raski_actor_close(&w->master);
    raski_partition_registry_destroy(w->registry);
    raski_executor_destroy(w->executor);
    raski_job_graph_destroy(w->graph);
    assert_int_equal(live_tasks, 0);
    assert_int_equal(live_references, 0);
}

static void send_to(world *w, raski_message *message) {
    raski_actor_send(&w->master, raski_task_executor_address(w->task_executor), message);
}

static void request_slot(world *w, size_t slot, uint64_t allocation) {
    raski_message *message = raski_message_create(&raski_message_request_slot);
    *RASKI_PAYLOAD(message, raski_request_slot_message) = (raski_request_slot_message){
        slot, allocation, {w->graph->job_id, raski_actor_address(&w->master), 0}};
    send_to(w, message);
}

/* Attempt `task` of vertex a (0), which makes partition 0, or b (1), which reads it. */
static void submit(world *w, uint32_t task, uint64_t allocation) {
    raski_message *message = raski_message_create(&raski_message_submit_task);
    raski_submit_task_message *m = RASKI_PAYLOAD(message, raski_submit_task_message);
    m->attempt = (raski_attempt_id){w->graph->job_id, task, 0};
    m->job = (raski_job_contact){w->graph->job_id, raski_actor_address(&w->master), 0};
    m->allocation = allocation;
    m->vertex = w->graph->vertices.items[task];
    m->parallelism = 1;
    m->result_count = m->vertex->results.count;
    m->subpartitions = RASKI_NEW_ARRAY(int, m->result_count);
    m->partitions = RASKI_NEW_ARRAY(uint32_t, m->result_count);
    m->gate_count = m->vertex->inputs.count;
    m->gates = RASKI_NEW_ARRAY(raski_gate_descriptor, m->gate_count);
    if (m->gate_count > 0) {
        m->gates[0].partitions = RASKI_NEW_ARRAY(raski_partition_id, 1);
        m->gates[0].partition_count = 1;
    }
    send_to(w, message);
}

static void cancel(world *w, uint32_t task) {
    raski_message *message = raski_message_create(&raski_message_cancel_task);
    RASKI_PAYLOAD(message, raski_cancel_task_message)->attempt =
        (raski_attempt_id){w->graph->job_id, task, 0};
    send_to(w, message);
}

static void slots_are_offered_and_come_back(void **state) {
    (void)state;
    world w;
    open_world(&w);
    request_slot(&w, 0, 7);
    run_for(&w, 5);
    assert_int_equal(w.registered_slots, 2);
    assert_int_equal(w.offers, 1);
    assert_int_equal(raski_task_executor_slots_in_use(w.task_executor), 1);
    request_slot(&w, 0, 8); /* not free */
    run_for(&w, 5);
    assert_int_equal(w.offers, 1);
    assert_int_equal(w.freed_slots, 1);
    w.accepts = false;
    request_slot(&w, 1, 9);
    run_for(&w, 200); /* nobody answers: it is taken back; the first one stays */
    assert_int_equal(w.freed_slots, 2);
    assert_int_equal(raski_task_executor_slots_in_use(w.task_executor), 1);
    close_world(&w);
}

static void a_reader_waits_for_what_it_reads(void **state) {
    (void)state;
    world w;
    open_world(&w);
    request_slot(&w, 0, 7);
    run_for(&w, 5);
    submit(&w, 1, 7);
    run_for(&w, 20);
    assert_int_equal(w.update_count, 0);
    submit(&w, 0, 7);
    run_for(&w, 20);
    assert_int_equal(w.update_count, 2);
    assert_int_equal(live_tasks, 2);
    assert_int_equal(raski_partition_registry_count(w.registry), 1);
    close_world(&w); /* dies with both: tells nobody */
    assert_int_equal(w.update_count, 2);
}

static void a_reader_fails_when_it_waits_too_long(void **state) {
    (void)state;
    world w;
    open_world(&w);
    request_slot(&w, 0, 7);
    submit(&w, 1, 7);
    run_for(&w, 300);
    assert_int_equal(w.update_count, 1);
    assert_int_equal(w.updates[0].state, RASKI_EXECUTION_FAILED);
    assert_string_equal(w.failures[0],
                        "partition 0 of attempt 0, which the task reads, was not there within 100 "
                        "ms");
    close_world(&w);
}

static void each_attempt_ends_once_whatever_happens(void **state) {
    (void)state;
    world w;
    open_world(&w);
    submit(&w, 0, 99); /* in no slot of the job */
    run_for(&w, 5);
    assert_int_equal(w.updates[0].state, RASKI_EXECUTION_FAILED);
    request_slot(&w, 0, 7);
    run_for(&w, 5);
    creation_fails = true;
    submit(&w, 0, 7);
    run_for(&w, 5);
    assert_int_equal(w.updates[1].state, RASKI_EXECUTION_FAILED);
    assert_string_equal(w.failures[1], "no buffers");
    creation_fails = false;
    submit(&w, 1, 7); /* waits, and is cancelled while it does */
    cancel(&w, 1);
    cancel(&w, 1);
    run_for(&w, 5);
    assert_int_equal(w.update_count, 3);
    assert_int_equal(w.updates[2].state, RASKI_EXECUTION_CANCELED);
    finishes_at_once = true;
    submit(&w, 0, 7);
    run_for(&w, 5);
    assert_int_equal(w.update_count, 4);
    assert_int_equal(w.updates[3].state, RASKI_EXECUTION_FINISHED);
    assert_int_equal(w.updates[3].counters.records_in, 5);
    assert_int_equal(raski_partition_registry_count(w.registry), 1); /* until it is released */
    raski_message *release = raski_message_create(&raski_message_release_partition);
    send_to(&w, release);
    run_for(&w, 5);
    assert_int_equal(raski_partition_registry_count(w.registry), 0);
    close_world(&w);
}

static void a_cleared_job_leaves_nothing(void **state) {
    (void)state;
    world w;
    open_world(&w);
    request_slot(&w, 0, 7);
    run_for(&w, 5);
    submit(&w, 0, 7);
    submit(&w, 1, 7);
    run_for(&w, 20);
    assert_int_equal(live_tasks, 2);
    raski_message *clear = raski_message_create(&raski_message_clear_job);
    *RASKI_PAYLOAD(clear, raski_clear_job_message) = (raski_clear_job_message){w.graph->job_id, 9};
    send_to(&w, clear);
    run_for(&w, 20);
    assert_int_equal(w.cleared, 1);
    assert_int_equal(live_tasks, 0);
    assert_int_equal(raski_partition_registry_count(w.registry), 0);
    assert_int_equal(raski_task_executor_slots_in_use(w.task_executor), 0);
    assert_int_equal(w.freed_slots, 1);
    close_world(&w);
}

static void events_go_both_ways(void **state) {
    (void)state;
    world w;
    open_world(&w);
    request_slot(&w, 0, 7);
    submit(&w, 0, 7);
    run_for(&w, 20);
    raski_message *event = raski_message_create(&raski_message_operator_event);
    *RASKI_PAYLOAD(event, raski_operator_event_message) =
        (raski_operator_event_message){{w.graph->job_id, 0, 0}, {{4}}, raski_strdup("hello"), 6};
    send_to(&w, event);
    run_for(&w, 20);
    assert_int_equal(w.events, 1);
    close_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_offered_and_come_back),
        cmocka_unit_test(a_reader_waits_for_what_it_reads),
        cmocka_unit_test(a_reader_fails_when_it_waits_too_long),
        cmocka_unit_test(each_attempt_ends_once_whatever_happens),
        cmocka_unit_test(a_cleared_job_leaves_nothing),
        cmocka_unit_test(events_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
