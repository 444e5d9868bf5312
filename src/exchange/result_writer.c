#include "exchange/result_writer.h"

#include <string.h>

#include "base/alloc.h"
#include "exchange/result_writer_private.h"
#include "platform/clock.h"

enum {
    HEAP_SLACK = 32,            /* alignment of what lies in the heap */
    HEAP_PER_RECORD_FIRST = 16, /* bytes; a guess until the first buffer is full */
    CLOCK_COARSE_FROM_MS = 20,
};

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
    if (format->layout->has_pointers) writer->heap_per_record = HEAP_PER_RECORD_FIRST;
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
/* Copies the long strings of a record of a type that has no other pointers; false when they do not
 * fit above floor (some of them may have been copied then). */
static bool place_strings(const raski_layout *layout, char *record, const char *floor,
                          char **heap) {
    for (uint32_t p = 0; p < layout->place_count; p++) {
        const raski_place *place = &layout->places[p];
        char *at = record + place->offset;
        for (uint32_t i = 0; i < place->count; i++, at += place->stride) {
            rask_string string;
            memcpy(&string, at, sizeof string);
            if (string.len <= RASK_STRING_INLINE) continue;
            if (string.len > (size_t)(*heap - floor)) return false;
            *heap -= string.len;
            memcpy(*heap, rask_string_data(&string), string.len);
            string.raski_tail = (uint64_t)(uintptr_t)*heap;
            memcpy(at, &string, sizeof string);
        }
    }
    return true;
}

/* 1 or 0: a number, so that several are combined without branches. */
static inline unsigned is_long_at(const char *string) {
    uint32_t length;
    memcpy(&length, string, sizeof length);
    return length > RASK_STRING_INLINE;
}

/* How many of count strings, stride bytes apart, come before the first long one. */
static size_t count_short(const char *strings, size_t stride, size_t count) {
    size_t i = 0;
    for (; i + 4 <= count; i += 4, strings += 4 * stride) {
        if (is_long_at(strings) | is_long_at(strings + stride) | is_long_at(strings + 2 * stride) |
            is_long_at(strings + 3 * stride)) {
            break;
        }
    }
    for (; i < count && !is_long_at(strings); i++) strings += stride;
    return i;
}

/* count records lie behind those of the buffer, with pointers to elsewhere. Copies what they point
 * to into the heap, in front of which all of them stay untouched, and returns how many fit. */
static size_t place_heap(const raski_buffer_format *format, raski_buffer *buffer, char *records,
                         size_t count) {
    const raski_layout *layout = format->layout;
    const char *floor = records + count * format->record_size;
    if (layout->only_strings) {
        bool has_one = layout->place_count == 1 && layout->places[0].count == 1;
        char *heap = buffer->data + buffer->heap_start;
        size_t placed = 0;
        for (;;) {
            if (has_one) {
                placed +=
                    count_short(records + placed * format->record_size + layout->places[0].offset,
                                format->record_size, count - placed);
            }
            if (placed == count) break;
            char *before = heap;
            if (!place_strings(layout, records + placed * format->record_size, floor, &heap)) {
                heap = before;
                break;
            }
            placed++;
        }
        buffer->heap_start = (uint32_t)(heap - buffer->data);
        return placed;
    }
    for (size_t i = 0; i < count; i++) {
        char *record = records + i * format->record_size;
        size_t need = raski_record_extra_size(layout, record);
        if (need == 0) continue;
        char *heap = buffer->data + buffer->heap_start;
        if (need + HEAP_SLACK > (size_t)(heap - floor)) return i;
        heap = raski_buffer_take_heap(buffer, need);
        (void)raski_record_write_extra(layout, record, NULL, (size_t)(uintptr_t)heap);
    }
    return count;
}

/* count records behind those of the output's buffer belong to it now. */
static void accept(raski_output *output, size_t count, const int32_t *hashes) {
    raski_buffer *buffer = output->buffer;
    if (buffer->hashes != NULL && count > 0) {
        memcpy(buffer->hashes + output->record_count, hashes, count * sizeof *hashes);
    }
    output->record_count += (uint32_t)count;
}

/* The records of the window have pointers, and no columns. Those that do not fit with their strings
 * move to the next buffer. */
static rask_status commit_with_heap(raski_result_writer *writer, size_t count, raski_error *err) {
    const raski_buffer_format *format = writer->format;
    raski_output *output = &writer->outputs[0];
    for (;;) {
        raski_buffer *buffer = output->buffer;
        char *records = raski_buffer_record(buffer, format, output->record_count);
        size_t placed = place_heap(format, buffer, records, count);
        output->record_count += (uint32_t)placed;
        raski_output_sync(output);
        raski_output_update(writer, output);
        if (placed == count) return RASK_OK;
        RASKI_TRY(ensure_staging(writer, err));
        count -= placed;
        records += placed * format->record_size;
        memcpy(writer->staging, records, count * format->record_size);
        const char *rest = writer->staging;
        if (output->record_count == 0) {
            /* the first does not fit beside the others: perhaps alone, or it is a large one */
            RASKI_TRY(raski_output_append(writer, output, rest, 0, 0, err));
            rest += format->record_size;
            count--;
        }
        RASKI_TRY(raski_output_close(writer, output, err));
        RASKI_TRY(raski_output_start(writer, output, 0, true, err));
        memcpy(output->buffer->data, rest, count * format->record_size);
    }
}

rask_status raski_result_writer_commit(raski_result_writer *writer, size_t count,
                                       const int32_t *hashes, raski_error *err) {
    if (count == 0) return RASK_OK;
    RASKI_DCHECK(count <= writer->window.capacity);
    RASKI_DCHECK(hashes != NULL ||
                 (!writer->format->has_hashes &&
                  (writer->output_count == 1 || writer->selector.kind != RASKI_SELECT_HASH)));
    if (!writer->is_direct) {
        RASKI_TRY(raski_writer_distribute(writer, writer->staging, count,
                                          writer->staging_timestamps, hashes, err));
    } else if (writer->format->layout->has_pointers) {
        RASKI_TRY(commit_with_heap(writer, count, err));
    } else {
        accept(&writer->outputs[0], count, hashes);
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
                RASKI_ASSERT(timestamps != NULL);
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
