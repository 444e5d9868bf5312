/* The text source against a naive reader: whatever the text, the splits, the buffer and the number
 * of readers, each line comes exactly once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <rask/rask.h>

#include "connectors/connectors.h"

typedef struct text {
    char *bytes;
    size_t length;
} text;

typedef struct lines {
    text *items;
    size_t count, capacity;
} lines;

static void add_line(lines *all, const char *bytes, size_t length) {
    if (all->count == all->capacity) {
        all->capacity = all->capacity ? all->capacity * 2 : 64;
        all->items = realloc(all->items, all->capacity * sizeof *all->items);
        assert_non_null(all->items);
    }
    char *copy = malloc(length + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    all->items[all->count++] = (text){copy, length};
}

static void free_lines(lines *all) {
    for (size_t i = 0; i < all->count; i++) free(all->items[i].bytes);
    free(all->items);
}

/* Byte by byte: a line ends at \n, \r\n or \r; behind the last end there is none unless it has
 * bytes. */
static void read_naively(const char *bytes, size_t length, lines *ret) {
    size_t begin = 0;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != '\n' && bytes[i] != '\r') continue;
        add_line(ret, bytes + begin, i - begin);
        if (bytes[i] == '\r' && i + 1 < length && bytes[i + 1] == '\n') i++;
        begin = i + 1;
    }
    if (begin < length) add_line(ret, bytes + begin, length - begin);
}

static int compare(const void *a, const void *b) {
    const text *x = a;
    const text *y = b;
    size_t n = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->bytes, y->bytes, n);
    return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

static int read_job(const char *path, size_t split_bytes, size_t buffer_bytes, int parallelism,
                    lines *ret) {
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, parallelism);
    raski_connector source = raski_text_source_sized(path, 0, split_bytes, buffer_bytes);
    assert_non_null(source.fn);
    const rask_options options = {
        .self = {source.self, source.fn->self->size, source.fn->self->type}, .bounded = true};
    rask_stream(rask_string) stream = {
        .node = raski_source(env, source.fn, &options, sizeof options, false, __FILE__, __LINE__)};
    rask_iterator(rask_string) it = rask_execute_and_collect(stream, "lines");
    for (rask_string line; rask_next(&it, &line);) add_line(ret, rask_string_data(&line), line.len);
    int code = rask_close(&it);
    raski_connector_destroy(&source);
    return code;
}

static void write_file(const char *path, const char *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void check(const char *bytes, size_t length, size_t split_bytes, size_t buffer_bytes,
                  int parallelism) {
    char path[] = "/tmp/rask-lines-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    write_file(path, bytes, length);
    lines expected = {0};
    lines actual = {0};
    read_naively(bytes, length, &expected);
    assert_int_equal(read_job(path, split_bytes, buffer_bytes, parallelism, &actual), RASK_EXIT_OK);
    if (parallelism > 1) { /* readers have no order among them */
        if (expected.count) qsort(expected.items, expected.count, sizeof(text), compare);
        if (actual.count) qsort(actual.items, actual.count, sizeof(text), compare);
    }
    if (actual.count != expected.count)
        fail_msg("%zu lines instead of %zu: %zu bytes, splits of %zu, buffer of %zu, %d readers",
                 actual.count, expected.count, length, split_bytes, buffer_bytes, parallelism);
    for (size_t i = 0; i < actual.count; i++)
        if (compare(&actual.items[i], &expected.items[i]) != 0)
            fail_msg("line %zu differs: %zu bytes, splits of %zu, buffer of %zu, %d readers", i,
                     length, split_bytes, buffer_bytes, parallelism);
    free_lines(&expected);
    free_lines(&actual);
    (void)unlink(path);
}

static uint64_t next_random(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15U;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* Runs of ends and of bytes that are none, NULs and wrong UTF-8 among them. */
static size_t random_text(uint64_t *seed, char *bytes, size_t size) {
    static const char some[] = "ab \0\xff\xc3\x80x";
    size_t length = next_random(seed) % (size + 1);
    unsigned ends = (unsigned)(next_random(seed) % 60) + 1; /* a byte in so many is an end */
    for (size_t i = 0; i < length; i++) {
        uint64_t r = next_random(seed);
        if (r % ends == 0)
            bytes[i] = r >> 32 & 1 ? '\n' : '\r';
        else
            bytes[i] = some[(r >> 8) % (sizeof some - 1)];
        if (r % ends == 0 && r >> 33 & 1 && i + 1 < length) { /* \r\n as one */
            bytes[i] = '\r';
            bytes[++i] = '\n';
        }
    }
    return length;
}

static void random_texts(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 10, 100, 1000, 20000};
    for (uint64_t n = 1; n <= 400; n++) {
        uint64_t seed = n;
        static char bytes[20000];
        size_t length = random_text(&seed, bytes, sizes[next_random(&seed) % 8]);
        size_t split = next_random(&seed) % 3 == 0 ? 0 : next_random(&seed) % (length + 2) + 1;
        if (split > 0 && length / split > 200) split = length / 200; /* not thousands of splits */
        size_t buffer = next_random(&seed) % 2 ? next_random(&seed) % 64 + 1 : 4096;
        check(bytes, length, split, buffer, (int)(next_random(&seed) % 4) + 1);
    }
}

/* Every split size of every short text over the bytes that matter. */
static void all_short_texts(void **state) {
    (void)state;
    static const char alphabet[] = "a\n\r";
    for (unsigned code = 0; code < 243; code += 7) { /* five letters; every seventh text */
        char bytes[5];
        unsigned rest = code;
        for (size_t i = 0; i < 5; i++, rest /= 3) bytes[i] = alphabet[rest % 3];
        for (size_t split = 1; split <= 5; split += 2) check(bytes, 5, split, 1 + code % 3, 1);
    }
}

static void ends_of_lines_on_borders(void **state) {
    (void)state;
    const char text_[] = "ab\r\ncd\ref\n\n\r\rg";
    for (size_t split = 1; split < sizeof text_; split++)
        for (size_t buffer = 1; buffer < 6; buffer++)
            check(text_, sizeof text_ - 1, split, buffer, 1);
}

static void a_line_longer_than_the_buffer(void **state) {
    (void)state;
    static char bytes[1 << 20];
    memset(bytes, 'x', sizeof bytes);
    bytes[1000] = '\n';
    bytes[900000] = '\n';
    check(bytes, sizeof bytes, 0, 1000, 2);
    check(bytes, sizeof bytes, 100000, 256 * 1024, 3);
}

static void what_is_no_split_is_refused(void **state) {
    (void)state;
    raski_connector source = raski_text_source("x", 0);
    void *self = malloc(source.fn->self->size);
    assert_non_null(self);
    memcpy(self, source.self, source.fn->self->size);
    assert_int_equal(
        source.fn->add_split->add_split(self, rask_bytes_of("wrong bytes of a split", 22)),
        RASK_FAILED);
    assert_int_equal(source.fn->close->close(self), RASK_OK);
    free(self);
    raski_connector_destroy(&source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_texts),
        cmocka_unit_test(all_short_texts),
        cmocka_unit_test(ends_of_lines_on_borders),
        cmocka_unit_test(a_line_longer_than_the_buffer),
        cmocka_unit_test(what_is_no_split_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
