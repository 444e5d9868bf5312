/* Rebuilds what a task runs from its job vertex: operators, their wiring, result partitions with
 * their writers, the input gate. Flink: OperatorChain, RegularOperatorChain, StreamTask's
 * createRecordWriters. */
#include <string.h>

#include "config/options.h"
#include "task/task_private.h"

/* ---------------------------------------------------------------- partitions and writers */
static const raski_job_operator *operator_at(const raski_job_vertex *vertex, int node,
                                             size_t *ret_index) {
    for (size_t i = 0; i < vertex->operator_count; i++) {
        if (vertex->operators[i].node != node) continue;
        *ret_index = i;
        return &vertex->operators[i];
    }
    return NULL;
}

static const rask_type *output_type(const raski_job_vertex *vertex,
                                    const raski_network_output *output) {
    size_t index = 0;
    const raski_job_operator *op = operator_at(vertex, output->source_node, &index);
    if (op == NULL || op->payload == NULL) return NULL;
    const raski_operator_definition *def = op->payload;
    return output->side_output ? raski_operator_definition_side_type(def, output->side_output)
                               : def->out;
}

static bool is_stamped(const raski_job_vertex *vertex, const raski_network_output *output) {
    size_t index = 0;
    const raski_job_operator *op = operator_at(vertex, output->source_node, &index);
    return ((const raski_operator_definition *)op->payload)->stamped;
}

static raski_channel_selector_kind selector_kind(const raski_partitioner *partitioner) {
    switch (partitioner->kind) {
        case RASKI_PARTITIONER_FORWARD:
        case RASKI_PARTITIONER_FORWARD_FOR_UNSPECIFIED:
        case RASKI_PARTITIONER_FORWARD_FOR_CONSECUTIVE_HASH:
            return RASKI_SELECT_FORWARD;
        case RASKI_PARTITIONER_REBALANCE:
            return RASKI_SELECT_REBALANCE;
        case RASKI_PARTITIONER_RESCALE:
            return RASKI_SELECT_RESCALE;
        case RASKI_PARTITIONER_SHUFFLE:
            return RASKI_SELECT_SHUFFLE;
        case RASKI_PARTITIONER_GLOBAL:
            return RASKI_SELECT_GLOBAL;
        case RASKI_PARTITIONER_BROADCAST:
            return RASKI_SELECT_BROADCAST;
        case RASKI_PARTITIONER_KEY_GROUP:
            return RASKI_SELECT_HASH;
        case RASKI_PARTITIONER_CUSTOM:
            return RASKI_SELECT_CUSTOM;
    }
    return RASKI_SELECT_FORWARD;
}

static rask_status select_custom(void *context, const void *records, size_t count,
                                 uint32_t channel_count, uint32_t *channels, raski_error *err) {
    raski_custom_selection *selection = context;
    const raski_partition_definition *def = selection->definition;
    const char *key = (const char *)records + def->key_offset;
    raski_error failure; /* a whole one is too long to be cleared for each batch */
    failure.status = RASK_OK;
    int channel = 0;
    size_t i = 0;
    raski_failure_sink_set(&failure);
    for (; i < count; i++, key += def->record_size) {
        channel = def->fn->partition(key, (int)channel_count);
        if (channel < 0 || (uint32_t)channel >= channel_count || raski_error_is_set(&failure))
            break;
        channels[i] = (uint32_t)channel;
    }
    raski_failure_sink_set(NULL);
    selection->records += (int64_t)i;
    if (i == count) return RASK_OK;
    const long long record = (long long)selection->records + 1;
    if (raski_error_is_set(&failure)) {
        raski_failure_prefix(&failure, "partitioner \"%s\" at record %lld: ", def->fn->name,
                             record);
        if (err != NULL) *err = failure;
        return RASK_FAILED;
    }
    return RASKI_FAIL(
        err, RASK_E_ARGUMENT, USER,
        "partitioner \"%s\" at record %lld returned %d, which is not in 0..%u (%s:%d)",
        def->fn->name, record, channel, channel_count - 1, def->fn->file, def->fn->line);
}

static rask_status make_partition(raski_task *task, const raski_task_deployment *deployment,
                                  const raski_network_output *output, raski_error *err) {
    const rask_type *type = output_type(task->vertex, output);
    if (type == NULL)
        return RASKI_FAIL(err, RASK_E_INTERNAL, INTERNAL, "no type for an output of \"%s\"",
                          task->vertex->name);
    const bool blocking =
        raski_result_type_is_blocking(output->type) || raski_result_type_is_hybrid(output->type);
    char *spill_directory = raski_configuration_temporary_directory(deployment->configuration);
    raski_result_partition_options options = {
        .name = task->vertex->name,
        .pool = deployment->pool,
        .storage = blocking ? RASKI_STORAGE_BLOCKING : RASKI_STORAGE_PIPELINED,
        .subpartition_count = deployment->subpartition_counts[output->result],
        .type = type,
        .has_timestamps = is_stamped(task->vertex, output),
        .spill_directory = spill_directory,
    };
    rask_status status =
        raski_result_partition_create(&options, &task->partitions[output->result], err);
    raski_free(spill_directory);
    return status;
}

static rask_status make_writer(raski_task *task, const raski_task_deployment *deployment, size_t i,
                               raski_error *err) {
    const raski_network_output *output = task->vertex->outputs[i];
    RASKI_TRY(make_partition(task, deployment, output, err));
    const raski_partitioner *partitioner = output->partitioner;
    /* A simulated run is the same each time: neither the clock nor chance has a say. */
    const bool simulated = deployment->simulated;
    raski_result_writer_options options = {
        .selector = {.kind = selector_kind(partitioner),
                     .max_parallelism = deployment->reader_max_parallelisms[output->result],
                     .seed = simulated ? 1 + (uint64_t)deployment->subtask_index : 0},
        .buffer_timeout_ms =
            simulated && output->buffer_timeout_ms > 0 ? 0 : output->buffer_timeout_ms,
        .doorbell = task->doorbell,
        .cancelled = &task->cancelled,
        .never_wait = deployment->simulated,
    };
    if (partitioner->kind == RASKI_PARTITIONER_CUSTOM) {
        options.selector.custom = select_custom;
        task->selections[i].definition = partitioner->payload;
        options.selector.custom_context = &task->selections[i];
    }
    return raski_result_writer_create(task->partitions[output->result], &options, &task->writers[i],
                                      err);
}

static raski_result_writer *writer_of(const raski_task *task, const raski_network_output *output) {
    for (size_t i = 0; i < task->writer_count; i++)
        if (task->vertex->outputs[i] == output) return task->writers[i];
    return NULL;
}

/* ---------------------------------------------------------------- operators */
/* Keys decide only where there is more than one subpartition to choose from. */
static const raski_key_definition *routing_key(const raski_task_deployment *deployment,
                                               const raski_network_output *output) {
    if (output->partitioner->kind != RASKI_PARTITIONER_KEY_GROUP) return NULL;
    if (deployment->subpartition_counts[output->result] == 1) return NULL;
    return output->partitioner->selector.payload;
}

static rask_status wire(raski_task *task, const raski_task_deployment *deployment, size_t i,
                        raski_error *err) {
    const raski_job_operator *job = &task->vertex->operators[i];
    for (size_t c = 0; c < job->chained_output_count; c++) {
        const raski_chained_output *chained = &job->chained_outputs[c];
        raski_operator_add_chained(task->operators[i], chained->side_output,
                                   task->operators[chained->target],
                                   (unsigned)chained->input_index);
    }
    for (size_t o = 0; o < job->output_count; o++) {
        const raski_network_output *output = job->outputs[o];
        raski_result_writer *writer = writer_of(task, output);
        if (writer == NULL)
            return RASKI_FAIL(err, RASK_E_INTERNAL, INTERNAL, "an output of \"%s\" has no result",
                              job->name);
        RASKI_TRY(raski_operator_add_writer(task->operators[i], output->side_output, writer,
                                            routing_key(deployment, output), err));
    }
    return RASK_OK;
}

static rask_status make_operators(raski_task *task, raski_error *err) {
    const raski_job_vertex *vertex = task->vertex;
    task->operators = RASKI_NEW_ARRAY(raski_operator *, vertex->operator_count);
    task->operator_count = 0;
    for (size_t i = 0; i < vertex->operator_count; i++) {
        if (vertex->operators[i].chain_index == 0)
            return RASKI_FAIL(err, RASK_E_UNSUPPORTED, USER,
                              "\"%s\" runs inside its consumer (HEAD_WITH_SOURCES), which Rask can "
                              "plan but not run yet",
                              vertex->operators[i].name);
        RASKI_TRY(
            raski_operator_create(&vertex->operators[i], &task->env, &task->operators[i], err));
        task->operator_count++;
    }
    task->head = vertex->head;
    const raski_fn *fn = task->operators[task->head]->def->fn;
    task->is_source =
        fn != NULL && (fn->kind == RASKI_FN_SOURCE || fn->kind == RASKI_FN_SPLIT_SOURCE);
    return RASK_OK;
}

static rask_status make_gate(raski_task *task, const raski_task_deployment *deployment,
                             raski_error *err) {
    const size_t gate_count = task->vertex->inputs.count;
    size_t total = 0;
    for (size_t g = 0; g < gate_count; g++) total += deployment->inputs[g].channel_count;
    task->channel_in_input = RASKI_NEW_ARRAY(size_t, total);
    task->channel_input = RASKI_NEW_ARRAY(unsigned, total);
    task->gate = raski_input_gate_create(task->doorbell);
    for (size_t g = 0; g < gate_count; g++) {
        size_t input = task->vertex->inputs.items[g]->input_index;
        if (input >= RASKI_TASK_INPUTS_MAX)
            return RASKI_FAIL(err, RASK_E_UNSUPPORTED, USER,
                              "\"%s\" has more than %d inputs, which Rask can plan but not run yet",
                              task->vertex->name, RASKI_TASK_INPUTS_MAX);
        const raski_task_input *in = &deployment->inputs[g];
        for (size_t c = 0; c < in->channel_count; c++) {
            size_t channel = raski_input_gate_channel_count(task->gate);
            RASKI_TRY(raski_input_gate_add(task->gate, in->channels[c].partition,
                                           in->channels[c].subpartition, (uint32_t)input, err));
            task->channel_in_input[channel] = task->inputs[input].open_channels++;
            task->channel_input[channel] = (unsigned)input;
        }
    }
    for (size_t i = 0; i < RASKI_TASK_INPUTS_MAX; i++)
        raski_watermark_valve_init(&task->inputs[i].valve, task->inputs[i].open_channels);
    if (raski_input_selection_is_wanted(task->operators[task->head]))
        task->selection = raski_input_selection_create(task->operators[task->head]);
    return RASK_OK;
}

/* Batch mode: keyed inputs of the head are sorted, as the plan says, unless the order of records
 * makes no difference to the operator. */
static rask_status make_sorted_inputs(raski_task *task, const raski_configuration *configuration,
                                      raski_error *err) {
    raski_operator *head = task->operators[task->head];
    const raski_operator_definition *def = head->def;
    const raski_job_operator *job = head->job;
    if (!raski_aggregate_depends_on_order(def)) return RASK_OK; /* it orders its results itself */
    raski_sorted_input inputs[RASKI_TASK_INPUTS_MAX] = {{0}};
    bool any = false;
    const size_t input_count =
        job->input_count < RASKI_TASK_INPUTS_MAX ? job->input_count : RASKI_TASK_INPUTS_MAX;
    for (size_t i = 0; i < input_count; i++) {
        if (!job->inputs[i].sorted) continue;
        inputs[i] =
            (raski_sorted_input){.is_sorted = true,
                                 .type = raski_operator_definition_input(def, (unsigned)i).type,
                                 .key = job->inputs[i].key_selector.payload};
        any = true;
    }
    if (!any) return RASK_OK;
    char *directory = raski_configuration_temporary_directory(configuration);
    const raski_sorted_inputs_options options = {
        .inputs = inputs,
        .input_count = input_count,
        .one_key = raski_configuration_get_bool(configuration,
                                                RASKI_OPTION_EXECUTION_BATCH_STATE_BACKEND_ENABLED),
        .memory_bytes = (size_t)raski_configuration_get_memory(
            configuration, RASKI_OPTION_EXECUTION_SORTED_INPUTS_MEMORY),
        .directory = directory,
        .fan_in = (uint32_t)raski_configuration_get_int(configuration,
                                                        RASKI_OPTION_TASKMANAGER_RUNTIME_MAX_FAN),
    };
    head->one_key = options.one_key;
    const rask_status status = raski_sorted_inputs_create(head, &options, &task->sorted, err);
    raski_free(directory);
    return status;
}

/* Batch mode: a function with broadcast state gets all rules before it gets the first record. Where
 * records are sorted they come last anyway. Flink: BatchCoBroadcastWithNonKeyedOperator. */
static void read_broadcast_first(raski_task *task) {
    const raski_operator_definition *def = task->operators[task->head]->def;
    if (!def->final_results || def->fn == NULL || def->fn->broadcast == NULL) return;
    if (task->sorted != NULL || task->inputs[1].open_channels == 0) return;
    task->broadcast_first = true;
    raski_task_block_input(task, 0, true);
}

rask_status raski_task_make_chain(raski_task *task, const raski_task_deployment *deployment,
                                  raski_error *err) {
    const raski_job_vertex *vertex = task->vertex;
    RASKI_TRY(make_operators(task, err));
    task->partition_count = vertex->results.count;
    task->partitions = RASKI_NEW_ARRAY(raski_result_partition *, task->partition_count);
    task->writers = RASKI_NEW_ARRAY(raski_result_writer *, vertex->output_count);
    task->selections = RASKI_NEW_ARRAY(raski_custom_selection, vertex->output_count);
    task->writer_count = vertex->output_count;
    for (size_t i = 0; i < vertex->output_count; i++)
        RASKI_TRY(make_writer(task, deployment, i, err));
    for (size_t i = 0; i < task->operator_count; i++) RASKI_TRY(wire(task, deployment, i, err));
    RASKI_TRY(make_gate(task, deployment, err));
    RASKI_TRY(make_sorted_inputs(task, deployment->configuration, err));
    read_broadcast_first(task);
    return RASK_OK;
}

void raski_task_free_chain(raski_task *task) {
    raski_input_gate_destroy(task->gate);
    raski_sorted_inputs_destroy(task->sorted);
    raski_free(task->channel_in_input);
    raski_free(task->channel_input);
    raski_input_selection_destroy(task->selection);
    for (size_t i = 0; i < RASKI_TASK_INPUTS_MAX; i++)
        raski_watermark_valve_fini(&task->inputs[i].valve);
    for (size_t i = 0; i < task->operator_count; i++) raski_operator_destroy(task->operators[i]);
    raski_free(task->operators);
    for (size_t i = 0; i < task->writer_count; i++) raski_result_writer_destroy(task->writers[i]);
    raski_free(task->writers);
    raski_free(task->selections);
    for (size_t i = 0; i < task->partition_count; i++)
        raski_result_partition_unref(task->partitions[i]);
    raski_free(task->partitions);
    raski_batch_arena_fini(&task->env.arena);
    raski_free(task->env.no_timestamps);
}

raski_result_partition *raski_task_result(raski_task *task, size_t i) {
    return task->partitions[i];
}

/* ---------------------------------------------------------------- creation */
static void send_event(void *context, raski_operator *op, const void *bytes, size_t size) {
    raski_task *task = context;
    task->listener.send_event(task->listener.context, task, op->job->id, bytes, size);
}

/* Flink: BackPressureListener of a TaskIOMetricGroup. */
static int64_t blocked_ns(void *context) {
    const raski_task *task = context;
    uint64_t sum = 0;
    for (size_t i = 0; i < task->writer_count; i++) {
        raski_result_writer_counters counters;
        if (task->writers[i] == NULL) continue;
        raski_result_writer_get_counters(task->writers[i], &counters);
        sum += counters.blocked_ns;
    }
    return (int64_t)sum;
}

static int64_t no_time(void *clock) {
    (void)clock;
    return 0;
}

rask_status raski_task_create(const raski_task_deployment *deployment,
                              const raski_task_listener *listener, raski_task **ret_task,
                              raski_error *err) {
    raski_task *task = RASKI_NEW(raski_task);
    task->vertex = deployment->vertex;
    task->listener = *listener;
    task->wake_fd = -1;
    task->lost_channel = -1;
    task->env.configuration = deployment->configuration;
    task->env.attempt_id = deployment->attempt_id;
    task->env.cancelled = &task->cancelled;
    task->env.send_event = send_event;
    task->env.blocked_ns = blocked_ns;
    task->env.context = task;
    task->env.next_wake_ms = INT64_MAX;
    /* In a simulation processing time stands still. */
    if (deployment->simulated) task->env.now_ms = no_time;
    task->env.runtime = (rask_runtime_context){
        .job_name = deployment->job_name,
        .task_name = deployment->vertex->name,
        .operator_name = "",
        .subtask_index = deployment->subtask_index,
        .parallelism = deployment->parallelism,
        .max_parallelism = deployment->max_parallelism,
        .attempt_number = deployment->attempt_number,
    };
    raski_batch_arena_init(&task->env.arena, 0);
    task->mail_lock = raski_mutex_create();
    rask_status status = raski_doorbell_create(&task->doorbell, err);
    task->env.doorbell = task->doorbell;
    task->env.idle = raski_task_flush_idle;
    if (status == RASK_OK) status = raski_task_make_chain(task, deployment, err);
    if (status != RASK_OK) {
        raski_task_destroy(task);
        return status;
    }
    *ret_task = task;
    return RASK_OK;
}
