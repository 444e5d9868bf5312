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

/* How a small job ends with these bounds; NULL: not set. */
static rask_job_result run_with(const char *min, const char *max) {
    int argc;
    char *words[] = {(char[]){"job"}, NULL};
    rask_env *env = create(words, &argc);
    if (min != NULL) rask_set_option(env, "taskmanager.memory.network.min", min);
    if (max != NULL) rask_set_option(env, "taskmanager.memory.network.max", max);
    rask_set_parallelism(env, 2);
    rask_discard(rask_key_by_value(rask_sequence(env, 1, 10)));
    rask_job_result result;
    (void)rask_execute_job(env, "memory", &result);
    rask_env_destroy(env);
    return result;
}

static void network_memory_is_bounded_as_it_says(void **state) {
    (void)state;
    assert_int_equal(run_with(NULL, NULL).status, RASK_OK);
    assert_int_equal(run_with("1 mb", NULL).status, RASK_OK);
    assert_int_equal(run_with(NULL, "1 mb").status, RASK_OK);
    rask_job_result small = run_with(NULL, "64 kb"); /* though the default minimum is larger */
    assert_int_equal(small.status, RASK_FAILED);
    assert_non_null(strstr(small.message, "Insufficient number of network buffers"));
    rask_job_result wrong = run_with("2 mb", "1 mb");
    assert_int_equal(wrong.status, RASK_E_ARGUMENT);
    assert_non_null(strstr(wrong.message, "taskmanager.memory.network.min (2097152 bytes)"));
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
        cmocka_unit_test(network_memory_is_bounded_as_it_says),
        cmocka_unit_test(mistakes_wait_for_the_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
