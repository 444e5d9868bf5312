/* result_writer_route.c - from a batch to the buffers of several targets: first the target of each
 * record (an array of numbers), then one loop that copies, compiled for the usual record sizes. */
#include <string.h>

#include "exchange/result_writer_private.h"

enum { HEAP_SLACK = 32 };

/* ---- which target */
static rask_status route_custom(raski_result_writer *writer, const void *records, size_t count,
                                raski_error *err) {
    uint32_t targets = writer->output_count;
    raski_error inner = {0};
    rask_status status =
        writer->selector.custom(writer->selector.custom_context, records, count, targets,
                                writer->custom_routes, err != NULL ? err : &inner);
    if (status != RASK_OK) return status;
    for (size_t i = 0; i < count; i++) {
        if (writer->custom_routes[i] >= targets) {
            return RASKI_FAIL(err, RASK_E_ARGUMENT, USER,
                              "the partitioner of \"%s\" chose channel %d, but there are only %u "
                              "(0 to %u)",
                              writer->partition->name, (int)writer->custom_routes[i], targets,
                              targets - 1);
        }
        writer->routes[i] = (uint16_t)writer->custom_routes[i];
    }
    return RASK_OK;
}

static uint64_t next_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return x * 0x2545f4914f6cdd1dULL;
}

static rask_status route(raski_result_writer *writer, const void *records, size_t count,
                         const int32_t *hashes, raski_error *err) {
    uint16_t *routes = writer->routes;
    uint32_t targets = writer->output_count;
    switch (writer->selector.kind) {
        case RASKI_SELECT_HASH:
            raski_subtasks_of_hashes(&writer->router, hashes, count, routes);
            return RASK_OK;
        case RASKI_SELECT_REBALANCE:
        case RASKI_SELECT_RESCALE:
            for (size_t i = 0; i < count; i++) {
                writer->turn = writer->turn + 1 < targets ? writer->turn + 1 : 0;
                routes[i] = (uint16_t)writer->turn;
            }
            return RASK_OK;
        case RASKI_SELECT_SHUFFLE:
            for (size_t i = 0; i < count; i++) {
                routes[i] = (uint16_t)((next_random(&writer->random) >> 32) * targets >> 32);
            }
            return RASK_OK;
        case RASKI_SELECT_CUSTOM:
            return route_custom(writer, records, count, err);
        case RASKI_SELECT_FORWARD:
        case RASKI_SELECT_GLOBAL:
        case RASKI_SELECT_BROADCAST: /* its one output has all subpartitions */
            memset(routes, 0, count * sizeof *routes);
            return RASK_OK;
    }
    return RASK_OK;
}

/* ---- one record */
static bool fits_empty_buffer(const raski_buffer_format *format, size_t heap_bytes) {
    return format->capacity_max > 0 &&
           format->bytes_per_record + heap_bytes + 2 * HEAP_SLACK <= RASKI_BUFFER_SIZE;
}

rask_status raski_output_append(raski_result_writer *writer, raski_output *output,
                                const void *record, int64_t timestamp, int32_t hash,
                                raski_error *err) {
    const raski_buffer_format *format = writer->format;
    size_t heap_bytes =
        format->layout->has_pointers ? raski_record_extra_size(format->layout, record) : 0;
    if (!fits_empty_buffer(format, heap_bytes)) {
        RASKI_TRY(raski_output_close(writer, output, err));
        return raski_output_append_large(writer, output, record, heap_bytes, timestamp, hash, err);
    }
    raski_output_sync(output);
    raski_buffer *buffer = output->buffer;
    size_t heap_need = heap_bytes > 0 ? heap_bytes + HEAP_SLACK : 0;
    if (buffer == NULL || output->record_count == output->full_at ||
        raski_buffer_heap_room(buffer, format, 1) < heap_need) {
        RASKI_TRY(raski_output_close(writer, output, err));
        RASKI_TRY(raski_output_start(writer, output, heap_need, true, err));
        buffer = output->buffer;
    }
    uint32_t index = buffer->record_count;
    char *place = raski_buffer_record(buffer, format, index);
    memcpy(place, record, format->record_size);
    if (heap_bytes > 0) {
        char *heap = raski_buffer_take_heap(buffer, heap_bytes);
        (void)raski_record_write_extra(format->layout, place, NULL, (size_t)heap);
    }
    if (buffer->timestamps != NULL) buffer->timestamps[index] = timestamp;
    if (buffer->hashes != NULL) buffer->hashes[index] = hash;
    buffer->record_count++;
    raski_output_update(writer, output);
    return RASK_OK;
}

/* ---- the loop */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

static inline bool is_long_at(const char *string) {
    uint32_t length;
    memcpy(&length, string, sizeof length);
    return length > RASK_STRING_INLINE;
}

/* Whether a record of a type whose only pointers are strings has a long one. */
static bool has_long_string(const raski_layout *layout, const char *record) {
    for (uint32_t p = 0; p < layout->place_count; p++) {
        const raski_place *place = &layout->places[p];
        const char *at = record + place->offset;
        for (uint32_t i = 0; i < place->count; i++, at += place->stride) {
            if (is_long_at(at)) return true;
        }
    }
    return false;
}

typedef enum copy_kind {
    COPY_PLAIN,   /* records are their bytes */
    COPY_STRING,  /* the only pointer is one string; a short one is bytes too */
    COPY_STRINGS, /* the same with several */
    COPY_ANY,
} copy_kind;

static copy_kind copy_kind_of(const raski_layout *layout) {
    if (!layout->has_pointers) return COPY_PLAIN;
    if (!layout->only_strings) return COPY_ANY;
    return layout->place_count == 1 && layout->places[0].count == 1 ? COPY_STRING : COPY_STRINGS;
}

ALWAYS_INLINE rask_status scatter(raski_result_writer *writer, const char *records, size_t count,
                                  const int64_t *timestamps, const int32_t *hashes, size_t size,
                                  copy_kind kind, bool has_columns, raski_error *err) {
    const raski_layout *layout = writer->format->layout;
    const uint32_t string_offset = kind == COPY_STRING ? layout->places[0].offset : 0;
    const uint16_t *routes = writer->routes;
    raski_output *outputs = writer->outputs;
    for (size_t i = 0; i < count; i++, records += size) {
        raski_output *output = &outputs[routes[i]];
        int64_t timestamp = has_columns && timestamps != NULL ? timestamps[i] : 0;
        int32_t hash = has_columns && hashes != NULL ? hashes[i] : 0;
        bool is_special = kind == COPY_ANY ||
                          (kind == COPY_STRING && is_long_at(records + string_offset)) ||
                          (kind == COPY_STRINGS && has_long_string(layout, records));
        if (__builtin_expect(output->record_count == output->full_at || is_special, 0)) {
            RASKI_TRY(raski_output_append(writer, output, records, timestamp, hash, err));
            continue;
        }
        uint32_t index = output->record_count++;
        raski_buffer *buffer = output->buffer;
        memcpy((char *)(buffer + 1) + index * size, records, size);
        if (has_columns) {
            if (buffer->timestamps != NULL) buffer->timestamps[index] = timestamp;
            if (buffer->hashes != NULL) buffer->hashes[index] = hash;
        }
    }
    return RASK_OK;
}

#define SCATTER(SIZE, KIND, COLUMNS) \
    scatter(writer, records, count, timestamps, hashes, (SIZE), (KIND), (COLUMNS), err)

static rask_status scatter_plain(raski_result_writer *writer, const char *records, size_t count,
                                 raski_error *err) {
    const int64_t *timestamps = NULL;
    const int32_t *hashes = NULL;
    switch (writer->format->record_size) {
        case 4:
            return SCATTER(4, COPY_PLAIN, false);
        case 8:
            return SCATTER(8, COPY_PLAIN, false);
        case 16:
            return SCATTER(16, COPY_PLAIN, false);
        case 24:
            return SCATTER(24, COPY_PLAIN, false);
        case 32:
            return SCATTER(32, COPY_PLAIN, false);
        case 48:
            return SCATTER(48, COPY_PLAIN, false);
        case 64:
            return SCATTER(64, COPY_PLAIN, false);
        default:
            return SCATTER(writer->format->record_size, COPY_PLAIN, false);
    }
}

static rask_status scatter_string(raski_result_writer *writer, const char *records, size_t count,
                                  raski_error *err) {
    const int64_t *timestamps = NULL;
    const int32_t *hashes = NULL;
    switch (writer->format->record_size) {
        case 16:
            return SCATTER(16, COPY_STRING, false);
        case 24:
            return SCATTER(24, COPY_STRING, false);
        case 32:
            return SCATTER(32, COPY_STRING, false);
        default:
            return SCATTER(writer->format->record_size, COPY_STRING, false);
    }
}

rask_status raski_writer_distribute(raski_result_writer *writer, const void *records, size_t count,
                                    const int64_t *timestamps, const int32_t *hashes,
                                    raski_error *err) {
    RASKI_DCHECK(count <= RASKI_ROUTE_BATCH);
    const raski_buffer_format *format = writer->format;
    RASKI_TRY(route(writer, records, count, hashes, err));
    bool has_columns = format->bytes_per_record != format->record_size;
    switch (copy_kind_of(format->layout)) {
        case COPY_PLAIN:
            if (!has_columns) return scatter_plain(writer, records, count, err);
            return SCATTER(format->record_size, COPY_PLAIN, true);
        case COPY_STRING:
            if (!has_columns) return scatter_string(writer, records, count, err);
            return SCATTER(format->record_size, COPY_STRINGS, true);
        case COPY_STRINGS:
            return SCATTER(format->record_size, COPY_STRINGS, true);
        case COPY_ANY:
            break;
    }
    return SCATTER(format->record_size, COPY_ANY, true);
}
