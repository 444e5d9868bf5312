/* mappers/: whose data in flight a subtask reads after rescaling, and by which partitioner. */
#include "base/alloc.h"
#include "golden/java_json.h"
#include "graph/partitioner_mappers.h"
#include "types/subtask_state_mapper.h"

static bool find_mapper(const char *name, raski_subtask_state_mapper *ret) {
    for (int i = RASKI_MAPPER_ARBITRARY; i <= RASKI_MAPPER_UNSUPPORTED; i++) {
        *ret = (raski_subtask_state_mapper)i;
        if (name && strcmp(raski_subtask_state_mapper_name(*ret), name) == 0) return true;
    }
    return false;
}

static json_t *rows(const raski_rescale_mappings *mappings) {
    json_t *all = json_array();
    for (int32_t i = 0; i < mappings->source_count; i++) {
        uint32_t count = 0;
        const int32_t *targets = raski_rescale_mappings_get(mappings, i, &count);
        json_t *row = json_array();
        for (uint32_t k = 0; k < count; k++) json_array_append_new(row, json_integer(targets[k]));
        json_array_append_new(all, row);
    }
    return all;
}

static json_t *ambiguous_targets(const raski_rescale_mappings *mappings) {
    json_t *targets = json_array();
    for (int32_t t = 0; t < mappings->target_count; t++)
        if (raski_rescale_mappings_is_ambiguous(mappings, t))
            json_array_append_new(targets, json_integer(t));
    return targets;
}

static json_t *sequences(raski_subtask_state_mapper mapper, int32_t old_parallelism,
                         int32_t new_parallelism) {
    json_t *all = json_array();
    for (int32_t i = 0; i < new_parallelism; i++) {
        raski_subtask_sequence s = {0};
        if (raski_subtask_state_mapper_old_subtasks(mapper, i, old_parallelism, new_parallelism, &s,
                                                    NULL) != RASK_OK)
            break;
        json_t *row = json_array();
        for (int32_t k = 0; k < s.count; k++)
            json_array_append_new(row, json_integer(s.first + k * s.step));
        json_array_append_new(all, row);
    }
    return all;
}

void golden_mappers(golden_case *c) {
    const char *name = json_string_value(json_object_get(c->json, "mapper"));
    int32_t old_parallelism = (int32_t)golden_integer(c, json_object_get(c->json, "old"));
    int32_t new_parallelism = (int32_t)golden_integer(c, json_object_get(c->json, "new"));
    raski_subtask_state_mapper mapper;
    if (!find_mapper(name, &mapper) || old_parallelism < 1 || new_parallelism < 1) {
        golden_differ(c, "mapper", "is not known, or a parallelism is not positive");
        return;
    }
    bool ambiguous = raski_subtask_state_mapper_is_ambiguous(mapper);
    if (ambiguous != json_is_true(json_object_get(c->json, "mapperIsAmbiguous")))
        golden_differ(c, "mapperIsAmbiguous", "got %d", ambiguous);
    raski_rescale_mappings new_to_old = {0};
    raski_error err = {0};
    rask_status status = raski_subtask_state_mapper_new_to_old(mapper, old_parallelism,
                                                               new_parallelism, &new_to_old, &err);
    json_t *got = json_object();
    if (status == RASK_OK) {
        raski_rescale_mappings old_to_new;
        raski_rescale_mappings_invert(&new_to_old, &old_to_new);
        json_object_set_new(got, "oldSubtasksOfNew",
                            sequences(mapper, old_parallelism, new_parallelism));
        json_object_set_new(got, "isIdentity", json_boolean(new_to_old.is_identity));
        json_object_set_new(got, "newToOld", rows(&new_to_old));
        json_object_set_new(got, "ambiguousTargets", ambiguous_targets(&new_to_old));
        json_object_set_new(got, "oldToNew", rows(&old_to_new));
        raski_rescale_mappings_free(&old_to_new);
    }
    golden_result_equal(c, c->json, golden_result(status, &err, got));
    raski_rescale_mappings_free(&new_to_old);
}

/* ---------------------------------------------------------------- partitioners */
/* A partitioner by the name of its Flink class. */
static raski_partitioner *find_partitioner(const char *class_name, raski_arena *arena) {
    raski_key_selector selector = {.id = 1};
    raski_partitioner *key_group = raski_partitioner_create_key_group(arena, selector);
    enum { PARTITIONER_KINDS = 10 };
    raski_partitioner *candidates[PARTITIONER_KINDS] = {
        raski_partitioner_create(arena, RASKI_PARTITIONER_FORWARD),
        raski_partitioner_create(arena, RASKI_PARTITIONER_FORWARD_FOR_UNSPECIFIED),
        raski_partitioner_create_consecutive_hash(arena, key_group),
        raski_partitioner_create(arena, RASKI_PARTITIONER_REBALANCE),
        raski_partitioner_create(arena, RASKI_PARTITIONER_RESCALE),
        raski_partitioner_create(arena, RASKI_PARTITIONER_SHUFFLE),
        raski_partitioner_create(arena, RASKI_PARTITIONER_GLOBAL),
        raski_partitioner_create(arena, RASKI_PARTITIONER_BROADCAST),
        key_group,
        raski_partitioner_create_custom(arena, 1, selector, NULL),
    };
    for (size_t i = 0; i < PARTITIONER_KINDS; i++)
        if (strcmp(raski_partitioner_class_name(candidates[i]), class_name) == 0)
            return candidates[i];
    return NULL;
}

static void compare_text(golden_case *c, const char *key, const char *got) {
    const char *expected = json_string_value(json_object_get(c->json, key));
    if (expected == NULL || strcmp(expected, got) != 0)
        golden_differ(c, key, "expected '%s', got '%s'", expected ? expected : "?", got);
}

static void compare_flag(golden_case *c, const char *key, bool got) {
    if (json_is_true(json_object_get(c->json, key)) != got) golden_differ(c, key, "got %d", got);
}

static void check_partitioner(golden_case *c, raski_partitioner *partitioner) {
    const char *api = json_string_value(json_object_get(c->json, "api"));
    if (api && strstr(api, "disableUnalignedCheckpoints()") != NULL)
        raski_partitioner_disable_unaligned_checkpoints(partitioner);
    compare_text(c, "name", raski_partitioner_text(partitioner));
    compare_text(c, "upstreamMapper",
                 raski_subtask_state_mapper_name(raski_partitioner_upstream_mapper(partitioner)));
    compare_flag(c, "pointwise", raski_partitioner_is_pointwise(partitioner));
    compare_flag(c, "broadcast", raski_partitioner_is_broadcast(partitioner));
    compare_flag(c, "supportsUnalignedCheckpoint",
                 raski_partitioner_supports_unaligned_checkpoints(partitioner));
    raski_error err = {0};
    raski_subtask_state_mapper mapper = RASKI_MAPPER_UNSUPPORTED;
    rask_status status = raski_partitioner_downstream_mapper(partitioner, &mapper, &err);
    golden_result_equal(
        c, json_object_get(c->json, "downstreamMapper"),
        golden_result(status, &err, json_string(raski_subtask_state_mapper_name(mapper))));
}

/* "XPartitioner downstream mapper getOldSubtasks(0,2,2)" or getNewToOldSubtasksMapping(2,3) */
static void check_call(golden_case *c, const char *call, const raski_partitioner *partitioner) {
    raski_error err = {0};
    raski_subtask_state_mapper mapper = RASKI_MAPPER_UNSUPPORTED;
    rask_status status = raski_partitioner_downstream_mapper(partitioner, &mapper, &err);
    long long a[3] = {0};
    json_t *value = json_array();
    if (status != RASK_OK) {
        /* the error is the result */
    } else if (golden_call(call, "getOldSubtasks", 3, a) == 3) {
        raski_subtask_sequence s = {0};
        status = raski_subtask_state_mapper_old_subtasks(mapper, (int32_t)a[0], (int32_t)a[1],
                                                         (int32_t)a[2], &s, &err);
        for (int32_t k = 0; k < s.count; k++)
            json_array_append_new(value, json_integer(s.first + k * s.step));
    } else if (golden_call(call, "getNewToOldSubtasksMapping", 2, a) == 2) {
        raski_rescale_mappings mappings = {0};
        status = raski_subtask_state_mapper_new_to_old(mapper, (int32_t)a[0], (int32_t)a[1],
                                                       &mappings, &err);
        json_decref(value);
        value = status == RASK_OK ? rows(&mappings) : json_null();
        raski_rescale_mappings_free(&mappings);
    } else {
        golden_differ(c, "check", "'%s' is not known", call);
    }
    golden_result_equal(c, c->json, golden_result(status, &err, value));
}

void golden_partitioner_mappers(golden_case *c) {
    const char *class_name = json_string_value(json_object_get(c->json, "partitioner"));
    const char *check = json_string_value(json_object_get(c->json, "check"));
    snprintf(c->name, sizeof c->name, "%s", check ? check : class_name ? class_name : "?");
    char name[128] = "";
    char call[128] = "";
    if (check)
        (void)sscanf(check, "%127s downstream mapper %127[^\n]", name, call);
    else
        snprintf(name, sizeof name, "%s", class_name ? class_name : "");
    raski_arena *arena = raski_arena_create(0);
    raski_partitioner *partitioner = find_partitioner(name, arena);
    if (partitioner == NULL)
        golden_differ(c, "partitioner", "'%s' is not known", name);
    else if (check)
        check_call(c, call, partitioner);
    else
        check_partitioner(c, partitioner);
    raski_arena_destroy(arena);
}
