/* byte_source.h - the bytes of a file as a reader sees them: plain, or through a decoder chosen by
 * the name's suffix (.gz, .gzip: zlib; .zst, .zstd: zstd). Concatenated members and frames are read
 * one after the other. Flink: StandardDeCompressors. Threads: one owner. */
#ifndef RASKI_FORMATS_BYTE_SOURCE_H
#define RASKI_FORMATS_BYTE_SOURCE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct raski_byte_source raski_byte_source;

/* Whether a file of that name is read through a decoder (and so cannot be split). */
bool raski_is_compressed(const char *path);

/* Opens path at offset (0 for compressed files). On failure NULL, and message (size bytes) says
 * why: "cannot open \"x\": No such file or directory". */
raski_byte_source *raski_byte_source_open(const char *path, int64_t offset, char *message,
                                          size_t size);
/* Up to size bytes; 0 at the end; -1 on failure, and message says what and where. */
int64_t raski_byte_source_read(raski_byte_source *source, void *bytes, size_t size, char *message,
                               size_t message_size);
void raski_byte_source_close(raski_byte_source *source_take); /* NULL is fine */
#endif
