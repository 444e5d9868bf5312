/* Functions without keys, in whole jobs: map, filter, flat map, process and side outputs in all
 * their forms, compared with a plain C model. */
#include "e2e_test_util.h"

typedef struct {
    int64_t id;
    int32_t group;
    rask_string text;
    double score;
    bool flag;
} item;
RASK_TYPE(item, id, group, text, score, flag);
typedef struct {
    int64_t id;
    rask_string text;
} labelled;
RASK_TYPE(labelled, id, text);

enum { ITEMS = 3000 };

static item item_of(int64_t i) {
    return (item){.id = i,
                  .group = (int32_t)(i % 7),
                  .text = i % 2 ? long_text(i) : rask_string_from("short"),
                  .score = (double)i / 8,
                  .flag = i % 3 == 0};
}
RASK_MAP(make_item, int64_t, i, item) {
    return item_of(i);
}

static rask_stream(item) items(rask_env *env) {
    return rask_map(rask_sequence(env, 0, ITEMS - 1), make_item);
}

/* ---------------------------------------------------------------- map */
RASK_MAP(next_item, item, in, item) {
    in.id++;
    in.text = rask_string_format("%.*s, then", RASK_STR(in.text));
    in.score *= 2;
    return in;
}
RASK_MAP(label, item, in, labelled) {
    return (labelled){in.id, in.text};
}

static void maps_of_one_and_of_two_types(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        COLLECT(labelled, rask_map(rask_map(rask_map(items(env), next_item), next_item), label),
                &have);
        for (int64_t i = 0; i < ITEMS; i++)
            ADD(labelled, &want, label(next_item(next_item(item_of(i)))));
        assert_same_records(s, &have, &want);
    }
}

static int64_t triple(int64_t n) {
    return 3 * n;
}
RASK_MAP_FN(triple, int64_t, int64_t);
RASK_BATCH_MAP(halves, int64_t, in, n, double, out) {
    for (size_t i = 0; i < n; i++) out[i] = (double)in[i] / 2;
}

static void an_existing_function_and_a_batch_function_as_maps(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        COLLECT(double, rask_map(rask_map(rask_sequence(env, -500, ITEMS), triple), halves), &have);
        for (int64_t i = -500; i <= ITEMS; i++) ADD(double, &want, (double)(3 * i) / 2);
        assert_same_records(s, &have, &want);
    }
}

typedef struct {
    int64_t factor, seen;
} scaler;
RASK_INSTANCE(scaler);
RASK_RICH_MAP(scale, scaler, self, int64_t, n, int64_t) {
    self->seen++;
    return n * self->factor;
}
RASK_RICH_FILTER(keep_multiples, scaler, self, int64_t, n) {
    self->seen++;
    return n % self->factor == 0;
}
RASK_FILTER(keep_even, int64_t, n) {
    return n % 2 == 0;
}
RASK_FILTER(keep_flagged, item, in) {
    return in.flag;
}
RASK_FILTER(keep_nothing, item, in) {
    (void)in;
    return false;
}

static void rich_maps_and_filters_start_with_the_given_instance(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(int64_t) n = rask_filter(rask_sequence(env, 1, ITEMS), keep_even);
        n = rask_map(n, scale, .self = RASK_SELF(scaler, .factor = 5));
        n = rask_filter(n, keep_multiples, .self = RASK_SELF(scaler, .factor = 4));
        COLLECT(int64_t, n, &have);
        for (int64_t i = 1; i <= ITEMS; i++)
            if (i % 2 == 0 && i * 5 % 4 == 0) ADD(int64_t, &want, i * 5);
        assert_same_records(s, &have, &want);
    }
}

static void filters_of_records_with_strings(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(item) all = items(env);
        COLLECT(item, rask_union(rask_filter(all, keep_flagged), rask_filter(all, keep_nothing)),
                &have);
        for (int64_t i = 0; i < ITEMS; i++)
            if (item_of(i).flag) ADD(item, &want, item_of(i));
        assert_same_records(s, &have, &want);
    }
}

/* ---------------------------------------------------------------- flat map */
RASK_FLAT_MAP(repeat, int64_t, n, labelled, out) {
    for (int64_t i = 0; i < n % 5; i++)
        rask_emit(out, (labelled){n, i % 2 ? long_text(i) : rask_string_from("x")});
}
typedef struct {
    int64_t copies, sum;
} copier;
RASK_INSTANCE(copier);
RASK_RICH_FLAT_MAP(copy_all, copier, self, labelled, in, labelled, out) {
    self->sum += in.id;
    for (int64_t i = 0; i < self->copies; i++) *rask_emit_slot(out) = in;
    if (in.id % 100 == 0) rask_flush(out);
}
RASK_ON_END(copy_all, self, out) {
    rask_emit(out, (labelled){self->sum, rask_string_from("the sum of all ids, at the end")});
}

static void flat_maps_give_any_number_of_records(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(labelled) out = rask_flat_map(rask_sequence(env, 0, 999), repeat);
        COLLECT(
            labelled,
            rask_flat_map(out, copy_all, .self = RASK_SELF(copier, .copies = 3), .parallelism = 1),
            &have);
        int64_t sum = 0;
        for (int64_t n = 0; n < 1000; n++) {
            for (int64_t i = 0; i < n % 5; i++) {
                labelled one = {n, i % 2 ? long_text(i) : rask_string_from("x")};
                sum += n;
                for (int k = 0; k < 3; k++) ADD(labelled, &want, one);
            }
        }
        ADD(labelled, &want, {sum, rask_string_from("the sum of all ids, at the end")});
        assert_same_records(s, &have, &want);
    }
}

/* One record that becomes more than many buffers hold, and back-pressure with it. */
RASK_FLAT_MAP(explode, int64_t, n, int64_t, out) {
    for (int64_t i = 0; i < 300000; i++) rask_emit(out, n * 1000000 + i);
}
RASK_FLAT_MAP(sum_up_to_here, int64_t, n, int64_t, out) {
    if (n % 1000 == 0) rask_emit(out, n);
}
static void one_record_can_become_more_than_all_buffers_hold(void **state) {
    (void)state;
    FOR_EACH_STREAMING_SETTING(s) {
        rask_env *env = env_of(s);
        rask_set_option(env, "taskmanager.memory.network.min", "2 mb");
        rask_set_option(env, "taskmanager.memory.network.max", "2 mb");
        lines have = {0}, want = {0};
        rask_stream(int64_t) many = rask_flat_map(rask_sequence(env, 0, 2), explode);
        COLLECT(int64_t, rask_flat_map(rask_rebalance(many), sum_up_to_here), &have);
        for (int64_t n = 0; n <= 2; n++)
            for (int64_t i = 0; i < 300; i++) ADD(int64_t, &want, n * 1000000 + i * 1000);
        assert_same_records(s, &have, &want);
    }
}

/* ---------------------------------------------------------------- process, side outputs */
RASK_SIDE_OUTPUT(odd_labels, labelled);
RASK_SIDE_OUTPUT(big_numbers, int64_t);
RASK_SIDE_OUTPUT(nobody_reads, item);
typedef struct {
    int64_t emitted;
} splitter;
RASK_INSTANCE(splitter);
RASK_PROCESS(split, splitter, self, item, in, item, out) {
    self->emitted++;
    if (in.id % 2) rask_emit_side(out, odd_labels, (labelled){in.id, in.text});
    if (in.id > ITEMS / 2) rask_emit_side(out, big_numbers, in.id);
    rask_emit_side(out, nobody_reads, in);
    if (in.flag) rask_emit(out, in);
}
RASK_ON_END(split, self, out) {
    rask_emit_side(out, big_numbers, -1);
}

RASK_MAP(label_number, int64_t, n, labelled) {
    return (labelled){n, long_text(n)};
}

static void side_outputs_of_several_types(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(item) main_output = rask_process(items(env), split);
        rask_stream(labelled) odd = rask_side_output(main_output, odd_labels);
        rask_stream(int64_t) big = rask_side_output(main_output, big_numbers);
        COLLECT(labelled,
                rask_union(rask_map(main_output, label), odd, rask_map(big, label_number),
                           rask_rebalance(odd)),
                &have);
        for (int64_t i = 0; i < ITEMS; i++) {
            item in = item_of(i);
            if (in.flag) ADD(labelled, &want, label(in));
            if (i % 2)
                for (int k = 0; k < 2; k++) ADD(labelled, &want, {i, in.text});
            if (i > ITEMS / 2) ADD(labelled, &want, label_number(i));
        }
        for (int i = 0; i < s->parallelism; i++) ADD(labelled, &want, label_number(-1));
        assert_same_records(s, &have, &want);
    }
}

static void side_outputs_alone_are_read(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        COLLECT(labelled, rask_side_output(rask_process(items(env), split), odd_labels), &have);
        for (int64_t i = 1; i < ITEMS; i += 2) ADD(labelled, &want, label(item_of(i)));
        assert_same_records(s, &have, &want);
    }
}

/* ---------------------------------------------------------------- union */
NOTE_SINK(note_label, labelled)
NOTE_SINK(note_number, int64_t)

static void unions_of_several_streams(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(int64_t) a = rask_sequence(env, 1, 100);
        rask_stream(int64_t) b = rask_sequence(env, 101, 150, .parallelism = 1);
        rask_stream(int64_t) c = rask_values(env, int64_t, 7, 8, 9);
        rask_stream(int64_t) all = rask_union(a, b, c, rask_broadcast(c));
        COLLECT(int64_t, rask_map(all, triple), &have);
        for (int64_t i = 1; i <= 150; i++) ADD(int64_t, &want, 3 * i);
        for (int k = 0; k <= s->parallelism; k++)
            for (int64_t i = 7; i <= 9; i++) ADD(int64_t, &want, 3 * i);
        assert_same_records(s, &have, &want);
    }
}

RASK_SIDE_OUTPUT(tag_a, int64_t);
RASK_SIDE_OUTPUT(tag_b, int64_t);
RASK_PROCESS(to_tags, splitter, self, int64_t, n, int64_t, out) {
    self->emitted += n;
    rask_emit_side(out, tag_a, 1);
    rask_emit_side(out, tag_b, 2);
}
static void p1_union_of_two_side_outputs_of_one_operator(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(int64_t) in = rask_process(rask_values(env, int64_t, 42), to_tags);
        COLLECT(int64_t, rask_union(rask_side_output(in, tag_a), rask_side_output(in, tag_b)),
                &have);
        ADD(int64_t, &want, 1);
        ADD(int64_t, &want, 2);
        assert_same_records(s, &have, &want);
    }
}

static void p2_union_of_a_stream_with_itself(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(int64_t) in = rask_values(env, int64_t, 1, 2);
        COLLECT(int64_t, rask_map(rask_union(in, in), triple), &have);
        for (int k = 0; k < 2; k++)
            for (int64_t i = 1; i <= 2; i++) ADD(int64_t, &want, 3 * i);
        assert_same_records(s, &have, &want);
    }
}

static void one_stream_into_many_sinks(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        notes seen = {0}, labels = {0};
        rask_stream(item) all = items(env);
        rask_sink(rask_map(all, label), note_label, .self = RASK_SELF(noting, &labels));
        rask_legacy_sink(rask_map(all, label), note_label, .self = RASK_SELF(noting, &labels));
        rask_sink(rask_sequence(env, 1, 50), note_number, .self = RASK_SELF(noting, &seen));
        rask_discard(all);
        rask_job_result result = run_job(env);
        assert_int_equal(result.records_out, 3 * ITEMS + 50);
        lines want = {0}, numbers = {0};
        for (int64_t i = 0; i < ITEMS; i++)
            for (int k = 0; k < 2; k++) ADD(labelled, &want, label(item_of(i)));
        for (int64_t i = 1; i <= 50; i++) ADD(int64_t, &numbers, i);
        assert_same_records(s, &labels.lines, &want);
        assert_same_records(s, &seen.lines, &numbers);
        rask_env_destroy(env);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_of_one_and_of_two_types),
        cmocka_unit_test(an_existing_function_and_a_batch_function_as_maps),
        cmocka_unit_test(rich_maps_and_filters_start_with_the_given_instance),
        cmocka_unit_test(filters_of_records_with_strings),
        cmocka_unit_test(flat_maps_give_any_number_of_records),
        cmocka_unit_test(one_record_can_become_more_than_all_buffers_hold),
        cmocka_unit_test(side_outputs_of_several_types),
        cmocka_unit_test(side_outputs_alone_are_read),
        cmocka_unit_test(unions_of_several_streams),
        cmocka_unit_test(p1_union_of_two_side_outputs_of_one_operator),
        cmocka_unit_test(p2_union_of_a_stream_with_itself),
        cmocka_unit_test(one_stream_into_many_sinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
