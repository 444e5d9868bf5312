/* Alignment groups: who decides, and what the extremes of the range do; cases of reports.md. */
#include "api/watermark_alignment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void the_slowest_reader_decides(void **state) {
    (void)state;
    raski_alignment_groups *groups = raski_alignment_groups_create();
    raski_alignment_group *g = raski_alignment_groups_find(groups, "g");
    const int first = 0, second = 0;
    assert_true(raski_alignment_groups_find(groups, "g") == g);
    assert_true(raski_alignment_groups_find(groups, "h") != g);
    raski_alignment_group_report(g, &first, 0, 100);
    raski_alignment_group_report(g, &first, 1, 50);
    raski_alignment_group_report(g, &second, 0, 70);
    assert_int_equal(raski_alignment_group_limit(g, 10), 60);
    raski_alignment_group_report(g, &first, 1, 90);
    assert_int_equal(raski_alignment_group_limit(g, 0), 70);
    /* idle or at its end: nobody waits for it */
    raski_alignment_group_report(g, &second, 0, INT64_MAX);
    assert_int_equal(raski_alignment_group_limit(g, 10), 100);
    /* a source starts anew: what it had reached is forgotten */
    raski_alignment_group_forget(g, &first);
    raski_alignment_group_report(g, &second, 0, 5);
    assert_int_equal(raski_alignment_group_limit(g, 10), 15);
    raski_alignment_groups_destroy(groups);
}

static void report_W12_drift_does_not_overflow(void **state) {
    (void)state;
    static const int64_t hour_ms = 3600000;
    raski_alignment_groups *groups = raski_alignment_groups_create();
    raski_alignment_group *g = raski_alignment_groups_find(groups, "g");
    const int source = 0;
    assert_int_equal(raski_alignment_group_limit(g, hour_ms), INT64_MAX); /* nobody has reported */
    raski_alignment_group_report(g, &source, 0, INT64_MAX);
    assert_int_equal(raski_alignment_group_limit(g, hour_ms), INT64_MAX);
    raski_alignment_group_report(g, &source, 0, INT64_MAX - 1);
    assert_int_equal(raski_alignment_group_limit(g, hour_ms), INT64_MAX);
    raski_alignment_group_report(g, &source, 0, INT64_MIN);
    assert_int_equal(raski_alignment_group_limit(g, hour_ms), INT64_MAX);
    raski_alignment_group_report(g, &source, 0, INT64_MIN + 1);
    assert_int_equal(raski_alignment_group_limit(g, hour_ms), INT64_MIN + 1 + hour_ms);
    raski_alignment_groups_destroy(groups);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_reader_decides),
        cmocka_unit_test(report_W12_drift_does_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
