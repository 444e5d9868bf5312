/* failover/region_scheduling and failover/vertexwise_scheduling: what is deployed when. */
#include <string.h>

#include "golden/failover_graph.h"
#include "scheduler/failover_strategy.h"
#include "scheduler/scheduling_strategy.h"

typedef struct replay {
    golden_case *c;
    raski_execution_graph *graph;
    json_t *deployed; /* of the event at hand */
} replay;

static void deploy(void *ctx, const size_t *tasks, size_t count) {
    replay *r = ctx;
    json_array_append_new(r->deployed, failover_names_in_order(r->graph, tasks, count));
    for (size_t i = 0; i < count; i++) failover_bring(r->graph, tasks[i], RASKI_EXECUTION_RUNNING);
}

/* The case's rule: what a finished task wrote can be read again when it is blocking. */
static bool is_kept(void *ctx, uint32_t partition) {
    const raski_execution_graph *graph = ((const replay *)ctx)->graph;
    const raski_execution_vertex *producer = &graph->vertices[graph->partition_producer[partition]];
    const raski_job_vertex *vertex = producer->job_vertex->job_vertex;
    for (size_t r = 0; r < vertex->results.count; r++) {
        const raski_data_set *data_set = vertex->results.items[r];
        if (raski_execution_graph_partition(graph, data_set, producer->subtask) == partition)
            return raski_result_type_is_blocking(data_set->type) &&
                   producer->current.state == RASKI_EXECUTION_FINISHED;
    }
    return false;
}

static void fail(replay *r, raski_scheduling_strategy strategy, size_t task, const json_t *event,
                 const char *path) {
    size_t *tasks = NULL, count = 0;
    char where[96];
    raski_failover_tasks_to_restart(r->graph, RASKI_FAILOVER_REGION, task, UINT32_MAX, is_kept, r,
                                    &tasks, &count);
    json_t *names = failover_names(r->graph, tasks, count);
    (void)snprintf(where, sizeof where, "%s.restartTasks", path);
    golden_equal(r->c, where, json_object_get(event, "restartTasks"), names);
    json_decref(names);
    for (size_t i = 0; i < count; i++) {
        if (!raski_execution_state_is_final(raski_execution_graph_state(r->graph, tasks[i])))
            failover_bring(r->graph, tasks[i], RASKI_EXECUTION_CANCELED);
        raski_execution_graph_reset(r->graph, tasks[i], 0);
    }
    strategy.vtable->restart_tasks(strategy.self, tasks, count);
    raski_free(tasks);
}

static void play(replay *r, raski_scheduling_strategy strategy, size_t number,
                 const json_t *event) {
    const char *kind = json_string_value(json_object_get(event, "event"));
    const char *name = json_string_value(json_object_get(event, "task"));
    char path[64];
    (void)snprintf(path, sizeof path, "events[%zu]", number);
    r->deployed = json_array();
    if (strcmp(kind, "startScheduling") == 0) {
        strategy.vtable->start_scheduling(strategy.self);
    } else if (strcmp(kind, "finished") == 0) {
        size_t task = failover_task(r->graph, name);
        failover_bring(r->graph, task, RASKI_EXECUTION_FINISHED);
        strategy.vtable->on_execution_state_change(strategy.self, task, RASKI_EXECUTION_FINISHED);
    } else if (strcmp(kind, "fail") == 0) {
        fail(r, strategy, failover_task(r->graph, name), event, path);
    } else {
        golden_differ(r->c, path, "no such event: %s", kind);
    }
    (void)snprintf(path, sizeof path, "events[%zu].deployed", number);
    golden_equal(r->c, path, json_object_get(event, "deployed"), r->deployed);
    json_decref(r->deployed);
}

static void check_never_deployed(replay *r) {
    RASKI_VEC(size_t) tasks = {0};
    for (size_t task = 0; task < r->graph->vertex_count; task++)
        if (raski_execution_graph_state(r->graph, task) == RASKI_EXECUTION_CREATED)
            raski_vec_push(&tasks, task);
    json_t *names = failover_names(r->graph, tasks.items, tasks.count);
    golden_equal(r->c, "neverDeployed", json_object_get(r->c->json, "neverDeployed"), names);
    json_decref(names);
    raski_vec_free(&tasks);
}

static void play_all(replay *r, raski_scheduling_strategy strategy) {
    size_t i;
    const json_t *event;
    json_array_foreach(json_object_get(r->c->json, "events"), i, event) {
        play(r, strategy, i, event);
    }
    check_never_deployed(r);
    strategy.vtable->destroy(strategy.self);
}

static void check_regions(golden_case *c, const raski_execution_graph *graph) {
    const raski_execution_topology *topology = graph->topology;
    json_t **lists = raski_calloc(topology->region_count, sizeof(json_t *));
    for (size_t i = 0; i < topology->region_count; i++)
        lists[i] =
            failover_names(graph, topology->regions[i].tasks, topology->regions[i].task_count);
    json_t *regions = failover_sorted(lists, topology->region_count);
    raski_free(lists);
    golden_equal(c, "regions", json_object_get(c->json, "regions"), regions);
    json_decref(regions);
}

void golden_region_scheduling(golden_case *c) {
    raski_job_graph *job_graph = failover_job_graph(c);
    if (job_graph == NULL) return;
    replay r = {.c = c, .graph = failover_execution_graph(c, job_graph)};
    if (r.graph != NULL) {
        check_regions(c, r.graph);
        play_all(&r, raski_pipelined_region_strategy_create(
                         r.graph, &(raski_scheduling_operations){&r, deploy}));
    }
    raski_execution_graph_destroy(r.graph);
    raski_job_graph_destroy(job_graph);
}

void golden_vertexwise_scheduling(golden_case *c) {
    raski_job_graph *job_graph = failover_job_graph(c);
    if (job_graph == NULL) return;
    const char *name = json_string_value(json_object_get(c->json, "inputConsumableDecider"));
    raski_consumable_decider decider = RASKI_CONSUMABLE_DEFAULT;
    if (strcmp(name, "allFinished") == 0)
        decider = RASKI_CONSUMABLE_ALL_FINISHED;
    else if (strcmp(name, "partialFinished") == 0)
        decider = RASKI_CONSUMABLE_PARTIAL_FINISHED;
    replay r = {.c = c, .graph = failover_execution_graph(c, job_graph)};
    if (r.graph != NULL)
        play_all(&r, raski_vertexwise_strategy_create(r.graph, decider,
                                                      &(raski_scheduling_operations){&r, deploy}));
    raski_execution_graph_destroy(r.graph);
    raski_job_graph_destroy(job_graph);
}
