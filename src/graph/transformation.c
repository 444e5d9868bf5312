/* transformation.c - the program's graph and the constructors of its nodes. */
#include "graph/transformation.h"
#include "platform/memory.h"

#include <string.h>

raski_transformation_graph *raski_transformation_graph_create(void) {
    raski_transformation_graph *graph = RASKI_NEW(raski_transformation_graph);
    graph->arena = raski_arena_create_large(raski_memory_want_huge_pages);
    return graph;
}

void raski_transformation_graph_destroy(raski_transformation_graph *graph_take) {
    if (graph_take == NULL) return;
    for (size_t i = 0; i < graph_take->all.count; i++) {
        raski_transformation *t = graph_take->all.items[i];
        raski_vec_free(&t->inputs);
        if (t->requested_side_outputs) raski_map_free(t->requested_side_outputs);
    }
    for (size_t i = 0; i < graph_take->envs.count; i++) {
        raski_vec_free(&graph_take->envs.items[i]->operators);
        raski_vec_free(&graph_take->envs.items[i]->slot_sharing_groups);
    }
    raski_vec_free(&graph_take->all);
    raski_vec_free(&graph_take->envs);
    raski_arena_destroy(graph_take->arena);
    raski_free(graph_take);
}

raski_plan_env *raski_plan_env_create(raski_transformation_graph *graph) {
    raski_plan_env *env = raski_arena_calloc(graph->arena, sizeof *env);
    env->graph = graph;
    raski_plan_config_init(&env->config);
    raski_vec_push(&graph->envs, env);
    return env;
}

int32_t raski_transformation_graph_next_id(raski_transformation_graph *graph) {
    return ++graph->last_id;
}

void raski_plan_env_register_slot_sharing_group(raski_plan_env *env,
                                                const raski_slot_sharing_group *group) {
    if (!group->resources.known) return;
    raski_slot_sharing_group copy = *group;
    copy.name = raski_arena_strdup(env->graph->arena, group->name);
    for (size_t i = 0; i < env->slot_sharing_groups.count; i++) {
        if (strcmp(env->slot_sharing_groups.items[i].name, copy.name) != 0) continue;
        env->slot_sharing_groups.items[i] = copy;
        return;
    }
    raski_vec_push(&env->slot_sharing_groups, copy);
}

void raski_plan_env_add_operator(raski_plan_env *env, raski_transformation *transformation) {
    raski_vec_push(&env->operators, transformation);
    env->operators_version++;
}

/* --- constructors ------------------------------------------------------------------------------
 */

static char *copy_text(const raski_plan_env *env, const char *text) {
    return text ? raski_arena_strdup(env->graph->arena, text) : NULL;
}

static raski_transformation *create(raski_plan_env *env, raski_transformation_kind kind,
                                    const char *name, const char *output_type, int32_t parallelism,
                                    bool parallelism_configured) {
    raski_transformation *t = raski_arena_calloc(env->graph->arena, sizeof *t);
    t->kind = kind;
    t->id = raski_transformation_graph_next_id(env->graph);
    t->env = env;
    t->name = copy_text(env, name);
    t->output_type = copy_text(env, output_type);
    t->parallelism = parallelism;
    t->parallelism_configured = parallelism_configured && parallelism != RASKI_PARALLELISM_DEFAULT;
    t->max_parallelism = -1;
    t->buffer_timeout_ms = RASKI_BUFFER_TIMEOUT_DISABLED;
    t->supports_concurrent_execution_attempts = true;
    raski_vec_push(&env->graph->all, t);
    return t;
}

/* An operator with the environment's parallelism, which counts as not configured. */
static raski_transformation *create_operator(raski_plan_env *env, raski_transformation_kind kind,
                                             const char *name, const char *output_type) {
    return create(env, kind, name, output_type, env->config.parallelism, false);
}

static void set_factory(raski_transformation *t, const raski_operator_factory *factory) {
    if (factory == NULL) return;
    t->factory = *factory;
    t->factory.operator_class = copy_text(t->env, factory->operator_class);
}

static void set_keys(raski_transformation *t, const raski_key_selector *selectors, size_t count,
                     const char *key_type) {
    t->key_selectors =
        raski_arena_calloc(t->env->graph->arena, (count + 1) * sizeof *t->key_selectors);
    if (count > 0) memcpy(t->key_selectors, selectors, count * sizeof *selectors);
    t->key_selector_count = count;
    t->key_type = copy_text(t->env, key_type);
    t->slot_scope_memory[RASKI_MEMORY_STATE_BACKEND] = true;
}

static void set_key(raski_transformation *t, const raski_key *key) {
    if (key != NULL) set_keys(t, &key->selector, 1, key->type);
}

raski_transformation *raski_transformation_source(raski_plan_env *env, const char *name,
                                                  const char *output_type, bool bounded) {
    raski_transformation *t = create_operator(env, RASKI_TRANSFORMATION_SOURCE, name, output_type);
    t->factory.role = RASKI_OPERATOR_SOURCE;
    t->factory.coordinated = true;
    t->bounded = bounded;
    return t;
}

raski_transformation *raski_transformation_legacy_source(raski_plan_env *env, const char *name,
                                                         const char *output_type, bool parallel,
                                                         bool bounded) {
    raski_transformation *t =
        create_operator(env, RASKI_TRANSFORMATION_LEGACY_SOURCE, name, output_type);
    t->factory.role = RASKI_OPERATOR_LEGACY_SOURCE;
    t->factory.simple = true;
    t->factory.chaining = RASKI_CHAINING_HEAD;
    t->bounded = bounded;
    if (!parallel) {
        t->serial_source = true;
        t->parallelism = 1;
        t->parallelism_configured = true;
    }
    return t;
}

raski_transformation *raski_transformation_one_input(raski_transformation *input, const char *name,
                                                     const char *output_type,
                                                     const raski_operator_factory *factory,
                                                     const raski_key *key) {
    raski_transformation *t =
        create_operator(input->env, RASKI_TRANSFORMATION_ONE_INPUT, name, output_type);
    raski_vec_push(&t->inputs, input);
    set_factory(t, factory);
    set_key(t, key);
    raski_plan_env_add_operator(t->env, t);
    return t;
}

rask_status raski_transformation_two_input(
    raski_transformation *input1, raski_transformation *input2, const char *name,
    const char *output_type, const raski_operator_factory *factory, const raski_key *key1,
    const raski_key *key2, raski_transformation **ret_transformation, raski_error *err) {
    if (key1 && key2 && strcmp(key1->type, key2->type) != 0)
        return RASKI_THROW(err, "UnsupportedOperationException",
                           "Key types if input KeyedStreams don't match: %s and %s.", key1->type,
                           key2->type);
    raski_transformation *t =
        create_operator(input1->env, RASKI_TRANSFORMATION_TWO_INPUT, name, output_type);
    raski_vec_push(&t->inputs, input1);
    raski_vec_push(&t->inputs, input2);
    set_factory(t, factory);
    if (key1 || key2) {
        raski_key_selector selectors[2] = {{0}};
        if (key1) selectors[0] = key1->selector;
        if (key2) selectors[1] = key2->selector;
        set_keys(t, selectors, 2, key2 ? key2->type : key1->type);
    }
    raski_plan_env_add_operator(t->env, t);
    *ret_transformation = t;
    return RASK_OK;
}

raski_transformation *raski_transformation_multi_input(
    raski_plan_env *env, raski_transformation *const *inputs, size_t count, const char *name,
    const char *output_type, const raski_operator_factory *factory, bool keyed,
    const raski_key_selector *selectors, const char *key_type) {
    raski_transformation *t = create_operator(
        env, keyed ? RASKI_TRANSFORMATION_KEYED_MULTI_INPUT : RASKI_TRANSFORMATION_MULTI_INPUT,
        name, output_type);
    for (size_t i = 0; i < count; i++) raski_vec_push(&t->inputs, inputs[i]);
    set_factory(t, factory);
    if (keyed) set_keys(t, selectors, count, key_type);
    raski_plan_env_add_operator(env, t);
    return t;
}

raski_transformation *raski_transformation_reduce(raski_transformation *input, const char *name,
                                                  const raski_key *key) {
    raski_transformation *t =
        create_operator(input->env, RASKI_TRANSFORMATION_REDUCE, name, input->output_type);
    raski_vec_push(&t->inputs, input);
    t->factory.simple = true;
    t->factory.supports_async_state = true;
    set_key(t, key);
    raski_plan_env_add_operator(t->env, t);
    return t;
}

raski_transformation *raski_transformation_timestamps_and_watermarks(raski_transformation *input) {
    raski_transformation *t =
        create(input->env, RASKI_TRANSFORMATION_TIMESTAMPS_AND_WATERMARKS, "Timestamps/Watermarks",
               input->output_type, input->parallelism, false);
    raski_vec_push(&t->inputs, input);
    raski_plan_env_add_operator(t->env, t);
    return t;
}

raski_transformation *raski_transformation_broadcast_state(raski_transformation *input,
                                                           raski_transformation *broadcast,
                                                           const char *output_type,
                                                           const raski_key *key) {
    raski_transformation *t = create_operator(
        input->env,
        key ? RASKI_TRANSFORMATION_KEYED_BROADCAST_STATE : RASKI_TRANSFORMATION_BROADCAST_STATE,
        key ? "Co-Process-Broadcast-Keyed" : "Co-Process-Broadcast", output_type);
    raski_vec_push(&t->inputs, input);
    raski_vec_push(&t->inputs, broadcast);
    t->factory.simple = true;
    if (key) {
        raski_key_selector selectors[2] = {key->selector};
        set_keys(t, selectors, 2, key->type);
    }
    raski_plan_env_add_operator(t->env, t);
    return t;
}

raski_transformation *raski_transformation_sink(raski_transformation *input, const raski_sink *sink,
                                                const raski_key *key) {
    raski_transformation *t =
        create_operator(input->env, RASKI_TRANSFORMATION_SINK, "Sink", input->output_type);
    raski_vec_push(&t->inputs, input);
    t->sink = raski_arena_calloc(t->env->graph->arena, sizeof *t->sink);
    *t->sink = *sink;
    t->sink_input_key = key;
    t->sink->committable_type = copy_text(t->env, sink->committable_type);
    t->sink->writer_uid_hash = copy_text(t->env, sink->writer_uid_hash);
    t->sink->committer_uid_hash = copy_text(t->env, sink->committer_uid_hash);
    t->sink->global_committer_uid_hash = copy_text(t->env, sink->global_committer_uid_hash);
    raski_plan_env_add_operator(t->env, t);
    return t;
}

raski_transformation *raski_transformation_legacy_sink(raski_transformation *input,
                                                       const char *name,
                                                       const raski_operator_factory *factory,
                                                       const raski_key *key) {
    raski_transformation *t =
        create_operator(input->env, RASKI_TRANSFORMATION_LEGACY_SINK, name, input->output_type);
    raski_vec_push(&t->inputs, input);
    set_factory(t, factory);
    set_key(t, key);
    raski_plan_env_add_operator(t->env, t);
    return t;
}

raski_transformation *raski_transformation_global_committer(raski_transformation *input,
                                                            const raski_key *key) {
    raski_transformation *t = create(input->env, RASKI_TRANSFORMATION_GLOBAL_COMMITTER,
                                     "Global Committer", "Void", 1, true);
    t->sink_input_key = key;
    raski_vec_push(&t->inputs, input);
    raski_plan_env_add_operator(t->env, t);
    return t;
}

raski_transformation *raski_transformation_cache(raski_transformation *input,
                                                 const char *data_set) {
    raski_transformation *t = create(input->env, RASKI_TRANSFORMATION_CACHE, "", input->output_type,
                                     input->parallelism, input->parallelism_configured);
    t->name = raski_arena_format(t->env->graph->arena, "Cache: %s", input->name);
    raski_vec_push(&t->inputs, input);
    t->cache_data_set = copy_text(t->env, data_set);
    return t;
}

raski_transformation *raski_transformation_partition(raski_transformation *input,
                                                     raski_partitioner *partitioner,
                                                     raski_exchange_mode exchange_mode) {
    raski_transformation *t = create(input->env, RASKI_TRANSFORMATION_PARTITION, "Partition",
                                     input->output_type, input->parallelism, true);
    raski_vec_push(&t->inputs, input);
    t->partitioner = partitioner;
    t->exchange_mode = exchange_mode;
    return t;
}

static const char *type_text(const char *type) {
    return type ? type : "null";
}

rask_status raski_transformation_union(raski_transformation *const *inputs, size_t count,
                                       raski_transformation **ret_union, raski_error *err) {
    const char *type = type_text(inputs[0]->output_type);
    for (size_t i = 1; i < count; i++)
        if (strcmp(type, type_text(inputs[i]->output_type)) != 0)
            return RASKI_THROW(err, "IllegalArgumentException",
                               "Cannot union streams of different types: %s and %s", type,
                               type_text(inputs[i]->output_type));
    raski_transformation *t = create(inputs[0]->env, RASKI_TRANSFORMATION_UNION, "Union",
                                     inputs[0]->output_type, inputs[0]->parallelism, true);
    for (size_t i = 0; i < count; i++) raski_vec_push(&t->inputs, inputs[i]);
    *ret_union = t;
    return RASK_OK;
}

rask_status raski_transformation_side_output(raski_transformation *input, const char *tag,
                                             const char *type, raski_transformation **ret_output,
                                             raski_error *err) {
    if (input->requested_side_outputs == NULL)
        input->requested_side_outputs =
            raski_arena_calloc(input->env->graph->arena, sizeof *input->requested_side_outputs);
    const char *earlier = raski_map_get(input->requested_side_outputs, tag);
    if (earlier && strcmp(earlier, type) != 0)
        return RASKI_THROW(err, "UnsupportedOperationException",
                           "A side output with a matching id was already requested with a "
                           "different type. This is not allowed, side output ids need to be "
                           "unique.");
    raski_transformation *t = create(input->env, RASKI_TRANSFORMATION_SIDE_OUTPUT, "SideOutput",
                                     type, input->parallelism, true);
    raski_vec_push(&t->inputs, input);
    t->side_output_tag = copy_text(t->env, tag);
    raski_map_put(input->requested_side_outputs, t->side_output_tag,
                  (void *)(uintptr_t)t->output_type);
    *ret_output = t;
    return RASK_OK;
}
