/* Any bytes as a buffer with a batch of records: they are refused, or every place that the records
 * reach lies inside the buffer, and the records can be compared, hashed, copied and written again
 * with the same result. The first byte is the number of records. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "types/compare.h"
#include "types/layout.h"
#include "types/print.h"
#include "types/test_records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A bool that is neither 0 nor 1 is the business of whoever checks the bytes' checksum. */
static void make_bools_valid(everything *records, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned char *flag = (unsigned char *)&records[i] + offsetof(everything, flag);
        *flag &= 1;
    }
}

static void use(const raski_layout *layout, const everything *record) {
    raski_str text = {0};
    if (raski_value_compare(&everything_type, record, record) != 0) abort();
    if (raski_value_print(&text, &everything_type, record, NULL) != RASK_OK) abort();
    raski_str_free(&text);
    everything owned;
    if (raski_record_own(layout, &owned, record, NULL) != RASK_OK) abort();
    if (!raski_value_equal(&everything_type, &owned, record)) abort();
    raski_record_disown(layout, &owned);
}

static void write_again(const raski_layout *layout, const everything *records, size_t count) {
    size_t heap = count * sizeof *records;
    size_t total = heap + raski_records_extra_size(layout, records, count);
    char *buffer = raski_try_alloc(total, 16);
    if (buffer == NULL) abort();
    memcpy(buffer, records, heap);
    if (raski_records_write_extra(layout, buffer, count, buffer, heap) != total) abort();
    size_t end = 0;
    if (raski_records_fix(layout, buffer, count, buffer, heap, total, &end, NULL) != RASK_OK)
        abort();
    for (size_t i = 0; i < count; i++)
        if (!raski_value_equal(&everything_type, (const everything *)(const void *)buffer + i,
                               &records[i]))
            abort();
    raski_free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1 + sizeof(everything)) return 0;
    size_t limit = size - 1;
    size_t count = data[0] % (limit / sizeof(everything) + 1);
    char *buffer = raski_try_alloc(limit, 16); /* of exact size, for the sanitizer */
    if (buffer == NULL) return 0;
    memcpy(buffer, data + 1, limit);
    everything *records = (void *)buffer;
    make_bools_valid(records, count);
    raski_layout *layout = raski_layout_create(&everything_type);
    size_t end = 0;
    if (raski_records_fix(layout, records, count, buffer, count * sizeof *records, limit, &end,
                          NULL) == RASK_OK) {
        if (end > limit) abort();
        for (size_t i = 0; i < count; i++) use(layout, &records[i]);
        if (count > 0) write_again(layout, records, count);
    }
    raski_layout_destroy(layout);
    raski_free(buffer);
    return 0;
}
