/* source_time.h - event time of a source reader that has a strategy: timestamps for what it emits,
 * a watermark generator for each split (for the whole, where there are none), their combination,
 * and alignment with other sources. Flink: ProgressiveTimestampsAndWatermarks, and what
 * SourceOperator does about watermarks. Threads: the task's. */
#ifndef RASKI_OPERATORS_TIME_SOURCE_TIME_H
#define RASKI_OPERATORS_TIME_SOURCE_TIME_H
#include "operators/time/time_definition.h"

typedef struct raski_source_time raski_source_time;
/* Of one split that is being read, or of a source without splits. */
typedef struct raski_split_time raski_split_time;

/* Of a source operator; *ret_time is NULL when it has no strategy. */
RASKI_NODISCARD rask_status raski_source_time_create(raski_operator *op,
                                                     raski_source_time **ret_time,
                                                     raski_error *err);
void raski_source_time_destroy(raski_source_time *time_take); /* NULL is fine */

/* A split begins: from now on it counts. is_split false: the one part of a source without splits.
 * Errors: no memory. */
RASKI_NODISCARD rask_status raski_source_time_begin(raski_source_time *time, bool is_split,
                                                    raski_split_time **ret_split, raski_error *err);
/* The split has been read; takes it. What it held back is free. */
void raski_source_time_end(raski_source_time *time, raski_split_time *split_take);
/* There is nothing to read until further notice: IDLE, unless splits are being read. */
void raski_source_time_waits(raski_source_time *time);
/* The source is at its end: the others of its group need not wait for it. */
void raski_source_time_finish(raski_source_time *time);

/* Before records of this split are emitted; NULL: none are. */
void raski_source_time_enter(raski_source_time *time, raski_split_time *split);
/* n records of it lie at ctx.buf: gives them timestamps. true: they were handed on already, since
 * something stands before or between them; false: they are to be counted as pending. */
bool raski_source_time_emitted(raski_source_time *time, size_t n);
/* Some time that it asked for has come. */
void raski_source_time_processing_time(raski_source_time *time, int64_t now_ms);

/* ---- alignment */
/* The group allows watermarks up to this one. */
void raski_source_time_align(raski_source_time *time, int64_t max_watermark_ms);
/* Whether a split is too far ahead of its group and must not be read now. Asked anew each time, so
 * that nothing stays paused by mistake (report W14). */
bool raski_source_time_is_paused(const raski_source_time *time, const raski_split_time *split);
#endif
