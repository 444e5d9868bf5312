/* watermark_output.h - where the watermarks and statuses of a generator go, and the end of that
 * way: an emitter that lets through only what is new. Flink: api.common.eventtime.WatermarkOutput;
 * TimestampsAndWatermarksOperator.WatermarkEmitter, WatermarkToDataOutput.
 * Threads: one owner. */
#ifndef RASKI_OPERATORS_TIME_WATERMARK_OUTPUT_H
#define RASKI_OPERATORS_TIME_WATERMARK_OUTPUT_H
#include "operators/time/watermark_change.h"

/* First member of whatever it leads to. */
typedef struct raski_watermark_output raski_watermark_output;
struct raski_watermark_output {
    void (*watermark)(raski_watermark_output *self, int64_t watermark_ms);
    void (*status)(raski_watermark_output *self, bool idle);
};

typedef struct raski_watermark_emitter {
    int64_t watermark_ms; /* given last */
    bool idle;            /* status given last */
} raski_watermark_emitter;

/* Nothing given yet, active. */
#define RASKI_WATERMARK_EMITTER_INITIAL ((raski_watermark_emitter){RASKI_WATERMARK_NONE, false})

/* A watermark ends idleness, one that is not higher than the last too (report W5: in Flink 2.2.0
 * only a higher one does, and until then what follows counts as late). */
static inline raski_watermark_change raski_watermark_emitter_advance(raski_watermark_emitter *e,
                                                                     int64_t watermark_ms) {
    raski_watermark_change change = {.has_status = e->idle};
    e->idle = false;
    if (watermark_ms <= e->watermark_ms) return change;
    e->watermark_ms = watermark_ms;
    change.has_watermark = true;
    change.watermark_ms = watermark_ms;
    return change;
}

/* A status that is not the last one again. */
static inline raski_watermark_change raski_watermark_emitter_status(raski_watermark_emitter *e,
                                                                    bool idle) {
    const bool changed = idle != e->idle;
    e->idle = idle;
    return (raski_watermark_change){.has_status = changed, .idle = changed && idle};
}
#endif
