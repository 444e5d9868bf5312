/* The plan of a program, for tools: rask_plan, and RASK_CLIENT=plan, in which rask plan starts
 * programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/environment.h"
#include "plan/plan_check.h"
#include "plan/plan_facts.h"
#include "plan/plan_format.h"

enum { FACTS_PRECISION = 17 };

/* With the place of the operator that could not be planned. The environment does not keep the
 * mistake: planning it again says the same again. */
static char *describe(const rask_env *env, const raski_error *err) {
    rask_env copy = *env;
    if (!raski_error_is_set(&copy.error)) raski_env_locate_mistake(&copy, err);
    return raski_env_describe_mistake(&copy, err);
}

/* All facts as text; *ret_err is set when the program is refused. */
static char *facts_text(rask_env *env, raski_error *ret_err) {
    json_t *facts;
    const int32_t last_id = env->graph->last_id;
    if (raski_error_is_set(&env->error)) {
        *ret_err = env->error;
        facts = raski_plan_error_facts("build", ret_err);
    } else {
        facts = raski_plan_facts_of_env(env->plan, env->plan->config.job_name, ret_err);
    }
    env->graph->last_id = last_id; /* planning takes ids, and planning again should take the same */
    char *dumped = json_dumps(facts, JSON_INDENT(2) | JSON_REAL_PRECISION(FACTS_PRECISION));
    char *text = raski_format("%s\n", dumped ? dumped : "");
    free(dumped);
    json_decref(facts);
    return text;
}

static char *view_text(rask_env *env, raski_plan_graph graph, const raski_plan_format *format,
                       const raski_plan_style *style, raski_error *ret_err) {
    raski_plan plan;
    raski_str out = {0};
    const int32_t last_id = env->graph->last_id;
    if (raski_error_is_set(&env->error)) {
        *ret_err = env->error;
        return NULL;
    }
    raski_plan_init(&plan, env->plan, env->plan->config.job_name);
    rask_status status = raski_plan_show(&plan, graph, format, style, &out, ret_err);
    raski_plan_fini(&plan);
    env->graph->last_id = last_id; /* planning takes ids, and planning again should take the same */
    if (status == RASK_OK) return raski_str_steal(&out);
    raski_str_free(&out);
    return NULL;
}

/* What rask plan --check asks programs for. */
static char *check_text(rask_env *env, bool as_json, bool *ret_refused) {
    raski_plan_findings *findings =
        raski_error_is_set(&env->error)
            ? raski_plan_check_unbuilt(&env->error, env->where)
            : raski_plan_check_env(env->plan, env->plan->config.job_name);
    char *text = raski_plan_findings_text(findings, as_json);
    *ret_refused = raski_plan_findings_refuse(findings);
    raski_plan_findings_destroy(findings);
    return text;
}

static const raski_plan_format *format_of(rask_plan_format format) {
    static const char *const names[] = {
        [RASK_PLAN_TEXT] = "text", [RASK_PLAN_JSON] = "json", [RASK_PLAN_DOT] = "dot",
        [RASK_PLAN_SVG] = "svg",   [RASK_PLAN_HTML] = "html", [RASK_PLAN_FACTS] = "facts"};
    if ((unsigned)format >= sizeof names / sizeof *names) return NULL;
    return raski_plan_format_named(names[format]);
}

char *rask_plan(rask_env *env, rask_plan_graph graph, rask_plan_format format, char **ret_message) {
    static const raski_plan_style style = {.colors = false};
    const raski_plan_format *form = format_of(format);
    raski_error error = {0};
    char *text = NULL;
    if (form == NULL || (unsigned)graph > RASK_PLAN_EXECUTION_GRAPH)
        (void)RASKI_FAIL(&error, RASK_E_ARGUMENT, USER,
                         "there is no such graph or format of plans");
    else if (form->print == NULL)
        text = facts_text(env, &error);
    else
        text = view_text(env, (raski_plan_graph)graph, form, &style, &error);
    if (!raski_error_is_set(&error)) return text;
    if (ret_message != NULL) *ret_message = describe(env, &error);
    if (form != NULL && form->print == NULL) return text; /* the error is in the facts */
    raski_free(text);
    return NULL;
}

/* --- rask plan PROGRAM --------------------------------------------------------------------------
 */

static bool is_variable(const char *name, const char *value) {
    const char *actual = getenv(name);
    return actual != NULL && strcmp(actual, value) == 0;
}

bool raski_env_plan_is_wanted(void) {
    return is_variable("RASK_CLIENT", "plan");
}

/* In a frame that rask plan finds among what the program prints; without a mark as it is. */
static int print_framed(int status, const char *text) {
    const char *mark = getenv("RASK_PLAN_MARK");
    if (mark != NULL) (void)printf("%s %d %zu\n", mark, status, strlen(text));
    (void)fwrite(text, 1, strlen(text), stdout);
    return fflush(stdout) == 0 ? status : RASK_EXIT_FAILED;
}

static int print_check(rask_env *env, bool as_json) {
    bool is_refused = false;
    char *text = check_text(env, as_json, &is_refused);
    int code = print_framed(is_refused ? RASK_EXIT_FAILED : RASK_EXIT_OK, text);
    raski_free(text);
    rask_env_destroy(env);
    return code;
}

int raski_env_print_plan(rask_env *env, const char *job_name) {
    const char *graph_name = getenv("RASK_PLAN_GRAPH"), *format_name = getenv("RASK_PLAN_FORMAT");
    const raski_plan_style style = {.colors = is_variable("RASK_PLAN_COLOR", "always")};
    raski_plan_graph graph = RASKI_PLAN_JOB_GRAPH;
    raski_error error = {0};
    char *text = NULL;
    const raski_plan_format *format =
        raski_plan_format_named(format_name != NULL ? format_name : "text");
    if (job_name != NULL)
        env->plan->config.job_name = raski_arena_strdup(env->graph->arena, job_name);
    if (is_variable("RASK_PLAN_FORMAT", "check")) return print_check(env, false);
    if (is_variable("RASK_PLAN_FORMAT", "check-json")) return print_check(env, true);
    bool is_known =
        format != NULL && (graph_name == NULL || raski_plan_graph_named(graph_name, &graph));
    if (!is_known)
        (void)RASKI_FAIL(&error, RASK_E_ARGUMENT, USER,
                         "the program's Rask knows no plan of graph \"%s\" in format \"%s\"",
                         graph_name != NULL ? graph_name : "job",
                         format_name != NULL ? format_name : "text");
    else if (raski_check_utf8("the name of the job", job_name, &error) == RASK_OK)
        text = format->print == NULL ? facts_text(env, &error)
                                     : view_text(env, graph, format, &style, &error);
    int status = raski_error_is_set(&error) ? RASK_EXIT_FAILED : RASK_EXIT_OK;
    if (status != RASK_EXIT_OK) {
        char *message = describe(env, &error);
        (void)fprintf(stderr, "rask: %s\n", message);
        raski_free(message);
    }
    int code = print_framed(status, text != NULL ? text : "");
    raski_free(text);
    rask_env_destroy(env);
    return code;
}
