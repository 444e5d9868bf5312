#include "connectors/write.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_MS = 50 }; /* how often a writer that waits looks whether it is cancelled */

/* Whether a write can make the task wait for somebody else. */
static bool can_wait(int fd) {
    struct stat info;
    return fstat(fd, &info) == 0 && !S_ISREG(info.st_mode);
}

/* A pipe that can be written to takes PIPE_BUF bytes at once: the whole lines of them, if any. */
static size_t first_lines(const char *bytes, size_t length) {
    if (length <= PIPE_BUF) return length;
    const char *end = memrchr(bytes, '\n', PIPE_BUF);
    return end != NULL ? (size_t)(end - bytes) + 1 : PIPE_BUF;
}

static rask_status wait_for_room(int fd) {
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    while (poll(&p, 1, LOOK_MS) == 0)
        if (rask_cancelled()) return RASK_E_CANCELLED;
    return RASK_OK; /* also after a failure: the write will tell it */
}

rask_status raski_write(int fd, const char *bytes, size_t length, const char *name) {
    const bool waits = length > 0 && can_wait(fd);
    while (length > 0) {
        size_t part = waits ? first_lines(bytes, length) : length;
        if (waits && wait_for_room(fd) != RASK_OK) return RASK_E_CANCELLED;
        ssize_t n = write(fd, bytes, part);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n < 0 && errno == EPIPE) return rask_pipe_closed();
        if (n < 0) return rask_fail("cannot write to %s: %s", name, strerror(errno));
        bytes += n;
        length -= (size_t)n;
    }
    return RASK_OK;
}
