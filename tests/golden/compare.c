/* compare.c - exact comparison of JSON documents. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "golden/golden.h"

void golden_differ(golden_case *c, const char *path, const char *format, ...) {
    c->differences++;
    if (c->quiet || c->differences > 5) return;
    va_list arguments;
    va_start(arguments, format);
    raski_str text = {0};
    raski_str_appendf(&text, "%s: %s: ", c->name, path);
    raski_str_vappendf(&text, format, arguments);
    va_end(arguments);
    raski_str_append_char(&text, '\n');
    fputs(raski_str_text(&text), stderr);
    raski_str_free(&text);
}

static void differ_values(golden_case *c, const char *path, const json_t *expected,
                          const json_t *got) {
    char *e = json_dumps(expected, JSON_COMPACT | JSON_ENCODE_ANY);
    char *g = got ? json_dumps(got, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    golden_differ(c, path, "expected %.300s, got %.300s", e ? e : "?", g ? g : "nothing");
    free(e);
    free(g);
}

static bool scalars_equal(const json_t *a, const json_t *b) {
    switch (json_typeof(a)) {
        case JSON_STRING:
            return json_string_length(a) == json_string_length(b) &&
                   memcmp(json_string_value(a), json_string_value(b), json_string_length(a)) == 0;
        case JSON_INTEGER:
            return json_integer_value(a) == json_integer_value(b);
        case JSON_REAL: {
            double x = json_real_value(a), y = json_real_value(b);
            return memcmp(&x, &y, sizeof x) == 0;
        }
        default:
            return true; /* true, false, null: the type says it */
    }
}

static bool is_unstable(const char *path, const json_t *expected, const json_t *got) {
    size_t length = strlen(path);
    return json_is_string(expected) && json_is_string(got) && length >= 3 &&
           strcmp(path + length - 3, ".id") == 0 &&
           strcmp(json_string_value(expected), "unstable") == 0;
}

static bool objects_equal(golden_case *c, const char *path, const json_t *expected,
                          const json_t *got) {
    bool equal = true;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)expected, key, value) {
        char *inner = raski_format("%s.%s", path, key);
        if (!golden_equal(c, inner, value, json_object_get(got, key))) equal = false;
        raski_free(inner);
    }
    json_object_foreach((json_t *)(uintptr_t)got, key, value) {
        if (json_object_get(expected, key)) continue;
        golden_differ(c, path, "has '%s', which is not expected", key);
        equal = false;
    }
    return equal;
}

static bool arrays_equal(golden_case *c, const char *path, const json_t *expected,
                         const json_t *got) {
    bool equal = true;
    size_t count = json_array_size(expected);
    if (count != json_array_size(got)) {
        golden_differ(c, path, "expected %zu elements, got %zu", count, json_array_size(got));
        equal = false;
    }
    for (size_t i = 0; i < count && i < json_array_size(got); i++) {
        char *inner = raski_format("%s[%zu]", path, i);
        if (!golden_equal(c, inner, json_array_get(expected, i), json_array_get(got, i)))
            equal = false;
        raski_free(inner);
    }
    return equal;
}

bool golden_equal(golden_case *c, const char *path, const json_t *expected, const json_t *got) {
    if (got && json_typeof(expected) == json_typeof(got)) {
        if (json_is_object(expected)) return objects_equal(c, path, expected, got);
        if (json_is_array(expected)) return arrays_equal(c, path, expected, got);
        if (scalars_equal(expected, got) || is_unstable(path, expected, got)) return true;
    }
    differ_values(c, path, expected, got);
    return false;
}
