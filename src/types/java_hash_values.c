#include "types/java_hash_values.h"

#include <string.h>

#include "types/java_hash.h"
#include "types/key_group.h"

static int32_t add(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static int32_t hash_utf16(const uint16_t *units, size_t count) {
    uint32_t hash = 0;
    for (size_t i = 0; i < count; i++) hash = 31 * hash + units[i];
    return (int32_t)hash;
}

/* BigInteger; also what BigDecimal computes for its unscaled value, in either representation. */
static int32_t hash_big(const raski_java_value *v) {
    uint32_t hash = 0;
    for (size_t i = 0; i < v->u.big.word_count; i++) hash = 31 * hash + v->u.big.words[i];
    return (int32_t)(hash * (uint32_t)v->u.big.sign);
}

static int32_t hash_float_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return raski_hash_float(value);
}

static int32_t hash_double_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return raski_hash_double(value);
}

static int32_t hash_date(const raski_java_value *v) {
    uint32_t year = (uint32_t)v->u.date.year;
    uint32_t rest = (year << 11) + ((uint32_t)v->u.date.month << 6) + (uint32_t)v->u.date.day;
    return (int32_t)((year & 0xfffff800U) ^ rest);
}

/* 31 * hash + next for all items, from a start value. */
static int32_t hash_items(const raski_java_value *v, int32_t start) {
    int32_t hash = start;
    for (size_t i = 0; i < v->u.many.count; i++)
        hash = raski_hash_combine(hash, raski_java_hash(&v->u.many.items[i]));
    return hash;
}

static int32_t hash_set(const raski_java_value *v) {
    int32_t hash = 0;
    for (size_t i = 0; i < v->u.many.count; i++)
        hash = add(hash, raski_java_hash(&v->u.many.items[i]));
    return hash;
}

static int32_t hash_map(const raski_java_value *v) {
    int32_t hash = 0;
    for (size_t i = 0; i + 1 < v->u.many.count; i += 2)
        hash = add(hash,
                   raski_java_hash(&v->u.many.items[i]) ^ raski_java_hash(&v->u.many.items[i + 1]));
    return hash;
}

/* ---------------------------------------------------------------- Row */
/* What Row makes of an element: it looks into lists, object arrays and maps itself, and passes the
 * rest (other rows and primitive arrays too) through Arrays.deepHashCode of one element, which adds
 * 31. */
static int32_t hash_in_row(const raski_java_value *v);

static int32_t hash_list_in_row(const raski_java_value *v) {
    int32_t hash = 1;
    for (size_t i = 0; i < v->u.many.count; i++)
        hash = raski_hash_combine(hash, hash_in_row(&v->u.many.items[i]));
    return hash;
}

static int32_t hash_map_in_row(const raski_java_value *v) {
    int32_t hash = 1;
    for (size_t i = 0; i + 1 < v->u.many.count; i += 2)
        hash = add(hash, hash_in_row(&v->u.many.items[i]) ^ hash_in_row(&v->u.many.items[i + 1]));
    return hash;
}

static int32_t hash_in_row(const raski_java_value *v) {
    switch (v->kind) {
        case RASKI_JAVA_NULL:
            return 0;
        case RASKI_JAVA_LIST:
            return hash_list_in_row(v);
        case RASKI_JAVA_MAP:
            return hash_map_in_row(v);
        default:
            return add(31, raski_java_hash(v));
    }
}

int32_t raski_java_hash(const raski_java_value *v) {
    switch (v->kind) {
        case RASKI_JAVA_NULL:
            return 0;
        case RASKI_JAVA_STRING:
            return hash_utf16(v->u.utf16.units, v->u.utf16.count);
        case RASKI_JAVA_INT:
            return (int32_t)v->u.number;
        case RASKI_JAVA_LONG:
            return raski_hash_long(v->u.number);
        case RASKI_JAVA_BOOLEAN:
            return raski_hash_boolean(v->u.number != 0);
        case RASKI_JAVA_FLOAT:
            return hash_float_bits((uint32_t)v->u.bits);
        case RASKI_JAVA_DOUBLE:
            return hash_double_bits(v->u.bits);
        case RASKI_JAVA_BIG_INTEGER:
            return hash_big(v);
        case RASKI_JAVA_BIG_DECIMAL:
            return raski_hash_combine(hash_big(v), v->u.big.scale);
        case RASKI_JAVA_INSTANT:
            return add(raski_hash_long(v->u.instant.seconds),
                       (int32_t)(51U * (uint32_t)v->u.instant.nanos));
        case RASKI_JAVA_LOCAL_DATE:
            return hash_date(v);
        case RASKI_JAVA_LOCAL_TIME:
            return raski_hash_long(v->u.date.nano_of_day);
        case RASKI_JAVA_LOCAL_DATE_TIME:
            return hash_date(v) ^ raski_hash_long(v->u.date.nano_of_day);
        case RASKI_JAVA_UUID:
            return raski_hash_long((int64_t)(v->u.uuid.high ^ v->u.uuid.low));
        case RASKI_JAVA_TUPLE:
            return hash_items(v, 0); /* 31 * 0 + the first: no start value */
        case RASKI_JAVA_OBJECTS_HASH:
        case RASKI_JAVA_LIST:
        case RASKI_JAVA_PRIMITIVE_ARRAY:
            return hash_items(v, 1);
        case RASKI_JAVA_ROW:
            return raski_hash_combine(v->u.many.row_kind, hash_list_in_row(v));
        case RASKI_JAVA_NAMED_ROW:
            return raski_hash_combine(v->u.many.row_kind, hash_map_in_row(v));
        case RASKI_JAVA_SET:
            return hash_set(v);
        case RASKI_JAVA_MAP:
            return hash_map(v);
        case RASKI_JAVA_EITHER:
            return raski_java_hash(v->u.many.items);
        case RASKI_JAVA_LONG_VALUE:
            return add(43, raski_hash_long(v->u.number));
        case RASKI_JAVA_DOUBLE_VALUE:
            return add(31, hash_double_bits(v->u.bits));
        case RASKI_JAVA_BOOLEAN_VALUE:
            return v->u.number != 0;
        case RASKI_JAVA_NULL_VALUE:
            return 53;
    }
    return 0;
}

/* ---------------------------------------------------------------- big numbers from text */
/* words = words * 10^9 + part, least significant word first. */
static size_t multiply_add(uint32_t *words, size_t count, uint32_t factor, uint32_t part) {
    uint64_t carry = part;
    for (size_t i = 0; i < count; i++) {
        carry += (uint64_t)words[i] * factor;
        words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) words[count++] = (uint32_t)carry;
    return count;
}

rask_status raski_java_big_parse(raski_java_value *value, const char *text, raski_arena *arena,
                                 raski_error *err) {
    bool negative = *text == '-';
    const char *digits = text + (*text == '-' || *text == '+');
    size_t length = strlen(digits);
    if (length == 0 || strspn(digits, "0123456789") != length)
        return RASKI_FAIL(err, RASK_E_ARGUMENT, USER, "\"%s\" is not a whole number", text);
    uint32_t *words = raski_arena_calloc(arena, (length / 9 + 1) * sizeof *words);
    size_t count = 0;
    for (size_t at = 0; at < length;) {
        uint32_t part = 0;
        uint32_t factor = 1;
        for (size_t k = 0; k < 9 && at < length; k++, at++) {
            part = part * 10 + (uint32_t)(digits[at] - '0');
            factor *= 10;
        }
        count = multiply_add(words, count, factor, part);
    }
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t word = words[i];
        words[i] = words[count - 1 - i];
        words[count - 1 - i] = word;
    }
    value->u.big.words = words;
    value->u.big.word_count = count;
    value->u.big.sign = count == 0 ? 0 : negative ? -1 : 1;
    return RASK_OK;
}

/* ---------------------------------------------------------------- dates */
void raski_java_date_from_epoch_day(raski_java_value *value, int64_t epoch_day) {
    enum { DAYS_PER_ERA = 146097, DAYS_TO_EPOCH = 719468, YEARS_PER_ERA = 400 };
    /* Years that begin in March: the leap day is their last one. Eras of 400 years are all alike.
     */
    int64_t days = epoch_day + DAYS_TO_EPOCH;
    int64_t era = (days >= 0 ? days : days - (DAYS_PER_ERA - 1)) / DAYS_PER_ERA;
    int64_t day_of_era = days - era * DAYS_PER_ERA;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    value->u.date.day = (int32_t)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    value->u.date.month =
        (int32_t)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
    value->u.date.year = (int32_t)(era * YEARS_PER_ERA + year_of_era + (value->u.date.month <= 2));
}

/* ---------------------------------------------------------------- key groups */
rask_status raski_java_key_group(const raski_java_value *key, int32_t max_parallelism, int32_t *ret,
                                 raski_error *err) {
    if (key == NULL || key->kind == RASKI_JAVA_NULL) return raski_key_error_null(err);
    if (max_parallelism == 0) return RASKI_THROW(err, "ArithmeticException", "/ by zero");
    *ret = raski_key_group_of_hash(raski_java_hash(key), max_parallelism);
    return RASK_OK;
}

rask_status raski_java_key_subtask(const raski_java_value *key, int32_t max_parallelism,
                                   int32_t parallelism, int32_t *ret, raski_error *err) {
    int32_t key_group = 0;
    RASKI_TRY(raski_java_key_group(key, max_parallelism, &key_group, err));
    *ret = raski_subtask_of_key_group(max_parallelism, parallelism, key_group);
    return RASK_OK;
}
