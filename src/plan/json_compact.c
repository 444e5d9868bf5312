#include "plan/json_compact.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { REAL_PRECISION = 17 }; /* reads back to the same bits */

static void print_escaped(unsigned char c, raski_str *out) {
    static const char letters[] = "btn\0fr"; /* of 8 to 13; 11 has none */
    raski_str_append_char(out, '\\');
    if (c == '"' || c == '\\')
        raski_str_append_char(out, (char)c);
    else if (c >= 8 && c <= 13 && letters[c - 8] != '\0')
        raski_str_append_char(out, letters[c - 8]);
    else
        raski_str_appendf(out, "u%04X", c);
}

static void print_text(const char *text, size_t length, raski_str *out) {
    size_t start = 0;
    raski_str_append_char(out, '"');
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= ' ' && c != '"' && c != '\\') continue;
        raski_str_append_bytes(out, text + start, i - start);
        print_escaped(c, out);
        start = i + 1;
    }
    raski_str_append_bytes(out, text + start, length - start);
    raski_str_append_char(out, '"');
}

static void print_integer(json_int_t number, raski_str *out) {
    char digits[24];
    size_t first = sizeof digits;
    unsigned long long rest =
        number < 0 ? 0ULL - (unsigned long long)number : (unsigned long long)number;
    do digits[--first] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0) digits[--first] = '-';
    raski_str_append_bytes(out, digits + first, sizeof digits - first);
}

static void print_real(const json_t *value, raski_str *out) {
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(REAL_PRECISION));
    raski_str_append(out, text != NULL ? text : "null");
    free(text); /* jansson's */
}

static void print_object(json_t *object, raski_str *out) {
    char separator = '{';
    for (void *i = json_object_iter(object); i != NULL; i = json_object_iter_next(object, i)) {
        const char *key = json_object_iter_key(i);
        raski_str_append_char(out, separator);
        separator = ',';
        print_text(key, strlen(key), out);
        raski_str_append_char(out, ':');
        raski_json_print_compact(json_object_iter_value(i), out);
    }
    raski_str_append(out, separator == '{' ? "{}" : "}");
}

static void print_array(const json_t *array, raski_str *out) {
    size_t count = json_array_size(array);
    raski_str_append_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0) raski_str_append_char(out, ',');
        raski_json_print_compact(json_array_get(array, i), out);
    }
    raski_str_append_char(out, ']');
}

void raski_json_print_compact(const json_t *document, raski_str *out) {
    switch (json_typeof(document)) {
        case JSON_OBJECT:
            print_object((json_t *)(uintptr_t)document, out);
            break;
        case JSON_ARRAY:
            print_array(document, out);
            break;
        case JSON_STRING:
            print_text(json_string_value(document), json_string_length(document), out);
            break;
        case JSON_INTEGER:
            print_integer(json_integer_value(document), out);
            break;
        case JSON_REAL:
            print_real(document, out);
            break;
        case JSON_TRUE:
            raski_str_append(out, "true");
            break;
        case JSON_FALSE:
            raski_str_append(out, "false");
            break;
        case JSON_NULL:
            raski_str_append(out, "null");
            break;
    }
}
