/* rask/async.h - asynchronous I/O: a function starts a request for each record, for instance to a
 * database, and any thread completes it later with the results.
 *
 *   RASK_ASYNC(enrich, client, self, order, o, enriched, request) {
 *       client_get(self->db, o.customer, on_reply, rask_async_keep(request));
 *   }
 *   ...in on_reply, on any thread:
 *       rask_async_complete(request, &result, 1);
 *
 *   rask_stream(enriched) out = rask_async_ordered(orders, enrich, .timeout_ms = 1000);
 *
 * The body must not wait. The strings of its record stay valid until the request is completed.
 * Results carry the record's timestamp; watermarks never overtake the records before them.
 * Flink: AsyncDataStream, AsyncFunction, ResultFuture, AsyncWaitOperator. */
#ifndef RASK_ASYNC_H
#define RASK_ASYNC_H
#include "rask/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct raski_async_request raski_async_request;

RASK_API void raski_async_complete(raski_async_request *request_take, const void *records,
                                   size_t n);
RASK_API void raski_async_fail(raski_async_request *request_take, const char *message);
RASK_API raski_stream *raski_async(raski_stream *, const raski_fn *, const rask_options *, size_t,
                                   bool ordered, const char *file, int line);
#ifdef __cplusplus
}
#endif

#ifndef __cplusplus
/* void fn(SELF *self, IN in, request): starts what answers for one record. request is a
 * rask_request(OUT); it is completed or failed exactly once, in the body or later on any thread. */
#define rask_request(T) rask_request_##T
#define RASK_ASYNC(fn, SELF, self_p, IN, in_p, OUT, request_p) \
    RASKI_BODY void fn(SELF *self_p, IN in_p, rask_request_##OUT request_p); \
    typedef IN raski_in_##fn; \
    typedef rask_request_##OUT raski_request_##fn; \
    RASKI_HOOKS(fn, SELF) \
    RASKI_UNUSED static const raski_hook raski_timeout_##fn; \
    static void raski_async_run_##fn(void *s_, const void *in_, raski_async_request *request_) { \
        fn((SELF *)s_, *(const IN *)in_, (rask_request_##OUT){request_, NULL}); \
    } \
    static const raski_hook raski_async_##fn = {.async = raski_async_run_##fn}; \
    RASKI_OBJECT(fn, async_takes, rask_stream_##IN, OUT, .kind = RASKI_FN_ASYNC, \
                 .in = &rask_type_##IN, .out = &rask_type_##OUT, .async = &raski_async_##fn, \
                 .async_timeout = &raski_timeout_##fn, RASKI_HOOKED(fn, SELF)) \
        .async_takes = raski_take_##IN \
    } \
    ; \
    RASKI_BODY void fn(SELF *self_p, IN in_p, rask_request_##OUT request_p)
/* What happens when a record's time is over, instead of the failure of the job: complete or fail
 * this request at once. A later answer to the old one is ignored. Flink: AsyncFunction.timeout. */
#define RASK_ON_TIMEOUT(fn, self_p, in_p, request_p) \
    static void raski_timeout_body_##fn(raski_self_##fn *self_p, raski_in_##fn in_p, \
                                        raski_request_##fn request_p); \
    static void raski_timeout_run_##fn(void *s_, const void *in_, raski_async_request *request_) { \
        raski_timeout_body_##fn((raski_self_##fn *)s_, *(const raski_in_##fn *)in_, \
                                (raski_request_##fn){request_, NULL}); \
    } \
    static const raski_hook raski_timeout_##fn = {.async = raski_timeout_run_##fn}; \
    static void raski_timeout_body_##fn(RASKI_UNUSED raski_self_##fn *self_p, \
                                        RASKI_UNUSED raski_in_##fn in_p, \
                                        raski_request_##fn request_p)

/* A request as one pointer, for callbacks that take a void *; and back, as rask_request(T). */
#define rask_async_keep(request) ((void *)(request).raski_request)
#define rask_async_kept(T, pointer) ((rask_request_##T){(raski_async_request *)(pointer), NULL})
/* rask_async_complete(request, pointer, count): the results, any number of records; copied with
 * their strings. Ends the use of request. @thread any. Flink: ResultFuture.complete. */
#define rask_async_complete(request, records, count) \
    ((void)sizeof((request).rec == (records)), \
     raski_async_complete((request).raski_request, (records), (count)))
/* No answer: retried, or fails the job with the message (copied). @thread any.
 * Flink: ResultFuture.completeExceptionally. */
#define rask_async_fail(request, message) raski_async_fail((request).raski_request, (message))

/* rask_async_ordered(stream, fn, options...): results in the order of the records. Options:
 * .timeout_ms of a record with all its attempts (0: none; not with retries), .capacity: records
 * under way (0: 100; at the limit those before them wait), .retry. Flink:
 * AsyncDataStream.orderedWait, orderedWaitWithRetry. */
#define rask_async_ordered(s, ...) RASKI_ASYNC_OF(s, true, __VA_ARGS__)
/* Results as soon as they are there; only watermarks keep their place. Flink: unorderedWait. */
#define rask_async_unordered(s, ...) RASKI_ASYNC_OF(s, false, __VA_ARGS__)
#define RASKI_ASYNC_OF(s, ordered, ...) \
    ((__typeof__(RASKI_FN(__VA_ARGS__).out)){ \
        .node = raski_async(RASKI_FN(__VA_ARGS__).async_takes(s), &RASKI_FN(__VA_ARGS__).base, \
                            RASKI_FN_OPTIONS(__VA_ARGS__), ordered, RASKI_HERE)})
#endif /* !__cplusplus */
#endif
