/* A line per record into a file that appears whole when the subtask has finished, or not at all: it
 * is written beside its place under a hidden name, made durable, and renamed.
 * Flink: FileSink.forRowFormat, whose in-progress files are renamed on commit. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "connectors/connectors.h"
#include "rask/function.h"

enum { WRITE_BYTES = 256 * 1024 };

typedef struct writer {
    const rask_type *type;
    const char *path; /* of the connector */
    bool append;
    char *target;      /* of this subtask */
    char *in_progress; /* NULL: append, or not open */
    int fd;
    rask_text text; /* not yet written */
} writer;

static const raski_states writer_states = {"writer", sizeof(writer), NULL, 0};

/* "folder/part-3" or the path itself; NULL: no memory. */
static char *target_of(const char *path, bool parallel) {
    char *text = NULL;
    if (!parallel) return strdup(path);
    return asprintf(&text, "%s/part-%d", path, rask_runtime()->subtask_index) < 0 ? NULL : text;
}

/* "folder/.part-3.inprogress.4711" */
static char *in_progress_of(const char *target) {
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash - target + 1) : 0;
    char *text = NULL;
    int length = asprintf(&text, "%.*s.%s.inprogress.%ld", folder, target, target + folder,
                          (long)getpid());
    return length < 0 ? NULL : text;
}

/* Parents of path are made; path itself too if whole. */
static int make_folders(const char *path, bool whole) {
    char copy[PATH_MAX];
    size_t length = strnlen(path, sizeof copy);
    if (length == sizeof copy) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(copy, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (copy[i] != '/' && !(copy[i] == '\0' && whole)) continue;
        char c = copy[i];
        copy[i] = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST) return -1;
        copy[i] = c;
    }
    return 0;
}

static rask_status check_target(const writer *self, bool parallel) {
    struct stat info;
    if (make_folders(self->path, parallel) != 0)
        return rask_fail("cannot make the folder of \"%s\": %s", self->path, strerror(errno));
    if (stat(self->path, &info) != 0) return RASK_OK;
    if (parallel && !S_ISDIR(info.st_mode))
        return rask_fail("\"%s\" is a file, but %d subtasks write a folder of files: remove it, or "
                         "give the sink .parallelism = 1",
                         self->path, rask_runtime()->parallelism);
    if (!parallel && S_ISDIR(info.st_mode))
        return rask_fail("\"%s\" is a folder, but one subtask writes a file: give another name",
                         self->path);
    return RASK_OK;
}

static rask_status name_files(writer *self, bool parallel) {
    self->target = target_of(self->path, parallel);
    if (self->target != NULL && !self->append) self->in_progress = in_progress_of(self->target);
    if (self->target == NULL || (!self->append && self->in_progress == NULL))
        return rask_fail("no memory to write \"%s\"", self->path);
    return RASK_OK;
}

static rask_status open_writer(void *self_p) {
    writer *self = self_p;
    const bool parallel = rask_runtime()->parallelism > 1;
    self->fd = -1;
    rask_status status = check_target(self, parallel);
    if (status == RASK_OK) status = name_files(self, parallel);
    if (status != RASK_OK) return status;
    const char *name = self->append ? self->target : self->in_progress;
    self->fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | (self->append ? O_APPEND : O_TRUNC),
                    0666);
    if (self->fd < 0) return rask_fail("cannot create \"%s\": %s", name, strerror(errno));
    return RASK_OK;
}

static rask_status write_all(writer *self) {
    const char *from = self->text.data;
    size_t left = self->text.length;
    self->text.length = 0;
    while (left > 0) {
        ssize_t n = write(self->fd, from, left);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return rask_fail("cannot write to \"%s\": %s", self->target, strerror(errno));
        from += n;
        left -= (size_t)n;
    }
    return RASK_OK;
}

static size_t write_records(void *self_p, const void *in, size_t n, rask_ctx *ctx) {
    writer *self = self_p;
    for (size_t i = 0; i < n; i++) {
        ctx->i = i;
        rask_status status = rask_text_append_record(&self->text, self->type,
                                                     (const char *)in + i * self->type->size);
        if (status == RASK_OK) status = rask_text_append(&self->text, "\n", 1);
        if (status != RASK_OK) {
            (void)rask_fail("no memory to write a record to \"%s\"", self->target);
            return 0;
        }
        if (self->text.length >= WRITE_BYTES && write_all(self) != RASK_OK) return 0;
    }
    return 0;
}

/* Makes the rename itself durable. */
static void sync_folder(const char *file) {
    const char *slash = strrchr(file, '/');
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file + 1) : 1,
                   slash ? file : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    (void)close(fd);
}

static rask_status finish_writer(void *self_p) {
    writer *self = self_p;
    if (write_all(self) != RASK_OK) return RASK_FAILED;
    /* Not every file can be synced (/dev/stdout, a pipe): then there is nothing to make durable. */
    if (fsync(self->fd) != 0 && errno != EINVAL && errno != EROFS)
        return rask_fail("cannot write to \"%s\": %s", self->target, strerror(errno));
    int fd = self->fd;
    self->fd = -1;
    if (close(fd) != 0)
        return rask_fail("cannot write to \"%s\": %s", self->target, strerror(errno));
    if (self->append) return RASK_OK;
    if (rename(self->in_progress, self->target) != 0)
        return rask_fail("cannot rename \"%s\" to \"%s\": %s", self->in_progress, self->target,
                         strerror(errno));
    free(self->in_progress);
    self->in_progress = NULL;
    sync_folder(self->target);
    return RASK_OK;
}

static rask_status close_writer(void *self_p) {
    writer *self = self_p;
    if (self->fd >= 0) (void)close(self->fd);
    if (self->in_progress != NULL) (void)unlink(self->in_progress);
    free(self->target);
    free(self->in_progress);
    free(self->text.data);
    self->target = self->in_progress = NULL;
    self->text = (rask_text){0};
    self->fd = -1;
    return RASK_OK;
}

static const raski_hook open_hook = {.open = open_writer};
static const raski_hook finish_hook = {.finish = finish_writer};
static const raski_hook close_hook = {.close = close_writer};

/* ---------------------------------------------------------------- the connector */
typedef struct memory {
    raski_fn fn;
    writer initial;
    char path[];
} memory;

static void destroy(raski_connector *connector) {
    free(connector->memory);
}

raski_connector raski_text_sink(const rask_type *type, const char *path, bool append) {
    size_t size = strlen(path) + 1;
    memory *m = calloc(1, sizeof *m + size);
    if (m == NULL) return (raski_connector){0};
    memcpy(m->path, path, size);
    m->initial = (writer){.type = type, .path = m->path, .append = append, .fd = -1};
    m->fn = (raski_fn){.abi = RASKI_FN_ABI,
                       .size = sizeof(raski_fn),
                       .kind = RASKI_FN_SINK,
                       .name = "write text",
                       .file = __FILE__,
                       .line = __LINE__,
                       .in = type,
                       .run = write_records,
                       .self = &writer_states,
                       .open = &open_hook,
                       .finish = &finish_hook,
                       .close = &close_hook};
    return (raski_connector){.fn = &m->fn, .self = &m->initial, .memory = m, .destroy = destroy};
}
