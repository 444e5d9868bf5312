/* drawing.h - a plan as boxes, rows in boxes, and edges between rows, laid out from left to right:
 * what the SVG and HTML forms draw.
 * A layout of our own (Sugiyama's: layers, barycentres, then heights) instead of Graphviz, whose
 * library would cost 40 MB of packages and most of the start-up time of `rask plan`, and which
 * knows nothing of rows. Time: O(sweeps * (edges + boxes log boxes)).
 * Threads: one owner. Texts are borrowed or in arena. */
#ifndef RASKI_PLAN_DRAWING_H
#define RASKI_PLAN_DRAWING_H
#include <jansson.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"

typedef enum raski_drawing_mark {
    RASKI_MARK_NONE,
    RASKI_MARK_STATE,   /* it has state */
    RASKI_MARK_FRAGILE, /* it has state, and an id that depends on the topology */
} raski_drawing_mark;

typedef enum raski_drawing_line {
    RASKI_LINE_CHAINED, /* no exchange: the operators share a task */
    RASKI_LINE_PIPELINED,
    RASKI_LINE_BLOCKING,
    RASKI_LINE_HYBRID,
} raski_drawing_line;

typedef struct raski_drawing_row {
    const char *text;
    int indent; /* levels */
    raski_drawing_mark mark;
    json_t *details; /* owned: list of [label, value]; NULL: none */
} raski_drawing_row;

typedef struct raski_drawing_box {
    const char *title, *badge; /* left and right in the head of the box */
    const char *name;          /* of its details */
    size_t group;              /* whose colour it has */
    RASKI_VEC(raski_drawing_row) rows;
    json_t *details; /* as of rows */
    /* the layout's */
    size_t layer;
    double x, y, width, height;
} raski_drawing_box;

typedef struct raski_drawing_point {
    double x, y;
} raski_drawing_point;

typedef struct raski_drawing_edge {
    size_t from, from_row, to, to_row;
    const char *label, *small_label; /* "HASH", "pipelined bounded"; "" for none */
    raski_drawing_line line;
    /* the layout's: where it leaves and enters, and in between two points for each layer that it
     * crosses */
    raski_drawing_point start, end;
    RASKI_VEC(raski_drawing_point) bends;
    bool label_at_end, has_room; /* where the label stands; room for the small one */
} raski_drawing_edge;

typedef struct raski_drawing {
    const char *title, *subtitle;
    RASKI_VEC(raski_drawing_box) boxes;
    RASKI_VEC(raski_drawing_edge) edges; /* no cycles */
    RASKI_VEC(const char *) groups;      /* names of the colours */
    const char *group_kind;              /* what groups are: "slot sharing group" */
    double width, height;                /* the layout's */
    raski_arena *arena;
} raski_drawing;

enum { /* lengths in px */
       RASKI_DRAWING_HEAD = 26,
       RASKI_DRAWING_ROW = 24,
       RASKI_DRAWING_INDENT = 14,
       RASKI_DRAWING_PADDING = 12,
       RASKI_DRAWING_TEXT_MAX = 300,
};

void raski_drawing_init(raski_drawing *drawing);
void raski_drawing_fini(raski_drawing *drawing);
/* Adds an empty box; returns its place. */
size_t raski_drawing_add_box(raski_drawing *drawing, raski_drawing_box box);
void raski_drawing_add_edge(raski_drawing *drawing, raski_drawing_edge edge);

/* Places everything. */
void raski_drawing_layout(raski_drawing *drawing);

/* The height of the middle of a row. */
double raski_drawing_row_middle(const raski_drawing_box *box, size_t row);
/* Width of text in px at a size of 1 px, about: fonts differ. */
double raski_text_width(const char *text);
/* Appends text cut to width (an ellipsis at its end), for a size in px. */
void raski_text_fit(const char *text, double size, double width, raski_str *out);
/* Appends text for XML and HTML, in elements and attributes; what XML cannot say becomes U+FFFD. */
void raski_xml_escape(const char *text, raski_str *out);

/* Appends a complete <svg> element, laid out before. interactive: for the page, with places of
 * details on elements, and without colours of its own. */
void raski_drawing_write_svg(const raski_drawing *drawing, bool interactive, raski_str *out);
/* Appends a complete page that needs nothing else. */
void raski_drawing_write_html(const raski_drawing *drawing, raski_str *out);
#endif
