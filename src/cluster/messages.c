#include "cluster/messages.h"

#include "base/alloc.h"

static void job_finished_fini(void *payload) {
    raski_job_finished_message *m = payload;
    if (m->result == NULL) return;
    raski_job_result_fini(m->result);
    raski_free(m->result);
}

static void coordinator_failed_fini(void *payload) {
    raski_failure_destroy(((raski_coordinator_failed_message *)payload)->failure);
}

#define TYPE(NAME, PAYLOAD_SIZE, FINI) \
    const raski_message_type raski_message_##NAME = {.name = #NAME, \
                                                     .payload_size = (PAYLOAD_SIZE), \
                                                     .fini = (FINI), \
                                                     .delivery = RASKI_DELIVERY_ORDERED}

TYPE(submit_job, sizeof(raski_submit_job_message), NULL);
TYPE(cancel_jobs, 0, NULL);
TYPE(job_finished, sizeof(raski_job_finished_message), job_finished_fini);
TYPE(start_job, 0, NULL);
TYPE(cancel_job, 0, NULL);
TYPE(not_enough_slots, sizeof(raski_not_enough_slots_message), NULL);
TYPE(scheduler_timer, sizeof(raski_number_message), NULL);
TYPE(slot_timeout, sizeof(raski_number_message), NULL);
TYPE(progress_tick, 0, NULL);
TYPE(heartbeat_tick, 0, NULL);
TYPE(coordinator_failed, sizeof(raski_coordinator_failed_message), coordinator_failed_fini);
TYPE(coordinator_timer, sizeof(raski_number_message), NULL);
TYPE(declare_requirement, sizeof(raski_declare_requirement_message), NULL);

void raski_job_result_fini(raski_job_result *result) {
    raski_failure_destroy(result->failure);
    for (size_t v = 0; v < result->vertex_count; v++) raski_free(result->vertices[v].name);
    raski_free(result->vertices);
    *result = (raski_job_result){0};
}
