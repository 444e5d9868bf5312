/* Buckets and rolling with a clock of the test's own: which file a record goes to, what is closed
 * when, what a snapshot restores. */
#include "connectors/part_buckets.h"

#include <ftw.h>
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

static char folder[64];
static char message[1024];

static int make_folder(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/rask-buckets-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static int hidden_files;
static int count_hidden(const char *path, const struct stat *info, int kind) {
    (void)info;
    hidden_files += kind == FTW_F && strstr(path, "/.") != NULL;
    return 0;
}
static int hidden(void) {
    hidden_files = 0;
    assert_int_equal(ftw(folder, count_hidden, 8), 0);
    return hidden_files;
}

static const char *content(const char *name) {
    static char text[4096];
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) return "(none)";
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    return text;
}

static raski_buckets_options options(void) {
    return (raski_buckets_options){
        .folder = folder,
        .prefix = "part",
        .suffix = ".txt",
        .subtask = 2,
        .policy = {.size_max = 10, .rollover_ms = 1000, .inactivity_ms = 300},
        .open_max = 2,
    };
}

static raski_buckets *create(const raski_buckets_options *o) {
    raski_buckets *b = raski_buckets_create(o);
    assert_non_null(b);
    return b;
}

static void put(raski_buckets *b, const char *id, const char *text, int64_t now_ms) {
    if (!raski_buckets_write(b, id, strlen(id), text, strlen(text), now_ms, message,
                             sizeof message))
        fail_msg("%s", message);
}

static void time_is(raski_buckets *b, int64_t now_ms) {
    assert_true(raski_buckets_advance_time(b, now_ms, message, sizeof message));
}

/* Commits what is pending; how many files that were. */
static size_t commit_pending(raski_buckets *b, bool barrier, bool end_of_input) {
    raski_part_list list = {0};
    if (barrier)
        assert_true(raski_buckets_prepare(b, end_of_input, &list, message, sizeof message));
    else
        assert_true(raski_buckets_take_pending(b, &list, message, sizeof message));
    if (!raski_part_list_commit(&list, message, sizeof message)) fail_msg("%s", message);
    size_t count = list.count;
    raski_part_list_abandon(&list);
    return count;
}

static void rolled_by_size(void **state) {
    (void)state;
    raski_buckets_options o = options();
    raski_buckets *b = create(&o);
    put(b, "", "12345\n", 0); /* 6: not larger */
    put(b, "", "1234\n", 0);  /* 11: larger, so the next one begins a file */
    put(b, "", "x\n", 0);
    assert_int_equal(commit_pending(b, false, false), 1);
    assert_string_equal(content("part-2-0.txt"), "12345\n1234\n");
    put(b, "", "a line that is longer than a file\n", 0);
    put(b, "", "y\n", 0);
    assert_int_equal(commit_pending(b, true, true), 2);
    assert_string_equal(content("part-2-1.txt"), "x\na line that is longer than a file\n");
    assert_string_equal(content("part-2-2.txt"), "y\n");
    assert_int_equal(hidden(), 0);
    raski_buckets_destroy(b);
}

static void rolled_by_time(void **state) {
    (void)state;
    raski_buckets_options o = options();
    o.policy.size_max = 1000;
    raski_buckets *b = create(&o);
    put(b, "a", "1\n", 5000);
    put(b, "b", "1\n", 5000);
    put(b, "b", "2\n", 5200);
    time_is(b, 5299);
    assert_int_equal(commit_pending(b, false, false), 0);
    time_is(b, 5300); /* nothing for 300 ms in a */
    assert_int_equal(commit_pending(b, false, false), 1);
    assert_string_equal(content("a/part-2-0.txt"), "1\n");
    for (int64_t t = 5400; t < 6000; t += 100) {
        put(b, "b", "x\n", t);
        time_is(b, t);
    }
    assert_int_equal(commit_pending(b, false, false), 0);
    put(b, "b", "y\n", 5999);
    time_is(b, 6000); /* a second old, though records still come */
    assert_int_equal(commit_pending(b, false, false), 1);
    assert_string_equal(content("b/part-2-0.txt"), "1\n2\nx\nx\nx\nx\nx\nx\ny\n");
    time_is(b, 100000);
    assert_int_equal(commit_pending(b, false, false), 0);
    put(b, "a", "again\n", 100000);
    assert_int_equal(commit_pending(b, true, true), 1);
    assert_string_equal(content("a/part-2-1.txt"), "again\n");
    raski_buckets_destroy(b);
}

static void more_buckets_than_open_files(void **state) {
    (void)state;
    raski_buckets_options o = options();
    o.policy.size_max = 1 << 20;
    o.head = "head\n";
    o.head_length = 5;
    raski_buckets *b = create(&o);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 40; i++) {
            char id[32];
            char text[32];
            (void)snprintf(id, sizeof id, "k%d/deep", i * 7 % 40);
            (void)snprintf(text, sizeof text, "%d\n", round);
            put(b, id, text, round);
        }
    assert_int_equal(hidden(), 40);
    assert_int_equal(commit_pending(b, true, true), 40);
    for (int i = 0; i < 40; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "k%d/deep/part-2-0.txt", i);
        assert_string_equal(content(name), "head\n0\n1\n2\n");
    }
    raski_buckets_destroy(b);
}

/* Numbers go on behind those of earlier jobs, whoever they were of. */
static void numbers_go_on(void **state) {
    (void)state;
    static const char *const there[] = {"part-2-7.txt", "part-2-11.csv", "part-3-99.txt",
                                        "part-2-x.txt", "other-2-50",    ".part-2-12.inprogress.1"};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "%s/%s", folder, there[i]);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fclose(file), 0);
    }
    raski_buckets_options o = options();
    raski_buckets *b = create(&o);
    put(b, "", "new\n", 0);
    assert_int_equal(commit_pending(b, true, true), 1);
    assert_string_equal(content("part-2-13.txt"), "new\n");
    raski_buckets_destroy(b);
}

static void nothing_is_left_when_abandoned(void **state) {
    (void)state;
    raski_buckets_options o = options();
    raski_buckets *b = create(&o);
    put(b, "a", "0123456789012345\n", 0);
    put(b, "a", "more\n", 0);
    put(b, "b", "x\n", 0);
    assert_int_equal(hidden(), 3);
    raski_buckets_destroy(b);
    assert_int_equal(hidden(), 0);
    o.are_saved = true;
    b = create(&o);
    put(b, "a", "x\n", 0);
    raski_buckets_destroy(b);
    assert_int_equal(hidden(), 1);
    raski_buckets_destroy(NULL);
}

/* A barrier, more records, a failure; another writer goes on at the barrier. */
static void snapshots(void **state) {
    (void)state;
    raski_buckets_options o = options();
    o.policy.size_max = 1000;
    o.are_saved = true;
    raski_buckets *b = create(&o);
    rask_text text = {0};
    put(b, "a", "a1\n", 0);
    put(b, "b", "b1\n", 0);
    put(b, "c", "c1\n", 0);
    assert_int_equal(commit_pending(b, true, false), 0); /* nothing is to be closed */
    assert_true(raski_buckets_snapshot(b, &text, message, sizeof message));
    put(b, "a", "lost\n", 0);
    put(b, "c", "lost\n", 0);
    raski_buckets_destroy(b);
    b = create(&o);
    if (!raski_buckets_restore(b, text.data, text.length, message, sizeof message))
        fail_msg("%s", message);
    put(b, "a", "a2\n", 0);
    put(b, "d", "d1\n", 0);
    assert_int_equal(commit_pending(b, true, true), 4);
    assert_string_equal(content("a/part-2-0.txt"), "a1\na2\n");
    assert_string_equal(content("b/part-2-0.txt"), "b1\n");
    assert_string_equal(content("c/part-2-0.txt"), "c1\n");
    assert_string_equal(content("d/part-2-0.txt"), "d1\n");
    raski_buckets_destroy(b);
    free(text.data);
}

/* Two subtasks before, one after: both wrote to the same bucket. */
static void fewer_subtasks_after_a_snapshot(void **state) {
    (void)state;
    rask_text texts[2] = {{0}, {0}};
    raski_buckets_options o = options();
    o.policy.size_max = 1000;
    o.are_saved = true;
    for (int i = 0; i < 2; i++) {
        o.subtask = i;
        raski_buckets *b = create(&o);
        put(b, "a", i == 0 ? "first\n" : "second\n", 0);
        assert_true(raski_buckets_snapshot(b, &texts[i], message, sizeof message));
        raski_buckets_destroy(b);
    }
    o.subtask = 0;
    raski_buckets *b = create(&o);
    for (int i = 0; i < 2; i++)
        assert_true(
            raski_buckets_restore(b, texts[i].data, texts[i].length, message, sizeof message));
    put(b, "a", "third\n", 0);
    assert_int_equal(commit_pending(b, true, true), 2);
    assert_string_equal(content("a/part-0-0.txt"), "first\nthird\n");
    assert_string_equal(content("a/part-1-0.txt"), "second\n");
    raski_buckets_destroy(b);
    for (int i = 0; i < 2; i++) free(texts[i].data);
}

static void a_new_file_at_every_checkpoint(void **state) {
    (void)state;
    raski_buckets_options o = options();
    o.policy.on_checkpoint = true;
    raski_buckets *b = create(&o);
    rask_text text = {0};
    put(b, "a", "1\n", 0);
    assert_int_equal(commit_pending(b, true, false), 1);
    assert_true(raski_buckets_snapshot(b, &text, message, sizeof message));
    assert_int_equal(text.length, 8); /* no file is in progress */
    put(b, "a", "2\n", 0);
    assert_int_equal(commit_pending(b, true, false), 1);
    assert_string_equal(content("a/part-2-0.txt"), "1\n");
    assert_string_equal(content("a/part-2-1.txt"), "2\n");
    raski_buckets_destroy(b);
    free(text.data);
}

static void wrong_snapshots_are_refused(void **state) {
    (void)state;
    raski_buckets_options o = options();
    raski_buckets *b = create(&o);
    rask_text text = {0};
    put(b, "a", "1\n", 0);
    put(b, "b", "2\n", 0);
    assert_true(raski_buckets_snapshot(b, &text, message, sizeof message));
    o.are_saved = true; /* the files are the first one's */
    for (size_t length = 0; length < text.length; length++) {
        raski_buckets *other = create(&o);
        assert_false(raski_buckets_restore(other, text.data, length, message, sizeof message));
        raski_buckets_destroy(other);
    }
    raski_buckets_destroy(b);
    free(text.data);
}

static void check_id(raski_buckets *b, const char *id, size_t length, const char *expected) {
    assert_false(raski_buckets_write(b, id, length, "x", 1, 0, message, sizeof message));
    if (strstr(message, expected) == NULL) fail_msg("%s", message);
}

static void wrong_buckets_are_refused(void **state) {
    (void)state;
    raski_buckets_options o = options();
    raski_buckets *b = create(&o);
    check_id(b, "..", 2, "leads out of the folder");
    check_id(b, "a/../../b", 9, "leads out of the folder");
    check_id(b, "/etc", 4, "begins or ends with a /");
    check_id(b, "a/", 2, "begins or ends with a /");
    check_id(b, "a//b", 4, "has an empty part");
    check_id(b, "./a", 3, "has a part \".\"");
    check_id(b, "a\0b", 3, "has a NUL byte");
    char longest[300];
    memset(longest, 'x', sizeof longest);
    check_id(b, longest, sizeof longest, "has a part that is too long");
    put(b, "a", "1\n", 0);
    assert_int_equal(commit_pending(b, true, true), 1);
    check_id(b, "a/part-2-0.txt", 14, "is a file, but part files need a folder there");
    raski_buckets_destroy(b);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(rolled_by_size),
        WITH_FOLDER(rolled_by_time),
        WITH_FOLDER(more_buckets_than_open_files),
        WITH_FOLDER(numbers_go_on),
        WITH_FOLDER(nothing_is_left_when_abandoned),
        WITH_FOLDER(snapshots),
        WITH_FOLDER(fewer_subtasks_after_a_snapshot),
        WITH_FOLDER(a_new_file_at_every_checkpoint),
        WITH_FOLDER(wrong_snapshots_are_refused),
        WITH_FOLDER(wrong_buckets_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
