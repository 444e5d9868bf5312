/* Objects of JSON from records, on one line. */
#include <math.h>
#include <stdlib.h>

#include "formats/json/json.h"
#include "formats/scalar.h"

typedef struct json_writer {
    rask_format_writer base;
    rask_json_options options;
    raski_scalar_style style;
} json_writer;

typedef struct write {
    const json_writer *w;
    rask_text *text;
    rask_format_error *error;
    bool out_of_memory;
} write;

#define FAIL(c, ...) raski_format_fail((c)->error, NULL, NULL, __VA_ARGS__)

static bool append_value(write *c, const rask_type *type, const char *value);

static bool no_memory(write *c) {
    c->out_of_memory = true;
    return FAIL(c, "no memory for the text of a record");
}

static bool put(write *c, const char *bytes, size_t length) {
    return raski_text_put(c->text, bytes, length) || no_memory(c);
}

static bool put_char(write *c, char byte) {
    return raski_text_put(c->text, &byte, 1) || no_memory(c);
}

/* ---------------------------------------------------------------- strings */
static bool put_escaped(write *c, unsigned char byte) {
    static const char digits[] = "0123456789abcdef";
    char text[] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
    size_t length = 2;
    switch (byte) {
        case '"':
        case '\\':
            text[1] = (char)byte;
            break;
        case '\n':
            text[1] = 'n';
            break;
        case '\r':
            text[1] = 'r';
            break;
        case '\t':
            text[1] = 't';
            break;
        case '\b':
            text[1] = 'b';
            break;
        case '\f':
            text[1] = 'f';
            break;
        default:
            length = sizeof text;
    }
    return put(c, text, length);
}

static bool append_text(write *c, const char *text, size_t length) {
    size_t valid = raski_utf8_valid_length(text, length);
    if (valid < length)
        return FAIL(c, "the text is not UTF-8 at byte %zu (0x%02x)", valid,
                    (unsigned char)text[valid]);
    if (!put_char(c, '"')) return false;
    size_t from = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
        if (!put(c, text + from, i - from) || !put_escaped(c, byte)) return false;
        from = i + 1;
    }
    return put(c, text + from, length - from) && put_char(c, '"');
}

static bool append_string(write *c, const rask_string *s) {
    return append_text(c, rask_string_data(s), s->len);
}

static bool append_bytes(write *c, const rask_bytes *b) {
    return put_char(c, '"') &&
           (raski_base64_append(c->text, rask_bytes_data(b), b->len) || no_memory(c)) &&
           put_char(c, '"');
}

/* ---------------------------------------------------------------- scalars */
static bool needs_quotes(const write *c, const rask_type *type, const void *value) {
    switch (type->kind) {
        case RASK_KIND_FLOAT:
            return !isfinite(*(const float *)value);
        case RASK_KIND_DOUBLE:
            return !isfinite(*(const double *)value);
        case RASK_KIND_TIMESTAMP:
            return c->w->style.timestamps != RASK_TIMESTAMP_MILLIS;
        case RASK_KIND_BOOLEAN:
            return false;
        default:
            return !raski_is_number(type);
    }
}

static bool append_scalar(write *c, const rask_type *type, const void *value) {
    char complaint[RASKI_COMPLAINT_MAX];
    if (!raski_scalar_check(type, value, complaint)) return FAIL(c, "%s", complaint);
    const bool quotes = needs_quotes(c, type, value);
    if (quotes && !put_char(c, '"')) return false;
    if (!raski_scalar_append(c->text, type, value, &c->w->style)) return no_memory(c);
    return !quotes || put_char(c, '"');
}

/* ---------------------------------------------------------------- several values */
static bool append_array(write *c, const rask_type *item, const char *items, uint32_t count) {
    if (!put_char(c, '[')) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && !put_char(c, ',')) return false;
        if (append_value(c, item, items + (size_t)i * item->size)) continue;
        raski_format_in_item(c->error, i);
        return false;
    }
    return put_char(c, ']');
}

static bool append_field(write *c, const rask_field *field, const char *value, bool is_first) {
    if ((!is_first && !put_char(c, ',')) || !append_text(c, field->name, strlen(field->name)) ||
        !put_char(c, ':'))
        return false;
    return field->array_length ? append_array(c, field->type, value, field->array_length)
                               : append_value(c, field->type, value);
}

static bool append_record(write *c, const rask_type *type, const char *record) {
    bool is_first = true;
    if (!put_char(c, '{')) return false;
    for (uint32_t i = 0; i < type->field_count; i++) {
        const rask_field *field = &type->fields[i];
        const char *value = record + field->offset;
        if (c->w->options.ignore_null_fields && field->type->kind == RASK_KIND_OPTIONAL &&
            field->array_length == 0 && !*(const bool *)value)
            continue;
        if (!append_field(c, field, value, is_first)) {
            raski_format_in_field(c->error, field->name);
            return false;
        }
        is_first = false;
    }
    return put_char(c, '}');
}

/* ---------------------------------------------------------------- maps and variants */
/* Keys stand in quotes, whatever they are. */
static bool append_key(write *c, const rask_type *key, const void *value) {
    if (key->kind == RASK_KIND_STRING) return append_string(c, value);
    if (needs_quotes(c, key, value)) return append_scalar(c, key, value);
    return put_char(c, '"') && append_scalar(c, key, value) && put_char(c, '"');
}

static bool append_map(write *c, const rask_type *entry, const raski_any_list *map) {
    const rask_field *value = &entry->fields[1];
    const char *e = map->items;
    if (!put_char(c, '{')) return false;
    for (uint32_t i = 0; i < map->count; i++, e += entry->size) {
        if (i > 0 && !put_char(c, ',')) return false;
        if (append_key(c, entry->fields[0].type, e) && put_char(c, ':') &&
            append_value(c, value->type, e + value->offset))
            continue;
        raski_format_in_item(c->error, i);
        return false;
    }
    return put_char(c, '}');
}

static bool append_variant(write *c, const rask_type *type, const char *value) {
    const uint32_t which = *(const uint32_t *)(const void *)value;
    if (which >= type->field_count)
        return FAIL(c, "a %s has no alternative number %d", type->name, (int)which);
    const rask_field *field = &type->fields[which];
    if (!put_char(c, '{')) return false;
    if (append_field(c, field, value + field->offset, true)) return put_char(c, '}');
    raski_format_in_field(c->error, field->name);
    return false;
}

static bool append_value(write *c, const rask_type *type, const char *value) {
    const void *v = value;
    switch (type->kind) {
        case RASK_KIND_STRING:
            return append_string(c, v);
        case RASK_KIND_BYTES:
            return append_bytes(c, v);
        case RASK_KIND_RECORD:
            return append_record(c, type, value);
        case RASK_KIND_LIST: {
            const raski_any_list *list = v;
            return append_array(c, type->element, list->items, list->count);
        }
        case RASK_KIND_OPTIONAL:
            if (!*(const bool *)v) return put(c, "null", 4);
            return append_value(c, type->element, value + type->value_offset);
        case RASK_KIND_MAP:
            return append_map(c, type->element, v);
        case RASK_KIND_VARIANT:
            return append_variant(c, type, value);
        default:
            return append_scalar(c, type, v);
    }
}

static rask_status append(rask_format_writer *writer, rask_text *text, const void *record,
                          rask_format_error *ret_error) {
    write c = {(const json_writer *)writer, text, ret_error, false};
    if (append_value(&c, writer->type, record)) return RASK_OK;
    return c.out_of_memory ? RASK_E_NOMEM : RASK_E_CORRUPT;
}

static void destroy(rask_format_writer *writer_take) {
    free(writer_take);
}

rask_format_writer *rask_json_writer_create(const rask_type *type, const rask_json_options *options,
                                            char *message, size_t size) {
    json_writer *w = calloc(1, sizeof *w);
    if (w == NULL) return raski_format_refuse(message, size, "no memory for a JSON writer");
    w->base = (rask_format_writer){.append = append, .destroy = destroy, .type = type};
    if (!raski_json_options_init(&w->options, options, message, size) ||
        !raski_json_check_type(type, message, size)) {
        free(w);
        return NULL;
    }
    w->style.timestamps = w->options.timestamp_format;
    w->style.plain_decimals = w->options.decimal_as_plain_number;
    return &w->base;
}
