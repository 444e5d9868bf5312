/* measured.c - runs a command and says what it cost.
 *
 *   measured REPORT COMMAND [ARGUMENT...]
 *
 * Writes one line of JSON to the file REPORT: wall time, user and system time of the process tree,
 * highest resident set, time from fork to the first byte on standard output, exit code (128 +
 * signal when killed). Standard output is passed on. It is a small C program because a child
 * starts with the resident set of its parent: measured from a scripting language, every small
 * program would seem to need that language's memory. */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure.h"

static double seconds_of(struct timeval t) {
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void fail(const char *what) {
    fprintf(stderr, "measured: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* Copies fd to standard output until its end; returns when the first byte came, or 0. */
static int64_t pass_on(int fd) {
    char bytes[65536];
    int64_t first_ns = 0;
    for (;;) {
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return first_ns;
        if (first_ns == 0) first_ns = bench_now_ns();
        for (ssize_t done = 0; done < got;) {
            ssize_t put = write(STDOUT_FILENO, bytes + done, (size_t)(got - done));
            if (put < 0 && errno != EINTR) fail("write");
            if (put > 0) done += put;
        }
    }
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: measured REPORT COMMAND [ARGUMENT...]\n");
        return 2;
    }
    int ends[2];
    if (pipe(ends) != 0) fail("pipe");
    int64_t started = bench_now_ns();
    pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        if (dup2(ends[1], STDOUT_FILENO) < 0) fail("dup2");
        close(ends[0]);
        close(ends[1]);
        execvp(argv[2], argv + 2);
        fail(argv[2]);
    }
    close(ends[1]);
    int64_t first_ns = pass_on(ends[0]);
    int status = 0;
    struct rusage usage;
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR) fail("wait4");
    int64_t ended = bench_now_ns();

    FILE *report = fopen(argv[1], "w");
    if (report == NULL) fail(argv[1]);
    fprintf(report,
            "{\"wall_ms\": %.3f, \"user_ms\": %.3f, \"system_ms\": %.3f, \"rss_peak_kb\": %ld, "
            "\"first_output_ms\": %.3f, \"exit\": %d}\n",
            (double)(ended - started) / 1e6, seconds_of(usage.ru_utime) * 1e3,
            seconds_of(usage.ru_stime) * 1e3, usage.ru_maxrss,
            first_ns ? (double)(first_ns - started) / 1e6 : -1.0,
            WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    if (fclose(report) != 0) fail(argv[1]);
    return 0;
}
