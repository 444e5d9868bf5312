/* Any bytes as the image of an exchange buffer: refused, or every record can be read, and written
 * again as an image that gives equal records. The first byte says which columns there are, and how
 * many events are expected. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "exchange/buffer_image.h"
#include "types/compare.h"
#include "types/test_records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A bool that is neither 0 nor 1 is not the image's business. */
static void make_bools_valid(raski_buffer *buffer, const raski_buffer_format *format) {
    for (uint32_t i = 0; i < buffer->record_count; i++) {
        char *record = raski_buffer_record(buffer, format, i);
        record[offsetof(everything, flag)] &= 1;
    }
}

static void write_again(const raski_buffer *buffer, const raski_buffer_format *format) {
    size_t size = raski_buffer_image_size(buffer, format);
    raski_buffer *copy = raski_buffer_alloc(raski_buffer_image_room(size, buffer->mark_count));
    if (copy == NULL || raski_buffer_image_write(buffer, format, copy->data) != size) abort();
    if (raski_buffer_image_open(copy, size, format, NULL) != RASK_OK) abort();
    if (copy->record_count != buffer->record_count) abort();
    for (uint32_t i = 0; i < copy->record_count; i++) {
        if (!raski_value_equal(&everything_type, raski_buffer_record(copy, format, i),
                               raski_buffer_record(buffer, format, i))) {
            abort();
        }
    }
    raski_buffer_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    raski_buffer_format format;
    raski_buffer_format_init(&format, &everything_type, data[0] & 1, data[0] & 2);
    size_t image_size = size - 1;
    raski_buffer *buffer = raski_buffer_alloc(raski_buffer_image_room(image_size, data[0] >> 2));
    if (buffer == NULL) abort();
    memcpy(buffer->data, data + 1, image_size);
    if (raski_buffer_image_open(buffer, image_size, &format, NULL) == RASK_OK) {
        make_bools_valid(buffer, &format);
        write_again(buffer, &format);
    }
    raski_buffer_free(buffer);
    raski_buffer_format_fini(&format);
    return 0;
}
