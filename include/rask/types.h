/* rask/types.h - descriptions of record types (RASK_TYPE in rask/rask.h makes them).
 *
 * A record is a plain C struct of fixed size. Its description lists every field with offset, size
 * and type; the same description may exist once per translation unit, so types are compared by
 * content, never by address. Threads: immutable. Flink: TypeInformation. */
#ifndef RASK_TYPES_H
#define RASK_TYPES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rask/string.h"
#include "rask/values.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Milliseconds since 1970-01-01T00:00Z. In RASK_TYPE written (field, rask_timestamp). */
typedef int64_t rask_timestamp;

/* What a value is; the numbers are part of the ABI. */
typedef enum rask_kind {
    RASK_KIND_BYTE = 1,  /* int8_t    Flink BYTE */
    RASK_KIND_SHORT,     /* int16_t   SHORT */
    RASK_KIND_INT,       /* int32_t   INT */
    RASK_KIND_LONG,      /* int64_t   LONG */
    RASK_KIND_FLOAT,     /* float     FLOAT */
    RASK_KIND_DOUBLE,    /* double    DOUBLE */
    RASK_KIND_BOOLEAN,   /* bool      BOOLEAN */
    RASK_KIND_STRING,    /* rask_string  STRING */
    RASK_KIND_BYTES,     /* rask_bytes   byte[] */
    RASK_KIND_TIMESTAMP, /* rask_timestamp */
    RASK_KIND_RECORD,    /* a struct with its own RASK_TYPE   ROW/TUPLE */
    RASK_KIND_LIST,      /* rask_list(T): count and items, borrowed like long strings */
    RASK_KIND_OPTIONAL,  /* rask_optional(T): { bool present; T value; }, value ignored if absent */
    RASK_KIND_ENUM,      /* RASK_ENUM: an int32_t in 0 .. field_count - 1   ENUM */
    RASK_KIND_DECIMAL,   /* rask_decimal   BIG_DEC */
    RASK_KIND_DATE,      /* rask_date      LOCAL_DATE */
    RASK_KIND_TIME,      /* rask_time      LOCAL_TIME */
    RASK_KIND_DATETIME,  /* rask_datetime  LOCAL_DATE_TIME */
    RASK_KIND_INSTANT,   /* rask_instant   INSTANT */
    RASK_KIND_DURATION,  /* rask_duration */
    RASK_KIND_MAP,       /* rask_map_of(K, V): a list of records {key, value}   MAP */
    RASK_KIND_VARIANT,   /* RASK_VARIANT: { int32_t which; union { ... }; }   EITHER */
} rask_kind;

typedef struct rask_type rask_type;

typedef struct rask_field {
    const char *name;
    uint32_t offset;       /* bytes from the start of the record */
    uint32_t size;         /* bytes, of the whole array if it is one */
    const rask_type *type; /* of one element */
    uint32_t array_length; /* 0: not an array; else the elements of a fixed C array */
} rask_field;

struct rask_type {
    const char *name; /* the C name */
    rask_kind kind;
    uint32_t size, align;
    uint32_t field_count;
    /* RECORD: all, in the order of the struct. ENUM: the constants, of which only the names count.
     * VARIANT: the alternatives, all at one offset. DECIMAL .. DURATION: the members */
    const rask_field *fields;
    const rask_type *element; /* LIST, OPTIONAL; MAP: the record of an entry, {key, value} */
    uint32_t value_offset;    /* OPTIONAL: of the value; present is at 0 */
    void (*raski_probe)(
        void *record); /* RECORD: writes 0xff to each byte that is not padding; or NULL */
};

/* What every rask_list(T) and rask_map_of(K, V) looks like. */
typedef struct raski_any_list {
    uint32_t count; /* elements */
    uint32_t raski_reserved;
    const void *items;
} raski_any_list;

extern RASK_API const rask_type rask_type_int8_t, rask_type_int16_t, rask_type_int32_t,
    rask_type_int64_t, rask_type_float, rask_type_double, rask_type_rask_bool,
    rask_type_rask_string, rask_type_rask_bytes, rask_type_rask_timestamp, rask_type_rask_decimal,
    rask_type_rask_date, rask_type_rask_time, rask_type_rask_datetime, rask_type_rask_instant,
    rask_type_rask_duration;

/* A growing text; zero-initialised is empty; free(data) when done. */
typedef struct rask_text {
    char *data; /* not NUL-terminated */
    size_t length, capacity;
} rask_text;
/* Appends the text form of a record, as a print sink shows it: (word,1) for records, the plain
 * value for strings and numbers, floating numbers, decimals, dates and times as Java prints them,
 * [a, b] for lists, {k=v, k=v} for maps, the name for enumerations, name(value) for variants, null
 * for absent optionals. RASK_E_NOMEM leaves text as it was. */
RASK_API rask_status rask_text_append_record(rask_text *text, const rask_type *type,
                                             const void *record);
/* Appends length bytes. RASK_E_NOMEM leaves text as it was. */
RASK_API rask_status rask_text_append(rask_text *text, const char *bytes, size_t length);

/* The schema of a type as a person reads it, a line per field, nested ones indented:
 *   flight
 *    |-- carrier: STRING NOT NULL
 *    |-- delay: DOUBLE
 *    |-- route: LIST<airport NOT NULL> NOT NULL
 *    |    |-- name: STRING NOT NULL
 * Names of types are Flink's; what is not NOT NULL is a rask_optional. A heap text for free(). */
RASK_API char *rask_type_schema(const rask_type *type);

#ifdef __cplusplus
}
#endif
#endif
