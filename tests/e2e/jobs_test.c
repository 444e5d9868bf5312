/* Jobs as wholes: results in the program, several jobs one after the other and at once, large and
 * long ones, what happens without resources. */
#include <sched.h>

#include "e2e_test_util.h"

typedef struct {
    int64_t id;
    rask_string text;
} labelled;
RASK_TYPE(labelled, id, text);
RASK_MAP(make_label, int64_t, i, labelled) {
    return (labelled){i, i % 2 ? long_text(i) : rask_string_from("even")};
}
RASK_MAP(twice, int64_t, n, int64_t) {
    return 2 * n;
}
RASK_MAP(same, int64_t, n, int64_t) {
    return n;
}
RASK_REDUCE(add, int64_t, a, b) {
    return a + b;
}
RASK_MAP(zero, int64_t, n, int64_t) {
    return 0 * n;
}
typedef struct {
    int64_t next;
} counting;
RASK_INSTANCE(counting);
RASK_SOURCE(for_ever, counting, self, int64_t, out) {
    rask_emit(out, self->next++);
    return RASK_MORE;
}
RASK_SOURCE(up_to_ten, counting, self, int64_t, out) {
    rask_emit(out, self->next++);
    return self->next < 10 ? RASK_MORE : RASK_END;
}
RASK_MAP(same_label, labelled, l, labelled) {
    return l;
}
RASK_MAP(short_text, labelled, l, labelled) {
    return (labelled){l.id, long_text(l.id % 10)};
}
NOTE_SINK(note_number, int64_t)

/* ---------------------------------------------------------------- results in the program */
static void results_come_in_order_and_strings_live_until_the_next(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        if (s->parallelism > 1) continue;
        rask_env *env = env_of(s);
        rask_iterator(labelled) it =
            rask_execute_and_collect(rask_map(rask_sequence(env, 0, 9999), make_label), "test");
        int64_t next = 0;
        for (labelled r; rask_next(&it, &r); next++) {
            assert_int_equal(r.id, next);
            assert_true(rask_string_equal(r.text, make_label(next).text));
        }
        assert_int_equal(next, 10000);
        labelled r;
        assert_false(rask_next(&it, &r)); /* again, at the end */
        assert_int_equal(rask_close(&it), RASK_EXIT_OK);
    }
}

static void closing_early_cancels_the_job(void **state) {
    (void)state;
    FOR_EACH_STREAMING_SETTING(s) {
        for (int records = 0; records < 2000; records = records * 10 + 1) {
            rask_env *env = env_of(s);
            rask_iterator(int64_t) it = rask_execute_and_collect(
                rask_map(rask_rebalance(rask_source(env, for_ever)), twice), "endless");
            int64_t n;
            for (int i = 0; i < records; i++) assert_true(rask_next(&it, &n));
            assert_int_equal(rask_close(&it), RASK_EXIT_OK);
        }
    }
}

RASK_MAP(fail_at_500, int64_t, n, int64_t) {
    if (n == 500) (void)rask_fail("no %lld here", (long long)n);
    return n;
}
static void a_failing_job_ends_the_iteration(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        rask_iterator(int64_t) it = rask_execute_and_collect(
            rask_map(rask_rebalance(rask_sequence(env, 0, 999)), fail_at_500), "fails");
        int64_t n;
        int count = 0;
        while (rask_next(&it, &n)) count++;
        assert_true(count < 1000);
        assert_int_equal(rask_close(&it), RASK_EXIT_FAILED);
    }
}

/* A job fails although nobody takes its results. */
RASK_MAP(fail_at_a_million, int64_t, n, int64_t) {
    if (n == 1000000) (void)rask_fail("enough");
    return n;
}
static _Atomic bool has_failed;
RASK_RICH_MAP(watch_the_end, counting, self, int64_t, n, int64_t) {
    self->next += n;
    return n;
}
RASK_CLOSE(watch_the_end, self) {
    has_failed = true;
    return RASK_OK;
}
static void a_job_fails_while_nobody_takes_its_results(void **state) {
    (void)state;
    has_failed = false;
    rask_env *env = env_with_parallelism(1);
    rask_disable_chaining(env);
    rask_stream(int64_t) n = rask_source(env, for_ever);
    rask_discard(rask_map(rask_map(n, fail_at_a_million), watch_the_end));
    rask_iterator(int64_t) it = rask_execute_and_collect(rask_sequence(env, 1, 1 << 22), "fails");
    int64_t record;
    assert_true(rask_next(&it, &record));
    while (!has_failed) (void)sched_yield(); /* takes nothing meanwhile */
    while (rask_next(&it, &record)) {
    }
    assert_int_equal(rask_close(&it), RASK_EXIT_FAILED);
}

static void no_records_are_a_result_too(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        rask_iterator(int64_t) it = rask_execute_and_collect(
            rask_reduce(rask_key_by_value(rask_array(env, int64_t, (const int64_t *)NULL, 0)), add),
            "empty");
        int64_t n;
        assert_false(rask_next(&it, &n));
        assert_int_equal(rask_close(&it), RASK_EXIT_OK);
    }
}

/* ---------------------------------------------------------------- several jobs */
static void an_environment_can_run_again(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        notes seen = {0};
        rask_sink(rask_map(rask_rebalance(rask_sequence(env, 1, 500)), twice), note_number,
                  .self = RASK_SELF(noting, &seen));
        for (int run = 1; run <= 3; run++) {
            rask_job_result result = run_job(env);
            assert_int_equal(result.records_in, 500);
            assert_int_equal(result.records_out, 500);
            assert_int_equal(seen.lines.count, 500 * run);
        }
        rask_env_destroy(env);
        lines_free(&seen.lines);
    }
}

static void two_environments_do_not_know_each_other(void **state) {
    (void)state;
    notes seen[2] = {0};
    rask_env *envs[2];
    for (int i = 0; i < 2; i++) {
        envs[i] = env_with_parallelism(i + 1);
        rask_sink(rask_map(rask_sequence(envs[i], 1, 10 * (i + 1)), twice), note_number,
                  .self = RASK_SELF(noting, &seen[i]));
    }
    for (int i = 1; i >= 0; i--) (void)run_job(envs[i]);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(seen[i].lines.count, 10 * (i + 1));
        rask_env_destroy(envs[i]);
        lines_free(&seen[i].lines);
    }
}

static void a_program_can_have_several_jobs(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        rask_env *env = env_with_parallelism(2);
        rask_discard(rask_map(rask_rebalance(rask_sequence(env, 0, 999)), twice));
        assert_int_equal(rask_execute(env, "goes well"), RASK_EXIT_OK);
        env = env_with_parallelism(2);
        rask_discard(rask_map(rask_rebalance(rask_sequence(env, 0, 999)), fail_at_500));
        assert_int_equal(rask_execute(env, "fails"), RASK_EXIT_FAILED);
    }
}

static void an_environment_need_not_run(void **state) {
    (void)state;
    rask_env_destroy(NULL);
    rask_env_destroy(rask_env_create(NULL, NULL));
    rask_env *env = env_with_parallelism(2);
    rask_print(rask_sum(rask_key_by(rask_map(rask_sequence(env, 1, 10), make_label), text), id));
    rask_env_destroy(env);
}

static void *run_sum(void *context) {
    int64_t *sum = context;
    for (int i = 0; i < 10; i++) {
        rask_env *env = env_with_parallelism(2);
        rask_set_runtime_mode(env, RASK_BATCH);
        rask_iterator(int64_t) it = rask_execute_and_collect(
            rask_reduce(rask_key_by_value(rask_map(rask_sequence(env, 1, 1000), zero)), add),
            "at once");
        int64_t n;
        while (rask_next(&it, &n)) *sum += n + 1;
        if (rask_close(&it) != 0) *sum = -1000;
    }
    return NULL;
}
static void *run_endless(void *context) {
    int64_t *taken = context;
    for (int i = 0; i < 10; i++) {
        rask_env *env = env_with_parallelism(2);
        rask_iterator(int64_t) it = rask_execute_and_collect(
            rask_map(rask_source(env, for_ever), twice), "endless, at once");
        int64_t n;
        for (int k = 0; k < 100; k++) *taken += rask_next(&it, &n);
        if (rask_close(&it) != 0) *taken = -1000;
    }
    return NULL;
}
/* One that is cancelled again and again does not disturb the others. */
static void jobs_run_at_once_in_several_threads(void **state) {
    (void)state;
    pthread_t threads[4];
    int64_t results[4] = {0};
    for (int i = 0; i < 4; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, i % 2 ? run_endless : run_sum, &results[i]), 0);
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 4; i++) assert_int_equal(results[i], i % 2 ? 1000 : 10);
}

/* ---------------------------------------------------------------- sizes */
static void chains_of_many_operators(void **state) {
    (void)state;
    for (int batch = 0; batch < 2; batch++) {
        rask_env *env = env_with_parallelism(1);
        if (batch) rask_set_runtime_mode(env, RASK_BATCH);
        rask_stream(int64_t) s = rask_sequence(env, 1, 100);
        for (int i = 0; i < 5000; i++) s = rask_map(s, same);
        lines have = {0}, want = {0};
        COLLECT(int64_t, s, &have);
        for (int64_t i = 1; i <= 100; i++) ADD(int64_t, &want, i);
        assert_same_records(NULL, &have, &want);
    }
}

static void sixty_four_subtasks(void **state) {
    (void)state;
    for (int batch = 0; batch < 2; batch++) {
        rask_env *env = env_with_parallelism(64);
        if (batch) rask_set_runtime_mode(env, RASK_BATCH);
        rask_set_option(env, "taskmanager.memory.network.min", "512 mb");
        rask_set_option(env, "taskmanager.memory.network.max", "512 mb");
        notes seen = {0};
        rask_stream(int64_t) s = rask_map(rask_sequence(env, 1, 20000), same);
        rask_sink(
            rask_map(rask_rebalance(rask_map(rask_as_stream(rask_key_by_value(s)), twice)), same),
            note_number, .self = RASK_SELF(noting, &seen));
        (void)run_job(env);
        rask_env_destroy(env);
        lines want = {0};
        for (int64_t i = 1; i <= 20000; i++) ADD(int64_t, &want, 2 * i);
        for (int i = 0; i < 64; i++) assert_true(seen.per_subtask[i] > 0);
        assert_same_records(NULL, &seen.lines, &want);
    }
}

/* ---------------------------------------------------------------- resources */
static void r8_too_few_slots_fail_with_a_clear_message(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(2);
    rask_set_option(env, "taskmanager.numberOfTaskSlots", "1");
    rask_set_option(env, "slot.request.timeout", "50 ms");
    rask_set_option(env, "restart-strategy.type", "none");
    rask_discard(rask_map(rask_rebalance(rask_sequence(env, 1, 1000)), twice));
    assert_fails(env, "Could not acquire the minimum required resources");
}

/* Each subtask of one chained vertex is a region of its own: they run one after the other. */
static void r8_independent_regions_run_one_after_the_other_in_one_slot(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(2);
    rask_set_option(env, "taskmanager.numberOfTaskSlots", "1");
    rask_set_option(env, "slot.request.timeout", "60 s");
    notes seen = {0};
    rask_sink(rask_map(rask_sequence(env, 1, 1000), twice), note_number,
              .self = RASK_SELF(noting, &seen));
    (void)run_job(env);
    assert_int_equal(seen.lines.count, 1000);
    rask_env_destroy(env);
    lines_free(&seen.lines);
}

static void r9_slot_sharing_groups_need_slots_of_their_own(void **state) {
    (void)state;
    for (int slots = 3; slots <= 4; slots++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%d", slots);
        rask_env *env = env_with_parallelism(2);
        rask_set_option(env, "taskmanager.numberOfTaskSlots", text);
        rask_set_option(env, "slot.request.timeout", "50 ms");
        rask_set_option(env, "restart-strategy.type", "none");
        rask_discard(rask_map(rask_rebalance(rask_sequence(env, 1, 1000)), twice,
                              .slot_sharing_group = "other"));
        if (slots == 4) {
            (void)run_job(env);
            rask_env_destroy(env);
        } else {
            assert_fails(env, "Could not acquire the minimum required resources");
        }
    }
}

static void r10_too_few_network_buffers(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(40);
    rask_set_option(env, "taskmanager.memory.network.min", "2 mb");
    rask_set_option(env, "taskmanager.memory.network.max", "2 mb");
    rask_set_option(env, "restart-strategy.type", "none");
    rask_discard(rask_map(rask_rebalance(rask_sequence(env, 1, 1000)), twice));
    rask_job_result result;
    assert_int_equal(rask_execute_job(env, "test", &result), RASK_EXIT_FAILED);
    static const char *const parts[] = {
        "Insufficient number of network buffers: required 41, but only ",
        "The total number of network buffers is currently set to 64 of 32768 bytes each.",
        "taskmanager.memory.network.fraction", "taskmanager.memory.network.min",
        "taskmanager.memory.network.max"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(result.message, parts[i]) == NULL)
            fail_msg("\"%s\" is not in: %s", parts[i], result.message);
    rask_env_destroy(env);
}

/* ---------------------------------------------------------------- batch */
/* R13: more data than there are buffers, on the way between stages of any kind. */
static void r13_batch_jobs_with_every_kind_of_exchange(void **state) {
    (void)state;
    static const char *const modes[] = {"ALL_EXCHANGES_BLOCKING", "ALL_EXCHANGES_PIPELINED",
                                        "ALL_EXCHANGES_HYBRID_FULL",
                                        "ALL_EXCHANGES_HYBRID_SELECTIVE"};
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (int p = 1; p <= 3; p++) {
            rask_env *env = env_with_parallelism(p);
            rask_set_runtime_mode(env, RASK_BATCH);
            rask_set_option(env, "execution.batch-shuffle-mode", modes[m]);
            rask_set_option(env, "taskmanager.memory.network.min", "2 mb");
            rask_set_option(env, "taskmanager.memory.network.max", "2 mb");
            lines have = {0}, want = {0};
            rask_stream(labelled) l = rask_map(rask_sequence(env, 0, 59999), make_label);
            l = rask_map(rask_rebalance(l), same_label);
            COLLECT(labelled, rask_sum(rask_key_by(rask_map(l, short_text), text), id), &have);
            int64_t sums[10] = {0};
            for (int64_t i = 0; i < 60000; i++) sums[i % 10] += i;
            for (int64_t k = 0; k < 10; k++) ADD(labelled, &want, {sums[k], long_text(k)});
            assert_same_records(NULL, &have, &want);
        }
}

/* The mode follows from the sources. */
static void automatic_mode(void **state) {
    (void)state;
    for (int bounded = 0; bounded < 2; bounded++) {
        rask_env *env = env_with_parallelism(1);
        rask_set_runtime_mode(env, RASK_AUTOMATIC);
        rask_stream(int64_t) n = rask_source(env, up_to_ten, .bounded = bounded);
        lines have = {0}, want = {0};
        COLLECT(int64_t, rask_reduce(rask_key_by_value(rask_map(n, zero)), add), &have);
        for (int i = 0; i < (bounded ? 1 : 10); i++) ADD(int64_t, &want, 0);
        assert_same_records(NULL, &have, &want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_in_order_and_strings_live_until_the_next),
        cmocka_unit_test(closing_early_cancels_the_job),
        cmocka_unit_test(a_failing_job_ends_the_iteration),
        cmocka_unit_test(a_job_fails_while_nobody_takes_its_results),
        cmocka_unit_test(no_records_are_a_result_too),
        cmocka_unit_test(an_environment_can_run_again),
        cmocka_unit_test(two_environments_do_not_know_each_other),
        cmocka_unit_test(a_program_can_have_several_jobs),
        cmocka_unit_test(an_environment_need_not_run),
        cmocka_unit_test(jobs_run_at_once_in_several_threads),
        cmocka_unit_test(chains_of_many_operators),
        cmocka_unit_test(sixty_four_subtasks),
        cmocka_unit_test(r8_too_few_slots_fail_with_a_clear_message),
        cmocka_unit_test(r8_independent_regions_run_one_after_the_other_in_one_slot),
        cmocka_unit_test(r9_slot_sharing_groups_need_slots_of_their_own),
        cmocka_unit_test(r10_too_few_network_buffers),
        cmocka_unit_test(r13_batch_jobs_with_every_kind_of_exchange),
        cmocka_unit_test(automatic_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
