#include "connectors/file_split.h"

#include <string.h>

size_t raski_file_split_size(size_t path_length) {
    return RASKI_FILE_SPLIT_HEAD + path_length + 1;
}

static char *put(char *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) *to++ = (char)(value >> (8 * i));
    return to;
}

static uint64_t get(const unsigned char **from, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t) * (*from)++ << (8 * i);
    return value;
}

void raski_file_split_encode(const raski_file_split *split, char *ret_bytes) {
    char *p = put(ret_bytes, RASKI_FILE_SPLIT_VERSION, 4);
    p = put(p, (uint64_t)split->offset, 8);
    p = put(p, (uint64_t)split->length, 8);
    p = put(p, (uint64_t)split->file_size, 8);
    p = put(p, split->path_length, 4);
    memcpy(p, split->path, split->path_length);
    p[split->path_length] = '\0';
}

bool raski_file_split_decode(const void *bytes, size_t size, raski_file_split *ret_split) {
    const unsigned char *p = bytes;
    if (size < RASKI_FILE_SPLIT_HEAD + 1) return false;
    if (get(&p, 4) != RASKI_FILE_SPLIT_VERSION) return false;
    raski_file_split split = {0};
    split.offset = (int64_t)get(&p, 8);
    split.length = (int64_t)get(&p, 8);
    split.file_size = (int64_t)get(&p, 8);
    split.path_length = (size_t)get(&p, 4);
    split.path = (const char *)p;
    if (split.path_length == 0 || split.path_length != size - RASKI_FILE_SPLIT_HEAD - 1)
        return false;
    if (strnlen(split.path, split.path_length + 1) != split.path_length) return false;
    if (split.offset < 0 || split.length < -1 || split.offset > INT64_MAX - split.length - 1)
        return false;
    *ret_split = split;
    return true;
}
