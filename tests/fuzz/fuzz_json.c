/* Any bytes as JSON: the first one chooses options. */
#include "format_records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct shape {
    int32_t which;
    union {
        flat row;
        rask_decimal size;
        rask_list(flat) rows;
    };
} shape;
RASK_VARIANT(shape, (row, flat), size, (rows, rask_list(flat)));
RASK_MAP_OF(rask_string, flat);
RASK_MAP_OF(rask_instant, color);
typedef struct tree {
    rask_optional(flat) first;
    rask_list(shape) shapes;
    rask_map_of(rask_string, flat) named;
    rask_map_of(rask_instant, color) colors;
} tree;
RASK_TYPE(tree, (first, rask_optional(flat)), (shapes, rask_list(shape)),
          (named, rask_map_of(rask_string, flat)), (colors, rask_map_of(rask_instant, color)));

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    const uint8_t o = data[0];
    const rask_json_options options = {.ignore_unknown_fields = (o & 1) != 0,
                                       .fail_on_missing_field = (o & 2) != 0,
                                       .depth_max = o & 4 ? 3 : 0,
                                       .record_bytes_max = o & 8 ? 64 : 0,
                                       .timestamp_format = (rask_timestamp_format)((o >> 4) % 3)};
    const rask_json_options none = {.timestamp_format = options.timestamp_format};
    const rask_type *type = o & 64 ? &rask_type_flat : &rask_type_tree;
    char message[256];
    rask_format_reader *reader = rask_json_reader_create(type, &options, message, sizeof message);
    rask_format_reader *lax = rask_json_reader_create(type, &none, message, sizeof message);
    rask_format_writer *writer = rask_json_writer_create(type, &none, message, sizeof message);
    if (reader == NULL || lax == NULL || writer == NULL) abort();
    const char *text = (const char *)data + 1;
    rask_format_error error;
    char *record = calloc(1, type->size);
    if (record == NULL) abort();
    check_frames(reader, text, size - 1);
    (void)rask_format_read(reader, text, size - 1, record, &error);
    check_record(lax, writer, text, size - 1);
    free(record);
    rask_format_reader_destroy(reader);
    rask_format_reader_destroy(lax);
    rask_format_writer_destroy(writer);
    return 0;
}
