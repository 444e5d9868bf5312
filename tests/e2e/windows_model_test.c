/* Random window programs on random inputs: a slow, plain model (all records, scanned for each
 * window) says what event-time windows give; and every program gives the same for batches of 1, 7
 * and 1024 records, on both state backends, and when it goes on from a snapshot in between. */
#include "api/environment.h"
#include "e2e_test_util.h"
#include "operators/harness/operator_harness.h"

/* ---------------------------------------------------------------- records and functions */
typedef struct {
    rask_string key;
    int64_t value;
    rask_string note; /* long ones, so that state owns memory */
} item;
RASK_TYPE(item, key, value, note);
typedef struct {
    int64_t sum, count;
    rask_string longest;
} acc;
RASK_TYPE(acc, sum, count, longest);
RASK_SIDE_OUTPUT(late_items, item);
typedef struct {
    rask_value(int64_t) fires;
} counting;
RASK_STATE(counting, fires);

static rask_string longer(rask_string a, rask_string b) {
    return b.len > a.len ? b : a;
}
RASK_REDUCE(add, item, a, b) {
    a.value += b.value;
    a.note = longer(a.note, b.note);
    return a;
}
RASK_AGGREGATE(gather, item, i, acc, a, acc) {
    a->sum += i.value;
    a->count++;
    a->longest = longer(a->longest, i.note);
}
RASK_AGGREGATE_RESULT(gather, a) {
    return *a;
}
RASK_AGGREGATE_MERGE(gather, into, from) {
    into->sum += from->sum;
    into->count += from->count;
    into->longest = longer(into->longest, from->longest);
}
RASK_WINDOW_PROCESS(show_all, counting, self, item, elements, rask_string, out) {
    char text[4096];
    int length =
        snprintf(text, sizeof text, "%.*s [%lld,%lld)", (int)rask_key(out, rask_string)->len,
                 rask_string_data(rask_key(out, rask_string)), (long long)rask_window_start(out),
                 (long long)rask_window_end(out));
    for (uint32_t i = 0; i < elements.count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, " %lld/%u",
                           (long long)elements.items[i].value, elements.items[i].note.len);
    ++*rask_ref(self->fires);
    rask_emit(out, rask_string_copy(text, (size_t)length));
}
RASK_WINDOW_PROCESS(show_acc, counting, self, acc, elements, acc, out) {
    acc a = elements.items[0];
    a.count += 1000 * ++*rask_ref(self->fires);
    rask_emit(out, a);
}
RASK_SESSION_GAP(own_gap, item, i) {
    return i.value % 9 + 1;
}
RASK_DELTA(distance, item, a, b) {
    return (double)(b.value - a.value);
}

/* ---------------------------------------------------------------- random numbers */
static uint64_t seed;
static int64_t below(int64_t n) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((seed >> 33) % (uint64_t)n);
}

/* ---------------------------------------------------------------- programs */
typedef struct program {
    rask_windows windows;
    int function;
    bool modelled; /* the model knows it */
} program;
enum { FUNCTIONS = 6, SHOW_ALL = 2 };

static program random_program(void) {
    const int64_t size = 1 + below(20), slide = 1 + below(size + 3);
    program p = {.function = (int)below(FUNCTIONS)};
    const int64_t kind = below(7);
    rask_windows *w = &p.windows;
    if (kind == 0) *w = rask_tumbling_event_time(.size_ms = size, .offset_ms = below(size));
    if (kind == 1) *w = rask_sliding_event_time(.size_ms = size, .slide_ms = slide);
    if (kind == 2) *w = rask_session_event_time(.gap_ms = 1 + below(6));
    if (kind == 3) *w = rask_dynamic_session_event_time(own_gap);
    if (kind == 4) *w = rask_tumbling_processing_time(.size_ms = size);
    if (kind == 5) *w = rask_count_windows(.size = 1 + below(4), .slide = below(3));
    if (kind == 6) *w = rask_global_windows_at_end(.size = 0);
    if (kind < 4 && below(3) == 0) w->allowed_lateness_ms = below(12);
    if (kind < 4 && below(2) == 0) w->late = rask_late(late_items);
    p.modelled = kind < 3 && w->allowed_lateness_ms == 0;
    if (below(4) == 0) {
        const int64_t trigger = below(kind == 2 || kind == 3 ? 2 : 3);
        if (trigger == 0) w->trigger = rask_count_trigger(1 + below(3));
        if (trigger == 1 && kind < 4) w->trigger = rask_continuous_event_time_trigger(1 + below(5));
        if (trigger == 2) w->trigger = rask_delta_trigger(distance, 10);
        p.modelled = false;
    }
    if (below(5) == 0) {
        w->evictor = below(2) ? rask_count_evictor(1 + below(3)) : rask_time_evictor(1 + below(9));
        p.modelled = false;
    }
    /* The model tells of all records of a window. */
    p.modelled = p.modelled && p.function == SHOW_ALL;
    return p;
}

static raski_stream *build(rask_env *env, const program *p) {
    rask_stream(item) in = rask_values(env, item, {.value = 0});
    rask_windowed(item) w = rask_window(rask_key_by(in, key), p->windows);
    switch (p->function) {
        case 0:
            return rask_window_reduce(w, add).node;
        case 1:
            return rask_window_aggregate(w, gather).node;
        case SHOW_ALL:
            return rask_window_process(w, show_all).node;
        case 3:
            return rask_window_aggregate_process(w, gather, show_acc).node;
        case 4:
            return rask_window_sum(w, value).node;
        default:
            return rask_window_max_by(w, value).node;
    }
}

/* ---------------------------------------------------------------- inputs */
enum { ITEMS = 400, KEYS = 5, STEPS_MAX = 40 };
typedef struct input {
    item items[ITEMS];
    int64_t timestamps[ITEMS];
    /* behind so many items the watermark and the clock move */
    size_t ends[STEPS_MAX];
    int64_t watermarks[STEPS_MAX], times[STEPS_MAX];
    size_t steps;
} input;

static void random_input(input *in) {
    static char texts[40][64];
    for (int i = 0; i < 40; i++)
        snprintf(texts[i], sizeof texts[i], "%.*s", i,
                 "a note that is long enough to be kept apart");
    int64_t time_ms = below(50) - 25, watermark = INT64_MIN, now_ms = 0;
    in->steps = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        in->items[i] = (item){.value = below(50), .note = rask_string_from(texts[below(40)])};
        in->items[i].key =
            rask_string_from(below(2) ? "k" : "a key that does not fit into a string");
        if (below(3) == 0) in->items[i].key = rask_string_from("b");
        time_ms += below(3);
        in->timestamps[i] = time_ms - below(12);
        if (below(20) != 0 || in->steps == STEPS_MAX - 1) continue;
        if (time_ms - below(15) > watermark) watermark = time_ms - below(6);
        now_ms += below(7);
        in->ends[in->steps] = i + 1;
        in->times[in->steps] = now_ms;
        in->watermarks[in->steps++] = watermark;
    }
    in->ends[in->steps] = ITEMS;
    in->times[in->steps] = now_ms + 100;
    in->watermarks[in->steps++] = INT64_MAX;
}

/* ---------------------------------------------------------------- running */
typedef struct way {
    size_t batch;
    const char *backend;
    bool snapshots; /* a new operator goes on, now and then */
} way;

static void take_outputs(raski_operator_harness *h, lines *out) {
    for (size_t i = 0; i < raski_operator_harness_output_count(h); i++) {
        const raski_harness_output *o = raski_operator_harness_output(h, i);
        if (o->kind != RASKI_HARNESS_RECORD) continue;
        rask_text text = {0};
        assert_int_equal(rask_text_append_record(&text, o->type, o->record), RASK_OK);
        char *line = malloc(text.length + 64);
        assert_non_null(line);
        snprintf(line, text.length + 64, "%s%.*s @ %lld", o->tag ? "late " : "", (int)text.length,
                 text.data, (long long)o->timestamp_ms);
        free(text.data);
        lines_take(out, line);
    }
    raski_operator_harness_clear(h);
}

static raski_operator_harness *start(raski_stream *stream, const raski_configuration *cfg,
                                     int64_t now_ms, const raski_byte_writer *snapshot) {
    raski_operator_harness *h = NULL;
    raski_error error = {0};
    const raski_operator_harness_options options = {.configuration = cfg,
                                                    .processing_time_ms = now_ms};
    assert_int_equal(raski_operator_harness_create(stream->definition, &options, &h, &error),
                     RASK_OK);
    if (snapshot != NULL) {
        const raski_snapshot_input one = {"model", snapshot->bytes, snapshot->size};
        assert_int_equal(raski_operator_harness_restore(h, &one, 1, &error), RASK_OK);
    }
    if (raski_operator_harness_open(h, &error) != RASK_OK) fail_msg("open: %s", error.message);
    return h;
}

static raski_operator_harness *go_on(raski_operator_harness *h, raski_stream *stream,
                                     const raski_configuration *cfg, const input *in, size_t step) {
    raski_byte_writer snapshot = {0};
    raski_error error = {0};
    assert_int_equal(raski_operator_harness_snapshot(h, &snapshot, &error), RASK_OK);
    raski_operator_harness_destroy(h);
    h = start(stream, cfg, in->times[step], &snapshot);
    raski_byte_writer_fini(&snapshot);
    /* A source would send its watermark again before anything else. */
    assert_int_equal(raski_operator_harness_watermark(h, 0, in->watermarks[step], &error), RASK_OK);
    return h;
}

/* What comes out in each step, in a fixed order. */
static void run(raski_stream *stream, const input *in, const way *how, lines outputs[STEPS_MAX]) {
    raski_configuration *cfg = raski_configuration_create();
    raski_error error = {0};
    assert_int_equal(raski_configuration_set(cfg, "state.backend.type", how->backend,
                                             &RASKI_ORIGIN_BY_PROGRAM, &error),
                     RASK_OK);
    raski_operator_harness *h = start(stream, cfg, 0, NULL);
    for (size_t step = 0, done = 0; step < in->steps; step++) {
        while (done < in->ends[step]) {
            size_t n = in->ends[step] - done;
            if (n > how->batch) n = how->batch;
            if (raski_operator_harness_process(h, 0, &in->items[done], &in->timestamps[done], n,
                                               &error) != RASK_OK)
                fail_msg("process: %s", error.message);
            done += n;
        }
        assert_int_equal(raski_operator_harness_watermark(h, 0, in->watermarks[step], &error),
                         RASK_OK);
        assert_int_equal(raski_operator_harness_set_time(h, in->times[step], &error), RASK_OK);
        take_outputs(h, &outputs[step]);
        lines_sort(&outputs[step]);
        if (how->snapshots && step % 5 == 4 && step + 1 < in->steps)
            h = go_on(h, stream, cfg, in, step);
    }
    raski_operator_harness_destroy(h);
    raski_configuration_destroy(cfg);
}

static void expect_same(uint64_t program_seed, const way *how, size_t step, const lines *want,
                        const lines *have) {
    for (size_t i = 0; i < want->count || i < have->count; i++) {
        const char *a = i < want->count ? want->items[i] : "(nothing)";
        const char *b = i < have->count ? have->items[i] : "(nothing)";
        if (strcmp(a, b) != 0)
            fail_msg("program %llu, batches of %zu on %s%s, step %zu: expected %s, got %s",
                     (unsigned long long)program_seed, how->batch, how->backend,
                     how->snapshots ? " with snapshots" : "", step, a, b);
    }
}

/* ---------------------------------------------------------------- the model */
typedef struct model_window {
    int64_t start_ms, end_ms;
    size_t items[ITEMS];
    size_t count;
} model_window;
typedef struct model {
    model_window *windows[ITEMS * 24];
    size_t count;
} model;

static void model_put(model *m, const input *in, size_t i, int64_t start_ms, int64_t end_ms,
                      bool merges) {
    model_window *own = calloc(1, sizeof *own);
    assert_non_null(own);
    own->start_ms = start_ms;
    own->end_ms = end_ms;
    for (size_t w = 0; w < m->count;) {
        model_window *other = m->windows[w];
        const bool same_key = rask_string_equal(in->items[other->items[0]].key, in->items[i].key);
        const bool meets = merges ? other->start_ms <= own->end_ms && own->start_ms <= other->end_ms
                                  : other->start_ms == start_ms;
        if (!same_key || !meets) {
            w++;
            continue;
        }
        if (other->start_ms < own->start_ms) own->start_ms = other->start_ms;
        if (other->end_ms > own->end_ms) own->end_ms = other->end_ms;
        for (size_t k = 0; k < other->count; k++) own->items[own->count++] = other->items[k];
        free(other);
        m->windows[w] = m->windows[--m->count];
        w = 0;
    }
    own->items[own->count++] = i;
    m->windows[m->count++] = own;
}

static int compare_numbers(const void *a, const void *b) {
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void model_fire(model *m, const input *in, int64_t watermark, bool merged, lines *out) {
    for (size_t w = 0; w < m->count;) {
        model_window *window = m->windows[w];
        if (window->end_ms - 1 > watermark) {
            w++;
            continue;
        }
        char text[8192];
        const rask_string *key = &in->items[window->items[0]].key;
        if (merged) qsort(window->items, window->count, sizeof *window->items, compare_numbers);
        int length =
            snprintf(text, sizeof text, "%.*s [%lld,%lld)", (int)key->len, rask_string_data(key),
                     (long long)window->start_ms, (long long)window->end_ms);
        for (size_t k = 0; k < window->count; k++)
            length += snprintf(text + length, sizeof text - (size_t)length, " %lld/%u",
                               (long long)in->items[window->items[k]].value,
                               in->items[window->items[k]].note.len);
        lines_add(out, "%s @ %lld", text, (long long)window->end_ms - 1);
        free(window);
        m->windows[w] = m->windows[--m->count];
    }
}

/* Tumbling, sliding, sessions of one gap; no lateness. Sets of records: sessions concatenate lists.
 */
static void run_model(const program *p, const input *in, lines outputs[STEPS_MAX]) {
    static model m;
    const rask_windows *w = &p->windows;
    const int64_t slide = w->slide_ms ? w->slide_ms : w->size_ms;
    int64_t watermark = INT64_MIN;
    m.count = 0;
    for (size_t step = 0, i = 0; step < in->steps; step++) {
        for (; i < in->ends[step]; i++) {
            const int64_t t = in->timestamps[i];
            bool kept = false;
            if (w->gap_ms > 0) {
                int64_t end_ms = t + w->gap_ms; /* of the session that it would be part of */
                for (size_t k = 0; k < m.count; k++)
                    if (rask_string_equal(in->items[m.windows[k]->items[0]].key,
                                          in->items[i].key) &&
                        m.windows[k]->start_ms <= t + w->gap_ms && t <= m.windows[k]->end_ms &&
                        m.windows[k]->end_ms > end_ms)
                        end_ms = m.windows[k]->end_ms;
                kept = end_ms - 1 > watermark;
                if (kept) model_put(&m, in, i, t, t + w->gap_ms, true);
            } else {
                for (int64_t start = t - w->size_ms + 1; start <= t; start++) {
                    const bool is_start = ((start - w->offset_ms) % slide + slide) % slide == 0;
                    if (!is_start || start + w->size_ms - 1 <= watermark) continue;
                    model_put(&m, in, i, start, start + w->size_ms, false);
                    kept = true;
                }
            }
            if (!kept && t <= watermark && w->late != NULL) {
                rask_text text = {0};
                assert_int_equal(rask_text_append_record(&text, &rask_type_item, &in->items[i]),
                                 RASK_OK);
                lines_add(&outputs[step], "late %.*s @ %lld", (int)text.length, text.data,
                          (long long)t);
                free(text.data);
            }
        }
        watermark = in->watermarks[step];
        model_fire(&m, in, watermark, w->gap_ms > 0, &outputs[step]);
        lines_sort(&outputs[step]);
    }
}

/* The order of a session's elements is that of merged lists: its numbers are put in order. */
static int compare_words(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}
static void sort_elements(lines *outputs, size_t steps) {
    for (size_t s = 0; s < steps; s++) {
        for (size_t i = 0; i < outputs[s].count; i++) {
            char *line = outputs[s].items[i], *from = strchr(line, ')'), *to = strstr(line, " @ ");
            if (from == NULL || to == NULL || strncmp(line, "late ", 5) == 0) continue;
            char *words[ITEMS], *copy = strdup(from + 1), *rest = NULL;
            size_t n = 0;
            copy[to - from - 1] = '\0';
            for (char *word = strtok_r(copy, " ", &rest); word != NULL;
                 word = strtok_r(NULL, " ", &rest))
                words[n++] = word;
            qsort(words, n, sizeof *words, compare_words);
            for (size_t k = 0; k < n; k++)
                from += snprintf(from + 1, strlen(words[k]) + 2, " %s", words[k]);
            memmove(from + 1, to, strlen(to) + 1);
            free(copy);
        }
        lines_sort(&outputs[s]);
    }
}

/* ---------------------------------------------------------------- all together */
static void free_all(lines *outputs) {
    for (size_t s = 0; s < STEPS_MAX; s++) lines_free(&outputs[s]);
}

static void compare_ways(uint64_t program_seed, bool stores) {
    static const way ways[] = {{7, "hashmap", false},
                               {1024, "hashmap", false},
                               {1024, "hashmap", true},
                               {1024, "rocksdb", false},
                               {7, "rocksdb", true}};
    static const way first = {1, "hashmap", false};
    static input in;
    lines want[STEPS_MAX] = {{0}};
    seed = program_seed;
    const program p = random_program();
    random_input(&in);
    rask_env *env = rask_env_create(NULL, NULL);
    raski_stream *stream = build(env, &p);
    if (raski_error_is_set(&env->error)) { /* a trigger that cannot be merged, for instance */
        rask_env_destroy(env);
        return;
    }
    if (p.windows.late != NULL) (void)raski_side_output(stream, &late_items.base, "", 0);
    run(stream, &in, &first, want);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        lines have[STEPS_MAX] = {{0}};
        if (!stores && strcmp(ways[i].backend, "rocksdb") == 0) continue;
        run(stream, &in, &ways[i], have);
        for (size_t s = 0; s < in.steps; s++)
            expect_same(program_seed, &ways[i], s, &want[s], &have[s]);
        free_all(have);
    }
    if (p.modelled) {
        lines model_says[STEPS_MAX] = {{0}};
        run_model(&p, &in, model_says);
        sort_elements(model_says, in.steps);
        sort_elements(want, in.steps);
        for (size_t s = 0; s < in.steps; s++)
            expect_same(program_seed, &first, s, &model_says[s], &want[s]);
        free_all(model_says);
    }
    free_all(want);
    rask_env_destroy(env);
}

static void programs_in_memory(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 1500; i++) compare_ways(i, false);
}
static void programs_on_both_backends(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 12; i++) compare_ways(1000003 * i, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_in_memory),
        cmocka_unit_test(programs_on_both_backends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
