/* Parts of the program rask; tests/scripts/cli_test.sh runs it as a whole. */
#include "cli/cli.h"

#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/plan_output.h"
#include "cli/program.h"

static void verbs_are_found_and_proposed(void **state) {
    (void)state;
    size_t count;
    const raski_cli_verb *verbs = raski_cli_verbs(&count);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(raski_cli_find_verb(verbs[i].name), &verbs[i]);
    assert_null(raski_cli_find_verb("bogus"));
    assert_string_equal(raski_cli_nearest_verb("rnu"), "run");
    assert_string_equal(raski_cli_nearest_verb("Info"), "info");
    assert_string_equal(raski_cli_nearest_verb("infos"), "info");
    assert_null(raski_cli_nearest_verb("bogus"));
    assert_null(raski_cli_nearest_verb("x"));
}

/* Reads the words (NULL at the end) and gives what the program would be started with. */
static rask_status parse(const char *const *words, char *joined, size_t size, raski_error *err) {
    char *argv[16];
    int argc = 0;
    for (; words[argc] != NULL; argc++) argv[argc] = (char *)(uintptr_t)words[argc];
    argv[argc] = NULL;
    raski_program_command command = {0};
    rask_status status = raski_program_command_parse(argc, argv, false, &command, err);
    if (status != RASK_OK) return status;
    size_t used = 0;
    joined[0] = '\0';
    for (char **word = command.argv; *word != NULL; word++)
        used += (size_t)snprintf(joined + used, size - used, "%s%s", used > 0 ? " " : "", *word);
    raski_program_command_free(&command);
    return RASK_OK;
}

static void options_go_behind_the_program(void **state) {
    (void)state;
    raski_error err = {0};
    char joined[256];
    const char *const words[] = {
        "run", "-p", "2", "-Dpipeline.name=x", "--parallelism=3", "prog", "-c", "--",
        "-p",  "7",  NULL};
    assert_int_equal(parse(words, joined, sizeof joined, &err), RASK_OK);
    assert_string_equal(joined, "prog -p 2 -Dpipeline.name=x --parallelism=3 -c -- -p 7");
    const char *const dashed[] = {"run", "-p2", "--", "-prog", "x", NULL};
    assert_int_equal(parse(dashed, joined, sizeof joined, &err), RASK_OK);
    assert_string_equal(joined, "-prog -p2 x");
}

static void wrong_options_are_told(void **state) {
    (void)state;
    static const struct {
        const char *words[5];
        const char *expected;
    } all[] = {
        {{"run", NULL}, "The program to run is missing"},
        {{"run", "-p", "2", NULL}, "The program to run is missing"},
        {{"run", "-x", "prog", NULL}, "Unrecognized option: -x"},
        {{"run", "--json", "prog", NULL}, "Unrecognized option: --json"},
        {{"run", "-s", "path", "prog", NULL}, "has no option -s: starting from a savepoint"},
        {{"run", "--class=A", "prog", NULL}, "has no option --class: a native program"},
        {{"run", "-Dparalelism.default=2", "prog", NULL}, "did you mean \"parallelism.default\""},
        {{"run", "-p", "0", "prog", NULL}, "from 1 to 32768"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        raski_error err = {0};
        char joined[256];
        assert_int_not_equal(parse(all[i].words, joined, sizeof joined, &err), RASK_OK);
        if (strstr(err.message, all[i].expected) == NULL)
            fail_msg("\"%s\" is not in \"%s\"", all[i].expected, err.message);
    }
}

static void check_plan(const char *text, const char *expected_or_null) {
    size_t start;
    size_t end;
    bool found = raski_find_plan(text, strlen(text), &start, &end);
    if (expected_or_null == NULL) {
        assert_false(found);
        return;
    }
    assert_true(found);
    assert_int_equal(end - start, strlen(expected_or_null));
    assert_memory_equal(text + start, expected_or_null, end - start);
}

static void plan_is_found_among_other_output(void **state) {
    (void)state;
    check_plan("{\n  \"nodes\" : [ ]\n}\n", "{\n  \"nodes\" : [ ]\n}");
    check_plan("hello {\n{\"a\": 1}\n{\"nodes\": []}\nbye }\n", "{\"nodes\": []}");
    check_plan("{ not json\n{\"nodes\": [{\"id\": 1}]}", "{\"nodes\": [{\"id\": 1}]}");
    check_plan("", NULL);
    check_plan("no plan\n", NULL);
    check_plan("{\"nodes\": 1}\n", NULL);
    check_plan("{\"nodes\": [", NULL);
    check_plan(" {\"nodes\": []}", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verbs_are_found_and_proposed),
        cmocka_unit_test(options_go_behind_the_program),
        cmocka_unit_test(wrong_options_are_told),
        cmocka_unit_test(plan_is_found_among_other_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
