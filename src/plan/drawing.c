#include "plan/drawing.h"

void raski_drawing_init(raski_drawing *drawing) {
    *drawing = (raski_drawing){.title = "", .subtitle = "", .arena = raski_arena_create(0)};
}

void raski_drawing_fini(raski_drawing *drawing) {
    for (size_t i = 0; i < drawing->boxes.count; i++) {
        raski_drawing_box *box = &drawing->boxes.items[i];
        for (size_t k = 0; k < box->rows.count; k++) json_decref(box->rows.items[k].details);
        raski_vec_free(&box->rows);
        json_decref(box->details);
    }
    for (size_t i = 0; i < drawing->edges.count; i++)
        raski_vec_free(&drawing->edges.items[i].bends);
    raski_vec_free(&drawing->boxes);
    raski_vec_free(&drawing->edges);
    raski_vec_free(&drawing->groups);
    raski_arena_destroy(drawing->arena);
}

size_t raski_drawing_add_box(raski_drawing *drawing, raski_drawing_box box) {
    raski_vec_push(&drawing->boxes, box);
    return drawing->boxes.count - 1;
}

void raski_drawing_add_edge(raski_drawing *drawing, raski_drawing_edge edge) {
    raski_vec_push(&drawing->edges, edge);
}

double raski_drawing_row_middle(const raski_drawing_box *box, size_t row) {
    return box->y + RASKI_DRAWING_HEAD + RASKI_DRAWING_ROW * ((double)row + 0.5) + 1.5;
}
