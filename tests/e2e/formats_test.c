/* Formats against random types: what is written of a random value of a random type is read back as
 * an equal value; what is cut or damaged is refused, or is another value, but never a crash. */
#include <math.h>

#include "base/alloc.h"
#include "e2e_test_util.h"
#include "types/compare.h"
#include "types/type_info.h"

static uint64_t seed;
static bool plain_decimals; /* which lose a scale below 0 */
static uint64_t next_random(void) {
    seed += 0x9e3779b97f4a7c15U;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}
static uint32_t below(uint32_t n) {
    return (uint32_t)(next_random() % n);
}

/* ---------------------------------------------------------------- random types */
static const rask_type *const basic_types[] = {
    &rask_type_int8_t,         &rask_type_int16_t,       &rask_type_int32_t,
    &rask_type_int64_t,        &rask_type_float,         &rask_type_double,
    &rask_type_rask_bool,      &rask_type_rask_string,   &rask_type_rask_bytes,
    &rask_type_rask_timestamp, &rask_type_rask_decimal,  &rask_type_rask_date,
    &rask_type_rask_time,      &rask_type_rask_datetime, &rask_type_rask_instant,
    &rask_type_rask_duration,  &rask_type_rask_string};
enum { BASIC = sizeof basic_types / sizeof *basic_types };
static const rask_field color_names[] = {{.name = "RED"}, {.name = "GREEN"}, {.name = "B"}};

static rask_type *new_type(raski_arena *arena, rask_kind kind, const char *name, uint32_t size,
                           uint32_t align) {
    rask_type *type = raski_arena_calloc(arena, sizeof *type);
    type->kind = kind;
    type->name = name;
    type->size = size;
    type->align = align;
    return type;
}

static const rask_type *random_basic(raski_arena *arena) {
    if (below(8) > 0) return basic_types[below(BASIC)];
    rask_type *type = new_type(arena, RASK_KIND_ENUM, "color", 4, 4);
    type->fields = color_names;
    type->field_count = 3;
    return type;
}

static uint32_t up(uint32_t at, uint32_t align) {
    return (at + align - 1) / align * align;
}

static const rask_type *optional_of(raski_arena *arena, const rask_type *element) {
    uint32_t offset = up(1, element->align);
    rask_type *type = new_type(arena, RASK_KIND_OPTIONAL, "optional",
                               up(offset + element->size, element->align), element->align);
    type->element = element;
    type->value_offset = offset;
    return type;
}

static const rask_type *list_of(raski_arena *arena, const rask_type *element) {
    rask_type *type =
        new_type(arena, RASK_KIND_LIST, "list", sizeof(raski_any_list), _Alignof(raski_any_list));
    type->element = element;
    return type;
}

/* Fields one behind the other; those of a variant at one place. */
static const rask_type *record_of(raski_arena *arena, rask_kind kind, const rask_type **types,
                                  uint32_t count, const uint32_t *array_lengths) {
    static const char *const names[] = {"a", "field_b", "c", "dd", "e5", "f", "g", "key\"h", "i"};
    rask_field *fields = raski_arena_calloc(arena, count * sizeof *fields);
    const bool is_variant = kind == RASK_KIND_VARIANT;
    uint32_t align = is_variant ? 4 : 1;
    uint32_t end = is_variant ? 4 : 0;
    for (uint32_t i = 0; i < count; i++) align = types[i]->align > align ? types[i]->align : align;
    const uint32_t first = up(end, align);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = array_lengths ? array_lengths[i] : 0;
        uint32_t size = types[i]->size * (length ? length : 1);
        uint32_t offset = is_variant ? first : up(end, types[i]->align);
        fields[i] = (rask_field){names[i], offset, size, types[i], length};
        end = offset + size > end ? offset + size : end;
    }
    rask_type *type =
        new_type(arena, kind, is_variant ? "variant" : "record", up(end, align), align);
    type->fields = fields;
    type->field_count = count;
    return type;
}

static const rask_type *random_type(raski_arena *arena, int depth);

static const rask_type *random_record(raski_arena *arena, rask_kind kind, int depth) {
    const rask_type *types[8];
    uint32_t lengths[8] = {0};
    uint32_t count = 1 + below(8);
    for (uint32_t i = 0; i < count; i++) {
        types[i] = random_type(arena, depth - 1);
        if (kind == RASK_KIND_RECORD && below(6) == 0) lengths[i] = 1 + below(3);
    }
    return record_of(arena, kind, types, count, lengths);
}

static const rask_type *random_map(raski_arena *arena, int depth) {
    const rask_type *types[2] = {random_basic(arena), random_type(arena, depth - 1)};
    while (types[0]->kind == RASK_KIND_BYTES) types[0] = random_basic(arena);
    rask_type *entry = (rask_type *)(uintptr_t)record_of(arena, RASK_KIND_RECORD, types, 2, NULL);
    rask_field *fields = (rask_field *)(uintptr_t)entry->fields;
    fields[0].name = "key";
    fields[1].name = "value";
    rask_type *type =
        new_type(arena, RASK_KIND_MAP, "map", sizeof(raski_any_list), _Alignof(raski_any_list));
    type->element = entry;
    return type;
}

static const rask_type *random_type(raski_arena *arena, int depth) {
    switch (depth > 0 ? below(10) : 0) {
        case 1:
        case 2:
            return random_record(arena, RASK_KIND_RECORD, depth);
        case 3:
            return list_of(arena, random_type(arena, depth - 1));
        case 4: {
            const rask_type *element = random_type(arena, depth - 1);
            return element->kind == RASK_KIND_OPTIONAL ? element : optional_of(arena, element);
        }
        case 5:
            return random_map(arena, depth);
        case 6:
            return random_record(arena, RASK_KIND_VARIANT, depth);
        default:
            return random_basic(arena);
    }
}

/* A record that has a place in CSV. */
static const rask_type *random_flat(raski_arena *arena) {
    const rask_type *types[8];
    uint32_t lengths[8] = {0};
    uint32_t count = 1 + below(8);
    for (uint32_t i = 0; i < count; i++) {
        const rask_type *basic = random_basic(arena);
        if (below(3) == 0) basic = optional_of(arena, basic);
        const rask_type *both[2] = {basic, random_basic(arena)};
        uint32_t form = below(8);
        types[i] = form == 0   ? list_of(arena, basic)
                   : form == 1 ? record_of(arena, RASK_KIND_RECORD, both, 2, NULL)
                               : basic;
        if (form == 2) lengths[i] = 1 + below(3);
        if (form < 2 && below(3) == 0) types[i] = optional_of(arena, types[i]);
    }
    return record_of(arena, RASK_KIND_RECORD, types, count, lengths);
}

/* ---------------------------------------------------------------- random values */
static rask_string random_string(raski_arena *arena) {
    static const char *const some[] = {"a",    "bc", ",",        "\"",          "\n",
                                       "\r\n", "\r", "\xc3\xa4", " ",           "#",
                                       "{",    "}",  "\x01",     "[",           "\\",
                                       "\t",   "NA", ";",        "null",        "\xf0\x9f\x98\x80",
                                       ":",    "/",  "1",        "\x7f",        "true",
                                       "]",    "'",  "|",        "\xe2\x82\xac"};
    char *bytes = raski_arena_alloc(arena, 64);
    size_t length = 0;
    for (uint32_t parts = below(9); parts > 0; parts--) {
        const char *part = some[below(sizeof some / sizeof *some)];
        memcpy(bytes + length, part, strlen(part));
        length += strlen(part);
    }
    if (below(20) == 0) bytes[length++] = '\0';
    return rask_string_of(bytes, length);
}

static int64_t random_long(void) {
    return (int64_t)next_random() >> below(64);
}

static void random_double(bool is_float, void *ret) {
    double d = 0;
    uint64_t bits = next_random();
    switch (below(4)) {
        case 0:
            d = (double)random_long() / 100;
            break;
        case 1:
            d = below(3) == 0 ? (double)NAN : below(2) ? HUGE_VAL : -0.0;
            break;
        default:
            memcpy(&d, &bits, sizeof d);
    }
    float f = (float)d;
    memcpy(ret, is_float ? (void *)&f : (void *)&d, is_float ? sizeof f : sizeof d);
}

static void random_value(raski_arena *arena, const rask_type *type, char *ret);

static void random_items(raski_arena *arena, const rask_type *element, raski_any_list *ret) {
    ret->count = below(4) ? below(4) : below(30);
    char *items = raski_arena_calloc(arena, (size_t)ret->count * element->size + 1);
    for (uint32_t i = 0; i < ret->count; i++)
        random_value(arena, element, items + (size_t)i * element->size);
    ret->items = ret->count ? items : NULL;
}

/* Entries whose key is there already are left out. */
static void random_entries(raski_arena *arena, const rask_type *entry, raski_any_list *ret) {
    random_items(arena, entry, ret);
    char *items = (char *)(uintptr_t)ret->items;
    uint32_t count = 0;
    for (uint32_t i = 0; i < ret->count; i++) {
        bool is_new = true;
        const char *e = items + (size_t)i * entry->size;
        for (uint32_t k = 0; k < count && is_new; k++)
            is_new = !raski_value_equal(entry->fields[0].type, e, items + (size_t)k * entry->size);
        if (is_new) memmove(items + (size_t)count++ * entry->size, e, entry->size);
    }
    ret->count = count;
}

static void random_fields(raski_arena *arena, const rask_field *field, char *ret_record) {
    uint32_t count = field->array_length ? field->array_length : 1;
    for (uint32_t i = 0; i < count; i++)
        random_value(arena, field->type,
                     ret_record + field->offset + (size_t)i * field->type->size);
}

static void random_time(rask_kind kind, void *ret) {
    const rask_date date = {(int32_t)random_long()};
    const rask_time time = {(int64_t)(next_random() % UINT64_C(86400000000000)) / 1000000000 *
                                1000000000 +
                            below(2) * 123456789};
    const int64_t seconds = random_long() % (INT64_C(86400) * INT32_MAX);
    const int32_t nanos = (int32_t)below(1000000000);
    if (kind == RASK_KIND_DATE) *(rask_date *)ret = date;
    if (kind == RASK_KIND_TIME) *(rask_time *)ret = time;
    if (kind == RASK_KIND_DATETIME) *(rask_datetime *)ret = rask_datetime_of(date, time);
    if (kind == RASK_KIND_INSTANT) *(rask_instant *)ret = rask_instant_of(seconds, nanos);
    if (kind == RASK_KIND_DURATION)
        *(rask_duration *)ret = rask_duration_of(random_long(), below(2) ? nanos : 0);
}

static void random_value(raski_arena *arena, const rask_type *type, char *ret) {
    void *value = ret;
    int64_t number = random_long();
    switch (type->kind) {
        case RASK_KIND_BYTE:
        case RASK_KIND_SHORT:
        case RASK_KIND_INT:
        case RASK_KIND_LONG:
        case RASK_KIND_TIMESTAMP:
            memcpy(value, &number, type->size); /* the low bytes */
            return;
        case RASK_KIND_FLOAT:
        case RASK_KIND_DOUBLE:
            random_double(type->kind == RASK_KIND_FLOAT, value);
            return;
        case RASK_KIND_BOOLEAN:
            *(bool *)value = below(2) != 0;
            return;
        case RASK_KIND_STRING:
            *(rask_string *)value = random_string(arena);
            return;
        case RASK_KIND_BYTES: {
            rask_string s = random_string(arena);
            char *copy = raski_arena_alloc(arena, s.len + 1U);
            memcpy(copy, rask_string_data(&s), s.len);
            *(rask_bytes *)value = rask_bytes_of(copy, s.len);
            return;
        }
        case RASK_KIND_ENUM:
            *(int32_t *)value = (int32_t)below(type->field_count);
            return;
        case RASK_KIND_DECIMAL:
            *(rask_decimal *)value =
                (rask_decimal){.low = next_random() >> below(64),
                               .high = below(2) ? (int64_t)below(3) - 1 : random_long(),
                               .scale = (int32_t)below(60) - (plain_decimals ? 0 : 20)};
            return;
        case RASK_KIND_LIST:
            random_items(arena, type->element, value);
            return;
        case RASK_KIND_MAP:
            random_entries(arena, type->element, value);
            return;
        case RASK_KIND_OPTIONAL:
            *(bool *)value = below(2) != 0;
            if (*(bool *)value) random_value(arena, type->element, ret + type->value_offset);
            return;
        case RASK_KIND_RECORD:
            for (uint32_t i = 0; i < type->field_count; i++)
                random_fields(arena, &type->fields[i], ret);
            return;
        case RASK_KIND_VARIANT: {
            uint32_t which = below(type->field_count);
            memcpy(value, &which, sizeof which);
            random_fields(arena, &type->fields[which], ret);
            return;
        }
        default:
            random_time(type->kind, value);
    }
}

/* ---------------------------------------------------------------- written and read */
typedef struct format {
    rask_format_reader *reader;
    rask_format_writer *writer;
    bool is_csv;
} format;

static const char *text_of_type(const rask_type *type) {
    static char *text;
    raski_free(text);
    text = raski_type_text(type);
    return text;
}

static format make_json(const rask_type *type, uint64_t n) {
    char message[256];
    plain_decimals = n % 3 == 0;
    const rask_json_options options = {.ignore_null_fields = n % 2 == 0,
                                       .decimal_as_plain_number = n % 3 == 0,
                                       .timestamp_format = (rask_timestamp_format)(n % 3)};
    format f = {rask_json_reader_create(type, &options, message, sizeof message),
                rask_json_writer_create(type, &options, message, sizeof message), false};
    if (f.reader == NULL || f.writer == NULL) fail_msg("%s: %s", text_of_type(type), message);
    return f;
}

static format make_csv(const rask_type *type, uint64_t n) {
    static const rask_csv_options options[] = {
        {.null_literal = NULL},
        {.null_literal = "NA", .field_delimiter = '|', .array_element_delimiter = "::"},
        {.escape_character = '\\', .quote_character = '\'', .allow_comments = true},
        {.disable_quote_character = true, .escape_character = '!', .null_literal = "null"}};
    char message[256];
    plain_decimals = false;
    const rask_csv_options *o = &options[n % 4];
    format f = {rask_csv_reader_create(type, o, message, sizeof message),
                rask_csv_writer_create(type, o, message, sizeof message), true};
    if (f.reader == NULL || f.writer == NULL) fail_msg("%s: %s", text_of_type(type), message);
    return f;
}

static void destroy(format *f) {
    rask_format_reader_destroy(f->reader);
    rask_format_writer_destroy(f->writer);
}

/* A copy of exactly that size, so that the sanitizer sees what looks behind it. */
static rask_status read_exactly(rask_format_reader *reader, const char *text, size_t length,
                                void *record, rask_format_error *error, char **ret_copy) {
    char *copy = malloc(length + 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    char *exact = realloc(copy, length > 0 ? length : 1);
    *ret_copy = exact;
    memset(error, 0, sizeof *error);
    return rask_format_read(reader, exact, length, record, error);
}

static void check_same(format *f, const rask_type *type, const void *value, rask_text *text) {
    rask_format_error error;
    char *copy = NULL;
    void *back = raski_alloc(type->size);
    rask_status status = read_exactly(f->reader, text->data, text->length, back, &error, &copy);
    if (status != RASK_OK)
        fail_msg("%s\n%.*s\n%lld:%lld: field \"%s\": %s", text_of_type(type), (int)text->length,
                 text->data, (long long)error.line, (long long)error.column, error.field,
                 error.message);
    if (!raski_value_equal(type, value, back)) {
        rask_text again = {0};
        (void)rask_format_append(f->writer, &again, back, &error);
        fail_msg("%s\n%.*s\nis read as\n%.*s", text_of_type(type), (int)text->length, text->data,
                 (int)again.length, again.data);
    }
    rask_format_reader_clear(f->reader);
    raski_free(back);
    free(copy);
}

/* Cut and damaged texts; some are records all the same. */
static void check_damaged(format *f, const rask_type *type, rask_text *text) {
    static const char bytes[] = "\",\n\\{}[]:0x1e-\xff\xc3 ";
    rask_format_error error;
    void *back = raski_alloc(type->size);
    for (int i = 0; i < 12; i++) {
        rask_text damaged = {0};
        assert_int_equal(rask_text_append(&damaged, text->data, text->length), RASK_OK);
        if (i < 6)
            damaged.length = below((uint32_t)damaged.length + 1);
        else if (damaged.length > 0)
            damaged.data[below((uint32_t)damaged.length)] = bytes[below(sizeof bytes - 1)];
        char *copy = NULL;
        rask_status status = read_exactly(f->reader, damaged.data ? damaged.data : "",
                                          damaged.length, back, &error, &copy);
        const bool is_cut = damaged.length < text->length && type->kind == RASK_KIND_RECORD;
        if (is_cut && !f->is_csv) assert_int_equal(status, RASK_E_CORRUPT);
        if (status != RASK_OK) {
            assert_true(error.line > 0 && error.column > 0 && error.message[0] != '\0');
            assert_true(error.offset <= damaged.length);
        } else {
            assert_true(raski_value_equal(type, back, back)); /* all of it can be looked at */
        }
        rask_format_reader_clear(f->reader);
        free(copy);
        free(damaged.data);
    }
    raski_free(back);
}

static void check_type(const rask_type *type, format f, raski_arena *arena, int *written) {
    raski_error err = {0};
    if (raski_type_validate(type, &err) != RASK_OK) fail_msg("%s", err.message);
    for (int i = 0; i < 4; i++) {
        rask_format_error error;
        rask_text text = {0};
        char *value = raski_arena_calloc(arena, type->size);
        random_value(arena, type, value);
        rask_status status = rask_format_append(f.writer, &text, value, &error);
        if (status == RASK_OK) {
            if (text.data == NULL) text.data = calloc(1, 1);
            check_same(&f, type, value, &text);
            check_damaged(&f, type, &text);
            (*written)++;
        } else if (!f.is_csv) {
            fail_msg("%s: field \"%s\": %s", text_of_type(type), error.field, error.message);
        }
        free(text.data);
    }
    destroy(&f);
}

enum { TYPES = 1500 };

static void json_of_random_types(void **state) {
    (void)state;
    raski_arena *arena = raski_arena_create(0);
    int written = 0;
    for (uint64_t n = 0; n < TYPES; n++) {
        seed = n;
        const rask_type *type =
            n % 4 ? random_record(arena, RASK_KIND_RECORD, 3) : random_type(arena, 3);
        check_type(type, make_json(type, n), arena, &written);
        raski_arena_reset(arena);
    }
    assert_int_equal(written, TYPES * 4);
    raski_arena_destroy(arena);
}

static void csv_of_random_types(void **state) {
    (void)state;
    raski_arena *arena = raski_arena_create(0);
    int written = 0;
    for (uint64_t n = 0; n < TYPES; n++) {
        seed = n;
        const rask_type *type = n % 4 ? random_flat(arena) : random_basic(arena);
        check_type(type, make_csv(type, n / 2), arena, &written);
        raski_arena_reset(arena);
    }
    assert_true(written > TYPES * 2); /* the others have texts that no cell can hold */
    raski_arena_destroy(arena);
    (void)text_of_type(&rask_type_int8_t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_of_random_types),
        cmocka_unit_test(csv_of_random_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
