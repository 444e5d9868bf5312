/* Folders that are watched: files that appear while the job runs are read, each once. What was read
 * says when the next file may appear, so nothing depends on time. */
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
#include <zstd.h>

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/rask-monitor-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static const char *in_folder(const char *name) {
    static char path[2][256];
    static int next;
    next = 1 - next;
    (void)snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

/* Whole files appear at once: they are written under a name that is not looked at. */
static void appear(const char *name, const void *bytes, size_t size) {
    char hidden[256];
    (void)snprintf(hidden, sizeof hidden, "%s", in_folder(".hidden"));
    FILE *file = fopen(hidden, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(hidden, in_folder(name)), 0);
}

static void appear_text(const char *name, const char *text) {
    appear(name, text, strlen(text));
}

static void expect(rask_iterator(rask_string) * it, const char *const *lines) {
    size_t count = 0;
    while (lines[count] != NULL) count++;
    bool seen[16] = {false};
    for (size_t n = 0; n < count; n++) {
        rask_string line;
        size_t i = 0;
        assert_true(rask_next(it, &line));
        while (i < count && (seen[i] || !rask_string_is(line, lines[i]))) i++;
        if (i == count) fail_msg("\"%.*s\" was not expected", RASK_STR(line));
        seen[i] = true;
    }
}
#define EXPECT(it, ...) expect(it, (const char *const[]){__VA_ARGS__, NULL})

static void watch(const char *what, int parallelism) {
    char bytes[512];
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, parallelism);
    appear_text("a.txt", "one\ntwo\n");
    rask_iterator(rask_string) it = rask_execute_and_collect(
        rask_read_text(env, what, .monitor_interval = RASK_MS(1)), "watch");
    EXPECT(&it, "one", "two");
    appear_text("b.txt", "three");
    EXPECT(&it, "three");
    appear_text("c.txt", "");
    appear_text("a0.txt", "four\nfive\n"); /* sorted before what was seen */
    EXPECT(&it, "four", "five");
    gzFile file = gzopen(in_folder(".d"), "wb");
    assert_int_equal(gzputs(file, "six\nseven\n"), 10);
    assert_int_equal(gzclose(file), Z_OK);
    assert_int_equal(rename(in_folder(".d"), in_folder("d.txt.gz")), 0);
    EXPECT(&it, "six", "seven");
    size_t size = ZSTD_compress(bytes, sizeof bytes, "eight\n", 6, 1);
    assert_false(ZSTD_isError(size));
    appear("e.txt.zst", bytes, size);
    EXPECT(&it, "eight");
    /* gone, and there again under its name: it was read already */
    assert_int_equal(unlink(in_folder("b.txt")), 0);
    appear_text("f.txt", "nine\n");
    EXPECT(&it, "nine");
    appear_text("b.txt", "three\n");
    appear_text("g.txt", "ten\n");
    EXPECT(&it, "ten");
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
}

static void files_that_appear_in_a_folder(void **state) {
    (void)state;
    watch(folder, 1);
}

static void files_that_appear_behind_a_glob(void **state) {
    (void)state;
    char pattern[256];
    (void)snprintf(pattern, sizeof pattern, "%s", in_folder("*.txt*"));
    watch(pattern, 3);
}

static void folders_that_appear(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, 2);
    rask_iterator(rask_string) it = rask_execute_and_collect(
        rask_read_text(env, in_folder("day*"), .monitor_interval = RASK_MS(1)), "watch");
    assert_int_equal(mkdir(in_folder("day1"), 0777), 0);
    appear_text("day1/x", "a\n");
    EXPECT(&it, "a");
    assert_int_equal(mkdir(in_folder("day2"), 0777), 0);
    assert_int_equal(mkdir(in_folder("day2/deep"), 0777), 0);
    appear_text("day2/deep/x", "b\n");
    EXPECT(&it, "b");
    assert_int_equal(unlink(in_folder("day1/x")), 0);
    assert_int_equal(rmdir(in_folder("day1")), 0);
    appear_text("day2/y", "c\n");
    EXPECT(&it, "c");
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
}

/* Cancelled while nothing is there at all. */
static void nothing_appears(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_iterator(rask_string) it = rask_execute_and_collect(
        rask_read_text(env, folder, .monitor_interval = RASK_MS(3600000)), "watch");
    assert_int_equal(rask_close(&it), RASK_EXIT_OK);
}

static void check_message(rask_env *env, const char *expected) {
    rask_job_result result;
    assert_int_equal(rask_execute_job(env, "watch", &result), RASK_EXIT_FAILED);
    if (strstr(result.message, expected) == NULL) fail_msg("%s", result.message);
    rask_env_destroy(env);
}

static void mistakes(void **state) {
    (void)state;
    rask_env *env = rask_env_create(NULL, NULL);
    rask_discard(rask_read_text(env, in_folder("no"), .monitor_interval = RASK_MS(1)));
    check_message(env, "No such file or directory");
    env = rask_env_create(NULL, NULL);
    rask_discard(rask_read_text(env, folder, .monitor_interval = RASK_MS(0)));
    check_message(env, "needs a .monitor_interval of at least 1 ms, got 0");
    env = rask_env_create(NULL, NULL);
    rask_set_runtime_mode(env, RASK_BATCH);
    rask_discard(rask_read_text(env, folder, .monitor_interval = RASK_MS(1)));
    check_message(env, "UNBOUNDED");
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(files_that_appear_in_a_folder),
        WITH_FOLDER(files_that_appear_behind_a_glob),
        WITH_FOLDER(folders_that_appear),
        WITH_FOLDER(nothing_appears),
        WITH_FOLDER(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
