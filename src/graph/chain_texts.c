/* Names of vertices. Flink builds them of the names of all suffixes of a chain; here one walk
 * writes the text once, with a stack instead of recursion. */
#include "base/str.h"
#include "graph/job_graph_builder.h"

typedef struct text_frame {
    const raski_chain_operator *op;
    size_t next; /* of op->chainable */
} text_frame;

typedef struct writer {
    const raski_job_graph_builder *builder;
    const raski_chain *chain;
    raski_str out;
    RASKI_VEC(text_frame) frames;
} writer;

static const raski_chain_operator *head_of(const raski_chain *chain) {
    return chain->operators.items[chain->operators.count - 1];
}

/* The name of one operator; a head also shows the sources that run in front of it. */
static void write_own(writer *w, const raski_chain_operator *op) {
    const raski_stream_node *node = op->node;
    raski_str_append(&w->out, node->name);
    if (node != w->chain->start || w->chain->sources.count == 0) return;
    const char *separator = " [";
    for (size_t i = 0; i < node->in_edges.count; i++) {
        const raski_stream_node *source = node->in_edges.items[i]->source;
        const raski_chain_operator *from = raski_builder_operator_at(w->builder, source->id);
        if (from == NULL || from->chain != w->chain || from->chain_index != 0) continue;
        raski_str_append(&w->out, separator);
        raski_str_append(&w->out, source->name);
        separator = ", ";
    }
    if (separator[0] == ',') raski_str_append(&w->out, "]");
}

const char *raski_chain_name(const raski_job_graph_builder *builder, const raski_chain *chain) {
    writer w = {.builder = builder, .chain = chain};
    write_own(&w, head_of(chain));
    raski_vec_push(&w.frames, (text_frame){.op = head_of(chain)});
    while (w.frames.count > 0) {
        text_frame *frame = &w.frames.items[w.frames.count - 1];
        size_t branches = frame->op->chainable.count;
        if (frame->next == branches) {
            if (branches > 1) raski_str_append(&w.out, ")");
            w.frames.count--;
            continue;
        }
        if (frame->next == 0)
            raski_str_append(&w.out, branches > 1 ? " -> (" : " -> ");
        else
            raski_str_append(&w.out, ", ");
        int target = frame->op->chainable.items[frame->next++]->target->id;
        const raski_chain_operator *op = raski_builder_operator_at(builder, target);
        write_own(&w, op);
        raski_vec_push(&w.frames, (text_frame){.op = op});
    }
    const char *text = raski_arena_strdup(builder->graph->arena, raski_str_text(&w.out));
    raski_str_free(&w.out);
    raski_vec_free(&w.frames);
    return text;
}
