/* windows/timers: a keyed process function that does what the elements tell it.
 * windows/connected: two keyed inputs with one state and timers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/environment.h"
#include "golden/scenario.h"

/* Records whose content is JSON text. */
typedef struct {
    rask_string key, text;
} script;
RASK_TYPE(script, key, text);
typedef struct {
    rask_string key;
    int64_t value;
} number;
RASK_TYPE(number, key, value);

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
static json_t *time_json(int64_t time_ms) {
    return time_ms == RASK_NO_TIMESTAMP ? json_null() : json_integer(time_ms);
}
static json_t *key_json(const rask_string *key) {
    return json_stringn(rask_string_data(key), key->len);
}
static json_t *describe_text(const char *tag, const void *record) {
    (void)tag;
    return parse(*(const rask_string *)record);
}

/* ---------------------------------------------------------------- timers */
typedef struct {
    rask_value(rask_string) on_fire; /* a list of command lists, as JSON text */
} scripted;
RASK_STATE(scripted, on_fire);

static void run_commands(scripted *self, const json_t *commands, rask_out_rask_string *out);
RASK_KEYED_PROCESS(follow, scripted, self, script, in, rask_string, out) {
    json_t *commands = parse(in.text);
    run_commands(self, commands, out);
    json_decref(commands);
}
RASK_ON_TIMER(follow, self, timer, out) {
    json_t *fired =
        json_pack("{s:o,s:s,s:I,s:o,s:o}", "k", key_json(rask_key(out, rask_string)), "fired",
                  timer.processing ? "P" : "E", "t", (json_int_t)timer.time_ms, "wm",
                  json_integer(rask_watermark(out)), "ctxTs", time_json(rask_timestamp(out)));
    rask_emit(out, json_text(fired));
    if (rask_get(self->on_fire) == NULL) return;
    json_t *queue = parse(*rask_get(self->on_fire));
    json_t *next = json_incref(json_array_get(queue, 0));
    json_array_remove(queue, 0);
    if (json_array_size(queue) == 0)
        rask_clear(self->on_fire);
    else
        rask_set(self->on_fire, json_text(json_incref(queue)));
    json_decref(queue);
    run_commands(self, next, out);
    json_decref(next);
}

static void add_on_fire(scripted *self, json_t *commands) {
    json_t *queue = rask_get(self->on_fire) ? parse(*rask_get(self->on_fire)) : json_array();
    json_array_append(queue, commands);
    rask_set(self->on_fire, json_text(queue));
}

static void run_commands(scripted *self, const json_t *commands, rask_out_rask_string *out) {
    size_t i;
    const json_t *command;
    json_array_foreach(commands, i, command) {
        const char *name = json_string_value(json_array_get(command, 0));
        const char *domain = json_string_value(json_array_get(command, 1));
        const int64_t time_ms = json_integer_value(json_array_get(command, 2));
        const bool processing = domain != NULL && *domain == 'P';
        if (strcmp(name, "onfire") == 0) {
            add_on_fire(self, json_array_get(command, 1));
        } else if (strcmp(name, "now") == 0) {
            rask_emit(out, json_text(json_pack("{s:o,s:I,s:I,s:o}", "k",
                                               key_json(rask_key(out, rask_string)), "wm",
                                               (json_int_t)rask_watermark(out), "pt",
                                               (json_int_t)rask_processing_time(out), "ctxTs",
                                               time_json(rask_timestamp(out)))));
        } else if (strcmp(name, "reg") == 0) {
            if (processing)
                rask_register_processing_timer(out, time_ms);
            else
                rask_register_event_timer(out, time_ms);
        } else if (processing) {
            rask_delete_processing_timer(out, time_ms);
        } else {
            rask_delete_event_timer(out, time_ms);
        }
    }
}

static void push_script(golden_case *c, const json_t *el, unsigned input, const void *definition,
                        void (*push)(void *context, const void *record), void *context) {
    (void)c, (void)input, (void)definition;
    char *text = json_dumps(json_array_get(el, 1), JSON_COMPACT);
    script record = {rask_string_from(json_string_value(json_array_get(el, 0))),
                     rask_string_from(text)};
    push(context, &record);
    free(text);
}

void golden_timers(golden_case *c) {
    snprintf(c->name, sizeof c->name, "%s", json_string_value(json_object_get(c->json, "id")));
    rask_env *env = rask_env_create(NULL, NULL);
    rask_stream(script) in = rask_values(env, script, {rask_string_from(""), rask_string_from("")});
    rask_stream(rask_string) out = rask_process(rask_key_by(in, key), follow);
    golden_scenario_run(
        c, &(golden_scenario){
               .env = env, .output = out.node, .element = push_script, .describe = describe_text});
}

/* ---------------------------------------------------------------- connected streams */
typedef struct {
    rask_value(int64_t) state;
} balance;
RASK_STATE(balance, state);

static void take(balance *self, number n, int input, rask_out_rask_string *out) {
    *rask_ref(self->state) += input == 0 ? n.value : -n.value;
    rask_emit(out, json_text(json_pack("{s:i,s:o,s:I,s:I}", "in", input, "k", key_json(&n.key),
                                       "state", (json_int_t)*rask_get(self->state), "wm",
                                       (json_int_t)rask_watermark(out))));
    rask_register_event_timer(out, rask_timestamp(out) + n.value);
}
RASK_KEYED_CO_PROCESS(weigh, balance, self, number, n, number, rask_string, out) {
    take(self, n, 0, out);
}
RASK_ON_SECOND(weigh, self, n, out) {
    take(self, n, 1, out);
}
RASK_ON_TIMER(weigh, self, timer, out) {
    rask_emit(out, json_text(json_pack(
                       "{s:o,s:I,s:I,s:I}", "k", key_json(rask_key(out, rask_string)), "timer",
                       (json_int_t)timer.time_ms, "state", (json_int_t)*rask_get(self->state), "wm",
                       (json_int_t)rask_watermark(out))));
}

static void push_number(golden_case *c, const json_t *el, unsigned input, const void *definition,
                        void (*push)(void *context, const void *record), void *context) {
    (void)c, (void)input, (void)definition;
    number record = {rask_string_from(json_string_value(json_array_get(el, 0))),
                     json_integer_value(json_array_get(el, 1))};
    push(context, &record);
}

void golden_connected(golden_case *c) {
    snprintf(c->name, sizeof c->name, "%s", json_string_value(json_object_get(c->json, "id")));
    rask_env *env = rask_env_create(NULL, NULL);
    rask_stream(number) a = rask_values(env, number, {rask_string_from(""), 0});
    rask_stream(number) b = rask_values(env, number, {rask_string_from(""), 0});
    rask_stream(rask_string) out = rask_connect(rask_key_by(a, key), rask_key_by(b, key), weigh);
    golden_scenario_run(
        c, &(golden_scenario){
               .env = env, .output = out.node, .element = push_number, .describe = describe_text});
}
