/* yaml.h - the part of YAML that configuration needs, read with libyaml: one document whose
 * mappings may be nested, scalars as they are written (nothing is converted: 010 stays "010"),
 * sequences as flow text. Strict: a key given twice, aliases, tags, several documents and keys that
 * are no scalars are errors that name the line. Flink: configuration.YamlParserUtils.
 * Threads: any. */
#ifndef RASKI_CONFIG_YAML_H
#define RASKI_CONFIG_YAML_H
#include <stddef.h>

#include "base/status.h"
#include "config/value.h"

enum {
    RASKI_YAML_BYTES_MAX = 1024 * 1024, /* a configuration beyond is a mistake or an attack */
    RASKI_YAML_DEPTH_MAX = 32,
    RASKI_YAML_ENTRIES_MAX = 10000,
    RASKI_YAML_KEY_MAX = 512, /* bytes of a dotted key */
};

/* One value: its dotted key ("a.b.c" for nested mappings), its text (NULL: nothing was written) and
 * the line of the key. All are borrowed. A failure ends the walk. */
typedef rask_status (*raski_yaml_entry_fn)(void *ctx, const char *key, const char *value_or_null,
                                           int line, raski_error *err);

/* Calls entry for each value of the document, in order. Errors: RASK_E_CORRUPT with
 * "line N: what is wrong", or what entry returned. An empty document has no values. */
rask_status raski_yaml_walk(const char *text, size_t length, raski_yaml_entry_fn entry, void *ctx,
                            raski_error *err) RASKI_NODISCARD;

/* A text that is a sequence or a mapping as a whole. Nested parts become flow text. The results are
 * the caller's; on failure they may hold what was read so far. */
rask_status raski_yaml_parse_list(const char *text, raski_text_list *list,
                                  raski_error *err) RASKI_NODISCARD;
rask_status raski_yaml_parse_map(const char *text, raski_text_map *map,
                                 raski_error *err) RASKI_NODISCARD;
#endif
