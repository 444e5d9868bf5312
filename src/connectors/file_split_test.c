/* Splits as bytes: what was encoded is decoded, everything else is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "connectors/file_split.h"

static char *encode(raski_file_split split, size_t *ret_size) {
    split.path_length = strlen(split.path);
    *ret_size = raski_file_split_size(split.path_length);
    char *bytes = malloc(*ret_size);
    assert_non_null(bytes);
    raski_file_split_encode(&split, bytes);
    return bytes;
}

static void round_trip(void **state) {
    (void)state;
    const raski_file_split splits[] = {
        {.offset = 0, .length = -1, .file_size = -1, .path = "a"},
        {.offset = 1, .length = 0, .file_size = 1, .path = "/some/longer path/\xff"},
        {.offset = INT64_MAX - 6, .length = 5, .file_size = INT64_MAX, .path = "x"},
    };
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        size_t size = 0;
        char *bytes = encode(splits[i], &size);
        raski_file_split split;
        assert_true(raski_file_split_decode(bytes, size, &split));
        assert_int_equal(split.offset, splits[i].offset);
        assert_int_equal(split.length, splits[i].length);
        assert_int_equal(split.file_size, splits[i].file_size);
        assert_int_equal(split.position, splits[i].position);
        assert_string_equal(split.path, splits[i].path);
        assert_int_equal(split.path_length, strlen(splits[i].path));
        free(bytes);
    }
}

static void the_bytes_are_those_of_the_document(void **state) {
    (void)state;
    static const unsigned char expected[] = {
        2,    0,    0,    0,                            /* version */
        3,    2,    1,    0,    0,    0,    0,    0,    /* offset 0x010203 */
        16,   0,    0,    0,    0,    0,    0,    0,    /* length 16 */
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* size not known */
        5,    2,    1,    0,    0,    0,    0,    0,    /* position 0x010205 */
        2,    0,    0,    0,    '/',  'x',  0};         /* path */
    size_t size = 0;
    char *bytes = encode(
        (raski_file_split){
            .offset = 0x010203, .length = 16, .file_size = -1, .position = 0x010205, .path = "/x"},
        &size);
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(bytes, expected, size);
    free(bytes);
}

static void refuse(const char *bytes, size_t size) {
    /* a copy of exactly that size, so that a sanitizer sees reads behind it */
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    copy = realloc(copy, size ? size : 1);
    if (size) memcpy(copy, bytes, size);
    raski_file_split split;
    assert_false(raski_file_split_decode(copy, size, &split));
    free(copy);
}

static void wrong_bytes(void **state) {
    (void)state;
    size_t size = 0;
    char *bytes = encode(
        (raski_file_split){
            .offset = 10, .length = 20, .file_size = 30, .position = 15, .path = "/path"},
        &size);
    for (size_t cut = 0; cut < size; cut++) refuse(bytes, cut);
    static const struct {
        size_t at;
        char byte;
    } changes[] = {
        {0, 1},                                      /* version */
        {11, (char)0x80},                            /* negative offset */
        {19, (char)0x80},                            /* length below -1 */
        {35, (char)0x80},                            /* negative position */
        {28, 9},                                     /* a position before the split */
        {36, 4},          {36, 6}, {39, (char)0xff}, /* length of the path */
        {41, 0},                                     /* a NUL inside the path */
        {45, 'x'},                                   /* no NUL behind it */
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char before = bytes[changes[i].at];
        bytes[changes[i].at] = changes[i].byte;
        refuse(bytes, size);
        bytes[changes[i].at] = before;
    }
    memset(bytes + 4, 0xff, 7); /* offset + length beyond all numbers */
    bytes[11] = 0x7f;
    refuse(bytes, size);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(the_bytes_are_those_of_the_document),
        cmocka_unit_test(wrong_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
