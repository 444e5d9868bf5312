/* test_records.h - a record type with every kind of field and random records of it, for the tests
 * and the fuzz targets of this module. */
#ifndef RASKI_TYPES_TEST_RECORDS_H
#define RASKI_TYPES_TEST_RECORDS_H
#include <stdlib.h>

#include "base/alloc.h"
#include "rask/types.h"

typedef struct point {
    int32_t x;
    rask_string label;
} point;
typedef struct optional_string {
    bool present;
    rask_string value;
} optional_string;
/* The kinds that are composed of others. */
typedef struct count_entry {
    rask_string key;
    int64_t value;
} count_entry;
typedef struct choice {
    int32_t which; /* of the union's members */
    union {
        point place;
        raski_any_list numbers; /* of int32_t */
        double real;
    };
} choice;
typedef struct composed {
    int32_t shade; /* an enumeration of 3 */
    rask_decimal amount;
    rask_date day;
    rask_time time;
    rask_datetime both;
    rask_instant instant;
    rask_duration duration;
    raski_any_list counts; /* a map of count_entry */
    choice choice;
} composed;
typedef struct everything {
    int8_t tiny;
    int16_t small;
    int32_t number;
    int64_t big;
    float real;
    double exact;
    bool flag;
    rask_string text;
    rask_bytes raw;
    rask_timestamp at;
    point origin;
    point corners[2];
    int16_t grid[3];
    rask_string names[2];
    raski_any_list numbers; /* of int32_t */
    raski_any_list points;  /* of point */
    raski_any_list lists;   /* of lists of int64_t */
    optional_string note;
    composed more;
} everything;

#define TEST_FIELD(T, m, type, n) \
    { #m, offsetof(T, m), sizeof(((T *)0)->m), &(type), (n) }
static const rask_field point_fields[] = {TEST_FIELD(point, x, rask_type_int32_t, 0),
                                          TEST_FIELD(point, label, rask_type_rask_string, 0)};
static const rask_type point_type = {.name = "point",
                                     .kind = RASK_KIND_RECORD,
                                     .size = sizeof(point),
                                     .align = _Alignof(point),
                                     .field_count = 2,
                                     .fields = point_fields};
static const rask_type optional_string_type = {.name = "optional",
                                               .kind = RASK_KIND_OPTIONAL,
                                               .size = sizeof(optional_string),
                                               .align = _Alignof(optional_string),
                                               .element = &rask_type_rask_string,
                                               .value_offset = offsetof(optional_string, value)};
#define TEST_LIST(e) \
    { \
        .name = "list", .kind = RASK_KIND_LIST, .size = sizeof(raski_any_list), \
        .align = _Alignof(raski_any_list), .element = &(e) \
    }
static const rask_type list_of_int_type = TEST_LIST(rask_type_int32_t);
static const rask_type list_of_long_type = TEST_LIST(rask_type_int64_t);
static const rask_type list_of_point_type = TEST_LIST(point_type);
static const rask_type list_of_list_type = TEST_LIST(list_of_long_type);
static const rask_field shade_names[] = {{.name = "DARK"}, {.name = "GREY"}, {.name = "LIGHT"}};
static const rask_type shade_type = {.name = "shade",
                                     .kind = RASK_KIND_ENUM,
                                     .size = sizeof(int32_t),
                                     .align = _Alignof(int32_t),
                                     .field_count = 3,
                                     .fields = shade_names};
static const rask_field count_entry_fields[] = {
    TEST_FIELD(count_entry, key, rask_type_rask_string, 0),
    TEST_FIELD(count_entry, value, rask_type_int64_t, 0)};
static const rask_type count_entry_type = {.name = "count_entry",
                                           .kind = RASK_KIND_RECORD,
                                           .size = sizeof(count_entry),
                                           .align = _Alignof(count_entry),
                                           .field_count = 2,
                                           .fields = count_entry_fields};
static const rask_type counts_type = {.name = "counts",
                                      .kind = RASK_KIND_MAP,
                                      .size = sizeof(raski_any_list),
                                      .align = _Alignof(raski_any_list),
                                      .element = &count_entry_type};
static const rask_field choice_fields[] = {TEST_FIELD(choice, place, point_type, 0),
                                           TEST_FIELD(choice, numbers, list_of_int_type, 0),
                                           TEST_FIELD(choice, real, rask_type_double, 0)};
static const rask_type choice_type = {.name = "choice",
                                      .kind = RASK_KIND_VARIANT,
                                      .size = sizeof(choice),
                                      .align = _Alignof(choice),
                                      .field_count = 3,
                                      .fields = choice_fields};
static const rask_field composed_fields[] = {
    TEST_FIELD(composed, shade, shade_type, 0),
    TEST_FIELD(composed, amount, rask_type_rask_decimal, 0),
    TEST_FIELD(composed, day, rask_type_rask_date, 0),
    TEST_FIELD(composed, time, rask_type_rask_time, 0),
    TEST_FIELD(composed, both, rask_type_rask_datetime, 0),
    TEST_FIELD(composed, instant, rask_type_rask_instant, 0),
    TEST_FIELD(composed, duration, rask_type_rask_duration, 0),
    TEST_FIELD(composed, counts, counts_type, 0),
    TEST_FIELD(composed, choice, choice_type, 0)};
static const rask_type composed_type = {
    .name = "composed",
    .kind = RASK_KIND_RECORD,
    .size = sizeof(composed),
    .align = _Alignof(composed),
    .field_count = sizeof composed_fields / sizeof *composed_fields,
    .fields = composed_fields};
static const rask_field everything_fields[] = {
    TEST_FIELD(everything, tiny, rask_type_int8_t, 0),
    TEST_FIELD(everything, small, rask_type_int16_t, 0),
    TEST_FIELD(everything, number, rask_type_int32_t, 0),
    TEST_FIELD(everything, big, rask_type_int64_t, 0),
    TEST_FIELD(everything, real, rask_type_float, 0),
    TEST_FIELD(everything, exact, rask_type_double, 0),
    TEST_FIELD(everything, flag, rask_type_rask_bool, 0),
    TEST_FIELD(everything, text, rask_type_rask_string, 0),
    TEST_FIELD(everything, raw, rask_type_rask_bytes, 0),
    TEST_FIELD(everything, at, rask_type_rask_timestamp, 0),
    TEST_FIELD(everything, origin, point_type, 0),
    TEST_FIELD(everything, corners, point_type, 2),
    TEST_FIELD(everything, grid, rask_type_int16_t, 3),
    TEST_FIELD(everything, names, rask_type_rask_string, 2),
    TEST_FIELD(everything, numbers, list_of_int_type, 0),
    TEST_FIELD(everything, points, list_of_point_type, 0),
    TEST_FIELD(everything, lists, list_of_list_type, 0),
    TEST_FIELD(everything, note, optional_string_type, 0),
    TEST_FIELD(everything, more, composed_type, 0),
};
static const rask_type everything_type = {
    .name = "everything",
    .kind = RASK_KIND_RECORD,
    .size = sizeof(everything),
    .align = _Alignof(everything),
    .field_count = sizeof everything_fields / sizeof *everything_fields,
    .fields = everything_fields};

static uint64_t test_seed = 88172645463325252U;
static inline uint32_t test_random(uint32_t below) {
    test_seed ^= test_seed << 13;
    test_seed ^= test_seed >> 7;
    test_seed ^= test_seed << 17;
    return (uint32_t)(test_seed >> 16) % below;
}

/* Memory of random records lives in this arena. */
static inline rask_string test_string(raski_arena *arena) {
    size_t length = test_random(3) ? test_random(13) : test_random(60);
    char *p = raski_arena_alloc(arena, length + 1);
    for (size_t i = 0; i < length; i++) p[i] = (char)('a' + test_random(26));
    return rask_string_of(p, length);
}

static inline raski_any_list test_list(raski_arena *arena, size_t size, uint32_t count) {
    return (raski_any_list){.count = count,
                            .items = count ? raski_arena_calloc(arena, size * count) : NULL};
}

static inline point test_point(raski_arena *arena) {
    point p;
    memset(&p, 0, sizeof p);
    p.x = (int32_t)test_random(1000);
    p.label = test_string(arena);
    return p;
}

/* Keys differ by their first letter. */
static inline raski_any_list test_counts(raski_arena *arena) {
    raski_any_list map = test_list(arena, sizeof(count_entry), test_random(4));
    for (uint32_t i = 0; i < map.count; i++) {
        count_entry *e = &((count_entry *)(uintptr_t)map.items)[i];
        size_t length = 1 + test_random(30);
        char *key = raski_arena_alloc(arena, length);
        for (size_t k = 0; k < length; k++) key[k] = (char)('a' + i * 5 + test_random(5));
        e->key = rask_string_of(key, length);
        e->value = test_random(1000);
    }
    return map;
}

static inline composed test_composed(raski_arena *arena) {
    composed c;
    memset(&c, 0xab, sizeof c);
    c.shade = (int32_t)test_random(3);
    c.amount.low = test_random(1000000);
    c.amount.high = (int64_t)test_random(4) - 1;
    c.amount.scale = (int32_t)test_random(20) - 5;
    c.day.days = (int32_t)test_random(100000) - 50000;
    c.time.nanos = (int64_t)test_random(86400) * 1000000000 + test_random(1000) * 1000;
    c.both = rask_datetime_of(c.day, c.time);
    c.instant = rask_instant_of((int64_t)test_random(2000000000) - 1000000000, test_random(3));
    c.duration = rask_duration_of((int64_t)test_random(100000) - 50000, test_random(2) * 500);
    c.counts = test_counts(arena);
    c.choice.which = (int32_t)test_random(3);
    if (c.choice.which == 0) c.choice.place = test_point(arena);
    if (c.choice.which == 1) c.choice.numbers = test_list(arena, 4, test_random(4));
    if (c.choice.which == 2) c.choice.real = test_random(100);
    return c;
}

static inline everything test_everything(raski_arena *arena) {
    everything e;
    memset(&e, 0xab, sizeof e); /* padding is anything */
    e.tiny = (int8_t)test_random(256);
    e.small = (int16_t)test_random(65536);
    e.number = (int32_t)test_random(100000);
    e.big = (int64_t)test_random(100000) * 10000000;
    e.real = (float)test_random(100) / 8;
    e.exact = test_random(100000) / 100.0;
    e.flag = test_random(2) != 0;
    e.text = test_string(arena);
    rask_string raw = test_string(arena);
    e.raw = rask_bytes_of(rask_string_data(&raw), raw.len);
    e.at = test_random(100000);
    e.origin = test_point(arena);
    for (int i = 0; i < 2; i++) e.corners[i] = test_point(arena);
    for (int i = 0; i < 3; i++) e.grid[i] = (int16_t)test_random(100);
    for (int i = 0; i < 2; i++) e.names[i] = test_string(arena);
    e.numbers = test_list(arena, 4, test_random(5));
    for (uint32_t i = 0; i < e.numbers.count; i++)
        ((int32_t *)(uintptr_t)e.numbers.items)[i] = (int32_t)test_random(10);
    e.points = test_list(arena, sizeof(point), test_random(4));
    for (uint32_t i = 0; i < e.points.count; i++)
        ((point *)(uintptr_t)e.points.items)[i] = test_point(arena);
    e.lists = test_list(arena, sizeof(raski_any_list), test_random(3));
    for (uint32_t i = 0; i < e.lists.count; i++)
        ((raski_any_list *)(uintptr_t)e.lists.items)[i] = test_list(arena, 8, test_random(4));
    e.note.present = test_random(2) != 0;
    if (e.note.present) e.note.value = test_string(arena); /* else: 0xab, must not be looked at */
    e.more = test_composed(arena);
    return e;
}
#endif
