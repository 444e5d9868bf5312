/* result_partition.h - what one producing subtask gives to its consumers: one subpartition (a
 * queue of buffers, or a section of a file) per consumer.
 *
 * Lifetime: the producing task creates it (one reference) and makes the one raski_result_writer;
 * each gate channel takes a reference. Whoever comes last frees it, with all its buffers, so
 * producer and consumers may go in any order. Flink: ResultPartition, PipelinedSubpartition,
 * BoundedBlockingSubpartition, LocalBufferPool. Threads: reference counting any; the rest through
 * writer (producer) and gate (consumer). */
#ifndef RASKI_EXCHANGE_RESULT_PARTITION_H
#define RASKI_EXCHANGE_RESULT_PARTITION_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "exchange/network_pool.h"
#include "rask/types.h"

typedef enum raski_result_storage {
    RASKI_STORAGE_PIPELINED, /* in memory, bounded, read while it is written, once (PIPELINED*) */
    RASKI_STORAGE_BLOCKING,  /* in a file, read after it is finished, any number of times
                                (BLOCKING*, HYBRID_*) */
} raski_result_storage;

typedef struct raski_result_partition raski_result_partition;

typedef struct raski_result_partition_options {
    const char *name;         /* of the producing subtask, for messages; copied; NULL: "" */
    raski_network_pool *pool; /* borrowed, outlives the partition */
    raski_result_storage storage;
    uint32_t subpartition_count; /* at least 1 */
    const rask_type *type;       /* of the records; borrowed, static in practice */
    bool has_timestamps;         /* each record carries an int64 timestamp */
    bool has_hashes;             /* each record carries the int32 Java hash of its key */
    /* taskmanager.network.memory.*; 0: the default (2, 8 and 5). At least
     * RASKI_BUFFERS_MIN buffers may be used per partition whatever they say (the pool permitting):
     * few wake-ups need deep queues. */
    uint32_t buffers_per_channel, floating_buffers, overdraft_buffers;
    const char *spill_directory; /* BLOCKING: io.tmp.dirs; NULL: $TMPDIR or /tmp */
    uint64_t record_bytes_max;   /* of one record with its strings; 0: 1 GiB */
} raski_result_partition_options;

/* With one subpartition, and with several. */
enum { RASKI_BUFFERS_MIN = 32, RASKI_BUFFERS_MIN_SEVERAL = 64 };

/* Reserves subpartition_count + 1 buffers in the pool. RASK_E_NOMEM ("Insufficient number of
 * network buffers: ...", an IOException as Flink's) when the pool is too small for that. */
RASKI_NODISCARD rask_status
raski_result_partition_create(const raski_result_partition_options *options,
                              raski_result_partition **ret_partition, raski_error *err);
raski_result_partition *raski_result_partition_ref(raski_result_partition *partition);
void raski_result_partition_unref(raski_result_partition *partition_take); /* NULL is fine */

uint32_t raski_result_partition_subpartition_count(const raski_result_partition *partition);
raski_result_storage raski_result_partition_storage(const raski_result_partition *partition);
const rask_type *raski_result_partition_type(const raski_result_partition *partition);
/* The writer has finished: a BLOCKING partition can be read now. @thread any */
bool raski_result_partition_is_finished(const raski_result_partition *partition);
/* Bytes of records (with strings and columns) finished so far in a subpartition of a BLOCKING
 * partition that is finished; 0 else. For the adaptive batch scheduler. */
uint64_t raski_result_partition_bytes(const raski_result_partition *partition,
                                      uint32_t subpartition);
#endif
