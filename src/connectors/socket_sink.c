/* A line per record to a TCP server, the records of a batch at once. A connection that is lost is
 * made again as often as the options say; what was under way then may come twice or in part, as
 * with any connection. Flink: SocketClientSink. */
#include <errno.h>
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

enum { CONNECT_TIMEOUT_MS = 10000, RETRY_DELAY_MS = 500, LOOK_MS = 100 };

typedef struct writer {
    const rask_type *type;
    const char *host, *delimiter; /* of the connector */
    int port, fd;
    int retries_left; /* -1: as many as it takes */
    int64_t retry_delay_ms;
    rask_text text; /* of a batch */
} writer;

static const raski_states writer_states = {"writer", sizeof(writer), NULL, 0};

static int64_t now_ms(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits until fd can be written to, deadline_ms has come (ETIMEDOUT) or the job is cancelled
 * (ECANCELED); fd -1: only for one of the latter. 0 or the error. */
static int wait_for(int fd, int64_t deadline_ms) {
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        int64_t left = deadline_ms - now_ms();
        if (rask_cancelled()) return ECANCELED;
        if (left <= 0) return ETIMEDOUT;
        int n = poll(&p, 1, left < LOOK_MS ? (int)left : LOOK_MS);
        if (n > 0) return 0;
        if (n < 0 && errno != EINTR) return errno;
    }
}

static void disconnect(writer *self) {
    if (self->fd >= 0) (void)close(self->fd);
    self->fd = -1;
}

static int connect_to(writer *self, const struct addrinfo *a) {
    int problem = 0;
    socklen_t size = sizeof problem;
    self->fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (self->fd < 0) return errno;
    if (connect(self->fd, a->ai_addr, a->ai_addrlen) != 0) {
        problem = errno;
        if (problem == EINPROGRESS) problem = wait_for(self->fd, now_ms() + CONNECT_TIMEOUT_MS);
        if (problem == 0 && getsockopt(self->fd, SOL_SOCKET, SO_ERROR, &problem, &size) != 0)
            problem = errno;
    }
    if (problem != 0) disconnect(self);
    return problem;
}

/* 0, the error of the last address, or -1 when rask_fail was called. */
static int try_all(writer *self) {
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *addresses = NULL;
    char port[16];
    int problem = EHOSTUNREACH;
    (void)snprintf(port, sizeof port, "%d", self->port);
    int code = getaddrinfo(self->host, port, &hints, &addresses);
    if (code != 0) {
        (void)rask_fail("cannot find the host \"%s\": %s", self->host,
                        code == EAI_SYSTEM ? strerror(errno) : gai_strerror(code));
        return -1;
    }
    for (const struct addrinfo *a = addresses; a != NULL; a = a->ai_next) {
        problem = connect_to(self, a);
        if (problem == 0 || problem == ECANCELED) break;
    }
    freeaddrinfo(addresses);
    return problem;
}

/* After problem: connects again, later, if that is wanted. */
static rask_status reconnect(writer *self, const char *what, int problem) {
    while (problem > 0 && problem != ECANCELED && self->retries_left != 0) {
        if (self->retries_left > 0) self->retries_left--;
        disconnect(self);
        problem = wait_for(-1, now_ms() + self->retry_delay_ms);
        if (problem == ETIMEDOUT) problem = try_all(self);
        what = "connect";
    }
    if (problem == 0) return RASK_OK;
    if (problem == ECANCELED) return RASK_E_CANCELLED;
    if (problem < 0) return RASK_FAILED;
    return rask_fail("cannot %s to %s:%d: %s", what, self->host, self->port, strerror(problem));
}

static rask_status open_writer(void *self_p) {
    writer *self = self_p;
    self->fd = -1;
    rask_status status = reconnect(self, "connect", try_all(self));
    return status == RASK_E_CANCELLED ? RASK_OK : status;
}

static int send_some(const writer *self, size_t *from) {
    ssize_t n = send(self->fd, self->text.data + *from, self->text.length - *from, MSG_NOSIGNAL);
    if (n >= 0) {
        *from += (size_t)n;
        return 0;
    }
    if (errno == EINTR) return 0;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return errno;
    return wait_for(self->fd, INT64_MAX);
}

/* A new connection gets the batch from its start, so that no record is cut. */
static rask_status send_all(writer *self) {
    for (size_t from = 0; from < self->text.length;) {
        int problem = send_some(self, &from);
        if (problem == 0) continue;
        rask_status status = reconnect(self, "write", problem);
        if (status != RASK_OK) return status;
        from = 0;
    }
    return RASK_OK;
}

static size_t write_records(void *self_p, const void *in, size_t n, rask_ctx *ctx) {
    writer *self = self_p;
    self->text.length = 0;
    for (size_t i = 0; i < n; i++) {
        ctx->i = i;
        rask_status status = rask_text_append_record(&self->text, self->type,
                                                     (const char *)in + i * self->type->size);
        if (status == RASK_OK)
            status = rask_text_append(&self->text, self->delimiter, strlen(self->delimiter));
        if (status != RASK_OK) {
            (void)rask_fail("no memory to write a record to %s:%d", self->host, self->port);
            return 0;
        }
    }
    if (self->fd >= 0) (void)send_all(self);
    return 0;
}

static rask_status close_writer(void *self_p) {
    writer *self = self_p;
    disconnect(self);
    free(self->text.data);
    self->text = (rask_text){0};
    return RASK_OK;
}

static const raski_hook open_hook = {.open = open_writer};
static const raski_hook close_hook = {.close = close_writer};

/* ---------------------------------------------------------------- the connector */
typedef struct memory {
    raski_fn fn;
    writer initial;
    char texts[]; /* host, delimiter */
} memory;

static void destroy(raski_connector *connector) {
    free(connector->memory);
}

raski_connector raski_socket_sink(const rask_type *type, const char *host, int port,
                                  const rask_socket_options *options) {
    const char *delimiter = options->delimiter ? options->delimiter : "\n";
    size_t size = strlen(host) + 1;
    size_t delimiter_size = strlen(delimiter) + 1;
    memory *m = calloc(1, sizeof *m + size + delimiter_size);
    if (m == NULL) return (raski_connector){0};
    memcpy(m->texts, host, size);
    memcpy(m->texts + size, delimiter, delimiter_size);
    m->initial = (writer){
        .type = type,
        .host = m->texts,
        .delimiter = m->texts + size,
        .port = port,
        .fd = -1,
        .retries_left = options->max_retries,
        .retry_delay_ms = options->retry_delay_ms ? options->retry_delay_ms : RETRY_DELAY_MS};
    m->fn = (raski_fn){.abi = RASKI_FN_ABI,
                       .size = sizeof(raski_fn),
                       .kind = RASKI_FN_SINK,
                       .name = "socket sink",
                       .file = __FILE__,
                       .line = __LINE__,
                       .in = type,
                       .run = write_records,
                       .self = &writer_states,
                       .open = &open_hook,
                       .close = &close_hook};
    return (raski_connector){.fn = &m->fn, .self = &m->initial, .memory = m, .destroy = destroy};
}
