/* windows/watermark_*: channels of an input, splits of a source, generators with their operator. */
#include <string.h>

#include "base/alloc.h"
#include "golden/java_json.h"
#include "operators/time/time_definition.h"
#include "operators/time/watermark_output_multiplexer.h"
#include "operators/time/watermark_valve.h"
#include "rask/rask.h"

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
/* The program of these facts: key w emits a watermark, i and x are statuses. */
typedef struct {
    rask_string key;
    int64_t value;
} element;
RASK_TYPE(element, key, value);
typedef struct {
    char unused;
} nothing;
RASK_INSTANCE(nothing);
RASK_WATERMARK_GENERATOR(punctuate, nothing, self, element, e, timestamp, out) {
    switch (*rask_string_data(&e.key)) {
        case 'w':
            rask_emit_watermark(out, e.value);
            break;
        case 'i':
            rask_mark_idle(out);
            break;
        case 'x':
            rask_mark_active(out);
            break;
        default:
            break;
    }
}
RASK_TIMESTAMPS(the_value, element, e, previous) {
    return e.value;
}
RASK_TIMESTAMPS(previous_and_value, element, e, previous) {
    return (int64_t)((uint64_t)previous + (uint64_t)e.value); /* wraps as in Java */
}

/* What stands behind the operator and notes what comes. */
static void note_records(raski_operator *op, unsigned input, void *records, int64_t *timestamps,
                         size_t n, bool exclusive) {
    (void)input, (void)exclusive;
    const element *e = records;
    for (size_t i = 0; i < n; i++) {
        json_t *pair = json_pack("[s%I]", rask_string_data(&e[i].key), (size_t)e[i].key.len,
                                 (json_int_t)e[i].value);
        json_array_append_new(op->env->context,
                              json_pack("{s:o,s:I}", "el", pair, "ts", (json_int_t)timestamps[i]));
    }
}

static void note_watermark(raski_operator *op, int64_t watermark) {
    json_array_append_new(op->env->context, watermark_json(watermark));
}

static bool note_status(raski_operator *op, bool idle) {
    json_array_append_new(op->env->context, status_json(idle));
    return true;
}

static const raski_operator_ops note_ops = {.name = "note",
                                            .process = note_records,
                                            .watermark = note_watermark,
                                            .accepts_status = note_status};

typedef struct assigner {
    raski_operator_env env;
    raski_time_definition definition;
    raski_operator_definition def, behind;
    raski_operator *op, *noting;
    int64_t now_ms;
} assigner;

static int64_t clock_of_steps(void *now_ms) {
    return *(int64_t *)now_ms;
}

static int64_t integer_or(golden_case *c, const json_t *object, const char *key,
                          int64_t otherwise) {
    const json_t *value = json_object_get(object, key);
    return value ? golden_integer(c, value) : otherwise;
}

static void read_strategy(golden_case *c, const json_t *config, raski_time_definition *definition) {
    const char *strategy = text_member(config, "strategy");
    const char *timestamps = text_member(config, "assigner");
    definition->strategy = (raski_watermark_strategy){
        .kind = strcmp(strategy, "punctuated") == 0     ? RASKI_WATERMARKS_USER
                : strcmp(strategy, "noWatermarks") == 0 ? RASKI_WATERMARKS_NONE
                                                        : RASKI_WATERMARKS_BOUNDED,
        .max_out_of_orderness_ms = integer_or(c, config, "bound", 0),
        .has_idleness = json_object_get(config, "idleTimeout") != NULL,
        .idleness_ms = integer_or(c, config, "idleTimeout", 0),
    };
    definition->generator = &raski_fn_punctuate.base;
    definition->timestamps = RASK_OWN_TIMESTAMPS;
    if (strcmp(timestamps, "value") == 0) definition->timestamps = RASK_TIMESTAMP_FN(the_value);
    if (strcmp(timestamps, "previous+value") == 0)
        definition->timestamps = RASK_TIMESTAMP_FN(previous_and_value);
}

static rask_status start(golden_case *c, assigner *a, raski_configuration *configuration,
                         const raski_job_operator jobs[2], raski_error *err) {
    const json_t *config = json_object_get(c->json, "config");
    char interval[32];
    snprintf(interval, sizeof interval, "%lld ms",
             (long long)integer_or(c, config, "autoWatermarkInterval", 200));
    RASKI_TRY(raski_configuration_set(configuration, "pipeline.auto-watermark-interval", interval,
                                      &RASKI_ORIGIN_BY_PROGRAM, err));
    a->env = (raski_operator_env){.configuration = configuration,
                                  .now_ms = clock_of_steps,
                                  .clock = &a->now_ms,
                                  .next_wake_ms = INT64_MAX};
    a->def = (raski_operator_definition){
        .ops = &raski_timestamps_ops,
        .detail = &a->definition,
        .in = &rask_type_element,
        .out = &rask_type_element,
        .stamped = true,
        .final_results = json_is_true(json_object_get(config, "batch")),
    };
    a->behind =
        (raski_operator_definition){.ops = &note_ops, .in = &rask_type_element, .stamped = true};
    RASKI_TRY(raski_operator_create(&jobs[0], &a->env, &a->op, err));
    RASKI_TRY(raski_operator_create(&jobs[1], &a->env, &a->noting, err));
    raski_operator_add_chained(a->op, NULL, a->noting, 0);
    raski_operator_open(a->noting);
    raski_operator_open(a->op);
    if (a->env.failed && err != NULL) *err = a->env.error;
    return a->env.failed ? RASK_E_INTERNAL : RASK_OK;
}

static void take_step(golden_case *c, assigner *a, const json_t *in) {
    const json_t *pair = json_object_get(in, "el");
    if (pair != NULL) {
        element e = {rask_string_from(json_string_value(json_array_get(pair, 0))),
                     golden_integer(c, json_array_get(pair, 1))};
        const json_t *given = json_object_get(in, "ts");
        int64_t timestamp = json_is_integer(given) ? json_integer_value(given) : RASK_NO_TIMESTAMP;
        raski_operator_process(a->op, 0, &e, &timestamp, 1, true);
    } else if (json_object_get(in, "pt")) {
        a->now_ms = golden_integer(c, json_object_get(in, "pt"));
        raski_operator_advance_processing_time(a->op, a->now_ms);
    } else if (json_object_get(in, "wm")) {
        raski_operator_watermark(a->op, 0, golden_integer(c, json_object_get(in, "wm")));
    } else if (json_object_get(in, "status")) {
        raski_operator_watermark_status(a->op, 0, is_idle_text(in));
    } else {
        raski_operator_end_input(a->op, 0);
    }
    if (a->env.failed) golden_differ(c, "steps", "failed: %s", a->env.error.message);
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

static void check_steps(golden_case *c, assigner *a) {
    early_status deviation = {0};
    size_t i;
    const json_t *step;
    json_array_foreach(json_object_get(c->json, "steps"), i, step) {
        json_t *out = json_array();
        a->env.context = out;
        take_step(c, a, json_object_get(step, "in"));
        json_t *expected = without_deviation(&deviation, json_object_get(step, "out"), out);
        json_t *rest = json_pack("{s:o}", "out", expected);
        check_step(c, i, rest, RASK_OK, NULL, out);
        json_decref(rest);
    }
}

void golden_watermark_generators(golden_case *c) {
    snprintf(c->name, sizeof c->name, "%s", text_member(c->json, "id"));
    assigner a = {0};
    raski_error err = {0};
    read_strategy(c, json_object_get(c->json, "config"), &a.definition);
    rask_status status = raski_watermark_strategy_check(&a.definition.strategy, &err);
    const json_t *build_error = json_object_get(c->json, "buildError");
    if (build_error != NULL || status != RASK_OK) {
        json_t *expected =
            build_error ? json_pack("{s:O}", "error", build_error) : json_pack("{s:n}", "ok");
        golden_result_equal(c, expected, golden_result(status, &err, json_null()));
        json_decref(expected);
        return;
    }
    char names[2][16] = {"assigner", "notes"};
    const raski_job_operator jobs[2] = {{.name = names[0], .payload = &a.def},
                                        {.name = names[1], .payload = &a.behind}};
    raski_configuration *configuration = raski_configuration_create();
    if (start(c, &a, configuration, jobs, &err) == RASK_OK)
        check_steps(c, &a);
    else
        golden_differ(c, "", "%s", err.message);
    raski_operator_destroy(a.op);
    raski_operator_destroy(a.noting);
    raski_free(a.env.no_timestamps);
    raski_configuration_destroy(configuration);
}
