/* The command line of programs, and what is stronger than what. */
#include "config/arguments.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "config/config_test_util.h"

enum { WORDS_MAX = 16 };

typedef struct command {
    char *words[WORDS_MAX + 1];
    char **argv;
    int argc;
    raski_configuration *cfg;
    raski_error err;
    rask_status status;
} command;

/* Splits line at blanks and reads it. */
static command run(const char *line) {
    command c = {.cfg = raski_configuration_create()};
    char *copy = raski_strdup(line);
    char *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        c.words[c.argc++] = raski_strdup(word);
    raski_free(copy);
    c.argv = RASKI_NEW_ARRAY(char *, (size_t)c.argc + 1);
    memcpy(c.argv, c.words, sizeof(char *) * (size_t)c.argc);
    c.status = raski_configuration_from_arguments(&c.argc, &c.argv, c.cfg, &c.err);
    return c;
}

static void finish(command *c) {
    for (int i = 0; i < WORDS_MAX; i++) raski_free(c->words[i]);
    raski_free(c->argv);
    raski_configuration_destroy(c->cfg);
}

static int parallelism(const command *c) {
    return raski_configuration_get_int(c->cfg, RASKI_OPTION_PARALLELISM_DEFAULT);
}

static void check_left(const command *c, const char *expected) {
    char left[256] = "";
    size_t used = 0;
    for (int i = 0; i < c->argc; i++)
        used +=
            (size_t)snprintf(left + used, sizeof left - used, "%s%s", i > 0 ? " " : "", c->argv[i]);
    assert_string_equal(left, expected);
    assert_null(c->argv[c->argc]);
}

static void every_form_is_taken_and_the_rest_is_left(void **state) {
    (void)state;
    static const char *const lines[] = {
        "prog -p 4 in.txt --digest",
        "prog in.txt -p4 --digest",
        "prog in.txt --parallelism 4 --digest",
        "prog in.txt --digest --parallelism=4",
        "prog -Dparallelism.default=4 in.txt --digest",
        "prog in.txt -D parallelism.default=4 --digest",
        "prog -p 2 in.txt --digest -D parallelism.default=4",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        command c = run(lines[i]);
        if (c.status != RASK_OK) fail_msg("%s: %s", lines[i], c.err.message);
        assert_int_equal(parallelism(&c), 4);
        check_left(&c, "prog in.txt --digest");
        finish(&c);
    }
}

static void only_the_first_equals_sign_splits(void **state) {
    (void)state;
    command c = run("prog -D pipeline.name=a=b=c -Dpipeline.object-reuse");
    assert_int_equal(c.status, RASK_OK);
    assert_string_equal(raski_configuration_get_text(c.cfg, RASKI_OPTION_PIPELINE_NAME), "a=b=c");
    assert_true(raski_configuration_get_bool(c.cfg, RASKI_OPTION_PIPELINE_OBJECT_REUSE));
    finish(&c);
    c = run("prog -D pipeline.name=");
    assert_int_equal(c.status, RASK_OK);
    assert_string_equal(raski_configuration_get_text(c.cfg, RASKI_OPTION_PIPELINE_NAME), "");
    finish(&c);
}

static void two_dashes_end_rasks_arguments(void **state) {
    (void)state;
    command c = run("prog -p 2 -- -p 3 -- --config x");
    assert_int_equal(c.status, RASK_OK);
    assert_int_equal(parallelism(&c), 2);
    check_left(&c, "prog -p 3 -- --config x");
    finish(&c);
}

static void flags_of_the_program_stay(void **state) {
    (void)state;
    command c = run("prog -print --parallelisms 3 --configuration -d -");
    assert_int_equal(c.status, RASK_OK);
    check_left(&c, "prog -print --parallelisms 3 --configuration -d -");
    finish(&c);
}

static void mistakes_are_told_and_nothing_is_removed(void **state) {
    (void)state;
    static const struct {
        const char *line, *expected;
    } all[] = {
        {"prog -p", "-p needs a value"},
        {"prog -p x", "option parallelism.default cannot be \"x\" (from -p): expected a whole"},
        {"prog -p -1", "expected a number from 1 to 32768"},
        {"prog -p-1", "expected a number from 1 to 32768"},
        {"prog --parallelism=", "(from --parallelism)"},
        {"prog -D", "-D needs a value"},
        {"prog -D =x", "-D needs KEY=VALUE"},
        {"prog -D parallelism.default", "needs a value: -D parallelism.default=VALUE"},
        {"prog -D paralelism.default=2", "did you mean \"parallelism.default\"?"},
        {"prog --config", "--config needs a value"},
        {"prog --config /nowhere/config.yaml",
         "cannot open the configuration file /nowhere/config.yaml: No such file"},
        {"prog --config /", "cannot read the configuration file /: Is a directory"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        command c = run(all[i].line);
        if (c.status == RASK_OK) fail_msg("%s was taken", all[i].line);
        assert_contains(c.err.message, all[i].expected);
        check_left(&c, all[i].line);
        finish(&c);
    }
}

static char *write_file(const char *directory, const char *name, const char *text) {
    char *path = raski_format("%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void stronger_sources_win(void **state) {
    (void)state;
    char directory[] = "/tmp/rask-config-XXXXXX";
    assert_non_null(mkdtemp(directory));
    char *conf = write_file(directory, "config.yaml",
                            "parallelism.default: 2\npipeline:\n  name: by directory\n"
                            "  max-parallelism: 64\nrest.port: 1000\n");
    char *file =
        write_file(directory, "mine.yaml", "parallelism.default: 3\npipeline.name: by file\n");
    assert_int_equal(setenv("RASK_CONF_DIR", directory, 1), 0);
    char *line = raski_format("prog -p 5 --config %s -D rest.port=2000", file);
    command c = run(line);
    if (c.status != RASK_OK) fail_msg("%s", c.err.message);
    assert_int_equal(parallelism(&c), 5);
    assert_string_equal(raski_configuration_get_text(c.cfg, RASKI_OPTION_PIPELINE_NAME), "by file");
    assert_int_equal(raski_configuration_get_int(c.cfg, RASKI_OPTION_PIPELINE_MAX_PARALLELISM), 64);
    assert_int_equal(raski_configuration_get_int(c.cfg, RASKI_OPTION_REST_PORT), 2000);
    assert_contains(raski_configuration_origin_of(c.cfg, RASKI_OPTION_PIPELINE_MAX_PARALLELISM),
                    "config.yaml:4");
    finish(&c);
    raski_free(line);
    /* the older file counts when it is alone; with neither, that is told */
    assert_int_equal(remove(conf), 0);
    char *legacy = write_file(directory, "flink-conf.yaml", "parallelism.default: 7\n");
    c = run("prog");
    assert_int_equal(parallelism(&c), 7);
    finish(&c);
    assert_int_equal(remove(legacy), 0);
    c = run("prog");
    assert_int_equal(c.status, RASK_E_NOT_FOUND);
    assert_contains(c.err.message, "RASK_CONF_DIR: there is neither config.yaml nor");
    finish(&c);
    assert_int_equal(unsetenv("RASK_CONF_DIR"), 0);
    assert_int_equal(remove(file), 0);
    assert_int_equal(rmdir(directory), 0);
    raski_free(conf);
    raski_free(file);
    raski_free(legacy);
}

int main(void) {
    (void)unsetenv("RASK_CONF_DIR");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_taken_and_the_rest_is_left),
        cmocka_unit_test(only_the_first_equals_sign_splits),
        cmocka_unit_test(two_dashes_end_rasks_arguments),
        cmocka_unit_test(flags_of_the_program_stay),
        cmocka_unit_test(mistakes_are_told_and_nothing_is_removed),
        cmocka_unit_test(stronger_sources_win),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
