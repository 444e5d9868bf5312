/* Building calls of rask/time.h, and what sources and timestamp assigners have in common: a
 * strategy read from options. */
#include <string.h>

#include "api/environment.h"
#include "operators/time/time_definition.h"
#include "types/type_info.h"

enum { SPLITS_AT_ONCE_MAX = 4096 };
static const char name_of_assigner[] = "Timestamps/Watermarks";

static rask_status read_watermarks(const rask_options *o, const rask_type *type,
                                   raski_time_definition *definition, raski_error *err) {
    static const raski_watermark_kind kinds[] = {
        [RASKI_WATERMARKS_BY_BOUND] = RASKI_WATERMARKS_BOUNDED,
        [RASKI_WATERMARKS_OFF] = RASKI_WATERMARKS_NONE,
        [RASKI_WATERMARKS_BY_FN] = RASKI_WATERMARKS_USER,
    };
    const rask_watermarks *w = &o->watermarks;
    if ((unsigned)w->kind >= sizeof kinds / sizeof *kinds)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "there is no kind %d of watermarks",
                          (int)w->kind);
    definition->strategy.kind = kinds[w->kind];
    if (w->kind != RASKI_WATERMARKS_BY_BOUND && o->max_out_of_orderness_ms != 0)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "either .watermarks or .max_out_of_orderness_ms: a bound is a kind of "
                          "watermarks");
    if (w->kind != RASKI_WATERMARKS_BY_FN) return RASK_OK;
    RASKI_TRY(raski_check_input(w->fn, w->fn->in, type, err));
    definition->generator = w->fn;
    if (w->self.type == NULL) return RASK_OK;
    if (strcmp(w->self.type, w->fn->self->type) != 0 || w->self.size != w->fn->self->size)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "generator %s has instances of type %s, but RASK_WATERMARKS gives a %s",
                          w->fn->name, w->fn->self->type, w->self.type);
    definition->generator_self = raski_memdup(w->self.data, w->self.size);
    return RASK_OK;
}

static rask_status read_timestamps(const rask_timestamps *t, const rask_type *type,
                                   raski_time_definition *definition, raski_error *err) {
    definition->timestamps = *t;
    if (t->kind == RASKI_TIMESTAMPS_FN) return raski_check_input(t->fn, t->fn->in, type, err);
    if (t->kind != RASKI_TIMESTAMPS_FIELD || t->type == NULL || raski_type_equal(t->type, type))
        return RASK_OK;
    char *has = raski_type_text(type);
    char *wants = raski_type_text(t->type);
    rask_status status =
        RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                   ".timestamps is field \"%s\" of %s, but the records are of type %s",
                   t->field.name, wants, has);
    raski_free(wants);
    raski_free(has);
    return status;
}

static rask_status read_strategy(const rask_options *o, const rask_timestamps *timestamps,
                                 const rask_type *type, raski_time_definition *definition,
                                 raski_error *err) {
    definition->strategy = (raski_watermark_strategy){
        .max_out_of_orderness_ms = o->max_out_of_orderness_ms,
        .has_idleness = o->idleness_ms != 0,
        .idleness_ms = o->idleness_ms,
        .alignment_group = raski_strdup_or_null(o->alignment_group),
        .max_drift_ms = o->max_drift_ms,
        .update_interval_ms =
            o->update_interval_ms != 0 ? o->update_interval_ms : RASKI_ALIGNMENT_UPDATE_INTERVAL_MS,
    };
    if (o->alignment_group == NULL && (o->max_drift_ms != 0 || o->update_interval_ms != 0))
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          ".max_drift_ms and .update_interval_ms need an .alignment_group");
    RASKI_TRY(read_timestamps(timestamps, type, definition, err));
    RASKI_TRY(read_watermarks(o, type, definition, err));
    return raski_watermark_strategy_check(&definition->strategy, err);
}

static bool has_strategy(const rask_options *o) {
    return o->watermarks.kind != RASKI_WATERMARKS_BY_BOUND || o->max_out_of_orderness_ms != 0 ||
           o->idleness_ms != 0 || o->alignment_group != NULL || o->max_drift_ms != 0 ||
           o->update_interval_ms != 0;
}

rask_status raski_event_time_of_source(raski_operator_definition *def, const rask_options *o,
                                       raski_error *err) {
    if (o->splits_at_once > SPLITS_AT_ONCE_MAX)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, ".splits_at_once must be in 1..%d, not %u",
                          SPLITS_AT_ONCE_MAX, o->splits_at_once);
    if (o->timestamps.kind == RASKI_TIMESTAMPS_NOT_SET) {
        if (!has_strategy(o)) return RASK_OK;
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "watermarks need timestamps: which are they? Say .timestamps = "
                          "RASK_TIMESTAMP_FIELD(type, field), RASK_TIMESTAMP_FN(fn) or "
                          "RASK_OWN_TIMESTAMPS");
    }
    raski_time_definition *definition = RASKI_NEW(raski_time_definition);
    def->detail = definition;
    def->detail_destroy = raski_time_definition_destroy;
    def->stamped = true;
    return read_strategy(o, &o->timestamps, def->out, definition, err);
}

static rask_status check_assigner(const raski_stream *in, const rask_timestamps *timestamps,
                                  const rask_options *o, raski_error *err) {
    if (o->timestamps.kind != RASKI_TIMESTAMPS_NOT_SET)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          ".timestamps is for sources: here the field or function is an argument");
    if (o->self.type != NULL)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          ".self: the instance of a watermark generator is given with it, as in "
                          ".watermarks = RASK_WATERMARKS(fn, RASK_SELF(type, .field = value))");
    if (o->alignment_group != NULL)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          ".alignment_group works in sources only (nothing else can wait for the "
                          "others): give the source .timestamps and the strategy");
    if (timestamps->kind == RASKI_TIMESTAMPS_OWN && !in->stamped)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "rask_assign_watermarks: the records have no timestamps yet; use "
                          "rask_assign_timestamps");
    return RASK_OK;
}

raski_stream *raski_assign_timestamps(raski_stream *in, const rask_timestamps *timestamps,
                                      const rask_options *options, size_t size, const char *file,
                                      int line) {
    rask_env *env = in->env;
    rask_options o = raski_options_read(options, size);
    raski_error error = {0};
    if (raski_stream_is_broken(in)) return raski_stream_broken(env, in->type);
    raski_operator_definition *def = raski_operator_definition_create();
    raski_vec_push(&env->definitions, def);
    raski_time_definition *definition = RASKI_NEW(raski_time_definition);
    def->ops = &raski_timestamps_ops;
    def->detail = definition;
    def->detail_destroy = raski_time_definition_destroy;
    def->in = def->out = in->type;
    def->stamped = true;
    def->file = file;
    def->line = line;
    rask_status status = check_assigner(in, timestamps, &o, &error);
    if (status == RASK_OK) status = read_strategy(&o, timestamps, in->type, definition, &error);
    if (status != RASK_OK)
        return raski_stream_mistake(env, &error, o.name ? o.name : name_of_assigner, in->type, file,
                                    line);
    raski_transformation *t = raski_transformation_timestamps_and_watermarks(in->transformation);
    raski_env_apply_options(env, t, &o, file, line);
    raski_stream *stream = raski_stream_create(env, in, t, in->type, def);
    stream->stamped = true;
    return stream;
}
