#include "golden/batch_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* ---------------------------------------------------------------- what comes out */
typedef struct results {
    json_t *array; /* of the one subtask of the sink */
} results;
typedef struct collecting {
    results *results;
} collecting;
RASK_INSTANCE(collecting);
RASK_SINK(collect, collecting, self, rask_string, line) {
    json_error_t error;
    json_t *record = json_loadb(rask_string_data(&line), line.len, JSON_DECODE_ANY, &error);
    if (record == NULL)
        (void)rask_fail("not JSON: %.*s: %s", RASK_STR(line), error.text);
    else
        (void)json_array_append_new(self->results->array, record);
}

/* A key as a JSON string. */
static rask_string quoted(rask_string label) {
    json_t *string = json_stringn(rask_string_data(&label), label.len);
    char *text = json_dumps(string, JSON_ENCODE_ANY);
    rask_string copy = rask_string_format("%s", text ? text : "\"not UTF-8\"");
    free(text);
    json_decref(string);
    return copy;
}
#define KEY() RASK_STR(quoted_)
#define WITH_KEY(label) const rask_string quoted_ = quoted(label)

/* ---------------------------------------------------------------- records */
RASK_MAP(print_item, batch_item, r, rask_string) {
    WITH_KEY(r.label);
    return rask_string_format("{\"k\":%.*s,\"v\":%d,\"ts\":%lld}", KEY(), r.v, (long long)r.at);
}
RASK_REDUCE(add, batch_item, a, b) {
    b.v += a.v;
    return b;
}

/* ---------------------------------------------------------------- process */
typedef struct {
    rask_value(int64_t) acc;
    rask_value(bool) again;
    rask_value(rask_string) label;
} processing;
RASK_STATE(processing, acc, (again, rask_bool), label);

RASK_KEYED_PROCESS(process, processing, self, batch_item, r, rask_string, out) {
    const long long acc = (*rask_ref(self->acc) += r.v);
    const int64_t at = rask_timestamp(out);
    rask_set(self->label, r.label);
    rask_register_event_timer(out, at + 5);
    if (r.v % 3 == 0) rask_register_processing_timer(out, 1000 + r.v);
    if (r.v % 5 == 0) rask_delete_event_timer(out, at + 5);
    WITH_KEY(r.label);
    rask_emit(out,
              rask_string_format("{\"el\":%d,\"k\":%.*s,\"ts\":%lld,\"acc\":%lld,\"wm\":%lld}", r.v,
                                 KEY(), (long long)at, acc, (long long)rask_watermark(out)));
}
RASK_ON_TIMER(process, self, timer, out) {
    WITH_KEY(*rask_get(self->label));
    rask_emit(out,
              rask_string_format("{\"timer\":%lld,\"domain\":\"%s\",\"k\":%.*s,\"acc\":%lld,"
                                 "\"wm\":%lld}",
                                 (long long)timer.time_ms, timer.processing ? "P" : "E", KEY(),
                                 (long long)*rask_get(self->acc), (long long)rask_watermark(out)));
    if (timer.processing || rask_get(self->again) != NULL) return;
    rask_set(self->again, true);
    rask_register_event_timer(out, timer.time_ms + 100);
    rask_register_event_timer(out, timer.time_ms - 100);
}

typedef struct {
    rask_value(int64_t) acc;
    rask_value(rask_string) label;
} connecting;
RASK_STATE(connecting, acc, label);

RASK_KEYED_CO_PROCESS(connected, connecting, self, batch_item, r, batch_item, rask_string, out) {
    const long long acc = (*rask_ref(self->acc) += r.v);
    rask_set(self->label, r.label);
    rask_register_event_timer(out, rask_timestamp(out) + 10);
    WITH_KEY(r.label);
    rask_emit(out, rask_string_format("{\"in\":0,\"k\":%.*s,\"v\":%d,\"ts\":%lld,\"acc\":%lld}",
                                      KEY(), r.v, (long long)rask_timestamp(out), acc));
}
RASK_ON_SECOND(connected, self, r, out) {
    const long long acc = (*rask_ref(self->acc) += r.v);
    rask_set(self->label, r.label);
    rask_register_event_timer(out, rask_timestamp(out) + 10);
    WITH_KEY(r.label);
    rask_emit(out, rask_string_format("{\"in\":1,\"k\":%.*s,\"v\":%d,\"ts\":%lld,\"acc\":%lld}",
                                      KEY(), r.v, (long long)rask_timestamp(out), acc));
}
RASK_ON_TIMER(connected, self, timer, out) {
    WITH_KEY(*rask_get(self->label));
    rask_emit(out,
              rask_string_format("{\"timer\":%lld,\"k\":%.*s,\"acc\":%lld,\"wm\":%lld}",
                                 (long long)timer.time_ms, KEY(), (long long)*rask_get(self->acc),
                                 (long long)rask_watermark(out)));
}

typedef struct {
    rask_map_state(int32_t, int64_t) sums; /* all in one: that of 0 */
} summing;
RASK_INSTANCE(summing);
RASK_BROADCAST_STATE(summing, sums);
RASK_KEYED_BROADCAST_PROCESS(broadcast_sum, summing, self, batch_item, r, batch_item, rask_string,
                             out) {
    const int64_t *sum = rask_map_get(self->sums, 0);
    WITH_KEY(r.label);
    rask_emit(out, rask_string_format("{\"k\":%.*s,\"v\":%d,\"broadcastSum\":%lld}", KEY(), r.v,
                                      sum != NULL ? (long long)*sum : 0));
}
RASK_ON_BROADCAST(broadcast_sum, self, r, out) {
    const int64_t *sum = rask_map_get(self->sums, 0);
    rask_map_put(self->sums, 0, r.v + (sum != NULL ? *sum : 0));
}

typedef struct {
    int unused;
} nothing;
RASK_INSTANCE(nothing);
RASK_PROCESS(not_keyed, nothing, self, batch_item, r, rask_string, out) {
    (void)self;
    WITH_KEY(r.label);
    rask_emit(out, rask_string_format("{\"k\":%.*s,\"v\":%d,\"wm\":%lld}", KEY(), r.v,
                                      (long long)rask_watermark(out)));
}

RASK_INTERVAL_JOIN(pair_up, batch_item, l, batch_item, r, rask_string, out) {
    WITH_KEY(l.label);
    rask_emit(out, rask_string_format("{\"k\":%.*s,\"l\":%d,\"r\":%d}", KEY(), l.v, r.v));
}

/* ---------------------------------------------------------------- windows */
/* "[1,2,3]" */
static rask_string values_of(rask_list(batch_item) elements) {
    rask_string text = rask_string_from("");
    for (uint32_t i = 0; i < elements.count; i++)
        text =
            rask_string_format("%.*s%s%d", RASK_STR(text), i > 0 ? "," : "", elements.items[i].v);
    return rask_string_format("[%.*s]", RASK_STR(text));
}
RASK_WINDOW_PROCESS(print_window, nothing, self, batch_item, elements, rask_string, out) {
    (void)self;
    WITH_KEY(elements.items[0].label);
    const rask_string values = values_of(elements);
    rask_emit(out, rask_string_format(
                       "{\"k\":%.*s,\"start\":%lld,\"end\":%lld,\"v\":%.*s,\"wm\":%lld}", KEY(),
                       (long long)rask_window_start(out), (long long)rask_window_end(out),
                       RASK_STR(values), (long long)rask_watermark(out)));
}
/* Without bounds. */
RASK_WINDOW_PROCESS(print_values, nothing, self, batch_item, elements, rask_string, out) {
    (void)self;
    WITH_KEY(elements.items[0].label);
    const rask_string values = values_of(elements);
    rask_emit(out, rask_string_format("{\"k\":%.*s,\"v\":%.*s,\"wm\":%lld}", KEY(),
                                      RASK_STR(values), (long long)rask_watermark(out)));
}
RASK_WINDOW_JOIN(join_window, batch_item, l, batch_item, r, rask_string, out) {
    WITH_KEY(l.label);
    rask_emit(out, rask_string_format("{\"k\":%.*s,\"l\":%d,\"r\":%d}", KEY(), l.v, r.v));
}

/* ---------------------------------------------------------------- programs */
static rask_stream(batch_item) source(rask_env *env, const batch_input *input) {
    return rask_assign_timestamps(rask_array(env, batch_item, input->items, input->count), at,
                                  .max_out_of_orderness_ms = 1000000);
}

static rask_keyed(batch_item) by_key(rask_stream(batch_item) in, batch_key key) {
    switch (key) {
        case BATCH_KEY_LONG:
            return rask_key_by(in, big);
        case BATCH_KEY_INT:
            return rask_key_by(in, number);
        case BATCH_KEY_SHORT:
            return rask_key_by(in, small);
        case BATCH_KEY_BYTE:
            return rask_key_by(in, tiny);
        case BATCH_KEY_BOOLEAN:
            return rask_key_by(in, flag);
        case BATCH_KEY_DOUBLE:
            return rask_key_by(in, exact);
        case BATCH_KEY_FLOAT:
            return rask_key_by(in, real);
        case BATCH_KEY_PAIR:
            return rask_key_by(in, pair.name, pair.number);
        default:
            return rask_key_by(in, text);
    }
}

typedef rask_stream(rask_string) make_program(rask_env *env, const batch_program *p);

static rask_keyed(batch_item) keyed_input(rask_env *env, const batch_program *p, int i) {
    return by_key(source(env, &p->inputs[i]), p->key);
}
static rask_stream(rask_string) make_reduce(rask_env *env, const batch_program *p) {
    return rask_map(rask_reduce(keyed_input(env, p, 0), add), print_item);
}
static rask_stream(rask_string) make_sum(rask_env *env, const batch_program *p) {
    return rask_map(rask_sum(keyed_input(env, p, 0), v), print_item);
}
static rask_stream(rask_string) make_max_by(rask_env *env, const batch_program *p) {
    return rask_map(rask_max_by(keyed_input(env, p, 0), v), print_item);
}
static rask_stream(rask_string) make_union(rask_env *env, const batch_program *p) {
    rask_stream(batch_item) both =
        rask_union(source(env, &p->inputs[0]), source(env, &p->inputs[1]));
    return rask_map(rask_reduce(by_key(both, p->key), add), print_item);
}
static rask_stream(rask_string) make_process(rask_env *env, const batch_program *p) {
    return rask_process(keyed_input(env, p, 0), process);
}
static rask_stream(rask_string) make_connect(rask_env *env, const batch_program *p) {
    return rask_connect(keyed_input(env, p, 0), keyed_input(env, p, 1), connected);
}
static rask_stream(rask_string) make_interval_join(rask_env *env, const batch_program *p) {
    return rask_interval_join(keyed_input(env, p, 0), keyed_input(env, p, 1), pair_up,
                              .lower_ms = -2, .upper_ms = 2);
}
/* All records of the windows of keyed_input. */
static rask_stream(rask_string)
    in_windows(rask_env *env, const batch_program *p, rask_windows windows) {
    return rask_window_process(rask_window(keyed_input(env, p, 0), windows), print_window);
}
static rask_stream(rask_string) make_tumbling(rask_env *env, const batch_program *p) {
    return in_windows(env, p, rask_tumbling_event_time(.size_ms = 10));
}
static rask_stream(rask_string) make_sliding(rask_env *env, const batch_program *p) {
    return in_windows(env, p, rask_sliding_event_time(.size_ms = 10, .slide_ms = 5));
}
static rask_stream(rask_string) make_session(rask_env *env, const batch_program *p) {
    return in_windows(env, p, rask_session_event_time(.gap_ms = 5));
}
static rask_stream(rask_string) make_count(rask_env *env, const batch_program *p) {
    return rask_window_process(rask_window(keyed_input(env, p, 0), rask_count_windows(.size = 2)),
                               print_values);
}
static rask_stream(rask_string) make_sliding_count(rask_env *env, const batch_program *p) {
    return rask_window_process(
        rask_window(keyed_input(env, p, 0), rask_count_windows(.size = 3, .slide = 1)),
        print_values);
}
static rask_stream(rask_string) make_global(rask_env *env, const batch_program *p) {
    return rask_window_process(rask_window(keyed_input(env, p, 0), rask_global_windows_at_end()),
                               print_values);
}
static rask_stream(rask_string) make_processing_time(rask_env *env, const batch_program *p) {
    return rask_map(
        rask_window_reduce(
            rask_window(keyed_input(env, p, 0), rask_tumbling_processing_time(.size_ms = 3600000)),
            add),
        print_item);
}
static rask_stream(rask_string) make_window_join(rask_env *env, const batch_program *p) {
    rask_stream(batch_item) left = source(env, &p->inputs[0]), right = source(env, &p->inputs[1]);
    const rask_windows windows = rask_tumbling_event_time(.size_ms = 10);
    if (p->key == BATCH_KEY_INT)
        return rask_window_join(left, number, right, number, windows, join_window);
    return rask_window_join(left, text, right, text, windows, join_window);
}
static rask_stream(rask_string) make_broadcast(rask_env *env, const batch_program *p) {
    return rask_connect(keyed_input(env, p, 0), rask_broadcast(source(env, &p->inputs[1])),
                        broadcast_sum);
}
static rask_stream(rask_string) make_not_keyed(rask_env *env, const batch_program *p) {
    return rask_process(source(env, &p->inputs[0]), not_keyed);
}

static const struct {
    const char *operation;
    make_program *make;
} programs[] = {
    {"reduce", make_reduce},
    {"sum", make_sum},
    {"maxBy", make_max_by},
    {"union", make_union},
    {"process", make_process},
    {"connect", make_connect},
    {"nonKeyed", make_not_keyed},
    {"intervalJoin2", make_interval_join},
    {"tumbling10", make_tumbling},
    {"sliding10by5", make_sliding},
    {"session5", make_session},
    {"countWindow2", make_count},
    {"countWindow3slide1", make_sliding_count},
    {"globalEndOfStream", make_global},
    {"processingTime1h", make_processing_time},
    {"windowJoin10", make_window_join},
    {"broadcast", make_broadcast},
};

static make_program *find_program(const char *operation) {
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(programs[i].operation, operation) == 0) return programs[i].make;
    return NULL;
}

json_t *batch_program_run(const batch_program *p, char **ret_message) {
    make_program *make = find_program(p->operation);
    results all = {.array = json_array()};
    if (make == NULL) {
        *ret_message = raski_format("no program for \"%s\"", p->operation);
        return all.array;
    }
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, p->parallelism);
    rask_set_runtime_mode(env, p->streaming ? RASK_STREAMING : RASK_BATCH);
    for (size_t i = 0; i < p->option_count; i++)
        rask_set_option(env, p->options[i].key, p->options[i].value);
    rask_sink(make(env, p), collect, .parallelism = 1,
              .self = RASK_SELF(collecting, .results = &all));
    rask_job_result result;
    if (rask_execute_job(env, "batch", &result) != 0) *ret_message = raski_strdup(result.message);
    rask_env_destroy(env);
    return all.array;
}
