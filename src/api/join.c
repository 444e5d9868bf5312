/* The building calls of rask/join.h. */
#include "rask/join.h"

#include "api/environment.h"
#include "operators/join/interval_join.h"
#include "types/type_info.h"

static void add_late_output(raski_operator_definition *def, const raski_tag *tag) {
    if (tag != NULL && raski_operator_definition_side_type(def, tag->name) == NULL)
        raski_vec_push(&def->side_types, (raski_side_type){.tag = tag->name, .type = tag->type});
}

static rask_status check_tag(const raski_tag *tag, const rask_type *type, raski_error *err) {
    if (tag == NULL || raski_type_equal(tag->type, type)) return RASK_OK;
    return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                      "late records of type %s cannot go to side output \"%s\" of type %s",
                      type->name, tag->name, tag->type->name);
}

static rask_status join_inputs(raski_stream *a, raski_stream *b, const raski_fn *fn,
                               const rask_options *o, raski_interval_join_detail *detail,
                               raski_error *err) {
    RASKI_TRY(raski_check_input(fn, fn->in, a->type, err));
    RASKI_TRY(raski_check_input(fn, fn->in2, b->type, err));
    if (a->env != b->env)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "the two streams belong to different environments");
    RASKI_TRY(check_tag(o->left_late, a->type, err));
    RASKI_TRY(check_tag(o->right_late, b->type, err));
    return raski_interval_join_detail_init(detail, fn->in, fn->in2, o, err);
}

raski_stream *raski_interval_join(raski_stream *a, raski_stream *b, const raski_fn *fn,
                                  const rask_options *options, size_t size, const char *file,
                                  int line) {
    rask_env *env = a->env;
    rask_options o = raski_options_read(options, size);
    static const char name[] = "Interval Join";
    raski_operator_definition *def = raski_env_define(env, fn, &o, file, line);
    if (def == NULL || raski_stream_is_broken(a) || raski_stream_is_broken(b))
        return raski_stream_broken(env, fn->out);
    raski_error error = {0};
    raski_interval_join_detail *detail = RASKI_NEW(raski_interval_join_detail);
    def->ops = &raski_interval_join_ops;
    def->detail = detail;
    def->detail_destroy = raski_free;
    raski_transformation *t = NULL;
    rask_status status = join_inputs(a, b, fn, &o, detail, &error);
    const raski_operator_factory factory = {.simple = true};
    if (status == RASK_OK) {
        /* As Flink, which connects the streams and keys them again. */
        a = raski_stream_key_again(a, file, line);
        b = raski_stream_key_again(b, file, line);
        status = raski_transformation_two_input(a->transformation, b->transformation, name,
                                                raski_env_type_text(env, fn->out), &factory,
                                                a->plan_key, b->plan_key, &t, &error);
    }
    if (status != RASK_OK)
        return raski_stream_mistake(env, &error, o.name ? o.name : name, fn->out, file, line);
    def->key = a->key;
    def->key2 = b->key;
    add_late_output(def, o.left_late);
    add_late_output(def, o.right_late);
    raski_env_apply_options(env, t, &o, file, line);
    return raski_stream_create(env, a->stamped ? a : b, t, fn->out, def);
}
