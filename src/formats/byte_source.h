/* byte_source.h - the bytes of a file as a reader sees them: plain, or through a decoder chosen by
 * the name's suffix (.gz, .gzip: zlib; .zst, .zstd: zstd). Concatenated members and frames are read
 * one after the other. Flink: StandardDeCompressors. Threads: one owner. */
#ifndef RASKI_FORMATS_BYTE_SOURCE_H
#define RASKI_FORMATS_BYTE_SOURCE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct raski_byte_source raski_byte_source;

/* What a read gives besides a number of bytes. */
enum {
    RASKI_BYTES_END = 0,
    RASKI_BYTES_FAILED = -1,
    RASKI_BYTES_LATER = -2, /* a pipe or terminal has nothing right now: wait for the descriptor */
};

/* Whether a file of that name is read through a decoder (and so cannot be split). */
bool raski_is_compressed(const char *path);

/* Opens path at offset (0 for compressed files). Never waits for the other end of a named pipe. On
 * failure NULL, and message (size bytes) says why: "cannot open \"x\": No such file or directory".
 */
raski_byte_source *raski_byte_source_open(const char *path, int64_t offset, char *message,
                                          size_t size);
/* Up to size (at least 1) bytes, or one of the above; after FAILED message says what and where. */
int64_t raski_byte_source_read(raski_byte_source *source, void *bytes, size_t size, char *message,
                               size_t message_size);
/* Becomes readable when it is worth to read again after LATER. */
int raski_byte_source_fd(const raski_byte_source *source);
void raski_byte_source_close(raski_byte_source *source_take); /* NULL is fine */
#endif
