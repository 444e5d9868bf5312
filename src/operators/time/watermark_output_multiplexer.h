/* watermark_output_multiplexer.h - the watermarks of the splits that one source reader reads, made
 * into the reader's. Flink: api.common.eventtime.WatermarkOutputMultiplexer.
 *
 * What a generator says for a record is told at once (immediate), what it says from time to time is
 * kept (deferred) until raski_watermark_multiplexer_periodic combines all splits in one go.
 * Changes: as in Flink a status is only ever IDLE, and it is told again each time that all splits
 * are found to be idle; raski_watermark_multiplexer_is_idle tells the owner when that ended.
 * Threads: one owner. */
#ifndef RASKI_OPERATORS_TIME_WATERMARK_OUTPUT_MULTIPLEXER_H
#define RASKI_OPERATORS_TIME_WATERMARK_OUTPUT_MULTIPLEXER_H
#include "base/status.h"
#include "operators/time/combined_watermark.h"

/* What is known of one split: idle, and its watermark. Fields are for reading. */
typedef raski_partial_watermark raski_split_watermark;

typedef struct raski_watermark_multiplexer {
    RASKI_VEC(char *) ids;                     /* owned; as splits */
    RASKI_VEC(raski_split_watermark *) splits; /* owned */
    int64_t watermark_ms;                      /* given last */
    bool idle;                                 /* all splits, when they were combined last */
} raski_watermark_multiplexer;

void raski_watermark_multiplexer_init(raski_watermark_multiplexer *mux);
void raski_watermark_multiplexer_fini(raski_watermark_multiplexer *mux);

/* A new split, active and without a watermark. *ret_split lives until it is unregistered. id is
 * copied. Errors: Flink's, for an id that is there already. */
RASKI_NODISCARD rask_status raski_watermark_multiplexer_register(raski_watermark_multiplexer *mux,
                                                                 const char *id,
                                                                 raski_split_watermark **ret_split,
                                                                 raski_error *err);
/* false: there was no such split. Tells nothing by itself: what the split held back is free at the
 * next step. */
bool raski_watermark_multiplexer_unregister(raski_watermark_multiplexer *mux, const char *id);
/* NULL: there is no such split. */
raski_split_watermark *raski_watermark_multiplexer_find(const raski_watermark_multiplexer *mux,
                                                        const char *id);

/* Immediate. */
raski_watermark_change raski_watermark_multiplexer_advance(raski_watermark_multiplexer *mux,
                                                           raski_split_watermark *split,
                                                           int64_t watermark_ms);
raski_watermark_change raski_watermark_multiplexer_status(raski_watermark_multiplexer *mux,
                                                          raski_split_watermark *split, bool idle);
/* Deferred: a watermark makes the split active. */
void raski_watermark_multiplexer_defer_watermark(raski_split_watermark *split,
                                                 int64_t watermark_ms);
void raski_watermark_multiplexer_defer_status(raski_split_watermark *split, bool idle);
/* Combines what was deferred. */
raski_watermark_change raski_watermark_multiplexer_periodic(raski_watermark_multiplexer *mux);

/* Whether nothing is to be waited for right now: all splits are idle, or there are none. */
bool raski_watermark_multiplexer_is_idle(const raski_watermark_multiplexer *mux);
#endif
