/* Sources with a strategy, driven step by step: per-split watermarks, idleness, alignment; cases of
 * reports.md by their ids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "operators/time/source_time.h"
#include "rask/rask.h"

/* ---------------------------------------------------------------- what comes out */
static char told[4096];

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...) {
    const size_t length = strlen(told);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(told + length, sizeof told - length, format, arguments);
    va_end(arguments);
}

static void assert_told(const char *expected) {
    assert_string_equal(told, expected);
    told[0] = '\0';
}

static void note_records(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                         size_t n, bool exclusive) {
    (void)op, (void)input, (void)exclusive;
    for (size_t i = 0; i < n; i++)
        note("%lld@%lld ", (long long)((int64_t *)records)[i], (long long)timestamps[i]);
}

static void note_watermark(raski_operator *op, int64_t watermark) {
    (void)op;
    note("wm%lld ", (long long)watermark);
}

static bool note_status(raski_operator *op, bool idle) {
    (void)op;
    note(idle ? "IDLE " : "ACTIVE ");
    return true;
}

static const raski_operator_ops note_ops = {.name = "note",
                                            .process = note_records,
                                            .watermark = note_watermark,
                                            .accepts_status = note_status};

/* ---------------------------------------------------------------- a source */
/* A split is a letter; what it has to emit is set by the test. */
enum { LETTERS = 128 };
static int64_t to_emit[LETTERS][8];
static size_t emit_count[LETTERS];
static bool ends[LETTERS];
static int polls[LETTERS];

static void give(char letter, int64_t n) {
    to_emit[(size_t)letter][emit_count[(size_t)letter]++] = n;
}

typedef struct {
    size_t letter;
} split_reader;
RASK_INSTANCE(split_reader);
RASK_SPLIT_SOURCE(letters, split_reader, self, int64_t, out) {
    const size_t letter = self->letter;
    polls[letter]++;
    for (size_t i = 0; i < emit_count[letter]; i++) rask_emit(out, to_emit[letter][i]);
    const bool any = emit_count[letter] > 0;
    emit_count[letter] = 0;
    if (ends[letter]) return RASK_END;
    return any ? RASK_MORE : RASK_IDLE;
}
RASK_ADD_SPLIT(letters, self, split) {
    self->letter = *(const unsigned char *)rask_bytes_data(&split);
    return RASK_OK;
}
RASK_TIMESTAMPS(itself, int64_t, n, previous) {
    return n;
}
typedef struct {
    int64_t count;
} counting;
RASK_INSTANCE(counting);
RASK_WATERMARK_GENERATOR(each, counting, self, int64_t, n, timestamp, out) {
    self->count++;
    rask_emit_watermark(out, timestamp);
}
/* Says at each look how many records of its split it has seen. */
RASK_WATERMARK_GENERATOR(count_of_split, counting, self, int64_t, n, timestamp, out) {
    self->count++;
}
RASK_ON_PERIODIC(count_of_split, self, out) {
    rask_emit_watermark(out, self->count);
}

typedef struct world {
    raski_operator_env env;
    raski_operator_definition def, behind;
    raski_time_definition time;
    raski_job_operator jobs[2];
    raski_operator *source, *noting;
    raski_configuration *configuration;
    int64_t now_ms, blocked_ns;
    int64_t reported_ms; /* last; INT64_MIN: none */
    int requests;
} world;

static int64_t clock_of_test(void *context) {
    return ((world *)context)->now_ms;
}

static int64_t blocked(void *context) {
    return ((world *)context)->blocked_ns;
}

static void take_event(void *context, raski_operator *op, const void *bytes, size_t size) {
    world *w = context;
    (void)op;
    const char *event = bytes;
    if (event[0] == RASKI_SOURCE_EVENT_REQUEST) {
        w->requests++;
        return;
    }
    assert_int_equal(event[0], RASKI_SOURCE_EVENT_REPORT);
    assert_int_equal(size, 9);
    memcpy(&w->reported_ms, event + 1, 8);
}

static void world_init(world *w, unsigned splits_at_once, raski_watermark_strategy strategy) {
    raski_error error = {0};
    memset(emit_count, 0, sizeof emit_count);
    memset(ends, 0, sizeof ends);
    memset(polls, 0, sizeof polls);
    told[0] = '\0';
    *w = (world){.now_ms = 1000, .reported_ms = INT64_MIN};
    w->configuration = raski_configuration_create();
    w->env = (raski_operator_env){.configuration = w->configuration,
                                  .now_ms = clock_of_test,
                                  .clock = w,
                                  .blocked_ns = blocked,
                                  .send_event = take_event,
                                  .context = w,
                                  .next_wake_ms = INT64_MAX};
    static const _Atomic bool never;
    w->env.cancelled = &never;
    raski_batch_arena_init(&w->env.arena, 0);
    w->time = (raski_time_definition){.timestamps = RASK_TIMESTAMP_FN(itself),
                                      .strategy = strategy,
                                      .generator = &raski_fn_each.base};
    w->def = (raski_operator_definition){.fn = &raski_fn_letters.base,
                                         .out = &rask_type_int64_t,
                                         .detail = &w->time,
                                         .stamped = true,
                                         .splits_at_once = splits_at_once};
    w->behind =
        (raski_operator_definition){.ops = &note_ops, .in = &rask_type_int64_t, .stamped = true};
    static char names[2][8] = {"source", "notes"};
    for (int i = 0; i < 2; i++)
        w->jobs[i] = (raski_job_operator){.name = names[i], .payload = i ? &w->behind : &w->def};
    assert_int_equal(raski_operator_create(&w->jobs[0], &w->env, &w->source, &error), RASK_OK);
    assert_int_equal(raski_operator_create(&w->jobs[1], &w->env, &w->noting, &error), RASK_OK);
    raski_operator_add_chained(w->source, NULL, w->noting, 0);
    raski_operator_open(w->noting);
    raski_operator_open(w->source);
    assert_false(w->env.failed);
}

static void world_fini(world *w) {
    if (w->env.failed) fail_msg("%s", w->env.error.message);
    raski_operator_close(w->source);
    raski_operator_destroy(w->source);
    raski_operator_destroy(w->noting);
    raski_batch_arena_fini(&w->env.arena);
    raski_free(w->env.no_timestamps);
    raski_configuration_destroy(w->configuration);
}

static void run(world *w, int steps) {
    while (steps-- > 0) (void)raski_source_step(w->source);
}

static void add_split(world *w, char letter) {
    run(w, 1);
    assert_int_equal(w->requests, 1);
    w->requests = 0;
    const char event[2] = {RASKI_SOURCE_EVENT_SPLIT, letter};
    raski_source_handle_event(w->source, event, 2);
}

static void say(world *w, int kind) {
    const char event = (char)kind;
    raski_source_handle_event(w->source, &event, 1);
}

static void align_to(world *w, int64_t limit_ms) {
    char event[9] = {RASKI_SOURCE_EVENT_ALIGN};
    memcpy(event + 1, &limit_ms, 8);
    raski_source_handle_event(w->source, event, 9);
}

/* Time passes: whatever is due within it happens. */
static void pass(world *w, int64_t ms) {
    for (const int64_t end = w->now_ms + ms; w->now_ms < end;) {
        w->now_ms += 10;
        raski_operator_advance_processing_time(w->source, w->now_ms);
    }
}

static const raski_watermark_strategy bounded = {.kind = RASKI_WATERMARKS_BOUNDED};
static const raski_watermark_strategy idle_after_1s = {
    .kind = RASKI_WATERMARKS_BOUNDED, .has_idleness = true, .idleness_ms = 1000};
static const raski_watermark_strategy aligned = {.kind = RASKI_WATERMARKS_USER,
                                                 .alignment_group = "g",
                                                 .max_drift_ms = 10,
                                                 .update_interval_ms = 100};

/* ---------------------------------------------------------------- splits */
static void the_slowest_split_decides(void **state) {
    (void)state;
    world w;
    world_init(&w, 3, bounded);
    add_split(&w, 'a');
    add_split(&w, 'b');
    give('a', 100);
    give('b', 50);
    run(&w, 4);
    assert_told("50@50 100@100 ");
    pass(&w, 200);
    assert_told("wm49 ");
    give('b', 150);
    run(&w, 4);
    pass(&w, 200);
    assert_told("150@150 wm99 ");
    /* a new split holds back, but takes nothing back; when it ends, it is forgotten */
    add_split(&w, 'c');
    give('c', 20);
    run(&w, 4);
    pass(&w, 400);
    assert_told("20@20 ");
    give('a', 300);
    ends['c'] = true;
    run(&w, 4);
    pass(&w, 200);
    assert_told("300@300 wm149 ");
    world_fini(&w);
}

static void each_split_has_its_own_generator(void **state) {
    (void)state;
    world w;
    const raski_watermark_strategy strategy = {.kind = RASKI_WATERMARKS_USER};
    world_init(&w, 2, strategy);
    w.time.generator = &raski_fn_count_of_split.base;
    add_split(&w, 'a');
    add_split(&w, 'b');
    for (int i = 0; i < 5; i++) give('a', i);
    give('b', 7);
    run(&w, 2);
    pass(&w, 200);
    assert_told("7@7 0@0 1@1 2@2 3@3 4@4 wm1 ");
    world_fini(&w);
}

static void watermarks_of_records_stand_behind_them(void **state) {
    (void)state;
    world w;
    raski_watermark_strategy strategy = {.kind = RASKI_WATERMARKS_USER};
    world_init(&w, 1, strategy);
    add_split(&w, 'a');
    for (int i = 1; i <= 3; i++) give('a', i * 10);
    run(&w, 1);
    assert_told("10@10 wm10 20@20 wm20 30@30 wm30 ");
    world_fini(&w);
}

/* ---------------------------------------------------------------- against a model */
typedef struct model_split {
    bool reading;
    int64_t highest, known; /* timestamps; what it had reached at the last look */
} model_split;
typedef struct model {
    model_split splits[LETTERS];
    int64_t watermark;
    char told[sizeof told];
} model;

static void model_combine(model *m, bool looks) {
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < LETTERS; i++) {
        model_split *s = &m->splits[i];
        if (!s->reading) continue;
        if (looks) s->known = s->highest;
        if (s->known < least) least = s->known;
    }
    if (least == INT64_MAX || least == INT64_MIN || least - 1 <= m->watermark) return;
    m->watermark = least - 1;
    const size_t length = strlen(m->told);
    (void)snprintf(m->told + length, sizeof m->told - length, "wm%lld ", (long long)m->watermark);
}

static uint64_t random_state;
static uint32_t random_below(uint32_t bound) {
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(random_state >> 33) % bound;
}

/* The watermarks of what was told. */
static void keep_watermarks(char *text) {
    char kept[sizeof told] = "";
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        if (word[0] == 'w') {
            const size_t length = strlen(kept);
            (void)snprintf(kept + length, sizeof kept - length, "%s ", word);
        }
    memcpy(text, kept, sizeof kept);
}

static void random_splits_equal_the_model(void **state) {
    (void)state;
    enum { SLOTS = 4, FIRST = 'a', STEPS = 150 };
    size_t watermarks = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        world w;
        model m = {.watermark = INT64_MIN};
        world_init(&w, SLOTS, bounded);
        random_state = seed;
        int reading = 0;
        bool asked = false;
        for (int step = 0; step < STEPS; step++) {
            const size_t letter = FIRST + random_below(SLOTS + 2);
            model_split *split = &m.splits[letter];
            static const int kinds[] = {0, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3};
            switch (kinds[random_below(sizeof kinds / sizeof *kinds)]) {
                case 0: /* a new split */
                    if (split->reading || reading == SLOTS) break;
                    if (!asked) run(&w, 1);
                    w.requests = 0;
                    const char event[2] = {RASKI_SOURCE_EVENT_SPLIT, (char)letter};
                    raski_source_handle_event(w.source, event, 2);
                    *split = (model_split){true, INT64_MIN, INT64_MIN};
                    asked = ++reading < SLOTS;
                    run(&w, 1);
                    break;
                case 1: /* a split ends */
                    if (!split->reading) break;
                    ends[letter] = true;
                    run(&w, SLOTS);
                    ends[letter] = false;
                    split->reading = false;
                    reading--;
                    asked = true;
                    run(&w, 1);
                    if (reading > 0) model_combine(&m, false);
                    break;
                case 2: /* records */
                    if (!split->reading) break;
                    for (int i = 0; i < 3; i++) {
                        const int64_t n = step * 10 + random_below(100);
                        give((char)letter, n);
                        if (n > split->highest) split->highest = n;
                    }
                    run(&w, SLOTS);
                    break;
                default:
                    pass(&w, 200);
                    model_combine(&m, true);
                    break;
            }
        }
        keep_watermarks(told);
        watermarks += strlen(told);
        assert_told(m.told);
        world_fini(&w);
    }
    assert_true(watermarks > 5000);
}

/* ---------------------------------------------------------------- positions */
static char taken[64];
static void take_piece(void *ctx, const void *bytes, size_t size) {
    const size_t length = strlen(taken);
    (void)snprintf(taken + length, sizeof taken - length, "%.*s", (int)size, (const char *)bytes);
    if (ctx != NULL) raski_source_restore(ctx, bytes, size);
}

/* Two splits of a reader go on one after the other in a reader that reads one at a time. */
static void positions_of_all_splits_go_on(void **state) {
    (void)state;
    world w;
    world restored;
    world_init(&w, 3, bounded);
    add_split(&w, 'a');
    add_split(&w, 'b');
    run(&w, 2);
    taken[0] = '\0';
    raski_source_positions(w.source, take_piece, NULL);
    assert_string_equal(taken, "ab");
    world_init(&restored, 1, bounded);
    raski_source_positions(w.source, take_piece, restored.source);
    ends['a'] = ends['b'] = true;
    give('a', 1);
    give('b', 2);
    run(&restored, 1);
    assert_told("1@1 ");
    run(&restored, 1);
    assert_told("2@2 ");
    assert_int_equal(restored.requests, 0);
    run(&restored, 1);
    assert_int_equal(restored.requests, 1);
    world_fini(&restored);
    world_fini(&w);
}

/* Records of a split whose ids repeat are watched anew. */
static void a_slot_is_used_again(void **state) {
    (void)state;
    world w;
    world_init(&w, 1, bounded);
    add_split(&w, 'a');
    give('a', 100);
    ends['a'] = true;
    run(&w, 1);
    add_split(&w, 'b');
    give('b', 500);
    run(&w, 1);
    pass(&w, 200);
    assert_told("100@100 500@500 wm499 ");
    world_fini(&w);
}

static void report_W6_the_last_split_ends(void **state) {
    (void)state;
    world w;
    world_init(&w, 1, bounded);
    add_split(&w, 'a');
    give('a', 6);
    run(&w, 1);
    pass(&w, 200);
    assert_told("6@6 wm5 ");
    ends['a'] = true;
    run(&w, 2);
    say(&w, RASKI_SOURCE_EVENT_WAIT);
    assert_told("IDLE ");
    pass(&w, 1000);
    assert_told("");
    w.requests = 0;
    const char event[2] = {RASKI_SOURCE_EVENT_SPLIT, 'b'};
    raski_source_handle_event(w.source, event, 2);
    give('b', 3);
    run(&w, 1);
    assert_told("ACTIVE 3@3 ");
    world_fini(&w);
}

static void report_W8_a_reader_without_a_split_is_idle(void **state) {
    (void)state;
    world w;
    world_init(&w, 1, bounded);
    run(&w, 1);
    say(&w, RASKI_SOURCE_EVENT_WAIT);
    assert_told("IDLE ");
    assert_true(raski_source_was_empty(w.source));
    say(&w, RASKI_SOURCE_EVENT_NO_MORE);
    assert_int_equal(raski_source_step(w.source), RASKI_SOURCE_END);
    assert_true(raski_source_was_empty(w.source));
    assert_told("");
    world_fini(&w);
}

/* ---------------------------------------------------------------- idleness */
static void report_W5_a_source_is_active_before_it_resumes(void **state) {
    (void)state;
    world w;
    world_init(&w, 1, idle_after_1s);
    add_split(&w, 'a');
    give('a', 11);
    run(&w, 2);
    pass(&w, 2000);
    assert_told("11@11 wm10 IDLE ");
    give('a', 9); /* no watermark will be higher */
    run(&w, 2);
    assert_told("ACTIVE 9@9 ");
    pass(&w, 200);
    assert_told("");
    give('a', 12);
    run(&w, 2);
    pass(&w, 200);
    assert_told("12@12 wm11 ");
    world_fini(&w);
}

static void report_W10_an_empty_split_does_not_hold_back(void **state) {
    (void)state;
    world w;
    world_init(&w, 2, idle_after_1s);
    add_split(&w, 'a');
    add_split(&w, 'b');
    for (int i = 0; i < 10; i++) {
        give('a', 100 + i);
        run(&w, 2);
        pass(&w, 200);
    }
    assert_non_null(strstr(told, "wm108 "));
    assert_null(strstr(told, "IDLE"));
    world_fini(&w);
}

/* W15: the task waits for its consumers for ten seconds. */
static void report_W15_waiting_for_consumers_is_not_idle(void **state) {
    (void)state;
    world w;
    world_init(&w, 1, idle_after_1s);
    add_split(&w, 'a');
    give('a', 11);
    run(&w, 2);
    pass(&w, 400);
    assert_told("11@11 wm10 ");
    for (int i = 0; i < 100; i++) {
        w.blocked_ns += INT64_C(100) * 1000000;
        pass(&w, 100);
    }
    assert_told("");
    pass(&w, 2000);
    assert_told("IDLE ");
    world_fini(&w);
}

/* ---------------------------------------------------------------- alignment */
static void report_W14_a_paused_split_goes_on_after_others_change(void **state) {
    (void)state;
    world w;
    world_init(&w, 3, aligned);
    add_split(&w, 'a');
    add_split(&w, 'b');
    give('a', 100);
    give('b', 1);
    run(&w, 2);
    align_to(&w, 11);
    polls['a'] = polls['b'] = 0;
    for (int i = 0; i < 4; i++) {
        give('b', 2 + i);
        run(&w, 1);
    }
    assert_int_equal(polls['a'], 0);
    assert_true(polls['b'] > 3);
    add_split(&w, 'c');
    ends['b'] = true;
    give('c', 99);
    run(&w, 3);
    align_to(&w, 109);
    polls['a'] = 0;
    run(&w, 3);
    assert_true(polls['a'] > 0);
    world_fini(&w);
}

static void report_W16_waiting_for_the_group_is_not_idle(void **state) {
    (void)state;
    world w;
    raski_watermark_strategy strategy = aligned;
    strategy.has_idleness = true;
    strategy.idleness_ms = 500;
    world_init(&w, 1, strategy);
    add_split(&w, 'a');
    give('a', 100);
    run(&w, 1);
    align_to(&w, 11);
    assert_told("100@100 wm100 ");
    assert_int_equal(raski_source_step(w.source), RASKI_SOURCE_WAIT);
    pass(&w, 5000);
    assert_told("");
    assert_int_equal(w.reported_ms, 100);
    align_to(&w, 100);
    assert_int_equal(raski_source_step(w.source), RASKI_SOURCE_IDLE);
    pass(&w, 5000);
    assert_told("IDLE ");
    assert_int_equal(w.reported_ms, INT64_MAX);
    /* the same batch puts it too far ahead, and is all there is: it waits for the group only */
    give('a', 500);
    assert_int_equal(raski_source_step(w.source), RASKI_SOURCE_WAIT);
    assert_told("ACTIVE 500@500 wm500 ");
    world_fini(&w);
}

static void report_W17_nothing_is_said_before_a_watermark(void **state) {
    (void)state;
    world w;
    world_init(&w, 1, aligned);
    add_split(&w, 'a');
    pass(&w, 1000);
    assert_int_equal(w.reported_ms, INT64_MIN);
    assert_int_equal(raski_source_step(w.source), RASKI_SOURCE_IDLE); /* not paused */
    give('a', 5);
    run(&w, 1);
    pass(&w, 200);
    assert_int_equal(w.reported_ms, 5);
    ends['a'] = true;
    run(&w, 1);
    say(&w, RASKI_SOURCE_EVENT_NO_MORE);
    assert_int_equal(raski_source_step(w.source), RASKI_SOURCE_END);
    assert_int_equal(w.reported_ms, INT64_MAX);
    world_fini(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slowest_split_decides),
        cmocka_unit_test(each_split_has_its_own_generator),
        cmocka_unit_test(watermarks_of_records_stand_behind_them),
        cmocka_unit_test(a_slot_is_used_again),
        cmocka_unit_test(random_splits_equal_the_model),
        cmocka_unit_test(positions_of_all_splits_go_on),
        cmocka_unit_test(report_W6_the_last_split_ends),
        cmocka_unit_test(report_W8_a_reader_without_a_split_is_idle),
        cmocka_unit_test(report_W5_a_source_is_active_before_it_resumes),
        cmocka_unit_test(report_W10_an_empty_split_does_not_hold_back),
        cmocka_unit_test(report_W15_waiting_for_consumers_is_not_idle),
        cmocka_unit_test(report_W14_a_paused_split_goes_on_after_others_change),
        cmocka_unit_test(report_W16_waiting_for_the_group_is_not_idle),
        cmocka_unit_test(report_W17_nothing_is_said_before_a_watermark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
