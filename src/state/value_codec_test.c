/* Values as stored bytes: every kind comes back as it was, also through a description that was
 * read; enumerations and variants that have changed meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "state/value_codec.h"
#include "types/compare.h"
#include "types/test_records.h"

/* Reads the description of a type as it was written. */
static const raski_stored_type *store_type(const rask_type *type, raski_byte_writer *bytes,
                                           raski_arena *arena) {
    const raski_stored_type *stored = NULL;
    raski_type_describe(type, type->size, bytes);
    assert_false(bytes->failed);
    raski_byte_reader in = {bytes->bytes, bytes->bytes + bytes->size, arena};
    assert_int_equal(raski_type_read_description(&in, &stored, NULL), RASK_OK);
    assert_true(in.at == in.end);
    assert_true(raski_stored_type_is(stored, type, type->size));
    return stored;
}

static void every_kind_comes_back(void **state) {
    (void)state;
    raski_arena *arena = raski_arena_create(0);
    raski_arena *lists = raski_arena_create(0);
    raski_byte_writer description = {0};
    const raski_stored_type *stored = store_type(&everything_type, &description, lists);
    raski_value_codec *writer = raski_value_codec_create(&everything_type, 0);
    raski_value_codec *skipper = raski_value_codec_skip(stored);
    raski_value_codec *reader = NULL;
    assert_int_equal(
        raski_value_codec_convert(stored, &everything_type, 0, "a test", &reader, NULL), RASK_OK);
    for (int i = 0; i < 500; i++) {
        everything e = test_everything(arena), back;
        raski_byte_writer bytes = {0};
        memset(&back, 0, sizeof back);
        raski_value_write(writer, &e, &bytes);
        assert_true(bytes.size >= raski_value_codec_least(writer));
        raski_byte_reader in = {bytes.bytes, bytes.bytes + bytes.size, arena};
        assert_true(raski_value_read(reader, &in, &back));
        assert_true(in.at == in.end);
        assert_true(raski_value_equal(&everything_type, &e, &back));
        in.at = bytes.bytes;
        assert_true(raski_value_read(skipper, &in, NULL));
        assert_true(in.at == in.end);
        for (size_t cut = 0; cut < bytes.size; cut += 1 + cut / 16) { /* of exactly that size */
            char *part = raski_memdup(bytes.bytes, cut);
            in = (raski_byte_reader){part, part + cut, arena};
            assert_false(raski_value_read(reader, &in, &back));
            raski_free(part);
        }
        raski_byte_writer_fini(&bytes);
        raski_arena_reset(arena);
    }
    raski_value_codec_destroy(writer);
    raski_value_codec_destroy(reader);
    raski_value_codec_destroy(skipper);
    raski_byte_writer_fini(&description);
    raski_arena_destroy(lists);
    raski_arena_destroy(arena);
}

static void damaged_descriptions(void **state) {
    (void)state;
    raski_arena *arena = raski_arena_create(0);
    raski_byte_writer bytes = {0};
    raski_type_describe(&everything_type, 0, &bytes);
    for (size_t i = 0; i < bytes.size * 4; i++) {
        const raski_stored_type *stored = NULL;
        size_t size = i < bytes.size ? i : bytes.size;
        char *copy = raski_memdup(bytes.bytes, size);
        if (i >= bytes.size) copy[test_random((uint32_t)size)] ^= (char)(1 << test_random(8));
        raski_byte_reader in = {copy, copy + size, arena};
        rask_status status = raski_type_read_description(&in, &stored, NULL);
        if (i < bytes.size) assert_int_equal(status, RASK_E_CORRUPT);
        if (status == RASK_OK) {
            raski_value_codec_destroy(raski_value_codec_skip(stored));
            raski_free(raski_stored_type_text(stored));
        }
        raski_free(copy);
        raski_arena_reset(arena);
    }
    raski_byte_writer_fini(&bytes);
    raski_arena_destroy(arena);
}

/* The message of a refusal, or "". */
static const char *convert(const rask_type *before, const rask_type *now, const void *value,
                           void *ret_value) {
    static raski_error err;
    raski_arena *arena = raski_arena_create(0);
    raski_byte_writer description = {0}, bytes = {0};
    raski_value_codec *writer = raski_value_codec_create(before, 0);
    raski_value_codec *reader = NULL;
    const raski_stored_type *stored = store_type(before, &description, arena);
    err = (raski_error){0};
    raski_value_write(writer, value, &bytes);
    if (raski_value_codec_convert(stored, now, 0, "the state", &reader, &err) == RASK_OK) {
        raski_byte_reader in = {bytes.bytes, bytes.bytes + bytes.size, arena};
        assert_true(raski_value_read(reader, &in, ret_value));
    }
    raski_value_codec_destroy(writer);
    raski_value_codec_destroy(reader);
    raski_byte_writer_fini(&description);
    raski_byte_writer_fini(&bytes);
    raski_arena_destroy(arena);
    return err.message;
}

static void enumerations_change(void **state) {
    (void)state;
    const rask_field names[] = {
        {.name = "DARK"}, {.name = "GREY"}, {.name = "LIGHT"}, {.name = "WHITE"}};
    const rask_field others[] = {{.name = "GREY"}, {.name = "DARK"}, {.name = "LIGHT"}};
    rask_type more = shade_type;
    more.fields = names;
    more.field_count = 4;
    int32_t value = 2, back = 0;
    assert_string_equal(convert(&shade_type, &more, &value, &back), "");
    assert_int_equal(back, 2);
    assert_string_equal(convert(&more, &shade_type, &value, &back),
                        "the state cannot be restored: it was written as enum shade { DARK, GREY, "
                        "LIGHT, WHITE } and is now enum shade { DARK, GREY, LIGHT }");
    rask_type moved = shade_type;
    moved.fields = others;
    assert_non_null(strstr(convert(&shade_type, &moved, &value, &back), "cannot be restored"));
    assert_non_null(
        strstr(convert(&shade_type, &rask_type_int32_t, &value, &back), "cannot be restored"));
}

static void variants_change(void **state) {
    (void)state;
    rask_field fields[4] = {choice_fields[2],
                            choice_fields[0],
                            choice_fields[1],
                            {"flag", choice_fields[0].offset, 1, &rask_type_rask_bool, 0}};
    rask_type now = choice_type;
    now.fields = fields;
    now.field_count = 4;
    const choice place = {.which = 0, .place = {7, rask_string_from("p")}};
    const choice real = {.which = 2, .real = 1.5};
    const choice none = {.which = 9};
    choice back = {0};
    assert_string_equal(convert(&choice_type, &now, &place, &back), "");
    assert_int_equal(back.which, 1);
    assert_int_equal(back.place.x, 7);
    assert_string_equal(convert(&choice_type, &now, &real, &back), "");
    assert_int_equal(back.which, 0);
    assert_true(back.real == 1.5);
    assert_string_equal(convert(&choice_type, &now, &none, &back), "");
    assert_int_equal(back.which, -1);
    now.field_count = 2; /* a list is no more */
    assert_non_null(
        strstr(convert(&choice_type, &now, &real, &back),
               "the state cannot be restored: it was written as variant choice { place: "
               "record point { x: int, label: string }, numbers: list(int), real: "
               "double } and is now variant choice { real: double, place: record"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_comes_back),
        cmocka_unit_test(damaged_descriptions),
        cmocka_unit_test(enumerations_change),
        cmocka_unit_test(variants_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
