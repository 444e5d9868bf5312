/* java_hash.h - hash codes as Java computes them.
 * Key groups, and with them the place of keyed state, depend on a key's Object.hashCode(), so keys
 * of Rask hash exactly as their Flink counterparts: a rask_string as java.lang.String (over UTF-16
 * units), numbers as their boxed types, a timestamp as Long, a record or several key fields as
 * Tuple, a list as java.util.List, an absent optional as null.
 *
 * Bytes that are not UTF-8 hash like the String that Java's decoder makes of them: each malformed
 * sequence counts as one U+FFFD. (Two different invalid texts may so have equal hashes; they stay
 * different keys.)
 * Threads: pure functions. Flink: KeySelector + Object.hashCode. */
#ifndef RASKI_TYPES_JAVA_HASH_H
#define RASKI_TYPES_JAVA_HASH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rask/types.h"

/* String.hashCode of length bytes of UTF-8 at text. */
int32_t raski_hash_utf8(const char *text, size_t length);
/* String.hashCode of a string; fast for ASCII. */
int32_t raski_hash_string(const rask_string *string);

static inline int32_t raski_hash_long(int64_t value) {
    return (int32_t)(uint32_t)((uint64_t)value ^ (uint64_t)value >> 32);
}
static inline int32_t raski_hash_boolean(bool value) {
    return value ? 1231 : 1237;
}
/* All NaN are equal; -0.0 and 0.0 are not. */
static inline int32_t raski_hash_float(float value) {
    int32_t bits = 0x7fc00000;
    if (value == value) memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline int32_t raski_hash_double(double value) {
    int64_t bits = 0x7ff8000000000000;
    if (value == value) memcpy(&bits, &value, sizeof bits);
    return raski_hash_long(bits);
}
/* How Tuple.hashCode goes on after its first field. */
static inline int32_t raski_hash_combine(int32_t hash, int32_t next) {
    return (int32_t)(31U * (uint32_t)hash + (uint32_t)next);
}

/* The hash of a value of any type that may be a key (raski_type_is_key). value is borrowed and
 * must be aligned for its type. A type that may not be a key ends the process (RASKI_ASSERT). */
int32_t raski_hash_value(const rask_type *type, const void *value);

/* One field of a key: where it lies in the record, and its type. */
typedef struct raski_key_field {
    uint32_t offset; /* bytes from the start of the record */
    const rask_type *type;
} raski_key_field;

/* The hashes of count records that lie stride bytes apart, by the fields of a key: one field gives
 * its own hash, several give that of a Tuple of them. field_count is at least 1; ret_hashes has
 * room for count. Works field by field, so the loop has no branch on the type. */
void raski_hash_records(const raski_key_field *fields, size_t field_count, const void *records,
                        size_t count, size_t stride, int32_t *ret_hashes);
#endif
