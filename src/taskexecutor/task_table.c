#include "taskexecutor/task_table.h"

#include "base/alloc.h"
#include "base/log.h"

/* Work takes time in a simulation, too: otherwise an endless task would stop the clock. */
enum { STEP_DELAY_MS = 1, BLOCKED_STEP_DELAY_MS = 2 };

typedef struct task_entry {
    uint64_t token;
    raski_submit_task_message submit; /* owned */
    size_t slot;
    void *task;          /* the factory's; NULL: waits */
    uint64_t wait_timer; /* of a task that waits */
    bool is_cancelled;
} task_entry;

void raski_task_table_init(raski_task_table *table, raski_actor *actor, uint64_t task_executor,
                           const raski_task_factory *factory, raski_partition_registry *registry,
                           int64_t partition_timeout_ms,
                           void (*on_gone)(void *ctx, uint64_t allocation), void *ctx) {
    *table = (raski_task_table){
        .actor = actor,
        .address = raski_actor_address(actor),
        .task_executor = task_executor,
        .factory = factory,
        .registry = registry,
        .partition_timeout_ms = partition_timeout_ms,
        .on_gone = on_gone,
        .ctx = ctx,
    };
}

/* ---------------------------------------------------------------- what tasks tell, on any thread
 */

static void post_state(void *ctx, uint64_t token, raski_execution_state state,
                       raski_failure *failure_take) {
    const raski_task_table *table = ctx;
    raski_message *message = raski_message_create(&raski_message_task_state);
    *RASKI_PAYLOAD(message, raski_task_state_message) =
        (raski_task_state_message){token, state, failure_take};
    message->stream = UINT64_MAX - token;      /* apart from the ids of actors */
    (void)raski_post(table->address, message); /* refused: nobody is left who cares */
}

static void post_event(void *ctx, uint64_t token, raski_id operator_id, const void *bytes,
                       size_t length) {
    const raski_task_table *table = ctx;
    raski_message *message = raski_message_create(&raski_message_task_event);
    *RASKI_PAYLOAD(message, raski_task_event_message) =
        (raski_task_event_message){token, operator_id, raski_memdup(bytes, length), length};
    message->stream = UINT64_MAX - token;
    (void)raski_post(table->address, message);
}

/* ---------------------------------------------------------------- ends */

static void report(raski_task_table *table, const raski_submit_task_message *submit,
                   raski_execution_state state, raski_failure *failure_take,
                   const raski_task_counters *counters) {
    raski_message *message = raski_message_create(&raski_message_task_update);
    raski_task_update_message *update = RASKI_PAYLOAD(message, raski_task_update_message);
    update->attempt = submit->attempt;
    update->state = state;
    update->failure = failure_take;
    if (counters != NULL) {
        update->has_counters = true;
        update->counters = *counters;
    }
    message->epoch = submit->job.epoch;
    raski_actor_send(table->actor, submit->job.job_master, message);
}

/* Says in a failure whose it is. */
static void name_failure(raski_failure *failure, const raski_submit_task_message *submit) {
    if (failure == NULL) return;
    if (failure->task_name == NULL) failure->task_name = raski_strdup(submit->vertex->name);
    failure->subtask = submit->subtask;
    failure->parallelism = submit->parallelism;
    failure->attempt = (int)submit->attempt.attempt;
}

static void release_results(raski_task_table *table, const raski_submit_task_message *submit) {
    for (size_t r = 0; r < submit->result_count; r++)
        raski_partition_registry_remove(
            table->registry, submit->attempt.job_id,
            (raski_partition_id){submit->partitions[r], submit->attempt.attempt});
}

static void entry_free(task_entry *entry_take) {
    raski_message_submit_task.fini(&entry_take->submit);
    raski_free(entry_take);
}

/* Ends a task: frees it, then tells the job master, so that who hears of the end finds nothing. */
static void end_task(raski_task_table *table, task_entry *entry_take, raski_execution_state state,
                     raski_failure *failure_take) {
    task_entry *entry = entry_take;
    (void)raski_map_remove_number(&table->tasks, entry->token);
    raski_task_counters counters = {0};
    if (entry->task != NULL) {
        table->factory->counters(table->factory->ctx, entry->task, &counters);
        table->factory->destroy(table->factory->ctx, entry->task);
        if (state != RASKI_EXECUTION_FINISHED) release_results(table, &entry->submit);
    } else {
        (void)raski_actor_cancel_timer(table->actor, entry->wait_timer);
        if (--table->waiting == 0)
            raski_partition_registry_remove_waiter(table->registry, table->address);
    }
    name_failure(failure_take, &entry->submit);
    report(table, &entry->submit, state, failure_take, &counters);
    uint64_t allocation = entry->submit.allocation;
    entry_free(entry);
    table->on_gone(table->ctx, allocation);
}

static void fail_task(raski_task_table *table, task_entry *entry_take, const raski_error *err) {
    end_task(table, entry_take, RASKI_EXECUTION_FAILED, raski_failure_from_error(err));
}

/* ---------------------------------------------------------------- beginnings */

/* The first partition that the task reads and that is not there; false: all are. */
static bool find_missing(const raski_task_table *table, const raski_submit_task_message *submit,
                         raski_partition_id *ret_missing) {
    for (size_t g = 0; g < submit->gate_count; g++)
        for (size_t p = 0; p < submit->gates[g].partition_count; p++)
            if (raski_partition_registry_get(table->registry, submit->attempt.job_id,
                                             submit->gates[g].partitions[p]) == NULL) {
                *ret_missing = submit->gates[g].partitions[p];
                return true;
            }
    return false;
}

static raski_deployed_gate *connect_gates(const raski_task_table *table,
                                          const raski_submit_task_message *submit) {
    raski_deployed_gate *gates = RASKI_NEW_ARRAY(raski_deployed_gate, submit->gate_count);
    for (size_t g = 0; g < submit->gate_count; g++) {
        const raski_gate_descriptor *descriptor = &submit->gates[g];
        int subpartitions = descriptor->subpartitions.last - descriptor->subpartitions.first + 1;
        gates[g].edge = submit->vertex->inputs.items[g];
        gates[g].channels = RASKI_NEW_ARRAY(raski_deployed_channel,
                                            descriptor->partition_count * (size_t)subpartitions);
        for (size_t p = 0; p < descriptor->partition_count; p++)
            for (int s = 0; s < subpartitions; s++)
                gates[g].channels[gates[g].channel_count++] = (raski_deployed_channel){
                    .id = descriptor->partitions[p],
                    .partition = raski_partition_registry_get(
                        table->registry, submit->attempt.job_id, descriptor->partitions[p]),
                    .subpartition = descriptor->subpartitions.first + s,
                    .producer_subtask = descriptor->first_producer + (int)p,
                };
    }
    return gates;
}

static rask_status create_task(raski_task_table *table, task_entry *entry, raski_error *err) {
    const raski_submit_task_message *submit = &entry->submit;
    raski_deployed_gate *gates = connect_gates(table, submit);
    raski_deployment deployment = {
        .attempt = submit->attempt,
        .job_name = submit->job_name,
        .job_code = submit->job_code,
        .vertex = submit->vertex,
        .subtask = submit->subtask,
        .parallelism = submit->parallelism,
        .max_parallelism = submit->max_parallelism,
        .slot = entry->slot,
        .gates = gates,
        .gate_count = submit->gate_count,
        .subpartitions = submit->subpartitions,
        .reader_max_parallelisms = submit->reader_max_parallelisms,
        .result_count = submit->result_count,
    };
    raski_task_observer observer = {table, entry->token, post_state, post_event};
    void *task = NULL;
    rask_status status =
        table->factory->create(table->factory->ctx, &deployment, &observer, &task, err);
    for (size_t g = 0; g < submit->gate_count; g++) raski_free(gates[g].channels);
    raski_free(gates);
    if (status == RASK_OK) entry->task = task;
    return status;
}

static void register_results(raski_task_table *table, const task_entry *entry) {
    for (size_t r = 0; r < entry->submit.result_count; r++) {
        void *partition = table->factory->result(table->factory->ctx, entry->task, r);
        if (partition == NULL) continue;
        raski_partition_registry_put(
            table->registry, entry->submit.attempt.job_id,
            (raski_partition_id){entry->submit.partitions[r], entry->submit.attempt.attempt},
            table->task_executor, partition);
    }
}

static void schedule_step(raski_task_table *table, uint64_t token, int64_t delay_ms) {
    raski_message *message = raski_message_create(&raski_message_step_task);
    RASKI_PAYLOAD(message, raski_task_timer_message)->token = token;
    (void)raski_actor_schedule(table->actor, delay_ms, message);
}

/* All that the task reads is there: creates and starts it. */
static void begin_task(raski_task_table *table, task_entry *entry) {
    raski_error err = {0};
    if (create_task(table, entry, &err) != RASK_OK) {
        fail_task(table, entry, &err);
        return;
    }
    (void)raski_actor_cancel_timer(table->actor, entry->wait_timer);
    if (--table->waiting == 0)
        raski_partition_registry_remove_waiter(table->registry, table->address);
    register_results(table, entry);
    if (table->factory->start == NULL) {
        schedule_step(table, entry->token, 0);
    } else if (table->factory->start(table->factory->ctx, entry->task, &err) != RASK_OK) {
        fail_task(table, entry, &err);
    }
}

void raski_task_table_submit(raski_task_table *table, raski_submit_task_message *submit,
                             size_t slot) {
    task_entry *entry = RASKI_NEW(task_entry);
    entry->token = ++table->last_token;
    entry->submit = *submit;
    submit->gates = NULL;
    submit->gate_count = 0;
    submit->subpartitions = NULL;
    submit->reader_max_parallelisms = NULL;
    submit->partitions = NULL;
    entry->slot = slot;
    raski_map_put_number(&table->tasks, entry->token, entry);
    table->waiting++;
    if (slot == RASKI_NO_SLOT) {
        raski_error err = {0};
        (void)RASKI_FAIL(&err, RASK_E_NOT_FOUND, EXTERNAL,
                         "the slot that the task was to run in is not the job's any more");
        fail_task(table, entry, &err);
        return;
    }
    raski_partition_id missing = {0};
    if (!find_missing(table, &entry->submit, &missing)) {
        begin_task(table, entry);
        return;
    }
    raski_partition_registry_add_waiter(table->registry, table->address);
    raski_message *timeout = raski_message_create(&raski_message_partition_timeout);
    RASKI_PAYLOAD(timeout, raski_task_timer_message)->token = entry->token;
    entry->wait_timer = raski_actor_schedule(table->actor, table->partition_timeout_ms, timeout);
}

/* ---------------------------------------------------------------- messages */

static void cancel_entry(raski_task_table *table, task_entry *entry) {
    entry->is_cancelled = true;
    if (entry->task == NULL)
        end_task(table, entry, RASKI_EXECUTION_CANCELED, NULL);
    else
        table->factory->cancel(table->factory->ctx, entry->task);
}

static task_entry *find_attempt(const raski_task_table *table, raski_attempt_id attempt) {
    for (size_t i = 0; i < table->tasks.count; i++) {
        task_entry *entry = table->tasks.entries[i].value;
        if (raski_attempt_id_equals(entry->submit.attempt, attempt)) return entry;
    }
    return NULL;
}

static void on_task_state(raski_task_table *table, raski_task_state_message *told) {
    task_entry *entry = raski_map_get_number(&table->tasks, told->token);
    if (entry == NULL) return;
    raski_failure *failure = told->failure;
    told->failure = NULL;
    if (raski_execution_state_is_final(told->state))
        end_task(table, entry, told->state, failure);
    else
        report(table, &entry->submit, told->state, NULL, NULL);
}

static void on_task_event(raski_task_table *table, raski_task_event_message *event) {
    const task_entry *entry = raski_map_get_number(&table->tasks, event->token);
    if (entry == NULL) return;
    raski_message *message = raski_message_create(&raski_message_operator_event);
    *RASKI_PAYLOAD(message, raski_operator_event_message) = (raski_operator_event_message){
        entry->submit.attempt, event->operator_id, event->bytes, event->length};
    event->bytes = NULL;
    message->epoch = entry->submit.job.epoch;
    raski_actor_send(table->actor, entry->submit.job.job_master, message);
}

static void on_operator_event(raski_task_table *table, const raski_operator_event_message *event) {
    const task_entry *entry = find_attempt(table, event->attempt);
    if (entry != NULL && entry->task != NULL)
        table->factory->deliver_event(table->factory->ctx, entry->task, event->operator_id,
                                      event->bytes, event->length);
}

static void on_step(raski_task_table *table, uint64_t token) {
    const task_entry *entry = raski_map_get_number(&table->tasks, token);
    if (entry == NULL) return;
    switch (table->factory->step(table->factory->ctx, entry->task)) {
        case RASKI_TASK_MORE:
            schedule_step(table, token, STEP_DELAY_MS);
            break;
        case RASKI_TASK_BLOCKED:
            schedule_step(table, token, BLOCKED_STEP_DELAY_MS);
            break;
        case RASKI_TASK_DONE: /* its last state is on its way */
            break;
    }
}

static void on_partition_ready(raski_task_table *table) {
    /* Beginning a task may make others ready and ends some: look at each token that waits now. */
    RASKI_VEC(uint64_t) tokens = {0};
    for (size_t i = 0; i < table->tasks.count; i++)
        if (((const task_entry *)table->tasks.entries[i].value)->task == NULL)
            raski_vec_push(&tokens, table->tasks.entries[i].number);
    for (size_t i = 0; i < tokens.count; i++) {
        task_entry *entry = raski_map_get_number(&table->tasks, tokens.items[i]);
        raski_partition_id missing = {0};
        if (entry != NULL && entry->task == NULL && !find_missing(table, &entry->submit, &missing))
            begin_task(table, entry);
    }
    raski_vec_free(&tokens);
}

static void on_partition_timeout(raski_task_table *table, uint64_t token) {
    task_entry *entry = raski_map_get_number(&table->tasks, token);
    if (entry == NULL || entry->task != NULL) return;
    entry->wait_timer = 0;
    raski_partition_id missing = {0};
    if (!find_missing(table, &entry->submit, &missing)) {
        begin_task(table, entry);
        return;
    }
    raski_failure *failure = raski_failure_create(
        RASKI_CLASS_EXTERNAL, "PartitionNotFoundException",
        "partition %u of attempt %u, which the task reads, was not there within %lld ms",
        missing.partition, missing.attempt, (long long)table->partition_timeout_ms);
    failure->has_failed_partition = true;
    failure->failed_partition = missing;
    end_task(table, entry, RASKI_EXECUTION_FAILED, failure);
}

bool raski_task_table_receive(raski_task_table *table, raski_message *message) {
    const raski_message_type *type = message->type;
    if (type == &raski_message_task_state) {
        on_task_state(table, RASKI_PAYLOAD(message, raski_task_state_message));
    } else if (type == &raski_message_task_event) {
        on_task_event(table, RASKI_PAYLOAD(message, raski_task_event_message));
    } else if (type == &raski_message_operator_event) {
        on_operator_event(table, RASKI_PAYLOAD(message, raski_operator_event_message));
    } else if (type == &raski_message_step_task) {
        on_step(table, RASKI_PAYLOAD(message, raski_task_timer_message)->token);
    } else if (type == &raski_message_partition_ready) {
        on_partition_ready(table);
    } else if (type == &raski_message_partition_timeout) {
        on_partition_timeout(table, RASKI_PAYLOAD(message, raski_task_timer_message)->token);
    } else if (type == &raski_message_cancel_task) {
        task_entry *entry =
            find_attempt(table, RASKI_PAYLOAD(message, raski_cancel_task_message)->attempt);
        if (entry != NULL) cancel_entry(table, entry); /* else it has ended and said so */
    } else {
        return false;
    }
    return true;
}

/* ---------------------------------------------------------------- all of them */

static bool is_in(const task_entry *entry, const raski_id *job_id, uint64_t allocation) {
    return job_id != NULL ? raski_id_equals(entry->submit.attempt.job_id, *job_id)
                          : entry->submit.allocation == allocation;
}

static size_t count_in(const raski_task_table *table, const raski_id *job_id, uint64_t allocation) {
    size_t count = 0;
    for (size_t i = 0; i < table->tasks.count; i++)
        count += is_in(table->tasks.entries[i].value, job_id, allocation);
    return count;
}

static size_t cancel_in(raski_task_table *table, const raski_id *job_id, uint64_t allocation) {
    for (size_t i = table->tasks.count; i-- > 0;) { /* backwards: those that wait go at once */
        if (i >= table->tasks.count) continue;
        task_entry *entry = table->tasks.entries[i].value;
        if (is_in(entry, job_id, allocation) && !entry->is_cancelled) cancel_entry(table, entry);
    }
    return count_in(table, job_id, allocation);
}

size_t raski_task_table_cancel_in_slot(raski_task_table *table, uint64_t allocation) {
    return cancel_in(table, NULL, allocation);
}

size_t raski_task_table_cancel_job(raski_task_table *table, raski_id job_id) {
    return cancel_in(table, &job_id, 0);
}

size_t raski_task_table_count_in_slot(const raski_task_table *table, uint64_t allocation) {
    return count_in(table, NULL, allocation);
}

size_t raski_task_table_count_job(const raski_task_table *table, raski_id job_id) {
    return count_in(table, &job_id, 0);
}

size_t raski_task_table_count(const raski_task_table *table) {
    return table->tasks.count;
}

void raski_task_table_counters(const raski_task_table *table, raski_id job_id,
                               raski_task_counters_message *out) {
    for (size_t i = 0; i < table->tasks.count; i++) {
        const task_entry *entry = table->tasks.entries[i].value;
        if (entry->task == NULL || !is_in(entry, &job_id, 0)) continue;
        raski_attempt_counters counters = {.attempt = entry->submit.attempt};
        table->factory->counters(table->factory->ctx, entry->task, &counters.counters);
        raski_vec_push(&out->tasks, counters);
    }
}

void raski_task_table_fini(raski_task_table *table) {
    /* First all are asked to end, since one may wait for another. */
    for (size_t i = 0; i < table->tasks.count; i++) {
        task_entry *entry = table->tasks.entries[i].value;
        if (entry->task != NULL) table->factory->cancel(table->factory->ctx, entry->task);
    }
    for (size_t i = 0; i < table->tasks.count; i++) {
        task_entry *entry = table->tasks.entries[i].value;
        if (entry->task != NULL) {
            while (table->factory->start == NULL &&
                   table->factory->step(table->factory->ctx, entry->task) != RASKI_TASK_DONE) {
            }
            table->factory->destroy(table->factory->ctx, entry->task);
        }
        entry_free(entry);
    }
    raski_map_free(&table->tasks);
    raski_partition_registry_remove_waiter(table->registry, table->address);
}
