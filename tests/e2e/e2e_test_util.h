/* e2e_test_util.h - what the tests of whole jobs share: the settings under which a job is run, and
 * texts of records to compare what came out with what a plain C model says.
 *
 *   FOR_EACH_SETTING(s) {
 *       rask_env *env = env_of(s);
 *       lines have = {0}, want = {0};
 *       COLLECT(item, stream, &have);
 *       ... model: ADD(item, &want, record)
 *       assert_same_records(s, &have, &want);
 *   }
 * Threads: the test's only, unless said otherwise. */
#ifndef RASK_TESTS_E2E_TEST_UTIL_H
#define RASK_TESTS_E2E_TEST_UTIL_H
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rask/rask.h>

/* ---------------------------------------------------------------- settings */
typedef struct setting {
    int parallelism;
    bool chaining, batch;
    int64_t buffer_timeout_ms;
} setting;

enum { SETTING_COUNT = 3 * 2 * 2 * 3, SETTINGS_OF_MODE = 3 * 2 * 3 };

/* The i-th of all combinations; streaming ones first. */
static inline setting setting_at(int i) {
    static const int64_t timeouts[] = {0, 100, -1};
    return (setting){.parallelism = 1 + i % 3,
                     .chaining = i / 3 % 2 == 0,
                     .buffer_timeout_ms = timeouts[i / 6 % 3],
                     .batch = i / 18 % 2 == 1};
}
#define FOR_EACH_SETTING(s) FOR_SETTINGS(s, 0, SETTING_COUNT)
#define FOR_EACH_STREAMING_SETTING(s) FOR_SETTINGS(s, 0, SETTINGS_OF_MODE)
#define FOR_EACH_BATCH_SETTING(s) FOR_SETTINGS(s, SETTINGS_OF_MODE, SETTING_COUNT)
/* One buffer timeout for each of the others: enough where exchanges are not what is tested. */
#define FOR_EACH_MODE(s) \
    FOR_EACH_SETTING(s) \
    if (setting_i_ / 6 % 3 == (setting_i_ % 3 + setting_i_ / 3 % 2 + setting_i_ / 18) % 3)
#define FOR_SETTINGS(s, from, to) \
    for (int setting_i_ = (from); setting_i_ < (to); setting_i_++) \
        for (setting s##_ = setting_at(setting_i_), *s = &s##_; s != NULL; s = NULL)

static inline rask_env *env_of(const setting *s) {
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, s->parallelism);
    rask_set_runtime_mode(env, s->batch ? RASK_BATCH : RASK_STREAMING);
    rask_set_buffer_timeout(env, s->buffer_timeout_ms);
    if (!s->chaining) rask_disable_chaining(env);
    return env;
}
static inline rask_env *env_with_parallelism(int parallelism) {
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, parallelism);
    return env;
}

/* ---------------------------------------------------------------- texts of records */
typedef struct lines {
    char **items;
    size_t count, capacity;
} lines;

static inline void lines_take(lines *l, char *text_take) {
    if (l->count == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 256;
        l->items = realloc(l->items, l->capacity * sizeof *l->items);
        assert_non_null(l->items);
    }
    l->items[l->count++] = text_take;
}
static inline void lines_add_record(lines *l, const rask_type *type, const void *record) {
    rask_text text = {0};
    assert_int_equal(rask_text_append_record(&text, type, record), RASK_OK);
    assert_int_equal(rask_text_append(&text, "", 1), RASK_OK); /* and the NUL */
    lines_take(l, text.data);
}
__attribute__((format(printf, 2, 3))) static inline void lines_add(lines *l, const char *format,
                                                                   ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = malloc(strlen(text) + 1);
    assert_non_null(copy);
    memcpy(copy, text, strlen(text) + 1);
    lines_take(l, copy);
}
static inline lines lines_copy(const lines *from) {
    lines copy = {0};
    for (size_t i = 0; i < from->count; i++) {
        size_t size = strlen(from->items[i]) + 1;
        char *text = malloc(size);
        assert_non_null(text);
        memcpy(text, from->items[i], size);
        lines_take(&copy, text);
    }
    return copy;
}
static inline void lines_free(lines *l) {
    for (size_t i = 0; i < l->count; i++) free(l->items[i]);
    free(l->items);
    *l = (lines){0};
}
static inline int compare_lines(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}
static inline void lines_sort(lines *l) {
    if (l->count > 0) qsort(l->items, l->count, sizeof *l->items, compare_lines);
}
static inline size_t lines_count(const lines *l, const char *text) {
    size_t n = 0;
    for (size_t i = 0; i < l->count; i++) n += strcmp(l->items[i], text) == 0;
    return n;
}

/* The same records in the same order; frees both. s may be NULL. */
static inline void assert_same_sequence(const setting *s, lines *have, lines *want) {
    static const setting unknown = {0};
    if (s == NULL) s = &unknown;
    for (size_t i = 0; i < have->count || i < want->count; i++) {
        const char *h = i < have->count ? have->items[i] : "(nothing)";
        const char *w = i < want->count ? want->items[i] : "(nothing)";
        if (strcmp(h, w) != 0)
            fail_msg(
                "parallelism %d, chaining %d, batch %d, buffer timeout %d: record %zu is %s, "
                "not %s (%zu records, not %zu)",
                s->parallelism, s->chaining, s->batch, (int)s->buffer_timeout_ms, i, h, w,
                have->count, want->count);
    }
    lines_free(have);
    lines_free(want);
}
/* The same records in any order; frees both. */
static inline void assert_same_records(const setting *s, lines *have, lines *want) {
    lines_sort(have);
    lines_sort(want);
    assert_same_sequence(s, have, want);
}

#define ADD(T, l, ...) lines_add_record((l), &rask_type_##T, &(const T[]){__VA_ARGS__}[0])

/* Runs the job that ends in this stream and adds the text of each of its records; frees the
 * environment. The job must succeed. */
#define COLLECT(T, stream, l) \
    do { \
        rask_iterator(T) it_ = rask_execute_and_collect(stream, "test"); \
        for (T record_; rask_next(&it_, &record_);) \
            lines_add_record((l), &rask_type_##T, &record_); \
        assert_int_equal(rask_close(&it_), 0); \
    } while (0)

/* ---------------------------------------------------------------- several results of one job */
/* A sink that notes each record's text and its subtask in a store that all subtasks share; give it
 * .self = RASK_SELF(noting, &notes). Any thread. */
typedef struct notes {
    lines lines;
    size_t per_subtask[128];
} notes;
static pthread_mutex_t notes_lock = PTHREAD_MUTEX_INITIALIZER; /* guards all notes */
static inline void notes_add(notes *n, const rask_type *type, const void *record) {
    (void)pthread_mutex_lock(&notes_lock);
    lines_add_record(&n->lines, type, record);
    n->per_subtask[rask_runtime()->subtask_index]++;
    (void)pthread_mutex_unlock(&notes_lock);
}
typedef struct noting {
    notes *notes;
} noting;
RASK_INSTANCE(noting);
#define NOTE_SINK(fn, T) \
    RASK_SINK(fn, noting, self, T, record) { \
        notes_add(self->notes, &rask_type_##T, &record); \
    }

/* Runs a job that must succeed; keeps the environment. */
static inline rask_job_result run_job(rask_env *env) {
    rask_job_result result;
    int code = rask_execute_job(env, "test", &result);
    if (code != 0) fail_msg("the job failed: %s", result.message);
    return result;
}
/* Runs a job that must fail, with `part` in its message; frees the environment. */
static inline void assert_fails(rask_env *env, const char *part) {
    rask_job_result result;
    assert_int_not_equal(rask_execute_job(env, "test", &result), 0);
    if (strstr(result.message, part) == NULL)
        fail_msg("\"%s\" is not in the message: %s", part, result.message);
    rask_env_destroy(env);
}

/* A copy of a string that lives until the end of the program: for models, which keep what they were
 * given (rask_string_format's memory is used again after some megabytes). The test's thread. */
typedef struct kept_text {
    struct kept_text *next;
    char bytes[];
} kept_text;
static kept_text *kept_texts; /* reachable, so that leak checkers know it */
__attribute__((unused)) static rask_string keep(rask_string s) {
    if (s.len <= RASK_STRING_INLINE) return s;
    kept_text *kept = malloc(sizeof *kept + s.len);
    assert_non_null(kept);
    memcpy(kept->bytes, rask_string_data(&s), s.len);
    kept->next = kept_texts;
    kept_texts = kept;
    return rask_string_of(kept->bytes, s.len);
}

/* A text longer than the 12 bytes that a rask_string has in itself, made of a number. */
static inline rask_string long_text(int64_t n) {
    return rask_string_format("a text of more than twelve bytes, number %lld", (long long)n);
}
#endif
