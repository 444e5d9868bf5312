/* Records from objects of JSON, straight into the struct: the description of the type says what is
 * expected at each place, no tree of the text is made. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/json/json.h"
#include "formats/json/json_parse.h"
#include "formats/scalar.h"

typedef struct json_reader {
    rask_format_reader base;
    rask_json_options options;
} json_reader;

typedef struct parse {
    raski_json_cursor c;
    const rask_json_options *options;
} parse;

#define FAIL(s, at, ...) RASKI_JSON_FAIL(&(s)->c, (at), __VA_ARGS__)

static bool parse_value(parse *s, const rask_type *type, char *ret_value);

/* ---------------------------------------------------------------- single values */
static bool fail_kind(parse *s, const rask_type *type) {
    char expected[RASKI_EXPECTATION_MAX];
    return raski_json_unexpected(&s->c, raski_scalar_expectation(type, expected));
}

static bool fail_scalar(parse *s, const rask_type *type, raski_number_result result, const char *at,
                        const char *text, size_t length) {
    char complaint[RASKI_COMPLAINT_MAX];
    raski_scalar_complain(type, result, text, length, complaint);
    return FAIL(s, at, "%s", complaint);
}

/* Numbers stand without quotes, but for NaN and the infinities, which JSON has not. */
static bool parse_number(parse *s, const rask_type *type, void *ret_value) {
    const char *text = NULL;
    size_t length = 0;
    const bool floating = type->kind == RASK_KIND_FLOAT || type->kind == RASK_KIND_DOUBLE;
    bool is_integer = false;
    const char *at = s->c.p;
    char first = at < s->c.end ? *at : '\0';
    if (first == '"' && floating) {
        if (!raski_json_string(&s->c, &text, &length)) return false;
        char kind = length > 0 ? text[length - 1] : '\0'; /* NaN, Infinity */
        if ((kind == 'N' || kind == 'y') &&
            raski_scalar_parse(type, text, length, ret_value) == RASKI_NUMBER_OK)
            return true;
        return fail_scalar(s, type, RASKI_NUMBER_INVALID, at, text, length);
    }
    if (first != '-' && (first < '0' || first > '9')) return fail_kind(s, type);
    if (!raski_json_number(&s->c, &text, &length, &is_integer)) return false;
    const bool any = floating || type->kind == RASK_KIND_DECIMAL;
    raski_number_result result = is_integer || any
                                     ? raski_scalar_parse(type, text, length, ret_value)
                                     : RASKI_NUMBER_INVALID;
    return result == RASKI_NUMBER_OK || fail_scalar(s, type, result, at, text, length);
}

static bool parse_boolean(parse *s, const rask_type *type, bool *ret) {
    *ret = raski_json_word(&s->c, "true");
    return *ret || raski_json_word(&s->c, "false") || fail_kind(s, type);
}

/* A scalar in quotes; a timestamp also as a number. */
static bool parse_quoted(parse *s, const rask_type *type, void *ret_value) {
    const char *text = NULL;
    size_t length = 0;
    bool is_integer = true;
    const char *at = s->c.p;
    char first = at < s->c.end ? *at : '\0';
    if (first == '"') {
        if (!raski_json_string(&s->c, &text, &length)) return false;
    } else if (type->kind == RASK_KIND_TIMESTAMP &&
               (first == '-' || (first >= '0' && first <= '9'))) {
        if (!raski_json_number(&s->c, &text, &length, &is_integer)) return false;
    } else {
        return fail_kind(s, type);
    }
    raski_number_result result =
        is_integer ? raski_scalar_parse(type, text, length, ret_value) : RASKI_NUMBER_INVALID;
    return result == RASKI_NUMBER_OK || fail_scalar(s, type, result, at, text, length);
}

static bool parse_string(parse *s, const rask_type *type, rask_string *ret) {
    const char *text = NULL;
    size_t length = 0;
    if (s->c.p == s->c.end || *s->c.p != '"') return fail_kind(s, type);
    if (!raski_json_string(&s->c, &text, &length)) return false;
    *ret = rask_string_of(text, length);
    return true;
}

static bool parse_bytes(parse *s, const rask_type *type, rask_bytes *ret) {
    const char *text = NULL;
    size_t length = 0;
    const char *at = s->c.p;
    char excerpt[RASKI_EXCERPT_MAX];
    if (at == s->c.end || *at != '"') return fail_kind(s, type);
    if (!raski_json_string(&s->c, &text, &length)) return false;
    unsigned char *bytes = raski_format_alloc(s->c.memory, raski_base64_size(length));
    if (bytes == NULL) return raski_json_no_memory(&s->c);
    size_t count = 0;
    if (!raski_base64_decode(text, length, bytes, &count))
        return FAIL(s, at, "%s is not base64", raski_format_excerpt(text, length, excerpt));
    *ret = rask_bytes_of(bytes, count);
    return true;
}

static bool parse_optional(parse *s, const rask_type *type, char *ret_value) {
    if (raski_json_word(&s->c, "null")) return true; /* the record was zeroed */
    *(bool *)ret_value = true;
    return parse_value(s, type->element, ret_value + type->value_offset);
}

/* ---------------------------------------------------------------- arrays */
static bool open_array(parse *s, const char *expectation) {
    if (s->c.p == s->c.end || *s->c.p != '[') return raski_json_unexpected(&s->c, expectation);
    return raski_json_open(&s->c);
}

/* Room for one more item; what is outgrown stays in the memory until it is cleared. */
static char *grow_items(parse *s, const rask_type *item, char *items, uint64_t count,
                        uint64_t *capacity) {
    enum { FIRST = 8 };
    if (count < *capacity) return items;
    uint64_t more = *capacity ? *capacity * 2 : FIRST;
    char *copy =
        count < UINT32_MAX / 2 ? raski_format_alloc(s->c.memory, (size_t)more * item->size) : NULL;
    if (copy == NULL) {
        (void)raski_json_no_memory(&s->c);
        return NULL;
    }
    if (count > 0) memcpy(copy, items, (size_t)count * item->size);
    *capacity = more;
    return copy;
}

static bool parse_list(parse *s, const rask_type *item, raski_any_list *ret_list) {
    char *items = NULL;
    uint64_t capacity = 0;
    uint64_t count = 0;
    bool failed = false;
    if (!open_array(s, "a list")) return false;
    for (; raski_json_more(&s->c, count == 0, ']', &failed); count++) {
        items = grow_items(s, item, items, count, &capacity);
        if (items == NULL) return false;
        char *at = items + count * item->size;
        memset(at, 0, item->size);
        if (!parse_value(s, item, at)) {
            raski_format_in_item(s->c.error, count);
            return false;
        }
    }
    if (failed) return false;
    ret_list->count = (uint32_t)count;
    ret_list->items = items;
    return true;
}

static bool parse_fixed_array(parse *s, const rask_field *field, char *ret_items) {
    uint32_t count = 0;
    bool failed = false;
    const char *at = s->c.p;
    if (!open_array(s, "an array")) return false;
    for (; raski_json_more(&s->c, count == 0, ']', &failed); count++) {
        if (count == field->array_length)
            return FAIL(s, s->c.p, "the array has more than %u values", field->array_length);
        if (parse_value(s, field->type, ret_items + (size_t)count * field->type->size)) continue;
        raski_format_in_item(s->c.error, count);
        return false;
    }
    if (failed) return false;
    if (count < field->array_length)
        return FAIL(s, at, "the array has %u of %u values", count, field->array_length);
    return true;
}

/* ---------------------------------------------------------------- records */
static inline bool is_named(const rask_field *field, const char *text, size_t length) {
    return strlen(field->name) == length && memcmp(field->name, text, length) == 0;
}

/* The index of the field of that name, field_count if there is none. guess: where it would be if
 * fields came in their order, which they mostly do. */
static uint32_t find_field(const rask_type *type, uint32_t guess, const char *text, size_t length) {
    if (guess < type->field_count && is_named(&type->fields[guess], text, length)) return guess;
    uint32_t i = 0;
    while (i < type->field_count && !is_named(&type->fields[i], text, length)) i++;
    return i;
}

static bool parse_unknown(parse *s, const rask_type *type, const char *at, const char *name,
                          size_t length) {
    char excerpt[RASKI_EXCERPT_MAX];
    if (s->options->ignore_unknown_fields) return raski_json_skip_value(&s->c);
    return FAIL(s, at, "%s has no field %.100s (ignore_unknown_fields passes over such fields)",
                type->name, raski_format_excerpt(name, length, excerpt));
}

static bool check_missing(parse *s, const rask_type *type, const uint64_t *seen, const char *at) {
    for (uint32_t i = 0; i < type->field_count; i++) {
        const rask_field *field = &type->fields[i];
        if (seen[i / 64] >> (i % 64) & 1) continue;
        bool is_optional = field->type->kind == RASK_KIND_OPTIONAL && field->array_length == 0;
        if (is_optional && !s->options->fail_on_missing_field) continue;
        (void)FAIL(s, at,
                   is_optional ? "the field is missing (fail_on_missing_field is set)"
                               : "the field is missing, and it is not optional");
        raski_format_in_field(s->c.error, field->name);
        return false;
    }
    return true;
}

static bool parse_field(parse *s, const rask_type *type, uint64_t *seen, uint32_t *guess,
                        char *ret_record) {
    const char *name = NULL;
    size_t length = 0;
    const char *at = s->c.p;
    if (!raski_json_name(&s->c, &name, &length)) return false;
    uint32_t i = find_field(type, *guess, name, length);
    if (i == type->field_count) return parse_unknown(s, type, at, name, length);
    const rask_field *field = &type->fields[i];
    bool is_ok = false;
    *guess = i + 1;
    if (seen[i / 64] >> (i % 64) & 1)
        is_ok = FAIL(s, at, "the field is there twice");
    else if (field->array_length != 0)
        is_ok = parse_fixed_array(s, field, ret_record + field->offset);
    else
        is_ok = parse_value(s, field->type, ret_record + field->offset);
    seen[i / 64] |= UINT64_C(1) << (i % 64);
    if (!is_ok) raski_format_in_field(s->c.error, field->name);
    return is_ok;
}

static bool parse_record(parse *s, const rask_type *type, char *ret_record) {
    uint64_t seen[RASKI_FORMAT_FIELDS_MAX / 64];
    uint32_t guess = 0;
    bool failed = false;
    const char *at = s->c.p;
    memset(seen, 0, ((size_t)type->field_count + 63) / 64 * sizeof *seen);
    if (at == s->c.end || *at != '{') return raski_json_unexpected(&s->c, "an object");
    if (!raski_json_open(&s->c)) return false;
    for (bool is_first = true; raski_json_more(&s->c, is_first, '}', &failed); is_first = false)
        if (!parse_field(s, type, seen, &guess, ret_record)) return false;
    return !failed && check_missing(s, type, seen, at);
}

/* ---------------------------------------------------------------- maps and variants */
/* Which keys a map has so far: a hash table of the numbers of entries, plus one. */
typedef struct key_set {
    uint32_t *slots;
    uint64_t capacity; /* a power of two */
} key_set;

enum { KEY_BYTES = 32 };

/* The members of a value one behind the other, without what lies between them. */
static size_t pack(const rask_type *type, const char *value, char *to) {
    size_t n = 0;
    if (type->field_count == 0 || type->kind == RASK_KIND_ENUM) {
        memcpy(to, value, type->size);
        return type->size;
    }
    for (uint32_t i = 0; i < type->field_count; i++)
        n += pack(type->fields[i].type, value + type->fields[i].offset, to + n);
    return n;
}

/* What tells keys apart: the text, or the value in buffer. */
static const char *key_bytes(const rask_type *key, const char *entry, char buffer[KEY_BYTES],
                             size_t *ret_length) {
    if (key->kind != RASK_KIND_STRING) {
        *ret_length = pack(key, entry, buffer);
        return buffer;
    }
    const rask_string *text = (const void *)entry;
    *ret_length = text->len;
    return rask_string_data(text);
}

static uint64_t hash_bytes(const char *bytes, size_t length) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ length;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

/* Adds entry number i of entries; false: its key is there already. */
static bool add_key(key_set *set, const rask_type *entry, const char *entries, uint32_t i) {
    const rask_type *key = entry->fields[0].type;
    char buffers[2][KEY_BYTES];
    size_t length = 0;
    size_t other_length = 0;
    const char *bytes = key_bytes(key, entries + (size_t)i * entry->size, buffers[0], &length);
    for (uint64_t at = hash_bytes(bytes, length);; at++) {
        uint32_t *slot = &set->slots[at & (set->capacity - 1)];
        if (*slot == 0) {
            *slot = i + 1;
            return true;
        }
        const char *other =
            key_bytes(key, entries + (size_t)(*slot - 1) * entry->size, buffers[1], &other_length);
        if (length == other_length && memcmp(bytes, other, length) == 0) return false;
    }
}

/* Room for count + 1 keys, half of it free. */
static bool grow_set(parse *s, key_set *set, const rask_type *entry, const char *entries,
                     uint64_t count) {
    enum { FIRST = 16 };
    if (count * 2 < set->capacity) return true;
    uint64_t capacity = set->capacity ? set->capacity * 2 : FIRST;
    uint32_t *slots = raski_format_alloc(s->c.memory, (size_t)capacity * sizeof *slots);
    if (slots == NULL) return raski_json_no_memory(&s->c);
    memset(slots, 0, (size_t)capacity * sizeof *slots);
    *set = (key_set){slots, capacity};
    for (uint64_t i = 0; i < count; i++) (void)add_key(set, entry, entries, (uint32_t)i);
    return true;
}

/* Keys stand in quotes, whatever they are. */
static bool parse_entry(parse *s, const rask_type *entry, char *ret_entry) {
    const rask_field *key = &entry->fields[0];
    const rask_field *value = &entry->fields[1];
    const char *text = NULL;
    size_t length = 0;
    const char *at = s->c.p;
    char name[64];
    if (!raski_json_name(&s->c, &text, &length)) return false;
    if (key->type->kind == RASK_KIND_STRING) {
        *(rask_string *)(void *)ret_entry = rask_string_of(text, length);
    } else {
        raski_number_result result = raski_scalar_parse(key->type, text, length, ret_entry);
        if (result != RASKI_NUMBER_OK) return fail_scalar(s, key->type, result, at, text, length);
    }
    if (parse_value(s, value->type, ret_entry + value->offset)) return true;
    (void)snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), text);
    raski_format_in_field(s->c.error, name);
    return false;
}

static bool parse_map(parse *s, const rask_type *entry, raski_any_list *ret_map) {
    char *entries = NULL;
    uint64_t capacity = 0;
    uint64_t count = 0;
    key_set keys = {0};
    bool failed = false;
    if (s->c.p == s->c.end || *s->c.p != '{') return raski_json_unexpected(&s->c, "an object");
    if (!raski_json_open(&s->c)) return false;
    for (; raski_json_more(&s->c, count == 0, '}', &failed); count++) {
        const char *at = s->c.p;
        entries = grow_items(s, entry, entries, count, &capacity);
        if (entries == NULL || !grow_set(s, &keys, entry, entries, count)) return false;
        memset(entries + count * entry->size, 0, entry->size);
        if (!parse_entry(s, entry, entries + count * entry->size)) return false;
        if (!add_key(&keys, entry, entries, (uint32_t)count))
            return FAIL(s, at, "the key of the map is there twice");
    }
    if (failed) return false;
    ret_map->count = (uint32_t)count;
    ret_map->items = entries;
    return true;
}

/* An object with one field: the alternative. */
static bool parse_variant(parse *s, const rask_type *type, char *ret_value) {
    const char *name = NULL;
    size_t length = 0;
    bool failed = false;
    if (s->c.p == s->c.end || *s->c.p != '{') return raski_json_unexpected(&s->c, "an object");
    if (!raski_json_open(&s->c)) return false;
    raski_json_skip_space(&s->c);
    const char *at = s->c.p;
    if (!raski_json_name(&s->c, &name, &length)) return false;
    uint32_t which = find_field(type, 0, name, length);
    char excerpt[RASKI_EXCERPT_MAX];
    if (which == type->field_count)
        return FAIL(s, at, "%s has no alternative %.100s", type->name,
                    raski_format_excerpt(name, length, excerpt));
    *(int32_t *)(void *)ret_value = (int32_t)which;
    const rask_field *field = &type->fields[which];
    if (!parse_value(s, field->type, ret_value + field->offset)) {
        raski_format_in_field(s->c.error, field->name);
        return false;
    }
    if (!raski_json_more(&s->c, false, '}', &failed)) return !failed;
    return FAIL(s, s->c.p, "a %s is one value, but a second one follows", type->name);
}

/* ret_value is zeroed. */
static bool parse_value(parse *s, const rask_type *type, char *ret_value) {
    void *value = ret_value;
    raski_json_skip_space(&s->c);
    switch (type->kind) {
        case RASK_KIND_BYTE:
        case RASK_KIND_SHORT:
        case RASK_KIND_INT:
        case RASK_KIND_LONG:
        case RASK_KIND_FLOAT:
        case RASK_KIND_DOUBLE:
        case RASK_KIND_DECIMAL:
            return parse_number(s, type, value);
        case RASK_KIND_BOOLEAN:
            return parse_boolean(s, type, value);
        case RASK_KIND_STRING:
            return parse_string(s, type, value);
        case RASK_KIND_BYTES:
            return parse_bytes(s, type, value);
        case RASK_KIND_RECORD:
            return parse_record(s, type, ret_value);
        case RASK_KIND_LIST:
            return parse_list(s, type->element, value);
        case RASK_KIND_OPTIONAL:
            return parse_optional(s, type, ret_value);
        case RASK_KIND_MAP:
            return parse_map(s, type->element, value);
        case RASK_KIND_VARIANT:
            return parse_variant(s, type, ret_value);
        default:
            return parse_quoted(s, type, value);
    }
}

/* ---------------------------------------------------------------- the reader */
static rask_status read_record(rask_format_reader *reader, const char *text, size_t length,
                               void *ret_record, rask_format_error *ret_error) {
    const json_reader *r = (const json_reader *)reader;
    parse s = {.c = {.text = text,
                     .p = text,
                     .end = text + length,
                     .memory = &reader->memory,
                     .error = ret_error,
                     .depth_max = r->options.depth_max},
               .options = &r->options};
    memset(ret_record, 0, reader->type->size);
    bool ok = parse_value(&s, reader->type, ret_record);
    if (ok) {
        raski_json_skip_space(&s.c);
        ok = s.c.p == s.c.end || raski_json_unexpected(&s.c, "the end of the record");
    }
    if (ok) return RASK_OK;
    return s.c.out_of_memory ? RASK_E_NOMEM : RASK_E_CORRUPT;
}

static bool is_space(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r') return false;
    return true;
}

/* Strings have no line ends in them, so a line is a record. */
static bool find_end(const rask_format_reader *reader, raski_frame *frame, const char *text,
                     size_t length, bool at_end, raski_frame_end *ret_end) {
    (void)reader;
    const char *newline = memchr(text + frame->scanned, '\n', length - frame->scanned);
    if (newline == NULL && !at_end) {
        frame->scanned = length;
        return false;
    }
    size_t line = newline != NULL ? (size_t)(newline - text) : length;
    size_t end = newline != NULL ? 1 : 0;
    if (line > 0 && text[line - 1] == '\r') {
        line--;
        end++;
    }
    frame->lines = newline != NULL;
    *ret_end = (raski_frame_end){line, end, is_space(text, line)};
    return true;
}

static void destroy(rask_format_reader *reader_take) {
    free(reader_take);
}

static const raski_reader_ops ops = {.read = read_record, .find_end = find_end, .destroy = destroy};

rask_format_reader *rask_json_reader_create(const rask_type *type, const rask_json_options *options,
                                            char *message, size_t size) {
    json_reader *r = calloc(1, sizeof *r);
    if (r == NULL) return raski_format_refuse(message, size, "no memory for a JSON reader");
    r->base = (rask_format_reader){.ops = &ops, .type = type, .newline_ends = true};
    if (!raski_json_options_init(&r->options, options, message, size) ||
        !raski_json_check_type(type, message, size)) {
        free(r);
        return NULL;
    }
    r->base.record_bytes_max = (size_t)r->options.record_bytes_max;
    return &r->base;
}
