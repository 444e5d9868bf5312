/* The ground: maps, strings, arenas, errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"

static void map_keeps_insertion_order_and_replaces(void **state) {
    (void)state;
    raski_map map = {0};
    char key[16];
    static int values[1000];
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(key, sizeof key, "k%d", i * 7 % 1000);
        raski_map_put(&map, key, &values[i]);
    }
    assert_int_equal(map.count, 1000);
    assert_string_equal(map.entries[1].text, "k7");
    assert_ptr_equal(raski_map_get(&map, "k7"), &values[1]);
    raski_map_put(&map, "k7", &values[0]);
    assert_int_equal(map.count, 1000);
    assert_ptr_equal(raski_map_get(&map, "k7"), &values[0]);
    assert_true(raski_map_remove(&map, "k7"));
    assert_false(raski_map_has(&map, "k7"));
    assert_false(raski_map_remove(&map, "k7"));
    assert_ptr_equal(raski_map_get(&map, "k14"), &values[2]);
    raski_map_free(&map);
}

static void map_of_numbers_takes_any_key(void **state) {
    (void)state;
    raski_map map = {0};
    int a = 1;
    raski_map_put_number(&map, 0, &a);
    raski_map_put_number(&map, UINT64_MAX, &a);
    assert_true(raski_map_has_number(&map, 0));
    assert_true(raski_map_has_number(&map, UINT64_MAX));
    assert_null(raski_map_get_number(&map, 1));
    assert_true(raski_map_remove_number(&map, 0));
    assert_true(raski_map_has_number(&map, UINT64_MAX));
    raski_map_free(&map);
}

static void str_grows_and_is_always_terminated(void **state) {
    (void)state;
    raski_str str = {0};
    assert_string_equal(raski_str_text(&str), "");
    for (int i = 0; i < 100; i++) raski_str_appendf(&str, "%d,", i);
    assert_int_equal(strlen(str.data), str.length);
    raski_str_truncate(&str, 4);
    assert_string_equal(str.data, "0,1,");
    char *text = raski_str_steal(&str);
    assert_string_equal(text, "0,1,");
    assert_int_equal(str.length, 0);
    raski_free(text);
}

static void distance_counts_edits_and_swaps(void **state) {
    (void)state;
    assert_int_equal(raski_edit_distance("paralelism", "parallelism"), 1);
    assert_int_equal(raski_edit_distance("ab", "ba"), 1);
    assert_int_equal(raski_edit_distance("", "abc"), 3);
    assert_int_equal(raski_edit_distance("ABC", "abc"), 0);
}

static void first_error_wins(void **state) {
    (void)state;
    raski_error err = {0};
    assert_int_equal(RASKI_FAIL(&err, RASK_E_IO, EXTERNAL, "first %d", 1), RASK_E_IO);
    assert_int_equal(RASKI_THROW(&err, "IllegalArgumentException", "second"), RASK_E_ARGUMENT);
    assert_string_equal(err.message, "first 1");
    assert_string_equal(err.exception, "");
    assert_int_equal(RASKI_FAIL(NULL, RASK_E_IO, EXTERNAL, "nobody reads this"), RASK_E_IO);
}

static void arena_gives_aligned_memory_and_forgets(void **state) {
    (void)state;
    raski_arena *arena = raski_arena_create(128);
    for (size_t n = 1; n < 1000; n += 37) {
        char *p = raski_arena_calloc(arena, n);
        assert_int_equal((uintptr_t)p % 16, 0);
        assert_int_equal(p[n - 1], 0);
        memset(p, 1, n);
    }
    assert_string_equal(raski_arena_format(arena, "%s-%d", "a", 1), "a-1");
    raski_arena_reset(arena);
    assert_string_equal(raski_arena_strdup(arena, "again"), "again");
    raski_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_keeps_insertion_order_and_replaces),
        cmocka_unit_test(map_of_numbers_takes_any_key),
        cmocka_unit_test(str_grows_and_is_always_terminated),
        cmocka_unit_test(distance_counts_edits_and_swaps),
        cmocka_unit_test(first_error_wins),
        cmocka_unit_test(arena_gives_aligned_memory_and_forgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
