/* Hashes of Java values, key types of Java jobs; the facts of the real Flink are replayed by
 * rask-golden, here are properties and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "types/java_hash_values.h"
#include "types/java_type.h"

static void big_numbers_parse_and_hash(void **state) {
    (void)state;
    raski_arena *arena = raski_arena_create(0);
    raski_java_value v = {.kind = RASKI_JAVA_BIG_INTEGER};
    assert_int_equal(raski_java_big_parse(&v, "-18446744073709551616", arena, NULL), RASK_OK);
    assert_int_equal(v.u.big.sign, -1);
    assert_int_equal(v.u.big.word_count, 3);
    assert_int_equal(v.u.big.words[0], 1);
    assert_int_equal(raski_java_hash(&v), -961); /* 2^64: words 1, 0, 0 */
    assert_int_equal(raski_java_big_parse(&v, "000000000000", arena, NULL), RASK_OK);
    assert_int_equal(v.u.big.sign, 0);
    assert_int_equal(raski_java_hash(&v), 0);
    v.kind = RASKI_JAVA_BIG_DECIMAL;
    assert_int_equal(raski_java_big_parse(&v, "10", arena, NULL), RASK_OK);
    v.u.big.scale = 1;
    assert_int_equal(raski_java_hash(&v), 311); /* new BigDecimal("1.0") */
    static const char *const wrong[] = {"", "-", "1.5", "12a", "--1", " 1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        raski_error err = {0};
        assert_int_equal(raski_java_big_parse(&v, wrong[i], arena, &err), RASK_E_ARGUMENT);
        assert_non_null(strstr(err.message, "is not a whole number"));
    }
    raski_arena_destroy(arena);
}

static void dates_follow_the_calendar(void **state) {
    (void)state;
    static const struct {
        int64_t day;
        int32_t year, month, date;
    } cases[] = {{0, 1970, 1, 1},
                 {-1, 1969, 12, 31},
                 {19782, 2024, 2, 29},
                 {11016, 2000, 2, 29},
                 {-25509, 1900, 2, 28},
                 {-25508, 1900, 3, 1},
                 {-719468, 0, 3, 1},
                 {-719469, 0, 2, 29},
                 {-365243219162, -999999999, 1, 1},
                 {365241780471, 999999999, 12, 31}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        raski_java_value v = {.kind = RASKI_JAVA_LOCAL_DATE};
        raski_java_date_from_epoch_day(&v, cases[i].day);
        assert_int_equal(v.u.date.year, cases[i].year);
        assert_int_equal(v.u.date.month, cases[i].month);
        assert_int_equal(v.u.date.day, cases[i].date);
    }
}

/* A list hashes differently as an element of a Row: Row adds 31 per element that is no container.
 */
static void containers_in_rows_hash_in_their_own_way(void **state) {
    (void)state;
    raski_java_value one = {.kind = RASKI_JAVA_INT, .u.number = 5};
    raski_java_value list = {.kind = RASKI_JAVA_LIST, .u.many = {&one, 1, 0}};
    raski_java_value row = {.kind = RASKI_JAVA_ROW, .u.many = {&list, 1, 0}};
    assert_int_equal(raski_java_hash(&list), 31 + 5);
    assert_int_equal(raski_java_hash(&row), 31 + (31 + 31 + 5));
    raski_java_value array = list;
    array.kind = RASKI_JAVA_PRIMITIVE_ARRAY;
    row.u.many.items = &array;
    assert_int_equal(raski_java_hash(&row), 31 + 31 + (31 + 5));
}

static void null_keys_are_refused(void **state) {
    (void)state;
    raski_error err = {0};
    int32_t subtask = 0;
    assert_int_equal(raski_java_key_subtask(NULL, 128, 4, &subtask, &err), RASK_E_ARGUMENT);
    assert_string_equal(err.exception, "NullPointerException");
}

static rask_status check(const char *text, char *message, size_t size) {
    raski_arena *arena = raski_arena_create(0);
    raski_java_type type;
    raski_error err = {0};
    rask_status status = raski_java_type_parse(text, false, arena, &type, &err);
    if (status == RASK_OK) status = raski_java_type_check_key(&type, &err);
    snprintf(message, size, "%s", err.message);
    raski_arena_destroy(arena);
    return status;
}

static void java_types_are_judged_as_by_flink(void **state) {
    (void)state;
    char message[1024];
    assert_int_equal(check("Map<String, byte[]>", message, sizeof message), RASK_OK);
    assert_int_equal(check("Java Tuple2<String, Long>", message, sizeof message), RASK_OK);
    assert_int_equal(check("Java Tuple3<int[], Row(a: String, b: EnumTypeInfo<C>), PojoType<P, "
                           "fields = [a: Integer, b: String]>>",
                           message, sizeof message),
                     RASK_E_ARGUMENT);
    assert_non_null(strstr(message,
                           "key types: PojoType<P, fields = [a: Integer, b: String]>, "
                           "EnumTypeInfo<C>, int[]. Look"));
}

static void broken_type_texts_are_refused(void **state) {
    (void)state;
    char message[1024];
    static const char *const texts[] = {"", ">", "Java Tuple2<String, >", "Java Tuple2<, String>",
                                        "a, b"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(check(texts[i], message, sizeof message), RASK_E_ARGUMENT);
        assert_non_null(strstr(message, "not a type"));
    }
    raski_str deep = {0};
    for (int i = 0; i < 40; i++) raski_str_append(&deep, "Java Tuple1<");
    raski_str_append(&deep, "int");
    for (int i = 0; i < 40; i++) raski_str_append_char(&deep, '>');
    assert_int_equal(check(deep.data, message, sizeof message), RASK_E_ARGUMENT);
    assert_non_null(strstr(message, "nested more than"));
    raski_str_free(&deep);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(big_numbers_parse_and_hash),
        cmocka_unit_test(dates_follow_the_calendar),
        cmocka_unit_test(containers_in_rows_hash_in_their_own_way),
        cmocka_unit_test(null_keys_are_refused),
        cmocka_unit_test(java_types_are_judged_as_by_flink),
        cmocka_unit_test(broken_type_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
