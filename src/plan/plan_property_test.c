/* Random programs: what holds for every plan holds for theirs (plan_invariants.h). The seeds are
 * fixed, so that a failure can be repeated; SEED=n in the environment tries others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "plan/plan_invariants.h"

typedef struct generator {
    uint64_t state;
    json_t *steps;
    struct stream {
        char label[16];
        enum { PLAIN, OPERATOR, KEYED, BROADCAST } kind;
    } streams[64];
    size_t count;
    int made;
} generator;

static uint64_t random_below(generator *g, uint64_t limit) {
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return (g->state >> 11) % limit;
}

static bool chance(generator *g, unsigned percent) {
    return random_below(g, 100) < percent;
}

static const char *one_of(generator *g, const char *const *words, size_t count) {
    return words[random_below(g, count)];
}
#define ONE_OF(g, ...) \
    one_of(g, (const char *const[]){__VA_ARGS__}, \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void set(json_t *object, const char *key, json_t *value_take) {
    assert_int_equal(json_object_set_new(object, key, value_take), 0);
}

/* Modifiers of operators: those that decide about chains, ids, slots and parallelism. */
static void modify(generator *g, json_t *step) {
    if (chance(g, 25)) set(step, "parallelism", json_integer((json_int_t)random_below(g, 4) + 1));
    if (chance(g, 10)) set(step, "maxParallelism", json_integer(4 << random_below(g, 6)));
    if (chance(g, 15)) set(step, "uid", json_sprintf("u%d", g->made));
    if (chance(g, 10)) set(step, "slotSharingGroup", json_string(ONE_OF(g, "a", "b", "default")));
    if (chance(g, 8)) set(step, "disableChaining", json_true());
    if (chance(g, 5)) set(step, "coLocationKey", json_string(ONE_OF(g, "c", "d")));
    if (chance(g, 5)) set(step, "bufferTimeout", json_integer((json_int_t)random_below(g, 3) - 1));
    if (chance(g, 5)) set(step, "description", json_string("a \"description\"\n<&>"));
}

static const struct stream *pick(generator *g) {
    return &g->streams[random_below(g, g->count)];
}

/* Adds the step; a stream of this kind comes out unless kind is -1. */
static void add(generator *g, json_t *step_take, int kind) {
    if (kind >= 0 && g->count < sizeof g->streams / sizeof *g->streams) {
        struct stream *stream = &g->streams[g->count++];
        (void)snprintf(stream->label, sizeof stream->label, "s%d", g->made);
        stream->kind = kind;
        set(step_take, "as", json_string(stream->label));
    }
    g->made++;
    json_array_append_new(g->steps, step_take);
}

static void add_source(generator *g) {
    json_t *step = json_pack("{s:s}", "op",
                             ONE_OF(g, "source", "legacySource", "fromData", "fromSequence",
                                    "fromParallelCollection", "readFile", "socketTextStream"));
    const char *op = json_string_value(json_object_get(step, "op"));
    if (strcmp(op, "source") == 0) set(step, "name", json_string("in"));
    if ((op[0] == 's' || op[0] == 'l') && op[1] != 'o' && chance(g, 50))
        set(step, "bounded", json_true());
    if (chance(g, 20)) set(step, "uid", json_sprintf("u%d", g->made));
    add(g, step, OPERATOR);
}

static void add_operator(generator *g, const struct stream *input) {
    bool keyed = input->kind == KEYED;
    const char *op = keyed
                         ? ONE_OF(g, "sum", "reduce", "process", "window", "map", "partitionWindow")
                         : ONE_OF(g, "map", "filter", "flatMap", "process", "asyncWait",
                                  "transform", "windowAll", "assignTimestampsAndWatermarks");
    json_t *step = json_pack("{s:s, s:s}", "op", op, "of", input->label);
    if (strcmp(op, "transform") == 0 && chance(g, 60))
        set(step, "chaining",
            json_string(ONE_OF(g, "ALWAYS", "NEVER", "HEAD", "HEAD_WITH_SOURCES")));
    modify(g, step);
    add(g, step, OPERATOR);
}

static void add_partition(generator *g, const struct stream *input) {
    const char *op = input->kind == KEYED
                         ? "map"
                         : ONE_OF(g, "rebalance", "rescale", "shuffle", "forward", "global",
                                  "broadcast", "keyBy", "keyBy", "keyBy", "partitionCustom");
    json_t *step = json_pack("{s:s, s:s}", "op", op, "of", input->label);
    if (strcmp(op, "map") != 0 && chance(g, 15))
        set(step, "exchange", json_string(ONE_OF(g, "PIPELINED", "BATCH")));
    add(g, step, strcmp(op, "keyBy") == 0 ? KEYED : strcmp(op, "map") == 0 ? OPERATOR : PLAIN);
}

static void add_connection(generator *g) {
    const char *a = pick(g)->label, *b = pick(g)->label, *c = pick(g)->label;
    json_t *step = json_object();
    switch (random_below(g, 3)) {
        case 0:
            set(step, "op", json_string("union"));
            set(step, "of", json_pack("[s, s]", a, b));
            add(g, step, PLAIN);
            return;
        case 1:
            set(step, "op", json_string("coMap"));
            set(step, "of", json_pack("[s, s]", a, b));
            break;
        default:
            set(step, "op", json_string("transform"));
            set(step, "of", json_pack("[s, s, s]", a, b, c));
            if (chance(g, 50)) set(step, "chaining", json_string("HEAD_WITH_SOURCES"));
            break;
    }
    modify(g, step);
    add(g, step, OPERATOR);
}

static void add_sink(generator *g, const struct stream *input) {
    json_t *step = json_pack("{s:s, s:s}", "op", ONE_OF(g, "print", "discard", "addSink", "sink"),
                             "of", input->label);
    if (strcmp(json_string_value(json_object_get(step, "op")), "sink") == 0) {
        if (chance(g, 60)) set(step, "committer", json_true());
        if (chance(g, 30)) set(step, "preWrite", json_pack("[{s:s}]", "op", "map"));
    }
    if (chance(g, 25)) set(step, "parallelism", json_integer((json_int_t)random_below(g, 4) + 1));
    add(g, step, -1);
}

static json_t *random_topology(uint64_t seed) {
    generator g = {.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .steps = json_array()};
    json_t *config = json_object();
    if (chance(&g, 15)) set(config, "pipeline.operator-chaining.enabled", json_string("false"));
    if (chance(&g, 20)) set(config, "execution.runtime-mode", json_string("BATCH"));
    if (chance(&g, 15))
        set(config, "pipeline.operator-chaining.chain-operators-with-different-max-parallelism",
            json_string("false"));
    if (chance(&g, 20)) set(config, "jobmanager.scheduler", json_string("Default"));
    size_t steps = 3 + random_below(&g, 20);
    add_source(&g);
    for (size_t i = 0; i < steps; i++) {
        uint64_t what = random_below(&g, 100);
        if (what < 12)
            add_source(&g);
        else if (what < 50)
            add_operator(&g, pick(&g));
        else if (what < 72)
            add_partition(&g, pick(&g));
        else if (what < 85)
            add_connection(&g);
        else
            add_sink(&g, pick(&g));
    }
    add_sink(&g, &g.streams[g.count - 1]);
    return json_pack("{s:o, s:{s:i}, s:o}", "config", config, "env", "parallelism",
                     (int)random_below(&g, 4) + 1, "steps", g.steps);
}

static void random_programs(void **state) {
    (void)state;
    enum { PROGRAMS = 400 };
    const char *seed_text = getenv("SEED");
    uint64_t first = seed_text ? strtoull(seed_text, NULL, 10) : 1;
    size_t taken = 0;
    for (uint64_t seed = first; seed < first + PROGRAMS; seed++) {
        json_t *document = random_topology(seed);
        if (invariants_hold(document)) taken++;
        json_decref(document);
    }
    print_message("%zu of %d random programs are legal\n", taken, PROGRAMS);
    assert_true(taken > PROGRAMS / 4); /* otherwise the generator tests errors only */
}

/* The same program written down twice has the same ids. */
static void equal_programs_have_equal_ids(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++) {
        json_t *document = random_topology(seed), *copy = json_deep_copy(document);
        raski_error err = {0}, copy_err = {0};
        json_t *facts = raski_plan_facts_of_topology(document, &err);
        json_t *facts_of_copy = raski_plan_facts_of_topology(copy, &copy_err);
        assert_true(json_equal(json_object_get(facts, "operatorHashes"),
                               json_object_get(facts_of_copy, "operatorHashes")) ||
                    err.status != RASK_OK);
        json_decref(facts);
        json_decref(facts_of_copy);
        json_decref(document);
        json_decref(copy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),
        cmocka_unit_test(equal_programs_have_equal_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
