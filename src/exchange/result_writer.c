#include "exchange/result_writer.h"

#include <string.h>

#include "base/alloc.h"
#include "exchange/result_writer_private.h"
#include "platform/clock.h"

enum { HEAP_SLACK = 32, CLOCK_COARSE_FROM_MS = 20 };

/* ---- life */
static rask_status set_up_selector(raski_result_writer *writer,
                                   const raski_channel_selector *selector, raski_error *err) {
    uint32_t targets = writer->partition->subpartition_count;
    writer->selector = *selector;
    uint64_t seed = selector->seed;
    if (seed == 0) {
        seed = (uint64_t)raski_now_ns() ^ (uint64_t)(uintptr_t)writer * 0x9e3779b97f4a7c15ULL;
    }
    writer->random = seed * 0x9e3779b97f4a7c15ULL | 1;
    writer->turn = targets - 1; /* RESCALE begins with 0 */
    switch (selector->kind) {
        case RASKI_SELECT_REBALANCE:
            writer->turn = (uint32_t)((writer->random >> 32) % targets);
            break;
        case RASKI_SELECT_CUSTOM:
            RASKI_ASSERT(selector->custom != NULL);
            writer->custom_routes = RASKI_NEW_ARRAY(uint32_t, RASKI_ROUTE_BATCH);
            break;
        case RASKI_SELECT_HASH:
            if (selector->max_parallelism < (int32_t)targets ||
                selector->max_parallelism > RASKI_MAX_PARALLELISM_UPPER_BOUND) {
                return RASKI_FAIL(err, RASK_E_ARGUMENT, INTERNAL,
                                  "max parallelism %d does not fit %u subpartitions",
                                  (int)selector->max_parallelism, targets);
            }
            raski_key_group_router_init(&writer->router, selector->max_parallelism,
                                        (int32_t)targets);
            break;
        default:
            break;
    }
    return RASK_OK;
}

static void set_up_outputs(raski_result_writer *writer) {
    raski_result_partition *partition = writer->partition;
    const raski_buffer_format *format = &partition->format;
    raski_channel_selector_kind kind = writer->selector.kind;
    bool is_broadcast = kind == RASKI_SELECT_BROADCAST;
    uint32_t targets = partition->subpartition_count;
    partition->is_shared = is_broadcast && targets > 1;
    writer->output_count = is_broadcast ? 1 : targets;
    writer->outputs = RASKI_NEW_ARRAY(raski_output, writer->output_count);
    for (uint32_t i = 0; i < writer->output_count; i++) {
        writer->outputs[i].first = i;
        writer->outputs[i].count = is_broadcast ? targets : 1;
    }
    bool has_one_target = is_broadcast || kind == RASKI_SELECT_FORWARD ||
                          kind == RASKI_SELECT_GLOBAL ||
                          (targets == 1 && kind != RASKI_SELECT_CUSTOM);
    bool has_columns = format->bytes_per_record != format->record_size;
    /* Strings and columns: a window cannot know how much room the heap needs, so records are
     * copied from staging, as their strings are anyway. */
    writer->is_direct = has_one_target && format->capacity_max > 0 &&
                        !(format->layout->has_pointers && has_columns);
    size_t capacity = RASKI_STAGING_BYTES / format->record_size;
    if (capacity > RASKI_ROUTE_BATCH) capacity = RASKI_ROUTE_BATCH;
    writer->staging_capacity = capacity > 0 ? capacity : 1;
    writer->routes = RASKI_NEW_ARRAY(uint16_t, RASKI_ROUTE_BATCH);
}

rask_status raski_result_writer_create(raski_result_partition *partition,
                                       const raski_result_writer_options *options,
                                       raski_result_writer **ret_writer, raski_error *err) {
    if (atomic_exchange(&partition->is_writer_taken, true)) {
        return RASKI_FAIL(err, RASK_E_ARGUMENT, INTERNAL,
                          "result partition \"%s\" has a writer already", partition->name);
    }
    RASKI_ASSERT(options->doorbell != NULL || options->never_wait);
    raski_result_writer *writer = RASKI_NEW(raski_result_writer);
    writer->partition = raski_result_partition_ref(partition);
    writer->format = &partition->format;
    writer->cancelled = options->cancelled;
    writer->never_wait = options->never_wait;
    if (options->doorbell != NULL) {
        writer->doorbell = raski_doorbell_ref(options->doorbell);
        atomic_store_explicit(&partition->producer_bell, raski_doorbell_ref(options->doorbell),
                              memory_order_release);
    }
    rask_status status = set_up_selector(writer, &options->selector, err);
    if (status != RASK_OK) {
        raski_result_writer_destroy(writer);
        return status;
    }
    set_up_outputs(writer);
    writer->buffer_timeout_ns =
        options->buffer_timeout_ms < 0 ? -1 : options->buffer_timeout_ms * (int64_t)RASKI_NS_PER_MS;
    writer->is_clock_precise =
        options->buffer_timeout_ms >= 0 && options->buffer_timeout_ms < CLOCK_COARSE_FROM_MS;
    size_t share = partition->buffers_max / partition->subpartition_count;
    writer->signal_fill = share >= 4 ? (uint32_t)(share / 2) : 1;
    *ret_writer = writer;
    return RASK_OK;
}

void raski_result_writer_destroy(raski_result_writer *writer) {
    if (writer == NULL) return;
    raski_result_partition *partition = writer->partition;
    for (uint32_t i = 0; i < writer->output_count; i++) {
        raski_buffer *buffer = writer->outputs[i].buffer;
        if (buffer != NULL && --buffer->references == 0) {
            raski_partition_recycle(partition, buffer);
        }
    }
    for (uint32_t i = 0; i < partition->subpartition_count; i++) {
        raski_channel *channel = &partition->channels[i];
        raski_channel_disarm(channel);
        if (writer->is_finished) continue;
        atomic_store_explicit(&channel->is_producer_gone, true, memory_order_release);
        (void)raski_channel_signal(channel);
    }
    raski_partition_reclaim(partition);
    raski_partition_trim(partition);
    raski_doorbell_unref(writer->doorbell);
    raski_free(writer->outputs);
    raski_free(writer->staging);
    raski_free(writer->staging_timestamps);
    raski_free(writer->routes);
    raski_free(writer->custom_routes);
    raski_free(writer);
    raski_result_partition_unref(partition);
}

/* ---- windows */
/* For windows that are not direct, and for records that must move to the next buffer. */
static rask_status ensure_staging(raski_result_writer *writer, raski_error *err) {
    if (writer->staging != NULL) return RASK_OK;
    size_t records = writer->staging_capacity;
    if (writer->is_direct && records < writer->format->capacity_max) {
        records = writer->format->capacity_max;
    }
    writer->staging = raski_try_alloc(records * writer->format->record_size, 64);
    if (writer->staging != NULL && writer->format->has_timestamps) {
        writer->staging_timestamps = raski_try_alloc(records * sizeof(int64_t), 64);
    }
    if (writer->staging == NULL ||
        (writer->format->has_timestamps && writer->staging_timestamps == NULL)) {
        return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a batch of %zu bytes",
                          records * writer->format->record_size);
    }
    return RASK_OK;
}

static rask_status direct_window(raski_result_writer *writer, raski_error *err) {
    raski_output *output = &writer->outputs[0];
    if (output->record_count == output->full_at) {
        RASKI_TRY(raski_output_close(writer, output, err));
        RASKI_TRY(raski_output_start(writer, output, 0, false, err));
    }
    raski_buffer *buffer = output->buffer;
    uint32_t from = output->record_count;
    size_t capacity = output->full_at - from;
    if (writer->heap_per_record > 0) {
        /* records that would not fit with their strings would have to move to the next buffer */
        size_t room = (size_t)buffer->heap_start - (size_t)from * writer->format->record_size;
        size_t likely = 1 + room / (writer->format->record_size + writer->heap_per_record);
        if (likely < capacity) capacity = likely;
    }
    writer->window.records = raski_buffer_record(buffer, writer->format, from);
    writer->window.timestamps = buffer->timestamps != NULL ? buffer->timestamps + from : NULL;
    writer->window.capacity = capacity;
    return RASK_OK;
}

rask_status raski_result_writer_window(raski_result_writer *writer, raski_window *ret_window,
                                       raski_error *err) {
    RASKI_DCHECK(!writer->is_finished);
    if (writer->is_direct) {
        RASKI_TRY(direct_window(writer, err));
    } else {
        RASKI_TRY(ensure_staging(writer, err));
        writer->window.records = writer->staging;
        writer->window.timestamps = writer->staging_timestamps;
        writer->window.capacity = writer->staging_capacity;
    }
    *ret_window = writer->window;
    return RASK_OK;
}

/* ---- committing in place */
/* How many of count records behind those of buffer fit with their heap bytes. */
static size_t count_fitting(const raski_result_writer *writer, const raski_buffer *buffer,
                            const char *records, size_t count, size_t *ret_heap_bytes) {
    const raski_buffer_format *format = writer->format;
    size_t all = raski_records_extra_size(format->layout, records, count);
    *ret_heap_bytes = all;
    if (all == 0 || all + HEAP_SLACK <= raski_buffer_heap_room(buffer, format, count)) {
        return count;
    }
    size_t align = format->layout->extra_align, heap_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        size_t next = (heap_bytes + align - 1) / align * align +
                      raski_record_extra_size(format->layout, records + i * format->record_size);
        size_t room = raski_buffer_heap_room(buffer, format, i + 1);
        if (next > 0 && next + HEAP_SLACK > room) {
            *ret_heap_bytes = heap_bytes;
            return i;
        }
        heap_bytes = next;
    }
    *ret_heap_bytes = heap_bytes;
    return count;
}

/* count records lie behind those of the buffer; their heap bytes (at most heap_bytes) fit. */
static void accept(raski_result_writer *writer, raski_output *output, size_t count,
                   size_t heap_bytes, const int32_t *hashes) {
    const raski_buffer_format *format = writer->format;
    raski_buffer *buffer = output->buffer;
    uint32_t from = output->record_count;
    if (buffer->hashes != NULL && count > 0) {
        memcpy(buffer->hashes + from, hashes, count * sizeof *hashes);
    }
    if (heap_bytes == 0) {
        output->record_count += (uint32_t)count;
        return;
    }
    char *heap = raski_buffer_take_heap(buffer, heap_bytes);
    (void)raski_records_write_extra(format->layout, raski_buffer_record(buffer, format, from),
                                    count, NULL, (size_t)heap);
    buffer->record_count = from + (uint32_t)count;
    raski_output_update(writer, output);
}

static bool is_untouched(const raski_output *output) {
    return output->record_count == 0 && output->buffer->mark_count == 0 &&
           !output->buffer->is_queued;
}

/* The records lie in the buffer with borrowed pointers. Those that do not fit move on, before heap
 * bytes of the others are written over them. */
static rask_status commit_strings_in_place(raski_result_writer *writer, size_t count,
                                           const int32_t *hashes, raski_error *err) {
    const raski_buffer_format *format = writer->format;
    raski_output *output = &writer->outputs[0];
    for (;;) {
        raski_output_sync(output);
        char *records = raski_buffer_record(output->buffer, format, output->record_count);
        size_t heap_bytes;
        size_t fitting = count_fitting(writer, output->buffer, records, count, &heap_bytes);
        if (fitting == count) {
            accept(writer, output, count, heap_bytes, hashes);
            return RASK_OK;
        }
        RASKI_TRY(ensure_staging(writer, err));
        size_t rest = count - fitting, skipped = 0;
        const char *moved = records + fitting * format->record_size;
        memcpy(writer->staging, moved, rest * format->record_size);
        if (fitting > 0 || !is_untouched(output)) {
            accept(writer, output, fitting, heap_bytes, hashes);
        } else { /* alone in an empty buffer, and still too large */
            size_t large = raski_record_extra_size(format->layout, writer->staging);
            RASKI_TRY(raski_output_close(writer, output, err));
            RASKI_TRY(raski_output_append_large(writer, output, writer->staging, large, 0,
                                                hashes != NULL ? hashes[0] : 0, err));
            skipped = 1;
        }
        RASKI_TRY(raski_output_close(writer, output, err));
        RASKI_TRY(raski_output_start(writer, output, 0, true, err));
        if (hashes != NULL) hashes += fitting + skipped;
        count = rest - skipped;
        memcpy(output->buffer->data, writer->staging + skipped * format->record_size,
               count * format->record_size);
        if (count == 0) return RASK_OK;
    }
}

rask_status raski_result_writer_commit(raski_result_writer *writer, size_t count,
                                       const int32_t *hashes, raski_error *err) {
    if (count == 0) return RASK_OK;
    RASKI_DCHECK(count <= writer->window.capacity);
    RASKI_DCHECK(hashes != NULL ||
                 (!writer->format->has_hashes &&
                  (writer->is_direct || writer->selector.kind != RASKI_SELECT_HASH)));
    if (!writer->is_direct) {
        RASKI_TRY(raski_writer_distribute(writer, writer->staging, count,
                                          writer->staging_timestamps, hashes, err));
    } else if (writer->format->layout->has_pointers) {
        RASKI_TRY(commit_strings_in_place(writer, count, hashes, err));
    } else {
        accept(writer, &writer->outputs[0], count, 0, hashes);
    }
    writer->counters.records += count;
    return raski_writer_keep_timeout(writer, err);
}

rask_status raski_result_writer_write(raski_result_writer *writer, const void *records,
                                      size_t count, const int64_t *timestamps,
                                      const int32_t *hashes, raski_error *err) {
    const char *from = records;
    while (count > 0) {
        size_t now = count < RASKI_ROUTE_BATCH ? count : RASKI_ROUTE_BATCH;
        if (writer->is_direct) {
            raski_window window;
            RASKI_TRY(raski_result_writer_window(writer, &window, err));
            now = count < window.capacity ? count : window.capacity;
            memcpy(window.records, from, now * writer->format->record_size);
            if (window.timestamps != NULL) {
                memcpy(window.timestamps, timestamps, now * sizeof *timestamps);
            }
            RASKI_TRY(raski_result_writer_commit(writer, now, hashes, err));
        } else {
            RASKI_TRY(raski_writer_distribute(writer, from, now, timestamps, hashes, err));
            writer->counters.records += now;
            RASKI_TRY(raski_writer_keep_timeout(writer, err));
        }
        from += now * writer->format->record_size;
        if (timestamps != NULL) timestamps += now;
        if (hashes != NULL) hashes += now;
        count -= now;
    }
    return RASK_OK;
}

/* ---- events, flushing, ending */
static bool is_sent_at_once(const raski_event *event) {
    return event->kind == RASKI_EVENT_BARRIER || event->kind == RASKI_EVENT_CANCEL_BARRIER ||
           event->kind == RASKI_EVENT_END_OF_PARTITION;
}

static rask_status after_event(raski_result_writer *writer, const raski_event *event,
                               raski_error *err) {
    if (is_sent_at_once(event)) return raski_writer_flush_all(writer, err);
    return raski_writer_keep_timeout(writer, err);
}

rask_status raski_result_writer_emit_event(raski_result_writer *writer, const raski_event *event,
                                           raski_error *err) {
    RASKI_DCHECK(event->options_size <= RASKI_EVENT_OPTIONS_MAX);
    for (uint32_t i = 0; i < writer->output_count; i++) {
        RASKI_TRY(raski_output_emit_event(writer, &writer->outputs[i], event,
                                          is_sent_at_once(event), err));
    }
    return after_event(writer, event, err);
}

rask_status raski_result_writer_emit_event_to(raski_result_writer *writer, uint32_t subpartition,
                                              const raski_event *event, raski_error *err) {
    RASKI_DCHECK(event->options_size <= RASKI_EVENT_OPTIONS_MAX);
    RASKI_ASSERT(subpartition < writer->partition->subpartition_count);
    if (writer->output_count > subpartition && writer->outputs[subpartition].count == 1) {
        RASKI_TRY(raski_output_emit_event(writer, &writer->outputs[subpartition], event,
                                          is_sent_at_once(event), err));
    } else { /* broadcast: buffers are shared, this one is not */
        RASKI_TRY(raski_output_close(writer, &writer->outputs[0], err));
        RASKI_TRY(raski_writer_push_event(writer, subpartition, 1, event, err));
    }
    return after_event(writer, event, err);
}

rask_status raski_result_writer_flush(raski_result_writer *writer, raski_error *err) {
    return raski_writer_flush_all(writer, err);
}

rask_status raski_result_writer_idle(raski_result_writer *writer, raski_error *err) {
    if (writer->buffer_timeout_ns >= 0) {
        if (writer->unflushed_since_ns == 0) return RASK_OK;
        return raski_writer_flush_all(writer, err);
    }
    raski_writer_signal_all(writer);
    return RASK_OK;
}

int64_t raski_result_writer_flush_deadline_ns(const raski_result_writer *writer) {
    if (writer->buffer_timeout_ns < 0 || writer->unflushed_since_ns == 0) return RASKI_FOREVER;
    return writer->unflushed_since_ns + writer->buffer_timeout_ns;
}

rask_status raski_result_writer_finish(raski_result_writer *writer, raski_error *err) {
    raski_event end = {.kind = RASKI_EVENT_END_OF_PARTITION};
    for (uint32_t i = 0; i < writer->output_count; i++) {
        raski_output *output = &writer->outputs[i];
        RASKI_TRY(raski_output_emit_event(writer, output, &end, true, err));
        RASKI_TRY(raski_output_close(writer, output, err));
    }
    writer->is_finished = true;
    atomic_store_explicit(&writer->partition->is_finished, true, memory_order_release);
    for (uint32_t i = 0; i < writer->partition->subpartition_count; i++) {
        if (raski_channel_signal(&writer->partition->channels[i])) writer->counters.wakes++;
    }
    raski_partition_reclaim(writer->partition);
    raski_partition_trim(writer->partition);
    return RASK_OK;
}

bool raski_result_writer_is_available(raski_result_writer *writer) {
    if (writer->never_wait) return true;
    if (writer->is_direct) {
        const raski_output *output = &writer->outputs[0];
        if (output->record_count != output->full_at) return true;
    }
    return raski_writer_can_take(writer);
}

void raski_result_writer_get_counters(const raski_result_writer *writer,
                                      raski_result_writer_counters *ret_counters) {
    *ret_counters = writer->counters;
}
