/* The sections are made one after the other, each from what the ones before left in the plan; the
 * first that fails gives the error, with its stage. */
#include "plan/plan_facts.h"

#include <string.h>

#include "executiongraph/facts_execution_graph.h"
#include "graph/facts.h"
#include "graph/facts_job_graph.h"

static json_t *text_or_null(const char *text) {
    return *text ? json_string_nocheck(text) : json_null();
}

json_t *raski_plan_error_facts(const char *stage, const raski_error *err) {
    bool is_bad = strcmp(err->exception, "Bad") == 0;
    json_t *error = json_object();
    json_object_set_new(error, "stage", json_string(is_bad ? "topology" : stage));
    json_object_set_new(error, "exception", json_string_nocheck(err->exception));
    json_object_set_new(error, "message", text_or_null(err->message));
    if (*err->cause) {
        json_object_set_new(error, "cause", json_string_nocheck(err->cause));
        json_object_set_new(error, "causeMessage", text_or_null(err->cause_message));
    }
    return json_pack("{s:o}", "error", error);
}

/* The program once more, from the beginning, for the section adaptiveGraph: job graphs change the
 * stream graph they are made from. Errors are part of the section. */
typedef rask_status (*plan_again)(void *context, json_t **ret_section, raski_error *err);

static rask_status adaptive_graph(raski_plan_env *env, const char *job_name, json_t **ret_section,
                                  raski_error *err) {
    raski_stream_graph *stream_graph = NULL;
    RASKI_TRY(raski_stream_graph_generate(env, &stream_graph, err));
    if (job_name != NULL) stream_graph->job_name = job_name;
    *ret_section = raski_facts_adaptive_graph(stream_graph);
    raski_stream_graph_destroy(stream_graph);
    return RASK_OK;
}

static rask_status add_sections(raski_plan *plan, plan_again again, void *context, json_t *facts,
                                raski_error *err) {
    RASKI_TRY(raski_plan_run_stream_graph(plan, err));
    json_object_set_new(facts, "streamPlan", raski_facts_stream_plan(plan->stream_graph));
    json_object_set_new(facts, "streamGraph", raski_facts_stream_graph(plan->stream_graph));
    RASKI_TRY(raski_plan_run_operator_ids(plan, err));
    json_object_set_new(facts, "operatorHashes",
                        raski_facts_operator_hashes(plan->stream_graph, &plan->hashes));
    RASKI_TRY(raski_plan_run_job_graph(plan, err));
    RASKI_TRY(raski_plan_check_descriptions(plan, err));
    json_object_set_new(facts, "jobGraph", raski_facts_job_graph(plan->job_graph));
    RASKI_TRY(raski_plan_run_execution_graph(plan, err));
    RASKI_TRY(raski_plan_check_subtasks(plan, RASKI_PLAN_SUBTASKS_LISTED_MAX, err));
    json_object_set_new(facts, "executionGraph", raski_facts_execution_graph(plan->execution));
    if (!plan->job_graph->is_dynamic) return RASK_OK;
    json_t *section = NULL;
    RASKI_TRY(again(context, &section, err));
    json_object_set_new(facts, "adaptiveGraph", section);
    return RASK_OK;
}

/* --- of topologies ------------------------------------------------------------------------------
 */

static rask_status topology_again(void *context, json_t **ret_section, raski_error *err) {
    raski_topology *topology = NULL;
    rask_status status = raski_topology_create(context, &topology, err);
    if (status == RASK_OK) status = raski_topology_build(topology, err);
    if (status == RASK_OK)
        status = adaptive_graph(raski_topology_env(topology), raski_topology_job_name(topology),
                                ret_section, err);
    raski_topology_destroy(topology);
    return status;
}

json_t *raski_plan_facts_of_topology(const json_t *document, raski_error *ret_err) {
    raski_error err = {0};
    raski_topology *topology = NULL;
    json_t *facts = json_object();
    const char *stage = "topology";
    raski_plan plan;
    rask_status status = raski_topology_create(document, &topology, &err);
    if (status == RASK_OK) {
        stage = "build";
        status = raski_topology_build(topology, &err);
    }
    if (status == RASK_OK) {
        raski_plan_init(&plan, raski_topology_env(topology), raski_topology_job_name(topology));
        status = add_sections(&plan, topology_again, (void *)(uintptr_t)document, facts, &err);
        stage = plan.stage;
        raski_plan_fini(&plan);
    }
    raski_topology_destroy(topology);
    if (status == RASK_OK) return facts;
    json_decref(facts);
    *ret_err = err;
    return raski_plan_error_facts(stage, &err);
}

/* --- of programs --------------------------------------------------------------------------------
 */

typedef struct env_program {
    raski_plan_env *env;
    const char *job_name;
    int32_t last_id; /* before it was planned: planning takes ids */
} env_program;

static rask_status env_again(void *context, json_t **ret_section, raski_error *err) {
    const env_program *program = context;
    program->env->graph->last_id = program->last_id;
    return adaptive_graph(program->env, program->job_name, ret_section, err);
}

json_t *raski_plan_facts_of_env(raski_plan_env *env, const char *job_name, raski_error *ret_err) {
    raski_error err = {0};
    json_t *facts = json_object();
    env_program program = {env, job_name, env->graph->last_id};
    raski_plan plan;
    raski_plan_init(&plan, env, job_name);
    rask_status status = add_sections(&plan, env_again, &program, facts, &err);
    if (status != RASK_OK) {
        json_decref(facts);
        facts = raski_plan_error_facts(plan.stage, &err);
        *ret_err = err;
    }
    raski_plan_fini(&plan);
    return facts;
}
