/* Socket source and sink, with servers of the tests' own on free ports. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <rask/rask.h>

/* ---------------------------------------------------------------- socket */
/* A server that sends pieces, each when the one before was taken, and closes. The piece LOSE closes
 * too, and waits for the next connection. */
static const char LOSE[] = "(lose the connection)";
typedef struct server {
    int listener, port;
    const char *const *pieces; /* NULL-terminated; NULL: accepts and sends nothing until stopped */
    pthread_t thread;
    int stop[2]; /* a pipe: closed to stop */
} server;

static void send_text(int fd, const char *text) {
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t n = send(fd, text, left, MSG_NOSIGNAL);
        if (n <= 0) return;
        text += n;
        left -= (size_t)n;
    }
}

static void *serve(void *context) {
    server *s = context;
    int fd = accept(s->listener, NULL, NULL);
    if (fd < 0) return NULL;
    for (size_t i = 0; s->pieces != NULL && s->pieces[i] != NULL; i++) {
        if (s->pieces[i] != LOSE) {
            send_text(fd, s->pieces[i]);
            continue;
        }
        (void)close(fd);
        fd = accept(s->listener, NULL, NULL);
        if (fd < 0) return NULL;
    }
    char byte;
    if (s->pieces == NULL) (void)!read(s->stop[0], &byte, 1);
    (void)close(fd);
    return NULL;
}

static void start_server(server *s, const char *const *pieces) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    *s = (server){.pieces = pieces};
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(s->listener >= 0);
    assert_int_equal(bind(s->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(s->listener, 1), 0);
    assert_int_equal(getsockname(s->listener, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(pipe(s->stop), 0);
    s->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop_server(server *s) {
    (void)close(s->stop[1]);
    assert_int_equal(pthread_join(s->thread, NULL), 0);
    (void)close(s->stop[0]);
    (void)close(s->listener);
}

static void check_socket_with(rask_socket_options options, const char *const *pieces,
                              const char *const *expected) {
    server s;
    start_server(&s, pieces);
    rask_env *env = rask_env_create(NULL, NULL);
    rask_iterator(rask_string) it = rask_execute_and_collect(
        rask_socket_text(env, "127.0.0.1", s.port, .socket = options), "socket");
    size_t i = 0;
    for (rask_string line; rask_next(&it, &line); i++) {
        assert_non_null(expected[i]);
        if (!rask_string_is(line, expected[i]))
            fail_msg("\"%.*s\" instead of \"%s\"", RASK_STR(line), expected[i]);
    }
    assert_null(expected[i]);
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
    stop_server(&s);
}

static void check_socket(const char *const *pieces, const char *const *expected) {
    check_socket_with((rask_socket_options){0}, pieces, expected);
}

static void delimiters(void **state) {
    (void)state;
    check_socket_with((rask_socket_options){.delimiter = "--"},
                      (const char *const[]){"x-", "-y\r\n--", "----z-", NULL},
                      (const char *const[]){"x", "y\r\n", "", "", "z-", NULL});
    check_socket_with((rask_socket_options){.delimiter = "aab"},
                      (const char *const[]){"1a", "a", "aab2aa", "b", NULL},
                      (const char *const[]){"1aa", "2", NULL});
    check_socket_with((rask_socket_options){.delimiter = ";"},
                      (const char *const[]){"1\n;2\r;", NULL},
                      (const char *const[]){"1\n", "2\r", NULL});
}

static void lost_connections(void **state) {
    (void)state;
    const rask_socket_options twice = {.max_retries = 2, .retry_delay_ms = 1};
    check_socket_with(twice, (const char *const[]){"a\nb", LOSE, "c\n", LOSE, "d\n", NULL},
                      (const char *const[]){"a", "bc", "d", NULL});
    server s;
    start_server(&s, (const char *const[]){"1\n", LOSE, LOSE, LOSE, "2\n", LOSE, "3\n", NULL});
    rask_env *env = rask_env_create(NULL, NULL);
    rask_iterator(rask_string) it = rask_execute_and_collect(
        rask_socket_text(env, "127.0.0.1", s.port,
                         .socket = {.max_retries = -1, .retry_delay_ms = 1}),
        "socket");
    rask_string line;
    for (int i = 1; i <= 3; i++) {
        assert_true(rask_next(&it, &line));
        assert_int_equal(rask_string_data(&line)[0], '0' + i);
    }
    assert_int_equal(rask_close(&it), RASK_EXIT_OK); /* cancelled while it tries again */
    (void)shutdown(s.listener, SHUT_RDWR);
    stop_server(&s);
}

static void wrong_options(void **state) {
    (void)state;
    static const struct {
        rask_socket_options options;
        const char *expected;
    } wrong[] = {
        {{.delimiter = ""}, "needs a .socket.delimiter that is not empty"},
        {{.max_retries = -2}, "needs .socket.max_retries of at least 0, or -1"},
        {{.retry_delay_ms = -1}, "needs .socket.retry_delay_ms of at least 0"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rask_env *env = rask_env_create(NULL, NULL);
        rask_job_result result;
        rask_discard(rask_socket_text(env, "127.0.0.1", 1, .socket = wrong[i].options));
        assert_int_equal(rask_execute_job(env, "socket", &result), RASK_EXIT_FAILED);
        if (strstr(result.message, wrong[i].expected) == NULL) fail_msg("%s", result.message);
        rask_env_destroy(env);
    }
}

static void lines_of_a_socket(void **state) {
    (void)state;
    check_socket((const char *const[]){"one\ntwo\r\n", "thr", "ee", "\n", "\n\r\nlast", NULL},
                 (const char *const[]){"one", "two", "three", "", "", "last", NULL});
    check_socket((const char *const[]){NULL}, (const char *const[]){NULL});
    check_socket((const char *const[]){"\n", NULL}, (const char *const[]){"", NULL});
    check_socket((const char *const[]){"a\rb\n", NULL}, (const char *const[]){"a\rb", NULL});
}

static void a_long_line_of_a_socket(void **state) {
    (void)state;
    enum { SIZE = 3000000 };
    char *line = malloc(SIZE + 1);
    assert_non_null(line);
    memset(line, 'x', SIZE);
    line[SIZE] = '\0';
    check_socket((const char *const[]){"a\n", line, "\nb\n", NULL},
                 (const char *const[]){"a", line, "b", NULL});
    free(line);
}

/* ---------------------------------------------------------------- socket sink */
/* Takes connections, each until it has so many bytes (0: until its end), then closes it. */
typedef struct taker {
    int listener, port;
    size_t bytes_of_first;
    char text[65536];
    size_t length;
    pthread_t thread;
} taker;

static void take_connection(taker *t, size_t bytes) {
    int fd = accept(t->listener, NULL, NULL);
    if (fd < 0) return;
    const size_t begin = t->length;
    char piece[4096];
    while (bytes == 0 || t->length < begin + bytes) {
        size_t room = bytes ? begin + bytes - t->length : sizeof piece;
        ssize_t n = recv(fd, piece, room < sizeof piece ? room : sizeof piece, 0);
        if (n <= 0) break;
        for (ssize_t k = 0; k < n; k++, t->length++)
            if (t->length < sizeof t->text - 1) t->text[t->length] = piece[k];
    }
    (void)close(fd);
}

static void *take_all(void *context) {
    taker *t = context;
    if (t->bytes_of_first > 0) take_connection(t, t->bytes_of_first);
    take_connection(t, 0);
    return NULL;
}

static void start_taker(taker *t, size_t bytes_of_first) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    memset(t, 0, sizeof *t);
    t->bytes_of_first = bytes_of_first;
    t->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(t->listener >= 0);
    assert_int_equal(bind(t->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(t->listener, 4), 0);
    assert_int_equal(getsockname(t->listener, (struct sockaddr *)&address, &size), 0);
    t->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&t->thread, NULL, take_all, t), 0);
}

static void stop_taker(taker *t) {
    (void)shutdown(t->listener, SHUT_RDWR);
    assert_int_equal(pthread_join(t->thread, NULL), 0);
    (void)close(t->listener);
}

static void records_to_a_socket(void **state) {
    (void)state;
    static taker t;
    rask_job_result result;
    start_taker(&t, 0);
    rask_env *env = rask_env_create(NULL, NULL);
    rask_write_socket(rask_sequence(env, 1, 3000, .parallelism = 1), "127.0.0.1", t.port,
                      .parallelism = 1, .socket = {.delimiter = ";"});
    assert_int_equal(rask_execute_job(env, "socket", &result), RASK_EXIT_OK);
    rask_env_destroy(env);
    assert_int_equal(pthread_join(t.thread, NULL), 0);
    (void)close(t.listener);
    char *p = t.text;
    for (long n = 1; n <= 3000; n++) {
        assert_int_equal(strtol(p, &p, 10), n);
        assert_int_equal(*p++, ';');
    }
    assert_int_equal(*p, '\0');
}

/* The server goes away in the middle: more than the system takes is still to be sent. */
RASK_MAP(wide, int64_t, n, rask_string) {
    return rask_string_format("%0100lld", (long long)n);
}
static void a_lost_connection_of_a_sink(void **state) {
    (void)state;
    static taker t;
    rask_job_result result;
    for (int retries = 0; retries <= 1; retries++) {
        start_taker(&t, 1000);
        rask_env *env = rask_env_create(NULL, NULL);
        rask_write_socket(rask_map(rask_sequence(env, 1, 200000), wide), "127.0.0.1", t.port,
                          .parallelism = 1,
                          .socket = {.max_retries = retries ? -1 : 0, .retry_delay_ms = 1});
        int code = rask_execute_job(env, "socket", &result);
        rask_env_destroy(env);
        if (retries == 0) {
            assert_int_equal(code, RASK_EXIT_FAILED);
            char expected[64];
            (void)snprintf(expected, sizeof expected, "cannot write to 127.0.0.1:%d: ", t.port);
            if (strstr(result.message, expected) == NULL) fail_msg("%s", result.message);
        } else {
            if (code != RASK_EXIT_OK) fail_msg("%s", result.message);
            assert_int_equal(pthread_join(t.thread, NULL), 0); /* the second one has ended */
            (void)close(t.listener);
            assert_true(t.length > 1000);
        }
        if (retries == 0) stop_taker(&t);
    }
}

static void a_sink_without_a_server(void **state) {
    (void)state;
    static taker t;
    start_taker(&t, 0);
    stop_taker(&t); /* now nobody listens there */
    rask_env *env = rask_env_create(NULL, NULL);
    rask_job_result result;
    rask_write_socket(rask_sequence(env, 1, 3), "127.0.0.1", t.port,
                      .socket = {.max_retries = 2, .retry_delay_ms = 1});
    assert_int_equal(rask_execute_job(env, "socket", &result), RASK_EXIT_FAILED);
    if (strstr(result.message, ": Connection refused") == NULL) fail_msg("%s", result.message);
    rask_env_destroy(env);
    env = rask_env_create(NULL, NULL);
    rask_write_socket(rask_sequence(env, 1, 3), NULL, 1);
    assert_int_equal(rask_execute_job(env, "socket", &result), RASK_EXIT_FAILED);
    assert_non_null(strstr(result.message, "rask_write_socket needs a host and a port"));
    rask_env_destroy(env);
}

static void nobody_listens(void **state) {
    (void)state;
    server s;
    start_server(&s, (const char *const[]){NULL});
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)s.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    stop_server(&s); /* now the port is free */
    (void)close(fd);
    rask_env *env = rask_env_create(NULL, NULL);
    rask_discard(rask_socket_text(env, "127.0.0.1", s.port,
                                  .socket = {.max_retries = 3, .retry_delay_ms = 1}));
    rask_job_result result;
    assert_int_equal(rask_execute_job(env, "socket", &result), RASK_EXIT_FAILED);
    char expected[128];
    (void)snprintf(expected, sizeof expected, "cannot connect to 127.0.0.1:%d: Connection refused",
                   s.port);
    if (strstr(result.message, expected) == NULL) fail_msg("%s", result.message);
    rask_env_destroy(env);
}

static void no_such_host(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_discard(rask_socket_text(env, "no host has a name with spaces", 1));
    rask_job_result result;
    assert_int_equal(rask_execute_job(env, "socket", &result), RASK_EXIT_FAILED);
    assert_non_null(
        strstr(result.message, "cannot find the host \"no host has a name with spaces\""));
    rask_env_destroy(env);
}

/* The server says nothing; the program no longer wants to wait. */
static void cancelled_while_waiting(void **state) {
    (void)state;
    server s;
    start_server(&s, NULL);
    rask_env *env = rask_env_create(NULL, NULL);
    rask_iterator(rask_string) it =
        rask_execute_and_collect(rask_socket_text(env, "127.0.0.1", s.port), "socket");
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
    /* the job may have been cancelled before it connected: let the server go in any case */
    (void)shutdown(s.listener, SHUT_RDWR);
    stop_server(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_a_socket),
        cmocka_unit_test(delimiters),
        cmocka_unit_test(lost_connections),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(a_long_line_of_a_socket),
        cmocka_unit_test(records_to_a_socket),
        cmocka_unit_test(a_lost_connection_of_a_sink),
        cmocka_unit_test(a_sink_without_a_server),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(no_such_host),
        cmocka_unit_test(cancelled_while_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
