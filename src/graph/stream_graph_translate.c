/* stream_graph_translate.c - one transformation becomes one node, or virtual nodes, or nothing.
 * Flink: streaming.runtime.translators (the Sink V2 is in stream_graph_sink.c). */
#include <string.h>

#include "graph/stream_graph_private.h"

typedef raski_stream_graph_generator gen;

/* --- what all kinds share ----------------------------------------------------------------------
 */

static raski_edge_origin *origin_of(const gen *g, int32_t id) {
    return raski_id_table_get(&g->origins, id);
}

static raski_edge_origin *add_origin(gen *g, int32_t id, const raski_edge_origin *like) {
    raski_edge_origin *origin = raski_arena_calloc(g->graph->arena, sizeof *origin);
    if (like) *origin = *like;
    raski_id_table_put(&g->origins, id, origin);
    return origin;
}

static raski_transformation *input_of(const raski_transformation *t, size_t index) {
    return t->inputs.items[index];
}

/* The group given by the user, else that of all inputs if it is the same, else "default". */
static const char *slot_sharing_group(const gen *g, const raski_transformation *t) {
    if (t->slot_sharing_group) return t->slot_sharing_group->name;
    if (t->kind == RASKI_TRANSFORMATION_CACHE && t->cached) return "default";
    const char *group = NULL;
    for (size_t i = 0; i < t->inputs.count; i++) {
        const raski_id_list *ids = raski_generator_ids(g, input_of(t, i));
        for (size_t j = 0; j < ids->count; j++) {
            const char *candidate = origin_of(g, ids->items[j])->node->slot_sharing_group;
            if (group == NULL)
                group = candidate;
            else if (strcmp(group, candidate) != 0)
                return "default";
        }
    }
    return group ? group : "default";
}

static raski_stream_node *add_node(gen *g, const raski_transformation *t, const char *name,
                                   raski_task_class task_class,
                                   const raski_operator_factory *factory) {
    raski_stream_node *node = raski_stream_graph_add_node(
        g->graph, t->id, name, slot_sharing_group(g, t), task_class, factory);
    node->co_location_group = t->co_location_key;
    node->transformation = t;
    node->payload = t->payload;
    node->type_payload = t->type_payload;
    node->output_type = t->output_type;
    add_origin(g, t->id, NULL)->node = node;
    return node;
}

static void set_parallelism(raski_stream_node *node, int32_t parallelism, bool configured) {
    node->parallelism = parallelism;
    node->parallelism_configured = configured && parallelism != RASKI_PARALLELISM_DEFAULT;
}

static void set_parallelism_of(const gen *g, const raski_transformation *t,
                               raski_stream_node *node) {
    bool given = t->parallelism != RASKI_PARALLELISM_DEFAULT;
    set_parallelism(node, given ? t->parallelism : g->config->parallelism,
                    t->parallelism_configured);
    node->max_parallelism = t->max_parallelism;
}

static rask_status add_edges(gen *g, const raski_transformation *from, raski_stream_node *target,
                             int32_t type_number, raski_error *err) {
    const raski_id_list *ids = raski_generator_ids(g, from);
    for (size_t i = 0; i < ids->count; i++)
        RASKI_TRY(raski_stream_graph_add_edge(g->graph, origin_of(g, ids->items[i]), target,
                                              type_number, NULL, err));
    return RASK_OK;
}

static void set_keys(const raski_transformation *t, raski_stream_node *node) {
    node->key_selectors = t->key_selectors;
    node->key_selector_count = t->key_selector_count;
    node->key_type = t->key_type;
}

/* --- sorted inputs -----------------------------------------------------------------------------
 */

/* A keyed operator whose input is sorted by key first: in batch, or where output comes at the end
 * only. Such an operator never chains to its input. */
static rask_status apply_batch_settings(gen *g, raski_stream_node *node, raski_error *err) {
    RASKI_TRY(raski_plan_config_check(g->config, "execution.sorted-inputs.enabled", err));
    if (node->factory.chaining == RASKI_CHAINING_ALWAYS ||
        node->factory.chaining == RASKI_CHAINING_HEAD_WITH_SOURCES)
        node->factory.chaining = RASKI_CHAINING_HEAD;
    if (!g->config->sort_inputs) return RASK_OK;
    if (node->factory.input_selectable)
        return RASKI_THROW(err, "IllegalStateException",
                           "Batch state backend and sorting inputs are not supported in graphs "
                           "with an InputSelectable operator.");
    node->input_requirement_count = node->key_selector_count;
    node->input_requirements = raski_arena_calloc(
        g->graph->arena, (node->key_selector_count + 1) * sizeof *node->input_requirements);
    for (size_t i = 0; i < node->key_selector_count; i++)
        node->input_requirements[i] = node->key_selectors[i].id != 0
                                          ? RASKI_INPUT_REQUIREMENT_SORTED
                                          : RASKI_INPUT_REQUIREMENT_PASS_THROUGH;
    RASKI_TRY(raski_plan_config_check(g->config, "execution.sorted-inputs.memory", err));
    int64_t mebibytes = g->config->sorted_inputs_memory_bytes >> 20;
    node->operator_memory_weight = mebibytes < 1 ? 1 : (int32_t)mebibytes;
    return RASK_OK;
}

static bool wants_batch_settings(const gen *g, const raski_transformation *t) {
    if (t->key_selectors == NULL) return false;
    switch (t->kind) {
        case RASKI_TRANSFORMATION_REDUCE:
        case RASKI_TRANSFORMATION_LEGACY_SINK:
        case RASKI_TRANSFORMATION_KEYED_BROADCAST_STATE:
            return g->batch;
        case RASKI_TRANSFORMATION_ONE_INPUT:
            if (t->factory.internal_sorter_supported) return false;
            return g->batch || t->factory.output_only_after_end_of_stream ||
                   t->no_output_until_end_of_input;
        default:
            if (t->factory.internal_sorter_supported) return false;
            return g->batch || t->factory.output_only_after_end_of_stream;
    }
}

/* --- the kinds ---------------------------------------------------------------------------------
 */

static rask_status translate_source(gen *g, const raski_transformation *t) {
    const char *name = raski_arena_format(g->graph->arena, "Source: %s", t->name);
    bool legacy = t->kind == RASKI_TRANSFORMATION_LEGACY_SOURCE;
    raski_stream_node *node =
        add_node(g, t, name, legacy ? RASKI_TASK_SOURCE : RASKI_TASK_SOURCE_OPERATOR, &t->factory);
    node->is_source = true;
    set_parallelism_of(g, t, node);
    node->supports_concurrent_execution_attempts = t->supports_concurrent_execution_attempts;
    return RASK_OK;
}

static rask_status translate_legacy_sink(gen *g, const raski_transformation *t, raski_error *err) {
    const char *name = raski_arena_format(g->graph->arena, "Sink: %s", t->name);
    raski_stream_node *node = add_node(g, t, name, RASKI_TASK_ONE_INPUT, &t->factory);
    node->is_sink = true;
    node->output_type = NULL;
    set_parallelism_of(g, t, node);
    node->supports_concurrent_execution_attempts =
        t->supports_concurrent_execution_attempts && t->factory.concurrent_sink_function;
    RASKI_TRY(add_edges(g, input_of(t, 0), node, 0, err));
    set_keys(t, node);
    return RASK_OK;
}

static raski_task_class task_class_of(const raski_transformation *t) {
    switch (t->kind) {
        case RASKI_TRANSFORMATION_TWO_INPUT:
        case RASKI_TRANSFORMATION_BROADCAST_STATE:
        case RASKI_TRANSFORMATION_KEYED_BROADCAST_STATE:
            return RASKI_TASK_TWO_INPUT;
        case RASKI_TRANSFORMATION_MULTI_INPUT:
        case RASKI_TRANSFORMATION_KEYED_MULTI_INPUT:
            return RASKI_TASK_MULTI_INPUT;
        default:
            return RASKI_TASK_ONE_INPUT;
    }
}

static rask_status translate_operator(gen *g, const raski_transformation *t, raski_error *err) {
    raski_operator_factory factory = t->factory;
    /* Flink makes these operators here and forgets what chaining strategy was asked for. */
    if (t->kind == RASKI_TRANSFORMATION_BROADCAST_STATE ||
        t->kind == RASKI_TRANSFORMATION_KEYED_BROADCAST_STATE)
        factory.chaining = RASKI_CHAINING_ALWAYS;
    raski_task_class task_class = task_class_of(t);
    raski_stream_node *node = add_node(g, t, t->name, task_class, &factory);
    node->no_output_until_end_of_input = t->no_output_until_end_of_input;
    set_keys(t, node);
    set_parallelism_of(g, t, node);
    for (size_t i = 0; i < t->inputs.count; i++) {
        int32_t type_number = task_class == RASKI_TASK_ONE_INPUT ? 0 : (int32_t)i + 1;
        RASKI_TRY(add_edges(g, input_of(t, i), node, type_number, err));
    }
    node->supports_concurrent_execution_attempts = t->supports_concurrent_execution_attempts;
    return RASK_OK;
}

static rask_status translate_multi_input(gen *g, const raski_transformation *t, raski_error *err) {
    enum { INPUTS_MAX = 63 };
    if (t->inputs.count == 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Empty inputs for MultipleInputTransformation. Did you forget to add "
                           "inputs?");
    if (t->inputs.count > INPUTS_MAX)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "Only up to %d inputs are supported at once, while encountered %zu",
                           INPUTS_MAX, t->inputs.count);
    return translate_operator(g, t, err);
}

static void put_ids(gen *g, const raski_transformation *t, const raski_id_list *ids) {
    raski_generator_put_ids(g, t, ids->items, ids->count);
}

/* A union of unions of the same streams doubles what it unites; somewhere that has to end. */
static rask_status translate_union(gen *g, const raski_transformation *t, raski_error *err) {
    enum { UNITED_MAX = 1 << 20 };
    RASKI_VEC(int32_t) all = {0};
    for (size_t i = 0; i < t->inputs.count; i++) {
        const raski_id_list *ids = raski_generator_ids(g, input_of(t, i));
        if (all.count + ids->count > UNITED_MAX) {
            raski_vec_free(&all);
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                              "a union stands for more than %d streams; unite them in fewer places",
                              UNITED_MAX);
        }
        for (size_t j = 0; j < ids->count; j++) raski_vec_push(&all, ids->items[j]);
    }
    raski_generator_put_ids(g, t, all.items, all.count);
    raski_vec_free(&all);
    return RASK_OK;
}

static void translate_partition(gen *g, const raski_transformation *t) {
    raski_exchange_mode mode = t->exchange_mode;
    if (!g->batch && mode == RASKI_EXCHANGE_BATCH) mode = RASKI_EXCHANGE_UNDEFINED;
    const raski_id_list *ids = raski_generator_ids(g, input_of(t, 0));
    RASKI_VEC(int32_t) made = {0};
    for (size_t i = 0; i < ids->count; i++) {
        int32_t id = raski_transformation_graph_next_id(g->transformations);
        raski_edge_origin *origin = add_origin(g, id, origin_of(g, ids->items[i]));
        origin->partitioner = t->partitioner;
        /* Of stacked partitionings the exchange mode of the one nearest to the producer counts. */
        if (!origin->has_exchange_mode) origin->exchange_mode = mode;
        origin->has_exchange_mode = true;
        raski_vec_push(&made, id);
    }
    raski_generator_put_ids(g, t, made.items, made.count);
    raski_vec_free(&made);
}

/* A virtual node for a side output of original; fails when the tag has another type elsewhere. */
static rask_status add_side_output(gen *g, int32_t original, const char *tag, const char *type,
                                   int32_t *ret_id, raski_error *err) {
    int32_t id = raski_transformation_graph_next_id(g->transformations);
    char *key = raski_format("%d/%s", original, tag);
    const char *earlier = raski_map_get(&g->side_outputs, key);
    rask_status status = RASK_OK;
    if (earlier && strcmp(earlier, type) != 0)
        status = RASKI_THROW(err, "IllegalArgumentException",
                             "Trying to add a side output for the same side-output id with a "
                             "different type. This is not allowed. Side-output ID: %s",
                             tag);
    else
        raski_map_put(&g->side_outputs, key, (void *)(uintptr_t)type);
    raski_free(key);
    RASKI_TRY(status);
    raski_edge_origin *origin = add_origin(g, id, origin_of(g, original));
    origin->side_output_tag = tag;
    origin->side_output_type = type;
    *ret_id = id;
    return RASK_OK;
}

static rask_status translate_side_output(gen *g, const raski_transformation *t, raski_error *err) {
    const raski_id_list *ids = raski_generator_ids(g, input_of(t, 0));
    int32_t *made = raski_arena_calloc(g->graph->arena, (ids->count + 1) * sizeof *made);
    for (size_t i = 0; i < ids->count; i++)
        RASKI_TRY(
            add_side_output(g, ids->items[i], t->side_output_tag, t->output_type, &made[i], err));
    raski_generator_put_ids(g, t, made, ids->count);
    return RASK_OK;
}

/* --- caches ------------------------------------------------------------------------------------
 */

static rask_status read_cache(gen *g, const raski_transformation *t) {
    const raski_transformation *original = input_of(t, 0);
    raski_operator_factory factory = {.simple = true};
    raski_stream_node *node = add_node(g, t, "CacheRead", RASKI_TASK_ONE_INPUT, &factory);
    node->is_source = true;
    set_parallelism(node, original->parallelism, t->parallelism_configured);
    node->max_parallelism = original->max_parallelism;
    node->consumes_cache = t->cache_data_set;
    raski_generator_put_ids(g, t, &t->id, 1);
    return RASK_OK;
}

/* The stream goes on as it is; a node beside it writes the data set. */
static rask_status write_cache(gen *g, const raski_transformation *t, raski_error *err) {
    const raski_transformation *input = input_of(t, 0);
    bool side_output = input->kind == RASKI_TRANSFORMATION_SIDE_OUTPUT;
    const raski_transformation *producer = side_output ? input_of(input, 0) : input;
    if (!raski_transformation_is_physical(producer))
        return RASKI_THROW(err, "RuntimeException", "Unsupported transformation class %s",
                           raski_transformation_class_name(producer));
    const raski_id_list *ids = raski_generator_ids(g, producer);
    if (ids->count != 1)
        return RASKI_THROW(err, "IllegalStateException",
                           "We expect only one stream node for the input transform");
    raski_operator_factory factory = {.simple = true, .chaining = RASKI_CHAINING_HEAD};
    raski_stream_node *node = add_node(g, t, "CacheWrite", RASKI_TASK_ONE_INPUT, &factory);
    node->output_type = NULL;
    set_parallelism(node, producer->parallelism, producer->parallelism_configured);
    node->max_parallelism = producer->max_parallelism;
    int32_t id = ids->items[0];
    if (side_output)
        RASKI_TRY(add_side_output(g, id, input->side_output_tag, input->output_type, &id, err));
    RASKI_TRY(
        raski_stream_graph_add_edge(g->graph, origin_of(g, id), node, 0, t->cache_data_set, err));
    raski_generator_put_ids(g, t, &id, 1);
    return RASK_OK;
}

static rask_status translate_cache(gen *g, const raski_transformation *t, raski_error *err) {
    if (t->cached) return read_cache(g, t);
    if (g->batch) return write_cache(g, t, err);
    put_ids(g, t, raski_generator_ids(g, input_of(t, 0)));
    return RASK_OK;
}

/* --- the attributes that every kind takes over -------------------------------------------------
 */

static rask_status configure(gen *g, const raski_transformation *t, raski_error *err) {
    raski_stream_node *node = raski_stream_graph_node(g->graph, t->id);
    RASKI_TRY(raski_plan_config_check(g->config, "execution.buffer-timeout.enabled", err));
    if (t->buffer_timeout_ms < 0 && g->config->buffer_timeout_enabled)
        RASKI_TRY(raski_plan_config_check(g->config, "execution.buffer-timeout.interval", err));
    if (!g->config->auto_generate_uids && raski_transformation_is_physical(t) && !t->user_hash &&
        !t->uid)
        return RASKI_THROW(err, "IllegalStateException",
                           "Auto generated UIDs have been disabled but no UID or hash has been "
                           "assigned to operator %s",
                           t->name);
    if (node == NULL) return RASK_OK;
    node->buffer_timeout_ms = t->buffer_timeout_ms >= 0
                                  ? t->buffer_timeout_ms
                                  : raski_plan_config_buffer_timeout_ms(g->config);
    node->uid = t->uid;
    node->user_hash = t->user_hash;
    node->min_resources = t->min_resources;
    node->preferred_resources = t->preferred_resources;
    if (node->operator_memory_weight && t->operator_memory_weight &&
        node->operator_memory_weight != t->operator_memory_weight)
        return RASKI_THROW(err, "IllegalStateException",
                           "Conflict managed memory consumer weights for '%s' were configured: "
                           "'%d' and '%d'.",
                           raski_memory_use_case_name(RASKI_MEMORY_OPERATOR),
                           node->operator_memory_weight, t->operator_memory_weight);
    if (t->operator_memory_weight) node->operator_memory_weight = t->operator_memory_weight;
    for (size_t i = 0; i < RASKI_MEMORY_USE_CASES; i++)
        if (t->slot_scope_memory[i]) node->slot_scope_memory[i] = true;
    if (t->description) node->description = t->description;
    return RASK_OK;
}

/* A physical transformation is its own node; others put their ids themselves. */
static rask_status translate_kind(gen *g, raski_transformation *t, raski_error *err) {
    switch (t->kind) {
        case RASKI_TRANSFORMATION_SOURCE:
        case RASKI_TRANSFORMATION_LEGACY_SOURCE:
            return translate_source(g, t);
        case RASKI_TRANSFORMATION_LEGACY_SINK:
            return translate_legacy_sink(g, t, err);
        case RASKI_TRANSFORMATION_MULTI_INPUT:
        case RASKI_TRANSFORMATION_KEYED_MULTI_INPUT:
            return translate_multi_input(g, t, err);
        case RASKI_TRANSFORMATION_PARTITION:
            translate_partition(g, t);
            return RASK_OK;
        case RASKI_TRANSFORMATION_UNION:
            return translate_union(g, t, err);
        case RASKI_TRANSFORMATION_SIDE_OUTPUT:
            return translate_side_output(g, t, err);
        case RASKI_TRANSFORMATION_CACHE:
            return translate_cache(g, t, err);
        default:
            return translate_operator(g, t, err);
    }
}

rask_status raski_generator_translate(raski_stream_graph_generator *generator,
                                      raski_transformation *transformation, raski_error *err) {
    if (transformation->kind == RASKI_TRANSFORMATION_SINK)
        return raski_generator_expand_sink(generator, transformation, err);
    if (transformation->kind == RASKI_TRANSFORMATION_GLOBAL_COMMITTER)
        return raski_generator_expand_global_committer(generator, transformation, err);
    RASKI_TRY(translate_kind(generator, transformation, err));
    if (raski_transformation_is_physical(transformation)) {
        raski_stream_node *node = raski_stream_graph_node(generator->graph, transformation->id);
        if (wants_batch_settings(generator, transformation))
            RASKI_TRY(apply_batch_settings(generator, node, err));
        /* Nothing can be read from a sink. */
        bool is_sink = transformation->kind == RASKI_TRANSFORMATION_LEGACY_SINK;
        raski_generator_put_ids(generator, transformation, &transformation->id, is_sink ? 0 : 1);
    }
    return configure(generator, transformation, err);
}
