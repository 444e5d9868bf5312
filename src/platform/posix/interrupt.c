/* interrupt.c - Ctrl-C. The signal handler only sets a flag and writes a byte; a helper thread
 * sleeps on a pipe and calls the hook, so that the hook may do anything. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "platform/process.h"
#include "platform/thread.h"

static const int WATCHED[] = {SIGINT, SIGTERM};
enum { WATCHED_COUNT = sizeof WATCHED / sizeof *WATCHED };

/* Signal handlers have no context: this is the one global of the module. */
static struct {
    _Atomic int signal_number;
    int wake[2];   /* handler -> helper: 's' a signal, 'q' quit */
    int public[2]; /* readable once requested */
    void (*on_interrupt)(void *context);
    void *context;
    raski_thread *helper;
    struct sigaction before[WATCHED_COUNT];
    bool is_on;
} state;

static void on_signal(int number) {
    int saved = errno, none = 0;
    if (!atomic_compare_exchange_strong(&state.signal_number, &none, number)) _exit(128 + number);
    while (write(state.public[1], "s", 1) < 0 && errno == EINTR) {
    }
    while (write(state.wake[1], "s", 1) < 0 && errno == EINTR) {
    }
    errno = saved;
}

static void helper_main(void *context) {
    (void)context;
    char what;
    for (;;) {
        ssize_t got = read(state.wake[0], &what, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got != 1 || what == 'q') return;
        if (state.on_interrupt != NULL) state.on_interrupt(state.context);
    }
}

static void close_pipes(void) {
    for (int i = 0; i < 2; i++) {
        if (state.wake[i] >= 0) (void)close(state.wake[i]);
        if (state.public[i] >= 0) (void)close(state.public[i]);
        state.wake[i] = state.public[i] = -1;
    }
}

rask_status raski_interrupt_init(void (*on_interrupt)(void *context), void *context,
                                 raski_error *err) {
    if (state.is_on) {
        return RASKI_FAIL(err, RASK_E_INTERNAL, INTERNAL, "interrupts are handled already");
    }
    atomic_store(&state.signal_number, 0);
    state.on_interrupt = on_interrupt;
    state.context = context;
    state.wake[0] = state.wake[1] = state.public[0] = state.public[1] = -1;
    if (pipe2(state.wake, O_CLOEXEC) != 0 || pipe2(state.public, O_CLOEXEC) != 0) {
        int reason = errno;
        close_pipes();
        return RASKI_FAIL(err, RASK_E_IO, EXTERNAL, "cannot make a pipe for signals: %s",
                          strerror(reason));
    }
    rask_status status =
        raski_thread_create("rask-signals", 0, helper_main, NULL, &state.helper, err);
    if (status != RASK_OK) {
        close_pipes();
        return status;
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    (void)sigemptyset(&action.sa_mask);
    for (int i = 0; i < WATCHED_COUNT; i++) {
        (void)sigaction(WATCHED[i], &action, &state.before[i]);
    }
    (void)signal(SIGPIPE, SIG_IGN);
    state.is_on = true;
    return RASK_OK;
}

bool raski_interrupt_requested(void) {
    return raski_interrupt_signal() != 0;
}

int raski_interrupt_signal(void) {
    return atomic_load_explicit(&state.signal_number, memory_order_relaxed);
}

int raski_interrupt_fd(void) {
    return state.is_on ? state.public[0] : -1;
}

void raski_interrupt_fini(void) {
    if (!state.is_on) return;
    for (int i = 0; i < WATCHED_COUNT; i++) (void)sigaction(WATCHED[i], &state.before[i], NULL);
    while (write(state.wake[1], "q", 1) < 0 && errno == EINTR) {
    }
    raski_thread_join(state.helper);
    state.helper = NULL;
    state.is_on = false;
    close_pipes();
}
