#include "api/environment.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/arguments.h"
#include "types/type_info.h"

/* ---------------------------------------------------------------- life */
/* Operators take the environment's settings when they are made, so each setting is told to the
 * planner at once. */
static void tell_planner(rask_env *env, const char *key, const char *value) {
    raski_error error = {0};
    if (raski_plan_config_set(&env->plan->config, env->graph->arena, key, value, &error) != RASK_OK)
        raski_env_mistake(env, &error, NULL, NULL, 0);
}

/* After a mistake in them, the arguments for Rask are removed all the same: the program would
 * complain about them, and what is really wrong would not be seen. */
static void remove_arguments(int *argc, char **argv) {
    int kept = 0;
    bool ended = false;
    for (int i = 0; i < *argc;) {
        raski_argument argument = {.kind = RASKI_ARGUMENT_OTHER, .words = 1};
        if (i > 0 && !ended) argument = raski_argument_at(*argc, argv, i);
        ended = ended || argument.kind == RASKI_ARGUMENT_END;
        if (argument.kind == RASKI_ARGUMENT_OTHER) argv[kept++] = argv[i];
        i += argument.words;
    }
    if (kept < *argc) argv[kept] = NULL;
    *argc = kept;
}

rask_env *rask_env_create(int *argc, char ***argv) {
    rask_env *env = RASKI_NEW(rask_env);
    env->graph = raski_transformation_graph_create();
    env->plan = raski_plan_env_create(env->graph);
    env->configuration = raski_configuration_create();
    env->arena = raski_arena_create(0);
    raski_error error = {0};
    if (argc != NULL && argv != NULL &&
        raski_configuration_from_arguments(argc, argv, env->configuration, &error) != RASK_OK) {
        raski_env_mistake(env, &error, NULL, NULL, 0);
        remove_arguments(argc, *argv);
    }
    raski_configuration_log_warnings(env->configuration);
    for (size_t i = 0; i < raski_configuration_count(env->configuration); i++) {
        raski_configuration_entry entry = raski_configuration_at(env->configuration, i);
        tell_planner(env, entry.key, entry.value);
    }
    return env;
}

void raski_env_forget_counters(rask_env *env) {
    for (size_t i = 0; i < env->counters.count; i++)
        raski_free((char *)(uintptr_t)env->counters.items[i].name);
    raski_vec_free(&env->counters);
}

void rask_env_destroy(rask_env *env_take) {
    rask_env *env = env_take;
    if (env == NULL) return;
    for (size_t i = 0; i < env->definitions.count; i++)
        raski_operator_definition_destroy(env->definitions.items[i]);
    raski_vec_free(&env->definitions);
    for (size_t i = 0; i < env->connectors.count; i++)
        raski_connector_destroy(&env->connectors.items[i]);
    raski_vec_free(&env->connectors);
    raski_env_forget_counters(env);
    raski_transformation_graph_destroy(env->graph);
    raski_configuration_destroy(env->configuration);
    raski_arena_destroy(env->arena);
    raski_free(env);
}

void *raski_env_alloc(rask_env *env, size_t size) {
    return raski_arena_calloc(env->arena, size);
}

void raski_env_mistake(rask_env *env, const raski_error *error, const char *operator_name,
                       const char *file, int line) {
    if (raski_error_is_set(&env->error)) return; /* the first one counts */
    env->error = *error;
    if (operator_name != NULL && file != NULL)
        (void)snprintf(env->where, sizeof env->where, "operator \"%s\" (built at %s:%d)",
                       operator_name, file, line);
    else if (file != NULL)
        (void)snprintf(env->where, sizeof env->where, "%s:%d", file, line);
}

/* ---------------------------------------------------------------- settings */
static void set_option(rask_env *env, const char *key, const char *value) {
    raski_error error = {0};
    const raski_origin origin = RASKI_ORIGIN_BY_PROGRAM;
    if (raski_configuration_set(env->configuration, key, value, &origin, &error) != RASK_OK) {
        raski_env_mistake(env, &error, NULL, NULL, 0);
        return;
    }
    /* what holds now: the command line is stronger than the program */
    const raski_option *option = raski_option_resolve(key);
    tell_planner(env, option != NULL ? option->key : key,
                 raski_configuration_get_raw(env->configuration, key));
}

void rask_set_option(rask_env *env, const char *key, const char *value) {
    if (key == NULL || value == NULL) {
        raski_error error = {0};
        (void)RASKI_FAIL(&error, RASK_E_ARGUMENT, USER, "rask_set_option: key or value is NULL");
        raski_env_mistake(env, &error, NULL, NULL, 0);
        return;
    }
    set_option(env, key, value);
}

const char *rask_get_option(const rask_env *env, const char *key) {
    return key != NULL ? raski_configuration_get_raw(env->configuration, key) : NULL;
}

void rask_set_parallelism(rask_env *env, int parallelism) {
    raski_error error = {0};
    raski_plan_config check = env->plan->config;
    if (raski_plan_config_set_parallelism(&check, parallelism, &error) != RASK_OK) {
        raski_env_mistake(env, &error, NULL, NULL, 0);
        return;
    }
    char text[32];
    (void)snprintf(text, sizeof text, "%d", parallelism);
    set_option(env, "parallelism.default", text);
}

void rask_set_max_parallelism(rask_env *env, int max_parallelism) {
    raski_error error = {0};
    raski_plan_config check = env->plan->config;
    if (raski_plan_config_set_max_parallelism(&check, max_parallelism, &error) != RASK_OK) {
        raski_env_mistake(env, &error, NULL, NULL, 0);
        return;
    }
    char text[32];
    (void)snprintf(text, sizeof text, "%d", max_parallelism);
    set_option(env, "pipeline.max-parallelism", text);
}

void rask_set_runtime_mode(rask_env *env, rask_runtime_mode mode) {
    static const char *const names[] = {"STREAMING", "BATCH", "AUTOMATIC"};
    if ((unsigned)mode >= sizeof names / sizeof *names) {
        raski_error error = {0};
        (void)RASKI_FAIL(&error, RASK_E_ARGUMENT, USER, "there is no runtime mode %d", (int)mode);
        raski_env_mistake(env, &error, NULL, NULL, 0);
        return;
    }
    set_option(env, "execution.runtime-mode", names[mode]);
}

void rask_set_buffer_timeout(rask_env *env, int64_t timeout_ms) {
    raski_error error = {0};
    raski_plan_config check = env->plan->config;
    if (raski_plan_config_set_buffer_timeout(&check, timeout_ms, &error) != RASK_OK) {
        raski_env_mistake(env, &error, NULL, NULL, 0);
        return;
    }
    char text[32];
    (void)snprintf(text, sizeof text, "%lld ms", (long long)(timeout_ms < 0 ? 0 : timeout_ms));
    set_option(env, "execution.buffer-timeout.enabled", timeout_ms < 0 ? "false" : "true");
    if (timeout_ms >= 0) set_option(env, "execution.buffer-timeout.interval", text);
}

void rask_disable_chaining(rask_env *env) {
    set_option(env, "pipeline.operator-chaining.enabled", "false");
}

/* ---------------------------------------------------------------- options of operators */
rask_options raski_options_read(const rask_options *options, size_t size) {
    rask_options o = {0};
    if (options != NULL) memcpy(&o, options, size < sizeof o ? size : sizeof o);
    return o;
}

static rask_status apply_numbers(raski_transformation *t, const rask_options *o, raski_error *err) {
    if (o->parallelism != 0)
        RASKI_TRY(raski_transformation_set_parallelism(t, o->parallelism, err));
    if (o->max_parallelism != 0)
        RASKI_TRY(raski_transformation_set_max_parallelism(t, o->max_parallelism, err));
    if (o->buffer_timeout.set)
        RASKI_TRY(raski_transformation_set_buffer_timeout(t, o->buffer_timeout.ms, err));
    return RASK_OK;
}

static rask_status apply_chaining(raski_transformation *t, const rask_options *o,
                                  raski_error *err) {
    static const raski_chaining_strategy strategies[] = {
        [RASK_CHAIN_ALWAYS] = RASKI_CHAINING_ALWAYS,
        [RASK_CHAIN_NEVER] = RASKI_CHAINING_NEVER,
        [RASK_CHAIN_HEAD] = RASKI_CHAINING_HEAD,
        [RASK_CHAIN_HEAD_WITH_SOURCES] = RASKI_CHAINING_HEAD_WITH_SOURCES,
    };
    if (o->start_new_chain)
        RASKI_TRY(raski_transformation_set_chaining_strategy(t, RASKI_CHAINING_HEAD, err));
    if (o->disable_chaining)
        RASKI_TRY(raski_transformation_set_chaining_strategy(t, RASKI_CHAINING_NEVER, err));
    if (o->chaining == RASK_CHAIN_DEFAULT) return RASK_OK;
    if ((unsigned)o->chaining >= sizeof strategies / sizeof *strategies)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "there is no chaining strategy %d",
                          (int)o->chaining);
    return raski_transformation_set_chaining_strategy(t, strategies[o->chaining], err);
}

/* Plans are JSON, and Flink's texts are Unicode. */
rask_status raski_check_utf8(const char *what, const char *text, raski_error *err) {
    json_t *valid = text != NULL ? json_string(text) : json_null();
    if (valid == NULL)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s is not UTF-8: \"%s\"", what, text);
    json_decref(valid);
    return RASK_OK;
}

static rask_status check_texts(const rask_options *o, raski_error *err) {
    RASKI_TRY(raski_check_utf8(".name", o->name, err));
    RASKI_TRY(raski_check_utf8(".description", o->description, err));
    RASKI_TRY(raski_check_utf8(".uid", o->uid, err));
    return raski_check_utf8(".slot_sharing_group", o->slot_sharing_group, err);
}

static rask_status apply(raski_transformation *t, const rask_options *o, raski_error *err) {
    RASKI_TRY(check_texts(o, err));
    if (o->name != NULL) raski_transformation_set_name(t, o->name);
    if (o->description != NULL) raski_transformation_set_description(t, o->description);
    if (o->uid != NULL) raski_transformation_set_uid(t, o->uid);
    if (o->uid_hash != NULL) RASKI_TRY(raski_transformation_set_uid_hash(t, o->uid_hash, err));
    if (o->slot_sharing_group != NULL) {
        raski_slot_sharing_group group = {.name = o->slot_sharing_group};
        raski_transformation_set_slot_sharing_group(t, &group);
    }
    RASKI_TRY(apply_numbers(t, o, err));
    return apply_chaining(t, o, err);
}

void raski_env_apply_options(rask_env *env, raski_transformation *t, const rask_options *options,
                             const char *file, int line) {
    raski_error error = {0};
    raski_transformation_set_location(t, file, line);
    if (apply(t, options, &error) != RASK_OK)
        raski_env_mistake(env, &error, options->name ? options->name : t->name, file, line);
}

/* ---------------------------------------------------------------- definitions */
static rask_status check_type(const rask_type *type, raski_error *err) {
    return type != NULL ? raski_type_validate(type, err) : RASK_OK;
}

/* Functions that never have a current key: handles of keyed state would lead nowhere. */
static bool is_without_key(raski_fn_kind kind) {
    switch (kind) {
        case RASKI_FN_SOURCE:
        case RASKI_FN_SPLIT_SOURCE:
        case RASKI_FN_MAP:
        case RASKI_FN_FILTER:
        case RASKI_FN_FLAT_MAP:
        case RASKI_FN_PROCESS:
        case RASKI_FN_CO_MAP:
        case RASKI_FN_CO_FLAT_MAP:
        case RASKI_FN_CO_PROCESS:
        case RASKI_FN_MULTI_PROCESS:
        case RASKI_FN_BROADCAST_PROCESS:
        case RASKI_FN_ASYNC:
        case RASKI_FN_SINK:
            return true;
        default:
            return false;
    }
}

static rask_status check_function(const raski_fn *fn, const rask_options *options,
                                  raski_error *err) {
    if (fn->abi != RASKI_FN_ABI || fn->size < sizeof(raski_fn))
        return RASKI_FAIL(err, RASK_E_UNSUPPORTED, USER,
                          "the program was compiled against another version of rask/rask.h: "
                          "compile it again");
    RASKI_TRY(check_type(fn->in, err));
    RASKI_TRY(check_type(fn->in2, err));
    RASKI_TRY(check_type(fn->out, err));
    if (fn->self != NULL && fn->self->count > 0 && is_without_key(fn->kind))
        return RASKI_FAIL(
            err, RASK_E_ARGUMENT, USER,
            "function %s is not keyed, but its %s has keyed state (RASK_STATE): use a "
            "keyed function (RASK_KEYED_PROCESS) on a stream of rask_key_by, or plain "
            "fields with RASK_INSTANCE",
            fn->name, fn->self->type);
    if (options->self.type == NULL) return RASK_OK;
    const char *has = fn->self ? fn->self->type : "(none)";
    if (fn->self == NULL || strcmp(fn->self->type, options->self.type) != 0 ||
        fn->self->size != options->self.size)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                          "function %s has instances of type %s, but .self gives a %s", fn->name,
                          has, options->self.type);
    return RASK_OK;
}

raski_operator_definition *raski_env_define(rask_env *env, const raski_fn *fn,
                                            const rask_options *options, const char *file,
                                            int line) {
    raski_error error = {0};
    if (check_function(fn, options, &error) != RASK_OK) {
        raski_env_mistake(env, &error, options->name ? options->name : fn->name, file, line);
        return NULL;
    }
    raski_operator_definition *def = raski_operator_definition_create();
    raski_vec_push(&env->definitions, def);
    def->fn = fn;
    def->in = fn->in;
    def->in2 = fn->in2;
    def->out = fn->kind == RASKI_FN_SINK ? NULL : fn->out;
    def->bounded = options->bounded;
    def->file = file;
    def->line = line;
    if (options->self.type != NULL)
        def->self = raski_memdup(options->self.data, options->self.size);
    return def;
}

raski_operator_definition *raski_env_define_connector(rask_env *env, raski_connector connector_take,
                                                      const char *name, const char *file,
                                                      int line) {
    raski_error error = {0};
    if (connector_take.fn == NULL) {
        (void)RASKI_FAIL(&error, RASK_E_NOMEM, EXTERNAL, "no memory for it");
        raski_env_mistake(env, &error, name, file, line);
        return NULL;
    }
    raski_vec_push(&env->connectors, connector_take);
    const raski_fn *fn = connector_take.fn;
    rask_options options = {.name = name};
    if (fn->self != NULL && connector_take.self != NULL)
        options.self = (struct raski_init){connector_take.self, fn->self->size, fn->self->type};
    return raski_env_define(env, fn, &options, file, line);
}
