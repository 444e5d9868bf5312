/* plan_invariants.h - what holds for every plan, whatever the program: for the property test and
 * the fuzz target. A violation aborts. */
#ifndef RASKI_PLAN_PLAN_INVARIANTS_H
#define RASKI_PLAN_PLAN_INVARIANTS_H
#include <stdlib.h>
#include <string.h>

#include "graph/topology.h"
#include "plan/json_compact.h"
#include "plan/plan_check.h"
#include "plan/plan_diff.h"
#include "plan/plan_facts.h"
#include "plan/plan_format.h"

/* Where the operator of a node runs: its vertex + 1 by node id. Each node is in exactly one. */
static inline raski_map invariant_places(const raski_plan *plan) {
    raski_map vertex_of = {0};
    for (size_t v = 0; v < plan->job_graph->sorted.count; v++) {
        const raski_job_vertex *vertex = plan->job_graph->sorted.items[v];
        for (size_t i = 0; i < vertex->operator_count; i++) {
            uint64_t node = (uint64_t)vertex->operators[i].node;
            RASKI_ASSERT(!raski_map_has_number(&vertex_of, node));
            raski_map_put_number(&vertex_of, node, (void *)(uintptr_t)(v + 1));
        }
    }
    RASKI_ASSERT(vertex_of.count == plan->stream_graph->nodes.count);
    for (size_t i = 0; i < plan->stream_graph->nodes.count; i++)
        RASKI_ASSERT(
            raski_map_has_number(&vertex_of, (uint64_t)plan->stream_graph->nodes.items[i]->id));
    return vertex_of;
}

static inline bool invariant_is_chained(const raski_job_vertex *vertex,
                                        const raski_stream_edge *edge) {
    const raski_job_operator *op = raski_job_vertex_find_operator(vertex, edge->source->id);
    for (size_t i = 0; i < op->chained_output_count; i++)
        if (strcmp(op->chained_outputs[i].edge_id, edge->id) == 0) return true;
    const raski_job_operator *target = raski_job_vertex_find_operator(vertex, edge->target->id);
    for (size_t i = 0; target != NULL && i < target->input_count; i++)
        if (target->inputs[i].kind == RASKI_INPUT_CHAINED_SOURCE &&
            target->inputs[i].source_node == edge->source->id)
            return true;
    return false;
}

/* An edge is inside a chain exactly when nothing was found that speaks against it. */
static inline void invariant_edges(const raski_plan *plan, const raski_map *vertex_of) {
    for (size_t i = 0; i < plan->edges.count; i++) {
        const raski_stream_edge *edge = plan->edges.items[i].edge;
        void *place = raski_map_get_number(vertex_of, (uint64_t)edge->source->id);
        const raski_job_vertex *vertex =
            plan->job_graph->sorted.items[(size_t)(uintptr_t)place - 1];
        RASKI_ASSERT((plan->edges.items[i].obstacles == 0) == invariant_is_chained(vertex, edge));
        RASKI_ASSERT((plan->edges.items[i].obstacles == 0) ==
                     (plan->edges.items[i].obstacles_text[0] == '\0'));
    }
}

static inline void invariant_job_graph(const raski_plan *plan) {
    raski_map vertex_of = invariant_places(plan);
    invariant_edges(plan, &vertex_of);
    raski_map_free(&vertex_of);
    for (size_t v = 0; v < plan->job_graph->sorted.count; v++) {
        const raski_job_vertex *vertex = plan->job_graph->sorted.items[v];
        RASKI_ASSERT(vertex->index == v);
        RASKI_ASSERT(raski_id_equals(vertex->id, vertex->operators[vertex->head].id));
        for (size_t i = 0; i < vertex->inputs.count; i++)
            RASKI_ASSERT(vertex->inputs.items[i]->source->producer->index < v);
    }
}

static inline void invariant_execution_graph(const raski_plan *plan) {
    const raski_execution_topology *topology = plan->execution;
    size_t in_regions = 0, tasks = 0;
    for (size_t i = 0; i < topology->region_count; i++)
        for (size_t k = 0; k < topology->regions[i].task_count; k++, in_regions++)
            RASKI_ASSERT(topology->region_of_task[topology->regions[i].tasks[k]] == i);
    for (size_t i = 0; i < topology->vertex_count; i++)
        if (topology->vertices[i].is_initialized)
            tasks += (size_t)topology->vertices[i].parallelism;
    RASKI_ASSERT(in_regions == topology->task_count && tasks == topology->task_count);
}

/* All forms of all graphs can be printed. Returns everything that was printed, a heap string. */
static inline char *invariant_print(const raski_plan *plan) {
    raski_str out = {0};
    size_t count;
    const raski_plan_format *formats = raski_plan_formats(&count);
    const raski_plan_style style = {.colors = false};
    for (size_t i = 0; i < count; i++)
        for (int graph = RASKI_PLAN_STREAM_GRAPH; graph <= RASKI_PLAN_EXECUTION_GRAPH; graph++)
            if (formats[i].print != NULL)
                formats[i].print(plan, (raski_plan_graph)graph, &style, &out);
    return raski_str_steal(&out);
}

/* A list of operators survives JSON, and a savepoint of a program fits the program. */
static inline void invariant_operators(const raski_plan *plan) {
    raski_error err = {0};
    raski_plan_operators *list = raski_plan_operators_create(plan), *copy = NULL;
    json_t *document = raski_plan_operators_to_json(list);
    RASKI_ASSERT(raski_plan_operators_from_json(document, &copy, &err) == RASK_OK);
    raski_plan_diff *diff = raski_plan_diff_create(list, copy);
    bool has_user_ids = false; /* with them an operator may ask for another's state */
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].has_user_id) has_user_ids = true;
    if (!has_user_ids) {
        RASKI_ASSERT(diff->counts[RASKI_CHANGE_STAYS] == list->count);
        for (size_t i = 0; i < diff->states.count; i++)
            RASKI_ASSERT((diff->states.items[i].fate == RASKI_STATE_MAPS) !=
                         list->items[diff->states.items[i].old_place].is_chained_source);
    }
    raski_plan_diff_destroy(diff);
    raski_plan_operators_destroy(list);
    raski_plan_operators_destroy(copy);
    json_decref(document);
}

/* What rask plan --check says of a plan, or of why there is none. */
static inline void invariant_check(const raski_plan *plan, const raski_error *err) {
    raski_plan_findings *findings = raski_plan_check(plan, err);
    RASKI_ASSERT(err == NULL || raski_plan_findings_refuse(findings));
    raski_free(raski_plan_findings_text(findings, true));
    raski_free(raski_plan_findings_text(findings, false));
    raski_plan_findings_destroy(findings);
}

/* Plans a document once. Returns all that was printed; the exception and text when it is refused.
 */
static inline char *invariant_plan(const json_t *document) {
    raski_topology *topology = NULL;
    raski_error err = {0};
    raski_plan plan;
    char *text = NULL;
    rask_status status = raski_topology_create(document, &topology, &err);
    if (status == RASK_OK) status = raski_topology_build(topology, &err);
    if (status == RASK_OK) {
        raski_plan_init(&plan, raski_topology_env(topology), raski_topology_job_name(topology));
        status = raski_plan_run(&plan, RASKI_PLAN_EXECUTION_GRAPH, &err);
        if (status == RASK_OK) {
            invariant_job_graph(&plan);
            invariant_execution_graph(&plan);
            invariant_operators(&plan);
            text = invariant_print(&plan);
        }
        invariant_check(&plan, status == RASK_OK ? NULL : &err);
        raski_plan_fini(&plan);
    }
    RASKI_ASSERT((status == RASK_OK) == (err.status == RASK_OK)); /* it says why */
    if (status != RASK_OK) {
        RASKI_ASSERT(raski_topology_failed_at(topology).op != NULL);
        raski_free(raski_topology_expectation(topology, &err));
        text = raski_format("%s: %s", err.exception, err.message);
    }
    raski_topology_destroy(topology);
    return text;
}

/* Twice the same, and the facts too. Returns whether Flink would take the program. */
static inline bool invariants_hold(const json_t *document) {
    raski_error err = {0}, again = {0};
    char *first = invariant_plan(document), *second = invariant_plan(document);
    RASKI_ASSERT(strcmp(first, second) == 0);
    raski_free(first);
    raski_free(second);
    json_t *facts = raski_plan_facts_of_topology(document, &err);
    json_t *facts_again = raski_plan_facts_of_topology(document, &again);
    raski_str compact = {0};
    raski_json_print_compact(facts, &compact);
    char *expected = json_dumps(facts, JSON_COMPACT | JSON_REAL_PRECISION(17));
    RASKI_ASSERT(strcmp(raski_str_text(&compact), expected) == 0);
    raski_str_free(&compact);
    free(expected);
    RASKI_ASSERT(facts != NULL && json_equal(facts, facts_again));
    RASKI_ASSERT((err.status == RASK_OK) == (json_object_get(facts, "error") == NULL));
    json_decref(facts);
    json_decref(facts_again);
    return err.status == RASK_OK;
}
#endif
