/* json.h - what reader and writer of JSON share: options with defaults, and which types have a
 * place in JSON. Threads: pure. Flink: JsonFormatOptionsUtil. */
#ifndef RASKI_FORMATS_JSON_JSON_H
#define RASKI_FORMATS_JSON_JSON_H
#include "formats/format.h"

enum { RASKI_JSON_DEPTH = 64, RASKI_JSON_DEPTH_LIMIT = 1024 };

/* Options as the program gave them, with defaults for what it left out. false: message says which
 * one is wrong. */
bool raski_json_options_init(rask_json_options *ret_options, const rask_json_options *options,
                             char *message, size_t size);
/* Whether JSON has a place for the type; if not, message says why. */
bool raski_json_check_type(const rask_type *type, char *message, size_t size);
#endif
