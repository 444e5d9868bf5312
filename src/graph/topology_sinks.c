/* topology_sinks.c - where streams end. */
#include <string.h>

#include "graph/topology_private.h"

static topology_value sink_value(raski_transformation *t) {
    return (topology_value){TOPOLOGY_SINK, t, NULL};
}

/* --- Sink V2 -----------------------------------------------------------------------------------
 */

/* A list of steps that Flink runs while it plans the sink. */
typedef struct sub_topology {
    raski_topology *topology;
    const json_t *steps;
} sub_topology;

/* The class of a stream follows from what made it. */
static topology_value_kind kind_of(const raski_plan_stream *stream) {
    if (stream->key) return TOPOLOGY_KEYED;
    if (raski_transformation_is_physical(stream->transformation)) return TOPOLOGY_OPERATOR;
    if (stream->transformation->kind == RASKI_TRANSFORMATION_SIDE_OUTPUT)
        return TOPOLOGY_SIDE_OUTPUT;
    return stream->transformation->kind == RASKI_TRANSFORMATION_CACHE ? TOPOLOGY_CACHED
                                                                      : TOPOLOGY_STREAM;
}

static rask_status run_sub_topology(void *context, raski_plan_stream input,
                                    raski_plan_stream *ret_output, raski_error *err) {
    const sub_topology *sub = context;
    topology_scope scope = {0};
    topology_value in = {kind_of(&input), input.transformation, input.key};
    topology_value last;
    raski_map_put(&scope.labels, "in", &in);
    rask_status status = topology_run(sub->topology, sub->steps, &scope, in, &last, err);
    raski_map_free(&scope.labels);
    if (status != RASK_OK) return status;
    bool is_stream = last.kind != TOPOLOGY_NOTHING && last.kind != TOPOLOGY_BROADCAST &&
                     last.kind != TOPOLOGY_SINK;
    *ret_output = is_stream ? (raski_plan_stream){last.transformation, last.key} : input;
    return RASK_OK;
}

static raski_sink_topology_fn sub_topology_field(topology_step *s, const char *field,
                                                 void **ret_context) {
    if (!topology_has(s, field)) return NULL;
    sub_topology *sub = raski_arena_calloc(s->topology->graph->arena, sizeof *sub);
    *sub = (sub_topology){s->topology, json_object_get(s->json, field)};
    *ret_context = sub;
    return run_sub_topology;
}

static const char *uid_hash(topology_step *s, const char *of) {
    const json_t *value = json_object_get(json_object_get(s->json, "uidHashes"), of);
    return value ? topology_as_text(s->topology->graph->arena, value) : NULL;
}

static rask_status make_sink(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value input;
    /* As in the facts: the serializer is a class of the test programs. */
    raski_sink sink = {.committable_type =
                           "CommittableMessageTypeInfo{serializer=USER_CLASS@HASH}"};
    RASKI_TRY(topology_one(s, &input, err));
    sink.pre_write = sub_topology_field(s, "preWrite", &sink.pre_write_context);
    sink.committer = topology_flag(s, "committer", false);
    sink.pre_commit = sub_topology_field(s, "preCommit", &sink.pre_commit_context);
    sink.post_commit = sub_topology_field(s, "postCommit", &sink.post_commit_context);
    sink.concurrent_attempts = topology_flag(s, "concurrent", false);
    if (topology_has(s, "uidHashes")) {
        sink.writer_uid_hash = uid_hash(s, "writer");
        sink.committer_uid_hash = uid_hash(s, "committer");
        sink.global_committer_uid_hash = uid_hash(s, "globalCommitter");
    }
    *ret_value = sink_value(raski_transformation_sink(input.transformation, &sink, input.key));
    return RASK_OK;
}

static rask_status make_simple_sink(topology_step *s, topology_value *ret_value, raski_error *err) {
    static const raski_sink sink = {.concurrent_attempts = true};
    topology_value input;
    RASKI_TRY(topology_one(s, &input, err));
    if (strcmp(s->op, "printSink") == 0) {
        (void)topology_text(s, "prefix", "");
        (void)topology_flag(s, "err", false);
    }
    *ret_value = sink_value(raski_transformation_sink(input.transformation, &sink, input.key));
    return RASK_OK;
}

static rask_status make_global_committer(topology_step *s, topology_value *ret_value,
                                         raski_error *err) {
    topology_value input;
    RASKI_TRY(topology_one(s, &input, err));
    (void)raski_transformation_global_committer(input.transformation, input.key);
    *ret_value = (topology_value){0};
    return RASK_OK;
}

/* --- the older sinks ---------------------------------------------------------------------------
 */

static rask_status add_sink(topology_step *s, const char *name,
                            const raski_operator_factory *factory, topology_value *ret_value,
                            raski_error *err) {
    topology_value input;
    RASKI_TRY(topology_one(s, &input, err));
    *ret_value = sink_value(
        raski_transformation_legacy_sink(input.transformation, name, factory, input.key));
    return RASK_OK;
}

static rask_status make_add_sink(topology_step *s, topology_value *ret_value, raski_error *err) {
    static const raski_operator_factory factory = {.simple = true};
    return add_sink(s, "Unnamed", &factory, ret_value, err);
}

static rask_status make_print(topology_step *s, topology_value *ret_value, raski_error *err) {
    static const raski_operator_factory factory = {.simple = true,
                                                   .concurrent_sink_function = true};
    bool to_err = topology_flag(s, "err", false);
    (void)topology_text(s, "prefix", NULL);
    return add_sink(s, to_err ? "Print to Std. Err" : "Print to Std. Out", &factory, ret_value,
                    err);
}

static rask_status make_write_to_socket(topology_step *s, topology_value *ret_value,
                                        raski_error *err) {
    RASKI_TRY(make_add_sink(s, ret_value, err));
    return raski_transformation_set_parallelism(ret_value->transformation, 1, err);
}

static rask_status make_output_format(topology_step *s, topology_value *ret_value,
                                      raski_error *err) {
    static const raski_operator_factory factory = {.simple = true, .format = RASKI_FORMAT_OUTPUT};
    return add_sink(s, "Unnamed", &factory, ret_value, err);
}

static rask_status make_collect(topology_step *s, topology_value *ret_value, raski_error *err) {
    static const raski_operator_factory factory = {.simple = true, .coordinated = true};
    topology_value input;
    RASKI_TRY(topology_one(s, &input, err));
    raski_transformation *t = raski_transformation_legacy_sink(
        input.transformation, "Data stream collect sink", &factory, NULL);
    RASKI_TRY(raski_transformation_set_parallelism(t, 1, err));
    t->uid = raski_arena_format(s->topology->graph->arena, "dataStreamCollect_%d", t->id);
    *ret_value = (topology_value){0};
    return RASK_OK;
}

const topology_operation_entry topology_sinks[] = {
    {"sink", make_sink},
    {"discard", make_simple_sink},
    {"printSink", make_simple_sink},
    {"globalCommitter", make_global_committer},
    {"addSink", make_add_sink},
    {"print", make_print},
    {"writeToSocket", make_write_to_socket},
    {"writeUsingOutputFormat", make_output_format},
    {"collect", make_collect},
    {NULL, NULL},
};
