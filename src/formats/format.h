/* format.h - what the readers and writers of all formats share: the memory of records that were
 * read, errors with their places, and how a file falls into records.
 * Threads: a reader or writer has one owner. Flink: DeserializationSchema, SerializationSchema. */
#ifndef RASKI_FORMATS_FORMAT_H
#define RASKI_FORMATS_FORMAT_H
#include "rask/formats.h"

enum {
    RASKI_RECORD_BYTES_MAX = 64 << 20, /* default of record_bytes_max */
    RASKI_RECORD_BYTES_LIMIT = 1 << 30,
    RASKI_FORMAT_FIELDS_MAX = 1024, /* of one record type */
    RASKI_FORMAT_TYPES_MAX = 16,    /* types within types, as everywhere in Rask */
};

/* ---------------------------------------------------------------- memory
 * Bump allocation in chunks; everything is freed at once. */
typedef struct raski_format_chunk raski_format_chunk;
typedef struct raski_format_memory {
    char *cursor, *end;
    raski_format_chunk *newest; /* chunks, newest first */
} raski_format_memory;

/* size bytes, 16-aligned, not zeroed; NULL: there are none. */
void *raski_format_alloc(raski_format_memory *memory, size_t size);
/* Frees all but one small chunk, for the next records. */
void raski_format_memory_clear(raski_format_memory *memory);
void raski_format_memory_free(raski_format_memory *memory);

/* ---------------------------------------------------------------- how a file falls into records */
typedef struct raski_frame {
    size_t scanned; /* bytes of the record that were looked at */
    int state;      /* the format's */
    uint32_t lines; /* line ends in those bytes */
} raski_frame;

typedef struct raski_frame_end {
    size_t length; /* of the record's text */
    size_t end;    /* bytes of the line end behind it */
    bool is_blank; /* it holds no record: an empty line, a comment */
} raski_frame_end;

/* ---------------------------------------------------------------- readers */
typedef struct raski_reader_ops {
    /* All of the text, which is UTF-8 and has no line end behind it. */
    rask_status (*read)(rask_format_reader *reader, const char *text, size_t length,
                        void *ret_record, rask_format_error *ret_error);
    /* Takes the line end off; NULL: it does not matter. false: more than one record. */
    bool (*trim)(const rask_format_reader *reader, const char *text, size_t *length,
                 rask_format_error *ret_error);
    /* Looks at length bytes of text, of which the record is the beginning, going on where *frame
     * says (all zero at first). false: more bytes are needed; never when at_end and length > 0. */
    bool (*find_end)(const rask_format_reader *reader, raski_frame *frame, const char *text,
                     size_t length, bool at_end, raski_frame_end *ret_end);
    void (*destroy)(rask_format_reader *reader_take);
} raski_reader_ops;

struct rask_format_reader {
    const raski_reader_ops *ops;
    const rask_type *type;
    raski_format_memory memory;
    size_t record_bytes_max;
    bool newline_ends; /* a \n ends a record wherever it stands: files may be cut anywhere */
    bool has_header;   /* the first record of a file is none */
    bool needs_header; /* and must be read with rask_csv_read_header */
};

/* As rask_format_read, for a text that find_end has found. */
rask_status raski_format_read_found(rask_format_reader *reader, const char *text, size_t length,
                                    void *ret_record, rask_format_error *ret_error);

struct rask_format_writer {
    rask_status (*append)(rask_format_writer *writer, rask_text *text, const void *record,
                          rask_format_error *ret_error);
    void (*destroy)(rask_format_writer *writer_take);
    const rask_type *type;
    bool writes_header; /* files begin with rask_csv_append_header */
};

/* ---------------------------------------------------------------- errors */
/* Fills *error: the place at `at` in text, and the message; the field's path is empty. Returns
 * false, for functions that do. error may be NULL. */
bool raski_format_fail(rask_format_error *error, const char *text, const char *at,
                       const char *format, ...) __attribute__((format(printf, 4, 5), cold));
/* Puts a name or an index before the field's path, while the functions return. */
void raski_format_in_field(rask_format_error *error, const char *name);
void raski_format_in_item(rask_format_error *error, size_t index);
/* Text for messages: at most 40 bytes, what cannot be shown as escapes, in quotes. Returns
 * ret_text. */
enum { RASKI_EXCERPT_MAX = 200 };
const char *raski_format_excerpt(const char *text, size_t length, char ret_text[RASKI_EXCERPT_MAX]);
/* Says in message what is wrong; returns NULL, for functions that do. */
void *raski_format_refuse(char *message, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* ---------------------------------------------------------------- text */
/* The offset of the first byte that is not UTF-8, or length. */
size_t raski_utf8_valid_length(const char *text, size_t length);
/* Makes room for size more bytes; false: no memory. */
bool raski_text_reserve(rask_text *text, size_t size);
static inline bool raski_text_put(rask_text *text, const char *bytes, size_t length) {
    if (text->capacity - text->length < length && !raski_text_reserve(text, length)) return false;
    if (length > 0) memcpy(text->data + text->length, bytes, length);
    text->length += length;
    return true;
}
static inline bool raski_text_put_char(rask_text *text, char c) {
    return raski_text_put(text, &c, 1);
}

/* Bytes of base64 (with padding), and how many bytes such a text has at most. false: it is none. */
static inline size_t raski_base64_size(size_t length) {
    return length / 4 * 3 + 3;
}
bool raski_base64_decode(const char *text, size_t length, unsigned char *ret_bytes,
                         size_t *ret_length);
bool raski_base64_append(rask_text *text, const void *bytes, size_t length);

/* Text of length bytes as a rask_string in memory of the reader. false: no memory. */
bool raski_format_copy_string(raski_format_memory *memory, const char *text, size_t length,
                              rask_string *ret);
#endif
