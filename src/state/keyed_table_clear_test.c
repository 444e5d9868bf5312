/* A table that forgets all its keys at once is as good as new, and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rask/rask.h"
#include "state/keyed_table.h"

typedef struct record {
    int64_t number;
    rask_string text;
} record;
static const raski_key_spec by_text = {1, {{offsetof(record, text), &rask_type_rask_string}}};
static const raski_key_spec by_number = {1, {{offsetof(record, number), &rask_type_int64_t}}};
enum { KEYS_MAX = 3000 };

#define OK(expression) assert_int_equal((expression), RASK_OK)

static rask_string text_of(char *room, size_t size, int i) {
    const int length = snprintf(room, size, i % 2 ? "%d" : "a text that is long, number %d", i);
    return rask_string_of(room, (size_t)length);
}

/* count keys, all of them new, with a value, a list and a map each. */
static void fill(raski_keyed_table *table, const raski_key_spec *key, int count) {
    for (int i = 0; i < count; i++) {
        char room[64], item_room[64];
        const record r = {i, text_of(room, sizeof room, i)};
        char *row = NULL;
        uint64_t inserted = 0;
        OK(raski_keyed_table_lookup(table, key, &r, sizeof r, 1, &row, &inserted, NULL));
        assert_int_equal(inserted, 1);
        const rask_string item = text_of(item_room, sizeof item_room, i + 1);
        OK(raski_keyed_table_store(table, row, 0, &item, NULL));
        OK(raski_keyed_table_list_add(table, row, 1, &item, 1, NULL));
        OK(raski_keyed_table_map_put(table, row, 2, &item, &r.number, NULL));
    }
    assert_int_equal(raski_keyed_table_count(table), count);
}

static void a_cleared_table_is_as_good_as_new(void **state) {
    (void)state;
    const raski_state_spec states[] = {
        {.name = "value", .type = &rask_type_rask_string},
        {.name = "list", .type = &rask_type_rask_string, .kind = RASKI_STATE_LIST},
        {.name = "map",
         .type = &rask_type_int64_t,
         .map_key = &rask_type_rask_string,
         .kind = RASKI_STATE_MAP}};
    for (int strings = 0; strings < 2; strings++) {
        const raski_key_spec *key = strings ? &by_text : &by_number;
        const raski_keyed_table_options options = {
            .key = key, .states = states, .state_count = 3, .timers = true};
        raski_keyed_table *table = NULL;
        OK(raski_keyed_table_create(&options, &table, NULL));
        fill(table, key, KEYS_MAX); /* the index grows */
        raski_keyed_table_remove_all(table);
        const size_t bytes = raski_keyed_table_bytes_used(table);
        /* few keys, which leave the index one by one, and many */
        for (int round = 0; round < 40; round++) {
            const int count = round % 7 == 6 ? KEYS_MAX : round % 5;
            fill(table, key, count);
            raski_keyed_table_remove_all(table);
            assert_int_equal(raski_keyed_table_count(table), 0);
            assert_int_equal(raski_keyed_table_bytes_used(table), bytes);
            size_t position = 0;
            assert_null(raski_keyed_table_next(table, &position));
        }
        raski_keyed_table_destroy(table);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_cleared_table_is_as_good_as_new)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
