/* Descriptions of vertices: Flink's operator pretty names. One walk over the chain with a stack.
 * They are made when somebody asks, since the tree of a chain takes memory by the square of its
 * length.
 */
#include <string.h>

#include "base/str.h"
#include "graph/job_graph.h"

typedef struct frame {
    const raski_job_operator *op;
    size_t next;   /* of op->chained_outputs */
    size_t prefix; /* TREE: length of the prefix of the operators below */
} frame;

typedef struct writer {
    const raski_job_vertex *vertex;
    raski_str out, prefix;
    RASKI_VEC(frame) frames;
} writer;

/* The text of one operator; a head also shows the sources that run in front of it. */
static void write_own(writer *w, const raski_job_operator *op) {
    raski_str_append(&w->out, op->description);
    if (!op->chain_start) return;
    const char *separator = " [";
    for (size_t i = 0; i < op->input_count; i++) {
        if (op->inputs[i].kind != RASKI_INPUT_CHAINED_SOURCE) continue;
        raski_str_append(&w->out, separator);
        raski_str_append(&w->out, w->vertex->operators[op->inputs[i].source].description);
        separator = ", ";
    }
    if (separator[0] == ',') raski_str_append(&w->out, "]");
}

static const raski_job_operator *begin(writer *w, const raski_job_vertex *vertex) {
    *w = (writer){.vertex = vertex};
    const raski_job_operator *head = &vertex->operators[vertex->head];
    write_own(w, head);
    raski_vec_push(&w->frames, (frame){.op = head});
    return head;
}

static char *finish(writer *w) {
    raski_str_free(&w->prefix);
    raski_vec_free(&w->frames);
    return raski_str_steal(&w->out);
}

/* "a -> (b , c -> d)": in one line. */
static char *write_line(const raski_job_vertex *vertex) {
    writer w;
    begin(&w, vertex);
    while (w.frames.count > 0) {
        frame *top = &w.frames.items[w.frames.count - 1];
        size_t branches = top->op->chained_output_count;
        if (top->next == branches) {
            if (branches > 1) raski_str_append(&w.out, ")");
            w.frames.count--;
            continue;
        }
        if (top->next == 0)
            raski_str_append(&w.out, branches > 1 ? " -> (" : " -> ");
        else
            raski_str_append(&w.out, " , ");
        const raski_job_operator *op =
            &vertex->operators[top->op->chained_outputs[top->next++].target];
        write_own(&w, op);
        raski_vec_push(&w.frames, (frame){.op = op});
    }
    return finish(&w);
}

/* One line per operator, with lines drawn to those below. */
static char *write_tree(const raski_job_vertex *vertex) {
    writer w;
    begin(&w, vertex);
    raski_str_append(&w.out, "\n");
    while (w.frames.count > 0) {
        frame *top = &w.frames.items[w.frames.count - 1];
        if (top->next == top->op->chained_output_count) {
            w.frames.count--;
            continue;
        }
        size_t target = top->op->chained_outputs[top->next++].target;
        bool last = top->next == top->op->chained_output_count;
        const raski_job_operator *op = &vertex->operators[target];
        raski_str_truncate(&w.prefix, top->prefix);
        raski_str_append(&w.out, raski_str_text(&w.prefix));
        raski_str_append(&w.out, last ? "+- " : ":- ");
        write_own(&w, op);
        raski_str_append(&w.out, "\n");
        raski_str_append(&w.prefix, last ? "   " : ":  ");
        raski_vec_push(&w.frames, (frame){.op = op, .prefix = w.prefix.length});
    }
    return finish(&w);
}

char *raski_job_vertex_description(const raski_job_graph *graph, const raski_job_vertex *vertex) {
    if (vertex->description != NULL) return raski_strdup(vertex->description);
    if (vertex->operator_count == 0) return raski_strdup(vertex->name);
    return graph->config.vertex_description_mode == RASKI_VERTEX_DESCRIPTION_CASCADING
               ? write_line(vertex)
               : write_tree(vertex);
}

/* Of a tree: each operator has a line, indented by its depth. Chains are numbered by depth. */
size_t raski_job_vertex_description_bytes(const raski_job_graph *graph,
                                          const raski_job_vertex *vertex) {
    bool is_tree = graph->config.vertex_description_mode != RASKI_VERTEX_DESCRIPTION_CASCADING;
    size_t bytes = 0;
    for (size_t i = 0; i < vertex->operator_count; i++) {
        const raski_job_operator *op = &vertex->operators[i];
        bytes += strlen(op->description) + 4;
        if (is_tree && op->chain_index > 1) bytes += 3 * (size_t)(op->chain_index - 1);
    }
    return bytes;
}
