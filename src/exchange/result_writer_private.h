/* result_writer_private.h - the inside of a writer, shared by its files: result_writer.c (windows,
 * commits, life), result_writer_output.c (buffers, waiting, waking), result_writer_route.c (which
 * record goes where). Private to exchange. */
#ifndef RASKI_EXCHANGE_RESULT_WRITER_PRIVATE_H
#define RASKI_EXCHANGE_RESULT_WRITER_PRIVATE_H
#include "exchange/result_partition_private.h"
#include "exchange/result_writer.h"
#include "types/key_group.h"

enum { RASKI_STAGING_BYTES = 16 * 1024, RASKI_ROUTE_BATCH = 1024 };

/* One stream of buffers: for one subpartition, or, broadcast, for all at once. */
typedef struct raski_output {
    raski_buffer *buffer;  /* being filled; NULL: none */
    uint32_t full_at;      /* record count at which it has no room; 0 without a buffer */
    uint32_t record_count; /* in buffer; the buffer's own count follows by raski_output_sync */
    uint32_t first, count; /* subpartitions */
} raski_output;

struct raski_result_writer {
    raski_result_partition *partition; /* a reference */
    const raski_buffer_format *format; /* the partition's */
    raski_channel_selector selector;
    raski_doorbell *doorbell; /* a reference */
    const _Atomic bool *cancelled;
    bool never_wait, is_direct, is_finished;
    raski_output *outputs;
    uint32_t output_count;
    raski_window window; /* the last one given out */
    char *staging;       /* the window when it is not direct; room for moved records else */
    int64_t *staging_timestamps;
    size_t staging_capacity;  /* records */
    uint32_t heap_per_record; /* bytes, of the last closed buffer: an estimate for windows */

    /* where records go */
    raski_key_group_router router;
    uint64_t random;  /* SHUFFLE: state */
    uint32_t turn;    /* REBALANCE, RESCALE: the subpartition that had the last record */
    uint16_t *routes; /* RASKI_ROUTE_BATCH targets */
    uint32_t *custom_routes;

    /* when consumers are told */
    int64_t buffer_timeout_ns;    /* -1: only full buffers */
    bool is_clock_precise;        /* the timeout is too short for the coarse clock */
    uint32_t signal_fill;         /* a queue this full wakes its consumer */
    int64_t unflushed_since_ns;   /* 0: nothing since the last flush */
    int64_t unsignalled_since_ns; /* 0: every full buffer was told about */
    int64_t last_commit_ns;
    raski_result_writer_counters counters;
};

static inline void raski_output_sync(raski_output *output) {
    if (output->buffer != NULL) output->buffer->record_count = output->record_count;
}

/* ---- result_writer_output.c */
/* Takes a buffer that holds at least one record whose heap bytes need heap_bytes. Waits. */
RASKI_NODISCARD rask_status raski_output_start(raski_result_writer *writer, raski_output *output,
                                               size_t heap_bytes, bool may_overdraft,
                                               raski_error *err);
/* Hands the buffer over for good; without one it does nothing. */
RASKI_NODISCARD rask_status raski_output_close(raski_result_writer *writer, raski_output *output,
                                               raski_error *err);
/* Recomputes record_count and full_at from the buffer, after a change of its heap. */
void raski_output_update(const raski_result_writer *writer, raski_output *output);
/* A record that fits no pooled buffer gets one of its own; the output has no buffer. */
RASKI_NODISCARD rask_status raski_output_append_large(raski_result_writer *writer,
                                                      raski_output *output, const void *record,
                                                      size_t heap_bytes, int64_t timestamp,
                                                      int32_t hash, raski_error *err);
RASKI_NODISCARD rask_status raski_output_emit_event(raski_result_writer *writer,
                                                    raski_output *output, const raski_event *event,
                                                    bool at_once, raski_error *err);
/* An event for one subpartition alone, in a small buffer of its own. */
RASKI_NODISCARD rask_status raski_writer_push_event(raski_result_writer *writer, uint32_t first,
                                                    uint32_t count, const raski_event *event,
                                                    raski_error *err);
/* Publishes all that was committed, tells all consumers. */
RASKI_NODISCARD rask_status raski_writer_flush_all(raski_result_writer *writer, raski_error *err);
/* Tells consumers what was published but not told. */
void raski_writer_signal_all(raski_result_writer *writer);
/* After each commit: flushes or tells when it is time. */
RASKI_NODISCARD rask_status raski_writer_keep_timeout(raski_result_writer *writer,
                                                      raski_error *err);
/* A buffer could be had now; false arms the consumers' ring. */
bool raski_writer_can_take(raski_result_writer *writer);

/* ---- result_writer_route.c */
/* Distributes count records (at most RASKI_ROUTE_BATCH) with their columns. */
RASKI_NODISCARD rask_status raski_writer_distribute(raski_result_writer *writer,
                                                    const void *records, size_t count,
                                                    const int64_t *timestamps,
                                                    const int32_t *hashes, raski_error *err);
/* One record, whatever it is. */
RASKI_NODISCARD rask_status raski_output_append(raski_result_writer *writer, raski_output *output,
                                                const void *record, int64_t timestamp, int32_t hash,
                                                raski_error *err);
#endif
