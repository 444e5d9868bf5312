/* event.h - what stands between records in a stream, in order with them.
 * Flink: Watermark, WatermarkStatus, CheckpointBarrier, EndOfData, EndOfPartitionEvent. */
#ifndef RASKI_EXCHANGE_EVENT_H
#define RASKI_EXCHANGE_EVENT_H
#include <stdint.h>

typedef enum raski_event_kind {
    RASKI_EVENT_WATERMARK = 1,    /* value: event time in ms; no older records follow */
    RASKI_EVENT_WATERMARK_STATUS, /* value: raski_watermark_status */
    RASKI_EVENT_BARRIER,          /* value: checkpoint id; timestamp, options */
    RASKI_EVENT_CANCEL_BARRIER,   /* value: id of a checkpoint that was given up */
    RASKI_EVENT_END_OF_DATA,      /* value: raski_end_mode; no records follow, barriers may */
    RASKI_EVENT_END_OF_PARTITION, /* the last one; written by raski_result_writer_finish only */
} raski_event_kind;

typedef enum raski_watermark_status {
    RASKI_WATERMARK_ACTIVE = 0,
    RASKI_WATERMARK_IDLE = 1,
} raski_watermark_status;

typedef enum raski_end_mode {
    RASKI_END_DRAIN = 0,    /* time is over: fire what waits for event time */
    RASKI_END_NO_DRAIN = 1, /* stopped with a savepoint, goes on later */
} raski_end_mode;

enum { RASKI_EVENT_OPTIONS_MAX = 16 * 1024 };

typedef struct raski_event {
    raski_event_kind kind;
    uint32_t options_size; /* BARRIER: bytes, at most RASKI_EVENT_OPTIONS_MAX; else 0 */
    int64_t value;
    int64_t timestamp;   /* BARRIER: ms when it was triggered; else 0 */
    const void *options; /* borrowed */
} raski_event;
#endif
