/* rask/formats.h - JSON and CSV made from the description of a record type.
 *
 *   typedef struct { rask_string carrier; int32_t day; rask_optional(double) delay; } flight;
 *   RASK_TYPE(flight, carrier, day, (delay, rask_optional(double)));
 *
 *   rask_stream(flight) flights = rask_read_csv(env, flight, "flights.csv",
 *                                               .csv = {.header = RASK_CSV_HEADER_NAMES,
 *                                                       .ignore_unknown_fields = true,
 *                                                       .null_literal = "NA"});
 *   rask_write_json(flights, "flights.json", .json = {.ignore_null_fields = true});
 *
 * rask_read_json(env, T, path, options...)   a record per line (newline-delimited JSON)
 * rask_read_csv(env, T, path, options...)
 *   T is the name of a described type; path is a file, a folder (all files below it) or a glob.
 *   Options are those of every source, and .json = {...} or .csv = {...} with what stands below.
 *   Files are shared among the readers in splits that begin at records; .gz and .zst files are
 *   read through their decoders, as one split each. What is not as it should be fails the job:
 *     FILE:LINE:COLUMN: field "a.b": what was found, what was expected
 *   or, with .ignore_parse_errors, is left out and counted (counter numParseErrors).
 * rask_write_json(s, path, options...), rask_write_csv(s, path, options...)
 *   A record per line; files appear whole or not at all, as those of rask_write_text.
 *
 * Strict by default: wrong types, numbers out of range, unknown and duplicate fields, missing ones
 * that are not optional, bad UTF-8, too deep or too large records are errors. docs/formats/json.md
 * and docs/formats/csv.md say how each type is written, and how these defaults differ from Flink's.
 * Flink: JsonFormatFactory (JsonFormatOptions), CsvFormatFactory (CsvFormatOptions). */
#ifndef RASK_FORMATS_H
#define RASK_FORMATS_H
#include "rask/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How times are written; both texts are understood when reading. Flink:
 * json.timestamp-format.standard. */
typedef enum rask_timestamp_format {
    RASK_TIMESTAMP_SQL = 0,  /* 2020-02-02 12:12:12.123Z */
    RASK_TIMESTAMP_ISO_8601, /* 2020-02-02T12:12:12.123Z */
    RASK_TIMESTAMP_MILLIS,   /* rask_timestamp as a number; other times as in SQL */
} rask_timestamp_format;

/* Options of JSON; what is left out (zero) keeps its default. In brackets: Flink's names. */
typedef struct rask_json_options {
    /* reading */
    bool ignore_parse_errors; /* bad records are left out and counted [json.ignore-parse-errors] */
    bool fail_on_missing_field; /* optional fields must be there too, maybe null
                                 * [json.fail-on-missing-field] */
    bool ignore_unknown_fields; /* fields that the type does not have are passed over (Flink always
                                 * does) */
    int64_t record_bytes_max;   /* of one record's text, 1 .. 2^30; 0: 64 MiB */
    int depth_max;              /* objects and arrays within each other, 1 .. 1024; 0: 64 */
    /* writing */
    bool ignore_null_fields;      /* absent fields are left out [json.encode.ignore-null-fields] */
    bool decimal_as_plain_number; /* without exponents [json.encode.decimal-as-plain-number] */
    rask_timestamp_format timestamp_format; /* [json.timestamp-format.standard] */
} rask_json_options;

/* What the first line of a CSV file is. */
typedef enum rask_csv_header {
    RASK_CSV_HEADER_NONE = 0, /* a record: columns are the fields in their order */
    RASK_CSV_HEADER_NAMES,    /* names of columns, in any order; written as well */
    RASK_CSV_HEADER_SKIP,     /* anything: columns are the fields in their order; not written */
} rask_csv_header;

/* Options of CSV; what is left out (zero) keeps its default. In brackets: Flink's names. */
typedef struct rask_csv_options {
    char field_delimiter;         /* ASCII; 0: ',' [csv.field-delimiter] */
    char quote_character;         /* ASCII; 0: '"' [csv.quote-character] */
    bool disable_quote_character; /* quotes are text [csv.disable-quote-character] */
    char escape_character;        /* ASCII; 0: none [csv.escape-character] */
    bool allow_comments;          /* lines that begin with # are left out [csv.allow-comments] */
    const char *null_literal;     /* unquoted text of an absent value; NULL: an empty cell
                                   * [csv.null-literal] */
    const char *array_element_delimiter; /* between items in one cell; NULL: ";"
                                          * [csv.array-element-delimiter] */
    rask_csv_header header;
    /* reading */
    bool ignore_parse_errors; /* bad records are left out and counted [csv.ignore-parse-errors] */
    bool
        ignore_unknown_fields; /* with names: columns that the type does not have are passed over */
    int64_t record_bytes_max;  /* of one record's text, 1 .. 2^30; 0: 64 MiB */
    /* writing */
    rask_timestamp_format timestamp_format;
} rask_csv_options;

/* What is wrong with a text, or with a record that cannot be written. */
typedef struct rask_format_error {
    size_t offset;        /* in the text, bytes; 0 for a record */
    int64_t line, column; /* in the text, from 1; columns count characters; 0 for a record */
    char field[128];      /* "order.items[3].price"; "": none */
    char message[256];    /* what was found and what was expected */
} rask_format_error;

/* ---------------------------------------------------------------- single records
 * For programs that get their texts elsewhere (a message, a test). A reader or writer belongs to
 * one thread at a time; the type is borrowed as long as it lives, texts of options are copied. */
typedef struct rask_format_reader rask_format_reader;
typedef struct rask_format_writer rask_format_writer;

/* A reader or writer of records of a type; options may be NULL. NULL when the format has no place
 * for the type, an option is wrong or there is no memory: message (size bytes) says which. */
RASK_API rask_format_reader *rask_json_reader_create(const rask_type *type,
                                                     const rask_json_options *options,
                                                     char *message, size_t size);
RASK_API rask_format_reader *rask_csv_reader_create(const rask_type *type,
                                                    const rask_csv_options *options, char *message,
                                                    size_t size);
RASK_API rask_format_writer *rask_json_writer_create(const rask_type *type,
                                                     const rask_json_options *options,
                                                     char *message, size_t size);
RASK_API rask_format_writer *rask_csv_writer_create(const rask_type *type,
                                                    const rask_csv_options *options, char *message,
                                                    size_t size);
RASK_API void rask_format_reader_destroy(rask_format_reader *reader_take); /* NULL is fine */
RASK_API void rask_format_writer_destroy(rask_format_writer *writer_take); /* NULL is fine */

/* Reads one record, all of the text, into *ret_record (of the type's size; padding is zeroed). Its
 * strings borrow from text or from the reader, whose memory is kept until _clear or _destroy.
 * RASK_E_CORRUPT with *ret_error filled when the text is no such record, RASK_E_NOMEM likewise. A
 * CSV record may end with its line end. A reader of CSV with names must have read them before. */
RASK_API rask_status rask_format_read(rask_format_reader *reader, const char *text, size_t length,
                                      void *ret_record, rask_format_error *ret_error);
/* Frees what the records read so far borrow from the reader. */
RASK_API void rask_format_reader_clear(rask_format_reader *reader);
/* CSV with RASK_CSV_HEADER_NAMES: takes the line of names. RASK_E_CORRUPT when it does not fit the
 * type. */
RASK_API rask_status rask_csv_read_header(rask_format_reader *csv_reader, const char *text,
                                          size_t length, rask_format_error *ret_error);

/* Appends the text of a record, without a line end. RASK_E_CORRUPT with *ret_error filled when the
 * format cannot hold it (text that is not UTF-8, ...), RASK_E_NOMEM likewise; text is then as it
 * was. */
RASK_API rask_status rask_format_append(rask_format_writer *writer, rask_text *text,
                                        const void *record, rask_format_error *ret_error);
/* CSV: appends the line of names, without a line end. RASK_E_NOMEM leaves text as it was. */
RASK_API rask_status rask_csv_append_header(rask_format_writer *csv_writer, rask_text *text);

/* The error as one line, cut to size bytes: LINE:COLUMN: field "x": message */
RASK_API void rask_format_error_text(const rask_format_error *error, char *ret_text, size_t size);

/* ---------------------------------------------------------------- entry points of the macros */
struct rask_env;
struct raski_stream;
struct rask_options;
RASK_API struct raski_stream *raski_read_json(struct rask_env *, const rask_type *,
                                              const char *path, const struct rask_options *, size_t,
                                              const char *file, int line);
RASK_API struct raski_stream *raski_read_csv(struct rask_env *, const rask_type *, const char *path,
                                             const struct rask_options *, size_t, const char *file,
                                             int line);
RASK_API void raski_write_json(struct raski_stream *, const char *path, const struct rask_options *,
                               size_t, const char *file, int line);
RASK_API void raski_write_csv(struct raski_stream *, const char *path, const struct rask_options *,
                              size_t, const char *file, int line);

#ifdef __cplusplus
}
#endif

/* See the head of this file. */
#define rask_read_json(env, T, ...) \
    ((rask_stream_##T){.node = raski_read_json(env, &rask_type_##T, RASKI_FIRST(__VA_ARGS__), \
                                               RASKI_REST_OPTIONS(__VA_ARGS__), RASKI_HERE)})
#define rask_read_csv(env, T, ...) \
    ((rask_stream_##T){.node = raski_read_csv(env, &rask_type_##T, RASKI_FIRST(__VA_ARGS__), \
                                              RASKI_REST_OPTIONS(__VA_ARGS__), RASKI_HERE)})
#define rask_write_json(s, ...) \
    raski_write_json((s).node, RASKI_FIRST(__VA_ARGS__), RASKI_REST_OPTIONS(__VA_ARGS__), \
                     RASKI_HERE)
#define rask_write_csv(s, ...) \
    raski_write_csv((s).node, RASKI_FIRST(__VA_ARGS__), RASKI_REST_OPTIONS(__VA_ARGS__), RASKI_HERE)
#endif
