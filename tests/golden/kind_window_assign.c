/* Facts about single windows: which ones a record has, which ones merge. */
#include <stdlib.h>
#include <string.h>

#include "golden/golden.h"
#include "operators/window/assigner.h"

enum { WINDOWS_MAX = 1024 };

static int64_t number(const json_t *object, const char *name) {
    return json_integer_value(json_object_get(object, name));
}
static json_t *window_json(raski_time_window window) {
    return json_pack("[I, I]", (json_int_t)window.start_ms, (json_int_t)window.end_ms);
}
static raski_time_window window_of(const json_t *pair) {
    return (raski_time_window){json_integer_value(json_array_get(pair, 0)),
                               json_integer_value(json_array_get(pair, 1))};
}

static void equal(golden_case *c, const char *path, json_t *got_take) {
    golden_equal(c, path, json_object_get(c->json, path), got_take);
    json_decref(got_take);
}

static void check_assigner(golden_case *c, raski_window_assigner assigner, int64_t timestamp,
                           int64_t now_ms) {
    raski_error error = {0};
    raski_assigned_windows windows = {0};
    assigner.size_ms = number(c->json, "size");
    assigner.slide_ms = number(c->json, "slide");
    assigner.offset_ms = number(c->json, "offset");
    if (raski_window_assigner_check(&assigner, &error) != RASK_OK ||
        raski_window_assign(&assigner, timestamp, now_ms, 0, &windows, &error) != RASK_OK) {
        golden_differ(c, "windows", "%s", error.message);
        return;
    }
    json_t *got = json_array();
    for (uint64_t i = 0; i < windows.count; i++)
        json_array_append_new(got, window_json(raski_assigned_window(&windows, i)));
    equal(c, "windows", got);
}

/* The windows that merge are a set in Flink: the facts list them in order. */
static int compare(const void *a_, const void *b_) {
    const raski_time_window *a = a_;
    const raski_time_window *b = b_;
    if (a->start_ms != b->start_ms) return a->start_ms < b->start_ms ? -1 : 1;
    return (a->end_ms > b->end_ms) - (a->end_ms < b->end_ms);
}

static void check_merge(golden_case *c) {
    raski_time_window windows[WINDOWS_MAX];
    size_t groups[WINDOWS_MAX];
    const json_t *in = json_object_get(c->json, "windows");
    const size_t n = json_array_size(in);
    if (n > WINDOWS_MAX) {
        golden_differ(c, "windows", "are more than %d", WINDOWS_MAX);
        return;
    }
    for (size_t i = 0; i < n; i++) windows[i] = window_of(json_array_get(in, i));
    (void)raski_window_merge_groups(windows, n, windows, groups);
    json_t *merges = json_array();
    for (size_t begin = 0, end = 0; begin < n; begin = end) {
        raski_time_window into = windows[begin];
        json_t *from = json_array();
        for (end = begin; end < n && groups[end] == groups[begin]; end++)
            into = raski_window_cover(into, windows[end]);
        qsort(windows + begin, end - begin, sizeof *windows, compare);
        for (size_t i = begin; i < end; i++)
            if (i == begin || !raski_window_equal(windows[i], windows[i - 1]))
                json_array_append_new(from, window_json(windows[i]));
        if (json_array_size(from) > 1)
            json_array_append_new(merges, json_pack("{s:o, s:o}", "into", window_json(into), "from",
                                                    json_incref(from)));
        json_decref(from);
    }
    equal(c, "merges", merges);
}

static void check_texts(golden_case *c) {
    static const struct {
        const char *name;
        raski_window_shape shape;
        int64_t slide_ms;
    } kinds[] = {{"tumbling", RASKI_WINDOW_TUMBLING, 0},
                 {"sliding", RASKI_WINDOW_SLIDING, 5},
                 {"session", RASKI_WINDOW_SESSION, 0}};
    raski_arena *arena = raski_arena_create(0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *text = json_string_value(json_object_get(c->json, kinds[i].name));
        const char *open = text != NULL ? strchr(text, '(') : NULL;
        const int64_t size = open != NULL ? strtoll(open + 1, NULL, 10) : 0;
        const raski_window_assigner assigner = {.shape = kinds[i].shape,
                                                .event_time = true,
                                                .size_ms = size,
                                                .gap_ms = size,
                                                .slide_ms = kinds[i].slide_ms};
        equal(c, kinds[i].name, json_string(raski_window_assigner_text(&assigner, arena)));
    }
    raski_arena_destroy(arena);
}

static void check_pair(golden_case *c) {
    const raski_time_window a = window_of(json_object_get(c->json, "a"));
    const raski_time_window b = window_of(json_object_get(c->json, "b"));
    equal(c, "intersects", json_boolean(raski_window_intersects(a, b)));
    equal(c, "cover", window_json(raski_window_cover(a, b)));
    equal(c, "maxTimestampA", json_integer(raski_window_max_timestamp(a)));
    equal(c, "hashA", json_integer(raski_window_hash(a)));
}

void golden_window_assign(golden_case *c) {
    const char *fn = json_string_value(json_object_get(c->json, "fn"));
    if (fn == NULL) fn = "";
    snprintf(c->name, sizeof c->name, "line %zu (%.80s)", c->number, fn);
    const int64_t timestamp = number(c->json, "ts");
    if (strcmp(fn, "getWindowStartWithOffset") == 0)
        equal(c, "start",
              json_integer(raski_window_start(timestamp, number(c->json, "offset"),
                                              number(c->json, "size"))));
    else if (strcmp(fn, "slidingAssign") == 0)
        check_assigner(c,
                       (raski_window_assigner){.shape = RASKI_WINDOW_SLIDING, .event_time = true},
                       timestamp, 0);
    else if (strcmp(fn, "tumblingAssign") == 0)
        check_assigner(c,
                       (raski_window_assigner){.shape = RASKI_WINDOW_TUMBLING, .event_time = true},
                       timestamp, 0);
    else if (strcmp(fn, "tumblingProcessingAssign") == 0)
        check_assigner(c, (raski_window_assigner){.shape = RASKI_WINDOW_TUMBLING},
                       RASK_NO_TIMESTAMP, number(c->json, "processingTime"));
    else if (strcmp(fn, "slidingProcessingAssign") == 0)
        check_assigner(c, (raski_window_assigner){.shape = RASKI_WINDOW_SLIDING}, RASK_NO_TIMESTAMP,
                       number(c->json, "processingTime"));
    else if (strcmp(fn, "mergeWindows") == 0)
        check_merge(c);
    else if (strcmp(fn, "intersectsCover") == 0)
        check_pair(c);
    else if (strcmp(fn, "globalWindowMaxTimestamp") == 0)
        equal(c, "value", json_integer(raski_window_max_timestamp(raski_global_window())));
    else if (strcmp(fn, "defaultToString") == 0)
        check_texts(c);
    else
        golden_differ(c, "fn", "is not known");
}
