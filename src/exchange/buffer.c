#include "exchange/buffer.h"

#include <string.h>

#include "base/alloc.h"
#include "exchange/network_pool.h"

/* Columns take the whole buffer but this, which is for events. */
enum { HEAP_ROOM_MIN = 1024 };

static size_t align_up(size_t size, size_t alignment) {
    return (size + alignment - 1) & ~(alignment - 1);
}

/* The offset behind the columns of capacity records; 0 without columns. */
static size_t columns_end_of(const raski_buffer_format *format, size_t capacity) {
    if (!format->has_timestamps && !format->has_hashes) return 0;
    size_t end = align_up(capacity * format->record_size, 8);
    if (format->has_timestamps) end += capacity * sizeof(int64_t);
    if (format->has_hashes) end += capacity * sizeof(int32_t);
    return end;
}

void raski_buffer_format_init(raski_buffer_format *format, const rask_type *type,
                              bool has_timestamps, bool has_hashes) {
    format->layout = raski_layout_create(type);
    format->record_size = type->size;
    format->has_timestamps = has_timestamps;
    format->has_hashes = has_hashes;
    format->bytes_per_record = type->size + (has_timestamps ? (uint32_t)sizeof(int64_t) : 0) +
                               (has_hashes ? (uint32_t)sizeof(int32_t) : 0);
    bool has_columns = format->bytes_per_record != format->record_size;
    uint32_t room = RASKI_BUFFER_SIZE - (has_columns ? HEAP_ROOM_MIN : 0);
    format->capacity_max = room / format->bytes_per_record;
}

void raski_buffer_format_fini(raski_buffer_format *format) {
    raski_layout_destroy(format->layout);
    format->layout = NULL;
}

raski_buffer *raski_buffer_alloc(size_t size) {
    raski_buffer *buffer = raski_try_alloc(sizeof *buffer + align_up(size, 64), 64);
    if (buffer == NULL) return NULL;
    memset(buffer, 0, sizeof *buffer);
    atomic_init(&buffer->published, 0);
    buffer->data = (char *)(buffer + 1);
    buffer->size = (uint32_t)size;
    buffer->heap_start = buffer->size;
    return buffer;
}

void raski_buffer_free(raski_buffer *buffer) {
    raski_free(buffer);
}

void raski_buffer_reset(raski_buffer *buffer, const raski_buffer_format *format,
                        uint32_t capacity) {
    atomic_store_explicit(&buffer->published, 0, memory_order_relaxed);
    buffer->first_mark = buffer->last_mark = NULL;
    buffer->record_count = buffer->mark_count = 0;
    buffer->capacity = capacity;
    buffer->heap_start = buffer->size;
    buffer->columns_end = 0;
    buffer->records = buffer->data;
    buffer->timestamps = NULL;
    buffer->hashes = NULL;
    buffer->references = 1;
    buffer->is_queued = false;
    if (capacity == 0) return;
    buffer->columns_end = (uint32_t)columns_end_of(format, capacity);
    size_t at = align_up((size_t)capacity * format->record_size, 8);
    if (format->has_timestamps) {
        buffer->timestamps = (int64_t *)(void *)(buffer->data + at);
        at += capacity * sizeof(int64_t);
    }
    if (format->has_hashes) buffer->hashes = (int32_t *)(void *)(buffer->data + at);
}

size_t raski_mark_size(const raski_event *event) {
    return sizeof(raski_mark) + event->options_size;
}

void raski_buffer_add_mark(raski_buffer *buffer, const raski_event *event) {
    raski_mark *mark = (void *)raski_buffer_take_heap(buffer, raski_mark_size(event));
    mark->next = NULL;
    mark->position = buffer->record_count;
    mark->event = *event;
    mark->event.options = NULL;
    if (event->options_size > 0) {
        memcpy(mark + 1, event->options, event->options_size);
        mark->event.options = mark + 1;
    }
    if (buffer->last_mark != NULL) {
        buffer->last_mark->next = mark;
    } else {
        buffer->first_mark = mark;
    }
    buffer->last_mark = mark;
    buffer->mark_count++;
}
