/* The building calls of rask/async.h. */
#include "operators/async/async_operator.h"

#include "api/environment.h"

raski_stream *raski_async(raski_stream *in, const raski_fn *fn, const rask_options *options,
                          size_t size, bool ordered, const char *file, int line) {
    rask_env *env = in->env;
    rask_options o = raski_options_read(options, size);
    static const char name[] = "async wait operator";
    const char *shown = o.name ? o.name : name;
    raski_operator_definition *def = raski_env_define(env, fn, &o, file, line);
    if (def == NULL || raski_stream_is_broken(in)) return raski_stream_broken(env, fn->out);
    raski_async_detail *detail = RASKI_NEW(raski_async_detail);
    def->ops = &raski_async_ops;
    def->detail = detail;
    def->detail_destroy = raski_free;
    raski_error error = {0};
    rask_status status = raski_check_input(fn, fn->in, in->type, &error);
    if (status == RASK_OK) status = raski_async_detail_init(&o, ordered, fn->in, detail, &error);
    if (status != RASK_OK) return raski_stream_mistake(env, &error, shown, fn->out, file, line);
    const raski_operator_factory factory = {.yielding = true};
    raski_transformation *t = raski_transformation_one_input(
        in->transformation, name, raski_env_type_text(env, fn->out), &factory, NULL);
    raski_env_apply_options(env, t, &o, file, line);
    return raski_stream_create(env, in, t, fn->out, def);
}
