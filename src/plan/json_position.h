/* json_position.h - where in its text a part of a JSON document stands. The parser (jansson) tells
 * places for syntax errors only; here text and document are walked side by side, and only when an
 * error needs it, so that nothing is kept per value. Threads: any (pure). */
#ifndef RASKI_PLAN_JSON_POSITION_H
#define RASKI_PLAN_JSON_POSITION_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Finds object (compared by address, any value of document) or its field. text is what document was
 * parsed from, without duplicate keys. field NULL, or absent in object: the place of object.
 * at_name: the place of the field's name rather than of its value. false: object is not in
 * document. */
bool raski_json_find(const char *text, size_t length, const json_t *document, const json_t *object,
                     const char *field, bool at_name, size_t *ret_offset);

/* Whether text has at most max values (an upper bound: it may not even be JSON). A parsed value
 * takes a hundred bytes, be it two in the text. Otherwise *ret_offset is where they become too
 * many. */
bool raski_json_has_few_values(const char *text, size_t length, size_t max, size_t *ret_offset);

/* Line and column of a byte, both from 1; columns count characters of UTF-8. */
void raski_text_position(const char *text, size_t offset, size_t *ret_line, size_t *ret_column);
#endif
