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

enum { READ_BYTES = 64 * 1024, CONNECT_TIMEOUT_MS = 10000, PADDING = 64, RETRY_DELAY_MS = 500 };
static const size_t LINE_BYTES_MAX = (size_t)1 << 30;

typedef struct socket_reader {
    const char *host;      /* of the connector */
    const char *delimiter; /* of the connector */
    size_t delimiter_length;
    bool drops_return;                /* the delimiter is a line end */
    int retries_left;                 /* -1: as many as it takes */
    int64_t retry_delay_ms, retry_ms; /* retry_ms: when to connect again, if it waits for that */
    int port, fd;
    struct addrinfo *addresses;  /* of the host; until connected */
    const struct addrinfo *next; /* to be tried when the one being tried fails */
    int problem;                 /* of the last one that failed */
    int64_t deadline_ms;         /* of the one being tried */
    char *buffer;
    size_t capacity, begin, end;
    size_t searched; /* bytes from begin that hold no line's end */
    bool connected, at_end, waits_for_retry;
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

/* The connection cannot be made or was lost: whether it is tried again, later. What came without a
 * delimiter stays, for the next connection to go on with. */
static bool try_later(socket_reader *self) {
    if (self->retries_left == 0) return false;
    if (self->retries_left > 0) self->retries_left--;
    close_socket(self, 0);
    if (self->addresses != NULL) freeaddrinfo(self->addresses);
    self->addresses = NULL;
    self->connected = false;
    self->waits_for_retry = true;
    self->retry_ms = now_ms() + self->retry_delay_ms;
    return true;
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
    const int problem = self->problem;
    if (try_later(self)) return RASK_OK;
    return rask_fail("cannot connect to %s:%d: %s", self->host, self->port, strerror(problem));
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
    errno = 0;
    do n = recv(self->fd, self->buffer + self->end, self->capacity - self->end, 0);
    while (n < 0 && errno == EINTR);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return RASK_IDLE;
    const int problem = errno;
    if (n <= 0 && try_later(self)) return RASK_OK;
    if (n < 0)
        return rask_fail("cannot read from %s:%d: %s", self->host, self->port, strerror(problem));
    self->at_end = n == 0;
    self->end += (size_t)n;
    memset(self->buffer + self->end, 0, PADDING);
    return RASK_OK;
}

static const char *find_end(const socket_reader *self, const char *from, size_t length) {
    if (self->delimiter_length == 1) return memchr(from, self->delimiter[0], length);
    return memmem(from, length, self->delimiter, self->delimiter_length);
}

RASK_SOURCE(read_socket, socket_reader, self, rask_string, out) {
    if (self->waits_for_retry) {
        int64_t left_ms = self->retry_ms - now_ms();
        if (left_ms > 0) {
            rask_idle_ns(out, left_ms * 1000000);
            return RASK_IDLE;
        }
        self->waits_for_retry = false;
        rask_status status = find_host(self);
        return status == RASK_OK ? RASK_MORE : status;
    }
    if (!self->connected) {
        rask_status status = go_on_connecting(self);
        return status == RASK_OK ? RASK_MORE : status;
    }
    while (self->begin < self->end) {
        const char *line = self->buffer + self->begin;
        size_t left = self->end - self->begin;
        const char *end = find_end(self, line + self->searched, left - self->searched);
        if (end == NULL && !self->at_end) {
            /* a delimiter may have begun in the last bytes */
            size_t known = self->delimiter_length - 1;
            self->searched = left > known ? left - known : 0;
            break;
        }
        size_t length = end ? (size_t)(end - line) : left;
        self->begin += length + (end != NULL ? self->delimiter_length : 0);
        self->searched = 0;
        if (end != NULL && self->drops_return && length > 0 && line[length - 1] == '\r') length--;
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
    char texts[]; /* host, delimiter */
} memory;

static void destroy(raski_connector *connector) {
    free(connector->memory);
}

raski_connector raski_socket_source(const char *host, int port,
                                    const rask_socket_options *options) {
    const char *delimiter = options->delimiter ? options->delimiter : "\n";
    size_t size = strlen(host) + 1;
    size_t delimiter_length = strlen(delimiter);
    memory *m = calloc(1, sizeof *m + size + delimiter_length + 1);
    if (m == NULL) return (raski_connector){0};
    memcpy(m->texts, host, size);
    memcpy(m->texts + size, delimiter, delimiter_length + 1);
    m->initial = (socket_reader){
        .host = m->texts,
        .delimiter = m->texts + size,
        .delimiter_length = delimiter_length,
        .drops_return = strcmp(delimiter, "\n") == 0,
        .retries_left = options->max_retries,
        .retry_delay_ms = options->retry_delay_ms ? options->retry_delay_ms : RETRY_DELAY_MS,
        .port = port,
        .fd = -1};
    return (raski_connector){
        .fn = &raski_fn_read_socket.base, .self = &m->initial, .memory = m, .destroy = destroy};
}
