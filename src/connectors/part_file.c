#include "connectors/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "connectors/little_endian.h"

enum { VERSION = 1, HEAD_BYTES = 4 + 1 + 3 * 8 };

static bool failed(const char *what, const char *path, char *message, size_t size) {
    (void)snprintf(message, size, "cannot %s \"%s\": %s", what, path, strerror(errno));
    return false;
}

/* ---------------------------------------------------------------- in progress */
static bool open_new(const char *folder, const char *name, raski_part_file *part) {
    for (int tries = 0; tries < 100; tries++) {
        uint64_t number = 0;
        if (getentropy(&number, sizeof number) != 0) return false;
        free(part->hidden);
        if (asprintf(&part->hidden, "%s/.%s.inprogress.%016llx", folder, name,
                     (unsigned long long)number) < 0) {
            part->hidden = NULL;
            errno = ENOMEM;
            return false;
        }
        part->fd = open(part->hidden, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (part->fd >= 0 || errno != EEXIST) return part->fd >= 0;
    }
    return false;
}

bool raski_part_file_create(const char *folder, const char *name, int64_t now_ms,
                            raski_part_file *ret_part, char *message, size_t size) {
    raski_part_file part = {
        .state = RASKI_PART_IN_PROGRESS, .fd = -1, .created_ms = now_ms, .updated_ms = now_ms};
    *ret_part = RASKI_PART_FILE_NONE;
    if (asprintf(&part.target, "%s/%s", folder, name) < 0) {
        (void)snprintf(message, size, "no memory to write to \"%s\"", folder);
        return false;
    }
    if (!open_new(folder, name, &part)) {
        (void)failed("create", part.target, message, size);
        free(part.hidden);
        free(part.target);
        return false;
    }
    *ret_part = part;
    return true;
}

static bool open_again(raski_part_file *part, char *message, size_t size) {
    if (part->fd >= 0) return true;
    part->fd = open(part->hidden, O_WRONLY | O_APPEND | O_CLOEXEC);
    return part->fd >= 0 || failed("write to", part->target, message, size);
}

bool raski_part_file_write(raski_part_file *part, const char *bytes, size_t length, char *message,
                           size_t size) {
    if (!open_again(part, message, size)) return false;
    while (length > 0) {
        ssize_t n = write(part->fd, bytes, length);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failed("write to", part->target, message, size);
        part->size += n;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

void raski_part_file_park(raski_part_file *part) {
    if (part->fd >= 0) (void)close(part->fd);
    part->fd = -1;
}

bool raski_part_file_sync(raski_part_file *part, char *message, size_t size) {
    return open_again(part, message, size) &&
           (fsync(part->fd) == 0 || failed("write to", part->target, message, size));
}

bool raski_part_file_finish(raski_part_file *part, char *message, size_t size) {
    if (!raski_part_file_sync(part, message, size)) return false;
    int fd = part->fd;
    part->fd = -1;
    if (close(fd) != 0) return failed("write to", part->target, message, size);
    part->state = RASKI_PART_PENDING;
    return true;
}

/* ---------------------------------------------------------------- commit */
/* Makes a name in a folder durable. */
static void sync_folder(const char *path) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
                   slash ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    (void)close(fd);
}

/* Never over another file. */
static int rename_new(const char *from, const char *to) {
#ifdef RENAME_NOREPLACE
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1; /* else the file system has no such thing */
#endif
    if (access(to, F_OK) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, to);
}

static bool was_committed(const raski_part_file *part) {
    struct stat info;
    return stat(part->target, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == part->size;
}

bool raski_part_file_commit(raski_part_file *part, char *message, size_t size) {
    if (part->state == RASKI_PART_FINISHED) return true;
    if (rename_new(part->hidden, part->target) != 0) {
        int problem = errno;
        if (problem != ENOENT || !was_committed(part)) {
            errno = problem;
            if (problem == ENOENT)
                return failed("find the unfinished file of", part->target, message, size);
            return failed("finish", part->target, message, size);
        }
    }
    part->state = RASKI_PART_FINISHED;
    sync_folder(part->target);
    return true;
}

void raski_part_file_take_back(raski_part_file *part) {
    if (part->state == RASKI_PART_FINISHED) (void)unlink(part->target);
    part->state = RASKI_PART_NONE;
}

/* ---------------------------------------------------------------- the end */
void raski_part_file_leave(raski_part_file *part) {
    if (part->state == RASKI_PART_IN_PROGRESS) raski_part_file_park(part);
    free(part->target);
    free(part->hidden);
    *part = RASKI_PART_FILE_NONE;
}

void raski_part_file_abandon(raski_part_file *part) {
    if (part->state == RASKI_PART_IN_PROGRESS || part->state == RASKI_PART_PENDING)
        (void)unlink(part->hidden);
    raski_part_file_leave(part);
}

/* ---------------------------------------------------------------- bytes */
static rask_status append_path(rask_text *text, const char *path) {
    char length[4];
    size_t n = strlen(path);
    (void)raski_put(length, n, 4);
    rask_status status = rask_text_append(text, length, sizeof length);
    return status == RASK_OK ? rask_text_append(text, path, n) : status;
}

rask_status raski_part_file_encode(const raski_part_file *part, rask_text *text) {
    const size_t before = text->length;
    char head[HEAD_BYTES];
    char *p = raski_put(head, VERSION, 4);
    p = raski_put(p, (uint64_t)part->state, 1);
    p = raski_put(p, (uint64_t)part->size, 8);
    p = raski_put(p, (uint64_t)part->created_ms, 8);
    (void)raski_put(p, (uint64_t)part->updated_ms, 8);
    rask_status status = rask_text_append(text, head, sizeof head);
    if (status == RASK_OK) status = append_path(text, part->target);
    if (status == RASK_OK) status = append_path(text, part->hidden);
    if (status != RASK_OK) text->length = before;
    return status;
}

static char *read_path(const unsigned char **bytes, const unsigned char *end) {
    if (end - *bytes < 4) return NULL;
    uint64_t length = raski_get(bytes, 4);
    if (length == 0 || length >= PATH_MAX || length > (uint64_t)(end - *bytes)) return NULL;
    if (memchr(*bytes, '\0', (size_t)length) != NULL) return NULL;
    char *path = strndup((const char *)*bytes, (size_t)length);
    *bytes += length;
    return path;
}

static bool decode(const unsigned char **bytes, const unsigned char *end, raski_part_file *part) {
    if (end - *bytes < HEAD_BYTES || raski_get(bytes, 4) != VERSION) return false;
    part->state = (raski_part_state)raski_get(bytes, 1);
    part->size = (int64_t)raski_get(bytes, 8);
    part->created_ms = (int64_t)raski_get(bytes, 8);
    part->updated_ms = (int64_t)raski_get(bytes, 8);
    part->target = read_path(bytes, end);
    part->hidden = part->target ? read_path(bytes, end) : NULL;
    return part->hidden != NULL && part->size >= 0 &&
           (part->state == RASKI_PART_IN_PROGRESS || part->state == RASKI_PART_PENDING);
}

/* What was written after the bytes were made is written again. */
static bool cut(raski_part_file *part, char *message, size_t size) {
    struct stat info;
    if (!open_again(part, message, size)) return false;
    if (fstat(part->fd, &info) != 0 ||
        (info.st_size > part->size && ftruncate(part->fd, (off_t)part->size) != 0))
        return failed("write on in", part->target, message, size);
    if (info.st_size >= part->size) return true;
    (void)snprintf(message, size,
                   "\"%s\" (unfinished: \"%s\") has lost bytes: it had %lld, now it has %lld",
                   part->target, part->hidden, (long long)part->size, (long long)info.st_size);
    return false;
}

bool raski_part_file_recover(const unsigned char **bytes, const unsigned char *end,
                             raski_part_file *ret_part, char *message, size_t size) {
    raski_part_file part = RASKI_PART_FILE_NONE;
    *ret_part = part;
    if (!decode(bytes, end, &part)) {
        (void)snprintf(message, size, "these are not the bytes of a part file of version %d",
                       VERSION);
        raski_part_file_leave(&part);
        return false;
    }
    if (part.state == RASKI_PART_IN_PROGRESS && !cut(&part, message, size)) {
        raski_part_file_leave(&part);
        return false;
    }
    *ret_part = part;
    return true;
}
