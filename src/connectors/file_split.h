/* file_split.h - pieces of text files, as bytes (docs/formats/splits.md). Threads: plain functions.
 */
#ifndef RASKI_CONNECTORS_FILE_SPLIT_H
#define RASKI_CONNECTORS_FILE_SPLIT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rask/runtime.h"

/* Lines whose first byte lies in offset .. offset + length - 1. A file that cannot be split has one
 * split with length -1: all of it. */
typedef struct raski_file_split {
    int64_t offset, length;
    int64_t file_size; /* when it was enumerated, bytes; -1: not known */
    int64_t position;  /* its first line that is not read yet begins at this byte (of what a decoder
                        * gives, if there is one); 0: nothing is read yet */
    const char *path;  /* of path_length bytes, NUL-terminated */
    size_t path_length;
} raski_file_split;

enum { RASKI_FILE_SPLIT_VERSION = 2, RASKI_FILE_SPLIT_HEAD = 4 + 4 * 8 + 4 };

/* Encoded size of a split with a path of that many bytes. */
size_t raski_file_split_size(size_t path_length);
void raski_file_split_encode(const raski_file_split *split, char *ret_bytes);
/* path points into bytes, which must stay. false: these are not the bytes of a split. */
bool raski_file_split_decode(const void *bytes, size_t size, raski_file_split *ret_split);

/* Where files may be cut. */
typedef struct raski_file_cutter {
    /* The first offset of a file of size bytes, at or behind from (which grows), where a split may
     * begin; size if there is none. Fails with rask_fail. NULL: anywhere */
    rask_status (*find_cut)(void *context, const char *path, int64_t size, int64_t from,
                            int64_t *ret_offset);
    void *context;
} raski_file_cutter;

/* Adds the splits of a file, of all files below a folder, or of those that match a glob.
 * split_bytes: length of all but the last split of a file, 0: chosen by its size. monitor_ms: look
 * again after that time, for files that were not seen before; 0: this once. Fails with rask_fail.
 */
rask_status raski_enumerate_files(const char *path, int64_t split_bytes, int64_t monitor_ms,
                                  raski_splits *splits);
/* The same, with splits that begin where the cutter says. */
rask_status raski_enumerate_files_cut(const char *path, int64_t split_bytes, int64_t monitor_ms,
                                      const raski_file_cutter *cutter, raski_splits *splits);
#endif
