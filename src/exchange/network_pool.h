/* network_pool.h - the memory of all exchanges of a process: a bounded number of 32 KiB buffers.
 * Buffers are taken from the system when first needed and reused; a bound, not a reservation.
 * Flink: NetworkBufferPool. Threads: any. */
#ifndef RASKI_EXCHANGE_NETWORK_POOL_H
#define RASKI_EXCHANGE_NETWORK_POOL_H
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { RASKI_BUFFER_SIZE = 32768 };

typedef struct raski_network_pool raski_network_pool;

/* buffers_max: taskmanager.memory.network.* divided by RASKI_BUFFER_SIZE, at least 1. */
raski_network_pool *raski_network_pool_create(size_t buffers_max);
/* Every partition must be gone (asserted). NULL is fine. */
void raski_network_pool_destroy(raski_network_pool *pool_take);
size_t raski_network_pool_buffers_max(const raski_network_pool *pool);
/* Buffers that partitions hold now. */
size_t raski_network_pool_in_use(raski_network_pool *pool);
/* Buffers promised to partitions (the sum of their minimums). */
size_t raski_network_pool_required(raski_network_pool *pool);
#endif
