/* The life of functions in whole jobs: which hooks are called when and how often, also when the job
 * fails or is cancelled; what the runtime context, options and counters say. */
#include "e2e_test_util.h"

/* ---------------------------------------------------------------- a diary of all hooks */
typedef struct {
    rask_string hook;
    int32_t subtask;
    int64_t records;
} event;
RASK_TYPE(event, hook, subtask, records);

typedef struct {
    notes *diary;
    const char *name;
    int64_t records;
    int32_t fail_in; /* 1 open, 2 finish, 3 close, 4 record 10, 5 on_end */
} diarist;
RASK_INSTANCE(diarist);

static rask_status tell(diarist *self, const char *hook, int fail_code) {
    event e = {rask_string_format("%s.%s", self->name, hook), rask_runtime()->subtask_index,
               self->records};
    notes_add(self->diary, &rask_type_event, &e);
    return self->fail_in == fail_code ? rask_fail("%s.%s was told to fail", self->name, hook)
                                      : RASK_OK;
}

RASK_RICH_MAP(diary_map, diarist, self, int64_t, n, int64_t) {
    if (++self->records == 10 && self->fail_in == 4) (void)rask_fail("record 10");
    return n;
}
RASK_OPEN(diary_map, self) {
    return tell(self, "open", 1);
}
RASK_FINISH(diary_map, self) {
    return tell(self, "finish", 2);
}
RASK_CLOSE(diary_map, self) {
    return tell(self, "close", 3);
}

RASK_PROCESS(diary_process, diarist, self, int64_t, n, int64_t, out) {
    if (++self->records == 10 && self->fail_in == 4) (void)rask_fail("record 10");
    rask_emit(out, n);
}
RASK_OPEN(diary_process, self) {
    return tell(self, "open", 1);
}
RASK_ON_END(diary_process, self, out) {
    (void)tell(self, "end", 5);
    rask_emit(out, -1);
}
RASK_FINISH(diary_process, self) {
    return tell(self, "finish", 2);
}
RASK_CLOSE(diary_process, self) {
    return tell(self, "close", 3);
}

RASK_SINK(diary_sink, diarist, self, int64_t, n) {
    (void)n;
    if (++self->records == 10 && self->fail_in == 4) (void)rask_fail("record 10");
}
RASK_OPEN(diary_sink, self) {
    return tell(self, "open", 1);
}
RASK_FINISH(diary_sink, self) {
    return tell(self, "finish", 2);
}
RASK_CLOSE(diary_sink, self) {
    return tell(self, "close", 3);
}

RASK_SOURCE(diary_source, diarist, self, int64_t, out) {
    if (self->records == 100) return RASK_END;
    rask_emit(out, self->records++);
    if (self->records == 10 && self->fail_in == 4) return rask_fail("record 10");
    return RASK_MORE;
}
RASK_OPEN(diary_source, self) {
    return tell(self, "open", 1);
}
RASK_FINISH(diary_source, self) {
    return tell(self, "finish", 2);
}
RASK_CLOSE(diary_source, self) {
    return tell(self, "close", 3);
}

typedef struct {
    notes *diary;
    const char *name;
    rask_value(int64_t) seen;
} keyed_diarist;
RASK_STATE(keyed_diarist, seen);
static rask_status tell_keyed(keyed_diarist *self, const char *hook) {
    event e = {rask_string_format("%s.%s", self->name, hook), rask_runtime()->subtask_index, 0};
    notes_add(self->diary, &rask_type_event, &e);
    return RASK_OK;
}
RASK_KEYED_PROCESS(diary_keyed, keyed_diarist, self, int64_t, n, int64_t, out) {
    ++*rask_ref(self->seen);
    rask_emit(out, n);
}
RASK_OPEN(diary_keyed, self) {
    return tell_keyed(self, "open");
}
RASK_ON_END(diary_keyed, self, out) {
    (void)tell_keyed(self, "end");
    rask_emit(out, -2);
}
RASK_FINISH(diary_keyed, self) {
    return tell_keyed(self, "finish");
}
RASK_CLOSE(diary_keyed, self) {
    return tell_keyed(self, "close");
}

#define DIARIST(NAME, FAIL) RASK_SELF(diarist, .diary = diary, .name = NAME, .fail_in = (FAIL))

static void build(rask_env *env, notes *diary, const int fail_in[4]) {
    rask_stream(int64_t) s =
        rask_source(env, diary_source, .bounded = true, .self = DIARIST("source", fail_in[0]));
    s = rask_map(s, diary_map, .self = DIARIST("map", fail_in[1]));
    s = rask_process(s, diary_process, .self = DIARIST("process", fail_in[2]));
    s = rask_process(rask_key_by_value(s), diary_keyed,
                     .self = RASK_SELF(keyed_diarist, .diary = diary, .name = "keyed"));
    rask_sink(s, diary_sink, .self = DIARIST("sink", fail_in[3]));
}

/* How often a hook was called, in all subtasks. */
static int calls(const notes *diary, const char *hook) {
    const size_t length = strlen(hook);
    int n = 0;
    for (size_t i = 0; i < diary->lines.count; i++) {
        const char *line = diary->lines.items[i]; /* "(hook,..." */
        n += line[0] == '(' && strncmp(line + 1, hook, length) == 0 && line[1 + length] == ',';
    }
    return n;
}
static int place_of(const notes *diary, const char *hook) {
    char start[64];
    (void)snprintf(start, sizeof start, "(%s,", hook);
    for (size_t i = 0; i < diary->lines.count; i++)
        if (strncmp(diary->lines.items[i], start, strlen(start)) == 0) return (int)i;
    fail_msg("%s was not called", hook);
    return -1;
}

static void every_hook_is_called_once_in_each_subtask(void **state) {
    (void)state;
    static const char *const names[] = {"source", "map", "process", "keyed", "sink"};
    FOR_EACH_SETTING(s) {
        notes diary = {0};
        rask_env *env = env_of(s);
        build(env, &diary, (int[4]){0});
        rask_job_result result = run_job(env);
        rask_env_destroy(env);
        /* records of on_end included */
        assert_int_equal(result.records_out, s->parallelism * 102);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            char hook[64];
            (void)snprintf(hook, sizeof hook, "%s.open", names[i]);
            assert_int_equal(calls(&diary, hook), s->parallelism);
            (void)snprintf(hook, sizeof hook, "%s.finish", names[i]);
            assert_int_equal(calls(&diary, hook), s->parallelism);
            (void)snprintf(hook, sizeof hook, "%s.close", names[i]);
            assert_int_equal(calls(&diary, hook), s->parallelism);
        }
        assert_int_equal(calls(&diary, "process.end"), s->parallelism);
        assert_int_equal(calls(&diary, "keyed.end"), s->parallelism);
        if (s->parallelism == 1) {
            /* operators behind are open before those in front; each ends before the next one */
            if (s->chaining)
                assert_true(place_of(&diary, "map.open") < place_of(&diary, "source.open"));
            assert_true(place_of(&diary, "process.open") < place_of(&diary, "process.end"));
            assert_true(place_of(&diary, "process.end") < place_of(&diary, "process.finish"));
            assert_true(place_of(&diary, "process.finish") < place_of(&diary, "process.close"));
            assert_true(place_of(&diary, "source.finish") < place_of(&diary, "map.finish"));
            assert_true(place_of(&diary, "map.finish") < place_of(&diary, "process.end"));
            assert_true(place_of(&diary, "keyed.end") < place_of(&diary, "sink.finish"));
        }
        lines_free(&diary.lines);
    }
}

/* Whatever fails: what was opened is closed once, and nothing finishes behind the failure. */
static void what_was_opened_is_closed_once_when_a_job_fails(void **state) {
    (void)state;
    static const char *const names[] = {"source", "map", "process", "sink"};
    static const char *const hooks[] = {"", "open", "finish", "close", "", "end"};
    for (int who = 0; who < 4; who++)
        for (int when = 1; when <= 5; when++)
            for (int chaining = 0; chaining < 2; chaining++) {
                if (when == 5 && who != 2) continue;
                notes diary = {0};
                rask_env *env = env_with_parallelism(2);
                if (!chaining) rask_disable_chaining(env);
                int fail_in[4] = {0};
                fail_in[who] = when;
                build(env, &diary, fail_in);
                char part[64];
                (void)snprintf(part, sizeof part, "%s.%s was told to fail", names[who],
                               hooks[when]);
                assert_fails(env, when == 4 ? "record 10" : part);
                for (int i = 0; i < 4; i++) {
                    char open[64], close[64], finish[64];
                    (void)snprintf(open, sizeof open, "%s.open", names[i]);
                    (void)snprintf(close, sizeof close, "%s.close", names[i]);
                    (void)snprintf(finish, sizeof finish, "%s.finish", names[i]);
                    assert_int_equal(calls(&diary, open), calls(&diary, close));
                    assert_true(calls(&diary, open) <= 2);
                    assert_true(calls(&diary, finish) <= calls(&diary, open));
                    if (when != 3 && i > who) /* both subtasks of `who` fail */
                        assert_int_equal(calls(&diary, finish), 0);
                }
                assert_int_equal(calls(&diary, "keyed.open"), calls(&diary, "keyed.close"));
                lines_free(&diary.lines);
            }
}

/* ---------------------------------------------------------------- cancel */
typedef struct {
    notes *diary;
    const char *name;
    int64_t records;
} endless;
RASK_INSTANCE(endless);
RASK_SOURCE(numbers_for_ever, endless, self, int64_t, out) {
    rask_emit(out, self->records++);
    return RASK_MORE;
}
static rask_status tell_endless(endless *self, const char *hook) {
    event e = {rask_string_format("%s.%s", self->name, hook), rask_runtime()->subtask_index, 0};
    notes_add(self->diary, &rask_type_event, &e);
    return RASK_OK;
}
RASK_OPEN(numbers_for_ever, self) {
    return tell_endless(self, "open");
}
RASK_FINISH(numbers_for_ever, self) {
    return tell_endless(self, "finish");
}
RASK_CLOSE(numbers_for_ever, self) {
    return tell_endless(self, "close");
}
RASK_RICH_MAP(pass_on, endless, self, int64_t, n, int64_t) {
    (void)self;
    return n;
}
RASK_OPEN(pass_on, self) {
    return tell_endless(self, "open");
}
RASK_FINISH(pass_on, self) {
    return tell_endless(self, "finish");
}
RASK_CLOSE(pass_on, self) {
    return tell_endless(self, "close");
}

static void what_was_opened_is_closed_once_when_a_job_is_cancelled(void **state) {
    (void)state;
    FOR_EACH_STREAMING_SETTING(s) {
        notes diary_ = {0}, *diary = &diary_;
        rask_env *env = env_of(s);
        rask_stream(int64_t) n = rask_source(
            env, numbers_for_ever, .self = RASK_SELF(endless, .diary = diary, .name = "source"));
        n = rask_map(rask_rebalance(n), pass_on,
                     .self = RASK_SELF(endless, .diary = diary, .name = "map"));
        rask_iterator(int64_t) it = rask_execute_and_collect(n, "endless");
        int64_t record;
        for (int i = 0; i < 3000; i++) assert_true(rask_next(&it, &record));
        assert_int_equal(rask_close(&it), 0);
        /* a task may have been cancelled before it opened anything */
        assert_in_range(calls(diary, "source.open"), 1, s->parallelism);
        assert_in_range(calls(diary, "map.open"), 1, s->parallelism);
        assert_int_equal(calls(diary, "source.close"), calls(diary, "source.open"));
        assert_int_equal(calls(diary, "map.close"), calls(diary, "map.open"));
        assert_int_equal(calls(diary, "source.finish"), 0);
        assert_int_equal(calls(diary, "map.finish"), 0);
        lines_free(&diary->lines);
    }
}

/* ---------------------------------------------------------------- context, options, counters */
typedef struct {
    rask_string job, task, operation, option;
    int32_t subtask, parallelism, max_parallelism, attempt;
} place;
RASK_TYPE(place, job, task, operation, option, subtask, parallelism, max_parallelism, attempt);
typedef struct {
    rask_counter *even, *again;
    place opened;
} teller;
RASK_INSTANCE(teller);
static place here(void) {
    const rask_runtime_context *c = rask_runtime();
    return (place){rask_string_from(c->job_name),
                   rask_string_from(c->task_name),
                   rask_string_from(c->operator_name),
                   rask_string_from(rask_option("pipeline.global-job-parameters.mine")),
                   c->subtask_index,
                   c->parallelism,
                   c->max_parallelism,
                   c->attempt_number};
}
RASK_RICH_FLAT_MAP(tell_place, teller, self, int64_t, n, place, out) {
    if (n % 2 == 0) rask_count(self->even, 1);
    rask_count(self->again, 2);
    place now = here();
    if (!rask_string_equal(now.task, self->opened.task) ||
        !rask_string_equal(now.operation, self->opened.operation) ||
        now.subtask != self->opened.subtask)
        (void)rask_fail("the context has changed");
    if (n < 0) rask_emit(out, now);
}
RASK_OPEN(tell_place, self) {
    self->even = rask_counter_of("even");
    self->again = rask_counter_of("again");
    if (rask_counter_of("even") != self->even) return rask_fail("another counter of one name");
    if (rask_option("no.such.option") != NULL) return rask_fail("an option that was not set");
    self->opened = here();
    return RASK_OK;
}
RASK_ON_END(tell_place, self, out) {
    rask_emit(out, here());
    if (self->even->value * 2 != self->again->value / 2 && self->again->value == 0)
        (void)rask_fail("counters");
}

static void functions_know_where_they_run(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        rask_set_max_parallelism(env, 77);
        rask_set_option(env, "pipeline.global-job-parameters.mine", "its value");
        lines have = {0}, want = {0};
        rask_stream(int64_t) n = rask_sequence(env, 1, 100);
        COLLECT(place, rask_flat_map(n, tell_place, .name = "the teller"), &have);
        const bool chained_sink = s->chaining && s->parallelism == 1;
        for (int i = 0; i < s->parallelism; i++) {
            place p = {
                rask_string_from("test"),
                rask_string_from(
                    !s->chaining ? "the teller"
                    : chained_sink
                        ? "Source: Sequence Source -> the teller -> Sink: Data stream collect sink"
                        : "Source: Sequence Source -> the teller"),
                rask_string_from("the teller"),
                rask_string_from("its value"),
                i,
                s->parallelism,
                77,
                0};
            lines_add_record(&want, &rask_type_place, &p);
        }
        assert_same_records(s, &have, &want);
    }
}

typedef struct {
    rask_counter *even;
} counter_user;
RASK_INSTANCE(counter_user);
RASK_RICH_MAP(count_even, counter_user, self, int64_t, n, int64_t) {
    if (n % 2 == 0) rask_count(self->even, 1);
    if (n % 10 == 0) rask_count(rask_counter_of("tens"), 1);
    return n;
}
RASK_OPEN(count_even, self) {
    self->even = rask_counter_of("even");
    return RASK_OK;
}
static void counters_are_in_the_result(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        rask_stream(int64_t) n = rask_sequence(env, 1, 1000);
        rask_discard(rask_map(rask_map(rask_rebalance(n), count_even, .name = "b"), count_even,
                              .name = "a"));
        for (int run = 0; run < 2; run++) {
            rask_job_result result = run_job(env);
            static const rask_job_counter want[] = {
                {"a.even", 500}, {"a.tens", 100}, {"b.even", 500}, {"b.tens", 100}};
            assert_int_equal(result.counter_count, 4);
            for (int i = 0; i < 4; i++) {
                assert_string_equal(result.counters[i].name, want[i].name);
                assert_int_equal(result.counters[i].value, want[i].value);
            }
        }
        rask_env_destroy(env);
    }
}

/* ---------------------------------------------------------------- restarts */
typedef struct {
    notes *notes;
    rask_counter *seen;
} retrier;
RASK_INSTANCE(retrier);
typedef struct {
    int64_t n;
    int32_t attempt;
} tried;
RASK_TYPE(tried, n, attempt);
RASK_RICH_MAP(fail_twice, retrier, self, int64_t, n, int64_t) {
    const int attempt = rask_runtime()->attempt_number;
    if (n == 500 && attempt < 2) (void)rask_fail("attempt %d", attempt);
    rask_count(self->seen, 1);
    notes_add(self->notes, &rask_type_tried, &(tried){n, attempt});
    return n;
}
RASK_OPEN(fail_twice, self) {
    self->seen = rask_counter_of("seen");
    return RASK_OK;
}
/* The last attempt of a job that was restarted reads everything again, once. */
static void a_job_that_fails_is_started_again_if_asked(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        notes seen = {0};
        rask_env *env = env_of(s);
        rask_set_option(env, "restart-strategy.type", "fixed-delay");
        rask_set_option(env, "restart-strategy.fixed-delay.attempts", "2");
        rask_set_option(env, "restart-strategy.fixed-delay.delay", "1 ms");
        rask_discard(rask_map(rask_rebalance(rask_sequence(env, 1, 1000)), fail_twice,
                              .self = RASK_SELF(retrier, .notes = &seen)));
        rask_job_result result = run_job(env);
        assert_int_equal(result.counter_count, 1);
        if (!s->batch) { /* one region: all of it ran three times */
            assert_int_equal(result.counters[0].value, 1000);
            for (int64_t n = 1; n <= 1000; n++) {
                char text[64];
                (void)snprintf(text, sizeof text, "(%lld,2)", (long long)n);
                if (n % 100 == 0) assert_int_equal(lines_count(&seen.lines, text), 1);
            }
        }
        lines_free(&seen.lines);
        rask_env_destroy(env);

        env = env_of(s); /* once is not enough */
        rask_set_option(env, "restart-strategy.type", "fixed-delay");
        rask_set_option(env, "restart-strategy.fixed-delay.attempts", "1");
        rask_set_option(env, "restart-strategy.fixed-delay.delay", "1 ms");
        rask_discard(rask_map(rask_rebalance(rask_sequence(env, 1, 1000)), fail_twice,
                              .self = RASK_SELF(retrier, .notes = &seen)));
        assert_fails(env, "attempt 1");
        lines_free(&seen.lines);
    }
}

static void outside_of_a_task_there_is_an_empty_context(void **state) {
    (void)state;
    assert_string_equal(rask_runtime()->job_name, "");
    assert_string_equal(rask_runtime()->operator_name, "");
    assert_null(rask_option("parallelism.default"));
    rask_count(rask_counter_of("anything"), 1);
    assert_int_equal(rask_fail("a function that is called by a unit test"), RASK_FAILED);
}

/* ---------------------------------------------------------------- after a failure */
/* The message says who, where, what and at which record; the function is not called again. */
typedef struct {
    int64_t calls;
} failing;
RASK_INSTANCE(failing);
static _Atomic int64_t calls_after_failure;
RASK_RICH_FLAT_MAP(fail_at_1234, failing, self, int64_t, n, int64_t, out) {
    if (self->calls < 0) calls_after_failure++;
    if (n == 1234) {
        self->calls = -1;
        (void)rask_fail("%s of %lld", "a message", (long long)n);
        return;
    }
    rask_emit(out, n);
}
static void a_failure_says_operator_subtask_and_record(void **state) {
    (void)state;
    for (int chaining = 0; chaining < 2; chaining++) {
        rask_env *env = env_with_parallelism(1);
        if (!chaining) rask_disable_chaining(env);
        rask_discard(rask_flat_map(rask_sequence(env, 1, 5000), fail_at_1234, .name = "careless"));
        rask_job_result result;
        assert_int_equal(rask_execute_job(env, "test", &result), RASK_EXIT_FAILED);
        assert_int_equal(result.status, RASK_FAILED);
        static const char *const parts[] = {"careless", "a message of 1234", "1234",
                                            "lifecycle_test.c"};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (strstr(result.message, parts[i]) == NULL)
                fail_msg("\"%s\" is not in: %s", parts[i], result.message);
        rask_env_destroy(env);
    }
    assert_int_equal(calls_after_failure, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_hook_is_called_once_in_each_subtask),
        cmocka_unit_test(what_was_opened_is_closed_once_when_a_job_fails),
        cmocka_unit_test(what_was_opened_is_closed_once_when_a_job_is_cancelled),
        cmocka_unit_test(functions_know_where_they_run),
        cmocka_unit_test(counters_are_in_the_result),
        cmocka_unit_test(a_job_that_fails_is_started_again_if_asked),
        cmocka_unit_test(outside_of_a_task_there_is_an_empty_context),
        cmocka_unit_test(a_failure_says_operator_subtask_and_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
