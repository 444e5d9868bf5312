/* record_file.h - a file as the texts of its records, which a format tells from each other. Texts
 * are not copied: they borrow from the buffer until it is filled again. Threads: one owner. */
#ifndef RASKI_CONNECTORS_RECORD_FILE_H
#define RASKI_CONNECTORS_RECORD_FILE_H
#include "formats/byte_source.h"
#include "formats/format.h"

typedef struct raski_record_file {
    raski_byte_source *source; /* NULL: closed */
    char *path;
    char *buffer; /* kept when the file is closed */
    size_t capacity, begin, end;
    size_t first_bytes; /* of the buffer when it is made; 0: 256 KiB */
    raski_frame frame;  /* of the record at begin */
    int64_t position;   /* in the file (decompressed), of the byte at begin */
    int64_t lines;      /* line ends before begin, from where it was opened */
    int64_t file_size;  /* that is expected; -1: unknown */
    int64_t to_drop;    /* bytes that a decoder gives again before position */
    bool at_end;        /* no more bytes than the buffer holds */
    bool at_start;      /* nothing was looked at: a byte order mark may stand there */
    bool has_mark;      /* a byte order mark stood there: the first record begins before it */
    bool is_dropped;    /* the record at begin is too large: what was scanned of it is gone */
    int64_t dropped_position, dropped_lines; /* where that record began */
    char message[512];                       /* after RASK_FAILED */
} raski_record_file;

typedef struct raski_record_text {
    const char *text;
    size_t length;
    int64_t position, lines; /* of its first byte, as above */
    bool is_blank;           /* no record: an empty line, a comment */
    bool is_too_large;       /* more than the format's record_bytes_max; text is not all of it */
} raski_record_text;

/* Opens path at offset (of what a decoder gives, if there is one). RASK_FAILED: message says why.
 */
rask_status raski_record_file_open(raski_record_file *file, const char *path, int64_t offset,
                                   int64_t file_size);
/* The next text. RASK_MORE: the buffer must be filled first; RASK_END: there is none. */
rask_status raski_record_file_next(raski_record_file *file, const rask_format_reader *format,
                                   raski_record_text *ret_text);
/* Reads more; texts given before are gone. RASK_IDLE: a pipe has nothing right now. RASK_FAILED:
 * message says why. */
rask_status raski_record_file_fill(raski_record_file *file, const rask_format_reader *format);
void raski_record_file_close(raski_record_file *file);
/* Closes and frees the buffer. */
void raski_record_file_fini(raski_record_file *file);
#endif
