#include "types/java_type.h"

#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "types/type_info.h"

typedef RASKI_VEC(raski_java_type) type_vec;

static bool starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* The length of the type that starts at text: up to a comma or closing bracket that is not its
 * own. */
static size_t type_length(const char *text) {
    size_t depth = 0;
    size_t at = 0;
    for (; text[at] != '\0'; at++) {
        char c = text[at];
        if (depth == 0 && (c == ',' || c == '>' || c == ')')) break;
        if (c == '<' || c == '(' || c == '[') depth++;
        if (c == '>' || c == ')' || c == ']') depth--;
    }
    return at;
}

static rask_status parse(const char *text, size_t length, bool pojo_has_hash_code, int depth,
                         raski_arena *arena, raski_java_type *ret, raski_error *err);

/* The types between brackets, from text on, up to the closing one; in a row each has a name. */
static rask_status parse_fields(const char *text, char close, bool named, bool pojo_has_hash_code,
                                int depth, raski_arena *arena, raski_java_type *ret,
                                raski_error *err) {
    type_vec fields = {0};
    rask_status status = RASK_OK;
    const char *p = text;
    bool more = *p != close;
    while (more && status == RASK_OK) {
        if (named && strstr(p, ": ") != NULL) p = strstr(p, ": ") + 2;
        size_t length = type_length(p);
        raski_java_type field = {0};
        more = starts_with(p + length, ", ");
        if (length == 0 || (!more && p[length] != close)) {
            status = RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "not a type: \"%s\"", ret->text);
            break;
        }
        status = parse(p, length, pojo_has_hash_code, depth + 1, arena, &field, err);
        if (status == RASK_OK) raski_vec_push(&fields, field);
        p += length + (more ? 2 : 0);
    }
    if (status == RASK_OK && fields.count > 0) {
        raski_java_type *copy = raski_arena_alloc(arena, fields.count * sizeof *copy);
        memcpy(copy, fields.items, fields.count * sizeof *copy);
        ret->fields = copy;
        ret->field_count = fields.count;
    }
    raski_vec_free(&fields);
    return status;
}

static rask_status parse(const char *text, size_t length, bool pojo_has_hash_code, int depth,
                         raski_arena *arena, raski_java_type *ret, raski_error *err) {
    char *own = raski_arena_alloc(arena, length + 1);
    memcpy(own, text, length);
    own[length] = '\0';
    *ret = (raski_java_type){.text = own};
    if (depth > RASKI_TYPE_DEPTH_MAX)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "a type nested more than %d types deep: %s",
                          RASKI_TYPE_DEPTH_MAX, own);
    if (starts_with(own, "Java Tuple") && ends_with(own, ">") && strchr(own, '<') != NULL) {
        ret->kind = RASKI_JAVA_TYPE_TUPLE;
        return parse_fields(strchr(own, '<') + 1, '>', false, pojo_has_hash_code, depth, arena, ret,
                            err);
    }
    if (starts_with(own, "Row(") && ends_with(own, ")")) {
        ret->kind = RASKI_JAVA_TYPE_ROW;
        return parse_fields(own + strlen("Row("), ')', true, pojo_has_hash_code, depth, arena, ret,
                            err);
    }
    if (starts_with(own, "PojoType<")) {
        ret->kind = RASKI_JAVA_TYPE_POJO;
        ret->has_hash_code = pojo_has_hash_code;
    } else if (starts_with(own, "EnumTypeInfo<")) {
        ret->kind = RASKI_JAVA_TYPE_ENUM;
    } else if (starts_with(own, "BasicArrayTypeInfo<") ||
               starts_with(own, "ObjectArrayTypeInfo<") || ends_with(own, "[]")) {
        ret->kind = RASKI_JAVA_TYPE_ARRAY;
    }
    return RASK_OK;
}

rask_status raski_java_type_parse(const char *text, bool pojo_has_hash_code, raski_arena *arena,
                                  raski_java_type *ret, raski_error *err) {
    size_t length = type_length(text);
    if (length == 0 || text[length] != '\0')
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "not a type: \"%s\"", text);
    return parse(text, length, pojo_has_hash_code, 0, arena, ret, err);
}

static bool is_hashable(const raski_java_type *type) {
    if (type->kind == RASKI_JAVA_TYPE_POJO) return type->has_hash_code;
    return type->kind != RASKI_JAVA_TYPE_ARRAY && type->kind != RASKI_JAVA_TYPE_ENUM;
}

rask_status raski_java_type_check_key(const raski_java_type *type, raski_error *err) {
    typedef struct part {
        const raski_java_type *type;
    } part;
    RASKI_VEC(part) stack = {0};
    raski_str unsupported = {0};
    raski_vec_push(&stack, (part){type});
    while (stack.count > 0) { /* depth first, last field first: Flink's order of the parts */
        const raski_java_type *t = stack.items[--stack.count].type;
        if (!is_hashable(t)) {
            if (unsupported.length) raski_str_append(&unsupported, ", ");
            raski_str_append(&unsupported, t->text);
        }
        for (size_t i = 0; i < t->field_count; i++) raski_vec_push(&stack, (part){&t->fields[i]});
    }
    raski_vec_free(&stack);
    rask_status status = RASK_OK;
    if (unsupported.length > 0)
        status = raski_key_error_unsupported(err, type->text, raski_str_text(&unsupported));
    raski_str_free(&unsupported);
    return status;
}
