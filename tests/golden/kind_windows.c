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

/* A global window has none. */
static void add_bounds(json_t *object, int64_t start_ms, int64_t end_ms) {
    if (start_ms == INT64_MIN && end_ms == INT64_MIN) return;
    json_object_set_new(object, "start", json_integer(start_ms));
    json_object_set_new(object, "end", json_integer(end_ms));
}

/* What process functions tell of their window. */
static json_t *window_json(rask_out_rask_string *out, json_t *values_take) {
    json_t *object =
        json_pack("{s:o,s:o}", "k", key_json(rask_key(out, rask_string)), "v", values_take);
    add_bounds(object, rask_window_start(out), rask_window_end(out));
    json_object_set_new(object, "wm", json_integer(rask_watermark(out)));
    return object;
}
static rask_string cleared_text(int64_t start_ms, int64_t end_ms, int64_t watermark_ms) {
    json_t *object = json_object();
    add_bounds(object, start_ms, end_ms);
    json_object_set_new(object, "wm", json_integer(watermark_ms));
    return json_text(object);
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
    rask_emit(out, json_text(window_json(out, values_json(elements))));
}
RASK_WINDOW_PROCESS(show_totals, nothing, self, totals, elements, rask_string, out) {
    json_t *values = json_array();
    for (uint32_t i = 0; i < elements.count; i++)
        json_array_append_new(
            values, json_pack("{s:I,s:I}", "sum", (json_int_t)elements.items[i].sum, "count",
                              (json_int_t)elements.items[i].count));
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
RASK_WINDOW_CLEAR(show_counts, self, out) {
    rask_clear(self->fires_of_window);
    rask_emit_side(out, cleared,
                   cleared_text(rask_window_start(out), rask_window_end(out), rask_watermark(out)));
}
RASK_WINDOW_PROCESS(show_and_clear, nothing, self, element, elements, rask_string, out) {
    rask_emit(out, json_text(window_json(out, values_json(elements))));
}
RASK_WINDOW_CLEAR(show_and_clear, self, out) {
    rask_emit_side(out, cleared,
                   cleared_text(rask_window_start(out), rask_window_end(out), rask_watermark(out)));
}
/* A WindowFunction is told nothing of time. */
RASK_WINDOW_PROCESS(apply, nothing, self, element, elements, rask_string, out) {
    json_t *object = window_json(out, values_json(elements));
    json_object_del(object, "wm");
    rask_emit(out, json_text(object));
}

/* ---------------------------------------------------------------- configurations */
static const char *text_of(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}
static int64_t number_of(const json_t *object, const char *name) {
    return json_integer_value(json_object_get(object, name));
}

enum { NESTED_MAX = 8 };
typedef struct configuration {
    golden_case *c;
    rask_windows windows;
    rask_trigger nested[NESTED_MAX];
    size_t nested_count;
} configuration;

static rask_trigger trigger_of(configuration *to, const json_t *trigger);
/* The trigger with the nested one of the configuration, in a place that lasts. */
static rask_trigger with_nested(configuration *to, rask_trigger outer, const json_t *trigger) {
    if (to->nested_count == NESTED_MAX) {
        golden_differ(to->c, "config.trigger", "is nested too deeply");
        return rask_never_trigger();
    }
    rask_trigger *place = &to->nested[to->nested_count++];
    *place = trigger_of(to, json_object_get(trigger, "nested"));
    outer.raski_nested = place;
    return outer;
}

static rask_trigger trigger_of(configuration *to, const json_t *trigger) {
    const char *type = text_of(trigger, "type");
    const int64_t interval_ms = number_of(trigger, "interval");
    if (strcmp(type, "eventTime") == 0) return rask_event_time_trigger();
    if (strcmp(type, "processingTime") == 0) return rask_processing_time_trigger();
    if (strcmp(type, "count") == 0) return rask_count_trigger(number_of(trigger, "n"));
    if (strcmp(type, "continuousEventTime") == 0)
        return rask_continuous_event_time_trigger(interval_ms);
    if (strcmp(type, "continuousProcessingTime") == 0)
        return rask_continuous_processing_time_trigger(interval_ms);
    if (strcmp(type, "delta") == 0)
        return rask_delta_trigger(difference,
                                  json_number_value(json_object_get(trigger, "threshold")));
    if (strcmp(type, "purging") == 0)
        return with_nested(to, rask_purging_trigger(rask_never_trigger()), trigger);
    if (strcmp(type, "processingTimeout") == 0)
        return with_nested(
            to,
            rask_processing_timeout_trigger(
                rask_never_trigger(), number_of(trigger, "timeout"),
                .reset_on_record = json_is_true(json_object_get(trigger, "resetTimerOnNewRecord")),
                .keep_on_timeout = !json_is_true(json_object_get(trigger, "clearOnTimeout"))),
            trigger);
    golden_differ(to->c, "config.trigger", "%s is not known", type);
    return rask_never_trigger();
}

static rask_evictor evictor_of(golden_case *c, const json_t *evictor) {
    const char *type = text_of(evictor, "type");
    const bool after = json_is_true(json_object_get(evictor, "after"));
    if (strcmp(type, "count") == 0)
        return rask_count_evictor(number_of(evictor, "n"), .after = after);
    if (strcmp(type, "time") == 0)
        return rask_time_evictor(number_of(evictor, "size"), .after = after);
    if (strcmp(type, "delta") != 0) golden_differ(c, "config.evictor", "%s is not known", type);
    return rask_delta_evictor(difference, json_number_value(json_object_get(evictor, "threshold")),
                              .after = after);
}

static rask_windows assigner_of(golden_case *c, const json_t *assigner) {
    const char *type = text_of(assigner, "type");
    const int64_t size_ms = number_of(assigner, "size"), slide_ms = number_of(assigner, "slide");
    const int64_t offset_ms = number_of(assigner, "offset"), gap_ms = number_of(assigner, "gap");
    if (strcmp(type, "tumblingEventTime") == 0)
        return rask_tumbling_event_time(.size_ms = size_ms, .offset_ms = offset_ms);
    if (strcmp(type, "tumblingProcessingTime") == 0)
        return rask_tumbling_processing_time(.size_ms = size_ms, .offset_ms = offset_ms);
    if (strcmp(type, "slidingEventTime") == 0)
        return rask_sliding_event_time(.size_ms = size_ms, .slide_ms = slide_ms,
                                       .offset_ms = offset_ms);
    if (strcmp(type, "slidingProcessingTime") == 0)
        return rask_sliding_processing_time(.size_ms = size_ms, .slide_ms = slide_ms,
                                            .offset_ms = offset_ms);
    if (strcmp(type, "sessionEventTime") == 0) return rask_session_event_time(.gap_ms = gap_ms);
    if (strcmp(type, "sessionProcessingTime") == 0)
        return rask_session_processing_time(.gap_ms = gap_ms);
    if (strcmp(type, "dynamicSessionEventTime") == 0) return rask_dynamic_session_event_time(gap);
    if (strcmp(type, "dynamicSessionProcessingTime") == 0)
        return rask_dynamic_session_processing_time(gap);
    if (strcmp(type, "globalEndOfStream") == 0) return rask_global_windows_at_end(.size = 0);
    if (strcmp(type, "global") != 0) golden_differ(c, "config.assigner", "%s is not known", type);
    return rask_global_windows(.size = 0);
}

static void read_configuration(golden_case *c, configuration *to) {
    const json_t *config = json_object_get(c->json, "config");
    const json_t *counts_ = json_object_get(config, "countWindow");
    const json_t *trigger = json_object_get(config, "trigger");
    const json_t *evictor = json_object_get(config, "evictor");
    to->c = c;
    to->windows = counts_ != NULL ? rask_count_windows(.size = number_of(counts_, "size"),
                                                       .slide = number_of(counts_, "slide"))
                                  : assigner_of(c, json_object_get(config, "assigner"));
    if (trigger != NULL) to->windows.trigger = trigger_of(to, trigger);
    if (evictor != NULL) to->windows.evictor = evictor_of(c, evictor);
    to->windows.allowed_lateness_ms = number_of(config, "allowedLateness");
    if (json_is_true(json_object_get(config, "sideOutputLate"))) to->windows.late = rask_late(late);
}

/* What the records of the main output are. */
typedef enum output_kind { OUTPUT_TEXT, OUTPUT_ELEMENT, OUTPUT_TOTALS } output_kind;

static json_t *element_json(const element *e) {
    return json_pack("[o,I]", key_json(&e->key), (json_int_t)e->value);
}
static json_t *describe_side(const char *tag, const void *record) {
    if (strcmp(tag, "late") == 0) return element_json(record);
    return parse(*(const rask_string *)record);
}
static json_t *describe_text(const char *tag, const void *record) {
    return tag ? describe_side(tag, record) : parse(*(const rask_string *)record);
}
static json_t *describe_element(const char *tag, const void *record) {
    return tag ? describe_side(tag, record) : element_json(record);
}
static json_t *describe_totals(const char *tag, const void *record) {
    if (tag != NULL) return describe_side(tag, record);
    const totals *t = record;
    return json_pack("{s:I,s:I}", "sum", (json_int_t)t->sum, "count", (json_int_t)t->count);
}

static raski_stream *apply_function(golden_case *c, rask_windowed(element) w,
                                    output_kind *ret_kind) {
    const char *name = text_of(json_object_get(c->json, "config"), "function");
    *ret_kind = OUTPUT_ELEMENT;
    if (strcmp(name, "reduce") == 0) return rask_window_reduce(w, add).node;
    if (strcmp(name, "sum") == 0) return rask_window_sum(w, value).node;
    if (strcmp(name, "min") == 0) return rask_window_min(w, value).node;
    if (strcmp(name, "max") == 0) return rask_window_max(w, value).node;
    if (strcmp(name, "minBy") == 0) return rask_window_min_by(w, value).node;
    if (strcmp(name, "maxBy") == 0) return rask_window_max_by(w, value).node;
    *ret_kind = OUTPUT_TOTALS;
    if (strcmp(name, "aggregate") == 0) return rask_window_aggregate(w, total).node;
    if (strcmp(name, "aggregateNoMerge") == 0) return rask_window_aggregate(w, total_unmerged).node;
    *ret_kind = OUTPUT_TEXT;
    if (strcmp(name, "reduceProcess") == 0) return rask_window_reduce_process(w, add, show).node;
    if (strcmp(name, "aggregateProcess") == 0)
        return rask_window_aggregate_process(w, total, show_totals).node;
    if (strcmp(name, "process") == 0) return rask_window_process(w, show).node;
    if (strcmp(name, "processState") == 0) return rask_window_process(w, show_counts).node;
    if (strcmp(name, "processClear") == 0) return rask_window_process(w, show_and_clear).node;
    if (strcmp(name, "apply") != 0) golden_differ(c, "config.function", "%s is not known", name);
    return rask_window_process(w, apply).node;
}

/* ---------------------------------------------------------------- replay */
/* Rask refuses some programs when they are built that fail in Flink at a later step, before any
 * result (docs/deviations.md): then that failure was to come. */
static bool fails_before_results(const golden_case *c) {
    size_t i, k;
    const json_t *step, *out;
    json_array_foreach(json_object_get(c->json, "steps"), i, step) {
        json_array_foreach(json_object_get(step, "out"), k,
                           out) if (json_object_get(out, "el") != NULL &&
                                    json_object_get(out, "side") == NULL) return false;
        if (json_object_get(step, "error") != NULL) return true;
    }
    return false;
}

/* Whether the program was refused; then this was compared. */
static bool refused(golden_case *c, const rask_env *env) {
    const json_t *expected = json_object_get(c->json, "buildError");
    if (!raski_error_is_set(&env->error)) {
        if (expected != NULL) golden_differ(c, "buildError", "was expected");
        return expected != NULL;
    }
    if (expected != NULL) {
        json_t *error = json_pack("{s:O}", "error", expected);
        golden_result_equal(c, error, golden_result(RASK_FAILED, &env->error, json_null()));
        json_decref(error);
    } else if (!fails_before_results(c)) {
        golden_differ(c, "buildError", "was refused: %s", env->error.message);
    }
    return true;
}

/* Flink's min and max write into the first record of a window, which windows that overlap share
 * when state is on the heap: there they show minima of each other (docs/deviations.md). */
static void forget_value(json_t *el) {
    json_array_set_new(el, 1, json_null());
}
static bool shares_records(golden_case *c) {
    const json_t *config = json_object_get(c->json, "config");
    const json_t *assigner = json_object_get(config, "assigner");
    const char *function = text_of(config, "function");
    return (strcmp(function, "min") == 0 || strcmp(function, "max") == 0) &&
           number_of(assigner, "slide") > 0 &&
           number_of(assigner, "size") > number_of(assigner, "slide");
}

static void push_element(golden_case *c, const json_t *el, unsigned input, const void *operator_,
                         void (*push)(void *context, const void *record), void *context) {
    (void)c, (void)input, (void)operator_;
    element record = {rask_string_from(json_string_value(json_array_get(el, 0))),
                      json_integer_value(json_array_get(el, 1))};
    push(context, &record);
}

void golden_windows(golden_case *c) {
    static json_t *(*const describe[])(const char *, const void *) = {
        [OUTPUT_TEXT] = describe_text,
        [OUTPUT_ELEMENT] = describe_element,
        [OUTPUT_TOTALS] = describe_totals};
    configuration config = {0};
    output_kind kind = OUTPUT_TEXT;
    snprintf(c->name, sizeof c->name, "%s", json_string_value(json_object_get(c->json, "id")));
    read_configuration(c, &config);
    rask_env *env = rask_env_create(NULL, NULL);
    rask_stream(element) in = rask_values(env, element, {rask_string_from(""), 0});
    rask_windowed(element) w = rask_window(rask_key_by(in, key), config.windows);
    rask_stream(element) out = {.node = apply_function(c, w, &kind)};
    if (refused(c, env)) {
        rask_env_destroy(env);
        return;
    }
    if (config.windows.late != NULL) (void)rask_side_output(out, late);
    (void)rask_side_output(out, cleared);
    golden_scenario_run(c,
                        &(golden_scenario){.env = env,
                                           .output = out.node,
                                           .element = push_element,
                                           .describe = describe[kind],
                                           .order = GOLDEN_ORDER_FREE,
                                           .counter = "globalFire",
                                           .normalize = shares_records(c) ? forget_value : NULL});
}

/* ---------------------------------------------------------------- joins by window */
RASK_WINDOW_JOIN(pair, element, left, element, right, rask_string, out) {
    rask_emit(out, json_text(json_pack("{s:o,s:I,s:I}", "k", key_json(&left.key), "l",
                                       (json_int_t)left.value, "r", (json_int_t)right.value)));
}
RASK_CO_GROUP(group, element, left, element, right, rask_string, out) {
    const rask_string *key = left.count > 0 ? &left.items[0].key : &right.items[0].key;
    rask_emit(out, json_text(json_pack("{s:o,s:o,s:o}", "k", key_json(key), "l", values_json(left),
                                       "r", values_json(right))));
}

/* The operator gets records as the two maps before it make them. */
static void push_tagged(golden_case *c, const json_t *el, unsigned input, const void *operator_,
                        void (*push)(void *context, const void *record), void *context) {
    (void)c;
    const raski_operator_definition *def = operator_;
    const raski_tagged_type *tagged = ((const raski_window_definition *)def->detail)->tagged;
    element record = {rask_string_from(json_string_value(json_array_get(el, 0))),
                      json_integer_value(json_array_get(el, 1))};
    char *both = raski_calloc(1, tagged->type->size);
    memcpy(both + tagged->key_offset, &record.key, sizeof record.key);
    memcpy(both + tagged->offsets[input], &record, sizeof record);
    both[tagged->second_flag_offset] = (char)input;
    push(context, both);
    raski_free(both);
}

void golden_window_join(golden_case *c) {
    configuration config = {0};
    snprintf(c->name, sizeof c->name, "%s", json_string_value(json_object_get(c->json, "id")));
    read_configuration(c, &config);
    rask_env *env = rask_env_create(NULL, NULL);
    rask_stream(element) a = rask_values(env, element, {rask_string_from(""), 0});
    rask_stream(element) b = rask_values(env, element, {rask_string_from(""), 0});
    const bool join = strcmp(text_of(json_object_get(c->json, "config"), "op"), "join") == 0;
    rask_stream(rask_string)
        out = {.node = join ? rask_window_join(a, key, b, key, config.windows, pair).node
                            : rask_co_group(a, key, b, key, config.windows, group).node};
    if (refused(c, env)) {
        rask_env_destroy(env);
        return;
    }
    golden_scenario_run(c, &(golden_scenario){.env = env,
                                              .output = out.node,
                                              .element = push_tagged,
                                              .describe = describe_text,
                                              .order = GOLDEN_ORDER_FREE,
                                              .one_input = true});
}
