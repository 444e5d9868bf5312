#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "state/keyed_table.h"
#include "types/java_hash.h"
#include "types/key_group.h"

/* A small generator: the same numbers in every run. */
static uint64_t random_state = 1;
static uint64_t random_u64(void) {
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
static size_t random_below(size_t limit) {
    return (size_t)(random_u64() % limit);
}

static const raski_key_spec LONG_KEY = {1, {{0, &rask_type_int64_t}}};
static const raski_key_spec STRING_KEY = {1, {{0, &rask_type_rask_string}}};
static const raski_state_spec LONG_STATE = {.name = "count", .type = &rask_type_int64_t};
static const raski_state_spec STRING_STATE = {.name = "text", .type = &rask_type_rask_string};

static raski_keyed_table *create(const raski_key_spec *key, const raski_state_spec *states,
                                 size_t count) {
    raski_keyed_table *table = NULL;
    raski_error err = {0};
    rask_status status = raski_keyed_table_create(
        &(raski_keyed_table_options){.key = key, .states = states, .state_count = count}, &table,
        &err);
    assert_string_equal(err.message, "");
    assert_int_equal(status, RASK_OK);
    return table;
}

static char *row_of(raski_keyed_table *table, const raski_key_spec *spec, const void *record,
                    size_t size) {
    char *row = NULL;
    assert_int_equal(raski_keyed_table_lookup(table, spec, record, size, 1, &row, NULL, NULL),
                     RASK_OK);
    return row;
}
static int64_t *long_state(const raski_keyed_table *table, char *row, size_t state) {
    return (int64_t *)(void *)(row + raski_keyed_table_state_offset(table, state));
}
static rask_string *string_state(const raski_keyed_table *table, char *row, size_t state) {
    return (rask_string *)(void *)(row + raski_keyed_table_state_offset(table, state));
}

static void rows_have_the_documented_layout(void **unused) {
    (void)unused;
    raski_keyed_table *table = create(&LONG_KEY, &LONG_STATE, 1);
    assert_int_equal(raski_keyed_table_row_size(table), 24);
    assert_int_equal(raski_keyed_table_key_in_row(table)->parts[0].offset, 8);
    assert_int_equal(raski_keyed_table_state_offset(table, 0), 16);
    raski_keyed_table_destroy(table);

    static const raski_key_spec int_key = {1, {{0, &rask_type_int32_t}}};
    static const raski_state_spec states[] = {{.name = "a", .type = &rask_type_rask_bool},
                                              {.name = "b", .size = 24, .align = 16}};
    table = create(&int_key, states, 2);
    assert_int_equal(raski_keyed_table_key_in_row(table)->parts[0].offset, 4);
    assert_int_equal(raski_keyed_table_state_offset(table, 0), 8);
    assert_int_equal(raski_keyed_table_state_offset(table, 1), 16);
    assert_int_equal(raski_keyed_table_row_size(table), 48);
    raski_keyed_table_destroy(table);
    raski_keyed_table_destroy(NULL);
}

/* Random blocks of records; some keys are cleared and their rows swept. Against a plain array. */
static void random_longs_agree_with_a_model(void **unused) {
    (void)unused;
    enum { KEYS = 5000, ROUNDS = 4000 };
    raski_keyed_table *table = create(&LONG_KEY, &LONG_STATE, 1);
    int64_t *model = RASKI_NEW_ARRAY(int64_t, KEYS); /* 0: no state */
    size_t present = 0;
    for (size_t round = 0; round < ROUNDS; round++) {
        int64_t keys[RASKI_LOOKUP_MAX];
        char *rows[RASKI_LOOKUP_MAX];
        size_t n = 1 + random_below(RASKI_LOOKUP_MAX);
        bool clears = round % 3 == 2;
        for (size_t i = 0; i < n; i++)
            keys[i] = (int64_t)random_below(KEYS) * (int64_t)0x100000001 - KEYS / 2;
        uint64_t inserted = 0;
        assert_int_equal(raski_keyed_table_lookup(table, &LONG_KEY, keys, sizeof keys[0], n, rows,
                                                  &inserted, NULL),
                         RASK_OK);
        for (size_t i = 0; i < n; i++) {
            size_t k = (size_t)((keys[i] + KEYS / 2) / 0x100000001);
            assert_int_equal(raski_row_has(rows[i], 0), model[k] != 0);
            assert_int_equal(*long_state(table, rows[i], 0), model[k]);
            if (inserted >> i & 1) assert_int_equal(model[k], 0);
            if (clears) {
                present -= model[k] != 0;
                model[k] = 0;
                assert_int_equal(raski_keyed_table_clear(table, rows[i], 0, NULL), RASK_OK);
            } else {
                present += model[k] == 0;
                *long_state(table, rows[i], 0) = ++model[k];
                raski_row_set(rows[i], 0);
            }
        }
        raski_keyed_table_sweep(table, rows, n);
        assert_int_equal(raski_keyed_table_count(table), present);
    }
    size_t position = 0, seen = 0;
    for (char *row; (row = raski_keyed_table_next(table, &position)); seen++) {
        int64_t key = 0;
        memcpy(&key, row + raski_keyed_table_key_in_row(table)->parts[0].offset, sizeof key);
        assert_int_equal(*long_state(table, row, 0), model[(key + KEYS / 2) / 0x100000001]);
        assert_ptr_equal(raski_keyed_table_find(table, &LONG_KEY, &key), row);
    }
    assert_int_equal(seen, present);
    raski_free(model);
    raski_keyed_table_destroy(table);
}

static void keys_that_come_and_go_do_not_use_up_memory(void **unused) {
    (void)unused;
    raski_keyed_table *table = create(&STRING_KEY, &LONG_STATE, 1);
    size_t bytes = 0;
    char texts[RASKI_LOOKUP_MAX][40];
    for (size_t round = 0; round < 3000; round++) {
        rask_string keys[RASKI_LOOKUP_MAX];
        char *rows[RASKI_LOOKUP_MAX];
        for (size_t i = 0; i < RASKI_LOOKUP_MAX; i++) {
            (void)snprintf(texts[i], sizeof texts[i], "session-%zu-%zu", round, i);
            keys[i] = rask_string_from(texts[i]);
        }
        assert_int_equal(raski_keyed_table_lookup(table, &STRING_KEY, keys, sizeof keys[0],
                                                  RASKI_LOOKUP_MAX, rows, NULL, NULL),
                         RASK_OK);
        assert_int_equal(raski_keyed_table_count(table), RASKI_LOOKUP_MAX);
        raski_keyed_table_sweep(table, rows, RASKI_LOOKUP_MAX); /* never got a state */
        assert_int_equal(raski_keyed_table_count(table), 0);
        if (round == 10) bytes = raski_keyed_table_bytes_used(table);
    }
    assert_int_equal(raski_keyed_table_bytes_used(table), bytes);
    raski_keyed_table_destroy(table);
}

static void a_table_grows_and_keeps_every_row_in_place(void **unused) {
    (void)unused;
    enum { KEYS = 200000 };
    raski_keyed_table *table = create(&LONG_KEY, &LONG_STATE, 1);
    char **places = RASKI_NEW_ARRAY(char *, KEYS);
    for (int64_t at = 0; at < KEYS; at += 50) {
        int64_t keys[50];
        for (int64_t i = 0; i < 50; i++) keys[i] = (at + i) << 20;
        uint64_t inserted = 0;
        assert_int_equal(
            raski_keyed_table_lookup(table, &LONG_KEY, keys, 8, 50, places + at, &inserted, NULL),
            RASK_OK);
        assert_int_equal(inserted, (UINT64_C(1) << 50) - 1);
        for (int64_t i = 0; i < 50; i++) {
            *long_state(table, places[at + i], 0) = at + i;
            raski_row_set(places[at + i], 0);
        }
    }
    assert_int_equal(raski_keyed_table_count(table), KEYS);
    size_t position = 0;
    for (int64_t i = 0; i < KEYS; i++) {
        int64_t key = i << 20;
        assert_ptr_equal(raski_keyed_table_find(table, &LONG_KEY, &key), places[i]);
        assert_int_equal(*long_state(table, places[i], 0), i);
        assert_ptr_equal(raski_keyed_table_next(table, &position), places[i]);
    }
    raski_free(places);
    raski_keyed_table_destroy(table);
}

/* Texts of 0 to 39 bytes, many with a common start, in memory that changes after each lookup. */
static void strings_are_copied_and_compared_by_their_bytes(void **unused) {
    (void)unused;
    enum { KEYS = 3000 };
    raski_keyed_table *table = create(&STRING_KEY, &LONG_STATE, 1);
    int64_t *model = RASKI_NEW_ARRAY(int64_t, KEYS);
    for (size_t round = 0; round < 2000; round++) {
        char texts[RASKI_LOOKUP_MAX][64];
        struct {
            int32_t other;
            rask_string key;
        } records[RASKI_LOOKUP_MAX];
        static const raski_key_spec spec = {1, {{8, &rask_type_rask_string}}};
        size_t numbers[RASKI_LOOKUP_MAX];
        char *rows[RASKI_LOOKUP_MAX];
        for (size_t i = 0; i < RASKI_LOOKUP_MAX; i++) {
            numbers[i] = random_below(KEYS);
            memset(texts[i], 'x', sizeof texts[i]);
            (void)snprintf(texts[i] + numbers[i] % 30, 12, "%zu", numbers[i]);
            records[i].key = rask_string_from(texts[i]);
        }
        assert_int_equal(raski_keyed_table_lookup(table, &spec, records, sizeof records[0],
                                                  RASKI_LOOKUP_MAX, rows, NULL, NULL),
                         RASK_OK);
        for (size_t i = 0; i < RASKI_LOOKUP_MAX; i++) {
            assert_int_equal(*long_state(table, rows[i], 0), model[numbers[i]]);
            *long_state(table, rows[i], 0) = ++model[numbers[i]];
            raski_row_set(rows[i], 0);
        }
    }
    raski_free(model);
    raski_keyed_table_destroy(table);
}

typedef struct point {
    int8_t tag; /* padding behind */
    double x;
} point;
static const rask_field POINT_FIELDS[] = {{"tag", offsetof(point, tag), 1, &rask_type_int8_t, 0},
                                          {"x", offsetof(point, x), 8, &rask_type_double, 0}};
static const rask_type POINT = {
    "point", RASK_KIND_RECORD, sizeof(point), 8, 2, POINT_FIELDS, NULL, 0, NULL};
typedef struct maybe_long {
    bool present;
    int64_t value;
} maybe_long;
static const rask_type MAYBE_LONG = {
    "optional", RASK_KIND_OPTIONAL, sizeof(maybe_long), 8, 0, NULL, &rask_type_int64_t, 8, NULL};
typedef struct wide {
    int16_t s;
    point p;
    maybe_long m;
    float f;
    rask_string text;
    bool flag;
} wide;

static wide make_wide(int16_t s, int8_t tag, double x, float f, const char *text) {
    wide w;
    memset(&w, (int)random_below(256), sizeof w); /* whatever is in the padding */
    w.s = s;
    w.p.tag = tag;
    w.p.x = x;
    w.m.present = false;
    w.f = f;
    w.text = rask_string_from(text);
    w.flag = true;
    return w;
}

static void keys_of_several_fields_are_equal_as_in_java(void **unused) {
    (void)unused;
    static const raski_key_spec key = {6,
                                       {{offsetof(wide, s), &rask_type_int16_t},
                                        {offsetof(wide, p), &POINT},
                                        {offsetof(wide, m), &MAYBE_LONG},
                                        {offsetof(wide, f), &rask_type_float},
                                        {offsetof(wide, text), &rask_type_rask_string},
                                        {offsetof(wide, flag), &rask_type_rask_bool}}};
    raski_keyed_table *table = create(&key, &LONG_STATE, 1);
    char long_text[] = "a text of more than twelve bytes", same_text[sizeof long_text];
    memcpy(same_text, long_text, sizeof long_text);
    wide first = make_wide(-1, 2, 0.0, 1.5F, long_text);
    char *row = row_of(table, &key, &first, sizeof first);
    raski_row_set(row, 0);
    wide same = make_wide(-1, 2, 0.0, 1.5F, same_text);
    assert_ptr_equal(row_of(table, &key, &same, sizeof same), row);

    wide others[7];
    for (size_t i = 0; i < 7; i++) others[i] = same;
    others[0].s = 0;
    others[1].p.tag = 3;
    others[2].p.x = -0.0;
    others[3].m = (maybe_long){true, 0};
    others[4].f = 2.5F;
    others[5].text = rask_string_from("short");
    others[6].flag = false;
    char *rows[7];
    uint64_t inserted = 0;
    assert_int_equal(
        raski_keyed_table_lookup(table, &key, others, sizeof(wide), 7, rows, &inserted, NULL),
        RASK_OK);
    assert_int_equal(inserted, 0x7f);
    for (size_t i = 0; i < 7; i++) assert_ptr_not_equal(rows[i], row);

    uint64_t nan_bits[2] = {UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000123)};
    wide nans[2] = {same, same};
    for (size_t i = 0; i < 2; i++) memcpy(&nans[i].p.x, &nan_bits[i], sizeof(double));
    assert_ptr_equal(row_of(table, &key, &nans[0], sizeof(wide)),
                     row_of(table, &key, &nans[1], sizeof(wide)));
    assert_int_equal(raski_keyed_table_count(table), 9);
    raski_keyed_table_destroy(table);
}

typedef struct small {
    int16_t s;
    int64_t l;
} small;
static const rask_field SMALL_FIELDS[] = {{"s", offsetof(small, s), 2, &rask_type_int16_t, 0},
                                          {"l", offsetof(small, l), 8, &rask_type_int64_t, 0}};
static const rask_type SMALL = {
    "small", RASK_KIND_RECORD, sizeof(small), 8, 2, SMALL_FIELDS, NULL, 0, NULL};
typedef struct mixed {
    bool flag;
    small inner;
    int8_t tag;
    rask_string text;
    int32_t number;
} mixed;

/* Integers, booleans and strings, some in a record, with anything in the padding; the loops have a
 * way of their own for them, which must agree with that for single records. */
static void several_plain_fields_agree_with_a_model(void **unused) {
    (void)unused;
    enum { KEYS = 4 * 3 * 5 * 7 * 2 };
    static const raski_key_spec key = {5,
                                       {{offsetof(mixed, number), &rask_type_int32_t},
                                        {offsetof(mixed, inner), &SMALL},
                                        {offsetof(mixed, text), &rask_type_rask_string},
                                        {offsetof(mixed, tag), &rask_type_int8_t},
                                        {offsetof(mixed, flag), &rask_type_rask_bool}}};
    raski_keyed_table *table = create(&key, &LONG_STATE, 1);
    int64_t model[KEYS] = {0};
    for (size_t round = 0; round < 400; round++) {
        mixed records[RASKI_LOOKUP_MAX];
        char texts[RASKI_LOOKUP_MAX][40];
        size_t numbers[RASKI_LOOKUP_MAX];
        char *rows[RASKI_LOOKUP_MAX];
        for (size_t i = 0; i < RASKI_LOOKUP_MAX; i++) {
            size_t k = numbers[i] = random_below(KEYS);
            mixed *r = &records[i];
            memset(r, (int)random_below(256), sizeof *r);
            r->number = (int32_t)(k % 4) - 2;
            r->inner.s = (int16_t)((int)(k / 4 % 3) - 1);
            r->inner.l = (int64_t)(k / 12 % 5) << 33;
            (void)snprintf(texts[i], sizeof texts[i], k / 60 % 2 ? "t%zu" : "a longer text %zu",
                           k / 60 % 7);
            r->text = rask_string_from(texts[i]);
            r->tag = (int8_t)((int)(k / 60 % 7) - 3);
            r->flag = k / 420 % 2;
        }
        assert_int_equal(raski_keyed_table_lookup(table, &key, records, sizeof records[0],
                                                  RASKI_LOOKUP_MAX, rows, NULL, NULL),
                         RASK_OK);
        for (size_t i = 0; i < RASKI_LOOKUP_MAX; i++) {
            assert_int_equal(*long_state(table, rows[i], 0), model[numbers[i]]);
            *long_state(table, rows[i], 0) = ++model[numbers[i]];
            raski_row_set(rows[i], 0);
            assert_ptr_equal(raski_keyed_table_find(table, &key, &records[i]), rows[i]);
        }
    }
    assert_int_equal(raski_keyed_table_count(table), KEYS);
    raski_keyed_table_destroy(table);
}

static void two_inputs_share_the_keys(void **unused) {
    (void)unused;
    static const raski_key_spec left = {1, {{0, &rask_type_int32_t}}},
                                right = {1, {{8, &rask_type_int32_t}}};
    raski_keyed_table *table = create(&left, &LONG_STATE, 1);
    int32_t a[1] = {77}, b[3] = {1, 2, 77};
    assert_ptr_equal(row_of(table, &left, a, sizeof a), row_of(table, &right, b, sizeof b));
    assert_int_equal(raski_keyed_table_count(table), 1);
    raski_keyed_table_destroy(table);
}

static void bad_tables_are_refused(void **unused) {
    (void)unused;
    raski_keyed_table *table = NULL;
    raski_error err = {0};
    static const raski_key_spec bytes_key = {1, {{0, &rask_type_rask_bytes}}}, no_key = {0};
    raski_keyed_table_options options = {
        .key = &bytes_key, .states = &LONG_STATE, .state_count = 1};
    assert_int_equal(raski_keyed_table_create(&options, &table, &err), RASK_E_ARGUMENT);
    assert_string_not_equal(err.message, "");
    options.key = &no_key;
    assert_int_equal(raski_keyed_table_create(&options, &table, NULL), RASK_E_ARGUMENT);
    options.key = &LONG_KEY;
    options.state_count = RASKI_STATES_MAX + 1;
    assert_int_equal(raski_keyed_table_create(&options, &table, NULL), RASK_E_ARGUMENT);
    options.state_count = 1;
    options.states = &(raski_state_spec){.name = "odd", .size = 8, .align = 3};
    err = (raski_error){0};
    assert_int_equal(raski_keyed_table_create(&options, &table, &err), RASK_E_ARGUMENT);
    assert_non_null(strstr(err.message, "\"odd\""));
    options.states = &LONG_STATE;
    options.bytes_max = 100;
    assert_int_equal(raski_keyed_table_create(&options, &table, NULL), RASK_E_NOMEM);
    assert_null(table);
}

/* ---------------------------------------------------------------- states with pointers */
static char *random_text(void) {
    size_t length = random_below(30);
    char *text = raski_alloc(length + 1);
    for (size_t i = 0; i < length; i++) text[i] = (char)('a' + random_below(26));
    text[length] = '\0';
    return text;
}

/* User code puts borrowed strings into states, clears them, clears and sets again. What a batch
 * emitted (borrowing from states) must stay readable until its end. */
static void string_states_agree_with_a_model(void **unused) {
    (void)unused;
    enum { KEYS = 200, ROUNDS = 1500, STATES = 2 };
    static const raski_state_spec states[STATES] = {
        {.name = "first", .type = &rask_type_rask_string},
        {.name = "second", .type = &rask_type_rask_string}};
    raski_keyed_table *table = create(&LONG_KEY, states, STATES);
    char *model[KEYS][STATES] = {{NULL}};
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t n = 1 + random_below(20);
        int64_t keys[20];
        char *rows[20], *borrowed[20];
        rask_string emitted[20];
        char *expected[20];
        for (size_t i = 0; i < n; i++) keys[i] = (int64_t)random_below(KEYS);
        assert_int_equal(raski_keyed_table_lookup(table, &LONG_KEY, keys, 8, n, rows, NULL, NULL),
                         RASK_OK);
        for (size_t i = 0; i < n; i++) {
            unsigned s = (unsigned)random_below(STATES);
            char **value = &model[keys[i]][s];
            borrowed[i] = random_text();
            assert_int_equal(raski_row_has(rows[i], s), *value != NULL);
            size_t action = random_below(4);
            if (action != 3)
                assert_int_equal(raski_keyed_table_track(table, rows[i], s, NULL), RASK_OK);
            rask_string *state = string_state(table, rows[i], s);
            if (*value) assert_true(rask_string_is(*state, *value));
            emitted[i] = *state;
            expected[i] = raski_strdup(*value ? *value : "");
            raski_free(*value);
            *value = NULL;
            if (action == 0) {
                assert_int_equal(raski_keyed_table_clear(table, rows[i], s, NULL), RASK_OK);
                continue;
            }
            *value = raski_strdup(borrowed[i]);
            rask_string text = rask_string_from(borrowed[i]);
            if (action == 3) {
                assert_int_equal(raski_keyed_table_store(table, rows[i], s, &text, NULL), RASK_OK);
            } else {
                *state = text;
                raski_row_set(rows[i], s);
            }
        }
        assert_int_equal(raski_keyed_table_adopt(table, NULL), RASK_OK);
        raski_keyed_table_sweep(table, rows, n);
        for (size_t i = 0; i < n; i++) {
            /* what was read out of a state that this batch itself filled borrows from the input */
            assert_true(rask_string_is(emitted[i], expected[i]));
            raski_free(expected[i]);
        }
        for (size_t i = 0; i < n; i++) raski_free(borrowed[i]);
        raski_keyed_table_end_batch(table);
    }
    size_t present = 0;
    for (int64_t k = 0; k < KEYS; k++) {
        char *row = raski_keyed_table_find(table, &LONG_KEY, &k);
        present += model[k][0] || model[k][1];
        assert_int_equal(row != NULL, model[k][0] || model[k][1]);
        for (unsigned s = 0; s < STATES; s++) {
            if (model[k][s]) assert_true(rask_string_is(*string_state(table, row, s), model[k][s]));
            raski_free(model[k][s]);
        }
    }
    assert_int_equal(raski_keyed_table_count(table), present);
    raski_keyed_table_destroy(table);
}

static void a_table_may_end_in_the_middle_of_a_batch(void **unused) {
    (void)unused;
    raski_keyed_table *table = create(&LONG_KEY, &STRING_STATE, 1);
    int64_t key = 7;
    char *row = row_of(table, &LONG_KEY, &key, sizeof key);
    rask_string text = rask_string_from("a text that the table owns");
    assert_int_equal(raski_keyed_table_store(table, row, 0, &text, NULL), RASK_OK);
    assert_int_equal(raski_keyed_table_store(table, row, 0, &text, NULL), RASK_OK);
    assert_int_equal(raski_keyed_table_track(table, row, 0, NULL), RASK_OK);
    *string_state(table, row, 0) = rask_string_from("a text that it only borrows");
    raski_keyed_table_destroy(table); /* the address sanitizer sees what is freed */
}

typedef struct word_count {
    rask_string word;
    int64_t count;
} word_count;
static const rask_field WORD_COUNT_FIELDS[] = {{"word", 0, 16, &rask_type_rask_string, 0},
                                               {"count", 16, 8, &rask_type_int64_t, 0}};
static const rask_type WORD_COUNT = {
    "word_count", RASK_KIND_RECORD, sizeof(word_count), 8, 2, WORD_COUNT_FIELDS, NULL, 0, NULL};

static void a_key_may_lie_in_the_state(void **unused) {
    (void)unused;
    for (int permanent = 0; permanent < 2; permanent++) {
        raski_keyed_table *table = NULL;
        raski_state_spec state = {.name = "record", .type = &WORD_COUNT};
        assert_int_equal(
            raski_keyed_table_create(&(raski_keyed_table_options){.key = &STRING_KEY,
                                                                  .states = &state,
                                                                  .state_count = 1,
                                                                  .key_in_state = true,
                                                                  .permanent = permanent},
                                     &table, NULL),
            RASK_OK);
        assert_int_equal(raski_keyed_table_row_size(table), permanent ? 24 : 32);
        for (int64_t i = 0; i < 3; i++) {
            char text[] = "a word of more than twelve bytes";
            word_count record = {rask_string_from(text), i};
            char *row = row_of(table, &STRING_KEY, &record, sizeof record);
            word_count *stored = (void *)(row + raski_keyed_table_state_offset(table, 0));
            assert_int_equal(stored->count, i > 0 ? i - 1 : 0);
            assert_int_equal(raski_keyed_table_store(table, row, 0, &record, NULL), RASK_OK);
            assert_int_equal(stored->count, i);
            memset(text, 'z', sizeof text - 1);
            assert_true(rask_string_is(stored->word, "a word of more than twelve bytes"));
            raski_keyed_table_end_batch(table);
        }
        if (!permanent) {
            word_count record = {rask_string_from("a word of more than twelve bytes"), 0};
            char *row = raski_keyed_table_find(table, &STRING_KEY, &record);
            assert_int_equal(raski_keyed_table_clear(table, row, 0, NULL), RASK_OK);
            raski_keyed_table_sweep(table, &row, 1);
            assert_int_equal(raski_keyed_table_count(table), 0);
            raski_keyed_table_end_batch(table);
        }
        raski_keyed_table_destroy(table);
    }
}

/* Every limit between an empty and a full table: a clean error, no state lost, no leak. */
static void memory_may_run_out_anywhere(void **unused) {
    (void)unused;
    bool went_through = false;
    for (size_t limit = 4096; !went_through; limit += 1500) {
        raski_keyed_table *table = NULL;
        raski_keyed_table_options options = {.key = &STRING_KEY,
                                             .states = &STRING_STATE,
                                             .state_count = 1,
                                             .bytes_max = limit + (limit > 20000 ? 950000 : 0)};
        if (raski_keyed_table_create(&options, &table, NULL) != RASK_OK) continue;
        size_t done = 0;
        rask_status status = RASK_OK;
        raski_error err = {0};
        char text[64];
        for (; done < 1500 && status == RASK_OK; done++) {
            (void)snprintf(text, sizeof text, "a key of more than twelve bytes %zu", done);
            rask_string key = rask_string_from(text);
            char *row = NULL;
            status =
                raski_keyed_table_lookup(table, &STRING_KEY, &key, sizeof key, 1, &row, NULL, &err);
            if (status == RASK_OK) status = raski_keyed_table_store(table, row, 0, &key, &err);
            if (status != RASK_OK) break;
        }
        went_through = status == RASK_OK;
        if (!went_through) {
            assert_int_equal(status, RASK_E_NOMEM);
            assert_non_null(strstr(err.message, "limit"));
        }
        for (size_t i = 0; i < done; i++) {
            (void)snprintf(text, sizeof text, "a key of more than twelve bytes %zu", i);
            rask_string key = rask_string_from(text);
            char *row = raski_keyed_table_find(table, &STRING_KEY, &key);
            assert_non_null(row);
            assert_true(rask_string_is(*string_state(table, row, 0), text));
        }
        raski_keyed_table_destroy(table);
    }
}

static void rows_are_grouped_by_key_group(void **unused) {
    (void)unused;
    enum { KEYS = 1000, GROUPS = 128 };
    raski_keyed_table *table = create(&STRING_KEY, &LONG_STATE, 1);
    char text[32];
    for (int64_t i = 0; i < KEYS; i++) {
        (void)snprintf(text, sizeof text, "%s-%d", i % 2 ? "key" : "a longer key", (int)i);
        rask_string key = rask_string_from(text);
        char *row = row_of(table, &STRING_KEY, &key, sizeof key);
        *long_state(table, row, 0) = i;
        raski_row_set(row, 0);
    }
    raski_key_groups groups = {0};
    assert_int_equal(raski_keyed_table_key_groups(table, GROUPS, &groups, NULL), RASK_OK);
    assert_int_equal(groups.group_count, GROUPS);
    assert_int_equal(groups.starts[0], 0);
    assert_int_equal(groups.starts[GROUPS], KEYS);
    size_t seen = 0;
    for (uint32_t g = 0; g < GROUPS; g++) {
        int64_t before = -1;
        for (size_t i = groups.starts[g]; i < groups.starts[g + 1]; i++, seen++) {
            int64_t number = *long_state(table, groups.rows[i], 0);
            assert_true(number > before);
            before = number;
            int length = snprintf(text, sizeof text, "%s-%d", number % 2 ? "key" : "a longer key",
                                  (int)number);
            int32_t hash = raski_hash_utf8(text, (size_t)length);
            assert_int_equal(raski_key_group_of_hash(hash, GROUPS), (int)g);
        }
    }
    assert_int_equal(seen, KEYS);
    raski_key_groups_fini(&groups);
    raski_keyed_table_destroy(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_the_documented_layout),
        cmocka_unit_test(random_longs_agree_with_a_model),
        cmocka_unit_test(keys_that_come_and_go_do_not_use_up_memory),
        cmocka_unit_test(a_table_grows_and_keeps_every_row_in_place),
        cmocka_unit_test(strings_are_copied_and_compared_by_their_bytes),
        cmocka_unit_test(keys_of_several_fields_are_equal_as_in_java),
        cmocka_unit_test(several_plain_fields_agree_with_a_model),
        cmocka_unit_test(two_inputs_share_the_keys),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(string_states_agree_with_a_model),
        cmocka_unit_test(a_table_may_end_in_the_middle_of_a_batch),
        cmocka_unit_test(a_key_may_lie_in_the_state),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(rows_are_grouped_by_key_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
