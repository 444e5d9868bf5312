/* The sorter against a plain sort by an obvious comparison of serialised keys, with memory for all,
 * for little and for nearly nothing. RASK_SEED=n repeats one run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "operators/sort/sorter.h"
#include "platform/file.h"
#include "rask/rask.h"

typedef struct entry {
    int8_t tiny;
    int32_t number;
    int64_t big;
    double exact;
    rask_string text;
    raski_any_list items; /* of int64_t */
    int64_t serial;
} entry;

static const rask_type longs = {.name = "list",
                                .kind = RASK_KIND_LIST,
                                .size = sizeof(raski_any_list),
                                .align = _Alignof(raski_any_list),
                                .element = &rask_type_int64_t};
#define FIELD(m, type) \
    { #m, offsetof(entry, m), sizeof(((entry *)0)->m), &(type), 0 }
static const rask_field entry_fields[] = {
    FIELD(tiny, rask_type_int8_t),      FIELD(number, rask_type_int32_t),
    FIELD(big, rask_type_int64_t),      FIELD(exact, rask_type_double),
    FIELD(text, rask_type_rask_string), FIELD(items, longs),
    FIELD(serial, rask_type_int64_t)};
static const rask_type entry_type = {.name = "entry",
                                     .kind = RASK_KIND_RECORD,
                                     .size = sizeof(entry),
                                     .align = _Alignof(entry),
                                     .field_count = 7,
                                     .fields = entry_fields};

/* ---------------------------------------------------------------- keys */
static void select_text(const void *in, size_t n, void *keys) {
    for (size_t i = 0; i < n; i++) ((rask_string *)keys)[i] = ((const entry *)in)[i].text;
}
static const raski_fn text_selector = {.abi = RASKI_FN_ABI,
                                       .size = sizeof(raski_fn),
                                       .name = "text_of",
                                       .kind = RASKI_FN_KEY_SELECTOR,
                                       .in = &entry_type,
                                       .out = &rask_type_rask_string,
                                       .select_keys = select_text};

typedef enum key_kind {
    NONE,
    TINY,
    NUMBER,
    BIG,
    EXACT,
    TEXT,
    SELECTED,
    PAIR,
    ITEMS,
    KINDS
} key_kind;
static const raski_key_definition keys[KINDS] = {
    [TINY] = {.fields = {1, {{offsetof(entry, tiny), &rask_type_int8_t}}}},
    [NUMBER] = {.fields = {1, {{offsetof(entry, number), &rask_type_int32_t}}}},
    [BIG] = {.fields = {1, {{offsetof(entry, big), &rask_type_int64_t}}}},
    [EXACT] = {.fields = {1, {{offsetof(entry, exact), &rask_type_double}}}},
    [TEXT] = {.fields = {1, {{offsetof(entry, text), &rask_type_rask_string}}}},
    [SELECTED] = {.fields = {1, {{0, &rask_type_rask_string}}}, .selector = &text_selector},
    [PAIR] = {.fields = {2,
                         {{offsetof(entry, number), &rask_type_int32_t},
                          {offsetof(entry, text), &rask_type_rask_string}}}},
    [ITEMS] = {.fields = {1, {{offsetof(entry, items), &longs}}}},
};

/* What Java's serializers write, byte by byte; texts of the tests are ASCII or two-byte UTF-8. */
typedef struct bytes {
    size_t count;
    signed char at[8192];
} bytes;
static void put(bytes *b, uint64_t value, int size) {
    while (size-- > 0) b->at[b->count++] = (signed char)(value >> (8 * size));
}
static void put_char(bytes *b, uint32_t c) {
    for (; c >= 0x80; c >>= 7) put(b, (c & 0x7f) | 0x80, 1);
    put(b, c, 1);
}
static void put_text(bytes *b, const rask_string *s) {
    const unsigned char *p = (const unsigned char *)rask_string_data(s);
    uint32_t units = 0;
    for (uint32_t i = 0; i < s->len; i++) units += (p[i] & 0xc0) != 0x80;
    put_char(b, units + 1);
    for (uint32_t i = 0; i < s->len; i++) {
        if (p[i] < 0x80) {
            put_char(b, p[i]);
        } else {
            put_char(b, (p[i] & 0x1fU) << 6 | (p[i + 1] & 0x3fU));
            i++;
        }
    }
}
static void serialise(key_kind kind, const entry *e, bytes *b) {
    b->count = 0;
    uint64_t exact;
    memcpy(&exact, &e->exact, sizeof exact);
    switch (kind) {
        case TINY:
            put(b, (uint64_t)e->tiny, 1);
            break;
        case NUMBER:
            put(b, (uint64_t)e->number, 4);
            break;
        case BIG:
            put(b, (uint64_t)e->big, 8);
            break;
        case EXACT:
            put(b, exact, 8);
            break;
        case PAIR:
            put(b, (uint64_t)e->number, 4);
            put_text(b, &e->text);
            break;
        case TEXT:
        case SELECTED:
            put_text(b, &e->text);
            break;
        case ITEMS:
            put(b, e->items.count, 4);
            for (uint32_t i = 0; i < e->items.count; i++)
                put(b, ((const uint64_t *)e->items.items)[i], 8);
            break;
        default:
            break;
    }
}
static int compare_keys(key_kind kind, const entry *a, const entry *b) {
    static bytes x, y;
    serialise(kind, a, &x);
    serialise(kind, b, &y);
    for (size_t i = 0; i < x.count && i < y.count; i++)
        if (x.at[i] != y.at[i]) return x.at[i] < y.at[i] ? -1 : 1;
    return (x.count > y.count) - (x.count < y.count);
}

typedef struct stamped {
    int64_t timestamp;
    entry *e;
} stamped;
static key_kind sorted_by;
static int compare_stamped(const void *a_, const void *b_) {
    const stamped *a = a_, *b = b_;
    int c = compare_keys(sorted_by, a->e, b->e);
    if (c != 0) return c;
    if (a->timestamp != b->timestamp) return a->timestamp < b->timestamp ? -1 : 1;
    return a->e->serial < b->e->serial ? -1 : 1;
}

/* ---------------------------------------------------------------- random input */
static uint64_t seed;
static uint64_t chance(uint64_t below) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

static char *random_text(size_t *ret_length) {
    static char text[1024];
    static const char *const starts[] = {"", "https://example.org/a/path/that/all/of/them/share/",
                                         "k", "user-", "\xc3\xa9\xc3\xa9"};
    (void)snprintf(text, sizeof text, "%s", starts[chance(5)]);
    if (chance(20) == 0) { /* far more than is sorted word by word */
        memset(text, 'x', 400);
        text[400] = '\0';
    }
    size_t length = strlen(text);
    for (size_t more = chance(chance(30) == 0 ? 300 : 6); more > 0; more--)
        text[length++] = (char)('a' + chance(3));
    *ret_length = length;
    return text;
}

static void make_entry(entry *e, size_t serial, uint64_t variety) {
    *e = (entry){.tiny = (int8_t)chance(256),
                 .number = (int32_t)(chance(variety) * 7919U - 100),
                 .serial = (int64_t)serial};
    e->big = (int64_t)(chance(variety) * UINT64_C(0x9e3779b97f4a7c15));
    e->exact = chance(9) == 0 ? -0.0 : (double)chance(variety) * 0.3 - 3;
    size_t length = 0;
    const char *text = random_text(&length);
    char *copy = raski_alloc(length + 1);
    memcpy(copy, text, length);
    e->text = rask_string_of(copy, length);
    e->items.count = (uint32_t)chance(4);
    int64_t *items = raski_calloc(4, sizeof *items);
    for (uint32_t i = 0; i < e->items.count; i++) items[i] = (int64_t)chance(3);
    e->items.items = items;
    if (length <= RASK_STRING_INLINE) raski_free(copy);
}

static void check_same(const entry *expected, const entry *got) {
    assert_int_equal(expected->serial, got->serial);
    assert_int_equal(expected->number, got->number);
    assert_true(rask_string_equal(expected->text, got->text));
    assert_int_equal(expected->items.count, got->items.count);
    if (got->items.count > 0)
        assert_memory_equal(expected->items.items, got->items.items,
                            got->items.count * sizeof(int64_t));
}

static raski_sorter *make_sorter(key_kind kind, size_t memory, uint32_t fan_in) {
    raski_error error = {0};
    raski_sorter *sorter = NULL;
    const raski_sorter_options options = {.type = &entry_type,
                                          .key = kind == NONE ? NULL : &keys[kind],
                                          .memory_bytes = memory,
                                          .directory = "/tmp",
                                          .fan_in = fan_in};
    assert_int_equal(raski_sorter_create(&options, &sorter, &error), RASK_OK);
    return sorter;
}

/* Takes all in pieces of chance size, and compares. */
static void check_output(raski_sorter *sorter, const stamped *expected, size_t n, bool is_stamped) {
    entry out[7];
    int64_t times[7];
    raski_error error = {0};
    size_t at = 0;
    while (raski_sorter_head(sorter) != NULL) {
        assert_true(at < n);
        assert_int_equal(raski_sorter_head(sorter)->timestamp, expected[at].timestamp);
        const int64_t latest = chance(3) == 0 ? expected[at].timestamp : INT64_MAX;
        size_t count = 0;
        bool more = false;
        assert_int_equal(raski_sorter_take(sorter, latest, 1 + chance(7), out,
                                           is_stamped ? times : NULL, &count, &more, &error),
                         RASK_OK);
        assert_true(count > 0 && at + count <= n);
        for (size_t i = 0; i < count; i++, at++) {
            check_same(expected[at].e, &out[i]);
            if (is_stamped) assert_int_equal(times[i], expected[at].timestamp);
            assert_true(expected[at].timestamp <= latest);
            if (i > 0)
                assert_int_equal(compare_keys(sorted_by, expected[at - 1].e, expected[at].e), 0);
        }
        assert_int_equal(
            more, at < n && compare_keys(sorted_by, expected[at - 1].e, expected[at].e) == 0);
        raski_sorter_end_batch(sorter);
    }
    assert_int_equal(at, n);
}

static void check_sort(key_kind kind, size_t n, uint64_t variety, size_t memory, uint32_t fan_in,
                       bool is_stamped) {
    entry *entries = raski_calloc(n + 1, sizeof *entries);
    stamped *expected = raski_calloc(n + 1, sizeof *expected);
    int64_t *times = raski_calloc(n + 1, sizeof *times);
    int64_t now = -1000;
    const bool in_order = chance(2) == 0;
    for (size_t i = 0; i < n; i++) {
        make_entry(&entries[i], i, variety);
        now += (int64_t)chance(3);
        times[i] = in_order ? now : (int64_t)chance(50) - 25;
        expected[i] = (stamped){is_stamped ? times[i] : INT64_MIN, &entries[i]};
    }
    raski_sorter *sorter = make_sorter(kind, memory, fan_in);
    raski_error error = {0};
    for (size_t at = 0; at < n;) {
        size_t piece = 1 + chance(150), index = 0;
        if (piece > n - at) piece = n - at;
        if (raski_sorter_add(sorter, entries + at, is_stamped ? times + at : NULL, piece, &index,
                             &error) != RASK_OK)
            fail_msg("%s", error.message);
        at += piece;
    }
    sorted_by = kind;
    qsort(expected, n, sizeof *expected, compare_stamped);
    assert_int_equal(raski_sorter_finish(sorter, &error), RASK_OK);
    check_output(sorter, expected, n, is_stamped);
    const raski_sorter_counters counters = raski_sorter_get_counters(sorter);
    assert_int_equal(counters.records, n);
    if (memory == 0) assert_int_equal(counters.runs, 0);
    if (memory != 0 && n > 2000) assert_true(counters.runs > 1);
    if (memory >= 100000) assert_true(counters.memory_peak_bytes <= memory);
    raski_sorter_destroy(sorter);
    for (size_t i = 0; i < n; i++) {
        if (entries[i].text.len > RASK_STRING_INLINE)
            raski_free((char *)(uintptr_t)rask_string_data(&entries[i].text));
        raski_free((void *)(uintptr_t)entries[i].items.items);
    }
    raski_free(entries);
    raski_free(expected);
    raski_free(times);
}

static void sorts_as_a_plain_sort_does(void **state) {
    (void)state;
    const char *given = getenv("RASK_SEED");
    const size_t memories[] = {0, 1, 20000, 150000};
    for (uint64_t round = 0; round < (given ? 1 : 6); round++) {
        seed = given ? strtoull(given, NULL, 0) : 88172645463325252U + round * 7919;
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t m = 0; m < 4; m++) {
                const size_t n = chance(4) == 0 ? chance(5) : chance(memories[m] == 1 ? 300 : 3000);
                const uint64_t variety = 1 + chance(2) * chance(5000);
                check_sort((key_kind)kind, n, variety, memories[m], chance(2) ? 2 : 0, chance(2));
            }
    }
}

static void texts_that_are_not_utf8_stay_apart(void **state) {
    (void)state;
    /* all decode to one U+FFFD; each must come as one group */
    static const char *const texts[] = {"\xef\xbf\xbd", "\x80", "\xe2", "\xe2\x82", "\xff", "\xfe"};
    enum { TEXTS = 6, EACH = 50 };
    raski_sorter *sorter = make_sorter(TEXT, 0, 0);
    raski_error error = {0};
    size_t index = 0;
    for (int i = 0; i < TEXTS * EACH; i++) {
        entry e = {.serial = i};
        const int64_t time = i;
        e.text = rask_string_of(texts[i % TEXTS], strlen(texts[i % TEXTS]));
        assert_int_equal(raski_sorter_add(sorter, &e, &time, 1, &index, &error), RASK_OK);
    }
    assert_int_equal(raski_sorter_finish(sorter, &error), RASK_OK);
    int groups = 0;
    for (; raski_sorter_head(sorter) != NULL; groups++) {
        entry out[EACH + 1];
        size_t count = 0;
        bool more = true;
        assert_int_equal(
            raski_sorter_take(sorter, INT64_MAX, EACH + 1, out, NULL, &count, &more, &error),
            RASK_OK);
        assert_int_equal(count, EACH);
        assert_false(more);
        if (groups == 0) assert_int_equal(out[0].serial % TEXTS, 0); /* the valid one */
    }
    assert_int_equal(groups, TEXTS);
    raski_sorter_destroy(sorter);
}

static void one_record_may_be_larger_than_the_memory(void **state) {
    (void)state;
    enum { LARGE = 700000 };
    char *text = raski_calloc(LARGE, 1);
    memset(text, 'y', LARGE);
    raski_sorter *sorter = make_sorter(TEXT, 10000, 2);
    raski_error error = {0};
    size_t index = 0;
    for (int i = 5; i > 0; i--) {
        entry e = {.serial = i, .text = rask_string_of(text, (size_t)(LARGE - 5 + i))};
        assert_int_equal(raski_sorter_add(sorter, &e, NULL, 1, &index, &error), RASK_OK);
    }
    assert_int_equal(raski_sorter_finish(sorter, &error), RASK_OK);
    size_t n = 0;
    for (; raski_sorter_head(sorter) != NULL; n++) {
        entry out;
        size_t count = 0;
        bool more = false;
        assert_int_equal(raski_sorter_take(sorter, INT64_MAX, 1, &out, NULL, &count, &more, &error),
                         RASK_OK);
        assert_true(out.text.len >= LARGE - 4);
        assert_memory_equal(rask_string_data(&out.text), text, out.text.len);
        raski_sorter_end_batch(sorter);
    }
    assert_int_equal(n, 5);
    raski_sorter_destroy(sorter);
    raski_free(text);
}

static void a_folder_that_cannot_be_written_is_named(void **state) {
    (void)state;
    raski_error error = {0};
    raski_sorter *sorter = NULL;
    const raski_sorter_options options = {.type = &entry_type,
                                          .key = &keys[BIG],
                                          .memory_bytes = 5000,
                                          .directory = "/nowhere/at/all"};
    assert_int_equal(raski_sorter_create(&options, &sorter, &error), RASK_OK);
    rask_status status = RASK_OK;
    size_t index = 0;
    for (int i = 0; i < 1000 && status == RASK_OK; i++) {
        const entry e = {.big = i};
        status = raski_sorter_add(sorter, &e, NULL, 1, &index, &error);
    }
    assert_int_equal(status, RASK_E_NOT_FOUND);
    assert_non_null(strstr(error.message, "/nowhere/at/all"));
    assert_int_equal(error.error_class, RASKI_CLASS_EXTERNAL);
    raski_sorter_destroy(sorter);
}

static void a_sorter_may_be_thrown_away_at_any_time(void **state) {
    (void)state;
    raski_error error = {0};
    for (int stage = 0; stage < 3; stage++) {
        raski_sorter *sorter = make_sorter(NUMBER, 5000, 2);
        size_t index = 0;
        for (int i = 0; i < 1000 && stage > 0; i++) {
            const entry e = {.number = i * 31 % 17};
            assert_int_equal(raski_sorter_add(sorter, &e, NULL, 1, &index, &error), RASK_OK);
        }
        if (stage == 2) assert_int_equal(raski_sorter_finish(sorter, &error), RASK_OK);
        raski_sorter_destroy(sorter);
    }
    raski_sorter_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_as_a_plain_sort_does),
        cmocka_unit_test(texts_that_are_not_utf8_stay_apart),
        cmocka_unit_test(one_record_may_be_larger_than_the_memory),
        cmocka_unit_test(a_folder_that_cannot_be_written_is_named),
        cmocka_unit_test(a_sorter_may_be_thrown_away_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
