#include "plan/json_position.h"

#include <stdint.h>
#include <string.h>

typedef struct walker {
    const char *at, *start, *end;
    const json_t *object;
    const char *field;
    bool at_name, found, is_exact;
    size_t offset;
} walker;

static void skip_blanks(walker *w) {
    while (w->at < w->end && strchr(" \t\r\n", *w->at) != NULL && *w->at != '\0') w->at++;
}

static void skip_one(walker *w, char c) {
    skip_blanks(w);
    if (w->at < w->end && *w->at == c) w->at++;
    skip_blanks(w);
}

static void skip_string(walker *w) {
    w->at++;
    while (w->at < w->end && *w->at != '"') w->at += *w->at == '\\' && w->at + 1 < w->end ? 2 : 1;
    if (w->at < w->end) w->at++;
}

static void note(walker *w, const char *place, bool is_exact) {
    w->found = true;
    w->is_exact = is_exact;
    w->offset = (size_t)(place - w->start);
}

/* Depth is bounded: the parser refuses documents that are nested more than 2,048 deep. */
static void walk(walker *w, const json_t *value);

static void walk_object(walker *w, const json_t *value) {
    json_t *object = (json_t *)(uintptr_t)value;
    skip_one(w, '{');
    for (void *i = json_object_iter(object); i != NULL && !w->is_exact;
         i = json_object_iter_next(object, i)) {
        const char *name_at = w->at;
        skip_string(w);
        skip_one(w, ':');
        bool is_wanted = value == w->object && w->field != NULL &&
                         strcmp(json_object_iter_key(i), w->field) == 0;
        if (is_wanted) {
            note(w, w->at_name ? name_at : w->at, true);
            return;
        }
        walk(w, json_object_iter_value(i));
        skip_one(w, ',');
    }
    skip_one(w, '}');
}

static void walk_array(walker *w, const json_t *value) {
    skip_one(w, '[');
    for (size_t i = 0; i < json_array_size(value) && !w->is_exact; i++) {
        walk(w, json_array_get(value, i));
        skip_one(w, ',');
    }
    skip_one(w, ']');
}

static void walk(walker *w, const json_t *value) {
    skip_blanks(w);
    if (value == w->object)
        note(w, w->at, w->field == NULL || json_object_get(value, w->field) == NULL);
    if (w->is_exact) return;
    if (json_is_object(value))
        walk_object(w, value);
    else if (json_is_array(value))
        walk_array(w, value);
    else if (json_is_string(value))
        skip_string(w);
    else
        while (w->at < w->end && strchr(",]} \t\r\n", *w->at) == NULL) w->at++;
}

bool raski_json_find(const char *text, size_t length, const json_t *document, const json_t *object,
                     const char *field, bool at_name, size_t *ret_offset) {
    walker w = {.at = text,
                .start = text,
                .end = text + length,
                .object = object,
                .field = field,
                .at_name = at_name};
    if (document == NULL || object == NULL) return false;
    walk(&w, document);
    if (w.found) *ret_offset = w.offset;
    return w.found;
}

bool raski_json_has_few_values(const char *text, size_t length, size_t max, size_t *ret_offset) {
    size_t values = 0;
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        if (in_string && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            in_string = !in_string;
        else if (!in_string && (text[i] == '[' || text[i] == '{' || text[i] == ','))
            values++;
        if (values <= max) continue;
        *ret_offset = i;
        return false;
    }
    return true;
}

void raski_text_position(const char *text, size_t offset, size_t *ret_line, size_t *ret_column) {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            column++; /* not in the middle of a character */
        }
    }
    *ret_line = line;
    *ret_column = column;
}
