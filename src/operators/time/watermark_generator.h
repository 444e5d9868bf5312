/* watermark_generator.h - watermark strategies, and the generator that each stream or split has of
 * one. Flink: WatermarkStrategy, BoundedOutOfOrdernessWatermarks, NoWatermarksGenerator,
 * WatermarksWithIdleness, WatermarkAlignmentParams.
 *
 * Generators of programs (RASK_WATERMARK_GENERATOR) see each record where their operator calls
 * them; here they only have idleness around them, and are asked from time to time. Threads: a
 * strategy is read by many; a generator has one owner. */
#ifndef RASKI_OPERATORS_TIME_WATERMARK_GENERATOR_H
#define RASKI_OPERATORS_TIME_WATERMARK_GENERATOR_H
#include <stddef.h>

#include "base/status.h"
#include "operators/time/watermark_output.h"

typedef enum raski_watermark_kind {
    RASKI_WATERMARKS_NONE,    /* only the one at the end of the input */
    RASKI_WATERMARKS_BOUNDED, /* the highest timestamp, less a bound, less 1 ms */
    RASKI_WATERMARKS_USER,    /* what the program's generator says */
} raski_watermark_kind;

typedef struct raski_watermark_strategy {
    raski_watermark_kind kind;
    int64_t max_out_of_orderness_ms; /* BOUNDED; 0: timestamps ascend */
    bool has_idleness;
    int64_t idleness_ms;         /* without a record for longer than this: idle */
    const char *alignment_group; /* NULL: not aligned. Borrowed */
    int64_t max_drift_ms;        /* ahead of the slowest of the group */
    int64_t update_interval_ms;  /* how often the group compares */
} raski_watermark_strategy;

enum { RASKI_ALIGNMENT_UPDATE_INTERVAL_MS = 1000 }; /* Flink's default */

/* Errors: Flink's, for a negative bound, an idleness that is not positive, a negative drift, an
 * interval that is not positive. */
RASKI_NODISCARD rask_status raski_watermark_strategy_check(const raski_watermark_strategy *strategy,
                                                           raski_error *err);

/* Tells how long there was no record. It is looked at from time to time: that is what its precision
 * is. Flink: WatermarksWithIdleness.IdlenessTimer. */
typedef struct raski_idleness_timer {
    int64_t timeout_ns;
    bool active;  /* there was a record since it was looked at last */
    bool started; /* there was none at the last look */
    int64_t since_ns;
} raski_idleness_timer;

/* now_ns: of a clock that stands still while nothing can be read (back-pressure, alignment). */
bool raski_idleness_timer_check(raski_idleness_timer *timer, int64_t now_ns);

typedef struct raski_watermark_generator {
    const raski_watermark_strategy *strategy;
    int64_t max_timestamp_ms;
    raski_idleness_timer idleness;
    bool idle; /* it has said so, and no record has come since */
    /* USER: asked from time to time; may be NULL */
    void (*on_periodic)(void *context, raski_watermark_output *output);
    void *context;
} raski_watermark_generator;

/* Borrows strategy. on_periodic: see above, NULL for the built-in kinds. */
void raski_watermark_generator_init(
    raski_watermark_generator *generator, const raski_watermark_strategy *strategy,
    void (*on_periodic)(void *context, raski_watermark_output *output), void *context);
/* n >= 1 records with these timestamps come. true: the stream was said to be idle and is not any
 * more; that must be told before the records are handed on (report W5), or they would count as late
 * where others have moved on. */
bool raski_watermark_generator_on_records(raski_watermark_generator *generator,
                                          const int64_t *timestamps, size_t n);
/* From time to time: the watermark, or IDLE, to output. now_ns: as for the timer. */
void raski_watermark_generator_on_periodic(raski_watermark_generator *generator, int64_t now_ns,
                                           raski_watermark_output *output);
#endif
