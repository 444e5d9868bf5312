#include "types/type_info.h"

#include <string.h>

#include "base/alloc.h"

const char *raski_kind_name(rask_kind kind) {
    switch (kind) {
        case RASK_KIND_BYTE:
            return "BYTE";
        case RASK_KIND_SHORT:
            return "SHORT";
        case RASK_KIND_INT:
            return "INT";
        case RASK_KIND_LONG:
            return "LONG";
        case RASK_KIND_FLOAT:
            return "FLOAT";
        case RASK_KIND_DOUBLE:
            return "DOUBLE";
        case RASK_KIND_BOOLEAN:
            return "BOOLEAN";
        case RASK_KIND_STRING:
            return "STRING";
        case RASK_KIND_BYTES:
            return "BYTES";
        case RASK_KIND_TIMESTAMP:
            return "TIMESTAMP";
        case RASK_KIND_RECORD:
            return "RECORD";
        case RASK_KIND_LIST:
            return "LIST";
        case RASK_KIND_OPTIONAL:
            return "OPTIONAL";
        case RASK_KIND_ENUM:
            return "ENUM";
        case RASK_KIND_DECIMAL:
            return "BIG_DEC";
        case RASK_KIND_DATE:
            return "LOCAL_DATE";
        case RASK_KIND_TIME:
            return "LOCAL_TIME";
        case RASK_KIND_DATETIME:
            return "LOCAL_DATE_TIME";
        case RASK_KIND_INSTANT:
            return "INSTANT";
        case RASK_KIND_DURATION:
            return "DURATION";
        case RASK_KIND_MAP:
            return "MAP";
        case RASK_KIND_VARIANT:
            return "VARIANT";
    }
    return "UNKNOWN";
}

/* ---------------------------------------------------------------- equality */
static bool equal_to(const rask_type *a, const rask_type *b, int depth);

static bool fields_equal(const rask_field *a, const rask_field *b, int depth) {
    return a->offset == b->offset && a->size == b->size && a->array_length == b->array_length &&
           strcmp(a->name, b->name) == 0 && equal_to(a->type, b->type, depth);
}

static bool constants_equal(const rask_type *a, const rask_type *b) {
    if (a->field_count != b->field_count || strcmp(a->name, b->name) != 0) return false;
    for (uint32_t i = 0; i < a->field_count; i++)
        if (strcmp(a->fields[i].name, b->fields[i].name) != 0) return false;
    return true;
}

static bool equal_to(const rask_type *a, const rask_type *b, int depth) {
    if (a == b) return true;
    if (a == NULL || b == NULL || depth > RASKI_TYPE_DEPTH_MAX) return false;
    if (a->kind != b->kind || a->size != b->size || a->align != b->align) return false;
    switch (a->kind) {
        case RASK_KIND_ENUM:
            return constants_equal(a, b);
        case RASK_KIND_RECORD:
        case RASK_KIND_VARIANT:
            if (a->field_count != b->field_count || strcmp(a->name, b->name) != 0) return false;
            for (uint32_t i = 0; i < a->field_count; i++)
                if (!fields_equal(&a->fields[i], &b->fields[i], depth + 1)) return false;
            return true;
        case RASK_KIND_LIST:
        case RASK_KIND_MAP:
            return equal_to(a->element, b->element, depth + 1);
        case RASK_KIND_OPTIONAL:
            return a->value_offset == b->value_offset &&
                   equal_to(a->element, b->element, depth + 1);
        default:
            return true; /* the kind says all */
    }
}

bool raski_type_equal(const rask_type *a, const rask_type *b) {
    return equal_to(a, b, 0);
}

/* ---------------------------------------------------------------- text */
static void append_type(raski_str *str, const rask_type *type, int depth) {
    if (type == NULL || depth > RASKI_TYPE_DEPTH_MAX) {
        raski_str_append(str, "...");
        return;
    }
    switch (type->kind) {
        case RASK_KIND_ENUM:
            raski_str_appendf(str, "ENUM<%s>", type->name);
            return;
        case RASK_KIND_VARIANT:
            raski_str_appendf(str, "%s<", type->name);
            for (uint32_t i = 0; i < type->field_count; i++) {
                raski_str_appendf(str, "%s%s: ", i ? " | " : "", type->fields[i].name);
                append_type(str, type->fields[i].type, depth + 1);
            }
            raski_str_append_char(str, '>');
            return;
        case RASK_KIND_MAP:
            raski_str_append(str, "MAP<");
            append_type(str, type->element->fields[0].type, depth + 1);
            raski_str_append(str, ", ");
            append_type(str, type->element->fields[1].type, depth + 1);
            raski_str_append_char(str, '>');
            return;
        case RASK_KIND_RECORD:
            raski_str_appendf(str, "%s{", type->name);
            for (uint32_t i = 0; i < type->field_count; i++) {
                const rask_field *field = &type->fields[i];
                raski_str_appendf(str, "%s%s: ", i ? ", " : "", field->name);
                append_type(str, field->type, depth + 1);
                if (field->array_length) raski_str_appendf(str, "[%u]", field->array_length);
            }
            raski_str_append_char(str, '}');
            return;
        case RASK_KIND_LIST:
        case RASK_KIND_OPTIONAL:
            raski_str_appendf(str, "%s<", raski_kind_name(type->kind));
            append_type(str, type->element, depth + 1);
            raski_str_append_char(str, '>');
            return;
        default:
            raski_str_append(str, raski_kind_name(type->kind));
    }
}

void raski_type_append(raski_str *str, const rask_type *type) {
    append_type(str, type, 0);
}

char *raski_type_text(const rask_type *type) {
    raski_str str = {0};
    raski_type_append(&str, type);
    return raski_str_steal(&str);
}

/* ---------------------------------------------------------------- fields by name */
const rask_field *raski_type_field(const rask_type *type, const char *name) {
    if (type->kind != RASK_KIND_RECORD) return NULL;
    for (uint32_t i = 0; i < type->field_count; i++)
        if (strcmp(type->fields[i].name, name) == 0) return &type->fields[i];
    return NULL;
}

static const char *nearest_name(const rask_type *type, const char *name) {
    const char *best = NULL;
    size_t best_distance = strlen(name) / 3 + 2; /* further away is no typing mistake */
    for (uint32_t i = 0; i < type->field_count; i++) {
        size_t distance = raski_edit_distance(type->fields[i].name, name);
        if (distance < best_distance) {
            best = type->fields[i].name;
            best_distance = distance;
        }
    }
    return best;
}

rask_status raski_type_find_field(const rask_type *type, const char *name, const rask_field **ret,
                                  raski_error *err) {
    const rask_field *field = raski_type_field(type, name);
    if (field != NULL) {
        *ret = field;
        return RASK_OK;
    }
    if (type->kind != RASK_KIND_RECORD)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s has no fields, so none named \"%s\"",
                          raski_kind_name(type->kind), name);
    raski_str names = {0};
    for (uint32_t i = 0; i < type->field_count; i++)
        raski_str_appendf(&names, "%s%s", i ? ", " : "", type->fields[i].name);
    const char *nearest = nearest_name(type, name);
    rask_status status =
        RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "%s has no field \"%s\"%s%s%s (it has %s)",
                   type->name, name, nearest ? ", did you mean \"" : "", nearest ? nearest : "",
                   nearest ? "\"" : "", raski_str_text(&names));
    raski_str_free(&names);
    return status;
}
