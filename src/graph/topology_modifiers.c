/* topology_modifiers.c - the fields of a step that are calls on what it made, in their order. */
#include <string.h>

#include "graph/topology_private.h"

typedef struct modification {
    topology_step *step;
    raski_transformation *target;
    bool is_sink;
    const char *field;
    const json_t *value;
    raski_arena *arena;
} modification;

typedef rask_status (*modifier)(const modification *m, raski_error *err);

static rask_status cannot_set(const modification *m, raski_error *err) {
    m->step->topology->place.is_name = true;
    return topology_bad(m->step, err, "'%s' cannot be set on this", m->field);
}

static rask_status modify_name(const modification *m, raski_error *err) {
    (void)err;
    raski_transformation_set_name(m->target, topology_as_text(m->arena, m->value));
    return RASK_OK;
}

static rask_status modify_description(const modification *m, raski_error *err) {
    (void)err;
    raski_transformation_set_description(m->target, topology_as_text(m->arena, m->value));
    return RASK_OK;
}

static rask_status modify_uid(const modification *m, raski_error *err) {
    (void)err;
    raski_transformation_set_uid(m->target, topology_as_text(m->arena, m->value));
    return RASK_OK;
}

static rask_status modify_uid_hash(const modification *m, raski_error *err) {
    return raski_transformation_set_uid_hash(m->target, topology_as_text(m->arena, m->value), err);
}

static rask_status modify_parallelism(const modification *m, raski_error *err) {
    return raski_transformation_set_parallelism(m->target, (int32_t)topology_as_number(m->value),
                                                err);
}

static rask_status modify_parallelism_hint(const modification *m, raski_error *err) {
    return raski_transformation_hint_parallelism(m->target, (int32_t)topology_as_number(m->value),
                                                 err);
}

static rask_status modify_max_parallelism(const modification *m, raski_error *err) {
    return raski_transformation_set_max_parallelism(m->target,
                                                    (int32_t)topology_as_number(m->value), err);
}

static rask_status modify_force_non_parallel(const modification *m, raski_error *err) {
    if (!topology_as_flag(m->value)) return RASK_OK;
    if (m->is_sink) return cannot_set(m, err);
    raski_transformation_force_non_parallel(m->target);
    return RASK_OK;
}

static rask_status modify_disable_chaining(const modification *m, raski_error *err) {
    if (!topology_as_flag(m->value)) return RASK_OK;
    return raski_transformation_set_chaining_strategy(m->target, RASKI_CHAINING_NEVER, err);
}

static rask_status modify_start_new_chain(const modification *m, raski_error *err) {
    if (!topology_as_flag(m->value)) return RASK_OK;
    if (m->is_sink) return cannot_set(m, err);
    return raski_transformation_set_chaining_strategy(m->target, RASKI_CHAINING_HEAD, err);
}

static rask_status modify_chaining_strategy(const modification *m, raski_error *err) {
    raski_chaining_strategy strategy;
    RASKI_TRY(topology_chaining_strategy(topology_as_text(m->arena, m->value), &strategy, err));
    return raski_transformation_set_chaining_strategy(m->target, strategy, err);
}

static rask_status modify_buffer_timeout(const modification *m, raski_error *err) {
    return raski_transformation_set_buffer_timeout(m->target, topology_as_number(m->value), err);
}

static rask_status modify_slot_sharing_group(const modification *m, raski_error *err) {
    raski_slot_sharing_group group;
    RASKI_TRY(topology_slot_sharing_group(m->arena, m->value, &group, err));
    raski_transformation_set_slot_sharing_group(m->target, &group);
    return RASK_OK;
}

static rask_status modify_co_location_key(const modification *m, raski_error *err) {
    (void)err;
    raski_transformation_set_co_location_key(m->target, topology_as_text(m->arena, m->value));
    return RASK_OK;
}

static rask_status use_case_of(const char *name, raski_memory_use_case *ret_use_case,
                               raski_error *err) {
    static const char *const names[] = {"OPERATOR", "STATE_BACKEND", "PYTHON", NULL};
    int index = 0;
    RASKI_TRY(topology_enum_of(name, names, "org.apache.flink.core.memory.ManagedMemoryUseCase",
                               &index, err));
    *ret_use_case = (raski_memory_use_case)index;
    return RASK_OK;
}

static rask_status modify_managed_memory(const modification *m, raski_error *err) {
    const char *name;
    json_t *weight;
    json_object_foreach((json_t *)(uintptr_t)m->value, name, weight) {
        raski_memory_use_case use_case;
        RASKI_TRY(use_case_of(name, &use_case, err));
        RASKI_TRY(raski_transformation_declare_operator_memory(
            m->target, use_case, (int32_t)topology_as_number(weight), err));
    }
    return RASK_OK;
}

static rask_status modify_slot_scope_memory(const modification *m, raski_error *err) {
    size_t index;
    json_t *name;
    json_array_foreach((json_t *)(uintptr_t)m->value, index, name) {
        raski_memory_use_case use_case;
        RASKI_TRY(use_case_of(topology_as_text(m->arena, name), &use_case, err));
        RASKI_TRY(raski_transformation_declare_slot_memory(m->target, use_case, err));
    }
    return RASK_OK;
}

static rask_status modify_resources(const modification *m, raski_error *err) {
    raski_resource_spec min, preferred;
    RASKI_TRY(topology_resource_spec(m->arena, m->value, &min, err));
    preferred = min;
    const json_t *value = json_object_get(m->step->json, "preferredResources");
    if (value) RASKI_TRY(topology_resource_spec(m->arena, value, &preferred, err));
    return raski_transformation_set_resources(m->target, &min, &preferred, err);
}

static rask_status modify_preferred_resources(const modification *m, raski_error *err) {
    if (json_object_get(m->step->json, "resources")) return RASK_OK;
    return topology_bad(m->step, err, "'preferredResources' needs 'resources'");
}

static rask_status modify_no_output(const modification *m, raski_error *err) {
    (void)err;
    m->target->no_output_until_end_of_input = topology_as_flag(m->value);
    return RASK_OK;
}

static rask_status modify_concurrent_attempts(const modification *m, raski_error *err) {
    (void)err;
    m->target->supports_concurrent_execution_attempts = topology_as_flag(m->value);
    return RASK_OK;
}

static const struct {
    const char *field;
    modifier apply;
} modifiers[] = {
    {"parallelism", modify_parallelism},
    {"parallelismHint", modify_parallelism_hint},
    {"maxParallelism", modify_max_parallelism},
    {"forceNonParallel", modify_force_non_parallel},
    {"uid", modify_uid},
    {"uidHash", modify_uid_hash},
    {"rename", modify_name},
    {"description", modify_description},
    {"slotSharingGroup", modify_slot_sharing_group},
    {"disableChaining", modify_disable_chaining},
    {"startNewChain", modify_start_new_chain},
    {"chainingStrategy", modify_chaining_strategy},
    {"bufferTimeout", modify_buffer_timeout},
    {"coLocationKey", modify_co_location_key},
    {"managedMemory", modify_managed_memory},
    {"slotScopeMemory", modify_slot_scope_memory},
    {"resources", modify_resources},
    {"preferredResources", modify_preferred_resources},
    {"noOutputUntilEndOfInput", modify_no_output},
    {"concurrentAttempts", modify_concurrent_attempts},
};

static modifier find_modifier(const char *field) {
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
        if (strcmp(modifiers[i].field, field) == 0) return modifiers[i].apply;
    return NULL;
}

rask_status topology_modify(topology_step *s, const topology_value *made, raski_error *err) {
    bool can_be_set = made->kind == TOPOLOGY_OPERATOR || made->kind == TOPOLOGY_SINK;
    const char *field;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)s->json, field, value) {
        if (topology_is_used(s, field)) continue;
        bool is_name = strcmp(field, "name") == 0;
        modifier apply = is_name ? modify_name : find_modifier(field);
        topology_look_at(s->topology, s->json, field);
        s->topology->place.is_name = apply == NULL;
        if (apply == NULL) return topology_bad(s, err, "unknown field '%s'", field);
        modification m = {s,     made->transformation,     made->kind == TOPOLOGY_SINK, field,
                          value, s->topology->graph->arena};
        s->topology->place.is_name = !can_be_set;
        if (!can_be_set)
            return is_name ? topology_bad(s, err, "cannot be named") : cannot_set(&m, err);
        RASKI_TRY(apply(&m, err));
    }
    return RASK_OK;
}
