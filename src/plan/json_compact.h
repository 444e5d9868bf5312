/* json_compact.h - JSON documents as one line, byte for byte as json_dumps(JSON_COMPACT |
 * JSON_REAL_PRECISION(17)) prints them, several times faster: no checks for cycles, no callbacks
 * for pieces of a few bytes. For documents that Rask made itself. Threads: any (pure). */
#ifndef RASKI_PLAN_JSON_COMPACT_H
#define RASKI_PLAN_JSON_COMPACT_H
#include <jansson.h>

#include "base/str.h"

/* Appends. The document is a tree, not deep, its texts are UTF-8. */
void raski_json_print_compact(const json_t *document, raski_str *out);
#endif
