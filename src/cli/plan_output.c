#include "cli/plan_output.h"

#include <jansson.h>
#include <string.h>

/* The length of the plan that text starts with; 0 when it starts with none. */
static size_t plan_length(const char *text, size_t length) {
    json_error_t error;
    json_t *value = json_loadb(text, length, JSON_DISABLE_EOF_CHECK, &error);
    if (value == NULL) return 0;
    /* with this flag, position is how many bytes were read */
    size_t used = json_is_array(json_object_get(value, "nodes")) ? (size_t)error.position : 0;
    json_decref(value);
    return used;
}

bool raski_find_plan(const char *text, size_t length, size_t *ret_start, size_t *ret_end) {
    size_t start = 0;
    while (start < length) {
        size_t used = text[start] == '{' ? plan_length(text + start, length - start) : 0;
        if (used > 0) {
            *ret_start = start;
            *ret_end = start + used;
            return true;
        }
        const char *newline = memchr(text + start, '\n', length - start);
        if (newline == NULL) return false;
        start = (size_t)(newline - text) + 1;
    }
    return false;
}
