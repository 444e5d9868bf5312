/* The building calls behind the macros of rask/stream.h: each makes one transformation, as the
 * call of Flink's DataStream API of the same name does. */
#include <string.h>

#include "api/environment.h"
#include "types/type_info.h"

const char *raski_env_type_text(rask_env *env, const rask_type *type) {
    char *text = raski_type_text(type);
    char *copy = raski_arena_strdup(env->arena, text);
    raski_free(text);
    return copy;
}

raski_stream *raski_stream_create(rask_env *env, const raski_stream *in, raski_transformation *t,
                                  const rask_type *type, raski_operator_definition *def) {
    raski_stream *stream = raski_env_alloc(env, sizeof *stream);
    stream->env = env;
    stream->transformation = t;
    stream->type = type;
    stream->definition = def;
    if (t != NULL && def != NULL) t->payload = def;
    stream->stamped = in != NULL && in->stamped;
    if (def != NULL && stream->stamped) def->stamped = true;
    return stream;
}

raski_stream *raski_stream_broken(rask_env *env, const rask_type *type) {
    return raski_stream_create(env, NULL, NULL, type, NULL);
}

bool raski_stream_is_broken(const raski_stream *stream) {
    return stream->transformation == NULL;
}

raski_stream *raski_stream_mistake(rask_env *env, const raski_error *error, const char *name,
                                   const rask_type *type, const char *file, int line) {
    raski_env_mistake(env, error, name, file, line);
    return raski_stream_broken(env, type);
}

/* ---------------------------------------------------------------- sources */
raski_stream *raski_stream_source(rask_env *env, raski_operator_definition *def, const char *name,
                                  const rask_type *type, bool legacy, bool parallel, bool bounded,
                                  const rask_options *o, const char *file, int line) {
    if (def == NULL) return raski_stream_broken(env, type);
    const char *text = raski_env_type_text(env, type);
    raski_transformation *t =
        legacy ? raski_transformation_legacy_source(env->plan, name, text, parallel, bounded)
               : raski_transformation_source(env->plan, name, text, bounded);
    def->bounded = bounded;
    def->splits_at_once = o->splits_at_once;
    raski_env_apply_options(env, t, o, file, line);
    raski_error error = {0};
    if (raski_event_time_of_source(def, o, &error) != RASK_OK)
        return raski_stream_mistake(env, &error, o->name ? o->name : name, type, file, line);
    raski_stream *stream = raski_stream_create(env, NULL, t, type, def);
    stream->stamped = def->stamped;
    return stream;
}

raski_stream *raski_source(rask_env *env, const raski_fn *fn, const rask_options *options,
                           size_t size, bool legacy, const char *file, int line) {
    rask_options o = raski_options_read(options, size);
    raski_operator_definition *def = raski_env_define(env, fn, &o, file, line);
    /* Flink's name of the call, unless the program gives one: there every fromSource has one. */
    const char *name = o.name ? o.name : legacy ? "Custom Source" : fn->name;
    return raski_stream_source(env, def, name, fn->out, legacy, o.parallel, o.bounded, &o, file,
                               line);
}

/* ---------------------------------------------------------------- operators */
static const char *operation_name(raski_fn_kind kind) {
    switch (kind) {
        case RASKI_FN_MAP:
            return "Map";
        case RASKI_FN_FILTER:
            return "Filter";
        case RASKI_FN_FLAT_MAP:
            return "Flat Map";
        case RASKI_FN_PROCESS:
            return "Process";
        case RASKI_FN_KEYED_PROCESS:
            return "KeyedProcess";
        case RASKI_FN_CO_MAP:
            return "Co-Map";
        case RASKI_FN_CO_FLAT_MAP:
            return "Co-Flat Map";
        case RASKI_FN_CO_PROCESS:
            return "Co-Process";
        case RASKI_FN_KEYED_CO_PROCESS:
            return "Co-Keyed-Process";
        case RASKI_FN_BROADCAST_PROCESS:
            return "Co-Process-Broadcast";
        case RASKI_FN_KEYED_BROADCAST_PROCESS:
            return "Co-Process-Broadcast-Keyed";
        default:
            return "Operator";
    }
}

rask_status raski_check_input(const raski_fn *fn, const rask_type *takes, const rask_type *carries,
                              raski_error *err) {
    if (raski_type_equal(takes, carries)) return RASK_OK;
    char *want = raski_type_text(takes);
    char *have = raski_type_text(carries);
    rask_status status =
        RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                   "%s takes records of type %s, but its input carries %s", fn->name, want, have);
    raski_free(want);
    raski_free(have);
    return status;
}

static raski_stream *reduce(raski_stream *in, raski_operator_definition *def, const char *name,
                            const rask_options *o, const char *file, int line) {
    rask_env *env = in->env;
    def->type = RASKI_OPERATOR_AGGREGATE;
    def->key = in->key;
    def->in = def->out = in->type;
    raski_transformation *t = raski_transformation_reduce(in->transformation, name, in->plan_key);
    raski_env_apply_options(env, t, o, file, line);
    return raski_stream_create(env, in, t, in->type, def);
}

raski_stream *raski_apply(raski_stream *in, const raski_fn *fn, const rask_options *options,
                          size_t size, const char *file, int line) {
    rask_env *env = in->env;
    rask_options o = raski_options_read(options, size);
    raski_error error = {0};
    const char *name = operation_name(fn->kind);
    raski_operator_definition *def = raski_env_define(env, fn, &o, file, line);
    if (def == NULL || raski_stream_is_broken(in)) return raski_stream_broken(env, fn->out);
    if (raski_check_input(fn, fn->in, in->type, &error) != RASK_OK)
        return raski_stream_mistake(env, &error, o.name ? o.name : name, fn->out, file, line);
    if (fn->kind == RASKI_FN_REDUCE) {
        def->aggregate = RASKI_AGGREGATE_REDUCE;
        return reduce(in, def, "Keyed Reduce", &o, file, line);
    }
    const raski_operator_factory factory = {0};
    def->key = in->key;
    raski_transformation *t = raski_transformation_one_input(
        in->transformation, name, raski_env_type_text(env, fn->out), &factory, in->plan_key);
    raski_env_apply_options(env, t, &o, file, line);
    return raski_stream_create(env, in, t, fn->out, def);
}

static bool is_broadcast(const raski_transformation *t) {
    return t->kind == RASKI_TRANSFORMATION_PARTITION && t->partitioner != NULL &&
           t->partitioner->kind == RASKI_PARTITIONER_BROADCAST;
}

static rask_status connect(raski_stream *a, raski_stream *b, const raski_fn *fn, const char *name,
                           raski_transformation **ret_transformation, raski_error *err) {
    const char *type = raski_env_type_text(a->env, fn->out);
    const raski_operator_factory factory = {0};
    if (fn->kind != RASKI_FN_BROADCAST_PROCESS && fn->kind != RASKI_FN_KEYED_BROADCAST_PROCESS)
        return raski_transformation_two_input(a->transformation, b->transformation, name, type,
                                              &factory, a->plan_key, b->plan_key,
                                              ret_transformation, err);
    if (!is_broadcast(b->transformation))
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "the second input of \"%s\" fills broadcast state, so every subtask must "
                          "get all of it: give it rask_broadcast(stream)",
                          fn->name);
    *ret_transformation = raski_transformation_broadcast_state(a->transformation, b->transformation,
                                                               type, a->plan_key);
    return RASK_OK;
}

raski_stream *raski_connect(raski_stream *a, raski_stream *b, const raski_fn *fn,
                            const rask_options *options, size_t size, const char *file, int line) {
    rask_env *env = a->env;
    rask_options o = raski_options_read(options, size);
    raski_error error = {0};
    const char *name = operation_name(fn->kind);
    raski_operator_definition *def = raski_env_define(env, fn, &o, file, line);
    if (def == NULL || raski_stream_is_broken(a) || raski_stream_is_broken(b))
        return raski_stream_broken(env, fn->out);
    rask_status status = raski_check_input(fn, fn->in, a->type, &error);
    if (status == RASK_OK) status = raski_check_input(fn, fn->in2, b->type, &error);
    if (status == RASK_OK && b->env != env)
        status = RASKI_FAIL(&error, RASK_E_ARGUMENT, USER,
                            "the two streams belong to different environments");
    raski_transformation *t = NULL;
    if (status == RASK_OK) status = connect(a, b, fn, name, &t, &error);
    if (status != RASK_OK)
        return raski_stream_mistake(env, &error, o.name ? o.name : name, fn->out, file, line);
    def->key = a->key;
    def->key2 = b->key;
    raski_env_apply_options(env, t, &o, file, line);
    return raski_stream_create(env, a->stamped ? a : b, t, fn->out, def);
}

raski_stream *raski_union(const void *handles, size_t n, const char *file, int line) {
    raski_stream *const *streams = handles;
    rask_env *env = streams[0]->env;
    raski_transformation **inputs =
        raski_arena_alloc(env->arena, n * sizeof(raski_transformation *));
    raski_error error = {0};
    for (size_t i = 0; i < n; i++) {
        if (raski_stream_is_broken(streams[i])) return raski_stream_broken(env, streams[0]->type);
        inputs[i] = streams[i]->transformation;
        if (streams[i]->env != env) {
            (void)RASKI_FAIL(&error, RASK_E_ARGUMENT, USER,
                             "rask_union: the streams belong to different environments");
            return raski_stream_mistake(env, &error, "Union", streams[0]->type, file, line);
        }
    }
    raski_transformation *t = NULL;
    if (raski_transformation_union(inputs, n, &t, &error) != RASK_OK)
        return raski_stream_mistake(env, &error, "Union", streams[0]->type, file, line);
    raski_transformation_set_location(t, file, line);
    const raski_stream *stamped = streams[0];
    for (size_t i = 1; i < n; i++)
        if (streams[i]->stamped) stamped = streams[i];
    return raski_stream_create(env, stamped, t, streams[0]->type, NULL);
}

raski_stream *raski_side_output(raski_stream *in, const raski_tag *tag, const char *file,
                                int line) {
    rask_env *env = in->env;
    raski_error error = {0};
    if (raski_stream_is_broken(in)) return raski_stream_broken(env, tag->type);
    if (in->definition == NULL || raski_type_validate(tag->type, &error) != RASK_OK) {
        (void)RASKI_FAIL(&error, RASK_E_ARGUMENT, USER,
                         "side output \"%s\": only what an operator makes has side outputs, not a "
                         "union or a repartitioned stream",
                         tag->name);
        return raski_stream_mistake(env, &error, tag->name, tag->type, file, line);
    }
    raski_transformation *t = NULL;
    if (raski_transformation_side_output(in->transformation, tag->name,
                                         raski_env_type_text(env, tag->type), &t,
                                         &error) != RASK_OK)
        return raski_stream_mistake(env, &error, tag->name, tag->type, file, line);
    raski_transformation_set_location(t, file, line);
    if (raski_operator_definition_side_type(in->definition, tag->name) == NULL)
        raski_vec_push(&in->definition->side_types,
                       (raski_side_type){.tag = tag->name, .type = tag->type});
    return raski_stream_create(env, in, t, tag->type, NULL);
}

/* ---------------------------------------------------------------- keys */
static raski_stream *partition_by(raski_stream *in, const raski_key_definition *key,
                                  const raski_key *plan_key, const char *file, int line) {
    rask_env *env = in->env;
    raski_transformation *t = raski_transformation_partition(
        in->transformation,
        raski_partitioner_create_key_group(env->graph->arena, plan_key->selector),
        RASKI_EXCHANGE_UNDEFINED);
    raski_transformation_set_location(t, file, line);
    raski_stream *stream = raski_stream_create(env, in, t, in->type, NULL);
    stream->key = key;
    stream->plan_key = plan_key;
    return stream;
}

raski_stream *raski_stream_keyed(raski_stream *in, raski_key_definition *key, const char *key_type,
                                 const char *file, int line) {
    rask_env *env = in->env;
    raski_key *plan_key = raski_env_alloc(env, sizeof *plan_key);
    *plan_key =
        (raski_key){.selector = {.id = ++env->next_identity, .payload = key}, .type = key_type};
    return partition_by(in, key, plan_key, file, line);
}

raski_stream *raski_stream_key_again(raski_stream *in, const char *file, int line) {
    return partition_by(in, in->key, in->plan_key, file, line);
}

raski_stream *raski_key_by(raski_stream *in, const rask_field *fields, size_t n, const char *file,
                           int line) {
    rask_env *env = in->env;
    raski_error error = {0};
    if (raski_stream_is_broken(in)) return raski_stream_broken(env, in->type);
    if (n > RASKI_KEY_PARTS_MAX) {
        (void)RASKI_FAIL(&error, RASK_E_ARGUMENT, USER,
                         "rask_key_by takes up to %d fields, not %zu; use rask_key_by_fn",
                         RASKI_KEY_PARTS_MAX, n);
        return raski_stream_mistake(env, &error, "keyBy", in->type, file, line);
    }
    raski_key_definition *key = raski_env_alloc(env, sizeof *key);
    raski_str text = {0};
    if (n > 1) raski_str_append(&text, "Tuple");
    for (size_t i = 0; i < n; i++) {
        if (raski_field_check_key(&fields[i], n > 1, &error) != RASK_OK) {
            raski_str_free(&text);
            return raski_stream_mistake(env, &error, "keyBy", in->type, file, line);
        }
        key->fields.parts[i] = (raski_key_field){fields[i].offset, fields[i].type};
        raski_str_append_char(&text, i ? ',' : '<');
        raski_type_append(&text, fields[i].type);
    }
    raski_str_append_char(&text, '>');
    key->fields.part_count = (uint32_t)n;
    const char *key_type = raski_arena_strdup(env->arena, raski_str_text(&text));
    raski_str_free(&text);
    return raski_stream_keyed(in, key, key_type, file, line);
}

raski_stream *raski_key_by_fn(raski_stream *in, const raski_fn *fn, const char *file, int line) {
    rask_env *env = in->env;
    raski_error error = {0};
    if (raski_stream_is_broken(in)) return raski_stream_broken(env, in->type);
    rask_status status = raski_check_input(fn, fn->in, in->type, &error);
    if (status == RASK_OK) status = raski_type_validate(fn->out, &error);
    if (status == RASK_OK) status = raski_type_check_key(fn->out, &error);
    if (status != RASK_OK) return raski_stream_mistake(env, &error, fn->name, in->type, file, line);
    raski_key_definition *key = raski_env_alloc(env, sizeof *key);
    key->selector = fn;
    key->fields.part_count = 1;
    key->fields.parts[0] = (raski_key_field){0, fn->out};
    return raski_stream_keyed(
        in, key, raski_arena_format(env->arena, "<%s>", raski_env_type_text(env, fn->out)), file,
        line);
}

raski_stream *raski_add_aggregation(raski_stream *in, raski_aggregation aggregation,
                                    rask_field field, const rask_options *options, size_t size,
                                    const char *file, int line) {
    static const raski_aggregate_kind kinds[] = {
        [RASKI_AGG_SUM] = RASKI_AGGREGATE_SUM,       [RASKI_AGG_MIN] = RASKI_AGGREGATE_MIN,
        [RASKI_AGG_MAX] = RASKI_AGGREGATE_MAX,       [RASKI_AGG_MIN_BY] = RASKI_AGGREGATE_MIN_BY,
        [RASKI_AGG_MAX_BY] = RASKI_AGGREGATE_MAX_BY,
    };
    rask_env *env = in->env;
    rask_options o = raski_options_read(options, size);
    if (raski_stream_is_broken(in)) return raski_stream_broken(env, in->type);
    raski_operator_definition *def = raski_operator_definition_create();
    raski_vec_push(&env->definitions, def);
    def->aggregate = kinds[aggregation];
    def->field = field;
    def->first_on_tie = !o.last_on_tie;
    def->file = file;
    def->line = line;
    return reduce(in, def, "Keyed Aggregation", &o, file, line);
}

/* ---------------------------------------------------------------- partitioning */
raski_stream *raski_repartition(raski_stream *in, raski_repartitioning kind, const char *file,
                                int line) {
    static const raski_partitioner_kind kinds[] = {
        [RASKI_REPARTITION_FORWARD] = RASKI_PARTITIONER_FORWARD,
        [RASKI_REPARTITION_REBALANCE] = RASKI_PARTITIONER_REBALANCE,
        [RASKI_REPARTITION_RESCALE] = RASKI_PARTITIONER_RESCALE,
        [RASKI_REPARTITION_SHUFFLE] = RASKI_PARTITIONER_SHUFFLE,
        [RASKI_REPARTITION_GLOBAL] = RASKI_PARTITIONER_GLOBAL,
        [RASKI_REPARTITION_BROADCAST] = RASKI_PARTITIONER_BROADCAST,
    };
    rask_env *env = in->env;
    if (raski_stream_is_broken(in)) return raski_stream_broken(env, in->type);
    raski_transformation *t = raski_transformation_partition(
        in->transformation, raski_partitioner_create(env->graph->arena, kinds[kind]),
        RASKI_EXCHANGE_UNDEFINED);
    raski_transformation_set_location(t, file, line);
    return raski_stream_create(env, in, t, in->type, NULL);
}

raski_stream *raski_partition_custom(raski_stream *in, const raski_fn *fn, rask_field field,
                                     const char *file, int line) {
    rask_env *env = in->env;
    if (raski_stream_is_broken(in)) return raski_stream_broken(env, in->type);
    raski_partition_definition *def = raski_env_alloc(env, sizeof *def);
    *def = (raski_partition_definition){fn, field.offset, in->type->size};
    raski_key_selector selector = {.id = ++env->next_identity};
    raski_transformation *t = raski_transformation_partition(
        in->transformation,
        raski_partitioner_create_custom(env->graph->arena, ++env->next_identity, selector, def),
        RASKI_EXCHANGE_UNDEFINED);
    raski_transformation_set_location(t, file, line);
    return raski_stream_create(env, in, t, in->type, NULL);
}

/* ---------------------------------------------------------------- sinks */
void raski_stream_sink(raski_stream *in, raski_operator_definition *def, const char *name,
                       bool legacy, const rask_options *o, const char *file, int line) {
    rask_env *env = in->env;
    if (def == NULL || raski_stream_is_broken(in)) return;
    const raski_operator_factory factory = {0};
    const raski_sink sink = {.payload = def};
    raski_transformation *t =
        legacy ? raski_transformation_legacy_sink(in->transformation, name, &factory, in->plan_key)
               : raski_transformation_sink(in->transformation, &sink, in->plan_key);
    t->payload = def;
    def->stamped = in->stamped;
    raski_env_apply_options(env, t, o, file, line);
}

void raski_add_sink(raski_stream *in, const raski_fn *fn, const rask_options *options, size_t size,
                    bool legacy, const char *file, int line) {
    rask_options o = raski_options_read(options, size);
    raski_error error = {0};
    raski_operator_definition *def = raski_env_define(in->env, fn, &o, file, line);
    if (def == NULL || raski_stream_is_broken(in)) return;
    if (raski_check_input(fn, fn->in, in->type, &error) != RASK_OK) {
        raski_env_mistake(in->env, &error, o.name ? o.name : fn->name, file, line);
        return;
    }
    raski_stream_sink(in, def, "Unnamed", legacy, &o, file, line);
}
