/* Records of files in a format (JSON, CSV), read into structs by the format's reader. Texts of
 * records borrow from the buffer, which is filled again only after everything that borrows from it
 * was handed on. Flink: FileSource with a StreamFormat, DeserializationSchemaAdapter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "connectors/connectors.h"
#include "connectors/file_split.h"
#include "connectors/record_file.h"
#include "connectors/record_format.h"
#include "rask/function.h"

typedef struct memory memory;

typedef struct source {
    const memory *shared; /* of the connector */
    rask_format_reader *reader;
    raski_record_file file;
    raski_file_split split; /* the running one, as it is; path: file.path */
    int64_t start;          /* where the file was opened */
    int64_t split_end;      /* records that start there or later are not ours; -1: all are */
    bool skip_record;       /* the first one belongs to the split before */
    bool skip_header;       /* the first one is the header */
    rask_counter *errors;
} source;

static const raski_states source_states = {"source", sizeof(source), NULL, 0};

struct memory {
    raski_fn fn;
    source initial;
    raski_record_format format; /* owned */
    size_t split_bytes;         /* 0: chosen by the file's size */
    int64_t monitor_ms;         /* look for new files after that time; 0: never */
    char path[];
};

/* ---------------------------------------------------------------- errors */
/* Line ends before offset (\r alone is none in JSON); -1: the file cannot be read again. */
static int64_t count_lines(const char *path, int64_t offset, bool counts_returns) {
    char bytes[16384];
    char message[256];
    raski_byte_source *s = raski_byte_source_open(path, 0, message, sizeof message);
    int64_t lines = 0;
    int64_t left = offset + 1; /* whether a \n follows the last \r */
    char last = '\0';
    while (s != NULL && left > 0) {
        size_t wanted = left < (int64_t)sizeof bytes ? (size_t)left : sizeof bytes;
        int64_t n = raski_byte_source_read(s, bytes, wanted, message, sizeof message);
        if (n <= 0) break;
        left -= n;
        for (int64_t i = 0; i < n; i++) {
            lines += last == '\n' || (counts_returns && last == '\r' && bytes[i] != '\n');
            last = bytes[i];
        }
    }
    raski_byte_source_close(s);
    return left == 0 ? lines : -1;
}

/* FILE:LINE:COLUMN: field "x": message */
static rask_status fail_at(const source *self, const raski_record_text *record,
                           const rask_format_error *error) {
    int64_t before = self->start > 0
                         ? count_lines(self->file.path, self->start, self->shared->format.is_csv)
                         : 0;
    rask_format_error in_file = *error;
    char text[sizeof error->field + sizeof error->message + 64];
    if (before < 0) { /* it has changed meanwhile */
        rask_format_error_text(error, text, sizeof text);
        return rask_fail("%s: record at byte %lld: %s", self->file.path,
                         (long long)record->position, text);
    }
    in_file.line += before + record->lines;
    rask_format_error_text(&in_file, text, sizeof text);
    return rask_fail("%s:%s", self->file.path, text);
}

static rask_status fail_file(const source *self) {
    return rask_fail("%s", self->file.message);
}

/* ---------------------------------------------------------------- records */
static rask_status read_one(source *self, const raski_record_text *record, void *ret_record) {
    rask_format_error error = {.line = 1, .column = 1};
    rask_status status = RASK_E_CORRUPT;
    if (record->is_too_large)
        (void)snprintf(error.message, sizeof error.message,
                       "the record has more than %zu bytes, the limit (record_bytes_max)%s",
                       self->reader->record_bytes_max,
                       self->reader->newline_ends ? "" : "; is a quote not closed?");
    else
        status =
            raski_format_read_found(self->reader, record->text, record->length, ret_record, &error);
    if (status == RASK_OK) return RASK_OK;
    if (status == RASK_E_CORRUPT && raski_record_format_ignores_errors(&self->shared->format)) {
        rask_count(self->errors, 1);
        return RASK_MORE; /* without it */
    }
    return fail_at(self, record, &error);
}

static rask_status read_header(source *self, const raski_record_text *record) {
    rask_format_error error = {0};
    if (!self->reader->needs_header) return RASK_OK;
    rask_status status = rask_csv_read_header(self->reader, record->text, record->length, &error);
    return status == RASK_OK ? RASK_OK : fail_at(self, record, &error);
}

static rask_status end_split(source *self) {
    raski_record_file_close(&self->file);
    return RASK_END;
}

/* What borrows from buffer and reader was handed on: both are used again. */
static rask_status refill(source *self, rask_ctx *ctx) {
    rask_format_reader_clear(self->reader);
    rask_status status = raski_record_file_fill(&self->file, self->reader);
    if (status == RASK_FAILED) return fail_file(self);
    if (status == RASK_IDLE) {
        ctx->wake_fd = raski_byte_source_fd(self->file.source);
        ctx->wake_ns = INT64_C(3600) * 1000000000;
        return RASK_IDLE;
    }
    return RASK_MORE;
}

/* Reads from the buffer into ctx->buf, behind n records. RASK_OK: there is no more room; RASK_MORE:
 * the buffer has no more; RASK_END: the split has not. */
static rask_status read_buffer(source *self, rask_ctx *ctx, size_t *n) {
    const size_t size = self->shared->fn.out->size;
    while (*n < ctx->cap) {
        raski_record_text record;
        rask_status status = raski_record_file_next(&self->file, self->reader, &record);
        if (status != RASK_OK) return status;
        if (self->split_end >= 0 && record.position >= self->split_end) return RASK_END;
        if (self->skip_record) {
            self->skip_record = false;
        } else if (record.is_blank) {
            continue;
        } else if (self->skip_header) {
            self->skip_header = false;
            if (read_header(self, &record) != RASK_OK) return RASK_FAILED;
        } else {
            status = read_one(self, &record, (char *)ctx->buf + *n * size);
            if (status < 0) return status;
            *n += status == RASK_OK;
        }
    }
    return RASK_OK;
}

/* Goes on until there is a record, so that each call comes further; but not for ever, so that a job
 * that finds none can be cancelled. */
static rask_status next(void *self_p, rask_ctx *ctx, size_t *ret_n) {
    enum { REFILLS_MAX = 64 };
    source *self = self_p;
    for (int refills = 0;; refills++) {
        size_t n = 0;
        rask_status status = read_buffer(self, ctx, &n);
        *ret_n = n;
        if (status < 0) return status;
        if (status == RASK_OK) return RASK_MORE;
        (void)raski_flush(ctx, n);
        *ret_n = 0;
        if (status == RASK_END) return end_split(self);
        status = refill(self, ctx);
        if (status != RASK_MORE || n > 0 || ctx->cap == 0 || rask_cancelled()) return status;
        if (self->file.to_drop > 0) refills = 0; /* all of that in one call */
        if (refills == REFILLS_MAX) return status;
    }
}

/* ---------------------------------------------------------------- splits */
/* Where records begin, for files that may not be cut anywhere. */
typedef struct cutter {
    rask_format_reader *reader;
    raski_record_file file;
} cutter;

static rask_status find_cut(void *context, const char *path, int64_t size, int64_t from,
                            int64_t *ret_offset) {
    cutter *c = context;
    if (c->file.path == NULL || strcmp(c->file.path, path) != 0 || c->file.position > from)
        if (raski_record_file_open(&c->file, path, 0, size) != RASK_OK)
            return rask_fail("%s", c->file.message);
    raski_record_text record;
    for (;;) {
        if (c->file.position >= from && !c->file.is_dropped) break;
        rask_status status = raski_record_file_next(&c->file, c->reader, &record);
        if (status == RASK_OK) continue;
        if (status == RASK_END) break;
        if (raski_record_file_fill(&c->file, c->reader) != RASK_OK)
            return rask_fail("%s", c->file.message);
    }
    *ret_offset = c->file.position < size ? c->file.position : size;
    return RASK_OK;
}

static rask_status enumerate(void *self_p, raski_splits *splits) {
    const memory *m = ((source *)self_p)->shared;
    char message[256];
    cutter c = {.reader =
                    raski_record_format_reader(&m->format, m->fn.out, message, sizeof message)};
    if (c.reader == NULL) return rask_fail("%s", message);
    const raski_file_cutter cuts = {c.reader->newline_ends ? NULL : find_cut, &c};
    rask_status status =
        raski_enumerate_files_cut(m->path, (int64_t)m->split_bytes, m->monitor_ms, &cuts, splits);
    rask_format_reader_destroy(c.reader);
    raski_record_file_fini(&c.file);
    return status;
}

/* The header of a file whose middle is read. */
static rask_status read_header_of(source *self, const char *path) {
    if (raski_record_file_open(&self->file, path, 0, -1) != RASK_OK) return fail_file(self);
    raski_record_text record = {.is_blank = true};
    while (record.is_blank) {
        rask_status status = raski_record_file_next(&self->file, self->reader, &record);
        if (status == RASK_END) return rask_fail("\"%s\" has no header any more", path);
        if (status == RASK_MORE && raski_record_file_fill(&self->file, self->reader) != RASK_OK)
            return fail_file(self);
        if (status == RASK_MORE) record.is_blank = true;
    }
    self->start = 0;
    return read_header(self, &record);
}

/* A pipe is where it is. */
static bool is_pipe(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static rask_status add_split(void *self_p, rask_bytes bytes) {
    source *self = self_p;
    raski_file_split split;
    if (!raski_file_split_decode(rask_bytes_data(&bytes), bytes.len, &split))
        return rask_fail("%u bytes came that are no file split of version %d", bytes.len,
                         RASKI_FILE_SPLIT_VERSION);
    const bool goes_on = split.position > 0;
    const bool is_first = split.offset == 0 && !goes_on;
    if (self->reader->needs_header && !is_first && read_header_of(self, split.path) != RASK_OK)
        return RASK_FAILED;
    self->skip_record = split.offset > 0 && !goes_on && self->reader->newline_ends;
    self->skip_header = is_first && self->reader->has_header;
    self->split_end = split.length < 0 ? -1 : split.offset + split.length;
    self->start = goes_on ? split.position : split.offset - (self->skip_record ? 1 : 0);
    if (goes_on && is_pipe(split.path)) self->start = 0;
    self->split = split;
    if (raski_record_file_open(&self->file, split.path, self->start, split.file_size) != RASK_OK)
        return fail_file(self);
    self->split.path = self->file.path;
    return RASK_OK;
}

/* The split with what is left of it. */
static rask_status position(void *self_p, rask_text *text) {
    const source *self = self_p;
    const raski_record_file *f = &self->file;
    raski_file_split rest = self->split;
    if (!self->skip_record && !self->skip_header)
        rest.position = f->is_dropped ? f->dropped_position : f->position;
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

static rask_status open_source(void *self_p) {
    source *self = self_p;
    char message[256];
    self->errors = rask_counter_of("numParseErrors");
    self->reader = raski_record_format_reader(&self->shared->format, self->shared->fn.out, message,
                                              sizeof message);
    return self->reader ? RASK_OK : rask_fail("%s", message);
}

static rask_status close_source(void *self_p) {
    source *self = self_p;
    rask_format_reader_destroy(self->reader);
    raski_record_file_fini(&self->file);
    self->reader = NULL;
    return RASK_OK;
}

static const raski_hook open_hook = {.open = open_source};
static const raski_hook close_hook = {.close = close_source};
static const raski_hook enumerate_hook = {.enumerate = enumerate};
static const raski_hook add_split_hook = {.add_split = add_split};
static const raski_hook position_hook = {.position = position};

/* ---------------------------------------------------------------- the connector */
static void destroy(raski_connector *connector) {
    memory *m = connector->memory;
    raski_record_format_fini(&m->format);
    free(m);
}

raski_connector raski_record_source_sized(const rask_type *type, const char *path,
                                          int64_t monitor_ms, const raski_record_format *format,
                                          size_t split_bytes, size_t buffer_bytes) {
    size_t size = strlen(path) + 1;
    memory *m = calloc(1, sizeof *m + size);
    if (m == NULL || !raski_record_format_copy(&m->format, format)) {
        free(m);
        return (raski_connector){0};
    }
    memcpy(m->path, path, size);
    m->split_bytes = split_bytes;
    m->monitor_ms = monitor_ms;
    m->initial.shared = m;
    m->initial.file.first_bytes = buffer_bytes;
    m->fn = (raski_fn){.abi = RASKI_FN_ABI,
                       .size = sizeof(raski_fn),
                       .kind = RASKI_FN_SPLIT_SOURCE,
                       .name = raski_record_format_source_name(format),
                       .file = __FILE__,
                       .line = __LINE__,
                       .out = type,
                       .next = next,
                       .self = &source_states,
                       .open = &open_hook,
                       .close = &close_hook,
                       .enumerate = &enumerate_hook,
                       .add_split = &add_split_hook,
                       .position = &position_hook};
    return (raski_connector){.fn = &m->fn, .self = &m->initial, .memory = m, .destroy = destroy};
}

raski_connector raski_record_source(const rask_type *type, const char *path, int64_t monitor_ms,
                                    const raski_record_format *format) {
    return raski_record_source_sized(type, path, monitor_ms, format, 0, 0);
}
