#include "golden/failover_graph.h"

#include <stdlib.h>
#include <string.h>

#include "graph/job_graph_build.h"

static int integer(const json_t *object, const char *key) {
    return (int)json_integer_value(json_object_get(object, key));
}

static raski_result_type type_of(const char *name) {
    for (int t = RASKI_RESULT_BLOCKING; t <= RASKI_RESULT_HYBRID_SELECTIVE; t++)
        if (strcmp(raski_result_type_name((raski_result_type)t), name) == 0)
            return (raski_result_type)t;
    (void)fprintf(stderr, "golden: no such result type: %s\n", name);
    exit(2);
}

static raski_slot_group *slot_group(raski_job_graph *graph, raski_slot_group **groups,
                                    const json_t *vertex) {
    int number = integer(vertex, "slotSharingGroup");
    RASKI_ASSERT(number >= 0 && number < 64);
    if (groups[number] == NULL) {
        groups[number] = raski_arena_calloc(graph->arena, sizeof **groups);
        groups[number]->name = "default";
        raski_vec_push(&graph->slot_groups, groups[number]);
    }
    return groups[number];
}

static void add_vertices(raski_job_graph *graph, const json_t *vertices) {
    raski_slot_group *groups[64] = {0};
    size_t i;
    const json_t *vertex;
    json_array_foreach(vertices, i, vertex) {
        char name[24];
        (void)snprintf(name, sizeof name, "%zu", i);
        raski_job_vertex *v =
            raski_job_graph_add_vertex(graph, (raski_id){{1, (uint8_t)(i >> 8), (uint8_t)i}}, name);
        v->parallelism = integer(vertex, "parallelism");
        v->slot_group = slot_group(graph, groups, vertex);
        raski_vec_push(&v->slot_group->vertices, v);
    }
}

static rask_status add_edges(raski_job_graph *graph, const json_t *edges, raski_error *err) {
    size_t i;
    const json_t *edge;
    json_array_foreach(edges, i, edge) {
        int data_set = integer(edge, "dataset");
        raski_job_edge *unused = NULL;
        const char *pattern = json_string_value(json_object_get(edge, "pattern"));
        raski_data_set *result =
            raski_job_vertex_result(graph, graph->vertices.items[integer(edge, "from")],
                                    (raski_id){{2, (uint8_t)(data_set >> 8), (uint8_t)data_set}},
                                    type_of(json_string_value(json_object_get(edge, "type"))));
        RASKI_TRY(raski_job_vertex_connect(
            graph, graph->vertices.items[integer(edge, "to")], result,
            strcmp(pattern, "POINTWISE") == 0 ? RASKI_DISTRIBUTION_POINTWISE
                                              : RASKI_DISTRIBUTION_ALL_TO_ALL,
            false, false, &unused, err));
    }
    return RASK_OK;
}

static void add_co_location(raski_job_graph *graph, const json_t *lists) {
    size_t i, j;
    const json_t *list, *vertex;
    json_array_foreach(lists, i, list) {
        raski_co_location_group *group = raski_arena_calloc(graph->arena, sizeof *group);
        raski_vec_push(&graph->co_location_groups, group);
        json_array_foreach(list, j, vertex) {
            raski_job_vertex *v = graph->vertices.items[json_integer_value(vertex)];
            v->co_location_group = group;
            raski_vec_push(&group->vertices, v);
        }
    }
}

raski_job_graph *failover_job_graph(golden_case *c) {
    const json_t *json = json_object_get(c->json, "graph");
    raski_error err = {0};
    raski_job_graph *graph = raski_job_graph_new("failover");
    (void)snprintf(c->name, sizeof c->name, "%s",
                   json_string_value(json_object_get(c->json, "id")));
    add_vertices(graph, json_object_get(json, "vertices"));
    if (add_edges(graph, json_object_get(json, "edges"), &err) == RASK_OK &&
        raski_job_graph_sort(graph, &err) == RASK_OK) {
        add_co_location(graph, json_object_get(json, "coLocation"));
        raski_job_graph_number_groups(graph);
        return graph;
    }
    golden_differ(c, "graph", "%s", err.message);
    raski_job_graph_destroy(graph);
    return NULL;
}

raski_execution_graph *failover_execution_graph(golden_case *c, const raski_job_graph *job_graph) {
    raski_error err = {0};
    raski_execution_graph *graph = NULL;
    if (raski_execution_graph_create(job_graph, 0, 0, NULL, &graph, &err) != RASK_OK)
        golden_differ(c, "graph", "%s", err.message);
    return graph;
}

size_t failover_task(const raski_execution_graph *graph, const char *name) {
    char *end = NULL;
    unsigned long vertex = strtoul(name, &end, 10);
    unsigned long subtask = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
    for (size_t task = 0; task < graph->vertex_count; task++)
        if (graph->vertices[task].job_vertex->job_vertex->creation_index == vertex &&
            graph->vertices[task].subtask == (int)subtask)
            return task;
    (void)fprintf(stderr, "golden: no such task: %s\n", name);
    exit(2);
}

typedef struct named {
    size_t vertex;
    int subtask;
} named;

static int by_name(const void *a, const void *b) {
    const named *x = a, *y = b;
    if (x->vertex != y->vertex) return x->vertex < y->vertex ? -1 : 1;
    return (x->subtask > y->subtask) - (x->subtask < y->subtask);
}

static json_t *names_of(const raski_execution_graph *graph, const size_t *tasks, size_t count,
                        bool is_sorted) {
    named *names = raski_calloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = (named){graph->vertices[tasks[i]].job_vertex->job_vertex->creation_index,
                           graph->vertices[tasks[i]].subtask};
    if (is_sorted) qsort(names, count, sizeof *names, by_name);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_sprintf("%zu.%d", names[i].vertex, names[i].subtask));
    raski_free(names);
    return list;
}

json_t *failover_names(const raski_execution_graph *graph, const size_t *tasks, size_t count) {
    return names_of(graph, tasks, count, true);
}

json_t *failover_names_in_order(const raski_execution_graph *graph, const size_t *tasks,
                                size_t count) {
    return names_of(graph, tasks, count, false);
}

static int by_first_name(const void *a, const void *b) {
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    unsigned long xv, yv, xs, ys;
    (void)sscanf(json_string_value(json_array_get(x, 0)), "%lu.%lu", &xv, &xs);
    (void)sscanf(json_string_value(json_array_get(y, 0)), "%lu.%lu", &yv, &ys);
    if (xv != yv) return xv < yv ? -1 : 1;
    return (xs > ys) - (xs < ys);
}

json_t *failover_sorted(json_t **lists_take, size_t count) {
    json_t *sorted = json_array();
    qsort(lists_take, count, sizeof(json_t *), by_first_name);
    for (size_t i = 0; i < count; i++) json_array_append_new(sorted, lists_take[i]);
    return sorted;
}

raski_execution_state failover_state(const char *name) {
    for (int s = 0; s < RASKI_EXECUTION_STATES; s++)
        if (strcmp(raski_execution_state_name((raski_execution_state)s), name) == 0)
            return (raski_execution_state)s;
    (void)fprintf(stderr, "golden: no such state: %s\n", name);
    exit(2);
}

/* Whether `to` can be reached; if so *ret_next is the first step. */
static bool find_step(raski_execution_state from, raski_execution_state to, unsigned seen,
                      raski_execution_state *ret_next) {
    for (int s = 0; s < RASKI_EXECUTION_STATES; s++) {
        raski_execution_state next = (raski_execution_state)s, unused;
        if (!raski_execution_state_may_follow(from, next) || (seen & 1U << s) != 0) continue;
        if (next == to || find_step(next, to, seen | 1U << s, &unused)) {
            *ret_next = next;
            return true;
        }
    }
    return false;
}

void failover_bring(raski_execution_graph *graph, size_t task, raski_execution_state state) {
    raski_execution_state next;
    raski_execution_state now = raski_execution_graph_state(graph, task);
    if (raski_execution_state_is_final(now) && now != state)
        raski_execution_graph_reset(graph, task, 0);
    while ((now = raski_execution_graph_state(graph, task)) != state) {
        if (!find_step(now, state, 1U << now, &next) ||
            !raski_execution_graph_transition(graph, task, next, 0, NULL)) {
            (void)fprintf(stderr, "golden: no way from %s to %s\n", raski_execution_state_name(now),
                          raski_execution_state_name(state));
            exit(2);
        }
    }
}
