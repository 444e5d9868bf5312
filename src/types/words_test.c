/* rask_string_next_word against a loop over bytes; text in the batch arena. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "platform/thread.h"
#include "rask/string.h"
#include "types/batch_arena.h"

static uint64_t seed = 88172645463325252U;
static uint32_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

static bool letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool naive_next(const char *text, size_t length, size_t *pos, size_t *start) {
    while (*pos < length && !letter(text[*pos])) ++*pos;
    *start = *pos;
    while (*pos < length && letter(text[*pos])) ++*pos;
    return *pos > *start;
}

static void check_line(const char *text, size_t length) {
    rask_string line = rask_string_of(text, length);
    size_t pos = 0;
    size_t expected_pos = 0;
    size_t start = 0;
    rask_string word = {0};
    while (naive_next(text, length, &expected_pos, &start)) {
        assert_true(rask_string_next_word(line, &pos, &word));
        assert_int_equal(pos, expected_pos);
        assert_int_equal(word.len, expected_pos - start);
        char expected[512];
        for (size_t i = start; i < expected_pos; i++) expected[i - start] = (char)(text[i] | 0x20);
        assert_memory_equal(rask_string_data(&word), expected, word.len);
        rask_string plain = rask_string_of(expected, word.len);
        if (word.len <= RASK_STRING_INLINE)
            assert_memory_equal(&word, &plain, sizeof word); /* unused bytes are zero */
        else
            assert_memory_equal(&word.raski_head, expected, 4);
    }
    assert_false(rask_string_next_word(line, &pos, &word));
    assert_int_equal(pos, length);
}

static void words_equal_those_of_a_plain_loop(void **state) {
    (void)state;
    static const char alphabet[] = "abcdefgzAZ  .-'@[`{\x80\xc3\xe9\xff\0/09";
    for (int round = 0; round < 20000; round++) {
        size_t length = next_random() % 80;
        uint32_t letters = next_random() % 12; /* how rare separators are */
        char *text = raski_alloc(length); /* of exact size: the sanitizer sees each byte behind */
        for (size_t i = 0; i < length; i++)
            text[i] = next_random() % (letters + 1)
                          ? (char)('a' + next_random() % 26 - (next_random() % 8 ? 0 : 32))
                          : alphabet[next_random() % sizeof alphabet];
        check_line(text, length);
        raski_free(text);
    }
}

static void words_at_the_end_of_a_page(void **state) {
    (void)state;
    char *memory = raski_try_alloc(8192, 4096);
    assert_non_null(memory);
    memset(memory, 'x', 8192);
    for (size_t length = 0; length < 64; length++) {
        for (size_t back = 0; back < 20; back++) {
            char *text = memory + 4096 - back - (length > 20 ? 20 : length);
            memset(memory, 'x', 8192); /* letters all around: nothing behind the line may count */
            for (size_t i = 0; i < length; i += 5) text[i] = ' ';
            check_line(text, length);
        }
    }
    raski_free(memory);
}

static void each_length_of_word_and_line(void **state) {
    (void)state;
    char text[120];
    for (size_t word = 0; word <= 60; word++) {
        for (size_t before = 0; before <= 40; before++) {
            memset(text, ' ', sizeof text);
            for (size_t i = 0; i < word; i++)
                text[before + i] = (char)((i % 3 ? 'a' : 'A') + i % 26);
            check_line(text, before + word);
            check_line(text, before + word + 1);
        }
    }
}

static void long_words_borrow_when_they_can(void **state) {
    (void)state;
    const char *text = "internationalisation Internationalisation";
    rask_string line = rask_string_from(text);
    rask_string word;
    size_t pos = 0;
    assert_true(rask_string_next_word(line, &pos, &word));
    assert_ptr_equal(rask_string_data(&word), text);
    assert_true(rask_string_next_word(line, &pos, &word));
    assert_true(rask_string_data(&word) != text + 21);
    assert_true(rask_string_is(word, "internationalisation"));
}

static void a_position_behind_the_end_is_the_end(void **state) {
    (void)state;
    rask_string word;
    size_t pos = 99;
    assert_false(rask_string_next_word(rask_string_from("ab"), &pos, &word));
    pos = 0;
    assert_false(rask_string_next_word(rask_string_of(NULL, 0), &pos, &word));
}

/* What the last call saw of a place is no longer true there. */
static void text_may_change_between_calls(void **state) {
    (void)state;
    enum { LENGTH = 96, LINES = 20000 };
    char text[LENGTH];
    memset(text, ' ', sizeof text);
    rask_string line = rask_string_of(text, sizeof text);
    for (int i = 0; i < LINES; i++) {
        size_t pos = next_random() % LENGTH;
        for (int changes = 0; changes < 3; changes++)
            text[(pos + next_random() % 24) % LENGTH] = next_random() % 3 ? 'w' : ' ';
        size_t expected_pos = pos;
        size_t start = 0;
        rask_string word = {0};
        bool expected = naive_next(text, sizeof text, &expected_pos, &start);
        assert_int_equal(rask_string_next_word(line, &pos, &word), expected);
        assert_int_equal(pos, expected_pos);
        if (expected) assert_int_equal(word.len, expected_pos - start);
    }
}

static void format_and_copy_use_the_current_arena(void **state) {
    (void)state;
    raski_batch_arena arena;
    raski_batch_arena_init(&arena, 0);
    assert_null(raski_batch_arena_set_current(&arena));
    rask_string a = rask_string_format("%d-%s", 42, "abc");
    assert_true(rask_string_is(a, "42-abc"));
    assert_int_equal(arena.allocated, 0); /* short: needs no memory */
    rask_string b = rask_string_format("%s-%0300d", "a long text", 7);
    assert_int_equal(b.len, 312);
    assert_memory_equal(rask_string_data(&b), "a long text-000", 15);
    char bytes[] = "a text that will change";
    rask_string c = rask_string_copy(bytes, strlen(bytes));
    bytes[0] = 'X';
    assert_true(rask_string_is(c, "a text that will change"));
    assert_false(raski_batch_arena_take_failed(&arena));
    assert_ptr_equal(raski_batch_arena_set_current(NULL), &arena);
    raski_batch_arena_fini(&arena);
}

static void arena_is_aligned_and_keeps_a_chunk(void **state) {
    (void)state;
    raski_batch_arena arena;
    raski_batch_arena_init(&arena, 64 * 1024);
    for (size_t i = 0; i < 2000; i++) {
        (void)raski_batch_arena_bytes(&arena, i % 7);
        char *p = raski_batch_arena_alloc(&arena, i);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        memset(p, 1, i);
    }
    assert_true(arena.allocated > 1000 * 1000);
    raski_batch_arena_reset(&arena);
    assert_true(arena.allocated > 0 && arena.allocated <= 64 * 1024);
    size_t kept = arena.allocated;
    assert_non_null(raski_batch_arena_alloc(&arena, 100));
    assert_int_equal(arena.allocated, kept);
    assert_null(raski_batch_arena_alloc(&arena, PTRDIFF_MAX));
    assert_true(raski_batch_arena_take_failed(&arena));
    assert_false(raski_batch_arena_take_failed(&arena));
    raski_batch_arena_fini(&arena);
}

#ifdef RASKI_BATCH_ARENA_POISONS
static void memory_of_a_past_batch_is_poisoned(void **state) {
    (void)state;
    raski_batch_arena arena;
    raski_batch_arena_init(&arena, 0);
    char *kept = raski_batch_arena_bytes(&arena, 20);
    assert_non_null(kept);
    assert_false(__asan_address_is_poisoned(kept + 19));
    raski_batch_arena_reset(&arena);
    assert_true(__asan_address_is_poisoned(kept));
    raski_batch_arena_fini(&arena);
}
#endif

static void format_in_a_thread(void *failures) {
    for (int i = 0; i < 100000; i++) {
        rask_string s = rask_string_format("thread text number %d", i);
        if (s.len < 20 || memcmp(rask_string_data(&s), "thread text", 11) != 0) ++*(int *)failures;
    }
}

/* Outside of tasks each thread has a fallback arena: it starts over instead of growing for ever,
 * and ends with its thread (the leak checker watches). */
static void threads_without_a_task_have_an_arena_each(void **state) {
    (void)state;
    raski_thread *threads[2];
    int failures[2] = {0};
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            raski_thread_create("format", 0, format_in_a_thread, &failures[i], &threads[i], NULL),
            RASK_OK);
    for (int i = 0; i < 2; i++) {
        raski_thread_join(threads[i]);
        assert_int_equal(failures[i], 0);
    }
    for (int i = 0; i < 300; i++) (void)rask_string_format("%100000d", i);
    assert_true(raski_batch_arena_current()->allocated < (size_t)10 * 1024 * 1024);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_equal_those_of_a_plain_loop),
        cmocka_unit_test(words_at_the_end_of_a_page),
        cmocka_unit_test(each_length_of_word_and_line),
        cmocka_unit_test(long_words_borrow_when_they_can),
        cmocka_unit_test(a_position_behind_the_end_is_the_end),
        cmocka_unit_test(text_may_change_between_calls),
        cmocka_unit_test(format_and_copy_use_the_current_arena),
        cmocka_unit_test(arena_is_aligned_and_keeps_a_chunk),
#ifdef RASKI_BATCH_ARENA_POISONS
        cmocka_unit_test(memory_of_a_past_batch_is_poisoned),
#endif
        cmocka_unit_test(threads_without_a_task_have_an_arena_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
