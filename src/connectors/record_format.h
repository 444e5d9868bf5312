/* record_format.h - which format the records of a file have, with its options: what a connector
 * keeps until its subtasks make their readers and writers. Threads: immutable once made. */
#ifndef RASKI_CONNECTORS_RECORD_FORMAT_H
#define RASKI_CONNECTORS_RECORD_FORMAT_H
#include "rask/formats.h"

typedef struct raski_record_format {
    bool is_csv;
    rask_json_options json;
    rask_csv_options csv; /* texts: see raski_record_format_copy */
} raski_record_format;

/* *ret becomes a copy with texts of its own; false: no memory. */
bool raski_record_format_copy(raski_record_format *ret, const raski_record_format *format);
void raski_record_format_fini(raski_record_format *format);

/* As rask_json_reader_create and its kin. */
rask_format_reader *raski_record_format_reader(const raski_record_format *format,
                                               const rask_type *type, char *message, size_t size);
rask_format_writer *raski_record_format_writer(const raski_record_format *format,
                                               const rask_type *type, char *message, size_t size);
bool raski_record_format_ignores_errors(const raski_record_format *format);
const char *raski_record_format_source_name(const raski_record_format *format); /* static */
const char *raski_record_format_sink_name(const raski_record_format *format);   /* static */
#endif
