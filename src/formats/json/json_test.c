/* JSON: what each text means, how records are written, and what is said about bad ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rask/rask.h>

typedef struct point {
    int32_t x;
    rask_string label;
} point;
RASK_TYPE(point, x, label);
RASK_ENUM(color, RED, GREEN);
typedef struct shape {
    int32_t which;
    union {
        point place;
        double radius;
    };
} shape;
RASK_VARIANT(shape, (place, point), radius);
RASK_MAP_OF(rask_string, point);
RASK_MAP_OF(rask_date, int32_t);
typedef struct numbers {
    rask_optional(int8_t) tiny;
    rask_optional(int16_t) small;
    rask_optional(int32_t) normal;
    rask_optional(int64_t) big;
    rask_optional(float) real;
    rask_optional(double) exact;
    rask_optional(rask_bool) flag;
    rask_optional(rask_decimal) money;
} numbers;
RASK_TYPE(numbers, tiny, small, normal, big, real, exact, flag, money);
typedef struct texts {
    rask_optional(rask_string) text;
    rask_optional(rask_bytes) raw;
    rask_optional(rask_timestamp) at;
    rask_optional(rask_date) day;
    rask_optional(rask_time) time;
    rask_optional(rask_datetime) both;
    rask_optional(rask_instant) instant;
    rask_optional(rask_duration) took;
    rask_optional(color) shade;
} texts;
RASK_TYPE(texts, text, raw, (at, rask_optional(rask_timestamp)), day, time, both, instant, took,
          (shade, rask_optional(color)));
typedef struct nested {
    rask_optional(point) origin;
    rask_list(point) points;
    int16_t grid[2];
    rask_map_of(rask_string, point) named;
    rask_map_of(rask_date, int32_t) days;
    rask_list(shape) shapes;
} nested;
RASK_TYPE(nested, (origin, rask_optional(point)), (points, rask_list(point)), grid,
          (named, rask_map_of(rask_string, point)), (days, rask_map_of(rask_date, int32_t)),
          (shapes, rask_list(shape)));

#define OPTIONS(...) (&(const rask_json_options){__VA_ARGS__})

/* The record as print shows it, or the error. */
static const char *read_as_text(const rask_type *type, const rask_json_options *options,
                                const char *text) {
    static char result[1024];
    char message[256] = "";
    rask_format_error error;
    rask_format_reader *reader = rask_json_reader_create(type, options, message, sizeof message);
    if (reader == NULL) fail_msg("%s", message);
    void *record = malloc(type->size);
    assert_non_null(record);
    rask_status status = rask_format_read(reader, text, strlen(text), record, &error);
    if (status == RASK_OK) {
        rask_text out = {0};
        assert_int_equal(rask_text_append_record(&out, type, record), RASK_OK);
        (void)snprintf(result, sizeof result, "%.*s", (int)out.length, out.data ? out.data : "");
        free(out.data);
    } else {
        assert_int_equal(status, RASK_E_CORRUPT);
        rask_format_error_text(&error, result, sizeof result);
    }
    free(record);
    rask_format_reader_destroy(reader);
    return result;
}

#define READS(type, options, text, expected) \
    assert_string_equal(read_as_text(&rask_type_##type, options, text), expected)

static const char *write_text(const rask_type *type, const rask_json_options *options,
                              const void *record) {
    static char result[1024];
    char message[256] = "";
    rask_format_error error;
    rask_text out = {0};
    rask_format_writer *writer = rask_json_writer_create(type, options, message, sizeof message);
    if (writer == NULL) fail_msg("%s", message);
    if (rask_format_append(writer, &out, record, &error) == RASK_OK) {
        (void)snprintf(result, sizeof result, "%.*s", (int)out.length, out.data);
    } else {
        assert_int_equal(out.length, 0);
        rask_format_error_text(&error, result, sizeof result);
    }
    free(out.data);
    rask_format_writer_destroy(writer);
    return result;
}

static void good_numbers(void **state) {
    (void)state;
    READS(numbers, NULL, "{}", "(null,null,null,null,null,null,null,null)");
    READS(numbers, NULL,
          "{\"tiny\":-128,\"small\":32767,\"normal\":-2147483648,\"big\":9223372036854775807,"
          "\"real\":0.1,\"exact\":1e-7,\"flag\":true,\"money\":12.50}",
          "(-128,32767,-2147483648,9223372036854775807,0.1,1.0E-7,true,12.50)");
    READS(numbers, NULL,
          " { \"exact\" : \"NaN\" ,\t\"real\":\"-Infinity\",\r\n\"flag\":false, \"tiny\" : null ,"
          "\"money\":1E3, \"big\":-0 } ",
          "(null,null,null,0,-Infinity,NaN,false,1E+3)");
    READS(numbers, NULL, "{\"exact\":17976931348623157e292,\"real\":3.4028234663852886e38}",
          "(null,null,null,null,3.4028235E38,1.7976931348623157E308,null,null)");
    READS(numbers, NULL, "{\"exact\":1e-400,\"real\":1e-50}",
          "(null,null,null,null,0.0,0.0,null,null)");
    READS(int64_t, NULL, "17", "17");
    READS(rask_string, NULL, "\"x\"", "x");
}

/* Numbers on which careless parsers round twice. */
static void numbers_are_exact(void **state) {
    (void)state;
    READS(double, NULL, "9007199254740993", "9.007199254740992E15");
    READS(double, NULL, "9007199254740993.00000000000000000000000000000000001",
          "9.007199254740994E15");
    READS(double, NULL, "2.2250738585072011e-308", "2.225073858507201E-308");
    READS(double, NULL, "4.9406564584124654e-324", "4.9E-324");
    READS(double, NULL, "2.4703282292062327e-324", "0.0");
    READS(double, NULL, "2.4703282292062328e-324", "4.9E-324");
    READS(double, NULL, "1.7976931348623158e308", "1.7976931348623157E308");
    READS(float, NULL, "16777217", "1.6777216E7");
    READS(float, NULL, "1.00000005960464484", "1.0000001"); /* through a double it would be 1.0 */
    char long_number[2000];
    memset(long_number, '0', sizeof long_number);
    memcpy(long_number, "9007199254740993.", 17);
    memcpy(long_number + 1990, "1", 2);
    READS(double, NULL, long_number, "9.007199254740994E15");
    memcpy(long_number + 1990, "0", 2);
    READS(double, NULL, long_number, "9.007199254740992E15");
}

static void good_texts(void **state) {
    (void)state;
    READS(texts, NULL,
          "{\"text\":\"a \\\"b\\\" \\\\ \\/ \\n\\t\\u00e4\\ud83d\\ude00 \xc3\xa4\","
          "\"raw\":\"AQIDBA==\",\"at\":\"2020-02-29T12:30:00.5+01:00\",\"day\":\"2020-02-29\"}",
          "(a \"b\" \\ / \n\t\xc3\xa4\xf0\x9f\x98\x80 \xc3\xa4,[1, 2, 3, 4],1582975800500,"
          "2020-02-29,null,null,null,null,null)");
    READS(texts, NULL,
          "{\"at\":1582975800500,\"time\":\"12:30\",\"both\":\"2020-02-29 12:30:00.000001\","
          "\"instant\":\"1969-12-31T23:59:59.999999999Z\",\"took\":\"P1DT-2H0.5S\","
          "\"shade\":\"GREEN\"}",
          "(null,null,1582975800500,null,12:30,2020-02-29T12:30:00.000001,"
          "1969-12-31T23:59:59.999999999Z,PT22H0.5S,GREEN)");
    READS(texts, NULL, "{\"te\\u0078t\":\"\"}", "(,null,null,null,null,null,null,null,null)");
    READS(texts, OPTIONS(.ignore_unknown_fields = true),
          "{\"x\":[1,{\"y\":[null,true,\"}\"]}],\"text\":\"t\",\"x\":-1.5e3,\"z\":{}}",
          "(t,null,null,null,null,null,null,null,null)");
}

static void good_nested(void **state) {
    (void)state;
    READS(nested, NULL,
          "{\"origin\":null,\"points\":[],\"grid\":[1,2],\"named\":{},\"days\":{},\"shapes\":[]}",
          "(null,[],[1, 2],{},{},[])");
    READS(nested, NULL,
          "{\"origin\":{\"x\":1,\"label\":\"o\"},\"points\":[{\"label\":\"p\",\"x\":2},"
          "{\"x\":3,\"label\":\"q\"}],\"grid\":[-1,0],\"named\":{\"\":{\"x\":4,\"label\":\"r\"}},"
          "\"days\":{\"2020-02-29\":5,\"2020-03-01\":6},\"shapes\":[{\"radius\":1.5},{\"place\":"
          "{\"x\":7,\"label\":\"s\"}}]}",
          "((1,o),[(2,p), (3,q)],[-1, 0],{=(4,r)},{2020-02-29=5, 2020-03-01=6},[radius(1.5), "
          "place((7,s))])");
}

static void bad_records(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } all[] = {
        {"", "1:1: the record ends here, where an object is expected"},
        {"[]", "1:1: \"[\" where an object is expected"},
        {"null", "1:1: \"null\" where an object is expected"},
        {"{", "1:2: the record ends here, where the name of a field in quotes is expected"},
        {"{\"x\"", "1:5: the record ends here, where \":\" is expected"},
        {"{\"x\":",
         "1:6: field \"x\": the record ends here, where INT (-2147483648 to "
         "2147483647) is expected"},
        {"{\"x\":1", "1:7: the record ends here, where \",\" or \"}\" is expected"},
        {"{\"x\":1,}", "1:8: \"}\" where a field behind the comma is expected"},
        {"{\"x\":1 \"label\":\"\"}", "1:8: \"\"\" where \",\" or \"}\" is expected"},
        {"{x:1}", "1:2: \"x\" where the name of a field in quotes is expected"},
        {"{'x':1}", "1:2: \"'x'\" where the name of a field in quotes is expected"},
        {"{\"x\"=1}", "1:5: \"=1\" where \":\" is expected"},
        {"{\"x\":1,\"label\":\"\"} x", "1:20: \"x\" where the end of the record is expected"},
        {"{\"x\":1,\"label\":\"\"}{}", "1:19: \"{\" where the end of the record is expected"},
        {"{\"x\":1}", "1:1: field \"label\": the field is missing, and it is not optional"},
        {"{\"x\":1,\"y\":2,\"label\":\"\"}",
         "1:8: point has no field \"y\" (ignore_unknown_fields passes over such fields)"},
        {"{\"x\":1,\"x\":2,\"label\":\"\"}", "1:8: field \"x\": the field is there twice"},
        {"{\"x\":\"1\",\"label\":\"\"}",
         "1:6: field \"x\": \"\"\" where INT (-2147483648 to 2147483647) is expected"},
        {"{\"x\":1.0,\"label\":\"\"}",
         "1:6: field \"x\": \"1.0\" is not a value of type INT (-2147483648 to 2147483647)"},
        {"{\"x\":1e2,\"label\":\"\"}",
         "1:6: field \"x\": \"1e2\" is not a value of type INT (-2147483648 to 2147483647)"},
        {"{\"x\":2147483648,\"label\":\"\"}",
         "1:6: field \"x\": \"2147483648\" is out of range of INT (-2147483648 to 2147483647)"},
        {"{\"x\":null,\"label\":\"\"}",
         "1:6: field \"x\": \"null\" where INT (-2147483648 to 2147483647) is expected"},
        {"{\"x\":true,\"label\":\"\"}",
         "1:6: field \"x\": \"true\" where INT (-2147483648 to 2147483647) is expected"},
        {"{\"x\":01,\"label\":\"\"}", "1:6: field \"x\": \"01\" is no number of JSON"},
        {"{\"x\":+1,\"label\":\"\"}",
         "1:6: field \"x\": \"+1\" where INT (-2147483648 to 2147483647) is expected"},
        {"{\"x\":-,\"label\":\"\"}", "1:6: field \"x\": \"-\" is no number of JSON"},
        {"{\"x\":1x,\"label\":\"\"}", "1:6: field \"x\": \"1x\" is no number of JSON"},
        {"{\"x\":1.,\"label\":\"\"}", "1:6: field \"x\": \"1.\" is no number of JSON"},
        {"{\"x\":1,\"label\":1}", "1:16: field \"label\": \"1\" where STRING is expected"},
        {"{\"x\":1,\n\"label\":\"a\tb\"}",
         "2:11: field \"label\": control character 0x09 within a string (it is written \\u0009)"},
        {"{\"x\":1,\"label\":\"\xc3\xa4",
         "1:16: field \"label\": the string that begins here does "
         "not end"},
        {"{\"x\":1,\"label\":\"\\", "1:17: field \"label\": the record ends within a string"},
        {"{\"x\":1,\"label\":\"\\x\"}", "1:17: field \"label\": \"\\x\" is no escape of JSON"},
        {"{\"x\":1,\"label\":\"\\u12\"}",
         "1:17: field \"label\": \\u is not followed by four hexadecimal digits"},
        {"{\"x\":1,\"label\":\"\\ud83d\"}",
         "1:17: field \"label\": \\ud83d is half of a surrogate pair without the other"},
        {"{\"x\":1,\"label\":\"\\ude00\\ud83d\"}",
         "1:17: field \"label\": \\ude00 is half of a surrogate pair without the other"},
        {"{\"x\":1,\"label\":\"\xc3\x28\"}", "1:17: byte 0xc3 is not UTF-8 here"},
        {"{\"x\":1,\"label\":\"\"}\xff", "1:19: byte 0xff is not UTF-8 here"},
        {"\xef\xbb\xbf{}", "1:1: \"\xef\xbb\xbf\" where an object is expected"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        READS(point, NULL, all[i].text, all[i].expected);
}

static void bad_values(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } all[] = {
        {"{\"tiny\":128}", "1:9: field \"tiny\": \"128\" is out of range of BYTE (-128 to 127)"},
        {"{\"big\":9223372036854775808}",
         "1:8: field \"big\": \"9223372036854775808\" is out of range of LONG "
         "(-9223372036854775808 to 9223372036854775807)"},
        {"{\"real\":1e39}",
         "1:9: field \"real\": \"1e39\" is out of range of FLOAT (up to 3.4028235E38)"},
        {"{\"exact\":\"1\"}",
         "1:10: field \"exact\": \"1\" is not a value of type DOUBLE (up to "
         "1.7976931348623157E308)"},
        {"{\"exact\":NaN}",
         "1:10: field \"exact\": \"NaN\" where DOUBLE (up to "
         "1.7976931348623157E308) is expected"},
        {"{\"flag\":1}", "1:9: field \"flag\": \"1\" where BOOLEAN (true or false) is expected"},
        {"{\"flag\":truer}",
         "1:9: field \"flag\": \"truer\" where BOOLEAN (true or false) is expected"},
        {"{\"money\":1e-9999999999}",
         "1:10: field \"money\": \"1e-9999999999\" is out of range of "
         "BIG_DEC (up to 38 digits)"},
        {"{\"money\":\"1\"}",
         "1:10: field \"money\": \"\"\" where BIG_DEC (up to 38 digits) is expected"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        READS(numbers, NULL, all[i].text, all[i].expected);
    READS(texts, NULL, "{\"raw\":\"AQ=\"}", "1:8: field \"raw\": \"AQ=\" is not base64");
    READS(texts, NULL, "{\"raw\":\"AQID!\"}", "1:8: field \"raw\": \"AQID!\" is not base64");
    READS(texts, NULL, "{\"raw\":\"AR==\"}", "1:8: field \"raw\": \"AR==\" is not base64");
    READS(texts, NULL, "{\"day\":\"2021-02-29\"}",
          "1:8: field \"day\": \"2021-02-29\" is not a value of type LOCAL_DATE (2020-02-29)");
    READS(texts, NULL, "{\"time\":\"24:00\"}",
          "1:9: field \"time\": \"24:00\" is not a value of type LOCAL_TIME (12:30:00.123)");
    READS(texts, NULL, "{\"both\":\"2020-02-29T12:30Z\"}",
          "1:9: field \"both\": \"2020-02-29T12:30Z\" is not a value of type LOCAL_DATE_TIME "
          "(2020-02-29T12:30:00.123)");
    READS(texts, NULL, "{\"instant\":12}",
          "1:12: field \"instant\": \"12\" where INSTANT (2020-02-29T12:30:00.123Z) is expected");
    READS(texts, NULL, "{\"took\":\"PT\"}",
          "1:9: field \"took\": \"PT\" is not a value of type DURATION (P1DT2H30M0.5S)");
    READS(texts, NULL, "{\"took\":\"P106751991167301D\"}",
          "1:9: field \"took\": \"P106751991167301D\" is out of range of DURATION (P1DT2H30M0.5S)");
    READS(texts, NULL, "{\"shade\":\"red\"}",
          "1:10: field \"shade\": \"red\" is not a value of type color (RED, GREEN)");
    READS(
        texts, NULL, "{\"at\":1.5}",
        "1:7: field \"at\": \"1.5\" is not a value of type TIMESTAMP (2020-02-29T12:30:00.123Z, or "
        "milliseconds since 1970)");
}

static void bad_nested(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } all[] = {
        {"{\"points\":[{\"x\":1,\"label\":\"\"},{\"x\":2,\"label\":3}]}",
         "1:46: field \"points[1].label\": \"3\" where STRING is expected"},
        {"{\"points\":[{\"x\":1}]}",
         "1:12: field \"points[0].label\": the field is missing, and it is not optional"},
        {"{\"points\":{}}", "1:11: field \"points\": \"{\" where a list is expected"},
        {"{\"points\":[,]}", "1:12: field \"points[0]\": \",\" where an object is expected"},
        {"{\"points\":[1,]}", "1:12: field \"points[0]\": \"1\" where an object is expected"},
        {"{\"points\":[]", "1:13: the record ends here, where \",\" or \"}\" is expected"},
        {"{\"grid\":[1]}", "1:9: field \"grid\": the array has 1 of 2 values"},
        {"{\"grid\":[1,2,3]}", "1:14: field \"grid\": the array has more than 2 values"},
        {"{\"grid\":[1,2,]}",
         "1:14: field \"grid\": \"]\" where a value behind the comma is expected"},
        {"{\"grid\":[1,70000]}",
         "1:12: field \"grid[1]\": \"70000\" is out of range of SHORT (-32768 to 32767)"},
        {"{\"named\":{\"a b\":{\"x\":1,\"label\":2}}}",
         "1:32: field \"named.a b.label\": \"2\" where STRING is expected"},
        {"{\"days\":{\"x\":1}}",
         "1:10: field \"days\": \"x\" is not a value of type LOCAL_DATE (2020-02-29)"},
        {"{\"days\":{\"2020-02-29\":1,\"2020-02-29\":2}}",
         "1:25: field \"days\": the key of the map is there twice"},
        {"{\"shapes\":[{}]}",
         "1:13: field \"shapes[0]\": \"}\" where the name of a field in quotes is expected"},
        {"{\"shapes\":[{\"square\":1}]}",
         "1:13: field \"shapes[0]\": shape has no alternative \"square\""},
        {"{\"shapes\":[{\"radius\":1,\"radius\":2}]}",
         "1:24: field \"shapes[0]\": a shape is one value, but a second one follows"},
        {"{\"shapes\":[{\"place\":{\"x\":true}}]}",
         "1:26: field \"shapes[0].place.x\": \"true\" where INT (-2147483648 to 2147483647) is "
         "expected"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        READS(nested, NULL, all[i].text, all[i].expected);
}

static void limits(void **state) {
    (void)state;
    char deep[300];
    size_t n = (size_t)snprintf(deep, sizeof deep, "{\"y\":");
    memset(deep + n, '[', 63);
    memset(deep + n + 63, ']', 63);
    memcpy(deep + n + 126, ",\"x\":1,\"label\":\"\"}", 19);
    READS(point, OPTIONS(.ignore_unknown_fields = true), deep, "(1,)");
    READS(point, OPTIONS(.ignore_unknown_fields = true, .depth_max = 10), deep,
          "1:15: more than 10 objects and arrays within each other (depth_max)");
    memset(deep + n, '[', sizeof deep - n - 1);
    deep[sizeof deep - 1] = '\0';
    READS(point, OPTIONS(.ignore_unknown_fields = true), deep,
          "1:69: more than 64 objects and arrays within each other (depth_max)");
    READS(point, OPTIONS(.record_bytes_max = 10), "{\"x\":1,\"label\":\"\"}",
          "1:1: the record has 18 bytes, more than the limit of 10 (record_bytes_max)");
    READS(numbers, OPTIONS(.fail_on_missing_field = true), "{\"tiny\":1}",
          "1:1: field \"small\": the field is missing (fail_on_missing_field is set)");
}

static void wrong_options_and_types(void **state) {
    (void)state;
    char message[256];
    assert_null(
        rask_json_reader_create(&rask_type_point, OPTIONS(.depth_max = 2000), message, 256));
    assert_string_equal(message, "json option depth_max must be in 1..1024, not 2000");
    assert_null(
        rask_json_writer_create(&rask_type_point, OPTIONS(.record_bytes_max = -5), message, 256));
    assert_string_equal(message, "json option record_bytes_max must be in 1..1073741824, not -5");
    rask_type twice = rask_type_rask_optional_double;
    twice.element = &rask_type_rask_optional_double;
    assert_null(rask_json_reader_create(&twice, NULL, message, sizeof message));
    assert_string_equal(message,
                        "JSON has no place for rask_optional(double): an absent value and one that "
                        "holds an absent value are both null");
}

static void written(void **state) {
    (void)state;
    numbers n = {.tiny = rask_some(int8_t, -1),
                 .real = rask_some(float, 0.1F),
                 .exact = rask_some(double, 1e300 * 1e300),
                 .flag = rask_some(rask_bool, true),
                 .money = rask_some(rask_decimal, rask_decimal_of(-125, -3))};
    assert_string_equal(write_text(&rask_type_numbers, NULL, &n),
                        "{\"tiny\":-1,\"small\":null,\"normal\":null,\"big\":null,\"real\":0.1,"
                        "\"exact\":\"Infinity\",\"flag\":true,\"money\":-1.25E+5}");
    assert_string_equal(
        write_text(&rask_type_numbers,
                   OPTIONS(.ignore_null_fields = true, .decimal_as_plain_number = true), &n),
        "{\"tiny\":-1,\"real\":0.1,\"exact\":\"Infinity\",\"flag\":true,\"money\":-125000}");
    n.money.value = rask_decimal_of(-125, 5);
    assert_string_equal(
        write_text(&rask_type_numbers,
                   OPTIONS(.ignore_null_fields = true, .decimal_as_plain_number = true), &n),
        "{\"tiny\":-1,\"real\":0.1,\"exact\":\"Infinity\",\"flag\":true,\"money\":-0.00125}");
    texts t = {.text = rask_some(rask_string, rask_string_from("\"\\\n\x01\x7f\xc3\xa4/")),
               .at = rask_some(rask_timestamp, -1),
               .both = rask_some(rask_datetime, rask_datetime_of(rask_date_of(-5, 1, 2),
                                                                 rask_time_of(1, 2, 3, 400))),
               .shade = rask_some(color, GREEN)};
    assert_string_equal(write_text(&rask_type_texts, OPTIONS(.ignore_null_fields = true), &t),
                        "{\"text\":\"\\\"\\\\\\n\\u0001\x7f\xc3\xa4/\",\"at\":\"1969-12-31 "
                        "23:59:59.999Z\",\"both\":\"-0005-01-02 01:02:03.0000004\",\"shade\":"
                        "\"GREEN\"}");
    assert_string_equal(
        write_text(&rask_type_texts,
                   OPTIONS(.ignore_null_fields = true, .timestamp_format = RASK_TIMESTAMP_ISO_8601),
                   &t),
        "{\"text\":\"\\\"\\\\\\n\\u0001\x7f\xc3\xa4/\",\"at\":\"1969-12-31T23:59:59.999Z\","
        "\"both\":\"-0005-01-02T01:02:03.0000004\",\"shade\":\"GREEN\"}");
    t.text.present = t.both.present = false;
    t.shade.value = (color)5;
    assert_string_equal(write_text(&rask_type_texts, NULL, &t),
                        "field \"shade\": a color has no constant number 5");
    t.shade.present = false;
    t.time = rask_some(rask_time, {-1});
    assert_string_equal(write_text(&rask_type_texts, NULL, &t),
                        "field \"time\": -1 nanoseconds are not within a day");
    t.time.present = false;
    t.took = rask_some(rask_duration, {0, 1000000000});
    assert_string_equal(write_text(&rask_type_texts, NULL, &t),
                        "field \"took\": 1000000000 nanoseconds are not within a second");
    t.took.present = false;
    assert_string_equal(
        write_text(&rask_type_texts,
                   OPTIONS(.ignore_null_fields = true, .timestamp_format = RASK_TIMESTAMP_MILLIS),
                   &t),
        "{\"at\":-1}");
}

static void written_nested(void **state) {
    (void)state;
    const shape shapes[] = {{.which = shape_radius, .radius = 2},
                            {.which = shape_place, .place = {1, rask_string_of("\xff", 1)}},
                            {.which = 7}};
    const rask_entry(rask_date, int32_t) days[] = {{rask_date_of(2020, 2, 29), 1}};
    nested n = {.grid = {1, 2},
                .days = {.count = 1, .items = days},
                .shapes = {.count = 1, .items = shapes}};
    assert_string_equal(write_text(&rask_type_nested, NULL, &n),
                        "{\"origin\":null,\"points\":[],\"grid\":[1,2],\"named\":{},\"days\":{"
                        "\"2020-02-29\":1},\"shapes\":[{\"radius\":2.0}]}");
    n.shapes.count = 2;
    assert_string_equal(write_text(&rask_type_nested, NULL, &n),
                        "field \"shapes[1].place.label\": the text is not UTF-8 at byte 0 (0xff)");
    n.shapes.items = shapes + 2;
    n.shapes.count = 1;
    assert_string_equal(write_text(&rask_type_nested, NULL, &n),
                        "field \"shapes[0]\": a shape has no alternative number 7");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_numbers),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(good_texts),
        cmocka_unit_test(good_nested),
        cmocka_unit_test(bad_records),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(bad_nested),
        cmocka_unit_test(limits),
        cmocka_unit_test(written),
        cmocka_unit_test(written_nested),
        cmocka_unit_test(wrong_options_and_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
