/* task_private.h - the insides of a task, shared by its two files. */
#ifndef RASKI_TASK_TASK_PRIVATE_H
#define RASKI_TASK_TASK_PRIVATE_H
#include <stdatomic.h>

#include "exchange/input_gate.h"
#include "exchange/result_writer.h"
#include "operators/operator.h"
#include "operators/sort/sorted_inputs.h"
#include "operators/time/watermark_valve.h"
#include "platform/doorbell.h"
#include "platform/thread.h"
#include "rask/multi.h"
#include "task/input_selection.h"
#include "task/task.h"

enum { RASKI_TASK_INPUTS_MAX = RASK_INPUTS_MAX };

/* One input of the head operator. */
typedef struct raski_task_gate_input {
    size_t open_channels;
    raski_watermark_valve valve;
} raski_task_gate_input;

typedef struct raski_task_mail {
    struct raski_task_mail *next;
    raski_id operator_id;
    size_t size;
    char bytes[];
} raski_task_mail;

/* A writer whose targets the program's partitioner chooses. */
typedef struct raski_custom_selection {
    const raski_partition_definition *definition;
    int64_t records; /* so far */
} raski_custom_selection;

struct raski_task {
    const raski_job_vertex *vertex;
    raski_task_listener listener;
    raski_task_state state; /* of the task's thread */
    raski_operator_env env;
    raski_doorbell *doorbell;
    raski_thread *thread; /* NULL: not started */

    raski_operator **operators; /* as vertex->operators */
    size_t operator_count;
    size_t head;
    bool is_source;
    raski_result_partition **partitions; /* as vertex->results */
    size_t partition_count;
    raski_result_writer **writers;      /* as vertex->outputs */
    raski_custom_selection *selections; /* the same; zeroes for writers of other kinds */
    size_t writer_count;
    raski_input_gate *gate;
    raski_task_gate_input inputs[RASKI_TASK_INPUTS_MAX];
    raski_input_selection *selection; /* of functions that choose; else NULL */
    unsigned *channel_input;          /* of each channel of the gate: its input */
    size_t *channel_in_input;         /* of each channel of the gate: its number within its input */

    raski_sorted_inputs *sorted; /* batch: what the gate gives is sorted first; NULL: it is not */
    bool is_sorted;              /* everything has come and is handed out now */
    bool broadcast_first; /* batch: channels of input 0 are blocked until input 1 has ended */

    bool ended;           /* all input was processed, all output is out */
    bool producer_gone;   /* wait to be cancelled */
    int64_t lost_channel; /* of the gate: what could not be read; -1: none */
    int64_t wake_ns;      /* after BLOCKED: when to look again at the latest */
    int wake_fd;          /* a descriptor to wait for, or -1 */

    _Atomic bool cancelled;
    raski_mutex *mail_lock; /* guards mail */
    raski_task_mail *mail;  /* in order */
    _Atomic bool has_mail;  /* release after mail was added; acquire before it is taken */
};

/* Makes operators, writers, partitions and the gate from the vertex. On failure what was made so
 * far is freed by raski_task_free_chain. */
RASKI_NODISCARD rask_status raski_task_make_chain(raski_task *task,
                                                  const raski_task_deployment *deployment,
                                                  raski_error *err);
/* Shows the readers what was written; context: the task. */
void raski_task_flush_idle(void *context);
void raski_task_free_chain(raski_task *task);
/* Leaves the channels of an input alone, or reads them again. */
void raski_task_block_input(raski_task *task, unsigned input, bool blocked);
#endif
