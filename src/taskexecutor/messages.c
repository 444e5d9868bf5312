#include "taskexecutor/messages.h"

#include "base/alloc.h"

static void submit_task_fini(void *payload) {
    raski_submit_task_message *m = payload;
    for (size_t i = 0; i < m->gate_count; i++) raski_free(m->gates[i].partitions);
    raski_free(m->gates);
    raski_free(m->subpartitions);
    raski_free(m->reader_max_parallelisms);
    raski_free(m->partitions);
}

static void operator_event_fini(void *payload) {
    raski_free(((raski_operator_event_message *)payload)->bytes);
}

static void task_event_fini(void *payload) {
    raski_free(((raski_task_event_message *)payload)->bytes);
}

static void task_update_fini(void *payload) {
    raski_failure_destroy(((raski_task_update_message *)payload)->failure);
}

static void task_state_fini(void *payload) {
    raski_failure_destroy(((raski_task_state_message *)payload)->failure);
}

static void task_counters_fini(void *payload) {
    raski_task_counters_message *m = payload;
    raski_vec_free(&m->tasks);
}

static void register_task_executor_fini(void *payload) {
    raski_register_task_executor_message *m = payload;
    raski_vec_free(&m->slots);
}

#define TYPE(NAME, PAYLOAD_SIZE, FINI, DELIVERY) \
    const raski_message_type raski_message_##NAME = { \
        .name = #NAME, .payload_size = (PAYLOAD_SIZE), .fini = (FINI), .delivery = (DELIVERY)}
#define ORDERED(NAME) TYPE(NAME, sizeof(raski_##NAME##_message), NULL, RASKI_DELIVERY_ORDERED)
#define ORDERED_WITH(NAME, FINI) \
    TYPE(NAME, sizeof(raski_##NAME##_message), FINI, RASKI_DELIVERY_ORDERED)

ORDERED(request_slot);
ORDERED(slot_answer);
ORDERED(free_slot);
ORDERED_WITH(submit_task, submit_task_fini);
ORDERED(cancel_task);
ORDERED_WITH(operator_event, operator_event_fini);
ORDERED(release_partition);
ORDERED(clear_job);
TYPE(ask_counters, sizeof(raski_ask_counters_message), NULL, RASKI_DELIVERY_LOSSY);
TYPE(ask_heartbeat, 0, NULL, RASKI_DELIVERY_LOSSY);
ORDERED(set_slots);
ORDERED_WITH(register_task_executor, register_task_executor_fini);
ORDERED(slot_free);
ORDERED(offer_slot);
ORDERED_WITH(task_update, task_update_fini);
ORDERED(job_cleared);
TYPE(task_counters, sizeof(raski_task_counters_message), task_counters_fini, RASKI_DELIVERY_LOSSY);
TYPE(heartbeat, sizeof(raski_heartbeat_message), NULL, RASKI_DELIVERY_LOSSY);
ORDERED_WITH(task_state, task_state_fini);
ORDERED_WITH(task_event, task_event_fini);
ORDERED(offer_timeout);
TYPE(step_task, sizeof(raski_task_timer_message), NULL, RASKI_DELIVERY_ORDERED);
TYPE(partition_timeout, sizeof(raski_task_timer_message), NULL, RASKI_DELIVERY_ORDERED);
TYPE(partition_ready, 0, NULL, RASKI_DELIVERY_ORDERED);
