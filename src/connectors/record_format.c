#include "connectors/record_format.h"

#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text, bool *ok) {
    char *copy = text ? strdup(text) : NULL;
    if (text != NULL && copy == NULL) *ok = false;
    return copy;
}

bool raski_record_format_copy(raski_record_format *ret, const raski_record_format *format) {
    bool ok = true;
    *ret = *format;
    ret->csv.null_literal = copy_text(format->csv.null_literal, &ok);
    ret->csv.array_element_delimiter = copy_text(format->csv.array_element_delimiter, &ok);
    if (!ok) raski_record_format_fini(ret);
    return ok;
}

void raski_record_format_fini(raski_record_format *format) {
    free((char *)(uintptr_t)format->csv.null_literal);
    free((char *)(uintptr_t)format->csv.array_element_delimiter);
    format->csv.null_literal = format->csv.array_element_delimiter = NULL;
}

rask_format_reader *raski_record_format_reader(const raski_record_format *format,
                                               const rask_type *type, char *message, size_t size) {
    return format->is_csv ? rask_csv_reader_create(type, &format->csv, message, size)
                          : rask_json_reader_create(type, &format->json, message, size);
}

rask_format_writer *raski_record_format_writer(const raski_record_format *format,
                                               const rask_type *type, char *message, size_t size) {
    return format->is_csv ? rask_csv_writer_create(type, &format->csv, message, size)
                          : rask_json_writer_create(type, &format->json, message, size);
}

bool raski_record_format_ignores_errors(const raski_record_format *format) {
    return format->is_csv ? format->csv.ignore_parse_errors : format->json.ignore_parse_errors;
}

const char *raski_record_format_source_name(const raski_record_format *format) {
    return format->is_csv ? "csv source" : "json source";
}

const char *raski_record_format_sink_name(const raski_record_format *format) {
    return format->is_csv ? "csv sink" : "json sink";
}
