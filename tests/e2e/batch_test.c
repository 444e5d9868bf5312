/* Batch mode: the inputs of keyed operators are sorted, one key after the other, inside a key by
 * time; compared with a plain sort. */
#include <dirent.h>
#include <stdatomic.h>
#include <unistd.h>

#include "e2e_test_util.h"

typedef struct {
    int64_t key;
    rask_timestamp at;
    int64_t n;
} event;
RASK_TYPE(event, key, (at, rask_timestamp), n);
typedef struct {
    int64_t key, n, count, timestamp, watermark;
    int32_t input;
} seen;
RASK_TYPE(seen, key, n, count, timestamp, watermark, input);

typedef struct {
    rask_value(int64_t) count;
} counting;
RASK_STATE(counting, count);
RASK_KEYED_PROCESS(watch, counting, self, event, e, seen, out) {
    const int64_t count = ++*rask_ref(self->count);
    rask_emit(out, (seen){e.key, e.n, count, rask_timestamp(out), rask_watermark(out), 0});
}
RASK_KEYED_CO_PROCESS(watch_both, counting, self, event, e, event, seen, out) {
    const int64_t count = ++*rask_ref(self->count);
    rask_emit(out, (seen){e.key, e.n, count, rask_timestamp(out), rask_watermark(out), 0});
}
RASK_ON_SECOND(watch_both, self, e, out) {
    const int64_t count = ++*rask_ref(self->count);
    rask_emit(out, (seen){e.key, e.n, count, rask_timestamp(out), rask_watermark(out), 1});
}

enum { EVENTS = 4000 };
static event first[EVENTS], second[EVENTS];
static void make_events(int64_t keys) {
    for (int64_t i = 0; i < EVENTS; i++) {
        first[i] = (event){i * 7919 % keys - keys / 2, i * 104729 % 1000, i};
        second[i] = (event){i * 6007 % keys - keys / 3, i * 15485863 % 1000, EVENTS + i};
    }
}

/* Flink: the bytes of the key, signed, from the first; then the time. */
typedef struct {
    event e;
    bool timed;
    int32_t input;
} placed;
static int compare_keys(int64_t a, int64_t b) {
    for (int shift = 56; shift >= 0; shift -= 8) {
        const int8_t x = (int8_t)(a >> shift), y = (int8_t)(b >> shift);
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}
static int compare_placed(const void *a_, const void *b_) {
    const placed *a = a_, *b = b_;
    const int c = compare_keys(a->e.key, b->e.key);
    if (c != 0) return c;
    if (a->timed && a->e.at != b->e.at) return a->e.at < b->e.at ? -1 : 1;
    return a->e.n < b->e.n ? -1 : a->e.n > b->e.n;
}
static void expect(placed *all, size_t n, lines *want) {
    qsort(all, n, sizeof *all, compare_placed);
    int64_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count = i > 0 && all[i].e.key == all[i - 1].e.key ? count + 1 : 1;
        ADD(seen, want,
            {all[i].e.key, all[i].e.n, count, all[i].timed ? all[i].e.at : RASK_NO_TIMESTAMP,
             INT64_MIN, all[i].input});
    }
}

static rask_env *batch_env(const char *memory) {
    rask_env *env = env_with_parallelism(1);
    rask_set_runtime_mode(env, RASK_BATCH);
    if (memory != NULL) rask_set_option(env, "execution.sorted-inputs.memory", memory);
    return env;
}
static rask_stream(event) events_of(rask_env *env, const event *items, bool timed) {
    rask_stream(event) stream = rask_array(env, event, items, EVENTS);
    if (!timed) return stream;
    return rask_assign_timestamps(stream, at, .max_out_of_orderness_ms = 1000);
}

static void keys_come_one_after_the_other(void **state) {
    (void)state;
    static const char *const memories[] = {NULL, "20kb", "1b"};
    for (int m = 0; m < 3; m++)
        for (int timed = 0; timed < 2; timed++)
            for (int64_t keys = 1; keys <= 10000; keys *= 100) {
                make_events(keys);
                lines have = {0}, want = {0};
                rask_stream(event) in = events_of(batch_env(memories[m]), first, timed);
                COLLECT(seen, rask_process(rask_key_by(in, key), watch), &have);
                static placed all[EVENTS];
                for (int i = 0; i < EVENTS; i++) all[i] = (placed){first[i], timed, 0};
                expect(all, EVENTS, &want);
                assert_same_sequence(NULL, &have, &want);
            }
}

static void two_inputs_are_merged_by_key_and_time(void **state) {
    (void)state;
    static const char *const memories[] = {NULL, "20kb"};
    for (int m = 0; m < 2; m++)
        for (int timed = 0; timed < 2; timed++)
            for (int64_t keys = 1; keys <= 10000; keys *= 100) {
                make_events(keys);
                rask_env *env = batch_env(memories[m]);
                lines have = {0}, want = {0};
                COLLECT(seen,
                        rask_connect(rask_key_by(events_of(env, first, timed), key),
                                     rask_key_by(events_of(env, second, timed), key), watch_both),
                        &have);
                static placed all[2 * EVENTS];
                for (int i = 0; i < EVENTS; i++) {
                    all[i] = (placed){first[i], timed, 0};
                    all[EVENTS + i] = (placed){second[i], timed, 1};
                }
                expect(all, 2 * EVENTS, &want);
                assert_same_sequence(NULL, &have, &want);
            }
}

/* As in streaming: the order of arrival, state of all keys. */
static void without_sorting_records_come_as_they_are(void **state) {
    (void)state;
    make_events(100);
    rask_env *env = batch_env(NULL);
    rask_set_option(env, "execution.sorted-inputs.enabled", "false");
    rask_set_option(env, "execution.batch-state-backend.enabled", "false");
    lines have = {0}, want = {0};
    COLLECT(seen, rask_process(rask_key_by(events_of(env, first, true), key), watch), &have);
    int64_t counts[100] = {0};
    for (int i = 0; i < EVENTS; i++)
        ADD(seen, &want,
            {first[i].key, first[i].n, ++counts[first[i].key + 50], first[i].at, INT64_MIN, 0});
    assert_same_sequence(NULL, &have, &want);
}

/* The order is that of sorted inputs, the state that of any backend. */
static void sorted_inputs_without_the_batch_state_backend(void **state) {
    (void)state;
    make_events(100);
    rask_env *env = batch_env(NULL);
    rask_set_option(env, "execution.batch-state-backend.enabled", "false");
    lines have = {0}, want = {0};
    COLLECT(seen, rask_process(rask_key_by(events_of(env, first, true), key), watch), &have);
    static placed all[EVENTS];
    for (int i = 0; i < EVENTS; i++) all[i] = (placed){first[i], true, 0};
    expect(all, EVENTS, &want);
    assert_same_sequence(NULL, &have, &want);
}

static void several_subtasks_sort_what_is_theirs(void **state) {
    (void)state;
    make_events(1000);
    rask_env *env = batch_env("30kb");
    rask_set_parallelism(env, 3);
    lines have = {0}, want = {0};
    COLLECT(seen, rask_process(rask_key_by(events_of(env, first, true), key), watch), &have);
    static placed all[EVENTS];
    for (int i = 0; i < EVENTS; i++) all[i] = (placed){first[i], true, 0};
    expect(all, EVENTS, &want);
    assert_same_records(NULL, &have, &want);
}

/* Long keys, and payloads that lie outside of the record: in memory and through files. */
typedef struct {
    rask_string name, text;
    int64_t n;
} labelled;
RASK_TYPE(labelled, name, text, n);
typedef struct {
    rask_value(rask_string) before;
} remembering;
RASK_STATE(remembering, before);
RASK_KEYED_PROCESS(pair_with_the_last, remembering, self, labelled, l, labelled, out) {
    const rask_string before =
        rask_get(self->before) != NULL ? *rask_get(self->before) : rask_string_from("none");
    rask_emit(out, (labelled){l.name, before, l.n});
    rask_set(self->before, l.text);
}
RASK_MAP(make_labelled, int64_t, n, labelled) {
    return (labelled){rask_string_format("https://example.org/a/long/path/that/all/share/%02lld",
                                         (long long)(n * 7919 % 60)),
                      rask_string_format("what record number %lld says", (long long)n), n};
}
static void strings_go_through_memory_and_files(void **state) {
    (void)state;
    static const char *const memories[] = {NULL, "50kb"};
    for (int m = 0; m < 2; m++) {
        lines have = {0}, want = {0};
        rask_stream(labelled) in =
            rask_map(rask_sequence(batch_env(memories[m]), 0, EVENTS - 1), make_labelled);
        COLLECT(labelled, rask_process(rask_key_by(in, name), pair_with_the_last), &have);
        for (int64_t key = 0; key < 60; key++) { /* of one length: in the order of their text */
            int64_t before = -1;
            for (int64_t n = 0; n < EVENTS; n++) {
                if (n * 7919 % 60 != key) continue;
                const labelled l = make_labelled(n);
                ADD(labelled, &want,
                    {l.name, before < 0 ? rask_string_from("none") : make_labelled(before).text,
                     n});
                before = n;
            }
        }
        assert_same_sequence(NULL, &have, &want);
    }
}

/* ---------------------------------------------------------------- aggregations */
RASK_REDUCE(keep_last_number, event, a, b) {
    return (event){a.key, b.at, b.n};
}
/* What a record keeps of the first or last one goes by time, not by arrival. */
static void aggregations_see_their_input_in_the_order_of_time(void **state) {
    (void)state;
    make_events(100);
    static placed all[EVENTS];
    for (int kind = 0; kind < 2; kind++) {
        lines have = {0}, want = {0};
        rask_keyed(event) keyed = rask_key_by(events_of(batch_env("50kb"), first, true), key);
        if (kind == 0)
            COLLECT(event, rask_sum(keyed, n), &have);
        else
            COLLECT(event, rask_reduce(keyed, keep_last_number), &have);
        for (int i = 0; i < EVENTS; i++) all[i] = (placed){first[i], true, 0};
        qsort(all, EVENTS, sizeof *all, compare_placed);
        for (int i = 0; i < EVENTS;) {
            event result = all[i].e;
            for (i++; i < EVENTS && all[i].e.key == result.key; i++)
                result =
                    kind == 0 ? (event){result.key, result.at, result.n + all[i].e.n} : all[i].e;
            ADD(event, &want, result);
        }
        assert_same_sequence(NULL, &have, &want);
    }
}

/* ---------------------------------------------------------------- timers */
typedef struct {
    rask_string name;
} word;
RASK_TYPE(word, name);
typedef struct {
    rask_value(int64_t) count;
} closing;
RASK_STATE(closing, count);
RASK_KEY(initial, word, w, rask_string) {
    return rask_string_format("%.1s", rask_string_data(&w.name));
}
RASK_KEYED_PROCESS(close_keys, closing, self, word, w, rask_string, out) {
    ++*rask_ref(self->count);
    rask_register_event_timer(out, 7);
    rask_emit(out, w.name);
}
RASK_ON_TIMER(close_keys, self, timer, out) {
    rask_register_event_timer(out, timer.time_ms + 1); /* ignored, or it would never end */
    rask_emit(out, rask_string_format("end %.*s after %lld", RASK_STR(*rask_key(out, rask_string)),
                                      (long long)*rask_get(self->count)));
}
/* B1: keys are grouped, in a key the order of arrival, its timers at its end. */
static void b1_timers_fire_at_the_end_of_each_key(void **state) {
    (void)state;
    const word words[] = {{rask_string_from("b2")},
                          {rask_string_from("a1")},
                          {rask_string_from("b1")},
                          {rask_string_from("c1")},
                          {rask_string_from("a2")}};
    static const char *const expected[] = {
        "a1", "a2", "end a after 2", "b2", "b1", "end b after 2", "c1", "end c after 1"};
    rask_env *env = batch_env(NULL);
    lines have = {0}, want = {0};
    COLLECT(rask_string,
            rask_process(rask_key_by_fn(rask_array(env, word, words, 5), initial), close_keys),
            &have);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ADD(rask_string, &want, rask_string_from(expected[i]));
    assert_same_sequence(NULL, &have, &want);
}

/* ---------------------------------------------------------------- all kinds of state */
typedef struct {
    rask_list_state(int64_t) numbers;
    rask_map_state(rask_string, int64_t) by_name;
    rask_value(rask_string) longest;
} keeping;
RASK_STATE(keeping, numbers, by_name, longest);
typedef struct {
    int64_t key, numbers, names;
    rask_string longest;
} kept;
RASK_TYPE(kept, key, numbers, names, longest);
RASK_KEYED_PROCESS(keep_all, keeping, self, event, e, kept, out) {
    const rask_string name = rask_string_format("a name for the number %lld", (long long)e.n % 10);
    rask_list_add(self->numbers, e.n);
    rask_map_put(self->by_name, name, e.n);
    if (rask_get(self->longest) == NULL || rask_get(self->longest)->len < name.len)
        rask_set(self->longest, name);
    rask_register_event_timer(out, 10000);
    if (e.n % 3 == 0) rask_delete_event_timer(out, 10000);
    rask_register_processing_timer(out, INT64_MAX); /* the end of the key comes before */
}
RASK_ON_TIMER(keep_all, self, timer, out) {
    if (!timer.processing) {
        rask_list_add(self->numbers, -1);
        return;
    }
    rask_emit(out, (kept){*rask_key(out, int64_t), (int64_t)rask_list_count(self->numbers),
                          (int64_t)rask_map_count(self->by_name), *rask_get(self->longest)});
}
/* A key finds nothing of the keys before it, with either backend; 400 keys of ten records each. */
static void state_is_that_of_one_key(void **state) {
    (void)state;
    static const char *const backends[] = {"hashmap", "rocksdb"};
    enum { KEYS = 400 };
    make_events(KEYS);
    for (int b = 0; b < 2; b++) {
        rask_env *env = batch_env("64kb");
        rask_set_option(env, "state.backend.type", backends[b]);
        lines have = {0}, want = {0};
        COLLECT(kept, rask_process(rask_key_by(events_of(env, first, true), key), keep_all), &have);
        static placed all[EVENTS];
        for (int i = 0; i < EVENTS; i++) all[i] = (placed){first[i], true, 0};
        qsort(all, EVENTS, sizeof *all, compare_placed);
        for (int i = 0; i < EVENTS;) {
            const int64_t key = all[i].e.key;
            int64_t count = 0;
            bool names[10] = {0}, has_timer = false;
            for (; i < EVENTS && all[i].e.key == key; i++) {
                count++;
                names[all[i].e.n % 10] = true;
                has_timer = all[i].e.n % 3 != 0;
            }
            int64_t name_count = 0;
            for (int k = 0; k < 10; k++) name_count += names[k];
            /* names are of one length: the first one stays the longest */
            const long long n = (long long)all[i - count].e.n % 10;
            ADD(kept, &want,
                {key, count + has_timer, name_count,
                 rask_string_format("a name for the number %lld", n)});
        }
        assert_same_sequence(NULL, &have, &want);
    }
}

/* ---------------------------------------------------------------- stages */
/* Files without a name in the folder `part` that this process has open; empties them if asked. */
static int open_files(const char *part, bool empty) {
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[300], target[300];
        (void)snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        const ssize_t length = readlink(path, target, sizeof target - 1);
        if (length <= 0) continue;
        target[length] = '\0';
        if (strstr(target, part) == NULL) continue;
        count++;
        if (empty) assert_int_equal(ftruncate((int)strtol(entry->d_name, NULL, 10), 0), 0);
    }
    (void)closedir(dir);
    return count;
}

typedef struct {
    int64_t n;
    const char *folder; /* of files to lose; NULL: none */
} stage;
RASK_INSTANCE(stage);
static atomic_int producers_opened, producers_finished, consumers_opened;
static atomic_bool consumer_was_early, files_were_there;
enum { STAGE_RECORDS = 20000, STAGE_PARALLELISM = 2 };

RASK_SOURCE(produce, stage, self, int64_t, out) {
    if (self->n == STAGE_RECORDS) return RASK_END;
    rask_emit(out, self->n++);
    return RASK_MORE;
}
RASK_OPEN(produce, self) {
    (void)self;
    atomic_fetch_add(&producers_opened, 1);
    return RASK_OK;
}
RASK_FINISH(produce, self) {
    (void)self;
    atomic_fetch_add(&producers_finished, 1);
    return RASK_OK;
}
RASK_RICH_MAP(consume, stage, self, int64_t, n, int64_t) {
    (void)self;
    return n;
}
RASK_OPEN(consume, self) {
    if (atomic_load(&producers_finished) < STAGE_PARALLELISM) atomic_store(&consumer_was_early, 1);
    atomic_fetch_add(&consumers_opened, 1);
    if (self->folder != NULL && rask_runtime()->attempt_number == 0) {
        if (open_files(self->folder, true) > 0) atomic_store(&files_were_there, true);
    }
    return RASK_OK;
}
static void forget_stages(void) {
    producers_opened = producers_finished = consumers_opened = 0;
    consumer_was_early = files_were_there = false;
}

NOTE_SINK(note_number, int64_t)

static void a_stage_starts_when_the_one_before_has_finished(void **state) {
    (void)state;
    forget_stages();
    rask_env *env = batch_env(NULL);
    rask_set_parallelism(env, STAGE_PARALLELISM);
    rask_stream(int64_t) n = rask_source(env, produce, .bounded = true);
    rask_stream(int64_t) m = rask_map(rask_rebalance(n), consume);
    lines have = {0}, want = {0};
    COLLECT(int64_t, m, &have);
    for (int p = 0; p < STAGE_PARALLELISM; p++)
        for (int64_t i = 0; i < STAGE_RECORDS; i++) ADD(int64_t, &want, i);
    assert_same_records(NULL, &have, &want);
    assert_false(consumer_was_early);
    assert_int_equal(consumers_opened, STAGE_PARALLELISM);
}

/* B4: what a stage left is lost before the next one has read it: both run again. */
static void b4_a_lost_partition_is_made_again(void **state) {
    (void)state;
    char folder[] = "/tmp/rask-batch-XXXXXX";
    assert_non_null(mkdtemp(folder));
    forget_stages();
    rask_env *env = batch_env(NULL);
    rask_set_option(env, "io.tmp.dirs", folder);
    rask_set_option(env, "restart-strategy.type", "fixed-delay");
    rask_set_option(env, "restart-strategy.fixed-delay.attempts", "3");
    rask_set_option(env, "restart-strategy.fixed-delay.delay", "1 ms");
    rask_set_parallelism(env, STAGE_PARALLELISM);
    rask_stream(int64_t) n = rask_source(env, produce, .bounded = true);
    notes noted = {0};
    rask_sink(rask_map(rask_rebalance(n), consume, .self = RASK_SELF(stage, .folder = folder)),
              note_number, .self = RASK_SELF(noting, .notes = &noted));
    (void)run_job(env);
    assert_true(files_were_there);
    assert_true(producers_opened > STAGE_PARALLELISM);
    assert_true(consumers_opened > STAGE_PARALLELISM);
    for (int64_t i = 0; i < STAGE_RECORDS; i += 997) {
        char text[32];
        (void)snprintf(text, sizeof text, "%lld", (long long)i);
        assert_true(lines_count(&noted.lines, text) >= STAGE_PARALLELISM);
    }
    lines_free(&noted.lines);
    rask_env_destroy(env);
    assert_int_equal(open_files(folder, false), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* B3: a forward edge between stages keeps its pairs of subtasks. */
RASK_SOURCE(emit_subtask, stage, self, int64_t, out) {
    if (self->n++ == 1000) return RASK_END;
    rask_emit(out, (int64_t)rask_runtime()->subtask_index);
    return RASK_MORE;
}
RASK_RICH_MAP(is_same_subtask, stage, self, int64_t, n, int64_t) {
    (void)self;
    return n == rask_runtime()->subtask_index;
}
static void b3_forward_edges_between_stages_are_one_to_one(void **state) {
    (void)state;
    static const char *const modes[] = {"ALL_EXCHANGES_BLOCKING", "ALL_EXCHANGES_PIPELINED"};
    for (int m = 0; m < 2; m++) {
        rask_env *env = batch_env(NULL);
        rask_set_parallelism(env, 3);
        rask_disable_chaining(env);
        rask_set_option(env, "execution.batch-shuffle-mode", modes[m]);
        lines have = {0}, want = {0};
        rask_stream(int64_t) n = rask_source(env, emit_subtask, .bounded = true);
        COLLECT(int64_t, rask_map(rask_forward(n), is_same_subtask), &have);
        for (int i = 0; i < 3000; i++) ADD(int64_t, &want, 1);
        assert_same_records(NULL, &have, &want);
    }
}

/* ---------------------------------------------------------------- files of a sort */
RASK_KEYED_PROCESS(fail_at_the_end, counting, self, event, e, seen, out) {
    (void)out;
    if (++*rask_ref(self->count) == 3 && e.key > 0) (void)rask_fail("the third of a key");
}
static void files_of_a_sort_are_gone_however_the_job_ends(void **state) {
    (void)state;
    char folder[] = "/tmp/rask-sort-XXXXXX";
    assert_non_null(mkdtemp(folder));
    make_events(300);
    for (int fails = 0; fails < 2; fails++) {
        rask_env *env = batch_env("20kb");
        rask_set_option(env, "io.tmp.dirs", folder);
        rask_keyed(event) in = rask_key_by(events_of(env, first, true), key);
        if (fails) {
            rask_discard(rask_process(in, fail_at_the_end));
            assert_fails(env, "the third of a key");
        } else {
            rask_discard(rask_process(in, watch));
            (void)run_job(env);
            rask_env_destroy(env);
        }
        assert_int_equal(open_files(folder, false), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void a_folder_that_is_not_there_is_named(void **state) {
    (void)state;
    make_events(300);
    rask_env *env = batch_env("20kb");
    rask_set_option(env, "io.tmp.dirs", "/nowhere/at/all");
    rask_set_option(env, "execution.batch-shuffle-mode", "ALL_EXCHANGES_PIPELINED");
    rask_discard(rask_process(rask_key_by(events_of(env, first, true), key), watch));
    assert_fails(env, "/nowhere/at/all");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_come_one_after_the_other),
        cmocka_unit_test(two_inputs_are_merged_by_key_and_time),
        cmocka_unit_test(without_sorting_records_come_as_they_are),
        cmocka_unit_test(sorted_inputs_without_the_batch_state_backend),
        cmocka_unit_test(several_subtasks_sort_what_is_theirs),
        cmocka_unit_test(strings_go_through_memory_and_files),
        cmocka_unit_test(b1_timers_fire_at_the_end_of_each_key),
        cmocka_unit_test(state_is_that_of_one_key),
        cmocka_unit_test(a_stage_starts_when_the_one_before_has_finished),
        cmocka_unit_test(b4_a_lost_partition_is_made_again),
        cmocka_unit_test(b3_forward_edges_between_stages_are_one_to_one),
        cmocka_unit_test(files_of_a_sort_are_gone_however_the_job_ends),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
        cmocka_unit_test(aggregations_see_their_input_in_the_order_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
