/* Which types may be keys: Flink's walk of KeyedStream over the C types. */
#include "base/str.h"
#include "base/vec.h"
#include "types/type_info.h"

typedef struct part {
    const rask_type *type;
    uint32_t array_length; /* not 0: a fixed array of it */
    bool in_tuple;
} part;

static bool is_hashable(part p) {
    const rask_kind kind = p.type->kind;
    if (p.array_length != 0 || kind == RASK_KIND_BYTES || kind == RASK_KIND_ENUM ||
        kind == RASK_KIND_MAP || kind == RASK_KIND_VARIANT)
        return false;
    return p.type->kind != RASK_KIND_OPTIONAL || p.in_tuple;
}

static void append_part(raski_str *str, part p) {
    raski_type_append(str, p.type);
    if (p.array_length) raski_str_appendf(str, "[%u]", p.array_length);
}

rask_status raski_key_error_unsupported(raski_error *err, const char *type,
                                        const char *unsupported_parts) {
    return RASKI_THROW(
        err, "InvalidProgramException",
        "Type %s cannot be used as key. Contained UNSUPPORTED key types: %s. Look at the keyBy() "
        "documentation for the conditions a type has to satisfy in order to be eligible for a key.",
        type, unsupported_parts);
}

/* Depth first with a stack, as Flink does it, so that the parts are listed in the same order. Not
 * only records are looked into but also lists and optionals: Flink lets a List<byte[]> pass and
 * then loses keys, because arrays hash by identity. */
static rask_status check(part whole, raski_error *err) {
    RASKI_VEC(part) stack = {0};
    raski_str unsupported = {0};
    raski_vec_push(&stack, whole);
    while (stack.count > 0) {
        part p = stack.items[--stack.count];
        if (!is_hashable(p)) {
            if (unsupported.length) raski_str_append(&unsupported, ", ");
            append_part(&unsupported, p);
            continue;
        }
        if (p.type->kind == RASK_KIND_LIST || p.type->kind == RASK_KIND_OPTIONAL)
            raski_vec_push(&stack, (part){p.type->element, 0, true});
        for (uint32_t i = 0; p.type->kind == RASK_KIND_RECORD && i < p.type->field_count; i++) {
            const rask_field *field = &p.type->fields[i];
            raski_vec_push(&stack, (part){field->type, field->array_length, true});
        }
    }
    raski_vec_free(&stack);
    rask_status status = RASK_OK;
    if (unsupported.length > 0) {
        raski_str name = {0};
        append_part(&name, whole);
        status =
            raski_key_error_unsupported(err, raski_str_text(&name), raski_str_text(&unsupported));
        raski_str_free(&name);
    }
    raski_str_free(&unsupported);
    return status;
}

rask_status raski_type_check_key(const rask_type *type, raski_error *err) {
    return check((part){type, 0, false}, err);
}

rask_status raski_field_check_key(const rask_field *field, bool in_tuple, raski_error *err) {
    return check((part){field->type, field->array_length, in_tuple}, err);
}
