#include "taskexecutor/partition_registry.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "taskexecutor/messages.h"

typedef struct entry {
    void *partition;
    uint64_t task_executor;
} entry;

typedef struct job_entries {
    raski_id job_id;
    raski_map partitions; /* partition << 32 | attempt -> entry */
} job_entries;

struct raski_partition_registry {
    const raski_task_factory *factory;
    RASKI_VEC(job_entries) jobs;
    RASKI_VEC(raski_address) waiters;
};

raski_partition_registry *raski_partition_registry_create(const raski_task_factory *factory) {
    raski_partition_registry *registry = RASKI_NEW(raski_partition_registry);
    registry->factory = factory;
    return registry;
}

static uint64_t key_of(raski_partition_id id) {
    return (uint64_t)id.partition << 32 | id.attempt;
}

static job_entries *find_job(const raski_partition_registry *registry, raski_id job_id) {
    for (size_t i = 0; i < registry->jobs.count; i++)
        if (raski_id_equals(registry->jobs.items[i].job_id, job_id))
            return &registry->jobs.items[i];
    return NULL;
}

static void let_go(raski_partition_registry *registry, entry *entry_take) {
    registry->factory->partition_unref(registry->factory->ctx, entry_take->partition);
    raski_free(entry_take);
}

/* Removes what task_executor made (0: whoever) of a job, and the job when nothing is left of it. */
static void sweep(raski_partition_registry *registry, job_entries *job, uint64_t task_executor) {
    raski_map kept = {0};
    for (size_t i = 0; i < job->partitions.count; i++) {
        entry *e = job->partitions.entries[i].value;
        if (task_executor == 0 || e->task_executor == task_executor)
            let_go(registry, e);
        else
            raski_map_put_number(&kept, job->partitions.entries[i].number, e);
    }
    raski_map_free(&job->partitions);
    job->partitions = kept;
    if (kept.count > 0) return;
    raski_map_free(&job->partitions);
    *job = registry->jobs.items[--registry->jobs.count];
}

void raski_partition_registry_destroy(raski_partition_registry *registry_take) {
    if (registry_take == NULL) return;
    while (registry_take->jobs.count > 0) sweep(registry_take, &registry_take->jobs.items[0], 0);
    raski_vec_free(&registry_take->jobs);
    raski_vec_free(&registry_take->waiters);
    raski_free(registry_take);
}

void raski_partition_registry_put(raski_partition_registry *registry, raski_id job_id,
                                  raski_partition_id id, uint64_t task_executor, void *partition) {
    job_entries *job = find_job(registry, job_id);
    if (job == NULL) {
        job_entries fresh = {.job_id = job_id};
        raski_vec_push(&registry->jobs, fresh);
        job = &registry->jobs.items[registry->jobs.count - 1];
    }
    RASKI_ASSERT(!raski_map_has_number(&job->partitions, key_of(id)));
    entry *e = RASKI_NEW(entry);
    registry->factory->partition_ref(registry->factory->ctx, partition);
    e->partition = partition;
    e->task_executor = task_executor;
    raski_map_put_number(&job->partitions, key_of(id), e);
    for (size_t i = 0; i < registry->waiters.count; i++)
        (void)raski_post(registry->waiters.items[i],
                         raski_message_create(&raski_message_partition_ready));
}

void *raski_partition_registry_get(const raski_partition_registry *registry, raski_id job_id,
                                   raski_partition_id id) {
    const job_entries *job = find_job(registry, job_id);
    const entry *e = job != NULL ? raski_map_get_number(&job->partitions, key_of(id)) : NULL;
    return e != NULL ? e->partition : NULL;
}

void raski_partition_registry_remove(raski_partition_registry *registry, raski_id job_id,
                                     raski_partition_id id) {
    job_entries *job = find_job(registry, job_id);
    entry *e = job != NULL ? raski_map_get_number(&job->partitions, key_of(id)) : NULL;
    if (e == NULL) return;
    (void)raski_map_remove_number(&job->partitions, key_of(id));
    let_go(registry, e);
    if (job->partitions.count == 0) sweep(registry, job, 0);
}

void raski_partition_registry_remove_job(raski_partition_registry *registry, raski_id job_id,
                                         uint64_t task_executor) {
    job_entries *job = find_job(registry, job_id);
    if (job != NULL) sweep(registry, job, task_executor);
}

void raski_partition_registry_remove_task_executor(raski_partition_registry *registry,
                                                   uint64_t task_executor) {
    for (size_t i = registry->jobs.count; i-- > 0;)
        sweep(registry, &registry->jobs.items[i], task_executor);
}

void raski_partition_registry_add_waiter(raski_partition_registry *registry, raski_address waiter) {
    for (size_t i = 0; i < registry->waiters.count; i++)
        if (raski_address_equals(registry->waiters.items[i], waiter)) return;
    raski_vec_push(&registry->waiters, waiter);
}

void raski_partition_registry_remove_waiter(raski_partition_registry *registry,
                                            raski_address waiter) {
    for (size_t i = 0; i < registry->waiters.count; i++)
        if (raski_address_equals(registry->waiters.items[i], waiter)) {
            registry->waiters.items[i] = registry->waiters.items[--registry->waiters.count];
            return;
        }
}

size_t raski_partition_registry_count(const raski_partition_registry *registry) {
    size_t count = 0;
    for (size_t i = 0; i < registry->jobs.count; i++)
        count += registry->jobs.items[i].partitions.count;
    return count;
}
