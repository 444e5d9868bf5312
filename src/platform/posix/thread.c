#include "platform/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "platform/clock.h"

enum { NAME_MAX_BYTES = 16, STACK_SIZE_DEFAULT = 1024 * 1024 };

struct raski_thread {
    pthread_t id;
    raski_thread_main run;
    void *context;
    char name[NAME_MAX_BYTES];
};

static void *thread_main(void *argument) {
    raski_thread *thread = argument;
    if (thread->name[0] != '\0') raski_thread_set_name(thread->name);
    thread->run(thread->context);
    return NULL;
}

/* Everything but what says that the thread itself went wrong: blocked, those would end the process
 * without a crash handler being asked. */
static void fill_blocked(sigset_t *set) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    (void)sigfillset(set);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) (void)sigdelset(set, own[i]);
}

rask_status raski_thread_create(const char *name, size_t stack_size, raski_thread_main run,
                                void *context, raski_thread **ret_thread, raski_error *err) {
    raski_thread *thread = RASKI_NEW(raski_thread);
    thread->run = run;
    thread->context = context;
    (void)snprintf(thread->name, sizeof thread->name, "%s", name);

    pthread_attr_t attributes;
    RASKI_ASSERT(pthread_attr_init(&attributes) == 0);
    (void)pthread_attr_setstacksize(&attributes, stack_size ? stack_size : STACK_SIZE_DEFAULT);
    sigset_t blocked, before;
    fill_blocked(&blocked);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before); /* the new thread inherits it */
    int failure = pthread_create(&thread->id, &attributes, thread_main, thread);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    if (failure != 0) {
        raski_free(thread);
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "cannot start thread \"%s\": %s", name,
                          strerror(failure));
    }
    *ret_thread = thread;
    return RASK_OK;
}

void raski_thread_join(raski_thread *thread) {
    if (thread == NULL) return;
    RASKI_ASSERT(pthread_join(thread->id, NULL) == 0);
    raski_free(thread);
}

void raski_thread_set_name(const char *name) {
    char cut[NAME_MAX_BYTES];
    (void)snprintf(cut, sizeof cut, "%s", name);
#ifdef __linux__
    (void)pthread_setname_np(pthread_self(), cut);
#endif
}

bool raski_thread_is_current(const raski_thread *thread) {
    return pthread_equal(thread->id, pthread_self()) != 0;
}

int64_t raski_thread_cpu_ns(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0) return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

uint32_t raski_processor_count(void) {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return (uint32_t)CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (uint32_t)count;
}

struct raski_mutex {
    pthread_mutex_t lock;
};

raski_mutex *raski_mutex_create(void) {
    raski_mutex *mutex = RASKI_NEW(raski_mutex);
    RASKI_ASSERT(pthread_mutex_init(&mutex->lock, NULL) == 0);
    return mutex;
}

void raski_mutex_destroy(raski_mutex *mutex) {
    if (mutex == NULL) return;
    RASKI_ASSERT(pthread_mutex_destroy(&mutex->lock) == 0);
    raski_free(mutex);
}

void raski_mutex_lock(raski_mutex *mutex) {
    RASKI_ASSERT(pthread_mutex_lock(&mutex->lock) == 0);
}

void raski_mutex_unlock(raski_mutex *mutex) {
    RASKI_ASSERT(pthread_mutex_unlock(&mutex->lock) == 0);
}

struct raski_cond {
    pthread_cond_t cond;
};

raski_cond *raski_cond_create(void) {
    raski_cond *cond = RASKI_NEW(raski_cond);
    pthread_condattr_t attributes;
    RASKI_ASSERT(pthread_condattr_init(&attributes) == 0);
    RASKI_ASSERT(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    RASKI_ASSERT(pthread_cond_init(&cond->cond, &attributes) == 0);
    (void)pthread_condattr_destroy(&attributes);
    return cond;
}

void raski_cond_destroy(raski_cond *cond) {
    if (cond == NULL) return;
    RASKI_ASSERT(pthread_cond_destroy(&cond->cond) == 0);
    raski_free(cond);
}

bool raski_cond_wait(raski_cond *cond, raski_mutex *mutex, int64_t deadline_ns) {
    int result = 0;
    if (deadline_ns == RASKI_FOREVER) {
        result = pthread_cond_wait(&cond->cond, &mutex->lock);
    } else {
        if (deadline_ns < 0) deadline_ns = 0;
        struct timespec t = {deadline_ns / 1000000000, deadline_ns % 1000000000};
        result = pthread_cond_timedwait(&cond->cond, &mutex->lock, &t);
    }
    RASKI_ASSERT(result == 0 || result == ETIMEDOUT);
    return result == 0;
}

void raski_cond_signal(raski_cond *cond) {
    (void)pthread_cond_signal(&cond->cond);
}

void raski_cond_broadcast(raski_cond *cond) {
    (void)pthread_cond_broadcast(&cond->cond);
}
