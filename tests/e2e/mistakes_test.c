/* Mistakes of a program: most are found before its job starts, with operator, file and line; the
 * rest fail the job with a message instead of reading what is not there. */
#include "e2e_test_util.h"

RASK_MAP(same, int64_t, n, int64_t) {
    return n;
}
typedef struct {
    int64_t next;
} counting;
RASK_INSTANCE(counting);
RASK_SOURCE(for_ever, counting, self, int64_t, out) {
    rask_emit(out, self->next++);
    return RASK_MORE;
}
NOTE_SINK(note_number, int64_t)
typedef struct {
    rask_value(int64_t) seen;
} keyed;
RASK_STATE(keyed, seen);

static void assert_mistake(rask_env *env, const char *const parts[]) {
    rask_job_result result;
    assert_int_equal(rask_execute_job(env, "test", &result), RASK_EXIT_FAILED);
    for (int i = 0; parts[i] != NULL; i++)
        if (strstr(result.message, parts[i]) == NULL)
            fail_msg("\"%s\" is not in: %s", parts[i], result.message);
    char *message = NULL;
    assert_null(rask_execution_plan(env, &message)); /* the plan says the same */
    for (int i = 0; parts[i] != NULL; i++)
        if (strstr(message, parts[i]) == NULL) fail_msg("\"%s\" is not in: %s", parts[i], message);
    free(message);
    rask_env_destroy(env);
}
#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void p4_one_uid_twice(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_map(rask_map(rask_sequence(env, 1, 2), same, .uid = "x"), same, .uid = "x"));
    rask_job_result result;
    assert_int_equal(rask_execute_job(env, "test", &result), RASK_EXIT_FAILED);
    static const char part[] =
        "IllegalArgumentException: Hash collision on user-specified ID \"x\". Most likely cause is "
        "a "
        "non-unique ID. Please check that all IDs specified via `uid(String)` are unique.";
    if (strstr(result.message, part) == NULL) fail_msg("%s", result.message);
    rask_env_destroy(env);
}

static void p5_operators_need_uids_where_none_are_made(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_set_option(env, "pipeline.auto-generate-uids", "false");
    rask_discard(rask_map(rask_sequence(env, 1, 2, .uid = "s"), same), .uid = "k");
    assert_fails(env,
                 "IllegalStateException: Auto generated UIDs have been disabled but no UID or "
                 "hash has been assigned to operator Map");
}

static void p6_forward_to_another_parallelism(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_map(rask_forward(rask_sequence(env, 1, 2)), same, .parallelism = 2));
    assert_mistake(env,
                   PARTS("UnsupportedOperationException: Forward partitioning does not allow "
                         "change of parallelism. Upstream operation: Source: Sequence Source-1 "
                         "parallelism: 1, downstream operation: Map-3 parallelism: 2 You must use "
                         "another partitioning strategy, such as broadcast, rebalance, shuffle or "
                         "global."));
    env = env_with_parallelism(1);
    notes seen = {0};
    rask_sink(rask_map(rask_sequence(env, 1, 100), same, .parallelism = 2), note_number,
              .self = RASK_SELF(noting, &seen), .parallelism = 2);
    (void)run_job(env);
    assert_int_equal(seen.per_subtask[0], 50);
    assert_int_equal(seen.per_subtask[1], 50);
    rask_env_destroy(env);
    lines_free(&seen.lines);
}

static void mistakes_name_operator_file_and_line(void **state) {
    (void)state;
    char line[64];
    rask_env *env = env_with_parallelism(1);
    (void)snprintf(line, sizeof line, "mistakes_test.c:%d", __LINE__ + 1);
    rask_discard(rask_map(rask_sequence(env, 1, 2), same, .name = "careless", .parallelism = -3));
    assert_mistake(env, PARTS("careless", line, "parallelism"));

    env = env_with_parallelism(1);
    (void)snprintf(line, sizeof line, "mistakes_test.c:%d", __LINE__ + 1);
    rask_discard(rask_map(rask_sequence(env, 1, 2), same, .max_parallelism = 40000));
    assert_mistake(env, PARTS("Map", line, "32768"));

    env = env_with_parallelism(1);
    (void)snprintf(line, sizeof line, "mistakes_test.c:%d", __LINE__ + 1);
    rask_discard(rask_map(rask_sequence(env, 1, 2), same, .uid_hash = "not hex"));
    assert_mistake(env, PARTS("Map", line));

    env = env_with_parallelism(1);
    (void)snprintf(line, sizeof line, "mistakes_test.c:%d", __LINE__ + 1);
    rask_discard(rask_sequence(env, 1, 2), .parallelism = -2);
    assert_mistake(env, PARTS("Sink", line));

    env = env_with_parallelism(1);
    (void)snprintf(line, sizeof line, "mistakes_test.c:%d", __LINE__ + 1);
    rask_print(rask_read_text(env, NULL));
    assert_mistake(env, PARTS("text source", line));
}

/* Both inputs are keyed, by keys that cannot be equal. */
RASK_KEYED_CO_PROCESS(two_keys, keyed, self, int64_t, n, rask_string, int64_t, out) {
    rask_emit(out, n + ++*rask_ref(self->seen));
}
RASK_ON_SECOND(two_keys, self, s, out) {
    (void)s;
    rask_emit(out, ++*rask_ref(self->seen));
}
static void inputs_of_one_operator_have_keys_of_one_type(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_stream(rask_string) words = rask_values(env, rask_string, rask_string_from("a"));
    rask_discard(rask_connect(rask_key_by_value(rask_sequence(env, 1, 2)), rask_key_by_value(words),
                              two_keys));
    assert_mistake(env, PARTS("mistakes_test.c", "Key types if input KeyedStreams don't match"));
}
static void more_subtasks_than_key_groups(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_map(rask_sequence(env, 1, 2), same, .name = "wide", .parallelism = 4,
                          .max_parallelism = 3));
    rask_job_result result;
    assert_int_equal(rask_execute_job(env, "test", &result), RASK_EXIT_FAILED);
    assert_non_null(strstr(result.message, "wide"));
    assert_non_null(strstr(result.message, "parallelism"));
    rask_env_destroy(env);
}

static void mistakes_of_environments(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(-5);
    rask_discard(rask_sequence(env, 1, 2));
    assert_mistake(env, PARTS("Parallelism must be at least one"));

    env = env_with_parallelism(1);
    rask_set_max_parallelism(env, 1 << 20);
    rask_discard(rask_sequence(env, 1, 2));
    assert_mistake(env, PARTS("32768"));

    env = env_with_parallelism(1);
    rask_set_option(env, "paralelism.default", "2");
    rask_discard(rask_sequence(env, 1, 2));
    assert_mistake(env, PARTS("paralelism.default", "parallelism.default"));

    env = env_with_parallelism(1);
    rask_set_runtime_mode(env, (rask_runtime_mode)7);
    rask_discard(rask_sequence(env, 1, 2));
    assert_mistake(env, PARTS("7"));

    env = env_with_parallelism(1);
    rask_set_runtime_mode(env, RASK_BATCH);
    rask_discard(rask_source(env, for_ever));
    rask_job_result result;
    assert_int_equal(rask_execute_job(env, "test", &result), RASK_EXIT_FAILED);
    assert_non_null(strstr(result.message, "BATCH"));
    rask_env_destroy(env);

    env = env_with_parallelism(1);
    assert_fails(env, "No operators defined in streaming topology. Cannot execute.");
}

static void streams_of_two_environments_cannot_meet(void **state) {
    (void)state;
    rask_env *a = env_with_parallelism(1), *b = env_with_parallelism(1);
    rask_discard(rask_union(rask_sequence(a, 1, 2), rask_sequence(b, 1, 2)));
    assert_fails(a, "different environments");
    rask_env_destroy(b);
}

/* A function whose instance is of another type than .self says. */
typedef struct {
    int64_t other;
} wrong;
RASK_INSTANCE(wrong);
static void the_initial_instance_has_the_functions_type(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    char line[64];
    (void)snprintf(line, sizeof line, "mistakes_test.c:%d", __LINE__ + 1);
    rask_discard(rask_source(env, for_ever, .bounded = true, .self = RASK_SELF(wrong, 1)));
    assert_mistake(env, PARTS("for_ever", "counting", "wrong", line));
}

/* What compilers cannot see: a field that is not listed, where padding would be (mistakes m9). */
#ifndef __clang__
typedef struct {
    int64_t a;
    int32_t b;
    int32_t hidden;
} forgetful;
RASK_TYPE(forgetful, a, b);
RASK_MAP(make_forgetful, int64_t, n, forgetful) {
    return (forgetful){n, 1, 2};
}
static void m9_a_hidden_field_is_found_before_the_job_starts(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    char line[64];
    (void)snprintf(line, sizeof line, "mistakes_test.c:%d", __LINE__ + 1);
    rask_discard(rask_map(rask_sequence(env, 1, 2), make_forgetful));
    assert_mistake(env, PARTS("RASK_TYPE(forgetful) does not list the field at offset 12", line));
}
#endif

/* Tags are told apart by their names: one that another file declares with another type is found
 * when it is used. */
RASK_SIDE_OUTPUT(mine, int64_t);
static const struct {
    raski_tag base;
    rask_stream(rask_string) out;
} theirs = {.base = {"mine", &rask_type_rask_string}};
RASK_PROCESS(to_mine, counting, self, int64_t, n, int64_t, out) {
    rask_emit_side(out, mine, self->next + n);
}
static void a_side_output_of_another_type_fails_the_job(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_side_output(rask_process(rask_sequence(env, 1, 2), to_mine), theirs));
    assert_fails(env,
                 "a record of type int64_t was emitted to side output \"mine\", which is read as "
                 "rask_string");
    env = env_with_parallelism(1); /* two readers that disagree are found before */
    rask_stream(int64_t) s = rask_process(rask_sequence(env, 1, 2), to_mine);
    rask_discard(rask_side_output(s, theirs));
    rask_discard(rask_side_output(s, mine));
    assert_mistake(env, PARTS("mine", "mistakes_test.c"));
}

/* A wrong type of rask_key fails the job instead of reading what is not there. */
RASK_KEYED_PROCESS(wrong_key, keyed, self, int64_t, n, int64_t, out) {
    ++*rask_ref(self->seen);
    rask_emit(out, n + (int64_t)rask_key(out, rask_string)->len);
}
static void a_wrong_type_of_key_fails_the_job(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_process(rask_key_by_value(rask_sequence(env, 1, 2)), wrong_key));
    assert_fails(env, "rask_key: the key is not of type rask_string");
}

/* At the end there is no current key: asking for its state fails the job. */
#define STATE_AT_THE_END(fn, statement) \
    RASK_KEYED_PROCESS(fn, keyed, self, int64_t, n, int64_t, out) { \
        ++*rask_ref(self->seen); \
        rask_emit(out, n); \
    } \
    RASK_ON_END(fn, self, out) { \
        (void)out; \
        statement; \
    }
STATE_AT_THE_END(sets_at_end, rask_set(self->seen, 1))
STATE_AT_THE_END(clears_at_end, rask_clear(self->seen))
STATE_AT_THE_END(asks_key_at_end, rask_emit(out, *rask_key(out, int64_t)))
STATE_AT_THE_END(gets_at_end, {
    if (rask_get(self->seen) != NULL) (void)rask_fail("a value without a key");
})
static void there_is_no_state_without_a_key(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_process(rask_key_by_value(rask_sequence(env, 1, 200)), sets_at_end));
    assert_fails(env, "there is no current key");
    env = env_with_parallelism(1);
    rask_discard(rask_process(rask_key_by_value(rask_sequence(env, 1, 200)), clears_at_end));
    assert_fails(env, "there is no current key");
    env = env_with_parallelism(1);
    rask_discard(rask_process(rask_key_by_value(rask_sequence(env, 1, 200)), asks_key_at_end));
    assert_fails(env, "there is no current key");
    env = env_with_parallelism(1);
    rask_discard(rask_process(rask_key_by_value(rask_sequence(env, 1, 200)), gets_at_end));
    (void)run_job(env);
    rask_env_destroy(env);
}

RASK_PROCESS(not_keyed, keyed, self, int64_t, n, int64_t, out) {
    *rask_ref(self->seen) += n;
    rask_emit(out, n);
}

static void keyed_state_needs_a_keyed_function(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_process(rask_sequence(env, 1, 2), not_keyed));
    assert_mistake(env, PARTS("not_keyed is not keyed", "RASK_KEYED_PROCESS", "mistakes_test.c:"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p4_one_uid_twice),
        cmocka_unit_test(p5_operators_need_uids_where_none_are_made),
        cmocka_unit_test(p6_forward_to_another_parallelism),
        cmocka_unit_test(mistakes_name_operator_file_and_line),
        cmocka_unit_test(inputs_of_one_operator_have_keys_of_one_type),
        cmocka_unit_test(more_subtasks_than_key_groups),
        cmocka_unit_test(mistakes_of_environments),
        cmocka_unit_test(streams_of_two_environments_cannot_meet),
        cmocka_unit_test(the_initial_instance_has_the_functions_type),
#ifndef __clang__
        cmocka_unit_test(m9_a_hidden_field_is_found_before_the_job_starts),
#endif
        cmocka_unit_test(a_side_output_of_another_type_fails_the_job),
        cmocka_unit_test(a_wrong_type_of_key_fails_the_job),
        cmocka_unit_test(there_is_no_state_without_a_key),
        cmocka_unit_test(keyed_state_needs_a_keyed_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
