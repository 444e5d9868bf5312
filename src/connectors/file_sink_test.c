/* The file sink through whole jobs: buckets, formats, and what there is after jobs that succeed,
 * fail and are cancelled. */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <rask/rask.h>

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/rask-file-sink-XXXXXX");
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

static const char *content(const char *name) {
    static char text[4096];
    FILE *file = fopen(in_folder(name), "rb");
    if (file == NULL) return "(none)";
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    return text;
}

/* All files and folders, and the lines of all files but hidden ones. */
static int files;
static int folders;
static int hidden;
static int64_t lines;
static int64_t sum;
static int look_at(const char *path, const struct stat *info, int kind) {
    (void)info;
    folders += kind == FTW_D;
    if (kind != FTW_F) return 0;
    files++;
    if (strstr(path, "/.") != NULL) {
        hidden++;
        return 0;
    }
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char line[64];
    for (; fgets(line, sizeof line, file) != NULL; lines++) sum += strtoll(line, NULL, 10);
    (void)fclose(file);
    return 0;
}
static void look(void) {
    files = folders = hidden = 0;
    lines = sum = 0;
    assert_int_equal(ftw(folder, look_at, 16), 0);
}

static int run(rask_env *env, rask_job_result *result) {
    int code = rask_execute_job(env, "file sink", result);
    rask_env_destroy(env);
    return code;
}

static rask_env *environment(int parallelism) {
    rask_env *env = rask_env_create(NULL, NULL);
    rask_set_parallelism(env, parallelism);
    return env;
}

RASK_KEY(by_last_digit, int64_t, n, rask_string) {
    return rask_string_format("digit=%lld", (long long)(n % 10));
}

static void buckets_of_records(void **state) {
    (void)state;
    for (int parallelism = 1; parallelism <= 3; parallelism += 2) {
        rask_job_result result;
        rask_env *env = environment(parallelism);
        rask_file_sink_by(rask_sequence(env, 1, 10000), by_last_digit, in_folder("out"),
                          .files = {.part_size_max = 1000,
                                    .open_files_max = 3,
                                    .part_prefix = parallelism == 1 ? "one" : "three"});
        assert_int_equal(run(env, &result), RASK_EXIT_OK);
        look();
        assert_int_equal(hidden, 0);
        assert_int_equal(folders, 2 + 10);
    }
    assert_int_equal(lines, 20000);
    assert_int_equal(sum, 10000LL * 10001);
    assert_true(files > 40); /* rolled */
    assert_memory_equal(content("out/digit=7/one-0-0"), "7\n17\n27\n37\n4", 12);
}

static void buckets_by_time(void **state) {
    (void)state;
    rask_job_result result;
    rask_env *env = environment(1);
    rask_file_sink(rask_values(env, int64_t, 1, 2, 3), in_folder("a/b/"),
                   .files = {.bucket_format = "'x'", .part_suffix = ".txt"});
    rask_file_sink(rask_values(env, int64_t, 4, 5), in_folder("c"), .files = {.bucket_format = ""});
    rask_file_sink(rask_values(env, int64_t, 6), in_folder("d"));
    assert_int_equal(run(env, &result), RASK_EXIT_OK);
    assert_string_equal(content("a/b/x/part-0-0.txt"), "1\n2\n3\n");
    assert_string_equal(content("c/part-0-0"), "4\n5\n");
    look();
    assert_int_equal(files, 3);
    assert_int_equal(sum, 21);
    /* the next job's files get the next numbers */
    env = environment(1);
    rask_file_sink(rask_values(env, int64_t, 7), in_folder("c"), .files = {.bucket_format = ""});
    assert_int_equal(run(env, &result), RASK_EXIT_OK);
    assert_string_equal(content("c/part-0-0"), "4\n5\n");
    assert_string_equal(content("c/part-0-1"), "7\n");
}

typedef struct {
    rask_string name;
    int64_t n;
} named;
RASK_TYPE(named, name, n);

static void formats(void **state) {
    (void)state;
    rask_job_result result;
    rask_env *env = environment(1);
    rask_stream(named) stream =
        rask_values(env, named, {rask_string_from("a,b"), 1}, {rask_string_from("c"), 2});
    rask_file_sink(stream, in_folder("text"), .files = {.bucket_format = ""});
    rask_file_sink(stream, in_folder("json"),
                   .files = {.bucket_format = "", .format = RASK_FORMAT_JSON});
    rask_file_sink(stream, in_folder("csv"),
                   .files = {.bucket_format = "", .format = RASK_FORMAT_CSV, .part_size_max = 1},
                   .csv = {.header = RASK_CSV_HEADER_NAMES});
    assert_int_equal(run(env, &result), RASK_EXIT_OK);
    assert_string_equal(content("text/part-0-0"), "(a,b,1)\n(c,2)\n");
    assert_string_equal(content("json/part-0-0"),
                        "{\"name\":\"a,b\",\"n\":1}\n{\"name\":\"c\",\"n\":2}\n");
    assert_string_equal(content("csv/part-0-0"), "name,n\n\"a,b\",1\n");
    assert_string_equal(content("csv/part-0-1"), "name,n\nc,2\n");
}

/* ---------------------------------------------------------------- jobs that do not succeed */
typedef struct {
    int64_t n;
} counting;
RASK_INSTANCE(counting);
RASK_RICH_MAP(fails_late, counting, self, int64_t, n, int64_t) {
    if (++self->n == 3000) (void)rask_fail("that is enough");
    return n;
}

static void a_failed_job_leaves_nothing(void **state) {
    (void)state;
    for (int parallelism = 1; parallelism <= 3; parallelism += 2) {
        rask_job_result result;
        rask_env *env = environment(parallelism);
        rask_file_sink_by(rask_map(rask_sequence(env, 1, 20000), fails_late), by_last_digit,
                          in_folder("deep/out"), .files = {.part_size_max = 100});
        assert_int_equal(run(env, &result), RASK_EXIT_FAILED);
        assert_non_null(strstr(result.message, "that is enough"));
        look();
        assert_int_equal(files, 0);
        assert_int_equal(folders, 1);
    }
}

/* What appears while the job runs stays. */
static void rolled_files_appear_at_once(void **state) {
    (void)state;
    rask_job_result result;
    rask_env *env = environment(1);
    rask_file_sink(
        rask_map(rask_sequence(env, 1, 20000), fails_late), in_folder("out"),
        .files = {.bucket_format = "", .part_size_max = 100, .commit_when_rolled = true});
    assert_int_equal(run(env, &result), RASK_EXIT_FAILED);
    look();
    assert_int_equal(hidden, 0);
    assert_true(files > 10);
    assert_in_range(lines, 1000, 2999);
    assert_int_equal(sum, lines * (lines + 1) / 2); /* the first ones, without gaps */
}

static void two_sinks_under_two_names_of_a_folder(void **state) {
    (void)state;
    rask_job_result result;
    rask_env *env = environment(1);
    rask_stream(int64_t) numbers = rask_values(env, int64_t, 1, 2, 3);
    /* the second one sees the hidden file of the first, which is not committed yet */
    rask_file_sink(numbers, in_folder("out"), .files = {.bucket_format = ""});
    rask_file_sink(numbers, in_folder("out/../out"), .files = {.bucket_format = ""});
    assert_int_equal(run(env, &result), RASK_EXIT_OK);
    look();
    assert_int_equal(files, 2);
    assert_int_equal(sum, 12);
    assert_int_equal(hidden, 0);
}

/* Rolled by time while nothing comes: the file shows that the sink was woken. */
typedef struct {
    bool done;
} waiting;
RASK_INSTANCE(waiting);
static char watched[256];
RASK_SOURCE(one_then_wait, waiting, self, int64_t, out) {
    if (!self->done) rask_emit(out, 42);
    self->done = true;
    if (access(watched, F_OK) == 0) return RASK_END;
    rask_idle_ns(out, 1000000);
    return RASK_IDLE;
}

static void rolled_by_time_without_records(void **state) {
    (void)state;
    rask_job_result result;
    (void)snprintf(watched, sizeof watched, "%s", in_folder("out/part-0-0"));
    rask_env *env = environment(1);
    rask_file_sink(rask_source(env, one_then_wait, .bounded = true), in_folder("out"),
                   .files = {.bucket_format = "",
                             .inactivity_interval_ms = 1,
                             .check_interval_ms = 1,
                             .commit_when_rolled = true});
    assert_int_equal(run(env, &result), RASK_EXIT_OK);
    assert_string_equal(content("out/part-0-0"), "42\n");
    look();
    assert_int_equal(files, 1);
}

/* ---------------------------------------------------------------- mistakes */
RASK_KEY(outside, int64_t, n, rask_string) {
    return rask_string_format("../%lld", (long long)n);
}
RASK_KEY(a_number, int64_t, n, int64_t) {
    return n;
}
RASK_KEY(fails_itself, int64_t, n, rask_string) {
    if (n == 2) (void)rask_fail("no bucket for %lld", (long long)n);
    return rask_string_from("x");
}

static void fails(rask_env *env, const char *expected) {
    rask_job_result result;
    assert_int_equal(run(env, &result), RASK_EXIT_FAILED);
    if (strstr(result.message, expected) == NULL) fail_msg("%s", result.message);
    look();
    assert_int_equal(hidden, 0);
}

#define FAILS(expected, call) \
    do { \
        rask_env *env = environment(1); \
        rask_stream(int64_t) s = rask_values(env, int64_t, 1, 2, 3); \
        call; \
        fails(env, expected); \
    } while (0)

static void mistakes(void **state) {
    (void)state;
    const char *path = in_folder("out");
    FAILS("leads out of the folder", rask_file_sink_by(s, outside, path));
    FAILS("but a_number gives int64_t", rask_file_sink_by(s, a_number, path));
    FAILS("no bucket for 2", rask_file_sink_by(s, fails_itself, path));
    FAILS("has letters other than", rask_file_sink(s, path, .files = {.bucket_format = "QQ"}));
    FAILS("have no /", rask_file_sink(s, path, .files = {.part_prefix = "a/b"}));
    FAILS("not begin with a dot", rask_file_sink(s, path, .files = {.part_prefix = ".a"}));
    FAILS(".files.part_size_max is -1", rask_file_sink(s, path, .files = {.part_size_max = -1}));
    FAILS("rask_file_sink needs a path, got none", rask_file_sink(s, NULL));
    FAILS("two sinks write to", {
        rask_file_sink(s, path);
        rask_write_text(s, path);
    });
    FILE *file = fopen(in_folder("file"), "wb");
    assert_non_null(file);
    (void)fclose(file);
    FAILS("is a file, but a file sink writes a folder", rask_file_sink(s, in_folder("file")));
    FAILS("cannot make the folder", rask_file_sink(s, in_folder("file/below")));
    FAILS("cannot make the folder", rask_file_sink(s, "/proc/rask-out"));
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(buckets_of_records),
        WITH_FOLDER(buckets_by_time),
        WITH_FOLDER(formats),
        WITH_FOLDER(a_failed_job_leaves_nothing),
        WITH_FOLDER(rolled_files_appear_at_once),
        WITH_FOLDER(two_sinks_under_two_names_of_a_folder),
        WITH_FOLDER(rolled_by_time_without_records),
        WITH_FOLDER(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
