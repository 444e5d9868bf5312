/* Random operations on every kind of state, against plain arrays: the same on each backend. */
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
#include "state/keyed_table_test_util.h"

enum { KEYS = 60, ITEMS_MAX = 40, MAP_KEYS = 30, ROUNDS = 6000 };
enum { S_LONG, S_TEXT, S_TEXTS, S_PAIRS, S_LONGS, S_COUNTS, STATES };

typedef struct pair {
    int64_t number;
    rask_string text;
} pair;
static const rask_field PAIR_FIELDS[] = {{"number", 0, 8, &rask_type_int64_t, 0},
                                         {"text", 8, 16, &rask_type_rask_string, 0}};
static const rask_type PAIR = {.name = "pair",
                               .kind = RASK_KIND_RECORD,
                               .size = sizeof(pair),
                               .align = 8,
                               .field_count = 2,
                               .fields = PAIR_FIELDS};
static const raski_state_spec SPECS[STATES] = {
    {.name = "long", .type = &rask_type_int64_t},
    {.name = "text", .type = &rask_type_rask_string},
    {.name = "texts", .type = &rask_type_rask_string, .kind = RASKI_STATE_LIST},
    {.name = "pairs", .type = &PAIR, .kind = RASKI_STATE_MAP, .map_key = &rask_type_rask_string},
    {.name = "longs", .type = &rask_type_int64_t, .kind = RASKI_STATE_LIST},
    {.name = "counts",
     .type = &rask_type_int64_t,
     .kind = RASKI_STATE_MAP,
     .map_key = &rask_type_int64_t},
};

/* Every text is made from a number: short ones and long ones. */
static rask_string text_of(int number) {
    static char texts[64][64];
    static size_t next;
    char *text = texts[next++ % 64];
    (void)snprintf(text, 64, number % 2 ? "t%d" : "a text that is longer than twelve bytes: %d",
                   number);
    return rask_string_from(text);
}

typedef struct model_map {
    int keys[MAP_KEYS], values[MAP_KEYS], count; /* in order of insertion */
} model_map;
typedef struct model_row {
    int number, text; /* 0: absent */
    int texts[ITEMS_MAX], text_count;
    int longs[ITEMS_MAX], long_count;
    model_map pairs, counts;
} model_row;

static int find_key(const model_map *map, int key) {
    for (int i = 0; i < map->count; i++)
        if (map->keys[i] == key) return i;
    return -1;
}
static void put_key(model_map *map, int key, int value) {
    int at = find_key(map, key);
    if (at < 0) map->keys[at = map->count++] = key;
    map->values[at] = value;
}
static void remove_at(int *items, int count, int at, int n) {
    memmove(items + at, items + at + n, (size_t)(count - at - n) * sizeof *items);
}
static void remove_key(model_map *map, int at) {
    remove_at(map->keys, map->count, at, 1);
    remove_at(map->values, map->count, at, 1);
    map->count--;
}

#define OK(call) assert_int_equal((call), RASK_OK)

static void check_row(raski_keyed_table *table, char *row, const model_row *model) {
    assert_int_equal(raski_row_has(row, S_LONG), model->number != 0);
    assert_int_equal(raski_row_has(row, S_TEXT), model->text != 0);
    if (model->number)
        assert_int_equal(*(int64_t *)(void *)(row + raski_keyed_table_state_offset(table, S_LONG)),
                         model->number);
    if (model->text)
        assert_true(rask_string_equal(
            *(rask_string *)(void *)(row + raski_keyed_table_state_offset(table, S_TEXT)),
            text_of(model->text)));
    raski_list_view view;
    OK(raski_keyed_table_list(table, row, S_TEXTS, &view, NULL));
    assert_int_equal(view.count, model->text_count);
    assert_int_equal(raski_row_has(row, S_TEXTS), model->text_count != 0);
    for (int i = 0; i < model->text_count; i++)
        assert_true(
            rask_string_equal(((const rask_string *)view.items)[i], text_of(model->texts[i])));
    OK(raski_keyed_table_list(table, row, S_LONGS, &view, NULL));
    assert_int_equal(view.count, model->long_count);
    for (int i = 0; i < model->long_count; i++)
        assert_int_equal(((const int64_t *)view.items)[i], model->longs[i]);
    uint32_t position = 0;
    const void *key = NULL, *value = NULL;
    assert_int_equal(raski_row_count(row, raski_keyed_table_state_offset(table, S_PAIRS)),
                     model->pairs.count);
    for (int i = 0; i <= model->pairs.count; i++) {
        OK(raski_keyed_table_map_next(table, row, S_PAIRS, &position, &key, &value, NULL));
        if (i == model->pairs.count) {
            assert_null(key);
            break;
        }
        assert_non_null(key);
        assert_true(rask_string_equal(*(const rask_string *)key, text_of(model->pairs.keys[i])));
        const pair *found = value;
        assert_int_equal(found->number, model->pairs.values[i]);
        assert_true(rask_string_equal(found->text, text_of(model->pairs.values[i])));
    }
    position = 0;
    for (int i = 0; i <= model->counts.count; i++) {
        OK(raski_keyed_table_map_next(table, row, S_COUNTS, &position, &key, &value, NULL));
        if (i == model->counts.count) {
            assert_null(key);
            break;
        }
        assert_non_null(key);
        assert_int_equal(*(const int64_t *)key, model->counts.keys[i]);
        assert_int_equal(*(const int64_t *)value, model->counts.values[i]);
    }
}

static void change_list(raski_keyed_table *table, char *row, model_row *model, bool texts) {
    unsigned state = texts ? S_TEXTS : S_LONGS;
    int *items = texts ? model->texts : model->longs;
    int *count = texts ? &model->text_count : &model->long_count;
    int numbers[8], n = 1 + (int)random_below(8);
    rask_string strings[8];
    int64_t longs[8];
    for (int i = 0; i < n; i++) {
        numbers[i] = 1 + (int)random_below(1000);
        strings[i] = text_of(numbers[i]);
        longs[i] = numbers[i];
    }
    const void *values = texts ? (const void *)strings : longs;
    switch (random_below(5)) {
        case 0:
            n = n > *count ? *count : n;
            if (n > 0) {
                int at = (int)random_below((size_t)(*count - n + 1));
                OK(raski_keyed_table_list_remove(table, row, state, (uint32_t)at, (uint32_t)n,
                                                 NULL));
                remove_at(items, *count, at, n);
                *count -= n;
            }
            break;
        case 1:
            OK(raski_keyed_table_list_replace(table, row, state, values, (uint32_t)n, NULL));
            memcpy(items, numbers, (size_t)n * sizeof *items);
            *count = n;
            break;
        case 2:
            if (random_below(4)) break;
            OK(raski_keyed_table_clear(table, row, state, NULL));
            *count = 0;
            break;
        default:
            if (*count + n > ITEMS_MAX) n = ITEMS_MAX - *count;
            OK(raski_keyed_table_list_add(table, row, state, values, (uint32_t)n, NULL));
            memcpy(items + *count, numbers, (size_t)n * sizeof *items);
            *count += n;
            break;
    }
}

static void change_pairs(raski_keyed_table *table, char *row, model_map *model) {
    int key = 1 + (int)random_below(MAP_KEYS), value = 1 + (int)random_below(1000);
    int at = find_key(model, key);
    rask_string text = text_of(key);
    const void *found = NULL;
    OK(raski_keyed_table_map_get(table, row, S_PAIRS, &text, &found, NULL));
    assert_int_equal(found != NULL, at >= 0);
    if (found) assert_int_equal(((const pair *)found)->number, model->values[at]);
    bool removed = false, is_new = false;
    void *place = NULL;
    switch (random_below(4)) {
        case 0:
            OK(raski_keyed_table_map_remove(table, row, S_PAIRS, &text, &removed, NULL));
            assert_int_equal(removed, at >= 0);
            if (removed) remove_key(model, at);
            break;
        case 1:
            OK(raski_keyed_table_map_ref(table, row, S_PAIRS, &text, &place, &is_new, NULL));
            assert_int_equal(is_new, at < 0);
            assert_int_equal(((pair *)place)->number, is_new ? 0 : model->values[at]);
            *(pair *)place = (pair){value, text_of(value)};
            put_key(model, key, value);
            if (random_below(8) == 0) { /* while it borrows */
                OK(raski_keyed_table_map_remove(table, row, S_PAIRS, &text, NULL, NULL));
                remove_key(model, find_key(model, key));
            }
            OK(raski_keyed_table_adopt(table, NULL)); /* before the texts are made anew */
            break;
        default:
            OK(raski_keyed_table_map_put(table, row, S_PAIRS, &text, &(pair){value, text_of(value)},
                                         NULL));
            put_key(model, key, value);
            break;
    }
}

static void change_counts(raski_keyed_table *table, char *row, model_map *model) {
    int64_t key = 1 + (int64_t)random_below(MAP_KEYS);
    int at = find_key(model, (int)key);
    void *place = NULL;
    if (random_below(3) == 0) {
        OK(raski_keyed_table_map_remove(table, row, S_COUNTS, &key, NULL, NULL));
        if (at >= 0) remove_key(model, at);
        return;
    }
    OK(raski_keyed_table_map_ref(table, row, S_COUNTS, &key, &place, NULL, NULL));
    put_key(model, (int)key, (int)++*(int64_t *)place);
}

static void change_values(raski_keyed_table *table, char *row, model_row *model) {
    int64_t number = 1 + (int64_t)random_below(1000);
    switch (random_below(4)) {
        case 0:
            OK(raski_keyed_table_store(table, row, S_LONG, &number, NULL));
            model->number = (int)number;
            break;
        case 1: {
            rask_string text = text_of((int)number);
            OK(raski_keyed_table_store(table, row, S_TEXT, &text, NULL));
            model->text = (int)number;
            break;
        }
        default:
            OK(raski_keyed_table_clear(table, row, S_TEXT, NULL));
            OK(raski_keyed_table_clear(table, row, S_LONG, NULL));
            model->text = model->number = 0;
            break;
    }
}

typedef struct visited {
    raski_keyed_table *table;
    const model_row *models;
    size_t count;
    bool seen[KEYS];
} visited;
static rask_status visit_rows(void *ctx, char *const *rows, size_t n, raski_error *err) {
    (void)err;
    visited *all = ctx;
    for (size_t i = 0; i < n; i++) {
        rask_string key;
        memcpy(&key, rows[i] + raski_keyed_table_key_in_row(all->table)->parts[0].offset,
               sizeof key);
        size_t k = 0;
        while (k < KEYS && !rask_string_equal(key, text_of((int)k))) k++;
        assert_true(k < KEYS);
        assert_false(all->seen[k]);
        all->seen[k] = true;
        all->count++;
        check_row(all->table, rows[i], &all->models[k]);
    }
    raski_keyed_table_end_batch(all->table);
    return RASK_OK;
}

static bool is_empty(const model_row *model) {
    return !model->number && !model->text && !model->text_count && !model->long_count &&
           !model->pairs.count && !model->counts.count;
}

static void every_kind_of_state_agrees_with_a_model(void **backend) {
    static const raski_key_spec key = {1, {{0, &rask_type_rask_string}}};
    raski_keyed_table *table = make_test_table(
        *backend,
        &(raski_keyed_table_options){.key = &key, .states = SPECS, .state_count = STATES});
    model_row *models = RASKI_NEW_ARRAY(model_row, KEYS);
    char *batch[64];
    size_t in_batch = 0;
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t k = random_below(KEYS);
        rask_string name = text_of((int)k);
        char *row = NULL;
        OK(raski_keyed_table_lookup(table, &key, &name, sizeof name, 1, &row, NULL, NULL));
        check_row(table, row, &models[k]);
        switch (random_below(5)) {
            case 0:
                change_values(table, row, &models[k]);
                break;
            case 1:
                change_list(table, row, &models[k], true);
                break;
            case 2:
                change_list(table, row, &models[k], false);
                break;
            case 3:
                change_pairs(table, row, &models[k].pairs);
                break;
            default:
                change_counts(table, row, &models[k].counts);
                break;
        }
        if (random_below(20) == 0) {
            for (unsigned i = 0; i < STATES; i++) OK(raski_keyed_table_clear(table, row, i, NULL));
            models[k] = (model_row){0};
        }
        check_row(table, row, &models[k]);
        batch[in_batch++] = row;
        if (random_below(10) == 0 || in_batch == 64) {
            OK(raski_keyed_table_adopt(table, NULL));
            raski_keyed_table_sweep(table, batch, in_batch);
            raski_keyed_table_end_batch(table);
            in_batch = 0;
        }
        if (round % 1000 == 999) {
            raski_keyed_table_sweep(table, batch, in_batch);
            raski_keyed_table_end_batch(table);
            in_batch = 0;
            visited all = {.table = table, .models = models};
            OK(raski_keyed_table_visit(table, visit_rows, &all, NULL));
            for (size_t i = 0; i < KEYS; i++) assert_int_equal(all.seen[i], !is_empty(&models[i]));
        }
    }
    raski_keyed_table_destroy(table);
    raski_free(models);
}

static void lists_move_from_row_to_row(void **backend) {
    static const raski_key_spec key = {1, {{0, &rask_type_int64_t}}};
    raski_keyed_table *table = make_test_table(
        *backend,
        &(raski_keyed_table_options){.key = &key, .states = &SPECS[S_TEXTS], .state_count = 1});
    int64_t keys[] = {1, 2};
    char *rows[2];
    OK(raski_keyed_table_lookup(table, &key, keys, 8, 2, rows, NULL, NULL));
    for (int i = 0; i < 20; i++) {
        rask_string text = text_of(i);
        OK(raski_keyed_table_list_add(table, rows[i % 2], 0, &text, 1, NULL));
    }
    raski_list_view before, after;
    OK(raski_keyed_table_list(table, rows[0], 0, &before, NULL));
    OK(raski_keyed_table_list_move(table, rows[0], rows[1], 0, NULL));
    assert_int_equal(before.count, 10); /* a view stays as it was */
    assert_true(rask_string_equal(((const rask_string *)before.items)[1], text_of(2)));
    OK(raski_keyed_table_list(table, rows[1], 0, &after, NULL));
    assert_int_equal(after.count, 20);
    assert_true(rask_string_equal(((const rask_string *)after.items)[19], text_of(18)));
    assert_int_equal(raski_row_has(rows[0], 0), 0);
    OK(raski_keyed_table_list_move(table, rows[1], rows[0], 0, NULL));
    OK(raski_keyed_table_list(table, rows[0], 0, &after, NULL));
    assert_int_equal(after.count, 20);
    raski_keyed_table_end_batch(table);
    raski_keyed_table_destroy(table);
}

static void rows_with_timers_stay(void **backend) {
    static const raski_key_spec key = {2, {{0, &rask_type_int64_t}, {8, &rask_type_int64_t}}};
    raski_keyed_table *table =
        make_test_table(*backend, &(raski_keyed_table_options){.key = &key,
                                                               .states = &SPECS[S_LONG],
                                                               .state_count = 1,
                                                               .namespace_parts = 1,
                                                               .timers = true});
    int64_t record[2] = {7, 100};
    char *row = NULL, *again = NULL;
    OK(raski_keyed_table_lookup(table, &key, record, sizeof record, 1, &row, NULL, NULL));
    uint32_t group = raski_keyed_table_key_group(table, row, 128);
    raski_keyed_table_pin(table, row);
    raski_keyed_table_pin(table, row);
    raski_keyed_table_unpin(table, row);
    assert_int_equal(raski_keyed_table_pins(table, row), 1);
    raski_keyed_table_sweep(table, &row, 1);
    for (int64_t i = 0; i < 500; i++) {
        int64_t other[2] = {7, i};
        if (i == 100) continue;
        char *other_row = NULL;
        OK(raski_keyed_table_lookup(table, &key, other, sizeof other, 1, &other_row, NULL, NULL));
        OK(raski_keyed_table_store(table, other_row, 0, &i, NULL));
        assert_int_equal(raski_keyed_table_key_group(table, other_row, 128), group);
        raski_keyed_table_end_batch(table);
    }
    OK(raski_keyed_table_lookup(table, &key, record, sizeof record, 1, &again, NULL, NULL));
    assert_ptr_equal(again, row);
    raski_keyed_table_unpin(table, row);
    size_t count = raski_keyed_table_count(table);
    raski_keyed_table_sweep(table, &row, 1);
    assert_int_equal(raski_keyed_table_count(table), count - 1);
    raski_keyed_table_destroy(table);
}

int main(void) {
    enum { TESTS = 3 };
    struct CMUnitTest tests[TESTS * TEST_BACKENDS];
    size_t count = 0;
    for (size_t i = 0; i < TEST_BACKENDS; i++) {
        void *backend = (void *)(uintptr_t)&test_backends[i];
        tests[count++] = (struct CMUnitTest)cmocka_unit_test_prestate(
            every_kind_of_state_agrees_with_a_model, backend);
        tests[count++] =
            (struct CMUnitTest)cmocka_unit_test_prestate(lists_move_from_row_to_row, backend);
        tests[count++] =
            (struct CMUnitTest)cmocka_unit_test_prestate(rows_with_timers_stay, backend);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
