/* The execution graph as text: subtasks per vertex, key groups, what is read, regions. Long lists
 * are cut: the JSON form has all of it. */
#include "plan/plan_text.h"
#include "types/key_group.h"

enum { LISTED_MAX = 8 };

static void write_range(const raski_plan_writer *w, raski_index_range range) {
    if (range.first == range.last)
        raski_str_appendf(w->out, "%d", range.first);
    else
        raski_str_appendf(w->out, "%d-%d", range.first, range.last);
}

static void write_more(const raski_plan_writer *w, size_t count) {
    if (count > LISTED_MAX)
        raski_str_appendf(w->out, "      ... and %zu more\n", count - LISTED_MAX);
}

/* "128: 64 for each subtask" or "128: 42 or 43 for each subtask". */
static void write_key_groups(const raski_plan_writer *w, const raski_execution_job_vertex *vertex) {
    raski_plan_write_label(w, "key groups");
    int least = vertex->max_parallelism / vertex->parallelism;
    raski_str_appendf(w->out, "%d%s: %d", vertex->max_parallelism,
                      vertex->max_parallelism_configured ? "" : " by default", least);
    if (vertex->max_parallelism % vertex->parallelism != 0)
        raski_str_appendf(w->out, " or %d", least + 1);
    raski_str_append(w->out, " for each subtask\n");
}

static void write_input(const raski_plan_writer *w, const raski_execution_edge *edge) {
    const raski_data_set *data_set = edge->job_edge->source;
    raski_plan_write_label(w, "reads");
    raski_str_appendf(w->out, "[%zu] by %s, ", data_set->producer->index,
                      edge->job_edge->ship_strategy);
    raski_plan_write_count(w, edge->group_count, "group", "groups");
    raski_str_append(w->out, " of partitions\n");
    for (size_t i = 0; i < edge->group_count && i < LISTED_MAX; i++) {
        raski_str_append(w->out, "      partitions ");
        write_range(w, edge->groups[i].partitions);
        raski_str_append(w->out, " by subtasks ");
        write_range(w, edge->groups[i].consumers);
        raski_str_append(w->out, "\n");
    }
    write_more(w, edge->group_count);
}

static void write_result(const raski_plan_writer *w, const raski_execution_job_vertex *vertex,
                         const raski_data_set *data_set) {
    raski_plan_write_label(w, "writes");
    raski_plan_write_count(w, (size_t)vertex->parallelism, "partition", "partitions");
    int subpartitions = raski_execution_topology_subpartitions(w->plan->execution, data_set, 0);
    raski_str_appendf(w->out, ", %s", raski_result_type_name(data_set->type));
    if (subpartitions >= 0) {
        raski_str_append(w->out, ", the first of ");
        raski_plan_write_count(w, (size_t)subpartitions, "subpartition", "subpartitions");
    }
    raski_str_append(w->out, "\n");
}

static void write_vertex(const raski_plan_writer *w, const raski_execution_job_vertex *vertex) {
    char hex[RASKI_ID_HEX_SIZE];
    const raski_job_vertex *job_vertex = vertex->job_vertex;
    raski_str_appendf(w->out, "\n[%zu] ", job_vertex->index);
    raski_plan_write(w, RASKI_PLAN_STRONG, job_vertex->name);
    raski_str_append(w->out, "\n");
    raski_plan_write_label(w, "id");
    raski_plan_writef(w, RASKI_PLAN_FAINT, "%s\n", raski_id_to_hex(job_vertex->id, hex));
    raski_plan_write_label(w, "subtasks");
    if (!vertex->is_initialized) {
        raski_plan_write_parallelism(w, vertex->parallelism);
        raski_str_appendf(w->out, ", at most %d; made when its inputs are there\n",
                          vertex->max_parallelism);
        return;
    }
    raski_str_appendf(w->out, "%d: tasks %zu to %zu of the job\n", vertex->parallelism,
                      vertex->first_task, vertex->first_task + (size_t)vertex->parallelism - 1);
    write_key_groups(w, vertex);
    for (size_t i = 0; i < job_vertex->inputs.count; i++) write_input(w, &vertex->inputs[i]);
    for (size_t i = 0; i < job_vertex->results.count; i++)
        write_result(w, vertex, job_vertex->results.items[i]);
}

/* "[0] 0-3, [1] 0-3": runs of subtasks of the same vertex. */
static void write_region(const raski_plan_writer *w, const raski_pipelined_region *region) {
    const raski_execution_topology *topology = w->plan->execution;
    size_t runs = 0;
    for (size_t i = 0; i < region->task_count;) {
        const raski_execution_job_vertex *vertex =
            raski_execution_topology_vertex_of(topology, region->tasks[i]);
        size_t last = i, end = vertex->first_task + (size_t)vertex->parallelism;
        while (last + 1 < region->task_count &&
               region->tasks[last + 1] == region->tasks[last] + 1 && region->tasks[last + 1] < end)
            last++;
        if (runs == LISTED_MAX) {
            raski_str_append(w->out, ", ...");
            return;
        }
        raski_str_appendf(w->out, "%s[%zu] ", runs++ > 0 ? ", " : "", vertex->job_vertex->index);
        write_range(w, (raski_index_range){(int)(region->tasks[i] - vertex->first_task),
                                           (int)(region->tasks[last] - vertex->first_task)});
        i = last + 1;
    }
}

void raski_plan_text_execution_graph(const raski_plan_writer *w) {
    const raski_execution_topology *topology = w->plan->execution;
    raski_str_append(w->out, "Execution graph of ");
    raski_plan_write(w, RASKI_PLAN_STRONG, topology->job_graph->name);
    raski_str_append(w->out, ": ");
    raski_plan_write_count(w, topology->vertex_count, "vertex", "vertices");
    raski_str_append(w->out, ", ");
    raski_plan_write_count(w, topology->task_count, "subtask", "subtasks");
    raski_str_append(w->out, ", ");
    raski_plan_write_count(w, topology->region_count, "pipelined region", "pipelined regions");
    raski_str_append(w->out, "\n");
    for (size_t i = 0; i < topology->vertex_count; i++) write_vertex(w, &topology->vertices[i]);
    raski_str_append(w->out, "\nPipelined regions (scheduled and restarted together)\n");
    for (size_t i = 0; i < topology->region_count && i < LISTED_MAX; i++) {
        raski_str_appendf(w->out, "    %zu: ", i);
        write_region(w, &topology->regions[i]);
        raski_str_append(w->out, "\n");
    }
    write_more(w, topology->region_count);
}
