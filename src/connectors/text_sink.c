/* A line per record, as print shows it or in a format, into a file, or into a folder of files when
 * parallel. They appear when the whole job has succeeded, or not at all: subtasks finish their
 * files, the connector commits them all. Flink: FileSink.forRowFormat with a committer. */
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "connectors/connectors.h"
#include "connectors/output_file.h"
#include "connectors/write.h"
#include "formats/format.h"
#include "rask/function.h"

enum { WRITE_BYTES = 256 * 1024, MESSAGE_BYTES = 512 };

typedef struct memory memory;

typedef struct writer {
    const rask_type *type;
    memory *shared; /* of the connector */
    bool append;
    rask_format_writer *format; /* NULL: plain text */
    raski_output_file file;
    char *name;     /* the file's, in quotes, for messages */
    rask_text text; /* not yet written */
} writer;

static const raski_states writer_states = {"writer", sizeof(writer), NULL, 0};

/* A file that a subtask has finished; waits for the job's end. */
typedef struct finished_file {
    struct finished_file *next;
    raski_output_file file; /* owned */
} finished_file;

struct memory {
    raski_fn fn;
    writer initial;
    bool has_format;
    raski_record_format format;        /* owned; if has_format */
    unsigned number;                   /* of this sink in the process */
    _Atomic(finished_file *) finished; /* pushed by subtasks (release), read after they ended */
    _Atomic int parallelism;           /* of the last run; 0: none */
    _Atomic bool made_folder;          /* this job made path, a folder */
    char path[];
};

/* ---------------------------------------------------------------- open */
/* Parents of path are made; path itself too if whole. */
static int make_folders(memory *shared, bool whole) {
    char copy[PATH_MAX];
    size_t length = strnlen(shared->path, sizeof copy);
    if (length == sizeof copy) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(copy, shared->path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (copy[i] != '/' && !(copy[i] == '\0' && whole)) continue;
        char c = copy[i];
        copy[i] = '\0';
        if (mkdir(copy, 0777) == 0) {
            if (i == length) atomic_store(&shared->made_folder, true);
        } else if (errno != EEXIST) {
            return -1;
        }
        copy[i] = c;
    }
    return 0;
}

static rask_status check_target(memory *shared, bool parallel) {
    struct stat info;
    const bool exists = stat(shared->path, &info) == 0;
    if (exists && parallel && !S_ISDIR(info.st_mode))
        return rask_fail(
            "\"%s\" is a file, but %d subtasks write a folder of files: remove it, or "
            "give the sink .parallelism = 1",
            shared->path, rask_runtime()->parallelism);
    if (exists && !parallel && S_ISDIR(info.st_mode))
        return rask_fail("\"%s\" is a folder, but one subtask writes a file: give another name",
                         shared->path);
    if (!exists && !parallel && shared->path[strlen(shared->path) - 1] == '/')
        return rask_fail("\"%s\" names a folder, but one subtask writes a file: give its name",
                         shared->path);
    if (!exists && make_folders(shared, parallel) != 0)
        return rask_fail("cannot make the folder of \"%s\": %s", shared->path, strerror(errno));
    return RASK_OK;
}

static char *quoted(const char *name) {
    char *text = NULL;
    return asprintf(&text, "\"%s\"", name) < 0 ? NULL : text;
}

/* A file that is appended to has its header already, unless it is empty. */
static rask_status open_format(writer *self) {
    const memory *shared = self->shared;
    char message[MESSAGE_BYTES];
    struct stat info;
    if (!shared->has_format) return RASK_OK;
    self->format = raski_record_format_writer(&shared->format, self->type, message, sizeof message);
    if (self->format == NULL) return rask_fail("%s", message);
    const bool goes_on = self->append && fstat(self->file.fd, &info) == 0 &&
                         S_ISREG(info.st_mode) && info.st_size > 0;
    if (!self->format->writes_header || goes_on) return RASK_OK;
    rask_status status = rask_csv_append_header(self->format, &self->text);
    if (status == RASK_OK) status = rask_text_append(&self->text, "\n", 1);
    return status == RASK_OK ? RASK_OK : rask_fail("no memory to write \"%s\"", self->file.target);
}

static rask_status open_writer(void *self_p) {
    writer *self = self_p;
    memory *shared = self->shared;
    const rask_runtime_context *rt = rask_runtime();
    const bool parallel = rt->parallelism > 1;
    char message[MESSAGE_BYTES];
    char *part = NULL;
    self->file = RASKI_OUTPUT_FILE_NONE;
    atomic_store(&shared->parallelism, rt->parallelism);
    rask_status status = check_target(shared, parallel);
    if (status != RASK_OK) return status;
    if (parallel && asprintf(&part, "%s/part-%d", shared->path, rt->subtask_index) < 0)
        return rask_fail("no memory to write \"%s\"", shared->path);
    if (!raski_output_file_open(parallel ? part : shared->path, self->append, shared->number,
                                &self->file, message, sizeof message))
        status = rask_fail("%s", message);
    else if ((self->name = quoted(self->file.target)) == NULL)
        status = rask_fail("no memory to write \"%s\"", shared->path);
    free(part);
    return status == RASK_OK ? open_format(self) : status;
}

/* ---------------------------------------------------------------- write */
static rask_status write_all(writer *self) {
    size_t length = self->text.length;
    self->text.length = 0;
    return raski_write(self->file.fd, self->text.data, length, self->name);
}

static rask_status append_record(writer *self, const void *record) {
    rask_format_error error;
    char text[sizeof error.field + sizeof error.message + 64];
    rask_status status = self->format
                             ? rask_format_append(self->format, &self->text, record, &error)
                             : rask_text_append_record(&self->text, self->type, record);
    if (status == RASK_E_CORRUPT) {
        rask_format_error_text(&error, text, sizeof text);
        return rask_fail("cannot write a record to \"%s\": %s", self->file.target, text);
    }
    if (status == RASK_OK) status = rask_text_append(&self->text, "\n", 1);
    return status == RASK_OK
               ? RASK_OK
               : rask_fail("no memory to write a record to \"%s\"", self->file.target);
}

static size_t write_records(void *self_p, const void *in, size_t n, rask_ctx *ctx) {
    writer *self = self_p;
    for (size_t i = 0; i < n; i++) {
        ctx->i = i;
        if (append_record(self, (const char *)in + i * self->type->size) != RASK_OK) return 0;
        if (self->text.length >= WRITE_BYTES && write_all(self) != RASK_OK) return 0;
    }
    return 0;
}

/* ---------------------------------------------------------------- the end */
static rask_status finish_writer(void *self_p) {
    writer *self = self_p;
    char message[MESSAGE_BYTES];
    rask_status status = write_all(self);
    if (status != RASK_OK) return status;
    if (!raski_output_file_finish(&self->file, message, sizeof message))
        return rask_fail("%s", message);
    finished_file *f = malloc(sizeof *f);
    if (f == NULL) return rask_fail("no memory to finish \"%s\"", self->file.target);
    f->file = self->file;
    f->next = atomic_load_explicit(&self->shared->finished, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&self->shared->finished, &f->next, f,
                                                  memory_order_release, memory_order_relaxed)) {
    }
    self->file = RASKI_OUTPUT_FILE_NONE; /* the connector's now */
    return RASK_OK;
}

static rask_status close_writer(void *self_p) {
    writer *self = self_p;
    raski_output_file_abandon(&self->file);
    rask_format_writer_destroy(self->format);
    self->format = NULL;
    free(self->text.data);
    free(self->name);
    self->text = (rask_text){0};
    self->name = NULL;
    return RASK_OK;
}

/* Files of an earlier run with more subtasks would mix with those of this one. */
static void remove_stale_parts(const memory *m, int parallelism) {
    char path[PATH_MAX];
    for (int i = parallelism;; i++) {
        int length = snprintf(path, sizeof path, "%s/part-%d", m->path, i);
        if (length >= (int)sizeof path || unlink(path) != 0) return;
    }
}

/* Of two attempts of a subtask the later one, which stands before f, wrote the file again. */
static bool is_finished_again(const finished_file *finished, const finished_file *f) {
    for (; finished != f; finished = finished->next)
        if (strcmp(finished->file.target, f->file.target) == 0) return true;
    return false;
}

static bool end_job(raski_connector *connector, bool succeeded, char *message, size_t size) {
    memory *m = connector->memory;
    const int parallelism = atomic_exchange(&m->parallelism, 0);
    finished_file *finished = atomic_exchange_explicit(&m->finished, NULL, memory_order_acquire);
    bool ok = succeeded;
    for (finished_file *f = finished; f != NULL && ok; f = f->next)
        if (!is_finished_again(finished, f)) ok = raski_output_file_commit(&f->file, message, size);
    while (finished != NULL) {
        finished_file *next = finished->next;
        raski_output_file_abandon(&finished->file);
        free(finished);
        finished = next;
    }
    if (ok && parallelism > 1 && !m->initial.append) remove_stale_parts(m, parallelism);
    if (!ok && atomic_load(&m->made_folder)) (void)rmdir(m->path); /* unless it holds something */
    atomic_store(&m->made_folder, false);
    return ok || !succeeded;
}

static const raski_hook open_hook = {.open = open_writer};
static const raski_hook finish_hook = {.finish = finish_writer};
static const raski_hook close_hook = {.close = close_writer};

/* ---------------------------------------------------------------- the connector */
static void destroy(raski_connector *connector) {
    char message[MESSAGE_BYTES];
    (void)end_job(connector, false, message, sizeof message);
    memory *m = connector->memory;
    if (m->has_format) raski_record_format_fini(&m->format);
    free(m);
}

raski_connector raski_text_sink(const rask_type *type, const char *path, bool append) {
    return raski_record_sink(type, path, append, NULL);
}

raski_connector raski_record_sink(const rask_type *type, const char *path, bool append,
                                  const raski_record_format *format) {
    static _Atomic unsigned sinks;
    size_t size = strlen(path) + 1;
    memory *m = calloc(1, sizeof *m + size);
    if (m == NULL || (format != NULL && !raski_record_format_copy(&m->format, format))) {
        free(m);
        return (raski_connector){0};
    }
    memcpy(m->path, path, size);
    m->has_format = format != NULL;
    m->number = atomic_fetch_add(&sinks, 1);
    m->initial =
        (writer){.type = type, .shared = m, .append = append, .file = RASKI_OUTPUT_FILE_NONE};
    m->fn = (raski_fn){.abi = RASKI_FN_ABI,
                       .size = sizeof(raski_fn),
                       .kind = RASKI_FN_SINK,
                       .name = format ? raski_record_format_sink_name(format) : "write text",
                       .file = __FILE__,
                       .line = __LINE__,
                       .in = type,
                       .run = write_records,
                       .self = &writer_states,
                       .open = &open_hook,
                       .finish = &finish_hook,
                       .close = &close_hook};
    return (raski_connector){.fn = &m->fn,
                             .self = &m->initial,
                             .memory = m,
                             .writes_to = m->path,
                             .end_job = end_job,
                             .destroy = destroy};
}
