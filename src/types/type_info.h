/* type_info.h - questions about descriptions of record types.
 * Threads: pure functions over immutable descriptions. Flink: TypeInformation, and KeyedStream's
 * check of key types. */
#ifndef RASKI_TYPES_TYPE_INFO_H
#define RASKI_TYPES_TYPE_INFO_H
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/str.h"
#include "rask/types.h"

enum {
    RASKI_TYPE_DEPTH_MAX = 16
}; /* types within types; also stops descriptions that contain
    * themselves */

/* In a switch over kinds: those that are structs of members (DECIMAL .. DURATION), which equality,
 * order and storage may take as records. */
#define RASKI_CASE_COMPOSED \
    case RASK_KIND_DECIMAL: \
    case RASK_KIND_DATE: \
    case RASK_KIND_TIME: \
    case RASK_KIND_DATETIME: \
    case RASK_KIND_INSTANT: \
    case RASK_KIND_DURATION

/* Whether two descriptions say the same: kinds, names, offsets, sizes, all the way down. The same
 * description exists once per translation unit, so addresses say nothing. */
bool raski_type_equal(const rask_type *a, const rask_type *b);

/* Checks what the compiler could not: that fields lie inside the record, in order, without overlap
 * and aligned; that names are unique; that kinds and sizes fit; that nesting is at most
 * RASKI_TYPE_DEPTH_MAX deep; and (by the probe) that no field is missing from the description. To
 * be called once per type before a job is built from it. Errors name the type and the field. */
RASKI_NODISCARD rask_status raski_type_validate(const rask_type *type, raski_error *err);

/* Whether values of the type may be keys; if not, an InvalidProgramException in Flink's words that
 * lists the parts that may not: bytes and fixed arrays (as Java's arrays), enumerations (whose hash
 * in Java is their identity), maps and variants (which Flink lets pass), anywhere in nested
 * records. An optional is fine inside a record (an absent one hashes as null) but not as the whole
 * key, since a key must not be null. */
RASKI_NODISCARD rask_status raski_type_check_key(const rask_type *type, raski_error *err);
static inline bool raski_type_is_key(const rask_type *type) {
    return raski_type_check_key(type, NULL) == RASK_OK;
}
/* The same for one field of a record, or a field of a key of several fields (in_tuple): then an
 * optional is fine. */
RASKI_NODISCARD rask_status raski_field_check_key(const rask_field *field, bool in_tuple,
                                                  raski_error *err);

/* The exception itself, for whoever judges other types (java_type.h). */
RASKI_COLD rask_status raski_key_error_unsupported(raski_error *err, const char *type,
                                                   const char *unsupported_parts);

/* Appends the type as a person reads it: "word_count{word: STRING, count: LONG}", "LIST<INT>",
 * "OPTIONAL<LONG>", "MAP<STRING, LONG>", "ENUM<color>", "shape<round: circle{...} | ...>"; a field
 * that is an array: "x: INT[4]". The type is valid. */
void raski_type_append(raski_str *str, const rask_type *type);
/* The same as a heap string, returned to the caller (raski_free). */
char *raski_type_text(const rask_type *type) __attribute__((warn_unused_result));
/* "INT", "STRING", ...; static. */
const char *raski_kind_name(rask_kind kind);

/* The field of that name, or NULL. */
const rask_field *raski_type_field(const rask_type *type, const char *name);
/* The same, with an error that lists the fields there are and suggests the nearest name. */
RASKI_NODISCARD rask_status raski_type_find_field(const rask_type *type, const char *name,
                                                  const rask_field **ret, raski_error *err);
#endif
