/* transformation_attributes.c - what a program may say about an operator after it made it. */
#include <ctype.h>
#include <string.h>

#include "graph/transformation.h"

const char *raski_chaining_strategy_name(raski_chaining_strategy strategy) {
    static const char *const names[] = {"ALWAYS", "NEVER", "HEAD", "HEAD_WITH_SOURCES"};
    return names[strategy];
}

const char *raski_exchange_mode_name(raski_exchange_mode mode) {
    static const char *const names[] = {"UNDEFINED", "PIPELINED", "BATCH", "HYBRID_FULL",
                                        "HYBRID_SELECTIVE"};
    return names[mode];
}

bool raski_transformation_is_physical(const raski_transformation *t) {
    return t->kind < RASKI_TRANSFORMATION_CACHE;
}

const char *raski_transformation_class_name(const raski_transformation *t) {
    static const char *const names[] = {
        [RASKI_TRANSFORMATION_SOURCE] = "SourceTransformation",
        [RASKI_TRANSFORMATION_LEGACY_SOURCE] = "LegacySourceTransformation",
        [RASKI_TRANSFORMATION_ONE_INPUT] = "OneInputTransformation",
        [RASKI_TRANSFORMATION_TWO_INPUT] = "TwoInputTransformation",
        [RASKI_TRANSFORMATION_MULTI_INPUT] = "MultipleInputTransformation",
        [RASKI_TRANSFORMATION_KEYED_MULTI_INPUT] = "KeyedMultipleInputTransformation",
        [RASKI_TRANSFORMATION_REDUCE] = "ReduceTransformation",
        [RASKI_TRANSFORMATION_TIMESTAMPS_AND_WATERMARKS] = "TimestampsAndWatermarksTransformation",
        [RASKI_TRANSFORMATION_BROADCAST_STATE] = "BroadcastStateTransformation",
        [RASKI_TRANSFORMATION_KEYED_BROADCAST_STATE] = "KeyedBroadcastStateTransformation",
        [RASKI_TRANSFORMATION_SINK] = "SinkTransformation",
        [RASKI_TRANSFORMATION_LEGACY_SINK] = "LegacySinkTransformation",
        [RASKI_TRANSFORMATION_GLOBAL_COMMITTER] = "GlobalCommitterTransform",
        [RASKI_TRANSFORMATION_CACHE] = "CacheTransformation",
        [RASKI_TRANSFORMATION_PARTITION] = "PartitionTransformation",
        [RASKI_TRANSFORMATION_UNION] = "UnionTransformation",
        [RASKI_TRANSFORMATION_SIDE_OUTPUT] = "SideOutputTransformation",
    };
    return names[t->kind];
}

static const char *copy_text(const raski_transformation *t, const char *text) {
    return text ? raski_arena_strdup(t->env->graph->arena, text) : NULL;
}

void raski_transformation_set_location(raski_transformation *t, const char *file, int line) {
    t->file = file;
    t->line = line;
}

void raski_transformation_set_name(raski_transformation *t, const char *name) {
    t->name = copy_text(t, name);
}

void raski_transformation_set_description(raski_transformation *t, const char *description) {
    t->description = copy_text(t, description);
}

void raski_transformation_set_uid(raski_transformation *t, const char *uid) {
    t->uid = copy_text(t, uid);
}

static bool is_hex32(const char *text) {
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if (!isxdigit((unsigned char)text[i])) return false;
    return length == 32;
}

rask_status raski_transformation_set_uid_hash(raski_transformation *t, const char *hash,
                                              raski_error *err) {
    if (t->kind == RASKI_TRANSFORMATION_SINK)
        return RASKI_THROW(err, "UnsupportedOperationException",
                           "Cannot set a custom UID hash on a non-legacy sink");
    if (!is_hex32(hash))
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Node hash must be a 32 character String that describes a hex code. "
                           "Found: %s",
                           hash);
    t->user_hash = copy_text(t, hash);
    return RASK_OK;
}

rask_status raski_transformation_hint_parallelism(raski_transformation *t, int32_t parallelism,
                                                  raski_error *err) {
    if (parallelism <= 0 && parallelism != RASKI_PARALLELISM_DEFAULT)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "The parallelism of an operator must be at least 1, or "
                           "ExecutionConfig.PARALLELISM_DEFAULT (use system default).");
    t->parallelism = parallelism;
    t->parallelism_configured = false;
    return RASK_OK;
}

rask_status raski_transformation_set_parallelism(raski_transformation *t, int32_t parallelism,
                                                 raski_error *err) {
    if ((t->serial_source || t->non_parallel) && parallelism != 1)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "The parallelism of non parallel operator must be 1.");
    RASKI_TRY(raski_transformation_hint_parallelism(t, parallelism, err));
    t->parallelism_configured = parallelism != RASKI_PARALLELISM_DEFAULT;
    return RASK_OK;
}

rask_status raski_transformation_set_max_parallelism(raski_transformation *t,
                                                     int32_t max_parallelism, raski_error *err) {
    if (max_parallelism <= 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "The maximum parallelism must be greater than 0.");
    if (t->non_parallel && max_parallelism != 1)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "The maximum parallelism of non parallel operator must be 1.");
    if (max_parallelism > RASKI_MAX_PARALLELISM_UPPER_BOUND)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Maximum parallelism must be between 1 and %d. Found: %d",
                           RASKI_MAX_PARALLELISM_UPPER_BOUND, max_parallelism);
    t->max_parallelism = max_parallelism;
    return RASK_OK;
}

void raski_transformation_force_non_parallel(raski_transformation *t) {
    t->parallelism = 1;
    t->parallelism_configured = true;
    t->max_parallelism = 1;
    t->non_parallel = true;
}

rask_status raski_transformation_set_chaining_strategy(raski_transformation *t,
                                                       raski_chaining_strategy strategy,
                                                       raski_error *err) {
    if (!raski_transformation_is_physical(t))
        return RASKI_THROW(err, "UnsupportedOperationException",
                           "Cannot set chaining strategy on %s{id=%d, name='%s', outputType=%s, "
                           "parallelism=%d}",
                           raski_transformation_class_name(t), t->id, t->name,
                           t->output_type ? t->output_type : "null", t->parallelism);
    if (t->kind == RASKI_TRANSFORMATION_GLOBAL_COMMITTER) return RASK_OK;
    t->factory.chaining = strategy;
    t->chaining_set = true;
    return RASK_OK;
}

rask_status raski_transformation_set_buffer_timeout(raski_transformation *t, int64_t timeout_ms,
                                                    raski_error *err) {
    bool is_sink =
        t->kind == RASKI_TRANSFORMATION_SINK || t->kind == RASKI_TRANSFORMATION_LEGACY_SINK;
    if (timeout_ms < RASKI_BUFFER_TIMEOUT_DISABLED)
        return RASKI_THROW(err, "IllegalArgumentException", "%s",
                           is_sink ? "" : "timeout must be >= -1");
    t->buffer_timeout_ms = timeout_ms;
    return RASK_OK;
}

void raski_transformation_set_slot_sharing_group(raski_transformation *t,
                                                 const raski_slot_sharing_group *group) {
    raski_slot_sharing_group *copy = raski_arena_calloc(t->env->graph->arena, sizeof *copy);
    *copy = *group;
    copy->name = copy_text(t, group->name);
    t->slot_sharing_group = copy;
}

void raski_transformation_set_co_location_key(raski_transformation *t, const char *key) {
    t->co_location_key = copy_text(t, key);
}

rask_status raski_transformation_declare_operator_memory(raski_transformation *t,
                                                         raski_memory_use_case use_case,
                                                         int32_t weight, raski_error *err) {
    if (use_case != RASKI_MEMORY_OPERATOR)
        return RASKI_THROW(err, "IllegalArgumentException", "Use case is not operator scope.");
    if (weight <= 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Weights for operator scope use cases must be greater than 0.");
    t->operator_memory_weight = weight;
    return RASK_OK;
}

rask_status raski_transformation_declare_slot_memory(raski_transformation *t,
                                                     raski_memory_use_case use_case,
                                                     raski_error *err) {
    if (use_case == RASKI_MEMORY_OPERATOR)
        return RASKI_THROW(err, "IllegalArgumentException", "%s", "");
    t->slot_scope_memory[use_case] = true;
    return RASK_OK;
}

rask_status raski_transformation_set_resources(raski_transformation *t,
                                               const raski_resource_spec *min,
                                               const raski_resource_spec *preferred,
                                               raski_error *err) {
    if (min->known != preferred->known)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Cannot compare specified resources with UNKNOWN resources.");
    if (!raski_resource_spec_less_or_equal(min, preferred))
        return RASKI_THROW(err, "IllegalArgumentException",
                           "The resources must be either both UNKNOWN or both not UNKNOWN. If not "
                           "UNKNOWN, the preferred resources must be greater than or equal to the "
                           "min resources.");
    t->min_resources = *min;
    t->preferred_resources = *preferred;
    return RASK_OK;
}

rask_status raski_transformation_enable_async_state(raski_transformation *t, raski_error *err) {
    if (t->kind == RASKI_TRANSFORMATION_REDUCE) {
        t->async_state = true;
        return RASK_OK;
    }
    bool has_operator =
        t->kind == RASKI_TRANSFORMATION_ONE_INPUT || t->kind == RASKI_TRANSFORMATION_TWO_INPUT;
    if (has_operator && !t->factory.simple)
        return RASKI_THROW(err, "ClassCastException",
                           "the operator's factory makes the operator only in its task, so that "
                           "asynchronous state cannot be switched on for it");
    if (!has_operator || !t->factory.supports_async_state)
        return RASKI_THROW(err, "UnsupportedOperationException",
                           "The transformation does not support async state, or you are enabling "
                           "the async state without a keyed context (not behind a keyBy()).");
    t->async_state = true;
    return RASK_OK;
}
