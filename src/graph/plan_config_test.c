/* Options by Flink's keys, with Flink's messages; sizes, durations and resources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "graph/plan_config.h"
#include "graph/resources.h"

static raski_arena *arena;

static int set_up(void **state) {
    (void)state;
    arena = raski_arena_create(0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    raski_arena_destroy(arena);
    return 0;
}

static void options_are_set_by_key(void **state) {
    (void)state;
    raski_plan_config config;
    raski_plan_config_init(&config);
    const char *const pairs[][2] = {
        {"parallelism.default", "3"},
        {"execution.runtime-mode", "batch"},
        {"execution.batch-shuffle-mode", "ALL_EXCHANGES_PIPELINED"},
        {"execution.buffer-timeout.interval", "2 s"},
        {"execution.sorted-inputs.memory", "32mb"},
        {"pipeline.operator-chaining.enabled", "FALSE"},
        {"pipeline.name", "mine"},
        {"taskmanager.memory.managed.consumer-weights", "OPERATOR:1,PYTHON:2"},
        {"no.such.key", "is left to the option table"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_int_equal(raski_plan_config_set(&config, arena, pairs[i][0], pairs[i][1], NULL),
                         RASK_OK);
    assert_int_equal(config.parallelism, 3);
    assert_true(config.parallelism_set);
    assert_int_equal(config.runtime_mode, RASKI_RUNTIME_BATCH);
    assert_int_equal(config.batch_shuffle_mode, RASKI_SHUFFLE_ALL_EXCHANGES_PIPELINED);
    assert_int_equal(raski_plan_config_buffer_timeout_ms(&config), 2000);
    assert_int_equal(config.sorted_inputs_memory_bytes, 32 << 20);
    assert_false(config.chaining);
    assert_string_equal(config.job_name, "mine");
    assert_int_equal(config.consumer_weights[RASKI_MEMORY_OPERATOR], 1);
    assert_int_equal(config.consumer_weights[RASKI_MEMORY_STATE_BACKEND], 0);
    assert_int_equal(config.consumer_weights[RASKI_MEMORY_PYTHON], 2);
}

static void a_bad_value_changes_nothing_and_names_its_cause(void **state) {
    (void)state;
    raski_error err = {0};
    raski_plan_config config;
    raski_plan_config_init(&config);
    assert_int_not_equal(
        raski_plan_config_set(&config, arena, "execution.runtime-mode", "SOMETIMES", &err),
        RASK_OK);
    assert_int_equal(config.runtime_mode, RASKI_RUNTIME_STREAMING);
    assert_string_equal(err.exception, "IllegalArgumentException");
    assert_string_equal(err.message,
                        "Could not parse value 'SOMETIMES' for key 'execution.runtime-mode'.");
    assert_string_equal(err.cause, "IllegalArgumentException");
    assert_string_equal(err.cause_message,
                        "Could not parse value for enum class "
                        "org.apache.flink.api.common.RuntimeExecutionMode. Expected one of: "
                        "[[STREAMING, BATCH, AUTOMATIC]]");
}

static void a_bad_value_may_wait_until_it_is_read(void **state) {
    (void)state;
    raski_error err = {0};
    raski_plan_config config;
    raski_plan_config_init(&config);
    raski_plan_config_set_lazily(&config, arena, "pipeline.vertex-description-mode", "FOREST");
    assert_int_equal(raski_plan_config_check_environment(&config, &err), RASK_OK);
    assert_int_not_equal(raski_plan_config_check(&config, "pipeline.vertex-description-mode", &err),
                         RASK_OK);
    raski_plan_config_set_lazily(&config, arena, "pipeline.vertex-description-mode", "TREE");
    assert_int_equal(raski_plan_config_check(&config, "pipeline.vertex-description-mode", NULL),
                     RASK_OK);
}

static void setters_check_their_range(void **state) {
    (void)state;
    raski_error err = {0};
    raski_plan_config config;
    raski_plan_config_init(&config);
    assert_int_not_equal(raski_plan_config_set_parallelism(&config, 0, &err), RASK_OK);
    assert_string_equal(err.message,
                        "Parallelism must be at least one, or "
                        "ExecutionConfig.PARALLELISM_DEFAULT (use system default).");
    assert_int_not_equal(raski_plan_config_set_max_parallelism(&config, 40000, NULL), RASK_OK);
    assert_int_not_equal(raski_plan_config_set_buffer_timeout(&config, -2, NULL), RASK_OK);
    assert_int_not_equal(raski_plan_config_set_checkpoint_interval(&config, 9, NULL), RASK_OK);
    assert_int_equal(raski_plan_config_set_buffer_timeout(&config, -1, NULL), RASK_OK);
    assert_int_equal(raski_plan_config_buffer_timeout_ms(&config), RASKI_BUFFER_TIMEOUT_DISABLED);
}

static void assert_memory_error(const char *text, const char *message) {
    int64_t bytes = 0;
    raski_error err = {0};
    assert_int_not_equal(raski_memory_size_parse(text, &bytes, &err), RASK_OK);
    assert_string_equal(err.message, message);
}

static void sizes_and_durations_have_units(void **state) {
    (void)state;
    int64_t value = 0;
    assert_int_equal(raski_memory_size_parse(" 64 MB ", &value, NULL), RASK_OK);
    assert_int_equal(value, 64 << 20);
    assert_int_equal(raski_duration_parse("PT10S", &value, NULL), RASK_OK);
    assert_int_equal(value, 10000);
    assert_memory_error("", "argument is an empty- or whitespace-only string");
    assert_memory_error("mb", "text does not start with a number");
    assert_memory_error("99999999999999999999",
                        "The value '99999999999999999999' cannot be re represented as 64bit number "
                        "(numeric overflow).");
    assert_memory_error("9999999999t",
                        "The value '9999999999t' cannot be re represented as 64bit "
                        "number of bytes (numeric overflow).");
}

static void amounts_keep_eight_decimals(void **state) {
    (void)state;
    raski_external_resource externals[] = {{"zero", 0}, {"gpu", 2.5}, {"fpga", 1}};
    raski_resource_parts parts = {.cpu_cores = 0.123456789,
                                  .task_heap_bytes = 1,
                                  .externals = externals,
                                  .external_count = 3};
    raski_resource_spec spec;
    assert_int_equal(raski_resource_spec_build(&parts, arena, &spec, NULL), RASK_OK);
    assert_true(spec.cpu_cores == 0.12345678);
    assert_int_equal(spec.external_count, 2);
    assert_string_equal(spec.externals[0].name, "fpga");
    parts.task_heap_bytes = 0;
    assert_int_not_equal(raski_resource_spec_build(&parts, arena, &spec, NULL), RASK_OK);
}

/* Flink reads an old name only where the new one is not given, whatever the order. */
static void old_names_yield_to_new_ones(void **state) {
    (void)state;
    raski_plan_config config;
    raski_plan_config_init(&config);
    assert_int_equal(
        raski_plan_config_set(&config, arena, "pipeline.operator-chaining", "false", NULL),
        RASK_OK);
    assert_false(config.chaining);
    assert_int_equal(
        raski_plan_config_set(&config, arena, "pipeline.operator-chaining.enabled", "true", NULL),
        RASK_OK);
    assert_int_equal(
        raski_plan_config_set(&config, arena, "pipeline.operator-chaining", "false", NULL),
        RASK_OK);
    assert_true(config.chaining);
    raski_plan_config_set_lazily(&config, arena, "execution.buffer-timeout.interval", "soon");
    raski_plan_config_set_lazily(&config, arena, "execution.buffer-timeout", "5 ms");
    assert_int_not_equal(
        raski_plan_config_check(&config, "execution.buffer-timeout.interval", NULL), RASK_OK);
    assert_int_equal(config.buffer_timeout_ms, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_names_yield_to_new_ones),
        cmocka_unit_test(options_are_set_by_key),
        cmocka_unit_test(a_bad_value_changes_nothing_and_names_its_cause),
        cmocka_unit_test(a_bad_value_may_wait_until_it_is_read),
        cmocka_unit_test(setters_check_their_range),
        cmocka_unit_test(sizes_and_durations_have_units),
        cmocka_unit_test(amounts_keep_eight_decimals),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
