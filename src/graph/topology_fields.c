/* topology_fields.c - values of fields, converted where they have another JSON type than expected,
 * as Jackson's asText and its kin convert them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/topology_private.h"

void topology_use(topology_step *s, const char *field) {
    if (topology_is_used(s, field)) return;
    RASKI_ASSERT(s->used_count < TOPOLOGY_FIELDS_MAX);
    s->used[s->used_count++] = field;
}

bool topology_is_used(const topology_step *s, const char *field) {
    for (size_t i = 0; i < s->used_count; i++)
        if (strcmp(s->used[i], field) == 0) return true;
    return false;
}

static const json_t *look(topology_step *s, const char *field) {
    topology_use(s, field);
    topology_look_at(s->topology, s->json, field);
    return json_object_get(s->json, field);
}

bool topology_has(topology_step *s, const char *field) {
    return look(s, field) != NULL;
}

const char *topology_text(topology_step *s, const char *field, const char *otherwise) {
    const json_t *value = look(s, field);
    return value ? topology_as_text(s->topology->graph->arena, value) : otherwise;
}

int64_t topology_number(topology_step *s, const char *field, int64_t otherwise) {
    const json_t *value = look(s, field);
    return value ? topology_as_number(value) : otherwise;
}

bool topology_flag(topology_step *s, const char *field, bool otherwise) {
    const json_t *value = look(s, field);
    return value ? topology_as_flag(value) : otherwise;
}

rask_status topology_need(topology_step *s, const char *field, const char **ret_text,
                          raski_error *err) {
    if (!topology_has(s, field)) return topology_bad(s, err, "needs '%s'", field);
    *ret_text = topology_text(s, field, NULL);
    return RASK_OK;
}

const char *topology_as_text(raski_arena *arena, const json_t *value) {
    switch (json_typeof(value)) {
        case JSON_STRING:
            return raski_arena_strdup(arena, json_string_value(value));
        case JSON_INTEGER:
            return raski_arena_format(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        case JSON_REAL: {
            char *text = json_dumps(value, JSON_ENCODE_ANY);
            const char *copy = raski_arena_strdup(arena, text ? text : "");
            free(text);
            return copy;
        }
        case JSON_TRUE:
            return "true";
        case JSON_FALSE:
            return "false";
        case JSON_NULL:
            return "null";
        default:
            return "";
    }
}

int64_t topology_as_number(const json_t *value) {
    if (json_is_integer(value)) return json_integer_value(value);
    if (json_is_string(value)) return strtoll(json_string_value(value), NULL, 10);
    if (json_is_true(value)) return 1;
    if (!json_is_real(value)) return 0;
    double real = json_real_value(value);
    if (real >= 9.2e18) return INT64_MAX;
    return real <= -9.2e18 ? INT64_MIN : (int64_t)real;
}

double topology_as_double(const json_t *value) {
    if (json_is_number(value)) return json_number_value(value);
    if (json_is_string(value)) return strtod(json_string_value(value), NULL);
    return json_is_true(value) ? 1 : 0;
}

bool topology_as_flag(const json_t *value) {
    if (json_is_string(value)) return strcmp(json_string_value(value), "true") == 0;
    if (json_is_integer(value)) return json_integer_value(value) != 0;
    return json_is_true(value);
}

rask_status topology_enum_of(const char *text, const char *const *names, const char *java_class,
                             int *ret_index, raski_error *err) {
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], text) != 0) continue;
        *ret_index = i;
        return RASK_OK;
    }
    return RASKI_THROW(err, "IllegalArgumentException", "No enum constant %s.%s", java_class, text);
}

rask_status topology_chaining_strategy(const char *text, raski_chaining_strategy *ret_strategy,
                                       raski_error *err) {
    static const char *const names[] = {"ALWAYS", "NEVER", "HEAD", "HEAD_WITH_SOURCES", NULL};
    int index = 0;
    RASKI_TRY(topology_enum_of(
        text, names, "org.apache.flink.streaming.api.operators.ChainingStrategy", &index, err));
    *ret_strategy = (raski_chaining_strategy)index;
    return RASK_OK;
}

/* --- resources ---------------------------------------------------------------------------------
 */

static rask_status memory_field(raski_arena *arena, const json_t *json, const char *field,
                                bool *ret_has, int64_t *ret_bytes, raski_error *err) {
    const json_t *value = json_object_get(json, field);
    if (value == NULL) return RASK_OK;
    *ret_has = true;
    return raski_memory_size_parse(topology_as_text(arena, value), ret_bytes, err);
}

static rask_status resource_parts(raski_arena *arena, const json_t *json,
                                  raski_resource_parts *ret_parts, raski_error *err) {
    raski_resource_parts parts = {0};
    const json_t *cpu = json_object_get(json, "cpu");
    if (cpu) {
        parts.has_cpu = true;
        parts.cpu_cores = topology_as_double(cpu);
    }
    RASKI_TRY(
        memory_field(arena, json, "taskHeap", &parts.has_task_heap, &parts.task_heap_bytes, err));
    RASKI_TRY(memory_field(arena, json, "taskOffHeap", &parts.has_task_off_heap,
                           &parts.task_off_heap_bytes, err));
    RASKI_TRY(memory_field(arena, json, "managed", &parts.has_managed, &parts.managed_bytes, err));
    json_t *externals = json_object_get(json, "external"), *value;
    const char *name;
    parts.externals =
        raski_arena_calloc(arena, (json_object_size(externals) + 1) * sizeof *parts.externals);
    json_object_foreach(externals, name, value) {
        parts.externals[parts.external_count].name = name;
        parts.externals[parts.external_count++].amount = topology_as_double(value);
    }
    *ret_parts = parts;
    return RASK_OK;
}

rask_status topology_slot_sharing_group(raski_arena *arena, const json_t *json,
                                        raski_slot_sharing_group *ret_group, raski_error *err) {
    raski_resource_parts parts = {0};
    const char *name = "";
    if (json_is_object(json)) {
        const json_t *value = json_object_get(json, "name");
        if (value) name = topology_as_text(arena, value);
        RASKI_TRY(resource_parts(arena, json, &parts, err));
    } else {
        name = topology_as_text(arena, json);
    }
    return raski_slot_sharing_group_build(name, &parts, arena, ret_group, err);
}

rask_status topology_resource_spec(raski_arena *arena, const json_t *json,
                                   raski_resource_spec *ret_spec, raski_error *err) {
    if (json_is_string(json)) {
        const char *text = json_string_value(json);
        if (strcmp(text, "UNKNOWN") != 0 && strcmp(text, "DEFAULT") != 0)
            return RASKI_THROW(err, "Bad", "unknown resources '%s'", text);
        *ret_spec = (raski_resource_spec){0};
        return RASK_OK;
    }
    raski_resource_parts parts;
    RASKI_TRY(resource_parts(arena, json, &parts, err));
    return raski_resource_spec_build(&parts, arena, ret_spec, err);
}
