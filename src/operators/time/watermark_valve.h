/* watermark_valve.h - the watermarks and statuses of the channels of one input, made into those of
 * the input. Flink: streaming.runtime.watermarkstatus.StatusWatermarkValve.
 *
 * A channel counts (it is aligned) while it is active and has caught up with what the valve gave
 * last; the input's watermark is the least of the aligned ones, which a heap has on top: a step
 * costs O(log channels). Threads: one owner. */
#ifndef RASKI_OPERATORS_TIME_WATERMARK_VALVE_H
#define RASKI_OPERATORS_TIME_WATERMARK_VALVE_H
#include <stddef.h>

#include "base/status.h"
#include "operators/time/watermark_change.h"

typedef struct raski_valve_channel {
    int64_t watermark_ms;
    size_t place; /* in the heap, from 1; 0: not aligned */
    bool idle;
} raski_valve_channel;

typedef struct raski_watermark_valve {
    raski_valve_channel *channels; /* owned */
    size_t channel_count;
    size_t active_count;
    size_t *heap; /* aligned channels, the least watermark first; owned */
    size_t heap_count;
    int64_t watermark_ms; /* given last */
    bool idle;            /* status given last */
} raski_watermark_valve;

/* All channels are active and without a watermark. channel_count may be 0. */
void raski_watermark_valve_init(raski_watermark_valve *valve, size_t channel_count);
void raski_watermark_valve_fini(raski_watermark_valve *valve);

/* A channel's watermark. One that is not higher than its last, or that comes while the channel or
 * the whole valve is idle, is ignored. Errors: Flink's, for a channel that the valve does not have;
 * *ret_change is untouched then. */
RASKI_NODISCARD rask_status raski_watermark_valve_watermark(raski_watermark_valve *valve,
                                                            size_t channel, int64_t watermark_ms,
                                                            raski_watermark_change *ret_change,
                                                            raski_error *err);
/* A channel became idle or active; a repeated status is ignored. When the last active channel
 * becomes idle, the highest watermark of all is given before the status. Errors: as above. */
RASKI_NODISCARD rask_status raski_watermark_valve_status(raski_watermark_valve *valve,
                                                         size_t channel, bool idle,
                                                         raski_watermark_change *ret_change,
                                                         raski_error *err);
#endif
