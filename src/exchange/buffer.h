/* buffer.h - one buffer of an exchange while it is in memory: records, their columns, what their
 * strings point to, and the events between them. Private to exchange.
 *
 *     data  0 ......................................................... size
 *           | records ->      | timestamps | hashes | free  <- heap |
 * Records grow upwards, the heap (strings, lists, events) downwards. Columns, where the partition
 * has them, start behind the place for capacity records; else records and heap share the room.
 * Pointers of records are true pointers into the heap: within one process nobody has to fix them,
 * and consumers of a broadcast can share the buffer. Files hold the position-independent image
 * (buffer_image.h).
 *
 * Ownership: the producer fills it; what is below `published` is the consumers' to read, and does
 * not change until they have released it. A buffer goes back to the producer by the tail of each
 * queue that it is in; only the producer counts those (no atomic counters per buffer).
 * Flink: NetworkBuffer, BufferBuilder, BufferConsumer. */
#ifndef RASKI_EXCHANGE_BUFFER_H
#define RASKI_EXCHANGE_BUFFER_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "exchange/event.h"
#include "types/layout.h"

/* An event between the records of a buffer; lies in the buffer's heap. */
typedef struct raski_mark {
    struct raski_mark *next; /* written before the mark count that includes next is published */
    uint32_t position;       /* so many records of this buffer come before it */
    raski_event event;       /* options lie behind the mark */
} raski_mark;

/* published: records in the low 32 bits, marks in the next 31, and whether that is all. */
#define RASKI_BUFFER_CLOSED ((uint64_t)1 << 63)
static inline uint32_t raski_published_records(uint64_t published) {
    return (uint32_t)published;
}
static inline uint32_t raski_published_marks(uint64_t published) {
    return (uint32_t)(published >> 32) & 0x7fffffffU;
}

typedef struct raski_buffer {
    _Alignas(64) _Atomic uint64_t published;
    char *data;
    char *records;       /* data, but for an image that was read */
    int64_t *timestamps; /* columns, or NULL */
    int32_t *hashes;
    raski_mark *first_mark;
    /* the producer's own */
    _Alignas(64) struct raski_buffer *next_free;
    raski_mark *last_mark;
    uint32_t size; /* of data, bytes */
    uint32_t capacity, record_count, mark_count;
    uint32_t heap_start;  /* heap is heap_start..size */
    uint32_t columns_end; /* 0: no columns */
    uint32_t references;  /* queues it is in, and the writer that fills it */
    bool is_pooled;       /* counts against the network pool; else freed at once */
    bool is_queued;
} raski_buffer;

/* How the buffers of a partition are divided. */
typedef struct raski_buffer_format {
    raski_layout *layout;
    uint32_t record_size;
    bool has_timestamps, has_hashes;
    uint32_t bytes_per_record; /* with its columns */
    uint32_t capacity_max;     /* records that a pooled buffer can hold; 0: not even one */
} raski_buffer_format;

void raski_buffer_format_init(raski_buffer_format *format, const rask_type *type,
                              bool has_timestamps, bool has_hashes);
void raski_buffer_format_fini(raski_buffer_format *format);

/* Memory for a buffer with size bytes of data, not yet divided. NULL without memory. */
raski_buffer *raski_buffer_alloc(size_t size);
void raski_buffer_free(raski_buffer *buffer_take);

/* Makes it empty, with room for capacity records (those fit into size; 0: only for events). */
void raski_buffer_reset(raski_buffer *buffer, const raski_buffer_format *format, uint32_t capacity);

/* Free bytes for the heap if more_records follow. */
static inline size_t raski_buffer_heap_room(const raski_buffer *buffer,
                                            const raski_buffer_format *format,
                                            size_t more_records) {
    size_t floor = buffer->columns_end;
    if (floor == 0) floor = (buffer->record_count + more_records) * format->record_size;
    return buffer->heap_start > floor ? buffer->heap_start - floor : 0;
}
/* Records that fit if none has heap bytes. */
static inline size_t raski_buffer_record_room(const raski_buffer *buffer,
                                              const raski_buffer_format *format) {
    size_t by_count = buffer->capacity - buffer->record_count;
    if (buffer->columns_end != 0 || buffer->heap_start == buffer->size) return by_count;
    size_t by_heap = buffer->heap_start / format->record_size; /* records from 0 on */
    by_heap = by_heap > buffer->record_count ? by_heap - buffer->record_count : 0;
    return by_count < by_heap ? by_count : by_heap;
}
static inline char *raski_buffer_record(const raski_buffer *buffer,
                                        const raski_buffer_format *format, size_t index) {
    return buffer->records + index * format->record_size;
}

/* Takes size bytes of the heap, 16-aligned; there must be room for size + 15. */
static inline char *raski_buffer_take_heap(raski_buffer *buffer, size_t size) {
    buffer->heap_start = (uint32_t)(buffer->heap_start - size) & ~(uint32_t)15;
    return buffer->data + buffer->heap_start;
}

/* Bytes that an event needs. */
size_t raski_mark_size(const raski_event *event);
/* Adds an event behind the records so far; there must be room for raski_mark_size + 15. */
void raski_buffer_add_mark(raski_buffer *buffer, const raski_event *event);

/* Lets consumers see what is in it. */
static inline void raski_buffer_publish(raski_buffer *buffer, bool closed) {
    uint64_t published = buffer->record_count | (uint64_t)buffer->mark_count << 32;
    if (closed) published |= RASKI_BUFFER_CLOSED;
    atomic_store_explicit(&buffer->published, published, memory_order_release);
}
#endif
