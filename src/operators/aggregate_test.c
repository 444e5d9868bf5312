#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "operators/aggregate.h"
#include "state/key_order.h"

static uint64_t random_state = 7;
static uint64_t random_u64(void) {
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static const rask_type *const SCALARS[] = {
    &rask_type_int8_t, &rask_type_int16_t, &rask_type_int32_t,     &rask_type_int64_t,
    &rask_type_float,  &rask_type_double,  &rask_type_rask_string, &rask_type_rask_bool,
};
enum { SCALAR_COUNT = sizeof SCALARS / sizeof SCALARS[0], FIELDS = 3 };

/* A record type made at run time: key, value, other. */
typedef struct made_type {
    rask_type type;
    rask_field fields[FIELDS];
} made_type;

static void make_type(made_type *made, const rask_type *key, const rask_type *value,
                      const rask_type *other, bool key_last) {
    const rask_type *types[FIELDS] = {key_last ? value : key, other, key_last ? key : value};
    static const char *const names[FIELDS] = {"a", "b", "c"};
    uint32_t offset = 0, align = 1;
    for (size_t i = 0; i < FIELDS; i++) {
        offset = (offset + types[i]->align - 1) / types[i]->align * types[i]->align;
        made->fields[i] = (rask_field){names[i], offset, types[i]->size, types[i], 0};
        offset += types[i]->size;
        if (types[i]->align > align) align = types[i]->align;
    }
    made->type = (rask_type){.name = "made",
                             .kind = RASK_KIND_RECORD,
                             .size = (offset + align - 1) / align * align,
                             .align = align,
                             .field_count = FIELDS,
                             .fields = made->fields};
}

/* Texts live as long as the test: records of a batch borrow them. */
static char TEXTS[64][48];
static void random_value(const rask_type *type, void *value, bool is_key) {
    uint64_t r = random_u64();
    switch (type->kind) {
        case RASK_KIND_STRING: {
            rask_string text = rask_string_from(TEXTS[r % 64]);
            memcpy(value, &text, sizeof text);
            return;
        }
        case RASK_KIND_BOOLEAN:
            *(bool *)value = r & 1;
            return;
        case RASK_KIND_FLOAT: {
            static const float special[] = {NAN, 0.0F, -0.0F, INFINITY, -INFINITY};
            float number = r % 4 == 0 ? special[r / 4 % 5] : (float)(int64_t)(r % 97) - 48.5F;
            memcpy(value, &number, sizeof number);
            return;
        }
        case RASK_KIND_DOUBLE: {
            static const double special[] = {NAN, 0.0, -0.0, INFINITY, -INFINITY};
            double number = r % 4 == 0 ? special[r / 4 % 5] : (double)(r % 97) - 48.5;
            memcpy(value, &number, sizeof number);
            return;
        }
        default: {
            int64_t number = is_key ? (int64_t)(r % 100) - 50 : (int64_t)r;
            memcpy(value, &number, type->size); /* little endian: the lower bytes */
            return;
        }
    }
}

/* ---------------------------------------------------------------- the model: Flink's reduce */
#define INTEGER_OF(T, p) ((int64_t) * (const T *)(const void *)(p))
static int64_t integer_of(const rask_type *type, const char *p) {
    switch (type->size) {
        case 1:
            return type->kind == RASK_KIND_BOOLEAN ? INTEGER_OF(bool, p) : INTEGER_OF(int8_t, p);
        case 2:
            return INTEGER_OF(int16_t, p);
        case 4:
            return INTEGER_OF(int32_t, p);
        default:
            return INTEGER_OF(int64_t, p);
    }
}
static int compare_doubles(double a, double b) { /* Double.compare */
    if (a < b) return -1;
    if (a > b) return 1;
    if (isnan(a) || isnan(b)) return (isnan(a) ? 1 : 0) - (isnan(b) ? 1 : 0);
    return (signbit(b) ? 1 : 0) - (signbit(a) ? 1 : 0);
}
static int compare_values(const rask_type *type, const char *a, const char *b) {
    if (type->kind == RASK_KIND_STRING)
        return rask_string_compare(*(const rask_string *)(const void *)a,
                                   *(const rask_string *)(const void *)b);
    if (type->kind == RASK_KIND_FLOAT)
        return compare_doubles((double)*(const float *)(const void *)a,
                               (double)*(const float *)(const void *)b);
    if (type->kind == RASK_KIND_DOUBLE)
        return compare_doubles(*(const double *)(const void *)a, *(const double *)(const void *)b);
    int64_t x = integer_of(type, a), y = integer_of(type, b);
    return (x > y) - (x < y);
}
static void model_sum(const rask_type *type, char *stored, const char *in) {
    if (type->kind == RASK_KIND_FLOAT) {
        *(float *)(void *)stored += *(const float *)(const void *)in;
    } else if (type->kind == RASK_KIND_DOUBLE) {
        *(double *)(void *)stored += *(const double *)(const void *)in;
    } else {
        uint64_t sum = (uint64_t)integer_of(type, stored) + (uint64_t)integer_of(type, in);
        memcpy(stored, &sum, type->size);
    }
}
static void model_reduce(raski_aggregate_kind kind, bool first, const rask_type *record,
                         const rask_field *field, char *stored, const char *in) {
    char *a = stored + field->offset;
    const char *b = in + field->offset;
    int c = kind == RASKI_AGGREGATE_SUM ? 0 : compare_values(field->type, a, b);
    switch (kind) {
        case RASKI_AGGREGATE_SUM:
            model_sum(field->type, a, b);
            break;
        case RASKI_AGGREGATE_MIN:
            if (c >= 0) memcpy(a, b, field->size);
            break;
        case RASKI_AGGREGATE_MAX:
            if (c <= 0) memcpy(a, b, field->size);
            break;
        case RASKI_AGGREGATE_MIN_BY:
            if (c > 0 || (c == 0 && !first)) memcpy(stored, in, record->size);
            break;
        default:
            if (c < 0 || (c == 0 && !first)) memcpy(stored, in, record->size);
            break;
    }
}

static void assert_same_value(const rask_type *type, const char *a, const char *b) {
    assert_int_equal(compare_values(type, a, b), 0);
}
static void assert_same_record(const rask_type *type, const char *a, const char *b) {
    for (size_t i = 0; i < type->field_count; i++)
        assert_same_value(type->fields[i].type, a + type->fields[i].offset,
                          b + type->fields[i].offset);
}

typedef struct model {
    const rask_type *record;
    const rask_type *key;
    size_t count;
    char keys[512][16], records[512][64];
} model;
/* The stored record of a key; *ret_first when it had none. */
static char *model_record(model *m, const char *key, bool *ret_first) {
    size_t i = 0;
    while (i < m->count && compare_values(m->key, m->keys[i], key) != 0) i++;
    *ret_first = i == m->count;
    if (*ret_first) {
        assert_true(m->count++ < 512);
        memcpy(m->keys[i], key, m->key->size);
    }
    return m->records[i];
}

typedef struct final_records {
    model *m;
    const rask_field *key;
    size_t count;
} final_records;
static rask_status check_final(void *ctx, const void *records, size_t count, raski_error *err) {
    (void)err;
    final_records *final = ctx;
    for (size_t i = 0; i < count; i++) {
        const char *record = (const char *)records + i * final->m->record->size;
        bool first = false;
        /* the key under which it is stored is in the record unless the field is the key */
        const char *expected =
            final->key ? model_record(final->m, record + final->key->offset, &first) : NULL;
        assert_false(first);
        if (expected) assert_same_record(final->m->record, record, expected);
    }
    final->count += count;
    return RASK_OK;
}

/* One aggregation over random records against the model; in batches of random size, some without
 * output. */
static void check_aggregation(const made_type *made, size_t key_field, size_t value_field,
                              raski_aggregate_kind kind, bool first, bool apart) {
    const rask_type *record = &made->type;
    const rask_field *key = &record->fields[key_field], *value = &record->fields[value_field];
    raski_key_spec spec = {1, {{apart ? 0 : key->offset, key->type}}};
    raski_aggregate *aggregate = NULL;
    raski_error err = {0};
    assert_int_equal(
        raski_aggregate_create(&(raski_aggregate_options){.kind = kind,
                                                          .record = record,
                                                          .key = &spec,
                                                          .key_apart = apart,
                                                          .field_offset = value->offset,
                                                          .field = value->type,
                                                          .first = first},
                               &aggregate, &err),
        RASK_OK);
    model *m = RASKI_NEW(model);
    m->record = record;
    m->key = key->type;
    size_t size = record->size;
    for (size_t round = 0; round < 6; round++) {
        size_t n = random_u64() % 200;
        char *in = raski_calloc(n, size), *keys = raski_calloc(n, key->size);
        char *out = raski_calloc(n, size);
        for (size_t i = 0; i < n; i++) {
            for (size_t f = 0; f < FIELDS; f++)
                random_value(record->fields[f].type, in + i * size + record->fields[f].offset,
                             f == key_field);
            memcpy(keys + i * key->size, in + i * size + key->offset, key->size);
        }
        const char *key_values = apart ? keys : in;
        size_t key_size = apart ? key->size : size;
        bool silent = round % 3 == 2;
        if (silent)
            assert_int_equal(
                raski_aggregate_accumulate(aggregate, key_values, key_size, in, n, &err), RASK_OK);
        else /* two calls, whose results are looked at together */
            for (size_t from = 0, to = n / 3; from < n; from = to, to = n)
                assert_int_equal(
                    raski_aggregate_process(aggregate, key_values + from * key_size, key_size,
                                            in + from * size, to - from, out + from * size, &err),
                    RASK_OK);
        for (size_t i = 0; i < n; i++) {
            bool is_first = false;
            char *stored = model_record(m, in + i * size + key->offset, &is_first);
            if (is_first)
                memcpy(stored, in + i * size, size);
            else
                model_reduce(kind, first, record, value, stored, in + i * size);
            if (!silent) assert_same_record(record, out + i * size, stored);
        }
        raski_aggregate_end_batch(aggregate);
        raski_free(in);
        raski_free(keys);
        raski_free(out);
    }
    assert_int_equal(raski_keyed_table_count(raski_aggregate_table(aggregate)), m->count);
    final_records final = {m, key_field == value_field ? NULL : key, 0};
    assert_int_equal(raski_aggregate_finish(aggregate, check_final, &final, &err), RASK_OK);
    assert_int_equal(final.count, m->count);
    raski_free(m);
    raski_aggregate_destroy(aggregate);
}

static void every_aggregation_agrees_with_a_model(void **unused) {
    (void)unused;
    for (size_t i = 0; i < 64; i++)
        (void)snprintf(TEXTS[i], sizeof TEXTS[i], i % 3 ? "%zu" : "a text that is not inline %zu",
                       i);
    for (size_t k = 0; k < SCALAR_COUNT; k++) {
        for (size_t v = 0; v < SCALAR_COUNT; v++) {
            for (unsigned variant = 0; variant < 8; variant++) {
                made_type made;
                make_type(&made, SCALARS[k], SCALARS[v], SCALARS[(k + v + variant) % SCALAR_COUNT],
                          variant & 1);
                size_t key = variant & 1 ? 2 : 0;
                for (int kind = RASKI_AGGREGATE_SUM; kind <= RASKI_AGGREGATE_MAX_BY; kind++) {
                    if (kind == RASKI_AGGREGATE_SUM && (SCALARS[v]->kind == RASK_KIND_STRING ||
                                                        SCALARS[v]->kind == RASK_KIND_BOOLEAN))
                        continue;
                    check_aggregation(&made, key, 2 - key, (raski_aggregate_kind)kind, variant & 2,
                                      variant & 4);
                }
            }
        }
    }
}

/* keyBy(a).sum(a): what is stored under a key no longer contains it. */
static void the_key_itself_may_be_aggregated(void **unused) {
    (void)unused;
    made_type made;
    make_type(&made, &rask_type_int64_t, &rask_type_int64_t, &rask_type_int32_t, false);
    for (int kind = RASKI_AGGREGATE_SUM; kind <= RASKI_AGGREGATE_MAX_BY; kind++)
        check_aggregation(&made, 0, 0, (raski_aggregate_kind)kind, true, false);
}

typedef struct word_count {
    rask_string word;
    int64_t count;
} word_count;
static const rask_field WORD_COUNT_FIELDS[] = {{"word", 0, 16, &rask_type_rask_string, 0},
                                               {"count", 16, 8, &rask_type_int64_t, 0}};
static const rask_type WORD_COUNT = {
    "word_count", RASK_KIND_RECORD, sizeof(word_count), 8, 2, WORD_COUNT_FIELDS, NULL, 0, NULL};

static void a_word_count_takes_one_record_per_word(void **unused) {
    (void)unused;
    raski_key_spec key = {1, {{0, &rask_type_rask_string}}};
    raski_aggregate *aggregate = NULL;
    assert_int_equal(raski_aggregate_create(&(raski_aggregate_options){.kind = RASKI_AGGREGATE_SUM,
                                                                       .record = &WORD_COUNT,
                                                                       .key = &key,
                                                                       .field_offset = 16,
                                                                       .field = &rask_type_int64_t},
                                            &aggregate, NULL),
                     RASK_OK);
    assert_int_equal(raski_keyed_table_row_size(raski_aggregate_table(aggregate)), 24);
    /* enough words to leave the caches, so that both kinds of loop run; twice */
    enum { WORDS = 40000 };
    for (int64_t round = 1; round <= 2; round++) {
        for (size_t at = 0; at < WORDS; at += 100) {
            word_count in[100], out[100];
            char texts[100][32];
            for (size_t i = 0; i < 100; i++) {
                (void)snprintf(texts[i], 32, (at + i) % 2 ? "w%zu" : "a very long word %zu",
                               at + i);
                in[i] = (word_count){rask_string_from(texts[i]), 3};
            }
            assert_int_equal(
                raski_aggregate_process(aggregate, in, sizeof in[0], in, 100, out, NULL), RASK_OK);
            for (size_t i = 0; i < 100; i++) {
                assert_true(rask_string_equal(out[i].word, in[i].word));
                assert_int_equal(out[i].count, 3 * round);
            }
        }
    }
    assert_int_equal(raski_keyed_table_count(raski_aggregate_table(aggregate)), WORDS);
    raski_aggregate_destroy(aggregate);
}

/* ---------------------------------------------------------------- reduce */
/* Joins words: the longer the chain, the longer the string; borrows from a buffer of its own, as a
 * user's function borrows from the batch arena. */
typedef struct joiner {
    char buffer[1 << 16];
    size_t used;
    size_t calls;
} joiner;
static void join_words(void *function, const void *in, size_t n, char *const *states,
                       uint64_t first, void *out) {
    joiner *self = function;
    const word_count *records = in;
    for (size_t i = 0; i < n; i++) {
        word_count *state = (void *)states[i], result = records[i];
        if (!(first >> i & 1)) {
            char *text = self->buffer + self->used;
            self->used += (size_t)snprintf(text, sizeof self->buffer - self->used, "%.*s+%.*s",
                                           RASK_STR(state->word), RASK_STR(records[i].word));
            result = (word_count){rask_string_from(text), state->count + records[i].count};
            self->used++;
            self->calls++;
        }
        *state = result;
        if (out) ((word_count *)out)[i] = result;
    }
}

static rask_status keep_last(void *ctx, const void *records, size_t count, raski_error *err) {
    (void)err;
    const word_count *last = (const word_count *)records + (count - 1);
    (void)snprintf(ctx, 64, "%.*s=%d", RASK_STR(last->word), (int)last->count);
    return RASK_OK;
}

static void reduce_keeps_what_the_function_made(void **unused) {
    (void)unused;
    joiner *self = RASKI_NEW(joiner);
    raski_key_spec key = {1, {{16, &rask_type_int64_t}}}; /* the field that the function changes */
    raski_aggregate *aggregate = NULL;
    assert_int_equal(
        raski_aggregate_create(&(raski_aggregate_options){.kind = RASKI_AGGREGATE_REDUCE,
                                                          .record = &WORD_COUNT,
                                                          .key = &key,
                                                          .reduce = join_words,
                                                          .function = self},
                               &aggregate, NULL),
        RASK_OK);
    for (int round = 0; round < 3; round++) {
        char text[] = "abcdef";
        word_count in[2] = {{rask_string_of(text + 2 * (size_t)round, 1), 1},
                            {rask_string_of(text + 2 * (size_t)round + 1, 1), 1}},
                   out[2];
        self->used = 0;
        assert_int_equal(raski_aggregate_process(aggregate, in, sizeof in[0], in, 2, out, NULL),
                         RASK_OK);
        assert_int_equal(out[1].count, 2 * round + 2);
        assert_int_equal(out[1].word.len, 4 * round + 3);
        raski_aggregate_end_batch(aggregate);
        memset(self->buffer, 'x', sizeof self->buffer); /* the batch is over */
    }
    assert_int_equal(self->calls, 5);
    assert_int_equal(raski_keyed_table_count(raski_aggregate_table(aggregate)), 1);
    char text[64];
    assert_int_equal(raski_aggregate_finish(aggregate, keep_last, text, NULL), RASK_OK);
    assert_string_equal(text, "a+b+c+d+e+f=6");
    raski_aggregate_destroy(aggregate);
    raski_free(self);
}

/* ---------------------------------------------------------------- errors */
static void fields_without_sum_or_order_are_refused(void **unused) {
    (void)unused;
    raski_key_spec key = {1, {{16, &rask_type_int64_t}}};
    raski_aggregate *aggregate = NULL;
    raski_error err = {0};
    raski_aggregate_options options = {.kind = RASKI_AGGREGATE_SUM,
                                       .record = &WORD_COUNT,
                                       .key = &key,
                                       .field = &rask_type_rask_string};
    assert_int_equal(raski_aggregate_create(&options, &aggregate, &err), RASK_E_ARGUMENT);
    assert_string_equal(err.exception, "RuntimeException");
    assert_string_equal(err.message,
                        "DataStream cannot be summed because the class String does not support the "
                        "+ operator.");
    err = (raski_error){0};
    options.kind = RASKI_AGGREGATE_MAX;
    options.field = &rask_type_rask_bytes;
    assert_int_equal(raski_aggregate_create(&options, &aggregate, &err), RASK_E_ARGUMENT);
    assert_string_equal(err.exception, "ClassCastException");
    assert_null(aggregate);
}

static void memory_may_run_out(void **unused) {
    (void)unused;
    raski_key_spec key = {1, {{0, &rask_type_rask_string}}};
    for (int kind = RASKI_AGGREGATE_SUM; kind <= RASKI_AGGREGATE_MAX_BY; kind++) {
        for (size_t limit = 795000; limit < 1100000; limit += 30000) {
            raski_aggregate *aggregate = NULL;
            assert_int_equal(raski_aggregate_create(
                                 &(raski_aggregate_options){.kind = (raski_aggregate_kind)kind,
                                                            .record = &WORD_COUNT,
                                                            .key = &key,
                                                            .field_offset = 16,
                                                            .field = &rask_type_int64_t,
                                                            .bytes_max = limit},
                                 &aggregate, NULL),
                             RASK_OK);
            rask_status status = RASK_OK;
            raski_error err = {0};
            size_t i = 0;
            for (; i < 20000 && status == RASK_OK; i++) {
                char text[32];
                (void)snprintf(text, sizeof text, "a very long word %zu", i);
                word_count in = {rask_string_from(text), 1}, out;
                status = raski_aggregate_process(aggregate, &in, sizeof in, &in, 1, &out, &err);
            }
            assert_int_equal(status, RASK_E_NOMEM);
            assert_true(i > 100);
            assert_non_null(strstr(err.message, "limit"));
            raski_aggregate_destroy(aggregate);
        }
    }
}

/* ---------------------------------------------------------------- order at the end */
static rask_status append_int(void *ctx, const void *records, size_t count, raski_error *err) {
    (void)err;
    char *text = ctx;
    for (size_t i = 0; i < count; i++) {
        const int32_t *record = (const int32_t *)records + 2 * i;
        (void)snprintf(text + strlen(text), 16, "%d ", *record);
    }
    return RASK_OK;
}
static void keys_end_in_the_order_of_their_signed_bytes(void **unused) {
    (void)unused;
    static const rask_field fields[] = {{"k", 0, 4, &rask_type_int32_t, 0},
                                        {"v", 4, 4, &rask_type_int32_t, 0}};
    static const rask_type record = {"r", RASK_KIND_RECORD, 8, 4, 2, fields, NULL, 0, NULL};
    raski_key_spec key = {1, {{0, &rask_type_int32_t}}};
    raski_aggregate *aggregate = NULL;
    assert_int_equal(raski_aggregate_create(&(raski_aggregate_options){.kind = RASKI_AGGREGATE_SUM,
                                                                       .record = &record,
                                                                       .key = &key,
                                                                       .field_offset = 4,
                                                                       .field = &rask_type_int32_t},
                                            &aggregate, NULL),
                     RASK_OK);
    int32_t in[][2] = {{0, 1}, {127, 1}, {128, 1}, {255, 1}, {256, 1}, {-1, 1}, {-129, 1}, {1, 1}};
    assert_int_equal(raski_aggregate_accumulate(aggregate, in, 8, in, 8, NULL), RASK_OK);
    char text[128] = "";
    assert_int_equal(raski_aggregate_finish(aggregate, append_int, text, NULL), RASK_OK);
    assert_string_equal(text, "-1 -129 128 255 0 1 127 256 ");
    raski_aggregate_destroy(aggregate);
}

static rask_status append_word(void *ctx, const void *records, size_t count, raski_error *err) {
    (void)err;
    char *text = ctx;
    for (size_t i = 0; i < count; i++) {
        const word_count *record = (const word_count *)records + i;
        (void)snprintf(text + strlen(text), 24, "%.3s%.*s/%d ",
                       record->word.len > 20 ? rask_string_data(&record->word) : "",
                       record->word.len > 20 ? 0 : (int)record->word.len,
                       rask_string_data(&record->word), (int)record->word.len);
    }
    return RASK_OK;
}
static void strings_end_in_the_order_of_their_lengths(void **unused) {
    (void)unused;
    raski_key_spec key = {1, {{0, &rask_type_rask_string}}};
    raski_aggregate *aggregate = NULL;
    assert_int_equal(
        raski_aggregate_create(&(raski_aggregate_options){.kind = RASKI_AGGREGATE_MAX_BY,
                                                          .record = &WORD_COUNT,
                                                          .key = &key,
                                                          .field_offset = 16,
                                                          .field = &rask_type_int64_t},
                               &aggregate, NULL),
        RASK_OK);
    char y200[201], z126[127], z200[201];
    memset(y200, 'z', 200);
    y200[199] = 'y';
    memset(z126, 'z', 126);
    memset(z200, 'z', 200);
    word_count in[] = {{rask_string_from("same start b"), 1}, {rask_string_from("b"), 1},
                       {rask_string_from("same start a"), 1}, {rask_string_from(""), 1},
                       {rask_string_from("aa"), 1},           {rask_string_from("\xc3\xa9"), 1},
                       {rask_string_of(z200, 200), 1},        {rask_string_of(z126, 126), 1},
                       {rask_string_of(y200, 200), 1}};
    assert_int_equal(raski_aggregate_accumulate(aggregate, in, sizeof in[0], in, 9, NULL), RASK_OK);
    char text[256] = "";
    assert_int_equal(raski_aggregate_finish(aggregate, append_word, text, NULL), RASK_OK);
    assert_string_equal(text,
                        "zzz/200 zzz/200 /0 \xc3\xa9/2 b/1 aa/2 same start a/12 same start b/12 "
                        "zzz/126 ");
    char **rows = NULL;
    assert_int_equal(raski_keyed_table_in_key_order(raski_aggregate_table(aggregate), &rows, NULL),
                     RASK_OK);
    assert_int_equal(rask_string_data((const rask_string *)(const void *)rows[0])[199], 'y');
    raski_free(rows);
    raski_aggregate_destroy(aggregate);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_aggregation_agrees_with_a_model),
        cmocka_unit_test(the_key_itself_may_be_aggregated),
        cmocka_unit_test(a_word_count_takes_one_record_per_word),
        cmocka_unit_test(reduce_keeps_what_the_function_made),
        cmocka_unit_test(fields_without_sum_or_order_are_refused),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(keys_end_in_the_order_of_their_signed_bytes),
        cmocka_unit_test(strings_end_in_the_order_of_their_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
