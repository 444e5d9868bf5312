/* Numbers from..to, both included, in ranges that readers take one by one.
 * Flink: NumberSequenceSource. */
#include <stdlib.h>

#include "connectors/connectors.h"
#include "connectors/little_endian.h"
#include "rask/function.h"

/* Enough ranges that readers of different speed end together. */
enum { RANGES = 64, NUMBERS_PER_CALL = 512 };

/* As a split (and as the position in one): version, next, last; little-endian. */
typedef struct number_range {
    int64_t next, last;
} number_range;
enum { SPLIT_VERSION = 1, SPLIT_BYTES = 4 + 2 * 8 };

typedef struct sequence {
    number_range range; /* enumerator: the whole; reader: what is left of its split */
    bool done;
} sequence;
RASK_INSTANCE(sequence);

RASK_SPLIT_SOURCE(read_sequence, sequence, self, int64_t, out) {
    for (int i = 0; i < NUMBERS_PER_CALL && !self->done; i++) {
        rask_emit(out, self->range.next);
        self->done = self->range.next == self->range.last;
        if (!self->done) self->range.next++;
    }
    return self->done ? RASK_END : RASK_MORE;
}

static void encode(number_range range, char *ret_bytes) {
    char *p = raski_put(ret_bytes, SPLIT_VERSION, 4);
    p = raski_put(p, (uint64_t)range.next, 8);
    (void)raski_put(p, (uint64_t)range.last, 8);
}

RASK_ENUMERATE(read_sequence, self, splits) {
    if (self->range.next > self->range.last) return RASK_OK;                 /* nothing */
    uint64_t rest = (uint64_t)self->range.last - (uint64_t)self->range.next; /* numbers - 1 */
    int64_t next = self->range.next;
    for (uint64_t left = RANGES; left > 0; left--) {
        uint64_t part = rest / left; /* numbers of this range - 1 */
        number_range range = {next, (int64_t)((uint64_t)next + part)};
        char bytes[SPLIT_BYTES];
        encode(range, bytes);
        rask_status status = rask_add_split(splits, bytes, sizeof bytes);
        if (status != RASK_OK) return rask_fail("no memory for the splits of a sequence");
        if (part == rest) return RASK_OK;
        rest -= part + 1;
        next = range.last + 1;
    }
    return RASK_OK;
}

RASK_ADD_SPLIT(read_sequence, self, split) {
    const unsigned char *p = (const unsigned char *)rask_bytes_data(&split);
    if (split.len != SPLIT_BYTES || raski_get(&p, 4) != SPLIT_VERSION)
        return rask_fail("%u bytes came that are no split of a sequence of version %d", split.len,
                         SPLIT_VERSION);
    self->range.next = (int64_t)raski_get(&p, 8);
    self->range.last = (int64_t)raski_get(&p, 8);
    self->done = false;
    return RASK_OK;
}

RASK_POSITION(read_sequence, self, text) {
    char bytes[SPLIT_BYTES];
    encode(self->range, bytes);
    if (rask_text_append(text, bytes, sizeof bytes) == RASK_OK) return RASK_OK;
    return rask_fail("no memory for the place in a sequence");
}

static void destroy(raski_connector *connector) {
    free(connector->memory);
}

raski_connector raski_sequence_source(int64_t from, int64_t to) {
    sequence *self = calloc(1, sizeof *self);
    if (self == NULL) return (raski_connector){0};
    self->range = (number_range){from, to};
    return (raski_connector){
        .fn = &raski_fn_read_sequence.base, .self = self, .memory = self, .destroy = destroy};
}
