/* value_codec.h - values of described types as bytes that any later build can read: little-endian,
 * without padding, and with a description of the type next to them. A record whose type has changed
 * meanwhile is read field by field: fields are matched by name, new ones are zero, those that are
 * gone are left out; a field whose kind has changed is refused. docs/snapshot-format.md has the
 * bytes. Threads: a codec is immutable after creation. Flink: TypeSerializerSnapshot,
 * TypeSerializerSchemaCompatibility. */
#ifndef RASKI_STATE_VALUE_CODEC_H
#define RASKI_STATE_VALUE_CODEC_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "rask/types.h"

/* ---- bytes that are written. Zero-initialised is empty; a failed allocation is remembered, so
 * that only the end has to be checked. */
typedef struct raski_byte_writer {
    char *bytes;
    size_t size, capacity;
    bool failed; /* no memory: what was written since is lost */
} raski_byte_writer;
void raski_byte_writer_fini(raski_byte_writer *out);
/* Room for `more` bytes, with the size not yet changed; NULL without memory. */
char *raski_byte_writer_grow(raski_byte_writer *out, size_t more);
static inline char *raski_byte_writer_room(raski_byte_writer *out, size_t more) {
    return __builtin_expect(more <= out->capacity - out->size, 1)
               ? out->bytes + out->size
               : raski_byte_writer_grow(out, more);
}
static inline void raski_write_bytes(raski_byte_writer *out, const void *bytes, size_t size) {
    char *to = raski_byte_writer_room(out, size);
    if (!to) return;
    if (size) memcpy(to, bytes, size);
    out->size += size;
}
static inline void raski_write_u8(raski_byte_writer *out, uint8_t value) {
    raski_write_bytes(out, &value, sizeof value);
}
static inline void raski_write_u16(raski_byte_writer *out, uint16_t value) {
    raski_write_bytes(out, &value, sizeof value);
}
static inline void raski_write_u32(raski_byte_writer *out, uint32_t value) {
    raski_write_bytes(out, &value, sizeof value);
}
static inline void raski_write_u64(raski_byte_writer *out, uint64_t value) {
    raski_write_bytes(out, &value, sizeof value);
}
void raski_put_name(raski_byte_writer *out, const char *text); /* u32 length, bytes */

/* ---- bytes that are read; false: there are not so many */
typedef struct raski_byte_reader {
    const char *at, *end;
    raski_arena *arena; /* of what is read: lists, descriptions */
} raski_byte_reader;
static inline size_t raski_bytes_left(const raski_byte_reader *in) {
    return (size_t)(in->end - in->at);
}
static inline bool raski_read_bytes(raski_byte_reader *in, void *ret, size_t size) {
    if (size > raski_bytes_left(in)) return false;
    if (size) memcpy(ret, in->at, size);
    in->at += size;
    return true;
}
static inline bool raski_read_u8(raski_byte_reader *in, uint8_t *ret) {
    return raski_read_bytes(in, ret, sizeof *ret);
}
static inline bool raski_read_u16(raski_byte_reader *in, uint16_t *ret) {
    return raski_read_bytes(in, ret, sizeof *ret);
}
static inline bool raski_read_u32(raski_byte_reader *in, uint32_t *ret) {
    return raski_read_bytes(in, ret, sizeof *ret);
}
static inline bool raski_read_u64(raski_byte_reader *in, uint64_t *ret) {
    return raski_read_bytes(in, ret, sizeof *ret);
}
bool raski_take_name(raski_byte_reader *in, const char **ret_text); /* a copy in the arena */

/* ---- types as they were when values were written */
typedef struct raski_stored_type raski_stored_type;
typedef struct raski_stored_field {
    const char *name;
    uint32_t array_length; /* 0: not an array */
    const raski_stored_type *type;
} raski_stored_field;
struct raski_stored_type {
    uint32_t kind; /* a rask_kind, or 0: opaque bytes */
    uint32_t size; /* opaque: bytes */
    const char *name;
    uint32_t field_count;
    const raski_stored_field *fields;
    const raski_stored_type *element;
    uint64_t least; /* bytes that a value takes at least */
};

/* Appends a description. type NULL: opaque bytes, size of them. */
void raski_type_describe(const rask_type *type, uint32_t size, raski_byte_writer *out);
/* Reads one; all of it lies in the reader's arena. RASK_E_CORRUPT. */
RASKI_NODISCARD rask_status raski_type_read_description(raski_byte_reader *in,
                                                        const raski_stored_type **ret_type,
                                                        raski_error *err);
/* Whether a description says exactly what type is (names of fields included). */
bool raski_stored_type_is(const raski_stored_type *stored, const rask_type *type, uint32_t size);
/* "record person { name: string, age: int }", for messages; the caller frees it. */
char *raski_stored_type_text(const raski_stored_type *stored);

/* ---- values */
typedef struct raski_value_codec raski_value_codec;

/* A codec that writes and reads values of a type as they are now, size: of opaque ones (type NULL).
 * Never NULL. */
raski_value_codec *raski_value_codec_create(const rask_type *type, uint32_t size);
/* A codec that reads what was written as `stored` into values of a type. RASK_E_ARGUMENT: a kind
 * has changed; the message begins with `what` ("keyed state \"count\" of operator ...") and names
 * both types. */
RASKI_NODISCARD rask_status raski_value_codec_convert(const raski_stored_type *stored,
                                                      const rask_type *type, uint32_t size,
                                                      const char *what,
                                                      raski_value_codec **ret_codec,
                                                      raski_error *err);
/* A codec that passes over values. Never NULL. */
raski_value_codec *raski_value_codec_skip(const raski_stored_type *stored);
void raski_value_codec_destroy(raski_value_codec *codec_take_or_null);

void raski_value_write(const raski_value_codec *codec, const void *value, raski_byte_writer *out);
/* Reads one value: texts borrow from the reader's bytes, lists from its arena. Fields that were not
 * stored are left as they are in ret_value: zero it. ret_value is NULL for a codec that skips.
 * false: damaged bytes. */
bool raski_value_read(const raski_value_codec *codec, raski_byte_reader *in, void *ret_value);
/* Bytes that a value takes at least, for checking counts; at least 1. */
uint64_t raski_value_codec_least(const raski_value_codec *codec);
#endif
