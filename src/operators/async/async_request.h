/* async_request.h - what a program's threads hold while a record is under way: a request that is
 * completed once, on any thread, with results that are copied. Flink: ResultFuture.
 *
 * A request has two holders: the operator, and whoever is to complete it. Completed requests wait
 * in the operator's channel, which outlives the operator as long as there are requests: those that
 * come too late find it closed. */
#ifndef RASKI_OPERATORS_ASYNC_ASYNC_REQUEST_H
#define RASKI_OPERATORS_ASYNC_ASYNC_REQUEST_H
#include <stdatomic.h>

#include "operators/operator.h"
#include "rask/async.h"
#include "types/layout.h"

typedef struct raski_async_channel raski_async_channel;

struct raski_async_request {
    _Atomic int holders;
    raski_async_channel *channel; /* a reference */
    void *entry;                  /* of the operator; only its thread looks at it */
    /* guarded by the channel's lock until the operator has taken the request */
    raski_async_request *next;
    bool completed;
    bool failed;
    char *message; /* of a failure; owned */
    void *records; /* owned, with all they point to */
    size_t count;
};

/* type: of the results. doorbell gets a reference; attention is set on each completion until the
 * channel is closed. */
raski_async_channel *raski_async_channel_create(const rask_type *type, raski_doorbell *doorbell,
                                                _Atomic bool *attention);
/* No completion is of interest any more; gives the operator's reference back. NULL is fine. */
void raski_async_channel_close(raski_async_channel *channel_take);
/* A request for two holders. */
raski_async_request *raski_async_request_create(raski_async_channel *channel, void *entry);
void raski_async_request_hold(raski_async_request *request);
void raski_async_request_release(raski_async_request *request_take);
/* All that was completed since the last call, in that order, as a list by next. The caller releases
 * each. */
raski_async_request *raski_async_channel_take(raski_async_channel *channel);
/* Takes the results out: the caller frees them with raski_async_records_free. */
void *raski_async_request_take_records(raski_async_request *request, size_t *ret_count);
void raski_async_records_free(const raski_layout *layout, void *records_take, size_t count);
const raski_layout *raski_async_channel_layout(const raski_async_channel *channel);
#endif
