/* Decoder of file splits: what it accepts has the same bytes when it is encoded again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "connectors/file_split.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    raski_file_split split;
    if (!raski_file_split_decode(data, size, &split)) return 0;
    if (raski_file_split_size(split.path_length) != size) abort();
    char *again = malloc(size);
    if (again == NULL) return 0;
    raski_file_split_encode(&split, again);
    if (memcmp(again, data, size) != 0) abort();
    free(again);
    return 0;
}
