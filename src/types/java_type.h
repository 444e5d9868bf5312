/* java_type.h - which Java types a Flink job may key by: a small model of Flink's TypeInformation.
 * For questions about Flink jobs, as java_hash_values.h; the C types of a Rask job are judged by
 * raski_type_check_key. Threads: pure; types are borrowed. Flink: KeyedStream.validateKeyType. */
#ifndef RASKI_TYPES_JAVA_TYPE_H
#define RASKI_TYPES_JAVA_TYPE_H
#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/status.h"

typedef enum raski_java_type_kind {
    RASKI_JAVA_TYPE_OPAQUE, /* everything that Flink does not look into: basic, generic, List, ...
                             */
    RASKI_JAVA_TYPE_ARRAY,  /* of primitives, of basic types, of objects */
    RASKI_JAVA_TYPE_ENUM,
    RASKI_JAVA_TYPE_POJO,
    RASKI_JAVA_TYPE_TUPLE,
    RASKI_JAVA_TYPE_ROW,
} raski_java_type_kind;

typedef struct raski_java_type raski_java_type;
struct raski_java_type {
    raski_java_type_kind kind;
    const char *text;              /* Flink's toString of it */
    bool has_hash_code;            /* POJO: its class (or one above, but Object) has a hashCode */
    const raski_java_type *fields; /* TUPLE, ROW */
    size_t field_count;
};

/* Reads Flink's text of a type ("Java Tuple2<String, byte[]>", "Row(f0: Integer)", ...) into arena.
 * The text of a POJO does not tell whether it has a hashCode: pojo_has_hash_code says it for all.
 * RASK_E_ARGUMENT for brackets that do not match. */
RASKI_NODISCARD rask_status raski_java_type_parse(const char *text, bool pojo_has_hash_code,
                                                  raski_arena *arena, raski_java_type *ret,
                                                  raski_error *err);

/* An InvalidProgramException in Flink's words when the type may not be a key. */
RASKI_NODISCARD rask_status raski_java_type_check_key(const raski_java_type *type,
                                                      raski_error *err);
#endif
