#include "executiongraph/facts_execution_graph.h"

#include "base/str.h"
#include "types/key_group.h"

typedef const raski_execution_topology topology;
typedef const raski_execution_job_vertex job_vertex;

/* "3" or "0-3". */
static void append_range(raski_str *out, int first, int last) {
    if (first == last)
        raski_str_appendf(out, "%d", first);
    else
        raski_str_appendf(out, "%d-%d", first, last);
}

static json_t *take_text(raski_str *text) {
    json_t *result = json_string(raski_str_text(text));
    raski_str_free(text);
    return result;
}

static json_t *range_text(raski_index_range range) {
    raski_str text = {0};
    append_range(&text, range.first, range.last);
    return take_text(&text);
}

/* {"all": x} when all values are the same, else {"each": [...]}. Takes values. */
static json_t *packed(json_t *values) {
    bool same = json_array_size(values) > 0;
    for (size_t i = 1; same && i < json_array_size(values); i++)
        same = json_equal(json_array_get(values, 0), json_array_get(values, i));
    if (!same) return json_pack("{s:o}", "each", values);
    json_t *result = json_pack("{s:O}", "all", json_array_get(values, 0));
    json_decref(values);
    return result;
}

static json_t *key_groups(job_vertex *vertex) {
    json_t *array = json_array();
    for (int i = 0; i < vertex->parallelism; i++) {
        raski_key_group_range range = {0, -1};
        rask_status status = raski_key_group_range_of_subtask(vertex->max_parallelism,
                                                              vertex->parallelism, i, &range, NULL);
        RASKI_ASSERT(status == RASK_OK);
        json_array_append_new(array, json_sprintf("%d-%d", range.start, range.end));
    }
    return array;
}

/* ---- results -------------------------------------------------------------------------------- */

static int compare_consumers(const void *a, const void *b) {
    const raski_job_edge *x = *(raski_job_edge *const *)a, *y = *(raski_job_edge *const *)b;
    if (x->target != y->target) return x->target->index < y->target->index ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The places of the consumers of a result in the order in which Flink connects them. */
static size_t *connection_order(const raski_data_set *data_set) {
    size_t count = data_set->consumers.count;
    raski_job_edge **edges = RASKI_NEW_ARRAY(raski_job_edge *, count);
    size_t *order = RASKI_NEW_ARRAY(size_t, count);
    for (size_t i = 0; i < count; i++) edges[i] = data_set->consumers.items[i];
    qsort(edges, count, sizeof *edges, compare_consumers);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            if (data_set->consumers.items[k] == edges[i]) order[i] = k;
    raski_free(edges);
    return order;
}

static json_t *consumers_of(topology *t, const raski_data_set *data_set, const size_t *order,
                            int partition) {
    json_t *array = json_array();
    for (size_t i = 0; i < data_set->consumers.count; i++) {
        const raski_partition_group *group =
            raski_execution_topology_group_of_partition(t, data_set, order[i], partition);
        if (group == NULL) continue;
        raski_str text = {0};
        raski_str_appendf(&text, "%zu:", group->edge->target->index);
        append_range(&text, group->consumers.first, group->consumers.last);
        json_array_append_new(array, take_text(&text));
    }
    return array;
}

static json_t *result(topology *t, job_vertex *vertex, const raski_data_set *data_set) {
    size_t *order = connection_order(data_set);
    json_t *subpartitions = json_array(), *consumers = json_array();
    for (int p = 0; p < vertex->parallelism; p++) {
        int count = raski_execution_topology_subpartitions(t, data_set, p);
        json_array_append_new(subpartitions, count < 0 ? json_null() : json_integer(count));
        json_array_append_new(consumers, consumers_of(t, data_set, order, p));
    }
    raski_free(order);
    return json_pack("{s:o, s:i, s:o, s:o}", "result",
                     json_sprintf("%zu.%zu", data_set->producer->index, data_set->index),
                     "partitions", vertex->parallelism, "subpartitions", packed(subpartitions),
                     "consumers", packed(consumers));
}

/* ---- inputs --------------------------------------------------------------------------------- */

static json_t *reads(topology *t, job_vertex *vertex, size_t input) {
    json_t *array = json_array();
    for (int i = 0; i < vertex->parallelism; i++) {
        raski_consumed_range range = raski_execution_topology_reads(t, vertex, input, i);
        raski_str text = {0};
        append_range(&text, range.partitions.first, range.partitions.last);
        raski_str_append(&text, "/");
        append_range(&text, range.subpartitions.first, range.subpartitions.last);
        json_array_append_new(array, json_pack("[o]", take_text(&text)));
    }
    return packed(array);
}

static json_t *input_facts(topology *t, job_vertex *vertex, size_t input) {
    const raski_execution_edge *edge = &vertex->inputs[input];
    const raski_data_set *data_set = edge->job_edge->source;
    json_t *groups = json_array();
    for (size_t i = 0; i < edge->group_count; i++)
        json_array_append_new(
            groups, json_pack("{s:o, s:o}", "partitions", range_text(edge->groups[i].partitions),
                              "consumers", range_text(edge->groups[i].consumers)));
    return json_pack("{s:o, s:o, s:o}", "result",
                     json_sprintf("%zu.%zu", data_set->producer->index, data_set->index), "reads",
                     reads(t, vertex, input), "groups", groups);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static json_t *vertex_facts(topology *t, job_vertex *vertex) {
    json_t *facts = json_pack("{s:i, s:i, s:i, s:b}", "index", (int)vertex->job_vertex->index,
                              "parallelism", vertex->parallelism, "maxParallelism",
                              vertex->max_parallelism, "initialized", vertex->is_initialized);
    if (!vertex->is_initialized) return facts;
    json_t *results = json_array(), *inputs = json_array();
    for (size_t i = 0; i < vertex->job_vertex->results.count; i++)
        json_array_append_new(results, result(t, vertex, vertex->job_vertex->results.items[i]));
    for (size_t i = 0; i < vertex->job_vertex->inputs.count; i++)
        json_array_append_new(inputs, input_facts(t, vertex, i));
    json_object_set_new(facts, "keyGroups", key_groups(vertex));
    json_object_set_new(facts, "results", results);
    json_object_set_new(facts, "inputs", inputs);
    return facts;
}

/* "vertex:subtasks" parts joined by blanks; tasks are ascending, and so are vertices. */
static json_t *region_facts(topology *t, const raski_pipelined_region *region) {
    raski_str text = {0};
    size_t i = 0, last_vertex = SIZE_MAX;
    while (i < region->task_count) {
        job_vertex *vertex = raski_execution_topology_vertex_of(t, region->tasks[i]);
        size_t first = region->tasks[i], last = first;
        size_t end = vertex->first_task + (size_t)vertex->parallelism;
        while (++i < region->task_count && region->tasks[i] == last + 1 && last + 1 < end) last++;
        if (vertex->job_vertex->index != last_vertex)
            raski_str_appendf(&text, "%s%zu:", last_vertex == SIZE_MAX ? "" : " ",
                              vertex->job_vertex->index);
        else
            raski_str_append(&text, ",");
        append_range(&text, (int)(first - vertex->first_task), (int)(last - vertex->first_task));
        last_vertex = vertex->job_vertex->index;
    }
    return take_text(&text);
}

json_t *raski_facts_execution_graph(const raski_execution_topology *t) {
    json_t *vertices = json_array(), *regions = json_array();
    for (size_t i = 0; i < t->vertex_count; i++)
        json_array_append_new(vertices, vertex_facts(t, &t->vertices[i]));
    for (size_t i = 0; i < t->region_count; i++)
        json_array_append_new(regions, region_facts(t, &t->regions[i]));
    return json_pack("{s:o, s:o}", "vertices", vertices, "regions", regions);
}
