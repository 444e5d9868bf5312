/* Values: what the real Flink 2.2.0 made of the same texts (its TimeUtils, MemorySize and
 * Configuration were asked). */
#include "config/value.h"

#include <locale.h>

#include "config/config_test_util.h"

static void durations(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = {
        {"100 ms", 100000000},
        {"100ms", 100000000},
        {"7", 7000000},
        {" 3 s ", 3000000000},
        {"1 min", 60000000000},
        {"5 minutes", 300000000000},
        {"1 m", 60000000000},
        {"1h", 3600000000000},
        {"2 Days", 172800000000000},
        {"10 \u00b5s", 10000},
        {"10 micros", 10000},
        {"3 NS", 3},
        {"PT1S", 1000000000},
        {"P1D", 86400000000000},
        {"PT1H2M3.5S", 3723500000000},
        {"P1DT1S", 86401000000000},
        {"0", 0},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        raski_error err = {0};
        raski_duration duration;
        assert_ok(raski_parse_duration(good[i].text, &duration, &err));
        assert_int_equal(raski_duration_ns(duration), good[i].ns);
        assert_int_equal(raski_duration_ms(duration), good[i].ns / 1000000);
    }
    static const char *const bad[] = {
        "",    " ",   "abc",  "-5 s", "1.5 s",  "10 us", "5 week", "P",    "PT",
        "P1S", "PT1", "PT1D", "P1DT", "PT1M1H", "PT1.S", "s 5",    "5 5s", "PT0.1234567890S"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        raski_error err = {0};
        raski_duration duration = {7, 7};
        assert_int_equal(raski_parse_duration(bad[i], &duration, &err), RASK_E_ARGUMENT);
        assert_contains(err.message, "expected a duration");
        assert_int_equal(duration.seconds, 7);
    }
}

static void huge_durations_are_kept_or_refused(void **state) {
    (void)state;
    raski_error err = {0};
    raski_duration duration;
    assert_ok(raski_parse_duration("9223372036854775807 ms", &duration, &err));
    assert_true(raski_duration_ms(duration) == INT64_MAX);
    assert_true(raski_duration_ns(duration) == INT64_MAX);
    assert_int_equal(raski_parse_duration("9223372036854775808 ms", &duration, &err),
                     RASK_E_ARGUMENT);
    assert_contains(err.message, "too long");
    assert_int_equal(raski_parse_duration("9223372036854775807 d", &duration, NULL),
                     RASK_E_ARGUMENT);
    assert_int_equal(raski_parse_duration("P9223372036854775807D", &duration, NULL),
                     RASK_E_ARGUMENT);
}

static void memory_sizes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {{"64mb", 67108864},
                {"1 gb", 1073741824},
                {"12", 12},
                {"12b", 12},
                {"12 bytes", 12},
                {"3k", 3072},
                {"3 kibibytes", 3072},
                {"3 mebibytes", 3145728},
                {"4 GIBIBYTES", 4294967296},
                {"5 tb", 5497558138880},
                {" 10 mb ", 10485760},
                {"9223372036854775807 bytes", INT64_MAX}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        raski_error err = {0};
        int64_t bytes;
        assert_ok(raski_parse_memory(good[i].text, &bytes, &err));
        assert_true(bytes == good[i].bytes);
    }
    static const char *const bad[] = {
        "", "1.5g", "-1", "9999999999999999999g", "99999999999 g", "10 xb", "mb", "1 m b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t bytes = 7;
        assert_int_equal(raski_parse_memory(bad[i], &bytes, NULL), RASK_E_ARGUMENT);
        assert_int_equal(bytes, 7);
    }
}

static void numbers(void **state) {
    (void)state;
    int64_t value;
    double real;
    bool flag;
    assert_int_equal(raski_parse_long("+5", &value, NULL), RASK_OK);
    assert_int_equal(value, 5);
    assert_int_equal(raski_parse_long("-9223372036854775808", &value, NULL), RASK_OK);
    assert_true(value == INT64_MIN);
    static const char *const bad[] = {
        "", "0x10", "1e3", "5L", "-", "1_000", "9223372036854775808", "-9223372036854775809"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(raski_parse_long(bad[i], &value, NULL), RASK_E_ARGUMENT);
    assert_int_equal(raski_parse_double(" .5 ", &real, NULL), RASK_OK);
    assert_true(real == 0.5);
    assert_int_equal(raski_parse_double("1e3", &real, NULL), RASK_OK);
    assert_true(real == 1000);
    static const char *const bad_reals[] = {"", "inf", "nan", "0x1p3", "1,5", "1e999", "1 2", "e"};
    for (size_t i = 0; i < sizeof bad_reals / sizeof *bad_reals; i++)
        assert_int_equal(raski_parse_double(bad_reals[i], &real, NULL), RASK_E_ARGUMENT);
    assert_int_equal(raski_parse_bool("TRUE", &flag, NULL), RASK_OK);
    assert_true(flag);
    assert_int_equal(raski_parse_bool("False", &flag, NULL), RASK_OK);
    assert_false(flag);
    assert_int_equal(raski_parse_bool("yes", &flag, NULL), RASK_E_ARGUMENT);
    assert_int_equal(raski_parse_bool("1", &flag, NULL), RASK_E_ARGUMENT);
}

static void numbers_do_not_follow_the_locale(void **state) {
    (void)state;
    double real;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) skip();
    rask_status status = raski_parse_double("0.5", &real, NULL);
    (void)setlocale(LC_NUMERIC, "C");
    assert_int_equal(status, RASK_OK);
    assert_true(real == 0.5);
}

static void choices(void **state) {
    (void)state;
    raski_error err = {0};
    int index = -1;
    assert_ok(raski_parse_choice("batch", "STREAMING|BATCH|AUTOMATIC", &index, &err));
    assert_int_equal(index, 1);
    assert_ok(raski_parse_choice("AUTOMATIC", "STREAMING|BATCH|AUTOMATIC", &index, &err));
    assert_int_equal(index, 2);
    assert_int_equal(raski_parse_choice("bat", "STREAMING|BATCH", &index, &err), RASK_E_ARGUMENT);
    assert_contains(err.message, "expected one of: STREAMING BATCH");
    assert_int_equal(raski_parse_choice("", "STREAMING|BATCH", &index, NULL), RASK_E_ARGUMENT);
}

static void check_list(const char *text, size_t count, const char *joined) {
    raski_error err = {0};
    raski_text_list list = {0};
    char buffer[128] = "";
    assert_ok(raski_parse_list(text, &list, &err));
    assert_int_equal(list.count, count);
    size_t used = 0;
    for (size_t i = 0; i < list.count; i++)
        used += (size_t)snprintf(buffer + used, sizeof buffer - used, "%s|", list.items[i]);
    assert_string_equal(buffer, joined);
    raski_text_list_free(&list);
}

static void lists(void **state) {
    (void)state;
    check_list("a;b;c", 3, "a|b|c|");
    check_list("[a, b, c]", 3, "a|b|c|");
    check_list("- a\n- b", 2, "a|b|");
    check_list("a, b", 1, "a, b|");
    check_list("'a;b';c", 2, "a;b|c|");
    check_list("\"a;\"\"b\";c", 2, "a;\"b|c|");
    check_list("[a, [b]]", 2, "a|[b]|");
    check_list("", 0, "");
    check_list("[]", 0, "");
    check_list("a;;b", 3, "a||b|");
    check_list(" a ; b ", 2, "a|b|");
    check_list("a'b", 1, "a'b|");
    raski_text_list list = {0};
    assert_int_equal(raski_parse_list("'a;b", &list, NULL), RASK_E_ARGUMENT);
    assert_int_equal(raski_parse_list("'a'b", &list, NULL), RASK_E_ARGUMENT);
    assert_int_equal(raski_parse_list("[a", &list, NULL), RASK_E_CORRUPT);
    assert_int_equal(raski_parse_list("[&x a, *x]", &list, NULL), RASK_E_CORRUPT);
    assert_int_equal(list.count, 0);
}

static void check_map(const char *text, size_t count, const char *joined) {
    raski_error err = {0};
    raski_text_map map = {0};
    char buffer[128] = "";
    assert_ok(raski_parse_map(text, &map, &err));
    assert_int_equal(map.count, count);
    size_t used = 0;
    for (size_t i = 0; i < map.count; i++)
        used += (size_t)snprintf(buffer + used, sizeof buffer - used, "%s=%s|", map.items[i].key,
                                 map.items[i].value);
    assert_string_equal(buffer, joined);
    raski_text_map_free(&map);
}

static void maps(void **state) {
    (void)state;
    check_map("a:b,c:d", 2, "a=b|c=d|");
    check_map("{a: b, c: d}", 2, "a=b|c=d|");
    check_map("a: b", 1, "a=b|");
    check_map("'a,b':c", 1, "a,b=c|");
    check_map("a:'x,y:z'", 1, "a=x,y:z|");
    check_map("", 0, "");
    check_map("{}", 0, "");
    check_map("OPERATOR:70,STATE_BACKEND:70", 2, "OPERATOR=70|STATE_BACKEND=70|");
    raski_text_map map = {0};
    assert_int_equal(raski_parse_map("a", &map, NULL), RASK_E_ARGUMENT);
    assert_int_equal(raski_parse_map("a:b:c", &map, NULL), RASK_E_ARGUMENT);
    assert_int_equal(raski_parse_map("{a: b", &map, NULL), RASK_E_CORRUPT);
    assert_int_equal(map.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations),
        cmocka_unit_test(huge_durations_are_kept_or_refused),
        cmocka_unit_test(memory_sizes),
        cmocka_unit_test(numbers),
        cmocka_unit_test(numbers_do_not_follow_the_locale),
        cmocka_unit_test(choices),
        cmocka_unit_test(lists),
        cmocka_unit_test(maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
