/* plan_check_job.c - what the job will need: max parallelism, slots, network buffers. */
#include <inttypes.h>
#include <string.h>

#include "plan/plan_check_private.h"
#include "plan/plan_operators.h"
#include "types/key_group.h"

#define text raski_plan_check_text

/* --- vertices -----------------------------------------------------------------------------------
 */

static const raski_stream_node *node_of(const raski_plan_checker *c, const raski_job_operator *op) {
    return raski_stream_graph_node(c->plan->stream_graph, op->node);
}

/* reports.md P12: the vertex has the max parallelism of the head of its chain. */
static void check_dropped(const raski_plan_checker *c, const raski_job_vertex *vertex) {
    for (size_t i = 0; i < vertex->operator_count; i++) {
        const raski_stream_node *node = node_of(c, &vertex->operators[i]);
        if (node->max_parallelism <= 0 || node->max_parallelism == vertex->max_parallelism)
            continue;
        const char *has =
            vertex->max_parallelism > 0
                ? text(c, "%d, that of the head of its chain", vertex->max_parallelism)
                : "the default, as the head of its chain sets none";
        raski_plan_check_add(
            c, RASKI_FINDING_WARNING, "max-parallelism-dropped", node->transformation,
            text(c, "its max parallelism %d has no effect: it runs chained with %s",
                 (int)node->max_parallelism, has),
            text(c,
                 "set max parallelism %d on '%s' too, or start a new chain (or set "
                 "pipeline.operator-chaining.chain-operators-with-different-max-parallelism to "
                 "false)",
                 (int)node->max_parallelism, vertex->operators[vertex->head].name));
    }
}

/* A source that HEAD_WITH_SOURCES takes into its chain is not among the operator ids of its vertex
 * (StreamingJobGraphGenerator.createJobVertex), by which checkpoints are stored and restored. */
static void check_chained_sources(const raski_plan_checker *c, const raski_job_vertex *vertex) {
    if (c->plan->stream_graph->job_type != RASKI_JOB_STREAMING) return;
    for (size_t i = 0; i < vertex->operator_count; i++) {
        const raski_job_operator *op = &vertex->operators[i];
        if (op->chain_index != 0) continue;
        raski_plan_check_add(
            c, RASKI_FINDING_WARNING, "chained-source-state", node_of(c, op)->transformation,
            text(c,
                 "it is chained into '%s', and Flink 2.2.0 lists no operator id of such a source: "
                 "its state in a savepoint does not map to any operator",
                 vertex->operators[vertex->head].name),
            "disable chaining of the source, or let the operator behind it start a chain (HEAD)");
    }
}

static bool has_keyed_state(const raski_plan_checker *c, const raski_job_vertex *vertex) {
    for (size_t i = 0; i < vertex->operator_count; i++)
        if (raski_plan_states_of(node_of(c, &vertex->operators[i])) & RASKI_STATE_KEYED)
            return true;
    return false;
}

/* Key groups are handed out whole: some subtasks get one more than others. */
static void check_skew(const raski_plan_checker *c, const raski_job_vertex *vertex,
                       int max_parallelism) {
    int least = max_parallelism / vertex->parallelism;
    int most = least + (max_parallelism % vertex->parallelism != 0);
    if (least == most || 2 * most < 3 * least) return; /* less than half as much again */
    raski_plan_check_add_vertex(
        c, RASKI_FINDING_WARNING, "key-group-skew", vertex,
        text(c,
             "%d key groups over %d subtasks: some subtasks get %d, others %d, so that some have "
             "%d %% more of the keys to do",
             max_parallelism, vertex->parallelism, most, least, 100 * (most - least) / least),
        text(c, "set a max parallelism that is many times the parallelism, such as %d",
             vertex->parallelism * 10 < RASKI_MAX_PARALLELISM_UPPER_BOUND ? vertex->parallelism * 10
                                                                          : vertex->parallelism));
}

static void check_max_parallelism(const raski_plan_checker *c, const raski_job_vertex *vertex) {
    int resolved = vertex->max_parallelism;
    if (vertex->parallelism <= 0) return;
    if (resolved > 0 && resolved < vertex->parallelism) {
        raski_plan_check_add_vertex(
            c, RASKI_FINDING_ERROR, "max-parallelism-too-small", vertex,
            text(c, "its parallelism %d is above its max parallelism %d: it fails when it starts",
                 vertex->parallelism, resolved),
            "lower the parallelism or raise the max parallelism");
        return;
    }
    if (!has_keyed_state(c, vertex)) return;
    if (resolved <= 0) {
        if (raski_default_max_parallelism(vertex->parallelism, &resolved, NULL) != RASK_OK) return;
        if (c->plan->stream_graph->job_type == RASKI_JOB_STREAMING)
            raski_plan_check_add_vertex(
                c, RASKI_FINDING_WARNING, "max-parallelism-default", vertex,
                text(c,
                     "no max parallelism is set: it is %d by default (for parallelism %d), and the "
                     "first savepoint fixes it: the job can then never have more than %d subtasks "
                     "here",
                     resolved, vertex->parallelism, resolved),
                "set a max parallelism that will do for as long as the state is to live "
                "(pipeline.max-parallelism for all operators)");
    }
    check_skew(c, vertex, resolved);
}

void raski_plan_check_vertices(const raski_plan_checker *c) {
    const raski_job_graph *graph = c->plan->job_graph;
    for (size_t i = 0; i < graph->sorted.count; i++) {
        check_dropped(c, graph->sorted.items[i]);
        check_chained_sources(c, graph->sorted.items[i]);
        check_max_parallelism(c, graph->sorted.items[i]);
    }
}

/* --- slots --------------------------------------------------------------------------------------
 */

static int parallelism_of(const raski_slot_group *group) {
    int most = 0;
    for (size_t i = 0; i < group->vertices.count; i++)
        if (group->vertices.items[i]->parallelism > most)
            most = group->vertices.items[i]->parallelism;
    return most;
}

static bool is_decided(const raski_job_graph *graph) {
    for (size_t i = 0; i < graph->sorted.count; i++)
        if (graph->sorted.items[i]->parallelism <= 0) return false;
    return true;
}

static void check_slots(const raski_plan_checker *c) {
    const raski_job_graph *graph = c->plan->job_graph;
    raski_str groups = {0};
    int64_t slots = 0;
    int largest = 0;
    for (size_t i = 0; i < graph->slot_groups.count; i++) {
        int needed = parallelism_of(graph->slot_groups.items[i]);
        raski_str_appendf(&groups, "%s'%s' %d", i == 0 ? "" : ", ",
                          graph->slot_groups.items[i]->name, needed);
        slots += needed;
        if (needed > largest) largest = needed;
    }
    const char *what =
        graph->slot_groups.count == 1
            ? text(c, "the job needs %" PRId64 " slots, its largest parallelism", slots)
            : text(c,
                   "the job needs %" PRId64
                   " slots at once, the sum over its slot "
                   "sharing groups: %s",
                   slots, raski_str_text(&groups));
    bool is_batch = c->plan->stream_graph->job_type == RASKI_JOB_BATCH;
    if (is_batch)
        what = text(c, "at most %" PRId64 " slots can be used at once (%s)", slots,
                    raski_str_text(&groups));
    bool is_more = graph->slot_groups.count > 1 && !is_batch;
    raski_plan_check_add(
        c, is_more ? RASKI_FINDING_WARNING : RASKI_FINDING_NOTE, "slots", NULL, what,
        is_more ? text(c, "without slot sharing groups %d slots would do", largest)
                : "taskmanager.numberOfTaskSlots over all task managers must be as many");
    raski_str_free(&groups);
}

/* --- network buffers ----------------------------------------------------------------------------
 * Flink: NettyShuffleUtils, with its defaults: 2 buffers per channel, 8 floating ones per gate, 512
 * for a blocking result. */
enum {
    BUFFERS_PER_CHANNEL = 2,
    FLOATING_PER_GATE = 8,
    SORT_SHUFFLE_MIN = 512,
    BUFFER_KIB = 32,
    DEFAULT_NETWORK_MIB = 64, /* taskmanager.memory.network.min */
};

typedef struct buffers {
    int64_t least, full;
} buffers;

/* Pairs of a producer's and a consumer's subtask. */
static int64_t channels_of(const raski_job_edge *edge) {
    int64_t producers = edge->source->producer->parallelism, consumers = edge->target->parallelism;
    if (edge->distribution == RASKI_DISTRIBUTION_ALL_TO_ALL) return producers * consumers;
    return producers > consumers ? producers : consumers;
}

static void count_gate(const raski_job_edge *edge, buffers *sum) {
    int64_t exclusive = BUFFERS_PER_CHANNEL * channels_of(edge);
    sum->least += exclusive + edge->target->parallelism;
    sum->full += exclusive + (int64_t)FLOATING_PER_GATE * edge->target->parallelism;
}

static void count_result(const raski_data_set *data_set, buffers *sum) {
    int64_t partitions = data_set->producer->parallelism;
    if (data_set->consumers.count == 0) return;
    int64_t subpartitions = channels_of(data_set->consumers.items[0]);
    if (raski_result_type_is_blocking(data_set->type)) {
        sum->least += SORT_SHUFFLE_MIN * partitions;
        sum->full += SORT_SHUFFLE_MIN * partitions;
        return;
    }
    sum->least += subpartitions + partitions;
    sum->full += BUFFERS_PER_CHANNEL * subpartitions + FLOATING_PER_GATE * partitions;
}

static void check_buffers(const raski_plan_checker *c) {
    const raski_job_graph *graph = c->plan->job_graph;
    buffers sum = {0};
    for (size_t i = 0; i < graph->sorted.count; i++) {
        const raski_job_vertex *vertex = graph->sorted.items[i];
        for (size_t k = 0; k < vertex->inputs.count; k++) count_gate(vertex->inputs.items[k], &sum);
        for (size_t k = 0; k < vertex->results.count; k++)
            count_result(vertex->results.items[k], &sum);
    }
    if (sum.full == 0) return;
    bool is_much = sum.least * BUFFER_KIB > (int64_t)DEFAULT_NETWORK_MIB * 1024;
    raski_plan_check_add(
        c, is_much ? RASKI_FINDING_WARNING : RASKI_FINDING_NOTE, "network-buffers", NULL,
        text(c,
             "all tasks together need at least %" PRId64 " network buffers of %d KiB (%" PRId64
             " MiB) and use up to %" PRId64 " (%" PRId64 " MiB)%s",
             sum.least, BUFFER_KIB, (sum.least * BUFFER_KIB + 1023) / 1024, sum.full,
             (sum.full * BUFFER_KIB + 1023) / 1024,
             is_much ? ", more than one of Flink's task managers has with default settings" : ""),
        is_much ? "raise taskmanager.memory.network.fraction and .min, or use more task managers"
                : NULL);
}

void raski_plan_check_resources(const raski_plan_checker *c) {
    if (!is_decided(c->plan->job_graph)) {
        raski_plan_check_add(c, RASKI_FINDING_NOTE, "parallelism-undecided", NULL,
                             "some parallelisms are decided while the job runs: slots and network "
                             "buffers cannot be told before",
                             NULL);
        return;
    }
    check_slots(c);
    check_buffers(c);
}
