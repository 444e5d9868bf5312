/* json_parse.h - the parts of a JSON text, without a tree of them: each call takes one part from
 * the cursor. Errors are told with raski_format_fail. Threads: one owner. */
#ifndef RASKI_FORMATS_JSON_JSON_PARSE_H
#define RASKI_FORMATS_JSON_JSON_PARSE_H
#include "formats/format.h"

typedef struct raski_json_cursor {
    const char *text, *p, *end;
    raski_format_memory *memory; /* for texts with escapes */
    rask_format_error *error;
    int depth, depth_max; /* objects and arrays that are open */
    bool out_of_memory;
} raski_json_cursor;

#define RASKI_JSON_FAIL(c, at, ...) raski_format_fail((c)->error, (c)->text, (at), __VA_ARGS__)

bool raski_json_no_memory(raski_json_cursor *c);

static inline void raski_json_skip_space(raski_json_cursor *c) {
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t' || *c->p == '\r'))
        c->p++;
}
/* Takes the byte, if it is there. */
static inline bool raski_json_take(raski_json_cursor *c, char byte) {
    if (c->p == c->end || *c->p != byte) return false;
    c->p++;
    return true;
}
/* Fails: "x" stands where `expected` should. */
bool raski_json_unexpected(raski_json_cursor *c, const char *expected);

/* At a quote: the text of the string, in the record's text or in memory. */
bool raski_json_string(raski_json_cursor *c, const char **ret_text, size_t *ret_length);
/* At a digit or '-': the text of a number that JSON allows. *ret_is_integer: no point, no exponent.
 */
bool raski_json_number(raski_json_cursor *c, const char **ret_text, size_t *ret_length,
                       bool *ret_is_integer);
/* Takes "null", "true" or "false", if it is there and ends there. */
bool raski_json_word(raski_json_cursor *c, const char *word);
/* Opens an object or array: one level deeper. The cursor is at the bracket. */
bool raski_json_open(raski_json_cursor *c);
void raski_json_close(raski_json_cursor *c);
/* In an object or array, at its start or behind a value: whether there is another one. Takes the
 * comma, or the closing bracket. false with an error: *ret_failed. */
bool raski_json_more(raski_json_cursor *c, bool is_first, char closing, bool *ret_failed);
/* In an object: the name of a field and the colon behind it. */
bool raski_json_name(raski_json_cursor *c, const char **ret_text, size_t *ret_length);
/* Takes a value of any kind. */
bool raski_json_skip_value(raski_json_cursor *c);
#endif
