/* drawing_svg.c - a drawing as SVG. Colours are classes, so that one file has a light and a dark
 * form; groups have those of Okabe and Ito, which people tell apart whatever they see of colours,
 * and their names stand in the drawing as well. */
#include "plan/drawing.h"
#include "plan/drawing_page.h"

enum { GROUP_COLORS = 8, LEGEND_HEIGHT = 46, TITLE_HEIGHT = 34, TEXT_SIZE = 13, SMALL_SIZE = 12 };

static const char *const line_classes[] = {"chained", "pipelined", "blocking", "hybrid"};

/* Writes text into an element, or nothing. */
static void write_text(raski_str *out, const char *class_name, const char *anchor, double x,
                       double y, const char *text) {
    if (text == NULL || *text == '\0') return;
    raski_str_appendf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\"%s%s%s>", class_name, x, y,
                      *anchor ? " text-anchor=\"" : "", anchor, *anchor ? "\"" : "");
    raski_xml_escape(text, out);
    raski_str_append(out, "</text>");
}

static void write_fitted(raski_str *out, const char *class_name, double x, double y,
                         const char *text, double size, double width) {
    raski_str fitted = {0};
    raski_text_fit(text, size, width, &fitted);
    write_text(out, class_name, "", x, y, raski_str_text(&fitted));
    raski_str_free(&fitted);
}

/* --- boxes --------------------------------------------------------------------------------------
 */

/* What the page needs of a part that can be chosen. */
static void write_handle(raski_str *out, const char *class_name, size_t place, const char *label) {
    raski_str_appendf(out,
                      "<g class=\"%s\" data-k=\"%zu\" tabindex=\"0\" role=\"button\" aria-label=\"",
                      class_name, place);
    raski_xml_escape(label, out);
    raski_str_append(out, "\">");
}

static void write_tooltip(raski_str *out, const char *text) {
    raski_str_append(out, "<title>");
    raski_xml_escape(text, out);
    raski_str_append(out, "</title>");
}

static void write_row(raski_str *out, const raski_drawing_box *box, size_t number, bool interactive,
                      size_t place) {
    const raski_drawing_row *row = &box->rows.items[number];
    double top = box->y + RASKI_DRAWING_HEAD + (double)(RASKI_DRAWING_ROW * number);
    double indent = RASKI_DRAWING_INDENT * (row->indent < 8 ? row->indent : 8);
    double x = box->x + RASKI_DRAWING_PADDING + indent;
    double room = box->width - 2 * RASKI_DRAWING_PADDING - indent;
    if (interactive)
        write_handle(out, "row", place, row->text);
    else
        raski_str_append(out, "<g>");
    write_tooltip(out, row->text);
    raski_str_appendf(out,
                      "<rect class=\"rowbox\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
                      "rx=\"4\"/>",
                      x - 6, top + 3, box->x + box->width - 6 - (x - 6), RASKI_DRAWING_ROW - 3);
    if (row->indent > 0)
        raski_str_appendf(out, "<path class=\"branch\" d=\"M%.1f %.1fv%dh5\"/>", x - 11, top + 1,
                          13);
    if (row->mark == RASKI_MARK_STATE)
        raski_str_appendf(out, "<circle class=\"state\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>",
                          box->x + box->width - 16, top + 13.5);
    if (row->mark == RASKI_MARK_FRAGILE)
        raski_str_appendf(out, "<path class=\"fragile\" d=\"M%.1f %.1fl5.5 9.5h-11z\"/>",
                          box->x + box->width - 16, top + 8.5);
    write_fitted(out, "name", x, top + 18, row->text, TEXT_SIZE,
                 room - (row->mark != RASKI_MARK_NONE ? 14 : 0));
    raski_str_append(out, "</g>");
}

/* The head has a line of its own below, in the colour of the group. */
static void write_box(raski_str *out, const raski_drawing_box *box, bool interactive,
                      size_t *place) {
    double badge = SMALL_SIZE * raski_text_width(box->badge);
    raski_str_appendf(out, "<g class=\"box g%zu\">\n", box->group % GROUP_COLORS);
    raski_str_appendf(out,
                      "<rect class=\"card\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                      "rx=\"8\"/>",
                      box->x, box->y, box->width, box->height);
    if (interactive)
        write_handle(out, "head", *place, box->name);
    else
        raski_str_append(out, "<g>");
    write_tooltip(out, box->name);
    raski_str_appendf(
        out,
        "<path class=\"tint\" d=\"M%.1f %.1fa8 8 0 0 1 8 -8h%.1fa8 8 0 0 1 8 8v%dh-%.1f"
        "z\"/>",
        box->x, box->y + 8, box->width - 16, RASKI_DRAWING_HEAD - 8, box->width);
    raski_str_appendf(out, "<path class=\"rule\" d=\"M%.1f %.1fh%.1f\"/>", box->x,
                      box->y + RASKI_DRAWING_HEAD, box->width);
    write_fitted(out, "title", box->x + RASKI_DRAWING_PADDING, box->y + 17, box->title, SMALL_SIZE,
                 box->width - 2 * RASKI_DRAWING_PADDING - badge - 8);
    write_text(out, "badge", "end", box->x + box->width - RASKI_DRAWING_PADDING, box->y + 17,
               box->badge);
    raski_str_append(out, "</g>\n");
    ++*place;
    for (size_t i = 0; i < box->rows.count; i++) {
        write_row(out, box, i, interactive, *place);
        ++*place;
    }
    raski_str_append(out, "</g>\n");
}

/* --- edges --------------------------------------------------------------------------------------
 */

static void curve(raski_str *out, raski_drawing_point from, raski_drawing_point to) {
    double reach = (to.x - from.x) / 2;
    if (from.y - to.y < 0.5 && to.y - from.y < 0.5)
        raski_str_appendf(out, "L%.1f %.1f", to.x, to.y);
    else
        raski_str_appendf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f", from.x + reach, from.y,
                          to.x - reach, to.y, to.x, to.y);
}

/* Edges are straight where their labels stand. */
static double label_width(const raski_drawing_edge *edge) {
    enum { MAX = 92 };
    double large = 10.6 * raski_text_width(edge->label) + 8;
    double small = edge->has_room ? 9.5 * raski_text_width(edge->small_label) + 8 : 0;
    double width = large > small ? large : small;
    return width < MAX ? width : MAX;
}

static void write_path(raski_str *out, const raski_drawing_edge *edge) {
    raski_drawing_point at = edge->start, end = edge->end;
    double label = label_width(edge);
    end.x -= 7; /* the arrow's head */
    raski_str_appendf(out, "<path class=\"%s\" d=\"M%.1f %.1f", line_classes[edge->line], at.x,
                      at.y);
    if (!edge->label_at_end) {
        at.x += label;
        raski_str_appendf(out, "H%.1f", at.x);
    }
    for (size_t i = 0; i < edge->bends.count; i++) {
        if (i % 2 == 0)
            curve(out, at, edge->bends.items[i]);
        else
            raski_str_appendf(out, "L%.1f %.1f", edge->bends.items[i].x, edge->bends.items[i].y);
        at = edge->bends.items[i];
    }
    curve(out, at, (raski_drawing_point){edge->label_at_end ? end.x - label : end.x, end.y});
    if (edge->label_at_end) raski_str_appendf(out, "H%.1f", end.x);
    raski_str_appendf(out, "\"/><path class=\"tip\" d=\"M%.1f %.1fl-8 -4v8z\"/>", edge->end.x,
                      edge->end.y);
}

static void write_edge_labels(raski_str *out, const raski_drawing_edge *edge) {
    double x = edge->label_at_end ? edge->end.x - 11 : edge->start.x + 6;
    double y = edge->label_at_end ? edge->end.y : edge->start.y;
    const char *anchor = edge->label_at_end ? "end" : "";
    write_text(out, "label", anchor, x, y - 5, edge->label);
    if (edge->has_room) write_text(out, "small", anchor, x, y + 13, edge->small_label);
}

static void write_edge(raski_str *out, const raski_drawing_edge *edge, const raski_drawing *d,
                       const size_t *first_places) {
    const raski_drawing_box *from = &d->boxes.items[edge->from], *to = &d->boxes.items[edge->to];
    raski_str_appendf(out, "<g class=\"edge\" data-from=\"%zu\" data-to=\"%zu\">",
                      first_places[edge->from] + 1 + edge->from_row,
                      first_places[edge->to] + 1 + edge->to_row);
    raski_str_append(out, "<title>");
    raski_xml_escape(
        from->rows.count > edge->from_row ? from->rows.items[edge->from_row].text : from->name,
        out);
    raski_str_append(out, " \xe2\x86\x92 ");
    raski_xml_escape(to->rows.count > edge->to_row ? to->rows.items[edge->to_row].text : to->name,
                     out);
    raski_str_append(out, ": ");
    raski_xml_escape(edge->label, out);
    raski_str_append_char(out, ' ');
    raski_xml_escape(edge->small_label, out);
    raski_str_append(out, "</title>");
    write_path(out, edge);
    raski_str_append(out, "</g>\n");
}

/* --- all of it ----------------------------------------------------------------------------------
 */

static bool has_line(const raski_drawing *d, raski_drawing_line line) {
    for (size_t i = 0; i < d->edges.count; i++)
        if (d->edges.items[i].line == line) return true;
    return false;
}

static bool has_mark(const raski_drawing *d, raski_drawing_mark mark) {
    for (size_t i = 0; i < d->boxes.count; i++)
        for (size_t k = 0; k < d->boxes.items[i].rows.count; k++)
            if (d->boxes.items[i].rows.items[k].mark == mark) return true;
    return false;
}

static double legend_entry(raski_str *out, double x, double y, const char *kind, const char *text) {
    raski_str_appendf(out, "%s", kind);
    write_text(out, "legend", "", x + 32, y + 4, text);
    return x + 32 + SMALL_SIZE * raski_text_width(text) + 22;
}

static double write_legend(raski_str *out, const raski_drawing *d, double y) {
    static const char *const lines[] = {"chained: one task", "pipelined", "blocking", "hybrid"};
    enum { NAMED_MAX = 12 };
    double x = 24;
    raski_str kind = {0};
    for (size_t i = 0; i < d->groups.count && i < NAMED_MAX && d->groups.count > 1; i++) {
        raski_str_truncate(&kind, 0);
        raski_str_appendf(
            &kind,
            "<g class=\"g%zu\"><rect class=\"swatch\" x=\"%.1f\" y=\"%.1f\" width=\"22\" "
            "height=\"14\" rx=\"3\"/></g>",
            i % GROUP_COLORS, x, y - 7);
        char *text = raski_format("%s %s", d->group_kind, d->groups.items[i]);
        x = legend_entry(out, x, y, raski_str_text(&kind), text);
        raski_free(text);
    }
    for (int i = 0; i < 4; i++) {
        if (!has_line(d, (raski_drawing_line)i)) continue;
        raski_str_truncate(&kind, 0);
        raski_str_appendf(&kind, "<path class=\"%s\" d=\"M%.1f %.1fh24\"/>", line_classes[i], x, y);
        x = legend_entry(out, x, y, raski_str_text(&kind), lines[i]);
    }
    raski_str_truncate(&kind, 0);
    raski_str_appendf(&kind, "<circle class=\"state\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>", x + 20,
                      y);
    if (has_mark(d, RASKI_MARK_STATE))
        x = legend_entry(out, x, y, raski_str_text(&kind), "has state");
    raski_str_truncate(&kind, 0);
    raski_str_appendf(&kind, "<path class=\"fragile\" d=\"M%.1f %.1fl5.5 9.5h-11z\"/>", x + 20,
                      y - 5);
    if (has_mark(d, RASKI_MARK_FRAGILE))
        x = legend_entry(out, x, y, raski_str_text(&kind),
                         "has state and no uid: its id depends on the topology");
    raski_str_free(&kind);
    return x;
}

static void write_graph(const raski_drawing *d, bool interactive, raski_str *out) {
    size_t *first_places = RASKI_NEW_ARRAY(size_t, d->boxes.count + 1), place = 0;
    for (size_t i = 0; i < d->boxes.count; i++) {
        first_places[i] = place;
        place += 1 + d->boxes.items[i].rows.count;
    }
    raski_str_append(out, "<g class=\"edges\">\n");
    for (size_t i = 0; i < d->edges.count; i++)
        write_edge(out, &d->edges.items[i], d, first_places);
    raski_str_append(out, "</g>\n");
    place = 0;
    for (size_t i = 0; i < d->boxes.count; i++)
        write_box(out, &d->boxes.items[i], interactive, &place);
    raski_str_append(out, "<g class=\"labels\">\n");
    for (size_t i = 0; i < d->edges.count; i++) write_edge_labels(out, &d->edges.items[i]);
    raski_str_append(out, "</g>\n");
    raski_free(first_places);
}

static void write_plain_svg(const raski_drawing *d, raski_str *out) {
    raski_str legend = {0};
    double legend_width = write_legend(&legend, d, TITLE_HEIGHT + d->height + 14);
    double title_width =
        48 + 17 * raski_text_width(d->title) + 20 + SMALL_SIZE * raski_text_width(d->subtitle);
    double width = d->width > legend_width ? d->width : legend_width;
    if (title_width > width) width = title_width;
    double height = TITLE_HEIGHT + d->height + LEGEND_HEIGHT;
    raski_str_appendf(out,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                      "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>",
                      width, height, width, height);
    raski_xml_escape(d->title, out);
    raski_str_append(out, "</title>\n<style>\n:root{color-scheme:light dark}\n");
    raski_str_append(out, raski_embedded_plan_drawing_css);
    raski_str_append(out, "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
    write_text(out, "heading", "", 24, 32, d->title);
    write_text(out, "legend", "", 24 + 17 * raski_text_width(d->title) + 14, 32, d->subtitle);
    raski_str_appendf(out, "\n<g transform=\"translate(0 %d)\">\n", TITLE_HEIGHT);
    write_graph(d, false, out);
    raski_str_append(out, "</g>\n");
    raski_str_append(out, raski_str_text(&legend));
    raski_str_append(out, "\n</svg>\n");
    raski_str_free(&legend);
}

void raski_drawing_write_svg(const raski_drawing *d, bool interactive, raski_str *out) {
    if (!interactive) {
        write_plain_svg(d, out);
        return;
    }
    raski_str_appendf(out,
                      "<svg id=\"drawing\" data-width=\"%.0f\" data-height=\"%.0f\" "
                      "aria-label=\"plan\">\n<g id=\"view\">\n",
                      d->width, d->height);
    write_graph(d, true, out);
    raski_str_append(out, "</g>\n</svg>\n");
}
