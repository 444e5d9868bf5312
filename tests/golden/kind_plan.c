/* kind_plan.c - plan/cases and plan/random: topologies with the plans that Flink made of them.
 * The sections of a plan are made one after the other, each from what the ones before left in the
 * run; the first that fails gives the error of the case, with its stage. */
#include <string.h>

#include "executiongraph/facts_execution_graph.h"
#include "golden/golden.h"
#include "graph/facts.h"
#include "graph/facts_job_graph.h"
#include "graph/topology.h"

typedef struct plan_run {
    const json_t *document; /* the topology */
    raski_topology *topology;
    raski_stream_graph *stream_graph;
    raski_operator_hashes hashes;
    raski_job_graph *job_graph;
    raski_execution_topology *execution;
} plan_run;

/* Makes one section; ret_section may stay NULL: the case has no such section. */
typedef rask_status (*make_section)(plan_run *run, json_t **ret_section, raski_error *err);

static rask_status make_environment(plan_run *run, json_t **ret_section, raski_error *err) {
    (void)ret_section;
    return raski_topology_create(run->document, &run->topology, err);
}

static rask_status build_program(plan_run *run, json_t **ret_section, raski_error *err) {
    (void)ret_section;
    return raski_topology_build(run->topology, err);
}

static rask_status generate_stream_graph(plan_run *run, json_t **ret_section, raski_error *err) {
    (void)ret_section;
    raski_plan_env *env = raski_topology_env(run->topology);
    RASKI_TRY(raski_stream_graph_generate(env, &run->stream_graph, err));
    const char *job_name = raski_topology_job_name(run->topology);
    if (job_name) run->stream_graph->job_name = job_name;
    return RASK_OK;
}

static rask_status make_stream_plan(plan_run *run, json_t **ret_section, raski_error *err) {
    (void)err;
    *ret_section = raski_facts_stream_plan(run->stream_graph);
    return RASK_OK;
}

static rask_status make_stream_graph(plan_run *run, json_t **ret_section, raski_error *err) {
    static const char *const read_first[] = {
        "pipeline.operator-chaining.enabled",
        "pipeline.operator-chaining.chain-operators-with-different-max-parallelism"};
    for (size_t i = 0; i < 2; i++)
        RASKI_TRY(raski_plan_config_check(&run->stream_graph->config, read_first[i], err));
    *ret_section = raski_facts_stream_graph(run->stream_graph);
    return RASK_OK;
}

static rask_status make_operator_hashes(plan_run *run, json_t **ret_section, raski_error *err) {
    RASKI_TRY(raski_operator_hashes_generate(run->stream_graph, &run->hashes, err));
    *ret_section = raski_facts_operator_hashes(run->stream_graph, &run->hashes);
    return RASK_OK;
}

/* Changes the stream graph. */
static rask_status make_job_graph(plan_run *run, json_t **ret_section, raski_error *err) {
    RASKI_TRY(raski_job_graph_create(run->stream_graph, (raski_id){{0}}, &run->job_graph, err));
    *ret_section = raski_facts_job_graph(run->job_graph);
    return RASK_OK;
}

static rask_status make_execution_graph(plan_run *run, json_t **ret_section, raski_error *err) {
    RASKI_TRY(raski_execution_topology_create(run->job_graph, &run->execution, err));
    *ret_section = raski_facts_execution_graph(run->execution);
    return RASK_OK;
}

/* Only dynamic graphs have it. From a stream graph of its own, as job graphs change theirs; errors
 * are part of the section. */
static rask_status make_adaptive_graph(plan_run *run, json_t **ret_section, raski_error *err) {
    if (!run->job_graph->is_dynamic) return RASK_OK;
    plan_run other = {.document = run->document};
    rask_status status = make_environment(&other, NULL, err);
    if (status == RASK_OK) status = build_program(&other, NULL, err);
    if (status == RASK_OK) status = generate_stream_graph(&other, NULL, err);
    if (status == RASK_OK) *ret_section = raski_facts_adaptive_graph(other.stream_graph);
    raski_stream_graph_destroy(other.stream_graph);
    raski_topology_destroy(other.topology);
    return status;
}

/* In Flink's order; stage is the name that errors get. */
static const struct {
    const char *section; /* NULL: only a step on the way */
    const char *stage;
    make_section make;
} sections[] = {
    {NULL, "topology", make_environment},
    {NULL, "build", build_program},
    {NULL, "streamGraph", generate_stream_graph},
    {"streamPlan", "streamPlan", make_stream_plan},
    {"streamGraph", "streamPlan", make_stream_graph},
    {"operatorHashes", "operatorHashes", make_operator_hashes},
    {"jobGraph", "jobGraph", make_job_graph},
    {"executionGraph", "executionGraph", make_execution_graph},
    {"adaptiveGraph", "executionGraph", make_adaptive_graph},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

static json_t *text_or_null(const char *text) {
    return *text ? json_string_nocheck(text) : json_null();
}

static json_t *error_facts(const char *stage, const raski_error *err) {
    bool is_bad = strcmp(err->exception, "Bad") == 0;
    json_t *error = json_object();
    json_object_set_new(error, "stage", json_string(is_bad ? "topology" : stage));
    json_object_set_new(error, "exception", json_string_nocheck(err->exception));
    json_object_set_new(error, "message", text_or_null(err->message));
    if (*err->cause) {
        json_object_set_new(error, "cause", json_string_nocheck(err->cause));
        json_object_set_new(error, "causeMessage", text_or_null(err->cause_message));
    }
    return error;
}

/* All that Rask makes of a topology: the sections, or "error" alone. A new reference. */
static json_t *facts_of(const json_t *document) {
    plan_run run = {.document = document};
    json_t *facts = json_object();
    raski_operator_hashes_init(&run.hashes);
    for (size_t i = 0; i < SECTIONS; i++) {
        raski_error err = {0};
        json_t *section = NULL;
        if (sections[i].make(&run, &section, &err) != RASK_OK) {
            json_decref(section);
            json_object_clear(facts);
            json_object_set_new(facts, "error", error_facts(sections[i].stage, &err));
            break;
        }
        if (section) json_object_set_new(facts, sections[i].section, section);
    }
    raski_execution_topology_destroy(run.execution);
    raski_job_graph_destroy(run.job_graph);
    raski_operator_hashes_fini(&run.hashes);
    raski_stream_graph_destroy(run.stream_graph);
    raski_topology_destroy(run.topology);
    return facts;
}

/* The message of a ClassCastException is the virtual machine's own: left out of the expected facts.
 */
static json_t *expectation(const json_t *facts) {
    json_t *expected = json_deep_copy(facts), *error = json_object_get(expected, "error");
    const char *exception = json_string_value(json_object_get(error, "exception"));
    if (exception && strcmp(exception, "ClassCastException") == 0)
        json_object_del(error, "message");
    return expected;
}

void golden_check_plan(golden_case *c) {
    const char *name = json_string_value(json_object_get(c->json, "case"));
    if (name) snprintf(c->name, sizeof c->name, "%s", name);
    json_t *got = facts_of(json_object_get(c->json, "topology"));
    json_t *expected = expectation(json_object_get(c->json, "facts"));
    json_t *error = json_object_get(expected, "error");
    if (error && !json_object_get(error, "message"))
        json_object_del(json_object_get(got, "error"), "message");
    golden_equal(c, "facts", expected, got);
    json_decref(expected);
    json_decref(got);
}
