/* stream_graph_generator.c - from an environment's operators to a stream graph.
 * Flink: StreamGraphGenerator. Transformations are visited depth first, inputs before the one that
 * needs them, with a stack of its own: a program may be as long as memory allows. */
#include <stdio.h>
#include <string.h>

#include "graph/stream_graph.h"
#include "graph/stream_graph_private.h"
#include "platform/memory.h"

/* --- modes -------------------------------------------------------------------------------------
 */

static bool is_unbounded_source(const raski_transformation *t) {
    return (t->kind == RASKI_TRANSFORMATION_SOURCE ||
            t->kind == RASKI_TRANSFORMATION_LEGACY_SOURCE) &&
           !t->bounded;
}

/* An unbounded source among what the operators need, or NULL. As in Flink, what lies behind the
 * inputs of a broadcast process is not looked at from there. */
static const raski_transformation *find_unbounded_source(const raski_plan_env *env) {
    RASKI_VEC(const raski_transformation *) pending = {0};
    raski_id_table expanded = {0};
    const raski_transformation *found = NULL;
    for (size_t i = 0; i < env->operators.count; i++)
        raski_vec_push(&pending, env->operators.items[i]);
    while (pending.count > 0 && found == NULL) {
        const raski_transformation *t = pending.items[--pending.count];
        if (raski_id_table_get(&expanded, t->id) != NULL) continue;
        raski_id_table_put(&expanded, t->id, &expanded);
        if (is_unbounded_source(t)) found = t;
        if (t->kind == RASKI_TRANSFORMATION_CACHE && t->cached) continue;
        bool shallow = t->kind == RASKI_TRANSFORMATION_BROADCAST_STATE ||
                       t->kind == RASKI_TRANSFORMATION_KEYED_BROADCAST_STATE;
        for (size_t i = 0; i < t->inputs.count; i++) {
            if (!shallow)
                raski_vec_push(&pending, t->inputs.items[i]);
            else if (is_unbounded_source(t->inputs.items[i]))
                found = t->inputs.items[i];
        }
    }
    raski_vec_free(&pending);
    raski_id_table_free(&expanded);
    return found;
}

static rask_status decide_batch(raski_stream_graph_generator *g, raski_error *err) {
    RASKI_TRY(raski_plan_config_check(g->config, "execution.runtime-mode", err));
    const raski_transformation *unbounded = find_unbounded_source(g->env);
    if (g->config->runtime_mode == RASKI_RUNTIME_BATCH && unbounded != NULL) {
        g->transformations->failed = unbounded;
        return RASKI_THROW(err, "IllegalStateException",
                           "Detected an UNBOUNDED source with the 'execution.runtime-mode' set to "
                           "'BATCH'. This combination is not allowed, please set the "
                           "'execution.runtime-mode' to STREAMING or AUTOMATIC");
    }
    g->batch = g->config->runtime_mode == RASKI_RUNTIME_BATCH ||
               (g->config->runtime_mode == RASKI_RUNTIME_AUTOMATIC && unbounded == NULL);
    return RASK_OK;
}

static rask_status configure_batch(raski_stream_graph_generator *g, raski_error *err) {
    static const raski_global_exchange_mode modes[] = {
        [RASKI_SHUFFLE_ALL_EXCHANGES_PIPELINED] = RASKI_ALL_EDGES_PIPELINED,
        [RASKI_SHUFFLE_ALL_EXCHANGES_BLOCKING] = RASKI_ALL_EDGES_BLOCKING,
        [RASKI_SHUFFLE_ALL_EXCHANGES_HYBRID_FULL] = RASKI_ALL_EDGES_HYBRID_FULL,
        [RASKI_SHUFFLE_ALL_EXCHANGES_HYBRID_SELECTIVE] = RASKI_ALL_EDGES_HYBRID_SELECTIVE,
    };
    raski_stream_graph *graph = g->graph;
    graph->job_type = RASKI_JOB_BATCH;
    graph->job_name = g->config->job_name ? g->config->job_name : "Flink Batch Job";
    graph->checkpointing = false;
    RASKI_TRY(raski_plan_config_check(g->config, "execution.batch-state-backend.enabled", err));
    RASKI_TRY(raski_plan_config_check(g->config, "execution.sorted-inputs.enabled", err));
    if (g->config->batch_state_backend && !g->config->sort_inputs)
        return RASKI_THROW(err, "IllegalStateException",
                           "Batch state backend requires the sorted inputs to be enabled!");
    RASKI_TRY(raski_plan_config_check(g->config, "execution.batch-shuffle-mode", err));
    graph->exchange_mode = modes[g->config->batch_shuffle_mode];
    graph->same_slot_sharing_group_by_default = false;
    return raski_plan_config_set(g->config, graph->arena, "execution.buffer-timeout.enabled",
                                 "false", err);
}

static rask_status configure_streaming(raski_stream_graph_generator *g, raski_error *err) {
    raski_stream_graph *graph = g->graph;
    graph->job_type = RASKI_JOB_STREAMING;
    graph->job_name = g->config->job_name ? g->config->job_name : "Flink Streaming Job";
    graph->exchange_mode = RASKI_ALL_EDGES_PIPELINED;
    RASKI_TRY(raski_plan_config_check(g->config,
                                      "execution.state-recovery.approximate-local-recovery", err));
    if (!g->config->approximate_local_recovery) return RASK_OK;
    if (raski_plan_config_takes_unaligned_checkpoints(g->config))
        return RASKI_THROW(err, "IllegalStateException",
                           "Approximate Local Recovery and Unaligned Checkpoint can not be used "
                           "together yet");
    graph->exchange_mode = RASKI_ALL_EDGES_PIPELINED_APPROXIMATE;
    return RASK_OK;
}

static rask_status configure(raski_stream_graph_generator *g, raski_error *err) {
    static const char *const read_first[] = {
        "pipeline.vertex-description-mode", "pipeline.vertex-name-include-index-prefix",
        "execution.batch.adaptive.auto-parallelism.enabled",
        "execution.checkpointing.checkpoints-after-tasks-finish"};
    RASKI_TRY(decide_batch(g, err));
    for (size_t i = 0; i < sizeof read_first / sizeof *read_first; i++)
        RASKI_TRY(raski_plan_config_check(g->config, read_first[i], err));
    g->graph->dynamic = g->batch && (g->config->scheduler == RASKI_SCHEDULER_UNSET ||
                                     g->config->scheduler == RASKI_SCHEDULER_ADAPTIVE_BATCH);
    g->graph->same_slot_sharing_group_by_default = true;
    g->graph->checkpointing = g->config->checkpoint_interval_ms > 0;
    if (g->batch) return configure_batch(g, err);
    return configure_streaming(g, err);
}

/* --- visiting ----------------------------------------------------------------------------------
 */

const raski_id_list *raski_generator_ids(const raski_stream_graph_generator *generator,
                                         const raski_transformation *transformation) {
    return raski_id_table_get(&generator->transformed, transformation->id);
}

void raski_generator_put_ids(raski_stream_graph_generator *generator,
                             const raski_transformation *transformation, const int32_t *ids,
                             size_t count) {
    raski_arena *arena = generator->graph->arena;
    raski_id_list *list = raski_arena_calloc(arena, sizeof *list);
    list->items = raski_arena_calloc(arena, (count + 1) * sizeof *list->items);
    if (count > 0) memcpy(list->items, ids, count * sizeof *ids);
    list->count = count;
    raski_id_table_put(&generator->transformed, transformation->id, list);
}

/* Fine-grained resources of the transformation's slot sharing group. */
static rask_status note_slot_sharing_group(raski_stream_graph_generator *g,
                                           const raski_slot_sharing_group *group,
                                           raski_error *err) {
    if (group == NULL || !group->resources.known) return RASK_OK;
    const raski_resource_spec *known =
        raski_stream_graph_slot_sharing_group_resources(g->graph, group->name);
    if (known == NULL)
        raski_vec_push(&g->graph->slot_sharing_groups, *group);
    else if (!raski_resource_spec_equals(known, &group->resources))
        return RASKI_THROW(err, "IllegalArgumentException",
                           "The slot sharing group %s has been configured with two different "
                           "resource spec.",
                           group->name);
    return RASK_OK;
}

/* What Flink does when it comes to a transformation, before it looks at its inputs. */
static rask_status enter(raski_stream_graph_generator *g, raski_transformation *t,
                         raski_error *err) {
    if (t->max_parallelism <= 0 && g->config->max_parallelism > 0)
        RASKI_TRY(raski_transformation_set_max_parallelism(t, g->config->max_parallelism, err));
    return note_slot_sharing_group(g, t->slot_sharing_group, err);
}

/* The innermost one counts: a part of a sink rather than the sink. */
static void note_failure(raski_stream_graph_generator *g, const raski_transformation *t) {
    if (g->transformations->failed == NULL) g->transformations->failed = t;
}

typedef struct visit {
    raski_transformation *transformation;
    size_t next_input;
} visit;

static size_t input_count(const raski_transformation *t) {
    return t->kind == RASKI_TRANSFORMATION_CACHE && t->cached ? 0 : t->inputs.count;
}

rask_status raski_generator_transform(raski_stream_graph_generator *generator,
                                      raski_transformation *transformation, raski_error *err) {
    RASKI_VEC(visit) stack = {0};
    rask_status status = RASK_OK;
    const raski_transformation *failed = transformation;
    if (raski_generator_ids(generator, transformation) != NULL) return RASK_OK;
    RASKI_TRY_GOTO(status, enter(generator, transformation, err), out);
    raski_vec_push(&stack, (visit){transformation, 0});
    while (stack.count > 0) {
        visit *top = &stack.items[stack.count - 1];
        raski_transformation *t = top->transformation;
        if (top->next_input < input_count(t)) {
            raski_transformation *input = t->inputs.items[top->next_input++];
            if (raski_generator_ids(generator, input) != NULL) continue;
            failed = input;
            RASKI_TRY_GOTO(status, enter(generator, input, err), out);
            raski_vec_push(&stack, (visit){input, 0});
            continue;
        }
        stack.count--;
        failed = t;
        if (raski_generator_ids(generator, t) == NULL)
            RASKI_TRY_GOTO(status, raski_generator_translate(generator, t, err), out);
    }
out:
    raski_vec_free(&stack);
    if (status != RASK_OK) note_failure(generator, failed);
    return status;
}

/* --- after all nodes are there -----------------------------------------------------------------
 */

/* One input that cannot be checkpointed unaligned spoils it for all inputs of a node. */
static void spread_unaligned_checkpoints(raski_stream_graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        raski_stream_node *node = graph->nodes.items[i];
        bool supported = true;
        for (size_t j = 0; j < node->in_edges.count; j++)
            if (!raski_partitioner_supports_unaligned_checkpoints(
                    node->in_edges.items[j]->partitioner))
                supported = false;
        if (supported) continue;
        for (size_t j = 0; j < node->in_edges.count; j++)
            node->in_edges.items[j]->supports_unaligned_checkpoints = false;
    }
}

static rask_status generate(raski_stream_graph_generator *g, raski_error *err) {
    raski_plan_env *env = g->env;
    if (env->operators.count == 0)
        return RASKI_THROW(err, "IllegalStateException",
                           "No operators defined in streaming topology. Cannot execute.");
    RASKI_TRY(configure(g, err));
    for (size_t i = 0; i < env->slot_sharing_groups.count; i++)
        raski_vec_push(&g->graph->slot_sharing_groups, env->slot_sharing_groups.items[i]);
    /* Sinks add operators while they are expanded, and take them away again. */
    size_t count = env->operators.count;
    for (size_t i = 0; i < count; i++)
        RASKI_TRY(raski_generator_transform(g, env->operators.items[i], err));
    g->graph->has_fine_grained_resources = g->graph->slot_sharing_groups.count > 0;
    if (g->batch && g->graph->has_fine_grained_resources)
        g->graph->exchange_mode = RASKI_ALL_EDGES_BLOCKING;
    spread_unaligned_checkpoints(g->graph);
    return RASK_OK;
}

rask_status raski_stream_graph_generate(raski_plan_env *env, raski_stream_graph **ret_graph,
                                        raski_error *err) {
    raski_stream_graph *graph = RASKI_NEW(raski_stream_graph);
    graph->arena = raski_arena_create_large(raski_memory_want_huge_pages);
    graph->transformations = env->graph;
    graph->config = env->config;
    raski_stream_graph_generator g = {
        .env = env, .transformations = env->graph, .graph = graph, .config = &graph->config};
    env->graph->failed = NULL;
    rask_status status = generate(&g, err);
    raski_id_table_free(&g.origins);
    raski_id_table_free(&g.transformed);
    raski_map_free(&g.side_outputs);
    if (status != RASK_OK)
        raski_stream_graph_destroy(graph);
    else
        *ret_graph = graph;
    return status;
}
