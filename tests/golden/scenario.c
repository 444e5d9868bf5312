#include "golden/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "api/environment.h"
#include "base/alloc.h"
#include "golden/java_json.h"
#include "operators/harness/operator_harness.h"

typedef struct run {
    golden_case *c;
    const golden_scenario *scenario;
    raski_configuration *configuration;
    raski_operator_harness *harness;
    unsigned input;
    int64_t timestamp, now_ms;
    rask_status status;
    raski_error error;
} run;

static raski_operator_harness *make(run *r) {
    const raski_operator_harness_options options = {.processing_time_ms = r->now_ms,
                                                    .configuration = r->configuration};
    raski_operator_harness *harness = NULL;
    r->status = raski_operator_harness_create(r->scenario->output->definition, &options, &harness,
                                              &r->error);
    return harness;
}

/* ---------------------------------------------------------------- steps */
static void push(void *context, const void *record) {
    run *r = context;
    r->status =
        raski_operator_harness_process(r->harness, r->input, record, &r->timestamp, 1, &r->error);
}

/* A new operator takes over the state of the one before. */
static void restore(run *r) {
    raski_byte_writer snapshot = {0};
    raski_operator_harness *next = NULL;
    r->status = raski_operator_harness_snapshot(r->harness, &snapshot, &r->error);
    if (r->status == RASK_OK) next = make(r);
    if (next != NULL) {
        const raski_snapshot_input input = {"of the facts", snapshot.bytes, snapshot.size};
        raski_operator_harness_destroy(r->harness);
        r->harness = next;
        r->status = raski_operator_harness_restore(next, &input, 1, &r->error);
        if (r->status == RASK_OK) r->status = raski_operator_harness_open(next, &r->error);
    }
    raski_byte_writer_fini(&snapshot);
}

static void take_step(run *r, const json_t *in) {
    const json_t *input = json_object_get(in, "in"), *value = NULL;
    r->input = (unsigned)json_integer_value(input);
    if ((value = json_object_get(in, "el")) != NULL) {
        const json_t *ts = json_object_get(in, "ts");
        r->timestamp = json_is_null(ts) ? RASK_NO_TIMESTAMP : json_integer_value(ts);
        const unsigned input_number = r->input;
        if (r->scenario->one_input) r->input = 0;
        r->scenario->element(r->c, value, input_number, r->scenario->output->definition, push, r);
    } else if ((value = json_object_get(in, "wm")) != NULL) {
        r->status = raski_operator_harness_watermark(r->harness, r->input,
                                                     json_integer_value(value), &r->error);
    } else if ((value = json_object_get(in, "status")) != NULL) {
        const bool idle = strcmp(json_string_value(value), "idle") == 0;
        r->status = raski_operator_harness_status(r->harness, r->input, idle, &r->error);
    } else if ((value = json_object_get(in, "pt")) != NULL) {
        r->now_ms = json_integer_value(value);
        r->status = raski_operator_harness_set_time(r->harness, r->now_ms, &r->error);
    } else if (json_object_get(in, "restore") != NULL) {
        restore(r);
    } else if (json_object_get(in, "end") != NULL) {
        r->status = raski_operator_harness_end_input(r->harness, r->input, &r->error);
    } else {
        golden_differ(r->c, "steps", "unknown step");
    }
}

/* ---------------------------------------------------------------- outputs */
static json_t *output_json(const run *r, const raski_harness_output *output) {
    if (output->kind == RASKI_HARNESS_STATUS)
        return json_pack("{s:s}", "status", output->idle ? "idle" : "active");
    if (output->kind == RASKI_HARNESS_WATERMARK)
        return json_pack("{s:I}", "wm", (json_int_t)output->timestamp_ms);
    json_t *object = json_object();
    if (output->tag != NULL) json_object_set_new(object, "side", json_string(output->tag));
    json_object_set_new(object, "el", r->scenario->describe(output->tag, output->record));
    json_object_set_new(object, "ts",
                        output->timestamp_ms == RASK_NO_TIMESTAMP
                            ? json_null()
                            : json_integer(output->timestamp_ms));
    return object;
}

/* Side outputs of a step are listed behind the main ones. */
static json_t *outputs_json(run *r) {
    json_t *main_outputs = json_array(), *sides = json_array();
    const size_t n = raski_operator_harness_output_count(r->harness);
    for (size_t i = 0; i < n; i++) {
        const raski_harness_output *output = raski_operator_harness_output(r->harness, i);
        json_array_append_new(output->tag ? sides : main_outputs, output_json(r, output));
    }
    json_array_extend(main_outputs, sides);
    json_decref(sides);
    raski_operator_harness_clear(r->harness);
    return main_outputs;
}

typedef struct sorted {
    char *text; /* what it is sorted by */
    size_t place;
    json_t *value;
} sorted;

static int compare_sorted(const void *a, const void *b) {
    const sorted *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static char *order_text(const run *r, const json_t *output) {
    const json_t *what = output;
    if (r->scenario->order == GOLDEN_ORDER_BY_KEY)
        what = json_object_get(json_object_get(output, "el"), "k");
    return json_dumps(what, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY);
}

/* Rask says "no timestamp" with the smallest number, which Flink tells from it. */
static void forget_smallest_timestamps(json_t *value) {
    static const char *const members[] = {"ts", "ctxTs"};
    json_t *el = json_object_get(value, "el");
    for (size_t i = 0; i < 2; i++) {
        json_t *object = i == 0 ? value : el;
        json_t *ts = json_object_get(object, members[i]);
        if (json_is_integer(ts) && json_integer_value(ts) == RASK_NO_TIMESTAMP)
            json_object_set_new(object, members[i], json_null());
    }
}

/* Takes the numbers of the counter out of the outputs: by key, in their order. A new reference. */
static json_t *take_counter(const run *r, json_t *outputs) {
    json_t *numbers = json_object();
    size_t i;
    json_t *output;
    json_array_foreach(outputs, i, output) {
        json_t *el = json_object_get(output, "el");
        json_t *number = json_object_get(el, r->scenario->counter);
        const char *key = json_string_value(json_object_get(el, "k"));
        if (number == NULL || key == NULL) continue;
        json_t *of_key = json_object_get(numbers, key);
        if (of_key == NULL) json_object_set_new(numbers, key, of_key = json_array());
        size_t at = 0;
        while (at < json_array_size(of_key) &&
               json_integer_value(json_array_get(of_key, at)) < json_integer_value(number))
            at++;
        json_array_insert(of_key, at, number);
        json_object_del(el, r->scenario->counter);
    }
    return numbers;
}

/* A copy of the outputs without what is compared apart, or not at all. */
static json_t *prepare(const run *r, const json_t *outputs, json_t **ret_numbers) {
    json_t *copy = json_deep_copy(outputs);
    size_t i;
    json_t *output;
    *ret_numbers = r->scenario->counter != NULL ? take_counter(r, copy) : json_object();
    if (r->scenario->normalize == NULL) return copy;
    json_array_foreach(copy, i, output) {
        json_t *el = json_object_get(output, "el");
        if (el != NULL && json_object_get(output, "side") == NULL) r->scenario->normalize(el);
    }
    return copy;
}

/* The outputs with those that may swap in a fixed order. A new reference. */
static json_t *in_fixed_order(const run *r, const json_t *outputs) {
    const size_t n = json_array_size(outputs);
    sorted *all = raski_calloc(n + 1, sizeof *all);
    for (size_t i = 0; i < n; i++) {
        json_t *value = json_deep_copy(json_array_get(outputs, i));
        forget_smallest_timestamps(value);
        all[i] = (sorted){order_text(r, value), i, value};
    }
    for (size_t from = 0, to = 0; from < n; from = to + 1) {
        for (to = from; to < n && json_object_get(all[to].value, "el") != NULL;) to++;
        qsort(all + from, to - from, sizeof *all, compare_sorted);
    }
    json_t *ordered = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(ordered, all[i].value);
        free(all[i].text);
    }
    raski_free(all);
    return ordered;
}

static void compare_outputs(run *r, size_t i, const json_t *expected) {
    char *path = raski_format("steps[%zu].out", i);
    json_t *got = outputs_json(r), *got_numbers = NULL, *want_numbers = NULL;
    json_t *got_prepared = prepare(r, got, &got_numbers);
    json_t *want_prepared = prepare(r, expected, &want_numbers);
    json_t *got_ordered = in_fixed_order(r, got_prepared);
    json_t *want_ordered = in_fixed_order(r, want_prepared);
    golden_equal(r->c, path, want_ordered, got_ordered);
    golden_equal(r->c, path, want_numbers, got_numbers);
    json_decref(got);
    json_decref(got_prepared);
    json_decref(want_prepared);
    json_decref(got_numbers);
    json_decref(want_numbers);
    json_decref(got_ordered);
    json_decref(want_ordered);
    raski_free(path);
}

static void compare_error(run *r, const json_t *step) {
    const json_t *error = json_object_get(step, "error");
    if (error == NULL && r->status == RASK_OK) return;
    json_t *expected = error ? json_pack("{s:O}", "error", error) : json_pack("{s:n}", "ok");
    /* Functions fail with a message; only Flink's have classes for it. */
    if (error != NULL && r->status == RASK_FAILED && r->error.exception[0] == '\0') {
        const char *class_name = json_string_value(json_object_get(error, "class"));
        const char *dot = class_name != NULL ? strrchr(class_name, '.') : NULL;
        if (dot != NULL) snprintf(r->error.exception, sizeof r->error.exception, "%s", dot + 1);
    }
    golden_result_equal(r->c, expected, golden_result(r->status, &r->error, json_null()));
    json_decref(expected);
}

static void compare_timers(run *r) {
    static const char *const members[] = {"eventTimersLeft", "processingTimersLeft"};
    for (int processing = 0; processing < 2; processing++) {
        const json_t *left = json_object_get(r->c->json, members[processing]);
        if (left == NULL) continue;
        json_t *got = json_integer(
            (json_int_t)raski_operator_harness_timer_count(r->harness, processing != 0));
        golden_equal(r->c, members[processing], left, got);
        json_decref(got);
    }
}

static void compare_late(run *r) {
    const json_t *late = json_object_get(r->c->json, "lateDropped");
    if (late == NULL) return;
    json_t *got = json_integer(raski_operator_harness_counter(r->harness, "numLateRecordsDropped"));
    golden_equal(r->c, "lateDropped", late, got);
    json_decref(got);
}

static void run_steps(run *r) {
    size_t i;
    const json_t *step;
    json_array_foreach(json_object_get(r->c->json, "steps"), i, step) {
        take_step(r, json_object_get(step, "in"));
        compare_error(r, step);
        if (r->status != RASK_OK) return;
        compare_outputs(r, i, json_object_get(step, "out"));
        if (r->c->differences > 0) return;
    }
    compare_timers(r);
    compare_late(r);
}

static void run_on(golden_case *c, const golden_scenario *scenario, const char *backend) {
    run r = {.c = c, .scenario = scenario, .configuration = raski_configuration_create()};
    if (raski_configuration_set(r.configuration, "state.backend.type", backend,
                                &RASKI_ORIGIN_BY_PROGRAM, &r.error) == RASK_OK)
        r.harness = make(&r);
    if (r.harness != NULL) r.status = raski_operator_harness_open(r.harness, &r.error);
    if (r.harness != NULL && r.status == RASK_OK)
        run_steps(&r);
    else
        golden_differ(c, "open", "%s", r.error.message);
    if (c->differences > 0 && !c->quiet) fprintf(stderr, "%s: on %s\n", c->name, backend);
    raski_operator_harness_destroy(r.harness);
    raski_configuration_destroy(r.configuration);
}

void golden_scenario_run(golden_case *c, const golden_scenario *scenario) {
    run_on(c, scenario, "hashmap");
    if (c->differences == 0) run_on(c, scenario, "rocksdb");
    rask_env_destroy(scenario->env);
}
