/* Lines of CSV from records. A value is appended plainly first and looked at then: most need no
 * quotes. */
#include <stdlib.h>

#include "formats/csv/csv.h"
#include "formats/scalar.h"

typedef struct csv_writer {
    rask_format_writer base;
    raski_csv_dialect dialect;
    raski_csv_column *columns;
    size_t column_count;
    raski_scalar_style style;
    bool special[256]; /* bytes that cannot stand unquoted */
} csv_writer;

typedef struct write {
    const csv_writer *w;
    rask_text *text;
    rask_format_error *error;
    bool out_of_memory;
} write;

#define FAIL(c, ...) raski_format_fail((c)->error, NULL, NULL, __VA_ARGS__)

static bool no_memory(write *c) {
    c->out_of_memory = true;
    return FAIL(c, "no memory for the text of a record");
}

/* ---------------------------------------------------------------- quotes and escapes */
/* What stands for a line end behind an escape character; as Jackson's CSV has it. */
static char escape_of(char c) {
    return c == '\n' ? 'n' : c == '\r' ? 'r' : c;
}

static bool needs_mark(const csv_writer *w, char c, bool in_quotes) {
    const raski_csv_dialect *d = &w->dialect;
    if (in_quotes) return c == d->quote || (d->escape && c == d->escape);
    return w->special[(unsigned char)c];
}

/* Rewrites what was appended from `from` on: each byte that needs it gets a mark before it. */
static bool mark(write *c, size_t from, bool in_quotes) {
    const raski_csv_dialect *d = &c->w->dialect;
    rask_text *t = c->text;
    size_t length = t->length - from;
    size_t extra = in_quotes ? 2 : 0;
    for (size_t i = 0; i < length; i++) extra += needs_mark(c->w, t->data[from + i], in_quotes);
    if (t->capacity - t->length < extra && !raski_text_reserve(t, extra)) return no_memory(c);
    char *p = t->data + from;
    size_t to = length + extra;
    if (in_quotes) p[--to] = d->quote;
    for (size_t i = length; i-- > 0;) {
        char byte = p[i];
        bool marked = needs_mark(c->w, byte, in_quotes);
        p[--to] = marked && !in_quotes ? escape_of(byte) : byte;
        if (marked) p[--to] = in_quotes && byte == d->quote ? d->quote : d->escape;
    }
    if (in_quotes) p[--to] = d->quote;
    t->length += extra;
    return true;
}

/* Makes what was appended from `from` on a cell. must_quote: it would mean something else. */
static bool end_cell(write *c, size_t from, bool must_quote) {
    const raski_csv_dialect *d = &c->w->dialect;
    const char *p = c->text->data + from;
    size_t length = c->text->length - from;
    bool special = false;
    for (size_t i = 0; i < length && !special; i++) special = c->w->special[(unsigned char)p[i]];
    if (!special && !must_quote) return true;
    if (d->quote) return mark(c, from, true);
    if (d->escape && !must_quote) return mark(c, from, false);
    char excerpt[RASKI_EXCERPT_MAX];
    return FAIL(c, "%s cannot be written without quotes (disable_quote_character is set)",
                raski_format_excerpt(p, length, excerpt));
}

/* ---------------------------------------------------------------- values */
static bool append_string(write *c, const rask_string *s) {
    const char *text = rask_string_data(s);
    size_t valid = raski_utf8_valid_length(text, s->len);
    if (valid < s->len)
        return FAIL(c, "the text is not UTF-8 at byte %zu (0x%02x)", valid,
                    (unsigned char)text[valid]);
    return raski_text_put(c->text, text, s->len) || no_memory(c);
}

static bool append_present(write *c, const rask_type *type, const char *value) {
    if (type->kind == RASK_KIND_STRING) return append_string(c, (const void *)value);
    if (type->kind == RASK_KIND_BYTES) {
        const rask_bytes *b = (const void *)value;
        return raski_base64_append(c->text, rask_bytes_data(b), b->len) || no_memory(c);
    }
    char complaint[RASKI_COMPLAINT_MAX];
    if (!raski_scalar_check(type, value, complaint)) return FAIL(c, "%s", complaint);
    return raski_scalar_append(c->text, type, value, &c->w->style) || no_memory(c);
}

static bool append_null(write *c) {
    const raski_csv_dialect *d = &c->w->dialect;
    return raski_text_put(c->text, d->options.null_literal, d->null_length) || no_memory(c);
}

/* Whether what was appended from `from` on would be read as an absent value. */
static bool looks_null(const write *c, size_t from, bool is_optional) {
    const raski_csv_dialect *d = &c->w->dialect;
    size_t length = c->text->length - from;
    if (!d->has_null_literal) return is_optional && length == 0;
    return length == d->null_length &&
           memcmp(c->text->data + from, d->options.null_literal, length) == 0;
}

/* Whether the delimiter begins within the item, if one follows it: that of "a:" and "::" does. */
static bool holds_delimiter(const raski_csv_dialect *d, const char *item, size_t length) {
    const char *delimiter = d->options.array_element_delimiter;
    size_t n = d->array_delimiter_length;
    if (length > 0 && memmem(item, length, delimiter, n) != NULL) return true;
    for (size_t k = 1; k < n && k <= length; k++)
        if (memcmp(item + length - k, delimiter, k) == 0 &&
            memcmp(delimiter, delimiter + k, n - k) == 0)
            return true;
    return false;
}

/* An item cannot be quoted by itself, so its text must not mean something else. */
static bool append_item(write *c, const rask_type *type, const char *value) {
    const raski_csv_dialect *d = &c->w->dialect;
    const bool is_optional = type->kind == RASK_KIND_OPTIONAL;
    if (is_optional && !*(const bool *)value) return append_null(c);
    if (is_optional) {
        value += type->value_offset;
        type = type->element;
    }
    size_t from = c->text->length;
    if (!append_present(c, type, value)) return false;
    const char *p = c->text->data + from;
    size_t length = c->text->length - from;
    char excerpt[RASKI_EXCERPT_MAX];
    if (holds_delimiter(d, p, length))
        return FAIL(c,
                    "%s holds the text between items, \"%s\": set another "
                    "array_element_delimiter",
                    raski_format_excerpt(p, length, excerpt), d->options.array_element_delimiter);
    if (looks_null(c, from, is_optional))
        return FAIL(c, "an item %s would be read as null",
                    raski_format_excerpt(p, length, excerpt));
    return true;
}

static bool append_items(write *c, const rask_type *type, const rask_type *record,
                         const char *items, uint32_t count) {
    const raski_csv_dialect *d = &c->w->dialect;
    for (uint32_t i = 0; i < count; i++) {
        const rask_field *field = record ? &record->fields[i] : NULL;
        const char *value = items + (field ? field->offset : (size_t)i * type->size);
        if (i > 0 &&
            !raski_text_put(c->text, d->options.array_element_delimiter, d->array_delimiter_length))
            return no_memory(c);
        if (append_item(c, field ? field->type : type, value)) continue;
        if (field)
            raski_format_in_field(c->error, field->name);
        else
            raski_format_in_item(c->error, i);
        return false;
    }
    return true;
}

/* The text of several values; ret_one_empty: of one item, which has none. */
static bool append_many(write *c, const raski_csv_column *column, const char *value) {
    if (column->form == RASKI_CSV_RECORD)
        return append_items(c, column->type, column->type, value, column->type->field_count);
    if (column->form == RASKI_CSV_ARRAY)
        return append_items(c, column->type, NULL, value, column->array_length);
    const raski_any_list *list = (const void *)value;
    size_t from = c->text->length;
    if (!append_items(c, column->type, NULL, list->items, list->count)) return false;
    if (list->count == 1 && c->text->length == from)
        return FAIL(c, "a list of one empty text would be read as an empty list");
    return true;
}

static bool append_column(write *c, const raski_csv_column *column, const char *record) {
    const char *value = record + column->offset;
    size_t from = c->text->length;
    if (column->is_optional && !*(const bool *)value) return append_null(c);
    value += column->value_offset;
    if (column->form == RASKI_CSV_BASIC ? !append_present(c, column->type, value)
                                        : !append_many(c, column, value))
        return false;
    bool must_quote = looks_null(c, from, column->is_optional);
    /* The first cell must not make the line a comment. */
    if (c->w->dialect.options.allow_comments && column == c->w->columns && c->text->length > from &&
        c->text->data[from] == '#')
        must_quote = true;
    return end_cell(c, from, must_quote);
}

static rask_status append_record(rask_format_writer *writer, rask_text *text, const void *record,
                                 rask_format_error *ret_error) {
    const csv_writer *w = (const csv_writer *)writer;
    write c = {w, text, ret_error, false};
    for (size_t i = 0; i < w->column_count; i++) {
        if (i > 0 && !raski_text_put_char(text, w->dialect.delimiter)) {
            (void)no_memory(&c);
            return RASK_E_NOMEM;
        }
        if (append_column(&c, &w->columns[i], record)) continue;
        raski_format_in_field(ret_error, w->columns[i].name);
        return c.out_of_memory ? RASK_E_NOMEM : RASK_E_CORRUPT;
    }
    return RASK_OK;
}

rask_status rask_csv_append_header(rask_format_writer *csv_writer_p, rask_text *text) {
    const csv_writer *w = (const csv_writer *)csv_writer_p;
    write c = {w, text, NULL, false};
    size_t before = text->length;
    for (size_t i = 0; i < w->column_count; i++) {
        size_t from = text->length + (i > 0);
        if ((i > 0 && !raski_text_put_char(text, w->dialect.delimiter)) ||
            !raski_text_put(text, w->columns[i].name, strlen(w->columns[i].name)) ||
            !end_cell(&c, from, false)) {
            text->length = before;
            return RASK_E_NOMEM;
        }
    }
    return RASK_OK;
}

static void destroy(rask_format_writer *writer_take) {
    csv_writer *w = (csv_writer *)writer_take;
    raski_csv_dialect_fini(&w->dialect);
    free(w->columns);
    free(w);
}

rask_format_writer *rask_csv_writer_create(const rask_type *type, const rask_csv_options *options,
                                           char *message, size_t size) {
    csv_writer *w = calloc(1, sizeof *w);
    if (w == NULL) return raski_format_refuse(message, size, "no memory for a CSV writer");
    w->base = (rask_format_writer){.append = append_record, .destroy = destroy, .type = type};
    if (!raski_csv_dialect_init(&w->dialect, options, message, size)) {
        free(w);
        return NULL;
    }
    const raski_csv_dialect *d = &w->dialect;
    w->style.timestamps = d->options.timestamp_format;
    w->base.writes_header = d->options.header == RASK_CSV_HEADER_NAMES;
    w->special['\n'] = w->special['\r'] = w->special[(unsigned char)d->delimiter] = true;
    if (d->quote) w->special[(unsigned char)d->quote] = true;
    if (d->escape) w->special[(unsigned char)d->escape] = true;
    w->columns = raski_csv_columns(type, &w->column_count, message, size);
    if (w->columns != NULL) return &w->base;
    destroy(&w->base);
    return NULL;
}
