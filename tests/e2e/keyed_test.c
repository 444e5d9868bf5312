/* Keyed operators in whole jobs: keys of every kind, aggregations, reduce, keyed process functions
 * with value states, in streaming and batch mode, compared with a plain C model. */
#include <math.h>

#include "e2e_test_util.h"

typedef struct {
    int64_t major;
    int32_t minor;
} place;
RASK_TYPE(place, major, minor);
typedef struct {
    int64_t id;
    rask_string name;
    place at;
    int32_t number;
    double ratio;
    bool flag;
} item;
RASK_TYPE(item, id, name, (at, place), number, ratio, flag);

enum { ITEMS = 1500, NAMES = 37 };

static char names[NAMES][48];
static void make_names(void) {
    for (int n = 0; n < NAMES; n++)
        (void)snprintf(names[n], sizeof names[n],
                       n % 2 ? "a name of more than twelve bytes, number %d" : "n%d", n);
}
static item item_of(int64_t i) {
    return (item){.id = i,
                  .name = rask_string_from(names[i * i % NAMES]),
                  .at = {i % 5, (int32_t)(i % 3)},
                  .number = (int32_t)(i * 7919 % 1000 - 500),
                  .ratio = (double)(i % 11) / 4,
                  .flag = i % 2 == 0};
}
RASK_MAP(make_item, int64_t, i, item) {
    return item_of(i);
}

/* From one subtask, so that all records of a key keep their order. */
static rask_stream(item) items(rask_env *env) {
    return rask_map(rask_sequence(env, 0, ITEMS - 1, .parallelism = 1), make_item,
                    .parallelism = 1);
}

/* ---------------------------------------------------------------- a model of keyed aggregation */
typedef item model_step(item before, item in);
typedef bool model_equal_keys(const item *a, const item *b);

static void model(const setting *s, lines *want, model_equal_keys *equal, model_step *step) {
    static item states[ITEMS];
    size_t count = 0;
    for (int64_t i = 0; i < ITEMS; i++) {
        item in = item_of(i);
        size_t k = 0;
        while (k < count && !equal(&states[k], &in)) k++;
        if (k == count)
            states[count++] = in;
        else
            states[k] = step(states[k], in);
        states[k].name = keep(states[k].name);
        if (!s->batch) ADD(item, want, states[k]);
    }
    for (size_t k = 0; k < count && s->batch; k++) ADD(item, want, states[k]);
}

static bool same_name(const item *a, const item *b) {
    return rask_string_equal(a->name, b->name);
}
static bool same_number(const item *a, const item *b) {
    return a->number == b->number;
}
static bool same_flag(const item *a, const item *b) {
    return a->flag == b->flag;
}
static bool same_ratio(const item *a, const item *b) {
    return a->ratio == b->ratio;
}
static bool same_place(const item *a, const item *b) {
    return a->at.major == b->at.major && a->at.minor == b->at.minor;
}
static bool same_minor_and_name(const item *a, const item *b) {
    return a->at.minor == b->at.minor && same_name(a, b);
}

static item sum_number(item a, item b) {
    a.number += b.number;
    return a;
}
static item sum_ratio(item a, item b) {
    a.ratio += b.ratio;
    return a;
}
static item min_number(item a, item b) {
    if (b.number < a.number) a.number = b.number;
    return a;
}
static item max_ratio(item a, item b) {
    if (b.ratio > a.ratio) a.ratio = b.ratio;
    return a;
}
static item max_name(item a, item b) {
    if (rask_string_compare(b.name, a.name) > 0) a.name = b.name;
    return a;
}
static item min_by_ratio_first(item a, item b) {
    return b.ratio < a.ratio ? b : a;
}
static item min_by_ratio_last(item a, item b) {
    return b.ratio <= a.ratio ? b : a;
}
static item max_by_number_first(item a, item b) {
    return b.number > a.number ? b : a;
}
static item max_by_flag_last(item a, item b) {
    return b.flag >= a.flag ? b : a;
}
static item max_by_name_first(item a, item b) {
    return rask_string_compare(b.name, a.name) > 0 ? b : a;
}

#define TEST_AGGREGATION(test, expression, equal, step) \
    static void test(void **state) { \
        (void)state; \
        FOR_EACH_MODE(s) { \
            rask_env *env = env_of(s); \
            rask_stream(item) in = items(env); \
            lines have = {0}, want = {0}; \
            COLLECT(item, expression, &have); \
            model(s, &want, equal, step); \
            assert_same_records(s, &have, &want); \
        } \
    }
TEST_AGGREGATION(sum_by_a_string, rask_sum(rask_key_by(in, name), number), same_name, sum_number)
TEST_AGGREGATION(sum_by_an_integer, rask_sum(rask_key_by(in, number), ratio), same_number,
                 sum_ratio)
TEST_AGGREGATION(sum_by_a_bool, rask_sum(rask_key_by(in, flag), number), same_flag, sum_number)
TEST_AGGREGATION(sum_by_a_double, rask_sum(rask_key_by(in, ratio), number), same_ratio, sum_number)
TEST_AGGREGATION(min_by_nested_fields, rask_min(rask_key_by(in, at.major, at.minor), number),
                 same_place, min_number)
TEST_AGGREGATION(max_by_several_fields, rask_max(rask_key_by(in, at.minor, name), ratio),
                 same_minor_and_name, max_ratio)
TEST_AGGREGATION(max_of_a_string, rask_max(rask_key_by(in, at.major, at.minor), name), same_place,
                 max_name)
TEST_AGGREGATION(min_by_keeps_the_first_of_equals, rask_min_by(rask_key_by(in, name), ratio),
                 same_name, min_by_ratio_first)
TEST_AGGREGATION(min_by_keeps_the_last_if_asked,
                 rask_min_by(rask_key_by(in, name), ratio, .last_on_tie = true), same_name,
                 min_by_ratio_last)
TEST_AGGREGATION(max_by_takes_the_whole_record,
                 rask_max_by(rask_key_by(in, at.minor, at.major), number), same_place,
                 max_by_number_first)
TEST_AGGREGATION(max_by_of_a_bool_keeps_the_last_if_asked,
                 rask_max_by(rask_key_by(in, name), flag, .last_on_tie = true), same_name,
                 max_by_flag_last)
TEST_AGGREGATION(max_by_of_a_string, rask_max_by(rask_key_by(in, flag), name), same_flag,
                 max_by_name_first)

RASK_REDUCE(join_names, item, a, b) {
    a.number += b.number;
    if (b.id % 3 == 0)
        a.name = rask_string_format("%.*s and %lld", RASK_STR(b.name), (long long)b.id);
    a.ratio = b.ratio;
    return a;
}
TEST_AGGREGATION(reduce_of_records_with_strings,
                 rask_reduce(rask_key_by(in, at.major, at.minor), join_names), same_place,
                 join_names)

/* The key is computed; the state is that of the reduced record. */
RASK_KEY(place_of, item, in, place) {
    return in.at;
}
RASK_KEY(length_of_name, item, in, int32_t) {
    return (int32_t)in.name.len;
}
RASK_KEY(name_and_more, item, in, rask_string) {
    return rask_string_format("%.*s, which is a key", RASK_STR(in.name));
}
static bool same_length(const item *a, const item *b) {
    return a->name.len == b->name.len;
}
static item take_last(item a, item b) {
    (void)a;
    return b;
}
RASK_REDUCE(last_one, item, a, b) {
    return take_last(a, b);
}
TEST_AGGREGATION(keyed_by_a_function_that_gives_a_record,
                 rask_sum(rask_key_by_fn(in, place_of), number), same_place, sum_number)
TEST_AGGREGATION(keyed_by_a_function_that_gives_a_number,
                 rask_sum(rask_key_by_fn(in, length_of_name), number), same_length, sum_number)
TEST_AGGREGATION(keyed_by_a_function_that_makes_strings,
                 rask_min(rask_key_by_fn(in, name_and_more), number), same_name, min_number)

/* ---------------------------------------------------------------- keys that are records' values */
RASK_MAP(remainder_7, int64_t, n, int64_t) {
    return n % 7;
}
RASK_REDUCE(add, int64_t, a, b) {
    return a + b;
}
static void keys_by_value(void **state) {
    (void)state;
    FOR_EACH_BATCH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(int64_t) n = rask_map(rask_sequence(env, 1, 700), remainder_7);
        COLLECT(int64_t, rask_reduce(rask_key_by_value(n), add), &have);
        for (int64_t i = 0; i < 7; i++) ADD(int64_t, &want, 100 * i);
        assert_same_records(s, &have, &want);
    }
}

typedef struct {
    double d;
    float f;
    int64_t count;
} floating;
RASK_TYPE(floating, d, f, count);
static double special_double(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}
/* Java's Double.equals: every NaN is one key, and the two zeroes are two. */
static void keys_that_are_floating_numbers(void **state) {
    (void)state;
    FOR_EACH_BATCH_SETTING(s) {
        rask_env *env = env_of(s);
        const floating all[] = {
            {NAN, NAN, 1},           {special_double(0x7ff8000000000123), NAN, 1},
            {-NAN, -NAN, 1},         {0.0, 0.0F, 1},
            {-0.0, -0.0F, 1},        {0.0, 0.0F, 1},
            {1.5, 1.5F, 1},          {1.5, 1.5F, 1},
            {INFINITY, INFINITY, 1}, {-INFINITY, -INFINITY, 1},
        };
        rask_stream(floating) in = rask_array(env, floating, all, sizeof all / sizeof *all);
        rask_stream(floating) by_double = rask_sum(rask_key_by(in, d), count);
        rask_stream(floating) by_float = rask_sum(rask_key_by(in, f), count);
        lines have = {0}, want = {0};
        COLLECT(floating, rask_union(by_double, by_float), &have);
        for (int i = 0; i < 2; i++) {
            ADD(floating, &want, {NAN, NAN, 3});
            ADD(floating, &want, {0.0, 0.0F, 2});
            ADD(floating, &want, {-0.0, -0.0F, 1});
            ADD(floating, &want, {1.5, 1.5F, 2});
            ADD(floating, &want, {INFINITY, INFINITY, 1});
            ADD(floating, &want, {-INFINITY, -INFINITY, 1});
        }
        assert_same_records(s, &have, &want);
    }
}

typedef struct {
    rask_string key;
    int8_t b;
    int16_t h;
    int32_t i;
    int64_t l;
    float f;
    double d;
} numbers;
RASK_TYPE(numbers, key, b, h, i, l, f, d);
static void sums_wrap_at_the_width_of_their_field(void **state) {
    (void)state;
    FOR_EACH_BATCH_SETTING(s) {
        const numbers all[] = {
            {rask_string_from("k"), INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX, 16777216.0F, 0.1},
            {rask_string_from("k"), 1, 1, 1, 1, 1.0F, 0.2},
        };
        rask_env *env = env_of(s);
        rask_stream(numbers) in = rask_array(env, numbers, all, 2);
        lines have = {0}, want = {0};
        COLLECT(numbers,
                rask_union(rask_sum(rask_key_by(in, key), b), rask_sum(rask_key_by(in, key), h),
                           rask_sum(rask_key_by(in, key), i), rask_sum(rask_key_by(in, key), l),
                           rask_sum(rask_key_by(in, key), f), rask_sum(rask_key_by(in, key), d)),
                &have);
        for (int k = 0; k < 6; k++) {
            numbers sum = all[0];
            if (k == 0) sum.b = INT8_MIN;
            if (k == 1) sum.h = INT16_MIN;
            if (k == 2) sum.i = INT32_MIN;
            if (k == 3) sum.l = INT64_MIN;
            if (k == 4) sum.f = 16777216.0F;
            if (k == 5) sum.d = 0.1 + 0.2;
            ADD(numbers, &want, sum);
        }
        assert_same_records(s, &have, &want);
    }
}

/* ---------------------------------------------------------------- keyed process */
typedef struct {
    rask_string name;
    int64_t count, last_id;
} profile;
RASK_TYPE(profile, name, count, last_id);
typedef struct {
    rask_value(int64_t) count;
    rask_value(profile) profile;
    rask_value(rask_string) longest;
    rask_value(double) never_set;
    int64_t clear_at;
} profiler;
RASK_STATE(profiler, count, (profile, profile), longest, never_set);
RASK_KEYED_PROCESS(make_profile, profiler, self, item, in, profile, out) {
    const int64_t *before = rask_get(self->count);
    int64_t count = before ? *before + 1 : 1;
    if (rask_get(self->never_set)) (void)rask_fail("a state that nobody set has a value");
    if ((before == NULL) != (rask_get(self->profile) == NULL))
        (void)rask_fail("states of one key are not set together");
    profile *p = rask_ref(self->profile);
    if (count == 1 && (p->name.len || p->count || p->last_id)) (void)rask_fail("not zeroed");
    p->count += in.number;
    p->last_id = in.id;
    if (count % 2)
        p->name = rask_string_format("of %.*s, %lld", RASK_STR(in.name), (long long)in.id);
    const rask_string *longest = rask_get(self->longest);
    if (!longest || longest->len <= p->name.len) rask_set(self->longest, p->name);
    rask_set(self->count, count);
    rask_emit(out, (profile){*rask_get(self->longest), count, in.id});
    rask_emit(out, *p);
    if (count == self->clear_at) {
        rask_clear(self->count);
        rask_clear(self->profile);
        rask_clear(self->longest);
        if (rask_get(self->count) || rask_get(self->longest)) (void)rask_fail("not cleared");
    }
}

/* What make_profile does, with arrays as state. */
static void model_profiles(lines *want, int64_t clear_at, model_equal_keys *equal) {
    typedef struct {
        item key;
        int64_t count;
        profile profile;
        rask_string longest;
    } key_state;
    key_state *states = calloc(ITEMS, sizeof *states);
    assert_non_null(states);
    size_t keys = 0;
    for (int64_t i = 0; i < ITEMS; i++) {
        item in = item_of(i);
        size_t k = 0;
        while (k < keys && !equal(&states[k].key, &in)) k++;
        if (k == keys) states[keys++].key = in;
        key_state *st = &states[k];
        st->count++;
        st->profile.count += in.number;
        st->profile.last_id = in.id;
        if (st->count % 2)
            st->profile.name =
                keep(rask_string_format("of %.*s, %lld", RASK_STR(in.name), (long long)in.id));
        if (st->longest.len <= st->profile.name.len) st->longest = st->profile.name;
        ADD(profile, want, {st->longest, st->count, in.id});
        ADD(profile, want, st->profile);
        if (st->count == clear_at) {
            st->count = 0;
            st->profile = (profile){0};
            st->longest = (rask_string){0};
        }
    }
    free(states);
}

static void keyed_process_with_several_states(void **state) {
    (void)state;
    FOR_EACH_MODE(s) {
        static const int64_t clear_at[] = {1, 3, INT64_MAX};
        for (int c = 0; c < 3; c++) {
            rask_env *env = env_of(s);
            lines have = {0}, want = {0};
            COLLECT(profile,
                    rask_process(rask_key_by(items(env), name), make_profile,
                                 .self = RASK_SELF(profiler, .clear_at = clear_at[c])),
                    &have);
            model_profiles(&want, clear_at[c], same_name);
            assert_same_records(s, &have, &want);
        }
    }
}

static void keyed_process_under_a_key_function(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        COLLECT(profile,
                rask_process(rask_key_by_fn(items(env), place_of), make_profile,
                             .self = RASK_SELF(profiler, .clear_at = 5)),
                &have);
        model_profiles(&want, 5, same_place);
        assert_same_records(s, &have, &want);
    }
}

/* The key outlives its state: what was emitted with its long string is still good. */
typedef struct {
    rask_value(int64_t) seen;
} key_emitter;
RASK_STATE(key_emitter, seen);
RASK_SIDE_OUTPUT(keys_again, rask_string);
RASK_KEYED_PROCESS(emit_key, key_emitter, self, item, in, rask_string, out) {
    (void)in;
    rask_emit(out, *rask_key(out, rask_string));
    rask_set(self->seen, 1);
    rask_emit_side(out, keys_again, *rask_key(out, rask_string));
    rask_clear(self->seen);
}
static void the_current_key_is_good_until_the_batch_is_handed_on(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = {0};
        rask_stream(rask_string) keys = rask_process(rask_key_by(items(env), name), emit_key);
        COLLECT(rask_string, rask_union(keys, rask_side_output(keys, keys_again)), &have);
        for (int64_t i = 0; i < ITEMS; i++)
            for (int k = 0; k < 2; k++) ADD(rask_string, &want, item_of(i).name);
        assert_same_records(s, &have, &want);
    }
}

/* Many keys, each of which comes back after a while. */
enum { KEYS = 60000 };
RASK_MAP(modulo_keys, int64_t, n, int64_t) {
    return n % KEYS;
}
typedef struct {
    rask_value(int32_t) visits;
} visitor;
RASK_STATE(visitor, visits);
RASK_KEYED_PROCESS(count_visits, visitor, self, int64_t, n, int64_t, out) {
    int32_t *visits = rask_ref(self->visits);
    if (++*visits == 3) rask_emit(out, n);
    if (n % 5 == 0 && *visits == 2) rask_clear(self->visits);
}
static void many_keys_with_and_without_state(void **state) {
    (void)state;
    for (int p = 1; p <= 3; p++) {
        rask_env *env = env_with_parallelism(p);
        lines have = {0}, want = {0};
        rask_stream(int64_t) n = rask_map(rask_sequence(env, 0, 4 * KEYS - 1), modulo_keys);
        COLLECT(int64_t, rask_process(rask_key_by_value(n), count_visits), &have);
        for (int64_t i = 0; i < KEYS; i++)
            if (i % 5 != 0) ADD(int64_t, &want, i);
        assert_same_records(NULL, &have, &want);
    }
}

/* State whose values are made of older ones: lists that grow by an item, strings that move from one
 * state to another, a value that is set to itself. */
typedef struct {
    rask_list(rask_string) words;
    rask_string last, first_again;
} memory;
RASK_TYPE(memory, words, last, first_again);
typedef struct {
    rask_value(memory) memory;
    rask_value(rask_string) last, before;
} rememberer;
RASK_STATE(rememberer, (memory, memory), last, before);
RASK_KEYED_PROCESS(remember, rememberer, self, item, in, memory, out) {
    memory *m = rask_ref(self->memory);
    uint32_t keep_from = m->words.count == 6 ? 3 : 0; /* forgets the older half now and then */
    uint32_t count = m->words.count - keep_from;
    rask_string *words = rask_alloc((count + 1) * sizeof *words);
    for (uint32_t i = 0; i < count; i++) words[i] = m->words.items[keep_from + i];
    words[count] = rask_string_format("%.*s: %lld", RASK_STR(in.name), (long long)in.id);
    m->words.items = words;
    m->words.count = count + 1;
    m->last = words[count];
    m->first_again = words[0];
    if (rask_get(self->last)) rask_set(self->before, *rask_get(self->last));
    if (count % 2) rask_clear(self->last);
    rask_set(self->last, m->last);
    rask_set(self->memory, *rask_get(self->memory));
    memory result = *m;
    if (rask_get(self->before)) result.last = *rask_get(self->before);
    rask_emit(out, result);
    if (in.id % 50 == 0) {
        rask_clear(self->memory);
        rask_clear(self->before);
    }
}
static void model_memory(lines *want) {
    static struct {
        rask_string words[8], last;
        uint32_t count;
        bool has_last, has_before;
    } keys[NAMES];
    memset(keys, 0, sizeof keys);
    for (int64_t i = 0; i < ITEMS; i++) {
        item in = item_of(i);
        __typeof__(keys[0]) *k = &keys[i * i % NAMES];
        if (k->count == 6) {
            memmove(k->words, k->words + 3, 3 * sizeof *k->words);
            k->count = 3;
        }
        rask_string word =
            keep(rask_string_format("%.*s: %lld", RASK_STR(in.name), (long long)in.id));
        k->words[k->count++] = word;
        memory m = {{.count = k->count, .items = k->words}, word, k->words[0]};
        if (k->has_last) {
            k->has_before = true;
            m.last = k->last;
        }
        k->has_last = true;
        k->last = word;
        ADD(memory, want, m);
        if (in.id % 50 == 0) k->count = 0;
    }
}
static void state_that_is_made_of_older_state(void **state) {
    (void)state;
    lines model_lines = {0};
    model_memory(&model_lines);
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        lines have = {0}, want = lines_copy(&model_lines);
        COLLECT(memory, rask_process(rask_key_by(items(env), name), remember), &have);
        assert_same_records(s, &have, &want);
    }
    lines_free(&model_lines);
}

/* ---------------------------------------------------------------- key functions that fail */
RASK_KEY(fails_at_100, int64_t, n, int64_t) {
    if (n == 100) (void)rask_fail("no key for %lld", (long long)n);
    return n % 5;
}
static _Atomic bool called_after_failure;
RASK_KEYED_PROCESS(not_100, visitor, self, int64_t, n, int64_t, out) {
    if (n == 100) called_after_failure = true;
    ++*rask_ref(self->visits);
    rask_emit(out, n);
}
static void a_key_function_can_fail_the_job(void **state) {
    (void)state;
    FOR_EACH_SETTING(s) {
        rask_env *env = env_of(s);
        rask_stream(int64_t) n = rask_sequence(env, 1, 200, .parallelism = 1);
        rask_discard(rask_process(rask_key_by_fn(n, fails_at_100), not_100));
        assert_fails(env, "no key for 100");
        env = env_of(s);
        n = rask_sequence(env, 1, 200, .parallelism = 1);
        rask_discard(rask_reduce(rask_key_by_fn(n, fails_at_100), add));
        assert_fails(env, "no key for 100");
    }
    assert_false(called_after_failure);
}

/* ---------------------------------------------------------------- where keys go */
typedef struct {
    int64_t id;
    int32_t subtask;
} placed;
RASK_TYPE(placed, id, subtask);
typedef struct {
    int32_t subtask;
} placer;
RASK_INSTANCE(placer);
RASK_RICH_MAP(place_number, placer, self, int64_t, n, placed) {
    (void)self;
    return (placed){n, rask_runtime()->subtask_index};
}
static void records_of_a_key_meet_in_one_subtask(void **state) {
    (void)state;
    for (int p = 1; p <= 5; p++) {
        int32_t where[50];
        for (int i = 0; i < 50; i++) where[i] = -1;
        rask_env *env = env_with_parallelism(p);
        rask_stream(int64_t) n = rask_map(rask_sequence(env, 0, 4999), remainder_7);
        rask_iterator(placed) it = rask_execute_and_collect(
            rask_map(rask_as_stream(rask_key_by_value(n)), place_number), "test");
        int count = 0;
        for (placed r; rask_next(&it, &r); count++) {
            assert_in_range(r.subtask, 0, p - 1);
            if (where[r.id] == -1) where[r.id] = r.subtask;
            assert_int_equal(where[r.id], r.subtask);
        }
        assert_int_equal(rask_close(&it), 0);
        assert_int_equal(count, 5000);
    }
}

int main(void) {
    make_names();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sum_by_a_string),
        cmocka_unit_test(sum_by_an_integer),
        cmocka_unit_test(sum_by_a_bool),
        cmocka_unit_test(sum_by_a_double),
        cmocka_unit_test(min_by_nested_fields),
        cmocka_unit_test(max_by_several_fields),
        cmocka_unit_test(max_of_a_string),
        cmocka_unit_test(min_by_keeps_the_first_of_equals),
        cmocka_unit_test(min_by_keeps_the_last_if_asked),
        cmocka_unit_test(max_by_takes_the_whole_record),
        cmocka_unit_test(max_by_of_a_bool_keeps_the_last_if_asked),
        cmocka_unit_test(max_by_of_a_string),
        cmocka_unit_test(reduce_of_records_with_strings),
        cmocka_unit_test(keyed_by_a_function_that_gives_a_record),
        cmocka_unit_test(keyed_by_a_function_that_gives_a_number),
        cmocka_unit_test(keyed_by_a_function_that_makes_strings),
        cmocka_unit_test(keys_by_value),
        cmocka_unit_test(keys_that_are_floating_numbers),
        cmocka_unit_test(sums_wrap_at_the_width_of_their_field),
        cmocka_unit_test(keyed_process_with_several_states),
        cmocka_unit_test(keyed_process_under_a_key_function),
        cmocka_unit_test(the_current_key_is_good_until_the_batch_is_handed_on),
        cmocka_unit_test(many_keys_with_and_without_state),
        cmocka_unit_test(state_that_is_made_of_older_state),
        cmocka_unit_test(a_key_function_can_fail_the_job),
        cmocka_unit_test(records_of_a_key_meet_in_one_subtask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
