/* rask_plan: the plan of a program through the public API, and where its mistakes were made. */
#include <rask/rask.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

RASK_MAP(doubled, int64_t, number, int64_t) {
    return number * 2;
}

static rask_env *program(int parallelism) {
    int argc = 1;
    char *words[] = {(char[]){"job"}, NULL};
    char **argv = words;
    rask_env *env = rask_env_create(&argc, &argv);
    rask_stream(int64_t) numbers = rask_sequence(env, 1, 10, .name = "numbers");
    rask_discard(rask_map(numbers, doubled, .parallelism = parallelism));
    return env;
}

static char *plan_of(rask_env *env, rask_plan_graph graph, rask_plan_format format) {
    char *message = NULL;
    char *plan = rask_plan(env, graph, format, &message);
    if (plan == NULL) fail_msg("%s", message);
    return plan;
}

static void every_graph_in_every_form(void **state) {
    (void)state;
    static const rask_plan_format formats[] = {RASK_PLAN_TEXT, RASK_PLAN_JSON, RASK_PLAN_DOT,
                                               RASK_PLAN_FACTS};
    rask_env *env = program(1);
    for (int graph = RASK_PLAN_STREAM_GRAPH; graph <= RASK_PLAN_EXECUTION_GRAPH; graph++)
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            char *plan = plan_of(env, (rask_plan_graph)graph, formats[i]);
            assert_non_null(strstr(plan, "numbers"));
            free(plan);
        }
    rask_env_destroy(env);
}

static void planning_again_gives_the_same(void **state) {
    (void)state;
    rask_env *env = program(2);
    char *first = plan_of(env, RASK_PLAN_JOB_GRAPH, RASK_PLAN_TEXT);
    assert_non_null(strstr(first,
                           "not chained: parallelism differs: 1 and 2; records are "
                           "redistributed: REBALANCE, not FORWARD"));
    char *second = plan_of(env, RASK_PLAN_JOB_GRAPH, RASK_PLAN_TEXT);
    assert_string_equal(first, second);
    free(first);
    free(second);
    rask_env_destroy(env);
}

static void mistakes_say_where(void **state) {
    (void)state;
    int argc = 1;
    char *words[] = {(char[]){"job"}, NULL};
    char **argv = words;
    char *message = NULL;
    rask_env *env = rask_env_create(&argc, &argv);
    rask_stream(int64_t) numbers = rask_sequence(env, 1, 10, .uid = "twice");
    rask_discard(rask_map(numbers, doubled, .uid = "twice"));
    assert_null(rask_plan(env, RASK_PLAN_JOB_GRAPH, RASK_PLAN_JSON, &message));
    assert_non_null(strstr(message, "Hash collision on user-specified ID \"twice\""));
    assert_non_null(strstr(message, "plan_test.c:"));
    free(message);
    char *facts = rask_plan(env, RASK_PLAN_JOB_GRAPH, RASK_PLAN_FACTS, NULL);
    assert_non_null(strstr(facts, "\"stage\": \"operatorHashes\""));
    free(facts);
    rask_env_destroy(env);
}

static void texts_that_are_not_unicode_are_refused(void **state) {
    (void)state;
    int argc = 1;
    char *words[] = {(char[]){"job"}, NULL};
    char **argv = words;
    char *message = NULL;
    rask_env *env = rask_env_create(&argc, &argv);
    rask_discard(rask_sequence(env, 1, 10, .name = "caf\xe9"));
    assert_null(rask_plan(env, RASK_PLAN_JOB_GRAPH, RASK_PLAN_JSON, &message));
    assert_non_null(strstr(message, ".name is not UTF-8"));
    free(message);
    rask_env_destroy(env);
}

static void wrong_arguments_are_told(void **state) {
    (void)state;
    char *message = NULL;
    rask_env *env = program(1);
    assert_null(rask_plan(env, (rask_plan_graph)7, RASK_PLAN_TEXT, &message));
    assert_string_equal(message, "there is no such graph or format of plans");
    free(message);
    assert_null(rask_plan(env, RASK_PLAN_JOB_GRAPH, (rask_plan_format)-1, NULL));
    rask_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_graph_in_every_form),
        cmocka_unit_test(planning_again_gives_the_same),
        cmocka_unit_test(mistakes_say_where),
        cmocka_unit_test(texts_that_are_not_unicode_are_refused),
        cmocka_unit_test(wrong_arguments_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
