/* network_pool.c - every partition is promised a minimum; what is promised to nobody goes to
 * whoever asks first. unclaimed counts promised buffers that their partition does not hold yet:
 * they are kept free, so that a promise never waits for somebody else. A new partition may be
 * promised buffers that others hold beyond their own promise: those give them back as soon as they
 * are free (is_overbooked), and until then there are that many more than buffers_max. */
#include "exchange/network_pool.h"

#include "base/alloc.h"
#include "exchange/network_pool_private.h"
#include "platform/thread.h"

struct raski_network_pool {
    raski_mutex *pool_lock; /* guards all below */
    size_t buffers_max;
    size_t required;  /* sum of promises */
    size_t unclaimed; /* promised, not held */
    size_t in_use;    /* held by partitions */
    raski_buffer *free_list;
    _Atomic bool is_overbooked; /* written under the lock, read without: a hint */
};

static void update_overbooked(raski_network_pool *pool) {
    bool is_overbooked = pool->in_use + pool->unclaimed > pool->buffers_max;
    if (is_overbooked != atomic_load_explicit(&pool->is_overbooked, memory_order_relaxed)) {
        atomic_store_explicit(&pool->is_overbooked, is_overbooked, memory_order_relaxed);
    }
}

bool raski_network_pool_is_overbooked(const raski_network_pool *pool) {
    return atomic_load_explicit(&pool->is_overbooked, memory_order_relaxed);
}

raski_network_pool *raski_network_pool_create(size_t buffers_max) {
    raski_network_pool *pool = RASKI_NEW(raski_network_pool);
    pool->pool_lock = raski_mutex_create();
    pool->buffers_max = buffers_max ? buffers_max : 1;
    return pool;
}

void raski_network_pool_destroy(raski_network_pool *pool) {
    if (pool == NULL) return;
    RASKI_ASSERT(pool->in_use == 0 && pool->required == 0);
    while (pool->free_list != NULL) {
        raski_buffer *buffer = pool->free_list;
        pool->free_list = buffer->next_free;
        raski_buffer_free(buffer);
    }
    raski_mutex_destroy(pool->pool_lock);
    raski_free(pool);
}

size_t raski_network_pool_buffers_max(const raski_network_pool *pool) {
    return pool->buffers_max;
}

size_t raski_network_pool_in_use(raski_network_pool *pool) {
    raski_mutex_lock(pool->pool_lock);
    size_t in_use = pool->in_use;
    raski_mutex_unlock(pool->pool_lock);
    return in_use;
}

size_t raski_network_pool_required(raski_network_pool *pool) {
    raski_mutex_lock(pool->pool_lock);
    size_t required = pool->required;
    raski_mutex_unlock(pool->pool_lock);
    return required;
}

rask_status raski_network_pool_reserve(raski_network_pool *pool, size_t required,
                                       raski_error *err) {
    raski_mutex_lock(pool->pool_lock);
    size_t available = pool->buffers_max - pool->required;
    bool fits = required <= available;
    if (fits) {
        pool->required += required;
        pool->unclaimed += required;
        update_overbooked(pool);
    }
    raski_mutex_unlock(pool->pool_lock);
    if (fits) return RASK_OK;
    return raski_error_set_exception(
        err, RASK_E_NOMEM, "IOException", __FILE__, __LINE__,
        "Insufficient number of network buffers: required %zu, but only %zu available. The total "
        "number of network buffers is currently set to %zu of %d bytes each. You can increase this "
        "number by setting the configuration keys 'taskmanager.memory.network.fraction', "
        "'taskmanager.memory.network.min', and 'taskmanager.memory.network.max'.",
        required, available, pool->buffers_max, RASKI_BUFFER_SIZE);
}

void raski_network_pool_unreserve(raski_network_pool *pool, size_t required) {
    raski_mutex_lock(pool->pool_lock);
    RASKI_ASSERT(pool->unclaimed >= required);
    pool->required -= required;
    pool->unclaimed -= required;
    update_overbooked(pool);
    raski_mutex_unlock(pool->pool_lock);
}

raski_buffer *raski_network_pool_take(raski_network_pool *pool, size_t required, size_t held,
                                      bool *ret_no_memory) {
    *ret_no_memory = false;
    raski_mutex_lock(pool->pool_lock);
    bool is_promised = held < required;
    if (!is_promised && pool->in_use + pool->unclaimed >= pool->buffers_max) {
        raski_mutex_unlock(pool->pool_lock);
        return NULL;
    }
    raski_buffer *buffer = pool->free_list;
    if (buffer != NULL) {
        pool->free_list = buffer->next_free;
    } else {
        buffer = raski_buffer_alloc(RASKI_BUFFER_SIZE);
        *ret_no_memory = buffer == NULL;
    }
    if (buffer != NULL) {
        pool->in_use++;
        if (is_promised) pool->unclaimed--;
    }
    raski_mutex_unlock(pool->pool_lock);
    if (buffer != NULL) {
        buffer->next_free = NULL;
        buffer->is_pooled = true;
    }
    return buffer;
}

void raski_network_pool_give(raski_network_pool *pool, raski_buffer *list, size_t count,
                             size_t required, size_t held) {
    if (count == 0) return;
    raski_mutex_lock(pool->pool_lock);
    while (list != NULL) {
        raski_buffer *next = list->next_free;
        if (raski_network_pool_is_overbooked(pool)) {
            raski_buffer_free(list);
        } else {
            list->next_free = pool->free_list;
            pool->free_list = list;
        }
        list = next;
    }
    pool->in_use -= count;
    size_t kept = held - count;
    size_t promised_before = held < required ? held : required;
    size_t promised_after = kept < required ? kept : required;
    pool->unclaimed += promised_before - promised_after;
    update_overbooked(pool);
    raski_mutex_unlock(pool->pool_lock);
}
