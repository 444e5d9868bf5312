/* result_writer.h - the producing end of a result partition: takes records batch by batch, decides
 * their subpartitions, and hands buffers over.
 *
 *     rask_status s = raski_result_writer_window(w, &window, err);   // where to write
 *     n = fill(window.records, window.capacity);                     // records in place
 *     s = raski_result_writer_commit(w, n, hashes, err);             // strings are copied now
 *
 * With one target, the window lies in the exchange buffer itself: a record is written once, and
 * the consumer reads it there. With several, it is a small staging batch that stays in the cache,
 * and commit distributes it. Strings and lists of committed records are borrowed until commit
 * returns.
 *
 * Waiting: when no buffer is free, window and commit wait on the producer's doorbell until a
 * consumer gives some back, or until cancelled (RASK_E_CANCELLED). A task that must not wait asks
 * raski_result_writer_is_available first.
 *
 * Consumers are woken rarely (their queue is half full, or the writer waits, is idle, flushes, or
 * the buffer timeout has passed), since a wake-up costs as much as thousands of records.
 *
 * Threads: the producing task only. Flink: RecordWriter, StreamPartitioner, BufferBuilder. */
#ifndef RASKI_EXCHANGE_RESULT_WRITER_H
#define RASKI_EXCHANGE_RESULT_WRITER_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "exchange/event.h"
#include "exchange/result_partition.h"
#include "platform/doorbell.h"

typedef enum raski_channel_selector_kind {
    RASKI_SELECT_FORWARD,   /* always subpartition 0 (also: the forward-for-* kinds) */
    RASKI_SELECT_REBALANCE, /* in turn, from a random start */
    RASKI_SELECT_RESCALE,   /* in turn, from subpartition 0 */
    RASKI_SELECT_SHUFFLE,   /* at random */
    RASKI_SELECT_GLOBAL,    /* always subpartition 0 */
    RASKI_SELECT_BROADCAST, /* every record to all */
    RASKI_SELECT_CUSTOM,    /* a function says */
    RASKI_SELECT_HASH,      /* the key group of the record's hash says */
} raski_channel_selector_kind;

/* Fills channels[0..count) with the subpartition (below channel_count) of each record; an answer
 * out of range fails the write. records are count records of the partition's type, borrowed. */
typedef rask_status (*raski_select_function)(void *context, const void *records, size_t count,
                                             uint32_t channel_count, uint32_t *channels,
                                             raski_error *err);

typedef struct raski_channel_selector {
    raski_channel_selector_kind kind;
    uint64_t seed;           /* REBALANCE, SHUFFLE: 0: chosen from the clock */
    int32_t max_parallelism; /* HASH: number of key groups, at least the subpartitions */
    raski_select_function custom;
    void *custom_context; /* borrowed */
} raski_channel_selector;

typedef struct raski_result_writer_options {
    raski_channel_selector selector;
    int64_t buffer_timeout_ms; /* -1: only full buffers are sent; 0: after each commit */
    raski_doorbell *doorbell;  /* the producing task's; the writer takes a reference of its own */
    const _Atomic bool *cancelled; /* borrowed; whoever sets it rings the doorbell; NULL: never */
    /* Simulation and single-threaded drivers: never waits, takes buffers beyond every limit. */
    bool never_wait;
} raski_result_writer_options;

typedef struct raski_result_writer raski_result_writer;

/* Takes a reference of partition; there may be one writer per partition, ever. */
RASKI_NODISCARD rask_status raski_result_writer_create(raski_result_partition *partition,
                                                       const raski_result_writer_options *options,
                                                       raski_result_writer **ret_writer,
                                                       raski_error *err);
/* Without a raski_result_writer_finish before, consumers of a pipelined partition are told that
 * the producer is gone (their poll gives RASK_E_CANCELLED). NULL is fine. */
void raski_result_writer_destroy(raski_result_writer *writer_take);

typedef struct raski_window {
    void *records;       /* room for capacity records, aligned for the type */
    int64_t *timestamps; /* as many; NULL when the partition has none */
    size_t capacity;     /* at least 1 */
} raski_window;
/* Where the next records go; valid until any other call. Nothing is owed when none is written. */
RASKI_NODISCARD rask_status raski_result_writer_window(raski_result_writer *writer,
                                                       raski_window *ret_window, raski_error *err);
/* The first count records of the window are there (count 0 is fine). hashes: count Java hashes of
 * their keys, borrowed; needed for HASH and when the partition has hashes, else NULL. */
RASKI_NODISCARD rask_status raski_result_writer_commit(raski_result_writer *writer, size_t count,
                                                       const int32_t *hashes, raski_error *err);
/* The same from memory of the caller (borrowed until return), any count. timestamps may be NULL
 * only when the partition has none. */
RASKI_NODISCARD rask_status raski_result_writer_write(raski_result_writer *writer,
                                                      const void *records, size_t count,
                                                      const int64_t *timestamps,
                                                      const int32_t *hashes, raski_error *err);

/* Puts an event behind the records so far, for all subpartitions. Barriers are sent at once,
 * others like records. Not for END_OF_PARTITION. */
RASKI_NODISCARD rask_status raski_result_writer_emit_event(raski_result_writer *writer,
                                                           const raski_event *event,
                                                           raski_error *err);
/* The same for one subpartition. */
RASKI_NODISCARD rask_status raski_result_writer_emit_event_to(raski_result_writer *writer,
                                                              uint32_t subpartition,
                                                              const raski_event *event,
                                                              raski_error *err);
/* Shows everything committed to the consumers and wakes them. */
RASKI_NODISCARD rask_status raski_result_writer_flush(raski_result_writer *writer,
                                                      raski_error *err);
/* The task has nothing to do right now: flushes, unless the buffer timeout is -1; full buffers are
 * made known in any case. Cheap when nothing is pending. */
RASKI_NODISCARD rask_status raski_result_writer_idle(raski_result_writer *writer, raski_error *err);
/* When the task should call raski_result_writer_idle at the latest to keep the buffer timeout
 * (raski_now_ns's clock); RASKI_FOREVER when nothing is pending. */
int64_t raski_result_writer_flush_deadline_ns(const raski_result_writer *writer);
/* Ends every subpartition; nothing may be written after. */
RASKI_NODISCARD rask_status raski_result_writer_finish(raski_result_writer *writer,
                                                       raski_error *err);

/* True when the next window will not wait. False also asks the consumers to ring the doorbell when
 * that has changed: read the doorbell's sequence before. */
bool raski_result_writer_is_available(raski_result_writer *writer);

typedef struct raski_result_writer_counters {
    uint64_t records;       /* committed (numRecordsOut) */
    uint64_t bytes;         /* of records with columns and strings, in all subpartitions */
    uint64_t buffers;       /* handed over */
    uint64_t blocked_ns;    /* waited for buffers (hardBackPressuredTimeMsPerSecond) */
    uint64_t blocked_count; /* waits */
    uint64_t wakes;         /* consumers woken */
} raski_result_writer_counters;
void raski_result_writer_get_counters(const raski_result_writer *writer,
                                      raski_result_writer_counters *ret_counters);
#endif
