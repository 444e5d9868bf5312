#include <string.h>

#include "state/key_inline.h"
#include "types/type_info.h"

uint64_t raski_key_hash_bytes(const char *bytes, size_t length, uint64_t seed) {
    uint64_t hash = seed ^ length;
    while (length > 16) {
        hash = hash_mix(load_u64(bytes) ^ hash, load_u64(bytes + 8) ^ HASH_K2);
        bytes += 16;
        length -= 16;
    }
    uint64_t first = 0, second = 0;
    if (length >= 8) {
        first = load_u64(bytes);
        second =
            load_u64(bytes + length - 8); /* may overlap the first: the length is in the hash */
    } else if (length >= 4) {
        first = load_u32(bytes);
        second = load_u32(bytes + length - 4);
    } else {
        memcpy(&first, bytes, length);
    }
    return hash_mix(first ^ hash, second ^ HASH_K2);
}

/* Java's floatToIntBits and doubleToLongBits: what equals and hashCode look at. */
static uint64_t float_bits(const char *value) {
    float number = 0;
    memcpy(&number, value, sizeof number);
    return number != number ? UINT32_C(0x7fc00000) : load_u32(value);
}
static uint64_t double_bits(const char *value) {
    double number = 0;
    memcpy(&number, value, sizeof number);
    return number != number ? UINT64_C(0x7ff8000000000000) : load_u64(value);
}

uint64_t raski_key_scalar_bits(const rask_type *type, const char *value) {
    switch (type->kind) {
        case RASK_KIND_BYTE:
        case RASK_KIND_SHORT:
        case RASK_KIND_INT:
        case RASK_KIND_LONG:
        case RASK_KIND_BOOLEAN:
        case RASK_KIND_TIMESTAMP:
            return load_integer(value, type->size);
        case RASK_KIND_FLOAT:
            return float_bits(value);
        case RASK_KIND_DOUBLE:
            return double_bits(value);
        default:
            break;
    }
    raski_assert_failed("a kind that may be part of a key", __FILE__, __LINE__);
}

static raski_any_list load_list(const char *value) {
    raski_any_list list;
    memcpy(&list, value, sizeof list);
    return list;
}

static uint64_t hash_value(const rask_type *type, const char *value, uint64_t hash) {
    switch (type->kind) {
        case RASK_KIND_STRING:
            return hash_string(value, hash);
        case RASK_KIND_RECORD:
        RASKI_CASE_COMPOSED:
            for (uint32_t i = 0; i < type->field_count; i++)
                hash = hash_value(type->fields[i].type, value + type->fields[i].offset, hash);
            return hash;
        case RASK_KIND_OPTIONAL:
            if (*value == 0) return hash_mix(hash, HASH_K2);
            return hash_value(type->element, value + type->value_offset, hash);
        case RASK_KIND_LIST: {
            raski_any_list list = load_list(value);
            hash = hash_mix(hash ^ list.count, HASH_K2);
            for (uint32_t i = 0; i < list.count; i++)
                hash = hash_value(type->element,
                                  (const char *)list.items + (size_t)i * type->element->size, hash);
            return hash;
        }
        default:
            return hash_mix(raski_key_scalar_bits(type, value) ^ hash, HASH_K1);
    }
}

static bool equal_value(const rask_type *type, const char *a, const char *b) {
    switch (type->kind) {
        case RASK_KIND_STRING:
            return equal_string(a, b);
        case RASK_KIND_RECORD:
        RASKI_CASE_COMPOSED:
            for (uint32_t i = 0; i < type->field_count; i++) {
                const rask_field *field = &type->fields[i];
                if (!equal_value(field->type, a + field->offset, b + field->offset)) return false;
            }
            return true;
        case RASK_KIND_OPTIONAL:
            if ((*a != 0) != (*b != 0)) return false;
            return *a == 0 ||
                   equal_value(type->element, a + type->value_offset, b + type->value_offset);
        case RASK_KIND_LIST: {
            raski_any_list x = load_list(a), y = load_list(b);
            if (x.count != y.count) return false;
            for (uint32_t i = 0; i < x.count; i++) {
                size_t at = (size_t)i * type->element->size;
                if (!equal_value(type->element, (const char *)x.items + at,
                                 (const char *)y.items + at))
                    return false;
            }
            return true;
        }
        default:
            return raski_key_scalar_bits(type, a) == raski_key_scalar_bits(type, b);
    }
}

uint64_t raski_key_hash_generic(const raski_key_spec *spec, const char *record, uint64_t seed) {
    uint64_t hash = seed;
    for (uint32_t i = 0; i < spec->part_count; i++)
        hash = hash_value(spec->parts[i].type, record + spec->parts[i].offset, hash);
    return hash;
}

bool raski_key_equal_generic(const raski_key_spec *a_spec, const char *a,
                             const raski_key_spec *b_spec, const char *b) {
    for (uint32_t i = 0; i < a_spec->part_count; i++)
        if (!equal_value(a_spec->parts[i].type, a + a_spec->parts[i].offset,
                         b + b_spec->parts[i].offset))
            return false;
    return true;
}

static bool flatten_value(const rask_type *type, uint32_t offset, raski_key_spec *plain) {
    switch (type->kind) {
        case RASK_KIND_BYTE:
        case RASK_KIND_SHORT:
        case RASK_KIND_INT:
        case RASK_KIND_LONG:
        case RASK_KIND_BOOLEAN:
        case RASK_KIND_TIMESTAMP:
        case RASK_KIND_STRING:
            if (plain->part_count == RASKI_KEY_PARTS_MAX) return false;
            plain->parts[plain->part_count++] = (raski_key_field){.offset = offset, .type = type};
            return true;
        case RASK_KIND_RECORD:
        RASKI_CASE_COMPOSED:
            for (uint32_t i = 0; i < type->field_count; i++)
                if (!flatten_value(type->fields[i].type, offset + type->fields[i].offset, plain))
                    return false;
            return true;
        default:
            return false;
    }
}

bool raski_key_flatten(const raski_key_spec *spec, raski_key_spec *ret_plain) {
    ret_plain->part_count = 0;
    for (uint32_t i = 0; i < spec->part_count; i++)
        if (!flatten_value(spec->parts[i].type, spec->parts[i].offset, ret_plain)) return false;
    return true;
}
