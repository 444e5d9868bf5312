/* The life of a task and its loop. The chain is made by operator_chain.c. */
#include "task/task.h"

#include <stdatomic.h>
#include <string.h>

#include "platform/clock.h"
#include "platform/thread.h"
#include "task/task_private.h"

/* How often an empty gate is asked again before the thread goes to sleep: a producer that is at
 * work has the next buffer soon, and a sleep costs as much as hundreds of looks. */
enum { LOOKS_BEFORE_SLEEP = 64 };
static const int64_t SOURCE_IDLE_NS = 1000000;
/* Chained operators call each other: a few hundred bytes each, more under a sanitizer. Pages of a
 * stack that are never touched cost nothing. */
enum { STACK_BYTES = 1024 * 1024, STACK_BYTES_PER_OPERATOR = 2048 };

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* ---------------------------------------------------------------- mailbox */
static void mail_free(raski_task_mail *mail) {
    while (mail != NULL) {
        raski_task_mail *next = mail->next;
        raski_free(mail);
        mail = next;
    }
}

void raski_task_deliver_event(raski_task *task, raski_id operator_id, const void *bytes,
                              size_t size) {
    raski_task_mail *mail = raski_alloc(sizeof *mail + size);
    mail->next = NULL;
    mail->operator_id = operator_id;
    mail->size = size;
    memcpy(mail->bytes, bytes, size);
    raski_mutex_lock(task->mail_lock);
    raski_task_mail **end = &task->mail;
    while (*end != NULL) end = &(*end)->next;
    *end = mail;
    atomic_store_explicit(&task->has_mail, true, memory_order_release);
    raski_mutex_unlock(task->mail_lock);
    raski_doorbell_ring(task->doorbell);
}

static void handle_mail(raski_task *task) {
    if (!atomic_load_explicit(&task->has_mail, memory_order_acquire)) return;
    raski_mutex_lock(task->mail_lock);
    raski_task_mail *mail = task->mail;
    task->mail = NULL;
    atomic_store_explicit(&task->has_mail, false, memory_order_relaxed);
    raski_mutex_unlock(task->mail_lock);
    for (raski_task_mail *m = mail; m != NULL && !task->env.failed; m = m->next)
        for (size_t i = 0; i < task->operator_count; i++)
            if (raski_id_equals(task->operators[i]->job->id, m->operator_id))
                raski_source_handle_event(task->operators[i], m->bytes, m->size);
    mail_free(mail);
}

void raski_task_cancel(raski_task *task) {
    atomic_store_explicit(&task->cancelled, true, memory_order_release);
    raski_doorbell_ring(task->doorbell);
}

static bool is_cancelled(const raski_task *task) {
    return atomic_load_explicit(&task->cancelled, memory_order_acquire);
}

/* ---------------------------------------------------------------- states */
static void enter_state(raski_task *task, raski_task_state state,
                        const raski_task_failure *failure) {
    task->state = state;
    task->listener.state_changed(task->listener.context, task, state, failure);
}

static void describe_failure(const raski_task *task, raski_task_failure *failure) {
    *failure = (raski_task_failure){.error = task->env.error,
                                    .subtask_index = task->env.runtime.subtask_index,
                                    .record_number = task->env.record_number,
                                    .lost_channel = task->lost_channel};
    const raski_operator *op = task->env.failed_operator;
    const char *name = op ? op->job->name : task->vertex->name;
    size_t length = strnlen(name, sizeof failure->operator_name - 1);
    memcpy(failure->operator_name, name, length);
    failure->operator_name[length] = '\0';
    failure->operator_id = op ? op->job->id : task->vertex->id;
    if (op == NULL) return;
    failure->operator_file = op->def->file;
    failure->operator_line = op->def->line;
}

static raski_task_step_result end_task(raski_task *task) {
    for (size_t i = task->operator_count; i-- > 0;) raski_operator_close(task->operators[i]);
    raski_task_failure failure;
    if (task->env.failed && task->env.error.error_class != RASKI_CLASS_CANCELLED) {
        describe_failure(task, &failure);
        enter_state(task, RASKI_TASK_FAILED, &failure);
    } else if (task->env.failed || !task->ended) {
        enter_state(task, RASKI_TASK_CANCELED, NULL);
    } else {
        enter_state(task, RASKI_TASK_FINISHED, NULL);
    }
    return RASKI_STEP_DONE;
}

static void task_failed(raski_task *task, const raski_error *error) {
    if (task->env.failed) return;
    task->env.failed = true;
    task->env.error = *error;
}

static void initialize(raski_task *task) {
    enter_state(task, RASKI_TASK_INITIALIZING, NULL);
    for (size_t i = task->operator_count; i-- > 0 && !task->env.failed;)
        raski_operator_open(task->operators[i]);
    if (!task->env.failed) enter_state(task, RASKI_TASK_RUNNING, NULL);
}

/* ---------------------------------------------------------------- one step */
void raski_task_flush_idle(void *context) {
    raski_task *task = context;
    raski_error error = {0};
    for (size_t i = 0; i < task->writer_count && !task->env.failed; i++)
        if (raski_result_writer_idle(task->writers[i], &error) != RASK_OK)
            task_failed(task, &error);
}

static void finish_writers(raski_task *task) {
    raski_error error = {0};
    const raski_event end = {.kind = RASKI_EVENT_END_OF_DATA, .value = RASKI_END_DRAIN};
    for (size_t i = 0; i < task->writer_count && !task->env.failed; i++) {
        rask_status status = raski_result_writer_emit_event(task->writers[i], &end, &error);
        if (status == RASK_OK) status = raski_result_writer_finish(task->writers[i], &error);
        if (status != RASK_OK) task_failed(task, &error);
    }
    task->ended = !task->env.failed;
}

static void after_batch(raski_task *task) {
    if (raski_batch_arena_take_failed(&task->env.arena)) {
        raski_error error = {0};
        (void)RASKI_FAIL(&error, RASK_E_NOMEM, EXTERNAL, "no memory for the strings of a batch");
        task_failed(task, &error);
    }
    raski_batch_arena_reset(&task->env.arena);
}

static raski_task_step_result source_step(raski_task *task) {
    raski_operator *source = task->operators[task->head];
    raski_source_result result = raski_source_step(source);
    after_batch(task);
    if (task->env.failed) return RASKI_STEP_MORE;
    switch (result) {
        case RASKI_SOURCE_MORE:
            return RASKI_STEP_MORE;
        case RASKI_SOURCE_IDLE:
            task->wake_ns =
                raski_now_ns() + (source->ctx.wake_ns > 0 ? source->ctx.wake_ns : SOURCE_IDLE_NS);
            task->wake_fd = source->ctx.wake_fd;
            return RASKI_STEP_BLOCKED;
        case RASKI_SOURCE_WAIT:
            task->wake_ns = RASKI_FOREVER;
            task->wake_fd = -1;
            return RASKI_STEP_BLOCKED;
        case RASKI_SOURCE_END:
            break;
    }
    /* Time is over: everything that waits for event time fires. Flink: advanceToEndOfEventTime. A
     * reader that never had a split tells that nobody need wait for it, and no more: else event
     * time would be over for its consumers as soon as the other readers are idle (report W8). */
    raski_operator_forward_status(source, raski_source_was_empty(source));
    raski_operator_forward_watermark(source, INT64_MAX);
    raski_operator_end_input(source, 0);
    after_batch(task);
    finish_writers(task);
    return RASKI_STEP_MORE;
}

/* Batch mode: the input is sorted before the operator gets it. */
static bool is_sorted_input(const raski_task *task, unsigned input) {
    return task->sorted != NULL && raski_sorted_inputs_has(task->sorted, input);
}

/* Of an input whose readers were all empty (report W8) the last watermark comes only now. */
static void end_time(raski_task *task, unsigned input) {
    raski_operator *head = task->operators[task->head];
    if (task->inputs[input].valve.watermark_ms == INT64_MAX) return;
    if (is_sorted_input(task, input)) {
        raski_sorted_inputs_watermark(task->sorted, input, INT64_MAX);
        return;
    }
    raski_operator_watermark_status(head, input, false);
    raski_operator_watermark(head, input, INT64_MAX);
}

void raski_task_block_input(raski_task *task, unsigned input, bool blocked) {
    for (uint32_t c = 0; c < raski_input_gate_channel_count(task->gate); c++)
        if (task->channel_input[c] == input) raski_input_gate_block(task->gate, c, blocked);
}

static void channel_ended(raski_task *task, unsigned input) {
    RASKI_ASSERT(input < RASKI_TASK_INPUTS_MAX && task->inputs[input].open_channels > 0);
    if (--task->inputs[input].open_channels > 0) return;
    if (task->broadcast_first && input == 1) {
        task->broadcast_first = false;
        raski_task_block_input(task, 0, false);
    }
    end_time(task, input);
    if (is_sorted_input(task, input)) return; /* it ends when its records were handed out */
    if (task->selection != NULL) {
        raski_input_selection_end(task->selection, input);
        return;
    }
    raski_operator_end_input(task->operators[task->head], input);
    after_batch(task);
}

/* A channel's watermark or status: what the input makes of it goes to the head operator. */
static void handle_event(raski_task *task, const raski_gate_item *item) {
    raski_watermark_valve *valve = &task->inputs[item->input].valve;
    raski_operator *head = task->operators[task->head];
    const size_t channel = task->channel_in_input[item->channel];
    raski_watermark_change change = {0};
    raski_error error = {0};
    rask_status status = RASK_OK;
    if (item->event.kind == RASKI_EVENT_WATERMARK)
        status =
            raski_watermark_valve_watermark(valve, channel, item->event.value, &change, &error);
    else if (item->event.kind == RASKI_EVENT_WATERMARK_STATUS)
        status = raski_watermark_valve_status(
            valve, channel, item->event.value == RASKI_WATERMARK_IDLE, &change, &error);
    if (status != RASK_OK) {
        task_failed(task, &error);
        return;
    }
    if (is_sorted_input(task, item->input)) { /* the order of time is that of the records */
        if (change.has_watermark)
            raski_sorted_inputs_watermark(task->sorted, item->input, change.watermark_ms);
        return;
    }
    if (task->selection != NULL) {
        raski_input_selection_add_change(task->selection, item->input, &change);
        return;
    }
    raski_operator_watermark_change(head, item->input, &change);
    after_batch(task);
}

/* Feeds what may be fed; channels of inputs that are not wanted wait, and so do their producers. */
static void select_inputs(raski_task *task) {
    raski_input_selection_run(task->selection);
    after_batch(task);
    const uint32_t channels = raski_input_gate_channel_count(task->gate);
    for (uint32_t c = 0; c < channels; c++)
        raski_input_gate_block(
            task->gate, c, !raski_input_selection_wants(task->selection, task->channel_input[c]));
}

static raski_task_step_result handle_item(raski_task *task, raski_gate_item *item) {
    switch (item->kind) {
        case RASKI_GATE_NONE:
            task->wake_ns = RASKI_FOREVER;
            task->wake_fd = -1;
            return RASKI_STEP_BLOCKED;
        case RASKI_GATE_BATCH:
            if (is_sorted_input(task, item->input))
                raski_sorted_inputs_add(task->sorted, item->input, item->records, item->timestamps,
                                        item->count);
            else if (task->selection != NULL)
                raski_input_selection_add(task->selection, item->input, item->records,
                                          item->timestamps, item->count);
            else
                raski_operator_process(task->operators[task->head], item->input, item->records,
                                       item->timestamps, item->count, item->exclusive);
            after_batch(task);
            break;
        case RASKI_GATE_EVENT:
            handle_event(task, item);
            break;
        case RASKI_GATE_CHANNEL_END:
            channel_ended(task, item->input);
            break;
        case RASKI_GATE_END:
            task->is_sorted = task->sorted != NULL;
            if (!task->is_sorted) finish_writers(task);
            break;
    }
    raski_input_gate_release(task->gate, item);
    if (task->selection != NULL) select_inputs(task);
    return RASKI_STEP_MORE;
}

static raski_task_step_result sorted_step(raski_task *task) {
    const bool more = raski_sorted_inputs_step(task->sorted);
    after_batch(task);
    if (!more && !task->env.failed) finish_writers(task);
    return RASKI_STEP_MORE;
}

static raski_task_step_result gate_step(raski_task *task) {
    raski_gate_item item = {0};
    raski_error error = {0};
    if (task->is_sorted) return sorted_step(task);
    if (task->producer_gone) {
        task->wake_ns = RASKI_FOREVER;
        task->wake_fd = -1;
        return RASKI_STEP_BLOCKED;
    }
    rask_status status = raski_input_gate_poll(task->gate, &item, &error);
    if (status == RASK_OK) return handle_item(task, &item);
    /* A producer failed or was cancelled: it tells its own story, and whoever hears it cancels
     * this task too. */
    if (status == RASK_E_CANCELLED) {
        task->producer_gone = true;
    } else {
        if (status != RASK_E_NOMEM) task->lost_channel = item.channel;
        task_failed(task, &error);
    }
    return RASKI_STEP_MORE;
}

/* Calls the operators that other threads may have something for. */
static void pay_attention(raski_task *task) {
    if (!atomic_load_explicit(&task->env.attention, memory_order_relaxed)) return;
    if (!atomic_exchange_explicit(&task->env.attention, false, memory_order_acquire)) return;
    for (size_t i = task->operator_count; i-- > 0 && !task->env.failed;) {
        raski_operator *op = task->operators[i];
        if (op->ops->attention != NULL) op->ops->attention(op);
    }
    after_batch(task);
}

/* Calls the operators that wait for processing time. */
static void advance_processing_time(raski_task *task) {
    if (task->env.next_wake_ms == INT64_MAX || task->operator_count == 0) return;
    const int64_t now_ms = raski_operator_now_ms(task->operators[0]);
    if (now_ms < task->env.next_wake_ms) return;
    task->env.next_wake_ms = INT64_MAX;
    for (size_t i = task->operator_count; i-- > 0;) {
        raski_operator *op = task->operators[i];
        raski_operator_advance_processing_time(op, now_ms);
        if (op->wake_ms < task->env.next_wake_ms) task->env.next_wake_ms = op->wake_ms;
    }
    after_batch(task);
}

static raski_task_step_result step(raski_task *task) {
    if (task->state == RASKI_TASK_DEPLOYING && !is_cancelled(task)) initialize(task);
    handle_mail(task);
    if (task->state == RASKI_TASK_RUNNING) {
        pay_attention(task);
        advance_processing_time(task);
    }
    if (task->env.failed || task->ended || is_cancelled(task)) return end_task(task);
    return task->is_source ? source_step(task) : gate_step(task);
}

raski_task_step_result raski_task_run_step(raski_task *task) {
    if (task->state >= RASKI_TASK_FINISHED) return RASKI_STEP_DONE;
    raski_batch_arena *before = raski_batch_arena_set_current(&task->env.arena);
    raski_task_step_result result = step(task);
    if (result == RASKI_STEP_BLOCKED) raski_task_flush_idle(task);
    (void)raski_batch_arena_set_current(before);
    return result;
}

/* ---------------------------------------------------------------- the thread */
static int64_t flush_deadline(const raski_task *task) {
    int64_t deadline = RASKI_FOREVER;
    for (size_t i = 0; i < task->writer_count; i++) {
        int64_t d = raski_result_writer_flush_deadline_ns(task->writers[i]);
        if (d < deadline) deadline = d;
    }
    return deadline;
}

static void wait_for_work(raski_task *task, uint32_t seen) {
    raski_task_flush_idle(task);
    int64_t deadline = flush_deadline(task);
    if (task->wake_ns < deadline) deadline = task->wake_ns;
    if (task->env.next_wake_ms != INT64_MAX) {
        int64_t wait_ms = task->env.next_wake_ms - raski_operator_now_ms(task->operators[0]);
        int64_t wake = raski_deadline_ns(wait_ms > 0 ? wait_ms : 0);
        if (wake < deadline) deadline = wake;
    }
    if (task->wake_fd >= 0)
        (void)raski_doorbell_wait_fd(task->doorbell, seen, task->wake_fd, false, deadline);
    else
        (void)raski_doorbell_wait(task->doorbell, seen, deadline);
}

static void run(void *context) {
    raski_task *task = context;
    (void)raski_batch_arena_set_current(&task->env.arena);
    int looks = 0;
    for (;;) {
        uint32_t seen = raski_doorbell_sequence(task->doorbell);
        raski_task_step_result result = step(task);
        if (result == RASKI_STEP_DONE) break;
        if (result == RASKI_STEP_MORE) {
            looks = 0;
        } else if (!task->is_source && looks < LOOKS_BEFORE_SLEEP) {
            looks++;
            pause_briefly();
        } else {
            looks = 0;
            wait_for_work(task, seen);
        }
    }
    (void)raski_batch_arena_set_current(NULL);
}

rask_status raski_task_start(raski_task *task, raski_error *err) {
    size_t stack_size = STACK_BYTES + task->operator_count * STACK_BYTES_PER_OPERATOR;
    return raski_thread_create(task->vertex->name, stack_size, run, task, &task->thread, err);
}

void raski_task_wait(raski_task *task) {
    raski_thread_join(task->thread);
    task->thread = NULL;
}

void raski_task_destroy(raski_task *task_take) {
    raski_task *task = task_take;
    if (task == NULL) return;
    raski_task_wait(task);
    raski_task_free_chain(task);
    mail_free(task->mail);
    raski_mutex_destroy(task->mail_lock);
    raski_doorbell_unref(task->doorbell);
    raski_free(task);
}

raski_operator_counters raski_task_get_counters(const raski_task *task, size_t i) {
    const raski_operator *op = task->operators[i];
    return (raski_operator_counters){
        .records_in = __atomic_load_n(&op->records_in, __ATOMIC_RELAXED),
        .records_out = __atomic_load_n(&op->records_out, __ATOMIC_RELAXED),
    };
}

void raski_task_visit_user_counters(const raski_task *task, size_t i,
                                    void (*visit)(void *context, const char *name, int64_t value),
                                    void *context) {
    const raski_operator *op = task->operators[i];
    for (size_t c = 0; c < op->counters.count; c++)
        visit(context, op->counters.items[c]->name,
              __atomic_load_n(&op->counters.items[c]->counter.value, __ATOMIC_RELAXED));
}
