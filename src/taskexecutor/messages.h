/* messages.h - what task executors are told and tell: to and from the resource manager and the job
 * masters. Flink: TaskExecutorGateway, and of JobMasterGateway and ResourceManagerGateway what
 * task executors call.
 *
 * Each message type is a constant raski_message_<name>; its payload is the struct
 * raski_<name>_message. Messages to a job master carry the epoch that the job master gave.
 * Threads: values. */
#ifndef RASKI_TASKEXECUTOR_MESSAGES_H
#define RASKI_TASKEXECUTOR_MESSAGES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actor/message.h"
#include "base/vec.h"
#include "executiongraph/execution_graph.h"

/* How to reach a job master, and for whom it speaks. */
typedef struct raski_job_contact {
    raski_id job_id;
    raski_address job_master;
    uint64_t epoch;
} raski_job_contact;

/* ---- to a task executor ---------------------------------------------------------------------- */

/* Resource manager: the slot is for that job; offer it there. */
typedef struct raski_request_slot_message {
    size_t slot;
    uint64_t allocation; /* number of this use, unique in the cluster */
    raski_job_contact job;
} raski_request_slot_message;
extern const raski_message_type raski_message_request_slot;

/* Job master: what became of an offer. A slot that is not accepted is free again. */
typedef struct raski_slot_answer_message {
    uint64_t allocation;
    bool accepted;
} raski_slot_answer_message;
extern const raski_message_type raski_message_slot_answer;

/* Job master: the slot is not needed any more. What still runs in it is cancelled first. */
typedef struct raski_free_slot_message {
    uint64_t allocation;
} raski_free_slot_message;
extern const raski_message_type raski_message_free_slot;

/* One input of a task to be deployed: which partitions, and which subpartitions of each. */
typedef struct raski_gate_descriptor {
    raski_partition_id *partitions; /* owned; of producers partitions.first and up */
    size_t partition_count;
    int first_producer; /* subtask that made the first of them */
    raski_index_range subpartitions;
} raski_gate_descriptor;

/* Job master: run this attempt. Flink: TaskDeploymentDescriptor. */
typedef struct raski_submit_task_message {
    raski_attempt_id attempt;
    raski_job_contact job;
    uint64_t allocation;  /* slot to run in */
    const char *job_name; /* these three: borrowed for the job's life */
    const void *job_code;
    const raski_job_vertex *vertex;
    int subtask, parallelism, max_parallelism;
    raski_gate_descriptor *gates; /* owned; as vertex->inputs */
    size_t gate_count;
    int *subpartitions;           /* owned; as vertex->results; -1: nobody reads it */
    int *reader_max_parallelisms; /* owned; of each result's readers; -1: nobody reads it */
    uint32_t *partitions;         /* owned; number of each result's partition */
    size_t result_count;
} raski_submit_task_message;
extern const raski_message_type raski_message_submit_task;

typedef struct raski_cancel_task_message {
    raski_attempt_id attempt;
} raski_cancel_task_message;
extern const raski_message_type raski_message_cancel_task;

/* Between an operator of an attempt and its coordinator, either way. */
typedef struct raski_operator_event_message {
    raski_attempt_id attempt;
    raski_id operator_id;
    void *bytes; /* owned */
    size_t length;
} raski_operator_event_message;
extern const raski_message_type raski_message_operator_event;

typedef struct raski_release_partition_message {
    raski_id job_id;
    raski_partition_id partition;
} raski_release_partition_message;
extern const raski_message_type raski_message_release_partition;

/* Job master: the job is over here. Everything of it goes; then job_cleared is the answer. */
typedef struct raski_clear_job_message {
    raski_id job_id;
    uint64_t request; /* the answer repeats it */
} raski_clear_job_message;
extern const raski_message_type raski_message_clear_job;

/* Job master: how much have its tasks counted? The answer is a task_counters. */
typedef struct raski_ask_counters_message {
    raski_id job_id;
} raski_ask_counters_message;
extern const raski_message_type raski_message_ask_counters;

/* Job master or resource manager: are you there? The answer is a heartbeat. */
extern const raski_message_type raski_message_ask_heartbeat;

/* Its owner or the resource manager: have at least so many slots, and register (again). */
typedef struct raski_set_slots_message {
    size_t slots;
} raski_set_slots_message;
extern const raski_message_type raski_message_set_slots;

/* ---- from a task executor -------------------------------------------------------------------- */

typedef struct raski_slot_report {
    uint64_t allocation; /* 0: free */
    raski_id job_id;
} raski_slot_report;
/* To the resource manager: here I am, with these slots; again when there are more. */
typedef struct raski_register_task_executor_message {
    uint64_t task_executor;
    RASKI_VEC(raski_slot_report) slots; /* owned */
} raski_register_task_executor_message;
extern const raski_message_type raski_message_register_task_executor;

/* To the resource manager: a slot that was requested is free (again). */
typedef struct raski_slot_free_message {
    uint64_t task_executor;
    size_t slot;
    uint64_t allocation; /* of the use that ended */
} raski_slot_free_message;
extern const raski_message_type raski_message_slot_free;

/* To a job master: use this slot. The answer is a slot_answer. */
typedef struct raski_offer_slot_message {
    uint64_t task_executor;
    size_t slot;
    uint64_t allocation;
} raski_offer_slot_message;
extern const raski_message_type raski_message_offer_slot;

/* To a job master: an attempt entered a state. */
typedef struct raski_task_update_message {
    raski_attempt_id attempt;
    raski_execution_state state;
    raski_failure *failure; /* of FAILED; owned */
    bool has_counters;      /* of final states */
    raski_task_counters counters;
} raski_task_update_message;
extern const raski_message_type raski_message_task_update;

typedef struct raski_job_cleared_message {
    uint64_t task_executor;
    uint64_t request;
} raski_job_cleared_message;
extern const raski_message_type raski_message_job_cleared;

typedef struct raski_attempt_counters {
    raski_attempt_id attempt;
    raski_task_counters counters;
} raski_attempt_counters;
typedef struct raski_task_counters_message {
    RASKI_VEC(raski_attempt_counters) tasks; /* owned */
} raski_task_counters_message;
extern const raski_message_type raski_message_task_counters;

typedef struct raski_heartbeat_message {
    uint64_t task_executor;
} raski_heartbeat_message;
extern const raski_message_type raski_message_heartbeat;

/* ---- inside ---------------------------------------------------------------------------------- */

/* A task tells its executor; token: as in raski_task_observer. */
typedef struct raski_task_state_message {
    uint64_t token;
    raski_execution_state state;
    raski_failure *failure; /* owned */
} raski_task_state_message;
extern const raski_message_type raski_message_task_state;

typedef struct raski_task_event_message {
    uint64_t token;
    raski_id operator_id;
    void *bytes; /* owned */
    size_t length;
} raski_task_event_message;
extern const raski_message_type raski_message_task_event;

/* Timers of a task. */
typedef struct raski_task_timer_message {
    uint64_t token;
} raski_task_timer_message;
extern const raski_message_type raski_message_step_task;
extern const raski_message_type raski_message_partition_timeout;

/* Nobody answered the offer of a slot. */
typedef struct raski_offer_timeout_message {
    uint64_t allocation;
} raski_offer_timeout_message;
extern const raski_message_type raski_message_offer_timeout;

/* The partition registry tells who waits. */
extern const raski_message_type raski_message_partition_ready;
#endif
