/* The building call of rask/multi.h. */
#include "rask/multi.h"

#include <string.h>

#include "api/environment.h"

static rask_status check_inputs(const raski_fn *fn, const raski_multi_input *inputs, size_t n,
                                raski_error *err) {
    if (n == 0 || n > RASK_INPUTS_MAX)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "rask_multi takes 1 to %d inputs, not %zu",
                          RASK_INPUTS_MAX, n);
    for (size_t i = 0; i < n; i++) {
        const raski_input_fn *input = inputs[i].input;
        if (input->fn->name != fn->name || input->number != i + 1)
            return RASKI_FAIL(
                err, RASK_E_ARGUMENT, USER,
                "input %zu of \"%s\" is given as input %u of \"%s\": list all inputs of "
                "the function in their order",
                i + 1, fn->name, input->number, input->fn->name);
        if (inputs[i].node->env != inputs[0].node->env)
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                              "the streams belong to different environments");
        RASKI_TRY(raski_check_input(fn, input->type, inputs[i].node->type, err));
    }
    return RASK_OK;
}

/* Keyed inputs share the state of their keys, so these must be of one type. */
static rask_status check_keys(const raski_fn *fn, const raski_multi_input *inputs, size_t n,
                              const raski_key **ret_key, raski_error *err) {
    *ret_key = NULL;
    for (size_t i = 0; i < n; i++) {
        const raski_key *key = inputs[i].input->keyed ? inputs[i].node->plan_key : NULL;
        if (key == NULL) continue;
        if (*ret_key != NULL && strcmp((*ret_key)->type, key->type) != 0)
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                              "inputs of \"%s\" are keyed by %s and by %s", fn->name,
                              (*ret_key)->type, key->type);
        *ret_key = key;
    }
    if (*ret_key == NULL && fn->kind == RASKI_FN_KEYED_MULTI_PROCESS)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "no input of \"%s\" is keyed", fn->name);
    return RASK_OK;
}

static void define_inputs(raski_operator_definition *def, const raski_multi_input *inputs,
                          size_t n) {
    def->inputs = RASKI_NEW_ARRAY(raski_input_definition, n);
    def->input_count = (unsigned)n;
    for (size_t i = 0; i < n; i++)
        def->inputs[i] = (raski_input_definition){
            inputs[i].input->type, inputs[i].input->keyed ? inputs[i].node->key : NULL,
            inputs[i].input->run};
}

static raski_transformation *transform(rask_env *env, const raski_fn *fn,
                                       const raski_multi_input *inputs, size_t n,
                                       const raski_key *key) {
    raski_transformation **from = raski_env_alloc(env, n * sizeof *from);
    raski_key_selector *selectors = raski_env_alloc(env, n * sizeof *selectors);
    for (size_t i = 0; i < n; i++) {
        from[i] = inputs[i].node->transformation;
        if (inputs[i].input->keyed) selectors[i] = inputs[i].node->plan_key->selector;
    }
    const raski_operator_factory factory = {0};
    return raski_transformation_multi_input(env->plan, from, n, fn->name,
                                            raski_env_type_text(env, fn->out), &factory,
                                            key != NULL, selectors, key ? key->type : NULL);
}

raski_stream *raski_multi(const raski_fn *fn, const raski_multi_input *inputs, size_t n,
                          const rask_options *options, size_t size, const char *file, int line) {
    rask_env *env = inputs[0].node->env;
    rask_options o = raski_options_read(options, size);
    raski_error error = {0};
    const raski_key *key = NULL;
    raski_operator_definition *def = raski_env_define(env, fn, &o, file, line);
    if (def == NULL) return raski_stream_broken(env, fn->out);
    for (size_t i = 0; i < n; i++)
        if (raski_stream_is_broken(inputs[i].node)) return raski_stream_broken(env, fn->out);
    rask_status status = check_inputs(fn, inputs, n, &error);
    if (status == RASK_OK) status = check_keys(fn, inputs, n, &key, &error);
    if (status != RASK_OK)
        return raski_stream_mistake(env, &error, o.name ? o.name : fn->name, fn->out, file, line);
    define_inputs(def, inputs, n);
    raski_transformation *t = transform(env, fn, inputs, n, key);
    raski_env_apply_options(env, t, &o, file, line);
    const raski_stream *stamped = inputs[0].node;
    for (size_t i = 1; i < n; i++)
        if (inputs[i].node->stamped) stamped = inputs[i].node;
    return raski_stream_create(env, stamped, t, fn->out, def);
}
