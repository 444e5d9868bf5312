/* Bytes, and descriptions of types as bytes. */
#include "base/str.h"
#include "state/value_codec.h"
#include "types/type_info.h"

enum { DEPTH_MAX = 64 };

/* ---------------------------------------------------------------- bytes */
void raski_byte_writer_fini(raski_byte_writer *out) {
    raski_free(out->bytes);
    *out = (raski_byte_writer){0};
}

char *raski_byte_writer_grow(raski_byte_writer *out, size_t more) {
    if (out->failed) return NULL;
    size_t capacity = out->capacity * 2;
    if (capacity < out->size + more) capacity = out->size + more + 64;
    char *bytes = raski_try_alloc(capacity, 0);
    if (!bytes) {
        out->failed = true;
        return NULL;
    }
    if (out->size) memcpy(bytes, out->bytes, out->size);
    raski_free(out->bytes);
    out->bytes = bytes;
    out->capacity = capacity;
    return out->bytes + out->size;
}

void raski_put_name(raski_byte_writer *out, const char *text) {
    size_t length = strlen(text);
    RASKI_ASSERT(length <= UINT32_MAX);
    raski_write_u32(out, (uint32_t)length);
    raski_write_bytes(out, text, length);
}

bool raski_take_name(raski_byte_reader *in, const char **ret_text) {
    uint32_t length = 0;
    if (!raski_read_u32(in, &length) || length > raski_bytes_left(in)) return false;
    if (memchr(in->at, 0, length)) return false;
    char *text = raski_arena_alloc(in->arena, (size_t)length + 1);
    memcpy(text, in->at, length);
    text[length] = 0;
    in->at += length;
    *ret_text = text;
    return true;
}

/* ---------------------------------------------------------------- descriptions
 * kind u8; then opaque and scalars: size u32; RECORD: name, u32 fields, each name, u32 array
 * length, type; LIST, OPTIONAL, MAP: type of the element; ENUM: name, u32 constants, each name;
 * VARIANT: name, u32 alternatives, each name, type. */
static bool is_scalar(uint32_t kind) {
    switch (kind) {
        case RASK_KIND_BYTE:
        case RASK_KIND_SHORT:
        case RASK_KIND_INT:
        case RASK_KIND_LONG:
        case RASK_KIND_FLOAT:
        case RASK_KIND_DOUBLE:
        case RASK_KIND_BOOLEAN:
        case RASK_KIND_TIMESTAMP:
            return true;
        default:
            return false;
    }
}

/* What a kind of values with members is made of (rask/values.h); NULL: another kind. */
static const rask_type *composed_type(uint32_t kind) {
    switch (kind) {
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
        default:
            return NULL;
    }
}

static void describe_choices(const rask_type *type, raski_byte_writer *out) {
    raski_put_name(out, type->name ? type->name : "");
    raski_write_u32(out, type->field_count);
    for (uint32_t i = 0; i < type->field_count; i++) {
        raski_put_name(out, type->fields[i].name);
        if (type->kind == RASK_KIND_VARIANT) raski_type_describe(type->fields[i].type, 0, out);
    }
}

void raski_type_describe(const rask_type *type, uint32_t size, raski_byte_writer *out) {
    raski_write_u8(out, type ? (uint8_t)type->kind : 0);
    if (!type || is_scalar(type->kind)) {
        raski_write_u32(out, type ? type->size : size);
        return;
    }
    switch (type->kind) {
        case RASK_KIND_RECORD:
            raski_put_name(out, type->name ? type->name : "");
            raski_write_u32(out, type->field_count);
            for (uint32_t i = 0; i < type->field_count; i++) {
                raski_put_name(out, type->fields[i].name);
                raski_write_u32(out, type->fields[i].array_length);
                raski_type_describe(type->fields[i].type, 0, out);
            }
            return;
        case RASK_KIND_LIST:
        case RASK_KIND_OPTIONAL:
        case RASK_KIND_MAP:
            raski_type_describe(type->element, 0, out);
            return;
        case RASK_KIND_ENUM:
        case RASK_KIND_VARIANT:
            describe_choices(type, out);
            return;
        default: /* texts, times, decimals */
            return;
    }
}

static uint32_t scalar_size(uint32_t kind) {
    switch (kind) {
        case RASK_KIND_BYTE:
        case RASK_KIND_BOOLEAN:
            return 1;
        case RASK_KIND_SHORT:
            return 2;
        case RASK_KIND_INT:
        case RASK_KIND_FLOAT:
            return 4;
        default:
            return 8;
    }
}

/* NULL: damaged. */
static raski_stored_type *read_type(raski_byte_reader *in, uint32_t depth);

static bool read_fields(raski_byte_reader *in, uint32_t depth, raski_stored_type *type) {
    enum { FIELD_BYTES = 9 }; /* at least */
    if (!raski_take_name(in, &type->name) || !raski_read_u32(in, &type->field_count)) return false;
    if (type->field_count == 0 || type->field_count > raski_bytes_left(in) / FIELD_BYTES)
        return false;
    raski_stored_field *fields = raski_arena_calloc(in->arena, type->field_count * sizeof *fields);
    type->fields = fields;
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (!raski_take_name(in, &fields[i].name) || !raski_read_u32(in, &fields[i].array_length))
            return false;
        fields[i].type = read_type(in, depth + 1);
        if (!fields[i].type) return false;
        uint64_t count = fields[i].array_length ? fields[i].array_length : 1, least = 0;
        if (__builtin_mul_overflow(fields[i].type->least, count, &least) ||
            __builtin_add_overflow(type->least, least, &type->least))
            return false;
    }
    return true;
}

/* The constants of an enumeration, the alternatives of a variant. */
static bool read_choices(raski_byte_reader *in, uint32_t depth, raski_stored_type *type) {
    enum { CHOICE_BYTES = 4 }; /* at least */
    if (!raski_take_name(in, &type->name) || !raski_read_u32(in, &type->field_count)) return false;
    if (type->field_count == 0 || type->field_count > raski_bytes_left(in) / CHOICE_BYTES)
        return false;
    raski_stored_field *fields = raski_arena_calloc(in->arena, type->field_count * sizeof *fields);
    type->fields = fields;
    type->least = type->size = sizeof(uint32_t);
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (!raski_take_name(in, &fields[i].name)) return false;
        if (type->kind == RASK_KIND_ENUM) continue;
        fields[i].type = read_type(in, depth + 1);
        if (!fields[i].type) return false;
    }
    return true;
}

/* The members of a value that has some, which are always the same. */
static raski_stored_type *make_composed(raski_arena *arena, const rask_type *type) {
    raski_stored_type *stored = raski_arena_calloc(arena, sizeof *stored);
    *stored = (raski_stored_type){.kind = (uint32_t)type->kind, .name = ""};
    if (is_scalar(stored->kind)) {
        stored->size = type->size;
        stored->least = type->size;
        return stored;
    }
    raski_stored_field *fields = raski_arena_calloc(arena, type->field_count * sizeof *fields);
    stored->fields = fields;
    stored->field_count = type->field_count;
    for (uint32_t i = 0; i < type->field_count; i++) {
        fields[i].name = type->fields[i].name;
        fields[i].type = make_composed(arena, type->fields[i].type);
        stored->least += fields[i].type->least;
    }
    return stored;
}

static raski_stored_type *read_type(raski_byte_reader *in, uint32_t depth) {
    uint8_t kind = 0;
    if (depth > DEPTH_MAX || !raski_read_u8(in, &kind)) return NULL;
    if (composed_type(kind)) return make_composed(in->arena, composed_type(kind));
    raski_stored_type *type = raski_arena_calloc(in->arena, sizeof *type);
    type->kind = kind;
    type->name = "";
    if (kind == 0 || is_scalar(kind)) {
        if (!raski_read_u32(in, &type->size) || type->size == 0) return NULL;
        if (kind && type->size != scalar_size(kind)) return NULL;
        type->least = type->size;
        return type;
    }
    switch (kind) {
        case RASK_KIND_STRING:
        case RASK_KIND_BYTES:
            type->least = sizeof(uint32_t);
            return type;
        case RASK_KIND_RECORD:
            return read_fields(in, depth, type) ? type : NULL;
        case RASK_KIND_LIST:
        case RASK_KIND_OPTIONAL:
        case RASK_KIND_MAP:
            type->element = read_type(in, depth + 1);
            type->least = kind == RASK_KIND_OPTIONAL ? 1 : sizeof(uint32_t);
            return type->element ? type : NULL;
        case RASK_KIND_ENUM:
        case RASK_KIND_VARIANT:
            return read_choices(in, depth, type) ? type : NULL;
        default:
            return NULL;
    }
}

rask_status raski_type_read_description(raski_byte_reader *in, const raski_stored_type **ret_type,
                                        raski_error *err) {
    const raski_stored_type *type = read_type(in, 0);
    if (!type)
        return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL, "the description of a type is damaged");
    *ret_type = type;
    return RASK_OK;
}

bool raski_stored_type_is(const raski_stored_type *stored, const rask_type *type, uint32_t size) {
    if (!type) return stored->kind == 0 && stored->size == size;
    if (stored->kind != (uint32_t)type->kind) return false;
    if (stored->element) return raski_stored_type_is(stored->element, type->element, 0);
    if (stored->field_count == 0 || composed_type(stored->kind)) return true;
    if (stored->field_count != type->field_count) return false;
    for (uint32_t i = 0; i < type->field_count; i++) {
        const rask_field *field = &type->fields[i];
        if (strcmp(stored->fields[i].name, field->name) != 0 ||
            stored->fields[i].array_length != field->array_length)
            return false;
        if (stored->kind != RASK_KIND_ENUM &&
            !raski_stored_type_is(stored->fields[i].type, field->type, 0))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- for people */
static const char *kind_name(uint32_t kind) {
    static const char *const names[] = {
        [RASK_KIND_BYTE] = "byte",       [RASK_KIND_SHORT] = "short",
        [RASK_KIND_INT] = "int",         [RASK_KIND_LONG] = "long",
        [RASK_KIND_FLOAT] = "float",     [RASK_KIND_DOUBLE] = "double",
        [RASK_KIND_BOOLEAN] = "boolean", [RASK_KIND_STRING] = "string",
        [RASK_KIND_BYTES] = "bytes",     [RASK_KIND_TIMESTAMP] = "timestamp",
        [RASK_KIND_DECIMAL] = "decimal", [RASK_KIND_DATE] = "date",
        [RASK_KIND_TIME] = "time",       [RASK_KIND_DATETIME] = "datetime",
        [RASK_KIND_INSTANT] = "instant", [RASK_KIND_DURATION] = "duration",
    };
    return kind < sizeof names / sizeof *names && names[kind] ? names[kind] : "?";
}

static void append_type(const raski_stored_type *type, raski_str *out) {
    switch (type->kind) {
        case 0:
            raski_str_appendf(out, "%u opaque bytes", type->size);
            return;
        case RASK_KIND_RECORD:
            raski_str_appendf(out, "record %s {", type->name);
            for (uint32_t i = 0; i < type->field_count; i++) {
                const raski_stored_field *field = &type->fields[i];
                raski_str_appendf(out, "%s%s: ", i ? ", " : " ", field->name);
                append_type(field->type, out);
                if (field->array_length) raski_str_appendf(out, "[%u]", field->array_length);
            }
            raski_str_append(out, " }");
            return;
        case RASK_KIND_ENUM:
        case RASK_KIND_VARIANT:
            raski_str_appendf(out, "%s %s {", type->kind == RASK_KIND_ENUM ? "enum" : "variant",
                              type->name);
            for (uint32_t i = 0; i < type->field_count; i++) {
                raski_str_appendf(out, "%s%s", i ? ", " : " ", type->fields[i].name);
                if (type->kind == RASK_KIND_ENUM) continue;
                raski_str_append(out, ": ");
                append_type(type->fields[i].type, out);
            }
            raski_str_append(out, " }");
            return;
        case RASK_KIND_LIST:
        case RASK_KIND_OPTIONAL:
        case RASK_KIND_MAP:
            raski_str_append(out, type->kind == RASK_KIND_LIST  ? "list("
                                  : type->kind == RASK_KIND_MAP ? "map("
                                                                : "optional(");
            append_type(type->element, out);
            raski_str_append(out, ")");
            return;
        default:
            raski_str_append(out, kind_name(type->kind));
    }
}

char *raski_stored_type_text(const raski_stored_type *stored) {
    raski_str text = {0};
    append_type(stored, &text);
    return raski_str_steal(&text);
}
