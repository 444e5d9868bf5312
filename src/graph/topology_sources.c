/* topology_sources.c - steps that make streams from nothing, and watermarks. */
#include <string.h>

#include "graph/topology_private.h"

static topology_value operator_value(raski_transformation *t) {
    return (topology_value){TOPOLOGY_OPERATOR, t, NULL};
}

static rask_status record_type(topology_step *s, const topology_type **ret_type, raski_error *err) {
    return topology_type_field(s, "type", &topology_record, ret_type, err);
}

static rask_status check_watermarks(topology_step *s, const char *otherwise, raski_error *err) {
    const char *kind = topology_text(s, "watermarks", otherwise);
    if (strcmp(kind, "bounded") == 0) {
        (void)topology_number(s, "delay", 1000);
        return RASK_OK;
    }
    if (strcmp(kind, "none") == 0 || strcmp(kind, "monotonous") == 0) return RASK_OK;
    return topology_bad(s, err, "unknown watermarks '%s'", kind);
}

static rask_status make_source(topology_step *s, topology_value *ret_value, raski_error *err) {
    raski_plan_env *env = NULL;
    const char *name = NULL;
    const topology_type *type = NULL;
    RASKI_TRY(topology_source_env(s, &env, err));
    bool bounded = topology_flag(s, "bounded", false);
    RASKI_TRY(check_watermarks(s, "none", err));
    RASKI_TRY(topology_need(s, "name", &name, err));
    RASKI_TRY(record_type(s, &type, err));
    *ret_value = operator_value(raski_transformation_source(env, name, type->text, bounded));
    return RASK_OK;
}

static rask_status make_legacy_source(topology_step *s, topology_value *ret_value,
                                      raski_error *err) {
    raski_plan_env *env = NULL;
    const topology_type *type = NULL;
    bool parallel = topology_flag(s, "parallel", false);
    RASKI_TRY(topology_source_env(s, &env, err));
    const char *name = topology_text(s, "name", "Custom Source");
    RASKI_TRY(record_type(s, &type, err));
    bool bounded = topology_flag(s, "bounded", false);
    *ret_value = operator_value(
        raski_transformation_legacy_source(env, name, type->text, parallel, bounded));
    return RASK_OK;
}

static rask_status make_from_data(topology_step *s, topology_value *ret_value, raski_error *err) {
    raski_plan_env *env = NULL;
    (void)topology_number(s, "count", 3);
    RASKI_TRY(topology_source_env(s, &env, err));
    raski_transformation *t =
        raski_transformation_source(env, "Collection Source", topology_record.text, true);
    *ret_value = operator_value(t);
    return raski_transformation_set_parallelism(t, 1, err);
}

static rask_status make_from_collection(topology_step *s, topology_value *ret_value,
                                        raski_error *err) {
    raski_plan_env *env = NULL;
    (void)topology_number(s, "count", 3);
    RASKI_TRY(topology_source_env(s, &env, err));
    *ret_value = operator_value(raski_transformation_legacy_source(
        env, "Collection Source", topology_record.text, false, true));
    return RASK_OK;
}

static rask_status make_from_parallel_collection(topology_step *s, topology_value *ret_value,
                                                 raski_error *err) {
    raski_plan_env *env = NULL;
    RASKI_TRY(topology_source_env(s, &env, err));
    *ret_value = operator_value(raski_transformation_legacy_source(
        env, "Parallel Collection Source", topology_record.text, true, true));
    return RASK_OK;
}

static rask_status check_sequence(topology_step *s, raski_plan_env **ret_env, raski_error *err) {
    RASKI_TRY(topology_source_env(s, ret_env, err));
    int64_t from = topology_number(s, "from", 0), to = topology_number(s, "to", 100);
    if (from > to)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Start of sequence must not be greater than the end");
    return RASK_OK;
}

static rask_status make_from_sequence(topology_step *s, topology_value *ret_value,
                                      raski_error *err) {
    raski_plan_env *env = NULL;
    RASKI_TRY(check_sequence(s, &env, err));
    *ret_value = operator_value(
        raski_transformation_source(env, "Sequence Source", topology_long.text, true));
    return RASK_OK;
}

static rask_status make_generate_sequence(topology_step *s, topology_value *ret_value,
                                          raski_error *err) {
    raski_plan_env *env = NULL;
    RASKI_TRY(check_sequence(s, &env, err));
    *ret_value = operator_value(raski_transformation_legacy_source(
        env, "Sequence Source (Deprecated)", topology_long.text, true, false));
    return RASK_OK;
}

static rask_status make_socket_text_stream(topology_step *s, topology_value *ret_value,
                                           raski_error *err) {
    raski_plan_env *env = NULL;
    RASKI_TRY(topology_source_env(s, &env, err));
    (void)topology_text(s, "host", "localhost");
    int32_t port = (int32_t)topology_number(s, "port", 9999);
    if (port <= 0 || port >= 65536)
        return RASKI_THROW(err, "IllegalArgumentException", "port is out of range");
    *ret_value = operator_value(raski_transformation_legacy_source(
        env, "Socket Stream", topology_string.text, false, false));
    return RASK_OK;
}

/* The monitor (one subtask) that finds files, and the operator that reads them. */
static topology_value file_source(raski_plan_env *env, const char *name, bool continuously,
                                  const char *type) {
    static const raski_operator_factory reader = {.chaining = RASKI_CHAINING_HEAD,
                                                  .yielding = true};
    raski_transformation *monitor = raski_transformation_legacy_source(
        env, name, "TimestampedFileInputSplit", false, !continuously);
    raski_transformation_force_non_parallel(monitor);
    const char *reader_name = raski_arena_format(env->graph->arena, "Split Reader: %s", name);
    return operator_value(
        raski_transformation_one_input(monitor, reader_name, type, &reader, NULL));
}

static rask_status make_read_file(topology_step *s, topology_value *ret_value, raski_error *err) {
    enum { INTERVAL_MIN_MS = 1 };
    raski_plan_env *env = NULL;
    const topology_type *type = NULL;
    RASKI_TRY(topology_source_env(s, &env, err));
    bool continuously = strcmp(topology_text(s, "watch", "once"), "continuously") == 0;
    int64_t interval_ms = topology_number(s, "interval", 100);
    RASKI_TRY(record_type(s, &type, err));
    if (continuously && interval_ms < INTERVAL_MIN_MS)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "The path monitoring interval cannot be less than %d ms.",
                           INTERVAL_MIN_MS);
    *ret_value = file_source(env, "Custom File Source", continuously, type->text);
    return RASK_OK;
}

static rask_status make_create_input(topology_step *s, topology_value *ret_value,
                                     raski_error *err) {
    raski_plan_env *env = NULL;
    const topology_type *type = NULL;
    bool file = topology_flag(s, "file", false);
    RASKI_TRY(topology_source_env(s, &env, err));
    if (!file) (void)topology_flag(s, "parallel", true); /* Flink's planner does not look at it */
    RASKI_TRY(record_type(s, &type, err));
    if (file) {
        *ret_value = file_source(env, "Custom File source", false, type->text);
        return RASK_OK;
    }
    raski_transformation *t =
        raski_transformation_legacy_source(env, "Custom Source", type->text, true, false);
    t->factory.format = RASKI_FORMAT_INPUT;
    *ret_value = operator_value(t);
    return RASK_OK;
}

static rask_status make_assign_timestamps(topology_step *s, topology_value *ret_value,
                                          raski_error *err) {
    topology_value input;
    RASKI_TRY(topology_one(s, &input, err));
    RASKI_TRY(check_watermarks(s, "bounded", err));
    *ret_value =
        operator_value(raski_transformation_timestamps_and_watermarks(input.transformation));
    return RASK_OK;
}

const topology_operation_entry topology_sources[] = {
    {"source", make_source},
    {"legacySource", make_legacy_source},
    {"fromData", make_from_data},
    {"fromCollection", make_from_collection},
    {"fromParallelCollection", make_from_parallel_collection},
    {"fromSequence", make_from_sequence},
    {"generateSequence", make_generate_sequence},
    {"socketTextStream", make_socket_text_stream},
    {"readFile", make_read_file},
    {"createInput", make_create_input},
    {"assignTimestampsAndWatermarks", make_assign_timestamps},
    {NULL, NULL},
};
