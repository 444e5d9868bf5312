#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "platform/posix/file_private.h"

enum { WRITE_AT_ONCE_MAX = 1 << 30 }; /* Linux moves less than 2 GiB per call */

rask_status raski_file_fail(raski_error *err, const char *tried, const char *path, int reason) {
    rask_status status = reason == ENOENT   ? RASK_E_NOT_FOUND
                         : reason == ENOMEM ? RASK_E_NOMEM
                                            : RASK_E_IO;
    return raski_error_set(err, status, RASKI_CLASS_EXTERNAL, __FILE__, __LINE__,
                           "cannot %s \"%s\": %s", tried, path, strerror(reason));
}

rask_status raski_file_open(const char *path, raski_open_mode mode, int *ret_fd, raski_error *err) {
    static const int flags[] = {
        [RASKI_OPEN_READ] = O_RDONLY,
        [RASKI_OPEN_WRITE] = O_WRONLY | O_CREAT | O_TRUNC,
        [RASKI_OPEN_WRITE_NEW] = O_WRONLY | O_CREAT | O_EXCL,
        [RASKI_OPEN_APPEND] = O_WRONLY | O_CREAT | O_APPEND,
    };
    const char *tried = mode == RASKI_OPEN_READ ? "open" : "open for writing";
    int fd;
    do {
        fd = open(path, flags[mode] | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) return raski_file_fail(err, tried, path, errno);
    struct stat info;
    if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        (void)close(fd);
        return raski_file_fail(err, tried, path, EISDIR);
    }
    *ret_fd = fd;
    return RASK_OK;
}

rask_status raski_file_open_temporary(const char *directory, int *ret_fd, raski_error *err) {
#ifdef O_TMPFILE
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) {
        *ret_fd = fd;
        return RASK_OK;
    }
    /* file systems without it: a name that goes at once */
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
        return raski_file_fail(err, "make a temporary file in", directory, errno);
    }
#endif
    char *path = raski_format("%s/rask-XXXXXX", directory);
    int named = mkostemp(path, O_CLOEXEC);
    int reason = errno;
    if (named >= 0) (void)unlink(path);
    raski_free(path);
    if (named < 0) return raski_file_fail(err, "make a temporary file in", directory, reason);
    *ret_fd = named;
    return RASK_OK;
}

rask_status raski_file_read(int fd, const char *path, void *bytes, size_t size, size_t *ret_size,
                            raski_error *err) {
    for (;;) {
        ssize_t got = read(fd, bytes, size);
        if (got >= 0) {
            *ret_size = (size_t)got;
            return RASK_OK;
        }
        if (errno == EINTR) continue;
        return raski_file_fail(err, "read", path, errno);
    }
}

rask_status raski_file_pread(int fd, const char *path, void *bytes, size_t size, int64_t offset,
                             size_t *ret_size, raski_error *err) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(fd, (char *)bytes + done, size - done, offset + (int64_t)done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return raski_file_fail(err, "read", path, errno);
        if (got == 0) break;
        done += (size_t)got;
    }
    *ret_size = done;
    return RASK_OK;
}

/* offset -1: at the file's own position. */
static rask_status write_all(int fd, const char *path, const char *bytes, size_t size,
                             int64_t offset, raski_error *err) {
    while (size > 0) {
        size_t now = size < WRITE_AT_ONCE_MAX ? size : WRITE_AT_ONCE_MAX;
        ssize_t put = offset < 0 ? write(fd, bytes, now) : pwrite(fd, bytes, now, offset);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct pollfd polled = {.fd = fd, .events = POLLOUT};
            (void)poll(&polled, 1, -1); /* a pipe that somebody made non-blocking */
            continue;
        }
        if (put < 0) return raski_file_fail(err, "write to", path, errno);
        bytes += put;
        size -= (size_t)put;
        if (offset >= 0) offset += put;
    }
    return RASK_OK;
}

rask_status raski_file_write_all(int fd, const char *path, const void *bytes, size_t size,
                                 raski_error *err) {
    return write_all(fd, path, bytes, size, -1, err);
}

rask_status raski_file_pwrite_all(int fd, const char *path, const void *bytes, size_t size,
                                  int64_t offset, raski_error *err) {
    return write_all(fd, path, bytes, size, offset, err);
}

void raski_file_will_read_all(int fd) {
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}

rask_status raski_file_sync(int fd, const char *path, raski_error *err) {
    if (fsync(fd) == 0) return RASK_OK;
    if (errno == EINVAL || errno == EROFS) return RASK_OK; /* a pipe or device: nothing to sync */
    return raski_file_fail(err, "write to", path, errno);
}

rask_status raski_file_close(int fd, const char *path, raski_error *err) {
    /* EINTR: the descriptor is gone on Linux, closing again could hit another thread's file */
    if (fd < 0 || close(fd) == 0 || errno == EINTR) return RASK_OK;
    return raski_file_fail(err, "write to", path, errno);
}

void raski_file_close_quietly(int fd) {
    if (fd >= 0) (void)close(fd);
}

static void fill_info(const struct stat *from, raski_file_info *info) {
    info->kind = S_ISREG(from->st_mode)   ? RASKI_FILE_REGULAR
                 : S_ISDIR(from->st_mode) ? RASKI_FILE_DIRECTORY
                                          : RASKI_FILE_OTHER;
    info->size = from->st_size;
    info->modified_ms = (int64_t)from->st_mtim.tv_sec * 1000 + from->st_mtim.tv_nsec / 1000000;
    info->device = from->st_dev;
    info->inode = from->st_ino;
}

rask_status raski_file_stat(const char *path, raski_file_info *ret_info, raski_error *err) {
    struct stat info;
    if (stat(path, &info) != 0) return raski_file_fail(err, "read", path, errno);
    fill_info(&info, ret_info);
    return RASK_OK;
}

rask_status raski_file_stat_fd(int fd, const char *path, raski_file_info *ret_info,
                               raski_error *err) {
    struct stat info;
    if (fstat(fd, &info) != 0) return raski_file_fail(err, "read", path, errno);
    fill_info(&info, ret_info);
    return RASK_OK;
}

bool raski_file_exists(const char *path) {
    return access(path, F_OK) == 0;
}

rask_status raski_file_rename(const char *from, const char *to, raski_error *err) {
    if (rename(from, to) == 0) return RASK_OK;
    int reason = errno;
    return raski_error_set(err, reason == ENOENT ? RASK_E_NOT_FOUND : RASK_E_IO,
                           RASKI_CLASS_EXTERNAL, __FILE__, __LINE__,
                           "cannot rename \"%s\" to \"%s\": %s", from, to, strerror(reason));
}

rask_status raski_file_remove(const char *path, raski_error *err) {
    if (unlink(path) == 0 || errno == ENOENT) return RASK_OK;
    return raski_file_fail(err, "remove", path, errno);
}

rask_status raski_file_load(const char *path, size_t limit, char **ret_bytes, size_t *ret_size,
                            raski_error *err) {
    int fd = -1;
    RASKI_TRY(raski_file_open(path, RASKI_OPEN_READ, &fd, err));
    char *bytes = NULL;
    size_t size = 0, capacity = 0, got = 1;
    rask_status status = RASK_OK;
    while (status == RASK_OK && got > 0) {
        if (size > limit) {
            status =
                RASKI_FAIL(err, RASK_E_IO, USER, "\"%s\" has more than %zu bytes", path, limit);
            break;
        }
        if (capacity - size < 2) {
            capacity = capacity ? capacity * 2 : 16 * 1024;
            bytes = raski_realloc(bytes, capacity, 1);
        }
        status = raski_file_read(fd, path, bytes + size, capacity - size - 1, &got, err);
        if (status == RASK_OK) size += got;
    }
    raski_file_close_quietly(fd);
    if (status != RASK_OK) {
        raski_free(bytes);
        return status;
    }
    bytes[size] = '\0';
    *ret_bytes = bytes;
    *ret_size = size;
    return RASK_OK;
}
