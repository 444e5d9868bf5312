/* Patterns of times against what Java's DateTimeFormatter gives. */
#include "connectors/bucket_time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void check(const char *zone, const char *pattern, int64_t time_ms, const char *expected) {
    char text[RASKI_BUCKET_TIME_BYTES];
    char message[256];
    assert_int_equal(setenv("TZ", zone, 1), 0);
    tzset();
    if (!raski_bucket_time_check(pattern, message, sizeof message)) fail_msg("%s", message);
    assert_int_equal(raski_bucket_time_format(pattern, time_ms, text), strlen(expected));
    assert_string_equal(text, expected);
}

static void good_patterns(void **state) {
    (void)state;
    check("UTC", "yyyy-MM-dd--HH", 0, "1970-01-01--00");
    check("UTC", "yyyy-MM-dd--HH", 1700000000123, "2023-11-14--22");
    check("CET-1", "yyyy-MM-dd--HH", 1700000000123, "2023-11-14--23");
    check("UTC", "yyyy-MM-dd--HH", -1, "1969-12-31--23");
    check("UTC", "uuuu/M/d/H/m/s", 1704164645007, "2024/1/2/3/4/5");
    check("UTC", "yyMMddHHmmssSSS", 1704164645007, "240102030405007");
    check("UTC", "SSS", -1, "999");
    check("UTC", "'day='yyyy-MM-dd'/hour='HH", 1704164645007, "day=2024-01-02/hour=03");
    check("UTC", "''HH''", 0, "'00'");
    check("UTC", "'a''b'", 0, "ab");
    check("UTC", "", 0, "");
}

static void refuse(const char *pattern, const char *why) {
    char message[256];
    assert_false(raski_bucket_time_check(pattern, message, sizeof message));
    if (strstr(message, why) == NULL) fail_msg("%s", message);
}

static void wrong_patterns(void **state) {
    (void)state;
    refuse("yyyy-MM-ddTHH", "has letters other than");
    refuse("yyy", "has letters other than");
    refuse("hh", "has letters other than");
    refuse("MMM", "has letters other than");
    refuse("SS", "has letters other than");
    refuse("'yyyy", "a quote that does not end");
    refuse("[HH]", "has one of");
    char longest[200];
    memset(longest, '-', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    refuse(longest, "longer than 100 bytes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_patterns),
        cmocka_unit_test(wrong_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
