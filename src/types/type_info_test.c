/* Descriptions, order, equality, text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "types/compare.h"
#include "types/java_decimal.h"
#include "types/print.h"
#include "types/test_records.h"
#include "types/type_info.h"

static void text_of_types(void **state) {
    (void)state;
    char *text = raski_type_text(&point_type);
    assert_string_equal(text, "point{x: INT, label: STRING}");
    raski_free(text);
    text = raski_type_text(&everything_type);
    assert_non_null(strstr(text, "corners: point{x: INT, label: STRING}[2], grid: SHORT[3]"));
    assert_non_null(strstr(text,
                           "lists: LIST<LIST<LONG>>, note: OPTIONAL<STRING>, more: composed{"
                           "shade: ENUM<shade>, amount: BIG_DEC, day: LOCAL_DATE, "
                           "time: LOCAL_TIME, both: LOCAL_DATE_TIME, instant: INSTANT, "
                           "duration: DURATION, counts: MAP<STRING, LONG>, "
                           "choice: choice<place: point{x: INT, label: STRING} | "
                           "numbers: LIST<INT> | real: DOUBLE>}}"));
    raski_free(text);
}

static void types_are_equal_by_content(void **state) {
    (void)state;
    rask_field fields[2] = {point_fields[0], point_fields[1]};
    rask_type same = point_type;
    same.fields = fields;
    assert_true(raski_type_equal(&point_type, &same));
    fields[1].name = "lable";
    assert_false(raski_type_equal(&point_type, &same));
    fields[1] = point_fields[1];
    fields[0].type = &rask_type_float; /* same size, other kind */
    assert_false(raski_type_equal(&point_type, &same));
    assert_true(raski_type_equal(&everything_type, &everything_type));
    assert_false(raski_type_equal(&rask_type_int64_t, &rask_type_rask_timestamp));
    assert_false(raski_type_equal(&list_of_int_type, &list_of_long_type));
}

static void assert_invalid(const rask_type *type, const char *message) {
    raski_error err = {0};
    assert_int_equal(raski_type_validate(type, &err), RASK_E_ARGUMENT);
    if (strstr(err.message, message) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.message, message);
}

static void probe_all(void *record) {
    memset(record, 0xff, sizeof(point)); /* as if what looks like padding were a field */
}

static void wrong_descriptions_are_refused(void **state) {
    (void)state;
    raski_error err = {0};
    assert_int_equal(raski_type_validate(&everything_type, &err), RASK_OK);
    rask_field fields[2];
    rask_type type = point_type;
    type.fields = fields;
#define RESET() (fields[0] = point_fields[0], fields[1] = point_fields[1])
    RESET(), fields[1].name = "x";
    assert_invalid(&type, "RASK_TYPE(point) lists field \"x\" twice");
    RESET(), fields[1].offset = 0;
    assert_invalid(&type, "in the order of the struct");
    RESET(), fields[1].offset = 16;
    assert_invalid(&type, "reaches beyond the struct");
    RESET(), fields[1].size = 8;
    assert_invalid(&type, "field \"label\" takes 8 bytes, but STRING needs 16");
    RESET(), fields[1].array_length = 2;
    assert_invalid(&type, "but its array of STRING needs 32");
    RESET(), fields[0].offset = 1;
    assert_invalid(&type, "not aligned");
    RESET(), fields[0].name = "";
    assert_invalid(&type, "a field without a name");
    RESET(), fields[0].type = NULL;
    assert_invalid(&type, "has no type");
    RESET(), type.raski_probe = probe_all;
    assert_invalid(&type, "RASK_TYPE(point) does not list the field at offset 4");
    type = point_type;
    type.field_count = 0;
    assert_invalid(&type, "lists no fields");
    type = point_type;
    type.align = 3;
    assert_invalid(&type, "alignment 3");
    type = (rask_type){.name = "new", .kind = (rask_kind)77, .size = 8, .align = 8};
    assert_invalid(&type, "kind 77");
    type = rask_type_int32_t;
    type.size = 8;
    assert_invalid(&type, "INT has 4 bytes, not 8");
    type = optional_string_type;
    type.value_offset = 0;
    assert_invalid(&type, "must be a rask_optional");
    type = list_of_int_type;
    type.element = &type; /* a list of itself */
    assert_invalid(&type, "nested more than");
    assert_invalid(NULL, "no record type");
}

static void keys_are_checked_in_flinks_words(void **state) {
    (void)state;
    assert_true(raski_type_is_key(&rask_type_rask_string));
    assert_true(raski_type_is_key(&rask_type_double));
    assert_true(raski_type_is_key(&point_type));
    assert_true(raski_type_is_key(&list_of_list_type));
    assert_false(raski_type_is_key(&rask_type_rask_bytes));
    assert_false(raski_type_is_key(&optional_string_type)); /* a key must not be null */
    raski_error err = {0};
    assert_int_equal(raski_type_check_key(&everything_type, &err), RASK_E_ARGUMENT);
    assert_string_equal(err.exception, "InvalidProgramException");
    const char *parts =
        "Contained UNSUPPORTED key types: choice<place: point{x: INT, label: STRING} | "
        "numbers: LIST<INT> | real: DOUBLE>, MAP<STRING, LONG>, ENUM<shade>, STRING[2], SHORT[3], "
        "point{x: INT, "
        "label: STRING}[2], BYTES. Look at the keyBy()";
    assert_non_null(strstr(err.message, parts));
    const rask_field *note = raski_type_field(&everything_type, "note");
    assert_int_equal(raski_field_check_key(note, true, NULL), RASK_OK);
    assert_int_equal(raski_field_check_key(note, false, NULL), RASK_E_ARGUMENT);
}

static void fields_by_name_with_suggestion(void **state) {
    (void)state;
    const rask_field *field = NULL;
    raski_error err = {0};
    assert_int_equal(raski_type_find_field(&point_type, "label", &field, &err), RASK_OK);
    assert_ptr_equal(field, &point_fields[1]);
    assert_int_equal(raski_type_find_field(&point_type, "lable", &field, &err), RASK_E_ARGUMENT);
    assert_string_equal(err.message,
                        "point has no field \"lable\", did you mean \"label\" (it has "
                        "x, label)");
    err = (raski_error){0};
    assert_int_equal(raski_type_find_field(&point_type, "temperature", &field, &err),
                     RASK_E_ARGUMENT);
    assert_null(strstr(err.message, "did you mean"));
}

static void check_decimal(double value, const char *expected) {
    char text[RASKI_DECIMAL_MAX];
    size_t length = raski_format_double(value, text);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(text, expected, length);
}

static void check_float(float value, const char *expected) {
    char text[RASKI_DECIMAL_MAX];
    size_t length = raski_format_float(value, text);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(text, expected, length);
}

static void decimals_print_as_in_java(void **state) {
    (void)state;
    check_decimal(0, "0.0");
    check_decimal(-0.0, "-0.0");
    check_decimal(1, "1.0");
    check_decimal(0.1, "0.1");
    check_decimal(-123.456, "-123.456");
    check_decimal(0.001, "0.001");
    check_decimal(0.00099, "9.9E-4");
    check_decimal(9999999, "9999999.0");
    check_decimal(1e7, "1.0E7");
    check_decimal(1e10, "1.0E10");
    check_decimal(12345678.9, "1.23456789E7");
    check_decimal(1.0 / 3, "0.3333333333333333");
    check_decimal(0x1p-44,
                  "5.684341886080802E-14"); /* its nearest 16 digits read back as another */
    check_decimal(2e23, "2.0E23");
    check_decimal(9007199254740993.0, "9.007199254740992E15");
    check_decimal(5e-324, "4.9E-324");
    check_decimal(0x1.fffffffffffffp+1023, "1.7976931348623157E308");
    check_decimal(0x1p-1022, "2.2250738585072014E-308");
    check_decimal((double)NAN, "NaN");
    check_decimal((double)INFINITY, "Infinity");
    check_decimal((double)-INFINITY, "-Infinity");
    check_float(0.1F, "0.1");
    check_float(16777216, "1.6777216E7");
    check_float(3.4028235e38F, "3.4028235E38");
    check_float(1.4e-45F, "1.4E-45");
    check_float(1.5F, "1.5");
}

static void check_print(const rask_type *type, const void *value, const char *expected) {
    raski_str str = {0};
    raski_str_append(&str, "> ");
    assert_int_equal(raski_value_print(&str, type, value, NULL), RASK_OK);
    assert_string_equal(raski_str_text(&str) + 2, expected);
    assert_int_equal(str.length, strlen(expected) + 2);
    raski_str_free(&str);
}

static void records_print_as_tuples(void **state) {
    (void)state;
    int64_t number = INT64_MIN;
    check_print(&rask_type_int64_t, &number, "-9223372036854775808");
    number = 0;
    check_print(&rask_type_rask_timestamp, &number, "0");
    rask_string text = rask_string_from("a bare text of more than twelve bytes");
    check_print(&rask_type_rask_string, &text, "a bare text of more than twelve bytes");
    text = rask_string_from("");
    check_print(&rask_type_rask_string, &text, "");
    everything e = {.tiny = -1,
                    .small = 300,
                    .number = 7,
                    .big = 10000000000,
                    .real = 1.5F,
                    .exact = 1e10,
                    .flag = true,
                    .text = rask_string_from("word"),
                    .raw = rask_bytes_of("\x01\xfe", 2),
                    .at = 99,
                    .origin = {1, rask_string_from("o")},
                    .corners = {{2, rask_string_from("p")}, {3, rask_string_from("q")}},
                    .grid = {1, 2, 3},
                    .names = {rask_string_from("n"), rask_string_from("m")}};
    int32_t items[] = {10, 100};
    e.numbers = (raski_any_list){.count = 2, .items = items};
    check_print(&everything_type, &e,
                "(-1,300,7,10000000000,1.5,1.0E10,true,word,[1, -2],99,(1,o),[(2,p), (3,q)],"
                "[1, 2, 3],[n, m],[10, 100],[],[],null,(DARK,0,1970-01-01,00:00,1970-01-01T00:00,"
                "1970-01-01T00:00:00Z,PT0S,{},place((0,))))");
    e.note = (optional_string){true, rask_string_from("noted")};
    raski_str str = {0};
    assert_int_equal(raski_field_print(&str, &everything_fields[17], &e, NULL), RASK_OK);
    assert_string_equal(str.data, "noted");
    raski_str_free(&str);
}

static int order(const char *a, const char *b) {
    rask_string x = rask_string_from(a);
    rask_string y = rask_string_from(b);
    int c = raski_string_compare_java(&x, &y);
    assert_true((c == 0) == raski_value_equal(&rask_type_rask_string, &x, &y));
    int back = raski_string_compare_java(&y, &x);
    assert_int_equal((c > 0) - (c < 0), (back < 0) - (back > 0));
    return (c > 0) - (c < 0);
}

static void strings_order_by_utf16_units(void **state) {
    (void)state;
    assert_int_equal(order("a", "b"), -1);
    assert_int_equal(order("a", "aa"), -1);
    assert_int_equal(order("", "a"), -1);
    assert_int_equal(order("Z", "a"), -1);
    assert_int_equal(order("same text, over 12", "same text, over 12"), 0);
    assert_int_equal(order("\xc3\xa9", "z"), 1);
    assert_int_equal(order("\xf0\x9f\x98\x80", "\xef\xbf\xbd"), -1); /* D83D before FFFD */
    assert_int_equal(order("\xf0\x9f\x98\x80", "\xed\x9f\xbf"), 1);  /* and behind D7FF */
    assert_int_equal(order("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x81"), -1);
    assert_int_equal(order("\xee\x80\x80", "\xef\xbf\xbd"), -1);
}

static void decimals_order_as_in_java(void **state) {
    (void)state;
    const double values[] = {(double)-INFINITY, -1.5,       -0.0, 0.0, 5e-324, 1.5,
                             (double)INFINITY,  (double)NAN};
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            float f[2] = {(float)values[i], (float)values[j]};
            int expected = (i > j) - (i < j);
            assert_int_equal(raski_value_compare(&rask_type_double, &values[i], &values[j]),
                             expected);
            if (i != 4 && j != 4) /* too small for a float */
                assert_int_equal(raski_value_compare(&rask_type_float, &f[0], &f[1]), expected);
        }
    }
    double other_nan = -NAN;
    assert_true(raski_value_equal(&rask_type_double, &other_nan, &values[7]));
}

static void records_order_by_their_fields(void **state) {
    (void)state;
    point a = {1, rask_string_from("b")};
    point b = {1, rask_string_from("c")};
    point c = {2, rask_string_from("a")};
    assert_true(raski_value_compare(&point_type, &a, &b) < 0);
    assert_true(raski_value_compare(&point_type, &c, &b) > 0);
    assert_false(raski_value_equal(&point_type, &a, &b));
    optional_string absent;
    memset(&absent, 0xff, sizeof absent);
    absent.present = false;
    optional_string present = {true, rask_string_from("")};
    assert_true(raski_value_compare(&optional_string_type, &absent, &present) < 0);
    assert_true(raski_value_equal(&optional_string_type, &absent, &absent));
    int32_t items[] = {1, 2, 3};
    raski_any_list shorter = {.count = 2, .items = items};
    raski_any_list longer = {.count = 3, .items = items};
    assert_true(raski_value_compare(&list_of_int_type, &shorter, &longer) < 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_types),
        cmocka_unit_test(types_are_equal_by_content),
        cmocka_unit_test(wrong_descriptions_are_refused),
        cmocka_unit_test(keys_are_checked_in_flinks_words),
        cmocka_unit_test(fields_by_name_with_suggestion),
        cmocka_unit_test(decimals_print_as_in_java),
        cmocka_unit_test(records_print_as_tuples),
        cmocka_unit_test(strings_order_by_utf16_units),
        cmocka_unit_test(decimals_order_as_in_java),
        cmocka_unit_test(records_order_by_their_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
