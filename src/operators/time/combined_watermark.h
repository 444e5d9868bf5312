/* combined_watermark.h - one watermark and one status out of those of several parts: the inputs of
 * an operator, the splits of a source. Flink: api.common.eventtime.CombinedWatermarkStatus and
 * IndexedCombinedWatermarkStatus; the use that AbstractStreamOperator makes of it.
 *
 * The combined watermark is the least of the active parts; when all are idle, the highest of all
 * (whichever became idle last). It never goes back. Threads: one owner. */
#ifndef RASKI_OPERATORS_TIME_COMBINED_WATERMARK_H
#define RASKI_OPERATORS_TIME_COMBINED_WATERMARK_H
#include <stddef.h>

#include "base/vec.h"
#include "operators/time/watermark_change.h"

typedef struct raski_partial_watermark {
    int64_t watermark_ms;
    bool idle;
} raski_partial_watermark;

/* A part that has said nothing yet. */
#define RASKI_PARTIAL_WATERMARK_INITIAL ((raski_partial_watermark){RASKI_WATERMARK_NONE, false})
/* Keeps a part's watermark, which makes it active. true: it is higher than its last. */
bool raski_partial_watermark_set(raski_partial_watermark *part, int64_t watermark_ms);

/* ---- the inputs of an operator: a fixed number of parts */
typedef struct raski_combined_watermark {
    raski_partial_watermark *parts; /* owned */
    size_t part_count;
    int64_t watermark_ms; /* given last */
    bool idle;            /* all parts are */
} raski_combined_watermark;

void raski_combined_watermark_init(raski_combined_watermark *combined, size_t part_count);
void raski_combined_watermark_fini(raski_combined_watermark *combined);
/* A watermark of part number index < part_count. The change never has a status: an input tells its
 * own beforehand. */
raski_watermark_change raski_combined_watermark_advance(raski_combined_watermark *combined,
                                                        size_t index, int64_t watermark_ms);
/* A status of a part: a watermark when it held the others back, a status when that of all changed.
 */
raski_watermark_change raski_combined_watermark_status(raski_combined_watermark *combined,
                                                       size_t index, bool idle);

/* ---- for any set of parts (the multiplexer's) */
/* Looks at all parts: *ret_idle says whether all are idle, the result is the watermark that they
 * have reached together. count >= 1. */
int64_t raski_partial_watermarks_combine(raski_partial_watermark *const *parts, size_t count,
                                         bool *ret_idle);
#endif
