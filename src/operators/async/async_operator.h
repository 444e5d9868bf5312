/* async_operator.h - starts a request for each record and hands results on, in the records' order
 * or as they come; watermarks keep their place. Flink: AsyncWaitOperator, StreamElementQueue. */
#ifndef RASKI_OPERATORS_ASYNC_ASYNC_OPERATOR_H
#define RASKI_OPERATORS_ASYNC_ASYNC_OPERATOR_H
#include "operators/operator.h"
#include "operators/timed_record.h"
#include "rask/async.h"

/* The definition's detail (made with raski_alloc, destroyed with raski_free). */
typedef struct raski_async_detail {
    bool ordered;
    int capacity;       /* at least 1 */
    int64_t timeout_ms; /* 0: none */
    rask_async_retry retry;
    raski_timed_record item; /* a record under way, as a snapshot has it */
} raski_async_detail;

/* Checks what a program gave and fills in defaults. Errors: Flink's. */
RASKI_NODISCARD rask_status raski_async_detail_init(const rask_options *options, bool ordered,
                                                    const rask_type *in,
                                                    raski_async_detail *ret_detail,
                                                    raski_error *err);

extern const raski_operator_ops raski_async_ops;
#endif
