/* Files of JSON and CSV through jobs: whatever the records, the splits, the buffer and the number
 * of readers, each record comes exactly once; bad ones are named by file, line and column, or left
 * out and counted. */
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
#include <zlib.h>

#include "connectors/connectors.h"

typedef struct entry {
    int64_t id;
    rask_string text;
    rask_optional(rask_string) note;
    rask_list(rask_string) words;
} entry;
RASK_TYPE(entry, id, text, note, (words, rask_list(rask_string)));

/* ---------------------------------------------------------------- texts */
typedef struct lines {
    char **items;
    size_t count;
} lines;

static void lines_add(lines *all, const rask_type *type, const void *record) {
    rask_text text = {0};
    assert_int_equal(rask_text_append_record(&text, type, record), RASK_OK);
    assert_int_equal(rask_text_append(&text, "", 1), RASK_OK);
    all->items = realloc(all->items, (all->count + 1) * sizeof *all->items);
    assert_non_null(all->items);
    all->items[all->count++] = text.data;
}

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void lines_sort(lines *all) {
    if (all->count > 0) qsort(all->items, all->count, sizeof *all->items, compare);
}

static void lines_free(lines *all) {
    for (size_t i = 0; i < all->count; i++) free(all->items[i]);
    free(all->items);
    *all = (lines){0};
}

static uint64_t next_random(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15U;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

static rask_string random_text(uint64_t *seed, char *bytes) {
    static const char *const some[] = {"a", "bc", ",", "\"", "\n", "\r\n", "\r", "\xc3\xa4", " ",
                                       "#", "{",  "}", "[",  "\\", "\t",   "",   ":",        "x"};
    uint64_t parts = next_random(seed) % 8;
    size_t length = 0;
    for (uint64_t i = 0; i < parts; i++) {
        const char *part = some[next_random(seed) % (sizeof some / sizeof *some)];
        memcpy(bytes + length, part, strlen(part));
        length += strlen(part);
    }
    return rask_string_of(bytes, length);
}

enum { TEXT_MAX = 32, WORDS_MAX = 3 };

typedef struct entry_memory {
    char texts[2 + WORDS_MAX][TEXT_MAX];
    rask_string words[WORDS_MAX];
} entry_memory;

static entry random_entry(uint64_t *seed, entry_memory *m) {
    entry e;
    memset(&e, 0, sizeof e);
    e.id = (int64_t)next_random(seed) >> (next_random(seed) % 64);
    e.text = random_text(seed, m->texts[0]);
    if (next_random(seed) % 2) e.note = rask_some(rask_string, random_text(seed, m->texts[1]));
    e.words.count = (uint32_t)(next_random(seed) % (WORDS_MAX + 1));
    for (uint32_t i = 0; i < e.words.count; i++) m->words[i] = random_text(seed, m->texts[2 + i]);
    if (e.words.count == 1 && m->words[0].len == 0) e.words.count = 0; /* CSV cannot tell */
    e.words.items = e.words.count ? m->words : NULL;
    return e;
}

/* ---------------------------------------------------------------- jobs */
static char path[] = "/tmp/rask-records-XXXXXX";

static void make_file(const char *bytes, size_t length) {
    memcpy(path + sizeof path - 7, "XXXXXX", 6);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, length), length);
    assert_int_equal(close(fd), 0);
}

typedef struct outcome {
    lines records;
    int64_t errors; /* counted */
    char message[1024];
} outcome;

static rask_job_result result;
static outcome *outcome_of_job;
typedef struct nothing {
    int unused;
} nothing;
RASK_INSTANCE(nothing);
RASK_SINK(note_record, nothing, self, entry, record) {
    (void)self;
    lines_add(&outcome_of_job->records, &rask_type_entry, &record);
}

static void run(const raski_record_format *format, size_t split_bytes, size_t buffer_bytes,
                int parallelism, outcome *ret) {
    *ret = (outcome){0};
    outcome_of_job = ret;
    rask_env *env = rask_env_create(NULL, NULL);
    raski_connector source =
        raski_record_source_sized(&rask_type_entry, path, 0, format, split_bytes, buffer_bytes);
    assert_non_null(source.fn);
    const rask_options options = {
        .self = {source.self, source.fn->self->size, source.fn->self->type},
        .bounded = true,
        .name = "records",
        .parallelism = parallelism};
    rask_stream(entry) stream = {
        .node = raski_source(env, source.fn, &options, sizeof options, false, __FILE__, __LINE__)};
    rask_sink(stream, note_record, .parallelism = 1);
    (void)rask_execute_job(env, "records", &result);
    (void)snprintf(ret->message, sizeof ret->message, "%s", result.message);
    for (size_t i = 0; i < result.counter_count; i++)
        if (strstr(result.counters[i].name, "numParseErrors") != NULL)
            ret->errors += result.counters[i].value;
    rask_env_destroy(env);
    raski_connector_destroy(&source);
    lines_sort(&ret->records);
}

static void assert_same(const outcome *have, const outcome *want, const char *what, uint64_t seed,
                        size_t split_bytes, size_t buffer_bytes) {
    bool same = have->records.count == want->records.count && have->errors == want->errors &&
                have->message[0] == '\0';
    for (size_t i = 0; same && i < have->records.count; i++)
        same = strcmp(have->records.items[i], want->records.items[i]) == 0;
    for (size_t i = 0; getenv("SHOW") && i < have->records.count; i++)
        fprintf(stderr, "%s|%s\n", have->records.items[i],
                i < want->records.count ? want->records.items[i] : "");
    if (!same)
        fail_msg(
            "%s, seed %llu, splits of %zu, buffer of %zu: %zu records and %lld errors, not "
            "%zu and %lld; %s",
            what, (unsigned long long)seed, split_bytes, buffer_bytes, have->records.count,
            (long long)have->errors, want->records.count, (long long)want->errors, have->message);
}

static const raski_record_format formats[] = {
    {.json = {.ignore_null_fields = true}},
    {.json = {.depth_max = 3}},
    {.is_csv = true},
    {.is_csv = true,
     .csv = {.header = RASK_CSV_HEADER_NAMES, .null_literal = "null", .allow_comments = true}},
    {.is_csv = true,
     .csv = {.field_delimiter = '|', .quote_character = '\'', .escape_character = '\\'}},
    {.is_csv = true,
     .csv = {.header = RASK_CSV_HEADER_SKIP,
             .disable_quote_character = true,
             .escape_character = '\\',
             .null_literal = "\x01",
             .array_element_delimiter = "::"}},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Records as the writer of the format has them. */
static void append_records(rask_format_writer *writer, const raski_record_format *format,
                           uint64_t *seed, size_t count, rask_text *text, outcome *ret_want) {
    static const char *const ends[] = {"\n", "\r\n"};
    for (size_t i = 0; i < count; i++) {
        entry_memory memory;
        rask_format_error error;
        entry e = random_entry(seed, &memory);
        if (rask_format_append(writer, text, &e, &error) != RASK_OK) continue; /* no place for it */
        lines_add(&ret_want->records, &rask_type_entry, &e);
        const char *end = ends[next_random(seed) % 2];
        if (i + 1 == count && next_random(seed) % 2) return; /* without a line end */
        assert_int_equal(rask_text_append(text, end, strlen(end)), RASK_OK);
        if (format->csv.allow_comments && next_random(seed) % 8 == 0)
            assert_int_equal(rask_text_append(text, "# \"a\n", 5), RASK_OK);
        if (next_random(seed) % 8 == 0)
            assert_int_equal(rask_text_append(text, "\n\r\n", 3), RASK_OK); /* blank lines */
    }
}

static void make_text(const raski_record_format *format, uint64_t seed, rask_text *text,
                      outcome *ret_want) {
    char message[256];
    *ret_want = (outcome){0};
    rask_format_writer *writer =
        raski_record_format_writer(format, &rask_type_entry, message, sizeof message);
    if (writer == NULL) fail_msg("%s", message);
    if (next_random(&seed) % 4 == 0)
        assert_int_equal(rask_text_append(text, "\xef\xbb\xbf", 3), RASK_OK);
    if (format->is_csv && format->csv.header == RASK_CSV_HEADER_NAMES)
        assert_int_equal(rask_csv_append_header(writer, text), RASK_OK);
    if (format->is_csv && format->csv.header == RASK_CSV_HEADER_SKIP)
        assert_int_equal(rask_text_append(text, "whatever", 8), RASK_OK);
    if (format->is_csv && format->csv.header != RASK_CSV_HEADER_NONE)
        assert_int_equal(rask_text_append(text, "\n", 1), RASK_OK);
    append_records(writer, format, &seed, next_random(&seed) % 40, text, ret_want);
    rask_format_writer_destroy(writer);
    lines_sort(&ret_want->records);
}

static void random_files(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 7, 50, 333, 4096};
    for (uint64_t n = 0; n < 240; n++) {
        const raski_record_format *format = &formats[n % FORMATS];
        uint64_t seed = n + 1;
        rask_text text = {0};
        outcome want, have;
        make_text(format, seed, &text, &want);
        make_file(text.data ? text.data : "", text.length);
        size_t split_bytes = sizes[next_random(&seed) % 7];
        size_t buffer_bytes = sizes[next_random(&seed) % 7];
        run(format, split_bytes, buffer_bytes, 1 + (int)(next_random(&seed) % 3), &have);
        assert_same(&have, &want, format->is_csv ? "csv" : "json", n, split_bytes, buffer_bytes);
        lines_free(&have.records);
        lines_free(&want.records);
        (void)unlink(path);
        free(text.data);
    }
}

/* A few bytes changed: what is left out and counted is the same however the file is cut. */
static void damaged_files(void **state) {
    (void)state;
    static const char bytes[] = "\",\n\r\\{}[]:0x\xff\xc3";
    for (uint64_t n = 0; n < 180; n++) {
        raski_record_format format = formats[n % FORMATS];
        format.json.ignore_parse_errors = format.csv.ignore_parse_errors = true;
        format.json.record_bytes_max = format.csv.record_bytes_max = n % 2 ? 100 : 0;
        uint64_t seed = n + 1000;
        rask_text text = {0};
        outcome want, have;
        make_text(&format, seed, &text, &want);
        lines_free(&want.records);
        size_t safe = format.csv.header == RASK_CSV_HEADER_NAMES ? 30 : 0; /* the header */
        for (int i = 0; i < 5 && text.length > safe; i++)
            text.data[safe + next_random(&seed) % (text.length - safe)] =
                bytes[next_random(&seed) % (sizeof bytes - 1)];
        make_file(text.data ? text.data : "", text.length);
        run(&format, 1 << 20, 0, 1, &want);
        assert_string_equal(want.message, "");
        for (size_t k = 0; k < 3; k++) {
            size_t split_bytes = 1 + next_random(&seed) % 200;
            size_t buffer_bytes = 1 + next_random(&seed) % 100;
            run(&format, split_bytes, buffer_bytes, 1 + (int)k, &have);
            assert_same(&have, &want, format.is_csv ? "csv" : "json", n, split_bytes, buffer_bytes);
            lines_free(&have.records);
        }
        lines_free(&want.records);
        (void)unlink(path);
        free(text.data);
    }
}

/* ---------------------------------------------------------------- errors */
static void check_message(const raski_record_format *format, const char *text, size_t split_bytes,
                          const char *expected) {
    make_file(text, strlen(text));
    outcome have;
    run(format, split_bytes, 0, 1, &have);
    char whole[1024];
    (void)snprintf(whole, sizeof whole, "%s%s", path, expected);
    if (strstr(have.message, whole) == NULL)
        fail_msg("\"%s\" is not in the message: %s", whole, have.message);
    lines_free(&have.records);
    (void)unlink(path);
}

static void places_of_errors(void **state) {
    (void)state;
    static const char json[] =
        "{\"id\":1,\"text\":\"\",\"words\":[]}\n\n{\"id\":2,\"text\":\"\",\"words\":[]}\r\n"
        "{\"id\":3,\"text\":\"\xc3\xa4\",\"words\":[1]}\n";
    static const char csv[] =
        "\xef\xbb\xbfid,text,words\r\n1,\"a\nb\",x;y\n\n2,\"a\r\nb\",\n3,,,\n";
    const raski_record_format names = {.is_csv = true, .csv = {.header = RASK_CSV_HEADER_NAMES}};
    for (size_t split = 1; split < 80; split += split < 8 ? 1 : 9) {
        check_message(&formats[0], json, split,
                      ":4:29: field \"words[0]\": \"1\" where STRING is expected");
        check_message(&names, csv, split,
                      ":7:5: the record has more cells than the 3 that are expected");
    }
    check_message(&names, "id,text\n", 5,
                  ":1:1: field \"words\": the header does not name it, and it is not optional");
    check_message(&formats[2], "1,\"a,,\n2,b,,\n", 100,
                  ":1:3: field \"text\": the quote that opens here is not closed by the end of "
                  "the record");
    raski_record_format small = {.is_csv = true, .csv = {.record_bytes_max = 10}};
    check_message(&small, "1,a,,\n2,\"b,,\n3,c,,\n4,d,,\n", 100,
                  ":2:1: the record has more than 10 bytes, the limit (record_bytes_max); is a "
                  "quote not closed?");
}

static void compressed_files(void **state) {
    (void)state;
    char name[] = "/tmp/rask-records-XXXXXX.gz";
    int fd = mkstemps(name, 3);
    assert_true(fd >= 0);
    gzFile gz = gzdopen(fd, "wb");
    assert_non_null(gz);
    enum { COUNT = 20000 };
    for (int i = 0; i < COUNT; i++) assert_true(gzprintf(gz, "%d,\"text\n%d\",,a;b\n", i, i) > 0);
    assert_int_equal(gzclose(gz), Z_OK);
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, 2);
    rask_iterator(entry) it =
        rask_execute_and_collect(rask_read_csv(env, entry, name), "compressed");
    int64_t count = 0;
    int64_t sum = 0;
    for (entry e; rask_next(&it, &e); count++) {
        sum += e.id;
        assert_true(e.text.len >= 6);
        assert_int_equal(e.words.count, 2);
    }
    assert_int_equal(rask_close(&it), 0);
    assert_int_equal(count, COUNT);
    assert_int_equal(sum, (int64_t)COUNT * (COUNT - 1) / 2);
    (void)unlink(name);
}

/* ---------------------------------------------------------------- written files */
static void written_and_read(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        char folder[] = "/tmp/rask-written-XXXXXX";
        char name[64];
        assert_non_null(mkdtemp(folder));
        (void)snprintf(name, sizeof name, "%s/out", folder);
        rask_env *env = rask_env_create(NULL, NULL);
        const int parallelism = 1 + i % 2;
        rask_set_parallelism(env, parallelism);
        rask_stream(entry) entries =
            rask_values(env, entry, {.id = 1, .text = rask_string_from("a,\"b\"\n")},
                        {.id = 2, .note = rask_some(rask_string, rask_string_from("x"))});
        if (i < 2)
            rask_write_json(rask_rebalance(entries), name);
        else
            rask_write_csv(rask_rebalance(entries), name, .csv = {.header = RASK_CSV_HEADER_NAMES});
        assert_int_equal(rask_execute_job(env, "write", &result), 0);
        rask_env_destroy(env);
        env = rask_env_create(NULL, NULL);
        rask_iterator(entry) it = rask_execute_and_collect(
            i < 2 ? rask_read_json(env, entry, name)
                  : rask_read_csv(env, entry, name, .csv = {.header = RASK_CSV_HEADER_NAMES}),
            "read");
        int64_t seen = 0;
        for (entry e; rask_next(&it, &e);) {
            seen += e.id;
            assert_true(rask_string_is(e.text, e.id == 1 ? "a,\"b\"\n" : ""));
            assert_int_equal(e.note.present, e.id == 2);
        }
        assert_int_equal(rask_close(&it), 0);
        assert_int_equal(seen, 3);
        char command[128];
        (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
        assert_int_equal(system(command), 0);
    }
}

static void mistakes_of_programs(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_discard(rask_read_csv(env, entry, "x.csv", .csv = {.field_delimiter = 'a'}));
    assert_int_not_equal(rask_execute_job(env, "mistake", &result), 0);
    assert_non_null(strstr(result.message, "rask_read_csv: csv option field_delimiter must be"));
    rask_env_destroy(env);
    env = rask_env_create(NULL, NULL);
    rask_write_json(rask_values(env, entry, {.id = 1}), "");
    assert_int_not_equal(rask_execute_job(env, "mistake", &result), 0);
    assert_non_null(strstr(result.message, "rask_write_json needs a path, got an empty one"));
    rask_env_destroy(env);
}

static void records_that_cannot_be_written(void **state) {
    (void)state;
    make_file("", 0);
    rask_env *env = rask_env_create(NULL, NULL);
    rask_write_json(rask_values(env, entry, {.id = 1, .text = rask_string_of("\xff", 1)}), path);
    assert_int_not_equal(rask_execute_job(env, "bad", &result), 0);
    assert_non_null(strstr(result.message, "cannot write a record to"));
    assert_non_null(
        strstr(result.message, "field \"text\": the text is not UTF-8 at byte 0 (0xff)"));
    rask_env_destroy(env);
    (void)unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_files),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(places_of_errors),
        cmocka_unit_test(compressed_files),
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(mistakes_of_programs),
        cmocka_unit_test(records_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
