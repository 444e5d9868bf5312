/* csv.h - what reader and writer of CSV share: options with defaults, and which columns a type has.
 * A column is a field: a basic value (number, text, bytes, time, boolean), or several in one cell
 * (a list, an array or a nested record of basic values), each of them optional or not. A type that
 * is no record has one column, "value". Threads: pure. Flink: CsvSchema, CsvRowSchemaConverter. */
#ifndef RASKI_FORMATS_CSV_CSV_H
#define RASKI_FORMATS_CSV_CSV_H
#include "formats/format.h"

typedef enum raski_csv_form {
    RASKI_CSV_BASIC,  /* one value */
    RASKI_CSV_LIST,   /* items of a rask_list */
    RASKI_CSV_ARRAY,  /* array_length items */
    RASKI_CSV_RECORD, /* the fields of a nested record */
} raski_csv_form;

typedef struct raski_csv_column {
    const char *name; /* of the type's field */
    raski_csv_form form;
    const rask_type *type; /* BASIC: of the value; LIST, ARRAY: of an item; RECORD: of the record */
    uint32_t offset;       /* in the record; of the optional if it is one */
    uint32_t value_offset; /* from there, of the value */
    uint32_t array_length;
    bool is_optional;
} raski_csv_column;

/* Options as the program gave them, with defaults for what it left out. */
typedef struct raski_csv_dialect {
    rask_csv_options options;      /* texts are owned */
    char delimiter, quote, escape; /* quote and escape: 0 for none */
    bool has_null_literal;
    size_t null_length, array_delimiter_length;
} raski_csv_dialect;

/* false: message says which option is wrong, or that there is no memory. */
bool raski_csv_dialect_init(raski_csv_dialect *dialect, const rask_csv_options *options,
                            char *message, size_t size);
void raski_csv_dialect_fini(raski_csv_dialect *dialect);

/* The columns of a type, for free(). NULL: message says why it has none. */
raski_csv_column *raski_csv_columns(const rask_type *type, size_t *ret_count, char *message,
                                    size_t size);

/* Where a record ends; see raski_reader_ops.find_end. */
bool raski_csv_find_end(const raski_csv_dialect *dialect, raski_frame *frame, const char *text,
                        size_t length, bool at_end, raski_frame_end *ret_end);
#endif
