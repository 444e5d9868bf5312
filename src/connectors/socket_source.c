/* The lines that a TCP server sends. Flink: env.socketTextStream, SocketTextStreamFunction. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "connectors/connectors.h"
#include "rask/function.h"

enum { READ_BYTES = 64 * 1024, CONNECT_TIMEOUT_MS = 10000, PADDING = 64 };
static const size_t LINE_BYTES_MAX = (size_t)1 << 30;

typedef struct socket_reader {
    const char *host; /* of the connector */
    int port, fd;
    struct addrinfo *addresses;  /* of the host; until connected */
    const struct addrinfo *next; /* to be tried when the one being tried fails */
    int problem;                 /* of the last one that failed */
    int64_t deadline_ms;         /* of the one being tried */
    char *buffer;
    size_t capacity, begin, end;
    size_t searched; /* bytes from begin that hold no line's end */
    bool connected, at_end;
} socket_reader;
RASK_INSTANCE(socket_reader);

/* ---------------------------------------------------------------- connecting */
static int64_t now_ms(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void close_socket(socket_reader *self, int problem) {
    if (self->fd >= 0) (void)close(self->fd);
    self->fd = -1;
    self->problem = problem;
}

/* Starts to connect to the next address that can be tried at all. */
static rask_status try_next(socket_reader *self) {
    while (self->next != NULL) {
        const struct addrinfo *a = self->next;
        self->next = a->ai_next;
        self->fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        self->deadline_ms = now_ms() + CONNECT_TIMEOUT_MS;
        if (self->fd >= 0 &&
            (connect(self->fd, a->ai_addr, a->ai_addrlen) == 0 || errno == EINPROGRESS))
            return RASK_OK;
        close_socket(self, errno);
    }
    return rask_fail("cannot connect to %s:%d: %s", self->host, self->port,
                     strerror(self->problem));
}

/* RASK_OK once connected, RASK_IDLE while that is not decided. Does not wait, so that the job can
 * be cancelled meanwhile. */
static rask_status go_on_connecting(socket_reader *self) {
    struct pollfd p = {.fd = self->fd, .events = POLLOUT};
    int problem = 0;
    socklen_t size = sizeof problem;
    if (poll(&p, 1, 0) <= 0) {
        if (now_ms() < self->deadline_ms) return RASK_IDLE;
        problem = ETIMEDOUT;
    } else if (getsockopt(self->fd, SOL_SOCKET, SO_ERROR, &problem, &size) != 0) {
        problem = errno;
    }
    if (problem == 0) {
        self->connected = true;
        freeaddrinfo(self->addresses);
        self->addresses = NULL;
        return RASK_OK;
    }
    close_socket(self, problem);
    rask_status status = try_next(self);
    return status == RASK_OK ? RASK_IDLE : status;
}

static rask_status find_host(socket_reader *self) {
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    char port[16];
    (void)snprintf(port, sizeof port, "%d", self->port);
    int code = getaddrinfo(self->host, port, &hints, &self->addresses);
    if (code != 0)
        return rask_fail("cannot find the host \"%s\": %s", self->host,
                         code == EAI_SYSTEM ? strerror(errno) : gai_strerror(code));
    self->next = self->addresses;
    return try_next(self);
}

/* ---------------------------------------------------------------- reading */
static rask_status grow(socket_reader *self) {
    if (self->capacity >= LINE_BYTES_MAX)
        return rask_fail("%s:%d sent a line of more than %zu bytes, the limit", self->host,
                         self->port, LINE_BYTES_MAX);
    size_t capacity = self->capacity ? self->capacity * 2 : READ_BYTES;
    char *buffer = realloc(self->buffer, capacity + PADDING);
    if (buffer == NULL) return rask_fail("no memory for a line from %s:%d", self->host, self->port);
    self->buffer = buffer;
    self->capacity = capacity;
    return RASK_OK;
}

/* RASK_OK, RASK_IDLE when nothing is there, or a failure. */
static rask_status receive(socket_reader *self) {
    if (self->begin < self->end && self->begin > 0)
        memmove(self->buffer, self->buffer + self->begin, self->end - self->begin);
    self->end -= self->begin;
    self->begin = 0;
    if (self->end == self->capacity) {
        rask_status status = grow(self);
        if (status != RASK_OK) return status;
    }
    ssize_t n = 0;
    do n = recv(self->fd, self->buffer + self->end, self->capacity - self->end, 0);
    while (n < 0 && errno == EINTR);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return RASK_IDLE;
    if (n < 0)
        return rask_fail("cannot read from %s:%d: %s", self->host, self->port, strerror(errno));
    self->at_end = n == 0;
    self->end += (size_t)n;
    memset(self->buffer + self->end, 0, PADDING);
    return RASK_OK;
}

RASK_SOURCE(read_socket, socket_reader, self, rask_string, out) {
    if (!self->connected) {
        rask_status status = go_on_connecting(self);
        return status == RASK_OK ? RASK_MORE : status;
    }
    while (self->begin < self->end) {
        const char *line = self->buffer + self->begin;
        size_t left = self->end - self->begin;
        const char *newline = memchr(line + self->searched, '\n', left - self->searched);
        self->searched = left;
        if (newline == NULL && !self->at_end) break;
        size_t length = newline ? (size_t)(newline - line) : left;
        self->begin += length + (newline != NULL);
        self->searched = 0;
        if (length > 0 && line[length - 1] == '\r') length--;
        rask_emit(out, rask_string_of(line, length));
        if (out->cur == out->end) return RASK_MORE;
    }
    rask_flush(out); /* what was emitted borrows from the buffer */
    if (self->at_end) return RASK_END;
    rask_status status = receive(self);
    if (status == RASK_IDLE) {
        rask_idle_fd(out, self->fd);
        rask_idle_ns(out, INT64_C(3600) * 1000000000);
    }
    return status == RASK_OK ? RASK_MORE : status;
}

RASK_OPEN(read_socket, self) {
    self->fd = -1;
    return find_host(self);
}

RASK_CLOSE(read_socket, self) {
    close_socket(self, 0);
    if (self->addresses != NULL) freeaddrinfo(self->addresses);
    self->addresses = NULL;
    free(self->buffer);
    self->buffer = NULL;
    return RASK_OK;
}

/* ---------------------------------------------------------------- the connector */
typedef struct memory {
    socket_reader initial;
    char host[];
} memory;

static void destroy(raski_connector *connector) {
    free(connector->memory);
}

raski_connector raski_socket_source(const char *host, int port) {
    size_t size = strlen(host) + 1;
    memory *m = calloc(1, sizeof *m + size);
    if (m == NULL) return (raski_connector){0};
    memcpy(m->host, host, size);
    m->initial = (socket_reader){.host = m->host, .port = port, .fd = -1};
    return (raski_connector){
        .fn = &raski_fn_read_socket.base, .self = &m->initial, .memory = m, .destroy = destroy};
}
