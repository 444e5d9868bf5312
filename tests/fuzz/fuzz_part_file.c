/* Bytes of part files that wait to be committed: what is accepted has the same bytes when it is
 * encoded again. Files in progress are left out: recovering one opens its path. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "connectors/part_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char message[256];
    raski_part_file part;
    rask_text again = {0};
    const uint8_t *p = data;
    if (size < 5 || data[4] == RASKI_PART_IN_PROGRESS) return 0;
    if (!raski_part_file_recover(&p, data + size, &part, message, sizeof message)) return 0;
    if (raski_part_file_encode(&part, &again) != RASK_OK) abort();
    if (again.length != (size_t)(p - data) || memcmp(again.data, data, again.length) != 0) abort();
    free(again.data);
    raski_part_file_leave(&part);
    return 0;
}
