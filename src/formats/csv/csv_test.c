/* CSV: what each cell means, how records are written, and what is said about bad ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rask/rask.h>

typedef struct pair {
    int32_t left;
    rask_string right;
} pair;
RASK_TYPE(pair, left, right);
typedef struct row {
    int32_t id;
    rask_string name;
    rask_optional(double) price;
    rask_optional(rask_string) note;
    bool flag;
} row;
RASK_TYPE(row, id, name, price, note, flag);
typedef struct complex_row {
    rask_list(int64_t) numbers;
    pair both;
    int16_t grid[3];
    rask_bytes raw;
    rask_timestamp at;
    rask_optional(pair) maybe;
    rask_optional(int8_t) tiny[2];
    float real;
} complex_row;
RASK_TYPE(complex_row, (numbers, rask_list(int64_t)), (both, pair), grid, raw, (at, rask_timestamp),
          (maybe, rask_optional(pair)), (tiny, rask_optional(int8_t)), real);

static rask_format_reader *reader_of(const rask_type *type, const rask_csv_options *options) {
    char message[256] = "";
    rask_format_reader *reader = rask_csv_reader_create(type, options, message, sizeof message);
    if (reader == NULL) fail_msg("%s", message);
    return reader;
}

/* The record as print shows it, or the error. */
static const char *read_as_text(const rask_type *type, const rask_csv_options *options,
                                const char *header, const char *text, size_t length) {
    static char result[1024];
    rask_format_error error;
    rask_format_reader *reader = reader_of(type, options);
    void *record = malloc(type->size);
    assert_non_null(record);
    rask_status status = RASK_OK;
    if (header != NULL) status = rask_csv_read_header(reader, header, strlen(header), &error);
    if (status == RASK_OK) status = rask_format_read(reader, text, length, record, &error);
    if (status == RASK_OK) {
        rask_text out = {0};
        assert_int_equal(rask_text_append_record(&out, type, record), RASK_OK);
        (void)snprintf(result, sizeof result, "%.*s", (int)out.length, out.data);
        free(out.data);
    } else {
        assert_int_equal(status, RASK_E_CORRUPT);
        rask_format_error_text(&error, result, sizeof result);
    }
    free(record);
    rask_format_reader_destroy(reader);
    return result;
}

static const char *write_text(const rask_type *type, const rask_csv_options *options,
                              const void *record) {
    static char result[1024];
    char message[256] = "";
    rask_format_error error;
    rask_text out = {0};
    rask_format_writer *writer = rask_csv_writer_create(type, options, message, sizeof message);
    if (writer == NULL) fail_msg("%s", message);
    if (rask_format_append(writer, &out, record, &error) == RASK_OK) {
        (void)snprintf(result, sizeof result, "%.*s", (int)out.length, out.data ? out.data : "");
    } else {
        assert_int_equal(out.length, 0);
        rask_format_error_text(&error, result, sizeof result);
    }
    free(out.data);
    rask_format_writer_destroy(writer);
    return result;
}

#define READS(type, options, text, expected) \
    assert_string_equal(read_as_text(&rask_type_##type, options, NULL, text, strlen(text)), \
                        expected)
#define OPTIONS(...) (&(const rask_csv_options){__VA_ARGS__})

static void cells(void **state) {
    (void)state;
    READS(row, NULL, "1,two,3.5,four,true", "(1,two,3.5,four,true)");
    READS(row, NULL, " -1 ,  two ,\t3 ,, TRUE\r\n", "(-1,  two ,3.0,null,true)");
    READS(row, NULL, "+7,\"a \"\"b\"\", c\nd\",,\"\",false\n", "(7,a \"b\", c\nd,null,,false)");
    READS(row, NULL, "007,,1e3,NA,False", "(7,,1000.0,NA,false)");
    READS(row, OPTIONS(.null_literal = "NA"), "1,\"NA\",NA,NA,true", "(1,NA,null,null,true)");
    READS(row, OPTIONS(.null_literal = "NA"), "1,,2,,true", "(1,,2.0,,true)");
    READS(row, OPTIONS(.field_delimiter = '\t', .quote_character = '\''), "1\t'a\tb'\t\t\tfalse",
          "(1,a\tb,null,null,false)");
    READS(row, OPTIONS(.disable_quote_character = true), "1,a\"b,NaN,\"x\",true",
          "(1,a\"b,NaN,\"x\",true)");
    READS(row, OPTIONS(.escape_character = '\\'), "1,a\\,b\\n\\\"c,-Infinity,\"\\\"\",true",
          "(1,a,b\n\"c,-Infinity,\",true)");
    READS(row, OPTIONS(.field_delimiter = '|'), "1|a,b|||true", "(1,a,b,null,null,true)");
}

static void several_values_in_a_cell(void **state) {
    (void)state;
    READS(complex_row, NULL, "1;2;-3,4;five,6;7;8,AQID,2020-02-29T12:00:00.5Z,,1;,0.1",
          "([1, 2, -3],(4,five),[6, 7, 8],[1, 2, 3],1582977600500,null,[1, null],0.1)");
    READS(complex_row, OPTIONS(.array_element_delimiter = "||", .null_literal = "-"),
          ",4||,6||7||8,,-5,1||-x,-||2,3e38", "([],(4,),[6, 7, 8],[],-5,(1,-x),[null, 2],3.0E38)");
    READS(complex_row, NULL, "\"1;2\",\"4;a,b\",1;2;3,,1970-01-01,\"9;\",;,1",
          "([1, 2],(4,a,b),[1, 2, 3],[],0,(9,),[null, null],1.0)");
}

static void basic_types_are_one_column(void **state) {
    (void)state;
    READS(int64_t, NULL, "-9223372036854775808", "-9223372036854775808");
    READS(rask_string, NULL, "", "");
    READS(rask_string, NULL, "\"a,b\"\n", "a,b");
    READS(int64_t, NULL, "1,2", "1:3: the record has more cells than the 1 that are expected");
}

static void headers(void **state) {
    (void)state;
    const rask_csv_options o = {.header = RASK_CSV_HEADER_NAMES};
    const rask_csv_options lax = {.header = RASK_CSV_HEADER_NAMES, .ignore_unknown_fields = true};
    static const struct {
        bool lax;
        const char *header, *text, *expected;
    } all[] = {
        {false, "flag,id,name\r\n", "true,1,x", "(1,x,null,null,true)"},
        {false, "\"name\",id,flag,note,price", "x,1,true,y,2", "(1,x,2.0,y,true)"},
        {true, "a,flag,b,id,name,c", "1,true,\"\n\",2,x,", "(2,x,null,null,true)"},
        {false, "id,name,falg", "",
         "1:9: the header names the column \"falg\", which row has no field for "
         "(ignore_unknown_fields passes over such columns)"},
        {true, "id,name,falg", "",
         "1:1: field \"flag\": the header does not name it, and it is not "
         "optional"},
        {true, "id,name,flag,id", "", "1:14: the header names the column \"id\" twice"},
        {true, "x,id,flag,name", "a,b,true,n",
         "1:3: field \"id\": \"b\" is not a value of type INT (-2147483648 to 2147483647)"},
        {true, "x,id,flag,name", "a,1,true",
         "1:9: field \"name\": the record ends after 3 of 4 cells"},
        {false, "id,\"na", "",
         "1:4: the quote that opens here is not closed by the end of the "
         "record"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_string_equal(read_as_text(&rask_type_row, all[i].lax ? &lax : &o, all[i].header,
                                         all[i].text, strlen(all[i].text)),
                            all[i].expected);
    READS(row, &o, "1,a,,,true",
          "1:1: the names of the columns were not read (rask_csv_read_header)");
}

static void bad_records(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } all[] = {
        {"", "1:1: field \"id\": \"\" is not a value of type INT (-2147483648 to 2147483647)"},
        {"1", "1:2: field \"name\": the record ends after 1 of 5 cells"},
        {"1,a,,,true,", "1:12: the record has more cells than the 5 that are expected"},
        {"x,a,,,true",
         "1:1: field \"id\": \"x\" is not a value of type INT (-2147483648 to "
         "2147483647)"},
        {"1.0,a,,,true",
         "1:1: field \"id\": \"1.0\" is not a value of type INT (-2147483648 to "
         "2147483647)"},
        {"2147483648,a,,,true",
         "1:1: field \"id\": \"2147483648\" is out of range of INT "
         "(-2147483648 to 2147483647)"},
        {"99999999999999999999,a,,,true",
         "1:1: field \"id\": \"99999999999999999999\" is out of range of INT (-2147483648 to "
         "2147483647)"},
        {"1,a,1e999,,true",
         "1:5: field \"price\": \"1e999\" is out of range of DOUBLE (up to "
         "1.7976931348623157E308)"},
        {"1,a,1.2.3,,true",
         "1:5: field \"price\": \"1.2.3\" is not a value of type DOUBLE (up to "
         "1.7976931348623157E308)"},
        {"1,a,,,yes",
         "1:7: field \"flag\": \"yes\" is not a value of type BOOLEAN (true or false)"},
        {"1,\"a\nb,,,true",
         "1:3: field \"name\": the quote that opens here is not closed by the end of the record"},
        {"1,\"a\"b,,,true",
         "1:6: field \"name\": \"b,,,true\" stands behind a closing quote, where ',' or the end of "
         "the record is expected (a quote within a quoted cell is written twice)"},
        {"1,a\"b,,,true",
         "1:4: field \"name\": a quote within a cell that does not begin with one (quote the cell "
         "and write the quote twice)"},
        {"1,\"\n\",x,,true",
         "2:3: field \"price\": \"x\" is not a value of type DOUBLE (up to "
         "1.7976931348623157E308)"},
        {"1,\xc3\xa4\xc3\xb6,x,,true",
         "1:6: field \"price\": \"x\" is not a value of type DOUBLE (up to "
         "1.7976931348623157E308)"},
        {"1,a\xff,,,true", "1:4: byte 0xff is not UTF-8 here"},
        {"1,\xed\xa0\x80,,,true", "1:3: byte 0xed is not UTF-8 here"},
        {"1,\xc0\x80,,,true", "1:3: byte 0xc0 is not UTF-8 here"},
        {"1,\xf4\x90\x80\x80,,,true", "1:3: byte 0xf4 is not UTF-8 here"},
        {"1,a,,,true\n2,b,,,true", "1:11: the record ends here, but 10 more bytes follow"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        READS(row, NULL, all[i].text, all[i].expected);
    READS(row, OPTIONS(.null_literal = "NA"), "1,NA,,,true",
          "1:3: field \"name\": \"NA\" is null, but the field is not optional; expected STRING");
    READS(row, OPTIONS(.null_literal = "NA"), "1,,,,true",
          "1:4: field \"price\": \"\" is not a value of type DOUBLE (up to "
          "1.7976931348623157E308)");
    READS(row, OPTIONS(.escape_character = '\\'), "1,a,,,true\\",
          "1:11: field \"flag\": nothing follows the escape character");
    READS(row, OPTIONS(.record_bytes_max = 5), "1,a,,,true",
          "1:1: the record has 10 bytes, more than the limit of 5 (record_bytes_max)");
    READS(complex_row, NULL, "1;x,",
          "1:1: field \"numbers[1]\": \"x\" is not a value of type LONG (-9223372036854775808 to "
          "9223372036854775807)");
    READS(complex_row, NULL, "1,1,",
          "1:3: field \"both\": 1 values in the cell, separated by \";\", where 2 are expected");
    READS(complex_row, NULL, "1,x;y,",
          "1:3: field \"both.left\": \"x\" is not a value of type INT (-2147483648 to 2147483647)");
    READS(complex_row, NULL, "1,1;y,1;2;3;4,",
          "1:7: field \"grid\": 4 values in the cell, separated by \";\", where 3 are expected");
    READS(complex_row, NULL, "1,1;y,1;2;3,A===,", "1:13: field \"raw\": \"A===\" is not base64");
    READS(complex_row, NULL, "1,1;y,1;2;3,,2021-02-29,",
          "1:14: field \"at\": \"2021-02-29\" is not a value of type TIMESTAMP "
          "(2020-02-29T12:30:00.123Z, or milliseconds since 1970)");
    READS(complex_row, NULL, "1,1;y,1;2;3,,2020-01-01 00:00:00.0001,",
          "1:14: field \"at\": \"2020-01-01 00:00:00.0001\" is out of range of TIMESTAMP "
          "(2020-02-29T12:30:00.123Z, or milliseconds since 1970)");
}

static void wrong_options_and_types(void **state) {
    (void)state;
    char message[256];
    const struct {
        rask_csv_options options;
        const char *expected;
    } all[] = {
        {{.field_delimiter = 'x'},
         "csv option field_delimiter must be an ASCII character that is no letter, digit or line "
         "end, not byte 0x78"},
        {{.quote_character = '\n'},
         "csv option quote_character must be an ASCII character that is no letter, digit or line "
         "end, not byte 0x0a"},
        {{.field_delimiter = ';', .escape_character = ';'},
         "csv options field_delimiter and escape_character are both ';'"},
        {{.array_element_delimiter = ""}, "csv option array_element_delimiter is empty"},
        {{.record_bytes_max = -1}, "csv option record_bytes_max must be in 1..1073741824, not -1"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_null(rask_csv_reader_create(&rask_type_row, &all[i].options, message, 256));
        assert_string_equal(message, all[i].expected);
        assert_null(rask_csv_writer_create(&rask_type_row, &all[i].options, message, 256));
        assert_string_equal(message, all[i].expected);
    }
    static const rask_type lists = {.name = "rask_list(row)",
                                    .kind = RASK_KIND_LIST,
                                    .size = sizeof(raski_any_list),
                                    .align = _Alignof(raski_any_list),
                                    .element = &rask_type_row};
    assert_null(rask_csv_reader_create(&lists, NULL, message, sizeof message));
    assert_string_equal(message,
                        "CSV has no place for field \"value\" of rask_list(row): a cell holds a "
                        "basic value, or a list, array or record of basic values");
}

static void written(void **state) {
    (void)state;
    row r = {.id = 1, .name = rask_string_from("a"), .flag = true};
    assert_string_equal(write_text(&rask_type_row, NULL, &r), "1,a,,,true");
    assert_string_equal(write_text(&rask_type_row, OPTIONS(.null_literal = "NA"), &r),
                        "1,a,NA,NA,true");
    r.note = rask_some(rask_string, rask_string_from(""));
    r.price = rask_some(double, 2.5);
    assert_string_equal(write_text(&rask_type_row, NULL, &r), "1,a,2.5,\"\",true");
    assert_string_equal(write_text(&rask_type_row, OPTIONS(.null_literal = "NA"), &r),
                        "1,a,2.5,,true");
    assert_string_equal(write_text(&rask_type_row, OPTIONS(.disable_quote_character = true), &r),
                        "field \"note\": \"\" cannot be written without quotes "
                        "(disable_quote_character is set)");
    r.name = rask_string_from("x \"y\", z\n");
    r.note = rask_some(rask_string, rask_string_from("NA"));
    assert_string_equal(write_text(&rask_type_row, OPTIONS(.null_literal = "NA"), &r),
                        "1,\"x \"\"y\"\", z\n\",2.5,\"NA\",true");
    assert_string_equal(
        write_text(&rask_type_row,
                   OPTIONS(.disable_quote_character = true, .escape_character = '\\'), &r),
        "1,x \"y\"\\, z\\n,2.5,NA,true");
    r.name = rask_string_of("a\xff", 2);
    assert_string_equal(write_text(&rask_type_row, NULL, &r),
                        "field \"name\": the text is not UTF-8 at byte 1 (0xff)");
    static const int64_t numbers[] = {1, -2};
    complex_row c = {.numbers = {.count = 2, .items = numbers},
                     .both = {7, rask_string_from("a,b")},
                     .grid = {1, 2, 3},
                     .raw = rask_bytes_of("\x01\x02", 2),
                     .at = 1582977600500,
                     .tiny = {rask_some(int8_t, 5)},
                     .real = 0.1F};
    assert_string_equal(write_text(&rask_type_complex_row, NULL, &c),
                        "1;-2,\"7;a,b\",1;2;3,AQI=,2020-02-29 12:00:00.5Z,,5;,0.1");
    c.both.right = rask_string_from("a;b");
    assert_string_equal(write_text(&rask_type_complex_row, NULL, &c),
                        "field \"both.right\": \"a;b\" holds the text between items, \";\": set "
                        "another array_element_delimiter");
}

static void header_written(void **state) {
    (void)state;
    char message[256];
    rask_text out = {0};
    rask_format_writer *w = rask_csv_writer_create(&rask_type_row, OPTIONS(.field_delimiter = '_'),
                                                   message, sizeof message);
    assert_non_null(w);
    assert_int_equal(rask_csv_append_header(w, &out), RASK_OK);
    assert_int_equal(out.length, strlen("id_name_price_note_flag"));
    assert_memory_equal(out.data, "id_name_price_note_flag", out.length);
    free(out.data);
    rask_format_writer_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells),
        cmocka_unit_test(several_values_in_a_cell),
        cmocka_unit_test(basic_types_are_one_column),
        cmocka_unit_test(headers),
        cmocka_unit_test(bad_records),
        cmocka_unit_test(wrong_options_and_types),
        cmocka_unit_test(written),
        cmocka_unit_test(header_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
