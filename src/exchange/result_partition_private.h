/* result_partition_private.h - the inside of a partition, for writer and gate. Private to exchange.
 */
#ifndef RASKI_EXCHANGE_RESULT_PARTITION_PRIVATE_H
#define RASKI_EXCHANGE_RESULT_PARTITION_PRIVATE_H
#include "exchange/buffer.h"
#include "exchange/channel.h"
#include "exchange/result_partition.h"
#include "exchange/spill_file.h"

struct raski_result_partition {
    _Atomic uint32_t references;
    _Atomic bool is_finished;     /* everything is there; set last */
    _Atomic bool is_writer_taken; /* one writer, ever */
    char *name;
    raski_result_storage storage;
    const rask_type *type;
    raski_buffer_format format;
    uint64_t record_bytes_max;
    uint32_t subpartition_count;
    bool is_shared; /* broadcast to several: consumers must not change records in place */
    _Atomic(raski_doorbell *) producer_bell; /* a reference; NULL before there is a writer */
    raski_channel *channels; /* PIPELINED and BLOCKING (there only for the doorbells) */
    raski_spill_file *spill; /* BLOCKING; else NULL */

    /* The local pool: the writer's, and after it the destructor's. */
    raski_network_pool *pool;
    size_t buffers_required, buffers_max, buffers_overdraft;
    size_t held;             /* pooled buffers taken from the network pool */
    raski_buffer *free_list; /* those that are empty, the last used first */
    size_t free_count;
    size_t unpooled_bytes; /* in buffers of their own: large records, events */
};

static inline raski_doorbell *raski_partition_producer_bell(raski_result_partition *partition) {
    return atomic_load_explicit(&partition->producer_bell, memory_order_acquire);
}
/* Gives a buffer that no queue holds any more back to the local pool. @thread producer */
void raski_partition_recycle(raski_result_partition *partition, raski_buffer *buffer_take);
/* Takes back what consumers are done with. */
void raski_partition_reclaim(raski_result_partition *partition);
/* Gives all free buffers to the network pool. */
void raski_partition_trim(raski_result_partition *partition);
#endif
