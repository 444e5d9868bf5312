/* The option table and the configuration that is read through it. */
#include "config/configuration.h"

#include "base/alloc.h"
#include "base/map.h"
#include "config/config_test_util.h"

static const raski_origin from_flag = {RASKI_ORIGIN_ARGUMENT, "-D", 0};

static void set(raski_configuration *cfg, const char *key, const char *value) {
    raski_error err = {0};
    assert_ok(raski_configuration_set(cfg, key, value, &from_flag, &err));
}

/* Every option is described, its names are used once, and its default is a value that it can have.
 */
static void table_is_consistent(void **state) {
    (void)state;
    raski_map names = {0};
    raski_configuration *cfg = raski_configuration_create();
    for (int id = 0; id < RASKI_OPTION_COUNT; id++) {
        const raski_option *option = raski_option_get((raski_option_id)id);
        assert_non_null(option->key);
        assert_non_null(option->description);
        assert_true(option->description[strlen(option->description) - 1] == '.');
        if (raski_map_has(&names, option->key)) fail_msg("%s is there twice", option->key);
        raski_map_put(&names, option->key, cfg);
        assert_ptr_equal(raski_option_find(option->key), option);
        assert_int_equal(option->rask_default != NULL, option->rask_reason != NULL);
        if (option->type == RASKI_VALUE_CHOICE) assert_non_null(option->choices);
        if (option->flink_default != NULL) set(cfg, option->key, option->flink_default);
        if (raski_option_default(option) != NULL)
            set(cfg, option->key, raski_option_default(option));
        if (raski_option_find_deprecated(option->key, NULL) != NULL &&
            strcmp(option->key, "jobmanager.adaptive-scheduler.scaling-interval.min") != 0 &&
            strcmp(option->key, "jobmanager.adaptive-scheduler.resource-wait-timeout") != 0 &&
            strcmp(option->key, "jobmanager.adaptive-scheduler.resource-stabilization-timeout") !=
                0)
            fail_msg("%s is an option and an older name", option->key);
    }
    raski_map_free(&names);
    raski_configuration_destroy(cfg);
}

static void fallbacks_are_options(void **state) {
    (void)state;
    for (int id = 0; id < RASKI_OPTION_COUNT; id++) {
        const char *keys = raski_option_get((raski_option_id)id)->fallback_keys;
        while (keys != NULL && *keys != '\0') {
            char key[128];
            size_t length = strcspn(keys, " ");
            (void)snprintf(key, sizeof key, "%.*s", (int)length, keys);
            if (raski_option_find(key) == NULL && raski_option_find_family(key) == NULL)
                fail_msg("nothing is called %s", key);
            keys += length;
            keys += strspn(keys, " ");
        }
    }
}

static void choice_enums_follow_the_table(void **state) {
    (void)state;
    static const struct {
        raski_option_id id;
        const char *value;
        int index;
    } all[] = {
        {RASKI_OPTION_EXECUTION_RUNTIME_MODE, "streaming", RASKI_RUNTIME_MODE_STREAMING},
        {RASKI_OPTION_EXECUTION_RUNTIME_MODE, "batch", RASKI_RUNTIME_MODE_BATCH},
        {RASKI_OPTION_EXECUTION_RUNTIME_MODE, "automatic", RASKI_RUNTIME_MODE_AUTOMATIC},
        {RASKI_OPTION_EXECUTION_BATCH_SHUFFLE_MODE, "all_exchanges_pipelined",
         RASKI_BATCH_SHUFFLE_ALL_EXCHANGES_PIPELINED},
        {RASKI_OPTION_EXECUTION_BATCH_SHUFFLE_MODE, "all_exchanges_blocking",
         RASKI_BATCH_SHUFFLE_ALL_EXCHANGES_BLOCKING},
        {RASKI_OPTION_EXECUTION_BATCH_SHUFFLE_MODE, "all_exchanges_hybrid_full",
         RASKI_BATCH_SHUFFLE_ALL_EXCHANGES_HYBRID_FULL},
        {RASKI_OPTION_EXECUTION_BATCH_SHUFFLE_MODE, "all_exchanges_hybrid_selective",
         RASKI_BATCH_SHUFFLE_ALL_EXCHANGES_HYBRID_SELECTIVE},
        {RASKI_OPTION_EXECUTION_CHECKPOINTING_MODE, "exactly_once",
         RASKI_CHECKPOINTING_EXACTLY_ONCE},
        {RASKI_OPTION_EXECUTION_CHECKPOINTING_MODE, "at_least_once",
         RASKI_CHECKPOINTING_AT_LEAST_ONCE},
        {RASKI_OPTION_JOBMANAGER_SCHEDULER, "default", RASKI_SCHEDULER_CHOICE_DEFAULT},
        {RASKI_OPTION_JOBMANAGER_SCHEDULER, "adaptive", RASKI_SCHEDULER_CHOICE_ADAPTIVE},
        {RASKI_OPTION_JOBMANAGER_SCHEDULER, "AdaptiveBatch", RASKI_SCHEDULER_CHOICE_ADAPTIVE_BATCH},
        {RASKI_OPTION_PIPELINE_VERTEX_DESCRIPTION_MODE, "tree",
         RASKI_VERTEX_DESCRIPTION_CHOICE_TREE},
        {RASKI_OPTION_PIPELINE_VERTEX_DESCRIPTION_MODE, "cascading",
         RASKI_VERTEX_DESCRIPTION_CHOICE_CASCADING},
        {RASKI_OPTION_RESTART_STRATEGY_TYPE, "none", RASKI_RESTART_NONE},
        {RASKI_OPTION_RESTART_STRATEGY_TYPE, "disable", RASKI_RESTART_DISABLE},
        {RASKI_OPTION_RESTART_STRATEGY_TYPE, "fixed-delay", RASKI_RESTART_FIXED_DELAY},
        {RASKI_OPTION_RESTART_STRATEGY_TYPE, "exponential-delay", RASKI_RESTART_EXPONENTIAL_DELAY},
        {RASKI_OPTION_RESTART_STRATEGY_TYPE, "failure-rate", RASKI_RESTART_FAILURE_RATE},
        {RASKI_OPTION_RESTART_STRATEGY_TYPE, "failurerate", RASKI_RESTART_FAILURERATE},
    };
    raski_configuration *cfg = raski_configuration_create();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        set(cfg, raski_option_get(all[i].id)->key, all[i].value);
        assert_int_equal(raski_configuration_get_choice(cfg, all[i].id), all[i].index);
    }
    raski_configuration_destroy(cfg);
}

static void defaults_hold_until_something_is_set(void **state) {
    (void)state;
    raski_configuration *cfg = raski_configuration_create();
    assert_int_equal(raski_configuration_get_int(cfg, RASKI_OPTION_PARALLELISM_DEFAULT), 1);
    assert_false(raski_configuration_is_set(cfg, RASKI_OPTION_PARALLELISM_DEFAULT));
    assert_string_equal(raski_configuration_origin_of(cfg, RASKI_OPTION_PARALLELISM_DEFAULT),
                        "default");
    assert_int_equal(
        raski_configuration_get_duration_ms(cfg, RASKI_OPTION_EXECUTION_BUFFER_TIMEOUT_INTERVAL),
        100);
    assert_int_equal(
        raski_configuration_get_memory(cfg, RASKI_OPTION_TASKMANAGER_MEMORY_SEGMENT_SIZE), 32768);
    assert_true(raski_configuration_get_bool(cfg, RASKI_OPTION_PIPELINE_OPERATOR_CHAINING_ENABLED));
    assert_false(raski_configuration_has(cfg, RASKI_OPTION_EXECUTION_CHECKPOINTING_INTERVAL));
    set(cfg, "parallelism.default", "4");
    assert_int_equal(raski_configuration_get_int(cfg, RASKI_OPTION_PARALLELISM_DEFAULT), 4);
    assert_string_equal(raski_configuration_origin_of(cfg, RASKI_OPTION_PARALLELISM_DEFAULT), "-D");
    set(cfg, "parallelism.default", "5");
    assert_int_equal(raski_configuration_count(cfg), 1);
    raski_configuration *copy = raski_configuration_clone(cfg);
    raski_configuration_unset(cfg, RASKI_OPTION_PARALLELISM_DEFAULT);
    assert_int_equal(raski_configuration_get_int(cfg, RASKI_OPTION_PARALLELISM_DEFAULT), 1);
    assert_int_equal(raski_configuration_get_int(copy, RASKI_OPTION_PARALLELISM_DEFAULT), 5);
    raski_configuration_destroy(copy);
    raski_configuration_destroy(cfg);
}

static void wrong_values_say_key_value_origin_and_expectation(void **state) {
    (void)state;
    static const struct {
        const char *key, *value, *expected;
    } all[] = {
        {"parallelism.default", "abc",
         "option parallelism.default cannot be \"abc\" (from -D): expected a whole number"},
        {"parallelism.default", "0", "expected a number from 1 to 32768"},
        {"parallelism.default", "2147483648", "too large for 32 bits"},
        {"pipeline.max-parallelism", "0", "expected a number from 1 to 32768, or -1"},
        {"taskmanager.numberOfTaskSlots", "0", "expected a number at least 1"},
        {"execution.runtime-mode", "fast", "expected one of: STREAMING BATCH AUTOMATIC"},
        {"execution.buffer-timeout.interval", "-1", "expected a duration"},
        {"taskmanager.memory.managed.fraction", "1.5", "expected a number from 0 to 1"},
        {"pipeline.object-reuse", "1", "expected true or false"},
        {"taskmanager.memory.process.size", "1.5g", "expected a memory size"},
        {"pipeline.global-job-parameters", "x", "expected pairs"},
        {"metrics.job.status.enable", "STATE;SOMETIMES", "expected one of: STATE"},
    };
    raski_configuration *cfg = raski_configuration_create();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        raski_error err = {0};
        assert_int_equal(raski_configuration_set(cfg, all[i].key, all[i].value, &from_flag, &err),
                         RASK_E_ARGUMENT);
        assert_contains(err.message, all[i].expected);
        assert_contains(err.message, all[i].key);
    }
    assert_int_equal(raski_configuration_count(cfg), 0);
    set(cfg, "pipeline.max-parallelism", "-1");
    raski_configuration_destroy(cfg);
}

static void unknown_names_propose_the_nearest(void **state) {
    (void)state;
    raski_configuration *cfg = raski_configuration_create();
    raski_error err = {0};
    assert_int_equal(raski_configuration_set(cfg, "paralelism.default", "2", &from_flag, &err),
                     RASK_E_NOT_FOUND);
    assert_string_equal(err.message,
                        "unknown option \"paralelism.default\" (from -D); did you "
                        "mean \"parallelism.default\"?");
    assert_string_equal(raski_option_nearest("checkpointing.interval"),
                        "execution.checkpointing.interval");
    assert_string_equal(raski_option_nearest("taskmanager.numberoftaskslot"),
                        "taskmanager.numberOfTaskSlots");
    assert_null(raski_option_nearest("quite.something.else.altogether"));
    raski_origin file = {RASKI_ORIGIN_FILE, "conf/config.yaml", 7};
    memset(&err, 0, sizeof err);
    assert_ok(raski_configuration_set(cfg, "paralelism.default", "2", &file, &err));
    assert_int_equal(raski_configuration_warning_count(cfg), 1);
    assert_string_equal(raski_configuration_warning(cfg, 0),
                        "conf/config.yaml:7: unknown option \"paralelism.default\" is ignored; "
                        "did you mean \"parallelism.default\"?");
    assert_int_equal(raski_configuration_count(cfg), 0);
    raski_configuration_destroy(cfg);
}

static void families_and_map_entries_are_known(void **state) {
    (void)state;
    raski_configuration *cfg = raski_configuration_create();
    set(cfg, "metrics.reporter.prom.port", "9250");
    set(cfg, "env.java.opts.all", "-Xmx1g");
    assert_string_equal(raski_configuration_get_raw(cfg, "metrics.reporter.prom.port"), "9250");
    set(cfg, "pipeline.global-job-parameters.city", "Oslo");
    set(cfg, "pipeline.global-job-parameters.a.b", "2");
    raski_text_map map =
        raski_configuration_get_map(cfg, RASKI_OPTION_PIPELINE_GLOBAL_JOB_PARAMETERS);
    assert_int_equal(map.count, 2);
    assert_string_equal(map.items[0].key, "city");
    assert_string_equal(map.items[1].key, "a.b");
    raski_text_map_free(&map);
    set(cfg, "pipeline.global-job-parameters", "x:y");
    map = raski_configuration_get_map(cfg, RASKI_OPTION_PIPELINE_GLOBAL_JOB_PARAMETERS);
    assert_int_equal(map.count, 1);
    assert_string_equal(map.items[0].value, "y");
    raski_text_map_free(&map);
    raski_error err = {0};
    assert_int_equal(raski_configuration_set(cfg, "metrics.reporter.", "x", &from_flag, &err),
                     RASK_E_NOT_FOUND);
    raski_configuration_destroy(cfg);
}

static void older_names_set_what_they_became(void **state) {
    (void)state;
    raski_configuration *cfg = raski_configuration_create();
    set(cfg, "pipeline.operator-chaining", "false");
    assert_false(
        raski_configuration_get_bool(cfg, RASKI_OPTION_PIPELINE_OPERATOR_CHAINING_ENABLED));
    assert_int_equal(raski_configuration_warning_count(cfg), 1);
    assert_contains(raski_configuration_warning(cfg, 0), "pipeline.operator-chaining.enabled");
    /* the new name wins within one source, whatever the order */
    set(cfg, "pipeline.operator-chaining.enabled", "true");
    set(cfg, "pipeline.operator-chaining", "false");
    assert_true(raski_configuration_get_bool(cfg, RASKI_OPTION_PIPELINE_OPERATOR_CHAINING_ENABLED));
    /* but a stronger source with the older name wins over a weaker one with the new name */
    raski_origin file = {RASKI_ORIGIN_FILE, "config.yaml", 1};
    raski_error err = {0};
    assert_ok(raski_configuration_set(cfg, "state.backend.type", "rocksdb", &file, &err));
    set(cfg, "state.backend", "hashmap");
    assert_int_equal(raski_configuration_get_choice(cfg, RASKI_OPTION_STATE_BACKEND_TYPE), 0);
    /* one older name of two options sets both */
    set(cfg, "state.backend.local-recovery", "true");
    assert_true(
        raski_configuration_get_bool(cfg, RASKI_OPTION_EXECUTION_STATE_RECOVERY_FROM_LOCAL));
    assert_true(raski_configuration_get_bool(
        cfg, RASKI_OPTION_EXECUTION_CHECKPOINTING_LOCAL_BACKUP_ENABLED));
    raski_configuration_destroy(cfg);
}

static void stronger_origins_win_whatever_the_order(void **state) {
    (void)state;
    static const raski_origin file = {RASKI_ORIGIN_FILE, "config.yaml", 1};
    static const raski_origin program = {RASKI_ORIGIN_PROGRAM, NULL, 0};
    static const raski_origin *const orders[][3] = {{&file, &program, &from_flag},
                                                    {&from_flag, &program, &file},
                                                    {&program, &from_flag, &file}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        raski_configuration *cfg = raski_configuration_create();
        raski_configuration *other = raski_configuration_create();
        raski_error err = {0};
        for (int j = 0; j < 3; j++) {
            const char *value = orders[i][j]->kind == RASKI_ORIGIN_FILE      ? "2"
                                : orders[i][j]->kind == RASKI_ORIGIN_PROGRAM ? "3"
                                                                             : "4";
            assert_ok(raski_configuration_set(j < 2 ? cfg : other, "parallelism.default", value,
                                              orders[i][j], &err));
        }
        raski_configuration_merge(cfg, other);
        assert_int_equal(raski_configuration_get_int(cfg, RASKI_OPTION_PARALLELISM_DEFAULT), 4);
        raski_configuration_destroy(other);
        raski_configuration_destroy(cfg);
    }
    raski_configuration *cfg = raski_configuration_create();
    raski_error err = {0};
    assert_ok(raski_configuration_set(cfg, "parallelism.default", "3", &program, &err));
    assert_ok(raski_configuration_set(cfg, "parallelism.default", "2", &file, &err));
    assert_string_equal(raski_configuration_origin_of(cfg, RASKI_OPTION_PARALLELISM_DEFAULT),
                        "the program");
    assert_string_equal(raski_configuration_get_raw(cfg, "parallelism.default"), "3");
    assert_string_equal(raski_configuration_get_raw(cfg, "pipeline.operator-chaining"), "true");
    raski_configuration_destroy(cfg);
}

static void options_without_effect_are_told_when_asked_for(void **state) {
    (void)state;
    raski_configuration *cfg = raski_configuration_create();
    raski_error err = {0};
    raski_origin file = {RASKI_ORIGIN_FILE, "config.yaml", 1};
    assert_ok(raski_configuration_set(cfg, "rest.profiling.enabled", "true", &file, &err));
    set(cfg, "parallelism.default", "2");
    assert_int_equal(raski_configuration_warning_count(cfg), 0);
    set(cfg, "rest.profiling.enabled", "true");
    assert_int_equal(raski_configuration_warning_count(cfg), 1);
    assert_string_equal(raski_configuration_warning(cfg, 0),
                        "option rest.profiling.enabled (from -D) has no effect yet");
    raski_configuration_destroy(cfg);
}

static void options_fall_back_to_others(void **state) {
    (void)state;
    raski_configuration *cfg = raski_configuration_create();
    assert_string_equal(raski_configuration_get_text(cfg, RASKI_OPTION_REST_BIND_PORT), "8081");
    set(cfg, "rest.port", "9000");
    assert_string_equal(raski_configuration_get_text(cfg, RASKI_OPTION_REST_BIND_PORT), "9000");
    assert_true(raski_configuration_is_set(cfg, RASKI_OPTION_REST_BIND_PORT));
    set(cfg, "rest.bind-port", "9001-9010");
    assert_string_equal(raski_configuration_get_text(cfg, RASKI_OPTION_REST_BIND_PORT),
                        "9001-9010");
    raski_configuration_destroy(cfg);
}

static void the_first_temporary_directory_is_taken(void **state) {
    (void)state;
    static const struct {
        const char *text, *first;
    } all[] = {{"/a", "/a"},         {"/a:/b", "/a"}, {"/a , /b", "/a"},
               {" /a b|/c", "/a b"}, {":,/x", "/x"},  {"", "/tmp"}};
    raski_configuration *cfg = raski_configuration_create();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        set(cfg, "io.tmp.dirs", all[i].text);
        char *first = raski_configuration_temporary_directory(cfg);
        assert_string_equal(first, all[i].first);
        raski_free(first);
    }
    raski_configuration_destroy(cfg);
}

static void secrets_are_not_shown(void **state) {
    (void)state;
    assert_true(raski_option_is_secret("security.ssl.internal.key-password"));
    assert_true(raski_option_is_secret("fs.s3a.secret.key"));
    assert_false(raski_option_is_secret("parallelism.default"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_consistent),
        cmocka_unit_test(fallbacks_are_options),
        cmocka_unit_test(choice_enums_follow_the_table),
        cmocka_unit_test(defaults_hold_until_something_is_set),
        cmocka_unit_test(wrong_values_say_key_value_origin_and_expectation),
        cmocka_unit_test(unknown_names_propose_the_nearest),
        cmocka_unit_test(families_and_map_entries_are_known),
        cmocka_unit_test(older_names_set_what_they_became),
        cmocka_unit_test(stronger_origins_win_whatever_the_order),
        cmocka_unit_test(options_without_effect_are_told_when_asked_for),
        cmocka_unit_test(options_fall_back_to_others),
        cmocka_unit_test(the_first_temporary_directory_is_taken),
        cmocka_unit_test(secrets_are_not_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
