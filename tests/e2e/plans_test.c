/* Plans: what rask_execution_plan prints must be, letter by letter, what Flink prints for the same
 * program (tests/e2e/plans). And what tasks see of options: names, chains, parallelism. */
#include "e2e_test_util.h"

typedef struct {
    rask_string word;
    int64_t count;
} word_count;
RASK_TYPE(word_count, word, count);
typedef struct {
    int64_t n;
} instance;
RASK_INSTANCE(instance);
typedef struct {
    rask_value(int64_t) n;
} keyed_instance;
RASK_STATE(keyed_instance, n);

RASK_FLAT_MAP(tokenize, rask_string, line, word_count, out) {
    rask_emit(out, (word_count){line, 1});
}
RASK_MAP(same, int64_t, n, int64_t) {
    return n;
}
RASK_TIMESTAMPS(itself, int64_t, n, previous) {
    return n;
}
RASK_REDUCE(plus, int64_t, a, b) {
    return a + b;
}
RASK_FILTER(all, int64_t, n) {
    return n < INT64_MAX;
}
RASK_FLAT_MAP(flat, int64_t, n, int64_t, out) {
    rask_emit(out, n);
}
RASK_PROCESS(pass, instance, self, int64_t, n, int64_t, out) {
    rask_emit(out, n + self->n);
}
RASK_MAP(to_words, int64_t, n, word_count) {
    return (word_count){rask_string_format("%lld", (long long)n), n};
}
RASK_MAP(to_number, word_count, w, int64_t) {
    return w.count;
}
RASK_FILTER(all_words, word_count, w) {
    return w.count < INT64_MAX;
}
RASK_REDUCE(add, word_count, a, b) {
    return (word_count){a.word, a.count + b.count};
}
RASK_KEYED_PROCESS(keyed, keyed_instance, self, word_count, w, word_count, out) {
    ++*rask_ref(self->n);
    rask_emit(out, w);
}
RASK_CO_MAP(co_map, int64_t, n, int64_t, int64_t) {
    return n;
}
RASK_SECOND_MAP(co_map, n) {
    return n;
}
RASK_CO_FLAT_MAP(co_flat, int64_t, n, int64_t, int64_t, out) {
    rask_emit(out, n);
}
RASK_SECOND_FLAT_MAP(co_flat, n, out) {
    rask_emit(out, n);
}
RASK_CO_PROCESS(co_process, instance, self, int64_t, n, int64_t, int64_t, out) {
    rask_emit(out, n + self->n);
}
RASK_ON_SECOND(co_process, self, n, out) {
    rask_emit(out, n);
}
RASK_KEYED_CO_PROCESS(keyed_co, keyed_instance, self, int64_t, n, int64_t, int64_t, out) {
    ++*rask_ref(self->n);
    rask_emit(out, n);
}
RASK_ON_SECOND(keyed_co, self, n, out) {
    rask_emit(out, n);
}
RASK_SOURCE(mine, instance, self, int64_t, out) {
    rask_emit(out, self->n);
    return RASK_END;
}
RASK_SPLIT_SOURCE(my_splits, instance, self, int64_t, out) {
    rask_emit(out, self->n);
    return RASK_END;
}
RASK_ENUMERATE(my_splits, self, splits) {
    return rask_add_split(splits, self, sizeof *self);
}
RASK_ADD_SPLIT(my_splits, self, split) {
    self->n = split.len;
    return RASK_OK;
}
RASK_SINK(my_sink, instance, self, int64_t, n) {
    self->n += n;
}
RASK_PARTITIONER(modulo, int64_t, n, partitions) {
    return (int)(n % partitions);
}
RASK_SIDE_OUTPUT(tag_a, int64_t);
RASK_SIDE_OUTPUT(tag_b, int64_t);
typedef struct {
    int64_t n;
} boxed;
RASK_TYPE(boxed, n);
RASK_MAP(box, int64_t, n, boxed) {
    return (boxed){n};
}
RASK_MAP(unbox, boxed, b, int64_t) {
    return b.n;
}

/* ---------------------------------------------------------------- programs */
static rask_env *wordcount(void) {
    rask_env *env = env_with_parallelism(2);
    rask_stream(word_count) words = rask_flat_map(rask_read_text(env, "in.txt"), tokenize);
    rask_print(rask_sum(rask_key_by(words, word), count, .uid = "counts"));
    return env;
}
static rask_env *event_time(void) {
    rask_env *env = env_with_parallelism(2);
    rask_stream(int64_t) in = rask_source(env, my_splits, .name = "in", .parallelism = 3,
                                          .timestamps = RASK_TIMESTAMP_FN(itself),
                                          .idleness_ms = 1000, .alignment_group = "g");
    rask_stream(int64_t) timed =
        rask_assign_timestamps_fn(in, itself, .max_out_of_orderness_ms = 5);
    rask_keyed(int64_t) by_value = rask_key_by_value(timed);
    rask_print(rask_reduce(by_value, plus, .name = "Keyed Aggregation"));
    return env;
}
static rask_env *sources_and_sinks(void) {
    rask_env *env = env_with_parallelism(3);
    rask_stream(int64_t) a = rask_values(env, int64_t, 1, 2, 3);
    rask_stream(int64_t) b = rask_source(env, my_splits, .name = "other", .bounded = true);
    rask_stream(int64_t) c = rask_source(env, mine);
    rask_stream(int64_t) d = rask_legacy_source(env, mine);
    rask_stream(int64_t) e =
        rask_legacy_source(env, mine, .name = "many", .parallel = true, .parallelism = 2);
    rask_stream(int64_t) u = rask_union(a, b, c, d, e);
    rask_print(u);
    rask_print_err(u, .name = "errors");
    rask_sink(u, my_sink, .name = "mine");
    rask_legacy_sink(u, my_sink);
    rask_discard(u, .parallelism = 1);
    return env;
}
static rask_env *every_partitioning(void) {
    rask_env *env = env_with_parallelism(2);
    rask_stream(int64_t) s = rask_sequence(env, 0, 100);
    rask_discard(rask_map(rask_forward(s), same));
    rask_discard(rask_map(rask_rebalance(s), same));
    rask_discard(rask_map(rask_rescale(s), same, .parallelism = 4));
    rask_discard(rask_map(rask_shuffle(s), same));
    rask_discard(rask_map(rask_global(s), same));
    rask_discard(rask_map(rask_broadcast(s), same));
    rask_stream(boxed) b = rask_map(s, box);
    rask_discard(rask_map(rask_partition_custom(b, modulo, n), unbox));
    return env;
}
static rask_env *keyed_operators(void) {
    rask_env *env = env_with_parallelism(2);
    rask_keyed(word_count) k = rask_key_by(rask_map(rask_sequence(env, 0, 100), to_words), word);
    rask_stream(word_count) a = rask_sum(k, count), b = rask_min(k, count), c = rask_max(k, count),
                            d = rask_min_by(k, count), e = rask_max_by(k, count),
                            f = rask_reduce(k, add), g = rask_process(k, keyed);
    rask_discard(rask_union(a, b, c, d, e, f, g));
    return env;
}
static rask_env *connected(void) {
    rask_env *env = env_with_parallelism(2);
    rask_stream(int64_t) a = rask_sequence(env, 0, 100);
    rask_stream(int64_t) b = rask_sequence(env, 0, 100, .parallelism = 1);
    rask_stream(int64_t) m = rask_connect(a, b, co_map);
    rask_stream(int64_t) f = rask_connect(m, b, co_flat);
    rask_stream(int64_t) p = rask_connect(f, a, co_process);
    rask_keyed(int64_t) kp = rask_key_by_value(p);
    rask_keyed(int64_t) ka = rask_key_by_value(a);
    rask_discard(rask_connect(kp, ka, keyed_co));
    return env;
}
static rask_env *side_outputs(void) {
    rask_env *env = env_with_parallelism(1);
    rask_stream(int64_t) p = rask_process(rask_sequence(env, 0, 100), pass);
    rask_stream(int64_t) a = rask_side_output(p, tag_a);
    rask_stream(int64_t) b = rask_side_output(p, tag_b);
    rask_discard(rask_union(a, b));
    rask_discard(rask_map(rask_rebalance(a), same));
    return env;
}
static rask_env *p2_union_with_itself(void) {
    rask_env *env = env_with_parallelism(1);
    rask_stream(int64_t) s = rask_sequence(env, 0, 100);
    rask_discard(rask_map(rask_union(s, s), same));
    return env;
}
static rask_env *p6_other_parallelism(void) {
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_map(rask_sequence(env, 0, 100), same, .parallelism = 2));
    return env;
}
static rask_env *p8_broadcast_to_one(void) {
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_map(rask_broadcast(rask_sequence(env, 0, 100)), same));
    return env;
}
static rask_env *p9_slot_sharing_groups(void) {
    rask_env *env = env_with_parallelism(1);
    rask_stream(int64_t) a = rask_sequence(env, 0, 100, .slot_sharing_group = "g1");
    rask_stream(int64_t) b = rask_sequence(env, 0, 100, .slot_sharing_group = "g2");
    rask_discard(rask_map(rask_union(a, b), same));
    rask_discard(rask_map(rask_rebalance(a), same));
    return env;
}
static rask_env *p11_max_parallelism(void) {
    rask_env *env = env_with_parallelism(1);
    rask_discard(
        rask_map(rask_sequence(env, 0, 100, .max_parallelism = 10), same, .max_parallelism = 20));
    return env;
}
static rask_env *p18_side_output(void) {
    rask_env *env = env_with_parallelism(1);
    rask_discard(rask_side_output(rask_process(rask_sequence(env, 0, 100), pass), tag_a));
    return env;
}
static rask_env *options(void) {
    rask_env *env = env_with_parallelism(4);
    rask_set_max_parallelism(env, 64);
    rask_set_buffer_timeout(env, -1);
    rask_stream(int64_t) s = rask_sequence(env, 0, 100, .name = "numbers", .uid = "u1");
    s = rask_map(s, same, .name = "first", .description = "what the first one does", .uid = "u2",
                 .max_parallelism = 32);
    s = rask_map(s, same, .uid_hash = "0123456789abcdef0123456789abcdef", .start_new_chain = true);
    s = rask_filter(s, all, .name = "alone", .disable_chaining = true, .parallelism = 2);
    s = rask_flat_map(s, flat, .chaining = RASK_CHAIN_HEAD, .slot_sharing_group = "other",
                      .buffer_timeout = RASK_MS(7));
    rask_discard(s, .name = "gone");
    return env;
}
static rask_env *batch(void) {
    rask_env *env = env_with_parallelism(2);
    rask_set_runtime_mode(env, RASK_BATCH);
    rask_stream(word_count) m = rask_map(rask_sequence(env, 0, 100), to_words);
    rask_stream(word_count) f = rask_filter(rask_rebalance(m), all_words);
    rask_print(rask_map(rask_sum(rask_key_by(f, word), count), to_number));
    rask_discard(rask_process(rask_key_by(m, word), keyed));
    return env;
}
static rask_env *no_chaining(void) {
    rask_env *env = env_with_parallelism(2);
    rask_disable_chaining(env);
    rask_discard(rask_filter(rask_map(rask_sequence(env, 0, 100), same), all));
    return env;
}

#define PROGRAM(name) \
    { #name, name }
static const struct {
    const char *name;
    rask_env *(*build)(void);
} programs[] = {
    PROGRAM(wordcount),
    PROGRAM(sources_and_sinks),
    PROGRAM(every_partitioning),
    PROGRAM(keyed_operators),
    PROGRAM(connected),
    PROGRAM(side_outputs),
    PROGRAM(p2_union_with_itself),
    PROGRAM(p6_other_parallelism),
    PROGRAM(p8_broadcast_to_one),
    PROGRAM(p9_slot_sharing_groups),
    PROGRAM(p11_max_parallelism),
    PROGRAM(p18_side_output),
    PROGRAM(options),
    PROGRAM(batch),
    PROGRAM(no_chaining),
    PROGRAM(event_time),
};

static char *read_file(const char *path) {
    FILE *file = fopen(path, "r");
    if (file == NULL) fail_msg("cannot open %s", path);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    (void)fclose(file);
    while (length > 0 && text[length - 1] == '\n') text[--length] = '\0';
    return text;
}

static void plans_are_those_that_flink_prints(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/tests/e2e/plans/%s.plan", RASK_SOURCE_DIR,
                       programs[i].name);
        char *want = read_file(path);
        for (int again = 0; again < 2; again++) { /* P26: the same each time */
            rask_env *env = programs[i].build();
            char *message = NULL;
            char *have = rask_execution_plan(env, &message);
            if (have == NULL) fail_msg("%s: %s", programs[i].name, message);
            if (strcmp(have, want) != 0)
                fail_msg("%s: Flink prints\n%s\nRask prints\n%s", programs[i].name, want, have);
            free(have);
            rask_env_destroy(env);
        }
        free(want);
    }
}

/* ---------------------------------------------------------------- what tasks see */
typedef struct {
    notes *notes;
} watcher;
RASK_INSTANCE(watcher);
RASK_RICH_MAP(watch, watcher, self, int64_t, n, int64_t) {
    (void)self;
    return n;
}
RASK_OPEN(watch, self) {
    const rask_runtime_context *c = rask_runtime();
    rask_string line = rask_string_format("%s | %s | %d | %d", c->task_name, c->operator_name,
                                          c->parallelism, c->max_parallelism);
    notes_add(self->notes, &rask_type_rask_string, &line);
    return RASK_OK;
}
#define WATCH(s, ...) rask_map(s, watch, .self = RASK_SELF(watcher, .notes = &seen), __VA_ARGS__)

static void assert_seen(rask_env *env, notes *seen, const char *const *want, size_t count) {
    (void)run_job(env);
    rask_env_destroy(env);
    lines expected = {0};
    for (size_t i = 0; i < count; i++) lines_add(&expected, "%s", want[i]);
    assert_same_records(NULL, &seen->lines, &expected);
}
#define ASSERT_SEEN(env, ...) \
    assert_seen(env, &seen, (const char *const[]){__VA_ARGS__}, \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void chains_follow_the_options(void **state) {
    (void)state;
    notes seen = {0};
    rask_env *env = env_with_parallelism(1);
    rask_stream(int64_t) s = rask_sequence(env, 1, 10, .name = "numbers");
    s = WATCH(s, .name = "a");
    s = WATCH(s, .name = "b", .start_new_chain = true);
    s = WATCH(s, .name = "c");
    s = WATCH(s, .name = "d", .disable_chaining = true);
    s = WATCH(s, .name = "e");
    s = WATCH(s, .name = "f", .chaining = RASK_CHAIN_HEAD);
    s = WATCH(s, .name = "g", .chaining = RASK_CHAIN_NEVER);
    s = WATCH(s, .name = "h", .chaining = RASK_CHAIN_ALWAYS);
    s = WATCH(s, .name = "i", .slot_sharing_group = "another");
    rask_discard(s);
    ASSERT_SEEN(env, "Source: numbers -> a | a | 1 | 128", "b -> c | b | 1 | 128",
                "b -> c | c | 1 | 128", "d | d | 1 | 128", "e | e | 1 | 128", "f | f | 1 | 128",
                "g | g | 1 | 128", "h | h | 1 | 128", "i -> Sink: Writer | i | 1 | 128");
}

static void p8_broadcast_to_one_is_not_chained(void **state) {
    (void)state;
    notes seen = {0};
    rask_env *env = env_with_parallelism(1);
    rask_discard(WATCH(rask_broadcast(rask_sequence(env, 1, 10)), .name = "m"));
    ASSERT_SEEN(env, "m -> Sink: Writer | m | 1 | 128");
}

static void p9_slot_sharing_groups_are_inherited(void **state) {
    (void)state;
    notes seen = {0};
    rask_env *env = env_with_parallelism(1);
    rask_set_option(env, "taskmanager.numberOfTaskSlots", "3");
    rask_stream(int64_t) a = rask_sequence(env, 1, 10, .name = "A", .slot_sharing_group = "g1");
    rask_stream(int64_t) b = rask_sequence(env, 1, 10, .name = "B", .slot_sharing_group = "g2");
    rask_discard(WATCH(rask_union(a, b), .name = "C"));
    rask_discard(WATCH(rask_rebalance(a), .name = "D"));
    ASSERT_SEEN(env, "C -> Sink: Writer | C | 1 | 128", "D -> Sink: Writer | D | 1 | 128");
    /* two groups and the default one: two slots are too few */
    env = env_with_parallelism(1);
    rask_set_option(env, "taskmanager.numberOfTaskSlots", "2");
    rask_set_option(env, "slot.request.timeout", "50 ms");
    rask_set_option(env, "restart-strategy.type", "none");
    a = rask_sequence(env, 1, 10, .slot_sharing_group = "g1");
    b = rask_sequence(env, 1, 10, .slot_sharing_group = "g2");
    rask_discard(rask_map(rask_union(a, b), same));
    assert_fails(env, "Could not acquire the minimum required resources");
}

static void p11_chains_take_the_heads_max_parallelism(void **state) {
    (void)state;
    for (int together = 0; together < 2; together++) {
        notes seen = {0};
        rask_env *env = env_with_parallelism(1);
        rask_set_option(env,
                        "pipeline.operator-chaining.chain-operators-with-different-max-parallelism",
                        together ? "true" : "false");
        rask_stream(int64_t) s = WATCH(rask_sequence(env, 1, 10), .name = "a",
                                       .max_parallelism = 10, .start_new_chain = true);
        rask_discard(WATCH(s, .name = "b", .max_parallelism = 20));
        if (together)
            ASSERT_SEEN(env, "a -> b -> Sink: Writer | a | 1 | 10",
                        "a -> b -> Sink: Writer | b | 1 | 10");
        else
            ASSERT_SEEN(env, "a | a | 1 | 10", "b | b | 1 | 20");
    }
}

static void parallelism_of_operators(void **state) {
    (void)state;
    notes seen = {0};
    rask_env *env = env_with_parallelism(3);
    rask_set_max_parallelism(env, 50);
    rask_stream(int64_t) s = WATCH(rask_sequence(env, 1, 10), .name = "a", .parallelism = 1);
    s = WATCH(s, .name = "b", .max_parallelism = 9);
    rask_discard(s, .parallelism = 2);
    ASSERT_SEEN(env, "a | a | 1 | 50", "b | b | 3 | 9", "b | b | 3 | 9", "b | b | 3 | 9");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_those_that_flink_prints),
        cmocka_unit_test(chains_follow_the_options),
        cmocka_unit_test(p8_broadcast_to_one_is_not_chained),
        cmocka_unit_test(p9_slot_sharing_groups_are_inherited),
        cmocka_unit_test(p11_chains_take_the_heads_max_parallelism),
        cmocka_unit_test(parallelism_of_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
