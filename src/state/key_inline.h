/* key_inline.h - hashing and comparing keys, for the loops of a lookup.
 * These hashes never leave the process (key groups use Java's, types/java_hash.h): they only need
 * to be quick and to spread well. A table has a seed of its own, so that nobody outside can choose
 * keys that collide. Threads: pure. */
#ifndef RASKI_STATE_KEY_INLINE_H
#define RASKI_STATE_KEY_INLINE_H
#include <string.h>

#include "state/keyed_table_private.h"

__extension__ typedef unsigned __int128 raski_u128;

#define HASH_K1 UINT64_C(0x9e3779b97f4a7c15)
#define HASH_K2 UINT64_C(0xe7037ed1a0b428db)

/* All bits of the product, folded: every input bit reaches the upper and the lower bits. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b) {
    raski_u128 product = (raski_u128)a * b;
    uint64_t low = (uint64_t)product;
    __asm__("" : "+r"(low)); /* keeps gcc 12 from sending both halves through memory */
    return low ^ (uint64_t)(product >> 64);
}
static inline uint64_t load_u64(const char *p) {
    uint64_t value = 0;
    memcpy(&value, p, sizeof value);
    return value;
}
static inline uint32_t load_u8(const char *p) {
    return *(const unsigned char *)p;
}
static inline uint32_t load_u32(const char *p) {
    uint32_t value = 0;
    memcpy(&value, p, sizeof value);
    return value;
}

/* An integer or boolean of `size` bytes, sign-extended below 4: what raski_key_scalar_bits gives.
 */
static inline uint64_t load_integer(const char *p, uint32_t size) {
    switch (size) {
        case 8:
            return load_u64(p);
        case 4:
            return load_u32(p);
        case 2:
            return (uint64_t)(int64_t)(int16_t)(load_u8(p) | load_u8(p + 1) << 8);
        default:
            return (uint64_t)(int64_t)(int8_t)load_u8(p);
    }
}

/* key_generic.c */
/* Writes the parts of a key with the fields of records as parts of their own. false: one of them is
 * no plain part, or there are more than RASKI_KEY_PARTS_MAX. Hashes and equality by either spec are
 * the same. */
bool raski_key_flatten(const raski_key_spec *spec, raski_key_spec *ret_plain);
/* The value of a kind that fits into 64 bits, sign-extended: equal values have equal bits (those of
 * Java's floatToIntBits and doubleToLongBits). */
uint64_t raski_key_scalar_bits(const rask_type *type, const char *value);
uint64_t raski_key_hash_bytes(const char *bytes, size_t length, uint64_t seed);
uint64_t raski_key_hash_generic(const raski_key_spec *spec, const char *record, uint64_t seed);
bool raski_key_equal_generic(const raski_key_spec *a_spec, const char *a,
                             const raski_key_spec *b_spec, const char *b);

static inline uint64_t hash_string(const char *string, uint64_t seed) {
    uint64_t first = load_u64(string), second = load_u64(string + 8);
    if (__builtin_expect((uint32_t)first > RASK_STRING_INLINE, 0)) {
        const char *bytes = NULL;
        memcpy(&bytes, string + offsetof(rask_string, raski_tail), sizeof bytes);
        return raski_key_hash_bytes(bytes, (uint32_t)first, seed);
    }
    return hash_mix(first ^ seed, second ^ HASH_K2);
}
static inline bool equal_string(const char *a, const char *b) {
    uint64_t first = load_u64(a);
    if (first != load_u64(b)) return false;
    if (load_u64(a + 8) == load_u64(b + 8)) return true; /* inline, or the same bytes */
    if ((uint32_t)first <= RASK_STRING_INLINE) return false;
    const char *a_bytes = NULL, *b_bytes = NULL;
    memcpy(&a_bytes, a + offsetof(rask_string, raski_tail), sizeof a_bytes);
    memcpy(&b_bytes, b + offsetof(rask_string, raski_tail), sizeof b_bytes);
    return memcmp(a_bytes, b_bytes, (uint32_t)first) == 0;
}

static inline uint64_t hash_plain(const raski_key_spec *spec, const char *record, uint64_t hash) {
    for (uint32_t i = 0; i < spec->part_count; i++) {
        const char *part = record + spec->parts[i].offset;
        uint32_t size = spec->parts[i].type->size;
        hash = size == sizeof(rask_string) ? hash_string(part, hash)
                                           : hash_mix(load_integer(part, size) ^ hash, HASH_K1);
    }
    return hash;
}
static inline bool equal_plain(const raski_key_spec *a_spec, const char *a,
                               const raski_key_spec *b_spec, const char *b) {
    for (uint32_t i = 0; i < a_spec->part_count; i++) {
        const char *x = a + a_spec->parts[i].offset, *y = b + b_spec->parts[i].offset;
        uint32_t size = a_spec->parts[i].type->size;
        if (size == sizeof(rask_string) ? !equal_string(x, y)
                                        : load_integer(x, size) != load_integer(y, size))
            return false;
    }
    return true;
}

/* The same of integers of 8 bytes, one behind the other. */
static inline __attribute__((always_inline)) uint64_t hash_words(uint32_t words, const char *key,
                                                                 uint64_t hash) {
    for (uint32_t i = 0; i < words; i++) hash = hash_mix(load_u64(key + i * 8) ^ hash, HASH_K1);
    return hash;
}
static inline __attribute__((always_inline)) bool equal_words(uint32_t words, const char *a,
                                                              const char *b) {
    uint64_t differing = 0;
    for (uint32_t i = 0; i < words; i++) differing |= load_u64(a + i * 8) ^ load_u64(b + i * 8);
    return differing == 0;
}

/* How many, if that is what a key consists of; else 0. */
static inline uint32_t key_words(const raski_key_spec *spec) {
    for (uint32_t i = 0; i < spec->part_count; i++) {
        rask_kind kind = spec->parts[i].type->kind;
        if ((kind != RASK_KIND_LONG && kind != RASK_KIND_TIMESTAMP) ||
            spec->parts[i].offset != spec->parts[0].offset + i * sizeof(uint64_t))
            return 0;
    }
    return spec->part_count;
}

/* `path` is a constant where this is called from the loops. */
static inline __attribute__((always_inline)) uint64_t key_hash(key_path path,
                                                               const raski_key_spec *spec,
                                                               uint32_t offset, const char *record,
                                                               uint64_t seed) {
    switch (path) {
        case KEY_PATH_8:
            return hash_mix(load_u64(record + offset) ^ seed, HASH_K1);
        case KEY_PATH_4:
            return hash_mix(load_u32(record + offset) ^ seed, HASH_K1);
        case KEY_PATH_STRING:
            return hash_string(record + offset, seed);
        case KEY_PATH_PLAIN:
            return hash_plain(spec, record, seed);
        case KEY_PATH_WORDS_2:
        case KEY_PATH_WORDS_3:
        case KEY_PATH_WORDS_4:
        case KEY_PATH_WORDS_5:
            return hash_words(path - KEY_PATH_WORDS_2 + 2, record + offset, seed);
        case KEY_PATH_GENERIC:
            break;
    }
    return raski_key_hash_generic(spec, record, seed);
}
static inline __attribute__((always_inline)) bool key_equal(
    key_path path, const raski_key_spec *record_spec, uint32_t record_offset, const char *record,
    const raski_key_spec *row_spec, uint32_t row_offset, const char *row) {
    switch (path) {
        case KEY_PATH_8:
            return load_u64(record + record_offset) == load_u64(row + row_offset);
        case KEY_PATH_4:
            return load_u32(record + record_offset) == load_u32(row + row_offset);
        case KEY_PATH_STRING:
            return equal_string(record + record_offset, row + row_offset);
        case KEY_PATH_PLAIN:
            return equal_plain(record_spec, record, row_spec, row);
        case KEY_PATH_WORDS_2:
        case KEY_PATH_WORDS_3:
        case KEY_PATH_WORDS_4:
        case KEY_PATH_WORDS_5:
            return equal_words(path - KEY_PATH_WORDS_2 + 2, record + record_offset,
                               row + row_offset);
        case KEY_PATH_GENERIC:
            break;
    }
    return raski_key_equal_generic(record_spec, record, row_spec, row);
}

static inline uint64_t table_hash(const raski_keyed_table *table, const raski_key_spec *spec,
                                  const char *record) {
    if (table->row_words > 1) {
        uint32_t words = spec == &table->key_in_row ? table->row_words : key_words(spec);
        if (words > 1) return hash_words(words, record + spec->parts[0].offset, table->seed);
    }
    return key_hash(table->path, spec, spec->parts[0].offset, record, table->seed);
}
#endif
