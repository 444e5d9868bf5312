/* interval_join.h - joins records of two inputs of one key whose timestamps are near each other.
 *
 * Each key has a row with two lists of records, ordered by timestamp: a record looks for its
 * partners by binary search, and expired ones leave from the front. Event-time timers clean up, one
 * queue per side, as Flink has a namespace per side. Flink: IntervalJoinOperator. Threads: the
 * task's. */
#ifndef RASKI_OPERATORS_JOIN_INTERVAL_JOIN_H
#define RASKI_OPERATORS_JOIN_INTERVAL_JOIN_H
#include "operators/operator.h"
#include "operators/timed_record.h"
#include "rask/stream.h"

/* The definition's detail. */
typedef struct raski_interval_join_detail {
    int64_t lower_ms, upper_ms; /* right minus left, both included */
    const raski_tag *late[2];   /* NULL: late records are dropped */
    raski_timed_record item[2]; /* what the lists hold */
} raski_interval_join_detail;

/* For records of these types. Errors: Flink's. */
RASKI_NODISCARD rask_status raski_interval_join_detail_init(raski_interval_join_detail *detail,
                                                            const rask_type *left,
                                                            const rask_type *right,
                                                            const rask_options *options,
                                                            raski_error *err);
extern const raski_operator_ops raski_interval_join_ops;
#endif
