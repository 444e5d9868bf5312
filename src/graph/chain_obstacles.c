/* chain_obstacles.c - why two neighbours do not run in one task: all conditions that fail, in
 * words. The rule itself is stream_graph_chaining.c, which stops at the first. */
#include <string.h>

#include "graph/stream_graph.h"

static bool same_text(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static unsigned strategies(const raski_stream_node *up, const raski_stream_node *down) {
    unsigned found =
        up->factory.chaining == RASKI_CHAINING_NEVER ? RASKI_OBSTACLE_UPSTREAM_NEVER : 0;
    switch (down->factory.chaining) {
        case RASKI_CHAINING_NEVER:
            return found | RASKI_OBSTACLE_DOWNSTREAM_NEVER;
        case RASKI_CHAINING_HEAD:
            return found | RASKI_OBSTACLE_DOWNSTREAM_HEAD;
        case RASKI_CHAINING_HEAD_WITH_SOURCES:
            return found |
                   (up->factory.role != RASKI_OPERATOR_SOURCE ? RASKI_OBSTACLE_NEEDS_SOURCE : 0u);
        case RASKI_CHAINING_ALWAYS:
            break;
    }
    return found;
}

/* An operator that takes sources into its chain, and a source: other inputs do not matter then. */
static bool is_source_before_head(const raski_stream_edge *edge) {
    return edge->source->factory.role == RASKI_OPERATOR_SOURCE &&
           edge->target->factory.chaining == RASKI_CHAINING_HEAD_WITH_SOURCES;
}

static unsigned inputs(const raski_stream_edge *edge) {
    const raski_stream_node *down = edge->target;
    unsigned found = 0;
    if (down->in_edges.count != 1 && !is_source_before_head(edge))
        found |= RASKI_OBSTACLE_SEVERAL_INPUTS;
    if (down->in_edges.count != 1 && is_source_before_head(edge) &&
        edge->source->out_edges.count != 1)
        found |= RASKI_OBSTACLE_SOURCE_FEEDS_MORE;
    for (size_t i = 0; i < down->in_edges.count; i++) {
        const raski_stream_edge *other = down->in_edges.items[i];
        if (other != edge && other->type_number == edge->type_number) found |= RASKI_OBSTACLE_UNION;
    }
    return found;
}

static unsigned exchange(const raski_stream_graph *graph, const raski_stream_edge *edge) {
    const raski_partitioner *partitioner = edge->partitioner;
    if (partitioner->kind == RASKI_PARTITIONER_FORWARD_FOR_CONSECUTIVE_HASH)
        return graph->dynamic ? 0 : RASKI_OBSTACLE_PARTITIONER;
    unsigned found = raski_partitioner_is_forward(partitioner) ? 0 : RASKI_OBSTACLE_PARTITIONER;
    if (edge->exchange_mode == RASKI_EXCHANGE_BATCH) found |= RASKI_OBSTACLE_BATCH_EXCHANGE;
    return found;
}

rask_status raski_stream_edge_chain_obstacles(raski_stream_graph *graph,
                                              const raski_stream_edge *edge,
                                              unsigned *ret_obstacles, raski_error *err) {
    const raski_stream_node *up = edge->source, *down = edge->target;
    unsigned found = inputs(edge) | strategies(up, down) | exchange(graph, edge);
    if (!graph->config.chaining) found |= RASKI_OBSTACLE_CHAINING_DISABLED;
    if (!same_text(up->slot_sharing_group, down->slot_sharing_group))
        found |= RASKI_OBSTACLE_SLOT_SHARING_GROUP;
    if (down->factory.yielding) {
        raski_stream_node *head = NULL;
        RASKI_TRY(raski_stream_node_chain_head(graph, edge->source, &head, err));
        if (head->factory.role == RASKI_OPERATOR_LEGACY_SOURCE)
            found |= RASKI_OBSTACLE_LEGACY_SOURCE;
    }
    if (up->parallelism != down->parallelism) found |= RASKI_OBSTACLE_PARALLELISM;
    if (!graph->config.chaining_with_different_max_parallelism &&
        up->max_parallelism != down->max_parallelism)
        found |= RASKI_OBSTACLE_MAX_PARALLELISM;
    *ret_obstacles = found;
    return RASK_OK;
}

/* --- in words -----------------------------------------------------------------------------------
 */

static int number_of(raski_chain_obstacle obstacle) {
    return __builtin_ctz((unsigned)obstacle);
}

const char *raski_chain_obstacle_name(raski_chain_obstacle obstacle) {
    static const char *const names[RASKI_OBSTACLES] = {
        "SEVERAL_INPUTS", "CHAINING_DISABLED", "SLOT_SHARING_GROUP", "LEGACY_SOURCE",
        "UPSTREAM_NEVER", "DOWNSTREAM_NEVER",  "DOWNSTREAM_HEAD",    "NEEDS_SOURCE",
        "PARALLELISM",    "MAX_PARALLELISM",   "PARTITIONER",        "BATCH_EXCHANGE",
        "UNION",          "SOURCE_FEEDS_MORE"};
    return names[number_of(obstacle)];
}

static void append_max_parallelism(raski_str *out, int max_parallelism) {
    if (max_parallelism < 0)
        raski_str_append(out, "none");
    else
        raski_str_appendf(out, "%d", max_parallelism);
}

static void append_parallelism(raski_str *out, int parallelism) {
    if (parallelism < 0)
        raski_str_append(out, "not decided");
    else
        raski_str_appendf(out, "%d", parallelism);
}

static void describe_numbers(const raski_stream_edge *edge, raski_chain_obstacle obstacle,
                             raski_str *out) {
    const raski_stream_node *up = edge->source, *down = edge->target;
    if (obstacle == RASKI_OBSTACLE_PARALLELISM) {
        raski_str_append(out, "parallelism differs: ");
        append_parallelism(out, up->parallelism);
        raski_str_append(out, " and ");
        append_parallelism(out, down->parallelism);
        return;
    }
    raski_str_append(out, "max parallelism differs: ");
    append_max_parallelism(out, up->max_parallelism);
    raski_str_append(out, " and ");
    append_max_parallelism(out, down->max_parallelism);
    raski_str_append(out,
                     " (pipeline.operator-chaining.chain-operators-with-different-max-parallelism "
                     "is false)");
}

void raski_chain_obstacle_describe(const raski_stream_edge *edge, raski_chain_obstacle obstacle,
                                   raski_str *out) {
    const raski_stream_node *up = edge->source, *down = edge->target;
    switch (obstacle) {
        case RASKI_OBSTACLE_SEVERAL_INPUTS:
            raski_str_appendf(out, "%s has %zu inputs", down->name, down->in_edges.count);
            break;
        case RASKI_OBSTACLE_CHAINING_DISABLED:
            raski_str_append(out, "chaining is disabled (pipeline.operator-chaining.enabled)");
            break;
        case RASKI_OBSTACLE_SLOT_SHARING_GROUP:
            raski_str_appendf(out, "slot sharing group differs: %s and %s",
                              up->slot_sharing_group ? up->slot_sharing_group : "none",
                              down->slot_sharing_group ? down->slot_sharing_group : "none");
            break;
        case RASKI_OBSTACLE_LEGACY_SOURCE:
            raski_str_appendf(out,
                              "%s yields to other mails, which the legacy source at the head "
                              "of the chain does not allow",
                              down->name);
            break;
        case RASKI_OBSTACLE_UPSTREAM_NEVER:
            raski_str_appendf(out, "%s is never chained", up->name);
            break;
        case RASKI_OBSTACLE_DOWNSTREAM_NEVER:
            raski_str_appendf(out, "%s is never chained", down->name);
            break;
        case RASKI_OBSTACLE_DOWNSTREAM_HEAD:
            raski_str_appendf(out, "%s starts a new chain", down->name);
            break;
        case RASKI_OBSTACLE_NEEDS_SOURCE:
            raski_str_appendf(out, "%s chains to sources only, and %s is none", down->name,
                              up->name);
            break;
        case RASKI_OBSTACLE_PARALLELISM:
        case RASKI_OBSTACLE_MAX_PARALLELISM:
            describe_numbers(edge, obstacle, out);
            break;
        case RASKI_OBSTACLE_PARTITIONER:
            raski_str_appendf(out, "records are redistributed: %s, not FORWARD",
                              raski_partitioner_text(edge->partitioner));
            break;
        case RASKI_OBSTACLE_BATCH_EXCHANGE:
            raski_str_append(out, "the exchange mode is BATCH");
            break;
        case RASKI_OBSTACLE_UNION:
            raski_str_appendf(out, "several edges feed the same input of %s (a union)", down->name);
            break;
        case RASKI_OBSTACLE_SOURCE_FEEDS_MORE:
            raski_str_appendf(out,
                              "%s feeds %zu operators: a source is chained into its consumer "
                              "only if it is the only one",
                              up->name, up->out_edges.count);
            break;
    }
}
