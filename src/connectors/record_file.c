#include "connectors/record_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rask/runtime.h"

static const size_t BUFFER_BYTES = 256 * 1024;
static const char BYTE_ORDER_MARK[] = "\xef\xbb\xbf";
enum { MARK_BYTES = 3, PADDING = 64 }; /* padding: readable bytes behind the data */

#define FAILED(f, ...) ((void)snprintf((f)->message, sizeof(f)->message, __VA_ARGS__), RASK_FAILED)

rask_status raski_record_file_open(raski_record_file *file, const char *path, int64_t offset,
                                   int64_t file_size) {
    raski_record_file_close(file);
    file->position = offset;
    file->file_size = file_size;
    file->lines = 0;
    file->begin = file->end = 0;
    file->frame = (raski_frame){0};
    file->at_end = file->is_dropped = file->has_mark = false;
    file->at_start = offset == 0;
    file->to_drop = raski_is_compressed(path) ? offset : 0;
    file->path = strdup(path);
    if (file->path == NULL) return FAILED(file, "no memory to read \"%s\"", path);
    file->source = raski_byte_source_open(path, file->to_drop > 0 ? 0 : offset, file->message,
                                          sizeof file->message);
    return file->source ? RASK_OK : RASK_FAILED;
}

void raski_record_file_close(raski_record_file *file) {
    raski_byte_source_close(file->source);
    free(file->path);
    file->source = NULL;
    file->path = NULL;
}

void raski_record_file_fini(raski_record_file *file) {
    raski_record_file_close(file);
    free(file->buffer);
    file->buffer = NULL;
    file->capacity = 0;
}

/* ---------------------------------------------------------------- texts */
static void pass(raski_record_file *f, size_t bytes) {
    f->begin += bytes;
    f->position += (int64_t)bytes;
}

rask_status raski_record_file_next(raski_record_file *file, const rask_format_reader *format,
                                   raski_record_text *ret_text) {
    raski_record_file *f = file;
    if (f->at_start) {
        if (f->end - f->begin < MARK_BYTES && !f->at_end) return RASK_MORE;
        f->at_start = false;
        f->has_mark = f->end - f->begin >= MARK_BYTES &&
                      memcmp(f->buffer + f->begin, BYTE_ORDER_MARK, MARK_BYTES) == 0;
        if (f->has_mark) pass(f, MARK_BYTES);
    }
    raski_frame_end end;
    const char *text = f->buffer + f->begin;
    size_t left = f->end - f->begin;
    if (left == 0 && f->at_end && !f->is_dropped) return RASK_END;
    if (left == 0 && !f->at_end) return RASK_MORE;
    if (left == 0)
        end = (raski_frame_end){0}; /* the end of what was dropped */
    else if (!format->ops->find_end(format, &f->frame, text, left, f->at_end, &end))
        return RASK_MORE;
    int64_t position = f->is_dropped ? f->dropped_position : f->position;
    *ret_text = (raski_record_text){
        .text = text,
        .length = end.length,
        .position = f->has_mark && position == MARK_BYTES ? 0 : position,
        .lines = f->is_dropped ? f->dropped_lines : f->lines,
        .is_blank = end.is_blank && !f->is_dropped,
        .is_too_large = f->is_dropped || end.length > format->record_bytes_max,
    };
    f->lines += f->frame.lines;
    f->frame = (raski_frame){0};
    f->is_dropped = false;
    pass(f, end.length + end.end);
    return RASK_OK;
}

/* ---------------------------------------------------------------- filling the buffer */
static rask_status grow(raski_record_file *f) {
    size_t first = f->first_bytes ? f->first_bytes : BUFFER_BYTES;
    size_t capacity = f->capacity ? f->capacity * 2 : first;
    char *buffer = realloc(f->buffer, capacity + PADDING);
    if (buffer == NULL)
        return FAILED(f, "\"%s\": no memory for the record at byte %lld (%zu bytes so far)",
                      f->path, (long long)f->position, f->end - f->begin);
    f->buffer = buffer;
    f->capacity = capacity;
    return RASK_OK;
}

/* More was asked for and is not there, though the enumerator saw it: records are lost. */
static rask_status check_size(raski_record_file *f) {
    int64_t read = f->position + (int64_t)(f->end - f->begin);
    if (f->file_size < 0 || read >= f->file_size) return RASK_OK;
    return FAILED(f,
                  "\"%s\" became shorter while it was read: it had %lld bytes, now it ends at byte "
                  "%lld",
                  f->path, (long long)f->file_size, (long long)read);
}

rask_status raski_record_file_fill(raski_record_file *file, const rask_format_reader *format) {
    raski_record_file *f = file;
    /* A record beyond the limit is looked at to its end, but not kept. (\r\n is not of it.) */
    if (f->frame.scanned > format->record_bytes_max + 2) {
        if (!f->is_dropped) {
            f->dropped_position = f->position;
            f->dropped_lines = f->lines;
        }
        f->is_dropped = true;
        f->lines += f->frame.lines;
        f->frame.lines = 0;
        pass(f, f->frame.scanned);
        f->frame.scanned = 0;
    }
    if (f->begin > 0 && f->begin < f->end)
        memmove(f->buffer, f->buffer + f->begin, f->end - f->begin);
    f->end -= f->begin;
    f->begin = 0;
    if (f->end == f->capacity) {
        rask_status status = grow(f);
        if (status != RASK_OK) return status;
    }
    int64_t n = raski_byte_source_read(f->source, f->buffer + f->end, f->capacity - f->end,
                                       f->message, sizeof f->message);
    if (n == RASKI_BYTES_LATER) return RASK_IDLE;
    if (n == RASKI_BYTES_FAILED) return RASK_FAILED;
    if (n == 0) {
        f->at_end = true;
        if (f->to_drop > 0)
            return FAILED(f, "\"%s\" became shorter: reading was to go on at byte %lld of it",
                          f->path, (long long)f->position);
        return check_size(f);
    }
    if (f->to_drop > 0) {
        const size_t drop = f->to_drop < n ? (size_t)f->to_drop : (size_t)n;
        f->to_drop -= (int64_t)drop;
        n -= (int64_t)drop;
        memmove(f->buffer + f->end, f->buffer + f->end + drop, (size_t)n);
    }
    f->end += (size_t)n;
    memset(f->buffer + f->end, 0, PADDING);
    return RASK_OK;
}
