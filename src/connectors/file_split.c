#include "connectors/file_split.h"

#include <string.h>

#include "connectors/little_endian.h"

size_t raski_file_split_size(size_t path_length) {
    return RASKI_FILE_SPLIT_HEAD + path_length + 1;
}

void raski_file_split_encode(const raski_file_split *split, char *ret_bytes) {
    char *p = raski_put(ret_bytes, RASKI_FILE_SPLIT_VERSION, 4);
    p = raski_put(p, (uint64_t)split->offset, 8);
    p = raski_put(p, (uint64_t)split->length, 8);
    p = raski_put(p, (uint64_t)split->file_size, 8);
    p = raski_put(p, (uint64_t)split->position, 8);
    p = raski_put(p, split->path_length, 4);
    memcpy(p, split->path, split->path_length);
    p[split->path_length] = '\0';
}

bool raski_file_split_decode(const void *bytes, size_t size, raski_file_split *ret_split) {
    const unsigned char *p = bytes;
    if (size < RASKI_FILE_SPLIT_HEAD + 1) return false;
    if (raski_get(&p, 4) != RASKI_FILE_SPLIT_VERSION) return false;
    raski_file_split split = {0};
    split.offset = (int64_t)raski_get(&p, 8);
    split.length = (int64_t)raski_get(&p, 8);
    split.file_size = (int64_t)raski_get(&p, 8);
    split.position = (int64_t)raski_get(&p, 8);
    split.path_length = (size_t)raski_get(&p, 4);
    split.path = (const char *)p;
    if (split.path_length == 0 || split.path_length != size - RASKI_FILE_SPLIT_HEAD - 1)
        return false;
    if (strnlen(split.path, split.path_length + 1) != split.path_length) return false;
    if (split.position < 0 || (split.position > 0 && split.position < split.offset)) return false;
    if (split.offset < 0 || split.length < -1 || split.offset > INT64_MAX - split.length - 1)
        return false;
    *ret_split = split;
    return true;
}
