/* From the scratch data of a builder to vertices that are complete in themselves.
 * Flink: StreamConfig, as filled by setOperatorConfig and what follows it. */
#include <stdlib.h>

#include "graph/job_graph_builder.h"

/* By (chain index, node), the order of raski_job_vertex.operators. */
static int compare_operators(const void *a, const void *b) {
    const raski_chain_operator *x = *(raski_chain_operator *const *)a;
    const raski_chain_operator *y = *(raski_chain_operator *const *)b;
    if (x->chain_index != y->chain_index) return x->chain_index < y->chain_index ? -1 : 1;
    return (x->node->id > y->node->id) - (x->node->id < y->node->id);
}

typedef struct filler {
    const raski_job_graph_builder *builder;
    const raski_chain *chain;
    raski_arena *arena;
    raski_chain_operator **order; /* as vertex->operators */
} filler;

static size_t place_of(const filler *f, int node) {
    return raski_builder_operator_at(f->builder, node)->place;
}

static size_t input_index_of(const raski_stream_edge *edge) {
    return edge->type_number == 0 ? 0 : (size_t)edge->type_number - 1;
}

static size_t input_count_of(const raski_stream_node *node) {
    size_t count = 0;
    switch (node->task_class) {
        case RASKI_TASK_SOURCE_OPERATOR:
        case RASKI_TASK_SOURCE:
            return 0;
        case RASKI_TASK_ONE_INPUT:
            return 1;
        case RASKI_TASK_TWO_INPUT:
            return 2;
        case RASKI_TASK_MULTI_INPUT:
            break;
    }
    for (size_t i = 0; i < node->in_edges.count; i++)
        if (input_index_of(node->in_edges.items[i]) >= count)
            count = input_index_of(node->in_edges.items[i]) + 1;
    return count;
}

static bool is_chained_source(const filler *f, const raski_stream_node *source) {
    const raski_chain_operator *op = raski_builder_operator_at(f->builder, source->id);
    return op != NULL && op->chain == f->chain && op->chain_index == 0;
}

static void fill_inputs(const filler *f, const raski_chain_operator *op, raski_job_operator *into) {
    const raski_stream_node *node = op->node;
    into->input_count = input_count_of(node);
    into->inputs = raski_arena_calloc(f->arena, into->input_count * sizeof *into->inputs);
    int gates = 0;
    for (size_t i = 0; i < node->in_edges.count; i++) {
        const raski_stream_edge *edge = node->in_edges.items[i];
        size_t index = input_index_of(edge);
        RASKI_ASSERT(index < into->input_count);
        raski_operator_input *input = &into->inputs[index];
        if (is_chained_source(f, edge->source)) {
            input->kind = RASKI_INPUT_CHAINED_SOURCE;
            input->source_node = edge->source->id;
            input->source = place_of(f, edge->source->id);
        } else if (input->kind == RASKI_INPUT_UNSET) {
            input->kind = RASKI_INPUT_NETWORK;
            input->gate = gates++;
            input->sorted = index < node->input_requirement_count &&
                            node->input_requirements[index] == RASKI_INPUT_REQUIREMENT_SORTED;
        }
    }
    for (size_t i = 0; i < into->input_count && i < node->key_selector_count; i++)
        into->inputs[i].key_selector = node->key_selectors[i];
    into->network_inputs = op->network_inputs;
    if (node->consumes_cache != NULL && into->input_count > 0) {
        into->network_inputs = 1;
        into->inputs[0] = (raski_operator_input){.kind = RASKI_INPUT_NETWORK};
    }
}

static void fill_outputs(const filler *f, const raski_chain_operator *op,
                         raski_job_operator *into) {
    into->chained_output_count = op->chainable.count;
    into->chained_outputs =
        raski_arena_calloc(f->arena, op->chainable.count * sizeof *into->chained_outputs);
    for (size_t i = 0; i < op->chainable.count; i++) {
        const raski_stream_edge *edge = op->chainable.items[i];
        raski_chained_output *output = &into->chained_outputs[i];
        output->edge_id = raski_arena_strdup(f->arena, edge->id);
        output->target_node = edge->target->id;
        output->target = place_of(f, edge->target->id);
        output->input_index = input_index_of(edge);
        if (edge->side_output_tag != NULL)
            output->side_output = raski_arena_strdup(f->arena, edge->side_output_tag);
    }
    into->output_count = op->outputs.count;
    into->outputs = raski_arena_calloc(f->arena, op->outputs.count * sizeof *into->outputs);
    for (size_t i = 0; i < op->outputs.count; i++) into->outputs[i] = op->outputs.items[i];
    into->in_physical_edge_count = op->physical_in_edges.count;
    into->in_physical_edges =
        raski_arena_calloc(f->arena, op->physical_in_edges.count * sizeof(const char *));
    for (size_t i = 0; i < op->physical_in_edges.count; i++)
        into->in_physical_edges[i] =
            raski_arena_strdup(f->arena, op->physical_in_edges.items[i]->id);
}

static void fill_operator(const filler *f, const raski_chain_operator *op,
                          raski_job_operator *into) {
    const raski_stream_node *node = op->node;
    into->node = node->id;
    into->chain_index = op->chain_index;
    into->chain_start = node == f->chain->start;
    into->chain_end = op->chain_index > 0 && op->chainable.count == 0;
    into->id = op->id;
    into->has_user_id =
        node->user_hash != NULL && raski_id_from_hex(node->user_hash, &into->user_id);
    into->name = raski_arena_strdup(f->arena, node->name);
    into->description = node->description == node->name
                            ? into->name
                            : raski_arena_strdup(f->arena, node->description);
    if (node->uid != NULL) into->uid = raski_arena_strdup(f->arena, node->uid);
    if (node->output_type != NULL)
        into->output_type = raski_arena_strdup(f->arena, node->output_type);
    into->payload = node->payload;
    into->type_payload = node->type_payload;
    fill_inputs(f, op, into);
    fill_outputs(f, op, into);
    memcpy(into->has_managed, op->has_managed, sizeof op->has_managed);
    memcpy(into->managed_fraction, op->managed_fraction, sizeof op->managed_fraction);
}

static void fill_vertex(filler *f) {
    raski_job_vertex *vertex = f->chain->vertex;
    size_t count = f->chain->operators.count + f->chain->sources.count, at = 0;
    f->order = RASKI_NEW_ARRAY(raski_chain_operator *, count);
    for (size_t i = 0; i < f->chain->sources.count; i++)
        f->order[at++] = f->chain->sources.items[i];
    for (size_t i = 0; i < f->chain->operators.count; i++)
        f->order[at++] = f->chain->operators.items[i];
    if (count > 1) qsort(f->order, count, sizeof(raski_chain_operator *), compare_operators);
    for (size_t i = 0; i < count; i++) f->order[i]->place = i;
    vertex->operator_count = count;
    vertex->operators = raski_arena_calloc(f->arena, count * sizeof *vertex->operators);
    for (size_t i = 0; i < count; i++) {
        fill_operator(f, f->order[i], &vertex->operators[i]);
        if (f->order[i]->node == f->chain->start) vertex->head = i;
    }
    raski_free(f->order);
}

static void fill_vertex_outputs(const raski_chain *chain, raski_arena *arena) {
    raski_job_vertex *vertex = chain->vertex;
    vertex->output_count = chain->outputs.count;
    vertex->outputs = raski_arena_calloc(arena, chain->outputs.count * sizeof *vertex->outputs);
    for (size_t i = 0; i < chain->outputs.count; i++) vertex->outputs[i] = chain->outputs.items[i];
}

void raski_job_graph_builder_finish(raski_job_graph_builder *builder) {
    for (size_t i = 0; i < builder->all_chains.count; i++) {
        const raski_chain *chain = builder->all_chains.items[i];
        if (chain->vertex == NULL || chain->vertex->operators != NULL) continue;
        filler f = {.builder = builder, .chain = chain, .arena = builder->graph->arena};
        fill_vertex(&f);
        fill_vertex_outputs(chain, builder->graph->arena);
    }
    raski_job_graph_number_groups(builder->graph);
}
