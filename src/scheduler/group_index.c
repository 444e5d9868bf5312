#include "scheduler/group_index.h"

#include "base/alloc.h"

void raski_group_index_init(raski_group_index *index, const raski_execution_topology *topology) {
    *index = (raski_group_index){.topology = topology};
    index->first = RASKI_NEW_ARRAY(size_t *, topology->vertex_count);
    for (size_t v = 0; v < topology->vertex_count; v++) {
        const raski_execution_job_vertex *vertex = &topology->vertices[v];
        size_t inputs = vertex->job_vertex->inputs.count;
        index->first[v] = RASKI_NEW_ARRAY(size_t, inputs);
        for (size_t i = 0; i < inputs; i++) {
            index->first[v][i] = index->group_count;
            index->group_count += vertex->inputs[i].group_count;
        }
    }
    index->groups = RASKI_NEW_ARRAY(const raski_partition_group *, index->group_count);
    for (size_t v = 0; v < topology->vertex_count; v++) {
        const raski_execution_job_vertex *vertex = &topology->vertices[v];
        for (size_t i = 0; i < vertex->job_vertex->inputs.count; i++)
            for (size_t g = 0; g < vertex->inputs[i].group_count; g++)
                index->groups[index->first[v][i] + g] = &vertex->inputs[i].groups[g];
    }
}

void raski_group_index_fini(raski_group_index *index) {
    if (index->topology == NULL) return;
    for (size_t v = 0; v < index->topology->vertex_count; v++) raski_free(index->first[v]);
    raski_free(index->first);
    raski_free(index->groups);
    *index = (raski_group_index){0};
}

static size_t number_of(const raski_group_index *index, const raski_partition_group *group) {
    const raski_job_edge *edge = group->edge;
    size_t vertex = edge->target->index;
    const raski_execution_edge *input = &index->topology->vertices[vertex].inputs[edge->index];
    return index->first[vertex][edge->index] + (size_t)(group - input->groups);
}

size_t raski_group_index_of_consumer(const raski_group_index *index,
                                     const raski_execution_job_vertex *vertex, size_t input,
                                     int subtask) {
    return number_of(
        index, raski_execution_topology_group_of_consumer(index->topology, vertex, input, subtask));
}

bool raski_group_index_of_partition(const raski_group_index *index, const raski_data_set *data_set,
                                    size_t consumer, int partition, size_t *ret_group) {
    const raski_partition_group *group =
        raski_execution_topology_group_of_partition(index->topology, data_set, consumer, partition);
    if (group == NULL) return false;
    *ret_group = number_of(index, group);
    return true;
}

size_t raski_group_index_producer(const raski_group_index *index, size_t group, int partition) {
    const raski_job_vertex *producer = index->groups[group]->edge->source->producer;
    return index->topology->vertices[producer->index].first_task + (size_t)partition;
}
