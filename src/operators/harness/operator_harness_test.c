/* The harness with functions whose output is easy to foresee. */
#include "operators/harness/operator_harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <rask/function.h>

typedef struct {
    int64_t calls;
} instance;
RASK_INSTANCE(instance);
RASK_SIDE_OUTPUT(negative, int64_t);
RASK_PROCESS(twice, instance, self, int64_t, n, int64_t, out) {
    self->calls++;
    if (n == 13) {
        (void)rask_fail("thirteen");
        return;
    }
    if (n < 0) {
        rask_emit_side(out, negative, n);
        return;
    }
    rask_emit(out, n);
    rask_emit(out, rask_timestamp(out));
    rask_emit(out, rask_watermark(out));
}

static raski_operator_harness *make(raski_operator_definition *def) {
    raski_operator_harness *h = NULL;
    raski_error error = {0};
    def->fn = &raski_fn_twice.base;
    def->in = def->out = &rask_type_int64_t;
    raski_vec_push(&def->side_types, (raski_side_type){negative.base.name, negative.base.type});
    const raski_operator_harness_options options = {0};
    assert_int_equal(raski_operator_harness_create(def, &options, &h, &error), RASK_OK);
    assert_int_equal(raski_operator_harness_open(h, &error), RASK_OK);
    return h;
}

static void expect_record(raski_operator_harness *h, size_t i, int64_t value, int64_t timestamp) {
    const raski_harness_output *output = raski_operator_harness_output(h, i);
    assert_int_equal(output->kind, RASKI_HARNESS_RECORD);
    assert_int_equal(*(const int64_t *)output->record, value);
    assert_int_equal(output->timestamp_ms, timestamp);
}

static void records_keep_their_timestamps(void **state) {
    (void)state;
    raski_operator_definition *def = raski_operator_definition_create();
    raski_operator_harness *h = make(def);
    raski_error error = {0};
    const int64_t records[] = {5, -6, 7};
    const int64_t timestamps[] = {50, 60, RASK_NO_TIMESTAMP};
    assert_int_equal(raski_operator_harness_watermark(h, 0, 40, &error), RASK_OK);
    assert_int_equal(raski_operator_harness_process(h, 0, records, timestamps, 3, &error), RASK_OK);
    assert_int_equal(raski_operator_harness_status(h, 0, true, &error), RASK_OK);
    assert_int_equal(raski_operator_harness_watermark(h, 0, 70, &error), RASK_OK);
    assert_int_equal(raski_operator_harness_output_count(h), 1 + 6 + 1 + 2);
    assert_int_equal(raski_operator_harness_output(h, 0)->timestamp_ms, 40);
    expect_record(h, 1, 5, 50);
    expect_record(h, 2, 50, 50);
    expect_record(h, 3, 40, 50);
    expect_record(h, 4, 7, RASK_NO_TIMESTAMP);
    expect_record(h, 5, RASK_NO_TIMESTAMP, RASK_NO_TIMESTAMP);
    expect_record(h, 7, -6, 60);
    assert_string_equal(raski_operator_harness_output(h, 7)->tag, "negative");
    assert_true(raski_operator_harness_output(h, 8)->idle);
    /* What is behind an idle operator does not get it; a test does. */
    assert_int_equal(raski_operator_harness_output(h, 9)->timestamp_ms, 70);
    raski_operator_harness_destroy(h);
    raski_operator_definition_destroy(def);
}

static void a_failure_stays(void **state) {
    (void)state;
    raski_operator_definition *def = raski_operator_definition_create();
    raski_operator_harness *h = make(def);
    raski_error error = {0};
    const int64_t records[] = {12, 13, 14};
    assert_int_equal(raski_operator_harness_process(h, 0, records, NULL, 3, &error), RASK_FAILED);
    assert_string_equal(error.message, "thirteen");
    memset(&error, 0, sizeof error);
    assert_int_equal(raski_operator_harness_watermark(h, 0, 1, &error), RASK_FAILED);
    assert_string_equal(error.message, "thirteen");
    raski_operator_harness_destroy(h);
    raski_operator_definition_destroy(def);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_keep_their_timestamps),
        cmocka_unit_test(a_failure_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
