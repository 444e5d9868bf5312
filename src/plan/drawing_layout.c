/* drawing_layout.c - where everything goes.
 * 1. Layers from left to right: each box behind all that it reads; sources close to their readers.
 * 2. An edge over several layers gets a point in each of them, so that it has a way between boxes.
 * 3. The order in a layer: by the mean place of the neighbours, back and forth, the best kept.
 * 4. Heights: each as near to its neighbours as those beside it let it (isotonic regression).
 * "Items" are boxes and such points. */
#include <stdlib.h>
#include <string.h>

#include "plan/drawing.h"

enum {
    GAP_Y = 22,       /* between boxes of a layer */
    GAP_POINT_Y = 14, /* around an edge that passes */
    GAP_X = 136,      /* between layers: room for labels */
    GAP_X_MAX = 260,
    PORT = 15,        /* between edges at one side of a box */
    LABELLED_MAX = 4, /* so many edges come in with room for both labels */
    PORT_SMALL = 31,  /* with room for the small label too */
    SIDE_MAX = 400,   /* no box grows higher for its edges */
    MARGIN = 24,
    ORDER_SWEEPS = 12,
    HEIGHT_SWEEPS = 24,
    POINTS_MAX = 200000, /* with more, edges go straight */
};

typedef struct item {
    size_t box; /* SIZE_MAX: a point of an edge */
    size_t layer, order;
    double y;            /* of the middle of its first row: edges between first rows are straight */
    double above, below; /* room that it takes on both sides of that */
    double mean;         /* of neighbours, while sorting */
    RASKI_VEC(size_t) before, behind; /* items of the neighbouring layers */
} item;

typedef struct layer {
    RASKI_VEC(size_t) items; /* in order, from above */
    double x, width;
} layer;

typedef struct layout {
    raski_drawing *drawing;
    RASKI_VEC(item) items; /* the boxes first */
    layer *layers;
    size_t layer_count;
    size_t **points_of_edge; /* items that edges pass; NULL: none */
} layout;

/* --- layers -------------------------------------------------------------------------------------
 */

typedef RASKI_VEC(size_t) places;

static places *edges_out_of_boxes(const raski_drawing *d) {
    places *out = RASKI_NEW_ARRAY(places, d->boxes.count + 1);
    for (size_t i = 0; i < d->edges.count; i++) raski_vec_push(&out[d->edges.items[i].from], i);
    return out;
}

static void free_places(places *lists, size_t count) {
    for (size_t i = 0; i < count; i++) raski_vec_free(&lists[i]);
    raski_free(lists);
}

/* A source stands in the layer before its first reader. */
static void pull_sources(raski_drawing *d, const places *out) {
    bool *is_read = RASKI_NEW_ARRAY(bool, d->boxes.count + 1);
    for (size_t i = 0; i < d->edges.count; i++) is_read[d->edges.items[i].to] = true;
    for (size_t i = 0; i < d->boxes.count; i++) {
        if (is_read[i] || out[i].count == 0) continue;
        size_t nearest = SIZE_MAX;
        for (size_t k = 0; k < out[i].count; k++) {
            size_t reader = d->boxes.items[d->edges.items[out[i].items[k]].to].layer;
            if (reader < nearest) nearest = reader;
        }
        if (nearest > 0) d->boxes.items[i].layer = nearest - 1;
    }
    raski_free(is_read);
}

static size_t assign_layers(raski_drawing *d) {
    places *out = edges_out_of_boxes(d);
    size_t *missing = RASKI_NEW_ARRAY(size_t, d->boxes.count + 1);
    places queue = {0};
    size_t count = 0;
    for (size_t i = 0; i < d->edges.count; i++) missing[d->edges.items[i].to]++;
    for (size_t i = 0; i < d->boxes.count; i++)
        if (missing[i] == 0) raski_vec_push(&queue, i);
    for (size_t next = 0; next < queue.count; next++) {
        size_t box = queue.items[next], at = d->boxes.items[box].layer;
        if (at + 1 > count) count = at + 1;
        for (size_t k = 0; k < out[box].count; k++) {
            raski_drawing_box *target = &d->boxes.items[d->edges.items[out[box].items[k]].to];
            if (at + 1 > target->layer) target->layer = at + 1;
            if (--missing[target - d->boxes.items] == 0)
                raski_vec_push(&queue, (size_t)(target - d->boxes.items));
        }
    }
    pull_sources(d, out);
    raski_vec_free(&queue);
    raski_free(missing);
    free_places(out, d->boxes.count);
    return count;
}

/* --- items --------------------------------------------------------------------------------------
 */

static size_t add_item(layout *l, size_t box, size_t in_layer, double above, double below) {
    item added = {.box = box, .layer = in_layer, .above = above, .below = below};
    raski_vec_push(&l->items, added);
    return l->items.count - 1;
}

static void connect(layout *l, size_t from, size_t to) {
    raski_vec_push(&l->items.items[from].behind, to);
    raski_vec_push(&l->items.items[to].before, from);
}

static void add_edge(layout *l, size_t number, bool with_points) {
    const raski_drawing_edge *edge = &l->drawing->edges.items[number];
    size_t first = l->drawing->boxes.items[edge->from].layer;
    size_t last = l->drawing->boxes.items[edge->to].layer, at = edge->from;
    if (last > first + 1 && with_points) {
        l->points_of_edge[number] = RASKI_NEW_ARRAY(size_t, last - first);
        for (size_t k = first + 1; k < last; k++) {
            size_t point = add_item(l, SIZE_MAX, k, GAP_POINT_Y / 2.0, GAP_POINT_Y / 2.0);
            connect(l, at, point);
            l->points_of_edge[number][k - first - 1] = at = point;
        }
    }
    if (last == first + 1 || with_points) connect(l, at, edge->to);
}

static size_t points_needed(const raski_drawing *d) {
    size_t count = 0;
    for (size_t i = 0; i < d->edges.count; i++) {
        size_t from = d->boxes.items[d->edges.items[i].from].layer;
        size_t to = d->boxes.items[d->edges.items[i].to].layer;
        if (to > from + 1) count += to - from - 1;
    }
    return count;
}

/* Depth first from the boxes without inputs, so that what belongs together begins together. */
static void order_first(layout *l) {
    bool *seen = RASKI_NEW_ARRAY(bool, l->items.count + 1);
    places stack = {0};
    for (size_t i = 0; i < l->items.count; i++) {
        if (seen[i] || l->items.items[i].before.count > 0) continue;
        raski_vec_push(&stack, i);
        while (stack.count > 0) {
            size_t at = stack.items[--stack.count];
            item *it = &l->items.items[at];
            if (seen[at]) continue;
            seen[at] = true;
            it->order = l->layers[it->layer].items.count;
            raski_vec_push(&l->layers[it->layer].items, at);
            for (size_t k = it->behind.count; k-- > 0;)
                if (!seen[it->behind.items[k]]) raski_vec_push(&stack, it->behind.items[k]);
        }
    }
    raski_vec_free(&stack);
    raski_free(seen);
}

static void make_items(layout *l) {
    raski_drawing *d = l->drawing;
    bool with_points = points_needed(d) <= POINTS_MAX;
    const double above = RASKI_DRAWING_HEAD + RASKI_DRAWING_ROW / 2.0 + 1.5;
    for (size_t i = 0; i < d->boxes.count; i++)
        (void)add_item(l, i, d->boxes.items[i].layer, above + GAP_Y / 2.0,
                       d->boxes.items[i].height - above + GAP_Y / 2.0);
    for (size_t i = 0; i < d->edges.count; i++) add_edge(l, i, with_points);
    order_first(l);
}

/* --- the order in layers ------------------------------------------------------------------------
 */

static int compare_means(const void *a, const void *b, void *ctx) {
    const item *items = ctx;
    const item *x = &items[*(const size_t *)a], *y = &items[*(const size_t *)b];
    if (x->mean < y->mean) return -1;
    if (x->mean > y->mean) return 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void sort_layer(layout *l, size_t number, bool by_before) {
    layer *sorted = &l->layers[number];
    for (size_t i = 0; i < sorted->items.count; i++) {
        item *it = &l->items.items[sorted->items.items[i]];
        size_t count = by_before ? it->before.count : it->behind.count;
        const size_t *neighbours = by_before ? it->before.items : it->behind.items;
        it->mean = (double)it->order;
        if (count == 0) continue;
        it->mean = 0;
        for (size_t k = 0; k < count; k++)
            it->mean += (double)l->items.items[neighbours[k]].order / (double)count;
    }
    if (sorted->items.count > 1)
        qsort_r(sorted->items.items, sorted->items.count, sizeof(size_t), compare_means,
                l->items.items);
    for (size_t i = 0; i < sorted->items.count; i++)
        l->items.items[sorted->items.items[i]].order = i;
}

static int compare_sizes(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Crossings of the edges between a layer and the one behind it: inversions, counted in a Fenwick
 * tree. */
static size_t crossings(const layout *l, size_t number, size_t *tree, places *scratch) {
    size_t size = l->layers[number + 1].items.count, count = 0, seen = 0;
    memset(tree, 0, (size + 1) * sizeof *tree);
    for (size_t i = 0; i < l->layers[number].items.count; i++) {
        const item *it = &l->items.items[l->layers[number].items.items[i]];
        scratch->count = 0;
        for (size_t k = 0; k < it->behind.count; k++)
            raski_vec_push(scratch, l->items.items[it->behind.items[k]].order);
        if (scratch->count > 1)
            qsort(scratch->items, scratch->count, sizeof(size_t), compare_sizes);
        for (size_t k = 0; k < scratch->count; k++) {
            size_t not_above = 0;
            for (size_t p = scratch->items[k] + 1; p > 0; p &= p - 1) not_above += tree[p];
            count += seen - not_above;
        }
        for (size_t k = 0; k < scratch->count; k++, seen++)
            for (size_t p = scratch->items[k] + 1; p <= size; p += p & (~p + 1)) tree[p]++;
    }
    return count;
}

static size_t all_crossings(const layout *l, size_t *tree, places *scratch) {
    size_t count = 0;
    for (size_t i = 0; i + 1 < l->layer_count; i++) count += crossings(l, i, tree, scratch);
    return count;
}

static void keep_order(const layout *l, size_t *kept) {
    for (size_t i = 0; i < l->items.count; i++) kept[i] = l->items.items[i].order;
}

static void restore_order(layout *l, const size_t *kept) {
    for (size_t i = 0; i < l->items.count; i++) {
        item *it = &l->items.items[i];
        it->order = kept[i];
        l->layers[it->layer].items.items[it->order] = i;
    }
}

static void order_layers(layout *l) {
    size_t *kept = RASKI_NEW_ARRAY(size_t, l->items.count + 1);
    size_t *tree = RASKI_NEW_ARRAY(size_t, l->items.count + 2);
    places scratch = {0};
    size_t best = all_crossings(l, tree, &scratch);
    keep_order(l, kept);
    for (int sweep = 0; sweep < ORDER_SWEEPS && best > 0; sweep++) {
        if (sweep % 2 == 0)
            for (size_t i = 1; i < l->layer_count; i++) sort_layer(l, i, true);
        else
            for (size_t i = l->layer_count; i-- > 1;) sort_layer(l, i - 1, false);
        size_t now = all_crossings(l, tree, &scratch);
        if (now >= best) continue;
        best = now;
        keep_order(l, kept);
    }
    restore_order(l, kept);
    raski_vec_free(&scratch);
    raski_free(tree);
    raski_free(kept);
}

/* --- heights ------------------------------------------------------------------------------------
 */

typedef struct block {
    double sum, weight; /* of wanted places, relative to the first item's */
    size_t first;
} block;

/* How much two neighbours want to be at one height: most where nothing else pulls at them. */
static double pull(const item *left, const item *right) {
    bool are_points = left->box == SIZE_MAX && right->box == SIZE_MAX;
    return are_points || (left->behind.count == 1 && right->before.count == 1) ? 8 : 1;
}

static double wanted_height(const layout *l, const item *it, bool before, bool behind) {
    double sum = 0, weight = 0;
    for (size_t k = 0; before && k < it->before.count; k++) {
        const item *other = &l->items.items[it->before.items[k]];
        sum += other->y * pull(other, it);
        weight += pull(other, it);
    }
    for (size_t k = 0; behind && k < it->behind.count; k++) {
        const item *other = &l->items.items[it->behind.items[k]];
        sum += other->y * pull(it, other);
        weight += pull(it, other);
    }
    return weight > 0 ? sum / weight : it->y;
}

/* The places nearest to the wanted ones in which nothing overlaps: neighbours that would are
 * pooled and share the mean of what they want. */
static void place_layer(layout *l, size_t number, bool before, bool behind, block *blocks) {
    const layer *placed = &l->layers[number];
    size_t count = 0;
    double offset = 0;
    for (size_t i = 0; i < placed->items.count; i++) {
        item *it = &l->items.items[placed->items.items[i]];
        if (i > 0) offset += l->items.items[placed->items.items[i - 1]].below + it->above;
        /* what passes wants to go straight */
        double weight = it->box == SIZE_MAX ? 4 : 1;
        blocks[count++] =
            (block){(wanted_height(l, it, before, behind) - offset) * weight, weight, i};
        while (count > 1 && blocks[count - 2].sum / blocks[count - 2].weight >
                                blocks[count - 1].sum / blocks[count - 1].weight) {
            blocks[count - 2].sum += blocks[count - 1].sum;
            blocks[count - 2].weight += blocks[count - 1].weight;
            count--;
        }
    }
    offset = 0;
    for (size_t i = 0, b = 0; i < placed->items.count; i++) {
        item *it = &l->items.items[placed->items.items[i]];
        if (i > 0) offset += l->items.items[placed->items.items[i - 1]].below + it->above;
        while (b + 1 < count && blocks[b + 1].first <= i) b++;
        it->y = blocks[b].sum / blocks[b].weight + offset;
    }
}

static void place_heights(layout *l) {
    block *blocks = RASKI_NEW_ARRAY(block, l->items.count + 1);
    for (size_t i = 0; i < l->layer_count; i++) place_layer(l, i, true, false, blocks);
    for (int sweep = 0; sweep < HEIGHT_SWEEPS; sweep++) {
        bool is_last = sweep + 12 >= HEIGHT_SWEEPS; /* both sides have a say in the end */
        if (sweep % 2 == 0)
            for (size_t i = l->layer_count; i-- > 0;) place_layer(l, i, is_last, true, blocks);
        else
            for (size_t i = 0; i < l->layer_count; i++) place_layer(l, i, true, is_last, blocks);
    }
    raski_free(blocks);
}

/* --- sizes --------------------------------------------------------------------------------------
 */

static double most(double a, double b) {
    return a > b ? a : b;
}

static void size_boxes(raski_drawing *d, const size_t *ins, const size_t *outs) {
    for (size_t i = 0; i < d->boxes.count; i++) {
        raski_drawing_box *box = &d->boxes.items[i];
        double width = 12 * (raski_text_width(box->title) + raski_text_width(box->badge)) + 24;
        for (size_t k = 0; k < box->rows.count; k++) {
            const raski_drawing_row *row = &box->rows.items[k];
            width =
                most(width, 13 * raski_text_width(row->text) + RASKI_DRAWING_INDENT * row->indent +
                                (row->mark != RASKI_MARK_NONE ? 16 : 0));
        }
        if (width > RASKI_DRAWING_TEXT_MAX) width = RASKI_DRAWING_TEXT_MAX;
        box->width = most(width, 100) + 2 * RASKI_DRAWING_PADDING;
        double side = most(12 + (double)((ins[i] <= LABELLED_MAX ? PORT_SMALL : PORT) * ins[i]),
                           PORT * (double)outs[i]);
        box->height = most(RASKI_DRAWING_HEAD + RASKI_DRAWING_ROW * (double)box->rows.count + 6,
                           side < SIDE_MAX ? side : SIDE_MAX);
    }
}

static void place_layers(layout *l) {
    const raski_drawing *d = l->drawing;
    size_t *between = RASKI_NEW_ARRAY(size_t, l->layer_count + 1);
    for (size_t i = 0; i < l->items.count; i++)
        between[l->items.items[i].layer] += l->items.items[i].behind.count;
    for (size_t i = 0; i < d->boxes.count; i++) {
        layer *in = &l->layers[d->boxes.items[i].layer];
        in->width = most(in->width, d->boxes.items[i].width);
    }
    double x = MARGIN;
    for (size_t i = 0; i < l->layer_count; i++) {
        l->layers[i].x = x;
        x += l->layers[i].width;
        if (i + 1 < l->layer_count)
            x += GAP_X + 3 * (double)(between[i] < (GAP_X_MAX - GAP_X) / 3
                                          ? between[i]
                                          : (GAP_X_MAX - GAP_X) / 3);
    }
    l->drawing->width = x + MARGIN;
    raski_free(between);
}

/* Takes places over to the boxes; the uppermost is at the margin. */
static void place_boxes(layout *l) {
    raski_drawing *d = l->drawing;
    double top = 0, bottom = 0;
    for (size_t i = 0; i < l->items.count; i++) {
        const item *it = &l->items.items[i];
        if (i == 0 || it->y - it->above < top) top = it->y - it->above;
    }
    for (size_t i = 0; i < l->items.count; i++) {
        item *it = &l->items.items[i];
        it->y += MARGIN - top - (double)GAP_Y / 2;
        bottom = most(bottom, it->y + it->below);
        if (it->box == SIZE_MAX) continue;
        raski_drawing_box *box = &d->boxes.items[it->box];
        box->x = l->layers[it->layer].x;
        box->y = it->y - RASKI_DRAWING_HEAD - RASKI_DRAWING_ROW / 2.0 - 1.5;
    }
    d->height = bottom + MARGIN;
}

/* --- edges --------------------------------------------------------------------------------------
 */

typedef struct port {
    size_t edge;
    double other; /* height of the next point of the edge */
    size_t row;   /* its own, among edges to the same place */
} port;

static int compare_ports(const void *a, const void *b) {
    const port *x = a, *y = b;
    if (x->other != y->other) return x->other < y->other ? -1 : 1;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

/* Edges of one side of a box: at their row while they are few, else spread over the side. */
static void place_ports(raski_drawing *d, size_t box, bool is_end, port *ports, size_t count) {
    const raski_drawing_box *at = &d->boxes.items[box];
    qsort(ports, count, sizeof *ports, compare_ports);
    double first = 0, gap = 0;
    if (count > 1) {
        gap = (at->height - 12) / (double)count;
        if (gap > PORT_SMALL) gap = PORT_SMALL;
        const raski_drawing_edge *edge = &d->edges.items[ports[0].edge];
        double middle = raski_drawing_row_middle(at, is_end ? edge->to_row : edge->from_row);
        double half = gap * (double)(count - 1) / 2;
        if (middle - half < at->y + 6) middle = at->y + 6 + half;
        if (middle + half > at->y + at->height - 6) middle = at->y + at->height - 6 - half;
        first = middle - half;
    }
    for (size_t i = 0; i < count; i++) {
        raski_drawing_edge *edge = &d->edges.items[ports[i].edge];
        size_t row = is_end ? edge->to_row : edge->from_row;
        raski_drawing_point *point = is_end ? &edge->end : &edge->start;
        point->x = is_end ? at->x : at->x + at->width;
        point->y = count == 1 ? raski_drawing_row_middle(at, row) : first + gap * (double)i;
    }
}

/* A label stands where its edge ends, or begins if there are fewer edges there. */
static void place_labels(raski_drawing *d, const size_t *ins, const size_t *outs) {
    for (size_t i = 0; i < d->edges.count; i++) {
        raski_drawing_edge *edge = &d->edges.items[i];
        edge->label_at_end = ins[edge->to] <= LABELLED_MAX || ins[edge->to] <= outs[edge->from];
        size_t count = edge->label_at_end ? ins[edge->to] : outs[edge->from];
        const raski_drawing_box *box = &d->boxes.items[edge->label_at_end ? edge->to : edge->from];
        edge->has_room = count == 1 || (box->height - 12) / (double)count >= PORT_SMALL - 1;
    }
}

static void add_bends(layout *l, size_t number) {
    raski_drawing_edge *edge = &l->drawing->edges.items[number];
    size_t first = l->drawing->boxes.items[edge->from].layer;
    size_t last = l->drawing->boxes.items[edge->to].layer;
    for (size_t k = first + 1; l->points_of_edge[number] != NULL && k < last; k++) {
        const item *point = &l->items.items[l->points_of_edge[number][k - first - 1]];
        const layer *at = &l->layers[k];
        raski_vec_push(&edge->bends, (raski_drawing_point){at->x, point->y});
        raski_vec_push(&edge->bends, (raski_drawing_point){at->x + at->width, point->y});
    }
}

static double height_of_next(const layout *l, size_t number, bool is_end) {
    const raski_drawing_edge *edge = &l->drawing->edges.items[number];
    if (edge->bends.count > 0) return edge->bends.items[is_end ? edge->bends.count - 1 : 0].y;
    const raski_drawing_box *other = &l->drawing->boxes.items[is_end ? edge->from : edge->to];
    return raski_drawing_row_middle(other, is_end ? edge->from_row : edge->to_row);
}

static void place_edges(layout *l, const size_t *ins, const size_t *outs) {
    raski_drawing *d = l->drawing;
    for (size_t i = 0; i < d->edges.count; i++) add_bends(l, i);
    for (int is_end = 0; is_end < 2; is_end++) {
        const size_t *counts = is_end ? ins : outs;
        port **of_box = RASKI_NEW_ARRAY(port *, d->boxes.count + 1);
        size_t *filled = RASKI_NEW_ARRAY(size_t, d->boxes.count + 1);
        for (size_t i = 0; i < d->edges.count; i++) {
            size_t box = is_end ? d->edges.items[i].to : d->edges.items[i].from;
            if (of_box[box] == NULL) of_box[box] = RASKI_NEW_ARRAY(port, counts[box]);
            of_box[box][filled[box]++] =
                (port){i, height_of_next(l, i, is_end),
                       is_end ? d->edges.items[i].to_row : d->edges.items[i].from_row};
        }
        for (size_t i = 0; i < d->boxes.count; i++) {
            if (of_box[i] != NULL) place_ports(d, i, is_end, of_box[i], filled[i]);
            raski_free(of_box[i]);
        }
        raski_free(of_box);
        raski_free(filled);
    }
    place_labels(d, ins, outs);
}

void raski_drawing_layout(raski_drawing *d) {
    size_t *ins = RASKI_NEW_ARRAY(size_t, d->boxes.count + 1);
    size_t *outs = RASKI_NEW_ARRAY(size_t, d->boxes.count + 1);
    for (size_t i = 0; i < d->edges.count; i++) {
        outs[d->edges.items[i].from]++;
        ins[d->edges.items[i].to]++;
    }
    size_boxes(d, ins, outs);
    layout l = {.drawing = d, .layer_count = assign_layers(d)};
    l.layers = RASKI_NEW_ARRAY(layer, l.layer_count + 1);
    l.points_of_edge = RASKI_NEW_ARRAY(size_t *, d->edges.count + 1);
    make_items(&l);
    order_layers(&l);
    place_heights(&l);
    place_layers(&l);
    place_boxes(&l);
    place_edges(&l, ins, outs);
    for (size_t i = 0; i < l.items.count; i++) {
        raski_vec_free(&l.items.items[i].before);
        raski_vec_free(&l.items.items[i].behind);
    }
    for (size_t i = 0; i < l.layer_count; i++) raski_vec_free(&l.layers[i].items);
    for (size_t i = 0; i < d->edges.count; i++) raski_free(l.points_of_edge[i]);
    raski_vec_free(&l.items);
    raski_free(l.layers);
    raski_free(l.points_of_edge);
    raski_free(ins);
    raski_free(outs);
}
