#include "taskexecutor/stream_task_factory.h"

#include <string.h>

#include "base/alloc.h"
#include "config/options.h"
#include "task/task.h"

typedef struct stream_task {
    raski_task *task;
    raski_task_observer observer;
    char *task_name; /* owned */
    int subtask, parallelism, attempt;
    const raski_job_vertex *vertex;
    raski_partition_id *channels; /* what each reads, in the order of the task's inputs; owned */
} stream_task;

/* ---------------------------------------------------------------- what a task tells */
static raski_failure *failure_of(const stream_task *st, const raski_task_failure *failure) {
    raski_failure *f = raski_failure_from_error(&failure->error);
    f->task_name = raski_strdup(st->task_name);
    f->subtask = st->subtask;
    f->parallelism = st->parallelism;
    f->attempt = st->attempt;
    f->operator_name = raski_strdup(failure->operator_name);
    f->operator_id = failure->operator_id;
    f->record = failure->record_number;
    if (failure->lost_channel >= 0) { /* its producer has to run again */
        f->has_failed_partition = true;
        f->failed_partition = st->channels[failure->lost_channel];
    }
    return f;
}

static void state_changed(void *context, raski_task *task, raski_task_state state,
                          const raski_task_failure *failure) {
    static const raski_execution_state states[] = {
        [RASKI_TASK_DEPLOYING] = RASKI_EXECUTION_DEPLOYING,
        [RASKI_TASK_INITIALIZING] = RASKI_EXECUTION_INITIALIZING,
        [RASKI_TASK_RUNNING] = RASKI_EXECUTION_RUNNING,
        [RASKI_TASK_FINISHED] = RASKI_EXECUTION_FINISHED,
        [RASKI_TASK_CANCELED] = RASKI_EXECUTION_CANCELED,
        [RASKI_TASK_FAILED] = RASKI_EXECUTION_FAILED,
    };
    (void)task;
    stream_task *st = context;
    st->observer.state_changed(st->observer.ctx, st->observer.token, states[state],
                               failure ? failure_of(st, failure) : NULL);
}

static void send_event(void *context, raski_task *task, raski_id operator_id, const void *bytes,
                       size_t size) {
    (void)task;
    stream_task *st = context;
    st->observer.send_event(st->observer.ctx, st->observer.token, operator_id, bytes, size);
}

/* ---------------------------------------------------------------- the factory */
/* ---- counters of functions */
static void forget_counters(raski_stream_task_context *context, const stream_task *st) {
    size_t kept = 0;
    for (size_t i = 0; i < context->counters.count; i++) {
        raski_subtask_counter *counter = &context->counters.items[i];
        if (counter->vertex == st->vertex && counter->subtask == st->subtask)
            raski_free(counter->name);
        else
            context->counters.items[kept++] = *counter;
    }
    context->counters.count = kept;
}

typedef struct counter_visit {
    raski_stream_task_context *context;
    const stream_task *st;
    const char *operator_name;
} counter_visit;

static void keep_counter(void *ctx, const char *name, int64_t value) {
    counter_visit *visit = ctx;
    const raski_subtask_counter counter = {visit->st->vertex, visit->st->subtask,
                                           raski_format("%s.%s", visit->operator_name, name),
                                           value};
    raski_vec_push(&visit->context->counters, counter);
}

/* Those of an attempt take the place of the one before. */
static void keep_counters(raski_stream_task_context *context, const stream_task *st) {
    forget_counters(context, st);
    for (size_t i = 0; i < st->vertex->operator_count; i++) {
        counter_visit visit = {context, st, st->vertex->operators[i].name};
        raski_task_visit_user_counters(st->task, i, keep_counter, &visit);
    }
}

void raski_stream_task_context_fini(raski_stream_task_context *context) {
    for (size_t i = 0; i < context->counters.count; i++)
        raski_free(context->counters.items[i].name);
    raski_vec_free(&context->counters);
}

static void destroy(void *ctx, void *task_take) {
    stream_task *st = task_take;
    if (st == NULL) return;
    if (st->task != NULL) {
        raski_task_wait(st->task);
        keep_counters(ctx, st);
    }
    raski_task_destroy(st->task);
    raski_free(st->channels);
    raski_free(st->task_name);
    raski_free(st);
}

/* The channels of all gates as the task wants them; one block of memory for raski_free. */
static raski_task_input *inputs_of(const raski_deployment *deployment) {
    size_t channels = 0;
    for (size_t g = 0; g < deployment->gate_count; g++)
        channels += deployment->gates[g].channel_count;
    raski_task_input *inputs = raski_calloc(
        1, deployment->gate_count * sizeof *inputs + channels * sizeof(raski_task_channel) + 1);
    raski_task_channel *next = (raski_task_channel *)(inputs + deployment->gate_count);
    for (size_t g = 0; g < deployment->gate_count; g++) {
        const raski_deployed_gate *gate = &deployment->gates[g];
        inputs[g] = (raski_task_input){next, gate->channel_count};
        for (size_t c = 0; c < gate->channel_count; c++)
            *next++ = (raski_task_channel){gate->channels[c].partition,
                                           (uint32_t)gate->channels[c].subpartition};
    }
    return inputs;
}

static raski_partition_id *channels_of(const raski_deployment *deployment) {
    size_t count = 0;
    for (size_t g = 0; g < deployment->gate_count; g++) count += deployment->gates[g].channel_count;
    raski_partition_id *channels = RASKI_NEW_ARRAY(raski_partition_id, count);
    size_t n = 0;
    for (size_t g = 0; g < deployment->gate_count; g++)
        for (size_t c = 0; c < deployment->gates[g].channel_count; c++)
            channels[n++] = deployment->gates[g].channels[c].id;
    return channels;
}

static rask_status create(void *ctx, const raski_deployment *deployment,
                          const raski_task_observer *observer, void **ret_task, raski_error *err) {
    const raski_stream_task_context *context = ctx;
    stream_task *st = RASKI_NEW(stream_task);
    st->observer = *observer;
    st->vertex = deployment->vertex;
    st->task_name = raski_strdup(deployment->vertex->name);
    st->subtask = deployment->subtask;
    st->parallelism = deployment->parallelism;
    st->attempt = (int)deployment->attempt.attempt;
    st->channels = channels_of(deployment);
    raski_task_input *inputs = inputs_of(deployment);
    uint32_t *subpartitions = RASKI_NEW_ARRAY(uint32_t, deployment->result_count);
    for (size_t i = 0; i < deployment->result_count; i++)
        subpartitions[i] =
            deployment->subpartitions[i] < 0 ? 0 : (uint32_t)deployment->subpartitions[i];
    const raski_task_deployment d = {
        .job_id = deployment->attempt.job_id,
        .job_name = deployment->job_name,
        .vertex = deployment->vertex,
        .subtask_index = deployment->subtask,
        .parallelism = deployment->parallelism,
        .max_parallelism = deployment->max_parallelism,
        .attempt_number = st->attempt,
        .inputs = inputs,
        .subpartition_counts = subpartitions,
        .reader_max_parallelisms = deployment->reader_max_parallelisms,
        .configuration = context->configuration,
        .pool = context->pool,
        .simulated = context->simulated,
    };
    const raski_task_listener listener = {st, state_changed, send_event};
    rask_status status = raski_task_create(&d, &listener, &st->task, err);
    raski_free(inputs);
    raski_free(subpartitions);
    if (status != RASK_OK) {
        destroy(ctx, st);
        return status;
    }
    *ret_task = st;
    return RASK_OK;
}

static void *result(void *ctx, void *task, size_t i) {
    (void)ctx;
    return raski_task_result(((stream_task *)task)->task, i);
}

static void partition_ref(void *ctx, void *partition) {
    (void)ctx;
    (void)raski_result_partition_ref(partition);
}

static void partition_unref(void *ctx, void *partition_take) {
    (void)ctx;
    raski_result_partition_unref(partition_take);
}

static rask_status start(void *ctx, void *task, raski_error *err) {
    (void)ctx;
    return raski_task_start(((stream_task *)task)->task, err);
}

static raski_task_step step(void *ctx, void *task) {
    (void)ctx;
    switch (raski_task_run_step(((stream_task *)task)->task)) {
        case RASKI_STEP_MORE:
            return RASKI_TASK_MORE;
        case RASKI_STEP_BLOCKED:
            return RASKI_TASK_BLOCKED;
        case RASKI_STEP_DONE:
            break;
    }
    return RASKI_TASK_DONE;
}

static void cancel(void *ctx, void *task) {
    (void)ctx;
    raski_task_cancel(((stream_task *)task)->task);
}

static void deliver_event(void *ctx, void *task, raski_id operator_id, const void *bytes,
                          size_t length) {
    (void)ctx;
    raski_task_deliver_event(((stream_task *)task)->task, operator_id, bytes, length);
}

/* What enters the chain and what leaves it. A source's records count as read when they are made;
 * what a sink takes counts as written. */
static void counters(void *ctx, void *task, raski_task_counters *ret_counters) {
    (void)ctx;
    const stream_task *st = task;
    *ret_counters = (raski_task_counters){0};
    for (size_t i = 0; i < st->vertex->operator_count; i++) {
        raski_operator_counters c = raski_task_get_counters(st->task, i);
        const raski_job_operator *op = &st->vertex->operators[i];
        if (i == st->vertex->head)
            ret_counters->records_in +=
                (uint64_t)(st->vertex->inputs.count == 0 ? c.records_out : c.records_in);
        const bool is_sink = op->chained_output_count == 0 && op->output_count == 0;
        if (op->output_count > 0 || is_sink)
            ret_counters->records_out += (uint64_t)(is_sink ? c.records_in : c.records_out);
    }
}

raski_task_factory raski_stream_task_factory(raski_stream_task_context *context) {
    return (raski_task_factory){
        .size = sizeof(raski_task_factory),
        .name = "stream tasks",
        .version = 1,
        .ctx = context,
        .create = create,
        .result = result,
        .partition_ref = partition_ref,
        .partition_unref = partition_unref,
        .start = context->simulated ? NULL : start,
        .step = context->simulated ? step : NULL,
        .cancel = cancel,
        .deliver_event = deliver_event,
        .counters = counters,
        .destroy = destroy,
    };
}

rask_status raski_network_buffers(const raski_configuration *configuration, size_t *ret_buffers,
                                  raski_error *err) {
    const raski_option_id max_id = RASKI_OPTION_TASKMANAGER_MEMORY_NETWORK_MAX;
    const raski_option_id min_id = RASKI_OPTION_TASKMANAGER_MEMORY_NETWORK_MIN;
    const int64_t max = raski_configuration_get_memory(configuration, max_id);
    const int64_t min = raski_configuration_get_memory(configuration, min_id);
    if (min > max && raski_configuration_is_set(configuration, min_id))
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "taskmanager.memory.network.min (%lld bytes) is larger than "
                          "taskmanager.memory.network.max (%lld bytes)",
                          (long long)min, (long long)max);
    int64_t buffers = max / RASKI_BUFFER_SIZE;
    const int64_t most = INT64_C(1) << 24; /* half a TiB: Flink's default maximum is no limit */
    if (buffers > most) buffers = most;
    *ret_buffers = buffers < 1 ? 1 : (size_t)buffers;
    return RASK_OK;
}
