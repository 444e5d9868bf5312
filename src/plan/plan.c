#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "types/key_group.h"

void raski_plan_init(raski_plan *plan, raski_plan_env *env, const char *job_name) {
    *plan = (raski_plan){.env = env, .job_name = job_name, .stage = "streamGraph"};
    plan->arena = raski_arena_create(0);
    raski_operator_hashes_init(&plan->hashes);
}

void raski_plan_fini(raski_plan *plan) {
    raski_execution_topology_destroy(plan->execution);
    raski_job_graph_destroy(plan->job_graph);
    raski_operator_hashes_fini(&plan->hashes);
    raski_stream_graph_destroy(plan->stream_graph);
    raski_vec_free(&plan->edges);
    raski_arena_destroy(plan->arena);
}

rask_status raski_plan_run_stream_graph(raski_plan *plan, raski_error *err) {
    plan->stage = "streamGraph";
    RASKI_TRY(raski_stream_graph_generate(plan->env, &plan->stream_graph, err));
    if (plan->job_name != NULL) plan->stream_graph->job_name = plan->job_name;
    /* options that Flink reads when the plan is printed, and not before */
    static const char *const read_next[] = {
        "pipeline.operator-chaining.enabled",
        "pipeline.operator-chaining.chain-operators-with-different-max-parallelism"};
    plan->stage = "streamPlan";
    for (size_t i = 0; i < sizeof read_next / sizeof *read_next; i++)
        RASKI_TRY(raski_plan_config_check(&plan->stream_graph->config, read_next[i], err));
    return RASK_OK;
}

rask_status raski_plan_run_operator_ids(raski_plan *plan, raski_error *err) {
    plan->stage = "operatorHashes";
    return raski_operator_hashes_generate(plan->stream_graph, &plan->hashes, err);
}

rask_status raski_plan_run_job_graph(raski_plan *plan, raski_error *err) {
    plan->stage = "jobGraph";
    return raski_job_graph_create(plan->stream_graph, (raski_id){{0}}, &plan->job_graph, err);
}

/* The one thing about a single vertex that is refused that late: more subtasks than key groups. */
static void blame_vertex(raski_plan *plan) {
    for (size_t i = 0; i < plan->job_graph->sorted.count; i++) {
        const raski_job_vertex *vertex = plan->job_graph->sorted.items[i];
        if (vertex->max_parallelism <= 0 || vertex->parallelism <= vertex->max_parallelism)
            continue;
        const raski_stream_node *head =
            raski_stream_graph_node(plan->stream_graph, vertex->head_node);
        plan->env->graph->failed = head->transformation;
        return;
    }
}

rask_status raski_plan_check_subtasks(raski_plan *plan, size_t subtasks_max, raski_error *err) {
    size_t subtasks = 0;
    for (size_t i = 0; i < plan->job_graph->sorted.count; i++) {
        int parallelism = plan->job_graph->sorted.items[i]->parallelism;
        if (parallelism > RASKI_MAX_PARALLELISM_UPPER_BOUND) return RASK_OK; /* Flink's error */
        if (parallelism > 0) subtasks += (size_t)parallelism;
    }
    if (subtasks <= subtasks_max) return RASK_OK;
    plan->stage = "executionGraph";
    return RASKI_THROW(err, "OutOfMemoryError", "the job has %zu subtasks (expected at most %zu)",
                       subtasks, subtasks_max);
}

rask_status raski_plan_run_execution_graph(raski_plan *plan, raski_error *err) {
    plan->stage = "executionGraph";
    blame_vertex(plan);
    if (plan->env->graph->failed == NULL)
        RASKI_TRY(raski_plan_check_subtasks(plan, RASKI_PLAN_SUBTASKS_MAX, err));
    rask_status status = raski_execution_topology_create(plan->job_graph, &plan->execution, err);
    if (status == RASK_OK) plan->env->graph->failed = NULL;
    return status;
}

rask_status raski_plan_run(raski_plan *plan, raski_plan_graph graph, raski_error *err) {
    if (plan->stream_graph == NULL) {
        RASKI_TRY(raski_plan_run_stream_graph(plan, err));
        RASKI_TRY(raski_plan_run_operator_ids(plan, err));
        RASKI_TRY(raski_plan_explain_edges(plan, err));
    }
    if (graph >= RASKI_PLAN_JOB_GRAPH && plan->job_graph == NULL)
        RASKI_TRY(raski_plan_run_job_graph(plan, err));
    if (graph >= RASKI_PLAN_EXECUTION_GRAPH && plan->execution == NULL)
        RASKI_TRY(raski_plan_run_execution_graph(plan, err));
    return RASK_OK;
}

/* --- edges --------------------------------------------------------------------------------------
 */

static const char *in_words(raski_arena *arena, const raski_stream_edge *edge, unsigned obstacles) {
    if (obstacles == 0) return "";
    raski_str text = {0};
    for (unsigned i = 0; i < RASKI_OBSTACLES; i++) {
        if ((obstacles & 1u << i) == 0) continue;
        if (text.length > 0) raski_str_append(&text, "; ");
        raski_chain_obstacle_describe(edge, (raski_chain_obstacle)(1u << i), &text);
    }
    const char *copy = raski_arena_strdup(arena, raski_str_text(&text));
    raski_str_free(&text);
    return copy;
}

static int compare_ids(const void *a, const void *b) {
    return strcmp(((const raski_plan_edge *)a)->edge->id, ((const raski_plan_edge *)b)->edge->id);
}

rask_status raski_plan_explain_edges(raski_plan *plan, raski_error *err) {
    plan->stage = "jobGraph";
    for (size_t i = 0; i < plan->stream_graph->nodes.count; i++) {
        const raski_stream_node *node = plan->stream_graph->nodes.items[i];
        for (size_t k = 0; k < node->out_edges.count; k++) {
            raski_plan_edge entry = {.edge = node->out_edges.items[k]};
            entry.partitioner = raski_partitioner_text(entry.edge->partitioner);
            RASKI_TRY(raski_stream_edge_chain_obstacles(plan->stream_graph, entry.edge,
                                                        &entry.obstacles, err));
            entry.obstacles_text = in_words(plan->arena, entry.edge, entry.obstacles);
            raski_vec_push(&plan->edges, entry);
        }
    }
    if (plan->edges.count > 1)
        qsort(plan->edges.items, plan->edges.count, sizeof *plan->edges.items, compare_ids);
    return RASK_OK;
}

const raski_plan_edge *raski_plan_edge_between(const raski_plan *plan, const char *edge_id) {
    raski_stream_edge key_edge = {.id = edge_id};
    raski_plan_edge key = {.edge = &key_edge};
    if (plan->edges.count == 0) return NULL;
    return bsearch(&key, plan->edges.items, plan->edges.count, sizeof key, compare_ids);
}

rask_status raski_plan_check_descriptions(raski_plan *plan, raski_error *err) {
    static const size_t bytes_max = (size_t)256 << 20;
    size_t bytes = 0;
    for (size_t i = 0; i < plan->job_graph->sorted.count; i++)
        bytes +=
            raski_job_vertex_description_bytes(plan->job_graph, plan->job_graph->sorted.items[i]);
    if (bytes <= bytes_max) return RASK_OK;
    plan->stage = "jobGraph";
    return RASKI_THROW(err, "OutOfMemoryError",
                       "the descriptions of the vertices would have %zu MiB (expected at most %zu; "
                       "pipeline.vertex-description-mode: CASCADING makes them short)",
                       bytes >> 20, bytes_max >> 20);
}
