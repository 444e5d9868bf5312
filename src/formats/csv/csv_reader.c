/* Records from lines of CSV, cell by cell, straight into the struct. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/csv/csv.h"
#include "formats/scalar.h"

typedef struct csv_reader {
    rask_format_reader base;
    raski_csv_dialect dialect;
    raski_csv_column *columns; /* of the type */
    size_t column_count;
    int32_t *order; /* of the file's columns: index of the type's, or -1 */
    size_t order_count;
} csv_reader;

typedef struct cell {
    const char *text; /* what it means, unescaped; in the record or in the reader's memory */
    size_t length;
    const char *at; /* where it begins in the record, for errors */
    bool quoted;
} cell;

/* One record while it is read. */
typedef struct parse {
    csv_reader *r;
    const char *text, *p, *end;
    rask_format_error *error;
    bool out_of_memory;
} parse;

#define FAIL(c, at, ...) raski_format_fail((c)->error, (c)->text, (at), __VA_ARGS__)

static bool no_memory(parse *c) {
    c->out_of_memory = true;
    return FAIL(c, c->text, "no memory for a record of %zu bytes", (size_t)(c->end - c->text));
}

/* ---------------------------------------------------------------- cells */
/* What an escaped character means; as Jackson's CSV has it, which Flink uses. */
static char escaped(char c) {
    switch (c) {
        case '0':
            return '\0';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return c;
    }
}

/* from .. to with escapes and doubled quotes replaced. */
static bool unescape(parse *c, const char *from, const char *to, cell *ret) {
    const raski_csv_dialect *d = &c->r->dialect;
    char *copy = raski_format_alloc(&c->r->base.memory, (size_t)(to - from));
    if (copy == NULL) return no_memory(c);
    size_t n = 0;
    for (const char *p = from; p < to; p++) {
        if (d->escape && *p == d->escape)
            copy[n++] = escaped(*++p);
        else if (ret->quoted && *p == d->quote)
            copy[n++] = *++p;
        else
            copy[n++] = *p;
    }
    ret->text = copy;
    ret->length = n;
    return true;
}

static bool take_quoted(parse *c, cell *ret) {
    const raski_csv_dialect *d = &c->r->dialect;
    const char *from = ++c->p;
    bool has_escapes = false;
    for (;; c->p++) {
        if (c->p == c->end)
            return FAIL(c, ret->at, "the quote that opens here is not closed by the end of the %s",
                        "record");
        if (d->escape && *c->p == d->escape) {
            has_escapes = true;
            if (++c->p == c->end) return FAIL(c, c->p - 1, "nothing follows the escape character");
        } else if (*c->p == d->quote) {
            if (c->p + 1 == c->end || c->p[1] != d->quote) break;
            has_escapes = true;
            c->p++;
        }
    }
    ret->text = from;
    ret->length = (size_t)(c->p - from);
    c->p++;
    if (has_escapes && !unescape(c, from, c->p - 1, ret)) return false;
    if (c->p < c->end && *c->p != d->delimiter) {
        char excerpt[RASKI_EXCERPT_MAX];
        return FAIL(c, c->p,
                    "%.60s stands behind a closing quote, where '%c' or the end of the "
                    "record is expected (a quote within a quoted cell is written twice)",
                    raski_format_excerpt(c->p, (size_t)(c->end - c->p), excerpt), d->delimiter);
    }
    return true;
}

static bool take_unquoted(parse *c, cell *ret) {
    const raski_csv_dialect *d = &c->r->dialect;
    const char *from = c->p;
    bool has_escapes = false;
    for (; c->p < c->end && *c->p != d->delimiter; c->p++) {
        if (d->escape && *c->p == d->escape) {
            has_escapes = true;
            if (++c->p == c->end) return FAIL(c, c->p - 1, "nothing follows the escape character");
        } else if (d->quote && *c->p == d->quote) {
            return FAIL(c, c->p,
                        "a quote within a cell that does not begin with one (quote the "
                        "cell and write the quote twice)");
        }
    }
    ret->text = from;
    ret->length = (size_t)(c->p - from);
    return !has_escapes || unescape(c, from, c->p, ret);
}

/* Leaves p at the delimiter or the end. */
static bool take_cell(parse *c, cell *ret) {
    *ret = (cell){.at = c->p};
    ret->quoted = c->p < c->end && c->r->dialect.quote && *c->p == c->r->dialect.quote;
    return ret->quoted ? take_quoted(c, ret) : take_unquoted(c, ret);
}

/* ---------------------------------------------------------------- values */
static bool is_null_literal(const raski_csv_dialect *d, const char *text, size_t length) {
    return d->has_null_literal && length == d->null_length &&
           memcmp(text, d->options.null_literal, length) == 0;
}

static bool fail_null(parse *c, const cell *x, const rask_type *type) {
    char excerpt[RASKI_EXCERPT_MAX];
    char expected[RASKI_EXPECTATION_MAX];
    return FAIL(c, x->at, "%s is null, but the field is not optional; expected %s",
                raski_format_excerpt(x->text, x->length, excerpt),
                raski_scalar_expectation(type, expected));
}

static bool set_bytes(parse *c, const cell *x, void *ret_value) {
    unsigned char *bytes = raski_format_alloc(&c->r->base.memory, raski_base64_size(x->length));
    size_t length = 0;
    char excerpt[RASKI_EXCERPT_MAX];
    if (bytes == NULL) return no_memory(c);
    if (!raski_base64_decode(x->text, x->length, bytes, &length))
        return FAIL(c, x->at, "%s is not base64",
                    raski_format_excerpt(x->text, x->length, excerpt));
    *(rask_bytes *)ret_value = rask_bytes_of(bytes, length);
    return true;
}

static bool set_scalar(parse *c, const rask_type *type, const cell *x, void *ret_value) {
    const char *text = x->text;
    size_t length = x->length;
    while (length > 0 && (*text == ' ' || *text == '\t')) text++, length--;
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) length--;
    raski_number_result result = raski_scalar_parse(type, text, length, ret_value);
    if (result == RASKI_NUMBER_OK) return true;
    char complaint[RASKI_COMPLAINT_MAX];
    raski_scalar_complain(type, result, text, length, complaint);
    return FAIL(c, x->at, "%s", complaint);
}

static bool set_present(parse *c, const rask_type *type, const cell *x, void *ret_value) {
    if (type->kind == RASK_KIND_BYTES) return set_bytes(c, x, ret_value);
    if (type->kind != RASK_KIND_STRING) return set_scalar(c, type, x, ret_value);
    *(rask_string *)ret_value = rask_string_of(x->text, x->length);
    return true;
}

/* An absent optional leaves its zeroes. */
static bool set_optional(parse *c, const rask_type *type, uint32_t value_offset, const cell *x,
                         char *ret_value) {
    const raski_csv_dialect *d = &c->r->dialect;
    bool absent = !x->quoted &&
                  (d->has_null_literal ? is_null_literal(d, x->text, x->length) : x->length == 0);
    if (absent) return true;
    *(bool *)ret_value = true;
    return set_present(c, type, x, ret_value + value_offset);
}

/* A basic value, optional or not. */
static bool set_basic(parse *c, const rask_type *type, const cell *x, char *ret_value) {
    if (type->kind == RASK_KIND_OPTIONAL)
        return set_optional(c, type->element, type->value_offset, x, ret_value);
    if (!x->quoted && is_null_literal(&c->r->dialect, x->text, x->length))
        return fail_null(c, x, type);
    return set_present(c, type, x, ret_value);
}

/* ---------------------------------------------------------------- several values in one cell */
static const char *next_delimiter(const raski_csv_dialect *d, const char *p, const char *end) {
    const char *delimiter = d->options.array_element_delimiter;
    for (; (size_t)(end - p) >= d->array_delimiter_length; p++)
        if (memcmp(p, delimiter, d->array_delimiter_length) == 0) return p;
    return NULL;
}

/* An empty cell has no items. */
static uint64_t count_items(const raski_csv_dialect *d, const cell *x) {
    const char *end = x->text + x->length;
    uint64_t count = x->length > 0;
    for (const char *p = x->text; (p = next_delimiter(d, p, end)) != NULL; count++)
        p += d->array_delimiter_length;
    return count;
}

/* Items go to stride bytes apart, or to the fields of a record. */
static bool set_items(parse *c, const rask_type *type, const rask_type *record, const cell *x,
                      uint64_t count, char *ret_items) {
    const raski_csv_dialect *d = &c->r->dialect;
    const char *end = x->text + x->length;
    cell item = {.text = x->text, .at = x->at};
    for (uint64_t i = 0; i < count; i++) {
        const char *to = next_delimiter(d, item.text, end);
        item.length = (size_t)((to != NULL ? to : end) - item.text);
        const rask_field *field = record ? &record->fields[i] : NULL;
        char *at = ret_items + (field ? field->offset : i * type->size);
        if (!set_basic(c, field ? field->type : type, &item, at)) {
            if (field)
                raski_format_in_field(c->error, field->name);
            else
                raski_format_in_item(c->error, i);
            return false;
        }
        item.text += item.length + d->array_delimiter_length;
    }
    return true;
}

static bool set_list(parse *c, const rask_type *item, const cell *x, raski_any_list *ret_list) {
    uint64_t count = count_items(&c->r->dialect, x);
    char *items = raski_format_alloc(&c->r->base.memory, (size_t)count * item->size);
    if (items == NULL || count > UINT32_MAX) return no_memory(c);
    memset(items, 0, (size_t)count * item->size);
    ret_list->count = (uint32_t)count;
    ret_list->items = count > 0 ? items : NULL;
    return set_items(c, item, NULL, x, count, items);
}

static bool set_column(parse *c, const raski_csv_column *column, const cell *x, char *record) {
    const raski_csv_dialect *d = &c->r->dialect;
    char *value = record + column->offset;
    if (column->form == RASKI_CSV_BASIC) {
        if (column->is_optional)
            return set_optional(c, column->type, column->value_offset, x, value);
        return set_basic(c, column->type, x, value);
    }
    const bool is_null =
        !x->quoted && (d->has_null_literal ? is_null_literal(d, x->text, x->length)
                                           : column->is_optional && x->length == 0);
    if (is_null && !column->is_optional) return fail_null(c, x, column->type);
    if (is_null) return true;
    if (column->is_optional) *(bool *)value = true;
    value += column->value_offset;
    if (column->form == RASKI_CSV_LIST) return set_list(c, column->type, x, (void *)value);
    const bool is_record = column->form == RASKI_CSV_RECORD;
    uint64_t wanted = is_record ? column->type->field_count : column->array_length;
    uint64_t count = count_items(d, x);
    if (wanted == 1 && count == 0) count = 1; /* one empty text */
    if (count != wanted)
        return FAIL(c, x->at,
                    "%llu values in the cell, separated by \"%s\", where %llu are "
                    "expected",
                    (unsigned long long)count, d->options.array_element_delimiter,
                    (unsigned long long)wanted);
    return set_items(c, column->type, is_record ? column->type : NULL, x, count, value);
}

/* ---------------------------------------------------------------- records */
static size_t without_line_end(const char *text, size_t length) {
    if (length > 0 && text[length - 1] == '\n') length--;
    if (length > 0 && text[length - 1] == '\r') length--;
    return length;
}

static bool fail_count(parse *c, size_t count) {
    csv_reader *r = c->r;
    if (count > r->order_count)
        return FAIL(c, c->p, "the record has more cells than the %zu that are expected",
                    r->order_count);
    int32_t missing = r->order[count];
    (void)FAIL(c, c->end, "the record ends after %zu of %zu cells", count, r->order_count);
    if (missing >= 0) raski_format_in_field(c->error, r->columns[missing].name);
    return false;
}

static bool parse_record(parse *c, char *record) {
    csv_reader *r = c->r;
    for (size_t i = 0;; i++) {
        cell x;
        const raski_csv_column *column =
            i < r->order_count && r->order[i] >= 0 ? &r->columns[r->order[i]] : NULL;
        if (i == r->order_count) return fail_count(c, i + 1);
        if (!take_cell(c, &x) || (column != NULL && !set_column(c, column, &x, record))) {
            if (column != NULL) raski_format_in_field(c->error, column->name);
            return false;
        }
        if (c->p == c->end) return i + 1 == r->order_count || fail_count(c, i + 1);
        c->p++; /* the delimiter */
    }
}

/* A line end belongs to the record only where it is quoted. */
static bool trim(const rask_format_reader *reader, const char *text, size_t *length,
                 rask_format_error *ret_error) {
    const csv_reader *r = (const csv_reader *)reader;
    raski_frame frame = {0};
    raski_frame_end end;
    if (!raski_csv_find_end(&r->dialect, &frame, text, *length, true, &end))
        return true; /* empty */
    if (end.length + end.end < *length)
        return raski_format_fail(ret_error, text, text + end.length,
                                 "the record ends here, but %zu more bytes follow",
                                 *length - end.length - end.end);
    *length = end.length;
    return true;
}

static rask_status read_record(rask_format_reader *reader, const char *text, size_t length,
                               void *ret_record, rask_format_error *ret_error) {
    csv_reader *r = (csv_reader *)reader;
    parse c = {.r = r, .text = text, .p = text, .end = text + length, .error = ret_error};
    memset(ret_record, 0, reader->type->size);
    if (r->base.needs_header) {
        (void)FAIL(&c, text, "the names of the columns were not read (rask_csv_read_header)");
        return RASK_E_CORRUPT;
    }
    if (parse_record(&c, ret_record)) return RASK_OK;
    return c.out_of_memory ? RASK_E_NOMEM : RASK_E_CORRUPT;
}

/* ---------------------------------------------------------------- the header */
static int32_t find_column(const csv_reader *r, const cell *x) {
    for (size_t i = 0; i < r->column_count; i++)
        if (strlen(r->columns[i].name) == x->length &&
            memcmp(r->columns[i].name, x->text, x->length) == 0)
            return (int32_t)i;
    return -1;
}

static bool add_name(parse *c, const cell *x) {
    csv_reader *r = c->r;
    char excerpt[RASKI_EXCERPT_MAX];
    int32_t column = find_column(r, x);
    raski_format_excerpt(x->text, x->length, excerpt);
    if (column < 0 && !r->dialect.options.ignore_unknown_fields)
        return FAIL(c, x->at,
                    "the header names the column %s, which %s has no field for "
                    "(ignore_unknown_fields passes over such columns)",
                    excerpt, r->base.type->name);
    for (size_t i = 0; i < r->order_count && column >= 0; i++)
        if (r->order[i] == column)
            return FAIL(c, x->at, "the header names the column %s twice", excerpt);
    if (r->order_count % 64 == 0) {
        int32_t *more = realloc(r->order, (r->order_count + 64) * sizeof *more);
        if (more == NULL) return no_memory(c);
        r->order = more;
    }
    r->order[r->order_count++] = column;
    return true;
}

/* Fields that are not named stay absent, if they can. */
static bool check_names(parse *c) {
    csv_reader *r = c->r;
    for (size_t k = 0; k < r->column_count; k++) {
        bool named = r->columns[k].is_optional;
        for (size_t i = 0; i < r->order_count && !named; i++) named = r->order[i] == (int32_t)k;
        if (named) continue;
        (void)FAIL(c, c->text, "the header does not name it, and it is not optional");
        raski_format_in_field(c->error, r->columns[k].name);
        return false;
    }
    return true;
}

rask_status rask_csv_read_header(rask_format_reader *csv_reader_p, const char *text, size_t length,
                                 rask_format_error *ret_error) {
    csv_reader *r = (csv_reader *)csv_reader_p;
    length = without_line_end(text, length);
    parse c = {.r = r, .text = text, .p = text, .end = text + length, .error = ret_error};
    size_t valid = raski_utf8_valid_length(text, length);
    if (valid < length) {
        (void)FAIL(&c, text + valid, "byte 0x%02x is not UTF-8 here", (unsigned char)text[valid]);
        return RASK_E_CORRUPT;
    }
    if (r->dialect.options.header != RASK_CSV_HEADER_NAMES) return RASK_OK;
    r->order_count = 0;
    r->base.needs_header = true;
    for (bool more = true; more; c.p++) {
        cell x;
        if (!take_cell(&c, &x) || !add_name(&c, &x))
            return c.out_of_memory ? RASK_E_NOMEM : RASK_E_CORRUPT;
        more = c.p < c.end;
    }
    if (!check_names(&c)) return RASK_E_CORRUPT;
    r->base.needs_header = false;
    return RASK_OK;
}

/* ---------------------------------------------------------------- making one */
static bool find_end(const rask_format_reader *reader, raski_frame *frame, const char *text,
                     size_t length, bool at_end, raski_frame_end *ret_end) {
    const csv_reader *r = (const csv_reader *)reader;
    if (!raski_csv_find_end(&r->dialect, frame, text, length, at_end, ret_end)) return false;
    /* Where there is one column, an empty line is an empty cell. */
    if (ret_end->length == 0 && r->order_count == 1) ret_end->is_blank = false;
    return true;
}

static void destroy(rask_format_reader *reader_take) {
    csv_reader *r = (csv_reader *)reader_take;
    raski_csv_dialect_fini(&r->dialect);
    free(r->columns);
    free(r->order);
    free(r);
}

static const raski_reader_ops ops = {
    .read = read_record, .trim = trim, .find_end = find_end, .destroy = destroy};

rask_format_reader *rask_csv_reader_create(const rask_type *type, const rask_csv_options *options,
                                           char *message, size_t size) {
    csv_reader *r = calloc(1, sizeof *r);
    if (r == NULL) return raski_format_refuse(message, size, "no memory for a CSV reader");
    r->base.ops = &ops;
    r->base.type = type;
    if (!raski_csv_dialect_init(&r->dialect, options, message, size)) {
        free(r);
        return NULL;
    }
    const raski_csv_dialect *d = &r->dialect;
    r->base.record_bytes_max = (size_t)d->options.record_bytes_max;
    r->base.newline_ends = !d->quote && !d->escape;
    r->base.has_header = d->options.header != RASK_CSV_HEADER_NONE;
    r->base.needs_header = d->options.header == RASK_CSV_HEADER_NAMES;
    r->columns = raski_csv_columns(type, &r->column_count, message, size);
    if (r->columns != NULL) {
        r->order = malloc(r->column_count * sizeof *r->order);
        if (r->order == NULL) raski_format_refuse(message, size, "no memory for a CSV reader");
    }
    if (r->order == NULL) {
        destroy(&r->base);
        return NULL;
    }
    for (size_t i = 0; i < r->column_count; i++) r->order[i] = (int32_t)i;
    r->order_count = r->column_count;
    return &r->base;
}
