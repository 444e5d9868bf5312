/* Partitionings between tasks: who gets what and how much, and records of every kind of type on
 * their way through an exchange. */
#include "e2e_test_util.h"

enum { COUNT = 6000 };

typedef struct {
    int64_t n;
    int32_t sender, receiver;
} hop;
RASK_TYPE(hop, n, sender, receiver);
typedef struct {
    int64_t unused;
} none;
RASK_INSTANCE(none);
RASK_RICH_MAP(send, none, self, int64_t, n, hop) {
    (void)self;
    return (hop){n, rask_runtime()->subtask_index, -1};
}
RASK_RICH_MAP(receive, none, self, hop, h, hop) {
    (void)self;
    h.receiver = rask_runtime()->subtask_index;
    return h;
}

enum { MOST = 8 };
typedef struct {
    int counts[MOST][MOST]; /* sender, receiver */
    int senders[MOST], receivers[MOST], total;
    int seen[COUNT]; /* how often each number arrived */
} traffic;

static traffic collect_traffic(rask_stream(hop) s) {
    traffic t = {0};
    rask_iterator(hop) it = rask_execute_and_collect(s, "test");
    for (hop h; rask_next(&it, &h);) {
        assert_in_range(h.sender, 0, MOST - 1);
        assert_in_range(h.receiver, 0, MOST - 1);
        assert_in_range(h.n, 0, COUNT - 1);
        t.counts[h.sender][h.receiver]++;
        t.senders[h.sender]++;
        t.receivers[h.receiver]++;
        t.seen[h.n]++;
        t.total++;
    }
    assert_int_equal(rask_close(&it), 0);
    return t;
}
static void assert_each_arrived(const traffic *t, int times) {
    assert_int_equal(t->total, times * COUNT);
    for (int i = 0; i < COUNT; i++) assert_int_equal(t->seen[i], times);
}

/* Every subtask gives its share, whatever the others do. */
typedef struct {
    int64_t given;
} share;
RASK_INSTANCE(share);
RASK_SOURCE(shares, share, self, int64_t, out) {
    const rask_runtime_context *runtime = rask_runtime();
    int64_t n = runtime->subtask_index + self->given++ * runtime->parallelism;
    if (n >= COUNT) return RASK_END;
    rask_emit(out, n);
    return RASK_MORE;
}
static rask_stream(hop) senders(rask_env *env, int parallelism) {
    return rask_map(rask_source(env, shares, .parallelism = parallelism, .bounded = true), send,
                    .parallelism = parallelism);
}
#define TRAFFIC(partition, from, to) \
    __extension__({ \
        rask_env *env_ = rask_env_create(NULL, NULL); \
        rask_set_buffer_timeout(env_, timeouts[i]); \
        collect_traffic(rask_map(partition(senders(env_, from)), receive, .parallelism = (to))); \
    })
#define FOR_PARALLELISMS(from, to) \
    for (int i = 0; i < 3; i++) \
        for (int from = 1; from <= 4; from++) \
            for (int to = 1; to <= 4; to++)
static const int64_t timeouts[] = {0, 100, -1};

static void rebalance_deals_in_turn(void **state) {
    (void)state;
    FOR_PARALLELISMS(from, to) {
        traffic t = TRAFFIC(rask_rebalance, from, to);
        assert_each_arrived(&t, 1);
        for (int a = 0; a < from; a++)
            for (int b = 0; b < to; b++) {
                assert_true(t.counts[a][b] >= t.senders[a] / to);
                assert_true(t.counts[a][b] <= t.senders[a] / to + 1);
            }
    }
}

static void rescale_stays_in_its_group(void **state) {
    (void)state;
    FOR_PARALLELISMS(from, to) {
        traffic t = TRAFFIC(rask_rescale, from, to);
        assert_each_arrived(&t, 1);
        for (int a = 0; a < from; a++) {
            int reached = 0;
            for (int b = 0; b < to; b++) reached += t.counts[a][b] > 0;
            /* evenly many, those of one sender next to each other */
            assert_true(reached >= (to >= from ? to / from : 1));
            assert_true(reached <= (to >= from ? (to + from - 1) / from : 1));
            for (int b = 0; b < to; b++)
                if (t.counts[a][b] > 0)
                    assert_in_range(t.counts[a][b], t.senders[a] / reached,
                                    t.senders[a] / reached + 1);
        }
        for (int b = 0; b < to; b++) assert_true(t.receivers[b] > 0);
    }
}

static void shuffle_spreads_at_random(void **state) {
    (void)state;
    FOR_PARALLELISMS(from, to) {
        traffic t = TRAFFIC(rask_shuffle, from, to);
        assert_each_arrived(&t, 1);
        for (int b = 0; b < to; b++) { /* 6 standard deviations are less than 250 */
            assert_true(t.receivers[b] > COUNT / to - 250);
            assert_true(t.receivers[b] < COUNT / to + 250);
        }
    }
}

static void global_gives_all_to_the_first(void **state) {
    (void)state;
    FOR_PARALLELISMS(from, to) {
        traffic t = TRAFFIC(rask_global, from, to);
        assert_each_arrived(&t, 1);
        assert_int_equal(t.receivers[0], COUNT);
    }
}

static void broadcast_gives_all_to_everybody(void **state) {
    (void)state;
    FOR_PARALLELISMS(from, to) {
        traffic t = TRAFFIC(rask_broadcast, from, to);
        assert_each_arrived(&t, to);
        for (int b = 0; b < to; b++) assert_int_equal(t.receivers[b], COUNT);
    }
}

static void forward_keeps_the_subtask(void **state) {
    (void)state;
    for (int chained = 0; chained < 2; chained++)
        for (int p = 1; p <= 4; p++) {
            rask_env *env = env_with_parallelism(p);
            if (!chained) rask_disable_chaining(env);
            traffic t = collect_traffic(rask_map(rask_forward(senders(env, p)), receive));
            assert_each_arrived(&t, 1);
            for (int a = 0; a < p; a++) assert_int_equal(t.counts[a][a], t.senders[a]);
        }
}

RASK_PARTITIONER(by_last_digit, int64_t, n, partitions) {
    return (int)(n % 10) % partitions;
}
RASK_PARTITIONER(out_of_range, int64_t, n, partitions) {
    return n == 4711 ? partitions : (int)(n % partitions);
}
static void custom_partitioners_decide(void **state) {
    (void)state;
    FOR_PARALLELISMS(from, to) {
        rask_env *env = rask_env_create(NULL, NULL);
        rask_set_buffer_timeout(env, timeouts[i]);
        rask_stream(hop) sent = rask_partition_custom(senders(env, from), by_last_digit, n);
        traffic t = collect_traffic(rask_map(sent, receive, .parallelism = to));
        assert_each_arrived(&t, 1);
        int want[MOST] = {0};
        for (int d = 0; d < 10; d++) want[d % to] += COUNT / 10;
        for (int b = 0; b < to; b++) assert_int_equal(t.receivers[b], want[b]);
    }
}
NOTE_SINK(note_hop, hop)
static void a_partitioner_out_of_range_fails_the_job(void **state) {
    (void)state;
    for (int p = 1; p <= 3; p++) {
        rask_env *env = env_with_parallelism(p);
        notes seen = {0};
        rask_sink(rask_map(rask_partition_custom(senders(env, 2), out_of_range, n), receive),
                  note_hop, .self = RASK_SELF(noting, &seen));
        char part[64];
        (void)snprintf(part, sizeof part, "returned %d, which is not in 0..%d", p, p - 1);
        assert_fails(env, part);
        lines_free(&seen.lines);
    }
}

/* ---------------------------------------------------------------- every kind of field */
typedef struct {
    rask_timestamp at;
    rask_string who;
} visit;
RASK_TYPE(visit, (at, rask_timestamp), who);
typedef struct {
    int8_t b;
    int16_t h;
    int32_t i;
    int64_t l;
    float f;
    double d;
    bool flag;
    rask_string text;
    rask_bytes bytes;
    rask_timestamp time;
    visit last;
    int32_t fixed[5];
    rask_string words[3];
    visit visits[2];
    rask_list(int64_t) numbers;
    rask_list(rask_string) names;
    rask_list(visit) history;
    rask_optional(double) maybe;
    rask_optional(rask_string) title;
    rask_optional(visit) next;
} everything;
RASK_TYPE(everything, b, h, i, l, f, d, flag, text, bytes, (time, rask_timestamp), (last, visit),
          fixed, words, (visits, visit), numbers, names, (history, rask_list(visit)), maybe, title,
          (next, rask_optional(visit)));

static everything everything_of(int64_t n) {
    everything e = {.b = (int8_t)n,
                    .h = (int16_t)(n * 3),
                    .i = (int32_t)n * 5,
                    .l = n * 7,
                    .f = (float)n / 3,
                    .d = (double)n / 7,
                    .flag = n % 2 == 0};
    e.text = n % 3 ? long_text(n) : rask_string_from("abc");
    e.bytes = rask_bytes_of("\0\1\2 and more bytes than twelve", (size_t)(n % 31));
    e.time = n * 1000;
    e.last = (visit){n, n % 2 ? rask_string_from("x") : long_text(-n)};
    for (int k = 0; k < 5; k++) e.fixed[k] = (int32_t)n + k;
    for (int k = 0; k < 3; k++) e.words[k] = (n + k) % 2 ? long_text(k) : rask_string_from("w");
    for (int k = 0; k < 2; k++) e.visits[k] = (visit){n + k, k ? e.text : rask_string_from("v")};
    e.numbers.count = e.names.count = e.history.count = (uint32_t)(n % 4);
    int64_t *numbers = rask_alloc(4 * sizeof *numbers);
    rask_string *names = rask_alloc(4 * sizeof *names);
    visit *history = rask_alloc(4 * sizeof *history);
    for (int k = 0; k < 4; k++) {
        numbers[k] = n * 100 + k;
        names[k] = k % 2 ? long_text(n + k) : rask_string_format("n%d", k);
        history[k] = (visit){n * k, k % 2 ? rask_string_from("h") : long_text(k)};
    }
    e.numbers.items = numbers;
    e.names.items = names;
    e.history.items = history;
    if (n % 2) e.maybe = rask_some(double, (double)n);
    if (n % 3 == 1) e.title = rask_some(rask_string, long_text(n));
    if (n % 5 == 2) e.next = rask_some(visit, {n, long_text(n)});
    return e;
}
RASK_MAP(make_everything, int64_t, n, everything) {
    return everything_of(n);
}
RASK_FILTER(keep_all, everything, in) {
    return in.h != 1;
}
RASK_KEY(time_of_last, everything, in, int64_t) {
    return in.last.at;
}
typedef struct {
    rask_value(everything) before;
} delayer;
RASK_STATE(delayer, (before, everything));
RASK_KEYED_PROCESS(through_state, delayer, self, everything, in, everything, out) {
    const everything *before = rask_get(self->before);
    if (before != NULL) (void)rask_fail("twice");
    rask_set(self->before, in);
    rask_emit(out, *rask_get(self->before));
}

static void every_kind_of_field_through_exchanges_and_state(void **state) {
    (void)state;
    lines model = {0};
    for (int64_t n = 0; n < 300; n++)
        for (int k = 0; k < 2; k++) ADD(everything, &model, everything_of(n));
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = lines_copy(&model);
        rask_stream(everything) all = rask_map(rask_sequence(env, 0, 299), make_everything);
        all = rask_filter(rask_rebalance(all), keep_all);
        all = rask_filter(rask_shuffle(all), keep_all);
        all = rask_process(rask_key_by_fn(all, time_of_last), through_state);
        COLLECT(everything, rask_filter(rask_broadcast(all), keep_all, .parallelism = 2), &have);
        assert_same_records(s, &have, &want);
    }
    lines_free(&model);
}

/* ---------------------------------------------------------------- records larger than a buffer */
typedef struct {
    int64_t id;
    int64_t filling[6000]; /* 48 KB: more than a buffer has */
} huge;
RASK_TYPE(huge, id, filling);
RASK_MAP(make_huge, int64_t, n, huge) {
    huge h;
    h.id = n;
    for (int i = 0; i < 6000; i++) h.filling[i] = n + i;
    return h;
}
RASK_MAP(check_huge, huge, h, int64_t) {
    for (int i = 0; i < 6000; i++)
        if (h.filling[i] != h.id + i)
            (void)rask_fail("element %d of record %lld is wrong", i, (long long)h.id);
    return h.id;
}
typedef struct {
    int64_t id;
    rask_string text; /* grows to a few hundred KB */
} talker;
RASK_TYPE(talker, id, text);
RASK_MAP(make_talker, int64_t, n, talker) {
    size_t length = (size_t)(n % 10 == 0 ? 40000 * (n % 7 + 1) : n);
    char *bytes = rask_alloc(length + 1);
    for (size_t i = 0; i < length; i++) bytes[i] = (char)('a' + (n + (int64_t)i) % 26);
    return (talker){n, rask_string_of(bytes, length)};
}
RASK_MAP(check_talker, talker, t, int64_t) {
    talker want = make_talker(t.id);
    if (!rask_string_equal(want.text, t.text))
        (void)rask_fail("text %lld is wrong", (long long)t.id);
    return t.id;
}
static void records_larger_than_a_buffer(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(huge) h = rask_map(rask_sequence(env, 0, 39), make_huge);
        rask_stream(talker) t = rask_map(rask_sequence(env, 0, 199), make_talker);
        COLLECT(int64_t,
                rask_union(rask_map(rask_rebalance(h), check_huge),
                           rask_map(rask_broadcast(h), check_huge, .parallelism = 2),
                           rask_map(rask_as_stream(rask_key_by(t, id)), check_talker),
                           rask_map(rask_as_stream(rask_key_by(t, text)), check_talker)),
                &have);
        for (int64_t n = 0; n < 40; n++)
            for (int k = 0; k < 3; k++) ADD(int64_t, &want, n);
        for (int64_t n = 0; n < 200; n++)
            for (int k = 0; k < 2; k++) ADD(int64_t, &want, n);
        assert_same_records(s, &have, &want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rebalance_deals_in_turn),
        cmocka_unit_test(rescale_stays_in_its_group),
        cmocka_unit_test(shuffle_spreads_at_random),
        cmocka_unit_test(global_gives_all_to_the_first),
        cmocka_unit_test(broadcast_gives_all_to_everybody),
        cmocka_unit_test(forward_keeps_the_subtask),
        cmocka_unit_test(custom_partitioners_decide),
        cmocka_unit_test(a_partitioner_out_of_range_fails_the_job),
        cmocka_unit_test(every_kind_of_field_through_exchanges_and_state),
        cmocka_unit_test(records_larger_than_a_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
