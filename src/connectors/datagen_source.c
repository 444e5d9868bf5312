/* Records made by a function of their index and random numbers that depend on seed and index only.
 * Reader i of n makes the indexes i, i + n, ..., so all are at about the same place in time.
 * Flink: DataGeneratorSource with NumberSequenceSource and a rate limiter. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "connectors/connectors.h"
#include "connectors/little_endian.h"
#include "connectors/rate.h"
#include "rask/function.h"

/* As a split, and as the position in one: version, next, end, step; little-endian. */
enum { SPLIT_VERSION = 1, SPLIT_BYTES = 4 + 3 * 8 };
static const size_t TEXT_BYTES_MAX = (size_t)1 << 20;

typedef struct generator {
    raski_generate *generate;
    rask_datagen_options options;
    int64_t next, end, step; /* of the split: end is not made */
    raski_rate rate;
} generator;

static const raski_states generator_states = {"generator", sizeof(generator), NULL, 0};

static int64_t now_ns(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* How many indexes next, next + step, ... lie before end. */
static int64_t left(const generator *self) {
    return self->next < self->end ? (self->end - self->next - 1) / self->step + 1 : 0;
}

static rask_status next(void *self_p, rask_ctx *ctx, size_t *ret_n) {
    generator *self = self_p;
    int64_t wait_ns = 0;
    int64_t n = left(self);
    *ret_n = 0;
    if (n > (int64_t)ctx->cap) n = (int64_t)ctx->cap;
    if (n == 0) return RASK_END;
    if (self->rate.per_second > 0) {
        n = raski_rate_take(&self->rate, now_ns(), n, &wait_ns);
        ctx->wake_ns = wait_ns;
        if (n == 0) return RASK_IDLE;
    }
    *ret_n = self->generate(self->options.seed, self->next, self->step, (size_t)n, ctx->buf,
                            &ctx->failed);
    const bool is_last = n == left(self);
    if (is_last)
        self->next = self->end;
    else
        self->next += n * self->step;
    return is_last ? RASK_END : RASK_MORE;
}

static rask_status open_generator(void *self_p) {
    generator *self = self_p;
    self->rate.per_second = self->options.rows_per_second / rask_runtime()->parallelism;
    return RASK_OK;
}

/* ---------------------------------------------------------------- splits */
static void encode(int64_t next_index, int64_t end, int64_t step, char *ret_bytes) {
    char *p = raski_put(ret_bytes, SPLIT_VERSION, 4);
    p = raski_put(p, (uint64_t)next_index, 8);
    p = raski_put(p, (uint64_t)end, 8);
    (void)raski_put(p, (uint64_t)step, 8);
}

static rask_status enumerate(void *self_p, raski_splits *splits) {
    const generator *self = self_p;
    const int64_t end = self->options.rows > 0 ? self->options.rows : INT64_MAX;
    const int readers = rask_readers(splits);
    for (int64_t i = 0; i < readers && i < end; i++) {
        char bytes[SPLIT_BYTES];
        encode(i, end, readers, bytes);
        if (rask_add_split(splits, bytes, sizeof bytes) != RASK_OK)
            return rask_fail("no memory for the splits of generated records");
    }
    return RASK_OK;
}

static rask_status add_split(void *self_p, rask_bytes split) {
    generator *self = self_p;
    const unsigned char *p = (const unsigned char *)rask_bytes_data(&split);
    bool ok = split.len == SPLIT_BYTES && raski_get(&p, 4) == SPLIT_VERSION;
    if (ok) {
        self->next = (int64_t)raski_get(&p, 8);
        self->end = (int64_t)raski_get(&p, 8);
        self->step = (int64_t)raski_get(&p, 8);
        ok = self->next >= 0 && self->end >= self->next && self->step > 0;
    }
    return ok ? RASK_OK
              : rask_fail("%u bytes came that are no split of generated records of version %d",
                          split.len, SPLIT_VERSION);
}

static rask_status position(void *self_p, rask_text *text) {
    const generator *self = self_p;
    char bytes[SPLIT_BYTES];
    encode(self->next, self->end, self->step, bytes);
    if (rask_text_append(text, bytes, sizeof bytes) == RASK_OK) return RASK_OK;
    return rask_fail("no memory for the place among generated records");
}

static const raski_hook open_hook = {.open = open_generator};
static const raski_hook enumerate_hook = {.enumerate = enumerate};
static const raski_hook add_split_hook = {.add_split = add_split};
static const raski_hook position_hook = {.position = position};

/* ---------------------------------------------------------------- random texts */
rask_string rask_random_hex(rask_random *random, size_t length) {
    if (length > TEXT_BYTES_MAX) {
        (void)rask_fail("a random text of %zu digits was asked for; the limit is %zu", length,
                        TEXT_BYTES_MAX);
        length = 0;
    }
    char *digits = rask_alloc(length + 16);
    if (digits == NULL) return rask_string_of("", 0);
    for (size_t i = 0; i < length; i += 16) {
        uint64_t bits = rask_random_bits(random);
        for (size_t k = 0; k < 16; k++, bits >>= 4) digits[i + k] = "0123456789abcdef"[bits & 15];
    }
    return rask_string_of(digits, length);
}

/* ---------------------------------------------------------------- the connector */
typedef struct memory {
    raski_fn fn;
    generator initial;
} memory;

static void destroy(raski_connector *connector) {
    free(connector->memory);
}

raski_connector raski_datagen_source(const raski_fn *fn, raski_generate *generate,
                                     const rask_datagen_options *options) {
    memory *m = calloc(1, sizeof *m);
    if (m == NULL) return (raski_connector){0};
    m->initial = (generator){.generate = generate, .options = *options};
    m->fn = *fn;
    m->fn.next = next;
    m->fn.self = &generator_states;
    m->fn.open = &open_hook;
    m->fn.enumerate = &enumerate_hook;
    m->fn.add_split = &add_split_hook;
    m->fn.position = &position_hook;
    return (raski_connector){.fn = &m->fn, .self = &m->initial, .memory = m, .destroy = destroy};
}
