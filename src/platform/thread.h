/* thread.h - threads, mutexes, condition variables. Most of Rask needs none of the latter two:
 * tasks wait on a doorbell, coordinators on an executor. */
#ifndef RASKI_PLATFORM_THREAD_H
#define RASKI_PLATFORM_THREAD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct raski_thread raski_thread;
typedef void (*raski_thread_main)(void *context);

/* Starts a thread that calls run(context); name (borrowed, cut to 15 bytes) is shown by ps and
 * debuggers; stack_size in bytes, 0: 1 MiB. Signals are blocked in it, so that the main thread
 * gets them (but for those of a crash). *ret_thread must be given to raski_thread_join. */
RASKI_NODISCARD rask_status raski_thread_create(const char *name, size_t stack_size,
                                                raski_thread_main run, void *context,
                                                raski_thread **ret_thread, raski_error *err);
/* Waits until the thread's function has returned, and frees thread. NULL does nothing. */
void raski_thread_join(raski_thread *thread_take);
/* Names the calling thread. */
void raski_thread_set_name(const char *name);
/* True when called on that thread. */
bool raski_thread_is_current(const raski_thread *thread);
/* CPU nanoseconds that the calling thread has used. */
int64_t raski_thread_cpu_ns(void);
/* Processors that this process may run on, at least 1. */
uint32_t raski_processor_count(void);

/* Non-recursive locks; misuse is a bug and ends the process. Heap objects, so that no other module
 * needs the system's types. */
typedef struct raski_mutex raski_mutex;
raski_mutex *raski_mutex_create(void);
void raski_mutex_destroy(raski_mutex *mutex_take);
void raski_mutex_lock(raski_mutex *mutex);
void raski_mutex_unlock(raski_mutex *mutex);

typedef struct raski_cond raski_cond;
raski_cond *raski_cond_create(void);
void raski_cond_destroy(raski_cond *cond_take);
/* Gives mutex back while it waits; false when deadline_ns (raski_now_ns's clock, or RASKI_FOREVER)
 * passed. May also return true for no reason: check in a loop. */
bool raski_cond_wait(raski_cond *cond, raski_mutex *mutex, int64_t deadline_ns);
void raski_cond_signal(raski_cond *cond);
void raski_cond_broadcast(raski_cond *cond);
#endif
