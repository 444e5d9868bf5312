#include "graph/plan_config.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "graph/resources.h"

const char *raski_memory_use_case_name(raski_memory_use_case use_case) {
    static const char *const names[] = {"OPERATOR", "STATE_BACKEND", "PYTHON"};
    return names[use_case];
}

void raski_plan_config_init(raski_plan_config *config) {
    *config = (raski_plan_config){
        .parallelism = 1,
        .max_parallelism = -1,
        .runtime_mode = RASKI_RUNTIME_STREAMING,
        .batch_shuffle_mode = RASKI_SHUFFLE_ALL_EXCHANGES_BLOCKING,
        .chaining = true,
        .chaining_with_different_max_parallelism = true,
        .buffer_timeout_enabled = true,
        .buffer_timeout_ms = 100,
        .auto_generate_uids = true,
        .sort_inputs = true,
        .sorted_inputs_memory_bytes = INT64_C(128) << 20,
        .sort_partition_memory_bytes = INT64_C(128) << 20,
        .sort_keyed_partition_memory_bytes = INT64_C(128) << 20,
        .batch_state_backend = true,
        .auto_parallelism = true,
        .auto_parallelism_min = 1,
        .auto_parallelism_max = 128,
        .exactly_once = true,
        .checkpoints_after_tasks_finish = true,
        .consumer_weights = {70, 70, 30},
    };
}

int64_t raski_plan_config_buffer_timeout_ms(const raski_plan_config *config) {
    return config->buffer_timeout_enabled ? config->buffer_timeout_ms
                                          : RASKI_BUFFER_TIMEOUT_DISABLED;
}

bool raski_plan_config_takes_unaligned_checkpoints(const raski_plan_config *config) {
    return config->runtime_mode != RASKI_RUNTIME_BATCH && config->checkpoint_interval_ms > 0 &&
           config->exactly_once && config->unaligned_checkpoints;
}

enum { PARALLELISM_UNKNOWN = -2 }; /* in Flink: setting it changes nothing */

/* --- the setters with checks -------------------------------------------------------------------
 */

static void forget(raski_plan_config *config, const char *key) {
    for (size_t i = 0; i < config->deferred_count; i++)
        if (strcmp(config->deferred[i].key, key) == 0)
            config->deferred[i] = config->deferred[--config->deferred_count];
}

rask_status raski_plan_config_set_parallelism(raski_plan_config *config, int32_t parallelism,
                                              raski_error *err) {
    if (parallelism == PARALLELISM_UNKNOWN) return RASK_OK;
    if (parallelism < 1 && parallelism != RASKI_PARALLELISM_DEFAULT)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Parallelism must be at least one, or "
                           "ExecutionConfig.PARALLELISM_DEFAULT (use system default).");
    forget(config, "parallelism.default");
    config->parallelism = parallelism;
    config->parallelism_set = true;
    return RASK_OK;
}

rask_status raski_plan_config_set_max_parallelism(raski_plan_config *config,
                                                  int32_t max_parallelism, raski_error *err) {
    if (max_parallelism <= 0 || max_parallelism > RASKI_MAX_PARALLELISM_UPPER_BOUND)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "maxParallelism is out of bounds 0 < maxParallelism <= %d. Found: %d",
                           RASKI_MAX_PARALLELISM_UPPER_BOUND, max_parallelism);
    forget(config, "pipeline.max-parallelism");
    config->max_parallelism = max_parallelism;
    return RASK_OK;
}

rask_status raski_plan_config_set_buffer_timeout(raski_plan_config *config, int64_t timeout_ms,
                                                 raski_error *err) {
    if (timeout_ms < RASKI_BUFFER_TIMEOUT_DISABLED)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Timeout of buffer must be non-negative or -1");
    if (timeout_ms == RASKI_BUFFER_TIMEOUT_DISABLED) {
        forget(config, "execution.buffer-timeout.enabled");
        config->buffer_timeout_enabled = false;
    } else {
        forget(config, "execution.buffer-timeout.interval");
        config->buffer_timeout_ms = timeout_ms;
    }
    return RASK_OK;
}

rask_status raski_plan_config_set_checkpoint_interval(raski_plan_config *config,
                                                      int64_t interval_ms, raski_error *err) {
    enum { MINIMAL_INTERVAL_MS = 10 };
    if (interval_ms < MINIMAL_INTERVAL_MS)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Checkpoint interval must be larger than or equal to %d ms",
                           MINIMAL_INTERVAL_MS);
    forget(config, "execution.checkpointing.interval");
    config->checkpoint_interval_ms = interval_ms;
    return RASK_OK;
}

/* --- values from text --------------------------------------------------------------------------
 */

static rask_status parse_int(const char *text, int32_t *ret_value, raski_error *err) {
    char *end = NULL;
    errno = 0;
    const char *digits = *text == '-' || *text == '+' ? text + 1 : text;
    long value = strtol(text, &end, 10);
    if (*digits < '0' || *digits > '9' || *end || errno || value < INT32_MIN || value > INT32_MAX)
        return RASKI_THROW(err, "NumberFormatException", "For input string: \"%s\"", text);
    *ret_value = (int32_t)value;
    return RASK_OK;
}

static rask_status parse_bool(const char *text, bool *ret_value, raski_error *err) {
    bool is_true = strcasecmp(text, "true") == 0;
    if (!is_true && strcasecmp(text, "false") != 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Unrecognized option for boolean: %s. Expected either true or "
                           "false(case insensitive)",
                           text);
    *ret_value = is_true;
    return RASK_OK;
}

typedef struct enum_type {
    const char *java_class;
    const char *const *names; /* NULL-terminated, in the order of the C enum from base on */
    int base;
} enum_type;

static const enum_type runtime_mode_type = {
    "org.apache.flink.api.common.RuntimeExecutionMode",
    (const char *const[]){"STREAMING", "BATCH", "AUTOMATIC", NULL}, 0};
static const enum_type scheduler_type = {
    "org.apache.flink.configuration.JobManagerOptions$SchedulerType",
    (const char *const[]){"Default", "Adaptive", "AdaptiveBatch", NULL}, RASKI_SCHEDULER_DEFAULT};
static const enum_type shuffle_mode_type = {
    "org.apache.flink.api.common.BatchShuffleMode",
    (const char *const[]){"ALL_EXCHANGES_PIPELINED", "ALL_EXCHANGES_BLOCKING",
                          "ALL_EXCHANGES_HYBRID_FULL", "ALL_EXCHANGES_HYBRID_SELECTIVE", NULL},
    0};
static const enum_type description_mode_type = {
    "org.apache.flink.configuration.PipelineOptions$VertexDescriptionMode",
    (const char *const[]){"TREE", "CASCADING", NULL}, 0};
static const enum_type checkpointing_mode_type = {
    "org.apache.flink.core.execution.CheckpointingMode",
    (const char *const[]){"EXACTLY_ONCE", "AT_LEAST_ONCE", NULL}, 0};

static rask_status parse_enum(const char *text, const enum_type *type, int *ret_value,
                              raski_error *err) {
    for (int i = 0; type->names[i]; i++) {
        if (strcasecmp(type->names[i], text) != 0) continue;
        *ret_value = type->base + i;
        return RASK_OK;
    }
    raski_str all = {0};
    for (int i = 0; type->names[i]; i++)
        raski_str_appendf(&all, "%s%s", i ? ", " : "", type->names[i]);
    rask_status status = RASKI_THROW(err, "IllegalArgumentException",
                                     "Could not parse value for enum class %s. Expected one of: "
                                     "[[%s]]",
                                     type->java_class, raski_str_text(&all));
    raski_str_free(&all);
    return status;
}

/* "OPERATOR:70,STATE_BACKEND:70,PYTHON:30", with or without braces and blanks. */
static rask_status parse_weights(const char *text, int32_t *weights, raski_error *err) {
    int32_t parsed[RASKI_MEMORY_USE_CASES] = {0};
    char *copy = raski_strdup(text), *rest = copy, *item;
    rask_status status = RASK_OK;
    while (status == RASK_OK && (item = strsep(&rest, ",")) != NULL) {
        char name[32], value[32];
        if (sscanf(item, " %*[{]%31[^: ] : %31[^} ]", name, value) != 2 &&
            sscanf(item, " %31[^: ] : %31[^} ]", name, value) != 2) {
            status = RASKI_THROW(err, "IllegalArgumentException",
                                 "Map item is not a key-value pair (missing ':'?)");
            break;
        }
        for (int i = 0; i < RASKI_MEMORY_USE_CASES; i++)
            if (strcmp(name, raski_memory_use_case_name((raski_memory_use_case)i)) == 0)
                status = parse_int(value, &parsed[i], err);
    }
    raski_free(copy);
    if (status == RASK_OK) memcpy(weights, parsed, sizeof parsed);
    return status;
}

/* --- the options -------------------------------------------------------------------------------
 */

typedef enum value_kind {
    VALUE_TEXT,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_ENUM,
    VALUE_MEMORY,      /* bytes */
    VALUE_DURATION_MS, /* milliseconds */
    VALUE_WEIGHTS,
} value_kind;

typedef struct option {
    const char *key;
    value_kind kind;
    size_t offset; /* of the field in raski_plan_config */
    const enum_type *enumeration;
    rask_status (*check_int)(raski_plan_config *, int32_t, raski_error *); /* sets it too */
    bool at_environment; /* Flink reads it when the environment is made */
} option;

static rask_status set_max_parallelism_option(raski_plan_config *config, int32_t value,
                                              raski_error *err) {
    if (value <= 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "The maximum parallelism must be greater than 0.");
    config->max_parallelism = value;
    return RASK_OK;
}

static rask_status set_parallelism_option(raski_plan_config *config, int32_t value,
                                          raski_error *err) {
    RASKI_TRY(raski_plan_config_set_parallelism(config, value, err));
    config->parallelism = value; /* even if unknown: the option is there */
    config->parallelism_set = true;
    return RASK_OK;
}

static rask_status set_auto_parallelism_max(raski_plan_config *config, int32_t value,
                                            raski_error *err) {
    (void)err;
    config->auto_parallelism_max = value;
    config->auto_parallelism_max_set = true;
    return RASK_OK;
}

#define AT(field) offsetof(raski_plan_config, field)
/* Those read at the environment stand in the order in which they are read. */
static const option options[] = {
    {"pipeline.auto-generate-uids", VALUE_BOOL, AT(auto_generate_uids), NULL, NULL, true},
    {"pipeline.max-parallelism", VALUE_INT, 0, NULL, set_max_parallelism_option, true},
    {"parallelism.default", VALUE_INT, 0, NULL, set_parallelism_option, true},
    {"jobmanager.scheduler", VALUE_ENUM, AT(scheduler), &scheduler_type, NULL, true},
    {"execution.checkpointing.mode", VALUE_ENUM, 0, &checkpointing_mode_type, NULL, true},
    {"execution.checkpointing.interval", VALUE_DURATION_MS, AT(checkpoint_interval_ms), NULL, NULL,
     true},
    {"execution.checkpointing.unaligned.enabled", VALUE_BOOL, AT(unaligned_checkpoints), NULL, NULL,
     true},
    {"execution.checkpointing.unaligned.forced", VALUE_BOOL, AT(force_unaligned_checkpoints), NULL,
     NULL, true},
    {"execution.runtime-mode", VALUE_ENUM, AT(runtime_mode), &runtime_mode_type, NULL, false},
    {"execution.batch-shuffle-mode", VALUE_ENUM, AT(batch_shuffle_mode), &shuffle_mode_type, NULL,
     false},
    {"execution.buffer-timeout.enabled", VALUE_BOOL, AT(buffer_timeout_enabled), NULL, NULL, false},
    {"execution.buffer-timeout.interval", VALUE_DURATION_MS, AT(buffer_timeout_ms), NULL, NULL,
     false},
    {"execution.sorted-inputs.enabled", VALUE_BOOL, AT(sort_inputs), NULL, NULL, false},
    {"execution.sorted-inputs.memory", VALUE_MEMORY, AT(sorted_inputs_memory_bytes), NULL, NULL,
     false},
    {"execution.sort-partition.memory", VALUE_MEMORY, AT(sort_partition_memory_bytes), NULL, NULL,
     false},
    {"execution.sort-keyed-partition.memory", VALUE_MEMORY, AT(sort_keyed_partition_memory_bytes),
     NULL, NULL, false},
    {"execution.batch-state-backend.enabled", VALUE_BOOL, AT(batch_state_backend), NULL, NULL,
     false},
    {"execution.batch.adaptive.auto-parallelism.enabled", VALUE_BOOL, AT(auto_parallelism), NULL,
     NULL, false},
    {"execution.batch.adaptive.auto-parallelism.min-parallelism", VALUE_INT,
     AT(auto_parallelism_min), NULL, NULL, false},
    {"execution.batch.adaptive.auto-parallelism.max-parallelism", VALUE_INT, 0, NULL,
     set_auto_parallelism_max, false},
    {"execution.checkpointing.checkpoints-after-tasks-finish", VALUE_BOOL,
     AT(checkpoints_after_tasks_finish), NULL, NULL, false},
    {"execution.state-recovery.approximate-local-recovery", VALUE_BOOL,
     AT(approximate_local_recovery), NULL, NULL, false},
    {"pipeline.name", VALUE_TEXT, AT(job_name), NULL, NULL, false},
    {"pipeline.operator-chaining.enabled", VALUE_BOOL, AT(chaining), NULL, NULL, false},
    {"pipeline.operator-chaining.chain-operators-with-different-max-parallelism", VALUE_BOOL,
     AT(chaining_with_different_max_parallelism), NULL, NULL, false},
    {"pipeline.vertex-description-mode", VALUE_ENUM, AT(vertex_description_mode),
     &description_mode_type, NULL, false},
    {"pipeline.vertex-name-include-index-prefix", VALUE_BOOL, AT(vertex_name_index_prefix), NULL,
     NULL, false},
    {"state.backend.type", VALUE_TEXT, AT(state_backend), NULL, NULL, false},
    {"taskmanager.memory.managed.consumer-weights", VALUE_WEIGHTS, 0, NULL, NULL, false},
};
enum { OPTIONS = sizeof options / sizeof *options };
static_assert(OPTIONS <= 64, "raski_plan_config.given has a bit for each");

/* Names of before, which Flink still reads where the new one is not given. */
static const struct {
    const char *old_key, *key;
} old_keys[] = {
    {"execution.buffer-timeout", "execution.buffer-timeout.interval"},
    {"execution.checkpointing.unaligned", "execution.checkpointing.unaligned.enabled"},
    {"execution.checkpointing.checkpoints-after-tasks-finish.enabled",
     "execution.checkpointing.checkpoints-after-tasks-finish"},
    {"execution.checkpointing.approximate-local-recovery",
     "execution.state-recovery.approximate-local-recovery"},
    {"jobmanager.adaptive-batch-scheduler.min-parallelism",
     "execution.batch.adaptive.auto-parallelism.min-parallelism"},
    {"jobmanager.adaptive-batch-scheduler.max-parallelism",
     "execution.batch.adaptive.auto-parallelism.max-parallelism"},
    {"pipeline.operator-chaining", "pipeline.operator-chaining.enabled"},
    {"state.backend", "state.backend.type"},
};

static const option *find_option(const char *key) {
    for (size_t i = 0; i < OPTIONS; i++)
        if (strcmp(options[i].key, key) == 0) return &options[i];
    return NULL;
}

static uint64_t bit_of(const option *o) {
    return UINT64_C(1) << (o - options);
}

/* The option that a value for key is for; NULL: for none of planning's, or the value does not
 * count, as key is an old name and the new one was given. */
static const option *option_for(const raski_plan_config *config, const char *key) {
    const option *o = find_option(key);
    for (size_t i = 0; o == NULL && i < sizeof old_keys / sizeof *old_keys; i++) {
        if (strcmp(old_keys[i].old_key, key) != 0) continue;
        o = find_option(old_keys[i].key);
        return config->given & bit_of(o) ? NULL : o;
    }
    return o;
}

static void mark_given(raski_plan_config *config, const option *o, const char *key) {
    if (strcmp(o->key, key) == 0) config->given |= bit_of(o);
}

static rask_status set_duration(raski_plan_config *config, const option *o, const char *value,
                                bool *ret_parsed, raski_error *err) {
    int64_t duration_ms = 0;
    RASKI_TRY(raski_duration_parse(value, &duration_ms, err));
    *ret_parsed = true;
    if (o->offset == AT(checkpoint_interval_ms))
        return raski_plan_config_set_checkpoint_interval(config, duration_ms, err);
    *(int64_t *)(void *)((char *)config + o->offset) = duration_ms;
    return RASK_OK;
}

static rask_status set_enum(raski_plan_config *config, const option *o, const char *value,
                            raski_error *err) {
    int parsed = 0;
    RASKI_TRY(parse_enum(value, o->enumeration, &parsed, err));
    if (o->enumeration == &checkpointing_mode_type)
        config->exactly_once = parsed == 0;
    else if (o->enumeration == &runtime_mode_type)
        config->runtime_mode = (raski_runtime_mode)parsed;
    else if (o->enumeration == &scheduler_type)
        config->scheduler = (raski_scheduler_type)parsed;
    else if (o->enumeration == &shuffle_mode_type)
        config->batch_shuffle_mode = (raski_batch_shuffle_mode)parsed;
    else
        config->vertex_description_mode = (raski_vertex_description_mode)parsed;
    return RASK_OK;
}

/* *ret_parsed: an error is about the value's range, not its form. */
static rask_status apply(raski_plan_config *config, raski_arena *arena, const option *o,
                         const char *value, bool *ret_parsed, raski_error *err) {
    void *field = (char *)config + o->offset;
    switch (o->kind) {
        case VALUE_TEXT:
            *(const char **)field = arena ? raski_arena_strdup(arena, value) : value;
            return RASK_OK;
        case VALUE_BOOL:
            return parse_bool(value, field, err);
        case VALUE_INT: {
            int32_t number = 0;
            RASKI_TRY(parse_int(value, &number, err));
            *ret_parsed = true;
            if (o->check_int) return o->check_int(config, number, err);
            *(int32_t *)field = number;
            return RASK_OK;
        }
        case VALUE_ENUM:
            return set_enum(config, o, value, err);
        case VALUE_MEMORY:
            return raski_memory_size_parse(value, field, err);
        case VALUE_DURATION_MS:
            return set_duration(config, o, value, ret_parsed, err);
        case VALUE_WEIGHTS:
            return parse_weights(value, config->consumer_weights, err);
    }
    return RASK_OK;
}

/* Applies and, when the form is wrong, wraps the error as Flink's Configuration does. */
static rask_status apply_or_explain(raski_plan_config *config, raski_arena *arena, const option *o,
                                    const char *value, raski_error *err) {
    raski_error inner = {0};
    bool parsed = false;
    rask_status status = apply(config, arena, o, value, &parsed, &inner);
    if (status == RASK_OK) return RASK_OK;
    if (parsed) return RASKI_THROW(err, inner.exception, "%s", inner.message);
    status = RASKI_THROW(err, "IllegalArgumentException",
                         "Could not parse value '%s' for key '%s'.", value, o->key);
    raski_error_set_cause(err, inner.exception, "%s", inner.message);
    return status;
}

rask_status raski_plan_config_set(raski_plan_config *config, raski_arena *arena, const char *key,
                                  const char *value, raski_error *err) {
    const option *o = option_for(config, key);
    if (o == NULL) return RASK_OK;
    RASKI_TRY(apply_or_explain(config, arena, o, value, err));
    mark_given(config, o, key);
    forget(config, o->key);
    return RASK_OK;
}

void raski_plan_config_set_lazily(raski_plan_config *config, raski_arena *arena, const char *key,
                                  const char *value) {
    const option *o = option_for(config, key);
    if (o == NULL || raski_plan_config_set(config, arena, key, value, NULL) == RASK_OK) return;
    mark_given(config, o, key);
    forget(config, o->key);
    RASKI_ASSERT(config->deferred_count < RASKI_CONFIG_DEFERRED_MAX);
    config->deferred[config->deferred_count].key = o->key;
    config->deferred[config->deferred_count++].value = raski_arena_strdup(arena, value);
}

rask_status raski_plan_config_check(const raski_plan_config *config, const char *key,
                                    raski_error *err) {
    for (size_t i = 0; i < config->deferred_count; i++) {
        if (strcmp(config->deferred[i].key, key) != 0) continue;
        raski_plan_config scratch = *config;
        return apply_or_explain(&scratch, NULL, find_option(key), config->deferred[i].value, err);
    }
    return RASK_OK;
}

rask_status raski_plan_config_check_environment(const raski_plan_config *config, raski_error *err) {
    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].at_environment)
            RASKI_TRY(raski_plan_config_check(config, options[i].key, err));
    return RASK_OK;
}
