/* buffer_image.h - a buffer as bytes that may lie at any address, in a file or on a wire. The
 * format is described byte by byte in docs/formats/exchange.md. Private to exchange. */
#ifndef RASKI_EXCHANGE_BUFFER_IMAGE_H
#define RASKI_EXCHANGE_BUFFER_IMAGE_H
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "exchange/buffer.h"

enum { RASKI_IMAGE_VERSION = 1, RASKI_IMAGE_HEADER_SIZE = 64 };

/* Bytes that the image of buffer needs. */
size_t raski_buffer_image_size(const raski_buffer *buffer, const raski_buffer_format *format);
/* Writes the image to bytes (64-aligned, room for raski_buffer_image_size). Returns its size. */
size_t raski_buffer_image_write(const raski_buffer *buffer, const raski_buffer_format *format,
                                char *bytes);

/* Makes buffer out of the image of size bytes that lies at buffer->data: pointers are made real in
 * place, marks are linked, everything is published and closed. RASK_E_CORRUPT (and buffer empty)
 * for anything that raski_buffer_image_write did not write for this format. The data of buffer has
 * at least raski_buffer_image_room bytes; an image with more marks than there is room for is
 * corrupt too. */
RASKI_NODISCARD rask_status raski_buffer_image_open(raski_buffer *buffer, size_t size,
                                                    const raski_buffer_format *format,
                                                    raski_error *err);
/* Bytes of data that raski_buffer_image_open needs for an image of size bytes with mark_count
 * events in it. */
size_t raski_buffer_image_room(size_t size, size_t mark_count);
#endif
