/* Decimals, dates, times, enumerations, maps and variants: texts and hashes of the JVM, arithmetic,
 * order, the macros that describe them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rask/rask.h>

#include "base/alloc.h"
#include "base/str.h"
#include "types/compare.h"
#include "types/java_hash.h"
#include "types/print.h"
#include "types/type_info.h"

/* ---------------------------------------------------------------- as the JVM has them */
/* Printed by Java 17: a value in its parts, toString, hashCode. */
static const struct {
    rask_kind kind;
    const char *first; /* unscaled value, epoch day or seconds */
    int64_t second;    /* scale, nanos */
    const char *text;
    int32_t hash;
} jvm_values[] = {
    {RASK_KIND_DECIMAL, "0", 0, "0", INT32_C(0)},
    {RASK_KIND_DECIMAL, "-9223372036854775808", 3, "-9223372036854775.808", INT32_C(-2147483645)},
    {RASK_KIND_DECIMAL, "-170141183460469231731687303715884105728", -5,
     "-1.70141183460469231731687303715884105728E+43", INT32_C(2147483643)},
    {RASK_KIND_DECIMAL, "0", 9, "0E-9", INT32_C(9)},
    {RASK_KIND_DECIMAL, "123", 8, "0.00000123", INT32_C(3821)},
    {RASK_KIND_DECIMAL, "123", 9, "1.23E-7", INT32_C(3822)},
    {RASK_KIND_DECIMAL, "-34112680397677977248582145", 2, "-341126803976779772485821.45",
     INT32_C(601041071)},
    {RASK_KIND_DECIMAL, "-19063069144757098022570", 2, "-190630691447570980225.70",
     INT32_C(1901692773)},
    {RASK_KIND_DECIMAL, "-360797", 15, "-3.60797E-10", INT32_C(-11184692)},
    {RASK_KIND_DECIMAL, "13104", 17, "1.3104E-13", INT32_C(406241)},
    {RASK_KIND_DECIMAL, "244218215537542223260181009", -675, "2.44218215537542223260181009E+701",
     INT32_C(1301985665)},
    {RASK_KIND_DECIMAL, "-21361990361930", -211, "-2.1361990361930E+224", INT32_C(2121501962)},
    {RASK_KIND_DECIMAL, "-274809948022637433550168016920783752", 38,
     "-0.00274809948022637433550168016920783752", INT32_C(652720478)},
    {RASK_KIND_DECIMAL, "15972656436417", 15, "0.015972656436417", INT32_C(-1541552012)},
    {RASK_KIND_DATE, "-5", 0, "1969-12-27", INT32_C(4033307)},
    {RASK_KIND_DATE, "-4", 0, "1969-12-28", INT32_C(4033308)},
    {RASK_KIND_DATE, "-3", 0, "1969-12-29", INT32_C(4033309)},
    {RASK_KIND_DATE, "-2", 0, "1969-12-30", INT32_C(4033310)},
    {RASK_KIND_DATE, "-1", 0, "1969-12-31", INT32_C(4033311)},
    {RASK_KIND_DATE, "0", 0, "1970-01-01", INT32_C(4034625)},
    {RASK_KIND_DATE, "-19635", 0, "1916-03-30", INT32_C(3924190)},
    {RASK_KIND_DATE, "-5302", 0, "1955-06-27", INT32_C(4004251)},
    {RASK_KIND_DATE, "-1879", 0, "1964-11-09", INT32_C(4022985)},
    {RASK_KIND_DATE, "32878", 0, "2060-01-07", INT32_C(4220999)},
    {RASK_KIND_DATE, "26035", 0, "2041-04-13", INT32_C(4180237)},
    {RASK_KIND_DATE, "-1462", 0, "1965-12-31", INT32_C(4025119)},
    {RASK_KIND_DATE, "-17443", 0, "1922-03-31", INT32_C(3936479)},
    {RASK_KIND_DATE, "28479", 0, "2047-12-22", INT32_C(4193046)},
    {RASK_KIND_TIME, "0", 65400000000000LL, "18:10", INT32_C(532974459)},
    {RASK_KIND_TIME, "0", 63180000000000LL, "17:33", INT32_C(1031061878)},
    {RASK_KIND_TIME, "0", 63832000000000LL, "17:43:52", INT32_C(196037134)},
    {RASK_KIND_TIME, "0", 3049252000000LL, "00:50:49.252", INT32_C(-174779451)},
    {RASK_KIND_TIME, "0", 72715482875000LL, "20:11:55.482875", INT32_C(1686537818)},
    {RASK_KIND_TIME, "0", 22805000000000LL, "06:20:05", INT32_C(-1276344643)},
    {RASK_KIND_TIME, "0", 83940000000000LL, "23:19", INT32_C(-840850345)},
    {RASK_KIND_TIME, "0", 4740000000000LL, "01:19", INT32_C(-1643893681)},
    {RASK_KIND_TIME, "0", 64237191000000LL, "17:50:37.191", INT32_C(1660114348)},
    {RASK_KIND_TIME, "0", 13088000000000LL, "03:38:08", INT32_C(1234652135)},
    {RASK_KIND_TIME, "0", 28053500794402LL, "07:47:33.500794402", INT32_C(-1225584735)},
    {RASK_KIND_TIME, "0", 28723000000000LL, "07:58:43", INT32_C(-1741282273)},
    {RASK_KIND_TIME, "0", 52237000000000LL, "14:30:37", INT32_C(1607757186)},
    {RASK_KIND_TIME, "0", 67559197292174LL, "18:45:59.197292174", INT32_C(-638284801)},
    {RASK_KIND_DATETIME, "-5", 65400000000000LL, "1969-12-27T18:10", INT32_C(536412256)},
    {RASK_KIND_DATETIME, "-4", 63180000000000LL, "1969-12-28T17:33", INT32_C(1028213354)},
    {RASK_KIND_DATETIME, "-3", 63832000000000LL, "1969-12-29T17:43:52", INT32_C(194167059)},
    {RASK_KIND_DATETIME, "-2", 3049252000000LL, "1969-12-30T00:50:49.252", INT32_C(-173500197)},
    {RASK_KIND_DATETIME, "-1", 72715482875000LL, "1969-12-31T20:11:55.482875", INT32_C(1689980229)},
    {RASK_KIND_DATETIME, "0", 22805000000000LL, "1970-01-01T06:20:05", INT32_C(-1278142724)},
    {RASK_KIND_DATETIME, "835755658", 41675897469000LL, "+2290191-04-10T11:34:35.897469",
     INT32_C(2057491621)},
    {RASK_KIND_DATETIME, "307685255", 40768000000000LL, "+844383-08-14T11:19:28",
     INT32_C(1832304410)},
    {RASK_KIND_DATETIME, "17252", 40240920608311LL, "2017-03-27T11:10:40.920608311",
     INT32_C(1375212149)},
    {RASK_KIND_DATETIME, "-291710708", 18366338295969LL, "-796707-03-17T05:06:06.338295969",
     INT32_C(1583136964)},
    {RASK_KIND_DATETIME, "29549", 42300000000000LL, "2050-11-26T11:45", INT32_C(-1137089374)},
    {RASK_KIND_DATETIME, "-9161", 26563000000000LL, "1944-12-02T07:22:43", INT32_C(-1374616278)},
    {RASK_KIND_DATETIME, "3999", 63347673033000LL, "1980-12-13T17:35:47.673033",
     INT32_C(1202828216)},
    {RASK_KIND_DATETIME, "31817", 67680000000000LL, "2057-02-10T18:48", INT32_C(-98845433)},
    {RASK_KIND_INSTANT, "-155886662", 0, "1965-01-22T18:08:58Z", INT32_C(155886661)},
    {RASK_KIND_INSTANT, "1584853918", 0, "2020-03-22T05:11:58Z", INT32_C(1584853918)},
    {RASK_KIND_INSTANT, "17441490444861548", 0, "+552700799-11-17T01:59:08Z", INT32_C(1919694493)},
    {RASK_KIND_INSTANT, "1079967118648568", 997357000, "+34224765-08-14T19:16:08.997357Z",
     INT32_C(1212656025)},
    {RASK_KIND_INSTANT, "5577367", 598000000, "1970-03-06T13:16:07.598Z", INT32_C(438806295)},
    {RASK_KIND_INSTANT, "9512796087438429", 0, "+301450477-09-06T13:47:09Z", INT32_C(1874659211)},
    {RASK_KIND_INSTANT, "1422372147", 599413482, "2015-01-27T15:22:27.599413482Z",
     INT32_C(1927688657)},
    {RASK_KIND_INSTANT, "358601680", 0, "1981-05-13T11:34:40Z", INT32_C(358601680)},
    {RASK_KIND_INSTANT, "13493497375789675", 321000000, "+427593879-11-19T17:07:55.321Z",
     INT32_C(2109539560)},
    {RASK_KIND_INSTANT, "-9200451149545398", 0, "-291548721-05-18T06:16:42Z", INT32_C(-156626825)},
    {RASK_KIND_INSTANT, "-6072137381309869", 0, "-192416404-05-06T18:22:11Z", INT32_C(-1481212097)},
    {RASK_KIND_INSTANT, "-2023814365", 167000000, "1905-11-14T05:20:35.167Z", INT32_C(1950879772)},
    {RASK_KIND_INSTANT, "1503786101", 0, "2017-08-26T22:21:41Z", INT32_C(1503786101)},
    {RASK_KIND_INSTANT, "578410151", 665071594, "1988-04-30T13:29:11.665071594Z",
     INT32_C(137323077)},
    {RASK_KIND_DURATION, "0", 0, "PT0S", INT32_C(0)},
    {RASK_KIND_DURATION, "1584853918", 0, "PT440237H11M58S", INT32_C(1584853918)},
    {RASK_KIND_DURATION, "17441490444861548", 0, "PT4844858456905H59M8S", INT32_C(1919694493)},
    {RASK_KIND_DURATION, "2", 997357000, "PT2.997357S", INT32_C(-674400550)},
    {RASK_KIND_DURATION, "5577367", 598000000, "PT1549H16M7.598S", INT32_C(438806295)},
    {RASK_KIND_DURATION, "9512796087435600", 0, "PT2642443357621H", INT32_C(1874659974)},
    {RASK_KIND_DURATION, "4863922539568958", 629000000, "PT1351089594324H42M38.629S",
     INT32_C(-1353872824)},
    {RASK_KIND_DURATION, "15045056044565157", 0, "PT4179182234601H25M57S", INT32_C(354218435)},
    {RASK_KIND_DURATION, "-22242361058139701", 0, "PT-6178433627261H-1M-41S", INT32_C(1033444219)},
    {RASK_KIND_DURATION, "-1", 157000000, "PT-0.843S", INT32_C(-582934592)},
    {RASK_KIND_DURATION, "602049151", 16082000, "PT167235H52M31.016082S", INT32_C(1422231151)},
    {RASK_KIND_DURATION, "0", 0, "PT0S", INT32_C(0)},
    {RASK_KIND_DURATION, "1153183222998780", 0, "PT320328673055H13M", INT32_C(1683635756)},
    {RASK_KIND_DURATION, "2087939041", 865568845, "PT579983H4M1.865568845S", INT32_C(-1012690120)},
};

typedef union any_value {
    rask_decimal decimal;
    rask_date date;
    rask_time time;
    rask_datetime datetime;
    rask_instant instant;
    rask_duration duration;
} any_value;

static const rask_type *make(size_t i, any_value *ret) {
    const char *first = jvm_values[i].first;
    const int64_t number = strtoll(first, NULL, 10);
    const int64_t nanos = jvm_values[i].second; /* or a scale */
    switch (jvm_values[i].kind) {
        case RASK_KIND_DECIMAL:
            assert_true(rask_decimal_parse(first, strlen(first), &ret->decimal));
            ret->decimal.scale = (int32_t)nanos;
            return &rask_type_rask_decimal;
        case RASK_KIND_DATE:
            ret->date.days = (int32_t)number;
            return &rask_type_rask_date;
        case RASK_KIND_TIME:
            ret->time.nanos = nanos;
            return &rask_type_rask_time;
        case RASK_KIND_DATETIME:
            ret->datetime = (rask_datetime){{(int32_t)number}, {nanos}};
            return &rask_type_rask_datetime;
        case RASK_KIND_INSTANT:
            ret->instant = rask_instant_of(number, nanos);
            return &rask_type_rask_instant;
        default:
            ret->duration = rask_duration_of(number, nanos);
            return &rask_type_rask_duration;
    }
}

static void assert_text(const rask_type *type, const void *value, const char *expected) {
    raski_str str = {0};
    assert_int_equal(raski_value_print(&str, type, value, NULL), RASK_OK);
    assert_string_equal(raski_str_text(&str), expected);
    raski_str_free(&str);
}

static void texts_and_hashes_of_the_jvm(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof jvm_values / sizeof *jvm_values; i++) {
        any_value value;
        memset(&value, 0xab, sizeof value);
        const rask_type *type = make(i, &value);
        assert_text(type, &value, jvm_values[i].text);
        assert_int_equal(raski_hash_value(type, &value), jvm_values[i].hash);
        assert_true(raski_type_is_key(type));
        assert_int_equal(raski_type_validate(type, NULL), RASK_OK);
        if (jvm_values[i].kind != RASK_KIND_DECIMAL) continue;
        rask_decimal back;
        assert_true(rask_decimal_parse(jvm_values[i].text, strlen(jvm_values[i].text), &back));
        assert_true(raski_value_equal(type, &value, &back));
        assert_true(rask_decimal_double(back) == strtod(jvm_values[i].text, NULL));
    }
}

static void dates(void **state) {
    (void)state;
    for (int32_t days = -800000; days < 800000; days += 7) {
        int32_t year = 0, month = 0, day = 0;
        rask_date_split((rask_date){days}, &year, &month, &day);
        assert_int_equal(rask_date_of(year, month, day).days, days);
    }
    assert_int_equal(rask_date_of(1970, 1, 1).days, 0);
    assert_int_equal(rask_date_of(2000, 2, 29).days, 11016);
    assert_int_equal(rask_date_of(2025, 2, 30).days, rask_date_of(2025, 3, 2).days);
    assert_int_equal(rask_date_of(2025, 13, 1).days, rask_date_of(2026, 1, 1).days);
    assert_int_equal(rask_date_of(2025, 0, 1).days, rask_date_of(2024, 12, 1).days);
    assert_int_equal(rask_instant_of_ms(-1).seconds, -1);
    assert_int_equal(rask_instant_of_ms(-1).nanos, 999000000);
    assert_int_equal(rask_instant_ms(rask_instant_of_ms(-12345)), -12345);
    assert_int_equal(rask_duration_ms(rask_duration_of_ms(1500)), 1500);
    assert_int_equal(rask_time_of(23, 59, 59, 999999999).nanos, INT64_C(86399999999999));
}

/* ---------------------------------------------------------------- decimals */
static rask_decimal decimal(const char *text) {
    rask_decimal d;
    if (!rask_decimal_parse(text, strlen(text), &d)) fail_msg("\"%s\" is no decimal", text);
    return d;
}

static void decimals_are_parsed(void **state) {
    (void)state;
    static const struct {
        const char *text, *printed;
    } good[] = {
        {"0", "0"},
        {"-0.00", "0.00"},
        {"+12.50", "12.50"},
        {".5", "0.5"},
        {"5.", "5"},
        {"1e3", "1E+3"},
        {"1.20E-9", "1.20E-9"},
        {"000123.4500", "123.4500"},
        {"170141183460469231731687303715884105727", "170141183460469231731687303715884105727"},
        {"-170141183460469231731687303715884105728", "-170141183460469231731687303715884105728"}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        rask_decimal d = decimal(good[i].text);
        assert_text(&rask_type_rask_decimal, &d, good[i].printed);
    }
    static const char *const bad[] = {"",
                                      "-",
                                      ".",
                                      "e5",
                                      "1e",
                                      "1e+",
                                      "1.2.3",
                                      "1 ",
                                      " 1",
                                      "0x1",
                                      "NaN",
                                      "1e99999999999",
                                      "170141183460469231731687303715884105728",
                                      "1,5"};
    rask_decimal d;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(rask_decimal_parse(bad[i], strlen(bad[i]), &d));
}

static void decimals_are_compared(void **state) {
    (void)state;
    static const char *const ordered[] = {"-1e40",
                                          "-170141183460469231731687303715884105728",
                                          "-9e37",
                                          "-2",
                                          "-1.5",
                                          "-1e-300",
                                          "0",
                                          "1e-300",
                                          "0.000000001",
                                          "1.5",
                                          "2",
                                          "9",
                                          "9e37",
                                          "100000000000000000000000000000000000000",
                                          "170141183460469231731687303715884105727",
                                          "9e38",
                                          "1e40"};
    const int count = sizeof ordered / sizeof *ordered;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            assert_int_equal(rask_decimal_compare(decimal(ordered[i]), decimal(ordered[k])),
                             (i > k) - (i < k));
    const rask_decimal one = decimal("1.0");
    const rask_decimal same = decimal("1.00");
    assert_int_equal(rask_decimal_compare(one, same), 0);
    assert_int_equal(rask_decimal_compare(decimal("1e2"), decimal("100.000")), 0);
    assert_false(raski_value_equal(&rask_type_rask_decimal, &one, &same)); /* as equals in Java */
    assert_true(raski_value_compare(&rask_type_rask_decimal, &one, &same) < 0);
}

static void decimals_are_added(void **state) {
    (void)state;
    rask_decimal d;
    assert_true(rask_decimal_add(decimal("1.5"), decimal("2.25"), &d));
    assert_text(&rask_type_rask_decimal, &d, "3.75");
    assert_true(rask_decimal_subtract(decimal("1e2"), decimal("0.01"), &d));
    assert_text(&rask_type_rask_decimal, &d, "99.99");
    assert_true(rask_decimal_multiply(decimal("-1.5"), decimal("2.25"), &d));
    assert_text(&rask_type_rask_decimal, &d, "-3.375");
    assert_true(rask_decimal_add(rask_decimal_of(INT64_MAX, 0), rask_decimal_of(1, 0), &d));
    assert_text(&rask_type_rask_decimal, &d, "9223372036854775808");
    const rask_decimal largest = decimal("170141183460469231731687303715884105727");
    assert_false(rask_decimal_add(largest, decimal("1"), &d));
    assert_false(rask_decimal_add(largest, decimal("0.1"), &d)); /* no room for the scale */
    assert_true(rask_decimal_subtract(largest, decimal("1"), &d));
    assert_false(rask_decimal_multiply(largest, decimal("2"), &d));
    assert_true(rask_decimal_add(decimal("0"), decimal("0e-200"), &d));
    assert_text(&rask_type_rask_decimal, &d, "0E-200");
}

/* ---------------------------------------------------------------- macros */
RASK_ENUM(color, RED, GREEN, BLUE);
typedef struct circle {
    double radius;
    rask_string label;
} circle;
RASK_TYPE(circle, radius, label);
typedef struct shape {
    int32_t which;
    union {
        circle round;
        rask_list(int32_t) corners;
        rask_decimal size;
    };
} shape;
RASK_VARIANT(shape, (round, circle), corners, size);
RASK_MAP_OF(rask_string, int64_t);
RASK_MAP_OF(color, shape);
typedef struct drawing {
    rask_date day;
    rask_optional(rask_time) at;
    color background;
    shape outline;
    rask_map_of(rask_string, int64_t) counts;
    rask_map_of(color, shape) shapes;
    color palette[2];
    rask_list(rask_decimal) prices;
} drawing;
RASK_TYPE(drawing, day, at, (background, color), (outline, shape),
          (counts, rask_map_of(rask_string, int64_t)), (shapes, rask_map_of(color, shape)),
          (palette, color), prices);

static void macros_describe_them(void **state) {
    (void)state;
    raski_error err = {0};
    assert_int_equal(raski_type_validate(&rask_type_drawing, &err), RASK_OK);
    char *text = raski_type_text(&rask_type_drawing);
    assert_string_equal(
        text,
        "drawing{day: LOCAL_DATE, at: OPTIONAL<LOCAL_TIME>, background: ENUM<color>, outline: "
        "shape<round: circle{radius: DOUBLE, label: STRING} | corners: LIST<INT> | size: BIG_DEC>, "
        "counts: MAP<STRING, LONG>, shapes: MAP<ENUM<color>, shape<round: circle{radius: DOUBLE, "
        "label: STRING} | corners: LIST<INT> | size: BIG_DEC>>, palette: ENUM<color>[2], prices: "
        "LIST<BIG_DEC>}");
    raski_free(text);
    assert_string_equal(rask_enum_name(color, GREEN), "GREEN");
    assert_string_equal(rask_enum_name(color, 7), "?");
    const rask_entry(rask_string, int64_t)
        counts[] = {{rask_string_from("b"), 2}, {rask_string_from("a"), 1}};
    const rask_entry(color, shape)
        shapes[] = {{BLUE, {.which = shape_size, .size = rask_decimal_of(15, 1)}}};
    drawing d = {.day = rask_date_of(2020, 2, 29),
                 .at = rask_some(rask_time, rask_time_of(12, 30, 0, 0)),
                 .background = BLUE,
                 .outline = {.which = shape_round, .round = {1.5, rask_string_from("c")}},
                 .counts = {.count = 2, .items = counts},
                 .shapes = {.count = 1, .items = shapes},
                 .palette = {RED, GREEN}};
    assert_text(
        &rask_type_drawing, &d,
        "(2020-02-29,12:30,BLUE,round((1.5,c)),{b=2, a=1},{BLUE=size(1.5)},[RED, GREEN],[])");
    d.outline.which = 9;
    d.background = (color)17;
    d.shapes.count = d.counts.count = 0;
    assert_text(&rask_type_drawing, &d, "(2020-02-29,12:30,?,?,{},{},[RED, GREEN],[])");
}

static void schemas_for_people(void **state) {
    (void)state;
    char *text = rask_type_schema(&rask_type_drawing);
    assert_string_equal(text,
                        "drawing\n"
                        " |-- day: LOCAL_DATE NOT NULL\n"
                        " |-- at: LOCAL_TIME\n"
                        " |-- background: color<RED, GREEN, BLUE> NOT NULL\n"
                        " |-- outline: one of shape NOT NULL\n"
                        " |    |-- round: circle NOT NULL\n"
                        " |    |    |-- radius: DOUBLE NOT NULL\n"
                        " |    |    |-- label: STRING NOT NULL\n"
                        " |    |-- corners: LIST<INT NOT NULL> NOT NULL\n"
                        " |    |-- size: BIG_DEC NOT NULL\n"
                        " |-- counts: MAP<STRING NOT NULL, LONG NOT NULL> NOT NULL\n"
                        " |-- shapes: MAP<color<RED, GREEN, BLUE> NOT NULL, one of shape NOT "
                        "NULL> NOT NULL\n"
                        " |    |-- key: color<RED, GREEN, BLUE> NOT NULL\n"
                        " |    |-- value: one of shape NOT NULL\n"
                        " |    |    |-- round: circle NOT NULL\n"
                        " |    |    |    |-- radius: DOUBLE NOT NULL\n"
                        " |    |    |    |-- label: STRING NOT NULL\n"
                        " |    |    |-- corners: LIST<INT NOT NULL> NOT NULL\n"
                        " |    |    |-- size: BIG_DEC NOT NULL\n"
                        " |-- palette: ARRAY[2]<color<RED, GREEN, BLUE> NOT NULL> NOT NULL\n"
                        " |-- prices: LIST<BIG_DEC NOT NULL> NOT NULL\n");
    free(text);
    text = rask_type_schema(&rask_type_rask_optional_double);
    assert_string_equal(text, "DOUBLE\n");
    free(text);
    text = rask_type_schema(&rask_type_rask_list_circle);
    assert_string_equal(text,
                        "LIST<circle NOT NULL> NOT NULL\n"
                        " |-- radius: DOUBLE NOT NULL\n"
                        " |-- label: STRING NOT NULL\n");
    free(text);
    text = rask_type_schema(NULL);
    assert_string_equal(text, "a stream has no record type\n");
    free(text);
}

static void maps_are_equal_in_any_order(void **state) {
    (void)state;
    const rask_entry(rask_string, int64_t)
        x[] = {{rask_string_from("b"), 2}, {rask_string_from("a"), 1}, {rask_string_from("c"), 3}};
    const rask_entry(rask_string, int64_t) y[] = {x[2], x[0], x[1]};
    const rask_entry(rask_string, int64_t)
        z[] = {{rask_string_from("b"), 2}, {rask_string_from("a"), 1}, {rask_string_from("c"), 4}};
    const rask_map_of(rask_string, int64_t) maps[] = {{.count = 3, .items = x},
                                                      {.count = 3, .items = y},
                                                      {.count = 3, .items = z},
                                                      {.count = 2, .items = x},
                                                      {.count = 0}};
    const rask_type *type = &rask_type_rask_map_of_rask_string_int64_t;
    assert_true(raski_value_equal(type, &maps[0], &maps[1]));
    assert_true(raski_value_compare(type, &maps[0], &maps[2]) < 0);
    assert_true(raski_value_compare(type, &maps[2], &maps[1]) > 0);
    assert_true(raski_value_compare(type, &maps[3], &maps[1]) < 0);
    assert_true(raski_value_compare(type, &maps[4], &maps[3]) < 0);
}

static void variants_are_ordered_by_what_they_are(void **state) {
    (void)state;
    const shape a = {.which = shape_round, .round = {9, rask_string_from("z")}};
    const shape b = {.which = shape_size, .size = rask_decimal_of(1, 0)};
    const shape c = {.which = shape_size, .size = rask_decimal_of(2, 0)};
    assert_true(raski_value_compare(&rask_type_shape, &a, &b) < 0);
    assert_true(raski_value_compare(&rask_type_shape, &c, &b) > 0);
    assert_true(raski_value_equal(&rask_type_shape, &c, &c));
}

static void may_not_be_keys(void **state) {
    (void)state;
    raski_error err = {0};
    assert_int_equal(raski_type_check_key(&rask_type_color, &err), RASK_E_ARGUMENT);
    assert_string_equal(err.message,
                        "Type ENUM<color> cannot be used as key. Contained UNSUPPORTED key types: "
                        "ENUM<color>. Look at the keyBy() documentation for the conditions a type "
                        "has to satisfy in order to be eligible for a key.");
    assert_false(raski_type_is_key(&rask_type_shape));
    assert_false(raski_type_is_key(&rask_type_rask_map_of_rask_string_int64_t));
    assert_false(raski_type_is_key(&rask_type_rask_list_color));
}

static void assert_invalid(const rask_type *type, const char *message) {
    raski_error err = {0};
    assert_int_equal(raski_type_validate(type, &err), RASK_E_ARGUMENT);
    assert_string_equal(err.message, message);
}

static void wrong_descriptions_are_refused(void **state) {
    (void)state;
    rask_field names[] = {{.name = "A"}, {.name = "A"}};
    rask_type e = rask_type_color;
    e.fields = names;
    e.field_count = 2;
    assert_invalid(&e, "enumeration color names \"A\" twice");
    e.field_count = 0;
    assert_invalid(&e, "enumeration color has nothing to choose from");
    rask_field members[3];
    memcpy(members, rask_type_shape.fields, sizeof members);
    rask_type v = rask_type_shape;
    v.fields = members;
    members[1].offset += 8;
    assert_invalid(&v,
                   "variant shape: \"corners\" must be a member of the same union as \"round\"");
    members[1].offset = 0;
    assert_invalid(&v,
                   "RASK_TYPE(shape): field \"corners\" at offset 0 must be listed in the order "
                   "of the struct and not overlap the field before it");
    members[1] = rask_type_shape.fields[1];
    members[1].array_length = 1;
    assert_invalid(&v, "variant shape: \"corners\" is an array; put it into a record");
    rask_type m = rask_type_rask_map_of_rask_string_int64_t;
    m.element = &rask_type_circle;
    assert_invalid(&m, "MAP needs entries that are records of a key and a value");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_and_hashes_of_the_jvm),
        cmocka_unit_test(dates),
        cmocka_unit_test(decimals_are_parsed),
        cmocka_unit_test(decimals_are_compared),
        cmocka_unit_test(decimals_are_added),
        cmocka_unit_test(macros_describe_them),
        cmocka_unit_test(schemas_for_people),
        cmocka_unit_test(maps_are_equal_in_any_order),
        cmocka_unit_test(variants_are_ordered_by_what_they_are),
        cmocka_unit_test(may_not_be_keys),
        cmocka_unit_test(wrong_descriptions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
