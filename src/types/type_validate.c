/* raski_type_validate: is a description one that the engine can trust? */
#include <string.h>

#include "base/alloc.h"
#include "types/type_info.h"

#define TYPE_ERROR(...) RASKI_FAIL(err, RASK_E_ARGUMENT, USER, __VA_ARGS__)

static rask_status validate(const rask_type *type, int depth, raski_error *err);

static const rask_type *builtin_of(rask_kind kind) {
    switch (kind) {
        case RASK_KIND_BYTE:
            return &rask_type_int8_t;
        case RASK_KIND_SHORT:
            return &rask_type_int16_t;
        case RASK_KIND_INT:
            return &rask_type_int32_t;
        case RASK_KIND_LONG:
            return &rask_type_int64_t;
        case RASK_KIND_FLOAT:
            return &rask_type_float;
        case RASK_KIND_DOUBLE:
            return &rask_type_double;
        case RASK_KIND_BOOLEAN:
            return &rask_type_rask_bool;
        case RASK_KIND_STRING:
            return &rask_type_rask_string;
        case RASK_KIND_BYTES:
            return &rask_type_rask_bytes;
        case RASK_KIND_TIMESTAMP:
            return &rask_type_rask_timestamp;
        case RASK_KIND_DECIMAL:
            return &rask_type_rask_decimal;
        case RASK_KIND_DATE:
            return &rask_type_rask_date;
        case RASK_KIND_TIME:
            return &rask_type_rask_time;
        case RASK_KIND_DATETIME:
            return &rask_type_rask_datetime;
        case RASK_KIND_INSTANT:
            return &rask_type_rask_instant;
        case RASK_KIND_DURATION:
            return &rask_type_rask_duration;
        case RASK_KIND_RECORD:
        case RASK_KIND_LIST:
        case RASK_KIND_OPTIONAL:
        case RASK_KIND_ENUM:
        case RASK_KIND_MAP:
        case RASK_KIND_VARIANT:
            break;
    }
    return NULL;
}

static bool is_power_of_two(uint32_t n) {
    return n != 0 && (n & (n - 1)) == 0;
}

static rask_status check_field(const rask_type *type, const rask_field *field, uint32_t free_from,
                               int depth, raski_error *err) {
    if (field->name == NULL || field->name[0] == '\0')
        return TYPE_ERROR("RASK_TYPE(%s) has a field without a name at offset %u", type->name,
                          field->offset);
    if (field->type == NULL)
        return TYPE_ERROR("RASK_TYPE(%s): field \"%s\" has no type", type->name, field->name);
    if (depth > RASKI_TYPE_DEPTH_MAX)
        return TYPE_ERROR("RASK_TYPE(%s): field \"%s\" is nested more than %d types deep",
                          type->name, field->name, RASKI_TYPE_DEPTH_MAX);
    RASKI_TRY(validate(field->type, depth, err));
    uint64_t elements = field->array_length ? field->array_length : 1;
    if (field->size != elements * field->type->size)
        return TYPE_ERROR(
            "RASK_TYPE(%s): field \"%s\" takes %u bytes, but %s%s needs %llu", type->name,
            field->name, field->size, field->array_length ? "its array of " : "",
            raski_kind_name(field->type->kind), (unsigned long long)(elements * field->type->size));
    if ((uint64_t)field->offset + field->size > type->size)
        return TYPE_ERROR(
            "RASK_TYPE(%s): field \"%s\" reaches beyond the struct (%u + %u > %u bytes)",
            type->name, field->name, field->offset, field->size, type->size);
    if (field->offset < free_from)
        return TYPE_ERROR(
            "RASK_TYPE(%s): field \"%s\" at offset %u must be listed in the order of "
            "the struct and not overlap the field before it",
            type->name, field->name, field->offset);
    if (field->offset % field->type->align != 0 || field->type->align > type->align)
        return TYPE_ERROR(
            "RASK_TYPE(%s): field \"%s\" at offset %u is not aligned to %u bytes "
            "(packed structs are not supported)",
            type->name, field->name, field->offset, field->type->align);
    return RASK_OK;
}

/* A field that is in the struct but not in the description, hidden where padding could be. */
static rask_status check_hidden(const rask_type *type, raski_error *err) {
    if (type->raski_probe == NULL) return RASK_OK;
    size_t align = type->align < sizeof(void *) ? sizeof(void *) : type->align;
    unsigned char *record = raski_try_alloc(type->size, align);
    if (record == NULL)
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a record of %u bytes (%s)",
                          type->size, type->name);
    memset(record, 0, type->size);
    type->raski_probe(record);
    for (uint32_t i = 0; i < type->field_count; i++)
        memset(record + type->fields[i].offset, 0, type->fields[i].size);
    uint32_t at = 0;
    while (at < type->size && record[at] == 0) at++;
    raski_free(record);
    if (at == type->size) return RASK_OK;
    return TYPE_ERROR("RASK_TYPE(%s) does not list the field at offset %u", type->name, at);
}

static rask_status validate_record(const rask_type *type, int depth, raski_error *err) {
    if (type->name == NULL || type->name[0] == '\0') return TYPE_ERROR("a record type has no name");
    if (type->field_count == 0 || type->fields == NULL)
        return TYPE_ERROR("RASK_TYPE(%s) lists no fields", type->name);
    uint32_t free_from = 0;
    for (uint32_t i = 0; i < type->field_count; i++) {
        const rask_field *field = &type->fields[i];
        RASKI_TRY(check_field(type, field, free_from, depth + 1, err));
        free_from = field->offset + field->size;
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(type->fields[j].name, field->name) == 0)
                return TYPE_ERROR("RASK_TYPE(%s) lists field \"%s\" twice", type->name,
                                  field->name);
    }
    return check_hidden(type, err);
}

/* Names of an enumeration or variant are there, and differ. */
static rask_status check_names(const rask_type *type, const char *what, raski_error *err) {
    if (type->name == NULL || type->name[0] == '\0') return TYPE_ERROR("%s has no name", what);
    if (type->field_count == 0 || type->fields == NULL)
        return TYPE_ERROR("%s %s has nothing to choose from", what, type->name);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const char *name = type->fields[i].name;
        if (name == NULL || name[0] == '\0')
            return TYPE_ERROR("%s %s: number %u has no name", what, type->name, i);
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(type->fields[j].name, name) == 0)
                return TYPE_ERROR("%s %s names \"%s\" twice", what, type->name, name);
    }
    return RASK_OK;
}

static rask_status validate_enum(const rask_type *type, raski_error *err) {
    RASKI_TRY(check_names(type, "enumeration", err));
    if (type->size != sizeof(int32_t) || type->align != _Alignof(int32_t))
        return TYPE_ERROR("enumeration %s must have 4 bytes, not %u", type->name, type->size);
    return RASK_OK;
}

/* The alternatives share one place behind the number that tells which of them is there. */
static rask_status validate_variant(const rask_type *type, int depth, raski_error *err) {
    RASKI_TRY(check_names(type, "variant", err));
    for (uint32_t i = 0; i < type->field_count; i++) {
        const rask_field *field = &type->fields[i];
        if (field->array_length != 0)
            return TYPE_ERROR("variant %s: \"%s\" is an array; put it into a record", type->name,
                              field->name);
        RASKI_TRY(check_field(type, field, sizeof(int32_t), depth + 1, err));
        if (field->offset != type->fields[0].offset)
            return TYPE_ERROR("variant %s: \"%s\" must be a member of the same union as \"%s\"",
                              type->name, field->name, type->fields[0].name);
    }
    return type->align >= _Alignof(int32_t)
               ? RASK_OK
               : TYPE_ERROR("variant %s is not aligned to 4 bytes", type->name);
}

static rask_status validate_map(const rask_type *type, int depth, raski_error *err) {
    const rask_type *entry = type->element;
    if (entry == NULL || entry->kind != RASK_KIND_RECORD || entry->field_count != 2 ||
        strcmp(entry->fields[0].name, "key") != 0 || strcmp(entry->fields[1].name, "value") != 0 ||
        entry->fields[0].array_length != 0 || entry->fields[1].array_length != 0)
        return TYPE_ERROR("MAP needs entries that are records of a key and a value");
    if (depth >= RASKI_TYPE_DEPTH_MAX)
        return TYPE_ERROR("MAP is nested more than %d types deep", RASKI_TYPE_DEPTH_MAX);
    RASKI_TRY(validate(entry, depth + 1, err));
    if (type->size != sizeof(raski_any_list) || type->align != _Alignof(raski_any_list))
        return TYPE_ERROR("MAP must be a rask_map_of, its size is %u", type->size);
    return RASK_OK;
}

static rask_status validate_element(const rask_type *type, int depth, raski_error *err) {
    const char *kind = raski_kind_name(type->kind);
    if (type->element == NULL) return TYPE_ERROR("%s without the type of its values", kind);
    if (depth >= RASKI_TYPE_DEPTH_MAX)
        return TYPE_ERROR("%s is nested more than %d types deep", kind, RASKI_TYPE_DEPTH_MAX);
    RASKI_TRY(validate(type->element, depth + 1, err));
    if (type->kind == RASK_KIND_LIST) {
        if (type->size != sizeof(raski_any_list) || type->align != _Alignof(raski_any_list))
            return TYPE_ERROR("LIST<%s> must be a rask_list, its size is %u",
                              raski_kind_name(type->element->kind), type->size);
        return RASK_OK;
    }
    if (type->value_offset == 0 || type->value_offset % type->element->align != 0 ||
        type->element->align > type->align ||
        (uint64_t)type->value_offset + type->element->size > type->size)
        return TYPE_ERROR("OPTIONAL<%s> must be a rask_optional: value at %u of %u bytes",
                          raski_kind_name(type->element->kind), type->value_offset, type->size);
    return RASK_OK;
}

static rask_status validate(const rask_type *type, int depth, raski_error *err) {
    if (!is_power_of_two(type->align) || type->size == 0 || type->size % type->align != 0)
        return TYPE_ERROR("type %s has size %u and alignment %u, which no C type has",
                          type->name ? type->name : "(unnamed)", type->size, type->align);
    switch (type->kind) {
        case RASK_KIND_RECORD:
            return validate_record(type, depth, err);
        case RASK_KIND_LIST:
        case RASK_KIND_OPTIONAL:
            return validate_element(type, depth, err);
        case RASK_KIND_ENUM:
            return validate_enum(type, err);
        case RASK_KIND_MAP:
            return validate_map(type, depth, err);
        case RASK_KIND_VARIANT:
            return validate_variant(type, depth, err);
        default:
            break;
    }
    const rask_type *builtin = builtin_of(type->kind);
    if (builtin == NULL)
        return TYPE_ERROR("type %s is of kind %d, which this version of Rask does not know",
                          type->name ? type->name : "(unnamed)", (int)type->kind);
    if (builtin->size != type->size || builtin->align != type->align)
        return TYPE_ERROR("%s has %u bytes, not %u", raski_kind_name(type->kind), builtin->size,
                          type->size);
    return RASK_OK;
}

rask_status raski_type_validate(const rask_type *type, raski_error *err) {
    if (type == NULL) return TYPE_ERROR("a stream has no record type");
    return validate(type, 0, err);
}
