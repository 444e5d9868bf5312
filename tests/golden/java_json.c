#include "golden/java_json.h"

#include <stdlib.h>

json_t *golden_result(rask_status status, const raski_error *err, json_t *value_take) {
    if (status == RASK_OK) return json_pack("{s:o}", "ok", value_take);
    json_decref(value_take);
    return json_pack("{s:{s:s,s:s}}", "error", "class", err->exception, "message", err->message);
}

static const char *simple_name(const char *class_name) {
    const char *dot = strrchr(class_name, '.');
    return dot ? dot + 1 : class_name;
}

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : ""; /* a message that is null */
}

void golden_result_equal(golden_case *c, const json_t *expected, json_t *got_take) {
    const json_t *error = json_object_get(expected, "error");
    const json_t *got_error = json_object_get(got_take, "error");
    const json_t *ok = json_object_get(expected, "ok");
    if (ok) {
        const json_t *got = json_object_get(got_take, "ok");
        if (got == NULL)
            golden_differ(c, "ok", "failed with %s: %s", text_of(got_error, "class"),
                          text_of(got_error, "message"));
        else
            golden_equal(c, "ok", ok, got);
    } else if (error) {
        if (got_error == NULL) {
            golden_differ(c, "error", "%s was expected", text_of(error, "class"));
        } else {
            if (strcmp(simple_name(text_of(error, "class")), text_of(got_error, "class")) != 0)
                golden_differ(c, "error.class", "expected %s, got %s", text_of(error, "class"),
                              text_of(got_error, "class"));
            if (strcmp(text_of(error, "message"), text_of(got_error, "message")) != 0)
                golden_differ(c, "error.message", "expected '%s', got '%s'",
                              text_of(error, "message"), text_of(got_error, "message"));
        }
    } else {
        golden_differ(c, "", "has neither ok nor error");
    }
    json_decref(got_take);
}

long long golden_integer(golden_case *c, const json_t *value) {
    if (json_is_integer(value)) return json_integer_value(value);
    if (json_is_string(value)) {
        char *end = NULL;
        long long number = strtoll(json_string_value(value), &end, 10);
        if (*end == '\0' && end != json_string_value(value)) return number;
    }
    golden_differ(c, "", "an integer was expected");
    return 0;
}

int golden_call(const char *text, const char *name, int max, long long *ret_arguments) {
    size_t length = strlen(name);
    if (strncmp(text, name, length) != 0 || text[length] != '(') return -1;
    const char *p = text + length + 1;
    int count = 0;
    while (*p != ')') {
        char *end = NULL;
        if (count == max) return -1;
        ret_arguments[count++] = strtoll(p, &end, 10);
        if (end == p) return -1;
        p = end;
        while (*p == ',' || *p == ' ') p++;
    }
    return p[1] == '\0' ? count : -1;
}
