#include "cluster/slot_pool.h"

#include "base/alloc.h"

void raski_slot_pool_fini(raski_slot_pool *pool) {
    raski_vec_free(&pool->requests);
    raski_vec_free(&pool->slots);
}

void raski_slot_pool_add_request(raski_slot_pool *pool, const raski_pool_request *request) {
    raski_vec_push(&pool->requests, *request);
}

static raski_pool_slot *find_slot(const raski_slot_pool *pool, uint64_t allocation) {
    for (size_t i = 0; i < pool->slots.count; i++)
        if (pool->slots.items[i].slot.allocation == allocation) return &pool->slots.items[i];
    return NULL;
}

const raski_pool_slot *raski_slot_pool_find_slot(const raski_slot_pool *pool, uint64_t allocation) {
    return find_slot(pool, allocation);
}

const raski_pool_request *raski_slot_pool_find_request(const raski_slot_pool *pool,
                                                       uint64_t request) {
    for (size_t i = 0; i < pool->requests.count; i++)
        if (pool->requests.items[i].request == request) return &pool->requests.items[i];
    return NULL;
}

raski_pool_request raski_slot_pool_remove_request(raski_slot_pool *pool, uint64_t request) {
    const raski_pool_request *found = raski_slot_pool_find_request(pool, request);
    if (found == NULL) return (raski_pool_request){0};
    raski_pool_request removed = *found;
    for (size_t i = (size_t)(found - pool->requests.items) + 1; i < pool->requests.count; i++)
        pool->requests.items[i - 1] = pool->requests.items[i];
    pool->requests.count--;
    raski_pool_slot *slot = removed.allocation != 0 ? find_slot(pool, removed.allocation) : NULL;
    if (slot != NULL) slot->request = 0;
    return removed;
}

/* The first request without a slot; requests of a later bulk never stand before an earlier one's,
 * since bulks are asked for one after the other. */
static raski_pool_request *first_waiting(raski_slot_pool *pool) {
    for (size_t i = 0; i < pool->requests.count; i++)
        if (pool->requests.items[i].allocation == 0) return &pool->requests.items[i];
    return NULL;
}

bool raski_slot_pool_offer(raski_slot_pool *pool, const raski_slot *slot, raski_address address) {
    if (first_waiting(pool) == NULL) return false;
    raski_pool_slot entry = {.slot = *slot, .address = address};
    raski_vec_push(&pool->slots, entry);
    return true;
}

const raski_pool_slot *raski_slot_pool_assign(raski_slot_pool *pool) {
    raski_pool_request *request = first_waiting(pool);
    if (request == NULL) return NULL;
    for (size_t i = 0; i < pool->slots.count; i++) {
        raski_pool_slot *slot = &pool->slots.items[i];
        if (slot->request != 0) continue;
        slot->request = request->request;
        request->allocation = slot->slot.allocation;
        return slot;
    }
    return NULL;
}

void raski_slot_pool_remove_idle(raski_slot_pool *pool, size_t place) {
    RASKI_ASSERT(pool->slots.items[place].request == 0);
    pool->slots.items[place] = pool->slots.items[--pool->slots.count];
}

void raski_slot_pool_remove_task_executor(raski_slot_pool *pool, uint64_t task_executor) {
    for (size_t i = pool->slots.count; i-- > 0;) {
        if (pool->slots.items[i].slot.task_executor != task_executor) continue;
        uint64_t allocation = pool->slots.items[i].slot.allocation;
        for (size_t r = 0; r < pool->requests.count; r++)
            if (pool->requests.items[r].allocation == allocation)
                pool->requests.items[r].allocation = 0;
        pool->slots.items[i] = pool->slots.items[--pool->slots.count];
    }
}
