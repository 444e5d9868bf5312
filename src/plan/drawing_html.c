/* drawing_html.c - a drawing as a page: one file, no network. Text of programs gets into it in two
 * ways only: escaped as XML, and as JSON in which '<' is written as \u003c. The page's script makes
 * text nodes of it, never markup; a policy in the page forbids everything else. */
#include <stdlib.h>

#include "plan/drawing.h"
#include "plan/drawing_page.h"

static json_t *details_of(const char *name, const json_t *fields) {
    json_t *entry = json_object();
    json_object_set_new(entry, "t", json_string_nocheck(name));
    json_object_set_new(entry, "f", fields != NULL ? json_deep_copy(fields) : json_array());
    return entry;
}

static void write_data(const raski_drawing *d, raski_str *out) {
    json_t *entries = json_array();
    for (size_t i = 0; i < d->boxes.count; i++) {
        const raski_drawing_box *box = &d->boxes.items[i];
        json_array_append_new(entries, details_of(box->name, box->details));
        for (size_t k = 0; k < box->rows.count; k++)
            json_array_append_new(entries,
                                  details_of(box->rows.items[k].text, box->rows.items[k].details));
    }
    char *text = json_dumps(entries, JSON_COMPACT | JSON_ENSURE_ASCII);
    for (const char *p = text != NULL ? text : "[]"; *p != '\0'; p++) {
        if (*p == '<')
            raski_str_append(out, "\\u003c");
        else
            raski_str_append_char(out, *p);
    }
    free(text);
    json_decref(entries);
}

static bool has_mark(const raski_drawing *d, raski_drawing_mark mark) {
    for (size_t i = 0; i < d->boxes.count; i++)
        for (size_t k = 0; k < d->boxes.items[i].rows.count; k++)
            if (d->boxes.items[i].rows.items[k].mark == mark) return true;
    return false;
}

static void write_marks(const raski_drawing *d, raski_str *out) {
    if (has_mark(d, RASKI_MARK_STATE))
        raski_str_append(out,
                         "<span class=\"key\"><svg width=\"10\" height=\"10\"><circle "
                         "class=\"state\" cx=\"5\" cy=\"5\" r=\"4\"/></svg>state</span>");
    if (has_mark(d, RASKI_MARK_FRAGILE))
        raski_str_append(out,
                         "<span class=\"key\" title=\"Its id depends on the topology: a savepoint "
                         "may not fit the next version of the program\"><svg width=\"14\" "
                         "height=\"12\"><path class=\"fragile\" d=\"M7 1.5l5.5 9.5h-11z\"/></svg>"
                         "state without uid</span>");
}

static void write_groups(const raski_drawing *d, raski_str *out) {
    enum { COLORS = 8, NAMED_MAX = 16 };
    if (d->groups.count < 2) return;
    for (size_t i = 0; i < d->groups.count && i < NAMED_MAX; i++) {
        raski_str_appendf(out, "<span class=\"key g%zu\"><i></i>", i % COLORS);
        raski_xml_escape(d->groups.items[i], out);
        raski_str_append(out, "</span>");
    }
}

void raski_drawing_write_html(const raski_drawing *d, raski_str *out) {
    raski_str_append(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    raski_xml_escape(d->title, out);
    raski_str_append(out, "</title>\n<style>\n");
    raski_str_append(out, raski_embedded_plan_drawing_css);
    raski_str_append(out, raski_embedded_plan_page_css);
    raski_str_append(out, "</style>\n</head>\n<body>\n<header>\n<h1>");
    raski_xml_escape(d->title, out);
    raski_str_append(out, "</h1>\n<p>");
    raski_xml_escape(d->subtitle, out);
    raski_str_append(out, "</p>\n<p class=\"keys\">");
    write_groups(d, out);
    write_marks(d, out);
    raski_str_append(
        out,
        "</p>\n<form role=\"search\"><input id=\"search\" type=\"search\" placeholder=\"Search "
        "names, ids, uids  ( / )\" aria-label=\"Search names, ids, uids\" autocomplete=\"off\" "
        "spellcheck=\"false\"><output id=\"found\" for=\"search\"></output></form>\n"
        "<div class=\"buttons\"><button id=\"out\" title=\"Zoom out ( - )\" aria-label=\"Zoom "
        "out\">&#8722;</button><button id=\"in\" title=\"Zoom in ( + )\" aria-label=\"Zoom "
        "in\">+</button><button id=\"fit\" title=\"Show all ( 0 )\">Fit</button></div>\n"
        "</header>\n<main>\n");
    raski_drawing_write_svg(d, true, out);
    raski_str_append(
        out,
        "<aside id=\"details\" aria-live=\"polite\" hidden><button id=\"close\" title=\"Close ( "
        "Esc )\" aria-label=\"Close\">&#215;</button><h2></h2><dl></dl></aside>\n"
        "<p class=\"help\">drag or arrows: move &#183; wheel or + &#8722;: zoom &#183; 0: all "
        "&#183; /: search &#183; click, or Tab and Enter: details</p>\n"
        "</main>\n<script type=\"application/json\" id=\"data\">");
    write_data(d, out);
    raski_str_append(out, "</script>\n<script>\n");
    raski_str_append(out, raski_embedded_plan_page_js);
    raski_str_append(out, "</script>\n</body>\n</html>\n");
}
