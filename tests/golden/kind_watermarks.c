/* windows/watermark_*: channels of an input, splits of a source, generators with their operator. */
#include <string.h>

#include "base/alloc.h"
#include "golden/java_json.h"
#include "operators/time/watermark_generator.h"
#include "operators/time/watermark_output_multiplexer.h"
#include "operators/time/watermark_valve.h"

/* ---------------------------------------------------------------- steps */
static const char *text_member(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static json_t *status_json(bool idle) {
    return json_pack("{s:s}", "status", idle ? "idle" : "active");
}

static json_t *watermark_json(int64_t watermark_ms) {
    return json_pack("{s:I}", "wm", (json_int_t)watermark_ms);
}

static void add_change(json_t *out, raski_watermark_change change) {
    if (change.has_status && !change.idle) json_array_append_new(out, status_json(false));
    if (change.has_watermark) json_array_append_new(out, watermark_json(change.watermark_ms));
    if (change.has_status && change.idle) json_array_append_new(out, status_json(true));
}

/* Compares what a step gave, taken, with the fact. */
static void check_step(golden_case *c, size_t i, const json_t *step, rask_status status,
                       const raski_error *err, json_t *out_take) {
    char *path = raski_format("steps[%zu]", i);
    const json_t *error = json_object_get(step, "error");
    if (error != NULL || status != RASK_OK) {
        json_t *expected = error ? json_pack("{s:O}", "error", error) : json_pack("{s:n}", "ok");
        golden_result_equal(c, expected, golden_result(status, err, json_null()));
        json_decref(expected);
    }
    if (json_object_get(step, "out") != NULL)
        golden_equal(c, path, json_object_get(step, "out"), out_take);
    json_decref(out_take);
    raski_free(path);
}

static bool is_idle_text(const json_t *in) {
    return strcmp(text_member(in, "status"), "idle") == 0;
}

/* ---------------------------------------------------------------- the valve */
void golden_watermark_valve(golden_case *c) {
    const json_t *config = json_object_get(c->json, "config");
    snprintf(c->name, sizeof c->name, "%s", text_member(c->json, "id"));
    raski_watermark_valve valve;
    raski_watermark_valve_init(&valve,
                               (size_t)golden_integer(c, json_object_get(config, "channels")));
    size_t i;
    const json_t *step;
    json_array_foreach(json_object_get(c->json, "steps"), i, step) {
        const json_t *in = json_object_get(step, "in");
        const json_t *watermark = json_object_get(in, "wm");
        const size_t channel = (size_t)golden_integer(c, json_object_get(in, "ch"));
        raski_watermark_change change = {0};
        raski_error err = {0};
        rask_status status =
            watermark
                ? raski_watermark_valve_watermark(&valve, channel, golden_integer(c, watermark),
                                                  &change, &err)
                : raski_watermark_valve_status(&valve, channel, is_idle_text(in), &change, &err);
        json_t *out = json_array();
        add_change(out, change);
        check_step(c, i, step, status, &err, out);
    }
    raski_watermark_valve_fini(&valve);
}

/* ---------------------------------------------------------------- the multiplexer */
static raski_watermark_change tell(golden_case *c, raski_watermark_multiplexer *mux,
                                   const json_t *in) {
    raski_split_watermark *split = raski_watermark_multiplexer_find(mux, text_member(in, "output"));
    const json_t *watermark = json_object_get(in, "wm");
    const bool immediate = strcmp(text_member(in, "mode"), "immediate") == 0;
    if (split == NULL) {
        golden_differ(c, "output", "'%s' is not registered", text_member(in, "output"));
        return (raski_watermark_change){0};
    }
    if (immediate)
        return watermark
                   ? raski_watermark_multiplexer_advance(mux, split, golden_integer(c, watermark))
                   : raski_watermark_multiplexer_status(mux, split, is_idle_text(in));
    if (watermark)
        raski_watermark_multiplexer_defer_watermark(split, golden_integer(c, watermark));
    else
        raski_watermark_multiplexer_defer_status(split, is_idle_text(in));
    return (raski_watermark_change){0};
}

void golden_watermark_multiplexer(golden_case *c) {
    snprintf(c->name, sizeof c->name, "%s", text_member(c->json, "id"));
    raski_watermark_multiplexer mux;
    raski_watermark_multiplexer_init(&mux);
    size_t i;
    const json_t *step;
    json_array_foreach(json_object_get(c->json, "steps"), i, step) {
        const json_t *in = json_object_get(step, "in");
        raski_watermark_change change = {0};
        raski_error err = {0};
        rask_status status = RASK_OK;
        raski_split_watermark *split = NULL;
        if (json_object_get(in, "register")) {
            status = raski_watermark_multiplexer_register(&mux, text_member(in, "register"), &split,
                                                          &err);
        } else if (json_object_get(in, "unregister")) {
            const bool was_there =
                raski_watermark_multiplexer_unregister(&mux, text_member(in, "unregister"));
            json_t *got = json_boolean(was_there);
            golden_equal(c, "returned", json_object_get(step, "returned"), got);
            json_decref(got);
        } else if (json_object_get(in, "periodic")) {
            change = raski_watermark_multiplexer_periodic(&mux);
        } else {
            change = tell(c, &mux, in);
        }
        json_t *out = json_array();
        add_change(out, change);
        check_step(c, i, step, status, &err, out);
    }
    raski_watermark_multiplexer_fini(&mux);
}

/* ---------------------------------------------------------------- generators */
typedef struct assigner {
    raski_watermark_output output; /* first: the generator's way to out */
    raski_watermark_strategy strategy;
    raski_watermark_generator generator;
    raski_watermark_emitter emitter;
    const char *timestamps; /* "value", "previous+value" or "" */
    bool punctuated, batch;
    int64_t interval_ms, next_ms, now_ms;
    json_t *out; /* of the step */
} assigner;

static void watermark_out(raski_watermark_output *self, int64_t watermark_ms) {
    assigner *a = (assigner *)self;
    add_change(a->out, raski_watermark_emitter_advance(&a->emitter, watermark_ms));
}

static void status_out(raski_watermark_output *self, bool idle) {
    assigner *a = (assigner *)self;
    add_change(a->out, raski_watermark_emitter_status(&a->emitter, idle));
}

static int64_t integer_or(golden_case *c, const json_t *object, const char *key,
                          int64_t otherwise) {
    const json_t *value = json_object_get(object, key);
    return value ? golden_integer(c, value) : otherwise;
}

static void read_config(golden_case *c, assigner *a) {
    const json_t *config = json_object_get(c->json, "config");
    const char *strategy = text_member(config, "strategy");
    a->output = (raski_watermark_output){watermark_out, status_out};
    a->emitter = RASKI_WATERMARK_EMITTER_INITIAL;
    a->timestamps = text_member(config, "assigner");
    a->batch = json_is_true(json_object_get(config, "batch"));
    a->punctuated = strcmp(strategy, "punctuated") == 0;
    a->interval_ms = integer_or(c, config, "autoWatermarkInterval", 200);
    a->next_ms = a->interval_ms;
    a->strategy = (raski_watermark_strategy){
        .kind = a->punctuated                           ? RASKI_WATERMARKS_USER
                : strcmp(strategy, "noWatermarks") == 0 ? RASKI_WATERMARKS_NONE
                                                        : RASKI_WATERMARKS_BOUNDED,
        .max_out_of_orderness_ms = integer_or(c, config, "bound", 0),
        .has_idleness = json_object_get(config, "idleTimeout") != NULL,
        .idleness_ms = integer_or(c, config, "idleTimeout", 0),
    };
}

/* The program's generator of these facts: key w emits a watermark, i and x are statuses. */
static void punctuate(assigner *a, const char *key, int64_t value) {
    if (strcmp(key, "w") == 0) watermark_out(&a->output, value);
    if (strcmp(key, "i") == 0) status_out(&a->output, true);
    if (strcmp(key, "x") == 0) status_out(&a->output, false);
}

static void take_record(golden_case *c, assigner *a, const json_t *in) {
    json_t *element = json_object_get(in, "el");
    const json_t *given = json_object_get(in, "ts");
    const int64_t value = golden_integer(c, json_array_get(element, 1));
    int64_t timestamp = json_is_integer(given) ? json_integer_value(given) : INT64_MIN;
    if (strcmp(a->timestamps, "value") == 0) timestamp = value;
    if (strcmp(a->timestamps, "previous+value") == 0)
        timestamp = (int64_t)((uint64_t)timestamp + (uint64_t)value); /* wraps as in Java */
    if (raski_watermark_generator_on_records(&a->generator, &timestamp, 1) && !a->batch)
        status_out(&a->output, false);
    json_array_append_new(a->out,
                          json_pack("{s:O,s:I}", "el", element, "ts", (json_int_t)timestamp));
    if (a->punctuated && !a->batch)
        punctuate(a, json_string_value(json_array_get(element, 0)), value);
}

static void take_step(golden_case *c, assigner *a, const json_t *in) {
    if (json_object_get(in, "el")) {
        take_record(c, a, in);
    } else if (json_object_get(in, "pt")) {
        a->now_ms = golden_integer(c, json_object_get(in, "pt"));
        if (a->batch || a->interval_ms == 0 || a->now_ms < a->next_ms) return;
        raski_watermark_generator_on_periodic(&a->generator, a->now_ms * 1000000, &a->output);
        a->next_ms = a->now_ms + a->interval_ms;
    } else if (json_object_get(in, "wm")) {
        const int64_t watermark_ms = golden_integer(c, json_object_get(in, "wm"));
        if (watermark_ms == RASKI_WATERMARK_MAX) watermark_out(&a->output, watermark_ms);
    } else if (json_object_get(in, "finish")) {
        if (!a->batch)
            raski_watermark_generator_on_periodic(&a->generator, a->now_ms * 1000000, &a->output);
    }
}

/* Deviation W5 (docs/deviations.md): a stream that resumes is ACTIVE before its first record or at
 * its first watermark, where 2.2.0 waits for a watermark that is higher than the last. Takes the
 * status that came early out of this step, and its later counterpart out of the fact. */
typedef struct early_status {
    bool idle;  /* what the fact has told so far */
    bool early; /* ACTIVE was given, the fact has not told it yet */
} early_status;

static bool is_status(const json_t *item, bool idle) {
    return strcmp(text_member(item, "status"), idle ? "idle" : "active") == 0;
}

/* Where a status stands in a step, or SIZE_MAX. */
static size_t place_of(const json_t *out, bool idle) {
    for (size_t i = 0; i < json_array_size(out); i++)
        if (is_status(json_array_get(out, i), idle)) return i;
    return SIZE_MAX;
}

static bool tells(const json_t *out, bool idle) {
    return place_of(out, idle) != SIZE_MAX;
}

static json_t *without_deviation(early_status *d, const json_t *expected, json_t *got) {
    json_t *rest = json_array();
    size_t i;
    json_t *item;
    if (d->idle && !d->early && place_of(got, false) < place_of(expected, false)) {
        d->early = true;
        json_array_remove(got, place_of(got, false));
    } else if (d->early && tells(got, true) && !tells(expected, true)) {
        d->early = false; /* idle again before 2.2.0 noticed */
        json_array_remove(got, place_of(got, true));
    }
    json_array_foreach(expected, i, item) {
        const bool active = is_status(item, false);
        if (active && d->early)
            d->early = false;
        else
            json_array_append(rest, item);
        if (active || is_status(item, true)) d->idle = !active;
    }
    return rest;
}

void golden_watermark_generators(golden_case *c) {
    snprintf(c->name, sizeof c->name, "%s", text_member(c->json, "id"));
    assigner a = {0};
    read_config(c, &a);
    raski_error err = {0};
    rask_status status = raski_watermark_strategy_check(&a.strategy, &err);
    const json_t *build_error = json_object_get(c->json, "buildError");
    if (build_error != NULL || status != RASK_OK) {
        json_t *expected =
            build_error ? json_pack("{s:O}", "error", build_error) : json_pack("{s:n}", "ok");
        golden_result_equal(c, expected, golden_result(status, &err, json_null()));
        json_decref(expected);
        return;
    }
    if (a.batch) a.strategy = (raski_watermark_strategy){.kind = RASKI_WATERMARKS_NONE};
    raski_watermark_generator_init(&a.generator, &a.strategy, NULL, NULL);
    early_status deviation = {0};
    size_t i;
    const json_t *step;
    json_array_foreach(json_object_get(c->json, "steps"), i, step) {
        a.out = json_array();
        take_step(c, &a, json_object_get(step, "in"));
        json_t *expected = without_deviation(&deviation, json_object_get(step, "out"), a.out);
        json_t *rest = json_pack("{s:o}", "out", expected);
        check_step(c, i, rest, RASK_OK, NULL, a.out);
        json_decref(rest);
    }
}
