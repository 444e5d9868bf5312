/* Java hashes, UTF-8 as Java decodes it, key groups. The facts of the real Flink are replayed by
 * tests/golden; here are properties and corners. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "types/java_hash.h"
#include "types/key_group.h"
#include "types/utf16.h"

static uint64_t seed = 88172645463325252U;
static uint32_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

static int32_t hash_text(const char *text) {
    rask_string s = rask_string_from(text);
    return raski_hash_string(&s);
}

/* Values printed by Java 17. */
static void strings_hash_as_in_java(void **state) {
    (void)state;
    assert_int_equal(hash_text(""), 0);
    assert_int_equal(hash_text("a"), 97);
    assert_int_equal(hash_text("hello"), 99162322);
    assert_int_equal(hash_text("hello, world"), -640608884);
    assert_int_equal(hash_text("polygenelubricants"), INT32_MIN);
}

static void ascii_of_each_length_equals_the_definition(void **state) {
    (void)state;
    for (int round = 0; round < 5000; round++) {
        size_t length = next_random() % 70;
        char *text = raski_calloc(length, 1);
        uint32_t expected = 0;
        for (size_t i = 0; i < length; i++) {
            text[i] = (char)(next_random() % 128);
            expected = expected * 31 + (unsigned char)text[i];
        }
        rask_string s = rask_string_of(text, length);
        assert_int_equal(raski_hash_string(&s), (int32_t)expected);
        assert_int_equal(raski_hash_utf8(text, length), (int32_t)expected);
        raski_free(text);
    }
}

static int32_t hash_units(const uint16_t *units, size_t count) {
    uint32_t hash = 0;
    for (size_t i = 0; i < count; i++) hash = hash * 31 + units[i];
    return (int32_t)hash;
}

static void check_units(const char *text, size_t length, const uint16_t *units, size_t count) {
    const unsigned char *p = (const unsigned char *)text;
    size_t at = 0;
    size_t n = 0;
    while (at < length) {
        raski_utf16_step step = raski_utf16_decode(p + at, length - at);
        assert_true(step.length >= 1 && step.length <= length - at);
        for (uint32_t i = 0; i < step.count; i++, n++) {
            assert_true(n < count);
            assert_int_equal(step.units[i], n < count ? units[n] : 0);
        }
        at += step.length;
    }
    assert_int_equal(n, count);
    rask_string s = rask_string_of(text, length);
    assert_int_equal(raski_hash_string(&s), hash_units(units, count));
}
#define CHECK_UNITS(text, ...) \
    do { \
        const uint16_t units[] = {__VA_ARGS__}; \
        check_units(text, sizeof(text) - 1, units, sizeof units / sizeof *units); \
    } while (0)

/* Each line is what new String(bytes, UTF_8) of Java 17 gives. */
static void utf8_decodes_as_in_java(void **state) {
    (void)state;
    CHECK_UNITS("\xc3\xa9", 0xe9);
    CHECK_UNITS("\xe2\x82\xac", 0x20ac);
    CHECK_UNITS("\xf0\x9f\x98\x80", 0xd83d, 0xde00);
    CHECK_UNITS("\x80", 0xfffd);
    CHECK_UNITS("\xc0\x80", 0xfffd, 0xfffd);
    CHECK_UNITS("\xc1\xbf", 0xfffd, 0xfffd);
    CHECK_UNITS("\xc3", 0xfffd);
    CHECK_UNITS("\xc3z", 0xfffd, 'z');
    CHECK_UNITS("\xe0\x80\x80", 0xfffd, 0xfffd, 0xfffd);
    CHECK_UNITS("\xe2\x82", 0xfffd);
    CHECK_UNITS("\xe2\x82z", 0xfffd, 'z');
    CHECK_UNITS("\xe2zz", 0xfffd, 'z', 'z');
    CHECK_UNITS("\xed\xa0\x80", 0xfffd);
    CHECK_UNITS("\xed\xa0\xbd\xed\xb8\x80", 0xfffd, 0xfffd);
    CHECK_UNITS("\xf0\x8f\xbf\xbf", 0xfffd, 0xfffd, 0xfffd, 0xfffd);
    CHECK_UNITS("\xf4\x90\x80\x80", 0xfffd, 0xfffd, 0xfffd, 0xfffd);
    CHECK_UNITS("\xf5\x80\x80\x80", 0xfffd, 0xfffd, 0xfffd, 0xfffd);
    CHECK_UNITS("\xf0\x9f", 0xfffd);
    CHECK_UNITS("\xf0\x9f\x98", 0xfffd);
    CHECK_UNITS("\xf0\x9f\x98z", 0xfffd, 'z');
    CHECK_UNITS("\xf0\x9fzz", 0xfffd, 'z', 'z');
    CHECK_UNITS("\xff\xfe", 0xfffd, 0xfffd);
    CHECK_UNITS("a long ascii start and then \xe2\x82\xac", 'a', ' ', 'l', 'o', 'n', 'g', ' ', 'a',
                's', 'c', 'i', 'i', ' ', 's', 't', 'a', 'r', 't', ' ', 'a', 'n', 'd', ' ', 't', 'h',
                'e', 'n', ' ', 0x20ac);
}

static void numbers_hash_as_boxed(void **state) {
    (void)state;
    assert_int_equal(raski_hash_long(-1), 0);
    assert_int_equal(raski_hash_long(INT64_C(1) << 32), 1);
    assert_int_equal(raski_hash_float(1.5F), 0x3fc00000);
    assert_int_equal(raski_hash_float(-0.0F), INT32_MIN);
    assert_int_equal(raski_hash_float(-nanf("7")), 0x7fc00000);
    assert_int_equal(raski_hash_double(0.0), 0);
    assert_int_equal(raski_hash_double(-0.0), INT32_MIN);
    assert_int_equal(raski_hash_double(-nan("7")), 0x7ff80000);
    assert_int_equal(raski_hash_boolean(true), 1231);
}

typedef struct optional_int {
    bool present;
    int32_t value;
} optional_int;
typedef struct rec {
    rask_string name;
    int64_t number;
    double weight;
    optional_int maybe;
    int8_t small;
    bool flag;
} rec;
static const rask_type optional_int_type = {.name = "optional",
                                            .kind = RASK_KIND_OPTIONAL,
                                            .size = sizeof(optional_int),
                                            .align = _Alignof(optional_int),
                                            .element = &rask_type_int32_t,
                                            .value_offset = offsetof(optional_int, value)};
#define FIELD(m, t) \
    { #m, offsetof(rec, m), sizeof(((rec *)0)->m), &(t), 0 }
static const rask_field rec_fields[] = {
    FIELD(name, rask_type_rask_string), FIELD(number, rask_type_int64_t),
    FIELD(weight, rask_type_double),    FIELD(maybe, optional_int_type),
    FIELD(small, rask_type_int8_t),     FIELD(flag, rask_type_rask_bool)};
static const rask_type rec_type = {.name = "rec",
                                   .kind = RASK_KIND_RECORD,
                                   .size = sizeof(rec),
                                   .align = _Alignof(rec),
                                   .field_count = 6,
                                   .fields = rec_fields};

static void batches_hash_like_single_values(void **state) {
    (void)state;
    enum { N = 100 };
    static rec records[N];
    static const char *const names[16] = {"",
                                          "a",
                                          "ab",
                                          "abc",
                                          "abcd",
                                          "abcde",
                                          "abcdef",
                                          "abcdefg",
                                          "abcdefgh",
                                          "abcdefghi",
                                          "abcdefghij",
                                          "abcdefghijk",
                                          "twelve bytes",
                                          "thirteen byte",
                                          "\xc3\xa9",
                                          "a longer \xe2\x82\xac text"};
    for (int i = 0; i < N; i++)
        records[i] = (rec){.name = rask_string_from(names[i % 16]),
                           .number = (int64_t)next_random() << 20,
                           .weight = next_random() / 7.0,
                           .maybe = {i % 2 != 0, i},
                           .small = (int8_t)next_random(),
                           .flag = i % 5 == 0};
    raski_key_field fields[6];
    for (uint32_t i = 0; i < 6; i++)
        fields[i] = (raski_key_field){rec_fields[i].offset, rec_fields[i].type};
    int32_t hashes[N];
    raski_hash_records(fields, 6, records, N, sizeof(rec), hashes);
    for (int i = 0; i < N; i++)
        assert_int_equal(hashes[i], raski_hash_value(&rec_type, &records[i]));
    for (uint32_t f = 0; f < 6; f++) {
        raski_hash_records(&fields[f], 1, records, N, sizeof(rec), hashes);
        for (int i = 0; i < N; i++)
            assert_int_equal(hashes[i], raski_hash_value(fields[f].type, (const char *)&records[i] +
                                                                             fields[f].offset));
    }
    raski_key_field whole = {0, &rec_type};
    raski_hash_records(&whole, 1, records, N, sizeof(rec), hashes);
    assert_int_equal(hashes[7], raski_hash_value(&rec_type, &records[7]));
    records[1].maybe.present = false;
    assert_int_equal(raski_hash_value(&optional_int_type, &records[1].maybe), 0);
}

static void lists_hash_as_java_lists(void **state) {
    (void)state;
    const rask_type list_type = {.kind = RASK_KIND_LIST,
                                 .size = sizeof(raski_any_list),
                                 .align = _Alignof(raski_any_list),
                                 .element = &rask_type_int32_t};
    int32_t items[] = {1, 2, 3};
    raski_any_list list = {.count = 3, .items = items};
    assert_int_equal(raski_hash_value(&list_type, &list), 30817); /* List.of(1, 2, 3) */
}

static void murmur_has_no_negative_result(void **state) {
    (void)state;
    for (int i = 0; i < 100000; i++) assert_true(raski_murmur_hash((int32_t)next_random()) >= 0);
    assert_int_equal(raski_key_group_of_hash(97, 128), 81); /* "a", from Flink */
}

static void batch_routing_equals_the_divisions(void **state) {
    (void)state;
    static int32_t hashes[333];
    static uint16_t groups[333];
    static uint16_t subtasks[333];
    for (int round = 0; round < 400; round++) {
        int32_t max = 1 + (int32_t)(next_random() % (round % 2 ? 32768 : 300));
        int32_t parallelism = 1 + (int32_t)(next_random() % (uint32_t)max);
        if (round % 4 == 2) { /* a power of two has a path of its own */
            max = 1 << next_random() % 16;
            parallelism = 1 + (int32_t)(next_random() % (uint32_t)max);
        }
        if (round == 0) max = parallelism = 32768;
        if (round == 1) max = 1, parallelism = 1;
        raski_key_group_router router;
        raski_key_group_router_init(&router, max, parallelism);
        for (int i = 0; i < 333; i++) hashes[i] = (int32_t)next_random();
        raski_key_groups_of_hashes(&router, hashes, 333, groups);
        raski_subtasks_of_hashes(&router, hashes, 333, subtasks);
        for (int i = 0; i < 333; i++) {
            int32_t group = raski_key_group_of_hash(hashes[i], max);
            assert_int_equal(groups[i], group);
            assert_int_equal(subtasks[i], raski_subtask_of_key_group(max, parallelism, group));
            raski_key_group_range range;
            assert_int_equal(
                raski_key_group_range_of_subtask(max, parallelism, subtasks[i], &range, NULL), 0);
            assert_true(raski_key_group_range_contains(range, group));
            assert_int_equal(raski_router_subtask(&router, hashes[i]), subtasks[i]);
        }
    }
}

static void division_by_reciprocal_is_exact_at_the_edges(void **state) {
    (void)state;
    for (int32_t max = 1; max <= 32768; max += 1 + max / 50) {
        raski_key_group_router router;
        raski_key_group_router_init(&router, max, 1);
        uint32_t divisor = (uint32_t)max;
        for (uint32_t k = 0; k < 50; k++) {
            uint32_t multiple =
                (0x7fffffffU / divisor - k * (0x7fffffffU / divisor / 50)) * divisor;
            assert_int_equal(raski_router_divide(&router, multiple), multiple / divisor);
            if (multiple)
                assert_int_equal(raski_router_divide(&router, multiple - 1),
                                 (multiple - 1) / divisor);
        }
        assert_int_equal(raski_router_divide(&router, 0x7fffffffU), 0x7fffffffU / divisor);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_hash_as_in_java),
        cmocka_unit_test(ascii_of_each_length_equals_the_definition),
        cmocka_unit_test(utf8_decodes_as_in_java),
        cmocka_unit_test(numbers_hash_as_boxed),
        cmocka_unit_test(batches_hash_like_single_values),
        cmocka_unit_test(lists_hash_as_java_lists),
        cmocka_unit_test(murmur_has_no_negative_result),
        cmocka_unit_test(batch_routing_equals_the_divisions),
        cmocka_unit_test(division_by_reciprocal_is_exact_at_the_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
