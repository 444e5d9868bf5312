#include "platform/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/file.h"

bool raski_file_is_executable(const char *path) {
    return access(path, X_OK) == 0;
}

static rask_status cannot_run(raski_error *err, const char *path, int reason) {
    /* ENOEXEC is the usual end of a program for another machine, or of a script without #! */
    const char *text = reason == ENOEXEC ? "this machine cannot execute such a file (is it built "
                                           "for another processor, or a script without #!?)"
                                         : strerror(reason);
    rask_status status = reason == ENOENT ? RASK_E_NOT_FOUND : RASK_E_IO;
    return RASKI_FAIL(err, status, EXTERNAL, "cannot run \"%s\": %s", path, text);
}

void raski_process_replace(const char *path, char *const *argv, raski_error *err) {
    (void)execv(path, argv);
    (void)cannot_run(err, path, errno);
}

/* Starts the program with its standard output on write_fd. */
static int spawn(const char *path, char *const *argv, int write_fd, pid_t *ret_child) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawn_file_actions_adddup2(&actions, write_fd, STDOUT_FILENO);
    if (error == 0) error = posix_spawn(ret_child, path, &actions, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

static rask_status read_output(int fd, const char *path, size_t limit, raski_str *output,
                               raski_error *err) {
    char chunk[8192];
    size_t count;
    do {
        RASKI_TRY(raski_file_read(fd, path, chunk, sizeof chunk, &count, err));
        if (count > limit - output->length)
            return RASKI_FAIL(err, RASK_E_UNSUPPORTED, USER, "\"%s\" printed more than %zu bytes",
                              path, limit);
        raski_str_append_bytes(output, chunk, count);
    } while (count > 0);
    return RASK_OK;
}

rask_status raski_process_capture(const char *path, char *const *argv, size_t limit,
                                  raski_str *output, raski_child_end *ret_end, raski_error *err) {
    int fds[2];
    pid_t child;
    int wait_status;
    if (pipe2(fds, O_CLOEXEC) != 0)
        return RASKI_FAIL(err, RASK_E_IO, EXTERNAL, "cannot make a pipe: %s", strerror(errno));
    int error = spawn(path, argv, fds[1], &child);
    raski_file_close_quietly(fds[1]);
    if (error != 0) {
        raski_file_close_quietly(fds[0]);
        return cannot_run(err, path, error);
    }
    rask_status status = read_output(fds[0], path, limit, output, err);
    raski_file_close_quietly(fds[0]);
    if (status != RASK_OK) (void)kill(child, SIGKILL);
    pid_t waited;
    do {
        waited = waitpid(child, &wait_status, 0);
    } while (waited < 0 && errno == EINTR);
    if (status != RASK_OK) return status;
    if (waited < 0)
        return RASKI_FAIL(err, RASK_E_IO, EXTERNAL, "cannot wait for \"%s\": %s", path,
                          strerror(errno));
    *ret_end = WIFSIGNALED(wait_status) ? (raski_child_end){.signal = WTERMSIG(wait_status)}
                                        : (raski_child_end){.exit_code = WEXITSTATUS(wait_status)};
    return RASK_OK;
}
