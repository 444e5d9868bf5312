/* network_pool_private.h - what partitions ask of the pool. Private to exchange. */
#ifndef RASKI_EXCHANGE_NETWORK_POOL_PRIVATE_H
#define RASKI_EXCHANGE_NETWORK_POOL_PRIVATE_H
#include "exchange/buffer.h"
#include "exchange/network_pool.h"

/* Promises required buffers to a partition; Flink's IOException when there are not as many. */
RASKI_NODISCARD rask_status raski_network_pool_reserve(raski_network_pool *pool, size_t required,
                                                       raski_error *err);
/* Takes a promise back; the partition must have given all its buffers back. */
void raski_network_pool_unreserve(raski_network_pool *pool, size_t required);

/* A buffer for a partition that was promised `required` and holds `held`; beyond its promise it
 * only gets what is promised to nobody. NULL: none (*ret_no_memory: the system has none). */
raski_buffer *raski_network_pool_take(raski_network_pool *pool, size_t required, size_t held,
                                      bool *ret_no_memory);
/* Others were promised more than is free: who holds more than its promise gives it back. @thread
 * any */
bool raski_network_pool_is_overbooked(const raski_network_pool *pool);
/* Gives a list of count buffers (linked by next_free) back from a partition that held `held`. */
void raski_network_pool_give(raski_network_pool *pool, raski_buffer *list_take, size_t count,
                             size_t required, size_t held);
#endif
