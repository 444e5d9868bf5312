/* Jobs over decimals, dates and times, enumerations, maps and variants: as keys, in state, through
 * exchanges. */
#include "e2e_test_util.h"

RASK_ENUM(grade, LOW, MIDDLE, HIGH);
typedef struct point {
    int32_t x, y;
    rask_string label;
} point;
RASK_TYPE(point, x, y, label);
typedef struct measure {
    int32_t which;
    union {
        point place;
        rask_decimal amount;
        rask_list(rask_string) words;
    };
} measure;
RASK_VARIANT(measure, (place, point), amount, words);
RASK_MAP_OF(rask_string, measure);
typedef struct order {
    rask_date day;
    rask_instant at;
    rask_decimal price;
    rask_duration took;
    grade quality;
    measure what;
    rask_map_of(rask_string, measure) more;
    int64_t count;
} order;
RASK_TYPE(order, day, at, price, took, (quality, grade), (what, measure),
          (more, rask_map_of(rask_string, measure)), count);

/* What an order points to. */
typedef struct measure_memory {
    char text[64];
    rask_string words[2];
} measure_memory;
typedef struct order_memory {
    measure_memory measures[3];
    char text[64];
    rask_entry(rask_string, measure) entries[2];
} order_memory;

static rask_string text_of(int64_t n, char *memory) {
    (void)snprintf(memory, 64, "a text of more than twelve bytes, number %lld", (long long)n);
    return rask_string_from(memory);
}

static measure measure_of(int64_t n, measure_memory *m) {
    const rask_string text = text_of(n, m->text);
    if (n % 3 == 0) return (measure){.which = measure_place, .place = {1, 2, text}};
    if (n % 3 == 1) return (measure){.which = measure_amount, .amount = rask_decimal_of(n, 2)};
    m->words[0] = text;
    m->words[1] = rask_string_from("b");
    return (measure){.which = measure_words, .words = {.count = 2, .items = m->words}};
}

static order order_of(int64_t n, order_memory *m) {
    m->entries[0] =
        (rask_entry(rask_string, measure)){text_of(n, m->text), measure_of(n, &m->measures[0])};
    m->entries[1] = (rask_entry(rask_string, measure)){rask_string_from("k"),
                                                       measure_of(n + 1, &m->measures[1])};
    return (order){.day = rask_date_of(2020, 2, 25 + (int32_t)(n % 7)),
                   .at = rask_instant_of(n % 5 - 2, n % 3 * 1000),
                   .price = rask_decimal_of(n % 4 - 2, (int32_t)(n % 2)),
                   .took = rask_duration_of_ms(-n),
                   .quality = (grade)(n % 3),
                   .what = measure_of(n, &m->measures[2]),
                   .more = {.count = (uint32_t)(n % 3), .items = m->entries},
                   .count = 1};
}

RASK_MAP(make_order, int64_t, n, order) {
    return order_of(n, rask_alloc(sizeof(order_memory)));
}
RASK_REDUCE(count_orders, order, a, b) {
    a.count += b.count;
    a.what = b.what;
    a.more = b.more;
    return a;
}

enum { ORDERS = 700 };
/* Both backends in turn; so little memory that most rows are on disk most of the time. */
static void choose_backend(rask_env *env, int number) {
    if (number % 2 == 0) return;
    rask_set_option(env, "state.backend.type", "rocksdb");
    rask_set_option(env, "state.backend.rocksdb.memory.fixed-per-slot", "16kb");
}

/* The same by search: the first order of its key, with what the n-th one has newly. In batch mode
 * only where no later one has the key. */
#define MODEL(batch, same_key) \
    for (int64_t n = 0; n < ORDERS; n++) { \
        int64_t first = n, count = 1; \
        bool is_last = true; \
        for (int64_t k = n + 1; k < ORDERS && is_last; k++) is_last = !(same_key); \
        if ((batch) && !is_last) continue; \
        for (int64_t k = n - 1; k >= 0; k--) { \
            if (!(same_key)) continue; \
            first = k; \
            count++; \
        } \
        order_memory memory[2]; \
        order expected = order_of(first, &memory[0]); \
        order last = order_of(n, &memory[1]); \
        expected.count = count; \
        expected.what = last.what; \
        expected.more = last.more; \
        lines_add_record(&want, &rask_type_order, &expected); \
    }

#define KEYED_JOB(same_key, ...) \
    do { \
        FOR_EACH_MODE(s) { \
            lines have = {0}, want = {0}; \
            rask_env *env = env_of(s); \
            choose_backend(env, setting_i_); \
            rask_stream(int64_t) numbers = rask_sequence(env, 0, ORDERS - 1, .parallelism = 1); \
            rask_stream(order) orders = rask_map(numbers, make_order, .parallelism = 1); \
            COLLECT(order, rask_reduce(rask_key_by(orders, __VA_ARGS__), count_orders), &have); \
            MODEL(s->batch, same_key) \
            assert_same_records(s, &have, &want); \
        } \
    } while (0)

static void dates_are_keys(void **state) {
    (void)state;
    KEYED_JOB(n % 7 == k % 7, day);
}
static void instants_are_keys(void **state) {
    (void)state;
    KEYED_JOB(n % 5 == k % 5 && n % 3 == k % 3, at);
}
static void decimals_are_keys(void **state) {
    (void)state;
    KEYED_JOB(n % 4 == k % 4, price); /* -2 and -0.1, 0 and 0.1: the scale counts */
}
static void several_are_keys(void **state) {
    (void)state;
    KEYED_JOB(n % 7 == k % 7 && n % 4 == k % 4, day, price);
}

RASK_KEY(day_of, order, o, rask_datetime) {
    return rask_datetime_of(o.day, rask_time_of(0, 0, (int)o.quality, 0));
}
typedef struct latest {
    rask_value(order) last;
} latest;
RASK_STATE(latest, (last, order));
RASK_KEYED_PROCESS(previous_order, latest, self, order, in, order, out) {
    const order *last = rask_get(self->last);
    if (last != NULL) rask_emit(out, *last);
    rask_set(self->last, in);
}
/* State keeps maps and variants with all that they point to. */
static void state_keeps_them(void **state) {
    (void)state;
    FOR_EACH_MODE(s) {
        if (s->batch) continue;
        lines have = {0}, want = {0};
        rask_env *env = env_of(s);
        choose_backend(env, setting_i_);
        rask_stream(int64_t) numbers = rask_sequence(env, 0, ORDERS - 1, .parallelism = 1);
        rask_stream(order) orders = rask_map(numbers, make_order, .parallelism = 1);
        COLLECT(order, rask_process(rask_key_by_fn(orders, day_of), previous_order), &have);
        for (int64_t n = 0; n + 21 < ORDERS; n++) {
            order_memory memory;
            order o = order_of(n, &memory);
            lines_add_record(&want, &rask_type_order, &o);
        }
        assert_same_records(s, &have, &want);
    }
}

static void values_are_copied(void **state) {
    (void)state;
    lines have = {0}, want = {0};
    rask_env *env = env_with_parallelism(2);
    order_memory memory[3];
    order orders[3] = {order_of(2, &memory[0]), order_of(3, &memory[1]), order_of(4, &memory[2])};
    for (int i = 0; i < 3; i++) lines_add_record(&want, &rask_type_order, &orders[i]);
    rask_stream(order) all = rask_array(env, order, orders, 3);
    memset(orders, 0x5a, sizeof orders);
    memset(memory, 0x5a, sizeof memory);
    COLLECT(order, rask_rebalance(all), &have);
    assert_same_records(NULL, &have, &want);
}

RASK_KEY(grade_of, order, o, grade) {
    return o.quality;
}
static void enumerations_are_no_keys(void **state) {
    (void)state;
    rask_env *env = env_with_parallelism(1);
    rask_stream(order) orders = rask_map(rask_sequence(env, 0, 9), make_order);
    rask_discard(rask_reduce(rask_key_by_fn(orders, grade_of), count_orders));
    assert_fails(env,
                 "Type ENUM<grade> cannot be used as key. Contained UNSUPPORTED key types: "
                 "ENUM<grade>.");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_keys),           cmocka_unit_test(instants_are_keys),
        cmocka_unit_test(decimals_are_keys),        cmocka_unit_test(several_are_keys),
        cmocka_unit_test(state_keeps_them),         cmocka_unit_test(values_are_copied),
        cmocka_unit_test(enumerations_are_no_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
