/* windows/windows: window operators built as programs build them, every assigner, trigger, evictor
 * and kind of function. windows/window_join_cogroup: both inputs tagged, then one operator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/environment.h"
#include "base/alloc.h"
#include "golden/java_json.h"
#include "golden/scenario.h"
#include "operators/window/window_definition.h"

/* ---------------------------------------------------------------- records */
typedef struct {
    rask_string key;
    int64_t value;
} element;
RASK_TYPE(element, key, value);
typedef struct {
    int64_t sum, count;
} totals;
RASK_TYPE(totals, sum, count);
RASK_SIDE_OUTPUT(late, element);
RASK_SIDE_OUTPUT(cleared, rask_string);

static rask_string json_text(json_t *value_take) {
    char *text = json_dumps(value_take, JSON_COMPACT | JSON_ENCODE_ANY);
    rask_string s = rask_string_copy(text, strlen(text));
    free(text);
    json_decref(value_take);
    return s;
}
static json_t *parse(rask_string text) {
    return json_loadb(rask_string_data(&text), text.len, JSON_DECODE_ANY, NULL);
}
static json_t *key_json(const rask_string *key) {
    return json_stringn(rask_string_data(key), key->len);
}

/* ---------------------------------------------------------------- functions */
RASK_SESSION_GAP(gap, element, e) {
    return e.value;
}
RASK_DELTA(difference, element, earlier, later) {
    return (double)(later.value - earlier.value);
}
RASK_REDUCE(add, element, a, b) {
    a.value += b.value;
    return a;
}
RASK_AGGREGATE(total, element, e, totals, t, totals) {
    t->sum += e.value;
    t->count++;
}
RASK_AGGREGATE_RESULT(total, t) {
    return *t;
}
RASK_AGGREGATE_MERGE(total, into, from) {
    into->sum += from->sum;
    into->count += from->count;
}
RASK_AGGREGATE(total_unmerged, element, e, totals, t, totals) {
    t->sum += e.value;
    t->count++;
}
RASK_AGGREGATE_RESULT(total_unmerged, t) {
    return *t;
}
RASK_AGGREGATE_MERGE(total_unmerged, into, from) {
    (void)into, (void)from;
    (void)rask_fail("merge not supported by this aggregate");
}

/* What process functions tell of their window. */
static json_t *window_json(rask_out_rask_string *out, json_t *values_take) {
    json_t *object = json_pack("{s:o,s:o}", "k", key_json(rask_key(out, rask_string)), "v",
                               values_take);
    if (rask_window_max_timestamp(out) != INT64_MAX || rask_window_end(out) == INT64_MIN + 0) {
        if (rask_window_start(out) != INT64_MIN || rask_window_end(out) != INT64_MIN) {
            json_object_set_new(object, "start", json_integer(rask_window_start(out)));
            json_object_set_new(object, "end", json_integer(rask_window_end(out)));
        }
    }
    json_object_set_new(object, "wm", json_integer(rask_watermark(out)));
    return object;
}
static json_t *values_json(rask_list(element) elements) {
    json_t *values = json_array();
    for (uint32_t i = 0; i < elements.count; i++)
        json_array_append_new(values, json_integer(elements.items[i].value));
    return values;
}

typedef struct {
    int64_t unused;
} nothing;
RASK_INSTANCE(nothing);
RASK_WINDOW_PROCESS(show, nothing, self, element, elements, rask_string, out) {
    (void)self;
    rask_emit(out, json_text(window_json(out, values_json(elements))));
}
RASK_WINDOW_PROCESS(show_totals, nothing, self, totals, elements, rask_string, out) {
    (void)self;
    json_t *values = json_array();
    for (uint32_t i = 0; i < elements.count; i++)
        json_array_append_new(values, json_pack("{s:I,s:I}", "sum", (json_int_t)elements.items[i].sum,
                                                "count", (json_int_t)elements.items[i].count));
    rask_emit(out, json_text(window_json(out, values)));
}

typedef struct {
    rask_value(int64_t) fires_of_key, fires_of_window;
} counts;
RASK_STATE(counts, fires_of_key);
RASK_WINDOW_PROCESS(show_counts, counts, self, element, elements, rask_string, out) {
    json_t *object = window_json(out, values_json(elements));
    json_object_set_new(object, "fire", json_integer(++*rask_ref(self->fires_of_window)));
    json_object_set_new(object, "globalFire", json_integer(++*rask_ref(self->fires_of_key)));
    rask_emit(out, json_text(object));
}
RASK_WINDOW_STATE(counts, fires_of_window);
