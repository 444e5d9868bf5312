/* The building calls of rask/window.h but for joins. A windowed stream is the keyed stream with
 * what the program says of its windows; the function that is applied makes the transformation. */
#include "api/window.h"

#include <string.h>

#include "graph/window_description.h"
#include "types/type_info.h"

/* ---------------------------------------------------------------- what the program says */
static const struct {
    raski_window_shape shape;
    bool event_time;
} shapes[] = {
    [RASKI_WINDOWS_TUMBLING_EVENT_TIME] = {RASKI_WINDOW_TUMBLING, true},
    [RASKI_WINDOWS_TUMBLING_PROCESSING_TIME] = {RASKI_WINDOW_TUMBLING, false},
    [RASKI_WINDOWS_SLIDING_EVENT_TIME] = {RASKI_WINDOW_SLIDING, true},
    [RASKI_WINDOWS_SLIDING_PROCESSING_TIME] = {RASKI_WINDOW_SLIDING, false},
    [RASKI_WINDOWS_SESSION_EVENT_TIME] = {RASKI_WINDOW_SESSION, true},
    [RASKI_WINDOWS_SESSION_PROCESSING_TIME] = {RASKI_WINDOW_SESSION, false},
    [RASKI_WINDOWS_DYNAMIC_SESSION_EVENT_TIME] = {RASKI_WINDOW_DYNAMIC_SESSION, true},
    [RASKI_WINDOWS_DYNAMIC_SESSION_PROCESSING_TIME] = {RASKI_WINDOW_DYNAMIC_SESSION, false},
    [RASKI_WINDOWS_GLOBAL] = {RASKI_WINDOW_GLOBAL, false},
    [RASKI_WINDOWS_GLOBAL_END_OF_STREAM] = {RASKI_WINDOW_GLOBAL_END_OF_STREAM, false},
    [RASKI_WINDOWS_COUNT] = {RASKI_WINDOW_GLOBAL, false},
};

/* Options that stand in the call go before those that stand in the windows. */
static void take_options(rask_windows *windows, const rask_windows *options) {
    if (options->trigger.raski_type != 0) windows->trigger = options->trigger;
    if (options->evictor.raski_type != 0) windows->evictor = options->evictor;
    if (options->allowed_lateness_ms != 0)
        windows->allowed_lateness_ms = options->allowed_lateness_ms;
    if (options->late != NULL) windows->late = options->late;
}

/* Lengths of other windows than these are a slip of the program's. */
static rask_status check_fields(const rask_windows *w, const raski_window_assigner *assigner,
                                raski_error *err) {
    const bool tumbling = assigner->shape == RASKI_WINDOW_TUMBLING;
    const bool sliding = assigner->shape == RASKI_WINDOW_SLIDING;
    const bool counts = w->raski_kind == RASKI_WINDOWS_COUNT;
    const char *field = NULL;
    if (w->size_ms != 0 && !tumbling && !sliding) field = "size_ms";
    if (w->offset_ms != 0 && !tumbling && !sliding) field = "offset_ms";
    if (w->slide_ms != 0 && !sliding) field = "slide_ms";
    if (w->gap_ms != 0 && assigner->shape != RASKI_WINDOW_SESSION) field = "gap_ms";
    if (w->size != 0 && !counts) field = "size";
    if (w->slide != 0 && !counts) field = "slide";
    if (field == NULL) return RASK_OK;
    return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s have no .%s",
                      counts ? "count windows" : raski_window_assigner_class(assigner), field);
}

static raski_trigger trigger_of(const rask_trigger *t, raski_arena *arena) {
    static const raski_trigger_kind kinds[] = {
        [RASKI_TRIGGER_IS_EVENT_TIME] = RASKI_TRIGGER_EVENT_TIME,
        [RASKI_TRIGGER_IS_PROCESSING_TIME] = RASKI_TRIGGER_PROCESSING_TIME,
        [RASKI_TRIGGER_IS_COUNT] = RASKI_TRIGGER_COUNT,
        [RASKI_TRIGGER_IS_CONTINUOUS_EVENT_TIME] = RASKI_TRIGGER_CONTINUOUS_EVENT_TIME,
        [RASKI_TRIGGER_IS_CONTINUOUS_PROCESSING_TIME] = RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME,
        [RASKI_TRIGGER_IS_PURGING] = RASKI_TRIGGER_PURGING,
        [RASKI_TRIGGER_IS_DELTA] = RASKI_TRIGGER_DELTA,
        [RASKI_TRIGGER_IS_PROCESSING_TIMEOUT] = RASKI_TRIGGER_PROCESSING_TIMEOUT,
        [RASKI_TRIGGER_IS_NEVER] = RASKI_TRIGGER_NEVER,
        [RASKI_TRIGGER_IS_USER] = RASKI_TRIGGER_USER,
    };
    raski_trigger trigger = {.kind = kinds[t->raski_type],
                             .count = t->raski_number,
                             .interval_ms = t->raski_number,
                             .threshold = t->raski_threshold,
                             .reset_on_record = t->reset_on_record,
                             .clear_on_timeout = !t->keep_on_timeout,
                             .function = t->raski_function};
    if (t->raski_nested != NULL) {
        raski_trigger *nested = raski_arena_alloc(arena, sizeof *nested);
        *nested = trigger_of(t->raski_nested, arena);
        trigger.nested = nested;
    }
    return trigger;
}

static raski_evictor evictor_of(const rask_evictor *e) {
    static const raski_evictor_kind kinds[] = {
        [RASKI_EVICTOR_IS_COUNT] = RASKI_EVICTOR_COUNT,
        [RASKI_EVICTOR_IS_TIME] = RASKI_EVICTOR_TIME,
        [RASKI_EVICTOR_IS_DELTA] = RASKI_EVICTOR_DELTA,
    };
    if (e->raski_type == 0) return (raski_evictor){.kind = RASKI_EVICTOR_NONE};
    return (raski_evictor){.kind = kinds[e->raski_type],
                           .count = e->raski_number,
                           .size_ms = e->raski_number,
                           .threshold = e->raski_threshold,
                           .after = e->after,
                           .function = e->raski_function};
}

/* countWindow(size) purges each size records; countWindow(size, slide) keeps the last size. */
static void count_windows(const rask_windows *w, raski_windows *windows, raski_arena *arena) {
    raski_trigger count = {.kind = RASKI_TRIGGER_COUNT,
                           .count = w->slide != 0 ? w->slide : w->size};
    if (w->slide != 0) {
        windows->evictor = (raski_evictor){.kind = RASKI_EVICTOR_COUNT, .count = w->size};
        windows->trigger = raski_trigger_copy(&count, arena);
        return;
    }
    const raski_trigger purging = {.kind = RASKI_TRIGGER_PURGING, .nested = &count};
    windows->trigger = raski_trigger_copy(&purging, arena);
}

static rask_status check_functions(const raski_trigger *trigger, const raski_evictor *evictor,
                                   const raski_fn *gap, const rask_type *type, raski_error *err) {
    for (const raski_trigger *t = trigger; t != NULL; t = t->nested) {
        if (t->function == NULL) continue;
        RASKI_TRY(raski_check_input(t->function, t->function->in, type, err));
        if (t->kind == RASKI_TRIGGER_USER)
            RASKI_TRY(raski_type_validate(t->function->window->state, err));
    }
    if (evictor->function != NULL)
        RASKI_TRY(raski_check_input(evictor->function, evictor->function->in, type, err));
    return gap != NULL ? raski_check_input(gap, gap->in, type, err) : RASK_OK;
}

static rask_status check_late(const raski_tag *late, const rask_type *type, raski_error *err) {
    if (late == NULL || raski_type_equal(late->type, type)) return RASK_OK;
    char *have = raski_type_text(late->type);
    char *want = raski_type_text(type);
    rask_status status = RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                                    "late records are of type %s, but side output \"%s\" is of %s",
                                    want, late->name, have);
    raski_free(have);
    raski_free(want);
    return status;
}

rask_status raski_windows_create(rask_env *env, const rask_windows *w, size_t size,
                                 const rask_windows *options, const rask_type *type,
                                 const raski_windows **ret_windows, raski_error *err) {
    rask_windows program = {0};
    memcpy(&program, w, size < sizeof program ? size : sizeof program);
    if (options != NULL) take_options(&program, options);
    raski_windows *windows = raski_env_alloc(env, sizeof *windows);
    windows->assigner = (raski_window_assigner){.shape = shapes[program.raski_kind].shape,
                                                .event_time = shapes[program.raski_kind].event_time,
                                                .size_ms = program.size_ms,
                                                .slide_ms = program.slide_ms,
                                                .offset_ms = program.offset_ms,
                                                .gap_ms = program.gap_ms,
                                                .gap = program.raski_gap};
    windows->allowed_lateness_ms = program.allowed_lateness_ms;
    windows->late = program.late;
    windows->evictor = evictor_of(&program.evictor);
    const raski_trigger trigger = program.trigger.raski_type != 0
                                      ? trigger_of(&program.trigger, env->arena)
                                      : raski_trigger_default(&windows->assigner);
    windows->trigger = raski_trigger_copy(&trigger, env->arena);
    if (program.raski_kind == RASKI_WINDOWS_COUNT && program.trigger.raski_type == 0)
        count_windows(&program, windows, env->arena);
    RASKI_TRY(check_fields(&program, &windows->assigner, err));
    RASKI_TRY(raski_window_assigner_check(&windows->assigner, err));
    RASKI_TRY(raski_trigger_check(windows->trigger, &windows->assigner, err));
    RASKI_TRY(raski_evictor_check(&windows->evictor, err));
    RASKI_TRY(raski_window_lateness_check(windows->allowed_lateness_ms, err));
    RASKI_TRY(
        check_functions(windows->trigger, &windows->evictor, windows->assigner.gap, type, err));
    RASKI_TRY(check_late(windows->late, type, err));
    *ret_windows = windows;
    return RASK_OK;
}

/* ---------------------------------------------------------------- windowed streams */
/* windowAll is windows of one key that all records have. Flink: NullByteKeySelector. */
static void null_byte_keys(const void *in, size_t n, void *ret_keys) {
    (void)in;
    memset(ret_keys, 0, n);
}

static raski_stream *key_all(raski_stream *in, const char *file, int line) {
    rask_env *env = in->env;
    raski_fn *selector = raski_env_alloc(env, sizeof *selector);
    *selector = (raski_fn){.abi = RASKI_FN_ABI,
                           .size = sizeof *selector,
                           .kind = RASKI_FN_KEY_SELECTOR,
                           .name = "NullByteKeySelector",
                           .file = file,
                           .line = line,
                           .in = in->type,
                           .out = &rask_type_int8_t,
                           .select_keys = null_byte_keys};
    raski_key_definition *key = raski_env_alloc(env, sizeof *key);
    key->selector = selector;
    key->fields.part_count = 1;
    key->fields.parts[0] = (raski_key_field){0, &rask_type_int8_t};
    return raski_stream_keyed(in, key, "Byte", file, line);
}

raski_stream *raski_add_window(raski_stream *in, const rask_windows *windows, size_t size,
                               const rask_windows *options, bool all, const char *file, int line) {
    rask_env *env = in->env;
    raski_error error = {0};
    const raski_windows *created = NULL;
    if (raski_stream_is_broken(in)) return raski_stream_broken(env, in->type);
    if (raski_windows_create(env, windows, size, options, in->type, &created, &error) != RASK_OK)
        return raski_stream_mistake(env, &error, all ? "windowAll" : "window", in->type, file,
                                    line);
    raski_stream *windowed = raski_env_alloc(env, sizeof *windowed);
    *windowed = all ? *key_all(in, file, line) : *in;
    raski_windows *own = raski_env_alloc(env, sizeof *own);
    *own = *created;
    own->all = all;
    windowed->windows = own;
    return windowed;
}

/* ---------------------------------------------------------------- functions on them */
static raski_window_program program_of(const raski_windows *windows) {
    return (raski_window_program){
        .assigner = &windows->assigner, .trigger = windows->trigger, .evictor = &windows->evictor};
}

raski_window_definition *raski_window_define(rask_env *env, const raski_windows *windows,
                                             const rask_type *type) {
    raski_window_definition *w = raski_env_alloc(env, sizeof *w);
    w->assigner = windows->assigner;
    w->trigger = windows->trigger;
    w->evictor = windows->evictor;
    w->allowed_lateness_ms = windows->allowed_lateness_ms;
    w->late = windows->late;
    if (w->evictor.kind != RASKI_EVICTOR_NONE)
        w->element = raski_window_element_type(type, env->arena, &w->element_offset);
    return w;
}

raski_stream *raski_window_stream(raski_stream *in, raski_operator_definition *def,
                                  raski_window_definition *w, const char *functions,
                                  const rask_options *o, const char *file, int line) {
    rask_env *env = in->env;
    const raski_window_program program = program_of(in->windows);
    def->ops = &raski_window_ops;
    def->detail = w;
    def->key = in->key;
    def->in = in->type;
    def->stamped = true; /* results have the times of their windows */
    const raski_operator_factory factory = raski_window_factory(&program);
    raski_transformation *t = raski_transformation_one_input(
        in->transformation, raski_window_assigner_class(&w->assigner),
        raski_env_type_text(env, def->out), &factory, in->plan_key);
    t->description = raski_window_description(&program, functions, env->graph->arena);
    raski_env_apply_options(env, t, o, file, line);
    raski_stream *stream = raski_stream_create(env, in, t, def->out, def);
    stream->stamped = true;
    return stream;
}

/* What Flink's stack trace says of a call. */
static const char *place_of(rask_env *env, const char *file, int line) {
    const char *slash = strrchr(file, '/');
    return raski_arena_format(env->arena, "main(%s:%d)", slash != NULL ? slash + 1 : file, line);
}

/* The class that serializes records of a type. */
static const char *serializer_of(const rask_type *type) {
    switch (type->kind) {
        case RASK_KIND_LONG:
            return "org.apache.flink.api.common.typeutils.base.LongSerializer";
        case RASK_KIND_INT:
            return "org.apache.flink.api.common.typeutils.base.IntSerializer";
        case RASK_KIND_DOUBLE:
            return "org.apache.flink.api.common.typeutils.base.DoubleSerializer";
        case RASK_KIND_STRING:
            return "org.apache.flink.api.common.typeutils.base.StringSerializer";
        default:
            return "org.apache.flink.api.java.typeutils.runtime.TupleSerializer";
    }
}

/* An operator over all records. Flink gives some of them their description as name. */
static raski_stream *all_stream(raski_stream *in, raski_operator_definition *def,
                                raski_window_definition *w, raski_window_all_apply apply,
                                const rask_options *o, const char *file, int line) {
    rask_env *env = in->env;
    const raski_window_program program = program_of(in->windows);
    const raski_operator_factory factory = {0};
    bool is_description = false;
    const char *text =
        raski_window_all_description(&program, apply, serializer_of(in->type),
                                     place_of(env, file, line), env->graph->arena, &is_description);
    def->ops = &raski_window_ops;
    def->detail = w;
    def->key = in->key;
    def->in = in->type;
    def->stamped = true;
    raski_transformation *t = raski_transformation_one_input(
        in->transformation, is_description ? raski_window_assigner_class(&w->assigner) : text,
        raski_env_type_text(env, def->out), &factory, in->plan_key);
    if (is_description) t->description = text;
    raski_transformation_force_non_parallel(t);
    raski_env_apply_options(env, t, o, file, line);
    raski_stream *stream = raski_stream_create(env, in, t, def->out, def);
    stream->stamped = true;
    return stream;
}

static rask_status check_merging(const raski_windows *windows, const raski_fn *incremental,
                                 const raski_fn *process, raski_error *err) {
    if (!raski_window_assigner_is_merging(&windows->assigner)) return RASK_OK;
    if (process != NULL && process->window->window_states->count > 0)
        return RASKI_THROW(err, "UnsupportedOperationException",
                           "Per-window state is not allowed when using merging windows.");
    if (incremental != NULL && incremental->kind == RASKI_FN_WINDOW_AGGREGATE &&
        windows->evictor.kind == RASKI_EVICTOR_NONE && incremental->window->merge->merge == NULL)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "sessions merge, but %s has no RASK_AGGREGATE_MERGE", incremental->name);
    return RASK_OK;
}

/* All types of the call fit together. */
static rask_status check_apply(const raski_stream *in, const raski_fn *incremental,
                               const raski_fn *process, raski_error *err) {
    const rask_type *value = in->type;
    if (incremental != NULL) {
        RASKI_TRY(raski_check_input(incremental, incremental->in, in->type, err));
        if (incremental->kind == RASKI_FN_WINDOW_AGGREGATE)
            RASKI_TRY(raski_type_validate(incremental->window->state, err));
        RASKI_TRY(raski_type_validate(incremental->out, err));
        value = incremental->out;
    }
    if (process != NULL) RASKI_TRY(raski_check_input(process, process->in, value, err));
    return check_merging(in->windows, incremental, process, err);
}

static raski_window_all_apply all_apply_of(const raski_fn *incremental, const raski_fn *process) {
    if (incremental == NULL) return RASKI_WINDOW_ALL_APPLY;
    if (incremental->kind == RASKI_FN_WINDOW_AGGREGATE)
        return process ? RASKI_WINDOW_ALL_AGGREGATE_PROCESS : RASKI_WINDOW_ALL_AGGREGATE;
    return process ? RASKI_WINDOW_ALL_REDUCE_PROCESS : RASKI_WINDOW_ALL_REDUCE;
}

raski_stream *raski_window_apply(raski_stream *in, const raski_fn *incremental,
                                 const raski_fn *process, const rask_options *options, size_t size,
                                 const char *file, int line) {
    rask_env *env = in->env;
    rask_options o = raski_options_read(options, size);
    raski_error error = {0};
    const raski_fn *last = process != NULL ? process : incremental;
    raski_operator_definition *def = raski_env_define(env, last, &o, file, line);
    if (def == NULL || raski_stream_is_broken(in)) return raski_stream_broken(env, last->out);
    if (check_apply(in, incremental, process, &error) != RASK_OK)
        return raski_stream_mistake(env, &error, o.name ? o.name : "Window", last->out, file, line);
    raski_window_definition *w = raski_window_define(env, in->windows, in->type);
    w->incremental = incremental;
    w->process = process;
    if (incremental != NULL)
        w->contents = incremental->kind == RASKI_FN_WINDOW_AGGREGATE ? RASKI_WINDOW_AGGREGATE
                                                                     : RASKI_WINDOW_REDUCE;
    if (in->windows->all)
        return all_stream(in, def, w, all_apply_of(incremental, process), &o, file, line);
    const char *functions =
        incremental == NULL
            ? process->name
            : raski_arena_format(env->arena, "%s, %s", incremental->name,
                                 process != NULL ? process->name : "PassThroughWindowFunction");
    return raski_window_stream(in, def, w, functions, &o, file, line);
}

raski_stream *raski_window_aggregation(raski_stream *in, raski_aggregation aggregation,
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
    def->out = in->type;
    def->file = file;
    def->line = line;
    raski_window_definition *w = raski_window_define(env, in->windows, in->type);
    w->contents = RASKI_WINDOW_BUILT_IN;
    w->built_in = kinds[aggregation];
    w->field = field;
    w->first_on_tie = !o.last_on_tie;
    if (in->windows->all) return all_stream(in, def, w, RASKI_WINDOW_ALL_REDUCE, &o, file, line);
    const char *functions =
        raski_arena_format(env->arena, "%s, PassThroughWindowFunction",
                           aggregation == RASKI_AGG_SUM ? "SumAggregator" : "ComparableAggregator");
    return raski_window_stream(in, def, w, functions, &o, file, line);
}
