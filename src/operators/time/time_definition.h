/* time_definition.h - what a program says about the timestamps and watermarks of a stream: detail
 * of timestamp assigners (raski_timestamps_ops) and of sources that have a strategy. Flink:
 * WatermarkStrategy, TimestampAssignerSupplier. Threads: made by one, read by many. */
#ifndef RASKI_OPERATORS_TIME_TIME_DEFINITION_H
#define RASKI_OPERATORS_TIME_TIME_DEFINITION_H
#include "operators/operator.h"
#include "operators/time/watermark_generator.h"
#include "rask/time.h"

typedef struct raski_time_definition {
    rask_timestamps timestamps; /* FIELD, FN or OWN */
    raski_watermark_strategy strategy;
    const raski_fn *generator; /* of a USER strategy */
    void *generator_self;      /* its initial instance, owned; NULL: zeroes */
} raski_time_definition;

void raski_time_definition_destroy(void *definition_take); /* NULL is fine */

/* Flink: TimestampsAndWatermarksOperator. Records stay where they are; they only get a column of
 * timestamps. Incoming watermarks and statuses end here, but for the last watermark. */
extern const raski_operator_ops raski_timestamps_ops;

/* ---- for the operators of this folder */
/* Writes the timestamps of n records of op to ret_column, which may be previous (theirs so
 * far). false: the program's function failed. */
bool raski_time_assign(raski_operator *op, const raski_time_definition *definition,
                       const void *records, const int64_t *previous, size_t n, int64_t *ret_column);

/* The generator of one stream or split, with the instance of the program's, if it is one. */
typedef struct raski_running_generator {
    raski_watermark_generator base;
    raski_operator *op;
    const raski_fn *fn; /* NULL: a built-in kind */
    void *self;         /* owned */
} raski_running_generator;
/* strategy: that of the definition, or one that is used instead (in batch mode). */
RASKI_NODISCARD rask_status raski_running_generator_init(raski_running_generator *generator,
                                                         raski_operator *op,
                                                         const raski_time_definition *definition,
                                                         const raski_watermark_strategy *strategy,
                                                         raski_error *err);
void raski_running_generator_fini(raski_running_generator *generator);
/* Shows n records to a program's generator; what it says goes to output, at once: ctx.i is the
 * record then. */
void raski_running_generator_show(raski_running_generator *generator, void *records,
                                  const int64_t *timestamps, size_t n,
                                  raski_watermark_output *output);

/* What a batch job uses: nothing but the last watermark. */
extern const raski_watermark_strategy raski_no_watermarks;
/* pipeline.auto-watermark-interval; 0: no periodic watermarks, for jobs in batch mode too. */
int64_t raski_watermark_interval_ms(const raski_operator *op);
/* A clock for idleness: it stands still while the task waits for its consumers (report W15). */
int64_t raski_activity_ns(const raski_operator *op);
/* Hands a change on, in the right order. */
void raski_operator_forward_change(raski_operator *op, raski_watermark_change change);
#endif
