/* Joins by window: both inputs become records of one type, whose windows are joined when they fire.
 * Flink: CoGroupedStreams, JoinedStreams. */
#include <string.h>

#include "api/window.h"
#include "types/type_info.h"

/* One side: a map that tags the records. */
static raski_stream *tag_input(raski_stream *in, const raski_tagged_type *tagged, unsigned input,
                               uint32_t key_offset, const char *type_text, const char *file,
                               int line) {
    static const raski_operator_factory simple = {.simple = true};
    rask_env *env = in->env;
    raski_error error = {0};
    raski_operator_definition *def = raski_operator_definition_create();
    raski_vec_push(&env->definitions, def);
    raski_tagger_definition *tagger = raski_env_alloc(env, sizeof *tagger);
    *tagger = (raski_tagger_definition){tagged, input, key_offset};
    def->ops = &raski_tagger_ops;
    def->detail = tagger;
    def->in = in->type;
    def->out = tagged->type;
    def->file = file;
    def->line = line;
    raski_transformation *t =
        raski_transformation_one_input(in->transformation, "Map", type_text, &simple, NULL);
    raski_transformation_set_location(t, file, line);
    if (raski_transformation_hint_parallelism(t, in->transformation->parallelism, &error) !=
        RASK_OK)
        raski_env_mistake(env, &error, "Map", file, line);
    return raski_stream_create(env, in, t, tagged->type, def);
}

static rask_status check(const raski_stream *a, const rask_field *key, const raski_stream *b,
                         const rask_field *key2, const raski_fn *fn, raski_error *err) {
    RASKI_TRY(raski_check_input(fn, fn->in, a->type, err));
    RASKI_TRY(raski_check_input(fn, fn->in2, b->type, err));
    RASKI_TRY(raski_field_check_key(key, false, err));
    RASKI_TRY(raski_field_check_key(key2, false, err));
    if (!raski_type_equal(key->type, key2->type))
        return RASKI_THROW(
            err, "IllegalArgumentException",
            "The keys for the two inputs are not equal: first key = %s , second key = "
            "%s",
            key->type->name, key2->type->name);
    if (a->env != b->env)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "the two streams belong to different environments");
    return RASK_OK;
}

raski_stream *raski_window_join(raski_stream *a, rask_field key, raski_stream *b, rask_field key2,
                                const rask_windows *windows, size_t windows_size,
                                const raski_fn *fn, const rask_options *options, size_t size,
                                const char *file, int line) {
    rask_env *env = a->env;
    rask_options o = raski_options_read(options, size);
    raski_error error = {0};
    const char *name = fn->kind == RASKI_FN_CO_GROUP ? "coGroup" : "join";
    raski_operator_definition *def = raski_env_define(env, fn, &o, file, line);
    if (def == NULL || raski_stream_is_broken(a) || raski_stream_is_broken(b))
        return raski_stream_broken(env, fn->out);
    if (check(a, &key, b, &key2, fn, &error) != RASK_OK)
        return raski_stream_mistake(env, &error, o.name ? o.name : name, fn->out, file, line);
    const raski_tagged_type *tagged =
        raski_tagged_type_create(key.type, a->type, b->type, env->arena);
    const raski_windows *created = NULL;
    if (raski_windows_create(env, windows, windows_size, NULL, tagged->type, &created, &error) !=
        RASK_OK)
        return raski_stream_mistake(env, &error, o.name ? o.name : name, fn->out, file, line);
    const char *type_text =
        raski_arena_format(env->arena, "TaggedUnion<%s, %s>", raski_env_type_text(env, a->type),
                           raski_env_type_text(env, b->type));
    raski_stream *const sides[2] = {tag_input(a, tagged, 0, key.offset, type_text, file, line),
                                    tag_input(b, tagged, 1, key2.offset, type_text, file, line)};
    raski_stream *both = raski_union(sides, 2, file, line);
    raski_key_definition *tagged_key = raski_env_alloc(env, sizeof *tagged_key);
    tagged_key->fields.part_count = 1;
    tagged_key->fields.parts[0] = (raski_key_field){tagged->key_offset, key.type};
    raski_stream *keyed = raski_stream_keyed(
        both, tagged_key,
        raski_arena_format(env->arena, "<%s>", raski_env_type_text(env, key.type)), file, line);
    keyed->windows = created;
    raski_window_definition *w = raski_window_define(env, created, tagged->type);
    w->process = fn;
    w->tagged = tagged;
    def->in2 = NULL; /* both inputs come as one */
    return raski_window_stream(keyed, def, w, "CoGroupWindowFunction", &o, file, line);
}
