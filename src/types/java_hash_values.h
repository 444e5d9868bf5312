/* java_hash_values.h - hash codes of the keys that Java programs have and C records do not.
 * A Rask job keys by C types, whose hashes java_hash.h computes. But Rask also answers questions
 * about keys of Flink jobs: which subtask owns a key of a savepoint, what a Row or a BigDecimal
 * hashes to, whether two plans send a key to the same place. Those keys are described by a tree of
 * raski_java_value.
 * Threads: pure; values are borrowed. Flink: Object.hashCode of the classes named below. */
#ifndef RASKI_TYPES_JAVA_HASH_VALUES_H
#define RASKI_TYPES_JAVA_HASH_VALUES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/status.h"

typedef enum raski_java_kind {
    RASKI_JAVA_NULL,
    RASKI_JAVA_STRING,      /* String, StringValue: utf16 */
    RASKI_JAVA_INT,         /* Integer, Short, Byte, Character (unsigned), their *Value: number */
    RASKI_JAVA_LONG,        /* also java.util.Date and java.sql.Timestamp, by their millis */
    RASKI_JAVA_BOOLEAN,     /* number */
    RASKI_JAVA_FLOAT,       /* Float, FloatValue: bits */
    RASKI_JAVA_DOUBLE,      /* bits */
    RASKI_JAVA_BIG_INTEGER, /* big */
    RASKI_JAVA_BIG_DECIMAL, /* big, with its scale */
    RASKI_JAVA_INSTANT,     /* Instant, Duration: seconds, nanos */
    RASKI_JAVA_LOCAL_DATE,  /* date */
    RASKI_JAVA_LOCAL_TIME,  /* nano_of_day */
    RASKI_JAVA_LOCAL_DATE_TIME, /* date and nano_of_day */
    RASKI_JAVA_UUID,            /* uuid */
    RASKI_JAVA_TUPLE, /* items; also Java records, and POJOs that begin with a field's hash */
    RASKI_JAVA_OBJECTS_HASH,    /* items; POJOs that use Objects.hash */
    RASKI_JAVA_ROW,             /* items, row_kind */
    RASKI_JAVA_NAMED_ROW,       /* items: name, value, name, value ...; row_kind */
    RASKI_JAVA_LIST,            /* items */
    RASKI_JAVA_PRIMITIVE_ARRAY, /* items; the same hash, but a leaf within a Row */
    RASKI_JAVA_SET,             /* items, in any order */
    RASKI_JAVA_MAP,             /* items: key, value, key, value ... in any order */
    RASKI_JAVA_EITHER,          /* one item; Left and Right alike */
    RASKI_JAVA_LONG_VALUE,      /* LongValue: number */
    RASKI_JAVA_DOUBLE_VALUE,    /* DoubleValue: bits */
    RASKI_JAVA_BOOLEAN_VALUE,   /* BooleanValue: number */
    RASKI_JAVA_NULL_VALUE,      /* NullValue */
} raski_java_kind;

typedef struct raski_java_value raski_java_value;
struct raski_java_value {
    raski_java_kind kind;
    union {
        int64_t number;
        uint64_t bits; /* as Float.floatToRawIntBits, Double.doubleToRawLongBits */
        struct {
            const uint16_t *units;
            size_t count;
        } utf16;
        struct {
            const uint32_t *words; /* of the absolute value, most significant first */
            size_t word_count;
            int32_t sign; /* -1, 0, 1 */
            int32_t scale;
        } big;
        struct {
            int64_t seconds;
            int32_t nanos;
        } instant;
        struct {
            int64_t nano_of_day;
            int32_t year, month, day;
        } date;
        struct {
            uint64_t high, low;
        } uuid;
        struct {
            const raski_java_value *items;
            size_t count;
            uint8_t row_kind; /* RowKind.toByteValue: +I 0, -U 1, +U 2, -D 3 */
        } many;
    } u;
};

/* Object.hashCode; null hashes as 0, which is what containers take for it. */
int32_t raski_java_hash(const raski_java_value *value);

/* Fills the big part (not the scale) of a BIG_INTEGER or BIG_DECIMAL from decimal digits with an
 * optional sign; the words lie in arena. RASK_E_ARGUMENT when it is no number. */
RASKI_NODISCARD rask_status raski_java_big_parse(raski_java_value *value, const char *text,
                                                 raski_arena *arena, raski_error *err);

/* Fills year, month and day of a date from the days since 1970-01-01 (LocalDate.ofEpochDay). */
void raski_java_date_from_epoch_day(raski_java_value *value, int64_t epoch_day);

/* KeyGroupRangeAssignment.assignToKeyGroup and assignKeyToParallelOperator: a NullPointerException
 * for the null key. An ArithmeticException for a max parallelism of 0, as in Flink. */
RASKI_NODISCARD rask_status raski_java_key_group(const raski_java_value *key,
                                                 int32_t max_parallelism, int32_t *ret,
                                                 raski_error *err);
RASKI_NODISCARD rask_status raski_java_key_subtask(const raski_java_value *key,
                                                   int32_t max_parallelism, int32_t parallelism,
                                                   int32_t *ret, raski_error *err);
#endif
