#include "formats/csv/csv.h"

#include <ctype.h>
#include <stdlib.h>

#include "formats/scalar.h"

/* ---------------------------------------------------------------- options */
static bool is_separator(char c) {
    return (unsigned char)c < 0x80 && c != '\0' && c != '\n' && c != '\r' &&
           !isalnum((unsigned char)c);
}

static bool check_separators(const raski_csv_dialect *d, char *message, size_t size) {
    const struct {
        const char *name;
        char c;
    } all[] = {{"field_delimiter", d->delimiter},
               {"quote_character", d->quote},
               {"escape_character", d->escape}};
    for (int i = 0; i < 3; i++) {
        if (all[i].c == '\0' && i > 0) continue;
        if (!is_separator(all[i].c)) {
            raski_format_refuse(message, size,
                                "csv option %s must be an ASCII character that is no letter, digit "
                                "or line end, not byte 0x%02x",
                                all[i].name, (unsigned char)all[i].c);
            return false;
        }
        for (int k = 0; k < i; k++) {
            if (all[k].c != all[i].c) continue;
            raski_format_refuse(message, size, "csv options %s and %s are both '%c'", all[k].name,
                                all[i].name, all[i].c);
            return false;
        }
    }
    return true;
}

bool raski_csv_dialect_init(raski_csv_dialect *dialect, const rask_csv_options *options,
                            char *message, size_t size) {
    raski_csv_dialect d = {0};
    if (options != NULL) d.options = *options;
    rask_csv_options *o = &d.options;
    d.delimiter = o->field_delimiter ? o->field_delimiter : ',';
    d.quote = o->disable_quote_character ? '\0' : o->quote_character ? o->quote_character : '"';
    d.escape = o->escape_character;
    if (!check_separators(&d, message, size)) return false;
    if (o->record_bytes_max == 0) o->record_bytes_max = RASKI_RECORD_BYTES_MAX;
    if (o->record_bytes_max < 1 || o->record_bytes_max > RASKI_RECORD_BYTES_LIMIT) {
        raski_format_refuse(message, size, "csv option record_bytes_max must be in 1..%d, not %lld",
                            RASKI_RECORD_BYTES_LIMIT, (long long)o->record_bytes_max);
        return false;
    }
    const char *null_literal = o->null_literal ? o->null_literal : "";
    const char *array = o->array_element_delimiter ? o->array_element_delimiter : ";";
    if (*array == '\0') {
        raski_format_refuse(message, size, "csv option array_element_delimiter is empty");
        return false;
    }
    d.has_null_literal = *null_literal != '\0';
    d.null_length = strlen(null_literal);
    d.array_delimiter_length = strlen(array);
    o->null_literal = strdup(null_literal);
    o->array_element_delimiter = strdup(array);
    *dialect = d;
    if (o->null_literal != NULL && o->array_element_delimiter != NULL) return true;
    raski_csv_dialect_fini(dialect);
    raski_format_refuse(message, size, "no memory for the options of a CSV format");
    return false;
}

void raski_csv_dialect_fini(raski_csv_dialect *dialect) {
    free((char *)(uintptr_t)dialect->options.null_literal);
    free((char *)(uintptr_t)dialect->options.array_element_delimiter);
    dialect->options.null_literal = dialect->options.array_element_delimiter = NULL;
}

/* ---------------------------------------------------------------- columns */
static bool is_basic(const rask_type *type) {
    if (type->kind == RASK_KIND_OPTIONAL) type = type->element;
    return raski_is_scalar(type) || type->kind == RASK_KIND_STRING || type->kind == RASK_KIND_BYTES;
}

/* A nested record has one cell, so its fields are basic. */
static bool is_flat(const rask_type *record) {
    for (uint32_t i = 0; i < record->field_count; i++)
        if (record->fields[i].array_length != 0 || !is_basic(record->fields[i].type)) return false;
    return record->field_count <= RASKI_FORMAT_FIELDS_MAX;
}

static bool make_column(const char *name, const rask_type *type, uint32_t offset,
                        uint32_t array_length, raski_csv_column *ret) {
    raski_csv_column c = {
        .name = name, .type = type, .offset = offset, .array_length = array_length};
    bool fits = true;
    if (type->kind == RASK_KIND_OPTIONAL && array_length == 0) {
        c.is_optional = true;
        c.value_offset = type->value_offset;
        c.type = type = type->element;
    }
    if (array_length != 0) {
        c.form = RASKI_CSV_ARRAY;
        fits = is_basic(type);
    } else if (type->kind == RASK_KIND_LIST) {
        c.form = RASKI_CSV_LIST;
        c.type = type->element;
        fits = is_basic(c.type);
    } else if (type->kind == RASK_KIND_RECORD) {
        c.form = RASKI_CSV_RECORD;
        fits = is_flat(type);
    } else {
        fits = is_basic(type) && type->kind != RASK_KIND_OPTIONAL;
    }
    *ret = c;
    return fits;
}

raski_csv_column *raski_csv_columns(const rask_type *type, size_t *ret_count, char *message,
                                    size_t size) {
    const bool is_record = type->kind == RASK_KIND_RECORD;
    size_t count = is_record ? type->field_count : 1;
    if (count > RASKI_FORMAT_FIELDS_MAX)
        return raski_format_refuse(message, size, "%s has %zu fields; a format takes up to %d",
                                   type->name, count, RASKI_FORMAT_FIELDS_MAX);
    raski_csv_column *columns = calloc(count, sizeof *columns);
    if (columns == NULL)
        return raski_format_refuse(message, size, "no memory for the columns of %s", type->name);
    for (size_t i = 0; i < count; i++) {
        const rask_field value = {"value", 0, type->size, type, 0};
        const rask_field *f = is_record ? &type->fields[i] : &value;
        if (make_column(f->name, f->type, f->offset, f->array_length, &columns[i])) continue;
        free(columns);
        return raski_format_refuse(message, size,
                                   "CSV has no place for field \"%s\" of %s: a cell holds a basic "
                                   "value, or a list, array or record of basic values",
                                   f->name, type->name);
    }
    *ret_count = count;
    return columns;
}

/* ---------------------------------------------------------------- where records end */
typedef enum frame_state {
    AT_RECORD, /* nothing of it yet */
    AT_CELL,   /* behind a delimiter */
    UNQUOTED,
    QUOTED,
    QUOTE_IN_QUOTED, /* the end of the cell, or the first of two */
    ESCAPE_UNQUOTED, /* behind the escape character */
    ESCAPE_QUOTED,
    COMMENT,
} frame_state;

static frame_state next_state(const raski_csv_dialect *d, frame_state state, char c) {
    switch (state) {
        case AT_RECORD:
        case AT_CELL:
            if (state == AT_RECORD && d->options.allow_comments && c == '#') return COMMENT;
            if (d->quote && c == d->quote) return QUOTED;
            break;
        case UNQUOTED:
            break;
        case QUOTED:
            if (c == d->quote) return QUOTE_IN_QUOTED;
            return d->escape && c == d->escape ? ESCAPE_QUOTED : QUOTED;
        case QUOTE_IN_QUOTED:
            if (c == d->quote) return QUOTED;
            break;
        case ESCAPE_UNQUOTED:
            return UNQUOTED;
        case ESCAPE_QUOTED:
            return QUOTED;
        case COMMENT:
            return COMMENT;
    }
    if (c == d->delimiter) return AT_CELL;
    return d->escape && c == d->escape ? ESCAPE_UNQUOTED : UNQUOTED;
}

static bool ends_record(frame_state state) {
    return state != QUOTED && state != ESCAPE_QUOTED && state != ESCAPE_UNQUOTED;
}

static bool found(raski_frame_end *ret_end, size_t length, size_t end, bool is_comment) {
    *ret_end = (raski_frame_end){length, end, length == 0 || is_comment};
    return true;
}

/* Lines without quotes, escapes, comments and \r but before \n, which most are. */
static bool find_plain_end(const raski_csv_dialect *d, const char *text, size_t length,
                           raski_frame_end *ret_end) {
    const char *newline = memchr(text, '\n', length);
    if (newline == NULL || d->escape || (d->options.allow_comments && text[0] == '#')) return false;
    size_t line = (size_t)(newline - text);
    if (d->quote && memchr(text, d->quote, line) != NULL) return false;
    const char *ret = memchr(text, '\r', line);
    if (ret != NULL && ret + 1 != newline) return false;
    return found(ret_end, ret != NULL ? line - 1 : line, ret != NULL ? 2 : 1, false);
}

bool raski_csv_find_end(const raski_csv_dialect *dialect, raski_frame *frame, const char *text,
                        size_t length, bool at_end, raski_frame_end *ret_end) {
    if (frame->scanned == 0 && frame->state == AT_RECORD &&
        find_plain_end(dialect, text, length, ret_end)) {
        frame->lines = 1;
        return true;
    }
    frame_state state = (frame_state)frame->state;
    for (size_t i = frame->scanned; i < length; i++) {
        char c = text[i];
        if (c == '\n' || c == '\r') {
            const bool has_next = i + 1 < length;
            if (c == '\r' && !has_next && !at_end) { /* is there a \n behind it? */
                frame->scanned = i;
                frame->state = (int)state;
                return false;
            }
            const bool is_pair = c == '\r' && has_next && text[i + 1] == '\n';
            frame->lines += !is_pair || ends_record(state);
            if (ends_record(state)) return found(ret_end, i, is_pair ? 2 : 1, state == COMMENT);
        }
        state = next_state(dialect, state, c);
    }
    frame->scanned = length;
    frame->state = (int)state;
    return at_end && length > 0 && found(ret_end, length, 0, state == COMMENT);
}
