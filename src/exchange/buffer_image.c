#include "exchange/buffer_image.h"

#include <string.h>

static const char MAGIC[4] = {'R', 'B', 'U', 'F'};

enum { HAS_TIMESTAMPS = 1, HAS_HASHES = 2, SECTION_ALIGN = 16 };

typedef struct image_header {
    char magic[4];
    uint16_t version, flags;
    uint32_t record_count, record_size;
    uint32_t mark_count;
    uint32_t records_at, timestamps_at, hashes_at, marks_at, heap_at; /* offsets from the start */
    uint32_t size;                                                    /* of the image */
    uint32_t reserved[5];
} image_header;
_Static_assert(sizeof(image_header) == RASKI_IMAGE_HEADER_SIZE, "the format is fixed");

/* options_size bytes follow, padded to 8 */
typedef struct image_mark {
    uint32_t position;
    uint16_t kind, reserved;
    uint32_t options_size, reserved2;
    int64_t value, timestamp;
} image_mark;
_Static_assert(sizeof(image_mark) == 32, "the format is fixed");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "images are little-endian memory");

static size_t align_up(size_t size, size_t alignment) {
    return (size + alignment - 1) & ~(alignment - 1);
}

/* Where the sections of an image with so many records and mark bytes begin. */
static void lay_out(image_header *header, const raski_buffer_format *format, size_t record_count,
                    size_t mark_bytes) {
    size_t at = RASKI_IMAGE_HEADER_SIZE;
    header->records_at = (uint32_t)at;
    at = align_up(at + record_count * format->record_size, SECTION_ALIGN);
    if (format->has_timestamps) {
        header->timestamps_at = (uint32_t)at;
        at = align_up(at + record_count * sizeof(int64_t), SECTION_ALIGN);
    }
    if (format->has_hashes) {
        header->hashes_at = (uint32_t)at;
        at = align_up(at + record_count * sizeof(int32_t), SECTION_ALIGN);
    }
    header->marks_at = (uint32_t)at;
    header->heap_at = (uint32_t)align_up(at + mark_bytes, SECTION_ALIGN);
}

static size_t mark_bytes_of(const raski_buffer *buffer) {
    size_t bytes = 0;
    for (const raski_mark *mark = buffer->first_mark; mark != NULL; mark = mark->next) {
        bytes += sizeof(image_mark) + align_up(mark->event.options_size, 8);
    }
    return bytes;
}

size_t raski_buffer_image_size(const raski_buffer *buffer, const raski_buffer_format *format) {
    image_header header;
    lay_out(&header, format, buffer->record_count, mark_bytes_of(buffer));
    return header.heap_at +
           raski_records_extra_size(format->layout, buffer->records, buffer->record_count);
}

static void write_marks(const raski_buffer *buffer, char *at) {
    for (const raski_mark *mark = buffer->first_mark; mark != NULL; mark = mark->next) {
        const raski_event *event = &mark->event;
        image_mark image = {.position = mark->position,
                            .kind = (uint16_t)event->kind,
                            .options_size = event->options_size,
                            .value = event->value,
                            .timestamp = event->timestamp};
        memcpy(at, &image, sizeof image);
        at += sizeof image;
        size_t padded = align_up(event->options_size, 8);
        memset(at, 0, padded);
        if (event->options_size > 0) memcpy(at, event->options, event->options_size);
        at += padded;
    }
}

size_t raski_buffer_image_write(const raski_buffer *buffer, const raski_buffer_format *format,
                                char *bytes) {
    image_header header = {.version = RASKI_IMAGE_VERSION,
                           .flags = (uint16_t)((format->has_timestamps ? HAS_TIMESTAMPS : 0) |
                                               (format->has_hashes ? HAS_HASHES : 0)),
                           .record_count = buffer->record_count,
                           .record_size = format->record_size,
                           .mark_count = buffer->mark_count};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    size_t count = buffer->record_count;
    lay_out(&header, format, count, mark_bytes_of(buffer));
    memset(bytes, 0, header.heap_at); /* padding has no stale bytes */
    if (count > 0) {
        memcpy(bytes + header.records_at, buffer->records, count * format->record_size);
        if (format->has_timestamps) {
            memcpy(bytes + header.timestamps_at, buffer->timestamps, count * sizeof(int64_t));
        }
        if (format->has_hashes) {
            memcpy(bytes + header.hashes_at, buffer->hashes, count * sizeof(int32_t));
        }
    }
    write_marks(buffer, bytes + header.marks_at);
    header.size = (uint32_t)raski_records_write_extra(format->layout, bytes + header.records_at,
                                                      count, bytes, header.heap_at);
    memcpy(bytes, &header, sizeof header);
    return header.size;
}

size_t raski_buffer_image_room(size_t size, size_t mark_count) {
    return align_up(size, SECTION_ALIGN) + mark_count * sizeof(raski_mark);
}

static rask_status corrupt(const char *what, raski_error *err) {
    return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL, "an exchange buffer is corrupt: %s", what);
}

static rask_status check_header(const image_header *header, size_t size,
                                const raski_buffer_format *format, raski_error *err) {
    if (memcmp(header->magic, MAGIC, sizeof MAGIC) != 0) return corrupt("no RBUF header", err);
    if (header->version != RASKI_IMAGE_VERSION) {
        return RASKI_FAIL(err, RASK_E_CORRUPT, EXTERNAL,
                          "an exchange buffer has version %u, this program knows version %d",
                          header->version, RASKI_IMAGE_VERSION);
    }
    unsigned flags =
        (format->has_timestamps ? HAS_TIMESTAMPS : 0U) | (format->has_hashes ? HAS_HASHES : 0U);
    if (header->record_size != format->record_size || header->flags != flags) {
        return corrupt("it holds records of another type", err);
    }
    if (header->size != size || header->record_count > size / format->record_size ||
        header->mark_count > size / sizeof(image_mark) || header->marks_at > header->heap_at ||
        header->heap_at > size) {
        return corrupt("its sizes do not fit together", err);
    }
    image_header expected = {0};
    lay_out(&expected, format, header->record_count, header->heap_at - header->marks_at);
    if (expected.records_at != header->records_at ||
        expected.timestamps_at != header->timestamps_at ||
        expected.hashes_at != header->hashes_at || expected.marks_at != header->marks_at ||
        expected.heap_at != header->heap_at) {
        return corrupt("its sections are not where they should be", err);
    }
    return RASK_OK;
}

/* Links the marks, which are made behind the image. */
static rask_status open_marks(raski_buffer *buffer, const image_header *header, raski_error *err) {
    char *at = buffer->data + header->marks_at, *end = buffer->data + header->heap_at;
    raski_mark *mark = (void *)(buffer->data + align_up(header->size, SECTION_ALIGN));
    uint32_t position = 0;
    if (raski_buffer_image_room(header->size, header->mark_count) > buffer->size) {
        return corrupt("it has more events than expected", err);
    }
    for (uint32_t i = 0; i < header->mark_count; i++, mark++) {
        image_mark image;
        if ((size_t)(end - at) < sizeof image) return corrupt("an event is cut off", err);
        memcpy(&image, at, sizeof image);
        at += sizeof image;
        if (image.options_size > (size_t)(end - at)) return corrupt("an event is cut off", err);
        if (image.position < position || image.position > header->record_count) {
            return corrupt("an event is out of place", err);
        }
        if (image.kind < RASKI_EVENT_WATERMARK || image.kind > RASKI_EVENT_END_OF_PARTITION) {
            return corrupt("an event of an unknown kind", err);
        }
        position = image.position;
        *mark = (raski_mark){.position = position,
                             .event = {.kind = (raski_event_kind)image.kind,
                                       .options_size = image.options_size,
                                       .value = image.value,
                                       .timestamp = image.timestamp,
                                       .options = image.options_size ? at : NULL}};
        if (buffer->last_mark != NULL) {
            buffer->last_mark->next = mark;
        } else {
            buffer->first_mark = mark;
        }
        buffer->last_mark = mark;
        size_t padded = align_up(image.options_size, 8);
        at += padded < (size_t)(end - at) ? padded : (size_t)(end - at);
    }
    return RASK_OK;
}

rask_status raski_buffer_image_open(raski_buffer *buffer, size_t size,
                                    const raski_buffer_format *format, raski_error *err) {
    raski_buffer_reset(buffer, format, 0);
    image_header header;
    if (size < sizeof header) return corrupt("it is cut off", err);
    memcpy(&header, buffer->data, sizeof header);
    RASKI_TRY(check_header(&header, size, format, err));
    RASKI_TRY(open_marks(buffer, &header, err));
    size_t end;
    RASKI_TRY(raski_records_fix(format->layout, buffer->data + header.records_at,
                                header.record_count, buffer->data, header.heap_at, size, &end,
                                err));
    buffer->records = buffer->data + header.records_at;
    if (format->has_timestamps) {
        buffer->timestamps = (void *)(buffer->data + header.timestamps_at);
    }
    if (format->has_hashes) buffer->hashes = (void *)(buffer->data + header.hashes_at);
    buffer->record_count = header.record_count;
    buffer->mark_count = header.mark_count;
    raski_buffer_publish(buffer, true);
    return RASK_OK;
}
