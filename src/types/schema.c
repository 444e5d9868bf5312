/* rask_type_schema: the description of a type for people. Flink: ResolvedSchema.printSchema. */
#include <string.h>

#include "base/str.h"
#include "rask/types.h"
#include "types/type_info.h"

static void append_name(raski_str *str, const rask_type *type, uint32_t array_length);

static void append_constants(raski_str *str, const rask_type *type) {
    raski_str_appendf(str, "%s<", type->name);
    for (uint32_t i = 0; i < type->field_count; i++)
        raski_str_appendf(str, "%s%s", i ? ", " : "", type->fields[i].name);
    raski_str_append_char(str, '>');
}

/* The type without what is below it; whether it may be null stands behind. */
static void append_plain_name(raski_str *str, const rask_type *type) {
    switch (type->kind) {
        case RASK_KIND_RECORD:
            raski_str_append(str, type->name);
            return;
        case RASK_KIND_VARIANT:
            raski_str_appendf(str, "one of %s", type->name);
            return;
        case RASK_KIND_ENUM:
            append_constants(str, type);
            return;
        case RASK_KIND_LIST:
            raski_str_append(str, "LIST<");
            append_name(str, type->element, 0);
            raski_str_append_char(str, '>');
            return;
        case RASK_KIND_MAP:
            raski_str_append(str, "MAP<");
            append_name(str, type->element->fields[0].type, 0);
            raski_str_append(str, ", ");
            append_name(str, type->element->fields[1].type, 0);
            raski_str_append_char(str, '>');
            return;
        default:
            raski_str_append(str, raski_kind_name(type->kind));
    }
}

static void append_name(raski_str *str, const rask_type *type, uint32_t array_length) {
    if (array_length != 0) {
        raski_str_appendf(str, "ARRAY[%u]<", array_length);
        append_name(str, type, 0);
        raski_str_append(str, "> NOT NULL");
    } else if (type->kind == RASK_KIND_OPTIONAL) {
        append_plain_name(str, type->element);
    } else {
        append_plain_name(str, type);
        raski_str_append(str, " NOT NULL");
    }
}

/* What the lines below a type are about: a record, a variant or the entry of a map whose key or
 * value has such lines; NULL: there are none. */
static const rask_type *below(const rask_type *type) {
    while (type->kind == RASK_KIND_LIST || type->kind == RASK_KIND_OPTIONAL) type = type->element;
    if (type->kind == RASK_KIND_RECORD || type->kind == RASK_KIND_VARIANT) return type;
    if (type->kind != RASK_KIND_MAP) return NULL;
    const rask_field *entry = type->element->fields;
    return below(entry[0].type) != NULL || below(entry[1].type) != NULL ? type->element : NULL;
}

static void append_fields(raski_str *str, const rask_type *type, int depth) {
    const rask_type *parent = below(type);
    for (uint32_t i = 0; parent != NULL && i < parent->field_count; i++) {
        const rask_field *field = &parent->fields[i];
        for (int k = 1; k < depth; k++) raski_str_append(str, " |   ");
        raski_str_appendf(str, " |-- %s: ", field->name);
        append_name(str, field->type, field->array_length);
        raski_str_append_char(str, '\n');
        append_fields(str, field->type, depth + 1);
    }
}

char *rask_type_schema(const rask_type *type) {
    raski_str str = {0};
    raski_error err = {0};
    if (raski_type_validate(type, &err) != RASK_OK) {
        raski_str_appendf(&str, "%s\n", err.message);
        return raski_str_steal(&str);
    }
    if (type->kind == RASK_KIND_RECORD || type->kind == RASK_KIND_VARIANT)
        append_plain_name(&str, type);
    else
        append_name(&str, type, 0);
    raski_str_append_char(&str, '\n');
    append_fields(&str, type, 1);
    return raski_str_steal(&str);
}
