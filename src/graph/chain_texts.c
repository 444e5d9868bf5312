/* Names and descriptions of vertices. Flink builds them of the names of all suffixes of a chain;
 * here one walk writes each text once, with a stack instead of recursion. */
#include "base/str.h"
#include "graph/job_graph_builder.h"

typedef struct text_frame {
    const raski_chain_operator *op;
    size_t next;   /* of op->chainable */
    size_t prefix; /* TREE: length of the prefix of the operators below */
} text_frame;

typedef struct writer {
    const raski_job_graph_builder *builder;
    const raski_chain *chain;
    raski_str out, prefix;
    RASKI_VEC(text_frame) frames;
} writer;

static const raski_chain_operator *head_of(const raski_chain *chain) {
    return chain->operators.items[chain->operators.count - 1];
}

/* The text of one operator; a head also shows the sources that run in front of it. */
static void write_own(writer *w, const raski_chain_operator *op, bool description) {
    const raski_stream_node *node = op->node;
    raski_str_append(&w->out, description ? node->description : node->name);
    if (node != w->chain->start || w->chain->sources.count == 0) return;
    const char *separator = " [";
    for (size_t i = 0; i < node->in_edges.count; i++) {
        const raski_stream_node *source = node->in_edges.items[i]->source;
        const raski_chain_operator *from = raski_builder_operator_at(w->builder, source->id);
        if (from == NULL || from->chain != w->chain || from->chain_index != 0) continue;
        raski_str_append(&w->out, separator);
        raski_str_append(&w->out, description ? source->description : source->name);
        separator = ", ";
    }
    if (separator[0] == ',') raski_str_append(&w->out, "]");
}

static const char *finish(writer *w) {
    const char *text = raski_arena_strdup(w->builder->graph->arena, raski_str_text(&w->out));
    raski_str_free(&w->out);
    raski_str_free(&w->prefix);
    raski_vec_free(&w->frames);
    return text;
}

/* "a -> (b, c -> d)": in one line, with separator between branches. */
static const char *write_line(const raski_job_graph_builder *builder, const raski_chain *chain,
                              bool description, const char *separator) {
    writer w = {.builder = builder, .chain = chain};
    write_own(&w, head_of(chain), description);
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
            raski_str_append(&w.out, separator);
        int target = frame->op->chainable.items[frame->next++]->target->id;
        const raski_chain_operator *op = raski_builder_operator_at(builder, target);
        write_own(&w, op, description);
        raski_vec_push(&w.frames, (text_frame){.op = op});
    }
    return finish(&w);
}

/* One line per operator, with lines drawn to those below. */
static const char *write_tree(const raski_job_graph_builder *builder, const raski_chain *chain) {
    writer w = {.builder = builder, .chain = chain};
    write_own(&w, head_of(chain), true);
    raski_str_append(&w.out, "\n");
    raski_vec_push(&w.frames, (text_frame){.op = head_of(chain)});
    while (w.frames.count > 0) {
        text_frame *frame = &w.frames.items[w.frames.count - 1];
        if (frame->next == frame->op->chainable.count) {
            w.frames.count--;
            continue;
        }
        int target = frame->op->chainable.items[frame->next++]->target->id;
        bool last = frame->next == frame->op->chainable.count;
        const raski_chain_operator *op = raski_builder_operator_at(builder, target);
        raski_str_truncate(&w.prefix, frame->prefix);
        raski_str_append(&w.out, raski_str_text(&w.prefix));
        raski_str_append(&w.out, last ? "+- " : ":- ");
        write_own(&w, op, true);
        raski_str_append(&w.out, "\n");
        raski_str_append(&w.prefix, last ? "   " : ":  ");
        raski_vec_push(&w.frames, (text_frame){.op = op, .prefix = w.prefix.length});
    }
    return finish(&w);
}

const char *raski_chain_name(const raski_job_graph_builder *builder, const raski_chain *chain) {
    return write_line(builder, chain, false, ", ");
}

const char *raski_chain_description(const raski_job_graph_builder *builder,
                                    const raski_chain *chain, raski_vertex_description_mode mode) {
    if (mode == RASKI_VERTEX_DESCRIPTION_CASCADING) return write_line(builder, chain, true, " , ");
    return write_tree(builder, chain);
}
