/* failover/edge_distribution: which partitions and subpartitions each consumer reads. */
#include <string.h>

#include "executiongraph/execution_topology.h"
#include "golden/golden.h"
#include "graph/job_graph_build.h"

static raski_job_graph *two_vertices(const golden_case *c, raski_distribution distribution) {
    raski_job_graph *graph = raski_job_graph_new("edge distribution");
    raski_error err = {0};
    raski_job_edge *edge = NULL;
    raski_job_vertex *producer = raski_job_graph_add_vertex(graph, (raski_id){{1}}, "producer");
    raski_job_vertex *consumer = raski_job_graph_add_vertex(graph, (raski_id){{2}}, "consumer");
    producer->parallelism = (int)json_integer_value(json_object_get(c->json, "producers"));
    consumer->parallelism = (int)json_integer_value(json_object_get(c->json, "consumers"));
    raski_data_set *data_set =
        raski_job_vertex_result(graph, producer, (raski_id){{3}}, RASKI_RESULT_PIPELINED_BOUNDED);
    if (raski_job_vertex_connect(graph, consumer, data_set, distribution, false, false, &edge,
                                 &err) != RASK_OK ||
        raski_job_graph_sort(graph, &err) != RASK_OK) {
        raski_job_graph_destroy(graph);
        return NULL;
    }
    return graph;
}

static json_t *range(raski_index_range r) {
    return json_pack("[i, i]", r.first, r.last);
}

static json_t *consumed(raski_consumed_range r) {
    return json_pack("[{s:o, s:o}]", "partitions", range(r.partitions), "subpartitions",
                     range(r.subpartitions));
}

/* As a topology answers; each consumer's group must agree with what the consumer reads. */
static void check_topology(golden_case *c, const raski_execution_topology *topology) {
    const raski_execution_job_vertex *producer = &topology->vertices[0];
    const raski_execution_job_vertex *consumer = &topology->vertices[1];
    const raski_data_set *data_set = producer->job_vertex->results.items[0];
    json_t *reads = json_array(), *subpartitions = json_array();
    for (int i = 0; i < consumer->parallelism; i++) {
        raski_consumed_range r = raski_execution_topology_reads(topology, consumer, 0, i);
        const raski_partition_group *group =
            raski_execution_topology_group_of_consumer(topology, consumer, 0, i);
        json_array_append_new(reads, consumed(r));
        if (group->partitions.first != r.partitions.first ||
            group->partitions.last != r.partitions.last || group->consumers.first > i ||
            group->consumers.last < i)
            golden_differ(c, "consumerInputs", "the group of consumer %d is another's", i);
    }
    for (int p = 0; p < producer->parallelism; p++) {
        const raski_partition_group *group =
            raski_execution_topology_group_of_partition(topology, data_set, 0, p);
        if (group->partitions.first > p || group->partitions.last < p)
            golden_differ(c, "numberOfSubpartitions", "the group of partition %d is another's", p);
        json_array_append_new(subpartitions, json_integer(raski_execution_topology_subpartitions(
                                                 topology, data_set, p)));
    }
    golden_equal(c, "consumerInputs", json_object_get(c->json, "consumerInputs"), reads);
    golden_equal(c, "numberOfSubpartitions", json_object_get(c->json, "numberOfSubpartitions"),
                 subpartitions);
    json_decref(reads);
    json_decref(subpartitions);
}

static void check_dynamic(golden_case *c, raski_distribution distribution) {
    const json_t *expected = json_object_get(c->json, "dynamicGraphConsumerInputs");
    if (expected == NULL) return;
    int producers = (int)json_integer_value(json_object_get(c->json, "producers"));
    int consumers = (int)json_integer_value(json_object_get(c->json, "consumers"));
    int subpartitions =
        (int)json_integer_value(json_object_get(c->json, "dynamicGraphSubpartitions"));
    json_t *reads = json_array();
    for (int i = 0; i < consumers; i++)
        json_array_append_new(
            reads, consumed(raski_consumed_range_compute(distribution, producers, consumers, i,
                                                         true, false, subpartitions)));
    golden_equal(c, "dynamicGraphConsumerInputs", expected, reads);
    json_decref(reads);
}

void golden_check_edge_distribution(golden_case *c) {
    const char *pattern = json_string_value(json_object_get(c->json, "pattern"));
    raski_distribution distribution = pattern != NULL && strcmp(pattern, "POINTWISE") == 0
                                          ? RASKI_DISTRIBUTION_POINTWISE
                                          : RASKI_DISTRIBUTION_ALL_TO_ALL;
    raski_job_graph *graph = two_vertices(c, distribution);
    raski_execution_topology *topology = NULL;
    raski_error err = {0};
    if (graph == NULL || raski_execution_topology_create(graph, &topology, &err) != RASK_OK)
        golden_differ(c, "", "no topology: %s", err.message);
    else
        check_topology(c, topology);
    raski_execution_topology_destroy(topology);
    raski_job_graph_destroy(graph);
    check_dynamic(c, distribution);
}
