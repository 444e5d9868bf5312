#include "connectors/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool failed(const char *what, const char *name, char *message, size_t size) {
    (void)snprintf(message, size, "cannot %s \"%s\": %s", what, name, strerror(errno));
    return false;
}

/* "folder/.part-3.inprogress.4711.0" */
static char *in_progress_of(const char *target, unsigned number) {
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash - target + 1) : 0;
    char *text = NULL;
    int length = asprintf(&text, "%.*s.%s.inprogress.%ld.%u", folder, target, target + folder,
                          (long)getpid(), number);
    return length < 0 ? NULL : text;
}

static bool open_in_place(const char *path, int flags, raski_output_file *file, char *message,
                          size_t size) {
    file->fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    return file->fd >= 0 || failed("write to", path, message, size);
}

/* A private file stays private when its content is replaced; one that must not be written is not
 * replaced either, though its folder would allow that. */
static bool open_beside(const char *path, const struct stat *old, unsigned number,
                        raski_output_file *file, char *message, size_t size) {
    if (old != NULL && access(path, W_OK) != 0) return failed("write to", path, message, size);
    file->in_progress = in_progress_of(file->target, number);
    if (file->in_progress == NULL) return failed("write to", path, message, size);
    file->fd = open(file->in_progress, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file->fd < 0) {
        (void)failed("create", path, message, size);
        free(file->in_progress);
        file->in_progress = NULL;
        return false;
    }
    if (old != NULL) (void)fchmod(file->fd, old->st_mode & 07777);
    return true;
}

/* Standard output or error of this process, if old is that: what others wrote there stays. -1: no.
 */
static int standard_stream(const struct stat *old) {
    for (int fd = 1; fd <= 2; fd++) {
        struct stat info;
        if (fstat(fd, &info) == 0 && info.st_dev == old->st_dev && info.st_ino == old->st_ino)
            return fcntl(fd, F_DUPFD_CLOEXEC, 3);
    }
    return -1;
}

bool raski_output_file_open(const char *path, bool append, unsigned number,
                            raski_output_file *ret_file, char *message, size_t size) {
    raski_output_file file = RASKI_OUTPUT_FILE_NONE;
    struct stat old;
    const bool exists = stat(path, &old) == 0;
    bool ok = true;
    *ret_file = file;
    if (exists && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return failed("write to", path, message, size);
    }
    file.target = exists && S_ISREG(old.st_mode) ? realpath(path, NULL) : strdup(path);
    if (file.target == NULL) return failed("write to", path, message, size);
    file.fd = exists ? standard_stream(&old) : -1;
    if (file.fd >= 0)
        ok = true;
    else if (exists && !S_ISREG(old.st_mode))
        ok = open_in_place(path, 0, &file, message, size);
    else if (append)
        ok = open_in_place(path, O_CREAT | O_APPEND, &file, message, size);
    else
        ok = open_beside(path, exists ? &old : NULL, number, &file, message, size);
    if (ok)
        *ret_file = file;
    else
        free(file.target);
    return ok;
}

bool raski_output_file_finish(raski_output_file *file, char *message, size_t size) {
    /* Not everything can be synced (/dev/stdout, a pipe): then nothing is there to make durable. */
    if (fsync(file->fd) != 0 && errno != EINVAL && errno != EROFS)
        return failed("write to", file->target, message, size);
    int fd = file->fd;
    file->fd = -1;
    return close(fd) == 0 || failed("write to", file->target, message, size);
}

/* Makes the rename itself durable. */
static void sync_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
                   slash ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    (void)close(fd);
}

bool raski_output_file_commit(raski_output_file *file, char *message, size_t size) {
    if (file->in_progress == NULL) return true;
    if (rename(file->in_progress, file->target) != 0)
        return failed("write to", file->target, message, size);
    free(file->in_progress);
    file->in_progress = NULL;
    sync_folder(file->target);
    return true;
}

void raski_output_file_abandon(raski_output_file *file) {
    if (file->target != NULL && file->fd >= 0) (void)close(file->fd);
    if (file->in_progress != NULL) (void)unlink(file->in_progress);
    free(file->target);
    free(file->in_progress);
    *file = RASKI_OUTPUT_FILE_NONE;
}
