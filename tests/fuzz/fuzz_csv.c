/* Any bytes as CSV: the first one chooses the dialect, the first line may be a header. */
#include "format_records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    const uint8_t o = data[0];
    const rask_csv_options options = {
        .field_delimiter = o & 1 ? '|' : ',',
        .quote_character = o & 2 ? '\'' : '"',
        .disable_quote_character = (o & 4) != 0,
        .escape_character = o & 8 ? '\\' : '\0',
        .allow_comments = (o & 16) != 0,
        .null_literal = o & 32 ? "NA" : NULL,
        .array_element_delimiter = o & 64 ? "::" : NULL,
        .header = o & 128 ? RASK_CSV_HEADER_NAMES : RASK_CSV_HEADER_NONE,
        .ignore_unknown_fields = (o & 1) != 0};
    rask_csv_options plain = options;
    char message[256];
    plain.header = RASK_CSV_HEADER_NONE;
    rask_format_reader *named =
        rask_csv_reader_create(&rask_type_flat, &options, message, sizeof message);
    rask_format_reader *reader =
        rask_csv_reader_create(&rask_type_flat, &plain, message, sizeof message);
    rask_format_writer *writer =
        rask_csv_writer_create(&rask_type_flat, &plain, message, sizeof message);
    if (named == NULL || reader == NULL || writer == NULL) abort();
    const char *text = (const char *)data + 1;
    size_t length = size - 1;
    check_frames(reader, text, length);
    check_record(reader, writer, text, length);
    raski_frame frame = {0};
    raski_frame_end end;
    rask_format_error error;
    flat record;
    if (length > 0 && named->ops->find_end(named, &frame, text, length, true, &end) &&
        rask_csv_read_header(named, text, end.length, &error) == RASK_OK) {
        size_t from = end.length + end.end;
        (void)rask_format_read(named, text + from, length - from, &record, &error);
    }
    rask_format_reader_destroy(named);
    rask_format_reader_destroy(reader);
    rask_format_writer_destroy(writer);
    return 0;
}
