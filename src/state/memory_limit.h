/* memory_limit.h - how many bytes of keyed state a process may hold. All tables of all jobs share
 * one count: a table takes what it needs before it allocates, and its job fails with a message when
 * there is no more, before the system ends the whole process. Threads: any; a limit is read only.
 */
#ifndef RASKI_STATE_MEMORY_LIMIT_H
#define RASKI_STATE_MEMORY_LIMIT_H
#include <stdbool.h>
#include <stddef.h>

#include "config/configuration.h"

enum { RASKI_MEMORY_ORIGIN_MAX = 160 };

typedef struct raski_memory_limit {
    size_t max;                           /* bytes */
    _Atomic size_t *taken;                /* bytes; borrowed: of all that share it */
    char origin[RASKI_MEMORY_ORIGIN_MAX]; /* where max comes from, and what raises it */
} raski_memory_limit;

/* A limit over a count of the caller's; origin is copied. */
void raski_memory_limit_init(raski_memory_limit *limit, size_t max, const char *origin,
                             _Atomic size_t *taken);
/* What a configuration allows, over the count of this process: taskmanager.memory.task.heap.size if
 * set, else flink.size or process.size, else three quarters of what the system lets this process
 * have. */
void raski_memory_limit_configure(raski_memory_limit *limit,
                                  const raski_configuration *configuration);
/* false: there are not so many bytes left; nothing is taken then. */
bool raski_memory_limit_take(raski_memory_limit *limit, size_t bytes);
void raski_memory_limit_release(raski_memory_limit *limit, size_t bytes);
#endif
