#include "executiongraph/execution_topology.h"

#include <strings.h>

#include "executiongraph/network_memory.h"
#include "executiongraph/pipelined_regions.h"
#include "types/key_group.h"

/* ---- who reads what ------------------------------------------------------------------------- */

/* Products of two parallelisms fit in 64 bits (a parallelism is at most 2^15, but a subpartition
 * count comes from anywhere). */
static int scaled(int index, int numerator, int denominator) {
    return (int)((int64_t)index * numerator / denominator);
}

static int scaled_up(int index, int numerator, int denominator) {
    return (int)(((int64_t)index * numerator + denominator - 1) / denominator);
}

static raski_index_range subpartition_range(int consumer, int consumers, bool is_dynamic,
                                            bool is_broadcast, int subpartitions) {
    consumer %= consumers;
    if (!is_dynamic) return (raski_index_range){consumer, consumer};
    if (is_broadcast) return (raski_index_range){0, subpartitions - 1};
    return (raski_index_range){scaled(consumer, subpartitions, consumers),
                               scaled(consumer + 1, subpartitions, consumers) - 1};
}

/* Which partition a consumer reads when there are fewer of them than consumers. */
static int partition_of_consumer(int producers, int consumers, int subtask) {
    return scaled(subtask, producers, consumers);
}

raski_consumed_range raski_consumed_range_compute(raski_distribution distribution, int producers,
                                                  int consumers, int subtask, bool is_dynamic,
                                                  bool is_broadcast, int subpartitions) {
    RASKI_ASSERT(producers > 0 && consumers > 0 && subtask >= 0 && subtask < consumers);
    if (distribution == RASKI_DISTRIBUTION_ALL_TO_ALL)
        return (raski_consumed_range){
            {0, producers - 1},
            subpartition_range(subtask, consumers, is_dynamic, is_broadcast, subpartitions)};
    if (producers >= consumers)
        return (raski_consumed_range){
            {scaled(subtask, producers, consumers), scaled(subtask + 1, producers, consumers) - 1},
            subpartition_range(subtask, 1, is_dynamic, false, subpartitions)};
    int partition = partition_of_consumer(producers, consumers, subtask);
    int first = scaled_up(partition, consumers, producers);
    int readers = scaled_up(partition + 1, consumers, producers) - first;
    /* Flink numbers the readers of a partition by their subtask modulo their number, not from the
     * first of them; each still reads another subpartition. */
    return (raski_consumed_range){
        {partition, partition},
        subpartition_range(subtask, readers, is_dynamic, false, subpartitions)};
}

/* ---- parallelism ---------------------------------------------------------------------------- */

static rask_status check_bounds(const char *what, int value, raski_error *err) {
    if (value > 0 && value <= RASKI_MAX_PARALLELISM_UPPER_BOUND) return RASK_OK;
    return RASKI_THROW(err, "IllegalArgumentException",
                       "Setting %s is not in valid bounds (1..%d), found: %d", what,
                       RASKI_MAX_PARALLELISM_UPPER_BOUND, value);
}

static rask_status decide_parallelism(raski_execution_job_vertex *vertex, bool is_dynamic,
                                      int default_max_parallelism, raski_error *err) {
    const raski_job_vertex *job_vertex = vertex->job_vertex;
    vertex->parallelism = job_vertex->parallelism;
    if (vertex->parallelism == RASKI_PARALLELISM_DEFAULT && !is_dynamic) vertex->parallelism = 1;
    if (vertex->parallelism != RASKI_PARALLELISM_DEFAULT)
        RASKI_TRY(check_bounds("parallelism", vertex->parallelism, err));
    vertex->max_parallelism_configured = job_vertex->max_parallelism != RASKI_PARALLELISM_DEFAULT;
    if (vertex->max_parallelism_configured)
        vertex->max_parallelism = job_vertex->max_parallelism;
    else if (vertex->parallelism > 0)
        RASKI_TRY(
            raski_default_max_parallelism(vertex->parallelism, &vertex->max_parallelism, err));
    else
        vertex->max_parallelism = default_max_parallelism;
    if (vertex->max_parallelism == INT32_MAX)
        vertex->max_parallelism = RASKI_MAX_PARALLELISM_UPPER_BOUND;
    return check_bounds("max parallelism", vertex->max_parallelism, err);
}

static rask_status decide_all(raski_execution_topology *topology, int default_max_parallelism,
                              raski_error *err) {
    const raski_job_graph *graph = topology->job_graph;
    for (size_t i = 0; i < graph->vertices.count; i++) {
        const raski_job_vertex *job_vertex = graph->vertices.items[i];
        raski_execution_job_vertex *vertex = &topology->vertices[job_vertex->index];
        vertex->job_vertex = job_vertex;
        RASKI_TRY(decide_parallelism(vertex, graph->is_dynamic, default_max_parallelism, err));
    }
    for (size_t i = 0; i < topology->vertex_count; i++) {
        const raski_execution_job_vertex *vertex = &topology->vertices[i];
        if (vertex->parallelism > vertex->max_parallelism)
            return RASKI_THROW(err, "JobException",
                               "Vertex %s's parallelism (%d) is higher than the max parallelism "
                               "(%d). Please lower the parallelism or increase the max "
                               "parallelism.",
                               vertex->job_vertex->name, vertex->parallelism,
                               vertex->max_parallelism);
    }
    return RASK_OK;
}

/* ---- results -------------------------------------------------------------------------------- */

/* Of a dynamic graph: enough subpartitions for as many consumers as there may ever be. -1 when the
 * consumers of the result do not agree, which planning rules out for decided ones. */
static int dynamic_subpartitions(const raski_execution_topology *topology,
                                 const raski_data_set *data_set) {
    if (data_set->is_broadcast || data_set->is_forward) return 1;
    if (data_set->consumers.count == 0) return -1;
    const raski_execution_job_vertex *consumer =
        &topology->vertices[data_set->consumers.items[0]->target->index];
    int most = consumer->parallelism > 0 ? consumer->parallelism : consumer->max_parallelism;
    if (data_set->distribution == RASKI_DISTRIBUTION_ALL_TO_ALL) return most;
    int partitions = topology->vertices[data_set->producer->index].parallelism;
    return (most + partitions - 1) / partitions;
}

static rask_status check_consumers(const raski_execution_topology *topology,
                                   const raski_data_set *data_set, raski_error *err) {
    if (data_set->is_broadcast || data_set->is_forward) return RASK_OK;
    if (data_set->consumers.count == 0) return RASKI_THROW(err, "IllegalStateException", "%s", "");
    const raski_execution_job_vertex *first =
        &topology->vertices[data_set->consumers.items[0]->target->index];
    for (size_t i = 1; i < data_set->consumers.count; i++) {
        const raski_execution_job_vertex *other =
            &topology->vertices[data_set->consumers.items[i]->target->index];
        if (other->parallelism != first->parallelism)
            return RASKI_THROW(err, "IllegalStateException",
                               "Consumers must have the same parallelism.");
        if (first->parallelism <= 0 && other->max_parallelism != first->max_parallelism)
            return RASKI_THROW(err, "IllegalStateException",
                               "Consumers must have the same max parallelism.");
    }
    return RASK_OK;
}

/* ---- edges ---------------------------------------------------------------------------------- */

static int range_size(raski_index_range range) {
    return range.last - range.first + 1;
}

/* The range of consumers that read exactly what the first of them reads. */
static raski_index_range consumers_of(const raski_job_edge *edge, int producers, int consumers,
                                      int first) {
    if (edge->source->distribution == RASKI_DISTRIBUTION_ALL_TO_ALL)
        return (raski_index_range){0, consumers - 1};
    if (producers >= consumers) return (raski_index_range){first, first};
    int partition = partition_of_consumer(producers, consumers, first);
    return (raski_index_range){first, scaled_up(partition + 1, consumers, producers) - 1};
}

static rask_status connect_edge(raski_execution_topology *topology,
                                const raski_execution_job_vertex *vertex,
                                raski_execution_edge *edge, raski_error *err) {
    const raski_data_set *data_set = edge->job_edge->source;
    bool pointwise = data_set->distribution == RASKI_DISTRIBUTION_POINTWISE;
    int producers = topology->vertices[data_set->producer->index].parallelism;
    int consumers = vertex->parallelism;
    int subpartitions =
        topology->job_graph->is_dynamic ? dynamic_subpartitions(topology, data_set) : consumers;
    edge->group_count = !pointwise ? 1 : (size_t)(producers < consumers ? producers : consumers);
    edge->groups = raski_arena_alloc(topology->arena, edge->group_count * sizeof *edge->groups);
    int next = 0;
    for (size_t i = 0; i < edge->group_count; i++) {
        raski_partition_group *group = &edge->groups[i];
        raski_consumed_range reads = raski_consumed_range_compute(
            data_set->distribution, producers, consumers, next, topology->job_graph->is_dynamic,
            data_set->is_broadcast, subpartitions);
        group->edge = edge->job_edge;
        group->partitions = reads.partitions;
        group->consumers = consumers_of(edge->job_edge, producers, consumers, next);
        next = group->consumers.last + 1;
        int readers = pointwise && producers >= consumers ? 1 : range_size(group->consumers);
        if (topology->job_graph->is_dynamic && !data_set->is_broadcast && readers > subpartitions)
            return RASKI_THROW(err, "IllegalArgumentException", "%s", "");
    }
    return RASK_OK;
}

static bool can_initialize(const raski_execution_topology *topology,
                           const raski_execution_job_vertex *vertex) {
    if (vertex->parallelism <= 0) return false;
    for (size_t i = 0; i < vertex->job_vertex->inputs.count; i++) {
        size_t producer = vertex->job_vertex->inputs.items[i]->source->producer->index;
        if (!topology->vertices[producer].is_initialized) return false;
    }
    return true;
}

static rask_status initialize(raski_execution_topology *topology,
                              raski_execution_job_vertex *vertex, raski_error *err) {
    const raski_job_vertex *job_vertex = vertex->job_vertex;
    if (topology->job_graph->is_dynamic)
        for (size_t i = 0; i < job_vertex->results.count; i++)
            RASKI_TRY(check_consumers(topology, job_vertex->results.items[i], err));
    vertex->is_initialized = true;
    vertex->first_task = topology->task_count;
    topology->task_count += (size_t)vertex->parallelism;
    vertex->inputs =
        raski_arena_calloc(topology->arena, job_vertex->inputs.count * sizeof *vertex->inputs);
    for (size_t i = 0; i < job_vertex->inputs.count; i++) {
        vertex->inputs[i].job_edge = job_vertex->inputs.items[i];
        RASKI_TRY(connect_edge(topology, vertex, &vertex->inputs[i], err));
    }
    return raski_network_memory_check(topology, job_vertex, err);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Of vertices whose parallelism is still open. */
static int undecided_max_parallelism(const raski_plan_config *config) {
    if (config->auto_parallelism_max_set || config->parallelism == RASKI_PARALLELISM_DEFAULT)
        return config->auto_parallelism_max;
    return config->parallelism;
}

/* Noticed here as in Flink: the checkpoint coordinator is made with the subtasks. Dynamic graphs
 * have none. */
static rask_status check_state_backend(const raski_job_graph *graph, raski_error *err) {
    static const char *const known[] = {"hashmap", "rocksdb", "forst"};
    const char *backend = graph->config.state_backend;
    if (backend == NULL || graph->is_dynamic || graph->has_batch_state_backend) return RASK_OK;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(known[i], backend) == 0) return RASK_OK;
    rask_status status =
        RASKI_THROW(err, "JobExecutionException", "Could not instantiate configured state backend");
    raski_error_set_cause(err, "ClassNotFoundException", "%s", backend);
    return status;
}

static rask_status build(raski_execution_topology *topology, raski_error *err) {
    RASKI_TRY(decide_all(topology, undecided_max_parallelism(&topology->job_graph->config), err));
    for (size_t i = 0; i < topology->vertex_count; i++) {
        raski_execution_job_vertex *vertex = &topology->vertices[i];
        vertex->first_task = topology->task_count;
        if (can_initialize(topology, vertex)) RASKI_TRY(initialize(topology, vertex, err));
    }
    RASKI_TRY(raski_pipelined_regions_compute(topology, err));
    return check_state_backend(topology->job_graph, err);
}

rask_status raski_execution_topology_create(const raski_job_graph *job_graph,
                                            raski_execution_topology **ret_topology,
                                            raski_error *err) {
    raski_execution_topology *topology = RASKI_NEW(raski_execution_topology);
    topology->arena = raski_arena_create(0);
    topology->job_graph = job_graph;
    topology->vertex_count = job_graph->sorted.count;
    topology->vertices =
        raski_arena_calloc(topology->arena, topology->vertex_count * sizeof *topology->vertices);
    rask_status status = build(topology, err);
    if (status != RASK_OK) {
        raski_execution_topology_destroy(topology);
        return status;
    }
    *ret_topology = topology;
    return RASK_OK;
}

void raski_execution_topology_destroy(raski_execution_topology *topology) {
    if (topology == NULL) return;
    raski_arena_destroy(topology->arena);
    raski_free(topology);
}

/* ---- questions ------------------------------------------------------------------------------ */

const raski_execution_job_vertex *raski_execution_topology_vertex_of(
    const raski_execution_topology *topology, size_t task) {
    RASKI_ASSERT(task < topology->task_count);
    size_t low = 0, high = topology->vertex_count; /* to the last with first_task <= task */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (topology->vertices[middle].first_task <= task)
            low = middle;
        else
            high = middle;
    }
    return &topology->vertices[low];
}

raski_consumed_range raski_execution_topology_reads(const raski_execution_topology *topology,
                                                    const raski_execution_job_vertex *vertex,
                                                    size_t input, int subtask) {
    const raski_data_set *data_set = vertex->job_vertex->inputs.items[input]->source;
    bool is_dynamic = topology->job_graph->is_dynamic;
    return raski_consumed_range_compute(
        data_set->distribution, topology->vertices[data_set->producer->index].parallelism,
        vertex->parallelism, subtask, is_dynamic, data_set->is_broadcast,
        is_dynamic ? dynamic_subpartitions(topology, data_set) : vertex->parallelism);
}

const raski_partition_group *raski_execution_topology_group_of_consumer(
    const raski_execution_topology *topology, const raski_execution_job_vertex *vertex,
    size_t input, int subtask) {
    const raski_execution_edge *edge = &vertex->inputs[input];
    if (edge->group_count == 1) return &edge->groups[0];
    int producers = topology->vertices[edge->job_edge->source->producer->index].parallelism;
    if (producers >= vertex->parallelism) return &edge->groups[subtask];
    return &edge->groups[partition_of_consumer(producers, vertex->parallelism, subtask)];
}

const raski_partition_group *raski_execution_topology_group_of_partition(
    const raski_execution_topology *topology, const raski_data_set *data_set, size_t consumer,
    int partition) {
    const raski_job_edge *job_edge = data_set->consumers.items[consumer];
    const raski_execution_job_vertex *vertex = &topology->vertices[job_edge->target->index];
    if (!vertex->is_initialized) return NULL;
    const raski_execution_edge *edge = &vertex->inputs[job_edge->index];
    if (edge->group_count == 1) return &edge->groups[0];
    int producers = topology->vertices[data_set->producer->index].parallelism;
    if (producers < vertex->parallelism) return &edge->groups[partition];
    /* the consumer whose range, rounded down at both ends, has the partition */
    return &edge->groups[scaled_up(partition + 1, vertex->parallelism, producers) - 1];
}

int raski_execution_topology_subpartitions(const raski_execution_topology *topology,
                                           const raski_data_set *data_set, int partition) {
    if (topology->job_graph->is_dynamic) return dynamic_subpartitions(topology, data_set);
    if (data_set->consumers.count == 0) return -1;
    return range_size(
        raski_execution_topology_group_of_partition(topology, data_set, 0, partition)->consumers);
}
