/* windows/interval_join: two keyed inputs whose records join when their times are near. */
#include <stdio.h>
#include <stdlib.h>

#include "api/environment.h"
#include "golden/java_json.h"
#include "golden/scenario.h"

typedef struct {
    rask_string key;
    int64_t value;
} number;
RASK_TYPE(number, key, value);
typedef struct {
    rask_string key;
    int64_t left, right, left_time, right_time, time;
} pair;
RASK_TYPE(pair, key, left, right, left_time, right_time, time);
RASK_SIDE_OUTPUT(lateLeft, number);
RASK_SIDE_OUTPUT(lateRight, number);

RASK_INTERVAL_JOIN(make_pair, number, l, number, r, pair, out) {
    rask_emit(out, (pair){l.key, l.value, r.value, rask_left_timestamp(out),
                          rask_right_timestamp(out), rask_timestamp(out)});
}

static json_t *key_json(const rask_string *key) {
    return json_stringn(rask_string_data(key), key->len);
}

static json_t *describe(const char *tag, const void *record) {
    if (tag != NULL) {
        const number *n = record;
        return json_pack("[o,I]", key_json(&n->key), (json_int_t)n->value);
    }
    const pair *p = record;
    return json_pack("{s:o,s:I,s:I,s:I,s:I,s:I}", "k", key_json(&p->key), "l", (json_int_t)p->left,
                     "r", (json_int_t)p->right, "lts", (json_int_t)p->left_time, "rts",
                     (json_int_t)p->right_time, "ctxTs", (json_int_t)p->time);
}

static void push_number(golden_case *c, const json_t *el, unsigned input, const void *definition,
                        void (*push)(void *context, const void *record), void *context) {
    (void)c, (void)input, (void)definition;
    number record = {rask_string_from(json_string_value(json_array_get(el, 0))),
                     json_integer_value(json_array_get(el, 1))};
    push(context, &record);
}

static void check_build_error(golden_case *c, rask_env *env, const json_t *error) {
    json_t *expected = json_pack("{s:O}", "error", error);
    golden_result_equal(c, expected, golden_result(env->error.status, &env->error, json_null()));
    json_decref(expected);
    rask_env_destroy(env);
}

void golden_interval_join(golden_case *c) {
    const json_t *config = json_object_get(c->json, "config");
    const json_t *error = json_object_get(c->json, "buildError");
    const bool sides = json_is_true(json_object_get(config, "sideOutputs"));
    snprintf(c->name, sizeof c->name, "%s", json_string_value(json_object_get(c->json, "id")));
    rask_env *env = rask_env_create(NULL, NULL);
    rask_stream(number) a = rask_values(env, number, {rask_string_from(""), 0});
    rask_stream(number) b = rask_values(env, number, {rask_string_from(""), 0});
    rask_stream(pair) out = rask_interval_join(
        rask_key_by(a, key), rask_key_by(b, key), make_pair,
        .lower_ms = golden_integer(c, json_object_get(config, "lower")),
        .upper_ms = golden_integer(c, json_object_get(config, "upper")),
        .lower_exclusive = json_is_true(json_object_get(config, "lowerExclusive")),
        .upper_exclusive = json_is_true(json_object_get(config, "upperExclusive")),
        .left_late = sides ? rask_late(lateLeft) : NULL,
        .right_late = sides ? rask_late(lateRight) : NULL);
    if (error != NULL)
        check_build_error(c, env, error);
    else
        golden_scenario_run(c, &(golden_scenario){.env = env,
                                                  .output = out.node,
                                                  .element = push_number,
                                                  .describe = describe,
                                                  .order = GOLDEN_ORDER_FREE});
}
