/* The lines of text files. Lines are not copied: they borrow from the reader's buffer, which is
 * refilled only after everything that borrows from it was handed on.
 *
 * A line ends at \n, \r\n or a lone \r, as Java's readers have it; bytes are passed on as they are.
 * Flink: FileSource with TextLineInputFormat. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "connectors/connectors.h"
#include "connectors/file_split.h"
#include "formats/byte_source.h"
#include "rask/function.h"

static const size_t BUFFER_BYTES = 256 * 1024;
static const size_t LINE_BYTES_MAX = (size_t)1 << 30;
enum { PADDING = 64 }; /* readable bytes behind the data, for readers that look ahead */

typedef struct reader {
    const char *path;       /* enumerator: what to read; of the connector */
    int64_t split_bytes;    /* enumerator: 0: chosen by it */
    int64_t monitor_ms;     /* enumerator: look for new files after that time; 0: never */
    size_t first_bytes;     /* of the buffer, when it is made */
    char *file;             /* of the split */
    raski_file_split split; /* the running one, as it is; path: file */
    raski_byte_source *source;
    char *buffer;
    size_t capacity, begin, end; /* bytes begin .. end are not read yet */
    size_t searched;             /* of them hold no line's end, from begin */
    int64_t line_start;          /* in the file, of the byte at begin */
    int64_t to_drop;             /* bytes that a decoder gives again before line_start */
    int64_t split_end;           /* lines that start here or later are not ours; -1: all are */
    int64_t file_size;           /* that the enumerator saw; -1: unknown */
    bool at_end;                 /* the file has no more bytes than the buffer */
    bool has_returns;            /* the buffer holds a \r */
    bool skip_line;              /* the first line belongs to the split before */
} reader;
RASK_INSTANCE(reader);

/* ---------------------------------------------------------------- filling the buffer */
static rask_status grow(reader *self) {
    if (self->capacity >= LINE_BYTES_MAX)
        return rask_fail("\"%s\": the line at byte %lld is longer than %zu bytes, the limit",
                         self->file, (long long)self->line_start, LINE_BYTES_MAX);
    size_t capacity = self->capacity ? self->capacity * 2 : self->first_bytes;
    char *buffer = realloc(self->buffer, capacity + PADDING);
    if (buffer == NULL)
        return rask_fail("\"%s\": no memory for the line at byte %lld (%zu bytes so far)",
                         self->file, (long long)self->line_start, self->end - self->begin);
    self->buffer = buffer;
    self->capacity = capacity;
    return RASK_OK;
}

/* More was asked for and is not there, though the enumerator saw it: lines are lost. */
static rask_status check_size(const reader *self) {
    int64_t read = self->line_start + (int64_t)(self->end - self->begin);
    if (self->file_size < 0 || read >= self->file_size) return RASK_OK;
    return rask_fail(
        "\"%s\" became shorter while it was read: it had %lld bytes, now it ends at "
        "byte %lld",
        self->file, (long long)self->file_size, (long long)read);
}

/* Moves the unfinished line to the front and reads behind it. Nothing may borrow any more.
 * RASK_IDLE when nothing is there yet (a pipe). */
static rask_status fill(reader *self) {
    if (self->begin > 0 && self->begin < self->end)
        memmove(self->buffer, self->buffer + self->begin, self->end - self->begin);
    self->end -= self->begin;
    self->begin = 0;
    if (self->end == self->capacity) {
        rask_status status = grow(self);
        if (status != RASK_OK) return status;
    }
    char message[512];
    int64_t n = raski_byte_source_read(self->source, self->buffer + self->end,
                                       self->capacity - self->end, message, sizeof message);
    if (n == RASKI_BYTES_LATER) return RASK_IDLE;
    if (n == RASKI_BYTES_FAILED) return rask_fail("%s", message);
    if (n == 0) {
        self->at_end = true;
        if (self->to_drop > 0)
            return rask_fail("\"%s\" became shorter: reading was to go on at byte %lld of it",
                             self->file, (long long)self->line_start);
        return check_size(self);
    }
    if (!self->has_returns || self->end == 0)
        self->has_returns = memchr(self->buffer + self->end, '\r', (size_t)n) != NULL;
    if (RASKI_UNLIKELY(self->to_drop > 0)) {
        const size_t drop = self->to_drop < n ? (size_t)self->to_drop : (size_t)n;
        self->to_drop -= (int64_t)drop;
        n -= (int64_t)drop;
        memmove(self->buffer + self->end, self->buffer + self->end + drop, (size_t)n);
    }
    self->end += (size_t)n;
    memset(self->buffer + self->end, 0, PADDING);
    return RASK_OK;
}

/* ---------------------------------------------------------------- lines */
/* The length of the line at begin without its end, and how many bytes its end takes. false: the
 * buffer does not hold all of it. */
static inline bool find_line(reader *self, size_t *ret_length, size_t *ret_end) {
    const char *line = self->buffer + self->begin;
    size_t left = self->end - self->begin;
    const char *from = line + self->searched;
    const char *newline = memchr(from, '\n', left - self->searched);
    size_t length = newline ? (size_t)(newline - line) : left;
    if (RASKI_UNLIKELY(self->has_returns)) {
        const char *ret = memchr(from, '\r', length - self->searched);
        if (ret != NULL) {
            size_t at = (size_t)(ret - line);
            self->searched = at;
            if (at + 1 == left && !self->at_end) return false; /* is there a \n behind it? */
            *ret_length = at;
            *ret_end = at + 1 < left && line[at + 1] == '\n' ? 2 : 1;
            return true;
        }
    }
    if (newline == NULL && (!self->at_end || left == 0)) {
        self->searched = left;
        return false;
    }
    *ret_length = length;
    *ret_end = newline ? 1 : 0;
    return true;
}

static void pass(reader *self, size_t bytes) {
    self->begin += bytes;
    self->searched = 0;
    self->line_start += (int64_t)bytes;
}

static rask_status close_file(reader *self) {
    raski_byte_source_close(self->source);
    free(self->file);
    self->source = NULL;
    self->file = NULL;
    self->begin = self->end = self->searched = 0;
    return RASK_END;
}

/* A split that does not start at the file's start begins one byte before it, inside or at the end
 * of a line that the split before reads. */
static rask_status skip_first_line(reader *self) {
    size_t length = 0;
    size_t end = 0;
    while (!find_line(self, &length, &end)) {
        if (self->at_end) return close_file(self);
        pass(self, self->end > self->begin + 1 ? self->end - self->begin - 1 : 0);
        rask_status status = fill(self);
        if (status != RASK_OK) return status;
    }
    pass(self, length + end);
    self->skip_line = false;
    return RASK_OK;
}

RASK_SPLIT_SOURCE(read_lines, reader, self, rask_string, out) {
    if (self->skip_line) {
        rask_status status = skip_first_line(self);
        if (status != RASK_OK) return status;
    }
    size_t length = 0;
    size_t end = 0;
    while (find_line(self, &length, &end)) {
        if (self->split_end >= 0 && self->line_start >= self->split_end) {
            rask_flush(out);
            return close_file(self);
        }
        rask_emit(out, rask_string_of(self->buffer + self->begin, length));
        pass(self, length + end);
        if (out->cur == out->end) return RASK_MORE;
    }
    rask_flush(out);
    if (self->at_end) return close_file(self);
    rask_status status = fill(self);
    if (status == RASK_IDLE) {
        rask_idle_fd(out, raski_byte_source_fd(self->source));
        rask_idle_ns(out, INT64_C(3600) * 1000000000);
    }
    return status == RASK_OK ? RASK_MORE : status;
}

RASK_ENUMERATE(read_lines, self, splits) {
    return raski_enumerate_files(self->path, self->split_bytes, self->monitor_ms, splits);
}

/* What was read before is not read again; a decoder has to make it again. A pipe is where it is. */
static void begin_at(reader *self, const raski_file_split *split) {
    struct stat info;
    const bool goes_on = split->position > 0;
    self->skip_line = split->offset > 0 && !goes_on;
    self->line_start = goes_on ? split->position : split->offset - (self->skip_line ? 1 : 0);
    self->to_drop = 0;
    if (!goes_on || stat(split->path, &info) != 0) return;
    if (!S_ISREG(info.st_mode))
        self->line_start = 0;
    else if (raski_is_compressed(split->path))
        self->to_drop = self->line_start;
}

RASK_ADD_SPLIT(read_lines, self, bytes) {
    raski_file_split split;
    if (!raski_file_split_decode(rask_bytes_data(&bytes), bytes.len, &split))
        return rask_fail("%u bytes came that are no file split of version %d", bytes.len,
                         RASKI_FILE_SPLIT_VERSION);
    char message[512];
    begin_at(self, &split);
    self->split_end = split.length < 0 ? -1 : split.offset + split.length;
    self->file_size = split.file_size;
    self->at_end = self->has_returns = false;
    self->begin = self->end = self->searched = 0;
    self->file = strdup(split.path);
    self->split = split;
    self->split.path = self->file;
    if (self->file == NULL) return rask_fail("no memory to read \"%s\"", split.path);
    if (self->buffer == NULL && grow(self) != RASK_OK) return RASK_FAILED;
    self->source = raski_byte_source_open(split.path, self->to_drop > 0 ? 0 : self->line_start,
                                          message, sizeof message);
    return self->source ? RASK_OK : rask_fail("%s", message);
}

RASK_POSITION(read_lines, self, text) {
    raski_file_split rest = self->split;
    if (!self->skip_line) rest.position = self->line_start;
    size_t size = raski_file_split_size(rest.path_length);
    char *bytes = malloc(size);
    rask_status status = RASK_E_NOMEM;
    if (bytes != NULL) {
        raski_file_split_encode(&rest, bytes);
        status = rask_text_append(text, bytes, size);
        free(bytes);
    }
    return status == RASK_OK ? RASK_OK : rask_fail("no memory for the place in \"%s\"", rest.path);
}

RASK_CLOSE(read_lines, self) {
    (void)close_file(self);
    free(self->buffer);
    self->buffer = NULL;
    return RASK_OK;
}

/* ---------------------------------------------------------------- the connector */
typedef struct memory {
    reader initial;
    char path[];
} memory;

static void destroy(raski_connector *connector) {
    free(connector->memory);
}

raski_connector raski_text_source_sized(const char *path, int64_t monitor_ms, size_t split_bytes,
                                        size_t buffer_bytes) {
    size_t size = strlen(path) + 1;
    memory *m = calloc(1, sizeof *m + size);
    if (m == NULL) return (raski_connector){0};
    memcpy(m->path, path, size);
    m->initial.path = m->path;
    m->initial.split_bytes = (int64_t)split_bytes;
    m->initial.monitor_ms = monitor_ms;
    m->initial.first_bytes = buffer_bytes;
    return (raski_connector){
        .fn = &raski_fn_read_lines.base, .self = &m->initial, .memory = m, .destroy = destroy};
}

raski_connector raski_text_source(const char *path, int64_t monitor_ms) {
    return raski_text_source_sized(path, monitor_ms, 0, BUFFER_BYTES);
}
