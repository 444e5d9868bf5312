#include "state/memory_limit.h"

#include <stdatomic.h>
#include <stdio.h>

#include "platform/process.h"

enum { SYSTEM_PERCENT = 75 }; /* of the memory that the system lets this process have */

static _Atomic size_t taken_by_process;

void raski_memory_limit_init(raski_memory_limit *limit, size_t max, const char *origin,
                             _Atomic size_t *taken) {
    limit->max = max;
    limit->taken = taken;
    (void)snprintf(limit->origin, sizeof limit->origin, "%s", origin);
}

void raski_memory_limit_configure(raski_memory_limit *limit,
                                  const raski_configuration *configuration) {
    static const raski_option_id sizes[] = {RASKI_OPTION_TASKMANAGER_MEMORY_TASK_HEAP_SIZE,
                                            RASKI_OPTION_TASKMANAGER_MEMORY_FLINK_SIZE,
                                            RASKI_OPTION_TASKMANAGER_MEMORY_PROCESS_SIZE};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!raski_configuration_is_set(configuration, sizes[i])) continue;
        char origin[RASKI_MEMORY_ORIGIN_MAX];
        (void)snprintf(origin, sizeof origin, "raise %s, set by %s",
                       raski_option_get(sizes[i])->key,
                       raski_configuration_origin_of(configuration, sizes[i]));
        size_t max = (size_t)raski_configuration_get_memory(configuration, sizes[i]);
        raski_memory_limit_init(limit, max, origin, &taken_by_process);
        return;
    }
    raski_memory_limit_init(limit, (size_t)raski_memory_total_bytes() / 100 * SYSTEM_PERCENT,
                            "three quarters of the memory here; taskmanager.memory.task.heap.size "
                            "sets another limit",
                            &taken_by_process);
}

bool raski_memory_limit_take(raski_memory_limit *limit, size_t bytes) {
    size_t before = atomic_load_explicit(limit->taken, memory_order_relaxed);
    do {
        if (bytes > limit->max || before > limit->max - bytes) return false;
    } while (!atomic_compare_exchange_weak_explicit(limit->taken, &before, before + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

void raski_memory_limit_release(raski_memory_limit *limit, size_t bytes) {
    atomic_fetch_sub_explicit(limit->taken, bytes, memory_order_relaxed);
}
