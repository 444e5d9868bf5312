/* Sources of programs: how much they emit when, idle ones, splits, the old style, and what happens
 * when they fail. */
#include <fcntl.h>
#include <unistd.h>

#include "e2e_test_util.h"

NOTE_SINK(note_number, int64_t)
RASK_MAP(same, int64_t, n, int64_t) {
    return n;
}

/* ---------------------------------------------------------------- how much at once */
typedef struct {
    int64_t calls, per_call, calls_wanted;
    bool flushes;
} emitter;
RASK_INSTANCE(emitter);
RASK_SOURCE(emit_many, emitter, self, int64_t, out) {
    if (self->calls == self->calls_wanted) return RASK_END;
    for (int64_t i = 0; i < self->per_call; i++) {
        rask_emit(out, self->calls * self->per_call + i);
        if (self->flushes && i % 7 == 0) rask_flush(out);
    }
    /* the last call may end it as well */
    return ++self->calls == self->calls_wanted && self->per_call % 2 ? RASK_END : RASK_MORE;
}
static void any_number_of_records_per_call(void **state) {
    (void)state;
    static const int64_t per_call[] = {0, 1, 3, 1025, 9000};
    FOR_EACH_SETTING(s) {
        for (size_t k = 0; k < sizeof per_call / sizeof *per_call; k++) {
            rask_env *env = env_of(s);
            lines have = {0}, want = {0};
            COLLECT(int64_t,
                    rask_map(rask_source(env, emit_many, .bounded = true, .parallelism = 1,
                                         .self = RASK_SELF(emitter, .per_call = per_call[k],
                                                           .calls_wanted = 3, .flushes = k % 2)),
                             same),
                    &have);
            for (int64_t i = 0; i < 3 * per_call[k]; i++) ADD(int64_t, &want, i);
            assert_same_records(s, &have, &want);
        }
    }
}

/* ---------------------------------------------------------------- idle */
typedef struct {
    int64_t emitted, idles;
    int64_t wait_ns;
    int fd;
} idler;
RASK_INSTANCE(idler);
RASK_SOURCE(now_and_then, idler, self, int64_t, out) {
    if (self->emitted == 5) return RASK_END;
    if (self->idles < self->emitted) {
        self->idles++;
        if (self->wait_ns) rask_idle_ns(out, self->wait_ns);
        return RASK_IDLE;
    }
    rask_emit(out, self->emitted++);
    return self->emitted % 2 ? RASK_IDLE : RASK_MORE; /* emits and is idle then, too */
}
static void idle_sources_are_asked_again(void **state) {
    (void)state;
    FOR_EACH_STREAMING_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        COLLECT(int64_t,
                rask_map(rask_rebalance(rask_source(
                             env, now_and_then,
                             .self = RASK_SELF(idler, .wait_ns = s->parallelism * 100000))),
                         same),
                &have);
        for (int p = 0; p < s->parallelism; p++)
            for (int64_t i = 0; i < 5; i++) ADD(int64_t, &want, i);
        assert_same_records(s, &have, &want);
    }
}

/* What an idle source has emitted goes through to the end of the job's chain, whatever is to come
 * (but for buffer timeout -1, which waits for full buffers). */
RASK_SOURCE(one_and_then_nothing, idler, self, int64_t, out) {
    if (self->emitted++ == 0) rask_emit(out, 4711);
    rask_idle_ns(out, INT64_C(3600000000000));
    return RASK_IDLE;
}
static void a_record_does_not_wait_for_the_next(void **state) {
    (void)state;
    FOR_EACH_STREAMING_SETTING(s) {
        if (s->buffer_timeout_ms < 0) continue;
        rask_env *env = env_of(s);
        rask_stream(int64_t) n = rask_map(
            rask_rebalance(rask_source(env, one_and_then_nothing, .parallelism = 1)), same);
        rask_iterator(int64_t) it =
            rask_execute_and_collect(rask_map(rask_rebalance(n), same), "idle");
        int64_t record;
        assert_true(rask_next(&it, &record));
        assert_int_equal(record, 4711);
        assert_int_equal(rask_close(&it), 0); /* a sleeping source is cancelled at once */
    }
}

/* A source that waits for a descriptor: a pipe that the test writes to. */
RASK_SOURCE(read_pipe, idler, self, int64_t, out) {
    unsigned char byte;
    ssize_t got = read(self->fd, &byte, 1);
    if (got == 0) return RASK_END;
    if (got == 1) {
        rask_emit(out, byte);
        return RASK_MORE;
    }
    rask_idle_fd(out, self->fd);
    rask_idle_ns(out, INT64_C(3600000000000));
    return RASK_IDLE;
}
static void sources_wait_for_descriptors(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    rask_env *env = env_with_parallelism(1);
    rask_iterator(int64_t) it = rask_execute_and_collect(
        rask_map(
            rask_rebalance(rask_source(env, read_pipe, .self = RASK_SELF(idler, .fd = ends[0]))),
            same),
        "pipe");
    for (int c = 'a'; c <= 'z'; c++) {
        const char byte = (char)c;
        int64_t record;
        assert_int_equal(write(ends[1], &byte, 1), 1);
        assert_true(rask_next(&it, &record));
        assert_int_equal(record, c);
    }
    (void)close(ends[1]);
    int64_t record;
    assert_false(rask_next(&it, &record));
    assert_int_equal(rask_close(&it), 0);
    (void)close(ends[0]);
}

/* ---------------------------------------------------------------- splits */
typedef struct {
    int64_t splits, next, end;
    int32_t fail; /* 1: enumerating, 2: adding split 3, 3: a record */
} ranges;
RASK_INSTANCE(ranges);
RASK_SPLIT_SOURCE(read_ranges, ranges, self, int64_t, out) {
    if (self->next >= self->end) return RASK_END;
    if (self->fail == 3 && self->next == 205) return rask_fail("no record 205");
    if (self->fail == 4) return -1;
    rask_emit(out, self->next++);
    return self->next % 10 == 0 && self->next == self->end ? RASK_END : RASK_MORE;
}
RASK_ENUMERATE(read_ranges, self, splits) {
    for (int64_t i = 0; i < self->splits; i++) {
        int64_t range[2] = {100 * i, 100 * i + i % 4 * 10}; /* some are empty */
        rask_status status = rask_add_split(splits, range, sizeof range);
        if (status != RASK_OK) return status;
    }
    return self->fail == 1 ? rask_fail("nothing to enumerate in %s", "here") : RASK_OK;
}
RASK_ADD_SPLIT(read_ranges, self, split) {
    int64_t range[2];
    memcpy(range, rask_bytes_data(&split), sizeof range);
    self->next = range[0];
    self->end = range[1];
    return self->fail == 2 && range[0] == 300 ? rask_fail("cannot open split 3") : RASK_OK;
}
static void each_split_is_read_once(void **state) {
    (void)state;
    static const int64_t counts[] = {0, 1, 2, 25};
    FOR_EACH_SETTING(s) {
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            rask_env *env = env_of(s);
            lines have = {0}, want = {0};
            COLLECT(int64_t,
                    rask_source(env, read_ranges, .bounded = true,
                                .self = RASK_SELF(ranges, .splits = counts[k])),
                    &have);
            for (int64_t i = 0; i < counts[k]; i++)
                for (int64_t n = 0; n < i % 4 * 10; n++) ADD(int64_t, &want, 100 * i + n);
            assert_same_records(s, &have, &want);
        }
    }
}
static void failures_of_split_sources(void **state) {
    (void)state;
    static const char *const messages[] = {"nothing to enumerate in here", "cannot open split 3",
                                           "no record 205",
                                           "the source returned -1 without a message"};
    for (int p = 1; p <= 3; p++)
        for (int fail = 1; fail <= 4; fail++) {
            rask_env *env = env_with_parallelism(p);
            rask_discard(rask_source(env, read_ranges, .bounded = true,
                                     .self = RASK_SELF(ranges, .splits = 10, .fail = fail)));
            assert_fails(env, messages[fail - 1]);
        }
}
RASK_SPLIT_SOURCE(without_enumerator, ranges, self, int64_t, out) {
    rask_emit(out, self->next);
    return RASK_END;
}
static void a_split_source_needs_an_enumerator(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_source(env, without_enumerator, .bounded = true));
    assert_fails(env, "has no RASK_ENUMERATE");
}

/* ---------------------------------------------------------------- the old style, values */
static void sources_of_the_old_style(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(int64_t) one =
            rask_legacy_source(env, emit_many, .bounded = true,
                               .self = RASK_SELF(emitter, .per_call = 10, .calls_wanted = 3));
        rask_stream(int64_t) many =
            rask_legacy_source(env, emit_many, .bounded = true, .parallel = true,
                               .self = RASK_SELF(emitter, .per_call = 10, .calls_wanted = 3));
        COLLECT(int64_t, rask_union(one, many), &have);
        for (int p = 0; p <= s->parallelism; p++)
            for (int64_t i = 0; i < 30; i++) ADD(int64_t, &want, i);
        assert_same_records(s, &have, &want);
    }
    /* only one subtask, unless it says that it may run in parallel */
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_legacy_source(env, emit_many, .parallelism = 2, .bounded = true));
    assert_fails(env, "The parallelism of non parallel operator must be 1.");
}

static void sequences_of_any_bounds(void **state) {
    (void)state;
    static const int64_t bounds[][2] = {
        {5, 5}, {-3, 3}, {INT64_MAX - 2, INT64_MAX}, {INT64_MIN, INT64_MIN + 2}, {0, 9999}};
    for (int p = 1; p <= 4; p++)
        for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
            rask_env *env = env_with_parallelism(p);
            lines have = {0}, want = {0};
            COLLECT(int64_t, rask_sequence(env, bounds[i][0], bounds[i][1]), &have);
            for (int64_t n = bounds[i][0];; n++) {
                ADD(int64_t, &want, n);
                if (n == bounds[i][1]) break;
            }
            assert_same_records(NULL, &have, &want);
        }
}

typedef struct {
    rask_string text;
    rask_list(rask_string) words;
} texts;
RASK_TYPE(texts, text, words);
static void values_are_copied_with_what_they_borrow(void **state) {
    (void)state;
    lines have = {0}, want = {0};
    rask_env *env = env_with_parallelism(1);
    char text[] = "a text that is overwritten before the job starts";
    rask_string words[2] = {rask_string_from(text), rask_string_from("short")};
    texts record = {rask_string_from(text), {.count = 2, .items = words}};
    lines_add_record(&want, &rask_type_texts, &record);
    rask_stream(texts) s = rask_array(env, texts, &record, 1);
    memset(text, 'x', sizeof text - 1);
    words[1] = rask_string_from("changed");
    COLLECT(texts, s, &have);
    assert_same_records(NULL, &have, &want);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_records_per_call),
        cmocka_unit_test(idle_sources_are_asked_again),
        cmocka_unit_test(a_record_does_not_wait_for_the_next),
        cmocka_unit_test(sources_wait_for_descriptors),
        cmocka_unit_test(each_split_is_read_once),
        cmocka_unit_test(failures_of_split_sources),
        cmocka_unit_test(a_split_source_needs_an_enumerator),
        cmocka_unit_test(sources_of_the_old_style),
        cmocka_unit_test(sequences_of_any_bounds),
        cmocka_unit_test(values_are_copied_with_what_they_borrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
