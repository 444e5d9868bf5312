/* stream_graph_sink.c - a Sink V2 becomes a pre-write topology, a writer, a pre-commit topology, a
 * committer and a post-commit topology, as far as it has them.
 * Flink: SinkTransformationTranslator, GlobalCommitterTransformationTranslator.
 *
 * The parts are built with the API's own constructors, as if the user had written them, with the
 * environment's parallelism switched off; then they inherit from the sink what they do not say
 * themselves, are translated, and are taken out of the environment's list again. */
#include <string.h>

#include "graph/stream_graph_private.h"

#define WRITER_NAME "Writer"
#define COMMITTER_NAME "Committer"
#define GLOBAL_COMMITTER_NAME "Global Committer"

typedef struct expander {
    raski_stream_graph_generator *generator;
    raski_plan_env *env;
    raski_transformation *sink;
    /* the environment's parallelism, to be put back after each part */
    int32_t parallelism;
    bool parallelism_set;
} expander;

/* What one part of the sink is made by: an operator of ours or a topology of the user's. */
typedef struct part {
    raski_sink_topology_fn build;
    void *context;
    bool is_topology; /* of the user's: its uids need one on the sink */
    bool concurrent_attempts;
} part;

/* --- inheritance -------------------------------------------------------------------------------
 */

static const char *joined(raski_transformation *t, const char *sink_text, const char *text) {
    if (sink_text == NULL || text == NULL) return text;
    return raski_arena_format(t->env->graph->arena, "%s: %s", sink_text, text);
}

static rask_status set_uid_hash_if_named(raski_transformation *t, const char *name,
                                         const char *hash, raski_error *err) {
    if (hash == NULL || strcmp(t->name, name) != 0) return RASK_OK;
    return raski_transformation_set_uid_hash(t, hash, err);
}

static void inherit_uid(const raski_transformation *sink, raski_transformation *t) {
    raski_arena *arena = t->env->graph->arena;
    if (sink->uid == NULL) return;
    if (strcmp(t->name, COMMITTER_NAME) == 0)
        t->uid = raski_arena_format(arena, "Sink Committer: %s", sink->uid);
    else if (strcmp(t->name, WRITER_NAME) == 0)
        t->uid = sink->uid;
    else if (strcmp(t->name, GLOBAL_COMMITTER_NAME) == 0)
        t->uid = raski_arena_format(arena, "Sink %s Global Committer", sink->uid);
    else
        t->uid = joined(t, sink->uid, t->uid);
}

static rask_status inherit(const expander *e, const part *p, raski_transformation *t,
                           raski_error *err) {
    const raski_transformation *sink = e->sink;
    bool has_uid = t->uid && *t->uid;
    if (p->is_topology && has_uid && !(sink->uid && *sink->uid))
        return RASKI_THROW(err, "IllegalStateException",
                           "Sink %s requires to set a uid since its customized topology has set "
                           "uid for some operators.",
                           sink->name);
    RASKI_TRY(set_uid_hash_if_named(t, WRITER_NAME, sink->sink->writer_uid_hash, err));
    RASKI_TRY(set_uid_hash_if_named(t, COMMITTER_NAME, sink->sink->committer_uid_hash, err));
    RASKI_TRY(set_uid_hash_if_named(t, GLOBAL_COMMITTER_NAME, sink->sink->global_committer_uid_hash,
                                    err));
    inherit_uid(sink, t);
    t->co_location_key = joined(t, sink->co_location_key, t->co_location_key);
    t->name = joined(t, sink->name, t->name);
    t->description = joined(t, sink->description, t->description);
    if (t->co_location_key == NULL) t->co_location_key = sink->co_location_key;
    if (t->slot_sharing_group == NULL) t->slot_sharing_group = sink->slot_sharing_group;
    if (t->parallelism == RASKI_PARALLELISM_DEFAULT) {
        t->parallelism = sink->parallelism;
        t->parallelism_configured =
            sink->parallelism_configured && sink->parallelism != RASKI_PARALLELISM_DEFAULT;
    }
    if (t->max_parallelism < 0 && sink->max_parallelism > 0)
        t->max_parallelism = sink->max_parallelism;
    if (raski_transformation_is_physical(t)) {
        if (sink->chaining_set)
            RASKI_TRY(raski_transformation_set_chaining_strategy(t, sink->factory.chaining, err));
        t->supports_concurrent_execution_attempts = p->concurrent_attempts;
    }
    if (t->file == NULL) raski_transformation_set_location(t, sink->file, sink->line);
    return RASK_OK;
}

/* --- the parts ---------------------------------------------------------------------------------
 */

static rask_status add_part(expander *e, const part *p, raski_plan_stream input,
                            raski_plan_stream *ret_output, raski_error *err) {
    raski_plan_env *env = e->env;
    size_t before = env->operators.count;
    env->config.parallelism = RASKI_PARALLELISM_DEFAULT;
    env->config.parallelism_set = true;
    rask_status status = p->build(p->context, input, ret_output, err);
    for (size_t i = before; status == RASK_OK && i < env->operators.count; i++)
        status = inherit(e, p, env->operators.items[i], err);
    env->config.parallelism = e->parallelism_set ? e->parallelism : 1; /* Flink's default */
    env->config.parallelism_set = e->parallelism_set;
    return status;
}

static rask_status add_operator(raski_plan_stream input, const char *name, const char *type,
                                const raski_operator_factory *factory, const void *payload,
                                raski_plan_stream *ret_output, raski_error *err) {
    raski_transformation *t =
        raski_transformation_one_input(input.transformation, name, type, factory, input.key);
    t->payload = payload;
    if (input.key && input.key->async_state)
        RASKI_TRY(raski_transformation_enable_async_state(t, err));
    *ret_output = (raski_plan_stream){t, NULL};
    return RASK_OK;
}

static const char *type_of(const raski_sink *sink) {
    return sink->committable_type ? sink->committable_type : "CommittableMessageTypeInfo";
}

static rask_status build_writer(void *context, raski_plan_stream input,
                                raski_plan_stream *ret_output, raski_error *err) {
    static const raski_operator_factory factory = {.role = RASKI_OPERATOR_SINK_WRITER,
                                                   .yielding = true};
    const raski_sink *sink = context;
    return add_operator(input, WRITER_NAME, type_of(sink), &factory, sink->payload, ret_output,
                        err);
}

static rask_status build_committer(void *context, raski_plan_stream input,
                                   raski_plan_stream *ret_output, raski_error *err) {
    static const raski_operator_factory factory = {.role = RASKI_OPERATOR_COMMITTER};
    const raski_sink *sink = context;
    return add_operator(input, COMMITTER_NAME, type_of(sink), &factory, sink->committer_payload,
                        ret_output, err);
}

/* A forward edge that ends a failover region in batch. */
static raski_plan_stream add_failover_region(raski_plan_stream input) {
    raski_partitioner *forward = raski_partitioner_create(input.transformation->env->graph->arena,
                                                          RASKI_PARTITIONER_FORWARD);
    return (raski_plan_stream){
        raski_transformation_partition(input.transformation, forward, RASKI_EXCHANGE_BATCH), NULL};
}

static rask_status add_committing(expander *e, raski_plan_stream stream, raski_error *err) {
    raski_sink *sink = e->sink->sink;
    part writer = {build_writer, sink, false, sink->concurrent_attempts};
    RASKI_TRY(add_part(e, &writer, stream, &stream, err));
    stream = add_failover_region(stream);
    if (sink->pre_commit) {
        part pre_commit = {sink->pre_commit, sink->pre_commit_context, true, false};
        RASKI_TRY(add_part(e, &pre_commit, stream, &stream, err));
    }
    part committer = {build_committer, sink, false, false};
    RASKI_TRY(add_part(e, &committer, stream, &stream, err));
    if (sink->post_commit) {
        part post_commit = {sink->post_commit, sink->post_commit_context, true, false};
        RASKI_TRY(add_part(e, &post_commit, add_failover_region(stream), &stream, err));
    }
    return RASK_OK;
}

static rask_status build_parts(expander *e, raski_error *err) {
    raski_sink *sink = e->sink->sink;
    raski_plan_stream stream = {e->sink->inputs.items[0], e->sink->sink_input_key};
    if (sink->pre_write) {
        part pre_write = {sink->pre_write, sink->pre_write_context, true,
                          sink->concurrent_attempts};
        RASKI_TRY(add_part(e, &pre_write, stream, &stream, err));
    }
    if (sink->pre_commit && !sink->committer)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Sink with SupportsPreCommitTopology should implement "
                           "SupportsCommitter");
    if (sink->post_commit && !sink->committer)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Sink with SupportsPostCommitTopology should implement "
                           "SupportsCommitter");
    if (sink->committer) return add_committing(e, stream, err);
    part writer = {build_writer, sink, false, sink->concurrent_attempts};
    return add_part(e, &writer, stream, &stream, err);
}

/* --- translating them --------------------------------------------------------------------------
 */

/* Translates the operators from before on. One that adds operators itself (a global committer, a
 * sink) may only be the last: Flink then stops with ConcurrentModificationException. */
static rask_status translate_parts(expander *e, size_t before, raski_error *err) {
    raski_plan_env *env = e->env;
    size_t end = env->operators.count, version = env->operators_version;
    for (size_t i = before; i < end; i++) {
        if (env->operators_version != version)
            return RASKI_THROW(err, "ConcurrentModificationException", "%s", "");
        RASKI_TRY(raski_generator_transform(e->generator, env->operators.items[i], err));
    }
    /* What was added meanwhile adds nothing more. */
    for (size_t i = end; i < env->operators.count; i++)
        RASKI_TRY(raski_generator_transform(e->generator, env->operators.items[i], err));
    return RASK_OK;
}

static bool is_writer(const raski_transformation *t) {
    return t->kind == RASKI_TRANSFORMATION_ONE_INPUT &&
           t->factory.role == RASKI_OPERATOR_SINK_WRITER;
}

/* Committables must not be overtaken by barriers: no partitioning behind the writer may be
 * checkpointed unaligned. */
static rask_status disallow_unaligned_checkpoints(expander *e, size_t before, raski_error *err) {
    raski_plan_env *env = e->env;
    size_t writer = before;
    while (writer < env->operators.count && !is_writer(env->operators.items[writer])) writer++;
    if (writer == env->operators.count)
        return RASKI_THROW(err, "IllegalStateException", "Writer transformation not found.");
    raski_map seen = {0};
    raski_map_put_number(&seen, (uint64_t)(uint32_t)env->operators.items[writer]->id, NULL);
    RASKI_VEC(raski_transformation *) pending = {0};
    for (size_t i = writer + 1; i < env->operators.count; i++)
        raski_vec_push(&pending, env->operators.items[i]);
    for (size_t next = 0; next < pending.count; next++) {
        raski_transformation *current = pending.items[next];
        raski_map_put_number(&seen, (uint64_t)(uint32_t)current->id, NULL);
        for (size_t i = 0; i < current->inputs.count; i++) {
            raski_transformation *input = current->inputs.items[i];
            if (input->kind == RASKI_TRANSFORMATION_PARTITION)
                raski_partitioner_disable_unaligned_checkpoints(input->partitioner);
            if (raski_map_has_number(&seen, (uint64_t)(uint32_t)input->id)) continue;
            raski_map_put_number(&seen, (uint64_t)(uint32_t)input->id, NULL);
            raski_vec_push(&pending, input);
        }
    }
    raski_vec_free(&pending);
    raski_map_free(&seen);
    return RASK_OK;
}

rask_status raski_generator_expand_sink(raski_stream_graph_generator *generator,
                                        raski_transformation *sink, raski_error *err) {
    raski_plan_env *env = sink->inputs.items[0]->env;
    expander e = {generator, env, sink, env->config.parallelism, env->config.parallelism_set};
    size_t before = env->operators.count;
    rask_status status = build_parts(&e, err);
    if (status == RASK_OK) status = translate_parts(&e, before, err);
    if (status == RASK_OK) status = disallow_unaligned_checkpoints(&e, before, err);
    if (env->operators.count > before) {
        env->operators.count = before;
        env->operators_version++;
    }
    if (status == RASK_OK) raski_generator_put_ids(generator, sink, NULL, 0);
    return status;
}

rask_status raski_generator_expand_global_committer(raski_stream_graph_generator *generator,
                                                    raski_transformation *committer,
                                                    raski_error *err) {
    static const raski_operator_factory factory = {.role = RASKI_OPERATOR_GLOBAL_COMMITTER,
                                                   .simple = true};
    raski_transformation *input = committer->inputs.items[0];
    if (committer->sink_input_key)
        return RASKI_THROW(err, "UnsupportedOperationException",
                           "Cannot override partitioning for KeyedStream.");
    raski_partitioner *partitioner =
        raski_partitioner_create(input->env->graph->arena, RASKI_PARTITIONER_GLOBAL);
    raski_transformation *global =
        raski_transformation_partition(input, partitioner, RASKI_EXCHANGE_UNDEFINED);
    raski_transformation *t =
        raski_transformation_one_input(global, GLOBAL_COMMITTER_NAME, "Void", &factory, NULL);
    RASKI_TRY(raski_transformation_set_parallelism(t, 1, err));
    RASKI_TRY(raski_transformation_set_max_parallelism(t, 1, err));
    t->name = committer->name;
    if (committer->uid) t->uid = committer->uid;
    if (committer->user_hash) t->user_hash = committer->user_hash;
    raski_transformation_set_location(t, committer->file, committer->line);
    raski_generator_put_ids(generator, committer, (int32_t[]){global->id, t->id}, 2);
    return RASK_OK;
}
