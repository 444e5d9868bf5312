/* format_records.h - what the fuzz targets of formats share: a record type with everything a format
 * has a place for, and what must hold for any text. */
#ifndef RASK_TESTS_FUZZ_FORMAT_RECORDS_H
#define RASK_TESTS_FUZZ_FORMAT_RECORDS_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <rask/rask.h>

#include "formats/format.h"
#include "types/compare.h"

RASK_ENUM(color, RED, GREEN, BLUE);
typedef struct flat {
    int32_t id;
    rask_optional(int64_t) big;
    rask_string text;
    rask_optional(rask_string) note;
    double exact;
    rask_optional(float) real;
    rask_bool flag;
    rask_bytes raw;
    rask_timestamp at;
    rask_optional(rask_date) day;
    rask_optional(rask_duration) took;
    rask_optional(rask_decimal) money;
    color shade;
    rask_list(rask_string) words;
    int16_t grid[2];
} flat;
RASK_TYPE(flat, id, big, text, note, exact, real, flag, raw, (at, rask_timestamp), day, took, money,
          (shade, color), words, grid);

/* A record must end at the same place however much of the text is there at once. */
static inline void check_frames(const rask_format_reader *reader, const char *text, size_t length) {
    for (size_t from = 0; from < length;) {
        raski_frame whole = {0};
        raski_frame part = {0};
        raski_frame_end end;
        raski_frame_end cut;
        const char *record = text + from;
        size_t left = length - from;
        if (!reader->ops->find_end(reader, &whole, record, left, true, &end)) abort();
        if (end.length + end.end == 0 || end.length + end.end > left) abort();
        size_t have = 0;
        bool found = false;
        while (!found && have < left) {
            have += 1 + have % 3;
            if (have > left) have = left;
            found = reader->ops->find_end(reader, &part, record, have, false, &cut);
        }
        if (!found) found = reader->ops->find_end(reader, &part, record, left, true, &cut);
        if (!found || cut.length != end.length || cut.end != end.end ||
            cut.is_blank != end.is_blank || part.lines != whole.lines)
            abort();
        from += end.length + end.end;
    }
}

/* A text is refused with its place, or is a record that can be looked at; its text, where the
 * format has one for it, is read as an equal record. */
static inline void check_record(rask_format_reader *reader, rask_format_writer *writer,
                                const char *text, size_t length) {
    rask_format_error error;
    rask_text out = {0};
    char *record = calloc(1, reader->type->size);
    char *again = calloc(1, reader->type->size);
    if (record == NULL || again == NULL) abort();
    if (rask_format_read(reader, text, length, record, &error) != RASK_OK) {
        if (error.line < 1 || error.column < 1 || error.message[0] == '\0' || error.offset > length)
            abort();
    } else if (rask_format_append(writer, &out, record, &error) == RASK_OK) {
        if (rask_format_read(reader, out.data ? out.data : "", out.length, again, &error) !=
            RASK_OK)
            abort();
        if (!raski_value_equal(reader->type, record, again)) abort();
    } else if (error.message[0] == '\0') {
        abort();
    }
    rask_format_reader_clear(reader);
    free(out.data);
    free(record);
    free(again);
}
#endif
