/* failover/restart_region, failover/slot_sharing, failover/restart_backoff. */
#include <stdlib.h>
#include <string.h>

#include "config/configuration.h"
#include "golden/failover_graph.h"
#include "scheduler/failover_strategy.h"
#include "scheduler/restart_backoff.h"
#include "scheduler/slot_sharing.h"

/* ---------------------------------------------------------------- restart_region */

typedef struct region_case {
    const raski_execution_graph *graph;
    bool *is_unavailable; /* by partition */
} region_case;

/* "dataset#partition" */
static uint32_t partition_of(const raski_execution_graph *graph, const char *name) {
    char *end = NULL;
    unsigned long data_set = strtoul(name, &end, 10);
    unsigned long subtask = *end == '#' ? strtoul(end + 1, &end, 10) : 0;
    const raski_id id = {{2, (uint8_t)(data_set >> 8), (uint8_t)data_set}};
    for (size_t v = 0; v < graph->topology->vertex_count; v++) {
        const raski_job_vertex *vertex = graph->topology->vertices[v].job_vertex;
        for (size_t r = 0; r < vertex->results.count; r++)
            if (raski_id_equals(vertex->results.items[r]->id, id))
                return raski_execution_graph_partition(graph, vertex->results.items[r],
                                                       (int)subtask);
    }
    (void)fprintf(stderr, "golden: no such partition: %s\n", name);
    exit(2);
}

static bool is_available(void *ctx, uint32_t partition) {
    return !((const region_case *)ctx)->is_unavailable[partition];
}

static void check_failures(golden_case *c, region_case *rc) {
    size_t i;
    const json_t *failure;
    json_array_foreach(json_object_get(c->json, "failures"), i, failure) {
        const char *partition = json_string_value(json_object_get(failure, "partitionError"));
        size_t *tasks = NULL, count = 0;
        char path[64];
        raski_failover_tasks_to_restart(
            rc->graph, RASKI_FAILOVER_REGION,
            failover_task(rc->graph, json_string_value(json_object_get(failure, "failed"))),
            partition != NULL ? partition_of(rc->graph, partition) : UINT32_MAX, is_available, rc,
            &tasks, &count);
        json_t *names = failover_names(rc->graph, tasks, count);
        (void)snprintf(path, sizeof path, "failures[%zu].restart", i);
        golden_equal(c, path, json_object_get(failure, "restart"), names);
        json_decref(names);
        raski_free(tasks);
    }
}

void golden_restart_region(golden_case *c) {
    raski_job_graph *job_graph = failover_job_graph(c);
    if (job_graph == NULL) return;
    raski_execution_graph *graph = failover_execution_graph(c, job_graph);
    if (graph != NULL) {
        const char *name;
        const json_t *state, *partition;
        size_t i;
        json_object_foreach((json_t *)(uintptr_t)json_object_get(c->json, "states"), name, state) {
            failover_bring(graph, failover_task(graph, name),
                           failover_state(json_string_value(state)));
        }
        region_case rc = {graph, raski_calloc(graph->partition_count, sizeof(bool))};
        json_array_foreach(json_object_get(c->json, "unavailablePartitions"), i, partition) {
            rc.is_unavailable[partition_of(graph, json_string_value(partition))] = true;
        }
        check_failures(c, &rc);
        raski_free(rc.is_unavailable);
    }
    raski_execution_graph_destroy(graph);
    raski_job_graph_destroy(job_graph);
}

/* ---------------------------------------------------------------- slot_sharing */

/* The groups that have tasks, by their first task. */
static json_t *group_names(const raski_execution_graph *graph, const raski_slot_sharing *sharing) {
    json_t **lists = raski_calloc(sharing->groups.count, sizeof(json_t *));
    size_t count = 0;
    for (size_t g = 0; g < sharing->groups.count; g++)
        if (sharing->groups.items[g].tasks.count > 0)
            lists[count++] = failover_names(graph, sharing->groups.items[g].tasks.items,
                                            sharing->groups.items[g].tasks.count);
    json_t *groups = failover_sorted(lists, count);
    raski_free(lists);
    return groups;
}

static void check_sharing(golden_case *c, const raski_execution_graph *graph, const char *key,
                          raski_slot_sharing_strategy strategy) {
    const json_t *expected = json_object_get(c->json, key);
    if (expected == NULL) return;
    raski_error err = {0};
    raski_slot_sharing sharing = {0};
    char path[64];
    if (raski_slot_sharing_compute(graph->topology, strategy, &sharing, &err) != RASK_OK) {
        golden_differ(c, key, "%s", err.message);
        return;
    }
    json_t *groups = group_names(graph, &sharing);
    json_t *slots = json_integer((json_int_t)json_array_size(groups));
    (void)snprintf(path, sizeof path, "%s.groups", key);
    golden_equal(c, path, json_object_get(expected, "groups"), groups);
    (void)snprintf(path, sizeof path, "%s.slotsRequired", key);
    golden_equal(c, path, json_object_get(expected, "slotsRequired"), slots);
    json_decref(groups);
    json_decref(slots);
    raski_slot_sharing_fini(&sharing);
}

static void check_error(golden_case *c, const json_t *expected, const raski_error *err) {
    const char *exception = json_string_value(json_object_get(expected, "class"));
    const char *dot = exception != NULL ? strrchr(exception, '.') : NULL;
    if (!raski_error_is_set(err)) {
        golden_differ(c, "", "no error, expected %s", exception);
        return;
    }
    json_t *got = json_pack("{s:s, s:s}", "class", err->exception, "message", err->message);
    json_t *wanted = json_pack("{s:s, s:s}", "class", dot != NULL ? dot + 1 : exception, "message",
                               json_string_value(json_object_get(expected, "message")));
    golden_equal(c, "error", wanted, got);
    json_decref(got);
    json_decref(wanted);
}

void golden_slot_sharing(golden_case *c) {
    raski_job_graph *job_graph = failover_job_graph(c);
    if (job_graph == NULL) return;
    const json_t *build_error = json_object_get(c->json, "buildError");
    if (build_error != NULL) {
        raski_error err = {0};
        raski_execution_graph *graph = NULL;
        (void)!raski_execution_graph_create(job_graph, 0, 0, NULL, &graph, &err);
        check_error(c, build_error, &err);
        raski_execution_graph_destroy(graph);
    } else {
        raski_execution_graph *graph = failover_execution_graph(c, job_graph);
        if (graph != NULL) {
            check_sharing(c, graph, "localInputPreferred", RASKI_SLOT_SHARING_LOCAL_INPUT);
            check_sharing(c, graph, "taskBalanced", RASKI_SLOT_SHARING_BALANCED);
        }
        raski_execution_graph_destroy(graph);
    }
    raski_job_graph_destroy(job_graph);
}

/* ---------------------------------------------------------------- restart_backoff */

static int64_t number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_real(value) ? (int64_t)json_real_value(value) : json_integer_value(value);
}

static raski_restart_options options_of(const json_t *config) {
    const char *strategy = json_string_value(json_object_get(config, "strategy"));
    if (strcmp(strategy, "fixed-delay") == 0)
        return (raski_restart_options){.kind = RASKI_BACKOFF_FIXED_DELAY,
                                       .attempts = (int)number(config, "attempts"),
                                       .delay_ms = number(config, "delayMs")};
    if (strcmp(strategy, "failure-rate") == 0)
        return (raski_restart_options){
            .kind = RASKI_BACKOFF_FAILURE_RATE,
            .failures_max = (int)number(config, "maxFailuresPerInterval"),
            .interval_ms = number(config, "intervalMs"),
            .delay_ms = number(config, "delayMs")};
    if (strcmp(strategy, "exponential-delay") == 0)
        return (raski_restart_options){
            .kind = RASKI_BACKOFF_EXPONENTIAL_DELAY,
            .initial_ms = number(config, "initialMs"),
            .backoff_max_ms = number(config, "maxMs"),
            .multiplier = json_number_value(json_object_get(config, "multiplier")),
            .reset_threshold_ms = number(config, "resetThresholdMs"),
            .jitter = json_number_value(json_object_get(config, "jitter")),
            .attempts_before_reset = (int)number(config, "attemptsBeforeReset")};
    return (raski_restart_options){.kind = RASKI_BACKOFF_NONE};
}

static void check_text(golden_case *c, const char *path, const json_t *expected,
                       const raski_restart_backoff *backoff) {
    raski_str text = {0};
    raski_restart_backoff_describe(backoff, &text);
    json_t *got = json_string(raski_str_text(&text));
    golden_equal(c, path, expected, got);
    json_decref(got);
    raski_str_free(&text);
}

static void check_steps(golden_case *c) {
    raski_restart_options options = options_of(json_object_get(c->json, "config"));
    raski_restart_backoff backoff;
    size_t i;
    const json_t *step;
    (void)snprintf(c->name, sizeof c->name, "%s",
                   json_string_value(json_object_get(c->json, "id")));
    raski_restart_backoff_init(&backoff, &options);
    check_text(c, "toString", json_object_get(c->json, "toString"), &backoff);
    json_array_foreach(json_object_get(c->json, "steps"), i, step) {
        char path[32];
        int64_t now_ms = number(step, "now");
        bool is_new = raski_restart_backoff_notify(&backoff, now_ms);
        json_t *got = json_pack("{s:I, s:I, s:b, s:b, s:I}", "advanceMs",
                                (json_int_t)number(step, "advanceMs"), "now", (json_int_t)now_ms,
                                "newAttempt", is_new, "canRestart",
                                raski_restart_backoff_can_restart(&backoff, now_ms), "backoffMs",
                                (json_int_t)raski_restart_backoff_delay_ms(&backoff, now_ms));
        (void)snprintf(path, sizeof path, "steps[%zu]", i);
        golden_equal(c, path, step, got);
        json_decref(got);
    }
    raski_restart_backoff_fini(&backoff);
}

static const char *class_of(raski_restart_kind kind) {
    static const char *const names[] = {
        [RASKI_BACKOFF_NONE] = "NoRestartBackoffTimeStrategy",
        [RASKI_BACKOFF_FIXED_DELAY] = "FixedDelayRestartBackoffTimeStrategy",
        [RASKI_BACKOFF_FAILURE_RATE] = "FailureRateRestartBackoffTimeStrategy",
        [RASKI_BACKOFF_EXPONENTIAL_DELAY] = "ExponentialDelayRestartBackoffTimeStrategy",
    };
    return names[kind];
}

static void check_strategy(golden_case *c, const json_t *expected,
                           const raski_restart_options *options) {
    raski_restart_backoff backoff;
    raski_restart_backoff_init(&backoff, options);
    json_t *name = json_string(class_of(options->kind));
    json_t *can = json_boolean(raski_restart_backoff_can_restart(&backoff, 0));
    golden_equal(c, "ok.class", json_object_get(expected, "class"), name);
    golden_equal(c, "ok.canRestartInitially", json_object_get(expected, "canRestartInitially"),
                 can);
    check_text(c, "ok.toString", json_object_get(expected, "toString"), &backoff);
    json_decref(name);
    json_decref(can);
    raski_restart_backoff_fini(&backoff);
}

/* Rask checks each option's range when it is set, naming key and place, where Flink waits for the
 * strategy to be made: then only that it is refused is compared. */
static void check_configuration(golden_case *c) {
    raski_configuration *configuration = raski_configuration_create();
    raski_error err = {0};
    const char *key;
    const json_t *value;
    rask_status status = RASK_OK;
    raski_restart_options options = {0};
    json_object_foreach((json_t *)(uintptr_t)json_object_get(c->json, "configuration"), key,
                        value) {
        if (status == RASK_OK)
            status = raski_configuration_set(configuration, key, json_string_value(value),
                                             &RASKI_ORIGIN_BY_PROGRAM, &err);
    }
    bool refused_early = status != RASK_OK;
    if (status == RASK_OK)
        status = raski_restart_options_from_configuration(
            configuration, json_is_true(json_object_get(c->json, "checkpointing")), &options, &err);
    const json_t *error = json_object_get(c->json, "error");
    if (error == NULL && status == RASK_OK)
        check_strategy(c, json_object_get(c->json, "ok"), &options);
    else if (error == NULL)
        golden_differ(c, "ok", "refused: %s", err.message);
    else if (!refused_early)
        check_error(c, error, &err);
    raski_configuration_destroy(configuration);
}

static void check_arguments(golden_case *c) {
    double args[6];
    for (size_t i = 0; i < 6; i++)
        args[i] = json_number_value(json_array_get(json_object_get(c->json, "args"), i));
    const raski_restart_options options = {
        .kind = RASKI_BACKOFF_EXPONENTIAL_DELAY,
        .initial_ms = (int64_t)args[0],
        .backoff_max_ms = (int64_t)args[1],
        .multiplier = args[2],
        .reset_threshold_ms = (int64_t)args[3],
        .jitter = args[4],
        .attempts_before_reset = (int)args[5],
    };
    raski_error err = {0};
    rask_status status = raski_restart_options_check(&options, &err);
    const json_t *ok = json_object_get(c->json, "ok");
    if (ok == NULL) {
        check_error(c, json_object_get(c->json, "error"), &err);
    } else if (status != RASK_OK) {
        golden_differ(c, "ok", "refused: %s", err.message);
    } else {
        raski_restart_backoff backoff;
        raski_restart_backoff_init(&backoff, &options);
        check_text(c, "ok", ok, &backoff);
        raski_restart_backoff_fini(&backoff);
    }
}

void golden_restart_backoff(golden_case *c) {
    if (json_object_get(c->json, "steps") != NULL)
        check_steps(c);
    else if (json_object_get(c->json, "configuration") != NULL)
        check_configuration(c);
    else if (json_object_get(c->json, "args") != NULL)
        check_arguments(c);
    else
        golden_differ(c, "", "a case of an unknown form");
}
