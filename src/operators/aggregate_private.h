/* aggregate_private.h - the inside of the built-in aggregations.
 * Numeric fields are combined as bits in the 8-byte word of the record that they lie in; whoever
 * reads and writes a stored record word by word never reads back more than was written at once
 * (a wider load behind a narrower store waits until the store has left the store buffer, which
 * cost more than the whole lookup). */
#ifndef RASKI_OPERATORS_AGGREGATE_PRIVATE_H
#define RASKI_OPERATORS_AGGREGATE_PRIVATE_H
#include <string.h>

#include "operators/aggregate.h"
#include "types/layout.h"

/* How two values of the field become one, both as bits. */
typedef enum field_op {
    FIELD_SUM_INTEGER,
    FIELD_SUM_FLOAT,
    FIELD_SUM_DOUBLE,
    FIELD_MIN_INTEGER,
    FIELD_MAX_INTEGER,
    FIELD_MIN_FLOAT,
    FIELD_MAX_FLOAT,
    FIELD_MIN_DOUBLE,
    FIELD_MAX_DOUBLE,
    FIELD_OTHER, /* not by bits: strings, whole records */
} field_op;

/* At most RASKI_LOOKUP_MAX records. out has room for as many. false: no memory. */
typedef bool aggregate_kernel(raski_aggregate *aggregate, const char *keys, size_t key_size,
                              const char *in, size_t n, char *out);

struct raski_aggregate {
    raski_aggregate_kind kind;
    size_t record_size;
    raski_keyed_table *table;
    raski_key_spec key;
    const rask_type *record;
    const rask_type *field;
    uint32_t field_offset, state_offset;
    field_op op;
    unsigned field_bits;
    bool first;
    bool has_pointers;                          /* of the record */
    bool permanent;                             /* rows of the table */
    aggregate_kernel *kernel, *kernel_uncached; /* NULL: there is none for this combination */
    raski_reduce_run *reduce;
    void *function;
    char *scratch; /* RASKI_LOOKUP_MAX records */
};

/* A kernel for records whose size is a multiple of 8, a key of one integer or string, and a field
 * that is combined by bits; else NULL. */
aggregate_kernel *raski_aggregate_kernel(const raski_aggregate *aggregate, bool cached);

/* ---- combining values, as bits (the upper bits of a and b beyond the field are arbitrary) */
static inline int64_t sign_extend(uint64_t bits, unsigned width) {
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}
static inline float float_of(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value = 0;
    memcpy(&value, &low, sizeof value);
    return value;
}
static inline double double_of(uint64_t bits) {
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}
/* Integers in the order of Double.compare and Float.compare. */
static inline int64_t order_of_double(uint64_t bits) {
    double value = double_of(bits);
    if (value != value) bits = UINT64_C(0x7ff8000000000000);
    uint64_t negative = 0 - (bits >> 63);
    return (int64_t)(bits ^ (negative & INT64_MAX));
}
static inline int64_t order_of_float(uint64_t bits) {
    float value = float_of(bits);
    double wide = value; /* exact, and keeps the order, the sign of zero and NaN */
    memcpy(&bits, &wide, sizeof bits);
    return order_of_double(bits);
}

/* The stored value a and the new value b. Of equals b is taken, as in Flink. */
static inline __attribute__((always_inline)) uint64_t combine_bits(field_op op, unsigned width,
                                                                   uint64_t a, uint64_t b) {
    switch (op) {
        case FIELD_SUM_INTEGER:
            return a + b;
        case FIELD_SUM_FLOAT: {
            float sum = float_of(a) + float_of(b);
            uint32_t bits = 0;
            memcpy(&bits, &sum, sizeof bits);
            return bits;
        }
        case FIELD_SUM_DOUBLE: {
            double sum = double_of(a) + double_of(b);
            uint64_t bits = 0;
            memcpy(&bits, &sum, sizeof bits);
            return bits;
        }
        case FIELD_MIN_INTEGER:
            return sign_extend(a, width) < sign_extend(b, width) ? a : b;
        case FIELD_MAX_INTEGER:
            return sign_extend(a, width) > sign_extend(b, width) ? a : b;
        case FIELD_MIN_FLOAT:
            return order_of_float(a) < order_of_float(b) ? a : b;
        case FIELD_MAX_FLOAT:
            return order_of_float(a) > order_of_float(b) ? a : b;
        case FIELD_MIN_DOUBLE:
            return order_of_double(a) < order_of_double(b) ? a : b;
        case FIELD_MAX_DOUBLE:
            return order_of_double(a) > order_of_double(b) ? a : b;
        case FIELD_OTHER:
            break;
    }
    return a;
}
#endif
