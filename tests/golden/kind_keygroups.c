/* keygroups/: ranges of subtasks, owners of key groups, default max parallelism, bounds. */
#include <zlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "golden/java_json.h"
#include "graph/plan_config.h"
#include "graph/transformation.h"
#include "types/java_hash.h"
#include "types/key_group.h"

static int32_t number(golden_case *c, const char *key) {
    return (int32_t)golden_integer(c, json_object_get(c->json, key));
}

/* The ranges of all subtasks, each asked for by itself; false when one failed. */
static bool ranges_of(golden_case *c, int32_t max, int32_t parallelism,
                      raski_key_group_range *ranges) {
    raski_error err = {0};
    for (int32_t i = 0; i < parallelism; i++) {
        if (raski_key_group_range_of_subtask(max, parallelism, i, &ranges[i], &err) != RASK_OK) {
            golden_differ(c, "", "subtask %d: %s", i, err.message);
            return false;
        }
    }
    return true;
}

static bool is_inverse(int32_t max, int32_t parallelism, const raski_key_group_range *ranges) {
    for (int32_t i = 0; i < parallelism; i++)
        for (int32_t group = ranges[i].start; group <= ranges[i].end; group++)
            if (raski_subtask_of_key_group(max, parallelism, group) != i) return false;
    return true;
}

static void add_members(json_t *got, int32_t max, int32_t parallelism,
                        const raski_key_group_range *ranges) {
    json_object_set_new(got, "maxParallelism", json_integer(max));
    json_object_set_new(got, "parallelism", json_integer(parallelism));
    json_object_set_new(got, "operatorIndexInverse",
                        json_boolean(is_inverse(max, parallelism, ranges)));
}

void golden_key_groups(golden_case *c) {
    int32_t max = number(c, "maxParallelism");
    int32_t parallelism = number(c, "parallelism");
    if (c->differences || parallelism < 1 || parallelism > RASKI_MAX_PARALLELISM_UPPER_BOUND)
        return;
    raski_key_group_range *ranges = RASKI_NEW_ARRAY(raski_key_group_range, (size_t)parallelism);
    if (ranges_of(c, max, parallelism, ranges)) {
        json_t *got = json_object();
        json_t *start = json_array();
        json_t *end = json_array();
        for (int32_t i = 0; i < parallelism; i++) {
            json_array_append_new(start, json_integer(ranges[i].start));
            json_array_append_new(end, json_integer(ranges[i].end));
        }
        add_members(got, max, parallelism, ranges);
        json_object_set_new(got, "start", start);
        json_object_set_new(got, "end", end);
        golden_equal(c, "", c->json, got);
        json_decref(got);
    }
    raski_free(ranges);
}

/* The same for many subtasks: a checksum over lines "start-end" and some of them. */
void golden_key_groups_large(golden_case *c) {
    int32_t max = number(c, "maxParallelism");
    int32_t parallelism = number(c, "parallelism");
    if (c->differences || parallelism < 1 || parallelism > RASKI_MAX_PARALLELISM_UPPER_BOUND)
        return;
    raski_key_group_range *ranges = RASKI_NEW_ARRAY(raski_key_group_range, (size_t)parallelism);
    if (ranges_of(c, max, parallelism, ranges)) {
        raski_str lines = {0};
        for (int32_t i = 0; i < parallelism; i++)
            raski_str_appendf(&lines, "%d-%d\n", ranges[i].start, ranges[i].end);
        char checksum[16];
        snprintf(checksum, sizeof checksum, "%08lx",
                 crc32(0, (const unsigned char *)lines.data, (unsigned)lines.length));
        raski_str_free(&lines);
        json_t *got = json_object();
        json_t *sample = json_object();
        const char *key;
        json_t *value;
        json_t *expected = json_object_get(c->json, "sample");
        json_object_foreach(expected, key, value) {
            int i = 0;
            if (sscanf(key, "%d", &i) == 1 && i >= 0 && i < parallelism)
                json_object_set_new(sample, key, json_pack("[ii]", ranges[i].start, ranges[i].end));
        }
        add_members(got, max, parallelism, ranges);
        json_object_set_new(got, "crc32", json_string(checksum));
        json_object_set_new(got, "sample", sample);
        golden_equal(c, "", c->json, got);
        json_decref(got);
    }
    raski_free(ranges);
}

void golden_operator_index(golden_case *c) {
    int32_t index = raski_subtask_of_key_group(number(c, "maxParallelism"),
                                               number(c, "parallelism"), number(c, "keyGroup"));
    if (index != number(c, "operatorIndex"))
        golden_differ(c, "operatorIndex", "expected %d, got %d", number(c, "operatorIndex"), index);
}

void golden_default_max_parallelism(golden_case *c) {
    size_t i;
    json_t *run;
    json_array_foreach(json_object_get(c->json, "runs"), i, run) {
        int from = 0;
        int to = 0;
        int value = 0;
        if (json_unpack(run, "[iii]", &from, &to, &value) != 0)
            golden_differ(c, "runs", "run %zu is not three integers", i);
        for (int p = from; p <= to; p++) {
            int32_t got = 0;
            if (raski_default_max_parallelism(p, &got, NULL) != RASK_OK || got != value)
                golden_differ(c, "runs", "of parallelism %d: expected %d, got %d", p, value, got);
        }
    }
    if (i == 0) golden_differ(c, "runs", "are missing");
}

/* ---------------------------------------------------------------- bounds and messages */
typedef struct outcome {
    bool known;
    rask_status status;
    json_t *value; /* what "ok" should be */
} outcome;

static outcome done(rask_status status, json_t *value_take) {
    return (outcome){.known = true, .status = status, .value = value_take};
}

static json_t *range_json(raski_key_group_range range) {
    return json_pack("[ii]", range.start, range.end);
}

static outcome assignment(const char *check, raski_error *err) {
    long long a[3] = {0};
    int32_t value = 0;
    raski_key_group_range range = {0, 0};
    rask_status status;
    if (golden_call(check, "checkParallelismPreconditions", 1, a) == 1)
        return done(raski_check_parallelism_bounds((int32_t)a[0], err), json_string("ok"));
    if (golden_call(check, "computeDefaultMaxParallelism", 1, a) == 1) {
        status = raski_default_max_parallelism((int32_t)a[0], &value, err);
        return done(status, json_integer(value));
    }
    if (golden_call(check, "computeKeyGroupRangeForOperatorIndex", 3, a) == 3) {
        status = raski_key_group_range_of_subtask((int32_t)a[0], (int32_t)a[1], (int32_t)a[2],
                                                  &range, err);
        return done(status, range_json(range));
    }
    if (golden_call(check, "computeOperatorIndexForKeyGroup", 3, a) == 3) {
        if (a[0] == 0)
            return done(RASKI_THROW(err, "ArithmeticException", "/ by zero"), json_null());
        return done(RASK_OK, json_integer(raski_subtask_of_key_group((int32_t)a[0], (int32_t)a[1],
                                                                     (int32_t)a[2])));
    }
    char key[32];
    int max = 0;
    if (sscanf(check, "assignToKeyGroup(\"%31[^\"]\",%d)", key, &max) == 2) {
        rask_string s = rask_string_from(key);
        if (max == 0)
            return done(RASKI_THROW(err, "ArithmeticException", "/ by zero"), json_null());
        return done(RASK_OK, json_integer(raski_key_group_of_hash(raski_hash_string(&s), max)));
    }
    return (outcome){0};
}

static outcome range_method(const char *check, raski_error *err) {
    int a = 0;
    int b = 0;
    int c = 0;
    int d = 0;
    int end = 0;
    raski_key_group_range range = {0, -1};
    raski_key_group_range other = {0, -1};
    int32_t value = 0;
    long long pair[2];
    if (golden_call(check, "new KeyGroupRange", 2, pair) == 2) {
        rask_status status =
            raski_key_group_range_create((int32_t)pair[0], (int32_t)pair[1], &range, err);
        return done(status, range_json(range));
    }
    if (strcmp(check, "EMPTY.toString") == 0) {
        char text[RASKI_KEY_GROUP_RANGE_TEXT_MAX];
        return done(RASK_OK, json_string(raski_key_group_range_text(range, text)));
    }
    if (sscanf(check, "KeyGroupRange.of(%d,%d)%n", &a, &b, &end) != 2) return (outcome){0};
    rask_status status = raski_key_group_range_of(a, b, &range, err);
    if (status != RASK_OK || check[end] == '\0') return done(status, range_json(range));
    if (strcmp(check + end, "==EMPTY") == 0)
        return done(RASK_OK, json_boolean(range.start == 0 && range.end == -1));
    if (sscanf(check + end, ".getKeyGroupId(%d)", &c) == 1) {
        status = raski_key_group_range_at(range, c, &value, err);
        return done(status, json_integer(value));
    }
    if (sscanf(check + end, ".getIntersection(of(%d,%d))", &c, &d) == 2) {
        status = raski_key_group_range_of(c, d, &other, err);
        return done(status, range_json(raski_key_group_range_intersect(range, other)));
    }
    return (outcome){0};
}

/* What the setters of environment, operator and vertex take. */
static outcome setter(const char *check, raski_error *err) {
    long long a[1] = {0};
    raski_plan_config config;
    raski_plan_config_init(&config);
    if (golden_call(check, "StreamExecutionEnvironment.setParallelism", 1, a) == 1) {
        rask_status status = raski_plan_config_set_parallelism(&config, (int32_t)a[0], err);
        return done(status, json_integer(config.parallelism));
    }
    if (golden_call(check, "StreamExecutionEnvironment.setMaxParallelism", 1, a) == 1) {
        rask_status status = raski_plan_config_set_max_parallelism(&config, (int32_t)a[0], err);
        return done(status, json_integer(config.max_parallelism));
    }
    raski_transformation operator= {.parallelism = RASKI_PARALLELISM_DEFAULT};
    if (golden_call(check, "operator.setParallelism", 1, a) == 1) {
        rask_status status = raski_transformation_set_parallelism(&operator,(int32_t) a[0], err);
        return done(status, json_integer(operator.parallelism));
    }
    if (golden_call(check, "operator.setMaxParallelism", 1, a) == 1) {
        rask_status status =
            raski_transformation_set_max_parallelism(&operator,(int32_t) a[0], err);
        return done(status, json_integer(operator.max_parallelism));
    }
    int parallelism = 0;
    int max = 0;
    int32_t got = 0;
    if (sscanf(check, "DefaultVertexParallelismInfo(parallelism=%d,max=%d)", &parallelism, &max) ==
        2) {
        rask_status status = raski_vertex_parallelism_check(parallelism, max, &got, err);
        return done(status, json_pack("[ii]", parallelism, got));
    }
    if (sscanf(check, "SchedulerBase.getDefaultMaxParallelism(vertex parallelism %d, no max)",
               &parallelism) == 1) {
        rask_status status = raski_default_max_parallelism(parallelism, &got, err);
        return done(status, json_integer(got));
    }
    return (outcome){0};
}

void golden_key_groups_errors(golden_case *c) {
    const char *check = json_string_value(json_object_get(c->json, "check"));
    raski_error err = {0};
    snprintf(c->name, sizeof c->name, "%s", check ? check : "?");
    outcome o = assignment(c->name, &err);
    if (!o.known) o = range_method(c->name, &err);
    if (!o.known) o = setter(c->name, &err);
    if (o.known)
        golden_result_equal(c, c->json, golden_result(o.status, &err, o.value));
    else
        golden_differ(c, "check", "is not known");
}
