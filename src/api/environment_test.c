/* Options of an environment: from the command line and from the program, and what the plan makes of
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rask/rask.h>

static rask_env *create(char **words, int *argc) {
    *argc = 0;
    while (words[*argc] != NULL) (*argc)++;
    return rask_env_create(argc, &words);
}

/* The plan of a small job with these settings, which the caller frees. */
static char *plan_of(rask_env *env) {
    rask_stream(int64_t) numbers = rask_sequence(env, 1, 10);
    rask_print(numbers);
    char *message = NULL;
    char *plan = rask_execution_plan(env, &message);
    if (plan == NULL) fail_msg("%s", message);
    return plan;
}

static void the_program_sets_what_the_plan_has(void **state) {
    (void)state;
    int argc;
    char *words[] = {(char[]){"job"}, NULL};
    rask_env *env = create(words, &argc);
    assert_string_equal(rask_get_option(env, "parallelism.default"), "1");
    rask_set_parallelism(env, 3);
    assert_string_equal(rask_get_option(env, "parallelism.default"), "3");
    char *plan = plan_of(env);
    assert_non_null(strstr(plan, "\"parallelism\" : 3"));
    free(plan);
    rask_env_destroy(env);
}

static void the_command_line_is_stronger_than_the_program(void **state) {
    (void)state;
    int argc;
    char *words[] = {(char[]){"job"}, (char[]){"-p"}, (char[]){"5"}, (char[]){"input"}, NULL};
    rask_env *env = create(words, &argc);
    assert_int_equal(argc, 2);
    assert_string_equal(words[1], "input");
    rask_set_parallelism(env, 3);
    rask_set_option(env, "pipeline.operator-chaining", "false"); /* an older name */
    assert_string_equal(rask_get_option(env, "parallelism.default"), "5");
    assert_string_equal(rask_get_option(env, "pipeline.operator-chaining.enabled"), "false");
    char *plan = plan_of(env);
    assert_non_null(strstr(plan, "\"parallelism\" : 5"));
    assert_null(strstr(plan, "\"parallelism\" : 3"));
    free(plan);
    rask_env_destroy(env);
}

static void mistakes_wait_for_the_plan(void **state) {
    (void)state;
    int argc;
    char *words[] = {(char[]){"job"}, (char[]){"-Dparalelism.default=2"}, NULL};
    rask_env *env = create(words, &argc);
    char *message = NULL;
    assert_null(rask_execution_plan(env, &message));
    assert_non_null(message);
    assert_non_null(strstr(message, "did you mean \"parallelism.default\"?"));
    free(message);
    rask_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_sets_what_the_plan_has),
        cmocka_unit_test(the_command_line_is_stronger_than_the_program),
        cmocka_unit_test(mistakes_wait_for_the_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
