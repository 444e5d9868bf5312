/* Records into buffers and back, deep copies, corrupt bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "types/compare.h"
#include "types/layout.h"
#include "types/test_records.h"

typedef struct word_count {
    rask_string word;
    int64_t count;
} word_count;
static const rask_field word_count_fields[] = {
    TEST_FIELD(word_count, word, rask_type_rask_string, 0),
    TEST_FIELD(word_count, count, rask_type_int64_t, 0)};
static const rask_type word_count_type = {.name = "word_count",
                                          .kind = RASK_KIND_RECORD,
                                          .size = sizeof(word_count),
                                          .align = _Alignof(word_count),
                                          .field_count = 2,
                                          .fields = word_count_fields};

enum { ROUNDS = 400, BATCH = 7 };

static void layout_lists_the_pointers(void **state) {
    (void)state;
    raski_layout *plain = raski_layout_create(&rask_type_int64_t);
    assert_false(plain->has_pointers);
    raski_layout *words = raski_layout_create(&word_count_type);
    assert_true(words->has_pointers && words->only_strings);
    assert_int_equal(words->extra_align, 1);
    raski_layout *all = raski_layout_create(&everything_type);
    assert_true(all->has_pointers && !all->only_strings);
    assert_int_equal(all->extra_align, 8);
    raski_layout_destroy(plain);
    raski_layout_destroy(words);
    raski_layout_destroy(all);
    raski_layout_destroy(NULL);
}

/* Writes a batch into a buffer, moves the buffer, fixes it, compares. */
static void records_survive_a_moved_buffer(void **state) {
    (void)state;
    raski_layout *layout = raski_layout_create(&everything_type);
    raski_arena *arena = raski_arena_create(0);
    for (int round = 0; round < ROUNDS; round++) {
        everything records[BATCH];
        for (int i = 0; i < BATCH; i++) records[i] = test_everything(arena);
        size_t extra = raski_records_extra_size(layout, records, BATCH);
        size_t heap = sizeof records;
        char *buffer = raski_try_alloc(heap + extra, 16);
        assert_non_null(buffer);
        memcpy(buffer, records, sizeof records);
        assert_int_equal(raski_records_write_extra(layout, buffer, BATCH, buffer, heap),
                         heap + extra);
        char *moved = raski_try_alloc(heap + extra, 16); /* exact: asan sees a byte too many */
        memcpy(moved, buffer, heap + extra);
        memset(buffer, 0xee, heap + extra);
        raski_free(buffer);
        size_t end = 0;
        raski_error err = {0};
        assert_int_equal(
            raski_records_fix(layout, moved, BATCH, moved, heap, heap + extra, &end, &err),
            RASK_OK);
        assert_int_equal(end, heap + extra);
        for (int i = 0; i < BATCH; i++) {
            const everything *got = (const everything *)(const void *)moved + i;
            assert_true(raski_value_equal(&everything_type, &records[i], got));
            assert_int_equal(raski_value_compare(&everything_type, &records[i], got), 0);
        }
        raski_free(moved);
        raski_arena_reset(arena);
    }
    raski_arena_destroy(arena);
    raski_layout_destroy(layout);
}

static void short_strings_need_no_extra_bytes(void **state) {
    (void)state;
    raski_layout *layout = raski_layout_create(&word_count_type);
    word_count words[40];
    for (int i = 0; i < 40; i++) words[i] = (word_count){rask_string_from("twelve bytes"), i};
    assert_int_equal(raski_records_extra_size(layout, words, 40), 0);
    size_t extra = 1;
    assert_int_equal(raski_records_fitting(layout, words, 40, 240, &extra), 10);
    assert_int_equal(extra, 0);
    words[3].word = rask_string_from("thirteen byte");
    assert_int_equal(raski_records_extra_size(layout, words, 40), 13);
    assert_int_equal(raski_records_fitting(layout, words, 40, 240, &extra), 9);
    assert_int_equal(extra, 13);
    assert_int_equal(raski_records_fitting(layout, words, 40, 24 * 4 + 12, &extra), 3);
    assert_int_equal(extra, 0);
    assert_int_equal(raski_records_fitting(layout, words, 40, 5, &extra), 0);
    assert_int_equal(raski_records_fitting(layout, words, 40, 5000, &extra), 40);
    raski_layout_destroy(layout);
}

static void fitting_agrees_with_writing(void **state) {
    (void)state;
    raski_layout *layout = raski_layout_create(&everything_type);
    raski_arena *arena = raski_arena_create(0);
    for (int round = 0; round < ROUNDS; round++) {
        everything records[BATCH];
        for (int i = 0; i < BATCH; i++) records[i] = test_everything(arena);
        size_t room = test_random(2 * sizeof records);
        size_t extra = 0;
        size_t fit = raski_records_fitting(layout, records, BATCH, room, &extra);
        assert_int_equal(extra, raski_records_extra_size(layout, records, fit));
        assert_true(fit * sizeof *records + extra <= room);
        if (fit < BATCH)
            assert_true((fit + 1) * sizeof *records +
                            raski_records_extra_size(layout, records, fit + 1) >
                        room);
        raski_arena_reset(arena);
    }
    raski_arena_destroy(arena);
    raski_layout_destroy(layout);
}

static void corrupt_bytes_are_refused(void **state) {
    (void)state;
    raski_layout *layout = raski_layout_create(&word_count_type);
    raski_error err = {0};
    size_t end = 0;
    _Alignas(16) char buffer[64] = {0};
    word_count *w = (void *)buffer;
    struct {
        uint32_t len;
        uintptr_t offset;
        bool good;
    } cases[] = {
        {13, 24, true},
        {40, 24, true},
        {41, 24, false},
        {13, 23, false},
        {13, 0, false},
        {13, 51, true},
        {13, 52, false},
        {13, 65, false},
        {13, SIZE_MAX, false},
        {UINT32_MAX, 24, false},
        {13, (uintptr_t)buffer + 24, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        w->word.len = cases[i].len;
        w->word.raski_tail = cases[i].offset;
        err = (raski_error){0};
        rask_status status = raski_record_fix(layout, w, buffer, 24, 64, &end, &err);
        assert_int_equal(status, cases[i].good ? RASK_OK : RASK_E_CORRUPT);
        if (cases[i].good) assert_ptr_equal(rask_string_data(&w->word), buffer + cases[i].offset);
    }
    assert_non_null(strstr(err.message, "corrupt record"));
    raski_layout_destroy(layout);
}

/* Two strings of a record may not share bytes, nor a list its items with another's. */
static void sharing_is_refused(void **state) {
    (void)state;
    raski_layout *layout = raski_layout_create(&everything_type);
    raski_arena *arena = raski_arena_create(0);
    everything e = test_everything(arena);
    e.names[0] = e.names[1] = rask_string_from("a text of more than twelve bytes");
    size_t extra = raski_record_extra_size(layout, &e);
    size_t size = sizeof e + extra;
    char *buffer = raski_try_alloc(size, 16);
    memcpy(buffer, &e, sizeof e);
    assert_int_equal(raski_record_write_extra(layout, buffer, buffer, sizeof e), size);
    everything *copy = (void *)buffer;
    copy->names[1].raski_tail = copy->names[0].raski_tail;
    size_t end = 0;
    assert_int_equal(raski_record_fix(layout, copy, buffer, sizeof e, size, &end, NULL),
                     RASK_E_CORRUPT);
    raski_free(buffer);
    raski_arena_destroy(arena);
    raski_layout_destroy(layout);
}

static void random_damage_never_leads_outside(void **state) {
    (void)state;
    raski_layout *layout = raski_layout_create(&everything_type);
    raski_arena *arena = raski_arena_create(0);
    int refused = 0;
    for (int round = 0; round < 3000; round++) {
        everything e = test_everything(arena);
        size_t size = sizeof e + raski_record_extra_size(layout, &e);
        char *buffer = raski_try_alloc(size, 16);
        memcpy(buffer, &e, sizeof e);
        (void)raski_record_write_extra(layout, buffer, buffer, sizeof e);
        for (uint32_t n = test_random(4); n > 0; n--)
            buffer[test_random((uint32_t)size)] ^= (char)(1 << test_random(8));
        ((everything *)(void *)buffer)->flag = false; /* a bool must stay one to be compared */
        size_t end = 0;
        if (raski_record_fix(layout, buffer, buffer, sizeof e, size, &end, NULL) != RASK_OK)
            refused++;
        else /* reads all that the record reaches: the sanitizer watches */
            assert_int_equal(raski_value_compare(&everything_type, buffer, buffer), 0);
        raski_free(buffer);
        raski_arena_reset(arena);
    }
    assert_true(refused > 50 && refused < 2900);
    raski_arena_destroy(arena);
    raski_layout_destroy(layout);
}

static void owned_records_outlive_their_source(void **state) {
    (void)state;
    raski_layout *layout = raski_layout_create(&everything_type);
    raski_arena *arena = raski_arena_create(0);
    raski_arena *other = raski_arena_create(0);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t seed = test_seed;
        everything source = test_everything(arena);
        test_seed = seed;
        everything same = test_everything(other);
        everything owned;
        assert_int_equal(raski_record_own(layout, &owned, &source, NULL), RASK_OK);
        raski_arena_reset(arena);
        memset(raski_arena_alloc(arena, 4000), 0xdd, 4000);
        assert_true(raski_value_equal(&everything_type, &owned, &same));
        raski_record_disown(layout, &owned);
        assert_int_equal(owned.text.len, 0);
        raski_arena_reset(other);
        raski_arena_reset(arena);
    }
    raski_arena_destroy(arena);
    raski_arena_destroy(other);
    raski_layout_destroy(layout);
}

static void copies_in_a_batch_arena(void **state) {
    (void)state;
    raski_layout *layout = raski_layout_create(&everything_type);
    raski_arena *arena = raski_arena_create(0);
    raski_batch_arena batch;
    raski_batch_arena_init(&batch, 0);
    for (int round = 0; round < ROUNDS; round++) {
        everything source = test_everything(arena);
        everything copy = source;
        assert_int_equal(raski_record_copy_to_arena(layout, &copy, &batch, NULL), RASK_OK);
        assert_true(raski_value_equal(&everything_type, &copy, &source));
        if (source.points.count > 0) {
            assert_true(copy.points.items != source.points.items);
            assert_int_equal((uintptr_t)copy.points.items % _Alignof(point), 0);
        }
    }
    raski_batch_arena_fini(&batch);
    raski_arena_destroy(arena);
    raski_layout_destroy(layout);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_lists_the_pointers),
        cmocka_unit_test(records_survive_a_moved_buffer),
        cmocka_unit_test(short_strings_need_no_extra_bytes),
        cmocka_unit_test(fitting_agrees_with_writing),
        cmocka_unit_test(corrupt_bytes_are_refused),
        cmocka_unit_test(sharing_is_refused),
        cmocka_unit_test(random_damage_never_leads_outside),
        cmocka_unit_test(owned_records_outlive_their_source),
        cmocka_unit_test(copies_in_a_batch_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
