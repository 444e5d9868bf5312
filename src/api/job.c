/* From a program to a running job: planning, the embedded mini-cluster, Ctrl-C, the message of a
 * failure. Flink: StreamExecutionEnvironment.execute, LocalExecutor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/environment.h"
#include "api/progress.h"
#include "api/split_coordinator.h"
#include "cluster/mini_cluster.h"
#include "graph/facts.h"
#include "graph/job_graph.h"
#include "platform/process.h"
#include "platform/random.h"
#include "taskexecutor/stream_task_factory.h"

/* ---------------------------------------------------------------- planning */
/* Where the user built the operator that cannot be planned, if the error is about one. */
void raski_env_locate_mistake(rask_env *env, const raski_error *err) {
    const raski_transformation *failed = env->plan->graph->failed;
    if (failed != NULL) raski_env_mistake(env, err, failed->name, failed->file, failed->line);
}

rask_status raski_env_plan(rask_env *env, const char *job_name, raski_stream_graph **ret_graph,
                           raski_error *err) {
    if (raski_error_is_set(&env->error)) {
        *err = env->error;
        return env->error.status;
    }
    RASKI_TRY(raski_check_utf8("the name of the job", job_name, err));
    raski_configuration_log_warnings(env->configuration);
    raski_plan_config *config = &env->plan->config;
    /* pipeline.name is for programs that give their job no name, as in Flink */
    if (job_name != NULL) config->job_name = raski_arena_strdup(env->graph->arena, job_name);
    rask_status status = raski_stream_graph_generate(env->plan, ret_graph, err);
    if (status != RASK_OK) raski_env_locate_mistake(env, err);
    return status;
}

char *raski_env_describe_mistake(const rask_env *env, const raski_error *err) {
    const char *where = raski_error_is_set(&env->error) ? env->where : "";
    if (err->exception[0] != '\0')
        return raski_format("%s%s%s: %s", where, *where ? ": " : "", err->exception, err->message);
    return raski_format("%s%s%s", where, *where ? ": " : "", err->message);
}

char *rask_execution_plan(rask_env *env, char **ret_message) {
    raski_error error = {0};
    raski_stream_graph *graph = NULL;
    char *plan = NULL;
    if (raski_env_plan(env, NULL, &graph, &error) == RASK_OK)
        plan = raski_execution_plan_json(graph);
    if (plan == NULL && ret_message != NULL) *ret_message = raski_env_describe_mistake(env, &error);
    raski_stream_graph_destroy(graph);
    return plan;
}

/* ---------------------------------------------------------------- running */
rask_status rask_pipe_closed(void) {
    raski_running_pipe_closed();
    return RASK_E_CANCELLED;
}

/* In batch mode aggregations give their final results only. */
static void set_mode(rask_env *env, const raski_job_graph *graph) {
    const bool batch = strcmp(graph->job_type, "BATCH") == 0;
    for (size_t i = 0; i < env->definitions.count; i++)
        env->definitions.items[i]->final_results = batch;
}

typedef struct job_run {
    rask_env *env;
    raski_running_job *job;
    const char *job_name;
    bool show_progress;
    raski_job_graph *graph;
    raski_network_pool *pool;
    raski_mini_cluster *cluster;
    raski_split_coordinators *coordinators;
    raski_progress progress;
} job_run;

/* Rask runs batch jobs with the default scheduler: parallelism is what was configured, not decided
 * while the job runs (docs/deviations.md). */
static rask_status choose_scheduler(rask_env *env, raski_error *err) {
    raski_plan_config *config = &env->plan->config;
    if (config->scheduler == RASKI_SCHEDULER_UNSET) config->scheduler = RASKI_SCHEDULER_DEFAULT;
    if (config->scheduler == RASKI_SCHEDULER_DEFAULT) return RASK_OK;
    return RASKI_FAIL(err, RASK_E_UNSUPPORTED, USER,
                      "jobmanager.scheduler: Rask can plan for the adaptive schedulers but not run "
                      "jobs with them yet; leave it out, or set it to Default");
}

static rask_status make_job_graph(job_run *run, raski_error *err) {
    raski_stream_graph *stream_graph = NULL;
    RASKI_TRY(choose_scheduler(run->env, err));
    RASKI_TRY(raski_env_plan(run->env, run->job_name, &stream_graph, err));
    raski_id job_id;
    raski_random_bytes(&job_id, sizeof job_id);
    rask_status status = raski_job_graph_create(stream_graph, job_id, &run->graph, err);
    raski_stream_graph_destroy(stream_graph);
    if (status != RASK_OK) raski_env_locate_mistake(run->env, err);
    if (status == RASK_OK) set_mode(run->env, run->graph);
    return status;
}

static rask_status start_cluster(job_run *run, const raski_task_factory *factory,
                                 raski_error *err) {
    raski_cluster_options options = RASKI_CLUSTER_OPTIONS_DEFAULT;
    RASKI_TRY(raski_cluster_options_from_configuration(run->env->configuration, &options, err));
    return raski_mini_cluster_create(&options, factory, NULL, &run->cluster, err);
}

static void count_records(const raski_job_graph *graph, const raski_job_result *result,
                          rask_job_result *ret) {
    for (size_t i = 0; i < result->vertex_count && i < graph->sorted.count; i++) {
        const raski_job_vertex *vertex = graph->sorted.items[i];
        if (vertex->inputs.count == 0)
            ret->records_in += (int64_t)result->vertices[i].counters.records_in;
        if (vertex->results.count == 0)
            ret->records_out += (int64_t)result->vertices[i].counters.records_out;
    }
}

static int compare_counters(const void *a, const void *b) {
    return strcmp(((const rask_job_counter *)a)->name, ((const rask_job_counter *)b)->name);
}

/* Sums the counters of all subtasks by their names. */
static void sum_counters(rask_env *env, const raski_stream_task_context *context,
                         rask_job_result *ret) {
    raski_env_forget_counters(env);
    for (size_t i = 0; i < context->counters.count; i++) {
        const raski_subtask_counter *counter = &context->counters.items[i];
        size_t at = 0;
        while (at < env->counters.count && strcmp(env->counters.items[at].name, counter->name) != 0)
            at++;
        if (at == env->counters.count)
            raski_vec_push(&env->counters, (rask_job_counter){raski_strdup(counter->name), 0});
        env->counters.items[at].value += counter->value;
    }
    if (env->counters.count > 0)
        qsort(env->counters.items, env->counters.count, sizeof *env->counters.items,
              compare_counters);
    ret->counters = env->counters.items;
    ret->counter_count = env->counters.count;
}

static char *describe_failure(const raski_failure *failure, const raski_error *err) {
    if (failure == NULL) return raski_strdup(err->message);
    raski_str text = {0};
    raski_failure_describe(failure, &text);
    return raski_str_steal(&text);
}

static rask_status run_job(job_run *run, rask_job_result *ret_result, char **ret_message,
                           raski_error *err) {
    raski_progress_start(&run->progress, run->graph, run->coordinators, run->show_progress);
    raski_job_submission submission = {
        .graph = run->graph,
        .coordinators = raski_split_coordinators_providers(run->coordinators),
        .coordinator_count = raski_split_coordinators_count(run->coordinators),
        .progress = raski_progress_wanted(&run->progress) ? raski_progress_show : NULL,
        .progress_ctx = &run->progress,
        .progress_interval_ms = RASKI_PROGRESS_INTERVAL_MS,
    };
    raski_job_result result = {0};
    raski_running_set_cluster(run->job, run->cluster);
    rask_status status = raski_mini_cluster_run(run->cluster, &submission, &result, err);
    raski_running_set_cluster(run->job, NULL);
    ret_result->runtime_ms = result.net_runtime_ms;
    count_records(run->graph, &result, ret_result);
    if (status != RASK_OK && status != RASK_E_CANCELLED)
        *ret_message = describe_failure(result.failure, err);
    raski_job_result_fini(&result);
    return status;
}

/* rask info starts programs that way: they print the plan of their job instead of running it. */
static bool only_plan_is_wanted(void) {
    const char *client = getenv("RASK_CLIENT");
    return client != NULL && strcmp(client, "info") == 0;
}

static int print_plan(rask_env *env) {
    char *message = NULL;
    char *plan = rask_execution_plan(env, &message);
    if (plan != NULL)
        (void)printf("%s\n", plan);
    else
        (void)fprintf(stderr, "rask: %s\n", message);
    free(plan);
    free(message);
    rask_env_destroy(env);
    return plan != NULL && fflush(stdout) == 0 ? RASK_EXIT_OK : RASK_EXIT_FAILED;
}

/* Sinks keep what the job made only if all of it succeeded. */
static rask_status end_connectors(rask_env *env, rask_status status, raski_error *err) {
    for (size_t i = 0; i < env->connectors.count; i++) {
        raski_connector *connector = &env->connectors.items[i];
        char message[512];
        if (connector->end_job == NULL ||
            connector->end_job(connector, status == RASK_OK, message, sizeof message))
            continue;
        status = RASKI_FAIL(err, RASK_E_IO, EXTERNAL, "%s", message);
    }
    return status;
}

/* With the graph made: the cluster, the run, and the end of both. */
static rask_status run_planned(job_run *run, rask_job_result *ret_result, char **ret_message,
                               raski_error *err) {
    rask_env *env = run->env;
    size_t buffers = 0;
    RASKI_TRY(raski_network_buffers(env->configuration, &buffers, err));
    run->pool = raski_network_pool_create(buffers);
    raski_stream_task_context context = {.configuration = env->configuration, .pool = run->pool};
    const raski_task_factory factory = raski_stream_task_factory(&context);
    run->coordinators = raski_split_coordinators_create(run->graph);
    rask_status status = start_cluster(run, &factory, err);
    if (status == RASK_OK) status = run_job(run, ret_result, ret_message, err);
    raski_mini_cluster_destroy(run->cluster);
    sum_counters(env, &context, ret_result);
    raski_progress_end(&run->progress, ret_result, status);
    raski_stream_task_context_fini(&context);
    raski_split_coordinators_destroy(run->coordinators);
    raski_network_pool_destroy(run->pool);
    return end_connectors(env, status, err);
}

rask_status raski_env_run(rask_env *env, const char *job_name, raski_running_job *job,
                          bool show_progress, rask_job_result *ret_result, char **ret_message) {
    job_run run = {.env = env, .job = job, .job_name = job_name, .show_progress = show_progress};
    raski_error error = {0};
    *ret_result = (rask_job_result){0};
    *ret_message = NULL;
    /* the program waits for results that there will not be; Flink ends it with an exception here */
    if (only_plan_is_wanted()) exit(print_plan(env));
    if (raski_env_plan_is_wanted()) exit(raski_env_print_plan(env, job_name));
    rask_status status = make_job_graph(&run, &error);
    if (status == RASK_OK) status = run_planned(&run, ret_result, ret_message, &error);
    if (status != RASK_OK && status != RASK_E_CANCELLED && *ret_message == NULL)
        *ret_message = raski_env_describe_mistake(env, &error);
    raski_job_graph_destroy(run.graph);
    ret_result->status = status;
    if (*ret_message != NULL)
        (void)snprintf(ret_result->message, sizeof ret_result->message, "%s", *ret_message);
    return status;
}

/* ---------------------------------------------------------------- the calls of a program */
int raski_execute_job(rask_env *env, const char *job_name, rask_job_result *ret_result,
                      size_t size) {
    char *message = NULL;
    rask_job_result result = {0};
    raski_running_job job;
    raski_error error = {0};
    rask_status status = raski_running_begin(&job, false, &error); /* cannot fail without signals */
    if (status == RASK_OK) status = raski_env_run(env, job_name, &job, false, &result, &message);
    raski_running_end(&job);
    if (ret_result != NULL) {
        memset(ret_result, 0, size); /* of a program that knows more fields: the rest is zero */
        memcpy(ret_result, &result, size < sizeof result ? size : sizeof result);
    }
    raski_free(message);
    if (status == RASK_E_CANCELLED) return RASK_EXIT_CANCELLED;
    return status == RASK_OK ? RASK_EXIT_OK : RASK_EXIT_FAILED;
}

int raski_report(const char *job_name, const raski_running_job *job, rask_status status,
                 const char *message) {
    if (status == RASK_OK) return RASK_EXIT_OK;
    if (status == RASK_E_CANCELLED) {
        if (atomic_load(&job->pipe_closed)) return RASK_EXIT_PIPE;
        (void)fprintf(stderr, "rask: job \"%s\" was cancelled\n", job_name);
        /* the number stays when signals are no longer handled */
        return atomic_load(&job->interrupted) ? 128 + raski_interrupt_signal()
                                              : RASK_EXIT_CANCELLED;
    }
    (void)fprintf(stderr, "rask: job \"%s\" failed: %s\n", job_name, message ? message : "");
    return RASK_EXIT_FAILED;
}

int rask_execute(rask_env *env_take, const char *job_name) {
    if (only_plan_is_wanted()) return print_plan(env_take);
    if (raski_env_plan_is_wanted()) return raski_env_print_plan(env_take, job_name);
    const char *configured = rask_get_option(env_take, "pipeline.name");
    char *name = raski_strdup(job_name     ? job_name
                              : configured ? configured
                                           : "Flink Streaming Job");
    raski_error error = {0};
    char *message = NULL;
    rask_job_result result;
    raski_running_job job;
    rask_status status = raski_running_begin(&job, true, &error);
    if (status == RASK_OK)
        status = raski_env_run(env_take, job_name, &job, true, &result, &message);
    else
        message = raski_strdup(error.message);
    raski_running_end(&job);
    rask_env_destroy(env_take);
    int code = raski_report(name, &job, status, message);
    raski_free(name);
    raski_free(message);
    return code;
}
