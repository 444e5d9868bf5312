/* Writing and reading values. A type becomes a list of steps; neighbours that are plain bytes in
 * both forms are one step. */
#include "state/value_codec.h"

#include "base/str.h"
#include "base/vec.h"
#include "types/type_info.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "stored bytes are little-endian");

typedef enum step_kind {
    STEP_COPY,     /* size bytes */
    STEP_BOOLEAN,  /* one byte, 0 or 1 */
    STEP_STRING,   /* u32 length, bytes */
    STEP_LIST,     /* u32 count, values */
    STEP_OPTIONAL, /* u8, value */
    STEP_ARRAY,    /* count values, stride bytes apart */
    STEP_VARIANT,  /* u32 which of count alternatives, its value */
} step_kind;

typedef struct codec_step {
    step_kind kind;
    bool skip; /* there is no place for it */
    uint32_t offset, size;
    uint32_t count, stride; /* LIST: stride of items; OPTIONAL, VARIANT: offset of the value */
    raski_value_codec *inner;
    raski_value_codec **alternatives; /* VARIANT: of the stored ones */
    uint32_t *numbers;                /* VARIANT: their numbers in the type that is read into */
} codec_step;

#define NO_ALTERNATIVE UINT32_MAX /* which of a variant that holds none */

struct raski_value_codec {
    RASKI_VEC(codec_step) steps;
    uint64_t least;
};

/* ---------------------------------------------------------------- making */
void raski_value_codec_destroy(raski_value_codec *codec_take_or_null) {
    raski_value_codec *codec = codec_take_or_null;
    if (!codec) return;
    for (size_t i = 0; i < codec->steps.count; i++) {
        codec_step *step = &codec->steps.items[i];
        raski_value_codec_destroy(step->inner);
        for (uint32_t k = 0; step->alternatives && k < step->count; k++)
            raski_value_codec_destroy(step->alternatives[k]);
        raski_free(step->alternatives);
        raski_free(step->numbers);
    }
    raski_vec_free(&codec->steps);
    raski_free(codec);
}

static void add_copy(raski_value_codec *codec, uint32_t offset, uint32_t size, bool skip) {
    codec_step *last = codec->steps.count ? &codec->steps.items[codec->steps.count - 1] : NULL;
    if (last && last->kind == STEP_COPY && last->skip == skip && last->size < UINT32_MAX / 2 &&
        size < UINT32_MAX / 2 && (skip || last->offset + last->size == offset))
        last->size += size;
    else
        raski_vec_push(
            &codec->steps,
            (codec_step){.kind = STEP_COPY, .skip = skip, .offset = offset, .size = size});
}

/* What is being converted, for messages. */
typedef struct conversion {
    const raski_stored_type *root;
    const rask_type *target;
    uint32_t target_size;
    const char *what;
    raski_error *err;
} conversion;

static rask_status refuse(const conversion *c, const char *field) {
    char *before = raski_stored_type_text(c->root);
    raski_byte_writer description = {0};
    raski_type_describe(c->target, c->target_size, &description);
    raski_arena *arena = raski_arena_create(0);
    raski_byte_reader in = {description.bytes, description.bytes + description.size, arena};
    const raski_stored_type *now = NULL;
    char *after = NULL;
    if (raski_type_read_description(&in, &now, NULL) == RASK_OK)
        after = raski_stored_type_text(now);
    rask_status status =
        RASKI_FAIL(c->err, RASK_E_ARGUMENT, USER,
                   "%s cannot be restored%s%s%s: it was written as %s and is now %s", c->what,
                   field ? ": the kind of field \"" : "", field ? field : "",
                   field ? "\" has changed" : "", before, after ? after : "something else");
    raski_free(before);
    raski_free(after);
    raski_arena_destroy(arena);
    raski_byte_writer_fini(&description);
    return status;
}

static const rask_field *find_field(const rask_type *type, const char *name) {
    for (uint32_t i = 0; i < type->field_count; i++)
        if (strcmp(type->fields[i].name, name) == 0) return &type->fields[i];
    return NULL;
}

static rask_status add_value(raski_value_codec *codec, const raski_stored_type *stored,
                             const rask_type *type, uint32_t offset, bool skip, const char *field,
                             const conversion *c);

/* A codec for elements of their own; *ret is set also on failure. */
static rask_status make_inner(const raski_stored_type *stored, const rask_type *type, bool skip,
                              const char *field, const conversion *c, raski_value_codec **ret) {
    *ret = RASKI_NEW(raski_value_codec);
    (*ret)->least = stored->least;
    return add_value(*ret, stored, type, 0, skip, field, c);
}

static rask_status add_array(raski_value_codec *codec, const raski_stored_field *from,
                             const rask_type *type, uint32_t offset, bool skip,
                             const conversion *c) {
    codec_step step = {.kind = STEP_ARRAY,
                       .skip = skip,
                       .offset = offset,
                       .count = from->array_length,
                       .stride = skip ? 0 : type->size};
    rask_status status = make_inner(from->type, type, skip, from->name, c, &step.inner);
    const codec_step *only = step.inner->steps.count == 1 ? &step.inner->steps.items[0] : NULL;
    uint64_t bytes = only ? (uint64_t)only->size * step.count : 0;
    if (status == RASK_OK && only && only->kind == STEP_COPY && bytes < UINT32_MAX / 2 &&
        (skip || (only->offset == 0 && only->size == step.stride))) {
        raski_value_codec_destroy(step.inner);
        add_copy(codec, offset, (uint32_t)bytes, skip);
        return RASK_OK;
    }
    raski_vec_push(&codec->steps, step);
    return status;
}

static rask_status add_field(raski_value_codec *codec, const raski_stored_field *from,
                             const rask_type *record, uint32_t offset, bool skip,
                             const conversion *c) {
    const rask_field *to = skip ? NULL : find_field(record, from->name);
    bool skip_field = to == NULL;
    if (to && to->array_length != from->array_length) return refuse(c, from->name);
    const rask_type *type = to ? to->type : NULL;
    if (to) offset += to->offset;
    if (from->array_length) return add_array(codec, from, type, offset, skip_field, c);
    return add_value(codec, from->type, type, offset, skip_field, from->name, c);
}

/* Numbers are stored, so each must still mean the same; constants may follow. */
static bool constants_stay(const raski_stored_type *stored, const rask_type *type) {
    for (uint32_t i = 0; i < stored->field_count; i++)
        if (i >= type->field_count || strcmp(stored->fields[i].name, type->fields[i].name) != 0)
            return false;
    return true;
}

/* Alternatives are matched by name; one that is no more has no place to go. */
static rask_status add_variant(raski_value_codec *codec, const raski_stored_type *stored,
                               const rask_type *type, uint32_t offset, bool skip, const char *field,
                               const conversion *c) {
    codec_step step = {.kind = STEP_VARIANT, .skip = skip, .offset = offset};
    rask_status status = RASK_OK;
    step.alternatives = raski_calloc(stored->field_count, sizeof *step.alternatives);
    step.numbers = raski_calloc(stored->field_count, sizeof *step.numbers);
    step.count = stored->field_count;
    if (!skip) step.stride = type->fields[0].offset;
    for (uint32_t i = 0; i < stored->field_count && status == RASK_OK; i++) {
        const raski_stored_field *from = &stored->fields[i];
        const rask_field *to = skip ? NULL : find_field(type, from->name);
        if (to) step.numbers[i] = (uint32_t)(to - type->fields);
        if (!skip && !to)
            status = refuse(c, field);
        else
            status = make_inner(from->type, to ? to->type : NULL, skip, from->name, c,
                                &step.alternatives[i]);
    }
    raski_vec_push(&codec->steps, step);
    return status;
}

static rask_status add_value(raski_value_codec *codec, const raski_stored_type *stored,
                             const rask_type *type, uint32_t offset, bool skip, const char *field,
                             const conversion *c) {
    if (!skip && type && stored->kind != (uint32_t)type->kind) return refuse(c, field);
    codec_step step = {.skip = skip, .offset = offset};
    rask_status status = RASK_OK;
    switch (stored->kind) {
        case RASK_KIND_STRING:
        case RASK_KIND_BYTES:
            step.kind = STEP_STRING;
            break;
        case RASK_KIND_BOOLEAN:
            step.kind = STEP_BOOLEAN;
            break;
        case RASK_KIND_ENUM:
            if (!skip && !constants_stay(stored, type)) return refuse(c, field);
            add_copy(codec, offset, stored->size, skip);
            return RASK_OK;
        case RASK_KIND_VARIANT:
            return add_variant(codec, stored, type, offset, skip, field, c);
        case RASK_KIND_RECORD:
        RASKI_CASE_COMPOSED:
            for (uint32_t i = 0; i < stored->field_count && status == RASK_OK; i++)
                status = add_field(codec, &stored->fields[i], type, offset, skip, c);
            return status;
        case RASK_KIND_LIST:
        case RASK_KIND_OPTIONAL:
        case RASK_KIND_MAP:
            step.kind = stored->kind == RASK_KIND_OPTIONAL ? STEP_OPTIONAL : STEP_LIST;
            if (!skip)
                step.stride = step.kind == STEP_LIST ? type->element->size : type->value_offset;
            status = make_inner(stored->element, skip ? NULL : type->element, skip, field, c,
                                &step.inner);
            break;
        default:
            add_copy(codec, offset, stored->size, skip);
            return RASK_OK;
    }
    raski_vec_push(&codec->steps, step);
    return status;
}

rask_status raski_value_codec_convert(const raski_stored_type *stored, const rask_type *type,
                                      uint32_t size, const char *what,
                                      raski_value_codec **ret_codec, raski_error *err) {
    conversion c = {stored, type, size, what, err};
    bool opaque = stored->kind == 0;
    if (opaque != (type == NULL) || (opaque && stored->size != size)) return refuse(&c, NULL);
    raski_value_codec *codec = NULL;
    rask_status status = make_inner(stored, type, false, NULL, &c, &codec);
    if (status == RASK_OK)
        *ret_codec = codec;
    else
        raski_value_codec_destroy(codec);
    return status;
}

raski_value_codec *raski_value_codec_create(const rask_type *type, uint32_t size) {
    raski_byte_writer description = {0};
    raski_type_describe(type, size, &description);
    raski_arena *arena = raski_arena_create(0);
    raski_byte_reader in = {description.bytes, description.bytes + description.size, arena};
    const raski_stored_type *stored = NULL;
    raski_value_codec *codec = NULL;
    RASKI_ASSERT(!description.failed);
    RASKI_ASSERT(raski_type_read_description(&in, &stored, NULL) == RASK_OK);
    RASKI_ASSERT(raski_value_codec_convert(stored, type, size, "", &codec, NULL) == RASK_OK);
    raski_arena_destroy(arena);
    raski_byte_writer_fini(&description);
    return codec;
}

raski_value_codec *raski_value_codec_skip(const raski_stored_type *stored) {
    conversion c = {.root = stored};
    raski_value_codec *codec = NULL;
    RASKI_ASSERT(make_inner(stored, NULL, true, NULL, &c, &codec) == RASK_OK);
    return codec;
}

uint64_t raski_value_codec_least(const raski_value_codec *codec) {
    return codec->least ? codec->least : 1;
}

/* ---------------------------------------------------------------- values */
/* Here a type is written as it is: alternatives have their own numbers. */
static void write_variant(const codec_step *step, const char *place, raski_byte_writer *out) {
    uint32_t which = 0;
    memcpy(&which, place, sizeof which);
    if (which >= step->count) which = NO_ALTERNATIVE;
    raski_write_u32(out, which);
    if (which != NO_ALTERNATIVE)
        raski_value_write(step->alternatives[which], place + step->stride, out);
}

void raski_value_write(const raski_value_codec *codec, const void *value, raski_byte_writer *out) {
    const char *from = value;
    for (size_t i = 0; i < codec->steps.count; i++) {
        const codec_step *step = &codec->steps.items[i];
        const char *place = from + step->offset;
        switch (step->kind) {
            case STEP_COPY:
                raski_write_bytes(out, place, step->size);
                break;
            case STEP_BOOLEAN:
                raski_write_u8(out, *place != 0);
                break;
            case STEP_STRING: {
                rask_string text;
                memcpy(&text, place, sizeof text);
                raski_write_u32(out, text.len);
                raski_write_bytes(out, rask_string_data(&text), text.len);
                break;
            }
            case STEP_LIST: {
                raski_any_list list;
                memcpy(&list, place, sizeof list);
                raski_write_u32(out, list.count);
                for (uint32_t k = 0; k < list.count; k++)
                    raski_value_write(step->inner,
                                      (const char *)list.items + (size_t)k * step->stride, out);
                break;
            }
            case STEP_OPTIONAL:
                raski_write_u8(out, *place != 0);
                if (*place) raski_value_write(step->inner, place + step->stride, out);
                break;
            case STEP_ARRAY:
                for (uint32_t k = 0; k < step->count; k++)
                    raski_value_write(step->inner, place + (size_t)k * step->stride, out);
                break;
            case STEP_VARIANT:
                write_variant(step, place, out);
                break;
        }
    }
}

static bool read_list(const codec_step *step, raski_byte_reader *in, char *place) {
    uint32_t count = 0;
    if (!raski_read_u32(in, &count)) return false;
    if (count > raski_bytes_left(in) / raski_value_codec_least(step->inner)) return false;
    char *items = NULL;
    if (!step->skip && count) items = raski_arena_calloc(in->arena, (size_t)count * step->stride);
    for (uint32_t k = 0; k < count; k++)
        if (!raski_value_read(step->inner, in, items ? items + (size_t)k * step->stride : NULL))
            return false;
    raski_any_list list = {.count = count, .items = items};
    if (!step->skip) memcpy(place, &list, sizeof list);
    return true;
}

static bool read_string(const codec_step *step, raski_byte_reader *in, char *place) {
    uint32_t length = 0;
    if (!raski_read_u32(in, &length) || length > raski_bytes_left(in)) return false;
    if (!step->skip) {
        rask_string text = rask_string_of(in->at, length);
        memcpy(place, &text, sizeof text);
    }
    in->at += length;
    return true;
}

static bool read_array(const codec_step *step, raski_byte_reader *in, char *place) {
    if (step->count > raski_bytes_left(in) / raski_value_codec_least(step->inner)) return false;
    for (uint32_t k = 0; k < step->count; k++)
        if (!raski_value_read(step->inner, in,
                              step->skip ? NULL : place + (size_t)k * step->stride))
            return false;
    return true;
}

static bool read_variant(const codec_step *step, raski_byte_reader *in, char *place) {
    uint32_t which = 0;
    if (!raski_read_u32(in, &which)) return false;
    if (which >= step->count && which != NO_ALTERNATIVE) return false;
    const uint32_t number = which == NO_ALTERNATIVE ? which : step->numbers[which];
    if (place) memcpy(place, &number, sizeof number);
    return which == NO_ALTERNATIVE ||
           raski_value_read(step->alternatives[which], in, place ? place + step->stride : NULL);
}

/* A byte that is 0 or 1. */
static bool read_flag(raski_byte_reader *in, uint8_t *ret) {
    return raski_read_u8(in, ret) && *ret <= 1;
}

bool raski_value_read(const raski_value_codec *codec, raski_byte_reader *in, void *ret_value) {
    for (size_t i = 0; i < codec->steps.count; i++) {
        const codec_step *step = &codec->steps.items[i];
        char *place = step->skip ? NULL : (char *)ret_value + step->offset;
        uint8_t flag = 0;
        switch (step->kind) {
            case STEP_COPY:
                if (step->size > raski_bytes_left(in)) return false;
                if (place) memcpy(place, in->at, step->size);
                in->at += step->size;
                break;
            case STEP_BOOLEAN:
                if (!read_flag(in, &flag)) return false;
                if (place) *place = (char)flag;
                break;
            case STEP_STRING:
                if (!read_string(step, in, place)) return false;
                break;
            case STEP_LIST:
                if (!read_list(step, in, place)) return false;
                break;
            case STEP_OPTIONAL:
                if (!read_flag(in, &flag)) return false;
                if (place) *place = (char)flag;
                if (flag && !raski_value_read(step->inner, in, place ? place + step->stride : NULL))
                    return false;
                break;
            case STEP_ARRAY:
                if (!read_array(step, in, place)) return false;
                break;
            case STEP_VARIANT:
                if (!read_variant(step, in, place)) return false;
                break;
        }
    }
    return true;
}
