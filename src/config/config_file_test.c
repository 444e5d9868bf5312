/* config.yaml and flink-conf.yaml. */
#include "config/config_file.h"

#include "base/alloc.h"
#include "base/str.h"
#include "config/config_test_util.h"
#include "config/yaml.h"

static rask_status load_as(raski_configuration *cfg, raski_config_syntax syntax, const char *text,
                           raski_error *err) {
    return raski_configuration_load_text(cfg, text, strlen(text), syntax, "config.yaml", err);
}

static void check_yaml_error(const char *text, const char *expected) {
    raski_configuration *cfg = raski_configuration_create();
    raski_error err = {0};
    if (load_as(cfg, RASKI_CONFIG_YAML, text, &err) == RASK_OK) fail_msg("%s was taken", text);
    assert_contains(err.message, expected);
    raski_configuration_destroy(cfg);
}

static void nested_and_flat_are_the_same(void **state) {
    (void)state;
    raski_configuration *cfg = raski_configuration_create();
    raski_error err = {0};
    assert_ok(load_as(cfg, RASKI_CONFIG_YAML,
                      "# a comment\n"
                      "parallelism:\n"
                      "  default: 4 # behind a value\n"
                      "execution.checkpointing:\n"
                      "  interval: 10 s\n"
                      "  unaligned: {enabled: true}\n"
                      "pipeline.name: \"job #1: it's\"\n"
                      "io.tmp.dirs: /a:/b\n",
                      &err));
    assert_int_equal(raski_configuration_get_int(cfg, RASKI_OPTION_PARALLELISM_DEFAULT), 4);
    assert_int_equal(
        raski_configuration_get_duration_ms(cfg, RASKI_OPTION_EXECUTION_CHECKPOINTING_INTERVAL),
        10000);
    assert_true(
        raski_configuration_get_bool(cfg, RASKI_OPTION_EXECUTION_CHECKPOINTING_UNALIGNED_ENABLED));
    assert_string_equal(raski_configuration_get_text(cfg, RASKI_OPTION_PIPELINE_NAME),
                        "job #1: it's");
    assert_string_equal(raski_configuration_get_text(cfg, RASKI_OPTION_IO_TMP_DIRS), "/a:/b");
    assert_string_equal(raski_configuration_origin_of(cfg, RASKI_OPTION_PARALLELISM_DEFAULT),
                        "config.yaml:3");
    raski_configuration_destroy(cfg);
}

static void lists_and_maps(void **state) {
    (void)state;
    raski_configuration *cfg = raski_configuration_create();
    raski_error err = {0};
    assert_ok(load_as(cfg, RASKI_CONFIG_YAML,
                      "external-resources: [gpu, \"a, b\", 'c]d']\n"
                      "metrics.job.status.enable:\n"
                      "  - STATE\n"
                      "  - TOTAL_TIME\n"
                      "pipeline.global-job-parameters:\n"
                      "  city: Oslo\n"
                      "  deep: {er: 2}\n"
                      "pipeline.jobvertex-parallelism-overrides: {}\n",
                      &err));
    raski_text_list list = raski_configuration_get_list(cfg, RASKI_OPTION_EXTERNAL_RESOURCES);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.items[1], "a, b");
    assert_string_equal(list.items[2], "c]d");
    raski_text_list_free(&list);
    list = raski_configuration_get_list(cfg, RASKI_OPTION_METRICS_JOB_STATUS_ENABLE);
    assert_int_equal(list.count, 2);
    raski_text_list_free(&list);
    raski_text_map map =
        raski_configuration_get_map(cfg, RASKI_OPTION_PIPELINE_GLOBAL_JOB_PARAMETERS);
    assert_int_equal(map.count, 2);
    assert_string_equal(map.items[0].value, "Oslo");
    assert_string_equal(map.items[1].key, "deep.er");
    raski_text_map_free(&map);
    raski_configuration_destroy(cfg);
}

static void values_are_not_converted(void **state) {
    (void)state;
    raski_configuration *cfg = raski_configuration_create();
    raski_error err = {0};
    assert_ok(
        load_as(cfg, RASKI_CONFIG_YAML, "pipeline.name: 010\nmetrics.reporter.x.on: yes\n", &err));
    assert_string_equal(raski_configuration_get_text(cfg, RASKI_OPTION_PIPELINE_NAME), "010");
    assert_string_equal(raski_configuration_get_raw(cfg, "metrics.reporter.x.on"), "yes");
    raski_configuration_destroy(cfg);
}

static void nothing_is_fine_and_no_value_is_a_warning(void **state) {
    (void)state;
    raski_configuration *cfg = raski_configuration_create();
    raski_error err = {0};
    assert_ok(load_as(cfg, RASKI_CONFIG_YAML, "", &err));
    assert_ok(load_as(cfg, RASKI_CONFIG_YAML, "# only this\n", &err));
    assert_ok(load_as(cfg, RASKI_CONFIG_YAML, "parallelism.default:\npipeline.name: ''\n", &err));
    assert_false(raski_configuration_is_set(cfg, RASKI_OPTION_PARALLELISM_DEFAULT));
    assert_string_equal(raski_configuration_get_text(cfg, RASKI_OPTION_PIPELINE_NAME), "");
    assert_int_equal(raski_configuration_warning_count(cfg), 1);
    assert_string_equal(raski_configuration_warning(cfg, 0),
                        "config.yaml:1: parallelism.default has no value and is ignored");
    raski_configuration_destroy(cfg);
}

static void mistakes_name_file_and_line(void **state) {
    (void)state;
    check_yaml_error("a: 1\nb: [\n", "config.yaml: line 3: this is not YAML");
    check_yaml_error("\tx: 1\n", "line 1: this is not YAML");
    check_yaml_error("parallelism.default: 1\npipeline.name: x\nparallelism:\n  default: 2\n",
                     "line 4: parallelism.default is given a second time (first on line 1)");
    check_yaml_error("pipeline.name: a\npipeline.name: b\n",
                     "line 2: pipeline.name is given a second time");
    check_yaml_error("- a\n", "line 1: expected options as \"key: value\"");
    check_yaml_error("just text\n", "line 1: expected options");
    check_yaml_error("? [a, b]\n: c\n", "a key must be a plain name");
    check_yaml_error("pipeline.name: &x a\nrest.address: *x\n", "line 1: an alias");
    check_yaml_error("rest.address: &x {a: *x}\n", "an alias");
    check_yaml_error("pipeline.name: !java/object x\n", "line 1: the tag");
    check_yaml_error("pipeline.name: a\n---\nrest.address: b\n", "a second YAML document");
    check_yaml_error("pipeline.name: \"a\\0b\"\n", "NUL");
    check_yaml_error("pipeline.name: a\nparallelism.default: many\n",
                     "option parallelism.default cannot be \"many\" (from config.yaml:2): "
                     "expected a whole number");
}

static void limits_are_kept(void **state) {
    (void)state;
    raski_str deep = {0};
    for (int i = 0; i < RASKI_YAML_DEPTH_MAX + 2; i++) raski_str_append(&deep, "{a: ");
    raski_str_append(&deep, "1");
    for (int i = 0; i < RASKI_YAML_DEPTH_MAX + 2; i++) raski_str_append(&deep, "}");
    check_yaml_error(raski_str_text(&deep), "levels deep");
    raski_str_free(&deep);
    raski_str long_key = {0};
    for (int i = 0; i < RASKI_YAML_KEY_MAX + 1; i++) raski_str_append_char(&long_key, 'k');
    raski_str_append(&long_key, ": 1\n");
    check_yaml_error(raski_str_text(&long_key), "longer than 512 bytes");
    raski_str_free(&long_key);
    raski_str many = {0};
    for (int i = 0; i <= RASKI_YAML_ENTRIES_MAX; i++)
        raski_str_appendf(&many, "metrics.reporter.r%d.port: 1\n", i);
    check_yaml_error(raski_str_text(&many), "more than 10000 options");
    raski_str_free(&many);
    char *large = raski_alloc(RASKI_YAML_BYTES_MAX + 2);
    memset(large, '#', RASKI_YAML_BYTES_MAX + 1);
    large[RASKI_YAML_BYTES_MAX + 1] = '\0';
    check_yaml_error(large, "larger than 1048576 bytes");
    raski_free(large);
}

static void legacy_lines(void **state) {
    (void)state;
    raski_configuration *cfg = raski_configuration_create();
    raski_error err = {0};
    assert_ok(load_as(cfg, RASKI_CONFIG_LEGACY,
                      "# comment\n\n"
                      "parallelism.default: 3   # why\n"
                      "  pipeline.name: a: b\r\n"
                      "s3.secret-key: ab#cd\n"
                      "s3.access-key: \"x #y\" # quoted\n"
                      "rest.address:\n",
                      &err));
    assert_int_equal(raski_configuration_get_int(cfg, RASKI_OPTION_PARALLELISM_DEFAULT), 3);
    assert_string_equal(raski_configuration_get_text(cfg, RASKI_OPTION_PIPELINE_NAME), "a: b");
    assert_string_equal(raski_configuration_get_raw(cfg, "s3.secret-key"), "ab#cd");
    assert_string_equal(raski_configuration_get_raw(cfg, "s3.access-key"), "x #y");
    assert_false(raski_configuration_is_set(cfg, RASKI_OPTION_REST_ADDRESS));
    assert_int_equal(raski_configuration_warning_count(cfg), 1);
    assert_int_equal(load_as(cfg, RASKI_CONFIG_LEGACY, "a: 1\nnot an option\n", &err),
                     RASK_E_CORRUPT);
    assert_contains(err.message, "config.yaml:2: expected \"key: value\"");
    memset(&err, 0, sizeof err);
    assert_int_equal(load_as(cfg, RASKI_CONFIG_LEGACY, "rest.port: 1\nrest.port: 2\n", &err),
                     RASK_E_CORRUPT);
    assert_contains(err.message,
                    "config.yaml:2: rest.port is given a second time (first on line 1)");
    raski_configuration_destroy(cfg);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_and_flat_are_the_same),
        cmocka_unit_test(lists_and_maps),
        cmocka_unit_test(values_are_not_converted),
        cmocka_unit_test(nothing_is_fine_and_no_value_is_a_warning),
        cmocka_unit_test(mistakes_name_file_and_line),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(legacy_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
