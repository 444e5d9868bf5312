/* watermark_change.h - what a step of the bookkeeping of event time asks its owner to hand on.
 * Flink: the calls of PushingAsyncDataInput.DataOutput (emitWatermark, emitWatermarkStatus).
 * Threads: plain values. */
#ifndef RASKI_OPERATORS_TIME_WATERMARK_CHANGE_H
#define RASKI_OPERATORS_TIME_WATERMARK_CHANGE_H
#include <stdbool.h>
#include <stdint.h>

/* The least watermark: none has come yet. */
#define RASKI_WATERMARK_NONE INT64_MIN
/* The last watermark of every stream: nothing more comes. */
#define RASKI_WATERMARK_MAX INT64_MAX

/* All zero: nothing. A status ACTIVE stands before the watermark, a status IDLE behind it. */
typedef struct raski_watermark_change {
    bool has_watermark;
    bool has_status;
    bool idle;            /* the status: IDLE, else ACTIVE */
    int64_t watermark_ms; /* higher than every one before */
} raski_watermark_change;
#endif
