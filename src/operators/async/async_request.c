#include "operators/async/async_request.h"

#include <string.h>

#include "platform/thread.h"

struct raski_async_channel {
    _Atomic int holders; /* the operator, and each request */
    raski_layout *layout;
    raski_mutex *lock; /* guards what follows, and the results of requests */
    raski_doorbell *doorbell;
    _Atomic bool *attention; /* NULL: closed */
    raski_async_request *first, *last;
};

raski_async_channel *raski_async_channel_create(const rask_type *type, raski_doorbell *doorbell,
                                                _Atomic bool *attention) {
    raski_async_channel *channel = RASKI_NEW(raski_async_channel);
    atomic_store_explicit(&channel->holders, 1, memory_order_relaxed);
    channel->layout = raski_layout_create(type);
    channel->lock = raski_mutex_create();
    channel->doorbell = raski_doorbell_ref(doorbell);
    channel->attention = attention;
    return channel;
}

static void channel_release(raski_async_channel *channel) {
    if (atomic_fetch_sub_explicit(&channel->holders, 1, memory_order_acq_rel) != 1) return;
    raski_doorbell_unref(channel->doorbell);
    raski_mutex_destroy(channel->lock);
    raski_layout_destroy(channel->layout);
    raski_free(channel);
}

void raski_async_channel_close(raski_async_channel *channel_take) {
    if (channel_take == NULL) return;
    raski_mutex_lock(channel_take->lock);
    channel_take->attention = NULL;
    raski_async_request *first = channel_take->first;
    channel_take->first = channel_take->last = NULL;
    raski_mutex_unlock(channel_take->lock);
    while (first != NULL) {
        raski_async_request *next = first->next;
        raski_async_request_release(first);
        first = next;
    }
    channel_release(channel_take);
}

const raski_layout *raski_async_channel_layout(const raski_async_channel *channel) {
    return channel->layout;
}

raski_async_request *raski_async_request_create(raski_async_channel *channel, void *entry) {
    raski_async_request *request = RASKI_NEW(raski_async_request);
    atomic_store_explicit(&request->holders, 2, memory_order_relaxed);
    atomic_fetch_add_explicit(&channel->holders, 1, memory_order_relaxed);
    request->channel = channel;
    request->entry = entry;
    return request;
}

void raski_async_request_hold(raski_async_request *request) {
    atomic_fetch_add_explicit(&request->holders, 1, memory_order_relaxed);
}

void raski_async_records_free(const raski_layout *layout, void *records_take, size_t count) {
    for (size_t i = 0; i < count; i++)
        raski_record_disown(layout, (char *)records_take + i * layout->size);
    raski_free(records_take);
}

void raski_async_request_release(raski_async_request *request_take) {
    if (request_take == NULL) return;
    if (atomic_fetch_sub_explicit(&request_take->holders, 1, memory_order_acq_rel) != 1) return;
    raski_async_records_free(request_take->channel->layout, request_take->records,
                             request_take->count);
    raski_free(request_take->message);
    channel_release(request_take->channel);
    raski_free(request_take);
}

static rask_status copy_records(const raski_layout *layout, const void *records, size_t n,
                                void **ret_copy) {
    char *copy = raski_try_alloc(n * layout->size, 64);
    raski_error error = {0};
    if (copy == NULL) return RASK_E_NOMEM;
    memcpy(copy, records, n * layout->size);
    for (size_t i = 0; i < n; i++) {
        char *record = copy + i * layout->size;
        if (raski_record_own(layout, record, record, &error) == RASK_OK) continue;
        raski_async_records_free(layout, copy, i);
        return RASK_E_NOMEM;
    }
    *ret_copy = copy;
    return RASK_OK;
}

/* Under the lock: hands it to the operator. */
static void complete(raski_async_channel *channel, raski_async_request *request) {
    request->completed = true;
    request->next = NULL;
    raski_async_request_hold(request); /* the list's */
    if (channel->last != NULL)
        channel->last->next = request;
    else
        channel->first = request;
    channel->last = request;
    atomic_store_explicit(channel->attention, true, memory_order_release);
    raski_doorbell_ring(channel->doorbell);
}

void raski_async_complete(raski_async_request *request_take, const void *records, size_t n) {
    raski_async_request *request = request_take;
    raski_async_channel *channel = request->channel;
    void *copy = NULL;
    bool failed = n > 0 && copy_records(channel->layout, records, n, &copy) != RASK_OK;
    raski_mutex_lock(channel->lock);
    if (channel->attention != NULL && !request->completed) {
        request->records = copy;
        request->count = failed ? 0 : n;
        request->failed = failed;
        if (failed) request->message = raski_strdup("no memory for the results");
        copy = NULL;
        complete(channel, request);
    }
    raski_mutex_unlock(channel->lock);
    if (copy != NULL) raski_async_records_free(channel->layout, copy, n);
    raski_async_request_release(request);
}

void raski_async_fail(raski_async_request *request_take, const char *message) {
    raski_async_request *request = request_take;
    raski_async_channel *channel = request->channel;
    raski_mutex_lock(channel->lock);
    if (channel->attention != NULL && !request->completed) {
        request->failed = true;
        request->message = raski_strdup(message != NULL ? message : "no message");
        complete(channel, request);
    }
    raski_mutex_unlock(channel->lock);
    raski_async_request_release(request);
}

raski_async_request *raski_async_channel_take(raski_async_channel *channel) {
    raski_mutex_lock(channel->lock);
    raski_async_request *first = channel->first;
    channel->first = channel->last = NULL;
    raski_mutex_unlock(channel->lock);
    return first;
}

void *raski_async_request_take_records(raski_async_request *request, size_t *ret_count) {
    void *records = request->records;
    *ret_count = request->count;
    request->records = NULL;
    request->count = 0;
    return records;
}
