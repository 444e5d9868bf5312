#include "operators/window/evictor.h"

#include <string.h>

#include "operators/window/time_window.h"
#include "rask/detail/window_functions.h"

static const char *element(const raski_window_elements *elements, uint32_t i) {
    return elements->items + (size_t)i * elements->stride;
}
static int64_t timestamp_of(const raski_window_elements *elements, uint32_t i) {
    int64_t timestamp = 0;
    memcpy(&timestamp, element(elements, i), sizeof timestamp);
    return timestamp;
}

static uint32_t keep_all(uint32_t count, bool *ret_keep) {
    memset(ret_keep, 1, count);
    return count;
}

static uint32_t keep_last(const raski_evictor *evictor, uint32_t count, bool *ret_keep) {
    if (count <= evictor->count) return keep_all(count, ret_keep);
    const uint32_t kept = evictor->count > 0 ? (uint32_t)evictor->count : 0;
    memset(ret_keep, 0, count - kept);
    memset(ret_keep + count - kept, 1, kept);
    return kept;
}

/* Flink looks at the first element to know whether there are timestamps. */
static uint32_t keep_young(const raski_evictor *evictor, const raski_window_elements *elements,
                           bool *ret_keep) {
    if (timestamp_of(elements, 0) == RASK_NO_TIMESTAMP) return keep_all(elements->count, ret_keep);
    int64_t youngest = INT64_MIN;
    for (uint32_t i = 0; i < elements->count; i++)
        if (timestamp_of(elements, i) > youngest) youngest = timestamp_of(elements, i);
    const int64_t cutoff = raski_wrap_sub(youngest, evictor->size_ms);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < elements->count; i++)
        kept += ret_keep[i] = timestamp_of(elements, i) > cutoff;
    return kept;
}

static uint32_t keep_near(const raski_evictor *evictor, const raski_window_elements *elements,
                          bool *ret_keep) {
    const char *last = element(elements, elements->count - 1) + elements->value_offset;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < elements->count; i++) {
        const char *record = element(elements, i) + elements->value_offset;
        ret_keep[i] = !(evictor->function->window->delta(record, last) >= evictor->threshold);
        kept += ret_keep[i];
    }
    return kept;
}

uint32_t raski_evictor_keep(const raski_evictor *evictor, const raski_window_elements *elements,
                            bool *ret_keep) {
    if (elements->count == 0) return 0;
    switch (evictor->kind) {
        case RASKI_EVICTOR_COUNT:
            return keep_last(evictor, elements->count, ret_keep);
        case RASKI_EVICTOR_TIME:
            return keep_young(evictor, elements, ret_keep);
        case RASKI_EVICTOR_DELTA:
            return keep_near(evictor, elements, ret_keep);
        case RASKI_EVICTOR_NONE:
            break;
    }
    return keep_all(elements->count, ret_keep);
}
