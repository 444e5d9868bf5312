/* result_writer_output.c - buffers of a writer: taking them, handing them over, waiting for them,
 * and when to wake the consumer. */
#include <string.h>

#include "base/alloc.h"
#include "exchange/network_pool_private.h"
#include "exchange/result_writer_private.h"
#include "platform/clock.h"

/* A full buffer is known to its consumer after this long, however slowly others follow. */
enum { SIGNAL_AGE_MAX_NS = RASKI_NS_PER_MS };
/* Unpooled bytes that may be under way at once (one large record may always). */
enum { UNPOOLED_BYTES_MAX = RASKI_BUFFERS_MIN * RASKI_BUFFER_SIZE };
enum { EVENT_INLINE_MAX = 512 }; /* bytes; larger events get a buffer of their own */
enum { HEAP_SLACK = 32 };        /* alignment of what lies in the heap */

/* ---- waiting */
typedef enum wait_reason { WAIT_BUFFER, WAIT_SLOT, WAIT_UNPOOLED } wait_reason;

/* Without waiting; NULL when there is none. */
static raski_buffer *try_take(raski_result_writer *writer, bool may_overdraft,
                              bool *ret_no_memory) {
    raski_result_partition *partition = writer->partition;
    *ret_no_memory = false;
    if (partition->free_list == NULL) raski_partition_reclaim(partition);
    raski_buffer *buffer = partition->free_list;
    if (buffer != NULL) {
        partition->free_list = buffer->next_free;
        partition->free_count--;
        return buffer;
    }
    size_t limit = partition->buffers_max + (may_overdraft ? partition->buffers_overdraft : 0);
    if (partition->held < limit) {
        buffer = raski_network_pool_take(partition->pool, partition->buffers_required,
                                         partition->held, ret_no_memory);
        if (buffer != NULL) partition->held++;
        if (buffer != NULL || *ret_no_memory) return buffer;
    }
    if (!writer->never_wait) return NULL;
    buffer = raski_buffer_alloc(RASKI_BUFFER_SIZE);
    *ret_no_memory = buffer == NULL;
    if (buffer != NULL) partition->unpooled_bytes += buffer->size;
    return buffer;
}

static bool is_ready(const raski_result_writer *writer, wait_reason reason,
                     const raski_channel *channel, size_t bytes) {
    const raski_result_partition *partition = writer->partition;
    switch (reason) {
        case WAIT_BUFFER:
            return partition->free_list != NULL;
        case WAIT_SLOT:
            return !raski_channel_is_full(channel);
        case WAIT_UNPOOLED:
            return partition->unpooled_bytes == 0 ||
                   partition->unpooled_bytes + bytes <= UNPOOLED_BYTES_MAX;
    }
    return true;
}

/* Asks every consumer to ring once half of its buffers are back. */
static void arm_all(raski_result_writer *writer) {
    for (uint32_t i = 0; i < writer->partition->subpartition_count; i++) {
        raski_channel *channel = &writer->partition->channels[i];
        uint32_t queued =
            atomic_load_explicit(&channel->head, memory_order_relaxed) - channel->reclaimed;
        raski_channel_arm(channel, queued > 1 ? (queued + 1) / 2 : 1);
    }
}

static void disarm_all(raski_result_writer *writer) {
    for (uint32_t i = 0; i < writer->partition->subpartition_count; i++) {
        raski_channel_disarm(&writer->partition->channels[i]);
    }
}

static rask_status wait_until_ready(raski_result_writer *writer, wait_reason reason,
                                    const raski_channel *channel, size_t bytes, raski_error *err) {
    raski_partition_reclaim(writer->partition);
    if (is_ready(writer, reason, channel, bytes)) return RASK_OK;
    RASKI_ASSERT(!writer->never_wait);
    raski_writer_signal_all(writer);
    int64_t started_ns = raski_now_ns();
    rask_status status = RASK_OK;
    writer->counters.blocked_count++;
    for (;;) {
        uint32_t seen = raski_doorbell_sequence(writer->doorbell);
        if (writer->cancelled != NULL &&
            atomic_load_explicit(writer->cancelled, memory_order_acquire)) {
            status = RASKI_FAIL(err, RASK_E_CANCELLED, CANCELLED,
                                "cancelled while \"%s\" waited for network buffers",
                                writer->partition->name);
            break;
        }
        arm_all(writer);
        raski_partition_reclaim(writer->partition);
        if (is_ready(writer, reason, channel, bytes)) break;
        (void)raski_doorbell_wait(writer->doorbell, seen, RASKI_FOREVER);
    }
    disarm_all(writer);
    writer->counters.blocked_ns += (uint64_t)(raski_now_ns() - started_ns);
    return status;
}

/* Shows what is in unfinished buffers too: the consumers have time now. */
static rask_status wait_for_buffer(raski_result_writer *writer, raski_error *err) {
    RASKI_TRY(raski_writer_flush_all(writer, err));
    return wait_until_ready(writer, WAIT_BUFFER, NULL, 0, err);
}

bool raski_writer_can_take(raski_result_writer *writer) {
    raski_result_partition *partition = writer->partition;
    bool no_memory;
    raski_buffer *buffer = try_take(writer, false, &no_memory);
    if (buffer == NULL && !no_memory) {
        raski_writer_signal_all(writer);
        arm_all(writer);
        buffer = try_take(writer, false, &no_memory);
        if (buffer != NULL) disarm_all(writer);
    }
    if (buffer != NULL) raski_partition_recycle(partition, buffer);
    return buffer != NULL || no_memory; /* without memory, the window says so */
}

/* ---- handing over */
static rask_status push_to(raski_result_writer *writer, uint32_t index, raski_buffer *buffer,
                           raski_error *err) {
    raski_channel *channel = &writer->partition->channels[index];
    if (raski_channel_is_full(channel)) {
        if (writer->never_wait) {
            raski_channel_grow(channel);
        } else {
            RASKI_TRY(wait_until_ready(writer, WAIT_SLOT, channel, 0, err));
        }
    }
    buffer->references++;
    raski_channel_push(channel, buffer);
    return RASK_OK;
}

static rask_status enqueue(raski_result_writer *writer, uint32_t first, uint32_t count,
                           raski_buffer *buffer, raski_error *err) {
    for (uint32_t i = 0; i < count; i++) RASKI_TRY(push_to(writer, first + i, buffer, err));
    buffer->is_queued = true;
    return RASK_OK;
}

/* The consumer is told once its queue is half full; a consumer that is awake is not told at all
 * (it looks at the queue anyway, and if it is just falling asleep, the next buffer, the flush or
 * the age limit wakes it). */
static void signal_if_full(raski_result_writer *writer, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count; i++) {
        raski_channel *channel = &writer->partition->channels[i];
        uint32_t head = atomic_load_explicit(&channel->head, memory_order_relaxed);
        if (head - channel->tail_seen < writer->signal_fill) continue;
        channel->tail_seen = atomic_load_explicit(&channel->tail, memory_order_relaxed);
        if (head - channel->tail_seen < writer->signal_fill) continue;
        raski_doorbell *bell = atomic_load_explicit(&channel->consumer_bell, memory_order_acquire);
        if (bell == NULL || !raski_doorbell_is_waited_on(bell)) continue;
        if (raski_channel_signal(channel)) writer->counters.wakes++;
    }
}

static void drop_reference(raski_result_writer *writer, raski_buffer *buffer) {
    if (--buffer->references == 0) raski_partition_recycle(writer->partition, buffer);
}

/* Spills or publishes a finished buffer, whose writer's reference it takes. */
static rask_status hand_over(raski_result_writer *writer, uint32_t first, uint32_t count,
                             raski_buffer *buffer, raski_error *err) {
    rask_status status = RASK_OK;
    writer->counters.buffers += count;
    writer->counters.bytes +=
        count * (buffer->record_count * (uint64_t)writer->format->bytes_per_record +
                 (buffer->size - buffer->heap_start));
    if (writer->partition->spill != NULL) {
        status = raski_spill_file_append(writer->partition->spill, buffer, writer->format, first,
                                         count, err);
    } else {
        raski_buffer_publish(buffer, true);
        if (!buffer->is_queued) {
            status = enqueue(writer, first, count, buffer, err);
            if (status == RASK_OK) signal_if_full(writer, first, count);
        }
    }
    drop_reference(writer, buffer);
    return status;
}

rask_status raski_output_close(raski_result_writer *writer, raski_output *output,
                               raski_error *err) {
    raski_buffer *buffer = output->buffer;
    if (buffer == NULL) return RASK_OK;
    raski_output_sync(output);
    output->buffer = NULL;
    output->full_at = 0;
    output->record_count = 0;
    if (buffer->record_count > 0) {
        writer->heap_per_record = (buffer->size - buffer->heap_start) / buffer->record_count;
    } else if (buffer->mark_count == 0 && !buffer->is_queued) {
        drop_reference(writer, buffer); /* nothing was ever in it */
        return RASK_OK;
    }
    return hand_over(writer, output->first, output->count, buffer, err);
}

void raski_output_update(const raski_result_writer *writer, raski_output *output) {
    raski_buffer *buffer = output->buffer;
    output->record_count = buffer->record_count;
    output->full_at =
        buffer->record_count + (uint32_t)raski_buffer_record_room(buffer, writer->format);
}

/* With columns, the places for records are fixed when a buffer is begun: leave as much for the heap
 * as the records before needed, and enough for the first. */
static uint32_t choose_capacity(const raski_result_writer *writer, size_t heap_bytes) {
    const raski_buffer_format *format = writer->format;
    if (!format->layout->has_pointers ||
        format->bytes_per_record == format->record_size) { /* no columns */
        return format->capacity_max;
    }
    size_t per_record = format->bytes_per_record + writer->heap_per_record;
    size_t capacity = RASKI_BUFFER_SIZE / per_record;
    size_t most = (RASKI_BUFFER_SIZE - heap_bytes - HEAP_SLACK) / format->bytes_per_record;
    if (capacity > most) capacity = most;
    return capacity > 0 ? (uint32_t)capacity : 1;
}

static rask_status take(raski_result_writer *writer, bool may_overdraft, raski_buffer **ret_buffer,
                        raski_error *err) {
    for (;;) {
        bool no_memory;
        *ret_buffer = try_take(writer, may_overdraft, &no_memory);
        if (*ret_buffer != NULL) return RASK_OK;
        if (no_memory) {
            return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a network buffer");
        }
        RASKI_TRY(wait_for_buffer(writer, err));
    }
}

rask_status raski_output_start(raski_result_writer *writer, raski_output *output, size_t heap_bytes,
                               bool may_overdraft, raski_error *err) {
    raski_buffer *buffer;
    RASKI_TRY(take(writer, may_overdraft, &buffer, err));
    raski_buffer_reset(buffer, writer->format, choose_capacity(writer, heap_bytes));
    output->buffer = buffer;
    raski_output_update(writer, output);
    return RASK_OK;
}

/* A buffer outside of the pool. */
static rask_status alloc_unpooled(raski_result_writer *writer, size_t size,
                                  raski_buffer **ret_buffer, raski_error *err) {
    raski_buffer *buffer = raski_buffer_alloc(size);
    if (buffer == NULL) {
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL,
                          "no memory for %zu bytes between \"%s\" and its consumers", size,
                          writer->partition->name);
    }
    writer->partition->unpooled_bytes += buffer->size;
    *ret_buffer = buffer;
    return RASK_OK;
}

rask_status raski_output_append_large(raski_result_writer *writer, raski_output *output,
                                      const void *record, size_t heap_bytes, int64_t timestamp,
                                      int32_t hash, raski_error *err) {
    const raski_buffer_format *format = writer->format;
    size_t size = format->bytes_per_record + heap_bytes + 2 * HEAP_SLACK;
    if (size > writer->partition->record_bytes_max) {
        return RASKI_FAIL(err, RASK_E_UNSUPPORTED, USER,
                          "a record of %zu bytes is larger than the limit of %llu bytes", size,
                          (unsigned long long)writer->partition->record_bytes_max);
    }
    if (!writer->never_wait) {
        RASKI_TRY(wait_until_ready(writer, WAIT_UNPOOLED, NULL, size, err));
    }
    raski_buffer *buffer = NULL;
    RASKI_TRY(alloc_unpooled(writer, size, &buffer, err));
    raski_buffer_reset(buffer, format, 1);
    memcpy(buffer->data, record, format->record_size);
    if (heap_bytes > 0) {
        char *heap = raski_buffer_take_heap(buffer, heap_bytes);
        (void)raski_record_write_extra(format->layout, buffer->data, NULL, (size_t)heap);
    }
    if (buffer->timestamps != NULL) buffer->timestamps[0] = timestamp;
    if (buffer->hashes != NULL) buffer->hashes[0] = hash;
    buffer->record_count = 1;
    return hand_over(writer, output->first, output->count, buffer, err);
}

/* ---- events */
rask_status raski_writer_push_event(raski_result_writer *writer, uint32_t first, uint32_t count,
                                    const raski_event *event, raski_error *err) {
    raski_buffer *buffer = NULL;
    RASKI_TRY(alloc_unpooled(writer, raski_mark_size(event) + HEAP_SLACK, &buffer, err));
    raski_buffer_reset(buffer, writer->format, 0);
    raski_buffer_add_mark(buffer, event);
    return hand_over(writer, first, count, buffer, err);
}

rask_status raski_output_emit_event(raski_result_writer *writer, raski_output *output,
                                    const raski_event *event, bool at_once, raski_error *err) {
    size_t need = raski_mark_size(event) + HEAP_SLACK;
    raski_output_sync(output);
    if (need > EVENT_INLINE_MAX ||
        (output->buffer != NULL &&
         raski_buffer_heap_room(output->buffer, writer->format, 0) < need)) {
        RASKI_TRY(raski_output_close(writer, output, err));
    }
    if (output->buffer == NULL) {
        /* what must not wait for a free buffer, or is large, gets a buffer of its own */
        if (at_once || need > EVENT_INLINE_MAX || writer->format->capacity_max == 0) {
            return raski_writer_push_event(writer, output->first, output->count, event, err);
        }
        RASKI_TRY(raski_output_start(writer, output, need, true, err));
    }
    raski_buffer_add_mark(output->buffer, event);
    raski_output_update(writer, output);
    return RASK_OK;
}

/* ---- telling */
static rask_status publish_all(raski_result_writer *writer, raski_error *err) {
    for (uint32_t i = 0; i < writer->output_count; i++) {
        raski_output *output = &writer->outputs[i];
        raski_buffer *buffer = output->buffer;
        if (buffer == NULL) continue;
        raski_output_sync(output);
        uint64_t published = atomic_load_explicit(&buffer->published, memory_order_relaxed);
        if (raski_published_records(published) == buffer->record_count &&
            raski_published_marks(published) == buffer->mark_count) {
            continue;
        }
        raski_buffer_publish(buffer, false);
        if (buffer->is_queued) {
            for (uint32_t k = 0; k < output->count; k++) {
                writer->partition->channels[output->first + k].is_signal_due = true;
            }
        } else {
            RASKI_TRY(enqueue(writer, output->first, output->count, buffer, err));
        }
    }
    return RASK_OK;
}

void raski_writer_signal_all(raski_result_writer *writer) {
    for (uint32_t i = 0; i < writer->partition->subpartition_count; i++) {
        raski_channel *channel = &writer->partition->channels[i];
        if (channel->is_signal_due && raski_channel_signal(channel)) writer->counters.wakes++;
    }
    writer->unsignalled_since_ns = 0;
}

rask_status raski_writer_flush_all(raski_result_writer *writer, raski_error *err) {
    if (writer->partition->spill != NULL) return RASK_OK; /* nobody reads before the end */
    RASKI_TRY(publish_all(writer, err));
    raski_writer_signal_all(writer);
    writer->unflushed_since_ns = 0;
    return RASK_OK;
}

rask_status raski_writer_keep_timeout(raski_result_writer *writer, raski_error *err) {
    if (writer->partition->spill != NULL) return RASK_OK;
    if (writer->buffer_timeout_ns == 0) return raski_writer_flush_all(writer, err);
    int64_t now_ns = writer->is_clock_precise ? raski_now_ns() : raski_coarse_now_ns();
    int64_t since_last_ns = now_ns - writer->last_commit_ns;
    writer->last_commit_ns = now_ns;
    if (writer->unflushed_since_ns == 0) writer->unflushed_since_ns = now_ns;
    if (writer->buffer_timeout_ns > 0 &&
        (now_ns - writer->unflushed_since_ns >= writer->buffer_timeout_ns ||
         since_last_ns >= writer->buffer_timeout_ns)) {
        /* old, or so slow a producer that waiting for the next commit would be too late */
        return raski_writer_flush_all(writer, err);
    }
    if (writer->unsignalled_since_ns == 0) {
        writer->unsignalled_since_ns = now_ns;
    } else if (now_ns - writer->unsignalled_since_ns >= SIGNAL_AGE_MAX_NS) {
        raski_writer_signal_all(writer);
    }
    return RASK_OK;
}
